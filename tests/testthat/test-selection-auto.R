skip_on_cran() # long

toy <- toy_domains(5, 14)
model <- dg_auto(y ~ . | domain, data = toy)
signal <- transform(toy_domains(5, 24), y = 2 * x1 + sin(2 * x2) + y / 4)

test_that("the table has the mean, its members and the others, each in order", {
  table <- model$choice$table
  expect_identical(which(is.na(table$member)), 1L)
  expect_false(is.unsorted(table$mean[which(table$member)]))
  expect_false(is.unsorted(table$mean[which(!table$member)]))
  expect_equal(min(table$mean[-1L]), table$mean[2L])
  expect_equal(unname(colMeans(model$choice$scores)), table$mean)
  d <- model$choice$scores - model$choice$scores[, 1L]
  expect_equal(table$difference, unname(colMeans(d)))
  expect_equal(table$difference_se, unname(apply(d, 2, sd)) / sqrt(5))
  # with the factor for overlapping training sets, as printed
  expect_equal(table$se, unname(apply(model$choice$scores, 2, sd)) * sqrt(1 / 5 + 1 / 4))
  # every scaling with three kernels
  for (scale in c("pooled", "domain", "both", "means", "rank")) {
    plain <- table$scale == scale & table$domain_kernel == "pooled" & grepl("(1 x", table$kernel, fixed = TRUE)
    expect_setequal(sub(" kernel.*", "", table$kernel[which(plain)]),
                    c("Gaussian", "Laplace", "linear + Gaussian"))
  }
  expect_true(all(c(0.5, 2) %in% as.numeric(sub(".*\\((.*) x.*", "\\1", grep(
    " x ", table$kernel, value = TRUE)))))
})

# The candidates of a table as ridge regressions.
candidate_spec <- function(row, p, offset = TRUE) {
  number <- function(words) {
    if (grepl(" x ", words)) as.numeric(sub(".*\\(([0-9.]*) x.*", "\\1", words))
  }
  times <- number(row$kernel)
  outer <- number(row$domain_kernel)
  if (row$scale %in% c("both", "means")) p <- 2 * p
  kernel <- if (row$kernel == "null model") kernel_rbf()
            else if (row$kernel == "linear kernel") kernel_linear()
            else if (grepl("linear", row$kernel)) kernel_rbf(bandwidth_factor = times) + (0.5 / p) * kernel_linear()
            else if (grepl("Gaussian", row$kernel)) kernel_rbf(bandwidth_factor = times)
            else kernel_laplace(bandwidth_factor = times)
  tau <- sub("multi-task \\((.*)\\)", "\\1", row$domain_kernel)
  domain_kernel <- if (row$domain_kernel == "pooled") domain_pooled()
                   else if (tau != row$domain_kernel) domain_multitask(as.numeric(tau))
                   else domain_distribution(embedding_kernel = kernel_rbf(bandwidth_factor = outer))
  means <- row$scale == "means"
  dg_ridge(lambda = row$lambda, kernel = kernel, domain_kernel = domain_kernel,
           scale = if (means) "pooled" else row$scale, domain_means = means, intercept = offset)
}

test_that("every score is that of dg_cv() of the candidate's ridge regression", {
  table <- model$choice$table
  rows <- which(!is.na(table$member) & !grepl("per predictor|null|forest|support", table$kernel))
  expect_gt(length(rows), 15L)
  for (i in rows) {
    result <- dg_cv(fit(candidate_spec(table[i, ], 3), y ~ . | domain, data = toy))
    # the path over lambda is exact to a thousandth of a standard deviation
    expect_equal(result$mean, table$mean[i], tolerance = 2e-3, label = paste(table[i, 1:3], collapse = " "))
    expect_equal(result$domains$score, unname(model$choice$scores[, i]), tolerance = 5e-3)
  }
})

