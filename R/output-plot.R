# Parts of all plots. plot() has a method for each class that can be plotted, which returns an
# object of ggplot2, and autoplot() is plot(). Users add a theme of their own, so text must fit
# without ours: it is broken into lines that fit 4.5 inches before anything is drawn.

#' @exportS3Method ggplot2::autoplot
autoplot.dg_result <- function(object, ...) plot(object, ...)

#' @exportS3Method ggplot2::autoplot
autoplot.dg_fit <- function(object, ...) plot(object, ...)

#' @export
plot.dg_result <- function(x, ...) {
  # of models that dg_tune() and dg_auto() found
  if (inherits(x, "dg_fit")) return(NextMethod())
  summary <- any(startsWith(class(x), "summary."))
  abort("argument", "`x`, ", describe(x), ", has no plot",
        if (summary) ": plot what it is a summary of"
        else if (inherits(x, "dg_coefficients")) ": tidy(x) has estimates and intervals", ".")
}

#' @export
plot.dg_fit <- function(x, ...) {
  abort("argument", "`x`, ", describe(x), ", has no plot: plot(domain_map(x)) shows its ",
        "domains, plot(dg_cv(x)) how well it does on them.")
}

#' @export
plot.dg_spec <- function(x, ...) {
  abort("argument", "`x`, ", describe(x), ", has no data yet: fit it first, as in ",
        "plot(fit(x, y ~ . | domain, data = rows)).")
}

# Every plot begins here. place: names of the columns that are x and y of all layers, and perhaps
# more of their mapping. beside, key: characters of names left of the panel and of a legend that may
# stand right of it, see width_beside() and key_width().
new_plot <- function(data, place, title, subtitle = NULL, x = NULL, y = NULL, caption = NULL,
                     beside = width_beside(data[[place[["y"]]]]), key = 0) {
  need_package("ggplot2", "plot()")
  # that of a user who has set one stays
  theme <- if (identical(ggplot2::theme_get(), ggplot2::theme_grey())) ggplot2::theme_bw()
  # titles begin at the panel in most themes
  beside <- beside + key
  ggplot2::ggplot(data, do.call(columns, as.list(place))) + theme +
    ggplot2::labs(title = wrapped(capital(title), 43 - 0.7 * beside),
                  subtitle = wrapped(subtitle, 52 - 0.8 * beside),
                  caption = wrapped(caption, 62 - key),
                  # along y there is room for two short lines
                  x = wrapped(x, 48 - 0.8 * beside),
                  y = if (length(y)) fit_text(wrapped(y, 23), 22, 2L)) +
    ggplot2::theme(plot.title.position = "plot", plot.caption.position = "plot",
                   plot.caption = ggplot2::element_text(hjust = 0), legend.position = "bottom",
                   panel.grid.minor = ggplot2::element_blank(),
                   legend.key.size = ggplot2::unit(0.8, "lines"),
                   plot.margin = ggplot2::margin(6, 12, 6, 6))
}

# Characters of the names on the y axis: of numbers about four.
width_beside <- function(y) if (is.numeric(y)) 4 else min(widest(as.character(y)), name_width)

name_width <- 20

# In lines of so many characters, of about the same length; NULL where there is no text.
wrapped <- function(text, width) {
  if (length(text) == 0L) return(NULL)
  # a number stays on the line of its unit or name
  text <- gsub("(?<=[0-9]) (?=%)|(?<=\\bp) (?=[=<] )|(?<=\\bp [=<]) (?=[0-9])", "\r",
               paste(readable(text), collapse = " "), perl = TRUE)
  lines <- strwrap(text, width)
  for (narrower in seq(width, width / 2)) {
    broken <- strwrap(text, narrower)
    if (length(broken) > length(lines)) break
    lines <- broken
  }
  gsub("\r", " ", paste(lines, collapse = "\n"), fixed = TRUE)
}

# A mapping from names of columns.
columns <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

# Panels by the column `panel`, nothing where there is one. beside: see width_beside().
panels <- function(panel, scales = "fixed", beside = 4, columns = NULL) {
  n <- nlevels(panel)
  if (n == 1L) return(NULL)
  if (is.null(columns)) columns <- ggplot2::wrap_dims(n)[2L]
  # numbers on the y axis of each
  if (scales %in% c("free", "free_y")) beside <- beside * columns
  width <- max(floor((62 - beside) / columns) - 2, 8)
  # titles of many lines would leave no room for panels
  lines <- if (n > columns) 2L else 3L
  ggplot2::facet_wrap("panel", scales = scales, ncol = columns, labeller = ggplot2::as_labeller(
    function(titles) vapply(strsplit(titles, "\n"), fit_lines, "", width, lines)
  ))
}

# Each part begins a line; parts share the lines that there may be.
fit_lines <- function(parts, width, lines) {
  each <- max(lines %/% length(parts), 1L)
  broken <- vapply(parts, function(part) wrapped(fit_text(part, width, each), width + 1), "")
  paste(broken, collapse = "\n")
}

