# dg_auto() and the peers of auto.R where there are few training domains: all pairs of domains of
# three sets, and each domain alone; the others are the test domains.
#   DOMGEN_DATA=... Rscript tests/bench/auto-few.R [methods] [results.csv]
# Methods and files as in auto.R.

source("tests/bench/ratio.R")
source("tests/bench/python.R")
for (part in c("data", "sets-shared", "sets-packages", "peers", "forms", "run", "tables")) {
  source(paste0("tests/bench/auto-", part, ".R"))
}

# Classes by hospital, numbers by continent and by region of Indonesia.
few_sets <- list(
  heart = shared_sets$heart_disease,
  continents = package_sets$gapminder_continent,
  rice = function() packaged_set("plm", "RiceFarms",
    log(goutput) ~ log(size) + log(seed) + log(urea) + log1p(phosphate) + log1p(pesticide) +
      log(totlabor) + status + varieties + bimas | region)
)

with_parts <- function(make, domains) function() {
  set <- make()
  set$parts <- utils::combn(levels(set$data$domain), domains, simplify = FALSE)
  set$splits <- length(set$parts)
  set
}

bench_sets <- c(lapply(few_sets, with_parts, 2L), lapply(few_sets, with_parts, 1L))
names(bench_sets) <- paste(names(bench_sets), rep(c("two", "one"), each = 3L))

# Errors in units of the null model's: the mean over splits, the worst split; how much worse than
# the null model, in standard errors over test domains, and in how many splits by more than two.
null_units <- function(rows) {
  null <- rows[rows$method == "null", ]
  null <- null[match(rows$split, null$split), ]
  error <- function(r) if (r$metric[1L] == "rmse") r$score else 1 - r$score
  rows$ratio <- error(rows) / error(null)
  do.call(rbind, lapply(setdiff(unique(rows$method), "null"), function(method) {
    of <- rows[rows$method == method, ]
    worse <- worse_by(rows, method, "null")
    errors <- vapply(of$split, function(i) {
      part <- worse_by(rows[rows$split == i, ], method, "null")
      part[["mean"]] / part[["se"]]
    }, 1)
    data.frame(set = of$set[1L], method = method, ratio = mean(of$ratio), worst = max(of$ratio),
               errors = worse[["mean"]] / worse[["se"]], splits = nrow(of),
               above_two = sum(errors > 2, na.rm = TRUE))
  }))
}

args <- c(commandArgs(TRUE), rep("all", 2L))[1:2]
chosen <- pick(args[1L], names(methods))
files <- if (args[2L] != "all") strsplit(args[2L], ",")[[1L]]
if (!interactive()) {
  report_machine()
  rows <- run_all(bench_sets, setdiff(chosen, missing_peers()), files[1L], 1:100)
  rows <- rbind(rows, read_results(files[-1L]))
  cat("\nErrors in units of the null model's; how much worse in standard errors over domains\n")
  for (set in intersect(names(bench_sets), rows$set)) {
    table <- null_units(shared_lines(rows[rows$set == set, ]))
    print(table[order(table$ratio), ], digits = 3, row.names = FALSE)
  }
}
