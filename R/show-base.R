# Pictures in base graphics, plainly. A picture with one panel has its numbers as coordinates, so
# that users can add to it. Several panels lie side by side in one plot, measured in inches, so that
# a page that is divided (`par(mfrow)`) stays so.

# style: the user's own arguments of points().
draw_picture <- function(p, style = list()) {
  page <- base_page()
  old <- graphics::par(c("cex", "mar"))
  on.exit(graphics::par(old))
  # on a small page letters are smaller
  graphics::par(cex = old$cex * small_page())
  p <- lay_out(p)
  graphics::par(mar = p$mar)
  graphics::plot.new()
  places <- panel_places(p)
  for (i in seq_along(places)) named <- draw_panel(p, i, places[[i]], page, style)
  p$note <- c(if (length(p$domains)) note_unnamed(named, p$domains), p$note)
  box <- list(x = range(lapply(places, `[[`, "x")), y = range(lapply(places, `[[`, "y")))
  draw_titles(p, box, page)
  if (length(p$key) && p$key$shown) draw_key(p$key, box, page, style)
}

# At most 1: for pages below 5.5 by 3 inches, as in a column of a paper.
small_page <- function() min(1, max(0.7, min(graphics::par("fin") / c(5.5, 3))))

# A line of text in inches, and lines in coordinates of the plot.
line_size <- function() graphics::par("cin")[2L] * graphics::par("cex")

in_lines <- function(n) {
  list(x = graphics::xinch(n * line_size()), y = graphics::yinch(n * line_size()))
}

# Adds rows and columns of panels (grid), names as they fit, the margins, and in lines of text what
# names below (below) and titles of panels (over, under) take.
lay_out <- function(p) {
  n <- length(p$panels)
  line <- line_size()
  page <- graphics::par("fin") / line
  if (anyNA(p$rows)) p$rows <- panel_rows(n, page[1L] / page[2L])
  p$grid <- if (is.null(p$rows)) rev(grDevices::n2mfrow(n)) else c(p$rows, ceiling(n / p$rows))
  # a character is about half as wide as high
  fit <- function(text, width, lines) fit_text(text, max(floor(2 * width), 8), lines)
  p$y$labels <- fit(p$y$labels, page[1L] / 3, 1L + (page[2L] > 2.5 * length(p$y$labels) + 6))
  key <- if (length(p$key) && p$key$shown) shorten(c(p$key$title, p$key$levels), 22)
  right <- if (is.null(key)) 0.8 else 0.45 * widest(key) + 3
  left <- 1 + 0.45 * max(widest(p$y$labels), if (is.null(p$y$breaks)) 5)
  beside <- left + if (length(p$y$label)) 1.3 else 0
  gap <- if (p$y$free) left + 0.3 else 0.8
  wide <- (page[1L] - beside - right) / p$grid[2L] - gap
  p$x$labels <- across(p$x, line * wide, n)
  p$panels <- fit(p$panels, 1.15 * wide, 3L)
  p$title <- fit(p$title, page[1L], 2L)
  # where there is little room, the picture comes first
  p$caption <- if (length(p$caption) && page[2L] > 14) {
    fit_text(p$caption, max(floor(2 * page[1L] / 0.75), 8), 4L)
  }
  p$below <- 0.7 + if (p$x$upright) 0.45 * widest(p$x$labels)
                   else max(number_of_lines(p$x$labels), 1)
  strips <- if (any(nzchar(p$panels))) 0.9 * number_of_lines(p$panels) + 0.3 else 0
  p$over <- if (p$strip == "top") strips else 0
  p$under <- p$below + strips - p$over
  p$gap <- line * c(gap, 0.5 + p$over + if (p$x$free) p$under else 0)
  caption <- if (length(p$caption)) 0.3 + 0.75 * number_of_lines(p$caption) else 0
  p$mar <- c(p$under + (if (length(p$x$label)) 1.8 else 0.4) + caption, beside,
             1 + p$over + number_of_lines(p$title) + max(length(p$note), length(p$domains)), right)
  p
}

# For each panel list(x, y: from where to where in the plot, limits).
panel_places <- function(p) {
  limits <- lapply(seq_along(p$panels), function(i) {
    list(x = limits_of(p, "x", i), y = limits_of(p, "y", i))
  })
  window <- function(x, y, ...) graphics::plot.window(x, y, xaxs = "i", yaxs = "i", ...)
  if (length(limits) == 1L) {
    window(limits[[1L]]$x, limits[[1L]]$y, asp = if (p$equal) 1 else NA)
    return(list(c(limits[[1L]], list(limits = limits[[1L]]))))
  }
  size <- graphics::par("pin")
  window(c(0, size[1L]), c(0, size[2L]))
  own <- pmax((size - (rev(p$grid) - 1) * p$gap) / rev(p$grid), 0.05)
  lapply(seq_along(limits), function(i) {
    from <- c((i - 1L) %% p$grid[2L], (i - 1L) %/% p$grid[2L]) * (own + p$gap)
    list(x = from[1L] + c(0, own[1L]), y = size[2L] - from[2L] - c(own[2L], 0),
         limits = limits[[i]])
  })
}

