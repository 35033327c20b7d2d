#' Predict with a Gaussian process
#'
#' @description
#' The predictive distribution of f at new rows is normal with
#' \deqn{\mathrm{E} f_* = k_*'A^{-1}y, \qquad
#'   \mathrm{Var} f_* = s^2\kappa(P_*, P_*)k(x_*, x_*) - k_*'A^{-1}k_*}{
#'   E f_* = k_*'A^-1 y,  Var f_* = s^2 kappa(P_*, P_*) k(x_*, x_*) - k_*'A^-1 k_*}
#' with A the covariance of the training responses and \eqn{k_* = s^2\kappa k}{k_* = s^2 kappa k}
#' between training rows and the new row (Rasmussen and Williams, 2006, equations 2.25-2.26); that
#' of the response has the variance of the noise added. As with every
#' [learner][predict.dg_learner()], a domain is judged by its unlabelled rows in `newdata` or
#' `reference`. The farther a domain is from those in training, the nearer its predictions are to
#' the mean, and the larger their standard errors.
#'
#' Variances need the Cholesky factor of A, which a fit does not carry: it is made anew, one
#' factorisation a call. Rows are predicted in blocks, so that the memory does not grow with them.
#'
#' `simulate()` draws responses from the joint predictive distribution of the rows.
#'
#' @inheritParams predict.dg_learner
#' @param object A [dg_gp()]; or a fitted [chain()] that ends in one.
#' @param type `"response"` or `"decision"`, which are the same; `"support"`: how near a row is to
#'   those of training, see [predict.dg_learner()].
#' @param se.fit Give standard errors of f?
#' @param interval `"confidence"`: for f; `"prediction"`: for the response of a row of weight 1.
#' @param level Probability of the interval.
#' @return `predict()`: a vector with one entry per row of `newdata`; with `interval` a matrix with
#'   columns `fit`, `lwr` and `upr`; with `se.fit = TRUE` a list with `fit` (either of these),
#'   `se.fit`, the standard deviations of f, and `residual.scale`, that of the noise. All in
#'   units of the response. Rows with missing values (and new levels, see `new_levels`) give `NA`,
#'   with a warning.
#' @section Errors:
#' Those of [predict.dg_learner()]; a `level` outside (0, 1); joint draws for so many rows that
#' their covariance matrix is over the memory limit ([domgen-package]).
#' @examples
#' toy <- simulate_dica(domains = 5, rows = 20, seed = 1)
#' train <- subset(toy, domain != levels(domain)[5])
#' new <- subset(toy, domain == levels(domain)[5])
#' model <- dg_gp(y ~ . | domain, data = train, starts = 1)
#' head(predict(model, new, interval = "prediction"))
#' predict(model, new[1:3, ], se.fit = TRUE, reference = new)$se.fit
#' simulate(model, nsim = 2, seed = 1, newdata = new[1:3, ], reference = new)
#' @export
predict.dg_gp <- function(object, newdata, domain = NULL,
                          type = c("response", "class", "prob", "decision", "support"),
                          reference = NULL, reference_domain = NULL, se.fit = FALSE,
                          interval = c("none", "confidence", "prediction"), level = 0.95,
                          new_levels = c("na", "error"), ...) {
  check_no_dots(list(...), setdiff(names(formals(predict.dg_gp)), "object"))
  check_sealed(object)
  type <- check_type(type, object)
  if (type == "support") {
    return(row_support(object, newdata, domain, reference, reference_domain, new_levels))
  }
  wanted <- list(se = check_flag(se.fit, "se.fit"), level = check_level(level),
                 interval = check_choice(interval, "interval",
                                         c("none", "confidence", "prediction")))
  with_variance <- wanted$se || wanted$interval != "none"
  values <- if (missing(newdata)) {
    pad_rows(if (with_variance) training_moments(object) else object$decision, object)
  } else {
    decide(if (with_variance) as_moments(object) else object, newdata, domain, reference,
           reference_domain, new_levels)
  }
  fit <- respond(object, values[, 1L, drop = FALSE], type)
  if (!with_variance) return(fit)
  describe_prediction(learner_of(object), fit, values[, 2L], wanted)
}

check_level <- function(level) {
  if (!is_number(level) || level <= 0 || level >= 1) {
    abort("argument", "`level` must be one number between 0 and 1, not ", describe(level), ".")
  }
  level
}

