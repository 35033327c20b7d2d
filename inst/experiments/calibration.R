# Are probabilities right on unseen domains? The same machine, calibrated on its decision values
#   domains     on held-out domains (`probability = "platt"`),
#   isotonic    the same by isotonic regression,
#   training    on its own training rows,
#   rows        on ten random folds of rows, each judged by all rows of its domain,
# and measured on domains that none of them has seen: the expected calibration error (ten bins of
# equal mass; the mean over classes if there are more than two) and the log loss. `training` and
# `rows` are Platt's scaling as logistic regression of his targets, by stats::glm.fit().
#
#   DOMGEN_DATA=<folder> Rscript calibration.R [file for the table]
#
# The folder has heart_disease.csv.gz, gvhd_flowcap1.csv.gz and landmine.csv.gz; without it, only
# simulated domains are used. About two minutes. results/calibration.txt was made while machines with
# probabilities were solved to a tolerance of 1e-3 (1e-5 now); cost and lambda are as given here.

library(domgen)

# Platt's scaling without a package: probability of the TRUE rows at new values.
platt <- function(f, positive, new) {
  target <- ifelse(positive, (sum(positive) + 1) / (sum(positive) + 2), 1 / (sum(!positive) + 2))
  ab <- suppressWarnings(stats::glm.fit(cbind(1, f), target, family = stats::quasibinomial()))
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

asking <- function(spec, method) {
  spec$args$probability <- method
  spec
}

run <- function(spec, train, test) {
  train <- droplevels(train)
  fitted <- fit(asking(spec, "platt"), y ~ . | domain, data = train)
  new <- decision_values(fitted, test)
  estimates <- list(
    domains = predict(fitted, test, type = "prob"),
    isotonic = predict(fit(asking(spec, "isotonic"), y ~ . | domain, data = train), test,
                       type = "prob"),
    training = scale_by(as.matrix(decision_values(fitted)), train$y, new),
    rows = by_rows(spec, train, new)
  )
  vapply(estimates, measure, numeric(2), y = test$y)
}

# Training domains at random, the others unseen.
split_domains <- function(data, n_train) {
  chosen <- sample(unique(as.character(data$domain)), n_train)
  inside <- data$domain %in% chosen
  list(train = data[inside, ], test = data[!inside, ])
}

subsample <- function(data, rows) {
  data[unlist(lapply(split(seq_len(nrow(data)), data$domain), function(i) {
    i[sample.int(length(i), min(rows, length(i)))]
  })), ]
}

read <- function(name) {
  utils::read.csv(gzfile(file.path(Sys.getenv("DOMGEN_DATA"), paste0(name, ".csv.gz"))))
}

# Few rows to learn from, many to measure on: the binned error of right probabilities is then about
# 0.01.
simulated <- function(data) {
  split <- split_domains(data, 8)
  list(train = subsample(split$train, 60), test = split$test)
}

set.seed(1)
tasks <- list(
  `dcm, 8 domains` = lapply(1:8, function(seed) {
    simulated(simulate_dcm(domains = 40, rows = 200, p = 3, c = 1, eta = 1, seed = seed))
  }),
  `ellipses, 8 domains` = lapply(1:8, function(seed) {
    simulated(simulate_ellipses(domains = 40, rows = 200, seed = seed))
  })
)
if (nzchar(Sys.getenv("DOMGEN_DATA"))) {
  heart <- read("heart_disease")
  heart <- heart[c("domain", "y", "age", "sex", "cp", "restecg", "thalach", "exang")]
  heart <- stats::na.omit(transform(heart, y = factor(y)))
  tasks$`heart, 3 hospitals` <- lapply(unique(heart$domain), function(g) {
    list(train = heart[heart$domain != g, ], test = heart[heart$domain == g, ])
  })
  landmine <- transform(read("landmine"), y = factor(y))
  tasks$`landmine, 9 fields` <- lapply(1:4, function(i) {
    split <- split_domains(landmine, 9)
    list(train = subsample(split$train, 80), test = subsample(split$test, 200))
  })
  gvhd <- read("gvhd_flowcap1")
  gvhd <- transform(gvhd[setdiff(names(gvhd), "gate")], y = factor(y))
  tasks$`gvhd, 6 samples` <- lapply(1:4, function(i) {
    split <- split_domains(gvhd, 6)
    list(train = subsample(split$train, 100), test = subsample(split$test, 500))
  })
}
learners <- list(
  `svm, cost 1` = dg_svm(multiclass = "one_vs_rest", cost = 1),
  `svm, cost 10` = dg_svm(multiclass = "one_vs_rest", cost = 10),
  `pooled svm` = dg_svm(multiclass = "one_vs_rest", domain_kernel = domain_pooled(), cost = 1),
  ridge = dg_ridge(lambda = 1)
)

# [measure x method x split] for each task and learner
results <- list()
for (task in names(tasks)) for (learner in names(learners)) {
  results[[paste0(task, "; ", learner)]] <- vapply(tasks[[task]], function(split) {
    suppressWarnings(run(learners[[learner]], split$train, split$test))
  }, matrix(0, 2L, 4L))
}
table <- do.call(rbind, lapply(names(results), function(name) {
  values <- results[[name]]
  means <- apply(values, 1:2, mean)
  difference <- values["ece", "domains", ] - values["ece", "training", ]
  data.frame(task = name, splits = length(difference), ece = t(means["ece", ]),
             log_loss = t(means["log_loss", ]), difference = mean(difference),
             se = stats::sd(difference) / sqrt(length(difference)))
}))

# In how many of all splits `domains` has the smaller value.
wins <- function(measure, method) {
  smaller <- unlist(lapply(results, function(v) v[measure, "domains", ] < v[measure, method, ]))
  paste(sum(smaller), "of", length(smaller))
}

report <- function() {
  cat("Means over splits on unseen domains. difference: ece of `domains` less `training`, with its",
      "\nstandard error over splits.\n\n")
  old <- options(width = 200)
  print(format(table, digits = 2, nsmall = 0), row.names = FALSE)
  options(old)
  cat("\n")
  for (measure in c("ece", "log_loss")) {
    columns <- table[startsWith(names(table), paste0(measure, "."))]
    names(columns) <- sub(".*[.]", "", names(columns))
    cat("mean ", measure, ": ", paste(names(columns), signif(colMeans(columns), 3),
                                      collapse = ", "),
        "\n  `domains` is below `training` in ", sum(columns$domains < columns$training), " of ",
        nrow(table), " lines (", wins(measure, "training"), " splits), below `rows` in ",
        sum(columns$domains < columns$rows), " (", wins(measure, "rows"), " splits)\n", sep = "")
  }
}
report()
target <- commandArgs(TRUE)
if (length(target)) {
  sink(target[1L])
  report()
  sink()
}
