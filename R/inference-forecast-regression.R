# Random-effects regression of one value per site on what describes the sites, see random_effects()
# for the same without descriptions:
#   value_g = mu + c e_g + b d_g + u_g + error of the site's rows,  u_g ~ N(0, tau^2), b ~ N(0, s^2)
# with e what the model expects and d the distance. mu has a flat density, tau and s half-normal
# ones, c is uniform on 0 (it says nothing), 1/4, ..., 2; 1 is right where the model is. c is not
# negative: left-out predictions of a site are learned from the others, whose mean is lower where
# the site's is higher, so that negative slopes are found where nothing can be forecast. Sums over a
# grid of tau, s and c take the place of choosing them, and the value of each site given all others
# follows in closed form. So what is chosen is chosen without the site, and hundreds of permutations
# are affordable. Forecasts are made with errors of even_errors(), so that each site counts once: by
# precision they are off where precision goes with the value (inst/experiments/domgen-sites.R).
forecast_slopes <- seq(0, 2, by = 0.25)

# value, se: of each site on the scale of the score; e, d: by site, or NULL; scale: of the prior of
# tau, see tau_scale(); inflation: of the variance of mu + b d. list(evidence: log density of all
# values, up to a constant; tau2; without: function that gives list(mean, sd, weights [nodes x
# sites]: of each site's theta, without its own value)).
left_out_sites <- function(value, se, e = NULL, d = NULL, scale, inflation = 1) {
  grid <- forecast_grid(scale, !is.null(d))
  W <- 1 / outer(grid$tau^2, se^2, "+")
  nodes <- nrow(W)
  # P = V^-1 - V^-1 1 (1'V^-1 1)^-1 1'V^-1 with V = diag(1 / W) + s^2 dd', one column of (1, d)
  # after the other: P <- P - f a a', a = P z, f = s^2 / (1 + s^2 z'a), for mu with s^2 infinite
  a <- W
  total <- rowSums(a)
  times <- function(v) W * rep(v, each = nodes) - a * (drop(a %*% v) / total)
  log_det <- rowSums(log(W)) - log(total)
  diagonal <- W - a^2 / total
  if (!is.null(d)) {
    of_mean <- times
    line <- of_mean(d)
    square <- drop(line %*% d)
    f <- grid$s^2 / (1 + grid$s^2 * square)
    times <- function(v) of_mean(v) - line * (f * drop(line %*% v))
    log_det <- log_det - log1p(grid$s^2 * square)
    diagonal <- diagonal - f * line^2
  }
  slopes <- if (is.null(e)) 0 else forecast_slopes
  Py <- times(value)
  Pe <- if (!is.null(e)) times(e) else 0
  yPy <- drop(Py %*% value)
  ePy <- if (!is.null(e)) drop(Py %*% e) else numeric(nodes)
  ePe <- if (!is.null(e)) drop(Pe %*% e) else numeric(nodes)
  # [nodes x slopes] of (value - c e)'P(value - c e)
  squares <- yPy - 2 * outer(ePy, slopes) + outer(ePe, slopes^2)
  log_density <- (log_det - squares) / 2 + grid$log_weight - log(length(slopes))
  list(
    evidence = max(log_density) + log(sum(exp(log_density - max(log_density)))),
    tau2 = sum(shares_of(log_density) * grid$tau^2),
    without = function() {
      # 1 / P_gg = se^2 + tau^2 + variance of mu + b d
      variance <- pmax(1 / diagonal - rep(se^2, each = nodes) - grid$tau^2, 0)
      sd <- sqrt(grid$tau^2 + inflation * variance)
      parts <- lapply(seq_along(slopes), function(k) {
        residual <- (Py - slopes[k] * Pe) / diagonal
        list(mean = rep(value, each = nodes) - residual,
             # less the site's own log density of variance 1 / P_gg around its mean
             others = log_density[, k] + (residual^2 * diagonal - log(diagonal)) / 2)
      })
      stacked <- function(name) do.call(rbind, lapply(parts, `[[`, name))
      list(mean = stacked("mean"), sd = do.call(rbind, rep(list(sd), length(slopes))),
           weights = apply(stacked("others"), 2L, shares_of))
    }
  )
}

