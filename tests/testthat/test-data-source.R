expect_mixed <- function(source, expected = mixed_expected()) {
  for (rows in c(7, 50000)) {
    expect_identical(source_rows(source, free = "code", rows = rows), expected)
  }
}

in_pieces <- function(data = mixed_rows()) {
  pieces <- unname(split(data, c(rep(1:2, each = 13), rep(3, nrow(data) - 26))))
  lapply(pieces, function(piece) {
    rownames(piece) <- NULL
    piece
  })
}

test_that("data frames, alone and in a list, give their rows in blocks of any size", {
  expect_mixed(mixed_rows())
  expect_identical(source_rows(mixed_rows(), free = "code", rows = 1), mixed_expected())
  expect_mixed(row_source(in_pieces()))
  expect_mixed(row_source(list(in_pieces()[[1L]], row_source(in_pieces()[-1L]))))
})

test_that("a function in biglm's convention gives the rows of its data frames, as often as asked", {
  pieces <- c(in_pieces()[1L], list(in_pieces()[[1L]][0L, ]), in_pieces()[-1L])
  place <- 0
  give <- function(reset) {
    if (reset) {
      place <<- 0
      return(NULL)
    }
    place <<- place + 1
    if (place <= length(pieces)) pieces[[place]]
  }
  expect_mixed(row_source(give))
})

test_that("CSV files, compressed or not, and RDS files give the rows of the data frames in them", {
  folder <- source_folder()
  pieces <- in_pieces()
  for (k in seq_along(pieces)) {
    utils::write.csv(pieces[[k]], file.path(folder, paste0(k, ".csv")), row.names = FALSE)
    zipped <- gzfile(file.path(folder, paste0(k, ".csv.gz")), "wb")
    utils::write.csv(pieces[[k]], zipped, row.names = FALSE, eol = "\r\n")
    close(zipped)
    utils::write.table(pieces[[k]], file.path(folder, paste0(k, ".tsv")), sep = "\t",
                       row.names = FALSE, qmethod = "double")
    saveRDS(pieces[[k]], file.path(folder, paste0(k, ".rds")))
  }
  for (end in c("csv", "csv.gz", "tsv", "rds")) expect_mixed(file.path(folder, paste0("*.", end)))
  expect_mixed(file.path(folder, c("1.csv", "2.rds", "3.csv.gz")))
  expect_mixed(row_source(list(file.path(folder, "1.tsv"), pieces[[2L]],
                               file.path(folder, "3.csv"))))
})

test_that("Parquet files give the rows of the data frames in them", {
  skip_if_not_installed("nanoparquet")
  folder <- source_folder()
  pieces <- in_pieces()
  for (k in seq_along(pieces)) {
    nanoparquet::write_parquet(pieces[[k]], file.path(folder, paste0(k, ".parquet")))
  }
  expect_mixed(folder)
  expect_identical(row_source(folder)$tables[[3L]]$label, "3.parquet")
  found <- source_rows(folder, c("y", "x"))
  expect_identical(found, mixed_expected()[c("y", "x")])
  expect_domgen_error(source_rows(folder, c("x", "none")), "`1.parquet` has no column `none`")
  cut <- readBin(file.path(folder, "1.parquet"), "raw", 1e6)
  file <- source_file(cut[seq_len(length(cut) - 50)], "cut.parquet")
  expect_domgen_error(source_rows(file), "`cut.parquet` cannot be read", "domgen_error_data")
})

test_that("only the columns asked for are there, in that order", {
  data <- mixed_rows()
  file <- source_file("")
  utils::write.csv(data, file, row.names = FALSE)
  names <- c("y", "kind", "x")
  expected <- mixed_expected()[names]
  for (source in list(data, file, list(data))) {
    expect_identical(source_rows(source, names), expected)
    expect_identical(source_rows(source, names, rows = 11), expected)
    expect_domgen_error(source_rows(source, c("x", "none")), "has no column `none`; it has `x`")
  }
  found <- NULL
  row_source(file)$tables[[1L]]$blocks(c("code", "x"), "code", 2, function(block) {
    if (is.null(found)) found <<- block
  })
  expect_identical(found, data.frame(code = c("001", "002"), x = data$x[1:2]))
})

