# domain_learner() against the calls of the learners themselves, through parsnip and workflows.
# Pupils of schools that training has not.

for (package in c("parsnip", "workflows", "tune", "rsample", "dials", "yardstick", "nlme")) {
  skip_if_not_installed(package)
}
skip_if_not_installed("recipes", "1.1.0")

pupils <- as.data.frame(nlme::MathAchieve)
pupils$School <- factor(as.character(pupils$School))
schools <- levels(pupils$School)
pupils$able <- factor(pupils$MathAch > 13, labels = c("No", "Yes"))
# new schools are levels that training has not
train <- droplevels(pupils[pupils$School %in% schools[1:6], ])
test <- droplevels(pupils[pupils$School %in% schools[7:9], ])
train <- train[order(train$SES, train$MathAch), ]

numbers <- MathAch ~ SES + Sex + Minority | School
plain <- MathAch ~ SES + Sex + Minority + School
classes <- able ~ SES + Minority | School

with_role <- function(formula = plain, data = train) {
  recipes::update_role(recipes::recipe(formula, data = data), School, new_role = "domain")
}

in_workflow <- function(recipe, model) {
  empty <- workflows::add_model(workflows::workflow(), model)
  workflows::add_recipe(empty, recipe, blueprint = domain_blueprint())
}

expect_same <- function(found, expected) {
  expect_length(found, length(expected))
  expect_lt(max(abs(found - expected)), 1e-10)
}

test_that("every engine gives the fit of its learner, for numbers and classes", {
  learners <- list(svm = dg_svm(cost = 2), ridge = dg_ridge(lambda = 2), gp = dg_gp(restarts = 1),
                   auto = dg_auto(n_members = 1))
  models <- list(
    svm = domain_learner("regression", "svm", cost = 2),
    ridge = domain_learner("regression", "ridge", penalty = 2),
    gp = parsnip::set_engine(domain_learner("regression", "gp"), "gp", restarts = 1),
    auto = parsnip::set_engine(domain_learner("regression", "auto"), "auto", n_members = 1)
  )
  for (engine in names(models)) {
    model <- parsnip::fit(models[[engine]], numbers, data = train)
    expected <- fit(learners[[engine]], numbers, data = train)
    expect_same(predict(model, test)$.pred, predict(expected, test))
    expect_identical(class(parsnip::extract_fit_engine(model)), class(expected))
    expect_same(predict(model, test, type = "raw"), predict(expected, test, type = "decision"))
  }
  for (engine in setdiff(names(models), "gp")) {
    model <- parsnip::fit(parsnip::set_mode(models[[engine]], "classification"), classes,
                          data = train)
    expected <- fit(update(learners[[engine]], calibration = "platt"), classes, data = train)
    expect_identical(predict(model, test)$.pred_class, predict(expected, test))
    found <- predict(model, test, type = "prob")
    expect_identical(names(found), c(".pred_No", ".pred_Yes"))
    expect_same(as.matrix(found), predict(expected, test, type = "prob"))
  }
})

test_that("the domain is a column by name, behind a bar, or a role, with one result", {
  expected <- predict(dg_ridge(numbers, data = train, lambda = 1), test)
  ridge <- function(...) domain_learner("regression", "ridge", penalty = 1, ...)
  held <- "School"
  x <- train[c("SES", "Sex", "Minority", "School")]
  novel <- hardhat::default_xy_blueprint(allow_novel_levels = TRUE)
  formula <- hardhat::default_formula_blueprint(allow_novel_levels = TRUE, indicators = "none")
  empty <- workflows::workflow()
  fits <- list(
    parsnip::fit(ridge(domain = School), plain, data = train),
    parsnip::fit(ridge(domain = "School"), plain, data = train),
    parsnip::fit(ridge(domain = held), MathAch ~ SES + Sex + Minority, data = train),
    parsnip::fit(ridge(), numbers, data = train),
    parsnip::fit_xy(ridge(domain = School), x, train$MathAch),
    parsnip::fit(in_workflow(with_role(), ridge()), train),
    parsnip::fit(workflows::add_model(
      workflows::add_variables(empty, MathAch, c(SES, Sex, Minority, School), blueprint = novel),
      ridge(domain = School)
    ), train),
    parsnip::fit(workflows::add_model(
      workflows::add_formula(empty, plain, blueprint = formula), ridge(domain = School)
    ), train),
    parsnip::fit(workflows::add_model(
      workflows::add_variables(empty, MathAch, c(SES, Sex, Minority, School), blueprint = novel),
      ridge(), formula = numbers
    ), train)
  )
  for (fit in fits) {
    expect_same(predict(fit, test)$.pred, expected)
    # a domain that was not there has its rows' description, not that of others
    one <- test[test$School == test$School[1L], ]
    expect_same(predict(fit, one)$.pred, expected[test$School == test$School[1L]])
  }
  # of text and whole numbers too, in data that are read in
  for (as in list(as.character, function(x) as.integer(as.character(x)))) {
    data <- transform(train, School = as(School))
    fit <- parsnip::fit(in_workflow(with_role(data = data), ridge()), data)
    expect_same(predict(fit, transform(test, School = as(School)))$.pred, expected)
  }
  # among the predictors of the formula it is none
  model <- parsnip::fit(ridge(domain = School), MathAch ~ School + SES, data = train)
  expect_identical(format(formula(parsnip::extract_fit_engine(model))), "MathAch ~ SES | School")
})

