# The search of dg_auto(): candidates, each a row of choices, scored by left-out domains.

auto_lambdas <- 10^seq(-6, 0, length.out = 25)
exact_rows <- 5000L

# list(spec of the winner, table, scores, metric, rows, seconds, few)
choose_by_domain <- function(args, task) {
  start <- proc.time()[["elapsed"]]
  search <- new.env(parent = emptyenv())
  search$args <- args
  search$metric <- read_metrics(args$metric, task$y)[[1L]]
  if (!is.null(search$metric$needs)) {
    abort("argument", "`metric` must not need probabilities or densities; ridge regressions ",
          "choose by predictions or decision values.")
  }
  search$few <- nlevels(droplevels(task$domain)) < 3L
  rows <- search_rows(task, args$max_rows)
  search$n <- length(task$y)
  search$input <- take_rows(task$input, rows)
  search$domain <- droplevels(task$domain[rows])
  search$samples <- list()
  search$found <- list()
  if (search$few) {
    warn("few_domains", "With ", plural(nlevels(search$domain), "domain"), " nothing can be ",
         "learned about new ones: the default model is fitted.")
    search$left_out <- row_groups(search$domain)
    try_candidate(search, candidate())
  } else {
    search$left_out <- search$domain
    run_stages(search)
  }
  best <- best_keys(search)
  c(list(spec = winner_spec(search, best), rows = length(rows), few = search$few,
         metric = search$metric, seconds = proc.time()[["elapsed"]] - start),
    summarise_search(search, best))
}

# Up to max_rows rows, as many from each domain as it has, at most an equal share.
search_rows <- function(task, max_rows) {
  n <- length(task$y)
  if (n <= max_rows) return(seq_len(n))
  rows <- split(seq_len(n), task$domain, drop = TRUE)
  share <- even_shares(lengths(rows), max_rows)
  # evenly spaced in the order of the response, so that no class gets lost
  sort(unlist(Map(function(i, m) {
    i <- i[order(task$y[i])]
    i[unique(round(seq(1, length(i), length.out = m)))]
  }, rows, share), use.names = FALSE))
}

even_shares <- function(sizes, total) {
  share <- pmin(sizes, total %/% length(sizes))
  while (sum(share) < min(total, sum(sizes))) {
    open <- which(share < sizes)
    more <- (total - sum(share)) %/% length(open)
    if (more == 0L) break
    share[open] <- pmin(sizes[open], share[open] + more)
  }
  pmax(share, 1L)
}

row_groups <- function(domain) factor(seq_along(domain) %% 10L)

candidate <- function(scale = "pooled", kernel = "rbf", times = 1, outer = NA, sigma = NULL) {
  list(scale = scale, kernel = kernel, times = times, outer = outer, sigma = sigma)
}

candidate_kernel <- function(c) {
  switch(c$kernel, linear = kernel_linear(),
         rbf = if (is.null(c$sigma)) kernel_rbf(times = c$times) else kernel_rbf(c$sigma),
         laplace = kernel_laplace(times = c$times))
}

candidate_domain_kernel <- function(c) {
  if (is.na(c$outer)) domain_pooled()
  else domain_distribution(outer = kernel_rbf(times = c$outer))
}

run_stages <- function(search) {
  bar <- progress_line(5L, read_progress(search$args$progress))
  on.exit(bar$done())
  stage <- function(label, code) {
    bar$tick(label)
    code
    bar$advance()
  }
  stage("scaling and kernel", {
    for (scale in c("pooled", "domain", "both", "rank")) for (kernel in c("rbf", "laplace")) {
      try_candidate(search, candidate(scale, kernel))
    }
    for (scale in c("pooled", "domain")) try_candidate(search, candidate(scale, "linear"))
  })
  stage("bandwidths", vary(search, "times", c(0.25, 0.5, 2, 4)))
  stage("domain kernel", vary(search, "outer", c(0.5, 1, 2)))
  stage("scaling", vary(search, "scale", c("pooled", "domain", "both", "rank"), most = 1L))
  stage("bandwidths of predictors", try_predictors(search))
}

# The best candidates with other values of one choice.
vary <- function(search, name, values, most = 2L) {
  for (best in lapply(best_keys(search, most), function(key) search$found[[key]]$candidate)) {
    if (name == "times" && best$kernel == "linear") next
    for (value in values) {
      best[[name]] <- value
      try_candidate(search, best)
    }
  }
}

candidate_key <- function(c) paste(c$scale, c$kernel, c$times, c$outer, !is.null(c$sigma))

# Scores a candidate at the best lambda, once; one that fails is left out.
try_candidate <- function(search, c) {
  key <- candidate_key(c)
  if (!is.null(search$found[[key]])) return(invisible())
  start <- proc.time()[["elapsed"]]
  scored <- tryCatch(score_candidate(search, c), domgen_error = function(e) {
    if (length(search$found) == 0L && candidate_key(c) == candidate_key(candidate())) stop(e)
    NULL
  })
  if (is.null(scored)) return(invisible())
  search$found[[key]] <- c(scored, list(candidate = c, seconds = proc.time()[["elapsed"]] - start))
}

