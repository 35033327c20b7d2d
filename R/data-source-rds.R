# A data frame in a file of R.

#' @exportS3Method
partition_count.partition_rds <- function(partition) nrow(read_rds(partition))

#' @exportS3Method
partition_open.partition_rds <- function(partition, columns = NULL, text = character()) {
  frame_reader(read_rds(partition), columns, text, partition$label)
}

read_rds <- function(partition) {
  data <- on_error(suppressWarnings(readRDS(partition$path)), function(e) {
    abort("data", "`", partition$label, "` cannot be read: ", conditionMessage(e), ".")
  })
  if (!is.data.frame(data)) {
    abort("data", "`", partition$label, "` must hold a data frame, not ", describe(data), ".")
  }
  check_data(data, partition$label)
}
