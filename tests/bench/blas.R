# The kernels that an OpenBLAS takes: those of three processors in turn, each in a session of its
# own, on one thread. Processor seconds of a product of 2,000 x 2,000 numbers and of dg_ridge() with
# lambda chosen on 2,000 rows, medians of three.

measure <- '
suppressMessages(library(domgen))
options(domgen.threads = 1L)
set.seed(1)
a <- matrix(rnorm(4e6), 2000)
b <- a + 0
d <- data.frame(g = gl(20, 100), matrix(rnorm(2000 * 10), 2000))
d$y <- d$X1 + rnorm(2000)
time <- function(code) sum(system.time(code)[-3L])
cat(time(crossprod(a, b)), time(dg_ridge(y ~ . | g, data = d)))'

cores <- c("Prescott", "Haswell", "SkylakeX")
seconds <- array(NA_real_, c(3L, length(cores), 2L),
                 list(NULL, cores, c("product", "dg_ridge()")))
for (round in 1:3) for (core in cores) {
  answer <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(measure)), stdout = TRUE,
                    env = c(paste0("OPENBLAS_CORETYPE=", core), "OPENBLAS_NUM_THREADS=1"))
  seconds[round, core, ] <- scan(text = utils::tail(answer, 1L), quiet = TRUE)
}
print(round(apply(seconds, c(2L, 3L), stats::median), 2))
