test_that("a checksum is of the values, however they are stored", {
  same <- function(a, b) expect_identical(digest_of(a), digest_of(b))
  same(1:3, c(1, 2, 3))
  same(c(TRUE, NA), c(1, NaN))
  same(0, -0)
  same(factor(c("b", "a"), c("b", "a")), c("b", "a"))
  same("\u00e9", iconv("\u00e9", "UTF-8", "latin1"))
  same(as.POSIXct("2020-01-01", tz = "UTC"), as.POSIXlt("2020-01-01", tz = "UTC"))
  same(as.difftime(1, units = "hours"), as.difftime(60, units = "mins"))
  same(list(1:2, "a"), list(c(1, 2), factor("a")))
  old <- options(scipen = -10, digits = 3)
  on.exit(options(old))
  same(1e5, 100000L)
})

test_that("a checksum sees one value, its place and where one ends", {
  all <- list(1, c(1, 0), c(0, 1), 1 + 1e-15, NA, "1", "", c("", NA), c("ab", "c"), c("a", "bc"),
              list(1, 2), 1i, -1, "longer than eight letters", "longer than eight letterS")
  expect_identical(anyDuplicated(vapply(all, digest_of, "")), 0L)
  # kept in models that are read by another session, another version or on another computer
  expect_identical(digest_of(c(1.5, NA, -3)), "e18346620aba095460e7180c28043659")
  expect_identical(digest_of(c("school", NA, "\u00e9")), "af04633a49e65498805f6ab32dcbc0ce")
})

test_that("the origin of a fit is its rows in the columns that it uses", {
  toy <- toy_domains(3, 6)[1:18, ]
  toy$other <- 1
  origin <- function(data, ...) dg_lm(y ~ x1 | domain, data = data, ...)$rows$origin
  known <- origin(toy)
  expect_identical(known$n, 18L)
  expect_identical(names(known$sums), "data")
  plain <- toy
  plain$domain <- as.character(plain$domain)
  plain$other <- 2
  plain$x2 <- 0
  rownames(plain) <- rev(rownames(plain))
  expect_identical(origin(tibble::as_tibble(plain[rev(names(plain))])), known)
  for (column in c("y", "x1", "domain")) {
    changed <- toy
    changed[[column]] <- rev(changed[[column]])
    expect_identical(origin_difference(known, origin(changed)), "their values are others")
  }
  expect_identical(origin_difference(known, origin(toy[-1L, ])), "they have 17 rows, and had 18")
  w <- seq_len(18)
  weighted <- origin(toy, weights = w)
  expect_identical(origin_difference(weighted, origin(toy, weights = rev(w))),
                   "`weights` has other values")
})
