toy <- with_seed(1, transform(toy_domains(6, 20), y = y + x1))
rows <- with_seed(2, transform(toy_domains(2, 12), y = y + x1))
plain <- function(lambda) {
  dg_ridge(lambda = lambda, kernel = kernel_rbf(2), domain_kernel = domain_pooled(), scale = "none",
           intercept = TRUE)
}
three <- list(near = plain(0.1), far = plain(30), mean = dg_null())
stacked_model <- fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = toy)

test_that("an ensemble predicts the weighted mean of its members, each with its own scaling", {
  members <- list(a = dg_ridge(lambda = 1, scale = "both"), b = dg_svm(cost = 1, scale = "domain"),
                  c = dg_lm(), d = dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 1)))
  alone <- sapply(members, function(m) predict(fit(m, y ~ . | domain, data = toy), rows))
  equal <- fit(dg_ensemble(members), y ~ . | domain, data = toy)
  expect_equal(predict(equal, rows), rowMeans(alone), tolerance = 1e-10)
  expect_equal(coef(equal), c(a = 0.25, b = 0.25, c = 0.25, d = 0.25))
  given <- fit(dg_ensemble(members, c(2, 0, 1, 1)), y ~ . | domain, data = toy)
  expect_equal(predict(given, rows), drop(alone %*% c(0.5, 0, 0.25, 0.25)), tolerance = 1e-10)
  expect_equal(predict(given, toy), fitted(given), tolerance = 1e-10)
  expect_equal(predict(given, rows[rev(seq_len(nrow(rows))), ]), rev(predict(given, rows)), tolerance = 1e-10)
})

# [n x members]: predictions of the rows by fits without their domain.
left_out_by_hand <- function(specs, data) {
  sapply(specs, function(spec) {
    found <- dg_cv(spec, y ~ . | domain, data = data)$predictions
    found$prediction[order(found$row)]
  })
}

vote <- function(data) 1 / c(table(data$domain))[as.integer(data$domain)]

stack_by_hand <- function(F, y, share) {
  error <- function(w) sum(share * (y - F %*% w)^2)
  # softmax, from several starts
  starts <- rbind(0, diag(3, ncol(F)))
  found <- apply(starts, 1L, function(s) {
    p <- stats::optim(s, function(s) error(exp(s) / sum(exp(s))), method = "BFGS",
                      control = list(reltol = 1e-14, maxit = 1000))$par
    exp(p) / sum(exp(p))
  })
  found[, which.min(apply(found, 2L, error))]
}

test_that("stacked weights have the smallest squared error on left-out domains, each one vote", {
  F <- left_out_by_hand(three, toy)
  expect_equal(unname(coef(stacked_model)), stack_by_hand(F, toy$y, vote(toy)), tolerance = 1e-3)
  expect_equal(sum(coef(stacked_model)), 1)
  expect_true(all(coef(stacked_model) >= 0))
  # domains of other sizes weigh as much
  uneven <- toy[-(1:15), ]
  model <- fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = uneven)
  F <- left_out_by_hand(three, uneven)
  expect_equal(unname(coef(model)), stack_by_hand(F, uneven$y, vote(uneven)), tolerance = 1e-3)
})

test_that("the ensemble's scores are those of weights that the other domains ask for", {
  F <- left_out_by_hand(three, toy)
  by_hand <- vapply(levels(toy$domain), function(g) {
    own <- toy$domain == g
    w <- stack_by_hand(F[!own, ], toy$y[!own], vote(toy)[!own])
    sqrt(mean((toy$y - F %*% w)[own]^2))
  }, 0)
  expect_equal(stacked_model$held_out$scores[, "ensemble"], by_hand, tolerance = 1e-3)
  alone <- apply(F, 2L, function(f) sqrt(tapply((toy$y - f)^2, toy$domain, mean)))
  expect_equal(stacked_model$held_out$scores[, -1L], alone, tolerance = 1e-8, ignore_attr = TRUE)
  found <- dg_cv(stacked_model)
  expect_s3_class(found, "dg_cv")
  expect_equal(found$domains$score, unname(by_hand), tolerance = 1e-3)
  # training sets of five of six domains overlap: Nadeau and Bengio's factor
  se <- signif(sd(by_hand) / sqrt(6) * sqrt(1 + 6 / 5), 2)
  expect_output(print(stacked_model), paste0("RMSE +", signif(mean(by_hand), 4),
                                             " \\(standard error ", se, "\\)"))
  two <- droplevels(toy[toy$domain %in% levels(toy$domain)[1:2], ])
  expect_output(print(fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = two)),
                "(standard error unknown)", fixed = TRUE)
})

