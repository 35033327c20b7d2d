# A picture is what it shows, a tidy table (`data`), and how that is drawn, in words of no graphics
# system: layers, axes, panels, a key. draw_picture() draws it in base graphics, as_ggplot() in
# ggplot2. picture() has a method for each class that has a picture; its further arguments are those
# of plot().

picture <- function(x, ...) UseMethod("picture")

# Draws x, which plot() gives back.
show_picture <- function(x, ...) {
  draw_picture(picture(x, ...))
  invisible(x)
}

# panels: their titles, "" for none, at their top or bottom (strip), in so many rows; equal: has 1
# the same length on both axes? domains: how many are to be named, where not all may be.
new_picture <- function(data, layers, x, y, title = NULL, note = NULL, panels = "", rows = NULL,
                        strip = "top", equal = FALSE, key = NULL, domains = NULL) {
  layers <- Filter(Negate(is.null), layers)
  # side by side as long as they can be read
  if (identical(rows, 1L) && strip == "top" && length(panels) > 3L) rows <- NULL
  as.list(environment())
}

# breaks, labels: what is named on it, NULL for numbers; pad: what is left free at its ends, NULL
# for a share; free: is it another in each panel? upright: are names written across it?
picture_axis <- function(label = NULL, breaks = NULL, labels = as.character(breaks), pad = NULL,
                         free = FALSE, upright = FALSE) {
  as.list(environment())
}

# What colours tell: levels of a factor, with their shapes, or (NULL) numbers in a range. inks: ends
# of a scale of greys, NULL for colours; tiles: do they fill squares? shown: is it drawn beside the
# picture?
picture_key <- function(title, levels = NULL, shapes = NULL, range = NULL, inks = NULL,
                        tiles = FALSE, shown = TRUE) {
  as.list(environment())
}

# Marks at x and y, one a row: "point", "segment" and "box" (to xend, yend, infinite for the edge
# of the panel), "line" through all of a panel, "text". ink and fill are shares between paper (0)
# and ink (1). key: the value that gives the colour of a point or the filling of a box instead;
# styled: do the user's own arguments apply? on: the value on whose colour it lies, in ink or
# paper. Of text, if given: room (it has a width of 1), above, clear (not over another), align (0:
# from x on, 1: up to x). NULL where there is nothing to draw.
layer <- function(mark, x, y, ..., panel = 1L) {
  if (length(x) == 0L || length(panel) == 0L) return(NULL)
  data <- data.frame(panel = panel, x = x, y = y)
  style <- list(xend = data$x, yend = data$y, label = "", ink = 1, shape = 16, size = 1, width = 1,
                dash = 1)
  style <- utils::modifyList(style, list(...))
  if (is.null(style$fill)) style$fill <- style$ink
  data[names(style)] <- style
  data <- data[stats::complete.cases(data[c("x", "y", "xend", "yend")]), ]
  if (nrow(data)) structure(data, mark = mark)
}

# Squares shaded by value, with the value written in or a key beside them. tiles: data frame of
# column, row (factors), value, text, and perhaps mark (drawn around), dot; NA: crossed.
tile_picture <- function(tiles, title, xlab, ylab, key, equal = FALSE, note = NULL) {
  written <- any(nzchar(tiles$text))
  side <- function(label, column, ...) {
    picture_axis(label, seq_len(nlevels(column)), levels(column), pad = 0.05, ...)
  }
  range <- known_range(tiles$value)
  key <- picture_key(key, range = range, tiles = TRUE, shown = !written)
  new_picture(tiles, tile_layers(tiles, written), side(xlab, tiles$column, upright = equal),
              side(ylab, tiles$row), title, note, equal = equal, key = key)
}

tile_layers <- function(tiles, written) {
  x <- as.integer(tiles$column)
  y <- as.integer(tiles$row)
  empty <- which(is.na(tiles$value))
  marked <- which(as.logical(tiles$mark))
  dotted <- which(as.logical(tiles$dot))
  text <- which(nzchar(tiles$text))
  around <- function(half, rows, ...) {
    layer("box", x[rows] - half, y[rows] - half, xend = x[rows] + half, yend = y[rows] + half, ...)
  }
  list(around(0.5, seq_along(x), key = tiles$value, fill = 0, ink = if (written) 0 else NA_real_),
       layer("point", x[empty], y[empty], shape = 4, ink = 0.5),
       around(0.47, marked, on = tiles$value[marked], fill = NA_real_, width = 3),
       layer("point", x[dotted], y[dotted] - 0.32, on = tiles$value[dotted], size = 0.5),
       layer("text", x[text], y[text], label = tiles$text[text], on = tiles$value[text],
             room = 1))
}

known_range <- function(value) if (all(is.na(value))) c(0, 1) else range(value, na.rm = TRUE)

# n colours of a key, or those of some of its values.
key_colours <- function(key, page, n) {
  if (is.null(key$inks)) {
    if (!is.null(key$levels)) return(class_colours(page, n))
    return(if (is.null(page$numbers)) colour_scale(page, n, key$tiles) else page$numbers(n))
  }
  shade(page, seq(key$inks[1L], key$inks[2L], length.out = n))
}

colours_of <- function(values, key, page) {
  if (!is.null(key$levels)) return(key_colours(key, page, length(key$levels))[as.integer(values)])
  share <- (values - key$range[1L]) / max(diff(key$range), .Machine$double.xmin)
  key_colours(key, page, 65L)[1L + round(64 * share)]
}

# Of marks: ink, or what can be read on the colour under them.
ink_colours <- function(rows, key, page) {
  ink <- shade(page, rows$ink)
  if (is.null(rows$on)) return(ink)
  known <- !is.na(rows$on)
  ink[known] <- written_on(page, colours_of(rows$on[known], key, page))
  ink
}

# Names on a horizontal axis of so many inches: a few are broken into lines, after brackets too.
across <- function(axis, inches, panels) {
  n <- length(axis$labels) / if (axis$free) panels else 1L
  if (axis$upright || n > 6L || n == 0L) return(shorten(axis$labels, 16))
  broken <- gsub("(", "( ", axis$labels, fixed = TRUE)
  broken <- fit_text(broken, characters_in(inches / n, at_least = 13), 4L)
  gsub("( ", "(", broken, fixed = TRUE)
}

#' @exportS3Method
plot.dg_spec <- function(x, ...) {
  abort("argument", "`x`, ", describe(x), ", has no picture: fit it to data, or plot the result ",
        "of dg_cv().")
}
