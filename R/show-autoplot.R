# Pictures in ggplot2, which is only suggested: its functions are called when its autoplot() has
# been, so that it is there.

as_ggplot <- function(p) {
  page <- gg_page()
  # how wide it will be: as the device that is open, if one is narrower than usual
  inches <- if (grDevices::dev.cur() == 1L) 6 else min(max(grDevices::dev.size()[1L], 2), 6)
  if (anyNA(p$rows)) p$rows <- panel_rows(length(p$panels), 1.6)
  p <- gg_fit(p, inches)
  plot <- ggplot2::ggplot(mapping = gg_columns(
    x = "x", y = "y", xend = "xend", yend = "yend", xmin = "x", xmax = "xend", ymin = "y",
    ymax = "yend", label = "label"
  ))
  for (layer in p$layers) plot <- plot + gg_layer(layer, attr(layer, "mark"), p, page)
  names <- across(p$x, inches / length(p$panels), length(p$panels))
  plot <- plot + gg_key(p, page) + gg_axis(p$x, names, ggplot2::scale_x_continuous) +
    gg_axis(p$y, shorten(p$y$labels, 24), ggplot2::scale_y_continuous) +
    ggplot2::labs(title = p$title, subtitle = p$note, x = p$x$label, y = p$y$label,
                  caption = p$caption)
  upright <- function() ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5)
  plot + list(if (p$equal) ggplot2::coord_equal(), if (any(nzchar(p$panels))) gg_panels(p),
              if (p$x$upright) ggplot2::theme(axis.text.x = upright()),
              # from the left edge, where a wide picture would not fit it otherwise
              if (length(p$caption)) {
                ggplot2::theme(plot.caption = ggplot2::element_text(hjust = 0),
                               plot.caption.position = "plot")
              })
}

# Captions, and on a narrow page titles, in lines that fit; characters per inch as of ggplot2's
# sizes of letters, titles beginning where the panel does.
gg_fit <- function(p, inches) {
  lines <- ceiling(24 / inches)
  width <- if (inches < 6) floor(15 * (inches - 0.2)) else 95
  if (length(p$caption)) p$caption <- fit_text(p$caption, width, lines)
  if (inches >= 6) return(p)
  if (length(p$title)) p$title <- fit_text(p$title, floor(10 * (inches - 0.7)), 3L)
  if (length(p$note)) p$note <- fit_text(p$note, floor(12 * (inches - 0.7)), 3L)
  # each beside names on the other axis
  n <- length(p$panels)
  columns <- if (is.null(p$rows)) grDevices::n2mfrow(n)[1L] else ceiling(n / p$rows)
  panel <- (inches - 0.4 - 0.07 * widest(shorten(p$y$labels, 24))) / columns - 0.15
  p$panels <- fit_text(p$panels, max(floor(14 * panel), 10), 3L)
  p
}

# Ink and paper of the current theme.
gg_page <- function() {
  element <- function(name) {
    on_error(ggplot2::calc_element(name, ggplot2::theme_get()), function(e) NULL)
  }
  fills <- c(element("panel.background")$fill, element("plot.background")$fill)
  ink <- element("text")$colour
  # a grey panel of a theme with dark text is light enough to be paper
  page <- as_page(if (is.null(ink)) "black" else ink,
                  c(fills[!vapply(fills, is_transparent, NA)], NA)[1L])
  page$classes <- gg_palette("palette.colour.discrete", function(given, n) given(n))
  # of numbers a palette is a function of shares
  page$numbers <- gg_palette("palette.colour.continuous",
                             function(given, n) given(seq(0, 1, length.out = n)))
  page
}

# The theme's own colours (ggplot2 4), as a function of how many; NULL where it has none.
gg_palette <- function(name, of) {
  given <- ggplot2::theme_get()[[name]]
  if (is.function(given)) return(function(n) of(given, n))
  if (!is.character(given) || length(given) < 2L) return(NULL)
  between <- grDevices::colorRampPalette(given)
  classes <- endsWith(name, "discrete")
  function(n) if (classes && n <= length(given)) given[seq_len(n)] else between(n)
}

# aes() from names of columns.
gg_columns <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

