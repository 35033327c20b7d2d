score_of <- function(name, ...) score(list(...), metrics[[name]])
two <- c("a", "b")
truth2 <- factor(c("a", "b", "b", "a", "b", "a", "a"), two)
guess2 <- factor(c("a", "b", "a", "b", "b", "a", "a"), two)
three <- c("p", "q", "r")
truth3 <- factor(c("p", "q", "r", "r", "q", "p", "r", "r"), three)
guess3 <- factor(c("p", "q", "r", "p", "p", "p", "r", "q"), three)

test_that("scores of numbers are the formulas", {
  y <- c(1, 4, -2, 8)
  f <- c(0.5, 5, -1, 6)
  expect_equal(score_of("rmse", truth = y, prediction = f), sqrt(sum((y - f)^2) / 4))
  expect_equal(score_of("rmse", truth = y * 1e200, prediction = f * 1e200),
               1e200 * sqrt(sum((y - f)^2) / 4))
  expect_identical(score_of("rmse", truth = y, prediction = y), 0)
  expect_equal(score_of("mae", truth = y, prediction = f), sum(abs(y - f)) / 4)
  expect_equal(score_of("r2", truth = y, prediction = f),
               1 - sum((y - f)^2) / sum((y - mean(y))^2))
  expect_identical(score_of("r2", truth = y, prediction = rep(mean(y), 4)), 0)
  expect_identical(score_of("r2", truth = c(3, 3), prediction = c(1, 2)), NA_real_)
  expect_identical(score_of("r2", truth = 3, prediction = 1), NA_real_)
  s <- c(1, 0.3, 2, 1.5)
  density <- exp(-(y - f)^2 / (2 * s^2)) / sqrt(2 * pi * s^2)
  expect_equal(score_of("log_density", truth = y, prediction = f, se = s), mean(log(density)))
})

test_that("scores of two classes are the formulas", {
  d <- list(truth = truth2, prediction = guess2)
  hit <- c(a = 3 / 4, b = 2 / 3)
  expect_equal(score(d, metrics$accuracy), 5 / 7)
  expect_equal(score(d, metrics$balanced_accuracy), mean(hit))
  expect_equal(score(d, metrics$gmean), sqrt(prod(hit)))
  precision <- 2 / 3
  recall <- 2 / 3
  expect_equal(score(d, metrics$f1), 2 * precision * recall / (precision + recall))
  none <- list(truth = truth2, prediction = factor(rep("a", 7), two))
  expect_identical(score(none, metrics$f1), 0)
  expect_identical(score(none, metrics$gmean), 0)
  f <- c(-1, 0.5, 0.5, 0.5, 2, 0, -1)
  pairs <- outer(f[truth2 == "b"], f[truth2 == "a"], function(b, a) (b > a) + (b == a) / 2)
  expect_equal(score_of("auc", truth = truth2, decision = f), mean(pairs))
  expect_identical(score_of("auc", truth = truth2, decision = replace(f, 2, NA)), NA_real_)
})

test_that("scores of more classes are the formulas, over the classes that are there", {
  d <- list(truth = truth3, prediction = guess3)
  hit <- c(p = 1, q = 1 / 2, r = 2 / 4)
  expect_equal(score(d, metrics$balanced_accuracy), mean(hit))
  expect_equal(score(d, metrics$gmean), prod(hit)^(1 / 3))
  precision <- c(p = 2 / 4, q = 1 / 2, r = 1)
  expect_equal(score(d, metrics$f1), mean(2 * precision * hit / (precision + hit)))
  # "r" is neither there nor predicted
  few <- lapply(d, function(v) v[truth3 != "r"])
  expect_equal(score(few, metrics$balanced_accuracy), mean(c(1, 1 / 2)))
  expect_equal(score(few, metrics$gmean), sqrt(1 / 2))
  expect_equal(score(few, metrics$f1), mean(c(2 * (2 / 3) / (2 / 3 + 1), 2 / 3)))
})

test_that("a class that is predicted and not there counts in F1", {
  d <- list(truth = factor(c("p", "p", "q", "q"), three),
            prediction = factor(c("p", "r", "q", "q"), three))
  expect_equal(score(d, metrics$f1), (2 / 3 + 1 + 0) / 3)
})

