# Fits of parsnip, alone or in a workflow, whose domains are described once and for all, and what
# they say to tools that make up rows.

#' @exportS3Method
fix_reference.model_fit <- function(model, rows, domain = NULL) {
  model$fit <- fix_reference(model$fit, rows, domain)
  model
}

# The rows go through what comes before the model, as those that are predicted.
#' @exportS3Method
fix_reference.workflow <- function(model, rows, domain = NULL) {
  if (!isTRUE(model$trained)) {
    abort("argument", "`model` must be a fitted workflow: give it data with fit() first.")
  }
  check_describing(rows, domain)
  if (!is.character(rows)) rows <- hardhat::forge(rows, model$pre$mold$blueprint)$predictors
  model$fit$fit <- fix_reference(model$fit$fit, rows, domain)
  model
}

# Packages that hand a model rows which nobody observed.
explaining_packages <- c("DALEX", "DALEXtra", "ingredients", "iBreakDown", "iml", "pdp", "vip",
                         "vetiver", "fastshap", "kernelshap", "hstats", "flashlight", "lime")

# These ask a bare model about itself. A workflow is asked nothing, and is here when it predicts:
# parsnip calls this before each prediction. A function of theirs is told once.
warn_explained <- function(new_data, object) {
  if (!inherits(object$fit, "dg_fit")) return(new_data)
  for (i in seq_len(sys.nframe())) {
    home <- environment(sys.function(i))
    package <- if (!is.null(home)) environmentName(topenv(home))
    if (!any(package %in% explaining_packages)) next
    frame <- sys.frame(i)
    if (is.null(frame$.domgen_told)) {
      frame$.domgen_told <- TRUE
      warn_moving(object$fit, paste(package, "makes up rows"))
    }
    break
  }
  new_data
}

# marginaleffects muffles what predictions warn of, and asks any model about itself; it has no such
# method for those of tidymodels.
#' @exportS3Method marginaleffects::sanitize_model_specific
sanitize_model_specific.workflow <- function(model, ...) {
  tell_marginaleffects(model$fit$fit)
  model
}

#' @exportS3Method marginaleffects::sanitize_model_specific
sanitize_model_specific.model_fit <- function(model, ...) {
  tell_marginaleffects(model)
  model
}

tell_marginaleffects <- function(model) {
  if (inherits(model$fit, "dg_fit")) warn_moving(model$fit, "marginaleffects makes up rows")
}
