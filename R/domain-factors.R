#' Domain kernels for nested or crossed domains
#'
#' @order 1
#' @description
#' With several factors after the bar, `y ~ x | school / class` or `y ~ x | patient + device`, a
#' domain P is a combination of levels. `domain_factors()` combines one kernel per factor,
#' \deqn{\kappa(P, P') = \prod_{f=1}^F \kappa_f(P_f, P'_f) \quad\mathrm{or}\quad
#'   \kappa(P, P') = \frac1F \sum_{f=1}^F \kappa_f(P_f, P'_f),}{
#'   kappa(P, P') = prod_f kappa_f(P_f, P'_f)  or  (1/F) sum_f kappa_f(P_f, P'_f),}
#' with \eqn{P_f}{P_f} the level of factor f in P. A level is described by all of its rows: a school
#' by those of all its classes, a device by those of all its patients.
#'
#' @details
#' Sums and products of kernels on parts are kernels (Berlinet and Thomas-Agnan, 2004, theorems 5
#' and 13 of chapter 1). The sum is the kernel of an additive model, f = a sum of one function per
#' factor.
#'
#' Without several factors in the formula, `domain_factors(kernel = k)` is `k`.
#'
#' Each factor has its own default bandwidth, the median over its levels. [dg_ridge()] and
#' [dg_svm()] choose one multiple for all factors.
#'
#' @section Sums and products of domain kernels:
#' Domain kernels can be added and multiplied, also with non-negative numbers:
#' `domain_factors("patient") + 0.5 * domain_factors("device")`. `domain_pooled()` is the constant
#' 1: `domain_pooled() + domain_factors("school")` is a function shared by all schools plus one
#' shared by similar schools.
#'
#' @section New rows:
#' A level of the training data is described by its training rows, whatever rows are new: a known
#' device used with one new patient would be a poor sample. A new level is described by all of its
#' rows in `newdata` (or `reference`), those of several combinations together. So each factor of a
#' combination can be known or new separately.
#'
#' @section Product, sum or combination:
#' Other domain kernels, such as the default `domain_distribution()`, treat each combination as one
#' domain, described by its own rows only; these are few if factors have many levels. With the
#' product, a row counts if it is similar in every factor; with the sum, if it is similar in one.
#'
#' The product is the default. In simulations of 10 x 5 crossed levels with 8 rows each, the errors
#' of [dg_ridge()] on new levels of both factors were:
#'
#' | effects of the factors | product | sum | combination |
#' |---|---|---|---|
#' | add | 0.74 | 0.73 | 0.86 |
#' | multiply | 0.86 | 1.01 | 1.02 |
#'
#' Pooled, the error was 1.23. With 25 rows, and with nested factors, the differences were smaller,
#' and the product was at most slightly worse. [dg_compare()] compares the three on your data.
#'
#' @param factors Names of factors in the formula. If `NULL` (default), all of them.
#' @param kernel Kernel between the levels of a factor: [domain_distribution()] (default),
#'   [domain_wasserstein()], or [domain_multitask()], which identifies levels by name.
#' @param combine `"product"` (default) or `"sum"`. The sum is divided by the number of factors, so
#'   that \eqn{\kappa(P, P)}{kappa(P, P)} is that of one factor.
#' @return A domain kernel, for the argument `domain_kernel` of the methods.
#' @section Errors:
#' A name that is not after the bar of the formula, a factor given by name where the formula has
#' only one, and `domain_pooled()` as `kernel` are errors. With a [row_source()], `kernel` must be
#' [domain_multitask()], because sums by combination do not describe a level.
#' @references
#' Berlinet, A. and Thomas-Agnan, C. (2004). *Reproducing Kernel Hilbert Spaces in Probability and
#' Statistics*. Kluwer.
#' @seealso [domain_distribution()]; [dg_cv()], whose `hold_out` gives the factor to hold out
#' @examples
#' domain_factors()
#' domain_pooled() + domain_factors("Diet") * domain_multitask(0.5)
#' model <- dg_ridge(weight ~ Time | Diet / Chick, data = ChickWeight, lambda = 1,
#'                   domain_kernel = domain_factors(kernel = domain_wasserstein()))
#' model
#' # a new chick on a known diet
#' chick <- data.frame(Time = seq(0, 20, 5), Diet = "1", Chick = "new")
#' predict(model, chick)
#' @export
domain_factors <- function(factors = NULL, kernel = domain_distribution(),
                           combine = c("product", "sum")) {
  named <- is.null(factors) ||
    is.character(factors) && length(factors) > 0L && !anyNA(factors) && !anyDuplicated(factors)
  if (!named) {
    abort("argument", "`factors` must be NULL or different names of factors, as in `\"school\"`, ",
          "not ", describe(factors), ".")
  }
  check_domain_kernel(kernel, "kernel")
  if (!uses_domain(kernel)) {
    abort("argument", "`kernel` must depend on the domain, as domain_distribution() does, not be ",
          format(kernel), ".")
  }
  new_domain_kernel("factors", factors = factors, parts = list(kernel),
                    combine = check_choice(combine, "combine", c("product", "sum")))
}

#' @exportS3Method
domain_knows.domain_factors <- function(kernel) domain_knows(kernel$parts[[1L]])

# The factors that the kernel compares; NULL where domains have one only.
used_factors <- function(kernel, structure) {
  have <- names(structure$factors)
  absent <- setdiff(kernel$factors, have)
  if (length(absent)) {
    abort("argument", "`factors` of domain_factors() must be names after the bar of the formula",
          if (length(have)) paste0(" (", enumerate(have, length(have), "\""), ")")
          else ", which has one factor there or none", ", not ", enumerate(absent, quote = "\""),
          ".")
  }
  if (is.null(kernel$factors)) have else kernel$factors
}

