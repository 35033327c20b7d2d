# The same rows through real databases and on a real cluster give the same fit. `make test-engines`
# starts PostgreSQL and Slurm; where these are not, SQLite and processes of this machine stand for
# them.

rows <- toy_domains(6, 80)
rows$domain <- as.character(rows$domain)
rows$side <- ifelse(rows$y + with_seed(9, stats::rnorm(nrow(rows))) > mean(rows$y), "right", "left")

specs <- list(
  pooled = dg_ridge(feature_map = features_nystrom(30), domain_kernel = domain_pooled()),
  distribution = dg_ridge(feature_map = features_nystrom(30), domain_kernel = domain_distribution()),
  product = dg_ridge(feature_map = features_product(x = features_nystrom(20))),
  machine = dg_svm(loss = "squared_hinge", feature_map = features_nystrom(30),
                   domain_kernel = domain_pooled())
)

fit_rows <- function(name, source) {
  formula <- if (name == "machine") side ~ x1 + x2 + x3 | domain else y ~ x1 + x2 + x3 | domain
  set.seed(1)
  fit(specs[[name]], formula, data = source)
}
expected <- new.env()
expected_fit <- function(name) {
  if (is.null(expected[[name]])) expected[[name]] <- fit_rows(name, row_source(rows))
  expected[[name]]
}

expect_same_fit <- function(source, label, methods = names(specs)) {
  for (name in methods) {
    model <- fit_rows(name, source)
    expect_equal(coef(model), coef(expected_fit(name)), tolerance = 1e-10,
                 label = paste(name, label))
    values <- lapply(list(model, expected_fit(name)), predict, rows, type = "decision")
    expect_equal(values[[1L]], values[[2L]], tolerance = 1e-10,
                 label = paste("predictions", name, label))
  }
}

# Rows of one domain after the other, so that the queries together have the order of the table.
by_domain <- sprintf("SELECT * FROM domgen_rows WHERE domain = '%s'", unique(rows$domain))

expect_database_fit <- function(database) {
  write_rows(database, "domgen_rows", rows)
  expect_same_fit(row_source(database, table = "domgen_rows"), "table")
  # with all methods they are those of files
  expect_same_fit(row_source(database, query = by_domain), "queries", c("distribution", "machine"))
  with_connection(database, function(connection) {
    expect_same_fit(row_source(connection, table = "domgen_rows", block_size = 99), "connection",
                    "distribution")
  })
}

test_that("seven files give the fit of their rows", {
  expect_same_fit(row_source(write_files(rows, 7)), "files")
})

test_that("SQLite gives the fit of its rows, by table and by queries", {
  expect_database_fit(sqlite_factory())
})

test_that("connections that one function makes to different databases are different", {
  skip_without_sqlite()
  half <- rows$domain %in% unique(rows$domain)[1:3]
  databases <- lapply(list(rows[half, ], rows[!half, ]), function(part) {
    file <- tempfile(fileext = ".sqlite")
    connect <- function() DBI::dbConnect(RSQLite::SQLite(), file)
    write_rows(connect, "domgen_rows", part)
    connect
  })
  sources <- lapply(databases, row_source, table = "domgen_rows")
  expect_same_fit(row_source(sources), "two databases", "pooled")
})

test_that("PostgreSQL gives the fit of its rows, by table and by queries", {
  expect_database_fit(postgres_factory())
})

test_that("processes that read PostgreSQL at the same time give the fit of its rows", {
  skip_on_cran()
  database <- postgres_factory()
  write_rows(database, "domgen_rows", rows)
  under_engine(two_sessions, {
    expect_same_fit(row_source(database, query = by_domain), "two sessions")
  })
})

test_that("an open connection to PostgreSQL keeps its transaction and its settings", {
  database <- postgres_factory()
  write_rows(database, "domgen_rows", rows)
  with_connection(database, function(connection) {
    ask <- function(query) DBI::dbGetQuery(connection, query)[[1L]]
    source <- row_source(connection, table = "domgen_rows")
    DBI::dbExecute(connection, "BEGIN")
    DBI::dbExecute(connection, "UPDATE domgen_rows SET y = 1000 WHERE domain = 'd1'")
    expect_identical(sum(source_rows(source, "y")$y == 1000), sum(rows$domain == "d1"))
    DBI::dbExecute(connection, "ROLLBACK")
    expect_identical(as.integer(ask("SELECT COUNT(*) FROM domgen_rows WHERE y = 1000")), 0L)
    source_rows(source, "y", rows = 10)
    # no transaction is left open
    expect_error(DBI::dbExecute(connection, "SAVEPOINT mine"), "transaction block")
  })
})

