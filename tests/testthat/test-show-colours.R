# What colours tell, where names stand, and how panels are laid out.

lightness_of <- function(colours) vapply(colours, lightness, 0, USE.NAMES = FALSE)

hospitals <- function(codes) {
  data <- simulate_ellipses(domains = 8, n = 20, seed = 1)
  names(data) <- c(domain = "hospital", y = "ill", x1 = "age", x2 = "weight")[names(data)]
  droplevels(data[data$hospital %in% levels(data$hospital)[codes], ])
}

projected <- local({
  model <- NULL
  function() {
    if (is.null(model)) model <<- dg_kpca(ill ~ . | hospital, data = hospitals(1:5), ncomp = 2)
    model
  }
})

test_that("classes have colours that differ in grey and from the paper, and shapes of their own", {
  for (page in list(as_page("black", "white"), as_page("white", "black"))) {
    for (n in 2:8) {
      colours <- class_colours(page, n)
      expect_length(unique(colours), n)
      expect_true(all(abs(lightness_of(colours) - lightness(page$paper)) > 0.1))
    }
    expect_true(all(abs(diff(lightness_of(class_colours(page, 3)))) > 0.15))
    expect_length(unique(class_colours(page, 12)), 12)
  }
  expect_identical(anyDuplicated(class_shapes(8)), 0L)
  # the open circle is for rows without a response
  expect_false(1 %in% class_shapes(8))
})

test_that("names on a map lie over no other name or point, within the panel", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  at <- with_seed(1, list(x = stats::runif(60), y = stats::runif(60)))
  wide <- rep(0.09, 60)
  place <- list(x = c(0, 1), y = c(0, 1))
  found <- clear_places(at$x, at$y, wide, 0.04, place)
  shown <- which(!is.na(found$x))
  expect_gt(length(shown), 10)
  expect_lt(length(shown), 60)
  for (i in shown) {
    near <- function(x, y, width, height) {
      abs(x - found$x[i]) < width - 1e-9 & abs(y - found$y[i]) < height - 1e-9
    }
    expect_false(any(near(found$x[setdiff(shown, i)], found$y[setdiff(shown, i)], 0.09, 0.04)))
    expect_false(any(near(at$x, at$y, 0.045, 0.02)))
    expect_true(abs(found$x[i] - 0.5) <= 0.5 - 0.045 && abs(found$y[i] - 0.5) <= 0.5 - 0.02)
  }
  alone <- clear_places(0.5, 0.5, 0.1, 0.04, place)
  expect_equal(unlist(alone), c(x = 0.5, y = 0.5 + 1.1 * 0.04))
})

test_that("pale shades let a dark theme through that is added later", {
  page <- as_page("black", "white")
  over <- function(colour, paper) {
    rgba <- grDevices::col2rgb(colour, alpha = TRUE)[, 1L] / 255
    rgba[[1L]] * rgba[[4L]] + (1 - rgba[[4L]]) * paper
  }
  pale <- gg_shade(page, 0.08)
  expect_equal(over(pale, 1), 0.92, tolerance = 0.01)
  expect_equal(over(pale, 0), 0.08, tolerance = 0.05)
  expect_identical(gg_shade(page, c(0, 1, NA)), c("#FFFFFF", "#000000", NA))
})

test_that("many panels stand in rows, on a wide page fewer of them", {
  expect_identical(panel_rows(3, 0.1), 1L)
  for (n in 4:30) for (shape in c(0.5, 1, 1.6, 3)) {
    rows <- panel_rows(n, shape)
    expect_gte(rows * ceiling(n / rows), n)
    expect_lte(rows, panel_rows(n, shape / 2))
  }
  expect_identical(panel_rows(6, 1.6), 2)
  grDevices::pdf(NULL, 7, 4)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  p <- lay_out(picture(projected(), newdata = hospitals(6:8)))
  expect_identical(prod(p$grid) >= 4 && p$grid[1L] > 1, TRUE)
})

test_that("a projection is coloured by the response or by the domain", {
  model <- projected()
  new <- hospitals(6:7)
  by <- function(...) picture(model, newdata = new, ...)$key
  expect_identical(by()$levels, levels(factor(new$ill)))
  expect_identical(by(colour = "response"), by())
  expect_identical(by(colour = "domain")$levels, levels(model$domain))
  expect_identical(by(colour = "domain")$title, "hospital")
  expect_all_drawn(model, newdata = new, colour = "domain")
  expect_domgen_error(plot(model, colour = "class"), "`colour` must be one of")
  none <- dg_kpca(~ age + weight | hospital, data = new)
  expect_domgen_error(plot(none, colour = "response"), "neither the model nor")
  expect_identical(picture(none)$key$levels, c("d6", "d7"))
})
