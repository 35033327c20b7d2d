# y = a (x - m) + b m + sin(2 z), where z goes with x: z = x / 2 + noise.
skip_on_cran() # long

bent_world <- function(domains, rows, a = 1, b = 3, seed = 1) {
  with_seed(seed, {
    d <- data.frame(g = factor(rep(sprintf("d%02d", seq_len(domains)), each = rows)))
    n <- nrow(d)
    d$x <- stats::rnorm(domains)[d$g] + stats::rnorm(n)
    d$z <- d$x / 2 + stats::rnorm(n)
    d$f <- factor(sample(c("u", "v", "w"), n, TRUE))
    d$o <- factor(sample(c("lo", "mid", "hi"), n, TRUE), c("lo", "mid", "hi"), ordered = TRUE)
    d$l <- d$z > 0
    m <- stats::ave(d$x, d$g)
    d$y <- a * (d$x - m) + b * m + sin(2 * d$z) + (d$f == "v") + 0.2 * stats::rnorm(n)
    d
  })
}

world <- bent_world(6, 20)
distributional <- dg_ridge(y ~ x + z + f + o + l | g, data = world, lambda = 0.1,
                           domain_kernel = domain_distribution())

# One prediction after the other, each domain described by the rows of `data`.
naive_dependence <- function(model, data, name, values) {
  t(vapply(levels(data$g), function(g) {
    rows <- data[data$g == g, ]
    vapply(seq_along(values), function(k) {
      set <- rows
      set[[name]] <- values[rep(k, nrow(rows))]
      mean(predict(model, set, reference = rows))
    }, 0)
  }, numeric(length(values))))
}

by_domain <- function(result, name) {
  own <- result$domains[result$domains$predictor == name, ]
  tapply(own$value, list(own$domain, own$at), identity)
}

on_average <- function(result, name) result$average[result$average$predictor == name, ]

test_that("partial dependence is the mean prediction of a domain that stays described as it is", {
  found <- dg_effect(distributional, c("x", "f", "l", "o"), grid = 5)
  expect_equal(on_average(found, "x")$at,
               unname(stats::quantile(world$x, 0:4 / 4, type = 1)))
  values <- list(x = on_average(found, "x")$at, f = factor(c("u", "v", "w")), l = c(FALSE, TRUE),
                 o = factor(levels(world$o), levels(world$o), ordered = TRUE))
  for (name in names(values)) {
    naive <- naive_dependence(distributional, world, name, values[[name]])
    expect_equal(unname(by_domain(found, name)), unname(naive), tolerance = 1e-8)
    expect_equal(on_average(found, name)$value, unname(colMeans(naive)), tolerance = 1e-8)
    # of a mean the jackknife is the standard error
    expect_equal(on_average(found, name)$se, unname(apply(naive, 2, stats::sd)) / sqrt(6))
  }
  expect_identical(on_average(found, "f")$category, c("u", "v", "w"))
  # the rows that were used to fit are those of `data`, and labels are not needed
  given <- dg_effect(distributional, c("x", "f", "l", "o"), world[names(world) != "y"], grid = 5)
  expect_equal(given$average, found$average)
})

