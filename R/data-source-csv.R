# CSV files are read as bytes, in pieces that are cut where a row ends (src/csv-rows.cpp), and each
# piece is parsed as a text of its own. So the number of fields of each row is known, and nothing
# that a parser leaves out goes unnoticed. In this file: the methods of the partition, the first
# line, the bytes, and from whole rows to columns.

#' @exportS3Method
partition_columns.partition_csv <- function(partition) {
  pieces <- csv_pieces(partition)
  on.exit(pieces$close())
  pieces$layout$names
}

#' @exportS3Method
describe_partition.partition_csv <- function(partition) {
  pieces <- on_error(csv_pieces(partition), function(e) NULL)
  if (is.null(pieces)) return("")
  on.exit(pieces$close())
  paste0(", separated by ", switch(pieces$layout$separator, "," = "commas", ";" = "semicolons",
                                   "tabs"),
         if (pieces$layout$decimal == ",") ", decimal commas")
}

#' @exportS3Method
partition_count.partition_csv <- function(partition) {
  pieces <- csv_pieces(partition)
  on.exit(pieces$close())
  total <- 0
  while (!is.null(piece <- pieces$read(text = FALSE))) total <- total + piece$rows
  total
}

#' @exportS3Method
partition_parses.partition_csv <- function(partition) TRUE

#' @exportS3Method
partition_open.partition_csv <- function(partition, columns = NULL, text = character()) {
  pieces <- csv_pieces(partition)
  layout <- pieces$layout
  if (is.null(columns)) columns <- layout$names[!is_unnamed(layout$names)]
  or_close(check_named(layout$names, columns, partition$label), pieces$close)
  readers_in_turn(function() {
    piece <- pieces$read()
    if (is.null(piece)) return(NULL)
    data <- parse_csv(piece, layout, columns, text, partition$label)
    frame_reader(data, NULL, character(), partition$label)
  }, pieces$close)
}

# list(layout: list(names, separator, decimal); read = function(text): the next rows,
# list(text, rows, first, ...) or NULL; close)
csv_pieces <- function(partition) {
  label <- partition$label
  stream <- csv_stream(partition)
  layout <- or_close(csv_layout(stream, label), stream$close)
  done <- 0
  fields <- length(layout$names)
  list(layout = layout, read = function(text = TRUE) {
    repeat {
      piece <- csv_take_(stream$buffer, layout$separator, fields, stream$ended(), text, Inf)
      if (piece$problem > 0) {
        abort("data", row_label(label, done + piece$rows + 1), ": ", csv_problem(piece, fields),
              ".")
      }
      if (piece$rows > 0 || stream$ended()) break
      # a quote that is not closed takes all that follows into its row
      held <- if (piece$bytes == 0) csv_add_(stream$buffer, raw()) else 0
      if (held > 2 * stream$size) {
        abort("data", row_label(label, done + 1), ": does not end within ", in_full(held),
              " bytes; is a quote not closed?")
      }
      stream$more()
    }
    if (piece$rows == 0) return(NULL)
    piece$first <- done + 1
    done <<- done + piece$rows
    piece
  }, close = stream$close)
}

csv_problem <- function(piece, fields) {
  switch(c("fields", "open_quote", "after_quote", "zero_byte")[piece$problem],
    fields = paste0("has ", plural(piece$fields, "field"), ", and the first line of the file ",
                    in_full(fields)),
    open_quote = "has a quote that is not closed before the file ends",
    after_quote = "has text behind a closing quote; quotes inside a quoted field must be doubled",
    zero_byte = "has a zero byte, as UTF-16 has and files that are no text"
  )
}

# ---- the first line ---------------------------------------------------------------------------

# Takes the first line from the stream.
csv_layout <- function(stream, label) {
  stream$more()
  mark <- as.integer(csv_head_(stream$buffer, 3))
  if (identical(mark, c(0xefL, 0xbbL, 0xbfL))) csv_skip_(stream$buffer, 3L)
  if (length(mark) > 1L && setequal(mark[1:2], 254:255)) {
    abort("data", "`", label, "` is UTF-16; it must be UTF-8 or Latin-1.")
  }
  head <- csv_head_(stream$buffer, 2^16)
  if (!as.raw(10) %in% head) head <- csv_head_(stream$buffer, Inf)
  separator <- csv_separator(head)
  repeat {
    line <- csv_take_(stream$buffer, separator, 0L, TRUE, TRUE, 1)
    if (line$problem > 0) {
      abort("data", "`", label, "`: the first line, which must have the names of the columns, ",
            csv_problem(line, 0), ".")
    }
    if (line$bytes == 0) {
      abort("data", "`", label, "` is empty: a first line with the names of columns is needed.")
    }
    if (line$rows > 0) break
  }
  if (grepl("\r[^\r\n]", line$text, useBytes = TRUE)) {
    abort("data", "`", label, "` must end its lines by line feeds (\\n or \\r\\n), not by \\r ",
          "alone.")
  }
  names <- as_utf8(unlist(csv_fields_(line$text, separator, as.integer(line$fields), 1L,
                                      seq_len(line$fields))))
  list(names = replace(names, is.na(names), ""), separator = separator,
       decimal = csv_decimal(head, separator))
}

# The one that gives the first line the most fields.
csv_separator <- function(head) {
  fields <- vapply(c(",", "\t", ";"), function(separator) {
    buffer <- csv_bytes_()
    csv_add_(buffer, head)
    csv_take_(buffer, separator, 0L, TRUE, FALSE, 1)$fields
  }, 0)
  names(fields)[which.max(fields)]
}

