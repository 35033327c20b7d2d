# dg_auto() on rows in a database: time, peak memory, and the score that it expects on new domains
# beside that on fresh ones.
#   Rscript tests/bench/rows-auto.R [millions of rows] [folder] [budget in seconds]    from the root
# The database takes 350 MB per million rows, and is removed.

suppressMessages(library(domgen))
source("tests/bench/rows-data.R")
arguments <- commandArgs(TRUE)
million <- if (length(arguments)) as.numeric(arguments[1L]) else 2
root <- if (length(arguments) > 1L) arguments[2L] else tempdir()
budget <- if (length(arguments) > 2L) as.numeric(arguments[3L]) else 600

# What reads the table: a function that connects, and a query for each of `parts` runs of rows.
rows_of_database <- function(path, rows, parts = 4L) {
  ends <- round(rows / parts * 0:parts)
  query <- "SELECT * FROM rows WHERE rowid > %.0f AND rowid <= %.0f ORDER BY rowid"
  row_source(function() DBI::dbConnect(RSQLite::SQLite(), path),
             query = sprintf(query, ends[-(parts + 1L)], ends[-1L]))
}

folder <- file.path(root, "rows-auto")
paths <- write_rows(folder, 1e6 * million, files = 4L)
fresh <- read.csv(file.path(folder, "fresh.csv"))
database <- write_database(file.path(folder, "rows.sqlite"), paths)
unlink(paths)

set.seed(1)
source <- rows_of_database(database, 1e6 * million)
time <- system.time(model <- dg_auto(y ~ . | domain, data = source, budget = budget))
print(model)
status <- readLines("/proc/self/status")
peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
predicted <- predict(model, fresh)
by_domain <- tapply((predicted - fresh$y)^2, fresh$domain, function(e) sqrt(mean(e)))
cat(sprintf(paste0("%g million rows, %d domains: %.0f s (%.0f s of processors), peak %.0f MB\n",
                   "RMSE expected on a new domain %.4f, on %d fresh ones %.4f (standard error ",
                   "%.4f); the noise has %.1f\n"),
            million, nlevels(factor(model$domain)), time[["elapsed"]],
            time[["user.self"]] + time[["sys.self"]], peak, model$choice$expected$mean,
            length(by_domain), mean(by_domain), sd(by_domain) / sqrt(length(by_domain)),
            spread_of_noise))
unlink(folder, recursive = TRUE)
