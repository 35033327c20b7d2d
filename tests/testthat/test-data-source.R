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

test_that("data frames, whole, in parts and in a list, give their rows in blocks of any size", {
  expect_mixed(mixed_rows())
  expect_identical(source_rows(mixed_rows(), free = "code", rows = 1), mixed_expected())
  expect_mixed(row_source(mixed_rows(), partitions = 7))
  expect_mixed(row_source(mixed_rows(), partitions = 100))
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
  with_replaced("has_fread", function() FALSE, {
    for (end in c("csv", "csv.gz", "tsv")) expect_mixed(file.path(folder, paste0("*.", end)))
  })
})

test_that("Parquet files give the rows of the data frames in them", {
  skip_if_not_installed("nanoparquet")
  folder <- source_folder()
  pieces <- in_pieces()
  for (k in seq_along(pieces)) {
    nanoparquet::write_parquet(pieces[[k]], file.path(folder, paste0(k, ".parquet")))
  }
  expect_mixed(folder)
  expect_identical(row_source(folder)$partitions[[3L]]$label, "3.parquet")
  found <- source_rows(folder, c("y", "x"))
  expect_identical(found, mixed_expected()[c("y", "x")])
  expect_domgen_error(source_rows(folder, c("x", "none")), "`1.parquet` has no column `none`")
  cut <- readBin(file.path(folder, "1.parquet"), "raw", 1e6)
  file <- source_file(cut[seq_len(length(cut) - 50)], "cut.parquet")
  expect_domgen_error(source_rows(file), "`cut.parquet` cannot be read as Parquet")
})

test_that("arrow reads Parquet files one group of rows at a time", {
  # arrow is on few machines: a stand-in with its interface
  groups <- in_pieces()
  reader <- list(create = function(path) list(
    num_row_groups = length(groups), num_rows = 60L, GetSchema = function() groups[[1L]],
    ReadRowGroup = function(i, columns) groups[[i + 1L]][columns + 1L]
  ))
  file <- source_file("", "a.parquet")
  with_replaced("parquet_engine", function() "arrow", {
    with_replaced("arrow_files", function() reader, expect_mixed(file))
  })
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
  reader <- partition_open(row_source(file)$partitions[[1L]], c("code", "x"), text = "code")
  expect_identical(reader$read(2), data.frame(code = c("001", "002"), x = data$x[1:2]))
  reader$close()
})

test_that("a column of text is text in every block, whatever it looks like there", {
  files <- c(source_file("x,d\n1,007\n2,7\n"), source_file("x,d\n1,abc\n2,1e5\n3,\n", "b.csv"))
  expect_identical(source_rows(files, free = "d")$d, c("007", "7", "abc", "1e5", NA))
  frames <- list(data.frame(d = c(1, 2.5)), data.frame(d = factor(c("u", NA))))
  expect_identical(source_rows(frames, free = "d")$d, c("1", "2.5", "u", NA))
})

test_that("levels are those of the first partition, of a factor, or those declared", {
  a <- data.frame(f = c("v", "u", NA), x = 1:3)
  b <- data.frame(f = c("u", "w"), x = 4:5)
  expect_identical(levels(source_rows(list(a, a[1, ]))$f), c("u", "v"))
  expect_domgen_error(source_rows(list(first = a, second = b)), paste0(
    "`second`, row 2: `f` has the level \"w\", which is none of \"u\", \"v\"; declare all levels: ",
    "`levels = list\\(f = c\\(\"u\", \"v\", \"w\"\\)\\)`"
  ), "domgen_error_data")
  declared <- row_source(list(a, b), levels = list(f = c("w", "v", "u"), x = 1:5))
  found <- source_rows(declared)
  expect_identical(levels(found$f), c("w", "v", "u"))
  expect_identical(as.character(found$f), c("v", "u", NA, "u", "w"))
  expect_identical(found$x, factor(1:5))
  a$f <- factor(a$f, c("w", "v", "u"), ordered = TRUE)
  found <- source_rows(list(a, b))$f
  expect_identical(found, factor(c("v", "u", NA, "u", "w"), c("w", "v", "u"), ordered = TRUE))
  # the declared levels of sources in a list
  both <- row_source(list(row_source(a, levels = list(f = c("u", "v", "w"))), b))
  expect_identical(both$levels, list(f = c("u", "v", "w")))
  other <- list(row_source(a, levels = list(f = "u")), row_source(b, levels = list(f = "w")))
  expect_domgen_error(row_source(other), "other levels of `f`")
  expect_identical(row_source(other, levels = list(f = c("u", "w")))$levels, list(f = c("u", "w")))
})

test_that("the first block with a value says the type of a column, and partitions may be empty", {
  none <- data.frame(x = c(NA, NA), f = NA)
  some <- data.frame(x = c(1.5, NA), f = c("b", "a"))
  found <- source_rows(list(none, some[0L, ], some), rows = 1)
  expect_identical(found, data.frame(x = c(NA, NA, 1.5, NA), f = factor(c(NA, NA, "b", "a"))))
  expect_identical(source_rows(list(some[0L, ], some))$x, some$x)
  expect_identical(source_rows(none), none)
  expect_domgen_error(source_rows(some[0L, ]), "The source has no rows")
})

