#' Any learner, by two functions
#'
#' @description
#' Makes a specification of a function that fits and one that predicts, so that any learner stands
#' beside those of this package: in [fit()], [dg_cv()], [dg_compare()], [dg_tune()], behind a
#' projection in a [dg_pipeline()], with calibrated probabilities, in a file. Ready ones are
#' [dg_forest()], [dg_boost()], [dg_net()], [dg_mixed()] and [dg_gam()].
#'
#' @details
#' **What `fit` gets.** `x`, a data frame: with `needs = "numbers"` the numeric columns that the
#' formula makes (dummy variables for categories), scaled by `scale`; with `needs = "data"` the
#' numeric columns, and behind them the categorical predictors as factors with the levels of the
#' training data. Behind a projection it is the scores, in either case. Names of columns are those
#' of the terms, such as `poly(a, 2)1`: `data.frame()` changes them, `cbind(x, y = y)` does not.
#' `y`: a numeric vector, or a factor. Both come first, whatever they are called. If the function
#' has arguments of these names, also `domain`, a factor without order, and `weights`, the costs of
#' the rows: their weights, times \eqn{n/(G n_g)}{n/(G n_g)} for `domain_weights = "equal"`. Rows of
#' weight 0 are left out. An argument `domain` without a default makes a domain necessary; without
#' an argument `weights`, weights are an error.
#'
#' **What `predict` gets.** What `fit` gave, and `x` as above, of new rows. If it has an argument
#' `domain`, the domain of each row, a factor: `NULL` where the new data do not say it, and `NA` for
#' single rows that do not. With [dg_cv()] it is a domain that was not in training.
#'
#' **What `predict` gives.** For a number a numeric vector, finite, one entry per row. For classes
#' one of: a factor or character vector of classes; a matrix or data frame of probabilities with a
#' column for each class, named by it, whose rows sum to 1; with two classes a numeric vector, the
#' probability of the second. Anything else is an error that says what was expected and found. With
#' probabilities the decision value of two classes is 2p - 1, and of more p for each class;
#' `predict(type = "prob")` gives the probabilities, unless `calibration` asks for others.
#'
#' **Arguments of its own.** Further arguments of `fit` are the learner's own. They are given here
#' in `...`, changed by [update()][update.dg_spec()], tuned by [dg_tune()], and printed; one that is
#' not given (or `NULL`) is left to `fit`. `predict` is handed those that it has too.
#'
#' Both functions keep the variables and functions that their bodies name, as they are now, and
#' nothing else of where they were made. Random numbers are those of R's generator. Of the fitted
#' object a [saved model][predict.dg_learner()] records only the outermost parts.
#'
#' @param fit A function of `x` and `y`, see Details.
#' @param predict A function of what `fit` gives and of `x`, see Details; perhaps
#'   [stats::predict()].
#' @param ... Values of the learner's own arguments, by name.
#' @param title What to call it, in print and in messages.
#' @param needs `"numbers"`: `x` has numeric columns only; `"data"`: also factors.
#' @param scale As in [dg_svm()], but by default `"none"`.
#' @param domain_means If `TRUE`, each column of numbers gets a further one, `<name>.mean`, with its
#'   mean over the rows of the domain, in the unit of the scaled column (of `scale = "pooled"`,
#'   unless it is `"none"`): the contextual effect of multilevel models. Those of new domains are
#'   means over their unlabelled rows in `newdata` or `reference`, see [predict.dg_learner()]. There
#'   are as many different means as domains: with few domains they mislead a learner that does not
#'   select or shrink.
#' @param domain_weights `"size"`: each row weighs the same; `"equal"`: each domain does.
#' @param calibration For classes, `"platt"` or `"isotonic"`: probabilities that are calibrated on
#'   held-out domains, see [dg_svm()].
#' @return A specification. Fitted, it is a model of class `learner_custom`, a list with
#'   \item{engine}{list: `object`, what `fit` gave}
#'   \item{decision}{n x m decision values of the training rows}
#'   \item{probabilities}{does `predict` give probabilities?}
#'   and what `predict()` needs. `coef()` is that of what `fit` gave.
#' @section Errors:
#' An error inside a function is given on, with the title, in one of class `domgen_error_learner`;
#' so is a prediction of the wrong kind. A `fit` with a parameter that this function or [fit()] has,
#' an unknown argument, and data among the arguments are errors.
#' @seealso [dg_forest()], [predict.dg_learner()], [dg_compare()]; `vignette("extending")`
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
#' toy <- simulate_dica(domains = 6, n = 30, seed = 1)
#' dg_compare(list(nearest = nearest, linear = dg_lm()), y ~ . | domain, data = toy)
#' dg_tune(nearest, y ~ . | domain, data = toy, grid = list(k = c(1, 3, 9)))
#' @export
learner_custom <- function(fit, predict, ..., title = "Custom learner",
                           needs = c("numbers", "data"), scale = "none", domain_means = FALSE,
                           domain_weights = c("size", "equal"),
                           calibration = c("none", "platt", "isotonic")) {
  check_engine(fit, "fit", missing(fit))
  check_engine(predict, "predict", missing(predict))
  own <- own_arguments(fit, given_dots(list(...)))
  check_predict(predict, names(own))
  args <- c(
    list(fit = portable_function(fit), predict = portable_function(predict), title = title,
         needs = needs), own,
    list(scale = scale, domain_means = domain_means, domain_weights = domain_weights,
         calibration = calibration)
  )
  parts <- c(learner_parts("Custom learner", parameters = custom_rows(names(own))),
             list(own = names(own)))
  wanted <- formals(args(fit))
  parts$weights <- "weights" %in% names(wanted)
  # an argument with a default can do without
  parts$domain <- "domain" %in% names(wanted) && identical(wanted$domain, quote(expr = ))
  spec <- checked_spec("learner_custom", "learner_custom_spec", parts, args)
  if (spec$args$domain_weights == "equal" && !parts$weights) {
    abort("argument", "`domain_weights` must be \"size\" for a `fit` without an argument ",
          "`weights`, not \"equal\".")
  }
  spec$parts$title <- spec$args$title
  spec$given <- character()
  spec
}

