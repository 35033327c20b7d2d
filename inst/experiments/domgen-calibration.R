# Are probabilities right on unseen domains? The same machine, calibrated on its decision values
#   domains     on held-out domains (`calibration = "platt"`),
#   isotonic    the same by isotonic regression,
#   training    on its own training rows,
#   rows        on ten random folds of rows, each judged by all rows of its domain,
# and measured on domains that none of them has seen: the expected calibration error (ece; ten bins
# of equal mass; the mean over classes if there are more than two) and the log loss. `training` and
# `rows` are Platt's scaling as logistic regression of his targets, by stats::glm.fit().
# Few rows to learn from, many to measure on: the binned error of right probabilities is then about
# 0.01. Draws of heart_disease are its four hospitals.

# Platt's scaling without a package: probability of the TRUE rows at new values.
platt <- function(f, positive, new) {
  target <- ifelse(positive, (sum(positive) + 1) / (sum(positive) + 2), 1 / (sum(!positive) + 2))
  ab <- stats::glm.fit(cbind(1, f), target, family = stats::quasibinomial())
  stats::plogis(ab$coefficients[1L] + ab$coefficients[2L] * new)
}

# One column of decision values for two classes, one per class against the rest for more.
decision_values <- function(model, ...) as.matrix(predict(model, ..., type = "decision"))

scale_by <- function(values, y, new) {
  positive <- if (nlevels(y) == 2L) cbind(y == levels(y)[2L]) else outer(y, levels(y), "==")
  P <- vapply(seq_len(ncol(values)), function(m) platt(values[, m], positive[, m], new[, m]),
              numeric(nrow(new)))
  if (ncol(P) == 1L) cbind(1 - P, P) else P / rowSums(P)
}

by_rows <- function(spec, train, new) {
  fold <- sample(rep_len(1:10, nrow(train)))
  parts <- lapply(1:10, function(k) {
    model <- fit(spec, y ~ . | domain, data = train[fold != k, ])
    decision_values(model, train[fold == k, ], reference = train)
  })
  place <- order(order(fold))
  scale_by(do.call(rbind, parts)[place, , drop = FALSE], train$y, new)
}

calibration_error <- function(p, positive) {
  bin <- ceiling(10 * rank(p, ties.method = "first") / length(p))
  sum(abs(tapply(positive - p, bin, sum))) / length(p)
}

measure <- function(P, y) {
  classes <- if (nlevels(y) == 2L) 2L else seq_len(nlevels(y))
  error <- mean(vapply(classes, function(c) calibration_error(P[, c], as.integer(y) == c), 0))
  p <- pmin(pmax(P[cbind(seq_along(y), as.integer(y))], 1e-7), 1 - 1e-7)
  c(ece = error, log_loss = mean(-log(p)))
}

# Training and unseen domains of a task.
calibration_tasks <- list(
  dcm = function(draw, data) {
    few_rows(simulate_dcm(domains = 40, n = 200, p = 3, c = 1, eta = 1))
  },
  ellipses = function(draw, data) few_rows(simulate_ellipses(domains = 40, n = 200)),
  heart_disease = function(draw, data) {
    d <- data$heart_disease
    d <- d[c("domain", "y", "age", "sex", "cp", "restecg", "thalach", "exang")]
    d <- stats::na.omit(transform(d, y = factor(y)))
    hospital <- unique(d$domain)[draw]
    list(train = d[d$domain != hospital, ], test = d[d$domain == hospital, ])
  },
  landmine = function(draw, data) {
    split <- split_domains(transform(data$landmine, y = factor(y)), 9)
    list(train = draw_rows(split$train, 80), test = draw_rows(split$test, 200))
  },
  gvhd_flowcap1 = function(draw, data) {
    d <- data$gvhd_flowcap1
    split <- split_domains(transform(d[setdiff(names(d), "gate")], y = factor(y)), 6)
    list(train = draw_rows(split$train, 100), test = draw_rows(split$test, 500))
  }
)

few_rows <- function(data) {
  split <- split_domains(data, 8)
  list(train = draw_rows(split$train, 60), test = split$test)
}

calibrated_machine <- function(name, probability) {
  switch(name,
    `svm, cost 1` = dg_svm(multiclass = "one_vs_rest", cost = 1, calibration = probability),
    `svm, cost 10` = dg_svm(multiclass = "one_vs_rest", cost = 10, calibration = probability),
    `pooled svm` = dg_svm(multiclass = "one_vs_rest", domain_kernel = domain_pooled(), cost = 1,
                          calibration = probability),
    ridge = dg_ridge(lambda = 1, calibration = probability)
  )
}

experiment(
  paper = "domgen", item = "?dg_calibration",
  title = "Are probabilities right on unseen domains?",
  data = c("heart_disease", "landmine", "gvhd_flowcap1"),
  draws = c(quick = 1, normal = 4, full = 4), minutes = c(quick = 0.1, normal = 2, full = 2),
  tolerance = c(ece = 6e-4, log_loss = 4e-4),
  cells = function(size) {
    if (size == "quick") return(data.frame(task = c("dcm", "heart_disease"), learner = "ridge"))
    expand.grid(task = names(calibration_tasks), stringsAsFactors = FALSE,
                learner = c("svm, cost 1", "svm, cost 10", "pooled svm", "ridge"))
  },
  run = function(cell, draw, data) {
    part <- calibration_tasks[[cell$task]](draw, data)
    train <- droplevels(part$train)
    asking <- function(probability) {
      fit(calibrated_machine(cell$learner, probability), y ~ . | domain, data = train)
    }
    model <- asking("platt")
    new <- decision_values(model, part$test)
    estimates <- list(
      domains = predict(model, part$test, type = "prob"),
      isotonic = predict(asking("isotonic"), part$test, type = "prob"),
      training = scale_by(as.matrix(decision_values(model)), train$y, new),
      rows = by_rows(calibrated_machine(cell$learner, "platt"), train, new)
    )
    bind(lapply(names(estimates), function(name) {
      result_lines(name, measure(estimates[[name]], part$test$y))
    }))
  }
)
