# A world in which the row and its domain have effects of their own: y = a (x - m) + b m + z / 2.
skip_on_cran() # long

two_level <- function(domains, rows, a = 1, b = 2, within = 1, between = 1.5, seed = 1) {
  with_seed(seed, {
    d <- data.frame(g = factor(rep(sprintf("d%02d", seq_len(domains)), each = rows)))
    n <- nrow(d)
    d$x <- stats::rnorm(domains, sd = between)[d$g] + stats::rnorm(n, sd = within)
    d$z <- stats::rnorm(n)
    d$noise <- stats::rnorm(n)
    m <- stats::ave(d$x, d$g)
    d$y <- a * (d$x - m) + b * m + d$z / 2 + stats::rnorm(n, sd = 0.3)
    d
  })
}

all_kinds <- c("within", "between", "both", "context")

of <- function(result, predictor, kind) {
  result$table[result$table$predictor == predictor & result$table$kind == kind, ]
}

test_that("another row is one of the same domain, each as likely, and never the row itself", {
  domain <- c("a", "b", "a", "a", "c", "b")
  draws <- with_seed(1, replicate(4000, other_rows(domain)))
  expect_true(all(apply(draws, 2, function(rows) identical(sort(rows), 1:6))))
  expect_identical(unique(draws[5, ]), 5L)
  expect_identical(unique(draws[2, ]), 6L)
  expect_setequal(unique(draws[1, ]), 3:4)
  expect_equal(mean(draws[1, ] == 3), 0.5, tolerance = 0.05)
})

test_that("domains take the values of each other equally often, and not of themselves", {
  domains <- letters[1:7]
  for (draws in c(1, 3, 6, 20)) {
    donors <- with_seed(draws, draw_donors(domains, draws))
    expect_identical(dim(donors), c(7L, as.integer(draws)))
    expect_false(any(donors == domains))
    expect_true(all(table(donors) == draws))
    first <- donors[, seq_len(min(draws, 6)), drop = FALSE]
    expect_true(all(apply(first, 1, anyDuplicated) == 0))
  }
})

test_that("a domain has the other's values at its own ranks", {
  column <- with_seed(2, stats::rnorm(30))
  own <- 1:10
  expect_identical(column[transported(column, own, 11:20)], sort(column[11:20])[rank(column[own])])
  # of another size: every third
  many <- c(column[own], sort(column))
  found <- many[transported(many, own, 11:40)]
  expect_identical(found, sort(column)[3 * rank(column[own]) - 1])
  expect_identical(rank(column[transported(column, own, 1:10)]), rank(column[own]))
  # each of a few
  few <- column[transported(column, own, 11:15)]
  expect_identical(sort(few), sort(rep(column[11:15], 2)))
})

test_that("categories without an order change as little as can be", {
  with_seed(3, for (k in 1:20) {
    column <- factor(sample(letters[1:4], 40, TRUE, c(4, 3, 2, 1)))
    own <- 1:20
    moved <- column[transported(column, own, 21:40)]
    expect_identical(tabulate(moved, 4), tabulate(column[21:40], 4))
    kept <- sum(pmin(table(column[own]), table(column[21:40])))
    expect_identical(sum(moved == column[own]), as.integer(kept))
  })
})

# Domains of two rows change places in one way only, and all other domains are taken once: the mean
# over draws has no chance in it.
naive_importance <- function(spec, formula, data, loss, predictor, type = "response") {
  domains <- levels(data$g)
  by_domain <- lapply(domains, function(g) {
    model <- fit(spec, formula, data = data[data$g != g, ])
    rows <- data[data$g == g, ]
    of <- function(new, reference) {
      loss(rows, predict(model, new, reference = reference, type = type))
    }
    before <- of(rows, rows)
    each <- vapply(setdiff(domains, g), function(h) {
      swapped <- moved <- rows
      swapped[[predictor]] <- rev(rows[[predictor]])
      moved[[predictor]] <- sort(data[[predictor]][data$g == h])[rank(rows[[predictor]])]
      both <- moved
      both[[predictor]] <- rev(moved[[predictor]])
      c(of(swapped, rows), of(moved, moved), of(both, moved), of(rows, moved)) - before
    }, numeric(4))
    rowMeans(each)
  })
  `dimnames<-`(do.call(rbind, by_domain), list(domains, all_kinds))
}

