# The models of dg_diagnose(): ridge regressions on landmarks of a kernel between pairs of a domain
# and a row. Sums over the rows of held-out groups, or for small groups one eigendecomposition,
# serve all lambda and all responses: that of the data and the simulated ones.

# between: fitted or not. What landmarks lack of the kernel's diagonal, in the mean, is added to
# lambda. list(F [r + 1 x n]: features and a constant, added [r + 1]: to the diagonal of their sum
# of squares with lambda, costs, unit: of each row, or NULL, threads).
landmark_model <- function(study, between, kernel = study$kernel) {
  sample <- study$sample
  rows <- rows_of(sample, study$threads)
  if (is.null(between$kappa)) between <- domain_kernel_fit(between, rows)
  pivots <- draw_pivots(kernel_fit(kernel, sample$X), between$kappa, rows,
                        min(study$landmarks, nrow(sample$X)), features = TRUE, ones = 1L)
  list(F = pivots$features, added = c(rep(pivots$left, length(pivots$rows)), 0),
       costs = study$costs, unit = sample$unit, threads = study$threads)
}

# The same model, in whose features the sum of squares of all rows is diagonal; `added` includes it.
diagonal_model <- function(model) {
  F <- model$F[-nrow(model$F), , drop = FALSE]
  n <- ncol(F)
  sums <- centred_sums(function(at) F, list(seq_len(n)), matrix(0, n, 0L), model$costs, TRUE,
                       model$threads)
  basis <- eigen_basis(sums, model$added[1L])
  replace(model, c("F", "added"), list(basis$turn(F), drop(basis$penalised)))
}

# [r + 1 x lambdas]
penalties <- function(model, lambdas) {
  last <- length(model$added)
  rbind(outer(model$added[-last], lambdas, "+"), model$added[last])
}

# A function of lambdas: for each group of rows by the functions that are fitted without it and
# without the units of the rows, if these are in several groups, list(values [n x shown x lambdas],
# predictions of the first `shown` columns of Y; errors [responses x lambdas], squared errors of the
# others with weights `share`, see ridge_without_errors_()).
without_groups <- function(model, Y, groups, share, shown = ncol(Y), targets = 1L, combine = NULL) {
  splits <- unit_splits(model$unit, groups)
  # a row of a unit may be left out with several groups
  out <- lapply(splits, function(split) which(!split$train))
  at <- unlist(out)
  held <- unlist(Map(function(split, at) split$held[at], splits, out))
  size <- mean(lengths(out))
  large <- size >= nrow(model$F) / 2
  if (!large) model <- diagonal_model(model)
  F <- model$F[, at, drop = FALSE]
  columns <- Y[at, , drop = FALSE]
  costs <- model$costs[at]
  share <- share[at] * held
  moments <- NULL
  if (large) {
    by_group <- sum_rows(F, columns, costs, lengths(out), model$threads)
    all <- if (length(at) == nrow(Y)) by_group else sum_all(model, Y)
    sums <- all$all_cross
    moments <- list(second = all$all_second, groups = by_group)
    # many responses of many rows have errors from sums
    if (is.null(combine) && size > 2 * nrow(F)) {
      factor <- proportion(share, costs)
      moments$squares <- if (is.null(factor)) {
        sum_rows(F, columns, share, lengths(out), model$threads)
      } else lapply(by_group[c("second", "cross")], `*`, factor)
    }
  } else sums <- model$F %*% (model$costs * Y)
  function(lambdas) {
    solved <- core_result(ridge_without_errors_(
      F, columns, sqrt(costs), lengths(out), sums, penalties(model, lambdas), shown, targets, share,
      combine, moments, model$threads
    ))
    values <- array(Y[, seq_len(shown)], c(nrow(Y), shown, length(lambdas)))
    values[at[held], , ] <- c(values[at[held], , ]) - c(solved$residuals[held, ])
    list(values = values, errors = solved$errors)
  }
}

sum_all <- function(model, Y) sum_rows(model$F, Y, model$costs, nrow(Y), model$threads)

# The factor by which a is b, NULL if there is none.
proportion <- function(a, b) {
  factor <- sum(a) / sum(b)
  if (all(abs(a - factor * b) <= 1e-14 * factor * b)) factor
}

# Predictions of all rows by the function that is fitted to all.
with_all <- function(model, Y, lambda) {
  sums <- sum_all(model, Y)
  W <- core_result(ridge_solve_(sums$all_second, sums$all_cross, c(penalties(model, lambda))))
  crossprod(model$F, W$solution)
}
