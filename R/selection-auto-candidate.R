# The candidates of dg_auto(), each a list of settings, and their scores on held-out domains. Ridge
# regressions are held out in closed form at many values of lambda; other methods are fitted again
# without each group of domains. Generalised regressions take the kernels of the best ridge
# regressions.

# crossfits: bandwidths fitted without some domains, see crossfit_bandwidths(). glm: NULL, or of a
# generalised regression its name, lambda and the kernel between domains, see with_lambda().
candidate <- function(scale = "pooled", kernel = "rbf", bandwidth_factor = 1,
                      embedding_factor = NA, tau = NA, ard = NULL, crossfits = NULL,
                      glm = NULL) {
  list(scale = scale, kernel = kernel, bandwidth_factor = bandwidth_factor,
       embedding_factor = embedding_factor, tau = tau, ard = ard,
       crossfits = crossfits, glm = glm)
}

# Scaling as an argument of learn_scaling().
candidate_scale <- function(c) if (c$scale == "means") c("pooled", "means") else c$scale

# p: predictors after scaling, whose inner product is about p; median: their median distance where
# it is known.
candidate_kernel <- function(c, p, median = NULL) {
  stationary <- function(kernel) {
    if (is.null(median)) kernel(bandwidth_factor = c$bandwidth_factor)
    else kernel(bandwidth = c$bandwidth_factor * median)
  }
  switch(c$kernel, linear = kernel_linear(),
         rbf = if (is.null(c$ard)) stationary(kernel_rbf) else kernel_rbf(c$ard),
         sum = stationary(kernel_rbf) + (0.5 / p) * kernel_linear(),
         laplace = stationary(kernel_laplace))
}

candidate_domain_kernel <- function(c, median = NULL) {
  if (!is.na(c$tau)) domain_multitask(c$tau)
  else if (is.na(c$embedding_factor)) domain_pooled()
  else domain_distribution(kernel_rbf(median), kernel_rbf(bandwidth_factor = c$embedding_factor))
}

candidate_key <- function(c) {
  paste(c$scale, c$kernel, c$bandwidth_factor, c$embedding_factor, c$tau, !is.null(c$ard),
        !is.null(c$glm))
}

has_kernel <- function(c) c$kernel %in% c("linear", "rbf", "sum", "laplace")

is_ridge <- function(c) has_kernel(c) && is.null(c$glm)

candidate_titles <- c(rbf = "Gaussian kernel", laplace = "Laplace kernel",
                      sum = "linear + Gaussian kernel", linear = "linear kernel",
                      null = "null model")

kernel_words <- function(c) {
  if (!is.null(c$glm)) {
    title <- c$glm$title
    c["glm"] <- list(NULL)
    return(paste0(title, ", ", kernel_words(c)))
  }
  if (c$kernel %in% names(other_candidates)) return(other_candidates[[c$kernel]]$title)
  title <- candidate_titles[[c$kernel]]
  if (!is.null(c$ard)) return(paste(title, "with a bandwidth per predictor"))
  if (c$kernel %in% c("linear", "null")) return(title)
  paste0(title, " (", format(c$bandwidth_factor), " x median)")
}

candidate_words <- function(c) {
  paste0(kernel_words(c), if (has_kernel(c)) paste0(", scale \"", c$scale, "\""))
}

domain_kernel_words <- function(c) {
  if (!is.na(c$tau)) paste0("multi-task (", format(c$tau), ")")
  else if (is.na(c$embedding_factor)) "pooled"
  else paste0("distributional (", format(c$embedding_factor), " x median)")
}

# list(candidate, parts, scores by domain and lambda as all domains choose it)
find_candidate <- function(search, c) {
  if (!is.null(c$glm)) c <- with_lambda(search, c)
  parts <- score_candidate(search, c)
  at <- settle(search, parts, TRUE)
  lambdas <- vapply(seq_along(parts), function(k) parts[[k]]$lambdas[at[k]], numeric(1))
  # the geometric mean where parts differ; where they agree, to the last digit
  list(candidate = c, parts = parts, scores = scores_at(parts, at),
       lambda = lambdas[1L] * exp(mean(log(lambdas / lambdas[1L]))))
}

# With the median distance; warnings of scaling are given once.
search_sample <- function(search, scale) {
  if (is.null(search$scaled[[scale]])) {
    given <- length(search$scaled) > 0L
    kinds <- candidate_scale(list(scale = scale))
    sample <- without_known(search$sample, search$known)
    # least squares, before, told of constant predictors
    given <- given || !search$working && !is.null(search$args$family)
    sample <- if (given) quietly(scale_sample(sample, kinds)) else scale_sample(sample, kinds)
    search$scaled[[scale]] <- c(sample, median = median_bandwidth(sample$X))
  }
  search$scaled[[scale]]
}

