# The content of a result, once for console, reports, data frames and plots: describe_result() has a
# method for each class of results, next to the plot of that class. Methods for users are here, for
# the class dg_result that all results have.

describe_result <- function(x) UseMethod("describe_result")

# title; facts: lines above the table, or the list of a fit, see fact(); notes: sentences below it;
# hint: a note for the console only.
# table: for tidy(), not rounded. columns: those shown, in rows `shown`, at most `most`; unit,
# where, of: what the rows are, where the others are, how many there are. further: more such tables,
# in reports a note per row unless report is FALSE. glance: a data frame of one row; augmented: data
# frame for augment(), or why there is none. after: prints the rest of a model.
new_result <- function(title, table, columns, facts = NULL, notes = NULL, hint = NULL,
                       shown = seq_len(nrow(table)), most = Inf, unit = "row", where = NULL,
                       of = nrow(table), further = list(), report = TRUE, glance = NULL,
                       augmented = NULL, after = NULL) {
  as.list(environment())
}

# "RMSE (lower is better)"
score_label <- function(measure) {
  paste0(measure$title, if (measure$better == "low") " (lower is better)"
                        else " (higher is better)")
}

# A column that is shown. header: on the console, capitalised in reports; print, report: FALSE, or
# another header there. tidy: its name in tidy(). values: for a column that is not in the table, for
# all rows; at: in which rows it has a value; once: leave equal neighbours empty?
column <- function(name, header = name, format = NULL, tidy = name, values = NULL,
                   at = TRUE, once = FALSE, print = TRUE, report = TRUE) {
  as.list(environment())
}

# Two columns in one cell.
interval <- function(header = "95 % CI", format = as_number(3), ..., lower = "lower",
                     upper = "upper") {
  column(c(lower, upper), header, format, ...)
}

# Formats: functions of the values and their lines of the table. Without one, text is unchanged, at
# the left, and numbers have four digits.
as_number <- function(digits = 4) {
  function(values, lines) {
    if (is.double(values)) column_words(values, digits) else format(values, trim = TRUE)
  }
}

# Numbers of different things, each with its own digits; empty if NA.
as_each <- function(digits = 3) {
  function(values, lines) {
    cells <- vapply(values, function(v) format(rounded(v, digits)), "", USE.NAMES = FALSE)
    replace(cells, is.na(values), "")
  }
}

as_decimals <- function(digits) {
  # + 0 turns -0 into 0
  function(values, lines) formatC(round(values, digits) + 0, digits = digits, format = "f")
}

# Digits by the standard error in the row: see error_cells().
as_exact_as <- function(error = "se") {
  function(values, lines) error_cells(values, lines[[error]])
}

as_p <- function() function(values, lines) vapply(values, format_p, "", USE.NAMES = FALSE)

# ---- cells ------------------------------------------------------------------------------------

# For "print" or "report": list(cells: data frame of text by names of columns, headers, left).
result_cells <- function(result, place) {
  columns <- Filter(function(column) !isFALSE(column[[place]]), result$columns)
  table <- result$table
  for (column in columns) if (!is.null(column$values)) table[[column$name]] <- column$values
  at <- utils::head(result$shown, result$most)
  lines <- table[at, , drop = FALSE]
  text <- vapply(columns, function(column) {
    is.null(column$format) && !is.numeric(table[[column$name[1L]]])
  }, NA)
  cells <- Map(function(column, text) {
    format <- if (text) function(values, lines) one_line(values)
              else if (is.null(column$format)) as_number() else column$format
    ends <- lapply(lines[column$name], format, lines)
    cell <- if (length(ends) == 2L) interval_cells(ends[[1L]], ends[[2L]]) else ends[[1L]]
    cell[!rep_len(column$at, nrow(table))[at]] <- ""
    repeated <- column$once && place == "print"
    if (repeated) cell[c(FALSE, cell[-1L] == cell[-length(cell)])] <- ""
    cell
  }, columns, text)
  names(cells) <- vapply(columns, function(column) as.character(column$name[1L]), "")
  headers <- vapply(columns, function(column) {
    if (is.character(column[[place]])) column[[place]]
    else if (place == "print") column$header else capital(column$header)
  }, "")
  list(cells = as.data.frame(cells, optional = TRUE, stringsAsFactors = FALSE), headers = headers,
       left = text)
}