test_that("a connection to PostgreSQL that breaks is an error", {
  database <- postgres_factory()
  write_rows(database, "domgen_rows", cbind(rows, i = seq_len(nrow(rows))))
  # the server's process ends at row 450
  breaks <- paste("SELECT y, x1, x2, x3, domain FROM domgen_rows WHERE CASE WHEN i = 450",
                  "THEN pg_terminate_backend(pg_backend_pid()) ELSE true END")
  expect_domgen_error(fit_rows("pooled", row_source(database, query = breaks)),
                      "`query` cannot be read.*: the database says", "domgen_error_data")
})

test_that("a query to PostgreSQL writes nothing, and leaves the transaction as it was", {
  database <- postgres_factory()
  write_rows(database, "precious", data.frame(x = c(1, 2, 3)))
  with_connection(database, function(connection) {
    say <- function(statement) DBI::dbExecute(connection, statement)
    ask <- function(query) as.character(DBI::dbGetQuery(connection, query)[[1L]])
    say(paste("CREATE OR REPLACE FUNCTION wipe() RETURNS int AS",
              "'DELETE FROM precious; SELECT 1' LANGUAGE sql"))
    queries <- c("WITH q AS (SELECT 1) DELETE FROM precious", "SELECT wipe() AS x",
                 "WITH q AS (DELETE FROM precious RETURNING x) SELECT * FROM q",
                 "SELECT set_config('transaction_read_only', 'off', true), wipe() AS x",
                 "SELECT * INTO copied FROM precious")
    refused <- function() for (query in queries) {
      expect_error(suppressWarnings(source_rows(row_source(connection, query = query))),
                   class = "domgen_error_data")
    }
    refused()
    expect_identical(ask("SELECT COUNT(*) FROM precious"), "3")
    expect_identical(ask("SHOW transaction_read_only"), "off")
    expect_error(say("SAVEPOINT mine"), "transaction block")
    say("BEGIN")
    say("INSERT INTO precious VALUES (4)")
    refused()
    expect_identical(source_rows(row_source(connection, table = "precious"))$x, c(1, 2, 3, 4))
    say("INSERT INTO precious VALUES (5)")
    say("COMMIT")
    expect_identical(ask("SELECT COUNT(*) FROM precious"), "5")
    for (query in c("SELECT 1; COMMIT; DELETE FROM precious",
                    "SELECT 1) AS q; COMMIT; DELETE FROM precious; --",
                    "SELECT $$ ' $$; DROP TABLE precious; --'",
                    "SELECT E'\\''; DROP TABLE precious; --'",
                    "SELECT 1 /* /* */ ; */; DROP TABLE precious")) {
      expect_error(suppressWarnings(source_rows(row_source(connection, query = query))),
                   class = "domgen_error_data")
      expect_identical(ask("SELECT COUNT(*) FROM precious"), "5")
    }
    say("DROP FUNCTION wipe()")
  })
})

test_that("PostgreSQL may be written to again after an interrupt while rows are read", {
  database <- postgres_factory()
  write_rows(database, "precious", data.frame(x = c(1, 2, 3)))
  stopped <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  with_connection(database, function(connection) {
    table <- row_source(connection, table = "precious")$tables[[1L]]
    tryCatch(table$blocks("x", character(), 1, function(block) stop(stopped)), interrupt = identity)
    expect_identical(as.integer(DBI::dbExecute(connection, "UPDATE precious SET x = x")), 3L)
  })
})

test_that("a table of PostgreSQL is new, whole or not there, and written in no transaction but ours", {
  expect_new_tables(postgres_factory())
})

test_that("a transaction of the user's that has failed in PostgreSQL is left to the user", {
  database <- postgres_factory()
  write_rows(database, "precious", rows)
  model <- dg_lm(y ~ x1 + x2 | domain, data = rows)
  calls <- list(
    function(connection) source_rows(row_source(connection, query = "SELECT * FROM precious")),
    function(connection) fit_rows("pooled", row_source(connection, table = "precious")),
    function(connection) fit_rows("pooled", row_source(connection, query = by_domain)),
    function(connection) predict(model, row_source(connection, table = "precious")),
    function(connection) predict(model, row_source(rows), to = row_source(connection, table = "t"))
  )
  with_connection(database, function(connection) {
    say <- function(statement) DBI::dbExecute(connection, statement)
    for (call in calls) {
      say("BEGIN")
      say("DELETE FROM precious WHERE domain = 'd1'")
      say("SAVEPOINT mine")
      expect_error(say("SELECT no_such_column FROM precious"))
      expect_error(suppressWarnings(call(connection)), class = "domgen_error")
      # it could not be gone on with if it had been ended
      say("ROLLBACK TO SAVEPOINT mine")
      say("ROLLBACK")
    }
    expect_identical(nrow(DBI::dbReadTable(connection, "precious")), nrow(rows))
    DBI::dbRemoveTable(connection, "precious")
  })
})

