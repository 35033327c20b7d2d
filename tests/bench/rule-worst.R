# What the choice of a parameter by the worst domain, or by a quantile, changes on fresh domains:
# lambda and bandwidth of a ridge regression chosen by the rules of dg_tune() on G domains, scored on
# 200 further ones of the same population. Domains differ in noise, slope and shift, some much.
#
#   Rscript tests/bench/rule-worst.R [number of data sets, 40] [numbers of domains, 5 10]
library(domgen)
options(domgen.progress = FALSE)
given <- commandArgs(TRUE)
sets <- if (length(given)) as.integer(given[1L]) else 40L
numbers <- if (length(given) > 1L) as.integer(given[-1L]) else c(5L, 10L)

draw <- function(G, n) {
  domain <- gl(G, n)
  odd <- (stats::runif(G) < 0.2)[domain]
  slope <- stats::rnorm(G, 1, 0.3)[domain]
  shift <- (stats::rnorm(G, 0, 0.5))[domain] * ifelse(odd, 3, 1)
  x <- matrix(stats::rnorm(G * n * 3), ncol = 3) + shift
  noise <- stats::rnorm(G * n) * ifelse(odd, 1.5, 0.5)
  data.frame(x, y = slope * sin(2 * x[, 1]) + 0.5 * x[, 2] * ifelse(odd, 0, 1) + noise,
             domain = paste0("d", domain))
}

rules <- list(best = "best", quantile = 0.9, worst = "worst")
one <- function(seed, G) {
  set.seed(seed)
  train <- draw(G, 30)
  new <- draw(200, 30)
  # one search has the scores of all rules
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = train, extend = FALSE,
                   grid = list(lambda = 10^(-2:3), bandwidth_factor = c(0.5, 1, 2)))
  scores <- tuned$tuning$scores
  table <- tuned$tuning$table
  fresh <- function(k) {
    model <- dg_ridge(y ~ . | domain, data = train, lambda = table$lambda[k],
                      kernel = kernel_rbf(bandwidth_factor = table$bandwidth_factor[k]))
    sqrt(tapply((predict(model, new) - new$y)^2, new$domain, mean))
  }
  chosen <- vapply(rules, function(rule) {
    which.min(apply(scores, 2L, function(own) domgen:::rule_loss(own, rule)))
  }, 0L)
  vapply(chosen, function(k) {
    rmse <- fresh(k)
    c(mean = mean(rmse), ninety = unname(stats::quantile(rmse, 0.9)), worst = max(rmse),
      lambda = log10(table$lambda[k]))
  }, numeric(4))
}

for (G in numbers) {
  found <- vapply(seq_len(sets), one, matrix(0, 4L, 3L), G = G)
  base <- found[, 1L, ]
  cat("\n", G, " domains, ", sets, " data sets: change from \"best\" in per cent (standard error)\n",
      sep = "")
  for (j in 2:3) {
    change <- 100 * (found[1:3, j, ] / base[1:3, ] - 1)
    cat(sprintf("%-9s", names(rules)[j]),
        sprintf("%s %+.1f (%.1f)  ", c("mean", "90 %", "worst"), rowMeans(change),
                apply(change, 1L, stats::sd) / sqrt(sets)), "\n")
  }
  cat("sd of log10(lambda):", sprintf("%s %.2f ", names(rules), apply(found[4L, , ], 1L, stats::sd)),
      "; another choice than best:", sprintf("%s %.0f %% ", names(rules)[-1L],
        100 * rowMeans(found[1L, -1L, ] != rep(base[1L, ], each = 2L))), "\n")
}
