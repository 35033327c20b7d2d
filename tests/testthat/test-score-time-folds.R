# Rows of domains of unequal size, with ties and domains that begin late or end early.
timed_rows <- function(domains = 6, times = 8) {
  n <- 15 * domains
  g <- sample(letters[seq_len(domains)], n, replace = TRUE)
  t <- sample.int(times, n, replace = TRUE) + match(g, letters) %/% 3
  x <- rnorm(n)
  data.frame(g, t, x, y = x + match(g, letters) / 3 + t / 10 + rnorm(n))
}

splits_of <- function(folds, domain) {
  domgen:::fold_splits(folds, list(domain = factor(domain), row = seq_along(domain),
                                   n = length(domain)))
}

test_that("no row is trained on that is later than one held out, whatever is new", {
  set.seed(1)
  for (draw in 1:40) {
    d <- timed_rows(sample(3:7, 1), sample(c(2, 3, 8, 30), 1))
    new <- sample(c("both", "time", "domain"), 1)
    repeats <- if (new == "time") 1 else sample(1:2, 1)
    v <- if (new != "time" && draw %% 2) 2
    folds <- suppressMessages(domain_folds(d$g, folds = v, repeats = repeats, time = d$t,
                                           periods = sample(2:5, 1), new = new))
    # ties are not split, periods are in order
    expect_true(all(tapply(folds$period, d$t, function(p) length(unique(p))) == 1L))
    expect_false(is.unsorted(folds$period[order(d$t)]))
    splits <- splits_of(folds, d$g)
    lawful <- vapply(splits, function(split) {
      known <- d$g[split$held] %in% d$g[split$train]
      length(split$train) > 0L && all(folds$period[split$held] == split$period) &&
        (if (new == "domain") all(folds$period[split$train] <= split$period)
         else max(d$t[split$train]) < min(d$t[split$held])) &&
        (if (new == "time") all(known) else !any(known))
    }, NA)
    expect_true(all(lawful), info = new)
    for (r in seq_len(repeats)) {
      own <- Filter(function(split) split$rep == r, splits)
      held <- unlist(lapply(own, `[[`, "held"))
      expect_false(anyDuplicated(held) > 0)
      expect_identical(vapply(own, `[[`, 0L, "fold"), seq_along(own))
      # the rule, row by row
      assigned <- if (new != "time") as.matrix(unclass(folds$folds))[d$g, r]
      may <- vapply(seq_len(nrow(d)), function(i) {
        earlier <- folds$period < folds$period[i]
        switch(new, both = any(earlier & assigned != assigned[i]),
               time = any(earlier & d$g == d$g[i]),
               domain = any(folds$period <= folds$period[i] & assigned != assigned[i]))
      }, NA)
      expect_setequal(held, which(may))
      complete <- vapply(own, function(split) {
        i <- split$held[1L]
        trained <- switch(new, both = folds$period < folds$period[i] & assigned != assigned[i],
                          time = folds$period < folds$period[i],
                          domain = folds$period <= folds$period[i] & assigned != assigned[i])
        identical(split$train, unname(which(trained)))
      }, NA)
      expect_true(all(complete), info = new)
      if (r == 1) expect_identical(sum(folds$periods$held_out), length(held))
    }
  }
})

test_that("predictions are those of models that are fitted by hand", {
  set.seed(2)
  d <- timed_rows()
  fit <- function(train, held) {
    unname(predict(dg_lm(y ~ x + t | g, data = d[train, ]), d[held, ]))
  }
  run <- function(folds) dg_cv(dg_lm(), y ~ x + t | g, data = d, folds = folds)$predictions
  later <- run(domain_folds(d$g, time = d$t, cuts = 6, new = "time"))
  held <- which(d$t >= 6 & d$g %in% d$g[d$t < 6])
  expect_identical(later$row, held)
  expect_equal(later$prediction, fit(d$t < 6, held))
  folds <- domain_folds(d$g, folds = 3, time = d$t, cuts = c(4, 7))
  both <- run(folds)
  now <- run(structure(modifyList(unclass(folds), list(new = "domain")),
                       class = class(folds)))
  part <- unclass(folds$folds)[d$g]
  for (k in 1:3) {
    for (p in list(c(4, 7), c(7, Inf))) {
      held <- which(d$t >= p[1] & d$t < p[2] & part == k)
      expect_equal(both$prediction[match(held, both$row)], fit(d$t < p[1] & part != k, held))
      expect_equal(now$prediction[match(held, now$row)], fit(d$t < p[2] & part != k, held))
    }
  }
})

