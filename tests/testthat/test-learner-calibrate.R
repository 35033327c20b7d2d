# Probabilities of learners, calibrated on held-out domains.

# Two classes that overlap, in domains that are shifted against each other.
shifted <- function(domains, rows, seed) {
  with_seed(seed, {
    domain <- factor(rep(paste0("d", seq_len(domains)), each = rows), paste0("d", seq_len(domains)))
    sign <- rep_len(c(-1, 1), domains * rows)
    d <- data.frame(domain = domain, y = factor(sign))
    d$x1 <- 0.9 * sign + rnorm(domains, sd = 0.4)[domain] + rnorm(nrow(d))
    d$x2 <- 0.5 * sign + rnorm(domains, sd = 0.4)[domain] + rnorm(nrow(d))
    d$x3 <- rnorm(nrow(d))
    d
  })
}

toy <- shifted(6, 24, seed = 1)
new <- shifted(3, 30, seed = 5)
# nothing that is learned without labels
fixed <- function(learner, ...,
                  domain_kernel = domain_distribution(kernel_rbf(2), kernel_rbf(0.7))) {
  learner(..., kernel = kernel_rbf(2), domain_kernel = domain_kernel, scale = "none")
}

many <- function(domains = 5, rows = 24, seed = 1) {
  with_seed(seed, {
    d <- data.frame(domain = rep(paste0("d", seq_len(domains)), each = rows))
    code <- rep_len(1:3, nrow(d))
    d$x1 <- cos(2 * pi * code / 3) + rnorm(nrow(d), sd = 0.8)
    d$x2 <- sin(2 * pi * code / 3) + rnorm(nrow(d), sd = 0.8)
    d$y <- factor(c("a", "b", "c")[code])
    d
  })
}

sample_of <- function(spec, formula, data, weights = NULL) {
  read_sample(read_input(list(x = formula, data = data, weights = weights)),
              spec_needs(spec), spec_scale(spec))
}

# Decision values of each domain by a model fitted to the others, by the front door.
naive_held_out <- function(spec, formula, data) {
  f <- numeric(nrow(data))
  for (g in unique(data$domain)) {
    inside <- data$domain == g
    model <- fit(spec, formula, data = data[!inside, ])
    f[inside] <- predict(model, data[inside, ], type = "decision")
  }
  f
}

fit_of <- function(spec, sample) {
  rows <- rows_frame(sample)
  seal(finish_fit(fit_rows(spec, rows), spec, rows))
}

test_that("probabilities are Platt's sigmoid of decision values on held-out domains", {
  specs <- list(
    svm = fixed(dg_svm, cost = 2, tolerance = 1e-8),
    ridge = fixed(dg_ridge, lambda = 0.5),
    chain = dg_pipeline(dg_dica(ncomp = 1, kernel = kernel_rbf(2), scale = "none"),
                  dg_svm(domain_kernel = domain_pooled(), scale = "none", tolerance = 1e-8)),
    ridge_chain = dg_pipeline(dg_dcm(ncomp = 1, kernel = kernel_rbf(2), scale = "none"),
                        dg_ridge(domain_kernel = domain_pooled(), scale = "none"))
  )
  for (spec in specs) {
    f <- naive_held_out(spec, y ~ . | domain, toy)
    n <- table(toy$y)
    target <- ifelse(toy$y == "1", (n[["1"]] + 1) / (n[["1"]] + 2), 1 / (n[["-1"]] + 2))
    peer <- glm(target ~ f, family = quasibinomial())
    asked <- spec
    if (inherits(asked, "dg_pipeline_spec")) asked$learner$args$calibration <- "platt"
    else asked$args$calibration <- "platt"
    model <- fit(asked, y ~ . | domain, data = toy)
    plain <- fit(spec, y ~ . | domain, data = toy)
    # to the solver's tolerance
    expect_equal(predict(model, new, type = "decision"), predict(plain, new, type = "decision"),
                 tolerance = 1e-7)
    P <- predict(model, new, type = "prob")
    expect_equal(P[, "1"], unname(predict(peer, data.frame(
      f = predict(plain, new, type = "decision")), type = "response")), tolerance = 1e-5)
    expect_equal(rowSums(P), rep(1, nrow(new)))
  }
})

