# How far a correction is shrunk where the user does not say: as would have served the training
# domains, each taken for a new one with so many labels.

# Values of lambda that are tried with that of the model; the last leaves no correction.
adapt_lambdas <- c(10^seq(-3, 3, by = 0.5), 1e8)

# Values of the constant that is added to the kernel.
adapt_constants <- c(0, 1, 10)

# The most rows of whole training domains, and labels, that are looked at.
adapt_rows <- 2000L

adapt_labels <- 200L

adapt_draws <- 3L

# list(lambda, constant) for corrections of a learner by so many labels; constant: NULL if open.
adapt_penalty <- function(learner, labels, constant = NULL) UseMethod("adapt_penalty")

#' @exportS3Method
adapt_penalty.default <- function(learner, labels, constant = NULL) NULL

#' @exportS3Method
adapt_penalty.dg_ridge <- function(learner, labels, constant = NULL) {
  lambda <- penalty_of(learner, "lambda")
  plain <- list(lambda = lambda, constant = if (is.null(constant)) 0 else constant)
  # who gives lambda gets it; a feature map keeps no rows
  if (!is.null(learner$spec$args$lambda) || is.null(learner$space$X) ||
        length(learner$y) == 0L) return(plain)
  with_seed(1L, {
    parts <- adapt_domains(learner, labels)
    if (length(parts) < 3L) return(plain)
    left <- residuals_as_new(learner, unlist(parts), lambda)
    grid <- expand.grid(lambda = sort(c(adapt_lambdas, lambda)),
                        constant = if (is.null(constant)) adapt_constants else constant)
    errors <- lapply(parts, function(i) {
      errors_as_new(learner, i, left[match(i, unlist(parts)), , drop = FALSE], labels, grid)
    })
    errors <- Reduce(`+`, errors)
    # of choices that are as good the one that corrects least
    good <- which(errors <= min(errors) * (1 + 1e-6))
    best <- good[order(-grid$lambda[good], grid$constant[good])[1L]]
    as.list(grid[best, ])
  })
}

# Rows of domains with more of them than labels, at random as many as adapt_rows hold.
adapt_domains <- function(learner, labels) {
  parts <- split(seq_along(learner$y), learner$domain, drop = TRUE)
  used <- learner$weights > 0 & !unknown_elsewhere(learner$rows$levels, learner$domain)
  parts <- lapply(parts, function(i) i[used[i]])
  sizes <- sort(lengths(parts), decreasing = TRUE)
  if (length(sizes) < 3L || sizes[3L] < 3L) return(list())
  parts <- parts[lengths(parts) >= 2L + shown_labels(labels, sizes[3L])]
  parts <- parts[sample.int(length(parts))]
  parts[seq_len(max(3L, sum(cumsum(lengths(parts)) <= adapt_rows)))]
}

# Fewer where domains of training have fewer rows.
shown_labels <- function(labels, size) min(labels, adapt_labels, size - 2L)

# Residuals of some rows by the fit without their domain, [rows x submodels]; the penalty is of a
# mean, as in choose_penalty().
residuals_as_new <- function(learner, at, lambda) {
  args <- learner$spec$args
  sample <- list(X = learner$space$X[at, , drop = FALSE], domain = learner$domain[at],
                 weights = learner$weights[at], left_out = droplevels(learner$domain[at]),
                 levels = take(learner$rows$levels, at))
  task <- list(response = learner$response, costs = learner$costs[at],
               Y = code_rows(learner$response, learner$y)[at, , drop = FALSE])
  share <- sum(task$costs) / sum(learner$costs)
  values <- left_out_predictions(learner$space, sample, task, args, lambda * share)
  task$Y - matrix(values, nrow(task$Y))
}

# Mean squared errors, one per line of the grid: some of the rows i of a domain are labelled, their
# correction is tested at the others. left: residuals [rows x submodels].
errors_as_new <- function(learner, i, left, labels, grid) {
  space <- learner$space
  sample <- list(X = space$X[i, , drop = FALSE], domain = factor(rep(1L, length(i))),
                 threads = space$threads)
  code <- as.integer(learner$domain)[i[1L]]
  kappa <- if (uses_domain(space$domain_kernel)) space$domain_kernel$kappa[code, code] else 1
  K <- kappa * gram_matrix(space$kernel, sample, NULL)
  k <- shown_labels(labels, length(i))
  draws <- lapply(seq_len(adapt_draws), function(draw) {
    order <- sample.int(length(i))
    labelled <- order[seq_len(k)]
    errors_of_draw(K, kappa, left, labelled, order[-seq_len(k)], grid)
  })
  Reduce(`+`, draws) / adapt_draws
}

errors_of_draw <- function(K, kappa, left, labelled, test, grid) {
  errors <- numeric(nrow(grid))
  for (constant in unique(grid$constant)) {
    decomposition <- eigen(K[labelled, labelled, drop = FALSE] + kappa * constant, symmetric = TRUE)
    across <- (K[test, labelled, drop = FALSE] + kappa * constant) %*% decomposition$vectors
    target <- crossprod(decomposition$vectors, left[labelled, , drop = FALSE])
    at <- which(grid$constant == constant)
    shrunk <- 1 / outer(pmax(decomposition$values, 0), grid$lambda[at], "+")
    for (m in seq_len(ncol(left))) {
      predicted <- across %*% (target[, m] * shrunk)
      errors[at] <- errors[at] + colMeans((left[test, m] - predicted)^2)
    }
  }
  errors
}
