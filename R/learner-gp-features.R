# Gaussian process on features: f = <z, beta>, beta ~ N(0, s^2 I), noise of variance
# nu^2 / u. All it needs of the rows are the sums S = Z'UZ, b = Z'Uy, c = y'Uy with
# U = diag(u); with S = V diag(values) V' and delta = (nu / s)^2 the likelihood costs O(r).

fit_feature_gp <- function(problem, shared) {
  rows <- problem$rows
  args <- problem$args
  space <- space_of(args, rows, shared)
  check_feature_memory(space$dim)
  # sums of weights near 1e308 would overflow: u = w / max(w), nu = noise / sqrt(max(w))
  args$unit <- sqrt(domain_sums(rows)$heaviest)
  table <- rows_table(rows, space)
  sums <- gp_sums(rows, space, problem$targets, table)
  fitted <- solve_feature_gp(args, space, sums, problem$targets,
                             target_size(rows, problem$targets), colnames(rows$sample$X))
  # where rows are kept, they are predicted again
  if (!only_sums(rows)) fitted$left_out <- NULL
  fitted$decision <- row_values(rows, space, matrix(fitted$coefficients), 0, table)
  fitted
}

# sums: see gp_sums(); size: of the targets; args$unit: see above.
solve_feature_gp <- function(args, space, sums, response, size, columns) {
  check_overflow(diag(sums$total$second), space$kernel)
  basis <- gp_basis(sums$total)
  best <- optimise_feature_gp(args, basis, size)
  warn_optimum(best)
  point <- c(best$point, list(kernel = space$kernel, domain_kernel = space$domain_kernel))
  at <- feature_likelihood(basis, point$signal_sd, point$noise_sd / args$unit)
  if (at$value == -Inf) abort_indefinite(point)
  shrunk <- basis$values + at$delta
  beta <- basis$vectors %*% (basis$cross / shrunk)
  c(list(
    coefficients = drop(beta),
    signal_sd = point$signal_sd, noise_sd = point$noise_sd,
    parameters = describe_parameters(point, best, response, columns),
    log_likelihood = in_response_units(at$value, response, sums$total$n),
    gradient = best$gradient, evaluations = best$evaluations, space = space,
    spread = gp_spread(basis, at$nu, at$delta)
  ), feature_lodo(sums, basis, at, response))
}

# Var(<z, beta>) = |z' spread|^2
gp_spread <- function(basis, nu, delta) {
  basis$vectors %*% diag(nu / sqrt(basis$values + delta), length(basis$values))
}

# list(total, G, sets, domains): sums over all rows, and over those of each domain, or set of
# domains where they are many; not of domains in memory that would take more than 256 MB.
gp_sums <- function(rows, space, targets, table) {
  keeps_fits <- only_sums(rows)
  sums <- gp_group_sums(rows, space, targets, if (keeps_fits) group_domains else kept_groups, table)
  sets <- split_groups(sums, rows, k = if (keeps_fits) left_out_sets else Inf)
  several <- length(sets) > 1L
  if (several && keeps_fits) sets <- with_weightless(sets, sums)
  by_domain <- domain_sums(rows)
  of <- function(set) gp_sums_of(sums, by_domain, set)
  list(total = of(seq_along(by_domain$weights)), G = length(by_domain$weights), sets = sets,
       domains = if (several) lapply(sets, of))
}

gp_group_sums <- function(rows, space, targets, group, table = rows_table(rows, space)) {
  by_domain <- domain_sums(rows)
  group_sums(rows, space, targets, rep(1 / by_domain$heaviest, length(by_domain$weights)), group,
             table)
}

kept_groups <- function(space, G) {
  if (G * space$dim^2 > domain_numbers) one_group(space, G) else seq_len(G)
}

gp_sums_of <- function(sums, by_domain, domains) {
  summed <- sum_groups(sums, domains)
  n <- sum(by_domain$positive[domains])
  list(second = summed$second, cross = drop(summed$cross), square = drop(summed$response_second),
       n = n, log_weights = sum(by_domain$logs[domains]) - n * log(by_domain$heaviest),
       weight = summed$total)
}

