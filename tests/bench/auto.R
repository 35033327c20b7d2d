# dg_auto() against ranger, xgboost, glmnet and e1071's SVM on domains that none has seen: each is
# tuned on the training domains by the same folds of domains. Scores are means over test
# domains of splits of the domains, times those of tuning, fitting and predicting.
#   DOMGEN_DATA=... Rscript tests/bench/auto.R [sets] [methods] [results.csv] [splits]
# from the root of the package; sets and methods separated by commas, "all" for all. What
# results.csv has already is not computed again.

source("tests/bench/ratio.R")
source("tests/bench/python.R")
source("tests/bench/auto-data.R")
source("tests/bench/auto-peers.R")

bench_threads <- getOption("domgen.threads", 2L)
train_rows <- 3000L

fit_auto <- function(task) {
  model <- dg_auto(task$X, task$y, task$domain, metric = task$metric, progress = FALSE)
  table <- model$choice$table
  members <- which(table$member %in% TRUE)
  chosen <<- paste(domgen:::describe_candidates(table[members, ]), collapse = "; ")
  # the response of the test rows is not handed over
  type <- if (task$metric == "auc") "decision" else "response"
  drop(predict(model, task$new, domain = task$new_domain, type = type))
}

methods <- list(null = peer_null, glmnet = peer_glmnet, ranger = peer_ranger, svm = peer_svm,
                xgboost = peer_xgboost, dg_auto = fit_auto)

make_task <- function(set, i) {
  rows <- split_rows(set, i, train_rows)
  data <- fill_missing(set$data, rows$train)
  X <- as.matrix(data[setdiff(names(data), c("y", "domain"))])
  fold <- inner_folds(data$domain[rows$train])
  list(X = X[rows$train, ], y = data$y[rows$train], domain = droplevels(data$domain[rows$train]),
       fold = fold, new = X[rows$test, ], new_domain = droplevels(data$domain[rows$test]),
       truth = data$y[rows$test], metric = set$metric)
}

run_one <- function(name, i, method, task) {
  hidden <- task
  hidden$truth <- NULL
  chosen <<- ""
  gc(verbose = FALSE)
  set.seed(i)
  time <- system.time(value <- suppressWarnings(methods[[method]](hidden)))
  seconds <- attr(value, "seconds")
  if (is.null(seconds)) seconds <- c(time[["elapsed"]], sum(time[-3L]))
  scores <- score_domains(task$truth, as.vector(value), task$new_domain, task$metric)
  data.frame(set = name, split = i, method = method, metric = task$metric,
             score = mean(scores, na.rm = TRUE),
             error = stats::sd(scores, na.rm = TRUE) / sqrt(sum(!is.na(scores))),
             elapsed = seconds[1L], processor = seconds[2L], chosen = chosen)
}

run_all <- function(sets, methods, file, splits) {
  done <- if (!is.null(file) && file.exists(file)) utils::read.csv(file)
  for (name in sets) {
    set <- bench_sets[[name]]()
    for (i in seq_len(min(splits, set$splits))) {
      known <- done$method[done$set == name & done$split == i]
      todo <- setdiff(methods, known)
      if (length(todo) == 0L) next
      task <- make_task(set, i)
      for (method in todo) {
        row <- run_one(name, i, method, task)
        cat(sprintf("%-20s %d %-8s %s %.4f (%.4f)  %6.1f s  %s\n", name, i, method, row$metric,
                    row$score, row$error, row$elapsed, row$chosen))
        done <- rbind(done, row)
        if (!is.null(file)) utils::write.csv(done, file, row.names = FALSE)
      }
    }
  }
  done
}

# Means over splits; the rank of each method in each set, without the null model. A set that only
# varies another counts no rank.
print_tables <- function(rows) {
  methods <- intersect(names(methods), rows$method)
  table <- function(column) {
    tapply(rows[[column]], list(rows$set, factor(rows$method, methods)), mean)[
      intersect(names(bench_sets), rows$set), , drop = FALSE]
  }
  scores <- table("score")
  metric <- rows$metric[match(rownames(scores), rows$set)]
  cat("\nScore on unseen domains (RMSE: less is better)\n")
  print(data.frame(metric, round(scores, 4), check.names = FALSE))
  peers <- setdiff(methods, "null")
  ranked <- rownames(scores) != "MathAchieve_mean" & stats::complete.cases(scores)
  ranks <- t(vapply(which(ranked), function(i) {
    rank(scores[i, peers] * if (metric[i] == "rmse") 1 else -1)
  }, numeric(length(peers))))
  colnames(ranks) <- peers
  cat("\nRank among", length(peers), "methods\n")
  print(rbind(ranks, mean = colMeans(ranks)), digits = 3)
  for (column in c("elapsed", "processor")) {
    seconds <- table(column)
    cat("\nSeconds a split,", column, "\n")
    print(round(rbind(seconds, sum = colSums(seconds, na.rm = TRUE)), 1))
  }
}

args <- c(commandArgs(TRUE), rep("all", 4L))[1:4]
pick <- function(given, known) if (given == "all") known else strsplit(given, ",")[[1L]]
file <- if (args[3L] != "all") args[3L]
splits <- if (args[4L] == "all") Inf else as.integer(args[4L])
absent <- missing_peers()
for (name in absent) cat("left out, because it is not installed:", name, "\n")
if (!interactive()) {
  report_machine()
  present <- setdiff(pick(args[2L], names(methods)), absent)
  rows <- run_all(pick(args[1L], names(bench_sets)), present, file, splits)
  print_tables(rows)
}