test_that("all kinds are those of the formula, for models that describe domains and that do not", {
  data <- two_level(4, 2, seed = 4)
  data$class <- factor(ifelse(data$y > stats::median(data$y), "high", "low"))
  square <- function(rows, found) mean((rows$y - found)^2)
  for (spec in list(dg_ridge(lambda = 0.1, domain_kernel = domain_distribution()),
                    dg_ridge(lambda = 0.1, domain_means = TRUE, domain_kernel = domain_pooled()),
                    dg_lm(scale = "domain"), dg_lm())) {
    expected <- quietly(naive_importance(spec, y ~ x + z | g, data, square, "x"))
    found <- dg_importance(spec, y ~ x + z | g, data = data, kind = all_kinds, permutations = 3,
                           predictors = "x")
    by_domain <- found$domains[found$domains$predictor == "x", ]
    expect_equal(unname(expected[cbind(by_domain$domain, by_domain$kind)]), by_domain$increase,
                 tolerance = 1e-7)
    expect_equal(found$table$increase, unname(colMeans(expected)[found$table$kind]),
                 tolerance = 1e-7)
  }
  share <- function(rows, found) -mean(rows$class == found)
  expected <- quietly(naive_importance(dg_lm(), class ~ x + z | g, data, share, "x", "class"))
  found <- quietly(dg_importance(dg_lm(), class ~ x + z | g, data = data, kind = all_kinds,
                                 permutations = 3, predictors = "x"))
  expect_identical(names(found$metric), "accuracy")
  expect_equal(found$table$increase, unname(colMeans(expected)[found$table$kind]))
})

test_that("in a linear world the parts are twice the explained variances, and add up", {
  a <- 1
  b <- 2
  data <- two_level(40, 20, a, b)
  means <- tapply(data$x, data$g, mean)
  truth <- c(within = 2 * a^2 * mean(tapply(data$x, data$g, stats::var)),
             between = 2 * b^2 * stats::var(means), context = 2 * (b - a)^2 * stats::var(means))
  truth["both"] <- truth["within"] + truth["between"]
  for (spec in list(dg_lm(domain_means = TRUE), dg_ridge(lambda = 0.01, domain_means = TRUE,
                                                         kernel = kernel_linear(),
                                                         domain_kernel = domain_pooled()))) {
    result <- with_seed(1, dg_importance(spec, y ~ x + z + noise | g, data = data, folds = 5,
                                         kind = all_kinds, permutations = 4))
    for (kind in all_kinds) {
      line <- of(result, "x", kind)
      expect_equal(line$increase, truth[[kind]], tolerance = 0.15)
      expect_true(line$lower < truth[[kind]] && truth[[kind]] < line$upper)
    }
    # of z only rows matter: 2 (1/2)^2, and domains as far as their means differ by chance
    expect_equal(of(result, "z", "within")$increase, 0.5, tolerance = 0.1)
    expect_lt(of(result, "z", "between")$increase, 0.1)
    for (kind in all_kinds) expect_lt(abs(of(result, "noise", kind)$increase), 0.02)
    expect_identical(unique(result$table$predictor), c("x", "z", "noise"))
  }
})

test_that("a property of the domain alone does nothing within, and what is not used does nothing", {
  data <- two_level(10, 12)
  data$size <- 2 * (as.integer(data$g) %% 4)
  data$y <- data$y + data$size
  result <- dg_importance(dg_lm(), y ~ x + size | g, data = data, kind = all_kinds,
                          permutations = 4, folds = 5)
  expect_identical(of(result, "size", "within")$increase, 0)
  expect_equal(of(result, "size", "between")$increase, of(result, "size", "both")$increase)
  expect_gt(of(result, "size", "between")$increase, 1)
  # nothing describes the domain
  expect_identical(of(result, "x", "context")$increase, 0)
  # where domains share all values, those of another are the same in another order
  data$dose <- rep(seq(0.1, 1.2, 0.1), 10)[order(rep(1:10, each = 12), runif(120))]
  shared <- dg_importance(dg_lm(), y ~ dose | g, data = data, permutations = 4, kind = "between")
  expect_identical(shared$table[c("increase", "se")], data.frame(increase = 0, se = 0))
  null <- dg_importance(dg_null(), y ~ x + size | g, data = data, permutations = 2, folds = 2)
  expect_true(all(null$table$increase == 0))
})

