# Sums of features that are made piece by piece, against one pass over all rows
# and against the features themselves.

toy <- toy_domains(4, 40, seed = 3)
labels <- toy_classes(4, 40, seed = 3)
set.seed(1)
toy <- toy[sample(nrow(toy)), ]
labels <- labels[sample(nrow(labels)), ]
few <- features_nystrom(25)

sums_of <- function(formula, data, seed = 1, feature_map = few, ...) {
  set.seed(seed)
  feature_sums(formula, data = data, feature_map = feature_map, ...)
}

# Cells in one order, so that sums made in another order can be compared.
sorted <- function(sums) {
  order <- order(sums$cells$domain, sums$cells$class)
  sums$cells <- sums$cells[order, ]
  rownames(sums$cells) <- NULL
  sums$sums <- sums$sums[, order, drop = FALSE]
  sums$response$levels <- sort(sums$response$levels)
  sums
}

# Sums of the same rows under the map of `object`, cut into other pieces: what is of predictors
# and what is of the response, each to what rounding leaves in features of its own map.
expect_same_sums <- function(sums, expected, object) {
  of_x <- rounding_of_features(object$space$map)
  of_y <- of_x + rounding_of_features(object$response_map)
  sums <- sorted(sums)
  expected <- sorted(expected)
  expect_equal(sums[names(sums) != "response"], expected[names(expected) != "response"],
               tolerance = of_x)
  expect_equal(sums$response, expected$response, tolerance = of_y)
}

formulas <- list(numbers = y ~ . | domain, none = ~ x1 + x2 + x3 | domain,
                 `no domain` = log(abs(y) + 1) ~ x1 + x2)

for (name in names(formulas)) {
  test_that(paste("pieces add up to one pass over all rows:", name), {
    first <- sums_of(formulas[[name]], toy[1:60, ])
    once <- update(first, toy)$sums
    pieces <- first + update(first, data = toy[61:90, ]) + update(first, toy[91:nrow(toy), ])
    expect_same_sums(pieces$sums, once, first)
    expect_equal(nobs(pieces), nrow(toy))
    expect_identical(update(first, toy[1:60, ])$sums, first$sums)
  })

  test_that(paste("sums are those of the features, written out:", name), {
    object <- sums_of(formulas[[name]], toy[1:60, ])
    sums <- update(object, toy)$sums
    X <- as.matrix(toy[object$blueprint$columns])
    X <- sweep(sweep(X, 2, colMeans(X[1:60, ])), 2, apply(X[1:60, ], 2, sd), "/")
    domain <- if (name == "no domain") factor(rep("all", nrow(toy))) else toy$domain
    Z <- space_rows(object$space, list(X = X, domain = domain))
    of_x <- rounding_of_features(object$space$map)
    expect_equal(sums$second, crossprod(Z), tolerance = of_x)
    expect_equal(sums$sums, t(rowsum(Z, as.character(domain))), tolerance = of_x,
                 ignore_attr = TRUE)
    expect_identical(sums$cells$domain, levels(domain))
    expect_identical(unique(sums$cells$class), "all")
    expect_equal(sums$cells$count, as.vector(table(domain)))
    if (name == "none") return(expect_null(sums$response$cross))
    y <- if (name == "numbers") toy$y else log(abs(toy$y) + 1)
    F <- response_rows(object$response_map, y, 1L)
    of_y <- rounding_of_features(object$response_map)
    expect_equal(sums$response$cross, crossprod(Z, F), tolerance = of_x + of_y)
    expect_equal(sums$response$second, crossprod(F), tolerance = of_y)
    expect_equal(sums$response$sums, colSums(F), tolerance = of_y)
  })
}

