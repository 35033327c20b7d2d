# What a user of mlr3 writes, and the same in base R.

test_that("a script of a user of mlr3 gives the numbers of one in base R", {
  skip_without_mlr3("mlr3pipelines")
  found <- in_new_session({
    library(mlr3)
    library(mlr3pipelines)
    getExportedValue("lgr", "get_logger")("mlr3")$set_threshold("warn")

    task <- as_task_regr(input$train, target = "MathAch", id = "pupils")
    task$set_col_roles("School", roles = c("domain", "group"))
    svm <- lrn("regr.domgen_svm")
    folds <- rsmp("domain_cv", folds = 3)
    set.seed(1)
    folds$instantiate(task)
    graph <- po("domain_dica", ncomp = 2) %>>% lrn("regr.domgen_ridge", id = "ridge")
    learners <- list(svm, lrn("regr.domgen_ridge"), as_learner(graph), lrn("regr.featureless"))
    compared <- benchmark(benchmark_grid(task, learners, folds))
    svm$train(task)
    list(scores = compared$aggregate(msr("regr.domain_rmse")),
         one = resample(task, svm, rsmp("domain_cv"))$score(msr("regr.rmse"))$regr.rmse,
         new = as.data.frame(data.table::as.data.table(svm$predict_newdata(input$new))),
         printed = utils::capture.output(print(svm)))
  }, list(train = some_pupils(6), new = some_pupils(8)[-seq_len(nrow(some_pupils(6))), ]))

  train <- some_pupils(6)
  new <- some_pupils(8)[-seq_len(nrow(train)), ]
  set.seed(1)
  folds <- domain_folds(train$School, folds = 3)
  compared <- dg_compare(list(svm = dg_svm(), ridge = dg_ridge(), null = dg_null()), pupil_formula,
                         data = train, folds = folds, progress = FALSE)
  expect_identical(found$scores$learner_id[c(1, 2, 4)],
                   c("regr.domgen_svm", "regr.domgen_ridge", "regr.featureless"))
  means <- compared$table$mean[match(c("svm", "ridge"), compared$table$method)]
  expect_equal(found$scores$regr.domain_rmse[1:2], means, tolerance = 1e-10)
  expect_true(is.finite(found$scores$regr.domain_rmse[3]))
  cv <- dg_cv(dg_svm(), pupil_formula, data = train, progress = FALSE)
  expect_equal(found$one, cv$domains$score, tolerance = 1e-10)
  expect_equal(found$new$response, predict(dg_svm(pupil_formula, data = train), new),
               tolerance = 1e-10)
  expect_match(found$printed, "dg_svm", all = FALSE)
})

test_that("learners of mlr3 give the numbers of the functions", {
  skip_without_mlr3()
  pupils <- some_pupils()
  task <- pupil_task(pupils)
  new <- pupils[pupils$School %in% levels(pupils$School)[1:2], ]
  new$School <- factor(new$School, labels = c("unseen a", "unseen b"))
  new$MathAch <- NULL
  fits <- list(
    svm = dg_svm(pupil_formula, data = pupils), ridge = dg_ridge(pupil_formula, data = pupils),
    gp = dg_gp(pupil_formula, data = pupils, restarts = 1),
    auto = dg_auto(pupil_formula, data = pupils, n_members = 1, max_rows = 60)
  )
  learners <- list(
    svm = mlr3::lrn("regr.domgen_svm"), ridge = mlr3::lrn("regr.domgen_ridge"),
    gp = mlr3::lrn("regr.domgen_gp", restarts = 1),
    auto = mlr3::lrn("regr.domgen_auto", n_members = 1, max_rows = 60)
  )
  for (name in names(fits)) {
    learner <- learners[[name]]$train(task)
    expect_s3_class(learner$model, class(fits[[name]])[1L])
    expect_equal(learner$predict(task)$response, predict(fits[[name]], pupils),
                 tolerance = 1e-10, info = name)
    expect_equal(learner$predict_newdata(new)$response, predict(fits[[name]], new),
                 tolerance = 1e-10, info = name)
  }
})