test_that("a column of text is text in every block, whatever it looks like there", {
  files <- c(source_file("x,d\n1,007\n2,7\n"), source_file("x,d\n1,abc\n2,1e5\n3,\n", "b.csv"))
  expect_identical(source_rows(files, free = "d")$d, c("007", "7", "abc", "1e5", NA))
  frames <- list(data.frame(d = c(1, 2.5)), data.frame(d = factor(c("u", NA))))
  expect_identical(source_rows(frames, free = "d")$d, c("1", "2.5", "u", NA))
})

test_that("what was text before is text in a file where it looks like a number", {
  files <- c(source_file("x,k\n1,a\n2,007\n"), source_file("x,k\n3,007\n4,7\n", "b.csv"))
  expect_identical(source_rows(files)$k, factor(c("a", "007", "007", "7")))
  one <- source_file("x,k\n1,a\n2,007\n3,007\n4,7\n")
  expect_identical(source_rows(one, bytes = 8)$k, factor(c("a", "007", "007", "7")))
})

test_that("levels are those of all rows, in the order of their names or of a factor, or those declared", {
  a <- data.frame(f = c("v", "u", NA), x = 1:3)
  b <- data.frame(f = c("u", "t"), x = 4:5)
  expect_identical(levels(source_rows(list(a, b))$f), c("t", "u", "v"))
  expect_identical(levels(source_rows(list(a, b), rows = 1)$f), c("t", "u", "v"))
  short <- row_source(list(first = a, second = b), levels = list(f = c("u", "v")))
  expect_domgen_error(source_rows(short), paste0(
    "`second`, row 2: `f` has the level \"t\", which is none of \"u\", \"v\"; declare all levels: ",
    "`levels = list\\(f = c\\(\"u\", \"v\", \"t\"\\)\\)`"
  ), "domgen_error_data")
  declared <- row_source(list(a, b), levels = list(f = c("t", "v", "u"), x = 1:5))
  found <- source_rows(declared)
  expect_identical(levels(found$f), c("t", "v", "u"))
  expect_identical(as.character(found$f), c("v", "u", NA, "u", "t"))
  expect_identical(found$x, factor(1:5))
  a$f <- factor(a$f, c("w", "v", "u"), ordered = TRUE)
  found <- source_rows(list(a, b))$f
  expect_identical(found, factor(c("v", "u", NA, "u", "t"), c("w", "v", "u", "t"), ordered = TRUE))
  # the declared levels of sources in a list
  both <- row_source(list(row_source(a, levels = list(f = c("u", "v", "w"))), b))
  expect_identical(both$levels, list(f = c("u", "v", "w")))
  other <- list(row_source(a, levels = list(f = "u")), row_source(b, levels = list(f = "w")))
  expect_domgen_error(row_source(other), "other levels of `f`")
  expect_identical(row_source(other, levels = list(f = c("u", "w")))$levels, list(f = c("u", "w")))
})

test_that("the first block with a value says the type of a column, and tables may be empty", {
  none <- data.frame(x = c(NA, NA), f = NA)
  some <- data.frame(x = c(1.5, NA), f = c("b", "a"))
  found <- source_rows(list(none, some[0L, ], some), rows = 1)
  expect_identical(found, data.frame(x = c(NA, NA, 1.5, NA), f = factor(c(NA, NA, "b", "a"))))
  expect_identical(source_rows(list(some[0L, ], some))$x, some$x)
  expect_identical(source_rows(none), none)
  expect_domgen_error(source_rows(some[0L, ]), "The source has no rows")
})

