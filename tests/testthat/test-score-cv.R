toy <- toy_domains(5, 15)
labels <- toy_classes(5, 15)
pooled <- dg_svm(domain_kernel = domain_pooled())

test_that("each domain is predicted by a model that never saw it", {
  result <- dg_cv(pooled, y ~ . | domain, data = toy)
  by_hand <- unsplit(lapply(levels(toy$domain), function(g) {
    model <- fit(pooled, y ~ . | domain, data = subset(toy, domain != g))
    predict(model, subset(toy, domain == g))
  }), toy$domain)
  expect_equal(result$predictions$prediction, by_hand, tolerance = 1e-8)
  expect_equal(result$predictions$decision, by_hand, tolerance = 1e-8)
  rmse <- tapply((toy$y - by_hand)^2, toy$domain, function(e) sqrt(mean(e)))
  expect_equal(result$domains$score, unname(c(rmse)), tolerance = 1e-8)
  expect_equal(result$mean, mean(rmse), tolerance = 1e-8)
  expect_equal(result$se, sd(rmse) * sqrt((1 + 5 / 4) / 5), tolerance = 1e-8)
  expect_equal(result$overall, sqrt(mean((toy$y - by_hand)^2)), tolerance = 1e-8)
})

test_that("held-out labels change nothing but the scores", {
  one <- dg_cv(dg_svm(), y ~ . | domain, data = toy, folds = c(d1 = 1, d2 = 2, d3 = 2, d4 = 2, d5 = 2))
  scrambled <- toy
  scrambled$y[toy$domain == "d1"] <- 1000
  two <- dg_cv(dg_svm(), y ~ . | domain, data = scrambled,
               folds = c(d1 = 1, d2 = 2, d3 = 2, d4 = 2, d5 = 2))
  held_out <- toy$domain == "d1"
  expect_identical(one$predictions$prediction[held_out], two$predictions$prediction[held_out])
})

test_that("folds hold whole domains", {
  set.seed(1)
  folds <- domain_folds(toy$domain, folds = 2)
  result <- dg_cv(dg_null(), y ~ . | domain, data = toy, folds = folds)
  expect_identical(result$predictions$fold, unname(unclass(folds)[as.character(toy$domain)]))
  expect_equal(sort(unique(result$domains$fold)), 1:2)
  expect_equal(nrow(result$domains), 5L)
})

test_that("classes are scored by accuracy or the area under the curve", {
  result <- dg_cv(pooled, y ~ . | domain, data = labels)
  expect_equal(result$overall, mean(result$predictions$prediction == labels$y))
  auc <- dg_cv(pooled, y ~ . | domain, data = labels, metric = "auc")
  p <- auc$predictions[auc$predictions$domain == "d1", ]
  pairs <- outer(p$decision[p$truth == "1"], p$decision[p$truth == "-1"], ">")
  expect_equal(auc$domains$score[1], mean(pairs))
  lacking <- labels
  lacking$y[labels$domain == "d1"] <- "1"
  expect_true(is.na(dg_cv(dg_lm(), y ~ . | domain, data = lacking, metric = "auc")$domains$score[1]))
})

test_that("matrix input, chains, fitted models and missing values go through", {
  X <- as.matrix(toy[, c("x1", "x2", "x3")])
  expect_equal(dg_cv(pooled, X, toy$y, toy$domain)$mean,
               dg_cv(pooled, y ~ . | domain, data = toy)$mean)
  model <- dg_svm(y ~ . | domain, data = toy, domain_kernel = domain_pooled())
  expect_equal(dg_cv(model)$mean, dg_cv(pooled, y ~ . | domain, data = toy)$mean)
  holes <- toy
  holes$x1[3] <- NA
  expect_warning(result <- dg_cv(dg_pipeline(dg_udica(), dg_lm()), y ~ . | domain, data = holes), "left out")
  expect_equal(result$predictions$row, setdiff(seq_len(nrow(toy)), 3))
})

test_that("a level that only a held-out domain has does not end the run", {
  rare <- transform(toy, z = ifelse(domain == "d1", "rare", rep_len(c("a", "b"), nrow(toy))))
  expect_warning(result <- dg_cv(pooled, y ~ . | domain, data = rare), "`newdata\\$z` has a level",
                 class = "domgen_warning_new_level")
  expect_equal(nrow(result$predictions), nrow(toy))
  expect_output(print(result), "note, 1 of 5 folds")
})