test_that("arguments reach the learner, and one that its engine has not is an error", {
  spec <- domain_learner("regression", "svm", cost = 3, domain_kernel = "multitask", tau = 0.3,
                         bandwidth = 2, scale = "both")
  spec <- parsnip::set_engine(spec, "svm", epsilon = 0.2)
  model <- parsnip::fit(spec, numbers, data = train)
  expected <- dg_svm(numbers, data = train, cost = 3, domain_kernel = domain_multitask(0.3),
                     kernel = kernel_rbf(bandwidth = 2), scale = "both", epsilon = 0.2)
  expect_same(predict(model, test)$.pred, predict(expected, test))
  for (kernel in list("pooled", domain_pooled())) {
    spec <- domain_learner("regression", "ridge", penalty = 1, domain_kernel = kernel)
    # without any domain
    model <- parsnip::fit(spec, MathAch ~ SES + Sex, data = train)
    expected <- dg_ridge(MathAch ~ SES + Sex, data = train, lambda = 1,
                         domain_kernel = domain_pooled())
    expect_same(predict(model, test)$.pred, predict(expected, test))
  }
  fails <- function(spec, message, formula = numbers) {
    expect_error(parsnip::fit(spec, formula, data = train), message, class = "domgen_error")
  }
  svm <- function(...) domain_learner("regression", "svm", ...)
  fails(svm(penalty = 1), "`penalty` is no argument of the engine \"svm\", which has `domain`")
  fails(domain_learner("regression", "auto", cost = 1), "`cost` is no argument of the engine")
  expect_error(domain_learner("classification", "gp"), class = "domgen_error",
               "`mode` must be \"regression\" for the engine \"gp\", not \"classification\"")
  fails(svm(domain_kernel = "poled"), "`domain_kernel` must be one of")
  fails(svm(tau = 0.5), "`tau` needs `domain_kernel = \"multitask\"`")
  fails(svm(cost = -1), "`cost` must be one positive number")
  fails(parsnip::set_engine(svm(), "svm", costs = 1), "Unknown argument `costs`; did you mean")
  fails(parsnip::set_engine(svm(), "svm", y = 1), "Unknown argument `y`")
  fails(svm(bandwidth = 1) |> parsnip::set_engine("svm", kernel = kernel_linear()), "with `kernel`")
  fails(svm(domain = "Shool"), "`domain` must be a column of the data, not \"Shool\"", plain)
  fails(svm(domain = "School"), "`domain` must not be given when the formula has it")
  fails(svm(), "needs the domain of each row: `domain = \"school\"`", MathAch ~ SES)
  fails(parsnip::set_mode(svm(domain_kernel = "pooled"), "classification"),
        "Calibration of probabilities needs domains too", able ~ SES)
  fails(svm(scale = "domain", domain_kernel = "pooled"), "needs the domain", MathAch ~ SES)
})

