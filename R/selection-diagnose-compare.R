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
       lambdas = nrow(Y) * 10^seq(-5, 0, by = 0.5),
       landmarks = diagnose_landmarks, step = step)
}

# Pooling with the bandwidth that is best on held-out domains, so that the gain of other models is
# not that of another bandwidth.
best_pooled <- function(study) {
  median <- kernel_fit(kernel_rbf(), study$sample$X)$bandwidth
  near <- NULL
  models <- lapply(pooled_times, function(bandwidth_factor) {
    kernel <- kernel_rbf(bandwidth_factor * median)
    model <- landmark_model(study, domain_pooled(), kernel)
    left <- held_out_targets(study, model, study$sample$domain, near)
    near <<- left$at
    c(model, list(kernel = kernel, left = left))
  })
  models[[which.min(vapply(models, function(model) min(model$left$errors), 0))]]
}

# list(values [n x targets] of held-out groups at the best lambda, at: which, errors [lambdas], the
# mean over domains of their squared errors).
held_out_targets <- function(study, model, groups, near = NULL) {
  Y <- study$targets
  path <- follow_path(study, model, Y, list(basis = Y), groups, near)
  at <- which.min(path$errors)
  list(values = lambda_values(path$values, at), at = at, errors = path$errors)
}

# As without_groups(), of the `targets` and of `worlds`, at the values of lambda around the best
# of each world and of the score: more and more from the three `near` the best of another model.
# Where there is one minimum, that is as good as all. Inf and NA at the others.
follow_path <- function(study, model, targets, worlds, groups, near = NULL, scores = NULL) {
  L <- length(study$lambdas)
  if (is.null(near)) near <- (L + 1L) %/% 2L
  without <- without_groups(model, cbind(targets, worlds$basis), groups, study$share, ncol(targets),
                            ncol(study$targets), worlds$combine)
  values <- array(NA_real_, c(dim(targets), L))
  errors <- NULL
  at <- pmin(pmax(near + -1:1, 1L), L)
  tried <- integer()
  while (length(at <- setdiff(at, tried)) > 0L) {
    fits <- without(study$lambdas[at])
    if (is.null(errors)) errors <- matrix(Inf, nrow(fits$errors), L)
    values[, , at] <- fits$values
    errors[, at] <- fits$errors
    tried <- c(tried, at)
    best <- c(max.col(-errors, "first"), if (!is.null(scores)) scores(values, at))
    at <- seq(max(min(best, na.rm = TRUE) - 1L, 1L), min(max(best, na.rm = TRUE) + 1L, L))
  }
  list(values = values, errors = errors)
}

# NULL where all domains have the same predictors.
distributions <- function(study, shift) {
  if (shift$variance <= no_variance) return(NULL)
  fitted <- domain_kernel_fit(domain_distribution(study$kernel, kernel_rbf()),
                              rows_of(study$sample, study$threads))
  lapply(distribution_times, widen_fitted, domain_kernel = fitted)
}

# Five parts of each domain's rows, of whole units where there are some (of several domains in the
# part of their first), or NULL where no domain has two.
known_rows <- function(domain, unit) {
  if (is.null(unit)) unit <- seq_along(domain)
  first <- !duplicated(unit)
  home <- factor(domain[first])
  parts <- min(5L, max(tabulate(home)))
  if (parts >= 2L) factor(row_folds(home, folds = parts)[match(unit, unit[first])])
}

# A model with known domains needs some landmarks in each domain.
given_domains <- 100L

domain_landmarks <- 4L

