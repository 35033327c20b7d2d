# Every argument of every exported function against what nobody should give.

b <- bad_input_base()
d <- data.frame(b$X, y = b$number, class = b$class, g = b$domain)
X <- b$X

numbers <- list(
  cost = list(dg_svm, bad_numbers(0, -1)[-1]),
  epsilon = list(dg_svm, bad_numbers(-1)),
  tolerance = list(dg_svm, bad_numbers(0, -1)),
  max_iterations = list(dg_svm, bad_numbers(-1, 0.5, 3e9)),
  ncomp = list(dg_dica, bad_numbers(0, -1, 0.5, 3e9)),
  ncomp = list(dg_kpca, bad_numbers(0, -1, 0.5, 3e9)),
  lambda = list(dg_dica, bad_numbers(0, -1)),
  lambda = list(dg_udica, bad_numbers(0, -1)),
  lambda = list(dg_ridge, bad_numbers(0, -1)[-1]),
  epsilon = list(dg_coir, bad_numbers(0, -1)),
  threads = list(dg_dica, bad_numbers(0, -1, 0.5, 1e6)[-1]),
  threads = list(dg_svm, bad_numbers(0, -1, 0.5, 1e6)[-1]),
  bandwidth = list(kernel_rbf, without(bad_numbers(0, -1, 1e-310), "NULL", "two")),
  bandwidth = list(kernel_laplace, without(bad_numbers(0, -1), "NULL", "two")),
  bandwidth = list(kernel_exponential, bad_numbers(0, -1)),
  nu = list(kernel_matern, bad_numbers(0, -1, 1)),
  degree = list(kernel_poly, bad_numbers(0, -1, 0.5)),
  degree = list(kernel_anova, bad_numbers(0, -1, 0.5)),
  gamma = list(kernel_poly, bad_numbers(-1)),
  coef0 = list(kernel_poly, bad_numbers(-1)),
  signal_sd = list(dg_gp, bad_numbers(0, -1)[-1]),
  noise_sd = list(dg_gp, bad_numbers(0, -1)[-1]),
  restarts = list(dg_gp, bad_numbers(0, -1, 0.5, 1e4)),
  tau = list(domain_multitask, bad_numbers(-0.1, 1.1)[-1]),
  domains = list(simulate_dica, bad_numbers(0, -1, 0.5)),
  n = list(simulate_dcm, bad_numbers(0, -1, 0.5)),
  p = list(simulate_dica, bad_numbers(0, -1, 0.5)),
  eta = list(simulate_dica, bad_numbers(0, -1)),
  c = list(simulate_dica, bad_numbers()),
  seed = list(simulate_ellipses, bad_numbers(3e9)[-1])
)

test_that("a number that breaks the rule is an error that names the argument", {
  for (i in seq_along(numbers)) {
    arg <- names(numbers)[i]
    expect_names_argument(
      each(arg, numbers[[i]][[2]], function(v) do.call(numbers[[i]][[1]], stats::setNames(list(v),
        arg),
                                                       quote = TRUE)), arg
    )
  }
})

test_that("a choice, a flag or an object of the wrong kind is an error that names the argument", {
  objects <- bad_numbers(0, 0.5)
  given <- list(
    form = dg_dica, normalise = dg_udica, scale = dg_kpca, domain_weights = dg_svm, domain_weights = dg_lm,
    domain_weights = dg_ridge, bandwidths = dg_ridge, feature_map = dg_ridge,
    calibration = dg_svm, calibration = dg_ridge,
    intercept = dg_svm, optimise = dg_gp, ard = dg_gp, feature_map = dg_gp,
    domain_kernel = dg_dica, domain_kernel = dg_svm, kernel = dg_dica, kernel = dg_udica,
    kernel = domain_distribution, embedding_kernel = domain_distribution, kernel = kernel_normalise,
    fun = kernel_custom, sampling = simulate_ellipses
  )
  for (i in seq_along(given)) {
    arg <- names(given)[i]
    flag <- arg %in% c("intercept", "optimise", "ard")
    values <- without(objects, if (flag) "TRUE", if (arg == "fun") "function")
    expect_names_argument(
      each(arg, values, function(v) do.call(given[[i]], stats::setNames(list(v), arg),
        quote = TRUE)), arg
    )
  }
})

