toy <- toy_domains(5, 12)
folds <- c(d1 = 1, d2 = 2, d3 = 1, d4 = 2, d5 = 1)

# dg_cv() of every choice, one after the other.
cv_loop <- function(spec, grid, ..., seed = NULL) {
  choices <- expand.grid(lapply(grid, seq_along))
  vapply(seq_len(nrow(choices)), function(i) {
    values <- Map(function(values, at) values[[at]], grid, choices[i, , drop = FALSE])
    if (!is.null(seed)) set.seed(seed)
    dg_cv(set_parameters(spec, values), ...)$mean
  }, 0)
}

# In the order of expand.grid().
table_means <- function(tuned, grid) {
  table <- tuned$tuning$table
  shown <- expand.grid(lapply(grid, function(v) vapply(as.list(v), function(x) {
    if (is.numeric(x)) format(x, digits = 15) else format_value(x)
  }, "")), stringsAsFactors = FALSE)
  key <- function(d) do.call(paste, c(lapply(d[names(grid)], function(v) {
    if (is.numeric(v)) vapply(v, format, "", digits = 15) else v
  }), sep = "|"))
  table$mean[match(key(shown), key(table))]
}

test_that("the table is that of a loop of cross-validations over the grid", {
  cases <- list(
    ridge = list(dg_ridge(), list(lambda = c(0.1, 1), bandwidth_factor = c(0.5, 2))),
    kernels = list(dg_ridge(), list(kernel = list(kernel_rbf(), kernel_linear()),
                                    lambda = c(1, 10))),
    feature_map = list(dg_ridge(feature_map = features_nystrom(6)),
                    list(feature_map.n_landmarks = c(4, 8), lambda = c(1, 10))),
    scale = list(dg_ridge(), list(scale = c("pooled", "domain"), lambda = c(1, 10))),
    domains = list(dg_ridge(domain_kernel = domain_distribution()),
                   list(domain_kernel.embedding_kernel.bandwidth_factor = c(0.5, 2), lambda = c(1, 10))),
    chain = list(dg_pipeline(dg_dica(), dg_ridge()),
                 list(ncomp = 1:2, dica.lambda = c(0.1, 1), ridge.lambda = 1)),
    drawn = list(dg_pipeline(dg_kpca(feature_map = features_nystrom(8)), dg_ridge()),
                 list(ncomp = 1:2, ridge.lambda = c(1, 10)))
  )
  for (name in names(cases)) {
    spec <- cases[[name]][[1L]]
    grid <- cases[[name]][[2L]]
    set.seed(1)
    tuned <- dg_tune(spec, y ~ . | domain, data = toy, grid = grid, folds = folds, extend = FALSE)
    loop <- cv_loop(spec, grid, y ~ . | domain, data = toy, folds = folds, seed = 1)
    expect_equal(table_means(tuned, grid), loop, tolerance = 1e-8, label = name)
    expect_equal(min(loop), tuned$tuning$table$mean[tuned$tuning$chosen], tolerance = 1e-8)
    expect_identical(tuned$tuning$chosen, which.min(tuned$tuning$table$mean), ignore_attr = TRUE)
  }
})

test_that("values of lambda that are followed at once have the intervals of each by itself", {
  toy <- toy_domains(20, 5)
  grid <- list(lambda = 10^(-1:2))
  scores <- function(rows) {
    set.seed(1)
    with_replaced("path_rows", rows, suppressMessages(
      dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = grid, folds = 2, extend = FALSE,
              metric = "interval_score")
    ))$tuning$table$mean
  }
  expect_equal(scores(1L), scores(Inf), tolerance = 1e-7)
})

