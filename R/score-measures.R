# Performance of predictions at one site, for dg_validate(): estimate, standard error, and the
# effect of each row on the estimate (its influence function), by which the errors of two methods on
# the same rows are compared.

# A measure of the odds of an event, which are 0 or infinite where training lacks the event or all
# else: scores are infinite there, see mark_lacking().
of_trained <- function(of) {
  function(d, ...) if (any(is.infinite(d$score))) no_value(length(d$y)) else of(d, ...)
}

# By kind of response. better: "high", "low", or the value of perfect predictions; scale: on which
# the error is nearly normal, see scales; prior_sd: a large standard deviation over sites on that
# scale, see site_posterior(); response: TRUE if the value has the response's unit; needs: "prob" or
# "threshold"; of: the function of a site's rows, which gives a site_value(); at: the same at a
# time, of which each time makes a measure. Rows are a list: y (events 0 and 1, numbers, counts,
# codes of ordered classes, or censored times), p (probability of the event, mean, or matrix of
# probabilities, of censored times a column for each time), score (that ranks the rows).
measures <- list(
  class = list(
    auc = list(title = "AUC", better = "high", scale = "logit", prior_sd = 1,
               of = function(d, ...) site_auc(d)),
    oe = list(title = "observed/expected", better = 1, scale = "log", prior_sd = 1, needs = "prob",
              of = of_trained(function(d, ...) site_ratio(d))),
    intercept = list(title = "calibration intercept", better = 0, scale = "identity", prior_sd = 1,
                     needs = "prob", of = of_trained(function(d, ...) logistic_intercept(d))),
    slope = list(title = "calibration slope", better = 1, scale = "identity", prior_sd = 0.5,
                 needs = "prob", of = of_trained(function(d, ...) line_slope(d, "class"))),
    brier = list(title = "Brier score", better = "low", scale = "log", prior_sd = 0.5,
                 needs = "prob", of = function(d, ...) site_mean((d$y - d$p)^2)),
    scaled_brier = list(title = "scaled Brier score", better = "high", scale = "unexplained",
                        prior_sd = 0.5, needs = "prob",
                        of = function(d, ...) site_explained((d$y - d$p)^2, d$y)),
    log_loss = list(title = "log loss", better = "low", scale = "log", prior_sd = 0.5,
                    needs = "prob", of = function(d, ...) {
                      if (any(d$score == ifelse(d$y == 1, -Inf, Inf))) no_value(length(d$y))
                      else site_mean(minus_log(ifelse(d$y == 1, d$p, 1 - d$p)))
                    }),
    sensitivity = list(title = "sensitivity", better = "high", scale = "logit", prior_sd = 1,
                       needs = c("prob", "threshold"), of = function(d, threshold) {
                         site_proportion(at_least(d$p, threshold), d$y == 1)
                       }),
    specificity = list(title = "specificity", better = "high", scale = "logit", prior_sd = 1,
                       needs = c("prob", "threshold"), of = function(d, threshold) {
                         site_proportion(!at_least(d$p, threshold), d$y == 0)
                       })
  ),
  number = list(
    rmse = list(title = "RMSE", better = "low", scale = "log", prior_sd = 0.5,
                of = function(d, ...) site_root(site_mean((d$y - d$p)^2))),
    r2 = list(title = "R squared", better = "high", scale = "unexplained", prior_sd = 0.5,
              of = function(d, ...) site_explained((d$y - d$p)^2, d$y)),
    bias = list(title = "bias", better = 0, scale = "identity", prior_sd = 1, response = TRUE,
                of = function(d, ...) site_mean(d$p - d$y)),
    intercept = list(title = "calibration intercept", better = 0, scale = "identity", prior_sd = 1,
                     response = TRUE, of = function(d, ...) line_intercept(d, "number")),
    slope = list(title = "calibration slope", better = 1, scale = "identity", prior_sd = 0.5,
                 of = function(d, ...) line_slope(d, "number"))
  ),
  count = list(
    deviance = list(title = "Poisson deviance", better = "low", scale = "log", prior_sd = 0.5,
                    of = function(d, ...) {
                      site_mean(stats::poisson()$dev.resids(d$y, d$p, rep(1, length(d$y))))
                    }),
    oe = list(title = "observed/expected", better = 1, scale = "log", prior_sd = 1,
              of = function(d, ...) site_ratio(d)),
    slope = list(title = "calibration slope", better = 1, scale = "identity", prior_sd = 0.5,
                 of = function(d, ...) line_slope(d, "count"))
  ),
  ordinal = list(
    rps = list(title = "ranked probability score", better = "low", scale = "log", prior_sd = 0.5,
               of = function(d, ...) site_mean(ranked_probability(d))),
    concordance = list(title = "concordance", better = "high", scale = "logit", prior_sd = 1,
                       of = function(d, ...) site_auc(d))
  ),
  censored = list(
    concordance = list(title = "concordance", better = "high", scale = "logit", prior_sd = 1,
                       needs = "score", of = function(d, ...) site_concordance(d, FALSE)),
    uno = list(title = "Uno's concordance", better = "high", scale = "logit", prior_sd = 1,
               needs = c("score", "start"), of = function(d, ...) site_concordance(d, TRUE)),
    slope = list(title = "calibration slope", better = 1, scale = "identity", prior_sd = 0.5,
                 needs = "score", of = function(d, ...) hazard_slope(d)),
    oe = list(title = "observed/expected", better = 1, scale = "log", prior_sd = 1,
              needs = c("prob", "start"), at = function(d, S, t) events_ratio(d$y, S, t)),
    brier = list(title = "Brier score", better = "low", scale = "log", prior_sd = 0.5,
                 needs = c("prob", "start"), at = function(d, S, t) site_brier(d$y, S, t))
  )
)