test_that("columns of the data are permuted, not those of the design, alone or together", {
  data <- two_level(8, 15)
  data$f <- factor(rep_len(c("u", "v", "w"), nrow(data)))
  data$y <- data$y + (data$f == "v") * data$z
  once <- function(formula, ...) {
    with_seed(2, dg_importance(dg_lm(), formula, data = data, permutations = 3, folds = 4, ...))
  }
  bent <- once(y ~ poly(x, 2) + f * z | g)
  expect_setequal(bent$table$predictor, c("x", "f", "z"))
  expect_gt(of(bent, "f", "within")$increase, 0.05)
  pair <- once(y ~ x + z + f | g, predictors = list(numbers = c("x", "z"), "f"))
  expect_identical(unique(pair$table$predictor), c("numbers", "f"))
  alone <- once(y ~ x + z + f | g)
  expect_equal(of(pair, "numbers", "within")$increase,
               of(alone, "x", "within")$increase + of(alone, "z", "within")$increase,
               tolerance = 0.2)
})

test_that("matrices, fitted models, chains, weights and given domains do as formulas do", {
  data <- two_level(6, 12)
  once <- function(...) with_seed(5, dg_importance(..., permutations = 2, folds = 3)$table)
  expected <- once(dg_lm(), y ~ x + z | g, data = data)
  expect_identical(once(dg_lm(), as.matrix(data[c("x", "z")]), data$y, data$g), expected)
  expect_identical(once(dg_lm(), data[c("x", "z")], data$y, data$g), expected)
  expect_identical(once(dg_lm(y ~ x + z | g, data = data)), expected)
  unnamed <- once(dg_lm(), unname(as.matrix(data[c("x", "z")])), data$y, data$g)
  expect_setequal(unnamed$predictor, c("x1", "x2"))
  expect_identical(unnamed$increase, expected$increase)
  one <- once(dg_lm(), data$x, data$y, data$g)
  expect_identical(one$predictor, rep("x1", 3))
  projected <- once(dg_pipeline(dg_udica(ncomp = 2, domain_kernel = domain_distribution()),
                          dg_ridge(lambda = 1)), y ~ x + z | g, data = data, kind = "context")
  expect_true(all(projected$increase != 0))
  gaps <- transform(data, z = replace(z, 5:9, NA))
  expect_false(anyNA(once(dg_ridge(lambda = 1), y ~ x + z | g, data = gaps,
                          na.action = na.impute)$increase))
})

test_that("probabilities and several classes are judged, by each metric's own direction", {
  data <- two_level(6, 20)
  data$class <- cut(data$y, c(-Inf, -1, 1, Inf), c("low", "middle", "high"))
  for (metric in c("accuracy", "auc", "brier")) {
    spec <- if (metric == "brier") dg_svm(cost = 1, calibration = "platt") else dg_ridge(lambda = 1)
    result <- quietly(dg_importance(spec, class ~ x + noise | g, data = data, metric = metric,
                                    permutations = 2, folds = 3, kind = "both"))
    expect_gt(of(result, "x", "both")$increase, 0.1)
    expect_lt(abs(of(result, "noise", "both")$increase), 0.1)
  }
})

