# What random_effects() makes of one value per site, on the same draws before and after (commit
# 478831f9 and now): intervals of a new site and of the mean, the proportion of sites that reach a
# target, regressions on sites, forecasts. value_g = theta_g + s_g e, e standard normal, with errors
# s_g = 2 / sqrt(rows), 20 to 1,000 rows (uniform logarithm), and theta_g = tau u_g where u_g has
# variance 1:
#   normal     standard normal
#   heavy      t with 3 degrees of freedom
#   skewed     exponential
#   units      0 or 1 (in 30 % of the sites), standardised
#   precise    0.7 z_g + 0.71 normal, z_g the standardised logarithm of the rows: precision goes
#              with the value
# tau is in units of 0.5, which is `large` of measures such as the calibration slope. Before: the
# prior of tau was half-normal with standard deviation `large`, the mean by restricted maximum
# likelihood with weights (metafor).
#   new         mean proportion of further sites in the interval of a new site
#   mean        proportion of draws in which the interval of the mean has the mean of all sites
#   weighted    the same of the mean by precision, as it is now
#   differ      proportion of draws in which both means are said to differ (p < 0.05)
#   pass        target theta > -0.25: proportion of draws in which the interval has the proportion
#               of further sites that reach it; `truth` and `estimate` are means of the proportion
#               and of the probability
#   slope       of a regression of the values on a standard normal x without effect; in the world
#               precise theta_g = tau (u_g + 0.8 x_g z_g)
#   difference  new site of a measure without a large tau (differences, net benefit)
# Of `rows` the calibration slope of numbers by dg_validate(), of sites whose slopes go with their
# numbers of rows, 20 to 1,000; of `events` observed/expected of classes, 5 to 200 rows and fewer
# events where there are more rows; before: as in the weighted mean. Of `forecast` the score of a
# new site, with what is expected of it, and a residual standard deviation tau; before: with weights
# by precision. `off` and `square` are means of forecast less truth, and of its square.

site_worlds <- list(
  normal = list(draw = function(z) stats::rnorm(length(z)), below = stats::pnorm),
  heavy = list(draw = function(z) stats::rt(length(z), 3) / sqrt(3),
               below = function(q) stats::pt(q * sqrt(3), 3)),
  skewed = list(draw = function(z) stats::rexp(length(z)) - 1,
                below = function(q) stats::pexp(q + 1)),
  units = list(draw = function(z) (stats::rbinom(length(z), 1, 0.3) - 0.3) / sqrt(0.21),
               below = function(q) 0.7 * (q >= -0.3 / sqrt(0.21)) + 0.3 * (q >= 0.7 / sqrt(0.21))),
  precise = list(draw = function(z) 0.7 * z + sqrt(0.51) * stats::rnorm(length(z)),
                 below = function(q) {
                   at <- stats::qunif((1:200 - 0.5) / 200, -sqrt(3), sqrt(3))
                   vapply(q, function(q) mean(stats::pnorm((q - 0.7 * at) / sqrt(0.51))), 0)
                 })
)

draw_rows_of_sites <- function(sites) {
  z <- stats::runif(sites, -sqrt(3), sqrt(3))
  middle <- log(c(20, 1000))
  list(z = z, rows = exp(mean(middle) + z * diff(middle) / sqrt(12)))
}

# What 478831f9 gave.
site_before <- function(value, se, scale) {
  posterior <- domgen:::site_posterior(value, se, scale)
  found <- suppressWarnings(metafor::rma.uni(
    value, sei = se, method = "REML", test = "adhoc", control = list(maxiter = 1000, stepadj = 0.5)
  ))
  sd <- sqrt(posterior$tau^2 + posterior$mean_sd^2)
  new <- domgen:::mixture_quantiles(c(0.025, 0.975), posterior$weights, posterior$mean, sd)
  list(new = range(new, found$ci.lb, found$ci.ub), mean = c(found$ci.lb, found$ci.ub),
       pass = 1 - domgen:::mixture_below(-0.25, posterior$weights, posterior$mean, sd))
}

site_now <- function(value, se, large) {
  found <- domgen:::random_effects(value, se, large)
  list(new = found$new$interval, mean = c(found$lower, found$upper), p = found$p,
       weighted = c(found$weighted$lower, found$weighted$upper),
       pass = domgen:::share_between(c(-0.25, Inf), found$new, 0.95))
}

