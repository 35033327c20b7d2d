# Pictures in ggplot2, which is only suggested: its functions are called when its autoplot() has
# been, so that it is there.

as_ggplot <- function(p) {
  page <- gg_page()
  plot <- ggplot2::ggplot()
  for (layer in p$layers) plot <- plot + gg_layer(layer, attr(layer, "mark"), p, page)
  # a picture is about six inches wide
  names <- across(p$x, 6 / length(p$panels), length(p$panels))
  plot <- plot + gg_key(p, page) + gg_axis(p$x, names, ggplot2::scale_x_continuous) +
    gg_axis(p$y, shorten(p$y$labels, 24), ggplot2::scale_y_continuous) +
    ggplot2::labs(title = p$title, subtitle = p$note, x = p$x$label, y = p$y$label) +
    if (p$equal) ggplot2::coord_equal()
  if (p$x$upright) {
    plot <- plot + ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1,
                                                                      vjust = 0.5))
  }
  if (any(nzchar(p$panels))) plot + gg_panels(p) else plot
}

# Ink and paper of the current theme.
gg_page <- function() {
  theme <- ggplot2::theme_get()
  fill <- function(element) {
    found <- on_error(ggplot2::calc_element(element, theme)$fill, function(e) NULL)
    if (is.null(found) || is.na(found) || is_transparent(found)) NULL else found
  }
  ink <- ggplot2::calc_element("text", theme)$colour
  paper <- fill("panel.background")
  if (is.null(paper)) paper <- fill("plot.background")
  if (is.null(ink)) ink <- "black"
  # a grey panel of a theme with dark text is light enough to be paper
  as_page(ink, if (is.null(paper)) NA else paper)
}

# aes() from names of columns.
gg_columns <- function(...) do.call(ggplot2::aes, lapply(list(...), as.name))

gg_layer <- function(rows, mark, p, page) {
  rows$panel <- factor(rows$panel, seq_along(p$panels))
  ink <- shade(page, rows$ink)
  fill <- shade(page, rows$fill)
  keyed <- !is.null(rows$key) && !is.null(p$key)
  at <- list(x = "x", y = "y")
  to <- list(xend = "xend", yend = "yend")
  # ggplot2's sizes are in mm, those of base in characters and in 1/96 inch
  size <- 1.8 * rows$size
  width <- 0.4 * rows$width
  switch(mark,
    point = if (keyed) {
      told <- c(at, colour = "key", shape = if (!is.null(p$key$levels)) "key")
      ggplot2::geom_point(do.call(gg_columns, told), rows, size = size)
    } else {
      ggplot2::geom_point(do.call(gg_columns, at), rows, size = size, shape = rows$shape,
                          colour = ink, fill = fill)
    },
    segment = ggplot2::geom_segment(do.call(gg_columns, c(at, to)), rows, colour = ink,
                                    linewidth = width, linetype = rows$dash),
    line = ggplot2::geom_line(do.call(gg_columns, at), rows, colour = ink[1L]),
    box = {
      corners <- gg_columns(xmin = "x", xmax = "xend", ymin = "y", ymax = "yend")
      if (keyed) {
        corners$fill <- as.name("key")
        ggplot2::geom_rect(corners, rows, colour = ink)
      } else ggplot2::geom_rect(corners, rows, fill = fill, colour = ink, linewidth = width)
    },
    text = ggplot2::geom_text(do.call(gg_columns, c(at, label = "label")), rows, size = 3,
                              vjust = if (is.null(rows$above)) 0.5 else -0.5, colour = ink,
                              check_overlap = !is.null(rows$clear)))
}

# Scales of colours and shapes.
gg_key <- function(p, page) {
  key <- p$key
  if (is.null(key)) return(NULL)
  title <- shorten(key$title, 22)
  if (is.null(key$levels)) {
    scale <- if (is.null(key$inks)) ggplot2::scale_colour_gradientn
             else ggplot2::scale_fill_gradientn
    return(scale(title, colours = key_colours(key, page, 16L), na.value = shade(page, 0.55),
                 guide = if (key$shown) "colourbar" else "none"))
  }
  unknown <- anyNA(unlist(lapply(p$layers, function(l) as.character(l$key))))
  guide <- if (key$shown) "legend" else "none"
  scale <- function(make, of, unknown_is) {
    make(title, values = stats::setNames(of, key$levels), labels = function(l) shorten(l, 22),
         na.value = unknown_is, na.translate = unknown, guide = guide)
  }
  list(scale(ggplot2::scale_colour_manual, key_colours(key, page, length(key$levels)),
             shade(page, 0.55)),
       scale(ggplot2::scale_shape_manual, key$shapes, 1L))
}

# Names are left out where they would overlap.
gg_axis <- function(axis, labels, scale) {
  ends <- if (is.null(axis$pad)) ggplot2::waiver() else ggplot2::expansion(add = axis$pad)
  if (is.null(axis$breaks)) return(scale(expand = ends))
  scale(expand = ends, breaks = axis$breaks, labels = labels, minor_breaks = NULL,
        guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# Strips at the bottom are the titles of the axes there.
gg_panels <- function(p) {
  titles <- stats::setNames(p$panels, seq_along(p$panels))
  scales <- c("fixed", "free_x", "free_y", "free")[1L + p$x$free + 2L * p$y$free]
  facets <- ggplot2::facet_wrap(stats::reformulate("panel"), nrow = p$rows, scales = scales,
                                strip.position = p$strip,
                                labeller = ggplot2::as_labeller(titles))
  space <- ggplot2::theme(panel.spacing = ggplot2::unit(1, "lines"))
  if (p$strip == "top") return(list(facets, space))
  colour <- ggplot2::calc_element("axis.title", ggplot2::theme_get())$colour
  list(facets, space,
       ggplot2::theme(strip.placement = "outside", strip.background = ggplot2::element_blank(),
                      strip.text = ggplot2::element_text(colour = colour)))
}