test_that("a value of another type names table, row and column", {
  a <- data.frame(x = 1:3, l = TRUE, t = as.Date("2020-01-01"))
  a$d <- as.difftime(1:3, units = "mins")
  refused <- function(message, ...) {
    b <- a
    given <- list(...)
    b[names(given)] <- given
    expect_domgen_error(source_rows(list(a, b), rows = 2), message, "domgen_error_data")
  }
  refused("`data, number 2`, row 3: `x` must be a number, not \"abc\"", x = c("1", "2", "abc"))
  refused("row 3: `x` must be a number, not \"b\"", x = factor(c(NA, NA, "b")))
  refused("row 2: `x` must be a number, not \"TRUE\"", x = c(NA, TRUE, TRUE))
  refused("row 1: `x` must be a number, not \"2020-01-01\"", x = a$t)
  refused("row 1: `l` must be TRUE or FALSE, not 0", l = 0)
  refused("row 2: `l` must be TRUE or FALSE, not \"maybe\"", l = c("TRUE", "maybe", NA))
  refused("row 3: `t` must be a date, not \"1.5.2020\"", t = c("2020-01-05", NA, "1.5.2020"))
  refused("row 1: `t` must be a date, not 3", t = 3)
  refused("row 1: `d` must be a time in mins, not 1", d = 1)
  b <- transform(a, x = c("1", " 2", NA), t = "2020-03-01", d = as.difftime(1, units = "hours"))
  found <- source_rows(list(a, b))
  expect_identical(found$x, c(1, 2, 3, 1, 2, NA))
  expect_identical(found$t[4], as.Date("2020-03-01"))
  expect_identical(found$d[4], as.difftime(60, units = "mins"))
  for (bad in list(I(list(1, 2)), 1:2 + 1i)) {
    expect_domgen_error(source_rows(data.frame(x = bad)), "`data`: `x` must be numeric, logical")
  }
  expect_domgen_error(source_rows(structure(list(1, 2), names = c("x", "x"), class = "data.frame",
                                            row.names = 1L)), "several called `x`")
})

test_that("64-bit integers are numbers where they are exact, and errors where not", {
  # as bit64 keeps them: 5, -3, 2^31, -2^40, NA, 2^53 - 1
  bits <- function(low, high) {
    bytes <- writeBin(as.integer(rbind(low, high)), raw(), endian = "little")
    structure(readBin(bytes, "double", length(low), endian = "little"), class = "integer64")
  }
  column <- bits(c(5L, -3L, NA, 0L, 0L, -1L), c(0L, -1L, 0L, -256L, NA, 2097151L))
  found <- source_rows(list(frame_of_columns(list(x = column), 6L)))$x
  expect_identical(found, c(5, -3, 2^31, -2^40, NA, 2^53 - 1))
  large <- frame_of_columns(list(x = bits(c(1L, 1L), c(0L, 2097152L))), 2L)
  expect_domgen_error(source_rows(large), "`data`, row 2: `x` must be below 2\\^53")
  text <- list(data.frame(x = 1), data.frame(x = c("2", "9007199254740993")))
  expect_domgen_error(source_rows(text), "row 2: `x` must be below 2\\^53.*\"9007199254740993\"")
})

test_that("a file that is given twice is refused, and others of one name are told apart", {
  file <- source_file("x\n1\n")
  expect_domgen_error(row_source(c(file, file)), "`.*a.csv` is given twice")
  expect_domgen_error(row_source(c(file, dirname(file))), "`.*a.csv` is given twice")
  expect_domgen_error(row_source(c(file, file.path(dirname(file), ".", "a.csv"))), "given twice")
  labels <- function(source) vapply(source$tables, `[[`, "", "label")
  other <- source_file("x\n1\n")
  expect_identical(labels(row_source(c(file, other))), c(file, other))
  data <- mixed_rows()
  expect_identical(labels(row_source(list(data, data))), c("data, number 1", "data, number 2"))
  expect_identical(labels(row_source(list(a = data, data, b = list(data, file)))),
                   c("a", "data", "b, data", "b, a.csv"))
})

