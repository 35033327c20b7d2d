# Many pieces of work, one after the other or on the workers of the future package's plan, with a
# progress line, each with random numbers of its own, and resumable after an interrupt.

# pieces: list of list(seed, label, ...); work(piece): a result, finish(results): what the caller
# wants of them. progress: show how far it is?
run_pieces <- function(pieces, work, finish, progress) {
  run <- new.env(parent = emptyenv())
  run$pieces <- pieces
  run$work <- work
  run$finish <- finish
  run$progress <- progress
  run$results <- vector("list", length(pieces))
  run$done <- 0L
  go_on(run)
}

# run: the last call that was interrupted; then: what its callers do with the result, a list of
# functions; working: is a call at work? Searches inside the folds of a cross-validation leave the
# interrupt and the progress line to it.
interrupted <- new.env(parent = emptyenv())
interrupted$working <- FALSE

go_on <- function(run) {
  if (interrupted$working) {
    work_on(run, FALSE)
    return(run$finish(run$results))
  }
  tryCatch({
    at_work(work_on(run, run$progress))
    # may fit to all rows, and take long
    run$finish(run$results)
  }, interrupt = function(i) {
    interrupted$run <- run
    interrupted$then <- list()
    abort("interrupt", "Interrupted after ", run$done, " of ", plural(length(run$pieces), "piece"),
          " of work; `dg_resume()` goes on from there.")
  })
}

at_work <- function(code) {
  before <- interrupted$working
  interrupted$working <- TRUE
  on.exit(interrupted$working <- before)
  code
}

# f(value); where the work for the value is interrupted, f of what dg_resume() gives.
and_then <- function(value, f) {
  value <- withCallingHandlers(value, domgen_error_interrupt = function(e) {
    interrupted$then <- c(interrupted$then, f)
  })
  f(value)
}

# The call is part of a model that was fitted, also after an interrupt.
keep_call <- function(fitted, call) {
  and_then(fitted, function(fitted) {
    fitted$call <- call
    fitted
  })
}

work_on <- function(run, progress) {
  n <- length(run$pieces)
  bar <- progress_line(n - run$done, progress)
  on.exit(bar$done())
  at_once <- workers_at_once()
  while (run$done < n) {
    now <- run$done + seq_len(min(at_once, n - run$done))
    bar$tick(run$pieces[[now[1L]]]$label)
    run$results[now] <- map_pieces(run$pieces[now], run$work, parallel = at_once > 1L)
    run$done <- run$done + length(now)
    bar$advance(length(now))
  }
}

# With a plan of several workers, a few pieces for each at a time, so that little is lost
# when the user interrupts.
workers_at_once <- function() {
  if (!"future" %in% loadedNamespaces() || !requireNamespace("future.apply", quietly = TRUE)) {
    return(1L)
  }
  workers <- future::nbrOfWorkers()
  if (workers <= 1) 1L else 4L * as.integer(min(workers, 1e4))
}

# A worker has no session that is at work.
seeded <- function(work) {
  force(work)
  function(piece) at_work(with_seed(piece$seed, work(piece)))
}

map_pieces <- function(pieces, work, parallel) {
  one <- seeded(work)
  if (!parallel) return(lapply(pieces, one))
  # seeds are the pieces' own
  future.apply::future_lapply(pieces, one, future.seed = NULL, future.packages = "domgen")
}

#' Go on after an interrupt
#'
#' [dg_cv()], [dg_tune()] and [dg_compare()] that were interrupted (Ctrl-C, Esc) end in an error of
#' class `domgen_error_interrupt`, but keep what was finished. `dg_resume()` does the rest,
#' with the same folds and random numbers, and gives the result that the call would have given.
#' Only the last call that was interrupted in the session can be resumed.
#'
#' @return What the interrupted call would have returned.
#' @examples
#' \dontrun{
#' result <- dg_cv(dg_svm(), y ~ . | domain, data = large)   # Ctrl-C
#' result <- dg_resume()
#' }
#' @export
dg_resume <- function() {
  run <- interrupted$run
  if (is.null(run)) abort("argument", "There is nothing to resume: no call was interrupted.")
  then <- interrupted$then
  result <- withCallingHandlers(go_on(run), domgen_error_interrupt = function(e) {
    interrupted$then <- then
  })
  interrupted$run <- NULL
  interrupted$then <- NULL
  for (f in then) result <- f(result)
  result
}
