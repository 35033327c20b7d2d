# Pictures in base graphics, plainly. A picture with one panel has its numbers as coordinates, so
# that users can add to it. Several panels lie side by side in one plot, measured in inches, so that
# a page that is divided (`par(mfrow)`) stays so.

# style: the user's own arguments of points().
draw_picture <- function(p, style = list()) {
  page <- base_page()
  p <- lay_out(p)
  with_page({
    graphics::plot.new()
    places <- panel_places(p)
    for (i in seq_along(places)) named <- draw_panel(p, i, places[[i]], page, style)
    p$note <- c(if (length(p$domains)) note_unnamed(named, p$domains), p$note)
    box <- list(x = range(lapply(places, `[[`, "x")), y = range(lapply(places, `[[`, "y")))
    draw_titles(p, box, page)
    if (length(p$key) && p$key$shown) draw_key(p$key, box, page, style)
  }, mar = p$mar)
}

# With names, titles and rows of panels as they fit, and in lines of text: what titles of panels, and
# names below and left of a panel take, the gaps between panels, and the margins.
lay_out <- function(p) {
  n <- length(p$panels)
  p$grid <- if (is.null(p$rows)) rev(grDevices::n2mfrow(n)) else c(1L, n)
  line <- line_size()
  page <- graphics::par("fin") / line
  p$y$labels <- fit_text(p$y$labels, max(floor(page[1L] / 1.5), 8), lines = if (
    page[2L] > 2.5 * length(p$y$labels) + 6) 2L else 1L)
  key <- if (length(p$key) && p$key$shown) unlist(p$key[c("title", "levels")])
  right <- if (is.null(key)) 0.8 else 0.45 * widest(shorten(key, 22)) + 3
  left <- 1 + 0.45 * max(widest(p$y$labels), if (is.null(p$y$breaks)) 5)
  outer <- left + if (length(p$y$label)) 1.3 else 0
  gap <- if (p$y$free) left + 0.3 else 0.8
  p$width <- line * (page[1L] - outer - right) / p$grid[2L] - line * gap
  p$x$labels <- across(p$x, p$width, n)
  p$panels <- fit_text(p$panels, characters_in(p$width, graphics::par("cex")), 3L)
  p$title <- fit_text(p$title, characters_in(page[1L] * line, graphics::par("cex")), 2L)
  p$strips <- if (any(nzchar(p$panels))) number_of_lines(p$panels) + 0.3 else 0
  p$below <- 1 + if (p$x$upright) 0.45 * widest(p$x$labels) else number_of_lines(p$x$labels)
  under <- p$below + if (p$strip == "bottom") p$strips else 0
  p$gap <- line * c(gap, if (p$x$free) under + 0.5 else p$strips + 0.5)
  p$mar <- c(under + if (length(p$x$label)) 1.8 else 0.4, outer,
             1 + number_of_lines(p$title) + max(length(p$note), length(p$domains)) +
               if (p$strip == "top") p$strips else 0, right)
  p
}

# A line of text in inches.
line_size <- function() graphics::par("cin")[2L] * graphics::par("cex")

# For each panel list(x, y: from where to where in the plot, limits, at: its row and column).
panel_places <- function(p) {
  limits <- lapply(seq_along(p$panels), function(i) {
    list(x = limits_of(p, "x", i), y = limits_of(p, "y", i))
  })
  if (length(limits) == 1L) {
    graphics::plot.window(limits[[1L]]$x, limits[[1L]]$y, asp = if (p$equal) 1 else NA, xaxs = "i",
                          yaxs = "i")
    return(list(c(limits[[1L]], list(limits = limits[[1L]]))))
  }
  size <- graphics::par("pin")
  graphics::plot.window(c(0, size[1L]), c(0, size[2L]), xaxs = "i", yaxs = "i")
  own <- pmax((size - (rev(p$grid) - 1) * p$gap) / rev(p$grid), 0.05)
  lapply(seq_along(limits), function(i) {
    from <- c((i - 1L) %% p$grid[2L], (i - 1L) %/% p$grid[2L]) * (own + p$gap)
    list(x = from[1L] + c(0, own[1L]), y = size[2L] - from[2L] - c(own[2L], 0), limits = limits[[i]])
  })
}

# Of a panel, or of all on a common axis.
limits_of <- function(p, side, panel) {
  axis <- p[[side]]
  values <- unlist(lapply(p$layers, function(l) {
    l[if (axis$free) l$panel == panel else TRUE, c(side, paste0(side, "end"))]
  }))
  range <- range(values[is.finite(values)])
  if (!is.null(axis$pad)) return(range + c(-1, 1) * axis$pad)
  range + c(-0.04, 0.04) * if (diff(range) > 0) diff(range) else max(abs(range[1L]), 1e-6)
}

# Values of a panel in coordinates of the plot.
placed <- function(values, place, side) {
  limits <- place$limits[[side]]
  within <- pmin(pmax(values, limits[1L]), limits[2L])
  place[[side]][1L] + (within - limits[1L]) / diff(limits) * diff(place[[side]])
}

# How many names were written: within, or beside.
draw_panel <- function(p, i, place, page, style) {
  named <- unlist(lapply(p$layers, function(l) {
    rows <- l[l$panel == i, ]
    if (nrow(rows)) draw_layer(attr(l, "mark"), rows, place, p$key, page, style)
  }))
  graphics::rect(place$x[1L], place$y[1L], place$x[2L], place$y[2L], border = page$ink)
  if (p$x$free || i + p$grid[2L] > length(p$panels)) {
    draw_axis(p$x, 1L, place, "x", if (p$x$upright) 2L else 1L)
  }
  if (p$y$free || (i - 1L) %% p$grid[2L] == 0L) {
    beside <- draw_axis(p$y, 2L, place, "y", 1L)
    if (is.null(named)) named <- beside
  }
  top <- p$strip == "top"
  write_beside(mean(place$x), if (top) place$y[2L] else place$y[1L],
               p$panels[i], page, c(0.5, if (top) 0 else 1), if (top) 0.3 else -p$below)
  named
}

