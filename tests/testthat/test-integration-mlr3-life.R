# Learners of mlr3 among the other things of mlr3: workers, files, copies, weights, missing values.

test_that("mlr3 is told of domgen whichever is loaded first, and twice is as once", {
  skip_without_mlr3("mlr3pipelines")
  keys <- function() {
    list(mlr3::mlr_learners$keys(), mlr3::mlr_measures$keys(), mlr3::mlr_resamplings$keys(),
         mlr3pipelines::mlr_pipeops$keys(), mlr3::mlr_reflections$task_col_roles,
         mlr3::mlr_reflections$task_print_col_roles, mlr3::mlr_reflections$loaded_packages)
  }
  before <- keys()
  hooks <- getHook(packageEvent("mlr3", "onLoad"))
  on.exit(setHook(packageEvent("mlr3", "onLoad"), hooks, "replace"))
  settle_in_mlr3()
  expect_identical(keys(), before)
  # others ask hooks for this
  owners <- lapply(getHook(packageEvent("mlr3", "onLoad")), function(h) environment(h)$pkgname)
  expect_true("domgen" %in% unlist(owners))

  domgen_first <- in_new_session({
    stopifnot(!isNamespaceLoaded("mlr3"), !isNamespaceLoaded("R6"))
    loadNamespace("mlr3pipelines")
    c(class(mlr3::lrn("regr.domgen_svm"))[1L], class(mlr3pipelines::po("domain_dica"))[1L])
  }, list())
  expect_identical(domgen_first, c("LearnerRegrDomgen", "PipeOpDomainDICA"))
  mlr3_first <- in_new_session({
    unloadNamespace("domgen")
    loadNamespace("mlr3pipelines")
    loadNamespace("domgen")
    c(class(mlr3::rsmp("domain_cv"))[1L], class(mlr3pipelines::po("domain_dica"))[1L])
  }, list())
  expect_identical(mlr3_first, c("ResamplingDomainCV", "PipeOpDomainDICA"))
})

test_that("a trained learner is cloned, saved and read in another session", {
  skip_without_mlr3()
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  learner <- mlr3::lrn("regr.domgen_svm", cost = 1)$train(task)
  expected <- learner$predict(task)$response
  copy <- learner$clone(deep = TRUE)
  copy$param_set$values$cost <- 10
  expect_identical(learner$param_set$values$cost, 1)
  copy$reset()
  expect_identical(learner$predict(task)$response, expected)
  expect_false(identical(copy$train(task)$predict(task)$response, expected))
  read <- in_new_session({
    input$learner$predict_newdata(input$pupils)$response
  }, list(learner = learner, pupils = pupils))
  expect_equal(read, expected, tolerance = 1e-12)
  # what is saved is the model and little else
  expect_lt(length(serialize(learner, NULL)), 3 * length(serialize(learner$model, NULL)) + 1e5)
})

test_that("encapsulated learners predict the same, and a fallback stands in where one fails", {
  skip_without_mlr3("evaluate")
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  expected <- mlr3::lrn("regr.domgen_ridge")$train(task)$predict(task)$response
  methods <- c("try", "evaluate", if (nzchar(system.file(package = "callr"))) "callr")
  for (method in methods) {
    learner <- mlr3::lrn("regr.domgen_ridge")
    learner$encapsulate(method, mlr3::lrn("regr.featureless"))
    expect_equal(learner$train(task)$predict(task)$response, expected, tolerance = 1e-10)
    expect_length(learner$errors, 0)
  }
  bare <- pupil_task(pupils)$set_col_roles("School", remove_from = "domain")
  learner <- mlr3::lrn("regr.domgen_ridge")
  learner$encapsulate("evaluate", mlr3::lrn("regr.featureless"))
  old <- mlr3_logger()$threshold
  mlr3_logger()$set_threshold("off")
  on.exit(mlr3_logger()$set_threshold(old))
  learner$train(bare)
  expect_match(unlist(lapply(learner$errors, conditionMessage)), "role \"domain\"", all = FALSE)
  expect_equal(learner$predict(bare)$response, rep(mean(pupils$MathAch), nrow(pupils)))
})

