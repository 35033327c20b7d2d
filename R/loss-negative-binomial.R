# Negative binomial counts with the link log: the variance grows with the square of the mean
# (nbinom2) or in proportion to it (nbinom1), as glmmTMB names them, which fits those of dg_mixed().
# A regression on kernels would have the means of poisson() with nbinom1, so there is none.

# With theta given, the deviance is convex in the link; its own curvature takes fewer steps than the
# expected one.
loss_nbinom2 <- function() {
  loss <- negative_binomial_loss("nbinom2", "dg_glm")
  range <- list(low = 0, high = Inf)
  loss$link <- "log"
  loss$constant <- function(Y, costs, offset) {
    base_constant(stats::poisson(), range, Y[, 1L], costs, offset)
  }
  loss$begin <- function(par, Y, costs, offset) {
    f <- add_offset(0 * Y + loss$constant(Y, costs, offset), offset)
    best_dispersion(par, Y, f, costs)
  }
  loss$update <- function(par, Y, f, costs) best_dispersion(par, Y, f, costs)
  loss$smooth <- function(y, f, par, width) {
    # p is mu / (mu + theta)
    s <- f - log(par$theta)
    p <- stats::plogis(s)
    count <- y + par$theta
    value <- ifelse(y > 0, y * (log(y) - f), 0) -
      count * (log1p(y / par$theta) - pmax(s, 0) - log1p(exp(-abs(s))))
    list(value = value, slope = count * p - y, curvature = count * p * (1 - p))
  }
  loss$deviance <- function(y, mu, par) {
    d <- 2 * loss$smooth(y, log(mu), par, 0)$value
    ifelse(is.finite(mu) & mu > 0, pmax(d, 0), ifelse(!is.na(mu) & y == mu, 0, Inf))
  }
  loss$variance <- function(mu, par) mu + mu^2 / par$theta
  loss
}

loss_nbinom1 <- function() negative_binomial_loss("nbinom1", "dg_mixed")

negative_binomial_loss <- function(name, learner) {
  range <- list(low = 0, high = Inf, open = FALSE, words = "0 or more")
  new_loss(
    learner = learner, kinds = "number", smooth = NULL,
    check = function(y) check_family_response(y, name, range), range = c(0, Inf),
    mean = function(values, par) {
      means <- exp(values)
      report_infinite_means(means, values)
    }
  )
}

# Counts that vary no more than Poisson's have an infinite theta; from 1e6 on it is Poisson's for
# all purposes.
theta_range <- c(1e-3, 1e6)

# The maximum of the likelihood in theta at values f of the link.
best_dispersion <- function(par, Y, f, costs) {
  used <- costs > 0
  y <- Y[used]
  f <- f[used]
  costs <- costs[used]
  mu <- exp(f)
  value <- function(at) {
    theta <- exp(at)
    sum(costs * (lgamma(y + theta) - lgamma(theta) - y * log(theta + mu) -
                   theta * log1p(mu / theta)))
  }
  best <- stats::optimize(value, log(theta_range), maximum = TRUE, tol = 1e-6)$maximum
  par$theta <- exp(best)
  par
}
