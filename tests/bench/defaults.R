# Do the learners' defaults lose to pooling, or to the null model? For the data sets of
# defaults-data.R: scores of held-out domains (RMSE, or the share of wrong classes; means over
# domains) of the defaults, of the same learner pooled, and of the null model, with the paired
# differences over domains and their standard errors. Positive differences are losses; one of more
# than two standard errors is marked.
#   DOMGEN_DATA=... Rscript tests/bench/defaults.R [sets] [learners] [result]
# sets and learners separated by commas, "all" for all.

suppressMessages(library(domgen))
source("tests/bench/defaults-data.R")
options(domgen.threads = 1L)

most_rows <- c(svm = 1200L, ridge = 1200L, gp = 400L, svm_nystrom = 800L, ridge_nystrom = 1200L)
most_folds <- 8L

bench_learners <- list(
  svm = function(...) dg_svm(...), ridge = function(...) dg_ridge(...),
  gp = function(...) dg_gp(...),
  svm_nystrom = function(...) dg_svm(feature_map = features_nystrom(200), ...),
  ridge_nystrom = function(...) dg_ridge(feature_map = features_nystrom(200), ...)
)

scores_of <- function(spec, set, folds) {
  set.seed(1)
  metric <- if (is.factor(stats::model.frame(set$formula[-3], set$data)[[1L]])) "error" else "rmse"
  cv <- suppressWarnings(dg_cv(spec, set$formula, data = set$data, folds = folds,
                               metric = if (metric == "error") "accuracy" else "rmse",
                               progress = FALSE))
  scores <- stats::setNames(cv$domains$score, cv$domains$domain)
  if (metric == "error") 1 - scores else scores
}

paired <- function(scores, base) {
  d <- (scores - base[names(scores)])
  d <- d[is.finite(d)]
  c(mean(d), stats::sd(d) / sqrt(length(d)))
}

clearly <- function(difference) {
  if (isTRUE(difference[1L] > 2 * difference[2L] && difference[1L] > 1e-8)) "*" else " "
}

compare_one <- function(name, learner) {
  set <- read_set(name, most_rows[[learner]])
  if (is.null(set)) return(invisible())
  y <- stats::model.frame(set$formula[-3], set$data)[[1L]]
  if (learner == "gp" && is.factor(y)) return(invisible())
  G <- nlevels(set$data[[set$domain]])
  folds <- if (G > most_folds) most_folds else NULL
  make <- bench_learners[[learner]]
  seconds <- system.time(own <- scores_of(make(), set, folds))[[3L]]
  pooled <- scores_of(make(domain_kernel = domain_pooled()), set, folds)
  null <- scores_of(dg_null(), set, folds)
  a <- paired(own, pooled)
  b <- paired(own, null)
  line <- sprintf("%-14s %-13s %4d %5d %9.4f %9.4f %9.4f  %9.4f (%.4f)%s %9.4f (%.4f)%s %6.1f",
                  name, learner, G, nrow(set$data), mean(null, na.rm = TRUE),
                  mean(pooled, na.rm = TRUE), mean(own, na.rm = TRUE), a[1], a[2], clearly(a),
                  b[1], b[2], clearly(b), seconds)
  cat(line, "\n", sep = "")
}

arguments <- commandArgs(TRUE)
chosen <- function(i, all) {
  if (length(arguments) < i || arguments[i] == "all") all else strsplit(arguments[i], ",")[[1L]]
}

bench <- function() {
  cat(sprintf("%-14s %-13s %4s %5s %9s %9s %9s  %-20s %-20s %6s\n", "data", "learner", "dom",
              "rows", "null", "pooled", "default", "minus pooled (s.e.)", "minus null (s.e.)", "s"))
  for (learner in chosen(2L, names(bench_learners))) {
    for (name in chosen(1L, names(bench_sets))) {
      tryCatch(compare_one(name, learner), error = function(e) {
        cat(sprintf("%-14s %-13s failed: %s\n", name, learner, conditionMessage(e)))
      })
    }
  }
}

bench()