test_that("arguments that go with data are checked at the door", {
  some <- bad_numbers(0)
  wrong <- function(label, arg, f, leave = character()) {
    expect_names_argument(each(label, without(some, leave), f), arg)
  }
  wrong("kernel_matrix", "kernel", function(v) kernel_matrix(v, X))
  wrong("kernel_matrix", "threads", function(v) kernel_matrix(kernel_rbf(), X, threads = v), "NULL")
  wrong("kernel_matrix", "z", function(v) kernel_matrix(kernel_rbf(), X, v), c("NULL", "matrix"))
  wrong("domain_gram", "kernel", function(v) domain_gram(X, d$g, v))
  wrong("domain_gram", "domain", function(v) domain_gram(X, v))
  wrong("dg_mmd", "unbiased", function(v) dg_mmd(X, d$g, unbiased = v), "TRUE")
  wrong("dg_mmd", "permutations", function(v) dg_mmd(X, d$g, permutations = v), "0")
  wrong("distributional_variance", "domain", function(v) distributional_variance(X, v))
  wrong("dg_pipeline", "projection", function(v) dg_pipeline(v, dg_lm()))
  wrong("dg_pipeline", "learner", function(v) dg_pipeline(dg_dica(), v))
  wrong("fit", "object", function(v) fit(v))
  wrong("dg_cv", "object", function(v) dg_cv(v, y ~ a | g, data = d))
  wrong("dg_cv", "metric", function(v) dg_cv(dg_lm(), y ~ a | g, data = d, metric = v), "NULL")
  wrong("dg_cv", "folds", function(v) dg_cv(dg_lm(), y ~ a | g, data = d, folds = v), "NULL")
  wrong("dg_cv", "progress", function(v) dg_cv(dg_lm(), y ~ a | g, data = d, progress = v),
        c("NULL", "TRUE"))
  wrong("dg_compare", "baseline", function(v) {
    dg_compare(list(a = dg_lm()), y ~ a | g, data = d, baseline = v, progress = FALSE)
  }, c("NULL", "text"))
  wrong("row_folds", "repeats", function(v) row_folds(d$g, 2, repeats = v))
  expect_domgen_error(row_folds(d$g, 2, repeats = 1e9), "at most 10,000, not 1e\\+09")
  expect_domgen_error(simulate_dica(n = 1e9), "A table of 10,000,000,000 rows would take",
                      "domgen_error_memory")
  expect_domgen_error(simulate_dcm(p = 1e6), "The covariance of 1,000,000 predictors",
                      "domgen_error_memory")
  wrong("domain_folds", "folds", function(v) domain_folds(d$g, v), "NULL")
  wrong("na.action", "na.action", function(v) dg_lm(y ~ a, data = d, na.action = v), "NULL")
  wrong("weights", "weights", function(v) dg_lm(X, d$y, weights = v), "NULL")
  wrong("y", "y", function(v) dg_lm(X, v), "NULL")
})

test_that("arguments of the methods of a fitted model are checked", {
  model <- dg_svm(y ~ a + b | g, data = d)
  projection <- dg_udica(~ a + b | g, data = d)
  cross <- dg_cv(dg_lm(), y ~ a | g, data = d, progress = FALSE)
  wrong <- function(arg, f, leave = character()) {
    expect_names_argument(each(arg, without(bad_numbers(-1), leave), f), arg)
  }
  wrong("type", function(v) predict(model, d, type = v))
  wrong("reference_domain", function(v) predict(model, d, reference_domain = v), "NULL")
  wrong("evaluate", function(v) update(model, evaluate = v), "TRUE")
  wrong("formula.", function(v) update(model, v))
  wrong("cost", function(v) update(model, cost = v), "NULL")
  wrong("components", function(v) plot(projection, components = v), "two")
  wrong("max_panels", function(v) plot(projection, max_panels = v))
  wrong("max_labels", function(v) plot(cross, max_labels = v))
  wrong("digits", function(v) print(cross, digits = v), "NULL")
  wrong("digits", function(v) print(dg_mmd(X, d$g), digits = v), "NULL")
})

