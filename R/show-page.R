# Ink and paper of the page, so that pictures are readable on white, in grey and on a dark page:
# nothing is black or white by itself.

# list(ink, paper) of the open device: par("fg") on par("bg").
base_page <- function() {
  as_page(graphics::par("fg"), graphics::par("bg"))
}

as_page <- function(ink, paper) {
  if (is_transparent(paper)) paper <- if (lightness(ink) > 0.5) "black" else "white"
  list(ink = ink, paper = paper)
}

# NA is so too.
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

# Colours that colour-blind readers tell apart (Okabe and Ito, 2008), neighbours of different
# lightness, those near the paper's last (yellow is darker on a light page); of more than eight, a
# scale.
class_colours <- function(page, n) {
  if (is.function(page$classes)) return(page$classes(n))
  if (n > 8L) return(colour_scale(page, n))
  light <- c("#0072B2", "#E69F00", page$ink, "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#BFB200")
  dark <- c("#56B4E9", "#D55E00", "#F0E442", "#009E73", page$ink, "#CC79A7", "#E69F00", "#0072B2")
  utils::head(if (lightness(page$paper) > 0.5) light else dark, n)
}

# What is to be seen first, on light and dark pages.
accent <- "#D55E00"

# Shapes that differ without colour; the open circle is for the unknown.
class_shapes <- function(n) rep_len(c(16, 17, 3, 15, 4, 2, 18, 0), n)

# Rows of panels that are nearly square on a page of this shape (width by height).
panel_rows <- function(n, shape) {
  if (n <= 3L) return(1L)
  columns <- min(n, max(1, round(sqrt(n * shape))))
  ceiling(n / columns)
}

# Of so many points on a panel, so that they do not lie in one lump.
point_size <- function(n) if (n > 1000) 0.5 else if (n > 300) 0.7 else 1

# Where rows with equal values are put beside each other: from -0.5 to 0.5, not at random.
spread_out <- function(n) (seq_len(n) * 0.618034) %% 1 - 0.5

# At most `most` of n, at equal steps.
thin <- function(n, most) if (n > 0L) seq(1, n, by = ceiling(n / most)) else integer()