test_that("intervals are of the pseudovalues of pairs, the outer ends of two", {
  G <- 6
  D <- with_seed(1, matrix(stats::rexp(G^2), G))
  diag(D) <- NA
  U <- function(keep) mean(D[keep, keep], na.rm = TRUE)
  expected <- vapply(seq_len(G), function(k) {
    G * U(seq_len(G)) - (G - 1) * U(setdiff(seq_len(G), k))
  }, 0)
  expect_equal(pseudovalues(rowMeans(D, na.rm = TRUE), colMeans(D, na.rm = TRUE)), expected)
  expect_true(all(is.na(pseudovalues(c(1, 2), c(2, 1)))))
  data <- two_level(5, 8)
  result <- dg_importance(dg_lm(), y ~ x | g, data = data, permutations = 4, kind = "within",
                          level = 0.8)
  values <- result$domains$increase
  se <- stats::sd(values) / sqrt(5) * sqrt(1 + 5 / 4)
  expect_equal(result$table$se, se)
  t <- stats::qt(0.9, 4)
  expect_equal(result$table$lower, mean(values) - t * se)
  size <- mean(values) / se
  expect_equal(result$table$upper, se * sinh(asinh(size) + t / sqrt(1 + size^2)))
  two <- dg_importance(dg_lm(), y ~ x | g, data = droplevels(data[data$g %in% c("d01", "d02"), ]),
                       permutations = 2)
  expect_identical(is.na(two$table$se), two$table$kind != "within")
})

test_that("a row alone in its domain has none to change with", {
  data <- two_level(5, 8)[-(2:8), ]
  result <- quietly(dg_importance(dg_lm(), y ~ x | g, data = data, permutations = 2))
  within <- result$domains[result$domains$kind == "within", ]
  expect_identical(which(is.na(within$increase)), 1L)
  expect_identical(of(result, "x", "within")$domains, 4L)
  expect_false(anyNA(result$domains$increase[result$domains$kind != "within"]))
  expect_no_match(capture.output(print(result)), "no domain has two rows")
  alone <- dg_importance(dg_lm(), y ~ x | g, data = transform(data, g = seq_along(g)), folds = 4,
                         permutations = 2)
  expect_match(capture.output(print(alone)), "\"within\" is missing, because no domain has two",
               all = FALSE)
})

test_that("large folds are predicted in parts with the same domains", {
  data <- two_level(4, 30)
  run <- function() {
    dg_importance(dg_ridge(lambda = 1), y ~ x + z | g, data = data, permutations = 6, folds = 2,
                  kind = c("between", "context"))
  }
  whole <- with_seed(3, run())
  # each turn draws the same numbers, in the same order
  parts <- with_replaced("rows_together", 150L, with_seed(3, run()))
  expect_equal(parts$table, whole$table, tolerance = 1e-9)
})

test_that("what does not fit is refused", {
  data <- two_level(4, 6)
  run <- function(..., object = dg_lm(), formula = y ~ x + z | g) {
    dg_importance(object, formula, data = data, ...)
  }
  expect_domgen_error(run(kind = "across"), "`kind` must be one of")
  expect_domgen_error(run(kind = character()), "`kind` must be one of")
  expect_domgen_error(run(permutations = 0), "`permutations` must be one whole number")
  expect_domgen_error(run(level = 1), "`level` must be one number between 0 and 1")
  expect_domgen_error(run(predictors = "w"), "`predictors` must be among `x`, `z`, not `w`")
  expect_domgen_error(run(predictors = 1), "`predictors` must be names of columns")
  expect_domgen_error(run(predictors = list()), "`predictors` must be names of columns")
  expect_domgen_error(run(folds = row_folds(data$g, 2)), "`folds` must hold out whole domains")
  expect_domgen_error(run(metric = c("rmse", "mae")), "`metric` must be one score")
  expect_domgen_error(run(metric = "log_density", object = dg_gp()), "`metric` must be a score of")
  expect_domgen_error(run(permutates = 3), "did you mean `permutations`")
  expect_domgen_error(run(object = dg_dica()), "must predict the response")
  expect_domgen_error(dg_importance(dg_ridge(feature_map = features_nystrom(5)), y ~ x | g,
                                    data = row_source(data)), "rows in memory")
  for (metric in c("coverage", "interval_score")) {
    expect_domgen_error(run(metric = metric), "`metric` must be a score of predictions")
  }
  data$M <- as.matrix(data[c("x", "z")])
  expect_domgen_error(run(formula = y ~ M | g), "columns of single values; `M` is")
})

