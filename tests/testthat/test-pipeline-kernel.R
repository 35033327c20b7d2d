# The learner of a chain works on the projected scores, with the kernel K B B'K of the
# projection (DICA paper, section 3.2) unless it was given another.

toy <- toy_domains(4, 18)
labels <- toy_classes(4, 18)
test <- toy_domains(2, 12, seed = 6)

# K B B'K from the training rows, divided by its mean diagonal: centred K by the formula,
# B from the fit.
projection_kernel <- function(projection) {
  K <- model_gram(projection)
  H <- diag(nrow(K)) - 1 / nrow(K)
  scores <- H %*% K %*% projection$directions
  G <- tcrossprod(scores)
  G / mean(diag(G))
}

projections <- list(
  dica = dg_dica(ncomp = 2), udica = dg_udica(ncomp = 3), coir = dg_coir(ncomp = 2), kpca = dg_kpca(ncomp = 2),
  `whitened dica` = dg_dica(ncomp = 2, normalise = "whiten"),
  `distributional dica` = dg_dica(ncomp = 2, domain_kernel = domain_distribution())
)
learners <- list(svm = dg_svm(domain_kernel = domain_pooled(), tolerance = 1e-7),
                 ridge = dg_ridge(domain_kernel = domain_pooled()),
                 gp = dg_gp(domain_kernel = domain_pooled(), optimise = FALSE))

for (name in names(projections)) for (of in names(learners)) {
  test_that(paste0(name, ", then ", of, ": the Gram matrix is K B B'K over its mean diagonal"), {
    model <- fit(dg_pipeline(projections[[name]], learners[[of]]), y ~ . | domain, data = toy)
    expected <- projection_kernel(model$projection)
    expect_equal(model_gram(model$learner), expected, tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(mean(diag(model_gram(model$learner))), 1, tolerance = 1e-12)
  })
}

test_that("ridge on the default kernel is ridge with K B B'K, at new rows too", {
  model <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_ridge(lambda = 0.3, domain_kernel = domain_pooled())),
               y ~ . | domain, data = toy)
  G <- projection_kernel(model$projection)
  centre <- mean(toy$y)
  expect_equal(fitted(model), centre + drop(G %*% solve(G + diag(0.3, nrow(G)), toy$y - centre)),
               tolerance = 1e-8, ignore_attr = TRUE)
  # centred by the training means, a new row's kernel is k B B'K
  projection <- model$projection
  K <- model_gram(projection)
  new <- kernel_matrix(projection$space$kernel, read_new(model, test, test$domain, NULL, NULL)$X,
                       projection$space$X)
  k <- sweep(new, 2L, colMeans(K))
  at <- k %*% projection$directions
  H <- diag(nrow(K)) - 1 / nrow(K)
  scores <- H %*% K %*% projection$directions
  cross <- tcrossprod(at, scores) / mean(rowSums(scores^2))
  expect_equal(predict(model, test),
               centre + drop(cross %*% solve(G + diag(0.3, nrow(G)), toy$y - centre)),
               tolerance = 1e-8, ignore_attr = TRUE)
})

kernels <- list(rbf = kernel_rbf(), `fixed rbf` = kernel_rbf(0.7), laplace = kernel_laplace(),
                poly = kernel_poly(2), sum = kernel_rbf() + kernel_linear(),
                custom = kernel_custom(function(x, z) (1 + tcrossprod(x, z))^2))
between <- list(pooled = domain_pooled(), multitask = domain_multitask(0.4),
                given = domain_multitask(kappa = matrix(0.5, 4, 4, dimnames = rep(list(
                  paste0("d", 1:4)), 2)) + diag(0.5, 4), new = 0.5),
                distribution = domain_distribution(),
                `other embedding` = domain_distribution(kernel_linear(), kernel_poly(1)))

for (on_x in names(kernels)) for (on_domains in names(between)) {
  test_that(paste0("any kernel on scores works with any domain kernel: ", on_x, ", ", on_domains), {
    spec <- dg_pipeline(dg_dica(ncomp = 2), dg_ridge(lambda = 0.2, kernel = kernels[[on_x]],
                                            domain_kernel = between[[on_domains]]))
    model <- fit(spec, y ~ . | domain, data = toy)
    # the same learner, given the scores of mean square 1 as its data
    S <- fitted(model$projection)
    unit <- sqrt(mean(rowSums(S^2)))
    by_hand <- dg_ridge(S / unit, toy$y, toy$domain, lambda = 0.2, kernel = kernels[[on_x]],
                        domain_kernel = between[[on_domains]], scale = "none")
    spread <- sqrt(mean((toy$y - mean(toy$y))^2))
    K <- model_gram(by_hand)
    expect_equal(model_gram(model$learner), K, tolerance = 1e-10, ignore_attr = TRUE)
    z <- (toy$y - mean(toy$y)) / spread
    expect_equal(fitted(model), mean(toy$y) + spread *
                   drop(K %*% solve(K + diag(0.2, nrow(K)), z)), tolerance = 1e-7,
                 ignore_attr = TRUE)
    T <- predict(model$projection, test) / unit
    cross <- kernel_matrix(by_hand$space$kernel, T, S / unit)
    kappa <- domain_kappa(by_hand$space$domain_kernel,
                          list(X = T, domain = factor(test$domain), threads = 1L))
    if (!is.null(kappa)) cross <- cross * unname(kappa)[as.integer(factor(test$domain)),
                                                        as.integer(toy$domain)]
    expect_equal(predict(model, test), mean(toy$y) + spread *
                   drop(cross %*% solve(K + diag(0.2, nrow(K)), z)), tolerance = 1e-7,
                 ignore_attr = TRUE)
  })
}

test_that("a bandwidth left open is the median distance of the projected rows", {
  model <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_svm(kernel = kernel_rbf())), y ~ . | domain, data = toy)
  S <- fitted(model$projection) / model$unit
  expect_equal(model$learner$space$kernel$bandwidth, median_bandwidth(S), ignore_attr = TRUE)
})

test_that("the domain kernel compares projected domains", {
  distribution <- domain_distribution(kernel_rbf(1), kernel_rbf(0.5))
  model <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_svm(kernel = kernel_rbf(1), domain_kernel = distribution)),
               y ~ . | domain, data = toy)
  S <- fitted(model$projection) / model$unit
  squared <- dg_mmd(S, toy$domain, kernel_rbf(1))$squared
  expect_equal(model$learner$space$domain_kernel$kappa, exp(-squared / (2 * 0.5^2)),
               tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("classes, two and many, are learned on the projected scores", {
  model <- fit(dg_pipeline(dg_dica(ncomp = 1), dg_svm(domain_kernel = domain_pooled())), y ~ . | domain,
               data = labels)
  expect_identical(levels(fitted(model)), levels(labels$y))
  three <- transform(toy, y = cut(y, quantile(y, 0:3 / 3), c("low", "middle", "high"), TRUE))
  for (learner in list(dg_svm(), dg_ridge(), dg_svm(multiclass = "one_vs_rest"))) {
    model <- fit(dg_pipeline(dg_dica(ncomp = 2), learner), y ~ . | domain, data = three)
    expect_identical(levels(predict(model, test)), levels(three$y))
    expect_identical(predict(model, toy), fitted(model))
    expect_gt(mean(fitted(model) == three$y), 0.5)
    expect_identical(dim(predict(model, test, type = "decision")), c(nrow(test), 3L))
  }
})
