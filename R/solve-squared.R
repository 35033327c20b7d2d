# Ridge regression, the squared loss: from the Gram matrix of whole rows, or from sums of features
# over any rows, from which fits without some domains follow by subtraction.

# list(coefficients [n x m] or [r x m], intercept [m], decision [n x m], lambda, and left_out where
# the fits without groups of domains are kept). problem: see fit-rows.R, with `task`, made by
# squared_task().
solve_squared <- function(problem, shared) {
  if (inherits(problem$space, "gram_space")) {
    solved <- solve_ridge(problem$space, problem$rows$sample, problem$task, problem$args)
    return(class_columns(c(solved, list(lambda = problem$args$lambda)), problem$targets))
  }
  keeps_fits <- only_sums(problem$rows)
  problem$table <- problem_table(problem)
  sums <- squared_sums(problem, if (keeps_fits) group_domains else one_group)
  solve_groups(problem, sums, left_out = keeps_fits)
}

# Sums of features and targets over rows of any kind, weighted by their costs, by groups of domains;
# sum_groups() adds some or all of them: list(second = Z'CZ, cross = Z'CY, sums = Z'C1, total,
# response_sums, response_second), which centre_moments() centres.
squared_sums <- function(problem, groups = one_group) {
  group_sums(problem$rows, problem$space, problem$targets, squared_costs(problem), groups,
             problem_table(problem))
}

# The table of the rows' domains, see rows_table(); NULL for sums that users made.
problem_table <- function(problem) {
  if (!is.null(problem$table) || !is.null(problem$rows$space)) problem$table
  else rows_table(problem$rows, problem$space)
}

# Factors of the weights of each domain, [G].
squared_costs <- function(problem) {
  drop(column_costs(problem$rows, problem$targets, problem$args$domain_weights))
}

# left_out: are the fits without groups of domains kept?
solve_groups <- function(problem, sums, left_out) {
  args <- problem$args
  total <- sum_groups(sums)
  check_overflow(diag(total$second), problem$space$kernel)
  if (is.null(args$lambda)) args$lambda <- choose_lambda(sums, total, problem$rows, args)
  solved <- solve_moments(total, args)
  solved$decision <- row_values(problem$rows, problem$space, solved$coefficients, solved$intercept,
                                problem_table(problem))
  solved$lambda <- args$lambda
  if (left_out) solved$left_out <- leave_groups_out(sums, total, problem$rows, args, args$lambda)
  class_columns(solved, problem$targets)
}

# Columns of several classes have their names.
class_columns <- function(solved, targets) {
  names <- if (ncol(solved$coefficients) > 1L) targets$levels
  colnames(solved$coefficients) <- colnames(solved$decision) <- names
  solved
}

# The sample as a ridge regression takes it: list(response, Y [n x m], costs [n]).
squared_task <- function(rows, targets, args) {
  sample <- rows$sample
  costs <- column_costs(rows, targets, args$domain_weights)
  list(response = targets, Y = code_rows(targets, sample$y),
       costs = drop(code_costs(costs, 1, sample$weights, sample$domain)))
}

ridge_task <- function(sample, args) {
  rows <- rows_frame(sample)
  squared_task(rows, new_targets(rows, args$scale != "none"), args)
}

# ---- rows in memory ---------------------------------------------------------------------------

# task: made by squared_task(). list(coefficients, intercept [m], decision [n x m])
solve_ridge <- function(space, sample, task, args) UseMethod("solve_ridge")

# (K + ridge) alpha + 1 b' = Y; with a constant 1'alpha = 0.
#' @exportS3Method
solve_ridge.gram_space <- function(space, sample, task, args) {
  solved <- solve_products(space, task, args)
  if (is.null(solved)) solve_gram(function() space_gram(space), task, args) else solved
}

#' @exportS3Method
solve_ridge.feature_space <- function(space, sample, task, args) {
  table <- own_table(space, sample)
  moments <- ridge_moments(space, sample, task, table)
  check_overflow(diag(moments$second), space$kernel)
  solved <- solve_moments(moments, args)
  solved$decision <- add_intercept(expand_rows(space, sample, table, solved$coefficients),
                                solved$intercept)
  solved
}

# Sums over some rows, as sum_groups() gives them.
ridge_moments <- function(space, sample, task, table, at = TRUE) {
  part <- rows_frame(list(X = take(sample$X, at), domain = take(sample$domain, at),
                          y = take(task$Y, at), weights = take(task$costs, at)))
  G <- nlevels(sample$domain)
  work <- group_work(space, table, rep(1L, G), ncol(task$Y), identity, rep(1, G))
  sum_groups(new_group_sums(pass(part, work, "features"), space, rep(1L, G)))
}

