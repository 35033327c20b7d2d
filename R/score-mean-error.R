# The standard error of a mean over held-out domains. The training sets of the folds overlap, so
# that the scores of two domains are correlated, and s^2/G alone is too small. How much too small
# depends on how much a fit changes with each domain; no function of the scores estimates it (Bengio
# and Grandvalet, JMLR 2004), but fits without two folds do.

most_groups <- 10L

# Folds as groups of domains, several to a group where there are more than ten, and the splits that
# leave out two groups at a time: list(group [rows], splits), or NULL where whole domains are not
# held out once each, or fewer than two would be left.
pairs_of_folds <- function(splits, domain) {
  splits <- Filter(function(split) split$rep == splits[[1L]]$rep, splits)
  held <- unlist(lapply(splits, `[[`, "held"))
  complements <- all(vapply(splits, function(split) {
    !anyDuplicated(split$train) && length(split$train) + length(split$held) == length(domain)
  }, NA))
  if (length(splits) < 3L || !complements || anyDuplicated(held) ||
        length(held) != length(domain) || !holds_domains(splits, domain)) return(NULL)
  J <- min(length(splits), most_groups)
  group <- integer(length(domain))
  group[held] <- rep(rep_len(seq_len(J), length(splits)), lengths(lapply(splits, `[[`, "held")))
  pairs <- utils::combn(J, 2L, simplify = FALSE)
  splits <- lapply(pairs, function(pair) {
    list(train = which(!group %in% pair), held = which(group %in% pair), fold = 0L, rep = 1L,
         pair = pair)
  })
  if (any(vapply(splits, function(s) length(unique(domain[s$train])) < 2L, NA))) return(NULL)
  list(group = group, splits = splits)
}

# Scores [domains x groups] of each domain by fits without its own group and another, one such
# matrix a column of the scores, which are one [domains x columns] for each pair.
scores_without <- function(plan, scores, domain) {
  group <- plan$group[match(levels(domain), domain)]
  names <- colnames(scores[[1L]])
  lapply(stats::setNames(names, names), function(name) {
    without <- matrix(NA_real_, nlevels(domain), max(plan$group))
    for (k in seq_along(scores)) {
      pair <- plan$splits[[k]]$pair
      at <- match(rownames(scores[[k]]), levels(domain))
      without[cbind(at, sum(pair) - group[at])] <- scores[[k]][, name]
    }
    list(scores = without, group = group)
  })
}

# The standard error of the mean of d [domains, NA where there is no score]: list(se, df, inflation:
# se^2 as a multiple of s^2/G, how: "jackknife" or "factor"). There are two estimates, and the
# larger one counts: the jackknife over fits without two folds is itself uncertain where domains
# are few, and too small where they are of several kinds. With `least` FALSE the jackknife counts
# alone.
# without: scores of these fits, one of scores_without(), or NULL;
# share: proportion of the rows that a fold trains on; off: see jackknife_excess();
# crossed: levels of several factors by domain, see crossed_error();
# scores: those that `without` belongs to, where d are pseudovalues of them.
mean_error <- function(d, without = NULL, share = 1 - 1 / length(d), off = 0, crossed = NULL,
                       scores = d, least = TRUE) {
  scored <- !is.na(d)
  G <- sum(scored)
  if (G < 2L || !all(is.finite(d[scored]))) return(no_error())
  if (!is.null(crossed)) return(crossed_error(d[scored], crossed[scored, , drop = FALSE], share))
  independent <- standard_error(d[scored])
  if (independent == 0) return(list(se = 0, df = G - 1, inflation = 1, how = "none"))
  excess <- if (!is.null(without)) jackknife_excess(scores, scored, without, independent, off)
  # Nadeau and Bengio (2003), section 3: (1/J + n2/n1) s^2 for J folds, with J n2 = n
  inflation <- 1 + 1 / share
  if (!is.null(excess) && (!least || 1 + excess$value > inflation)) {
    # Satterthwaite's degrees of freedom of a sum of two variances, here of the same domains
    df <- (1 + excess$value)^2 / (1 / (G - 1) + excess$value^2 / excess$df)
    return(list(se = independent * sqrt(1 + excess$value), df = min(df, G - 1),
                inflation = 1 + excess$value, how = "jackknife"))
  }
  list(se = independent * sqrt(inflation), df = G - 1, inflation = inflation, how = "factor")
}

no_error <- function() list(se = NA_real_, df = NA_real_, inflation = NA_real_, how = "none")

# The same for a metric. The width of intervals depends on the fits and hardly on the domain, so
# that scores of domains say nothing of its error: it is that of fits without two folds, or not
# known.
metric_error <- function(metric, ...) {
  of_fits <- isTRUE(metric$of_fits)
  error <- mean_error(..., least = !of_fits)
  if (of_fits && error$how != "jackknife") no_error() else error
}

