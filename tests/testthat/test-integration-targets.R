test_that("a fit and a fixed model of a pipeline are loaded and predict the same", {
  skip_if_not_installed("targets")
  folder <- tempfile("pipeline")
  dir.create(folder)
  old <- setwd(folder)
  on.exit({
    setwd(old)
    unlink(folder, recursive = TRUE)
  })
  targets::tar_script({
    library(domgen)
    list(
      targets::tar_target(rows, simulate_dica(domains = 4, n = 20, p = 3, seed = 1)),
      targets::tar_target(model, dg_ridge(y ~ . | domain, data = rows, lambda = 1)),
      targets::tar_target(fixed, set_reference(model, rows))
    )
  }, ask = FALSE)
  targets::tar_make(callr_arguments = list(show = FALSE), reporter = "silent")
  rows <- simulate_dica(domains = 4, n = 20, p = 3, seed = 1)
  model <- dg_ridge(y ~ . | domain, data = rows, lambda = 1)
  expect_identical(predict(targets::tar_read(model), rows), predict(model, rows))
  expect_identical(predict(targets::tar_read(fixed), rows[1:3, ]),
                   predict(set_reference(model, rows), rows[1:3, ]))
  # nothing has changed: nothing is fitted again
  expect_length(targets::tar_outdated(callr_arguments = list(show = FALSE), reporter = "silent"), 0)
})
