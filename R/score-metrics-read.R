# Scores of the user's own, and those that a call asks for.

#' A score of your own
#'
#' For `metric` of [dg_cv()], [dg_tune()] and [dg_compare()].
#'
#' @param fun Function of `truth` and `prediction`, and if it has arguments of that name of
#'   `decision` (decision values; a matrix with a column per class if there are more than two) or
#'   `prob` (matrix, a column per class; the model must give probabilities), that returns one
#'   number. `truth` of censored times is a complex number a row: the time, and 1 as imaginary part
#'   where the event was seen. It is called with the rows of one domain, and once with all
#'   (`overall` of [dg_cv()]).
#' @param better `"low"` or `"high"`: which way is better?
#' @param title What it is called when results are printed.
#' @return A metric.
#' @examples
#' within_5 <- metric_custom(function(truth, prediction) mean(abs(truth - prediction) < 5), "high",
#'                           title = "share within 5")
#' toy <- simulate_dica(domains = 5, n = 30, seed = 1)
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
  kind <- c(if (!"prob" %in% given) c("number", "censored"), "class")
  structure(list(kind = kind, better = better,
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
  cat_line("A metric: ", x$title, ", ", if (x$better == "low") "lower" else "higher", " is better")
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
  if (all(c("kind", "better", "value") %in% names(metric))) {
    abort("argument", "`metric` must be a list where it has metrics of one's own: ",
          "`list(\"", choices[1L], "\", metric_custom(fun))`, not `c()`, which takes them apart.")
  }
  metric <- as.list(metric)
  own <- vapply(metric, inherits, NA, "dg_metric")
  chosen <- Map(function(m, own) {
    if (own) check_own_metric(m, kind) else metrics[[check_metric_name(m, choices)]]
  }, metric, own)
  # what are intervals of numbers are sets of classes
  if (kind == "class") {
    chosen <- lapply(chosen, function(m) {
      if (!is.null(m$of_classes)) m$title <- m$of_classes
      m
    })
  }
  label <- vapply(chosen, `[[`, "", "title")
  label[!own] <- unlist(metric[!own])
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
  if (is.character(metric)) for (name in metric) check_metric_name(name, names(metrics))
  metric
}

# A deviance is that of a family, which a name does not say.
check_metric_name <- function(name, choices) {
  if (identical(name, "deviance")) {
    abort("argument", "`metric` must say of which family the deviance is, as in ",
          "`metric_deviance(poisson)`, not \"deviance\"; that of classes is twice the ",
          "\"log_loss\".")
  }
  check_choice(name, "metric", choices)
}

# One score, where only predictions and decision values are at hand.
read_plain_metrics <- function(metric, y) {
  metrics <- read_metrics(metric, y)
  if (length(metrics) > 1L) {
    abort("argument", "`metric` must be one score, not ", length(metrics), ".")
  }
  if (length(metrics_need(metrics))) {
    abort("argument", "`metric` must be a score of predictions or decision values; `dg_cv()` ",
          "knows those of probabilities, densities and intervals.")
  }
  metrics
}

check_own_metric <- function(metric, kind) {
  if (!kind %in% metric$kind) {
    if (kind == "number" || "prob" %in% metric$needs) {
      abort("argument", "`metric` must not need probabilities of classes (`prob`) for a numeric ",
            "response.")
    }
    abort("argument", "`metric` must be one for ", kind_words(kind), ", not ", metric$title, ".")
  }
  metric
}

metrics_need <- function(metrics) unique(unlist(lapply(metrics, `[[`, "needs")))

# Before hours of work.
check_metrics_fit <- function(metrics, spec) {
  for (name in names(metrics)) {
    inner <- innermost(spec)
    # which all have
    missing <- setdiff(metrics[[name]]$needs, c(spec_gives(inner), "interval"))
    if (length(missing) == 0L) next
    how <- if (missing[1L] == "se") "which gives no predictive density; `dg_gp()` does"
           else if ("calibration" %in% names(inner$args)) {
             "which gives probabilities with `calibration = \"platt\"` or \"isotonic\""
           } else "which gives no probabilities"
    abort("argument", "`metric` must not be \"", name, "\" for `", inner$method, "()`, ", how, ".")
  }
}