test_that("a job of Slurm sees the package and the session's library, and has its resources", {
  skip_without_slurm()
  under_engine(slurm_jobs, {
    job <- future::value(future::future({
      list(version = utils::packageVersion("domgen"), where = find.package("domgen"),
           id = Sys.getenv("SLURM_JOB_ID"), threads = Sys.getenv("OPENBLAS_NUM_THREADS"),
           limit = system2("squeue", c("--noheader", "--format=%l", "--jobs",
                                       Sys.getenv("SLURM_JOB_ID")), stdout = TRUE))
    }))
  })
  expect_identical(job$version, utils::packageVersion("domgen"))
  expect_identical(job$where, find.package("domgen"))
  expect_match(job$id, "^[0-9]+$")
  expect_identical(job$threads, "1")
  expect_identical(trimws(job$limit), "10:00")
})

test_that("five jobs of Slurm give the fit of five files, and draw none of its random numbers", {
  skip_without_slurm()
  files <- row_source(write_files(rows, 5))
  under_engine(slurm_jobs, expect_same_fit(files, "Slurm"))
})

test_that("what is wrong with a file is said by a job of Slurm as it is said here", {
  skip_without_slurm()
  folder <- write_files(rows, 3)
  file <- file.path(folder, "part-02.csv")
  lines <- readLines(file)
  writeLines(replace(lines, 101, sub("[^,]+,([a-z]+)$", "abc,\\1", lines[101])), file)
  said <- tryCatch(fit_rows("pooled", row_source(folder)), error = identity)
  expect_match(conditionMessage(said), "part-02.csv.*row 100.*abc")
  under_engine(slurm_jobs, {
    # future.batchtools warns that it leaves what the job wrote
    there <- suppressWarnings(tryCatch(fit_rows("pooled", row_source(folder)), error = identity))
  })
  expect_identical(class(there), class(said))
  expect_identical(conditionMessage(there), conditionMessage(said))
})

test_that("cross-validation on Slurm is that of one process", {
  skip_without_slurm()
  score <- function() {
    set.seed(3)
    scored <- dg_cv(specs$pooled, y ~ x1 + x2 + x3 | domain, data = rows, folds = 2)
    list(scored$predictions, stats::runif(1))
  }
  alone <- score()
  under_engine(slurm_jobs, expect_equal(score(), alone, tolerance = 1e-10))
})

test_that("a session that is killed in the middle goes on from its store", {
  skip_on_cran()
  skip_on_os("windows")
  source <- row_source(rows, block_size = 60, store = tempfile("store"))
  input <- list(spec = specs$distribution, source = source)
  expect_error(in_new_session({
    space <- asNamespace("domgen")
    real <- space$read_value
    unlockBinding("read_value", space)
    reads <- 0
    # in the pass after the survey
    assign("read_value", function(...) {
      reads <<- reads + 1
      if (reads == 12) tools::pskill(Sys.getpid(), tools::SIGKILL)
      real(...)
    }, space)
    set.seed(1)
    fit(input$spec, y ~ x1 + x2 + x3 | domain, data = input$source)
  }, input), "new session failed")
  expect_gt(length(list.files(source$store, recursive = TRUE)), 0L)
  set.seed(2) # of no account: the call goes on
  model <- fit(specs$distribution, y ~ x1 + x2 + x3 | domain, data = source)
  expect_equal(coef(model), coef(expected_fit("distribution")), tolerance = 1e-10)
  expect_length(list.files(source$store, recursive = TRUE), 0L)
})

# A worker that is killed once in the midst of its blocks, by a kernel.
expect_survival <- function(plan) {
  mark <- tempfile("mark")
  session <- Sys.getpid()
  deadly <- kernel_custom(function(a, b) {
    if (Sys.getpid() != session && !file.exists(mark)) {
      file.create(mark)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
      Sys.sleep(10)
    }
    tcrossprod(a, b)
  })
  fit_linear <- function() {
    set.seed(1)
    fit(dg_ridge(lambda = 1, kernel = deadly, feature_map = features_nystrom(2),
                 domain_kernel = domain_pooled()), y ~ x1 + x2 + x3 | domain,
        data = row_source(rows, block_size = 60))
  }
  under_engine(plan, model <- fit_linear())
  expect_true(file.exists(mark))
  expect_equal(coef(model), coef(fit_linear()), tolerance = 1e-10)
}

test_that("a process that is killed in the middle costs its blocks only", {
  skip_on_cran()
  skip_on_os("windows")
  expect_survival(two_sessions)
})

test_that("a job of Slurm that is killed in the middle costs its blocks only", {
  skip_without_slurm()
  expect_survival(slurm_jobs)
})