test_that("classes and domains that come later get cells of their own", {
  classes <- transform(labels, y = factor(ifelse(x1 > 1.5, "rare", as.character(y))))
  early <- classes[classes$y != "rare" & classes$domain != levels(classes$domain)[4], ]
  expect_silent(first <- sums_of(y ~ . | domain, early[1:40, ]))
  expect_identical(first$sums$response$levels, setdiff(levels(classes$y), "rare"))
  rest <- classes[!rownames(classes) %in% rownames(early)[1:40], ]
  # text, and in another order of levels
  rest$y <- as.character(rest$y)
  added <- (update(first, rest) + first)$sums
  once <- update(first, data = classes)$sums
  expect_same_sums(added, once, first)
  counts <- table(classes$domain, classes$y)
  cell <- cbind(added$cells$domain, added$cells$class)
  expect_equal(added$cells$count, counts[cell])
  expect_identical(nrow(added$cells), sum(counts > 0))
  expect_setequal(added$response$levels, c("rare", levels(labels$y)))
  Z <- space_rows(first$space, list(X = apply_scaling(as.matrix(classes[c("x1", "x2", "x3")]),
                                                 first$blueprint$scaling), domain = classes$domain))
  for (column in seq_len(nrow(cell))) {
    own <- classes$domain == cell[column, 1] & classes$y == cell[column, 2]
    expect_equal(added$sums[, column], colSums(Z[own, , drop = FALSE]), tolerance = 1e-10)
  }
})

test_that("adding is commutative, associative and keeps the map", {
  first <- sums_of(y ~ . | domain, labels[1:50, ])
  second <- update(first, labels[51:80, ])
  third <- update(first, labels[81:120, ])
  expect_equal(sorted((first + second)$sums), sorted((second + first)$sums), tolerance = 1e-14)
  expect_equal(sorted(((first + second) + third)$sums), sorted((first + (second + third))$sums),
               tolerance = 1e-14)
  expect_identical((first + second)$space, first$space)
})

test_that("matrices, data frames and formulas have the same sums", {
  X <- as.matrix(toy[c("x1", "x2", "x3")])
  y <- toy$y
  domain <- as.character(toy$domain)
  first <- 1:60
  by_formula <- sums_of(y ~ . | domain, toy[first, ])
  set.seed(1)
  by_matrix <- feature_sums(X[first, ], y[first], domain[first], feature_map = few)
  set.seed(1)
  by_frame <- feature_sums(toy[first, c("x1", "x2", "x3")], y = y[first], domain = domain[first],
                           feature_map = few)
  set.seed(1)
  by_column <- feature_sums(y ~ . - domain, data = toy[first, ], domain = domain, feature_map = few)
  rest <- -first
  expected <- (by_formula + update(by_formula, toy[rest, ]))$sums
  matrix <- by_matrix + update(by_matrix, X[rest, ], y[rest], domain[rest])
  expect_same_sums(matrix$sums, expected, by_formula)
  frame <- by_frame + update(by_frame, toy[rest, ], y = y[rest], domain = domain[rest])
  expect_same_sums(frame$sums, expected, by_formula)
  expect_same_sums((by_column + update(by_column, toy[rest, ]))$sums, expected, by_formula)
})

test_that("one domain may be given for all rows of a piece", {
  parts <- split(toy, toy$domain)
  first <- sums_of(y ~ . | domain, parts[[1]])
  piece <- parts[[2]][setdiff(names(toy), "domain")]
  sums <- update(first, data = piece, domain = "elsewhere")
  expect_identical(sums$sums$cells$domain, "elsewhere")
})

test_that("a multi-task kernel knows domains by their names", {
  first <- sums_of(y ~ . | domain, toy[1:60, ], domain_kernel = domain_multitask(0.2))
  added <- first + update(first, toy[61:nrow(toy), ])
  expect_same_sums(added$sums, update(first, toy)$sums, first)
  X <- apply_scaling(as.matrix(toy[c("x1", "x2", "x3")]), first$blueprint$scaling)
  expect_equal(added$sums$second,
               crossprod(space_rows(first$space, list(X = X, domain = toy$domain))),
               tolerance = 1e-10)
})

test_that("sums under a kernel that judges domains by their rows can be made, but not updated", {
  features <- features_product(x = features_nystrom(10), rank = 3, embedding = features_nystrom(20))
  kernel <- domain_distribution()
  sums <- sums_of(y ~ . | domain, toy, feature_map = features, domain_kernel = kernel)
  X <- apply_scaling(as.matrix(toy[c("x1", "x2", "x3")]), sums$blueprint$scaling)
  expect_equal(sums$sums$second,
               crossprod(space_rows(sums$space, list(X = X, domain = toy$domain))),
               tolerance = 1e-10)
  expect_domgen_error(update(sums, toy), "can be updated with", "domgen_error_argument")
})

