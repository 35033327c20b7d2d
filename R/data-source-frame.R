# Rows of a data frame, and what readers of other kinds share.

#' @rdname row_source
#' @exportS3Method
row_source.data.frame <- function(x, ..., partitions = 1, table = NULL, query = NULL, levels = NULL,
                                  block_size = 50000, store = NULL) {
  check_row_dots(list(...), table, query, "partitions")
  partitions <- check_count(partitions, "partitions")
  x <- check_data(x, "x")
  # a level that is in some part is one of all
  if (partitions > 1L) x[] <- lapply(x, function(v) {
    if (is.character(v)) text_factor(plain_column(v)) else v
  })
  cuts <- floor(seq(0, nrow(x), length.out = partitions + 1))
  parts <- lapply(seq_len(partitions), function(k) {
    data <- if (partitions == 1L) x else frame_rows(x, cuts[k] + seq_len(cuts[k + 1L] - cuts[k]))
    label <- if (partitions == 1L) "data" else paste0("data, part ", k)
    new_partition("frame", label, data = data, nameless = TRUE, part = k)
  })
  new_source(parts, levels, block_size, store)
}

frame_rows <- function(data, rows) {
  plain_frame(lapply(data, function(column) {
    if (is.object(column)) class_rows(column, rows)
    else if (is.null(dim(column))) column[rows] else column[rows, , drop = FALSE]
  }), length(rows))
}

#' @exportS3Method
partition_count.partition_frame <- function(partition) nrow(partition$data)

#' @exportS3Method
partition_key.partition_frame <- function(partition) partition$data

#' @exportS3Method
partition_columns.partition_frame <- function(partition) names(partition$data)

#' @exportS3Method
partition_open.partition_frame <- function(partition, columns = NULL, text = character()) {
  frame_reader(partition$data, columns, text, partition$label)
}

# The same data frame in two elements of a list; parts of one may be alike.
#' @exportS3Method
partition_identity.partition_frame <- function(partition) {
  if (nrow(partition$data) > 0L) list(partition$part, partition$data)
}

frame_reader <- function(data, columns, text, label) {
  data <- pick_columns(data, columns, label)
  at <- 0
  list(read = function(n) {
    if (at >= nrow(data)) return(NULL)
    rows <- seq(at + 1, min(at + n, nrow(data)))
    at <<- at + length(rows)
    whole <- length(rows) == nrow(data)
    text_as_text(if (whole) data else frame_rows(data, rows), text, label)
  }, close = function() NULL)
}

pick_columns <- function(data, columns, label) {
  if (is.null(columns)) columns <- named_columns(data)
  check_columns(data, columns, label)
  plain_frame(unclass(data)[columns], nrow(data))
}

text_as_text <- function(data, text, label) {
  for (name in intersect(text, names(data))) {
    if (!is_understood(data[[name]])) refuse_class(data[[name]], name, paste0("`", label, "`"))
    data[[name]] <- value_labels(data[[name]])
  }
  data
}

# The blocks of one reader after the other, until next_reader() gives NULL.
readers_in_turn <- function(next_reader, close = function() NULL) {
  reader <- NULL
  ended <- FALSE
  list(read = function(n) {
    while (!ended) {
      if (is.null(reader)) reader <<- next_reader()
      ended <<- is.null(reader)
      block <- if (!ended) reader$read(n)
      if (!is.null(block)) return(block)
      reader <<- NULL
    }
  }, close = close)
}
