# Files: each is a partition, of the kind that its name says.

file_kinds <- c(csv = "csv", tsv = "csv", txt = "csv", csv.gz = "csv", tsv.gz = "csv",
                txt.gz = "csv", parquet = "parquet", rds = "rds")

#' @exportS3Method
row_source.character <- function(x, ..., table = NULL, query = NULL, levels = NULL,
                                 block_size = 50000, store = NULL) {
  check_row_dots(list(...), table, query)
  if (length(x) == 0L || anyNA(x) || !all(nzchar(x))) {
    abort("argument", "`x` must be paths of files, not ",
          if (length(x) == 0L) "of length 0" else describe(x[is.na(x) | !nzchar(x)][1L]), ".")
  }
  found <- lapply(x, expand_path)
  paths <- unlist(found)
  # files of one name in several folders
  names <- basename(paths[!duplicated(normalizePath(paths))])
  several <- basename(paths) %in% names[duplicated(names)]
  labels <- ifelse(several, paths, basename(paths))
  given <- rep(vapply(x, full_path, ""), lengths(found))
  partitions <- Map(function(path, label, given) {
    kind <- file_kind(path)
    if (is.na(kind)) {
      abort("argument", "`", path, "` must end in ",
            enumerate(paste0(".", names(file_kinds)), length(file_kinds), ""), ".")
    }
    new_partition(kind, label, path = normalizePath(path), given = given)
  }, paths, labels, given)
  new_source(unname(partitions), levels, block_size, store)
}

expand_path <- function(path) {
  if (dir.exists(path)) return(folder_files(path))
  if (file.exists(path)) return(path)
  if (!grepl("[*?[]", path)) abort("data", "There is no file `", path, "`.")
  folder <- dirname(path)
  # a folder that is there is no pattern, whatever its name
  pattern <- if (!grepl("[*?[]", folder) || !dir.exists(folder)) path
             else file.path(gsub("([][*?\\\\])", "\\\\\\1", folder), basename(path))
  found <- sort(Sys.glob(pattern), method = "radix")
  found <- found[!dir.exists(found)]
  if (length(found) == 0L) abort("data", "There is no file `", path, "`.")
  found
}

# given: a file, folder or pattern that row_source() got, in full.
would_read <- function(given, path) {
  if (dir.exists(given)) {
    return(dirname(path) == given && !grepl("^[._]", basename(path)) && !is.na(file_kind(path)))
  }
  if (file.exists(given)) return(FALSE)
  # as Sys.glob() reads it
  name <- gsub("([.()+^$|{}\\\\])", "\\\\\\1", basename(given))
  for (sign in list(c("[!", "[^"), c("*", ".*"), c("?", "."))) {
    name <- gsub(sign[1L], sign[2L], name, fixed = TRUE)
  }
  dirname(path) == dirname(given) &&
    on_error(grepl(paste0("^", name, "$"), basename(path)), function(e) FALSE)
}

# Names that begin with a dot or an underscore are those of other programs' notes.
folder_files <- function(path) {
  files <- list.files(path)
  files <- files[!dir.exists(file.path(path, files))]
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
  name <- lower_case(basename(path))
  unname(file_kinds[sub("(?s).*?[.]((csv|tsv|txt)[.]gz|[^.]*)$", "\\1", name, perl = TRUE)])
}

#' @exportS3Method
partition_identity.partition_file <- function(partition) partition$path

#' @exportS3Method
partition_key.partition_file <- function(partition) partition_state(partition)

#' @exportS3Method
partition_state.partition_file <- function(partition) {
  known <- file.info(partition$path, extra_cols = FALSE)
  # copying sets mtime to that of another file, but not ctime
  paste(partition$path, format(known$size, digits = 15),
        format(as.numeric(known$mtime), digits = 20), format(as.numeric(known$ctime), digits = 20))
}