test_that("Fourier and product maps add as landmarks do", {
  for (features in list(features_rff(20), features_product(x = features_nystrom(15)))) {
    first <- sums_of(y ~ . | domain, labels[1:60, ], feature_map = features)
    expect_same_sums((first + update(first, labels[-(1:60), ]))$sums, update(first, labels)$sums,
                     first)
  }
})

test_that("rows taken in parts have the sums of all rows", {
  rows <- rep(seq_len(nrow(toy)), length.out = 70000)
  data <- toy[rows, ]
  first <- sums_of(y ~ . | domain, toy[1:60, ], feature_map = features_nystrom(5))
  whole <- update(first, toy)$sums
  part <- update(first, toy[seq_len(70000 %% nrow(toy)), ])$sums
  times <- 70000 %/% nrow(toy)
  sums <- update(first, data)$sums
  expect_equal(sums$response$cross, times * whole$response$cross + part$response$cross,
               tolerance = 1e-10)
  expect_equal(sums$second, times * whole$second + part$second, tolerance = 1e-10)
  expect_equal(sums$n, 70000)
})

test_that("sums do not depend on threads, and are the same twice to the bit", {
  one <- sums_of(y ~ . | domain, toy, threads = 1)
  two <- sums_of(y ~ . | domain, toy, threads = 2)
  expect_same_sums(one$sums, two$sums, one)
  expect_identical(sums_of(y ~ . | domain, toy, threads = 2)$sums, two$sums)
  expect_same_sums(update(one, toy, threads = 2)$sums, two$sums, one)
})

test_that("sums come back from a file and can be continued", {
  shift <- 2
  cosine <- kernel_custom(function(x, z) exp(-shift * abs(outer(x[, 1], z[, 1], "-"))))
  first <- sums_of(log(y^2 + shift) ~ poly(x1, 2) | domain, toy[1:60, ], kernel = cosine)
  file <- tempfile(fileext = ".rds")
  saveRDS(first, file)
  loaded <- readRDS(file)
  expect_equal(loaded$sums, first$sums)
  rest <- toy[61:nrow(toy), ]
  expect_identical(update(loaded, rest)$sums, update(first, rest)$sums)
  expect_same_sums((loaded + update(first, rest))$sums, (first + update(loaded, rest))$sums, first)
})

test_that("the size of sums does not depend on the number of rows", {
  size <- function(data) length(serialize(sums_of(y ~ . | domain, data, feature_map = few), NULL))
  large <- toy[rep(seq_len(nrow(toy)), 50), ]
  expect_lt(abs(size(large) - size(toy)), 20000)
  object <- sums_of(y ~ . | domain, toy)
  expect_equal(length(serialize(update(object, large), NULL)),
               length(serialize(update(object, toy), NULL)), tolerance = 0.01)
})

test_that("rows with missing values are left out of every piece, as na.action says", {
  holes <- toy
  holes$x1[c(5, 70)] <- NA
  holes$y[c(6, 71)] <- NA
  holes$domain[72] <- NA
  expect_warning(first <- sums_of(y ~ . | domain, holes[1:60, ]), "2 rows of 60 left out",
                 class = "domgen_warning_missing")
  expect_warning(second <- update(first, holes[61:90, ]), "3 rows of 30 left out",
                 class = "domgen_warning_missing")
  complete <- holes[61:90, ][stats::complete.cases(holes[61:90, ]), ]
  expect_same_sums(second$sums, update(first, complete)$sums, first)
  strict <- sums_of(y ~ . | domain, toy[1:60, ], na.action = na.fail)
  expect_domgen_error(update(strict, holes), "na.fail", "domgen_error_data")
})

