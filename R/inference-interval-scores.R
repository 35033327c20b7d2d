# Errors on a domain's rows of models fitted without its labels.

# list(values: decision values [n x submodels], NA where there are none; sd: [n] the standard
# deviation of the response by the model's own posterior, or NULL). Parameters that a fit selects
# are selected again without the domain, except those of a Gaussian process of many rows, and except
# what a search selected.
left_out_decisions <- function(object, sample) UseMethod("left_out_decisions")

#' @exportS3Method
left_out_decisions.dg_learner <- function(object, sample) {
  spec <- place_spec(object$spec, layout_of(object$blueprint))
  list(values = held_out_decisions(spec, sample, object)$values)
}

#' @exportS3Method
left_out_decisions.dg_ensemble <- function(object, sample) {
  values <- object$held_out$values
  if (is.null(values)) NextMethod() else list(values = values)
}

# The candidate that a search selected was selected on all domains. Its errors are enlarged in the
# ratio of the estimated score on a new domain to the score of the selected candidate; by the root
# of the ratio, if the score is of squared errors.
#' @exportS3Method
left_out_decisions.dg_auto <- function(object, sample) {
  left_out <- NextMethod()
  expected <- object$choice$expected
  if (object$response$kind == "number" && isTRUE(expected$mean > expected$raw) &&
        isTRUE(expected$raw > 0)) {
    ratio <- expected$mean / expected$raw
    if (isTRUE(object$choice$metric$squares)) ratio <- sqrt(ratio)
    left_out$values <- sample$y + (left_out$values - sample$y) * ratio
  }
  left_out
}

#' @exportS3Method
left_out_decisions.dg_gp <- function(object, sample) {
  # closed forms leave out domains, not all of a school's classes
  if (!is.null(object$space$feature_map) || !is.null(sample$blueprint$structure)) {
    return(NextMethod())
  }
  # parameters that were fitted to a domain's labels make its errors too small
  refits <- isTRUE(object$spec$args$optimise) && length(object$y) <= most_refitted_rows
  if (refits) refitted_decisions(object, sample) else closed_decisions(object)
}

# Beyond, fits without a domain take long.
most_refitted_rows <- 1000L

closed_decisions <- function(object) {
  used <- object$weights > 0
  moments <- left_out_moments(object)
  values <- sd <- rep(NA_real_, length(used))
  values[used] <- (object$y[used] - moments$residual - object$response$centre) /
    object$response$scale
  sd[used] <- moments$sd
  list(values = matrix(values), sd = sd)
}

# By fits without each fold of domains, as in held_out_decisions(), with their standard deviations.
refitted_decisions <- function(object, sample) {
  spec <- place_spec(object$spec, layout_of(object$blueprint))
  left_out <- by_folds(sample, 2L, " for intervals", function(inside) {
    rows <- rows_frame(sample_part(sample, !inside))
    model <- fit_part(spec, rows)
    moments <- mean_and_variance(model, list(X = sample$X[inside, , drop = FALSE],
                                             domain = droplevels(sample$domain[inside])))
    value <- respond(targets_of(model), moments[, 1L], "number")
    cbind((value - object$response$centre) / object$response$scale,
          sqrt(moments[, 2L] + model$noise_sd^2) * model$response$scale)
  })$values
  list(values = left_out[, 1L, drop = FALSE], sd = left_out[, 2L])
}

# A list of class dg_intervals: error [n], truth less prediction, or for classes how far the class
# of the row is behind the best of the others; size [n] (NULL: constant); domain, weights, shares
# [n]; sizer; own: is the size the model's own? from: what domains they are of.
score_intervals <- function(object, sample) {
  whole <- left_out_whole(sample$blueprint$structure, levels(sample$domain))
  check_held_out(sample, if (object$response$kind == "number") "interval" else "type = \"set\"")
  left_out <- quietly(with_seed(1L, left_out_decisions(object, sample)))
  # with several factors, the domains are the levels of the outer one
  if (!is.null(whole)) levels(sample$domain) <- whole
  settle_intervals(object, sample, left_out, "held-out domains")
}

