# Blocks agree on the types of their columns: a prototype, a data frame without rows, is made from
# what the spool knows of all rows, and each block that is read is brought into its form, or an
# error says which value, in which row of which table, does not fit.
#
# Types: numeric (integers too), logical, Date, POSIXct, difftime, factor, and character where the
# values are open.

# The prototype of a spooled source. A column of text is a factor with the levels that it has in all
# rows, but for columns that may have any values: free ones are text whatever they look like, open
# ones stay text where they are. columns: NULL for all.
source_prototype <- function(source, columns = NULL, free = character(), open = character()) {
  if (is.null(columns)) columns <- names(source$contents$types)
  absent <- setdiff(names(source$levels), if (length(source$levels)) source_names(source))
  if (length(absent)) {
    abort("argument", "`levels` must name columns of the source; it has no ", enumerate(absent),
          ".")
  }
  types <- lapply(stats::setNames(nm = columns), function(name) {
    type <- source$contents$types[[name]]
    values <- source$contents$values[[name]]
    if (name %in% free) character()
    else if (name %in% names(source$levels)) factor(character(), source$levels[[name]])
    else if (is.factor(type)) structure(integer(), levels = values, class = class(type))
    else if (is.character(type) && !name %in% open) factor(character(), text_levels(values))
    else type
  })
  frame_of_columns(types, 0L)
}

# Open text that names domains.
label_columns <- function(prototype, names) {
  prototype[names] <- rep(list(structure(character(), class = "dg_labels")), length(names))
  prototype
}

# The columns of the first table; asked once in a call, which keeps them as `names`.
source_names <- function(source) {
  if (!is.null(source$names)) return(source$names)
  table <- source$tables[[1L]]
  names <- at_table(table$label, table$columns())
  names <- names[!is_unnamed(names)]
  if (length(names) == 0L) abort("data", "The source has no columns.")
  names
}

empty_column <- function(column, name, label) {
  # what is in units might be in others in the next block
  if (is.na(column_type(column)) && !inherits(column, "integer64") || !is.null(dim(column)) ||
        inherits(column, "units")) {
    refuse_class(column, name, paste0("`", label, "`"))
  }
  if (inherits(column, "integer64")) return(numeric())
  column <- base_column(column)
  if (is.object(column)) without_missing_level(column)[0L]
  else if (is.numeric(column)) numeric() else as.vector(column)[0L]
}

# ---- a block ----------------------------------------------------------------------------------

# first: number of its first row in the table that messages call `label`.
agree_block <- function(block, prototype, label, first) {
  names <- names(prototype)
  check_columns(block, names, label)
  columns <- lapply(names, function(name) {
    agree_column(block[[name]], prototype[[name]], list(label = label, first = first, name = name))
  })
  frame_of_columns(stats::setNames(columns, names), nrow(block))
}

frame_of_columns <- function(columns, n) {
  structure(columns, class = "data.frame", row.names = .set_row_names(n))
}

agree_column <- function(column, like, place) {
  # an argument of a function is left as that knows it
  if (is.object(like) && identical(class(column), class(like)) && !is.factor(like) &&
        !inherits(like, c("Date", "POSIXct", "difftime"))) return(column)
  column <- base_column(column)
  if (!is_understood(column) || length(dim(column)) > 1L) {
    refuse_class(column, place$name, row_label(place$label, place$first))
  }
  if (is.factor(like)) {
    text <- value_labels(column)
    code <- match(text, levels(like))
    bad <- which(is.na(code) & !is.na(text))
    if (length(bad)) {
      all <- unique(c(levels(like), text[bad]))
      shown <- paste(quoted(utils::head(all, 10L)), collapse = ", ")
      if (length(all) > 10L) shown <- paste0(shown, ", ...")
      abort("data", row_label(place$label, place$first + bad[1L] - 1), ": `", place$name,
            "` has the level ", describe(text[bad][1L]), ", which is none of ",
            enumerate(levels(like), quote = "\""), "; declare all levels: `levels = list(",
            place$name, " = c(", shown, "))`.")
    }
    return(structure(code, levels = levels(like), class = class(like)))
  }
  if (is.character(like)) return(value_labels(column))
  if (is.numeric(like) && !is.object(like)) return(agree_number(column, place))
  if (all(is.na(column))) return(like[rep(NA_integer_, length(column))])
  if (is.character(column)) column <- read_text(column, like, place)
  same <- if (is.logical(like)) is.logical(column) else inherits(column, class(like)[1L])
  if (same && inherits(like, "difftime")) units(column) <- units(like)
  if (!same) {
    refuse(place, match(FALSE, is.na(column)), column, paste("be", type_words(like)))
  }
  if (inherits(like, "Date")) return(structure(as.numeric(column), class = "Date"))
  attributes(column) <- attributes(like)[c("class", "tzone", "units")]
  column
}

