# Missing predictors, na.action = na.impute: what is learned for their place from training rows, its
# replay on new rows, and how values are looked up and put in.

#' Impute missing predictors
#'
#' @description
#' With `na.action = na.impute`, rows with missing predictors are kept. A missing number becomes the
#' median of the training values; a missing category, text or logical value the most frequent level
#' (the first of equals). Each variable with missing values in training also gets an indicator: a
#' column of the design, `ses.missing` for the variable `ses`, that is 1 where it was missing and 0
#' elsewhere. The default, [na.omit()][stats::na.omit], drops such rows.
#'
#' `na.impute()` without data is a specification: `na.action = na.impute(by = "domain", indicators =
#' FALSE)`. With data it returns them imputed.
#'
#' @details
#' The values are learned from training rows with known response, domain and weight, and stored in
#' the model, which uses them for new rows. [dg_cv()], [dg_tune()] and [dg_compare()] learn them
#' anew in each fold; searches inside one fit, as in [dg_auto()], use values of all rows of that
#' fit, as for scaling. Weights are ignored. Rows with a missing response, domain or weight are
#' still dropped.
#'
#' * Variables are imputed before terms are evaluated: in `log(x) * z`, `x` and `z` are complete,
#'   and scaling, kernels and embeddings get no missing values. A value that a term itself makes
#'   missing (the logarithm of a negative number) is not imputed: the row is dropped, or its
#'   prediction is `NA`.
#' * A numeric variable that the formula turns into categories, as `factor(grade)`, is imputed as a
#'   category. In a matrix each column is a variable. Ids of [kernel_precomputed()] are not imputed.
#' * A variable that was complete in training is imputed in new rows too. It has no indicator; a
#'   warning of class `domgen_warning_imputed` names it and counts its rows.
#' * A level that training did not have is missing (`new_levels = "na"` of
#'   [predict()][predict.dg_learner()], with a warning) and so imputed. [kernel_mixed()] takes it as
#'   different from all others, also here.
#' * With `by = "domain"`, values come from the known values of the row's own domain, or from all
#'   training rows if there are none. A new domain uses its unlabelled rows in `newdata`, or in
#'   `reference` if that has the domain; `reference = "training"` uses training values for a domain
#'   of training. Predictions then need the domain, and depend on which of its rows come together,
#'   as with `scale = "domain"`.
#' * If whole domains lack a variable, its indicator distinguishes domains rather than rows;
#'   `indicators = FALSE` may then be better on new domains. Variables that are always missing
#'   together have the same indicator, of which [dg_lm()] uses one, with a warning.
#'
#' Medians and indicators are simple imputation (Little and Rubin, 2002, chapter 4): predictions do
#' not show how uncertain the imputed values are.
#'
#' @param object Predictors to impute, a data frame or numeric matrix. If it is missing, a
#'   specification for `na.action` is returned.
#' @param by Source of the values: `"pooled"` (default), all training rows; `"domain"`, the row's
#'   own domain.
#' @param indicators If `TRUE` (default), variables with missing values get an indicator.
#' @param domain Domain of each row of `object`, for `by = "domain"`.
#' @return Without `object`, an object of class `domgen_impute`. With it, the data frame or matrix
#'   without missing values, the indicators as its last columns.
#' @section Errors:
#' A variable without any known value in training, which is named; infinite values; a column that
#' `newdata` does not have (it is not taken as missing).
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
  if (missing(object)) {
    if (is.null(domain)) return(action)
    abort("argument", "`domain` must not be given without `object`: a model has its own.")
  }
  if (!is.null(attr(object, "terms"))) {
    abort("argument", "`object` must be predictors, not a model frame, which has a response too: ",
          "`na.impute` is for the methods of domgen.")
  }
  framed <- is.data.frame(object)
  columns <- if (framed) check_data(object, "object")
             else list(object = as_numeric_matrix(object, "object"))
  places <- places_of(columns, names(columns), if (!framed) colnames(columns$object))
  domain <- read_groups(domain, NROW(object), "domain")
  filled <- impute_training(action, columns, places, rep(TRUE, NROW(object)), domain)
  if (!framed) return(cbind(filled$columns$object, filled$indicators))
  if (is.null(filled$indicators)) return(filled$columns)
  names <- make.unique(c(names(columns), colnames(filled$indicators)))
  stats::setNames(cbind(filled$columns, filled$indicators), names)
}

