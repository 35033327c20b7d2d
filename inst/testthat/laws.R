# Conformance tests for kernels, domain kernels, projections, feature maps, learners and scores. Run
# them on your own:
#
#   source(system.file("testthat/laws.R", package = "domgen"))
#   kernel_laws(kernel_mine())
#   domain_kernel_laws(domain_mine())
#   projection_laws(mine())
#   feature_laws(features_mine())
#   learner_laws(dg_mine())
#   metric_laws(metric_custom(function(truth, prediction) mean(truth != prediction)))
# Each function is a set of tests of testthat. domgen runs them on everything that it exports.
library(testthat)
library(domgen)

# ---- data
law_rows <- function(n, columns = 3L, seed = 11) {
  domgen:::with_seed(seed, matrix(stats::rnorm(n * columns), n))
}

# Four domains of about 15 rows, or two new ones of about 12, with a response for the method.
law_data <- function(response = "any", new = FALSE) {
  simulate <- if (response == "class") simulate_dcm else simulate_dica
  if (new) simulate(domains = 2, n = 12, p = 3, seed = 7)
  else simulate(domains = 4, n = 15, p = 3, seed = 1)
}

law_order <- function(n) domgen:::with_seed(2, sample(n))

fit_seeded <- function(spec, data, seed = 1, ...) {
  domgen:::with_seed(seed, fit(spec, y ~ . | domain, data = data, ...))
}

with_args <- function(spec, ...) {
  new <- list(...)
  spec$args[names(new)] <- new
  spec
}

expect_same_from_file <- function(model, data) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file, expand = FALSE))
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), data), predict(model, data))
}

# With a fixed reference, each row is predicted alone, with its domain described by `reference`.
expect_fixed <- function(model, new, reference, ..., tolerance = 1e-8) {
  fixed <- set_reference(model, reference)
  whole <- as.matrix(predict(model, new, reference = reference, ...))
  expect_equal(as.matrix(predict(fixed, new, ...)), whole, tolerance = tolerance)
  alone <- lapply(seq_len(nrow(new)), function(i) predict(fixed, new[i, , drop = FALSE], ...))
  alone <- if (length(dim(alone[[1L]]))) do.call(rbind, alone) else unlist(lapply(alone, as.vector))
  expect_equal(as.matrix(alone), whole, tolerance = tolerance, ignore_attr = "dimnames")
  invisible(fixed)
}

# ---- kernels
# kernel: made by its constructor, with or without a bandwidth.
kernel_laws <- function(kernel, name = class(kernel)[1L], X = law_rows(60),
                        Z = law_rows(20, seed = 12)) {
  kernel <- domgen:::kernel_fit(kernel, X)

  test_that(paste(name, "is symmetric, positive semi-definite and its own cross matrix"), {
    K <- kernel_matrix(kernel, X)
    expect_identical(K, t(K))
    values <- eigen(K, symmetric = TRUE, only.values = TRUE)$values
    expect_gte(min(values), -1e-10 * max(abs(K)) * nrow(X))
    expect_equal(kernel_matrix(kernel, X, X), K, tolerance = 1e-12)
    expect_equal(kernel_matrix(kernel, X, Z), t(kernel_matrix(kernel, Z, X)), tolerance = 1e-12)
    expect_true(nzchar(format(kernel)))
  })

  test_that(paste(name, "does not depend on other rows, their order, or threads"), {
    K <- kernel_matrix(kernel, X, Z)
    order <- law_order(nrow(X))
    expect_equal(kernel_matrix(kernel, X[order, ], Z), K[order, ], tolerance = 1e-12)
    expect_equal(kernel_matrix(kernel, X[1:2, ], Z), K[1:2, ], tolerance = 1e-12)
    expect_equal(kernel_matrix(kernel, X, Z, threads = 1), K, tolerance = 1e-12)
  })

  test_that(paste(name, "averages its matrix over domains"), {
    domain <- rep_len(1:3, nrow(X))
    average <- outer(domain, 1:3, "==") / rep(table(domain), each = nrow(X))
    expected <- crossprod(average, kernel_matrix(kernel, X) %*% average)
    expect_equal(unname(domain_gram(X, domain, kernel)), unname(expected), tolerance = 1e-12)
  })

  test_that(paste(name, "is the same function of embeddings as of rows"), {
    values <- tryCatch(
      domgen:::kernel_profile(kernel, X %*% t(Z), rowSums(X^2), rowSums(Z^2)),
      domgen_error_argument = function(e) skip(paste(name, "is not a function of inner products"))
    )
    expect_equal(values, kernel_matrix(kernel, X, Z), tolerance = 1e-8)
  })

  test_that(paste(name, "has the derivative and the spectral density that it reports"), {
    rate <- domgen:::kernel_rate(kernel, 1)
    spectral <- domgen:::kernel_spectral(kernel)
    if (is.null(rate) && is.null(spectral)) skip(paste(name, "reports neither"))
    d <- c(0.01, 0.1, 0.5, 1, 2, 5)
    slope <- (domgen:::kernel_value(kernel, d * 1.0001) -
                domgen:::kernel_value(kernel, d * 0.9999)) / (0.0002 * d)
    if (!is.null(rate)) expect_equal(domgen:::kernel_rate(kernel, d), -2 * slope, tolerance = 1e-5)
    if (is.null(spectral)) return()
    w <- domgen:::with_seed(1, stats::rnorm(1e5) * spectral(1e5))
    means <- vapply(d, function(d) mean(cos(w * sqrt(d))), 0)
    # five standard errors
    expect_lt(max(abs(means - domgen:::kernel_value(kernel, d))), 5 * sqrt(0.5 / 1e5))
  })
}

