# The first call, dg_auto(), beside usual models on twenty sets of packages (first-call-sets.R), on
# domains that none has seen: five splits, each of which holds out a quarter of the domains.
#   Rscript tests/bench/first-call.R FOLDER [peers | auto | table] [NAME] [--quick]
# FOLDER stores the scores of each set, split and method; what is stored is not computed again.
# `peers` computes the usual models, `auto` dg_auto() in a folder NAME (default "auto"; another
# version of the package takes another NAME). Both print the table; `table`, the default, does
# nothing else. --quick: two sets.
#
# A score is the mean over held-out domains, then over splits that all methods of a set have. A
# method that fails gets the null model's scores. The difference from the best simple model (null,
# linear, splines, mixed, net; the best by these very scores, which favours it) has a standard error
# by clusters, the domains, because most are held out in several splits; because training sets
# overlap, its square is multiplied by 1 + n/n_1, with n_1 of n domains in training, as in
# dg_compare().

library(domgen)
options(domgen.threads = 1L, domgen.progress = FALSE, width = 150L)
source("tests/bench/ratio.R")
source("tests/bench/first-call-sets.R")

# METHODS. In count models a column `exposure` is the log of the exposure.

log_exposure <- function(x) if ("exposure" %in% names(x)) x$exposure else numeric(nrow(x))
predictors <- function(x) {
  x <- x[setdiff(names(x), "exposure")]
  stats::setNames(x, sprintf("x%d", seq_along(x)))
}

null_counts <- function() {
  learner_custom(function(x, y) sum(y) / sum(exp(log_exposure(x))),
                 function(object, x) object * exp(log_exposure(x)))
}

glm_counts <- function(terms = NULL) {
  learner_custom(function(x, y) {
    columns <- cbind(1, as.matrix(predictors(x)))
    stats::glm.fit(columns, y, offset = log_exposure(x), family = stats::poisson())["coefficients"]
  }, function(object, x) {
    known <- ifelse(is.na(object$coefficients), 0, object$coefficients)
    exp(drop(cbind(1, as.matrix(predictors(x))) %*% known) + log_exposure(x))
  }, terms = terms)
}

# glmnet wants two columns.
net_counts <- function() {
  learner_custom(function(x, y, domain) {
    fold <- sample(rep_len(1:10, nlevels(domain)))[as.integer(domain)]
    glmnet::cv.glmnet(cbind(as.matrix(predictors(x)), 0), y, family = "poisson",
                      offset = log_exposure(x), foldid = as.integer(factor(fold)))
  }, function(object, x) {
    drop(stats::predict(object, cbind(as.matrix(predictors(x)), 0), s = "lambda.min",
                        type = "response", newoffset = log_exposure(x)))
  })
}

# Of rates. At least a thousandth of their mean, because a mean of 0 has an infinite deviance.
forest_counts <- function() {
  learner_custom(function(x, y, min_n = 5) {
    exposure <- exp(log_exposure(x))
    list(least = 1e-3 * sum(y) / sum(exposure),
         model = ranger::ranger(x = predictors(x), y = y / exposure, case.weights = exposure,
                                min.node.size = min_n, num.threads = 1L))
  }, function(object, x) {
    rate <- stats::predict(object$model, predictors(x), num.threads = 1L)$predictions
    pmax(rate, object$least) * exp(log_exposure(x))
  })
}

ordered_logit <- function(terms = NULL) {
  learner_custom(function(x, y) {
    data <- cbind(predictors(x), y = factor(y, ordered = TRUE))
    formula <- stats::reformulate(names(predictors(x)), "y")
    list(model = suppressWarnings(ordinal::clm(formula, data = data)), levels = levels(data$y))
  }, function(object, x) {
    p <- suppressWarnings(stats::predict(object$model, predictors(x), type = "prob")$fit)
    matrix(p, nrow(x), dimnames = list(NULL, object$levels))
  }, scale = "pooled", terms = terms)
}

