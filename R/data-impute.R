# What users say of missing predictors: na.action = na.impute. The values are looked up in
# data-impute-values.R, learned in data-impute-train.R, and put into new rows in data-impute-new.R.

#' Impute missing predictors
#'
#' @description
#' As `na.action = na.impute`, a row with a gap among its predictors is kept: the median of the
#' known training values stands for a missing number, the most frequent level (of equals the first)
#' for a missing category, text or logical. Each variable that has missing values in training also
#' gets an indicator, a column of the design that is 1 where it was missing and 0 elsewhere, called
#' `ses.missing` for the variable `ses`. [na.omit()][stats::na.omit], the default, leaves such rows
#' out.
#'
#' `na.impute()` called without data is a specification, as methods are:
#' `na.action = na.impute(by = "domain", indicators = FALSE)`. With data it returns them imputed.
#'
#' @details
#' The values are learned from the training rows, those whose response, domain and weight are known,
#' and stored in the model, which puts the same ones into new rows; in [dg_cv()], [dg_tune()] and
#' [dg_compare()] anew in each fold, from its training rows. (What searches inside one fit, as
#' [dg_auto()] does, sees values of all rows of that fit, as it does their scaling.) Weights do not
#' count. Missing entries of the response, the domain or the weights still leave a row out.
#'
#' * Variables are imputed before terms are evaluated: the formula `log(x) * z` sees complete `x`
#'   and `z`, and scaling, kernels and domain embeddings never see a gap. What a term makes missing
#'   (the logarithm of a negative number) is no gap; such a row is left out, or its prediction is
#'   `NA`.
#' * A number of which the formula makes categories one by one, as `factor(grade)`, counts as
#'   categorical. Of a matrix each column is a variable. Ids of [kernel_precomputed()] are not
#'   imputed.
#' * A variable that was complete in training is imputed in new rows too. The design has no
#'   indicator for it, and a warning of class `domgen_warning_imputed` names it and counts its rows.
#' * A level that training did not have is missing (`new_levels = "na"` of
#'   [predict()][predict.dg_learner()], with a warning), and so imputed; where [kernel_mixed()]
#'   takes it as unlike all others, it does so here too.
#' * With `by = "domain"` the median or most frequent level is that of the known values of the row's
#'   own domain, and the pooled training value where the domain has none. A new domain's are those
#'   of its unlabelled rows in `newdata`, or in `reference` where that has the domain;
#'   `reference = "training"` takes those of training for a domain that was in it. Predictions then
#'   need the domain, and depend on which of its rows come together, as with `scale = "domain"`.
#' * Where whole domains lack a variable, its indicator tells domains rather than rows apart, and
#'   `indicators = FALSE` may do better on new ones. Variables that are always missing together have
#'   the same indicator, of which [dg_lm()] uses one, with a warning.
#'
#' Medians and indicators are simple imputation (Little and Rubin, 2002, chapter 4): what is
#' predicted does not say how uncertain the imputed values are.
#'
#' @param object Predictors, a data frame or numeric matrix, to be imputed here and now; without
#'   it a specification for `na.action` is returned.
#' @param by `"pooled"`: values of all training rows; `"domain"`: those of the row's own domain.
#' @param indicators Whether variables with missing values get an indicator.
#' @param domain With `object` and `by = "domain"`: the domain of each row.
#' @return Without `object`, an object of class `domgen_impute`. With it, the data frame or matrix
#'   without gaps, the indicators as its last columns.
#' @section Errors:
#' A variable without any known value in training, which is named; infinite values; a column that
#' newdata does not have (it is not taken as missing).
#' @references
#' Little, R. J. A. and Rubin, D. B. (2002). *Statistical Analysis with Missing Data*, 2nd edition.
#' Wiley.
#' @examples
#' air <- transform(airquality, Month = factor(Month))
#' model <- dg_ridge(Temp ~ Ozone + Solar.R + Wind | Month, data = air, na.action = na.impute)
#' nobs(model)
#' predict(model, air[5, ], reference = air)
#'
#' head(na.impute(air[1:4]))
#' by_month <- na.impute(by = "domain")
#' update(model, na.action = by_month)
#' @export
na.impute <- function(object, by = c("pooled", "domain"), indicators = TRUE, domain = NULL) {
  action <- structure(list(by = check_choice(by, "by", c("pooled", "domain")),
                           indicators = check_flag(indicators, "indicators")),
                      class = "domgen_impute")
  if (!missing(object)) return(impute_data(object, action, domain))
  if (!is.null(domain)) {
    abort("argument", "`domain` must not be given without `object`: a model has its own.")
  }
  action
}

is_imputation <- function(action) inherits(action, "domgen_impute")

# "na.impute" itself, by name or as a function, is the default of its arguments.
as_imputation <- function(na.action) {
  if (is_imputation(na.action)) return(na.action)
  if (identical(na.action, "na.impute") || identical(na.action, na.impute)) na.impute()
}

# Of sums over pieces of data.
pooled_only <- function(action) {
  if (is_imputation(action) && action$by == "domain") {
    abort("argument", "`na.action` must be pooled imputation, not ", format(action), ": a piece ",
          "need not have all rows of its domains.")
  }
  action
}

#' @export
format.domgen_impute <- function(x, ...) {
  paste0("na.impute(by = \"", x$by, "\", indicators = ", x$indicators, ")")
}

#' @export
print.domgen_impute <- function(x, ...) {
  cat_line(format(x))
  invisible(x)
}

impute_data <- function(object, action, domain) {
  if (!is.null(attr(object, "terms"))) {
    abort("argument", "`object` must be predictors, not a model frame, which has a response too: ",
          "`na.impute` is for the methods of domgen.")
  }
  framed <- is.data.frame(object)
  columns <- if (framed) check_data(object, "object")
             else list(object = as_numeric_matrix(object, "object"))
  places <- places_of(columns, names(columns), if (!framed) colnames(columns$object))
  domain <- read_groups(domain, NROW(object), "domain")
  found <- impute_training(action, columns, places, rep(TRUE, NROW(object)), domain)
  if (!framed) return(cbind(found$columns$object, found$indicators))
  if (is.null(found$indicators)) return(found$columns)
  names <- make.unique(c(names(columns), colnames(found$indicators)))
  stats::setNames(cbind(found$columns, found$indicators), names)
}
