# The likelihood of a Gaussian process on the Gram matrix, its derivatives, and
# its maximum. With s the signal, A = K o kappa + diag((noise / s)^2 / w), so that
#   y ~ N(0, s^2 A),   log N = -(y'A^-1 y / s^2 + log|A| + n log(2 pi s^2)) / 2
# (Rasmussen and Williams, 2006, equation 2.30), and f = K alpha, alpha = A^-1 y.

# The part of the likelihood that does not depend on the parameters. Rows of weight 0 only describe
# their domains: they are in `rows`, not in X.
gp_problem <- function(args, sample, target) {
  used <- sample$weights > 0
  list(X = take_used(sample$X, used), codes = as.integer(sample$domain)[used],
       target = target[used], weights = sample$weights[used], threads = args$threads,
       rows = rows_of(sample, args$threads))
}

# Without a copy where all rows are used.
take_used <- function(X, used) if (all(used)) X else X[used, , drop = FALSE]

# memory: an environment whose matrix A, made where there is none, then holds the Cholesky factor
# of A in its upper triangle.
gp_evaluate <- function(problem, point, memory = new.env(parent = emptyenv())) {
  kappa <- domain_at(point$domain_kernel, problem$rows, problem$inner)
  program <- problem$program
  if (is.null(program)) program <- kernel_program(point$kernel, problem$X, problem$X)
  ridge <- (point$noise_sd / point$signal_sd)^2 / problem$weights
  solved <- core_result(gp_factor_(
    memory, program, problem$X, kappa$kappa, if (!is.null(kappa$kappa)) problem$codes, ridge,
    problem$target, problem$threads
  ))
  n <- length(ridge)
  s2 <- point$signal_sd^2
  fit <- sum(problem$target * solved$alpha) / s2
  value <- -(fit + solved$log_determinant + n * log(2 * pi * s2)) / 2
  if (!solved$positive || !is.finite(value)) value <- -Inf
  list(memory = memory, alpha = solved$alpha, value = value, fit = fit, ridge = ridge,
       kappa = kappa, program = program)
}

# The derivatives in theta. The factor in evaluated$memory becomes A^-1.
gp_gradient <- function(problem, point, blocks, evaluated) {
  inverse <- gp_inverse_(evaluated$memory, length(evaluated$alpha))
  s2 <- point$signal_sd^2
  noise_sd <- sum(evaluated$ridge * (evaluated$alpha^2 / s2 - inverse))
  of <- vapply(blocks, `[[`, "", "of")
  slopes <- gp_kernel_slopes(problem, point, blocks, evaluated)
  on_x <- 0L
  unlist(lapply(seq_along(blocks), function(i) {
    switch(of[i],
      signal_sd = evaluated$fit - length(inverse) - noise_sd, noise_sd = noise_sd,
      kernel = {
        on_x <<- on_x + 1L
        slopes$bandwidths[[on_x]]
      },
      domain = {
        slope <- sum(slopes$cells * domain_slope(point$domain_kernel, blocks[[i]], evaluated$kappa,
                                                 problem$rows))
        # of the logit of tau
        tau <- if (blocks[[i]]$link == "logit") get_block(point, blocks[[i]])
        if (is.null(tau)) slope else slope * tau * (1 - tau)
      })
  }))
}

# list(bandwidths: of the blocks of k; cells [G x G] if kappa has free parameters).
gp_kernel_slopes <- function(problem, point, blocks, evaluated) {
  of <- vapply(blocks, `[[`, "", "of")
  p <- ncol(problem$X)
  blocks <- blocks[of == "kernel"]
  columns <- lapply(blocks, function(b) {
    if (b$size > 1L) path_columns_of(point$kernel, b$path, p)
  })
  slopes <- Map(function(b, columns) {
    by_predictor <- !is.null(columns)
    bandwidth <- if (by_predictor) rep_len(get_bandwidth(point$kernel, b$path), b$size)
    list(program = slope_program(point$kernel, evaluated$program, b$path, problem$X, by_predictor),
         inv = if (by_predictor) spread_columns(1 / bandwidth, columns, p))
  }, blocks, columns)
  wants_cells <- any(of == "domain")
  if (length(slopes) == 0L && !wants_cells) return(NULL)
  kappa <- evaluated$kappa$kappa
  gradient <- core_result(gp_slopes_(
    evaluated$memory$A, evaluated$alpha, point$signal_sd^2, problem$X, kappa,
    if (!is.null(kappa)) problem$codes, slopes, if (wants_cells) evaluated$program,
    problem$threads
  ))
  gradient$bandwidths <- Map(function(slope, at) if (is.null(at)) slope else slope[at],
                             gradient$bandwidths, columns)
  gradient
}