test_that("folds with time are the same through rsample", {
  skip_if_not_installed("rsample")
  set.seed(3)
  d <- timed_rows()
  for (new in c("both", "time", "domain")) {
    folds <- domain_folds(d$g, folds = if (new != "time") 3, time = d$t, new = new)
    theirs <- as_rsample(folds, d)
    expect_identical(theirs, as_rsample(folds, d, "g"))
    period <- folds$period
    by_hand <- if (new == "time") rsample::manual_rset(lapply(2:5, function(p) {
      rsample::make_splits(list(
        analysis = which(period < p),
        assessment = which(period == p & d$g %in% d$g[period < p])), d)
    }), paste("period", 2:5))
    for (other in Filter(Negate(is.null), list(theirs, by_hand))) {
      ours <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds)
      bridged <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = other)
      for (part in c("predictions", "domains", "mean", "overall")) {
        expect_identical(bridged[[part]], ours[[part]], label = part)
      }
    }
  }
})

test_that("searches and comparisons take folds with time", {
  set.seed(4)
  d <- timed_rows()
  folds <- domain_folds(d$g, folds = 3, time = d$t)
  tuned <- dg_tune(dg_ridge(), y ~ x | g, data = d, folds = folds, extend = FALSE,
                   grid = list(lambda = c(0.1, 1)))
  alone <- dg_cv(dg_ridge(lambda = 1), y ~ x | g, data = d, folds = folds)
  expect_equal(tuned$tuning$table$mean[2L], alone$mean)
  expect_equal(tuned$tuning$table$se[2L], alone$se)
  expect_output(print(tuned), "optimistic\\s+for new domains in a later period, see")
  compared <- dg_compare(list(a = dg_lm(), b = dg_ridge(lambda = 1)), y ~ x | g, data = d,
                         folds = folds)
  expect_equal(compared$scores[, "b"], setNames(alone$domains$score, alone$domains$domain))
  expect_null(compared$runs$b$refits)
  expect_equal(compared$runs$b$periods, alone$periods)
  # not all domains are held out
  late <- domain_folds(d$g, time = d$t, cuts = 10, new = "time")
  tuned <- dg_tune(dg_ridge(), y ~ x | g, data = d, folds = late, extend = FALSE,
                   grid = list(lambda = c(0.1, 1)))
  expect_identical(nrow(tuned$tuning$scores),
                   nrow(dg_cv(dg_lm(), y ~ x | g, data = d, folds = late)$domains))
  # a search inside of each fold
  search <- dg_tune(dg_ridge(), grid = list(lambda = c(0.1, 1)), folds = 2, extend = FALSE)
  nested <- dg_cv(search, y ~ x | g, data = d, folds = folds)
  expect_false(anyNA(nested$fits$lambda))
})

test_that("rows with missing values leave the periods as they are", {
  set.seed(5)
  d <- timed_rows()
  folds <- domain_folds(d$g, folds = 2, time = d$t)
  d$x[c(1, 20)] <- NA
  expect_warning(result <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds), "left out")
  found <- result$fits$period[result$predictions$fold]
  expect_identical(found, folds$period[result$predictions$row])
  expect_false(any(c(1, 20) %in% result$predictions$row))
  # as do rows of weight zero
  d$x[c(1, 20)] <- 0
  weighted <- dg_cv(dg_lm(), y ~ x | g, data = d, weights = replace(rep(2, 90), c(1, 20), 0),
                    folds = folds)$predictions
  same <- match(result$predictions$row, weighted$row)
  expect_equal(weighted$prediction[same], result$predictions$prediction)
})

test_that("scores by period are those of its rows, and their trend is that of a linear model", {
  set.seed(6)
  d <- timed_rows()
  folds <- domain_folds(d$g, folds = 3, time = d$t)
  result <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds)
  rows <- result$predictions
  rows$period <- folds$period[rows$row]
  rmse <- function(e) sqrt(mean(e^2))
  long <- aggregate(list(s = rows$truth - rows$prediction), rows[c("domain", "period")], rmse)
  expect_equal(result$periods$mean, unname(c(tapply(long$s, long$period, mean))))
  expect_equal(result$periods$rows, c(table(rows$period)), ignore_attr = TRUE)
  at <- folds$periods[folds$periods$period %in% rows$period, ]
  expect_equal(result$periods$from, c(tapply(d$t, folds$period, min))[at$period],
               ignore_attr = TRUE)
  expect_equal(result$periods$to, at$to)
  factors <- numeric()
  for (p in result$periods$period) {
    own <- long$s[long$period == p]
    sizes <- lengths(lapply(Filter(function(s) s$period == p, splits_of(folds, d$g)), `[[`,
                            "train"))
    expect_equal(result$periods$train[result$periods$period == p], mean(sizes))
    factor <- 1 + sum(rows$period == p) / mean(sizes)
    factors <- c(factors, factor)
    expect_equal(result$periods$se[result$periods$period == p],
                 sqrt(factor) * sd(own) / sqrt(length(own)))
  }
  # paired within domains, standard error by domains
  model <- lm(s ~ period + domain, long)
  trend <- result$trend
  expect_equal(trend$change, unname(coef(model)["period"]))
  X <- model.matrix(model)
  bread <- solve(crossprod(X))
  meat <- crossprod(rowsum(X * residuals(model), long$domain))
  G <- length(unique(long$domain))
  share <- mean(lengths(lapply(splits_of(folds, d$g), `[[`, "train"))) / nrow(rows)
  expect_equal(result$share, share)
  expect_equal(trend$se^2, mean(factors) * G / (G - 1) *
                 unname((bread %*% meat %*% bread)["period", "period"]))
  expect_equal(trend$upper, trend$change + qt(0.975, G - 1) * trend$se)
  expect_equal(dim(result$period_scores), c(G, nrow(result$periods)))
})

