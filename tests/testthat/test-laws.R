# Laws that every kernel, projection and learner obeys. The package is searched
# for them, so that a new one is tested the day it appears.

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
projections <- made_without_arguments("^[a-z]+$", "dg_projection_spec")
learners <- made_without_arguments("^dg_", "dg_spec")

set.seed(11)
X <- matrix(rnorm(60 * 3), 60)
Z <- matrix(rnorm(20 * 3), 20)
toy <- toy_domains(4, 15)
test <- toy_domains(2, 12, seed = 7)

test_that("the search finds what there is", {
  expect_true(all(c("kernel_rbf", "kernel_delta", "kernel_poly") %in% names(kernels)))
  expect_true(all(c("dica", "udica", "coir", "kpca", "dcm", "tca", "sca", "mda", "cidg") %in% names(projections)))
  expect_true(all(c("dg_svm", "dg_ridge", "dg_gp", "dg_lm", "dg_null") %in% names(learners)))
})

for (name in names(kernels)) {
  test_that(paste(name, "is symmetric, positive semi-definite and its own cross matrix"), {
    kernel <- kernel_fit(kernels[[name]], X)
    K <- kernel_matrix(kernel, X)
    expect_identical(K, t(K))
    expect_gte(min(eigen(K, symmetric = TRUE, only.values = TRUE)$values), -1e-10 * max(abs(K)) * 60)
    expect_equal(kernel_matrix(kernel, X, X), K, tolerance = 1e-12)
    expect_equal(kernel_matrix(kernel, X, Z), t(kernel_matrix(kernel, Z, X)), tolerance = 1e-12)
    expect_true(nzchar(format(kernel)))
  })

  test_that(paste(name, "gives domains the average of its matrix"), {
    kernel <- kernel_fit(kernels[[name]], X)
    domain <- rep(1:3, each = 20)
    expected <- tapply(kernel_matrix(kernel, X), list(domain[row(diag(60))], domain[col(diag(60))]), mean)
    expect_equal(unname(domain_gram(X, domain, kernel)), unname(expected), tolerance = 1e-12)
  })

  test_that(paste(name, "between embeddings is the same function as between rows"), {
    kernel <- kernel_fit(kernels[[name]], X)
    values <- tryCatch(
      kernel_profile(kernel, X %*% t(Z), rowSums(X^2), rowSums(Z^2)),
      domgen_error_argument = function(e) skip(paste(name, "is no function of inner products"))
    )
    expect_equal(values, kernel_matrix(kernel, X, Z), tolerance = 1e-8)
  })
}

# Some projections are made for classes.
data_for <- function(spec, ...) {
  if (spec$parts$response == "class") toy_classes(...) else toy_domains(...)
}

for (name in names(projections)) {
  # two classes have one component
  if (projections[[name]]$parts$response == "class") projections[[name]]$args$ncomp <- 1L
  toy <- data_for(projections[[name]], 4, 15)
  test <- data_for(projections[[name]], 2, 12, seed = 7)

  test_that(paste(name, "projects its training rows as it fitted them, in any order"), {
    spec <- projections[[name]]
    model <- fit(spec, y ~ . | domain, data = toy)
    expect_equal(predict(model, toy), fitted(model), tolerance = 1e-9)
    whole <- predict(model, test)
    order <- sample(nrow(test))
    expect_equal(predict(model, test[order, ]), whole[order, , drop = FALSE], tolerance = 1e-12)
    expect_true(all(model$residual < 20))
    expect_false(is.unsorted(rev(model$values)))
    expect_equal(unname(colMeans(fitted(model))), rep(0, ncol(fitted(model))), tolerance = 1e-10)
  })

  test_that(paste(name, "is the same fit in a search, whatever is fitted before it to these rows"), {
    other <- spec <- projections[[name]]
    other$args$scale <- "rank"
    fits <- fit_inputs(list(other, spec, spec), list(x = y ~ . | domain, data = toy))
    alone <- predict(fit(spec, y ~ . | domain, data = toy), test)
    for (shared in lapply(fits, function(fit) seal(fit()))[2:3]) {
      expect_equal(predict(shared, test), alone, tolerance = 1e-8)
    }
  })

  test_that(paste(name, "does not depend on the order of the training rows, threads or names"), {
    spec <- projections[[name]]
    model <- fit(spec, y ~ . | domain, data = toy)
    shuffled <- fit(spec, y ~ . | domain, data = toy[sample(nrow(toy)), ])
    expect_equal(shuffled$values, model$values, tolerance = 1e-8)
    expect_equal(abs(predict(shuffled, test)), abs(predict(model, test)), tolerance = 1e-5)
    renamed <- transform(toy, domain = factor(domain, labels = letters[4:1]))
    expect_equal(fit(spec, y ~ . | domain, data = renamed)$values, model$values, tolerance = 1e-8)
    single <- spec
    single$args$threads <- 1L
    expect_equal(fit(single, y ~ . | domain, data = toy)$scores, model$scores, tolerance = 1e-10)
  })

  test_that(paste(name, "gives the same result twice, to the bit"), {
    spec <- projections[[name]]
    expect_identical(fit(spec, y ~ . | domain, data = toy)$scores,
                     fit(spec, y ~ . | domain, data = toy)$scores)
  })
}

