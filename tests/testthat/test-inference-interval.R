# Domains of one line with an intercept, a noise of their own, and rows of several numbers.
interval_world <- function(domains, rows = 20, tau = 1, hetero = 0) {
  parts <- lapply(seq_len(domains), function(g) {
    x <- rnorm(rows)
    z <- rnorm(rows)
    data.frame(x, z, y = x + tau * rnorm(1) + exp(hetero * z) * rnorm(rows),
               domain = sprintf("d%04d", g))
  })
  do.call(rbind, parts)
}

split_at <- function(data, domains) {
  old <- data$domain %in% unique(data$domain)[seq_len(domains)]
  list(train = data[old, ], new = data[!old, ])
}

covered <- function(found, truth) mean(found$lower <= truth & truth <= found$upper)

test_that("intervals are those of the formula, from refits without each domain", {
  set.seed(1)
  world <- split_at(interval_world(14, tau = 0.5), 10)
  model <- dg_lm(y ~ x + z | domain, data = world$train)
  intervals <- set_intervals(model)$intervals
  error <- unlist(lapply(split(world$train, world$train$domain), function(held) {
    fit <- lm(y ~ x + z, world$train[world$train$domain != held$domain[1], ])
    held$y - predict(fit, held)
  }), use.names = FALSE)
  expect_equal(intervals$error, error, tolerance = 1e-8)
  expect_equal(intervals$shares, rep(1 / nrow(world$train), nrow(world$train)))

  # q by hand, without the size of errors
  s <- abs(error)
  q0 <- sort(s)[ceiling(0.9 * length(s))]
  below <- tapply(s <= q0, world$train$domain, mean)
  m <- max(10, min(length(s), mean(below) * (1 - mean(below)) * 10 / var(below)))
  q <- sort(s)[ceiling(0.9 * (1 + 1 / m) * length(s) - 1e-9)]
  plain <- model
  plain$intervals <- intervals
  plain$intervals["size"] <- list(NULL)
  found <- predict(domgen:::seal(plain), world$new, interval = "prediction", level = 0.9)
  expect_named(found, c("fit", "lower", "upper"))
  expect_equal(found$fit, predict(model, world$new))
  expect_equal(found$upper - found$fit, rep(q, nrow(found)))
  expect_equal(found$fit - found$lower, rep(q, nrow(found)))
})

test_that("intervals cover rows, domains and means of new domains as they say", {
  skip_on_cran()
  set.seed(2)
  outcome <- replicate(if (long_form()) 30 else 10, {
    world <- split_at(interval_world(60, tau = 0.7), 20)
    model <- set_intervals(dg_lm(y ~ x + z | domain, data = world$train))
    new <- world$new
    rows <- predict(model, new, interval = "prediction")
    whole <- predict(model, new, interval = "domain_share", level = 0.8)
    means <- predict(model, new, interval = "domain_mean")
    truth <- tapply(new$y, new$domain, mean)[means$domain]
    inside <- tapply(whole$lower <= new$y & new$y <= whole$upper, new$domain, mean)
    c(rows = covered(rows, new$y), whole = mean(inside >= 0.8), means = covered(means, truth))
  })
  # standard errors of these means are near 0.007, 0.016 and 0.012 in the long form, and the bounds
  # 0.02 to 0.06 from what is promised
  found <- rowMeans(outcome)
  room <- if (long_form()) 0 else 0.02
  expect_gt(found[["rows"]], 0.88 - room)
  expect_lt(found[["rows"]], 0.93 + room)
  expect_gt(found[["whole"]], 0.76 - room)
  expect_gt(found[["means"]], 0.87 - room)
  expect_lt(found[["means"]], 0.96 + room)
})

test_that("intervals are wide where errors are large, where that is better", {
  set.seed(3)
  world <- split_at(interval_world(45, tau = 0.2, hetero = 1), 30)
  model <- dg_lm(y ~ x + z | domain, data = world$train)
  found <- predict(model, world$new, interval = "prediction")
  width <- found$upper - found$lower
  expect_gt(cor(log(width), world$new$z), 0.9)
  high <- world$new$z > 0
  plain <- set_intervals(model)
  plain$intervals["size"] <- list(NULL)
  plain <- predict(domgen:::seal(plain), world$new, interval = "prediction")
  uneven <- function(found) {
    abs(covered(found[high, ], world$new$y[high]) - covered(found[!high, ], world$new$y[!high]))
  }
  expect_gt(uneven(plain), 0.15)
  expect_lt(uneven(found), 0.6 * uneven(plain))
  same <- split_at(interval_world(45, tau = 0.2), 30)
  alike <- predict(dg_lm(y ~ x + z | domain, data = same$train), same$new, interval = "prediction")
  expect_lt(sd(alike$upper - alike$lower), 0.15 * mean(alike$upper - alike$lower))
})

