# A model of the parsnip package, whose engines are learners of this one. What parsnip is told of it
# stands in at-home-parsnip-register.R; what its engines call, and prediction, is here. Nothing of
# parsnip is needed before domain_learner() is called.

#' A parsnip model for several domains
#'
#' @description
#' `domain_learner()` is a model specification of the parsnip package, for workflows and tuning in
#' tidymodels. Its engines are learners of this package, with their fits and predictions:
#'
#' | engine | learner | response | main arguments |
#' |---|---|---|---|
#' | `"svm"` | [dg_svm()] | number, classes | `domain_kernel`, `tau`, `cost`, `sigma`, `scale` |
#' | `"ridge"` | [dg_ridge()] | number, classes | the same with `penalty` for `cost` |
#' | `"gp"` | [dg_gp()] | number | `domain_kernel`, `tau`, `sigma`, `scale` |
#' | `"auto"` | [dg_auto()] | number, classes | none, it chooses them |
#'
#' @param mode `"regression"` or `"classification"`.
#' @param engine Name of an engine. `set_engine()` takes all further arguments of its learner, such
#'   as `features = features_nystrom()`.
#' @param domain Name of the column that says which domain a row belongs to, as text or bare (where
#'   a variable of that name holds one text, that text is the name); `NULL` where a formula
#'   `y ~ x | domain` or [domain_blueprint()] says it.
#' @param domain_kernel `"distribution"`, `"pooled"`, `"multitask"`, `"wasserstein"`, which stand
#'   for [domain_distribution()] and so on, or an object that one of these makes.
#' @param cost Penalty of errors of the support vector machine; chosen by left-out domains if
#'   `NULL`.
#' @param penalty Ridge, the argument `lambda` of [dg_ridge()]; chosen by left-out domains if
#'   `NULL`.
#' @param sigma Bandwidth of [kernel_rbf()], in units of the scaled predictors.
#' @param scale How predictors are scaled, see [dica()].
#' @param tau Argument of [domain_multitask()], from 0 (each domain on its own) to 1 (pooling); 0.5
#'   if `NULL`, and fitted by the Gaussian process.
#' @param object A `domain_learner()`.
#' @param parameters Tibble of one row or list of values, such as `select_best()` gives.
#' @param fresh Replace all arguments, not only those that are given?
#' @param ... Further arguments of the learner, as for `set_engine()`.
#' @details
#' An argument that is `NULL` has the default of the learner.
#'
#' **The domain** is a column of the data, which is taken out of the predictors:
#' ```r
#' domain_learner("regression", domain = "school") |> fit(score ~ ses + sex + school, data)
#' domain_learner("regression") |> fit(score ~ ses + sex | school, data)
#' ```
#' In a workflow with a recipe the column has a role of its own, and [domain_blueprint()] hands it
#' over:
#' ```r
#' workflow() |>
#'   add_recipe(recipe(score ~ ., data) |> update_role(school, new_role = "domain"),
#'              blueprint = domain_blueprint()) |>
#'   add_model(domain_learner("regression"))
#' ```
#' With `add_formula()` or `add_variables()` it is named by `domain`. Where it is a factor, give
#' `blueprint = hardhat::default_formula_blueprint(indicators = "none", allow_novel_levels =
#' TRUE)`, or `default_xy_blueprint(allow_novel_levels = TRUE)`, too: hardhat makes levels missing
#' that training did not have, which is what new domains are.
#'
#' **Predictions** of `type` `"numeric"`, `"class"`, `"prob"`, `"raw"` (decision values), of
#' numbers `"pred_int"` (`interval = "prediction"`, see [fix_intervals()]), and of the Gaussian
#' process `"conf_int"` with `std_error`; both with `level`. As with
#' `predict()` of the learner, the rows of a domain that are predicted together describe it. For
#' classes the engines are fitted with `probability = "platt"`, as most of what tidymodels does
#' with them needs probabilities; `set_engine("svm", probability = "none")` is faster and leaves
#' classes, with `loss = "logistic"` beside it also probabilities.
#'
#' **Case weights** are the `weights` of the learner, which scaling, bandwidths and the description
#' of domains do not look at: a frequency weight of 2 is not the same as two rows.
#'
#' **Folds.** `rsample::group_vfold_cv(data, group = school)` leaves out whole domains, one at a
#' time where `v` is not given, as [dg_cv()] does with the same folds. The scores are the same; the
#' standard error is not, as `tune::collect_metrics()` takes the folds for independent, and
#' [dg_cv()] allows for training sets that overlap.
#'
#' **A projection first.** A [step_dica()] before this model does not give the numbers of
#' [chain()], whose learner has a kernel and scaling of its own, see there: here it has those of
#' the learner alone, on scores that are scaled anew.
#'
#' **Perturbed rows.** Partial dependence, slopes and Shapley values need [fix_reference()], which
#' takes the fit or the workflow; without it there is a warning of class `domgen_warning_moving`.
#'
#' **Tuning.** All main arguments but `domain` can be `tune()`: `cost` from 2^-5 to 2^10, `penalty`
#' from 1e-3 to 1e3, `sigma` from 0.3 to 10 by parameters of dials, `domain_kernel`, `scale` and
#' `tau` by [domain_kernel_type()], [domain_scale()] and [domain_tau()].
#'
#' The model is known to parsnip as soon as both packages are loaded.
#' @return A model specification of parsnip. A fit has the model of this package as
#'   `extract_fit_engine()`.
#' @seealso [step_dica()], [domain_blueprint()]
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' library(parsnip)
#' pupils <- subset(nlme::MathAchieve, School %in% levels(School)[1:12])
#' new <- subset(nlme::MathAchieve, School %in% levels(School)[13:14])
#'
#' model <- domain_learner("regression", engine = "ridge", domain = School, penalty = 1) |>
#'   fit(MathAch ~ SES + Sex + Minority + School, data = pupils)
#' predict(model, new)
#'
#' # the same
#' ridge <- dg_ridge(MathAch ~ SES + Sex + Minority | School, data = pupils, lambda = 1)
#' head(predict(ridge, new))
#' @export
domain_learner <- function(mode = "unknown", engine = "svm", domain = NULL, domain_kernel = NULL,
                           cost = NULL, penalty = NULL, sigma = NULL, scale = NULL, tau = NULL) {
  need_package("parsnip", "domain_learner()")
  register_parsnip()
  # whose names parsnip knows, and modes
  if (!is.character(engine) || length(engine) != 1L) {
    abort("argument", "`engine` must be one of ", enumerate(names(parsnip_engines()), quote = "\""),
          ", not ", describe(engine), ".")
  }
  check_engine_mode(engine, mode)
  args <- list(
    domain = column_name(rlang::enquo(domain)), domain_kernel = rlang::enquo(domain_kernel),
    cost = rlang::enquo(cost), penalty = rlang::enquo(penalty), sigma = rlang::enquo(sigma),
    scale = rlang::enquo(scale), tau = rlang::enquo(tau)
  )
  parsnip::new_model_spec("domain_learner", args = args, eng_args = NULL, mode = mode,
                          user_specified_mode = !missing(mode), method = NULL, engine = engine,
                          user_specified_engine = !missing(engine))
}