settle_intervals <- function(object, sample, left_out, from) {
  number <- object$response$kind == "number"
  error <- if (number) sample$y - respond(object$response, left_out$values, "number")
           else behind_others(object, left_out$values, sample$y)
  # a class that no other domain has exceeds any threshold
  unknown <- unknown_elsewhere(sample$levels, sample$domain)
  used <- sample$weights > 0 & !unknown & !(number & is.na(error))
  sample <- sample_part(sample[c("X", "y", "domain", "weights")], used)
  error <- error[used]
  # each domain's rows share its weight, and domains weigh the same: sums to 1 (Lee, Barber and
  # Willett, 2024; the pooled CDFs of Dunn, Wasserman and Ramdas, 2023)
  sums <- vapply(split(sample$weights, sample$domain), sum, numeric(1))
  held_out <- list(error = error, domain = sample$domain, weights = sample$weights,
                   shares = unname(sample$weights / sums[as.integer(sample$domain)] / length(sums)),
                   own = !is.null(left_out$sd), from = from,
                   lowest = if (number) lowest_response(sample$y) else -Inf)
  if (number && held_out$own) held_out$size <- left_out$sd[used]
  if (number && !held_out$own && nlevels(sample$domain) > 2L) {
    held_out$sizer <- quietly(with_seed(1L, fit_error_size(error, sample)))
    held_out$size <- held_out$sizer$left_out
  }
  structure(held_out, class = "dg_intervals")
}

# Scores from decision values [n x submodels]: the largest value of another class less that of the
# row's own class, below 0 if its own is the largest. Inf where there is no value.
behind_others <- function(object, values, y) {
  at <- !is.na(rowSums(values))
  behind <- rep(Inf, length(y))
  if (!any(at)) return(behind)
  all <- class_distances(object, values[at, , drop = FALSE])
  behind[at] <- all[cbind(seq_len(nrow(all)), as.integer(y)[at])]
  behind
}

# The same of each class: [n x classes].
class_distances <- function(object, values) {
  scores <- respond(object$response, values, "decision")
  if (!is.matrix(scores)) scores <- cbind(-scores, scores) / 2
  classes <- ncol(scores)
  first <- max.col(scores, "first")
  best <- scores[cbind(seq_along(first), first)]
  rest <- scores
  rest[cbind(seq_along(first), first)] <- -Inf
  second <- rest[cbind(seq_along(first), max.col(rest, "first"))]
  matrix(ifelse(col(scores) == first, second, best) - scores, ncol = classes,
         dimnames = list(NULL, object$response$levels))
}

# The rows of a fit, as in fit_sample(). env: where the data of its call are looked up.
rows_of_fit <- function(object, env) {
  n <- length(object$rows$kept)
  if (n == 0L) {
    abort("argument", "The model has no rows for intervals, because it was fitted out of memory ",
          "or to sums. Give labelled rows of other domains: `set_intervals(model, newdata)`.")
  }
  X <- object$rows$X
  if (is.null(X)) X <- on_error(training_rows(object)$X, function(e) NULL)
  if (is.null(X) || nrow(X) != n || ncol(X) == 0L) {
    X <- tryCatch(read_again(object, env), domgen_error = function(e) {
      abort("data", "Intervals need the training rows, which the model does not keep. ",
            conditionMessage(e), " Or give labelled rows of other domains: `set_intervals(model, ",
            "newdata)`.")
    })
  }
  list(X = X, y = object$y, domain = object$domain, weights = object$weights,
       levels = object$rows$levels, blueprint = object$blueprint)
}

# ---- the size of a row's error, to which the width of its interval is proportional ------------

most_sized <- 500L # rows; with more, landmarks are used

