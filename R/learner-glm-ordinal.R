# Classes in an order, by one function and thresholds: P(y <= k) = plogis(theta_k - f). With a and b
# the thresholds below and above a row's class, less f,
#   -log p = log(1 + exp(-b)) + log(1 + exp(a)) - log(1 - exp(a - b)),
# two logistic losses of f, and convex in f and theta together.

# Rounds of a step of f and one of the thresholds, at most.
ordinal_rounds <- 500L

# The order of levels is no loss.
#' @exportS3Method
family_needs.family_ordinal <- function(family) "ordered"

#' @exportS3Method
family_response.family_ordinal <- function(family, y) {
  if (!is.factor(y) || nlevels(y) < 2L) {
    abort("data", "The response of `family = \"ordinal\"` must be classes, not ",
          if (is.factor(y)) "one class" else "a number; `factor()` makes classes of it", ".")
  }
  list(kind = "class", levels = levels(y),
       pairs = if (nlevels(y) > 2L) each_class(levels(y)))
}

#' @exportS3Method
family_targets.family_ordinal <- function(family, y) matrix(as.numeric(y), ncol = 1L)

# The thresholds have its place.
#' @exportS3Method
family_constants.family_ordinal <- function(family, Y, costs, known = NULL) 0

#' @exportS3Method
zero_constants.family_ordinal <- function(family, machines) {
  abort("argument", "`offset` must be TRUE with `family = \"ordinal\"`, whose thresholds are ",
        "constants without a penalty.")
}

# Those of f = 0, a little apart where a class has no weight.
#' @exportS3Method
family_begin.family_ordinal <- function(family, Y, costs, known = NULL) {
  shares <- vapply(seq_len(max(Y)), function(k) sum(costs[Y == k]), numeric(1)) / sum(costs)
  shares <- pmax(shares, 1e-6)
  thresholds <- stats::qlogis(utils::head(cumsum(shares / sum(shares)), -1L))
  family$thresholds <- if (is.null(known)) thresholds else {
    used <- which(costs > 0)
    best_thresholds(thresholds, Y[used, 1L], known[used], costs[used])
  }
  family
}

#' @exportS3Method
family_loss.family_ordinal <- function(family) {
  thresholds <- family$thresholds
  list(smooth = function(y, f, args, width) {
    ends <- class_ends(thresholds, y, f)
    below <- stats::plogis(ends$low)
    above <- stats::plogis(ends$high)
    list(value = ordinal_values(ends), slope = 1 - below - above,
         curvature = below * (1 - below) + above * (1 - above))
  }, kinks = 0L, name = family$name)
}

# list(low, high): the ends of each row's class less f, infinite at the first and the last.
class_ends <- function(thresholds, y, f) {
  all <- c(-Inf, thresholds, Inf)
  list(low = all[y] - f, high = all[y + 1] - f, width = all[y + 1] - all[y])
}

# -log p.
ordinal_values <- function(ends) {
  -stats::plogis(ends$high, log.p = TRUE) - stats::plogis(-ends$low, log.p = TRUE) -
    log(-expm1(-ends$width))
}

# The logarithms of the probabilities of all classes.
#' @exportS3Method
family_scores.family_ordinal <- function(family, values) {
  f <- values[, 1L]
  classes <- seq_len(length(family$thresholds) + 1L)
  scores <- vapply(classes, function(k) {
    -ordinal_values(class_ends(family$thresholds, rep(k, length(f)), f))
  }, numeric(length(f)))
  scores <- matrix(scores, length(f), length(classes))
  # of two classes the logarithm of the odds
  if (ncol(scores) == 2L) scores[, 2L, drop = FALSE] - scores[, 1L, drop = FALSE] else scores
}

#' @exportS3Method
family_means.family_ordinal <- function(family, values) {
  if (ncol(values) > 1L) return(family_means.family_multinomial(family, values))
  # keeps the column of no rows
  values[] <- stats::plogis(values)
  values
}

