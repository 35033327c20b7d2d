# Imputation as the blueprint remembers it, and its replay on new rows.

# With the indicators, which stand behind the other scaled columns.
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
# function that gives one entry per row; known: values by domain that rows of a reference have,
# or "training". list(columns, indicators, own: values by domain).
impute_new <- function(impute, columns, given, domain, known, arg, new_levels) {
  if (is.null(impute)) return(list(columns = columns))
  warn_imputed(impute, given, arg)
  columns <- without_new_numbers(impute, columns, arg, new_levels)
  own <- NULL
  if (impute$by == "domain") {
    domain <- domain()
    own <- values_by_domain(columns, impute$places, domain, impute$category)
    if (identical(known, "training")) known <- impute$own
    if (is.null(known)) known <- impute$known
    # a domain that the reference has is described by it alone
    own <- c(own[!names(own) %in% names(known)], known)
  }
  list(columns = fill_columns(impute, columns, domain, own),
       indicators = gap_indicators(impute, columns), own = own)
}

# A number of which the formula makes a category that training did not have is missing too.
without_new_numbers <- function(impute, columns, arg, new_levels) {
  places <- which(impute$category)
  for (i in seq_along(places)) {
    name <- impute$places$name[places[i]]
    levels <- impute$levels[[i]]
    new <- !columns[[name]] %in% c(levels, NA)
    if (!any(new)) next
    tell_new_level(name, levels, columns[[name]][new], arg, new_levels, taken_as(impute))
    columns[[name]][new] <- NA
  }
  columns
}

taken_as <- function(impute) paste0("taken as missing", if (!is.null(impute)) " and imputed")

# The design has no column that would tell.
warn_imputed <- function(impute, given, arg) {
  count <- count_gaps(given, impute$places)
  some <- count > 0L & !impute$gappy
  if (!any(some)) return(invisible())
  each <- paste0("`", impute$places$label[some], "` (", vapply(count[some], plural, "", "row"), ")")
  warn("imputed", "`", arg, "` has missing values where training had none, in ",
       enumerate(each, quote = ""), "; the median or most frequent level of ",
       if (impute$by == "domain") "the row's domain" else "training", " stands there.")
}

# For a model of the domain `name`, of values by domain.
fix_imputation <- function(impute, own, name) {
  if (is.null(own)) return(impute)
  near <- own[[match(name, names(own))]]
  for (kind in names(near)) {
    known <- !is.na(near[[kind]])
    impute$typical[[kind]][known] <- near[[kind]][known]
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
