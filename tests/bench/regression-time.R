# How the calls of regression.R are timed, in a process of each side.

# Once to warm up, unless that takes seconds, then as often as fills 0.2 seconds, at most 100 times,
# of which the mean counts. NA: this version has no such call, or it fails.
processor_seconds <- function(call) {
  once <- function() {
    gc(verbose = FALSE)
    before <- proc.time()
    suppressWarnings(suppressMessages(call()))
    sum((proc.time() - before)[c("user.self", "sys.self")])
  }
  tryCatch({
    first <- once()
    if (first > 2) return(first)
    times <- max(1, min(100, ceiling(0.2 / max(first, 0.001))))
    gc(verbose = FALSE)
    before <- proc.time()
    for (i in seq_len(times)) suppressWarnings(suppressMessages(call()))
    sum((proc.time() - before)[c("user.self", "sys.self")]) / times
  }, error = function(e) {
    message(conditionMessage(e))
    NA_real_
  })
}

# Into the file that the command line names, of all calls or those it names.
time_calls <- function(calls, arguments = commandArgs(trailingOnly = TRUE)) {
  if (length(arguments) > 1L) calls <- calls[strsplit(arguments[2L], ";", fixed = TRUE)[[1L]]]
  saveRDS(vapply(calls, processor_seconds, 0), arguments[1L])
}
