# The two places of a sink of files: `<to>`, where predictions come when all are there, and the
# folder `<to>.part`, where they grow. Either may have something of the user's in it, which is an
# error: a file is removed only if it is one of the package's by name, kind and content.

# What may be in `<to>.part`, by its path from there. Files of rows come after `call.rds`, which
# says of which call they are, and go before it.
begun_files <- "^(head[.]rds|part-[0-9]{5,}[.]rds|(rows|old)/part-[0-9]{5,}[.]csv)$"
work_folders <- "^(rows|old|store|lock|lock-[0-9a-f]+)$"
other_files <- paste0("^(call[.]rds|store/domgen-[0-9a-f]{32}-.*|lock(-[0-9a-f]+)?/", lock_names,
                      "|(call|head|part-[0-9]{5,})[.]rds[.][0-9a-f]+[.]new)$")

# Of all that is there now; asked at the door, again when the place is held, and at the end.
check_place <- function(sink) {
  path <- sink$path
  if (is_link(path)) {
    abort("argument", "`to` must not be a symbolic link that leads nowhere: `", path, "`.")
  }
  if (sink$one && dir.exists(path)) {
    abort("argument", "`to` is a folder: `", path, "`. A name that ends in .csv is one of a file.")
  }
  if (!sink$one && file.exists(path) && !dir.exists(path)) {
    abort("argument", "`to` is a file: `", path, "`. It must end in .csv, or be a folder.")
  }
  if (!sink$one && identical(path, normalizePath(getwd()))) {
    abort("argument", "`to` must not be the working folder, which would be replaced: `", path, "`.")
  }
  check_work(sink$work)
  if (!is_filled(path)) return(invisible())
  if (!sink$overwrite) abort_finished(path)
  check_results(path)
}

# An empty folder can be filled.
is_filled <- function(path) {
  if (dir.exists(path)) length(list_all(path)) > 0L else file.exists(path)
}

# `overwrite` replaces nothing but predictions.
check_results <- function(path) {
  if (!dir.exists(path)) {
    if (is_result(path)) return(invisible())
    abort("argument", "`to` is there already, and has no predictions that `overwrite` could ",
          "replace: `", path, "`. Move it, or give another `to`.")
  }
  names <- list_all(path)
  ours <- grepl("^part-[0-9]{5,}[.]csv$", names) &
    vapply(file.path(path, names), is_result, NA)
  if (!all(ours)) abort_foreign(path, names[!ours])
}

abort_foreign <- function(folder, names) {
  abort("argument", "`to` needs the folder `", folder, "`, which has files that are no ",
        "predictions of this package: ", enumerate(names), ". Move them, or give another `to`.")
}

# The first columns of whatever a sink writes; an empty file has nothing to lose.
is_result <- function(file) {
  if (is_link(file) || dir.exists(file)) return(FALSE)
  if (file.size(file) == 0) return(TRUE)
  head <- utils::head(csv_line(c("partition", "row")), -1L)
  identical(on_error(suppressWarnings(readBin(file, "raw", length(head))), function(e) NULL), head)
}

check_work <- function(folder) {
  if (is_link(folder)) {
    abort("argument", "`to` needs the folder `", folder, "`, which must not be a symbolic link. ",
          "Move it, or give another `to`.")
  }
  if (file.exists(folder) && !dir.exists(folder)) {
    abort("argument", "`to` needs the folder `", folder, "`, which is a file. Move it, or give ",
          "another `to`.")
  }
  found <- files_inside(folder)
  paths <- file.path(folder, found)
  is_folder <- grepl(work_folders, found)
  ours <- !is_link(paths) & dir.exists(paths) == is_folder &
    (is_folder | grepl(other_files, found) | grepl(begun_files, found))
  if (is.null(begun_by(folder))) ours <- ours & !grepl(begun_files, found) & found != "call.rds"
  if (any(!ours)) ours[!ours] <- !file.exists(paths[!ours]) & !is_link(paths[!ours])
  # what is gone by now was that of a call that has ended
  if (any(!ours)) abort_foreign(folder, found[!ours])
}