# A function, so that models do not carry its frame.
custom_rows <- function(own) {
  force(own)
  function() {
    of_user <- lapply(own, parameter, check = as_it_is)
    do.call(parameters, c(list(
      parameter("fit", as_it_is, tuned = FALSE), parameter("predict", as_it_is, tuned = FALSE),
      parameter("title", check_title, tuned = FALSE),
      parameter("needs", one_of(c("numbers", "data")), tuned = FALSE)
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

check_predict <- function(fun, own) {
  open <- vapply(formals(args(fun)), identical, NA, quote(expr = ))
  other <- setdiff(names(which(open[-(1:2)])), c("domain", "...", own))
  if (length(other)) {
    abort("argument", "`predict` must be a function of the fitted object and the rows, perhaps of ",
          "`domain` and what `fit` has, and not also of ", enumerate(other), ".")
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
          "learner_custom() makes a specification, which fit() gives data.")
  }
  if (any(names %in% reserved)) {
    abort("argument", "`fit` must not have a parameter called ",
          enumerate(intersect(names, reserved)), ", which learner_custom() or fit() has; another ",
          "function may call it, as in `function(x, y) lm(y ~ ., data = x)`.")
  }
  if (is.null(names(dots))) check_no_dots(dots, names)
  twice <- setdiff(names(dots)[duplicated(names(dots))], "")
  if (length(twice)) abort("argument", "`", twice[1L], "` must be given once, not several times.")
  unknown <- if ("..." %in% names(wanted)) names(dots) == "" else !names(dots) %in% names
  check_no_dots(dots[unknown], c(names, names(formals(learner_custom))))
  own <- stats::setNames(lapply(wanted[names], constant_default), names)
  own[names(dots)] <- dots
  own
}

constant_default <- function(default) {
  plain <- all(all.names(default) %in% c("-", "c", "(", ":", "^", "*", "/"))
  if (!identical(default, quote(expr = )) && plain) eval(default, baseenv())
}

#' @exportS3Method
spec_needs.learner_custom_spec <- function(spec) {
  needs <- list(response = spec$parts$response, domain = spec$parts$domain)
  if (identical(spec$args$needs, "data")) needs$columns <- list(c("number", "factor"))
  needs
}

# The categorical predictors at the end of the columns, see uncoded().
#' @exportS3Method
place_spec.learner_custom_spec <- function(spec, columns) {
  spec$coded <- columns$coded
  spec
}
