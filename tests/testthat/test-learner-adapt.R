train <- simulate_ellipses(domains = 5, n = 30, seed = 3)
new <- domains_of(simulate_ellipses(domains = 7, n = 40, seed = 8), 7)
levels(new$domain) <- "t"
few <- replace(new$y, -c(1:12, 30), NA)
numbers <- toy_domains(4, 20)
numbers_new <- domains_of(toy_domains(5, 24, seed = 6), 5)
levels(numbers_new$domain) <- "t"
some <- replace(numbers_new$y, -c(2:9, 15), NA)
three <- transform(numbers, y = cut(y, quantile(y, 0:3 / 3), c("low", "middle", "high"), TRUE))
three_new <- transform(numbers_new, y = factor(c("low", "high")[1 + (y > median(y))],
                                                levels(three$y)))

maps <- list(exact = features_exact(), nystrom = features_nystrom(25),
             product = features_product(x = features_nystrom(15)))

decide_at <- function(model, data) predict(model, data, type = "decision")

# What f - f0 is learned from: the Gram matrix of kappa(P_T, P_T) k at rows, from the model's
# kernel or the map's features.
domain_gram_at <- function(model, X) {
  product <- learner_of(fix_domain(model, X, factor(rep("t", nrow(X)))))$space
  if (!is.null(product$feature_map)) {
    return(tcrossprod(space_rows(product, list(X = X, domain = factor(rep("t", nrow(X)))))))
  }
  own <- if (uses_domain(product$domain_kernel)) product$domain_kernel$own else 1
  own * kernel_matrix(product$kernel, X)
}

inputs <- function(model, data) read_new(model, data, rep("t", nrow(data)), NULL, NULL)$X

specs <- list(
  `hinge` = list(dg_svm(cost = 5), train, new, few),
  `squared hinge` = list(dg_svm(cost = 5, loss = "squared_hinge", intercept = TRUE), train, new, few),
  `pooled hinge` = list(dg_svm(cost = 5, domain_kernel = domain_pooled()), train, new, few),
  `tube` = list(dg_svm(cost = 5), numbers, numbers_new, some),
  `squared tube` = list(dg_svm(cost = 5, loss = "squared_epsilon_insensitive"), numbers,
                        numbers_new, some),
  `linear outer kernel` = list(dg_svm(cost = 1, domain_kernel = domain_distribution(embedding_kernel = kernel_linear())),
                               numbers, numbers_new, some),
  `three classes` = list(dg_svm(cost = 5), three, three_new, three_new$y),
  `against the rest` = list(dg_svm(cost = 1, multiclass = "one_vs_rest"), three, three_new, three_new$y),
  `ridge` = list(dg_ridge(lambda = 0.3), numbers, numbers_new, some),
  `ridge with intercept` = list(dg_ridge(lambda = 0.3, intercept = TRUE), numbers, numbers_new, some),
  `ridge of classes` = list(dg_ridge(lambda = 0.3), train, new, few),
  `ridge of three classes` = list(dg_ridge(lambda = 0.3), three, three_new, three_new$y),
  `process` = list(dg_gp(optimise = FALSE), numbers, numbers_new, some),
  `multi-task` = list(dg_ridge(lambda = 0.3, domain_kernel = domain_multitask(0.4)), numbers,
                      numbers_new, some)
)

with_features <- function(spec, features) {
  spec$args$feature_map <- features
  if (!is.null(spec$args$tolerance)) spec$args$tolerance <- 1e-7
  spec
}

pseudo_inverse <- function(K) {
  e <- eigen(K, symmetric = TRUE)
  kept <- e$values > 1e-11 * max(e$values)
  V <- e$vectors[, kept, drop = FALSE]
  V %*% (t(V) / e$values[kept])
}

# Losses of the rows, from the formulas.
losses <- function(f, y, learner, args) {
  response <- learner$response
  if (inherits(learner, "dg_svm")) {
    if (response$kind == "number") {
      over <- pmax(abs((y - response$centre) / response$scale - f) - args$epsilon, 0)
      return(args$cost * if (learner$loss == "squared_epsilon_insensitive") over^2 else over)
    }
    target <- code_rows(learner$response, y)
    short <- (target != 0) * pmax(1 - target * f, 0)
    return(args$cost * if (learner$loss == "squared_hinge") short^2 else short)
  }
  target <- if (response$kind == "number") (y - response$centre) / response$scale
            else if (nlevels(y) == 2L) 2 * (as.integer(y) == 2L) - 1 else indicators(y)
  (target - f)^2
}