# Of a panel, or of all on a common axis.
limits_of <- function(p, side, panel) {
  axis <- p[[side]]
  values <- unlist(lapply(p$layers, function(l) {
    l[if (axis$free) l$panel == panel else TRUE, c(side, paste0(side, "end"))]
  }))
  range <- range(values[is.finite(values)])
  pad <- 0.04 * if (diff(range) > 0) diff(range) else if (range[1L] != 0) abs(range[1L]) else 1
  range + c(-1, 1) * if (is.null(axis$pad)) pad else axis$pad
}

# Values of a panel in coordinates of the plot.
placed <- function(values, place, side) {
  limits <- place$limits[[side]]
  share <- (pmin(pmax(values, limits[1L]), limits[2L]) - limits[1L]) / diff(limits)
  place[[side]][1L] + share * diff(place[[side]])
}

# How many names were written: within, or beside.
draw_panel <- function(p, i, place, page, style) {
  named <- unlist(lapply(p$layers, function(l) {
    rows <- l[l$panel == i, ]
    if (nrow(rows)) draw_layer(attr(l, "mark"), rows, place, p$key, page, style)
  }))
  graphics::rect(place$x[1L], place$y[1L], place$x[2L], place$y[2L], border = page$ink)
  if (p$x$free || i + p$grid[2L] > length(p$panels)) draw_axis(p$x, "x", place, page)
  beside <- if (p$y$free || (i - 1L) %% p$grid[2L] == 0L) draw_axis(p$y, "y", place, page)
  top <- p$strip == "top"
  at <- if (top) place$y[2L] + in_lines(0.3)$y else place$y[1L] - in_lines(p$below)$y
  write_at(mean(place$x), at, p$panels[i], page, c(0.5, if (top) 0 else 1), cex = 0.9)
  if (is.null(named)) beside else named
}

# As many names as there is room for; how many. Those side by side axis() leaves out.
draw_axis <- function(axis, side, place, page) {
  limits <- place$limits[[side]]
  at <- if (is.null(axis$breaks)) pretty(limits) else axis$breaks
  labels <- if (is.null(axis$breaks)) format(at, trim = TRUE) else axis$labels
  shown <- which(at >= limits[1L] & at <= limits[2L])
  along <- side == "x" && !axis$upright
  room <- diff(place[[side]]) %/% in_lines(0.9)[[side]]
  # what lies at the top matters most
  if (!along) shown <- rev(rev(shown)[thin(length(shown), max(room, 2))])
  else if (is.null(axis$breaks)) {
    shown <- shown[clear_of_edge(placed(at[shown], place, side), labels[shown], place$x)]
  }
  graphics::axis(if (side == "x") 1L else 2L, placed(at[shown], place, side), labels[shown],
                 las = if (along) 1L else 2L, gap.axis = if (along) 0.2 else -1,
                 padj = if (along) 1 else NA,
                 mgp = c(0, if (along) -0.2 else 0.4, 0), tcl = -0.25, cex.axis = 0.9,
                 pos = place[[if (side == "x") "y" else "x"]][1L], lwd = 0, lwd.ticks = 1,
                 col.ticks = page$ink, col.axis = page$ink)
  length(shown)
}

# Numbers side by side that do not reach far beyond their panel, into those of the next.
clear_of_edge <- function(at, labels, edges) {
  half <- graphics::strwidth(labels, cex = 0.9) / 2
  beyond <- pmax(edges[1L] - (at - half), at + half - edges[2L])
  kept <- beyond < in_lines(0.35)$x
  if (sum(kept) < 2L) TRUE else kept
}

write_at <- function(x, y, text, page, adj, ...) {
  if (length(text)) graphics::text(x, y, text, adj = adj, col = page$ink, xpd = NA, ...)
}

draw_layer <- function(mark, rows, place, key, page, style) {
  x <- lapply(rows[c("x", "xend")], placed, place, "x")
  y <- lapply(rows[c("y", "yend")], placed, place, "y")
  of <- list(ink = shade(page, rows$ink), fill = shade(page, rows$fill))
  told <- if (!is.null(rows$key)) colours_of(rows$key, key, page)
  of[[if (mark == "box") "fill" else "ink"]][!is.na(told)] <- told[!is.na(told)]
  if (is.null(rows$styled)) style <- list()
  point <- list(x = x$x, y = y$y, col = of$ink, bg = of$fill, pch = rows$shape, cex = rows$size)
  switch(mark,
    point = do.call(graphics::points, utils::modifyList(point, style)),
    segment = graphics::segments(x$x, y$y, x$xend, y$yend, of$ink, rows$dash, rows$width),
    line = graphics::lines(x$x, y$y, col = of$ink[1L], lwd = rows$width[1L]),
    band = graphics::polygon(c(x$x, rev(x$x)), c(y$y, rev(y$yend)), col = of$fill[1L], border = NA),
    box = graphics::rect(x$x, y$y, x$xend, y$yend, col = of$fill, border = of$ink,
                         lwd = rows$width),
    text = return(draw_text(rows, x$x, y$y, place, of$ink)))
  NULL
}

