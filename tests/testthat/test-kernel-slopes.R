# The law of derivatives: where a bandwidth is fitted, its slope is that of differences. The
# kernels are found by themselves, exported or registered, and put in every place where a
# kernel can stand.

space <- asNamespace("domgen")
methods_table <- get(".__S3MethodsTable__.", space)

# As R/kernel-stationary.R and R/kernel.R say it: a kernel of the distance is its value and, if its
# bandwidth is to be fitted, its rate; one of the inner product its profile and slope.
kernel_inverse <- function() stationary("inverse", NULL, 1)
kernel_flat <- function() stationary("flat", NULL, 1)
kernel_cubic <- function() new_kernel("cubic")
cubic_program <- function(kernel, x, z) {
  list(type = "given", values = (1 + tcrossprod(x, z) / 4)^3, diag_x = (1 + rowSums(x^2) / 4)^3,
       diag_z = (1 + rowSums(z^2) / 4)^3)
}
registered <- list(
  kernel_value.kernel_inverse = function(kernel, d) 1 / (1 + d),
  kernel_rate.kernel_inverse = function(kernel, d) 2 / (1 + d)^2,
  kernel_value.kernel_flat = function(kernel, d) 1 / (1 + d),
  kernel_program.kernel_cubic = cubic_program,
  kernel_profile.kernel_cubic = function(kernel, inner, norm_x, norm_z) (1 + inner / 4)^3,
  format.kernel_inverse = function(x, ...) "1 / (1 + r^2)",
  format.kernel_flat = function(x, ...) "1 / (1 + r^2), whose rate nobody wrote down",
  format.kernel_cubic = function(x, ...) "(1 + <x, z> / 4)^3"
)
for (name in names(registered)) {
  generic <- sub("\\..*", "", name)
  registerS3method(generic, sub("^[^.]*\\.", "", name), registered[[name]], envir = space)
}

# Arguments of the constructors that need some.
needed <- list(kernel_custom = list(function(x, z) (1 + tcrossprod(x, z))^2))
methods_found <- sub("^[^.]*\\.", "", grep("^kernel_(profile|program|value)\\.", ls(methods_table), value = TRUE))
found <- union(methods_found, grep("^kernel_", getNamespaceExports("domgen"), value = TRUE))
kernels <- lapply(stats::setNames(nm = sort(found)), function(name) {
  make <- get0(name, mode = "function")
  arguments <- if (is.null(needed[[name]])) list() else needed[[name]]
  made <- tryCatch(do.call(make, arguments), error = function(e) NULL)
  if (inherits(made, "domgen_kernel")) made
})
kernels <- Filter(Negate(is.null), kernels)

set.seed(2)
n <- 32
X <- matrix(rnorm(n * 2), n, dimnames = list(NULL, c("a", "b")))
domain <- factor(sort(rep_len(c("u", "v", "w", "z"), n)))
X[, 1] <- X[, 1] + as.integer(domain) / 2
y <- rnorm(n)
rows <- list(X = X, domain = domain, y = y, weights = rep_len(c(1, 2, 0.5), n))

expect_differences <- function(value, gradient, theta, label) {
  expect_equal(gradient, naive_gradient(value, theta, 1e-4), tolerance = 1e-5, label = label)
}

# of the likelihood, in all that dg_gp() fits
gp_slopes_hold <- function(kernel, domain_kernel, per_predictor, label) {
  args <- list(kernel = kernel, domain_kernel = domain_kernel, ard = per_predictor,
               threads = 1L)
  problem <- gp_problem(args, rows, y)
  blocks <- free_blocks(args, ncol(X), nlevels(domain))
  point <- start_point(args, problem$rows, 1, list(bandwidth = 0.8, embedding_kernel = 1.4, noise_sd = 1))
  theta <- point_theta(point, blocks)
  theta <- theta + 0.1 * sin(seq_along(theta))
  objective <- gp_objective(problem, point, blocks)
  expect_differences(objective$value, objective$gradient(theta), theta, paste(label, "in dg_gp()"))
  length(theta) - 2L
}

# of the error of left-out domains, in all that dg_ridge() fits: by predictor
ridge_slopes_hold <- function(kernel, domain_kernel, label) {
  args <- c(list(kernel = kernel, domain_kernel = domain_kernel),
            dg_ridge(lambda = 1, threads = 1)$args[c("lambda", "feature_map", "intercept", "scale", "threads",
                                         "domain_weights")])
  problem <- quietly(bandwidth_problem(ridge_task(rows, args), rows, args))
  theta <- 0.2 * cos(seq_along(problem$of))
  expect_differences(function(theta) lodo_slopes(problem, theta)$error,
                     lodo_slopes(problem, theta)$slopes, theta, paste(label, "in dg_ridge()"))
  length(theta)
}

in_places <- function(k) {
  list(alone = k, sum = 0.5 * kernel_linear() + k, product = k * kernel_rbf(1.5),
       nested = (k + kernel_poly(2, 0.1)) * kernel_laplace(2), normalised = kernel_normalise(k))
}

