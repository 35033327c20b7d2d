# The context of a call that is kept when it is interrupted, and what it keeps: the same call with
# what is kept does the same again. A call that goes over a source several times draws one seed.

# ctx, an environment that is made where the call begins and handed on: memory, an environment of
# what is finished; progress: is a progress line wanted? A source under way has it as `ctx`, and
# with it folder: where what is finished is kept beyond the session, or NULL; key: of the call and
# its rows, or NULL where nobody asks; passes: how many there were; part: what passes are kept under
# in a call of several parts, one of which may fail at any pass; counts: rows of the partitions;
# said: what was; copies: folders of what passes leave to those after them, copied: bytes of it, see
# run-copies.R.
new_context <- function(progress, memory = new.env(parent = emptyenv())) {
  list2env(list(memory = memory, progress = progress, passes = 0L, copied = 0), parent = emptyenv())
}

# The last call that was interrupted, for dg_resume(): what resumable() was given.
unfinished <- new.env(parent = emptyenv())

# call(ctx), a function that always does the same: its random numbers are drawn in stored(). A call
# that a user's function makes within another leaves interrupt and progress line to it.
resumable <- function(call, progress, memory = new.env(parent = emptyenv())) {
  # through a user's function nothing can be handed on: R knows whether this is being evaluated by
  # the restart that stands as long as it is; nobody invokes it
  at_work <- "domgen_at_work" %in% vapply(computeRestarts(), `[[`, "", 1L)
  if (at_work) return(call(new_context(FALSE, memory)))
  keep <- function() list2env(list(call = call, progress = progress, memory = memory), unfinished)
  code <- function() {
    reported_once(plain_numbers(enough_memory(call(new_context(progress, memory)))))
  }
  value <- tryCatch(
    withCallingHandlers(withRestarts(code(), domgen_at_work = function() NULL),
                        error = function(e) if (ends_call(e)) keep()),
    interrupt = function(i) {
      keep()
      abort("interrupt", "Interrupted", where_interrupted(memory),
            "; `dg_resume()` continues there.")
    }, domgen_error_worker = function(e) {
      keep()
      abort("worker", conditionMessage(e), " `dg_resume()` does the rest.")
    }
  )
  if (length(memory$failed)) keep()
  else if (identical(unfinished$memory, memory)) {
    rm(list = names(unfinished), envir = unfinished)
  }
  value
}

# Of passes over a source nobody knows how many come, so that the pass itself is named.
where_interrupted <- function(memory) {
  if (!is.null(memory$pass)) return(paste0(" in ", memory$pass))
  if (length(memory$pieces)) {
    paste0(" after ", sum(memory$pieces %in% names(memory)), " of ",
           plural(length(memory$pieces), "piece"), " of work")
  }
}

# The value of an expression, or the one that it had before the call was interrupted.
stored <- function(ctx, key, code) {
  if (is.null(ctx$memory[[key]])) ctx$memory[[key]] <- list(code)
  ctx$memory[[key]][[1L]]
}

# what: list of all that decides about the call's numbers; code: a function of the source under way,
# whose random numbers all come from the seed; progress: as the user gave it; asked: is a key
# needed? A call with a source that is under way is part of that call. hold(): takes the place where
# results are written before anything is kept there, as in sink_hold(); again when the call is
# resumed.
over_source <- function(source, what, code, progress = NULL, folder = source$store,
                        asked = !is.null(folder), hold = function() NULL) {
  if (!is.null(source$ctx)) return(while_held(hold, function() code(source)))
  copies_limit()
  resumable(function(ctx) while_held(hold, function() {
    ctx$folder <- folder
    if (asked) recognise(ctx, source, what)
    source$ctx <- ctx
    check_same_partitions(source)
    on.exit(remove_copies(ctx))
    seed <- kept(ctx, "seed", draw_seeds(1L))
    value <- with_seed(seed, {
      ctx$counts <- count_rows(source)
      code(source)
    })
    forget(ctx)
    value
  }), read_progress(progress))
}

while_held <- function(hold, code) {
  let_go <- NULL
  on.exit(if (!is.null(let_go)) let_go())
  suspendInterrupts(let_go <- hold())
  code()
}

# Numbers of rows, so that a pass knows how far it is, and of each row which one it is.
count_rows <- function(source) {
  kept(source$ctx, "counts", {
    unlist(if (worker_count() == 1L) lapply(source$partitions, partition_count) else {
      runs <- lapply(by_worker(source$partitions), function(run) list(partitions = run))
      map_again(runs, count_partitions)
    })
  })
}

# Of itself, so that workers are sent no more than this.
count_partitions <- function(piece) vapply(piece$partitions, partition_count, numeric(1))