# The same for scores, not differences, with what mean_interval() needs to know: losses that are all
# above zero are skewed, and their mean has an interval on the log scale; shares end at 0 and 1.
# Scores that are equal in all domains, as accuracies of 1, do not say how far others differ.
score_error <- function(metric, d, ...) {
  error <- metric_error(metric, d, ...)
  if (isTRUE(error$se == 0)) error <- no_error()
  error$positive <- metric$better == "low" && all(d > 0, na.rm = TRUE)
  error$range <- metric$range
  error
}

# The error of the mean over combinations of crossed factors, whose scores are alike where they
# share a level: sums of squares by each set of factors, added and subtracted in turn (Cameron,
# Gelbach and Miller, 2011, equation 2.13), each times L / (L - 1) for its L levels. The sum may be
# negative; the error is at least the largest of one factor.
crossed_error <- function(d, crossed, share) {
  by <- lapply(crossed, function(levels) as.integer(droplevels(levels)))
  few <- min(vapply(by, max, 0L))
  if (few < 2L) return(no_error())
  clustered <- function(which) {
    sums <- c(rowsum(d - mean(d), do.call(paste, unname(by[which]))))
    sum(sums^2) * length(sums) / max(length(sums) - 1, 1) / length(d)^2
  }
  sets <- unlist(lapply(seq_along(by), function(size) {
    utils::combn(seq_along(by), size, simplify = FALSE)
  }), recursive = FALSE)
  values <- vapply(sets, clustered, 0)
  sizes <- lengths(sets)
  variance <- max(sum(values * (-1)^(sizes + 1)), values[sizes == 1L])
  inflation <- 1 + 1 / share
  independent <- standard_error(d)^2
  list(se = sqrt(variance * inflation), df = few - 1,
       inflation = if (independent > 0) variance * inflation / independent else 1, how = "factor")
}

# The variance that the jackknife over groups of domains finds beyond that of the scores themselves,
# as a multiple of s^2/G: list(value, df), NULL where a score is missing. Two jackknives are
# subtracted. In both, group L is left out of the mean; in the first it is left out of the fits too,
# in the second it is not. Were fits the same without L, both would be equal.
# The difference is too large: the effect of losing group L on domain g alone, not on all domains
# alike, is counted twice (Efron and Stein, 1981). With `off` = 1 that part is taken off once.
# Differences of two procedures are well covered with `off` = 1/2; single scores, which are skewed,
# need all of it.
jackknife_excess <- function(d, scored, without, unit, off = 0) {
  size <- vapply(seq_len(ncol(without$scores)), function(L) sum(scored & without$group == L), 0L)
  groups <- which(size > 0L)
  left <- function(scores) {
    vapply(groups, function(L) mean(scores(L)[scored & without$group != L]), numeric(1))
  }
  means <- left(function(L) without$scores[, L] / unit)
  same <- left(function(L) d / unit)
  if (length(groups) < 3L || !all(is.finite(means))) return(NULL)
  size <- size[groups]
  value <- jackknife_variance(means, size) - jackknife_variance(same, size)
  if (off > 0) {
    change <- (without$scores[scored, groups, drop = FALSE] - d[scored]) / unit
    value <- value - off * interaction_variance(change) * mean(1 / size)
  }
  list(value = max(0, value), df = length(groups) - 1)
}

# The variance in a table [domains x groups] that is left when effects of domains and of groups are
# taken off; NA where a domain belongs to the group.
interaction_variance <- function(change) {
  free <- sum(!is.na(change)) - nrow(change) - ncol(change) + 1
  if (free < 1) return(0)
  # the additive fit by alternating means, which converges fast in nearly complete tables
  for (step in 1:30) {
    change <- change - rowMeans(change, na.rm = TRUE)
    change <- t(t(change) - colMeans(change, na.rm = TRUE))
  }
  sum(change^2, na.rm = TRUE) / free
}

# For groups of unequal size: Busing, Meijer and van der Leeden (1999), equation 5. Means are
# centred on their own average, not on the mean of all domains, since the fits behind each had
# fewer domains.
jackknife_variance <- function(means, size) {
  h <- sum(size) / size
  mean((h - 1) * (means - stats::weighted.mean(means, h - 1))^2)
}

# Student's interval; of means of positive losses on the log scale, where the error of log(mean) is
# se / mean to first order. It ends where the scores do.
mean_interval <- function(mean, error, level = 0.95) {
  if (is.na(error$se)) return(c(NA_real_, NA_real_))
  ends <- c(-1, 1) * stats::qt((1 + level) / 2, error$df) * error$se
  ends <- if (isTRUE(error$positive)) mean * exp(ends / mean) else mean + ends
  if (is.null(error$range)) ends else pmin(pmax(ends, error$range[1L]), error$range[2L])
}