# value(theta) and gradient(theta), negated, over one n x n matrix. The optimiser
# asks for the gradient where it has just asked for the value.
gp_objective <- function(problem, point, blocks) {
  of <- vapply(blocks, `[[`, "", "of")
  # what stays the same is computed once
  if (!"kernel" %in% of) problem$program <- kernel_program(point$kernel, problem$X, problem$X)
  on_rows <- vapply(blocks, function(b) identical(b$part, "kernel"), NA)
  if (!any(on_rows)) problem$inner <- domain_at(point$domain_kernel, problem$rows)$inner
  last <- list()
  memory <- new.env(parent = emptyenv())
  count <- 0L
  evaluate <- function(theta) {
    if (identical(theta, last$theta) && !last$inverted) return(invisible())
    here <- theta_point(theta, point, blocks)
    last <<- list(theta = theta, inverted = FALSE, point = here,
                  evaluated = gp_evaluate(problem, here, memory))
    count <<- count + 1L
  }
  list(
    value = function(theta) {
      if (!identical(theta, last$theta)) evaluate(theta)
      -last$evaluated$value
    },
    gradient = function(theta) {
      if (identical(theta, last$theta) && last$inverted) return(last$gradient)
      evaluate(theta)
      if (last$evaluated$value == -Inf) return(rep(0, length(theta)))
      last$inverted <<- TRUE
      last$gradient <<- -gp_gradient(problem, last$point, blocks, last$evaluated)
      last$gradient
    },
    evaluations = function() count
  )
}

# From one point to a local maximum: list(point, value, gradient, converged, ...).
gp_climb <- function(problem, point, blocks, bounds) {
  climb(gp_objective(problem, point, blocks), point, blocks, bounds, length(problem$target))
}

# The optimiser takes the curvature for 1 at first; that of the likelihood grows
# with the rows n. Divided by sqrt(n) it needs half as many evaluations.
climb <- function(objective, point, blocks, bounds, n) {
  unit <- sqrt(n)
  theta <- pmin(pmax(point_theta(point, blocks), bounds$lower), bounds$upper)
  optimum <- stats::nlminb(theta, function(theta) objective$value(theta) / unit,
                           function(theta) objective$gradient(theta) / unit,
                           lower = bounds$lower, upper = bounds$upper,
                           control = list(rel.tol = 1e-9, eval.max = 200, iter.max = 150))
  list(point = theta_point(optimum$par, point, blocks), theta = optimum$par,
       value = -unit * optimum$objective,
       gradient = -objective$gradient(optimum$par), evaluations = objective$evaluations(),
       stopped = optimum$convergence != 0, bounds = bounds)
}