search_sample <- function(search, scale) {
  if (is.null(search$samples[[scale]])) {
    needs <- list(response = "any", domain = TRUE)
    search$samples[[scale]] <- quietly(read_sample(search$input, needs, scale))
  }
  search$samples[[scale]]
}

ridge_args <- function(args) {
  dg_ridge(offset = TRUE, threads = args$threads)$args
}

# list(scores by domain, lambda)
score_candidate <- function(search, c) {
  scored <- score_lambdas(search, c)
  means <- colMeans(scored$scores, na.rm = TRUE)
  if (all(is.nan(means))) abort("data", "`metric` has no value in any domain: each lacks a class.")
  # of equals the largest
  best <- length(means) + 1L - which.min(rev(search_sign(search) * means))
  list(scores = scored$scores[, best], lambda = scored$lambdas[best])
}

# list(scores [domains x lambdas], lambdas)
score_lambdas <- function(search, c) {
  sample <- search_sample(search, c$scale)
  args <- ridge_args(search$args)
  product <- product_kernel(candidate_kernel(c), candidate_domain_kernel(c), sample, args$threads)
  task <- ridge_task(sample, args)
  # in units of the Gram matrix's mean diagonal
  unit <- mean(kernel_diag_(kernel_program(product$kernel, sample$X, sample$X), sample$X))
  # a linear kernel of predictors that are zero, as by domain in domains of one row
  if (!is.finite(unit) || unit <= 0) abort("data", "The Gram matrix is zero or not finite.")
  lambdas <- auto_lambdas * nrow(sample$X) * unit
  sample$left_out <- search$left_out
  values <- left_out_predictions(product, sample, task, args, lambdas)
  scores <- vapply(seq_along(lambdas), function(l) {
    left_out_scores(search, sample, task, matrix(values[, , l], nrow(sample$X)))
  }, numeric(nlevels(search$left_out)))
  list(scores = scores, lambdas = lambdas)
}

search_sign <- function(search) if (search$metric$better == "low") 1 else -1

left_out_scores <- function(search, sample, task, values) {
  object <- structure(list(response = task$response), class = "dg_learner")
  d <- add_responses(data.frame(truth = sample$y), object, values, levels(sample$y))
  vapply(split(seq_along(sample$y), search$left_out), function(i) score(d[i, ], search$metric),
         numeric(1))
}

found_means <- function(search) {
  vapply(search$found, function(f) mean(f$scores, na.rm = TRUE), numeric(1))
}

best_keys <- function(search, most = 1L) {
  utils::head(names(search$found)[order(search_sign(search) * found_means(search))], most)
}

# The specification of the winner for all rows.
winner_spec <- function(search, key) {
  found <- search$found[[key]]
  c <- found$candidate
  exact <- search$n <= exact_rows
  dg_ridge(lambda = found$lambda * search$n / nrow(search$samples[[1L]]$X),
           kernel = candidate_kernel(c), domain_kernel = candidate_domain_kernel(c),
           features = if (exact) features_exact() else features_nystrom(1000), offset = TRUE,
           probability = search$args$probability, scale = c$scale, threads = search$args$threads)
}

summarise_search <- function(search, best) {
  order <- order(search_sign(search) * found_means(search), names(search$found) != best)
  found <- search$found[order]
  scores <- vapply(found, `[[`, numeric(nlevels(search$left_out)), "scores")
  scores <- matrix(scores, ncol = length(found),
                   dimnames = list(levels(search$left_out), names(found)))
  differences <- scores - scores[, 1L]
  table <- data.frame(
    scale = vapply(found, function(f) f$candidate$scale, ""),
    kernel = vapply(found, function(f) kernel_words(f$candidate), ""),
    domain_kernel = vapply(found, function(f) {
      if (is.na(f$candidate$outer)) "pooled"
      else paste0("distributional (", format(f$candidate$outer), " times the median)")
    }, ""),
    lambda = vapply(found, `[[`, numeric(1), "lambda"), mean = colMeans(scores, na.rm = TRUE),
    se = apply(scores, 2L, known_error), difference = colMeans(differences, na.rm = TRUE),
    difference_se = apply(differences, 2L, known_error),
    seconds = vapply(found, `[[`, numeric(1), "seconds"), row.names = NULL
  )
  list(table = table, scores = scores)
}

known_error <- function(values) standard_error(values[!is.na(values)])

kernel_words <- function(c) {
  if (c$kernel == "linear") return("linear kernel")
  name <- if (c$kernel == "rbf") "Gaussian kernel" else "Laplace kernel"
  if (!is.null(c$sigma)) return(paste(name, "with a bandwidth per predictor"))
  paste0(name, " (", format(c$times), " times the median)")
}
