toy <- toy_domains(4, 15)
n <- nrow(toy)
classes <- transform(iris, site = factor(rep_len(c("a", "b", "c", "d"), 150)))
two <- droplevels(subset(classes, Species != "setosa"))

# Least squares and logistic regression as a user has them.
squares <- function(...) {
  learner_custom(function(x, y, weights) lm(y ~ ., data.frame(x, y = y), weights = weights),
                 predict, title = "Least squares", ...)
}
logit <- function(...) {
  learner_custom(function(x, y) suppressWarnings(glm(y ~ ., binomial, data.frame(x, y = y))),
                 function(object, x) unname(predict(object, x, type = "response")),
                 title = "Logit", ...)
}
# Shares of the classes, with probabilities, or the class that they say.
shares <- function(give) {
  learner_custom(function(x, y) list(p = table(y) / length(y), x = x), give, title = "Shares")
}
seen <- function(x, y, ...) list(x = x, y = y, ...)

test_that("two functions are a learner, with the numbers that they give", {
  model <- fit(squares(), y ~ . | domain, data = toy)
  direct <- lm(y ~ . - domain, toy)
  expect_equal(predict(model, toy), unname(fitted(direct)))
  expect_equal(coef(model), coef(direct))
  expect_equal(residuals(model), unname(residuals(direct)))
  expect_output(print(model), "Least squares.*63 rows.*an object of class \"lm\"")
  expect_output(print(squares()), "fit +a function")
  expect_identical(tidy(model)$parameter[1], "title")
  expect_identical(augment(model, toy)$.fitted, predict(model, toy))
})

test_that("domains of an ordered factor are handed over without their order", {
  ordered <- transform(toy, domain = factor(domain, ordered = TRUE))
  spec <- learner_custom(function(x, y, domain) list(domain = domain),
                         function(object, x, domain) rep(1 * is.ordered(domain), nrow(x)))
  model <- fit(spec, y ~ . | domain, data = ordered)
  expect_identical(model$engine$object$domain, factor(toy$domain))
  expect_identical(predict(model, ordered), numeric(n))
})

test_that("weights are the costs of the rows, and rows without weight are left out", {
  w <- rep_len(c(0, 1, 2), n)
  spec <- squares(domain_weights = "equal")
  n_g <- ave(w, toy$domain, FUN = sum)
  costs <- w * sum(w) / (4 * n_g)
  expect_equal(coef(fit(spec, y ~ . | domain, data = toy, weights = w)),
               coef(lm(y ~ . - domain, toy, weights = costs)))
  rows <- fit(learner_custom(function(x, y, weights, domain) seen(x, y, w = weights, d = domain),
                             function(object, x) numeric(nrow(x))),
              y ~ . | domain, data = toy, weights = w)$engine$object
  expect_identical(rows$w, w[w > 0])
  expect_identical(rows$y, toy$y[w > 0])
  expect_identical(as.character(rows$d), as.character(toy$domain[w > 0]))
  expect_error(fit(logit(), Species ~ . | site, data = two, weights = 1:100),
               "Unknown argument `weights`", class = "domgen_error")
  expect_error(logit(domain_weights = "equal"), "must be \"size\" for a `fit` without an argument",
               class = "domgen_error")
})

test_that("numbers come as the blueprint reads and scales them, data as numbers and factors", {
  d <- mixed_data()
  keep <- function(...) learner_custom(seen, function(object, x) rep(0, nrow(x)), ...)
  model <- fit(keep(), y ~ x + size + flag | site, data = d)
  expect_equal(as.matrix(model$engine$object$x),
               model.matrix(~ x + size + flag, d)[, -1], ignore_attr = "dimnames")
  scaled <- fit(keep(scale = "both"), y ~ x + z | site, data = d)$engine$object$x
  expect_equal(scaled$x, c(scale(d$x)))
  expect_equal(scaled$z.domain, ave(d$z, d$site, FUN = function(v) (v - mean(v)) / sd(v)))
  whole <- fit(keep(needs = "data", domain_means = TRUE),
               y ~ x + size + grade + colour + flag | site, data = d)$engine$object$x
  expect_identical(whole$size, d$size)
  expect_identical(whole$grade, d$grade)
  expect_identical(whole$colour, factor(d$colour))
  expect_identical(whole$flag, factor(d$flag))
  expect_identical(whole$x, d$x)
  expect_equal(whole$x.mean, ave(d$x, d$site))
  expect_identical(names(whole), c("x", "x.mean", "size", "grade", "colour", "flag"))
})

