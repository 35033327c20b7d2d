set.seed(1)
x <- rbind(matrix(rnorm(40), 20), matrix(rnorm(30, 1), 15), matrix(rnorm(20, -1), 10))
domain <- rep(c("a", "b", "c"), c(20, 15, 10))
kernel <- kernel_rbf(1.2)
K <- exp(-as.matrix(dist(x))^2 / (2 * 1.2^2))
E <- outer(domain, c("a", "b", "c"), "==") %*% diag(1 / c(20, 15, 10))
G <- 3

test_that("domain_gram is the average of the kernel over pairs of rows", {
  expected <- t(E) %*% K %*% E
  dimnames(expected) <- list(c("a", "b", "c"), c("a", "b", "c"))
  gram <- domain_gram(x, domain, kernel)
  expect_equal(gram, expected, tolerance = 1e-13)
  expect_identical(gram, t(gram))
  expect_identical(gram, domain_gram(x, domain, kernel, threads = 1))
})

test_that("the distributional variance is definition 1, equation 4 and lemma 6 of the DICA paper", {
  variance <- distributional_variance(x, domain, kernel)
  gram <- t(E) %*% K %*% E
  expect_equal(variance, sum(diag(gram)) / G - sum(gram) / G^2, tolerance = 1e-12)
  Q <- E %*% (diag(G) / G - 1 / G^2) %*% t(E)
  expect_equal(variance, sum(K * Q), tolerance = 1e-12)
  centre <- diag(G) - 1 / G
  expect_equal(variance, mean(diag(centre %*% gram %*% centre)), tolerance = 1e-12)
})

test_that("the entries of Q are those printed before equation 4", {
  Q <- E %*% (diag(G) / G - 1 / G^2) %*% t(E)
  expect_equal(Q[1, 2], (G - 1) / (G^2 * 20^2))
  expect_equal(Q[1, 25], -1 / (G^2 * 20 * 15))
})

test_that("equal domains have no distributional variance, different ones have (theorem 1)", {
  copies <- rbind(x, x)
  expect_lt(distributional_variance(copies, rep(1:2, each = nrow(x)), kernel), 1e-15)
  expect_gt(distributional_variance(rbind(x, x + 1), rep(1:2, each = nrow(x)), kernel), 1e-3)
  expect_gte(distributional_variance(x, rep("one", nrow(x)), kernel), 0)
})

test_that("mmd is the distance of mean embeddings, four times the variance of two domains", {
  result <- dg_mmd(x, domain, kernel)
  gram <- domain_gram(x, domain, kernel)
  expect_equal(result$squared["a", "b"], gram["a", "a"] + gram["b", "b"] - 2 * gram["a", "b"],
               tolerance = 1e-12)
  two <- domain != "c"
  expect_equal(dg_mmd(x[two, ], domain[two], kernel)$squared["a", "b"],
               4 * distributional_variance(x[two, ], domain[two], kernel), tolerance = 1e-12)
  expect_null(result$p_value)
})

test_that("the unbiased mmd leaves out the pairs of a row with itself", {
  a <- domain == "a"
  b <- domain == "b"
  within <- function(i) (sum(K[i, i]) - sum(i)) / (sum(i) * (sum(i) - 1))
  expect_equal(dg_mmd(x, domain, kernel, unbiased = TRUE)$squared["a", "b"],
               within(a) + within(b) - 2 * mean(K[a, b]), tolerance = 1e-12)
})

test_that("the permutation test is what a loop over permutations gives", {
  two <- domain != "c"
  for (unbiased in c(FALSE, TRUE)) {
    set.seed(7)
    fast <- dg_mmd(x[two, ], domain[two], kernel, unbiased = unbiased, permutations = 30)
    set.seed(7)
    first <- domain[two] == "a"
    null <- replicate(30, {
      labels <- ifelse(first[order(sample.int(length(first)))], "a", "b")
      dg_mmd(x[two, ], labels, kernel, unbiased = unbiased)$squared["a", "b"]
    })
    expect_equal(fast$p_value["a", "b"], (1 + sum(null >= fast$squared["a", "b"])) / 31)
  }
})

test_that("the permutation test finds a shift and is level without one", {
  set.seed(2)
  shifted <- dg_mmd(rbind(matrix(rnorm(80), 40), matrix(rnorm(80, 1.5), 40)), rep(1:2, each = 40),
                 permutations = 99)
  expect_lte(shifted$p_value[1, 2], 0.02)
  p <- replicate(40, dg_mmd(matrix(rnorm(40), 40), rep(1:2, each = 20), permutations = 19)$p_value[1, 2])
  expect_lt(mean(p <= 0.05), 0.25)
  expect_gt(mean(p), 0.3)
})

