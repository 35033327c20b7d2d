skip_if_not_installed("survival")

times_of <- function(time, event) domgen:::censored_times(time, event)

# Rows of some domains, with ties if `ties`.
some_times <- function(seed, n = 120, ties = TRUE) {
  set.seed(seed)
  f <- rnorm(n)
  time <- rexp(n) / exp(f)
  end <- rexp(n, 0.5)
  observed <- pmin(time, end)
  if (ties) observed <- ceiling(observed * 8) / 8
  data.frame(time = observed, status = as.integer(time <= end), f = f)
}

# The definition, row by row.
naive_brier <- function(time, event, S, t) {
  G <- function(u, included) {
    product <- 1
    for (at in sort(unique(time[!event]))) {
      if (at > u || at == u && !included) break
      left <- sum(time > at) + sum(time == at & !event)
      product <- product * (1 - sum(time == at & !event) / left)
    }
    product
  }
  mean(vapply(seq_along(time), function(i) {
    if (time[i] > t) (1 - S[i])^2 / G(t, TRUE)
    else if (event[i]) S[i]^2 / G(time[i], FALSE) else 0
  }, 0))
}

test_that("the Brier score is that of the definition, whatever is tied", {
  for (seed in 1:4) {
    d <- some_times(seed, 60, ties = seed %% 2 == 0)
    S <- runif(60)
    for (t in c(0.1, 0.5, 1)) {
      expect_equal(domgen:::brier_at(times_of(d$time, d$status), S, t)$mean,
                   naive_brier(d$time, d$status == 1, S, t), tolerance = 1e-12)
    }
    # followed by nobody
    expect_identical(domgen:::brier_at(times_of(d$time, d$status), S, max(d$time) + 1)$mean, NA_real_)
  }
})

test_that("without censoring the Brier score is the mean square", {
  y <- times_of(c(1, 2, 3, 4), rep(1, 4))
  S <- c(0.1, 0.4, 0.6, 0.9)
  expect_equal(domgen:::brier_at(y, S, 2)$mean, mean((c(0, 0, 1, 1) - S)^2))
  expect_equal(domgen:::integrated_brier(y, cbind(1, S), c(0, 2)), mean((c(0, 0, 1, 1) - S)^2) / 2)
})

test_that("the weighted mean of events is one minus Kaplan and Meier's estimate", {
  d <- some_times(7)
  for (t in c(0.25, 0.8)) {
    found <- domgen:::ipcw_mean(times_of(d$time, d$status), t,
                                list(event = rep(1, nrow(d)), later = rep(0, nrow(d))))
    theirs <- summary(survival::survfit(survival::Surv(time, status) ~ 1, d), times = t)
    expect_equal(found$mean, 1 - theirs$surv, tolerance = 1e-12)
    # nearly Greenwood's
    expect_equal(sqrt(sum(found$effect^2)), theirs$std.err, tolerance = 1e-2)
  }
})

test_that("effects of rows are the changes by small changes of their weights", {
  d <- some_times(8, 40)
  S <- runif(40)
  found <- domgen:::brier_at(times_of(d$time, d$status), S, 0.6)
  # weight 1 + 1/50 of a row: it 51 times, others 50 times
  many <- rep(1:40, each = 50)
  for (i in c(which(d$status == 0 & d$time < 0.6)[1:2], which(d$status == 1)[1:2],
              which(d$time > 0.6)[1])) {
    own <- c(many, i)
    moved <- domgen:::brier_at(times_of(d$time[own], d$status[own]), S[own], 0.6)$mean
    expect_equal(50 * (moved - found$mean), found$effect[i], tolerance = 0.05)
  }
})

# riskRegression 2022.11.28, Score(list(1 - S), Surv(time, status) ~ 1, data = d, times = times,
# metrics = "brier", null.model = FALSE, conf.int = TRUE, cens.method = "ipcw")$Brier$score
test_that("scores are those of riskRegression", {
  d <- some_times(3, 150)
  times <- c(0.25, 0.5, 1)
  S <- exp(-outer(exp(d$f), times))
  own <- lapply(seq_along(times), function(k) {
    domgen:::brier_at(times_of(d$time, d$status), S[, k], times[k])
  })
  expect_equal(vapply(own, `[[`, 0, "mean"), c(0.165152235148, 0.192268417704, 0.192181113585),
               tolerance = 1e-10)
  # theirs, another estimate
  expect_equal(vapply(own, function(of) sqrt(sum(of$effect^2)), 0),
               c(0.0181836265119, 0.0181718013080, 0.0209989067363), tolerance = 0.03)
})

