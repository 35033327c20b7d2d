# Fits of domain_learner() in a workflow or alone, for functions of this package that take fits and
# specifications: the fit of this package inside, whose blueprint has the workflow's preprocessing,
# and a specification that fits the whole workflow.

# ---- fits -------------------------------------------------------------------------------------

#' @exportS3Method
inner_fit.model_fit <- function(model) {
  if (inherits(model$fit, "dg_fit")) return(model$fit)
  abort("argument", "`object` must be a fit of `domain_learner()`, not of `", class(model$spec)[1L],
        "()` with the engine \"", model$spec$engine, "\".")
}

#' @exportS3Method
inner_fit.workflow <- function(model) {
  if (!isTRUE(model$trained)) {
    abort("argument", "`object` must be a fitted workflow: fit it with fit() first.")
  }
  if (length(model$post$actions)) {
    abort("argument", "`object` must be a workflow without a postprocessor, which changes ",
          "predictions after the model.")
  }
  fitted <- check_sealed(inner_fit(model$fit$fit))
  mold <- model$pre$mold
  fitted$blueprint$before <- workflow_rows(mold$blueprint, fitted$blueprint)
  fitted$blueprint$response_name <- paste(names(mold$outcomes), collapse = ", ")
  seal(fitted)
}

# What preprocess() takes. blueprint: of hardhat; inner: of the model.
workflow_rows <- function(blueprint, inner) {
  domain <- inner$domain_columns
  if (!is.null(blueprint$domain_column)) domain <- blueprint$domain_column
  # effects are computed between whole numbers, too
  ptypes <- blueprint$ptypes$predictors <- integers_as_doubles(blueprint$ptypes$predictors)
  if (!is.null(blueprint$recipe$ptype)) {
    blueprint$recipe$ptype <- integers_as_doubles(blueprint$recipe$ptype)
  }
  steps <- Filter(function(step) {
    inherits(step, "projectionstep") && !is.null(step$res) && uses_other_rows(step$res)
  }, blueprint$recipe$steps)
  structure(list(
    blueprint = foreign(blueprint), columns = setdiff(names(ptypes), domain), domain = domain,
    losing = inner$losing,
    levels = lapply(Filter(is.factor, ptypes), levels),
    moving = vapply(steps, function(step) class(step)[1L], "")
  ), class = "workflow_rows")
}

#' @exportS3Method
preprocess.workflow_rows <- function(before, newdata) {
  predictors <- hardhat::forge(newdata, before$blueprint$object)$predictors
  check_domains_kept(before$losing, predictors)
  if (nrow(predictors) == nrow(newdata)) return(predictors)
  abort("data", "The workflow must keep all rows that are predicted, not ", nrow(predictors),
        " of ", nrow(newdata), ".")
}

#' @exportS3Method
set_reference.model_fit <- function(object, newdata, domain = NULL, ...) {
  object$fit <- set_reference(inner_fit(object), newdata, domain)
  object
}

#' @exportS3Method
set_reference.workflow <- function(object, newdata, domain = NULL, ...) {
  fitted <- inner_fit(object)
  check_row_by_row(fitted)
  check_describing(newdata, domain)
  if (!is.character(newdata)) newdata <- preprocess(fitted$blueprint$before, newdata)
  object$fit$fit <- set_reference(object$fit$fit, newdata, domain)
  object
}

has_domain_learner <- function(workflow) {
  inherits(workflows::extract_spec_parsnip(workflow), "domain_learner")
}

# ---- inside the call of a workflow ------------------------------------------------------------

# The frames of calls of functions of these packages, the first call first, named by package.
frames_of <- function(packages) {
  frames <- as.list(sys.frames())
  homes <- vapply(seq_along(frames), function(i) {
    home <- environment(sys.function(i))
    if (is.null(home)) "" else environmentName(topenv(home))
  }, "")
  stats::setNames(frames, homes)[homes %in% packages]
}

# NULL outside of a workflow. tune, too, fits by functions of workflows that have this argument.
workflow_being_fitted <- function() {
  for (frame in rev(frames_of("workflows"))) if (!is.null(frame$workflow)) return(frame$workflow)
}

