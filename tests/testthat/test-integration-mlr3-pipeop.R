# Projections as PipeOps of mlr3pipelines.

skip_without_pipelines <- function() skip_without_mlr3("mlr3pipelines")

graph_of <- function(...) {
  parts <- list(...)
  mlr3::as_learner(Reduce(function(a, b) mlr3pipelines::concat_graphs(a, b), parts))
}

test_that("a projection and a learner in a graph give the numbers of the two functions", {
  skip_without_pipelines()
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  for (method in c("dica", "udica")) {
    graph <- graph_of(mlr3pipelines::po(paste0("domain_", method), ncomp = 2, lambda = 0.5),
                      mlr3::lrn("regr.domgen_ridge", domain_kernel = domain_pooled()))
    graph$train(task)
    model <- fit(get(paste0("dg_", method))(ncomp = 2, lambda = 0.5), pupil_formula, data = pupils)
    expect_equal(graph$model[[paste0("domain_", method)]]$model$values, model$values,
                 tolerance = 1e-10)
    scores <- as.data.frame(predict(model, pupils))
    ridge <- dg_ridge(scores, y = pupils$MathAch, domain = pupils$School,
                      domain_kernel = domain_pooled())
    new <- transform(pupils[c(1:20, 100:120), 1:4], School = paste("new", School))
    expect_equal(graph$predict(task)$response, predict(ridge, scores), tolerance = 1e-10)
    expect_equal(graph$predict_newdata(new)$response,
                 predict(ridge, as.data.frame(predict(model, new))), tolerance = 1e-10)
  }
})

test_that("every projection of the package is a PipeOp, with the arguments of its function", {
  skip_without_pipelines()
  own <- Filter(function(name) {
    arguments <- names(formals(getExportedValue("domgen", name)))
    "ncomp" %in% arguments && identical(arguments[1:2], c("x", "y"))
  }, getNamespaceExports("domgen"))
  own <- sub("^dg_", "", own)
  expect_gte(length(own), 10)
  keys <- grep("^domain_", mlr3pipelines::mlr_pipeops$keys(), value = TRUE)
  expect_setequal(keys, paste0("domain_", own))
  toy <- simulate_ellipses(domains = 4, n = 20, seed = 1)
  task <- toy_task(toy)
  for (name in own) {
    method <- get(paste0("dg_", name))
    op <- mlr3pipelines::po(paste0("domain_", name), ncomp = 1)
    arguments <- setdiff(names(formals(method)),
                         c("x", "y", "domain", "data", "weights", "target", "unlabelled", "..."))
    expect_true(all(arguments %in% op$param_set$ids()), info = name)
    expect_identical(op$label, method_of(method())$title)
    seen <- op$train(list(task))[[1L]]
    model <- fit(method(ncomp = 1), y ~ x1 + x2 | domain, data = toy)
    expect_identical(seen$feature_names, paste0("domain_", name, ".1"))
    expect_equal(seen$data(cols = seen$feature_names)[[1L]], model$scores[, 1L],
                 tolerance = 1e-10, ignore_attr = TRUE, info = name)
  }
})

test_that("a PipeOp takes the columns that it is told, and keeps rows with missing values", {
  skip_without_pipelines()
  pupils <- some_pupils(5)
  pupils$SES[3] <- NA
  task <- pupil_task(pupils)
  chosen <- mlr3pipelines::selector_name(c("SES", "Minority"))
  for (na.action in list(stats::na.exclude, stats::na.omit)) {
    op <- mlr3pipelines::po("domain_kpca", affect_columns = chosen, na.action = na.action)
    expect_warning(seen <- op$train(list(task))[[1L]], class = "domgen_warning_missing")
    expect_setequal(seen$feature_names, c("Sex", "domain_kpca.1", "domain_kpca.2"))
    expect_identical(which(is.na(seen$data()$domain_kpca.1)), 3L)
    expect_warning(again <- op$predict(list(task))[[1L]], class = "domgen_warning_missing")
    expect_equal(again$data(), seen$data(), tolerance = 1e-10)
  }
  op <- mlr3pipelines::po("domain_kpca", na.action = na.impute)
  expect_false(anyNA(op$train(list(task))[[1L]]$data()))
  # nothing to do
  none <- mlr3pipelines::po("domain_kpca", affect_columns = mlr3pipelines::selector_none())
  expect_setequal(none$train(list(task))[[1L]]$feature_names, task$feature_names)
  expect_setequal(none$predict(list(task))[[1L]]$feature_names, task$feature_names)
})