test_that("classes, probabilities and standard errors are those of predict()", {
  skip_without_mlr3()
  for (levels in 2:3) {
    toy <- simulate_ellipses(domains = 5, n = 30, seed = 1)
    if (levels == 3) toy$y <- factor(ifelse(toy$x1 > 0.15, "three", as.character(toy$y)))
    task <- toy_task(toy)
    for (method in c("svm", "ridge")) {
      learner <- mlr3::lrn(paste0("classif.domgen_", method), predict_type = "prob")
      found <- learner$train(task)$predict(task)
      model <- fit(get(paste0("dg_", method))(calibration = "platt"), y ~ . | domain, data = toy)
      expect_equal(found$prob, predict(model, toy, type = "prob"), tolerance = 1e-8)
      expect_identical(as.character(found$response), as.character(predict(model, toy)))
    }
    plain <- mlr3::lrn("classif.domgen_svm")$train(task)$predict(task)$response
    expect_identical(as.character(plain),
                     as.character(predict(dg_svm(y ~ . | domain, data = toy), toy)))
  }
  toy <- toy_domains()
  task <- mlr3::as_task_regr(toy, target = "y")$set_col_roles("domain", roles = "domain")
  found <- mlr3::lrn("regr.domgen_gp", predict_type = "se", restarts = 1)$train(task)$predict(task)
  model <- dg_gp(y ~ . | domain, data = toy, restarts = 1)
  expect_equal(found$se, predict(model, toy, se.fit = TRUE)$se.fit, tolerance = 1e-10)

  learner <- mlr3::lrn("regr.domgen_gp", predict_type = "quantiles", restarts = 1)$train(task)
  expect_domgen_error(learner$predict(task), "needs `learner.quantiles`")
  learner$quantiles <- c(0.05, 0.95)
  found <- learner$predict(task)
  interval <- predict(model, toy, interval = "posterior", level = 0.9)
  expect_equal(unname(found$quantiles), unname(as.matrix(interval[c("lower", "upper")])),
               tolerance = 1e-10, ignore_attr = TRUE)
  expect_equal(found$response, unname(interval[, "fit"]), tolerance = 1e-10)
  learner$quantile_response <- 0.5
  expect_equal(unname(learner$predict(task)$response), found$response, tolerance = 1e-10)
})

test_that("the learner of dg_glm() takes counts by a family, and classes with probabilities", {
  skip_without_mlr3()
  toy <- toy_domains()
  toy$y <- with_seed(2, rpois(nrow(toy), exp(0.3 * toy$x1)))
  task <- mlr3::as_task_regr(toy, target = "y")$set_col_roles("domain", roles = "domain")
  learner <- mlr3::lrn("regr.domgen_glm", family = poisson(), lambda = 1)$train(task)
  model <- dg_glm(y ~ . | domain, data = toy, family = poisson(), lambda = 1)
  expect_equal(learner$predict(task)$response, predict(model, toy), tolerance = 1e-10)
  expect_error(mlr3::lrn("regr.domgen_glm", family = "poison"), "family")
  classes <- simulate_ellipses(domains = 5, n = 30, seed = 1)
  classes$y <- factor(ifelse(classes$x1 > 0.15, "three", as.character(classes$y)))
  found <- mlr3::lrn("classif.domgen_glm", predict_type = "prob", lambda = 1)$
    train(toy_task(classes))$predict(toy_task(classes))
  model <- dg_glm(y ~ . | domain, data = classes, lambda = 1)
  expect_equal(found$prob, predict(model, classes, type = "prob"), tolerance = 1e-8)
})

test_that("left-out domains score in resample() and benchmark() as in dg_cv()", {
  skip_without_mlr3()
  pupils <- some_pupils()
  task <- pupil_task(pupils)
  learner <- mlr3::lrn("regr.domgen_ridge")
  cv <- dg_cv(dg_ridge(), pupil_formula, data = pupils, progress = FALSE)
  left_out <- mlr3::resample(task, learner, mlr3::rsmp("domain_cv"))
  rmse <- mlr3::msr("regr.rmse")
  expect_equal(left_out$score(rmse)$regr.rmse, cv$domains$score, tolerance = 1e-10)
  expect_equal(unname(left_out$aggregate(rmse)), cv$mean, tolerance = 1e-10)

  # the same draw of folds
  set.seed(3)
  folds <- domain_folds(pupils$School, folds = 3, repeats = 2)
  set.seed(3)
  drawn <- mlr3::rsmp("domain_cv", folds = 3, repeats = 2)$instantiate(task)
  given <- mlr3::as_resampling(folds, task)
  expect_identical(drawn$iters, 6L)
  for (i in 1:6) {
    expect_identical(drawn$test_set(i), given$test_set(i))
    expect_identical(drawn$train_set(i), given$train_set(i))
  }
  cv <- dg_cv(dg_ridge(), pupil_formula, data = pupils, folds = folds, progress = FALSE)
  compared <- mlr3::benchmark(mlr3::benchmark_grid(
    task, list(learner, mlr3::lrn("regr.featureless")), given
  ))
  expect_identical(nrow(compared$aggregate(rmse)), 2L)
  rows <- data.table::as.data.table(compared$resample_result(1)$prediction())
  by_row <- function(row, prediction) tapply(prediction, row, sum)
  expect_equal(by_row(rows$row_ids, rows$response),
               by_row(cv$predictions$row, cv$predictions$prediction), tolerance = 1e-10)
})

