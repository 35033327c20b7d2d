# Pieces of work on workers that may be lost: killed, out of memory, their machine gone.

# pieces: list of list(label, ...). Results of work(piece), in order. A worker that is lost costs its
# own pieces, which are done again, at most three times.
map_again <- function(pieces, work) {
  results <- vector("list", length(pieces))
  open <- seq_along(pieces)
  for (attempt in seq_len(4L)) {
    found <- keep_seed(work_on(pieces[open], work))
    lost <- vapply(found, inherits, NA, "domgen_lost")
    results[open[!lost]] <- lapply(found[!lost], `[[`, 1L)
    open <- open[lost]
    if (length(open) == 0L) return(results)
    renew_workers()
  }
  abort("worker", "The worker that read `", pieces[[open[1L]]]$label, "` was lost four times. ",
        "Set the plan again, or give its workers more memory; with a `store` the same call goes on. ",
        "What was said of it: ", found[[which(lost)[1L]]]$message)
}

# Of each piece list(result), or what was said of its lost worker. Each worker has a run of pieces at
# once: jobs of a cluster take seconds to start. An error of the work is raised when all workers are
# done, since futures that nobody collects stand in the way of the next ones.
work_on <- function(pieces, work) {
  one <- seeded(work)
  runs <- split(pieces, sort(rep_len(seq_len(future::nbrOfWorkers()), length(pieces))))
  futures <- lapply(unname(runs), function(run) {
    task <- list(one = one, run = run)
    lost_or(future::future(lapply(run, function(piece) list(one(piece))), globals = task,
                           packages = "domgen", seed = NULL))
  })
  values <- lapply(futures, function(f) {
    if (inherits(f, "domgen_lost")) f else tryCatch(lost_or(future::value(f)), error = identity)
  })
  wrong <- Filter(function(value) inherits(value, "error"), values)
  if (length(wrong)) stop(wrong[[1L]])
  unlist(Map(function(value, run) {
    if (inherits(value, "domgen_lost")) rep(list(value), length(run)) else value
  }, values, runs), recursive = FALSE, use.names = FALSE)
}

# Errors of the work itself come with classes of their own, those of its worker with this one.
lost_or <- function(code) {
  tryCatch(code, FutureError = function(e) {
    said <- sub("( Post-mortem| The total size|\n).*", "", conditionMessage(e))
    structure(list(message = said), class = "domgen_lost")
  })
}

# Starts the processes of the plan that died; without, every further future on it fails.
renew_workers <- function() {
  plan <- future::plan("list") # plan() looks at the expression that it is given
  future::plan(plan)
}
