# Files: the kind is what the name ends in.

file_kinds <- c(csv = "csv", tsv = "csv", txt = "csv", csv.gz = "csv", tsv.gz = "csv",
                txt.gz = "csv", parquet = "parquet", rds = "rds", xlsx = "excel", xls = "excel",
                sav = "spss", zsav = "spss", dta = "stata")

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
  if (kind == "csv") csv_table(path, label) else whole_table(path, label, kind)
}

expand_path <- function(path) {
  if (dir.exists(path)) return(folder_files(path))
  if (file.exists(path)) return(path)
  if (!grepl("[*?[]", path)) {
    near <- nearest_name(basename(path), list.files(dirname(path)))
    abort("data", "There is no file `", path, "`", did_you_mean(near))
  }
  folder <- dirname(path)
  # a folder that is there is no pattern, whatever its name
  pattern <- if (!grepl("[*?[]", folder) || !dir.exists(folder)) path
             else file.path(gsub("([][*?\\\\])", "\\\\\\1", folder), basename(path))
  files <- sort(Sys.glob(pattern), method = "radix")
  files <- files[!dir.exists(files)]
  if (length(files) == 0L) abort("data", "There is no file `", path, "`.")
  files
}

# Names that begin with a dot, an underscore or ~$ are those of other programs' notes.
folder_files <- function(path) {
  files <- list.files(path)
  files <- files[!dir.exists(file.path(path, files))]
  files <- sort(files[!grepl("^(_|~[$])", files)], method = "radix")
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

# ---- files that are read as a whole -------------------------------------------------------------

whole_table <- function(path, label, kind) {
  package <- c(parquet = "nanoparquet", excel = "readxl", spss = "haven", stata = "haven")[kind]
  if (!is.na(package)) need_package(package, "row_source()")
  if (file.size(path) == 0) abort("data", "`", label, "` is empty.")
  # of no rows the names alone count
  read <- switch(kind, rds = function(n, columns) check_data(read_frame(path), label),
                 parquet = function(n, columns) read_parquet(path, n, columns),
                 excel = function(n, columns) read_sheet(path, n),
                 spss = function(n, columns) haven::read_sav(path, n_max = n),
                 stata = function(n, columns) haven::read_dta(path, n_max = n))
  row_table(label, function() names(read(0, NULL)), function(columns, text, n, f) {
    if (kind == "excel") report_sheets(path, label)
    data <- read(Inf, columns)
    check_columns(data, columns, label)
    data <- Map(function(column, name) {
      file_column(column, kind, list(label = label, first = 1, name = name), name %in% text)
    }, as.list(data)[columns], columns)
    in_blocks(frame_of_columns(data, NROW(data[[1L]])), n, f)
  }, function() path)
}

read_frame <- function(path) {
  data <- suppressWarnings(readRDS(path))
  if (is.data.frame(data)) return(data)
  stop("it must hold a data frame, not ", describe(data), call. = FALSE)
}

read_parquet <- function(path, n, columns) {
  schema <- nanoparquet::read_parquet_schema(path)
  names <- schema$name[is.na(schema$num_children) & !is.na(schema$type)]
  # they are not marked as what they are
  Encoding(names) <- "UTF-8"
  if (n == 0) return(stats::setNames(nm = as.list(names)))
  # 64-bit integers as they are, where the version can do that: inexact ones are errors
  wide <- "read_int64_type" %in% names(formals(nanoparquet::parquet_options))
  options <- do.call(nanoparquet::parquet_options,
                     c(list(class = character()), if (wide) list(read_int64_type = "integer64")))
  as.data.frame(nanoparquet::read_parquet(path, col_select = intersect(columns, names),
                                          options = options))
}

# The first sheet; all its rows decide on a column's type. readxl's messages are of names.
read_sheet <- function(path, n) {
  suppressMessages(readxl::read_excel(path, na = c("", "NA"), n_max = n, progress = FALSE,
                                      .name_repair = "minimal", guess_max = 2^20))
}

report_sheets <- function(path, label) {
  sheets <- readxl::excel_sheets(path)
  if (length(sheets) > 1L) {
    inform("source", "`", label, "` has ", plural(length(sheets), "sheet"), "; the first is read, ",
           quoted(sheets[1L]), ". Another: `row_source(readxl::read_excel(file, sheet = ))`.")
  }
}

# A column as other kinds of files would give it. as_text: does the call want it as text?
file_column <- function(column, kind, place, as_text) {
  if (inherits(column, "haven_labelled")) column <- labelled_column(column)
  # a sheet has no dates, but times
  if (kind == "excel" && inherits(column, "POSIXct")) return(days_of_midnights(column))
  if (!is.character(column) || !is.null(dim(column))) return(column)
  if (kind %in% c("excel", "spss", "stata")) column[column %in% ""] <- NA
  if (as_text) return(column)
  if (kind == "excel") read_most(column, place, ".") else days_of_text(column)
}

# Categories, if each value that occurs has a label; else the values.
labelled_column <- function(column) {
  column <- clean_column(column)
  codes <- attr(column, "labels")
  value <- base_column(column)
  # how these files write that there is no text
  if (is.character(value) && !"" %in% codes) value[value %in% ""] <- NA
  if (!all(value %in% c(codes, NA))) return(value)
  codes <- sort(codes[codes %in% value], method = "radix")
  factor(names(codes)[match(value, codes)], unique(names(codes)))
}

days_of_midnights <- function(column) {
  seconds <- as.double(column)
  if (any(seconds %% 86400 != 0, na.rm = TRUE)) return(column)
  structure(seconds / 86400, class = "Date")
}

# Text all of which are dates.
days_of_text <- function(column) {
  given <- column[!is.na(column)]
  if (length(given) == 0L || !all(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", given))) return(column)
  days <- as.Date(column, "%Y-%m-%d")
  if (anyNA(days[!is.na(column)])) column else days
}