test_that("decision values that differ by rounding alone tell nothing apart", {
  constant <- -1 + 2e-16 * (seq_along(truth2) %% 3)
  expect_identical(score_of("auc", truth = truth2, decision = constant), 0.5)
})

test_that("the area under the curve of more classes is the mean over pairs that are there", {
  # Hand and Till, equation 7, by counting pairs of rows
  naive <- function(truth, f) {
    one <- function(i, j) {
      mean(outer(f[truth == i, i], f[truth == j, i], function(a, b) (a > b) + (a == b) / 2))
    }
    present <- unique(as.character(truth))
    pairs <- utils::combn(present, 2, function(ij) (one(ij[1], ij[2]) + one(ij[2], ij[1])) / 2)
    mean(pairs)
  }
  set.seed(4)
  classes <- letters[1:4]
  truth <- factor(sample(classes, 40, replace = TRUE), classes)
  # with ties, and a class that training lacked
  f <- matrix(round(rnorm(160), 1), 40, dimnames = list(NULL, classes))
  own <- cbind(1:40, as.integer(truth))
  f[own] <- round(f[own] + 1, 1)
  lacking <- f
  lacking[, "c"] <- -Inf
  for (values in list(f, lacking)) {
    expect_equal(score_of("auc", truth = truth, decision = values), naive(truth, values))
    few <- truth %in% c("b", "c", "d")
    expect_equal(score_of("auc", truth = truth[few], decision = values[few, ]),
                 naive(truth[few], values[few, ]))
  }
  two <- truth %in% c("a", "d")
  expect_equal(score_of("auc", truth = truth[two], decision = f[two, ]),
               naive(truth[two], f[two, ]))
  # of two classes with values of opposite sign the usual one
  g <- rnorm(7)
  expect_equal(area_under_curve(truth2, g), area_under_curve(truth2, cbind(-g, g)))
  one <- truth == "a"
  expect_identical(score_of("auc", truth = truth[one], decision = f[one, ]), NA_real_)
})

test_that("more than two classes have an area under the curve in every tool", {
  set.seed(6)
  toy <- toy_domains(6, 12)
  toy$y <- cut(toy$x1 + 0.5 * rnorm(nrow(toy)), c(-Inf, -0.5, 0.5, Inf), labels = three)
  toy$y[toy$domain == "d1" & toy$y == "r"] <- "p"
  toy$y[toy$domain == "d2"] <- "q"
  run <- function(spec) dg_cv(spec, y ~ . | domain, data = toy, metric = c("auc", "accuracy"))
  ridge <- dg_ridge(lambda = 1)
  for (spec in list(ridge, dg_svm(cost = 1), dg_svm(cost = 1, multiclass = "one_vs_rest"),
                    dg_null())) {
    result <- run(spec)
    expect_identical(is.na(result$domains$auc), levels(toy$domain) == "d2")
    expect_identical(colnames(result$predictions$decision), three)
    model <- fit(spec, y ~ . | domain, data = toy[toy$domain != "d3", ])
    expect_equal(result$predictions$decision[toy$domain == "d3", ],
                 predict(model, toy[toy$domain == "d3", ], type = "decision"), tolerance = 1e-6,
                 ignore_attr = TRUE)
  }
  expect_equal(run(dg_null())$domains$auc[-2], rep(0.5, 5))
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, metric = "auc", extend = FALSE,
                   grid = list(lambda = c(0.1, 1)))
  expect_equal(tuned$tuning$table$mean[2], run(ridge)$mean)
  compared <- dg_compare(list(ridge), y ~ . | domain, data = toy, metric = "auc",
                         refits = FALSE)
  expect_equal(compared$table$mean[2], run(ridge)$mean)
  # a class that one fold does not train on
  rare <- toy
  rare$y[toy$domain != "d3" & toy$y == "r"] <- "p"
  decision <- dg_cv(dg_ridge(), y ~ . | domain, data = rare, metric = "auc")$predictions$decision
  expect_true(all(decision[toy$domain == "d3", "r"] == -Inf))
  expect_identical(decision[toy$domain == "d3", "p"], -decision[toy$domain == "d3", "q"])
})

