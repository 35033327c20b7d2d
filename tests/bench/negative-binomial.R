# Counts that vary more than Poisson's: dg_glm(family = "nbinom2") beside "poisson", with defaults
# but for a pooled domain kernel, in worlds of 20 domains of 20 rows whose variance is mu + mu^2 /
# theta. Both are scored by how far their means are from the true ones in 40 new domains, the mean
# Poisson deviance of true means from predicted ones; and on few coefficients without a penalty
# "nbinom2" is MASS::glm.nb().
#   Rscript tests/bench/negative-binomial.R [worlds]

library(domgen)
worlds <- as.integer(c(commandArgs(TRUE), "40")[1L])

world <- function(seed, theta, domains = 20, rows = 20) {
  set.seed(seed)
  n <- domains * rows
  d <- data.frame(g = gl(domains, rows), x1 = rnorm(n), x2 = rnorm(n), x3 = rnorm(n))
  d$mu <- exp(1 + d$x1 / 2 + sin(2 * d$x2) / 2)
  d$count <- rnbinom(n, mu = d$mu, size = theta)
  d
}

families <- c("poisson", "nbinom2")
from_truth <- function(family, train, new) {
  set.seed(1)
  model <- dg_glm(count ~ x1 + x2 + x3 | g, data = train, family = family,
                  domain_kernel = domain_pooled())
  mean(poisson()$dev.resids(new$mu, predict(model, new), 1))
}
start <- proc.time()[["elapsed"]]
rows <- lapply(c(0.5, 2, 10), function(theta) {
  found <- vapply(seq_len(worlds), function(seed) {
    train <- world(seed, theta)
    new <- world(1000 + seed, theta, domains = 40)
    vapply(families, from_truth, 0, train, new)
  }, numeric(2))
  ratio <- log(found["nbinom2", ] / found["poisson", ])
  data.frame(theta, poisson = mean(found["poisson", ]), nbinom2 = mean(found["nbinom2", ]),
             ratio = exp(mean(ratio)), se = exp(mean(ratio)) * sd(ratio) / sqrt(worlds),
             lower = sum(ratio < 0))
})
cat(worlds, "worlds: deviance from the true means, geometric mean of nbinom2 / poisson with its",
    "standard\nerror, and in how many worlds it is below 1\n")
print(format(do.call(rbind, rows), digits = 3), row.names = FALSE)

same <- lapply(c(0.5, 2, 10), function(theta) {
  off <- vapply(seq_len(worlds), function(seed) {
    d <- world(seed, theta)
    direct <- MASS::glm.nb(count ~ x1 + x2 + x3, d)
    model <- dg_glm(count ~ x1 + x2 + x3 | g, data = d, family = "nbinom2", lambda = 1e-8,
                    kernel = kernel_linear(), domain_kernel = domain_pooled(), scale = "none")
    c(max(abs(predict(model, d, type = "decision") - predict(direct))),
      abs(model$family$theta / direct$theta - 1))
  }, numeric(2))
  data.frame(theta, link = max(off[1L, ]), dispersion = max(off[2L, ]))
})
cat("\nlargest difference from MASS::glm.nb(): of log means, and of theta (relative)\n")
print(format(do.call(rbind, same), digits = 2), row.names = FALSE)
message(round(proc.time()[["elapsed"]] - start), " s")
