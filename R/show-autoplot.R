# Pictures in ggplot2, which is only suggested: its functions are called when its autoplot() has
# been, so that it is there.

as_ggplot <- function(p) {
  page <- gg_page()
  plot <- ggplot2::ggplot(mapping = gg_places())
  for (layer in p$layers) plot <- plot + gg_layer(layer, attr(layer, "mark"), p, page)
  inches <- gg_inches()
  p <- gg_fit(p, inches)
  names <- across(p$x, (inches - 1) / p$columns, length(p$panels))
  plot <- plot + gg_key(p, page) + gg_axis(p$x, names, ggplot2::scale_x_continuous) +
    gg_axis(p$y, shorten(p$y$labels, 24), ggplot2::scale_y_continuous) +
    ggplot2::labs(title = p$title, caption = p$note, x = p$x$label, y = p$y$label)
  upright <- function() ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5)
  plot + list(if (p$equal) ggplot2::coord_equal(clip = "off"),
              if (any(nzchar(p$panels))) gg_panels(p),
              if (p$x$upright) ggplot2::theme(axis.text.x = upright()))
}

# How wide the open device is, else six inches.
gg_inches <- function() {
  if (grDevices::dev.cur() == 1L) return(6)
  min(max(grDevices::dev.size()[1L], 3), 12)
}

# Titles, captions and panels' titles in lines that fit on so many inches.
gg_fit <- function(p, inches) {
  size <- function(name) {
    size <- ggplot2::calc_element(name, ggplot2::theme_get())$size
    if (is.null(size)) 11 else as.numeric(size)
  }
  # a character is about half as wide as high
  wide <- function(inches, name) max(floor(inches / (0.52 * size(name) / 72)), 10)
  p$columns <- if (is.null(p$rows)) rev(grDevices::n2mfrow(length(p$panels)))[2L]
               else length(p$panels)
  # at most four panels side by side are readable
  key <- if (length(p$key) && p$key$shown) 0.5 + 0.08 * widest(c(p$key$title, p$key$levels)) else 0
  panel <- (inches - 0.8 - key) / p$columns - 0.15
  if (length(p$title)) p$title <- fit_text(p$title, wide(inches - 0.8, "plot.title"), 3L)
  if (length(p$note)) {
    p$note <- fit_text(paste(p$note, collapse = "; "), wide(inches - 0.6, "plot.caption"), 4L)
  }
  p$inches <- panel * if (p$equal) 0.8 else 1
  p$panels <- fit_text(p$panels, wide(panel, "strip.text"), 3L)
  p
}

# Ink and paper of the current theme, and its palettes where it has some (ggplot2 4).
gg_page <- function() {
  element <- function(name) {
    on_error(ggplot2::calc_element(name, ggplot2::theme_get()), function(e) NULL)
  }
  fills <- c(element("panel.background")$fill, element("plot.background")$fill)
  ink <- element("text")$colour
  # a grey panel of a theme with dark text is light enough to be paper
  page <- as_page(if (is.null(ink)) "black" else ink,
                  c(fills[!vapply(fills, is_transparent, NA)], NA)[1L])
  page$classes <- gg_palette("palette.colour.discrete")
  page$numbers <- gg_palette("palette.colour.continuous")
  page
}

# A function of the number of colours, NULL where the theme has none.
gg_palette <- function(name) {
  given <- ggplot2::theme_get()[[name]]
  classes <- name == "palette.colour.discrete"
  if (is.character(given) && length(given) > 1L) {
    between <- grDevices::colorRampPalette(given)
    return(function(n) if (classes && n <= length(given)) given[seq_len(n)] else between(n))
  }
  if (!is.function(given)) return(NULL)
  # of numbers a palette is a function of shares
  function(n) if (classes) given(n) else given(seq(0, 1, length.out = n))
}

