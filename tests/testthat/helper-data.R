# Data as users have them: numbers, factors, text, logicals, whole numbers, a
# domain with an unused level.
mixed_data <- function(rows = 60, seed = 7) {
  with_seed(seed, {
    data <- data.frame(
      y = stats::rnorm(rows), x = stats::rnorm(rows), z = stats::runif(rows, 1, 2),
      count = stats::rpois(rows, 4),
      size = factor(sample(c("small", "middle", "large"), rows, TRUE),
                    levels = c("small", "middle", "large")),
      grade = factor(sample(c("a", "b", "c"), rows, TRUE), ordered = TRUE),
      colour = sample(c("red", "green"), rows, TRUE),
      flag = sample(c(TRUE, FALSE), rows, TRUE),
      id = seq_len(rows), w = stats::runif(rows),
      site = factor(rep(c("s1", "s2", "s3"), length.out = rows), levels = c("s0", "s1", "s2", "s3"))
    )
    data$day <- as.Date("2020-01-01") + data$count
    data
  })
}

with_missing <- function(data, ...) {
  for (name in names(list(...))) data[list(...)[[name]], name] <- NA
  data
}

# The columns that a formula gives.
columns_of <- function(model) setdiff(names(coef(model)), "(Intercept)")

coefficients_of <- function(model) unname(coef(model))
