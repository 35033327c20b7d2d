# Figure 2 of the DICA paper as a picture.

# Colours by rank of the response among training rows.
figure_2_shade <- function(y, train, colours) {
  breaks <- stats::quantile(train, seq(0, 1, length.out = length(colours) + 1L), names = FALSE)
  colours[findInterval(y, breaks, all.inside = TRUE)]
}

figure_2_panel <- function(scores, col, limits, under = NULL) {
  graphics::plot(limits, type = "n", axes = FALSE, xlab = "", ylab = "")
  corner <- graphics::par("usr")
  if (is.null(under)) {
    graphics::rect(corner[1], corner[3], corner[2], corner[4], col = "grey92", border = NA)
  } else {
    graphics::points(under, pch = 16, cex = 0.3, col = "grey84")
  }
  mixed <- sample(nrow(scores)) # no domain on top of all others
  graphics::points(scores[mixed, ], pch = 16, cex = if (is.null(under)) 0.4 else 0.6,
                   col = col[mixed])
  graphics::box(col = "grey40")
}

figure_2_bar <- function(y, colours) {
  graphics::par(mar = c(1.6, 12, 0.8, 12))
  graphics::image(seq(0, 1, length.out = length(colours)), 1, matrix(seq_along(colours)),
                  col = colours, axes = FALSE, xlab = "", ylab = "")
  graphics::axis(1, c(0, 0.5, 1), sprintf("%.1f", stats::quantile(y, c(0, 0.5, 1))), tick = FALSE,
                 line = -0.9, cex.axis = 0.8)
  graphics::mtext("response, by rank", 2, 0.4, las = 1, cex = 0.7)
}

# A line of panels for each projection: training rows on grey, then each unseen domain over them.
draw_dica_figure_2 <- function(models, parts, colours = grDevices::hcl.colors(64, "Viridis")) {
  unseen <- split(parts$test, parts$test$domain)
  shade <- function(d) figure_2_shade(d$y, parts$train$y, colours)
  lines <- length(models)
  cells <- matrix(seq_len(4L * lines), lines, byrow = TRUE)
  graphics::layout(rbind(cells, 4L * lines + 1L), heights = c(rep(1, lines), 0.32))
  graphics::par(mar = rep(0.3, 4), oma = c(0, 1.6, 1.6, 0))
  for (name in names(models)) {
    own <- quietly(predict(models[[name]], parts$train))
    limits <- apply(own, 2, stats::quantile, c(0.001, 0.999))
    figure_2_panel(own, shade(parts$train), limits)
    graphics::mtext(name, 2, 0.4, font = 2, cex = 0.8)
    top <- name == names(models)[1]
    if (top) graphics::mtext("training domains", 3, 0.3, cex = 0.75)
    for (g in names(unseen)) {
      figure_2_panel(quietly(predict(models[[name]], unseen[[g]])), shade(unseen[[g]]), limits, own)
      if (top) graphics::mtext(paste("unseen:", g), 3, 0.3, cex = 0.75)
    }
  }
  figure_2_bar(parts$train$y, colours)
}