ridge_args <- function(args) {
  dg_ridge(intercept = TRUE, threads = args$threads)$args
}

# Scores of a candidate at every lambda, in parts. Each part scores some of the domains (`held`) at
# the lambda that is best on others (`in_choice`); most candidates have one part, with all domains
# in both. list of list(held, in_choice [logical by domain], scores [domains x lambdas], lambdas,
# values [rows x columns x lambdas] by models without the row's domain).
score_candidate <- function(search, c) {
  if (c$kernel == "null") {
    values <- if (length(search$known)) refit_values(search, list(null_spec(search))) else {
      null_values(search_task(search$sample, search$args), search$left_out, search$sample$unit)
    }
    return(list(score_part(search, NA_real_, array(values, c(dim(search$stack$target), 1L)))))
  }
  if (!has_kernel(c)) return(list(score_refits(search, c)))
  score_one <- if (is_ridge(c)) score_lambdas else score_glm
  if (is.null(c$crossfits)) return(list(score_one(search, c)))
  levels <- levels(search$scored_by)
  # domains that were not held out of any bandwidths go to the first part
  seen <- unlist(lapply(c$crossfits[-1L], `[[`, "levels"))
  c$crossfits[[1L]]$levels <- setdiff(levels, seen)
  lapply(c$crossfits, score_crossfit, search = search, c = c, score_one = score_one)
}

# A part: bandwidths, scored on the domains to which they were not fitted.
score_crossfit <- function(scoring, search, c, score_one) {
  c[c("ard", "crossfits")] <- list(scoring$bandwidth, NULL)
  part <- score_one(search, c)
  part$held <- levels(search$scored_by) %in% scoring$levels
  part$in_choice <- !part$held
  part
}

# The index of lambda in each part that is best on the domains `used`.
settle <- function(search, parts, used) {
  vapply(parts, function(part) {
    best_lambda(search, part$scores[part$in_choice & used, , drop = FALSE])
  }, numeric(1))
}

# Scores by domain, and values by row, at these lambdas.
scores_at <- function(parts, at) {
  scores <- parts[[1L]]$scores[, at[1L]]
  for (k in seq_along(parts)) scores[parts[[k]]$held] <- parts[[k]]$scores[parts[[k]]$held, at[k]]
  scores
}

by_candidate <- function(search, scores) {
  matrix(as.numeric(unlist(scores, use.names = FALSE)), nlevels(search$scored_by),
         dimnames = list(NULL, names(scores)))
}

values_at <- function(search, parts, at) {
  values <- lambda_values(parts[[1L]]$values, at[1L])
  for (k in seq_along(parts)[-1L]) {
    rows <- parts[[k]]$held[as.integer(search$scored_by)]
    values[rows, ] <- lambda_values(parts[[k]]$values, at[k])[rows, ]
  }
  values
}

# Beside an offset a constant.
null_spec <- function(search) {
  if (length(search$known) == 0L) return(dg_null())
  dg_glm(family = search$args$family, lambda = no_slopes, kernel = kernel_linear(),
         domain_kernel = domain_pooled())
}

# With a larger lambda the constant, too, has no digits left.
no_slopes <- 1e15

# The mean of the response in the other groups, without the rows of a row's unit.
null_values <- function(task, left_out, unit = NULL) {
  share <- task$costs / max(task$costs)
  values <- array(NA_real_, dim(task$Y))
  for (split in unit_splits(unit, factor(left_out))) {
    others <- share * split$train
    values[split$held, ] <- rep(colSums(others * task$Y) / sum(others), each = sum(split$held))
  }
  values
}

# Of equals the largest.
best_lambda <- function(search, scores) {
  found <- search_losses(search, scores)
  if (all(is.na(found))) abort_no_score()
  length(found) + 1L - which.min(rev(found))
}

largest_lambda <- 1e300

