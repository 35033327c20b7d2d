# The learners' defaults on simulated worlds, which nothing was chosen by: errors on fresh domains
# (RMSE, or the share of wrong classes; means over replications) of the defaults, of wider and
# narrower kernels between domains, of lambda = 1, of pooling and of the null model, with the paired
# difference to pooling and its standard error over replications.
#   Rscript tests/bench/defaults-worlds.R [replications]

suppressMessages(library(domgen))
options(domgen.threads = 1L)
arguments <- commandArgs(TRUE)
replications <- if (length(arguments)) as.integer(arguments[1L]) else 10L

# G domains of n rows: x = shift + noise, y = f(x) + effect(shift) + noise
numbers <- function(G, n, p, shift, effect, noise = 1) {
  function() {
    centre <- matrix(stats::rnorm(G * p, sd = shift), G)
    own <- stats::rnorm(G)
    d <- rep(seq_len(G), each = n)
    x <- centre[d, , drop = FALSE] + matrix(stats::rnorm(G * n * p), G * n)
    y <- sin(x[, 1L]) + 0.5 * x[, min(2L, p)] + effect(centre, own)[d] + noise * stats::rnorm(G * n)
    data.frame(y = y, x, domain = factor(d))
  }
}
none <- function(centre, own) 0 * own
random <- function(centre, own) own
by_mean <- function(centre, own) 2 * sin(2 * centre[, 1L])

classes <- function(make) {
  function() {
    d <- make()
    d$y <- factor(ifelse(d$y > 0, "yes", "no"))
    d
  }
}

worlds <- list(
  `no shift` = numbers(24, 30, 3, 0, none),
  `no shift, noise only` = function() transform(numbers(24, 30, 3, 0, none)(), y = stats::rnorm(720)),
  `random levels` = numbers(24, 30, 3, 0.5, random),
  `shift, no effect` = numbers(24, 30, 3, 1, none),
  `level by mean` = numbers(24, 30, 3, 0.7, by_mean),
  `level by mean, little noise` = numbers(24, 30, 1, 0.7, by_mean, noise = 0.1),
  `few domains` = numbers(8, 60, 3, 0.7, by_mean),
  `many predictors` = numbers(24, 30, 20, 0.5, none),
  `classes, shift` = classes(numbers(24, 30, 3, 0.7, none)),
  `classes, level by mean` = classes(numbers(24, 30, 3, 0.7, by_mean)),
  ellipses = function() simulate_ellipses(domains = 24, n = 30),
  dica = function() simulate_dica(domains = 24, n = 30),
  dcm = function() simulate_dcm(domains = 24, n = 30)
)

times <- function(times) domain_distribution(embedding_kernel = kernel_rbf(bandwidth_factor = times))
specs <- list(
  null = dg_null(), pooled = dg_ridge(domain_kernel = domain_pooled()), default = dg_ridge(),
  `median` = dg_ridge(domain_kernel = times(1)), `twice` = dg_ridge(domain_kernel = times(2)),
  `four times` = dg_ridge(domain_kernel = times(4)),
  `lambda 1` = dg_ridge(lambda = 1, domain_kernel = times(1)),
  `svm pooled` = dg_svm(domain_kernel = domain_pooled()), `svm` = dg_svm(),
  `svm cost 1` = dg_svm(cost = 1, domain_kernel = times(1))
)

error_of <- function(spec, train, test) {
  model <- suppressWarnings(fit(spec, y ~ . | domain, data = train))
  predicted <- suppressWarnings(predict(model, test))
  if (is.factor(test$y)) mean(predicted != test$y) else sqrt(mean((predicted - test$y)^2))
}

for (name in names(worlds)) {
  errors <- vapply(seq_len(replications), function(i) {
    set.seed(1000 + i)
    data <- worlds[[name]]()
    known <- as.integer(data$domain) <= nlevels(data$domain) %/% 2L
    train <- droplevels(data[known, ])
    test <- droplevels(data[!known, ])
    vapply(specs, error_of, numeric(1), train = train, test = test)
  }, numeric(length(specs)))
  base <- errors[ifelse(startsWith(names(specs), "svm"), "svm pooled", "pooled"), ]
  worse <- errors - base
  cat(sprintf("%-28s %-12s %8.4f  %8.4f (%.4f)\n", name, names(specs), rowMeans(errors),
              rowMeans(worse), apply(worse, 1L, stats::sd) / sqrt(replications)), sep = "")
}
