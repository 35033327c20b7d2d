# The candidates of dg_auto(), each a specification, and their scores on held-out domains. Ridge
# regressions are held out in closed form at many values of lambda; other methods are fitted again
# without each group of domains. Generalised regressions take the kernels of the best ridge
# regressions.

# title: of a candidate that is no kernel regression, else NULL. among: specifications, of which
# held-out domains select the one that becomes `spec`, else NULL. crossfits: bandwidths that were
# fitted without some domains, see crossfit_bandwidths(). What it gives has besides words: scale and
# kernels as the table of results writes them; key: these in one text; kind: the configuration, of
# which the second round takes the best.
candidate <- function(spec, title = NULL, among = NULL, crossfits = NULL) {
  words <- list(scale = scale_words(spec),
                kernel = if (is.null(title)) kernel_words(spec) else title,
                domain_kernel = domain_kernel_words(spec$args$domain_kernel))
  list(spec = spec, title = title, among = among, crossfits = crossfits, words = words,
       key = describe_candidates(words),
       kind = paste(words$scale, sub(" \\(.*", "", words$kernel)))
}

is_kernel <- function(c) is.null(c$title)

null_title <- "null model"

# Beside an offset a constant.
null_candidate <- function(search) {
  candidate(if (length(search$known) == 0L) dg_null() else {
    dg_glm(family = search$args$family, lambda = no_slopes, kernel = kernel_linear(),
           domain_kernel = domain_pooled())
  }, null_title)
}

# With a larger lambda the constant, too, has no digits left.
no_slopes <- 1e15

# The kernels of a configuration. Predictors, of which scaling may make two each, have an inner
# product of about their number.
auto_kernels <- function(search, scale) {
  p <- (ncol(search$sample$X) - length(search$known)) * if (scale %in% c("both", "means")) 2 else 1
  list(rbf = kernel_rbf(), laplace = kernel_laplace(),
       sum = kernel_rbf() + (0.5 / p) * kernel_linear(), linear = kernel_linear())
}

# scale: "means" for pooled with domain means.
auto_ridge <- function(search, scale = "pooled", kernel = kernel_rbf()) {
  dg_ridge(kernel = kernel, domain_kernel = domain_pooled(), intercept = TRUE,
           scale = sub("means", "pooled", scale), domain_means = scale == "means",
           threads = search$args$threads)
}

# lambda: NULL where dg_glm() chooses it, see with_lambda().
as_glm <- function(spec, family, lambda = NULL) {
  same <- c("kernel", "domain_kernel", "intercept", "scale", "domain_means", "threads")
  do.call(dg_glm, c(list(family = family, lambda = lambda), spec$args[same]), quote = TRUE)
}

with_bandwidths <- function(spec, bandwidths) {
  set_parameters(spec, list(kernel = kernel_rbf(bandwidths)))
}

factor_words <- function(kernel) paste0(" (", format(median_factor(kernel)), " x median)")

scale_words <- function(spec) {
  scale <- spec_scale(spec)
  if ("means" %in% scale) "means" else sub("none", "pooled", scale)
}

kernel_titles <- c(kernel_rbf = "Gaussian kernel", kernel_laplace = "Laplace kernel",
                   kernel_sum = "linear + Gaussian kernel", kernel_linear = "linear kernel")

family_titles <- c(binomial = "logistic", cox = "Cox")

kernel_words <- function(spec) {
  family <- spec$args$family$name
  if (isTRUE(family %in% names(family_titles))) family <- family_titles[[family]]
  kernel <- spec$args$kernel
  paste0(if (!is.null(family)) paste0(family, ", "), kernel_titles[[class(kernel)[1L]]],
         if (length(kernel$bandwidth)) " with a bandwidth per predictor"
         else if (!is.null(median_factor(kernel))) factor_words(kernel))
}

domain_kernel_words <- function(kernel) {
  switch(class(kernel)[1L],
         domain_multitask = paste0("multi-task (", format(kernel$tau), ")"),
         domain_embedding = paste0("distributional", factor_words(kernel$embedding_kernel)),
         "pooled")
}

