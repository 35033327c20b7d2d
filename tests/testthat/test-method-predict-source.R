# Predictions of rows that come in blocks, against those of the same rows in memory.
skip_on_cran() # long

rows <- simulate_dica(domains = 8, n = 30, p = 3, seed = 1)
train <- droplevels(rows[rows$domain %in% levels(rows$domain)[1:5], ])
train$g <- c("a", "b")[1 + (train$x1 > 0)]
set.seed(3)
new <- rows[sample(nrow(rows)), ]
new$g <- c("a", "b")[1 + (new$x1 > 0)]
new$id <- sprintf("%05d", seq_len(nrow(new)))
new$x1[5] <- NA
new$domain[6] <- NA
numbers <- y ~ x1 + x2 + x3 + g | domain

distributional <- dg_ridge(numbers, data = train, lambda = 1, scale = "both",
                           domain_kernel = domain_distribution(), feature_map = features_product())
blocks <- function(...) row_source(new, block_size = 37, ...)

# Predictions of blocks are those of all rows; the seed of the user is left as it was.
expect_same_prediction <- function(model, ..., tolerance = 1e-12) {
  whole <- suppressWarnings(predict(model, new, ...))
  set.seed(8)
  before <- .Random.seed
  parts <- suppressWarnings(predict(model, blocks(), ...))
  expect_identical(.Random.seed, before)
  expect_equal(parts, whole, tolerance = tolerance)
}

test_that("ridge regressions with each way to judge a domain predict blocks as all rows", {
  for (scale in c("pooled", "domain", "both")) for (means in c(FALSE, TRUE)) {
    expect_same_prediction(dg_ridge(numbers, data = train, lambda = 1, scale = scale,
                                    domain_means = means, feature_map = features_nystrom(30),
                                    domain_kernel = domain_distribution()))
  }
  kernels <- list(domain_pooled(), domain_multitask(0.5), domain_wasserstein(),
                  domain_distribution(kernel_rbf(1), kernel_rbf(1)),
                  domain_distribution(kernel_rbf(1), kernel_linear()))
  for (kernel in kernels) {
    expect_same_prediction(dg_ridge(numbers, data = train, lambda = 1, domain_kernel = kernel))
  }
  expect_same_prediction(distributional)
  fourier <- features_product("fourier", n_features = 20)
  expect_same_prediction(dg_ridge(numbers, data = train, lambda = 1, feature_map = fourier,
                                  domain_kernel = domain_distribution()))
})

test_that("other methods and types of prediction give for blocks what they give for all rows", {
  gp <- dg_gp(numbers, data = train, optimise = FALSE, feature_map = features_nystrom(20),
              domain_kernel = domain_distribution(kernel_rbf(1), kernel_rbf(1)))
  expect_same_prediction(gp, se.fit = TRUE, interval = "posterior", tolerance = 1e-10)
  exact <- dg_gp(numbers, data = train, optimise = FALSE)
  expect_same_prediction(exact, se.fit = TRUE)
  expect_same_prediction(exact, type = "similarity")
  expect_same_prediction(dg_dica(numbers, data = train, domain_kernel = domain_distribution()))
  classes <- transform(train, y = cut(y, 3, labels = c("lo", "mid", "hi")))
  model <- suppressWarnings(dg_svm(numbers, data = classes, cost = 1, calibration = "platt"))
  for (type in c("response", "prob", "decision")) expect_same_prediction(model, type = type)
  expect_same_prediction(dg_lm(numbers, data = train, scale = "domain"))
  expect_same_prediction(dg_null(numbers, data = train))
  by_hand <- dg_ridge(as.matrix(train[c("x1", "x2", "x3")]), train$y, domain = train$domain,
                      lambda = 1)
  expect_equal(predict(by_hand, row_source(new[-5, ], block_size = 40), domain = "one"),
               predict(by_hand, as.matrix(new[-5, c("x1", "x2", "x3")]), domain = "one"))
})

