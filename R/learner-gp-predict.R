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
#' Intervals take the parameters, and what the rows of a domain tell of it, as known. Where the
#' model is true, 95 % intervals cover about 95 % (`vignette("which-method")`). In worlds that it
#' does not contain, with 8 to 40 domains of 15 rows, whose level nothing tells, or follows the mean
#' of a predictor, those of responses covered 89 to 95 %; those of f 84 to 95 %, but 54 to 69 %
#' where [domain_distribution()] learns the level from 15 rows, which tell it with an error of
#' their own.
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
#' @param interval `"confidence"`: for f, and `"posterior"`: for the response of a row of weight 1,
#'   by the posterior, which holds where the model does; `"prediction"`, `"domain"`, `"mean"`: for
#'   responses of new domains whatever their distribution, see [fix_intervals()].
#' @param level Probability of the interval.
#' @return `predict()`: a vector with one entry per row of `newdata`; with `interval` a data frame
#'   with columns `fit`, `lower` and `upper`; with `se.fit = TRUE` a list with `fit` (either of
#'   these), `se.fit`, the standard deviations of f, and `residual.scale`, that of the noise. All in
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
#' head(predict(model, new, interval = "posterior"))
#' predict(model, new[1:3, ], se.fit = TRUE, reference = new)$se.fit
#' simulate(model, nsim = 2, seed = 1, newdata = new[1:3, ], reference = new)
#' @export
predict.dg_gp <- function(object, newdata, domain = NULL,
                          type = c("response", "class", "prob", "decision", "support", "set"),
                          reference = NULL, reference_domain = NULL, se.fit = FALSE,
                          interval = c("none", "confidence", "posterior", "prediction", "domain",
                                       "mean"), level = 0.9,
                          new_levels = c("na", "error"), ...) {
  check_sealed(object)
  wanted <- c(list(se = check_flag(se.fit, "se.fit")),
              read_interval(interval, level, object, parent.frame(), posterior_kinds))
  if (!missing(newdata) && is_source(newdata)) {
    return(predict_source(with_intervals(object, type, wanted), newdata, list(
      domain = domain, reference = reference, reference_domain = reference_domain,
      new_levels = new_levels
    ), list(type = type, se.fit = se.fit, interval = wanted$interval, level = level), ...))
  }
  check_predict_dots(list(...), predict.dg_gp)
  type <- check_type(type, object)
  if (type == "support") {
    return(row_support(object, newdata, domain, reference, reference_domain, new_levels))
  }
  if (wanted$interval %in% prediction_kinds[-1L]) {
    asked <- list(newdata = if (!missing(newdata)) newdata, domain = domain, reference = reference,
                  reference_domain = reference_domain, new_levels = new_levels)
    return(prediction_interval(object, asked, wanted))
  }
  with_variance <- wanted$se || wanted$interval != "none"
  values <- if (missing(newdata)) {
    pad_rows(if (with_variance) mean_and_variance(object, NULL) else object$decision, object)
  } else {
    decide(object, newdata, domain, reference, reference_domain, new_levels,
           if (with_variance) mean_and_variance else decision)
  }
  fit <- respond(object$response, values[, 1L, drop = FALSE], type)
  if (!with_variance) return(fit)
  describe_prediction(learner_of(object), fit, values[, 2L], wanted)
}

# variance: of f, for the standardised response.
describe_prediction <- function(object, fit, variance, wanted) {
  se <- sqrt(variance) * object$response$scale
  noise <- object$noise * object$response$scale
  if (wanted$interval != "none") {
    deviation <- if (wanted$interval == "posterior") sqrt(se^2 + noise^2) else se
    half <- stats::qnorm((1 + wanted$level) / 2) * deviation
    fit <- data.frame(fit = fit, lower = fit - half, upper = fit + half)
  }
  if (wanted$se) list(fit = fit, se.fit = se, residual.scale = noise) else fit
}

# The predictive distribution of f at rows, NULL: those of training as they were in training:
# list(mean, var), or list(draws [rows x draws]) of responses.
posterior <- function(object, rows = NULL, draws = 0L) UseMethod("posterior")

mean_and_variance <- function(object, rows) {
  found <- posterior(object, rows)
  cbind(found$mean, found$var)
}