test_that("isotonic probabilities are the regression of labels on held-out decision values", {
  f <- naive_held_out(fixed(dg_ridge), y ~ . | domain, toy)
  map <- isotonic_map(f, toy$y == "1", rep(1, nrow(toy)))
  model <- fit(fixed(dg_ridge, calibration = "isotonic"), y ~ . | domain, data = toy)
  expect_equal(predict(model, new, type = "prob")[, "1"],
               calibrated(map, predict(model, new, type = "decision")), tolerance = 1e-7)
})

test_that("the closed form of ridge regression has the values of fits without the domain", {
  three <- many(5, 30)
  three <- three[!(three$domain != "d1" & three$y == "c" & seq_len(nrow(three)) %% 2 == 0), ]
  w <- rep_len(c(1, 2, 0, 1), nrow(three))
  for (data in list(transform(three, y = factor(y == "a")), three)) {
    for (features in list(features_exact(), features_nystrom(60, "uniform"))) {
      spec <- fixed(dg_ridge, lambda = 0.4, calibration = "platt", feature_map = features,
                    domain_kernel = domain_pooled())
      sample <- sample_of(spec, y ~ x1 + x2 | domain, data, w)
      # fewer landmarks than asked for are independent
      suppressWarnings({
        fitted <- fit_of(spec, sample)
        closed <- held_out_decisions(spec, sample, fitted)
        again <- held_out_decisions.dg_spec(spec, sample, fitted)
      }, "domgen_warning_rank")
      # landmarks are drawn anew, nearly all rows: what they lose differs
      expect_equal(closed$values, again$values, tolerance = 1e-4, ignore_attr = TRUE)
      expect_identical(closed$folds, again$folds)
    }
  }
})

test_that("steps without each of many small domains are near fits without it, of all families", {
  G <- 24L
  d <- with_seed(4, {
    d <- data.frame(domain = gl(G, 8L), x1 = rnorm(8 * G), x2 = rnorm(8 * G))
    d$f <- d$x1 + d$x2 / 2 + rnorm(G)[d$domain] / 3
    transform(d, noisy = f + rlogis(8 * G), count = rpois(8 * G, exp(f / 2)))
  })
  noisy <- d$noisy
  responses <- list(binomial = factor(noisy > 0), poisson = d$count,
                    multinomial = cut(noisy, c(-Inf, -0.7, 0.8, Inf), c("a", "b", "c")),
                    ordinal = cut(noisy, c(-Inf, -1, 1, Inf), ordered_result = TRUE),
                    gaussian = noisy)
  size <- function(x) sqrt(mean(x^2))
  for (family in names(responses)) for (features in list(features_exact(), features_nystrom(40))) {
    data <- transform(d, y = responses[[family]])
    spec <- dg_glm(family = family, lambda = 2, domain_kernel = domain_pooled(),
                   feature_map = features)
    sample <- sample_of(spec, y ~ x1 + x2 | domain, data)
    fitted <- fit_of(spec, sample)
    step <- held_out_decisions(spec, sample, fitted)
    expect_identical(step$folds, setNames(seq_len(G), levels(d$domain)))
    few <- d$domain %in% 1:3
    again <- step$values
    for (g in 1:3) {
      held <- d$domain == g
      again[held, ] <- decide_held_out(spec, sample, held, fitted$response)
    }
    expect_lt(size((step$values - again)[few, ]), size((fitted$decision - again)[few, ]) / 4)
  }
})

test_that("a domain with much of the information is held out of a fit, as is one of few", {
  d <- with_seed(5, {
    d <- data.frame(domain = gl(15, 6), x1 = rnorm(90))
    transform(d, y = rpois(90, exp(x1 / 3 + 5 * (domain == "3"))))
  })
  few <- as.integer(d$domain) <= 6L
  for (data in list(d, droplevels(transform(d, y = pmin(y, 3))[few, ]))) {
    spec <- dg_glm(family = "poisson", lambda = 1, domain_kernel = domain_pooled())
    sample <- sample_of(spec, y ~ x1 | domain, data)
    fitted <- fit_of(spec, sample)
    expect_identical(held_out_decisions(spec, sample, fitted),
                     held_out_decisions.dg_spec(spec, sample, fitted))
  }
})

