# What holds for every method, kernel between domains and projection is in inst/testthat/laws.R; here
# are what else describes a domain, models made of models, and what is refused.
source(system.file("testthat", "laws.R", package = "domgen"), local = TRUE)

train <- toy_domains(4, 20)
reference <- toy_domains(3, 24, seed = 6)
levels(reference$domain) <- c("a", "b", "c")
# three of each domain
new <- do.call(rbind, lapply(split(reference, reference$domain), head, 3))
labels <- toy_classes(4, 25)
labels_new <- toy_classes(2, 24, seed = 6)
few <- c(1:3, nrow(labels_new) - 0:2)
distributional <- dg_ridge(lambda = 0.1, domain_kernel = domain_distribution())

fit_toy <- function(spec, data = train, ...) fit_seeded(spec, data, ...)

test_that("scaling by domain, both ways, and the domains' means stand as the reference has them", {
  for (scale in c("domain", "both")) {
    for (spec in list(dg_lm(scale = scale), dg_svm(cost = 1, scale = scale),
                      dg_ridge(lambda = 1, scale = scale, domain_kernel = domain_pooled()))) {
      expect_fixed(fit_toy(spec), new, reference)
    }
  }
  expect_fixed(fit_toy(dg_lm(domain_means = TRUE)), new, reference)
  expect_fixed(fit_toy(dg_ridge(lambda = 1, domain_means = TRUE)), new, reference)
})

test_that("a fixed mean is the reference's, from the formula", {
  spec <- dg_lm(scale = "domain")
  model <- fit_toy(spec)
  fixed <- set_reference(model, reference)
  row <- new[4, ]
  of <- as.matrix(reference[reference$domain == "b", c("x1", "x2", "x3")])
  z <- (unlist(row[colnames(of)]) - colMeans(of)) / apply(of, 2, sd)
  b <- coef(model)
  expect_equal(predict(fixed, row), b[[1]] + sum(b[-1] * z), tolerance = 1e-10)
})

test_that("gaps are filled by domain as the reference fills them", {
  gappy <- transform(train, x2 = replace(x2, seq(1, nrow(train), 7), NA))
  model <- fit(dg_ridge(lambda = 1), y ~ . | domain, data = gappy,
               na.action = na.impute(by = "domain"))
  holes <- transform(new, x2 = replace(x2, c(1, 4, 5), NA))
  filled <- transform(reference, x2 = replace(x2, c(7, 28), NA))
  expect_fixed(model, holes, filled)
  expect_fixed(fit(dg_lm(scale = "domain"), y ~ . | domain, data = gappy,
                   na.action = na.impute(by = "domain")), holes, filled)
})

test_that("feature maps, given similarities, chains and Gaussian processes are fixed", {
  specs <- list(
    dg_ridge(lambda = 0.1, domain_kernel = domain_distribution(), feature_map = features_nystrom(30)),
    dg_ridge(lambda = 0.1, domain_kernel = domain_distribution(),
             feature_map = features_product(x = features_nystrom(15))),
    dg_ridge(lambda = 0.1, domain_kernel = domain_distribution(),
             feature_map = features_product("fourier", n_features = 60)),
    dg_ridge(lambda = 0.1, domain_kernel = domain_multitask(0.4)),
    dg_pipeline(dg_dica(ncomp = 2, domain_kernel = domain_distribution()), distributional),
    dg_pipeline(dg_dica(ncomp = 2, scale = "domain"), dg_svm(cost = 1)),
    dg_pipeline(dg_udica(ncomp = 2, feature_map = features_nystrom(30)), dg_gp(optimise = FALSE))
  )
  for (spec in specs) expect_fixed(fit_toy(spec), new, reference, tolerance = 1e-7)
  process <- fit_toy(dg_gp(optimise = FALSE))
  expect_fixed(process, new, reference, interval = "posterior")
  fixed <- set_reference(process, reference)
  expect_equal(predict(fixed, new, se.fit = TRUE),
               predict(process, new, se.fit = TRUE, reference = reference), tolerance = 1e-8)
  one <- new[1:3, ]
  expect_equal(simulate(fixed, 2, seed = 1, newdata = one),
               simulate(process, 2, seed = 1, newdata = one, reference = reference),
               tolerance = 1e-6)
})