test_that("the Gaussian process has intervals and standard errors", {
  spec <- parsnip::set_engine(domain_learner("regression", "gp"), "gp", restarts = 1)
  model <- parsnip::fit(spec, numbers, data = train)
  expected <- dg_gp(numbers, data = train, restarts = 1)
  found <- predict(model, test, type = "conf_int", level = 0.8, std_error = TRUE)
  reference <- predict(expected, test, interval = "confidence", level = 0.8)
  expect_same(found$.pred_lower, reference$lower)
  expect_same(found$.pred_upper, reference$upper)
  # the half width is the error times the normal quantile
  expect_equal(found$.std_error * qnorm(0.9), (found$.pred_upper - found$.pred_lower) / 2,
               tolerance = 1e-10)
  ridge <- parsnip::fit(domain_learner("regression", "ridge", penalty = 1), numbers, data = train)
  for (pair in list(list(model, expected), list(ridge, parsnip::extract_fit_engine(ridge)))) {
    found <- predict(pair[[1L]], test, type = "pred_int", level = 0.5)
    reference <- predict(pair[[2L]], test, interval = "prediction", level = 0.5)
    expect_same(found$.pred_lower, reference$lower)
    expect_same(found$.pred_upper, reference$upper)
  }
  expect_named(predict(model, test, type = "conf_int"), c(".pred_lower", ".pred_upper"))
})

test_that("incomplete rows are predicted as missing, and augment() adds to all rows", {
  holes <- test
  holes$SES[2] <- NA
  model <- parsnip::fit(domain_learner("regression", "ridge", penalty = 1), numbers, data = train)
  expect_warning(found <- predict(model, holes), class = "domgen_warning_missing")
  expect_identical(which(is.na(found$.pred)), 2L)
  more <- parsnip::augment(model, test)
  expect_identical(more$.pred, predict(model, test)$.pred)
  expect_equal(more$.resid, test$MathAch - more$.pred)
  model <- parsnip::fit(domain_learner("classification", "ridge", penalty = 1), classes,
                        data = train)
  expect_true(all(c(".pred_class", ".pred_No", ".pred_Yes") %in%
                    names(parsnip::augment(model, test))))
  expect_error(parsnip::fit(
    parsnip::set_engine(domain_learner("regression", "ridge"), "ridge",
                        na.action = stats::na.fail),
    numbers, data = holes
  ), "na.fail")
})

test_that("case weights are the weights of the learner, also in a workflow", {
  counts <- rep(c(1L, 2L, 3L), length.out = nrow(train))
  expected <- predict(dg_ridge(numbers, data = train, lambda = 1, weights = counts), test)
  spec <- domain_learner("regression", "ridge", penalty = 1)
  for (as in list(hardhat::frequency_weights, hardhat::importance_weights)) {
    model <- parsnip::fit(spec, numbers, data = train, case_weights = as(counts))
    expect_same(predict(model, test)$.pred, expected)
  }
  data <- transform(train[c("MathAch", "SES", "Sex", "Minority", "School")],
                    times = hardhat::importance_weights(counts))
  flow <- workflows::add_case_weights(
    in_workflow(with_role(update(plain, . ~ . + times), data), spec), times
  )
  expect_same(predict(parsnip::fit(flow, data), test)$.pred, expected)
})

test_that("a specification prints, translates, is updated and says what can be tuned", {
  spec <- domain_learner("regression", "ridge", domain = School, penalty = tune::tune())
  expect_output(print(spec), "penalty = tune::tune\\(\\)")
  expect_output(print(parsnip::translate(spec)), "fit_domain_learner")
  changed <- update(spec, penalty = 2, scale = "rank")
  expect_identical(rlang::eval_tidy(changed$args$penalty), 2)
  expect_identical(rlang::eval_tidy(changed$args$domain), "School")
  fresh <- update(spec, tibble::tibble(penalty = 3), fresh = TRUE)
  expect_identical(rlang::eval_tidy(fresh$args$penalty), 3)
  expect_true(parsnip::null_value(fresh$args$domain))
  expect_identical(rlang::eval_tidy(update(spec, domain = District)$args$domain), "District")
  expect_setequal(generics::tunable(spec)$name,
                  c("domain_kernel", "penalty", "bandwidth", "scale", "tau"))
  expect_identical(nrow(generics::tunable(domain_learner("regression", "auto"))), 0L)
  set <- hardhat::extract_parameter_set_dials(
    domain_learner("regression", "svm", cost = tune::tune(), bandwidth = tune::tune(),
                   domain_kernel = tune::tune(), scale = tune::tune(), tau = tune::tune())
  )
  expect_setequal(set$name, c("cost", "bandwidth", "domain_kernel", "scale", "tau"))
  expect_identical(nrow(dials::grid_regular(set, levels = 2)), 32L)
  expect_domgen_error(domain_multitask_tau(c(NA, 1)), "`range` must be two numbers from 0 to 1")
  expect_domgen_error(domain_multitask_tau(c(0, 2)), "`range` must be two numbers from 0 to 1")
  expect_true(all(c("parsnip", "domgen") %in% generics::required_pkgs(spec)))
  expect_setequal(parsnip::show_engines("domain_learner")$engine,
                  c("svm", "ridge", "glm", "gp", "auto"))
})

