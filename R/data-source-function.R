# A function that gives the rows piece by piece, in biglm's convention, or one without arguments
# that makes a database connection.

#' @rawNamespace S3method(row_source,"function")
row_source.function <- function(x, ..., table = NULL, query = NULL, levels = NULL,
                                block_size = 50000, store = NULL) {
  if (length(formals(args(x))) == 0L) {
    check_row_dots(list(...))
    return(new_source(database_partitions(x, table, query), levels, block_size, store))
  }
  check_row_dots(list(...), table, query)
  new_source(list(new_partition("function", "function", give = x, nameless = TRUE)),
             levels, block_size, store)
}

#' @exportS3Method
partition_identity.partition_function <- function(partition) partition$give

# The function, as it is when it has been told to start again, and all rows that it gives: they may
# come from a file that has changed, or from options, of which its code says nothing.
#' @exportS3Method
partition_key.partition_function <- function(partition) {
  on_error({
    partition$give(TRUE)
    sum <- ""
    while (!is.null(piece <- partition$give(FALSE))) sum <- fingerprint(list(sum, piece))
    partition$give(TRUE)
    list(partition$give, sum)
  }, function(e) NULL)
}

#' @exportS3Method
partition_open.partition_function <- function(partition, columns = NULL, text = character()) {
  partition$give(TRUE)
  readers_in_turn(function() {
    given <- partition$give(FALSE)
    if (is.null(given)) return(NULL)
    if (!is.data.frame(given)) {
      abort("data", "`", partition$label, "` must give data frames, and NULL at the end, not ",
            describe(given), ".")
    }
    frame_reader(check_data(given, partition$label), columns, text, partition$label)
  })
}