test_that("local effects are those of the formula, number by number", {
  world <- bent_world(4, 6)
  distributional <- dg_ridge(y ~ x + z + f + o + l | g, data = world, lambda = 0.1,
                             domain_kernel = domain_distribution())
  found <- dg_effect(distributional, "x", type = "ale", grid = 4)
  ends <- unname(stats::quantile(world$x, 0:4 / 4, type = 1))
  expect_equal(on_average(found, "x")$at, ends)
  bin <- cut(world$x, ends, include.lowest = TRUE, labels = FALSE)
  at_end <- function(end) {
    vapply(seq_len(nrow(world)), function(i) {
      own <- world[world$g == world$g[i], ]
      predict(distributional, transform(world[i, ], x = ends[bin[i] + end]), reference = own)
    }, 0)
  }
  effects <- tapply(at_end(1) - at_end(0), list(world$g, bin), mean)
  curve <- c(0, cumsum(colMeans(effects, na.rm = TRUE)))
  level <- mean(tapply(stats::approx(ends, curve, world$x)$y, world$g, mean))
  expect_equal(on_average(found, "x")$value, unname(curve - level), tolerance = 1e-8)
  # a domain's curve has its own steps between its rows, and the average's mean over them
  own <- by_domain(found, "x")["d03", ]
  known <- !is.na(effects["d03", ])
  steps <- diff(own)
  expect_equal(unname(steps[known & !is.na(steps)]), unname(effects["d03", known & !is.na(steps)]),
               tolerance = 1e-8)
  x <- world$x[world$g == "d03"]
  expect_equal(mean(stats::approx(ends, own, x)$y), mean(stats::approx(ends, curve - level, x)$y),
               tolerance = 1e-8)
})

test_that("ordered categories are steps, others their dependence less its mean", {
  data <- transform(world, y = y + 2 * (o == "mid") + 5 * (o == "hi"))
  model <- dg_lm(y ~ x + o + f + l | g, data = data)
  found <- dg_effect(model, type = "ale", grid = 4)
  coefficient <- coef(model)
  contrast <- drop(contr.poly(3) %*% coefficient[c("o.L", "o.Q")])
  expect_equal(diff(on_average(found, "o")$value), diff(contrast), tolerance = 1e-8)
  expect_equal(diff(on_average(found, "f")$value),
               unname(c(coefficient["fv"], coefficient["fw"] - coefficient["fv"])))
  expect_equal(diff(on_average(found, "l")$value), unname(coefficient["lTRUE"]), tolerance = 1e-8)
  shares <- vapply(split(data$o, data$g), function(v) tabulate(v, 3) / length(v), numeric(3))
  expect_equal(sum(rowMeans(shares) * on_average(found, "o")$value), 0, tolerance = 1e-10)
  # one model, and no interaction: domains do not differ, which says nothing of how far off it is
  expect_true(all(is.na(found$average[c("se", "lower", "upper")])))
  expect_output(print(found), "No interval where all domains have the same value")
})

test_that("the contextual effect is what a shift of the describing rows does", {
  shifts <- c(-1, 0, 0.5)
  found <- dg_effect(distributional, c("x", "f"), type = "context", grid = list(x = shifts))
  before <- predict(distributional, world)
  naive <- vapply(shifts, function(shift) {
    changed <- predict(distributional, world, reference = transform(world, x = x + shift)) - before
    tapply(changed, world$g, mean)
  }, numeric(6))
  expect_equal(unname(by_domain(found, "x")), unname(naive), tolerance = 1e-8)
  expect_equal(on_average(found, "x")$value[2], 0)
  expect_match(capture.output(print(found)), "`at`: shift of the rows .*, or category of all rows",
               all = FALSE)
  all_v <- predict(distributional, world, reference = transform(world, f = factor("v", levels(f))))
  expect_equal(unname(by_domain(found, "f")[, 2]), unname(c(tapply(all_v - before, world$g, mean))),
               tolerance = 1e-8)
  pooled <- dg_effect(dg_lm(y ~ x | g, data = world), type = "context")
  expect_true(all(pooled$average$value == 0))
  expect_output(print(pooled), "the model does not use a domain's other rows")
})

test_that("coefficients of a right model are found: a in rows, b - a of the domain's mean", {
  data <- transform(bent_world(30, 20, a = 1, b = 3), y = y - sin(2 * z))
  model <- dg_lm(y ~ x + f | g, data = data, domain_means = TRUE)
  for (type in c("pdp", "ale")) {
    line <- on_average(dg_effect(model, "x", type = type, grid = 6), "x")
    slope <- diff(line$value) / diff(line$at)
    expect_equal(slope, rep(coef(model)[["x"]], length(slope)), tolerance = 1e-8)
    expect_equal(slope[1], 1, tolerance = 0.02)
  }
  context <- on_average(dg_effect(model, "x", type = "context"), "x")
  expect_equal(context$value, coef(model)[["x.mean"]] * context$at, tolerance = 1e-8)
  expect_equal(coef(model)[["x.mean"]], 3 - 1, tolerance = 0.02)
  expect_equal(max(context$at), stats::sd(tapply(data$x, data$g, mean)))
})

