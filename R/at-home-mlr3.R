# mlr3 and mlr3pipelines are told of domgen when they are there: at once, or when they are loaded.
# Telling them again changes nothing. What tasks and parameters are to domgen is here too; learners,
# measures, resamplings and PipeOps have files of their own.

#' domgen in mlr3
#'
#' @description
#' Where mlr3 is loaded, before or after domgen, its dictionaries have learners, a resampling and
#' measures, and with mlr3pipelines projections as PipeOps. They fit and predict as the functions of
#' domgen do, with the same numbers.
#'
#' | key | what it is |
#' |---|---|
#' | `lrn("regr.domgen_svm")`, `lrn("classif.domgen_svm")` | [dg_svm()] |
#' | `lrn("regr.domgen_ridge")`, `lrn("classif.domgen_ridge")` | [dg_ridge()] |
#' | `lrn("regr.domgen_gp")` | [dg_gp()], with standard errors and quantiles |
#' | `lrn("regr.domgen_auto")`, `lrn("classif.domgen_auto")` | [dg_auto()] |
#' | `lrn("regr.domgen")`, `lrn("classif.domgen")` | its parameter `spec`: any specification |
#' | `rsmp("domain_cv")` | [domain_folds()] of the task's domains |
#' | `msr("regr.domain_rmse")` and others | a `metric` of [dg_cv()], by domain |
#' | `as_resampling(folds, task)` | the folds of [domain_folds()] or [row_folds()] |
#' | `po("domain_dica")` and others | [dg_dica()] and other projections |
#'
#' A specification is a method without data: a [dg_pipeline()], [dg_tune()], [dg_ensemble()],
#' [dg_forest()], [learner_custom()]. `rsmp("domain_cv")` has the parameters `folds` (one domain at
#' a time where it is not given), `repeats` and `balance`. The PipeOps are `domain_dica`,
#' `domain_udica`, `domain_coir`, `domain_kpca`, `domain_dcm`, `domain_tca`, `domain_sca`,
#' `domain_mda`, `domain_cidg` and `domain_kfd`, without the arguments `target` and `unlabelled`;
#' components take the place of the features.
#'
#' @section The domain:
#' stands in the column with the role `domain`, which domgen adds to those of mlr3:
#' `task$set_col_roles("school", roles = "domain")`. Several such columns mean their combinations.
#' Where no column has it, that with the role `group` is taken, whose rows mlr3's own resamplings
#' keep together; a column may have both, `roles = c("domain", "group")`. A task knows the roles
#' that there were when it was made, and mlr3 lets nobody assign to the `task$col_roles` of an older
#' one: load domgen first, or use `task$set_col_roles("school", roles = "group")`.
#'
#' `po("learner_cv")`, and stacking that is made of it, keeps the rows of a domain in one fold. The
#' resamplings of mlr3 look at the role `group` only; `rsmp("domain_cv")` is the one for domains.
#'
#' New data for `$predict_newdata()` need that column too where the model judges rows by the other
#' rows of their domain (`domain_kernel`, `scale = "domain"`); without it there is an error. What is
#' predicted for a row then depends on which rows of its domain come with it, as in
#' [predict.dg_learner()]. The parameter `reference` takes further rows, with the column of the
#' domain, or `"training"`. With `parallel_predict = TRUE` mlr3 cuts rows into pieces without regard
#' to domains: give a `reference` then.
#'
#' @section Parameters:
#' are the arguments of the functions, with their defaults. mlr3 sorts features by name, so that one
#' `bandwidth` for each predictor has the order of `task$feature_names`. Kernels and feature maps
#' are tuned as whole objects:
#' `kernel = to_tune(p_dbl(0.1, 10, trafo = function(x) kernel_rbf(bandwidth_factor = x)))`. Further
#' parameters:
#' * `na.action`, where nothing else is said [na.impute()], because mlr3 wants a prediction for each
#'   row of a learner that takes missing values. `na.omit`, the default elsewhere, predicts `NA`.
#'   PipeOps leave components missing (`na.exclude`).
#' * `reference` and `new_levels` of [predict.dg_learner()], at prediction.
#'
#' The role `weights_learner` gives the `weights`. With `predict_type = "prob"` a method that has no
#' probabilities of its own is fitted with `calibration = "platt"`, unless that parameter says
#' otherwise. `predict_type = "se"` gives the standard deviations of f, as
#' [`predict(se.fit = TRUE)`][predict.dg_gp()] does, without the noise of a single response;
#' `predict_type = "quantiles"` (`quantiles = c(0.05, 0.5, 0.95)`) gives those of a response, with
#' its noise, of which the outer ones are its prediction interval.
#'
#' @section Models:
#' `learner$model` is the model as domgen fits it. It can be saved, cloned and sent to workers
#' (encapsulation, plans of the future package) without marshaling. Tools that perturb rows (DALEX,
#' iml) want a learner with a fixed reference, which then predicts each row alone:
#' `learner$model <- set_reference(learner$model, rows)`, see [set_reference()].
#'
#' @section Scores:
#' Measures of mlr3 score all rows of a fold together. Where one domain is left out at a time, that
#' is the score of a domain, and `$aggregate()` is the `mean` of [dg_cv()]. With folds of several
#' domains it is the `mean` of [dg_cv()] with the same folds only for measures that score each
#' domain by itself: `regr.domain_rmse`, `regr.domain_mae`, `regr.domain_r2`,
#' `classif.domain_accuracy`, `classif.domain_balanced_accuracy`, `classif.domain_auc`,
#' `classif.domain_gmean`, `classif.domain_mcc`, `classif.domain_log_loss` and
#' `classif.domain_brier`. The last two and `classif.domain_auc`, here of the probabilities, need
#' `predict_type = "prob"`.
#'
#' @section Errors:
#' A task without a domain where one is needed is an error of class `domgen_error_role`; a value
#' that the method would refuse is refused when the parameter is set, 0 for a positive number when
#' it is fitted.
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
#' left_out <- resample(task, learner, rsmp("domain_cv"))
#' left_out$aggregate(msr("classif.acc"))
#' @aliases PipeOpDomainDICA PipeOpDomainUDICA PipeOpDomainCOIR PipeOpDomainKPCA PipeOpDomainDCM
#'   PipeOpDomainTCA PipeOpDomainSCA PipeOpDomainMDA PipeOpDomainCIDG PipeOpDomainKFD
#' @name mlr3
NULL

