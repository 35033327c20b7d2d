# What all ggplot2 pictures share. ggplot2 is only suggested: its functions are called when its
# autoplot() has been, so that it is there.

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

gg_facets <- function(column) stats::reformulate(column)

# Names of rows: shortened, and left out where they would overlap.
gg_row_scale <- function(width = 24) {
  ggplot2::scale_y_discrete(labels = function(labels) shorten(labels, width),
                            guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# Facets whose strips are the titles of the axes below them.
gg_panels <- function(plot, ...) {
  plot + ggplot2::facet_wrap(gg_facets("panel"), strip.position = "bottom", ...) +
    ggplot2::theme(strip.placement = "outside", strip.background = ggplot2::element_blank(),
                   strip.text = ggplot2::element_text(colour = axis_colour()),
                   panel.spacing = ggplot2::unit(1, "lines"))
}

axis_colour <- function() ggplot2::calc_element("axis.title", ggplot2::theme_get())$colour

# As draw_tiles().
gg_tiles <- function(tiles, title, xlab, ylab, key) {
  page <- gg_page()
  written <- any(nzchar(tiles$text))
  tiles$ink <- tile_ink(page, tiles$value)
  marked <- tiles[which(tiles$mark), ]
  ends <- shade(page, range(tile_shade(tiles$value), na.rm = TRUE))
  plot <- ggplot2::ggplot(tiles, gg_columns(x = "column", y = "row")) +
    ggplot2::geom_tile(gg_columns(fill = "value"), colour = if (written) page$paper else NA) +
    ggplot2::scale_fill_gradient(key, low = ends[1L], high = ends[2L],
                                 na.value = page$paper,
                                 guide = if (written) "none" else "colourbar") +
    ggplot2::geom_point(data = tiles[is.na(tiles$value), ], shape = 4L, colour = shade(page, 0.5)) +
    ggplot2::geom_tile(data = marked, fill = NA, colour = marked$ink, linewidth = 1.2,
                       width = 0.94, height = 0.94) +
    ggplot2::scale_x_discrete(labels = function(labels) shorten(labels, 16),
                              guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    gg_row_scale(16) + ggplot2::labs(title = title, x = xlab, y = ylab)
  if (!written) return(plot)
  plot + ggplot2::geom_text(gg_columns(label = "text", colour = "ink"), size = 3) +
    ggplot2::scale_colour_identity()
}
