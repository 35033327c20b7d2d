# Sums and products of domain kernels: the parts are fitted to the same rows.

#' @rdname domain_factors
#' @order 2
#' @param e1,e2 Domain kernels, or one domain kernel and one non-negative number.
#' @export
Ops.domgen_domain_kernel <- function(e1, e2) {
  combine_kernels(.Generic, e1, if (missing(e2)) NULL else e2, missing(e2))
}

#' @exportS3Method
combine_parts.domgen_domain_kernel <- function(either, operator, e1, e2, alone) {
  if (!operator %in% c("+", "*") || alone) {
    abort("argument", "Domain kernels can be added and multiplied; `", operator,
          "` is not defined.")
  }
  both <- lapply(list(e1, e2), domain_term)
  if (operator == "+") {
    both <- lapply(both, as_domain_sum)
    return(domain_sum(do.call(c, lapply(both, `[[`, "parts")),
                      unlist(lapply(both, `[[`, "weights"))))
  }
  number <- vapply(both, is.numeric, NA)
  if (any(number)) {
    sum <- as_domain_sum(both[[which(!number)]])
    return(domain_sum(sum$parts, sum$weights * both[[which(number)]]))
  }
  domain_product(do.call(c, lapply(both, function(kernel) {
    if (inherits(kernel, "domain_product")) kernel$parts else list(kernel)
  })))
}

# A kernel, or the number.
domain_term <- function(value) {
  if (inherits(value, "domgen_domain_kernel")) return(value)
  if (!is_number(value) || value < 0) {
    abort("argument", "A domain kernel can be added to, or multiplied by, another one or one ",
          "non-negative number, not ", describe(value), ".")
  }
  as.numeric(value)
}

domain_sum <- function(parts, weights) {
  domain_composite("sum", parts = parts, weights = weights)
}

domain_product <- function(parts) domain_composite("product", parts = parts)

domain_composite <- function(name, ...) {
  kernel <- new_domain_kernel(name, ...)
  class(kernel) <- append(class(kernel), "domain_composite", 1L)
  kernel
}

# A number is a multiple of the constant kernel.
as_domain_sum <- function(value) {
  if (inherits(value, "domain_sum")) value
  else if (is.numeric(value)) domain_sum(list(domain_pooled()), value)
  else domain_sum(list(value), 1)
}

#' @exportS3Method
domain_knows.domain_composite <- function(kernel) {
  knows <- vapply(kernel$parts, domain_knows, "")
  c("rows", "names", "nothing")[min(match(knows, c("rows", "names", "nothing")))]
}

# values: of each part, matrices or vectors.
put_together <- function(kernel, values) UseMethod("put_together")

#' @exportS3Method
put_together.domain_sum <- function(kernel, values) Reduce(`+`, Map(`*`, kernel$weights, values))

#' @exportS3Method
put_together.domain_product <- function(kernel, values) Reduce(`*`, values)

# A constant part has no matrix.
#' @exportS3Method
domain_kernel_fit.domain_composite <- function(kernel, rows, feature_map = NULL) {
  # fitted parts have no open bandwidth
  kernel$open <- vapply(kernel$parts, has_open_width, NA)
  kernel$parts <- lapply(kernel$parts, domain_kernel_fit, rows, feature_map)
  kernel$G <- nlevels(rows$domain)
  if (uses_domain(kernel)) kernel$kappa <- composite_kappa(kernel)
  kernel
}

composite_kappa <- function(kernel) {
  put_together(kernel, lapply(kernel$parts, function(part) {
    if (uses_domain(part)) unname(part$kappa) else matrix(1, kernel$G, kernel$G)
  }))
}

#' @exportS3Method
domain_kappa.domain_composite <- function(kernel, rows, among = FALSE) {
  n <- nlevels(rows$domain)
  put_together(kernel, lapply(kernel$parts, function(part) {
    if (uses_domain(part)) unname(domain_kappa(part, rows, among))
    else matrix(1, n, if (among) n else kernel$G)
  }))
}

#' @exportS3Method
domain_own.domain_composite <- function(kernel, rows) {
  put_together(kernel, lapply(kernel$parts, function(part) {
    if (uses_domain(part)) domain_own(part, rows) else rep(1, nlevels(rows$domain))
  }))
}

#' @exportS3Method
widen_fitted.domain_composite <- function(domain_kernel, bandwidth_factor) {
  if (bandwidth_factor == 1) return(domain_kernel)
  open <- domain_kernel$open
  domain_kernel$parts[open] <- lapply(domain_kernel$parts[open], widen_fitted, bandwidth_factor)
  domain_kernel$kappa <- composite_kappa(domain_kernel)
  domain_kernel
}

#' @export
format.domain_sum <- function(x, ...) {
  parts <- vapply(x$parts, function(part) if (uses_domain(part)) format(part) else "1", "")
  paste0(ifelse(x$weights == 1, "", paste0(format(signif(x$weights, 4)), " * ")), parts,
         collapse = " + ")
}

#' @export
format.domain_product <- function(x, ...) {
  parts <- vapply(x$parts, format, "")
  sums <- vapply(x$parts, inherits, NA, "domain_sum")
  paste0(ifelse(sums, paste0("(", parts, ")"), parts), collapse = " * ")
}
