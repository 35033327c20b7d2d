# Integration with mlr3 and mlr3pipelines: registration when they are loaded (repeating it changes
# nothing), tasks and parameters. Learners, measures, resamplings and PipeOps have their own files.

#' Integration with mlr3
#'
#' @description
#' When mlr3 is loaded, before or after domgen, its dictionaries contain learners, a resampling and
#' measures of domgen; with mlr3pipelines also projections as PipeOps. Fits and predictions are the
#' same as with the functions of domgen.
#'
#' | key | domgen |
#' |---|---|
#' | `lrn("regr.domgen_svm")`, `lrn("classif.domgen_svm")` | [dg_svm()] |
#' | `lrn("regr.domgen_ridge")`, `lrn("classif.domgen_ridge")` | [dg_ridge()] |
#' | `lrn("regr.domgen_glm")`, `lrn("classif.domgen_glm")` | [dg_glm()], its `family` a parameter |
#' | `lrn("regr.domgen_gp")` | [dg_gp()], with standard errors and quantiles |
#' | `lrn("regr.domgen_auto")`, `lrn("classif.domgen_auto")` | [dg_auto()] |
#' | `lrn("regr.domgen")`, `lrn("classif.domgen")` | any specification: parameter `spec` |
#' | `rsmp("domain_cv")` | [domain_folds()] of the task's domains |
#' | `msr("regr.domain_rmse")` and others | a `metric` of [dg_cv()], by domain |
#' | `as_resampling(folds, task)` | folds of [domain_folds()] or [row_folds()] |
#' | `po("domain_dica")` and others | [dg_dica()] and other projections |
#'
#' * A specification is a method without data: [dg_pipeline()], [dg_tune()], [dg_ensemble()],
#'   [dg_forest()], [learner_custom()].
#' * `rsmp("domain_cv")` has the parameters `folds` (default: one domain at a time), `repeats` and
#'   `balance`.
#' * PipeOps replace the features by components: `domain_dica`, `domain_udica`, `domain_coir`,
#'   `domain_kpca`, `domain_dcm`, `domain_tca`, `domain_sca`, `domain_mda`, `domain_cidg`,
#'   `domain_kfd`, without the arguments `target` and `unlabelled`.
#'
#' @section Domain:
#' The domain is the column with the role `domain`, which domgen adds to the roles of mlr3:
#' `task$set_col_roles("school", roles = "domain")`. With several such columns, a domain is a
#' combination of their values. Without one, the column with the role `group` is used, whose rows
#' mlr3's own resamplings keep together; a column may have both roles,
#' `roles = c("domain", "group")`. A task only has the roles that existed when it was made. So load
#' domgen first, or for an older task use `task$set_col_roles("school", roles = "group")`.
#'
#' `po("learner_cv")`, and stacking with it, keeps the rows of a domain in one fold. mlr3's
#' resamplings only use the role `group`; use `rsmp("domain_cv")` for domains. Resamplings that
#' split domains estimate scores on known domains and give a warning of class
#' `domgen_warning_split_domains`, unless they are `rsmp("custom")` or `rsmp("custom_cv")`.
#'
#' New data for `$predict_newdata()` need the domain column if the model uses a domain's other rows
#' (`domain_kernel`, `scale = "domain"`); otherwise there is an error. The prediction for a row then
#' depends on the rows of its domain that are predicted together, as in [predict.dg_learner()]. The
#' parameter `reference` takes further rows, with the domain column, or `"training"`. With
#' `parallel_predict = TRUE` mlr3 splits rows without regard to domains: then give a `reference`.
#'
#' @section Parameters:
#' Parameters are the arguments of the functions, with their defaults. mlr3 sorts features by name,
#' so one `bandwidth` per predictor has the order of `task$feature_names`. Kernels and feature maps
#' are tuned as objects:
#' `kernel = to_tune(p_dbl(0.1, 10, trafo = function(x) kernel_rbf(bandwidth_factor = x)))`.
#'
#' | further parameter | meaning | default |
#' |---|---|---|
#' | `na.action` | missing values, in training; learners | [na.impute()]: every row is predicted |
#' | `na.action` | the same, PipeOps | `na.exclude`: missing components |
#' | `reference`, `new_levels` | as in [predict.dg_learner()], at prediction | none, `"na"` |
#'
#' The role `weights_learner` gives the `weights`. Counts are numbers of a regression task:
#' `lrn("regr.domgen_glm", family = poisson())`. mlr3 itself has no task of censored times, and
#' [dg_glm()] of these has no learner.
#'
#' | `predict_type` | result |
#' |---|---|
#' | `"prob"` | probabilities; by default with `calibration = "platt"` if the method has none |
#' | `"se"` | standard deviation of f without noise, as `se.fit = TRUE` of [predict.dg_gp()] |
#' | `"quantiles"` | quantiles of a response, with noise: `quantiles = c(0.05, 0.5, 0.95)` |
#'
#' @section Models:
#' `learner$model` is the fitted model of domgen. It can be saved, cloned and sent to workers
#' without marshaling. Tools that perturb rows (DALEX, iml) need a fixed reference, with which each
#' row is predicted alone: `learner$model <- set_reference(learner$model, rows)`, see
#' [set_reference()].
#'
#' @section Scores:
#' Measures of mlr3 score all rows of a fold together. If one domain is held out at a time, this is
#' the score of a domain, and `$aggregate()` is the `mean` of [dg_cv()]. With several domains per
#' fold, only measures that score each domain separately agree with [dg_cv()]: `regr.domain_rmse`,
#' `regr.domain_mae`, `regr.domain_r2`, `classif.domain_accuracy`,
#' `classif.domain_balanced_accuracy`, `classif.domain_auc`, `classif.domain_gmean`,
#' `classif.domain_mcc`, `classif.domain_log_loss` and `classif.domain_brier`. The last two and
#' `classif.domain_auc` (of probabilities) need `predict_type = "prob"`.
#'
#' @section Errors:
#' A task without a domain if one is needed (class `domgen_error_role`). Values that the method
#' refuses are an error when the parameter is set; 0 for a positive number only in the fit.
#' @return `as_resampling()`: an instantiated `ResamplingCustom` of mlr3.
#' @seealso [dg_cv()], [domain_folds()], [as_rsample()]
#' @examplesIf all(vapply(c("mlr3", "paradox", "R6"), requireNamespace, NA, quietly = TRUE))
#' library(mlr3)
#' toy <- simulate_dcm(domains = 6, n = 30, seed = 1)
#' task <- as_task_classif(toy, target = "y")
#' task$set_col_roles("domain", roles = "domain")
#'
#' learner <- lrn("classif.domgen_svm", cost = 1)
#' learner$train(task, row_ids = which(toy$domain != levels(toy$domain)[1]))
#' learner$model
#' learner$predict_newdata(subset(toy, domain == levels(domain)[1]))
#'
#' held_out <- resample(task, learner, rsmp("domain_cv"))
#' held_out$aggregate(msr("classif.acc"))
#' @aliases PipeOpDomainDICA PipeOpDomainUDICA PipeOpDomainCOIR PipeOpDomainKPCA PipeOpDomainDCM
#'   PipeOpDomainTCA PipeOpDomainSCA PipeOpDomainMDA PipeOpDomainCIDG PipeOpDomainKFD
#' @name mlr3
NULL

