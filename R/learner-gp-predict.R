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
#' `predict(se.fit = TRUE)` gives a list with `fit` (a vector, or with `interval` a data frame),
#' `se.fit`, the standard deviations of f, and `residual.scale`, that of the noise, all in units of
#' the response. `interval = "confidence"` is for f and `"posterior"` for the response of a row of
#' weight 1; both assume that the model is right. The other intervals are for responses in new
#' domains, whatever their distribution, see [set_intervals()]. A [dg_pipeline()] that ends in a
#' [dg_gp()], and the result of [dg_adapt()] for one, predict in the same way.
#'
#' @inheritParams predict.dg_learner
#' @param object A [dg_gp()].
#' @param ... Must be empty.
#' @section Errors:
#' Those of [predict.dg_learner()]; a `level` outside (0, 1); joint draws for so many rows that
#' their covariance matrix is over the memory limit ([domgen-package]).
#' @examples
#' toy <- simulate_dica(domains = 5, n = 20, seed = 1)
#' train <- subset(toy, domain != levels(domain)[5])
#' new <- subset(toy, domain == levels(domain)[5])
#' model <- dg_gp(y ~ . | domain, data = train, restarts = 1)
#' head(predict(model, new, interval = "posterior"))
#' predict(model, new[1:3, ], se.fit = TRUE, reference = new)$se.fit
#' simulate(model, nsim = 2, seed = 1, newdata = new[1:3, ], reference = new)
#' @name predict.dg_gp
NULL

# se: of f, for the standardised response.
with_deviations <- function(object, fit, se, asked) {
  se <- se * object$response$scale
  noise_sd <- object$noise_sd * object$response$scale
  if (asked$interval != "none") {
    deviation <- if (asked$interval == "posterior") sqrt(se^2 + noise_sd^2) else se
    half <- stats::qnorm((1 + asked$level) / 2) * deviation
    fit <- data.frame(fit = fit, lower = fit - half, upper = fit + half)
  }
  if (asked$se) list(fit = fit, se.fit = se, residual.scale = noise_sd) else fit
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
  if (draws > 0L) return(list(draws = gp_draws(object$space, object, seen, draws)))
  gp_moments(object$space, object, seen)
}

# The rows with what is known of their domains: table, see domain_table(); own: kappa(P, P) of each;
# members: the rows that describe them.
new_rows <- function(object, rows) {
  space <- object$space
  if (!uses_domain(space$domain_kernel)) return(rows)
  rows$members <- domain_members(space, rows)
  rows$table <- domain_table(space, rows$members)
  rows$own <- domain_own(space$domain_kernel, rows$members)
  rows
}

old_rows <- function(object) {
  space <- object$space
  if (is.null(space$X)) {
    abort("argument", "`newdata` must be given: a model with `", class(space$feature_map)[1L],
          "()` keeps no training rows.")
  }
  kappa <- unname(space$domain_kernel$kappa)
  list(X = space$X, domain = object$domain, table = kappa,
       own = if (!is.null(kappa)) diag(kappa), among = kappa)
}

# list(mean, var) of f at rows made by new_rows().
gp_moments <- function(space, object, rows) UseMethod("gp_moments")

by_blocks <- function(rows, columns, moments) {
  parts <- lapply(blocks_of_rows(nrow(rows$X), columns), function(i) moments(rows_at(rows, i)))
  list(mean = unlist(lapply(parts, `[[`, "mean")), var = unlist(lapply(parts, `[[`, "var")))
}

#' @exportS3Method
gp_moments.gram_space <- function(space, object, rows) {
  if (nrow(rows$X) == 0L) return(list(mean = numeric(), var = numeric()))
  factor <- gp_factor(object)
  by_blocks(rows, nrow(factor$A), function(rows) {
    cross <- gp_cross(space, object, rows)
    left <- own_variance(space, rows) - colSums(backsolve(factor$A, cross, transpose = TRUE)^2)
    list(mean = crossprod(cross, factor$alpha), var = object$signal_sd^2 * pmax(left, 0))
  })
}

# k(training rows, X) kappa, [used training rows x rows].
gp_cross <- function(space, object, rows) {
  used <- object$weights > 0
  Z <- take_used(space$X, used)
  kappa <- rows$table
  values <- kernel_cross_(kernel_program(space$kernel, Z, rows$X), Z, rows$X,
                          if (!is.null(kappa)) t(kappa),
                          if (!is.null(kappa)) as.integer(space$domain)[used],
                          if (!is.null(kappa)) as.integer(rows$domain), space$threads)
  check_overflow(c(min(values), max(values)), space$kernel)
  values
}

# kappa(P, P) k(x, x): the prior variance over s^2.
own_variance <- function(space, rows) {
  own <- kernel_own(space$kernel, rows$X)
  if (is.null(rows$own)) own else own * rows$own[as.integer(rows$domain)]
}

#' @exportS3Method
gp_moments.feature_space <- function(space, object, rows) {
  if (nrow(rows$X) == 0L) return(list(mean = numeric(), var = numeric()))
  by_blocks(rows, space$dim, function(rows) {
    at <- feature_moments_at(space, object, rows)
    list(mean = at$Z %*% object$coefficients, var = rowSums((at$Z %*% object$spread)^2) + at$left)
  })
}

# list(Z: features, left: the prior variance that they do not have).
feature_moments_at <- function(space, object, rows) {
  Z <- features_at(space, rows, rows$table)
  left <- object$signal_sd^2 * pmax(own_variance(space, rows) - rowSums(Z^2), 0)
  list(Z = Z, left = left)
}

# What a pipeline ends in, and what was adapted.
learner_of <- function(object) UseMethod("learner_of")

#' @exportS3Method
learner_of.default <- function(object) object

#' @exportS3Method
learner_of.dg_pipeline <- function(object) object$learner

#' @exportS3Method
learner_of.dg_adapted <- function(object) learner_of(object$base)

has_posterior <- function(object) inherits(learner_of(object), "dg_gp")
