# Labels of domains, units and classes: text that only depends on the value, not on its storage, on
# options, the time zone of the session or other rows.

# text       unchanged, in UTF-8; for a factor its levels
# numbers    the shortest decimal that reads back exactly, whole ones in full: "100000", "0.1"
# dates      2024-03-31
# times      2024-03-31T01:00:00.25Z: UTC, with all of the fraction of a second
# durations  in seconds: "5400 secs"
value_labels <- function(value) {
  value <- labelled_value(value)
  class_of(value)$labels(value)
}

# Each of many equal numbers once.
labels_of_numbers <- function(value, label = number_labels) {
  number <- as.double(unclass(value))
  distinct <- unique(number)
  replace(label(distinct), is.na(distinct), NA)[match(number, distinct)]
}

# Refuses a class that is not understood: labels made of its numbers would say something else.
labelled_value <- function(value) {
  value <- base_column(value)
  if (is.object(value) && is.null(class_of(value))) {
    abort("data", "Labels of domains, units and classes cannot be made of ", describe(value), ".")
  }
  value
}

# Domains and units: a factor of the labels that occur. Their order does not depend on the class of
# the column, nor on the levels of a factor, for folds are dealt and random numbers are drawn in it.
as_groups <- function(value) {
  value <- labelled_value(value)
  if (!is.factor(value)) value <- value_labels(value) else levels(value) <- utf8_text(levels(value))
  factor(value, group_levels(as.character(unique(value))))
}

# By number where all labels are numbers, else by bytes.
group_levels <- function(labels) {
  labels <- unique(labels[!is.na(labels)])
  number <- suppressWarnings(as.numeric(labels))
  labels[if (anyNA(number)) order(labels, method = "radix")
         else order(number, labels, method = "radix")]
}

# Levels are made of text in the order of its bytes, which is the same in every locale.
text_levels <- function(text) sort(unique(text), method = "radix")

text_factor <- function(text) factor(text, text_levels(text))

# The columns of a matrix, or the entries of a vector, with these labels. R never finds the name "",
# so that labels are looked up by place.
at_labels <- function(x, labels) {
  if (is.matrix(x)) x[, match(labels, colnames(x)), drop = FALSE] else x[match(labels, names(x))]
}

# A column for each class. A class that the training domains lacked has probability 0, and the
# lowest decision value.
all_classes <- function(columns, levels, lacking) {
  full <- matrix(lacking, nrow(columns), length(levels), dimnames = list(NULL, levels))
  full[, match(colnames(columns), levels)] <- columns
  full
}

# Text that is not valid UTF-8 is read as Latin-1, as in files.
utf8_text <- function(text) {
  text <- enc2utf8(text)
  wrong <- !validUTF8(text)
  if (any(wrong)) text[wrong] <- iconv(text[wrong], "latin1", "UTF-8")
  text
}

# sprintf() does not depend on options. Beyond 64-bit integers and below 1e-15, with an exponent.
number_labels <- function(x) {
  text <- sprintf("%.15g", x)
  inexact <- which(is.finite(x))
  for (digits in c("%.16g", "%.17g")) {
    inexact <- inexact[as.double(text[inexact]) != x[inexact]]
    text[inexact] <- sprintf(digits, x[inexact])
  }
  whole <- which(x == trunc(x) & abs(x) < 2^63)
  # -0 is 0
  text[whole] <- sprintf("%.0f", x[whole] + 0)
  small <- grepl("e-", text, fixed = TRUE) & abs(x) >= 1e-15
  if (any(small)) {
    parts <- strsplit(text[small], "e-", fixed = TRUE)
    decimals <- vapply(parts, function(part) {
      nchar(gsub("[-.]", "", part[1L])) - 1L + as.integer(part[2L])
    }, 0L)
    text[small] <- sprintf(paste0("%.", decimals, "f"), x[small])
  }
  replace(text, is.na(x), NA)
}

day_labels <- function(days) format(structure(floor(days), class = "Date"), "%Y-%m-%d")

time_labels <- function(seconds) {
  whole <- floor(seconds)
  # seconds of this century leave seven digits for the fraction: the decimals of the number itself
  of <- ifelse(seconds < 0, seconds - whole, seconds)
  fraction <- sub("^[^.]*", "", number_labels(of))
  paste0(format(structure(whole, class = c("POSIXct", "POSIXt"), tzone = "UTC"),
                "%Y-%m-%dT%H:%M:%S"), fraction, "Z")
}

# If a date is a number elsewhere (in SQLite), or a time is written differently, training domains
# would be taken for new ones.
warn_other_labels <- function(new, seen) {
  kinds <- lapply(list(new, seen), label_kind)
  if (anyNA(kinds) || identical(kinds[[1L]], kinds[[2L]])) return(invisible())
  example <- function(labels) quoted(labels[!is.na(labels)][1L])
  warn("other_labels", "Domains are ", kinds[[1L]], " such as ", example(new), " but were ",
       kinds[[2L]], " such as ", example(seen), " in training, so all count as new. Convert the ",
       "domain column to the type that it had in training.")
}

# The common kind of these labels, NA for other text.
label_kind <- function(labels) {
  day <- "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
  kinds <- c("logical values" = "^(TRUE|FALSE)$", dates = paste0(day, "$"),
             times = paste0(day, "T.*Z$"), "times without a zone" = paste0(day, "[ T][0-9:.]+$"),
             durations = "^[-0-9.e]+ secs$", numbers = "^-?[0-9.]+(e[-+]?[0-9]+)?$")
  labels <- labels[!is.na(labels)]
  all_of <- vapply(kinds, function(kind) length(labels) > 0L && all(grepl(kind, labels)), NA)
  names(kinds)[all_of][1L]
}

# "km/h" of a column of package units.
unit_words <- function(column) {
  parts <- attr(column, "units")
  paste(c(paste(parts$numerator, collapse = "*"), parts$denominator), collapse = "/")
}

# The doubles nearest to 64-bit integers: beyond 2^53 other numbers.
from_integer64 <- function(column) {
  need_package("bit64", "A 64-bit integer")
  suppressWarnings(as.double(column))
}
