# Many random calls, in sessions of their own, so that one that ends its session is a finding too:
#   Rscript tests/fuzz/fuzz.R [calls] [seed] [seconds a call]
# One call again: Rscript tests/fuzz/fuzz.R only <number> <seed>
library(domgen)
arguments <- commandArgs(TRUE)
number <- function(k, default) {
  if (is.na(arguments[k]) || arguments[k] == "") default else as.numeric(arguments[k])
}

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
folder <- file.path(dirname(dirname(script)), "testthat")
machinery <- new.env(parent = asNamespace("domgen"))
for (file in c("helper-bad-input.R", "helper-fuzz.R")) {
  sys.source(file.path(folder, file), machinery)
}

if (identical(arguments[1L], "only")) {
  world <- machinery$fuzz_world()
  call <- machinery$fuzz_call(number(3, 1), number(2, 1), world)
  cat(call$words, "\n")
  grDevices::pdf(NULL)
  options(domgen.threads = 1L, error = function() traceback(3))
  print(eval(machinery$fuzz_language(get(call$fun, asNamespace("domgen")), call$args), world$env))
  quit()
}

if (identical(arguments[1L], "part")) {
  log <- arguments[5L]
  found <- machinery$fuzz(number(4, 1), number(2, 1):number(3, 1), number(6, 10),
                          before = function(i) cat(i, file = log))
  saveRDS(found, paste0(log, ".rds"))
  quit()
}

calls <- number(1, 10000)
seed <- number(2, 1)
log <- tempfile()
next_call <- 1
faults <- NULL
while (next_call <= calls) {
  last <- min(next_call + 4999, calls)
  status <- system2(file.path(R.home("bin"), "Rscript"), shQuote(c(
    script, "part", format(next_call, scientific = FALSE),
    format(last, scientific = FALSE), seed, log, number(3, 10)
  )))
  found <- if (status == 0) readRDS(paste0(log, ".rds"))
  if (status != 0) {
    last <- as.numeric(readLines(log, warn = FALSE))
    found <- data.frame(seed = seed, call = last, words = "", fault = "the session ended")
    # those before it, without it
    next_call <- max(next_call, last)
  }
  for (k in seq_len(NROW(found))) {
    cat(found$call[k], ": ", found$words[k], "\n    ", found$fault[k], "\n", sep = "")
  }
  faults <- rbind(faults, found)
  next_call <- last + 1
}
cat(format(calls, scientific = FALSE), " calls with seed ", seed, ": ", NROW(faults), " faults\n",
    sep = "")
quit(status = as.integer(NROW(faults) > 0))
