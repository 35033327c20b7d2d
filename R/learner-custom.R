#' Any learner, from two functions
#'
#' @description
#' Makes a specification from a function that fits and a function that predicts. It can be used like
#' the learners of this package: in [fit()], [dg_cv()], [dg_compare()], [dg_tune()], after a
#' projection in a [dg_pipeline()], with calibrated probabilities, and saved to a file. Ready-made
#' learners of this kind are [dg_forest()], [dg_boost()], [dg_net()], [dg_mixed()] and [dg_gam()].
#'
#' @details
#' ## Own arguments
#' Further arguments of `fit` are the learner's own. They are given in `...`, changed by
#' [update()][update.dg_spec()], tuned by [dg_tune()], and printed. If one is not given (or `NULL`),
#' the default of `fit` is used. `predict` receives those that it also has.
#'
#' ## What is kept
#' Both functions keep the variables and functions that their bodies use, with their present values,
#' and nothing else of their environment. Random numbers come from R's generator. The integrity
#' check of a [saved model][saved_models] covers only the outermost parts of the fitted object.
#'
#' @param domain_weights,scale,terms As in [all methods][dg_arguments].
#' @param fit Function of the rows and the response, see [learner_functions].
#' @param predict Function of the value of `fit` and of new rows, see [learner_functions]; for
#'   example [stats::predict()].
#' @param ... The learner's own arguments, by name.
#' @param survival Function for survival probabilities of censored times, see [learner_functions].
#'   Default `NULL`: none.
#' @param title Name of the learner in prints and messages.
#' @param needs `"numbers"` (default): all columns are numeric; `"data"`: categories are factors.
#' @param domain_means If `TRUE`, each numeric column is followed by a column `<name>.mean`, its
#'   mean over the rows of the domain (contextual effect of multilevel models), in the unit of the
#'   scaled column (of `scale = "pooled"`, unless that is `"none"`). In a new domain, the mean is
#'   taken over its unlabelled rows in `newdata` or `reference`, see [predict.dg_learner()]. Default
#'   `FALSE`. A column of means has only one value per domain. With few domains, a learner without
#'   selection or shrinkage can therefore overfit these columns.
#' @param calibration For classes. `"none"`: the probabilities of `predict`, if it returns any.
#'   `"platt"` or `"isotonic"`: calibrated on held-out domains, see [calibration].
#' @return A specification. Fitted, it is a model of class `learner_custom`, a list with
#'   \item{engine}{list with `object`, the value of `fit`}
#'   \item{decision}{n x m decision values of the training rows}
#'   and what `predict()` needs. `coef()` returns the coefficients of the value of `fit`.
#' @section Errors:
#' An error in one of the functions is passed on with the title, as class `domgen_error_learner`; so
#' is a prediction of the wrong type. A `fit` with an argument that `learner_custom()` or [fit()]
#' has, an unknown argument, and data among the arguments are errors.
#' @seealso [learner_functions], [dg_forest()], [predict.dg_learner()], [dg_compare()];
#'   `vignette("extending")`
#' @examples
#' # the mean of the k nearest rows
#' nearest <- learner_custom(
#'   fit = function(x, y, k = 5) list(x = as.matrix(x), y = y),
#'   predict = function(object, x, k = 5) {
#'     apply(as.matrix(x), 1, function(row) {
#'       mean(object$y[order(colSums((t(object$x) - row)^2))[seq_len(k)]])
#'     })
#'   },
#'   title = "Nearest rows", scale = "pooled"
#' )
#' dg_compare(list(nearest = nearest, linear = dg_lm()),
#'            uptake ~ conc + Type + Treatment | Plant, data = CO2, folds = 4)
#' dg_tune(nearest, uptake ~ conc + Type + Treatment | Plant, data = CO2, folds = 4,
#'         grid = list(k = c(1, 3, 9)))
#' @export
learner_custom <- function(fit, predict, ..., survival = NULL, title = "Custom learner",
                           needs = c("numbers", "data"), scale = "none", domain_means = FALSE,
                           domain_weights = c("size", "equal"),
                           calibration = c("none", "platt", "isotonic"), terms = NULL) {
  check_engine(fit, "fit", missing(fit))
  check_engine(predict, "predict", missing(predict))
  extra <- own_arguments(fit, given_dots(list(...)))
  check_predict(predict, names(extra))
  if (!is.null(survival)) {
    if (!is.function(survival) || length(formals(args(survival))) < 3L) {
      abort("argument", "`survival` must be a function of the fitted object, the rows and the ",
            "times, as in `function(object, x, times)`.")
    }
    survival <- portable_function(survival)
  }
  args <- c(
    list(fit = portable_function(fit), predict = portable_function(predict), survival = survival,
         title = title, needs = needs), extra,
    list(scale = scale, domain_means = domain_means, domain_weights = domain_weights,
         calibration = calibration, terms = terms)
  )
  wanted <- formals(args(fit))
  row <- list(
    title = title, response = "open", reference = TRUE, weights = "weights" %in% names(wanted),
    # an argument with a default can do without
    domain = "domain" %in% names(wanted) && identical(wanted$domain, quote(expr = )),
    parameters = custom_rows(names(extra)), own = names(extra)
  )
  spec <- checked_spec("learner_custom", "learner_custom_spec", args, row)
  if (spec$args$domain_weights == "equal" && !row$weights) {
    abort("argument", "`domain_weights` must be \"size\" for a `fit` without an argument ",
          "`weights`, not \"equal\".")
  }
  spec$given <- character()
  spec
}