test_that("dg_cv() of given weights takes them as they are", {
  model <- fit(dg_ensemble(three, c(1, 1, 2)), y ~ . | domain, data = toy)
  F <- left_out_by_hand(three, toy)
  by_hand <- sqrt(tapply((toy$y - F %*% c(1, 1, 2) / 4)^2, toy$domain, mean))
  expect_equal(dg_cv(model)$domains$score, as.vector(by_hand), tolerance = 1e-8)
})

test_that("members of every kind are fitted again where domains are left out", {
  kinds <- list(lm = dg_lm(), svm = dg_svm(cost = 1), gp = dg_gp(optimise = FALSE),
                chain = dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 1)),
                tuned = dg_tune(dg_svm(), grid = list(cost = c(1, 10)), folds = 2, extend = FALSE),
                nested = dg_ensemble(list(dg_lm(), dg_null())))
  model <- with_seed(3, fit(dg_ensemble(kinds, "stacked"), y ~ . | domain, data = toy))
  F <- left_out_by_hand(kinds["lm"], toy)
  expect_equal(model$held_out$scores[, "lm"],
               sqrt(tapply((toy$y - F)^2, toy$domain, mean)), ignore_attr = TRUE)
  expect_false(anyNA(model$held_out$scores))
  expect_length(predict(model, rows), nrow(rows))
  # left-out scores are worse than those of rows that the members have seen
  trained <- sqrt(tapply((toy$y - fitted(model))^2, toy$domain, mean))
  expect_gt(mean(model$held_out$scores[, "ensemble"]), mean(trained))
})

classes <- with_seed(4, {
  d <- toy_domains(6, 20)
  p <- plogis(2 * d$x1)
  transform(d, y = factor(ifelse(runif(nrow(d)) < p, "b", "a")))
})
new_classes <- classes[classes$domain %in% levels(classes$domain)[1:2], ]

test_that("of two classes members are averaged as 2p - 1, or as decision values between -1 and 1", {
  members <- list(linear = dg_lm(), svm = dg_svm(cost = 100), ridge = plain(1))
  model <- fit(dg_ensemble(members), y ~ . | domain, data = classes)
  one <- lapply(members, fit, y ~ . | domain, data = classes)
  values <- cbind(2 * predict(one$linear, new_classes, type = "prob")[, 2] - 1,
                  pmin(pmax(predict(one$svm, new_classes, type = "decision"), -1), 1),
                  predict(one$ridge, new_classes, type = "decision"))
  expect_true(any(abs(values[, 2]) == 1))
  expect_equal(predict(model, new_classes, type = "decision"), rowMeans(values), tolerance = 1e-10)
  expect_identical(predict(model, new_classes) == "b", rowMeans(values) > 0)
})

test_that("probabilities are the weighted means of the members', and need all of them", {
  members <- list(linear = dg_lm(), platt = dg_svm(cost = 1, calibration = "platt"), null = dg_null())
  model <- fit(dg_ensemble(members, c(1, 1, 2)), y ~ . | domain, data = classes)
  one <- lapply(members, function(m) {
    predict(fit(m, y ~ . | domain, data = classes), new_classes, type = "prob")
  })
  P <- predict(model, new_classes, type = "prob")
  expect_equal(P, (one[[1]] + one[[2]] + 2 * one[[3]]) / 4, tolerance = 1e-8)
  expect_equal(dg_cv(dg_ensemble(members), y ~ . | domain, data = classes,
                     metric = "log_loss")$predictions$prob |> rowSums(), rep(1, nrow(classes)))
  without <- fit(dg_ensemble(list(dg_lm(), dg_svm(cost = 1))), y ~ . | domain, data = classes)
  expect_domgen_error(predict(without, new_classes, type = "prob"),
                      "\"svm\" has no probabilities; fit `dg_ensemble\\(", "domgen_error_argument")
  calibrated <- fit(dg_ensemble(list(dg_lm(), dg_svm(cost = 1)), calibration = "platt"),
                    y ~ . | domain, data = classes)
  expect_equal(rowSums(predict(calibrated, new_classes, type = "prob")), rep(1, nrow(new_classes)))
})

