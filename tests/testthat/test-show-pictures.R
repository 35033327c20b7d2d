# What the pictures show (their data frames), that they can be drawn, and what they look like.

shown <- new.env()
pictured <- function(name) {
  if (is.null(shown[[name]])) shown[[name]] <- make_pictured[[name]]()
  shown[[name]]
}

ellipses <- function(domains = 8, rows = 20) {
  data <- simulate_ellipses(domains = domains, n = rows, seed = 1)
  names(data) <- c(domain = "hospital", y = "ill", x1 = "age", x2 = "weight")[names(data)]
  data
}

make_pictured <- list(
  projection = function() dg_kpca(ill ~ . | hospital, data = domains_of_hospital(1:5), ncomp = 2),
  distances = function() {
    data <- ellipses()
    set.seed(1)
    dg_mmd(as.matrix(data[c("age", "weight")]), data$hospital, permutations = 39)
  },
  map = function() {
    domain_map(dg_ridge(ill ~ . | hospital, data = domains_of_hospital(1:5)),
               domains_of_hospital(6:8))
  },
  cv = function() {
    dg_cv(dg_lm(), ill ~ . | hospital, data = ellipses(), metric = c("accuracy", "log_loss"))
  },
  comparison = function() {
    dg_compare(list(pooled = dg_ridge(domain_kernel = domain_pooled()), distributional = dg_ridge()),
               ill ~ . | hospital, data = ellipses(), folds = 4)
  },
  tuned = function() {
    dg_tune(dg_ridge(), ill ~ . | hospital, data = ellipses(), extend = FALSE,
            grid = list(lambda = c(0.01, 1, 100), bandwidth_factor = c(0.5, 1)))
  },
  ridge = function() dg_ridge(ill ~ . | hospital, data = ellipses(), lambda = 0.1),
  numbers = function() {
    dg_ridge(y ~ . | domain, data = simulate_dica(domains = 12, n = 15, seed = 1), lambda = 1)
  },
  diagnosis = function() dg_diagnose(ill ~ . | hospital, data = ellipses(), permutations = 20)
)

domains_of_hospital <- function(codes) {
  data <- ellipses()
  droplevels(data[data$hospital %in% levels(data$hospital)[codes], ])
}

test_that("all layers are drawn in base graphics and in ggplot2, which leave the page as it was", {
  skip_if_not_installed("ggplot2")
  set.seed(2)
  expect_all_drawn(pictured("projection"), newdata = domains_of_hospital(6:8))
  expect_all_drawn(pictured("projection"), newdata = domains_of_hospital(6), components = 1)
  expect_all_drawn(pictured("projection"), which = "values")
  expect_all_drawn(pictured("distances"))
  expect_all_drawn(pictured("distances"), type = "map", unseen = "d7")
  expect_all_drawn(pictured("map"))
  expect_all_drawn(pictured("cv"))
  expect_all_drawn(pictured("cv"), interval = FALSE)
  expect_all_drawn(pictured("comparison"))
  expect_all_drawn(pictured("tuned"))
  expect_all_drawn(pictured("tuned"), type = "curves")
  expect_all_drawn(dg_calibration(pictured("cv")))
  expect_all_drawn(pictured("diagnosis"))
  expect_all_drawn(pictured("ridge"))
  expect_all_drawn(pictured("numbers"))
})

test_that("pictures look as they did, in base graphics", {
  expect_pictures(list(
    projection = function() plot(pictured("projection"), newdata = domains_of_hospital(6:7)),
    eigenvalues = function() plot(pictured("projection"), which = "values"),
    distances = function() plot(pictured("distances"), unseen = "d7"),
    map = function() plot(pictured("map")),
    `cross-validation` = function() plot(pictured("cv")),
    comparison = function() plot(pictured("comparison")),
    surface = function() plot(pictured("tuned")),
    curves = function() plot(pictured("tuned"), type = "curves"),
    calibration = function() plot(dg_calibration(pictured("cv"), bins = 5)),
    diagnosis = function() plot(pictured("diagnosis")),
    `left-out classes` = function() plot(pictured("ridge")),
    `left-out numbers` = function() plot(pictured("numbers"))
  ))
})

