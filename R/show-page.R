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

# Colours of increasing lightness, in grey too. Of marks without those too near the paper's; tiles
# go from near the paper to far from it.
colour_scale <- function(page, n, tiles = FALSE) {
  of <- grDevices::colorRamp(grDevices::hcl.colors(64L, "Viridis"))
  light <- lightness(page$paper) > 0.5
  range <- if (tiles) c(0, 1) else if (light) c(0, 0.8) else c(0.4, 1)
  if (tiles && light) range <- rev(range)
  grDevices::rgb(of(seq(range[1L], range[2L], length.out = n)), maxColorValue = 255)
}

# Colours of classes and domains: those of Okabe and Ito (2008), which the colour-blind tell apart,
# in an order in which neighbours differ in lightness; of more than there are a scale.
class_colours <- function(page, n) {
  if (is.function(page$classes)) return(page$classes(n))
  if (length(page$classes) >= n) return(page$classes[seq_len(n)])
  if (n > length(okabe_ito)) return(colour_scale(page, n))
  okabe_ito[seq_len(n)]
}

okabe_ito <- c("#0072B2", "#E69F00", "#D55E00", "#56B4E9", "#009E73", "#CC79A7", "#999999",
               "#F0E442")

# What is written on these colours: ink or paper, whichever is farther.
written_on <- function(page, colours) {
  on <- vapply(colours, lightness, 0, USE.NAMES = FALSE)
  far <- abs(on - lightness(page$ink)) > abs(on - lightness(page$paper))
  ifelse(far, page$ink, page$paper)
}

# Shapes that differ without colour.
class_shapes <- function(n) rep_len(c(1, 17, 3, 15, 4, 16, 2, 0), n)

# Where rows with equal values are put beside each other: from -0.5 to 0.5, not at random.
spread_out <- function(n) (seq_len(n) * 0.618034) %% 1 - 0.5

# At most `most` of n, at equal steps.
thin <- function(n, most) if (n > 0L) seq(1, n, by = ceiling(n / most)) else integer()