score_lambdas <- function(search, c) {
  sample <- search_sample(search, c$scale)
  args <- ridge_args(search$args)
  space <- gram_space(candidate_kernel(c, ncol(sample$X), sample$median),
                      candidate_domain_kernel(c, sample$median), sample, args$threads)
  task <- quietly(ridge_task(sample, args), "domgen_warning_two_values")
  # in units of the Gram matrix's mean diagonal
  unit <- mean_diagonal(space)
  # a linear kernel of predictors that are zero, as by domain in domains of one row
  if (!is.finite(unit) || unit <= 0) abort("data", "The Gram matrix is zero or not finite.")
  lambdas <- pmin(search$lambdas * nrow(sample$X) * unit * mean_weight(sample), largest_lambda)
  sample$left_out <- search$left_out
  score_part(search, lambdas,
             left_out_by_landmarks(space, sample, task, args, lambdas, left_out_of_units))
}

score_part <- function(search, lambdas, values) {
  scores <- score_choices(length(lambdas), function(l) lambda_values(values, l), search$scoring)
  all <- rep(TRUE, nrow(scores))
  list(held = all, in_choice = all, scores = scores, lambdas = lambdas, values = values)
}

# As text, one element per row of the table.
describe_candidates <- function(table) {
  scale <- paste("scale", table$scale)
  between <- ifelse(table$domain_kernel == "pooled", "", paste0(", ", table$domain_kernel))
  other <- table$kernel %in% vapply(other_candidates, `[[`, "", "title")
  ifelse(table$kernel == candidate_titles[["null"]], table$kernel,
         ifelse(other, paste0(table$kernel, ", ", scale),
                paste0(scale, ", ", table$kernel, between)))
}

# ---- one bandwidth per predictor --------------------------------------------------------------
#
# Fitted for the best Gaussian candidate, and scored on domains to which they were not fitted.

predictor_rows <- 400L

predictor_folds <- 3L

predictor_precision <- 1e-4

try_predictors <- function(search) {
  gaussian <- Filter(function(key) search$found[[key]]$candidate$kernel == "rbf",
                     best_of_kinds(search))
  if (length(gaussian) == 0L) return(invisible())
  found <- search$found[[gaussian[1L]]]
  sample <- search_sample(search, found$candidate$scale)
  p <- ncol(sample$X)
  if (p < 2L || p > search$args$max_ard || is_late(search)) return(invisible())
  start <- seconds_now()
  c <- found$candidate
  c$crossfits <- crossfit_bandwidths(search, found, sample)
  if (is.null(c$crossfits)) return(invisible())
  c$ard <- c$crossfits[[1L]]$bandwidth
  unseen <- tryCatch(find_candidate(search, c), domgen_error = function(e) NULL)
  if (is.null(unseen) || !is_ahead(search, found$scores, unseen$scores)) return(invisible())
  c$ard <- fit_predictors(search, found, sample, seq_len(nrow(sample$X)))
  if (is.null(c$ard)) return(invisible())
  # scored by the bandwidths of the parts, so that these scores are its own
  unseen$candidate <- c
  search$found[[candidate_key(c)]] <- c(unseen, list(seconds = seconds_now() - start))
}

# Bandwidths per predictor from some of the rows, at the candidate's lambda; NULL where the search
# fails.
fit_predictors <- function(search, found, sample, rows) {
  args <- ridge_args(search$args)
  args$kernel <- kernel_rbf()
  args$domain_kernel <- domain_pooled()
  part <- sample_part(sample, rows)
  thin <- search_rows(part, predictor_rows, search$args$seed)
  part <- sample_part(part, thin)
  args$lambda <- found$lambda * length(thin) / nrow(sample$X)
  fitted <- tryCatch(
    quietly(fit_bandwidths(ridge_task(part, args), part, args, predictor_precision)),
    domgen_error = function(e) NULL)
  if (!is.null(fitted)) fitted$kernel$bandwidth
}

# By scores of the same domains.
is_ahead <- function(search, before, after) {
  isTRUE(diff(search_losses(search, cbind(before, after))) < 0)
}

# Bandwidths that were fitted without a third of the domains, and which: list of list(bandwidth,
# levels); NULL where a search fails, or the first is no better than one bandwidth: the others, as
# long again, rarely make up for it.
crossfit_bandwidths <- function(search, found, sample) {
  levels <- levels(search$scored_by)
  folds <- rep_len(seq_len(min(predictor_folds, length(levels) - 2L)), length(levels))
  if (length(levels) < 4L) return(NULL)
  crossfits <- list()
  for (k in unique(folds)) {
    held <- levels[folds == k]
    bandwidth <- fit_predictors(search, found, sample, which(!search$scored_by %in% held))
    if (is.null(bandwidth)) return(NULL)
    crossfits[[k]] <- list(bandwidth = bandwidth, levels = held)
    if (k > 1L) next
    first <- tryCatch(list(score_crossfit(crossfits[[k]], search, found$candidate, score_lambdas)),
                      domgen_error = function(e) NULL)
    if (is.null(first)) return(NULL)
    scores <- scores_at(first, settle(search, first, TRUE))
    if (!is_ahead(search, found$scores[folds == k], scores[folds == k])) return(NULL)
  }
  crossfits
}