test_that("parsnip knows the model whichever package is loaded first, and domgen loads without", {
  found <- in_new_session({
    alone <- isNamespaceLoaded("parsnip")
    loadNamespace("parsnip")
    after <- "domain_learner" %in% parsnip::get_from_env("models")
    # both again, in the other order
    unloadNamespace("domgen")
    loadNamespace("domgen")
    list(alone = alone, after = after, engines = nrow(parsnip::show_engines("domain_learner")))
  }, list())
  expect_identical(found, list(alone = FALSE, after = TRUE, engines = 10L))
})

test_that("a fitted workflow predicts in another session", {
  flow <- parsnip::fit(in_workflow(with_role(), domain_learner("regression", "ridge", penalty = 1)),
                       train)
  found <- in_new_session({
    loadNamespace("workflows")
    predict(input$flow, input$test)
  }, list(flow = flow, test = test))
  expect_equal(found, predict(flow, test), tolerance = 1e-12)
})

# Domains as people have them. (For an ordered factor hardhat has an error of its own.)
ways <- list(factor = droplevels, text = as.character)

# A workflow whose model has the domain by its name.
by_name <- function(way, data, flow = workflows::workflow()) {
  model <- domain_learner("regression", "ridge", domain = School, penalty = 1)
  flow <- workflows::add_model(flow, model)
  switch(way, recipe = workflows::add_recipe(flow, recipes::recipe(plain, data)),
         formula = workflows::add_formula(flow, plain),
         variables = workflows::add_variables(flow, MathAch, c(SES, Sex, Minority, School)))
}

test_that("a domain that a workflow loses is an error that names the blueprint, never NA", {
  expected <- predict(dg_ridge(numbers, data = train, lambda = 1), test)
  for (way in c("recipe", "formula", "variables")) for (as in names(ways)) {
    data <- transform(train, School = ways[[as]](School))
    new <- transform(test, School = ways[[as]](School))
    fitted <- parsnip::fit(by_name(way, data), data)
    # text that no recipe makes a factor of keeps its values
    if (way != "recipe" && as == "text") {
      expect_same(predict(fitted, new)$.pred, expected)
      next
    }
    for (ask in list(predict, dg_novelty)) {
      expect_error(suppressWarnings(ask(fitted, new)), class = "domgen_error_role",
                   paste0("domain of ", nrow(test), " rows was lost .*domain_blueprint\\(\\)"))
    }
    # schools of training are what they were
    expect_false(anyNA(predict(fitted, data)$.pred))
  }
  # a row whose school is not known is no lost one
  keeps <- workflows::add_model(
    workflows::add_variables(workflows::workflow(), MathAch, c(SES, School),
                             blueprint = hardhat::default_xy_blueprint(allow_novel_levels = TRUE)),
    domain_learner("regression", "ridge", domain = School, penalty = 1)
  )
  fitted <- parsnip::fit(keeps, train)
  unknown <- replace(test, cbind(1, match("School", names(test))), NA)
  expect_warning(found <- predict(fitted, unknown)$.pred, class = "domgen_warning_missing")
  expect_identical(which(is.na(found)), 1L)
  # the role by the blueprint, and the name too
  both <- in_workflow(with_role(), domain_learner("regression", "ridge", domain = School,
                                                  penalty = 1))
  expect_same(predict(parsnip::fit(both, train), test)$.pred, expected)
})

test_that("a tuning run that loses the domains says so in its notes", {
  data <- transform(rbind(train, test), School = as.character(School))
  set.seed(6)
  folds <- rsample::group_vfold_cv(data, group = School, v = 2)
  found <- suppressWarnings(suppressMessages(
    tune::fit_resamples(by_name("recipe", data), folds,
                        metrics = yardstick::metric_set(yardstick::rmse))
  ))
  expect_match(tune::collect_notes(found)$note, "was lost .*domain_blueprint")
})