# As text. table: a candidate's words, or columns of them.
describe_candidates <- function(table) {
  scale <- paste("scale", table$scale)
  between <- ifelse(table$domain_kernel == "pooled", "", paste0(", ", table$domain_kernel))
  ifelse(table$kernel == null_title, table$kernel,
         ifelse(table$kernel %in% names(other_candidates), paste0(table$kernel, ", ", scale),
                paste0(scale, ", ", table$kernel, between)))
}

# list(candidate, parts, scores by domain and lambda as all domains choose it)
find_candidate <- function(search, c) {
  c$spec <- with_lambda(search, c$spec)
  parts <- score_candidate(search, c)
  at <- settle(search, parts, TRUE)
  if (!is.null(c$among)) c$spec <- c$among[[at]]
  lambdas <- vapply(seq_along(parts), function(k) parts[[k]]$lambdas[at[k]], numeric(1))
  # the geometric mean where parts differ; where they agree, to the last digit
  list(candidate = c, parts = parts, scores = scores_at(parts, at),
       lambda = lambdas[1L] * exp(mean(log(lambdas / lambdas[1L]))))
}

# Scaled as a specification asks, with the median distance; warnings of scaling are given once.
search_sample <- function(search, spec) {
  kinds <- spec_scale(spec)
  key <- paste(kinds, collapse = " ")
  if (is.null(search$scaled[[key]])) {
    given <- length(search$scaled) > 0L
    sample <- without_known(search$sample, search$known)
    # least squares, before, told of constant predictors
    given <- given || !search$working && !is.null(search$args$family)
    sample <- if (given) quietly(scale_sample(sample, kinds)) else scale_sample(sample, kinds)
    search$scaled[[key]] <- c(sample, median = median_bandwidth(sample$X))
  }
  search$scaled[[key]]
}

ridge_args <- function(args) {
  dg_ridge(intercept = TRUE, threads = args$threads)$args
}

# Scores of a candidate at every lambda, in parts. Each part scores some of the domains (`held`) at
# the lambda that is best on others (`in_choice`); most candidates have one part, with all domains
# in both. list of list(held, in_choice [logical by domain], scores [domains x lambdas], lambdas,
# values [rows x columns x lambdas] by models without the row's domain).
score_candidate <- function(search, c) {
  if (is.null(c$crossfits)) {
    specs <- if (is.null(c$among)) list(c$spec) else c$among
    return(list(score_path(search, held_out_path(c$spec, search, specs))))
  }
  levels <- levels(search$scored_by)
  # domains that were not held out of any bandwidths go to the first part
  seen <- unlist(lapply(c$crossfits[-1L], `[[`, "levels"))
  c$crossfits[[1L]]$levels <- setdiff(levels, seen)
  lapply(c$crossfits, score_crossfit, search, c$spec)
}

# A part: bandwidths, scored on the domains to which they were not fitted.
score_crossfit <- function(scoring, search, spec) {
  part <- score_path(search, held_out_path(with_bandwidths(spec, scoring$bandwidth), search))
  part$held <- levels(search$scored_by) %in% scoring$levels
  part$in_choice <- !part$held
  part
}

score_path <- function(search, path) {
  count <- length(path$lambdas)
  values <- array(path$values, c(dim(search$stack$target), count))
  scores <- score_choices(count, function(l) lambda_values(values, l), search$scoring)
  all <- rep(TRUE, nrow(scores))
  list(held = all, in_choice = all, scores = scores, lambdas = path$lambdas, values = values)
}

# Values of each row by fits without its group of domains, on the scale of code_rows(), and the
# lambdas of these fits: in closed form, by Newton steps, or by fits to the other rows. Of other
# methods the numbers of the specifications stand for lambdas. list(lambdas, values)
held_out_path <- function(spec, search, specs = list(spec)) UseMethod("held_out_path")

#' @exportS3Method
held_out_path.dg_spec <- function(spec, search, specs = list(spec)) {
  list(lambdas = seq_along(specs), values = refit_values(search, specs))
}

# The mean of the response in the other groups.
#' @exportS3Method
held_out_path.dg_null_spec <- function(spec, search, specs = list(spec)) {
  task <- search_task(search$sample, search$args)
  list(lambdas = NA_real_, values = null_values(task, search$left_out, search$sample$unit))
}