# In the eigenvectors of S. Rounding makes eigenvalues of 0 negative.
gp_basis <- function(sums) {
  decomposition <- eigen(sums$second, symmetric = TRUE)
  sums$second <- NULL
  c(sums[c("square", "n", "log_weights")],
    list(values = pmax(decomposition$values, 0), vectors = decomposition$vectors,
         cross = drop(crossprod(decomposition$vectors, sums$cross))))
}

# y'A^-1 y = (c - b'(S + delta I)^-1 b) / nu^2 and
# log|A| = n log nu^2 - sum log u + log|S + delta I| - r log delta.
feature_likelihood <- function(basis, signal_sd, nu) {
  delta <- (nu / signal_sd)^2
  shrunk <- basis$values + delta
  fit <- max(basis$square - sum(basis$cross^2 / shrunk), 0) / nu^2
  log_determinant <- basis$n * log(nu^2) - basis$log_weights + sum(log(shrunk / delta))
  # the derivative in delta, times delta
  slope <- delta * (sum((basis$cross / shrunk)^2) / nu^2) - sum(basis$values / shrunk)
  value <- -(fit + log_determinant + basis$n * log(2 * pi)) / 2
  if (!is.finite(value)) return(list(value = -Inf, gradient = c(signal_sd = 0, noise_sd = 0)))
  list(value = value, delta = delta, nu = nu,
       gradient = c(signal_sd = slope, noise_sd = fit - basis$n - slope))
}

optimise_feature_gp <- function(args, basis, size) {
  blocks <- open_blocks(args)
  trace <- sum(basis$values) / basis$n
  point_at <- function(factors) {
    list(signal_sd = if (is.null(args$signal_sd)) size / sqrt(if (trace > 0) trace else 1)
                  else args$signal_sd,
         noise_sd = if (is.null(args$noise_sd)) factors$noise_sd * size / 2 else args$noise_sd)
  }
  first <- point_at(start_factors(1L))
  if (length(blocks) == 0L || !args$optimise) return(list(point = first, blocks = list()))
  of <- vapply(blocks, `[[`, "", "of")
  count <- 0L
  at <- function(theta) {
    count <<- count + 1L
    point <- theta_point(theta, first, blocks)
    feature_likelihood(basis, point$signal_sd, point$noise_sd / args$unit)
  }
  objective <- list(value = function(theta) -at(theta)$value,
                    gradient = function(theta) -unname(at(theta)$gradient[of]),
                    evaluations = function() count)
  bounds <- theta_bounds(first, blocks)
  climbs <- lapply(seq_len(args$restarts), function(start) {
    climb(objective, point_at(start_factors(start)), blocks, bounds, basis$n)
  })
  best <- climbs[[which.max(vapply(climbs, `[[`, numeric(1), "value"))]]
  best$blocks <- blocks
  best
}

# beta without domain g solves (S - S_g + delta I) beta = b - b_g, and the density
# of its responses follows from the determinants with and without it. list(log_density [G]: of sets
# of domains that of all their responses, left_out: as leave_groups_out() gives it), or NULL.
feature_lodo <- function(sums, basis, at, response) {
  if (is.null(sums$domains)) return(NULL)
  total <- sums$total
  whole <- sum(log(basis$values + at$delta))
  left <- lapply(sums$domains, function(domain) {
    R <- chol(total$second - domain$second + diag(at$delta, length(domain$cross)))
    beta <- backsolve(R, backsolve(R, total$cross - domain$cross, transpose = TRUE))
    left <- domain$cross - drop(domain$second %*% beta)
    squares <- max(domain$square - sum(beta * (domain$cross + left)), 0)
    fit <- squares - sum(crossprod(basis$vectors, left)^2 / (basis$values + at$delta))
    log_density <- -(fit / at$nu^2 + domain$n * log(2 * pi * at$nu^2) - domain$log_weights + whole -
                       2 * sum(log(diag(R)))) / 2
    list(beta = beta, error = squares / domain$weight,
         log_density = if (domain$n > 0) in_response_units(log_density, response, domain$n) else NA)
  })
  of <- function(name) vapply(left, function(one) one[[name]] + 0, 0)
  log_density <- rep(NA_real_, sums$G)
  log_density[unlist(sums$sets)] <- rep(of("log_density"), lengths(sums$sets))
  list(log_density = log_density,
       left_out = list(sets = sums$sets, errors = of("error"), intercept = numeric(length(left)),
                       coefficients = do.call(cbind, lapply(left, `[[`, "beta"))))
}
