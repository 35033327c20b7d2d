# Side-by-side timing: both sides run in turn in one process, with the same
# BLAS and threads, and the ratio is taken pair by pair.

library(domgen)

seconds <- function(f) {
  gc(verbose = FALSE)
  start <- proc.time()[["elapsed"]]
  f()
  max(proc.time()[["elapsed"]] - start, 1e-3)
}

# peer and ours: functions without arguments, checked for equal results by the
# caller. `repeats` runs `ours` several times in one measurement when one run
# is too short for the clock.
compare_speed <- function(task, peer, ours, at_least, runs = 5L, repeats = 1L) {
  ours_repeated <- function() for (i in seq_len(repeats)) ours()
  ours()
  times <- vapply(seq_len(runs), function(i) {
    c(seconds(peer), seconds(ours_repeated) / repeats)
  }, numeric(2))
  ratio <- times[1, ] / times[2, ]
  row <- data.frame(
    task = task, peer = stats::median(times[1, ]), ours = stats::median(times[2, ]),
    ratio = stats::median(ratio), lowest = min(ratio), highest = max(ratio),
    at_least = at_least, met = stats::median(ratio) >= at_least
  )
  print(row, digits = 3, row.names = FALSE)
  invisible(row)
}

report_machine <- function() {
  cat(R.version.string, "\nBLAS:", extSoftVersion()[["BLAS"]],
      "\nCores:", parallel::detectCores(),
      " domgen threads:", getOption("domgen.threads", 2L), "\n\n")
}
