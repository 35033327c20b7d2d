# MTL paper, tables 1 and 2 and figure 3, as in mtl-tables-1-2.R, on domains by simulate_ellipses():
# points uniform on the ellipse, as in the paper's algorithm 1 (the authors' program draws them
# otherwise, see its help page). Every draw has 256 new domains, so that the standard error is over
# domains and rows.

experiment(
  paper = "MTL", item = "tables 1-2, figure 3",
  title = "Rotated ellipses, simulated anew: pooled and between domains, by domains and rows",
  draws = c(quick = 1, normal = 3, full = 10), minutes = c(quick = 0.2, normal = 12, full = 40),
  tolerance = c(error = 0.3, error_n = 0.3), cells = ellipse_cells,
  run = function(cell, draw, data) ellipse_cell(simulate_ellipses(256, 1000, seed = draw), cell)
)
