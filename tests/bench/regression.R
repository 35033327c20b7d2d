# Is a core call slower than it was? The base, a commit, and the working tree are installed into two
# temporary libraries, and the calls of tests/bench/regression-calls.R run in fresh R processes,
# base and working tree in turn, on one thread. Fails where a call takes 1.2 times the processor
# seconds: in the median over rounds, in the least time too, which noise does not raise, and again
# in as many rounds of that call alone.
#   Rscript tests/bench/regression.R [BASE] [rounds] ['label;label'] [CALLS]
# from the root of the package. BASE: a tag or commit; else the last tag, or without tags the last
# commit older than a week. CALLS: another file of calls, tests/bench/regression-waiting.R.

arguments <- commandArgs(trailingOnly = TRUE)
limit <- 1.2
rounds <- if (length(arguments) > 1L) as.integer(arguments[2L]) else 7L
chosen <- if (length(arguments) > 2L && nzchar(arguments[3L])) {
  strsplit(arguments[3L], ";", fixed = TRUE)[[1L]]
}
file <- if (length(arguments) > 3L) arguments[4L] else "tests/bench/regression-calls.R"

git <- function(...) {
  suppressWarnings(system2("git", c(...), stdout = TRUE, stderr = FALSE))
}
base <- if (length(arguments) && nzchar(arguments[1L])) arguments[1L] else {
  c(git("describe", "--tags", "--abbrev=0"),
    git("rev-list", "-1", "--before=7.days.ago", "HEAD"))[1L]
}
commit <- git("rev-parse", "--short", "--verify", "-q", shQuote(paste0(base, "^{commit}")))
if (length(commit) != 1L) stop("no commit to compare with: name one, as in BASE=HEAD~10")

work <- tempfile("regression")
dir.create(work)
stopped <- function(...) {
  message(...)
  unlink(work, recursive = TRUE)
  quit(status = 2L)
}

# What is built: of the base what git has, of the working tree what stands there.
parts <- c("DESCRIPTION", "NAMESPACE", "R", "inst", "src")
sources <- c(base = file.path(work, "base"), now = file.path(work, "now"))
libraries <- c(base = file.path(work, "base-library"), now = file.path(work, "now-library"))
for (folder in c(sources, libraries)) dir.create(folder)
run <- function(command) {
  if (system(command) != 0L) stopped("this failed: ", command)
}
run(paste("git archive", commit, paste(parts, collapse = " "), "| tar xf - -C",
          shQuote(sources[["base"]])))
run(paste("tar cf - --exclude='*.o' --exclude='*.so' --exclude='*.dll'",
          paste(parts, collapse = " "), "| tar xf - -C", shQuote(sources[["now"]])))

# A base that is older than the calls is timed by those of the working tree, as far as it has them.
calls <- c(base = file.path(work, "base-calls.R"), now = file)
old <- git("show", paste0(commit, ":", file))
if (length(old)) writeLines(old, calls[["base"]]) else calls[["base"]] <- calls[["now"]]

for (side in names(sources)) {
  cat(sprintf("installing %s\n", if (side == "base") paste("the base,", commit) else
    "the working tree"))
  log <- file.path(work, paste0(side, ".log"))
  command <- sprintf("MAKEFLAGS=-j%d R CMD INSTALL %s --library=%s %s >%s 2>&1",
                     parallel::detectCores(), "--no-docs --no-test-load",
                     shQuote(libraries[[side]]), shQuote(sources[[side]]), shQuote(log))
  if (system(command) != 0L) stopped(paste(readLines(log), collapse = "\n"))
}

# The seconds of one process, by label; NA where the call is an error there.
time_side <- function(side, labels = NULL) {
  result <- file.path(work, "seconds.rds")
  log <- file.path(work, "calls.log")
  unlink(result)
  paths <- paste(c(libraries[[side]], .libPaths()), collapse = .Platform$path.sep)
  system2(file.path(R.home("bin"), "Rscript"),
          shQuote(c(calls[[side]], result, if (length(labels)) paste(labels, collapse = ";"))),
          env = c(paste0("R_LIBS=", shQuote(paths)), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"),
          stdout = log, stderr = log)
  if (!file.exists(result)) stopped("the calls ended R:\n", paste(readLines(log), collapse = "\n"))
  readRDS(result)
}

# The side that begins changes from round to round.
time_rounds <- function(labels = NULL) {
  both <- lapply(seq_len(rounds), function(round) {
    sides <- if (round %% 2L) c("base", "now") else c("now", "base")
    seconds <- stats::setNames(lapply(sides, time_side, labels = labels), sides)
    shared <- union(names(seconds$now), names(seconds$base))
    cbind(base = seconds$base[shared], now = seconds$now[shared])
  })
  labels <- if (length(labels)) labels else Reduce(union, lapply(both, rownames))
  of <- function(side, summary) vapply(labels, function(label) {
    summary(vapply(both, function(round) unname(round[match(label, rownames(round)), side]), 0))
  }, 0)
  table <- data.frame(call = labels, base = of("base", stats::median),
                      now = of("now", stats::median), row.names = NULL)
  table$ratio <- table$now / table$base
  table$least <- unname(of("now", min) / of("base", min))
  table$slower <- !is.na(table$ratio) & table$ratio > limit & table$least > limit
  table
}

show_table <- function(table) {
  cat(sprintf("%-26s %9s %9s %7s %7s\n", "processor seconds", "base", "now", "ratio", "least"))
  cat(sprintf("%-26s %9.4f %9.4f %7.2f %7.2f%s\n", table$call, table$base, table$now, table$ratio,
              table$least, ifelse(table$slower, "  slower", "")), sep = "")
}

table <- time_rounds(chosen)
show_table(table)
slower <- table$call[table$slower]
if (length(slower)) {
  cat("\nonce more:", paste(slower, collapse = ", "), "\n")
  again <- time_rounds(slower)
  show_table(again)
  slower <- again$call[again$slower]
}
unlink(work, recursive = TRUE)

apart <- table$call[is.na(table$ratio)]
if (length(apart)) cat("\nnot compared, for one side has no such call:", toString(apart), "\n")
if (all(is.na(table$ratio))) stop("no call could be compared")
cat(sprintf("\n%d calls compared with %s in %d rounds: %s\n", sum(!is.na(table$ratio)), commit,
            rounds, if (length(slower)) paste("slower by a fifth or more:", toString(slower))
            else "none is slower by a fifth"))
quit(status = as.integer(length(slower) > 0L))
