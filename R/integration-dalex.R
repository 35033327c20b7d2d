# Integration with DALEX.

#' @exportS3Method DALEX::yhat
yhat.dg_learner <- function(X.model, newdata, ...) {
  target <- attr(X.model, "predict_function_target_column")
  if (is.null(target)) {
    values <- tool_values(X.model, newdata, ...)
    # with more than two classes, a named column for each
    return(if (is.matrix(values)) values else unname(values))
  }
  unname(stats::predict(X.model, newdata, type = "prob", ...)[, target])
}

# Called once for each explainer, with its model. The name differs from the generic because insight
# has a generic of the same name.
#' @rawNamespace S3method(DALEX::model_info,dg_learner,dalex_model_info)
dalex_model_info <- function(model, is_multiclass = FALSE, ...) {
  warn_moving(model, "DALEX makes up rows")
  classes <- length(model$response$levels)
  type <- if (classes == 0L) "regression" else if (classes == 2L) "classification"
          else "multiclass"
  structure(list(package = "domgen", ver = as.character(utils::packageVersion("domgen")),
                 type = type), class = "model_info")
}
