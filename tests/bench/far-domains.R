# How often domgen_warning_far_domain is given for ordinary held-out domains, and for domains moved
# by 10 standard deviations in every predictor: shares of domains, by world.
#   Rscript tests/bench/far-domains.R [replications]

suppressMessages(library(domgen))
options(domgen.threads = 1L)
arguments <- commandArgs(TRUE)
replications <- if (length(arguments)) as.integer(arguments[1L]) else 50L

world <- function(G, rows, p, shift, df = Inf) {
  d <- rep(seq_len(G), each = rows)
  centre <- matrix(stats::rt(G * p, df) * shift, G)
  list(X = centre[d, , drop = FALSE] + matrix(stats::rt(G * rows * p, df), G * rows), d = d)
}

# Names of domains that a model of the first half tells to be far, of the rest.
told_far <- function(X, d, moved = 0) {
  known <- d <= max(d) / 2
  model <- dg_ridge(X[known, , drop = FALSE], stats::rnorm(sum(known)), domain = factor(d[known]),
                    lambda = 1)
  new <- X[!known, , drop = FALSE] + moved * rep(apply(X, 2L, stats::sd), each = sum(!known))
  kernel <- model$space$domain_kernel
  scaled <- domgen:::apply_scaling(new, model$blueprint$scaling, NULL)
  rows <- list(X = scaled, domain = factor(d[!known]), threads = 1L)
  embeddings <- domgen:::new_embeddings(kernel, rows)
  kappa <- domgen:::kernel_profile(kernel$embedding_kernel, embeddings$inner, embeddings$norms, kernel$norms)
  domgen:::embedding_similarity(kernel, kappa, embeddings) < domgen:::far_similarity
}

for (G in c(10, 40)) for (rows in c(5, 30, 100)) for (p in c(1, 5, 20)) {
  for (shift in c(0, 0.5, 2)) for (df in c(Inf, 4)) {
    set.seed(1)
    shares <- vapply(seq_len(replications), function(i) {
      w <- world(G, rows, p, shift, df)
      c(mean(told_far(w$X, w$d)), mean(told_far(w$X, w$d, 10)))
    }, numeric(2))
    cat(sprintf("domains %2d rows %3d predictors %2d shift %.1f df %3s: ordinary %.4f, moved %.4f\n",
                G / 2, rows, p, shift, format(df), mean(shares[1L, ]), mean(shares[2L, ])))
  }
}

if (requireNamespace("nlme", quietly = TRUE)) {
  data <- as.data.frame(nlme::MathAchieve)
  X <- cbind(data$SES, as.numeric(data$Sex), as.numeric(data$Minority))
  shares <- vapply(seq_len(min(replications, 20L)), function(i) {
    set.seed(i)
    school <- factor(as.character(data$School))
    d <- sample.int(nlevels(school))[as.integer(school)]
    order <- order(d)
    c(mean(told_far(X[order, ], d[order])), mean(told_far(X[order, ], d[order], 10)))
  }, numeric(2))
  cat(sprintf("MathAchieve, 80 schools: ordinary %.4f, moved %.4f\n", mean(shares[1L, ]),
              mean(shares[2L, ])))
}
