# A pass over rows that are read in chunks, see row_source(): every partition is a piece of work,
# for this session or a worker of the future package's plan; what comes back is a sum, and no rows.

# work: list(start(), block(sums, data, at), add(a, b)): an empty sum, the sum with a block's rows,
# two sums in one; at: list(label, number, first, size), where the block stands. walk: how
# partitions are read, column_walk() or number_walk(). The sum over all rows.
# What workers return is added in the order of the partitions as a binary counter does, two, four,
# eight at a time, so that the sum does not depend on who was ready first, and no more than log2 of
# their number are kept; without workers one sum is.
run_pass <- function(source, walk, work, label) {
  ctx <- source$ctx
  key <- next_pass(ctx, label)
  state <- kept(ctx, key, list(done = 0L, sums = list()))
  n <- length(source$partitions)
  bar <- pass_line(ctx, label, sum(ctx$counts[seq_len(state$done)]))
  on.exit(bar$done())
  workers <- worker_count()
  while (state$done < n) {
    runs <- next_runs(state$done, n, workers)
    pieces <- lapply(runs, function(run) {
      list(partitions = source$partitions[run], numbers = run, walk = walk,
           rows = source$block_size, expected = ctx$counts[run], work = work)
    })
    if (workers > 1L) map_again(pieces, run_sum, function(k, value) {
      state$sums <<- push_sum(state$sums, value, length(runs[[k]]), work$add)
    }) else {
      state$sums <- push_sum(state$sums, run_sum(pieces[[1L]], bar), 1, work$add, all = TRUE)
    }
    state$done <- max(unlist(runs))
    keep(ctx, key, state)
    if (workers > 1L) bar$advance(sum(ctx$counts[unlist(runs)]))
  }
  check_same_partitions(source)
  total_sum(state$sums, work$add)
}

# The next partitions, in runs of a power of two, one for each worker: a job of a scheduler takes
# seconds to start, and what is finished is kept after each round.
next_runs <- function(done, n, workers) {
  if (workers == 1L) return(list(done + 1L))
  size <- 2^max(ceiling(log2(n / (2 * workers))), 0)
  left <- seq(done + 1L, n)
  runs <- split(left, (left - done - 1L) %/% size)
  unname(runs[seq_len(min(workers, length(runs)))])
}

# sums: list(size, value) of runs of partitions, the longest first; two of one size become one, or
# all of them do.
push_sum <- function(sums, value, size, add, all = FALSE) {
  sums[[length(sums) + 1L]] <- list(size = size, value = value)
  while ((last <- length(sums)) > 1L && (all || sums[[last - 1L]]$size == sums[[last]]$size)) {
    sums[[last - 1L]] <- list(size = sums[[last - 1L]]$size + sums[[last]]$size,
                              value = add(sums[[last - 1L]]$value, sums[[last]]$value))
    sums[[last]] <- NULL
  }
  sums
}

total_sum <- function(sums, add) {
  Reduce(function(b, a) add(a, b), rev(lapply(sums, `[[`, "value")))
}

run_sum <- function(piece, bar = NULL) {
  sums <- list()
  for (k in seq_along(piece$partitions)) {
    sums <- push_sum(sums, partition_sum(piece, k, bar), 1, piece$work$add)
  }
  total_sum(sums, piece$work$add)
}

partition_sum <- function(piece, k, bar) {
  partition <- piece$partitions[[k]]
  sums <- piece$work$start()
  n <- 0
  number <- piece$numbers[k]
  piece$walk(partition, number, piece$rows, function(block, size, first) {
    n <<- n + size
    sums <<- piece$work$block(sums, block, list(label = partition$label, number = number,
                                                first = first, size = size))
    if (!is.null(bar)) bar$advance(size)
    TRUE
  })
  check_same_rows(partition$label, n, piece$expected[k])
  sums
}

# Functions of a partition, its number, the rows of a block and f(block, size, first), which they
# call for each: as a data frame, and as numbers.
column_walk <- function(prototype) {
  force(prototype)
  function(partition, number, rows, f) {
    walk_blocks(partition, prototype, rows, function(data, first) f(data, nrow(data), first))
  }
}

number_walk <- function(reader) {
  force(reader)
  function(partition, number, rows, f) walk_numbers(reader, partition, number, rows, f)
}

check_same_rows <- function(label, n, expected) {
  if (n == expected) return(invisible())
  abort("data", "`", label, "` must have the same rows in every pass; it had ",
        plural(expected, "row"), ", and now ", format(n, big.mark = big_mark()), ".")
}

pass_line <- function(ctx, label, before) {
  total <- sum(ctx$counts)
  bar <- progress_line(total, ctx$progress && total > 0)
  shown <- sprintf("rows, pass %d: %s", ctx$passes, label)
  bar$tick(shown)
  if (before > 0) bar$advance(before)
  list(done = bar$done, advance = function(n) {
    bar$advance(n)
    bar$tick(shown)
  })
}

# add(a, b) for sums that may be of nothing yet.
adding <- function(add) {
  force(add)
  function(a, b) if (is.null(a)) b else if (is.null(b)) a else add(a, b)
}