test_that("a kernel finds a sine, and local effects stay right where predictors go together", {
  data <- bent_world(15, 30)
  model <- dg_ridge(y ~ x + z | g, data = data, domain_means = TRUE,
                    domain_kernel = domain_pooled(), bandwidths = "fitted")
  line <- on_average(dg_effect(model, "z", type = "ale", grid = 15), "z")
  middle <- abs(line$at) < 1.5
  error <- (line$value - sin(2 * line$at))[middle]
  expect_lt(stats::sd(error), 0.1)
  # y = x where x and z are nearly the same: no row says what x does alone
  tight <- with_seed(2, {
    x <- stats::runif(400, -1, 1)
    z <- x + stats::rnorm(400, sd = 0.05)
    data.frame(g = rep(1:8, 50), x = x, z = z, y = x + z^2 + stats::rnorm(400, sd = 0.05))
  })
  forest <- with_seed(1, dg_ridge(y ~ x + z | g, data = tight, kernel = kernel_rbf(1),
                                  domain_kernel = domain_pooled(), lambda = 1e-3, scale = "none"))
  ends <- list(x = c(-0.9, 0.9))
  wrong <- diff(on_average(dg_effect(forest, "x", grid = ends), "x")$value) - 1.8
  local <- on_average(dg_effect(forest, "x", type = "ale", grid = 20), "x")
  right <- diff(stats::approx(local$at, local$value, ends$x)$y) - 1.8
  expect_lt(abs(right), abs(wrong))
})

test_that("refits are the jackknife over domains of the whole procedure", {
  data <- bent_world(5, 15)
  spec <- dg_lm(domain_means = TRUE)
  model <- fit(spec, y ~ x + z | g, data = data)
  found <- dg_effect(model, "x", type = "context", grid = list(x = 1), refits = TRUE)
  without <- vapply(levels(data$g), function(g) {
    coef(fit(spec, y ~ x + z | g, data = data[data$g != g, ]))[["x.mean"]]
  }, 0)
  expect_equal(found$average$se, sqrt(4 / 5 * sum((without - mean(without))^2)), tolerance = 1e-8)
  expect_equal(found$average$upper, coef(model)[["x.mean"]] +
                 stats::qt(0.975, 4) * found$average$se, tolerance = 1e-8)
  same <- dg_effect(model, "x", type = "context", grid = list(x = c(0, 1)))
  expect_identical(same$average$se, c(NA_real_, NA_real_))
  expect_output(print(same), "the same\\s+value \\(`refits = TRUE` gives")
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_plots(same)
})

