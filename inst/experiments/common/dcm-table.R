# The DCM paper's tables of two classes and of voices as tables of a page.

# Names of the rows that are added.
with_ridge <- function(methods) paste0(methods, ", ridge n/10")
median_width <- function(methods) paste0(methods, ", median bandwidth")
weighted <- function(methods) paste0(methods, ", weighted")
logistic <- c("logistic regression", "logistic regression, weighted",
              "logistic regression, cut at prevalence")

times <- function(x, digits = 2) formatC(x, digits = digits, format = "fg")

# The paper's time of a method as a multiple of that of `other`.
published_times <- function(lines, method, other) {
  seconds <- lines[lines$measure == "time", ]
  times(seconds$paper[match(method, seconds$method)] / seconds$paper[match(other, seconds$method)])
}

header <- c(auc_labels = "AUC of labels", gmean = "G-Mean", auc = "AUC of scores",
            accuracy = "accuracy, %", accuracy_training = "accuracy in training, %", mmd = "MMD",
            motor = "RMSE, motor", total = "RMSE, total")

# A line for each method: those of the paper, then `added`; ours and the paper's by measure. Times
# are multiples of those of the machine on the input in the same run, the paper's are seconds.
method_table <- function(lines, measures, published, added, digits = 3) {
  table <- summarise_results(lines)
  methods <- c(published, NA, intersect(added, table$method))
  column <- function(measure, what) {
    d <- table[table$measure == measure, ]
    what(d[match(methods, d$method), ])
  }
  blank <- function(x, text) ifelse(is.na(x), "", text)
  wide <- list(method = ifelse(is.na(methods), "*not in the paper:*", methods))
  for (m in measures) {
    mean_se <- column(m, function(d) blank(d$mean, in_brackets(d$mean, d$se, digits)))
    paper <- column(m, function(d) blank(d$paper, number(d$paper, digits)))
    wide <- c(wide, stats::setNames(list(mean_se), header[[m]]))
    if (any(nzchar(paper))) wide <- c(wide, list("(paper)" = paper))
  }
  wide[["time, SVM's = 1"]] <- column("time_ratio", function(d) blank(d$mean, times(d$mean)))
  wide[["(paper, s)"]] <- column("time", function(d) blank(d$paper, number(d$paper, 0)))
  shown(data.frame(wide, check.names = FALSE))
}
