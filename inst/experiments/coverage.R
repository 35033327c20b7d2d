# Coverage of the Gaussian process's 95 % predictive intervals on data drawn from its own model:
# f from the prior with a kernel between domains, noise added, all parameters fitted to half of the
# domains (signal and noise only with feature maps, whose bandwidths are given), intervals for
# the responses of the others.
#
#   Rscript coverage.R [file for the table] [quick | replications]

library(domgen)

args <- commandArgs(TRUE)
target <- if (length(args) >= 1L) args[1L]
quick <- "quick" %in% args
replications <- if (quick) 20L else if (length(args) >= 2L) as.integer(args[2L]) else 100L

on_x <- function(sigma) kernel_rbf(sigma)
between <- function(a, b) domain_distribution(kernel_rbf(a), kernel_rbf(b))

# 2 * half domains with their own place; f from the prior by its covariance.
draw_domains <- function(half, rows, signal, noise) {
  G <- 2 * half
  domain <- factor(rep(seq_len(G), each = rows))
  X <- cbind(x1 = rnorm(G * rows, mean = rnorm(G)[domain]), x2 = runif(G * rows, -2, 2))
  squared <- mmd(X, domain, kernel_rbf(1))$squared
  kappa <- exp(-squared / (2 * 0.5^2))
  K <- kernel_matrix(kernel_rbf(1.2), X) * kappa[as.integer(domain), as.integer(domain)]
  f <- signal * drop(crossprod(chol(K + diag(1e-8, nrow(K))), rnorm(nrow(K))))
  list(X = X, y = 3 + f + rnorm(nrow(X), sd = noise), domain = domain,
       train = as.integer(domain) <= half)
}

specs <- list(
  exact = dg_gp(kernel = kernel_rbf(), domain_kernel = domain_distribution(), starts = 1),
  nystrom = dg_gp(kernel = on_x(1.2), domain_kernel = between(1, 0.5), scale = "none",
                  features = features_nystrom(150)),
  product = dg_gp(kernel = on_x(1.2), domain_kernel = between(1, 0.5), scale = "none",
                  features = features_product(x = features_nystrom(50)))
)

coverage_of <- function(spec, d) {
  model <- suppressWarnings(fit(spec, d$X[d$train, ], d$y[d$train], d$domain[d$train]))
  interval <- predict(model, d$X[!d$train, ], domain = d$domain[!d$train], interval = "prediction")
  y <- d$y[!d$train]
  c(inside = mean(y >= interval[, "lwr"] & y <= interval[, "upr"]),
    width = mean(interval[, "upr"] - interval[, "lwr"]),
    noise_width = 2 * qnorm(0.975) * model$noise * model$response$scale)
}

set.seed(21)
designs <- list(c(half = 6, rows = 60), c(half = 12, rows = 40))
runs <- do.call(rbind, lapply(designs, function(design) {
  do.call(rbind, lapply(seq_len(replications), function(k) {
    d <- draw_domains(design[["half"]], design[["rows"]], signal = 1, noise = 0.4)
    do.call(rbind, lapply(names(specs), function(name) {
      data.frame(domains = design[["half"]], rows = design[["rows"]], features = name,
                 replication = k, t(coverage_of(specs[[name]], d)))
    }))
  }))
}))
groups <- split(runs, runs[c("features", "domains")], drop = TRUE)
table <- do.call(rbind, lapply(groups, function(d) {
  data.frame(d[1L, c("features", "domains", "rows")], replications = nrow(d),
             coverage = 100 * mean(d$inside), se = 100 * sd(d$inside) / sqrt(nrow(d)),
             lowest = 100 * min(d$inside), highest = 100 * max(d$inside), width = mean(d$width),
             noise_width = mean(d$noise_width))
}))
table$met <- table$coverage >= 93 & table$coverage <= 97
cat(R.version.string, " BLAS:", extSoftVersion()[["BLAS"]], "\n")
print(table, digits = 3, row.names = FALSE)
if (!is.null(target)) write.csv(table, target, row.names = FALSE)