# As many names as there is room for, or for those side by side as axis() finds; how many.
draw_axis <- function(axis, number, place, side, las) {
  limits <- place$limits[[side]]
  at <- if (is.null(axis$breaks)) pretty(limits) else axis$breaks
  inside <- which(at >= limits[1L] & at <= limits[2L])
  along <- side == "x" && las == 1L
  line <- (if (side == "x") graphics::xinch else graphics::yinch)(0.9 * line_size())
  if (!along) inside <- inside[thin(length(inside), max(diff(place[[side]]) %/% line, 2))]
  graphics::axis(number, placed(at[inside], place, side), las = las, cex.axis = 0.9, tcl = -0.25,
                 pos = place[[if (side == "x") "y" else "x"]][1L], lwd = 0, lwd.ticks = 1,
                 mgp = c(3, 0.4, 0), padj = if (along) 1 else NA, gap.axis = if (along) 0.2 else -1,
                 labels = if (is.null(axis$breaks)) format(at[inside], trim = TRUE)
                          else axis$labels[inside])
  length(inside)
}

# So many lines above (or left of, upright) a point.
write_beside <- function(x, y, text, page, adj, lines, ...) {
  if (length(text)) graphics::text(x, y + graphics::yinch(lines * line_size()), text, adj = adj,
                                   col = page$ink, xpd = NA, ...)
}

draw_layer <- function(mark, rows, place, key, page, style) {
  x <- placed(rows$x, place, "x")
  y <- placed(rows$y, place, "y")
  xend <- placed(rows$xend, place, "x")
  yend <- placed(rows$yend, place, "y")
  ink <- shade(page, rows$ink)
  fill <- shade(page, rows$fill)
  told <- if (!is.null(rows$key)) colours_of(rows$key, key, page)
  if (mark == "box") fill[!is.na(told)] <- told[!is.na(told)]
  else ink[!is.na(told)] <- told[!is.na(told)]
  if (is.null(rows$styled)) style <- list()
  switch(mark,
    point = do.call(graphics::points, utils::modifyList(
      list(x = x, y = y, col = ink, bg = fill, pch = rows$shape, cex = rows$size), style)),
    segment = graphics::segments(x, y, xend, yend, col = ink, lwd = rows$width, lty = rows$dash),
    line = graphics::lines(x, y, col = ink[1L]),
    box = graphics::rect(x, y, xend, yend, col = fill, border = ink, lwd = rows$width),
    text = return(draw_text(rows, x, y, place, ink)))
  NULL
}

draw_text <- function(rows, x, y, place, ink) {
  wide <- graphics::strwidth(rows$label, cex = 0.8)
  tall <- graphics::strheight("M", cex = 0.8)
  room <- if (is.null(rows$room)) Inf else diff(place$x) / diff(place$limits$x)
  # too small to be read, the shades must do
  if (max(wide) > 1.5 * room) return()
  if (!is.null(rows$above)) y <- y + 1.4 * tall
  shown <- integer()
  for (i in seq_along(x)) {
    clash <- abs(x[shown] - x[i]) < (wide[shown] + wide[i]) / 2 & abs(y[shown] - y[i]) < 1.5 * tall
    if (!any(clash) || is.null(rows$clear)) shown <- c(shown, i)
  }
  graphics::text(x[shown], y[shown], rows$label[shown], col = ink[shown], xpd = NA,
                 cex = 0.8 * min(1, 0.9 * room / max(wide)))
  if (!is.null(rows$clear)) length(shown)
}

draw_titles <- function(p, box, page) {
  strips <- if (p$strip == "top") p$strips else 0
  below <- p$below + p$strips - strips
  middle <- mean(box$x)
  left <- box$x[1L] - graphics::xinch(line_size() * (p$mar[2L] - 1.2))
  write_beside(middle, box$y[1L], p$x$label, page, c(0.5, 1), -below - 0.2)
  write_beside(left, mean(box$y), p$y$label, page, c(0.5, 0), 0, srt = 90)
  write_beside(middle, box$y[2L], paste(p$note, collapse = "; "), page, c(0.5, 0), strips + 0.3, cex = 0.85)
  write_beside(middle, box$y[2L], p$title, page, c(0.5, 0),
               strips + (length(p$note) > 0) + 0.4)
}

draw_key <- function(key, box, page, style) {
  values <- seq_along(key$levels)
  if (is.null(key$levels)) {
    values <- rev(pretty(key$range, 4L))
    values <- values[values >= key$range[1L] & values <= key$range[2L]]
  }
  colours <- colours_of(values, key, page)
  room <- graphics::par("fin")[2L] / line_size() / (length(values) + 2)
  graphics::legend(box$x[2L], mean(box$y), yjust = 0.5, bty = "n", xpd = NA, text.col = page$ink,
                   title = shorten(key$title, 22), cex = min(0.9, room), pt.cex = 1.2,
                   legend = if (is.null(key$levels)) values else shorten(key$levels, 22),
                   pt.bg = colours, pch = if (!is.null(style$pch)) style$pch
                                          else if (is.null(key$levels)) 22 else key$shapes,
                   col = if (!is.null(style$col)) style$col
                         else if (is.null(key$levels)) page$ink else colours)
}