settle_in_mlr3 <- function() {
  when_loaded("mlr3", settle_objects)
  when_loaded("mlr3pipelines", settle_pipeops)
}

# Other packages ask the hooks of mlr3 for their `pkgname`.
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
      # classes are nothing for a method of numbers
      spec <- if (nzchar(method)) get(paste0("dg_", method), mode = "function")()
      if (type == "classif" && identical(spec$parts$response, "number")) next
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

# What a dictionary calls to make an object of a class.
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
  # what workers load first
  reflections$loaded_packages <- union(reflections$loaded_packages, "domgen")
}

# ---- tasks: what one says of its rows, and fits to it -----------------------------------------
#
# The domain of a row is in the column with the role `domain`, which is ours, or else in that with
# the role `group`, which is mlr3's.

mlr_domain_columns <- function(task) {
  roles <- task$col_roles
  if (length(roles$domain)) roles$domain else roles$group
}

# NULL where no column has the role.
mlr_domain <- function(task) {
  columns <- mlr_domain_columns(task)
  if (length(columns)) combined_domain(task$data(cols = columns))
}

# Several columns with the role mean their combinations; "a.b" and "c" are not "a" and "b.c".
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

# A fit to the features of a task. further: list(y, weights, na.action), of which what is NULL is
# not given.
mlr_fit <- function(spec, task, further) {
  domain <- mlr_domain(task)
  needed <- spec_needs(spec)$domain || by_domain(spec_scale(spec)) ||
    identical(as_imputation(further$na.action)$by, "domain")
  if (needed && is.null(domain)) abort_no_role(task, "the model learns from domains")
  given <- Filter(Negate(is.null), c(list(x = mlr_features(task), domain = domain), further))
  # by names, as the fit keeps its call
  call <- as.call(c(list(quote(fit), quote(spec)), lapply(stats::setNames(nm = names(given)),
                                                          as.name)))
  eval(call, list2env(c(given, list(spec = spec)), parent = topenv()))
}