# title; to and from a scale, and its derivative at an estimate. The proportion that is not
# explained is positive and skewed as a mean square is.
scales <- list(
  identity = list(title = "untransformed", to = identity, from = identity, slope = function(x) 1,
                  range = c(-Inf, Inf)),
  log = list(title = "logarithm", to = log, from = exp, slope = function(x) 1 / x,
             range = c(0, Inf)),
  logit = list(title = "logit", to = stats::qlogis, from = stats::plogis,
               slope = function(x) 1 / (x * (1 - x)), range = c(0, 1)),
  unexplained = list(title = "logarithm of 1 - x", to = function(x) log(1 - x),
                     from = function(v) 1 - exp(v), slope = function(x) -1 / (1 - x),
                     range = c(-Inf, 1))
)

# Ends of a scale have no finite value.
inside <- function(x, scale) {
  switch(scale$title, logit = pmin(pmax(x, 1e-4), 1 - 1e-4), logarithm = pmax(x, 1e-12), x)
}

# effect: of each row on the estimate, so that its sum of squares is the variance. se: where another
# one is better. value, value_se: those on the scale, where they do not follow.
# likelihood: where events are few, its logarithm as a function of values on the scale. information:
# what is to be expected of 1 / value_se^2 if the value of the site is this, whatever its rows
# found, but for a factor that sites share; a function of the value and of the precision found.
site_value <- function(estimate, effect, se = sqrt(sum(effect^2)), value = NULL, value_se = NULL,
                       likelihood = NULL, information = NULL) {
  list(estimate = estimate, effect = effect, se = se, value = value, value_se = value_se,
       likelihood = likelihood, information = information)
}

# Where a site has no value.
no_value <- function(n) site_value(NA_real_, rep(NA_real_, n), NA_real_)

# The mean of values of independent rows.
site_mean <- function(values) {
  n <- length(values)
  if (n < 2L) return(no_value(n))
  mean <- mean(values)
  site_value(mean, (values - mean) / sqrt(n * (n - 1)))
}

site_root <- function(square) {
  root <- sqrt(square$estimate)
  effect <- square$effect / (2 * root)
  site_value(root, effect)
}

# 1 - mean square / variance of the response.
site_explained <- function(squares, y) {
  n <- length(y)
  around <- (y - mean(y))^2
  if (n < 3L || mean(around) == 0) return(no_value(n))
  ratio <- mean(squares) / mean(around)
  site_value(1 - ratio, -(squares - ratio * around) / (mean(around) * sqrt(n * (n - 1))))
}

