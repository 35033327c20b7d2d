# What sources print.

partition_kinds <- c(partition_frame = "data frame", partition_csv = "CSV", partition_rds = "RDS",
                     partition_parquet = "Parquet", partition_dbi = "database",
                     partition_function = "function")

#' @exportS3Method
print.dg_source <- function(x, ...) {
  kinds <- partition_kinds[vapply(x$partitions, function(p) class(p)[1L], "")]
  count <- table(kinds)[unique(kinds)]
  labels <- vapply(x$partitions, `[[`, "", "label")
  cat_line("A source of rows in ", plural(length(labels), "partition"), ": ",
           enumerate(labels, 3L, ""))
  each <- paste0(names(count), if (length(count) > 1L) paste0(" (", count, ")"))
  cat_line("  kind     ", paste(each, collapse = ", "), describe_partition(x$partitions[[1L]]))
  columns <- on_error(partition_columns(x$partitions[[1L]]), function(e) NULL)
  if (length(columns)) cat_line("  columns  ", enumerate(columns, 8L, ""))
  for (name in names(x$levels)) {
    cat_line("  levels   ", name, ": ", enumerate(x$levels[[name]], 8L, ""))
  }
  cat_line("  blocks   of ", plural(x$rows, "row"))
  if (!is.null(x$store)) cat_line("  store    ", x$store)
  invisible(x)
}

# What is to be said of the first partition beside its kind.
describe_partition <- function(partition) UseMethod("describe_partition")

#' @exportS3Method
describe_partition.default <- function(partition) ""
