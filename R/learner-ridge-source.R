# Ridge regression on rows that come in blocks: from sums of features by groups of domains.

#' @exportS3Method
fit_source.dg_ridge_spec <- function(spec, stage) {
  task <- ridge_source_task(spec, stage)
  sums <- stage_groups(task$product, stage, task$response, task$costs)
  ridge_of_groups(spec, stage, task, sums, left_out = TRUE)
}

# list(args, response, product, costs)
ridge_source_task <- function(spec, stage) {
  args <- source_args(spec$args, stage)
  response <- source_response(stage, args$scale != "none")
  args$domain_kernel <- source_domain_kernel(args, stage, response)
  list(args = args, response = response, product = source_space(args, stage),
       costs = domain_costs(stage$survey, args$domain_weights))
}

# left_out: are the fits without groups of domains kept?
ridge_of_groups <- function(spec, stage, task, sums, left_out) {
  args <- task$args
  total <- sum_groups(sums)
  check_overflow(diag(total$second), task$product$kernel)
  if (is.null(args$lambda)) args$lambda <- choose_lambda(sums, total, stage, args)
  solved <- solve_moments(total, args)
  solved$decision <- matrix(0, 0L, ncol(solved$coefficients))
  fitted <- new_ridge(solved, task$product, task$response, list(weights = numeric(), y = NULL),
                      numeric(), args$lambda)
  if (left_out) fitted$left_out <- leave_groups_out(sums, total, stage, args, args$lambda)
  finish_source(fitted, spec, stage)
}

# Kernels that were left open, as fit_sample() fills them in.
source_args <- function(args, stage) {
  args <- place_kernels(args, layout_of(stage$sample$blueprint))
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (isTRUE(args$offset)) args$kernel <- free_origin(args, stage$sample$X)
  args
}

# The kernel between domains, fitted to all of them; its width is chosen on the sample where that
# and lambda are open, see choose_penalty().
source_domain_kernel <- function(args, stage, response) {
  if (!chooses_width(args)) return(args$domain_kernel)
  fitted <- described_kernel(args, stage)
  widen_described(fitted, chosen_width(args, stage, response, fitted))
}

chooses_width <- function(args) {
  judges_rows(args$domain_kernel) && is.null(args$lambda) && has_open_width(args$domain_kernel)
}

described_kernel <- function(args, stage) {
  fitted <- domain_kernel_fit(args$domain_kernel, rows_of(described_sample(stage), args$threads),
                              args$features)
  check_described(fitted)
  fitted
}

# In medians.
chosen_width <- function(args, stage, response, fitted) {
  sample <- stage$sample
  if (nlevels(sample$domain) < 2L) return(1)
  task <- list(response = response, Y = block_targets(response, sample$y),
               costs = sample$weights * domain_costs(stage$survey, args$domain_weights)[
                 as.integer(sample$domain)])
  times <- choose_penalty(args, sample, task, between = fitted)$times
  if (is.null(times)) 1 else times
}

# So that new domains are judged by the wider kernel too.
widen_described <- function(kernel, times) {
  kernel <- widen_fitted(kernel, times)
  kernel$outer$sigma <- kernel$outer$sigma * times
  kernel
}

# A tenth of the groups each, or all where there are fewer.
lambda_folds <- 10L

# total: sums without the domains `without`.
choose_lambda <- function(sums, total, stage, args, without = integer()) {
  folds <- split_groups(sums, stage, without = without)
  if (length(folds) < 2L) return(1)
  lambdas <- total$total * penalty_shares
  errors <- Reduce(`+`, lapply(folds, function(domains) {
    colSums(left_out_errors(sums, total, domains, stage, args, lambdas, without)$errors)
  }))
  lambdas[simplest_best(errors)]
}

# Sets of domains, of about as many groups each; domains without weight are in none.
split_groups <- function(sums, stage, k = lambda_folds, without = integer()) {
  weighty <- setdiff(which(stage$survey$weights > 0), without)
  groups <- unique(sums$group[weighty])
  fold <- if (length(groups) <= k) seq_along(groups)
          else sample(rep_len(seq_len(k), length(groups)))
  unname(split(weighty, fold[match(sums$group[weighty], groups)]))
}

# Sums of squared errors of some domains by the fits to the others, by subtraction: list(errors
# [m x lambdas], coefficients [r x m lambdas], offset [m lambdas], own: the domains' sums). without:
# domains that total lacks.
left_out_errors <- function(sums, total, domains, stage, args, lambdas, without = integer()) {
  own <- sum_groups(sums, domains)
  rest <- Map(`-`, total, own)
  centre <- centre_without(stage, c(domains, without), args, ncol(own$cross))
  rest$cross <- rest$cross - outer(rest$sums, centre)
  solved <- solve_left_out(rest, args, lambdas)
  solved$offset <- solved$offset + rep(centre, length(lambdas))
  errors <- matrix(column_errors(own, solved), ncol = length(lambdas))
  c(solved, list(errors = errors, own = own))
}

# sum c (y - z'w - b)^2 for each column w and its b; targets repeat with the columns.
column_errors <- function(own, solved) {
  W <- solved$coefficients
  b <- solved$offset
  target <- rep_len(seq_len(ncol(own$cross)), ncol(W))
  cross <- own$cross[, target, drop = FALSE] - outer(own$sums, b)
  square <- diag(own$response_second)[target] - 2 * b * own$response_sums[target] +
    b^2 * own$total
  pmax(square - 2 * colSums(W * cross) + colSums(W * (own$second %*% W)), 0)
}

# A standardised response is centred by the mean of the other domains, see left_out_centre().
centre_without <- function(stage, domains, args, m) {
  survey <- stage$survey
  if (survey$reader$kind != "number" || args$scale == "none" || args$offset) return(rep(0, m))
  rest <- lapply(survey$response, take, -domains)
  whole <- pool_moments(survey$response)
  if (whole$square == 0) return(0)
  (pool_moments(rest)$mean - whole$mean) / sqrt(whole$square / whole$count)
}

# Beyond that domains are left out in groups.
left_out_sets <- 100L

# Fits without each group of domains: list(group of each domain, errors [m x groups]: mean squared
# errors in units of the targets, coefficients [r x m groups], offset).
leave_groups_out <- function(sums, total, stage, args, lambda) {
  sets <- split_groups(sums, stage, k = left_out_sets)
  if (length(sets) < 2L) return(NULL)
  sets <- with_weightless(sets, sums)
  left <- lapply(sets, function(domains) {
    left_out_errors(sums, total, domains, stage, args, lambda)
  })
  list(sets = sets, errors = vapply(left, function(one) drop(one$errors) / one$own$total,
                                    numeric(ncol(total$cross))),
       coefficients = do.call(cbind, lapply(left, `[[`, "coefficients")),
       offset = unlist(lapply(left, `[[`, "offset")))
}

# The sets with the domains that have no weight, which are judged too: by the fit without their
# group, or where all of that has none in a set of their own, by the fit of all.
with_weightless <- function(sets, sums) {
  set <- integer(length(sums$group))
  set[unlist(sets)] <- rep(seq_along(sets), lengths(sets))
  if (all(set > 0L)) return(sets)
  of_group <- tapply(set, sums$group, max)
  set <- c(of_group[match(sums$group, names(of_group))])
  idle <- unique(sums$group[set == 0L])
  each <- length(sets) + length(idle) <= left_out_sets
  own <- length(sets) + if (each) match(sums$group, idle) else rep(1L, length(set))
  set[set == 0L] <- own[set == 0L]
  found <- unname(split(seq_along(set), set))
  found[order(vapply(found, min, 0L))]
}