test_that("the trend is between domains if each has one period", {
  set.seed(7)
  g <- rep(letters[1:8], each = 6)
  d <- data.frame(g, x = rnorm(48), t = match(g, letters) %/% 2)
  d$y <- d$x * (1 + d$t / 4) + rnorm(48) / 3
  folds <- domain_folds(d$g, folds = 4, time = d$t, periods = 4)
  result <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds)
  long <- data.frame(s = result$domains$score,
                     p = folds$period[match(result$domains$domain, d$g)])
  model <- lm(s ~ p, long)
  expect_identical(result$trend$how, "between domains")
  expect_equal(result$trend$change, unname(coef(model)["p"]))
  X <- model.matrix(model)
  G <- nrow(long)
  robust <- solve(crossprod(X)) %*% crossprod(X * residuals(model)) %*% solve(crossprod(X))
  rows <- tabulate(folds$period)[-1]
  factors <- 1 + rows / result$periods$train
  expect_equal(result$trend$se^2, mean(factors) * G / (G - 2) * robust[2, 2])
  expect_equal(result$trend$df, G - 2)
  # one period has none
  expect_null(dg_cv(dg_lm(), y ~ x | g, data = d,
                    folds = domain_folds(d$g, time = d$t, cuts = 3))$trend)
})

test_that("without drift there is no trend in most draws, with drift there is", {
  clear <- function(drift) {
    mean(vapply(1:10, function(seed) {
      set.seed(seed)
      d <- expand.grid(r = 1:3, t = 1:6, g = letters[1:10])
      d$x <- rnorm(nrow(d))
      d$y <- d$x * (1 + drift * d$t) + rnorm(nrow(d))
      folds <- domain_folds(d$g, folds = 2, time = d$t, cuts = c(3, 5))
      dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds)$trend$lower > 0
    }, NA))
  }
  expect_lte(clear(0), 0.1)
  expect_gte(clear(1), 0.5)
})

test_that("periods are as even as ties allow, and cuts begin a period", {
  even <- function(counts, p) tabulate(domgen:::even_periods(counts, p))
  expect_identical(even(rep(1, 10), 5), rep(2L, 5))
  expect_identical(even(c(100, 1, 1), 3), rep(1L, 3))
  expect_identical(rowsum(c(1, 1, 50, 1, 1), domgen:::even_periods(c(1, 1, 50, 1, 1), 2))[, 1],
                   c(`1` = 2, `2` = 52))
  g <- rep(c("a", "b", "c"), 4)
  days <- as.Date("2024-01-30") + rep(0:3, each = 3)
  folds <- domain_folds(g, time = days, cuts = as.Date("2024-02-01"))
  expect_identical(folds$period, rep(c(1L, 1L, 2L, 2L), each = 3))
  expect_identical(folds$periods$from, as.Date(c("2024-01-30", "2024-02-01")))
  hours <- as.POSIXct(days)
  ordered <- factor(rep(c("early", "late", "last", "end"), each = 3),
                    c("early", "late", "last", "end"), ordered = TRUE)
  expect_identical(domain_folds(g, time = hours, cuts = hours[7])$period, folds$period)
  expect_identical(domain_folds(g, time = ordered, cuts = "last")$period, folds$period)
  expect_message(few <- domain_folds(g, time = days), "4 different values: 4 periods, not 5")
  expect_identical(few$periods$rows, rep(3L, 4))
  expect_message(domain_folds(g, time = rep(1:4, each = 3), cuts = c(2.1, 2.5)), "2 periods, not 3")
  # balance and repeats are those of domains
  set.seed(8)
  repeated <- domain_folds(g, folds = 2, repeats = 3, balance = "size", time = days, periods = 2)
  expect_identical(dim(repeated$folds), c(3L, 3L))
})

