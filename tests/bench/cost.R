# dg_resources() against measurement: processor seconds and peak memory of fits to files over rows, maps
# and coordinates, each in a process of its own with one thread, and what workers send. The two
# speeds that dg_resources() is given, and the seconds that a fit takes beside, are those with which its
# sums come nearest to all of the measured seconds.
#   Rscript tests/bench/cost.R [thousands of rows,...] [folder]      from the root of the package

specs <- list(
  `pooled, 100 landmarks` = quote(dg_ridge(feature_map = features_nystrom(100), lambda = 1,
                                           domain_kernel = domain_pooled())),
  `pooled, 250 landmarks` = quote(dg_ridge(feature_map = features_nystrom(250), lambda = 1,
                                           domain_kernel = domain_pooled())),
  `pooled, 500 landmarks` = quote(dg_ridge(feature_map = features_nystrom(500), lambda = 1,
                                           domain_kernel = domain_pooled())),
  `pooled, 250 frequencies` = quote(dg_ridge(feature_map = features_rff(250), lambda = 1,
                                             domain_kernel = domain_pooled())),
  `250 landmarks` = quote(dg_ridge(feature_map = features_nystrom(250), lambda = 1)),
  `250 frequencies` = quote(dg_ridge(feature_map = features_product("fourier"), lambda = 1)),
  `50 x 10` = quote(dg_ridge(feature_map = features_product(x = features_nystrom(50), rank = 10),
                             lambda = 1)),
  `dica, 250 landmarks` = quote(dg_dica(feature_map = features_nystrom(250), ncomp = 2))
)

domains <- 2000
files <- 8L

run_one <- function(name, folder, workers) {
  suppressMessages(library(domgen))
  options(domgen.threads = 1L)
  if (workers > 1L) future::plan(future::multisession, workers = workers)
  sent <- 0
  if (workers > 1L) {
    space <- asNamespace("domgen")
    work_on <- get("work_on", space)
    unlockBinding("work_on", space)
    # what each worker has sent: the sums of passes, and not the counts before
    assign("work_on", function(...) {
      found <- work_on(...)
      sent <<- sent + length(serialize(found[[1L]], NULL))
      found
    }, space)
  }
  set.seed(1)
  spec <- eval(specs[[name]])
  source <- row_source(list.files(folder, "^part", full.names = TRUE))
  time <- system.time(suppressWarnings(model <- fit(spec, y ~ . | domain, data = source)))
  status <- readLines("/proc/self/status")
  peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
  cat(sprintf("\nresult;%s;%d;%.0f;%.3f;%.3f;%.0f;%.0f\n", name, workers, nobs(model),
              time[["user.self"]] + time[["sys.self"]], time[["elapsed"]], peak, sent))
}

measure <- function(name, folder, workers = 1L) {
  said <- system2("Rscript", c("tests/bench/cost.R", "one", shQuote(name), folder, workers),
                  stdout = TRUE, stderr = TRUE,
                  env = c("OPENBLAS_NUM_THREADS=1", "DOMGEN_PROGRESS=FALSE"))
  found <- strsplit(sub("^result;", "", grep("^result;", said, value = TRUE)), ";")[[1L]]
  numbers <- as.numeric(found[-1L])
  data.frame(fit = name, workers = numbers[1L], rows = numbers[2L], cpu = numbers[3L],
             elapsed = numbers[4L], peak_MB = numbers[5L], sent_MB = numbers[6L] / 1e6)
}

predicted <- function(line, bytes_per_value, ...) {
  domgen::dg_resources(eval(specs[[line$fit]], asNamespace("domgen")), line$rows, 20,
                  workers = line$workers, domains = domains, partitions = files,
                  bytes_per_value = bytes_per_value, ...)
}

compare_times <- function(lines, bytes_per_value) {
  parts <- lapply(seq_len(nrow(lines)), function(i) predicted(lines[i, ], bytes_per_value))
  operations <- vapply(parts, function(cost) sum(cost$passes$operations), 0)
  # a count is a quarter of a reading
  read <- vapply(parts, function(cost) {
    sum(cost$passes$read * ifelse(cost$passes$pass == "count", 1 / 4, 1))
  }, 0)
  costs <- coef(lm(cpu ~ operations + read, weights = 1 / cpu^2, data = lines))
  lines$predicted <- costs[1L] + costs[2L] * operations + costs[3L] * read
  lines$ratio <- lines$cpu / lines$predicted
  lines$predicted_MB <- vapply(parts, `[[`, 0, "worker_memory") / 1e6
  cat(sprintf("One thread: %.2g operations and %.2g bytes a second, and %.2g seconds beside\n",
              1 / costs[2L], 1 / costs[3L], costs[1L]))
  print(lines[c("fit", "rows", "cpu", "predicted", "ratio", "peak_MB", "predicted_MB")], digits = 3,
        row.names = FALSE)
}

compare_workers <- function(lines, bytes_per_value) {
  cost <- lapply(seq_len(nrow(lines)), function(i) predicted(lines[i, ], bytes_per_value))
  lines$predicted_MB <- vapply(cost, function(x) sum(x$passes$sent), 0) / 1e6
  cat("\nWhat the first worker sends in all passes\n")
  print(lines[c("fit", "workers", "rows", "elapsed", "sent_MB", "predicted_MB")], digits = 3,
        row.names = FALSE)
}

main <- function(thousands, root) {
  source("tests/bench/rows-data.R")
  all <- NULL
  for (size in thousands) {
    folder <- file.path(root, paste0("cost-", size))
    paths <- write_rows(folder, 1000 * size, files, rows_world(domains), fresh_rows = 1000)
    bytes_per_value <- sum(file.size(paths)) / (1000 * size * 22)
    all <- rbind(all, do.call(rbind, lapply(names(specs), measure, folder)))
    if (size == thousands[1L]) {
      shared <- do.call(rbind, Map(measure, rep(c("50 x 10", "250 landmarks"), each = 2), folder,
                                   c(2L, 4L)))
    }
    unlink(folder, recursive = TRUE, expand = FALSE)
  }
  compare_times(all, bytes_per_value)
  compare_workers(shared, bytes_per_value)
}

arguments <- commandArgs(TRUE)
if (length(arguments) && arguments[1L] == "one") {
  run_one(arguments[2L], arguments[3L], as.integer(arguments[4L]))
} else {
  main(if (length(arguments)) as.numeric(strsplit(arguments[1L], ",")[[1L]]) else c(100, 400),
       if (length(arguments) > 1L) arguments[2L] else tempdir())
}
