# Scores of predictions, one element per metric. kind: of response; better: which direction; needs:
# what a model must give besides its prediction; the formula as `value`, or as `rows` with the
# metric as their mean, or root mean square (`root`), or the values of all groups of rows at once as
# `groups` (NULL where it knows none); range: of all values, at which intervals end.
# d is a list of the rows' truth, prediction and decision, and if needed prob [rows x classes], se,
# or survival [rows x times], of which `times` says which; overall: of all rows of d, where it is
# not the value of them as one domain; infinite: why a score may be infinite, which is then none;
# undefined: why a domain may have no score, where the kind of response does not say it;
# uses: the parts of d that are enough; coarse: does another
# score choose better between models, see choice_metric()? squares: is it in squares of errors?
# help: the definition on the help page.

metrics <- list(
  rmse = list(kind = "number", better = "low", title = "RMSE", root = TRUE,
              rows = function(d) d$truth - d$prediction, help = "root mean squared error"),
  mae = list(kind = "number", better = "low", title = "mean absolute error",
             rows = function(d) abs(d$truth - d$prediction), help = "mean absolute error"),
  r2 = list(kind = "number", better = "high", title = "R squared", range = c(-Inf, 1),
            value = function(d) explained(d$truth, d$prediction),
            undefined = "a single value of the response",
            help = "1 - squared error / that of the domain's mean"),
  log_density = list(kind = "number", better = "high", title = "log predictive density",
                     needs = "se", rows = function(d) {
                       stats::dnorm(d$truth, d$prediction, d$se, log = TRUE)
                     }, help = "mean log predictive density"),
  accuracy = list(kind = "class", better = "high", title = "accuracy", range = c(0, 1),
                  coarse = TRUE,
                  rows = function(d) as.character(d$truth) == as.character(d$prediction),
                  help = "proportion of rows predicted right"),
  balanced_accuracy = list(kind = "class", better = "high", title = "balanced accuracy",
                           range = c(0, 1), value = function(d) mean(recalls(d)),
                           help = "mean recall of the classes"),
  auc = list(kind = "class", better = "high", title = "area under the ROC curve",
             range = c(0, 1), coarse = TRUE, uses = c("truth", "decision"),
             value = function(d) area_under_curve(d$truth, d$decision),
             groups = function(d, groups) {
               if (!is.matrix(d$decision)) {
                 pair_areas(as.integer(d$truth) == 2L, d$decision, groups)
               }
             },
             help = "area under the ROC curve"),
  gmean = list(kind = "class", better = "high", title = "G-Mean", range = c(0, 1),
               value = function(d) prod(recalls(d))^(1 / length(recalls(d))),
               help = "geometric mean recall of the classes"),
  f1 = list(kind = "class", better = "high", title = "F1", range = c(0, 1),
            value = function(d) f1_score(d),
            help = "F1 of the second class"),
  mcc = list(kind = "class", better = "high", title = "Matthews correlation",
             range = c(-1, 1),
             value = function(d) class_correlation(d$truth, d$prediction),
             help = "Matthews correlation"),
  log_loss = list(kind = "class", better = "low", title = "log loss", needs = "prob", coarse = TRUE,
                  infinite = "a class that training lacks: log loss is infinite",
                  rows = function(d) log_losses(d), help = "mean -log p of the true class"),
  brier = list(kind = "class", better = "low", title = "Brier score", needs = "prob",
               rows = function(d) brier_rows(d),
               help = "mean squared error of probabilities"),
  coverage = list(kind = c("number", "class"), better = "high", needs = "interval",
                  title = "coverage of 90 % intervals", of_classes = "coverage of 90 % sets",
                  range = c(0, 1),
                  rows = function(d) {
                    if (is.null(d$set)) return(d$lower <= d$truth & d$truth <= d$upper)
                    d$set[cbind(seq_along(d$truth), match(as.character(d$truth), colnames(d$set)))]
                  },
                  help = "coverage of 90 % intervals or sets"),
  width = list(kind = c("number", "class"), better = "low", needs = "interval", of_fits = TRUE,
               title = "width of 90 % intervals", of_classes = "classes in 90 % sets",
               rows = function(d) if (is.null(d$set)) d$upper - d$lower else rowSums(d$set),
               help = "mean width of 90 % intervals or sets"),
  interval_score = list(kind = "number", better = "low", needs = "interval",
                        title = "score of 90 % intervals",
                        # infinite intervals miss nothing
                        rows = function(d) {
                          beyond <- pmax(d$lower - d$truth, d$truth - d$upper, 0)
                          d$upper - d$lower + 2 / (1 - interval_level) * beyond
                        },
                        help = "mean score of 90 % intervals"),
  concordance = list(kind = "censored", better = "high", title = "concordance",
                     range = c(0, 1), coarse = TRUE, uses = c("truth", "decision"),
                     value = function(d) concordance(d$truth, d$decision),
                     overall = function(d) pooled_concordance(d),
                     help = "Harrell's concordance"),
  uno = list(kind = "censored", better = "high", title = "Uno's concordance", range = c(0, 1),
             coarse = TRUE, uses = c("truth", "decision"),
             value = function(d) concordance(d$truth, d$decision, uno = TRUE),
             overall = function(d) pooled_concordance(d, uno = TRUE),
             help = "Uno's concordance")
)