# Where semicolons separate, commas may stand in numbers.
csv_decimal <- function(head, separator) {
  if (separator != ";" || as.raw(0) %in% head) return(".")
  text <- gsub("\"[^\"]*\"", "", rawToChar(head), useBytes = TRUE)
  fields <- strsplit(text, "[;\r\n]+", useBytes = TRUE)[[1L]]
  numbers <- function(point) {
    any(grepl(paste0("^ *[-+]?[0-9]*[", point, "][0-9]+([eE][-+]?[0-9]+)? *$"), fields,
              useBytes = TRUE))
  }
  if (numbers(",") && !numbers(".")) "," else "."
}

# ---- the bytes, compressed or not, piece by piece ---------------------------------------------

csv_bytes <- 2^22

# The bytes of a file, compressed or not: list(buffer, size: of a piece, more = function(): the next
# piece is added, ended = function(), close).
csv_stream <- function(partition) {
  path <- partition$path
  size <- if (is.null(partition$bytes)) csv_bytes else partition$bytes
  safely <- function(code) read_bytes(code, partition$label)
  zipped <- identical(safely(readBin(path, "raw", 2L)), as.raw(c(0x1f, 0x8b)))
  connection <- if (zipped) safely(gzfile(path, "rb"))
  buffer <- csv_bytes_()
  total <- 0
  ended <- FALSE
  add <- function() {
    if (!zipped) return(csv_add_file_(buffer, path, total, size))
    found <- safely(readBin(connection, "raw", size))
    csv_add_(buffer, found)
    length(found)
  }
  list(buffer = buffer, size = size, ended = function() ended, more = function() {
    found <- add()
    if (found < 0) abort("data", "`", partition$label, "` cannot be read.")
    total <<- total + found
    ended <<- found < size
    if (ended && zipped) check_gzip(path, total, partition$label)
  }, close = function() if (zipped) close(connection))
}

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

# piece: what csv_take_() gives; columns: which, in this order.
parse_csv <- function(piece, layout, columns, text, label) {
  which <- match(columns, layout$names)
  as_it_is <- which[columns %in% text]
  # a quote doubled inside quotes, and two that are not in quotes, look alike to fread(), and lines
  # of blanks are rows to it
  fast <- has_fread() && !(piece$doubled && piece$literal) && piece$blank == 0 &&
    !has_number_words(piece$text)
  data <- if (fast) parse_by_fread(piece, layout, which, as_it_is) else {
    csv_fields_(piece$text, layout$separator, length(layout$names), piece$rows, which)
  }
  if (length(data) != length(columns) || any(lengths(data) != piece$rows)) {
    abort("data", "`", label, "`, rows ", in_full(piece$first), " to ",
          in_full(piece$first + piece$rows - 1), ", cannot be read as ",
          plural(piece$rows, "row"), " of ", plural(length(layout$names), "field"), ".")
  }
  if (!fast) {
    open <- !which %in% as_it_is
    data[open] <- lapply(data[open], guess_type, layout$decimal)
  }
  data <- Map(function(column, name) {
    if (!is.character(column)) return(column)
    if (fast && piece$doubled) {
      column <- gsub("\"\"", "\"", column, fixed = TRUE, useBytes = TRUE)
    }
    column[column %in% c("", "NA")] <- NA
    column <- as_utf8(column)
    if (name %in% text[names(text) == "label"]) csv_labels(column)
    else if (name %in% text) column
    else read_most(column, list(label = label, first = piece$first, name = name), layout$decimal)
  }, data, columns)
  plain_frame(stats::setNames(data, columns), piece$rows)
}

has_fread <- function() requireNamespace("data.table", quietly = TRUE)

# What spreadsheets and C write in the place of a number, which fread() takes for one, or for
# missing.
has_number_words <- function(text) {
  grepl("#", text, fixed = TRUE, useBytes = TRUE) &&
    grepl("#(N/A|DIV/0!|VALUE!|NULL!|NAME[?]|NUM!|REF!|[SQ]?NAN|IND|INF)", text, perl = TRUE,
          useBytes = TRUE)
}

as_utf8 <- function(text) {
  fine <- validUTF8(text)
  Encoding(text) <- "UTF-8"
  if (!all(fine)) text[!fine] <- iconv(text[!fine], "latin1", "UTF-8")
  text
}

# R writes the number 100000 as 1e+05, which is the domain "100000" in memory. Nobody else calls one
# so.
csv_labels <- function(column) {
  written <- grep("^-?[0-9]([.][0-9]+)?e[-+][0-9]{2,3}$", column)
  replace(column, written, value_labels(as.double(column[written])))
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

# fread() would read dates and times.
parse_by_fread <- function(piece, layout, which, text) {
  old <- options(datatable.old.fread.datetime.character = TRUE)
  on.exit(options(old))
  data <- suppressWarnings(data.table::fread(
    text = piece$text, sep = layout$separator, dec = layout$decimal, header = FALSE, select = which,
    colClasses = if (length(text)) list(character = text), na.strings = c("", "NA"),
    encoding = "UTF-8", integer64 = "integer64",
    showProgress = FALSE, data.table = FALSE
  ))
  unclass(data)[paste0("V", which)]
}

# As fread() does. A column that is missing as a whole is logical.
guess_type <- function(column, decimal) {
  for (truth in list(c("TRUE", "FALSE"), c("True", "False"), c("true", "false"))) {
    if (all(column %in% c(truth, NA))) return(as.logical(column))
  }
  found <- read_numbers(column, decimal)
  numbers <- all(!is.na(found) | is.nan(found) | is.na(column))
  if (numbers && !any(abs(found) >= 2^53, na.rm = TRUE)) found else column
}