test_that("one-row domains work, with a warning where the estimate needs two", {
  expect_warning(result <- dg_mmd(rbind(x, 5), c(domain, "single"), kernel, unbiased = TRUE), "single",
                 class = "domgen_warning_small_domain")
  expect_true(is.na(result$squared["a", "single"]))
  expect_false(anyNA(dg_mmd(rbind(x, 5), c(domain, "single"), kernel)$squared))
})

test_that("a missing or ill-fitting domain is refused", {
  expect_refusals({
    domain_gram(x)
    domain_gram(x, domain[-1])
    dg_mmd(x, c(NA, domain[-1]))
    dg_mmd(x, domain, permutations = -1)
    distributional_variance(x, domain, kernel = "rbf")
  })
})

test_that("mmd prints its distances and p-values", {
  set.seed(1)
  expect_snapshot(dg_mmd(x, domain, kernel, permutations = 9))
})

test_that("a formula gives what its columns give as a matrix", {
  d <- data.frame(x, site = domain, other = seq_along(domain))
  names <- colnames(as.data.frame(x))
  names(d)[seq_along(names)] <- paste0("v", seq_along(names))
  bare <- stats::reformulate(c(paste0("v", seq_along(names)), "other"))
  X <- as.matrix(d[all.vars(bare)])
  scaled <- scale(X, scale = apply(X, 2, function(v) sqrt(mean((v - mean(v))^2))))
  squared <- function(...) {
    call <- sys.call()
    call[[1L]] <- quote(dg_mmd)
    eval(call, parent.frame())$squared
  }
  for (fun in list(domain_gram, distributional_variance, squared)) {
    expect_equal(fun(~ . | site, data = d), fun(X, domain))
    expect_equal(fun(bare, site, data = d), fun(X, domain))
    expect_equal(fun(~ . | site, d), fun(X, domain))
    expect_equal(fun(~ . | site, data = d, scale = "pooled"), fun(scaled, domain))
    expect_equal(fun(bare, domain = d$site, data = d, kernel = kernel_laplace(2)),
                 fun(X, domain, kernel_laplace(2)))
  }
  within <- function() {
    hidden <- d
    width <- 1.5
    distributional_variance(other ~ v1 | site, data = hidden, kernel = kernel_rbf(width))
  }
  expect_equal(within(), distributional_variance(X[, 1, drop = FALSE], domain, kernel_rbf(1.5)))
  set.seed(4)
  p <- dg_mmd(~ v1 | site, data = d, permutations = 19)
  set.seed(4)
  expect_equal(p$p_value, dg_mmd(X[, 1, drop = FALSE], domain, permutations = 19)$p_value)
  expect_identical(p$labels$domain, "site")
})

test_that("a formula's missing values, factors and mistakes are those of other methods", {
  d <- data.frame(v = c(x[, 1]), site = domain, kind = factor(rep_len(c("a", "b"), nrow(x))))
  gaps <- replace(d, 1, replace(d$v, 3, NA))
  expect_warning(found <- domain_gram(~ v | site, data = gaps), "1 row of [0-9]+ left out")
  expect_equal(found, domain_gram(~ v | site, data = d[-3, ]))
  coded <- cbind(d$v, d$kind == "b")
  expect_equal(domain_gram(~ . | site, data = d), domain_gram(coded, domain))
  mixed <- kernel_mixed(1, 0.3)
  expect_equal(domain_gram(~ . | site, data = d, kernel = mixed),
               domain_gram(d[c("v", "kind")], domain, mixed))
  refused <- function(code, words) {
    expect_error(code, words, class = "domgen_error")
  }
  refused(dg_mmd(~ nothing | site, data = d), "no column `nothing`")
  refused(dg_mmd(~ v, data = d), "A domain is needed")
  refused(dg_mmd(~ v | site, data = gaps, na.action = na.fail), "na.fail")
  refused(dg_mmd(~ v | site, data = d, scale = "both"), "`scale` must be one of")
  refused(dg_mmd(x, domain, data = d), "`data` needs a formula")
  refused(dg_mmd(x, domain, scale = "pooled"), "`scale` needs a formula")
  refused(domain_gram(), "`x` must be given")
})

test_that("one domain has a distance to itself alone, and is printed", {
  expect_output(print(dg_mmd(as.matrix(iris[1:20, 1:2]), rep("only", 20))), "only +0")
})
