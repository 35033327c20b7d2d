# CSV files are read as bytes, in pieces that are cut where a row ends (src/csv.cpp), and each piece
# is parsed by fread() as a text of its own. The number of fields of each row is known by then, so
# that nothing that a parser leaves out goes unnoticed.

csv_table <- function(path, label) {
  need_package("data.table", "row_source()")
  head <- function() csv_head(path, label)
  row_table(label, function() head()$names, function(columns, text, n, f) {
    head <- head()
    check_columns(stats::setNames(nm = as.list(head$names)), columns, label)
    each_piece(path, label, head, function(piece) {
      data <- parse_csv(piece, head, columns, text, label)
      # what was text is text, whatever it looks like further on
      text <<- c(text, setdiff(columns[vapply(data, is.character, NA)], text))
      in_blocks(data, n, f)
    })
  }, function() path)
}

# What is wrong with the row behind a piece, see cut_rows_().
csv_problem <- function(piece, fields) {
  switch(c("fields", "open_quote", "after_quote", "odd_byte")[piece$problem],
    fields = paste0("has ", plural(piece$fields, "field"), ", and the first line of the file ",
                    in_full(fields)),
    open_quote = "has a quote that is not closed before the file ends",
    after_quote = "has text behind a closing quote; quotes inside a quoted field must be doubled",
    odd_byte = "has a zero byte, as UTF-16 has and files that are no text"
  )
}

# ---- the first line ---------------------------------------------------------------------------

# list(names, separator, decimal, bytes: up to the end of the first line)
csv_head <- function(path, label) {
  connection <- open_bytes(path, label)
  on.exit(close(connection))
  head <- raw()
  repeat {
    new <- read_bytes(readBin(connection, "raw", 2^16), label)
    head <- c(head, new)
    mark <- as.integer(utils::head(head, 3L))
    if (length(mark) > 1L && setequal(mark[1:2], 254:255)) {
      abort("data", "`", label, "` is UTF-16; it must be UTF-8 or Latin-1.")
    }
    skip <- if (identical(mark, c(0xefL, 0xbbL, 0xbfL))) 3L else 0L
    line <- first_line(utils::tail(head, length(head) - skip), length(new) == 0L)
    if (line$rows > 0 || line$problem > 0 || length(new) == 0L) break
  }
  if (line$problem > 0) {
    abort("data", "`", label, "`: the first line, which must have the names of the columns, ",
          csv_problem(line, 0), ".")
  }
  if (line$rows == 0) {
    abort("data", "`", label, "` is empty: a first line with the names of columns is needed.")
  }
  if (grepl("\r[^\r\n]", line$text, useBytes = TRUE)) {
    abort("data", "`", label, "` must end its lines by line feeds (\\n or \\r\\n), not by \\r ",
          "alone.")
  }
  names <- unlist(fread_text(line, list(separator = line$separator, decimal = "."),
                             colClasses = "character"))
  names <- csv_text(unname(names), line)
  list(names = replace(names, is.na(names), ""), separator = line$separator,
       decimal = csv_decimal(head, line$separator), bytes = skip + line$bytes)
}

# By the separator that gives it the most fields.
first_line <- function(bytes, ended) {
  lines <- lapply(c(",", "\t", ";"), function(separator) {
    c(cut_rows_(bytes, separator, 0L, ended, 1), separator = separator)
  })
  lines[[which.max(vapply(lines, `[[`, 0, "fields"))]]
}

# Where semicolons or tabs separate, commas may stand in numbers; those in quotes may be at
# thousands. Beside tabs "1,234" alone decides nothing.
csv_decimal <- function(head, separator) {
  if (separator == "," || as.raw(0) %in% head) return(".")
  text <- gsub("\"[^\"]*\"", "", rawToChar(head), useBytes = TRUE)
  fields <- strsplit(text, paste0("[", separator, "\r\n]+"), useBytes = TRUE)[[1L]]
  numbers <- function(mark) {
    grepl(paste0("^ *[-+]?[0-9]*[", mark, "][0-9]+([eE][-+]?[0-9]+)? *$"), fields, useBytes = TRUE)
  }
  commas <- numbers(",")
  thousands <- grepl("^ *[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+ *$", fields, useBytes = TRUE)
  sure <- separator == ";" || any(commas & !thousands)
  if (sure && sum(commas) > sum(numbers("."))) "," else "."
}

