# A pass over rows that come in blocks, see row_source(): every partition is a piece of work, for
# this session or a worker of the future package's plan; what comes back is a sum, and no rows.

# work: list(start(), block(sums, data, at), add(a, b)): an empty sum, the sum with a block's rows,
# two sums in one; at: list(label, number, first), where the block stands. The sum over all rows.
# Partitions are added in their order, two, four, eight at a time (a binary counter), so that the
# sum depends neither on the plan nor on who was ready first, and no more than log2 of their
# number are kept.
run_pass <- function(source, prototype, work, label) {
  trip <- session$trip
  key <- next_pass(trip, label)
  state <- kept(key, list(done = 0L, sums = list()))
  parts <- source$partitions
  pieces <- lapply(seq_along(parts), function(k) {
    list(partition = parts[[k]], number = k, prototype = prototype, rows = source$rows,
         expected = trip$counts[k], work = work)
  })
  bar <- pass_line(trip, label, sum(trip$counts[seq_len(state$done)]))
  on.exit(bar$done())
  at_once <- workers_at_once()
  while (state$done < length(pieces)) {
    now <- state$done + seq_len(min(at_once, length(pieces) - state$done))
    sums <- if (at_once > 1L) map_again(pieces[now], partition_sum)
            else lapply(pieces[now], partition_sum, bar = bar)
    for (k in seq_along(now)) state$sums <- push_sum(state$sums, sums[[k]], now[k], work$add)
    state$done <- max(now)
    keep(key, state)
    if (at_once > 1L) bar$advance(sum(trip$counts[now]))
  }
  Reduce(work$add, rev(state$sums))
}

# sums: of runs of partitions, the longest first; k: the number of the one that joins them. Two
# runs of one length become one of twice that.
push_sum <- function(sums, value, k, add) {
  sums[[length(sums) + 1L]] <- value
  while (k %% 2 == 0) {
    last <- length(sums)
    sums[[last - 1L]] <- add(sums[[last - 1L]], sums[[last]])
    sums[[last]] <- NULL
    k <- k %/% 2
  }
  sums
}

partition_sum <- function(piece, bar = NULL) {
  sums <- piece$work$start()
  n <- 0
  walk_blocks(piece$partition, piece$prototype, piece$rows, function(data, first) {
    n <<- n + nrow(data)
    sums <<- piece$work$block(sums, data, list(label = piece$partition$label,
                                               number = piece$number, first = first))
    if (!is.null(bar)) bar$advance(nrow(data))
  })
  check_same_rows(piece, n)
  sums
}

check_same_rows <- function(piece, n) {
  if (is.null(piece$expected) || is.na(piece$expected) || n == piece$expected) return(invisible())
  abort("data", "`", piece$partition$label, "` must have the same rows in every pass; it had ",
        plural(piece$expected, "row"), ", and now ", format(n, big.mark = ","), ".")
}

pass_line <- function(trip, label, before) {
  total <- sum(trip$counts)
  bar <- progress_line(total, progress_wanted() && total > 0)
  rows <- before
  bar$tick(label)
  if (before > 0) bar$advance(before)
  list(done = bar$done, advance = function(n) {
    rows <<- rows + n
    bar$advance(n)
    bar$tick(label)
  })
}
