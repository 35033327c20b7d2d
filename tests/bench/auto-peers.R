# The peers of auto.R, each tuned on the training domains by the same folds of domains and then
# fitted to all of them. A method is a function of a task,
#   list(X, y, domain, fold of the training rows, new: X of the test rows, metric),
# and gives the predictions of the test rows: numbers, classes, or scores of the second class.

score_rows <- function(truth, value, metric) {
  switch(metric,
    rmse = sqrt(mean((truth - value)^2)),
    accuracy = mean(as.character(truth) == as.character(value)),
    auc = {
      positive <- truth == levels(truth)[2L]
      if (!any(positive) || all(positive)) return(NA_real_)
      (sum(rank(value)[positive]) - sum(positive) * (sum(positive) + 1) / 2) /
        (sum(positive) * sum(!positive))
    })
}

score_domains <- function(truth, value, domain, metric) {
  rows <- split(seq_along(truth), domain, drop = TRUE)
  vapply(rows, function(i) score_rows(truth[i], value[i], metric), numeric(1))
}

# The line of the grid that predicts the domains of the folds best; fit(X, y, choice) gives a
# function of new rows.
best_choice <- function(task, grid, fit) {
  sign <- if (task$metric == "rmse") 1 else -1
  values <- vapply(seq_len(nrow(grid)), function(i) {
    scores <- lapply(sort(unique(task$fold)), function(k) {
      held <- task$fold == k
      predict <- fit(task$X[!held, , drop = FALSE], task$y[!held], grid[i, ])
      score_domains(task$y[held], predict(task$X[held, , drop = FALSE]), task$domain[held],
                    task$metric)
    })
    sign * mean(unlist(scores), na.rm = TRUE)
  }, numeric(1))
  grid[which.min(values), ]
}

tuned <- function(task, grid, fit) fit(task$X, task$y, best_choice(task, grid, fit))(task$new)

peer_ranger <- function(task) {
  p <- ncol(task$X)
  grid <- expand.grid(mtry = unique(pmax(1L, round(c(p / 10, sqrt(p), p / 3, 2 * p / 3)))),
                      size = c(1, 5, 20))
  tuned(task, grid, function(X, y, choice) {
    model <- ranger::ranger(x = X, y = y, num.trees = 500L, mtry = choice$mtry,
                            min.node.size = choice$size, num.threads = bench_threads, seed = 1L,
                            probability = task$metric == "auc")
    function(new) {
      value <- predict(model, new, num.threads = bench_threads)$predictions
      if (task$metric == "auc") value[, levels(y)[2L]] else value
    }
  })
}

# Weights of classes too, where one is rare.
peer_svm <- function(task) {
  grid <- expand.grid(cost = 10^(-1:2), gamma = c(0.1, 0.3, 1, 3) / ncol(task$X),
                      weighted = if (task$metric == "auc") c(FALSE, TRUE) else FALSE)
  tuned(task, grid, function(X, y, choice) {
    weights <- if (choice$weighted) "inverse"
    varies <- apply(X, 2L, function(x) max(x) > min(x))
    model <- e1071::svm(X[, varies, drop = FALSE], y, cost = choice$cost, gamma = choice$gamma,
                        class.weights = weights)
    function(new) {
      new <- new[, varies, drop = FALSE]
      if (task$metric != "auc") return(predict(model, new))
      value <- attr(predict(model, new, decision.values = TRUE), "decision.values")
      first <- strsplit(colnames(value), "/")[[1L]][1L]
      if (first == levels(y)[2L]) value[, 1L] else -value[, 1L]
    }
  })
}

peer_glmnet <- function(task) {
  family <- if (!is.factor(task$y)) "gaussian"
            else if (nlevels(task$y) == 2L) "binomial" else "multinomial"
  measure <- c(rmse = "mse", accuracy = "class", auc = "auc")[[task$metric]]
  models <- lapply(c(0, 0.5, 1), function(alpha) {
    glmnet::cv.glmnet(task$X, task$y, family = family, alpha = alpha, foldid = task$fold,
                      type.measure = measure)
  })
  values <- vapply(models, function(m) (if (measure == "auc") max else min)(m$cvm), numeric(1))
  best <- models[[(if (measure == "auc") which.max else which.min)(values)]]
  type <- if (task$metric == "accuracy") "class" else "response"
  drop(predict(best, task$new, s = "lambda.min", type = type))
}

# Debian has no R package of xgboost: the same library by way of Python.
peer_xgboost <- function(task) {
  folder <- tempfile("xgboost")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  class <- is.factor(task$y)
  y <- if (class) as.integer(task$y) - 1L else task$y
  utils::write.csv(cbind(fold = task$fold, y = y, task$X), file.path(folder, "train.csv"),
                   row.names = FALSE)
  utils::write.csv(task$new, file.path(folder, "test.csv"), row.names = FALSE)
  writeLines(paste(if (class) "class" else "number", task$metric, max(nlevels(task$y), 1L)),
             file.path(folder, "kind.txt"))
  status <- system2(python_with("xgboost"), c("tests/bench/auto-xgboost.py", folder, bench_threads))
  if (status != 0) stop("python3 tests/bench/auto-xgboost.py failed")
  value <- scan(file.path(folder, "prediction.csv"), quiet = TRUE)
  seconds <- scan(file.path(folder, "seconds.csv"), quiet = TRUE)
  if (class && task$metric == "accuracy") value <- levels(task$y)[value + 1L]
  # without the start of Python and the exchange of files
  structure(value, seconds = seconds)
}

# What the others must beat.
peer_null <- function(task) {
  if (task$metric == "rmse") return(rep(mean(task$y), nrow(task$new)))
  if (task$metric == "auc") return(rep(0, nrow(task$new)))
  rep(names(which.max(table(task$y))), nrow(task$new))
}

missing_peers <- function() {
  needs <- c(ranger = "ranger", glmnet = "glmnet", svm = "e1071")
  missing <- names(needs)[!vapply(needs, requireNamespace, NA, quietly = TRUE)]
  c(missing, if (is.null(python_with("xgboost"))) "xgboost")
}