gg_layer <- function(rows, mark, p, page) {
  rows$panel <- factor(rows$panel, seq_along(p$panels))
  # ggplot2's sizes are in mm, those of base in characters and in 1/96 inch
  style <- list(colour = gg_shade(page, rows$ink), fill = gg_shade(page, rows$fill),
                shape = rows$shape, size = 1.8 * rows$size, linewidth = 0.4 * rows$width,
                linetype = rows$dash)
  told <- if (!is.null(rows$key)) {
    if (mark == "box") "fill"
    else c("colour", if (mark == "point" && !is.null(p$key$levels)) "shape")
  }
  # from version 4 on ggplot2 has the ink of the plot's own theme, where all of a layer is in ink
  own_ink <- all(rows$ink %in% 1) && mark != "box" &&
    utils::packageVersion("ggplot2") >= "4.0.0"
  add <- function(geom, ..., with = list()) {
    mapping <- if (length(told)) gg_columns(stats::setNames(rep("key", length(told)), told))
    set <- setdiff(c(if (!own_ink) "colour", ...), told)
    do.call(geom, c(list(mapping, rows), style[set], with))
  }
  switch(mark,
    point = add(ggplot2::geom_point, "fill", "shape", "size"),
    segment = add(ggplot2::geom_segment, "linewidth", "linetype"),
    line = add(ggplot2::geom_line, if (any(rows$width != 1)) "linewidth"),
    band = add(ggplot2::geom_ribbon, "fill"),
    box = add(ggplot2::geom_rect, "fill", "linewidth"),
    text = if (is.null(rows$clear)) add(ggplot2::geom_text, with = list(size = 3)) else {
      do.call(add, gg_clear())
    })
}

# Names beside their points, none over another: moved where ggrepel is, else left out.
gg_clear <- function() {
  if (!can_repel()) {
    return(list(ggplot2::geom_text, with = list(size = 3, check_overlap = TRUE, vjust = -0.9,
                                                show.legend = FALSE)))
  }
  list(ggrepel::geom_text_repel,
       with = list(size = 3, seed = 1L, max.overlaps = 20, min.segment.length = 0.2,
                   box.padding = 0.2, segment.size = 0.2, show.legend = FALSE))
}

can_repel <- function() requireNamespace("ggrepel", quietly = TRUE)

# Pale shades are a grey that lets the page through: a theme that is added later may be dark.
gg_shade <- function(page, share) {
  colours <- shade(page, share)
  pale <- which(share > 0 & share < 0.3)
  half <- grDevices::col2rgb(shade(page, 0.5))
  colours[pale] <- grDevices::rgb(half[1L], half[2L], half[3L], 2 * 255 * share[pale],
                                  maxColorValue = 255)
  colours
}

# Scales of colours and shapes.
gg_key <- function(p, page) {
  key <- p$key
  if (is.null(key)) return(NULL)
  title <- shorten(key$title, 22)
  if (is.null(key$levels)) {
    scale <- if (is.null(key$inks)) ggplot2::scale_colour_gradientn
             else ggplot2::scale_fill_gradientn
    return(scale(title, colours = key_colours(key, page, 16L),
                 na.value = if (is.null(key$inks)) shade(page, 0.55) else page$paper,
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
  if (is.null(axis$breaks)) {
    return(scale(expand = ends, guide = ggplot2::guide_axis(check.overlap = TRUE)))
  }
  scale(expand = ends, breaks = axis$breaks, labels = labels, minor_breaks = NULL,
        guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# Strips at the bottom are the titles of the axes there.
gg_panels <- function(p) {
  titles <- stats::setNames(p$panels, seq_along(p$panels))
  scales <- c("fixed", "free_x", "free_y", "free")[1L + p$x$free + 2L * p$y$free]
  below <- function(colour) {
    ggplot2::theme(strip.placement = "outside", strip.background = ggplot2::element_blank(),
                   strip.text = ggplot2::element_text(colour = colour))
  }
  list(ggplot2::facet_wrap("panel", nrow = p$rows, scales = scales, strip.position = p$strip,
                           labeller = ggplot2::as_labeller(titles)),
       ggplot2::theme(panel.spacing = ggplot2::unit(1, "lines"), strip.clip = "off"),
       if (p$strip == "bottom") below(ggplot2::calc_element("axis.title",
                                                            ggplot2::theme_get())$colour))
}
