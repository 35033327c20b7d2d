# Many pieces of work, one after the other or on the workers of the future package's plan, with a
# progress line, each with random numbers of its own. What is done is kept in the memory of the
# call's context, run-context.R, so that after an interrupt the same call with this memory goes on.

# pieces: list of list(key, seed, label, ...); work(piece): a result. The results, in order. One of
# class "failed_piece" is not kept, so that the next time it is tried again.
run_pieces <- function(pieces, work, ctx) {
  store <- ctx$memory
  store$pieces <- vapply(pieces, `[[`, "", "key")
  store$pass <- NULL
  failed <- list()
  left <- pieces[!store$pieces %in% names(store)]
  bar <- progress_line(length(left), ctx$progress && length(left) > 0L)
  on.exit(bar$done())
  at_once <- workers_at_once()
  one <- seeded(work)
  take <- function(piece, result) {
    if (inherits(result, "failed_piece")) failed[[piece$key]] <<- list(result)
    else store[[piece$key]] <- list(result)
  }
  while (length(left)) {
    now <- left[seq_len(min(at_once, length(left)))]
    bar$tick(now[[1L]]$label)
    if (at_once == 1L) take(now[[1L]], one(now[[1L]])) else {
      # what all pieces share is sent once to a worker
      chunks <- by_worker(now)
      map_again(lapply(chunks, function(chunk) list(parts = chunk)), one_by_one(one),
                results = list(add = function(k, values) Map(take, chunks[[k]], values),
                               all = invisible))
    }
    left <- left[-seq_along(now)]
    bar$advance(length(now))
  }
  store$failed <- c(setdiff(store$failed, store$pieces), names(failed))
  results <- c(mget(setdiff(store$pieces, names(failed)), store), failed)
  lapply(unname(results[store$pieces]), `[[`, 1L)
}

# With a plan of several workers, a few pieces for each at a time, so that little is lost
# when the user interrupts.
workers_at_once <- function() {
  if (!"future" %in% loadedNamespaces()) return(1L)
  workers <- future::nbrOfWorkers()
  if (workers <= 1) 1L else 4L * as.integer(min(workers, 1e4))
}

seeded <- function(work) {
  force(work)
  function(piece) {
    # of a worker, which has options and a locale of its own
    enter_session()
    with_seed(piece$seed, work(piece))
  }
}

# In a function of its own, so that workers are sent no more than this.
one_by_one <- function(one) {
  force(one)
  function(chunk) lapply(chunk$parts, one)
}