test_that("scores of probabilities are the formulas, for classes unknown in training too", {
  p <- c(0.1, 0.7, 0.4, 0.5, 1, 0, 0.2)
  d <- list(truth = truth2, prob = cbind(a = 1 - p, b = p))
  right <- ifelse(truth2 == "b", p, 1 - p)
  expect_equal(score(d, metrics$log_loss), -mean(log(right)))
  expect_equal(score(d, metrics$brier), mean((p - (truth2 == "b"))^2))
  prob <- rbind(c(0.5, 0.25, 0.25), diag(3), c(1, 0, 0), c(0.2, 0.3, 0.5), c(0, 0, 1), c(0, 1, 0))
  colnames(prob) <- three
  d <- list(truth = truth3, prob = prob)
  one_hot <- diag(3)[as.integer(truth3), ]
  expect_equal(score(d, metrics$brier), sum((prob - one_hot)^2) / 8)
  right <- pmax(prob[cbind(1:8, as.integer(truth3))], 1e-15)
  expect_equal(score(d, metrics$log_loss), -mean(log(right)))
  # columns in another order, and a class without a column
  expect_equal(score(list(truth = truth3, prob = prob[, 3:1]), metrics$brier),
               score(d, metrics$brier))
  lacking <- list(truth = truth3, prob = prob[, 1:2])
  padded <- list(truth = truth3, prob = cbind(prob[, 1:2], r = 0))
  for (name in c("brier", "log_loss")) {
    expect_equal(score(lacking, metrics[[name]]), score(padded, metrics[[name]]))
  }
})

test_that("a domain with one class has no score of both, and that is said once", {
  toy <- toy_classes(5, 20)
  toy$y[toy$domain == "d2"] <- "1"
  both <- c("auc", "balanced_accuracy", "gmean", "f1", "accuracy")
  result <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = both)
  for (name in both[1:4]) expect_identical(is.na(result$domains[[name]]),
                                           levels(toy$domain) == "d2")
  expect_false(anyNA(result$domains$accuracy))
  expect_equal(result$mean, mean(result$domains$auc[-2]))
  expect_equal(result$se, sd(result$domains$auc[-2]) / 2 * sqrt(1 + 1 / result$share))
  shown <- capture.output(print(result))
  expect_length(grep("1 domain without a score (a class is missing)", shown, fixed = TRUE), 1L)
  compared <- capture.output(print(dg_compare(list(dg_lm()), y ~ . | domain, data = toy,
                                              metric = "auc")))
  expect_length(grep("1 domain without a score", compared, fixed = TRUE), 1L)
  toy$y <- factor(ifelse(toy$domain %in% c("d1", "d2"), "1", "-1"), c("-1", "1"))
  conditions <- character()
  withCallingHandlers(nothing <- dg_cv(dg_null(), y ~ . | domain, data = toy, metric = "auc"),
                      domgen_warning_score = function(w) {
                        conditions <<- c(conditions, conditionMessage(w))
                        invokeRestart("muffleWarning")
                      })
  expect_length(conditions, 1L)
  expect_match(conditions, "no value in any domain: each lacks a class")
  expect_true(is.na(nothing$mean))
})

test_that("several metrics are those that each gives by itself", {
  toy <- toy_classes(4, 20)
  names <- c("log_loss", "auc", "accuracy", "brier", "f1", "gmean", "balanced_accuracy")
  together <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = names)
  expect_identical(together$domains$score, together$domains$log_loss)
  for (name in names) {
    alone <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = name)
    expect_identical(together$domains[[name]], alone$domains$score, label = name)
  }
  own <- metric_custom(function(truth, prediction) max(abs(truth - prediction)), title = "worst")
  mixed <- dg_cv(dg_lm(), y ~ . | domain, data = toy_domains(4, 15),
                 metric = list("mae", own, far = own))
  expect_named(mixed$domains, c("domain", "fold", "rows", "score", "mae", "worst", "far"))
  expect_identical(mixed$domains$worst, mixed$domains$far)
  expect_output(print(mixed), "worst: ")
})