test_that("ensembles, automatic choices and tuned models are fixed in all their members", {
  ensemble <- dg_ensemble(list(ridge = distributional, lm = dg_lm(scale = "domain"),
                               chain = dg_pipeline(dg_kpca(ncomp = 2, scale = "both"), dg_ridge(lambda = 1)),
                               null = dg_null()))
  expect_fixed(fit_toy(ensemble), new, reference)
  expect_fixed(fit_toy(ensemble, labels), labels_new[few, ], labels_new, type = "decision")
  tuned <- dg_tune(dg_svm(), y ~ . | domain, data = train, grid = list(cost = c(0.1, 1)),
                   progress = FALSE)
  expect_fixed(tuned, new, reference)
  auto <- dg_auto(y ~ . | domain, data = train, progress = FALSE)
  fixed <- expect_fixed(auto, new, reference)
  expect_s3_class(fixed, c("dg_fixed", "dg_auto"))
  stacked <- dg_ensemble(list(tuned = dg_tune(dg_ridge(), grid = list(lambda = c(0.1, 1))),
                              lm = dg_lm(domain_means = TRUE)))
  expect_fixed(fit_toy(stacked), new, reference)
})

test_that("classes, probabilities and similarity are those of the reference", {
  model <- dg_svm(y ~ . | domain, data = labels, cost = 1, calibration = "platt")
  rows <- labels_new[few, ]
  for (type in c("class", "prob", "decision", "similarity")) {
    expect_fixed(model, rows, labels_new, type = type)
  }
})

test_that("with one domain in the reference new rows need no domain, with several they do", {
  model <- fit_toy(distributional)
  one <- reference[reference$domain == "b", ]
  bare <- subset(new[4:6, ], select = -domain)
  expected <- predict(model, new[4:6, ], reference = reference)
  fixed <- set_reference(model, one)
  expect_equal(predict(fixed, bare), expected, tolerance = 1e-10)
  expect_equal(predict(fixed, new[4:6, ]), expected, tolerance = 1e-10)
  expect_equal(predict(set_reference(model, subset(one, select = -domain), domain = "any"), bare),
               expected, tolerance = 1e-10)
  expect_domgen_error(predict(fixed, new[3:4, ]),
                      "the domain \"b\", which the fixed reference describes, not of \"a\"")
  several <- set_reference(model, reference)
  expect_domgen_error(predict(several, bare), "must have the domain column `domain`")
  expect_equal(predict(several, bare, domain = "b"), expected, tolerance = 1e-10)
  expect_domgen_error(predict(several, train[1:3, ]),
                      "the domains \"a\", \"b\", \"c\", which the fixed reference describes, not of")
  # a domain that is not known leaves its row out
  lost <- transform(new, domain = replace(domain, 2, NA))
  expect_warning(found <- predict(several, lost), class = "domgen_warning_missing")
  expect_identical(which(is.na(found)), 2L)
})

test_that("\"training\" is each training domain as it was", {
  ensemble <- dg_ensemble(list(ridge = distributional, lm = dg_lm(scale = "domain")))
  for (spec in list(distributional, dg_lm(scale = "both"), ensemble,
                    dg_pipeline(dg_dica(ncomp = 2), distributional))) {
    model <- fit_toy(spec)
    fixed <- set_reference(model, "training")
    expect_equal(predict(fixed, train[c(1, 30, 70), ]), fitted(model)[c(1, 30, 70)],
                 tolerance = 1e-8)
    expect_true(fixed$reference$training)
    expect_identical(fixed$reference$domains, levels(train$domain))
  }
  mapped <- fit_toy(dg_ridge(lambda = 0.1, domain_kernel = domain_distribution(),
                             feature_map = features_nystrom(30)))
  expect_domgen_error(set_reference(mapped, "training"), "keeps no training rows")
})

test_that("a model that makes no difference between domains predicts as before", {
  model <- fit_toy(dg_ridge(lambda = 1, domain_kernel = domain_pooled()))
  fixed <- set_reference(model, subset(reference, select = -domain))
  expect_identical(predict(fixed, train), predict(model, train))
  expect_null(fixed$reference$domains)
  expect_output(print(fixed), "domains make no difference")
})

