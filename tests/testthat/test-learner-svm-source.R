# Machines of rows that come in blocks, against those of the same rows in memory.

rows <- simulate_dica(domains = 6, n = 30, seed = 7)
set.seed(3)
rows$count <- rows$x1 + rnorm(nrow(rows))
rows$kind <- factor(c("a", "b", "c"))[1 + (rows$x1 + rnorm(nrow(rows)) > 0) + (rows$x2 > 0.5)]
rows$site <- factor(c("u", "v"))[1 + (rows$x3 + rnorm(nrow(rows)) > 0)]
rows$w <- runif(nrow(rows))
rows$w[3:9] <- 0

machines_of <- function(spec, formula) {
  source <- row_source(rows, block_size = 40)
  list(whole = as_in_source(1, fit(spec, formula, data = rows, weights = w)),
       blocks = in_source(1, fit(spec, formula, data = source, weights = w)))
}

values_of <- function(model) predict(model, rows, type = "decision")

test_that("machines of squared losses are those of the rows", {
  for (case in list(list("squared_hinge", site ~ x1 + x2 + x3 | domain),
                    list("squared_hinge", kind ~ x1 + x2 | domain),
                    list("squared_epsilon_insensitive", count ~ x1 + x2 | domain))) {
    maps <- list(features_nystrom(12), features_product(x = features_nystrom(6)))
    for (intercept in c(FALSE, TRUE)) {
      # one map without and one with it; the long form has both
      for (features in if (long_form()) maps else maps[1L + intercept]) {
        models <- machines_of(dg_svm(cost = 0.5, loss = case[[1L]], feature_map = features,
                                     intercept = intercept, tolerance = 1e-6), case[[2L]])
        expect_equal(values_of(models$blocks), values_of(models$whole), tolerance = 1e-6)
        expect_true(models$blocks$converged)
      }
    }
  }
})

# Per row and kink the rounded loss is larger by at most a quarter of its width, so that the exact
# objective at its minimum is by no more than that above the least.
test_that("machines of losses with kinks are as good as the width of the kinks allows", {
  objective <- function(model, loss, y) {
    f <- values_of(model)
    f <- (f - model$response$centre) / model$response$scale
    costs <- 0.5 * rows$w
    sum(model$coefficients^2) / 2 + sum(costs * loss(y, f))
  }
  spec <- function(loss) dg_svm(cost = 0.5, loss = loss, feature_map = features_nystrom(20),
                                domain_weights = "size", tolerance = 1e-8)
  width <- domgen:::kink_width
  models <- machines_of(spec("hinge"), site ~ x1 + x2 | domain)
  hinge <- function(y, f) pmax(0, 1 - y * f)
  y <- 2 * (rows$site == "v") - 1
  above <- objective(models$blocks, hinge, y) - objective(models$whole, hinge, y)
  expect_true(above > -1e-5 && above <= 0.5 * sum(rows$w) * width / 4)

  models <- machines_of(spec("epsilon_insensitive"), count ~ x1 + x2 | domain)
  tube <- function(y, f) pmax(0, abs(y - f) - 0.1)
  y <- (rows$count - models$whole$response$centre) / models$whole$response$scale
  above <- objective(models$blocks, tube, y) - objective(models$whole, tube, y)
  expect_true(above > -1e-5 && above <= 2 * 0.5 * sum(rows$w) * width / 4)
})

test_that("a cost that is left open is chosen on the sample, for all rows", {
  models <- machines_of(dg_svm(feature_map = features_product(x = features_nystrom(10))),
                        site ~ x1 + x2 | domain)
  expect_equal(models$blocks$cost, models$whole$cost)
  old <- domgen:::sample_rows
  on.exit(utils::assignInNamespace("sample_rows", old, "domgen"))
  utils::assignInNamespace("sample_rows", 120, "domgen")
  few <- machines_of(dg_svm(feature_map = features_product(x = features_nystrom(10))),
                     site ~ x1 + x2 | domain)$blocks
  # a penalty on the scale of all rows
  expect_true(few$cost / models$whole$cost > 0.1 && few$cost / models$whole$cost < 10)
  expect_true(few$iterations >= 1)
})

test_that("logistic machines of a source are penalised logistic regressions", {
  model <- in_source(1, fit(dg_svm(loss = "logistic", cost = 2, kernel = kernel_linear(),
                                   feature_map = features_linear(), domain_kernel = domain_pooled(),
                                   domain_weights = "size", scale = "none", tolerance = 1e-8),
                            site ~ x1 + x2 | domain, data = row_source(rows, block_size = 50)))
  X <- as.matrix(rows[c("x1", "x2")])
  y <- 2 * (rows$site == "v") - 1
  loss <- function(w) sum(w^2) / 2 + 2 * sum(log1p(exp(-y * X %*% w)))
  best <- stats::optim(c(0, 0), loss, method = "BFGS", control = list(reltol = 1e-15))
  expect_equal(unname(model$coefficients), best$par, tolerance = 1e-5)
})