test_that("transformations and levels learned from the first piece are replayed", {
  data <- mixed_data(120)
  first <- sums_of(y ~ poly(x, 2) + size + colour, data[1:80, ])
  second <- update(first, data[81:120, ])
  X <- apply_scaling(replay(first$blueprint, data[81:120, ])$X, first$blueprint$scaling)
  Z <- space_rows(first$space, list(X = X, domain = factor(rep(1, 40))))
  expect_equal(second$sums$second, crossprod(Z), tolerance = 1e-10)
})

test_that("no direction of the response is kept where rounding exceeds what it adds", {
  y <- with_seed(4, rnorm(3000))
  new <- seq(-3, 3, length.out = 37)
  for (sigma in c(0.5, 0.7, 1, 1.5)) {
    map <- response_map(y, kernel_rbf(sigma))
    kept <- diag(map$factor)
    expect_lt(max(kept) / min(kept), .Machine$double.eps^(-1 / 3) + 1)
    # a number alone, and among others
    alone <- vapply(new, function(one) c(response_rows(map, one, 1L)), kept)
    expect_lt(max(abs(alone - t(response_rows(map, new, 1L)))), rounding_of_features(map))
  }
})

test_that("landmarks of the response reproduce its kernel on numbers they have not seen", {
  set.seed(2)
  y <- rnorm(5000)
  map <- response_map(y, kernel_rbf(1))
  new <- runif(50, -2.5, 2.5)
  F <- response_rows(map, new, 1L)
  expect_lt(max(abs(tcrossprod(F) - rbf(matrix(new), 1))), 1e-9)
  expect_lt(ncol(F), 60L)
  linear <- response_map(y, kernel_linear())
  expect_equal(tcrossprod(response_rows(linear, new, 1L)), tcrossprod(new), tolerance = 1e-12)
  expect_identical(response_map(sample(y), kernel_rbf(1)), map)
  # the kernel's rough end: every number is near a landmark, also the lonely ones
  y <- c(rt(60000, 3), 60, 61)
  map <- response_map(y, kernel_rbf(2))
  expect_lt(max(abs(1 - rowSums(response_rows(map, y, 1L)^2))), 1e-5)
})

test_that("a kernel on the response that needs too many landmarks warns", {
  y <- seq(0, 10, length.out = 3000)
  expect_warning(map <- response_map(y, kernel_laplace(0.05)), "200 landmarks",
                 class = "domgen_warning_rank")
  F <- response_rows(map, y[seq(1, 3000, 3)], 1L)
  expect_equal(1 - mean(rowSums(F^2)), map$error, tolerance = 0.05)
  expect_domgen_error(response_map(c(1, 2), kernel_poly(1, 0, 0)), "must not be zero",
                      "domgen_error_data")
})

test_that("features of classes are a factor of their kernel", {
  y <- factor(c("a", "b", "c", "a"))
  expect_null(response_rows(response_map(y, NULL), y, 1L))
  expect_equal(class_features(response_map(y, NULL), levels(y)), diag(3))
  graded <- response_map(y, kernel_rbf(1))
  expect_equal(tcrossprod(class_features(graded, levels(y))), rbf(matrix(1:3), 1), tolerance = 1e-10)
  expect_null(response_map(NULL, NULL))
})

test_that("weighted rows have a second moment of their own", {
  object <- sums_of(y ~ . | domain, toy[1:60, ])
  sample <- read_piece(object, toy, NULL, NULL)
  weights <- rep(c(0, 1, 3), length.out = nrow(toy))
  half <- accumulate(object$space, sample, object$response_map, labelled = weights)
  Z <- space_rows(object$space, sample)
  expect_equal(half$labelled_second, crossprod(Z * sqrt(weights)), tolerance = 1e-10)
  expect_equal(add_sums(half, half)$labelled_second, 2 * half$labelled_second)
})