#' @exportS3Method
family_machines.family_ordinal <- function(family, data, task, args, known) {
  # a correction, whose thresholds are known
  if (!args$offset) return(family_machines.default(family, data, task, args, known))
  args$max_iterations <- one_step(data)
  least <- newton_limits(args$tolerance, 0)$least
  alpha <- NULL
  start <- known
  before <- Inf
  used <- which(task$penalised > 0)
  for (round in seq_len(ordinal_rounds)) {
    machine <- newton_machines(data, task$Y, matrix(task$penalised), family_loss(family), args,
                               start, alpha)[[1L]]
    # a constant moves the thresholds
    family$thresholds <- family$thresholds - machine$offset
    f <- machine$decision - machine$offset
    family$thresholds <- best_thresholds(family$thresholds, task$Y[used, 1L],
                                         f[used] + known[used, 1L], task$penalised[used])
    alpha <- list(machine$coefficients)
    objective <- ordinal_objective(family, data, task, f + known, f, alpha[[1L]])
    converged <- isTRUE(before - objective <= least * objective)
    if (converged || !is.finite(objective)) break
    before <- objective
  }
  list(coefficients = as.matrix(alpha[[1L]]), offset = 0, decision = as.matrix(f),
       converged = converged, iterations = round, family = family)
}

ordinal_objective <- function(family, data, task, values, f, w) {
  used <- task$penalised > 0
  losses <- ordinal_values(class_ends(family$thresholds, task$Y[used, 1L], values[used]))
  norm <- if (inherits(data, "gram_data")) sum(w * f) else sum(w^2)
  sum(task$penalised[used] * losses) + norm / 2
}

# Newton's method for the thresholds where f is known; a step is halved until it goes down.
best_thresholds <- function(thresholds, y, f, costs) {
  value <- function(at) {
    # NA where a step overflows
    if (!isFALSE(is.unsorted(at, strictly = TRUE))) return(Inf)
    sum(costs * ordinal_values(class_ends(at, y, f)))
  }
  now <- value(thresholds)
  for (iteration in seq_len(50L)) {
    step <- threshold_step(thresholds, y, f, costs)
    t <- 1
    while (t > 1e-10 && !isTRUE(value(thresholds + t * step$step) <= now)) t <- t / 2
    if (t <= 1e-10) break
    thresholds <- thresholds + t * step$step
    now <- value(thresholds)
    if (!isTRUE(step$decrement > 1e-15 * max(now, 1e-300))) break
  }
  thresholds
}

threshold_step <- function(thresholds, y, f, costs) {
  K <- length(thresholds)
  ends <- class_ends(thresholds, y, f)
  below <- stats::plogis(ends$low)
  above <- stats::plogis(ends$high)
  # of log(1 - exp(a - b)), 0 at either end
  g <- 1 / expm1(ends$width)
  bend <- g * (1 + g)
  by_class <- function(v) vapply(seq_len(K + 1L), function(k) sum((costs * v)[y == k]), 0)
  upper <- function(v) utils::head(by_class(v), -1L)
  lower <- function(v) by_class(v)[-1L]
  gradient <- upper(-(1 - above) - g) + lower(below + g)
  hessian <- diag(upper(above * (1 - above) + bend) + lower(below * (1 - below) + bend), K)
  between <- by_class(bend)
  for (k in seq_len(K - 1L)) hessian[k, k + 1L] <- hessian[k + 1L, k] <- -between[k + 1L]
  diag(hessian) <- diag(hessian) + 1e-12 * sum(costs)
  # of values so far apart that all is flat there is no step
  step <- on_error(-solve(hessian, gradient), function(e) 0 * gradient)
  list(step = step, decrement = max(-sum(gradient * step), 0))
}

# Domains left out by one Newton step of f and of a constant, which moves all thresholds alike; how
# far these are apart is what the other rows say at their f.
#' @exportS3Method
family_left_out.family_ordinal <- function(family, object, sample, task) {
  f <- add_offset(space_expansion(object$product, sample[c("X", "domain")], object$coefficients),
                  object$offset)
  f <- add_known(f, task$known)
  values <- step_without(object, sample, working_task(fitted_task(task, family), f), task$known)
  scores <- as.matrix(object$decision)
  for (held in split(seq_along(f), sample$domain)) {
    rest <- setdiff(which(task$costs > 0), held)
    own <- best_thresholds(family$thresholds, task$Y[rest, 1L], f[rest], task$costs[rest])
    own <- list(thresholds = own - mean(own - family$thresholds))
    scores[held, ] <- family_scores.family_ordinal(own, values[held, , drop = FALSE])
  }
  scores
}