test_that("pictures look as they did, in ggplot2", {
  picture <- function(name, ...) ggplot2::autoplot(pictured(name), ...)
  expect_pictures(ggplot = TRUE, list(
    `gg projection` = function() picture("projection", newdata = domains_of_hospital(6:7)),
    `gg eigenvalues` = function() picture("projection", which = "values"),
    `gg distances` = function() picture("distances", unseen = "d7"),
    `gg map` = function() picture("map"),
    `gg cross-validation` = function() picture("cv"),
    `gg comparison` = function() picture("comparison"),
    `gg surface` = function() picture("tuned"),
    `gg curves` = function() picture("tuned", type = "curves"),
    `gg calibration` = function() {
      ggplot2::autoplot(dg_calibration(pictured("cv"), bins = 5))
    },
    `gg diagnosis` = function() picture("diagnosis"),
    `gg left-out classes` = function() picture("ridge"),
    `gg left-out numbers` = function() picture("numbers")
  ))
})

test_that("pictures are labelled with the user's names of the variables", {
  skip_if_not_installed("ggplot2")
  labels <- function(name, ...) unlist(ggplot2::autoplot(pictured(name), ...)$labels)
  expect_true("hospital" %in% labels("cv"))
  expect_match(paste(labels("distances"), collapse = " "), "hospital|domain")
  expect_identical(key_title(scores_frame(pictured("projection"), NULL, 1:2, NULL, NULL, 5)), "ill")
  expect_identical(dg_calibration(pictured("cv"))$labels$response, "ill")
  expect_identical(pictured("map")$labels$domain, "hospital")
})

lightness_of <- function(colours) vapply(colours, lightness, 0, USE.NAMES = FALSE)

test_that("on a dark page text is light, and nothing has the colour of the paper", {
  grDevices::png(tempfile(fileext = ".png"), bg = "black")
  on.exit(grDevices::dev.off())
  graphics::par(fg = "white")
  page <- base_page()
  expect_identical(page, list(ink = "white", paper = "black"))
  expect_true(all(lightness_of(colour_scale(page, 8)) > 0.3))
  white <- as_page("black", "transparent")
  expect_identical(white$paper, "white")
  expect_true(all(lightness_of(colour_scale(white, 8)) < 0.8))
  # without colour the scale still runs one way
  expect_true(all(diff(lightness_of(colour_scale(white, 8))) > 0))
})

test_that("on a dark page nothing but the paper is black", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, bg = "black", fg = "white", compress = FALSE)
  plot(pictured("cv"))
  grDevices::dev.off()
  drawing <- readLines(file, warn = FALSE)
  unlink(file)
  expect_gt(sum(grepl("1.000 1.000 1.000 scn", drawing)), 0)
  expect_identical(sum(grepl("0.000 0.000 0.000 scn", drawing)), 1L)
  expect_identical(sum(grepl("0.000 0.000 0.000 SCN", drawing)), 0L)
})

# The marks of one kind in a picture.
marks <- function(p, mark) do.call(rbind, Filter(function(l) attr(l, "mark") == mark, p$layers))

test_that("what is drawn are the numbers of the object", {
  cv <- pictured("cv")
  p <- picture(cv)
  expect_equal(marks(p, "point")$x, sort(cv$domains$score))
  expect_equal(marks(p, "segment")$x[1], cv$mean)
  model <- pictured("projection")
  points <- picture(model)$layers[[2]]
  expect_equal(cbind(points$x, points$y), unname(fitted(model)))
  expect_equal(marks(picture(model, which = "values"), "segment")$yend, unname(model$values))
  calibration <- dg_calibration(cv)
  points <- marks(picture(calibration), "point")
  expect_equal(points$x, calibration$table$predicted)
  expect_equal(points$y, calibration$table$observed)
  found <- pictured("diagnosis")
  expect_equal(marks(picture(found), "box")$yend, c(found$shift$level, found$shift$variance))
  means <- picture(found)$layers[[5]]
  expect_equal(means$y, c(found$room$difference, found$gain$difference))
  map <- pictured("map")
  points <- marks(picture(map), "point")
  expect_setequal(points$x, map$points$first)
  distances <- pictured("distances")
  expect_setequal(round(picture(distances)$layers[[1]]$key, 8), round(distances$squared, 8))
})

