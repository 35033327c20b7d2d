# What columns are taken for, and which of them look as if something else was meant: an identifier,
# a code for missing, codes of categories, text of many values, a constant. Nothing is changed.

# columns: a named list, as it is fitted. A data frame: column, kind, remark (a sentence or two).
column_remarks <- function(columns) {
  remarks <- Map(function(column, name) {
    column <- column_values(column)
    unlist(if (is.null(column)) NULL
           else if (is_constant(column)) list(constant = constant_remark(column))
           else if (is_category(column)) category_remarks(column, name)
           else if (is_bare_number(column)) number_remarks(column, name)
           else list(date = date_remark(column)))
  }, columns, names(columns))
  name <- rep(as.character(names(columns)), lengths(remarks))
  data.frame(column = name, kind = as.character(unlist(lapply(unname(remarks), names))),
             remark = paste0("`", name, "` ", unlist(remarks, use.names = FALSE), recycle0 = TRUE))
}

# The response and the predictors that are columns as they are.
columns_alone <- function(input) {
  if (is.null(input$data)) return(as.data.frame(input$x))
  names <- c(variables_of(input$parts$response)[is.name(input$parts$response)],
             if (is.null(input$simple)) named_alone(input$terms, input$parts) else input$simple$all)
  as.list(input$data)[setdiff(names, variables_of(input$parts$domain))]
}

# The values that there are; NULL for a matrix, or what is nothing to remark on.
column_values <- function(column) {
  if (is.na(column_type(column)) || length(dim(column)) > 1L) return(NULL)
  column <- base_column(column)
  if (inherits(column, "POSIXlt")) column <- as.POSIXct(column)
  if (is.object(column) && !inherits(column, c("factor", "Date", "POSIXct"))) return(NULL)
  column <- column[!is.na(column)]
  if (is.numeric(column) && !is.object(column)) as.double(column) else column
}

is_constant <- function(column) length(column) == 0L || all(column == column[1L])

constant_remark <- function(column) {
  if (length(column) == 0L) "has no value."
  else paste0("has one value, ", describe(as.character(column[1L])), ", in every row.")
}

date_remark <- function(column) {
  ends <- format(range(column), if (inherits(column, "Date")) "%Y-%m-%d" else "%Y-%m-%d %H:%M")
  paste0("is from ", ends[1L], " to ", ends[2L], ", and taken for a number of ",
         if (inherits(column, "Date")) "days." else "seconds.")
}

# Fewer values say nothing.
remarkable_rows <- 20L

# What a remark says after what was found.
taken <- function(as, otherwise, code) {
  paste0(". It is taken for ", as, "; ", otherwise, ": `", code, "`.")
}

without_it <- function(name) paste(". -", code_text(as.name(name)))

# "8 or 9"
any_of <- function(values) {
  text <- number_labels(values)
  sub(", ([^,]*)$", " or \\1", paste(text, collapse = ", "))
}

# ---- categories -------------------------------------------------------------------------------

# As many columns would be made of it.
many_levels <- 50L

category_remarks <- function(text, name) {
  if (is.logical(text)) return(NULL)
  values <- as.character(unique(text))
  every <- length(text) >= remarkable_rows && length(values) == length(text)
  if (!every && length(values) <= many_levels) return(NULL)
  # who made a factor of it knew what it is
  better <- if (is.character(text)) better_type(values, code_text(as.name(name)))
  as <- paste(in_full(length(values)), "categories")
  texts <- paste("has", in_full(length(values)), "different texts")
  if (length(better)) {
    list(levels = paste0(texts, ", most of which are ", names(better),
                         taken(as, "to change that", better)))
  } else if (every) {
    list(identifier = paste0("differs in every row",
                             taken(as, "if it is an identifier, leave it out", without_it(name))))
  } else {
    list(levels = paste0(texts, taken(as, "join rare ones, or leave it out", without_it(name))))
  }
}

# What text is that is no category, and code that makes it so: c(dates = "as.Date(...)"), or NULL.
better_type <- function(values, name) {
  most <- function(pattern) mean(grepl(pattern, values, useBytes = TRUE)) > 0.5
  if (most("^ *[-+]?[0-9]*[.]?[0-9]+ *$")) return(c(numbers = paste0("as.numeric(", name, ")")))
  if (most("^ *[-+]?[0-9]*,[0-9]+ *$")) {
    return(c("numbers with a comma" = paste0("as.numeric(sub(\",\", \".\", ", name, "))")))
  }
  forms <- c("%Y-%m-%d" = "^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$",
             "%d.%m.%Y" = "^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$",
             "%d/%m/%Y" = "^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$")
  form <- names(Filter(most, forms))
  if (length(form)) c(dates = paste0("as.Date(", name, ", \"", form, "\")"))
}

# ---- numbers ----------------------------------------------------------------------------------