# May it stand between embeddings?
has_profile <- function(k) {
  k <- kernel_fit(k, X)
  !inherits(try(kernel_profile(k, matrix(1), 1, 1), silent = TRUE), "try-error")
}

test_that("the walk finds exported kernels, and registered ones", {
  expect_true(all(c("kernel_rbf", "kernel_laplace", "kernel_matern", "kernel_poly", "kernel_custom",
                    "kernel_delta", "kernel_inverse", "kernel_flat", "kernel_cubic") %in% names(kernels)))
})

for (name in names(kernels)) {
  test_that(paste(name, "has the derivative of differences wherever it stands"), {
    k <- kernels[[name]]
    # what is fitted of it: bandwidths with a rate
    own <- inherits(k, "kernel_mixed") ||
      inherits(k, "kernel_stationary") && !is.null(kernel_rate(k, 1))
    for (place in names(in_places(k))) {
      here <- in_places(k)[[place]]
      open <- own && place != "normalised"
      label <- paste(name, place)
      expect_identical(gp_slopes_hold(here, domain_pooled(), FALSE, paste(label, "on x")), open + 0L)
      if (open) {
        expect_identical(gp_slopes_hold(here, domain_multitask(0.4), TRUE, label), 2L)
        expect_identical(ridge_slopes_hold(here, domain_pooled(), paste(label, "on x")), 2L)
        expect_identical(ridge_slopes_hold(kernel_rbf(1), domain_distribution(here, kernel_linear()),
                                           paste(label, "of embeddings")), 1L)
      }
      within <- domain_distribution(here, kernel_rbf())
      expect_identical(gp_slopes_hold(kernel_rbf(1), within, FALSE, paste(label, "of embeddings")),
                       1L + open)
      if (!has_profile(here)) next
      # an embedding's bandwidth is seen through the outer kernel
      between <- domain_distribution(kernel_rbf(), here)
      through <- (length(leaves_without_slope(here)) == 0L) + 0L
      expect_identical(gp_slopes_hold(kernel_rbf(1), between, FALSE, paste(label, "between domains")),
                       open + through)
      if (open + through > 0L) {
        expect_identical(ridge_slopes_hold(kernel_rbf(1), between, paste(label, "between domains")),
                         open + through)
      }
    }
  })
}

test_that("a kernel registered without a derivative stays at the median, and the fit says so", {
  outer <- domain_distribution(embedding_kernel = kernel_flat())
  fit_gp <- function(...) dg_gp(X, y, domain, restarts = 1, threads = 1, scale = "none", ...)
  expect_warning(model <- fit_gp(domain_kernel = outer), "whose rate nobody wrote down.*stays at the median",
                 class = "domgen_warning_derivative")
  parameters <- model$parameters
  expect_identical(parameters$name[parameters$fitted], c("signal_sd", "noise_sd", "bandwidth"))
  median <- dg_ridge(X, y, domain, domain_kernel = outer, scale = "none")$space$domain_kernel
  expect_equal(model$space$domain_kernel$embedding_kernel$bandwidth, median$embedding_kernel$bandwidth, tolerance = 1e-12)
  expect_equal(model$space$domain_kernel$kernel$bandwidth, median$kernel$bandwidth, tolerance = 1e-12)
  expect_warning(model <- fit_gp(kernel = kernel_flat(), domain_kernel = domain_pooled()),
                 "the bandwidth of `kernel`", class = "domgen_warning_derivative")
  expect_equal(model$space$kernel$bandwidth, median_bandwidth(X), tolerance = 1e-12)
  # nothing is claimed where nothing is fitted
  expect_silent(fit_gp(domain_kernel = outer, optimise = FALSE))
  expect_warning(dg_ridge(X, y, domain, domain_kernel = outer, bandwidths = "fitted"),
                 "`embedding_kernel` and that of the mean embeddings", class = "domgen_warning_derivative")
  expect_domgen_error(
    dg_ridge(X, y, domain, kernel = kernel_flat(), domain_kernel = domain_pooled(), bandwidths = "fitted"),
    "of which a derivative is known"
  )
  expect_domgen_error(fit_gp(kernel = kernel_flat(), ard = TRUE), "no bandwidth to be fitted")
})

test_that("a kernel of the distance is evaluated in R where the core does not know it", {
  K <- kernel_matrix(kernel_fit(kernel_inverse(), X), X)
  expect_equal(K, 1 / (1 + as.matrix(dist(X))^2 / median_bandwidth(X)^2), tolerance = 1e-13,
               ignore_attr = TRUE)
  narrow <- kernel_inverse()
  narrow$bandwidth <- c(0.5, 3)
  expect_equal(kernel_matrix(narrow, X, X[1:3, ] + 1e6),
               kernel_matrix(narrow, X - 1e6, X[1:3, ]), tolerance = 1e-8)
  model <- dg_ridge(X, y, domain, kernel = kernel_inverse())
  expect_equal(predict(model, X, domain), fitted(model), tolerance = 1e-9)
})

rm(list = intersect(names(registered), ls(methods_table)), envir = methods_table)