test_that("the labels of a held-out domain have no influence on its decision values", {
  specs <- list(fixed(dg_svm, calibration = "platt"), fixed(dg_ridge, calibration = "platt"),
                dg_ridge(calibration = "platt", bandwidths = "fitted",
                         domain_kernel = domain_pooled()),
                dg_pipeline(dg_dica(ncomp = 1), dg_svm(calibration = "platt")))
  some <- domains_of(toy, 1:4)
  d2 <- some$domain == "d2"
  flipped <- some
  flipped$y[d2] <- rev(levels(toy$y))[as.integer(some$y[d2])]
  for (spec in specs) {
    values <- lapply(list(some, flipped), function(data) {
      sample <- sample_of(spec, y ~ . | domain, data)
      fitted <- suppressWarnings(fit_of(spec, sample))
      suppressWarnings(held_out_decisions(spec, sample, fitted)$values)
    })
    expect_equal(values[[1]][d2, ], values[[2]][d2, ], tolerance = 1e-8)
    expect_gt(max(abs(values[[1]][!d2, ] - values[[2]][!d2, ])), 0.01)
  }
})

test_that("the predicted class is the most probable one, for new rows and for training rows", {
  three <- many()
  holes <- many(2, 30, seed = 3)
  holes$x1[4] <- NA
  specs <- list(
    fixed(dg_svm, cost = 1, calibration = "platt"), fixed(dg_svm, cost = 1, calibration = "isotonic"),
    fixed(dg_svm, cost = 1, calibration = "platt", multiclass = "one_vs_rest"),
    fixed(dg_ridge, lambda = 1, calibration = "isotonic"),
    dg_pipeline(dg_dcm(ncomp = 1), dg_svm(cost = 1, calibration = "platt")),
    dg_pipeline(dg_dcm(ncomp = 1), dg_ridge(lambda = 1, calibration = "isotonic"))
  )
  binary <- function(d) transform(d, y = factor(ifelse(y == "c", "c", "other")))
  for (spec in specs) for (change in list(identity, binary)) {
    data <- change(three)
    model <- fit(spec, y ~ x1 + x2 | domain, data = data)
    expect_warning(P <- predict(model, holes, type = "prob"), class = "domgen_warning_missing")
    expect_identical(dimnames(P), list(NULL, levels(data$y)))
    expect_true(all(is.na(P[4, ])))
    expect_equal(rowSums(P[-4, ]), rep(1, nrow(holes) - 1L))
    most <- levels(data$y)[max.col(P[-4, ], "first")]
    for (type in c("class", "response")) {
      class <- suppressWarnings(predict(model, holes, type = type))
      expect_identical(as.character(class[-4]), most)
      expect_true(is.na(class[4]))
    }
    own <- predict(model, type = "prob")
    expect_identical(as.character(fitted(model)), levels(data$y)[max.col(own, "first")])
    expect_gt(mean(fitted(model) == data$y), 0.5)
  }
})

test_that("where class and sign of the decision value differ, the class follows the probability", {
  rare <- toy[toy$y == "-1" | seq_len(nrow(toy)) %% 3 == 0, ]
  new <- shifted(3, 200, seed = 5)
  model <- fit(fixed(dg_svm, calibration = "platt"), y ~ . | domain, data = rare)
  P <- predict(model, new, type = "prob")
  expect_identical(predict(model, new) == "1", P[, "1"] > 0.5)
  f <- predict(model, new, type = "decision")
  expect_true(any((f > 0) != (P[, "1"] > 0.5)))
})

test_that("probabilities never fall as the decision value grows", {
  for (method in c("platt", "isotonic")) for (learner in list(dg_svm, dg_ridge)) {
    model <- fit(fixed(learner, calibration = method), y ~ . | domain, data = toy)
    order <- order(predict(model, new, type = "decision"))
    expect_true(all(diff(predict(model, new, type = "prob")[order, "1"]) >= 0))
  }
})