# Room is in coordinates of the panel.
draw_text <- function(rows, x, y, place, ink) {
  wide <- graphics::strwidth(rows$label, cex = 0.8)
  room <- if (is.null(rows$room)) Inf else diff(place$x) / diff(place$limits$x)
  # too small to be read, the shades must do
  if (max(wide) > 1.5 * room) return()
  if (!is.null(rows$clear)) {
    at <- clear_places(x, y, wide, 1.3 * graphics::strheight("M", cex = 0.8), place)
    x <- at$x
    y <- at$y
  }
  shown <- which(!is.na(x))
  graphics::text(x[shown], y[shown], rows$label[shown], col = ink[shown], xpd = NA,
                 cex = 0.8 * min(1, 0.9 * room / max(wide)))
  if (!is.null(rows$clear)) length(shown)
}

# Middles of names beside their points: the first of some places that is over no other point, name
# or edge; NA where there is none.
clear_places <- function(x, y, wide, tall, place) {
  dot <- graphics::strwidth("o", cex = 0.8) / 2
  free <- function(left, right, low, high) {
    inside <- left > place$x[1L] && right < place$x[2L] && low > place$y[1L] && high < place$y[2L]
    over <- x > left - dot & x < right + dot & y > low & y < high
    inside && !any(over) && !any(named[, 1L] < right & named[, 2L] > left & named[, 3L] < high &
                                   named[, 4L] > low, na.rm = TRUE)
  }
  named <- matrix(NA_real_, length(x), 4L)
  across <- c(0, 0, 1, -1, 1, -1, 1, -1)
  upward <- c(1, -1, 0, 0, 0.8, 0.8, -0.8, -0.8)
  for (i in seq_along(x)) for (k in seq_along(across)) {
    middle <- c(x[i] + across[k] * (wide[i] / 2 + 1.6 * dot), y[i] + upward[k] * 1.1 * tall)
    box <- c(middle[1L] + c(-0.5, 0.5) * wide[i], middle[2L] + c(-0.5, 0.5) * tall)
    if (free(box[1L], box[2L], box[3L], box[4L])) {
      named[i, ] <- box
      break
    }
  }
  list(x = (named[, 1L] + named[, 2L]) / 2, y = (named[, 3L] + named[, 4L]) / 2)
}

draw_titles <- function(p, box, page) {
  line <- in_lines(1)
  middle <- mean(box$x)
  top <- box$y[2L] + line$y * (p$over + 0.3)
  write_at(middle, box$y[1L] - line$y * (p$under + 0.2), p$x$label, page, c(0.5, 1))
  write_at(box$x[1L] - line$x * (p$mar[2L] - 1.2), mean(box$y), p$y$label, page, c(0.5, 0),
           srt = 90)
  write_at(middle, top, paste(p$note, collapse = "; "), page, c(0.5, 0), cex = 0.85)
  left <- graphics::grconvertX(0, "nfc", "user") + line$x * 0.5
  write_at(left, box$y[1L] - line$y * (p$mar[1L] - 0.1 - 0.75 * number_of_lines(p$caption)),
           p$caption, page, c(0, 1), cex = 0.75)
  write_at(middle, top + line$y * (length(p$note) > 0), p$title, page, c(0.5, 0))
}

draw_key <- function(key, box, page, style) {
  if (is.null(key$levels)) return(draw_bar(key, box, page))
  colours <- colours_of(seq_along(key$levels), key, page)
  look <- utils::modifyList(list(pch = key$shapes, col = colours), style)
  room <- graphics::par("fin")[2L] / line_size() / (length(colours) + 2)
  graphics::legend(box$x[2L], mean(box$y), shorten(key$levels, 22), yjust = 0.5, bty = "n",
                   xpd = NA, text.col = page$ink, pt.bg = colours, pch = look$pch, col = look$col,
                   title = shorten(key$title, 22), cex = min(0.9, room), pt.cex = 1.2)
}

# A scale with a few round numbers.
draw_bar <- function(key, box, page) {
  line <- in_lines(1)
  half <- min(0.4 * diff(box$y), 4 * line$y)
  left <- box$x[2L] + 0.8 * line$x
  right <- left + 0.9 * line$x
  height <- function(share) mean(box$y) + half * (2 * share - 1)
  slices <- height(seq(0, 1, length.out = 65L))
  graphics::rect(left, slices[-65L], right, slices[-1L], col = key_colours(key, page, 64L),
                 border = NA, xpd = NA)
  graphics::rect(left, slices[1L], right, slices[65L], border = page$ink, xpd = NA)
  ticks <- pretty(key$range, 4L)
  ticks <- ticks[ticks >= key$range[1L] & ticks <= key$range[2L]]
  at <- height((ticks - key$range[1L]) / max(diff(key$range), .Machine$double.xmin))
  graphics::segments(right, at, right + 0.25 * line$x, at, col = page$ink, xpd = NA)
  write_at(right + 0.4 * line$x, at, if (length(ticks)) format(ticks), page, c(0, 0.5), cex = 0.8)
  write_at(left, slices[65L] + 0.5 * line$y, shorten(key$title, 22), page, c(0, 0), cex = 0.9)
}
