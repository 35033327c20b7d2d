# Ridge regressions without one domain, for one lambda or for many.

# Predictions of each row by the functions that are fitted without its domain, an
# array [n x m x lambdas], NA where a level is new without it. sample: list(X, domain, weights,
# levels), and left_out where groups of rows other than the domains are left out (then to the path's
# accuracy); task: ridge_task().
left_out_predictions <- function(space, sample, task, args, lambdas) {
  values <- predict_left_out(space, sample, task, args, lambdas)
  values[unknown_elsewhere(sample$levels, groups_left_out(sample)), , ] <- NA
  values
}

groups_left_out <- function(sample) {
  if (is.null(sample$left_out)) sample$domain else sample$left_out
}

predict_left_out <- function(space, sample, task, args, lambdas) UseMethod("predict_left_out")

#' @exportS3Method
predict_left_out.gram_space <- function(space, sample, task, args, lambdas) {
  groups <- groups_left_out(sample)
  codes <- sample$domain
  sample$domain <- groups
  check_left_out(sample)
  check_memory(nrow(sample$X), copies = 2)
  check_feature_memory(nrow(task$Y), ncol(task$Y) * length(lambdas))
  order <- order(groups)
  space$X <- sample$X
  space$domain <- codes
  space <- rows_in_order(space, order)
  groups <- groups[order]
  centre <- left_out_centre(sample, task, args)
  Y <- task$Y[order, , drop = FALSE]
  gram <- function() space_gram(space)
  values <- if (length(lambdas) == 1L && is.null(sample$left_out)) {
    Y - leave_rows_out(gram, Y, groups, task$costs[order], lambdas, centre, args$intercept)$residual
  } else {
    ridge_path(gram(), Y, groups, task$costs[order], lambdas, centre, args$intercept,
               threads = args$threads)$prediction
  }
  dim(values) <- c(dim(Y), length(lambdas))
  values[order(order), , , drop = FALSE]
}

# Decision values of the rows of a fitted model [n x m], each by the same fit without its domain:
# kernels and penalty stay. sample: of lodo_sample().
left_out_values <- function(fitted, sample) UseMethod("left_out_values")

#' @exportS3Method
left_out_values.dg_ridge <- function(fitted, sample) {
  left_out_ridge(fitted, sample, list(args = fitted$spec$args, costs = fitted$costs,
                                      lambda = penalty_of(fitted, "lambda")))
}

# ridge: what the model is as a ridge regression.
left_out_ridge <- function(fitted, sample, ridge) {
  task <- list(response = fitted$response, costs = ridge$costs,
               Y = code_rows(fitted$response, fitted$y))
  values <- left_out_predictions(fitted$space, sample, task, ridge$args, ridge$lambda)
  matrix(values, nrow(task$Y), dimnames = list(NULL, colnames(fitted$coefficients)))
}

lambda_values <- function(values, l) matrix(values[, , l], dim(values)[1L])

# Two domains with a weight, so that something is left.
check_left_out <- function(sample) {
  weighty <- sum(tapply(sample$weights, sample$domain, max) > 0)
  if (weighty < 2L) {
    abort("data", "Leaving domains out needs at least 2 domains",
          if (nlevels(sample$domain) >= 2L) " with a positive weight", ", not ", weighty, ".")
  }
}

# A standardised response is centred by the mean of the other domains, [G x m].
left_out_centre <- function(sample, task, args) {
  centre <- matrix(0, nlevels(sample$domain), ncol(task$Y))
  if (task$response$kind != "number" || args$scale == "none" || args$intercept) return(centre)
  centre[, 1L] <- vapply(levels(sample$domain), function(g) {
    rest <- sample$domain != g
    weighted_mean(task$Y[rest, 1L], sample$weights[rest])
  }, numeric(1))
  centre
}

# list(residual, ...): residuals of each domain when it is left out, in closed form [n x m]. gram: a
# function that gives K; rows are sorted by domain; squares: the weights of the squared residuals
# whose slopes are wanted, see core/ridge/lodo.h.
leave_rows_out <- function(gram, Y, domain, costs, lambda, centre, intercept, squares = NULL) {
  K <- gram()
  ridge <- row_ridges(lambda, costs, K)
  left <- core_result(ridge_lodo_(hand_over(K), Y, ridge, tabulate(domain, nlevels(domain)), centre,
                                  intercept, squares))
  warn_ridge(left$jitter, lambda)
  left
}