test_that("each part of a chain and each member of an ensemble knows the domains", {
  judging <- domain_distribution(kernel_rbf(1), kernel_rbf(1))
  chained <- dg_pipeline(dg_dica(ncomp = 2, domain_kernel = judging, scale = "both",
                        feature_map = features_nystrom(30)),
                   dg_ridge(lambda = 1, domain_kernel = judging))
  expect_same_prediction(fit(chained, numbers, data = train), tolerance = 1e-10)
  members <- list(a = dg_ridge(lambda = 1, domain_kernel = judging, scale = "both"),
                  b = dg_lm(scale = "domain"), c = chained, d = dg_null())
  expect_same_prediction(fit(dg_ensemble(members), numbers, data = train), tolerance = 1e-10)
})

test_that("a model that was fitted to blocks predicts blocks", {
  spec <- dg_ridge(lambda = 1, feature_map = features_product(), scale = "both")
  model <- fit(spec, numbers, data = row_source(train, block_size = 50))
  expect_same_prediction(model)
})

test_that("a reference describes its domains in place of the blocks", {
  other <- subset(rows, domain %in% c("d2", "d7"))[1:25, ]
  other$g <- "a"
  expect_same_prediction(distributional, reference = other)
  exact <- dg_ridge(numbers, data = train, lambda = 1, scale = "both",
                    domain_kernel = domain_distribution())
  expect_same_prediction(exact, reference = other)
  expect_same_prediction(exact, reference = "training")
  expect_false(isTRUE(all.equal(predict(exact, new[-(5:6), ], reference = other),
                                predict(exact, new[-(5:6), ]))))
  other$domain <- "nowhere"
  expect_warning(predict(distributional, row_source(new[-(5:6), ]), reference = other),
                 "No domain of `newdata` is in `reference`")
})

test_that("imputation by domain needs a reference with all domains", {
  gappy <- train
  gappy$x2[c(3, 70)] <- NA
  model <- fit(dg_ridge(lambda = 1), numbers, data = gappy, na.action = na.impute(by = "domain"))
  expect_error(predict(model, blocks()), "imputes by domain",
               class = "domgen_error_argument")
  all <- new[-6, ]
  expect_equal(suppressWarnings(predict(model, row_source(all, block_size = 50), reference = all)),
               suppressWarnings(predict(model, all, reference = all)))
  expect_error(suppressWarnings(predict(model, row_source(all, block_size = 50),
                                        reference = subset(all, domain != all$domain[60]))),
               "`data`, row [0-9]+ is of the domain \"d[0-9]\", which `reference` does not have")
})

# ---- what is written --------------------------------------------------------------------------

folder_of_files <- function(cuts = c(0, 100, 100, 170, nrow(new))) {
  folder <- tempfile("rows")
  dir.create(folder)
  for (k in seq_along(cuts)[-1L]) {
    part <- new[seq_len(cuts[k] - cuts[k - 1L]) + cuts[k - 1L], ]
    part[2:5] <- lapply(part[2:5], function(x) ifelse(is.na(x), "NA", sprintf("%.17g", x)))
    utils::write.csv(part, file.path(folder, sprintf("p-%d.csv", k - 1L)), row.names = FALSE,
                     quote = FALSE)
  }
  folder
}
files <- folder_of_files()
from_files <- function(...) row_source(files, block_size = 30, ...)
values <- suppressWarnings(predict(distributional, new))

# Writes to a file of its own; gives its path.
written <- function(to = tempfile(fileext = ".csv"), ...) {
  suppressWarnings(predict(distributional, from_files(), to = to, keep = "id", ...))
  to
}