# Rounding hides from nlminb() what the value could still gain, some 1e-5 from the maximum: there
# the order of rows and the BLAS would decide. One step of Newton's method on the derivative g of
# the k parameters inside their bounds, theta - H^-1 g with differences of g for H, goes on if g is
# then smaller. It takes k + 1 evaluations, and is left out where they are more than half of the
# climb's.
newton_end <- function(best, objective, blocks) {
  inside <- which(best$theta > best$bounds$lower & best$theta < best$bounds$upper)
  if (length(inside) == 0L || length(inside) > best$evaluations / 2) return(best)
  moved <- function(by) objective$gradient(replace(best$theta, inside, best$theta[inside] + by))
  h <- 1e-4
  H <- vapply(seq_along(inside), function(i) {
    (moved(replace(numeric(length(inside)), i, h)) + best$gradient)[inside] / h
  }, numeric(length(inside)))
  H <- (H + t(H)) / 2
  if (any(!is.finite(H))) return(best)
  curvatures <- eigen(H, TRUE, TRUE)$values
  if (min(curvatures) <= 1e-10 * max(curvatures)) return(best)
  step <- solve(H, best$gradient[inside])
  theta <- replace(best$theta, inside, best$theta[inside] + step)
  if (any(abs(step) > 0.01 | theta[inside] < best$bounds$lower[inside] |
            theta[inside] > best$bounds$upper[inside])) return(best)
  gradient <- -objective$gradient(theta)
  if (!isTRUE(max(abs(gradient[inside])) < max(abs(best$gradient[inside])))) return(best)
  best$point <- theta_point(theta, best$point, blocks)
  best$value <- -objective$value(theta)
  best$evaluations <- best$evaluations + length(inside) + 1L
  best$theta <- theta
  best$gradient <- gradient
  best
}

# The starts are climbed on so many rows; the climb on all rows begins where the
# likelihood of all rows is largest.
trial_rows <- 500L

gp_optimise <- function(args, problem, points) {
  p <- ncol(problem$X)
  domains <- nlevels(problem$rows$domain)
  blocks <- free_blocks(args, p, domains)
  first <- points[[1L]]
  if (length(blocks) == 0L || !args$optimise) return(list(point = first, blocks = list()))
  common <- lapply(blocks, utils::modifyList, list(size = 1L))
  few <- few_rows(problem, trial_rows)
  trials <- lapply(points, function(point) {
    gp_climb(few, point, common, theta_bounds(first, common))
  })
  best <- trials[[which.max(trial_values(problem, trials, nrow(few$X)))]]
  bounds <- theta_bounds(first, blocks)
  if (args$ard) best <- gp_climb(few, best$point, blocks, bounds)
  if (nrow(few$X) < nrow(problem$X)) best <- gp_climb(problem, best$point, blocks, bounds)
  best <- newton_end(best, gp_objective(problem, best$point, blocks), blocks)
  best$blocks <- blocks
  best
}

# The likelihoods of all rows where the trials ended.
trial_values <- function(problem, trials, n) {
  if (n == nrow(problem$X) || length(trials) == 1L) {
    return(vapply(trials, `[[`, numeric(1), "value"))
  }
  memory <- new.env(parent = emptyenv())
  vapply(trials, function(trial) gp_evaluate(problem, trial$point, memory)$value, numeric(1))
}

# Evenly spaced rows in the order of domain and x, so that the choice depends
# neither on random numbers nor on the order of rows and columns.
few_rows <- function(problem, most) {
  n <- nrow(problem$X)
  if (n <= most) return(problem)
  columns <- unname(as.data.frame(columns_by_value(problem$X)))
  ordered <- do.call(order, c(list(problem$codes), columns, list(problem$target)))
  chosen <- sort(ordered[round(seq(1, n, length.out = most))])
  problem$X <- problem$X[chosen, , drop = FALSE]
  for (name in c("codes", "target", "weights")) problem[[name]] <- problem[[name]][chosen]
  problem
}

# The gradient that is left: what a step along it could still gain, not counting
# steps out of the bounds.
free_gradient <- function(best) {
  blocked <- (best$theta <= best$bounds$lower & best$gradient < 0) |
    (best$theta >= best$bounds$upper & best$gradient > 0)
  ifelse(blocked, 0, best$gradient)
}

warn_optimum <- function(best) {
  if (length(best$blocks) == 0L) return(invisible())
  if (best$stopped && max(abs(free_gradient(best))) > 0.1) {
    warn("convergence", "The likelihood was not maximised after ",
         plural(best$evaluations, "evaluation"), "; the largest remaining derivative is ",
         signif(max(abs(free_gradient(best))), 2), ". Give some parameters or raise `restarts`.")
  }
}