test_that("values of lambda that are followed at once predict as each by itself", {
  labels <- toy_classes(5, 12)
  lambdas <- 10^seq(-2, 2, length.out = 6)
  specs <- list(pooled = dg_ridge(domain_kernel = domain_pooled()), distribution = dg_ridge(),
                told = dg_ridge(domain_kernel = domain_multitask(0.4), intercept = TRUE),
                domain = dg_ridge(scale = "domain", kernel = kernel_laplace()),
                equal = dg_ridge(domain_weights = "equal"))
  task <- cv_task(dg_ridge(), read_input(list(x = y ~ . | domain, data = toy,
                                              weights = toy$x1^2 + 0.5)))
  split <- fold_splits(read_folds(folds, task), task)[[1L]]
  for (name in names(specs)) {
    several <- lapply(lambdas, function(l) set_parameters(specs[[name]], list(lambda = l)))
    predicted <- function(specs, task) {
      vapply(evaluate_split(specs, task, split, NULL), function(found) found$predictions$prediction,
             numeric(length(split$held)))
    }
    together <- function(task) with_replaced("path_rows", 1L, predicted(several, task))
    shared <- with_replaced("solve_ridge", function(...) stop("each is fitted"), together(task))
    alone <- vapply(several, function(spec) predicted(list(spec), task),
                    numeric(length(split$held)))
    expect_lt(max(abs(shared - alone)), 1e-7 * sd(toy$y), label = name)
    # whatever the labels of the held-out rows
    other <- task
    other$input$data$y[split$held] <- 1e6
    expect_identical(together(other), shared, label = name)
  }
  grid <- list(lambda = lambdas, bandwidth_factor = c(0.5, 1))
  run <- function() dg_tune(specs$pooled, y ~ . | domain, data = labels, grid = grid, folds = folds,
                            extend = FALSE, metric = "auc")$tuning
  one <- run()
  at_once <- with_replaced("path_rows", 1L, run())
  expect_equal(at_once$table$mean, one$table$mean, tolerance = 5e-3)
  expect_identical(at_once$table[c("lambda", "bandwidth_factor")], one$table[c("lambda", "bandwidth_factor")])
})

test_that("warm starts along costs change nothing beyond the solver's tolerance", {
  labels <- toy_classes(5, 12)
  for (spec in list(dg_svm(), dg_svm(feature_map = features_nystrom(10)))) {
    grid <- list(cost = c(0.1, 1, 10), bandwidth_factor = c(0.5, 1))
    set.seed(2)
    tuned <- dg_tune(spec, y ~ . | domain, data = labels, grid = grid, folds = folds,
                     extend = FALSE, metric = "auc")
    loop <- cv_loop(spec, grid, y ~ . | domain, data = labels, folds = folds, metric = "auc",
                    seed = 2)
    expect_equal(table_means(tuned, grid), loop, tolerance = 5e-3)
  }
  # decision values themselves
  grid <- list(cost = 10^(-1:2))
  regression <- dg_tune(dg_svm(), y ~ . | domain, data = toy, grid = grid, folds = folds,
                        extend = FALSE)
  loop <- cv_loop(dg_svm(), grid, y ~ . | domain, data = toy, folds = folds)
  expect_equal(table_means(regression, grid), loop, tolerance = 2e-3)
})

test_that("the model is the best choice, fitted to all rows", {
  w <- seq_len(nrow(toy)) %% 4 + 0.5
  grid <- list(lambda = c(0.1, 1, 10), bandwidth_factor = c(0.5, 2))
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, weights = w, grid = grid, folds = folds,
                   extend = FALSE, metric = c("mae", "rmse"))
  best <- tuned$tuning$best
  expect_identical(best, as.list(tuned$tuning$table[tuned$tuning$chosen, c("lambda", "bandwidth_factor")]))
  plain <- dg_ridge(y ~ . | domain, data = toy, weights = w, lambda = best$lambda,
                    kernel = kernel_rbf(bandwidth_factor = best$bandwidth_factor))
  expect_identical(predict(tuned, toy), predict(plain, toy))
  expect_identical(coef(tuned), coef(plain))
  result <- dg_cv(plain, folds = folds, metric = "mae")
  expect_equal(tuned$tuning$scores[, tuned$tuning$chosen],
               setNames(result$domains$score, result$domains$domain), tolerance = 1e-8)
  expect_equal(tuned$tuning$table$se[tuned$tuning$chosen], result$se, tolerance = 1e-8)
  expect_s3_class(tuned, c("dg_tuned", "dg_ridge", "dg_fit"), exact = FALSE)
  expect_said(print(tuned),
              "Best of 6 combinations: mean absolute error \\(lower is better\\) 5 domains held out in 2 folds")
  # as a specification, by matrix, from a fitted model
  set.seed(1)
  again <- fit(dg_tune(dg_ridge(), grid = grid, folds = folds, extend = FALSE, metric = "mae"),
               toy[c("x1", "x2", "x3")], toy$y, toy$domain, weights = w)
  expect_equal(again$tuning$table$mean, tuned$tuning$table$mean)
  # the search is part of what made the model
  set.seed(1)
  nested <- dg_cv(tuned, folds = 2)
  set.seed(1)
  spec <- dg_tune(dg_ridge(), grid = grid, folds = folds, extend = FALSE, metric = "mae")
  expect_equal(nested$domains,
               dg_cv(spec, y ~ . | domain, data = toy, weights = w, folds = 2)$domains)
  expect_identical(names(nested$fits)[4:5], c("lambda", "bandwidth_factor"))
  from_fit <- dg_tune(plain, grid = grid, folds = folds, extend = FALSE, metric = "mae")
  expect_equal(from_fit$tuning$table$mean, tuned$tuning$table$mean)
  expect_output(print(dg_tune(dg_ridge(), grid = grid)), "lambda: 0.1, 1, 10")
  expect_output(print(dg_tune(dg_ridge())), "the default grid")
})

