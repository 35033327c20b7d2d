# A model of the parsnip package, whose engines are learners of this package: specification,
# registration, fits and predictions. parsnip is not needed before domain_learner() is called.

#' Integration with tidymodels: a parsnip model
#'
#' @description
#' `domain_learner()` is a model specification of the parsnip package, for workflows and tuning in
#' tidymodels. Its engines are learners of this package, with the same fits and predictions:
#'
#' | engine | learner | response | main arguments |
#' |---|---|---|---|
#' | `"svm"` | [dg_svm()] | number, classes | `domain_kernel`, `tau`, `cost`, `bandwidth`, `scale` |
#' | `"ridge"` | [dg_ridge()] | number, classes | the same with `penalty` for `cost` |
#' | `"glm"` | [dg_glm()] | number, count, classes, censored times | as `"ridge"` |
#' | `"gp"` | [dg_gp()] | number | `domain_kernel`, `tau`, `bandwidth`, `scale` |
#' | `"auto"` | [dg_auto()] | number, classes | none: selected by the engine |
#'
#' @param mode `"regression"`, `"classification"` or, for the engine `"glm"`, `"censored
#'   regression"`.
#' @param engine Name of an engine. `set_engine()` takes all further arguments of its learner, such
#'   as `feature_map = features_nystrom()`.
#' @param domain Name of the domain column, as text or bare (if a variable of that name contains one
#'   text, that text is the name). `NULL` with a formula `y ~ x | domain` or [domain_blueprint()].
#' @param domain_kernel `"distribution"`, `"pooled"`, `"multitask"` or `"wasserstein"`, for
#'   [domain_distribution()] etc. with defaults; or a domain kernel made by one of these functions.
#' @param cost,penalty Penalty of errors of the support vector machine; penalty on the squared norm,
#'   `lambda` of [dg_ridge()] and [dg_glm()]. `NULL`: selected on held-out domains.
#' @param bandwidth Bandwidth of [kernel_rbf()], in units of the scaled predictors. Default `NULL`:
#'   that of the learner.
#' @param scale Scaling of the predictors, see [dg_arguments].
#' @param tau Argument of [domain_multitask()], from 0 (separate domains) to 1 (pooling). Default
#'   `NULL`: 0.5; for the Gaussian process it is fitted. Not used for another name of a
#'   `domain_kernel`, so that both can be tuned together.
#' @param object A `domain_learner()`.
#' @param parameters Tibble of one row or list of values, such as `select_best()` returns.
#' @param fresh If `TRUE`, arguments that are not given are reset.
#' @param ... Further arguments of the learner, as for `set_engine()`.
#' @details
#' parsnip knows the model as soon as both packages are loaded. Arguments that are `NULL` have the
#' default of the learner.
#'
#' **The domain** is a column of the data, and not a predictor:
#' ```r
#' domain_learner("regression", domain = "school") |> fit(score ~ ses + sex + school, data)
#' domain_learner("regression") |> fit(score ~ ses + sex | school, data)
#' ```
#' In a workflow with a recipe, give the column a role, which [domain_blueprint()] passes on:
#' ```r
#' workflow() |>
#'   add_recipe(recipe(score ~ ., data) |> update_role(school, new_role = "domain"),
#'              blueprint = domain_blueprint()) |>
#'   add_model(domain_learner("regression"))
#' ```
#' With `add_formula()` or `add_variables()`, use the argument `domain`. If the column is a factor,
#' also give `blueprint = hardhat::default_formula_blueprint(indicators = "none",
#' allow_novel_levels = TRUE)` or `default_xy_blueprint(allow_novel_levels = TRUE)`: by default
#' hardhat replaces new levels, and so new domains, by missing values.
#'
#' **Families.** The engine `"glm"` has the families of [dg_glm()]. Numbers are `gaussian()` unless
#' another family is given, as in `set_engine("glm", family = poisson())` for counts. Two classes
#' are `binomial()`, more are `"multinomial"`, or `"ordinal"` if given. Censored times are `"cox"`:
#' ```r
#' domain_learner("censored regression", engine = "glm") |>
#'   fit(Surv(time, status) ~ age + sex | hospital, data)
#' ```
#' For them parsnip needs the package prodlim, `augment()` and measures of survival also censored,
#' and a recipe a column that is the `Surv()` object.
#'
#' **Case weights** are the `weights` of the learner. Scaling, bandwidths and descriptions of
#' domains do not use them, so a frequency weight of 2 is not the same as two rows.
#' @return A model specification of parsnip; the fitted model of this package is
#'   `extract_fit_engine()` of a fit.
#' @seealso [parsnip_models], [domain_scaling_type()] for tuning, [step_domain()],
#'   [domain_blueprint()]
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' library(parsnip)
#' pupils <- subset(nlme::MathAchieve, School %in% levels(School)[1:12])
#' new <- subset(nlme::MathAchieve, School %in% levels(School)[13:14])
#'
#' model <- domain_learner("regression", engine = "ridge", domain = School, penalty = 1) |>
#'   fit(MathAch ~ SES + Sex + Minority + School, data = pupils)
#' predict(model, new)
#'
#' # the same predictions
#' ridge <- dg_ridge(MathAch ~ SES + Sex + Minority | School, data = pupils, lambda = 1)
#' head(predict(ridge, new))
#' @order 1
#' @export
domain_learner <- function(mode = "unknown", engine = "svm", domain = NULL, domain_kernel = NULL,
                           cost = NULL, penalty = NULL, bandwidth = NULL, scale = NULL,
                           tau = NULL) {
  need_package("parsnip", "domain_learner()")
  register_parsnip()
  # checked here: parsnip checks names of engines and modes
  if (!is.character(engine) || length(engine) != 1L) {
    abort("argument", "`engine` must be one of ", enumerate(names(parsnip_engines()), quote = "\""),
          ", not ", describe(engine), ".")
  }
  # unknown engines and modes are parsnip's errors
  modes <- parsnip_engines()[[engine]]$modes
  if (length(mode) == 1L && length(modes) &&
      mode %in% setdiff(parsnip_modes, modes)) {
    abort("argument", "`mode` must be ", enumerate(modes, quote = "\""), " for the engine \"",
          engine, "\", not \"", mode, "\".")
  }
  args <- list(
    domain = column_name(rlang::enquo(domain)), domain_kernel = rlang::enquo(domain_kernel),
    cost = rlang::enquo(cost), penalty = rlang::enquo(penalty), bandwidth = rlang::enquo(bandwidth),
    scale = rlang::enquo(scale), tau = rlang::enquo(tau)
  )
  parsnip::new_model_spec("domain_learner", args = args, eng_args = NULL, mode = mode,
                          user_specified_mode = !missing(mode), method = NULL, engine = engine,
                          user_specified_engine = !missing(engine))
}

