# Integration with iml.

# Called once for each Predictor, with its model.
#' @exportS3Method iml::inferTaskFromModel
inferTaskFromModel.dg_learner <- function(model) {
  warn_moving(model, "iml makes up rows")
  if (model$response$kind == "class") "classification" else "regression"
}

# For classes probabilities, if the model has them and no other type is asked for; iml turns classes
# into columns of 0 and 1.
#' @exportS3Method iml::create_predict_fun2
create_predict_fun2.dg_learner <- function(model, task, predict.fun = NULL, type = NULL) {
  if (is.null(type) && task == "classification" && gives_probabilities(model)) type <- "prob"
  NextMethod()
}

# From the formula without the domain.
#' @exportS3Method iml::find_y
find_y.dg_fit <- function(mod) find_response.dg_fit(mod)