settle_in_mlr3 <- function() {
  when_loaded("mlr3", settle_objects)
  when_loaded("mlr3pipelines", settle_pipeops)
}

# mlr3 finds hooks of other packages by their `pkgname`.
when_loaded <- function(package, settle, pkgname = "domgen") {
  force(pkgname)
  if (isNamespaceLoaded(package)) settle()
  setHook(packageEvent(package, "onLoad"), function(...) settle(), action = "append")
}

settle_objects <- function() {
  settle_role(mlr3::mlr_reflections)
  measures <- measure_class()
  for (type in c("classif", "regr")) {
    learners <- mlr_learner_class(type)
    for (method in c("", mlr_methods)) {
      # methods for a numeric response only have no learner for classes
      row <- if (nzchar(method)) method_of(get(paste0("dg_", method), mode = "function")())
      if (type == "classif" && identical(row$response, "number")) next
      mlr3::mlr_learners$add(mlr_key(type, method), maker(learners, method))
    }
    for (name in names(measure_metrics(type))) {
      mlr3::mlr_measures$add(measure_key(type, name), maker(measures, type, name))
    }
  }
  mlr3::mlr_resamplings$add("domain_cv", maker(resampling_class()))
}

settle_pipeops <- function() {
  for (method in projection_methods) {
    mlr3pipelines::mlr_pipeops$add(pipeop_key(method), pipeop_class(method))
  }
  mlr3pipelines::mlr_pipeops$add("learner_cv", learner_cv_class())
}

# The function that a dictionary calls to make an object of a class.
maker <- function(class, ...) {
  force(class)
  given <- list(...)
  function() do.call(class$new, given)
}

# The role `domain` of a column, which new data need not have.
settle_role <- function(reflections) {
  for (type in c("classif", "regr")) {
    for (table in intersect(c("task_col_roles", "task_col_roles_optional_newdata"),
                            names(reflections))) {
      reflections[[table]][[type]] <- union(reflections[[table]][[type]], "domain")
    }
  }
  shown <- reflections$task_print_col_roles$after
  if (!"domain" %in% shown) {
    reflections$task_print_col_roles$after <- c(shown, c(Domain = "domain"))
  }
  # packages that workers load first
  reflections$loaded_packages <- union(reflections$loaded_packages, "domgen")
}

# ---- tasks: domains of rows, and fits ---------------------------------------------------------
#
# The domain of a row is in the column with our role `domain`, or else with mlr3's role `group`.

mlr_domain_columns <- function(task) {
  roles <- task$col_roles
  if (length(roles$domain)) roles$domain else roles$group
}

# NULL where no column has the role.
mlr_domain <- function(task) {
  columns <- mlr_domain_columns(task)
  if (length(columns)) combined_domain(task$data(cols = columns))
}