test_that("factors may be all there is, but not part of an interaction", {
  d <- mixed_data()
  spec <- learner_custom(function(x, y) lm(y ~ ., data.frame(x, y = y)), predict, needs = "data",
                         scale = "both", domain_means = TRUE)
  model <- fit(spec, y ~ size | site, data = d)
  expect_equal(predict(model, d), unname(fitted(lm(y ~ size, d))))
  expect_error(fit(spec, y ~ x * size | site, data = d),
               "interactions of predictors that a learner takes as factors; leave out `x:size`.$",
               class = "domgen_error_argument")
  # a matrix has numbers only
  X <- as.matrix(d[c("x", "z")])
  expect_equal(predict(fit(update(spec, scale = "none", domain_means = FALSE), X, d$y), X),
               unname(fitted(lm(d$y ~ X))))
})

test_that("new rows come with the factors of training, and new levels are missing", {
  d <- mixed_data()
  spec <- learner_custom(function(x, y) lm(y ~ ., cbind(x, y = y)), predict, needs = "data")
  model <- fit(spec, y ~ x + size + grade + colour | site, data = d)
  direct <- lm(y ~ x + size + grade + colour, d)
  new <- d[c(5, 2, 9), ]
  expect_equal(predict(model, new), unname(predict(direct, new)))
  new$size <- as.character(new$size)
  expect_equal(predict(model, new[2, ]), unname(predict(direct, new[2, ])))
  new$size[2] <- "vast"
  expect_warning(expect_warning(found <- predict(model, new), class = "domgen_warning_missing"),
                 "level that training did not have, \"vast\"", class = "domgen_warning_new_level")
  expect_identical(is.na(found), c(FALSE, TRUE, FALSE))
  expect_error(predict(model, new, new_levels = "error"), "vast", class = "domgen_error_data")
  # so do categories that the formula makes
  d$count <- pmin(d$count, 5)
  model <- fit(spec, y ~ x + factor(count) + flag | site, data = d)
  expect_equal(predict(model, d), unname(fitted(lm(y ~ x + factor(count) + flag, d))))
  expect_warning(expect_warning(found <- predict(model, transform(d[1:3, ], count = c(1, 77, 2))),
                                class = "domgen_warning_missing"), "77")
  expect_identical(is.na(found), c(FALSE, TRUE, FALSE))
})

test_that("classes may be labels, probabilities or that of the second of two", {
  direct <- suppressWarnings(glm(Species ~ . - site, binomial, two))
  model <- fit(logit(), Species ~ . | site, data = two)
  p <- unname(fitted(direct))
  expect_equal(predict(model, two, type = "prob"), cbind(versicolor = 1 - p, virginica = p))
  expect_equal(predict(model, two, type = "decision"), 2 * p - 1)
  expect_identical(predict(model, two), factor(levels(two$Species)[1 + (p > 0.5)]))

  given <- list(
    matrix = function(object, x) {
      cbind(virginica = x$Petal.Width, setosa = 5, versicolor = 1) / (x$Petal.Width + 6)
    },
    frame = function(object, x) {
      as.data.frame(cbind(virginica = x$Petal.Width, setosa = 5, versicolor = 1) /
                      (x$Petal.Width + 6))
    })
  for (give in given) {
    model <- fit(shares(give), Species ~ . | site, data = classes)
    P <- cbind(setosa = 5, versicolor = 1, virginica = classes$Petal.Width)
    expect_equal(predict(model, classes, type = "prob"), P / rowSums(P))
    expect_equal(predict(model, classes, type = "decision"), P / rowSums(P))
    expect_true(all(predict(model, classes) == "setosa"))
  }

  guess <- function(object, x) ifelse(x$Petal.Width < 0.8, "setosa", "virginica")
  expected <- factor(guess(NULL, classes), levels(iris$Species))
  for (give in list(guess, function(object, x) factor(guess(object, x)))) {
    model <- fit(shares(give), Species ~ . | site, data = classes)
    expect_identical(predict(model, classes), expected)
    expect_equal(unname(predict(model, classes, type = "decision")),
                 outer(as.character(expected), levels(expected), "==") + 0)
    expect_error(predict(model, classes, type = "prob"), "calibration = \"platt\"",
                 class = "domgen_error")
  }
})

