# Domains on x1, x2 with other means, the last one moved by `shift`; as a data frame with y.
novel_domains <- function(sizes, shift = 0, seed = 1) {
  with_seed(seed, {
    domain <- factor(sprintf("d%02d", rep(seq_along(sizes), sizes)))
    at <- as.integer(domain)
    centre <- matrix(rnorm(2 * length(sizes), 0, 0.5), ncol = 2)
    X <- matrix(rnorm(2 * length(at)), ncol = 2) + centre[at, ]
    X[, 1] <- X[, 1] + shift * (at == length(sizes))
    data.frame(x1 = X[, 1], x2 = X[, 2], y = rnorm(length(at)), domain = domain)
  })
}

of_domains <- function(data, codes) {
  droplevels(data[as.integer(data$domain) %in% codes, ])
}

plain_ridge <- function(data) {
  dg_ridge(y ~ x1 + x2 | domain, data = data, lambda = 1, scale = "none",
           domain_kernel = domain_distribution(kernel_rbf(1)))
}

test_that("distances and p of rows are those of the formula", {
  data <- novel_domains(c(4, 7, 5, 6, 3))
  found <- dg_novelty(plain_ridge(of_domains(data, 1:4)), of_domains(data, 5))
  K <- exp(-as.matrix(dist(data[c("x1", "x2")]))^2 / 2)
  at <- as.integer(data$domain)
  # squared distance of a row's features from the mean of the other four embeddings
  scores <- sapply(seq_along(at), function(i) {
    others <- at != at[i]
    w <- others / (4 * table(at)[at])
    1 - 2 * sum(w * K[i, ]) + c(w %*% K %*% w)
  })
  new <- which(at == 5)
  expect_equal(found$rows$distance, scores[new])
  expect_equal(found$rows$p, sapply(scores[new], function(s) {
    (1 + sum(tapply(scores[-new] >= s - 1e-12, at[-new], mean))) / 5
  }))
  expect_identical(found$rows$row, 1:3)
})

test_that("p of rows is at most alpha for a share alpha of exchangeable domains' rows", {
  data <- novel_domains(c(5, 9, 3, 6, 8, 4, 7))
  p <- lapply(1:7, function(new) {
    dg_novelty(plain_ridge(of_domains(data, setdiff(1:7, new))), of_domains(data, new))$rows$p
  })
  for (alpha in (1:7) / 7) expect_lte(mean(sapply(p, function(q) mean(q <= alpha))), alpha + 1e-9)
})

test_that("any model says how new a moved domain is, the first of all", {
  skip_if_not_installed("ranger")
  data <- novel_domains(rep(15, 14), shift = 4)
  train <- of_domains(data, 1:12)
  new <- of_domains(data, 13:14)
  f <- y ~ x1 + x2 | domain
  models <- list(
    dg_ridge(f, data = train, lambda = 1), dg_svm(f, data = train, cost = 1, scale = "rank"),
    dg_ridge(f, data = train, lambda = 1, domain_kernel = domain_pooled()),
    dg_ridge(f, data = train, lambda = 1, domain_kernel = domain_wasserstein()),
    dg_ridge(f, data = train, lambda = 1, feature_map = features_product()),
    dg_ridge(f, data = train, lambda = 1, feature_map = features_rff(50),
             domain_kernel = domain_pooled()),
    dg_gp(f, data = train, optimise = FALSE), dg_lm(f, data = train),
    dg_forest(f, data = train, trees = 5), dg_udica(f, data = train),
    fit(dg_pipeline(dg_kpca(ncomp = 2), dg_lm()), f, data = train),
    fit(dg_ensemble(list(dg_lm(), dg_ridge(lambda = 1))), f, data = train)
  )
  for (model in models) {
    found <- dg_novelty(model, new)
    expect_equal(found$domains$p[2], 1 / 13)
    expect_gt(found$domains$p[1], 1 / 13)
    expect_lt(mean(found$rows$p[new$domain == "d14"]), mean(found$rows$p[new$domain == "d13"]))
    expect_identical(dim(found$left_out), c(2L, 12L))
    sums <- c(tapply(found$resembles$weight, found$resembles$domain, sum))
    expect_equal(sums, c(d13 = 1, d14 = 1))
  }
})

