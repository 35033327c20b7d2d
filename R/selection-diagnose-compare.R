# The two comparisons of dg_diagnose(): the gain of other models over pooling, and its p value from
# simulated responses ("worlds") without a gain.

given_taus <- c(0, 0.25, 0.5, 0.75, 0.9)

distribution_times <- c(0.5, 1, 2, 4)

pooled_times <- c(0.5, 1, 2, 4)

null_worlds <- 99L

# Y: the response as ridge regression takes it; targets: the same, of more than four classes
# the four leading components of their indicators, from which worlds are made; share: weight of a
# row in the mean over domains.
new_study <- function(sample, metric, args, step) {
  task <- ridge_task(sample, ridge_args(args))
  Y <- task$Y
  list(sample = sample, metric = metric, threads = args$threads,
       scoring = list(y = sample$y, domain = sample$domain, metric = metric,
                    response = task$response),
       costs = task$costs / mean(task$costs), Y = Y,
       targets = if (ncol(Y) <= 4L) Y else stats::prcomp(Y, rank. = 4L)$x,
       share = 1 / tabulate(sample$domain)[sample$domain] / nlevels(sample$domain),
       lambdas = nrow(Y) * 10^seq(-5, 0, by = 0.5), landmarks = 400L, step = step)
}

# Pooling with the bandwidth that is best on held-out domains, so that the gain of other models is
# not that of another bandwidth.
best_pooled <- function(study) {
  median <- kernel_fit(kernel_rbf(), study$sample$X)$bandwidth
  models <- lapply(pooled_times, function(bandwidth_factor) {
    kernel <- kernel_rbf(bandwidth_factor * median)
    c(landmark_model(study, domain_pooled(), kernel), list(kernel = kernel))
  })
  errors <- vapply(models, function(model) {
    min(score_model(study, model, study$targets, study$sample$domain)$errors)
  }, numeric(1))
  models[[which.min(errors)]]
}

# NULL where all domains have the same predictors.
distributions <- function(study, shift) {
  if (shift$variance <= 1e-12) return(NULL)
  lapply(distribution_times, function(bandwidth_factor) {
    domain_distribution(study$kernel, kernel_rbf(bandwidth_factor = bandwidth_factor))
  })
}

# Five parts of each domain's rows, of whole units where there are some (of several domains in the
# part of their first), or NULL where no domain has two.
known_rows <- function(domain, unit) {
  if (is.null(unit)) unit <- seq_along(domain)
  first <- !duplicated(unit)
  home <- factor(domain[first])
  parts <- min(5L, max(tabulate(home)))
  if (parts >= 2L) factor(row_folds(home, v = parts)[match(unit, unit[first])])
}

# A model with known domains needs some landmarks in each domain.
given_domains <- 100L

# Pooling and models with known domains, on held-out rows (of a random sample of the domains, if
# there are many): list(scores [domain, pooled_known, known], row).
compare_known <- function(study, pooled, args) {
  sample <- study$sample
  if (nlevels(sample$domain) > given_domains) {
    few <- sort(sample.int(nlevels(sample$domain), given_domains))
    kernel <- study$kernel
    study <- new_study(keep_rows(sample, as.integer(sample$domain) %in% few), study$metric, args,
                       study$step)
    study$kernel <- kernel
    pooled <- landmark_model(study, domain_pooled())
  }
  domain <- study$sample$domain
  unit <- study$sample$unit
  found <- compare_models(study, pooled, "known domain", lapply(given_taus, domain_multitask),
                            known_rows(domain, unit),
                            signs = if (is.null(unit)) seq_along(domain) else unit)
  list(scores = data.frame(domain = levels(domain), pooled_known = found$pooled,
                           known = found$other),
       row = found$row)
}