is_imputation <- function(action) inherits(action, "domgen_impute")

# "na.impute" itself, by name or as a function, is the default of its arguments.
as_imputation <- function(na.action) {
  if (is_imputation(na.action)) return(na.action)
  if (identical(na.action, "na.impute") || identical(na.action, na.impute)) na.impute()
}

# What sums over pieces of data allow.
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

# ---- what is learned from the training rows for the place of missing values -------------------

# at: rows that count; category: which places are categorical beside those that look it.
# list(columns, indicators, impute: what the blueprint remembers).
impute_training <- function(action, columns, places, at, domain,
                            category = rep(FALSE, length(places$label))) {
  # what is wrong with all rows is reported by the reader
  if (!any(at)) return(list(columns = columns))
  per_domain <- if (action$by == "domain") {
    domain <- read_domain(domain, length(at), needed = TRUE)
    values_by_domain(columns, places, replace(domain, !at, NA), category)
  }
  typical <- typical_values(columns, places, at, category)
  empty <- is.na(typical$number) & is.na(typical$text)
  if (any(empty)) {
    abort("data", "No training row has a value of ", enumerate(places$label[empty]),
          ", so none can be imputed. Leave ", if (sum(empty) == 1L) "it" else "them", " out.")
  }
  gappy <- count_gaps(columns, places, at) > 0L
  indicated <- if (action$indicators) which(gappy) else integer()
  impute <- list(by = action$by, places = places, category = category, typical = typical,
                 own = per_domain, levels = lapply(which(category), function(k) {
                   text_levels(value_at(columns, places, k)[at])
                 }), gappy = gappy, indicated = indicated,
                 columns = paste0(places$label[indicated], rep(".missing", length(indicated))))
  list(columns = fill_columns(impute, columns, domain, per_domain),
       indicators = gap_indicators(impute, columns), impute = impute)
}

# Of the data of a formula; given: y, domain and weights that are known; names: of its variables.
impute_frame <- function(input, given, names, terms, wishes) {
  action <- as_imputation(input$na.action)
  data <- input$data
  parts <- input$parts
  if (is.null(action)) return(list(columns = data))
  names <- setdiff(intersect(names, names(data)), variables_of(parts$response))
  names <- names[vapply(data[names], is.atomic, NA)]
  names <- setdiff(names, id_names(wishes, data[names]))
  at <- !Reduce(`|`, lapply(given, is_missing), rep(FALSE, nrow(data)))
  if (!is.null(parts$response)) {
    response <- with_environment(call("~", parts$response), parts$bare)
    at <- at & !missing_rows(data, variables_of(response))
    at <- evaluate_terms(terms_of(response), data, at)$usable
  }
  places <- places_of(data, names)
  impute_training(action, data, places, at, given$domain,
                  places$name %in% made_categories(terms, data, environment(parts$bare)))
}

# Numbers of which a term makes categories, each its own.
made_categories <- function(terms, data, env) {
  calls <- Filter(is.call, as.list(attr(terms, "variables"))[-1L])
  unlist(lapply(calls, function(call) {
    name <- intersect(variables_of(call), names(data))
    if (length(name) != 1L || !is_bare_number(data[[name]])) return(NULL)
    present <- data[!is.na(data[[name]]), , drop = FALSE]
    value <- on_error(suppressWarnings(eval(call, present, env)), function(e) NULL)
    if (is_category(value) && length(unique(value)) == length(unique(present[[name]]))) name
  }))
}

# An id that is missing is no other's.
id_names <- function(wishes, variables) {
  unlist(lapply(Filter(is.list, wishes), function(wish) {
    on_error(id_column(wish, variables)$name, function(e) NULL)
  }))
}

impute_matrix <- function(input, given, wishes) {
  action <- as_imputation(input$na.action)
  X <- input$x
  columns <- list(x = X)
  if (is.null(action)) return(list(columns = columns))
  at <- !Reduce(`|`, lapply(given, is_missing), rep(FALSE, nrow(X)))
  places <- places_of(columns, "x", colnames(X))
  ids <- places$label %in% id_names(wishes, if (!is.null(wishes)) as.data.frame(X, optional = TRUE))
  impute_training(action, columns, lapply(places, `[`, !ids), at, given$domain)
}

# ---- as the blueprint remembers it, and its replay on new rows --------------------------------