# By the package gbm, because Debian has no R package of xgboost. gbm predicts counts without their
# exposure, and a half of few censored times makes it end R.
boosting <- function(kind) {
  distribution <- c(number = "gaussian", classes = "bernoulli", count = "poisson",
                    ordered = "multinomial", time = "coxph")[[kind]]
  value <- function(object, x) {
    type <- if (kind == "time") "link" else "response"
    suppressWarnings(stats::predict(object$model, predictors(x), object$model$n.trees, type = type))
  }
  fit <- function(x, y, trees = 100, tree_depth = 3) {
    data <- cbind(predictors(x), known = log_exposure(x))
    data$y <- if (kind == "classes") as.integer(y) - 1L else y
    terms <- c(names(predictors(x)), if (kind == "count") "offset(known)")
    model <- suppressWarnings(gbm::gbm(
      stats::reformulate(terms, "y"), distribution, data, n.trees = trees, keep.data = FALSE,
      interaction.depth = tree_depth, shrinkage = 0.1, n.cores = 1L,
      bag.fraction = if (kind == "time") 1 else 0.5,
      n.minobsinnode = if (nrow(x) < 100L) 3L else 10L))
    object <- list(model = model, levels = levels(y))
    if (kind == "time") {
      risk <- value(object, x)
      # basehaz() is at the mean of the offset
      object$baseline <- survival::basehaz(survival::coxph(y ~ offset(risk)))
      object$centre <- mean(risk)
    }
    object
  }
  predict <- function(object, x) {
    p <- value(object, x)
    if (kind == "count") p <- p * exp(log_exposure(x))
    if (kind == "ordered") matrix(p, nrow(x), dimnames = list(NULL, object$levels)) else p
  }
  survival <- if (kind == "time") function(object, x, times) {
    hazard <- stats::approx(object$baseline$time, object$baseline$hazard, times, "constant",
                            yleft = 0, rule = 2)$y
    exp(-outer(exp(value(object, x) - object$centre), hazard))
  }
  learner_custom(fit, predict, survival = survival)
}

# The predictors; natural splines of numbers with more than six values and different terciles, which
# are the knots.
right_side <- function(set, curved = FALSE, more = NULL) {
  names <- all.vars(set$formula[[3L]][[2L]])
  bends <- vapply(set$d[names], function(x) {
    curved && is.numeric(x) && length(unique(x)) > 6L && !anyDuplicated(stats::quantile(x, 0:3 / 3))
  }, NA)
  stats::reformulate(c(ifelse(bends, sprintf("splines::ns(%s, 3)", names), names), more))
}

# Parameters are tuned in `folds` groups of training domains. The cost of the support vector machine
# and the penalty of the net are chosen by domains too, by dg_svm() and dg_net().
peers_of <- function(set, folds) {
  kind <- set$kind
  tuned <- function(spec, ...) {
    dg_tune(spec, grid = list(...), folds = folds, metric = metrics_of(set)[1L], extend = FALSE)
  }
  exposure <- intersect("exposure", names(set$d))
  curves <- right_side(set, TRUE, exposure)
  linear <- switch(kind, count = glm_counts, ordered = ordered_logit, dg_lm)
  forest <- if (kind == "count") forest_counts() else dg_forest()
  svm <- dg_svm(domain_kernel = domain_pooled(), intercept = TRUE, domain_weights = "size",
                calibration = if (kind == "number") "none" else "platt")
  mixed <- dg_mixed(domain_means = TRUE, scale = "pooled",
                    family = switch(kind, count = stats::poisson(), ordered = "ordinal"),
                    terms = if (length(exposure)) right_side(set, more = "offset(exposure)"))
  c(list(null = if (kind == "count") null_counts() else dg_null(), linear = linear(),
         splines = linear(terms = curves), net = if (kind == "count") net_counts() else dg_net()),
    if (kind != "time") list(mixed = mixed),
    list(forest = tuned(forest, min_n = c(1, 5, 20, 80)),
         boosting = tuned(boosting(kind), trees = c(100, 300), tree_depth = c(1, 3))),
    if (!kind %in% c("count", "time")) list(svm = tuned(svm, bandwidth_factor = c(0.5, 1, 2))))
}

