# dg_auto() of two or more states of the package, each an installed library, on the same folds of
# the sets of auto-sets-sensors.R (each domain is tested once): by turns, each in a process of its
# own with one thread. Errors by domain in per cent of the first state's, and processor seconds.
#   Rscript tests/bench/auto-states.R old=LIBRARY,new=LIBRARY results.csv [sets] [folds] [rounds]
#   Rscript tests/bench/auto-states.R old,new results.csv [sets]
# The second only prints the report of what is stored. Sets: names separated by commas; folds: 1:2,
# say; both by default all. Rounds: so many partitions of the domains (1). What results.csv has is
# not computed again, so that a stopped run goes on; runs of different sets may share the file.

for (part in c("data", "sets-shared", "sets-packages", "sets-sensors", "peers", "forms", "run",
               "tables")) {
  source(paste0("tests/bench/auto-", part, ".R"))
}

args <- c(commandArgs(TRUE), rep("all", 5L))[1:5]
one_task <- args[1L] == "task"
parts <- strsplit(strsplit(args[1L], ",")[[1L]], "=")
libraries <- stats::setNames(vapply(parts, `[`, "", 2L), vapply(parts, `[`, "", 1L))
file <- args[2L]
if (!one_task && (length(libraries) < 2L || file == "all")) {
  stop("Two states and a file of results are needed.")
}
rounds <- if (args[5L] == "all") 1L else as.integer(args[5L])
stored <- function() if (file.exists(file)) read_results(file)

# The line of results of dg_auto() of the package in this library.
run_state <- function(library, name, fold, task) {
  file <- tempfile(fileext = ".rds")
  saveRDS(list(name = name, fold = fold, task = task), file)
  libraries <- paste(c(library, Sys.getenv("R_LIBS")), collapse = .Platform$path.sep)
  system2("Rscript", c("tests/bench/auto-states.R", "task", file), stdout = FALSE,
          env = c(paste0("R_LIBS=", libraries), "DOMGEN_THREADS=1", "OPENBLAS_NUM_THREADS=1"))
  readRDS(file)
}

# What a process of run_state() does: the result replaces the task in the file.
do_task <- function(file) {
  library(domgen)
  todo <- readRDS(file)
  saveRDS(run_one(todo$name, todo$fold, "dg_auto", todo$task), file)
}

# The first state begins in odd folds, the last in even ones.
run_states <- function(name) {
  set <- read_or_leave_out(sensor_sets[[name]], name)
  if (is.null(set)) return()
  folds <- if (args[4L] == "all") seq_len(rounds * set$folds) else eval(str2lang(args[4L]))
  for (fold in folds) for (state in if (fold %% 2L) names(libraries) else rev(names(libraries))) {
    done <- stored()
    if (any(done$state == state & done$set == name & done$split == fold)) next
    row <- cbind(state = state, run_state(libraries[[state]], name, fold, make_task(set, fold)))
    cat(sprintf("%-18s %2d %-6s %.4f %6.1f s  %s\n", name, fold, state, row$score, row$processor,
                row$chosen))
    utils::write.table(row, file, append = !is.null(done), col.names = is.null(done), sep = ",",
                       qmethod = "double", row.names = FALSE)
  }
}

# Error of each domain, less is better: 1 - accuracy (or AUC), or the root mean square.
errors_by_domain <- function(rows) {
  parts <- lapply(seq_len(nrow(rows)), function(i) {
    scores <- domain_scores(rows[i, ])
    error <- if (rows$metric[i] == "rmse") scores else 1 - scores
    data.frame(state = rows$state[i], set = rows$set[i], fold = rows$split[i],
               domain = names(scores), error = as.vector(error))
  })
  do.call(rbind, parts)
}

