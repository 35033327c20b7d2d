# One bandwidth per predictor in dg_auto(): fitted for the best Gaussian candidate, and judged on
# domains that the bandwidths have not seen.

predictor_rows <- 400L
predictor_folds <- 3L

try_predictors <- function(search) {
  gaussian <- Filter(function(key) search$found[[key]]$candidate$kernel == "rbf",
                     best_of_kinds(search))
  if (length(gaussian) == 0L) return(invisible())
  found <- search$found[[gaussian[1L]]]
  sample <- search_sample(search, found$candidate$scale)
  p <- ncol(sample$X)
  if (p < 2L || p > search$args$max_predictors) return(invisible())
  c <- found$candidate
  c$judges <- predictor_judges(search, found, sample)
  if (is.null(c$judges)) return(invisible())
  c$sigma <- c$judges[[1L]]$sigma
  # better than the same candidate with one bandwidth, on the same domains
  unseen <- tryCatch(find_candidate(search, c), domgen_error = function(e) NULL)
  gain <- search_losses(search, mean(found$scores, na.rm = TRUE) -
                          mean(unseen$scores, na.rm = TRUE))
  if (is.null(unseen) || is.na(gain) || gain <= 0) return(invisible())
  c$sigma <- fit_predictors(search, found, sample, seq_len(nrow(sample$X)))
  if (!is.null(c$sigma)) try_candidate(search, c)
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
  fitted <- tryCatch(quietly(fit_bandwidths(ridge_task(part, args), part, args)),
                     domgen_error = function(e) NULL)
  if (!is.null(fitted)) fitted$kernel$sigma
}

# Bandwidths that were fitted without a third of the domains, and which: list of
# list(sigma, levels); NULL where a search fails.
predictor_judges <- function(search, found, sample) {
  levels <- levels(search$judged)
  folds <- rep_len(seq_len(min(predictor_folds, length(levels) - 2L)), length(levels))
  if (length(levels) < 4L) return(NULL)
  judges <- lapply(unique(folds), function(k) {
    held <- levels[folds == k]
    sigma <- fit_predictors(search, found, sample, which(!search$judged %in% held))
    if (!is.null(sigma)) list(sigma = sigma, levels = held)
  })
  if (!any(vapply(judges, is.null, NA))) judges
}