test_that("required arguments that are missing are named", {
  expect_names_argument(list(kernel_matrix = function() kernel_matrix(),
                             kernel_normalise = function() kernel_normalise()), "kernel")
  expect_names_argument(list(kernel_matrix = function() kernel_matrix(kernel_rbf()),
                             median_bandwidth = function() median_bandwidth(),
                             domain_gram = function() domain_gram(), mmd = function() dg_mmd(),
                             fit = function() fit(dg_svm()), dg_cv = function() dg_cv(dg_lm())),
                               "x")
  expect_names_argument(list(domain_gram = function() domain_gram(X), mmd = function() dg_mmd(X),
                             folds = function() domain_folds()), "domain")
  expect_names_argument(list(tau = function() domain_multitask()), "tau")
  expect_names_argument(list(fun = function() kernel_custom()), "fun")
  expect_names_argument(list(fit = function() fit(), dg_cv = function() dg_cv()), "object")
  expect_names_argument(list(compare = function() dg_compare()), "objects")
  expect_names_argument(list(chain = function() dg_pipeline()), "projection")
  expect_names_argument(list(chain = function() dg_pipeline(dg_dica())), "learner")
})

test_that("unknown and misspelt arguments are errors, not ignored", {
  model <- dg_svm(y ~ a + b | g, data = d)
  calls <- list(
    dica = function() dg_dica(lamda = 1), udica = function() dg_udica(epsilon = 1),
    coir = function() dg_coir(weights = 1), kpca = function() dg_kpca(X, lambda = 1),
    svm = function() dg_svm(X, d$y, d$g, costs = 1), lm = function() dg_lm(X, d$y, cost = 1),
    null = function() dg_null(threads = 1), fit = function() fit(dg_svm(), X, d$y, cost = 3),
    weights = function() fit(dg_kpca(), X, weights = 1), update = function() update(model, costt = 1),
    `null update` = function() update(model, foo = NULL), position = function() update(model,
      y ~ a, d),
    predict = function() predict(model, d, se.fit = TRUE), cv = function() dg_cv(dg_lm(), X, v = 3),
    compare = function() dg_compare(list(dg_lm()), X, method = 3),
    summary = function() summary(dg_udica(~ a | g, data = d), digits = 3),
    `stray na.action` = function() dg_dica(na.action = na.fail), `stray y` = function() dg_dica(y = d$y)
  )
  expect_outcomes(calls, "error")
  expect_refusals({
    dg_dica(lamda = 1)
    dg_lm(X, d$y, cost = 1)
  })
})

test_that("what has no plot and a model whose data are gone say so", {
  model <- local({
    gone <- d
    dg_ridge(y ~ a + b | g, data = gone, feature_map = features_nystrom(5))
  })
  expect_domgen_error(plot(dg_svm()), "fit it first")
  line <- dg_lm(y ~ a + b | g, data = d)
  expect_domgen_error(plot(dg_coefficients(line)), "has no plot: tidy\\(x\\)")
  report <- suppressWarnings(dg_report(dg_validate(line, newdata = d)))
  expect_domgen_error(plot(report), "plot what dg_validate")
  expect_domgen_error(dg_cv(model), "data of the model are gone")
  expect_domgen_error(update(model, lambda = 2),
                      "are gone \\(object 'gone' not found\\): give `data`")
  expect_domgen_error(plot(dg_udica(~ a + b | g, data = d), max_labels = 3),
                      "did you mean `max_panels`")
  expect_domgen_error(plot(dg_udica(~ a + b | g, data = d), col = "no colour"),
                      "`colour` must be one of")
  expect_domgen_error(update(model, lambda = ), "`lambda` must have a value")
  expect_domgen_error(update(dg_svm(), cost = ), "empty or cannot be evaluated")
  expect_domgen_error(print(dg_cv(dg_lm(), y ~ a | g, data = d), digits = 1e9), "at most 22")
  expect_domgen_error(predict(model, d, foo = ), "empty or cannot be evaluated")
})