test_that("lambda is the best of 13, of equals the largest, of seven of some of the rows", {
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = toy)),
                        list(response = "any", domain = TRUE),
                        "none")
  search <- new_search(dg_auto()$args, sample, metrics$rmse, FALSE, 1000L)
  c <- candidate(auto_ridge(search))
  scored <- score_candidate(search, c)[[1L]]
  expect_length(scored$lambdas, 13L)
  expect_equal(scored$lambdas, nrow(toy) * 10^seq(-6, 0, length.out = 13))
  rounds <- with_replaced("first_rows", nrow(toy) - 20L, with_replaced("run_stages", function(search) {
    try_candidate(search, c)
  }, search_rounds(dg_auto(progress = FALSE)$args, sample, metrics$rmse, FALSE, FALSE)))
  expect_length(rounds$first$found[[c$key]]$parts[[1L]]$lambdas, 7L)
  expect_length(rounds$final$found[[c$key]]$parts[[1L]]$lambdas, 13L)
  # scaled by all rows, as in a search
  scaled <- search_sample(search, c$spec)
  for (l in c(1, 6, 13)) {
    spec <- dg_ridge(lambda = scored$lambdas[l], kernel = kernel_rbf(scaled$median),
                     domain_kernel = domain_pooled(), scale = "none", intercept = TRUE)
    by_hand <- dg_cv(spec, y ~ . | domain,
                     data = data.frame(scaled$X, y = toy$y, domain = toy$domain))
    # the landmarks, which are drawn, miss most where lambda is smallest
    expect_equal(unname(scored$scores[, l]), by_hand$domains$score,
                 tolerance = if (l == 1) 0.02 else 5e-3)
  }
  found <- find_candidate(search, c)
  means <- colMeans(scored$scores)
  expect_equal(found$lambda, scored$lambdas[which.min(means)])
  search$metric <- metric_custom(function(truth, prediction) 1)
  expect_equal(find_candidate(search, c)$lambda, max(scored$lambdas))
})

test_that("one bandwidth per predictor is tried for few predictors, and wins where one matters", {
  sparse <- with_seed(5, {
    d <- data.frame(domain = rep(letters[1:6], each = 20), matrix(rnorm(120 * 6), 120))
    transform(d, y = sin(3 * X1) + rnorm(120) / 10)
  })
  found <- dg_auto(y ~ . | domain, data = sparse, n_members = 2)
  per_predictor <- grepl("per predictor", found$choice$table$kernel)
  expect_identical(which(per_predictor), 2L)
  sigma <- found$members[[1L]]$spec$args$kernel$bandwidth
  expect_length(sigma, 6L)
  expect_identical(which.min(sigma), 1L)
  # all parts and the whole, or the first part where nothing matters
  parts <- function(data) {
    count <- 0L
    own <- fit_predictors
    with_replaced("fit_predictors", function(...) {
      count <<- count + 1L
      own(...)
    }, dg_auto(y ~ . | domain, data = data, n_members = 1, progress = FALSE))
    count
  }
  expect_identical(parts(sparse), predictor_folds + 1L)
  expect_identical(parts(with_seed(7, transform(sparse, y = rnorm(120)))), 1L)
  none <- dg_auto(y ~ . | domain, data = sparse, max_ard = 5, n_members = 2)
  expect_false(any(grepl("per predictor", none$choice$table$kernel)))
  # and the choice is good on new domains
  new <- with_seed(6, {
    d <- data.frame(domain = rep(letters[1:3], each = 20), matrix(rnorm(60 * 6), 60))
    transform(d, y = sin(3 * X1) + rnorm(60) / 10)
  })
  rmse <- function(model) sqrt(mean((predict(model, new) - new$y)^2))
  expect_lt(rmse(found), rmse(none))
  expect_lt(rmse(found), 0.3)
})

test_that("shapes of domains are used where they tell", {
  ellipses <- simulate_ellipses(domains = 10, n = 40, seed = 1)
  found <- dg_auto(y ~ . | domain, data = domains_of(ellipses, 1:8), max_ard = 0, n_members = 2)
  expect_match(found$choice$table$domain_kernel[2L], "distributional")
  new <- domains_of(ellipses, 9:10)
  expect_gt(mean(predict(found, new) == new$y), 0.8)
})