test_that("a file has a row for each row of the source, of which an empty one has none", {
  to <- tempfile(fileext = ".csv")
  made <- withVisible(suppressWarnings(predict(distributional, from_files(), to = to,
                                               keep = c("id", "x2"))))
  expect_false(made$visible)
  expect_s3_class(made$value, "dg_source")
  found <- utils::read.csv(to, colClasses = c(id = "character"))
  expect_named(found, c("partition", "row", "domain", "id", "x2", "prediction"))
  sizes <- c(100L, 70L, nrow(new) - 170L)
  expect_identical(found$partition, rep(sprintf("p-%d.csv", c(1, 3, 4)), sizes))
  expect_identical(found$row, sequence(sizes))
  expect_identical(found$domain, as.character(new$domain))
  expect_identical(found$id, new$id)
  expect_equal(found$x2, new$x2, tolerance = 1e-14)
  expect_equal(found$prediction, values, tolerance = 1e-12)
  # as it is in memory, to 15 digits
  expect_equal(found$prediction, suppressWarnings(predict(distributional, from_files())),
               tolerance = 1e-14)
  expect_length(list.files(dirname(to), paste0("^[.]", basename(to)), all.files = TRUE), 0L)
})

test_that("a function gets the blocks in their order, a Parquet file what a CSV file has", {
  ks <- c()
  blocks <- list()
  expect_null(suppressWarnings(predict(distributional, from_files(), keep = "id", to = function(block, k) {
    ks <<- c(ks, k)
    blocks[[k]] <<- block
  })))
  expect_identical(ks, seq_along(blocks))
  expect_lte(max(vapply(blocks, nrow, 1L)), 30L)
  expected <- utils::read.csv(written(), colClasses = c(id = "character"))
  expect_equal(do.call(rbind, blocks), expected, tolerance = 1e-14)
  expect_identical(do.call(rbind, blocks)$prediction,
                   suppressWarnings(predict(distributional, from_files())))
  skip_if_not_installed("nanoparquet")
  file <- written(tempfile(fileext = ".parquet"))
  expect_equal(as.data.frame(nanoparquet::read_parquet(file)), do.call(rbind, blocks),
               ignore_attr = TRUE)
  # what a function raises is the call's error
  expect_error(suppressWarnings(predict(distributional, from_files(), to = function(block, k) {
    if (k == 2) stop("no more")
  })), "no more")
})

test_that("columns of predictions are named for what they are", {
  classes <- transform(train, y = cut(y, 3, labels = c("lo", "row", "hi")))
  columns <- function(model, ...) {
    to <- tempfile(fileext = ".csv")
    suppressWarnings(predict(model, row_source(new), to = to, ...))
    names(utils::read.csv(to, check.names = FALSE))
  }
  svm <- suppressWarnings(dg_svm(numbers, data = classes, cost = 1, calibration = "platt",
                                 domain_kernel = domain_pooled()))
  expect_identical(columns(svm), c("partition", "row", "prediction"))
  expect_identical(columns(svm, type = "prob"), c("partition", "row", "lo", "row.1", "hi"))
  gp <- dg_gp(numbers, data = train, optimise = FALSE)
  expect_identical(columns(gp, se.fit = TRUE, interval = "confidence"),
                   c("partition", "row", "domain", "prediction", "lower", "upper", "se"))
  expect_identical(columns(gp, type = "similarity")[4L], "similarity")
  expect_identical(columns(dg_kpca(~ x1 + x2 | domain, data = train, ncomp = 2)),
                   c("partition", "row", "comp1", "comp2"))
})

test_that("text and numbers of every kind are read again as they were", {
  columns <- list(text = c("a,b", "say \"so\"", NA, "two\nlines", "\u00e9"),
                  number = c(0.1, 1 / 3, NaN, NA, -Inf), flag = c(TRUE, FALSE, NA, TRUE, FALSE),
                  day = as.Date("2020-02-28") + c(0:3, NA), label = factor(c("x", "y", NA, "x", "")))
  file <- tempfile(fileext = ".csv")
  for (k in 1:2) {
    rows <- if (k == 1) 1:3 else 4:5
    add_csv(as_rows(lapply(columns, `[`, rows)), file, k)
  }
  found <- utils::read.csv(file, encoding = "UTF-8", colClasses = c(day = "Date"), na.strings = "NA")
  expect_identical(found$text, columns$text)
  expect_equal(found$number, columns$number, tolerance = 1e-14)
  expect_identical(found$flag, columns$flag)
  expect_identical(found$day, columns$day)
  expect_identical(found$label, as.character(columns$label))
})

