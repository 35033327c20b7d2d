# Gaussian process on features: f = <z, beta>, beta ~ N(0, s^2 I), noise of variance
# nu^2 / u. All it needs of the rows are the sums S = Z'UZ, b = Z'Uy, c = y'Uy with
# U = diag(u); with S = V diag(values) V' and delta = (nu / s)^2 the likelihood costs O(r).

fit_feature_gp <- function(args, sample, response) {
  product <- sample_space(args, sample)
  check_feature_memory(product$dim)
  # sums of weights near 1e308 would overflow: u = w / max(w), nu = noise / sqrt(max(w))
  args$unit <- sqrt(max(sample$weights))
  sample$weights <- sample$weights / max(sample$weights)
  table <- own_table(product, sample)
  sums <- gp_sums(product, sample, response$target, table)
  fitted <- solve_feature_gp(args, product, sums, response,
                             target_size(response$target, sample$weights), colnames(sample$X))
  fitted$decision <- expand_rows(product, sample, table, matrix(fitted$coefficients))
  fitted
}

# sums: see gp_sums(); size: of the targets; args$unit: see above.
solve_feature_gp <- function(args, product, sums, response, size, columns) {
  check_overflow(diag(sums$total$second), product$kernel)
  basis <- gp_basis(sums$total)
  best <- optimise_feature_gp(args, basis, size)
  warn_optimum(best)
  point <- c(best$point, list(kernel = product$kernel, domain_kernel = product$domain_kernel))
  at <- feature_likelihood(basis, point$signal, point$noise / args$unit)
  if (at$value == -Inf) abort_indefinite(point)
  shrunk <- basis$values + at$delta
  beta <- basis$vectors %*% (basis$cross / shrunk)
  list(
    coefficients = drop(beta),
    signal = point$signal, noise = point$noise,
    parameters = describe_parameters(point, best, response, columns),
    log_likelihood = in_response_units(at$value, response, sums$total$n),
    gradient = best$gradient, evaluations = best$evaluations, product = product,
    spread = gp_spread(basis, at$nu, at$delta),
    lodo = feature_lodo(sums, basis, at, response)
  )
}

# Var(<z, beta>) = |z' spread|^2
gp_spread <- function(basis, nu, delta) {
  basis$vectors %*% diag(nu / sqrt(basis$values + delta), length(basis$values))
}

# list(total, domains): sums over all rows, and over those of each domain unless
# there are so many that they would take more than 256 MB.
gp_sums <- function(product, sample, target, table) {
  weights <- sample$weights
  plain <- all(weights == 1)
  sums_of <- function(i) {
    u <- take(weights, i)
    y <- take(target, i)
    wanted <- list(cells = rep(1L, length(u)), n_cells = 1L, response = matrix(u * y),
                   labelled = if (!plain) u, second = plain)
    sums <- moments_of(product, rows_at(sample[c("X", "domain")], i), table, wanted)
    list(second = if (plain) sums$second else sums$labelled_second, cross = drop(sums$cross),
         square = sum(u * y^2), n = sum(u > 0), log_weights = sum(log(u[u > 0])), weight = sum(u))
  }
  G <- nlevels(sample$domain)
  if (G < 2L || G * product$dim^2 > 2^25) return(list(total = sums_of(TRUE)))
  domains <- lapply(split(seq_along(weights), sample$domain), sums_of)
  list(total = Reduce(add_moments, domains), domains = domains)
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
feature_likelihood <- function(basis, signal, nu) {
  delta <- (nu / signal)^2
  shrunk <- basis$values + delta
  fit <- max(basis$square - sum(basis$cross^2 / shrunk), 0) / nu^2
  log_determinant <- basis$n * log(nu^2) - basis$log_weights + sum(log(shrunk / delta))
  # the derivative in delta, times delta
  slope <- delta * (sum((basis$cross / shrunk)^2) / nu^2) - sum(basis$values / shrunk)
  value <- -(fit + log_determinant + basis$n * log(2 * pi)) / 2
  if (!is.finite(value)) return(list(value = -Inf, gradient = c(signal = 0, noise = 0)))
  list(value = value, delta = delta, nu = nu,
       gradient = c(signal = slope, noise = fit - basis$n - slope))
}

optimise_feature_gp <- function(args, basis, size) {
  blocks <- open_blocks(args)
  trace <- sum(basis$values) / basis$n
  point_at <- function(factors) {
    list(signal = if (is.null(args$signal)) size / sqrt(if (trace > 0) trace else 1)
                  else args$signal,
         noise = if (is.null(args$noise)) factors$noise * size / 2 else args$noise)
  }
  first <- point_at(start_factors(1L))
  if (length(blocks) == 0L || !args$optimise) return(list(point = first, blocks = list()))
  of <- vapply(blocks, `[[`, "", "of")
  count <- 0L
  at <- function(theta) {
    count <<- count + 1L
    point <- theta_point(theta, first, blocks)
    feature_likelihood(basis, point$signal, point$noise / args$unit)
  }
  objective <- list(value = function(theta) -at(theta)$value,
                    gradient = function(theta) -unname(at(theta)$gradient[of]),
                    evaluations = function() count)
  bounds <- theta_bounds(first, blocks)
  climbs <- lapply(seq_len(args$starts), function(start) {
    climb(objective, point_at(start_factors(start)), blocks, bounds, basis$n)
  })
  best <- climbs[[which.max(vapply(climbs, `[[`, numeric(1), "value"))]]
  best$blocks <- blocks
  best
}

# beta without domain g solves (S - S_g + delta I) beta = b - b_g, and the density
# of its responses follows from the determinants with and without it.
feature_lodo <- function(sums, basis, at, response) {
  if (is.null(sums$domains)) return(NULL)
  total <- sums$total
  whole <- sum(log(basis$values + at$delta))
  present <- sums$domains[vapply(sums$domains, function(own) own$n > 0, logical(1))]
  rows <- lapply(present, function(own) {
    R <- chol(total$second - own$second + diag(at$delta, length(own$cross)))
    beta <- backsolve(R, backsolve(R, total$cross - own$cross, transpose = TRUE))
    left <- own$cross - drop(own$second %*% beta)
    squares <- max(own$square - sum(beta * (own$cross + left)), 0)
    fit <- squares - sum(crossprod(basis$vectors, left)^2 / (basis$values + at$delta))
    log_density <- -(fit / at$nu^2 + own$n * log(2 * pi * at$nu^2) - own$log_weights + whole -
                       2 * sum(log(diag(R)))) / 2
    data.frame(rows = own$n, rmse = sqrt(squares / own$weight) * response$scale,
               log_density = in_response_units(log_density, response, own$n))
  })
  rows <- do.call(rbind, rows)
  data.frame(domain = names(present), rows, row.names = NULL)
}