# Made once, by the first test that uses it.
delayedAssign("of_signal", dg_auto(y ~ . | domain, data = signal, max_ard = 0, n_members = 2,
                                   progress = FALSE))

found_words <- function(model) {
  describe_candidates(model$choice$table[model$choice$table$member %in% TRUE, ])
}

# Scaled by all rows, as closed forms are.
scaled_like <- function(data, rows) {
  data[c("x1", "x2")] <- scale(data[c("x1", "x2")])
  data[rows, ]
}

test_that("with one domain scalings and kernels are averaged, with a warning", {
  one <- domains_of(signal, 1)
  expect_warning(found <- dg_auto(y ~ . | domain, data = one),
                 "Only 1 domain: models cannot be compared on held-out domains",
                 class = "domgen_warning_few_domains")
  table <- found$choice$table
  expect_length(found$members, sum(table$member, na.rm = TRUE))
  # every scaling with every kernel, a linear one of both included in a linear one of each
  ridge <- grepl("kernel", table$kernel)
  expect_identical(nrow(unique(table[ridge, c("scale", "kernel")])), 15L)
  forest <- requireNamespace("ranger", quietly = TRUE)
  families <- 2 + forest
  linear <- table$kernel == "linear kernel"
  expect_equal(table$weight[which(linear)], rep(1 / families / 3, 3))
  expect_equal(table$weight[which(ridge & !linear)], rep(1 / families / 12, 12))
  expect_identical(sum(table$kernel == "random forest", na.rm = TRUE), as.integer(forest))
  expect_equal(sum(coef(found)), 1)
  alone <- sapply(found$members, predict, newdata = signal)
  expect_equal(predict(found, signal), drop(alone %*% coef(found)), tolerance = 1e-10)
  expect_true(is.na(found$choice$expected$mean))
  expect_output(print(found), "Not selected, as there is 1 domain: the mean of 1[56] models")
  # each lambda is the best of left-out tenths of the rows
  expect_true(all(is.finite(table$lambda[which(ridge)])))
})

test_that("from two domains on the training domains choose", {
  for (n in 2:3) {
    few <- domains_of(signal, seq_len(n))
    expect_silent(found <- dg_auto(y ~ . | domain, data = few, progress = FALSE))
    expect_gt(nrow(found$choice$table), 10L)
    expect_identical(found$choice$expected$domains, n)
    # in each it has left out
    scores <- found$choice$scores
    expect_identical(nrow(scores), n)
    row <- which(found$choice$table$member %in% TRUE)[1L]
    result <- dg_cv(fit(candidate_spec(found$choice$table[row, ], 3), y ~ . | domain, data = few))
    expect_equal(result$domains$score, unname(scores[, row]), tolerance = 5e-3)
  }
})

test_that("of few domains, what standardises each by itself must be clearly better", {
  search <- list(metric = metrics$rmse, scored_by = gl(4, 1))
  search$found <- lapply(c(a = "domain", b = "pooled", c = "both", d = "rank"), function(scale) {
    list(candidate = candidate(auto_ridge(search, scale)))
  })
  scores <- cbind(a = c(1, 3, 1, 3), b = c(2.1, 2, 2.1, 2), c = c(1, 1.1, 1, 1.1), d = 3)
  # a is better than b by 0.05 with a standard error of 0.5, c by 1 with 0
  expect_identical(safe_kinds(search, scores), c("c", "b", "d"))
  expect_identical(safe_kinds(search, scores[, c("a", "c")]), c("c", "a"))
  search$scored_by <- gl(5, 1)
  expect_identical(safe_kinds(search, scores), c("c", "a", "b", "d"))
})

