# Calls that people make first and wait for, at the sizes of real studies; timed by regression.R:
#   Rscript tests/bench/regression.R COMMIT 3 "" tests/bench/regression-waiting.R
# The Cox regression needs survival.

library(domgen)
options(domgen.threads = 1L, domgen.progress = FALSE)

# Rows of domains that differ in their means and levels; the first predictor acts by its sine.
make_rows <- function(n, p, domains, seed) {
  set.seed(seed)
  domain <- factor(rep_len(seq_len(domains), n))
  means <- matrix(stats::rnorm(domains * p, sd = 0.5), domains)
  X <- matrix(stats::rnorm(n * p), n) + means[domain, ]
  value <- sin(X[, 1L]) + 0.5 * X[, 2L] + stats::rnorm(domains)[domain]
  data.frame(domain = domain, value = value, X)
}

with_number <- function(rows) {
  transform(rows, y = value + stats::rnorm(length(value), sd = 0.5), value = NULL)
}

with_classes <- function(rows, classes) {
  X <- as.matrix(rows[grep("^X", names(rows))])
  levels <- vapply(seq_len(classes), function(k) {
    own <- stats::rnorm(nlevels(rows$domain), sd = 0.4)
    sin(X[, 1L] * k / 2) + 0.7 * X[, 1L + k] + own[rows$domain]
  }, numeric(nrow(X)))
  noise <- -log(-log(matrix(stats::runif(length(levels)), nrow(X))))
  transform(rows, y = factor(letters[max.col(levels + 0.7 * noise)]), value = NULL)
}

two <- transform(make_rows(9857L, 15L, 20L, 1), value = NULL,
                 y = factor(stats::runif(length(value)) < stats::plogis(value)))
counts <- transform(make_rows(599L, 5L, 9L, 2), y = stats::rpois(length(value), exp(value / 2)),
                    value = NULL)
six <- with_classes(make_rows(1847L, 10L, 10L, 3), 6L)
numbers <- with_number(make_rows(6400L, 10L, 32L, 4))
large <- with_number(make_rows(8000L, 10L, 40L, 7))
huge <- with_number(make_rows(30000L, 10L, 40L, 8))
more <- with_number(make_rows(11000L, 10L, 32L, 5))
small_sites <- with_number(make_rows(900L, 4L, 300L, 6))
small_sites$end <- stats::rexp(900L, exp(small_sites$y / 2))
small_sites$event <- stats::rbinom(900L, 1L, 0.7)
small_sites$y <- NULL
censored <- function() {
  colon <- stats::na.omit(survival::colon)
  colon$site <- factor(colon$id %% 20)
  colon
}
model <- if (any(grepl("intervals", commandArgs(TRUE))) || length(commandArgs(TRUE)) < 2L) {
  dg_auto(y ~ . | domain, data = numbers)
}

calls <- list(
  "glm, two classes, 9,857 rows" = function() dg_glm(y ~ . | domain, data = two),
  "glm, Cox, 1,776 rows" = function() {
    dg_glm(survival::Surv(time, status) ~ rx + sex + age + obstruct + perfor + adhere + nodes +
             differ + extent + surg | site, data = censored())
  },
  "glm, counts, 9 folds" = function() {
    dg_cv(dg_glm(family = "poisson"), y ~ . | domain, data = counts, folds = 9)
  },
  "glm, six classes, 5 folds" = function() {
    dg_cv(dg_glm(), y ~ . | domain, data = six, folds = 5)
  },
  "glm, six classes" = function() dg_glm(y ~ . | domain, data = six),
  "choice, six classes" = function() dg_auto(y ~ . | domain, data = six, metric = "log_loss"),
  "choice, times of 300 domains" = function() {
    dg_auto(survival::Surv(end, event) ~ . | domain, data = small_sites)
  },
  "diagnosis, 6,400 rows" = function() dg_diagnose(y ~ . | domain, data = numbers),
  "diagnosis, 11,000 rows" = function() dg_diagnose(y ~ . | domain, data = more, max_rows = 11000),
  "ridge, 30,000 rows" = function() dg_ridge(y ~ . | domain, data = huge),
  "ridge, 1,000 landmarks" = function() {
    dg_ridge(y ~ . | domain, data = numbers, lambda = 1, feature_map = features_nystrom(1000))
  },
  "choice, 6,400 rows" = function() dg_auto(y ~ . | domain, data = numbers),
  "choice, 8,000 rows" = function() dg_auto(y ~ . | domain, data = large),
  "choice, 30,000 rows" = function() dg_auto(y ~ . | domain, data = huge),
  "first intervals, 6,400 rows" = function() {
    predict(model, newdata = numbers[1:200, ], interval = "prediction")
  }
)

source("tests/bench/regression-time.R")
time_calls(calls)
