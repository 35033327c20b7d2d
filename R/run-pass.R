# A pass over rows that are read in chunks, see row_source(): runs of blocks of the spool are pieces
# of work, for this session or a worker of the future package's plan; what comes back is a sum, and
# no rows.

# The functions of a pass. start(): an empty sum; block(sums, data, at): the sum with the rows of a
# block, at: its place, list(label, number, first, size); add(a, b): two sums in one.
pass_work <- function(block, add, start = function() NULL) {
  list(start = start, block = block, add = add)
}

# walk: how blocks are read, column_walk() or number_walk(). The sum over all rows.
# Sums of workers are added in the order of the blocks as a binary counter does, two, four, eight at
# a time. So the total does not depend on which worker is first, and no more than log2 of the number
# of sums are kept; without workers there is one sum.
run_pass <- function(source, walk, work, label) {
  ctx <- source$ctx
  key <- next_pass(ctx, label)
  state <- kept(ctx, key, list(done = 0L, sums = list()))
  n <- length(source$blocks)
  bar <- pass_line(ctx, label, sum(ctx$counts[seq_len(state$done)]))
  on.exit(bar$done())
  workers <- worker_count()
  while (state$done < n) {
    runs <- next_runs(state$done, n, workers, if (is.null(ctx$folder)) n else run_blocks)
    pieces <- lapply(runs, function(run) {
      list(blocks = source$blocks[run], numbers = run, walk = walk, work = work)
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
  total_sum(state$sums, work$add)
}

# In a `store` what is finished is kept after so many blocks. Each run has a sum of its own, whose
# addition takes the memory of three.
run_blocks <- 64L

# The next blocks, in runs of at most so many; for workers of a power of two, one for each: a job of
# a scheduler takes seconds to start.
next_runs <- function(done, n, workers, most = n) {
  if (workers == 1L) return(list(seq(done + 1L, min(done + most, n))))
  size <- 2^max(ceiling(log2(n / (2 * workers))), 0)
  left <- seq(done + 1L, n)
  runs <- split(left, (left - done - 1L) %/% size)
  unname(runs[seq_len(min(workers, length(runs)))])
}

# sums: list(size, value) of runs of blocks, the longest first; two of one size become one, or
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

# One sum for all blocks of a run: a new one for each would be as much work as its rows, where it is
# a matrix for each domain.
run_sum <- function(piece, bar = NULL) {
  sums <- piece$work$start()
  for (k in seq_along(piece$blocks)) {
    block <- piece$blocks[[k]]
    piece$walk(block, function(data, first) {
      sums <<- piece$work$block(sums, data, list(label = block$label, number = piece$numbers[k],
                                                 first = first, size = block$rows))
    })
    if (!is.null(bar)) bar$advance(block$rows)
  }
  sums
}

# Functions of a block and f(data, first): its rows as a data frame, and as numbers. The first pass
# that reads numbers leaves them beside the block, so that what is text is coded once.
column_walk <- function(prototype) {
  force(prototype)
  function(block, f) walk_block(block, prototype, f)
}

number_walk <- function(reader) {
  force(reader)
  function(block, f) {
    file <- paste0(block$file, "-", reader$id)
    if (file.exists(file)) return(f(read_value(file), block$first))
    walk_block(block, reader$prototype, function(data, first) {
      numbers <- numbers_of(reader, data, list(label = block$label, first = first))
      # where there is no room for them they are made again
      on_error(write_value(numbers, file), function(e) NULL)
      f(numbers, first)
    })
  }
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