test_that("a forest is a member where it is clearly better, and may not be", {
  skip_if_not_installed("ranger")
  steps <- function(seed, domains) with_seed(seed, {
    d <- data.frame(domain = gl(domains, 40), matrix(runif(domains * 40 * 6), ncol = 6))
    transform(d, y = 3 * (X1 > 0.5) * (X2 > 0.5) + 2 * (X3 > 0.7) + rnorm(nrow(d)) / 10)
  })
  data <- steps(1, 8)
  found <- with_seed(2, dg_auto(y ~ . | domain, data = data, max_ard = 0, n_members = 2,
                                progress = FALSE))
  line <- which(found$choice$table$kernel == "random forest")
  expect_identical(found$choice$table$member[line], TRUE)
  expect_gt(found$choice$table$weight[line], 0.5)
  expect_equal(sum(coef(found)), 1)
  expect_equal(predict(found, data), fitted(found), tolerance = 1e-10)
  new <- steps(3, 40)
  true <- sqrt(tapply((predict(found, new) - new$y)^2, new$domain, mean))
  expected <- found$choice$expected
  expect_lt(abs(expected$mean - mean(true)), 2.5 * expected$se)
  # of a line a forest knows no more than the ridge regressions
  expect_false(any(grepl("forest", found_words(of_signal))))
})

test_that("heavy tails bring a support vector regression, others do not", {
  tails <- function(seed, domains) with_seed(seed, {
    d <- data.frame(domain = gl(domains, 40), x1 = rnorm(domains * 40), x2 = rnorm(domains * 40))
    transform(d, y = 2 * x1 + rt(nrow(d), 2))
  })
  heavy <- dg_auto(y ~ . | domain, data = tails(1, 8), n_members = 2, max_ard = 0,
                   progress = FALSE)
  expect_true("support vector regression" %in% heavy$choice$table$kernel)
  expect_false("support vector regression" %in% model$choice$table$kernel)
})

test_that("folds say which domains are left out together", {
  set.seed(1)
  folds <- domain_folds(levels(signal$domain), 2)
  found <- dg_auto(y ~ . | domain, data = signal, folds = folds, max_ard = 0,
                   n_members = 2, progress = FALSE)
  row <- which(found$choice$table$member %in% TRUE)[1L]
  by_hand <- dg_cv(candidate_spec(found$choice$table[row, ], 3), y ~ . | domain, data = signal,
                   folds = folds)
  # closed forms keep bandwidths and scaling of all rows
  expect_equal(unname(found$choice$scores[, row]), by_hand$domains$score, tolerance = 0.05)
  alone <- of_signal
  expect_false(isTRUE(all.equal(alone$choice$table$mean, found$choice$table$mean)))
})

test_that("the unit of weights does not matter, of one domain or of several", {
  w <- rep_len(c(1, 3), nrow(signal))
  fits <- lapply(c(1, 2^20), function(unit) {
    dg_auto(y ~ x1 + x2 + x3 | domain, data = signal, weights = unit * w, max_ard = 0,
            max_rows = 60, n_members = 2, progress = FALSE)
  })
  expect_equal(predict(fits[[2L]], signal), predict(fits[[1L]], signal), tolerance = 1e-6)
  expect_equal(fits[[2L]]$choice$expected, fits[[1L]]$choice$expected, tolerance = 1e-6)
  alone <- signal[signal$domain == signal$domain[1L], ]
  fits <- lapply(c(1, 2^20, 2^-20), function(unit) {
    quietly(dg_auto(y ~ x1 + x2 + x3 | domain, data = alone, weights = rep(unit, nrow(alone))))
  })
  expect_equal(predict(fits[[2L]], alone), predict(fits[[1L]], alone), tolerance = 1e-6)
  expect_equal(predict(fits[[3L]], alone), predict(fits[[1L]], alone), tolerance = 1e-6)
})

