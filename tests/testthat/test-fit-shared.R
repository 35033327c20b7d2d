# Fits of several specifications to the same rows, by what they share.
fit_together <- function(specs, input) {
  shared <- new_shared(specs)
  lapply(specs, fit_input, input, shared)
}

test_that("a shared value is computed once for the same key in a row", {
  asked <- 0
  shared <- new_shared()
  f <- function(key, factor, kind = "a") {
    shared_value(shared, kind, key, function(by) {
      asked <<- asked + 1
      if (is.null(key)) NULL else key$x * by
    }, factor)
  }
  expect_identical(f(list(x = 1), 10), 10)
  expect_identical(f(list(x = 1), 20), 10)
  expect_identical(asked, 1)
  expect_identical(f(list(x = 2), 30), 60)
  expect_identical(f(list(x = 1), 30), 30)
  expect_identical(asked, 3)
  # another kind forgets nothing
  expect_identical(f(list(x = 2), 1, "b"), 2)
  expect_identical(f(list(x = 1), 0), 30)
  expect_identical(asked, 4)
  # nothing is a value too, and an error none
  expect_null(f(NULL))
  expect_null(f(NULL))
  expect_identical(asked, 5)
  expect_error(f(list(x = "a"), 1))
  expect_error(f(list(x = "a"), 1))
  expect_identical(asked, 7)
})

test_that("fits that share work are the fits alone, in any order", {
  toy <- toy_domains(4, 10)
  input <- read_input(list(x = y ~ . | domain, data = toy))
  groups <- list(
    ridge = list(
      dg_ridge(lambda = 1), dg_ridge(lambda = 5), dg_ridge(lambda = 5, scale = "rank"),
      dg_ridge(lambda = 5, kernel = kernel_laplace()), dg_ridge(lambda = 1),
      dg_ridge(lambda = 1, domain_kernel = domain_pooled()),
      dg_ridge(lambda = 1, feature_map = features_nystrom(43))
    ),
    chain = list(
      dg_pipeline(dg_dica(ncomp = 1), dg_ridge(lambda = 1)), dg_pipeline(dg_dica(ncomp = 1), dg_ridge(lambda = 2)),
      dg_pipeline(dg_dica(ncomp = 2), dg_ridge(lambda = 2)), dg_pipeline(dg_udica(ncomp = 2), dg_ridge(lambda = 2)),
      dg_pipeline(dg_dica(ncomp = 2, scale = "domain"), dg_ridge(lambda = 2))
    ),
    auto = list(dg_auto(max_ard = 0, n_members = 2, folds = 2),
                dg_auto(max_ard = 0, n_members = 3, folds = 2)),
    gp = list(dg_gp(optimise = FALSE), dg_gp(optimise = FALSE, noise_sd = 0.5)),
    lm = list(dg_lm(), dg_lm())
  )
  for (name in names(groups)) {
    alone <- lapply(groups[[name]], function(spec) predict(fit_input(spec, input), toy))
    for (order in list(seq_along(groups[[name]]), rev(seq_along(groups[[name]])))) {
      specs <- groups[[name]][order]
      shared <- fit_together(specs, input)
      for (i in seq_along(specs)) {
        expect_equal(predict(shared[[i]], toy), alone[[order[i]]], tolerance = 1e-10,
                     label = paste(name, i))
      }
    }
  }
})

test_that("machines that start from an earlier cost end at the same solution", {
  toy <- toy_classes(4, 12)
  input <- read_input(list(x = y ~ . | domain, data = toy))
  specs <- list(dg_svm(cost = 1), dg_svm(cost = 10), dg_svm(cost = 0.1),
                dg_svm(cost = 10, kernel = kernel_linear()), dg_svm(cost = 1, intercept = TRUE))
  shared <- fit_together(specs, input)
  for (i in seq_along(specs)) {
    alone <- fit_input(specs[[i]], input)
    expect_equal(predict(shared[[i]], toy, type = "decision"),
                 predict(alone, toy, type = "decision"), tolerance = 5e-3)
  }
})