# The same for many values of lambda. Many responses and domains have one tridiagonal form. Of fewer
# the result is exact to `tolerance` standard deviations of the response (root mean square over the
# rows of a domain): first from the Krylov spaces of the Gram matrix, one per domain, until so small
# values of lambda are left that an inverse of K + pole pays, which serves those within a factor of
# 100 of the pole. list(
#   prediction [n x m lambdas], column j + (l - 1) m for response j and lambda l,
#   error [lambdas] mean of c_i r_i^2 over rows, summed over responses,
#   domains [lambdas x G] the same by domain,
#   steps (matrix products per domain and response), poles, factorised: values of lambda that
#   not even a pole served).
ridge_path <- function(K, Y, domain, costs, lambdas, centre = NULL, intercept = FALSE,
                       tolerance = 1e-3, threads = 2L) {
  if (is.null(centre)) centre <- matrix(0, nlevels(domain), ncol(Y))
  if (is.unsorted(domain)) {
    order <- order(domain)
    path <- ridge_path(K[order, order, drop = FALSE], Y[order, , drop = FALSE], domain[order],
                       costs[order], lambdas, centre, intercept, tolerance, threads)
    path$prediction <- path$prediction[order(order), , drop = FALSE]
    return(path)
  }
  m <- ncol(Y)
  systems <- nlevels(domain) * m
  sizes <- tabulate(domain, nlevels(domain))
  follow <- function(matrix, pole, lambdas, patience, tolerance) {
    core_result(ridge_path_(matrix, pole, Y, sqrt(costs), lambdas, sizes, centre, intercept,
                            tolerance, patience, threads))
  }
  prediction <- matrix(0, nrow(Y), m * length(lambdas))
  lost <- seq_along(lambdas)
  steps <- 0
  poles <- numeric()
  # the tridiagonal form has no place for a row without a cost
  closed <- systems >= nrow(Y) / rows_per_system && min(costs) > 1e-6 * max(costs)
  if (!closed || length(lambdas) > few_factors) {
    # steps of all systems in the time of an inverse, and those that follow it
    price <- nrow(Y) / (min(systems, 32) + 12) * min(1, 32 / systems) + 10
    path <- follow(K, 0, lambdas, price, if (closed) 0 else tolerance)
    prediction <- path$prediction
    steps <- path$steps
    lost <- which(path$lost == 1L)
  }
  for (near in pole_groups(lambdas, lost)) {
    pole <- exp(mean(log(range(lambdas[near]))))
    near_pole <- core_result(ridge_inverse_(K, row_ridges(pole, costs, K)))
    warn_ridge(near_pole$jitter, pole)
    again <- follow(near_pole$inverse, pole, lambdas[near], 200, tolerance)
    prediction[, path_columns(near, m)] <- again$prediction
    steps <- steps + again$steps
    poles <- c(poles, pole)
    lost <- setdiff(lost, near[again$lost == 0L])
  }
  for (l in lost) {
    prediction[, path_columns(l, m)] <-
      Y - leave_rows_out(function() K, Y, domain, costs, lambdas[l], centre, intercept)$residual
  }
  c(path_errors(prediction, Y, domain, costs, length(lambdas)),
    list(prediction = prediction, steps = steps / systems, poles = poles,
         factorised = lambdas[lost]))
}

# With so many rows the tridiagonal form takes as long as the steps of one domain and response.
rows_per_system <- 25

# So few values of lambda are better factorised one by one.
few_factors <- 2L

# Those that are left in groups of at most four powers of ten.
pole_groups <- function(lambdas, lost) {
  if (length(lost) <= few_factors) return(list())
  power <- log10(lambdas[lost])
  groups <- max(1, ceiling(diff(range(power)) / 4))
  Filter(length, split(lost, floor((power - min(power)) / (diff(range(power)) + 1e-9) * groups)))
}

path_columns <- function(l, m) c(outer(seq_len(m), (l - 1L) * m, "+"))

# Means of c_i r_i^2, by shares because sums of weights of 1e308 overflow.
path_errors <- function(prediction, Y, domain, costs, n_lambdas) {
  m <- ncol(Y)
  share <- costs / max(costs)
  squares <- share * (prediction - Y[, rep(seq_len(m), n_lambdas), drop = FALSE])^2
  squares <- vapply(seq_len(n_lambdas), function(l) {
    rowSums(squares[, path_columns(l, m), drop = FALSE])
  }, numeric(nrow(Y)))
  squares <- rowsum(matrix(squares, nrow(Y)), as.integer(domain))
  share <- rowsum(share, as.integer(domain))
  list(error = colSums(squares) / sum(share), domains = unname(t(squares / c(share))))
}

# From the sums of all rows, in features in which these are diagonal, see
# core/ridge/without-group.h: no group needs a factor of their size. The constant is a feature
# without a penalty.
#' @exportS3Method
predict_left_out.feature_space <- function(space, sample, task, args, lambdas) {
  space$map <- with_factor(space$map)
  table <- own_table(space, sample)
  points <- sample[c("X", "domain")]
  # F [dim x rows] of these rows
  features <- function(at) feature_columns(space, rows_at(points, at), table)
  groups <- groups_left_out(sample)
  sample$domain <- groups
  check_left_out(sample)
  m <- ncol(task$Y)
  check_feature_memory(nrow(task$Y), m * length(lambdas))
  centre <- left_out_centre(sample, task, args)
  # the other rows' targets are less `centre`: the fit to a constant says what that changes
  moved <- any(centre != 0)
  targets <- cbind(task$Y, if (moved) 1)
  runs <- group_runs(groups, space$dim)
  if (length(runs) == 1L) {
    only <- features(runs[[1L]])
    features <- function(at) only
  }
  sums <- centred_sums(features, runs, targets, task$costs, args$intercept, args$threads)
  values <- array(0, c(dim(targets), length(lambdas)))
  for (basis in diagonal_bases(sums, lambdas)) {
    for (i in runs) {
      values[i, , basis$at] <- c(targets[i, ]) - core_result(ridge_without_(
        basis$turn(features(i)), targets[i, , drop = FALSE] - rep(sums$intercept, each = length(i)),
        sqrt(task$costs[i]), rle(as.integer(groups[i]))$lengths, basis$sums, basis$penalised,
        args$threads))
    }
  }
  if (!moved) return(values)
  # of a number
  values[, 1L, , drop = FALSE] + centre[as.integer(groups), 1L] * (1 - c(values[, 2L, ]))
}