# [n x 1]: the member's values, fitted anew without each domain.
refitted_by_hand <- function(spec, data) {
  values <- lapply(levels(data$domain), function(g) {
    own <- data$domain == g
    model <- fit(spec, y ~ . | domain, data = droplevels(data[!own, ]))
    2 * predict(model, data[own, ], type = "prob")[, 2L] - 1
  })
  unsplit(values, data$domain)
}

test_that("of classes the null model's left-out values are those of the other domains", {
  members <- list(linear = dg_lm(), null = dg_null())
  model <- fit(dg_ensemble(members, "stacked"), y ~ . | domain, data = classes)
  F <- sapply(members, refitted_by_hand, classes)
  t <- 2 * as.integer(classes$y) - 3
  expect_equal(unname(coef(model)), stack_by_hand(F, t, vote(classes)), tolerance = 1e-3)
  alone <- fit(dg_ensemble(list(dg_null(), dg_null()), "stacked"), y ~ . | domain, data = classes)
  expect_equal(drop(alone$held_out$values), F[, "null"], tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("a member's calibration has not seen the labels of a domain that is left out", {
  # learns nothing but its calibration
  fixed <- learner_custom(function(x, y) 0, function(object, x) plogis(x$x1),
                          calibration = "isotonic")
  twice <- dg_ensemble(list(fixed, fixed), "stacked")
  first <- classes$domain == levels(classes$domain)[1L]
  other <- classes
  other$y[first] <- rev(levels(other$y))[as.integer(other$y[first])]
  values <- lapply(list(classes, other), function(data) {
    fit(twice, y ~ . | domain, data = data)$held_out$values
  })
  expect_identical(values[[1L]][first], values[[2L]][first])
  expect_gt(max(abs(values[[1L]][!first] - values[[2L]][!first])), 0.05)
  anew <- refitted_by_hand(fixed, classes)
  expect_equal(drop(values[[1L]]), anew, tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("a member that chooses does so anew without the domains that are left out", {
  inner <- dg_ensemble(list(dg_lm(), plain(1), dg_null()), "stacked")
  outer <- fit(dg_ensemble(list(inner, dg_null()), "stacked"), y ~ . | domain, data = toy)
  by_hand <- sqrt(tapply((toy$y - left_out_by_hand(list(inner), toy))^2, toy$domain, mean))
  expect_equal(outer$held_out$scores[, 2L], by_hand, tolerance = 1e-6, ignore_attr = TRUE)
  auto <- dg_auto(n_members = 1, max_ard = 0, max_rows = 60, progress = FALSE)
  some <- droplevels(toy[toy$domain %in% levels(toy$domain)[1:3], ])
  model <- suppressWarnings(fit(dg_ensemble(list(auto, dg_null()), "stacked"), y ~ . | domain,
                                data = some))
  own <- some$domain == levels(some$domain)[1L]
  anew <- suppressWarnings(fit(auto, y ~ . | domain, data = droplevels(some[!own, ])))
  expect_equal(model$held_out$scores[1L, 2L], sqrt(mean((predict(anew, some[own, ]) - some$y[own])^2)),
               tolerance = 1e-6)
})

test_that("of more classes members give probabilities, least-squares values, or a vote", {
  flowers <- transform(iris, site = factor(rep(1:5, 30)))
  members <- list(ridge = dg_ridge(lambda = 1), svm = dg_svm(cost = 1), null = dg_null())
  model <- fit(dg_ensemble(members), Species ~ . | site, data = flowers)
  one <- lapply(members, fit, Species ~ . | site, data = flowers)
  vote <- outer(as.character(predict(one$svm, flowers)), levels(flowers$Species), "==")
  by_hand <- (predict(one$ridge, flowers, type = "decision") + vote + 1 / 3) / 3
  expect_equal(predict(model, flowers, type = "decision"), by_hand, tolerance = 1e-10,
               ignore_attr = TRUE)
  expect_gt(mean(predict(model, flowers) == flowers$Species), 0.9)
  stack <- fit(dg_ensemble(members, "stacked"), Species ~ . | site, data = flowers)
  expect_gt(coef(stack)[["ridge"]] + coef(stack)[["svm"]], 0.9)
})

test_that("categories reach members that ask for them, and indicators the others", {
  mixed <- with_seed(5, transform(toy, group = factor(sample(c("u", "v", "w"), nrow(toy), TRUE))))
  mixed$y <- mixed$y + 2 * (mixed$group == "v")
  members <- list(kernel = dg_ridge(kernel = kernel_mixed(), lambda = 1, scale = "both"),
                  linear = dg_lm(), ridge = dg_ridge(lambda = 1))
  model <- fit(dg_ensemble(members), y ~ . | domain, data = mixed)
  alone <- sapply(members, function(m) fitted(fit(m, y ~ . | domain, data = mixed)))
  expect_equal(fitted(model), rowMeans(alone), tolerance = 1e-8)
  expect_equal(predict(model, mixed[40:1, ], reference = mixed), fitted(model)[40:1],
               tolerance = 1e-8)
})

test_that("a member's parameter is tuned and changed by its name", {
  spec <- dg_ensemble(three)
  expect_identical(update(spec, near.lambda = 3)$args$members$near$args$lambda, 3)
  expect_domgen_error(update(spec, lambda = 3), "parameter of several members; use `near.lambda`",
                      "domgen_error_argument")
  expect_identical(update(spec, member_weights = "stacked")$args$member_weights, "stacked")
  tuned <- dg_tune(spec, y ~ . | domain, data = toy, grid = list(near.lambda = c(0.1, 1)),
                   folds = 3)
  expect_named(tuned$tuning$best, "near.lambda")
  inside <- dg_ensemble(list(projected = dg_pipeline(dg_kpca(), dg_svm()), dg_null()))
  expect_identical(update(inside, projected.cost = 7)$args$members$projected$learner$args$cost, 7)
})

test_that("an ensemble is saved, loaded, updated, compared and part of a chain", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(stacked_model, file)
  expect_identical(predict(readRDS(file), rows), predict(stacked_model, rows))
  damaged <- stacked_model
  damaged$members$near$coefficients <- damaged$members$near$coefficients[-1L, , drop = FALSE]
  expect_error(predict(damaged, rows), class = "domgen_error_model")
  fewer <- update(stacked_model, data = subset(toy, domain != "d1"))
  expect_identical(nobs(fewer), sum(toy$domain != "d1"))
  found <- dg_compare(list(ensemble = dg_ensemble(three, "stacked"), near = plain(0.1)),
                      y ~ . | domain, data = toy, refits = FALSE)
  expect_true("ensemble" %in% colnames(found$scores))
  chained <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_ensemble(list(dg_lm(), dg_ridge(lambda = 1)))),
                 y ~ . | domain, data = toy)
  expect_equal(predict(chained, toy), fitted(chained), tolerance = 1e-10)
  support <- predict(fit(dg_ensemble(list(dg_lm(), plain(1))), y ~ . | domain, data = toy), rows,
                     type = "similarity")
  expect_equal(support, predict(fit(plain(1), y ~ . | domain, data = toy), rows, type = "similarity"))
})

test_that("weight k counts as k rows, and rows may come in any order", {
  n <- nrow(toy)
  twice <- rep(1:2, c(20, n - 20))
  weighted <- fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = toy, weights = twice)
  copied <- fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = toy[rep(seq_len(n), twice), ])
  expect_equal(coef(weighted), coef(copied), tolerance = 1e-6)
  expect_equal(predict(weighted, rows), predict(copied, rows), tolerance = 1e-8)
  mixed <- with_seed(6, sample(nrow(toy)))
  expect_equal(coef(fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = toy[mixed, ])),
               coef(stacked_model), tolerance = 1e-6)
})

