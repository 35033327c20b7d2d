# Coverage of the intervals of dg_compare() and dg_cv() in worlds where the truth is known, and
# false alarms of its tests where two procedures are equal.
#
# Least squares and ridge regressions from sums of squares by domain, so that thousands of
# cross-validations cost seconds; folds, pairs of folds and standard errors are the package's own
# functions. A domain has 30 rows of 6 predictors, whose means, slopes and level it draws for
# itself; the score is its RMSE. Procedures: null (mean), lm, ridge (lambda 30), heavy (lambda 300),
# best (the one predictor with the largest correlation in training), context (ridge that sees the
# predictors' means by domain, as a distributional kernel does). Worlds: plain; context (the
# level follows the means); skew (exponential levels, noise and slopes); equal (procedures that see
# two of six exchangeable predictors each: no difference).
#
# One line per world, procedures, domains, folds ("rows": row_folds(), "5 x 3": repeated) and
# interval ("independent": s^2/G; "factor": Nadeau and Bengio's; "jackknife": from fits without two
# folds; dg_compare() and dg_cv() take the larger of the last two, see domgen-figures.R).
# coverage: of the expected difference over training sets of the folds' size;
# coverage_models: of the difference of the two models trained on all domains, on 500 new ones;
# width: mean, and oracle_width that of the 95 % interval from the true standard deviation. alarms
# (world "equal"): share of p < 0.05 of the mean, of the signed ranks (alarms_rank), of Friedman's
# test of three (alarms_friedman); where the interval is "independent" as if domains were
# independent. "lm - " is a score, not a difference.
#
# Stored: 250 replications at 8 domains, 200 at 12, 100 at 30, 40 at 100.

inside <- asNamespace("domgen")

# Features 1, x1..x6, their means by domain, x1 and x2 times their means.
q <- 6L
P <- 2L * q + 3L
parts <- 5L

draw_domain <- function(world) {
  m <- rnorm(q)
  X <- matrix(rnorm(30 * q), 30) + rep(m, each = 30)
  skew <- world == "skew"
  beta <- if (world == "equal") rep(0.5, q) else c(1, 0.7, 0.4, 0.2, 0, 0)
  slopes <- rnorm(q, sd = 0.3) * if (skew) sqrt(rexp(1)) else 1
  level <- switch(world, plain = rnorm(1, sd = 0.7), skew = 0.8 * (rexp(1) - 1),
                  context = 0.8 * sin(m[1]) + 0.5 * m[2] + rnorm(1, sd = 0.5),
                  equal = 0.3 * sum(m) + rnorm(1, sd = 0.5))
  noise <- if (skew) 0.6 + 0.6 * rexp(1) else 1
  y <- drop(X %*% (beta + slopes)) + level + noise * rnorm(30)
  means <- colMeans(X)
  Z <- cbind(1, X, matrix(means, 30, q, byrow = TRUE), X[, 1:2] * rep(means[1:2], each = 30))
  # sums of five parts of six rows: Z'Z, Z'y, y'y
  lapply(split(seq_len(30), rep(seq_len(parts), 6)), function(i) {
    c(crossprod(Z[i, ]), crossprod(Z[i, ], y[i]), sum(y[i]^2), length(i))
  })
}

draw_world <- function(world, G) {
  sums <- do.call(rbind, unlist(lapply(seq_len(G), function(g) draw_domain(world)), FALSE))
  list(sums = sums, domain = factor(rep(seq_len(G), each = parts)))
}

ridge_on <- function(columns, lambda = 1e-8) {
  function(S, r) {
    A <- S[columns, columns, drop = FALSE]
    diag(A)[-1L] <- diag(A)[-1L] + lambda
    replace(numeric(P), columns, solve(A, r[columns]))
  }
}

best_predictor <- function(S, r) {
  x <- 1L + seq_len(q)
  n <- S[1L, 1L]
  covariance <- r[x] - S[1L, x] * r[1L] / n
  variance <- diag(S)[x] - S[1L, x]^2 / n
  j <- which.max(covariance^2 / variance)
  slope <- covariance[j] / variance[j]
  replace(numeric(P), c(1L, 1L + j), c((r[1L] - slope * S[1L, 1L + j]) / n, slope))
}