test_that("a divided page stays so, and a picture of one panel can be added to", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 2))
  plot(pictured("comparison"))
  expect_identical(graphics::par("mfg"), c(1L, 1L, 1L, 2L))
  plot(pictured("cv"))
  expect_identical(graphics::par("mfg"), c(1L, 2L, 1L, 2L))
  scores <- range(pictured("cv")$domains$score)
  expect_true(graphics::par("usr")[1] < scores[1] && scores[2] < graphics::par("usr")[2])
})

test_that("the projection's frame has every training row and every new row once", {
  model <- pictured("projection")
  new <- domains_of_hospital(6:8)
  frame <- scores_frame(model, new, 1:2, NULL, NULL, 2)
  expect_identical(sum(frame$seen), nobs(model))
  expect_identical(levels(frame$panel), c("training domains", "d6", "d7"))
  expect_match(attr(frame, "title"), "2 of 3 unseen domains")
  expect_equal(frame$second[frame$panel == "d6"],
               unname(predict(model, new[new$hospital == "d6", ])[, 2]))
  new$age[3] <- NA
  expect_warning(frame <- scores_frame(model, new, 1:2, NULL, NULL, 5), "missing values")
  expect_identical(nrow(frame), nobs(model) + nrow(new) - 1L)
})

test_that("three domains in the plane keep their distances, and a map has all of them", {
  squared <- matrix(c(0, 9, 25, 9, 0, 16, 25, 16, 0), 3, dimnames = list(letters[1:3], letters[1:3]))
  map <- map_points(squared, "b")
  expect_equal(unname(as.matrix(stats::dist(map$points[c("first", "second")]))^2), unname(squared))
  expect_equal(map$shown, 1)
  expect_identical(map$points$unseen, c(FALSE, TRUE, FALSE))
  two <- map_points(squared[1:2, 1:2], NULL)$points
  expect_equal(abs(diff(two$first)), 3)
  expect_identical(two$second, c(0, 0))
})

test_that("a map is the MMD of the model's scaled predictors by its kernel", {
  train <- domains_of_hospital(1:5)
  new <- domains_of_hospital(5:8)
  model <- dg_ridge(ill ~ . | hospital, data = train)
  map <- domain_map(model, new)
  centre <- colMeans(train[c("age", "weight")])
  spread <- apply(train[c("age", "weight")], 2, stats::sd)
  both <- rbind(train, new)
  X <- sweep(sweep(as.matrix(both[c("age", "weight")]), 2, centre), 2, spread, "/")
  domain <- c(as.character(train$hospital), paste(new$hospital, ifelse(new$hospital == "d5",
                                                                       "(new)", "")))
  expected <- dg_mmd(X, trimws(domain), kernel_rbf(model$space$kernel$bandwidth))$squared
  expect_equal(map$squared[rownames(expected), colnames(expected)], expected, tolerance = 1e-8)
  expect_identical(map$unseen, c("d5 (new)", "d6", "d7", "d8"))
  expect_equal(map$squared["d5", "d5 (new)"], 0)
  expect_domgen_error(domain_map(dg_lm(ill ~ . | hospital, data = train)), "keep its training rows")
  expect_domgen_error(domain_map(dg_gam(ill ~ . | hospital, data = train)), "keep its training rows")
  expect_domgen_error(domain_map(train), "must be a fitted model")
})

test_that("intervals of a cross-validation hold their score, and are points where nothing varies", {
  cv <- pictured("cv")
  frame <- cv_frame(cv, TRUE)
  expect_true(all(frame$lower <= frame$score & frame$score <= frame$upper))
  expect_false(is.unsorted(frame$score))
  expect_equal(attr(frame, "mean")[1], mean(frame$score))
  right <- data.frame(truth = factor(c("a", "b", "a")), prediction = factor(c("a", "b", "a")),
                      domain = "one", rep = 1L)
  expect_equal(c(domain_intervals(right, "one", metrics$accuracy)), c(1, 1))
  # of a mean of n values the standard error is sd / sqrt(n)
  n <- 400
  many <- data.frame(truth = with_seed(3, stats::rnorm(n)), prediction = 0, domain = "one", rep = 1L)
  half <- diff(c(domain_intervals(many, "one", metrics$mae, draws = 1000L))) / 2
  expect_equal(half, 1.96 * stats::sd(abs(many$truth)) / sqrt(n), tolerance = 0.1)
})

