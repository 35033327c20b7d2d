# Searches on rows that come in blocks, against those of the same rows in memory.

tune_data <- simulate_dica(domains = 8, n = 20, p = 3, seed = 2)
tune_formula <- y ~ x1 + x2 + x3 | domain

tune_spec <- function(...) {
  dg_ridge(feature_map = features_nystrom(nrow(tune_data)), scale = "none", kernel = kernel_rbf(0.7),
           domain_kernel = domain_pooled(), ...)
}

# A source that counts how often it is read.
counted <- function(data) {
  state <- new.env()
  state$reads <- 0
  list(state = state, source = row_source(function(reset) {
    if (reset) {
      state$done <- FALSE
    } else if (!state$done) {
      state$done <- TRUE
      state$reads <- state$reads + 1
      data
    }
  }))
}

folds_of <- function(data, k) {
  levels <- levels(factor(data$domain))
  structure(stats::setNames(rep_len(seq_len(k), length(levels)), levels), class = "domgen_folds")
}

test_that("values of lambda have the scores of the rows in memory, and share their passes", {
  grid <- list(lambda = 10^(-1:2))
  folds <- folds_of(tune_data, 4)
  for (metric in c("rmse", "mae")) {
    few <- counted(tune_data)
    tuned <- dg_tune(tune_spec(), tune_formula, data = few$source, grid = grid, folds = folds,
                     metric = metric, extend = FALSE)
    memory <- dg_tune(tune_spec(), tune_formula, data = tune_data, grid = grid, folds = folds,
                      metric = metric, extend = FALSE)
    same <- c("lambda", "mean", "se")
    expect_equal(tuned$tuning$table[same], memory$tuning$table[same], tolerance = 1e-6)
    expect_equal(tuned$tuning$scores, memory$tuning$scores, tolerance = 1e-6,
                 ignore_attr = TRUE)
    expect_identical(tuned$tuning$best, memory$tuning$best)
    expect_equal(predict(tuned, tune_data), predict(memory, tune_data), tolerance = 1e-6)
    one <- counted(tune_data)
    dg_tune(tune_spec(), tune_formula, data = one$source, grid = list(lambda = 1), folds = folds,
            metric = metric, extend = FALSE)
    expect_identical(few$state$reads, one$state$reads)
  }
})

test_that("grids of other parameters, chains and steps beyond the border work as in memory", {
  folds <- folds_of(tune_data, 4)
  source <- row_source(tune_data, block_size = 40)
  grid <- list(lambda = c(1, 10, 100), scale = c("none", "pooled"))
  tuned <- dg_tune(dg_ridge(feature_map = features_nystrom(30), domain_kernel = domain_pooled()),
                   tune_formula, data = source, grid = grid, folds = folds)
  expect_gte(nrow(tuned$tuning$table), 6L)
  expect_setequal(names(tuned$tuning$best), names(grid))
  expect_output(print(tuned), "Best of .* combinations: RMSE \\(lower is better\\)\n8 domains held out in 4 folds")
  expect_s3_class(tuned, c("dg_tuned", "dg_ridge"), exact = FALSE)
  expect_equal(dg_cv(tuned, refit = FALSE)$mean, tuned$tuning$table$mean[tuned$tuning$chosen], tolerance = 0.05)
  learn <- dg_ridge(lambda = 1, feature_map = features_nystrom(1), domain_kernel = domain_pooled())
  chained <- dg_tune(dg_pipeline(dg_kpca(feature_map = features_nystrom(30)), learn), tune_formula,
                     data = source, grid = list(ncomp = 1:2), folds = folds)
  expect_identical(nrow(chained$tuning$table), 2L)
  expect_s3_class(chained, "dg_pipeline")
})

test_that("a kernel that sees other columns has its own score, and others share a survey", {
  data <- cbind(tune_data, g = rep_len(c("a", "b", "c"), nrow(tune_data)))
  source <- row_source(data, block_size = 40)
  folds <- folds_of(data, 4)
  spec <- function(...) {
    dg_ridge(feature_map = features_nystrom(nrow(data)), domain_kernel = domain_pooled(),
             lambda = 1, ...)
  }
  kernels <- list(kernel_rbf(), kernel_mixed())
  tuned <- dg_tune(spec(), y ~ x1 + g | domain, data = source, grid = list(kernel = kernels),
                   folds = folds)
  alone <- vapply(kernels, function(kernel) {
    dg_cv(spec(kernel = kernel), y ~ x1 + g | domain, data = source, folds = folds)$mean
  }, 0)
  expect_equal(tuned$tuning$table$mean, alone, tolerance = 1e-6)
  expect_gt(abs(diff(alone)), 1e-4)
  surveys <- 0
  own <- domgen:::survey_source
  with_replaced("survey_source", function(...) {
    surveys <<- surveys + 1
    own(...)
  }, dg_tune(spec(), y ~ x1 + g | domain, data = source, folds = folds,
             grid = list(scale = c("none", "pooled"), lambda = c(1, 10))))
  expect_identical(surveys, 1)
})

test_that("a choice that fails is recorded, and a spent budget leaves the first choices", {
  source <- row_source(tune_data)
  grid <- list(kernel = list(kernel_rbf(0.7), kernel_rbf(c(1, 2))), lambda = 1)
  tuned <- dg_tune(dg_ridge(feature_map = features_nystrom(30)), tune_formula, data = source,
                   grid = grid, folds = 4)
  expect_identical(is.na(tuned$tuning$table$error), c(TRUE, FALSE))
  short <- dg_tune(dg_ridge(feature_map = features_nystrom(20)), tune_formula, data = source,
                   grid = list(lambda = 1:2, scale = c("none", "both")), folds = 4, max_seconds = 1e-6)
  expect_true(short$tuning$time_limit$reached)
  expect_identical(nrow(short$tuning$table), 2L)
})

test_that("what cannot be searched on a source is refused", {
  source <- row_source(tune_data)
  with_replaced("sample_rows", 10, {
    expect_error(dg_tune(dg_ridge(), tune_formula, data = source), "at most 10 rows",
                 class = "domgen_error_argument")
  })
  expect_error(dg_tune(tune_spec(), tune_formula, data = source, metric = "r2"), "mean over rows",
               class = "domgen_error_argument")
  expect_error(dg_cv(dg_tune(tune_spec()), tune_formula, data = source), "not dg_tune",
               class = "domgen_error_argument")
})

test_that("methods are compared on the same folds", {
  source <- row_source(tune_data)
  compared <- dg_compare(list(rough = tune_spec(lambda = 100), fine = tune_spec(lambda = 1)),
                         tune_formula, data = source, folds = 4)
  expect_identical(compared$runs$rough$folds, compared$runs$fine$folds)
  memory <- dg_compare(list(rough = tune_spec(lambda = 100), fine = tune_spec(lambda = 1)),
                       tune_formula, data = tune_data, folds = compared$runs[[1L]]$folds,
                       refits = FALSE)
  same <- setdiff(names(memory$table), "seconds")
  expect_equal(compared$table[same], memory$table[same], tolerance = 1e-6)
  expect_error(dg_compare(list(tune_spec(lambda = 1)), tune_formula, data = source, refits = TRUE),
               "`refits` must be FALSE", class = "domgen_error_argument")
})