# Pooling and models with known domains, on held-out rows (of a random sample of the domains, if
# there are many): list(scores [domain, pooled_known, known], row).
compare_known <- function(study, pooled, args) {
  sample <- study$sample
  kernel <- study$kernel
  if (nlevels(sample$domain) > given_domains) {
    few <- sort(sample.int(nlevels(sample$domain), given_domains))
    study <- new_study(keep_rows(sample, as.integer(sample$domain) %in% few), study$metric, args,
                       study$step)
    study$kernel <- kernel
    pooled <- NULL
  }
  landmarks <- domain_landmarks * nlevels(study$sample$domain)
  if (landmarks > study$landmarks) {
    study$landmarks <- landmarks
    pooled <- NULL
  }
  if (is.null(pooled)) pooled <- landmark_model(study, domain_pooled())
  domain <- study$sample$domain
  unit <- study$sample$unit
  compared <- compare_models(study, pooled, "known domain", lapply(given_taus, domain_multitask),
                            known_rows(domain, unit),
                            signs = if (is.null(unit)) seq_along(domain) else unit)
  list(scores = data.frame(domain = levels(domain), pooled_known = compared$pooled,
                           known = compared$other),
       row = compared$row)
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
  worlds <- worlds_without(study, pooled, groups, signs)
  base <- score_model(study, pooled, worlds, groups, pooled$left$at)
  near <- which.min(base$errors[, 1L])
  fits <- lapply(others, function(between) study$step(label, {
    # without kernels whose fit fails
    scored <- tryCatch(score_model(study, landmark_model(study, between), worlds, groups, near),
                       domgen_error = function(e) NULL)
    if (!is.null(scored)) near <<- which.min(scored$errors[, 1L])
    scored
  }))
  fits <- Filter(Negate(is.null), fits)
  scores <- choose_elsewhere(base$scores, study$metric)
  if (length(fits) == 0L) return(compared(scores))
  lowest <- do.call(pmin, lapply(fits, function(scored) lowest_error(scored$errors)))
  gains <- 1 - lowest / lowest_error(base$errors)
  other <- choose_elsewhere(do.call(cbind, lapply(fits, `[[`, "scores")), study$metric)
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
# Gelbach and Miller, 2008). list(basis [n x targets of each column], combine [columns x worlds]:
# the worlds, the first the targets, are these sums of the columns; NULL: they are the columns).
worlds_without <- function(study, pooled, groups, signs) {
  Y <- study$targets
  # those of domains are known where the bandwidth was chosen
  left <- if (identical(groups, study$sample$domain)) pooled$left
  if (is.null(left)) left <- held_out_targets(study, pooled, groups, pooled$left$at)
  fitted <- with_all(pooled, Y, study$lambdas[left$at])
  residual <- Y - left$values
  cluster <- as.integer(signs)
  drawn <- vapply(seq_len(null_worlds), function(b) {
    sample(c(-1, 1), max(cluster), replace = TRUE)
  }, numeric(max(cluster)))
  drawn <- matrix(drawn, ncol = null_worlds)
  # predictions are linear in the response: those of few clusters give those of all worlds
  if (nrow(drawn) + 2L < null_worlds) {
    parts <- lapply(seq_len(nrow(drawn)), function(g) residual * (cluster == g))
    return(list(basis = do.call(cbind, c(list(Y, fitted), parts)),
                combine = cbind(replace(numeric(nrow(drawn) + 2L), 1L, 1), rbind(0, 1, drawn))))
  }
  worlds <- lapply(seq_len(null_worlds), function(b) fitted + drawn[cluster, b] * residual)
  list(basis = do.call(cbind, c(list(Y), worlds)))
}

# Groups held out: list(errors [lambdas x worlds], the mean over domains of squared errors; scores
# [domains x lambdas] of the response itself).
score_model <- function(study, model, worlds, groups, near = NULL) {
  scores <- matrix(NA_real_, nlevels(study$scoring$domain), length(study$lambdas))
  score_path <- function(values, at) {
    scores[, at] <<- score_choices(length(at), function(l) lambda_values(values, at[l]),
                                   study$scoring)
    best_elsewhere(scores, study$metric)
  }
  path <- follow_path(study, model, study$Y, worlds, groups, near, score_path)
  list(errors = t(path$errors), scores = scores)
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