# ---- generalised regressions -------------------------------------------------------------------

# Generalised regressions with the kernels that least squares selects (all of them with one domain),
# beside what is no kernel regression.
glm_search <- function(kernels, sample, metric) {
  search <- new_search(kernels$args, sample, metric, kernels$few, kernels$args$max_rows,
                       kernels$deadline)
  try_candidate(search, candidate(kernel = "null"))
  keys <- if (kernels$few) names(kernels$found)
          else choose_members(kernels, kernels$args$n_members)$kernels$keys
  chosen <- lapply(kernels$found[keys], `[[`, "candidate")
  if (!kernels$few) chosen <- c(plain_candidates(), chosen)
  name <- search$args$family$name
  titles <- c(binomial = "logistic", cox = "Cox")
  title <- if (name %in% names(titles)) titles[[name]] else name
  for (c in Filter(has_kernel, unname(chosen))) {
    c$glm <- list(title = title, lambda = kernels$found[[candidate_key(c)]]$lambda)
    try_candidate(search, c)
  }
  try_others(search)
  search
}

# A generalised candidate whose lambda, and how wide its kernel between domains is, are those of
# dg_glm(), by the deviance of left-out domains; with one domain they stay those of least squares.
with_lambda <- function(search, c) {
  if (search$few) return(c)
  args <- glm_spec(search, c)$args
  sample <- search_sample(search, c$scale)
  args$kernel <- candidate_kernel(c, ncol(sample$X), sample$median)
  task <- glm_task(args$family, search$sample, args, search$known)
  rows <- rows_frame(sample)
  chosen <- on_error(choose_glm_penalty(args, rows, task, for_new = TRUE), function(e) {
    # a candidate that fails, as any other
    abort("data", conditionMessage(e))
  })
  c$glm[c("lambda", "domain_kernel")] <- chosen[c("lambda", "domain_kernel")]
  c
}

# What is the obvious model, without and with curves.
plain_candidates <- function() list(candidate(kernel = "linear"), candidate(kernel = "sum"))

plain_keys <- function(search) {
  intersect(vapply(plain_candidates(), function(c) {
    c$glm <- list()
    candidate_key(c)
  }, ""), names(search$found))
}

glm_spec <- function(search, c, lambda = NULL, feature_map = features_exact()) {
  dg_glm(family = search$args$family, lambda = lambda,
         kernel = candidate_kernel(c, ncol(search_sample(search, c$scale)$X)),
         domain_kernel = if (is.null(c$glm$domain_kernel)) candidate_domain_kernel(c)
                         else c$glm$domain_kernel,
         feature_map = feature_map, intercept = TRUE, scale = candidate_scale(c)[1L],
         domain_means = c$scale == "means", threads = search$args$threads)
}

score_glm <- function(search, c) {
  values <- common_to_search(search, glm_without(search, c))
  score_part(search, c$glm$lambda, array(values, c(dim(values), 1L)))
}

# Steps of a fit that is compared with others may end early.
score_tolerance <- 0.01

# Values on the common scale of rows whose groups of domains are left out of the fit, while kernels
# and scaling see them, as where lambda is chosen.
glm_without <- function(search, c) {
  args <- glm_spec(search, c, c$glm$lambda)$args
  sample <- search_sample(search, c$scale)
  args$kernel <- candidate_kernel(c, ncol(sample$X), sample$median)
  task <- glm_task(args$family, search$sample, args, search$known)
  splits <- unit_splits(search$sample$unit, refit_groups(search))
  train <- vapply(splits, `[[`, logical(nrow(task$Y)), "train")
  values <- array(NA_real_, dim(search$stack$target))
  for (fit in refit_starts(space_gram(space_of(args, rows_frame(sample))), task, train)) {
    solved <- train_glm(fit$data, fit$task, args, tolerance = score_tolerance)
    # with thresholds of its own
    task$response$family <- solved$par
    found <- common_values(task$response, task$loss$scores(solved$decision, solved$par))
    for (k in seq_along(fit$fits)) {
      held <- which(splits[[fit$fits[k]]]$held)
      values[held, ] <- found[(k - 1L) * nrow(task$Y) + held, ]
    }
  }
  values
}
