# The calls that tests/bench/regression.R times, by the names of the package beside which this file
# stands: each version is timed by its own file. What is compared are the labels of the list, so a
# label stays where functions or arguments are renamed, and gets a new name where the task changes.
#   Rscript tests/bench/regression-calls.R FILE ['label;label']   processor seconds, into FILE

library(domgen)
options(domgen.threads = 1L)

sines <- function(n, p, seed) matrix(sin(seed + seq_len(n * p)^1.3), n)

# Rows of domains that differ in their mean; y is a number, two has two classes.
make_rows <- function(n, domains = 20L, p = 5L, seed = 1) {
  set.seed(seed)
  domain <- factor(rep_len(seq_len(domains), n))
  x <- matrix(rnorm(n * p), n, dimnames = list(NULL, paste0("x", seq_len(p)))) +
    rnorm(domains)[domain]
  y <- sin(x[, 1L]) + 0.5 * x[, 2L] + rnorm(domains)[domain] + rnorm(n, sd = 0.3)
  data.frame(y = y, two = factor(ifelse(y > 0, "a", "b")), domain = domain, x)
}

numeric_formula <- y ~ x1 + x2 + x3 + x4 + x5 | domain
classes <- two ~ x1 + x2 + x3 + x4 + x5 | domain
small <- make_rows(240L, 8L)
rows <- make_rows(600L)
many <- make_rows(1000L)
new <- make_rows(4000L, 40L, seed = 2)
long <- make_rows(20000L, 40L)
predictors <- as.matrix(many[-(1:3)])
ridge <- dg_ridge(numeric_formula, data = rows, lambda = 0.1)
file <- tempfile(fileext = ".csv")
utils::write.csv(long, file, row.names = FALSE)

calls <- list(
  "Gram matrix" = function() kernel_matrix(kernel_rbf(2), sines(2500L, 10L, 1)),
  "Gram matrix of domains" = function() {
    domain_gram(predictors, many$domain, kernel = kernel_rbf(2))
  },
  "MMD, permuted" = function() {
    set.seed(1)
    dg_mmd(~ x1 + x2 + x3 + x4 + x5 | domain, data = small, permutations = 200)
  },
  "DICA" = function() dg_dica(classes, data = many, ncomp = 2, lambda = 0.1),
  "KPCA" = function() dg_kpca(numeric_formula, data = many, ncomp = 2),
  "SVM" = function() dg_svm(classes, data = many, cost = 1),
  "ridge" = function() dg_ridge(numeric_formula, data = many, lambda = 0.1),
  "ridge, lambda found" = function() dg_ridge(numeric_formula, data = rows),
  "Gaussian process" = function() dg_gp(numeric_formula, data = small),
  "generalized linear model" = function() dg_glm(classes, data = rows, lambda = 0.1),
  "prediction" = function() predict(ridge, newdata = new),
  "random features" = function() {
    set.seed(1)
    dg_ridge(numeric_formula, data = long, lambda = 0.1, domain_kernel = domain_pooled(),
             feature_map = features_rff(200))
  },
  "product features" = function() {
    set.seed(1)
    dg_svm(classes, data = long[1:5000, ], cost = 1,
           feature_map = features_product("fourier", n_features = 100))
  },
  "cross-validation" = function() {
    set.seed(1)
    dg_cv(dg_ridge(lambda = 0.1), numeric_formula, data = rows, folds = 5)
  },
  "automatic choice" = function() dg_auto(numeric_formula, data = small, n_members = 1),
  # with the fit, as a model keeps what its first intervals need
  "fit and first intervals" = function() {
    set.seed(1)
    model <- dg_ridge(numeric_formula, data = many, lambda = 0.1,
                      feature_map = features_nystrom(100))
    predict(model, newdata = new[1:10, ], interval = "prediction")
  },
  "diagnosis" = function() {
    set.seed(1)
    dg_diagnose(numeric_formula, data = small)
  },
  "rows of a file" = function() {
    set.seed(1)
    dg_ridge(numeric_formula, data = row_source(file), lambda = 0.1,
             domain_kernel = domain_pooled(), feature_map = features_rff(50))
  }
)

source("tests/bench/regression-time.R")
time_calls(calls)