# A later state against the first in one set: the difference of the mean error over domains in per
# cent of the first one's, with a standard error from the folds (that of a ratio of two sums).
compare_errors <- function(old, new) {
  both <- merge(old, new, by = c("fold", "domain"))
  ratio <- sum(both$error.y) / sum(both$error.x)
  sums <- tapply(both$error.y - ratio * both$error.x, both$fold, sum)
  K <- length(sums)
  data.frame(folds = K, error = mean(both$error.x), now = mean(both$error.y),
             change = 100 * (ratio - 1),
             se = 100 * sqrt(K / (K - 1) * sum(sums^2)) / sum(both$error.x))
}

# Folds that all states have.
complete_folds <- function(rows, states) {
  rows <- rows[rows$state %in% states, ]
  failed <- rows[is.na(rows$score), ]
  lines <- paste(failed$state, failed$set, failed$split, failed$chosen)
  if (length(lines)) cat("Left out:", lines, sep = "\n")
  rows <- rows[!is.na(rows$score), ]
  rows <- rows[!duplicated(rows[c("state", "set", "split")]), ]
  rows[stats::ave(rows$split, rows$set, rows$split, FUN = length) == length(states), ]
}

report_states <- function(rows, states) {
  rows <- complete_folds(rows, states)
  errors <- errors_by_domain(rows)
  of_one_task(rows)
  names <- intersect(names(sensor_sets), rows$set)
  for (state in states[-1L]) {
    table <- do.call(rbind, lapply(names, function(name) {
      of <- function(which) errors[errors$set == name & errors$state == which, ]
      time <- function(which) mean(rows$processor[rows$set == name & rows$state == which])
      set <- sensor_sets[[name]]()
      data.frame(set = name, classes = nlevels(set$data$y), domains = nlevels(set$data$domain),
                 columns = ncol(set$data) - 2L, compare_errors(of(states[1L]), of(state)),
                 seconds = time(states[1L]), seconds.now = time(state))
    }))
    cat("\nError of", states[1L], "and", state, "(now), change in per cent with its standard",
        "error, seconds a fold\n")
    print(data.frame(table[1:5], signif(table[6:7], 3L), round(table[8:9], 2L),
                     round(table[10:11], 1L)), row.names = FALSE)
    summarise_states(table)
  }
}

# Three means over sets: as a sample of all such sets, with the spread between sets; of these very
# sets, with the spread of folds within them; and the same weighted by the first state's error, that
# is of the errors of all sets together.
summarise_states <- function(table) {
  S <- nrow(table)
  cat(sprintf("%d sets, worse on %d, better on %d\n", S, sum(table$change > 0),
              sum(table$change < 0)))
  line <- function(what, weight, se, df) {
    mean <- stats::weighted.mean(table$change, weight)
    ends <- mean + c(-1, 1) * se * if (df > 0L) stats::qt(.975, df) else NA
    cat(sprintf("%-42s %+.2f %% (standard error %.2f; 95 %% interval %+.2f to %+.2f)\n", what,
                mean, se, ends[1L], ends[2L]))
  }
  within <- function(weight) sqrt(sum((weight * table$se)^2)) / sum(weight)
  df <- sum(table$folds - 1L)
  line("over sets, which are a sample:", rep(1, S), stats::sd(table$change) / sqrt(S), S - 1L)
  line("over these sets, by folds within them:", rep(1, S), within(rep(1, S)), df)
  line("the same, weighted by the error:", table$error, within(table$error), df)
  cat(sprintf("seconds %.0f and %.0f a fold of each set, geometric mean of the ratios %.2f\n",
              sum(table$seconds), sum(table$seconds.now),
              exp(mean(log(table$seconds.now / table$seconds)))))
}

if (one_task) do_task(file) else if (!interactive()) {
  options(width = 150L)
  chosen <- pick(args[3L], names(sensor_sets))
  if (!anyNA(libraries)) for (name in chosen) run_states(name)
  rows <- stored()
  report_states(rows[rows$set %in% chosen, ], names(libraries))
}
