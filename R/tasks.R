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

# run: the last call that was interrupted; working: is a call at work? Searches inside the folds of
# a cross-validation leave the interrupt and the progress line to it.
interrupted <- new.env(parent = emptyenv())
interrupted$working <- FALSE

go_on <- function(run) {
  if (interrupted$working) work_on(run, FALSE)
  else tryCatch(outermost(run), interrupt = function(i) {
    interrupted$run <- run
    abort("interrupt", "Interrupted after ", run$done, " of ", plural(length(run$pieces), "piece"),
          " of work; `dg_resume()` goes on from there.")
  })
  run$finish(run$results)
}

outermost <- function(run) {
  interrupted$working <- TRUE
  on.exit(interrupted$working <- FALSE)
  work_on(run, run$progress)
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

map_pieces <- function(pieces, work, parallel) {
  one <- function(piece) with_seed(piece$seed, work(piece))
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
  result <- go_on(run)
  interrupted$run <- NULL
  result
}
