# Scores by period, where folds have time, and whether they change.

# What dg_cv has of it: list(periods, trend, period_scores [domains x periods]), or nothing.
collect_periods <- function(splits, folds, predictions, metric, task) {
  if (is.null(splits[[1L]]$period)) return(NULL)
  period <- vapply(splits, `[[`, 0L, "period")
  held <- sort(unique(period))
  piece <- function(fold, rep) paste(fold, rep)
  of_split <- piece(vapply(splits, `[[`, 0L, "fold"), vapply(splits, `[[`, 0, "rep"))
  of_row <- period[match(piece(predictions$fold, predictions$rep), of_split)]
  domain <- droplevels(as.factor(task$domain[unlist(lapply(splits, `[[`, "held"))]))
  scores <- matrix(NA_real_, nlevels(domain), length(held),
                   dimnames = list(levels(domain), paste("period", held)))
  for (j in seq_along(held)) {
    at <- which(of_row == held[j])
    if (length(at) == 0L) next
    of_period <- score_left_out(predictions[at, ], list(score = metric))
    scores[match(rownames(of_period), rownames(scores)), j] <- of_period[, 1L]
  }
  crossed <- crossed_by(task, rownames(scores))
  share <- vapply(held, function(p) train_share(splits[period == p], task_sizes(task)), 0)
  lines <- lapply(seq_along(held), function(j) {
    of_period <- splits[period == held[j]]
    error <- score_error(metric, unname(scores[, j]), share = share[j], crossed = crossed)
    mean <- known_mean(scores[, j])
    interval <- mean_interval(mean, error)
    data.frame(train = mean(lengths(lapply(of_period, `[[`, "train"))),
               rows = held_by_period(of_period, held[j])[held[j]],
               domains = sum(!is.na(scores[, j])), mean = mean, se = error$se,
               lower = interval[1L], upper = interval[2L])
  })
  limits <- folds$periods[match(held, folds$periods$period), c("period", "from", "to")]
  list(periods = data.frame(limits, do.call(rbind, lines), row.names = NULL),
       # a contrast of the means of periods: the mean of their factors 1 + 1/share
       trend = period_trend(scores, held, 1 / mean(1 / share), crossed),
       period_scores = scores)
}

# The mean change of a score from a period to the next: a data frame of one row, NULL with one
# period. scores: s [domains x periods]; at: numbers p of the periods. Paired within domains, if two
# of them have scores in several periods:
#   b = sum_gp (p - pbar_g) s_gp / sum_g S_g,  S_g = sum_p (p - pbar_g)^2
# the slope of a linear model with an intercept for each domain. Its squared standard error by
# domains, sum_g S_g^2 (b_g - b)^2 / (sum_g S_g)^2 times G/(G - 1), is that of the mean of
# b + (b_g - b) S_g / Sbar over domains, so that mean_error() adds the overlap of training sets.
# If domains have one period each, the slope of a line through their scores, with the squared
# standard error G/(G - 2) sum_g (p_g - pbar)^2 e_g^2 / S^2 with the residuals e.
period_trend <- function(scores, at, share, crossed = NULL) {
  if (length(at) < 2L) return(NULL)
  at <- matrix(at, nrow(scores), length(at), byrow = TRUE)
  at[!is.finite(scores)] <- NA
  several <- which(rowSums(!is.na(at)) > 1L)
  within <- length(several) > 1L
  some <- if (within) several else which(rowSums(!is.na(at)) == 1L)
  s <- scores[some, , drop = FALSE]
  s[is.na(at[some, ])] <- NA
  from <- at[some, , drop = FALSE]
  from <- from - if (within) rowMeans(from, na.rm = TRUE) else mean(from, na.rm = TRUE)
  S <- rowSums(from^2, na.rm = TRUE)
  slope <- sum(from * s, na.rm = TRUE) / sum(S)
  if (!is.finite(slope)) return(NULL)
  left <- s - slope * from
  left <- left - if (within) rowMeans(left, na.rm = TRUE) else mean(left, na.rm = TRUE)
  d <- slope + rowSums(from * left, na.rm = TRUE) / mean(S)
  error <- mean_error(d, share = share, crossed = crossed[some, , drop = FALSE])
  # without a difference between domains it is not known
  if (isTRUE(error$se == 0)) error <- no_error()
  if (!within && !is.na(error$se)) {
    G <- length(d)
    error$se <- if (G > 2L) error$se * sqrt((G - 1) / (G - 2)) else NA_real_
    error$df <- error$df - 1
  }
  interval <- mean_interval(slope, error)
  data.frame(change = slope, se = error$se, df = error$df, lower = interval[1L],
             upper = interval[2L], p = mean_p(slope, error), domains = length(some),
             how = if (within) "within domains" else "between domains")
}
