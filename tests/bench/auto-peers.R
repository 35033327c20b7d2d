# The peers of auto.R, each tuned on the training domains by the same folds of domains and then
# fitted to all of them. A method is a function of a task (make_task() in auto-data.R), and gives
# the predictions of the test rows: numbers, classes, or scores of the second class; with
# attributes inner, its own score on the folds, and seconds, if its clock is not ours.

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

# The line of the grid that predicts the domains of the folds best; fit(X, y, choice, domain) gives
# a function of new rows, final: FALSE where it is for tuning. Tuned on at most so many rows.
best_choice <- function(task, grid, fit, most) {
  sign <- if (task$metric == "rmse") 1 else -1
  if (length(task$y) > most) {
    rows <- sample_evenly(seq_along(task$y), task$domain, most)
    task[c("y", "domain", "fold")] <- lapply(task[c("y", "domain", "fold")], `[`, rows)
    task$X <- task$X[rows, , drop = FALSE]
  }
  values <- vapply(seq_len(nrow(grid)), function(i) {
    scores <- lapply(sort(unique(task$fold)), function(k) {
      held <- task$fold == k
      predict <- fit(task$X[!held, , drop = FALSE], task$y[!held], grid[i, ], task$domain[!held],
                     FALSE)
      score_domains(task$y[held], predict(task$X[held, , drop = FALSE]), task$domain[held],
                    task$metric)
    })
    sign * mean(unlist(scores), na.rm = TRUE)
  }, numeric(1))
  best <- which.min(values)
  list(choice = grid[best, , drop = FALSE], inner = sign * values[best])
}

tuned <- function(task, grid, fit, most = Inf) {
  best <- best_choice(task, grid, fit, most)
  value <- fit(task$X, task$y, best$choice, task$domain, TRUE)(task$new)
  words <- paste(names(best$choice), vapply(best$choice, format, "", digits = 3))
  structure(as.vector(value), inner = best$inner, chosen = paste(words, collapse = " "))
}

peer_ranger <- function(task) {
  p <- ncol(task$X)
  grid <- expand.grid(mtry = unique(pmax(1L, round(c(sqrt(p), p / 3, 2 * p / 3)))),
                      size = c(5, 20))
  tuned(task, grid, function(X, y, choice, domain, final) {
    model <- ranger::ranger(x = X, y = y, num.trees = if (final) 500L else 100L,
                            mtry = choice$mtry, min.node.size = choice$size, seed = 1L,
                            num.threads = bench_threads, probability = task$metric == "auc")
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
  tuned(task, grid, function(X, y, choice, domain, final) {
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
  }, most = 1000L)
}

# The path of lambda is that of all training rows, as in cv.glmnet(), which wants three folds or
# more. A column of zeros beside a single predictor, which glmnet does not take.
peer_glmnet <- function(task) {
  family <- if (!is.factor(task$y)) "gaussian"
            else if (nlevels(task$y) == 2L) "binomial" else "multinomial"
  type <- if (task$metric == "accuracy") "class" else "response"
  wide <- function(X) if (ncol(X) > 1L) X else cbind(X, 0)
  path_of <- function(alpha, rows, lambda = NULL) {
    glmnet::glmnet(wide(task$X[rows, , drop = FALSE]), task$y[rows], family = family,
                   alpha = alpha, nlambda = 60L, lambda = lambda)
  }
  values_at <- function(path, X, lambda) {
    matrix(predict(path, wide(X), s = lambda, type = type), nrow(X))
  }
  sign <- if (task$metric == "rmse") 1 else -1
  all <- seq_along(task$y)
  best <- list(loss = Inf)
  for (alpha in c(0, 0.5, 1)) {
    path <- path_of(alpha, all)
    scores <- do.call(rbind, lapply(unique(task$fold), function(k) {
      held <- which(task$fold == k)
      value <- values_at(path_of(alpha, setdiff(all, held), path$lambda),
                         task$X[held, , drop = FALSE], path$lambda)
      one <- function(v) score_domains(task$y[held], v, task$domain[held], task$metric)
      matrix(apply(value, 2L, one), ncol = length(path$lambda))
    }))
    loss <- sign * colMeans(scores, na.rm = TRUE)
    at <- which.min(loss)
    if (loss[at] < best$loss) {
      best <- list(loss = loss[at], path = path, lambda = path$lambda[at], alpha = alpha)
    }
  }
  structure(as.vector(values_at(best$path, task$new, best$lambda)), inner = sign * best$loss,
            chosen = paste("alpha", best$alpha, "lambda", signif(best$lambda, 3)))
}

# Random intercepts of the domains, which are 0 for new ones, and fixed effects of all predictors;
# with a single domain least squares. For numbers only.
peer_lme4 <- function(task) {
  tuned(task, data.frame(effects = "intercept"), function(X, y, choice, domain, final) {
    varies <- apply(X, 2L, function(x) max(x) > min(x))
    centre <- colMeans(X[, varies, drop = FALSE])
    spread <- apply(X[, varies, drop = FALSE], 2L, stats::sd)
    table <- function(new) {
      new <- scale(new[, varies, drop = FALSE], centre, spread)
      stats::setNames(as.data.frame(new), paste0("x", seq_along(centre)))
    }
    data <- cbind(y = y, table(X))
    coefs <- if (nlevels(droplevels(domain)) > 1L) {
      data$domain <- domain
      formula <- stats::reformulate(c(names(table(X)), "(1 | domain)"), "y")
      control <- lme4::lmerControl(calc.derivs = FALSE)
      lme4::fixef(suppressMessages(lme4::lmer(formula, data, control = control)))
    } else stats::na.omit(stats::coef(stats::lm(y ~ ., data)))
    function(new) drop(cbind(1, as.matrix(table(new)[names(coefs)[-1L]])) %*% coefs)
  })
}

# Debian has no R package of xgboost: the same library by way of Python.
peer_xgboost <- function(task) {
  folder <- tempfile("xgboost")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE, expand = FALSE))
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
  inner <- scan(file.path(folder, "inner.csv"), quiet = TRUE)
  if (class && task$metric == "accuracy") value <- levels(task$y)[value + 1L]
  # seconds: without the start of Python and the exchange of files
  structure(value, seconds = seconds, inner = if (task$metric == "accuracy") 1 - inner else inner)
}

# What the others must beat.
peer_null <- function(task) {
  if (task$metric == "rmse") return(rep(mean(task$y), nrow(task$new)))
  if (task$metric == "auc") return(rep(0, nrow(task$new)))
  rep(names(which.max(table(task$y))), nrow(task$new))
}
