# At which values of its predictors a model is looked at.

# By predictor a list(at: numbers, in order, or codes of categories; categories: NULL of numbers;
# ordered: are these steps?).
read_grids <- function(grid, predictors, rows, type) {
  names <- if (is.null(predictors)) rows$names else predictors
  if (!is.character(names) || length(names) == 0L || anyNA(names)) {
    abort("argument", "`predictors` must be names of columns, not ", describe(predictors), ".")
  }
  names <- unique(names)
  other <- setdiff(names, rows$names)
  if (length(other)) {
    abort("argument", "`predictors` must be among ", enumerate(rows$names, 12L), ", not ",
          enumerate(other), ".")
  }
  own <- check_grid(grid, names)
  lapply(stats::setNames(nm = names), function(name) {
    column <- column_of(rows$data, name)
    check_plain_column(column, name)
    if (!has_categories(column)) {
      return(number_grid(column, own[[name]], own$size, name, rows, type))
    }
    if (!is.null(own[[name]])) {
      abort("argument", "`grid` must not have values for `", name, "`: all its categories are ",
            "looked at.")
    }
    list(at = seq_along(categories_of(column)), categories = categories_of(column),
         ordered = is.ordered(column) || is.logical(column))
  })
}

# list(size), and the values that are given, by predictor.
check_grid <- function(grid, names) {
  if (!is.list(grid)) return(list(size = check_count(grid, "grid", 2L, 10000L)))
  other <- setdiff(names(grid), names)
  if (length(grid) == 0L || is.null(names(grid)) || length(other) || anyDuplicated(names(grid))) {
    abort("argument", "`grid` must be a number or a list of values by predictor",
          if (length(other)) paste0(", not for ", enumerate(other)), ".")
  }
  for (name in names(grid)) {
    values <- grid[[name]]
    if (!is.numeric(values) || length(values) == 0L || !all(is.finite(values))) {
      abort("argument", "`grid$", name, "` must be finite numbers, not ", describe(values), ".")
    }
    grid[[name]] <- sort(unique(as.numeric(values)))
  }
  c(list(size = 20L), grid)
}

number_grid <- function(column, given, size, name, rows, type) {
  if (!is.numeric(column)) {
    abort("argument", "`predictors` must be numbers or categories; `", name, "` is ",
          describe(column), ".")
  }
  if (is.null(given)) {
    given <- if (type == "context") shift_grid(column, rows$domain, size) else {
      shares <- seq(0, 1, length.out = size + (type == "ale"))
      unique(stats::quantile(column, shares, type = 1L, names = FALSE, na.rm = TRUE))
    }
  }
  list(at = given, categories = NULL, ordered = TRUE)
}

# An odd number of shifts, so that none is among them; where domains have the same mean, by the
# spread of rows.
shift_grid <- function(column, domain, size) {
  means <- tapply(column, domain, mean, na.rm = TRUE)
  # squares of large numbers overflow
  spread_of <- function(values) robust_sd(values - mean(values))
  spread <- if (length(means) > 1L) spread_of(means) else 0
  if (!isTRUE(spread > 0)) spread <- spread_of(column[!is.na(column)])
  if (!isTRUE(spread > 0)) spread <- 1
  seq(-1, 1, length.out = min(2L * (size %/% 2L) + 1L, 9L)) * spread
}

has_categories <- function(column) {
  is.factor(column) || is.character(column) || is.logical(column)
}

categories_of <- function(column) {
  if (is.logical(column)) c("FALSE", "TRUE") else column_levels(column)
}

# Of a data frame or a matrix with names.
column_of <- function(data, name) if (is.data.frame(data)) data[[name]] else data[, name]

set_column <- function(data, name, values) {
  if (is.data.frame(data)) data[[name]] <- values else data[, name] <- values
  data
}

# Numbers of a column: codes of categories.
column_codes <- function(column) {
  if (has_categories(column)) match(as.character(column), categories_of(column))
  else as.numeric(column)
}

# And back.
column_from <- function(codes, like) {
  if (!has_categories(like)) return(codes)
  if (is.logical(like)) return(codes == 2L)
  values <- categories_of(like)[codes]
  if (is.factor(like)) factor(values, levels(like), ordered = is.ordered(like)) else values
}
