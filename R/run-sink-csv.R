# Rows as bytes of a CSV file: text in quotes, numbers with as many digits as it takes to read the
# same number again, NA where a value is missing.

csv_line <- function(text) {
  charToRaw(paste0(paste(csv_text(text), collapse = ","), "\n"))
}

# columns: a list, of one length.
csv_lines <- function(columns) {
  if (length(columns[[1L]]) == 0L) return(raw())
  fields <- lapply(unname(columns), csv_field)
  text <- paste0(do.call(paste, c(fields, sep = ",")), "\n", collapse = "")
  charToRaw(text)
}

csv_field <- function(column) {
  if (is.factor(column) || is.character(column)) return(csv_text(as.character(column)))
  if (is.logical(column)) return(ifelse(is.na(column), "NA", ifelse(column, "TRUE", "FALSE")))
  if (inherits(column, "Date")) return(ifelse(is.na(column), "NA", format(column)))
  if (inherits(column, "POSIXct")) {
    # universal time, as readers take it
    text <- format(column, "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")
    return(ifelse(is.na(column), "NA", sub("[.]000000Z$", "Z", text)))
  }
  exact_text(as.numeric(column))
}

csv_text <- function(text) {
  quoted <- paste0("\"", gsub("\"", "\"\"", enc2utf8(text), fixed = TRUE), "\"")
  quoted[is.na(text)] <- "NA"
  quoted
}

exact_text <- function(value) {
  text <- sprintf("%.15g", value)
  text[is.na(value)] <- "NaN"
  short <- which(as.numeric(text) != value)
  text[short] <- sprintf("%.17g", value[short])
  text[is.na(value) & !is.nan(value)] <- "NA"
  text
}