test_that("a Gaussian process is judged by its predictive density, the null model by its own", {
  toy <- toy_domains(4, 12)
  spec <- dg_gp(optimise = FALSE)
  result <- dg_cv(spec, y ~ . | domain, data = toy, metric = "log_density")
  g <- toy$domain == "d2"
  model <- fit(spec, y ~ . | domain, data = toy[!g, ])
  found <- predict(model, toy[g, ], se.fit = TRUE)
  by_hand <- dnorm(toy$y[g], found$fit, sqrt(found$se.fit^2 + found$residual.scale^2), log = TRUE)
  expect_equal(result$domains$score[2], mean(by_hand), tolerance = 1e-8)
  null <- dg_cv(dg_null(), y ~ . | domain, data = toy, metric = "log_density")
  others <- toy$y[!g]
  spread <- sqrt(mean((others - mean(others))^2))
  expect_equal(null$domains$score[2], mean(dnorm(toy$y[g], mean(others), spread, log = TRUE)))
  chained <- dg_cv(dg_pipeline(dg_kpca(), spec), y ~ . | domain, data = toy, metric = "log_density")
  expect_true(all(is.finite(chained$domains$score)))
  expect_domgen_error(dg_cv(dg_svm(), y ~ . | domain, data = toy, metric = "log_density"),
                      "must not be \"log_density\" for `dg_svm\\(\\)`")
})

test_that("a score of one's own gets what it asks for", {
  toy <- toy_classes(4, 20)
  run <- function(fun, ...) {
    dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = metric_custom(fun, ...))
  }
  expect_equal(run(function(truth, prediction) mean(truth == prediction), "high")$domains$score,
               dg_cv(dg_lm(), y ~ . | domain, data = toy)$domains$score)
  expect_equal(run(function(decision, truth) area_under_curve(truth, decision),
                   "high")$domains$score,
               dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "auc")$domains$score)
  expect_equal(run(function(prob, truth) -mean(log(prob[cbind(seq_along(truth), truth)])))$mean,
               dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "log_loss")$mean)
  # arguments of other names are taken in their order
  expect_equal(run(function(y, f) mean(y != f))$mean,
               1 - dg_cv(dg_lm(), y ~ . | domain, data = toy)$mean)
  expect_named(run(function(...) length(list(...)))$metrics, "own score")
  expect_equal(run(function(...) length(list(...)))$mean, 3)
  # NA is no score, of either type
  only_large <- function(truth, prediction) if (length(truth) > 20) 1 else NA
  scores <- run(only_large)$domains
  expect_identical(is.na(scores$score), scores$rows <= 20)
  expect_output(print(metric_custom(mean, "high", "mine")), "A metric: mine, higher is better")
})

test_that("a metric that does not fit is refused", {
  toy <- toy_domains(4, 10)
  labels <- toy_classes(4, 10)
  many <- transform(labels, y = factor(rep_len(c("a", "b", "c"), nrow(labels))))
  run <- function(metric, data = toy, spec = dg_lm()) {
    dg_cv(spec, y ~ . | domain, data = data, metric = metric)
  }
  expect_refusals({
    run("accuracy")
    run("rmse", labels)
    run("nothing")
    run(NA)
    run(3)
    run(character())
    run(mean)
    run(list("rmse", 3))
    run(c("rmse", "brier"))
    run(c(rows = "rmse"))
    run("brier", labels, dg_svm())
    run(metric_custom(function(truth, prob) 1))
    run(metric_custom(function(truth, prediction) c(1, 2)))
    run(metric_custom(function(truth, prediction) "good"))
    metric_custom()
    metric_custom("rmse")
    metric_custom(mean, "up")
  })
})

test_that("a score of one's own says what is wrong with it", {
  slip <- function(truth, pred) mean(abs(truth - pred))
  expect_domgen_error(metric_custom(slip), "`fun` must be a function of.*not of `pred`",
                      "domgen_error_argument")
  expect_domgen_error(metric_custom(mean, title = NULL), "`title` must be one string",
                      "domgen_error_argument")
  toy <- toy_domains(4, 8)
  boom <- metric_custom(function(truth, prediction) stop("boom"), title = "mine")
  expect_domgen_error(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = boom),
                      "`metric` \\(mine\\) fails on the rows of \"d1\": boom",
                      "domgen_error_argument")
  # by place
  expect_equal(dg_cv(dg_lm(), y ~ . | domain, data = toy,
                     metric = metric_custom(function(a, b) mean((a - b)^2)))$mean,
               mean(dg_cv(dg_lm(), y ~ . | domain, data = toy)$domains$score^2))
})

