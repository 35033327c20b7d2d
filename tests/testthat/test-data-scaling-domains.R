X <- cbind(a = c(1, 2, 6, 10, 20, 33), b = c(0, 5, 5, -1, 1, 3))
domain <- factor(c("u", "u", "u", "v", "v", "v"))
z <- function(x) (x - mean(x)) / sd(x)
by_hand <- function(X, domain) {
  for (g in unique(domain)) for (j in seq_len(ncol(X))) X[domain == g, j] <- z(X[domain == g, j])
  X
}

test_that("a domain is scaled by its own rows, in training and anew", {
  scaling <- learn_scaling(X, "domain", domain)
  expect_equal(apply_scaling(X, scaling, domain), by_hand(X, domain))
  new <- X[1:4, ] * 7 + 100
  g <- factor(c("p", "p", "q", "q"))
  expect_equal(scale_new(scaling, new, g, NULL)$X, by_hand(new, g))
  # units of a domain do not matter
  expect_equal(scale_new(scaling, X * 1e6 - 3, domain, NULL)$X, by_hand(X, domain))
})

test_that("both puts the pooled and the domain's own side by side", {
  scaling <- learn_scaling(X, "both", domain)
  found <- apply_scaling(X, scaling, domain)
  expect_equal(unname(found), unname(cbind(apply(X, 2, z), by_hand(X, domain))))
  expect_identical(colnames(found), c("a", "b", "a.domain", "b.domain"))
  new <- X[c(1, 3), ] + 1
  expect_equal(unname(scale_new(scaling, new, factor(c("n", "n")), NULL)$X),
               unname(cbind(scale(new, colMeans(X), apply(X, 2, sd)), by_hand(new, c("n", "n")))),
               ignore_attr = TRUE)
})

test_that("ranks are normal scores of the place among training rows", {
  scaling <- learn_scaling(X, "rank")
  expect_equal(apply_scaling(X, scaling)[, "a"], qnorm((1:6 - 0.5) / 6))
  # ties share the mean rank
  expect_equal(apply_scaling(X, scaling)[, "b"], qnorm((rank(X[, "b"]) - 0.5) / 6))
  # an increasing function of a predictor changes nothing
  curved <- cbind(a = exp(X[, "a"]), b = X[, "b"]^3)
  expect_equal(apply_scaling(curved, learn_scaling(curved, "rank")), apply_scaling(X, scaling))
  new <- cbind(a = c(-1e9, 1e9, 4, 6), b = 0)
  expect_equal(apply_scaling(new, scaling)[, "a"],
               c(qnorm(c(0.5, 5.5) / 6), mean(qnorm(c(1.5, 2.5) / 6)), qnorm(2.5 / 6)))
  many <- matrix(rnorm(5000), dimnames = list(NULL, "x"))
  learned <- learn_scaling(many, "rank")
  expect_lte(length(learned$scores[[1L]]$values), 1000L)
  expect_equal(apply_scaling(many, learned)[, 1L], qnorm((rank(many) - 0.5) / 5000),
               tolerance = 0.01)
})

test_that("values that differ by rounding are ties of ranks, whatever their origin, unit and outliers", {
  with_seed(1L, for (world in 1:40) {
    values <- round(rnorm(sample(2:30, 1)), 3) * 10^sample(-8:8, 1) * sample(c(1, 1e8), 1)
    values <- values + sample(c(0, 1e6), 1) * max(abs(values))
    x <- sample(values, 200, replace = TRUE)
    # an outlier makes no ties of others
    if (world %% 2) x[1L] <- 1e15
    by_rounding <- x * (1 + sample(-4:4, 200, replace = TRUE) * .Machine$double.eps)
    scores <- function(of, at) {
      drop(apply_scaling(cbind(a = at), learn_scaling(cbind(a = of), "rank")))
    }
    right <- qnorm((rank(x) - 0.5) / 200)
    expect_equal(scores(x, x), right, info = world)
    expect_equal(scores(by_rounding, by_rounding), right, info = world)
    expect_equal(scores(by_rounding, x), right, tolerance = 1e-5, info = world)
  })
  repeated <- data.frame(age = rep(-3:3, 20), g = rep(1:7, each = 20), y = sin(1:140))
  model <- dg_ridge(y ~ poly(age, 3) | g, data = repeated, scale = "rank", lambda = 0.1)
  expect_equal(unname(predict(model, repeated)), unname(fitted(model)), tolerance = 1e-6)
})