# A pale area is translucent, to be pale on the paper of a theme that comes later too.
gg_fills <- function(rows, page) {
  fills <- shade(page, rows$fill)
  pale <- which(rows$fill > 0 & rows$fill < 0.3)
  if (length(pale)) fills[pale] <- grDevices::adjustcolor("#808080", 1.6 * rows$fill[pale[1L]])
  fills
}

# aes() from names of columns.
gg_columns <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

# What all layers are placed by.
gg_places <- function() {
  gg_columns(x = "x", y = "y", xend = "xend", yend = "yend", xmin = "x", xmax = "xend", ymin = "y",
             ymax = "yend", label = "label")
}

gg_layer <- function(rows, mark, p, page) {
  rows$panel <- factor(rows$panel, seq_along(p$panels))
  # ggplot2's sizes are in mm, those of base in characters and in 1/96 inch
  style <- list(colour = ink_colours(rows, p$key, page),
                fill = if (mark == "box") gg_fills(rows, page) else shade(page, rows$fill),
                shape = rows$shape, size = 1.8 * rows$size, linewidth = 0.4 * rows$width,
                linetype = rows$dash)
  told <- if (!is.null(rows$key)) {
    if (mark == "box") "fill" else c("colour", if (!is.null(p$key$levels)) "shape")
  }
  add <- function(geom, ..., with = list()) {
    mapping <- if (length(told)) gg_columns(stats::setNames(rep("key", length(told)), told))
    do.call(geom, c(list(mapping, rows), style[setdiff(c("colour", ...), told)], with))
  }
  switch(mark,
    point = add(ggplot2::geom_point, "fill", "shape", "size"),
    segment = add(ggplot2::geom_segment, "linewidth", "linetype"),
    line = add(ggplot2::geom_line),
    box = add(ggplot2::geom_rect, "fill", "linewidth"),
    text = if (is.null(rows$clear)) {
      add(ggplot2::geom_text, with = list(
        size = gg_text_size(rows, p), vjust = if (is.null(rows$above)) 0.5 else -0.5,
        hjust = if (is.null(rows$align)) 0.5 else rows$align))
    } else gg_names(add))
}

# In mm; of text that has its room no more than fits.
gg_text_size <- function(rows, p) {
  if (is.null(rows$room)) return(3)
  room <- rows$room[1L] * p$inches / diff(limits_of(p, "x", 1L))
  max(min(3, 25.4 * 0.9 * room / (0.6 * widest(as.character(rows$label)))), 1.2)
}

# Names that are not to lie over each other: moved apart where ggrepel is, else left out.
gg_names <- function(add) {
  if (!requireNamespace("ggrepel", quietly = TRUE)) {
    return(add(ggplot2::geom_text, with = list(size = 3, vjust = -0.6, check_overlap = TRUE)))
  }
  add(ggrepel::geom_text_repel, with = list(
    size = 3, seed = 1L, max.overlaps = 12, segment.size = 0.2, min.segment.length = 0.3,
    box.padding = 0.2, point.padding = 0.15))
}

# Scales of colours and shapes.
gg_key <- function(p, page) {
  key <- p$key
  if (is.null(key)) return(NULL)
  title <- shorten(key$title, 22)
  if (is.null(key$levels)) {
    scale <- if (key$tiles) ggplot2::scale_fill_gradientn else ggplot2::scale_colour_gradientn
    return(scale(title, colours = key_colours(key, page, 16L),
                 na.value = if (key$tiles) page$paper else shade(page, 0.55),
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
  below <- function(colour) {
    ggplot2::theme(strip.placement = "outside", strip.background = ggplot2::element_blank(),
                   strip.text = ggplot2::element_text(colour = colour))
  }
  list(ggplot2::facet_wrap("panel", nrow = p$rows, ncol = if (is.null(p$rows)) p$columns,
                           scales = scales, strip.position = p$strip,
                           labeller = ggplot2::as_labeller(titles)),
       ggplot2::theme(panel.spacing = ggplot2::unit(1, "lines")),
       if (p$strip == "bottom") below(ggplot2::calc_element("axis.title",
                                                            ggplot2::theme_get())$colour))
}
