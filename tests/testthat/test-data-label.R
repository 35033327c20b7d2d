test_that("a number has one label, whatever its storage, and whatever the session's options", {
  numbers <- c(1e5, 100001, 2^53, -3, 0, NA)
  expected <- c("100000", "100001", "9007199254740992", "-3", "0", NA)
  expect_identical(value_labels(numbers), expected)
  expect_identical(value_labels(c(100000L, NA)), c("100000", NA))
  old <- options(scipen = -10, OutDec = ",", digits = 3, digits.secs = 3)
  on.exit(options(old))
  expect_identical(value_labels(numbers), expected)
  expect_identical(value_labels(c(0.1, -0, 1e-5, 1 / 3, 0.1 + 0.2, 1e15, 2^63, Inf)),
                   c("0.1", "0", "0.00001", "0.3333333333333333", "0.30000000000000004",
                     "1000000000000000", "9.223372036854776e+18", "Inf"))
  # text is never changed
  expect_identical(value_labels(c("1e+05", "007")), c("1e+05", "007"))
  expect_identical(value_labels(factor(c("b", "1e5"))), c("b", "1e5"))
  expect_identical(value_labels(c(TRUE, NA)), c("TRUE", NA))
})

test_that("decimals are the shortest that read back exactly", {
  numbers <- with_seed(4, c(stats::rnorm(200), 10^stats::runif(200, -20, 20)))
  expect_identical(as.double(value_labels(numbers)), numbers)
  expect_false(any(grepl("e", value_labels(numbers[abs(numbers) > 1e-15 & abs(numbers) < 1e18]))))
})

# As bit64 keeps them, without that package.
integer64 <- function(low, high) {
  bytes <- writeBin(as.integer(rbind(low, high)), raw(), endian = "little")
  structure(readBin(bytes, "double", length(low), endian = "little"), class = "integer64")
}

test_that("64-bit integers have all their digits", {
  # 5, -3, NA, 2^53 + 1, -(2^53 + 1), 2^63 - 1, 100000
  numbers <- integer64(c(5, -3, 0, 1, -1, -1, 100000),
                       c(0, -1, NA, 2^21, -2^21 - 1, 2^31 - 1, 0))
  expect_identical(value_labels(numbers),
                   c("5", "-3", NA, "9007199254740993", "-9007199254740993",
                     "9223372036854775807", "100000"))
  expect_identical(levels(as_groups(numbers))[1:3], c("-9007199254740993", "-3", "5"))
})

test_that("times keep clock changes, midnights and fractions of a second apart", {
  berlin <- function(text) as.POSIXct(text, tz = "Europe/Berlin")
  # 2:30 is there twice when the clocks go back
  twice <- berlin("2024-10-27 01:30:00") + c(3600, 7200)
  expect_identical(value_labels(twice), c("2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"))
  night <- as.POSIXct(c("2024-01-01 00:00:00", "2024-01-01 12:00:00"), tz = "UTC")
  expect_identical(value_labels(night)[1], value_labels(night[1]))
  expect_identical(value_labels(night[1] + c(0, 0.25, 0.5)),
                   paste0("2024-01-01T00:00:00", c("", ".25", ".5"), "Z"))
  expect_identical(value_labels(as.POSIXlt(night)), value_labels(night))
  expect_identical(value_labels(structure(19000L, class = "Date")), "2022-01-08")
  expect_identical(value_labels(structure(19000, class = "Date")), "2022-01-08")
  expect_identical(value_labels(as.difftime(1.5, units = "hours")),
                   value_labels(as.difftime(90, units = "mins")))
})

test_that("the order of groups depends neither on the class nor on levels", {
  for (numbers in list(c(10, 9, NA, 1e5, 9), c("10", "9", NA, "100000"),
                       factor(c("10", "9", "100000"), c("9", "100000", "10", "7")))) {
    expect_identical(levels(as_groups(numbers)), c("9", "10", "100000"))
  }
  for (text in list(c("b", "B", "a", NA), factor(c("b", "B", "a"), c("c", "b", "a", "B")))) {
    expect_identical(levels(as_groups(text)), c("B", "a", "b"))
  }
  days <- as.Date(c("2024-03-31", "2023-12-01"))
  expect_identical(levels(as_groups(days)), levels(as_groups(as.character(days))))
})