test_that("concordances are survival's, by weights of censoring, until a time, and over strata", {
  for (seed in 1:6) {
    d <- some_times(seed, ties = seed %% 2 == 0)
    d$f <- round(d$f, 1)
    d$g <- rep(c("a", "b", "c"), length.out = nrow(d))
    y <- survival::Surv(d$time, d$status)
    own <- times_of(d$time, d$status)
    theirs <- function(...) survival::concordance(y ~ d$f, reverse = TRUE, ...)$concordance
    expect_equal(concordance(own, d$f), theirs(), tolerance = 1e-12)
    expect_equal(concordance(own, d$f, uno = TRUE), theirs(timewt = "n/G2"), tolerance = 1e-10)
    expect_equal(concordance(own, d$f, TRUE, 0.75), theirs(timewt = "n/G2", ymax = 0.75),
                 tolerance = 1e-10)
    expect_equal(concordance(own, d$f, FALSE, 0.75), theirs(ymax = 0.75), tolerance = 1e-10)
    strata <- survival::strata
    pooled <- survival::concordance(y ~ d$f + strata(d$g), reverse = TRUE)$count
    d$domain <- d$g
    d$truth <- own
    d$decision <- d$f
    sums <- if (is.matrix(pooled)) colSums(pooled) else pooled
    expect_equal(score(as.list(d), domgen:::metrics$concordance),
                 unname((sums["concordant"] + sums["tied.x"] / 2) /
                          sum(sums[c("concordant", "discordant", "tied.x")])), tolerance = 1e-12)
  }
})

test_that("dg_cv() and dg_compare() score curves by domain, of all learners that have some", {
  rows <- stats::na.omit(survival::lung[c("inst", "time", "status", "age", "sex")])
  formula <- survival::Surv(time, status) ~ age + sex | inst
  rows$inst <- factor(ifelse(rows$inst < 12, rows$inst, 12))
  metric <- list("concordance", "uno", metric_brier(180), ibs = metric_brier(c(0, 90, 180)),
                 metric_concordance("uno", until = 300))
  set.seed(1)
  cv <- dg_cv(dg_lm(), formula, data = rows, metric = metric, folds = 4)
  expect_named(cv$domains[-(1:4)], c("concordance", "uno", "Brier score at 180", "ibs",
                                     "Uno's concordance until 300"))
  expect_identical(colnames(cv$predictions$survival), c("0", "90", "180"))
  # by hand
  domain <- levels(rows$inst)[3]
  own <- cv$predictions$domain == domain
  fold <- cv$predictions$fold == cv$predictions$fold[own][1]
  fit <- dg_lm(formula, data = rows[-cv$predictions$row[fold], ])
  S <- predict(fit, rows[cv$predictions$row[own], ], type = "survival", times = 180)
  truth <- cv$predictions$truth[own]
  expect_equal(cv$domains[["Brier score at 180"]][cv$domains$domain == domain],
               naive_brier(Re(truth), Im(truth) == 1, S[, 1], 180), tolerance = 1e-10)
  methods <- list(lm = dg_lm(), glm = dg_glm(lambda = 5))
  if (requireNamespace("ranger", quietly = TRUE)) methods$forest <- dg_forest(trees = 20)
  if (requireNamespace("glmnet", quietly = TRUE)) methods$net <- dg_net(lambda = 0.01)
  compared <- dg_compare(methods, formula, data = rows, metric = metric_brier(c(0, 180, 365)),
                         folds = 3, refits = FALSE)
  expect_true(all(is.finite(compared$table$mean)))
  expect_output(print(compared), "integrated Brier score, 0 to 365 (lower is better)", fixed = TRUE)
  tuned <- dg_tune(dg_glm(), formula, data = rows, grid = list(lambda = c(1, 100)), folds = 3,
                   metric = metric_brier(180))
  expect_s3_class(tuned, "dg_glm")
})

test_that("metrics that a model cannot have are refused in words", {
  rows <- stats::na.omit(survival::lung[c("inst", "time", "status", "age")])
  formula <- survival::Surv(time, status) ~ age | inst
  refused <- function(call, words) expect_error(call, words, class = "domgen_error_argument")
  own <- learner_custom(function(x, y) survival::coxph(y ~ ., data = cbind(x, y = y)),
                        function(object, x) predict(object, x))
  refused(dg_cv(own, formula, data = rows, metric = metric_brier(100)), "no function `survival`")
  refused(dg_cv(dg_lm(), age ~ status | inst, data = rows, metric = metric_brier(100)),
          "must be one for a number")
  refused(metric_brier(c(2, 1)), "ascending")
  refused(metric_brier(-1), "not -1")
  refused(metric_concordance("c"), "harrell")
  refused(metric_concordance(until = 0), "until")
  refused(dg_cv(dg_glm(formula, data = rows, lambda = 1), metric = metric_brier(100), refit = FALSE),
          "no closed form")
  refused(dg_importance(dg_glm(lambda = 1), formula, data = rows, metric = metric_brier(100)),
          "predictions, decision values or probabilities")
})
