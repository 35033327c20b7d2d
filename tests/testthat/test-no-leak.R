# What a model is told of held-out rows: their predictors when it predicts them, nothing before.
skip_on_cran() # long

toy <- toy_domains(5, 12)
labels <- toy_classes(5, 12)
folds <- c(d1 = 1, d2 = 2, d3 = 2, d4 = 2, d5 = 1)
held <- toy$domain %in% c("d1", "d5")

learners <- list(
  ridge = dg_ridge(), domain = dg_ridge(scale = "domain"), both = dg_ridge(scale = "both"),
  rank = dg_ridge(scale = "rank"), raw = dg_ridge(scale = "none"),
  nystrom = dg_ridge(feature_map = features_nystrom(6)),
  kmeans = dg_ridge(feature_map = features_nystrom(6, sampling = "kmeans")),
  rff = dg_ridge(feature_map = features_rff(10),
                 domain_kernel = domain_pooled()), svm = dg_svm(), gp = dg_gp(optimise = FALSE),
  fitted = dg_ridge(bandwidths = "fitted", domain_kernel = domain_pooled()),
  distribution = dg_ridge(domain_kernel = domain_distribution()), lm = dg_lm(), null = dg_null(),
  chain = dg_pipeline(dg_dica(), dg_ridge()), invariant = dg_pipeline(dg_udica(scale = "rank"), dg_svm()),
  tuned = dg_tune(dg_ridge(), grid = list(lambda = 10^(0:2), bandwidth_factor = c(0.5, 1)), folds = 2),
  tuned_chain = dg_tune(dg_pipeline(dg_dica(), dg_lm()), grid = list(dica.lambda = c(0.1, 10)),
                        folds = 2, extend = FALSE),
  auto = dg_auto(max_ard = 0, n_members = 2, folds = 2)
)

# The scores with the labels as they are, made once.
made <- new.env()
as_it_is <- function(name) {
  if (is.null(made[[name]])) assign(name, run(learners[[name]], toy), made)
  made[[name]]
}

run <- function(spec, data, ...) {
  set.seed(4)
  dg_cv(spec, y ~ . | domain, data = data, folds = folds, ...)
}

test_that("labels of held-out domains change nothing but the scores", {
  set.seed(1)
  scrambled <- toy
  scrambled$y[held] <- sample(toy$y[held]) * 100 - 7
  for (name in names(learners)) {
    one <- as_it_is(name)
    two <- run(learners[[name]], scrambled)
    for (part in c("prediction", "decision")) {
      expect_identical(two$predictions[held, part], one$predictions[held, part],
                       label = paste(name, part))
    }
    expect_false(any(two$domains$score[c(1, 5)] == one$domains$score[c(1, 5)]))
    # what was chosen in the fold, too
    if (grepl("tuned", name)) expect_identical(two$fits[1, -3], one$fits[1, -3], label = name)
  }
})

test_that("classes of held-out domains change nothing but the scores", {
  set.seed(2)
  out <- labels$domain %in% c("d1", "d5")
  scrambled <- labels
  scrambled$y[out] <- sample(labels$y[out])
  specs <- list(platt = dg_svm(calibration = "platt"),
                isotonic = dg_ridge(calibration = "isotonic"),
                dica = dg_pipeline(dg_dica(), dg_svm()), dcm = dg_pipeline(dg_dcm(), dg_lm()),
                tuned = dg_tune(dg_svm(), grid = list(cost = 10^(0:1)), folds = 2, metric = "auc",
                                extend = FALSE))
  if (long_form()) specs$auto <- dg_auto(max_ard = 0, metric = "auc", n_members = 2, folds = 2)
  for (name in names(specs)) {
    metric <- if (name %in% c("platt", "isotonic")) "log_loss" else "accuracy"
    one <- run(specs[[name]], labels, metric = metric)
    two <- run(specs[[name]], scrambled, metric = metric)
    kept <- setdiff(names(one$predictions), "truth")
    expect_identical(two$predictions[out, kept], one$predictions[out, kept], label = name)
  }
})

# The model that each fold fits, asked about new rows that belong to nobody.
fold_answers <- function(spec, data, new) {
  answers <- list()
  # of what each fold fits
  with_replaced("chosen_parameters", function(model) {
    answers <<- c(answers, list(predict(seal(model), new)))
    NULL
  }, run(spec, data))
  answers
}