# ---- domain kernels
# names: of four training domains and two new ones, which a kernel that looks names up must know.
domain_kernel_laws <- function(domain_kernel, name = class(domain_kernel)[1L],
                               names = c("d1", "d2", "d3", "d4", "d1", "d2")) {
  train <- law_data()
  new <- law_data(new = TRUE)
  levels(train$domain) <- names[1:4]
  levels(new$domain) <- names[5:6]
  spec <- dg_ridge(lambda = 0.1, kernel = kernel_rbf(1.5), domain_kernel = domain_kernel)
  # made once, by the first test that uses it
  delayedAssign("model", fit_seeded(spec, train))

  test_that(paste(name, "predicts training domains as they were fitted, twice the same"), {
    expect_equal(predict(model, train), fitted(model), tolerance = 1e-9)
    expect_identical(predict(fit_seeded(spec, train), new), predict(model, new))
    expect_same_from_file(model, new)
  })

  test_that(paste(name, "uses the rows of a domain, in any order"), {
    whole <- predict(model, new)
    order <- law_order(nrow(new))
    expect_equal(predict(model, new[order, ]), whole[order], tolerance = 1e-12)
    one <- new$domain == new$domain[1L]
    expect_equal(predict(model, new[one, ]), whole[one], tolerance = 1e-12)
    shuffled <- fit_seeded(spec, train[law_order(nrow(train)), ])
    expect_equal(predict(shuffled, new), whole, tolerance = 1e-8)
  })

  test_that(paste(name, "keeps the descriptions of domains of a fixed reference"), {
    expect_fixed(model, new[c(1:2, 15:16), ], new)
    expect_equal(predict(set_reference(model, "training"), train), fitted(model), tolerance = 1e-9)
  })

  test_that(paste(name, "is one positive semi-definite function of training and new domains"), {
    rows <- function(data) {
      list(X = as.matrix(data[c("x1", "x2", "x3")]), domain = factor(data$domain), threads = 1L)
    }
    fitted <- domgen:::domain_kernel_fit(domain_kernel, rows(train))
    if (is.null(fitted$kappa)) skip(paste(name, "is constant"))
    kappa <- function(data, ...) unname(domgen:::domain_kappa(fitted, rows(data), ...))
    known <- unname(fitted$kappa)
    expect_equal(kappa(train), known, tolerance = 1e-10)
    expect_equal(kappa(train, among = TRUE), known, tolerance = 1e-10)
    expect_equal(unname(domgen:::domain_own(fitted, rows(new))), diag(kappa(new, among = TRUE)),
                 tolerance = 1e-10)
    all <- rbind(cbind(known, t(kappa(new))), cbind(kappa(new), kappa(new, among = TRUE)))
    expect_equal(all, t(all), tolerance = 1e-10)
    expect_gte(min(eigen(all, symmetric = TRUE)$values), -1e-8 * max(abs(all)))
  })

  test_that(paste(name, "does not depend on threads"), {
    single <- fit_seeded(with_args(spec, threads = 1L), train)
    expect_equal(predict(single, new), predict(model, new), tolerance = 1e-10)
  })

  test_that(paste(name, "needs no rows of a domain, if it knows domains by name"), {
    if (domain_knows(domain_kernel) != "names") skip(paste(name, "knows rows or nothing"))
    # in one block of all rows or several, each row alone, and in folds
    whole <- unname(predict(model, new))
    alone <- vapply(seq_len(nrow(new)), function(i) {
      expect_no_warning(value <- predict(model, new[i, ]), class = "domgen_warning_small_domain")
      unname(value)
    }, 0)
    expect_equal(alone, whole, tolerance = 1e-10)
    files <- c(train = tempfile(fileext = ".csv"), new = tempfile(fileext = ".csv"))
    on.exit(unlink(files))
    write.csv(train, files[["train"]], row.names = FALSE)
    write.csv(new, files[["new"]], row.names = FALSE)
    expect_equal(unname(predict(model, row_source(files[["new"]], block_size = 5))), whole,
                 tolerance = 1e-10)
    # every row a landmark
    mapped <- with_args(spec, feature_map = features_nystrom(nrow(train)))
    source <- row_source(files[["train"]], block_size = 7)
    expect_equal(unname(predict(fit_seeded(mapped, source), new)), whole, tolerance = 1e-8)
    # over a source the scaling is that of all rows
    scores <- function(spec, data) {
      spec <- with_args(spec, scale = "none")
      domgen:::with_seed(1, dg_cv(spec, y ~ . | domain, data = data)$domains$score)
    }
    memory <- scores(spec, train)
    expect_equal(scores(mapped, train), memory, tolerance = 1e-6)
    expect_equal(scores(mapped, source), memory, tolerance = 1e-6)
  })
}

