# Results as files. A path that ends in .csv is one file, any other a folder with a file for each
# part. Both grow in a folder `<to>.part` (run-sink-place.R): rows in rows/part-00001.csv, and in
# part-00001.rds how much of them is valid.

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
                         work = paste0(path, ".part")), class = "sink_file")
  check_place(sink)
  sink
}

#' @exportS3Method
sink_folder.sink_file <- function(sink) file.path(sink$work, "store")

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
  if (!same || !is_resumable(sink, parts)) clear_work(sink$work, store = FALSE)
  make_folder(sink$work, sink$label)
  write_whole(key, file.path(sink$work, "call.rds"), sink$label)
  make_folder(file.path(sink$work, "rows"), sink$label)
  write_whole(list(names = csv_line(names(like))), file.path(sink$work, "head.rds"), sink$label)
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

#' @exportS3Method
sink_end.sink_file <- function(sink, parts) {
  check_held(sink$work, sink$label)
  check_parts(sink, length(parts))
  if (sink$one) join_parts(sink, length(parts))
  check_place(sink)
  put_in_place(sink, if (sink$one) part_file(sink, 1L) else file.path(sink$work, "rows"))
  clear_work(sink$work, store = TRUE)
  row_source(sink$path)
}

# A worker of a call that was killed may have written after its end.
check_parts <- function(sink, count) {
  for (k in seq_len(count)) {
    bytes <- part_state(sink, k)$bytes
    file <- part_file(sink, k)
    cut_back(file, bytes)
    if (bytes > 0 && !isTRUE(file.size(file) == bytes)) abort_changed(file, sink$label)
  }
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
    write_whole(state, file.path(sink$work, "part-00001.rds"), sink$label)
    # its rows are in the first one now
    write_whole(utils::modifyList(part_state(sink, k), list(bytes = 0)),
                file.path(sink$work, sprintf("part-%05d.rds", k)), sink$label)
    remove_files(part_file(sink, k))
  }
}
