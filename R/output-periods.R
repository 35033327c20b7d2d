# Scores by period, of dg_cv() with folds with time.

describe_periods <- function(x) {
  table <- x$periods
  metric <- x$metrics[[1L]]
  time <- function(values, lines) words_of_times(values, table)
  new_result(
    paste0(capital(metric$title), " by period (means over domains)"), table,
    list(column("period", format = as_decimals(0)), column("from", format = time),
         column("to", format = time), column("train", "training rows", as_decimals(0)),
         column("rows"), column("domains"), column("mean", format = as_number(3)), interval()),
    notes = trend_words(x$trend, metric)
  )
}

# In as many words as distinguish both ends of all periods.
words_of_times <- function(values, table) {
  ends <- c(table$from, table$to)
  time_words(ends)[match(values, ends)]
}

# "RMSE changes by 0.5 per period (...), within 20 domains: it gets worse."
trend_words <- function(trend, metric) {
  if (is.null(trend)) return(NULL)
  has_interval <- !is.na(trend$lower)
  clear <- has_interval && (trend$lower > 0 || trend$upper < 0)
  worse <- losses(trend$change, metric$better) > 0
  c(paste0("Trend: ", metric$title, " changes by ", column_words(trend$change, 3), " per period",
           mean_words(c(trend$lower, trend$upper)), ", ", trend$how, " (", trend$domains, ")",
           if (has_interval) ": ", if (clear) paste("it gets", if (worse) "worse" else "better")
           else if (has_interval) "no clear trend", "."),
    if (clear) paste0("Training sets grow from period to period, which ", if (worse) {
      "should improve it: there is drift, or later rows are harder to predict."
    } else "alone can improve it."))
}

plot_periods <- function(x) {
  table <- x$periods
  single <- x$period_scores
  measure <- x$metrics[[1L]]
  if (all(is.na(table$mean))) abort_nothing_to_plot()
  several <- nrow(table) > 1L
  ends <- paste0(words_of_times(table$from, table), "\n",
                 ifelse(table$from == table$to, "", words_of_times(table$to, table)))
  ends <- make.unique(ends)
  table$label <- factor(ends, ends)
  frame <- data.frame(label = table$label[col(single)], domain = c(row(single)), mean = c(single))
  frame <- frame[!is.na(frame$mean), ]
  new_plot(
    table, c(x = "label", y = "mean"),
    paste0(method_of(x$spec)$title, ": ", measure$title, " by period"), x$held_out,
    x = "First and last time of the period", y = capital(score_label(measure)),
    caption = c("Points are means over domains, bars their 95 % intervals for",
                paste0(scope_title(x$scope), "."),
                paste(if (several) "Thin lines and pale" else "Pale", "points are single domains."))
  ) +
    (if (several) {
      ggplot2::geom_line(columns(group = "domain"), frame, colour = pale, alpha = 0.5,
                         linewidth = 0.3)
    }) +
    ggplot2::geom_point(data = frame, colour = pale, size = 0.7, alpha = 0.6) +
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper"),
                            table[!is.na(table$lower), ], colour = mean_colour, linewidth = 1) +
    (if (several) ggplot2::geom_line(group = 1, colour = mean_colour)) +
    ggplot2::geom_point(colour = mean_colour, size = 2) +
    ggplot2::scale_x_discrete(guide = ggplot2::guide_axis(check.overlap = TRUE))
}