# Observed over expected events. A site without an event is counted as half of one, for its value on
# the log scale.
site_ratio <- function(d) {
  observed <- sum(d$y)
  expected <- sum(d$p)
  n <- length(d$y)
  if (n < 2L || expected <= 0) return(no_value(n))
  ratio <- observed / expected
  site <- site_value(ratio, (d$y - ratio * d$p) / expected * sqrt(n / (n - 1)))
  if (observed == 0) {
    site$value <- log(0.5 / expected)
    site$value_se <- sqrt(2)
  }
  binary <- all(d$y %in% 0:1) && all(d$p <= 1)
  # Poisson, of counts that vary as these do, or more
  variance <- max(sum((d$y - ratio * d$p)^2) / max(observed, 1), 1)
  if (observed < some_events) {
    site$likelihood <- if (binary) events_likelihood(observed, d$p)
      else function(value) (observed * value - expected * exp(value)) / variance
  }
  site$information <- if (binary) function(value, precision) n * odds_of(exp(value) * mean(d$p))
    else function(value, precision) expected * exp(value)
  site
}

# Also the information of a row about the logarithm of its probability.
odds_of <- function(share) {
  share <- pmin(share, 0.99)
  share / (1 - share)
}

# Binomial in the number of events as a function of the logarithm of observed / expected, with the
# variance of events whose probabilities p differ.
events_likelihood <- function(observed, p) {
  n <- length(p)
  mean <- mean(p)
  variance <- sum(p * (1 - p)) / (n * mean * (1 - mean))
  function(value) {
    share <- pmin(exp(value) * mean, 1)
    others <- if (n > observed) (n - observed) * log1p(-share) else 0
    ifelse(value > -log(mean), -Inf, (observed * value + others) / variance)
  }
}

# Probabilities and thresholds are compared as they are written.
threshold_digits <- 12L
at_least <- function(p, threshold) {
  round(p, threshold_digits) >= round(threshold, threshold_digits)
}

# The proportion of hits, with half a hit and half a miss more where all or none are hits.
site_proportion <- function(hit, among) {
  n <- sum(among)
  if (n == 0L) return(no_value(length(hit)))
  hits <- sum(hit[among])
  share <- hits / n
  site <- site_value(share, ifelse(among, (hit - share) / n, 0))
  more <- if (hits == 0L || hits == n) 0.5 else 0
  site$value <- log((hits + more) / (n - hits + more))
  site$value_se <- sqrt(1 / (hits + more) + 1 / (n - hits + more))
  if (min(hits, n - hits) < some_events) {
    site$likelihood <- function(value) hits * value - n * log1p(exp(value))
  }
  site$information <- function(value, precision) n * stats::plogis(value) * stats::plogis(-value)
  site
}

# Fewer events, others or rows than this are few: estimates are penalised, or have errors of a
# model.
few_events <- 10L

# With fewer events than this, the summary over sites uses the likelihood of the number of events.
some_events <- 40L

# The number of events or of others, whichever is smaller.
n_rarer <- function(y) min(sum(y), sum(1 - y))

# The probability that of two rows with different y the one with the larger y has the larger score;
# ties count one half. The effects are the placements of DeLong, DeLong and Clarke-Pearson (1988),
# of more than two ordered classes those of all pairs of classes together.
site_auc <- function(d) {
  n <- length(d$y)
  codes <- sort(unique(d$y))
  if (length(codes) < 2L) return(no_value(n))
  score <- signif(d$score, 12L)
  won <- numeric(n)
  pairs <- 0
  for (high in codes[-1L]) for (low in codes[codes < high]) {
    upper <- which(d$y == high)
    lower <- which(d$y == low)
    ranks <- rank(score[c(upper, lower)])
    first <- seq_along(upper)
    # of each row, the pairs in which its order is right
    won[upper] <- won[upper] + ranks[first] - rank(score[upper])
    won[lower] <- won[lower] + length(upper) - (ranks[-first] - rank(score[lower]))
    pairs <- pairs + as.numeric(length(upper)) * length(lower)
  }
  others <- n_others(d$y)
  area <- sum(won) / (2 * pairs)
  effect <- (won - area * others) / pairs
  sizes <- as.numeric(tabulate(match(d$y, codes)))
  # DeLong's variances of the placements have n - 1
  if (length(codes) == 2L && min(sizes) > 1L) {
    size <- sizes[match(d$y, codes)]
    effect <- effect * sqrt(size / (size - 1))
  }
  site <- site_value(area, effect)
  events <- if (length(codes) == 2L) sizes[2L] else sum(sizes) - max(sizes)
  site$information <- area_information(events, n - events)
  if (min(sum(sizes) - max(sizes), max(sizes)) < few_events || area %in% c(0, 1)) {
    # of few rows the placements say little of the error
    near <- (area * pairs + 0.5) / (pairs + 1)
    site$value <- stats::qlogis(near)
    error <- area_error(near, events, n - events)
    site$value_se <- error / (near * (1 - near))
    size <- near * (1 - near) / error^2
    site$likelihood <- function(value) size * (area * value - log1p(exp(value)))
  }
  site
}

