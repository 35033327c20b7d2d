# Kernels against data, kernels of the user, memory and threads.

b <- bad_input_base()
X <- b$X

kernels <- list(
  rbf = kernel_rbf(), laplace = kernel_laplace(), matern = kernel_matern(), cauchy = kernel_cauchy(),
    linear = kernel_linear(), anova = kernel_anova(),
  poly = kernel_poly(3), exponential = kernel_exponential(), delta = kernel_delta(),
  sum = kernel_linear() * kernel_rbf() + 1, normalised = kernel_normalise(kernel_poly(2)),
  `normalised linear` = kernel_normalise(kernel_linear())
)
rows <- list(
  zero = X * 0, constant = X * 0 + 3, "1e150" = X * 1e150, "1e-150" = X * 1e-150,
    "1e307" = X * 1e307,
  "1e-307" = X * 1e-307, denormal = X * 1e-315, mixed = cbind(X[, 1] * 1e150, X[, 2] * 1e-150),
  "one 1e200" = replace_at(X, 1, 1e200), "offset 1e16" = X + 1e16, "one row" = X[1, , drop = FALSE],
  vector = X[, 1], logical = X > 0, "one NA" = replace_at(X, 1, NA), "one Inf" = replace_at(X, 1,
    Inf)
)

test_that("kernel matrices are finite or an error, between all rows", {
  for (name in names(kernels)) {
    kernel <- kernels[[name]]
    expect_outcomes(each(name, rows, function(x) kernel_matrix(kernel, x)), fine)
    expect_outcomes(each(name, rows, function(x) kernel_matrix(kernel, x, x)), fine)
    expect_outcomes(each(name, rows, function(x) kernel_matrix(kernel, x[1], x[1])), fine)
  }
  expect_outcomes(each("median_bandwidth", rows, median_bandwidth), fine)
})

test_that("stationary kernels do not mind the scale", {
  for (scale in c(1e150, 1e-150, 1e300)) {
    expect_equal(kernel_matrix(kernel_rbf(), X * scale), kernel_matrix(kernel_rbf(), X))
  }
})

custom <- function(values) kernel_custom(function(x, z) values(x, z))

test_that("a custom kernel of the wrong kind is an error that names `fun`", {
  wrong <- list(
    asymmetric = custom(function(x, z) outer(x[, 1], z[, 1], "-") + 3),
    negative = custom(function(x, z) -tcrossprod(x, z)),
    indefinite = custom(function(x, z) tanh(5 * tcrossprod(x, z) - 3)),
    NaN. = custom(function(x, z) tcrossprod(x, z) * NaN),
    Inf. = custom(function(x, z) tcrossprod(x, z) * Inf),
    shape = custom(function(x, z) diag(3)), transposed = custom(function(x, z) tcrossprod(z,
      x)[-1, ]),
    number = custom(function(x, z) 1), text = custom(function(x, z) "a"),
    null = custom(function(x, z) NULL), list = custom(function(x, z) list(1)),
    logical = custom(function(x, z) tcrossprod(x, z) > 0),
    complex = custom(function(x, z) tcrossprod(x, z) + 0i), "function" = custom(function(x, z) mean)
  )
  uses <- list(
    matrix = function(k) kernel_matrix(k, X), gram = function(k) domain_gram(X, b$domain, k),
    dica = function(k) dg_dica(X, b$number, b$domain, kernel = k),
    response = function(k) dg_dica(X, b$number, b$domain, kernel_y = k),
    svm = function(k) dg_svm(X, b$class, b$domain, kernel = k),
    embedding = function(k) dg_svm(X, b$number, b$domain, domain_kernel = domain_distribution(k))
  )
  for (name in names(uses)) expect_names_argument(each(name, wrong, uses[[name]]), "fun")
  failing <- list(stop = custom(function(x, z) stop("mine")),
    arguments = kernel_custom(function() 1))
  expect_outcomes(each("matrix", failing, uses$matrix), "error")
  expect_refusals({
    kernel_matrix(failing$stop, X)
    kernel_matrix(wrong$asymmetric, X)
    kernel_matrix(wrong$shape, X)
  })
})

