# Every kernel, domain kernel, projection, feature map, learner and score of the package under the
# laws that are installed for those of others, inst/testthat/laws.R. The package is searched for
# them, so that a new one is tested the day it appears.
source(system.file("testthat", "laws.R", package = "domgen"), local = TRUE)

exported <- getNamespaceExports("domgen")

made_without_arguments <- function(pattern, class) {
  names <- sort(grep(pattern, exported, value = TRUE))
  made <- lapply(names, function(name) {
    tryCatch(getExportedValue("domgen", name)(), error = function(e) NULL)
  })
  names(made) <- names
  Filter(function(object) inherits(object, class), made)
}

kernels <- made_without_arguments("^kernel_", "domgen_kernel")
domain_kernels <- c(made_without_arguments("^domain_", "domgen_domain_kernel"),
                    list(domain_multitask = domain_multitask(0.3),
                         linear_wasserstein = domain_wasserstein(kernel_linear()),
                         sum_of_kernels = 0.5 + 2 * domain_distribution() + domain_multitask(0.2),
                         product_of_kernels = domain_distribution() * domain_multitask(0.2),
                         sum_wasserstein = domain_wasserstein(kernel_rbf(1) + kernel_poly(2)),
                         linear_distribution = domain_distribution(embedding_kernel = kernel_linear())))
projections <- made_without_arguments("^dg_", "dg_projection_spec")
learners <- made_without_arguments("^dg_", "dg_spec")
learners <- learners[setdiff(names(learners), names(projections))]
# bandwidths for each predictor: test-selection-auto.R
learners$dg_auto <- dg_auto(n_members = 2, max_ard = 0, folds = 2)

test_that("the search finds what there is", {
  expect_true(all(c("kernel_rbf", "kernel_delta", "kernel_poly") %in% names(kernels)))
  expect_true(all(c("domain_pooled", "domain_distribution") %in% names(domain_kernels)))
  methods <- c("dica", "udica", "coir", "kpca", "dcm", "tca", "sca", "mda", "cidg")
  expect_true(all(paste0("dg_", methods) %in% names(projections)))
  expect_true(all(c("dg_svm", "dg_ridge", "dg_gp", "dg_lm", "dg_null") %in% names(learners)))
  expect_true(all(c("rmse", "accuracy") %in% names(metrics)))
})

for (name in names(kernels)) kernel_laws(kernels[[name]], name)
for (name in names(domain_kernels)) domain_kernel_laws(domain_kernels[[name]], name)
for (name in names(projections)) projection_laws(projections[[name]], name)
# a forest draws rows, and a variance that is estimated depends on how many there are
not_copies <- c("dg_auto", "dg_forest", "dg_mixed", "dg_gam")
learners$learner_custom <- learner_custom(
  function(x, y, weights) {
    target <- if (is.factor(y)) as.integer(y) - 1 else y
    list(b = lm.wfit(cbind(1, as.matrix(x)), target, weights)$coefficients, class = is.factor(y))
  },
  function(object, x) {
    values <- drop(cbind(1, as.matrix(x)) %*% object$b)
    if (object$class) pmin(pmax(values, 0), 1) else values
  }
)
for (name in names(learners)) learner_laws(learners[[name]], name, copies = !name %in% not_copies)
for (name in names(metrics)) metric_laws(name)

for (spec in c(projections, learners)) {
  test_that(paste(spec$method, "is the same fit in a search, whatever is fitted before it"), {
    # two classes have one component
    if (method_of(spec)$response == "class") spec$args$ncomp <- 1L
    toy <- (if (method_of(spec)$response == "class") toy_classes else toy_domains)(4, 15)
    other <- spec
    other$args$scale <- "rank"
    if ("lambda" %in% names(spec$args)) other$args$lambda <- 2
    specs <- list(other, spec, spec)
    shared <- domgen:::new_shared(specs)
    input <- read_input(list(x = y ~ . | domain, data = toy))
    predicted <- function(code) quietly(predict(domgen:::with_seed(1, code), toy))
    alone <- predicted(fit(spec, y ~ . | domain, data = toy))
    together <- lapply(specs, function(spec) predicted(fit_input(spec, input, shared)))
    for (k in 2:3) expect_equal(together[[k]], alone, tolerance = 1e-8)
  })
}

# More domains than folds of a calibration or a search, all with as many rows, so that nothing but
# their order could tell them apart.
of_class <- list(
  text = as.character, integer = as.integer, number = as.double,
  reversed = function(id) factor(id, rev(sort(unique(id)))),
  shuffled = function(id) factor(id, sample(20)),
  ordered = function(id) factor(id, sample(unique(id)), ordered = TRUE)
)
many_domains <- with_seed(4L, {
  data <- data.frame(id = rep(1:13, 8), x = rnorm(104), z = rnorm(104))
  data$y <- data$x + 0.5 * data$z + sin(data$id) + rnorm(104)
  data$class <- factor(data$y > 0, labels = c("low", "high"))
  data
})
calls <- list(
  predict = function(spec, formula, data) {
    model <- fit(spec, formula, data = data)
    list(predict(model, data), predict(model, transform(data[1:8, ], id = 101)))
  },
  dg_cv = function(spec, formula, data) {
    unclass(dg_cv(spec, formula, data = data, folds = 5, progress = FALSE))[c("mean", "domains")]
  },
  dg_importance = function(spec, formula, data) {
    as.data.frame(dg_importance(fit(spec, formula, data = data)))
  },
  dg_novelty = function(spec, formula, data) {
    dg_novelty(fit(spec, formula, data = data), transform(data[1:8, ], id = 101, x = x + 1))$domains
  }
)
numbers_of <- function(x) {
  suppressWarnings(as.numeric(unlist(rapply(as.list(x), unclass, how = "list"))))
}

