# Ends of axes and the numbers on them.

# Where an axis ends: near the rows of `data` whose intervals are not much wider than most, so that
# these can be told apart. data, inside: data frames of value, lower, upper (on a logarithmic axis
# above 0); inside: what the axis has in any case.
near_ends <- function(data, inside, is_log = FALSE) {
  scale <- if (is_log) log else identity
  values <- function(table) {
    all <- scale(unlist(table[intersect(c("value", "lower", "upper"), names(table))]))
    all[is.finite(all)]
  }
  width <- scale(data$upper) - scale(data$lower)
  usual <- !is.finite(width) | width <= 5 * stats::median(width[is.finite(width)])
  core <- range(values(data[usual, ]), unlist(lapply(inside, values)))
  all <- range(core, values(data))
  room <- diff(core)
  ends <- ifelse(abs(all - core) > room / 2, core + c(-0.05, 0.05) * room, all)
  if (is_log) exp(ends) else ends
}

# At least four numbers on an axis.
four_numbers <- function(ends) {
  for (n in 4:9) {
    at <- pretty(ends, n)
    at <- at[at >= ends[1L] & at <= ends[2L]]
    if (length(at) > 3L) break
  }
  at
}
