# How long after an interrupt or at a time limit R has control again, call by call: seconds of this
# process's own time, so that a busy machine does not matter. Linux only. Run with
#   Rscript tests/interrupts.R [regular expression of names]
# and DOMGEN_AT for the seconds after which the interrupt comes. Ends with status 1 where a call
# needs more than half a second.

library(domgen)
options(domgen.threads = 1L)
most <- 0.5
at <- as.numeric(strsplit(Sys.getenv("DOMGEN_AT", "0.3,1"), ",")[[1L]])

set.seed(1)
n <- 4000L
p <- 8L
X <- matrix(rnorm(n * p), n)
d <- factor(rep_len(1:10, n))
y <- X[, 1L] + sin(2 * X[, 2L]) + rnorm(n)
two <- factor(y > 0)
wide <- rbind(X, X, X, X)
many <- rep(d, 4L)
half <- seq_len(n / 2)

calls <- list(
  kernel_matrix = function() repeat kernel_matrix(kernel_laplace(2), wide[1:12000, ]),
  domain_gram = function() repeat domain_gram(wide, many, kernel_laplace(2)),
  mmd = function() repeat dg_mmd(wide, many, kernel_rbf(2)),
  bandwidth = function() repeat median_bandwidth(wide),
  kpca_many = function() dg_kpca(X[1:3000, ], ncomp = 600),
  kpca_large = function() dg_kpca(wide[1:6000, ], ncomp = 100),
  kpca_features = function() repeat dg_kpca(wide, feature_map = features_nystrom(2500), ncomp = 10),
  udica_many = function() dg_udica(X[half, ], domain = d[half], ncomp = 600),
  kpca_dense = function() dg_kpca(X[half, ], ncomp = 600),
  dica = function() repeat dg_dica(X, y, d, ncomp = 10),
  udica = function() repeat dg_udica(X, domain = d, ncomp = 10),
  dcm = function() repeat dg_dcm(X, y, d, ncomp = 5),
  sca = function() repeat dg_sca(X, two, d, ncomp = 5),
  mda = function() repeat dg_mda(X, two, d, ncomp = 5),
  cidg = function() repeat dg_cidg(X, two, d, ncomp = 1),
  dica_nystrom = function() repeat {
    dg_dica(wide, rep(y, 4L), many, feature_map = features_nystrom(1500))
  },
  dica_rff = function() repeat dg_dica(wide, rep(y, 4L), many, feature_map = features_rff(800)),
  svm = function() repeat dg_svm(X, two, d, cost = 1000),
  svm_numbers = function() repeat dg_svm(X, y, d, cost = 100),
  svm_features = function() repeat dg_svm(wide, rep(two, 4L), many, cost = 1000,
                                          feature_map = features_nystrom(600)),
  ridge = function() repeat dg_ridge(X, y, d),
  ridge_features = function() repeat dg_ridge(wide, rep(y, 4L), many,
                                              feature_map = features_nystrom(1500)),
  ridge_left_out = function() repeat dg_cv(dg_ridge(lambda = 1), X, y, d, progress = FALSE),
  ridge_tune = function() dg_tune(dg_ridge(), X[half, ], y[half], d[half],
                                  grid = list(lambda = 10^(-3:1)), progress = FALSE),
  gp = function() repeat dg_gp(X[half, ], y[half], d[half]),
  gp_slopes = function() repeat dg_gp(X[half, ], y[half], d[half], domain_kernel = domain_pooled()),
  predict = {
    fitted <- NULL
    function() {
      if (is.null(fitted)) fitted <<- dg_ridge(X[1:1500, ], y[1:1500], d[1:1500])
      repeat predict(fitted, wide, domain = many)
    }
  }
)

own_time <- function() sum(proc.time()[1:2])

# The seconds of own time at the signal, which a shell in the background sends and writes down.
signal_after <- function(seconds, file) {
  shell <- sprintf(paste(
    "pid=%d; used() { set -- $(cut -d')' -f2 /proc/$pid/stat); echo $((${12} + ${13})); };",
    "while [ $(used) -lt %d ]; do sleep 0.02; done; used >%s; kill -INT $pid"
  ), Sys.getpid(), as.integer(100 * (own_time() + seconds)), shQuote(file))
  system(paste("(", shell, ") >/dev/null 2>&1 &"))
}

answer <- function(call, seconds) {
  file <- tempfile()
  signal_after(seconds, file)
  # the first that fits is taken
  found <- tryCatch(call(), interrupt = function(i) "interrupt",
                    domgen_error_interrupt = function(e) "interrupt", error = conditionMessage)
  late <- own_time() - if (file.exists(file)) scan(file, quiet = TRUE) / 100 else NA
  if (!identical(found, "interrupt")) {
    if (is.character(found)) message(found)
    return(NA)
  }
  late
}

chosen <- grep(c(commandArgs(TRUE), "")[1L], names(calls), value = TRUE)
slow <- FALSE
for (name in chosen) {
  late <- vapply(at, function(seconds) answer(calls[[name]], seconds), 0)
  slow <- slow || anyNA(late) || any(late > most)
  cat(sprintf("%-16s %s%s\n", name, paste(sprintf("%5.2f", late), collapse = " "),
              if (anyNA(late)) "  ended or failed first"
              else if (any(late > most)) "  too late" else ""))
}
quit(status = as.integer(slow))
