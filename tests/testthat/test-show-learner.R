# Pictures of fitted learners, and the colours and numbers of all pictures.

toy_new <- function(model, data) learner_frame(model, data, NULL, NULL)

test_that("a ridge regression is drawn at what lodo() predicts, worst domain first", {
  toy <- toy_domains(5, 15)
  model <- dg_ridge(y ~ . | domain, data = toy)
  left <- lodo(model)
  p <- picture(model, max_panels = 9)
  points <- p$layers[[3]]
  expect_setequal(round(points$x, 10), round(left$predictions$prediction, 10))
  expect_equal(points$y[order(points$x)],
               left$predictions$truth[order(left$predictions$prediction)])
  rmse <- as.numeric(sub(".*RMSE ", "", p$panels))
  expect_equal(rmse, sort(left$domains$score, decreasing = TRUE), tolerance = 0.01)
  expect_match(paste(p$note, collapse = " "), "closed form")
  few <- picture(model, max_panels = 3)
  expect_length(few$panels, 3L)
  expect_identical(few$panels[c(1, 3)], p$panels[c(1, 5)])
  expect_match(paste(few$note, collapse = " "), "3 of 5 domains")
})

test_that("a Gaussian process's left-out predictions and intervals are those of a fit without", {
  toy <- toy_domains(4, 12)
  model <- dg_gp(y ~ . | domain, data = toy, optimise = FALSE, scale = "none", signal = 1,
                 noise = 0.3, kernel = kernel_rbf(1), domain_kernel = domain_pooled())
  rows <- exact_left_out(model)
  # the textbook's formulas, on the scale of all responses
  y <- (toy$y - model$response$centre) / model$response$scale
  K <- kernel_matrix(kernel_rbf(1), as.matrix(toy[setdiff(names(toy), c("y", "domain"))]))
  out <- toy$domain == levels(factor(toy$domain))[2]
  signal <- model$signal
  noise <- model$noise
  A <- signal^2 * K[!out, !out] + noise^2 * diag(sum(!out))
  k <- signal^2 * K[out, !out]
  fit <- drop(k %*% solve(A, y[!out]))
  variance <- diag(signal^2 * K[out, out] + noise^2 * diag(sum(out)) - k %*% solve(A, t(k)))
  expect_equal(rows$fit[out], fit * model$response$scale + model$response$centre, tolerance = 1e-6)
  expect_equal(rows$sd[out], sqrt(variance) * model$response$scale, tolerance = 1e-6)
  frame <- learner_frame(model, NULL, NULL, NULL)
  expect_equal(frame$upper - frame$predicted, stats::qnorm(0.975) * rows$sd)
})

test_that("other learners ask for new rows, and show their predictions of them", {
  toy <- toy_domains(5, 15)
  model <- dg_svm(y ~ . | domain, data = domains_of(toy, 1:3))
  new <- domains_of(toy, 4:5)
  expect_domgen_error(plot(model), "`newdata` must be given")
  expect_domgen_error(plot(model, newdata = new[names(new) != "y"]), "must have the response")
  frame <- toy_new(model, new)
  expect_equal(frame$predicted, as.numeric(predict(model, new)))
  expect_equal(frame$truth, new$y)
  expect_match(paste(picture(model, new)$note, collapse = " "), "new rows")
  chained <- fit(chain(kpca(), dg_ridge()), y ~ . | domain, data = domains_of(toy, 1:3))
  expect_all_drawn(chained, newdata = new)
  expect_all_drawn(dg_gp(y ~ . | domain, data = domains_of(toy, 1:3), optimise = FALSE))
  expect_all_drawn(dg_lm(y ~ . | domain, data = domains_of(toy, 1:3)), newdata = new)
})

test_that("of classes the shares predicted right are drawn, by domain and class", {
  labels <- toy_classes(4, 15)
  model <- dg_ridge(y ~ . | domain, data = labels)
  rows <- lodo(model)$predictions
  table <- right_frame(learner_frame(model, NULL, NULL, NULL))
  whole <- table[is.na(table$class), ]
  right <- tapply(rows$prediction == rows$truth, rows$domain, mean)
  expect_equal(whole$right, unname(c(right[as.character(whole$domain)])))
  one <- table[!is.na(table$class), ][1, ]
  own <- rows$domain == as.character(one$domain) & rows$truth == as.character(one$class)
  expect_equal(one$right, mean(rows$prediction[own] == rows$truth[own]))
  expect_equal(one$rows, sum(own))
  expect_all_drawn(model)
})

test_that("the first colours of classes differ in grey, and more than eight are a scale", {
  page <- as_page("black", "white")
  light <- vapply(class_colours(page, 8), lightness, 0)
  expect_gt(min(abs(diff(light[1:5]))), 0.1)
  expect_length(unique(class_colours(page, 20)), 20L)
  page$classes <- c("red", "blue")
  expect_identical(class_colours(page, 2), c("red", "blue"))
  expect_identical(class_colours(page, 3), okabe_ito[1:3])
})

test_that("text on tiles is of ink or paper, whichever is farther from the tile", {
  page <- as_page("black", "white")
  expect_identical(written_on(page, c("#000000", "#FFFFFF")), c("white", "black"))
  dark <- as_page("white", "black")
  expect_identical(written_on(dark, c("#111111", "#EEEEEE")), c("white", "black"))
})

test_that("numbers have no point at their end, and multiples say of what", {
  expect_identical(plain_number(c(326.4, 3.264), 3), c("326", "3.26"))
  expect_identical(parameter_title("times"), "bandwidth, times the median distance")
  expect_match(parameter_title("domain_kernel.outer.times"), "bandwidth between domains, times")
  expect_identical(parameter_title("lambda"), "lambda")
})

test_that("a method far off does not squash a comparison, and its mean is written", {
  frame <- data.frame(panel = factor("scores"), method = factor(c("a", "b", "c", "c")),
                      value = c(1, 1.2, 9, 10), lower = NA_real_, upper = NA_real_,
                      kind = c("against", "mean", "mean", "domain"))
  expect_identical(far_methods(frame), "c")
  near <- replace(frame, "value", list(c(1, 1.2, 1.1, 1.3)))
  expect_identical(far_methods(near), character())
  frame$outside <- frame$method == "c"
  outside <- beyond_scale(frame)
  expect_identical(outside$label, "9.00 >")
  expect_equal(outside$at, 1.2)
})

test_that("a projection is coloured by domain where that is asked for", {
  toy <- toy_classes(4, 15)
  model <- dica(y ~ . | domain, data = domains_of(toy, 1:3), ncomp = 1)
  frame <- scores_frame(model, domains_of(toy, 4), 1L, NULL, NULL, 5, "domain")
  expect_identical(as.character(frame$key), frame$domain)
  expect_identical(attr(frame, "of"), "domain")
  expect_all_drawn(model, newdata = domains_of(toy, 4), colour = "domain")
  expect_domgen_error(plot(model, colour = "red"), "`colour` must be one of")
})