test_that("a domain of one row and a predictor that is constant in a domain have no influence", {
  scaling <- learn_scaling(X, "domain", domain)
  one <- scale_new(scaling, X[2, , drop = FALSE], factor("n"), NULL)$X
  expect_equal(unname(one), matrix(0, 1, 2))
  flat <- cbind(a = c(3, 3, 3), b = 1:3)
  expect_equal(scale_new(scaling, flat, factor(c("n", "n", "n")), NULL)$X,
               cbind(a = c(0, 0, 0), b = -1:1))
  constant <- X
  constant[1:3, "a"] <- 7
  learned <- learn_scaling(constant, "domain", domain)
  expect_equal(apply_scaling(constant, learned, domain)[1:3, "a"], c(0, 0, 0))
  # constant everywhere: said, and without influence
  constant[, "a"] <- 7
  for (kind in c("domain", "both", "rank")) {
    expect_warning(learned <- learn_scaling(constant, kind, domain), "1 predictor constant",
                   class = "domgen_warning_constant")
    scaled <- apply_scaling(constant, learned, domain)
    expect_true(all(scaled[, startsWith(colnames(scaled), "a")] == 0), label = kind)
  }
})

toy <- transform(toy_domains(5, 14), x1 = x1 + 10 * as.integer(domain))
train <- domains_of(toy, 1:4)
new <- domains_of(toy, 5)
makers <- list(
  ridge = function(scale) dg_ridge(scale = scale), svm = function(scale) dg_svm(scale = scale),
  gp = function(scale) dg_gp(scale = scale, optimise = FALSE),
  nystrom = function(scale) dg_ridge(scale = scale, feature_map = features_nystrom(20)),
  pooled = function(scale) dg_ridge(scale = scale, domain_kernel = domain_pooled()),
  chain = function(scale) dg_pipeline(dg_dica(scale = scale, ncomp = 1),
                                dg_ridge()), lm = function(scale) NULL
)

test_that("fitted values are predictions of the training rows, with every scaling", {
  for (name in setdiff(names(makers), "lm")) for (scale in scalings) {
    model <- fit(makers[[name]](scale), y ~ . | domain, data = train)
    expect_equal(predict(model, train), fitted(model), tolerance = 1e-7, ignore_attr = TRUE,
                 label = paste(name, scale))
    expect_length(predict(model, new), nrow(new))
    expect_false(anyNA(predict(model, new)))
  }
})

test_that("a model on scaled predictors is the model on predictors that were scaled by hand", {
  # of classes: the response of numbers is standardised too
  toy <- transform(toy_classes(5, 14), x1 = x1 + 10 * as.integer(domain))
  train <- domains_of(toy, 1:4)
  new <- domains_of(toy, 5)
  hand <- function(data, which) {
    P <- as.matrix(data[c("x1", "x2", "x3")])
    pooled <- scale(P, colMeans(train[c("x1", "x2", "x3")]), sapply(train[c("x1", "x2", "x3")], sd))
    own <- by_hand(P, data$domain)
    colnames(own) <- if (which == "both") paste0("w", 1:3) else colnames(P)
    X <- switch(which, domain = own, both = cbind(pooled, own))
    data.frame(domain = data$domain, y = data$y, X)
  }
  for (which in c("domain", "both")) for (name in c("ridge", "svm", "nystrom", "pooled", "chain")) {
    set.seed(1)
    model <- fit(makers[[name]](which), y ~ . | domain, data = train)
    set.seed(1)
    other <- fit(makers[[name]]("none"), y ~ . | domain, data = hand(train, which))
    tolerance <- if (name == "svm") 1e-3 else 1e-6
    expect_equal(predict(model, new, type = "decision"),
                 predict(other, hand(new, which), type = "decision"), tolerance = tolerance,
                 label = paste(name, which))
  }
})

