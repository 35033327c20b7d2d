# The picture of ARCHITECTURE.md, for .ci/layers.R, which reads the modules and their calls.

# Who calls whom, without what follows from going through another module, and without base, which
# all call: a matrix [module x module].
direct_calls <- function(calls) {
  names <- setdiff(intersect(rownames(modules), c(calls$from_module, calls$to_module)), "base")
  down <- table(factor(calls$from_module, names), factor(calls$to_module, names)) > 0 &
    outer(modules[names, "layer"], modules[names, "layer"], ">")
  reach <- down
  for (k in names) reach <- reach | outer(reach[, k], reach[k, ], "&")
  down & !(down %*% reach > 0)
}

ink <- list(box = "#3b5b7a", fill = "#eef3f8", arrow = "grey45", wrong = "#b2182b", text = "grey25")

draw_layers <- function(calls, file) {
  grDevices::png(file, 1200, 1080, res = 120, type = "cairo", antialias = "gray")
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(0, 0, 0, 0), family = "sans")
  graphics::plot.new()
  graphics::plot.window(c(0, 3), c(0.1, max(modules$layer) + 0.4), xaxs = "i", yaxs = "i")
  draw_arrows(direct_calls(calls), ink$arrow)
  up <- upward_calls(calls)
  if (nrow(up)) draw_arrows(table(up$from_module, up$to_module) > 0, ink$wrong, up = TRUE)
  draw_rooms(modules, !rownames(modules) %in% c(calls$from_module, calls$to_module))
  graphics::text(1.5, 0.45, cex = 0.7, col = ink$text, paste(
    "Arrows are calls; what follows through another module is left out, and base, which all call.",
    "\nRooms side by side may call each other; nothing calls upward",
    if (nrow(up)) "but for the broken lines."
  ))
}

draw_rooms <- function(modules, empty) {
  half <- ifelse(rownames(modules) == "base", 1.42, 0.42)
  graphics::rect(modules$x - half, modules$layer - 0.24, modules$x + half, modules$layer + 0.24,
                 col = ifelse(empty, "white", ink$fill), border = ifelse(empty, "grey70", ink$box))
  graphics::text(modules$x, modules$layer + 0.08, rownames(modules), font = 2, cex = 0.9)
  graphics::text(modules$x, modules$layer - 0.1, modules$contents, cex = 0.62, col = ink$text)
}

# From the lower edge of a module to the upper edge of another; up: the other way, in broken lines.
draw_arrows <- function(edges, col, up = FALSE) {
  pairs <- which(edges, arr.ind = TRUE)
  from <- modules[rownames(edges)[pairs[, 1L]], ]
  to <- modules[colnames(edges)[pairs[, 2L]], ]
  side <- if (up) 0.25 else -0.25
  lean <- 0.25 * pmax(pmin(to$x - from$x, 1), -1) + if (up) 0.04 else 0
  graphics::arrows(from$x + lean, from$layer + side, to$x - lean + if (up) 0.08 else 0,
                   to$layer - side, length = 0.07, col = col, lty = if (up) 2 else 1, lwd = 1.2)
}
