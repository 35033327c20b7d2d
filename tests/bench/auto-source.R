# dg_auto() on rows of many domains in an SQLite file, and its score against that on fresh domains of
# the same world: `Rscript tests/bench/auto-source.R [rows] [domains]`, from the root of the package.
# Level and slopes of a domain depend on the means of its predictors.

source("tests/bench/ratio.R")
report_machine()
args <- as.numeric(commandArgs(TRUE))
n <- if (length(args)) args[1L] else 2e6
G <- if (length(args) > 1L) args[2L] else 2000
p <- 12

set.seed(42)
direction <- rnorm(p) / sqrt(p)
slopes <- matrix(rnorm(p^2) / p, p)

world <- function(domains, rows, seed) {
  set.seed(seed)
  centre <- matrix(rnorm(domains * p), domains)
  level <- rnorm(domains, sd = 0.3)
  domain <- rep(seq_len(domains), each = rows)
  x <- 0.8 * centre[domain, ] + matrix(rnorm(domains * rows * p), ncol = p)
  y <- 2 * sin(drop(x %*% direction)) + rowSums(x * (centre %*% slopes)[domain, ]) +
    level[domain] + rnorm(domains * rows)
  data.frame(y = y, x = x, school = sprintf("%d-%d", seed, domain))
}

file <- tempfile(fileext = ".sqlite")
connection <- DBI::dbConnect(RSQLite::SQLite(), file)
for (part in seq_len(ceiling(G / 50))) {
  DBI::dbWriteTable(connection, "rows", world(50, n / G, 1000 + part), append = part > 1)
}
DBI::dbDisconnect(connection)

rows <- row_source(function() DBI::dbConnect(RSQLite::SQLite(), file), table = "rows")
time <- system.time(model <- dg_auto(y ~ . | school, data = rows))
status <- tryCatch(readLines("/proc/self/status"), error = function(e) "")
peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 2^20
print(model)

fresh <- unlist(lapply(1:8, function(part) {
  data <- world(250, n / G, part)
  sqrt(tapply((predict(model, data) - data$y)^2, data$school, mean))
}))
cat(sprintf(paste0("%s rows in %s domains: %.0f s (%.0f s of processor time), peak %.2f GiB\n",
                   "RMSE expected %.4f (%.4f), on %d fresh domains %.4f (%.4f)\n"),
            format(n, big.mark = ",", scientific = FALSE), format(G, big.mark = ","),
            time[["elapsed"]], time[["user.self"]] + time[["sys.self"]], peak,
            model$choice$expected$mean, model$choice$expected$se, length(fresh), mean(fresh),
            sd(fresh) / sqrt(length(fresh))))
unlink(file, expand = FALSE)
