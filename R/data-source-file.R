# Files: the kind is what the name ends in.

file_kinds <- c(csv = "csv", tsv = "csv", txt = "csv", csv.gz = "csv", tsv.gz = "csv",
                txt.gz = "csv", parquet = "parquet", rds = "rds")

#' @exportS3Method
tables_of.character <- function(x, table = NULL, query = NULL) {
  if (length(x) == 0L || anyNA(x) || !all(nzchar(x))) {
    abort("argument", "`x` must be paths of files, not ",
          if (length(x) == 0L) "of length 0" else describe(x[is.na(x) | !nzchar(x)][1L]), ".")
  }
  paths <- unlist(lapply(x, expand_path))
  full <- normalizePath(paths)
  if (anyDuplicated(full)) abort("data", "`", paths[anyDuplicated(full)], "` is given twice.")
  # files of one name in several folders
  several <- basename(paths) %in% basename(paths)[duplicated(basename(paths))]
  unname(Map(file_table, full, ifelse(several, paths, basename(paths))))
}

file_table <- function(path, label) {
  kind <- file_kind(path)
  if (is.na(kind)) {
    abort("argument", "`", path, "` must end in ",
          enumerate(paste0(".", names(file_kinds)), length(file_kinds), ""), ".")
  }
  switch(kind, csv = csv_table(path, label), parquet = parquet_table(path, label),
         rds = rds_table(path, label))
}

expand_path <- function(path) {
  if (dir.exists(path)) return(folder_files(path))
  if (file.exists(path)) return(path)
  if (!grepl("[*?[]", path)) abort("data", "There is no file `", path, "`.")
  folder <- dirname(path)
  # a folder that is there is no pattern, whatever its name
  pattern <- if (!grepl("[*?[]", folder) || !dir.exists(folder)) path
             else file.path(gsub("([][*?\\\\])", "\\\\\\1", folder), basename(path))
  files <- sort(Sys.glob(pattern), method = "radix")
  files <- files[!dir.exists(files)]
  if (length(files) == 0L) abort("data", "There is no file `", path, "`.")
  files
}

# Names that begin with a dot or an underscore are those of other programs' notes.
folder_files <- function(path) {
  files <- list.files(path)
  files <- files[!dir.exists(file.path(path, files))]
  files <- sort(files[!startsWith(files, "_")], method = "radix")
  readable <- !is.na(file_kind(files))
  if (!any(readable)) {
    abort("data", "The folder `", path, "` has no files that can be read (",
          enumerate(names(file_kinds), length(file_kinds), ""), ").")
  }
  if (!all(readable)) {
    inform("source", "Not read in `", path, "`: ", enumerate(files[!readable]), ".")
  }
  file.path(path, files[readable])
}

file_kind <- function(path) {
  name <- lower_case(basename(path))
  unname(file_kinds[sub("(?s).*?[.]((csv|tsv|txt)[.]gz|[^.]*)$", "\\1", name, perl = TRUE)])
}

rds_table <- function(path, label) {
  read <- function() {
    data <- suppressWarnings(readRDS(path))
    if (!is.data.frame(data)) stop("it must hold a data frame, not ", describe(data), call. = FALSE)
    check_data(data, label)
  }
  row_table(label, function() names(read()),
            function(columns, text, n, f) in_blocks(read(), n, f), function() path)
}

parquet_table <- function(path, label) {
  need_package("nanoparquet", "row_source()")
  columns_in <- function() {
    schema <- nanoparquet::read_parquet_schema(path)
    schema$name[is.na(schema$num_children) & !is.na(schema$type)]
  }
  row_table(label, columns_in, function(columns, text, n, f) {
    # 64-bit integers as they are, where the version can do that: inexact ones are errors
    wide <- "read_int64_type" %in% names(formals(nanoparquet::parquet_options))
    options <- do.call(nanoparquet::parquet_options,
                       c(list(class = character()), if (wide) list(read_int64_type = "integer64")))
    there <- intersect(columns, columns_in())
    in_blocks(as.data.frame(nanoparquet::read_parquet(path, col_select = there,
                                                      options = options)), n, f)
  }, function() path)
}