test_that("missing values, weights and new levels do what the functions do", {
  skip_without_mlr3()
  pupils <- some_pupils(5)
  pupils$SES[c(2, 40)] <- NA
  pupils$Sex[7] <- NA
  task <- pupil_task(pupils)
  imputed <- dg_ridge(pupil_formula, data = pupils, na.action = na.impute)
  learner <- mlr3::lrn("regr.domgen_ridge")$train(task)
  expect_equal(learner$predict(task)$response, predict(imputed, pupils), tolerance = 1e-10)
  expect_warning(left_out <- mlr3::lrn("regr.domgen_ridge", na.action = stats::na.omit)$train(task),
                 class = "domgen_warning_missing")
  expect_warning(found <- left_out$predict(task)$response, class = "domgen_warning_missing")
  expect_identical(which(is.na(found)), c(2L, 7L, 40L))

  pupils <- some_pupils(5)
  pupils$w <- seq_len(nrow(pupils))
  task <- pupil_task(pupils)$set_col_roles("w", roles = "weights_learner")
  weighted <- dg_ridge(pupil_formula, data = pupils, weights = w)
  expect_equal(mlr3::lrn("regr.domgen_ridge")$train(task)$predict(task)$response,
               predict(weighted, pupils), tolerance = 1e-10)
  unweighted <- mlr3::lrn("regr.domgen_ridge")
  unweighted$use_weights <- "ignore"
  expect_equal(unweighted$train(task)$predict(task)$response,
               predict(dg_ridge(pupil_formula, data = pupils), pupils), tolerance = 1e-10)

  other <- transform(pupils[1:20, ], Sex = as.character(Sex))
  other$Sex[3] <- "unknown"
  pooled <- mlr3::lrn("regr.domgen_ridge", na.action = stats::na.omit, new_levels = "error",
                      domain_kernel = domain_pooled())$train(task)
  expect_domgen_error(pooled$predict_newdata(other), "unknown")
  pooled$param_set$values$new_levels <- "na"
  found <- suppressWarnings(pooled$predict_newdata(other)$response, "domgen_warning")
  expect_identical(which(is.na(found)), 3L)
})

test_that("a reference describes the domains of new rows", {
  skip_without_mlr3()
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  model <- dg_ridge(pupil_formula, data = pupils)
  learner <- mlr3::lrn("regr.domgen_ridge")$train(task)
  few <- function(code) suppressWarnings(code, "domgen_warning_small_domain")
  alone <- few(learner$predict_newdata(pupils[1:3, ])$response)
  expect_equal(alone, few(predict(model, pupils[1:3, ])), tolerance = 1e-10)
  learner$param_set$values$reference <- pupils
  described <- predict(model, pupils[1:3, ], reference = pupils)
  expect_equal(learner$predict_newdata(pupils[1:3, ])$response, described, tolerance = 1e-10)
  expect_gt(max(abs(described - alone)), 1e-5)
  learner$param_set$values$reference <- "training"
  expect_equal(learner$predict_newdata(pupils[1:3, ])$response, described, tolerance = 1e-10)
  learner$param_set$values$reference <- pupils[-1]
  expect_domgen_error(learner$predict_newdata(pupils[1:3, ]), "`reference` has no column `School`")
  expect_domgen_error(learner$predict_newdata_fast(data.table::as.data.table(pupils)),
                      "predict_newdata", "domgen_error_role")
  bare <- mlr3::as_task_regr(pupils[-1], target = "MathAch")
  pooled <- mlr3::lrn("regr.domgen_ridge", domain_kernel = domain_pooled())$train(bare)
  expect_equal(pooled$predict_newdata_fast(data.table::as.data.table(pupils))$response,
               pooled$predict(bare)$response, tolerance = 1e-10)
})

test_that("a learner with a fixed reference predicts each row alone", {
  skip_without_mlr3()
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  learner <- mlr3::lrn("regr.domgen_ridge")$train(task)
  new <- transform(pupils[pupils$School == levels(pupils$School)[2], ], School = "new")
  together <- learner$predict_newdata(new)$response
  learner$model <- set_reference(learner$model, new, domain = new$School)
  alone <- vapply(seq_len(nrow(new)), function(i) learner$predict_newdata(new[i, -1])$response, 0)
  expect_equal(alone, together, tolerance = 1e-10)
  expect_domgen_error(learner$predict(task), "fixed reference")
})

test_that("mlr3's own tests of a learner pass", {
  skip_without_mlr3("checkmate")
  folder <- system.file("testthat", package = "mlr3")
  skip_if_not(file.exists(file.path(folder, "helper_autotest.R")))
  found <- in_new_session({
    library(testthat)
    for (package in c("checkmate", "mlr3misc", "paradox", "mlr3")) {
      library(package, character.only = TRUE)
    }
    getExportedValue("lgr", "get_logger")("mlr3")$set_threshold("off")
    for (file in list.files(input, "^helper.*[.][rR]$", full.names = TRUE)) source(file)
    # its tasks have no domains
    learner <- lrn("regr.domgen_svm", cost = 1, domain_kernel = domain_pooled())
    suppressWarnings(run_autotest(learner, check_replicable = FALSE))
  }, folder)
  expect_true(isTRUE(found) || isTRUE(found$ok), info = if (is.list(found)) found$error)
})