test_that("many domains are named in part, with a note", {
  skip_if_not_installed("ggplot2")
  expect_identical(thin(5, 40), 1:5 + 0)
  expect_lte(length(thin(64, 40)), 40)
  expect_match(note_unnamed(32, 64), "64 domains, 32 of them named")
  expect_null(note_unnamed(5, 5))
  cv <- pictured("cv")
  many <- cv$domains[rep(seq_len(nrow(cv$domains)), 9), ]
  many$domain <- paste("University hospital number", seq_len(nrow(many)))
  cv$domains <- many
  expect_all_drawn(cv, interval = FALSE)
  squared <- as.matrix(stats::dist(seq_len(70)))
  dimnames(squared) <- rep(list(paste("University hospital number", 1:70)), 2)
  distances <- structure(list(squared = squared), class = c("domgen_mmd", "dg_result"))
  expect_all_drawn(distances)
  expect_all_drawn(distances, type = "map", unseen = rownames(squared)[70])
})

test_that("a comparison's points have its means, and no differences from itself", {
  x <- pictured("comparison")
  frame <- compare_frame(x)
  single <- frame[frame$kind == "domain", ]
  means <- tapply(single$value, list(single$panel, single$method), mean)
  expect_equal(unname(means["scores", x$table$method]), x$table$mean)
  other <- x$table$method != x$baseline
  expect_equal(unname(means["differences", x$table$method[other]]), x$table$difference[other])
  expect_true(is.na(means["differences", x$baseline]))
})

test_that("tuning pictures show the best of each value, and mark what was chosen", {
  x <- pictured("tuned")
  table <- x$tuning$table
  frame <- surface_frame(x, c("lambda", "times"))
  expect_identical(sum(frame$mark), 1L)
  expect_equal(frame$value[frame$mark], table$mean[x$tuning$chosen])
  expect_equal(sort(frame$value), sort(table$mean))
  curves <- curves_frame(x, "lambda")
  expect_equal(curves$mean, unname(c(tapply(table$mean, table$lambda, max))))
  expect_identical(curves$label[curves$chosen], format(x$tuning$best$lambda))
  # a choice that failed is a gap
  x$tuning$table$mean[1] <- NA
  expect_identical(sum(is.na(surface_frame(x, c("lambda", "times"))$value)), 1L)
  drawn(plot(x))
  expect_domgen_error(plot(x, parameters = "cost"), "`parameters` must be one of")
  expect_domgen_error(plot(x, parameters = character()), "`parameters` must be one of")
  expect_domgen_error(plot(x, type = "surface", parameters = "lambda"), "two names")
})

test_that("bins hold all rows, and their intervals are Wilson's of the effective number", {
  cv <- pictured("cv")
  calibration <- dg_calibration(cv)
  table <- calibration$table
  expect_identical(sum(table$rows), nrow(cv$predictions))
  truth <- cv$predictions$truth == as.character(calibration$table$class[1])
  expect_equal(sum(table$rows * table$observed), sum(truth))
  expect_equal(sum(table$rows * table$predicted), sum(cv$predictions$prob[, 2]))
  expect_true(all(table$predicted >= table$low & table$predicted <= table$high))
  reference <- suppressWarnings(stats::prop.test(7, 20, correct = FALSE)$conf.int)
  expect_equal(wilson_interval(7 / 20, 20, stats::qnorm(0.975)), c(reference))
  # ten domains of alike rows are ten rows; independent rows keep their number
  alike <- rep(c(TRUE, FALSE), c(30, 70))
  domain <- gl(10, 10)
  expect_equal(clustered_interval(alike, domain), wilson_interval(0.3, 9, stats::qt(0.975, 9)))
  mixed <- rep(c(TRUE, FALSE, FALSE, TRUE), 25)
  expect_equal(clustered_interval(mixed, domain), wilson_interval(0.5, 100, stats::qt(0.975, 9)))
  expect_identical(clustered_interval(alike, gl(1, 100)), c(NA_real_, NA_real_))
  # rows without a hit are as alike within domains as those of the other bin
  both <- bin_probabilities("a", rep(c(0.95, 0.05), each = 100), c(alike, rep(FALSE, 100)),
                            factor(c(domain, domain)), 10)
  expect_equal(c(both$lower[1], both$upper[1]), wilson_interval(0, 9, stats::qt(0.975, 9)))
  sure <- bin_probabilities("a", c(0, 1, 1), c(FALSE, TRUE, TRUE), gl(1, 3), 10)
  expect_identical(sure$rows, c(1L, 2L))
  expect_equal(sure$observed, c(0, 1))
})