# The interval of a mean that is skewed and of either sign: the outer ends of Student's interval and
# of that on the scale of asinh(mean / se), which is the logarithm's far from zero and Student's
# near it.
skewed_interval <- function(mean, error, level = 0.95) {
  student <- mean_interval(mean, error, level)
  if (is.na(error$se) || error$se == 0 || !is.finite(mean)) return(student)
  size <- mean / error$se
  ends <- c(-1, 1) * stats::qt((1 + level) / 2, error$df) / sqrt(1 + size^2)
  bent <- error$se * sinh(asinh(size) + ends)
  c(min(student[1L], bent[1L]), max(student[2L], bent[2L]))
}

# What stands behind a mean.
mean_words <- function(interval) {
  if (anyNA(interval)) return(" (interval unknown)")
  paste0(" (95 % interval ", paste(column_words(interval, 3), collapse = " to "), ")")
}

# The error of the mean of independent values; NA for one number, and where one is infinite.
standard_error <- function(values) {
  if (length(values) < 2L || !all(is.finite(values))) return(NA_real_)
  stable_sd(values - mean(values)) / sqrt(length(values))
}

known_error <- function(values) standard_error(values[!is.na(values)])

known_mean <- function(values) if (all(is.na(values))) NA_real_ else mean(values, na.rm = TRUE)

# Paired comparisons over domains.

# One row: mean of the differences, standard error, 95 % interval, the p value that belongs to it,
# and that of the signed ranks. error: made by mean_error().
paired_line <- function(difference, error) {
  d <- difference[!is.na(difference)]
  interval <- mean_interval(mean(d), error)
  data.frame(difference = known_mean(d), se = error$se,
             lower = interval[1L], upper = interval[2L], p = mean_p(mean(d), error),
             # without a standard error there is no test
             p_rank = if (is.na(error$se)) NA_real_ else signed_rank(d, error))
}

# The comparison by scores alone, each domain held out once by itself.
paired_difference <- function(difference) paired_line(difference, mean_error(difference))

mean_p <- function(mean, error) {
  if (is.na(error$se) || error$se == 0) return(NA_real_)
  2 * stats::pt(-abs(mean) / error$se, error$df)
}

# p of Wilcoxon's signed rank test. The exact test takes differences for independent. To allow for
# overlapping training sets the variance of its statistic is multiplied by the factor of the mean's
# variance, but by no more than the number of differences (see friedman()); the exact p is the
# least.
signed_rank <- function(d, error = list(inflation = 1, df = Inf)) {
  d <- d[d != 0]
  n <- length(d)
  if (n < 2L) return(NA_real_)
  exact <- n <= 25L && !anyDuplicated(abs(d))
  p <- stats::wilcox.test(d, exact = exact)$p.value
  if (is.na(error$inflation) || error$inflation <= 1) return(p)
  ranks <- rank(abs(d))
  inflation <- min(error$inflation, n)
  z <- (sum(ranks[d > 0]) - n * (n + 1) / 4) / sqrt(sum(ranks^2) / 4 * inflation)
  max(p, 2 * stats::pt(-abs(z), error$df))
}

# 1 is best, [domains x methods]; domains without all scores are left out.
rank_methods <- function(scores, better) {
  complete <- scores[!is.na(rowSums(scores)), , drop = FALSE]
  ranks <- t(apply(losses(complete, better), 1L, rank))
  matrix(ranks, ncol = ncol(scores), dimnames = dimnames(complete))
}

# inflation: of the variance of mean differences by the overlap of training sets, of each method. A
# method's deviation is divided by its own: one that differs from the others by little, and so by
# the training set alone, must not hide one that differs by much. Ranks of wholly dependent domains
# vary as one domain's, so that no factor is more than their number.
friedman <- function(ranks, inflation = rep(1, ncol(ranks))) {
  if (ncol(ranks) < 3L || nrow(ranks) < 2L) return(NULL)
  # all methods have equal ranks in every domain
  if (all(ranks == ranks[1L])) return(list(statistic = 0, df = ncol(ranks) - 1, p = 1))
  test <- stats::friedman.test(ranks)
  deviation <- (colMeans(ranks) - (ncol(ranks) + 1) / 2)^2
  shares <- if (any(deviation > 0)) deviation / sum(deviation) else deviation
  factors <- pmin(pmax(inflation, 1), nrow(ranks))
  # where a method has none, as that with which the others are compared, the mean of the others'
  factors[is.na(factors)] <- if (all(is.na(factors))) 1 else mean(factors, na.rm = TRUE)
  statistic <- unname(test$statistic) * sum(shares / factors)
  list(statistic = statistic, df = unname(test$parameter),
       p = stats::pchisq(statistic, test$parameter, lower.tail = FALSE))
}
