# The penalty of a generalised linear model where the user does not say. How wide the kernel between
# domains is, the quadratic approximation of the deviance at the constants says, of which every fit
# is in closed form; lambda the deviance of groups of domains by the very fits without them. (At the
# constants the working weights of a large mean are far from those of the fit, and the step from a
# fit that has seen a domain says too little of what is lost without it.)

# The most rows of which models are fitted again.
refit_rows <- 500L

# The deviance may rise before it falls to its least, so that a search from one end would stop too
# early: every so many values are tried first, then all near the best.
penalty_stride <- 3L

choose_glm_penalty <- function(args, sample, task) {
  chosen <- choose_penalty(args, sample, null_task(task))
  # fits of squares are in closed form, and without domains that can be left out nothing is known
  if (is.null(chosen$times) || is_squares(task$family)) return(chosen)
  total <- min(sum(null_task(task)$costs), .Machine$double.xmax / max(penalty_shares))
  part <- penalty_part(args, sample, task, NULL, refit_rows)
  part$task$costs <- part$task$costs / max(part$task$costs)
  kappa <- widen_fitted(part$between, chosen$times)
  K <- space_gram(list(kernel = part$kernel, domain_kernel = kappa, X = part$rows$X,
                       domain = part$rows$domain, threads = args$threads))
  best <- refit_path(K, part, args)
  if (!is.null(best)) chosen$lambda <- penalty_shares[best] * total
  chosen
}

is_squares <- function(family) family$name == "gaussian" && identical(family$link, "identity")

# The number of the best of `penalty_shares`; NULL where no fit has a deviance.
refit_path <- function(K, part, args) {
  lambdas <- sum(null_task(part$task)$costs) * penalty_shares
  deviances <- rep(Inf, length(lambdas))
  # each begins at the fits to the larger lambda tried before
  fit_at <- function(places, fits) {
    for (l in sort(places, decreasing = TRUE)) {
      args$lambda <- lambdas[l]
      fits <- lapply(fits, refit_held, K = K, task = part$task, args = args)
      deviance <- sum(vapply(fits, `[[`, numeric(1), "deviance"))
      if (is.finite(deviance)) deviances[l] <<- deviance
    }
  }
  fits <- lapply(levels(part$rows$left_out), function(g) {
    held <- part$rows$left_out == g
    list(held = held, judged = which(held & !part$unknown), alpha = NULL)
  })
  coarse <- rev(seq(length(lambdas), 1L, by = -penalty_stride))
  fit_at(coarse, fits)
  if (!any(is.finite(deviances))) return(NULL)
  near <- simplest_best(deviances) + c(-1L, 1L) * (penalty_stride - 1L)
  fit_at(setdiff(seq(max(near[1L], 1L), min(near[2L], length(lambdas))), coarse), fits)
  simplest_best(deviances)
}

# The deviance of the held rows by the fit to the others, which begins at that of the lambda before.
# What cannot be fitted is worth nothing.
refit_held <- function(fit, K, task, args) {
  rest <- which(!fit$held)
  own <- task_of_rows(task, rest)
  own$alpha <- fit$alpha
  data <- structure(list(K = K[rest, rest, drop = FALSE]), class = "gram_data")
  solved <- on_error(train_glm(data, own, args, tolerance = 0.1), function(e) NULL)
  if (is.null(solved)) return(utils::modifyList(fit, list(deviance = Inf, alpha = NULL)))
  held <- fit$judged
  values <- add_offset(K[held, rest, drop = FALSE] %*% solved$coefficients, solved$offset)
  if (!is.null(solved$family)) task <- fitted_task(task, solved$family)
  left <- task_of_rows(task, held)
  fit$deviance <- if (length(held)) glm_deviance(left, add_known(values, left$known)) else 0
  fit$alpha <- lapply(seq_len(ncol(solved$coefficients)), function(m) solved$coefficients[, m])
  fit
}