test_that("members that are alike share their weight, and a perfect one takes it all", {
  alike <- fit(dg_ensemble(list(plain(1), plain(1)), "stacked"), y ~ . | domain, data = toy)
  expect_equal(unname(coef(alike)), c(0.5, 0.5), tolerance = 1e-6)
  line <- transform(toy, y = x1)
  exact <- fit(dg_ensemble(list(line = dg_lm(), mean = dg_null()), "stacked"), y ~ . | domain,
               data = line)
  expect_equal(coef(exact), c(line = 1, mean = 0), tolerance = 1e-6)
})

test_that("what cannot be an ensemble is refused", {
  expect_refusals({
    dg_ensemble(dg_svm())
    dg_ensemble(list(dg_svm()))
    dg_ensemble(list(dg_svm(), dg_dica()))
    dg_ensemble(list(dg_svm(), 1))
    dg_ensemble(list(a = dg_svm(), a = dg_lm()))
    dg_ensemble(list(dg_svm(), dg_lm()), "best")
    dg_ensemble(list(dg_svm(), dg_lm()), c(1, -1))
    dg_ensemble(list(dg_svm(), dg_lm()), 1)
    fit(dg_ensemble(list(dg_svm(), dg_lm()), "stacked"), y ~ . | domain,
        data = toy[toy$domain == "d1", ])
    fit(dg_ensemble(list(dg_svm(), dg_lm(family = poisson()))), Species ~ Sepal.Length | site,
        data = transform(iris, site = gl(5, 1, 150)))
    predict(stacked_model, rows["x1"])
    update(dg_ensemble(list(dg_svm(), dg_lm())), price = 1)
  })
})