# domain: of rows that are held out, or NULL; remedy: folds that do not split domains.
warn_split <- function(model, domain, remedy) {
  if (is.null(domain)) return(invisible())
  shared <- intersect(levels(as_groups(domain)), levels(model$domain))
  if (length(shared)) {
    warn("split_domains", "Held-out rows are of ", plural(length(shared), "domain"), " of training",
         ": scores are those of known domains. For scores on new domains, use `", remedy, "`.")
  }
}

# Does the blueprint of a workflow replace new domains by missing values? data: what its model gets.
loses_new_domains <- function(workflow, domain, data) {
  blueprint <- workflow$pre$mold$blueprint
  before <- blueprint$ptypes$predictors[[domain]]
  # recipes make factors with the levels of training of text
  is.factor(data[[domain]]) && (is.character(before) || !isTRUE(blueprint$allow_novel_levels))
}

# domain: the column of which values may be lost, or NULL; predictors: what the model gets.
check_domains_kept <- function(domain, predictors) {
  lost <- if (!is.null(domain)) sum(is.na(predictors[[domain]])) else 0L
  if (lost == 0L) return(invisible())
  abort("role", "The domain of ", plural(lost, "row"), " was lost before the model: the workflow ",
        "replaces values of `", domain, "` that training did not have by missing values. ",
        role_advice, " With add_formula() or add_variables(), give a blueprint with ",
        "`allow_novel_levels = TRUE`.")
}

role_advice <- paste(
  "In a workflow with a recipe, give the column the role \"domain\" and use",
  "`add_recipe(blueprint = domain_blueprint())`, without `domain`; for a set of workflows, see",
  "?domain_blueprint."
)

# ---- specifications ---------------------------------------------------------------------------

#' @exportS3Method
inner_spec.model_fit <- inner_fit.model_fit

#' @exportS3Method
inner_spec.workflow <- function(object) {
  need_package("workflows", "A workflow")
  model <- workflows::extract_spec_parsnip(object)
  if (!has_domain_learner(object)) {
    abort("argument", "A workflow must have the model `domain_learner()`, not `", class(model)[1L],
          "()`.")
  }
  inner <- get(parsnip_engines()[[model$engine]]$method, mode = "function")()
  # its own case weights are a column of the data
  row <- list(title = paste(method_of(inner)$title, "in a workflow"), weights = FALSE)
  spec <- new_spec("workflow", "dg_workflow_spec", list(engine = model$engine), row)
  spec[c("workflow", "inner", "mode")] <- list(object, inner, model$mode)
  spec
}

#' @exportS3Method
spec_needs.dg_workflow_spec <- function(spec) list(response = "open", domain = FALSE)

# Of classes most engines have probabilities by parsnip's default.
#' @exportS3Method
spec_gives.dg_workflow_spec <- function(spec, classes = NULL) {
  union(spec_gives(spec$inner, classes), if (spec$mode == "classification") "prob")
}

# Each fit learns the preprocessing too, from its own rows.
#' @exportS3Method
fit_input.dg_workflow_spec <- function(spec, input, shared = NULL) {
  need_package("workflows", "A workflow")
  data <- input$data
  # as the recipe knows them, see cv_task()
  data[input$text] <- lapply(data[input$text], as.character)
  fitted <- generics::fit(spec$workflow, data = data)
  check_outcome(fitted$pre$mold$outcomes, input)
  model <- inner_fit(fitted)
  model$spec$row <- with_entries(method_of(model$spec), title = method_of(spec)$title)
  seal(model)
}

# The response of the formula, by which predictions are scored.
check_outcome <- function(outcomes, input) {
  y <- if (!is.null(input$y)) input$y
       else evaluate(input$parts$response, input$data, environment(input$parts$bare), "formula")
  plain <- function(v) if (is.factor(v)) as.character(v) else as.vector(unclass(v))
  if (length(outcomes) == 1L && isTRUE(all.equal(plain(outcomes[[1L]]), plain(y)))) return()
  abort("argument", "A workflow must predict the response of the formula, not ",
        enumerate(names(outcomes)), ".")
}
