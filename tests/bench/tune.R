# Tuning: how much work is shared.
#   1. 60 values of lambda against one fit, for ridge regression on one split, for DICA, and for
#      DICA with a linear learner on one split;
#   2. 10 bandwidths x 10 costs of an SVM, domains left out one at a time, against e1071 fitted from
#      scratch for each (the first folds only, the same for both).
#   Rscript tests/bench/tune.R [n] [folds]     from the root of the package
# And what a penalty costs that is left open, by two installed versions in turn, in fresh processes
# on one thread: medians of the processor seconds of fits with and without it, and of calls that fit
# again and again.
#   Rscript tests/bench/tune.R states OLD_LIBRARY NEW_LIBRARY [rounds] ['label;label']

arguments <- commandArgs(TRUE)

# ---- an open penalty --------------------------------------------------------------------------

penalty_rows <- function(n, domains, p = 8L) {
  set.seed(n)
  domain <- factor(sprintf("d%02d", rep_len(seq_len(domains), n)))
  x <- matrix(rnorm(n * p), n) + matrix(rnorm(domains * p, sd = 0.5), domains)[domain, ]
  f <- sin(2 * x[, 1]) + x[, 2] * x[, 3] / 2 + cos(x[, 4] + x[, 5]) +
    rnorm(domains, sd = 0.3)[domain]
  data.frame(y = f + rnorm(n, sd = 0.5), x, domain)
}

# Pupils of so many schools, mathematics by four predictors.
pupils <- function(schools) {
  d <- as.data.frame(nlme::MathAchieve)
  d <- d[d$School %in% unique(d$School)[seq_len(schools)], ]
  data.frame(y = d$MathAch, d[c("SES", "Sex", "Minority", "MEANSES")],
             domain = factor(as.character(d$School)))
}

# Functions without arguments by label; a fit with a given penalty follows that without one.
penalty_calls <- function() {
  calls <- list()
  for (set in c("simulated", "pupils")) local({
    d <- if (set == "simulated") penalty_rows(2000L, 40L) else pupils(45L)
    known <- as.integer(d$domain) > 4L
    formula <- y ~ . | domain
    ridge <- dg_ridge(formula, data = d)
    pooled <- dg_ridge(formula, data = d, domain_kernel = domain_pooled())
    svm <- dg_svm(formula, data = d)
    some <- if (set == "simulated") penalty_rows(500L, 20L) else pupils(12L)
    seeded <- function(code) function() {
      set.seed(1)
      code()
    }
    methods <- list(pooled = dg_ridge(domain_kernel = domain_pooled()),
                    distributional = dg_ridge(), svm = dg_svm())
    of_set <- list(
      "dg_ridge()" = function() dg_ridge(formula, data = d),
      "dg_ridge(), given" = function() dg_ridge(formula, data = d, lambda = ridge$lambda),
      "dg_ridge(), pooled" = function() {
        dg_ridge(formula, data = d, domain_kernel = domain_pooled())
      },
      "dg_ridge(), pooled, given" = function() {
        dg_ridge(formula, data = d, domain_kernel = domain_pooled(), lambda = pooled$lambda)
      },
      "dg_svm()" = function() dg_svm(formula, data = d),
      "dg_svm(), given" = function() dg_svm(formula, data = d, cost = svm$cost),
      "dg_cv(), 10 folds" = seeded(function() dg_cv(dg_ridge(), formula, data = d, folds = 10)),
      "dg_compare(), 4 folds" = seeded(function() dg_compare(methods, formula, data = d, folds = 4)),
      "dg_forecast()" = seeded(function() {
        dg_forecast(dg_ridge(formula, data = d[known, ]), d[!known, ])
      }),
      "dg_plan(dg_lm())" = seeded(function() dg_plan(dg_lm(), formula, data = some)),
      "dg_plan(dg_ridge())" = seeded(function() dg_plan(dg_ridge(), formula, data = some))
    )
    names(of_set) <- paste0(set, ": ", names(of_set))
    calls <<- c(calls, of_set)
  })
  calls
}

if (identical(arguments[1L], "state")) {
  library(domgen)
  options(domgen.threads = 1L, domgen.progress = FALSE)
  source("tests/bench/regression-time.R")
  time_calls(penalty_calls(), arguments[-1L])
  quit()
}
if (identical(arguments[1L], "states")) {
  rounds <- if (length(arguments) > 3L) as.integer(arguments[4L]) else 3L
  sides <- c(before = arguments[2L], now = arguments[3L])
  Sys.setenv(OPENBLAS_NUM_THREADS = "1")
  file <- tempfile()
  times <- replicate(rounds, sapply(sides, function(library) {
    system2("Rscript", c("tests/bench/tune.R", "state", shQuote(c(file, arguments[-(1:4)]))),
            env = paste0("R_LIBS=", shQuote(library)))
    readRDS(file)
  }))
  middle <- apply(times, 1:2, stats::median)
  given <- match(paste0(rownames(middle), ", given"), rownames(middle))
  print(data.frame(middle, ratio = middle[, "now"] / middle[, "before"],
                   fits_before = middle[, "before"] / middle[given, "before"],
                   fits_now = middle[, "now"] / middle[given, "now"]), digits = 2)
  quit()
}

# ---- shared work ------------------------------------------------------------------------------

source("tests/bench/ratio.R")
n <- if (length(arguments) >= 1L) as.integer(arguments[1L]) else 2000L
folds <- if (length(arguments) >= 2L) as.integer(arguments[2L]) else 1L