# Text as logical values, dates or times; of another type all must be missing.
read_text <- function(column, like, place) {
  value <- if (is.logical(like)) as.logical(column)
           else if (inherits(like, "Date")) {
    # as.Date() takes no notice of what stands behind the day
    day <- grepl("^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$", column, useBytes = TRUE)
    as.Date(ifelse(day, column, NA), "%Y-%m-%d")
  } else if (inherits(like, "POSIXct")) {
    plain <- sub("T", " ", sub("Z$", "", ifelse(is_time(column), column, NA)))
    as_utc(as.double(as.POSIXct(strptime(plain, "%Y-%m-%d %H:%M:%OS", tz = "UTC"))))
  }
  bad <- if (is.null(value)) !is.na(column) else is.na(value) & !is.na(column)
  if (any(bad)) refuse(place, which(bad)[1L], column, paste("be", type_words(like)))
  value
}

# Is a text a time as files have them, with or without T and Z: 2024-03-31T01:00:00.25Z, in UTC?
is_time <- function(text) {
  grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z?$", text)
}

as_utc <- function(seconds) structure(seconds, class = c("POSIXct", "POSIXt"), tzone = "UTC")

type_words <- function(like) {
  if (is.logical(like)) "TRUE or FALSE"
  else if (inherits(like, "Date")) "a date"
  else if (inherits(like, "POSIXct")) "a time"
  else paste("a time in", units(like))
}

# decimal: of numbers that are text.
agree_number <- function(column, place, decimal = ".") {
  if (inherits(column, "integer64")) {
    # its bits are those of integers, whatever R takes them for
    value <- from_integer64(column)
    return(check_exact(value, TRUE, format(value, digits = 15), place))
  }
  if (is.numeric(column) && !is.object(column)) return(as.double(column))
  if (all(is.na(column))) return(rep(NA_real_, length(column)))
  if (is.factor(column)) column <- as.character(column)
  if (!is.character(column)) {
    refuse(place, match(FALSE, is.na(column)), as.character(column), "be a number")
  }
  value <- read_numbers(column, decimal)
  bad <- is.na(value) & !is.nan(value) & !is.na(column)
  if (any(bad)) refuse(place, which(bad)[1L], column, "be a number")
  check_exact(value, grepl("^[-+]?[0-9]+$", trimws(column)), column, place)
}

# What text is a number: as.double() takes "1e", "1E-" and "0x1.8" for 1, 1 and 24. Of other text
# NA, of "NaN" NaN.
read_numbers <- function(text, decimal = ".") {
  digits <- "([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"
  words <- "[Ii]nf(inity)?|INF|[Nn]a[Nn]|NAN"
  plain <- trimws(if (decimal == ".") text else sub(decimal, ".", text, fixed = TRUE))
  fine <- grepl(paste0("^[-+]?(", digits, "|", words, ")$"), plain, useBytes = TRUE)
  if (decimal != ".") fine <- fine & !grepl(".", text, fixed = TRUE, useBytes = TRUE)
  value <- rep(NA_real_, length(text))
  value[fine] <- as.double(plain[fine])
  value
}

# Doubles have no more digits.
check_exact <- function(value, whole, shown, place) {
  large <- which(whole & abs(value) >= 2^53)
  if (length(large)) {
    refuse(place, large[1L], shown, "be below 2^53, beyond which whole numbers are not exact")
  }
  value
}

# ---- messages ---------------------------------------------------------------------------------

row_label <- function(label, row) paste0("`", label, "`, row ", in_full(row))

refuse_class <- function(column, name, where) {
  abort("data", where, ": `", name, "` must be ", role_words[["predictor"]], ", not ",
        describe(column), ".")
}

# at: which row of the block
refuse <- function(place, at, values, rule) {
  value <- values[[at]]
  abort("data", row_label(place$label, place$first + at - 1), ": `", place$name, "` must ", rule,
        ", not ", describe(if (is.object(value)) as.character(value) else value), ".")
}