# A kernel ridge regression of the log absolute held-out residual on the predictors, with lambda
# selected on held-out domains: if there is nothing to learn it is a constant. It does not use
# domains, so each row is predicted alone. error: [n]; a fraction of its median is added, so that
# errors near 0 have no extreme logarithm.
fit_error_size <- function(error, sample) {
  size <- abs(error)
  small <- stats::median(size) / 20
  spread <- apply(sample$X, 2L, stats::sd)
  if (small == 0 || ncol(sample$X) == 0L || all(spread == 0)) return(NULL)
  sizer <- list(centre = colMeans(sample$X), spread = ifelse(spread > 0, spread, 1))
  sample <- list(X = sized_columns(sizer, sample$X), y = log(size + small), domain = sample$domain,
                 weights = sample$weights)
  spec <- dg_ridge(domain_kernel = domain_pooled(), domain_weights = "equal",
                   feature_map = if (nrow(sample$X) <= most_sized) features_exact()
                              else features_nystrom(100))
  sizer$model <- fit_rows(spec, rows_frame(sample))
  sizer$model$spec <- spec
  left <- left_out_values(sizer$model, sample)
  sizer$left_out <- exp(respond(sizer$model$response, left, "number"))
  sizer$range <- range(sizer$left_out)
  sizer
}

sized_columns <- function(sizer, X) sweep(sweep(X, 2L, sizer$centre), 2L, sizer$spread, "/")

# At new rows, within the range of its held-out values in training.
error_size <- function(sizer, X) {
  if (is.null(sizer)) return(rep(1, nrow(X)))
  values <- decision(sizer$model, list(X = sized_columns(sizer, X),
                                       domain = factor(rep("new", nrow(X)))))
  pmin(pmax(exp(respond(sizer$model$response, values, "number")), sizer$range[1L]), sizer$range[2L])
}

# Does the size improve the interval score (Gneiting and Raftery, 2007, equation 43) on held-out
# rows, domains weighted equally?
is_sized_better <- function(error, size, domain, shares, level) {
  score <- function(size) {
    threshold <- row_threshold(abs(error) / size, domain, shares, level)
    half <- threshold * size
    sum(shares * (2 * half + 2 / (1 - level) * pmax(abs(error) - half, 0)))
  }
  isTRUE(score(size) < score(rep(1, length(error))))
}

# ---- the threshold that a score on a new domain does not exceed with a given probability ------

# A level that G domains cannot give: a new one is beyond the largest of them with probability
# 1/(G + 1), whatever is known of their rows.
is_beyond <- function(level, domains) level * (domains + 1) > domains * (1 + 1e-9)

# The largest level with a finite threshold, rounded for messages.
largest_level <- function(domains) floor(1000 * domains / (domains + 1)) / 1000

# From scores of rows, for a random row of a new domain: the smallest q with
#   sum_i share_i 1[s_i <= q] >= level (1 + 1/n), n at least G;
# n = G puts the mass 1/(G + 1) of the new domain at infinity, as in Lee, Barber and Willett.
row_threshold <- function(scores, domain, shares, level) {
  if (is_beyond(level, nlevels(domain))) return(Inf)
  level <- level * (1 + 1 / independent_rows(scores, domain, shares, level))
  share_quantile(scores, shares, level)
}

# Effective number of independent rows of G domains: the n with the observed variance s^2, over
# domains, of the proportion of a domain's rows below the threshold, p (1 - p) / n = s^2 / G. At
# least G, as if all rows of a domain were one; at most 1 / sum(shares^2).
independent_rows <- function(scores, domain, shares, level) {
  G <- nlevels(domain)
  below <- G * vapply(split(shares * (scores <= share_quantile(scores, shares, level)), domain),
                      sum, numeric(1))
  most <- 1 / sum(shares^2)
  p <- mean(below)
  of_variance <- if (p >= 1) G else p * (1 - p) * G / stats::var(below)
  max(G, min(most, of_variance))
}

# The smallest score at which the shares of those up to it reach the level.
share_quantile <- function(scores, shares, level) {
  order <- order(scores)
  reached <- cumsum(shares[order]) >= level * (1 - 1e-9)
  if (any(reached)) scores[order][which(reached)[1L]] else Inf
}

# From one score per domain: the k-th smallest of G, with k = ceiling((G + 1) level).
domain_threshold <- function(scores, level) {
  k <- ceiling((length(scores) + 1) * level * (1 - 1e-9))
  if (k > length(scores)) Inf else sort(unname(scores))[k]
}