# Numbers and two classes need no family.
first_call <- function(set) {
  given <- list(family = switch(set$kind, count = "poisson", ordered = "ordinal", time = "cox"),
                terms = if ("exposure" %in% names(set$d)) {
                  right_side(set, more = "offset(exposure)")
                })
  do.call(dg_auto, c(given[lengths(given) > 0L], list(progress = FALSE)))
}

# SCORES, the first of which counts. Probabilities below 0.001 count as that.

log_loss <- metric_custom(function(truth, prediction, prob) {
  p <- prob[cbind(seq_along(truth), match(as.character(truth), colnames(prob)))]
  mean(-log(pmax(ifelse(is.na(p), 0, p), 1e-3)))
}, title = "log loss")
rank_error <- metric_custom(function(truth, prediction, prob) {
  place <- function(class) match(as.character(class), colnames(prob))
  mean(abs(place(truth) - place(prediction)))
}, title = "rank error")

metrics_of <- function(set) {
  switch(set$kind, number = list(rmse = "rmse"), classes = list(log_loss = log_loss, auc = "auc"),
         count = list(deviance = metric_deviance(stats::poisson())),
         ordered = list(log_loss = log_loss, rank_error = rank_error),
         time = list(concordance = "concordance", brier = metric_brier(stats::median(set$d[[1L]]))))
}

# SETS AND SPLITS

# Complete rows of the variables of the formula in its order, and of exposure.
read_set <- function(name) {
  set <- first_call_sets[[name]]()
  variables <- all.vars(set[[2L]])
  d <- set[[3L]][c(variables, intersect("exposure", names(set[[3L]])))]
  d <- droplevels(d[stats::complete.cases(d), ])
  domain <- variables[length(variables)]
  d[[domain]] <- factor(as.character(d[[domain]]))
  x <- all.vars(set[[2L]][[3L]][[2L]])
  d[x] <- lapply(d[x], function(x) if (is.numeric(x)) x else factor(x, ordered = FALSE))
  rownames(d) <- NULL
  list(name = name, kind = set[[1L]], formula = set[[2L]], d = d, domain = d[[domain]], x = x)
}

# Different ones in each split.
held_domains <- function(set, split) {
  set.seed(100L)
  size <- max(2L, round(nlevels(set$domain) / 4))
  drawn <- list()
  while (length(drawn) < split) {
    drawn <- unique(c(drawn, list(sort(sample(levels(set$domain), size)))))
  }
  drawn[[split]]
}

# Levels that training does not have become its most frequent one, for all methods alike.
known_levels <- function(set, held) {
  for (name in Filter(function(name) is.factor(set$d[[name]]), set$x)) {
    counts <- table(set$d[!held, name])
    new <- held & counts[as.character(set$d[[name]])] == 0L
    set$d[new, name] <- names(which.max(counts))
  }
  set$d
}

# One method: a table of a score per held-out domain and metric.
run_method <- function(set, split, spec, formula) {
  held <- set$domain %in% held_domains(set, split)
  d <- known_levels(set, held)
  parts <- rsample::make_splits(list(analysis = which(!held), assessment = which(held)), d)
  folds <- rsample::manual_rset(list(parts), "split")
  scored <- function(metrics) {
    set.seed(200L + split)
    cv <- suppressMessages(suppressWarnings(
      dg_cv(spec, formula, data = d, folds = folds, metric = metrics, progress = FALSE)))
    columns <- if (length(metrics) == 1L) "score" else names(metrics)
    data.frame(domain = cv$domains$domain, metric = rep(names(metrics), each = nrow(cv$domains)),
               value = unlist(cv$domains[columns], use.names = FALSE),
               seconds = sum(cv$fits$seconds), error = NA)
  }
  failed <- function(e) {
    data.frame(domain = NA, metric = NA, value = NA, seconds = NA, error = conditionMessage(e))
  }
  # only the first score, if a method cannot give the second
  metrics <- metrics_of(set)
  found <- tryCatch(scored(metrics), error = function(e) {
    tryCatch(scored(metrics[1L]), error = failed)
  })
  cbind(set = set$name, split = split, found)
}

