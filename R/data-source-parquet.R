# Parquet files, by whichever package is installed: nanoparquet reads the columns of a file as a
# whole, arrow one group of rows at a time.

parquet_engine <- function() {
  for (engine in c("arrow", "nanoparquet")) if (requireNamespace(engine, quietly = TRUE)) {
    return(engine)
  }
  need_package("nanoparquet", "row_source()")
}

#' @exportS3Method
partition_columns.partition_parquet <- function(partition) parquet_about(partition)$columns

#' @exportS3Method
partition_count.partition_parquet <- function(partition) parquet_about(partition)$rows

#' @exportS3Method
partition_open.partition_parquet <- function(partition, columns = NULL, text = character()) {
  there <- parquet_about(partition)$columns
  if (is.null(columns)) columns <- there
  check_named(there, columns, partition$label)
  if (parquet_engine() == "arrow") return(arrow_reader(partition, columns, text))
  # 64-bit integers as they are, where the version can do that: those that are not exact are errors
  wide <- "read_int64_type" %in% names(formals(nanoparquet::parquet_options))
  data <- parquet_part(partition, {
    options <- do.call(nanoparquet::parquet_options,
                       c(list(class = character()), if (wide) list(read_int64_type = "integer64")))
    as.data.frame(nanoparquet::read_parquet(partition$path, col_select = columns,
                                            options = options))
  })
  frame_reader(data, columns, text, partition$label)
}

# arrow is large, and domgen can do without: it is not among the packages that domgen names.
arrow_files <- function() getExportedValue("arrow", "ParquetFileReader")

# list(columns, rows)
parquet_about <- function(partition) {
  parquet_part(partition, if (parquet_engine() == "arrow") {
    file <- arrow_files()$create(partition$path)
    list(columns = names(file$GetSchema()), rows = as.numeric(file$num_rows))
  } else {
    schema <- nanoparquet::read_parquet_schema(partition$path)
    leaves <- schema$name[is.na(schema$num_children) & !is.na(schema$type)]
    about <- nanoparquet::read_parquet_info(partition$path)
    list(columns = leaves, rows = as.numeric(about$num_rows))
  })
}

parquet_part <- function(partition, code) {
  on_error(code, function(e) {
    abort("data", "`", partition$label, "` cannot be read as Parquet: ", conditionMessage(e))
  })
}

arrow_reader <- function(partition, columns, text) {
  file <- parquet_part(partition, arrow_files()$create(partition$path))
  places <- match(columns, names(file$GetSchema())) - 1L
  group <- 0L
  readers_in_turn(function() {
    if (group >= file$num_row_groups) return(NULL)
    data <- parquet_part(partition, as.data.frame(file$ReadRowGroup(group, places)))
    group <<- group + 1L
    frame_reader(data, columns, text, partition$label)
  })
}