capital <- function(text) paste0(upper_case(substr(text, 1L, 1L)), substring(text, 2L))

# "and 30 more domains in `$domains`"; NULL if all are shown.
rows_left <- function(result) {
  more <- result$of - min(length(result$shown), result$most)
  if (more > 0L && !is.null(result$where)) {
    paste("and", plural(more, paste("more", result$unit)), "in", result$where)
  }
}

# ---- console ----------------------------------------------------------------------------------

#' @export
print.dg_result <- function(x, digits = NULL, ...) {
  at_digits(digits, write_result(describe_result(x)))
  invisible(x)
}

# As printed, one element per line.
#' @export
format.dg_result <- function(x, digits = NULL, ...) utils::capture.output(print(x, digits))

# whole: for summary() of a fit?
write_result <- function(result, whole = FALSE) {
  cat_line(result$title)
  if (is.list(result$facts)) cat_facts(result$facts, whole) else cat_line(result$facts)
  for (part in c(list(result), result$further)) {
    shown <- result_cells(part, "print")
    if (length(shown$cells)) {
      cat_line("")
      if (!identical(part, result)) cat_line(part$title)
      cat_table(stats::setNames(shown$cells, shown$headers), text = shown$headers[shown$left])
      cat_line(paste0("  ", rows_left(part), recycle0 = TRUE))
    }
    if (!identical(part, result)) cat_line(part$notes)
  }
  notes <- c(result$notes, result$hint)
  if (length(notes)) cat_line("")
  cat_line(notes)
  if (!is.null(result$after)) {
    cat_line("")
    result$after()
  }
}

#' @rdname summary.dg_cv
#' @export
summary.dg_result <- function(object, ...) {
  enter_session()
  if (inherits(object, "dg_fit")) return(NextMethod())
  check_no_dots(list(...), character())
  structure(list(result = object), class = "summary.dg_result")
}

#' @export
print.summary.dg_result <- function(x, digits = NULL, ...) {
  at_digits(digits, {
    result <- describe_result(x$result)
    n <- nrow(result$table)
    if (length(result$shown) < n) result$shown <- seq_len(n)
    result$most <- Inf
    write_result(result)
  })
  invisible(x)
}

# ---- reports ----------------------------------------------------------------------------------

# A table for a report, without markup: list(table: data frame of text, headers, caption, notes,
# align: "l" or "r" for each column).
report_table <- function(x) {
  result <- describe_result(x)
  shown <- result_cells(result, "report")
  notes <- c(rows_left(result), result$facts, result$notes,
             unlist(lapply(Filter(function(part) part$report, result$further), part_notes)))
  list(table = shown$cells, headers = shown$headers, caption = result$title,
       align = ifelse(shown$left, "l", "r"), notes = table_notes(notes, shown$headers))
}

# Readers of a report have no help pages; notes on a column begin as its header does.
table_notes <- function(notes, headers = NULL) {
  notes <- gsub(" [(]see [?][^)]*[)]", "", trimws(gsub("[ \n]+", " ", notes)))
  notes <- sub("^(.*: )?note, ", "\\1", notes)
  on_column <- capital(sub(":.*", "", notes)) %in% headers
  replace(notes, on_column, capital(notes[on_column]))
}

# A further table as notes: "labels 5, RMSE 1.34, ...".
part_notes <- function(part) {
  shown <- result_cells(part, "print")
  words <- lapply(seq_along(shown$cells), function(j) {
    cell <- shown$cells[[j]]
    ifelse(nzchar(cell), paste(shown$headers[j], cell), NA)
  })
  lines <- apply(do.call(cbind, words), 1L, function(cells) paste(cells[!is.na(cells)],
                                                                  collapse = ", "))
  c(part$title, lines, rows_left(part), part$notes)
}
