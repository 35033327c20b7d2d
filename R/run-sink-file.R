# Results as files. A path that ends in .csv is one file, any other a folder with a file for each
# part. Both grow in a folder `<to>.part`: rows in rows/part-00001.csv, and in part-00001.rds how
# much of them is valid.

file_sink <- function(to, overwrite) {
  ending <- if (.Platform$OS.type == "windows") "[/\\\\]+$" else "/+$"
  path <- sub(ending, "", to)
  folder <- path != to
  if (path == "") path <- "/"
  kind <- tolower(sub("^[^.]*$|.*[.]", "", basename(path)))
  one <- kind == "csv" && !folder
  if (!one && !folder && kind %in% c("gz", "rds", "parquet", "tsv", "txt", "feather", "xlsx")) {
    abort("argument", "`to` must end in .csv, or be a folder, which gets a .csv file for each ",
          "partition, not end in .", kind, ".")
  }
  parent <- dirname(path)
  if (!dir.exists(parent)) abort("argument", "`to` must be in a folder that exists, not `", parent,
                                 "`.")
  path <- full_path(path)
  sink <- structure(list(label = basename(path), path = path, one = one, overwrite = overwrite,
                         work = paste0(path, ".part"), store = file.path(paste0(path, ".part"),
                                                                         "store"),
                         left = "The rows written before are kept: the same call resumes there."),
                    class = "sink_file")
  check_place(sink)
  sink
}

#' @exportS3Method
sink_hold.sink_file <- function(sink) {
  let_go <- hold_folder(sink$work, sink$label)
  fine <- FALSE
  on.exit(if (!fine) let_go())
  # another call may have ended since the door
  put_back(sink)
  check_place(sink)
  fine <- TRUE
  let_go
}

#' @exportS3Method
sink_begin.sink_file <- function(sink, key, like, parts) {
  begun <- begun_by(sink$work)
  same <- identical(begun, key)
  if (!is.null(begun) && !same && !sink$overwrite) abort_other_call(sink$work)
  # has every part the bytes that its record says?
  whole <- vapply(seq_len(parts), function(k) {
    state <- part_state(sink, k)
    state$bytes == 0 || isTRUE(file.size(part_file(sink, k)) >= state$bytes)
  }, NA)
  if (!same || !all(whole)) clear_work(sink$work, store = FALSE)
  make_folder(sink$work, sink$label)
  write_whole(key, file.path(sink$work, "call.rds"), sink$label)
  make_folder(file.path(sink$work, "rows"), sink$label)
  write_whole(list(names = csv_line(names(like))), file.path(sink$work, "head.rds"), sink$label)
}

part_file <- function(sink, number) {
  file.path(sink$work, "rows", sprintf("part-%05d.csv", number))
}

# How much of a part's file is valid: list(done, bytes, finished, notes).
part_record <- function(sink, number) file.path(sink$work, sprintf("part-%05d.rds", number))

part_state <- function(sink, number) {
  file <- part_record(sink, number)
  state <- if (file.exists(file)) on_error(readRDS(file), function(e) NULL)
  if (is.null(state)) c(no_part, list(bytes = 0)) else state
}

#' @exportS3Method
sink_part.sink_file <- function(sink, number) {
  state <- part_state(sink, number)
  file <- part_file(sink, number)
  bytes <- state$bytes
  append <- function(new, state) {
    bytes <<- bytes + length(new)
    append_bytes(file, new, bytes, sink$label)
    write_whole(c(state, list(bytes = bytes)), part_record(sink, number), sink$label)
  }
  if (!state$finished) {
    cut_back(file, bytes)
    if (bytes == 0) append(readRDS(file.path(sink$work, "head.rds"))$names, no_part)
  }
  growing_part(state, function(columns, state) append(csv_lines(columns), state))
}

#' @exportS3Method
sink_end.sink_file <- function(sink, parts) {
  check_held(sink$work, sink$label)
  for (k in seq_along(parts)) {
    # a worker of a call that was killed may have written after its end
    bytes <- part_state(sink, k)$bytes
    file <- part_file(sink, k)
    cut_back(file, bytes)
    if (bytes > 0 && !isTRUE(file.size(file) == bytes)) abort_changed(file, sink$label)
  }
  if (sink$one) join_parts(sink, length(parts))
  check_place(sink)
  put_in_place(sink, if (sink$one) part_file(sink, 1L) else file.path(sink$work, "rows"))
  clear_work(sink$work, store = TRUE)
  row_source(sink$path)
}

# Each part behind those before it, without its first line, and then gone; the record of the first
# part says how far that is.
join_parts <- function(sink, count) {
  state <- part_state(sink, 1L)
  joined <- if (is.null(state$joined)) 1L else state$joined
  first <- part_file(sink, 1L)
  head <- length(readRDS(file.path(sink$work, "head.rds"))$names)
  for (k in seq_len(count)[-seq_len(joined)]) {
    state$bytes <- append_file(first, part_file(sink, k), head, state$bytes, sink$label)
    state$joined <- k
    write_whole(state, part_record(sink, 1L), sink$label)
    # its rows are in the first one now
    write_whole(utils::modifyList(part_state(sink, k), list(bytes = 0)),
                part_record(sink, k), sink$label)
    remove_files(part_file(sink, k))
  }
}

# ---- the two places ---------------------------------------------------------------------------
#
# `<to>`, where predictions come when all are there, and the folder `<to>.part`, where they grow.
# Either may have something of the user's in it, which is an error: a file is removed only if it is
# one of the package's by name, kind and content.

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
  remove_folders(file.path(folder, setdiff(grep(work_folders, found, value = TRUE), "lock")))
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

# ---- rows as bytes of a CSV file --------------------------------------------------------------
#
# Text in quotes, numbers with as many digits as it takes to read the same number again, NA where a
# value is missing.

csv_line <- function(text) {
  charToRaw(paste0(paste(csv_text(text), collapse = ","), "\n"))
}

# columns: a list, of one length, or NULL.
csv_lines <- function(columns) {
  if (length(columns[[1L]]) == 0L) return(raw())
  fields <- lapply(unname(columns), csv_field)
  text <- paste0(do.call(paste, c(fields, sep = ",")), "\n", collapse = "")
  charToRaw(text)
}

csv_field <- function(column) {
  if (is.factor(column) || is.character(column)) return(csv_text(as.character(column)))
  if (is.logical(column)) return(ifelse(is.na(column), "NA", ifelse(column, "TRUE", "FALSE")))
  if (inherits(column, "Date")) return(ifelse(is.na(column), "NA", format(column)))
  if (inherits(column, "POSIXct")) {
    # universal time, as readers take it
    text <- format(column, "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")
    return(ifelse(is.na(column), "NA", sub("[.]000000Z$", "Z", text)))
  }
  value <- as.numeric(column)
  text <- sprintf("%.15g", value)
  text[is.na(value)] <- "NaN"
  short <- which(as.numeric(text) != value)
  text[short] <- sprintf("%.17g", value[short])
  text[is.na(value) & !is.nan(value)] <- "NA"
  text
}

csv_text <- function(text) {
  quoted <- paste0("\"", gsub("\"", "\"\"", enc2utf8(text), fixed = TRUE), "\"")
  quoted[is.na(text)] <- "NA"
  quoted
}
