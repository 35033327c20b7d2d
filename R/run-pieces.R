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
  tryCatch(plain_numbers(call()), interrupt = function(i) {
    session$interrupted <- list(call = call, store = store)
    abort("interrupt", "Interrupted", where_interrupted(store),
          "; `dg_resume()` goes on from there.")
  })
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

# pieces: list of list(key, seed, label, ...); work(piece): a result. The results, in order.
run_pieces <- function(pieces, work, progress, store = session$store) {
  if (is.null(store)) store <- new.env(parent = emptyenv())
  store$pieces <- vapply(pieces, `[[`, "", "key")
  store$pass <- NULL
  left <- pieces[!store$pieces %in% names(store)]
  bar <- progress_line(length(left), progress && length(left) > 0L)
  on.exit(bar$done())
  at_once <- workers_at_once()
  while (length(left)) {
    now <- left[seq_len(min(at_once, length(left)))]
    bar$tick(now[[1L]]$label)
    results <- map_pieces(now, work, parallel = at_once > 1L)
    for (k in seq_along(now)) store[[now[[k]]$key]] <- list(results[[k]])
    left <- left[-seq_along(now)]
    bar$advance(length(now))
  }
  lapply(unname(mget(store$pieces, store)), `[[`, 1L)
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

map_pieces <- function(pieces, work, parallel) {
  one <- seeded(work)
  if (!parallel) return(lapply(pieces, one))
  # seeds are the pieces' own
  unmoved_seed(future.apply::future_lapply(pieces, one, future.seed = NULL,
                                           future.packages = "domgen"))
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
  last <- session$interrupted
  if (is.null(last)) abort("argument", "There is nothing to resume: no call was interrupted.")
  result <- resumable(last$call, last$store)
  session$interrupted <- NULL
  result
}
