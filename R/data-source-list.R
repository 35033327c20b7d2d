# Sources one after the other.

#' @exportS3Method
row_source.list <- function(x, ..., table = NULL, query = NULL, levels = NULL, block_size = 50000,
                            store = NULL) {
  check_row_dots(list(...), table, query)
  if (length(x) == 0L) abort("argument", "`x` must have at least one element.")
  sources <- lapply(x, row_source)
  levels <- check_levels(levels)
  own <- unlist(lapply(unname(sources), `[[`, "levels"), recursive = FALSE)
  own <- own[!names(own) %in% names(levels)]
  own <- lapply(split(own, names(own)), unique)
  if (any(lengths(own) > 1L)) {
    abort("argument", "The sources declare other levels of ",
          enumerate(names(own)[lengths(own) > 1L]), "; declare them once, by `levels` of ",
          "the whole.")
  }
  new_source(relabel(sources), c(levels, lapply(own, `[[`, 1L)), block_size, store)
}

# Partitions with labels of their own: those that have no name, as files have one, get that of
# their element of the list, else their number.
relabel <- function(sources) {
  names <- rep(names(sources), lengths(lapply(sources, `[[`, "partitions")))
  partitions <- unlist(lapply(unname(sources), `[[`, "partitions"), recursive = FALSE)
  labels <- vapply(partitions, `[[`, "", "label")
  again <- labels %in% labels[duplicated(labels)]
  for (k in which(vapply(partitions, function(partition) isTRUE(partition$nameless), NA))) {
    if (!is.null(names) && nzchar(names[k])) partitions[[k]]$label <- names[k]
    else if (again[k]) partitions[[k]]$label <- paste("partition", k)
  }
  partitions
}