test_that("a row is predicted without its domain and without the rows of its unit", {
  # every object in every domain, with a value of its own that x does not tell but by its fingerprint
  paired <- with_seed(3, {
    objects <- 30
    d <- expand.grid(object = seq_len(objects), domain = letters[1:4])
    print_of <- matrix(rnorm(objects * 2), objects)
    value <- rnorm(objects)
    cbind(d, x1 = print_of[d$object, 1], x2 = print_of[d$object, 2], y = value[d$object])
  })
  seen <- dg_auto(y ~ x1 + x2 | domain, data = paired, max_ard = 0, n_members = 2,
                  progress = FALSE)
  unit <- dg_auto(y ~ x1 + x2 | domain, data = paired, unit = object, max_ard = 0, n_members = 2,
                  progress = FALSE)
  # the object is recognised, and its value with it; a new object's cannot be
  expect_lt(seen$choice$expected$mean, 0.5)
  expect_gt(unit$choice$expected$mean, 0.9 * sd(paired$y[1:30]))
  # against fits without both
  table <- unit$choice$table
  i <- which(startsWith(table$kernel, "Gaussian kernel (1 x") & table$scale == "pooled" &
               table$domain_kernel == "pooled")
  spec <- candidate_spec(table[i, ], 2)
  fold <- (as.integer(factor(paired$object)) - 1L) %% 3L
  predicted <- numeric(nrow(paired))
  sigma <- median_bandwidth(scale(as.matrix(paired[c("x1", "x2")])))
  for (g in levels(paired$domain)) for (k in 0:2) {
    inside <- paired$domain == g & fold == k
    rest <- paired$domain != g & fold != k
    all <- fit(update(spec, kernel = kernel_rbf(sigma), scale = "none"), y ~ x1 + x2 | domain,
               data = scaled_like(paired, rest))
    predicted[inside] <- predict(all, scaled_like(paired, inside))
  }
  by_hand <- sqrt(tapply((predicted - paired$y)^2, paired$domain, mean))
  expect_equal(unname(unit$choice$scores[, i]), as.vector(by_hand), tolerance = 0.02)
  # the null model has not seen them either
  none <- vapply(seq_along(fold), function(i) {
    mean(paired$y[paired$domain != paired$domain[i] & fold != fold[i]])
  }, 0)
  by_hand <- sqrt(tapply((none - paired$y)^2, paired$domain, mean))
  expect_equal(unname(unit$choice$scores[, table$kernel == "null model" & !is.na(table$kernel)]),
               as.vector(by_hand), tolerance = 1e-8)
})

test_that("the standard error knows that all domains have the same units", {
  # the error is that of an object, whatever the domain
  d <- expand.grid(unit = 1:15, domain = factor(letters[1:8]))
  error <- with_seed(4, rnorm(15))[d$unit] + with_seed(5, rnorm(nrow(d)) / 10)
  search <- list(sample = list(unit = d$unit), left_out = d$domain,
                 shown = list(y = error, domain = d$domain, metric = metrics$rmse,
                              response = list(kind = "number", centre = 0, scale = 1)))
  score <- function(used) mean(sqrt(tapply(error[used]^2, d$domain[used], mean)))
  without <- vapply(1:15, function(u) score(d$unit != u), 0)
  by_hand <- sqrt(14 / 15 * sum((without - mean(without))^2))
  expect_equal(unit_error(search, matrix(0, nrow(d))), by_hand)
  # about that of the root mean square of 15 normal numbers
  expect_lt(abs(log(by_hand / sqrt(1 / 30))), log(2))
  search$sample$unit <- seq_len(nrow(d))
  expect_identical(unit_error(search, matrix(0, nrow(d))), 0)
})

test_that("units that keep to their domain change nothing", {
  nested <- transform(toy, unit = seq_len(nrow(toy)))
  expect_equal(dg_auto(y ~ x1 + x2 + x3 | domain, data = nested, unit = unit, max_ard = 0,
                       n_members = 2, progress = FALSE)$choice$scores,
               dg_auto(y ~ x1 + x2 + x3 | domain, data = nested, max_ard = 0,
                       n_members = 2, progress = FALSE)$choice$scores)
})

