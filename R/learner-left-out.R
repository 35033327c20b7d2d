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
# kernels and penalty stay. sample: of lodo_sample(). Models without a closed form have no method.
left_out_values <- function(fitted, sample) UseMethod("left_out_values")

has_left_out_values <- function(fitted) {
  any(vapply(class(fitted), function(class) {
    !is.null(utils::getS3method("left_out_values", class, optional = TRUE, envir = topenv()))
  }, NA))
}

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

# The same for many values of lambda: exact to `tolerance` standard deviations of the
# response (root mean square over the rows of a domain). First from the Krylov spaces of the
# Gram matrix, one per domain, until so small values of lambda are left that an inverse
# of K + pole pays, which serves those within a factor of 100 of the pole. list(
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
  follow <- function(matrix, pole, lambdas, patience) {
    core_result(ridge_path_(matrix, pole, Y, sqrt(costs), lambdas, sizes, centre, intercept,
                            tolerance, patience, threads))
  }
  # steps of all systems in the time of an inverse, and those that follow it
  price <- 0.6 * nrow(Y) / (min(systems, 32) + 16) * min(1, 32 / systems) + 15
  path <- follow(K, 0, lambdas, price)
  steps <- path$steps
  lost <- which(path$lost == 1L)
  poles <- numeric()
  for (near in pole_groups(lambdas, lost)) {
    pole <- exp(mean(log(range(lambdas[near]))))
    near_pole <- core_result(ridge_inverse_(K, row_ridges(pole, costs, K)))
    warn_ridge(near_pole$jitter, pole)
    again <- follow(near_pole$inverse, pole, lambdas[near], 200)
    path$prediction[, path_columns(near, m)] <- again$prediction
    steps <- steps + again$steps
    poles <- c(poles, pole)
    lost <- setdiff(lost, near[again$lost == 0L])
  }
  for (l in lost) {
    path$prediction[, path_columns(l, m)] <-
      Y - leave_rows_out(function() K, Y, domain, costs, lambdas[l], centre, intercept)$residual
  }
  c(path_errors(path$prediction, Y, domain, costs, length(lambdas)),
    list(prediction = path$prediction, steps = steps / systems, poles = poles,
         factorised = lambdas[lost]))
}

# Those that are left in groups of at most four powers of ten; a few are better
# factorised one by one.
pole_groups <- function(lambdas, lost) {
  if (length(lost) <= 2L) return(list())
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

# For a few values of lambda from one factor of the sums of all rows; domains with more rows than
# there are features, and many values of lambda, from the sums of the rows of all other domains.
#' @exportS3Method
predict_left_out.feature_space <- function(space, sample, task, args, lambdas) {
  check_left_out(sample)
  m <- ncol(task$Y)
  check_feature_memory(nrow(task$Y), m * length(lambdas))
  space$map <- with_factor(space$map)
  left <- list(space = space, sample = sample, task = task, table = own_table(space, sample),
               args = args, centre = left_out_centre(sample, task, args))
  left$total <- ridge_moments(space, sample, task, left$table)
  rows <- split(seq_along(sample$domain), sample$domain)
  values <- array(0, c(dim(task$Y), length(lambdas)))
  small <- length(lambdas) <= few_lambdas & lengths(rows) <= space$dim
  for (l in if (any(small)) seq_along(lambdas)) {
    whole <- factor_of_sums(left, lambdas[l])
    if (is.null(whole)) {
      small[] <- FALSE
      break
    }
    for (domains in domain_runs(small, lengths(rows), space$dim)) {
      values[unlist(rows[domains]), , l] <- without_domains(left, whole, rows[domains], domains)
    }
  }
  for (g in which(!small)) {
    i <- rows[[g]]
    own <- ridge_moments(space, sample, task, left$table, i)
    solved <- fit_without(left$total, own, left$centre[g, ], args, lambdas)
    values[i, , ] <- add_intercept(expand_rows(space, rows_at(sample, i), left$table,
                                            solved$coefficients), solved$intercept)
  }
  values
}

# With more of them one band form serves all, see fit_without().
few_lambdas <- 4L

# With A = R'R, A = Z'CZ + lambda of centred features: list(R, b = R^-T Z'CY and, last, R^-T Z'C1,
# mean of the features, intercept, constant: 1 / 1'C1). NULL where A is singular to rounding.
factor_of_sums <- function(left, lambda) {
  centred <- centre_moments(left$total, left$args$intercept)
  A <- centred$second
  diag(A) <- diag(A) + lambda
  R <- on_error(chol(A), function(e) NULL)
  if (is.null(R)) return(NULL)
  list(R = R, b = backsolve(R, cbind(centred$cross, left$total$sums), transpose = TRUE),
       mean = centred$mean, intercept = centred$intercept,
       constant = if (left$args$intercept) 1 / left$total$total else 0)
}

# Runs of domains whose rows together are about as many as there are features.
domain_runs <- function(small, sizes, dim) {
  domains <- which(small & sizes > 0L)
  unname(split(domains, cumsum(sizes[domains]) %/% dim))
}

# Predictions of the rows of each of these domains by the fit without it, in closed form: with T =
# R^-T Z' [r x n] of its rows and P = T'T + 1 / 1'C1 (the latter with an intercept) they are
#   f - P C (I - P C)^-1 (y - f),
# so that neither a factor nor the features are made again for each domain. These are the residuals
# of core/ridge/without-group.h, which needs rows with a cost; here a row may have none.
without_domains <- function(left, whole, rows, domains) {
  m <- ncol(left$task$Y)
  i <- unlist(rows, use.names = FALSE)
  Z <- features_at(left$space, rows_at(left$sample[c("X", "domain")], i), left$table)
  t <- backsolve(whole$R, t(Z) - whole$mean, transpose = TRUE)
  fitted <- crossprod(t, whole$b)
  # targets of the other domains are less `centre`
  centre <- left$centre[rep(domains, lengths(rows)), , drop = FALSE]
  values <- fitted[, seq_len(m), drop = FALSE] - fitted[, m + 1L] * centre +
    rep(whole$intercept, each = length(i))
  residual <- left$task$Y[i, , drop = FALSE] - centre - values
  root <- sqrt(left$task$costs[i])
  for (own in split(seq_along(i), rep(seq_along(rows), lengths(rows)))) {
    P <- crossprod(t[, own, drop = FALSE]) + whole$constant
    S <- diag(length(own)) - root[own] * P * rep(root[own], each = length(own))
    solved <- root[own] * solve_positive(S, root[own] * residual[own, , drop = FALSE])
    values[own, ] <- values[own, ] - P %*% solved
  }
  values + centre
}

# S^-1 V of a positive definite S.
solve_positive <- function(S, V) {
  R <- on_error(chol(S), function(e) {
    abort("numeric", "A ridge regression without some of the rows has no solution.")
  })
  backsolve(R, backsolve(R, V, transpose = TRUE))
}

# The fit to all rows but some, from the sums of both, whose targets are less `centre` there:
# list(coefficients [r x m lambdas], intercept [m lambdas]).
fit_without <- function(total, own, centre, args, lambdas) {
  rest <- Map(`-`, total, own)
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