test_that("learners of all kinds have effects, of their own data and of new domains", {
  data <- bent_world(5, 14)
  new <- transform(bent_world(3, 12, seed = 8), g = paste0("new", as.integer(g)))
  data$class <- factor(ifelse(data$y > 0, "high", "low"))
  data$three <- cut(data$y, c(-Inf, -1, 1, Inf), c("a", "b", "c"))
  models <- quietly(list(
    fit(dg_pipeline(dg_udica(ncomp = 2), dg_ridge(lambda = 1)), y ~ x + z | g, data = data),
    fit(dg_ensemble(list(a = dg_lm(domain_means = TRUE), b = dg_ridge(lambda = 1))), y ~ x + z | g,
        data = data),
    dg_lm(class ~ x + z | g, data = data), dg_svm(class ~ x + z | g, data = data, cost = 1),
    dg_ridge(three ~ x + z | g, data = data, lambda = 1),
    dg_gp(y ~ x + z | g, data = data, optimise = FALSE),
    dg_ridge(as.matrix(data[c("x", "z")]), data$y, data$g, lambda = 1, scale = "domain")
  ))
  if (requireNamespace("ranger", quietly = TRUE)) {
    models <- c(models, list(dg_forest(class ~ x + z | g, data = data, trees = 20)))
  }
  if (requireNamespace("lme4", quietly = TRUE)) {
    models <- c(models, list(quietly(dg_mixed(y ~ x + z | g, data = data, domain_means = TRUE))))
  }
  for (model in models) for (type in c("pdp", "ale", "context")) {
    own <- quietly(dg_effect(model, "z", type = type, grid = 3))
    expect_true(all(is.finite(own$average$value)))
    expect_length(unique(own$domains$domain), 5L)
    rows <- if (is.null(model$formula)) as.matrix(new[c("x", "z")]) else new
    other <- quietly(dg_effect(model, "z", rows, if (is.matrix(rows)) new$g, type = type, grid = 3))
    expect_setequal(other$domains$domain, c("new1", "new2", "new3"))
  }
  expect_identical(unique(dg_effect(models[[5]], "x", grid = 2)$average$class), c("a", "b", "c"))
  one <- dg_effect(models[[5]], "x", grid = 2, class = "b")$average
  expect_identical(unique(one$class), "b")
  # of two classes with probabilities those of the second
  p <- dg_effect(models[[3]], "x", grid = list(x = 0))
  set <- transform(data, x = 0)
  expect_equal(p$average$value,
               mean(tapply(predict(models[[3]], set, type = "prob")[, 2], data$g, mean)))
})

test_that("a fixed reference is kept, and one domain has no interval", {
  fixed <- set_reference(distributional, world)
  expect_equal(dg_effect(fixed, "x", world, grid = 3)$average,
               dg_effect(distributional, "x", world, grid = 3)$average)
  expect_domgen_error(dg_effect(fixed, "x", world, type = "context"), "which is fixed in `object`")
  one <- world[world$g == "d01", ]
  alone <- dg_effect(distributional, "x", one, grid = 3)
  expect_true(all(is.na(alone$average$se)))
  expect_output(print(alone), "No interval from one domain")
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_plots(alone)
})

test_that("some rows stand for many, and gaps leave rows out", {
  few <- dg_effect(distributional, "x", grid = 3, max_rows = 30)
  expect_identical(few$averaged, 30L)
  expect_identical(few$average, dg_effect(distributional, "x", grid = 3, max_rows = 30)$average)
  gaps <- transform(world, z = replace(z, 1:3, NA))
  expect_warning(found <- dg_effect(distributional, "x", gaps, grid = 3), "missing values")
  expect_identical(found$rows, nrow(world) - 3L)
  parts <- with_replaced("rows_together", 100L, dg_effect(distributional, "x", grid = 5))
  expect_equal(parts$average, dg_effect(distributional, "x", grid = 5)$average)
})

# Learners that describe domains, in all ways that there are.
describing_learners <- function() list(
  embedding = dg_ridge(lambda = 1),
  quantiles = dg_ridge(lambda = 1, domain_kernel = domain_wasserstein()),
  both = dg_ridge(lambda = 1, scale = "both"),
  means = dg_lm(domain_means = TRUE), scaled = dg_lm(scale = "domain"),
  features = dg_ridge(lambda = 1, feature_map = features_nystrom(30)), gp = dg_gp(optimise = FALSE),
  machine = dg_svm(cost = 1), pipeline = dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 1)),
  ensemble = dg_ensemble(list(dg_ridge(lambda = 1), dg_lm(domain_means = TRUE)))
)

