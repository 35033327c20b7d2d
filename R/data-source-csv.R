# CSV files are read as bytes, in pieces that are cut where a row ends (src/csv-rows.cpp), and each
# piece is parsed as a text of its own. So the number of fields of each row is known, and nothing
# that a parser leaves out goes unnoticed.

#' @exportS3Method
partition_key.partition_csv <- function(partition) file_key(partition$path)

#' @exportS3Method
partition_identity.partition_csv <- function(partition) partition$path

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
partition_open.partition_csv <- function(partition, columns = NULL, text = character()) {
  pieces <- csv_pieces(partition)
  layout <- pieces$layout
  if (is.null(columns)) columns <- layout$names[!is_unnamed(layout$names)]
  on_error(check_columns(stats::setNames(as.list(layout$names), layout$names), columns,
                         partition$label), function(e) {
    pieces$close()
    stop(e)
  })
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
  layout <- on_error(csv_layout(stream, label), function(e) {
    stream$close()
    stop(e)
  })
  done <- 0
  list(layout = layout, read = function(text = TRUE) {
    repeat {
      piece <- csv_take_(stream$buffer, layout$separator, length(layout$names), stream$ended(),
                         text, Inf)
      if (piece$problem > 0) refuse_row(piece, label, done, length(layout$names))
      if (piece$rows > 0 || stream$ended()) break
      if (piece$bytes == 0) check_row_size(stream, label, done)
      stream$more()
    }
    if (piece$rows == 0) return(NULL)
    piece$first <- done + 1
    done <<- done + piece$rows
    piece
  }, close = stream$close)
}

# A quote that is not closed takes all that follows into its row.
check_row_size <- function(stream, label, done) {
  held <- csv_add_(stream$buffer, raw())
  if (held > 2 * stream$size) {
    abort("data", row_label(label, done + 1), ": does not end within ", in_full(held),
          " bytes; is a quote not closed?")
  }
}

refuse_row <- function(piece, label, done, fields) {
  abort("data", row_label(label, done + piece$rows + 1), ": ", csv_problem(piece, fields), ".")
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
  skip_mark(stream, label)
  head <- csv_head_(stream$buffer, 2^16)
  if (!as.raw(10) %in% head) head <- csv_head_(stream$buffer, Inf)
  separator <- csv_separator(head, label)
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
  list(names = split_line(line, separator), separator = separator,
       decimal = csv_decimal(head, separator))
}

skip_mark <- function(stream, label) {
  mark <- as.integer(csv_head_(stream$buffer, 3))
  if (identical(mark, c(0xefL, 0xbbL, 0xbfL))) csv_skip_(stream$buffer, 3L)
  if (length(mark) > 1L && setequal(mark[1:2], 254:255)) {
    abort("data", "`", label, "` is UTF-16; it must be UTF-8 or Latin-1.")
  }
}

# The one that gives the first line the most fields.
csv_separator <- function(head, label) {
  fields <- vapply(c(",", "\t", ";"), function(separator) {
    buffer <- csv_bytes_()
    csv_add_(buffer, head)
    csv_take_(buffer, separator, 0L, TRUE, FALSE, 1)$fields
  }, 0)
  names(fields)[which.max(fields)]
}

split_line <- function(line, separator) {
  names <- as_utf8(unlist(csv_fields_(line$text, separator, as.integer(line$fields), 1L,
                                      seq_len(line$fields))))
  replace(names, is.na(names), "")
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
