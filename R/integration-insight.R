# Integration with insight: the parts of a model under insight's names. The domain groups the rows,
# so it is `random`; the predictors are `conditional`.

#' @exportS3Method insight::find_formula
find_formula.dg_fit <- function(x, verbose = TRUE, ...) {
  if (is.null(x$formula)) return(NULL)
  parts <- split_formula(fitted_formula(x))
  bare <- parts$bare
  if ("." %in% variables_of(bare)) {
    bare[[length(bare)]] <- stats::formula(stats::terms(x))[[2L]]
  }
  formulas <- list(conditional = bare)
  if (!is.null(parts$domain)) {
    group <- paste(variables_of(parts$domain), collapse = ":")
    formulas$random <- stats::as.formula(paste("~ 1 |", paste0("`", group, "`")), environment(bare))
    if (is.name(parts$domain)) formulas$random[[2L]][[3L]] <- parts$domain
  }
  structure(formulas, class = c("insight_formula", "list"))
}

# insight's own method needs another package to read a bar. For a matrix, the names of its columns.
#' @exportS3Method insight::find_predictors
find_predictors.dg_fit <- function(x, effects = "fixed", component = "all", flatten = FALSE,
                                   verbose = TRUE, ...) {
  blueprint <- x$blueprint
  predictors <- list(conditional = if (is.null(x$formula)) design_columns(blueprint)
                              else names(blueprint$prototype),
                     random = domain_variables(x))
  wanted <- switch(effects, fixed = "conditional", random = "random", names(predictors))
  predictors <- Filter(Negate(is.null), predictors[wanted])
  if (length(predictors) == 0L) return(NULL)
  if (flatten) unique(unlist(predictors, use.names = FALSE)) else predictors
}

#' @exportS3Method insight::find_random
find_random.dg_fit <- function(x, split_nested = FALSE, flatten = FALSE) {
  names <- domain_variables(x)
  if (is.null(names)) return(NULL)
  if (!split_nested) names <- paste(names, collapse = ":")
  if (flatten) names else list(random = names)
}

domain_variables <- function(x) {
  domain <- if (!is.null(x$formula)) split_formula(x$formula)$domain
  if (!is.null(domain)) variables_of(domain)
}

#' @exportS3Method insight::find_response
find_response.dg_fit <- function(x, combine = TRUE, ...) {
  if (is.null(x$formula)) return(NULL)
  response <- split_formula(x$formula)$response
  if (is.null(response)) return(NULL)
  if (combine) code_text(response) else variables_of(response)
}

# As for a model with normal errors, or a binomial one, without what its link implies.
#' @exportS3Method insight::model_info
model_info.dg_fit <- function(x, verbose = TRUE, ...) {
  if (is.null(x$response)) return(NULL)
  classes <- length(x$response$levels)
  like <- data.frame(y = c(0, 1, 0, 1), x = c(1, 1, 2, 2))
  like <- if (classes == 0L) stats::lm(y ~ x, like) else stats::glm(y ~ x, stats::binomial(), like)
  info <- insight::model_info(like, verbose = FALSE)
  info$is_logit <- info$is_bernoulli <- FALSE
  info$link_function <- "identity"
  info$is_mixed <- FALSE
  if (classes > 2L) {
    info$is_binomial <- FALSE
    info$is_categorical <- info$is_multinomial <- TRUE
    info$family <- "multinomial"
  }
  info$n_obs <- stats::nobs(x)
  info$model_terms <- find_response.dg_fit(x)
  info
}

#' @exportS3Method insight::get_predicted
get_predicted.dg_fit <- function(x, data = NULL, predict = "expectation", ci = NULL, ...) {
  if (is.null(data)) data <- insight::get_data(x, verbose = FALSE)
  if (is.null(data)) {
    abort("argument", "`data` must be given: the data of the model's call are not there.")
  }
  kinds <- c("expectation", "response", "prediction", "link", "classification")
  predict <- check_choice(predict, "predict", kinds)
  interval <- NULL
  values <- if (is.null(x$response)) stats::predict(x, data, ...)
            else if (predict == "classification") stats::predict(x, data, type = "class", ...)
            else if (predict == "link") stats::predict(x, data, type = "decision", ...)
            else tool_values(x, data, ...)
  if (!is.null(ci)) {
    if (!has_posterior(x)) {
      abort("argument", "`ci` must be NULL: only a model that is or ends in `dg_gp()` has ",
            "intervals of its own.")
    }
    kind <- if (predict == "prediction") "posterior" else "confidence"
    predicted <- stats::predict(x, data, se.fit = TRUE, level = ci, ..., interval = kind)
    interval <- data.frame(SE = predicted$se.fit, CI_low = predicted$fit$lower,
                           CI_high = predicted$fit$upper)
  }
  # a line for each row and class or component
  if (is.matrix(values)) {
    values <- data.frame(Row = rep(seq_len(nrow(values)), ncol(values)),
                         Response = rep(colnames(values), each = nrow(values)),
                         Predicted = as.vector(values))
  }
  structure(values, ci_data = interval, data = data, ci = ci, predict = predict,
            class = c("get_predicted", class(values)))
}