# Narrow steps near zero. A standard deviation of the distance hardly ever changes a score as much
# as sites differ where they differ much: with a wider prior of s, few sites find slopes that new
# ones do not have.
forecast_grid <- function(scale, slopes) {
  tau <- seq(0, 1, length.out = 25L)^2 * 2.5 * scale
  s <- if (slopes) seq(0, 1, length.out = 9L)^1.5 * scale else 0
  width <- function(x) if (length(x) == 1L) 1 else node_widths(x)
  grid <- expand.grid(tau = tau, s = s)
  grid$log_weight <- log(rep(width(tau), length(s)) * rep(width(s), each = length(tau))) +
    stats::dnorm(grid$tau, 0, scale, log = TRUE) + stats::dnorm(grid$s, 0, scale / 3, log = TRUE)
  grid
}

left_out_means <- function(sites) {
  left <- sites$without()
  colSums(left$weights * left$mean)
}

# New sites join as sites whose value has an error so large that it says nothing. described:
# describe_sites(). list(left_out, new: data frames of mean, lower, upper on the scale).
forecast_sites <- function(value, se, described, scale, inflation, level) {
  k <- length(value)
  new <- max(length(described$new_e), length(described$new_d))
  left <- left_out_sites(c(value, rep(mean(value), new)), c(se, rep(1e3 * scale, new)),
                         c(described$e, described$new_e), c(described$d, described$new_d), scale,
                         inflation)$without()
  ends <- t(vapply(seq_len(k + new), function(g) {
    weights <- left$weights[, g]
    # most nodes have no weight
    some <- weights > 1e-9 * max(weights)
    weights <- weights[some] / sum(weights[some])
    c(sum(weights * left$mean[some, g]),
      mixture_quantiles(central_ends(level), weights, left$mean[some, g],
                        left$sd[some, g]))
  }, numeric(3)))
  table <- data.frame(mean = ends[, 1L], lower = ends[, 2L], upper = ends[, 3L])
  list(left_out = table[seq_len(k), ], new = table[k + seq_len(new), ])
}

# Share of the variance between sites that left-out forecasts explain, on the scale of the score and
# without the part of sampling error:
#   1 - sum w ((value - forecast)^2 - se^2) / sum w ((value - mean of the others)^2 - se^2),
# w = 1 / (tau^2 + se^2), with p from permutations of the descriptions among sites, whose statistic
# is the evidence by precision: it detects more than the skill itself does, and more than with even
# errors. even: those of the forecasts.
forecast_skill <- function(value, se, even, described, scale, permutations) {
  w <- 1 / (left_out_sites(value, se, scale = scale)$tau2 + se^2)
  between <- function(forecast) sum(w * ((value - forecast)^2 - se^2)) / sum(w)
  result <- list(skill = NA_real_, p = NA_real_, mse = NA_real_,
                 mse_mean = between(left_out_means(left_out_sites(value, even, scale = scale))))
  e <- described$e
  d <- described$d
  if (is.null(e) && is.null(d)) return(result)
  sites <- left_out_sites(value, se, e, d, scale)
  evidence <- vapply(seq_len(permutations), function(b) {
    i <- sample.int(length(value))
    left_out_sites(value, se, e[i], d[i], scale)$evidence
  }, 0)
  result$mse <- between(left_out_means(left_out_sites(value, even, e, d, scale)))
  result$p <- (1 + sum(evidence >= sites$evidence - 1e-9)) / (permutations + 1)
  # sites that do not differ leave nothing to explain
  if (result$mse_mean > 0) result$skill <- 1 - max(result$mse, 0) / result$mse_mean
  result
}
