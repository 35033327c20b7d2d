skip_if_not_installed("data.table")

# Wherever the pieces are cut.
expect_csv <- function(content, expected, ..., bytes = c(2^24, 40)) {
  file <- source_file(content)
  for (size in bytes) expect_identical(source_rows(file, ..., bytes = size), expected)
}

expect_csv_error <- function(content, message, ..., bytes = c(2^24, 40)) {
  files <- if (is.list(content)) {
    mapply(source_file, content, paste0(letters[seq_along(content)], ".csv"))
  } else source_file(content)
  for (size in bytes) {
    expect_domgen_error(source_rows(files, ..., bytes = size), message, "domgen_error_data")
  }
}

good <- "x,y,d\n1,2.5,a\n2,3,b\n-3e2,.4,\"c\"\n"
good_rows <- data.frame(x = c(1, 2, -300), y = c(2.5, 3, 0.4), d = factor(c("a", "b", "c")))

test_that("line ends, marks of order and blank lines change nothing", {
  expect_csv(good, good_rows)
  expect_csv(gsub("\n", "\r\n", good), good_rows)
  expect_csv(substr(good, 1, nchar(good) - 1), good_rows)
  expect_csv(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(good)), good_rows)
  expect_csv(paste0("\n\n", gsub("b\n", "b\n\n   \n", good), "\n\r\n \n"), good_rows)
  expect_csv(gsub(",", "\t", good), good_rows)
  expect_csv(gsub(",", ";", good), good_rows)
  expect_csv("x;y;d\n1;2,5;a\n2;3;b\n-3e2;,4;\"c\"\n", good_rows)
})

test_that("separators, line ends and quotes may stand between quotes", {
  expect_csv("d,x\n\"a,b\",1\n\"c\nd\r\ne\",2\n\"\"\"q\"\" \"\"\",3\n a b ,4\n\" kept \",5\n",
             data.frame(d = factor(c("a,b", "c\nd\r\ne", "\"q\" \"", "a b", " kept ")),
                        x = c(1, 2, 3, 4, 5)))
  expect_csv("d,x\nin\"ch,1\n5\"\",2\n\"a\"\"b\",3\n",
             data.frame(d = factor(c("in\"ch", "5\"\"", "a\"b")), x = c(1, 2, 3)), bytes = 2^24)
  named <- data.frame(`x,1` = 1, ` d` = factor("a"), check.names = FALSE)
  expect_csv("\"x,1\",\" d\"\n1,a\n", named)
})

test_that("empty fields and NA are missing", {
  expect_csv("x,d,l\nNA,NA,TRUE\n,,NA\n\"\",\"\",\n1,a,FALSE\n", data.frame(
    x = c(NA, NA, NA, 1), d = factor(c(NA, NA, NA, "a")), l = c(TRUE, NA, NA, FALSE)
  ))
  # a line that is empty is a row where there is one column
  expect_csv("x\n1\n\n3\n", data.frame(x = c(1, NA, 3)))
  expect_csv("x,y\nInf,NaN\n-Inf,1\n", data.frame(x = c(Inf, -Inf), y = c(NaN, 1)))
})

test_that("dates are dates, and whole numbers are exact", {
  expect_csv("t,x\n2020-01-31,9007199254740991\n,1\n", data.frame(
    t = structure(c(18292, NA), class = "Date"), x = c(9007199254740991, 1)
  ))
  expect_csv_error("x,y\n1,1\n9007199254740993,1\n5,2\n", "`a.csv`, row 2: `x` must be below 2")
})

