#' Plot a search for parameters
#'
#' @description
#' `type = "curves"`: for each parameter the best mean score that each of its values reaches, with
#' its standard error, and the chosen value marked with a ring; with one parameter that is its
#' score. A value for which every choice failed is left out.
#'
#' `type = "surface"`: the same for the pairs of values of two parameters, as shaded squares with
#' the score written in them where there is room; the chosen pair has a frame. A pair that failed
#' or was not tried has a cross.
#'
#' See [plot.dg_projection()] on colours.
#'
#' @param x,object The result of [dg_tune()].
#' @param type Which picture; `NULL`: the surface if exactly two parameters have several values and
#'   most pairs of them were tried, else curves.
#' @param parameters Names of the parameters to show: two for a surface. `NULL`: all, or the first
#'   two with several values.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' Names in `parameters` that were not tuned, or a surface of other than two.
#' @examples
#' toy <- simulate_ellipses(domains = 6, rows = 30, seed = 1)
#' tuned <- dg_tune(dg_svm(), y ~ . | domain, data = toy, folds = 3,
#'                  grid = list(cost = 10^(0:2), times = c(0.5, 1)))
#' plot(tuned)
#' plot(tuned, type = "curves")
#' @export
plot.dg_tuned <- function(x, type = NULL, parameters = NULL, ...) {
  check_no_dots(list(...), c("type", "parameters"))
  shown <- read_tuning_picture(x, type, parameters)
  if (shown$type == "surface") draw_surface(surface_frame(x, shown$parameters), x$tuning) else {
    draw_curves(curves_frame(x, shown$parameters), x$tuning)
  }
  invisible(x)
}

#' @rdname plot.dg_tuned
#' @exportS3Method ggplot2::autoplot
autoplot.dg_tuned <- function(object, type = NULL, parameters = NULL, ...) {
  check_no_dots(list(...), c("type", "parameters"))
  shown <- read_tuning_picture(object, type, parameters)
  if (shown$type == "curves") {
    return(gg_curves(curves_frame(object, shown$parameters), object$tuning))
  }
  gg_tiles(surface_frame(object, shown$parameters), tuning_title(object$tuning),
           shown$parameters[1L], shown$parameters[2L], object$tuning$metric$title)
}

tuning_title <- function(tuning) {
  paste0(score_label(tuning$metric, Inf), ", ", tuning$held)
}

# list(type, parameters)
read_tuning_picture <- function(x, type, parameters) {
  table <- x$tuning$table
  known <- names(x$tuning$best)
  for (name in parameters) check_choice(name, "parameters", known)
  several <- known[vapply(known, function(name) length(unique(table[[name]])) > 1L, NA)]
  if (is.null(type)) {
    candidates <- if (is.null(parameters)) several else parameters
    pairs <- if (length(candidates) == 2L) nrow(unique(table[candidates]))
    full <- !is.null(pairs) && pairs > 0.5 * prod(lengths(lapply(table[candidates], unique)))
    type <- if (full) "surface" else "curves"
  }
  type <- check_choice(type, "type", c("curves", "surface"))
  if (is.null(parameters)) parameters <- if (type == "surface") utils::head(several, 2L) else known
  if (type == "surface" && length(unique(parameters)) != 2L) {
    abort("argument", "`parameters` must be two names for a surface, not ",
          length(unique(parameters)), ".")
  }
  list(type = type, parameters = parameters)
}

# The row of the best mean in each group of rows (NA where all failed).
best_rows <- function(tuning, group) {
  sign <- if (tuning$metric$better == "low") 1 else -1
  vapply(split(seq_along(group), group), function(rows) {
    means <- sign * tuning$table$mean[rows]
    if (all(is.na(means))) NA_integer_ else rows[which.min(means)]
  }, integer(1))
}

# Values in order, as labels.
parameter_factor <- function(values) {
  if (!is.numeric(values)) return(factor(values, unique(values)))
  levels <- sort(unique(values))
  factor(values, levels, make.unique(vapply(signif(levels, 3), format, "")))
}

# One line a value of a parameter: parameter (factor), label, place (1, 2, ... in order), numeric,
# mean, lower, upper (one standard error), chosen.
curves_frame <- function(x, parameters) {
  tuning <- x$tuning
  curves <- lapply(parameters, function(name) {
    values <- parameter_factor(tuning$table[[name]])
    best <- best_rows(tuning, values)
    mean <- tuning$table$mean[best]
    se <- tuning$table$se[best]
    se[is.na(se)] <- 0
    data.frame(parameter = name, label = levels(values), place = seq_along(best),
               numeric = is.numeric(tuning$table[[name]]), mean = mean, lower = mean - se,
               upper = mean + se, stringsAsFactors = FALSE,
               chosen = levels(values) == as.character(values[tuning$chosen]))[!is.na(mean), ]
  })
  frame <- do.call(rbind, curves)
  frame$parameter <- factor(frame$parameter, parameters)
  rownames(frame) <- NULL
  frame
}

