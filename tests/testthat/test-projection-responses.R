# Several responses at once, and a response whose kernel is given by its matrix.

d <- uneven_rows()
rows <- data.frame(d$X, g = d$domain)
names(rows)[1:3] <- c("a", "b", "c")
responses <- with_seed(3, cbind(y1 = d$X[, 1] + rnorm(d$n) / 5, y2 = d$X[, 2]^2))
rows <- cbind(rows, responses)
L <- rbf(responses, 1)
dimnames(L) <- list(seq_len(d$n), seq_len(d$n))
rows$id <- as.character(seq_len(d$n))
rows$number <- seq_len(d$n)

on_both <- function(method, features = features_exact(), model = cbind(y1, y2) ~ a + b + c | g,
                    kernel_y = kernel_rbf(1), ..., data = rows) {
  with_seed(1, method(model, data = data, kernel = kernel_rbf(uneven_sigma), kernel_y = kernel_y,
                      scale = "none", feature_map = features, ncomp = 3, ...))
}

expect_same_projection <- function(a, b, tolerance = 1e-8) {
  expect_equal(a$values, b$values, tolerance = tolerance)
  expect_lt(score_gap(a$scores, b$scores), 100 * tolerance)
}

test_that("the kernel on several responses is that of the rows of their matrix", {
  K <- rbf(d$X, uneven_sigma)
  for (form in c("published", "symmetric")) {
    pencil <- naive_pencil(K, unname(L), d$domain, 1e-3, 0.2, published = form == "published")
    model <- on_both(dg_dica, form = form, lambda = 0.2, epsilon = 1e-3)
    dense <- naive_projection(pencil, 3)
    expect_equal(unname(model$values), dense$values, tolerance = 1e-8)
    expect_lt(subspace_distance(model$scores, pencil$K %*% dense$vectors), 1e-6)
  }
  # either response alone gives another one
  alone <- on_both(dg_dica, model = y1 ~ a + b + c | g, lambda = 0.2, epsilon = 1e-3)
  expect_gt(abs(alone$values[1] / model$values[1] - 1), 0.05)
})

test_that("several responses come as cbind(), as a column that is a matrix, and as `y`", {
  model <- on_both(dg_dica)
  with_matrix <- rows
  with_matrix$Y <- responses
  expect_same_projection(on_both(dg_dica, model = Y ~ a + b + c | g, data = with_matrix), model)
  for (y in list(responses, as.data.frame(responses))) {
    expect_same_projection(dg_dica(d$X, y, d$domain, kernel = kernel_rbf(uneven_sigma),
                                   kernel_y = kernel_rbf(1), scale = "none", ncomp = 3), model)
  }
  expect_equal(predict(model, rows), model$scores, tolerance = 1e-8)
  # one column is one response
  expect_same_projection(on_both(dg_dica, model = cbind(y1) ~ a + b + c | g),
                         on_both(dg_dica, model = y1 ~ a + b + c | g))
})

methods <- list(dica = dg_dica, coir = dg_coir, dcm = dg_dcm)

for (name in names(methods)) {
  method <- methods[[name]]

  test_that(paste("as many landmarks as rows give the model of the Gram matrix:", name), {
    expect_same_projection(on_both(method, features_nystrom(d$n, "uniform")), on_both(method), 1e-6)
  })

  test_that(paste("kernel_precomputed() on the response is the kernel of its matrix:", name), {
    model <- on_both(method)
    given <- kernel_precomputed(L)
    for (features in list(features_exact(), features_nystrom(d$n, "uniform"))) {
      expect_same_projection(on_both(method, features, id ~ a + b + c | g, given), model, 1e-6)
      expect_same_projection(on_both(method, features, number ~ a + b + c | g, given), model, 1e-6)
    }
    # the ids count, not their order
    mixed <- with_seed(8, sample(d$n))
    expect_same_projection(on_both(method, model = id ~ a + b + c | g,
                                   kernel_y = kernel_precomputed(L[mixed, mixed])), model, 1e-6)
  })
}