# The features of so many rows are kept at a time, or those of a group.
features_kept <- 2^24

# Rows in runs of whole groups.
group_runs <- function(groups, dim) {
  members <- split(seq_along(groups), groups, drop = TRUE)
  run <- cumsum(lengths(members) * as.numeric(dim)) %/% features_kept
  lapply(unname(split(members, run)), unlist, use.names = FALSE)
}

# list(second = FCF' [r x r], cross = FCY [r x m], mean [r], intercept [m], total = 1'C1) of
# features and targets that are less their means where there is a constant, and `constant`: is there
# one?
centred_sums <- function(features, runs, targets, costs, constant, threads) {
  last <- ncol(targets) + 1L
  sums <- Reduce(add_moments, lapply(runs, function(i) {
    Y <- cbind(targets[i, , drop = FALSE], 1)
    part <- sum_rows(features(i), Y, costs[i], length(i), threads)
    list(second = part$all_second, cross = part$all_cross[, -last, drop = FALSE],
         sums = part$all_cross[, last], response_sums = colSums(costs[i] * Y)[-last],
         total = sum(costs[i]))
  }))
  c(centre_moments(sums, constant), list(constant = constant))
}

# Sums over the rows of each group, in their order, as ridge_group_sums_() gives them.
sum_rows <- function(F, Y, weights, sizes, threads) {
  core_result(ridge_group_sums_(F, Y, sqrt(weights), sizes, threads))
}

# With more values of lambda one basis serves all, whatever lambda is.
few_lambdas <- 4L

# Bases for features less their mean, a list of list(at: which lambdas, turn: a function of F
# [r x n] that gives features in which FCF' is diagonal, and the constant, [r + 1 x n], penalised:
# that diagonal and lambda, sums: of targets times features).
diagonal_bases <- function(sums, lambdas) {
  factors <- if (length(lambdas) <= few_lambdas) lapply(lambdas, function(lambda) {
    on_error(chol(sums$second + diag(lambda, nrow(sums$second))), function(e) NULL)
  })
  if (length(factors) == 0L || any(vapply(factors, is.null, NA))) {
    return(list(eigen_basis(sums, lambdas)))
  }
  lapply(seq_along(lambdas), function(l) {
    R <- factors[[l]]
    turn <- function(F) {
      rbind(backsolve(R, F - sums$mean, transpose = TRUE), if (sums$constant) 1)
    }
    new_basis(sums, l, turn, backsolve(R, sums$cross, transpose = TRUE), matrix(1, nrow(R)))
  })
}

eigen_basis <- function(sums, lambdas) {
  basis <- eigen(sums$second, symmetric = TRUE)
  V <- basis$vectors
  constant <- if (sums$constant) 0
  # the last of which is 0 - (-1)
  turn <- function(F) {
    rbind(t(V), constant) %*% F - c(crossprod(V, sums$mean), constant - 1)
  }
  new_basis(sums, seq_along(lambdas), turn, crossprod(V, sums$cross),
            outer(pmax(basis$values, 0), lambdas, "+"))
}

# With the constant, whose products with centred targets and features sum to 0.
new_basis <- function(sums, at, turn, cross, penalised) {
  constant <- sums$constant
  list(at = at, turn = turn, sums = if (constant) rbind(cross, numeric(ncol(cross))) else cross,
       penalised = rbind(penalised, if (constant) sums$total))
}

# The fit to all rows but some, from the sums of both, whose targets are less `centre` there:
# list(coefficients [r x m lambdas], intercept [m lambdas]).
fit_without <- function(total, left_out, centre, args, lambdas) {
  rest <- Map(`-`, total, left_out)
  rest$cross <- rest$cross - outer(rest$sums, centre)
  if (length(lambdas) <= few_lambdas) {
    solved <- lapply(lambdas, function(lambda) solve_moments(rest, replace(args, "lambda", lambda)))
    W <- do.call(cbind, lapply(solved, `[[`, "coefficients"))
    intercept <- unlist(lapply(solved, `[[`, "intercept"))
  } else {
    centred <- centre_moments(rest, args$intercept)
    W <- core_result(ridge_shifted_(centred$second, centred$cross, lambdas, args$threads))
    intercept <- rep(centred$intercept, length(lambdas)) - drop(centred$mean %*% W)
  }
  list(coefficients = W, intercept = intercept + rep(centre, length(lambdas)))
}
