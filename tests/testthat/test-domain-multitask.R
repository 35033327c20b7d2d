train <- toy_domains(4, 15)
new <- toy_domains(3, 10, seed = 9)
labels <- toy_classes(4, 20)
levels(new$domain) <- c("d2", "u", "v")

# Four domains of which "v" has no training rows.
names <- c("d3", "d1", "v", "d2", "d4")
set.seed(2)
A <- matrix(rnorm(25), 5)
similar <- tcrossprod(A) / 5 + diag(0.2, 5)
dimnames(similar) <- list(names, names)
inside <- c("d1", "d2", "d3", "d4")
most <- 0.9 / sqrt(sum(solve(similar)))
new_share <- min(most * sqrt(mean(diag(similar))), 0.3)

learners <- list(
  svm = dg_svm(cost = 2, tolerance = 1e-8, domain_weights = "size"), ridge = dg_ridge(lambda = 0.3),
  gp = dg_gp(signal_sd = 1, noise_sd = 0.4, optimise = FALSE)
)
fixed <- function(spec, domain_kernel) {
  spec$args$kernel <- kernel_rbf(1.5)
  spec$args$scale <- "none"
  spec$args$domain_kernel <- domain_kernel
  spec
}

for (name in names(learners)) {
  spec <- learners[[name]]

  test_that(paste0(name, ": with tau = 0 each domain has the machine of its rows alone"), {
    joint <- fit(fixed(spec, domain_multitask(0)), y ~ . | domain, data = train)
    for (g in levels(train$domain)) {
      own <- subset(train, domain == g)
      alone <- fit(fixed(spec, domain_pooled()), y ~ . | domain, data = own)
      expect_equal(predict(joint, own), fitted(alone), tolerance = 1e-5)
      here <- transform(new, domain = g)
      expect_equal(predict(joint, here), predict(alone, here), tolerance = 1e-5)
    }
    # MTL paper, section 5.2: no generalisation to another domain
    expect_equal(predict(joint, transform(new, domain = "w")), rep(0, nrow(new)))
  })

  test_that(paste0(name, ": with tau = 1 all domains are pooled"), {
    joint <- fit(fixed(spec, domain_multitask(1)), y ~ . | domain, data = train)
    pooled <- fit(fixed(spec, domain_pooled()), y ~ . | domain, data = train)
    expect_equal(fitted(joint), fitted(pooled), tolerance = 1e-6)
    expect_equal(predict(joint, new), predict(pooled, new), tolerance = 1e-6)
  })

  test_that(paste0(name, ": a matrix of 1 and tau is the multi-task kernel of tau"), {
    kappa <- matrix(0.3, 4, 4, dimnames = list(inside, inside)) + diag(0.7, 4)
    given <- fit(fixed(spec, domain_multitask(kappa = kappa, new = 0.3)), y ~ . | domain,
                 data = train)
    tau <- fit(fixed(spec, domain_multitask(0.3)), y ~ . | domain, data = train)
    expect_equal(fitted(given), fitted(tau), tolerance = 1e-7)
    expect_equal(predict(given, new), predict(tau, new), tolerance = 1e-7)
  })

  test_that(paste0(name, ": a given kappa multiplies the Gram matrix by names"), {
    model <- fit(fixed(spec, domain_multitask(kappa = similar, new = new_share)), y ~ . | domain,
                 data = train)
    d <- as.character(train$domain)
    X <- as.matrix(train[c("x1", "x2", "x3")])
    N <- as.matrix(new[c("x1", "x2", "x3")])
    K <- exp(-as.matrix(dist(X))^2 / (2 * 1.5^2)) * similar[d, d]
    extended <- rbind(similar, u = new_share)
    cross <- exp(-pair_distance(N, X)^2 / (2 * 1.5^2)) * extended[as.character(new$domain), d]
    alpha <- switch(name, svm = model$coefficients, ridge = solve(K + diag(0.3, nrow(X)), train$y),
                    gp = solve(K + diag(0.4^2, nrow(X)), train$y))
    expect_equal(drop(model$decision), drop(K %*% alpha), tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(predict(model, new), drop(cross %*% alpha), tolerance = 1e-8, ignore_attr = TRUE)
  })
}

test_that("machines of single domains weigh domains the same as the joint one", {
  # n / (G n_g) is 1 in a domain alone, and has to be put into the cost
  parts <- labels[c(1:15, 21:40, 41:46, 61:80), ]
  joint <- dg_svm(y ~ . | domain, data = parts, cost = 2, kernel = kernel_rbf(1), scale = "none",
                  domain_kernel = domain_multitask(0), tolerance = 1e-8)
  for (g in levels(parts$domain)) {
    own <- subset(parts, domain == g)
    alone <- dg_svm(y ~ . | domain, data = own, cost = 2 * nrow(parts) / (4 * nrow(own)),
                    kernel = kernel_rbf(1), scale = "none", domain_kernel = domain_pooled(),
                    tolerance = 1e-8)
    expect_equal(predict(joint, own, type = "decision"), predict(alone, own, type = "decision"),
                 tolerance = 1e-5)
  }
})

test_that("between 0 and 1, tau multiplies the Gram matrix between domains", {
  model <- dg_ridge(y ~ . | domain, data = train, kernel = kernel_rbf(1.5), scale = "none",
                    domain_kernel = domain_multitask(0.4), lambda = 0.2)
  X <- as.matrix(train[c("x1", "x2", "x3")])
  K <- exp(-as.matrix(dist(X))^2 / (2 * 1.5^2)) *
    ifelse(outer(train$domain, train$domain, "=="), 1, 0.4)
  expect_equal(fitted(model), drop(K %*% solve(K + diag(0.2, nrow(X)), train$y)), tolerance = 1e-9,
               ignore_attr = TRUE)
})

test_that("the order of a given matrix does not matter, nor does which names it has besides", {
  shuffled <- similar[c(5, 2, 1, 4, 3), c(5, 2, 1, 4, 3)]
  fits <- lapply(list(similar, shuffled), function(kappa) {
    dg_ridge(y ~ . | domain, data = train, domain_kernel = domain_multitask(kappa = kappa))
  })
  known <- subset(new, domain != "u")
  expect_equal(predict(fits[[1]], known), predict(fits[[2]], known), tolerance = 1e-12)
  expect_false(isTRUE(all.equal(predict(fits[[1]], transform(known, domain = "v")),
                                predict(fits[[1]], transform(known, domain = "d2")))))
})

test_that("features of a given kappa represent it", {
  # with every row a landmark nothing is lost
  exact <- dg_ridge(y ~ . | domain, data = train,
                    domain_kernel = domain_multitask(kappa = similar, new = 0))
  for (features in list(features_nystrom(nrow(train)),
                        features_product(x = features_nystrom(nrow(train))))) {
    model <- update(exact, feature_map = features)
    expect_equal(fitted(model), fitted(exact), tolerance = 1e-5)
    expect_equal(predict(model, new), predict(exact, new), tolerance = 1e-5)
  }
})

test_that("the variance of a process uses kappa(P, P) of seen and unseen domains", {
  # new / 1'K^-1 new is the least similarity of two further domains
  kernel <- domain_multitask(kappa = similar, new = new_share)
  shared <- new_share^2 * sum(solve(similar))
  own <- mean(diag(similar))
  w <- factor(c("d1", "u", "v", "w"))
  expect_equal(domain_own(kernel, list(X = NULL, domain = w, threads = 1L)),
               c(similar["d1", "d1"], own, similar["v", "v"], own))
  among <- domain_kappa(kernel, list(X = NULL, domain = w, threads = 1L), among = TRUE)
  expect_equal(among[1, ], c(similar["d1", "d1"], new_share, similar["d1", "v"], new_share))
  expect_equal(among[2, ], c(new_share, own, new_share, shared))
  expect_equal(among, t(among))
  whole <- rbind(cbind(similar, new_share, new_share),
                 c(rep(new_share, 5), own, shared), c(rep(new_share, 5), shared, own))
  expect_gte(min(eigen(whole)$values), -1e-12)

  model <- fit(fixed(learners$gp, kernel), y ~ . | domain, data = train)
  d <- as.character(train$domain)
  X <- as.matrix(train[c("x1", "x2", "x3")])
  N <- as.matrix(new[c("x1", "x2", "x3")])
  K <- exp(-as.matrix(dist(X))^2 / (2 * 1.5^2)) * similar[d, d]
  code <- as.character(new$domain)
  cross <- exp(-pair_distance(N, X)^2 / (2 * 1.5^2)) * rbind(similar, u = new_share)[code, d]
  prior <- ifelse(code == "u", own, diag(similar)[code])
  variance <- prior - rowSums(cross * t(solve(K + diag(0.16, nrow(X)), t(cross))))
  expect_equal(predict(model, new, se.fit = TRUE)$se.fit, sqrt(unname(variance)), tolerance = 1e-6)
  expect_identical(dim(simulate(model, 2, seed = 1, newdata = new)), c(nrow(new), 2L))
})

test_that("a domain that is held out still has its row in kappa", {
  kernel <- domain_multitask(kappa = similar)
  held_out <- dg_cv(fixed(dg_ridge(lambda = 0.3), kernel), y ~ . | domain, data = train)
  own <- train$domain == "d2"
  rest <- fit(fixed(dg_ridge(lambda = 0.3), kernel), y ~ . | domain, data = train[!own, ])
  expect_equal(held_out$predictions$prediction[own], predict(rest, train[own, ]), tolerance = 1e-10)
})

test_that("one row of a domain is enough where domains are known by name", {
  model <- dg_ridge(y ~ . | domain, data = train, domain_kernel = domain_multitask(0.5))
  expect_no_warning(predict(model, new[1, ]))
  given <- update(model, domain_kernel = domain_multitask(kappa = similar))
  expect_no_warning(predict(given, new[1, ]))
})

test_that("kappa is symmetric, positive semi-definite and names its domains", {
  expect_output(print(domain_multitask(kappa = similar)), "a given matrix of 5 domains")
  expect_output(print(domain_multitask(kappa = similar, new = 0.1)), "0.1 for any other")
  model <- dg_ridge(y ~ . | domain, data = train, domain_kernel = domain_multitask(kappa = similar))
  bare <- unname(similar)
  few <- domain_multitask(kappa = similar[-1, -1])
  skew <- replace(similar, 2, similar[2] + 0.1)
  twice <- similar
  dimnames(twice) <- rep(list(c("d1", "d1", "d2", "d3", "d4")), 2)
  expect_refusals({
    domain_multitask()
    domain_multitask(0.5, kappa = similar)
    domain_multitask(0.5, new = 0.5)
    domain_multitask(kappa = 0.5)
    domain_multitask(kappa = similar[1:2, ])
    domain_multitask(kappa = bare)
    domain_multitask(kappa = skew)
    domain_multitask(kappa = twice)
    domain_multitask(kappa = -similar)
    domain_multitask(kappa = replace(similar, 1, NA))
    domain_multitask(kappa = similar[, 5:1])
    domain_multitask(kappa = similar, new = 50)
    domain_multitask(kappa = similar, new = "mean")
    dg_ridge(y ~ . | domain, data = train, domain_kernel = few)
    predict(model, new)
  })
})