test_that("a model with landmarks is slim without their factor, and does the same", {
  spec <- dg_ridge(lambda = 1, feature_map = features_nystrom(60), scale = "both")
  whole <- with_seed(7, fit(spec, y ~ . | domain, data = toy))
  light <- slim(whole)
  size <- function(model) length(serialize(model, NULL))
  expect_lt(size(light), size(whole) - 0.9 * 8 * 60^2)
  expect_equal(predict(light, rows), predict(whole, rows), tolerance = 1e-8)
  expect_equal(predict(light, rows, type = "similarity"), predict(whole, rows, type = "similarity"))
  expect_equal(dg_cv(light)$mean, dg_cv(whole)$mean, tolerance = 1e-8)
  first <- rows[rows$domain == rows$domain[1L], ]
  expect_equal(predict(dg_adapt(light, first, first$y), first),
               predict(dg_adapt(whole, first, first$y), first), tolerance = 1e-6)
  expect_identical(slim(fit(dg_lm(), y ~ . | domain, data = toy))$coefficients,
                   fit(dg_lm(), y ~ . | domain, data = toy)$coefficients)
})

test_that("learners of other packages and of one's own are members, with categories as they ask", {
  skip_if_not_installed("ranger")
  skip_if_not_installed("lme4")
  school <- with_seed(8, transform(toy, kind = factor(sample(c("u", "v", "w"), nrow(toy), TRUE))))
  school$y <- school$y + (school$kind == "v")
  own <- learner_custom(function(x, y) stats::lm(y ~ ., cbind(x, y = y)),
                        function(object, x) stats::predict(object, x), needs = "data")
  members <- list(forest = dg_forest(trees = 20), mixed = dg_mixed(domain_means = TRUE),
                  mine = own, kernel = dg_ridge(kernel = kernel_mixed(), lambda = 1), svm = dg_svm())
  model <- with_seed(9, fit(dg_ensemble(members), y ~ . | domain, data = school))
  one <- with_seed(9, lapply(members, fit, y ~ . | domain, data = school))
  new <- transform(school[1:30, ], domain = factor(rep(c("d1", "zz"), 15)))
  alone <- suppressWarnings(sapply(one, predict, newdata = new))
  expect_equal(suppressWarnings(predict(model, new)), rowMeans(alone), tolerance = 1e-8)
  # known and new domains differ by the effect of d1
  expect_false(isTRUE(all.equal(alone[, "mixed"],
                                predict(one$mixed, transform(new, domain = "zz")))))
})

test_that("given weights go by the members' names, in any order", {
  members <- list(linear = dg_lm(), mean = dg_null())
  model <- fit(dg_ensemble(members, c(mean = 3, linear = 1)), y ~ . | domain, data = toy)
  expect_equal(coef(model), c(linear = 0.25, mean = 0.75))
  expect_error(dg_ensemble(members, c(mean = 3, lin = 1)),
               "names of the members, \"linear\", \"mean\", or none, not \"mean\", \"lin\"",
               class = "domgen_error_argument")
})