# ---- projections
law_maps <- list(nystrom = features_nystrom(30), rff = features_rff(40))

# spec: the projection without data. With classes there is at most one component here.
# maps: feature maps on which it is also tested, besides the Gram matrix; all draw random numbers.
projection_laws <- function(spec, name = spec$method, maps = law_maps) {
  response <- domgen:::method_of(spec)$response
  if (response == "class") spec <- with_args(spec, ncomp = 1L)
  train <- law_data(response)
  new <- law_data(response, new = TRUE)
  fit_to <- function(data, spec) fit(spec, y ~ . | domain, data = data)
  delayedAssign("model", fit_to(train, spec))

  test_that(paste(name, "projects its training rows as it fitted them, in any order"), {
    expect_equal(predict(model, train), fitted(model), tolerance = 1e-9)
    whole <- predict(model, new)
    order <- law_order(nrow(new))
    expect_equal(predict(model, new[order, ]), whole[order, , drop = FALSE], tolerance = 1e-12)
    expect_true(all(model$residual < 20))
    expect_false(is.unsorted(rev(model$values)))
    expect_equal(unname(colMeans(fitted(model))), rep(0, ncol(fitted(model))), tolerance = 1e-10)
  })

  test_that(paste(name, "does not depend on the order of the training rows, threads or names"), {
    shuffled <- fit_to(train[law_order(nrow(train)), ], spec)
    expect_equal(shuffled$values, model$values, tolerance = 1e-8)
    expect_equal(abs(predict(shuffled, new)), abs(predict(model, new)), tolerance = 1e-5)
    renamed <- transform(train, domain = factor(domain, labels = letters[4:1]))
    expect_equal(fit_to(renamed, spec)$values, model$values, tolerance = 1e-8)
    single <- fit_to(train, with_args(spec, threads = 1L))
    expect_equal(single$scores, model$scores, tolerance = 1e-10)
  })

  test_that(paste(name, "gives the same result twice, to the bit, and comes back from a file"), {
    expect_identical(fit_to(train, spec)$scores, model$scores)
    expect_same_from_file(model, new)
  })

  test_that(paste(name, "projects each row alone where the reference is fixed"), {
    spec <- with_args(spec, scale = "domain", domain_kernel = domain_distribution())
    expect_fixed(fit_to(train, spec), new[c(1:3, 15:17), ], new, tolerance = 1e-6)
  })

  for (map in names(maps)) {
    feature_laws(maps[[map]], spec, paste(name, "on", map, "features"), draws = TRUE)
  }

  if (!is.null(maps$rff)) test_that(paste(name, "on rff features does not depend on the order"), {
    spec <- with_args(spec, feature_map = maps$rff, ncomp = 1L)
    model <- fit_seeded(spec, train)
    order <- law_order(nrow(train))
    shuffled <- fit_seeded(spec, train[order, ])
    expect_equal(shuffled$values, model$values, tolerance = 1e-8)
    expect_equal(abs(fitted(shuffled)), abs(fitted(model))[order, , drop = FALSE], tolerance = 1e-6)
  })
}

