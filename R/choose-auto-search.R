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
    warn("few_domains", "With ", plural(nlevels(first$sample$domain), "domain"), " nothing can be ",
         "learned about new ones: the default model is fitted.")
    try_candidate(first, candidate())
  } else {
    run_stages(first)
  }
  final <- if (few) first else second_round(first, sample)
  chosen <- choose_members(final, if (few) 1L else args$members)
  chosen <- if (few) c(chosen, list(fair = chosen$scores)) else doubt_members(final, chosen)
  c(list(specs = lapply(chosen$keys, function(key) member_spec(final, key, length(sample$y))),
         expected = expected_score(final, chosen, sample), rows = length(final$sample$y), few = few,
         metric = metric, seed = args$seed, seconds = proc.time()[["elapsed"]] - start),
    summarise_search(first, final, chosen))
}

# Rows of the sample as they are.
new_search <- function(args, sample, metric, few, rows) {
  sample <- sample_part(sample, search_rows(sample, rows, args$seed))
  # groups of rows where there are too few domains
  judged <- if (few) factor(seq_along(sample$domain) %% 10L) else sample$domain
  list2env(list(
    args = args, metric = metric, few = few, sample = sample, judged = judged,
    left_out = in_groups(judged), judge = search_judge(sample, args, metric, judged),
    scaled = list(), found = list()
  ), parent = emptyenv())
}

# What score_values() asks for; what the response warns of is told by the fits.
search_judge <- function(sample, args, metric, domain = sample$domain) {
  list(y = sample$y, domain = domain, metric = metric,
       response = quietly(ridge_task(sample, ridge_args(args)))$response)
}

# Many domains are left out some at a time: one at a time takes much longer, and choices are the
# same.
in_groups <- function(domain) {
  G <- nlevels(domain)
  if (G <= most_left_out) return(domain)
  factor(rep_len(seq_len(most_left_out), G)[as.integer(domain)])
}

run_stages <- function(search) {
  bar <- progress_steps(4L, read_progress(search$args$progress))
  on.exit(bar$done())
  stage <- bar$step
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

# The best candidate of each scaling and kind of kernel, the best first.
best_of_kinds <- function(search, scores = found_scores(search)) {
  keys <- colnames(scores)[order(search_losses(search, colMeans(scores, na.rm = TRUE)))]
  kinds <- vapply(keys, function(key) candidate_kind(search$found[[key]]$candidate), "")
  keys[!duplicated(kinds)]
}

# The best of the kinds from which members are chosen, of pooling, of domain kernels, and the plain
# Gaussian kernel, which tells what choosing gains.
second_round <- function(first, sample) {
  if (length(first$sample$y) == min(length(sample$y), first$args$max_rows)) return(first)
  keys <- names(first$found)[order(found_losses(first))]
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

search_losses <- function(search, scores) losses(scores, search$metric$better)

found_scores <- function(search) by_candidate(search, lapply(search$found, `[[`, "scores"))

found_losses <- function(search) {
  search_losses(search, colMeans(found_scores(search), na.rm = TRUE))
}