# What predict() of a fit needs beside the model: list(newdata, domain, reference, ...).
mlr_new_rows <- function(model, task, values) {
  domain <- mlr_domain(task)
  uses_others <- uses_other_rows(model) && !is_fixed(model)
  if (uses_others && is.null(domain)) abort_no_role(task, "the model judges rows by their domain")
  rows <- list(newdata = mlr_features(task), domain = domain, reference = values$reference,
               new_levels = values$new_levels)
  if (is.data.frame(values$reference)) {
    rows$reference_domain <- reference_domain(values$reference, mlr_domain_columns(task))
  }
  Filter(Negate(is.null), rows)
}

reference_domain <- function(reference, columns) {
  if (!length(columns)) return(NULL)
  reference <- check_data(reference, "reference")
  check_columns(reference, columns, "reference")
  combined_domain(reference[columns])
}

abort_no_role <- function(task, why) {
  if (is.null(task$col_roles)) {
    abort("role", "`$predict_newdata_fast()` hands on no domain, which is needed because ", why,
          ": use `$predict_newdata()`.")
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

# Arguments that are given with data or with new rows. na.action: where nothing else is said.
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
#
# What a parameter may be is not written down again: it follows from the argument's default and from
# what the check at the door takes.

# The arguments of a method as a ParamSet. spec: the method without data; without: arguments that
# are no parameters there; further: named domains of paradox.
mlr_parameters <- function(spec, without = character(), further = list()) {
  names <- setdiff(names(spec$args), without)
  defaults <- lapply(formals(get(spec$method, mode = "function"))[names], eval, topenv())
  rows <- parameter_rows(spec$parts, names)[names]
  own <- Map(mlr_parameter, rows, defaults)
  do.call(paradox::ps, c(own, further))
}

# One argument as a domain of paradox.
mlr_parameter <- function(row, default) {
  tags <- c("train", if (row$name == "threads") "threads")
  special <- if (door_takes(row, NULL)) list(NULL) else list()
  if (is.character(default) && length(default) > 1L) {
    return(paradox::p_fct(default, default = default[1L], tags = tags, special_vals = special))
  }
  range <- door_range(row)
  if (range$kind == "other") {
    checked <- function(x) door_complaint(row, x)
    return(paradox::p_uty(custom_check = checked, default = default, tags = tags))
  }
  if (range$kind == "flag") return(paradox::p_lgl(default = default, tags = tags))
  make <- if (range$kind == "whole") paradox::p_int else paradox::p_dbl
  make(lower = range$lower, upper = range$upper, default = default, tags = tags,
       special_vals = special)
}

# TRUE, or why the door of a method refuses the value.
door_complaint <- function(row, value) complaint(row$check(value, row$name))

# TRUE, or what an error says, without the full stop that paradox adds.
complaint <- function(code) {
  on_error({
    force(code)
    TRUE
  }, function(e) sub("[.]$", "", conditionMessage(e)))
}

door_takes <- function(row, value) isTRUE(door_complaint(row, value))

# list(kind: "flag", "whole", "number" or "other", lower, upper). The bounds of paradox are closed,
# so that the check still has the last word on 0.
door_range <- function(row) {
  takes <- function(value) door_takes(row, value)
  # what takes a word that means nothing is not checked here
  if (takes("no such value")) return(list(kind = "other"))
  if (takes(TRUE)) return(list(kind = "flag"))
  if (!takes(12) && !takes(0.5)) return(list(kind = "other"))
  whole <- !takes(0.5)
  small <- if (whole) Filter(takes, c(0:2, 10)) else 0
  list(kind = if (whole) "whole" else "number", lower = if (takes(-1)) -Inf else small[1L],
       upper = if (takes(12)) Inf else 1)
}
