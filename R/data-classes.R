# The classes of columns that the package understands. What a column says may be in its class rather
# than in its numbers (a period of lubridate has its hours in a slot, a month of zoo is a year with
# decimals, a code of SPSS is no value): a column of any other class is an error that names column
# and class, wherever it is used. All that a class means is said in this table; who wants to know
# asks it by the functions below.

# ---- single classes ---------------------------------------------------------------------------

# The values with this class and no more attributes than those named, and the form of a matrix.
with_class <- function(column, class, kept = NULL) {
  attributes(column) <- attributes(column)[c("dim", "dimnames", kept)]
  oldClass(column) <- class
  column
}

without_silent <- function(column) {
  classes <- oldClass(column)
  if (any(classes %in% silent_classes)) {
    classes <- setdiff(classes, silent_classes)
    oldClass(column) <- if (length(classes)) classes
  }
  column
}

# A level that is NA hides missing values from is.na().
without_missing_level <- function(value) {
  if (is.factor(value) && anyNA(levels(value))) droplevels(value, exclude = NA) else value
}

# A bit64 column as doubles, if these are the same numbers.
exact_integer64 <- function(column) {
  value <- from_integer64(column)
  if (any(abs(value) >= 2^53, na.rm = TRUE)) return(column)
  if (!is.null(dim(column))) value <- array(value, dim(column), dimnames(column))
  value
}

# Codes that were declared as missing, one by one or by a range.
without_missing_codes <- function(column) {
  codes <- attr(column, "na_values")
  range <- attr(column, "na_range")
  value <- unclass(column)
  gone <- value %in% codes
  if (length(range) == 2L) gone <- gone | !is.na(value) & value >= range[1L] & value <= range[2L]
  if (!any(gone)) return(column)
  value[gone] <- NA
  attributes(value) <- attributes(column)
  value
}

# ---- the table --------------------------------------------------------------------------------

# A row of the table.
#   classes   all that class() may have; character() of vectors without a class
#   storage   what typeof() may be
#   roles     what such a column may be: "predictor", "response", "group" (a domain or a unit),
#             "weights", "offset"
#   type      column: what new data must have too, as messages say it
#   labels    base column: text that depends on the value only, see value_labels()
#   clean     column: NA where the class says that a value is missing, stored as R's own functions
#             understand it. Done to all columns as they come in
#   base      clean column: without what only its own package knows. Done where it is a variable of
#             its own, not an argument of a function that the user wrote
#   wide      may it be a matrix?
#   mark      is one of the classes enough, whatever stands beside it?
column_class <- function(classes, storage, roles, type,
                         labels = function(value) labels_of_numbers(value), clean = identity,
                         base = identity, wide = FALSE, mark = FALSE) {
  list(classes = classes, storage = storage, roles = roles, type = type, labels = labels,
       clean = clean, base = base, wide = wide, mark = mark)
}

all_roles <- c("predictor", "response", "group", "weights", "offset")

named_type <- function(type) function(column) type

stored_type <- function(column) if (is.character(column)) "categorical" else number_type(column)

number_type <- function(column) {
  if (NCOL(column) == 1L) "numeric"
  else paste("a numeric matrix of", plural(ncol(column), "column"))
}

column_classes <- list(
  number = column_class(character(), c("double", "integer"), all_roles, number_type, wide = TRUE),
  logical = column_class(character(), "logical", c("predictor", "response", "group"),
                         named_type("logical"), as.character),
  text = column_class(character(), "character", c("predictor", "response", "group"),
                      named_type("categorical"), function(value) utf8_text(as.vector(value))),
  complex = column_class(character(), "complex", "group", named_type("complex"),
                         function(value) {
                           text <- paste0(number_labels(Re(value)), " + ",
                                          number_labels(Im(value)), "i")
                           replace(text, is.na(value), NA)
                         }),
  factor = column_class(c("ordered", "factor"), "integer", c("predictor", "response", "group"),
                        named_type("categorical"),
                        function(value) utf8_text(levels(value))[value],
                        clean = without_missing_level),
  date = column_class(c("IDate", "Date"), c("double", "integer"), c("predictor", "group"),
                      named_type("Date"), function(value) labels_of_numbers(value, day_labels),
                      base = function(column) with_class(column, "Date")),
  time = column_class(c("POSIXct", "POSIXt"), c("double", "integer"), c("predictor", "group"),
                      named_type("POSIXct"), function(value) labels_of_numbers(value, time_labels)),
  # a list, of which R's own functions take rows by names
  broken_time = column_class(c("POSIXlt", "POSIXt"), "list", c("predictor", "group"),
                             named_type("POSIXct"), clean = as.POSIXct),
  duration = column_class(c("hms", "difftime"), c("double", "integer"), c("predictor", "group"),
                          function(column) paste("a time in", units(column)),
                          # the same duration in hours and in minutes differs by rounding
                          function(value) {
                            labels_of_numbers(as.double(value, units = "secs"), function(x) {
                              paste(number_labels(signif(x, 15)), "secs")
                            })
                          },
                          base = function(column) with_class(column, "difftime", "units")),
  units = column_class("units", c("double", "integer"),
                       c("predictor", "response", "group", "offset"),
                       function(column) paste("a number in", unit_words(column)),
                       function(value) {
                         labels_of_numbers(value, function(x) {
                           paste(number_labels(x), unit_words(value))
                         })
                       }, wide = TRUE),
  # of package bit64, which keeps them in the bits of doubles
  # Those that are exact come in as doubles.
  integer64 = column_class("integer64", "double", "group", named_type("64-bit integers"),
                           function(value) {
                             need_package("bit64", "A 64-bit integer")
                             as.character(value)
                           }, clean = exact_integer64),
  # of haven and labelled: numbers or text with labels, of SPSS some of which stand for missing
  labelled = column_class(c("haven_labelled_spss", "labelled_spss", "haven_labelled",
                            "vctrs_vctr"), c("double", "integer", "character"), all_roles,
                          stored_type, function(value) value_labels(with_class(value, NULL)),
                          clean = without_missing_codes,
                          base = function(column) with_class(column, NULL)),
  series = column_class("ts", c("double", "integer"), all_roles, number_type,
                        base = function(column) with_class(column, NULL)),
  # what poly(), splines::ns() and their like make
  basis = column_class(c("poly", "basis"), c("double", "integer"), "predictor", number_type,
                       wide = TRUE, mark = TRUE),
  survival = column_class("Surv", "double", "response", named_type("censored times"), wide = TRUE),
  censored = column_class("dg_times", "complex", "response", named_type("censored times"))
)