# A function, so that models do not carry its frame.
custom_rows <- function(extra) {
  force(extra)
  function() {
    of_user <- lapply(extra, parameter)
    do.call(parameters, c(list(
      parameter("fit", tuned = FALSE), parameter("predict", tuned = FALSE),
      parameter("survival", tuned = FALSE),
      parameter("title", check = check_title, tuned = FALSE),
      parameter("needs", "choice", levels = c("numbers", "data"), tuned = FALSE)
    ), of_user))
  }
}

check_title <- function(value, arg) {
  if (!is.character(value) || length(value) != 1L || is.na(value)) {
    abort("argument", "`", arg, "` must be one string, not ", describe(value), ".")
  }
  value
}

check_engine <- function(fun, arg, absent) {
  if (absent) abort("argument", "`", arg, "` must be given.")
  if (!is.function(fun)) {
    abort("argument", "`", arg, "` must be a function, not ", describe(fun), ".")
  }
  # those of the language, as `[`, have none
  names <- if (!is.null(args(fun))) names(formals(args(fun)))
  if (length(names) < 2L && !"..." %in% names) {
    abort("argument", "`", arg, "` must be a function of at least two arguments, as in `function(",
          if (arg == "fit") "x, y" else "object, x", ")`.")
  }
}

check_predict <- function(fun, extra) {
  open <- vapply(formals(args(fun)), identical, NA, quote(expr = ))
  other <- setdiff(names(which(open[-(1:2)])), c("domain", "...", extra))
  if (length(other)) {
    abort("argument", "`predict` must be a function of the fitted object, the rows, and perhaps ",
          "`domain` and arguments of `fit`, but not of ", enumerate(other), ".")
  }
}

# The learner's own arguments, list by name: those of `fit` beyond the rows and the response, with
# what is given or, where that is a constant, the default; NULL: what `fit` says itself.
own_arguments <- function(fit, dots) {
  wanted <- formals(args(fit))
  names <- setdiff(names(wanted), c(names(wanted)[1:2], "domain", "weights", "..."))
  reserved <- c(names(formals(learner_custom)), data_arguments)
  if (any(names(dots) %in% data_arguments)) {
    abort("argument", "`", intersect(names(dots), data_arguments)[1L], "` must not be given: ",
          "learner_custom() makes a specification. Give the data to fit().")
  }
  if (any(names %in% reserved)) {
    abort("argument", "`fit` must not have an argument called ",
          enumerate(intersect(names, reserved)), ", because learner_custom() or fit() has it; ",
          "use another function, as in `function(x, y) lm(y ~ ., data = x)`.")
  }
  if (is.null(names(dots))) check_no_dots(dots, names)
  twice <- setdiff(names(dots)[duplicated(names(dots))], "")
  if (length(twice)) abort("argument", "`", twice[1L], "` must be given once, not several times.")
  unknown <- if ("..." %in% names(wanted)) names(dots) == "" else !names(dots) %in% names
  check_no_dots(dots[unknown], c(names, names(formals(learner_custom))))
  values <- stats::setNames(lapply(wanted[names], constant_default), names)
  values[names(dots)] <- dots
  values
}