test_that("the rule of one standard error takes the simplest choice that is near", {
  grid <- list(lambda = 10^(-3:3), bandwidth_factor = c(0.5, 1, 2))
  run <- function(rule) dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = grid, folds = folds,
                                extend = FALSE, rule = rule)
  best <- run("best")
  simple <- run("one_se")
  expect_identical(simple$tuning$table[1:4], best$tuning$table[1:4])
  table <- best$tuning$table
  limit <- min(table$mean) + table$se[which.min(table$mean)]
  near <- which(table$mean <= limit)
  expect_gt(length(near), 2L)
  # larger lambda and larger bandwidth count alike, by their places in the grid
  place <- match(table$lambda, grid$lambda) / 6 + match(table$bandwidth_factor, grid$bandwidth_factor) / 2
  chosen <- near[order(-place[near], table$mean[near])][1L]
  expect_identical(simple$tuning$chosen, chosen)
  expect_false(chosen == which.min(table$mean))
  expect_said(print(simple), "the simplest within one standard error")
  # small costs and few components are simple
  sizes <- list(cost = as.list(c(1, 10, 100)), ncomp = as.list(1:3))
  choices <- all_choices(sizes)
  expect_identical(choices[which.max(simplicity(choices, sizes, dg_pipeline(dg_kpca(), dg_svm()))), ], c(cost = 1L, ncomp = 1L))
})

test_that("a choice that fails is recorded with its message, and the search goes on", {
  grid <- list(kernel = list(kernel_rbf(), kernel_linear()), bandwidth_factor = c(0.5, 1))
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, grid = grid, folds = folds)
  failed <- tuned$tuning$table$kernel == "linear"
  expect_match(tuned$tuning$table$error[failed], "`bandwidth_factor` is none")
  expect_true(all(is.na(tuned$tuning$table$mean[failed])))
  expect_false(anyNA(tuned$tuning$table$mean[!failed]))
  expect_true(all(is.na(tuned$tuning$table$error[!failed])))
  expect_output(print(tuned), "2 combinations failed: `grid` must have names")
  # one that fails on the data: the core, and R code of the user
  broken <- kernel_custom(function(x, z) stop("no such kernel"))
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, folds = folds,
                   grid = list(kernel = list(broken, kernel_rbf()), lambda = c(1, 10)))
  expect_identical(sum(!is.na(tuned$tuning$table$error)), 2L)
  expect_match(na.omit(tuned$tuning$table$error), "no such kernel")
  expect_equal(ncol(tuned$tuning$scores), nrow(tuned$tuning$table))
  expect_domgen_error(
    dg_tune(dg_ridge(), y ~ . | domain, data = toy, folds = folds, grid = list(kernel = broken)),
    "No combination of parameters has a score; the first message: .*no such kernel", "domgen_error_tune"
  )
})