test_that("weight k is k copies, and a row without weight is no row", {
  w <- rep_len(c(1, 2, 0, 3, 1), nrow(toy))
  w[toy$domain == "d6"] <- 0
  copies <- droplevels(toy[rep(seq_len(nrow(toy)), w), ])
  for (method in c("platt", "isotonic")) for (learner in list(dg_svm, dg_ridge)) {
    # copies of rows would change a domain's mean embedding
    spec <- fixed(learner, calibration = method, domain_kernel = domain_pooled())
    if (identical(learner, dg_svm)) spec$args$tolerance <- 1e-9
    weighted <- fit(spec, y ~ . | domain, data = toy, weights = w)
    copied <- fit(spec, y ~ . | domain, data = copies)
    expect_equal(predict(weighted, new, type = "prob"), predict(copied, new, type = "prob"),
                 tolerance = 1e-4)
    expect_equal(weighted$calibration$log_loss, copied$calibration$log_loss, tolerance = 1e-3)
    expect_identical(weighted$calibration$folds[1:5], copied$calibration$folds)
    expect_identical(weighted$calibration$folds[["d6"]], 0L)
    plain <- fit(spec, y ~ . | domain, data = toy)
    expect_gt(max(abs(predict(weighted, new, type = "prob") - predict(plain, new, type = "prob"))),
              0.01)
  }
})

test_that("neither the order of rows nor the number of threads matters", {
  shuffled <- with_seed(1, toy[sample(nrow(toy)), ])
  spec <- fixed(dg_svm, calibration = "platt", tolerance = 1e-8)
  P <- predict(fit(spec, y ~ . | domain, data = toy), new, type = "prob")
  expect_equal(predict(fit(spec, y ~ . | domain, data = shuffled), new, type = "prob"), P,
               tolerance = 1e-4)
  for (learner in list(dg_svm, dg_ridge)) {
    runs <- lapply(c(1, 3), function(threads) {
      spec <- fixed(learner, calibration = "platt", threads = threads)
      model <- fit(spec, y ~ . | domain, data = toy)
      predict(model, new, type = "prob")
    })
    expect_identical(runs[[1]], runs[[2]])
  }
})

test_that("folds are whole domains, up to ten, of about the same size", {
  fold <- function(sizes, weights = 1) {
    domain <- factor(rep(sprintf("d%02d", seq_along(sizes)), sizes))
    calibration_folds(list(domain = domain, weights = rep_len(weights, length(domain))))
  }
  expect_identical(unname(fold(c(5, 9, 2))), 1:3)
  expect_identical(unname(fold(rep(3, 10))), 1:10)
  sizes <- with_seed(1, sample(10:400, 37))
  folds <- fold(sizes)
  expect_identical(names(folds)[37], "d37")
  expect_identical(sort(unique(unname(folds))), 1:10)
  loads <- tapply(sizes, folds, sum)
  expect_lt(max(loads) / min(loads), 1.15)
  # by hand: the 11th and 12th largest join the smallest
  expect_identical(unname(fold(c(20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 2, 1))), c(1:10, 10L, 9L))
  expect_identical(fold(sizes, 0.1), folds)
})

test_that("with more than ten domains the folds hold out several at a time", {
  wide <- shifted(13, 15, seed = 3)
  model <- fit(fixed(dg_svm, calibration = "platt"), y ~ . | domain, data = wide)
  expect_output(print(model), "Platt scaling on 13 domains held out in 10 folds,\\s+log\\s+loss\\s+0")
  expect_identical(max(model$calibration$folds), 10L)
  expect_output(print(fit(fixed(dg_ridge, calibration = "isotonic"), y ~ . | domain, data = wide)),
                "isotonic on 13 domains held out in 10 folds")
  expect_output(print(fit(fixed(dg_ridge, lambda = 1, calibration = "isotonic"), y ~ . | domain,
                          data = wide)),
                "isotonic on 13 domains held out one at a time")
})

test_that("the log loss that is printed is that of held-out folds under the others' maps", {
  f <- naive_held_out(fixed(dg_ridge), y ~ . | domain, toy)
  loss <- base <- numeric(nrow(toy))
  for (g in levels(toy$domain)) {
    inside <- toy$domain == g
    p <- calibrated(platt_map(f[!inside], toy$y[!inside] == "1", rep(1, sum(!inside))), f[inside])
    rate <- (sum(toy$y[!inside] == "1") + 1) / (sum(!inside) + 2)
    loss[inside] <- -log(ifelse(toy$y[inside] == "1", p, 1 - p))
    base[inside] <- -log(ifelse(toy$y[inside] == "1", rate, 1 - rate))
  }
  model <- fit(fixed(dg_ridge, calibration = "platt"), y ~ . | domain, data = toy)
  expect_equal(model$calibration$log_loss, c(calibrated = mean(loss), frequencies = mean(base)),
               tolerance = 1e-6)
})

