# dg_glm() of censored times beside cv.glmnet() (ridge, ten folds of domains), where both choose
# lambda: processor seconds, medians of five runs in turn, one thread, and the ratio of cv.glmnet()'s
# to ours. Beside it the seconds of a given lambda.
#   OPENBLAS_NUM_THREADS=1 Rscript tests/bench/cox.R [library]
# library: of another state of the package.

given <- commandArgs(TRUE)
library(domgen, lib.loc = if (length(given)) given[1L])
options(domgen.threads = 1L, domgen.progress = FALSE)

draw <- function(n, p, domains = 20L) {
  set.seed(1)
  domain <- factor(rep_len(seq_len(domains), n))
  means <- matrix(stats::rnorm(domains * p, sd = 0.5), domains)
  X <- matrix(stats::rnorm(n * p), n) + means[domain, ]
  f <- sin(X[, 1L]) + 0.5 * X[, 2L] - 0.5 * X[, 3L] + stats::rnorm(domains, sd = 0.5)[domain]
  time <- stats::rexp(n, exp(f))
  end <- stats::rexp(n, 0.3)
  data.frame(domain, time = pmin(time, end), status = as.integer(time <= end), X)
}

processor <- function(f) {
  gc(verbose = FALSE)
  sum(system.time(f())[c("user.self", "sys.self")])
}

for (size in list(c(500L, 10L), c(2000L, 10L), c(2000L, 50L))) {
  d <- draw(size[1L], size[2L])
  X <- as.matrix(d[-(1:3)])
  folds <- (as.integer(d$domain) - 1L) %% 10L + 1L
  times <- survival::Surv(d$time, d$status)
  ours <- function(...) {
    function() dg_glm(survival::Surv(time, status) ~ . | domain, data = d, ...)
  }
  pooled <- list(domain_kernel = domain_pooled())
  linear <- c(pooled, kernel = list(kernel_linear()))
  calls <- list(
    glmnet = function() {
      glmnet::cv.glmnet(X, times, family = "cox", alpha = 0, foldid = folds)
    },
    linear = do.call(ours, linear), rbf = do.call(ours, pooled), default = ours(),
    linear_given = do.call(ours, c(linear, lambda = 10)), default_given = ours(lambda = 10)
  )
  for (call in calls) call()
  seconds <- apply(replicate(5L, vapply(calls, processor, 0)), 1L, stats::median)
  cat(sprintf("%d rows, %d predictors: cv.glmnet() %.2f s\n", size[1L], size[2L], seconds[1L]))
  cat(sprintf("  %-38s %5.2f s, %.2f of its speed%s\n",
              c("linear, domains pooled", "RBF, domains pooled", "RBF, kernel between domains"),
              seconds[2:4], seconds[1L] / seconds[2:4],
              sprintf(c("; lambda given %.3f s", "", "; lambda given %.3f s"), seconds[c(5L, 5L, 6L)])), sep = "")
}