# `domain = School` means the column; if a variable of that name contains a text, its value.
column_name <- function(quosure) {
  name <- rlang::quo_get_expr(quosure)
  if (!is.symbol(name)) return(quosure)
  held <- get0(as.character(name), rlang::quo_get_env(quosure))
  if (is.character(held) && length(held) == 1L) quosure else rlang::quo(!!as.character(name))
}

#' @rdname domain_learner
#' @export
update.domain_learner <- function(object, parameters = NULL, domain = NULL, domain_kernel = NULL,
                                  cost = NULL, penalty = NULL, bandwidth = NULL, scale = NULL,
                                  tau = NULL, fresh = FALSE, ...) {
  args <- list(
    domain = column_name(rlang::enquo(domain)), domain_kernel = rlang::enquo(domain_kernel),
    cost = rlang::enquo(cost), penalty = rlang::enquo(penalty), bandwidth = rlang::enquo(bandwidth),
    scale = rlang::enquo(scale), tau = rlang::enquo(tau)
  )
  parsnip::update_spec(object, parameters, args, fresh, "domain_learner", ...)
}

# parsnip silently drops main arguments that an engine does not have.
#' @exportS3Method parsnip::check_args
check_args.domain_learner <- function(object, call = NULL) {
  given <- names(object$args)[!vapply(object$args, parsnip::null_value, NA)]
  allowed <- names(engine_arguments(object$engine))
  stray <- setdiff(given, allowed)
  if (length(stray)) {
    abort("argument", "`", stray[1L], "` is no argument of the engine \"", object$engine,
          "\", which has ", enumerate(allowed, length(allowed)), ".")
  }
  invisible(object)
}

# The domain column is not a tuning parameter.
#' @exportS3Method generics::tunable
tunable.domain_learner <- function(x, ...) {
  table <- NextMethod()
  table <- table[table$name != "domain", ]
  # of arguments of the engine
  open <- which(vapply(table$call_info, is.null, NA))
  table$call_info[open] <- engine_parameters[table$name[open]]
  # a search over both tries the kernel that has the other
  if ("tau" %in% generics::tune_args(x)$name) {
    at <- match("domain_kernel", table$name)
    table$call_info[[at]]$values <- c(eval(formals(domain_kernel_type)$values), "multitask")
  }
  table
}