test_that("print shows the largest first, as wide as the page", {
  result <- with_seed(1, dg_importance(dg_lm(domain_means = TRUE), y ~ x + z | g,
                                       data = two_level(8, 10), permutations = 3))
  expect_snapshot(print(result))
  expect_identical(tidy(result)$estimate, result$table$increase)
  expect_identical(glance(result)$fits, 8L)
  expect_identical(as.data.frame(result)$kind, result$table$kind)
})

test_that("folds that tell the same of other domains or with other values are one note", {
  found <- alike_together(table(c('Alone: "a". Give more.', 'Alone: "b". Give more.', "other", "other",
                                  'Each: "a", "b".', 'Each: "d".', "gap = 0.02 (tol = 0.002)",
                                  "gap = 0.5 (tol = 0.002)", "column 3", "column 5")))
  expect_setequal(names(found), c(
    'Alone: "a". Give more. (and 1 with other names or values)', "other",
    'Each: "a", "b". (and 1 with other names or values)',
    "gap = 0.02 (tol = 0.002) (and 1 with other names or values)", "column 3", "column 5"))
  expect_identical(found[["other"]], 2)
  expect_identical(unname(found[startsWith(names(found), "Each")]), 2)
  toy <- simulate_dica(domains = 12, n = 8, p = 2, seed = 1)
  toy <- toy[!(toy$domain %in% levels(toy$domain)[1:2] & duplicated(toy$domain)), ]
  shown <- capture.output(print(dg_importance(dg_ridge(lambda = 1), y ~ . | domain, data = toy,
                                              permutations = 1, kind = "within")))
  expect_length(grep("described by a single row", shown), 1L)
  expect_match(paste(shown, collapse = " "), "2 of 12 folds", fixed = TRUE)
})

test_that("two domains are told to have no interval between them", {
  toy <- simulate_dica(domains = 2, n = 20, p = 2, seed = 1)
  of <- function(data) {
    paste(capture.output(print(dg_importance(dg_lm(), y ~ . | domain, data = data,
                                             permutations = 1))), collapse = " ")
  }
  expect_match(of(toy), "no interval for \"between\", \"both\"", fixed = TRUE)
  expect_no_match(of(simulate_dica(domains = 3, n = 20, p = 2, seed = 1)), "no interval")
})

test_that("what falls is called an increase, as in the table", {
  toy <- simulate_dcm(domains = 4, n = 20, seed = 1)
  found <- dg_importance(dg_lm(), y ~ . | domain, data = toy, permutations = 1, kind = "within")
  expect_identical(importance_label(found), "increase (fall of accuracy)")
  expect_match(importance_title(found), "Increase (fall of accuracy) when", fixed = TRUE)
})

test_that("intervals of crossed domains count what they share, as those of dg_cv()", {
  toy <- expand.grid(row = 1:6, device = 1:3, patient = 1:4)
  toy$x <- with_seed(1, rnorm(nrow(toy)))
  toy$y <- toy$patient * toy$x + with_seed(2, rnorm(nrow(toy)))
  found <- dg_importance(dg_lm(), y ~ x | patient + device, data = toy, permutations = 4,
                         kind = "within")
  # sums of squares by patient, by device, and by both (Cameron, Gelbach and Miller, 2011)
  d <- found$domains$increase
  patient <- sub(" .*", "", found$domains$domain)
  device <- sub(".* ", "", found$domains$domain)
  part <- function(by) {
    sums <- tapply(d - mean(d), by, sum)
    sum(sums^2) * length(sums) / (length(sums) - 1) / length(d)^2
  }
  variance <- max(part(patient) + part(device) - part(found$domains$domain), part(patient),
                  part(device))
  cv <- dg_cv(dg_lm(), y ~ x | patient + device, data = toy)
  expect_equal(found$table$se, sqrt(variance * (1 + 1 / cv$share)))
  half <- qt(0.975, 2) * found$table$se
  expect_equal(found$table$increase - found$table$lower, half)
})