# `domain = School` means the column; a variable that holds its name means its value.
column_name <- function(quosure) {
  name <- rlang::quo_get_expr(quosure)
  if (!is.symbol(name)) return(quosure)
  held <- get0(as.character(name), rlang::quo_get_env(quosure))
  if (is.character(held) && length(held) == 1L) quosure else rlang::quo(!!as.character(name))
}

#' @rdname domain_learner
#' @export
update.domain_learner <- function(object, parameters = NULL, domain = NULL, domain_kernel = NULL,
                                  cost = NULL, penalty = NULL, sigma = NULL, scale = NULL,
                                  tau = NULL, fresh = FALSE, ...) {
  args <- list(
    domain = column_name(rlang::enquo(domain)), domain_kernel = rlang::enquo(domain_kernel),
    cost = rlang::enquo(cost), penalty = rlang::enquo(penalty), sigma = rlang::enquo(sigma),
    scale = rlang::enquo(scale), tau = rlang::enquo(tau)
  )
  parsnip::update_spec(object, parameters, args, fresh, "domain_learner", ...)
}

# Of the main arguments parsnip leaves out silently what an engine does not have.
#' @exportS3Method parsnip::check_args
check_args.domain_learner <- function(object, call = NULL) {
  given <- names(object$args)[!vapply(object$args, parsnip::null_value, NA)]
  known <- names(engine_arguments(object$engine))
  stray <- setdiff(given, known)
  if (length(stray)) {
    abort("argument", "`", stray[1L], "` is no argument of the engine \"", object$engine,
          "\", which has ", enumerate(known, length(known)), ".")
  }
  invisible(object)
}

# That an engine or mode is not known at all is for parsnip to say.
check_engine_mode <- function(engine, mode) {
  if (length(engine) != 1L || length(mode) != 1L) return(invisible())
  modes <- parsnip_engines()[[engine]]$modes
  if (mode %in% setdiff(c("regression", "classification"), modes) && length(modes)) {
    abort("argument", "`mode` must be ", enumerate(modes, quote = "\""), " for the engine \"",
          engine, "\", not \"", mode, "\".")
  }
}

# Which column the domain is in is nothing to tune.
#' @exportS3Method generics::tunable
tunable.domain_learner <- function(x, ...) {
  found <- NextMethod()
  found[found$name != "domain", ]
}