# Parameters of dials for arguments of engines that are no main arguments, by name.
engine_parameters <- list(
  epsilon = list(pkg = "dials", fun = "svm_margin", range = c(0, 0.5)),
  lambda = list(pkg = "dials", fun = "penalty", range = c(-3, 3)),
  cost = list(pkg = "dials", fun = "cost", range = c(-5, 10))
)

# ---- registration, once, when both packages are loaded: see .onLoad() -------------------------

# Whichever of the two packages is loaded first.
settle_in_parsnip <- function() when_loaded("parsnip", register_parsnip)

parsnip_modes <- c("regression", "classification", "censored regression")

# Engines: function, modes, main arguments; is there a posterior, or a link?
parsnip_engines <- function() {
  shared <- c("domain", "domain_kernel", "bandwidth", "scale", "tau")
  both <- parsnip_modes[1:2]
  list(svm = list(method = "dg_svm", modes = both, arguments = c(shared, "cost")),
       ridge = list(method = "dg_ridge", modes = both, arguments = c(shared, "penalty")),
       glm = list(method = "dg_glm", modes = parsnip_modes, arguments = c(shared, "penalty"),
                  link = TRUE),
       gp = list(method = "dg_gp", modes = "regression", arguments = shared, posterior = TRUE),
       auto = list(method = "dg_auto", modes = both, arguments = "domain"))
}

# Main arguments of an engine by parsnip's name: the engine's name, and the tuning parameter.
engine_arguments <- function(engine) {
  dials <- function(fun, ...) list(pkg = "dials", fun = fun, ...)
  domgen <- function(fun) list(pkg = "domgen", fun = fun)
  all <- list(domain = list("domain", domgen("domain_learner")),
              domain_kernel = list("domain_kernel", domgen("domain_kernel_type")),
              cost = list("cost", dials("cost", range = c(-5, 10))),
              penalty = list("penalty", dials("penalty", range = c(-3, 3))),
              bandwidth = list("bandwidth", dials("rbf_sigma", range = c(-0.5, 1))),
              scale = list("scale", domgen("domain_scaling_type")),
              tau = list("tau", domgen("domain_multitask_tau")))
  all[parsnip_engines()[[engine]]$arguments]
}

register_parsnip <- function() {
  model <- "domain_learner"
  if (model %in% parsnip::get_from_env("models")) return(invisible())
  parsnip::set_new_model(model)
  engines <- parsnip_engines()
  for (mode in unique(unlist(lapply(engines, `[[`, "modes")))) {
    parsnip::set_model_mode(model, mode)
  }
  for (engine in names(engines)) {
    for (mode in engines[[engine]]$modes) register_engine(model, mode, engine, engines[[engine]])
    arguments <- engine_arguments(engine)
    for (name in names(arguments)) {
      parsnip::set_model_arg(model, engine, parsnip = name, original = arguments[[name]][[1L]],
                             func = arguments[[name]][[2L]], has_submodel = FALSE)
    }
  }
}

register_engine <- function(model, mode, engine, row) {
  parsnip::set_model_engine(model, mode, engine)
  parsnip::set_dependency(model, engine, pkg = "domgen", mode = mode)
  classes <- mode == "classification"
  calibrated <- classes && "calibration" %in% names(formals(row$method))
  parsnip::set_fit(model, mode, engine, value = list(
    interface = "formula", protect = c("formula", "data", "weights"),
    func = c(pkg = "domgen", fun = "fit_domain_learner"),
    defaults = c(list(method = row$method), if (calibrated) list(calibration = "platt"))
  ))
  # factors are left to the learner, also the domain
  parsnip::set_encoding(model, mode, engine, options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = FALSE
  ))
  predictions <- c(list(raw = prediction_of("decision")), switch(mode,
    regression = list(numeric = prediction_of("response"), pred_int = interval_of("prediction")),
    classification = list(class = prediction_of("class"),
                          prob = prediction_of("prob", as_parsnip_prob)),
    `censored regression` = list(time = survival_of(mean_time),
                                 survival = survival_of(survival_tables, quote(eval_time)))
  ), if (isTRUE(row$posterior)) list(conf_int = interval_of("confidence", se.fit = TRUE)),
  if (isTRUE(row$link) && !classes) list(linear_pred = prediction_of("decision")))
  for (type in names(predictions)) {
    parsnip::set_pred(model, mode, engine, type = type, value = predictions[[type]])
  }
}

