# Predictors of iml.

# Called once for each Predictor, with the model that it is given.
#' @exportS3Method iml::inferTaskFromModel
inferTaskFromModel.dg_learner <- function(model) {
  warn_moving(model, "iml makes up rows")
  if (model$response$kind == "class") "classification" else "regression"
}

# Of classes the probabilities where there are some, unless another type is asked for; iml makes
# columns of 0 and 1 of what is a class.
#' @exportS3Method iml::create_predict_fun2
create_predict_fun2.dg_learner <- function(model, task, predict.fun = NULL, type = NULL) {
  if (is.null(type) && task == "classification" && gives_probabilities(model)) type <- "prob"
  NextMethod()
}

# Of the formula without the domain.
#' @exportS3Method iml::find_y
find_y.dg_fit <- function(mod) find_response.dg_fit(mod)