test_that("sets of classes cover, and name the classes", {
  set.seed(4)
  toy <- simulate_dcm(domains = 60, n = 30, p = 3, eta = 0.4, seed = 4)
  toy$domain <- as.character(toy$domain)
  world <- split_at(toy, 30)
  model <- dg_lm(y ~ . | domain, data = world$train)
  sets <- predict(model, world$new, type = "set", level = 0.9)
  expect_identical(colnames(sets), levels(toy$y))
  inside <- sets[cbind(seq_len(nrow(sets)), as.integer(world$new$y))]
  expect_gt(mean(inside), 0.87)
  expect_lt(mean(inside), 0.93)
  # the most probable class is in every set that is not empty
  best <- predict(model, world$new)
  some <- rowSums(sets) > 0
  expect_true(all(sets[cbind(seq_len(nrow(sets)), as.integer(best))][some]))
  three <- predict(dg_ridge(Species ~ Sepal.Length | plot, lambda = 1, data =
    transform(iris, plot = rep(1:15, 10))), iris[1:3, ], domain = "new", type = "set")
  expect_identical(dim(three), c(3L, 3L))
})

test_that("the mean of a single new domain is a line without a name", {
  set.seed(5)
  world <- split_at(interval_world(12), 11)
  model <- dg_lm(y ~ x | domain, data = world$train)
  expect_identical(row.names(predict(model, world$new, interval = "domain_mean")), "1")
})

test_that("too few domains give infinite intervals and all classes, and say so", {
  set.seed(5)
  small <- interval_world(8)
  model <- dg_lm(y ~ x | domain, data = small)
  expect_message(found <- predict(model, small, interval = "prediction"),
                 "Use a `level` of at most 0.888", class = "domgen_message_interval")
  expect_true(all(found$lower == -Inf & found$upper == Inf))
  expect_no_message(fine <- predict(model, small, interval = "prediction", level = 0.8))
  expect_true(all(is.finite(fine$upper)))
  expect_true(all(is.infinite(predict(model, small, interval = "domain_mean", level = 0.95)$upper)))
})

test_that("every learner, chain and ensemble has intervals, and each row is as with the others", {
  set.seed(6)
  world <- split_at(interval_world(14), 10)
  specs <- list(dg_ridge(lambda = 1), dg_svm(cost = 1), dg_gp(optimise = FALSE), dg_null(),
                dg_ridge(lambda = 1, feature_map = features_nystrom(20)),
                dg_gp(feature_map = features_nystrom(20), optimise = FALSE),
                dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 1)),
                dg_ensemble(list(dg_lm(), dg_ridge(lambda = 1))))
  for (spec in specs) {
    model <- suppressWarnings(fit(spec, y ~ x + z | domain, data = world$train))
    found <- predict(model, world$new, interval = "prediction", level = 0.8)
    expect_identical(names(found), c("fit", "lower", "upper"), info = method_of(spec)$title)
    expect_equal(found$fit, predict(model, world$new), info = method_of(spec)$title)
    expect_true(all(found$lower < found$fit & found$fit < found$upper), info = method_of(spec)$title)
    # what is carried along is what was found, whatever the order of the rows
    kept <- unserialize(serialize(set_intervals(model), NULL))
    expect_equal(predict(kept, world$new[rev(seq_len(nrow(world$new))), ], interval = "prediction",
                         level = 0.8)$upper, rev(found$upper), info = method_of(spec)$title)
  }
})

test_that("intervals can rest on labelled domains that were not in training", {
  set.seed(7)
  world <- interval_world(40)
  first <- split_at(world, 10)
  second <- split_at(first$new, 15)
  model <- set_intervals(dg_lm(y ~ x + z | domain, data = first$train), second$train)
  error <- second$train$y - predict(model, second$train)
  expect_equal(model$intervals$error, error)
  found <- predict(model, second$new, interval = "prediction")
  expect_gt(covered(found, second$new$y), 0.8)
  expect_error(set_intervals(model, first$train), "not in training", class = "domgen_error_data")
  expect_error(set_intervals(model, first$train[c("x", "z", "domain")]),
               "The response is missing: give `y`", class = "domgen_error_data")
})