# variance: of f, for the standardised response.
describe_prediction <- function(object, fit, variance, wanted) {
  se <- sqrt(variance) * object$response$scale
  noise <- object$noise * object$response$scale
  if (wanted$interval != "none") {
    deviation <- if (wanted$interval == "prediction") sqrt(se^2 + noise^2) else se
    half <- stats::qnorm((1 + wanted$level) / 2) * deviation
    fit <- cbind(fit = fit, lwr = fit - half, upr = fit + half)
  }
  if (wanted$se) list(fit = fit, se.fit = se, residual.scale = noise) else fit
}

# The same object, whose decision() gives the mean and the variance of f.
as_moments <- function(object) UseMethod("as_moments")

#' @exportS3Method
as_moments.dg_gp <- function(object) {
  class(object) <- c("dg_gp_moments", class(object))
  object
}

#' @exportS3Method
decision.dg_gp_moments <- function(object, X, domain, reference = NULL) {
  if (nrow(X) == 0L) return(matrix(0, 0L, 2L))
  gp_moments(object$product, object, X, domain, new_domains(object, X, domain, reference))
}

training_moments <- function(object) UseMethod("training_moments")

#' @exportS3Method
training_moments.dg_gp <- function(object) {
  rows <- training_rows_for(object)
  gp_moments(object$product, object, rows$X, rows$domain, old_domains(object))
}

training_rows_for <- function(object) {
  if (is.null(object$product$X)) {
    abort("argument", "`newdata` must be given: a model with `",
          class(object$product$features)[1L], "()` keeps no training rows.")
  }
  list(X = object$product$X, domain = object$domain)
}

# Mean and variance of f at rows, [rows x 2].
gp_moments <- function(product, object, X, domain, domains) UseMethod("gp_moments")

#' @exportS3Method
gp_moments.product_kernel <- function(product, object, X, domain, domains) {
  factor <- gp_factor(object)
  parts <- lapply(blocks_of_rows(nrow(X), nrow(factor$A)), function(i) {
    rows <- X[i, , drop = FALSE]
    cross <- gp_cross(product, object, rows, domain[i], domains)
    own <- own_variance(product, rows, domain[i], domains)
    left <- own - colSums(backsolve(factor$A, cross, transpose = TRUE)^2)
    cbind(crossprod(cross, factor$alpha), object$signal^2 * pmax(left, 0))
  })
  do.call(rbind, parts)
}

# k(training rows, X) kappa, [used training rows x rows].
gp_cross <- function(product, object, X, domain, domains) {
  used <- object$weights > 0
  Z <- take_used(product$X, used)
  kappa <- domains$kappa
  values <- kernel_cross_(kernel_program(product$kernel, Z, X), Z, X,
                          if (!is.null(kappa)) t(kappa),
                          if (!is.null(kappa)) as.integer(product$domain)[used],
                          if (!is.null(kappa)) as.integer(domain), object$spec$args$threads)
  check_overflow(c(min(values), max(values)), product$kernel)
  values
}

# kappa(P, P) k(x, x): the prior variance over s^2.
own_variance <- function(product, X, domain, domains) {
  own <- kernel_own(product$kernel, X)
  if (is.null(domains$own)) own else own * domains$own[as.integer(domain)]
}

#' @exportS3Method
gp_moments.product_features <- function(product, object, X, domain, domains) {
  parts <- lapply(blocks_of_rows(nrow(X), product$dim), function(i) {
    at <- feature_moments_at(product, object, X[i, , drop = FALSE], domain[i], domains)
    cbind(at$Z %*% object$coefficients, rowSums((at$Z %*% object$spread)^2) + at$left)
  })
  do.call(rbind, parts)
}

# list(Z: features, left: the prior variance that they do not have).
feature_moments_at <- function(product, object, X, domain, domains) {
  Z <- features_at(product, X, domain, domains$table, object$spec$args$threads)
  check_overflow(c(min(Z), max(Z)), product$kernel)
  own <- own_variance(product, X, domain, domains)
  left <- object$signal^2 * pmax(own - rowSums(Z^2), 0)
  list(Z = Z, left = left)
}

# A chain predicts as its learner does: standard errors where it ends in a Gaussian
# process.
#' @exportS3Method
as_moments.dg_chain <- function(object) {
  object$learner <- as_moments(object$learner)
  object
}

#' @exportS3Method
training_moments.dg_chain <- function(object) training_moments(object$learner)

# What a chain ends in.
learner_of <- function(object) {
  if (inherits(object, "dg_adapted")) object <- object$base
  if (inherits(object, "dg_chain")) object$learner else object
}

#' @rdname predict.dg_gp
#' @export
predict.dg_chain <- function(object, ...) {
  check_sealed(object)
  if (inherits(object$learner, "dg_gp")) predict.dg_gp(object, ...) else NextMethod()
}
