# How large is the error of a row? Intervals are as wide as that asks for.

most_sized <- 500L # rows, beyond which landmarks stand for them

# A kernel ridge regression of the logarithm of the size of left-out residuals on the predictors,
# whose lambda is chosen by left-out domains: where nothing is to be learned it is a constant. It
# knows rows and not domains, so that each row is asked alone. error: [n]; a share of its median is
# added, because the logarithm of hardly any error says nothing.
fit_error_size <- function(error, sample) {
  size <- abs(error)
  small <- stats::median(size) / 20
  spread <- apply(sample$X, 2L, stats::sd)
  if (small == 0 || ncol(sample$X) == 0L || all(spread == 0)) return(NULL)
  sizer <- list(centre = colMeans(sample$X), spread = ifelse(spread > 0, spread, 1))
  sample <- list(X = sized_columns(sizer, sample$X), y = log(size + small), domain = sample$domain,
                 weights = sample$weights)
  spec <- dg_ridge(domain_kernel = domain_pooled(), domain_weights = "equal",
                   features = if (nrow(sample$X) <= most_sized) features_exact()
                              else features_nystrom(100))
  sizer$model <- fit_rows(spec, rows_frame(sample))
  sizer$model$spec <- spec
  left <- left_out_values(sizer$model, sample)
  sizer$left_out <- exp(respond(sizer$model, left, "number"))
  sizer$range <- range(sizer$left_out)
  sizer
}

sized_columns <- function(sizer, X) sweep(sweep(X, 2L, sizer$centre), 2L, sizer$spread, "/")

# At new rows, within what it says of those of training.
error_size <- function(sizer, X) {
  if (is.null(sizer)) return(rep(1, nrow(X)))
  values <- decision(sizer$model, list(X = sized_columns(sizer, X),
                                       domain = factor(rep("new", nrow(X)))))
  pmin(pmax(exp(respond(sizer$model, values, "number")), sizer$range[1L]), sizer$range[2L])
}

# Is it worth it? By the interval score (Gneiting and Raftery, 2007, equation 43) of left-out rows,
# each domain weighing the same.
is_sized_better <- function(error, size, domain, shares, level) {
  score <- function(size) {
    threshold <- row_threshold(abs(error) / size, domain, shares, level)
    half <- threshold * size
    sum(shares * (2 * half + 2 / (1 - level) * pmax(abs(error) - half, 0)))
  }
  isTRUE(score(size) < score(rep(1, length(error))))
}