test_that("without a shift there is no contextual effect, however many rows are averaged", {
  for (seed in 1:3) {
    data <- with_seed(seed, {
      rows <- bent_world(sample(3:8, 1), sample(6:25, 1), seed = seed)
      rows$x <- replace(rows$x, sample(nrow(rows), 2), NA)
      rows
    })
    n <- nrow(data)
    learners <- describing_learners()
    for (name in sample(names(learners), if (long_form()) length(learners) else 4L)) {
      model <- quietly(fit(learners[[name]], y ~ x + z | g, data = data, na.action = na.impute))
      for (rows in c(n + 1L, n, n - 1L, sample(nlevels(data$g):n, 2))) {
        found <- quietly(dg_effect(model, "x", type = "context", grid = list(x = c(-1, 0, 1)),
                                   max_rows = rows))
        expect_identical(range(found$domains$value[found$domains$at == 0]), c(0, 0), info = name)
        expect_identical(found$average$value[2], 0)
      }
    }
  }
})

test_that("where rows are averaged is a sample, all else is said of all rows", {
  data <- bent_world(6, 40)
  data$x[c(1, 50, 100)] <- NA
  model <- quietly(dg_ridge(y ~ x + z + o | g, data = data, lambda = 1, na.action = na.impute))
  for (type in c("pdp", "ale", "context")) {
    all <- quietly(dg_effect(model, c("x", "o"), type = type, grid = 8))
    some <- quietly(dg_effect(model, c("x", "o"), type = type, grid = 8, max_rows = 60))
    same <- c("predictor", "domain", "at", "inside")
    expect_identical(some$domains[same], all$domains[same])
    expect_identical(some$average[c("at", "domains")], all$average[c("at", "domains")])
    # the model is the same, and so are the curves, but for the sampling of rows
    expect_equal(some$average$value, all$average$value, tolerance = 0.3)
    if (type == "ale") for (found in list(all, some)) {
      line <- on_average(found, "x")
      at_rows <- stats::approx(line$at, line$value, data$x)$y
      expect_equal(mean(tapply(at_rows, data$g, mean, na.rm = TRUE)), 0, tolerance = 1e-8)
    }
  }
})

test_that("missing values leave rows out of a curve's range, and curves are drawn", {
  data <- bent_world(6, 25)
  data$x[c(1, 5)] <- NA
  data$x[data$g == "d03"] <- NA
  data$f[2] <- data$o[3] <- NA
  model <- quietly(dg_ridge(y ~ x + z + f + o | g, data = data, lambda = 1, na.action = na.impute))
  for (type in c("pdp", "ale", "context")) {
    found <- quietly(dg_effect(model, type = type, grid = 5))
    expect_false(anyNA(found$average$value))
    expect_false(anyNA(found$domains[c("value", "inside")]))
    if (type != "context") {
      own <- found$domains[found$domains$predictor == "x" & found$domains$domain == "d03", ]
      expect_false(any(own$inside))
    }
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_plots(found)
  }
  gone <- transform(data, x = NA_real_)
  expect_domgen_error(quietly(dg_effect(model, "x", gone)), "`x` must have known values")
})

test_that("what does not fit is refused", {
  m <- distributional
  expect_domgen_error(dg_effect(dg_lm()), "`object` must be a fitted learner or pipeline")
  expect_domgen_error(dg_effect(dg_dica(y ~ x + z | g, data = world)), "must be a fitted learner")
  expect_domgen_error(dg_effect(m, "w"), "`predictors` must be among `x`")
  expect_domgen_error(dg_effect(m, 3), "`predictors` must be names of columns")
  expect_domgen_error(dg_effect(m, type = "shap"), "`type` must be one of")
  expect_domgen_error(dg_effect(m, grid = 1), "`grid` must be one whole number of at least 2")
  expect_domgen_error(dg_effect(m, grid = list(w = 1)), "not for `w`")
  expect_domgen_error(dg_effect(m, grid = list(1)), "a number or a list of values")
  expect_domgen_error(dg_effect(m, "x", grid = list(x = NA)), "`grid\\$x` must be finite numbers")
  expect_domgen_error(dg_effect(m, "f", grid = list(f = 1)), "effects of all its categories")
  expect_domgen_error(dg_effect(m, class = "a"), "`class` must not be given")
  expect_domgen_error(dg_effect(m, domain = "a"), "`domain` must not be given without `newdata`")
  expect_domgen_error(dg_effect(m, "x", world, refits = TRUE), "must be FALSE with `newdata`")
  expect_domgen_error(dg_effect(m, "x", world[names(world) != "g"]), "must have the domain column")
  expect_domgen_error(dg_effect(m, "x", world[names(world) != "z"]), "no column `z`")
  expect_domgen_error(dg_effect(m, predictor = "x", grids = 3), "Unknown argument `grids`")
  gone <- local({
    rows <- world
    dg_lm(y ~ x | g, data = rows)
  })
  expect_domgen_error(dg_effect(gone), "data of the model are gone")
})

