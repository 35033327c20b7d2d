# Pieces of work on workers that may be lost.

# Results of work(piece) from the workers. A worker that is lost (killed, out of memory, its machine
# gone) costs its own piece, which is done again, at most three times.
map_again <- function(pieces, work) {
  results <- vector("list", length(pieces))
  open <- seq_along(pieces)
  for (attempt in seq_len(4L)) {
    found <- work_on(pieces[open], work)
    lost <- vapply(found, inherits, NA, "domgen_lost")
    results[open[!lost]] <- found[!lost]
    open <- open[lost]
    if (length(open) == 0L) return(results)
  }
  abort("worker", "A worker was lost four times: ", found[[which(lost)[1L]]]$message)
}

work_on <- function(pieces, work) {
  one <- seeded(work)
  lost <- function(e) structure(list(message = conditionMessage(e)), class = "domgen_lost")
  futures <- lapply(pieces, function(piece) {
    tryCatch(future::future(one(piece), globals = list(one = one, piece = piece),
                            packages = "domgen", seed = NULL), FutureError = lost)
  })
  lapply(futures, function(f) {
    if (inherits(f, "domgen_lost")) f else tryCatch(future::value(f), FutureError = lost)
  })
}