covers <- function(ends, truth) as.numeric(ends[1L] <= truth && truth <= ends[2L])

one_summary <- function(cell) {
  tau <- 0.5 * cell$tau
  world <- site_worlds[[cell$world]]
  sizes <- draw_rows_of_sites(cell$sites)
  se <- 2 / sqrt(sizes$rows)
  value <- tau * world$draw(sizes$z) + se * stats::rnorm(cell$sites)
  inside <- function(ends) {
    if (tau == 0) return(covers(ends, 0))
    # of two values both are ends
    world$below((ends[2L] + 1e-9) / tau) - world$below((ends[1L] - 1e-9) / tau)
  }
  truth <- if (tau == 0) 1 else 1 - world$below(-0.25 / tau)
  old <- site_before(value, se, 0.5)
  now <- site_now(value, se, 0.5)
  without <- site_now(value, se, NULL)
  old_without <- site_before(value, se, 2 * max(stats::sd(value), se))
  x <- stats::rnorm(cell$sites)
  responses <- value + if (cell$world == "precise") 0.8 * tau * x * sizes$z else 0
  fit <- suppressWarnings(metafor::rma.uni(
    responses, sei = se, mods = x, method = "REML", test = "adhoc",
    control = list(maxiter = 1000, stepadj = 0.5)
  ))
  own <- domgen:::regress_sites(responses, se, cbind(1, x))
  slope <- own$beta[2L] + c(-1, 1) * stats::qt(0.975, cell$sites - 2) * sqrt(own$covariance[2L, 2L])
  line <- function(before, after, width_before = NA, width_after = NA, truth = NA, estimate = NA) {
    c(before, after, width_before, width_after, truth, estimate)
  }
  rbind(
    new = line(inside(old$new), inside(now$new), diff(old$new), diff(now$new)),
    mean = line(covers(old$mean, 0), covers(now$mean, 0), diff(old$mean), diff(now$mean)),
    weighted = line(NA, covers(now$weighted, 0), NA, diff(now$weighted)),
    differ = line(NA, as.numeric(now$p < 0.05)),
    pass = line(NA, covers(now$pass[2:3], truth), NA, diff(now$pass[2:3]), truth, now$pass[[1L]]),
    slope = line(covers(c(fit$ci.lb[2L], fit$ci.ub[2L]), 0), covers(slope, 0),
                 fit$ci.ub[2L] - fit$ci.lb[2L], diff(slope)),
    difference = line(inside(old_without$new), inside(without$new), diff(old_without$new),
                      diff(without$new))
  )
}

one_of_rows <- function(cell) {
  sizes <- draw_rows_of_sites(cell$sites)
  n <- round(sizes$rows)
  site <- rep(seq_len(cell$sites), n)
  x <- stats::rnorm(length(site))
  slope <- 1 + 0.5 * cell$tau * site_worlds$precise$draw(sizes$z)
  y <- slope[site] * x + stats::rnorm(length(site))
  found <- dg_validate(x, y = y, domain = site)
  now <- found$summary[found$summary$measure == "slope", ]
  own <- found$domains[found$domains$measure == "slope", ]
  old <- site_before(own$estimate, own$se, 0.5)
  below <- function(q) site_worlds$precise$below((q - 1) / (0.5 * cell$tau))
  inside <- function(ends) diff(below(ends))
  rows_lines(old$new, c(now$new_lower, now$new_upper), old$mean, c(now$lower, now$upper), 1,
             inside, now)
}

one_of_events <- function(cell) {
  n <- round(exp(stats::runif(cell$sites, log(5), log(200))))
  rate <- function(n) -0.25 * cell$tau * (log(n) - log(1000) / 2) / (log(40) / sqrt(12))
  theta <- rate(n) + 0.2 * stats::rnorm(cell$sites)
  site <- rep(seq_along(n), n)
  p <- stats::plogis(-1.5 + stats::rnorm(length(site)))
  y <- stats::rbinom(length(site), 1, pmin(p * exp(theta[site]), 1))
  found <- dg_validate(p, y = y, domain = site)$summary
  now <- found[found$measure == "oe", ]
  sizes <- exp(stats::qunif((1:200 - 0.5) / 200, log(5), log(200)))
  below <- function(q) vapply(q, function(q) mean(stats::pnorm((q - rate(sizes)) / 0.2)), 0)
  # further sites with the probabilities above 1 cut off
  rows_lines(c(NA, NA), log(c(now$new_lower, now$new_upper)),
             log(c(now$weighted_lower, now$weighted_upper)), log(c(now$lower, now$upper)),
             mean(rate(sizes)), function(ends) diff(below(ends)), now)
}

