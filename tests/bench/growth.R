# How processor seconds grow with rows: exact methods from 1,000 to 16,000 rows beside a Cholesky
# factor of the same size, feature maps from 1e4 to 2e7 rows out of memory beside the product of as
# many columns. One thread, ten predictors, 40 domains; medians of five runs, of one where it takes
# more than two seconds.
#   OPENBLAS_NUM_THREADS=1 Rscript tests/bench/growth.R [exact rows] [map rows] > ...
# The last lines are vignettes/growth.csv, which vignette("large-data") draws.

source("tests/bench/ratio.R")
options(domgen.threads = 1L)

given <- commandArgs(TRUE)
sizes <- function(k, otherwise) {
  if (length(given) < k) otherwise else as.numeric(strsplit(given[k], ",")[[1L]])
}
exact_sizes <- sizes(1L, c(1000, 2000, 4000, 8000, 16000))
map_sizes <- sizes(2L, c(1e4, 1e5, 1e6, 4e6, 2e7))

domains <- sprintf("d%02d", 1:40)

draw <- function(n, seed = 1L) {
  set.seed(seed)
  X <- matrix(rnorm(10 * n), n, dimnames = list(NULL, paste0("x", 1:10)))
  d <- rep_len(domains, n)
  X <- X + rnorm(40)[match(d, domains)]
  data.frame(y = sin(X[, 1L]) + X[, 2L] * X[, 3L] / 2 + rnorm(n), X, domain = d)
}

processor <- function(f) {
  once <- function() {
    gc(verbose = FALSE)
    sum(system.time(f())[c("user.self", "sys.self")])
  }
  first <- once()
  if (first > 2) return(first)
  stats::median(c(first, vapply(1:4, function(i) once(), numeric(1))))
}

lines <- NULL
note <- function(task, rows, f) {
  line <- data.frame(task = task, rows = rows, cpu = signif(processor(f), 3))
  print(line, row.names = FALSE)
  lines <<- rbind(lines, line)
}

y <- y ~ . | domain

exact <- list(
  `kernel_matrix()` = function(d, X) kernel_matrix(kernel_rbf(4), X),
  `dg_ridge()` = function(d, X) dg_ridge(y, data = d, lambda = nrow(d) / 1e3),
  `dg_svm()` = function(d, X) dg_svm(y, data = transform(d, y = factor(y > 0)), cost = 1),
  `dg_dica()` = function(d, X) dg_dica(y, data = transform(d, y = factor(y > 0)), lambda = 0.1, ncomp = 1),
  `dg_gp()` = function(d, X) dg_gp(y, data = d, optimise = FALSE),
  `dg_auto()` = function(d, X) dg_auto(y, data = d, progress = FALSE)
)

for (n in exact_sizes) {
  d <- draw(n)
  X <- as.matrix(d[2:11])
  note("Cholesky factor", n, local({
    K <- kernel_matrix(kernel_rbf(4), X)
    diag(K) <- 2
    function() chol(K)
  }))
  for (name in names(exact)) note(name, n, function() exact[[name]](d, X))
}

maps <- list(
  `200 landmarks` = features_nystrom(200), `100 frequencies` = features_rff(100),
  `20 x 10 product` = features_product(x = features_nystrom(20), rank = 10)
)

# The same rows again and again: no time of reading.
one_block <- draw(5e4)

for (n in map_sizes) {
  blocks <- ceiling(n / nrow(one_block))
  block <- one_block[seq_len(min(n, nrow(one_block))), ]
  left <- blocks
  rows <- row_source(function(reset = FALSE) {
    if (reset) left <<- blocks
    else if (left > 0) {
      left <<- left - 1
      block
    }
  })
  Z <- matrix(rnorm(2048 * 200), 2048)
  note("product of 200 columns", n, function() {
    for (i in seq_len(max(1, round(n / 2048)))) crossprod(Z)
  })
  for (name in names(maps)) {
    between <- if (name == "20 x 10 product") domain_distribution() else domain_pooled()
    spec <- dg_ridge(lambda = n / 1e3, feature_map = maps[[name]], domain_kernel = between)
    note(name, n, function() {
      set.seed(1)
      fit(spec, y, data = rows)
    })
  }
}

cat("\n")
utils::write.csv(lines, stdout(), row.names = FALSE)