test_that("a deviance without its family is pointed to it", {
  for (metric in list("deviance", c("rmse", "deviance"))) {
    expect_domgen_error(dg_cv(dg_null(), y ~ x, data = data.frame(x = 1:4, y = 1:4),
                              domain = c(1, 1, 2, 2), metric = metric), "metric_deviance")
  }
})

test_that("metrics that c() took apart are an error that says how to write them", {
  toy <- toy_domains(4, 8)
  own <- metric_custom(function(truth, prediction) 1)
  for (metric in list(c("rmse", own), c(own, "rmse"), c(own, own))) {
    expect_domgen_error(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = metric),
                        "not `c\\(\\)`, which takes them apart")
  }
  expect_length(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = list("rmse", own))$metrics, 2L)
})

test_that("areas of all groups at once are those of each group, in any order of rows and levels", {
  groups <- factor(rep_len(letters[1:6], 80), levels = c("f", "a", "c", "b", "e", "d", "none"))
  d <- with_seed(1, list(truth = factor(sample(c("no", "yes"), 80, TRUE)),
                         decision = round(rnorm(80), 1)))
  d$truth[groups == "b"] <- "no"
  d$decision[which(groups == "c")[2]] <- NA
  d$decision[which(groups == "e")[1:2]] <- c(Inf, -Inf)
  alone <- vapply(split(seq_along(groups), groups), function(i) {
    f <- d$decision[i]
    above <- outer(f[d$truth[i] == "yes"], f[d$truth[i] == "no"],
                   function(a, b) (a > b) + (a == b) / 2)
    if (length(above)) mean(above) else NA
  }, 0)
  expect_equal(score_groups(d, groups, metrics$auc), alone)
  expect_identical(unname(is.na(alone[c("b", "c", "none")])), c(TRUE, TRUE, TRUE))
})