# ---- the bytes, compressed or not, piece by piece ---------------------------------------------

piece_bytes <- 2^22

# f(piece) for pieces of whole rows, see cut_rows_(), each with `first`: the number of its first
# row.
each_piece <- function(path, label, head, f, size = piece_bytes) {
  connection <- open_bytes(path, label)
  on.exit(close(connection))
  total <- length(read_bytes(readBin(connection, "raw", head$bytes), label))
  rest <- raw()
  done <- 0
  fields <- length(head$names)
  repeat {
    new <- read_bytes(readBin(connection, "raw", size), label)
    total <- total + length(new)
    ended <- length(new) == 0L
    if (ended && is_gzip(path)) check_gzip(path, total, label)
    bytes <- c(rest, new)
    piece <- cut_rows_(bytes, head$separator, fields, ended, Inf)
    if (piece$problem > 0) {
      abort("data", row_label(label, done + piece$rows + 1), ": ", csv_problem(piece, fields), ".")
    }
    if (piece$rows > 0) f(c(piece, first = done + 1))
    if (ended) break
    done <- done + piece$rows
    rest <- utils::tail(bytes, length(bytes) - piece$bytes)
    # a quote that is not closed takes all that follows into its row
    if (length(rest) > 2 * size) {
      abort("data", row_label(label, done + 1), ": does not end within ", in_full(length(rest)),
            " bytes; is a quote not closed?")
    }
  }
}

open_bytes <- function(path, label) read_bytes(gzfile(path, "rb"), label)

is_gzip <- function(path) identical(readBin(path, "raw", 2L), as.raw(c(0x1f, 0x8b)))

# A warning says what is wrong, but file() closes what it began only when the error comes.
read_bytes <- function(code, label) {
  said <- NULL
  broken <- function(e) {
    abort("data", "`", label, "` cannot be read: ",
          if (is.null(said)) conditionMessage(e) else said, ".")
  }
  value <- on_error(withCallingHandlers(code, warning = function(w) {
    if (is.null(said)) said <<- conditionMessage(w)
    invokeRestart("muffleWarning")
  }), broken)
  if (is.null(said)) value else broken()
}

# R takes a file that was cut for one that has ended. The last four bytes of each member of a gzip
# file are the number of its bytes.
check_gzip <- function(path, total, label) {
  size <- file.size(path)
  sizes <- gzip_sizes(path, size)
  if (sum(sizes) %% 2^32 != total %% 2^32 && utils::tail(sizes, 1L) != total %% 2^32) {
    abort("data", "`", label, "` is truncated or damaged: the compressed file ends after ",
          in_full(total), " bytes of text.")
  }
}

# Of the last member, and of those before it that may be some: each begins with three known bytes.
gzip_sizes <- function(path, size) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  number <- function(bytes) sum(as.numeric(bytes) * 256^(0:3))
  sizes <- numeric()
  tail <- raw()
  while (length(new <- readBin(connection, "raw", 2^24))) {
    bytes <- c(tail, new)
    starts <- grepRaw(as.raw(c(0x1f, 0x8b, 0x08)), bytes, fixed = TRUE, all = TRUE)
    starts <- starts[starts > 4L]
    sizes <- c(sizes, vapply(starts, function(at) number(bytes[at - 4:1]), 0))
    tail <- utils::tail(bytes, 6L)
  }
  sizes <- sizes[sizes <= 1032 * size]
  c(sizes, number(utils::tail(tail, 4L)))
}

# ---- from whole rows to columns ---------------------------------------------------------------