test_that("random numbers stay, rows with missing values have no interval, fixed references hold", {
  set.seed(8)
  world <- split_at(interval_world(14), 10)
  model <- dg_ridge(y ~ x + z | domain, data = world$train, lambda = 1)
  before <- .Random.seed
  expected <- predict(model, world$new, interval = "prediction", level = 0.8)
  expect_identical(.Random.seed, before)
  holes <- replace(world$new, 1, replace(world$new$x, 2, NA))
  expect_warning(found <- predict(model, holes, interval = "prediction", level = 0.8,
                                  reference = world$new), class = "domgen_warning_missing")
  expect_true(all(is.na(found[2, ])))
  expect_equal(found[-2, ], expected[-2, ], ignore_attr = TRUE)
  fixed <- set_reference(model, world$new)
  expect_equal(predict(fixed, world$new[3, ], interval = "prediction", level = 0.8), expected[3, ],
               ignore_attr = TRUE)
})

test_that("what cannot be asked is said", {
  set.seed(9)
  world <- interval_world(6)
  model <- dg_lm(y ~ x | domain, data = world)
  classes <- dg_lm(factor(y > 0) ~ x | domain, data = world)
  expect_error(predict(classes, world, interval = "prediction"), "type = \"set\"",
               class = "domgen_error_argument")
  expect_error(predict(model, world, type = "set"), "number", class = "domgen_error_argument")
  expect_error(predict(model, interval = "prediction"), "`newdata` must be given",
               class = "domgen_error_argument")
  expect_error(predict(model, world, interval = "prediction", level = 90), "between 0 and 1",
               class = "domgen_error_argument")
  gone <- local({
    hidden <- world
    dg_ridge(y ~ x | domain, data = hidden, lambda = 1, feature_map = features_nystrom(5))
  })
  expect_error(predict(gone, world, interval = "prediction"), "set_intervals",
               class = "domgen_error_data")
  ridge <- dg_ridge(y ~ x | domain, data = world, lambda = 1)
  one <- world[world$domain == "d0001", ]
  adapted <- dg_adapt(ridge, one, labels = replace(one$y, 5:20, NA))
  expect_error(predict(adapted, one, interval = "prediction"), "adapted",
               class = "domgen_error_argument")
})

test_that("dg_cv() and augment() carry intervals", {
  set.seed(10)
  world <- interval_world(12)
  cv <- dg_cv(dg_lm(), y ~ x + z | domain, data = world, folds = 4,
              metric = c("coverage", "width", "interval_score"))
  p <- cv$predictions
  expect_equal(cv$domains$coverage,
               c(tapply(p$lower <= p$truth & p$truth <= p$upper, p$domain, mean)), ignore_attr = TRUE)
  expect_equal(cv$domains$interval_score, c(tapply(
    p$upper - p$lower + 20 * pmax(p$lower - p$truth, p$truth - p$upper, 0), p$domain, mean
  )), ignore_attr = TRUE)
  # a fold's intervals are those of a fit to the other domains
  train <- world[!world$domain %in% p$domain[p$fold == 1], ]
  own <- predict(dg_lm(y ~ x + z | domain, data = train), world[p$row[p$fold == 1], ],
                 interval = "prediction")
  expect_equal(p$upper[p$fold == 1], own$upper)

  classes <- transform(world, y = factor(y > 0))
  sets <- dg_cv(dg_lm(), y ~ x + z | domain, data = classes, folds = 4,
                metric = c("coverage", "width"))
  expect_identical(sets$metrics$coverage$title, "coverage of 90 % sets")
  expect_identical(sets$metrics$width$title, "classes in 90 % sets")
  expect_true(all(sets$domains$width <= 2))

  model <- dg_lm(y ~ x + z | domain, data = world)
  more <- augment(model, world, interval = "prediction", level = 0.8)
  expect_equal(more[c(".lower", ".upper")], predict(model, world, interval = "prediction",
                                                    level = 0.8)[c("lower", "upper")],
               ignore_attr = TRUE)
  named <- augment(dg_lm(y ~ x | domain, data = classes), classes, interval = "prediction",
                   level = 0.8)
  expect_true(all(named$.set %in% c("FALSE", "TRUE", "FALSE, TRUE", "")))
})