test_that("calibration is by domain first: domains that are off in turn do not hide each other", {
  # logits 1 too low in half of the domains, 1 too high in the others
  world <- with_seed(2, {
    domain <- gl(8, 400)
    logit <- rnorm(3200)
    off <- rep(c(-1, 1), 4)[domain]
    list(domain = domain, p = plogis(logit), hit = runif(3200) < plogis(logit + off))
  })
  found <- calibrate_domains("1", world$p, world$hit, world$domain)
  expect_equal(found$observed, c(tapply(world$hit, world$domain, sum)), ignore_attr = TRUE)
  expect_equal(found$expected, c(tapply(world$p, world$domain, sum)), ignore_attr = TRUE)
  expect_equal(found$intercept, rep(c(-1, 1), 4), tolerance = 0.35)
  expect_equal(found$slope, rep(1, 8), tolerance = 0.4)
  direct <- glm(world$hit ~ qlogis(world$p), binomial, subset = world$domain == "3")
  expect_equal(found$slope[3], coef(direct)[[2]], tolerance = 1e-6)
  few <- calibrate_domains("1", c(0.2, 0.6), c(FALSE, TRUE), gl(1, 2))
  expect_identical(few[c("intercept", "slope")], data.frame(intercept = NA_real_, slope = NA_real_))
})

test_that("domains of few rows are not said to be off where chance explains it", {
  # two of two hits, three hits or more of three rows
  expect_equal(number_p(c(0.2, 0.6), 2), 2 * 0.2 * 0.6)
  expect_equal(number_p(rep(0.5, 10), 9), stats::binom.test(9, 10)$p.value)
  expect_equal(number_p(c(0.3, 0.4), 1), 1)
  expect_equal(number_p(rep(0.3, 1500), 480), number_p(rep(0.3, 1000), 327), tolerance = 0.3)
  right <- with_seed(1, {
    p <- runif(1200, 0.1, 0.5)
    calibrate_domains("1", p, runif(1200) < p, gl(200, 6))
  })
  # far from 1 all the same
  expect_equal(range(right$ratio), c(0, 3), tolerance = 0.3)
  expect_lt(mean(right$p < 0.05), 0.06)
  found <- structure(list(error = c(`1` = 0.01), by_domain = right), class = "dg_calibration")
  said <- paste(calibration_words(found), collapse = " ")
  expect_match(said, paste("in", sum(right$p < 0.05), "of 200 domains"))
  expect_match(said, "slope by domain not known: no domain has 5 rows")
})

test_that("calibration of a model asks for new rows with classes it knows", {
  train <- domains_of_hospital(1:5)
  new <- domains_of_hospital(6:8)
  model <- dg_lm(ill ~ . | hospital, data = train)
  calibration <- dg_calibration(model, new, bins = 4)
  expect_identical(calibration$rows, nrow(new))
  expect_identical(calibration$domains, 3L)
  expect_output(print(calibration),
                "observed/expected by domain .* slope by domain .*all domains together")
  expect_domgen_error(dg_calibration(model), "`newdata` must be given")
  expect_domgen_error(dg_calibration(model, new[names(new) != "ill"]), "must have the response")
  new$ill <- "unknown"
  expect_domgen_error(dg_calibration(model, new), "classes in training")
  expect_domgen_error(dg_calibration(dg_cv(dg_lm(), ill ~ . | hospital, data = train)), "log_loss")
  expect_domgen_error(dg_calibration(train), "fitted model or the result")
  expect_domgen_error(dg_calibration(pictured("cv"), class = "none"), "`class` must be one of")
  expect_domgen_error(dg_calibration(pictured("cv"), class = character()), "`class` must be one of")
  expect_domgen_error(dg_calibration(pictured("cv"), new), "rows of its own")
})

test_that("arguments of pictures that there are not are refused", {
  expect_domgen_error(plot(pictured("cv"), maxlabels = 3), "did you mean")
  expect_domgen_error(plot(pictured("distances"), type = "heat"), "`type` must be one of")
  expect_domgen_error(plot(pictured("distances"), unseen = "d99"), "\"d99\"")
  expect_domgen_error(plot(pictured("projection"), which = "score"), "`which` must be one of")
  expect_domgen_error(plot(pictured("tuned"), "surfaces"), "`type` must be one of")
})
