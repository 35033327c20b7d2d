# MTL paper, Theorems 5, 11 and 15: what they bound, simulated on rotated ellipses, as the number of
# training domains N and of rows per domain n grow.
#
# The hinge loss has B_0 = 1 and L = 1 (LB). k_X, k'_X and the kernel on embeddings are Gaussian,
# hence bounded by 1 (K-Bounded); the feature map of the last, of bandwidth s, is Lipschitz with
# L_K = 1 / s (K-Hoelder, alpha = 1), as |F(v) - F(w)|^2 = 2 - 2 exp(-|v - w|^2 / (2 s^2)). f
# minimises (7): lambda |f|^2 is at most the risk of f = 0, which is 1, so that f lies in the ball of
# radius R = 1 / sqrt(lambda). Bandwidths and lambda are fixed, as the theorems are about one ball.
#
#   training    empirical risk (2) of f, with the hinge loss
#   risk        E(f), equation (5): mean over new domains, each described by n rows. No risk is below
#               0, which some f of these kernels' closure has (Lemma 9): this is the excess risk
#   ideal       E^inf(f), equation (6), where 384 rows stand for the infinite sample
#   gap         |training - risk|, what (14) bounds for the worst f of the ball
#   bound       (14), which is Theorem 5 for balls: (1 + R)(sqrt(log 1/delta) + 2) / sqrt(N)
#   gap_rows    |risk - ideal|, what (20) bounds for the worst f of the ball
#   bound_rows  (20): 2 R L_K / sqrt(n)

lambda <- 0.001
radius <- 1 / sqrt(lambda)
delta <- 0.05
bandwidths <- list(rows = 0.5, embedding = 0.5, between = 0.3)

# (7) as the package's SVM: half the squared norm, and a cost for each of so many rows
svm_of_theorem <- function(rows) {
  dg_svm(cost = 1 / (2 * lambda * rows), kernel = kernel_rbf(bandwidths$rows), scale = "none",
         domain_kernel = domain_distribution(kernel_rbf(bandwidths$embedding),
                                             kernel_rbf(bandwidths$between)))
}

hinge_risk <- function(model, rows) {
  f <- drop(predict(model, rows, type = "decision"))
  sign <- ifelse(rows$y == levels(rows$y)[2L], 1, -1)
  mean_by_domain(pmax(0, 1 - sign * f), rows$domain)
}

# Each domain cut into domains of n rows.
in_samples <- function(d, n) {
  block <- (stats::ave(seq_len(nrow(d)), d$domain, FUN = seq_along) - 1L) %/% n
  transform(d, domain = factor(paste(d$domain, block)))
}

experiment(
  paper = "MTL", item = "theorems 5, 11, 15",
  title = "Bounds on the risk in new domains against simulated risks, by domains and rows",
  draws = c(quick = 1, normal = 10, full = 100), minutes = c(quick = 0.1, normal = 5, full = 50),
  tolerance = c(training = 1e-3, risk = 1e-3, ideal = 1e-3, gap = 1e-3, gap_rows = 1e-3,
                bound = 1e-6, bound_rows = 1e-6),
  cells = function(size) {
    if (size == "quick") return(data.frame(domains = 16, rows = 4))
    unique(rbind(data.frame(domains = 2^(4:8), rows = 8), data.frame(domains = 32, rows = 2^(2:6))))
  },
  run = function(cell, draw, data) {
    n <- cell$rows
    train <- simulate_ellipses(cell$domains, n, seed = draw)
    new <- simulate_ellipses(50, 384, seed = 1000 + draw) # a multiple of all n
    model <- fit(svm_of_theorem(nrow(train)), y ~ . | domain, data = train)
    training <- hinge_risk(model, train)
    risk <- hinge_risk(model, in_samples(new, n))
    ideal <- hinge_risk(model, new)
    result_lines("MTL", c(
      training = training, risk = risk, ideal = ideal, gap = abs(training - risk),
      bound = (1 + radius) * (sqrt(log(1 / delta)) + 2) / sqrt(cell$domains),
      gap_rows = abs(risk - ideal), bound_rows = 2 * radius / bandwidths$between / sqrt(n)
    ))
  }
)