test_that("a training set without a class fails and says which domains were held out", {
  lacking <- toy_classes(4, 12)
  lacking$y <- factor(ifelse(lacking$domain == "d4", "1", "-1"), c("-1", "1"))
  expect_warning(dg_cv(dg_svm(), y ~ . | domain, data = lacking),
                 "1 of 4 folds failed: With domain \"d4\" held out: .*two classes",
                 class = "domgen_warning_failed")
  expect_domgen_error(dg_tune(dg_svm(), y ~ . | domain, data = lacking, grid = list(cost = 1:2)),
                      "No combination of parameters has a score; the first message: With domain \"d4\"",
                      "domgen_error_tune")
  lacking$y[lacking$domain == "d3"][1:3] <- "1"
  expect_domgen_error(dg_tune(dg_lm(), y ~ . | domain, data = lacking, metric = "auc",
                              grid = list(cost = 1)), "`cost` is none")
})

test_that("default grids follow the specification and the number of rows", {
  names_of <- function(spec) names(default_grid(spec, 100))
  expect_identical(names_of(dg_ridge()), c("lambda", "bandwidth_factor"))
  expect_identical(names_of(dg_ridge(kernel = kernel_rbf(2))), "lambda")
  expect_identical(names_of(dg_svm(kernel = kernel_linear())), "cost")
  expect_equal(unlist(default_grid(dg_ridge(), 300)$lambda), 300 * 10^(-5:-1))
  expect_identical(names_of(dg_pipeline(dg_dica(), dg_svm())), c("lambda", "bandwidth_factor", "cost"))
  expect_identical(names_of(dg_pipeline(dg_sca(), dg_svm())), c("delta", "bandwidth_factor", "cost"))
  expect_equal(unlist(default_grid(dg_pipeline(dg_cidg(), dg_lm()), 300)$gamma), 300 * 10^(-2:2))
  expect_equal(unlist(default_grid(dg_pipeline(dg_cidg(average = TRUE), dg_lm()), 300)$gamma), 10^(-2:2))
  expect_identical(names_of(dg_pipeline(dg_dica(), dg_ridge())),
                   c("dica.lambda", "bandwidth_factor", "ridge.lambda"))
  for (spec in list(dg_svm(), dg_ridge(), dg_pipeline(dg_dica(), dg_ridge()), dg_pipeline(dg_tca(), dg_svm()),
                    dg_pipeline(dg_dcm(), dg_svm()))) {
    grid <- read_grid(default_grid(spec, 50), spec)
    expect_true(all(lengths(grid) >= 3L))
  }
  tuned <- dg_tune(dg_ridge(kernel = kernel_linear()), y ~ . | domain, data = toy, extend = FALSE)
  expect_identical(names(tuned$tuning$best), "lambda")
})

test_that("bad searches are refused", {
  run <- function(...) dg_tune(dg_ridge(), y ~ . | domain, data = toy, ...)
  expect_refusals({
    dg_tune()
    dg_tune("ridge")
    dg_tune(dg_dica(), grid = list(lambda = 1))
    run(grid = list(lambda = c(1, NA)))
    run(grid = list(lambda = list(1, NA)))
    run(grid = list(lambda = c(1, -1)))
    run(grid = list(lambda = numeric()))
    run(grid = list(1:3))
    run(grid = list(lambda = 1, lambda = 2))
    run(grid = c(lambda = 1))
    run(grid = list(), search = "grid")
    run(grid = list(lambda = 1), search = "all")
    run(grid = list(lambda = 1), size = 0)
    run(grid = list(lambda = 1), rule = "two_se")
    run(grid = list(lambda = 1), extend = NA)
    run(grid = list(lambda = 1), metric = "auc")
    run(grid = list(lambda = 1), folds = 9)
    run(grid = list(lambda = 1), size_ = 3)
    run(grid = list(lambda = 1), progress = "yes")
    dg_tune(dg_lm(), y ~ . | domain, data = toy)
    dg_tune(dg_lm(), y ~ ., data = toy, grid = list(domain_weights = c("size", "equal")))
  })
})