test_that("bytes that are not UTF-8 are Latin-1, and UTF-16 is refused", {
  text <- "x,gr\u00f6\u00dfe\n1,M\u00fcnchen\n2,K\u00f6ln\n"
  expected <- data.frame(x = c(1, 2), y = factor(c("M\u00fcnchen", "K\u00f6ln"), c(
    "K\u00f6ln", "M\u00fcnchen"
  )))
  names(expected)[2] <- "gr\u00f6\u00dfe"
  expect_csv(text, expected)
  expect_csv(iconv(text, "UTF-8", "latin1", toRaw = TRUE)[[1L]], expected)
  # a quote and a euro of Windows, and a byte that it has no letter for
  bytes <- c(charToRaw("x,d\n1,a"), as.raw(c(0x92, 0x80)), charToRaw("\n2,b"), as.raw(0x81))
  expect_csv(bytes, data.frame(x = c(1, 2), d = factor(c("a\u2019\u20ac", "b\u0081"))))
  wide <- iconv(text, "UTF-8", "UTF-16LE", toRaw = TRUE)[[1L]]
  expect_csv_error(c(as.raw(c(0xff, 0xfe)), wide), "`a.csv` is UTF-16; it must be UTF-8")
  expect_csv_error(wide, "the first line, .* has a zero byte")
  zero <- c(charToRaw(good), charToRaw("1,2,"), as.raw(c(0, 10)))
  expect_csv_error(zero, "row 4: has a zero byte")
})

test_that("a row with fewer or more fields names its row", {
  expect_csv_error(paste0(good, "4,5\n"), "`a.csv`, row 4: has 2 fields, and the first line .* 3")
  expect_csv_error(paste0(good, "4"), "`a.csv`, row 4: has 1 field,")
  expect_csv_error(paste0(good, "4,5,6,7\n", good), "`a.csv`, row 4: has 4 fields")
  many <- paste0("x,y\n", strrep("1,2\n", 12344), "3\n1,2\n")
  expect_csv_error(many, "`a.csv`, row 12,345: has 1 field", bytes = c(2^24, 1000))
})

test_that("a quote that is not closed, or closed too early, names its row", {
  expect_csv_error(paste0(good, "4,5,\"abc\n1,2,a\n"), "row 4: has a quote that is not closed",
                   bytes = 2^24)
  expect_csv_error(paste0(good, "4,5,\"abc\n", strrep("1,2,a\n", 100)),
                   "row 4: does not end within [0-9]+ bytes; is a quote not closed", bytes = 40)
  expect_csv_error(paste0(good, "4,5,\"abc\" d\n"), "row 4: has text behind a closing quote")
  expect_csv_error("\"x,y\n1,2\n", "the first line, .* has a quote that is not closed")
})

test_that("files may have no rows, and files without a first line errors", {
  file <- source_file(good, "a.csv")
  none <- source_file("x,y,d\n", "b.csv")
  last <- source_file(good, "c.csv")
  found <- source_rows(c(file, none, last))
  expect_identical(found, rbind(good_rows, good_rows))
  expect_csv_error("x,y", "The source has no rows")
  expect_csv_error("", "`a.csv` is empty: a first line")
  expect_csv_error("\n \n\r\n", "`a.csv` is empty: a first line")
  expect_csv_error(gsub("\n", "\r", good), "must end its lines by line feeds")
})

test_that("later files may have other orders and more columns, but not fewer or other ones", {
  file <- source_file(good)
  other <- source_file("z,d,y,x\nno,a,2,1\n", "b.csv")
  expected <- rbind(good_rows, data.frame(x = 1, y = 2, d = factor("a", c("a", "b", "c"))))
  expect_identical(source_rows(c(file, other)), expected)
  expect_csv_error(list(good, "d,x\na,2\n"), "`b.csv` has no column `y`; it has `d`, `x`")
  expect_csv_error(list(good, "d,x,x,y\na,2,3,4\n"), "`b.csv` must have one column of each name")
  expect_csv_error("x,x\n1,2\n", "several called `x`")
  # a column that is not read may be there twice; one without a name is an index
  expect_csv("x,z,z\n1,2,3\n", data.frame(x = 1), columns = "x")
  expect_csv("\"\",x\n1,2\n", data.frame(x = 2))
})