test_that("a prediction of another kind is an error that says what was expected", {
  refused <- function(give, data = two, formula = Species ~ . | site) {
    tryCatch({
      fit(shares(give), formula, data = data)
      "none"
    }, domgen_error_learner = conditionMessage)
  }
  expect_match(refused(function(object, x) 1:3), "Shares: `predict` must return for each of 100")
  expect_match(refused(function(object, x) 1:3), "not a numeric vector of length 3")
  expect_match(refused(function(object, x) rep(2, nrow(x))), "not numbers from 2 to 2")
  expect_match(refused(function(object, x) rep("c", nrow(x))), "a class .*, not \"c\"")
  expect_match(refused(function(object, x) rep(c(NA, "virginica"), 50)), "not NA in 50 rows")
  expect_match(refused(function(object, x) matrix(0.5, nrow(x), 2)), "not 2 columns without names")
  wrong <- function(...) function(object, x) matrix(c(...), nrow(x), 2, byrow = TRUE,
                                                    dimnames = list(NULL, levels(two$Species)))
  expect_match(refused(wrong(0.5, 0.6)), "not rows that sum to 1.1")
  expect_match(refused(wrong(-1, 2)), "not numbers from -1 to 2")
  expect_match(refused(wrong(NaN, 1)), "not NaN in 100 rows")
  expect_match(refused(function(object, x) 1:150 / 150, classes), "a matrix of probabilities")
  expect_match(refused(function(object, x) list(1)), "not an object of class \"list\"")
  number <- function(give) refused(give, toy, y ~ . | domain)
  expect_match(number(function(object, x) rep_len(c(1, NA), nrow(x))), "63 finite numbers, not NA in 31 rows")
  expect_match(number(function(object, x) "a"), "finite numbers, not \"a\"")
  # the rows as they are asked for decide
  turns <- function(object, x) if (nrow(x) > 99) rep("virginica", nrow(x)) else rep(0.5, nrow(x))
  model <- fit(shares(turns), Species ~ . | site, data = two)
  expect_error(predict(model, two[1:3, ]), "the same type for all rows", class = "domgen_error_learner")
})

test_that("an error inside a function is given on with the learner's title", {
  bad <- learner_custom(function(x, y) stop("no luck"), predict, title = "Mine")
  expect_error(fit(bad, y ~ . | domain, data = toy), "^Mine: `fit` failed: no luck$",
               class = "domgen_error_learner")
  expect_error(dg_cv(bad, y ~ . | domain, data = toy), "Mine: `fit` failed: no luck",
               class = "domgen_error")
  late <- learner_custom(seen, function(object, x) if (nrow(x) > 10) x[[1]] else stop("too few"))
  model <- fit(late, y ~ . | domain, data = toy)
  expect_error(predict(model, toy[1:3, ]), "Custom learner: `predict` failed: too few")
})

test_that("arguments are checked, and errors say what to do", {
  f <- function(x, y, k = 5) NULL
  p <- function(object, x) numeric(nrow(x))
  expect_error(learner_custom(), "`fit` must be given")
  expect_error(learner_custom(f), "`predict` must be given")
  expect_error(learner_custom(1, p), "`fit` must be a function, not 1")
  expect_error(learner_custom(function(x) 1, p), "at least two arguments")
  expect_error(learner_custom(f, function(object, x, z) 1), "but not of `z`")
  expect_error(learner_custom(f, p, l = 3), "Unknown argument `l`")
  expect_error(learner_custom(f, p, 3), "must be named")
  sums <- feature_sums(y ~ . | domain, data = toy, feature_map = features_rff(10))
  expect_error(fit(learner_custom(f, p), sums), "must be data for `learner_custom\\(\\)`")
  expect_error(learner_custom(f, p, data = iris), "Give the data to fit\\(\\)")
  expect_error(learner_custom(function(x, y, scale) 1, p), "must not have an argument called `scale`")
  expect_error(learner_custom(f, p, needs = "all"), "`needs` must be one of")
  expect_error(learner_custom(f, p, title = 3), "`title` must be one string")
  expect_error(learner_custom(f, p, domain_means = NA), "TRUE or FALSE")
  model <- fit(learner_custom(f, p), y ~ . | domain, data = toy)
  expect_error(coef(model), "has no coefficients", class = "domgen_error")
  expect_error(dg_cv(model, refit = FALSE), "no closed form of", class = "domgen_error")
  expect_error(predict(model, toy, type = "similarity"), "no kernel", class = "domgen_error")
  expect_error(dg_adapt(model, toy, toy$y), "must be a fitted", class = "domgen_error")
  expect_error(dg_pipeline(dg_dica(), learner_custom(f, p, domain_means = TRUE)), "`domain_means` must be FALSE")
})

