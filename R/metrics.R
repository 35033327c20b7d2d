# Scores of predictions. One row a metric: which response it is for, which way is better, what a
# model must give for it beside its prediction, and the formula: `value`, or `rows`, of which it is
# the mean, or the root of the mean square (`root`). d is a list of the rows' truth, prediction and
# decision, and where they are needed prob [rows x classes] and se; `uses`: the parts of d that
# are enough.

metrics <- list(
  rmse = list(kind = "number", better = "low", title = "RMSE", root = TRUE,
              rows = function(d) d$truth - d$prediction),
  mae = list(kind = "number", better = "low", title = "mean absolute error",
             rows = function(d) abs(d$truth - d$prediction)),
  r2 = list(kind = "number", better = "high", title = "R squared",
            value = function(d) explained(d$truth, d$prediction)),
  log_density = list(kind = "number", better = "high", title = "log predictive density",
                     needs = "se", rows = function(d) {
                       stats::dnorm(d$truth, d$prediction, d$se, log = TRUE)
                     }),
  accuracy = list(kind = "class", better = "high", title = "accuracy",
                  rows = function(d) as.character(d$truth) == as.character(d$prediction)),
  balanced_accuracy = list(kind = "class", better = "high", title = "balanced accuracy",
                           value = function(d) mean(recalls(d))),
  auc = list(kind = "class", better = "high", title = "area under the ROC curve",
             uses = c("truth", "decision"),
             value = function(d) area_under_curve(d$truth, d$decision)),
  gmean = list(kind = "class", better = "high", title = "G-Mean",
               value = function(d) prod(recalls(d))^(1 / length(recalls(d)))),
  f1 = list(kind = "class", better = "high", title = "F1", value = function(d) f1_score(d)),
  log_loss = list(kind = "class", better = "low", title = "log loss", needs = "prob",
                  rows = function(d) -log(pmax(probability_of_truth(d), 1e-15))),
  brier = list(kind = "class", better = "low", title = "Brier score", needs = "prob",
               rows = function(d) brier_rows(d))
)

# The score of all rows of d.
score <- function(d, metric) score_groups(d, rep(1L, length(d$truth)), metric)[[1L]]

# Of each group of rows, in the order of groups' levels (a factor), or sorted.
score_groups <- function(d, groups, metric) {
  if (!is.null(metric$uses)) d <- d[metric$uses]
  if (is.null(metric$rows)) {
    return(vapply(split(seq_along(groups), groups), function(i) {
      metric$value(lapply(d, function(v) if (is.matrix(v)) v[i, , drop = FALSE] else v[i]))
    }, numeric(1)))
  }
  rows <- metric$rows(d)
  if (!isTRUE(metric$root)) return(group_means(rows, groups))
  # divided by the largest first: squares of 1e200 leave the range of a double
  largest <- max(abs(rows))
  if (!is.finite(largest) || largest == 0) largest <- 1
  largest * sqrt(group_means((rows / largest)^2, groups))
}

group_means <- function(rows, groups) {
  groups <- if (is.factor(groups)) groups else factor(groups)
  count <- tabulate(groups, nlevels(groups))
  sums <- rowsum(rows + 0, as.integer(groups))
  means <- rep(NaN, length(count))
  means[as.integer(rownames(sums))] <- sums
  stats::setNames(means / count, levels(groups))
}

root_mean_square <- function(error) score(list(truth = error, prediction = 0), metrics$rmse)

# NA where the truth does not vary.
explained <- function(truth, prediction) {
  total <- root_mean_square(truth - mean(truth))
  if (length(truth) < 2L || total == 0) return(NA_real_)
  1 - (root_mean_square(truth - prediction) / total)^2
}

# Share of each class that was recognised; NA with fewer than two classes, and no value for
# a class that is not there.
recalls <- function(d) {
  truth <- as.character(d$truth)
  if (length(unique(truth)) < 2L) return(NA_real_)
  c(tapply(truth == as.character(d$prediction), truth, mean))
}

# Of the second of two classes; of more, the mean over those that are there or predicted: one that
# is predicted and not there has precision 0.
f1_score <- function(d) {
  levels <- levels(d$truth)
  truth <- as.character(d$truth)
  predicted <- as.character(d$prediction)
  if (length(unique(truth)) < 2L) return(NA_real_)
  wanted <- if (length(levels) == 2L) levels[2L] else unique(c(truth, predicted[!is.na(predicted)]))
  mean(vapply(wanted, function(class) {
    2 * sum(truth == class & predicted == class) / (sum(truth == class) + sum(predicted == class))
  }, numeric(1)))
}

