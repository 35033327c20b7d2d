# What a fit to many rows costs: laws, counts by hand, and what fits really do.

map_500 <- features_nystrom(500)
pooled_500 <- dg_ridge(feature_map = map_500, domain_kernel = domain_pooled(), lambda = 1)

of_pass <- function(cost, pass, column) cost$passes[cost$passes$pass == pass, column]

# The passes of a call: their labels, and the sums over all rows that each of them came to.
passes_of <- function(code) {
  run <- domgen:::run_pass
  labels <- character()
  sums <- list()
  with_replaced("run_pass", function(source, prototype, work, label) {
    sum <- run(source, prototype, work, label)
    labels <<- c(labels, label)
    sums[[length(sums) + 1L]] <<- sum
    sum
  }, code)
  list(labels = labels, sums = sums)
}

test_that("operations, bytes and the time of passes are linear in the rows", {
  machine <- dg_svm(feature_map = features_rff(50), domain_kernel = domain_pooled())
  for (spec in list(pooled_500, machine, dg_dica(feature_map = map_500, ncomp = 2))) {
    one <- dg_resources(spec, 1e6, 20)$passes
    many <- dg_resources(spec, 1e9, 20)$passes
    rows <- one$pass != "solving"
    for (name in c("operations", "read", "seconds")) {
      expect_equal(many[rows, name], 1000 * one[rows, name])
    }
    expect_identical(many[!rows, ], one[!rows, ])
  }
})

test_that("memory of a worker does not grow with the rows", {
  at <- function(rows) dg_resources(pooled_500, rows, 20)$worker_memory
  expect_identical(at(1e6), at(1e11))
})

test_that("operations of landmarks are those counted by hand", {
  # 100 landmarks of 4 predictors: each 2 * 4 operations for its distance and 20 for the
  # exponential, then the triangular solve, 100^2; products of 100 coordinates on and above the
  # diagonal, an addition and a multiplication each; with two columns, the response and a constant
  values <- 100 * (2 * 4 + 20) + 100^2
  products <- 2 * (100 * 101 / 2) + 2 * 100 * 2
  spec <- dg_ridge(feature_map = features_nystrom(100), domain_kernel = domain_pooled(), lambda = 1)
  cost <- dg_resources(spec, 1000, 4, domains = 1)
  expect_identical(cost$passes$pass, c("count", "survey", "features", "solving"))
  expect_equal(of_pass(cost, "features", "operations"), 1000 * (values + products))
  # one domain: the fit, and one without its group
  expect_equal(of_pass(cost, "solving", "operations"), 2 * 100^3 / 3 + 2 * 100^2)
})

test_that("frequencies, the product map and embeddings are counted by hand", {
  spec <- dg_ridge(feature_map = features_product("fourier", n_features = 30, embedding =
                                                 features_rff(10)), lambda = 1)
  cost <- dg_resources(spec, 1, 5, domains = 7)
  expect_equal(of_pass(cost, "embeddings", "operations"), 10 * (2 * 5 + 40) + 20)
  expect_equal(of_pass(cost, "features", "operations"), 30 * (2 * 5 + 40) + 60 * 61 + 2 * 60 * 2)
  expect_identical(cost$coordinates, 60)

  product <- features_product(x = features_nystrom(10), rank = 4, embedding = features_nystrom(3))
  cost <- dg_resources(dg_ridge(feature_map = product, lambda = 1), 1, 5, domains = 7)
  expect_equal(of_pass(cost, "embeddings", "operations"), 3 * (2 * 5 + 20) + 3^2 + 3)
  expect_equal(of_pass(cost, "features", "operations"), 10 * 30 + 100 + 10 * 11 + 2 * 10 * 2)
  expect_equal(cost$coordinates, 40)
})

