# The curve of error against the number of labelled rows, of a dg_cv with `shots`.

plot_shots <- function(x) {
  table <- shot_lines(x$shots)
  several <- nlevels(table$update) > 1L
  single <- x$shot_scores[stats::complete.cases(x$shot_scores), , drop = FALSE]
  single <- data.frame(shots = factor(x$shots$shots)[col(single)], domain = c(row(single)),
                       mean = c(single))
  measure <- x$metrics[[1L]]
  plot <- new_plot(
    table, c(x = "shots", y = "mean"),
    paste0(method_of(x$spec)$title, ": ", measure$title, " with labels of the new domain"),
    x = "Labelled rows of each new domain", y = capital(score_label(measure)),
    caption = paste("Points are means over held-out domains, bars their 95 % intervals.",
                    if (!several) "Thin lines are single domains.")
  )
  if (several) return(plot + update_lines(table))
  plot + ggplot2::geom_line(columns(group = "domain"), single, colour = pale, alpha = 0.5,
                            linewidth = 0.3) +
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper"),
                            table[!is.na(table$lower), ], colour = mean_colour, linewidth = 1) +
    ggplot2::geom_line(group = 1, colour = mean_colour) +
    ggplot2::geom_point(colour = mean_colour, size = 2)
}

# Without labels all updates begin at the same score. table: of $shots.
shot_lines <- function(table) {
  updates <- unique(table$update[table$shots > 0L])
  start <- table[rep(1L, length(updates)), ]
  # a local model has no prediction there
  start$update <- updates
  table <- rbind(start[updates != "local", ], table[table$shots > 0L, ])
  table$update <- factor(table$update, updates)
  table$shots <- factor(table$shots)
  table
}

# Lines of updates, moved apart.
update_lines <- function(table) {
  apart <- ggplot2::position_dodge(0.4)
  list(
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper", colour = "update"),
                            table[!is.na(table$lower), ], position = apart, linewidth = 0.6),
    ggplot2::geom_line(columns(colour = "update", group = "update"), position = apart),
    ggplot2::geom_point(columns(colour = "update", shape = "update"), position = apart, size = 2),
    key_of_classes("update", levels(table$update))
  )
}