test_that("a specification does not predict", {
  expect_domgen_error(predict(dg_svm(), d), "`object` must be a fitted model")
})

test_that("messages state the argument, the rule and the value found", {
  expect_refusals({
    dg_svm(cost = -1)
    dg_dica(ncomp = 1.5)
    kernel_rbf(bandwidth = c(1, NA))
    dg_dica(lambda = NULL)
    dg_dica(threads = 1e6)
    dg_svm(kernel = list("rbf"))
    kernel_rbf() + "a"
    fit(3)
    dg_mmd(X, d$g, permutations = 1i)
    dg_cv(dg_lm(), y ~ a | g, data = d, folds = 4)
    dg_cv(dg_lm(), y ~ a | g, data = d, folds = c(u = 1, v = 1, w = 1))
    predict(dg_svm(y ~ a | g, data = d), d, reference_domain = d$g)
  })
})

test_that("the battery tells faults from answers", {
  expect_equal(outcome(function() log(-1)), "R warning: NaNs produced")
  expect_match(outcome(function() 1 + "a"), "R error: non-numeric")
  expect_equal(outcome(function() list(1, c(2, NaN))), "silently not finite")
  expect_equal(outcome(function() factor(c("a", NA))), "silently not finite")
  expect_match(outcome(function() repeat NULL, seconds = 0.1), "R error: reached")
  expect_equal(outcome(function() 1), "finite")
  expect_failure(expect_outcomes(list(a = function() stop("b")), fine), "a: R error: b")
  expect_failure(expect_names_argument(list(a = function() dg_dica(ncomp = 0)), "lambda"))
})

test_that("the error of an argument's old name gives the new one", {
  old <- list(
    bandwidth = quote(kernel_rbf(sigma = 1)), bandwidth_factor = quote(kernel_matern(times = 2)),
    bandwidth = quote(kernel_mixed(sigma = 1)), bandwidth = quote(kernel_exponential(sigma = 1)),
    embedding_kernel = quote(domain_distribution(outer = kernel_rbf())),
    embedding_kernel = quote(domain_wasserstein(outer = kernel_rbf())),
    feature_map = quote(dg_dica(features = features_rff())), intercept = quote(dg_svm(offset = TRUE)),
    calibration = quote(dg_ridge(probability = "platt")), ard = quote(dg_gp(per_predictor = TRUE)),
    restarts = quote(dg_gp(starts = 2)), n_members = quote(dg_auto(members = 2)),
    max_seconds = quote(dg_auto(budget = 2)), max_ard = quote(dg_auto(max_predictors = 2)),
    max_seconds = quote(dg_tune(dg_svm(), budget = 2)),
    baseline = quote(dg_compare(list(a = dg_lm()), y ~ a | g, data = d, against = "a")),
    member_weights = quote(dg_ensemble(list(dg_lm(), dg_ridge()), weights = "stacked")),
    block_size = quote(row_source(d, rows = 10)), n = quote(simulate_dcm(rows = 10)),
    newdata = quote(set_reference(dg_lm(y ~ a, data = d), rows = d))
  )
  for (i in seq_along(old)) {
    expect_error(eval(old[[i]]), paste0("is now called `", names(old)[i], "`"),
                 class = "domgen_error_argument", info = deparse1(old[[i]]))
  }
})