# For each row, the number of rows with another y.
n_others <- function(y) length(y) - as.numeric(at_labels(table(y), as.character(y)))

# From the variance in method 4 of Newcombe (2006), equation 1 of Hanley and McNeil (1982) with the
# mean of both numbers in the place of each: which class is the event does not matter.
area_error <- function(area, events, others) {
  more <- (events + others) / 2 - 1
  sqrt(area * (1 - area) * (1 + more * ((1 - area) / (2 - area) + area / (1 + area))) /
         (events * others))
}

area_information <- function(events, others) {
  function(value, precision) {
    at <- stats::plogis(pmin(pmax(value, -6), 6))
    (at * (1 - at) / area_error(at, events, others))^2
  }
}

# The sum of squares over the classes' boundaries of the predicted less the observed distribution
# function.
ranked_probability <- function(d) {
  K <- ncol(d$p)
  below <- t(apply(d$p, 1L, cumsum))[, -K, drop = FALSE]
  rowSums((below - outer(d$y, seq_len(K - 1L), "<="))^2)
}

# Minimum number of rows for a slope; with classes of events, and of others.
calibration_rows <- 5L

# Probabilities as logits.
logits <- function(p) stats::qlogis(pmin(pmax(p, 1e-10), 1 - 1e-10))

# By kind of response the canonical family, whose link makes calibration a line, and predictions on
# the scale of the link.
calibration_families <- list(
  class = list(family = stats::binomial(), link = logits),
  number = list(family = stats::gaussian(), link = identity),
  count = list(family = stats::poisson(), link = log)
)

# link(mean of y) = a + b link(p), as canonical_fit() with columns 1 and link(p) - centre, and with
# the range of link(p). NULL with too few rows.
calibration_line <- function(d, kind) {
  of <- calibration_families[[kind]]
  x <- of$link(d$p)
  enough <- switch(kind, class = n_rarer(d$y), count = sum(d$y > 0), number = length(d$y))
  if (enough < calibration_rows || stats::sd(x) <= 1e-8 * max(abs(x))) return(NULL)
  fit <- canonical_fit(cbind(1, x - mean(x)), d$y, of$family)
  if (!is.null(fit)) c(fit, list(centre = mean(x), range = range(x)))
}

# a and b of the line.
line_intercept <- function(d, kind) {
  line <- calibration_line(d, kind)
  if (is.null(line)) no_value(length(d$y)) else fitted_value(line, c(1, -line$centre))
}

line_slope <- function(d, kind) {
  line <- calibration_line(d, kind)
  site <- fitted_value(line, c(0, 1), length(d$y))
  events <- if (kind == "class") n_rarer(d$y) else sum(d$y)
  if (!is.null(line) && kind != "number" && events < some_events) {
    x <- calibration_families[[kind]]$link(d$p) - line$centre
    site$likelihood <- switch(kind, class = class_slope_likelihood(d$y, x),
                              count = count_slope_likelihood(d$y, x, line$dispersion))
    if (kind == "count") site$information <- function(value, precision) precision * line$dispersion
  }
  site
}

