# The models of dg_diagnose(): ridge regressions on landmarks of a kernel between pairs of a domain
# and a row. One eigendecomposition serves all lambda, all held-out groups of rows, and all
# responses: that of the data and the simulated ones.

# between: fitted or not. What landmarks lack of the kernel's diagonal is added to lambda, as in
# left_out_by_landmarks(). list(
#   F [r + 1 x n]: features in which the sum of squares of all rows is diagonal, and a constant,
#   penalised [r + 1]: that diagonal, where there is a penalty with what landmarks lack,
#   costs, unit: of each row, or NULL, threads).
landmark_model <- function(study, between, kernel = study$kernel) {
  sample <- study$sample
  rows <- rows_of(sample, study$threads)
  if (is.null(between$kappa)) between <- domain_kernel_fit(between, rows)
  n <- nrow(sample$X)
  found <- draw_pivots(kernel_fit(kernel, sample$X), between$kappa, rows, min(study$landmarks, n),
                       features = TRUE)
  sums <- centred_sums(function(rows) found$features, list(seq_len(n)), matrix(0, n, 0L),
                       study$costs, TRUE)
  basis <- eigen_basis(sums, found$left)
  list(F = basis$turn(found$features), penalised = drop(basis$penalised), costs = study$costs,
       unit = sample$unit, threads = study$threads)
}

# [r + 1 x lambdas]
penalties <- function(model, lambdas) {
  last <- length(model$penalised)
  rbind(outer(model$penalised[-last], lambdas, "+"), model$penalised[last])
}

# A function of lambdas: for each group of rows by the functions that are fitted without it and
# without the units of the rows, if these are in several groups, list(values [n x own x lambdas],
# predictions of the first `own` columns of Y; errors [responses x lambdas], squared errors of the
# others with weights `share`, see ridge_without_errors_()).
without_groups <- function(model, Y, groups, share, own = ncol(Y), targets = 1L, combine = NULL) {
  sums <- model$F %*% (model$costs * Y)
  splits <- unit_splits(model$unit, groups)
  # a row of a unit may be left out with several groups
  out <- lapply(splits, function(split) which(!split$train))
  rows <- unlist(out)
  held <- unlist(Map(function(split, rows) split$held[rows], splits, out))
  F <- model$F[, rows, drop = FALSE]
  columns <- Y[rows, , drop = FALSE]
  function(lambdas) {
    found <- core_result(ridge_without_errors_(
      F, columns, sqrt(model$costs[rows]), lengths(out), sums, penalties(model, lambdas), own,
      targets, share[rows] * held, combine, model$threads
    ))
    values <- array(Y[, seq_len(own)], c(nrow(Y), own, length(lambdas)))
    values[rows[held], , ] <- c(values[rows[held], , ]) - c(found$residuals[held, ])
    list(values = values, errors = found$errors)
  }
}

# Predictions of all rows by the function that is fitted to all.
with_all <- function(model, Y, lambda) {
  crossprod(model$F, model$F %*% (model$costs * Y) / c(penalties(model, lambda)))
}
