# A picture is what it shows, a tidy table (`data`), and how that is drawn, in words of no graphics
# system: layers, axes, panels, a key. draw_picture() draws it in base graphics, as_ggplot() in
# ggplot2. picture() has a method for each class that has a picture; its further arguments are those
# of plot().

picture <- function(x, ...) UseMethod("picture")

#' @exportS3Method
picture.default <- function(x, ...) {
  abort("argument", "`x`, ", describe(x), ", has no picture.")
}

# Draws x, which plot() gives back.
show_picture <- function(x, ...) {
  draw_picture(picture(x, ...))
  invisible(x)
}

# panels: their titles, "" for none, at their top or bottom (strip), in so many rows (NULL: as
# ggplot2 does, NA: by the shape of the page); equal: has 1 the same length on both axes? domains:
# how many are to be named, where not all may be; caption: what marks mean, in small letters below.
new_picture <- function(data, layers, x, y, title = NULL, note = NULL, panels = "", rows = NULL,
                        strip = "top", equal = FALSE, key = NULL, domains = NULL,
                        caption = NULL) {
  layers <- Filter(Negate(is.null), layers)
  as.list(environment())
}

# breaks, labels: what is named on it, NULL for numbers; pad: what is left free at its ends, NULL
# for a share; free: is it another in each panel? upright: are names written across it?
picture_axis <- function(label = NULL, breaks = NULL, labels = as.character(breaks), pad = NULL,
                         free = FALSE, upright = FALSE) {
  as.list(environment())
}

# What colours tell: levels of a factor, with their shapes, or (NULL) numbers in a range. inks: ends
# of a scale of greys, NULL for colours; marked: is the last level in an accent colour, the others
# grey? shown: is it drawn beside the picture?
picture_key <- function(title, levels = NULL, shapes = NULL, range = NULL, inks = NULL,
                        marked = FALSE, shown = TRUE) {
  as.list(environment())
}

# Marks at x and y, one a row: "point", "segment" and "box" (to xend, yend, infinite for the edge
# of the panel), "line" through all of a panel, "band" from y to yend along it, "text". ink and fill
# are shares between paper (0) and ink (1). key: the value that gives the colour of a point or the
# filling of a box instead; styled: do the user's own arguments apply? Of text, if given: room (it
# has a width of 1), clear (beside its point, where it is not over another). NULL where there is
# nothing to draw.
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
tile_picture <- function(tiles, title, xlab, ylab, key, equal = FALSE, caption = NULL) {
  written <- any(nzchar(tiles$text))
  side <- function(label, column, ...) {
    picture_axis(label, seq_len(nlevels(column)), levels(column), pad = 0.05, ...)
  }
  range <- known_range(tiles$value)
  key <- picture_key(key, range = range, inks = tile_shade(range), shown = !written)
  new_picture(tiles, tile_layers(tiles, written), side(xlab, tiles$column, upright = equal),
              side(ylab, tiles$row), title, equal = equal, key = key, caption = caption)
}

tile_layers <- function(tiles, written) {
  x <- as.integer(tiles$column)
  y <- as.integer(tiles$row)
  # what lies on a dark square is light
  over <- as.numeric(tile_shade(tiles$value) <= 0.45)
  empty <- which(is.na(tiles$value))
  marked <- which(as.logical(tiles$mark))
  dotted <- which(as.logical(tiles$dot))
  text <- which(nzchar(tiles$text))
  around <- function(half, rows, ...) {
    layer("box", x[rows] - half, y[rows] - half, xend = x[rows] + half, yend = y[rows] + half, ...)
  }
  list(around(0.5, seq_along(x), key = tiles$value, fill = 0, ink = if (written) 0 else NA_real_),
       layer("point", x[empty], y[empty], shape = 4, ink = 0.5),
       around(0.47, marked, ink = over[marked], fill = NA_real_, width = 3),
       layer("point", x[dotted], y[dotted] - 0.32, ink = over[dotted], size = 0.5),
       layer("text", x[text], y[text], label = tiles$text[text], ink = over[text], room = 1))
}

# Not to full ink, which marks and text need.
tile_shade <- function(value) {
  range <- known_range(value)
  if (diff(range) == 0) return(ifelse(is.na(value), NA_real_, 0.4))
  0.05 + 0.8 * (value - range[1L]) / diff(range)
}

known_range <- function(value) if (all(is.na(value))) c(0, 1) else range(value, na.rm = TRUE)

# n colours of a key, or those of some of its values.
key_colours <- function(key, page, n) {
  if (key$marked) return(c(shade(page, rep(0.55, n - 1L)), accent))
  if (is.null(key$inks) && length(key$levels)) return(class_colours(page, n))
  if (is.null(key$inks) && is.function(page$numbers)) return(page$numbers(n))
  if (is.null(key$inks)) return(colour_scale(page, n))
  shade(page, seq(key$inks[1L], key$inks[2L], length.out = n))
}

colours_of <- function(values, key, page) {
  if (!is.null(key$levels)) return(key_colours(key, page, length(key$levels))[as.integer(values)])
  share <- (values - key$range[1L]) / max(diff(key$range), .Machine$double.xmin)
  key_colours(key, page, 65L)[1L + round(64 * share)]
}

# Names on a horizontal axis of so many inches: a few are broken into lines, after brackets too.
across <- function(axis, inches, panels) {
  n <- length(axis$labels) / if (axis$free) panels else 1L
  if (axis$upright || n > 6L || n == 0L) return(shorten(axis$labels, 16))
  broken <- gsub("(", "( ", axis$labels, fixed = TRUE)
  broken <- fit_text(broken, max(floor(2 * inches / n / graphics::par("cin")[2L]), 13), 4L)
  gsub("( ", "(", broken, fixed = TRUE)
}

#' @exportS3Method
plot.dg_fit <- function(x, ...) {
  abort("argument", "`x`, ", describe(x), ", has no picture: plot(domain_map(x)) shows its ",
        "domains, plot(dg_cv(x)) how well it does on them.")
}

#' @exportS3Method
plot.dg_spec <- plot.dg_fit