test_that("kept numbers are in CSV what they were, and whole numbers have no exponent", {
  set.seed(6)
  whole <- c(100000, 1e15, 2^53 - 1, 1234567890123456, 1234567890123457, -3e14, 0)
  data <- data.frame(x1 = 1, id = c(whole, round(runif(200, 2^49, 2^53))),
                     share = c(0.1 + 0.2, 1 / 3, 1e-300, 2^53 + 2, 1e22, NA, Inf,
                               rnorm(200) * 10^sample(-20:20, 200, TRUE)))
  data$large <- ifelse(seq_along(data$id) %% 3, data$id, -0.1)
  file <- tempfile(fileext = ".csv")
  predict(dg_lm(y ~ x1, data = train), row_source(data, block_size = 50), to = file,
          keep = c("id", "share", "large"))
  expect_match(readLines(file)[2L], "^\"data\",1,100000,")
  for (found in list(source_rows(row_source(file)), utils::read.csv(file),
                     data.table::fread(file, data.table = FALSE, integer64 = "double"))) {
    for (name in c("id", "share", "large")) {
      expect_identical(as.double(found[[name]]), data[[name]], info = name)
    }
  }
})

test_that("`keep` names no column of the predictions, which is told before anything is read", {
  classes <- transform(train, y = cut(y, 3, labels = c("lo", "mid", "hi")))
  svm <- suppressWarnings(dg_svm(numbers, data = classes, cost = 1, calibration = "platt"))
  two <- dg_svm(numbers, data = transform(train, y = factor(y > 0)), cost = 1)
  gp <- dg_gp(numbers, data = train, optimise = FALSE)
  lm <- dg_lm(numbers, data = train)
  calls <- list(list(lm), list(lm, interval = "prediction"), list(distributional), list(svm),
                list(svm, type = "prob"), list(svm, type = "decision"), list(two),
                list(two, type = "decision"), list(gp, type = "similarity"), list(gp, se.fit = TRUE),
                list(gp, se.fit = TRUE, interval = "posterior"), list(dg_null(numbers, data = classes)),
                list(dg_null(numbers, data = classes), type = "decision"),
                list(dg_dica(numbers, data = train)))
  database <- sqlite_factory()
  for (call in calls) {
    predict_to <- function(source, to, ...) {
      suppressWarnings(do.call(predict, c(call[1L], list(source, to = to, ...), call[-1L])))
    }
    written <- NULL
    predict_to(blocks(), function(block, k) written <<- names(block))
    for (name in written) {
      source <- new
      source[[name]] <- if (name == "domain") new$domain else 1
      places <- list(function(block, k) stop("not reached"), tempfile(fileext = ".csv"),
                     row_source(database, table = "made"))
      for (to in places) with_replaced("spooled", function(...) stop("read"), {
        expect_error(predict_to(row_source(source), to, keep = c("id", name)),
                     paste0("`keep` must not have `", name, "`, which is a column"), fixed = TRUE,
                     class = "domgen_error_argument")
      })
    }
    source <- new
    free <- setdiff(c("prediction", "decision", "se", "lo", "comp1"), written)
    source[free] <- 1
    predict_to(row_source(source), function(block, k) written <<- names(block), keep = free)
    expect_true(all(free %in% written))
  }
})

