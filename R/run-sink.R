# Where results go that come block by block: a sink. It has four functions, of which the second is
# called where the blocks are made, by a worker too:
#   sink_begin(sink, key, like, parts): look whether the place is free, or has what the same call
#     left there when it was cut short; like: columns without rows;
#   sink_part(sink, number): list(done: rows that are there; finished; notes: what the caller
#     keeps beside them; write(columns, upto, notes): one more block, upto: number of its last row;
#     finish(notes); close());
#   sink_end(sink, parts): all parts are finished; gives what was made;
#   sink_folder(sink): where what is finished of other work can be kept, or NULL.
# What is written is there under its own name only when all of it is there.

sink_begin <- function(sink, key, like, parts) UseMethod("sink_begin")
sink_part <- function(sink, number) UseMethod("sink_part")
sink_end <- function(sink, parts) UseMethod("sink_end")
sink_folder <- function(sink) UseMethod("sink_folder")

#' @exportS3Method
sink_folder.default <- function(sink) NULL

# to: a path, or a source of one database table.
as_sink <- function(to, overwrite) {
  if (inherits(to, "dg_source")) return(table_sink(to, overwrite))
  if (!is.character(to) || length(to) != 1L || is.na(to) || !nzchar(to)) {
    abort("argument", "`to` must be the path of a file or folder, or ",
          "`row_source(connection, table = \"name\")`, not ", describe(to), ".")
  }
  file_sink(sub("[/\\\\]+$", "", to), overwrite, endsWith(to, "/"))
}

abort_finished <- function(label) {
  abort("argument", "`to` is there already: `", label, "`. Give another, or `overwrite = TRUE`.")
}

abort_other_call <- function(label) {
  abort("argument", "`to` was begun by another call (model, rows or arguments differ, or the ",
        "rows cannot be recognised): `", label, "`. Remove it, give another `to`, or ",
        "`overwrite = TRUE`.")
}

# ---- in memory --------------------------------------------------------------------------------

# The values that the blocks bring, at most so many rows.
memory_sink <- function() structure(list(label = "memory"), class = "sink_memory")

#' @exportS3Method
sink_begin.sink_memory <- function(sink, key, like, parts) invisible()

#' @exportS3Method
sink_part.sink_memory <- function(sink, number) {
  blocks <- list()
  list(done = 0, finished = FALSE, notes = NULL, write = function(columns, upto, notes) {
    blocks[[length(blocks) + 1L]] <<- columns
  }, finish = function(notes) list(notes = notes, blocks = blocks), close = function() NULL)
}

#' @exportS3Method
sink_end.sink_memory <- function(sink, parts) {
  unlist(lapply(parts, `[[`, "blocks"), recursive = FALSE)
}

# ---- files ------------------------------------------------------------------------------------

# A path that ends in .csv is one file, any other a folder with a file for each part. Both grow in
# a folder `<to>.part`: rows in part-00001.csv, and in part-00001.rds how much of them is valid.
file_sink <- function(path, overwrite, folder = FALSE) {
  kind <- tolower(sub(".*[.]", "", basename(path)))
  one <- !folder && kind == "csv"
  if (!one && !folder && kind %in% c("gz", "rds", "parquet", "tsv", "txt", "feather", "xlsx")) {
    abort("argument", "`to` must end in .csv, or be a folder, which gets a .csv file for each ",
          "partition, not end in .", kind, ".")
  }
  parent <- dirname(path)
  if (!dir.exists(parent)) abort("argument", "`to` must be in a folder that exists, not `", parent,
                                 "`.")
  path <- if (dir.exists(path)) normalizePath(path)
          else file.path(normalizePath(parent), basename(path))
  if (is_filled(path) && !overwrite) abort_finished(path)
  check_own_files(path, "^part-[0-9]{5,}[.]csv$")
  check_own_files(paste0(path, ".part"), work_files)
  structure(list(label = basename(path), path = path, one = one, overwrite = overwrite,
                 work = paste0(path, ".part")), class = "sink_file")
}

# What is removed as a whole must hold nothing that is not ours.
check_own_files <- function(folder, own) {
  others <- grep(own, list.files(folder, all.files = TRUE, no.. = TRUE), value = TRUE,
                 invert = TRUE)
  if (length(others) == 0L) return(invisible())
  abort("argument", "`to` needs the folder `", folder, "`, which has files that are no ",
        "predictions: ", enumerate(others), ". Move them, or give another `to`.")
}

work_files <- "^(store|rows|(call|head|part-[0-9]{5,})[.]rds([.]new)?)$"

# to: a path that is replaced, and must not take the rows with it.
check_not_read <- function(sink, source) {
  if (inherits(sink, "sink_table")) return(check_other_table(sink, source))
  if (!inherits(sink, "sink_file")) return(invisible())
  for (partition in source$partitions) {
    path <- partition$path
    if (!is.null(path) && (path == sink$path || startsWith(path, paste0(sink$path, "/")))) {
      abort("argument", "`to` must not be where the rows are read from: `", sink$path, "`.")
    }
  }
}

#' @exportS3Method
sink_folder.sink_file <- function(sink) file.path(sink$work, "store")

