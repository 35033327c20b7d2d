# Scores of predictions. One row a metric: which response it is for, which way is
# better, and the formula of truth y, prediction p and decision value f.

metrics <- list(
  rmse = list(kind = "number", better = "low", title = "RMSE",
              value = function(y, p, f) root_mean_square(y - p)),
  mae = list(kind = "number", better = "low", title = "mean absolute error",
             value = function(y, p, f) mean(abs(y - p))),
  accuracy = list(kind = "class", better = "high", title = "accuracy",
                  value = function(y, p, f) mean(as.character(y) == as.character(p))),
  auc = list(kind = "class", better = "high", title = "area under the ROC curve",
             value = function(y, p, f) area_under_curve(y, f))
)

# Divided by the largest first: squares of 1e200 leave the range of a double.
root_mean_square <- function(error) {
  largest <- max(abs(error))
  if (!is.finite(largest) || largest == 0) return(largest)
  largest * sqrt(mean((error / largest)^2))
}

# The probability that a row of the second class has the larger decision value
# (Mann-Whitney); NA when a class is missing.
area_under_curve <- function(y, f) {
  second <- as.integer(y) == 2L
  n <- c(sum(!second), sum(second))
  if (nlevels(y) != 2L || any(n == 0L) || anyNA(f)) return(NA_real_)
  (sum(rank(f)[second]) - n[2L] * (n[2L] + 1) / 2) / prod(n)
}

read_metric <- function(metric, y) {
  kind <- response_kind(y)
  choices <- names(metrics)[vapply(metrics, function(m) m$kind == kind, logical(1))]
  if (is.null(metric)) return(choices[1L])
  metric <- check_choice(metric, "metric", choices)
  if (metric == "auc" && nlevels(y) != 2L) {
    abort("argument", "`metric` must be \"accuracy\" with ", plural(nlevels(y), "class", "classes"),
          "; \"auc\" needs two.")
  }
  metric
}