rows_lines <- function(old_new, new, old_mean, mean, truth, inside, now) {
  rbind(new = c(inside(old_new), inside(new), diff(old_new), diff(new), NA, NA),
        mean = c(covers(old_mean, truth), covers(mean, truth), diff(old_mean), diff(mean), NA, NA),
        differ = c(NA, as.numeric(now$weighted_p < 0.05), NA, NA, NA, NA))
}

one_forecast <- function(cell) {
  tau <- 0.5 * cell$tau
  k <- cell$sites
  sizes <- draw_rows_of_sites(k + 20L)
  se <- 2 / sqrt(sizes$rows[1:k])
  e <- stats::rnorm(k + 20L)
  theta <- e + tau * site_worlds[[cell$world]]$draw(sizes$z)
  value <- theta[1:k] + se * stats::rnorm(k)
  described <- list(e = e[1:k] - mean(e[1:k]), new_e = e[-(1:k)] - mean(e[1:k]))
  inside <- function(se, scale) {
    found <- domgen:::forecast_sites(value, se, described, scale, 1, 0.95)$new
    off <- found$mean - theta[-(1:k)]
    c(mean(found$lower <= theta[-(1:k)] & theta[-(1:k)] <= found$upper),
      mean(found$upper - found$lower), mean(off), mean(off^2))
  }
  old <- inside(se, 0.5)
  now <- inside(domgen:::even_errors(value, se), domgen:::tau_scale(value, se, 0.5))
  rbind(new = c(old[1L], now[1L], old[2L], now[2L], NA, NA),
        off = c(old[3L], now[3L], rep(NA, 4L)), square = c(old[4L], now[4L], rep(NA, 4L)))
}

experiment(
  paper = "domgen", item = "?dg_validate",
  title = "Intervals over sites, before and after the prior follows the data",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.2, normal = 20, full = 60),
  packages = "metafor",
  tolerance = c(after = 0.11, width_after = 0.02),
  outcomes = c("before", "after", "width_before", "width_after", "truth", "estimate"),
  cells = function(size) {
    cell <- function(kind, world, tau, sites, replications) {
      expand.grid(kind = kind, world = world, tau = tau, sites = sites,
                  replications = replications, stringsAsFactors = FALSE)
    }
    if (size == "quick") {
      return(rbind(cell("values", c("units", "precise"), 6, 10, 10),
                   cell(c("rows", "forecast"), "precise", 2, 8, 2)))
    }
    times <- c(normal = 1, full = 3)[[size]]
    all <- c(5, 10, 20, 40)
    rbind(cell("values", "normal", c(0, 0.2, 0.5, 1, 2, 4, 6), all, 200 * times),
          cell("values", c("heavy", "skewed", "units"), c(1, 2, 6), all, 200 * times),
          cell("values", "precise", c(0.2, 0.5, 1), c(5, 10, 40, 160), 200 * times),
          cell("rows", "precise", c(0.5, 1), c(10, 40, 160), 200 * times),
          cell("events", "precise", c(0, 1), 10, 200 * times),
          cell("forecast", "normal", c(0, 0.2, 1, 6), c(8, 20, 40), 200 * times),
          cell("forecast", "precise", c(0.2, 0.5, 1), c(8, 20, 40), 200 * times))
  },
  run = function(cell, draw, data) {
    one <- switch(cell$kind, values = one_summary, rows = one_of_rows, events = one_of_events,
                  forecast = one_forecast)
    found <- simplify2array(lapply(seq_len(cell$replications), function(r) {
      set.seed(9000 + r)
      suppressWarnings(one(cell))
    }))
    means <- apply(found, 1:2, function(x) mean(x[!is.na(x)]))
    middle <- apply(found, 1:2, stats::median, na.rm = TRUE)
    data.frame(interval = rownames(means), before = means[, 1L], after = means[, 2L],
               width_before = middle[, 3L], width_after = middle[, 4L], truth = means[, 5L],
               estimate = means[, 6L], row.names = NULL)
  }
)