test_that("scaling, bandwidths, landmarks and fits never see a held-out row", {
  new <- simulate_dica(domains = 2, n = 10, p = 3, seed = 9)
  levels(new$domain) <- c("n1", "n2")
  wild <- toy
  for (x in c("x1", "x2", "x3")) wild[[x]][held] <- 1e3 * toy[[x]][held] + 50
  wild$y[held] <- 1e3 * toy$y[held]
  for (name in setdiff(names(learners), c("tuned", "tuned_chain", "auto"))) {
    one <- fold_answers(learners[[name]], toy, new)
    two <- fold_answers(learners[[name]], wild, new)
    expect_length(one, 2L)
    # the fold that holds the wild domains out
    expect_identical(two[[1L]], one[[1L]], label = name)
    # and the test would see it
    if (name != "null") expect_false(identical(two[[2L]], one[[2L]]), label = name)
  }
})

test_that("a fold is the fit by hand to the training rows, predicting the others", {
  for (name in setdiff(names(learners), "auto")) {
    result <- as_it_is(name)
    set.seed(4)
    seed <- draw_seeds(2L)[1L]
    train <- toy[!held, ]
    by_hand <- with_seed(seed, {
      model <- fit(learners[[name]], y ~ . | domain, data = droplevels(train))
      predict(model, droplevels(toy[held, ]))
    })
    expect_equal(result$predictions$prediction[held], unname(by_hand), tolerance = 1e-8,
                 label = name)
  }
})

test_that("a search sees the outer training rows alone", {
  seen <- list()
  wild <- toy
  wild$x1[held] <- 1e6
  own <- domgen:::search_parameters
  with_replaced("search_parameters", function(spec, task, ctx, fit, outcomes) {
    seen <<- c(seen, list(list(domains = unique(as.character(task$domain)),
                               x = task$input$data$x1)))
    own(spec, task, ctx, fit, outcomes)
  }, run(learners$tuned, wild))
  expect_identical(seen[[1L]]$domains, c("d2", "d3", "d4"))
  expect_true(all(seen[[1L]]$x < 1e5))
  expect_length(seen, 2L)
})

noise <- function(seed) {
  with_seed(seed, data.frame(domain = rep(letters[1:6], each = 8), x1 = rnorm(48), x2 = rnorm(48),
                             x3 = rnorm(48), y = rnorm(48)))
}

test_that("the nested score of pure noise is that of the null model", {
  # mean difference of the error from the null model's, for each seed
  excess <- function(spec, seeds, folds) {
    vapply(seeds, function(seed) {
      set.seed(seed)
      found <- dg_compare(list(s = spec), y ~ . | domain, data = noise(seed), folds = folds,
                          refits = FALSE)$scores
      mean(found[, "s"] - found[, "null"])
    }, 0)
  }
  spec <- dg_ridge(domain_kernel = domain_pooled())
  grid <- list(lambda = 10^c(-2, 0, 1, 3), bandwidth_factor = c(0.5, 2))
  seeds <- seq_len(if (long_form()) 10 else 5)
  tuned <- excess(dg_tune(spec, grid = grid, extend = FALSE, folds = 3), seeds, 3)
  # not better than chance, and hardly worse: 0.06 of a standard deviation
  expect_gt(mean(tuned), -2.5 * sd(tuned) / sqrt(length(seeds)))
  expect_lt(mean(tuned), 0.06)
  # while the score of the best choice, which has seen them, is too good
  chosen <- vapply(seeds, function(seed) {
    set.seed(seed)
    data <- noise(seed)
    folds <- domain_folds(data$domain, 3)
    model <- dg_tune(spec, y ~ . | domain, data = data, grid = grid, extend = FALSE, folds = folds)
    min(model$tuning$table$mean) - dg_cv(dg_null(), y ~ . | domain, data = data, folds = folds)$mean
  }, 0)
  expect_lt(mean(chosen), mean(tuned))
  auto <- excess(dg_auto(max_ard = 0), seq_len(if (long_form()) 4 else 2), 2)
  expect_gt(mean(auto), -2.5 * max(sd(auto), 0.03) / sqrt(length(auto)))
  expect_lt(mean(auto), 0.15)
})
