# What labels of a new domain are worth, in simulated worlds: the picture of which-method.Rmd.

# Numbers with a level of each domain's own, of which unlabelled rows say nothing.
levels_world <- function(domains, rows, seed) {
  set.seed(seed)
  domain <- factor(rep(seq_len(domains), each = rows))
  x <- stats::rnorm(length(domain))
  y <- 2 * x + stats::rnorm(domains)[domain] + stats::rnorm(length(domain), sd = 0.5)
  data.frame(y = y, x = x, domain = domain)
}

# Errors on a new domain's last 40 of 80 rows by how many of the first have labels, `known`: of
# `machine` with each of `kernels`, learned from ten domains, and alone on the new domain's labels.
adapted <- function(seed, world, machine, kernels, known) {
  rest <- 41:80
  d <- world(11, 80, seed = seed)
  first <- d$domain == levels(d$domain)[1L]
  new <- droplevels(d[first, ])
  train <- droplevels(d[!first, ])
  fitted_to <- function(rows, kernel) machine(y ~ . | domain, data = rows, domain_kernel = kernel)
  error <- function(p) {
    if (is.factor(d$y)) 100 * mean(p[rest] != new$y[rest]) else sqrt(mean((p - new$y)[rest]^2))
  }
  of_kernel <- function(kernel) {
    model <- fitted_to(train, kernel)
    vapply(known, function(k) {
      labels <- replace(new$y, -seq_len(k), NA)
      error(if (k) predict(dg_adapt(model, new, labels)) else predict(model, new))
    }, 0)
  }
  alone <- vapply(known, function(k) {
    if (k < 5 || length(unique(new$y[seq_len(k)])) < 2L) return(NA_real_)
    error(predict(fitted_to(new[seq_len(k), ], domain_pooled()), new))
  }, 0)
  cbind(vapply(kernels, of_kernel, known), alone = alone)
}

# The same as a picture, means over 16 draws; returns them.
draw_adapted <- function(world, machine, kernels, ylab, known = c(0, 2, 5, 10, 20, 40)) {
  e <- sapply(1:16, adapted, world, machine, kernels, known, simplify = "array")
  e <- apply(e, 1:2, mean, na.rm = TRUE)
  colour <- c(pooled = method_colours[2L], `between domains` = method_colours[1L], alone = "grey50")
  graphics::matplot(known, e, type = "b", pch = 19, cex = 0.7, lty = 1,
                    col = colour[colnames(e)], ylim = c(0, 1.3 * max(e, na.rm = TRUE)),
                    xlab = "labels of the new domain", ylab = ylab, cex.axis = 0.8)
  graphics::legend("topright", colnames(e), pch = 19, lty = 1, col = colour[colnames(e)],
                   bty = "n", cex = 0.8)
  e
}