# With several such columns, domains are combinations; "a.b" and "c" are not "a" and "b.c".
combined_domain <- function(columns) {
  columns <- as.data.frame(columns)
  if (length(columns) == 1L) return(columns[[1L]])
  interaction(lapply(columns, function(column) {
    column <- as_groups(column)
    levels(column) <- gsub("([\\\\.])", "\\\\\\1", levels(column))
    column
  }), drop = TRUE)
}

mlr_features <- function(task) {
  as.data.frame(task$data(cols = task$feature_names), optional = TRUE)
}

# A fit to the features of a task. further: list(y, weights, na.action); NULL elements are dropped.
mlr_fit <- function(spec, task, further) {
  domain <- mlr_domain(task)
  needed <- spec_needs(spec)$domain || by_domain(spec_scale(spec)) ||
    identical(as_imputation(further$na.action)$by, "domain")
  if (needed && is.null(domain)) abort_no_role(task, "the model uses domains in training")
  given <- Filter(Negate(is.null), c(list(x = mlr_features(task), domain = domain), further))
  # by names, as the fit keeps its call
  call <- as.call(c(list(quote(fit), quote(spec)), lapply(stats::setNames(nm = names(given)),
                                                          as.name)))
  eval(call, list2env(c(given, list(spec = spec)), parent = topenv()))
}

# Further arguments of predict(): list(newdata, domain, reference, ...).
mlr_new_rows <- function(model, task, values) {
  domain <- mlr_domain(task)
  uses_others <- uses_other_rows(model) && !is_fixed(model)
  if (uses_others && is.null(domain)) {
    abort_no_role(task, "the model uses the domain's other rows")
  }
  arguments <- list(newdata = mlr_features(task), domain = domain, reference = values$reference,
                    new_levels = values$new_levels)
  if (is.data.frame(values$reference)) {
    arguments$reference_domain <- reference_domain(values$reference, mlr_domain_columns(task))
  }
  Filter(Negate(is.null), arguments)
}

reference_domain <- function(reference, columns) {
  if (!length(columns)) return(NULL)
  reference <- check_data(reference, "reference")
  check_columns(reference, columns, "reference")
  combined_domain(reference[columns])
}

abort_no_role <- function(task, why) {
  if (is.null(task$col_roles)) {
    abort("role", "`$predict_newdata_fast()` does not pass on the domain, which is needed because ",
          why, ": use `$predict_newdata()`.")
  }
  abort("role", "The task \"", task$id, "\" must have a column with the role \"domain\" or ",
        "\"group\", because ", why, ": `task$set_col_roles(\"<column>\", roles = \"domain\")`.")
}

mlr_reference_check <- function(x) {
  if (is.null(x) || is.data.frame(x) || identical(x, "training")) return(TRUE)
  paste0("`reference` must be \"training\" or a data frame of rows, not ", describe(x))
}

mlr_na_action_check <- function(x) {
  if (is.null(x) || is.function(x) || is.character(x) || is_imputation(x)) return(TRUE)
  paste0("`na.action` must be na.impute, na.omit or another such function, not ", describe(x))
}

# Arguments for training data or new rows. na.action: the default.
mlr_data_parameters <- function(na.action = na.impute()) {
  list(
    na.action = paradox::p_uty(custom_check = mlr_na_action_check, default = stats::na.omit,
                               init = na.action, tags = "train"),
    reference = paradox::p_uty(custom_check = mlr_reference_check, default = NULL,
                               tags = "predict"),
    new_levels = paradox::p_fct(new_level_choices, default = "na", tags = "predict")
  )
}

# ---- parameter sets of paradox ----------------------------------------------------------------

# The arguments of a method as a ParamSet. spec: the method without data; without: arguments to
# leave out; further: named domains of paradox.
mlr_parameters <- function(spec, without = character(), further = list()) {
  names <- setdiff(names(spec$args), without)
  defaults <- lapply(formals(get(spec$method, mode = "function"))[names], eval, topenv())
  parameters <- Map(mlr_parameter, parameter_rows(method_of(spec), names)[names], defaults)
  do.call(paradox::ps, c(parameters, further))
}

# The record of an argument as a domain of paradox, whose bounds are closed: where `lower` itself is
# no value, the method refuses it.
mlr_parameter <- function(row, default) {
  tags <- c("train", if (row$name == "threads") "threads")
  special <- if (isFALSE(row$null)) list() else list(NULL)
  if (is.character(default)) default <- default[1L]
  further <- list(default = default, special_vals = special, tags = tags)
  make <- function(domain, ...) do.call(domain, c(list(...), further))
  switch(row$type,
    number = make(paradox::p_dbl, lower = row$lower, upper = row$upper),
    count = make(paradox::p_int, lower = row$lower, upper = row$upper),
    flag = make(paradox::p_lgl),
    choice = make(paradox::p_fct, row$levels),
    make(paradox::p_uty, custom_check = function(x) complaint(check_parameter(row, x)))
  )
}

# TRUE, or the message of the error, without its full stop, which paradox adds.
complaint <- function(code) {
  on_error({
    force(code)
    TRUE
  }, function(e) sub("[.]$", "", conditionMessage(e)))
}