# The level of a factor in each of these domains.
levels_of_factor <- function(kernel, factor, domains) {
  domain_levels(kernel$structure, domains)[[factor]]
}

# Rows with a factor's levels as their domains; with their own if `factor` is NULL.
rows_by_factor <- function(kernel, factor, points) {
  if (is.null(factor)) return(points)
  level <- levels_of_factor(kernel, factor, levels(points$domain))
  points$domain <- factor(level, unique(level))[as.integer(points$domain)]
  points$structure <- NULL
  points
}

#' @exportS3Method
domain_kernel_fit.domain_factors <- function(kernel, rows, feature_map = NULL) {
  kernel$structure <- rows$structure
  used <- used_factors(kernel, rows$structure)
  used <- if (is.null(used)) list(NULL) else as.list(used)
  kernel$fitted <- lapply(used, function(name) {
    by_level <- rows_by_factor(kernel, name, rows)
    list(factor = name, levels = levels(by_level$domain),
         kernel = domain_kernel_fit(kernel$parts[[1L]], by_level, feature_map))
  })
  kernel$domains <- levels(rows$domain)
  kernel$kappa <- factors_kappa(kernel)
  kernel
}

# kappa of the training domains, of the fitted kernels.
factors_kappa <- function(kernel) {
  put_together(kernel, lapply(kernel$fitted, function(one) {
    at <- trained_places(kernel, one, kernel$domains)
    unname(one$kernel$kappa)[at, at, drop = FALSE]
  }))
}

# The places of the domains' levels among those of training, NA where they are new.
trained_places <- function(kernel, one, domains) {
  level <- if (is.null(one$factor)) domains else levels_of_factor(kernel, one$factor, domains)
  match(level, one$levels)
}

#' @exportS3Method
put_together.domain_factors <- function(kernel, values) {
  if (kernel$combine == "product") Reduce(`*`, values) else Reduce(`+`, values) / length(values)
}

#' @exportS3Method
domain_kappa.domain_factors <- function(kernel, rows, among = FALSE) {
  put_together(kernel, lapply(kernel$fitted, function(one) {
    if (is.null(one$factor)) return(unname(domain_kappa(one$kernel, rows, among)))
    by_level <- rows_by_factor(kernel, one$factor, rows)
    level <- levels_of_factor(kernel, one$factor, levels(rows$domain))
    kappa <- if (among) levels_among(one, by_level) else levels_with_training(one, by_level)
    at <- match(level, levels(by_level$domain))
    with <- if (among) at else trained_places(kernel, one, kernel$domains)
    kappa[at, with, drop = FALSE]
  }))
}

# The levels of these rows: new, with their rows, or those of training, by number.
rows_of_new <- function(one, by_level) {
  new <- !levels(by_level$domain) %in% one$levels
  some <- rows_at(by_level, which(new[as.integer(by_level$domain)]))
  some$domain <- factor(some$domain, levels(by_level$domain)[new])
  list(rows = some, new = which(new), trained = match(levels(by_level$domain), one$levels))
}

# [levels x levels of training]
levels_with_training <- function(one, by_level) {
  split <- rows_of_new(one, by_level)
  kappa <- unname(one$kernel$kappa)[split$trained, , drop = FALSE]
  if (length(split$new)) kappa[split$new, ] <- domain_kappa(one$kernel, split$rows)
  kappa
}

# [levels x levels]
levels_among <- function(one, by_level) {
  split <- rows_of_new(one, by_level)
  kappa <- unname(one$kernel$kappa)[split$trained, split$trained, drop = FALSE]
  if (length(split$new)) {
    old <- setdiff(seq_along(split$trained), split$new)
    with <- unname(domain_kappa(one$kernel, split$rows))[, split$trained[old], drop = FALSE]
    kappa[split$new, old] <- with
    kappa[old, split$new] <- t(with)
    kappa[split$new, split$new] <- domain_kappa(one$kernel, split$rows, among = TRUE)
  }
  kappa
}

#' @exportS3Method
domain_own.domain_factors <- function(kernel, rows) {
  put_together(kernel, lapply(kernel$fitted, function(one) {
    if (is.null(one$factor)) return(unname(domain_own(one$kernel, rows)))
    by_level <- rows_by_factor(kernel, one$factor, rows)
    split <- rows_of_new(one, by_level)
    values <- diag(one$kernel$kappa)[split$trained]
    if (length(split$new)) values[split$new] <- domain_own(one$kernel, split$rows)
    unname(values)[match(levels_of_factor(kernel, one$factor, levels(rows$domain)),
                         levels(by_level$domain))]
  }))
}

#' @exportS3Method
widen_fitted.domain_factors <- function(domain_kernel, bandwidth_factor) {
  if (bandwidth_factor == 1) return(domain_kernel)
  domain_kernel$fitted <- lapply(domain_kernel$fitted, function(one) {
    one$kernel <- widen_fitted(one$kernel, bandwidth_factor)
    one
  })
  domain_kernel$kappa <- factors_kappa(domain_kernel)
  domain_kernel
}

#' @export
format.domain_factors <- function(x, ...) {
  of <- vapply(x$fitted, function(one) {
    paste0(if (!is.null(one$factor)) paste0(one$factor, ": "), format(one$kernel))
  }, "")
  if (length(of) == 1L) return(of)
  name <- if (x$combine == "sum") "the mean" else "the product"
  if (length(of)) return(paste0(name, " of ", paste0("(", of, ")", collapse = ", ")))
  factors <- if (is.null(x$factors)) "each factor" else enumerate(x$factors, length(x$factors))
  paste0(if (length(x$factors) != 1L) paste(name, "over "), factors, " of ",
         format(x$parts[[1L]]))
}