test_that("what is printed is right for what is new", {
  set.seed(9)
  d <- timed_rows()
  said <- function(...) {
    folds <- domain_folds(d$g, time = d$t, ...)
    result <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds)
    paste(trimws(c(capture.output(print(folds)), capture.output(print(result)),
                   capture.output(print(summary(result))))), collapse = " ")
  }
  both <- said(folds = 3)
  expect_match(both, "new domains in a later period are held out")
  expect_match(both, "6 domains held out in 3 folds in each of 4 periods")
  expect_match(both, "for new domains of the same kind in a later period (drift as", fixed = TRUE)
  time <- said(new = "time")
  expect_match(time, "later rows of 6 domains held out in 4 periods")
  expect_match(time, "for known domains of the same kind in a later period", fixed = TRUE)
  known <- said(new = "domain")
  expect_match(known, "one at a time in each of 5 periods")
  expect_match(known, "in a period of training (no further drift", fixed = TRUE)
  rows <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = row_folds(d$g, 2))
  expect_output(print(rows), "Intervals are for known domains of the same kind \\(no drift")
  expect_output(print(dg_cv(dg_lm(), y ~ x | g, data = d)), "Intervals are for new domains of the")
  result <- dg_cv(dg_lm(), y ~ x | g, data = d, folds = domain_folds(d$g, folds = 3, time = d$t))
  expect_named(tidy(result, table = "periods"),
               c("period", "from", "to", "train", "rows", "domains", "estimate", "std.error",
                 "conf.low", "conf.high"))
  expect_identical(tidy(result, table = "trend")$estimate, result$trend$change)
  expect_identical(tidy(result), tidy(result, table = "domains"))
})

test_that("validations and reports say for which domains they are", {
  set.seed(11)
  d <- timed_rows(8)
  validated <- function(folds) {
    dg_validate(dg_cv(dg_lm(), y ~ x | g, data = d, folds = folds))
  }
  said <- function(x) gsub("\\s+", " ", paste(capture.output(print(x)), collapse = " "))
  note <- "Means and \"new domain\" are for known domains of the same kind in a later period"
  later <- validated(domain_folds(d$g, time = d$t, new = "time"))
  expect_match(said(later), note, fixed = TRUE)
  expect_match(said(dg_validate(later$rows$p, y = later$rows$y, domain = later$rows$domain)),
               "new domain: where", fixed = TRUE)
  expect_match(paste(dg_report(later)$text, collapse = " "),
               "fitted to other rows, also of that site")
  expect_no_match(said(validated(domain_folds(d$g))), "Means and", fixed = TRUE)
  expect_match(paste(dg_report(validated(domain_folds(d$g, time = d$t)))$text, collapse = " "),
               "was fitted without it")
})

test_that("folds with time are refused where they cannot be right", {
  set.seed(10)
  d <- timed_rows()
  d$h <- rep(c("p", "q", "r"), 30)
  folds <- function(...) domain_folds(d$g, time = d$t, ...)
  run <- function(formula = y ~ x | g, f = folds(), ..., data = d) {
    dg_cv(dg_lm(), formula, data = data, folds = f, ...)
  }
  expect_refusals({
    folds(periods = 1)
    folds(periods = 2.5)
    folds(cuts = 50)
    folds(cuts = "early")
    folds(cuts = 3, periods = 2)
    folds(new = "all")
    folds(new = "time", folds = 2)
    folds(folds = 7)
    domain_folds(d$g, periods = 3)
    domain_folds(d$g, new = "time")
    domain_folds(d$g, time = rep(1, 90))
    domain_folds(d$g, time = c(NA, Inf, 3:90))
    domain_folds(d$g, time = d$g)
    domain_folds(d$g, time = factor(d$t))
    domain_folds(d$g, time = 1:3)
    domain_folds(d$g, time = match(d$g, letters), new = "time")
    domain_folds(rep("a", 90), time = d$t)
    domain_folds(d$g, time = as.Date(d$t, origin = "2024-01-01"), cuts = 19000)
    run(data = d[-1, ])
    run(y ~ x | h)
    run(y ~ x | h + g)
    run(shots = 2)
    dg_cv(dg_ridge(feature_map = features_nystrom(5)), y ~ x | g, data = row_source(d),
          folds = folds())
    dg_importance(dg_lm(), y ~ x | g, data = d, folds = folds())
    dg_auto(y ~ x | g, data = d, folds = folds())
    dg_cv(dg_tune(dg_ridge(), folds = folds()), y ~ x | g, data = d)
    plot(dg_cv(dg_lm(), y ~ x | g, data = d), periods = TRUE)
    tidy(dg_cv(dg_lm(), y ~ x | g, data = d), table = "periods")
  })
  # one factor of several
  nested <- domain_folds(d$h, time = d$t)
  result <- run(y ~ x | h / g, nested)
  expect_identical(result$domains$domain, c("p", "q", "r"))
  expect_match(result$held_out, "3 levels of `h` held out one at a time in each of 4 periods")
})
