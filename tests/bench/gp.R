# Gaussian processes: the likelihood and its gradient against scikit-learn's
# GaussianProcessRegressor, a fit at given parameters against kernlab::gausspr(). Results are
# compared before times are. scikit-learn runs in a Python process of its own, in turn
# with ours, and reports its own times; its BLAS is the system's, as R's is.
#   Rscript tests/bench/gp.R [n,n,...] [runs]     from the root of the package

source("tests/bench/ratio.R")
source("tests/bench/python.R")

surface <- function(n, p = 16) {
  set.seed(n)
  x <- matrix(rnorm(n * p), n)
  f <- sin(2 * x[, 1]) + x[, 2] * x[, 3] / 2 + cos(x[, 4] + x[, 5])
  list(x = x, y = c(scale(f / sd(f) + rnorm(n, sd = 0.3))))
}

sigma <- 4
signal <- 1.3
noise <- 0.4

# The likelihood as the optimiser sees it: value and gradient in the logarithms of
# signal, noise and bandwidths.
our_objective <- function(d, per_predictor) {
  p <- ncol(d$x)
  sample <- list(X = d$x, weights = rep(1, nrow(d$x)), domain = factor(rep("a", nrow(d$x))))
  args <- list(kernel = kernel_rbf(), domain_kernel = domain_pooled(),
               ard = per_predictor, threads = getOption("domgen.threads", 2L))
  problem <- domgen:::gp_problem(args, sample, d$y)
  blocks <- domgen:::free_blocks(args, p, 1L)
  bandwidth <- if (per_predictor) rep(sigma, p) else sigma
  point <- list(signal_sd = signal, noise_sd = noise, kernel = kernel_rbf(bandwidth),
                domain_kernel = domain_pooled())
  objective <- domgen:::gp_objective(problem, point, blocks)
  theta <- domgen:::point_theta(point, blocks)
  function(step = 0) {
    objective$value(theta + step)
    c(-objective$value(theta + step), -objective$gradient(theta + step))
  }
}

python <- "
import sys, time, warnings
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
warnings.simplefilter('ignore')
folder, sigma, signal, noise = sys.argv[1], *map(float, sys.argv[2:5])
n, p = map(int, sys.argv[5:7])
x = np.fromfile(folder + '/x.bin').reshape(p, n).T.copy()
y = np.fromfile(folder + '/y.bin')
models = {}
for by_predictor in (False, True):
    scale = np.full(p, sigma) if by_predictor else sigma
    kernel = ConstantKernel(signal ** 2) * RBF(scale) + WhiteKernel(noise ** 2)
    models[by_predictor] = GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(x, y)
print('ready', flush=True)
for line in sys.stdin:
    model = models[line.strip() == 'predictor']
    start = time.perf_counter()
    value, gradient = model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)
    taken = time.perf_counter() - start
    print(repr([taken, float(value)] + [float(g) for g in gradient]).strip('[]'), flush=True)
"

# theirs: derivatives in log(signal^2), log sigma, log(noise^2); ours: log signal, log noise,
# log sigma.
reordered <- function(theirs) {
  gradient <- theirs[-(1:2)]
  k <- length(gradient)
  c(theirs[2L], 2 * gradient[1L], 2 * gradient[k], gradient[-c(1L, k)])
}

bench_gradient <- function(n, runs, at_least = 3) {
  d <- surface(n)
  peer <- start_python(python, "sklearn", sigma, signal, noise, nrow(d$x), ncol(d$x),
                       files = list(x = d$x, y = d$y))
  on.exit(peer$stop())
  for (what in c("common", "predictor")) {
    ours <- our_objective(d, what == "predictor")
    theirs <- reordered(peer$ask(what))
    apart <- max(abs(ours() - theirs) / pmax(1, abs(theirs)))
    stopifnot(apart < 1e-6)
    times <- vapply(seq_len(runs), function(i) {
      # another theta, so that nothing of the last evaluation can be used again
      step <- 1e-9 * i
      c(peer$ask(what)[1L], seconds(function() ours(step)))
    }, numeric(2))
    ratio <- times[1L, ] / times[2L, ]
    print(data.frame(task = paste0("gradient, n = ", n, ", bandwidth ", what),
                     peer = stats::median(times[1L, ]), ours = stats::median(times[2L, ]),
                     ratio = stats::median(ratio), lowest = min(ratio), highest = max(ratio),
                     at_least = at_least, met = stats::median(ratio) >= at_least, apart = apart),
          digits = 3, row.names = FALSE)
  }
}

bench_fit <- function(n, runs, at_least = 8) {
  d <- surface(n)
  peer <- function() {
    kernlab::gausspr(d$x, d$y, scaled = FALSE, kernel = "rbfdot", var = noise^2, fit = FALSE,
                     kpar = list(sigma = 1 / (2 * sigma^2)))
  }
  ours <- function() {
    dg_gp(d$x, d$y, kernel = kernel_rbf(sigma), domain_kernel = domain_pooled(), signal_sd = 1,
          noise_sd = noise, scale = "none")
  }
  apart <- max(abs(coef(ours()) - c(kernlab::alpha(peer()))))
  stopifnot(apart < 1e-8)
  compare_speed(paste("fit at given parameters, n =", n), peer, ours, at_least, runs)
}

args <- commandArgs(TRUE)
sizes <- if (length(args) >= 1) as.integer(strsplit(args[1], ",")[[1]]) else c(2000L, 4000L)
runs <- if (length(args) >= 2) as.integer(args[2]) else 5L
report_machine()
for (n in sizes) bench_fit(n, runs)
if (!is.null(python_with("sklearn"))) {
  for (n in sizes) bench_gradient(n, runs)
} else cat("No scikit-learn (Debian: python3-sklearn) to compare gradients with.\n")
