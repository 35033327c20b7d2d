value_of <- function(spec, name, value) {
  spec <- set_parameters(spec, stats::setNames(list(value), name))
  found <- find_parameter(spec, name)
  if (!is.null(found$part)) spec <- spec[[found$part]]
  inner <- spec$args
  for (step in found$path) inner <- inner[[step]]
  inner
}

test_that("a name leads to the argument, and what is set is what the method would have got", {
  expect_equal(set_parameters(dg_svm(), list(cost = 7)), dg_svm(cost = 7))
  expect_equal(set_parameters(dg_svm(), list(svm.cost = 7)), dg_svm(cost = 7))
  expect_equal(set_parameters(dg_svm(), list(dg_svm.cost = 7)), dg_svm(cost = 7))
  expect_equal(set_parameters(dg_ridge(), list(bandwidth_factor = 2)),
               dg_ridge(kernel = kernel_rbf(bandwidth_factor = 2)))
  expect_equal(set_parameters(dg_ridge(), list(kernel.bandwidth = 2)), dg_ridge(kernel = kernel_rbf(2)))
  expect_equal(set_parameters(dg_ridge(kernel = kernel_laplace()), list(bandwidth = 2)),
               dg_ridge(kernel = kernel_laplace(2)))
  expect_equal(set_parameters(dg_ridge(), list(kernel = kernel_linear(), scale = "rank")),
               dg_ridge(kernel = kernel_linear(), scale = "rank"))
  expect_equal(set_parameters(dg_ridge(feature_map = features_nystrom(5)),
                              list(feature_map.n_landmarks = 9)),
               dg_ridge(feature_map = features_nystrom(9)))
  expect_equal(set_parameters(dg_svm(domain_kernel = domain_multitask(0.5)),
                              list(domain_kernel.tau = 0.1)),
               dg_svm(domain_kernel = domain_multitask(0.1)))
  expect_equal(set_parameters(dg_dica(), list(kernel_y.bandwidth = 3)), dg_dica(kernel_y = kernel_rbf(3)))
})

test_that("paths go down into nested kernels", {
  spec <- dg_svm(domain_kernel = domain_distribution())
  expect_equal(set_parameters(spec, list(domain_kernel.embedding_kernel.bandwidth_factor = 3)),
               dg_svm(domain_kernel = domain_distribution(embedding_kernel = kernel_rbf(bandwidth_factor = 3))))
  expect_equal(set_parameters(spec, list(domain_kernel.kernel.bandwidth = 3)),
               dg_svm(domain_kernel = domain_distribution(kernel = kernel_rbf(3))))
  expect_equal(value_of(dg_pipeline(dg_udica(), dg_ridge(domain_kernel = domain_distribution())),
                        "ridge.domain_kernel.embedding_kernel.bandwidth", 4), 4)
})

test_that("a bandwidth is given in one way or the other", {
  spec <- dg_ridge(kernel = kernel_rbf(bandwidth = 2))
  expect_equal(set_parameters(spec, list(bandwidth_factor = 0.5)), dg_ridge(kernel = kernel_rbf(bandwidth_factor = 0.5)))
  expect_equal(set_parameters(dg_ridge(kernel = kernel_rbf(bandwidth_factor = 3)), list(bandwidth = 2)),
               dg_ridge(kernel = kernel_rbf(2)))
})

test_that("in a chain the part comes first, and must where both know the name", {
  both <- dg_pipeline(dg_dica(), dg_ridge(kernel = kernel_rbf()))
  expect_equal(set_parameters(both, list(dica.lambda = 3, ridge.lambda = 4)),
               dg_pipeline(dg_dica(lambda = 3), dg_ridge(lambda = 4, kernel = kernel_rbf())))
  expect_equal(set_parameters(both, list(epsilon = 1e-3, intercept = TRUE)),
               dg_pipeline(dg_dica(epsilon = 1e-3), dg_ridge(kernel = kernel_rbf(), intercept = TRUE)))
  expect_equal(set_parameters(both, list(dica.kernel.bandwidth_factor = 2)),
               dg_pipeline(dg_dica(kernel = kernel_rbf(bandwidth_factor = 2)), dg_ridge(kernel = kernel_rbf())))
  expect_equal(set_parameters(both, list(ridge.bandwidth_factor = 2)),
               dg_pipeline(dg_dica(), dg_ridge(kernel = kernel_rbf(bandwidth_factor = 2))))
  # the learner's linear kernel has no bandwidth, so that the name is clear
  expect_equal(set_parameters(dg_pipeline(dg_dica(), dg_ridge()), list(bandwidth_factor = 2)),
               dg_pipeline(dg_dica(kernel = kernel_rbf(bandwidth_factor = 2)), dg_ridge()))
  # epsilon is dica's ridge and the width of the tube of dg_svm
  expect_domgen_error(set_parameters(dg_pipeline(dg_dica(), dg_svm()), list(epsilon = 1)),
                      "`dica.epsilon` or `svm.epsilon`")
  expect_refusals({
    dg_tune(both, grid = list(lambda = 1:3))
    dg_tune(both, grid = list(bandwidth_factor = 1:3))
    dg_tune(both, grid = list(svm.cost = 1:3))
    dg_tune(dg_ridge(), grid = list(lamda = 1))
    dg_tune(dg_ridge(kernel = kernel_linear()), grid = list(bandwidth_factor = 1))
    dg_tune(dg_ridge(), grid = list(kernel = 1))
    dg_tune(dg_ridge(), grid = list(domain_kernel.embedding_kernel = 1))
    dg_tune(dg_ridge(domain_kernel = domain_pooled()), grid = list(domain_kernel.embedding_kernel.bandwidth_factor = 1))
    dg_tune(dg_ridge(), grid = list(threads = 1:2))
    dg_tune(dg_ridge(), grid = list(ridge = 1))
    dg_tune(dg_ridge(), grid = list(.lambda = 1))
  })
})

