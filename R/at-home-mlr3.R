# mlr3 and mlr3pipelines are told of domgen when they are there: at once, or when they are loaded.
# Telling them again changes nothing.

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
#' | `po("domain_dica")` and others | [dica()] and other projections |
#'
#' A specification is a method without data: a [chain()], [dg_tune()], [dg_ensemble()],
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
#' `sigma` for each predictor has the order of `task$feature_names`. Kernels and feature maps are
#' tuned as whole objects: `kernel = to_tune(p_dbl(0.1, 10, trafo = function(x) kernel_rbf(times =
#' x)))`. Further parameters:
#' * `na.action`, where nothing else is said [na.impute()], because mlr3 wants a prediction for each
#'   row of a learner that takes missing values. `na.omit`, the default elsewhere, predicts `NA`.
#'   PipeOps leave components missing (`na.exclude`).
#' * `reference` and `new_levels` of [predict.dg_learner()], at prediction.
#'
#' The role `weights_learner` gives the `weights`. With `predict_type = "prob"` a method that has no
#' probabilities of its own is fitted with `probability = "platt"`, unless that parameter says
#' otherwise. `predict_type = "se"` gives the standard deviations of f, as
#' [`predict(se.fit = TRUE)`][predict.dg_gp()] does, without the noise of a single response;
#' `predict_type = "quantiles"` (`quantiles = c(0.05, 0.5, 0.95)`) gives those of a response, with
#' its noise, of which the outer ones are its prediction interval.
#'
#' @section Models:
#' `learner$model` is the model as domgen fits it. It can be saved, cloned and sent to workers
#' (encapsulation, plans of the future package) without marshaling. Tools that perturb rows (DALEX,
#' iml) want a learner with a fixed reference, which then predicts each row alone:
#' `learner$model <- fix_reference(learner$model, rows)`, see [fix_reference()].
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
#' toy <- simulate_dcm(domains = 6, rows = 30, seed = 1)
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
  for (type in c("classif", "regr")) {
    for (method in Filter(function(method) is_for(type, method), c("", mlr_methods))) {
      mlr3::mlr_learners$add(mlr_key(type, method), maker(mlr_learner, type, method))
    }
    for (name in names(measure_metrics(type))) {
      mlr3::mlr_measures$add(measure_key(type, name), maker(mlr_measure, type, name))
    }
  }
  mlr3::mlr_resamplings$add("domain_cv", function() resampling_class()$new())
}

settle_pipeops <- function() {
  for (method in projection_methods) {
    mlr3pipelines::mlr_pipeops$add(pipeop_key(method), pipeop_class(method))
  }
  mlr3pipelines::mlr_pipeops$add("learner_cv", learner_cv_class())
}

is_for <- function(type, method) {
  type == "regr" || !nzchar(method) ||
    !identical(get(paste0("dg_", method), mode = "function")()$parts$response, "number")
}

# What a dictionary calls to make an object.
maker <- function(make, type, name) {
  force(type)
  force(name)
  function() make(type, name)
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
