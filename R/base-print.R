# Printing on the console: lines and tables within its width, and numbers with its digits. All print
# methods use these.

# Lines, pasted as by paste0(), separated by "\n"; one that is too wide continues in the next,
# indented by `hang` characters (by default two more than the line).
cat_line <- function(..., hang = NULL) {
  text <- without_exponents(readable(paste0(...)))
  if (length(text) == 0L) return(invisible())
  lines <- unlist(strsplit(paste0(text, "\n"), "\n", fixed = TRUE))
  cat(paste0(unlist(lapply(lines, wrap_line, hang)), "\n"), sep = "")
}

wrap_line <- function(line, hang = NULL, width = getOption("width")) {
  wide <- function(text) nchar(text, "width")
  if (wide(line) <= width) return(line)
  if (is.null(hang)) hang <- wide(sub("[^ ].*", "", line)) + 2L
  hang <- min(hang, width %/% 2L)
  first <- line_break(line, width)
  rest <- sub("^ +", "", substring(line, first + 1L))
  c(sub(" +$", "", substr(line, 1L, first)),
    if (nzchar(rest)) wrap_line(paste0(strrep(" ", hang), rest), hang, width))
}

# Number of characters before the line break: the last space after a word, else as many as fit.
line_break <- function(line, width) {
  fits <- nchar(strtrim(line, width))
  spaces <- gregexpr(" ", substr(line, 1L, fits + 1L), fixed = TRUE)[[1L]]
  spaces <- spaces[spaces > regexpr("[^ ]", line)]
  if (length(spaces)) max(spaces) else fits
}

# A line of a print, "  kernel         ...", whose text continues in its own column.
cat_field <- function(name, ..., column = 17L) {
  cat_line(formatC(paste0("  ", name), width = -column), paste0(...), hang = column)
}

# What a fit says of itself, once for print(), summary(), tidy() and glance(): see describe_fit().
# value: text; one number, also a column of glance(); numbers with names or a data frame, which
# stand below a heading; character(): a heading alone; NULL: no fact. `...`: text behind it. how:
# how the value was found; summary() always says it, print() of numbers that were not "given". only:
# "print" or "summary", if the other leaves the fact out. columns: further numbers for glance().
fact <- function(name, value, ..., how = NULL, digits = 4L, only = c("print", "summary"),
                 columns = NULL) {
  if (is.null(value)) return(NULL)
  block <- length(value) != 1L || length(dim(value)) > 0L || !is.null(names(value))
  if (is.numeric(value) && !block) {
    columns <- c(stats::setNames(list(value), gsub(" ", "_", name)), columns)
  }
  list(name = name, value = value, after = paste0(...), how = how, digits = digits, only = only,
       block = block, columns = columns)
}

fact_words <- function(fact) {
  value <- fact$value
  paste0(if (is.numeric(value)) format(rounded(value, fact$digits)) else value, fact$after)
}

# whole: for summary()?
cat_facts <- function(facts, whole = FALSE) {
  said <- function(fact) (if (whole) "summary" else "print") %in% fact$only
  facts <- Filter(said, Filter(length, facts))
  fields <- unlist(lapply(facts, function(fact) if (!fact$block) fact$name))
  most <- getOption("width") %/% 2L - 3L
  column <- max(17L, pmin(nchar(fields, "width"), most) + 3L)
  for (fact in facts) {
    if (fact$block) cat_block(fact) else {
      tell <- !is.null(fact$how) && (whole || is.numeric(fact$value) && fact$how != "given")
      cat_field(shorten(fact$name, most), fact_words(fact),
                if (tell) paste0(" (", fact$how, ")"), column = column)
    }
  }
}

