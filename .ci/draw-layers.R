# The picture of ARCHITECTURE.md, for .ci/layers.R, which reads the rooms and their calls.

# Who calls whom, without what follows from going through another room, and without base, which
# all call: a matrix [room x room].
direct_calls <- function(calls) {
  names <- setdiff(intersect(rownames(rooms), c(calls$from_room, calls$to_room)), "base")
  down <- table(factor(calls$from_room, names), factor(calls$to_room, names)) > 0 &
    outer(rooms[names, "layer"], rooms[names, "layer"], ">")
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
  graphics::plot.window(c(0, 3), c(0.1, max(rooms$layer) + 0.4), xaxs = "i", yaxs = "i")
  draw_arrows(direct_calls(calls), ink$arrow)
  up <- upward_calls(calls)
  if (nrow(up)) draw_arrows(table(up$from_room, up$to_room) > 0, ink$wrong, up = TRUE)
  draw_rooms(rooms, !rownames(rooms) %in% c(calls$from_room, calls$to_room))
  graphics::text(1.5, 0.45, cex = 0.7, col = ink$text, paste(
    "Arrows are calls; what follows through another room is left out, and base, which all call.",
    "\nRooms side by side may call each other; nothing calls upward",
    if (nrow(up)) "but for the broken lines."
  ))
}

draw_rooms <- function(rooms, empty) {
  half <- ifelse(rownames(rooms) == "base", 1.42, 0.42)
  graphics::rect(rooms$x - half, rooms$layer - 0.24, rooms$x + half, rooms$layer + 0.24,
                 col = ifelse(empty, "white", ink$fill), border = ifelse(empty, "grey70", ink$box))
  graphics::text(rooms$x, rooms$layer + 0.08, rownames(rooms), font = 2, cex = 0.9)
  graphics::text(rooms$x, rooms$layer - 0.1, rooms$contents, cex = 0.62, col = ink$text)
}

# From the lower edge of a room to the upper edge of another; up: the other way, in broken lines.
draw_arrows <- function(edges, col, up = FALSE) {
  pairs <- which(edges, arr.ind = TRUE)
  from <- rooms[rownames(edges)[pairs[, 1L]], ]
  to <- rooms[colnames(edges)[pairs[, 2L]], ]
  side <- if (up) 0.25 else -0.25
  lean <- 0.25 * pmax(pmin(to$x - from$x, 1), -1) + if (up) 0.04 else 0
  graphics::arrows(from$x + lean, from$layer + side, to$x - lean + if (up) 0.08 else 0,
                   to$layer - side, length = 0.07, col = col, lty = if (up) 2 else 1, lwd = 1.2)
}