test_that("every name that is offered is known", {
  specs <- list(dg_svm(), dg_ridge(), dg_gp(), dg_dica(), dg_udica(), dg_tca(), dg_kpca(), dg_dcm(), dg_coir(),
                dg_pipeline(dg_dica(), dg_svm()), dg_pipeline(dg_tca(), dg_ridge(kernel = kernel_rbf())),
                dg_ridge(kernel = kernel_linear()))
  for (spec in specs) {
    for (name in known_parameters(spec)) expect_type(find_parameter(spec, name), "list")
  }
})

test_that("the own argument of a new projection is checked, printed, tuned and updated by its row", {
  spread <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 1, shrink = 1,
                     kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                     feature_map = features_exact(), normalise = "constraint", scale = "pooled",
                     na.action = stats::na.omit, threads = NULL, ...) {
    terms <- function(args) list(numerator = c(variance = 1),
                                 denominator = c(norm = 1, ridge = args$shrink))
    own <- function() parameters(parameter("shrink", "number", 0, open = TRUE, grid = 10^(0:2), simpler = 1, shown = TRUE))
    projection_call("domgen_test_spread", environment(), match.call(), parent.frame(),
                    projection_row("Spread", terms, parameters = own))
  }
  assign("domgen_test_spread", spread, globalenv())
  on.exit(rm("domgen_test_spread", envir = globalenv()))
  expect_domgen_error(spread(shrink = "a"), "`shrink` must be one positive number, not \"a\"")
  toy <- simulate_dcm(domains = 4, n = 30, seed = 1)
  model <- fit(spread(shrink = 2), y ~ . | domain, data = toy)
  expect_output(print(model), "shrink = 2")
  expect_identical(update(spread(), shrink = 3)$args$shrink, 3)
  searched <- dg_pipeline(spread(), dg_lm())
  expect_identical(names(default_grid(searched, 100)), c("shrink", "bandwidth_factor"))
  tuned <- dg_tune(searched, y ~ . | domain, data = toy, extend = FALSE, rule = "one_se")
  expect_identical(names(tuned$tuning$best), c("shrink", "bandwidth_factor"))
  choices <- all_choices(list(shrink = 1:3))
  expect_identical(which.max(simplicity(choices, list(shrink = 10^(0:2)), searched)), 3L)
})

# A specification is made anew from its checked arguments wherever one of them changes.
test_that("the check of each argument takes what it gave, and an argument without a row is refused", {
  for (spec in list(dg_svm(), dg_ridge(), dg_gp(), dg_lm(), dg_null(), dg_auto(), dg_dica(), dg_udica(),
                    dg_coir(), dg_kpca(), dg_tca(), dg_dcm(), dg_sca(), dg_mda(), dg_cidg())) {
    rows <- parameter_rows(method_of(spec), names(spec$args))
    for (name in names(spec$args)) {
      value <- spec$args[[name]]
      expect_identical(check_parameter(rows[[name]], value), value, info = paste(spec$method, name))
    }
  }
  expect_error(parameter_rows(list(), "shrinkage"), "no parameter\\(\\) says what")
})

test_that("a record of an argument takes exactly what it says, and every default grid is taken", {
  values <- c(list(NULL, NA, NaN, Inf, "a", "b", TRUE, 1:2, mean, 2^31, list(1)), -3:8, c(-0.5, 0.5, 6.5))
  set.seed(1)
  for (i in 1:60) {
    type <- sample(c("number", "count", "flag", "choice"), 1)
    bounds <- sort(sample(c(-Inf, -2:6, Inf), 2))
    row <- parameter("x", type, bounds[1], bounds[2], open = sample(c(TRUE, FALSE), 1),
                     levels = c("a", "c"), null = sample(c(TRUE, FALSE), 1))
    for (value in values) {
      number <- is.numeric(value) && length(value) == 1 && is.finite(value) &&
        value >= bounds[1] && value <= bounds[2] && !(row$open && value == bounds[1])
      fine <- is.null(value) && row$null || switch(type,
        number = number, count = number && value %% 1 == 0 && value < 2^31,
        flag = isTRUE(value), choice = identical(value, "a"))
      found <- tryCatch(list(check_parameter(row, value)), domgen_error_argument = conditionMessage)
      if (fine) expect_equal(found, list(value), info = must_be(row, value))
      else expect_match(found, "^`x` must be .*, not ")
    }
  }
  for (spec in list(dg_svm(), dg_ridge(), dg_glm(), dg_dica(), dg_tca(), dg_dcm(), dg_sca(), dg_mda())) {
    grid <- part_grid(spec, 100)
    for (name in intersect(names(grid), names(spec$args))) {
      row <- parameter_rows(method_of(spec), name)[[1L]]
      for (value in grid[[name]]) expect_equal(check_parameter(row, value), value)
    }
  }
})

test_that("a specification carries its arguments and no copy of what its method is", {
  for (spec in list(dg_svm(), dg_ridge(), dg_gp(), dg_lm(), dg_auto(), dg_dica(), dg_tca(), dg_sca())) {
    expect_setequal(names(spec), c("method", "args", "given"))
    expect_lt(length(serialize(spec, NULL)), 2000)
    # whether domains are needed may depend on an argument
    expect_identical(needs_domain(spec), spec$method %in% c("dg_auto", "dg_dica", "dg_tca", "dg_sca"))
  }
  expect_false(needs_domain(dg_tca(target = data.frame(x = 1))))
})