cat_block <- function(fact) {
  value <- fact$value
  more <- if (is.data.frame(value)) nrow(value) - 15L else 0L
  cat_line("\n", fact$name, if (more > 0L) ", the 15 largest")
  if (!is.data.frame(value)) {
    return(if (length(value)) cat_numbers(rounded(value, fact$digits)))
  }
  numeric <- vapply(value, is.numeric, NA)
  if (more > 0L) value <- value[utils::head(order(-abs(value[[which(numeric)[1L]]])), 15L), ]
  # with standard errors
  exact <- intersect(c("estimate", "se"), if (!is.null(value$se)) names(value))
  value[exact] <- lapply(value[exact], error_cells, value$se)
  value[] <- lapply(value, four_digits)
  names(value)[names(value) == "se"] <- "std. error"
  cat_table(value, text = names(value)[!numeric])
  if (more > 0L) cat_line("  and ", more, " more in `tidy()`")
}

# Each number has its own digits.
four_digits <- function(values) {
  if (!is.numeric(values)) return(values)
  vapply(values, function(v) format(rounded(v, 4L)), "")
}

# A data frame without row names. Columns that do not fit go below, after the first column again,
# which has at most half of the width; a cell that still does not fit is shortened in its middle.
# Text is left-aligned; in the last column it continues below.
cat_table <- function(frame, digits = NULL, text = NULL) {
  if (nrow(frame) == 0L) return(invisible())
  left <- if (is.null(text)) !vapply(frame, is.numeric, NA) else names(frame) %in% text
  width <- getOption("width")
  cells <- without_exponents(format.data.frame(frame, digits = digits, na.encode = FALSE))
  cells <- as.matrix(cells)
  cells[is.na(cells)] <- "NA"
  if (any(grepl("[^ ]", names(frame)))) cells <- rbind(names(frame), cells)
  cells[] <- trimws(one_line(cells), whitespace = " ")
  if (left[ncol(cells)]) cells <- wrap_last(cells, width)
  cells[, 1L] <- shorten(cells[, 1L], if (ncol(cells) == 1L) width - 1L else (width - 2L) %/% 2L)
  cells[, -1L] <- shorten(cells[, -1L], width - 2L - widest_cell(cells[, 1L]))
  widths <- apply(cells, 2L, widest_cell)
  blocks <- table_blocks(widths, width)
  cells <- vapply(seq_along(frame), function(j) {
    space <- strrep(" ", widths[j] - nchar(cells[, j], "width"))
    if (left[j]) paste0(cells[, j], space) else paste0(space, cells[, j])
  }, cells[, 1L])
  for (block in blocks) {
    if (block[1L] != blocks[[1L]][1L]) cat("\n")
    columns <- lapply(unique(c(1L, block)), function(j) cells[, j])
    cat(paste0(sub(" +$", "", do.call(paste, c("", columns))), "\n"), sep = "")
  }
}

# Text in the last column continues in further rows, if half of the width is left for it.
wrap_last <- function(cells, width) {
  last <- ncol(cells)
  left <- width - 1L - sum(apply(cells[, -last, drop = FALSE], 2L, widest_cell) + 1L)
  if (last == 1L || left < width %/% 2L || widest_cell(cells[, last]) <= left) return(cells)
  lines <- lapply(cells[, last], function(text) c(strwrap(text, left + 1L), if (text == "") ""))
  at <- rep(seq_along(lines), lengths(lines))
  wrapped <- replace(cells[at, , drop = FALSE], rep(duplicated(at), last), "")
  wrapped[, last] <- unlist(lines)
  wrapped
}

widest_cell <- function(text) max(nchar(text, "width"))

# Columns side by side: a list of their numbers; the first is in each block.
table_blocks <- function(widths, width) {
  blocks <- list(1L)
  for (j in seq_along(widths)[-1L]) {
    last <- length(blocks)
    if (sum(widths[unique(c(1L, blocks[[last]], j))] + 1L) <= width) {
      blocks[[last]] <- c(blocks[[last]], j)
    } else blocks[[last + 1L]] <- j
  }
  blocks
}