# As draw_tiles() takes it.
surface_frame <- function(x, parameters) {
  tuning <- x$tuning
  sides <- lapply(tuning$table[parameters], parameter_factor)
  frame <- expand.grid(column = levels(sides[[1L]]), row = levels(sides[[2L]]),
                       KEEP.OUT.ATTRS = FALSE)
  pair <- function(column, row) {
    factor(paste(as.integer(column), as.integer(row)),
           paste(as.integer(frame$column), as.integer(frame$row)))
  }
  tried <- pair(sides[[1L]], sides[[2L]])
  frame$value <- tuning$table$mean[best_rows(tuning, tried)]
  written <- max(lengths(lapply(sides, levels))) <= 12L
  frame$text <- if (written) ifelse(is.na(frame$value), "", same_digits(frame$value)) else ""
  frame$mark <- levels(tried) == as.character(tried[tuning$chosen])
  structure(frame, parameters = parameters)
}

# Digits enough to tell values apart.
same_digits <- function(values) {
  spread <- diff(range(values, na.rm = TRUE))
  size <- max(abs(values), na.rm = TRUE)
  digits <- if (spread == 0) 3L else ceiling(log10(size / spread)) + 2L
  formatC(values, digits = min(max(digits, 3L), 5L), format = "fg", flag = "#")
}

draw_surface <- function(frame, tuning) {
  names <- levels(frame$row)
  parameters <- attr(frame, "parameters")
  left <- 0.5 * widest(names) + 0.8
  with_page({
    draw_tiles(frame, tuning_title(tuning), parameters[1L], "", tuning$metric$title)
    graphics::title(ylab = parameters[2L], line = left)
  }, mar = c(4.2, left + 1.5, 3.2, if (any(nzchar(frame$text))) 1 else 8))
}

draw_curves <- function(frame, tuning) {
  panels <- split(frame, frame$parameter)
  layout <- grDevices::n2mfrow(length(panels))[2:1]
  labels <- lapply(panels, tick_labels, graphics::par("din")[1L] / layout[2L] - 1)
  lines <- max(vapply(labels, number_of_lines, 1L))
  with_page({
    for (name in names(panels)) {
      draw_curve(panels[[name]], labels[[name]], lines, range(frame$lower, frame$upper), tuning)
    }
    outer_text(fit_text(tuning_title(tuning), characters_in(graphics::par("din")[1L])), 3L, 0.5,
               cex = 1)
  }, mfrow = layout, cex = 0.9, mar = c(3.2 + lines, 4.2, 0.6, 0.6), oma = c(0, 0, 2, 0))
}

# Values of a grid stand at equal distances.
draw_curve <- function(curve, labels, lines, limits, tuning) {
  page <- base_page()
  if (nrow(curve) == 0L) return(graphics::plot.new())
  graphics::plot(curve$place, curve$mean, type = if (curve$numeric[1L]) "b" else "p", pch = 16,
                 xaxt = "n", xlab = "", ylab = tuning$metric$title, ylim = limits,
                 xlim = range(curve$place) + c(-0.3, 0.3))
  graphics::axis(1L, curve$place, labels, padj = 1, mgp = c(3, 0.5, 0),
                 gap.axis = if (few_words(curve)) -1 else 0.2)
  graphics::title(xlab = as.character(curve$parameter[1L]), line = 1.8 + lines)
  graphics::segments(curve$place, curve$lower, curve$place, curve$upper, col = shade(page, 0.5))
  chosen <- curve[curve$chosen, ]
  graphics::points(chosen$place, chosen$mean, pch = 1, cex = 2.4, lwd = 2)
}

# Names of a few kernels are broken, after brackets too, so that all can stand.
few_words <- function(curve) nrow(curve) > 0L && !curve$numeric[1L] && nrow(curve) <= 6L

tick_labels <- function(curve, inches) {
  if (!few_words(curve)) return(shorten(curve$label, 16))
  broken <- fit_text(gsub("(", "( ", curve$label, fixed = TRUE),
                     characters_in(inches / nrow(curve), at_least = 13), lines = 4L)
  gsub("( ", "(", broken, fixed = TRUE)
}

gg_curves <- function(frame, tuning) {
  page <- gg_page()
  frame$panel <- frame$parameter
  # the same label may be a value of several parameters
  places <- unique(paste(frame$panel, frame$place))
  curves <- split(frame, frame$panel, drop = TRUE)
  labels <- stats::setNames(unlist(lapply(curves, tick_labels, 6 / length(curves))), places)
  frame$place <- factor(paste(frame$panel, frame$place), places)
  plot <- ggplot2::ggplot(frame, gg_columns(x = "place", y = "mean")) +
    ggplot2::geom_linerange(gg_columns(ymin = "lower", ymax = "upper"),
                            colour = shade(page, 0.5)) +
    ggplot2::geom_line(gg_columns(group = "panel"), data = frame[frame$numeric, ],
                       colour = page$ink) +
    ggplot2::geom_point(colour = page$ink) +
    ggplot2::geom_point(data = frame[frame$chosen, ], shape = 1L, size = 5, stroke = 1.2,
                        colour = page$ink) +
    ggplot2::scale_x_discrete(labels = labels,
                              guide = ggplot2::guide_axis(
                                check.overlap = !all(vapply(curves, few_words, NA)))) +
    ggplot2::labs(title = tuning_title(tuning), x = NULL, y = tuning$metric$title)
  gg_panels(plot, scales = "free_x")
}
