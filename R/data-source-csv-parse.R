# From whole rows of a CSV file to columns.

# piece: what csv_take_() gives; columns: which, in this order.
parse_csv <- function(piece, layout, columns, text, label) {
  which <- match(columns, layout$names)
  as_it_is <- which[columns %in% text]
  # a quote doubled inside quotes, and two that are not in quotes, look alike to fread(), and lines
  # of blanks are rows to it
  fast <- has_fread() && !(piece$doubled && piece$literal) && piece$blank == 0
  data <- (if (fast) parse_by_fread else parse_fields)(piece, layout, which, as_it_is)
  if (length(data) != length(columns) || any(lengths(data) != piece$rows)) {
    abort("data", "`", label, "`, rows ", in_full(piece$first), " to ",
          in_full(piece$first + piece$rows - 1), ", cannot be read as ",
          plural(piece$rows, "row"), " of ", plural(length(layout$names), "field"), ".")
  }
  data <- Map(function(column, name) {
    if (!is.character(column)) return(column)
    column <- clean_text(column, fast && piece$doubled)
    if (name %in% text[names(text) == "label"]) csv_labels(column)
    else if (name %in% text) column
    else read_most(column, list(label = label, first = piece$first, name = name))
  }, data, columns)
  plain_frame(stats::setNames(data, columns), piece$rows)
}

has_fread <- function() requireNamespace("data.table", quietly = TRUE)

clean_text <- function(column, doubled) {
  if (doubled) column <- gsub("\"\"", "\"", column, fixed = TRUE, useBytes = TRUE)
  column[column %in% c("", "NA")] <- NA
  as_utf8(column)
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
read_most <- function(column, place) {
  given <- sum(!is.na(column))
  agree <- if (sum(!is.na(suppressWarnings(as.double(column)))) > given / 2) {
    function() agree_number(column, place)
  } else if (sum(is_date(column)) > given / 2) {
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

is_date <- function(text) grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", text)

# fread() would read dates and times, and type.convert() would not.
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

parse_fields <- function(piece, layout, which, text) {
  data <- csv_fields_(piece$text, layout$separator, length(layout$names), piece$rows, which)
  open <- !which %in% text
  data[open] <- lapply(data[open], guess_type, layout$decimal)
  data
}

# As fread() does. A column that is missing as a whole is logical.
guess_type <- function(column, decimal) {
  for (truth in list(c("TRUE", "FALSE"), c("True", "False"), c("true", "false"))) {
    if (all(column %in% c(truth, NA))) return(as.logical(column))
  }
  found <- utils::type.convert(column, as.is = TRUE, dec = decimal)
  large <- is.double(found) && any(abs(found) >= 2^53, na.rm = TRUE)
  if (large || !is.numeric(found)) column else found
}
