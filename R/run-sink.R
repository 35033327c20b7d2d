# Where results go that come block by block: a sink. It has a label, says what is left of them when
# writing fails (left), may have a folder (store) where what is finished of other work can be kept,
# and has four functions, of which the second is called where the blocks are made, by a worker too:
#   sink_begin(sink, key, like, parts): look whether the place is free, or has what the same call
#     left there when it was cut short; like: columns without rows;
#   sink_part(sink, number): list(done: rows that are there; finished; notes: what the caller
#     keeps beside them; write(columns, upto, notes): one more block, upto: number of its last row;
#     finish(notes); close());
#   sink_end(sink, parts): all parts are finished; gives what was made;
#   sink_hold(sink): takes the place, so that no other process writes there, or is an error; gives a
#     function that lets go, or NULL.
# What is written is there under its own name only when all of it is there.

sink_begin <- function(sink, key, like, parts) UseMethod("sink_begin")

sink_part <- function(sink, number) UseMethod("sink_part")

sink_end <- function(sink, parts) UseMethod("sink_end")

sink_hold <- function(sink) UseMethod("sink_hold")

#' @exportS3Method
sink_hold.default <- function(sink) NULL

# What is known of a part that has no rows yet.
no_part <- list(done = 0, finished = FALSE, notes = NULL)

# As sink_part() gives it, of a sink that keeps nothing of a call that was cut short: take(columns)
# of each block; end(notes): what finish() gives.
passing_part <- function(take, end = function(notes) list(notes = notes)) {
  c(no_part, list(write = function(columns, upto, notes) take(columns), finish = end,
                  close = function() NULL))
}

# As sink_part() gives it, of one that does. state: as no_part, of what is there; keep(columns,
# state): adds a block, or NULL, and writes down how far the part is.
growing_part <- function(state, keep, close = function() NULL) {
  done <- state$done
  list(done = done, finished = state$finished, notes = state$notes,
       write = function(columns, upto, notes) {
         keep(columns, list(done = upto, finished = FALSE, notes = notes))
         done <<- upto
       }, finish = function(notes) {
         if (!state$finished) keep(NULL, list(done = done, finished = TRUE, notes = notes))
         list(notes = notes)
       }, close = close)
}

# to: a path, or a source of one database table.
as_sink <- function(to, overwrite) {
  if (inherits(to, "dg_source")) return(table_sink(to))
  if (!is.character(to) || length(to) != 1L || is.na(to) || !nzchar(to)) {
    abort("argument", "`to` must be the path of a file or folder, or ",
          "`row_source(connection, table = \"name\")`, not ", describe(to), ".")
  }
  file_sink(to, overwrite)
}

abort_finished <- function(label) {
  abort("argument", "`to` is there already: `", label, "`. Give another, or `overwrite = TRUE`.")
}

abort_other_call <- function(label) {
  abort("argument", "`to` was begun by another call (model, rows or arguments differ, or the ",
        "rows cannot be recognised): `", label, "`. Remove it, give another `to`, or ",
        "`overwrite = TRUE`.")
}

# to: a place that is replaced, and must not take the rows with it. A table is none.
check_not_read <- function(sink, source) {
  if (inherits(sink, "sink_file")) check_other_files(sink, source)
}

# ---- in memory --------------------------------------------------------------------------------

# The values that the blocks bring, at most so many rows.
memory_sink <- function() structure(list(label = "memory"), class = "sink_memory")

#' @exportS3Method
sink_begin.sink_memory <- function(sink, key, like, parts) invisible()

#' @exportS3Method
sink_part.sink_memory <- function(sink, number) {
  blocks <- list()
  passing_part(function(columns) blocks[[length(blocks) + 1L]] <<- columns,
               function(notes) list(notes = notes, blocks = blocks))
}

#' @exportS3Method
sink_end.sink_memory <- function(sink, parts) {
  unlist(lapply(parts, `[[`, "blocks"), recursive = FALSE)
}
