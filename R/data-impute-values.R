# Values in the place of missing ones, by places: a variable, and its column where it is a matrix.

# list(name, column, label): of each vector, and each column of a matrix, its variable, its place
# there (0: a vector), and what it is called.
places_of <- function(columns, names, label = NULL) {
  names <- names[!is.na(vapply(columns[names], column_type, ""))]
  width <- vapply(columns[names], function(v) if (is.matrix(v)) ncol(v) else 0L, 0L)
  inner <- lapply(columns[names], function(v) {
    if (!is.matrix(v)) "" else if (is.null(colnames(v))) seq_len(ncol(v)) else colnames(v)
  })
  name <- rep(names, pmax(width, 1L))
  list(name = name, column = as.integer(unlist(lapply(width, function(w) if (w) seq_len(w) else 0L))),
       label = if (is.null(label)) paste0(name, unlist(inner)) else label)
}

value_at <- function(columns, places, k) {
  value <- columns[[places$name[k]]]
  if (places$column[k] == 0L) value else value[, places$column[k]]
}

each_place <- function(places, f) lapply(seq_along(places$label), f)

# The median or most frequent value, NA where none is known.
typical_value <- function(column, category = FALSE) {
  known <- column[!is.na(column)]
  if (length(known) == 0L) return(NA)
  if (!category && !is_category(column)) return(stats::median(as.double(known)))
  values <- if (is.factor(column)) levels(column) else sort(unique(known))
  values[which.max(tabulate(match(known, values), length(values)))]
}

# For each place the values by domain, a named vector.
values_by_domain <- function(columns, places, domain, category) {
  rows <- split(seq_along(domain), domain, drop = TRUE)
  each_place(places, function(k) {
    column <- value_at(columns, places, k)
    unlist(lapply(rows, function(i) typical_value(column[i], category[k])))
  })
}

# own: values_by_domain(), or NULL.
fill_columns <- function(impute, columns, domain = NULL, own = NULL) {
  places <- impute$places
  for (name in unique(places$name)) {
    column <- columns[[name]]
    if (!anyNA(column)) next
    for (k in which(places$name == name)) {
      gap <- which(is.na(value_at(columns, places, k)))
      if (length(gap) == 0L) next
      values <- gap_values(impute$typical[[k]], own[[k]], domain[gap], length(gap))
      j <- places$column[k]
      column <- put_values(column, gap + nrow_before(column, j), values)
    }
    columns[[name]] <- column
  }
  columns
}

# Where column j of a matrix begins.
nrow_before <- function(column, j) if (j == 0L) 0L else (j - 1L) * nrow(column)

gap_values <- function(typical, own, domain, n) {
  values <- rep(typical, n)
  if (is.null(own)) return(values)
  near <- unname(own[match(as.character(domain), names(own))])
  values[!is.na(near)] <- near[!is.na(near)]
  values
}

put_values <- function(column, at, values) {
  if (is.factor(column)) levels(column) <- union(levels(column), values)
  timed <- is.object(column) && is.numeric(unclass(column)) && !is.factor(column)
  if (!timed) return(replace(column, at, values))
  # dates and times would round, or convert
  kept <- attributes(column)
  column <- replace(as.double(column), at, values)
  attributes(column) <- kept
  column
}

# [rows x indicated places]
gap_indicators <- function(impute, columns) {
  places <- impute$places
  if (length(impute$indicated) == 0L) return(NULL)
  found <- lapply(impute$indicated, function(k) as.double(is.na(value_at(columns, places, k))))
  matrix(unlist(found), ncol = length(found), dimnames = list(NULL, impute$columns))
}