test_that("comparisons are paired by domain and always include the null model", {
  result <- dg_compare(list(pooled = pooled, linear = dg_lm()), y ~ . | domain, data = toy)
  expect_identical(result$table$method, c("null", "pooled", "linear"))
  d <- result$scores[, "linear"] - result$scores[, "pooled"]
  line <- result$table[3, ]
  expect_equal(line$difference, mean(d))
  # with training sets that overlap, more than as if domains were independent
  expect_gt(line$se, sd(d) / sqrt(5))
  plain <- dg_compare(list(pooled = pooled, linear = dg_lm()), y ~ . | domain, data = toy,
                      refits = FALSE)
  expect_identical(plain$scores, result$scores)
  expect_equal(plain$table$se[3], sd(d) * sqrt((1 + 5 / 4) / 5))
  expect_equal(result$scores[, "pooled"], setNames(dg_cv(pooled, y ~ . | domain, data = toy)$domains$score,
                                                   levels(toy$domain)))
  expect_output(print(result), "baseline: pooled.*(Not distinguishable|Worse|Better): ")
})

test_that("wrong requests are refused", {
  expect_refusals({
    dg_cv(dg_dica(), y ~ . | domain, data = toy)
    dg_cv("svm", y ~ . | domain, data = toy)
    dg_cv(pooled, y ~ . | domain, data = toy, metric = "accuracy")
    dg_cv(pooled, y ~ . | domain, data = toy, folds = 9)
    dg_cv(pooled, y ~ . | domain, data = toy, folds = c(d1 = 1))
    dg_cv(pooled, y ~ . | domain, data = subset(toy, domain == "d1"))
    dg_cv(pooled, y ~ .)
    dg_compare(list(a = dg_lm(), a = dg_null()), y ~ . | domain, data = toy)
    dg_compare(list(a = dg_lm()), y ~ . | domain, data = toy, baseline = "b")
  })
})

# The progress messages of code, as on a terminal or in a log.
progress_lines <- function(code, redrawn = TRUE, clock = NULL) {
  with_replaced("can_redraw", function() redrawn, {
    if (is.null(clock)) return(capture.output(type = "message", code))
    with_replaced("clock", clock, capture.output(type = "message", code))
  })
}

test_that("in a log there is a line each half minute, without carriage returns", {
  now <- 0
  run <- function(pieces, seconds) {
    progress_lines({
      left <- seq_len(pieces)
      bar <- own_line(length(left))
      while (length(left)) {
        bar$tick("method")
        now <<- now + seconds
        bar$advance()
        left <- left[-1L]
      }
      bar$done()
    }, FALSE, function() now)
  }
  set.seed(5)
  for (draw in 1:10) {
    now <- 0
    pieces <- sample(2:400, 1L)
    seconds <- stats::rexp(1, 1 / 3)
    lines <- run(pieces, seconds)
    expect_false(any(grepl("\r", lines, fixed = TRUE)))
    # the last one says how long it took
    expect_lte(length(lines), 1 + floor(pieces * seconds / 30))
    if (pieces * seconds > 61 && seconds < 30) expect_gte(length(lines), 2L)
    if (length(lines)) expect_match(utils::tail(lines, 1L), paste0(pieces, "/", pieces, ".* after "))
  }
  now <- 0
  expect_identical(run(5, 1), character())
  # captured messages are no terminal
  caught <- capture.output(type = "message", redrawn <- can_redraw())
  expect_false(redrawn)
})

test_that("the progress bar counts and says what is left", {
  lines <- progress_lines({
    bar <- own_line(2L)
    bar$tick("method")
    bar$advance()
    bar$tick("method")
    bar$advance()
    bar$done()
  })
  expect_match(paste(lines, collapse = ""), "1/2  method  about 0:00 left")
  expect_silent(progress_line(2L, FALSE)$tick("method"))
})

test_that("a long progress line keeps its time left and the bar gives way", {
  lines <- progress_lines({
    bar <- own_line(1234567890)
    bar$advance(1e9)
    bar$tick("rows, pass 3: features")
    bar$done()
  })
  shown <- strsplit(paste(lines, collapse = ""), "\r")[[1L]][2L]
  expect_identical(nchar(shown), 78L)
  expect_match(shown, "pass 3: features  about [0-9]+:[0-9]{2} left *$")
})