# At its lambda, or at all of the search.
#' @exportS3Method
held_out_path.dg_ridge_spec <- function(spec, search, specs = list(spec)) {
  sample <- search_sample(search, spec)
  args <- spec$args
  known_median <- function(kernel) kernel_fit(kernel, sample$X, sample$median)
  between <- args$domain_kernel
  if (!is.null(between$kernel)) between$kernel <- known_median(between$kernel)
  space <- gram_space(known_median(args$kernel), between, sample, args$threads)
  task <- quietly(ridge_task(sample, args), "domgen_warning_two_values")
  # in units of the Gram matrix's mean diagonal
  unit <- mean_diagonal(space)
  # a linear kernel of predictors that are zero, as by domain in domains of one row
  if (!is.finite(unit) || unit <= 0) abort("data", "The Gram matrix is zero or not finite.")
  lambdas <- args$lambda
  if (is.null(lambdas)) {
    lambdas <- pmin(search$lambdas * nrow(sample$X) * unit * mean_weight(sample), largest_lambda)
  }
  sample$left_out <- search$left_out
  list(lambdas = lambdas,
       values = left_out_of_units(space, sample, task, args, lambdas))
}

#' @exportS3Method
held_out_path.dg_glm_spec <- function(spec, search, specs = list(spec)) {
  # a constant, which is too large a penalty for Newton steps that end early
  if (spec$args$lambda == no_slopes) {
    return(list(lambdas = NA_real_, values = refit_values(search, specs)))
  }
  list(lambdas = spec$args$lambda, values = common_to_search(search, glm_without(search, spec)))
}

largest_lambda <- 1e300

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
    held <- parts[[k]]$held[as.integer(search$scored_by)]
    values[held, ] <- lambda_values(parts[[k]]$values, at[k])[held, ]
  }
  values
}

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
  losses <- search_losses(search, scores)
  if (all(is.na(losses))) abort_no_score()
  length(losses) + 1L - which.min(rev(losses))
}

# ---- one bandwidth per predictor --------------------------------------------------------------
#
# Fitted for the best Gaussian candidate, and scored on domains to which they were not fitted.

predictor_rows <- 400L

predictor_folds <- 3L

predictor_precision <- 1e-4

try_predictors <- function(search) {
  gaussian <- Filter(function(key) is_gaussian(search$found[[key]]$candidate$spec$args$kernel),
                     best_of_kinds(search))
  if (length(gaussian) == 0L) return(invisible())
  best <- search$found[[gaussian[1L]]]
  spec <- best$candidate$spec
  sample <- search_sample(search, spec)
  p <- ncol(sample$X)
  if (p < 2L || p > search$args$max_ard || is_late(search)) return(invisible())
  start <- seconds_now()
  crossfits <- crossfit_bandwidths(search, best, sample)
  if (is.null(crossfits)) return(invisible())
  c <- candidate(with_bandwidths(spec, crossfits[[1L]]$bandwidth), crossfits = crossfits)
  unseen <- tryCatch(find_candidate(search, c), domgen_error = function(e) NULL)
  if (is.null(unseen) || !is_ahead(search, best$scores, unseen$scores)) return(invisible())
  bandwidths <- fit_predictors(search, best, sample, seq_len(nrow(sample$X)))
  if (is.null(bandwidths)) return(invisible())
  # scored by the bandwidths of the parts, so that these scores are its own
  unseen$candidate$spec <- with_bandwidths(spec, bandwidths)
  search$found[[c$key]] <- c(unseen, list(seconds = seconds_now() - start))
}