maps <- list(nystrom = features_nystrom(30), rff = features_rff(40))

for (name in names(projections)) for (map in names(maps)) {
  toy <- data_for(projections[[name]], 4, 15)
  test <- data_for(projections[[name]], 2, 12, seed = 7)
  spec <- projections[[name]]
  spec$args$features <- maps[[map]]
  spec$args$ncomp <- if (is.factor(toy$y)) 1L else 2L
  # the map is drawn when the method is fitted
  fit_with_seed <- function(seed, threads = 2L) {
    spec$args$threads <- threads
    with_seed(seed, fit(spec, y ~ . | domain, data = toy))
  }

  test_that(paste(name, "on", map, "features projects its training rows as it fitted them"), {
    model <- fit_with_seed(1)
    expect_equal(predict(model, toy), fitted(model), tolerance = 1e-9)
    expect_equal(unname(colMeans(fitted(model))), rep(0, ncol(fitted(model))), tolerance = 1e-10)
    whole <- predict(model, test)
    order <- sample(nrow(test))
    expect_equal(predict(model, test[order, ]), whole[order, , drop = FALSE], tolerance = 1e-12)
    alone <- do.call(rbind, lapply(1:3, function(i) predict(model, test[i, ])))
    expect_equal(alone, whole[1:3, , drop = FALSE], tolerance = 1e-12)
    expect_false(is.unsorted(rev(model$values)))
  })

  test_that(paste(name, "on", map, "features does not depend on threads, but on the seed"), {
    model <- fit_with_seed(1)
    expect_identical(fit_with_seed(1)$scores, model$scores)
    single <- fit_with_seed(1, threads = 1L)
    for (part in c("values", "scores", "directions", "centre")) {
      expect_equal(single[[part]], model[[part]], tolerance = 1e-10, label = part)
    }
    expect_equal(predict(single, test), predict(model, test), tolerance = 1e-10)
    expect_false(isTRUE(all.equal(fit_with_seed(2)$values, model$values, tolerance = 1e-10)))
  })

  test_that(paste(name, "on", map, "features comes back from a file as it was saved"), {
    model <- fit_with_seed(1)
    file <- tempfile(fileext = ".rds")
    saveRDS(model, file)
    expect_identical(predict(readRDS(file), test), predict(model, test))
  })
}

for (name in names(projections)) {
  toy <- data_for(projections[[name]], 4, 15)
  spec <- projections[[name]]
  spec$args$features <- features_rff(40)
  spec$args$ncomp <- 1L

  test_that(paste(name, "on rff features does not depend on the order of the training rows"), {
    model <- with_seed(1, fit(spec, y ~ . | domain, data = toy))
    order <- with_seed(2, sample(nrow(toy)))
    shuffled <- with_seed(1, fit(spec, y ~ . | domain, data = toy[order, ]))
    expect_equal(shuffled$values, model$values, tolerance = 1e-8)
    expect_equal(abs(fitted(shuffled)), abs(fitted(model))[order, , drop = FALSE], tolerance = 1e-6)
  })
}