# The blueprint with the indicators, which stand after the other scaled columns.
add_indicators <- function(blueprint, impute) {
  if (is.null(impute)) return(blueprint)
  count <- length(impute$columns)
  impute$columns <- utils::tail(make.unique(c(blueprint$columns, impute$columns)), count)
  numbers <- length(blueprint$columns) - length(blueprint$coding$coded)
  blueprint$columns <- append(blueprint$columns, impute$columns, numbers)
  if (!is.null(blueprint$coding)) {
    blueprint$coding$kind <- c(blueprint$coding$kind, rep("number", count))
  }
  blueprint$impute <- impute
  blueprint
}

insert_indicators <- function(blueprint, X, indicators) {
  if (is.null(indicators)) return(X)
  coded <- seq_len(ncol(X)) > ncol(X) - length(blueprint$coding$coded)
  X <- cbind(X[, !coded, drop = FALSE], indicators, X[, coded, drop = FALSE])
  colnames(X) <- blueprint$columns
  X
}

# The design's columns without them.
design_columns <- function(blueprint) {
  blueprint$columns[!blueprint$columns %in% blueprint$impute$columns]
}

imputes_by_domain <- function(blueprint) identical(blueprint$impute$by, "domain")

# columns: of new rows; given: the same before levels that are new became missing; domain: a
# function that gives one entry per row; described: values by domain that rows of a reference have,
# or "training". list(columns, indicators, own: values by domain).
impute_new <- function(impute, columns, given, domain, described, arg, new_levels) {
  if (is.null(impute)) return(list(columns = columns))
  # the design has no column that would tell
  count <- count_gaps(given, impute$places)
  some <- count > 0L & !impute$gappy
  if (any(some)) {
    each <- paste0("`", impute$places$label[some], "` (",
                   vapply(count[some], plural, "", "row"), ")")
    warn("imputed", "`", arg, "` has missing values where training had none, in ",
         enumerate(each, quote = ""), "; imputed by the median or most frequent level of ",
         if (impute$by == "domain") "the row's domain." else "training.")
  }
  columns <- without_new_numbers(impute, columns, arg, new_levels)
  per_domain <- NULL
  if (impute$by == "domain") {
    domain <- domain()
    per_domain <- values_by_domain(columns, impute$places, domain, impute$category)
    if (identical(described, "training")) described <- impute$own
    if (is.null(described)) described <- impute$known
    # a domain that the reference has is described by it alone
    per_domain <- c(per_domain[!names(per_domain) %in% names(described)], described)
  }
  list(columns = fill_columns(impute, columns, domain, per_domain),
       indicators = gap_indicators(impute, columns), own = per_domain)
}

# A number of which the formula makes a category that training did not have is missing too.
without_new_numbers <- function(impute, columns, arg, new_levels) {
  places <- which(impute$category)
  for (i in seq_along(places)) {
    name <- impute$places$name[places[i]]
    levels <- impute$levels[[i]]
    new <- !columns[[name]] %in% c(levels, NA)
    if (!any(new)) next
    report_new_level(name, levels, columns[[name]][new], arg, new_levels, taken_as(impute))
    columns[[name]][new] <- NA
  }
  columns
}

taken_as <- function(impute) paste0("taken as missing", if (!is.null(impute)) " and imputed")

# For a model of the one domain `name`: its values take the place of those of all rows.
fix_imputation <- function(impute, per_domain, name) {
  if (is.null(per_domain)) return(impute)
  near <- per_domain[[match(name, names(per_domain))]]
  for (kind in names(near)) {
    present <- !is.na(near[[kind]])
    impute$typical[[kind]][present] <- near[[kind]][present]
  }
  impute$by <- "pooled"
  impute["own"] <- list(NULL)
  impute
}

describe_imputed <- function(blueprint) {
  if (is.null(blueprint$impute)) return("")
  gaps <- blueprint$impute$places$label[blueprint$impute$gappy]
  paste0(", imputed", if (imputes_by_domain(blueprint)) " by domain",
         if (length(gaps)) paste0(": ", enumerate(gaps, quote = "")) else " where missing")
}

# ---- values in the place of missing ones, by places: a variable, and its column in a matrix ---