# The call of predict(), and what is done with its value.
prediction_of <- function(type, post = NULL, ...) {
  list(pre = before_predict, post = post, func = c(fun = "predict"),
       args = list(object = quote(object$fit), newdata = quote(new_data), type = type, ...))
}

interval_of <- function(interval, ...) {
  prediction_of("response", as_parsnip_interval, interval = interval, level = quote(level), ...)
}

# The value of f(model, new data, ...): parsnip calls functions by name, and f is not exported.
survival_of <- function(f, ...) {
  list(pre = before_predict, post = NULL, func = c(fun = "do.call"),
       args = list(what = f, args = as.call(list(quote(list), quote(object$fit), quote(new_data),
                                                 ...))))
}

# ---- fits of the engines ----------------------------------------------------------------------

#' What parsnip and tune call for domain_learner()
#'
#' `fit_domain_learner()` fits the engines of [domain_learner()], which is called instead.
#'
#' @param formula,data,weights Arguments from parsnip: formula with or without a bar, data frame,
#'   numbers or `NULL`.
#' @param method Name of the learner, such as `"dg_svm"`.
#' @param domain Name of the domain column, or `NULL`.
#' @param domain_kernel,tau,bandwidth,penalty See [domain_learner()].
#' @param ... Further arguments of the learner, and `na.action`.
#' @return The fitted learner.
#' @keywords internal
#' @export
fit_domain_learner <- function(formula, data, weights = NULL, method = "dg_svm", domain = NULL,
                               domain_kernel = NULL, tau = NULL, bandwidth = NULL, penalty = NULL,
                               ...) {
  enter_session()
  check_given(formula, "formula")
  if (!inherits(formula, "formula")) {
    abort("argument", "`formula` must be a formula, not ", describe(formula), ".")
  }
  check_given(data, "data")
  data <- check_data(data)
  method <- check_choice(method, "method", vapply(parsnip_engines(), `[[`, "", "method"))
  args <- list(...)
  check_no_dots(args[intersect(names(args), setdiff(data_arguments, "na.action"))],
                setdiff(names(formals(method)), c(data_arguments, "...")))
  args$domain_kernel <- kernel_of_name(domain_kernel, tau, method)
  if (!is.null(bandwidth)) {
    if (!is.null(args$kernel)) abort("argument", "`bandwidth` must not be given with `kernel`.")
    args$kernel <- kernel_rbf(bandwidth = bandwidth)
  }
  if (!is.null(penalty)) {
    if (!is.null(args$lambda)) abort("argument", "`penalty` must not be given with `lambda`.")
    row <- parameter_rows(method_of(do.call(method, list())), "lambda")$lambda
    args$lambda <- check_parameter(with_entries(row, name = "penalty"), penalty)
  }
  na.action <- if (is.null(args$na.action)) stats::na.omit else args$na.action
  spec <- do.call(method, args[names(args) != "na.action"])
  workflow <- workflow_being_fitted()
  domain <- read_domain_name(domain, formula, data, spec, workflow)
  # methods without weights accept NULL
  fitted <- fit(spec, barred_formula(formula, domain), data = data, weights = weights,
                na.action = na.action)
  uses_domain <- uses_other_rows(fitted) || reads_domain(fitted)
  if (is.null(domain) || !uses_domain || !loses_new_domains(workflow, domain, data)) return(fitted)
  fitted$blueprint$losing <- domain
  seal(fitted)
}

kernel_of_name <- function(kernel, tau, method) {
  named <- is.character(kernel)
  if (named) kernel <- check_choice(kernel, "domain_kernel", domain_kernel_types)
  # of names, which may be tuned along with it, others have no `tau`
  if (!is.null(tau) && !named) {
    abort("argument", "`tau` needs `domain_kernel = \"multitask\"`.")
  }
  if (!named) return(kernel)
  if (kernel != "multitask") return(do.call(paste0("domain_", kernel), list()))
  domain_multitask(if (is.null(tau) && method != "dg_gp") 0.5 else tau)
}

