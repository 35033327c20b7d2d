# How far a function is shrunk where the user does not say: as far as predicts domains best that
# were left out, by the closed form of ridge regression on the same kernel or features.

# lambda / n; the largest leaves little but the constant.
penalty_shares <- 10^seq(-5, 1, by = 0.5)
# The most rows that are searched: with a Gram matrix, with features.
penalty_rows <- c(exact = 2000L, features = 20000L)

# list(lambda, slope), slope: the mean size of the residuals of left-out domains in units of which
# classes are 2 apart; what fewer than two domains leave open is the number that is used for them.
choose_penalty <- function(product, sample, task, args) {
  folds <- calibration_folds(sample)
  if (max(folds) < 2L) return(list(lambda = 1, slope = 1))
  rows <- penalty_sample(product, sample, folds)
  task$Y <- task$Y[rows$kept, , drop = FALSE]
  task$costs <- task$costs[rows$kept]
  n <- length(rows$kept)
  lambdas <- n * penalty_shares
  predicted <- quietly(left_out_predictions(product, rows, task, args, lambdas), "domgen_warning_ridge")
  residuals <- predicted - c(task$Y)
  share <- task$costs / max(task$costs)
  error <- apply(residuals, 3L, function(r) sum(share * r^2) / sum(share))
  # where all are as good the simplest
  best <- max(which(error <= min(error) * (1 + 1e-6)))
  size <- abs(lambda_values(residuals, best))
  # the indicator of the row's own class, where there is one for each
  size <- if (ncol(size) > 1L) 2 * size[cbind(seq_len(n), max.col(task$Y))] else drop(size)
  list(lambda = penalty_shares[best] * length(sample$domain), slope = sum(share * size) / sum(share))
}

# The rows that are searched, evenly spaced within domains in the order of x, in folds of whole
# domains.
penalty_sample <- function(product, sample, folds) {
  kept <- which(sample$weights > 0)
  most <- penalty_rows[[if (is.null(product$features)) "exact" else "features"]]
  if (length(kept) > most) {
    keys <- c(list(as.integer(sample$domain)), unname(as.data.frame(sample$X)))
    ordered <- do.call(order, lapply(keys, `[`, kept))
    kept <- sort(kept[ordered[round(seq(1, length(kept), length.out = most))]])
  }
  domain <- sample$domain[kept]
  list(kept = kept, X = sample$X[kept, , drop = FALSE],
       # a Gram matrix has kappa by the number of the domain
       domain = if (is.null(product$features)) domain else droplevels(domain),
       weights = sample$weights[kept], left_out = factor(folds[as.integer(domain)]))
}

# `lambda` or `cost` of a fitted model: as given, or as chosen.
penalty_of <- function(object, name) {
  given <- object$spec$args[[name]]
  if (is.null(given)) object[[name]] else given
}

# The cost at which the loss pulls at residuals of the usual size as the square of the ridge
# regression does, sum_i c_i r_i^2 / (2 lambda) beside |f|^2 / 2: as much for squared losses, and
# for a loss of slope 1, whose pull does not depend on r, cost = mean |r| / lambda.
choose_cost <- function(product, sample, args, loss) {
  chosen <- recall(sample$memo, "penalty", list(product, args[c("domain_weights", "offset")]),
                   choose_penalty(product, sample, ridge_task(sample, args), args))
  if (loss$squared) 1 / (2 * chosen$lambda)
  else max(chosen$slope, args$epsilon) / chosen$lambda
}