test_that("where progressr is loaded, its handlers are told of the progress instead", {
  skip_if_not_installed("progressr")
  loadNamespace("progressr")
  types <- character()
  amount <- 0
  run <- function() dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = 3, progress = TRUE)
  told <- function(p) {
    types <<- c(types, p$type)
    amount <<- amount + if (p$type == "update") p$amount else 0
    invokeRestart("muffleProgression")
  }
  printed <- capture.output(type = "message",
                            withCallingHandlers(done <- run(), progression = told))
  expect_identical(printed, character())
  expect_identical(amount, 3)
  expect_true(all(c("initiate", "finish") %in% types))
})

test_that("a score that the model cannot have is refused before anything is fitted", {
  expect_error(dg_cv(dg_svm(), y ~ . | domain, data = labels, metric = "brier"),
               "`metric` must not be \"brier\" for `dg_svm()`, which gives probabilities with",
               fixed = TRUE, class = "domgen_error_argument")
  expect_error(dg_tune(dg_pipeline(dg_kpca(ncomp = 1), dg_svm()), y ~ . | domain, data = labels,
                       grid = list(cost = 1:2), metric = "log_loss"), "dg_svm")
  expect_error(dg_compare(list(a = dg_ridge()), y ~ . | domain, data = labels, metric = "log_loss"),
               "dg_ridge")
  expect_error(dg_cv(dg_ridge(), y ~ . | domain, data = toy, metric = "log_density"),
               "`dg_gp()` does", fixed = TRUE)
})

test_that("a comparison names what has no name and says in words which method is better", {
  alone <- dg_compare(dg_lm(), y ~ . | domain, data = toy, refits = FALSE)
  expect_identical(alone$table$method, c("null", "Linear model"))
  expect_identical(alone$baseline, "Linear model")
  expect_output(print(alone), "baseline: Linear model.*(Worse|Not distinguishable): null")
  one <- dg_compare(list(a = dg_lm(), none = dg_null()), y ~ . | domain, data = toy,
                    baseline = "none", refits = FALSE)
  expect_identical(one$table$method, c("a", "none"))
  expect_domgen_error(dg_compare("svm", y ~ . | domain, data = toy), "`objects` must be a named list")

  clear <- transform(toy, y = 3 * x1)
  expect_output(print(dg_compare(list(linear = dg_lm()), y ~ . | domain, data = clear,
                                 baseline = "null")), "Better: linear")
  expect_output(print(dg_compare(list(linear = dg_lm()), y ~ . | domain, data = clear)),
                "Worse: null")
  lacking <- transform(labels, y = replace(y, domain %in% c("d1", "d2", "d3"), "1"))
  lacking$y[lacking$domain == "d4"] <- "-1"
  ends <- dg_compare(dg_lm(), y ~ . | domain, data = lacking, metric = "auc")
  expect_output(print(ends), "Too few domains for an interval")
})

test_that("weights reach the methods that take them", {
  w <- toy$x1^2 + 0.1
  result <- dg_compare(list(linear = dg_lm()), y ~ . | domain, data = toy, weights = w)
  expect_equal(result$runs$linear$mean,
               dg_cv(dg_lm(), y ~ . | domain, data = toy, weights = w)$mean)
})

test_that("what is printed counts domains without a score, domains left out and folds", {
  lacking <- labels
  lacking$y[labels$domain == "d1"] <- "1"
  expect_output(print(dg_cv(dg_lm(), y ~ . | domain, data = lacking, metric = "auc")),
                "1 domain without a score")
  many <- simulate_dica(domains = 12, n = 5, p = 2, seed = 1)
  expect_output(print(dg_cv(dg_null(), y ~ . | domain, data = many)), "and 2 more domains in `\\$domains`")
  expect_output(print(domain_folds(c("a", "b", "b", "c"))), "3 domains in 3 folds")
})

# The level "c" is in domain 4 alone.
lone_level <- function() {
  with_seed(1, {
    d <- data.frame(z = rep(1:4, each = 9), x = stats::rnorm(36), f = rep(c("a", "b", "b"), 12))
    d$f[d$z == 4][1:3] <- "c"
    d$y <- d$x + 3 * (d$f == "c") + stats::rnorm(36, sd = 0.3)
    d$g <- as.integer(factor(d$f))
    d
  })
}