#' @exportS3Method
posterior.dg_gp <- function(object, rows = NULL, draws = 0L) {
  seen <- if (is.null(rows)) old_rows(object) else new_rows(object, rows)
  if (draws > 0L) return(list(draws = gp_draws(object$product, object, seen, draws)))
  gp_moments(object$product, object, seen)
}

# The rows with what is known of their domains: table, see domain_table(); own: kappa(P, P) of each;
# judges: the rows that describe them.
new_rows <- function(object, rows) {
  product <- object$product
  if (!uses_domain(product$domain_kernel)) return(rows)
  rows$judges <- judging_rows(product, rows)
  rows$table <- domain_table(product, rows$judges)
  rows$own <- domain_own(product$domain_kernel, rows$judges)
  rows
}

old_rows <- function(object) {
  product <- object$product
  if (is.null(product$X)) {
    abort("argument", "`newdata` must be given: a model with `", class(product$features)[1L],
          "()` keeps no training rows.")
  }
  kappa <- unname(product$domain_kernel$kappa)
  list(X = product$X, domain = object$domain, table = kappa,
       own = if (!is.null(kappa)) diag(kappa), among = kappa)
}

# list(mean, var) of f at rows made by new_rows().
gp_moments <- function(product, object, rows) UseMethod("gp_moments")

by_blocks <- function(rows, columns, moments) {
  parts <- lapply(blocks_of_rows(nrow(rows$X), columns), function(i) moments(rows_at(rows, i)))
  list(mean = unlist(lapply(parts, `[[`, "mean")), var = unlist(lapply(parts, `[[`, "var")))
}

#' @exportS3Method
gp_moments.gram_space <- function(product, object, rows) {
  if (nrow(rows$X) == 0L) return(list(mean = numeric(), var = numeric()))
  factor <- gp_factor(object)
  by_blocks(rows, nrow(factor$A), function(rows) {
    cross <- gp_cross(product, object, rows)
    left <- own_variance(product, rows) - colSums(backsolve(factor$A, cross, transpose = TRUE)^2)
    list(mean = crossprod(cross, factor$alpha), var = object$signal^2 * pmax(left, 0))
  })
}

# k(training rows, X) kappa, [used training rows x rows].
gp_cross <- function(product, object, rows) {
  used <- object$weights > 0
  Z <- take_used(product$X, used)
  kappa <- rows$table
  values <- kernel_cross_(kernel_program(product$kernel, Z, rows$X), Z, rows$X,
                          if (!is.null(kappa)) t(kappa),
                          if (!is.null(kappa)) as.integer(product$domain)[used],
                          if (!is.null(kappa)) as.integer(rows$domain), product$threads)
  check_overflow(c(min(values), max(values)), product$kernel)
  values
}

# kappa(P, P) k(x, x): the prior variance over s^2.
own_variance <- function(product, rows) {
  own <- kernel_own(product$kernel, rows$X)
  if (is.null(rows$own)) own else own * rows$own[as.integer(rows$domain)]
}

#' @exportS3Method
gp_moments.feature_space <- function(product, object, rows) {
  if (nrow(rows$X) == 0L) return(list(mean = numeric(), var = numeric()))
  by_blocks(rows, product$dim, function(rows) {
    at <- feature_moments_at(product, object, rows)
    list(mean = at$Z %*% object$coefficients, var = rowSums((at$Z %*% object$spread)^2) + at$left)
  })
}

# list(Z: features, left: the prior variance that they do not have).
feature_moments_at <- function(product, object, rows) {
  Z <- features_at(product, rows, rows$table)
  left <- object$signal^2 * pmax(own_variance(product, rows) - rowSums(Z^2), 0)
  list(Z = Z, left = left)
}

# What a chain ends in, and what was adapted.
learner_of <- function(object) UseMethod("learner_of")

#' @exportS3Method
learner_of.default <- function(object) object

#' @exportS3Method
learner_of.dg_chain <- function(object) object$learner

#' @exportS3Method
learner_of.dg_adapted <- function(object) learner_of(object$base)

# A chain predicts as its learner does: standard errors where it ends in a Gaussian process.
#' @rdname predict.dg_gp
#' @export
predict.dg_chain <- function(object, ...) {
  check_sealed(object)
  if (has_posterior(object)) predict.dg_gp(object, ...) else NextMethod()
}

has_posterior <- function(object) inherits(learner_of(object), "dg_gp")
