# Do the intervals of dg_cv() cover with folds with time? Each draw has 8 or 20 domains g with 3
# rows at each of 10 times t,
#   y = a_g + b_g x_1 + c_t + s_g e,  e ~ N(0, 1)
#   a_g ~ N(0, 0.5), b_g ~ N(1, 0.5), log s_g ~ N(0, 0.3)
# with two standard normal predictors, and no drift, or a shock c_t ~ N(0, 0.5) that all domains
# share. `lm` is a linear model, `kernel` a ridge regression that fits nearly every row, so that its
# scores depend on the training set. Proportions of draws in which 95 % intervals cover the mean
# over all draws:
#   mean    of the RMSE
#   period  of the RMSE of a period (over all held-out periods)
#   trend   of the change of the RMSE from a period to the next

draw_times <- function(G, shock) {
  d <- expand.grid(row = 1:3, time = 1:10, domain = seq_len(G))
  a <- stats::rnorm(G, 0, 0.5)
  b <- stats::rnorm(G, 1, 0.5)
  s <- exp(stats::rnorm(G, 0, 0.3))
  common <- stats::rnorm(10, 0, shock)
  d$x1 <- stats::rnorm(nrow(d))
  d$x2 <- stats::rnorm(nrow(d))
  d$y <- a[d$domain] + b[d$domain] * d$x1 + common[d$time] + s[d$domain] * stats::rnorm(nrow(d))
  d
}

time_methods <- list(
  lm = dg_lm(),
  kernel = dg_ridge(kernel = kernel_rbf(0.5), domain_kernel = domain_pooled(), lambda = 1e-3)
)

# Estimate and interval of mean, periods and trend.
score_times <- function(cell) {
  d <- draw_times(cell$domains, if (cell$drift == "shocks") 0.5 else 0)
  folds <- domain_folds(d$domain, folds = if (cell$new != "time") 4, time = d$time, new = cell$new)
  cv <- dg_cv(time_methods[[cell$learner]], y ~ x1 + x2 | domain, data = d, folds = folds)
  all <- glance(cv)
  periods <- cv$periods
  rbind(c(all$mean, all$conf.low, all$conf.high),
        unname(as.matrix(periods[c("mean", "lower", "upper")])),
        c(cv$trend$change, cv$trend$lower, cv$trend$upper))
}

experiment(
  paper = "domgen", item = "?dg_cv", title = "Do intervals of scores cover with folds with time?",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 3, full = 10),
  tolerance = c(mean = 0.25, period = 0.1, trend = 0.25),
  cells = function(size) {
    if (size == "quick") {
      return(data.frame(domains = 8, learner = "lm", new = c("both", "time"), drift = "none",
                        replications = 8))
    }
    expand.grid(domains = c(8, 20), learner = names(time_methods), new = c("both", "time"),
                drift = c("none", "shocks"), replications = if (size == "full") 100 else 30,
                stringsAsFactors = FALSE)
  },
  run = function(cell, draw, data) {
    found <- simplify2array(lapply(seq_len(cell$replications), function(r) {
      set.seed(1000 * draw + r)
      score_times(cell)
    }))
    truth <- rowMeans(found[, 1L, ])
    covered <- rowMeans(found[, 2L, ] <= truth & truth <= found[, 3L, ])
    last <- length(covered)
    result_lines("coverage", c(mean = covered[1L], period = mean(covered[-c(1L, last)]),
                               trend = covered[last]))
  }
)
