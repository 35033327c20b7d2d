# Persons of sites with rows of their own: nothing differs between sites.
persons <- function(sites = 2, persons = 8, rows = 4, spread = 0.1, shift = 0) {
  unit <- rep(seq_len(sites * persons), each = rows)
  site <- rep(seq_len(sites), each = persons * rows)
  n <- length(unit)
  x <- stats::rnorm(sites * persons)[unit] + shift * site + spread * stats::rnorm(n)
  data.frame(x, y = stats::rnorm(sites * persons)[unit] + 0.1 * stats::rnorm(n), unit, site)
}

test_that("units that keep to their domain are dealt out anew with all their rows", {
  domain <- rep(1:3, c(4, 6, 10))
  unit <- factor(c(1, 1, 2, 2, 3, 3, 3, 4, 5, 5, rep(6, 10)))
  moved <- with_seed(1, permuted_domains(domain, unit, 200))
  expect_identical(dim(moved), c(20L, 200L))
  expect_true(all(apply(moved, 2, function(g) lengths(tapply(g, unit, unique))) == 1))
  units <- apply(moved[!duplicated(unit), ], 2, tabulate, nbins = 3)
  expect_true(all(units == c(2, 3, 1)))
  # the unit of ten rows comes to each of the domains
  expect_setequal(moved[20, ], 1:3)
})

test_that("units of several domains exchange these among their own rows", {
  cells <- expand.grid(row = 1:2, domain = 1:3, unit = 1:4)
  cells <- cells[!(cells$unit == 1 & cells$domain == 3), ]
  moved <- with_seed(1, permuted_domains(cells$domain, factor(cells$unit), 100))
  cell <- paste(cells$unit, cells$domain)
  expect_true(all(apply(moved, 2, function(g) lengths(tapply(g, cell, unique))) == 1))
  same <- apply(moved, 2, function(g) identical(table(g, cells$unit), table(cells$domain, cells$unit)))
  own <- apply(moved, 2, function(g) all(sort(g[cells$unit == 1]) == c(1, 1, 2, 2)))
  expect_true(all(own))
  expect_gt(length(unique(moved[3, ])), 1L)
})

test_that("a row that is its own unit is permuted as rows are", {
  each <- with_seed(1, permuted_domains(rep(1:2, c(3, 2)), factor(1:5), 400))
  expect_true(all(colSums(each == 2) == 2))
  expect_equal(rowMeans(each == 2), rep(0.4, 5), tolerance = 0.25)
})

test_that("the tests are level where rows of persons repeat, if they are told the persons", {
  p <- vapply(seq_len(25), function(seed) with_seed(seed, {
    d <- persons()
    c(dg_mmd(~ x | site, data = d, permutations = 19, unit = unit)$p_value[1, 2],
      dg_mmd(d$x, d$site, permutations = 19)$p_value[1, 2])
  }), numeric(2))
  # of 25: 5 or more have probability 0.007 at 5 %
  expect_lte(sum(p[1, ] <= 0.05), 4)
  # rows as if independent
  expect_gte(sum(p[2, ] <= 0.05), 8)
  shifted <- with_seed(1, persons(shift = 3))
  expect_lte(dg_mmd(shifted$x, shifted$site, permutations = 99, unit = shifted$unit)$p_value[1, 2],
             0.02)
})

test_that("the statistic of a permutation weighs rows by the domain's new number of rows", {
  d <- with_seed(2, persons(persons = 4))
  d <- d[-c(1:3, 10, 20:22), ]
  kernel <- kernel_rbf(1)
  for (unbiased in c(FALSE, TRUE)) {
    found <- with_seed(7, dg_mmd(d$x, d$site, kernel, unbiased, permutations = 30, unit = d$unit))
    moved <- with_seed(7, permuted_domains(d$site == 1, factor(d$unit), 30))
    null <- apply(moved, 2, function(g) dg_mmd(d$x, g, kernel, unbiased)$squared[1, 2])
    expect_equal(found$p_value[1, 2], (1 + sum(null >= found$squared[1, 2])) / 31)
  }
})

test_that("a diagnosis moves persons, and predicts none from its own rows", {
  d <- with_seed(3, persons(sites = 4, persons = 5, spread = 0.5))
  found <- dg_diagnose(y ~ x | site, data = d, permutations = 39, unit = unit)
  rows <- expect_no_warning(dg_diagnose(y ~ x | site, data = d, permutations = 39))
  expect_gt(found$shift$p, 0.05)
  expect_gt(found$headroom$p, 0.05)
  # a model of known sites learns the persons in it
  expect_lte(rows$headroom$p, 0.05)
  expect_output(print(found), "4 domains, 80 rows of 20 units")
  folds <- with_seed(1, known_rows(factor(d$site), factor(d$unit)))
  expect_true(all(lengths(tapply(folds, d$unit, unique)) == 1))
  by_matrix <- dg_diagnose(d["x"], d$y, d$site, unit = d$unit, permutations = 39)
  expect_equal(by_matrix$shift, found$shift)
})

