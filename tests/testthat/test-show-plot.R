test_that("projections plot for numbers, classes and no response, with unseen domains", {
  toy <- toy_domains(4, 15)
  model <- dg_udica(y ~ . | domain, data = domains_of(toy, 1:2))
  result <- drawn(plot(model, newdata = domains_of(toy, 3:4)))
  expect_false(result$visible)
  expect_identical(result$value, model)
  drawn(plot(model, newdata = domains_of(toy, 3)[, -2], components = 1))
  drawn(plot(dg_kpca(~ . - y | domain, data = toy)))
  labels <- toy_classes(4, 15)
  class <- dg_dica(y ~ . | domain, data = domains_of(labels, 1:3), ncomp = 1)
  drawn(plot(class, newdata = domains_of(labels, 4)))
  expect_domgen_error(plot(model, components = 3), "from 1 to 2")
})

test_that("comparisons and cross-validations plot", {
  toy <- toy_domains(4, 15)
  drawn(plot(dg_compare(list(pooled = dg_lm()), y ~ . | domain, data = toy)))
  drawn(plot(dg_cv(dg_lm(), y ~ . | domain, data = toy)))
})

test_that("methods that are no list are refused, and small differences get digits", {
  toy <- toy_domains(4, 15)
  expect_domgen_error(dg_compare(dg_lm(), dg_svm(), y ~ . | domain, data = toy), "one list")
  expect_identical(enough_digits(c(0, NA, 0.00114), 3), 4)
  expect_identical(enough_digits(c(0, NA), 3), 3)
})

test_that("long names are broken or shortened, and stay different", {
  names <- paste("University hospital of the city number", 1:12)
  fitted <- fit_text(names, 16, lines = 2L)
  expect_lte(widest(fitted), 16)
  expect_lte(number_of_lines(fitted), 2)
  expect_length(unique(fitted), 12)
  expect_identical(fit_text(c("pooled", "a b"), 16), c("pooled", "a b"))
  expect_identical(shorten("instrument 17", 9), "ins... 17")
  toy <- toy_domains(4, 15)
  levels(toy$domain) <- names[1:4]
  drawn(plot(dg_udica(y ~ . | domain, data = domains_of(toy, 1:2)), newdata = domains_of(toy, 3:4)))
  drawn(plot(dg_cv(dg_lm(), y ~ . | domain, data = toy)))
})

test_that("classes of new rows have the place they had in training", {
  labels <- toy_classes(4, 15)
  model <- dg_dica(y ~ . | domain, data = domains_of(labels, 1:3), ncomp = 1)
  new <- domains_of(labels, 4)
  only <- new[new$y == levels(new$y)[2], ]
  frame <- scores_frame(model, only, 1L, NULL, NULL, 5)
  expect_true(all(round(score_places(frame)$y[!frame$seen]) == 2))
})

far_null <- function() {
  set.seed(1)
  d <- data.frame(g = rep(letters[1:6], each = 10), x = rnorm(60), z = rnorm(60))
  d$y <- 5 * d$x + d$z + rnorm(6)[match(d$g, letters)] + rnorm(60)
  # linear in the rows, as the truth, so that no draw of folds puts them near the null model
  pooled <- function(lambda) {
    dg_ridge(kernel = kernel_linear(), domain_kernel = domain_pooled(), lambda = lambda)
  }
  dg_compare(list(lm = dg_lm(), ridge = pooled(1), pooled = pooled(0.1)),
             y ~ . | g, data = d, folds = 3, refits = FALSE)
}

test_that("a null model far from the others does not squash them", {
  result <- far_null()
  drawn <- picture(result)$data
  null <- drawn[drawn$method == "null" & drawn$kind == "mean", ]
  expect_identical(null$beyond, c(1, 1))
  expect_equal(null$true, c(result$table$mean[1], result$table$difference[1]))
  for (panel in levels(drawn$panel)) {
    own <- drawn[drawn$panel == panel, ]
    others <- range(own[own$method != "null", c("value", "lower", "upper")], na.rm = TRUE)
    expect_lt(own$value[own$beyond != 0], others[2] + 0.2 * diff(others))
  }
  expect_match(picture(result)$caption, paste0("null \\(score ", signif(null$true[1], 3)))
  # points that are left out are counted: those of all domains, in both panels
  expect_match(picture(result)$caption,
               "Not drawn, too far: 6 of 6 scores of null, 6 of 6 differences of null.", fixed = TRUE)
  # and what is near is left as it is
  result$scores[, "null"] <- result$scores[, "lm"] + 0.01
  result$table[1, c("mean", "difference", "lower", "upper")] <-
    result$table[2, c("mean", "difference", "lower", "upper")]
  near <- picture(result)
  expect_true(all(near$data$beyond == 0))
  expect_false(grepl("Beyond|Not drawn", near$caption))
})

