# The MTL paper's rotated ellipses as a picture.

# The share of class 1 at x among rows of all domains: over the angles whose ellipse x is in.
# `density` is that of a row along its ellipse's major axis.
share_of_one <- function(x, density = function(long) 1) {
  a <- seq(pi / 4, 3 * pi / 4, length.out = 181)
  long <- outer(x[, 1L], cos(a)) + outer(x[, 2L], sin(a))
  side <- outer(x[, 1L], sin(a)) - outer(x[, 2L], cos(a))
  weight <- (long^2 + (side / 0.2)^2 <= 1) * density(long)
  rowSums(weight * (side > 0)) / rowSums(weight)
}

# Domains of simulate_ellipses() that are turned by about so many `degrees`, then the share of each
# class among all domains; a cross at `spot`.
draw_ellipses <- function(toy, degrees, spot, colours = method_colours[1:2]) {
  angle <- attr(toy, "angle")
  nearest <- vapply(degrees, function(a) which.min(abs(angle - a * pi / 180)), 1L)
  old <- graphics::par(mfrow = c(1, length(degrees) + 1L), mar = c(2, 1.8, 1.6, 0.3),
                       mgp = c(1.2, 0.3, 0), tcl = -0.2)
  on.exit(graphics::par(old))
  frame <- function(main) {
    graphics::plot(NULL, xlim = c(-0.9, 0.9), ylim = c(-1.1, 1.1), asp = 1, xlab = "", ylab = "",
                   main = main, cex.main = 0.9, cex.axis = 0.8)
  }
  cross <- function() graphics::points(spot[1L], spot[2L], pch = 4, cex = 2, lwd = 2)
  for (g in names(angle)[nearest]) {
    d <- toy[toy$domain == g, ]
    frame(sprintf("a domain, turned by %.0f\u00b0", 180 / pi * angle[[g]]))
    graphics::points(d$x1, d$x2, pch = 20, cex = 0.5, col = colours[d$y])
    graphics::abline(0, tan(angle[[g]]), lty = 2)
    cross()
  }
  across <- seq(-0.9, 0.9, 0.02)
  up <- seq(-1.1, 1.1, 0.02)
  p <- matrix(share_of_one(as.matrix(expand.grid(across, up))), length(across))
  frame("all domains pooled")
  shades <- grDevices::colorRampPalette(c(colours[1L], "white", colours[2L]))(101)
  graphics::image(across, up, p, zlim = c(0, 1), col = shades, add = TRUE, useRaster = TRUE)
  graphics::contour(across, up, is.na(p) + 0, levels = 0.5, drawlabels = FALSE, col = "grey60",
                    add = TRUE)
  cross()
}