test_that("a projection of sums is the projection of the rows, whatever the pieces", {
  specs <- list(dg_dica(ncomp = 1), dg_udica(ncomp = 2), dg_kpca(ncomp = 2))
  for (data in list(toy, labels)) {
    whole <- sums_of(y ~ . | domain, data)
    pieces <- update(whole, data[1:50, ]) + update(whole, data[-(1:50), ])
    for (spec in specs) {
      spec$args$feature_map <- few
      set.seed(1)
      model <- fit(spec, y ~ . | domain, data = data)
      from_sums <- fit(spec, pieces)
      expect_equal(from_sums$values, model$values, tolerance = 1e-8)
      expect_equal(abs(predict(from_sums, data)), abs(predict(model, data)), tolerance = 1e-6)
      expect_equal(nobs(from_sums), nrow(data))
    }
  }
})

test_that("sums print what they are of", {
  classes <- sums_of(y ~ . | domain, labels, feature_map = features_nystrom(10))
  expect_output(print(classes), "Sums of features: y ~ . | domain", fixed = TRUE)
  expect_output(print(classes), paste(nrow(labels), "rows, .*4 domains, 2 classes"))
  expect_output(print(classes), "10\\s+features")
  expect_output(print(sums_of(y ~ ., toy)), "kernel on y .*landmarks")
})

test_that("sums that do not belong together and pieces of another form are refused", {
  first <- sums_of(y ~ x1 + x2 | domain, toy[1:60, ])
  other <- sums_of(y ~ x1 + x2 | domain, toy[1:60, ], seed = 2)
  scaled <- sums_of(y ~ x1 + x2 | domain, toy[1:60, ], scale = "none")
  squared <- sums_of(y^2 ~ x1 + x2 | domain, toy[1:60, ])
  class <- sums_of(y ~ x1 + x2 | domain, labels[1:60, ])
  bare <- sums_of(~ x1 + x2, toy[1:60, ])
  set.seed(1)
  by_matrix <- feature_sums(as.matrix(toy[1:60, 3:4]), toy$y[1:60], toy$domain[1:60],
                            feature_map = few)
  expect_refusals({
    first + other
    first + scaled
    first + squared
    first + 1
    1 + first
    +first
    update(first)
    update(first, toy["x1"])
    update(first, toy[c("x1", "x2", "domain")])
    update(first, toy[c("x1", "x2", "y")])
    update(first, toy, y = toy$y)
    update(first, toy[0, ])
    update(first, labels)
    update(first, toy, weights = 1)
    update(class, toy)
    update(bare, toy, y = toy$y)
    update(bare, toy, domain = "a")
    update(by_matrix, as.matrix(toy[3:4]), toy$y)
    update(by_matrix, as.matrix(toy[3:4]), domain = toy$domain)
    update(by_matrix, as.matrix(toy[3:4]), toy$y[1:3], toy$domain)
  })
})

test_that("sums are not added when rows are read in another way, though the map is the same", {
  doubled <- transform(toy, x1 = 2 * x1)
  for (formula in list(y ~ x1 | domain, y ~ poly(x1, 2) | domain)) {
    # a power of two changes no digit of what the map sees
    first <- sums_of(formula, toy, feature_map = features_nystrom(8))
    second <- sums_of(formula, doubled, feature_map = features_nystrom(8))
    expect_identical(second$space$map, first$space$map)
    expect_domgen_error(first + second, "same feature map", "domgen_error_argument")
  }
})

test_that("wrong arguments of feature_sums() are refused", {
  expect_refusals({
    feature_sums()
    feature_sums(y ~ .)
    feature_sums(y ~ . | domain, data = toy, weights = x1)
    feature_sums(y ~ . | domain, data = toy, n_landmarks = 100)
    feature_sums(y ~ . | domain, data = toy, feature_map = features_exact())
    feature_sums(y ~ . | domain, data = toy, feature_map = 100)
    feature_sums(y ~ . | domain, data = toy, scale = "range")
    feature_sums(y ~ . | domain, data = labels, kernel_y = kernel_rbf())
    feature_sums(y ~ . | domain, data = transform(toy, y = 1), feature_map = few)
    feature_sums(y ~ . - domain, data = toy, domain_kernel = domain_multitask(0.5), feature_map = few)
    feature_sums(y ~ . | domain, data = toy, na.action = na.pass)
    feature_sums(y ~ . | domain, data = toy, threads = 0)
  })
})
