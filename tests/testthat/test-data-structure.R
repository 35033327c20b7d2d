# 2 schools of 2 and 3 classes, whose names are used in both; devices crossed with both.
structured_data <- function(rows = 6, seed = 3) {
  with_seed(seed, {
    d <- expand.grid(row = seq_len(rows), device = c("B", "A"), class = 1:3, school = c(10, 9))
    d <- d[!(d$school == 9 & d$class == 3), ]
    d$x <- stats::rnorm(nrow(d)) + d$school / 10
    d$z <- stats::rnorm(nrow(d)) + d$class / 2
    d$y <- d$x + d$z + stats::rnorm(nrow(d))
    d
  })
}

test_that("a domain of several factors is named by its levels and sorted by its names", {
  d <- structured_data()
  nested <- dg_ridge(y ~ x + z | school / class, data = d, lambda = 1)
  expect_identical(levels(nested$domain), c("10 / 1", "10 / 2", "10 / 3", "9 / 1", "9 / 2"))
  expect_identical(as.character(nested$domain), paste(d$school, d$class, sep = " / "))
  crossed <- dg_ridge(y ~ x + z | class + device, data = d, lambda = 1)
  expect_identical(levels(crossed$domain),
                   c("1 + A", "1 + B", "2 + A", "2 + B", "3 + A", "3 + B"))
  both <- dg_ridge(y ~ x + z | school / class + device, data = d, lambda = 1)
  expect_identical(levels(both$domain)[1:2], c("10 / 1 + A", "10 / 1 + B"))
})

test_that("it is the model of their interaction, also on new rows", {
  d <- structured_data()
  at <- c(1:6, 19:24, 31:36)
  for (kernel in list(domain_distribution(), domain_multitask(0.3), domain_pooled())) {
    model <- dg_ridge(y ~ x + z | school / class, data = d, lambda = 1, domain_kernel = kernel)
    same <- dg_ridge(y ~ x + z | interaction(school, class, drop = TRUE), data = d, lambda = 1,
                     domain_kernel = kernel)
    expect_equal(fitted(model), fitted(same))
    expect_equal(predict(model, d[at, ]), predict(same, d[at, ]))
  }
  # `.` stands for none of them
  expect_identical(columns_of(dg_lm(y ~ . | school / class + device, data = d)),
                   c("row", "x", "z"))
})

test_that("the levels of each factor follow from a name", {
  structure <- domain_structure(quote((school / class) + device))
  expect_identical(structure$factors, list(school = 1L, class = 1:2, device = 3L))
  expect_identical(domain_levels(structure, c("a / 1 + X", "b / 1 + Y")),
                   list(school = c("a", "b"), class = c("a / 1", "b / 1"), device = c("X", "Y")))
  expect_identical(outer_factors(structure), c("school", "device"))
  inside <- domain_structure(quote((hospital + scanner) / session))
  expect_identical(inside$factors, list(hospital = 1L, scanner = 2L, session = 1:3))
  expect_identical(outer_factors(inside), c("hospital", "scanner"))
  branches <- domain_structure(quote(school / (class + teacher)))
  expect_identical(branches$factors, list(school = 1L, class = 1:2, teacher = c(1L, 3L)))
  expect_identical(domain_levels(branches, "a / 1 + X")$teacher, "a / X")
  expect_null(domain_structure(quote(school)))
  expect_null(domain_structure(quote(id %/% 10)))
  expect_null(domain_structure(quote(id / 10)))
})

test_that("a missing level leaves the row out, and a gap in new data gives NA", {
  d <- structured_data()
  gaps <- replace(d, "class", replace(d$class, 2, NA))
  expect_warning(model <- dg_ridge(y ~ x + z | school / class, data = gaps, lambda = 1),
                 class = "domgen_warning_missing")
  expect_identical(nobs(model), nrow(d) - 1L)
  expect_warning(found <- predict(model, gaps[1:12, ]), class = "domgen_warning_missing")
  expect_identical(which(is.na(found)), 2L)
})

test_that("what is no structure is an error that says what is", {
  d <- structured_data()
  expect_error(dg_lm(y ~ x | school:class, data = d), "nested ones")
  expect_error(dg_lm(y ~ x | school * class, data = d), "nested ones")
  expect_error(dg_lm(y ~ x | school / 2 + class, data = d), "nested ones")
  expect_error(dg_lm(y ~ x | school + school:class, data = d), "nested ones")
  expect_error(dg_lm(y ~ x | school + school, data = d), "`school` is there twice")
  expect_error(dg_lm(y ~ x | school / school, data = d), "`school` is there twice")
  expect_error(dg_lm(y ~ x | school + class + school, data = d), "there twice")
  odd <- transform(d, device = c(A = "A / 1", B = "B")[as.character(device)])
  expect_error(dg_lm(y ~ x | school / device, data = odd), "A / 1", class = "domgen_error_data")
  expect_s3_class(dg_lm(y ~ x | school + device, data = odd), "dg_lm")
  model <- dg_ridge(y ~ x | school / class, data = d)
  expect_error(predict(model, d[c("x", "school")]), "class")
})

test_that("rows in blocks have the domains of rows in memory", {
  d <- structured_data()
  features <- features_nystrom(8)
  d$both <- paste(d$school, d$class, sep = " / ")
  fit_blocks <- function(formula) {
    set.seed(1)
    dg_ridge(formula, data = row_source(d, block_size = 40), lambda = 1, feature_map = features)
  }
  blocks <- fit_blocks(y ~ x + z | school / class)
  expect_equal(predict(blocks, d), predict(fit_blocks(y ~ x + z | both), d))
  expect_equal(predict(blocks, row_source(d[1:30, ])), predict(blocks, d[1:30, ]))
  expect_error(dg_cv(dg_ridge(feature_map = features), y ~ x | school / class,
                     data = row_source(d, block_size = 40)), "one factor")
})
