# The main job on flow cytometry data: T cell against the rest, 12 samples, leave
# one sample out. The data are not part of the package.

test_that("unseen samples of flow cytometry are gated far better than by the null model", {
  cells <- external_data("gvhd_flowcap1")
  set.seed(1)
  keep <- unlist(lapply(split(seq_len(nrow(cells)), cells$domain), sample, 60))
  cells <- cells[keep, ]
  cells$tcell <- factor(ifelse(cells$y %in% c("cd4t", "cd8t"), "T cell", "other"))
  methods <- list(
    null = dg_null(), linear = dg_lm(), pooled = dg_svm(cost = 10, domain_kernel = domain_pooled()),
    distributional = dg_svm(cost = 10), dica = dg_pipeline(dg_dica(ncomp = 1, lambda = 10), dg_lm())
  )
  result <- suppressWarnings(
    dg_compare(methods, tcell ~ fsc + ssc + fl1 + fl2 + fl3 + fl4 | domain, data = cells,
               folds = 4)
  )
  accuracy <- stats::setNames(result$table$overall, result$table$method)
  expect_gt(accuracy[["pooled"]], 0.95)
  expect_gt(accuracy[["distributional"]], 0.95)
  expect_gt(accuracy[["dica"]], 0.93)
  expect_lt(accuracy[["null"]], 0.93)
  expect_equal(nrow(result$scores), 12L)
})

test_that("a projection of one sample's cells does not depend on the others in the call", {
  cells <- external_data("gvhd_flowcap1")
  set.seed(2)
  cells <- cells[sample(nrow(cells), 600), ]
  model <- dg_udica(~ fsc + ssc + fl1 + fl2 + fl3 + fl4 | domain, data = cells[1:400, ])
  test <- cells[401:600, ]
  expect_equal(predict(model, test)[1:5, ], predict(model, test[1:5, ]), tolerance = 1e-10)
})