test_that("folds of rows and of classes become resamplings too", {
  skip_without_mlr3()
  toy <- toy_classes()
  task <- toy_task(toy)$filter(11:120)
  set.seed(1)
  folds <- row_folds(toy$domain[11:120], folds = 3)
  made <- mlr3::as_resampling(folds, task)
  expect_identical(made$test_set(2), (11:120)[unclass(folds) == 2])
  set.seed(1)
  balanced <- mlr3::rsmp("domain_cv", folds = 2, balance = "class")$instantiate(task)
  set.seed(1)
  wanted <- domain_folds(toy$domain[11:120], folds = 2, balance = "class", y = toy$y[11:120])
  expect_setequal(balanced$test_set(1), which(unclass(wanted)[as.character(toy$domain)] == 1 &
                                                seq_len(nrow(toy)) %in% 11:120))
  expect_error(mlr3::as_resampling(folds, task, 2), class = "domgen_error_argument")
  expect_error(mlr3::rsmp("domain_cv", folds = 1))
  bare <- mlr3::as_task_classif(toy, target = "y")
  expect_domgen_error(mlr3::rsmp("domain_cv")$instantiate(bare), "held out", "domgen_error_role")
})

test_that("the role group is a domain, by which mlr3 keeps rows together", {
  skip_without_mlr3()
  pupils <- some_pupils()
  by_group <- pupil_task(pupils, "group")
  learner <- mlr3::lrn("regr.domgen_ridge")
  expected <- predict(dg_ridge(pupil_formula, data = pupils), pupils)
  expect_equal(learner$train(by_group)$predict(by_group)$response, expected, tolerance = 1e-10)
  both <- pupil_task(pupils, c("domain", "group"))
  for (task in list(by_group, both)) {
    set.seed(1)
    cv <- mlr3::rsmp("cv", folds = 3)$instantiate(task)
    for (i in 1:3) {
      expect_length(intersect(pupils$School[cv$test_set(i)], pupils$School[cv$train_set(i)]), 0)
    }
  }
  pupils$half <- rep(c("a", "b"), length.out = nrow(pupils))
  task <- pupil_task(pupils)
  # where both roles are taken, ours says it
  task$set_col_roles("half", roles = "group")
  expect_equal(learner$train(task)$predict(task)$response, expected, tolerance = 1e-10)
  # several columns: their combinations
  task$set_col_roles("half", roles = "domain")
  model <- learner$train(task)$model
  expect_identical(nlevels(model$domain), 16L)
  expect_equal(learner$predict(task)$response,
               predict(dg_ridge(MathAch ~ Minority + SES + Sex | interaction(School, half),
                                data = pupils), pupils), tolerance = 1e-10)
})

test_that("a task without a domain is an error that says what to do", {
  skip_without_mlr3()
  pupils <- some_pupils()
  bare <- mlr3::as_task_regr(pupils[-1], target = "MathAch", id = "pupils")
  learner <- mlr3::lrn("regr.domgen_svm")
  expect_domgen_error(learner$train(bare), "set_col_roles", "domgen_error_role")
  learner$train(pupil_task(pupils))
  expect_domgen_error(learner$predict_newdata(pupils[-1]), "role", "domgen_error_role")
  # pooled domains need none
  pooled <- mlr3::lrn("regr.domgen_svm", domain_kernel = domain_pooled(), cost = 1)$train(bare)
  model <- dg_svm(MathAch ~ Minority + SES + Sex, data = pupils, domain_kernel = domain_pooled(),
                  cost = 1)
  expect_equal(pooled$predict(bare)$response, predict(model, pupils), tolerance = 1e-10)
})

