# dg_svm() against e1071::svm() (libsvm): time to the same dual objective. Our
# time includes the Gram matrix, whose share is shown. The ratio is of elapsed
# times; the ratio of processor times (ours summed over threads) is beside it
# because it depends less on what else the machine is doing.
#   Rscript tests/bench/svm.R [n,n,...] [runs]     from the root of the package

source("tests/bench/ratio.R")

gram_ours <- function(x, sigma) kernel_matrix(kernel_rbf(sigma), x)

# The one function to change for another way of fitting.
fit_ours <- function(x, y, sigma, cost, epsilon = 0.1) {
  dg_svm(x, y, cost = cost, epsilon = epsilon, kernel = kernel_rbf(sigma), intercept = TRUE,
         domain_kernel = domain_pooled(), domain_weights = "size", scale = "none")
}

fit_peer <- function(x, y, sigma, cost, epsilon = 0.1) {
  e1071::svm(x, y, scale = FALSE, kernel = "radial", gamma = 1 / (2 * sigma^2), cost = cost,
             epsilon = epsilon, cachesize = 2000, fitted = FALSE)
}

# The objective that is minimised, from the coefficients.
dual_objective <- function(beta, x, y, sigma, epsilon = 0.1) {
  used <- which(beta != 0)
  square <- rowSums(x[used, ]^2)
  distance <- outer(square, square, "+") - 2 * tcrossprod(x[used, ])
  norm <- sum(beta[used] * (exp(-distance / (2 * sigma^2)) %*% beta[used]))
  norm / 2 + if (is.factor(y)) -sum(abs(beta)) else epsilon * sum(abs(beta)) - sum(y * beta)
}

peer_coefficients <- function(fit, y) {
  beta <- numeric(length(y))
  beta[fit$index] <- fit$coefs
  beta
}

# Two classes of three clusters each; `noise` of the labels are wrong.
mixture <- function(n, p, noise) {
  centres <- matrix(rnorm(6 * p, sd = 1.2), 6)
  cluster <- sample(6, n, replace = TRUE)
  wrong <- runif(n) < noise
  list(x = centres[cluster, ] + matrix(rnorm(n * p), n),
       y = factor(ifelse(xor(cluster <= 3, wrong), "a", "b")))
}

# A smooth surface of five predictors among p.
surface <- function(n, p, noise) {
  x <- matrix(rnorm(n * p), n)
  f <- sin(2 * x[, 1]) + x[, 2] * x[, 3] / 2 + cos(x[, 4] + x[, 5])
  list(x = x, y = drop(scale(f / sd(f) + rnorm(n, sd = noise))))
}

problems <- list(
  "C-SVC, 10 % noise, median bandwidth" = list(mixture, p = 12, noise_sd = 0.1, bandwidth = 1),
  "C-SVC, 2 % noise, half of it" = list(mixture, p = 16, noise_sd = 0.02, bandwidth = 0.5),
  "C-SVC, 20 % noise, half of it" = list(mixture, p = 16, noise_sd = 0.2, bandwidth = 0.5),
  "SVR, noise 0.3, median bandwidth" = list(surface, p = 10, noise_sd = 0.3, bandwidth = 1),
  "SVR, noise 0.1, half of it" = list(surface, p = 12, noise_sd = 0.1, bandwidth = 0.5)
)

# A virtual machine may take a second to find half a gigabyte that was not used
# lately. That is not what is compared: both sides start from a warm machine.
warm_memory <- function(n) {
  kernel_matrix(kernel_linear(), matrix(0, n, 1))
  gc(verbose = FALSE)
}

bench_one <- function(name, problem, n, cost, runs) {
  set.seed(match(name, names(problems)) + n)
  d <- problem[[1]](n, problem$p, problem$noise_sd)
  sigma <- problem$bandwidth * median(dist(d$x[seq_len(min(n, 1000)), ]))
  ours <- peer <- NULL
  seconds_of <- function(f) {
    warm_memory(n)
    time <- system.time(f())
    pmax(c(time[["elapsed"]], time[["user.self"]] + time[["sys.self"]]), 1e-3)
  }
  # Rows: elapsed and processor time of the peer, of ours, of our Gram matrix.
  times <- vapply(seq_len(runs), function(i) {
    c(seconds_of(function() peer <<- fit_peer(d$x, d$y, sigma, cost)),
      seconds_of(function() ours <<- fit_ours(d$x, d$y, sigma, cost)),
      seconds_of(function() gram_ours(d$x, sigma)))
  }, numeric(6))
  objective <- dual_objective(peer_coefficients(peer, d$y), d$x, d$y, sigma)
  row <- data.frame(
    problem = name, n = n, cost = cost, e1071 = median(times[1, ]), domgen = median(times[3, ]),
    gram = median(times[5, ]), ratio = median(times[1, ] / times[3, ]),
    processor = median(times[2, ] / times[4, ]),
    above = (ours$objective - objective) / abs(objective), gap = ours$relative_gap
  )
  cat(sprintf("%-36s n %5d C %5g  e1071 %7.3f  domgen %7.3f (Gram %5.3f)  ratio %5.1f",
              name, n, cost, row$e1071, row$domgen, row$gram, row$ratio),
      sprintf(" processor %5.1f  above %+.0e  gap %.0e\n", row$processor, row$above, row$gap))
  row
}

args <- commandArgs(TRUE)
sizes <- if (length(args) >= 1) as.integer(strsplit(args[1], ",")[[1]]) else c(2000L, 8000L)
runs <- if (length(args) >= 2) as.integer(args[2]) else 3L
report_machine()
rows <- list()
for (n in sizes) for (name in names(problems)) for (cost in c(0.1, 1, 10, 100)) {
  rows[[length(rows) + 1L]] <- bench_one(name, problems[[name]], n, cost, runs)
}
table <- do.call(rbind, rows)
cat(sprintf("\nProcessor time: geometric mean %.1f, lowest %.1f\n",
            exp(mean(log(table$processor))), min(table$processor)))
cat(sprintf("Elapsed: geometric mean %.1f, lowest %.1f\n", exp(mean(log(table$ratio))),
            min(table$ratio)))
cat(sprintf("Objective at most %.1e above e1071's; relative gap at most %.1e\n", max(table$above),
            max(table$gap)))
