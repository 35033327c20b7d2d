# The search of dg_auto(): candidates, each a row of choices, scored by left-out domains. A first
# round on some of the rows tries all; the best of each kind meet in a second on more.

auto_lambdas <- 10^seq(-6, 0, by = 0.5)
exact_rows <- 5000L
first_rows <- 600L

most_left_out <- 10L

# Fewer domains say too little of how the response depends on the domain.
domains_for_kernel <- 5L

# list(specs of the members, expected, table, scores, metric, rows, seed, seconds, few)
choose_by_domain <- function(args, sample) {
  start <- proc.time()[["elapsed"]]
  metric <- read_plain_metrics(args$metric, sample$y)[[1L]]
  few <- nlevels(droplevels(sample$domain)) < 3L
  first <- new_search(args, sample, metric, few, if (few) args$max_rows
                                                 else min(args$max_rows, first_rows))
  if (few) {
    warn("few_domains", "With ", plural(nlevels(first$domain), "domain"), " nothing can be ",
         "learned about new ones: the default model is fitted.")
    try_candidate(first, candidate())
  } else {
    run_stages(first)
  }
  final <- if (few) first else second_round(first, sample)
  chosen <- choose_members(final, if (few) 1L else args$members)
  chosen <- if (few) c(chosen, list(fair = chosen$scores)) else doubt_members(final, chosen)
  c(list(specs = lapply(chosen$keys, function(key) member_spec(final, key, length(sample$y))),
         expected = expected_score(final, chosen, sample), rows = length(final$y), few = few,
         metric = metric, seed = args$seed, seconds = proc.time()[["elapsed"]] - start),
    summarise_search(first, final, chosen))
}

# Rows of the sample as they are.
new_search <- function(args, sample, metric, few, rows) {
  search <- new.env(parent = emptyenv())
  search$args <- args
  search$metric <- metric
  search$few <- few
  rows <- search_rows(sample, rows, args$seed)
  search$X <- sample$X[rows, , drop = FALSE]
  search$y <- if (is.factor(sample$y)) droplevels(sample$y[rows]) else sample$y[rows]
  search$domain <- droplevels(sample$domain[rows])
  search$weights <- sample$weights[rows]
  search$judged <- if (few) row_groups(search$domain) else search$domain
  search$left_out <- in_groups(search$judged)
  search$samples <- list()
  search$found <- list()
  search
}

row_groups <- function(domain) factor(seq_along(domain) %% 10L)

# Many domains are left out some at a time: one at a time takes much longer, and choices are the
# same.
in_groups <- function(domain) {
  G <- nlevels(domain)
  if (G <= most_left_out) return(domain)
  factor(rep_len(seq_len(most_left_out), G)[as.integer(domain)])
}

# judges: bandwidths fitted without some domains, see auto-predictors.R.
candidate <- function(scale = "pooled", kernel = "rbf", times = 1, outer = NA, sigma = NULL,
                      judges = NULL) {
  list(scale = scale, kernel = kernel, times = times, outer = outer, sigma = sigma,
       judges = judges)
}

# p: predictors after scaling, whose inner product is about p; median: their median distance where
# it is known.
candidate_kernel <- function(c, p, median = NULL) {
  stationary <- function(kernel) {
    if (is.null(median)) kernel(times = c$times) else kernel(sigma = c$times * median)
  }
  switch(c$kernel, linear = kernel_linear(), null = kernel_rbf(),
         rbf = if (is.null(c$sigma)) stationary(kernel_rbf) else kernel_rbf(c$sigma),
         sum = stationary(kernel_rbf) + (0.5 / p) * kernel_linear(),
         laplace = stationary(kernel_laplace))
}

candidate_domain_kernel <- function(c, median = NULL) {
  if (is.na(c$outer)) domain_pooled()
  else domain_distribution(kernel_rbf(median), outer = kernel_rbf(times = c$outer))
}

run_stages <- function(search) {
  bar <- progress_line(4L, read_progress(search$args$progress))
  on.exit(bar$done())
  stage <- function(label, code) {
    bar$tick(label)
    code
    bar$advance()
  }
  stage("scaling and kernel", {
    for (scale in c("pooled", "domain", "both", "rank")) {
      for (kernel in c("rbf", "laplace", "sum")) try_candidate(search, candidate(scale, kernel))
      if (scale != "both") try_candidate(search, candidate(scale, "linear"))
    }
    try_candidate(search, candidate(kernel = "null"))
  })
  stage("bandwidths", {
    vary(search, "times", c(0.5, 2))
    vary(search, "times", 4, function(c) c$times == 2)
  })
  if (nlevels(search$judged) >= domains_for_kernel) {
    stage("domain kernel", vary(search, "outer", c(1, 2)))
  }
  stage("bandwidths of predictors", try_predictors(search))
}