test_that("the class of the domain column and the order of its levels change no result", {
  skip_on_cran()
  with_seed(5L, for (name in setdiff(names(learners), "learner_custom")) {
    for (call in if (name == "dg_auto") "predict" else c("predict", sample(names(calls)[-1L], 1))) {
      spec <- learners[[name]]
      response <- if (call != "dg_novelty" && method_of(spec)$response != "number") sample(c("y", "class"), 1)
                  else "y"
      if ("calibration" %in% names(spec$args) && response == "class") spec$args$calibration <- "platt"
      formula <- stats::reformulate("x + z | id", response)
      result <- function(class) {
        data <- transform(many_domains, id = class(id))
        quietly(with_seed(6L, numbers_of(calls[[call]](spec, formula, data))))
      }
      expected <- result(of_class$text)
      for (class in sample(names(of_class)[-1L], 2)) {
        expect_equal(result(of_class[[class]]), expected, tolerance = 1e-8,
                     label = paste(call, "of", name, "for", response, "with domains", class))
      }
    }
  })
})

# Each on the first of these that it represents.
possible <- list(dg_kpca(), dg_kpca(kernel = kernel_linear()),
                 dg_dica(domain_kernel = domain_distribution()))
represents <- function(features) function(spec) {
  tryCatch({
    quietly(fit(set_parameters(spec, list(feature_map = features)), y ~ . | domain,
                data = toy_domains(3, 10)))
    TRUE
  }, domgen_error = function(e) FALSE)
}
maps <- made_without_arguments("^features_", "dg_features")
# fewer landmarks than rows, so that they are drawn
maps$features_nystrom <- features_nystrom(20)
maps$features_product <- features_product(x = features_nystrom(20))
for (name in names(maps)) {
  spec <- if (name == "features_product") possible[[3L]]
          else Find(represents(maps[[name]]), possible)
  feature_laws(maps[[name]], spec, name,
               draws = !name %in% c("features_exact", "features_linear"))
}

# The laws in a reporter of their own: descriptions of the tests that fail.
broken_by <- function(code) {
  reporter <- ListReporter$new()
  with_reporter(reporter, code)
  results <- as.data.frame(reporter$get_results())
  results$test[results$failed > 0 | results$error]
}

test_that("what breaks a law is found", {
  lopsided <- kernel_custom(function(x, z) exp(-outer(x[, 1], 2 * z[, 1], "-")^2))
  expect_match(broken_by(kernel_laws(lopsided, "lopsided")), "symmetric", all = FALSE)
  expect_identical(broken_by(kernel_laws(kernel_custom(function(x, z) tcrossprod(x, z)))),
                   character())
  by_place <- metric_custom(function(truth, prediction) {
    sum(seq_along(truth) * (truth != prediction))
  }, "low", "by place")
  expect_match(broken_by(metric_laws(by_place)), "does not depend on the order", all = FALSE)
  wrong_way <- metric_custom(function(truth, prediction) mean(truth == prediction), "low", "hits")
  expect_match(broken_by(metric_laws(wrong_way)), "is best if perfect", all = FALSE)
})

# A kernel, a projection and a learner made outside the package, in a session that knows only what
# is installed: they use what is exported for them, see ?extending.
test_that("the laws hold for parts that are made outside the package", {
  skip_on_cran()
  script <- test_path("fixtures", "outside.R")
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(script),
                                   stdout = TRUE, stderr = TRUE))
  expect_null(attr(said, "status"), label = paste(said, collapse = "\n"))
})

test_that("fits of many tiles are bitwise the same when repeated, and on one thread as on two", {
  skip_on_cran()
  train <- simulate_dica(domains = 6, n = 60, p = 5, seed = 2)
  test <- simulate_dica(domains = 2, n = 100, p = 5, seed = 3)
  specs <- list(
    dica = dg_dica(ncomp = 2), udica = dg_udica(ncomp = 2), kpca = dg_kpca(ncomp = 2),
    svm = dg_svm(cost = 10), pooled = dg_svm(domain_kernel = domain_pooled(), intercept = TRUE),
    chain = dg_pipeline(dg_dica(ncomp = 2), dg_svm())
  )
  for (name in names(specs)) {
    run <- function(threads) {
      old <- options(domgen.threads = threads)
      on.exit(options(old))
      spec <- specs[[name]]
      if ("threads" %in% names(spec$args)) spec$args["threads"] <- list(threads)
      model <- fit(spec, y ~ . | domain, data = train)
      list(fitted = fitted(model), predicted = predict(model, test))
    }
    two <- run(2L)
    expect_identical(run(2L), two, label = name)
    expect_equal(run(1L), two, tolerance = 1e-10, label = name)
  }
  X <- as.matrix(train[-(1:2)])
  expect_identical(kernel_matrix(kernel_rbf(), X, threads = 1),
                   kernel_matrix(kernel_rbf(), X, threads = 2))
  expect_identical(domain_gram(X, train$domain, threads = 1), domain_gram(X, train$domain))
})
