# Integration with marginaleffects: predictions, slopes and comparisons, with
# options(marginaleffects_model_classes = "dg_fit"), and of "dg_coefficients" hypotheses().

# Called once by each of its functions, with the model.
#' @exportS3Method marginaleffects::sanitize_model_specific
sanitize_model_specific.dg_fit <- function(model, ...) {
  warn_moving(model, "marginaleffects makes up rows")
  model
}

# The default method would turn classes into the numbers of their levels.
#' @exportS3Method marginaleffects::get_predict
get_predict.dg_learner <- function(model, newdata, type = "response", ...) {
  values <- if (is.null(type) || type == "response") tool_values(model, newdata)
            else stats::predict(model, newdata, type = type)
  if (is.factor(values)) {
    abort("argument", "`type` must be \"response\", \"prob\", \"decision\" or \"similarity\", not ",
          "\"", type, "\": estimates must be numeric.")
  }
  id <- if (is.null(newdata$rowid)) seq_len(nrow(newdata)) else newdata$rowid
  if (!is.matrix(values)) return(data.frame(rowid = id, estimate = as.numeric(values)))
  classes <- colnames(values)
  data.frame(rowid = rep(id, ncol(values)),
             group = factor(rep(classes, each = nrow(values)), classes),
             estimate = as.vector(values))
}

# Models have no covariance matrix of coefficients.
#' @exportS3Method marginaleffects::get_vcov
get_vcov.dg_fit <- function(model, vcov = NULL, ...) {
  if (!is.null(vcov) && !is.logical(vcov)) {
    abort("argument", "`vcov` must not be given: the model has no covariance matrix of ",
          "coefficients, so there are no standard errors.")
  }
  NULL
}

#' @exportS3Method marginaleffects::get_coef
get_coef.dg_coefficients <- function(model, ...) stats::coef(model)

# The jackknife's unless another is given.
#' @exportS3Method marginaleffects::get_vcov
get_vcov.dg_coefficients <- function(model, vcov = NULL, ...) {
  if (is.matrix(vcov)) return(vcov)
  if (!is.null(vcov) && !is.logical(vcov)) {
    abort("argument", "`vcov` must be a matrix, TRUE (the jackknife over domains) or FALSE, not ",
          describe(vcov), ".")
  }
  if (!isFALSE(vcov)) stats::vcov(model)
}

#' @exportS3Method marginaleffects::set_coef
set_coef.dg_coefficients <- function(model, coefs, ...) {
  model$coefficients[] <- coefs
  model
}