learners <- list(
  null = ridge_on(1L), lm = ridge_on(1:7), ridge = ridge_on(1:7, 30), heavy = ridge_on(1:7, 300),
  best = best_predictor, context = ridge_on(c(1:9, 14:15), 3),
  a = ridge_on(c(1, 2:3)), b = ridge_on(c(1, 4:5)), c = ridge_on(c(1, 6:7)),
  a2 = ridge_on(c(1, 2:3, 8:9)), b2 = ridge_on(c(1, 4:5, 10:11)), c2 = ridge_on(c(1, 6:7, 12:13))
)
pairs <- list(c("ridge", "lm"), c("heavy", "ridge"), c("context", "ridge"), c("lm", "null"),
              c("best", "ridge"), c("lm", ""), c("context", ""))
equal_pairs <- list(c("a", "b"), c("a2", "b2"))
equal_triples <- list(a = c("a", "b", "c"), a2 = c("a2", "b2", "c2"))

# Coefficients of the fits to sets of rows (a list of indices), [P x sets].
fit_sets <- function(data, learner, sets) {
  chosen <- vapply(sets, function(i) replace(numeric(nrow(data$sums)), i, 1),
                   numeric(nrow(data$sums)))
  totals <- crossprod(data$sums, chosen)
  apply(totals, 2L, function(t) learner(matrix(t[seq_len(P^2)], P), t[P^2 + seq_len(P)]))
}

# Sums of squared errors of the parts under each fit, [parts x fits].
squares <- function(data, W) {
  i <- seq_len(P)
  quadratic <- rbind(W[rep(i, P), , drop = FALSE] * W[rep(i, each = P), , drop = FALSE], -2 * W, 1)
  pmax(data$sums[, seq_len(nrow(quadratic))] %*% quadratic, 0)
}

domain_rmse <- function(square, data) {
  unname(sqrt(rowsum(square, data$domain) / c(rowsum(data$sums[, P^2 + P + 2L], data$domain))))
}

# list(scores by domain (mean over repeats), share, without: see mean_error())
cross_validated <- function(data, learner, splits, plan) {
  all <- c(splits, plan$splits)
  square <- squares(data, fit_sets(data, learner, lapply(all, `[[`, "train")))
  main <- seq_along(splits)
  rep <- vapply(splits, `[[`, 0, "rep")
  held <- matrix(0, nrow(square), max(rep))
  for (k in main) held[splits[[k]]$held, rep[k]] <- square[splits[[k]]$held, k]
  without <- if (!is.null(plan)) {
    scores <- domain_rmse(square[, -main], data)
    found <- lapply(seq_along(plan$splits), function(k) {
      own <- unique(as.integer(data$domain[plan$splits[[k]]$held]))
      matrix(scores[own, k], dimnames = list(levels(data$domain)[own], "score"))
    })
    inside$scores_without(plan, found, data$domain)$score
  }
  list(scores = rowMeans(domain_rmse(held, data)), without = without,
       share = mean(lengths(lapply(splits, `[[`, "train"))) / nrow(square))
}

folds_of <- list(
  one = function(domain) domain_folds(domain), five = function(domain) domain_folds(domain, 5),
  ten = function(domain) domain_folds(domain, 10),
  repeated = function(domain) domain_folds(domain, 5, repeats = 3),
  rows = function(domain) structure(rep_len(seq_len(parts), length(domain)),
                                    class = "domgen_row_folds")
)
fold_names <- c(one = "1", five = "5", ten = "10", repeated = "5 x 3", rows = "rows")

minus <- function(first, second) {
  if (is.null(second)) return(first)
  first$scores <- first$scores - second$scores
  if (!is.null(first$without)) {
    first$without$scores <- first$without$scores - second$without$scores
  }
  first
}

# One line an interval, a matrix.
intervals_of <- function(d, models, ranks, alone) {
  error <- list(independent = list(se = inside$standard_error(d$scores), df = length(d$scores) - 1,
                                   inflation = 1),
                factor = inside$mean_error(d$scores, NULL, d$share),
                jackknife = if (!is.null(d$without)) {
                  inside$mean_error(d$scores, d$without, off = if (alone) 0 else 0.5,
                                    least = FALSE)
                })
  theta <- mean(d$scores)
  t(vapply(Filter(Negate(is.null), error), function(e) {
    ends <- inside$mean_interval(theta, e)
    c(theta = theta, lower = ends[1L], upper = ends[2L], models = models, width = diff(ends),
      p = inside$mean_p(theta, e),
      rank = if (is.null(ranks)) NA else inside$signed_rank(d$scores, e),
      friedman = if (is.null(ranks)) NA
                 else inside$friedman(ranks, rep(e$inflation, ncol(ranks)))$p)
  }, numeric(8)))
}

