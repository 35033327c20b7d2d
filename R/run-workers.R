# Pieces of work on the workers of the future package's plan, which may be lost: killed, out of
# memory, their machine gone.

# Results of work(piece), each by a future. take(k, value) gets them in the order of the pieces; a
# result is kept only while one before it is missing. results: what takes them otherwise. A piece
# whose worker is lost is done again, at most three times; the others keep theirs. Errors of the
# work itself come through as they are.
map_again <- function(pieces, work, take = NULL, results = in_order(length(pieces), take)) {
  open <- seq_along(pieces)
  for (attempt in seq_len(4L)) {
    lost <- unmoved_seed(work_on(pieces[open], seeded(work), function(k, value) {
      results$add(open[k], value)
    }))
    open <- open[lost$pieces]
    if (length(open) == 0L) return(results$all())
    # a plan of R processes starts its dead ones again; by its name, because plan() looks at the
    # expression that it is given
    strategies <- future::plan("list")
    on_error(future::plan(strategies), function(e) {
      abort("worker", "A worker was lost, and cannot be started again: ", conditionMessage(e),
            ". Set the plan again.")
    })
  }
  piece <- pieces[[open[1L]]]
  labels <- vapply(c(piece$blocks, piece$parts), `[[`, "", "label")
  abort("worker", "The worker that had ", enumerate(unique(labels), 3L), " was lost four times; ",
        "the last time: ", what_was_said(lost$first))
}

# Hands n results over in order, though they come in any: add(k, value), all().
in_order <- function(n, take) {
  waiting <- vector("list", n)
  done <- 0L
  list(add = function(k, value) {
    waiting[[k]] <<- list(value)
    while (!is.null(take) && done < n && !is.null(waiting[[done + 1L]])) {
      done <<- done + 1L
      take(done, waiting[[done]][[1L]])
      waiting[done] <<- list(NULL)
    }
  }, all = function() if (is.null(take)) lapply(waiting, `[[`, 1L))
}

# The first line without what future guesses; of a job's log, which follows, the last line.
what_was_said <- function(e) {
  lines <- strsplit(conditionMessage(e), "\n", fixed = TRUE)[[1L]]
  first <- sub("[.]*( (Post-mortem|The total size|The last few lines).*)?$", "", lines[1L])
  paste0(paste(c(first, utils::tail(trimws(lines[-1L]), 1L)), collapse = ": "), ".")
}

# Calls got(k, value) for each result. list(pieces: numbers of the lost ones, first: the message of
# one). An error of the work is raised when all futures have ended: those that nobody collects block
# the next.
work_on <- function(pieces, one, got) {
  futures <- lapply(pieces, function(piece) {
    lost_or(future::future(one(piece), globals = list(one = one, piece = piece),
                           packages = "domgen", seed = NULL))
  })
  lost <- list(pieces = integer())
  wrong <- NULL
  for (k in seq_along(pieces)) {
    f <- futures[[k]]
    # a future holds its value
    futures[k] <- list(NULL)
    result <- if (is_lost(f)) f else on_error(lost_or(list(future::value(f))), identity)
    if (is_lost(result)) {
      lost <- list(pieces = c(lost$pieces, k), first = result)
    } else if (inherits(result, "error")) {
      if (is.null(wrong)) wrong <- result
    } else if (is.null(wrong)) {
      got(k, result[[1L]])
    }
  }
  if (!is.null(wrong)) stop(wrong)
  lost
}

lost_or <- function(code) tryCatch(code, FutureError = identity)

is_lost <- function(value) inherits(value, "FutureError")

# Job schedulers draw the names of their jobs from the session's random numbers.
unmoved_seed <- function(code) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (!is.null(before)) assign(".Random.seed", before, globalenv()))
  code
}

# As many parts of a list as there are workers.
by_worker <- function(items) {
  unname(split(items, sort(rep_len(seq_len(worker_count()), length(items)))))
}

# How many futures at most, 1 without workers.
worker_count <- function() {
  if (workers_at_once() == 1L) 1L else as.integer(min(future::nbrOfWorkers(), 1e4))
}