# ---- feature maps
# draws: does the map depend on random numbers?
feature_laws <- function(features, spec = dg_kpca(ncomp = 2), name = class(features)[1L],
                         draws = FALSE) {
  response <- domgen:::method_of(spec)$response
  spec <- with_args(spec, feature_map = features, ncomp = if (response == "class") 1L else 2L)
  train <- law_data(response)
  new <- law_data(response, new = TRUE)
  delayedAssign("model", fit_seeded(spec, train))

  test_that(paste(name, "projects its training rows as it fitted them"), {
    expect_equal(predict(model, train), fitted(model), tolerance = 1e-9)
    expect_equal(unname(colMeans(fitted(model))), rep(0, ncol(fitted(model))), tolerance = 1e-10)
    whole <- predict(model, new)
    order <- law_order(nrow(new))
    expect_equal(predict(model, new[order, ]), whole[order, , drop = FALSE], tolerance = 1e-12)
    expect_false(is.unsorted(rev(model$values)))
    # otherwise scores depend on a row's domain
    if (domgen:::uses_domain(spec$args$domain_kernel)) return()
    alone <- do.call(rbind, lapply(1:3, function(i) predict(model, new[i, ])))
    expect_equal(alone, whole[1:3, , drop = FALSE], tolerance = 1e-12)
  })

  test_that(paste(name, "does not depend on threads, but on the seed"), {
    expect_identical(fit_seeded(spec, train)$scores, model$scores)
    single <- fit_seeded(with_args(spec, threads = 1L), train)
    for (part in c("values", "scores", "directions", "centre")) {
      expect_equal(single[[part]], model[[part]], tolerance = 1e-10, label = part)
    }
    expect_equal(predict(single, new), predict(model, new), tolerance = 1e-10)
    other <- fit_seeded(spec, train, seed = 2)$values
    if (draws) expect_false(isTRUE(all.equal(other, model$values, tolerance = 1e-10)))
  })

  test_that(paste(name, "is the same after saveRDS()"), {
    expect_same_from_file(model, new)
  })
}

# ---- learners
# copies: TRUE if a row of weight 2 equals two rows; FALSE if a search uses the rows unweighted.
# response: "class" for a learner that only predicts classes.
learner_laws <- function(spec, name = spec$method, copies = TRUE,
                         response = domgen:::method_of(spec)$response) {
  train <- law_data(response)
  new <- law_data(response, new = TRUE)
  fit_to <- function(data, ...) fit_seeded(spec, data, ...)
  delayedAssign("model", fit_to(train))

  test_that(paste(name, "predicts its training rows as fitted, in any order, twice the same"), {
    expect_equal(predict(model, train), fitted(model), tolerance = 1e-9)
    whole <- predict(model, new)
    order <- law_order(nrow(new))
    expect_equal(predict(model, new[order, ]), whole[order], tolerance = 1e-12)
    expect_identical(predict(fit_to(train), new), whole)
    expect_output(print(model), paste(nrow(train), "rows"))
  })

  test_that(paste(name, "predicts each row alone with a fixed reference"), {
    expect_fixed(model, new[c(1:3, 15:17), ], new)
  })

  test_that(paste(name, "gives NA for a row with a missing value and the rest as without it"), {
    holes <- new
    holes$x2[4] <- NA
    expect_warning(values <- predict(model, holes), "1 row", class = "domgen_warning_missing")
    expect_identical(which(is.na(values)), 4L)
    expect_equal(values[-4], predict(model, new[-4, ]), tolerance = 1e-12)
  })

  test_that(paste(name, "predicts classes as it does numbers, and is the same after saveRDS()"), {
    skip_if(domgen:::method_of(spec)$response == "number", paste(name, "predicts numbers"))
    labels <- law_data("class")
    model <- fit_to(labels)
    class <- predict(model, labels)
    expect_identical(levels(class), levels(labels$y))
    expect_identical(class, predict(model, labels, type = "class"))
    expect_same_from_file(model, labels)
  })

  test_that(paste(name, "has intervals or sets, novelty, importance and effects"), {
    # some models find their rows from the call
    model <- domgen:::with_seed(1, fit(spec, y ~ . | domain, data = train))
    ask <- function(level, ...) {
      suppressWarnings(suppressMessages(predict(model, new, level = level, ...)),
                       classes = "domgen_warning_far_domain")
    }
    if (is.numeric(train$y)) {
      found <- ask(0.5, interval = "prediction")
      expect_true(all(found$lower <= found$fit & found$fit <= found$upper))
      wide <- ask(0.7, interval = "prediction")
      expect_true(all(wide$upper - wide$lower >= found$upper - found$lower))
    } else {
      expect_true(all(ask(0.7, type = "set") >= ask(0.5, type = "set")))
    }
    p <- dg_novelty(model, new)$domains$p
    expect_true(all(p > 0 & p <= 1) && length(p) == length(unique(new$domain)))
    effect <- dg_effect(model, "x1", newdata = train, grid = 3)$average
    expect_true(all(is.finite(effect$value)) && nrow(effect) >= 3)
    set.seed(1)
    table <- dg_importance(spec, y ~ x1 + x2 | domain, data = train, folds = 2, permutations = 1,
                           predictors = "x1", progress = FALSE)$table
    expect_true(all(is.finite(table$increase)) && nrow(table) == 3L)
  })

  test_that(paste(name, "counts a row of weight 2 twice"), {
    skip_if_not(domgen:::method_of(spec)$weights, paste(name, "takes no weights"))
    skip_if_not(copies, paste(name, "uses unweighted rows"))
    w <- rep_len(c(1, 2), nrow(train))
    spec <- without_description(spec)
    weighted <- fit(spec, y ~ x1 + x2 | domain, data = train, weights = w)
    twice <- train[rep(seq_len(nrow(train)), w), ]
    copied <- fit(spec, y ~ x1 + x2 | domain, data = twice)
    expect_equal(predict(weighted, new), predict(copied, new), tolerance = 1e-5)
  })
}

