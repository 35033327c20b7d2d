# A kernel that has the same value for all training rows, or is 0, says nothing of them. After
# rounding its values differ a little: a solver would learn the rounding, and labels would change
# with the size of blocks. So differences are compared with the values that the kernel could have.

# What rounding leaves of a kernel's value: some hundred times that of a double.
kernel_rounding <- 1e-13

check_varies <- function(space, sample) {
  n <- nrow(sample$X)
  if (n < 2L) return(invisible())
  # some rows mostly show it
  some <- unique(round(seq(1, n, length.out = min(n, 200L))))
  seen <- variation(space, sample, some)
  if (all(seen == "varies")) return(invisible())
  if (length(some) < n) seen <- variation(space, sample, seq_len(n))
  # equal rows are no error: users have been warned of them, and nothing is rounded
  same <- all(apply(sample$X, 2L, function(x) all(x == x[1L])))
  if ("rounding" %in% seen || seen[["both"]] == "constant" && !same) {
    abort_constant_kernel(space, sample)
  }
}

# Whether the kernel of rows, and its product with kappa, "varies", is "constant", or varies no more
# than "rounding" does. The squared distances of the rows from the first one in the feature space,
# k(x, x) + k(x1, x1) - 2 k(x, x1), are compared with the largest k(x, x).
variation <- function(space, sample, at) {
  X <- sample$X[at, , drop = FALSE]
  first <- X[1L, , drop = FALSE]
  kernel <- space$kernel
  diagonal <- kernel_diag_(kernel_program(kernel, X, X), X)
  beside <- drop(kernel_cross_(kernel_program(kernel, X, first), X, first, NULL, NULL, NULL, 1L))
  verdict <- function(diagonal, beside, size) {
    distance <- max(abs(diagonal + diagonal[1L] - 2 * beside))
    # NaN is reported by the solver
    if (!isTRUE(distance <= kernel_rounding * size)) "varies"
    else if (distance == 0) "constant" else "rounding"
  }
  verdicts <- c(rows = verdict(diagonal, beside, max(abs(diagonal))))
  domain_kernel <- space$domain_kernel
  if (!uses_domain(domain_kernel)) return(c(verdicts, both = verdicts[["rows"]]))
  codes <- as.integer(sample$domain)[at]
  kappa <- unname(domain_kernel$kappa)
  c(verdicts, both = verdict(diagonal * diag(kappa)[codes], beside * kappa[codes, codes[1L]],
                             max(abs(diagonal)) * kappa_size(domain_kernel)))
}

# The largest value that kappa could have: that of a linear kernel if embeddings do not cancel.
kappa_size <- function(kernel) UseMethod("kappa_size")

#' @exportS3Method
kappa_size.domgen_domain_kernel <- function(kernel) max(abs(kernel$kappa))

#' @exportS3Method
kappa_size.domain_pooled <- function(kernel) 1

#' @exportS3Method
kappa_size.domain_embedding <- function(kernel) kernel$size

#' @exportS3Method
kappa_size.domain_composite <- function(kernel) {
  put_together(kernel, lapply(kernel$parts, function(part) {
    if (uses_domain(part)) kappa_size(part) else 1
  }))
}

abort_constant_kernel <- function(space, sample) {
  kernel <- space$domain_kernel
  none <- uses_domain(kernel) &&
    max(abs(diag(kernel$kappa))) <= kernel_rounding * kappa_size(kernel)
  scale <- sample$blueprint$scaling$kind[1L]
  if (none) {
    abort("data", "The domain kernel ", format(kernel), " is 0 for all training domains, but for ",
          "rounding: their embeddings are at the origin",
          if ("domain" %in% scale) ", as means are after `scale = \"domain\"`",
          ". Use `domain_distribution(embedding_kernel = kernel_rbf())`, another kernel of rows",
          if ("domain" %in% scale) ", or another `scale`", ".")
  }
  abort("data", "The kernel ", format(space$kernel), " has the same value for all training rows, ",
        "but for rounding: nothing can be learned with it. ",
        if ("none" %in% scale) "Scale the predictors, `scale = \"pooled\"`, or use "
        else "Use ", "another kernel or bandwidth.")
}