penalty <- function(args, learner) {
  if (inherits(learner, "dg_svm")) 1 / 2
  else if (inherits(learner, "dg_gp")) (learner$noise_sd / learner$signal_sd)^2 else args$lambda
}

# Each learner on one map, in turn; the long form has all pairs.
maps_of <- function(name) {
  if (long_form()) names(maps) else names(maps)[match(name, names(specs)) %% length(maps) + 1L]
}
for (name in names(specs)) for (map in maps_of(name)) {
  case <- specs[[name]]
  spec <- with_features(case[[1L]], maps[[map]])
  model <- with_seed(1, suppressWarnings(fit(spec, y ~ . | domain, data = case[[2L]])))
  adapt_case <- function(...) with_seed(2, dg_adapt(model, case[[3L]], case[[4L]], ...))
  adapted <- adapt_case()
  rows <- which(!is.na(case[[4L]]))
  args <- learner_of(model)$spec$args

  test_that(paste0(name, " on ", map, " features: small costs give f0 back"), {
    little <- if (!is.null(args$cost)) adapt_case(cost = 1e-10)
              else if (!is.null(args$lambda)) adapt_case(lambda = 1e10)
              else adapt_case(weights = rep(1e-12, nrow(case[[3L]])))
    expect_equal(decide_at(little, case[[3L]]), decide_at(model, case[[3L]]), tolerance = 1e-6)
    expect_false(isTRUE(all.equal(decide_at(adapted, case[[3L]]),
                                  decide_at(model, case[[3L]]), tolerance = 1e-3)))
  })

  test_that(paste0(name, " on ", map, " features: a weight of 3 is three copies"), {
    weights <- rep_len(1:3, nrow(case[[3L]]))
    copies <- rep(seq_len(nrow(case[[3L]])), weights)
    weighted <- adapt_case(weights = weights)
    copied <- with_seed(2, dg_adapt(model, case[[3L]][copies, ], case[[4L]][copies],
                                 reference = case[[3L]]))
    expect_equal(decide_at(weighted, case[[3L]]), decide_at(copied, case[[3L]]), tolerance = 1e-4)
  })

  test_that(paste0(name, " on ", map, " features: the objective has its minimum there"), {
    X <- inputs(model, case[[3L]])[rows, , drop = FALSE]
    full <- inputs(model, case[[3L]])
    K <- domain_gram_at(model, full)[rows, rows, drop = FALSE]
    base <- decision(fix_domain(model, full, factor(rep("t", nrow(full)))),
                     list(X = X, domain = factor(rep("t", length(rows)))))
    f <- decision(adapted, list(X = X))
    # g at the rows says the norm: g'K^-1 g
    inverse <- pseudo_inverse(K)
    objective <- function(f) {
      g <- f - base
      sum(losses(f, case[[4L]][rows], learner_of(model), args)) +
        penalty(args, learner_of(model)) * sum(diag(t(g) %*% inverse %*% g))
    }
    least <- objective(f)
    set.seed(4)
    for (size in c(1e-3, 1e-2, 0.1)) for (k in 1:4) {
      step <- K %*% matrix(rnorm(length(f)), nrow(f)) * size
      expect_gte(objective(f + step) - least, -1e-6 * abs(least))
    }
    expect_gt(objective(base), least)
  })
}

test_that("ridge: f - f0 is the closed form (K + lambda / w)^-1 (y - f0)", {
  model <- dg_ridge(y ~ . | domain, data = numbers, lambda = 0.2, kernel = kernel_rbf(2),
                    domain_kernel = domain_distribution(kernel_rbf(1), kernel_poly(2)))
  weights <- seq_len(nrow(numbers_new)) / 10
  adapted <- dg_adapt(model, numbers_new, some, weights = weights)
  rows <- which(!is.na(some))
  X <- inputs(model, numbers_new)
  inner <- mean(exp(-as.matrix(dist(X))^2 / 2))
  K <- (1 + inner)^2 * exp(-as.matrix(dist(X))^2 / (2 * 2^2))
  start <- predict(model, numbers_new)
  alpha <- solve(K[rows, rows] + diag(0.2 / weights[rows]), some[rows] - start[rows])
  expect_equal(predict(adapted), start + drop(K[, rows] %*% alpha), tolerance = 1e-8,
               ignore_attr = TRUE)
})