test_that("a model says what its intervals rest on", {
  set.seed(11)
  model <- set_intervals(dg_lm(y ~ x | domain, data = interval_world(12)))
  expect_output(print(model), "from the errors on 240 rows of 12 held-out domains")
  expect_output(print(model$intervals), "largest `level` with finite intervals: 0.923")
})

test_that("of nested domains the outer ones count, and hold where they are new", {
  set.seed(12)
  world <- do.call(rbind, lapply(1:80, function(s) {
    d <- interval_world(3, rows = 8, tau = 0.5)
    transform(d, y = y + rnorm(1), school = sprintf("s%02d", s), class = domain, domain = NULL)
  }))
  train <- world[world$school %in% unique(world$school)[1:20], ]
  new <- world[!world$school %in% train$school, ]
  for (spec in list(dg_lm(), dg_ridge(lambda = 1, domain_kernel = domain_pooled()))) {
    model <- fit(spec, y ~ x + z | school / class, data = train)
    expect_identical(nlevels(set_intervals(model)$intervals$domain), 20L)
    found <- predict(model, new, interval = "prediction")
    expect_gt(covered(found, new$y), 0.84)
  }
  # a school is left out with all of its classes
  small <- train[train$school %in% unique(train$school)[1:6], ]
  own <- fit(dg_ridge(lambda = 1, scale = "none", kernel = kernel_rbf(1),
                      domain_kernel = domain_pooled()), y ~ x + z | school / class,
             data = small)
  error <- unlist(lapply(unique(small$school), function(held) {
    rest <- small$school != held
    K <- kernel_matrix(kernel_rbf(1), as.matrix(small[c("x", "z")]))
    alpha <- solve(K[rest, rest] + diag(sum(rest)), small$y[rest])
    small$y[!rest] - K[!rest, rest] %*% alpha
  }))
  expect_equal(set_intervals(own)$intervals$error, error, tolerance = 1e-6)
})

test_that("models of other families have intervals and sets", {
  set.seed(13)
  world <- split_at(interval_world(20), 14)
  counts <- function(d) transform(d, y = rpois(nrow(d), exp(0.5 * d$x)))
  train <- counts(world$train)
  model <- dg_glm(y ~ x | domain, data = train, family = "poisson", lambda = 1)
  new <- counts(world$new)
  found <- predict(model, new, interval = "prediction")
  expect_equal(found$fit, predict(model, new))
  expect_gt(covered(found, new$y), 0.8)
  classes <- transform(train, y = factor(y > 1))
  sets <- predict(dg_glm(y ~ x | domain, data = classes, lambda = 1), new, type = "set")
  expect_true(is.logical(sets) && ncol(sets) == 2L && !anyNA(sets))
})

test_that("intervals of a cross-validation are for what it holds out", {
  chicks <- as.data.frame(ChickWeight)
  of <- function(hold_out) {
    suppressMessages(dg_cv(dg_lm(), weight ~ Time | Diet / Chick, data = chicks, folds = 4,
                           hold_out = hold_out, metric = c("coverage", "width")))$domains
  }
  set.seed(14)
  # 50 chicks, of 4 diets
  chick <- of("Chick")
  expect_true(all(is.finite(chick$width)))
  expect_gt(mean(chick$coverage), 0.8)
  expect_true(all(is.infinite(of("Diet")$width)))
})

test_that("intervals of shares and counts stay where the response can be", {
  set.seed(15)
  rows <- data.frame(g = rep(1:20, each = 5), x = rnorm(100))
  rows$share <- rbinom(100, 10, 0.1) / 10
  rows$count <- rpois(100, 1)
  new <- rows[rows$g == 1, ]
  find <- function(formula, family, ...) {
    model <- dg_glm(formula, data = rows, family = family, lambda = 1)
    suppressMessages(predict(model, new, ...))
  }
  for (kind in c("prediction", "domain_share", "domain_mean")) {
    expect_gte(min(find(count ~ x | g, "poisson", interval = kind)$lower), 0)
  }
  expect_equal(min(find(share ~ x | g, "binomial", interval = "prediction")$lower), 0)
  endless <- find(share ~ x | g, "binomial", interval = "prediction", level = 0.99)
  expect_equal(endless$lower, rep(0, 5))
  expect_equal(endless$upper, rep(1, 5))
})

