# Columns as tables have them, to count false alarms on (test-data-remarks.R,
# tests/bench/column-remarks.R).

# Usual columns of n rows.
usual_columns <- list(
  normal = function(n) rnorm(n, runif(1, -50, 200), exp(runif(1, -3, 5))),
  rounded = function(n) round(rnorm(n, runif(1, 0, 200), exp(runif(1, 0, 4))), sample(0:2, 1)),
  money = function(n) round(rlnorm(n, runif(1, 4, 11), runif(1, 0.3, 1.8)), sample(c(0, 2), 1)),
  price = function(n) 10 * ceiling(rlnorm(n, runif(1, 0, 4), 0.8)) - sample(c(0, 1, 0.01), 1),
  poisson = function(n) rpois(n, exp(runif(1, 0, 4))),
  counts = function(n) rnbinom(n, size = runif(1, 0.2, 3), mu = exp(runif(1, 0, 4))),
  whole = function(n) sample(10^sample(2:6, 1), n, TRUE),
  age = function(n) pmin(100, pmax(0, round(rnorm(n, runif(1, 10, 80), runif(1, 3, 25))))),
  year = function(n) sample(1950:2025, n, TRUE),
  percent = function(n) round(100 * rbeta(n, runif(1, 0.3, 5), runif(1, 0.3, 5))),
  dummy = function(n) sample(0:1, n, TRUE),
  likert = function(n) sample(sample(c(4:7, 10), 1), n, TRUE),
  score = function(n) rbinom(n, sample(c(10, 20, 60, 100), 1), runif(1, 0.1, 0.9)),
  temperature = function(n) round(rnorm(n, runif(1, -5, 35), runif(1, 1, 10)), sample(0:1, 1)),
  heavy = function(n) round(10 * rt(n, 2)), days = function(n) round(rexp(n, exp(-runif(1, 2, 7)))),
  zeros = function(n) rbinom(n, 1, 0.4) * round(rlnorm(n, 3, 1)),
  dose = function(n) sample(c(0, 10, 20), n, TRUE), change = function(n) sample(-1:1, n, TRUE),
  few = function(n) rpois(n, runif(1, 0.2, 1)), visits = function(n) 1 + rpois(n, runif(1, 0.2, 6)),
  period = function(n) rep_len(seq_len(sample(3:12, 1)), n),
  text = function(n) sample(paste0("g", seq_len(sample(2:40, 1))), n, TRUE),
  logical = function(n) rnorm(n) > 0
)