# The domain column: named, or added by domain_blueprint(); NULL if the formula has the domain, or
# none is needed.
read_domain_name <- function(domain, formula, data, spec, workflow) {
  barred <- !is.null(split_formula(formula)$domain)
  if (!is.null(domain)) {
    if (barred) abort("argument", "`domain` must not be given when the formula has it.")
    # the same column, passed on under another name
    if (identical(domain, workflow$pre$mold$blueprint$domain_column)) return(handed_domain)
    if (!is.character(domain) || length(domain) != 1L || !domain %in% names(data)) {
      near <- if (is.character(domain)) nearest_name(domain[1L], names(data))
      abort("argument", "`domain` must be a column of the data, not ", describe(domain),
            "; columns are ", enumerate(names(data)),
            sub("[.]$", ". ", did_you_mean(near)), if (!length(near)) role_advice)
    }
    return(domain)
  }
  if (barred) return(NULL)
  if (handed_domain %in% names(data)) return(handed_domain)
  if (spec_needs(spec)$domain || by_domain(spec_scale(spec)) || wants_probabilities(spec)) {
    abort("argument", "`domain_learner()` needs the domain of each row: `domain = \"school\"`, ",
          "or a formula `y ~ x | school`. ", role_advice, if (wants_probabilities(spec)) {
            " Calibration of probabilities needs domains too; `calibration = \"none\"` does not."
          })
  }
}

# `y ~ x + school` becomes `y ~ x | school`. A loop, because long formulas are deeply nested.
barred_formula <- function(formula, domain) {
  if (is.null(domain)) return(formula)
  domain <- as.name(domain)
  rest <- formula[[length(formula)]]
  terms <- list()
  while (is_call_to(rest, "+") && length(rest) == 3L) {
    terms <- c(list(rest[[3L]]), terms)
    rest <- rest[[2L]]
  }
  terms <- Filter(function(term) !identical(term, domain), c(list(rest), terms))
  right <- if (length(terms)) Reduce(function(a, b) call("+", a, b), terms) else 1
  formula[[length(formula)]] <- call("|", right, domain)
  formula
}

# ---- predictions ------------------------------------------------------------------------------

# A matrix with a column for each class.
as_parsnip_prob <- function(result, object) {
  tibble::as_tibble(as.data.frame(result, optional = TRUE))
}

# A data frame of intervals, or with standard errors of f list(fit, se.fit).
as_parsnip_interval <- function(result, object) {
  ends <- if (is.data.frame(result)) result else result$fit
  table <- tibble::tibble(.pred_lower = ends$lower, .pred_upper = ends$upper)
  if (isTRUE(object$spec$method$pred$conf_int$extras$std_error) && !is.null(result$se.fit)) {
    table$.std_error <- result$se.fit
  }
  table
}

# A column of tables with the probability of no event, one table a row.
survival_tables <- function(model, newdata, times) {
  survival <- stats::predict(model, newdata, type = "survival", times = times)
  tibble::tibble(.pred = lapply(seq_len(nrow(survival)), function(i) {
    tibble::tibble(.eval_time = times, .pred_survival = unname(survival[i, ]))
  }))
}

# The area under each row's survival curve, which is constant between the times of events, until the
# last time of training.
mean_time <- function(model, newdata) {
  events <- model$response$family$baseline$time
  survival <- stats::predict(model, newdata, type = "survival", times = events)
  drop(cbind(1, survival) %*% diff(c(0, events, model$response$last)))
}

# That of censored times increases with time, unless `increasing = FALSE` is given.
#' @rawNamespace S3method(parsnip::predict_linear_pred, "_dg_glm")
predict_linear_pred._dg_glm <- function(object, new_data, ..., increasing = TRUE) {
  f <- NextMethod()
  if (object$spec$mode == "censored regression" && isTRUE(increasing)) -f else f
}

# ---- tools that make up rows ------------------------------------------------------------------

# Packages that predict made-up rows.
explaining_packages <- c("DALEX", "DALEXtra", "ingredients", "iBreakDown", "iml", "pdp", "vip",
                         "vetiver", "fastshap", "kernelshap", "hstats", "flashlight", "lime")

# parsnip calls this function before predict(). For bare models explaining packages call our
# methods, for a workflow only predict(): one warning per function call of these packages.
before_predict <- function(new_data, object) {
  if (!inherits(object$fit, "dg_fit")) return(new_data)
  check_domains_kept(object$fit$blueprint$losing, new_data)
  tuning <- frames_of("tune")
  # who makes splits by hand, as as_rsample() does, means them
  drawn <- !any(vapply(tuning, function(frame) identical(class(frame$split), "rsplit"), NA))
  if (length(tuning) && drawn) {
    warn_split(object$fit, given_domain(object$fit$blueprint, new_data, NULL),
               "rsample::group_vfold_cv(group = )")
  }
  explaining <- frames_of(explaining_packages)
  if (length(explaining) && is.null(explaining[[1L]]$.domgen_reported)) {
    assign(".domgen_reported", TRUE, explaining[[1L]])
    warn_moving(object$fit, paste(names(explaining)[1L], "makes up rows"))
  }
  new_data
}