test_that("a domain with a class that its training domains lack has no log loss, on every road", {
  folds <- c(a = 1, b = 1, c = 2, d = 2, e = 3, f = 3)
  # classes a, b in all domains, c in one of them, or in both of a fold; or c against the others
  draw <- function(seed) with_seed(seed, {
    d <- data.frame(domain = rep(names(folds), each = 15), x = rnorm(90))
    d$y <- factor(sample(c("a", "b"), 90, TRUE), c("a", "b", "c"))
    own <- names(folds)[folds == sample(3, 1L)][seq_len(sample(2, 1L))]
    for (g in own) d$y[sample(which(d$domain == g), 2L)] <- "c"
    if (seed %% 2 == 0) d$y <- factor(ifelse(d$y == "c", "c", "other"), c("other", "c"))
    list(d = d, own = own, models = if (seed %% 2) c("glm", "null") else "null")
  })
  formula <- y ~ x | domain
  of_domains <- function(found) stats::setNames(found$score, found$domain)
  of_measure <- function(found, measure) {
    found <- found$domains[found$domains$measure == measure, ]
    stats::setNames(found$estimate, found$domain)
  }
  models <- list(glm = dg_glm(lambda = 1), null = dg_null())
  for (seed in seq_len(if (long_form()) 12 else 2)) {
    drawn <- draw(seed)
    d <- drawn$d
    others <- setdiff(names(folds), drawn$own)
    three <- nlevels(d$y) == 3L
    # written out: frequencies of the classes in the other folds
    naive <- vapply(others, function(g) {
      share <- prop.table(table(d$y[folds[d$domain] != folds[g]]))
      mean(-log(share[as.character(d$y[d$domain == g])]))
    }, 0)
    runs <- lapply(models[drawn$models], function(model) {
      quietly(dg_cv(model, formula, data = d, folds = folds, metric = c("log_loss", "brier")))
    })
    null <- runs$null
    expect_equal(of_domains(null$domains)[others], naive)
    expect_false(anyNA(null$domains$brier))
    expect_equal(c(null$mean, null$overall), rep(mean(naive), 2))
    said <- paste(capture.output(print(null)), collapse = " ")
    expect_match(said, paste0("\"", drawn$own[1L], "\""))
    expect_match(said, "a class that training lacks")
    source <- quietly(dg_cv(dg_null(), formula, data = row_source(d), folds = folds,
                            metric = "log_loss"))
    expect_equal(source[c("mean", "overall")], null[c("mean", "overall")])
    compared <- quietly(dg_compare(models[drawn$models], formula, data = d, folds = folds,
                                   metric = "log_loss"))
    expect_true(is.finite(compared$table$mean[1L]))
    validated <- lapply(runs, dg_validate, class = "c")
    # of the event "a" no class is lacking
    if (three) expect_false(anyNA(of_measure(dg_validate(null, class = "a"), "log_loss")))
    expect_match(paste(validated[[1L]]$notes, collapse = " "), paste0("\"", drawn$own[1L], "\""))
    auto <- quietly(dg_auto(formula, data = d, folds = folds, metric = "log_loss", n_members = 1,
                            seed = 1))
    roads <- c(
      lapply(runs, function(run) of_domains(run$domains)),
      lapply(validated, of_measure, "log_loss"),
      list(source = of_domains(source$domains), compared = compared$scores[, 1L],
           auto = auto$choice$scores[, 1L], any = auto$choice$scores[, ncol(auto$choice$scores)],
           importance = of_domains(quietly(dg_importance(
             models[[drawn$models[1L]]], formula, data = d, folds = folds, metric = "log_loss",
             permutations = 2))$scores))
    )
    if (three) {
      for (updates in c("adapt", "local")) {
        shots <- quietly(dg_cv(dg_glm(lambda = 1), formula, data = d, folds = folds, shots = 3,
                               metric = "log_loss", updates = updates))$shot_scores
        roads <- c(roads, list(shots[, 1L], shots[, 2L]))
      }
      ensemble <- dg_ensemble(models, member_weights = "stacked")
      roads$ensemble <- of_domains(quietly(dg_cv(ensemble, formula, data = d, folds = folds,
                                                 metric = "log_loss"))$domains)
    }
    for (road in roads) {
      expect_identical(unname(is.na(road[names(folds)])), names(folds) %in% drawn$own)
      expect_lt(max(road, na.rm = TRUE), 5)
    }
    # the odds of the class are 0 in all domains of the fold
    for (found in validated) {
      intercepts <- of_measure(found, "intercept")[names(folds)]
      expect_true(all(is.na(intercepts[folds == folds[drawn$own[1L]]])))
    }
    expect_true(all(is.finite(auto$choice$expected$mean)))
    # the closed form knows the class, which the other domains do not
    if (length(drawn$own) == 1L) {
      closed <- quietly(dg_cv(dg_glm(formula, data = d, lambda = 1), metric = "log_loss"))
      expect_identical(closed$domains$domain[is.na(closed$domains$score)], drawn$own)
      site <- of_measure(dg_validate(closed, class = "c"), "log_loss")
      expect_identical(names(site)[is.na(site)], drawn$own)
    }
  }
  tuned <- quietly(dg_tune(dg_glm(), formula, data = draw(1)$d, metric = "log_loss",
                           grid = list(lambda = c(0.1, 10))))
  expect_length(tuned$tuning$table$mean, 2L)
  expect_true(all(is.finite(tuned$tuning$table$mean)))
})

test_that("forecasts of log loss rest on the sites whose classes training had", {
  d <- with_seed(1, data.frame(domain = rep(letters[1:10], each = 12), x = rnorm(120)))
  d$y <- with_seed(2, factor(sample(c("a", "b"), 120, TRUE), c("a", "b", "c")))
  d$y[d$domain == "d"][1:2] <- "c"
  found <- quietly(dg_forecast(dg_glm(y ~ x | domain, data = d, lambda = 1),
                               data.frame(x = 1:3, domain = "new"), metric = "log_loss",
                               permutations = 19))
  expect_setequal(found$left_out$domain, setdiff(letters[1:10], "d"))
  expect_lt(max(found$left_out$score), 2)
})

