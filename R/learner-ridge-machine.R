# Training a ridge regression on the Gram matrix or on features. Both give
#   list(coefficients [n x m] or [r x m], offset [m], decision [n x m]).
# task: made by ridge_task().

train_ridge <- function(product, sample, task, args) UseMethod("train_ridge")

# (K + ridge) alpha + 1 b' = Y; with an offset 1'alpha = 0.
#' @exportS3Method
train_ridge.gram_space <- function(product, sample, task, args) {
  if (!is.null(sample$left_out)) return(train_leaving_out(product, sample, task, args))
  solve_gram(function() space_gram(product), task, args)
}

# gram: a function that gives K, which is consumed.
solve_gram <- function(gram, task, args) {
  K <- gram()
  ridge <- row_ridges(args$lambda, task$costs, K)
  m <- ncol(task$Y)
  largest <- max(diag(K))
  solved <- core_result(ridge_solve_(hand_over(K), cbind(task$Y, if (args$offset) 1), ridge))
  warn_ridge(solved$jitter, args$lambda)
  if (solved$jitter == 0) warn_digits(largest, ridge, args$lambda)
  alpha <- solved$solution[, seq_len(m), drop = FALSE]
  offset <- rep(0, m)
  if (args$offset) {
    constant <- solved$solution[, m + 1L]
    offset <- colSums(alpha) / sum(constant)
    alpha <- alpha - outer(constant, offset)
  }
  decision <- task$Y - (ridge + solved$jitter) * alpha
  alpha[task$costs == 0, ] <- 0
  list(coefficients = alpha, offset = offset, decision = decision)
}

# The same, and from the same Gram matrix the values of each row by the fit without its group of
# domains (`left_out` of the sample), [n x m], to the path's accuracy.
train_leaving_out <- function(product, sample, task, args) {
  order <- order(sample$left_out)
  back <- order(order)
  centre <- left_out_centre(replace(sample, "domain", sample["left_out"]), task, args)
  task[c("Y", "costs")] <- list(task$Y[order, , drop = FALSE], task$costs[order])
  K <- space_gram(rows_in_order(product, order))
  values <- ridge_path(K, task$Y, sample$left_out[order], task$costs, args$lambda, centre,
                       args$offset, threads = args$threads)$prediction[back, , drop = FALSE]
  values[unknown_elsewhere(sample$levels, sample$left_out), ] <- NA
  last_use <- function() {
    value <- K
    K <<- NULL
    value
  }
  solved <- solve_gram(last_use, task, args)
  list(coefficients = solved$coefficients[back, , drop = FALSE], offset = solved$offset,
       decision = solved$decision[back, , drop = FALSE],
       left_out = values)
}

rows_in_order <- function(product, order) {
  product$X <- product$X[order, , drop = FALSE]
  product$domain <- product$domain[order]
  product
}

# lambda / c_i. A row without weight has a ridge so large that it changes nothing in double
# precision: it stays among the rows, and is predicted like them.
row_ridges <- function(lambda, costs, K) {
  ridge <- lambda / costs
  none <- !is.finite(ridge)
  if (any(none)) {
    ridge[none] <- min(1e20 * (max(diag(K)) + max(ridge[!none], 0)), .Machine$double.xmax / 1e10)
  }
  ridge
}

warn_ridge <- function(jitter, lambda) {
  if (jitter == 0) return(invisible())
  warn("ridge", "`lambda` (", format(lambda), ") is lost in the rounding of the Gram matrix; ",
       signif(jitter, 2), " was added to it.")
}

# K is rounded by eps |K|, at most eps n largest, which the inverse divides by the ridge.
warn_digits <- function(largest, ridge, lambda) {
  lost <- .Machine$double.eps * length(ridge) * largest / min(ridge)
  if (lost < 1e-4) return(invisible())
  digits <- max(floor(-log10(lost)), 0)
  warn("ridge", "Rounding of the Gram matrix, whose values reach ", signif(largest, 2), ", leaves ",
       "about ", plural(digits, "digit"), " beside `lambda` (", format(lambda), "); scale the ",
       "predictors (`scale = \"pooled\"`) or raise it.")
}

#' @exportS3Method
train_ridge.feature_space <- function(product, sample, task, args) {
  table <- own_table(product, sample)
  moments <- ridge_moments(product, sample, task, table)
  check_overflow(diag(moments$second), product$kernel)
  solved <- solve_moments(moments, args)
  solved$decision <- add_offset(
    expand_rows(product, sample, table, solved$coefficients), solved$offset
  )
  solved
}

# Sums over some rows, list(second = Z'CZ [r x r], sums = Z'c [r], total = sum c,
# cross = Z'CY [r x m], response_sums = Y'c [m]), a part of the rows at a time.
ridge_moments <- function(product, sample, task, table, rows = TRUE) {
  sample <- rows_at(sample[c("X", "domain")], rows)
  Y <- take(task$Y, rows)
  costs <- take(task$costs, rows)
  alike <- all(costs == costs[1L])
  m <- ncol(Y)
  parts <- lapply(row_parts(nrow(sample$X), TRUE), function(i) {
    c <- take(costs, i)
    wanted <- list(cells = rep(1L, length(c)), n_cells = 1L, second = alike,
                   response = c * cbind(take(Y, i), 1), labelled = if (!alike) c)
    part <- moments_of(product, rows_at(sample, i), table, wanted)
    list(second = if (alike) costs[1L] * part$second else part$labelled_second,
         cross = part$cross, response_sums = part$response_sums)
  })
  total <- Reduce(add_moments, parts)
  own <- seq_len(m)
  list(second = total$second, sums = total$cross[, m + 1L], total = total$response_sums[m + 1L],
       cross = total$cross[, own, drop = FALSE], response_sums = total$response_sums[own])
}

# w = (Z'CZ + lambda)^-1 Z'CY, of centred moments if there is an offset.
solve_moments <- function(moments, args) {
  centred <- centre_moments(moments, args$offset)
  ridge <- rep(args$lambda, nrow(centred$cross))
  solved <- core_result(ridge_solve_(centred$second, centred$cross, ridge))
  warn_ridge(solved$jitter, args$lambda)
  list(coefficients = solved$solution,
       offset = centred$offset - drop(centred$mean %*% solved$solution))
}

# With a constant b, z and y less their means give w, and b = mean(y) - mean(z)'w.
centre_moments <- function(moments, offset) {
  if (!offset) {
    moments$mean <- rep(0, nrow(moments$cross))
    moments$offset <- rep(0, ncol(moments$cross))
    return(moments)
  }
  moments$mean <- moments$sums / moments$total
  moments$offset <- moments$response_sums / moments$total
  moments$second <- moments$second - tcrossprod(moments$sums, moments$mean)
  moments$cross <- moments$cross - outer(moments$sums, moments$offset)
  moments
}