test_that("a PipeOp that needs a domain says so, and one that judges domains takes a reference", {
  skip_without_pipelines()
  pupils <- some_pupils(5)
  bare <- mlr3::as_task_regr(pupils[-1], target = "MathAch", id = "pupils")
  expect_error(mlr3pipelines::po("domain_dica")$train(list(bare)), "role \"domain\" or \"group\"")
  expect_error(mlr3pipelines::po("domain_dica", ncomp = 0))
  alone <- mlr3::as_task_unsupervised(pupils[3:5])
  expect_error(mlr3pipelines::po("domain_dica")$train(list(alone)), "TaskSupervised")
  expect_length(mlr3pipelines::po("domain_kpca")$train(list(alone))[[1L]]$feature_names, 2)
  expect_error(mlr3pipelines::po("domain_dica", kernel = 1), "kernel_rbf")
  task <- pupil_task(pupils)
  op <- mlr3pipelines::po("domain_udica", scale = "domain")
  op$train(list(task))
  model <- dg_udica(~ Minority + SES + Sex | School, data = pupils, scale = "domain")
  few <- task$clone()$filter(1:5)
  suppressWarnings(classes = "domgen_warning_small_domain", expect_equal(
    op$predict(list(few))[[1L]]$data(cols = "domain_udica.1")[[1L]],
    unname(predict(model, pupils[1:5, ])[, 1L]), tolerance = 1e-10
  ))
  op$param_set$values$reference <- pupils
  expect_equal(op$predict(list(few))[[1L]]$data(cols = "domain_udica.1")[[1L]],
               unname(predict(model, pupils[1:5, ], reference = pupils)[, 1L]), tolerance = 1e-10)
})

test_that("a graph is resampled by domains, cloned and saved", {
  skip_without_pipelines()
  pupils <- some_pupils(5)
  task <- pupil_task(pupils)
  graph <- graph_of(mlr3pipelines::po("domain_dica", ncomp = 1),
                    mlr3::lrn("regr.domgen_ridge", domain_kernel = domain_pooled()))
  left_out <- mlr3::resample(task, graph, mlr3::rsmp("domain_cv"))
  school <- levels(pupils$School)[3]
  train <- pupils[pupils$School != school, ]
  test <- pupils[pupils$School == school, ]
  model <- dg_dica(pupil_formula, data = train, ncomp = 1)
  scores <- function(data) data.frame(z = predict(model, data)[, 1L])
  ridge <- dg_ridge(scores(train), y = train$MathAch, domain = train$School,
                    domain_kernel = domain_pooled())
  expect_equal(left_out$predictions()[[3L]]$response,
               predict(ridge, data.frame(z = scores(test)$z)), tolerance = 1e-10)

  graph$train(task)
  copy <- graph$clone(deep = TRUE)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(graph, file)
  expected <- graph$predict(task)$response
  graph$reset()
  expect_identical(copy$predict(task)$response, expected)
  expect_identical(readRDS(file)$predict(task)$response, expected)
})

test_that("learner_cv keeps the rows of a domain in one fold", {
  skip_without_pipelines()
  toy <- toy_domains(6, 10)
  toy$site <- factor(rep(1:2, length.out = nrow(toy)))
  task <- mlr3::as_task_regr(toy, target = "y")
  out_of_fold <- function(task, ...) {
    # the mean of the rows of other folds
    op <- mlr3pipelines::po("learner_cv", mlr3::lrn("regr.featureless"), ...)
    op$train(list(task))[[1L]]
  }
  values <- function(task) task$data(cols = task$feature_names)[[1L]]
  kinds <- function(values, domain) max(tapply(values, domain, function(v) length(unique(v))))
  drawn <- with_seed(1, values(out_of_fold(task)))
  expect_gt(kinds(drawn, toy$domain), 1L)
  task$set_col_roles("domain", roles = "domain")
  result <- out_of_fold(task)
  expect_identical(kinds(values(result), toy$domain), 1L)
  expect_identical(result$col_roles[c("domain", "group")], list(domain = "domain", group = character()))
  task$set_col_roles(c("domain", "site"), roles = "domain")
  result <- out_of_fold(task, resampling.folds = 4)
  expect_identical(kinds(values(result), interaction(toy$domain, toy$site, drop = TRUE)), 1L)
  expect_identical(result$col_roles$group, character())
  # and its models know their domains
  task$set_col_roles("site", roles = "feature")
  op <- mlr3pipelines::po("learner_cv", mlr3::lrn("regr.domgen_ridge", lambda = 1))
  expect_s3_class(op$train(list(task))[[1L]], "TaskRegr")
  expect_identical(levels(op$state$model$domain), levels(toy$domain))
})