# gram: a function that gives K, which is consumed.
solve_gram <- function(gram, task, args) {
  K <- gram()
  ridge <- row_ridges(args$lambda, task$costs, K)
  m <- ncol(task$Y)
  largest <- max(diag(K))
  # a factor is faster of few rows, or many responses
  solved <- if (nrow(K) >= rows_of_conjugate * m) solve_conjugate(
    K, landmark_root(K), largest, ridge, task, args, conjugate_error, nrow(K) %/% 20L
  )
  if (!is.null(solved)) return(solved)
  solved <- core_result(ridge_solve_(hand_over(K), cbind(task$Y, if (args$intercept) 1), ridge))
  warn_ridge(solved$jitter, args$lambda)
  if (solved$jitter == 0) warn_digits(largest, ridge, args$lambda)
  alpha <- solved$solution[, seq_len(m), drop = FALSE]
  intercept <- rep(0, m)
  if (args$intercept) {
    constant <- solved$solution[, m + 1L]
    intercept <- colSums(alpha) / sum(constant)
    alpha <- alpha - outer(constant, intercept)
  }
  decision <- task$Y - (ridge + solved$jitter) * alpha
  alpha[task$costs == 0, ] <- 0
  list(coefficients = alpha, intercept = intercept, decision = decision)
}

# With so many rows for each response, conjugate gradients take a fraction of the time of a factor.
rows_of_conjugate <- 1000L

# The squared error of alpha, in the norm of K + ridge, over the squared norm that Y can give it.
conjugate_error <- 1e-20

# The same by conjugate gradients; NULL where they do not converge in so many steps, as with a
# lambda near rounding. K: a matrix, or gram_products(); root: U, K ~ UU'; largest: of K's diagonal.
solve_conjugate <- function(K, root, largest, ridge, task, args, error, steps) {
  Y <- task$Y
  if (is.null(root) || any(colSums(Y^2) == 0)) return(NULL)
  # no step of Newton's method follows that would correct this one: to this error
  solved <- core_result(ridge_conjugate_(
    K, root, matrix(rep(ridge, ncol(Y))), matrix(Y), matrix(0, ncol(Y)), args$intercept,
    error * colSums(Y^2 / ridge), rep(1e300, ncol(Y)), steps
  ))
  if (!all(solved$converged == 1L)) return(NULL)
  warn_digits(largest, ridge, args$lambda)
  alpha <- matrix(solved$change, nrow(Y))
  # what steps that end early leave is in one of them
  decision <- if (is.matrix(K)) Y - ridge * alpha
              else add_intercept(matrix(solved$product, nrow(Y)), drop(solved$constant))
  alpha[task$costs == 0, ] <- 0
  list(coefficients = alpha, intercept = drop(solved$constant), decision = decision)
}

rows_in_order <- function(space, order) {
  space$X <- space$X[order, , drop = FALSE]
  space$domain <- space$domain[order]
  space
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
       "about ", plural(digits, "digit"), " at this `lambda` (", format(lambda), "); scale ",
       "the predictors (`scale = \"pooled\"`) or raise it.")
}

# ---- sums of features -------------------------------------------------------------------------

# w = (Z'CZ + lambda)^-1 Z'CY, of centred moments if there is a constant.
solve_moments <- function(moments, args) {
  centred <- centre_moments(moments, args$intercept)
  ridge <- rep(args$lambda, nrow(centred$cross))
  solved <- core_result(ridge_solve_(centred$second, centred$cross, ridge))
  warn_ridge(solved$jitter, args$lambda)
  list(coefficients = solved$solution,
       intercept = centred$intercept - drop(centred$mean %*% solved$solution))
}

# With a constant b, z and y less their means give w, and b = mean(y) - mean(z)'w.
centre_moments <- function(moments, intercept) {
  if (!intercept) {
    moments$mean <- rep(0, nrow(moments$cross))
    moments$intercept <- rep(0, ncol(moments$cross))
    return(moments)
  }
  moments$mean <- moments$sums / moments$total
  moments$intercept <- moments$response_sums / moments$total
  moments$second <- moments$second - tcrossprod(moments$sums, moments$mean)
  moments$cross <- moments$cross - outer(moments$sums, moments$intercept)
  moments
}

