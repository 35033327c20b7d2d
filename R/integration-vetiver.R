# Integration with vetiver: description of a model, rows that it takes, predictions.

#' @exportS3Method vetiver::vetiver_create_description
vetiver_create_description.dg_fit <- function(model) {
  paste0(method_of(model$spec)$title, " (domgen)", describe_formula(model), "; ",
         plural(stats::nobs(model), "row"), ", ", plural(nlevels(model$domain), "domain"))
}

#' @exportS3Method vetiver::vetiver_create_meta
vetiver_create_meta.dg_fit <- function(model, metadata) {
  vetiver::vetiver_meta(metadata, required_pkgs = "domgen")
}

# The predictors as in training, and the domain as text if predictions need it.
#' @exportS3Method vetiver::vetiver_ptype
vetiver_ptype.dg_fit <- function(model, ...) {
  blueprint <- model$blueprint
  columns <- as.list(blueprint$prototype)
  if (blueprint$kind == "matrix") {
    names <- design_columns(blueprint)
    columns <- stats::setNames(rep(list(numeric()), length(names)), names)
  }
  needs <- uses_other_rows(model) && length(blueprint$described) != 1L
  for (name in if (needs) blueprint$domain_columns) columns[[name]] <- character()
  tibble::as_tibble(columns)
}

#' @exportS3Method vetiver::vetiver_prepare_model
vetiver_prepare_model.dg_fit <- function(model) {
  warn_moving(model, "A deployed model gets rows one by one")
  slim_parts(model, function(part) without_call(without_fitted(without_data(part))))
}

# predict() checks names and types, with messages.
#' @exportS3Method vetiver::handler_predict
handler_predict.dg_fit <- function(vetiver_model, ...) {
  force(vetiver_model)
  function(req) {
    data <- vetiver::vetiver_type_convert(req$body, vetiver_model$prototype)
    predicted <- stats::predict(vetiver_model$model, as.data.frame(data), ...)
    list(.pred = if (is.matrix(predicted)) as.data.frame(predicted) else predicted)
  }
}