test_that("the passes are those that fits make, and as large as the sums they bring", {
  toy <- simulate_dica(domains = 6, n = 40, p = 3, seed = 1)
  source <- row_source(toy, block_size = 40)
  product <- features_product(x = features_nystrom(8, "uniform"), rank = 3,
                              embedding = features_nystrom(5, "uniform"))
  specs <- list(
    dg_ridge(feature_map = product), dg_ridge(feature_map = features_nystrom(12, "uniform")),
    dg_ridge(feature_map = features_rff(6), domain_kernel = domain_pooled(), lambda = 1),
    dg_gp(feature_map = features_rff(6), domain_kernel = domain_pooled()),
    dg_dica(feature_map = features_rff(6), ncomp = 2)
  )
  for (spec in specs) {
    set.seed(1)
    fitted <- passes_of(fit(spec, y ~ . | domain, data = source))
    cost <- dg_resources(spec, nrow(toy), 3, domains = 6, workers = 2)
    shown <- cost$passes[!cost$passes$pass %in% c("count", "solving"), ]
    expect_identical(fitted$labels, shown$pass)
    expect_identical(cost$readings, as.numeric(length(fitted$labels)))
    own <- which(fitted$labels %in% c("embeddings", "features"))
    if (spec$method == "dg_dica") next
    numbers <- vapply(fitted$sums[own], function(sum) sum(lengths(sum[lengths(sum) > 0L])), 0)
    expect_equal(shown$sent[own], 8 * numbers)
  }
})

test_that("passes of a machine bring what is said, as often as its steps need", {
  toy <- simulate_ellipses(domains = 6, n = 40, seed = 1)
  spec <- dg_svm(feature_map = features_rff(5), domain_kernel = domain_pooled(), cost = 1,
                 loss = "squared_hinge")
  set.seed(1)
  fitted <- passes_of(fit(spec, y ~ . | domain, data = row_source(toy)))
  steps <- sum(fitted$labels == "newton")
  expect_gt(steps, 0)
  cost <- dg_resources(spec, nrow(toy), 2, domains = 6, workers = 2, iterations = steps)
  expect_identical(cost$readings, as.numeric(length(fitted$labels)))
  expect_identical(unique(fitted$labels), c("survey", "newton"))
  expect_equal(of_pass(cost, "newton", "sent"), 8 * sum(lengths(fitted$sums[[2L]])))
})

test_that("the number of coordinates is that of the fit", {
  toy <- simulate_dica(domains = 6, n = 40, p = 3, seed = 1)
  for (features in list(features_rff(7), features_nystrom(9, "uniform"))) {
    spec <- dg_ridge(feature_map = features, domain_kernel = domain_pooled(), lambda = 1)
    model <- fit(spec, y ~ . | domain, data = row_source(toy))
    expect_equal(dg_resources(spec, nrow(toy), 3)$coordinates, nrow(model$coefficients))
  }
})

test_that("a thousand workers share the passes, and their sums come to one session", {
  spec <- dg_ridge(feature_map = map_500, lambda = 1)
  one <- dg_resources(spec, 1e11, 20)
  many <- dg_resources(spec, 1e11, 20, workers = 1000)
  expect_identical(of_pass(one, "features", "sent"), 0)
  expect_equal(of_pass(many, "features", "operations"), of_pass(one, "features", "operations"))
  expect_equal(of_pass(many, "features", "seconds"),
               of_pass(one, "features", "seconds") / 1000 + of_pass(many, "features", "sent") / 1e5)
  # 33 groups of domains
  expect_equal(of_pass(many, "features", "sent"), 8 * 33 * (500^2 + 2 * 500 + 4))
  expect_gt(many$master_memory, 1000 * of_pass(many, "features", "sent"))
})

