# Ink and paper of the page, so that pictures are readable on white, in grey and on a dark page:
# nothing is black or white by itself. A picture is a function that makes a data frame (its name
# ends in _frame), a drawing of it in base graphics and one in ggplot2.

# list(ink, paper) of the open device: par("fg") on par("bg").
base_page <- function() {
  as_page(graphics::par("fg"), graphics::par("bg"))
}

as_page <- function(ink, paper) {
  if (is.null(paper) || is.na(paper) || is_transparent(paper)) {
    paper <- if (lightness(ink) > 0.5) "black" else "white"
  }
  list(ink = ink, paper = paper)
}

is_transparent <- function(colour) grDevices::col2rgb(colour, alpha = TRUE)[4L] == 0

# Luminance, 0 to 1.
lightness <- function(colour) {
  drop(c(0.299, 0.587, 0.114) %*% grDevices::col2rgb(colour)) / 255
}

# Between paper (0) and ink (1).
shade <- function(page, share) {
  known <- !is.na(share)
  mixed <- grDevices::colorRamp(c(page$paper, page$ink))(pmin(pmax(share[known], 0), 1))
  colours <- rep(NA_character_, length(share))
  colours[known] <- grDevices::rgb(mixed, maxColorValue = 255)
  colours
}

# Colours of increasing lightness, in grey too, without those too near the paper's.
colour_scale <- function(page, n) {
  of <- grDevices::colorRamp(grDevices::hcl.colors(64L, "Viridis"))
  range <- if (lightness(page$paper) > 0.5) c(0, 0.8) else c(0.4, 1)
  grDevices::rgb(of(seq(range[1L], range[2L], length.out = n)), maxColorValue = 255)
}

# Shapes that differ without colour.
class_shapes <- function(n) rep_len(c(1, 17, 3, 15, 4, 16, 2, 0), n)

# Where rows with equal values are put beside each other: from -0.5 to 0.5, not at random.
spread_out <- function(n) (seq_len(n) * 0.618034) %% 1 - 0.5

# Evaluates the drawing with these parameters, and with text and axes in the ink of the page, then
# puts the old ones back.
with_page <- function(code, ...) {
  text <- c("col", "col.axis", "col.lab", "col.main", "col.sub")
  # a dark page has fg = "white", the others are black still
  plain <- text[vapply(text, function(name) identical(graphics::par(name), "black"), NA)]
  ink <- stats::setNames(rep(list(graphics::par("fg")), length(plain)), plain)
  new <- c(list(...), ink)
  # all of the old ones first: mfrow changes cex
  old <- graphics::par(names(new), no.readonly = TRUE)
  if (length(new) == 1L) old <- stats::setNames(list(old), names(new))
  on.exit(graphics::par(old))
  graphics::par(new)
  force(code)
}

# One panel of its own, empty.
empty_panel <- function(x, y, title = "", ..., lines = 2L,
                        width = characters_in(graphics::par("pin")[1L])) {
  graphics::plot(range(x, na.rm = TRUE), range(y, na.rm = TRUE), type = "n", font.main = 1L,
                 cex.main = 1, main = fit_text(title, width, lines), ...)
}

# Names of rows at the left side, as many as the height has room for; which those are.
row_axis <- function(labels, at = seq_along(labels), cex = 1, most = length(labels)) {
  shown <- thin(length(labels), min(most, rows_in(graphics::par("pin")[2L], cex)))
  graphics::axis(2L, at = at[shown], labels = labels[shown], las = 1L, tick = FALSE,
                 cex.axis = cex, gap.axis = -1, line = -0.5)
  shown
}

rows_in <- function(inches, cex = 1) max(floor(inches / (cex * graphics::par("cin")[2L])), 2L)

# At most `most` of n, at equal steps.
thin <- function(n, most) if (n > 0L) seq(1, n, by = ceiling(n / most)) else integer()

# Squares shaded by value from paper to ink, with the value written in or a key beside them.
# tiles: data frame of column, row (factors), value, and text, mark (drawn around); NA: crossed.
draw_tiles <- function(tiles, title, xlab, ylab, key, cex.axis = 1) {
  page <- base_page()
  x <- as.integer(tiles$column)
  y <- as.integer(tiles$row)
  size <- c(nlevels(tiles$column), nlevels(tiles$row))
  written <- any(nzchar(tiles$text))
  empty_panel(c(0.5, size[1L] + 0.5), c(0.5, size[2L] + 0.5), title, xlab = "", ylab = "",
              axes = FALSE, xaxs = "i", yaxs = "i")
  graphics::rect(x - 0.5, y - 0.5, x + 0.5, y + 0.5, col = shade(page, tile_shade(tiles$value)),
                 border = if (written) page$paper else NA)
  none <- is.na(tiles$value)
  graphics::points(x[none], y[none], pch = 4, col = shade(page, 0.5))
  if (written) {
    room <- graphics::par("pin")[1L] / size[1L]
    cex <- min(1, 0.85 * characters_in(room, 1, 1) / max(nchar(tiles$text)))
    # too small to be read, the shades must do
    if (cex >= 0.5) graphics::text(x, y, tiles$text, cex = cex, col = tile_ink(page, tiles$value))
  }
  marked <- which(tiles$mark)
  graphics::rect(x[marked] - 0.47, y[marked] - 0.47, x[marked] + 0.47, y[marked] + 0.47,
                 border = tile_ink(page, tiles$value)[marked], lwd = 3)
  row_axis(levels(tiles$row), cex = cex.axis)
  wide <- max(nchar(levels(tiles$column))) > characters_in(graphics::par("pin")[1L] / size[1L],
                                                           cex.axis, 1)
  shown <- thin(size[1L], if (wide) rows_in(graphics::par("pin")[1L], cex.axis) else size[1L])
  graphics::axis(1L, at = shown, labels = levels(tiles$column)[shown], las = if (wide) 2L else 1L,
                 tick = FALSE, cex.axis = cex.axis, gap.axis = -1, line = -0.5)
  graphics::box()
  graphics::title(xlab = xlab, ylab = ylab)
  if (!written) draw_key(page, range(tiles$value, na.rm = TRUE), key)
}

# A column of five shades at the right side.
draw_key <- function(page, range, title) {
  values <- seq(range[2L], range[1L], length.out = 5L)
  graphics::legend(graphics::grconvertX(0.995, "nfc"), mean(graphics::par("usr")[3:4]), xjust = 1,
                   yjust = 0.5, legend = signif(values, 2), xpd = NA, bty = "n",
                   fill = shade(page, tile_shade(values)), title = title, cex = 0.9,
                   border = page$ink)
}

# Not to full ink, which marks and text need.
tile_shade <- function(value) {
  range <- range(value, na.rm = TRUE)
  if (diff(range) == 0) return(ifelse(is.na(value), NA_real_, 0.4))
  0.05 + 0.8 * (value - range[1L]) / diff(range)
}

tile_ink <- function(page, value) {
  ifelse(tile_shade(value) > 0.45, page$paper, page$ink)
}

# Of a model, and of what is no model yet.
no_picture <- function(x, ...) {
  abort("argument", "`x`, ", describe(x), ", has no picture: plot(domain_map(x)) shows its ",
        "domains, plot(dg_cv(x)) how well it does on them.")
}

#' @exportS3Method
plot.dg_fit <- no_picture

#' @exportS3Method
plot.dg_spec <- no_picture
