# mlr3 and mlr3pipelines are told of domgen when they are there: at once, or when they are loaded.
# Telling them again changes nothing.

#' domgen in mlr3
#'
#' @description
#' Where mlr3 is loaded, before or after domgen, its dictionaries have learners and a resampling,
#' and with mlr3pipelines projections as PipeOps. They fit and predict as the functions of domgen
#' do, with the same numbers.
#'
#' | key | what it is |
#' |---|---|
#' | `lrn("regr.domgen_svm")`, `lrn("classif.domgen_svm")` | [dg_svm()] |
#' | `lrn("regr.domgen_ridge")`, `lrn("classif.domgen_ridge")` | [dg_ridge()] |
#' | `lrn("regr.domgen_gp")` | [dg_gp()], with standard errors |
#' | `lrn("regr.domgen_auto")`, `lrn("classif.domgen_auto")` | [dg_auto()] |
#' | `lrn("regr.domgen")`, `lrn("classif.domgen")` | its parameter `spec`: any specification |
#' | `rsmp("domain_cv")` | [domain_folds()] of the task's domains |
#' | `as_resampling(folds, task)` | the folds of [domain_folds()] or [row_folds()] |
#' | `po("domain_dica")` and others | [dica()] and other projections |
#'
#' A specification is a method without data: a [chain()], [dg_tune()], [dg_ensemble()],
#' [dg_forest()], [learner_custom()]. `rsmp("domain_cv")` has the parameters `folds` (one domain at
#' a time where it is not given), `repeats` and `balance`. The PipeOps are `domain_dica`,
#' `domain_udica`, `domain_coir`, `domain_kpca`, `domain_dcm`, `domain_tca`, `domain_sca`,
#' `domain_mda`, `domain_cidg` and `domain_kfd`; components take the place of the features.
#'
#' @section The domain:
#' stands in the column with the role `domain`, which domgen adds to those of mlr3:
#' `task$set_col_roles("school", roles = "domain")`. Several such columns mean their combinations.
#' Where no column has it, that with the role `group` is taken, whose rows mlr3's own resamplings
#' keep together; a column may have both, `roles = c("domain", "group")`. A task knows the roles
#' that there were when it was made: load domgen before, or use `group`.
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
#' tuned as whole objects. Further parameters:
#' * `na.action`, where nothing else is said [na.impute()], because mlr3 wants a prediction for each
#'   row of a learner that takes missing values. `na.omit`, the default elsewhere, predicts `NA`.
#'   PipeOps leave components missing (`na.exclude`).
#' * `reference` and `new_levels` of [predict.dg_learner()], at prediction.
#'
#' The role `weights_learner` gives the `weights`. With `predict_type = "prob"` a method that has no
#' probabilities of its own is fitted with `probability = "platt"`, unless that parameter says
#' otherwise. `predict_type = "se"` gives the standard deviations of f, as
#' [`predict(se.fit = TRUE)`][predict.dg_gp()] does, without the noise of a single response.
#'
#' @section Models:
#' `learner$model` is the model as domgen fits it. It can be saved, cloned and sent to workers
#' (encapsulation, plans of the future package) without marshaling.
#'
#' @section Scores:
#' Where one domain is left out at a time, the score of an iteration is that of a domain, and
#' `$aggregate()` is the `mean` of [dg_cv()]. With folds of several domains the predictions are
#' those of [dg_cv()] with the same folds; mlr3 then scores the rows of a fold together.
#'
#' @section Errors:
#' A task without a domain where one is needed is an error of class `domgen_error_role`; a parameter
#' that the method would refuse is refused when it is set.
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
  when_loaded("mlr3", settle_learners)
  when_loaded("mlr3pipelines", settle_pipeops)
}

# Other packages ask the hooks of mlr3 for their `pkgname`.
when_loaded <- function(package, settle, pkgname = "domgen") {
  force(pkgname)
  if (isNamespaceLoaded(package)) settle()
  setHook(packageEvent(package, "onLoad"), function(...) settle(), action = "append")
}

settle_learners <- function() {
  settle_role(mlr3::mlr_reflections)
  for (type in c("classif", "regr")) for (method in c("", mlr_methods)) {
    if (type == "classif" && is_for_numbers(method)) next
    mlr3::mlr_learners$add(mlr_key(type, method), learner_maker(type, method))
  }
  mlr3::mlr_resamplings$add("domain_cv", function() resampling_class()$new())
}

settle_pipeops <- function() {
  for (method in mlr_projections) {
    mlr3pipelines::mlr_pipeops$add(pipeop_key(method), pipeop_class(method))
  }
}

is_for_numbers <- function(method) {
  nzchar(method) && identical(get(paste0("dg_", method))()$parts$response, "number")
}

learner_maker <- function(type, method) {
  force(type)
  force(method)
  function() mlr_learner(type, method)
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
