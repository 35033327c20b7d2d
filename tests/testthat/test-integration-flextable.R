test_that("results become tables of flextable with caption, headers and notes", {
  skip_if_not_installed("flextable")
  toy <- toy_domains(4, 15)
  comparison <- dg_compare(list(lm = dg_lm()), y ~ . | domain, data = toy)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = list(lambda = c(1, 10)),
                   extend = FALSE)
  diagnosis <- dg_diagnose(y ~ . | domain, data = toy, permutations = 20, seed = 1)
  distances <- dg_mmd(as.matrix(iris[1:4]), iris$Species)
  for (x in list(comparison, cv, tuned, diagnosis, distances)) {
    table <- flextable::as_flextable(x)
    expect_s3_class(table, "flextable")
    expect_gt(flextable::nrow_part(table, "footer"), 0)
    # as wide as the text of a page of Word
    expect_equal(sum(dim(table)$widths), 6.25)
  }
  table <- flextable::as_flextable(cv)
  expect_identical(flextable::nrow_part(table, "body"), nrow(cv$domains))
  expect_equal(as.numeric(table$body$dataset$score), cv$domains$score, tolerance = 1e-3)
  expect_match(as.character(flextable::htmltools_value(table)), "held out one at a time")
  rows <- flextable::as_flextable(comparison)$footer$dataset[[1L]]
  expect_match(rows, "^Not distinguishable: null", all = FALSE)
})