# A file of each set, split and method of `column`, "peers" or "auto".
run_column <- function(column, place, names) {
  dir.create(place, showWarnings = FALSE, recursive = TRUE)
  sets <- lapply(names, read_set)
  for (split in 1:5) for (set in sets) {
    training <- nlevels(set$domain) - length(held_domains(set, split))
    # what dg_auto() refuses as an argument
    specs <- tryCatch(if (column == "auto") list(dg_auto = first_call(set))
                      else peers_of(set, min(3L, training)), error = identity)
    if (inherits(specs, "error")) {
      if (split == 1L) cat(set$name, "left out:", conditionMessage(specs), "\n")
      next
    }
    formula <- set$formula
    if (column == "peers" && "exposure" %in% names(set$d)) {
      formula[[3L]][[2L]] <- right_side(set, more = "exposure")[[2L]]
    }
    for (method in names(specs)) {
      file <- file.path(place, paste(set$name, split, method, "rds", sep = "."))
      if (file.exists(file)) next
      found <- cbind(kind = set$kind, method = method,
                     run_method(set, split, specs[[method]], formula))
      saveRDS(found, file)
      score <- mean(found$value[found$metric %in% found$metric[1L]], na.rm = TRUE)
      cat(set$name, split, method, signif(score, 5), round(found$seconds[1L], 1),
          if (!is.na(found$error[1L])) found$error[1L], "\n")
    }
  }
}

# TABLES

# Mean difference dg_auto - other of one set and metric, positive if dg_auto is worse, and its
# interval.
paired_difference <- function(rows, other, sign) {
  own <- rows[rows$method == "dg_auto", ]
  base <- rows[rows$method == other, ]
  pair <- match(paste(own$split, own$domain), paste(base$split, base$domain))
  difference <- sign * (own$value - base$value[pair])
  scored <- !is.na(difference)
  mean <- mean(difference[scored])
  by_domain <- tapply(difference[scored] - mean, own$domain[scored], sum)
  G <- length(by_domain)
  # three quarters of the domains are in training
  se <- sqrt(G / (G - 1) * sum(by_domain^2) * (1 + 4 / 3)) / sum(scored)
  mean + c(0, -1, 1) * stats::qt(0.975, G - 1L) * se
}

by_method <- function(value, rows) {
  by_split <- tapply(value, list(rows$set, rows$method, rows$split), mean, na.rm = TRUE)
  apply(by_split, 1:2, mean, na.rm = TRUE)
}

# What a rank can be: two splits choose the usual model with the best scores on their held-out
# domains, which no method may see, three judge it beside all; and dg_auto on the same three. Means
# over the ten choices of two of the five, then over sets.
rank_with_hindsight <- function(rows, sign) {
  by_split <- sign * tapply(rows$value, list(rows$set, rows$method, rows$split), mean, na.rm = TRUE)
  pairs <- utils::combn(dim(by_split)[3L], 2L, simplify = FALSE)
  found <- lapply(pairs, function(choosing) {
    apply(by_split, 1L, function(scores) {
      usual <- scores[rownames(scores) != "dg_auto", choosing]
      chosen <- names(which.min(rowMeans(usual)))
      rank(signif(rowMeans(scores[, -choosing]), 6), na.last = "keep")[c(chosen, "dg_auto")]
    })
  })
  stats::setNames(rowMeans(Reduce(`+`, found) / length(pairs)), c("chosen", "dg_auto"))
}

