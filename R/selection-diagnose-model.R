# The models of dg_diagnose(): ridge regressions on landmarks of a kernel between pairs of a domain
# and a row. One eigendecomposition serves all lambda, all held-out groups of rows, and all
# responses: that of the data and the simulated ones.

# The kernel on x is that of `study`. list(
#   Q [n x r]: sqrt(c) (z - mean of z) in the basis U of Zc'Zc = U diag(values) U',
#   values [r], root = sqrt(c), total = sum of c, unit: of each row, or NULL, threads).
landmark_model <- function(study, between, kernel = study$kernel) {
  sample <- study$sample
  space <- gram_space(kernel, between, sample, study$threads)
  kappa <- space$domain_kernel$kappa
  rows <- list(X = sample$X, domain = as.integer(sample$domain), threads = study$threads)
  few <- nrow(rows$X) <= study$landmarks
  chosen <- if (few) rows
            else pivot_landmarks(space$kernel, kappa, rows, study$landmarks)
  map <- landmark_map(space$kernel, kappa, chosen)
  Z <- feature_rows_(feature_program(map, rows$X, kappa), rows$X,
                     if (!is.null(kappa)) rows$domain, study$threads)
  check_overflow(c(min(Z), max(Z)), space$kernel)
  costs <- study$costs
  Z <- sqrt(costs) * (Z - rep(colSums(costs * Z) / sum(costs), each = nrow(Z)))
  basis <- eigen(crossprod(Z), symmetric = TRUE)
  list(Q = Z %*% basis$vectors, values = pmax(basis$values, 0), root = sqrt(costs),
       total = sum(costs), unit = sample$unit, threads = study$threads)
}

# Calls use(rows, predictions [rows x columns of Y], l) for each group and each lambda: of its rows
# by the functions that are fitted without it and without the units of the rows, if these are in
# several groups. With the columns F = (root, Q) the offset is a feature without a penalty.
without_groups <- function(model, Y, groups, lambdas, use) {
  Y <- model$root * Y
  sums <- rbind(crossprod(model$root, Y), crossprod(model$Q, Y))
  penalised <- rbind(model$total, outer(model$values, lambdas, "+"))
  splits <- unit_splits(model$unit, groups)
  # a row of a unit may be left out with several groups
  out <- lapply(splits, function(split) which(!split$train))
  rows <- unlist(out)
  F <- rbind(model$root[rows], t(model$Q[rows, , drop = FALSE]))
  found <- core_result(ridge_without_(F, Y[rows, , drop = FALSE], rep(1, length(rows)),
                                      lengths(out), sums, penalised, model$threads))
  before <- cumsum(c(0L, lengths(out)))
  for (k in seq_along(splits)) {
    held <- which(splits[[k]]$held)
    own <- before[k] + match(held, out[[k]])
    for (l in seq_along(lambdas)) {
      use(held, found[own, path_columns(l, ncol(Y)), drop = FALSE] / model$root[held], l)
    }
  }
}

# These predictions, [n x columns of Y x lambdas].
values_without_groups <- function(model, Y, groups, lambdas) {
  values <- array(0, c(dim(Y), length(lambdas)))
  without_groups(model, Y, groups, lambdas, function(rows, found, l) values[rows, , l] <<- found)
  values
}

# Predictions of all rows by the function that is fitted to all.
with_all <- function(model, Y, lambda) {
  Y <- model$root * Y
  shrunk <- crossprod(model$Q, Y) / (model$values + lambda)
  values <- model$Q %*% shrunk + model$root %*% (crossprod(model$root, Y) / model$total)
  values / model$root
}
