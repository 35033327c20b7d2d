#' Plot a cross-validation
#'
#' The score of each held-out domain, sorted, with an interval for what other rows of
#' the same domain would have given (bootstrap of its rows, 200 draws, always the same); and the
#' mean over domains with its interval, Student's with the standard error of [dg_cv()] (95 %
#' each). Domains without a score are left out; names that do not fit are shortened or left out. See [plot.dg_projection()] on
#' colours, and [dg_calibration()] for the picture of predicted probabilities.
#'
#' @param x,object The result of [dg_cv()].
#' @param max_labels At most this many domains are named, evenly, as far as there is room.
#' @param interval Draw intervals of the domains? The bootstrap computes the score 200 times.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A cross-validation in which no domain has a score.
#' @examples
#' toy <- simulate_dcm(domains = 5, rows = 30, seed = 1)
#' plot(dg_cv(dg_lm(), y ~ . | domain, data = toy))
#' @export
plot.dg_cv <- function(x, max_labels = 40, interval = TRUE, ...) {
  check_no_dots(list(...), c("max_labels", "interval"))
  draw_cv(cv_frame(x, interval), x, check_count(max_labels, "max_labels"))
  invisible(x)
}

#' @rdname plot.dg_cv
#' @exportS3Method ggplot2::autoplot
autoplot.dg_cv <- function(object, max_labels = 40, interval = TRUE, ...) {
  check_no_dots(list(...), c("max_labels", "interval"))
  gg_cv(cv_frame(object, interval), object, check_count(max_labels, "max_labels"))
}

# domain (factor, sorted by score), rows, score, lower, upper. Attribute: mean (c(mean, lower,
# upper)).
cv_frame <- function(x, interval) {
  interval <- check_flag(interval, "interval")
  domains <- x$domains[order(x$domains$score, na.last = NA), c("domain", "rows", "score")]
  if (nrow(domains) == 0L) abort_nothing_to_plot()
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
  part <- function(rows) {
    lapply(columns, function(v) if (is.matrix(v)) v[rows, , drop = FALSE] else v[rows])
  }
  with_seed(1L, vapply(rows, function(own) {
    repeats <- split(own, predictions$rep[own])
    values <- vapply(seq_len(draws), function(draw) {
      # repeats predict the same rows
      again <- sample.int(length(repeats[[1L]]), replace = TRUE)
      mean(vapply(repeats, function(i) score(part(i[again[again <= length(i)]]), metric), 0))
    }, numeric(1))
    if (mean(is.finite(values)) < 0.5) return(c(NA_real_, NA_real_))
    unname(stats::quantile(values[is.finite(values)], c(0.025, 0.975)))
  }, numeric(2)))
}

cv_title <- function(x) paste0(x$spec$parts$title, ", ", x$held)

draw_cv <- function(frame, x, max_labels) {
  page <- base_page()
  n <- nrow(frame)
  rows <- seq_len(n)
  size <- graphics::par("din")
  # names shrink with the space for a line, down to 0.7 of their size; then some are left out
  cex <- min(1, max(0.7, rows_in(size[2L] - 1.8) / min(n, max_labels)))
  names <- shorten(as.character(frame$domain), characters_in(0.35 * size[1L], cex))
  mean <- attr(frame, "mean")
  with_page({
    empty_panel(c(frame$score, frame$lower, frame$upper, mean), c(0.5, n + 0.5), cv_title(x),
                xlab = score_label(x$metrics[[1L]], Inf), ylab = "", yaxt = "n", lines = 1L)
    graphics::rect(mean[2L], graphics::par("usr")[3L], mean[3L], graphics::par("usr")[4L],
                   col = shade(page, 0.12), border = NA)
    graphics::abline(v = mean[1L], lty = 2L)
    graphics::box()
    graphics::segments(frame$lower, rows, frame$upper, rows, col = shade(page, 0.5))
    graphics::points(frame$score, rows, pch = 16, cex = if (n > 60L) 0.6 else 0.9)
    shown <- row_axis(names, cex = cex, most = max_labels)
    note <- c(note_unnamed(length(shown), n), paste("mean", signif(mean[1L], 3)))
    graphics::mtext(paste(note, collapse = "; "), 3L, 0.1, cex = 0.8, col = page$ink)
    graphics::title(ylab = x$labels$domain, line = graphics::par("mar")[2L] - 1.2)
  }, mar = c(4.2, 0.5 * cex * widest(names) + 2.5, 3.2, 1))
}

gg_cv <- function(frame, x, max_labels) {
  page <- gg_page()
  mean <- attr(frame, "mean")
  shown <- thin(nrow(frame), max_labels)
  plot <- ggplot2::ggplot(frame, gg_columns(x = "score", y = "domain"))
  # the discrete scale before what is drawn on numbers
  plot <- plot + ggplot2::geom_point(colour = page$ink)
  if (!is.na(mean[2L])) {
    plot <- plot + ggplot2::annotate("rect", xmin = mean[2L], xmax = mean[3L], ymin = -Inf,
                                     ymax = Inf, fill = shade(page, 0.15))
  }
  plot + ggplot2::geom_vline(xintercept = mean[1L], linetype = 2L, colour = page$ink) +
    ggplot2::geom_segment(gg_columns(x = "lower", xend = "upper", yend = "domain"), na.rm = TRUE,
                          colour = shade(page, 0.5)) +
    ggplot2::geom_point(colour = page$ink, size = if (nrow(frame) > 60L) 1 else 1.5) +
    ggplot2::scale_y_discrete(breaks = levels(frame$domain)[shown],
                              labels = function(labels) shorten(labels, 24),
                              guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(title = cv_title(x), subtitle = paste("mean", signif(mean[1L], 3)),
                  x = score_label(x$metrics[[1L]], Inf), y = x$labels$domain)
}
