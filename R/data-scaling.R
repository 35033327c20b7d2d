# Scaling of predictors, learned on training rows and replayed on new ones.
#   pooled  (x - mean) / sd of the training rows
#   domain  (x - mean) / sd of the row's own domain, from its unlabelled rows
#   both    the two side by side, twice as many columns
#   rank    normal scores: the standard normal quantile of the row's place among the training rows
#   none    as they are
# and, where "means" stands behind it, for each column that is scaled a further one with the mean of
# the row's domain, from its unlabelled rows, in the unit of the pooled column.

scalings <- c("pooled", "domain", "both", "rank", "none")

# Scalings that sums over pieces of data allow: a piece need not have all rows of its domains.
scalings_of_sums <- c("pooled", "none")

by_domain <- function(scale) any(scale %in% c("domain", "both", "means"))

# X [n x p]; a list with the kind, centre and scale, each of length p, and what else the kind
# needs. A predictor that is constant in training is divided by infinity: no new value of it counts.
# coded: how many columns at the end stay as they are; weights: see level_columns(), of the first
# columns, by which scaled ones are multiplied.
learn_scaling <- function(X, scale, domain = NULL, coded = 0L, weights = NULL) {
  p <- ncol(X) - coded
  scaling <- list(kind = scale, centre = rep(0, p), scale = rep(1, p))
  if (!is.null(weights)) scaling$weights <- c(weights, rep(1, p))[seq_len(p)]
  if (coded > 0L) {
    scaling$coded <- coded
    X <- X[, seq_len(p), drop = FALSE]
  }
  if (by_domain(scale)) scaling$domains <- domain_moments_of(X, domain)
  if (scale[1L] == "none") return(scaling)
  moments <- column_moments(X)
  warn_constant(moments$scale, colnames(X))
  scaling[c("centre", "scale")] <- moments
  if (scale[1L] == "rank") scaling$scores <- lapply(seq_len(p), function(j) normal_scores(X[, j]))
  scaling
}

warn_constant <- function(scale, names) {
  constant <- !is.finite(scale)
  if (!any(constant)) return(invisible())
  warn("constant", plural(sum(constant), "predictor"), " constant on the training data; other ",
       "values in new data are ignored: ", enumerate(names[constant]), ".")
}

column_moments <- function(X) {
  centre <- unname(colMeans(X))
  spread <- vapply(seq_len(ncol(X)), function(j) stable_sd(X[, j] - centre[j]), numeric(1))
  list(centre = centre, scale = sd_or_inf(spread, centre))
}

# A column that varies by rounding alone is constant: divided by infinity, no new value counts.
sd_or_inf <- function(sd, centre) ifelse(sd <= 1e-13 * abs(centre), Inf, sd)

# Moments of the columns in each domain, by name.
domain_moments_of <- function(X, domain) {
  lapply(split(seq_len(nrow(X)), domain, drop = TRUE),
         function(i) column_moments(X[i, , drop = FALSE]))
}

# Divided by the largest value first: squares of 1e200 or 1e-200 leave the range
# of a double, standard deviations do not.
stable_sd <- function(centred) {
  largest <- max(abs(centred))
  if (largest == 0) return(0)
  largest * sqrt(sum((centred / largest)^2) / max(length(centred) - 1L, 1L))
}

most_knots <- 1000L

# Values in order and the normal quantiles of their mean ranks, (rank - 1/2) / n; of many values
# some, evenly spaced, so that a model does not carry its data. Values that differ by rounding, as
# those of poly() do, are ties.
normal_scores <- function(x) {
  values <- sort(unique(x))
  rounding <- max(1e-10 * stats::IQR(x), 64 * .Machine$double.eps * stats::median(abs(x)))
  tie <- cumsum(c(TRUE, diff(values) > rounding))
  count <- tabulate(tie[match(x, values)])
  scores <- stats::qnorm((cumsum(count) - count / 2) / length(x))[tie]
  kept <- unique(round(seq(1, length(values), length.out = min(length(values), most_knots))))
  list(values = values[kept], scores = scores[kept])
}

# moments: see domain_moments_of(), for what scales by domain.
apply_scaling <- function(X, scaling, domain = NULL, moments = scaling$domains) {
  if (!is.null(scaling$coded)) {
    numbers <- seq_len(ncol(X) - scaling$coded)
    scaling$coded <- NULL
    if (length(numbers) == 0L) return(X)
    return(cbind(apply_scaling(X[, numbers, drop = FALSE], scaling, domain, moments),
                 X[, -numbers, drop = FALSE]))
  }
  if (length(scaling$kind) > 1L) {
    means <- weighed(domain_means_of(X, scaling, domain, moments), scaling)
    scaling$kind <- scaling$kind[1L]
    return(cbind(apply_scaling(X, scaling, domain, moments), means))
  }
  scaled <- switch(scaling$kind,
    domain = scale_domains(X, domain, moments, scaling),
    both = {
      within <- scale_domains(X, domain, moments, scaling)
      colnames(within) <- paste0(colnames(X), ".domain")
      cbind(scale_columns(X, scaling), within)
    },
    rank = rank_columns(X, scaling),
    scale_columns(X, scaling)
  )
  weighed(scaled, scaling)
}