test_that("a value that is no number names file, row and column, in the first file too", {
  expect_csv_error(list(good, "x,y,d\n1,2,a\n2,abc,b\n"), "`b.csv`, row 2: `y` must be a number")
  rows <- paste0(good, strrep("1,2,a\n", 100), "1,zz,a\n", strrep("1,2,b\n", 30))
  expect_csv_error(rows, "`a.csv`, row 104: `y` must be a number, not \"zz\"; if these are cate")
  expect_csv_error(list(good, "x,y,d\n1,TRUE,a\n"), "`b.csv`, row 1: `y` must be a number")
  expect_csv_error("t,x\n2020-01-05,1\n2020-02-29,2\n,2\nsoon,3\n",
                   "row 4: `t` must be a date, not \"soon\"")
  # but not where categories are declared
  file <- source_file("x,y\n1,2\n1,3\n1,z\n")
  found <- source_rows(row_source(file, levels = list(y = c("2", "3", "z"))))
  expect_identical(found$y, factor(c("2", "3", "z")))
})

test_that("a compressed file that was cut or damaged is refused, one in several parts is read", {
  text <- paste0("x,y\n", paste0(stats::rnorm(1500), ",", 1:1500, "\n", collapse = ""))
  zip <- function(text) {
    file <- tempfile()
    connection <- gzfile(file, "wb")
    writeBin(charToRaw(text), connection)
    close(connection)
    readBin(file, "raw", 1e6)
  }
  bytes <- zip(text)
  whole <- source_file(bytes, "a.csv.gz")
  for (size in c(2^24, 5000)) expect_identical(nrow(source_rows(whole, bytes = size)), 1500L)
  size <- length(bytes)
  for (cut in c(size %/% 2, size - 2, 100)) {
    file <- source_file(bytes[seq_len(cut)], "b.csv.gz")
    expect_domgen_error(source_rows(file), "`b.csv.gz` (is truncated or damaged|cannot be read)")
  }
  damaged <- bytes
  damaged[size %/% 2 + 0:9] <- as.raw(7)
  expect_domgen_error(source_rows(source_file(damaged, "b.csv.gz")), "(is truncated or|cannot)")
  parts <- source_file(c(bytes, zip("7,7\n8,8\n"), zip("9,9\n")), "b.csv.gz")
  expect_identical(source_rows(parts)$y, c(1:1500, 7, 8, 9))
  # by its bytes, not by its name
  expect_identical(nrow(source_rows(source_file(bytes, "c.csv"))), 1500L)
})

test_that("a file that is gone is an error", {
  file <- source_file(good)
  source <- row_source(file)
  unlink(file)
  expect_domgen_error(source_rows(source), "`a.csv` cannot be read")
})

test_that("rows are the same wherever the pieces are cut", {
  text <- "x,d\n1,\"a\nb\"\n\n2,\"c\"\"\n\"\n3,d"
  file <- source_file(text)
  for (size in c(8:30, 2^24)) {
    expect_identical(source_rows(file, bytes = size)$d, factor(c("a\nb", "c\"\n", "d")))
  }
})

# Character by character: list(rows, bytes, fields of the last, text as fread() is to have it).
naive_cut <- function(text) {
  chars <- strsplit(text, "")[[1L]]
  rows <- bytes <- fields <- 0
  quoted <- FALSE
  begun <- at_start <- TRUE
  count <- 1
  for (i in seq_along(chars)) {
    char <- chars[i]
    if (char == "\"" && (quoted || at_start)) {
      quoted <- !quoted
      # a quote that is doubled opens again what it closed
      at_start <- !quoted && i < length(chars) && chars[i + 1L] == "\""
    } else if (!quoted && char == ",") {
      count <- count + 1
      at_start <- TRUE
    } else if (!quoted && char == "\n") {
      if (nzchar(trimws(substr(text, bytes + 1, i)))) {
        rows <- rows + 1
        fields <- count
      }
      bytes <- i
      count <- 1
      at_start <- TRUE
    } else if (char != " ") at_start <- FALSE
  }
  list(rows = rows, bytes = bytes, fields = fields)
}

