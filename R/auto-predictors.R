# One bandwidth per predictor in dg_auto(): fitted for the best Gaussian candidate, and judged on
# domains that the bandwidths have not seen.

predictor_rows <- 1000L
predictor_folds <- 3L

try_predictors <- function(search) {
  gaussian <- Filter(function(key) search$found[[key]]$candidate$kernel == "rbf",
                     best_keys(search, length(search$found)))
  if (length(gaussian) == 0L) return(invisible())
  found <- search$found[[gaussian[1L]]]
  sample <- search_sample(search, found$candidate$scale)
  p <- ncol(sample$X)
  if (p < 2L || p > search$args$max_predictors) return(invisible())
  unseen <- tryCatch(judge_predictors(search, found, sample), domgen_error = function(e) NULL)
  if (is.null(unseen)) return(invisible())
  # better than the same candidate with one bandwidth, on the same domains
  gain <- search_sign(search) * (mean(found$scores, na.rm = TRUE) - mean(unseen, na.rm = TRUE))
  if (is.na(gain) || gain <= 0) return(invisible())
  fitted <- fit_predictors(search, found, sample, seq_len(nrow(sample$X)))
  if (is.null(fitted)) return(invisible())
  c <- found$candidate
  c$sigma <- fitted
  scored <- tryCatch(score_candidate(search, c), domgen_error = function(e) NULL)
  if (is.null(scored)) return(invisible())
  # the score of bandwidths that had not seen the domains
  scored$scores <- unseen
  search$found[[candidate_key(c)]] <- c(scored, list(candidate = c, seconds = NA_real_))
}

# Bandwidths per predictor from some of the rows, at the candidate's lambda; NULL where the search
# fails.
fit_predictors <- function(search, found, sample, rows) {
  args <- ridge_args(search$args)
  args$kernel <- kernel_rbf()
  args$domain_kernel <- domain_pooled()
  part <- sample_rows(sample, rows)
  thin <- search_rows(list(y = part$y, domain = part$domain), predictor_rows)
  part <- sample_rows(part, thin)
  args$lambda <- found$lambda * length(thin) / nrow(sample$X)
  fitted <- tryCatch(
    withCallingHandlers(fit_bandwidths(ridge_task(part, args), part, args),
                        domgen_warning = function(w) invokeRestart("muffleWarning")),
    domgen_error = function(e) NULL
  )
  if (!is.null(fitted)) fitted$kernel$sigma
}

sample_rows <- function(sample, rows) {
  y <- sample$y[rows]
  list(X = sample$X[rows, , drop = FALSE], y = if (is.factor(y)) droplevels(y) else y,
       domain = droplevels(sample$domain[rows]), weights = sample$weights[rows])
}

# Scores by domain, each by bandwidths that were fitted without a third of the domains to which
# it belongs; lambda too.
judge_predictors <- function(search, found, sample) {
  levels <- levels(search$left_out)
  folds <- rep_len(seq_len(min(predictor_folds, length(levels) - 2L)), length(levels))
  if (max(folds) < 2L) return(NULL)
  scores <- stats::setNames(rep(NA_real_, length(levels)), levels)
  for (k in unique(folds)) {
    held <- search$left_out %in% levels[folds == k]
    sigma <- fit_predictors(search, found, sample, which(!held))
    if (is.null(sigma)) return(NULL)
    c <- found$candidate
    c$sigma <- sigma
    # lambda of the other domains
    scored <- score_lambdas(search, c)
    others <- colMeans(scored$scores[folds != k, , drop = FALSE], na.rm = TRUE)
    best <- which.min(search_sign(search) * others)
    scores[folds == k] <- scored$scores[folds == k, best]
  }
  scores
}
