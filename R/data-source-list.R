# Sources one after the other.

#' @exportS3Method
row_source.list <- function(x, ..., table = NULL, query = NULL, levels = NULL, rows = 50000,
                            store = NULL) {
  check_row_dots(list(...), table, query)
  if (length(x) == 0L) abort("argument", "`x` must have at least one element.")
  sources <- lapply(x, as_source)
  own <- unlist(lapply(unname(sources), `[[`, "levels"), recursive = FALSE)
  own <- own[!names(own) %in% names(check_levels(levels))]
  new_source(relabel(sources), c(check_levels(levels), agreed_levels(own)), rows, store)
}

# Partitions with labels of their own: the names of the list, else their number.
relabel <- function(sources) {
  names <- rep(names(sources), lengths(lapply(sources, `[[`, "partitions")))
  partitions <- unlist(lapply(unname(sources), `[[`, "partitions"), recursive = FALSE)
  labels <- vapply(partitions, `[[`, "", "label")
  again <- labels %in% labels[duplicated(labels)]
  for (k in seq_along(partitions)) {
    if (!is.null(names) && nzchar(names[k]) && is_nameless(partitions[[k]])) {
      partitions[[k]]$label <- names[k]
    } else if (again[k] && is_nameless(partitions[[k]])) {
      partitions[[k]]$label <- paste("partition", k)
    }
  }
  partitions
}

# Has it no name of its own, as files have?
is_nameless <- function(partition) isTRUE(partition$nameless)

agreed_levels <- function(own) {
  sets <- split(own, names(own))
  differs <- vapply(sets, function(set) length(unique(set)) > 1L, NA)
  if (any(differs)) {
    abort("argument", "The sources declare other levels of ", enumerate(names(sets)[differs]),
          "; declare them once, by `levels` of the whole.")
  }
  lapply(sets, `[[`, 1L)
}