test_that("the units of a new domain do not matter to a model scaled by domain", {
  model <- dg_ridge(y ~ . | domain, data = train, scale = "domain")
  other_units <- transform(new, x1 = 1e3 * x1 - 5, x2 = x2 / 100)
  expect_equal(predict(model, other_units), predict(model, new))
  pooled <- dg_ridge(y ~ . | domain, data = train)
  expect_warning(moved <- predict(pooled, other_units), "is far from every training domain")
  expect_false(isTRUE(all.equal(moved, predict(pooled, new))))
})

test_that("a reference says how a domain's own rows are distributed", {
  for (scale in c("domain", "both")) for (kernel in list(domain_pooled(), domain_distribution())) {
    model <- dg_ridge(y ~ . | domain, data = train, scale = scale, domain_kernel = kernel)
    whole <- predict(model, new)
    single <- vapply(seq_len(nrow(new)), function(i) predict(model, new[i, ], reference = new), 0)
    expect_equal(single, unname(whole), tolerance = 1e-8)
    # in place of the rows themselves
    if (scale == "domain") {
      other <- transform(new, x1 = x1 + 5)
      expect_equal(unname(predict(model, other[1:2, ], reference = other)), unname(whole[1:2]),
                   tolerance = 1e-8)
    }
    expect_warning(two <- predict(model, new[1:2, ]), "described by few rows")
    expect_false(isTRUE(all.equal(unname(two), unname(whole[1:2]))))
  }
})

test_that("models scaled by domain are adapted to one domain and keep its moments", {
  labels <- replace(new$y, -(1:4), NA)
  for (scale in c("domain", "both", "rank")) {
    model <- dg_ridge(y ~ . | domain, data = train, scale = scale, domain_kernel = domain_pooled())
    adapted <- dg_adapt(model, new, labels)
    whole <- predict(adapted, new)
    # row by row as together: the rows to predict do not describe the domain again
    single <- vapply(seq_len(nrow(new)), function(i) predict(adapted, new[i, ]), 0)
    expect_equal(single, unname(whole), tolerance = 1e-8, label = scale)
    # a correction that counts for nothing leaves the model at the domain
    expect_equal(predict(dg_adapt(model, new, labels, lambda = 1e10), new), predict(model, new),
                 tolerance = 1e-6, ignore_attr = TRUE, label = scale)
    expect_lt(mean((whole - new$y)[1:4]^2), mean((predict(model, new) - new$y)[1:4]^2))
  }
})

test_that("a saved model with ranks carries knots, not its rows", {
  size <- function(n) {
    data <- simulate_dica(domains = 4, n = n, p = 3, seed = 1)
    model <- dg_ridge(y ~ . | domain, data = data, scale = "rank", feature_map = features_nystrom(10),
                      domain_kernel = domain_pooled())
    scaling <- model$blueprint$scaling
    expect_true(all(lengths(lapply(scaling$scores, `[[`, "values")) <= 1000L))
    length(serialize(scaling, NULL))
  }
  expect_lt(size(4000), 3 * 2 * 8 * 1000 + 5000)
  # moments by domain are all that scaling by domain keeps
  for (scale in c("domain", "both")) {
    model <- dg_ridge(y ~ . | domain, data = train, scale = scale)
    expect_named(model$blueprint$scaling$domains, levels(train$domain))
    expect_lt(length(serialize(model$blueprint$scaling, NULL)), 3000)
  }
})

test_that("a scaling that is none, and one by domain without domains, are refused", {
  expect_refusals({
    dg_ridge(scale = "each")
    dg_ridge(y ~ x1, data = toy, scale = "domain", domain_kernel = domain_pooled())
    dg_svm(scale = NA)
  })
})

test_that("a domain without a name is scaled like any other", {
  toy <- toy_domains(4, 12)
  toy$x1 <- toy$x1 + 10 * as.integer(toy$domain)
  nameless <- toy
  levels(nameless$domain)[2L] <- ""
  for (scale in c("domain", "both")) {
    spec <- dg_ridge(scale = scale)
    of <- function(data) {
      result <- dg_cv(spec, y ~ . | domain, data = data)
      result$predictions$prediction
    }
    expect_equal(of(nameless), of(toy))
  }
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    expect_plots(dg_cv(spec, y ~ . | domain, data = nameless))
  }
})