# groups: rows that are held out together; signs: rows with one sign, see worlds_without().
# list(pooled, other: scores by domain, row). NA if nothing can be compared.
compare_models <- function(study, pooled, label, others, groups, signs) {
  unknown <- rep(NA_real_, nlevels(study$sample$domain))
  compared <- function(scores, other = unknown, p = NA) {
    gain <- losses(scores - other, study$metric$better)
    list(pooled = scores, other = other, row = gain_row(gain, p))
  }
  if (is.null(groups)) return(compared(unknown))
  Y <- worlds_without(study, pooled, groups, signs)
  base <- score_model(study, pooled, Y, groups)
  found <- lapply(others, function(between) study$step(label, {
    # without kernels whose fit fails
    tryCatch(score_model(study, landmark_model(study, between), Y, groups),
             domgen_error = function(e) NULL)
  }))
  found <- Filter(Negate(is.null), found)
  scores <- choose_elsewhere(base$scores, study$metric)
  if (length(found) == 0L) return(compared(scores))
  lowest <- do.call(pmin, lapply(found, function(scored) lowest_error(scored$errors)))
  gains <- 1 - lowest / lowest_error(base$errors)
  other <- choose_elsewhere(do.call(cbind, lapply(found, `[[`, "scores")), study$metric)
  compared(scores, other, mean(gains >= gains[1L]))
}

# The lowest error of each world along the path of lambda [lambdas x worlds], by the parabola
# through the lowest on the grid and its neighbours: several models, whose kernels differ little in
# size, have a finer grid than one.
lowest_error <- function(errors) {
  last <- nrow(errors)
  errors[!is.finite(errors)] <- Inf
  world <- seq_len(ncol(errors))
  at <- apply(errors, 2L, which.min)
  middle <- pmin(pmax(at, 2L), last - 1L)
  near <- function(step) errors[cbind(middle + step, world)]
  slope <- (near(1L) - near(-1L)) / 2
  bend <- near(1L) + near(-1L) - 2 * near(0L)
  on_grid <- errors[cbind(at, world)]
  ifelse(at == middle & is.finite(bend) & bend > 0, on_grid - slope^2 / (2 * bend), on_grid)
}

# The targets and those of worlds in which the other models have nothing to gain: the pooled model's
# fit plus its held-out residuals with random signs by row or unit (domains do not differ) or by
# domain (differences are independent of the predictors): the wild cluster bootstrap (Cameron,
# Gelbach and Miller, 2008).
worlds_without <- function(study, pooled, groups, signs) {
  Y <- study$targets
  kept <- list()
  without_groups(pooled, Y, groups, study$lambdas, function(values, l) kept[[l]] <<- values)
  best <- which.min(vapply(kept, function(values) sum(study$share * (values - Y)^2), 0))
  fitted <- NULL
  without_groups(pooled, Y, NULL, study$lambdas[best], function(values, l) fitted <<- values)
  cluster <- as.integer(signs)
  worlds <- lapply(seq_len(null_worlds), function(b) {
    fitted + sample(c(-1, 1), max(cluster), replace = TRUE)[cluster] * (Y - kept[[best]])
  })
  do.call(cbind, c(list(Y), worlds))
}

# Y [n x worlds of targets], groups held out: list(errors [lambdas x worlds], the mean over domains
# of squared errors; scores [domains x lambdas] of the response itself).
score_model <- function(study, model, Y, groups) {
  own <- seq_len(ncol(study$Y))
  errors <- matrix(0, length(study$lambdas), ncol(Y) / ncol(study$targets))
  scores <- matrix(0, nlevels(study$sample$domain), length(study$lambdas))
  without_groups(model, cbind(study$Y, Y), groups, study$lambdas, function(values, l) {
    squares <- colSums(study$share * (values[, -own, drop = FALSE] - Y)^2)
    errors[l, ] <<- colSums(matrix(squares, ncol(study$targets)))
    scores[, l] <<- score_values(values[, own, drop = FALSE], study$scoring)
  })
  list(errors = errors, scores = scores)
}

# Interval of dg_compare(), p of the worlds, and the mean difference for which a two-sided test at 5
# % has a power of 80 %.
gain_row <- function(difference, p) {
  row <- paired_difference(difference)[c("difference", "se", "lower", "upper")]
  row$p <- p
  df <- max(1, sum(!is.na(difference)) - 1)
  row$detectable <- (stats::qt(0.975, df) + stats::qt(0.8, df)) * row$se
  row
}
