# Many pieces of work, one after the other or on the workers of the future package's plan, with a
# progress line, each with random numbers of its own. What is done is kept in the store of the call
# that is at work, so that after an interrupt the same call with this store goes on.

# store: of the call at work, an environment; inside: is a piece being worked on? Searches inside
# the folds of a cross-validation leave store, interrupt and progress line to it. interrupted: the
# last call that was, list(call, store).
session <- new.env(parent = emptyenv())

session$inside <- FALSE

# call(), a function that always does the same: its random numbers are drawn in stored().
resumable <- function(call, store = new.env(parent = emptyenv())) {
  outer <- session$store
  session$store <- store
  on.exit(session$store <- outer)
  if (session$inside || !is.null(outer)) return(call())
  keep <- function() session$interrupted <- list(call = call, store = store)
  value <- tryCatch(
    withCallingHandlers(warned_once(plain_numbers(call())),
                        error = function(e) if (ends_call(e)) keep()),
    interrupt = function(i) {
      keep()
      abort("interrupt", "Interrupted", where_interrupted(store),
            "; `dg_resume()` goes on from there.")
    }, domgen_error_worker = function(e) {
      keep()
      abort("worker", conditionMessage(e), " `dg_resume()` goes on with what is not done.")
    }
  )
  if (length(store$failed)) keep()
  else if (identical(session$interrupted$store, store)) session$interrupted <- NULL
  value
}

# Of passes over a source nobody knows how many come, so that the pass itself is named.
where_interrupted <- function(store) {
  if (!is.null(store$pass)) return(paste0(" in ", store$pass))
  if (length(store$pieces)) {
    paste0(" after ", sum(store$pieces %in% names(store)), " of ",
           plural(length(store$pieces), "piece"), " of work")
  }
}

# The value of an expression, or the one that it had before the call was interrupted.
stored <- function(key, code) {
  if (is.null(session$store)) return(code)
  if (is.null(session$store[[key]])) session$store[[key]] <- list(code)
  session$store[[key]][[1L]]
}

# pieces: list of list(key, seed, label, ...); work(piece): a result. The results, in order. One of
# class "failed_piece" is not kept, so that the next time it is tried again.
run_pieces <- function(pieces, work, progress, store = session$store) {
  if (is.null(store)) store <- new.env(parent = emptyenv())
  store$pieces <- vapply(pieces, `[[`, "", "key")
  store$pass <- NULL
  failed <- list()
  left <- pieces[!store$pieces %in% names(store)]
  bar <- progress_line(length(left), progress && length(left) > 0L)
  on.exit(bar$done())
  at_once <- workers_at_once()
  while (length(left)) {
    now <- left[seq_len(min(at_once, length(left)))]
    bar$tick(now[[1L]]$label)
    map_pieces(now, work, parallel = at_once > 1L, function(piece, result) {
      if (inherits(result, "failed_piece")) failed[[piece$key]] <<- list(result)
      else store[[piece$key]] <- list(result)
    })
    left <- left[-seq_along(now)]
    bar$advance(length(now))
  }
  store$failed <- c(setdiff(store$failed, store$pieces), names(failed))
  found <- c(mget(setdiff(store$pieces, names(failed)), store), failed)
  lapply(unname(found[store$pieces]), `[[`, 1L)
}

# With a plan of several workers, a few pieces for each at a time, so that little is lost
# when the user interrupts.
workers_at_once <- function() {
  if (!"future" %in% loadedNamespaces()) return(1L)
  workers <- future::nbrOfWorkers()
  if (workers <= 1) 1L else 4L * as.integer(min(workers, 1e4))
}

# A worker has no call of its own at work.
seeded <- function(work) {
  force(work)
  function(piece) {
    before <- mget(c("inside", "store"), session, ifnotfound = list(NULL))
    on.exit(list2env(before, session))
    session$inside <- TRUE
    session$store <- NULL
    with_seed(piece$seed, work(piece))
  }
}

# take(piece, result) as results come.
map_pieces <- function(pieces, work, parallel, take) {
  one <- seeded(work)
  if (!parallel) {
    for (piece in pieces) take(piece, one(piece))
    return(invisible())
  }
  # what all pieces share is sent once to a worker
  chunks <- unname(split(pieces, sort(rep_len(seq_len(worker_count()), length(pieces)))))
  map_again(lapply(chunks, function(chunk) list(parts = chunk)), one_by_one(one),
            results = list(add = function(k, values) {
              for (i in seq_along(values)) take(chunks[[k]][[i]], values[[i]])
            }, all = invisible))
}

# In a function of its own, so that workers are sent no more than this.
one_by_one <- function(one) {
  force(one)
  function(chunk) lapply(chunk$parts, one)
}

#' Go on after an interrupt
#'
#' [dg_cv()], [dg_tune()] and [dg_compare()] that were interrupted (Ctrl-C, Esc) end in an error of
#' class `domgen_error_interrupt`, but keep what was finished. `dg_resume()` does the rest,
#' with the same folds and random numbers, and gives the result that the call would have given.
#' So it does after a time limit, after a worker that was lost four times (an error of class
#' `domgen_error_worker`), and after a warning of class `domgen_warning_failed`, when some folds
#' failed: these are tried again. Only the last such call of the session can be resumed.
#'
#' @return What the call would have returned.
#' @examples
#' \dontrun{
#' result <- dg_cv(dg_svm(), y ~ . | domain, data = large)   # Ctrl-C
#' result <- dg_resume()
#' }
#' @export
dg_resume <- function() {
  last <- session$interrupted
  if (is.null(last)) abort("argument", "There is nothing to resume: no call was interrupted.")
  resumable(last$call, last$store)
}