made <- function(n, p = 10, G = 10) {
  set.seed(n)
  domain <- factor(rep_len(sprintf("d%02d", seq_len(G)), n))
  x <- matrix(rnorm(n * p), n) + matrix(rnorm(G * p, sd = 0.4), G)[domain, ]
  f <- sin(2 * x[, 1]) + x[, 2] * x[, 3] / 2 + cos(x[, 4] + x[, 5])
  data.frame(x, y = f + rnorm(n, sd = 0.3), class = factor(f + rnorm(n, sd = 0.3) > mean(f)),
             domain = domain)
}

d <- made(n)
predictors <- paste0("X", 1:10, collapse = " + ")
formula <- function(y) stats::as.formula(paste(y, "~", predictors, "| domain"))
leaving <- function(g) {
  list(train = which(d$domain != g), held = which(d$domain == g), fold = 1L, rep = 1L)
}

# One piece of dg_tune()'s work: all values on one split.
worker <- function(spec, grid, y, splits) {
  task <- domgen:::cv_task(spec, domgen:::read_input(list(x = formula(y), data = d)))
  choices <- expand.grid(grid)
  specs <- lapply(seq_len(nrow(choices)), function(i) {
    domgen:::set_parameters(spec, as.list(choices[i, , drop = FALSE]))
  })
  work <- domgen:::piece_worker(specs, task, NULL)
  function(piece) work(list(group = piece$group, split = splits[[piece$split]]))
}

tune_and_fit <- function(spec, grid, y) {
  work <- worker(spec, grid, y, list(leaving("d10")))
  fit_time <- median(replicate(5, seconds(function() work(list(group = 30L, split = 1L)))))
  path_time <- median(replicate(3, seconds(function() work(list(group = seq_along(grid[[1L]]), split = 1L)))))
  c(fit = fit_time, path = path_time, fits = path_time / fit_time)
}

# The same for a projection alone, on all rows.
project_and_fit <- function(make, values, y) {
  input <- domgen:::read_input(list(x = formula(y), data = d))
  specs <- lapply(values, make)
  fit_time <- median(replicate(5, seconds(function() domgen:::fit_input(specs[[30L]], input))))
  path_time <- median(replicate(3, seconds(function() {
    shared <- domgen:::new_shared(specs)
    lapply(specs, domgen:::fit_input, input, shared)
  })))
  c(fit = fit_time, path = path_time, fits = path_time / fit_time)
}

lambdas <- list(lambda = 10^seq(-2, 3, length.out = 60))
report_machine()
cat("60 values of lambda, in fits\n")
print(rbind(
  `ridge, distributional` = tune_and_fit(dg_ridge(), lambdas, "y"),
  `ridge, pooled` = tune_and_fit(dg_ridge(domain_kernel = domain_pooled()), lambdas, "y"),
  `DICA, labels` = project_and_fit(function(l) dg_dica(ncomp = 1, lambda = l), lambdas$lambda,
                                   "class"),
  `DICA, numbers` = project_and_fit(function(l) dg_dica(ncomp = 2, lambda = l), lambdas$lambda, "y"),
  `DICA, labels, 60 logistic regressions` =
    tune_and_fit(dg_pipeline(dg_dica(ncomp = 1), dg_lm()), lambdas, "class"),
  `the same with 200 landmarks` =
    tune_and_fit(dg_pipeline(dg_dica(ncomp = 1, feature_map = features_nystrom(200)), dg_lm()), lambdas, "class")
), digits = 3)

cat("\n10 bandwidths x 10 costs of an SVM, first", folds, "of 10 folds\n")
sigma <- 10^seq(-0.3, 1, length.out = 10)
cost <- 10^seq(-1, 2, length.out = 10)
held <- levels(d$domain)[seq_len(folds)]

ours <- function() {
  spec <- dg_svm(domain_kernel = domain_pooled(), domain_weights = "size", intercept = TRUE)
  # costs follow each other for each bandwidth
  work <- worker(spec, list(cost = cost, bandwidth = sigma), "class", lapply(held, leaving))
  groups <- split(seq_len(length(cost) * length(sigma)), rep(seq_along(sigma), each = length(cost)))
  vapply(groups, function(group) {
    mean(vapply(seq_along(held), function(k) {
      outcomes <- work(list(group = group, split = k))
      mean(vapply(outcomes, function(o) mean(o$predictions$prediction == o$predictions$truth), 0))
    }, 0))
  }, 0)
}

peer <- function() {
  x <- as.matrix(d[seq_len(10)])
  vapply(sigma, function(s) {
    mean(vapply(held, function(g) mean(vapply(cost, function(c) {
      rows <- d$domain != g
      model <- e1071::svm(x[rows, ], d$class[rows], cost = c, gamma = 1 / (2 * s^2))
      mean(predict(model, x[!rows, ]) == d$class[!rows])
    }, 0)), 0))
  }, 0)
}

if (requireNamespace("e1071", quietly = TRUE)) {
  ours_time <- seconds(function() mine <<- ours())
  peer_time <- seconds(function() theirs <<- peer())
  print(data.frame(e1071 = peer_time, ours = ours_time, ratio = peer_time / ours_time,
                   asked = 5, accuracy_apart = max(abs(mine - theirs))), digits = 3)
} else cat("e1071 is not installed: skipped\n")
