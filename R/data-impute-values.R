# Values in the place of missing ones, by places: a variable, and its column where it is a matrix.

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
count_gaps <- function(columns, places, rows = NULL) {
  columns <- unclass(columns)
  vapply(seq_along(places$label), function(k) {
    value <- value_at(columns, places, k)
    if (!is.null(rows)) value <- value[rows]
    if (anyNA(value)) sum(is.na(value)) else 0L
  }, 0L)
}

# The median or most frequent value at each place, list(number, text): that of categories is text,
# NA stands where it is in the other, and where none is known. category: places with numbers that
# are categories.
typical_values <- function(columns, places, rows, category) {
  columns <- unclass(columns)
  number <- rep(NA_real_, length(places$label))
  text <- rep(NA_character_, length(places$label))
  for (k in seq_along(number)) {
    value <- value_at(columns, places, k)[rows]
    known <- if (anyNA(value)) value[!is.na(value)] else value
    if (length(known) == 0L) next
    if (is_category(known)) text[k] <- most_frequent(known)
    else number[k] <- if (category[k]) as.double(most_frequent(known)) else middle(known)
  }
  list(number = number, text = text)
}

middle <- function(known) stats::median.default(as.double(known))

# Of equals the first, in the order of the levels.
most_frequent <- function(known) {
  values <- if (is.factor(known)) levels(known) else sort(unique(known))
  values[which.max(tabulate(match(known, values), length(values)))]
}

# A named list.
values_by_domain <- function(columns, places, domain, category) {
  rows <- split(seq_along(domain), domain, drop = TRUE)
  lapply(rows, function(i) typical_values(columns, places, i, category))
}

# own: values_by_domain(), or NULL.
fill_columns <- function(impute, columns, domain = NULL, own = NULL) {
  frame <- oldClass(columns)
  columns <- unclass(columns)
  places <- impute$places
  gaps <- which(count_gaps(columns, places) > 0L)
  for (name in unique(places$name[gaps])) {
    column <- columns[[name]]
    for (k in gaps[places$name[gaps] == name]) {
      rows <- which(is.na(value_at(columns, places, k)))
      values <- gap_values(k, impute$typical, own, domain[rows], length(rows))
      if (places$column[k] > 0L) column[rows, places$column[k]] <- values
      else column <- put_values(column, rows, values)
    }
    columns[[name]] <- column
  }
  oldClass(columns) <- frame
  columns
}

gap_values <- function(k, typical, own, domain, n) {
  kind <- if (is.na(typical$text[k])) "number" else "text"
  values <- rep(typical[[kind]][k], n)
  if (is.null(own)) return(values)
  of_domain <- vapply(own, function(one) one[[kind]][k], typical[[kind]][k])
  near <- unname(of_domain[match(as.character(domain), names(own))])
  ifelse(is.na(near), values, near)
}

put_values <- function(column, rows, values) {
  if (is.factor(column)) levels(column) <- union(levels(column), values)
  if (is.logical(column)) values <- as.logical(values)
  timed <- is.object(column) && is.numeric(unclass(column)) && !is.factor(column)
  if (!timed) return(replace(column, rows, values))
  # dates and times would round, or convert
  kept <- attributes(column)
  column <- replace(as.double(column), rows, values)
  attributes(column) <- kept
  column
}

# [rows x indicated places]
gap_indicators <- function(impute, columns) {
  if (length(impute$indicated) == 0L) return(NULL)
  columns <- unclass(columns)
  found <- lapply(impute$indicated, function(k) {
    as.double(is.na(value_at(columns, impute$places, k)))
  })
  matrix(unlist(found), ncol = length(found), dimnames = list(NULL, impute$columns))
}