test_that("responses of new domains are as in training, or the argument is named", {
  set.seed(16)
  world <- split_at(interval_world(8, 5), 5)
  model <- dg_lm(y ~ x + z | domain, data = world$train)
  given <- function(y) set_intervals(model, world$new, y = y)$intervals$error
  n <- nrow(world$new)
  expect_equal(given(as.matrix(world$new$y)), given(NULL))
  expect_domgen_error(given(rep("a", n)), "`y` must be numbers, as the response in training")
  expect_domgen_error(given(c(Inf, world$new$y[-1])), "`y` must be finite; found 1 infinite value")
  expect_domgen_error(given(as.list(world$new$y)), "`y` must be")
  expect_domgen_error(given(1), "`y` must have one entry per row .15., not 1")
  expect_domgen_error(given(rep(NA, n)), "All values of `y` are missing")
  expect_domgen_error(set_intervals(model, transform(world$new, y = factor(y))),
                      "`newdata.y` must be numbers")
  classes <- dg_lm(y > 0 ~ x + z | domain, data = world$train)
  expect_domgen_error(set_intervals(classes, world$new, y = rep("maybe", n)),
                      "`y` must be classes of the training data")
  alone <- dg_lm(y > 0 ~ x | domain, data = transform(world$train, domain = "one"))
  expect_domgen_error(predict(alone, world$new, type = "set"), "`type = \"set\"` needs at least 2")
})

test_that("means of domains come by any name, without rows as NA, and at any size of numbers", {
  set.seed(17)
  world <- split_at(interval_world(15, 5), 12)
  means <- function(times = 1, new = world$new, ...) {
    model <- dg_lm(y ~ x + z | domain, data = transform(world$train, y = times * y))
    found <- predict(model, new, interval = "domain_mean", ...)
    found[c("fit", "lower", "upper")] <- found[c("fit", "lower", "upper")] / times
    found
  }
  plain <- means()
  expect_equal(means(1e300), plain)
  expect_equal(means(1e-300), plain)
  dates <- as.Date("2020-01-01") + as.integer(factor(world$new$domain))
  expect_equal(means(new = transform(world$new, domain = dates))[-1], plain[-1])
  lost <- transform(world$new, x = replace(x, 1:5, NA))
  found <- suppressWarnings(means(new = lost))
  expect_identical(found$rows, c(0L, 5L, 5L))
  expect_true(identical(unlist(found[1, 3:5], use.names = FALSE), rep(NA_real_, 3)))
  expect_equal(found[-1, ], plain[-1, ])
})

test_that("parameters of a Gaussian process are fitted without the domain whose errors they tell", {
  set.seed(4)
  d <- data.frame(x = rnorm(30), g = factor(rep(1:5, each = 6)))
  d$y <- d$x + 2 * rnorm(5)[d$g] + rnorm(30, sd = 0.3)
  model <- set_intervals(dg_gp(y ~ x | g, data = d, restarts = 1))
  for (g in levels(d$g)) {
    own <- d$g == g
    without <- dg_gp(y ~ x | g, data = droplevels(d[!own, ]), restarts = 1)
    found <- d$y[own] - suppressWarnings(predict(without, d[own, ]))
    expect_equal(model$intervals$error[own], found, tolerance = 0.02, ignore_attr = TRUE)
  }
})

test_that("a new level of a factor that intervals do not rest on is told, once", {
  set.seed(9)
  d <- expand.grid(plate = letters[1:12], sample = c("A", "B", "C"))
  d$x <- rnorm(36)
  d$y <- d$x + as.integer(d$sample) + rnorm(36) / 10
  model <- dg_lm(y ~ x | plate + sample, data = d)
  both <- data.frame(x = 0, plate = "new", sample = "Z")
  expect_message(predict(model, both, interval = "prediction"),
                 "held-out levels of `plate` and do not allow for new levels of `sample`",
                 class = "domgen_message_interval")
  expect_no_message(predict(model, transform(both, plate = "newer"), interval = "domain_mean"))
  expect_no_message(predict(model, transform(both, sample = "A"), interval = "prediction"))
  expect_no_message(predict(model, both["x"], interval = "prediction"))
  classes <- dg_lm(big ~ x | plate + sample, data = transform(d, big = y > 2))
  expect_message(predict(classes, both, type = "set"), "new levels of `sample`")
  more <- transform(d[1:11, ], plate = paste0("p", 1:11), sample = paste0("s", 1:11))
  expect_no_message(predict(set_intervals(model, more), both, interval = "prediction"))
})

