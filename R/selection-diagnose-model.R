# The models of dg_diagnose(): ridge regressions on landmarks of a kernel between pairs of a domain
# and a row. One eigendecomposition serves all lambda, all held-out groups of rows, and all
# responses: that of the data and the simulated ones.

# The kernel on x is that of `study`. list(
#   Q [n x r]: sqrt(c) (z - mean of z) in the basis U of Zc'Zc = U diag(values) U',
#   values [r], root = sqrt(c), total = sum of c, unit: of each row, or NULL).
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
       total = sum(costs), unit = sample$unit)
}

# Calls use(predictions [n x columns of Y], l) for each lambda: of the rows of a group by the
# functions that are fitted without it and without the units of the rows, if these are in several
# groups; groups = NULL leaves nothing out.
without_groups <- function(model, Y, groups, lambdas, use) {
  Y <- model$root * Y
  sums <- list(Q = crossprod(model$Q, Y), root = crossprod(model$root, Y))
  splits <- if (!is.null(groups)) unit_splits(model$unit, groups)
  for (l in seq_along(lambdas)) {
    shrunk <- sums$Q / (model$values + lambdas[l])
    fitted <- model$Q %*% shrunk + model$root %*% (sums$root / model$total)
    values <- fitted
    for (split in splits) {
      out <- which(!split$train)
      left <- leave_group(model, Y, sums, fitted, out, lambdas[l])
      values[split$held, ] <- left[split$held[out], ]
    }
    use(values / model$root, l)
  }
}

# H = Q (D + lambda I)^-1 Q' + root root' / total is the projection of ridge regression with an
# offset, and (I - H_gg)^-1 (y - H y)_g are the residuals of the rows of g without them (as in
# core/ridge/lodo.h), all times root. For a large group the other rows' sums in F = (root, Q) are
# cheaper.
leave_group <- function(model, Y, sums, fitted, i, lambda) {
  Q <- model$Q[i, , drop = FALSE]
  Y <- Y[i, , drop = FALSE]
  root <- model$root[i]
  if (length(i) <= ncol(Q)) {
    B <- Q * rep(1 / sqrt(model$values + lambda), each = length(i))
    M <- diag(length(i)) - tcrossprod(B) - tcrossprod(root) / model$total
    return(Y - solve_positive(M, Y - fitted[i, , drop = FALSE]))
  }
  F <- cbind(root, Q)
  S <- diag(c(model$total, model$values + lambda)) - crossprod(F)
  F %*% solve_positive(S, rbind(sums$root, sums$Q) - crossprod(F, Y))
}