test_that("a level that only the held-out domain has is new, as predict() takes it", {
  d <- lone_level()
  lost <- which(d$f == "c")
  kinds <- list(d, transform(d, f = factor(f)), transform(d, f = factor(f, ordered = TRUE)))
  for (spec in list(dg_lm(), dg_ridge(lambda = 1), dg_forest(trees = 10))) {
    for (data in if (spec$method == "dg_lm") kinds else kinds[1]) {
      expect_warning(found <- dg_cv(spec, y ~ x + f | z, data = data),
                     "3 rows of the domain \"4\" cannot be predicted.*`newdata\\$f` has a level",
                     class = "domgen_warning_new_level")
      expect_identical(which(is.na(found$predictions$prediction)), lost)
      expect_identical(is.na(found$domains$score), 1:4 == 4)
      expect_output(print(found), "1 domain without a score [(]rows could not be predicted[)]")
    }
    if (spec$method == "dg_forest") next
    model <- fit(spec, y ~ x + f | z, data = d[d$z != 4, ])
    own <- quietly(predict(model, d[d$z == 4, ]))
    expect_equal(found$predictions$prediction[d$z == 4], own, info = spec$method)
  }
})

test_that("folds with labels of new rows go on past a domain with a new level", {
  found <- suppressWarnings(dg_cv(dg_ridge(lambda = 1), y ~ x + f | z, data = lone_level(),
                                  shots = 1))
  expect_identical(found$shots$domains, c(3L, 3L))
})

test_that("who gives weights is told that scores have none", {
  d <- data.frame(domain = gl(4, 10), x = sin(1:40), y = cos(1:40), w = rep(1:2, 20))
  f <- y ~ x | domain
  weighted <- dg_cv(dg_lm(), f, data = d, weights = w, progress = FALSE)
  expect_output(print(weighted), "one at a time, scored without weights")
  expect_false(grepl("weights", dg_cv(dg_lm(), f, data = d, weights = 0 * w + 3)$held_out))
  model <- dg_ridge(f, data = d, weights = w, lambda = 1)
  expect_match(dg_cv(model)$held_out, "without weights")
  source <- dg_ridge(f, data = row_source(d), weights = w, lambda = 1,
                     domain_kernel = domain_pooled(), feature_map = features_nystrom(10))
  expect_match(dg_cv(source)$held_out, "without weights")
  # all alike, they make no difference
  of_source <- function(size) {
    set.seed(1)
    rows <- row_source(transform(d, size = size), block_size = 40)
    model <- dg_ridge(f, data = rows, weights = size, lambda = size[1L],
                      domain_kernel = domain_pooled(), feature_map = features_nystrom(10))
    list(dg_cv(model), dg_cv(model, progress = FALSE))
  }
  for (cv in of_source(d$w)) expect_match(cv$held_out, "without weights")
  one <- of_source(rep(1, 40))
  three <- of_source(rep(3, 40))
  for (i in 1:2) {
    expect_false(grepl("weights", three[[i]]$held_out))
    expect_equal(three[[i]]$domains, one[[i]]$domains, tolerance = 1e-8)
  }
  auto <- dg_auto(f, data = d, weights = w, max_seconds = 1e-6)
  expect_output(print(auto), "40 rows without their weights")
  words <- "scored without weights"
  said <- function(result) any(grepl(words, gsub("\\s+", " ", paste(capture.output(print(result)),
                                                                    collapse = " "))))
  for (times in 0:1) {
    d$v <- 1 + times * d$w
    d$k <- factor(d$y > 0)
    classes <- dg_cv(dg_lm(), k ~ x | domain, data = d, weights = v, progress = FALSE)
    expect_identical(said(dg_calibration(classes)), times == 1)
    expect_identical(said(dg_diagnose(f, data = d, weights = v, permutations = 20)), times == 1)
    wide <- transform(d, domain = gl(8, 5))
    plan <- dg_plan(dg_lm(), f, data = wide, weights = v, labels = FALSE, draws = 2, folds = 4,
                    sites = 3:6, progress = FALSE)
    expect_identical(said(plan), times == 1)
  }
})
