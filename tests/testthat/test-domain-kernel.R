train <- toy_domains(4, 15)
X <- as.matrix(train[, c("x1", "x2", "x3")])
new <- toy_domains(3, 10, seed = 9)
N <- as.matrix(new[, c("x1", "x2", "x3")])

kappa_of <- function(kernel) domain_kernel_fit(kernel,
                                               list(X = X, domain = train$domain, threads = 1L))

test_that("pooling has no table, the multi-task kernel tau between domains", {
  expect_null(kappa_of(domain_pooled())$kappa)
  fitted <- kappa_of(domain_multitask(0.3))
  expect_equal(fitted$kappa, 0.3 + 0.7 * diag(4))
  known <- factor(c("d2", "new"), levels = c("d2", "new"))
  expect_equal(domain_kappa(fitted, list(X = NULL, domain = known, threads = 1L)),
               rbind(c(0.3, 1, 0.3, 0.3), 0.3))
})

test_that("the distributional kernel is the outer kernel of mean embeddings", {
  gram <- domain_gram(X, train$domain, kernel_rbf(1))
  distance <- sqrt(dg_mmd(X, train$domain, kernel_rbf(1))$squared)
  table <- function(outer) unname(kappa_of(domain_distribution(kernel_rbf(1), outer))$kappa)
  expect_equal(table(kernel_rbf(0.4)), unname(exp(-distance^2 / (2 * 0.4^2))), tolerance = 1e-10)
  expect_equal(table(kernel_laplace(0.4)), unname(exp(-distance / 0.4)), tolerance = 1e-6)
  expect_equal(table(kernel_linear()), unname(gram), tolerance = 1e-12)
  expect_equal(table(kernel_poly(2)), unname((1 + gram)^2), tolerance = 1e-12)
  expect_equal(table(kernel_exponential(0.5)), unname(exp(gram / 0.25)), tolerance = 1e-12)
  expect_equal(table(kernel_rbf(0.4) + kernel_linear()),
               table(kernel_rbf(0.4)) + table(kernel_linear()), tolerance = 1e-12)
  expect_equal(table(kernel_normalise(kernel_exponential(0.5))), table(kernel_rbf(0.5)), tolerance = 1e-10)
})

test_that("a missing outer bandwidth is the median distance of the embeddings", {
  distance <- sqrt(dg_mmd(X, train$domain, kernel_rbf(1))$squared)
  fitted <- kappa_of(domain_distribution(kernel_rbf(1)))
  expect_equal(fitted$embedding_kernel$bandwidth, median(distance[lower.tri(distance)]), tolerance = 1e-8)
})

test_that("an unseen domain's row of kappa is that of the joint embedding", {
  fitted <- kappa_of(domain_distribution(kernel_rbf(1), kernel_rbf(0.4)))
  kappa <- domain_kappa(fitted, list(X = N, domain = new$domain, threads = 1L))
  both <- dg_mmd(rbind(X, N), c(paste0("train", train$domain), paste0("z", new$domain)), kernel_rbf(1))
  expect_equal(unname(kappa), unname(exp(-both$squared[5:7, 1:4] / (2 * 0.4^2))), tolerance = 1e-10)
  same <- domain_kappa(fitted, list(X = X, domain = train$domain, threads = 1L))
  expect_equal(unname(same), unname(fitted$kappa), tolerance = 1e-10)
})

test_that("wrong domain kernels are refused", {
  expect_refusals({
    domain_multitask(1.5)
    domain_multitask(NA)
    domain_distribution(kernel = 1)
    domain_distribution(embedding_kernel = kernel_rbf(c(1, 2)))
    domain_kernel_fit(domain_distribution(embedding_kernel = kernel_delta()),
                      list(X = X, domain = train$domain, threads = 1L))
  })
})

test_that("every smoothness of the Matern kernel compares embeddings by its formula", {
  distance <- sqrt(dg_mmd(X, train$domain, kernel_rbf(1))$squared)
  r <- unname(distance) / 0.4
  formulas <- list(`0.5` = exp(-r), `1.5` = (1 + sqrt(3) * r) * exp(-sqrt(3) * r),
                   `2.5` = (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r))
  for (nu in names(formulas)) {
    outer <- kernel_matern(0.4, nu = as.numeric(nu))
    kappa <- kappa_of(domain_distribution(kernel_rbf(1), outer))$kappa
    expect_equal(unname(kappa), formulas[[nu]], tolerance = 1e-6)
  }
})

test_that("kernels of rows and of domains do not mix", {
  rows <- kernel_rbf(1)
  domains <- domain_distribution()
  expect_domgen_error(domains * rows, "domain kernel can be .* not an object of class")
  expect_domgen_error(rows + domains, "A kernel can be .* not an object of class")
  expect_domgen_error(-domains, "`-` is not defined")
  expect_domgen_error(-rows, "`-` is not defined")
  expect_domgen_error(domains / 2, "`/` is not defined")
})
