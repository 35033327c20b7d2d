#' Plot a cross-validation
#'
#' The score of each held-out domain, sorted, with an interval for what other rows of the same
#' domain would have given (bootstrap of its rows, 200 draws, always the same); and the mean over
#' domains with its interval, Student's with the standard error of [dg_cv()] (95 % each). Domains
#' without a score are left out; names that do not fit are shortened or left out. See
#' [plot.dg_projection()] on colours, and [dg_calibration()] for the picture of predicted
#' probabilities.
#'
#' @usage
#' # plot(x, max_labels = 40, interval = TRUE, shots = !is.null(x$shots), ...)
#' # autoplot(object, max_labels = 40, interval = TRUE, shots = !is.null(object$shots), ...)
#' @param x,object The result of [dg_cv()].
#' @param max_labels At most this many domains are named, evenly, as far as there is room.
#' @param interval Draw intervals of the domains? The bootstrap computes the score 200 times.
#' @param shots Draw the error against the number of labelled rows of a new domain, with its 95 %
#'   intervals, instead? By default where `dg_cv(shots = )` has it.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A cross-validation in which no domain has a score.
#' @examples
#' toy <- simulate_dcm(domains = 5, n = 30, seed = 1)
#' plot(dg_cv(dg_lm(), y ~ . | domain, data = toy))
#' plot(dg_cv(dg_ridge(lambda = 1), y ~ . | domain, data = toy, shots = c(1, 5, 10)))
#' @name plot.dg_cv
NULL

#' @exportS3Method
describe_result.dg_cv <- function(x) {
  titles <- vapply(x$metrics, `[[`, "", "title")
  columns <- c("score", names(x$metrics)[-1L])
  means <- vapply(columns, function(name) known_mean(x$domains[[name]]), 0)
  intervals <- Map(mean_interval, means, x$errors)
  said <- vapply(intervals, mean_words, "")
  # of further metrics, as the width of intervals, not all have one
  said[-1L][vapply(intervals[-1L], anyNA, NA)] <- ""
  new_result(
    paste0(x$spec$parts$title, ", ", x$held_out), x$domains,
    c(list(column("domain"), column("fold", report = FALSE), column("rows")),
      score_columns(columns, x$metrics),
      # of all responses of a domain, see dg_lodo(); a metric of this name is that of a row
      if (!is.null(x$domains$log_density) && !"log_density" %in% names(x$metrics)) {
        list(column("log_density", "log density"))
      }),
    facts = c(x$novelty, paste0(
      titles, ": mean over domains ", vapply(rounded(means, 4), format, ""),
      said,
      c(paste(", all rows", format(rounded(x$overall, 4))), rep("", length(titles) - 1L))
    )),
    notes = c(if (!is.na(x$se)) paste0("Intervals are ", same_domains, "."), cv_notes(x)),
    most = 10L, unit = "domain", where = "`$domains`",
    further = c(if (!is.null(x$shots)) list(describe_shots(x)), if (!is.null(x$one_step)) {
      list(new_result(
        "One Newton step for each domain; from the fit without it, in decision values", x$one_step,
        list(column("domain"), column("rows"), column("difference", format = as_each()),
             column("change", format = as_each()))
      ))
    }),
    glance = data.frame(
      metric = titles[1L], mean = x$mean, se = x$se, lower = intervals[[1L]][1L],
      upper = intervals[[1L]][2L], overall = x$overall, domains = nrow(x$domains),
      fits = nrow(x$fits), seconds = sum(x$fits$seconds), row.names = NULL
    ),
    rows = prediction_rows(x$predictions)
  )
}

# On the console by their short names where titles are long.
score_columns <- function(columns, metrics) {
  unname(Map(function(score, metric, name) {
    column(score, metric$title, print = if (nchar(metric$title) > 16L) name else TRUE)
  }, columns, metrics, names(metrics)))
}

prediction_rows <- function(rows) {
  if (is.null(rows)) return("of a source no row is kept")
  if (is.null(rows$prob)) return(rows)
  prob <- `colnames<-`(rows$prob, paste0(".prob_", levels(rows$truth)))
  cbind(rows[setdiff(names(rows), "prob")], prob)
}