test_that("a column named in quotes is refused with what to write", {
  one <- transform(signal, unit = "u1")
  expect_error(dg_auto(y ~ x1 + x2 | domain, data = one, unit = "unit", progress = FALSE),
               "not 1; a column of `data` has no quotes: `unit = unit`", class = "domgen_error_data")
})

test_that("after the time limit no further candidate is started", {
  found <- dg_auto(y ~ . | domain, data = signal, max_seconds = 1e-9, progress = FALSE)
  # the mean, one candidate, and the null model, which is the safety net
  expect_identical(nrow(found$choice$table), 3L)
  expect_true("null model" %in% found$choice$table$kernel)
  expect_length(predict(found, signal), nrow(signal))
  expect_identical(found$choice$time_limit, list(seconds = 1e-9, reached = TRUE))
  expect_output(print(found), "time limit of 1e-09 s reached before all candidates were tried")
  patient <- dg_auto(y ~ . | domain, data = toy, max_seconds = 600, max_ard = 0, folds = 2,
                     n_members = 1, progress = FALSE)
  expect_false(patient$choice$time_limit$reached)
  expect_false(any(grepl("time limit", capture.output(print(patient)))))
})

test_that("of noise, a search without time gives the null model", {
  noise <- with_seed(4, data.frame(y = stats::rnorm(40), x = stats::rnorm(40),
                                   domain = rep(1:2, each = 20)))
  noise$y <- noise$y + 10 * (noise$domain == 1) * noise$x - 10 * (noise$domain == 2) * noise$x
  found <- dg_auto(y ~ x | domain, data = noise, max_seconds = 1e-9, progress = FALSE)
  expect_identical(found$members$null$spec$method, "dg_null")
})

test_that("a search takes some of the rows, and the fit all", {
  big <- transform(toy_domains(5, 40), y = y + 2 * x1)
  found <- dg_auto(y ~ . | domain, data = big, max_rows = 60, max_ard = 0)
  expect_lte(found$choice$rows, 60L)
  expect_length(found$decision, nrow(big))
  expect_equal(found$members[[1L]]$spec$args$lambda,
               found$choice$table$lambda[2L] * nrow(big) / found$choice$rows)
})

test_that("any score of predictions or decisions decides, for two classes and more", {
  labels <- toy_classes(5, 20)
  labels$y[labels$x1 > 0.7] <- "1"
  found <- dg_auto(y ~ . | domain, data = labels, metric = "auc", max_ard = 0, n_members = 2)
  expect_identical(found$choice$metric$title, "area under the ROC curve")
  expect_identical(found$choice$selected_by, "Brier score")
  # a distributional one included: its dg_cv() is its score
  table <- found$choice$table
  ridge <- setdiff(which(grepl("kernel", table$kernel)), grep("per predictor|logistic", table$kernel))
  checked <- c(ridge[1L], ridge[grep("distributional", table$domain_kernel[ridge])][1L])
  for (i in checked[!is.na(checked)]) {
    result <- dg_cv(fit(candidate_spec(table[i, ], 3), y ~ . | domain, data = labels), metric = "auc")
    expect_equal(result$mean, table$mean[i], tolerance = 0.02)
  }
  by_its_own <- dg_auto(y ~ . | domain, data = labels, metric = "gmean", max_ard = 0, n_members = 1,
                        folds = 2)
  expect_null(by_its_own$choice$selected_by)
  lacking <- labels
  lacking$y[labels$domain == "d2"] <- "1"
  some <- dg_auto(y ~ . | domain, data = lacking, metric = "auc", n_members = 1,
                  max_ard = 0)
  expect_true(all(is.na(some$choice$scores["d2", ])))
  expect_false(anyNA(some$choice$table$mean))
  many <- with_seed(1, transform(toy_domains(4, 24), y = factor(c("a", "b", "c")[
    findInterval(x1 + rnorm(length(x1)) / 4, c(-0.4, 0.4)) + 1L])))
  found <- dg_auto(y ~ . | domain, data = many, metric = "auc", n_members = 1, max_ard = 0,
                   folds = 2)
  expect_s3_class(predict(found, many), "factor")
  expect_gt(found$choice$table$mean[1L], 0.75)
  expect_identical(dim(predict(found, many, type = "decision")), c(nrow(many), 3L))
  own <- dg_auto(y ~ . | domain, data = toy, n_members = 1, max_ard = 0, folds = 2,
                 metric = metric_custom(
    function(truth, prediction) median(abs(truth - prediction)), title = "median error"))
  expect_output(print(own), "median error \\(lower is better\\) on held-out domains")
})