# columns: which, in this order.
parse_csv <- function(piece, head, columns, text, label) {
  which <- match(columns, head$names)
  as_text <- columns %in% text
  # what spreadsheets and C write in the place of a number, which fread() takes for one, or for
  # missing
  words <- grepl("#", piece$text, fixed = TRUE, useBytes = TRUE)
  data <- fread_text(piece, head, select = which, colClasses = list(
    character = if (words) which else which[as_text]
  ))
  if (length(data) != length(columns) || any(lengths(data) != piece$rows)) {
    abort("data", "`", label, "`, rows ", in_full(piece$first), " to ",
          in_full(piece$first + piece$rows - 1), ", cannot be read as ",
          plural(piece$rows, "row"), " of ", plural(length(head$names), "field"), ".")
  }
  data <- Map(function(column, name) {
    if (!is.character(column)) return(column)
    column <- csv_text(column, piece)
    if (name %in% text[names(text) == "label"]) return(csv_labels(column))
    if (name %in% text) return(column)
    if (words) column <- guess_type(column, head$decimal)
    if (!is.character(column)) return(column)
    read_most(column, list(label = label, first = piece$first, name = name), head$decimal)
  }, data, columns)
  frame_of_columns(stats::setNames(data, columns), piece$rows)
}

# A list of columns. fread() would read dates and times.
fread_text <- function(piece, head, ...) {
  old <- options(datatable.old.fread.datetime.character = TRUE)
  on.exit(options(old))
  data <- suppressWarnings(data.table::fread(
    text = piece$text, sep = head$separator, dec = head$decimal, header = FALSE,
    na.strings = c("", "NA"), encoding = "UTF-8", integer64 = "integer64", showProgress = FALSE,
    data.table = FALSE, ...
  ))
  as.list(data)
}

# What stands for doubled quotes are quotes again, and bytes that are not UTF-8 are Latin-1, with
# the quotes, dashes and letters that Windows has where Latin-1 has control characters.
csv_text <- function(text, piece) {
  if (piece$doubled) text <- gsub("\001", "\"", text, fixed = TRUE, useBytes = TRUE)
  text[text %in% c("", "NA")] <- NA
  fine <- validUTF8(text)
  Encoding(text) <- "UTF-8"
  if (all(fine)) return(text)
  windows <- iconv(text[!fine], "CP1252", "UTF-8")
  text[!fine] <- ifelse(is.na(windows), iconv(text[!fine], "latin1", "UTF-8"), windows)
  text
}

# R writes the number 100000 as 1e+05, which is the domain "100000" in memory. Nobody else calls one
# so.
csv_labels <- function(column) {
  written <- grep("^-?[0-9]([.][0-9]+)?e[-+][0-9]{2,3}$", column)
  replace(column, written, value_labels(as.double(column[written])))
}

# As fread() does. A column that is missing as a whole is logical.
guess_type <- function(column, decimal) {
  for (truth in list(c("TRUE", "FALSE"), c("True", "False"), c("true", "false"))) {
    if (all(column %in% c(truth, NA))) return(as.logical(column))
  }
  parsed <- read_numbers(column, decimal)
  numbers <- all(!is.na(parsed) | is.nan(parsed) | is.na(column))
  if (numbers && !any(abs(parsed) >= 2^53, na.rm = TRUE)) parsed else column
}

# Where most are numbers, dates or times, all must be.
read_most <- function(column, place, decimal) {
  given <- sum(!is.na(column))
  agree <- if (sum(!is.na(read_numbers(column, decimal))) > given / 2) {
    function() agree_number(column, place, decimal)
  } else if (sum(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", column)) > given / 2) {
    function() read_text(column, structure(numeric(), class = "Date"), place)
  } else if (sum(is_time(column)) > given / 2) {
    function() read_text(column, as_utc(numeric()), place)
  }
  if (is.null(agree)) return(column)
  on_error(agree(), function(e) {
    abort("data", sub("[.]$", "", conditionMessage(e)), "; if these are categories, declare them: ",
          "`levels = list(", place$name, " = ...)`.")
  })
}

# ---- from columns to fields -------------------------------------------------------------------

# As they are read again: text in quotes, numbers with all digits that they need, of which fwrite()
# gives 15. Beyond 2^53 what looks like a whole number is refused.
csv_fields <- function(column) {
  if (is.character(column)) return(in_quotes(column))
  if (!is.double(column) || is.object(column)) return(column)
  text <- number_labels(column)
  large <- which(is.finite(column) & abs(column) >= 2^53)
  text[large] <- sprintf("%.16e", column[large])
  text
}

in_quotes <- function(text) {
  ifelse(is.na(text), NA, paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\""))
}