# list(name, column, label): of each vector, and each column of a matrix, its variable, its place
# there (0: a vector), and what it is called.
places_of <- function(columns, names, label = NULL) {
  names <- names[!is.na(vapply(columns[names], column_type, ""))]
  columns <- columns[names]
  width <- vapply(columns, function(v) if (is.matrix(v)) ncol(v) else 0L, 0L)
  inner <- lapply(columns, function(v) {
    if (!is.matrix(v)) "" else if (is.null(colnames(v))) seq_len(ncol(v)) else colnames(v)
  })
  name <- rep(names, pmax(width, 1L))
  list(name = name,
       column = as.integer(unlist(lapply(width, function(w) if (w) seq_len(w) else 0L))),
       label = if (is.null(label)) paste0(name, unlist(inner)) else label)
}

# columns: a list, for a data frame is slow with many.
value_at <- function(columns, places, k) {
  value <- columns[[places$name[k]]]
  if (places$column[k] == 0L) value else value[, places$column[k]]
}

# How many values are missing at each place. NaN is missing too.
count_gaps <- function(columns, places, at = NULL) {
  columns <- unclass(columns)
  vapply(seq_along(places$label), function(k) {
    value <- value_at(columns, places, k)
    if (!is.null(at)) value <- value[at]
    if (anyNA(value)) sum(is.na(value)) else 0L
  }, 0L)
}

# The median or most frequent value at each place, list(number, text): that of categories is text,
# NA stands where it is in the other, and where none is known. category: places with numbers that
# are categories.
typical_values <- function(columns, places, at, category) {
  columns <- unclass(columns)
  number <- rep(NA_real_, length(places$label))
  text <- rep(NA_character_, length(places$label))
  for (k in seq_along(number)) {
    value <- base_column(value_at(columns, places, k)[at])
    present <- if (anyNA(value)) value[!is.na(value)] else value
    if (length(present) == 0L) next
    if (is_category(present)) text[k] <- most_frequent(present)
    else number[k] <- if (category[k]) as.double(most_frequent(present)) else middle(present)
  }
  list(number = number, text = text)
}

middle <- function(values) stats::median.default(as.double(values))

# The most frequent value; of several the first, in the order of the levels.
most_frequent <- function(present) {
  values <- if (is.factor(present)) levels(present) else text_levels(present)
  values[which.max(tabulate(match(present, values), length(values)))]
}

# A named list.
values_by_domain <- function(columns, places, domain, category) {
  lapply(split(seq_along(domain), domain, drop = TRUE),
         function(i) typical_values(columns, places, i, category))
}

# per_domain: values_by_domain(), or NULL.
fill_columns <- function(impute, columns, domain = NULL, per_domain = NULL) {
  frame <- oldClass(columns)
  columns <- unclass(columns)
  places <- impute$places
  gaps <- which(count_gaps(columns, places) > 0L)
  for (name in unique(places$name[gaps])) {
    column <- columns[[name]]
    for (k in gaps[places$name[gaps] == name]) {
      at <- which(is.na(value_at(columns, places, k)))
      kind <- if (is.na(impute$typical$text[k])) "number" else "text"
      values <- rep(impute$typical[[kind]][k], length(at))
      if (!is.null(per_domain)) {
        of_domain <- vapply(per_domain, function(one) one[[kind]][k], values[1L])
        near <- unname(of_domain[match(as.character(domain[at]), names(per_domain))])
        values <- ifelse(is.na(near), values, near)
      }
      if (places$column[k] > 0L) column[at, places$column[k]] <- values
      else column <- put_values(column, at, values)
    }
    columns[[name]] <- column
  }
  oldClass(columns) <- frame
  columns
}

put_values <- function(column, at, values) {
  if (is.factor(column)) levels(column) <- union(levels(column), values)
  if (is.logical(column)) values <- as.logical(values)
  timed <- is.object(column) && is.numeric(unclass(column)) && !is.factor(column)
  if (!timed) return(replace(column, at, values))
  # dates and times would round, or convert
  kept <- attributes(column)
  column <- replace(as.double(unclass(column)), at, values)
  attributes(column) <- kept
  column
}

# [rows x indicated places]
gap_indicators <- function(impute, columns) {
  if (length(impute$indicated) == 0L) return(NULL)
  columns <- unclass(columns)
  gaps <- lapply(impute$indicated, function(k) {
    as.double(is.na(value_at(columns, impute$places, k)))
  })
  matrix(unlist(gaps), ncol = length(gaps), dimnames = list(NULL, impute$columns))
}