# The table of them in help pages.
metrics_help <- function() {
  responses <- c(number = "numeric", class = "classes", censored = "censored times")
  cells <- vapply(names(metrics), function(name) {
    row <- metrics[[name]]
    response <- paste(responses[row$kind], collapse = ", ")
    if (identical(row$needs, "prob")) response <- "probabilities"
    paste0("| `\"", name, "\"` | ", response, " | ", row$help, " | ",
           if (row$better == "low") "lower" else "higher", " |")
  }, "")
  paste(c("| name | response | definition | better |", "|---|---|---|---|", cells), collapse = "\n")
}

# Scores so that less is better.
losses <- function(scores, better) if (better == "low") scores else -scores

# The score of all rows of d.
score <- function(d, metric) {
  if (!is.null(metric$overall)) return(metric$overall(d))
  score_groups(d, rep(1L, length(d$truth)), metric)[[1L]]
}

# The score of each group of rows, in the order of the levels of `groups` (a factor), or sorted.
score_groups <- function(d, groups, metric) {
  if (!is.null(metric$uses)) d <- d[metric$uses]
  groups <- if (is.factor(groups)) groups else factor(groups)
  scores <- if (!is.null(metric$groups)) metric$groups(d, groups)
  if (!is.null(scores)) return(stats::setNames(scores, levels(groups)))
  if (is.null(metric$rows)) {
    return(vapply(split(seq_along(groups), groups), function(i) {
      metric$value(lapply(d, take, i))
    }, numeric(1)))
  }
  values <- metric$rows(d)
  # squares of 1e200 leave the range of a double
  largest <- max(0, abs(values), na.rm = TRUE)
  if (!is.finite(largest) || largest == 0) largest <- 1
  score_of_mean(group_means(metric_rows(values, metric, largest), groups), metric, largest)
}

# The values by row of which a score is the mean; for a root the squares, in squares of `unit`.
metric_rows <- function(values, metric, unit) {
  if (isTRUE(metric$root)) (values / unit)^2 else values + 0
}

score_of_mean <- function(means, metric, unit) {
  # with one that is infinite nothing can be averaged or compared
  if (!is.null(metric$infinite)) means[is.infinite(means)] <- NA
  if (isTRUE(metric$root)) unit * sqrt(means) else means
}

group_means <- function(values, groups) {
  stats::setNames(level_sums(values, groups) / tabulate(groups, nlevels(groups)), levels(groups))
}

# Sums by level of a factor.
level_sums <- function(x, groups) {
  sums <- rowsum(x + 0, as.integer(groups))
  replace(numeric(nlevels(groups)), as.integer(rownames(sums)), sums)
}

root_mean_square <- function(error) score(list(truth = error, prediction = 0), metrics$rmse)