test_that("a mixed model takes new rows for those of the domain that is fixed", {
  skip_if_not_installed("lme4")
  apart <- transform(train, y = y + as.integer(domain))
  model <- fit_toy(dg_mixed(), apart)
  one <- domains_of(apart, 2)
  bare <- subset(one, select = -domain)
  expect_equal(predict(set_reference(model, one), bare), predict(model, one))
  expect_gt(max(abs(predict(model, bare) - predict(model, one))), 0.1)
})

test_that("rows in blocks are predicted as the reference describes them", {
  for (spec in list(distributional, dg_lm(scale = "domain"))) {
    fixed <- set_reference(fit_toy(spec), reference)
    source <- row_source(list(new[1:4, ], new[5:9, ]))
    expect_equal(predict(fixed, source), predict(fixed, new), tolerance = 1e-10)
    expect_domgen_error(predict(fixed, source, reference = reference), "cannot be given")
  }
  one <- set_reference(fit_toy(distributional), domains_of(reference, 1))
  bare <- subset(new[1:3, ], select = -domain)
  expect_equal(predict(one, row_source(list(bare[1:2, ], bare[3, ]))), predict(one, bare),
               tolerance = 1e-10)
})

test_that("a model with the reference fixed comes back from a file, in another session", {
  models <- list(fit_toy(distributional), fit_toy(dg_lm(scale = "both")),
                 fit_toy(dg_pipeline(dg_dica(ncomp = 2), distributional)))
  fixed <- lapply(models, set_reference, reference)
  found <- in_new_session(lapply(input$fixed, predict, input$new), list(fixed = fixed, new = new))
  expect_identical(found, lapply(fixed, predict, new))
  broken <- fixed[[1]]
  broken$space$domain_kernel$row <- broken$space$domain_kernel$row[-1, ]
  expect_domgen_error(predict(broken, new), "is damaged")
})

test_that("a fixed model does not keep the rows of the reference, nor those of embeddings", {
  model <- fit_toy(distributional)
  small <- length(serialize(set_reference(model, reference), NULL))
  many <- reference[rep(seq_len(nrow(reference)), 20), ]
  large <- length(serialize(set_reference(model, many), NULL))
  expect_lt(abs(large - small), 100)
  expect_lt(small, length(serialize(model, NULL)))
})

test_that("what cannot be fixed is refused in words, and so is another reference", {
  model <- fit_toy(distributional)
  fixed <- set_reference(model, reference)
  adapted <- dg_adapt(model, domains_of(reference, 1), labels = "y")
  expect_refusals({
    set_reference(1, reference)
    set_reference(distributional, reference)
    set_reference(model)
    set_reference(fixed, reference)
    set_reference(adapted, reference)
    set_reference(model, "train")
    set_reference(model, subset(reference, select = -x2))
    set_reference(model, subset(reference, select = -domain))
    suppressWarnings(set_reference(model, transform(reference[1:3, ], x1 = NA)))
    set_reference(model, reference, domain = 1:2)
    predict(fixed, new, reference = reference)
    predict(fixed, new, reference = reference, reference_domain = "a")
    predict(fixed, train[1, ])
    predict(fixed, subset(new, select = -domain))
    simulate(set_reference(fit_toy(dg_gp(optimise = FALSE)), reference), newdata = new)
  })
})

test_that("print says what is fixed", {
  expect_snapshot_output({
    print(set_reference(fit_toy(distributional), reference))
    print(set_reference(fit_toy(dg_lm(scale = "domain")), "training"))
  })
})

test_that("a fixed model adapts to a domain as the model does with that reference", {
  model <- fit_toy(distributional)
  one <- domains_of(reference, 2)
  few <- replace(one$y, -(1:5), NA)
  by_reference <- dg_adapt(model, one[1:8, ], few[1:8], reference = one)
  expect_equal(predict(dg_adapt(set_reference(model, reference), one[1:8, ], few[1:8]), one),
               predict(by_reference, one), tolerance = 1e-8)
})

test_that("no rows, and a domain beside \"training\", are refused in words", {
  model <- fit_toy(distributional)
  expect_domgen_error(set_reference(model, NULL), "`newdata` must be a data frame, .* not NULL")
  expect_domgen_error(set_reference(model, "training", domain = "a"),
                      "`domain` must not be given with `newdata = \"training\"`")
})