test_that("arguments of fit are the learner's own: given, changed, tuned and shown", {
  slope <- learner_custom(function(x, y, shrink = 1, with.dot = "a") {
    list(b = shrink * cov(x[[1]], y) / var(x[[1]]), m = mean(y) - 0, dot = with.dot, s = shrink)
  }, function(object, x, shrink) object$m + object$b * x[[1]] + 0 * shrink)
  model <- fit(slope, y ~ x1 | domain, data = toy)
  expect_identical(model$engine$object$s, 1)
  expect_output(print(model), "shrink +1\n +with.dot +a")
  expect_identical(update(slope, shrink = 3)$args$shrink, 3)
  expect_identical(fit(update(slope, with.dot = "b"), y ~ x1 | domain, data = toy)$engine$object$dot,
                   "b")
  changed <- update(model, shrink = 2)
  expect_identical(changed$engine$object$s, 2)
  tuned <- dg_tune(slope, y ~ x1 | domain, data = toy, grid = list(shrink = c(0, 1, 50)),
                   extend = FALSE)
  scores <- vapply(c(0, 1, 50), function(k) {
    dg_cv(update(slope, shrink = k), y ~ x1 | domain, data = toy, refits = FALSE)$mean
  }, 0)
  expect_equal(tuned$tuning$table$mean, scores)
  expect_identical(tuned$tuning$best$shrink, c(0, 1, 50)[which.min(scores)])
  expect_error(dg_tune(slope, y ~ x1 | domain, data = toy), "no default grid")
  open <- learner_custom(function(x, y, ...) seen(x, y, ...), function(object, x) numeric(nrow(x)),
                         anything = 7)
  expect_identical(fit(open, y ~ . | domain, data = toy)$engine$object$anything, 7)
})

test_that("predict sees the domains that the new data say, and does not need them", {
  own <- learner_custom(
    function(x, y, domain) list(of = tapply(y, domain, mean), all = mean(y)),
    function(object, x, domain) {
      if (is.null(domain)) return(rep(object$all, nrow(x)))
      found <- object$of[match(as.character(domain), names(object$of))]
      ifelse(is.na(found), object$all, found)
    })
  model <- fit(own, y ~ . | domain, data = toy)
  expect_equal(fitted(model), ave(toy$y, toy$domain))
  expect_equal(predict(model, toy), fitted(model))
  expect_equal(predict(model, toy[c(20, 3), ]), fitted(model)[c(20, 3)])
  expect_equal(predict(model, toy[setdiff(names(toy), "domain")]), rep(mean(toy$y), n))
    bare <- toy[names(toy) != "domain"]
  expect_equal(predict(model, bare), rep(mean(toy$y), n))
  expect_equal(predict(model, bare, domain = "d2"), rep(mean(toy$y[toy$domain == "d2"]), n))
  holes <- toy
  holes$domain[1:15] <- NA
  expect_silent(found <- predict(model, holes))
  expect_equal(found, ifelse(is.na(holes$domain), mean(toy$y), fitted(model)))
  # a domain that is left out is not known
  cv <- dg_cv(own, y ~ . | domain, data = toy, refits = FALSE)
  null <- dg_cv(dg_null(), y ~ . | domain, data = toy, refits = FALSE)
  expect_equal(cv$domains$score, null$domains$score)
  behind <- fit(dg_pipeline(dg_kpca(ncomp = 2), own), y ~ . | domain, data = toy)
  expect_equal(predict(behind, toy), fitted(model))
  expect_equal(predict(behind, bare), rep(mean(toy$y), n))
  # an argument without a default makes a domain necessary
  expect_error(fit(own, y ~ x1, data = toy), "A domain is needed", class = "domgen_error_data")
  free <- learner_custom(function(x, y, domain = NULL) nlevels(domain), function(object, x) {
    rep(object, nrow(x))
  })
  expect_identical(unique(predict(fit(free, y ~ x1, data = toy))), 1)
})

