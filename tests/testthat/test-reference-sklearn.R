# scikit-learn's solutions (fixtures/make-svm-precomputed.py and make-gp.py, which name its
# version and give the data by these formulas).

reference_inputs <- function(rows) cbind(cos(rows^2 / 7), sin(1.3 * rows))
rows <- 1:60
x <- reference_inputs(rows)
y <- sin(3 * x[, 1]) + x[, 2] / 2 + 0.3 * cos(5.1 * rows^2)
new <- 1.5 * reference_inputs(61:72)
weight <- c(0.5, 1, 2, 4)[rows %% 4 + 1]
pooled <- domain_pooled()
one <- factor(rep("a", 60))
read_fixture <- function(name) read.csv(test_path("fixtures", name))

test_that("on a Gram matrix with a cost for each row it is scikit-learn's machine", {
  domain <- factor((rows - 1) %/% 15)
  K <- exp(-2 * unname(as.matrix(dist(x)))^2) * ifelse(outer(domain, domain, "=="), 1, 0.3)
  peers <- read_fixture("svm-precomputed.csv")
  expect_identical(nrow(peers), 360L)
  for (peer in split(peers, peers[c("loss", "cost")])) {
    cost <- peer$cost[1L]
    class <- peer$loss[1L] == "hinge"
    sign <- ifelse(y > 0, 1, -1)
    dual <- if (class) hinge_dual(sign, cost * weight) else tube_dual(y, cost * weight)
    core <- run_smo(K, dual, intercept = TRUE, tol = 1e-8)
    expect_true(core$converged)
    model <- dg_svm(x, if (class) factor(sign) else y, domain, cost = cost, weights = weight,
                    kernel = kernel_rbf(0.5), domain_kernel = domain_multitask(0.3), intercept = TRUE,
                    domain_weights = "size", scale = "none", tolerance = 1e-8)
    expect_equal(core$objective, peer$objective[1L], tolerance = 1e-8)
    expect_equal(core$beta, peer$coefficient, tolerance = 1e-5)
    expect_equal(core$decision + core$b, peer$decision, tolerance = 1e-5)
    expect_equal(core$b, peer$offset[1L], tolerance = 1e-5)
    expect_equal(model$objective, peer$objective[1L], tolerance = 1e-8)
    expect_equal(model$coefficients, peer$coefficient, tolerance = 1e-5)
    expect_equal(c(model$decision), peer$decision, tolerance = 1e-5)
  }
})

gp_kernels <- list(
  rbf = function(sigma) kernel_rbf(sigma), rbf_per_predictor = function(sigma) kernel_rbf(sigma),
  matern32 = function(sigma) kernel_matern(sigma, nu = 1.5),
  matern52 = function(sigma) kernel_matern(sigma, nu = 2.5)
)

# The numbers of one quantity, in order.
take_reference <- function(peer, quantity) peer$value[peer$quantity == quantity]

# In the logarithms of signal, noise and bandwidths.
gp_reference_gradient <- function(name, peer) {
  by_predictor <- name == "rbf_per_predictor"
  args <- list(kernel = gp_kernels[[name]](NULL), domain_kernel = pooled,
               ard = by_predictor, threads = 1L)
  sample <- list(X = x, weights = rep(1, 60), domain = one)
  problem <- domgen:::gp_problem(args, sample, y)
  blocks <- domgen:::free_blocks(args, 2L, 1L)
  point <- list(signal_sd = take_reference(peer, "signal"), noise_sd = take_reference(peer, "noise"),
                kernel = gp_kernels[[name]](take_reference(peer, "sigma")), domain_kernel = pooled)
  objective <- domgen:::gp_objective(problem, point, blocks)
  theta <- domgen:::point_theta(point, blocks)
  objective$value(theta)
  -objective$gradient(theta)
}

test_that("at given parameters the Gaussian process is scikit-learn's", {
  peers <- read_fixture("gp.csv")
  expect_setequal(peers$kernel, names(gp_kernels))
  for (name in names(gp_kernels)) {
    peer <- peers[peers$kernel == name & peers$parameters == "given", ]
    model <- dg_gp(x, y, one, kernel = gp_kernels[[name]](take_reference(peer, "sigma")),
                   domain_kernel = pooled, signal_sd = take_reference(peer, "signal"),
                   noise_sd = take_reference(peer, "noise"), scale = "none")
    expect_equal(c(logLik(model)), take_reference(peer, "log_likelihood"), tolerance = 1e-9)
    got <- predict(model, new, se.fit = TRUE)
    expect_equal(got$fit, take_reference(peer, "mean"), tolerance = 1e-8)
    expect_equal(sqrt(got$se.fit^2 + got$residual.scale^2), take_reference(peer, "sd_response"),
                 tolerance = 1e-8)
    expect_equal(gp_reference_gradient(name, peer), take_reference(peer, "gradient"),
                 tolerance = 1e-8)
  }
})

test_that("the fitted Gaussian process is scikit-learn's best of eleven starts", {
  peers <- read_fixture("gp.csv")
  for (name in names(gp_kernels)) {
    peer <- peers[peers$kernel == name & peers$parameters == "fitted", ]
    model <- dg_gp(x, y, one, kernel = gp_kernels[[name]](NULL), domain_kernel = pooled,
                   ard = name == "rbf_per_predictor", scale = "none")
    expect_equal(c(logLik(model)), take_reference(peer, "log_likelihood"), tolerance = 1e-6)
    # a maximum is flat: its place is known less well than its height
    for (parameter in c("signal", "noise")) {
      expect_equal(model[[paste0(parameter, "_sd")]], take_reference(peer, parameter), tolerance = 2e-3)
    }
    got <- predict(model, new, se.fit = TRUE)
    expect_equal(got$fit, take_reference(peer, "mean"), tolerance = 2e-3)
    expect_equal(sqrt(got$se.fit^2 + got$residual.scale^2), take_reference(peer, "sd_response"),
                 tolerance = 2e-3)
  }
})

test_that("kernel ridge regression with and without weights is scikit-learn's", {
  peers <- read_fixture("ridge.csv")
  expect_identical(nrow(peers), 240L)
  for (peer in split(peers, peers[c("lambda", "weighted")])) {
    model <- dg_ridge(x, y, one, kernel = kernel_rbf(1), domain_kernel = pooled,
                      domain_weights = "size", scale = "none", lambda = peer$lambda[1L],
                      weights = if (peer$weighted[1L]) weight)
    expect_equal(c(model$coefficients), peer$coefficient, tolerance = 1e-8)
    expect_equal(predict(model, new), peer$prediction[1:12], tolerance = 1e-8)
  }
})