test_that("whole rows are those that are counted character by character", {
  for (seed in 1:100) {
    fields <- c("1", "a b", "\"x,y\"", "\"l\n\"", "\"q\"\"\"\"\"", "in\"ch", "", "5\"\"", "\"\"")
    text <- with_seed(seed, paste0(sample(fields, 30, TRUE), sample(c(",", ",", "\n", "\n\n"), 30, TRUE),
                                   collapse = ""))
    text <- substr(text, 1L, with_seed(seed, sample(nchar(text), 1L)))
    found <- cut_rows_(charToRaw(text), ",", 0L, FALSE, Inf)
    expect_identical(found$problem, 0L)
    expect_equal(found[c("rows", "bytes", "fields")], naive_cut(text), info = text)
    # nothing but the doubled quotes is written otherwise
    whole <- gsub("\001", "\"\"", found$text, fixed = TRUE)
    lines <- function(text) gsub("\n+", "\n", sub("^\n+", "", text))
    expect_identical(lines(whole), lines(substr(text, 1L, found$bytes)), info = text)
  }
})

test_that("with random texts, rows are those of read.csv()", {
  values <- c("1", "22.5", "\"a,b\"", "\"x\ny\"", "\"he \"\"said\"\"\"", "word", "")
  for (seed in 1:15) {
    text <- with_seed(seed, {
      n <- sample(5:60, 1)
      rows <- replicate(n, paste(c(sample(values, 3, TRUE), "end"), collapse = ","))
      paste0("a,b,c,e\n", paste0(rows, sample(c("\n", "\n\n"), n, TRUE), collapse = ""))
    })
    expected <- utils::read.csv(text = text, colClasses = "character", na.strings = "")
    file <- source_file(text)
    found <- source_rows(file, free = c("a", "b", "c", "e"), bytes = 64 * seed)
    expect_identical(found, expected)
  }
})

test_that("times, dates and logical values are such", {
  utc <- function(text) as.POSIXct(text, tz = "UTC", format = "%Y-%m-%dT%H:%M:%OS")
  expect_csv(paste0("t,s,l,f,d\n2024-01-01T01:00:00Z,2024-01-01 01:00:00.5,true,T,2024-01-31\n",
                    ",,false,F,\n"),
             data.frame(t = utc(c("2024-01-01T01:00:00", NA)),
                        s = utc(c("2024-01-01T01:00:00.5", NA)), l = c(TRUE, FALSE),
                        f = factor(c("T", "F")), d = as.Date(c("2024-01-31", NA))))
  expect_csv_error("t\n2024-01-01 01:00:00\n2024-01-01 02:00:00\nnoon\n",
                   "row 3: `t` must be a time, not \"noon\"")
})

# ---- what is a number -------------------------------------------------------------------------

# Near numbers: numbers with a character put in, taken out or changed, and short words of their
# characters.
near_numbers <- function(n) {
  characters <- strsplit("0123456789+-.eEdDxXpPfFLInfaN_# ", "")[[1L]]
  one <- function() paste(sample(characters, 1L), collapse = "")
  mutate <- function(text) {
    at <- sample(nchar(text), 1L)
    switch(sample(3L, 1L), paste0(substr(text, 1L, at), one(), substring(text, at + 1L)),
           paste0(substr(text, 1L, at - 1L), substring(text, at + 1L)),
           paste0(substr(text, 1L, at - 1L), one(), substring(text, at + 1L)))
  }
  drawn <- vapply(seq_len(n), function(k) {
    if (k %% 4 == 0) return(paste(sample(characters, sample(4L, 1L), TRUE), collapse = ""))
    number <- sprintf(sample(c("%.3g", "%.2e", "%.0f", "%.2f"), 1L), stats::rnorm(1) * 10^sample(-9:9, 1L))
    for (i in seq_len(sample(0:2, 1L))) number <- mutate(paste0(number, ""))
    number
  }, "")
  c("1e", "1E-", "1e+", "1e-", ".", "-", "+", "-.", "1.2.3", "0x", "0x1A", "0x1.8", "Inf.", "1d5",
    "1e5.5", "--1", "1L", "1_000", "e5", "1 e5", "#N/A", "1.#INF", "#DIV/0!", "5.", ".5", "-.5e-3",
    "1E5", "+7", "007", drawn)
}

