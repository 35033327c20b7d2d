# Fits to more rows than a Gram matrix is made for, beside an older state of the package: processor
# seconds, peak memory, and the error at domains that were not in training, where the two differ by
# the mean over domains of the difference of squared errors, in per cent of the error, with its
# standard error. And what landmarks alone lose, features_nystrom(). One thread; each fit in a
# process of its own.
#   Rscript tests/bench/many-rows.R OLD_LIBRARY [rows] [worlds] [methods] [maps]
# with OPENBLAS_NUM_THREADS=1. OLD_LIBRARY: where the older state is installed.

given <- commandArgs(TRUE)

# Predictors p, function of rows X and of their domain's number u, noise.
worlds <- list(
  smooth3 = list(p = 3, f = function(X, u) sin(X[, 1]) + X[, 2] * X[, 3] / 2, sd = 0.5),
  wiggly3 = list(p = 3, sd = 0.3, f = function(X, u) {
    sin(5 * X[, 1]) * cos(4 * X[, 2]) + X[, 3]^2 / 3
  }),
  sharp4 = list(p = 4, sd = 0.05, f = function(X, u) {
    sin(4 * X[, 1]) + sin(3 * X[, 2] * X[, 3]) + (X[, 4] > 0)
  }),
  domain10 = list(p = 10, sd = 0.5, f = function(X, u) {
    sin(X[, 1]) + X[, 2] * X[, 3] / 2 + u * X[, 4]
  }),
  sparse30 = list(p = 30, sd = 0.3, f = function(X, u) {
    sin(X[, 1]) + X[, 2] * X[, 3] / 2 + abs(X[, 4])
  }),
  dense60 = list(p = 60, sd = 0.1, f = function(X, u) {
    Z <- X %*% matrix(sin(1:240), 60) / 4
    sin(Z[, 1]) + Z[, 2] * Z[, 3] + abs(Z[, 4])
  }),
  heavy20 = list(p = 20, sd = 0.5, tails = 3, f = function(X, u) {
    sin(X[, 1]) + pmax(X[, 2], 0) + u * X[, 3] / 2
  })
)

draw <- function(world, n, domains, seed) {
  set.seed(seed)
  d <- rep_len(seq_len(domains), n)
  u <- rnorm(domains)
  centre <- matrix(rnorm(domains * world$p), domains) / 2
  centre[, 1] <- centre[, 1] + u
  noise <- if (is.null(world$tails)) rnorm(n * world$p) else rt(n * world$p, world$tails)
  X <- matrix(noise, n, dimnames = list(NULL, paste0("x", seq_len(world$p)))) + centre[d, ]
  data.frame(X, y = world$f(X, u[d]) + world$sd * rnorm(n), domain = factor(paste(seed, d)))
}

maps <- function(name) {
  switch(name, exact = features_exact(), features_nystrom(as.numeric(name)))
}

# A fit in a process of its own: its errors by domain as a line of numbers.
fit_one <- function(world, n, method, map) {
  library(domgen)
  train <- draw(worlds[[world]], n, 40L, 1L)
  new <- draw(worlds[[world]], 6000L, 20L, 2L)
  if (method == "glm") {
    middle <- median(train$y)
    train$y <- factor(train$y > middle)
    new$y <- factor(new$y > middle)
  }
  set.seed(3)
  fit <- switch(method, ridge = dg_ridge, glm = dg_glm)
  time <- system.time(model <- fit(y ~ . | domain, data = train, feature_map = maps(map)))
  loss <- if (method == "ridge") (predict(model, new) - new$y)^2
          else (predict(model, new, type = "prob")[, 2L] - (new$y == "TRUE"))^2
  peak <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  cat("result", sum(time[1:2]), time[[2L]], gsub("[^0-9]", "", peak),
      tapply(loss, new$domain, mean), "\n")
}

if (length(given) && given[1L] == "one") {
  fit_one(given[2L], as.numeric(given[3L]), given[4L], given[5L])
  quit("no")
}

run <- function(library, ...) {
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
                                   c("tests/bench/many-rows.R", "one", ...), stdout = TRUE,
                                   stderr = TRUE,
                                   env = c(paste0("R_LIBS=", library), "DOMGEN_THREADS=1")))
  line <- grep("^result", said, value = TRUE)
  if (!length(line)) return(NULL)
  as.numeric(strsplit(line, " ")[[1L]][-1L])
}

old <- given[1L]
asked <- function(k, otherwise) {
  if (length(given) < k) otherwise else strsplit(given[k], ",")[[1L]]
}
rows <- as.numeric(asked(2L, "12000"))
chosen <- asked(3L, names(worlds))
methods <- asked(4L, c("ridge", "glm"))
maps_asked <- asked(5L, c("exact", "1000", "2000"))
now <- .libPaths()[1L]
cat("world      rows  method state  map    cpu (system)   peak MB  error      difference, %\n")
for (n in rows) for (world in chosen) for (method in methods) {
  states <- list()
  for (map in maps_asked) states <- c(states, list(c(old, "old", map), c(now, "new", map)))
  first <- NULL
  for (state in states) {
    found <- run(state[1L], world, n, method, state[3L])
    cat(sprintf("%-9s %6d  %-6s %-5s  %-5s", world, n, method, state[2L], state[3L]))
    if (is.null(found)) {
      cat("  no fit\n")
      next
    }
    errors <- found[-(1:3)]
    if (is.null(first)) first <- errors
    change <- 100 * (errors - first) / mean(first)
    cat(sprintf(" %6.2f (%5.2f) %7.0f  %.5f  %8.3f (%.3f)\n", found[1L], found[2L],
                found[3L] / 1024, mean(errors), mean(change), sd(change) / sqrt(length(change))))
  }
}