test_that("hinge and tube: f - f0 is that of projected gradients on the dual", {
  for (loss in c("hinge", "squared_hinge", "epsilon_insensitive", "squared_epsilon_insensitive")) {
    number <- grepl("epsilon", loss)
    case <- if (number) list(numbers, numbers_new, some) else list(train, new, few)
    model <- dg_svm(y ~ . | domain, data = case[[1L]], loss = loss, cost = 2, epsilon = 0.2,
                    tolerance = 1e-8)
    adapted <- dg_adapt(model, case[[2L]], case[[3L]])
    rows <- which(!is.na(case[[3L]]))
    X <- inputs(model, case[[2L]])
    K <- domain_gram_at(model, X)
    start <- decide_at(model, case[[2L]])
    ridge <- if (grepl("squared", loss)) 1 / (2 * 2) else 0
    most <- if (ridge > 0) Inf else 2
    y <- case[[3L]][rows]
    if (number) {
      unit <- model$response$scale
      start <- (start - model$response$centre) / unit
      dual <- tube_dual((y - model$response$centre) / unit - start[rows], most, 0.2, ridge)
    } else {
      y <- ifelse(y == levels(y)[2], 1, -1)
      dual <- hinge_dual(y, most, ridge)
      # 1 - y (f0 + g)
      dual$p <- -(1 - y * start[rows])
    }
    alpha <- naive_dual(K[rows, rows], dual, intercept = FALSE, steps = 4000)
    beta <- vapply(seq_along(rows), function(i) sum((dual$sign * alpha)[dual$row == i]), 0)
    expect_equal(drop(adapted$decision), drop(start + K[, rows] %*% beta), tolerance = 1e-5,
                 label = loss, ignore_attr = TRUE)
  }
})

test_that("from f0 = 0 and labels of everything it is the machine of the domain alone", {
  alone <- transform(new, domain = "t")
  zero <- function(model) {
    model$coefficients <- model$coefficients * 0
    model
  }
  for (spec in list(dg_svm(cost = 3, scale = "none", kernel = kernel_rbf(1), tolerance = 1e-7),
                    dg_ridge(lambda = 0.1, scale = "none", kernel = kernel_rbf(1)))) {
    model <- zero(fit(spec, y ~ . | domain, data = train))
    single <- fit(spec, y ~ . | domain, data = alone)
    expect_equal(decide_at(dg_adapt(model, new, y), new), decide_at(single, new), tolerance = 1e-5)
  }
  response <- numbers_new$y
  spec <- dg_gp(signal_sd = 1, noise_sd = 0.5, optimise = FALSE, scale = "none", kernel = kernel_rbf(1))
  model <- fit(spec, y ~ . | domain, data = transform(numbers, y = 0 * y))
  single <- fit(spec, y ~ . | domain, data = numbers_new)
  adapted <- dg_adapt(model, numbers_new, y)
  expect_equal(predict(adapted, numbers_new, se.fit = TRUE),
               predict(single, numbers_new, se.fit = TRUE), tolerance = 1e-8)
})

