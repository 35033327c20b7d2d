skip_on_cran() # long

skip_if_not_installed("survival")

test_that("dg_auto() takes times with late entry, without forests", {
  rows <- stats::na.omit(survival::cgd[c("center", "treat", "age", "steroids", "tstart", "tstop",
                                         "status")])
  rows$center <- droplevels(rows$center)
  set.seed(1)
  expect_no_warning(model <- dg_auto(survival::Surv(tstart, tstop, status) ~ treat + age + steroids |
                                       center, data = rows))
  f <- predict(model, rows, type = "decision")
  expect_true(all(is.finite(f)))
  expect_gt(domgen:::concordance(domgen:::read_surv(
    survival::Surv(rows$tstart, rows$tstop, rows$status), "y"
  ), f), 0.55)
})