# marginaleffects muffles warnings of predictions; it has no method of its own for models of
# tidymodels.
#' @exportS3Method marginaleffects::sanitize_model_specific
sanitize_model_specific.workflow <- function(model, ...) {
  sanitize_model_specific.model_fit(model$fit$fit)
  model
}

#' @exportS3Method marginaleffects::sanitize_model_specific
sanitize_model_specific.model_fit <- function(model, ...) {
  if (inherits(model$fit, "dg_fit")) warn_moving(model$fit, "marginaleffects makes up rows")
  model
}

#' Fits of parsnip and workflows with other functions
#'
#' What does `predict()` of a [domain_learner()] return, how do folds of rsample compare with
#' [dg_cv()], and which functions of this package take a fit or a workflow?
#'
#' @section Types of predictions:
#' | `type` | response | from |
#' |---|---|---|
#' | `"numeric"`, `"class"`, `"prob"` | number; classes | `predict()` of the learner |
#' | `"raw"` | any | decision values |
#' | `"pred_int"`, with `level` | number | `interval = "prediction"`, see [set_intervals()] |
#' | `"conf_int"`, with `level`, `std_error` | number, `"gp"` only | posterior of [dg_gp()] |
#' | `"linear_pred"` | number, `"glm"` only | values of the link |
#' | `"survival"`, with `eval_time` | censored times | `type = "survival"` of the learner |
#' | `"time"` | censored times | restricted mean: area under the survival curve |
#' | `"linear_pred"` | censored times | minus the log hazard f, see below |
#'
#' The restricted mean is the expected time up to the last time of training. A linear predictor of
#' censored times increases with time, as in other models of parsnip; with `increasing = FALSE` it
#' is the log hazard f of [dg_glm()] itself.
#'
#' As in [predict.dg_learner()], the rows of a domain that are predicted together describe it. For
#' classes `"svm"`, `"ridge"` and `"auto"` are fitted with `calibration = "platt"`, because most of
#' tidymodels needs probabilities. `set_engine("svm", calibration = "none")` is faster and only
#' predicts classes; with `loss = "logistic"` as well, also probabilities. `"glm"` has the
#' probabilities of its likelihood.
#' @section Folds:
#' `rsample::group_vfold_cv(data, group = school)` holds out whole domains (one at a time
#' by default), as [dg_cv()] does with the same folds. With one domain per fold, the mean scores are
#' equal. With several, they differ: `tune::collect_metrics()` averages over folds, [dg_cv()] over
#' domains. Folds that split domains, such as `rsample::vfold_cv()`, estimate scores on known
#' domains and give a warning of class `domgen_warning_split_domains`, unless they were made by hand
#' ([as_rsample()], `rsample::manual_rset()`). Standard errors differ in all cases:
#' `tune::collect_metrics()` treats folds as independent, and [dg_cv()] allows for overlapping
#' training sets.
#' @section A projection first:
#' [step_domain()] before this model differs from [dg_pipeline()]: here the
#' learner has its own default kernel, on scores that are scaled again.
#' @section Functions of domgen:
#' These take a fit or a workflow, and do its preprocessing themselves:
#'
#' | function | with |
#' |---|---|
#' | [dg_novelty()], [dg_effect()], [set_reference()] | a fit, or a fitted workflow |
#' | [dg_compare()], [dg_importance()] | a workflow, fitted or not, which is fitted again |
#'
#' Rows are those of the data, before a recipe. [dg_effect()] and [dg_importance()] change columns
#' of the data, so the steps of a recipe follow. They and [set_reference()] need steps that treat
#' each row alone: a [step_domain()] with `scale = "domain"` is an error. So are predictions that
#' the workflow changes after the model.
#' @section Perturbed rows:
#' In other packages partial dependence, slopes and Shapley values need
#' [set_reference()]; otherwise there is a warning of class `domgen_warning_moving`.
#' @name parsnip_models
#' @seealso [domain_learner()], [domain_blueprint()]
NULL