next_pass <- function(ctx, label) {
  ctx$passes <- ctx$passes + 1L
  # what an interrupt says of them
  key <- paste0(ctx$part, sprintf("pass %d, %s", ctx$passes, label))
  ctx$memory$pass <- key
  key
}

# Is it the first time in this call on a source that this is said?
first_said <- function(ctx, what) {
  if (what %in% ctx$said) return(FALSE)
  ctx$said <- c(ctx$said, what)
  TRUE
}

# As stored(), and in the folder of the call.
kept <- function(ctx, name, code) {
  found <- ctx$memory[[name]]
  if (!is.null(found)) return(found[[1L]])
  file <- kept_file(ctx, name)
  if (!is.null(file) && file.exists(file)) {
    found <- on_error(suppressWarnings(readRDS(file)), function(e) NULL)
    if (is.list(found) && identical(found$name, name)) {
      ctx$memory[[name]] <- found["value"]
      return(found$value)
    }
    # the same call in another session may have ended and removed it
    if (file.exists(file)) abort("data", "`store` has a damaged file, `", file, "`; remove it.")
  }
  force(code)
  keep(ctx, name, code)
  code
}

keep <- function(ctx, name, value) {
  ctx$memory[[name]] <- list(value)
  file <- kept_file(ctx, name)
  if (is.null(file)) return(invisible())
  if (!dir.exists(ctx$folder)) suppressWarnings(dir.create(ctx$folder, recursive = TRUE))
  if (!dir.exists(ctx$folder)) {
    abort("write", "The folder `", ctx$folder, "` cannot be made; finished sums would be kept ",
          "there.")
  }
  content <- list(name = name, value = value)
  # the same call may run twice at once, of which one that ends removes the files of both
  if (!save_whole(content, file)) write_whole(content, file, "store")
}

kept_file <- function(ctx, name) {
  if (is.null(ctx$folder)) return(NULL)
  file.path(ctx$folder, paste0("domgen-", ctx$key, "-", gsub("[^a-z0-9]+", "-", name), ".rds"))
}

# What was kept is of no use to a call that has ended.
forget <- function(ctx) {
  if (is.null(ctx$folder)) return(invisible())
  remove_files(list.files(ctx$folder, paste0("^domgen-", ctx$key, "-"), full.names = TRUE))
}

# The same text for the same value in any session: of functions their code and the values that they
# take from where they were made, of other environments nothing. Made in memory, of a million values
# at a time: a file would be that of a full disk, too.
fingerprint <- function(value) {
  sum <- ""
  add <- function(part) sum <<- md5_(sum, serialize(part, NULL, version = 2L))
  walk <- function(plain) {
    add(c(typeof(plain), length(plain), names(plain)))
    if (is.list(plain)) for (part in plain) walk(part)
    else for (k in seq_len(ceiling(length(plain) / 1e6))) {
      add(plain[seq(1e6 * (k - 1) + 1, min(1e6 * k, length(plain)))])
    }
  }
  walk(plain_value(value))
  sum
}

# seen: what functions have taken from where they were made, run-captured.R; NULL outside of them.
plain_value <- function(value, seen = NULL) {
  if (is.environment(value)) return(if (!is.null(seen)) environment_value(value, seen))
  if (is.function(value)) return(function_value(value, seen))
  if (is.language(value)) return(deparse(utils::removeSource(value)))
  if (typeof(value) %in% c("externalptr", "weakref")) stop("a pointer has no value")
  attributes <- attributes(value)
  attributes$.Environment <- NULL
  if (is.list(value)) value <- lapply(unclass(value), plain_value, seen)
  list(value = as.vector(unclass(value), if (is.list(value)) "list" else "any"),
       attributes = if (length(attributes)) lapply(attributes, plain_value, seen))
}

#' Resume after an interrupt
#'
#' [dg_cv()], [dg_tune()] and [dg_compare()] that are interrupted (Ctrl-C, Esc) end in an error of
#' class `domgen_error_interrupt` and keep what is finished. `dg_resume()` does the rest with the
#' same folds and random numbers, and gives the result of an uninterrupted call. It also resumes
#' after a time limit; after a worker that was lost four times (error of class
#' `domgen_error_worker`); and after a warning of class `domgen_warning_failed`, when it tries the
#' failed folds again. Only the last such call of the session can be resumed. Fits and scores of a
#' [row_source()] resume too.
#'
#' @return The value that the call would have returned.
#' @examples
#' \dontrun{
#' result <- dg_cv(dg_svm(), y ~ . | domain, data = large)   # Ctrl-C
#' result <- dg_resume()
#' }
#' @export
dg_resume <- function() {
  fixed_session()
  if (length(unfinished) == 0L) {
    abort("argument", "There is nothing to resume: no call was interrupted.")
  }
  do.call(resumable, as.list(unfinished))
}