# Digits with at most one point, at least one digit, and an exponent that is a whole number.
is_a_number <- function(text) {
  parts <- strsplit(trimws(text), "[eE]")
  vapply(seq_along(text), function(k) {
    part <- parts[[k]]
    plain <- sub("^[-+]", "", part)
    whole <- function(x) grepl("^[0-9]+$", x)
    length(part) %in% 1:2 && !grepl("[eE]\\s*$", text[k]) && whole(sub(".", "", plain[1L], fixed = TRUE)) &&
      (length(part) == 1L || whole(plain[2L]))
  }, NA)
}

expect_number_law <- function(fields, separator = ",", point = ".") {
  write_field <- function(field) {
    numbers <- sub(".", point, c("1.5", "-2.25", field, "300", "0.125"), fixed = TRUE)
    source_file(paste0(c("x", numbers), separator, c("g", letters[1:5]), "\n", collapse = ""))
  }
  for (field in fields) {
    found <- tryCatch(source_rows(row_source(write_field(field)))$x, domgen_error = identity)
    about <- paste0("\"", field, "\", point ", point)
    if (is_a_number(field)) {
      expect_equal(found, c(1.5, -2.25, as.double(field), 300, 0.125), info = about)
    } else {
      shown <- sub(".", point, trimws(field), fixed = TRUE)
      expect_s3_class(found, "domgen_error_data")
      expect_match(conditionMessage(found), paste0("row 3: `x` must be a number, not \"", shown, "\""),
                   fixed = TRUE, info = about)
    }
  }
}

test_that("what is not a number as a whole is not read as one, whatever it begins with", {
  fields <- with_seed(11, near_numbers(if (long_form()) 2000 else 70))
  # missing, infinite and not a number are read as such, in every spelling
  fields <- fields[!grepl("^\\s*$|^[-+ ]*(na|inf|nan)\\s*$", fields, ignore.case = TRUE)]
  expect_gt(sum(is_a_number(fields)), 20L)
  expect_gt(sum(!is_a_number(fields)), 40L)
  expect_number_law(fields)
  expect_number_law(utils::head(fields, 50L), ";", ",")
})

test_that("a message quotes at most 80 characters of what it found", {
  long <- strrep("1e5-", 5e4)
  good <- data.frame(x = 1:8, day = as.Date("2024-01-01") + 1:8, g = rep(c("a", "b"), 4), y = 1:8)
  for (name in names(good)) {
    bad <- good
    bad[[name]] <- as.character(bad[[name]])
    bad[[name]][7] <- long
    file <- tempfile(fileext = ".csv")
    utils::write.csv(bad, file, row.names = FALSE, quote = FALSE)
    # the level comes after the block that says which there are
    said <- expect_error(source_rows(row_source(file, levels = if (name == "g") list(g = c("a", "b")))),
                         class = "domgen_error_data")
    found <- unlist(regmatches(conditionMessage(said), gregexpr("[1e5.-]{20,}", conditionMessage(said))))
    expect_gt(length(found), 0L)
    expect_lte(max(nchar(found)), 80L)
    expect_lt(nchar(conditionMessage(said)), 500L)
  }
  expect_lte(nchar(enumerate(rep(long, 3))), 3 * 86)
  expect_identical(describe(strrep("a", 80)), paste0("\"", strrep("a", 80), "\""))
})