test_that("similarities of classes are a kernel on the response, also before a learner", {
  labelled <- transform(rows, z = factor(rep_len(c("p", "q", "r"), d$n)))
  ids <- c("r", "p", "q")
  near <- matrix(c(1, 0, 0, 0, 1, 0, 0, 0, 1), 3, dimnames = list(ids, ids))
  # without a regulariser P is that of all kernels that tell the classes apart
  spec <- dg_dica(kernel_y = kernel_precomputed(near), ncomp = 2, epsilon = 0.1)
  same <- fit(dg_dica(ncomp = 2, epsilon = 0.1), z ~ a + b + c | g, data = labelled)
  expect_same_projection(fit(spec, z ~ a + b + c | g, data = labelled), same)
  near["p", "q"] <- near["q", "p"] <- 0.9
  other <- fit(dg_pipeline(update(spec, kernel_y = kernel_precomputed(near)), dg_ridge()),
               z ~ a + b + c | g, data = labelled)
  expect_gt(abs(other$projection$values[1] / same$values[1] - 1), 0.01)
  expect_setequal(levels(predict(other, labelled)), ids)
})

test_that("rows without one of the responses are left out, and unlabelled rows have none", {
  gap <- rows
  gap$y2[3] <- NA
  expect_warning(model <- on_both(dg_dica, data = gap), "1 row of", class = "domgen_warning_missing")
  expect_same_projection(model, on_both(dg_dica, data = rows[-3, ]))
  expect_equal(nobs(suppressWarnings(on_both(dg_dica, data = gap, na.action = na.impute))),
               d$n - 1L)
  more <- rows[5:12, c("a", "b", "c", "g")]
  exact <- on_both(dg_dica, unlabelled = more)
  landmarks <- suppressWarnings(on_both(dg_dica, features_nystrom(d$n + 8L, "uniform"),
                                        unlabelled = more))
  expect_same_projection(landmarks, exact, 1e-6)
  expect_gt(abs(exact$values[1] / on_both(dg_dica)$values[1] - 1), 1e-3)
})

test_that("methods of a fit know several responses", {
  model <- dg_dica(cbind(y1, y2) ~ a + b + c | g, data = rows, ncomp = 3)
  expect_output(print(model), "cbind\\(y1, y2\\) ~ a")
  expect_equal(update(model, ncomp = 2)$values, model$values[1:2])
  augmented <- generics::augment(model)
  expect_equal(unname(as.matrix(augmented[1:2])), unname(responses))
  skip_if_not_installed("ggplot2")
  expect_s3_class(plot(model), "ggplot")
  expect_s3_class(plot(model, newdata = rows), "ggplot")
})

test_that("where several responses cannot be, an error says so", {
  spec <- dg_pipeline(dg_dica(), dg_ridge())
  with_matrix <- rows
  with_matrix$Y <- responses
  refuse <- function(expr) {
    expect_error(expr, "one column, not 2; `dg_dica\\(\\)`, .* take several at once",
                 class = "domgen_error_data")
  }
  refuse(fit(spec, Y ~ a | g, data = with_matrix))
  refuse(dg_ridge(d$X, responses, d$domain))
  refuse(dg_cv(spec, Y ~ a | g, data = with_matrix))
  refuse(dg_tune(spec, d$X, responses, d$domain))
  refuse(feature_sums(Y ~ a | g, data = with_matrix, feature_map = features_nystrom(5)))
  expect_error(dg_cv(spec, cbind(y1, y2) ~ a | g, data = rows), "one response, not cbind",
               class = "domgen_error_argument")
  memory <- "several at once need all rows in a data frame"
  expect_error(dg_dica(cbind(y1, y2) ~ a | g, data = row_source(rows),
                       feature_map = features_nystrom(5)), memory)
  expect_error(feature_sums(cbind(y1, y2) ~ a | g, data = rows), memory)
  refuse(dg_udica(d$X, responses, d$domain))
  expect_error(dg_mda(cbind(y1, y2) ~ a | g, data = rows), "one response, not cbind")
  expect_error(dg_dica(d$X, responses[-1, ], d$domain), "one row per row of the predictors")
  expect_error(dg_dica(cbind(y1, log(-1 - y2^2)) ~ a | g, data = rows), class = "domgen_error_data")
  expect_error(dg_dica(cbind(y1, y2 / 0) ~ a | g, data = rows), "must be finite")
})

test_that("where a given kernel cannot be that of the response, an error says so", {
  given <- kernel_precomputed(L)
  expect_error(on_both(dg_dica, model = y1 ~ a | g, kernel_y = given),
               "The response must be ids that the matrix of kernel_precomputed\\(\\) has, not")
  expect_error(on_both(dg_dica, kernel_y = given), "one column of ids, not 2")
  expect_error(on_both(dg_dica, model = id ~ a | g, kernel_y = given + kernel_delta()),
               "cannot be a part of `kernel_y`")
  expect_error(on_both(dg_dica, model = id ~ a | g, kernel_y = kernel_precomputed(L, "id")),
               "`column` of kernel_precomputed\\(\\) must not be given")
})