# What is in a folder and in the folders of ours in it, these behind their files; links are not
# followed.
files_inside <- function(folder) {
  found <- list_all(folder)
  below <- found[grepl(work_folders, found) & !is_link(file.path(folder, found))]
  c(unlist(lapply(below, function(name) {
    names <- list_all(file.path(folder, name))
    if (length(names)) file.path(name, names)
  })), found)
}

# The key of the call that has begun here, NULL: none.
begun_by <- function(folder) {
  file <- file.path(folder, "call.rds")
  if (!file.exists(file)) return(NULL)
  key <- on_error(suppressWarnings(readRDS(file)), function(e) NULL)
  if (is.character(key) && length(key) == 1L && grepl("^[0-9a-f]{32}$", key)) key
}

# Removes what is left of calls, but for the lock of this one. store: also sums that are kept there?
clear_work <- function(folder, store) {
  found <- files_inside(folder)
  files <- found[grepl(begun_files, found) | grepl(other_files, found)]
  if (!store) files <- files[!startsWith(files, "store/")]
  files <- files[!startsWith(files, "lock/") & files != "call.rds"]
  remove_files(file.path(folder, files))
  remove_folders(file.path(folder, setdiff(found[grepl(work_folders, found)], "lock")))
  remove_files(file.path(folder, "call.rds"))
}

# What was at the place of a folder is kept aside until the new one is there.
put_in_place <- function(sink, made) {
  renamed <- function(from, to) suppressWarnings(file.rename(from, to))
  if (sink$one && !sink$overwrite) {
    # a file that came at the last moment would be renamed away; not every file system has links
    if (suppressWarnings(file.link(made, sink$path))) return(remove_files(made))
    if (is_filled(sink$path)) abort_finished(sink$path)
  }
  old <- file.path(sink$work, "old")
  replaced <- dir.exists(sink$path)
  if ((!replaced || renamed(sink$path, old)) && renamed(made, sink$path)) return(invisible())
  put_back(sink)
  abort("write", "`", sink$label, "` cannot be renamed from `", made, "`, where all rows are.")
}

# A call that was killed in between left it there.
put_back <- function(sink) {
  old <- file.path(sink$work, "old")
  if (dir.exists(old) && !file.exists(sink$path)) file.rename(old, sink$path)
}

# ---- the rows that are read -------------------------------------------------------------------

check_other_files <- function(sink, source) {
  read <- as.character(unlist(lapply(source$partitions, `[[`, "path")))
  there <- if (sink$one) sink$path else file.path(sink$path, list_all(sink$path))
  same <- lies_in(read, sink$path) | lies_in(read, sink$work) |
    file_times(read) %in% stats::na.omit(file_times(there))
  if (any(same)) {
    abort("argument", "`to` must not be where the rows are read from: `", sink$path, "`.")
  }
  given <- unique(unlist(lapply(source$partitions, `[[`, "given")))
  if (sink$one && any(vapply(given, would_read, NA, sink$path))) {
    abort("argument", "`to` would be read as rows the next time: it is in the folder, or of the ",
          "pattern, that they are read from: `", sink$path, "`. Give a `to` elsewhere.")
  }
  if (!is.null(source$store) && any(lies_in(full_path(source$store), c(sink$path, sink$work)))) {
    abort("argument", "`store` must not be inside of `to`: `", source$store, "`.")
  }
}

# What tells files apart whose paths do not, where names differ in case only, or a folder has two.
file_times <- function(paths) {
  known <- file.info(paths, extra_cols = FALSE)
  text <- paste(tolower(basename(paths)), format(known$size, digits = 15),
                format(as.numeric(known$mtime), digits = 20))
  replace(text, is.na(known$size) | known$size == 0, NA)
}