test_that("a file is there as a whole or not at all, wherever writing ends", {
  hows <- list(error = function() stop("no room"), interrupt = function() {
    # as Ctrl-C is seen by R code
    signalCondition(structure(list(), class = c("interrupt", "condition")))
  })
  real <- domgen:::add_csv
  expected <- readLines(written())
  for (how in names(hows)) for (at in c(1, 2, 10)) {
    folder <- source_folder()
    to <- file.path(folder, "out.csv")
    calls <- 0
    said <- with_replaced("add_csv", function(...) {
      calls <<- calls + 1
      real(...)
      if (calls == at) hows[[how]]()
    }, tryCatch(written(to), error = identity))
    expect_s3_class(said, if (how == "error") "domgen_error_write" else "domgen_error_interrupt")
    if (how == "error") expect_match(conditionMessage(said), "out.csv` cannot be written: no room")
    expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character())
    if (how == "interrupt") suppressWarnings(dg_resume()) else written(to)
    expect_identical(readLines(to), expected)
  }
  # and so is one that is replaced
  expect_error(with_replaced("add_csv", function(...) stop("no room"), written(to, overwrite = TRUE)),
               "no room")
  expect_identical(readLines(to), expected)
})

# Of another session: a BLAS of several threads may round otherwise there.
expect_same_file <- function(found, expected) {
  tables <- lapply(list(found, expected), function(lines) {
    utils::read.csv(text = lines, colClasses = c(id = "character"))
  })
  expect_equal(tables[[1L]], tables[[2L]], tolerance = 1e-10)
}

test_that("what a worker is sent does not hold where the user is", {
  sent <- NULL
  write_pass <- domgen:::write_pass
  with_replaced("write_pass", function(source, work, to) {
    sent <<- work
    write_pass(source, work, to)
  }, suppressWarnings(predict(distributional, blocks())))
  expect_s3_class(sent$model, "dg_ridge")
  expect_false(any(vapply(sent$asked, is.environment, NA)))
})

test_that("a full disk is an error, and leaves no file that is cut", {
  skip_on_os("windows")
  model <- dg_lm(y ~ x1 + x2, data = train)
  long <- tempfile(fileext = ".csv")
  utils::write.csv(new[rep(which(!is.na(new$x1)), 30), c("x1", "x2")], long, row.names = FALSE)
  limited <- function(kilobytes, to) {
    script <- tempfile(fileext = ".R")
    input <- tempfile(fileext = ".rds")
    saveRDS(list(model = model, file = long, to = to), input)
    writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
                 "library(domgen)", sprintf("input <- readRDS(\"%s\")", input),
                 "predict(input$model, row_source(input$file, block_size = 1000), to = input$to)"), script)
    suppressWarnings(system2("bash", c("-c", shQuote(paste(
      "trap '' XFSZ; ulimit -f", kilobytes, ";", file.path(R.home("bin"), "Rscript"), script
    ))), stdout = TRUE, stderr = TRUE))
  }
  skip_if(Sys.which("bash") == "", "no shell that limits the size of files")
  to <- tempfile(fileext = ".csv")
  said <- paste(limited(150, to), collapse = " ")
  expect_match(said, "cannot be written")
  expect_false(file.exists(to))
  predict(model, row_source(long, block_size = 1000), to = to)
  whole <- tempfile(fileext = ".csv")
  predict(model, row_source(long, block_size = 1000), to = whole)
  expect_identical(readLines(to), readLines(whole))
})

test_that("workers write the same file as this session", {
  skip_if_not_installed("future")
  skip_on_cran()
  expected <- readLines(written())
  under_engine(two_sessions, {
    expect_same_file(readLines(written()), expected)
    expect_equal(suppressWarnings(predict(distributional, from_files())), values,
                 tolerance = 1e-12)
    if (requireNamespace("RSQLite", quietly = TRUE)) {
      factory <- sqlite_factory()
      written(row_source(factory, table = "out"))
      found <- with_connection(factory, function(db) DBI::dbReadTable(db, "out"))
      expect_identical(found$id, new$id)
      expect_equal(found$prediction, utils::read.csv(text = expected)$prediction,
                   tolerance = 1e-10)
    }
  })
})

test_that("jobs of a cluster write the same file", {
  skip_without_slurm()
  expected <- readLines(written())
  under_engine(slurm_jobs, expect_same_file(readLines(written()), expected))
})

