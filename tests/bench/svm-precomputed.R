# The dual solver on a given Gram matrix with a cost for each row against scikit-learn's
# (libsvm, 2 GB cache) on the same matrix: time to solve, and the objective reached. Times
# are of solving only: on our side the core's solver, on theirs libsvm behind
# SVC(kernel = "precomputed") without the checks of SVC.fit(), whose time is beside it. Both
# sides are single-threaded and take turns; scikit-learn runs in a process of its own and reports
# its own times. Times and ratios are of processor time, which depends less on what else the
# machine is doing; the ratio of elapsed times is beside it.
#   Rscript tests/bench/svm-precomputed.R [n,n,...] [runs] [pattern of problems]
# from the root of the package.

source("tests/bench/ratio.R")
source("tests/bench/python.R")

python <- "
import sys, time, warnings
import numpy as np
from sklearn.svm import SVC, SVR, _libsvm
warnings.simplefilter('ignore')
folder, n = sys.argv[1], int(sys.argv[2])
_libsvm.set_verbosity_wrap(0)
print('ready', flush=True)
def measure(solve, least=0.1):
    start, processor, times = time.perf_counter(), time.process_time(), 0
    while times == 0 or time.perf_counter() - start < least:
        solve()
        times += 1
    return (time.perf_counter() - start) / times, (time.process_time() - processor) / times
for line in sys.stdin:
    kind, cost, epsilon, load = line.split()
    if load == '1':
        K = np.fromfile(folder + '/K.bin').reshape(n, n)
        y = np.fromfile(folder + '/y.bin')
        weight = np.fromfile(folder + '/w.bin')
    C, epsilon = float(cost), float(epsilon)
    low = dict(svm_type=0 if kind == 'class' else 3, kernel='precomputed', C=C, epsilon=epsilon,
               tol=1e-3, cache_size=2000.0, shrinking=1, sample_weight=weight, max_iter=-1)
    make = (lambda: SVC(C=C, kernel='precomputed', cache_size=2000)) if kind == 'class' else (
            lambda: SVR(C=C, epsilon=epsilon, kernel='precomputed', cache_size=2000))
    solving = measure(lambda: _libsvm.fit(K, y, **low))
    model = make()
    fitting = measure(lambda: model.fit(K, y, sample_weight=weight), 0)
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_.ravel()
    loss = -np.abs(beta).sum() if kind == 'class' else epsilon * np.abs(beta).sum() - y @ beta
    print(repr([*solving, fitting[1], float(beta @ (K @ beta) / 2 + loss)]).strip('[]'), flush=True)
"

# Six clusters in two classes; `noise` of the labels are wrong. 20 domains, of which each has
# its own place, and which weigh the same whatever their size.
clusters <- function(n, p, noise) {
  domain <- factor(sample(20L, n, replace = TRUE, prob = 1:20))
  centres <- matrix(rnorm(6 * p, sd = 1.2), 6)
  cluster <- sample(6, n, replace = TRUE)
  x <- centres[cluster, ] + matrix(rnorm(20 * p, sd = 0.5), 20)[domain, ] + matrix(rnorm(n * p), n)
  list(x = x, y = ifelse(xor(cluster <= 3, runif(n) < noise), 1, -1), domain = domain)
}

surface <- function(n, p, noise) {
  d <- clusters(n, p, 0)
  f <- sin(2 * d$x[, 1]) + d$x[, 2] * d$x[, 3] / 2 + cos(d$x[, 4] + d$x[, 5])
  d$y <- c(scale(f / sd(f) + rnorm(n, sd = noise)))
  d
}

pooled <- domain_pooled()
problems <- list(
  "SVC, 10 % noise, RBF" = list(clusters, 12, 0.1, kernel_rbf, 1, pooled),
  "SVC, 2 % noise, RBF, half of it" = list(clusters, 16, 0.02, kernel_rbf, 0.5, pooled),
  "SVC, 20 % noise, Laplace" = list(clusters, 8, 0.2, kernel_laplace, 1, pooled),
  "SVC, 20 % noise, distributional" = list(clusters, 4, 0.2, kernel_rbf, 0.5,
                                           domain_distribution(kernel_rbf(3), kernel_rbf(0.3))),
  "SVC, 30 % noise, RBF, twice it" = list(clusters, 4, 0.3, kernel_rbf, 2, pooled),
  "SVR, noise 0.3, RBF" = list(surface, 10, 0.3, kernel_rbf, 1, pooled),
  "SVR, noise 0.1, RBF, half of it" = list(surface, 12, 0.1, kernel_rbf, 0.5, pooled)
)

