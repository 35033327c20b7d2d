# The context of a call that can be interrupted, and what it keeps: the call resumes from there,
# with the same result. A call that goes over a source several times draws one seed.

# ctx, an environment that is made where the call begins and handed on: memory, an environment of
# what is finished; progress: is a progress line wanted? A source under way has it as `ctx`, and
# with it folder: where what is finished is kept beyond the session, or NULL; passes: how many there
# were; part: what passes are kept under in a call of several parts, one of which may fail at any
# pass; counts: rows of the blocks; said: what was.
new_context <- function(progress, memory = new.env(parent = emptyenv())) {
  list2env(list(memory = memory, progress = progress, passes = 0L), parent = emptyenv())
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
    reported_once(without_exponents(within_memory(call(new_context(progress, memory)))))
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

# The number of passes over a source is not known in advance: the message names the pass.
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

# spool(): the source with its rows in a spool; words: what the call is, its name first, asked for
# where there is a `store`; code: a function of the source under way, whose random numbers all come
# from the seed; progress: as the user gave it. A call with a source that is under way is part of
# that call.
over_source <- function(source, spool, words, code, progress = NULL) {
  if (!is.null(source$ctx)) return(code(source))
  resumable(function(ctx) {
    source <- stored(ctx, "rows", spool())
    if (!is.null(source$store)) {
      ctx$folder <- source$folder
      check_same_call(ctx, words)
    }
    source$ctx <- ctx
    ctx$counts <- vapply(source$blocks, `[[`, 0, "rows")
    seed <- kept(ctx, "seed", draw_seeds(1L))
    value <- with_seed(seed, code(source))
    end_rows(source)
    value
  }, read_progress(progress))
}

# A `store` is of one call; the user says by it that this is the same one.
check_same_call <- function(ctx, words) {
  now <- list(name = words[[1L]], sum = value_sum(words))
  begun <- kept(ctx, "call", now)
  if (identical(begun, now)) return(invisible())
  abort("argument", "`store` is of another call, ", begun$name, if (begun$name == now$name) {
    ", with other arguments"
  }, ". Give another folder, or remove `", ctx$folder, "`.")
}

# The same text for the same value in any session: functions are their code and the values that it
# needs, environments nothing.
value_sum <- function(value) {
  md5_texts_(enc2utf8(deparse(with_carried(value), control = c("keepNA", "keepInteger", "digits17",
                                                 "showAttributes"))))
}

next_pass <- function(ctx, label) {
  ctx$passes <- ctx$passes + 1L
  # what an interrupt says of them
  key <- paste0(ctx$part, sprintf("pass %d, %s", ctx$passes, label))
  ctx$memory$pass <- key
  key
}

# Is `what` said for the first time in this call on a source?
first_said <- function(ctx, what) {
  if (what %in% ctx$said) return(FALSE)
  ctx$said <- c(ctx$said, what)
  TRUE
}

# As stored(), and in the folder of the call.
kept <- function(ctx, name, code) {
  entry <- ctx$memory[[name]]
  if (!is.null(entry)) return(entry[[1L]])
  file <- kept_file(ctx, name)
  if (!is.null(file) && file.exists(file)) {
    ctx$memory[[name]] <- list(read_value(file))
    return(ctx$memory[[name]][[1L]])
  }
  keep(ctx, name, code)
  code
}

keep <- function(ctx, name, value) {
  ctx$memory[[name]] <- list(value)
  file <- kept_file(ctx, name)
  if (!is.null(file)) write_value(value, file)
}

kept_file <- function(ctx, name) {
  if (!is.null(ctx$folder)) file.path(ctx$folder, paste0(gsub("[^a-z0-9]+", "-", name), ".rds"))
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
  enter_session()
  if (length(unfinished) == 0L) {
    abort("argument", "There is nothing to resume: no call was interrupted.")
  }
  do.call(resumable, as.list(unfinished))
}