test_that("rows that were read in blocks leave the embeddings, by which domains are judged", {
  data <- novel_domains(rep(15, 14), shift = 4)
  train <- of_domains(data, 1:12)
  new <- of_domains(data, 13:14)
  fitted_to <- function(data) {
    set.seed(1)
    dg_ridge(y ~ x1 + x2 | domain, data = data, lambda = 1, feature_map = features_product())
  }
  found <- dg_novelty(fitted_to(row_source(train)), new)
  expect_null(found$rows)
  expect_equal(found$domains$p[2], 1 / 13)
  expect_output(print(found), "Farther than every held-out training domain .*d14")
  expect_output(print(found), "The training rows are not available, so that p is exact only")
  pooled <- dg_ridge(y ~ x1 + x2 | domain, data = row_source(train), lambda = 1,
                     feature_map = features_rff(20), domain_kernel = domain_pooled())
  expect_domgen_error(dg_novelty(pooled, new), "The training rows are not available")
})

test_that("weights are those of kappa, by which the model predicts", {
  data <- novel_domains(rep(8, 6), shift = 1)
  for (kernel in list(domain_distribution(), domain_wasserstein())) {
    model <- dg_ridge(y ~ x1 + x2 | domain, data = of_domains(data, 1:4), lambda = 1,
                      domain_kernel = kernel)
    new <- of_domains(data, 5:6)
    scaled <- apply_scaling(as.matrix(new[c("x1", "x2")]), model$blueprint$scaling)
    kappa <- domain_kappa(model$space$domain_kernel,
                          list(X = scaled, domain = new$domain, threads = 1L))
    found <- subset(dg_novelty(model, new)$resembles, domain == "d06")
    expect_false(is.unsorted(-found$weight))
    expect_equal(found$weight[match(sprintf("d%02d", 1:4), found$training)],
                 unname(kappa[2, ] / sum(kappa[2, ])))
  }
})

test_that("with fewer rows of each domain the answer is nearly the same, in each call", {
  data <- novel_domains(rep(120, 12), shift = 2)
  model <- dg_lm(y ~ x1 + x2 | domain, data = of_domains(data, 1:10))
  new <- of_domains(data, 11:12)
  set.seed(1)
  before <- .Random.seed
  some <- dg_novelty(model, new, max_rows = 60)
  expect_identical(.Random.seed, before)
  expect_identical(dg_novelty(model, new, max_rows = 60), some)
  all <- dg_novelty(model, new, max_rows = 1000)
  expect_equal(some$domains$p[2], all$domains$p[2])
  expect_gt(cor(some$rows$p, all$rows$p), 0.95)
  expect_identical(nrow(some$rows), 240L)
})

test_that("threads, blocks and the order of rows do not matter", {
  data <- novel_domains(c(9, 12, 5, 8, 10))
  model <- plain_ridge(of_domains(data, 1:3))
  new <- of_domains(data, 4:5)
  found <- dg_novelty(model, new)
  mixed <- dg_novelty(model, new[18:1, ], threads = 1)
  expect_equal(mixed$domains, found$domains)
  expect_equal(mixed$rows[18:1, c("domain", "distance", "p")], found$rows[-1], ignore_attr = TRUE)
  # a domain is judged alone
  alone <- dg_novelty(model, of_domains(data, 5))
  expect_equal(alone$domains, found$domains[2, ], ignore_attr = TRUE)
  expect_equal(alone$rows$p, found$rows$p[9:18])
})

test_that("incomplete rows are NA, and take no part", {
  data <- novel_domains(c(9, 12, 5, 8))
  model <- plain_ridge(of_domains(data, 1:3))
  new <- of_domains(data, 4)
  holes <- replace(new, "x1", replace(new$x1, 2, NA))
  found <- suppressWarnings(dg_novelty(model, holes))
  expect_identical(which(is.na(found$rows$p)), 2L)
  expect_equal(found$rows$p[-2], dg_novelty(model, new[-2, ])$rows$p)
  expect_identical(found$domains$rows, 7L)
})

