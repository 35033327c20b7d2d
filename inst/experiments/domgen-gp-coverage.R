# Coverage of the Gaussian process's 95 % predictive intervals on data drawn from its own model: f
# from the prior with a kernel between domains, noise added, all parameters fitted to half of the
# domains (signal and noise only with feature maps, whose bandwidths are given), intervals for the
# responses of the others.
#   coverage     percent of the responses of unseen domains that lie in their intervals
#   width        mean width of the intervals
#   noise_width  what it would be if f were known

# 2 * half domains with their own place; f from the prior by its covariance.
draw_from_prior <- function(half, rows, signal, noise) {
  G <- 2 * half
  domain <- factor(rep(seq_len(G), each = rows))
  X <- cbind(x1 = stats::rnorm(G * rows, mean = stats::rnorm(G)[domain]),
             x2 = stats::runif(G * rows, -2, 2))
  squared <- dg_mmd(X, domain, kernel_rbf(1))$squared
  kappa <- exp(-squared / (2 * 0.5^2))
  K <- kernel_matrix(kernel_rbf(1.2), X) * kappa[as.integer(domain), as.integer(domain)]
  f <- signal * drop(crossprod(chol(K + diag(1e-8, nrow(K))), stats::rnorm(nrow(K))))
  list(X = X, y = 3 + f + stats::rnorm(nrow(X), sd = noise), domain = domain,
       train = as.integer(domain) <= half)
}

prior_machines <- function() {
  on_x <- kernel_rbf(1.2)
  between <- domain_distribution(kernel_rbf(1), kernel_rbf(0.5))
  list(
    exact = dg_gp(kernel = kernel_rbf(), domain_kernel = domain_distribution(), restarts = 1),
    `Nystrom features` = dg_gp(kernel = on_x, domain_kernel = between, scale = "none",
                               feature_map = features_nystrom(150)),
    `product features` = dg_gp(kernel = on_x, domain_kernel = between, scale = "none",
                               feature_map = features_product(x = features_nystrom(50)))
  )
}

experiment(
  paper = "domgen", item = "?dg_gp",
  title = "Do intervals of Gaussian processes cover on unseen domains?",
  draws = c(quick = 2, normal = 100, full = 500), minutes = c(quick = 0.1, normal = 8, full = 40),
  tolerance = c(coverage = 0.6, width = 3e-4),
  cells = function(size) {
    if (size == "quick") data.frame(domains = 6, rows = 40)
    else data.frame(domains = c(6, 12), rows = c(60, 40))
  },
  run = function(cell, draw, data) {
    d <- draw_from_prior(cell$domains, cell$rows, signal = 1, noise = 0.4)
    machines <- prior_machines()
    bind(lapply(names(machines), function(name) {
      seconds <- elapsed(
        model <- fit(machines[[name]], d$X[d$train, ], d$y[d$train], d$domain[d$train])
      )
      interval <- predict(model, d$X[!d$train, ], domain = d$domain[!d$train],
                          interval = "posterior", level = 0.95)
      y <- d$y[!d$train]
      width <- interval[, "upper"] - interval[, "lower"]
      result_lines(name, c(
        coverage = 100 * mean(y >= interval[, "lower"] & y <= interval[, "upper"]),
        width = mean(width),
        noise_width = 2 * stats::qnorm(0.975) * model$noise_sd * model$response$scale
      ), seconds = seconds)
    }))
  }
)