test_that("each round of partitions sends its own sums", {
  sent <- function(partitions) {
    of_pass(dg_resources(pooled_500, 1e8, 20, workers = 4, partitions = partitions), "features", "sent")
  }
  expect_equal(sent(8), 2 * sent(4))
  # runs of at least half of what each has: 50 partitions in runs of 8
  expect_equal(sent(50), 2 * sent(4))
  rounds <- function(n, workers) {
    done <- k <- 0
    while (done < n) {
      done <- max(unlist(domgen:::next_runs(done, n, workers)))
      k <- k + 1
    }
    k
  }
  for (workers in c(2, 3, 7)) for (n in c(1, 2, 5, 7, 16, 33, 100)) {
    size <- list(workers = workers, partitions = n)
    expect_equal(domgen:::cost_rounds(size), rounds(n, workers))
  }
})

test_that("the null model is a survey", {
  expect_identical(dg_resources(dg_null(), 1e6, 3)$passes$pass, c("count", "survey"))
})

test_that("a machine is as many passes as are said, and a chain those of both", {
  svm <- dg_svm(feature_map = features_rff(50), domain_kernel = domain_pooled())
  expect_identical(dg_resources(svm, 1e6, 3, iterations = 8)$readings, 9)
  expect_equal(of_pass(dg_resources(svm, 1e6, 3, iterations = 8), "newton", "operations"),
               8 * of_pass(dg_resources(svm, 1e6, 3, iterations = 1), "newton", "operations"))
  learner <- dg_ridge(feature_map = features_rff(20), domain_kernel = domain_pooled(), lambda = 1)
  chained <- dg_pipeline(dg_dica(ncomp = 2, feature_map = features_rff(50)), learner)
  expect_identical(dg_resources(chained, 1e6, 3)$readings, 3)
})

test_that("the seconds follow from the speeds that are given", {
  at <- function(...) dg_resources(pooled_500, 1e6, 20, ...)$passes
  expect_equal(at(flops = 1e300, bytes = 1e6, bytes_per_value = 4)$seconds,
               c(0.25, 1, 1, 0) * 1e6 * 22 * 4 / 1e6)
  expect_equal(at(flops = 1e9, bytes = 1e300)$seconds, at()$operations / 1e9)
  expect_identical(at(counted = FALSE)$pass, c("survey", "features", "solving"))
})

test_that("what has no source has no cost, and numbers are checked", {
  expect_error(dg_resources(n = 1, predictors = 1), "`spec` must be given", class = "domgen_error")
  expect_error(dg_resources("ridge", 1, 1), "must be a specification", class = "domgen_error_argument")
  expect_error(dg_resources(dg_ridge(), 1e6, 3), "`feature_map` must be a feature map",
               class = "domgen_error_argument")
  expect_error(dg_resources(dg_lm(), 1e6, 3), "`dg_lm\\(\\)` needs all rows at once",
               class = "domgen_error_argument")
  expect_error(dg_resources(dg_auto(), 1e6, 3), "must be `dg_ridge\\(\\)`.*, not `dg_auto\\(\\)`",
               class = "domgen_error_argument")
  odd <- structure(list(), class = c("features_odd", "dg_features"))
  spec <- dg_ridge(domain_kernel = domain_pooled(), feature_map = odd)
  assign("format.features_odd", function(x, ...) "odd", envir = globalenv())
  on.exit(rm("format.features_odd", envir = globalenv()))
  expect_error(dg_resources(spec, 1, 1), "resources of the feature map odd are not known",
               class = "domgen_error_argument")
  expect_error(dg_resources(pooled_500, -1, 3), "`n` must be one positive number, not -1",
               class = "domgen_error_argument")
  expect_error(dg_resources(pooled_500, 1, 3, counted = NA), "`counted` must be TRUE or FALSE",
               class = "domgen_error_argument")
  expect_error(dg_resources(pooled_500, 1, 3, speed = 3), "Unknown argument `speed`",
               class = "domgen_error_argument")
})

test_that("the table is printed with its units", {
  spec <- dg_ridge(feature_map = features_nystrom(100), lambda = 1)
  expect_snapshot(dg_resources(spec, 1e11, 20, workers = 1000, domains = 2000))
})