test_that("a value of another type names partition, row and column", {
  a <- data.frame(x = 1:3, l = TRUE, t = as.Date("2020-01-01"))
  a$d <- as.difftime(1:3, units = "mins")
  refused <- function(message, ...) {
    b <- a
    given <- list(...)
    b[names(given)] <- given
    expect_domgen_error(source_rows(list(a, b), rows = 2), message, "domgen_error_data")
  }
  refused("`partition 2`, row 3: `x` must be a number, not \"abc\"", x = c("1", "2", "abc"))
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
  found <- source_rows(list(plain_frame(list(x = column), 6L)))$x
  expect_identical(found, c(5, -3, 2^31, -2^40, NA, 2^53 - 1))
  large <- plain_frame(list(x = bits(c(1L, 1L), c(0L, 2097152L))), 2L)
  expect_domgen_error(source_rows(large), "`data`, row 2: `x` must be below 2\\^53")
  text <- list(data.frame(x = 1), data.frame(x = c("2", "9007199254740993")))
  expect_domgen_error(source_rows(text), "row 2: `x` must be below 2\\^53.*\"9007199254740993\"")
})

test_that("what is given twice is refused", {
  data <- mixed_rows()
  file <- source_file("x\n1\n")
  expect_domgen_error(row_source(c(file, file)), "`a.csv` is given twice")
  expect_domgen_error(row_source(list(file, dirname(file))), "`a.csv` is given twice")
  expect_domgen_error(row_source(c(file, file.path(dirname(file), ".", "a.csv"))), "given twice")
  expect_domgen_error(row_source(list(data, data)), "`partition 2` is given twice")
  expect_s3_class(row_source(list(data, data[-1, ])), "dg_source")
  expect_s3_class(row_source(rbind(data, data), partitions = 2), "dg_source")
  other <- source_file("x\n1\n")
  expect_identical(vapply(row_source(c(file, other))$partitions, `[[`, "", "label"), c(file, other))
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
  expect_domgen_error(row_source(source_file("", "a.xlsx")), "must end in .csv, .tsv")
  expect_domgen_error(row_source(source_folder()), "has no files that can be read")
  expect_domgen_error(row_source(data, block_size = 0), "`block_size` must be one whole number")
  expect_domgen_error(row_source(data, store = 1), "`store` must be the path of a folder, not 1")
  expect_domgen_error(row_source(data, levels = "a"), "`levels` must be a named list")
  expect_domgen_error(row_source(data, levels = list(x = c("a", "a"))), "`levels\\$x` must be")
  expect_domgen_error(row_source(data, partitions = 0), "`partitions` must be one whole number")
  expect_domgen_error(row_source(data, partition = 2), "did you mean `partitions`")
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
  expect_identical(vapply(source$partitions, `[[`, "", "label"), c("a.csv", "b.csv"))
  expect_identical(length(row_source(file.path(folder, "*.csv"))$partitions), 2L)
})

test_that("readers are closed at the end, on an error, and where a block is enough", {
  opened <- closed <- 0
  data <- mixed_rows()
  open <- partition_open.partition_frame
  counting <- function(partition, columns, text) {
    reader <- open(partition, columns, text)
    opened <<- opened + 1
    list(read = reader$read, close = function() closed <<- closed + 1)
  }
  partition <- structure(list(label = "p", data = data), class = c("counted", "dg_partition"))
  registerS3method("partition_open", "counted", counting, asNamespace("domgen"))
  prototype <- data[0L, c("x", "y")]
  expect_identical(walk_blocks(partition, prototype, 50, function(data, first) NULL), 60)
  expect_error(walk_blocks(partition, prototype, 50, function(data, first) stop("mine")), "mine")
  expect_domgen_error(walk_blocks(partition, data.frame(none = 1), 50, identity), "no column")
  each_block(partition, NULL, character(), 5, function(block, first) FALSE)
  expect_identical(c(opened, closed), c(3, 3))
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
  expect_domgen_error(source_rows(file), "`a.rds` must hold a data frame")
  source_file("no RDS", "a.rds", dirname(file))
  expect_domgen_error(source_rows(file), "`a.rds` cannot be read: unknown input format")
})

test_that("keys of files change with the file", {
  file <- source_file("x\n1\n")
  partition <- row_source(file)$partitions[[1L]]
  key <- partition_key(partition)
  expect_identical(partition_key(partition), key)
  source_file("x\n1\n2\n", folder = dirname(file))
  expect_false(partition_key(partition) == key)
  expect_identical(partition_key(row_source(mixed_rows())$partitions[[1L]]), mixed_rows())
})

test_that("sources print what they are", {
  folder <- source_folder()
  for (k in 1:4) source_file("x;kind\n1,5;a\n", paste0(k, ".csv"), folder)
  saveRDS(data.frame(x = 1), file.path(folder, "5.rds"))
  expect_output(print(row_source(folder, levels = list(kind = c("a", "b")))), paste0(
    "A source of rows in 5 partitions: 1.csv, 2.csv, 3.csv and 2 more\n",
    "  kind     CSV \\(4\\), RDS \\(1\\), separated by semicolons, decimal commas\n",
    "  columns  x, kind\n  levels   kind: a, b\n  chunks   of 50,000 rows"
  ))
  expect_output(print(row_source(mixed_rows(), block_size = 7, store = "sums")),
                "partition: data\n  kind     data frame\n.*chunks   of 7 rows\n  store    sums")
  # one that cannot be opened any more
  unlink(file.path(folder, "1.csv"))
  expect_output(print(row_source(file.path(folder, "2.csv"))), "kind     CSV, separated")
})
