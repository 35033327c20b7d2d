# MTL paper, tables 1 and 2 and figure 3: error on unseen rotated ellipses by domains and rows a
# domain, pooled and with the kernel between domains; on the authors' draw of the data.
#
# Tasks 247-256 of the draw are for testing (the paper: ten others, and 256 to learn from where we
# have 246), with 1,000 rows each. Their mean embedding is of all rows (`error`), or of as many as a
# training task has (`error_n`), as in the authors' program: the paper's million test rows are
# predicted, not embedded. Draws are of the rows of the training tasks. Parameters are chosen by five
# folds of training domains, coordinate by coordinate on grids that extend, as in the paper's section
# 8.1, from the package's defaults (common/marginal.R, common/ellipses.R); in cells of more than 8,192 rows on so many of
# them. The kernel between domains is computed exactly (up to 2,048 rows), by the product map and,
# as in the paper, by random Fourier features; `seconds` compares them. `cv` is the error in
# cross-validation.

experiment(
  paper = "MTL", item = "tables 1-2, figure 3",
  title = "Rotated ellipses, the authors' draw: pooled and between domains, by domains and rows",
  data = "mtl_synthetic256",
  draws = c(quick = 1, normal = 3, full = 10), minutes = c(quick = 0.2, normal = 12, full = 40),
  tolerance = c(error = 0.3, error_n = 0.3), cells = ellipse_cells,
  run = function(cell, draw, data) {
    d <- data$mtl_synthetic256
    d$y <- factor(d$y)
    ellipse_cell(d, cell)
  }
)