toy <- toy_domains(4, 15)
test <- toy_domains(2, 12, seed = 7)

for (name in names(learners)) {
  test_that(paste(name, "predicts its training rows as it fitted them, in any order, twice the same"), {
    spec <- learners[[name]]
    model <- fit(spec, y ~ . | domain, data = toy)
    expect_equal(predict(model, toy), fitted(model), tolerance = 1e-9)
    whole <- predict(model, test)
    order <- sample(nrow(test))
    expect_equal(predict(model, test[order, ]), whole[order], tolerance = 1e-12)
    expect_identical(predict(fit(spec, y ~ . | domain, data = toy), test), whole)
    expect_output(print(model), paste(nrow(toy), "rows"))
  })

  test_that(paste(name, "is the same fit in a search, whatever is fitted before it to these rows"), {
    spec <- learners[[name]]
    other <- spec
    other$args$scale <- "rank"
    if ("lambda" %in% names(spec$args)) other$args$lambda <- 2
    if ("cost" %in% names(spec$args)) other$args$cost <- 2
    fits <- fit_inputs(list(other, spec, spec), list(x = y ~ . | domain, data = toy))
    predicted <- function(model) quietly(predict(seal(model), test))
    alone <- predicted(fit(spec, y ~ . | domain, data = toy))
    for (shared in lapply(fits, function(fit) fit())[2:3]) {
      expect_equal(predicted(shared), alone, tolerance = 1e-10)
    }
  })

  test_that(paste(name, "gives NA for a row with a missing value and the rest as without it"), {
    model <- fit(learners[[name]], y ~ . | domain, data = toy)
    holes <- test
    holes$x2[4] <- NA
    expect_warning(values <- predict(model, holes), "1 row", class = "domgen_warning_missing")
    expect_identical(which(is.na(values)), 4L)
    expect_equal(values[-4], predict(model, test[-4, ]), tolerance = 1e-12)
  })

  test_that(paste(name, "predicts classes as it does numbers, and comes back from a file"), {
    skip_if(learners[[name]]$parts$response == "number", paste(name, "predicts numbers"))
    labels <- toy_classes(4, 15)
    model <- fit(learners[[name]], y ~ . | domain, data = labels)
    class <- predict(model, labels)
    expect_identical(levels(class), levels(labels$y))
    expect_identical(class, predict(model, labels, type = "class"))
    file <- tempfile(fileext = ".rds")
    saveRDS(model, file)
    expect_identical(predict(readRDS(file), labels), class)
  })

  test_that(paste(name, "counts a row of weight 2 twice"), {
    if (name == "dg_auto") skip("dg_auto() describes the rows as they are, and scores them so")
    w <- rep_len(c(1, 2), nrow(toy))
    spec <- learners[[name]]
    if ("kernel" %in% names(spec$args)) {
      # weights are costs: the embedding and the bandwidth describe the rows as they are
      spec$args[c("kernel", "scale")] <- list(kernel_rbf(1.5), "none")
      spec$args$domain_kernel <- domain_pooled()
      spec$args$tolerance <- 1e-8
    }
    # copies of a row also say how large the noise is
    if ("noise" %in% names(spec$args)) spec$args[c("signal", "noise")] <- list(1, 0.5)
    weighted <- fit(spec, y ~ x1 + x2 | domain, data = toy, weights = w)
    copied <- fit(spec, y ~ x1 + x2 | domain, data = toy[rep(seq_len(nrow(toy)), w), ])
    expect_equal(predict(weighted, test), predict(copied, test), tolerance = 1e-5)
  })
}

test_that("fits of many tiles are bitwise the same when repeated, and on one thread as on two", {
  skip_on_cran()
  train <- simulate_dica(domains = 6, rows = 250, p = 5, seed = 2)
  test <- simulate_dica(domains = 2, rows = 300, p = 5, seed = 3)
  specs <- list(
    dica = dica(ncomp = 2), udica = udica(ncomp = 2), kpca = kpca(ncomp = 2),
    svm = dg_svm(cost = 10), pooled = dg_svm(domain_kernel = domain_pooled(), offset = TRUE),
    chain = chain(dica(ncomp = 2), dg_svm())
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
