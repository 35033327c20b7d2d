# One measurement of rows.R, in a process of its own, so that the peak of its memory is that of the
# task: a line "task,rows,seconds,cpu,peak,error" at the end.
#   Rscript tests/bench/rows-run.R TASK FOLDER [argument]
# FOLDER: what write_rows() wrote. Peers' packages may lie in a library of their own, R_LIBS.

suppressMessages(library(domgen))

block <- 50000L

# error: the root mean square at fresh domains; that of the function itself is the noise's.
report <- function(task, rows, time, error) {
  status <- readLines("/proc/self/status")
  peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
  cat(sprintf("\nresult,%s,%.0f,%.2f,%.2f,%.0f,%.4f\n", task, rows, time[["elapsed"]],
              time[["user.self"]] + time[["sys.self"]], peak, error))
}

paths_of <- function(folder) list.files(folder, "^part-.*[.]csv$", full.names = TRUE)

fresh_rows <- function(folder) read.csv(file.path(folder, "fresh.csv"), stringsAsFactors = TRUE)

rmse <- function(predicted, folder) sqrt(mean((predicted - fresh_rows(folder)$y)^2))

# What walks over all blocks: the reader that domgen's methods have. Rows seen.
each_block <- function(folder, f, columns = NULL) {
  if (is.null(columns)) columns <- c("y", paste0("x", 1:20), "domain")
  source <- domgen:::spooled(row_source(paths_of(folder), block_size = block), columns,
                             c(label = "domain"))
  on.exit(domgen:::end_rows(source))
  prototype <- domgen:::source_prototype(source, columns, free = "domain")
  for (one in source$blocks) domgen:::walk_block(one, prototype, function(data, first) f(data))
  source$n
}

numbers_of <- function(data) as.matrix(data[-match("domain", names(data))])

linear <- y ~ x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11 + x12 + x13 + x14 + x15 +
  x16 + x17 + x18 + x19 + x20

# What cannot be avoided of 500 coordinates: their product, with the BLAS and the threads of R.
floor_of <- function(rows, r = 500L) {
  Z <- matrix(rnorm(2048L * r), 2048L)
  invisible(crossprod(Z))
  blocks <- max(20, min(200, rows / 2048))
  time <- system.time(for (i in seq_len(blocks)) crossprod(Z))
  time * rows / 2048 / blocks
}

tasks <- list(
  reading = function(folder, ...) {
    time <- system.time(rows <- each_block(folder, function(data) NULL))
    list(rows = rows, time = time, error = NA)
  },
  product = function(folder, rows, ...) {
    list(rows = as.numeric(rows), time = floor_of(as.numeric(rows)), error = NA)
  },
  biglm = function(folder, ...) {
    model <- NULL
    time <- system.time(rows <- each_block(folder, function(data) {
      model <<- if (is.null(model)) biglm::biglm(linear, data) else update(model, data)
    }))
    predicted <- predict(model, fresh_rows(folder))
    list(rows = rows, time = time, error = rmse(drop(predicted), folder))
  },
  speedglm = function(folder, ...) {
    model <- NULL
    time <- system.time(rows <- each_block(folder, function(data) {
      model <<- if (is.null(model)) speedglm::speedlm(linear, data)
                else speedglm::updateWithMoreData(model, data)
    }))
    fresh <- cbind(1, as.matrix(fresh_rows(folder)[all.vars(linear)[-1L]]))
    list(rows = rows, time = time, error = rmse(drop(fresh %*% coef(model)), folder))
  },
  nystrom = function(folder, ...) fit_files(folder, features_nystrom(500L)),
  product_map = function(folder, ...) fit_files(folder, product_500),
  fourier = function(folder, ...) {
    fit_files(folder, features_product("fourier", n_features = 250L))
  },
  pooled = function(folder, ...) fit_files(folder, features_nystrom(500L), domain_pooled())
)

# 50 coordinates of the row times 10 of the domain.
product_500 <- features_product(x = features_nystrom(50L), rank = 10L)

fit_files <- function(folder, features, domain_kernel = domain_distribution()) {
  set.seed(1)
  spec <- dg_ridge(feature_map = features, domain_kernel = domain_kernel)
  time <- system.time(model <- fit(spec, y ~ . | domain, data = row_source(paths_of(folder))))
  list(rows = nobs(model), time = time, error = rmse(predict(model, fresh_rows(folder)), folder))
}

arguments <- commandArgs(TRUE)
found <- do.call(tasks[[arguments[1L]]], as.list(arguments[-1L]))
report(arguments[1L], found$rows, found$time, found$error)
