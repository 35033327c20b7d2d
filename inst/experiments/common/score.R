# What an experiment measures, as lines of its table.

# One line for each of `values`, a named vector of measures. `paper`: the published value of the
# measures that have one, named like them. `...`: what else the line says (seconds, parameters).
result_lines <- function(method, values, paper = NULL, ...) {
  published <- if (is.null(paper)) NA_real_ else unname(paper[names(values)])
  data.frame(method = method, measure = names(values), value = unname(values),
             paper = published, ..., row.names = NULL)
}

mean_by_domain <- function(loss, domain) mean(tapply(loss, droplevels(factor(domain)), mean))

# Scores of a model on unseen rows, as functions of the model: root mean squared error, % of rows
# that are right or wrong, the mean over domains.
rmse_score <- function(test) function(model) c(rmse = sqrt(mean((predict(model, test) - test$y)^2)))

percent_right <- function(test) {
  function(model) c(accuracy = 100 * mean_by_domain(predict(model, test) == test$y, test$domain))
}

percent_wrong <- function(test) {
  function(model) c(error = 100 * mean_by_domain(predict(model, test) != test$y, test$domain))
}

# The package's metric of that name, of each group of rows.
package_metric <- function(name, truth, prediction, decision, groups = rep(1L, length(truth))) {
  d <- list(truth = truth, prediction = prediction, decision = decision)
  domgen:::score_groups(d, groups, domgen:::metrics[[name]])
}

# For two classes, the second level the rare one. auc_labels is what the DCM paper calls AUC: the
# area under the curve of the hard labels, (sensitivity + specificity) / 2. All over the rows of
# all unseen domains together.
two_class_scores <- function(truth, class, decision) {
  measures <- c(auc_labels = "balanced_accuracy", gmean = "gmean", auc = "auc")
  vapply(measures, package_metric, 0, truth, class, decision)
}

# Of a model. A machine is solved to a tolerance of 1e-3: where all its decision values lie within
# that, as where classes are so rare that it does best with hardly any weight, their order is the
# solver's and not the data's, and counts as none.
two_class_score <- function(test) {
  function(model) {
    decision <- drop(predict(model, test, type = "decision"))
    if (diff(range(decision)) < 1e-3) decision[] <- 0
    two_class_scores(test$y, predict(model, test), decision)
  }
}

# Parameters as text: "cost = 10, lambda = 0.1".
in_words <- function(parameters) {
  value <- function(v) if (is.numeric(v)) format(v, digits = 4) else format(v)
  paste(names(parameters), vapply(parameters, function(v) paste(value(v), collapse = " "), ""),
        sep = " = ", collapse = ", ")
}

# Lines bound together; what one does not have is NA.
bind <- function(tables) {
  columns <- unique(unlist(lapply(tables, names)))
  do.call(rbind, lapply(tables, function(d) {
    d[setdiff(columns, names(d))] <- NA
    d[columns]
  }))
}