test_that("measures by domain are the means of dg_cv(), whatever the folds", {
  skip_without_mlr3()
  toy <- simulate_ellipses(domains = 6, n = 30, seed = 1)
  task <- toy_task(toy)
  set.seed(1)
  folds <- domain_folds(toy$domain, folds = 4, repeats = 2)
  learner <- mlr3::lrn("classif.domgen_ridge", predict_type = "prob")
  found <- mlr3::resample(task, learner, mlr3::as_resampling(folds, task))
  names <- c("accuracy", "balanced_accuracy", "gmean", "mcc", "log_loss", "brier")
  cv <- dg_cv(dg_ridge(calibration = "platt"), y ~ . | domain, data = toy, folds = folds,
              metric = names, progress = FALSE)
  scores <- found$aggregate(mlr3::msrs(paste0("classif.domain_", names)))
  expect_named(scores, paste0("classif.domain_", names))
  expect_equal(unname(scores), vapply(names, function(name) mean(cv$domains[[name]]), 0),
               tolerance = 1e-8, ignore_attr = TRUE)
  # an area under the curve only looks at the order of the probabilities in a domain
  one <- mlr3::resample(task, learner, mlr3::rsmp("domain_cv"))
  auc <- dg_cv(dg_ridge(), y ~ . | domain, data = toy, metric = "auc", progress = FALSE)
  expect_equal(one$score(mlr3::msr("classif.domain_auc"))$classif.domain_auc, auc$domains$score)

  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  set.seed(1)
  folds <- domain_folds(pupils$School, folds = 2)
  found <- mlr3::resample(task, mlr3::lrn("regr.domgen_ridge"), mlr3::as_resampling(folds, task))
  cv <- dg_cv(dg_ridge(), pupil_formula, data = pupils, folds = folds, progress = FALSE,
              metric = c("rmse", "mae", "r2"))
  expect_equal(unname(found$aggregate(mlr3::msrs(paste0("regr.domain_", c("rmse", "mae", "r2"))))),
               c(mean(cv$domains$rmse), mean(cv$domains$mae), mean(cv$domains$r2)),
               tolerance = 1e-10)
  bare <- mlr3::as_task_regr(pupils, target = "MathAch")
  plain <- mlr3::lrn("regr.featureless")$train(bare)$predict(bare)
  expect_domgen_error(plain$score(mlr3::msr("regr.domain_rmse"), bare), "role", "domgen_error_role")
})

test_that("parameters are the arguments, and bad ones are refused when they are set", {
  skip_without_mlr3()
  for (key in mlr3::mlr_learners$keys("domgen_")) {
    learner <- mlr3::lrn(key)
    method <- get(sub(".*domgen", "dg", key))
    arguments <- setdiff(names(formals(method)), c("x", "y", "domain", "data", "weights", "unit",
                                                   "..."))
    if (learner$task_type == "regr") {
      arguments <- setdiff(arguments, c("calibration", "multiclass"))
    }
    expect_setequal(learner$param_set$ids(), c(arguments, "reference", "new_levels"))
    expect_named(learner$param_set$values, "na.action")
    # setting a default changes nothing
    defaults <- learner$param_set$default
    expect_gt(length(defaults), 5)
    learner$param_set$values <- defaults
    values <- learner$param_set$get_values(tags = "train")
    expect_identical(mlr_spec(sub(".*domgen_", "", key), values, "response")$args, method()$args)
  }
  svm <- mlr3::lrn("classif.domgen_svm")
  expect_error(svm$param_set$values$cost <- -1, "cost: Element 1 is not >=")
  expect_error(svm$param_set$values$kernel <- "rbf", "kernel_rbf")
  expect_error(svm$param_set$values$loss <- "epsilon", "`loss` must be")
  expect_error(svm$param_set$values$intercept <- 2, "logical")
  expect_error(svm$param_set$values$scale <- "none of these")
  expect_error(svm$param_set$values$reference <- 3, "\"training\" or a data frame")
  expect_error(mlr3::lrn("classif.domgen_svm", cots = 1), "cots")
  kinds <- c(cost = "ParamDbl", max_iterations = "ParamInt", intercept = "ParamLgl",
             multiclass = "ParamFct", kernel = "ParamUty")
  expect_identical(svm$param_set$class[names(kinds)], kinds)
  expect_identical(mlr3::lrn("regr.domgen_auto")$param_set$lower[["max_rows"]], 10)
})

test_that("any specification is a learner", {
  skip_without_mlr3()
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  specs <- list(dg_pipeline(dg_dica(ncomp = 1), dg_svm(cost = 1)), dg_lm(),
                learner_custom(function(x, y) lm(y ~ ., cbind(x, y = y)),
                               function(object, x) predict(object, x)))
  for (spec in specs) {
    learner <- mlr3::lrn("regr.domgen", spec = spec)
    expect_equal(learner$train(task)$predict(task)$response,
                 predict(fit(spec, pupil_formula, data = pupils), pupils), tolerance = 1e-10)
    found <- mlr3::resample(task, learner, mlr3::rsmp("domain_cv"))
    cv <- dg_cv(spec, pupil_formula, data = pupils, progress = FALSE)
    expect_equal(found$score(mlr3::msr("regr.rmse"))$regr.rmse, cv$domains$score,
                 tolerance = 1e-10)
  }
  expect_error(mlr3::lrn("regr.domgen")$train(task), "spec")
  learner$predict_type <- "se"
  expect_domgen_error(learner$predict(task), "dg_gp")
  expect_error(mlr3::lrn("regr.domgen", spec = dg_dica()), "dg_pipeline(dg_dica(), dg_svm())", fixed = TRUE)
  expect_error(mlr3::lrn("regr.domgen", spec = 1), "`spec` must be a learner")
})