# The likelihood of the slope b alone. With classes it is the profile likelihood plus half the
# logarithm of the intercept's information, which is nearly the likelihood given the number of
# events (Davison, 1988): the profile itself exaggerates slopes of few rows.
class_slope_likelihood <- function(y, x) {
  smooth_likelihood(seq(-10, 10, by = 0.2), function(b) {
    offset <- b * x
    a <- 0
    for (step in seq_len(50L)) {
      p <- stats::plogis(a + offset)
      information <- sum(p * (1 - p))
      move <- sum(y - p) / max(information, 1e-8)
      a <- a + max(min(move, 2), -2)
      if (abs(move) < 1e-8) break
    }
    sum(stats::plogis((2 * y - 1) * (a + offset), log.p = TRUE)) +
      log(max(information, 1e-300)) / 2
  })
}

# The same with counts: the likelihood of their shares, given their sum.
count_slope_likelihood <- function(y, x, dispersion) {
  smooth_likelihood(seq(-10, 10, by = 0.2), function(b) {
    top <- max(b * x)
    (b * sum(y * x) - sum(y) * (top + log(sum(exp(b * x - top))))) / dispersion
  })
}

# A function by its values on a grid, since it is asked for at thousands of places.
smooth_likelihood <- function(at, of) {
  between <- stats::splinefun(at, vapply(at, of, 0), method = "natural",
                              ties = "ordered")
  ends <- range(at)
  function(value) between(pmin(pmax(value, ends[1L]), ends[2L]))
}

# The sum of the coefficients times these weights.
fitted_value <- function(fit, weights, n = nrow(fit$effects)) {
  if (is.null(fit)) return(no_value(n))
  site_value(sum(weights * fit$beta), drop(fit$effects %*% weights),
             sqrt(drop(weights %*% fit$vcov %*% weights)))
}

# a of logit P(y = 1) = a + logit p
logistic_intercept <- function(d) {
  offset <- logits(d$p)
  n <- length(d$y)
  site <- fitted_value(canonical_fit(matrix(1, n), d$y, stats::binomial(), offset), 1, n)
  if (n_rarer(d$y) < some_events) {
    site$likelihood <- smooth_likelihood(seq(-12, 12, by = 0.05), function(a) {
      sum(stats::plogis((2 * d$y - 1) * (a + offset), log.p = TRUE))
    })
  }
  site
}

# Regression with the canonical link of the family by Newton's method; of classes with few events,
# or where there is no maximum, with Firth's penalty (1993; Heinze and Schemper, 2002, equation 2).
# Variances of numbers have the dispersion of the residuals, those of counts too if it is above 1.
# precision: of a normal prior of each coefficient with mean 0, in units of the dispersion.
# list(beta, vcov, inverse: vcov / dispersion, dispersion, pearson: sum of squares of residuals,
# effects: of each row on the coefficients); NULL if it does not converge.
canonical_fit <- function(X, y, family, offset = 0, penalised = NULL,
                          precision = numeric(ncol(X))) {
  classes <- family$family == "binomial"
  if (is.null(penalised)) penalised <- classes && n_rarer(y) < few_events
  largest_move <- if (family$link == "identity") Inf else 5
  beta <- numeric(ncol(X))
  prior <- diag(precision, ncol(X))
  for (step in seq_len(100L)) {
    mean <- family$linkinv(drop(X %*% beta) + offset)
    W <- family$variance(mean)
    inverse <- on_error(solve(crossprod(X, W * X) + prior), function(e) NULL)
    if (is.null(inverse)) break
    residual <- y - mean
    if (penalised) residual <- residual + rowSums((X %*% inverse) * X) * W * (0.5 - mean)
    move <- drop(inverse %*% (crossprod(X, residual) - precision * beta))
    move <- move * min(1, largest_move / max(abs(move)))
    beta <- beta + move
    if (max(abs(move)) < 1e-10 * max(1, abs(beta))) {
      mean <- family$linkinv(drop(X %*% beta) + offset)
      W <- family$variance(mean)
      inverse <- solve(crossprod(X, W * X) + prior)
      pearson <- sum((y - mean)^2 / W)
      dispersion <- if (classes) 1 else pearson / (length(y) - ncol(X))
      if (family$family == "poisson") dispersion <- max(dispersion, 1)
      return(list(beta = beta, vcov = dispersion * inverse, inverse = inverse,
                  dispersion = dispersion, pearson = pearson,
                  effects = (X * (y - mean)) %*% inverse))
    }
  }
  if (classes && !penalised) canonical_fit(X, y, family, offset, TRUE, precision)
}