test_that("parameters are named by what they mean, and by their argument", {
  titles <- parameter_titles(c("lambda", "bandwidth_factor", "domain_kernel.embedding_kernel.bandwidth", "epsilon", "own"))
  expect_identical(titles, c("ridge (lambda)", "bandwidth over the median distance (times)",
                             "bandwidth (domain_kernel.embedding_kernel.bandwidth)", "epsilon", "own"))
})

test_that("numbers in a picture do not end in a point", {
  expect_identical(same_digits(c(326, 410)), c("326", "410"))
  expect_identical(same_digits(c(0.1, 0.25)), c("0.100", "0.250"))
})

test_that("a bin of a single row has no point, and the caption says so", {
  table <- data.frame(class = factor("a"), low = 0:2 / 4, high = 1:3 / 4, rows = c(1L, 5L, 8L),
                      predicted = 0:2 / 4 + 0.1, observed = c(1, 0.4, 0.5), lower = 0, upper = 1)
  shown <- picture(structure(list(table = table, rows = 14L, domains = 2L, error = c(a = 0.1),
                                  labels = list(response = "y")), class = "dg_calibration"))
  points <- Filter(function(layer) attr(layer, "mark") == "point", shown$layers)[[1]]
  expect_identical(points$y, c(0.4, 0.5))
  expect_match(shown$caption, "Without a point: 1 bin of a single row")
})

test_that("a null model is known by what it is, not by its name", {
  result <- far_null()
  renamed <- function(names) replace(names, names == "null", "knows nothing")
  result$table$method <- renamed(result$table$method)
  colnames(result$scores) <- renamed(colnames(result$scores))
  names(result$runs) <- renamed(names(result$runs))
  expect_identical(null_methods(result), "knows nothing")
  expect_identical(picture(result)$data$beyond, picture(far_null())$data$beyond)
  expect_match(picture(result)$caption, "knows nothing (score", fixed = TRUE)
})

test_that("on a small page letters are smaller, and the page is left as it was", {
  sizes <- vapply(list(c(3.3, 2.8), c(6.5, 4)), function(size) {
    grDevices::pdf(NULL, size[1L], size[2L])
    on.exit(grDevices::dev.off())
    small_page()
  }, 0)
  expect_lt(sizes[1L], 0.8)
  expect_identical(sizes[2L], 1)
})

test_that("a theme's own colours are followed", {
  skip_if_not_installed("ggplot2", "4.0.0")
  old <- ggplot2::theme_set(ggplot2::theme_grey(ink = "white", paper = "black") +
                              ggplot2::theme(palette.colour.discrete = c("#FF0000", "#00FF00"),
                                             palette.colour.continuous = c("#000000", "#FFFFFF")))
  on.exit(ggplot2::theme_set(old))
  page <- gg_page()
  expect_identical(page[c("ink", "paper")], list(ink = "white", paper = page$paper))
  expect_identical(class_colours(page, 2), c("#FF0000", "#00FF00"))
  expect_identical(page$numbers(2), c("#000000", "#FFFFFF"))
  toy <- toy_classes(3, 15)
  p <- ggplot2::autoplot(dg_dica(y ~ . | domain, data = toy, ncomp = 1))
  points <- Filter(function(d) "colour" %in% names(d), ggplot2::ggplot_build(p)$data)
  expect_true(all(c("#FF0000", "#00FF00") %in% unlist(lapply(points, `[[`, "colour"))))
})

test_that("`col` is what points() takes, not the start of `colour`", {
  model <- dg_dica(y ~ . | domain, data = toy_classes(3, 15), ncomp = 1)
  drawn(plot(model, col = "red", cex = 2))
  drawn(plot(model, colour = "domain"))
  expect_domgen_error(plot(model, colour = "red"), "`colour` must be one of")
})