test_that("combinations of domains whose names run into each other stay apart", {
  skip_without_mlr3()
  pupils <- some_pupils(4)
  pupils$first <- rep(c("a.b", "a"), length.out = nrow(pupils))
  pupils$second <- rep(c("c", "b.c"), length.out = nrow(pupils))
  task <- mlr3::as_task_regr(pupils, target = "MathAch")
  task$set_col_roles("School", remove_from = "feature")
  task$set_col_roles(c("first", "second"), roles = "domain")
  learner <- mlr3::lrn("regr.domgen_ridge", lambda = 1)
  expect_identical(nlevels(learner$train(task)$model$domain), 2L)
  expected <- dg_ridge(MathAch ~ Minority + SES + Sex | first, data = pupils, lambda = 1)
  expect_equal(learner$predict(task)$response, predict(expected, pupils), tolerance = 1e-10)
})

test_that("a measure by domain refuses rows without a domain or a prediction", {
  skip_without_mlr3()
  pupils <- some_pupils(3)
  task <- pupil_task(pupils)
  learner <- mlr3::lrn("regr.domgen_ridge", lambda = 1, na.action = stats::na.omit)$train(task)
  measure <- mlr3::msr("regr.domain_rmse")
  for (name in c("School", "SES")) {
    gappy <- pupils
    gappy[[name]][5] <- NA
    gappy <- pupil_task(gappy)
    found <- suppressWarnings(learner$predict(gappy))
    expect_domgen_error(found$score(measure, task = gappy),
                        paste0("must have a ", if (name == "SES") "prediction" else "domain",
                               "; 1 row without: 5"))
  }
  expect_domgen_error(mlr3::as_resampling(domain_folds(pupils$School), 3),
                      "`task` must be made by mlr3")
})

test_that("domains are the same whether their numbers are stored as integers or not", {
  skip_without_mlr3()
  d <- toy_domains(4, 10)
  numbers <- 1e5 * c(1, 2, 3, 10)[as.integer(factor(d$domain))]
  found <- lapply(list(numbers, as.integer(numbers)), function(domain) {
    d$domain <- domain
    d$site <- rep_len(1:2, nrow(d))
    task <- mlr3::as_task_regr(d, target = "y", id = "sites")
    task$set_col_roles("domain", roles = "domain")
    splits <- mlr3::as_resampling(domain_folds(domain), task)
    run <- mlr3::resample(task, mlr3::lrn("regr.domgen_ridge", lambda = 1), splits)
    of_each <- domgen:::measure_by_domain(run$prediction(), task, "rmse")
    list(of_each, domgen:::combined_domain(d[c("domain", "site")]))
  })
  expect_identical(found[[1L]], found[[2L]])
  expect_identical(names(found[[1L]][[1L]]), c("100000", "200000", "300000", "1000000"))
})

test_that("resamplings of mlr3 that split domains get a warning, others and predictions none", {
  skip_without_mlr3()
  pupils <- some_pupils()
  task <- pupil_task(pupils, "domain")
  learner <- mlr3::lrn("regr.domgen_ridge", lambda = 1)
  warned <- function(resampling, learner) {
    capture_warnings(mlr3::resample(task, learner, resampling))
  }
  set.seed(8)
  n <- length(unique(pupils$School))
  for (resampling in list(mlr3::rsmp("cv", folds = 2), mlr3::rsmp("subsampling", repeats = 2))) {
    said <- warned(resampling, learner)
    expect_length(said, 2L)
    expect_match(said, paste("Held-out rows are of", n, "domains of training.*domain_cv"))
  }
  by_hand <- mlr3::as_resampling(row_folds(pupils$School, 2), task)
  for (resampling in list(mlr3::rsmp("domain_cv", folds = 2), by_hand)) {
    expect_length(warned(resampling, learner), 0L)
  }
  both <- mlr3::lrn("regr.domgen_ridge", lambda = 1, predict_sets = c("train", "test"))
  expect_length(warned(mlr3::rsmp("domain_cv", folds = 2), both), 0L)
  expect_silent(learner$train(task)$predict(task))
})