test_that("a class that the other domains lack leaves out the pairs that need it", {
  three <- many(4, 30)
  # c only in d1 and d2; without d1 it is still in d2
  lacking <- droplevels(three[three$y != "c" | three$domain %in% c("d1", "d2"), ])
  for (scheme in c("one_vs_one", "one_vs_rest")) {
    model <- fit(fixed(dg_svm, calibration = "platt", multiclass = scheme), y ~ x1 + x2 | domain,
                 data = lacking)
    expect_gt(mean(predict(model, three) == three$y), 0.6)
  }
  # c only in d1: whenever d1 is held out, no machine knows c
  once <- droplevels(three[three$y != "c" | three$domain == "d1", ])
  spec <- fixed(dg_svm, calibration = "platt")
  expect_warning(model <- fit(spec, y ~ x1 + x2 | domain, data = once),
                 "\"c\" from \"a\", \"c\" from \"b\"; the probabilities are the class frequencies",
                 class = "domgen_warning_calibration")
  sample <- sample_of(spec, y ~ x1 + x2 | domain, once)
  values <- held_out_decisions(spec, sample, model)$values
  d1 <- once$domain == "d1"
  expect_true(all(is.na(values[d1, 2:3])))
  expect_false(anyNA(values[!d1, ]) || anyNA(values[d1, 1]))
  P <- predict(model, once, type = "prob")
  expect_true(all(is.finite(P)))
})

test_that("a class whose other rows weigh nothing is as if they were removed", {
  three <- many(4, 30)
  w <- as.numeric(three$y != "c" | three$domain == "d1")
  for (learner in list(dg_svm, dg_ridge)) {
    spec <- fixed(learner, calibration = "platt", domain_kernel = domain_pooled())
    held_out <- lapply(list(w, NULL), function(weights) {
      data <- if (is.null(weights)) three[w > 0, ] else three
      sample <- sample_of(spec, y ~ x1 + x2 | domain, data, weights)
      fitted <- fit_of(spec, sample)
      list(closed = held_out_decisions(spec, sample, fitted)$values,
           again = held_out_decisions.dg_spec(spec, sample, fitted)$values)
    })
    for (way in c("closed", "again")) {
      expect_equal(held_out[[1]][[way]][w > 0, ], held_out[[2]][[way]], tolerance = 1e-3)
      expect_true(anyNA(held_out[[2]][[way]]))
    }
  }
})

test_that("decision values that tell nothing give class frequencies, and a warning", {
  # the sign of the slope differs between domains
  d <- data.frame(domain = rep(c("d1", "d2"), each = 40), x = rep(seq(-1, 1, length.out = 40), 2))
  d$y <- factor(ifelse(d$domain == "d1", d$x > 0, d$x < 0.5))
  for (method in c("platt", "isotonic")) {
    spec <- dg_svm(kernel = kernel_linear(), domain_kernel = domain_pooled(), calibration = method)
    expect_warning(model <- fit(spec, y ~ x | domain, data = d), "\"TRUE\" from \"FALSE\"",
                   class = "domgen_warning_calibration")
    P <- predict(model, d, type = "prob")
    expect_equal(unique(P[, "TRUE"]), mean(d$y == "TRUE"), tolerance = 0.02)
    expect_identical(unique(as.character(predict(model, d))), "TRUE")
  }
})

test_that("feature maps, factors and equal domain weights are no hindrance", {
  data <- transform(toy, size = cut(x1, 3))
  for (spec in list(
    dg_svm(cost = 1, feature_map = features_nystrom(40), calibration = "platt"),
    dg_svm(cost = 1, feature_map = features_product(x = features_rff(40)), calibration = "isotonic"),
    dg_ridge(lambda = 1, feature_map = features_nystrom(40), calibration = "platt",
             domain_weights = "equal"),
    dg_pipeline(dg_dica(ncomp = 1, feature_map = features_nystrom(40)),
                dg_svm(cost = 1, calibration = "platt"))
  )) {
    set.seed(1)
    model <- fit(spec, y ~ . | domain, data = data)
    P <- predict(model, data, type = "prob")
    expect_gt(mean((P[, "1"] > 0.5) == (data$y == "1")), 0.7)
    loss <- model$calibration$log_loss
    expect_lt(loss[["calibrated"]], loss[["frequencies"]])
    expect_lt(as.numeric(object.size(model$calibration)), 40000)
  }
})