test_that("persons of several devices are left out of the fits that predict them", {
  d <- expand.grid(row = 1:2, unit = 1:6, site = 1:4)
  d$x <- with_seed(1, stats::rnorm(6)[d$unit] + 0.1 * stats::rnorm(48))
  d$y <- with_seed(2, stats::rnorm(6)[d$unit] + 0.1 * stats::rnorm(48))
  sample <- read_sample(read_input(list(x = y ~ x | site, data = d, unit = d$unit)),
                        list(response = "any", domain = TRUE), "pooled")
  study <- new_study(sample, metrics$rmse, list(threads = 1L), step = NULL)
  machine <- landmark_model(study, domain_pooled(), kernel_rbf())
  values <- without_groups(machine, study$Y, sample$domain, study$share)(1)$values[, , 1L]
  F <- t(machine$F)
  fold <- folds_of_units(sample$unit, sample$domain)
  constant <- ncol(F)
  ridge <- replace(machine$added + 1, constant, 0)
  for (i in c(1, 20, 48)) {
    rest <- sample$domain != sample$domain[i] & fold != fold[i]
    FC <- t(machine$costs[rest] * F[rest, ])
    w <- solve(FC %*% F[rest, ] + diag(ridge), FC %*% study$Y[rest, ])
    expect_equal(values[i], drop(F[i, ] %*% w), tolerance = 1e-6)
  }
})

test_that("rows that repeat are warned of once a call, and discrete values are not", {
  d <- with_seed(1, persons(sites = 3, spread = 0))
  warned <- character()
  withCallingHandlers(dg_mmd(~ x | site, data = d, permutations = 9), domgen_warning = function(w) {
    warned <<- c(warned, class(w)[1L])
    expect_match(conditionMessage(w), "^100 % of the rows have the same predictors .* by `unit`")
    invokeRestart("muffleWarning")
  })
  expect_identical(warned, "domgen_warning_repeated")
  expect_warning(dg_diagnose(y ~ x | site, data = d, permutations = 20), "`unit`",
                 class = "domgen_warning_repeated")
  expect_no_warning(dg_mmd(~ x | site, data = d, permutations = 9, unit = unit))
  # without a test there is no p
  expect_no_warning(dg_mmd(~ x | site, data = d))
  quiet <- list(
    list(~ SES + Sex + Minority | School, utils::head(nlme::MathAchieve, 1500)),
    list(~ Time | Diet, ChickWeight), list(~ weight + Time | Diet, ChickWeight),
    list(~ age | race, MASS::birthwt), list(~ Petal.Width | Species, iris),
    list(~ count | spray, InsectSprays), list(~ Loud + Age | OME, MASS::OME)
  )
  for (set in quiet) {
    sample <- read_sample(read_input(list(x = set[[1]], data = as.data.frame(set[[2]]))),
                          list(response = "none", domain = TRUE), "pooled")
    expect_no_warning(warn_repeated(sample$X, sample$domain, NULL))
  }
  # numbers whose mean differs between domains
  count <- with_seed(1, stats::rpois(240, rep(c(2, 8, 30), each = 80)))
  expect_no_warning(warn_repeated(cbind(count), rep(1:3, each = 80), NULL))
})

test_that("where each domain is of one unit no test can tell them apart", {
  d <- with_seed(1, persons(sites = 3, persons = 1, rows = 5))
  expect_warning(found <- dg_mmd(~ x | site, data = d, permutations = 9, unit = unit),
                 "Each domain has the rows of one `unit` only", class = "domgen_warning_units")
  expect_true(all(found$p_value[upper.tri(found$p_value)] == 1))
})

test_that("units that cannot be read are refused", {
  d <- with_seed(1, persons())
  expect_error(dg_mmd(d$x, d$site, unit = d$unit[-1]), "`unit` must have one entry per row",
               class = "domgen_error_data")
  expect_error(dg_mmd(d$x, d$site, unit = replace(d$unit, 2, NA)), "`unit` must not have missing",
               class = "domgen_error_data")
  expect_error(dg_mmd(~ x | site, data = d, unit = rep(1, nrow(d))), "at least two values",
               class = "domgen_error_data")
  expect_error(dg_diagnose(y ~ x | site, data = transform(d, site = rep(1:4, 16)),
                           unit = rep(1, nrow(d))), "at least two values",
               class = "domgen_error_data")
})