# ---- databases --------------------------------------------------------------------------------

test_that("rows of a table are predicted into another, of the same connection or not", {
  factory <- sqlite_factory()
  complete <- new[-(5:6), ]
  write_rows(factory, "new", complete[c("domain", "x1", "x2", "x3", "g", "id")])
  predict(distributional, row_source(factory, table = "new", block_size = 30),
          to = row_source(factory, table = "out"), keep = "id")
  found <- with_connection(factory, function(db) DBI::dbReadTable(db, "out"))
  expect_equal(found$prediction, predict(distributional, complete), tolerance = 1e-12)
  with_connection(factory, function(db) {
    # of the connection that is read from, too
    predict(distributional, row_source(db, table = "new"), to = row_source(db, table = "again"))
    expect_equal(DBI::dbReadTable(db, "again")$prediction, found$prediction, tolerance = 1e-12)
  })
})

# ---- bad input --------------------------------------------------------------------------------

test_that("what is wrong in the rows is told with table and row", {
  fails <- function(change, message, ..., class = "domgen_error_data") {
    bad <- change(new[-(5:6), ])
    expect_error(suppressWarnings(predict(distributional, row_source(bad, block_size = 30),
                                          ...)), message, class = class)
  }
  fails(function(d) d[names(d) != "x2"], "no column `x2`")
  fails(function(d) d[names(d) != "domain"], "must have the domain column `domain`")
  # text in a file, as the others are
  bad <- new[-(5:6), c("domain", "x1", "x2", "x3", "g")]
  bad$x2 <- as.character(bad$x2)
  bad$x2[200] <- "abc"
  file <- tempfile(fileext = ".csv")
  utils::write.csv(bad, file, row.names = FALSE, quote = FALSE)
  expect_error(predict(distributional, row_source(file, block_size = 30)),
               "[.]csv`, row 200: `x2` must be a number, not \"abc\"", class = "domgen_error_data")
  fails(function(d) transform(d, x3 = replace(x3, 150, Inf)), "`data`, row 150: .*finite")
  level <- function(d) transform(d, g = replace(g, 140, "c"))
  fails(level, "`data`, row 140: .*levels of training", new_levels = "error")
})

test_that("warnings are told once, with the first block that they came from", {
  many <- new
  many$g[c(12, 100, 200)] <- "c"
  told <- domgen:::with_warnings(predict(distributional, row_source(many, block_size = 30)))
  expect_length(told$warnings, 2L)
  expect_match(told$warnings[1L], "5 rows of 251 have missing values: the prediction is NA")
  expect_match(told$warnings[2L], "new.*\"c\".*\\(chunk from `data`, row 1 on; also in 2 further")
  expect_identical(which(is.na(told$value)), c(5L, 6L, 12L, 100L, 200L))
})

test_that("arguments that make no sense are errors", {
  fails <- function(message, ...) {
    expect_error(predict(distributional, from_files(), ...), message,
                 class = "domgen_error_argument")
  }
  fails("must be in a folder that exists", to = file.path(tempdir(), "no", "such.csv"))
  fails("must be a path that ends in .csv or .parquet", to = tempfile(fileext = ".rds"))
  fails("must be a path that ends in .csv", to = 3)
  fails("must be one table", to = from_files())
  fails("without `to`", keep = "id")
  fails("must be names of columns", to = tempfile(), keep = 3)
  fails("must be one value with a source", domain = new$domain)
  fails("did you mean `overwrite`", overwrit = TRUE)
  fails("`overwrite` must be TRUE or FALSE", to = tempfile(fileext = ".csv"), overwrite = NA)
  expect_error(predict(distributional, from_files(), to = tempfile(fileext = ".csv"), keep = "idd"),
               "no column `idd` for `keep`", class = "domgen_error_data")
  expect_error(predict(distributional, new, to = "x.csv"), "row_source",
               class = "domgen_error_argument")
})