# Weights are costs: embeddings and bandwidths ignore them, and copies of a row also determine the
# noise.
without_description <- function(spec) {
  if ("kernel" %in% names(spec$args)) {
    spec <- with_args(spec, kernel = kernel_rbf(1.5), scale = "none", tolerance = 1e-8,
                      domain_kernel = domain_pooled())
  }
  if ("noise_sd" %in% names(spec$args)) with_args(spec, signal_sd = 1, noise_sd = 0.5) else spec
}

# ---- scores
# metric: made by metric_custom(), or the name of one of domgen's.
metric_laws <- function(metric, name = if (is.list(metric)) metric$title else metric) {
  if (is.character(metric)) metric <- domgen:::metrics[[metric]]

  for (kind in metric$kind) test_that(paste(name, "of a", kind, "does not depend on the order"), {
    d <- law_predictions(kind)
    order <- law_order(length(d$truth))
    turned <- lapply(d, function(v) if (is.matrix(v)) v[order, , drop = FALSE] else v[order])
    value <- domgen:::score(d, metric)
    expect_true(is.numeric(value) && length(value) == 1L)
    expect_equal(domgen:::score(turned, metric), value, tolerance = 1e-12)
  })

  for (kind in metric$kind) test_that(paste(name, "of a", kind, "is best if perfect"), {
    best <- domgen:::score(law_predictions(kind, perfect = TRUE), metric)
    value <- domgen:::score(law_predictions(kind), metric)
    skip_if(is.na(best) && is.na(value), paste(name, "has no value for a", kind))
    if (metric$better == "low") expect_lt(best, value) else expect_gt(best, value)
  })
}

# Input of a score: 40 rows, a quarter of them wrong.
law_predictions <- function(kind, perfect = FALSE) {
  number <- law_rows(40, 1L)[, 1L]
  wrong <- if (perfect) FALSE else seq_along(number) %% 4 == 0
  if (kind == "number") {
    half <- if (perfect) 0.3 else 0.6
    return(list(truth = number, prediction = number + wrong, se = rep(0.5, length(number)),
                lower = number + wrong - half, upper = number + wrong + half))
  }
  if (kind == "censored") {
    risk <- number * ifelse(wrong, -1, 1)
    return(list(truth = domgen:::censored_times(exp(-number), seq_along(number) %% 3 > 0),
                prediction = exp(risk), decision = risk))
  }
  truth <- factor(ifelse(number > 0, "b", "a"))
  guess <- (truth == "b") != wrong
  both <- !perfect & seq_along(number) %% 3 == 0
  list(truth = truth, prediction = factor(ifelse(guess, "b", "a"), c("a", "b")),
       decision = 2 * guess - 1, prob = cbind(a = 0.9 - 0.8 * guess, b = 0.1 + 0.8 * guess),
       set = cbind(a = !guess | both, b = guess | both))
}
