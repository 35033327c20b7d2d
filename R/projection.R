# The engine of all projections. A method is a row of parts,
#   title        what it is called
#   numerator    "response": P of the central subspace; "variance": P = I
#   domains      is the distributional variance in the denominator?
#   ridge        is lambda in the denominator?
# and one ratio is solved for all: maximise b'Nb / b'Db over b in R^n with
#   N = K P K / n (symmetric) or P K^2 / n (published),  D = KQK + K + lambda I.

projection_parts <- function(title, numerator, domains, ridge) {
  list(title = title, numerator = numerator, domain = domains, ridge = ridge, weights = FALSE,
       response = if (numerator == "response") "any" else "optional")
}

projection_spec <- function(method, parts, args) {
  args$ncomp <- check_count(args$ncomp, "ncomp")
  check_kernel(args$kernel, "kernel")
  if (!is.null(args$kernel_y)) check_kernel(args$kernel_y, "kernel_y")
  check_domain_kernel(args$domain_kernel, "domain_kernel")
  if (parts$ridge) args$lambda <- check_number(args$lambda, "lambda")
  if (parts$numerator == "response") {
    args$epsilon <- check_number(args$epsilon, "epsilon")
    args$form <- check_choice(args$form, "form", c("published", "symmetric"))
  }
  args$normalise <- check_choice(args$normalise, "normalise", normalisations)
  args$scale <- check_choice(args$scale, "scale", scalings)
  args["threads"] <- list(check_threads(args$threads))
  new_spec(method, c(method, "dg_projection_spec"), parts, args)
}

normalisations <- c("constraint", "whiten", "published_code")

#' @exportS3Method
fit_sample.dg_projection_spec <- function(spec, sample) {
  args <- spec$args
  n <- nrow(sample$X)
  if (n < 2L) abort("data", "A projection needs at least 2 rows, not ", n, ".")
  response <- if (spec$parts$numerator == "response") {
    response_factor(sample$y, args$kernel_y)
  }
  product <- product_kernel(args$kernel, args$domain_kernel, sample, args$threads)
  K <- product_gram(product, args$threads)
  check_overflow(n * diag(K)^2, product$kernel)  # the solver squares K
  solved <- core_result(projection_exact_(
    K, response$factor,
    as.integer(sample$domain), nlevels(sample$domain), spec$parts$domain,
    if (is.null(args$epsilon)) 1 else args$epsilon,
    if (spec$parts$ridge) args$lambda else 0,
    args$ncomp, identical(args$form, "published"), args$normalise, args$threads
  ))
  warn_projection(solved, spec, sample$y)
  check_solution(solved, args)
  new_projection(solved, product, sample, response)
}

check_solution <- function(solved, args) {
  parts <- solved[c("values", "coefficients", "scores", "residual")]
  if (!all(is.finite(unlist(parts)))) {
    abort("data", "The eigenproblem has no finite solution: the kernel must be positive ",
          "semi-definite", if (!is.null(args$lambda)) {
            paste0(" and `lambda`, which is added to its values, of their size, not ",
                   format(args$lambda))
          }, ".")
  }
}

# The kernel on the response and F with L = F F' [n x r].
response_factor <- function(y, kernel_y) {
  if (is.factor(y) && nlevels(y) < 2L) {
    abort("data", "The response must have at least two classes, not only ",
          enumerate(levels(y), quote = "\""), ".")
  }
  if (is.null(kernel_y)) kernel_y <- if (is.factor(y)) kernel_delta() else kernel_rbf()
  Y <- matrix(as.numeric(y), ncol = 1L)
  kernel <- kernel_fit(kernel_y, Y)
  F <- kernel_factor(kernel, Y)
  if (ncol(F) == 0L) {
    abort("data", "`kernel_y` must not be zero for every response; ", format(kernel), " is.")
  }
  list(kernel = kernel, factor = F)
}

warn_projection <- function(solved, spec, y) {
  if (solved$rank == 0L) {
    abort("data", if (spec$parts$numerator == "variance") "All rows coincide: " else
      "The response is constant or the rows coincide: ", "there is no direction to find.")
  }
  if (solved$rank < spec$args$ncomp) {
    warn("rank", "`ncomp` is ", spec$args$ncomp, ", but only ", plural(solved$rank, "component"),
         if (solved$rank == 1L) " exists" else " exist",
         if (is.factor(y)) " (with C classes at most C - 1)", "; ", solved$rank,
         if (solved$rank == 1L) " is" else " are", " returned.")
  }
  if (solved$imaginary > 1e-8) {
    warn("complex", "The published eigenproblem is not symmetric and has complex eigenvalues here ",
         "(|Im| / |gamma| up to ", signif(solved$imaginary, 2), "): their real parts are used. ",
         "`form = \"symmetric\"` has none.")
  }
  if (!solved$converged) {
    warn("convergence", "The eigenvalue iteration did not converge; the residuals of the ",
         "components (in `residual`) say how far it came.")
  }
}

new_projection <- function(solved, product, sample, response) {
  m <- ncol(solved$scores)
  components <- paste0("comp", seq_len(m))
  colnames(solved$coefficients) <- colnames(solved$scores) <- components
  structure(list(
    values = stats::setNames(solved$values, components), directions = solved$coefficients,
    centre = stats::setNames(solved$centre, components), rank = as.integer(solved$rank),
    residual = solved$residual, scores = solved$scores, theorem5 = solved$theorem5,
    variance = variance_table(solved$variance), product = product,
    y = sample$y, kernel_y = response$kernel
  ), class = c("dg_projection", "dg_fit"))
}

variance_table <- function(v) {
  rbind(before = c(total = v[["total_before"]], distributional = v[["distributional_before"]]),
        after = c(v[["total_after"]], v[["distributional_after"]]))
}

# Centred with the training means, one row as well as many: k(x, X) A - centre.
#' @exportS3Method
decision.dg_projection <- function(object, X, domain, reference = NULL) {
  scores <- product_expansion(object$product, X, domain, object$directions,
                              object$spec$args$threads, reference)
  scores <- sweep(scores, 2L, object$centre)
  colnames(scores) <- names(object$centre)
  scores
}