test_that("a domain with all rows many times has the score of these rows", {
  # products of more than 46,340 rows are no integers
  d <- with_seed(1, list(truth = factor(sample(c("no", "yes"), 100, TRUE)), decision = rnorm(100)))
  d$prob <- cbind(no = plogis(-d$decision), yes = plogis(d$decision))
  d$prediction <- factor(ifelse(d$decision > 0, "yes", "no"))
  of_class <- Filter(function(metric) {
    "class" %in% metric$kind && !identical(metric$needs, "interval")
  }, metrics)
  often <- rep(seq_len(100), 1100)
  expect_no_warning(many <- vapply(of_class, function(metric) score(lapply(d, take, often), metric),
                                   0))
  expect_true("auc" %in% names(many))
  expect_equal(many, vapply(of_class, function(metric) score(d, metric), 0))
  site <- list(y = as.integer(d$truth) - 1L, p = d$prob[, "yes"], score = d$decision)
  at <- list(site = site, many = lapply(site, take, often))
  expect_no_warning(for (measure in measures$class) {
    found <- lapply(at, measure$of, threshold = 0.5)
    expect_equal(found$many$estimate, found$site$estimate, tolerance = 1e-6)
    if (is.null(found$site$information)) next
    # proportional to the number of rows, but for that of pairs of small sites
    gain <- found$many$information(0.3, 1) / found$site$information(0.3, 1)
    expect_equal(gain / 1100, 1, tolerance = 0.05)
  })
})

test_that("metrics are asked for in any case, and by the names of other packages", {
  for (ours in names(metrics)) {
    kind <- metrics[[ours]]$kind[1]
    choices <- names(Filter(function(m) kind %in% m$kind, metrics))
    for (said in c(toupper(ours), gsub("_", "-", ours), gsub("_", " ", ours), same_metrics[[ours]])) {
      expect_identical(check_metric_name(said, choices), ours, info = said)
    }
  }
  # ours is printed
  cv <- dg_cv(dg_lm(), uptake ~ conc | Plant, data = CO2, folds = 3,
              metric = c("RMSE", "neg_mean_absolute_error", "Score" = "r2_score"))
  expect_identical(names(cv$metrics), c("rmse", "mae", "Score"))
  expect_identical(dg_tune(dg_ridge(), metric = "MAE")$args$metric, "mae")
})

test_that("a name of another measure is an error that says which is near", {
  expect_domgen_error(dg_cv(dg_lm(), uptake ~ conc | Plant, data = CO2, metric = "rsq"),
                      "use \"r2\", not \"rsq\"")
  for (near in names(other_metrics)) {
    expect_domgen_error(check_metric_name(near, names(metrics)), "must be one of ours")
    use <- other_metrics[[near]][1]
    if (!grepl("(", use, fixed = TRUE)) expect_true(use %in% names(metrics), info = use)
    expect_false(near %in% unlist(same_metrics))
  }
  # the same with two classes only
  for (name in names(same_of_two)) {
    expect_true(check_metric_name(name, names(metrics), 2L) %in% names(metrics))
    expect_domgen_error(check_metric_name(name, names(metrics), 3L), "two classes|must be one of")
  }
  expect_domgen_error(dg_cv(dg_lm(), uptake ~ conc | Plant, data = CO2, metric = "AUC"),
                      "must be one of \"rmse\"")
})

test_that("a metric of another kind of response is an error that says which kind", {
  numbers <- names(Filter(function(m) "number" %in% m$kind, metrics))
  classes <- names(Filter(function(m) "class" %in% m$kind, metrics))
  for (name in setdiff(classes, numbers)) {
    expect_domgen_error(check_metric_name(toupper(name), numbers),
                        paste0("not \"", toupper(name), "\", which is for classes: factor\\(\\)"))
  }
  for (name in setdiff(numbers, classes)) {
    expect_domgen_error(check_metric_name(name, classes), "which is for a number\\.$")
  }
  # of choices that leave out some of classes: nothing of the response
  error <- tryCatch(check_metric_name("auc", "accuracy"), error = conditionMessage)
  expect_no_match(error, "which is for")
  expect_domgen_error(dg_cv(dg_lm(), uptake ~ conc | Plant, data = CO2, metric = "AUC"),
                      "which is for classes")
})

test_that("a domain without an R squared says why", {
  some <- rbind(CO2[CO2$Plant %in% c("Qn1", "Qn2", "Qn3"), ], CO2[CO2$Plant == "Qc1", ][1, ])
  expect_output(print(dg_cv(dg_lm(), uptake ~ conc | Plant, data = some, metric = "r2")),
                "1 domain without a score \\(a single value of the response\\)")
})
