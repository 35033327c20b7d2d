# Files: each is a partition, of the kind that its name says.

file_kinds <- c(csv = "csv", tsv = "csv", txt = "csv", csv.gz = "csv", tsv.gz = "csv",
                txt.gz = "csv", parquet = "parquet", rds = "rds")

#' @exportS3Method
row_source.character <- function(x, ..., table = NULL, query = NULL, levels = NULL, rows = 50000,
                                 store = NULL) {
  check_row_dots(list(...), table, query)
  if (length(x) == 0L || anyNA(x) || !all(nzchar(x))) {
    abort("argument", "`x` must be paths of files, not ",
          if (length(x) == 0L) "of length 0" else describe(x[is.na(x) | !nzchar(x)][1L]), ".")
  }
  paths <- unlist(lapply(x, expand_path))
  # files of one name in several folders
  names <- basename(paths[!duplicated(normalizePath(paths))])
  several <- basename(paths) %in% names[duplicated(names)]
  labels <- ifelse(several, paths, basename(paths))
  new_source(unname(Map(file_partition, paths, labels)), levels, rows, store)
}

expand_path <- function(path) {
  if (dir.exists(path)) return(folder_files(path))
  if (file.exists(path)) return(path)
  found <- if (grepl("[*?[]", path)) sort(Sys.glob(path), method = "radix") else character()
  found <- found[!dir.exists(found)]
  if (length(found) == 0L) abort("data", "There is no file `", path, "`.")
  found
}

# Names that begin with a dot or an underscore are those of other programs' notes.
folder_files <- function(path) {
  files <- setdiff(list.files(path), list.dirs(path, full.names = FALSE, recursive = FALSE))
  files <- sort(files[!startsWith(files, "_")], method = "radix")
  known <- !is.na(file_kind(files))
  if (!any(known)) {
    abort("data", "The folder `", path, "` has no files that can be read (",
          enumerate(names(file_kinds), length(file_kinds), ""), ").")
  }
  if (!all(known)) {
    inform("source", "Not read in `", path, "`: ", enumerate(files[!known]), ".")
  }
  file.path(path, files[known])
}

file_kind <- function(path) {
  name <- tolower(basename(path))
  unname(file_kinds[sub(".*?[.]((csv|tsv|txt)[.]gz|[^.]*)$", "\\1", name, perl = TRUE)])
}

file_partition <- function(path, label) {
  kind <- file_kind(path)
  if (is.na(kind)) {
    abort("argument", "`", path, "` must end in ",
          enumerate(paste0(".", names(file_kinds)), length(file_kinds), ""), ".")
  }
  new_partition(kind, label, path = normalizePath(path))
}

file_key <- function(path) {
  known <- file.info(path, extra_cols = FALSE)
  # copying sets mtime to that of another file, but not ctime
  paste(path, format(known$size, digits = 15), format(as.numeric(known$mtime), digits = 20),
        format(as.numeric(known$ctime), digits = 20))
}