test_that("a search has one representation for each kernel, and one set of machines", {
  toy <- toy_classes(4, 12)
  calls <- function(name, code) {
    count <- 0
    own <- get(name, asNamespace("domgen"))
    with_replaced(name, function(...) {
      count <<- count + 1
      own(...)
    }, code)
    count
  }
  split <- list(train = which(toy$domain != "d1"), held = which(toy$domain == "d1"), fold = 1L,
                rep = 1L)
  for (specs in list(
    lapply(10^(-1:2), function(cost) dg_svm(cost = cost)),
    lapply(10^(-1:2), function(lambda) dg_ridge(lambda = lambda)),
    lapply(10^(-1:2), function(lambda) dg_pipeline(dg_dica(lambda = lambda), dg_lm()))
  )) {
    task <- cv_task(specs[[1L]], read_input(list(x = y ~ . | domain, data = toy)))
    run <- function() evaluate_split(specs, task, split, NULL)
    expect_identical(calls("represent", run()), 1)
    if (specs[[1L]]$method == "dg_svm") expect_identical(calls("submodel_data", run()), 1)
    expect_lte(calls("read_new", run()), 1)
  }
})

test_that("a fit happens in the order in which it is written", {
  toy <- toy_classes(4, 12)
  log <- character()
  logged <- function(name, code) {
    own <- get(name, asNamespace("domgen"))
    with_replaced(name, function(...) {
      log <<- c(log, name)
      value <- own(...)
      log <<- c(log, paste("end of", name))
      value
    }, code)
  }
  order_of <- function(code) {
    log <<- character()
    logged("fit_rows", logged("finish_fit", logged("calibrate", code)))
    log
  }
  # the tables of ARCHITECTURE.md: none is entered as an argument of the next
  all_steps <- c("evaluate_input", "collect_input", "read_sample", "new_problem", "choose_svm",
                 "space_of", "solve_submodels", "new_fit", "finish_fit", "calibrate", "seal")
  code <- quote(dg_svm(y ~ . | domain, data = toy))
  for (name in all_steps) code <- bquote(logged(.(name), .(code)))
  eval(code)
  expect_identical(log, c(rbind(all_steps, paste("end of", all_steps))))
  steps <- c("fit_rows", "finish_fit", "calibrate")
  one <- c(rbind(steps, paste("end of", steps)))
  for (spec in list(dg_ridge(), dg_svm(), dg_glm(), dg_null(), dg_lm(),
                    dg_dica(ncomp = 1))) {
    expect_identical(order_of(fit(spec, y ~ . | domain, data = toy)), one, label = spec$method)
  }
  # of rows that are not in memory too
  mapped <- list(dg_ridge(feature_map = features_rff(5), domain_kernel = domain_pooled()),
                 dg_null(), dg_dica(ncomp = 1, feature_map = features_nystrom(5)))
  sums <- feature_sums(y ~ . | domain, data = toy, feature_map = features_nystrom(5))
  for (spec in mapped) {
    expect_identical(order_of(fit(spec, y ~ . | domain, data = row_source(toy))), one)
  }
  expect_identical(order_of(fit(dg_dica(ncomp = 1), sums)), one)
  # one within the other
  parts <- order_of(fit(dg_pipeline(dg_dica(ncomp = 1), dg_svm(cost = 1)), y ~ . | domain,
                        data = toy))
  expect_identical(parts, c("fit_rows", one[1:4], one[1:4], one[2:6]))
  # what follows is not on the way to the solver
  seen <- NULL
  with_replaced("train_submodel", function(...) {
    seen <<- vapply(sys.calls(), function(call) paste(deparse(call[[1L]]), collapse = ""), "")
    stop("far enough")
  }, expect_error(dg_svm(y ~ . | domain, data = toy, cost = 1), "far enough"))
  path <- c("dg_svm", "learner_call", "fit_or_specify", "fit_call",
            "fit_input", "fit_rows", "row$solve", "train_submodels")
  expect_identical(seen[seen %in% c(path, steps, "new_fit", "seal")], path)
})