# Bandwidths per predictor from some of the rows, at the candidate's lambda; NULL where the search
# fails.
fit_predictors <- function(search, best, sample, at) {
  args <- ridge_args(search$args)
  args$kernel <- kernel_rbf()
  args$domain_kernel <- domain_pooled()
  part <- sample_part(sample, at)
  thin <- search_rows(part, predictor_rows, search$args$seed)
  part <- sample_part(part, thin)
  args$lambda <- best$lambda * length(thin) / nrow(sample$X)
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
crossfit_bandwidths <- function(search, best, sample) {
  levels <- levels(search$scored_by)
  folds <- rep_len(seq_len(min(predictor_folds, length(levels) - 2L)), length(levels))
  if (length(levels) < 4L) return(NULL)
  crossfits <- list()
  for (k in unique(folds)) {
    held <- levels[folds == k]
    bandwidth <- fit_predictors(search, best, sample, which(!search$scored_by %in% held))
    if (is.null(bandwidth)) return(NULL)
    crossfits[[k]] <- list(bandwidth = bandwidth, levels = held)
    if (k > 1L) next
    first <- tryCatch(list(score_crossfit(crossfits[[k]], search, best$candidate$spec)),
                      domgen_error = function(e) NULL)
    if (is.null(first)) return(NULL)
    scores <- scores_at(first, settle(search, first, TRUE))
    if (!is_ahead(search, best$scores[folds == k], scores[folds == k])) return(NULL)
  }
  crossfits
}

# ---- generalised regressions -------------------------------------------------------------------

# Generalised regressions with the kernels that least squares selects (all of them with one domain),
# beside what is no kernel regression. Two of them are what is obvious, without and with curves.
glm_search <- function(kernels, sample, metric) {
  search <- new_search(kernels$args, sample, metric, kernels$few, kernels$args$max_rows,
                       kernels$deadline)
  try_candidate(search, null_candidate(search))
  family <- search$args$family
  if (kernels$few) {
    for (one in kernels$found) {
      try_candidate(search, candidate(as_glm(one$candidate$spec, family, one$lambda)))
    }
  } else {
    plain <- lapply(auto_kernels(search, "pooled")[c("linear", "sum")], function(kernel) {
      candidate(as_glm(auto_ridge(search, kernel = kernel), family))
    })
    search$plain <- vapply(plain, `[[`, "", "key")
    keys <- choose_members(kernels, kernels$args$n_members)$kernels$keys
    chosen <- Filter(is_kernel, lapply(kernels$found[keys], `[[`, "candidate"))
    for (c in c(plain, lapply(chosen, function(c) {
      candidate(as_glm(c$spec, family), crossfits = c$crossfits)
    }))) try_candidate(search, c)
  }
  try_others(search)
  search
}

# The open lambda of a generalised regression, and the width of its kernel between domains, are
# those of dg_glm(), by the deviance of left-out domains. With one domain lambda is given.
with_lambda <- function(search, spec) {
  args <- spec$args
  if (spec$method != "dg_glm" || !is.null(args$lambda)) return(spec)
  sample <- search_sample(search, spec)
  args$kernel <- kernel_fit(args$kernel, sample$X, sample$median)
  task <- glm_task(args$family, search$sample, args, search$known)
  chosen <- on_error(choose_glm_penalty(args, rows_frame(sample), task, for_new = TRUE),
                     function(e) {
    # a candidate that fails, as any other
    abort("data", conditionMessage(e))
  })
  set_parameters(spec, chosen[c("lambda", "domain_kernel")])
}

# Steps of a fit that is compared with others may end early.
score_tolerance <- 0.01

# Values on the common scale of rows whose groups of domains are left out of the fit, while kernels
# and scaling see them, as where lambda is chosen.
glm_without <- function(search, spec) {
  args <- spec$args
  sample <- search_sample(search, spec)
  args$kernel <- kernel_fit(args$kernel, sample$X, sample$median)
  task <- glm_task(args$family, search$sample, args, search$known)
  splits <- unit_splits(search$sample$unit, refit_groups(search))
  train <- vapply(splits, `[[`, logical(nrow(task$Y)), "train")
  values <- array(NA_real_, dim(search$stack$target))
  for (fit in refit_starts(space_gram(space_of(args, rows_frame(sample))), task, train)) {
    solved <- train_glm(fit$data, fit$task, args, tolerance = score_tolerance)
    # with thresholds of its own
    task$response$family <- solved$par
    common <- common_values(task$response, task$loss$scores(solved$decision, solved$par))
    for (k in seq_along(fit$fits)) {
      held <- which(splits[[fit$fits[k]]]$held)
      values[held, ] <- common[(k - 1L) * nrow(task$Y) + held, ]
    }
  }
  values
}
