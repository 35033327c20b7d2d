# Holding out domains of a Gaussian process, whose mean is that of a ridge regression.

#' @exportS3Method
closed_cv.dg_gp <- function(object, metric = NULL, env = parent.frame()) {
  cv <- closed_cv.dg_ridge(object, metric, env)
  density <- if (is.null(object$space$feature_map)) left_out_moments(object)$log_density
             else object$log_density
  if (is.null(density)) return(cv)
  lost <- is.na(cv$domains$score)
  cv$domains$log_density <- replace(density[match(cv$domains$domain, levels(object$domain))], lost,
                                    NA)
  cv
}

# Its mean is a ridge regression. Sums of weights near 1e308 would overflow.
#' @exportS3Method
left_out_values.dg_gp <- function(fitted, sample) {
  heaviest <- max(fitted$weights, 0)
  left_out_ridge(fitted, sample, list(
    args = list(intercept = FALSE, scale = "none", threads = fitted$space$threads),
    costs = fitted$weights / heaviest, lambda = (fitted$noise_sd / fitted$signal_sd)^2 / heaviest
  ))
}
