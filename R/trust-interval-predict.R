# Intervals and sets at new rows, see fix_intervals().

#' @exportS3Method
prediction_interval.dg_learner <- function(object, asked, wanted) {
  check_new_rows(object, asked)
  known <- intervals_of(object, wanted$env)
  tell_infinite(known, wanted$level)
  new <- do.call(read_new, c(list(object), asked))
  fit <- as.numeric(respond(object, decide_rows(object, new), "number"))
  tell_other_factors(object, known, asked)
  if (wanted$interval == "mean") {
    groups <- given_domain(object$blueprint, asked$newdata, asked$domain)
    return(cut_to_response(mean_intervals(known, fit, groups, wanted$level), object))
  }
  half <- half_widths(object, known, new, wanted)
  cut_to_response(data.frame(fit = fit, lower = fit - half, upper = fit + half), object)
}

# Nothing that could be observed is cut off: intervals hold as often as before.
cut_to_response <- function(found, object) {
  range <- response_range(learner_of(object))
  found$lower <- pmax(found$lower, range[1L])
  found$upper <- pmin(found$upper, range[2L])
  found
}

check_new_rows <- function(object, asked) {
  check_new_domains(object)
  if (is.null(asked$newdata)) {
    abort("argument", "`newdata` must be given: intervals and sets are for rows of new domains.")
  }
}

# NA where a row had missing values.
half_widths <- function(object, known, new, wanted) {
  size <- size_at_level(known, wanted$level)
  scores <- abs(known$error) / size
  threshold <- if (wanted$interval == "prediction") {
    row_threshold(scores, known$domain, known$shares, wanted$level)
  } else whole_threshold(scores, known, wanted$level)
  half <- rep(NA_real_, length(new$ok))
  half[new$ok] <- if (!is.finite(threshold)) Inf
                  else if (is.null(attr(size, "used"))) threshold
                  else threshold * new_size(object, known, new)
  half
}

# The size of errors where intervals are better with it, else 1.
size_at_level <- function(known, level) {
  equal <- rep(1, length(known$error))
  if (is.null(known$size)) return(equal)
  better <- is_sized_better(known$error, known$size, known$domain, known$shares, level)
  if (better) structure(known$size, used = TRUE) else equal
}

new_size <- function(object, known, new) {
  if (known$own) own_size(object, new)[new$ok] else error_size(known$sizer, new$X)
}

# The standard deviation of a row's response that the model itself gives.
has_own_size <- function(object) has_posterior(object)

own_size <- function(object, new) {
  variance <- decide_rows(object, new, mean_and_variance)[, 2L]
  learner <- learner_of(object)
  sqrt(variance + learner$noise^2) * learner$response$scale
}

# Of each domain the quantile of its own rows; of these the k-th.
whole_threshold <- function(scores, known, level) {
  own <- vapply(split(seq_along(scores), known$domain), function(i) {
    share_quantile(scores[i], known$weights[i] / sum(known$weights[i]), level)
  }, numeric(1))
  domain_threshold(own, level)
}

# A line for each domain of the new rows, in the order in which they come.
mean_intervals <- function(known, fit, groups, level) {
  groups <- as.character(groups)
  groups <- factor(groups, unique(groups))
  rows <- tabulate(groups[!is.na(fit)], nlevels(groups))
  means <- vapply(split(fit, groups), mean, numeric(1), na.rm = TRUE, USE.NAMES = FALSE)
  # none of its rows is complete
  means[rows == 0L] <- NA
  # squares of very large errors would overflow
  unit <- max(abs(known$error))
  if (unit > 0) known$error <- known$error / unit
  errors <- domain_errors(known)
  threshold <- domain_threshold(abs(errors$mean) / mean_size(errors, errors$rows), level)
  half <- if (is.finite(threshold)) unit * threshold * mean_size(errors, pmax(rows, 1)) else Inf
  data.frame(domain = levels(groups), rows = rows, fit = means, lower = means - half,
             upper = means + half)
}

mean_size <- function(errors, rows) sqrt(errors$between + errors$within / rows)

# Mean errors of domains, and their variance by moments: E mean^2 = between + within / n_g.
domain_errors <- function(known) {
  parts <- split(seq_along(known$error), known$domain)
  share <- lapply(parts, function(i) known$weights[i] / sum(known$weights[i]))
  mean <- unlist(Map(function(i, w) sum(w * known$error[i]), parts, share))
  # of n rows that weigh the same n
  rows <- vapply(share, function(w) 1 / sum(w^2), numeric(1))
  squares <- unlist(Map(function(i, w, m) sum(w * (known$error[i] - m)^2), parts, share, mean))
  several <- rows > 1 + 1e-9
  within <- if (any(several)) mean(squares[several] / (1 - 1 / rows[several])) else 0
  between <- max(mean(mean^2 - within / rows), 0)
  if (within == 0 && between == 0) within <- 1
  list(mean = mean, rows = rows, within = within, between = between)
}

#' @exportS3Method
prediction_set.dg_learner <- function(object, asked, wanted) {
  check_new_rows(object, asked)
  known <- intervals_of(object, wanted$env)
  tell_infinite(known, wanted$level)
  tell_other_factors(object, known, asked)
  threshold <- row_threshold(known$error, known$domain, known$shares, wanted$level)
  new <- do.call(read_new, c(list(object), asked))
  levels <- object$response$levels
  sets <- matrix(NA, length(new$ok), length(levels), dimnames = list(NULL, levels))
  values <- decide_rows(object, new)[new$ok, , drop = FALSE]
  sets[new$ok, ] <- if (is.finite(threshold)) class_distances(object, values) <= threshold else TRUE
  sets
}

tell_infinite <- function(known, level) {
  G <- nlevels(known$domain)
  if (!is_beyond(level, G)) return(invisible())
  inform("interval", plural(G, "domain"), " cannot promise anything of a new one with probability ",
         format(level, digits = 15L), ": intervals are infinite, and sets have all classes. The ",
         "largest `level` for which they are finite is ", format(largest_level(G)), ".",
         once = TRUE)
}

# Errors at left-out levels of one of several crossed factors say nothing of new levels of another.
tell_other_factors <- function(object, known, asked) {
  structure <- object$blueprint$structure
  # a cross-validation has said what it holds out
  if (is.null(structure) || !is.null(structure$held) || known$from == "new domains") return()
  groups <- given_domain(object$blueprint, asked$newdata, asked$domain)
  crossed <- outer_factors(structure)
  if (is.null(groups) || length(crossed) < 2L) return()
  old <- domain_levels(structure, levels(object$domain))[crossed]
  held <- which.max(vapply(old, function(names) length(unique(names)), 0L))
  new <- domain_levels(structure, unique(groups[!is.na(groups)]))[crossed]
  unknown <- Filter(length, Map(setdiff, new, old)[-held])
  if (length(unknown) == 0L) return()
  inform("interval", "Intervals and sets rest on the errors at left-out levels of ",
         enumerate(crossed[held]), ", which does not allow for new ones of ",
         enumerate(names(unknown)), ": give labelled rows of such levels to `fix_intervals()`.",
         once = TRUE)
}