# The best candidates of the best kinds with other values of one choice, if they qualify.
vary <- function(search, name, values, qualifies = function(c) TRUE) {
  keys <- utils::head(best_of_kinds(search), search$args$members)
  for (best in lapply(keys, function(key) search$found[[key]]$candidate)) {
    fixed <- best$kernel == "null" || name == "times" && best$kernel == "linear"
    if (fixed || !qualifies(best)) next
    for (value in values) {
      best[[name]] <- value
      try_candidate(search, best)
    }
  }
}

candidate_key <- function(c) paste(c$scale, c$kernel, c$times, c$outer, !is.null(c$sigma))
candidate_kind <- function(c) paste(c$scale, c$kernel, !is.null(c$sigma))

# The best candidate of each scaling and kind of kernel, the best first.
best_of_kinds <- function(search, scores = found_scores(search)) {
  keys <- colnames(scores)[order(search_sign(search) * colMeans(scores, na.rm = TRUE))]
  kinds <- vapply(keys, function(key) candidate_kind(search$found[[key]]$candidate), "")
  keys[!duplicated(kinds)]
}

# The best of the kinds from which members are chosen, of pooling, of domain kernels, and the plain
# Gaussian kernel, which tells what choosing gains.
second_round <- function(first, sample) {
  if (length(first$y) == min(length(sample$y), first$args$max_rows)) return(first)
  keys <- names(first$found)[order(search_sign(first) * found_means(first))]
  pooled <- vapply(keys, function(key) is.na(first$found[[key]]$candidate$outer), NA)
  keys <- unique(c(utils::head(best_of_kinds(first), first$args$members), keys[pooled][1L],
                   keys[!pooled][1L], candidate_key(candidate()),
                   candidate_key(candidate(kernel = "null"))))
  final <- new_search(first$args, sample, first$metric, first$few, first$args$max_rows)
  # what scaling warns of was told in the first round
  for (key in keys[keys %in% names(first$found)]) {
    quietly(try_candidate(final, first$found[[key]]$candidate))
  }
  if (length(final$found)) final else first
}

# Scores a candidate at the best lambda, once; one that fails is left out.
try_candidate <- function(search, c) {
  key <- candidate_key(c)
  if (!is.null(search$found[[key]])) return(invisible())
  start <- proc.time()[["elapsed"]]
  found <- tryCatch(find_candidate(search, c), domgen_error = function(e) {
    if (length(search$found) == 0L && candidate_key(c) == candidate_key(candidate())) stop(e)
    NULL
  })
  if (is.null(found)) return(invisible())
  search$found[[key]] <- c(found, list(seconds = proc.time()[["elapsed"]] - start))
}

# list(candidate, parts, scores by domain and lambda as all domains choose it)
find_candidate <- function(search, c) {
  parts <- score_candidate(search, c)
  at <- settle(search, parts, TRUE)
  list(candidate = c, parts = parts, scores = scores_at(parts, at),
       lambda = lambda_at(parts, at))
}

search_sample <- function(search, scale) {
  if (is.null(search$samples[[scale]])) {
    told <- length(search$samples) > 0L
    sample <- if (told) quietly(scale_sample(search, scale)) else scale_sample(search, scale)
    sample$median <- median_bandwidth(sample$X)
    search$samples[[scale]] <- sample
  }
  search$samples[[scale]]
}

# list(X scaled, y, domain, weights, scaling); the search adds the median distance.
scale_sample <- function(sample, scale) {
  scaling <- learn_scaling(sample$X, scale, sample$domain)
  list(X = apply_scaling(sample$X, scaling, sample$domain), y = sample$y, domain = sample$domain,
       weights = sample$weights, scaling = scaling)
}

ridge_args <- function(args) {
  dg_ridge(offset = TRUE, threads = args$threads)$args
}