#' @exportS3Method
sink_begin.sink_file <- function(sink, key, like, parts) {
  named <- file.path(sink$work, "call.rds")
  same <- file.exists(named) && identical(on_error(readRDS(named), function(e) NULL), key)
  if (file.exists(named) && !same && !sink$overwrite) abort_other_call(sink$work)
  if (same && !is_resumable(sink, parts)) same <- FALSE
  if (!same) unlink(sink$work, recursive = TRUE)
  if (!dir.exists(file.path(sink$work, "rows"))) {
    made <- suppressWarnings(dir.create(file.path(sink$work, "rows"), recursive = TRUE))
    if (!made) abort("write", "`", sink$label, "` cannot be written: the folder `",
                     sink$work, "` cannot be made.")
  }
  write_whole(list(names = csv_line(names(like))), file.path(sink$work, "head.rds"), sink$label)
  write_whole(key, named, sink$label)
}

# An empty folder can be filled.
is_filled <- function(path) {
  if (dir.exists(path)) length(list.files(path, all.files = TRUE, no.. = TRUE)) > 0L
  else file.exists(path)
}

# Has every part the bytes that its record says?
is_resumable <- function(sink, parts) {
  all(vapply(seq_len(parts), function(k) {
    state <- part_state(sink, k)
    state$bytes == 0 || isTRUE(file.size(part_file(sink, k)) >= state$bytes)
  }, NA))
}

part_file <- function(sink, number) {
  file.path(sink$work, "rows", sprintf("part-%05d.csv", number))
}

part_state <- function(sink, number) {
  file <- file.path(sink$work, sprintf("part-%05d.rds", number))
  state <- if (file.exists(file)) on_error(readRDS(file), function(e) NULL)
  if (is.null(state)) list(done = 0, bytes = 0, finished = FALSE, notes = NULL) else state
}

#' @exportS3Method
sink_part.sink_file <- function(sink, number) {
  state <- part_state(sink, number)
  file <- part_file(sink, number)
  record <- file.path(sink$work, sprintf("part-%05d.rds", number))
  grow <- function(bytes, done, notes, finished) {
    new <- list(done = done, bytes = state$bytes + length(bytes), finished = finished,
                notes = notes)
    append_bytes(file, bytes, new$bytes, sink$label)
    write_whole(new, record, sink$label)
    state <<- new
  }
  if (!state$finished) {
    cut_back(file, state$bytes)
    if (state$bytes == 0) {
      grow(readRDS(file.path(sink$work, "head.rds"))$names, 0, NULL, FALSE)
    }
  }
  list(done = state$done, finished = state$finished, notes = state$notes,
       write = function(columns, upto, notes) grow(csv_lines(columns), upto, notes, FALSE),
       finish = function(notes) {
         if (!state$finished) grow(raw(), state$done, notes, TRUE)
         list(notes = notes)
       }, close = function() NULL)
}

# What was written after the last whole block.
cut_back <- function(file, bytes) {
  if (!file.exists(file) || file.size(file) <= bytes) return(invisible())
  connection <- file(file, "r+b")
  on.exit(close(connection))
  seek(connection, bytes, rw = "write")
  truncate(connection)
}

# A full disk is noticed by the size alone: what is written last is in a buffer.
append_bytes <- function(file, bytes, size, label) {
  written <- on_error(suppressWarnings({
    connection <- file(file, "ab")
    tryCatch(writeBin(bytes, connection), finally = close(connection))
    TRUE
  }), function(e) FALSE)
  if (!written || !identical(as.numeric(file.size(file)), as.numeric(size))) {
    abort("write", "`", label, "` cannot be written: `", file, "` has no room for ",
          in_full(length(bytes)), " more bytes. Is the disk full?")
  }
}

# As a whole, or not at all.
write_whole <- function(value, file, label) {
  part <- paste0(file, ".new")
  written <- on_error(suppressWarnings({
    saveRDS(value, part, compress = FALSE)
    # a full disk is no error of saveRDS()
    readRDS(part)
    file.rename(part, file)
  }), function(e) FALSE)
  if (!isTRUE(written)) {
    abort("write", "`", label, "` cannot be written: `", file, "`. Is the disk full?")
  }
}

#' @exportS3Method
sink_end.sink_file <- function(sink, parts) {
  count <- length(parts)
  if (sink$one) join_parts(sink, count)
  made <- if (sink$one) part_file(sink, 1L) else file.path(sink$work, "rows")
  if (dir.exists(sink$path)) unlink(sink$path, recursive = TRUE)
  if (!suppressWarnings(file.rename(made, sink$path))) {
    abort("write", "`", sink$label, "` cannot be renamed from `", made, "`, where all rows are.")
  }
  unlink(sink$work, recursive = TRUE)
  row_source(sink$path)
}

# Each part behind those before it, without its first line, and then gone; the record of the first
# part says how far that is.
join_parts <- function(sink, count) {
  state <- part_state(sink, 1L)
  joined <- if (is.null(state$joined)) 1L else state$joined
  first <- part_file(sink, 1L)
  head <- length(readRDS(file.path(sink$work, "head.rds"))$names)
  cut_back(first, state$bytes)
  for (k in seq_len(count)[-seq_len(joined)]) {
    state$bytes <- append_file(first, part_file(sink, k), head, state$bytes, sink$label)
    state$joined <- k
    write_whole(state, file.path(sink$work, "part-00001.rds"), sink$label)
    # its rows are in the first one now
    write_whole(utils::modifyList(part_state(sink, k), list(bytes = 0)),
                file.path(sink$work, sprintf("part-%05d.rds", k)), sink$label)
    unlink(part_file(sink, k))
  }
}

append_file <- function(to, from, skip, size, label) {
  connection <- file(from, "rb")
  on.exit(close(connection))
  readBin(connection, "raw", skip)
  while (length(bytes <- readBin(connection, "raw", 2^24))) {
    size <- size + length(bytes)
    append_bytes(to, bytes, size, label)
  }
  size
}