one_run <- function(world, G, bank) {
  data <- draw_world(world, G)
  equal <- world == "equal"
  used <- if (equal) learners[unlist(equal_triples)] else learners[seq_len(6)]
  true <- vapply(used, function(f) {
    mean(domain_rmse(squares(bank, fit_sets(data, f, list(seq_along(data$domain)))), bank))
  }, numeric(1))
  names(true) <- names(used)
  kinds <- names(folds_of)[c(TRUE, TRUE, G >= 10, G == 30 && !equal, TRUE)]
  found <- lapply(kinds, function(kind) {
    splits <- inside$fold_splits(folds_of[[kind]](data$domain),
                                 list(domain = data$domain, row = seq_along(data$domain)))
    plan <- inside$pairs_of_folds(splits, data$domain)
    runs <- lapply(used, function(f) cross_validated(data, f, splits, plan))
    names(runs) <- names(used)
    do.call(rbind, lapply(if (equal) equal_pairs else pairs, function(pair) {
      alone <- !nzchar(pair[2L])
      ranks <- if (equal) {
        scores <- vapply(runs[equal_triples[[pair[1L]]]], `[[`, numeric(G), "scores")
        inside$rank_methods(scores, "low")
      }
      lines <- intervals_of(minus(runs[[pair[1L]]], if (!alone) runs[[pair[2L]]]),
                            true[[pair[1L]]] - if (alone) 0 else true[[pair[2L]]], ranks,
                            alone)
      rownames(lines) <- paste(paste(pair, collapse = " - "), fold_names[[kind]], rownames(lines),
                               sep = "|")
      lines
    }))
  })
  do.call(rbind, found)
}

# runs [cells x columns x replications] -> one line a cell.
summarise_cells <- function(runs, world, G) {
  of <- function(name) runs[, name, ]
  expected <- if (world == "equal") 0 else rowMeans(of("theta"))
  within <- function(value) rowMeans(of("lower") <= value & value <= of("upper"))
  alarms <- function(name) if (world == "equal") rowMeans(of(name) < 0.05, na.rm = TRUE) else NA
  labels <- do.call(rbind, strsplit(rownames(runs), "|", fixed = TRUE))
  numbers <- data.frame(
    coverage = within(expected), coverage_models = within(of("models")),
    width = rowMeans(of("width")), oracle_width = 2 * qnorm(0.975) * apply(of("theta"), 1L, sd),
    expected = expected, alarms = alarms("p"), alarms_rank = alarms("rank"),
    alarms_friedman = alarms("friedman")
  )
  data.frame(world = world, procedures = labels[, 1L], domains = G, folds = labels[, 2L],
             interval = labels[, 3L], signif(numbers, 4), replications = dim(runs)[3L],
             row.names = NULL)
}

worlds <- c("plain", "context", "skew", "equal")

# New domains of each world, whole; the same for all cells.
bank_of <- function(world, domains) {
  set.seed(11)
  drawn <- lapply(worlds[seq_len(match(world, worlds))], draw_world, domains)
  bank <- drawn[[length(drawn)]]
  list(sums = rowsum(bank$sums, bank$domain), domain = factor(levels(bank$domain)))
}

experiment(
  paper = "domgen", item = "?dg_compare",
  title = "Coverage of the intervals of dg_compare() and dg_cv() where the truth is known",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 90, full = 900),
  tolerance = c(coverage = 0.15, coverage_models = 0.15, width = 5e-4, oracle_width = 1e-3,
                expected = 3e-4),
  outcomes = c("coverage", "coverage_models", "width", "oracle_width", "expected", "alarms",
               "alarms_rank", "alarms_friedman"),
  cells = function(size) {
    if (size == "quick") {
      return(data.frame(world = c("plain", "equal"), domains = 8, replications = 10))
    }
    times <- c(normal = 1, full = 10)[[size]]
    merge(data.frame(world = worlds),
          data.frame(domains = c(8, 12, 30, 100), replications = times * c(250, 200, 100, 40)))
  },
  run = function(cell, draw, data) {
    bank <- bank_of(cell$world, if (cell$replications > 10) 500L else 100L)
    set.seed(1000 * cell$domains + match(cell$world, worlds))
    runs <- simplify2array(lapply(seq_len(cell$replications), function(k) {
      one_run(cell$world, cell$domains, bank)
    }))
    summarise_cells(runs, cell$world, cell$domains)
  }
)