test_that("augment() has the rank of a row's domain where the model predicts by embeddings", {
  data <- novel_domains(rep(10, 8), shift = 3)
  train <- of_domains(data, 1:6)
  new <- of_domains(data, 7:8)
  model <- plain_ridge(train)
  p <- dg_novelty(model, new)$domains$p
  expect_equal(augment(model, new[20:1, ])$.novelty, rep(rev(p), each = 10))
  holes <- replace(new, "x1", replace(new$x1, 2, NA))
  expect_identical(which(is.na(suppressWarnings(augment(model, holes))$.novelty)), 2L)
  expect_false(".novelty" %in% names(augment(model)))
  expect_false(".novelty" %in% names(augment(dg_lm(y ~ x1 + x2 | domain, data = train), new)))
})

test_that("what it cannot answer is said", {
  data <- novel_domains(c(9, 12, 5, 8))
  train <- of_domains(data, 1:3)
  new <- of_domains(data, 4)
  model <- plain_ridge(train)
  expect_domgen_error(dg_novelty(dg_ridge(), new), "must be a fitted model, not a specification")
  expect_domgen_error(dg_novelty(model), "`newdata` must be given")
  expect_domgen_error(dg_novelty(model, new["x1"]), "x2")
  expect_domgen_error(dg_novelty(model, new[0, ]), "at least one complete row")
  expect_domgen_error(dg_novelty(model, new, max_rows = 1), "`max_rows`")
  expect_domgen_error(dg_novelty(set_reference(model, new), new), "fixed reference already")
  one <- plain_ridge(of_domains(data, 1))
  expect_domgen_error(dg_novelty(one, new), "at least 2 training domains")
  gone <- local({
    rows <- train
    fit(dg_lm(), y ~ x1 + x2 | domain, data = rows)
  })
  expect_domgen_error(dg_novelty(gone, new), "The training rows are not available: .* are gone")
})

test_that("it is printed in words, and tidy() gives the domains", {
  data <- novel_domains(rep(10, 7), shift = 4)
  found <- dg_novelty(plain_ridge(of_domains(data, 1:5)), of_domains(data, 6:7))
  expect_snapshot(print(found))
  expect_identical(unname(as.data.frame(found)), unname(found$domains))
  expect_named(tidy(found), c("domain", "rows", "statistic", "farthest", "p.value"))
  expect_identical(capture.output(print(summary(found))), format(found))
  near <- dg_novelty(plain_ridge(of_domains(data, 1:5)), of_domains(data, 1:2))
  expect_output(print(near), "No domain is farther than every held-out training domain")
})

test_that("each new domain stands beside the training domains it was ranked among, none at 0 %", {
  train <- simulate_dica(domains = 8, n = 12, seed = 1)
  # of other sizes, so that training domains have other distances beside each
  new <- simulate_dica(domains = 3, n = 12, seed = 2)[-(1:8), ]
  found <- dg_novelty(dg_ridge(y ~ . | domain, data = train, lambda = 1), new)
  median <- Find(function(column) column$name == "median", describe_result(found)$columns)
  expect_equal(unname(median$values), unname(apply(found$left_out, 1L, stats::median)))
  expect_equal(found$domains$farthest, unname(apply(found$left_out, 1L, max)))
  expect_equal(found$domains$p, unname((1 + rowSums(found$left_out >= found$domains$distance)) / 9))
  expect_output(print(found), "12 %\\s+each\\s+if none is nearer")
  few <- data.frame(domain = "a", training = c("t", "u", "v"), weight = c(0.98, 0.016, 0.004))
  expect_identical(resembled_words("a", few), "t (98 %), u (2 %)")
  few$weight <- c(0.004, 0.002, 0)
  expect_identical(resembled_words("a", few), "none")
})