test_that("a kernel that pairs of rows cannot tell to be indefinite does no harm", {
  distance <- kernel_custom(function(x, z) {
    5 - as.matrix(dist(rbind(x, z)))[seq_len(nrow(x)), nrow(x) + seq_len(nrow(z)), drop = FALSE]
  })
  expect_outcomes(list(
    kpca = function() dg_kpca(X, kernel = distance)$scores,
    udica = function() dg_udica(X, domain = b$domain, kernel = distance)$scores,
    dica = function() dg_dica(X, b$number, b$domain, kernel = distance)$scores,
    svm = function() fitted(dg_svm(X, b$class, b$domain, kernel = distance)),
    intercept = function() fitted(dg_svm(X, b$number, b$domain, kernel = distance, intercept = TRUE))
  ), fine)
})

test_that("domain kernels that overflow say which kernel does", {
  fit_with <- function(outer, scale) {
    fitted(dg_svm(X * scale, b$number, b$domain, scale = "none",
                  domain_kernel = domain_distribution(kernel_linear(), outer)))
  }
  expect_domgen_error(fit_with(kernel_exponential(), 1e3), "exp\\(<x, z> .* overflows")
  expect_domgen_error(fit_with(kernel_poly(5), 1e60), "\\^5 overflows")
  expect_true(all(is.finite(fit_with(kernel_normalise(kernel_linear()), 0))))
  expect_domgen_error(fit_with(kernel_delta(), 1), "`embedding_kernel` must be")
  expect_domgen_error(domain_distribution(embedding_kernel = kernel_rbf(c(1, 2))), "`bandwidth` of `embedding_kernel` must")
})

test_that("what does not fit together is an error", {
  expect_outcomes(list(
    bandwidth = function() kernel_matrix(kernel_rbf(1:3), X),
    fit = function() dg_dica(X, b$number, b$domain, kernel = kernel_rbf(1:3)),
    response = function() dg_dica(X, b$number, b$domain, kernel_y = kernel_rbf(1:3)),
    columns = function() kernel_matrix(kernel_rbf(), X, X[, 1]),
    minus = function() kernel_rbf() - kernel_rbf(), equal = function() kernel_rbf() == 1,
    negative = function() -1 * kernel_rbf(), null = function() kernel_rbf() + NULL
  ), "error")
})

test_that("matrices over the memory limit are refused", {
  calls <- list(
    gram = function() kernel_matrix(kernel_rbf(), X),
      cross = function() kernel_matrix(kernel_rbf(), X, X),
    svm = function() dg_svm(X, b$number, b$domain), dica = function() dg_dica(X, b$number, b$domain),
    kpca = function() dg_kpca(X), cv = function() dg_cv(dg_svm(), X, b$number, b$domain,
      progress = FALSE),
    custom = function() domain_gram(X, b$domain, custom(function(x, z) tcrossprod(x, z)))
  )
  old <- options(domgen.memory_limit = 1000)
  on.exit(options(old))
  expect_outcomes(calls, "error")
  expect_error(calls$gram(), class = "domgen_error_memory")
  expect_true(all(is.finite(domain_gram(X, b$domain))))
  for (limit in list(NA, "a", -1, 0, 1:2, NaN, list(1))) {
    options(domgen.memory_limit = limit)
    expect_domgen_error(calls$gram(), "`domgen.memory_limit` must be one positive number")
  }
})

test_that("the option of the threads is checked like the argument", {
  old <- options(domgen.threads = 2)
  on.exit(options(old))
  for (threads in list(0, "a", NA, 1:2, 1e9)) {
    options(domgen.threads = threads)
    expect_domgen_error(kernel_matrix(kernel_rbf(), X), "`threads` must be")
  }
})