# In several panels few numbers, none at the ends of the axis: those side by side would meet.
few_numbers <- function(panel) {
  ggplot2::scale_x_continuous(
    breaks = if (nlevels(panel) > 1L) inner_numbers else ggplot2::waiver(),
    guide = ggplot2::guide_axis(check.overlap = TRUE)
  )
}

inner_numbers <- function(ends) {
  inner <- function(n) {
    at <- pretty(ends, n)
    at[at >= ends[1L] + 0.1 * diff(ends) & at <= ends[2L] - 0.1 * diff(ends)]
  }
  at <- inner(3)
  if (length(at) > 1L) return(at)
  range(inner(5))
}

# Names of domains, methods and predictors are as long as users make them. breaks: those that are
# named. Names that would overlap are left out, so those of many have one line.
names_on <- function(side, breaks = ggplot2::waiver(), width = name_width, lines = 2L) {
  scale <- list(x = ggplot2::scale_x_discrete, y = ggplot2::scale_y_discrete)[[side]]
  labels <- function(names) {
    # that of numbers does not touch the next
    space <- if (side == "x") " " else ""
    text <- fit_text(names, width, if (length(names) > 8L) 1L else lines)
    paste0(space, gsub("\n", paste0(space, "\n", space), text, fixed = TRUE), space)
  }
  scale(breaks = breaks, expand = ggplot2::expansion(0.02, 0.6), labels = labels,
        guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# Rows at places 1, 2, ... of y, with names at the left and, unless NULL, text at the right.
rows_on_y <- function(shown, text) {
  scale <- function(...) {
    ggplot2::scale_y_continuous(breaks = which(nzchar(shown)), minor_breaks = NULL,
                                labels = fit_text(shown[nzchar(shown)], name_width, 1L),
                                expand = ggplot2::expansion(0.01, 0.6),
                                guide = ggplot2::guide_axis(check.overlap = TRUE), ...)
  }
  # so that 60 fit on a page, see rows_height()
  small <- if (length(shown) > 40L) ggplot2::theme(axis.text.y = ggplot2::element_text(size = 6))
  if (is.null(text)) return(list(scale(), small))
  list(scale(sec.axis = ggplot2::dup_axis(name = NULL, labels = text[nzchar(shown)])), small,
       ggplot2::theme(axis.ticks.y.right = ggplot2::element_blank(),
                      axis.text.y.right = ggplot2::element_text(hjust = 1)))
}

# Inches at which all names have room.
rows_height <- function(n) 2 + n * if (n > 40L) 0.115 else 0.16

# Points whose area is the number of rows, where it is known.
sized_points <- function(data) {
  if (is.null(data$rows)) return(ggplot2::geom_point(size = 1.6))
  list(ggplot2::geom_point(columns(size = "rows")),
       ggplot2::scale_size_area(max_size = 2.8, guide = "none"))
}

# What goes beyond the ends of the axis is cut there, with an arrow.
beyond_axis <- function(data, ends) {
  if (is.null(ends) || diff(ends) == 0) return(NULL)
  arrows <- function(out, at, shape) {
    out <- out %in% TRUE
    if (!any(out)) return(NULL)
    ggplot2::geom_point(data = transform(data[out, ], value = at), shape = shape, size = 3,
                        colour = accent)
  }
  list(arrows(pmin(data$value, data$lower, na.rm = TRUE) < ends[1L], ends[1L], 60),
       arrows(pmax(data$value, data$upper, na.rm = TRUE) > ends[2L], ends[2L], 62),
       ggplot2::coord_cartesian(xlim = ends))
}

# Colours that colour-blind readers tell apart (Okabe and Ito, 2008), with a darker yellow.
okabe_ito <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000",
               "#BFB200")

# What is on average, what is to be seen first, and single domains, on light and dark panels.
mean_colour <- okabe_ito[1L]
accent <- okabe_ito[5L]
pale <- "grey55"

# Shapes that differ without colour; the open circle is for the unknown.
class_shapes <- c(16, 17, 3, 15, 4, 2, 18, 0)

# Colours and shapes of classes or of domains; of more than eight a scale from dark to light.
key_of_classes <- function(title, levels, legend = TRUE) {
  few <- length(levels) <= 8L
  labels <- function(names) shorten(names, 16)
  # in two rows of four below the panel, where they fit
  fits <- (widest(labels(levels)) + 5) * min(length(levels), 4L) + nchar(title) <= 58
  guide <- if (legend) ggplot2::guide_legend(override.aes = list(size = 2, alpha = 1)) else "none"
  list(
    if (few) {
      ggplot2::scale_colour_manual(shorten(title, 16), values = okabe_ito, limits = levels,
                                   labels = labels, na.value = pale, guide = guide)
    } else {
      ggplot2::scale_colour_viridis_d(shorten(title, 16), end = 0.9, limits = levels,
                                      labels = labels, na.value = pale, guide = guide)
    },
    ggplot2::scale_shape_manual(shorten(title, 16), limits = levels, labels = labels,
                                values = if (few) class_shapes else rep(16, length(levels)),
                                na.value = 1, guide = if (legend) "legend" else "none"),
    if (!fits && legend) ggplot2::theme(legend.position = "right")
  )
}

# Colours of numbers, which would overlap below the panel.
key_of_numbers <- function(title) {
  list(ggplot2::scale_colour_viridis_c(shorten(title, 16), end = 0.9, na.value = pale),
       ggplot2::theme(legend.position = "right"))
}

# Characters of a legend beside the panel: its title is in larger letters.
key_width <- function(title, labels = "0.00") {
  4 + max(ceiling(1.25 * widest(shorten(title, 16))), 2 + widest(shorten(labels, 16)))
}

# Single domains, moved apart at random, always alike.
domain_points <- function(data, height = 0.2, width = 0, ...) {
  ggplot2::geom_point(data = data, colour = pale, size = 1, alpha = 0.6, ...,
                      position = ggplot2::position_jitter(width, height, seed = 1L))
}

# A mean as a diamond, with its interval where there is one. across: does it go along x?
mean_points <- function(data, across = TRUE) {
  ends <- if (across) columns(xmin = "lower", xmax = "upper")
          else columns(ymin = "lower", ymax = "upper")
  list(ggplot2::geom_linerange(ends, data[!is.na(data$lower), ], colour = mean_colour,
                               linewidth = 1),
       ggplot2::geom_point(data = data, colour = mean_colour, shape = 18, size = 3))
}

# Zero, or another value at which nothing differs.
reference_line <- function(x = NULL, y = NULL, data = NULL) {
  if (is.null(y)) {
    return(ggplot2::geom_vline(columns(xintercept = "at"), line_at(x, data), linetype = 2,
                               colour = pale))
  }
  ggplot2::geom_hline(columns(yintercept = "at"), line_at(y, data), linetype = 2, colour = pale)
}

# data: panels that have the line, all if NULL.
line_at <- function(at, data) if (is.null(data)) data.frame(at = at) else cbind(data, at = at)

# Size and opacity of n points on a panel: many are small and pale, so that each can be seen.
point_size <- function(n) if (n > 1000) 0.6 else if (n > 300) 1 else 1.6

point_alpha <- function(n) if (n > 1000) 0.4 else if (n > 300) 0.6 else 0.9

# At most `most` of n, at equal steps.
thin <- function(n, most) if (n > 0L) seq(1, n, by = ceiling(n / most)) else integer()

can_repel <- function() requireNamespace("ggrepel", quietly = TRUE)

# Squares with a value written in them. tiles: data frame of column, row (factors), value, text, and
# perhaps mark (framed) and dot; a square without a value has a cross.
tile_plot <- function(tiles, title, x, y, key, ...) {
  dark <- tile_is_dark(tiles$value)
  tiles$ink <- ifelse(dark, "white", "black")
  tiles_with <- function(name) tiles[as.logical(tiles[[name]]) %in% TRUE, ]
  small <- max(nlevels(tiles$column), nlevels(tiles$row)) > 8L
  written <- any(nzchar(tiles$text))
  new_plot(tiles, c(x = "column", y = "row"), title, x = x, y = y,
           key = if (written) 0 else key_width(key), ...) +
    ggplot2::geom_tile(columns(fill = "value"), colour = "white") +
    ggplot2::geom_point(data = tiles[is.na(tiles$value), ], shape = 4, colour = pale) +
    ggplot2::geom_tile(data = tiles_with("mark"), fill = NA, colour = accent, linewidth = 1.2,
                       width = 0.94, height = 0.94) +
    ggplot2::geom_point(columns(colour = "ink"), tiles_with("dot"), size = 0.9,
                        position = ggplot2::position_nudge(y = if (written) -0.33 else 0)) +
    ggplot2::geom_text(columns(label = "text", colour = "ink"), tiles[nzchar(tiles$text), ],
                       size = if (small) 2.2 else 3) +
    ggplot2::scale_fill_gradientn(key, colours = tile_colours, na.value = "grey92",
                                  guide = if (written) "none" else "colourbar") +
    ggplot2::scale_colour_identity() +
    (if (!written) ggplot2::theme(legend.position = "right"))
}

# From white to the blue of means, and on to a dark one.
tile_colours <- c("#F2F7FB", "#7FB8DA", mean_colour, "#003B5C")

tile_is_dark <- function(value) {
  ends <- range(c(value[!is.na(value)], if (all(is.na(value))) 0))
  !is.na(value) & value - ends[1L] > 0.45 * diff(ends) & diff(ends) > 0
}