# NA where the truth does not vary.
explained <- function(truth, prediction) {
  total <- root_mean_square(truth - mean(truth))
  if (length(truth) < 2L || total == 0) return(NA_real_)
  1 - (root_mean_square(truth - prediction) / total)^2
}

# Recall of each class; NA with fewer than two classes; classes without a row have none.
recalls <- function(d) {
  truth <- as.character(d$truth)
  if (length(unique(truth)) < 2L) return(NA_real_)
  c(tapply(truth == as.character(d$prediction), truth, mean))
}

# F1 of the second of two classes; with more, the mean over those that are true or predicted: one
# that is only predicted has precision 0.
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

# trace(cov(truth, prediction)) over the root of both own ones, of indicators (Gorodkin, 2004); 0
# where all are predicted to be of one class, NA where all are.
class_correlation <- function(truth, prediction) {
  levels <- unique(c(as.character(truth), as.character(prediction)))
  centred <- function(y) scale(outer(as.character(y), levels, "==") + 0, scale = FALSE)
  T <- centred(truth)
  P <- centred(prediction)
  if (all(T == 0)) return(NA_real_)
  size <- sqrt(sum(T^2)) * sqrt(sum(P^2))
  if (size == 0) 0 else sum(T * P) / size
}

# With two classes, the probability that a row of the second has the larger decision value; with
# more, the mean over pairs of those with rows (Hand and Till, 2001, equation 7). NA with one class.
area_under_curve <- function(y, f) {
  if (anyNA(f)) return(NA_real_)
  if (!is.matrix(f)) return(pair_areas(as.integer(y) == 2L, f))
  code <- as.integer(y)
  present <- sort(unique(code))
  if (length(present) < 2L) return(NA_real_)
  # A(i, j): how well f_i and f_j separate i and j
  mean(utils::combn(present, 2L, function(pair) {
    at <- code %in% pair
    mean(vapply(pair, function(i) pair_areas(code[at] == i, f[at, i]), numeric(1)))
  }))
}

# In each group of rows the probability that one of these has the larger value than one of the
# others (Mann-Whitney); NA where there are none or a value is missing. Values that differ by
# rounding are ties: a model without any weight gives a constant.
pair_areas <- function(these, f, groups = factor(rep(1L, length(f)))) {
  group <- as.integer(groups)
  # products of numbers of rows leave the range of integers
  sizes <- as.numeric(tabulate(group, nlevels(groups)))
  n <- as.numeric(tabulate(group[these], nlevels(groups)))
  f <- signif(f, 12L)
  # those of earlier groups are smaller
  place <- (group - 1) * length(f) + match(f, sort(unique(f)), 1L)
  ranks <- rank(place) - (cumsum(sizes) - sizes)[group]
  areas <- (level_sums(ranks * these, groups) - n * (n + 1) / 2) / ((sizes - n) * n)
  areas[n == 0 | n == sizes] <- NA
  replace(areas, group[is.na(f)], NA)
}

# Infinite for a class that the training domains lacked, whatever a model says of it, see
# mark_lacking(); a model that is wrong about a class of training is cut off.
log_losses <- function(d) {
  cell <- cbind(seq_along(d$truth), match(as.character(d$truth), colnames(d$prob)))
  prob <- d$prob[cell]
  lacking <- if (is.null(d$decision)) FALSE else is_lacking(d$decision, d$truth)
  prob[is.na(cell[, 2L])] <- 0
  replace(minus_log(prob), lacking, Inf)
}

minus_log <- function(p) -log(pmax(p, 1e-15))

# (p - 1[second class])^2 for two classes, the sum over classes for more.
brier_rows <- function(d) {
  levels <- levels(d$truth)
  truth <- outer(as.character(d$truth), levels, "==") + 0
  prob <- matrix(0, length(d$truth), length(levels))
  predicted <- intersect(levels, colnames(d$prob))
  prob[, match(predicted, levels)] <- at_labels(d$prob, predicted)
  squares <- rowSums((prob - truth)^2)
  squares / if (length(levels) == 2L) 2 else 1
}

interval_level <- 0.9