test_that("print shows some values of each curve", {
  expect_snapshot(print(dg_effect(distributional, c("x", "f"), grid = 10)))
  expect_identical(nrow(tidy(dg_effect(distributional, c("x", "f"), grid = 10))), 13L)
  expect_identical(glance(dg_effect(distributional, "x", grid = 3))$type, "pdp")
})

test_that("effects do not say again which rows the fit left out", {
  toy <- simulate_dica(domains = 5, n = 12, p = 2, seed = 1)
  toy$x1[c(3, 20)] <- NA
  model <- suppressWarnings(dg_ridge(y ~ . | domain, data = toy, lambda = 1))
  expect_no_warning(found <- dg_effect(model, "x2", grid = 3))
  expect_warning(given <- dg_effect(model, "x2", newdata = toy, grid = 3),
                 class = "domgen_warning_missing")
  expect_equal(tidy(found), tidy(given))
})

test_that("effects do not warn of training domains with a single row, those of other rows do", {
  toy <- simulate_dica(domains = 5, n = 12, p = 2, seed = 1)
  toy <- toy[!(toy$domain == levels(toy$domain)[1] & duplicated(toy$domain)), ]
  model <- dg_ridge(y ~ . | domain, data = toy, lambda = 1)
  expect_no_warning(found <- dg_effect(model, "x1", grid = 3))
  expect_no_warning(dg_effect(model, "x1", grid = 3, refits = TRUE))
  expect_no_warning(dg_effect(model, "x1", grid = 3, type = "context"))
  expect_warning(dg_effect(model, "x1", newdata = toy, grid = 3),
                 class = "domgen_warning_small_domain")
  expect_match(paste(capture.output(print(found)), collapse = " "), "`refits = FALSE`",
               fixed = TRUE)
})

test_that("what a call cannot use is said in its own words", {
  data <- simulate_dica(domains = 5, n = 8, seed = 1)
  model <- dg_ridge(y ~ . | domain, data = data, lambda = 1)
  expect_domgen_error(dg_effect(model, "x1", progress = "yes"), "`progress` must be TRUE or FALSE")
  adapted <- dg_adapt(model, data[1:3, ], labels = data$y[1:3])
  expect_domgen_error(dg_effect(adapted, "x1"), "by a call that has its data: give `data`")
  expect_domgen_error(dg_cv(adapted), "call that has its data: give `data`")
  gone <- local({
    own <- data
    dg_ridge(y ~ . | domain, data = own, lambda = 1)
  })
  expect_domgen_error(dg_effect(gone, "x1"), "are gone .*: give `data`")
})

