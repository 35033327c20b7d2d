#' Plot a diagnosis
#'
#' Two panels. Shift: the distributional variance that was found beside what chance gives (mean
#' and 95 % range of the permutations). Room for gain and gain achieved: what each domain gains over
#' pooling (pale), with the mean over domains and its 95 % interval, on one axis; above zero is
#' better. See [plot.dg_projection()] on colours.
#'
#' @param x,object The result of [dg_diagnose()].
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' toy <- simulate_ellipses(domains = 10, rows = 40, seed = 1)
#' plot(dg_diagnose(y ~ . | domain, data = toy))
#' @export
plot.dg_diagnose <- function(x, ...) {
  check_no_dots(list(...), character())
  draw_diagnose(diagnose_frame(x), x)
  invisible(x)
}

#' @rdname plot.dg_diagnose
#' @exportS3Method ggplot2::autoplot
autoplot.dg_diagnose <- function(object, ...) {
  check_no_dots(list(...), character())
  gg_diagnose(diagnose_frame(object), object)
}

diagnose_labels <- c("by chance", "found", "room: told the domain", "gain: unseen domains")

# panel ("shift", "gain"), what (factor), domain (NA for what sums up), value, lower, upper.
diagnose_frame <- function(x) {
  sign <- if (x$metric$better == "low") -1 else 1
  line <- function(panel, what, value, lower = NA_real_, upper = NA_real_, domain = NA_character_) {
    data.frame(panel = panel, what = what, domain = domain, value = value, lower = lower,
               upper = upper, stringsAsFactors = FALSE)
  }
  summed <- function(what, row) line("gain", what, row$difference, row$lower, row$upper)
  d <- x$domains
  known <- function(bound) if (is.null(bound)) NA_real_ else bound
  frame <- rbind(
    line("shift", "by chance", x$shift$level, known(x$shift$lower), known(x$shift$upper)),
    line("shift", "found", x$shift$variance),
    line("gain", diagnose_labels[3L], sign * (d$told - d$pooled_known), domain = d$domain),
    line("gain", diagnose_labels[4L], sign * (d$distributional - d$pooled_unseen),
         domain = d$domain),
    summed(diagnose_labels[3L], x$room), summed(diagnose_labels[4L], x$gain)
  )
  frame$what <- factor(frame$what, diagnose_labels)
  frame[!is.na(frame$value), ]
}

shift_title <- function(x) {
  if (same_predictors(x)) return("no shift: all domains have\nthe same predictors")
  paste0("shift: ", signif(x$shift$ratio, 2), " times\nchance, p = ", format_p(x$shift$p))
}

gain_label <- function(x) paste0("gain over pooling (", x$metric$title, ")")

draw_diagnose <- function(frame, x) {
  page <- base_page()
  with_page({
    graphics::layout(matrix(1:2, 1L), widths = c(2, 3))
    shift <- frame[frame$panel == "shift", ]
    empty_panel(c(0.4, 2.6), c(0, 1.05 * max(shift$value, shift$upper, na.rm = TRUE)), "",
                xlab = "", xaxt = "n", ylab = "variance between domains", yaxs = "i")
    graphics::title(shift_title(x), font.main = 1L, cex.main = 1)
    at <- as.integer(shift$what)
    graphics::rect(at - 0.3, 0, at + 0.3, shift$value, col = shade(page, c(0.15, 0.5)),
                   border = page$ink)
    graphics::segments(at, shift$lower, at, shift$upper, lwd = 2)
    graphics::axis(1L, at, shift$what, tick = FALSE, gap.axis = -1)
    gain <- frame[frame$panel == "gain", ]
    empty_panel(c(2.5, 4.5), c(0, gain$value, gain$lower, gain$upper), "above 0 is better",
                xlab = "", xaxt = "n", ylab = gain_label(x))
    graphics::abline(h = 0, lty = 2L)
    single <- !is.na(gain$domain)
    at <- as.integer(gain$what)
    graphics::points(at[single] + 0.5 * spread_out(sum(single)), gain$value[single], pch = 16,
                     cex = 0.7, col = shade(page, 0.35))
    graphics::segments(at, gain$lower, at, gain$upper, lwd = 3)
    graphics::points(at[!single], gain$value[!single], pch = 23, bg = page$ink, cex = 1.4)
    graphics::axis(1L, 3:4, sub(": ", ":\n", diagnose_labels[3:4]), tick = FALSE, line = 0.8,
                   gap.axis = -1)
  }, mar = c(4, 4.2, 3, 0.8), mfrow = c(1L, 1L), cex = 1)
}

gg_diagnose <- function(frame, x) {
  page <- gg_page()
  titles <- c(shift = paste0("variance between domains\n", sub("\n", " ", shift_title(x))),
              gain = gain_label(x))
  frame$panel <- factor(titles[as.character(frame$panel)], titles)
  frame$at <- as.integer(frame$what)
  shift <- frame[frame$panel == titles[1L], ]
  single <- frame[!is.na(frame$domain), ]
  single$at <- single$at + 0.5 * spread_out(nrow(single))
  whole <- frame[is.na(frame$domain), ]
  zero <- data.frame(panel = factor(titles[2L], titles), zero = 0)
  ggplot2::ggplot(whole, gg_columns(x = "at", y = "value")) +
    ggplot2::geom_col(data = shift, width = 0.6, fill = shade(page, c(0.15, 0.5)),
                      colour = page$ink) +
    ggplot2::geom_hline(gg_columns(yintercept = "zero"), data = zero, linetype = 2L,
                        colour = page$ink) +
    ggplot2::geom_point(data = single, size = 1.2, colour = shade(page, 0.35)) +
    ggplot2::geom_linerange(gg_columns(ymin = "lower", ymax = "upper"), na.rm = TRUE,
                            linewidth = 1, colour = page$ink) +
    ggplot2::geom_point(data = whole[whole$panel == titles[2L], ], shape = 23L, size = 3,
                        colour = page$ink, fill = page$ink) +
    ggplot2::scale_x_continuous(breaks = 1:4, labels = sub(": ", ":\n", diagnose_labels),
                                expand = ggplot2::expansion(add = 0.4)) +
    ggplot2::facet_wrap(gg_facets("panel"), scales = "free") + ggplot2::labs(x = NULL, y = NULL)
}