number_remarks <- function(x, name) {
  x <- x[is.finite(x)]
  if (length(x) < remarkable_rows) return(NULL)
  values <- sort(unique(x))
  shown <- code_text(as.name(name))
  if (length(values) == length(x)) {
    said <- if (is_running(values)) "has another whole number in every row, with hardly a gap"
            else if (is_whole(values) && is_identifier_name(name)) "differs in every row"
    if (!is.null(said)) return(list(identifier = paste0(
      said, taken("a number", "if it is an identifier, leave it out", without_it(name))
    )))
  }
  codes <- missing_codes(values, tabulate(match(x, values)))
  others <- setdiff(values, codes)
  c(
    if (length(codes)) list(code = paste0(
      "is ", any_of(codes), " in ", plural(sum(x %in% codes), "row"), " and from ",
      signif(others[1L], 4), " to ", signif(others[length(others)], 4), " in the others",
      taken("a number", paste("if", any_of(codes), "means missing"),
            paste0("data$", shown, "[data$", shown, " %in% ", code_text(codes), "] <- NA"))
    )),
    if (is_category_codes(others)) list(categories = paste0(
      "is ", any_of(others),
      taken("a number", "if these are categories", paste0("factor(", shown, ")"))
    ))
  )
}

is_whole <- function(x) all(x == round(x))

is_identifier_name <- function(name) {
  grepl("(^|[^[:alpha:]])(id|nr|no|num|number|index|key|uuid|mrn)([^[:alpha:]]|$)", name,
        ignore.case = TRUE) || grepl("[a-z](Id|ID|Nr|No|Number|Index|Key)$", name) ||
    grepl("^(patient|subject|person|case|student|pupil|record|sample|visit)_?(id|nr|no|code)?$",
          name, ignore.case = TRUE)
}

# Would whole numbers of such a spread have come twice, were they drawn? Of n draws of density f
# n^2 / 2 times the integral of f^2 are expected to come again, for which the distances between
# values some places apart are an estimate.
is_running <- function(values) {
  n <- length(values)
  if (!is_whole(values)) return(FALSE)
  m <- ceiling(sqrt(n))
  density <- m / n / diff(values, m)
  n^2 / 2 * mean(density) >= 10
}

# Those of the values, sorted, that are written as codes for missing are, 9, -99, 998, and are far
# from all others. counts: of each value.
missing_codes <- function(values, counts) {
  # at the ends, where few are
  ends <- unique(c(utils::head(seq_along(values), 12L), utils::tail(seq_along(values), 12L)))
  written <- gsub("[-.]", "", number_labels(values[ends]))
  code <- seq_along(values) %in% ends[grepl("^(9*[789]|7{2,}|8{2,})$", written)]
  c(-rev(far_codes(-rev(values), rev(counts), rev(code & values < 0), TRUE)),
    far_codes(values, counts, code & values > 0))
}

# As many of the largest as are codes and far from the others: farther than these are from each
# other, and in the measure of their range, more of it where a code comes once. negative: of values
# times -1; where the others have none below 0, a code that comes again is one, however near.
far_codes <- function(values, counts, code, negative = FALSE) {
  m <- length(values)
  for (k in rev(seq_len(min(sum(cumprod(rev(code))), m - 2L)))) {
    at <- seq(m - k + 1L, m)
    others <- values[-at]
    gap <- values[at[1L]] - others[m - k]
    again <- all(counts[at] > 1L)
    single_digit <- any(abs(values[at]) < 10)
    beyond <- negative && all(others <= 0)
    part <- if (single_digit) 0.5 else if (again) 0.25 else if (beyond) 0.5 else 2
    far <- gap > max(diff(others)) && gap >= part * (others[m - k] - others[1L])
    if (single_digit) far <- far && again && is_whole(others) && gap >= 2
    if (far || beyond && again) return(values[at])
  }
  numeric()
}

# Two or three whole numbers that follow each other from 0 or 1, but for 0 and 1 alone, for which a
# category is the same.
is_category_codes <- function(values) {
  length(values) %in% 2:3 && values[1L] %in% 0:1 && all(diff(values) == 1) &&
    !identical(values, c(0, 1))
}

# ---- what a source is taken for ---------------------------------------------------------------

#' @exportS3Method
summary.dg_source <- function(object, ...) {
  check_no_dots(list(...), character())
  enter_session()
  data <- as.data.frame(object)
  columns <- data.frame(
    column = names(data), taken = vapply(data, taken_for, ""),
    missing = vapply(data, function(column) sum(is_absent(column)), 0L), row.names = NULL
  )
  structure(class = "dg_source_summary",
            list(rows = nrow(data), taken = columns, columns = column_remarks(data)))
}

taken_for <- function(column) {
  column <- base_column(column)
  if (is.logical(column)) "TRUE or FALSE"
  else if (is_category(column)) {
    paste("category,", plural(length(unique(stats::na.omit(as.character(column)))), "level"))
  } else if (inherits(column, "Date")) "number of days"
  else if (inherits(column, "POSIXct")) "number of seconds"
  else if (inherits(column, "difftime")) paste("number of", units(column))
  else "number"
}

#' @exportS3Method
print.dg_source_summary <- function(x, ...) {
  cat_line(plural(x$rows, "row"), ", ", plural(nrow(x$taken), "column"))
  cat_table(stats::setNames(x$taken, c("column", "taken for", "missing")))
  cat_line(remark_lines(x$columns), hang = 2L)
  invisible(x)
}

# Those on columns of many kinds may be as many as these.
remark_lines <- function(remarks, most = 10L) {
  n <- NROW(remarks)
  c(paste("-", utils::head(remarks$remark, most))[seq_len(min(n, most))],
    if (n > most) paste0("- and ", plural(n - most, "more line"), ", see `$columns`"))
}