test_that("arguments are checked at the door", {
  data <- mixed_rows()
  expect_domgen_error(row_source(), "`x` must be given")
  expect_domgen_error(row_source(3), "`x` must be a data frame, paths", "domgen_error_argument")
  expect_domgen_error(row_source(list()), "at least one element")
  expect_domgen_error(row_source(list(data, 3)), "`x` must be a data frame, paths")
  expect_domgen_error(row_source(character()), "paths of files, not of length 0")
  expect_domgen_error(row_source(NA_character_), "paths of files")
  expect_domgen_error(row_source("none.csv"), "There is no file `none.csv`")
  expect_domgen_error(row_source(file.path(tempdir(), "none*.csv")), "There is no file")
  expect_domgen_error(row_source(source_file("", "a.docx")), "must end in .csv, .tsv")
  near <- source_file("", "hospitals.csv")
  expect_domgen_error(row_source(sub("hospitals", "hospitls", near)), "mean `hospitals.csv`?")
  expect_domgen_error(row_source(source_folder()), "has no files that can be read")
  expect_domgen_error(row_source(data, block_size = 0), "`block_size` must be one whole number")
  expect_domgen_error(row_source(data, store = 1), "`store` must be the path of a folder, not 1")
  expect_domgen_error(row_source(data, levels = "a"), "`levels` must be a named list")
  expect_domgen_error(row_source(data, levels = list(x = c("a", "a"))), "`levels\\$x` must be")
  expect_domgen_error(row_source(data, blok_size = 2), "did you mean `block_size`")
  expect_domgen_error(row_source(data, table = "t"), "`table` must be given with a database")
  expect_domgen_error(row_source(function(reset) NULL, query = "q"), "`query` must be given with")
  # a function without `reset` opens a connection
  skip_if_not_installed("DBI")
  expect_domgen_error(row_source(function() NULL), "Either `table` or `query`")
})

test_that("a source of a source takes its settings, and other ones where they are given", {
  source <- row_source(mixed_rows(), block_size = 7, levels = list(kind = "a"), store = "folder")
  expect_identical(row_source(source), source)
  expect_identical(row_source(source), source)
  changed <- row_source(source, block_size = 9)
  expect_identical(changed[c("block_size", "levels")], list(block_size = 9L, levels = list(kind = "a")))
})

test_that("a folder tells which of its files are not read", {
  folder <- source_folder()
  for (name in c("b.csv", "a.csv", "_SUCCESS", ".hidden.csv", "notes.md")) {
    source_file("x\n1\n", name, folder)
  }
  dir.create(file.path(folder, "sub.csv"))
  expect_message(source <- row_source(folder), "Not read in .*: `notes.md`",
                 class = "domgen_message_source")
  expect_identical(vapply(source$tables, `[[`, "", "label"), c("a.csv", "b.csv"))
  expect_identical(length(row_source(file.path(folder, "*.csv"))$tables), 2L)
})

test_that("an error while rows are read names the row that was reached", {
  place <- 0
  give <- function(reset) {
    if (reset) place <<- 0
    else if ((place <<- place + 1) == 3) stop("the net is down")
    else data.frame(x = 1:4)
  }
  expect_domgen_error(source_rows(give), "`function` cannot be read from row 9 on: the net is down",
                      "domgen_error_data")
  expect_domgen_error(source_rows(function(reset) if (!reset) 3), "must give data frames")
  file <- source_file("", "a.rds")
  saveRDS(1:3, file)
  expect_domgen_error(source_rows(file), "`a.rds` cannot be read: it must hold a data frame")
  source_file("no RDS", "a.rds", dirname(file))
  expect_domgen_error(source_rows(file), "`a.rds` cannot be read: unknown input format")
})

test_that("sources print what they are", {
  folder <- source_folder()
  for (k in 1:4) source_file("x;kind\n1,5;a\n", paste0(k, ".csv"), folder)
  saveRDS(data.frame(x = 1), file.path(folder, "5.rds"))
  expect_output(print(row_source(folder, levels = list(kind = c("a", "b")))), paste0(
    "A source of rows: 1.csv, 2.csv, 3.csv and 2 more\n",
    "  columns  x, kind\n  levels   kind: a, b\n  chunks   of 50,000 rows"
  ))
  expect_output(print(row_source(mixed_rows(), block_size = 7, store = "sums")),
                "rows: data\n  columns .*chunks   of 7 rows\n  store    sums")
  # one that cannot be opened any more
  unlink(file.path(folder, "2.csv"))
  expect_output(print(row_source(file.path(folder, "1.csv"))), "rows: 1.csv\n  columns")
})

# ---- the contract, of every kind ----------------------------------------------------------------

