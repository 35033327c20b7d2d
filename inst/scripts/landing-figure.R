# Draws the picture of the site's first page with domgen itself: domains with labels, a domain
# without, and what a pooled and a distributional model predict there. From the root of the package:
# Rscript inst/scripts/landing-figure.R [folder]
# It writes unseen-domain.png, its panels side by side, and unseen-domain-narrow.png for small
# screens.

library(domgen)

# In each domain y falls with x; domains further to the right lie higher.
draw_domain <- function(centre, rows, name) {
  x <- rnorm(rows, centre, 0.55)
  data.frame(x = x, y = 2 * centre - 1.2 * (x - centre) + rnorm(rows, sd = 0.35), domain = name)
}

set.seed(3)
seen <- do.call(rbind, Map(draw_domain, c(0, 1, 2, 4, 5, 6), 45, paste("domain", 1:6)))
unseen <- draw_domain(3, 45, "new")

predicted_with <- function(domain_kernel) {
  predict(dg_ridge(y ~ x | domain, data = seen, domain_kernel = domain_kernel), newdata = unseen)
}
pooled <- predicted_with(domain_pooled())
distributional <- predicted_with(domain_distribution())
error <- function(fit) sprintf("%.2f", sqrt(mean((fit - unseen$y)^2)))

ink <- "#333333"
new_ink <- "#D55E00"
hues <- grDevices::hcl.colors(8, "viridis")[1:6]
shapes <- c(16, 17, 15, 25, 8, 3)
group <- match(seen$domain, unique(seen$domain))

panel <- function(title, limits = list(x = range(seen$x), y = range(seen$y) + c(-1.2, 0))) {
  graphics::plot(limits$x, limits$y, type = "n", axes = FALSE, xlab = "", ylab = "")
  graphics::box(col = "#BBBBBB")
  graphics::mtext(title, line = 0.6, adj = 0, font = 2, col = ink)
  graphics::mtext("predictor", 1, line = 0.4, col = ink)
  graphics::mtext("response", 2, line = 0.4, col = ink)
}
rug_of_new <- function() {
  graphics::segments(unseen$x, graphics::par("usr")[3], y1 = min(seen$y) - 0.7, col = new_ink,
                     lwd = 2)
}
along <- function(fit, ...) graphics::lines(unseen$x[order(unseen$x)], fit[order(unseen$x)], ...)

draw_panels <- function() {
  panel("1  Domains seen, with labels")
  graphics::points(seen$x, seen$y, pch = shapes[group], col = hues[group], bg = hues[group],
                   cex = 0.8)
  graphics::text(graphics::par("usr")[1], max(seen$y), adj = c(-0.05, 0.7), col = ink,
                 "each colour is a domain:\na school, a patient, ...")

  panel("2  A new domain, no labels")
  graphics::points(seen$x, seen$y, pch = 16, col = "#DDDDDD", cex = 0.7)
  rug_of_new()
  graphics::text(3, min(seen$y) + 0.1, "its rows: where they lie says\nwhich domains it resembles",
                 col = new_ink, adj = c(0.2, 0))

  panel("3  Predictions there")
  graphics::points(seen$x, seen$y, pch = 16, col = "#E8E8E8", cex = 0.7)
  rug_of_new()
  graphics::points(unseen$x, unseen$y, pch = 1, col = "#777777")
  along(pooled, lwd = 3, lty = "41", col = ink)
  along(distributional, lwd = 4, col = new_ink)
  graphics::legend("topleft", bty = "n", inset = c(0, 0.01), lwd = c(3, 4, NA),
    lty = c("41", "solid", NA),
    pch = c(NA, NA, 1), col = c(ink, new_ink, "#777777"), text.col = ink, seg.len = 2.2,
    legend = c(paste("pooled, error", error(pooled)),
               paste("distributional, error", error(distributional)),
               "labels, kept aside"))
}

picture <- function(file, panels, width, height) {
  grDevices::png(file, width = width, height = height, res = 200, type = "cairo")
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = panels, mar = c(1.8, 1.8, 2, 0.6), oma = rep(0.2, 4), cex = 0.85)
  draw_panels()
}
given <- commandArgs(trailingOnly = TRUE)
folder <- if (length(given)) given[1L] else "man/figures"
picture(file.path(folder, "unseen-domain.png"), c(1, 3), 2000, 700)
picture(file.path(folder, "unseen-domain-narrow.png"), c(3, 1), 760, 1900)
