#' Plot a comparison of methods
#'
#' Two panels: the score of each held-out domain under each method (pale points, with
#' the mean), and the paired difference of each method from the one compared with, in each domain
#' (pale points, of up to 40 domains) and on average, with its 95 % interval. An interval that
#' does not cross zero is a
#' difference. Long names are broken, and shortened if need be. See [plot.dg_projection()] on
#' colours.
#'
#' @param x,object The result of [dg_compare()].
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 30, seed = 1)
#' result <- dg_compare(list(pooled = dg_svm(domain_kernel = domain_pooled()),
#'                           distributional = dg_svm()), y ~ . | domain, data = toy, folds = 4)
#' plot(result)
#' @export
plot.dg_compare <- function(x, ...) {
  check_no_dots(list(...), character())
  frame <- compare_frame(x)
  methods <- levels(frame$method)
  size <- graphics::par("din")
  space <- (size[2L] - 2) / (length(methods) * graphics::par("cin")[2L])
  names <- fit_text(methods, characters_in(0.3 * size[1L]), lines = if (space >= 2) 2L else 1L)
  with_page(for (panel in levels(frame$panel)) {
    draw_comparison(frame[frame$panel == panel, ], x)
    if (panel == "scores") {
      graphics::axis(2L, at = seq_along(methods), labels = names, las = 1L, tick = FALSE,
                     gap.axis = -1)
    }
  }, mfrow = c(1L, 2L), cex = 1, mar = c(5.2, 1, 3.2, 1), oma = c(0, 0.5 * widest(names), 0, 0))
  invisible(x)
}

#' @rdname plot.dg_compare
#' @exportS3Method ggplot2::autoplot
autoplot.dg_compare <- function(object, ...) {
  check_no_dots(list(...), character())
  gg_compare(compare_frame(object), object)
}

# One line a domain and method (domain) and one a method (mean; domain NA), for each panel: panel
# ("scores", "differences"), method (factor, the last first), domain, value, lower, upper, kind
# ("domain", "mean", "against": the mean of the method compared with).
compare_frame <- function(x) {
  if (all(is.na(x$scores))) abort_nothing_to_plot()
  methods <- x$table$method
  differences <- x$scores - x$scores[, x$against]
  long <- function(values, panel) {
    data.frame(panel = panel, method = methods[col(values)],
               domain = rownames(values)[row(values)], value = c(values), lower = NA_real_,
               upper = NA_real_, kind = "domain", stringsAsFactors = FALSE)
  }
  means <- function(panel, value, lower, upper) {
    data.frame(panel = panel, method = methods, domain = NA_character_, value = value,
               lower = lower, upper = upper, stringsAsFactors = FALSE,
               kind = ifelse(panel == "differences" & methods == x$against, "against", "mean"))
  }
  others <- differences[, methods != x$against, drop = FALSE]
  # of many domains the spread would hide the interval of the mean
  detailed <- if (nrow(x$scores) <= 40L) long(differences, "differences")
  frame <- rbind(
    long(x$scores, "scores"),
    if (!is.null(detailed)) detailed[detailed$method %in% colnames(others), ],
    means("scores", colMeans(x$scores, na.rm = TRUE), NA_real_, NA_real_),
    means("differences", x$table$difference, x$table$lower, x$table$upper)
  )
  frame$panel <- factor(frame$panel, c("scores", "differences"))
  frame$method <- factor(frame$method, rev(methods))
  frame <- frame[!is.na(frame$value), ]
  rownames(frame) <- NULL
  frame
}

compare_title <- function(x) paste0("each ", x$runs[[1L]]$labels$domain, ", and the mean")

draw_comparison <- function(frame, x) {
  page <- base_page()
  scores <- frame$panel[1L] == "scores"
  width <- characters_in(graphics::par("pin")[1L])
  empty_panel(c(frame$value, frame$lower, frame$upper, if (!scores) 0),
              c(0.5, nlevels(frame$method) + 0.5),
              if (scores) compare_title(x)
              else paste("difference from", x$against),
              yaxt = "n", xlab = "", ylab = "", width = width)
  label <- score_label(x$metrics[[1L]], width, if (scores) "" else "difference in ")
  graphics::title(xlab = label, line = 2 + number_of_lines(label))
  if (!scores) graphics::abline(v = 0, lty = 2L)
  at <- as.integer(frame$method)
  single <- frame$kind == "domain"
  graphics::points(frame$value[single], at[single] + 0.5 * spread_out(sum(single)), pch = 16,
                   cex = 0.6, col = shade(page, 0.35))
  graphics::segments(frame$lower, at, frame$upper, at, lwd = 3, col = page$ink)
  graphics::points(frame$value[!single], at[!single], bg = page$ink, cex = 1.3,
                   pch = ifelse(frame$kind[!single] == "against", 1, 23))
}

gg_compare <- function(frame, x) {
  page <- gg_page()
  measure <- x$metrics[[1L]]
  titles <- c(scores = score_label(measure, 0),
              differences = paste0("difference from ", shorten(x$against, 24), "\n(",
                                   if (measure$better == "low") "below" else "above",
                                   " 0 is better)"))
  frame$panel <- factor(titles[as.character(frame$panel)], titles)
  single <- frame$kind == "domain"
  points <- frame[single, ]
  points$at <- as.integer(points$method) + 0.4 * spread_out(nrow(points))
  plot <- ggplot2::ggplot(frame[!single, ], gg_columns(x = "value", y = "method")) +
    ggplot2::geom_point(gg_columns(shape = "kind"), colour = page$ink) +
    ggplot2::geom_vline(gg_columns(xintercept = "at"), linetype = 2L, colour = page$ink,
                        data = data.frame(panel = factor(titles[2L], titles), at = 0)) +
    ggplot2::geom_point(gg_columns(y = "at"), data = points, size = 0.9,
                        colour = shade(page, 0.35)) +
    ggplot2::geom_segment(gg_columns(x = "lower", xend = "upper", yend = "method"), na.rm = TRUE,
                          linewidth = 1, colour = page$ink) +
    ggplot2::geom_point(gg_columns(shape = "kind"), size = 2.5, colour = page$ink,
                        fill = page$ink) +
    ggplot2::scale_shape_manual(values = c(mean = 23, against = 1), guide = "none") +
    gg_row_scale(28) + ggplot2::labs(x = NULL, y = NULL, title = compare_title(x))
  gg_panels(plot, scales = "free_x")
}