# Of two classes, the probability that a row of the second has the larger decision value; of more,
# the mean over pairs of those that are there (Hand and Till, 2001, equation 7). NA with one class.
area_under_curve <- function(y, f) {
  if (anyNA(f)) return(NA_real_)
  if (!is.matrix(f)) return(pair_area(as.integer(y) == 2L, f))
  code <- as.integer(y)
  present <- sort(unique(code))
  if (length(present) < 2L) return(NA_real_)
  # A(i, j): does f_i tell i from j, and f_j?
  mean(utils::combn(present, 2L, function(pair) {
    rows <- code %in% pair
    mean(vapply(pair, function(i) pair_area(code[rows] == i, f[rows, i]), numeric(1)))
  }))
}

# The probability that one of these rows has the larger value than one of the others
# (Mann-Whitney). Values that differ by rounding are the same: a machine without any weight says a
# constant, and tells nothing apart.
pair_area <- function(these, f) {
  n <- c(sum(!these), sum(these))
  if (any(n == 0L)) return(NA_real_)
  (sum(rank(signif(f, 12L))[these]) - n[2L] * (n[2L] + 1) / 2) / prod(n)
}

# 0 for a class that the training domains lacked.
probability_of_truth <- function(d) {
  column <- match(as.character(d$truth), colnames(d$prob))
  found <- d$prob[cbind(seq_along(column), column)]
  ifelse(is.na(column), 0, found)
}

# (p - 1[second class])^2 for two classes, the sum over classes for more.
brier_rows <- function(d) {
  levels <- levels(d$truth)
  truth <- outer(as.character(d$truth), levels, "==") + 0
  prob <- matrix(0, length(d$truth), length(levels))
  known <- intersect(levels, colnames(d$prob))
  prob[, match(known, levels)] <- d$prob[, known]
  squares <- rowSums((prob - truth)^2)
  squares / if (length(levels) == 2L) 2 else 1
}

#' A score of your own
#'
#' For `metric` of [dg_cv()], [dg_tune()] and [dg_compare()].
#'
#' @param fun Function of `truth` and `prediction`, and if it has arguments of that name of
#'   `decision` (decision values; a matrix with a column per class if there are more than two) or
#'   `prob` (matrix, a column per class; the model must give probabilities), that returns one
#'   number. It is called with the rows of one domain, and once with all (`overall` of [dg_cv()]).
#' @param better `"low"` or `"high"`: which way is better?
#' @param title What it is called when results are printed.
#' @return A metric.
#' @examples
#' within_5 <- metric_custom(function(truth, prediction) mean(abs(truth - prediction) < 5), "high",
#'                           title = "share within 5")
#' toy <- simulate_dica(domains = 5, rows = 30, seed = 1)
#' dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = within_5)
#' @export
metric_custom <- function(fun, better = c("low", "high"), title = "own score") {
  check_given(fun, "fun")
  if (!is.function(fun)) {
    abort("argument", "`fun` must be a function of `truth` and `prediction`, not ", describe(fun),
          ".")
  }
  better <- check_choice(better, "better", c("low", "high"))
  if (!is.character(title) || length(title) != 1L || is.na(title) || !nzchar(title)) {
    abort("argument", "`title` must be one string, not ", describe(title), ".")
  }
  given <- metric_arguments(fun)
  value <- function(d) {
    score <- on_error(
      do.call(fun, if (length(given)) d[given] else unname(d[c("truth", "prediction")])),
      function(e) {
        where <- unique(as.character(d$domain))
        abort("argument", "`metric` (", title, ") fails", if (length(where)) {
          paste0(" on the rows of ", enumerate(where, quote = "\""))
        }, ": ", conditionMessage(e))
      }
    )
    if (length(score) != 1L || !is.numeric(score) && !identical(score, NA)) {
      abort("argument", "`metric` must return one number, not ", describe(score), ".")
    }
    as.numeric(score)
  }
  structure(list(kind = c(if (!"prob" %in% given) "number", "class"), better = better,
                 title = title, value = value, needs = if ("prob" %in% given) "prob"),
            class = "dg_metric")
}

# Those that it asks for by name; none: truth and prediction are its first two.
metric_arguments <- function(fun) {
  known <- c("truth", "prediction", "decision", "prob")
  arguments <- formals(args(fun))
  if ("..." %in% names(arguments)) return(known[-4L])
  given <- intersect(known, names(arguments))
  required <- names(arguments)[vapply(arguments, function(a) identical(a, quote(expr = )), NA)]
  other <- setdiff(required, known)
  if (length(other) && (length(given) || length(arguments) < 2L || length(required) > 2L)) {
    abort("argument", "`fun` must be a function of `truth` and `prediction` (or `decision`, ",
          "`prob`), not of ", enumerate(other), ".")
  }
  given
}