constant_default <- function(default) {
  plain <- all(all.names(default) %in% c("-", "c", "(", ":", "^", "*", "/"))
  if (!identical(default, quote(expr = )) && plain) eval(default, baseenv())
}

#' @exportS3Method
spec_needs.learner_custom_spec <- function(spec) {
  needs <- c(method_of(spec)[c("response", "domain", "reference")], spec$args["terms"])
  if (identical(spec$args$needs, "data")) needs$columns <- list(c("number", "factor"))
  needs
}

# The categorical predictors at the end of the columns, see uncoded().
#' @exportS3Method
place_spec.learner_custom_spec <- function(spec, columns) {
  spec$coded <- columns$coded
  spec
}

#' Functions of an own learner
#'
#' What are the functions `fit`, `predict` and `survival` of [learner_custom()] given, and what do
#' they return?
#'
#' @section Arguments of `fit`:
#' The first two are the rows and the response, under any names.
#'
#' | argument | value |
#' |---|---|
#' | first | data frame: the numeric columns of the formula, scaled by `scale` |
#' | second | response: numeric vector, factor, or `survival::Surv` object |
#' | `domain` | domain of each row, an unordered factor; passed if `fit` has it |
#' | `weights` | cost of each row; passed if `fit` has it |
#' | others | the learner's own arguments |
#'
#' With `needs = "numbers"` categories are dummy variables, with the first level as the reference;
#' with `needs = "data"` they follow the numeric columns as factors with the levels of the training
#' data. After a projection the columns are its scores in either case. Columns are named by their
#' terms, such as `poly(a, 2)1`; `cbind(x, y = y)` keeps these names, `data.frame()` changes them.
#' The costs are the row weights, multiplied
#' by \eqn{n/(G n_g)}{n/(G n_g)} for `domain_weights = "equal"`. Rows of weight 0 are left out. An
#' argument `domain` without a default makes a domain mandatory. Without an argument `weights`,
#' weights are an error.
#' @section Arguments and value of `predict`:
#' The first two arguments are the value of `fit` and a data frame of new rows as above. If
#' `predict` has an argument `domain`, it gets a factor with the domain of each row, `NA` for rows
#' without one, or `NULL` if the new data have no domain column. In [dg_cv()] these domains were not
#' in the training data of the fold.
#'
#' | response | value |
#' |---|---|
#' | numeric | numeric vector of finite numbers, one per row |
#' | classes | factor or character vector of classes |
#' | classes | matrix or data frame of probabilities, one column per class, named by class |
#' | two classes | numeric vector: probability of the second class |
#' | censored times | numeric vector: log relative hazard, or another score of risk |
#'
#' The rows of a matrix of probabilities sum to 1. Any other value is an error that names what was
#' expected. With probabilities, the decision value of two classes is 2p - 1; for more classes it is
#' p of each class. `predict(type = "prob")` returns these probabilities, unless `calibration`
#' replaces them.
#'
#' For survival probabilities of censored times ([predict(type = "survival")][predict.dg_learner],
#' [metric_brier()]), give a function `survival` of the value of `fit`, new rows, and an argument
#' `times`, as in `function(object, x, times)`. It returns a matrix with a row per row and a column
#' per time.
#' @name learner_functions
#' @seealso [learner_custom()]; `vignette("extending")`
NULL
