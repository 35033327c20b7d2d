# dg_auto() against tuned peers on domains that none has seen: ranger, xgboost, glmnet, e1071's SVM,
# lme4 (numbers), each on x and on x beside domain-standardised x, and the null model. Scores are
# means over test domains of splits of the domains, times those of tuning, fitting and predicting.
#   DOMGEN_DATA=... Rscript tests/bench/auto.R [sets] [methods] [results.csv] [splits]
# from the root of the package; sets and methods separated by commas, "all" for all (sets of
# auto-states.R by name only); splits: the first so many, or which (11:12). What results.csv has
# already is not computed again; further files after commas are read beside it. No methods ("none"):
# only the tables of what is stored.

source("tests/bench/ratio.R")
source("tests/bench/python.R")
for (part in c("data", "sets-shared", "sets-packages", "sets-sensors", "peers", "forms", "run",
               "tables")) {
  source(paste0("tests/bench/auto-", part, ".R"))
}
league <- c(shared_sets, package_sets)
bench_sets <- c(league, sensor_sets)

args <- c(commandArgs(TRUE), rep("all", 4L))[1:4]
files <- if (args[3L] != "all") strsplit(args[3L], ",")[[1L]]
ends <- if (args[4L] == "all") 100L else as.integer(strsplit(args[4L], ":")[[1L]])
named <- length(ends) == 2L
splits <- if (named) seq(ends[1L], ends[2L]) else seq_len(ends)
absent <- missing_peers()
for (name in absent) cat("left out, because it is not installed:", name, "\n")
if (!interactive()) {
  report_machine()
  present <- setdiff(pick(args[2L], names(methods)), absent)
  sets <- pick(args[1L], names(bench_sets), names(league))
  rows <- run_all(bench_sets[sets], present, files[1L], splits, named)
  print_tables(rbind(rows, read_results(files[-1L])), names(bench_sets), variants)
}