# Columns that are not scaled are as they are.
weighed <- function(X, scaling) {
  if (is.null(scaling$weights) || scaling$kind[1L] == "none") return(X)
  weights <- rep_len(scaling$weights, ncol(X))
  for (j in which(weights != 1)) X[, j] <- X[, j] * weights[j]
  X
}

scale_columns <- function(X, scaling) {
  for (j in seq_len(ncol(X))) X[, j] <- (X[, j] - scaling$centre[j]) / scaling$scale[j]
  X
}

# What was constant in training does not count where it varies in a new domain.
scale_domains <- function(X, domain, moments, scaling) {
  at <- split(seq_len(nrow(X)), domain, drop = TRUE)
  moments <- at_labels(moments, names(at))
  for (g in seq_along(at)) {
    i <- at[[g]]
    X[i, ] <- scale_columns(X[i, , drop = FALSE], moments[[g]])
  }
  X[, !is.finite(scaling$scale)] <- 0
  X
}

# The means of the rows' domains, in the unit of the pooled columns.
domain_means_of <- function(X, scaling, domain, moments) {
  # by place: a domain may be called ""
  place <- match(as.character(domain), names(moments))
  means <- X
  for (j in seq_len(ncol(X))) {
    centres <- vapply(moments, function(of_domain) of_domain$centre[j], numeric(1))
    # by design the same, they differ by rounding, which learners that standardise would blow up
    if (length(centres) > 1L && nrow(X) > 0L) {
      least <- 1e-12 * diff(range(X[, j])) + 8 * .Machine$double.eps * max(abs(X[, j]))
      if (isTRUE(diff(range(centres)) <= least)) centres[] <- centres[1L]
    }
    means[, j] <- centres[place]
  }
  colnames(means) <- sprintf("%s.mean", colnames(X))
  scale_columns(means, scaling)
}

# Between training values by interpolation, beyond them the scores of the ends. One that was
# constant has no influence.
rank_columns <- function(X, scaling) {
  for (j in seq_len(ncol(X))) {
    trained <- scaling$scores[[j]]
    X[, j] <- if (length(trained$values) < 2L) 0
              else stats::approx(trained$values, trained$scores, X[, j], rule = 2)$y
  }
  X
}

# Rows of training domains as they were before apply_scaling(), but for what was constant.
before_scaling <- function(X, scaling, domain) {
  first <- seq_along(scaling$centre)
  raw <- X[, first, drop = FALSE]
  kind <- scaling$kind[1L]
  # by place: a domain may be called ""
  place <- match(as.character(domain), names(scaling$domains))
  for (j in first) {
    column <- raw[, j]
    if (!is.null(scaling$weights) && kind != "none") column <- column / scaling$weights[j]
    trained <- scaling$scores[[j]]
    raw[, j] <- if (kind != "rank") {
      moments <- if (kind == "domain") scaling$domains[place] else list(scaling)
      unit <- vapply(moments, function(m) m$scale[j], 0, USE.NAMES = FALSE)
      vapply(moments, function(m) m$centre[j], 0) + ifelse(is.finite(unit), unit, 0) * column
    } else if (length(trained$values) < 2L) trained$values
    else stats::approx(trained$scores, trained$values, column, rule = 2)$y
  }
  cbind(raw, X[, ncol(X) + 1L - rev(seq_len(max(0L, scaling$coded))), drop = FALSE])
}

# New rows, and further unlabelled rows of the same domains, as the model sees them: list(X,
# reference, moments by domain where they count). reference: list(X, domain) not yet scaled,
# "training", or NULL.
scale_new <- function(scaling, X, domain, reference) {
  further <- if (is.list(reference)) reference
  moments <- if (by_domain(scaling$kind)) {
    new_moments(scaling, X, domain, further, identical(reference, "training"))
  }
  list(X = apply_scaling(X, scaling, domain, moments), moments = moments,
       reference = if (!is.null(further)) {
         list(X = apply_scaling(further$X, scaling, further$domain, moments),
              domain = further$domain)
       })
}

# Moments by domain, from the rows that describe it; a model that was adapted to one domain has that
# domain's.
new_moments <- function(scaling, X, domain, further, of_training) {
  names <- unique(c(as.character(domain), as.character(further$domain)))
  if (!is.null(scaling$fixed)) {
    return(stats::setNames(rep(list(scaling$fixed), length(names)), names))
  }
  # described before, see method-known-domains.R
  if (!is.null(scaling$known)) {
    return(stats::setNames(at_labels(scaling$known, names), names))
  }
  described <- describing_rows(X, domain, further)
  moments <- domain_moments_of(described$X, described$domain)
  if (of_training) {
    trained <- intersect(names(moments), names(scaling$domains))
    moments[trained] <- scaling$domains[trained]
  }
  others <- further$domain %in% setdiff(names, names(moments))
  if (!any(others)) return(moments)
  c(moments, domain_moments_of(further$X[others, , drop = FALSE], further$domain[others]))
}

describing_rows <- function(X, domain, reference) {
  if (is.null(reference)) return(list(X = X, domain = domain))
  described <- factor(reference$domain, levels = levels(domain))
  extra <- !is.na(described)
  others <- !domain %in% described[extra]
  list(X = rbind(X[others, , drop = FALSE], reference$X[extra, , drop = FALSE]),
       domain = factor(c(as.character(domain)[others], as.character(described)[extra]),
                       levels = levels(domain)))
}