test_that("it stands in comparisons, chains and calibration", {
  compared <- dg_compare(list(mine = squares(), lm = dg_lm()), y ~ . | domain, data = toy,
                         refits = FALSE)
  expect_equal(compared$scores[, "mine"], compared$scores[, "lm"])
  behind <- fit(dg_pipeline(dg_kpca(ncomp = 2), squares()), y ~ . | domain, data = toy)
  theirs <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_lm()), y ~ . | domain, data = toy)
  expect_equal(predict(behind, toy), predict(theirs, toy))
  set.seed(3)
  noisy <- transform(two, Species = factor(ifelse(runif(100) < 0.2, rev(as.character(Species)),
                                                  as.character(Species))))
  model <- fit(logit(calibration = "platt"), Species ~ . | site, data = noisy)
  P <- predict(model, noisy, type = "prob")
  expect_equal(P[, 2], calibrated(model$calibration$maps[[1]], predict(model, noisy, type = "decision")), tolerance = 1e-6)
  expect_output(print(model), "Platt scaling")
  scores <- dg_cv(logit(), Species ~ . | site, data = noisy, metric = "log_loss", refits = FALSE)
  expect_true(is.finite(scores$mean))
  plain <- shares(function(object, x) rep("virginica", nrow(x)))
  expect_error(dg_cv(plain, Species ~ . | site, data = noisy, metric = "log_loss"),
               "calibration = \"platt\"", class = "domgen_error")
})

test_that("three classes are calibrated and held out as machines of the package are", {
  spec <- learner_custom(function(x, y) list(p = sapply(split(x, y), colMeans)), function(object, x) {
    far <- apply(object$p, 2, function(m) -colSums((t(x) - m)^2))
    P <- exp(far - apply(far, 1, max))
    P / rowSums(P)
  }, calibration = "isotonic")
  model <- fit(spec, Species ~ . | site, data = classes)
  P <- predict(model, classes, type = "prob")
  expect_equal(rowSums(P), rep(1, 150))
  expect_gt(mean(predict(model, classes) == classes$Species), 0.85)
  # a domain that alone has a class
  alone <- transform(classes, site = ifelse(Species == "setosa", "z", as.character(site)))
  expect_warning(fit(spec, Species ~ . | site, data = alone), "do not distinguish \"setosa\"",
                 class = "domgen_warning_calibration")
})

test_that("a model comes back from a file, carries no caller, and a damaged one is refused", {
  make <- function() {
    large <- numeric(1e6)
    shift <- 2
    learner_custom(function(x, y) list(m = mean(y) + shift), function(object, x) rep(object$m, nrow(x)))
  }
  model <- fit(make(), y ~ . | domain, data = toy)
  expect_lt(length(serialize(model, NULL)), 2e5)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), toy), rep(mean(toy$y) + 2, n))
  model$engine$object$m <- NULL
  expect_error(predict(model, toy), "damaged", class = "domgen_error_model")
  # what a file does not keep
  pointer <- learner_custom(function(x, y) list(p = methods::new("externalptr")), function(object, x) {
    if (nrow(x) < 10) stop("null pointer") else numeric(nrow(x))
  })
  expect_error(predict(fit(pointer, y ~ . | domain, data = toy), toy[1:2, ]),
               "null pointer; the fitted object has an external pointer, which is lost when saved")
  # what changes as it is used is no damage
  counted <- fit(learner_custom(function(x, y) list(cache = new.env()), function(object, x) {
    assign(paste0("a", length(ls(object$cache))), 1, object$cache)
    rep(0, nrow(x))
  }), y ~ . | domain, data = toy)
  expect_identical(predict(counted, toy), predict(counted, toy))
})

test_that("the call that a function keeps does not hold the rows", {
  spec <- learner_custom(function(x, y) list(call = match.call(), m = mean(y)),
                         function(object, x) rep(object$m, nrow(x)))
  expect_identical(fit(spec, y ~ . | domain, data = toy)$engine$object$call, quote(fit(x = x, y = y)))
})