test_that("data among the arguments of an ensemble are refused with what to do", {
  members <- list(dg_lm(), dg_null())
  expect_error(dg_ensemble(members, y ~ . | domain, data = toy), "Give the data to fit\\(\\)",
               class = "domgen_error_argument")
  expect_error(dg_ensemble(members, x = toy[1:2], y = toy$y), "Give the data to fit\\(\\)",
               class = "domgen_error_argument")
  expect_error(dg_ensemble(members, member_weight = "equal", size = 3), "Unknown argument `size`",
               class = "domgen_error_argument")
})

test_that("that 0 and 1 are predicted as numbers is told once", {
  counted <- function(code) {
    told <- 0L
    withCallingHandlers(code, domgen_warning_two_values = function(w) {
      told <<- told + 1L
      invokeRestart("muffleWarning")
    })
    told
  }
  two <- transform(toy, y = as.numeric(y > mean(y)))
  expect_identical(counted(fit(dg_ensemble(three, "stacked"), y ~ . | domain, data = two)), 1L)
  expect_identical(counted(dg_auto(y ~ . | domain, data = two, n_members = 2, max_rows = 40)), 1L)
})

test_that("where the other domains have two of three classes, the third has probability 0", {
  three <- with_seed(10, {
    d <- toy_domains(4, 30)
    transform(d, y = factor(ifelse(domain == "d1" & x2 > 0, "c", ifelse(x1 > 0, "b", "a"))))
  })
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = three)),
                        list(response = "any", domain = TRUE), "none")
  held <- three$domain == "d1"
  for (spec in list(dg_lm(), dg_ridge(lambda = 1), dg_svm(calibration = "platt"))) {
    values <- values_without(spec, sample, !held, held)
    alone <- fit(spec, y ~ . | domain, data = droplevels(three[!held, ]))
    first <- if (spec$method == "dg_ridge") (1 - predict(alone, three[held, ], type = "decision")) / 2
             else predict(alone, three[held, ], type = "prob")[, 1L]
    expect_equal(values, cbind(first, 1 - first, 0), tolerance = 1e-8, ignore_attr = TRUE)
  }
})

test_that("what the folds of an ensemble warn of alike is one warning with its count", {
  toy <- toy_classes(4, 12)
  spec <- dg_ensemble(list(dg_pipeline(dg_dica(ncomp = 2), dg_lm()), dg_ridge(lambda = 1)))
  heard <- function(code) {
    messages <- character()
    withCallingHandlers(code, domgen_warning = function(w) {
      messages <<- c(messages, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    grep("`ncomp` is 2", messages, value = TRUE)
  }
  expect_length(heard(model <- fit(spec, y ~ . | domain, data = toy)), 1L)
  found <- heard(dg_cv(model))
  expect_length(found, 1L)
  single <- suppressWarnings(fit(dg_pipeline(dg_dica(ncomp = 2), dg_lm()), y ~ . | domain, data = toy))
  expect_length(heard(dg_effect(single, grid = 3, refits = TRUE)), 1L)
})

test_that("of warnings that are alike but for measured values the first is given", {
  heard <- list()
  value <- withCallingHandlers(reported_once({
    for (name in c("a", "b", "a")) warn("alone", "Alone: \"", name, "\".")
    for (i in 1:3) warn("rank", "Too few: 0.", i, ".")
    5
  }), domgen_warning = function(w) {
    heard[[length(heard) + 1L]] <<- w
    invokeRestart("muffleWarning")
  })
  expect_identical(value, 5)
  expect_identical(vapply(heard, conditionMessage, ""),
                   c("Alone: \"a\".", "Alone: \"b\".", "Too few: 0.1."))
  expect_identical(vapply(heard, function(w) class(w)[1], ""),
                   c("domgen_warning_alone", "domgen_warning_alone", "domgen_warning_rank"))
  # an error does not swallow what was said before it
  broken <- function() reported_once({
    warn("rank", "Too few.")
    stop("no")
  })
  expect_warning(expect_error(broken(), "no"), "Too few")
})
