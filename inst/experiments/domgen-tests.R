# How often dg_compare() finds a difference: where two methods are equal (level) and where they are
# not (power), by the standard error that it takes (the larger of two), by each of the two alone,
# and as if domains were independent.
#
# Least squares on two predictors each, from sums by domain of 20 rows; the score is the RMSE of a
# domain. Folds, fits without two of them, standard errors and p are the package's own functions.
# Methods: "signal", on two of four exchangeable predictors each (with `less`, the slopes of the
# second two are smaller, so that the first method is better); "noise", on the same predictor and
# one of two that have no effect, so that only training sets make a difference. Worlds: alike (rows
# of one distribution); differing (domains have means, slopes and levels of their own); skewed
# (levels and noise of domains are lognormal). Folds: one domain at a time (training sets nearly
# the same), or 3 (two thirds of the domains in training, a half shared by two folds).
#   rejected        share of p < 0.05
#   known           the same if the standard deviation of the mean difference were known
#   width           mean standard error over that standard deviation

inside <- asNamespace("domgen")

draw_domain <- function(world, slopes) {
  alike <- world == "alike"
  own <- function(sd) if (alike) 0 else rnorm(1, sd = sd)
  skewed <- function(sd) if (world == "skewed") exp(rnorm(1, sd = sd)) else 1
  X <- cbind(1, vapply(1:4, function(j) rnorm(20) + own(1), numeric(20)))
  own_slopes <- slopes + if (alike) 0 else rnorm(4, sd = 0.3)
  y <- drop(X[, -1L] %*% own_slopes) + own(0.5) + skewed(1) - 1 + skewed(0.7) * rnorm(20)
  c(crossprod(cbind(X, y)))
}

# RMSE of each domain [domains x sets] by the fits to sets of domains.
scores_of <- function(sums, columns, sets) {
  used <- c(1L, columns + 1L)
  vapply(sets, function(set) {
    total <- matrix(colSums(sums[set, , drop = FALSE]), 6L)
    w <- replace(numeric(6), c(used, 6L), c(solve(total[used, used], total[used, 6L]), -1))
    sqrt(pmax(sums %*% c(tcrossprod(w)), 0) / 20)
  }, numeric(nrow(sums)))
}

# The same numbers for each of the two standard errors, and for their larger one: list(difference,
# lines [how x (se, p)]).
compare_once <- function(world, methods, slopes, G, folds) {
  sums <- t(replicate(G, draw_domain(world, slopes)))
  domain <- factor(seq_len(G))
  splits <- inside$fold_splits(domain_folds(domain, if (folds != "one") as.integer(folds)),
                               list(domain = domain, row = seq_len(G)))
  plan <- inside$pairs_of_folds(splits, domain)
  all <- c(splits, plan$splits)
  d <- Reduce(`-`, lapply(methods, function(columns) {
    scores_of(sums, columns, lapply(all, `[[`, "train"))
  }))
  held <- numeric(G)
  for (k in seq_along(splits)) held[splits[[k]]$held] <- d[splits[[k]]$held, k]
  found <- lapply(seq_along(plan$splits), function(k) {
    own <- plan$splits[[k]]$held
    matrix(d[own, length(splits) + k], dimnames = list(levels(domain)[own], "score"))
  })
  without <- inside$scores_without(plan, found, domain)$score
  share <- mean(lengths(lapply(splits, `[[`, "train"))) / G
  errors <- list(
    `as dg_compare()` = inside$mean_error(held, without, share, off = 0.5),
    factor = inside$mean_error(held, NULL, share),
    jackknife = inside$mean_error(held, without, share, off = 0.5, least = FALSE),
    independent = list(se = inside$standard_error(held), df = G - 1)
  )
  list(difference = mean(held), se = vapply(errors, `[[`, 0, "se"),
       p = vapply(errors, function(e) inside$mean_p(mean(held), e), 0))
}

experiment(
  paper = "domgen", item = "?dg_compare",
  title = "Level and power of the test of dg_compare()",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 5, full = 50),
  tolerance = c(rejected = 0.1, known = 0.1, width = 0.02),
  outcomes = c("rejected", "known", "width", "replications"),
  cells = function(size) {
    cells <- expand.grid(folds = c("one", "3"), domains = c(6, 12, 40),
                         methods = c("signal", "noise"), world = c("alike", "differing", "skewed"),
                         less = c(0, 1), stringsAsFactors = FALSE)
    cells <- cells[cells$methods == "signal" | cells$less == 0, ]
    cells$replications <- c(quick = 10, normal = 500, full = 5000)[[size]]
    if (size == "quick") cells[c(1, 7), ] else cells
  },
  run = function(cell, draw, data) {
    # about as hard to find with any number of domains
    less <- cell$less / sqrt(cell$domains)
    slopes <- if (cell$methods == "noise") c(0.5, 0, 0, 0) else rep(c(0.5, 0.5 - less), each = 2L)
    methods <- if (cell$methods == "noise") list(1:2, c(1, 3)) else list(1:2, 3:4)
    runs <- lapply(seq_len(cell$replications), function(k) {
      compare_once(cell$world, methods, slopes, cell$domains, cell$folds)
    })
    differences <- vapply(runs, `[[`, 0, "difference")
    se <- vapply(runs, `[[`, numeric(4), "se")
    p <- vapply(runs, `[[`, numeric(4), "p")
    data.frame(how = rownames(p), rejected = signif(rowMeans(p < 0.05), 4),
               known = mean(abs(differences) > qnorm(0.975) * sd(differences)),
               width = signif(rowMeans(se) / sd(differences), 4), row.names = NULL)
  }
)