describe_shots <- function(x) {
  table <- x$shots
  left <- nrow(x$shot_scores) - max(table$domains)
  change <- function(name, header) column(name, header, as_number(3), rows = table$shots > 0L)
  new_result(
    paste0(x$metrics[[1L]]$title, " with labelled rows of each held-out domain, on its other ",
           "rows (", plural(shot_draws, "draw"), " each", if (left) {
             paste0("; without ", plural(left, "domain"), " of fewer than ", max(table$shots) + 2L,
                    " rows")
           }, ")"),
    table, list(column("shots", "labels"), column("mean", format = as_number(3)), interval(),
                change("difference", "change"), change("se_difference", "se of change"))
  )
}

#' @exportS3Method
picture.dg_cv <- function(x, max_labels = 40, interval = TRUE, shots = !is.null(x$shots), ...) {
  check_no_dots(list(...), c("max_labels", "interval", "shots"))
  if (check_flag(shots, "shots")) {
    if (is.null(x$shots)) {
      abort("argument", "`shots` must be FALSE: `x` was made by dg_cv() without `shots`.")
    }
    return(shots_picture(x))
  }
  frame <- cv_frame(x, interval)
  n <- nrow(frame)
  at <- seq_len(n)
  named <- thin(n, check_count(max_labels, "max_labels"))
  mean <- attr(frame, "mean")
  new_picture(
    frame, title = paste0(x$spec$parts$title, ", ", x$held_out),
    note = paste("mean", signif(mean[1L], 3)), domains = n,
    caption = paste0(
      if (any(!is.na(frame$lower))) "Bars: 95 % intervals for other rows of the same domain. ",
      "Dashed line and band: the mean over domains and its 95 % interval."
    ),
    x = picture_axis(score_label(x$metrics[[1L]], Inf)),
    y = picture_axis(x$labels$domain, named, as.character(frame$domain)[named], pad = 0.6),
    layers = list(
      layer("box", mean[2L], -Inf, xend = mean[3L], yend = Inf, fill = 0.15, ink = NA_real_),
      layer("segment", mean[1L], -Inf, yend = Inf, dash = 2),
      layer("segment", frame$lower, at, xend = frame$upper, ink = 0.5),
      layer("point", frame$score, at, size = if (n > 60L) 0.6 else 0.9)
    ))
}

# domain (factor, sorted by score), rows, score, lower, upper. Attribute: mean (c(mean, lower,
# upper)).
cv_frame <- function(x, interval) {
  interval <- check_flag(interval, "interval")
  domains <- x$domains[order(x$domains$score, na.last = NA), c("domain", "rows", "score")]
  if (nrow(domains) == 0L) abort_nothing_to_plot()
  # of a source there are no rows
  interval <- interval && !is.null(x$predictions)
  bounds <- if (interval) domain_intervals(x$predictions, domains$domain, x$metrics[[1L]])
  domains$lower <- if (interval) bounds[1L, ] else NA_real_
  domains$upper <- if (interval) bounds[2L, ] else NA_real_
  domains$domain <- factor(domains$domain, domains$domain)
  structure(domains, mean = c(x$mean, mean_interval(x$mean, x$errors[[1L]])))
}

# Percentiles of the score of resampled rows, [2 x domains]; NA where most draws lack a class.
domain_intervals <- function(predictions, domains, metric, draws = 200L) {
  columns <- as.list(predictions)
  rows <- split(seq_len(nrow(predictions)), predictions$domain)
  rows <- rows[match(as.character(domains), names(rows))]
  with_seed(1L, vapply(rows, function(own) {
    repeats <- split(own, predictions$rep[own])
    values <- vapply(seq_len(draws), function(draw) {
      # repeats predict the same rows
      again <- sample.int(length(repeats[[1L]]), replace = TRUE)
      mean(vapply(repeats, function(i) {
        score(lapply(columns, take, i[again[again <= length(i)]]), metric)
      }, 0))
    }, numeric(1))
    if (mean(is.finite(values)) < 0.5) return(c(NA_real_, NA_real_))
    unname(stats::quantile(values[is.finite(values)], c(0.025, 0.975)))
  }, numeric(2)))
}
