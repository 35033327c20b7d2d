# A partition of a source is
#   list(label = what messages call it, ... what a worker needs to open it itself),
#   class c("partition_<kind>", "dg_partition"), with methods of the generics below.

new_partition <- function(kind, label, ...) {
  structure(list(label = label, ...), class = c(paste0("partition_", kind), "dg_partition"))
}

# The number of rows, as cheaply as the kind allows.
partition_count <- function(partition) UseMethod("partition_count")

# list(read = function(n): a plain data frame of at most n rows, NULL at the end; close =
# function()). columns: their names, NULL for all; text: those that are read as text, whatever they
# look like. A domain "007" is not 7. Of these the ones called "label" in `names(text)` are domains.
partition_open <- function(partition, columns = NULL, text = character()) {
  UseMethod("partition_open")
}

# A value that tells whether it is the same data as before, in another session too; NULL where that
# cannot be known.
partition_key <- function(partition) UseMethod("partition_key")

# The names of all columns where they cost no pass, else NULL.
partition_columns <- function(partition) UseMethod("partition_columns")

#' @exportS3Method
partition_count.default <- function(partition) {
  total <- 0
  each_block(partition, NULL, character(), 50000, function(block, first) {
    total <<- total + nrow(block)
  })
  total
}

#' @exportS3Method
partition_key.default <- function(partition) NULL

#' @exportS3Method
partition_columns.default <- function(partition) NULL

# f(block, first) for each block that has rows, as it was read, until f gives FALSE.
each_block <- function(partition, columns, text, rows, f) {
  reader <- safely_read(partition_open(partition, columns, text), partition$label, 1)
  on.exit(reader$close())
  first <- 1
  while (!is.null(block <- read_block(reader, rows, partition$label, first))) {
    if (nrow(block) > 0L && isFALSE(f(block, first))) break
    first <- first + nrow(block)
  }
  invisible(first - 1)
}

# What goes wrong in another package while it reads, with the row that was reached.
read_block <- function(reader, rows, label, first) {
  safely_read(reader$read(rows), label, first)
}

safely_read <- function(code, label, first) {
  on_error(code, function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("data", "`", label, "` cannot be read from row ", in_full(first), " on: ",
          conditionMessage(e))
  })
}

# f(data, first) for each block, until it gives FALSE: data agreed with the prototype, first: number
# of its first row in the partition.
walk_blocks <- function(partition, prototype, rows, f) {
  each_block(partition, names(prototype), text_columns(prototype), rows, function(block, first) {
    f(agree_block(block, prototype, partition$label, first), first)
  })
}

text_columns <- function(prototype) {
  open <- vapply(prototype, function(column) is.factor(column) || is.character(column), NA)
  text <- names(prototype)[open]
  names(text) <- ifelse(vapply(prototype[open], inherits, NA, "dg_labels"), "label", "")
  text
}

in_full <- function(n) format(n, big.mark = big_mark(), scientific = FALSE, trim = TRUE)

# What two partitions of the same rows have in common, NULL where that cannot be known.
partition_identity <- function(partition) UseMethod("partition_identity")

#' @exportS3Method
partition_identity.default <- function(partition) NULL