test_that("a chain is tuned by default where only one part has a grid", {
  for (spec in list(dg_pipeline(dg_kpca(), dg_lm()), dg_pipeline(dg_cidg(), dg_svm()))) {
    names <- names(default_grid(spec, 60))
    expect_true(all(vapply(names, function(name) !is.null(find_parameter(spec, name)), NA)))
  }
  expect_identical(names(default_grid(dg_pipeline(dg_dica(), dg_lm()), 60)), c("lambda", "bandwidth_factor"))
})

test_that("kernels that were tuned are told apart by their names", {
  named <- function(...) vapply(list(...), format_value, "")
  expect_identical(
    named(kernel_poly(2), kernel_rbf(), kernel_rbf(bandwidth_factor = 2), kernel_rbf(0.5),
          kernel_rbf() + kernel_linear(), kernel_normalise(kernel_poly(3)), domain_multitask(0.2),
          domain_distribution(), domain_distribution(embedding_kernel = kernel_laplace()),
          features_nystrom(20)),
    c("poly(2)", "rbf", "rbf(bandwidth_factor = 2)", "rbf(0.5)", "rbf + linear", "normalise(poly(3))",
      "multitask(0.2)", "distribution", "distribution(embedding_kernel = laplace)", "nystrom(20)")
  )
  own <- list(kernel_custom(function(x, z) tcrossprod(x, z)),
              kernel_custom(function(x, z) tcrossprod(x, z) + 1))
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, folds = 2, grid = list(kernel = own))
  expect_identical(tuned$tuning$table$kernel, c("custom", "custom 1"))
})

test_that("a tuned model is evaluated with as many inner folds as there are domains", {
  grid <- list(lambda = c(1, 10))
  toy <- domains_of(toy, 1:3)
  tuned <- dg_tune(dg_ridge(), y ~ . | domain, data = toy, folds = nlevels(toy$domain), grid = grid,
                   extend = FALSE)
  expect_s3_class(dg_cv(tuned), "dg_cv")
  by_rows <- dg_tune(dg_ridge(), y ~ . | domain, data = toy,
                     folds = row_folds(toy$domain, folds = 2),
                     grid = grid, extend = FALSE)
  expect_domgen_error(dg_cv(by_rows), "folds` of rows.*dg_cv\\(model\\$spec",
                      "domgen_error_argument")
  expect_s3_class(dg_cv(by_rows$spec, y ~ . | domain, data = toy), "dg_cv")
})

test_that("a search that starts from a model knows its data, and its default grid is found anew", {
  spec <- dg_ridge(kernel = kernel_linear())
  model <- fit(spec, y ~ . | domain, data = toy)
  tuned <- dg_tune(model, folds = 2)
  set.seed(1)
  again <- dg_cv(tuned, folds = 2)
  set.seed(1)
  expect_equal(again$domains, dg_cv(dg_tune(spec, folds = 2), y ~ . | domain, data = toy,
                                    folds = 2)$domains)
})

test_that("values of lambda follow each other, whatever their place in the grid", {
  labels <- toy_classes(4, 30)
  count <- function(grid) {
    made <- 0L
    original <- solve_projection
    with_replaced("solve_projection", function(...) {
      made <<- made + 1L
      original(...)
    }, dg_tune(dg_pipeline(dg_dica(ncomp = 1), dg_lm()), y ~ . | domain, data = labels, folds = 2,
               extend = FALSE, grid = grid))
    made
  }
  lambdas <- 10^(-2:3)
  # two folds of two paths, and the model
  expect_identical(count(list(lambda = lambdas, epsilon = c(1e-4, 1e-2))), 5L)
  expect_identical(count(list(epsilon = c(1e-4, 1e-2), lambda = lambdas)), 5L)
})

test_that("among scores that are all infinite nothing is chosen", {
  # ten domains, of which folds leave too few for intervals of 90 %
  expect_domgen_error(dg_tune(dg_ridge(), y ~ . | domain, data = toy_domains(10, 6), folds = 3,
                              grid = list(lambda = c(1, 10)), metric = "interval_score"),
                      "training sets have too few domains for finite intervals. Take more folds",
                      "domgen_error_tune")
})