test_that("models of other packages do not get the domain from the blueprint", {
  flow <- in_workflow(with_role(), parsnip::linear_reg())
  fitted <- parsnip::fit(flow, train)
  expected <- stats::lm(MathAch ~ SES + Sex + Minority, data = train)
  expect_same(predict(fitted, test)$.pred, predict(expected, test))
  data <- rbind(train, test)
  set.seed(7)
  folds <- rsample::group_vfold_cv(data, group = School, v = 2)
  resampled <- tune::fit_resamples(in_workflow(with_role(data = data), parsnip::linear_reg()), folds,
                                   metrics = yardstick::metric_set(yardstick::rmse))
  by_hand <- vapply(folds$splits, function(split) {
    lm <- stats::lm(MathAch ~ SES + Sex + Minority, data = rsample::analysis(split))
    held <- rsample::assessment(split)
    sqrt(mean((held$MathAch - predict(lm, held))^2))
  }, 0)
  expect_equal(tune::collect_metrics(resampled)$mean, mean(by_hand), tolerance = 1e-10)
})

test_that("arguments that are tuned together, and those of an engine, have their ranges", {
  open <- domain_learner("regression", "ridge", penalty = 1, domain_kernel = tune::tune(),
                         tau = tune::tune())
  set <- hardhat::extract_parameter_set_dials(open)
  kernels <- set$object[[match("domain_kernel", set$name)]]$values
  expect_identical(kernels, c("distribution", "pooled", "multitask"))
  alone <- hardhat::extract_parameter_set_dials(domain_learner("regression", "ridge",
                                                               domain_kernel = tune::tune()))
  expect_identical(alone$object[[1L]]$values, c("distribution", "pooled"))
  # each value of the grid is fitted, with tau where the kernel has one
  for (kernel in kernels) {
    fitted <- parsnip::fit(update(open, domain_kernel = kernel, tau = 0.3), numbers, data = train)
    own <- list(distribution = domain_distribution(), pooled = domain_pooled(),
                multitask = domain_multitask(0.3))[[kernel]]
    expected <- dg_ridge(numbers, data = train, lambda = 1, domain_kernel = own)
    expect_same(predict(fitted, test)$.pred, predict(expected, test))
  }
  for (engine in list(c("svm", "epsilon"), c("glm", "lambda"), c("ridge", "lambda"))) {
    spec <- domain_learner("regression", engine[1L])
    spec <- do.call(parsnip::set_engine, c(list(spec, engine[1L]),
                                           stats::setNames(list(quote(tune::tune())), engine[2L])))
    set <- hardhat::extract_parameter_set_dials(spec)
    expect_identical(set$name, engine[2L])
    expect_s3_class(set$object[[1L]], "quant_param")
    value <- dials::value_seq(set$object[[1L]], 2)[2L]
    final <- tune::finalize_model(spec, stats::setNames(list(value), engine[2L]))
    fitted <- parsnip::fit(final, numbers, data = train)
    expect_identical(fitted$fit$spec$args[[engine[2L]]], value)
  }
})

test_that("messages speak of the arguments and columns that the user gave or meant", {
  for (engine in c("ridge", "glm")) for (value in list(-1, 0, "a", c(1, 2))) {
    expect_error(parsnip::fit(domain_learner("regression", engine, penalty = value), numbers,
                              data = train), "^`penalty` must be one positive number",
                 class = "domgen_error_argument")
  }
  twice <- parsnip::set_engine(domain_learner("regression", "ridge", penalty = 1), "ridge",
                               lambda = 1)
  expect_error(parsnip::fit(twice, numbers, data = train), class = "domgen_error_argument",
               "`penalty` must not be given with `lambda`")
  meant <- "did you mean `School`\\?"
  spec <- domain_learner("regression", "ridge", domain = "school", penalty = 1)
  expect_error(parsnip::fit(spec, plain, data = train), meant, class = "domgen_error")
  expect_domgen_error(dg_ridge(MathAch ~ SES | school, data = train), meant)
  expect_domgen_error(predict(dg_ridge(numbers, data = train, lambda = 1),
                              stats::setNames(test, sub("^S", "s", names(test)))), "did you mean")
})

test_that("one row that is predicted by parsnip recommends what parsnip takes", {
  model <- parsnip::fit(domain_learner("regression", "ridge", penalty = 1), numbers, data = train)
  flow <- parsnip::fit(in_workflow(with_role(), domain_learner("regression", "ridge", penalty = 1)),
                       train)
  for (fitted in list(model, flow)) {
    said <- capture_warnings(predict(fitted, test[1L, ]))
    expect_length(said, 1L)
    expect_match(said, "as `data` of set_reference\\(\\)")
    expect_false(grepl("`reference", said))
    expect_silent(predict(set_reference(fitted, test), test[1L, ]))
  }
})