test_that("weights, probabilities and matrices go through", {
  labels <- with_seed(1, transform(toy_domains(4, 16), y = factor(x1 + rnorm(length(x1)) / 2 > 0)))
  w <- seq_len(nrow(labels)) %% 3 + 1
  found <- dg_auto(labels[c("x1", "x2", "x3")], labels$y, labels$domain, weights = w,
                   calibration = "platt", n_members = 2, max_ard = 0)
  prob <- predict(found, labels[c("x1", "x2", "x3")], domain = labels$domain, type = "prob")
  expect_equal(rowSums(prob), rep(1, nrow(labels)), ignore_attr = TRUE)
  weightless <- dg_auto(y ~ . | domain, data = labels, n_members = 2, max_ard = 0, folds = 2)
  expect_false(identical(found$choice$table$mean, weightless$choice$table$mean))
})

test_that("what was chosen is printed with what was not", {
  expect_output(print(model), "[0-9]+ candidates tried")
  expect_output(print(model), "RMSE \\(lower is better\\) on held-out domains, [0-9]+ rows")
  expect_output(print(model), "RMSE expected on a new domain: [0-9.]+ \\(95 % interval [0-9.]+ to")
  expect_output(print(model), "chosen +candidate")
  others <- best_others(model$choice$table)
  expect_false(any(model$choice$table$member[others]))
  expect_output(print(dg_auto()), "Ensemble selected on the training domains")
})

test_that("a search that cannot be is refused", {
  run <- function(...) dg_auto(y ~ . | domain, data = toy, ...)
  expect_refusals({
    run(metric = "log_density")
    run(metric = "auc")
    run(metric = "nothing")
    run(max_rows = 5)
    run(n_members = 0)
    run(max_ard = -1)
    run(lambda = 1)
    run(calibration = "sure")
    dg_auto(y ~ ., data = toy)
    dg_auto(y ~ . | domain, data = subset(toy, domain == "none"))
  })
})

test_that("candidates have one text each, which the table and the scores have too", {
  expect_identical(colnames(model$choice$scores)[-1L], describe_candidates(model$choice$table)[-1L])
  search <- list(args = list(threads = NULL), known = integer(), sample = list(X = matrix(0, 2, 3)))
  drawn <- with_seed(1, replicate(300, simplify = FALSE, {
    scale <- sample(c("pooled", "domain", "both", "means", "rank"), 1L)
    spec <- auto_ridge(search, scale, sample(auto_kernels(search, scale), 1L)[[1L]])
    spec <- sample(with_factors(c(0.5, 2, 4))(spec), 1L)[[1L]]
    between <- list(domain_pooled(), domain_multitask(0.5), domain_multitask(0.9),
                    domain_distribution(),
                    domain_distribution(embedding_kernel = kernel_rbf(bandwidth_factor = 2)))
    spec <- with_domain_kernels(sample(between, 1L))(spec)[[1L]]
    if (stats::runif(1) < 0.5) as_glm(spec, check_family("binomial", "family")) else spec
  }))
  keys <- vapply(drawn, function(spec) candidate(spec)$key, "")
  settings <- vapply(drawn, function(spec) {
    paste(capture.output(dput(spec[c("method", "args")], control = "showAttributes")), collapse = "")
  }, "")
  expect_gt(length(unique(keys)), 100L)
  expect_identical(match(keys, keys), match(settings, settings))
})