# A matrix with row and column names, or named numbers: side by side, or below each other if names
# are long.
cat_numbers <- function(values, digits = NULL) {
  if (is.matrix(values)) {
    colnames(values) <- shorten_names(colnames(values), 16L)
    labels <- shorten_names(rownames(values), getOption("width") %/% 3L)
    return(cat_table(row_names_first(labels, values), digits))
  }
  if (sum(nchar(names(values), "width") + 1L) <= getOption("width") ||
        widest(names(values)) <= 12L) return(cat_table(row_names_first("", t(values)), digits))
  numbers <- vapply(values, format, "", digits = digits)
  frame <- data.frame(names(values), format(numbers, justify = "right"), row.names = NULL)
  cat_table(stats::setNames(frame, c("", " ")), text = "")
}

row_names_first <- function(labels, values) {
  frame <- data.frame(labels, values, check.names = FALSE)
  stats::setNames(frame, c("", colnames(values)))
}

# Shortened to the width, or to the smallest at which they still differ.
shorten_names <- function(names, width) {
  repeat {
    short <- shorten(names, width)
    if (anyDuplicated(short) <= anyDuplicated(names) || width >= widest(names)) return(short)
    width <- width + 1L
  }
}

# Significant digits by the user's option: `digits` is for options(digits = 7).
rounded <- function(values, digits) {
  signif(values, min(max(digits + getOption("digits") - 7L, 1L), 15L))
}

# The mark between thousands, which differs from the decimal mark.
big_mark <- function() if (getOption("OutDec") == ",") "." else ","

# A name with a line break in it would break a table.
one_line <- function(text) gsub("[[:cntrl:]]+", " ", readable(text))

# print(x, digits = 4) is print(x) with options(digits = 7).
at_digits <- function(digits, code) {
  if (!is.null(digits)) {
    digits <- check_count(digits, "digits", at_least = 0L, at_most = 22L)
    old <- options(digits = min(max(digits, 1L) + 3L, 22L))
    on.exit(options(old))
  }
  invisible(without_exponents(code))
}

# Numbers of a column as text: all have the decimals with which the largest has `digits` digits;
# each has its own if that would hide small numbers, or if all are whole.
column_words <- function(values, digits) {
  size <- abs(values[is.finite(values) & values != 0])
  if (length(size) && max(size) < 1e3 * min(size) && max(size) < 1e6 && any(size %% 1 != 0)) {
    digits <- max(digits + getOption("digits") - 7L, 1L)
    decimals <- max(digits - 1 - floor(log10(max(size))), 0)
    # + 0 turns -0 into 0
    return(formatC(round(values, decimals) + 0, decimals, format = "f"))
  }
  vapply(values, function(v) format(rounded(v, digits)), "")
}

# The text after a mean.
error_words <- function(se) {
  paste0(" (standard error ", if (is.na(se)) "unknown" else rounded(se, 2), ")")
}

# "-0.55 to 1.13"; "" if there is none.
interval_cells <- function(lower, upper) {
  lower <- trimws(lower)
  upper <- trimws(upper)
  ifelse(lower %in% c("", "NA", NA) | upper %in% c("", "NA", NA), "", paste(lower, "to", upper))
}

# Numbers with the decimals that show two digits of their standard errors.
error_cells <- function(values, se) {
  more <- max(getOption("digits") - 7L, -1L)
  vapply(seq_along(values), function(i) {
    if (is.na(values[i])) return("NA")
    few <- !is.finite(se[i]) || se[i] == 0 || !is.finite(values[i])
    decimals <- if (few) 0 else 1 + more - floor(log10(se[i]))
    if (few || decimals > 8 || abs(values[i]) >= 1e8) return(format(rounded(values[i], 3)))
    # + 0 turns -0 into 0
    formatC(round(values[i], decimals) + 0, max(decimals, 0), format = "f")
  }, "")
}

format_p <- function(p) {
  if (is.na(p)) "NA" else if (p < 0.001) "<0.001" else formatC(p, digits = 3L, format = "f")
}

p_words <- function(p) {
  if (!is.na(p) && p < 0.001) "p < 0.001" else paste("p =", format_p(p))
}