test_that("a Gaussian process has the posterior of a prior with mean f0", {
  for (features in list(features_exact(), features_nystrom(25))) {
    model <- with_seed(1, dg_gp(y ~ . | domain, data = numbers, optimise = FALSE,
                                feature_map = features))
    w <- rep_len(c(1, 2, 0.5), nrow(numbers_new))
    adapted <- dg_adapt(model, numbers_new, some, weights = w)
    rows <- which(!is.na(some))
    X <- inputs(model, numbers_new)
    # what features leave of the prior variance is added back
    prior <- model$signal_sd^2 * domain_gram_at(model, X)
    left <- model$signal_sd^2 - diag(prior)
    A <- prior[rows, rows] + diag(model$noise_sd^2 / w[rows])
    start <- predict(model, numbers_new)
    mean <- start + prior[, rows] %*% solve(A, some[rows] - start[rows])
    variance <- left + diag(prior - prior[, rows] %*% solve(A, prior[rows, ]))
    value <- predict(adapted, numbers_new, se.fit = TRUE)
    expect_equal(value$fit, drop(mean), tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(value$se.fit, sqrt(variance) * model$response$scale, tolerance = 1e-6,
                 ignore_attr = TRUE)
    expect_equal(predict(adapted, se.fit = TRUE), value, tolerance = 1e-8)
    interval <- predict(adapted, numbers_new[1:3, ], interval = "posterior")
    expect_identical(dim(interval), c(3L, 3L))
  }
})

test_that("a chain is adapted on its projected scores", {
  for (features in list(features_exact(), features_nystrom(20))) {
    spec <- dg_pipeline(dg_dica(ncomp = 2, domain_kernel = domain_distribution(), feature_map = features),
                  dg_ridge(lambda = 0.1, kernel = kernel_rbf(), feature_map = features))
    model <- with_seed(1, fit(spec, y ~ . | domain, data = numbers))
    adapted <- dg_adapt(model, numbers_new, some)
    rows <- which(!is.na(some))
    start <- predict(model, numbers_new)
    S <- predict(model$projection, numbers_new) / model$unit
    one <- factor(rep("t", nrow(S)))
    product <- model$learner$space
    K <- if (!is.null(product$feature_map)) tcrossprod(space_rows(product,
                                                                 list(X = S, domain = one)))
         else kernel_matrix(product$kernel, S)
    expected <- start + K[, rows] %*% solve(K[rows, rows] + diag(0.1, length(rows)),
                                            some[rows] - start[rows])
    expect_equal(predict(adapted), drop(expected), tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(predict(adapted, numbers_new[3:1, ]), predict(adapted)[3:1], tolerance = 1e-10)
    expect_output(print(adapted), "adapted +to domain \"t\"")
  }
  gp <- fit(dg_pipeline(dg_dica(ncomp = 2), dg_gp(optimise = FALSE)), y ~ . | domain, data = numbers)
  adapted <- dg_adapt(gp, numbers_new, some)
  value <- predict(adapted, numbers_new, se.fit = TRUE)
  expect_equal(value$fit, predict(adapted), tolerance = 1e-10)
  expect_true(all(value$se.fit > 0))
})

test_that("predictions do not depend on the rows that come together, or on a domain column", {
  model <- dg_svm(y ~ . | domain, data = train)
  adapted <- dg_adapt(model, new, few)
  whole <- decide_at(adapted, new)
  expect_equal(decide_at(adapted, new[5, ]), whole[5], tolerance = 1e-12)
  expect_equal(decide_at(adapted, new[-1]), decide_at(adapted, new))
  expect_identical(predict(adapted), predict(adapted, new))
  expect_identical(fitted(adapted), predict(adapted, new))
  expect_identical(levels(predict(adapted, new)), levels(train$y))
  expect_identical(nobs(adapted), 13L)
  expect_identical(adapted$labelled, c(1:12, 30L))
  expect_equal(adapted$start, matrix(decide_at(model, new)), tolerance = 1e-12)
})

test_that("labels are a vector, an expression or the name of a column, and update() changes them", {
  model <- dg_ridge(log(size) ~ x1 + x2 | domain,
                    data = transform(numbers, size = exp(y)))
  data <- transform(numbers_new, size = exp(y), known = some, w = seq_along(some))
  first <- dg_adapt(model, data, some, weights = w)
  expect_equal(predict(dg_adapt(model, data, known, weights = data$w)), predict(first))
  expect_equal(predict(dg_adapt(model, data, "known", weights = w)), predict(first))
  expect_equal(predict(dg_adapt(model, data, ifelse(is.na(known), NA, log(size)), weights = w)),
               predict(first))
  expect_equal(predict(update(first, lambda = 3)),
               predict(dg_adapt(model, data, some, weights = w, lambda = 3)))
  expect_equal(residuals(first), some - predict(first))
  expect_equal(is.na(residuals(first)), is.na(some))
})

test_that("incomplete rows are left out of everything, and come back as NA", {
  model <- dg_ridge(y ~ . | domain, data = numbers)
  holes <- numbers_new
  holes$x1[c(3, 20)] <- NA
  adapted <- suppressWarnings(dg_adapt(model, holes, some), "domgen_warning_missing")
  expect_identical(which(is.na(predict(adapted))), c(3L, 20L))
  expect_equal(predict(adapted)[-c(3, 20)], predict(dg_adapt(model, numbers_new[-c(3, 20), ],
                                                          some[-c(3, 20)])), tolerance = 1e-10)
  expect_identical(nobs(adapted), sum(!is.na(some)) - 1L)
})

test_that("a reference describes the domain in place of the labelled rows", {
  model <- dg_svm(y ~ . | domain, data = train)
  rows <- which(!is.na(few))
  adapted <- dg_adapt(model, new[rows, ], few[rows], reference = new)
  expect_equal(decide_at(adapted, new), decide_at(dg_adapt(model, new, few), new), tolerance = 1e-4)
  # a domain of the training data, by its rows there
  again <- domains_of(train, 2)
  adapted <- dg_adapt(model, again[1:5, ], y, reference = "training")
  expect_equal(adapted$start, matrix(decide_at(model, again)[1:5]), tolerance = 1e-10)
})

test_that("an adapted model keeps no training rows beside the kernel's, none with features", {
  bytes <- function(rows) {
    data <- simulate_ellipses(domains = 5, n = rows, seed = 3)
    model <- with_seed(1, dg_svm(y ~ . | domain, data = data, cost = 1,
                                 feature_map = features_nystrom(20)))
    length(serialize(dg_adapt(model, new, few), NULL))
  }
  expect_lt(abs(bytes(200) - bytes(50)), 200)
})

test_that("a few labels help where the model is wrong for the domain", {
  data <- simulate_ellipses(domains = 26, n = 100, seed = 4)
  model <- dg_svm(y ~ x1 + x2 | domain, data = domains_of(data, 1:16), cost = 10,
                  domain_kernel = domain_pooled())
  errors <- vapply(17:26, function(g) {
    new <- domains_of(data, g)
    rest <- 61:100
    wrong <- function(predicted) mean(predicted[rest] != new$y[rest])
    with_labels <- function(m) wrong(predict(dg_adapt(model, new, replace(new$y, -seq_len(m), NA))))
    c(wrong(predict(model, new)), with_labels(8), with_labels(60))
  }, numeric(3))
  error <- rowMeans(errors)
  # 0.42, 0.26 and 0.09
  expect_gt(error[1], error[2] + 0.08)
  expect_gt(error[2], error[3] + 0.08)
})

test_that("what dg_adapt() cannot do is said", {
  model <- dg_svm(y ~ . | domain, data = train)
  ridge <- dg_ridge(y ~ . | domain, data = numbers)
  gp <- dg_gp(y ~ . | domain, data = numbers, optimise = FALSE)
  adapted <- dg_adapt(model, new, few)
  expect_refusals({
    dg_adapt(train, new, few)
    dg_adapt(dg_svm(), new, few)
    dg_adapt(dg_lm(y ~ . | domain, data = train), new, few)
    dg_adapt(dg_kpca(~ . | domain, data = numbers), numbers_new, some)
    dg_adapt(adapted, new, few)
    dg_adapt(model)
    dg_adapt(model, new)
    dg_adapt(model, train, train$y)
    dg_adapt(model, new[-1], few)
    dg_adapt(model, new, few[-1])
    dg_adapt(model, new, nothing)
    dg_adapt(model, new, rep(NA, 40))
    dg_adapt(model, new, rep("yes", 40))
    dg_adapt(model, new, few, lambda = 1)
    dg_adapt(model, new, few, cost = -1)
    dg_adapt(model, new, few, weights = rep(-1, 40))
    dg_adapt(model, new, few, wieghts = 1)
    dg_adapt(model, new, few, reference_domain = "t")
    dg_adapt(ridge, numbers_new, some, cost = 1)
    dg_adapt(ridge, numbers_new, rep("a", nrow(numbers_new)))
    dg_adapt(ridge, numbers_new, replace(some, 1, Inf))
    dg_adapt(gp, numbers_new, some, lambda = 1)
    predict(adapted, train)
    predict(adapted, new, reference = train)
    predict(adapted, new, type = "prob")
    residuals(adapted)
  })
})