# A tenth of the groups each, or all where there are fewer.
lambda_folds <- 10L

# total: sums without the domains `without`.
choose_lambda <- function(sums, total, rows, args, without = integer()) {
  folds <- split_groups(sums, rows, without = without)
  if (length(folds) < 2L) return(1)
  lambdas <- total$total * penalty_shares
  errors <- Reduce(`+`, lapply(folds, function(domains) {
    colSums(left_out_errors(sums, total, domains, rows, args, lambdas, without)$errors)
  }))
  lambdas[simplest_best(errors)]
}

# Sets of domains, of about as many groups each; domains without weight are in none.
split_groups <- function(sums, rows, k = lambda_folds, without = integer()) {
  weighty <- setdiff(which(domain_sums(rows)$weights > 0), without)
  groups <- unique(sums$group[weighty])
  fold <- if (length(groups) <= k) seq_along(groups)
          else sample(rep_len(seq_len(k), length(groups)))
  unname(split(weighty, fold[match(sums$group[weighty], groups)]))
}

# Sums of squared errors of some domains by the fits to the others, whose sums are `total` less
# those of these domains: list(errors [m x lambdas], coefficients [r x m lambdas], intercept
# [m lambdas], own: the domains' sums). without: domains that total lacks.
left_out_errors <- function(sums, total, domains, rows, args, lambdas, without = integer()) {
  left_out <- sum_groups(sums, domains)
  centre <- centre_without(rows, c(domains, without), args, ncol(left_out$cross))
  solved <- fit_without(total, left_out, centre, args, lambdas)
  errors <- matrix(column_errors(left_out, solved), ncol = length(lambdas))
  c(solved, list(errors = errors, own = left_out))
}

# sum c (y - z'w - b)^2 for each column w and its b; targets repeat with the columns.
column_errors <- function(left_out, solved) {
  W <- solved$coefficients
  b <- solved$intercept
  target <- rep_len(seq_len(ncol(left_out$cross)), ncol(W))
  cross <- left_out$cross[, target, drop = FALSE] - outer(left_out$sums, b)
  square <- diag(left_out$response_second)[target] - 2 * b * left_out$response_sums[target] +
    b^2 * left_out$total
  pmax(square - 2 * colSums(W * cross) + colSums(W * (left_out$second %*% W)), 0)
}

# A standardised response is centred by the mean of the other domains, see left_out_centre().
centre_without <- function(rows, domains, args, m) {
  survey <- rows$survey
  if (survey$reader$kind != "number" || args$scale == "none" || args$intercept) return(rep(0, m))
  rest <- lapply(survey$response, take, -domains)
  whole <- pool_moments(survey$response)
  if (whole$square == 0) return(0)
  (pool_moments(rest)$mean - whole$mean) / sqrt(whole$square / whole$count)
}

# Beyond that domains are left out in groups.
left_out_sets <- 100L

# Fits without each group of domains: list(group of each domain, errors [m x groups]: mean squared
# errors in units of the targets, coefficients [r x m groups], intercept).
leave_groups_out <- function(sums, total, rows, args, lambda) {
  sets <- split_groups(sums, rows, k = left_out_sets)
  if (length(sets) < 2L) return(NULL)
  sets <- with_weightless(sets, sums)
  left <- lapply(sets, function(domains) {
    left_out_errors(sums, total, domains, rows, args, lambda)
  })
  list(sets = sets, errors = vapply(left, function(one) drop(one$errors) / one$own$total,
                                    numeric(ncol(total$cross))),
       coefficients = do.call(cbind, lapply(left, `[[`, "coefficients")),
       intercept = unlist(lapply(left, `[[`, "intercept")))
}

# The sets with the domains that have no weight, which are judged too: by the fit without their
# group, or where all of that has none in a set of their own, by the fit of all.
with_weightless <- function(sets, sums) {
  set <- integer(length(sums$group))
  set[unlist(sets)] <- rep(seq_along(sets), lengths(sets))
  if (all(set > 0L)) return(sets)
  of_group <- tapply(set, sums$group, max)
  set <- c(of_group[match(sums$group, names(of_group))])
  idle <- unique(sums$group[set == 0L])
  each <- length(sets) + length(idle) <= left_out_sets
  added <- length(sets) + if (each) match(sums$group, idle) else rep(1L, length(set))
  set[set == 0L] <- added[set == 0L]
  sets <- unname(split(seq_along(set), set))
  sets[order(vapply(sets, min, 0L))]
}