numbered <- function(site) {
  with_seed(3, {
    d <- data.frame(site = rep(site, each = 8), x = stats::rnorm(8 * length(site)))
    d$y <- d$x + rep(seq_along(site), each = 8) + stats::rnorm(nrow(d), sd = 0.1)
    d
  })
}

test_that("a model of domains that are numbers knows them again in every storage and session", {
  d <- numbered(c(1e5, 2e5, 3e5))
  whole <- transform(d, site = as.integer(site))
  text <- transform(d, site = sprintf("%d", as.integer(site)))
  for (formula in list(y ~ x | site, y ~ x | factor(site), y ~ x | paste("site", site))) {
    model <- dg_ridge(formula, data = d, lambda = 0.1, domain_kernel = domain_multitask(0.1))
    expected <- predict(model, d)
    expect_gt(diff(range(expected)), 1)
    expect_identical(predict(model, whole), expected)
    if (formula[[3L]][[3L]] == "site") expect_identical(predict(model, text), expected)
    old <- options(scipen = -10, OutDec = ",")
    again <- predict(model, d)
    options(old)
    expect_identical(again, expected)
  }
})

test_that("a source, a file and memory have the same labels", {
  d <- numbered(c(1e5, 2e5, 0.5))
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  utils::write.csv(d, file, row.names = FALSE)
  expect_match(readLines(file)[2L], "^1e[+]05,")
  fit <- function(data) dg_ridge(y ~ x | site, data = data, lambda = 0.1, scale = "domain",
                                 kernel = kernel_linear(), domain_kernel = domain_pooled(),
                                 feature_map = features_linear())
  expect_identical(levels(fit(d)$domain), c("0.5", "100000", "200000"))
  expect_setequal(levels(fit(row_source(file))$domain), levels(fit(d)$domain))
  expect_setequal(levels(fit(row_source(d))$domain), levels(fit(d)$domain))
  expect_identical(names(domain_folds(d$site)), levels(fit(d)$domain))
})

test_that("times are domains, also where clocks change and in another time zone", {
  d <- numbered(1:3)
  d$t <- as.POSIXct("2024-10-27 00:00:00", tz = "UTC") + 3600 * d$site
  attr(d$t, "tzone") <- "Europe/Berlin"
  model <- dg_ridge(y ~ x | t, data = d, lambda = 0.1, domain_kernel = domain_multitask(0.1))
  expect_identical(levels(model$domain), paste0("2024-10-27T0", 1:3, ":00:00Z"))
  there <- d
  there$t <- as.POSIXlt(d$t, tz = "America/New_York")
  expect_identical(predict(model, there), predict(model, d))
  expect_identical(predict(model, d[1:8, ]), predict(model, d)[1:8])
})
test_that("domains whose labels are of another kind than in training are not taken for new unsaid", {
  toy <- simulate_dica(domains = 4, n = 8, p = 2, seed = 1)
  day <- as.Date("2024-03-30") + as.integer(toy$domain)
  time <- as.POSIXct("2024-03-31", tz = "Europe/Berlin") + 3600 * as.integer(toy$domain)
  models <- list(function(data) dg_ridge(y ~ x1 + x2 | g, data = data, lambda = 1,
                                         domain_kernel = domain_multitask(0.5)),
                 function(data) suppressWarnings(dg_mixed(y ~ x1 + x2 | g, data = data)))
  for (fit_to in models) {
    of <- function(g) transform(toy, g = g)
    for (pair in list(list(day, as.numeric(day)), list(as.numeric(day), day), list(day, time),
                      list(time, format(time)), list(day > day[1L], as.numeric(day > day[1L])))) {
      model <- fit_to(of(pair[[1L]]))
      expect_warning(predict(model, of(pair[[2L]])), "in training, so all count as new",
                     class = "domgen_warning_other_labels")
      expect_silent(predict(model, of(pair[[1L]])))
      expect_silent(predict(model, of(as.character(toy$domain))))
      expect_warning(predict(model, row_source(of(pair[[2L]]), block_size = 10)),
                     class = "domgen_warning_other_labels")
    }
  }
})
