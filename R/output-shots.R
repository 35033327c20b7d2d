# The curve of error against the number of labelled rows, of a dg_cv with `shots`.

plot_shots <- function(x) {
  table <- x$shots
  table$shots <- factor(table$shots)
  single <- x$shot_scores[stats::complete.cases(x$shot_scores), , drop = FALSE]
  single <- data.frame(shots = table$shots[col(single)], domain = c(row(single)), mean = c(single))
  measure <- x$metrics[[1L]]
  new_plot(
    table, c(x = "shots", y = "mean"),
    paste0(x$spec$parts$title, ": ", measure$title, " with labels of the new domain"),
    x = "Labelled rows of each new domain", y = capital(score_label(measure)),
    caption = paste("Points are means over held-out domains, bars their 95 % intervals. Thin",
                    "lines are single domains.")
  ) +
    ggplot2::geom_line(columns(group = "domain"), single, colour = pale, alpha = 0.5,
                       linewidth = 0.3) +
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper"),
                            table[!is.na(table$lower), ], colour = mean_colour, linewidth = 1) +
    ggplot2::geom_line(group = 1, colour = mean_colour) +
    ggplot2::geom_point(colour = mean_colour, size = 2)
}
