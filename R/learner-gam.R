#' Additive models
#'
#' @description
#' Generalised additive models by the package mgcv (`mgcv::gam()`), for a numeric response and for
#' two classes: a smooth function of each numeric column, and a linear term for columns with few
#' values.
#'
#' @details
#' The model is \eqn{g(E[y]) = \beta_0 + \sum_j f_j(x_j)}{g(E y) = beta_0 + sum_j f_j(x_j)}, with g
#' the identity or the logit. The \eqn{f_j}{f_j} are thin plate regression splines, whose smoothness
#' is chosen by restricted maximum likelihood (Wood, 2017). Columns with at most `k` different
#' values, such as dummy variables, have a linear term; `print()` shows their number. With fewer
#' rows than coefficients, `k` is lowered, to at least 3; if that is not enough, all terms are
#' linear. Outside the range of the training rows the splines are linear.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param domain_weights,na.action As in [all methods][dg_arguments].
#' @param calibration,scale,domain_means,terms,... As in [all methods][dg_arguments].
#' @param k Dimension of the basis of each smooth function, at least 3. Default 10.
#' @param weights Non-negative numbers, one per row. Numeric response: inverse variances up to a
#'   factor. Classes: numbers of rows.
#' @return With data, a model of class `dg_gam`, see [learner_custom()]. Its `engine$object` is a
#'   list with `gam`, the result of `mgcv::gam()` without the rows, `columns`, the names of its
#'   variables V1, V2, ..., and `coefficients`. Without data, a specification. `coef()` returns the
#'   coefficients of the basis. By default, [dg_tune()] tries `k` 5, 10 and 20.
#' @section Errors:
#' More than two classes, and a missing package mgcv (class `domgen_error_package`). Errors of mgcv
#' have class `domgen_error_learner`, its warnings class `domgen_warning_engine`.
#' @references
#' Wood, S. N. (2017). *Generalized Additive Models: An Introduction with R*, second edition. CRC
#' Press.
#' @seealso [learner_custom()], [dg_lm()]
#' @examplesIf requireNamespace("mgcv", quietly = TRUE)
#' toy <- simulate_dica(domains = 6, n = 40, seed = 1)
#' model <- dg_gam(y ~ x1 + x2 | domain, data = toy)
#' model
#' head(predict(model, toy))
#' @export
dg_gam <- function(x, y = NULL, domain = NULL, data = NULL, k = 10,
                   calibration = c("none", "platt", "isotonic"), weights = NULL,
                   domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                   terms = NULL, na.action = stats::na.omit, ...) {
  engine_call("dg_gam", "mgcv", environment(), match.call(), parent.frame())
}

gam_row <- function() learner_row("Additive model", reference = TRUE, parameters = gam_parameters)

gam_parameters <- function() parameters(
  parameter("k", "count", 3, grid = c(5, 10, 20), simpler = -1)
)

#' @exportS3Method
engine_of.dg_gam_spec <- function(spec) list(fit = gam_fit, predict = gam_predict)

gam_fit <- function(x, y, weights, k) {
  check_two_classes(y, "dg_gam")
  columns <- names(x)
  scaling <- engine_scaling(as.matrix(x))
  x <- gam_columns(x, scaling)
  formula <- stats::reformulate(gam_terms(x, k), "response", env = globalenv())
  x$response <- if (is.factor(y)) as.integer(y) - 1 else y
  # of classes they count rows
  x$costs <- costs <- if (is.factor(y)) weights else weights / mean(weights)
  family <- if (is.factor(y)) stats::binomial() else stats::gaussian()
  fitted <- own_warnings("Additive model", {
    mgcv::gam(formula, family, x, weights = costs, method = "REML")
  })
  # all rows, which predictions do not need
  fitted[c("model", "y", "residuals", "fitted.values", "linear.predictors", "weights",
           "prior.weights", "working.weights", "z", "offset", "hat", "R", "db.drho",
           "dw.drho")] <- NULL
  list(gam = fitted, columns = columns, scaling = scaling,
       coefficients = gam_coefficients(fitted$coefficients, scaling))
}

# Its variables V1, V2, ...: columns far from 0, or very large or small, about their means.
gam_columns <- function(x, scaling) {
  stats::setNames(as.data.frame(scale_columns(as.matrix(x), scaling)),
                  sprintf("V%d", seq_along(scaling$scale)))
}

# Linear terms in the units of the columns.
gam_coefficients <- function(coefficients, scaling) {
  at <- match(names(coefficients), sprintf("V%d", seq_along(scaling$scale)))
  linear <- !is.na(at)
  coefficients[linear] <- coefficients[linear] / scaling$scale[at[linear]]
  coefficients[1L] <- coefficients[1L] - sum(coefficients[linear] * scaling$centre[at[linear]])
  coefficients
}

# "s(V1, k = 10)", or "V2".
gam_terms <- function(x, k) {
  values <- vapply(x, function(column) length(unique(column)), integer(1))
  smooth <- values > 3L
  # with as many coefficients as rows there is nothing to estimate
  k <- min(k, floor((nrow(x) - 2 - sum(!smooth)) / max(sum(smooth), 1)) + 1)
  smooth <- values > k & k >= 3
  ifelse(smooth, sprintf("s(%s, k = %d)", names(x), as.integer(k)), names(x))
}

gam_predict <- function(object, x) {
  need_package("mgcv", "predict()` of `dg_gam()")
  x <- gam_columns(x, object$scaling)
  as.vector(stats::predict(object$gam, x, type = "response"))
}

#' @exportS3Method
describe_fit.dg_gam <- function(x) {
  engine <- x$engine$object
  smooth <- length(engine$gam$smooth)
  c(NextMethod(), list(
    fact("smooth", paste0(smooth, " of ", plural(length(engine$columns), "column")),
         if (smooth < length(engine$columns)) ", the others linear")
  ))
}