# Classes that say nothing of the values: how they are printed or were protected, that they have a
# label, were counted or are text of a source, and the names of R's own types.
silent_classes <- c("AsIs", "labelled", "hexmode", "octmode", "noquote", "table", "dg_labels",
                    "numeric", "double", "integer", "logical", "character", "matrix", "array")

# The row of the table, NULL for a class that is not in it.
class_of <- function(column) {
  if (!is.object(column)) return(storage_classes[[typeof(column)]])
  if (isS4(column)) return(NULL)
  classes <- setdiff(oldClass(column), silent_classes)
  if (length(classes) == 0L) return(storage_classes[[typeof(column)]])
  for (row in column_classes) {
    fits <- classes %in% row$classes
    if ((if (row$mark) any(fits) else all(fits)) && typeof(column) %in% row$storage) return(row)
  }
}

# The rows for columns without a class, by storage.
storage_classes <- list(
  double = column_classes$number, integer = column_classes$number,
  logical = column_classes$logical, character = column_classes$text,
  complex = column_classes$complex
)

# May it be a vector, or a matrix, in this role?
is_understood <- function(column, role = NULL) {
  row <- class_of(column)
  if (is.null(row) || !is.null(role) && !role %in% row$roles) return(FALSE)
  row$wide || length(dim(column)) < 2L || length(dim(column)) == 2L && ncol(column) == 1L
}

# NA for what cannot be a predictor.
column_type <- function(column) {
  if (is_understood(column, "predictor")) class_of(column)$type(column) else NA_character_
}

is_bare_number <- function(column) {
  is.numeric(column) && !is.object(column) && is.null(dim(column))
}

# As it comes in; what is not understood is left as it is, for the rows of a column that nobody asks
# for are nobody's concern.
clean_column <- function(column) {
  if (length(dim(column)) == 1L) dim(column) <- NULL
  if (!is.object(column)) return(column)
  row <- class_of(column)
  if (is.null(row)) column else row$clean(column)
}

clean_columns <- function(data) {
  odd <- which(vapply(data, function(column) is.object(column) || length(dim(column)) == 1L, NA))
  for (j in odd) data[[j]] <- clean_column(data[[j]])
  data
}

# As a variable of its own.
base_column <- function(column) {
  if (!is.object(column)) return(clean_column(column))
  row <- class_of(column)
  if (is.null(row)) column else without_silent(row$base(row$clean(column)))
}

# A missing value as the class has it; of a matrix, a row with one.
is_absent <- function(column, n = NROW(column)) {
  if (!is.object(column) || !is.null(class_of(column))) {
    gone <- is.na(unclass(clean_column(column)))
  } else {
    gone <- on_error(is.na(column), function(e) logical())
  }
  if (length(dim(gone)) == 2L) gone <- rowSums(gone) > 0
  if (length(gone) == n) as.vector(gone) else logical(n)
}

# Some rows of a column: where a class has no method for that, `[` forgets it. That of factors moves
# their contrasts to the front, and recipes compares attributes in their order.
class_rows <- function(column, at) {
  part <- if (length(dim(column)) == 2L) column[at, , drop = FALSE] else column[at]
  if (!is.object(part)) oldClass(part) <- oldClass(column)
  if (is.factor(part)) {
    order <- order(match(names(attributes(part)), names(attributes(column))))
    attributes(part) <- attributes(part)[order]
  }
  part
}

# Rows that miss nothing in any of the columns.
complete_rows <- function(columns, n) {
  # complete.cases() does not know the classes, nor raw values
  plain <- vapply(columns, function(column) !is.object(column) && typeof(column) != "raw" &&
                    is.atomic(column), NA)
  complete <- if (any(plain)) stats::complete.cases(columns[plain]) else rep(TRUE, n)
  for (column in columns[!plain]) complete <- complete & !is_absent(column, n)
  complete
}

# ---- the door ---------------------------------------------------------------------------------

role_words <- c(
  predictor = "numeric, logical, categorical or a date",
  response = "numeric, a factor, logical or character",
  group = "a vector of labels: text, a factor, numbers, logical values or dates",
  weights = "non-negative finite numbers",
  offset = "a number for each row"
)

check_vector_class <- function(value, role, label) {
  value <- clean_column(single_column(value))
  # there may be none; how many columns there may be is checked by the reader
  several <- is.data.frame(value) && role == "response" ||
    length(dim(value)) == 2L && !is.object(value)
  if (!is.null(value) && !several) check_understood(value, role, label)
}

# label: what messages call it.
check_understood <- function(column, role, label) {
  if (is_understood(column, role)) return(invisible())
  abort("data", label, " must be ", role_words[[role]], ", not ", describe(column),
        if (inherits(column, "integer64")) {
          ": 64-bit integers beyond 2^53 are not exact as numbers; make such of them, as.numeric()"
        } else if (is.object(column) && is.null(class_of(column))) {
          ", whose values are not understood; convert it first"
        }, ".")
}
