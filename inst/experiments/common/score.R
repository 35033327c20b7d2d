# What an experiment measures, as lines of its table.

# One line for each of `values`, a named vector of measures. `paper`: the published value of the
# measures that have one, named like them. `...`: what else the line says (seconds, parameters).
result_lines <- function(method, values, paper = NULL, ...) {
  published <- if (is.null(paper)) NA_real_ else unname(paper[names(values)])
  data.frame(method = method, measure = names(values), value = unname(values),
             paper = published, ..., row.names = NULL)
}

mean_by_domain <- function(loss, domain) mean(tapply(loss, droplevels(factor(domain)), mean))

rmse_by_domain <- function(truth, prediction, domain) {
  mean(sqrt(tapply((truth - prediction)^2, droplevels(factor(domain)), mean)))
}

# For two classes, the second level the rare one. auc_labels is what the DCM paper calls AUC: the
# area under the curve of the hard labels, (sensitivity + specificity) / 2. All over the rows of
# all unseen domains together.
two_class_scores <- function(truth, class, decision) {
  positive <- truth == levels(truth)[2L]
  hit <- class == levels(truth)[2L]
  sensitivity <- mean(hit[positive])
  specificity <- mean(!hit[!positive])
  rank <- rank(decision)
  auc <- (mean(rank[positive]) - (sum(positive) + 1) / 2) / sum(!positive)
  c(auc_labels = (sensitivity + specificity) / 2, gmean = sqrt(sensitivity * specificity),
    auc = auc)
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