gram_of <- function(d, problem) {
  near <- median(dist(d$x[seq_len(min(nrow(d$x), 1000)), ]))
  sample <- list(X = d$x, domain = d$domain)
  product <- domgen:::represent(features_exact(), problem[[4]](problem[[5]] * near), problem[[6]],
                                sample, 2L)
  domgen:::space_gram(product)
}

solver <- function(K, d, costs, class, epsilon) {
  loss <- domgen:::read_loss(NULL, if (class) "class" else "number", list(epsilon = epsilon))
  dual <- domgen:::dual_problem(domgen:::tube_rows(d$y, costs, loss, list(epsilon = epsilon)))
  function() {
    domgen:::smo_(K, dual$row, dual$sign, dual$p, dual$upper, dual$ridge, TRUE, 1e-3, 0, NULL)
  }
}

# Elapsed and processor time of one run, of as many as take a tenth of a second.
measure <- function(f, least = 0.1) {
  start <- proc.time()
  times <- 0L
  while (times == 0L || (proc.time() - start)[["elapsed"]] < least) {
    f()
    times <- times + 1L
  }
  taken <- proc.time() - start
  c(taken[["elapsed"]], taken[["user.self"]] + taken[["sys.self"]]) / times
}

bench_problem <- function(name, n, runs, peer, epsilon = 0.1) {
  set.seed(match(name, names(problems)) + n)
  problem <- problems[[name]]
  d <- problem[[1]](n, problem[[2]], problem[[3]])
  class <- identical(problem[[1]], clusters)
  weight <- unname(n / (20 * c(table(d$domain))[d$domain]))
  K <- gram_of(d, problem)
  peer$give(K = K, y = d$y, w = weight)
  do.call(rbind, lapply(c(0.1, 1, 10, 100), function(cost) {
    solve <- solver(K, d, cost * weight, class, epsilon)
    ours <- solve()
    times <- vapply(seq_len(runs), function(i) {
      theirs <- peer$ask(if (class) "class" else "number", cost, epsilon,
                         as.integer(cost == 0.1 && i == 1L))
      c(theirs, measure(solve))
    }, numeric(6))
    row <- data.frame(
      problem = name, n = n, cost = cost, sklearn = median(times[2, ]), domgen = median(times[6, ]),
      ratio = median(times[2, ] / times[6, ]), elapsed = median(times[1, ] / times[5, ]),
      fit = median(times[3, ] / times[6, ]),
      above = (ours$objective - times[4, 1]) / abs(times[4, 1]), gap = ours$relative_gap
    )
    cat(sprintf("%-32s n %5d C %5g  sklearn %7.4f  domgen %7.4f", name, n, cost, row$sklearn,
                row$domgen),
        sprintf(" ratio %5.2f (elapsed %5.2f, fit() %5.2f)", row$ratio, row$elapsed, row$fit),
        sprintf(" above %+.0e  gap %.0e\n", row$above, row$gap))
    row
  }))
}

args <- commandArgs(TRUE)
sizes <- if (length(args) >= 1) as.integer(strsplit(args[1], ",")[[1]]) else c(2000L, 4000L)
runs <- if (length(args) >= 2) as.integer(args[2]) else 5L
report_machine()
if (is.null(python_with("sklearn"))) {
  cat("Skipped: no scikit-learn (Debian: python3-sklearn) to compare with.\n")
  quit(save = "no")
}
table <- do.call(rbind, lapply(sizes, function(n) {
  peer <- start_python(python, "sklearn", n)
  on.exit(peer$stop())
  wanted <- grep(if (length(args) >= 3) args[3] else "", names(problems), value = TRUE)
  do.call(rbind, lapply(wanted, bench_problem, n, runs, peer))
}))
verdict <- function(met) if (met) "met" else "NOT met"
mean_ratio <- exp(mean(log(table$ratio)))
cat(sprintf("\nRatio: geometric mean %.1f (at least 1.5: %s), lowest %.2f (at least 0.9: %s)\n",
            mean_ratio, verdict(mean_ratio >= 1.5), min(table$ratio),
            verdict(min(table$ratio) >= 0.9)))
cat(sprintf("Objective at most %.1e above scikit-learn's, relative (at most 1e-6: %s); ",
            max(table$above), verdict(max(table$above) <= 1e-6)),
    sprintf("gap at most %.1e\n", max(table$gap)), sep = "")