print_metric <- function(rows, title) {
  if (!nrow(rows)) return(invisible())
  rows <- droplevels(rows)
  sign <- ifelse(rows$metric[match(levels(rows$set), rows$set)] %in% c("auc", "concordance"), -1, 1)
  scores <- by_method(rows$value, rows)
  ranks <- t(apply(signif(sign * scores, 6), 1L, rank, na.last = "keep"))
  table <- as.data.frame(signif(scores, 4))
  if ("dg_auto" %in% colnames(scores)) {
    simple <- sign * scores[, intersect(colnames(scores), simple_models), drop = FALSE]
    best <- colnames(simple)[apply(simple, 1L, which.min)]
    gap <- vapply(seq_along(best), function(k) {
      if (is.na(ranks[k, "dg_auto"])) return(rep(NA_real_, 3L))
      paired_difference(rows[rows$set == rownames(scores)[k], ], best[k], sign[k])
    }, numeric(3))
    table <- cbind(table, rank = ranks[, "dg_auto"], simple = best, worse_by = signif(gap[1L, ], 3),
                   lower = signif(gap[2L, ], 3), upper = signif(gap[3L, ], 3))
  }
  cat("\n", title, "\n", sep = "")
  print(table)
  called <- if ("dg_auto" %in% colnames(ranks)) which(!is.na(ranks[, "dg_auto"])) else TRUE
  cat("Mean rank, of each method over the sets that it and dg_auto have\n")
  print(round(colMeans(ranks[called, , drop = FALSE], na.rm = TRUE), 2))
  behind <- rownames(table)[which(table$lower > 0)]
  if (!length(behind)) behind <- "none"
  if (isTRUE(called)) return(invisible())
  cat("Clearly behind the best simple model:", behind, "\n")
  if (length(unique(rows$split)) < 5L) return(invisible())
  rank <- round(rank_with_hindsight(rows, sign), 2)
  cat("Mean rank on three splits of the usual model that was best on the other two: ",
      rank[["chosen"]], ", of dg_auto on the three: ", rank[["dg_auto"]], "\n", sep = "")
}

simple_models <- c("null", "linear", "splines", "mixed", "net")
first_scores <- c("number rmse", "classes log_loss", "count deviance", "ordered log_loss",
                  "time concordance")

print_results <- function(rows) {
  failed <- unique(rows[!is.na(rows$error), c("set", "split", "method", "error")])
  null <- rows[rows$method == "null", ]
  filled <- lapply(seq_len(nrow(failed)), function(k) {
    replaced <- null[null$set == failed$set[k] & null$split == failed$split[k], ]
    if (nrow(replaced)) transform(replaced, method = failed$method[k], seconds = NA)
  })
  rows <- do.call(rbind, c(list(rows[is.na(rows$error), ]), filled))
  methods <- tapply(rows$method, list(rows$set, rows$split), function(m) length(unique(m)))
  whole <- methods[cbind(rows$set, rows$split)] == apply(methods, 1L, max, na.rm = TRUE)[rows$set]
  rows <- rows[whole, ]
  order <- c(simple_models, "forest", "boosting", "svm", "dg_auto")
  rows$method <- factor(rows$method, order)
  rows$set <- factor(rows$set, names(first_call_sets))
  splits <- tapply(rows$split, droplevels(rows$set), function(split) length(unique(split)))
  cat("\nSets with fewer than five splits:", names(splits)[splits < 5L], "\n")
  main <- paste(rows$kind, rows$metric) %in% first_scores
  print_metric(rows[main, ], paste(
    "RMSE, log loss of classes, Poisson deviance of counts, concordance (higher is better).\n",
    "worse_by: dg_auto less the best simple model, positive if worse; lower, upper: 95 % interval"))
  print_metric(rows[!main, ], "Second scores: AUC (higher is better), rank error, Brier score")
  cat("\nSeconds of a fit with its tuning\n")
  print(signif(by_method(rows$seconds[main], droplevels(rows[main, ])), 2))
  cat("\nFailures, which get the null model's scores:\n")
  if (nrow(failed)) print(failed, row.names = FALSE) else cat("none\n")
}

if (sys.nframe() == 0L) {
  given <- setdiff(commandArgs(TRUE), "--quick")
  if (!length(given)) stop("FOLDER must be given, see the top of this script")
  given <- c(given, c("", "table", "auto")[-seq_along(given)])[1:3]
  sets <- if ("--quick" %in% commandArgs(TRUE)) c("Oats", "Mmmec") else names(first_call_sets)
  places <- stats::setNames(file.path(given[1L], c("peers", given[3L])), c("peers", "auto"))
  report_machine()
  if (given[2L] != "table") run_column(given[2L], places[[given[2L]]], sets)
  files <- list.files(places, "[.]rds$", full.names = TRUE)
  rows <- do.call(rbind, lapply(files, readRDS))
  print_results(rows[rows$set %in% sets, ])
}
