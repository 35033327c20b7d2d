# Scores of predictions. One row a metric: which response it is for, which way is
# better, and the formula of truth y, prediction p and decision value f.

metrics <- list(
  rmse = list(kind = "number", better = "low", title = "RMSE",
              value = function(y, p, f) sqrt(mean((y - p)^2))),
  mae = list(kind = "number", better = "low", title = "mean absolute error",
             value = function(y, p, f) mean(abs(y - p))),
  accuracy = list(kind = "class", better = "high", title = "accuracy",
                  value = function(y, p, f) mean(as.character(y) == as.character(p))),
  auc = list(kind = "class", better = "high", title = "area under the ROC curve",
             value = function(y, p, f) area_under_curve(y, f))
)

# The probability that a row of the second class has the larger decision value
# (Mann-Whitney); NA when a class is missing.
area_under_curve <- function(y, f) {
  second <- as.integer(y) == 2L
  n <- c(sum(!second), sum(second))
  if (nlevels(y) != 2L || any(n == 0L) || anyNA(f)) return(NA_real_)
  (sum(rank(f)[second]) - n[2L] * (n[2L] + 1) / 2) / prod(n)
}

read_metric <- function(metric, kind) {
  choices <- names(metrics)[vapply(metrics, function(m) m$kind == kind, logical(1))]
  if (is.null(metric)) return(choices[1L])
  check_choice(metric, "metric", choices)
}