# What a table must do whatever it is: blocks in order, none larger than asked for, as often as one
# likes, with errors of the caller's going through, after which it can be read again.
expect_contract <- function(table, data, text = character()) {
  expect_s3_class(table, "dg_table")
  expect_setequal(table$columns(), names(data))
  expect_identical(length(table$label), 1L)
  columns <- names(data)[c(3L, 1L)]
  open <- nrow(showConnections())
  for (n in c(1, 7, 1000)) {
    blocks <- list()
    table$blocks(columns, text, n, function(block) blocks[[length(blocks) + 1L]] <<- block)
    expect_lte(max(vapply(blocks, nrow, 1L)), n)
    found <- do.call(rbind, lapply(blocks, function(block) as.data.frame(block)[columns]))
    expect_equal(found, data[columns], ignore_attr = TRUE)
    calls <- 0
    expect_error(table$blocks(columns, text, n, function(block) {
      calls <<- calls + 1
      stop("mine")
    }), "mine")
    expect_identical(calls, 1)
    expect_identical(nrow(showConnections()), open)
  }
}

test_that("every kind of table keeps the contract", {
  data <- data.frame(x = c(1.5, 2, NA, 4:20), s = rep(c("a", "b c"), 10), k = 1:20)
  folder <- source_folder()
  utils::write.csv(data, file.path(folder, "a.csv"), row.names = FALSE)
  saveRDS(data, file.path(folder, "b.rds"))
  at <- 0
  give <- function(reset) {
    if (reset) at <<- 0 else if ((at <<- at + 1) <= 4) data[(1:5) + 5 * (at - 1), ]
  }
  tables <- c(row_source(folder)$tables, row_source(data)$tables, row_source(give)$tables)
  if (requireNamespace("nanoparquet", quietly = TRUE)) {
    nanoparquet::write_parquet(data, file.path(folder, "c.parquet"))
    tables <- c(tables, row_source(file.path(folder, "c.parquet"))$tables)
  }
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    factory <- sqlite_factory()
    write_rows(factory, "t", data)
    tables <- c(tables, row_source(factory, table = "t")$tables,
                row_source(factory, query = "SELECT * FROM t -- all;")$tables)
  }
  for (table in tables) expect_contract(table, data)
})

test_that("each table is read once, whatever the call", {
  rows <- toy_domains(6, 20)
  read <- 0
  at <- 0
  source <- row_source(function(reset) {
    if (reset) at <<- 0
    else if ((at <<- at + 1) <= 3) {
      read <<- read + 1
      rows[(1:40) + 40 * (at - 1), ]
    }
  })
  map <- features_nystrom(10)
  calls <- list(
    function() dg_ridge(y ~ x1 | domain, data = source, feature_map = map),
    function() dg_svm(y ~ x1 | domain, data = source, cost = 1, feature_map = map,
                      loss = "squared_epsilon_insensitive"),
    function() dg_lm(y ~ x1 | domain, data = source),
    function() dg_cv(dg_ridge(feature_map = map), y ~ x1 | domain, data = source),
    function() dg_compare(list(dg_ridge(lambda = 1, feature_map = map)), y ~ x1 | domain, data = source),
    function() dg_tune(dg_ridge(feature_map = map), y ~ x1 | domain, data = source),
    function() predict(dg_ridge(y ~ x1 | domain, data = rows, lambda = 1, feature_map = map,
                                domain_kernel = domain_distribution()), source)
  )
  for (call in calls) {
    read <- 0
    call()
    # and its first piece for the names of its columns
    expect_identical(read, 4, label = deparse1(body(call)[[1L]]))
  }
  expect_identical(list.files(tempdir(), "^domgen-rows-"), character())
})

test_that("a factor that the formula makes has the levels that the formula names, or none is lost", {
  set.seed(5)
  d <- data.frame(x = rnorm(100), domain = rep(letters[1:5], 20), k = rep(1:4, each = 25))
  d$y <- d$x + 2 * d$k
  spec <- dg_ridge(lambda = 1, feature_map = features_rff(20), domain_kernel = domain_pooled())
  of <- function(formula, size) fit(spec, formula, data = row_source(d, block_size = size))
  expect_domgen_error(of(y ~ factor(k) + x | domain, 50), "Name all levels",
                      "domgen_error_data")
  expect_equal(nobs(of(y ~ factor(k) + x | domain, 100)), 100)
  predictions <- lapply(c(30, 100), function(size) {
    set.seed(1)
    predict(of(y ~ factor(k, 1:4) + x | domain, size), d)
  })
  expect_equal(predictions[[1L]], predictions[[2L]])
})
