# MTL paper, section 7.2: how the time of a fit grows with the number of domains N and of rows per
# domain n. The paper has between O(N^2 n^2) and O(N^3 n^3) for the exact kernel, O(N n) for
# features.
#
# Rotated ellipses; bandwidths and cost are the same everywhere, so that nothing is searched. One
# thread. Features are a hundred Fourier frequencies in each stage, as in the authors' program, and
# products of 50 landmarks on rows and 8 on domains.
#
#   user   seconds of processor time of a fit: the median of three, each the mean of as many fits as
#          take a tenth of a second
#   error  error in % on ten new ellipses with n embedded rows, for --check, as times vary

timed_machines <- function(n) {
  machine_of <- function(features) {
    dg_svm(cost = 10, kernel = kernel_rbf(0.5), scale = "none", feature_map = features, threads = 1,
           domain_kernel = domain_distribution(kernel_rbf(0.5), kernel_rbf(0.3)))
  }
  machines <- list(
    product = machine_of(features_product(x = features_nystrom(50), rank = 8)),
    fourier = machine_of(features_product("fourier", n_features = 100,
                                          embedding = features_rff(100)))
  )
  if (n <= 4 * exact_rows) machines$exact <- machine_of(features_exact())
  machines
}

experiment(
  paper = "MTL", item = "section 7.2",
  title = "Seconds of a fit by domains and rows: exact kernel, landmarks, Fourier features",
  draws = c(quick = 1, normal = 1, full = 5), minutes = c(quick = 0.1, normal = 5, full = 25),
  tolerance = c(error = 0.3),
  cells = function(size) {
    if (size == "quick") return(data.frame(domains = 8, rows = 16))
    powers <- 2^(3:11)
    unique(rbind(data.frame(domains = powers, rows = 16), data.frame(domains = 16, rows = powers)))
  },
  run = function(cell, draw, data) {
    train <- simulate_ellipses(cell$domains, cell$rows, seed = draw)
    test <- simulate_ellipses(10, max(cell$rows, 100), seed = 1000 + draw)
    few <- draw_rows(test, cell$rows)
    machines <- timed_machines(nrow(train))
    bind(lapply(names(machines), function(name) {
      set.seed(1)
      model <- fit(machines[[name]], y ~ . | domain, data = train)
      user <- user_seconds(fit(machines[[name]], y ~ . | domain, data = train))
      result_lines(name, c(error = ellipse_score(test, few)(model)[["error_n"]], user = user))
    }))
  }
)
