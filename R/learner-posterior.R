# Learners with a posterior: values, variances and draws of f, and what predict() makes of them.

# The predictive distribution of f at new rows: list(mean, var), or list(draws [rows x draws]) of
# responses. new = NULL: at the training rows, in their own domains.
posterior <- function(object, new = NULL, draws = 0L) UseMethod("posterior")

mean_and_variance <- function(object, new) {
  moments <- posterior(object, new)
  cbind(moments$mean, moments$var)
}

has_posterior <- function(object) inherits(learner_of(object), "dg_gp")

# se: of f, for the standardised response.
with_deviations <- function(object, fit, se, asked) {
  se <- se * object$response$scale
  noise_sd <- object$noise_sd * object$response$scale
  if (asked$interval != "none") {
    deviation <- if (asked$interval == "posterior") sqrt(se^2 + noise_sd^2) else se
    half <- stats::qnorm((1 + asked$level) / 2) * deviation
    fit <- data.frame(fit = fit, lower = fit - half, upper = fit + half)
    if (asked$interval == "posterior") fit <- cut_to_range(fit, c(lowest_response(object$y), Inf))
  }
  if (asked$se) list(fit = fit, se.fit = se, residual.scale = noise_sd) else fit
}