test_that("of nested and crossed domains the interval is over what is independent", {
  rows <- with_seed(5, {
    d <- expand.grid(row = 1:4, class = letters[1:3], school = LETTERS[1:6])
    d$x <- rnorm(nrow(d)) + 2 * rnorm(6)[d$school]
    d$z <- rnorm(nrow(d)) + rnorm(6)[d$school]
    d$y <- d$x * d$z + rnorm(nrow(d))
    d
  })
  nested <- dg_effect(dg_lm(y ~ x * z | school / class, data = rows), "x", grid = 4)
  outer <- dg_effect(dg_lm(y ~ x * z | school, data = rows), "x", grid = 4)
  same <- c("value", "se", "lower", "upper")
  expect_equal(nested$average[same], outer$average[same])
  expect_output(print(nested), "over\\s+levels\\s+of\\s+`school`, for\\s+the\\s+same\\s+model")

  # an average of predictions that differ by row: variances of both factors less that of pairs
  part <- list(curves = matrix(with_seed(1, rnorm(18)), 18, 1))
  units <- list(rep(1:6, 3), rep(1:3, each = 6))
  naive <- function(groups) {
    left <- vapply(unique(groups), function(g) mean(part$curves[groups != g]), 0)
    (length(left) - 1) / length(left) * sum((left - mean(left))^2)
  }
  variances <- c(naive(units[[1L]]), naive(units[[2L]]), naive(1:18))
  expect_equal(domgen:::effect_error(part, mean(part$curves), units, NULL),
               sqrt(max(variances[1] + variances[2] - variances[3], variances[1:2])))

  refitted <- dg_effect(dg_lm(y ~ x | school / class, data = rows), "x", grid = list(x = c(0, 1)),
                        refits = TRUE)
  slopes <- vapply(LETTERS[1:6], function(school) {
    part <- rows[rows$school != school, ]
    fit <- lm(y ~ x, part)
    mean(predict(fit, data.frame(x = 1)))
  }, 0)
  expect_equal(refitted$average$se[2L], sqrt(5 / 6 * sum((slopes - mean(slopes))^2)),
               tolerance = 1e-8)
  crossed <- dg_effect(dg_lm(y ~ x | school + class, data = rows), "x", grid = list(x = c(0, 1)),
                       refits = TRUE)
  expect_true(all(crossed$average$se > 0))
  few <- subset(rows, school %in% c("A", "B"))
  expect_error(dg_effect(dg_lm(y ~ x | school / class, data = few), "x", refits = TRUE),
               "at least 3 levels of `school`, not 2")
})

test_that("intervals and shifts of very large and very small numbers are those of others", {
  d <- with_seed(3, data.frame(g = rep(letters[1:5], each = 8), x = rnorm(40), y = rnorm(40)))
  curve <- function(of_x, of_y, type) {
    own <- transform(d, x = x * of_x, y = y * of_y)
    model <- dg_ridge(y ~ x | g, data = own, lambda = 1)
    dg_effect(model, "x", type = type, grid = 3)$average
  }
  for (type in c("pdp", "ale", "context")) {
    plain <- curve(1, 1, type)
    for (y in c(1e200, 1e-200)) {
      expect_equal(curve(1, y, type)[c("value", "se")] / y, plain[c("value", "se")],
                   tolerance = 1e-6)
    }
    expect_equal(curve(1e200, 1, type)$at / 1e200, plain$at, tolerance = 1e-6)
  }
})

test_that("predictors that are no names are refused by name", {
  model <- dg_lm(y ~ x | g, data = data.frame(g = rep(1:3, 4), x = 1:12, y = sin(1:12)))
  for (wrong in list(mean, quote(x), globalenv())) {
    expect_error(dg_effect(model, wrong), "`predictors` must be names of columns")
  }
})

test_that("effects are looked at for the categories that training had", {
  d <- with_seed(1, {
    d <- data.frame(x = stats::rnorm(40), g = rep(1:4, 10),
                    f = addNA(factor(sample(c("a", "b", NA), 40, TRUE), c("a", "b", "c"))))
    d$y <- d$x + (d$f %in% "b") + stats::rnorm(40)
    d
  })
  for (spec in list(dg_ridge(lambda = 1), dg_forest(trees = 10))) {
    model <- quietly(fit(spec, y ~ x + f | g, data = d))
    for (found in list(quietly(dg_effect(model, "f")), quietly(dg_effect(model, "f", newdata = d)))) {
      expect_identical(found$average$category, c("a", "b"))
      expect_false(anyNA(found$average$value))
    }
  }
})