test_that("probabilities come with cross-validation, update() and a saved model", {
  model <- dg_svm(y ~ . | domain, data = toy, calibration = "platt")
  file <- tempfile(fileext = ".rds")
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), new, type = "prob"), predict(model, new, type = "prob"))
  plain <- update(model, calibration = "none")
  expect_null(plain$calibration)
  expect_equal(update(plain, calibration = "platt")$calibration, model$calibration)
  cross <- dg_cv(dg_svm(calibration = "platt"), y ~ . | domain, data = domains_of(toy, 1:3))
  by_hand <- fit(dg_svm(calibration = "platt"), y ~ . | domain, data = domains_of(toy, 2:3))
  d1 <- cross$predictions$domain == "d1"
  expect_identical(as.character(cross$predictions$prediction[d1]),
                   as.character(predict(by_hand, domains_of(toy, 1))))
  # closed-form cross-validation is of decision values: the maps have seen all domains
  ridge <- fit(fixed(dg_ridge, calibration = "platt"), y ~ . | domain, data = toy)
  expect_equal(dg_cv(ridge)$predictions,
               dg_cv(fit(fixed(dg_ridge), y ~ . | domain, data = toy))$predictions)
})

test_that("warnings of held-out fits are counted, not repeated", {
  expect_warning(
    model <- dg_svm(y ~ . | domain, data = toy, cost = 100, max_iterations = 20,
                    calibration = "platt"),
    class = "domgen_warning_convergence"
  )
  expect_gt(sum(model$calibration$warnings), 1)
  expect_output(print(model), "while domains were held out: The solver stopped")
})

test_that("what cannot be calibrated is said", {
  number <- transform(toy, y = x1)
  one <- domains_of(toy, 1)
  apart <- domains_of(toy, 1:2)
  apart$y <- factor(ifelse(apart$domain == "d1", "a", "b"))
  two <- domains_of(toy, 1:2)
  w <- as.numeric(two$domain == "d1")
  sums <- feature_sums(y ~ x1 | domain, data = toy, feature_map = features_nystrom(5))
  spec <- dg_svm(calibration = "platt")
  pooled <- dg_ridge(domain_kernel = domain_pooled(), calibration = "platt")
  steps <- dg_pipeline(dg_dica(ncomp = 1), dg_ridge(calibration = "isotonic"))
  plain <- fit(dg_pipeline(dg_dica(ncomp = 1), dg_ridge()), y ~ . | domain, data = toy)
  expect_refusals({
    dg_svm(calibration = "sigmoid")
    dg_ridge(calibration = TRUE)
    fit(spec, y ~ . | domain, data = number)
    fit(steps, y ~ . | domain, data = number)
    fit(spec, y ~ . | domain, data = one)
    fit(pooled, y ~ x1 + x2, data = toy)
    fit(spec, y ~ . | domain, data = two, weights = w)
    fit(spec, y ~ . | domain, data = apart)
    fit(dg_ridge(calibration = "platt"), y ~ . | domain, data = apart)
    fit(dg_ridge(calibration = "platt"), sums)
    predict(dg_svm(y ~ . | domain, data = toy), toy, type = "prob")
    predict(plain, toy, type = "prob")
  })
})

test_that("probabilities follow the order of the rows no more than the solver's tolerance lets them", {
  data <- simulate_dcm(domains = 6, n = 24, p = 3, seed = 1)
  new <- simulate_dcm(domains = 2, n = 50, p = 3, seed = 9)
  shuffled <- data[with_seed(1, sample(nrow(data))), ]
  # what a map makes of decision values that differ by the tolerance / 100
  most <- c(platt = 2e-5, isotonic = 1e-3)
  for (method in names(most)) {
    apart <- function(spec) {
      p <- lapply(list(data, shuffled), function(d) {
        predict(fit(spec, y ~ . | domain, data = d), new, type = "prob")
      })
      max(abs(p[[1L]] - p[[2L]]))
    }
    expect_lt(apart(dg_svm(calibration = method, cost = 100)), most[[method]])
    expect_lt(apart(dg_ridge(calibration = method)), 1e-10)
  }
})