# Scores of a candidate at every lambda, in parts that each score some of the domains (`held`) at
# the lambda that others of them choose (`judging`): for most candidates one part, where all domains
# do both. list of list(held, judging [logical by domain], scores [domains x lambdas], lambdas,
# values [rows x columns x lambdas] by models without the row's domain).
score_candidate <- function(search, c) {
  if (c$kernel == "null") return(list(score_null(search)))
  if (is.null(c$judges)) return(list(score_lambdas(search, c)))
  levels <- levels(search$judged)
  # domains that no bandwidths have seen go to the first
  seen <- unlist(lapply(c$judges[-1L], `[[`, "levels"))
  c$judges[[1L]]$levels <- setdiff(levels, seen)
  lapply(c$judges, function(judge) {
    c[c("sigma", "judges")] <- list(judge$sigma, NULL)
    part <- score_lambdas(search, c)
    part$held <- levels %in% judge$levels
    part$judging <- !part$held
    part
  })
}

# The index of lambda in each part that the domains `used` choose.
settle <- function(search, parts, used) {
  vapply(parts, function(part) {
    best_lambda(search, part$scores[part$judging & used, , drop = FALSE])
  }, numeric(1))
}

# Scores by domain, and values by row, at these lambdas.
scores_at <- function(parts, at) {
  scores <- parts[[1L]]$scores[, at[1L]]
  for (k in seq_along(parts)) scores[parts[[k]]$held] <- parts[[k]]$scores[parts[[k]]$held, at[k]]
  scores
}

# settled: lambda's indices of each candidate; [domains x candidates]
settled_scores <- function(search, settled) {
  by_candidate(search, Map(function(f, at) scores_at(f$parts, at), search$found, settled))
}

by_candidate <- function(search, scores) {
  matrix(unlist(scores, use.names = FALSE), nlevels(search$judged),
         dimnames = list(NULL, names(scores)))
}

values_at <- function(search, parts, at) {
  values <- lambda_values(parts[[1L]]$values, at[1L])
  for (k in seq_along(parts)[-1L]) {
    rows <- parts[[k]]$held[as.integer(search$judged)]
    values[rows, ] <- lambda_values(parts[[k]]$values, at[k])[rows, ]
  }
  values
}

# The geometric mean where parts differ.
lambda_at <- function(parts, at) {
  exp(mean(log(vapply(seq_along(parts), function(k) parts[[k]]$lambdas[at[k]], numeric(1)))))
}

# The mean of the response, which a ridge regression with a huge lambda predicts.
score_null <- function(search) {
  task <- ridge_task(search_sample(search, "pooled"), ridge_args(search$args))
  share <- task$costs / max(task$costs)
  # by place: a domain may be called ""
  left_out <- as.integer(factor(search$left_out))
  without <- function(v) sum(v) - rowsum(v, left_out)[left_out, ]
  values <- apply(share * task$Y, 2L, without) / without(share)
  score_part(search, task, null_lambda * nrow(task$Y), array(values, c(dim(values), 1L)))
}

null_lambda <- 1e10

# Of equals the largest.
best_lambda <- function(search, scores) {
  means <- colMeans(scores, na.rm = TRUE)
  if (all(is.nan(means))) abort_no_score()
  length(means) + 1L - which.min(rev(search_sign(search) * means))
}

score_lambdas <- function(search, c) {
  sample <- search_sample(search, c$scale)
  args <- ridge_args(search$args)
  product <- product_kernel(candidate_kernel(c, ncol(sample$X), sample$median),
                            candidate_domain_kernel(c, sample$median), sample, args$threads)
  task <- ridge_task(sample, args)
  # in units of the Gram matrix's mean diagonal
  unit <- mean(kernel_diag_(kernel_program(product$kernel, sample$X, sample$X), sample$X))
  # a linear kernel of predictors that are zero, as by domain in domains of one row
  if (!is.finite(unit) || unit <= 0) abort("data", "The Gram matrix is zero or not finite.")
  lambdas <- auto_lambdas * nrow(sample$X) * unit
  sample$left_out <- search$left_out
  values <- left_out_predictions(product, sample, task, args, lambdas)
  score_part(search, task, lambdas, values)
}

score_part <- function(search, task, lambdas, values) {
  scores <- vapply(seq_along(lambdas), function(l) {
    scores_by_group(lambda_values(values, l), search$y, search$judged, task$response,
                    search$metric)
  }, numeric(nlevels(search$judged)))
  all <- rep(TRUE, nlevels(search$judged))
  list(held = all, judging = all, scores = scores, lambdas = lambdas, values = values)
}

search_sign <- function(search) if (search$metric$better == "low") 1 else -1

found_scores <- function(search) by_candidate(search, lapply(search$found, `[[`, "scores"))

found_means <- function(search) colMeans(found_scores(search), na.rm = TRUE)