test_that("how the width of intervals varies only refits tell", {
  d <- simulate_dica(domains = 20, n = 4, p = 2, seed = 1)
  run <- function(...) {
    set.seed(1)
    dg_cv(dg_lm(), y ~ . | domain, data = d, folds = 4, metric = c("coverage", "width"), ...)
  }
  alone <- run()
  expect_identical(alone$errors$width$se, NA_real_)
  expect_true(is.finite(alone$errors$coverage$se))
  expect_output(print(alone), "width of 90 % intervals: mean over domains [0-9.]+\n")
  refitted <- run(refits = TRUE)
  expect_true(is.finite(refitted$errors$width$se))
  expect_identical(refitted$errors$width$how, "jackknife")
  compare <- function(...) {
    dg_compare(list(a = dg_lm(), b = dg_ridge(lambda = 1)), y ~ . | domain, data = d, folds = 4,
               metric = "width", progress = FALSE, ...)$table
  }
  expect_true(all(is.na(compare(refits = FALSE)[c("se", "p", "p_rank")])))
  expect_true(all(is.finite(compare(refits = TRUE)$se[c(1, 3)])))
})

test_that("crossed domains have intervals and sets in blocks and of no rows, as in memory", {
  crossed <- expand.grid(patient = paste0("p", 1:10), device = paste0("d", 1:4), rep = 1:2)
  crossed <- with_seed(5, transform(crossed, x1 = stats::rnorm(80), y = stats::rnorm(80)))
  crossed$z <- factor(ifelse(crossed$y > crossed$x1, "up", "down"))
  for (bar in c("patient + device", "patient / device")) {
    formula <- function(y) stats::as.formula(paste(y, "~ x1 |", bar))
    number <- dg_ridge(formula("y"), data = crossed, lambda = 1)
    class <- dg_ridge(formula("z"), data = crossed, lambda = 1)
    asked <- list(list(number, interval = "prediction", level = 0.7), list(class, type = "set"),
                  list(number, interval = "domain_mean", level = 0.7))
    for (one in asked) {
      ask <- function(new) suppressMessages(suppressWarnings({
        do.call(predict, c(one[1L], list(new), one[-1L]))
      }))
      whole <- ask(crossed[1:50, ])
      expect_identical(ask(crossed[0, ]), whole[0L, , drop = FALSE])
      # a mean is of all rows of a domain
      if (identical(one$interval, "domain_mean")) next
      expect_equal(ask(row_source(crossed[1:50, ], block_size = 20)), whole, tolerance = 1e-10)
    }
  }
})

test_that("intervals of responses that are never negative end at 0, those of others do not", {
  set.seed(11)
  cut <- 0
  for (draw in 1:6) {
    data <- toy_domains(12, 8)
    data$y <- exp(data$x1 + rnorm(nrow(data))) * 10^sample(-3:3, 1L)
    below <- draw %% 2 == 0
    if (below) data$y[5] <- -data$y[5]
    model <- list(dg_ridge(lambda = 1), dg_lm(), dg_gp(optimise = FALSE))[[sample(3L, 1L)]]
    model <- fit(model, y ~ x1 | domain, data = data)
    new <- data.frame(x1 = c(-3, 0, 3), domain = "new")
    for (interval in c("prediction", "domain_share", "domain_mean")) {
      found <- suppressMessages(predict(model, new, interval = interval, level = 0.8))
      expect_true(all(found$lower <= found$upper))
      # the same without an end
      free <- suppressMessages(keep_intervals(model, environment()))
      free$intervals$lowest <- -Inf
      without <- suppressMessages(predict(seal(free), new, interval = interval, level = 0.8))
      expect_identical(found$fit, without$fit)
      expect_identical(found$lower, if (below) without$lower else pmax(without$lower, 0))
      cut <- cut + (!below && any(without$lower < 0))
    }
    if (!below && any(without$lower < 0)) {
      expect_message(predict(model, new, interval = "domain_mean", level = 0.8), "end at 0")
    }
  }
  # one that could not fail would show nothing
  expect_gt(cut, 0)
  gp <- dg_gp(y ~ x1 | domain, data = transform(toy_domains(4, 6), y = abs(y)), optimise = FALSE)
  asked <- data.frame(x1 = -5:5, domain = "new")
  expect_gte(min(suppressMessages(predict(gp, asked, interval = "posterior"))$lower), 0)
  expect_lt(min(predict(gp, asked, interval = "confidence")$lower), 0)
})