test_that("classes of a response with several stand in its order", {
  order <- list(kind = "class", levels = c("low", "middle", "high"))
  expect_match(response_words(order), '"low", "middle", "high"', fixed = TRUE)
  expect_match(response_words(list(kind = "class", levels = c("no", "yes"))),
               '"no", "yes" (decision > 0: "yes")', fixed = TRUE)
})

test_that("refits add what the fits share beyond the factor, and nothing where they share nothing", {
  rows <- with_seed(3, data.frame(x = rnorm(60), g = rep(letters[1:6], 10)))
  rows$y <- with_seed(4, rows$x + rnorm(60))
  known <- learner_custom(fit = function(x, y, ...) list(),
                          predict = function(model, x, ...) unname(x[, 1]), scale = "none")
  se <- function(spec, refits) {
    set.seed(1)
    found <- dg_importance(spec, y ~ x | g, data = rows, kind = "within", refits = refits)
    expect_identical(found$fits, if (refits) 6L + 15L else 6L)
    c(found$table$se, sd(found$domains$increase) / sqrt(6))
  }
  # a model that learns nothing: permutations alone differ between fits
  plain <- se(known, FALSE)
  expect_equal(plain[1L] / plain[2L], sqrt(1 + 6 / 5), tolerance = 1e-8)
  expect_equal(se(known, TRUE), plain)
  # one that is nothing but what it learned
  level <- learner_custom(fit = function(x, y, ...) list(slope = 20 * mean(y)),
                          predict = function(model, x, ...) model$slope * unname(x[, 1]),
                          scale = "none")
  learned <- se(level, TRUE)
  expect_gt(learned[1L] / learned[2L], 1.01 * sqrt(1 + 6 / 5))
})

test_that("squared errors that overflow are told of", {
  d <- with_seed(3, data.frame(g = rep(letters[1:5], each = 8), x = rnorm(40)))
  d$y <- 1e200 * d$x
  expect_warning(dg_importance(dg_ridge(lambda = 1), y ~ x | g, data = d, permutations = 2),
                 "infinite", class = "domgen_warning_score")
  found <- dg_importance(dg_ridge(lambda = 1), y ~ x | g, data = d, permutations = 2,
                         metric = "rmse")
  expect_true(all(is.finite(found$table$increase)))
})

test_that("a fold that fails leaves the others, and dg_resume() tries it again", {
  d <- toy_domains(5, 8)
  measure <- function(...) with_seed(1, dg_importance(dg_lm(), y ~ x1 + x2 | domain, data = d,
                                                      permutations = 2, ...))
  whole <- measure()
  real <- domgen:::permute_fold
  failing <- function(domains) function(plan, split) {
    held <- unique(as.character(plan$task$domain[split$held]))
    if (any(held %in% domains)) stop("no luck")
    real(plan, split)
  }
  with_replaced("permute_fold", failing("d2"), {
    expect_warning(found <- measure(), "1 of 5 folds failed: .*no luck.*dg_resume",
                   class = "domgen_warning_failed")
  })
  expect_identical(found$failed$fold, 2L)
  expect_output(print(found), "1 fold failed: .*no luck")
  lost <- found$domains$domain == "d2"
  expect_true(all(is.na(found$domains$increase[lost])))
  same <- merge(found$domains[!lost, ], whole$domains, by = c("domain", "predictor", "kind"))
  expect_equal(same$increase.x, same$increase.y)
  again <- dg_resume()
  expect_equal(again$table, whole$table)
  expect_error(with_replaced("permute_fold", failing(levels(factor(d$domain))), measure()),
               "no luck")
})

test_that("a kind that is no text is an error that says what kinds there are", {
  with <- function(kind) dg_importance(dg_lm(), y ~ x + z | site, data = mixed_data(), kind = kind)
  for (kind in list(function(x) x, sum, quote(a), mixed_data(), list(mean), NULL, factor("within"),
                    c("within", NA), 1)) {
    expect_domgen_error(with(kind), '`kind` must be one of "within", .*, not ')
  }
})