#' @export
print.dg_metric <- function(x, ...) {
  cat("A metric: ", x$title, ", ", if (x$better == "low") "lower" else "higher", " is better\n",
      sep = "")
  invisible(x)
}

# metric: names, a metric_custom(), or a list of both -> named list of metrics, the first of which
# decides.
read_metrics <- function(metric, y) {
  kind <- response_kind(y)
  choices <- names(Filter(function(m) kind %in% m$kind, metrics))
  if (is.null(metric)) return(metrics[choices[1L]])
  if (inherits(metric, "dg_metric")) metric <- list(metric)
  if (is.function(metric)) {
    abort("argument", "`metric` must say which way is better: `metric_custom(fun, \"high\")`.")
  }
  if (length(metric) == 0L || !is.atomic(metric) && !is.list(metric)) {
    check_choice(metric, "metric", choices)
  }
  chosen <- lapply(as.list(metric), function(m) {
    if (inherits(m, "dg_metric")) check_own_metric(m, kind)
    else metrics[[check_choice(m, "metric", choices)]]
  })
  own <- vapply(as.list(metric), inherits, NA, "dg_metric")
  label <- ifelse(own, vapply(chosen, `[[`, "", "title"), vapply(metric, function(m) {
    if (is.character(m)) m else ""
  }, ""))
  given <- names(metric)
  if (!is.null(given)) label[given != ""] <- given[given != ""]
  # columns of the table of domains
  taken <- intersect(label, c("domain", "fold", "rows", if (length(label) > 1L) "score"))
  if (length(taken)) {
    abort("argument", "`metric` must not be called ", enumerate(taken, quote = "\""), ".")
  }
  stats::setNames(chosen, make.unique(label))
}

# As far as can be said before the response is known.
check_metric_names <- function(metric) {
  if (is.character(metric)) for (name in metric) check_choice(name, "metric", names(metrics))
  metric
}

# One score, where only predictions and decision values are at hand.
read_plain_metrics <- function(metric, y) {
  metrics <- read_metrics(metric, y)
  if (length(metrics) > 1L) {
    abort("argument", "`metric` must be one score, not ", length(metrics), ".")
  }
  if (length(metrics_need(metrics))) {
    abort("argument", "`metric` must be a score of predictions or decision values; `dg_cv()` ",
          "knows those of probabilities and densities.")
  }
  metrics
}

check_own_metric <- function(metric, kind) {
  if (!kind %in% metric$kind) {
    abort("argument", "`metric` must not need probabilities of classes (`prob`) for a numeric ",
          "response.")
  }
  metric
}

metrics_need <- function(metrics) unique(unlist(lapply(metrics, `[[`, "needs")))

# What fits of a specification give beside predictions: "prob", "se".
spec_gives <- function(spec) UseMethod("spec_gives")

#' @exportS3Method
spec_gives.dg_spec <- function(spec) if (wants_probabilities(spec)) "prob"

#' @exportS3Method
spec_gives.dg_lm_spec <- function(spec) "prob"

#' @exportS3Method
spec_gives.dg_null_spec <- function(spec) c("prob", "se")

#' @exportS3Method
spec_gives.dg_gp_spec <- function(spec) "se"

#' @exportS3Method
spec_gives.dg_chain_spec <- function(spec) spec_gives(spec$learner)

#' @exportS3Method
spec_gives.dg_tune_spec <- function(spec) spec_gives(spec$object)

# Before hours of work.
check_metrics_fit <- function(metrics, spec) {
  for (name in names(metrics)) {
    missing <- setdiff(metrics[[name]]$needs, spec_gives(spec))
    if (length(missing) == 0L) next
    inner <- innermost(spec)
    how <- if (missing[1L] == "se") "which gives no predictive density; `dg_gp()` does"
           else if ("probability" %in% names(inner$args)) {
             "which gives probabilities with `probability = \"platt\"` or \"isotonic\""
           } else "which gives no probabilities"
    abort("argument", "`metric` must not be \"", name, "\" for `", inner$method, "()`, ", how, ".")
  }
}

# The learner of chains and searches.
innermost <- function(spec) {
  if (inherits(spec, "dg_chain_spec")) innermost(spec$learner)
  else if (inherits(spec, "dg_tune_spec")) innermost(spec$object)
  else spec
}
