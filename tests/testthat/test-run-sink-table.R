test_that("two calls that write one table at a time leave no row out and none twice", {
  skip_if_not_installed("RSQLite")
  file <- tempfile(fileext = ".sqlite")
  on.exit(unlink(file))
  to <- row_source(function() DBI::dbConnect(RSQLite::SQLite(), file), table = "p")
  toy <- simulate_dica(domains = 4, rows = 20, p = 2, seed = 1)
  model <- dg_lm(y ~ x1 + x2, data = toy)
  same <- row_source(toy, rows = 10, partitions = 2)
  # before its second block, something else happens, in a process of its own as it were
  meanwhile <- function(what, source = same, ...) {
    block <- 0
    session <- domgen:::session
    predict_block <- domgen:::predict_block
    with_replaced("predict_block", function(...) {
      block <<- block + 1
      if (block == 2) {
        trip <- session$trip
        session$trip <- NULL
        what()
        session$trip <- trip
      }
      predict_block(...)
    }, predict(model, source, to = to, ...))
  }
  # the same call to its end, cut short, and another call in its place
  others <- list(all = function() predict(model, same, to = to), some = function() {
    expect_error(meanwhile(function() stop("cut short")), "cut short")
  }, anew = function() {
    expect_error(meanwhile(function() stop("cut short"), row_source(toy[rev(seq_len(nrow(toy))), ], rows = 10),
                           overwrite = TRUE), "cut short")
  })
  for (kind in names(others)) {
    unlink(file)
    expect_error(meanwhile(others[[kind]]), "another process writes the same table",
                 class = "domgen_error_write", info = kind)
    if (kind != "all") predict(model, same, to = to, overwrite = kind == "anew")
    db <- to$partitions[[1L]]$connection()
    expect_identical(DBI::dbListTables(db), "p")
    rows <- DBI::dbReadTable(db, "p")
    DBI::dbDisconnect(db)
    expect_equal(rows[order(rows$partition, rows$row), ]$prediction, predict(model, toy),
                 info = kind)
  }
})
