# Integration with knitr: results as report tables.
#' @rdname tidy.domgen
#' @usage \method{knit_print}{dg_result}(x, options = list(), ...)
#' @exportS3Method knitr::knit_print
knit_print.dg_result <- function(x, options = list(), ...) {
  report <- report_table(x)
  markup <- knitr_markup()
  mark <- text_marks[[markup]]
  caption <- options$tab.cap
  # quarto writes its own caption
  if (is.null(caption) && is.null(options$`tbl-cap`)) caption <- mark$text(report$caption)
  table <- report$table
  numbers <- report$align == "r"
  if (has_signs()) table[numbers] <- with_signs(table[numbers])
  table[] <- lapply(table, function(column) mark$text(as.character(column)))
  shown <- knitr::kable(table, format = if (markup == "markdown") "pipe" else markup,
                        row.names = FALSE, align = report$align, caption = caption,
                        col.names = mark$text(report$headers), escape = FALSE)
  # where lines are long pandoc gives columns the shares of their dashes
  if (markup == "markdown") shown[grep("^[|]:?-", shown)[1L]] <- dashes_line(report)
  notes <- if (has_signs()) with_signs(report$notes) else report$notes
  knitr::asis_output(paste0("\n\n", header_style(), paste(shown, collapse = "\n"), "\n\n",
                            mark$notes(notes), "\n\n"))
}

# Themes of HTML documents put headers to the left, or in the middle, of numbers at the right.
header_style <- function() {
  if (!isTRUE(knitr::pandoc_to() %in% c("html", "html4", "html5"))) return("")
  paste0("```{=html}\n<style>th[align=\"right\"], td[align=\"right\"] { text-align: right; }",
         "</style>\n```\n\n")
}

# A minus is no hyphen and no line ends before a percent sign; LaTeX may lack the characters.
with_signs <- function(text) {
  if (is.data.frame(text)) return(replace(text, TRUE, lapply(text, with_signs)))
  gsub("([0-9]) %", "\\1\u00a0%", gsub("(^|[ (])-([0-9.])", "\\1\u2212\\2", text))
}

has_signs <- function() knitr_markup() == "markdown" && !knitr::is_latex_output()

# Sentences of a report with the names of users' sites, methods and responses, as inline code.
#' @exportS3Method knitr::knit_print
knit_print.dg_sentences <- function(x, ...) {
  markup <- knitr_markup()
  text <- as.character(x)
  if (has_signs()) text <- with_signs(text)
  text <- text_marks[[markup]]$text(text)
  # begins a line block, or a cell
  if (markup == "markdown") text <- gsub("|", "\\|", text, fixed = TRUE)
  knitr::asis_output(paste(text, collapse = " "))
}

# Characters that the columns of a report need, at most those of a page. Where there is no room,
# headers are broken into lines, then long cells, which share what short ones leave: numbers are
# never broken, nor are words as far as it goes.
column_widths <- function(report, page = 84) {
  cells <- lapply(report$table, as.character)
  wide <- vapply(cells, widest, 0L)
  word <- function(text, at) min(widest(unlist(strsplit(text, at))), 24L)
  words <- vapply(cells, word, 0L, "[ -]")
  header <- vapply(report$headers, word, 0L, " ")
  whole <- pmax(wide, nchar(report$headers, "width")) + 5
  if (sum(whole) <= page) return(unname(whole))
  # with less room at the sides of columns before numbers are broken
  tries <- data.frame(unbroken = c(20L, 20L, 10L, 0L), sides = c(5, 4, 4, 4))
  for (i in seq_len(nrow(tries))) {
    sides <- tries$sides[i]
    least <- pmax(ifelse(wide <= tries$unbroken[i], wide, words), header) + sides
    for (limit in seq(max(wide, header) + sides, sides)) {
      widths <- pmax(pmin(pmax(wide, header) + sides, limit), least)
      if (sum(widths) <= page) return(unname(widths))
    }
  }
  unname(widths)
}

# "|:-----|----:|"
dashes_line <- function(report) {
  dashes <- strrep("-", column_widths(report) - 1)
  paste0("|", paste0(ifelse(report$align == "l", ":", ""), dashes,
                     ifelse(report$align == "l", "", ":"), collapse = "|"), "|")
}

# Pandoc reads markdown for all of its formats.
knitr_markup <- function() {
  out <- knitr::opts_knit$get("out.format")
  if (!is.null(knitr::pandoc_to()) || is.null(out)) "markdown"
  else if (out %in% c("latex", "sweave", "listings")) "latex"
  else if (out == "html") "html"
  else "markdown"
}

# Text and lists of notes in each markup; kable() escapes "|" in markdown.
text_marks <- list(
  markdown = list(
    text = function(text) {
      text <- gsub("([\\\\`*_{}<>#~$^@&])", "\\\\\\1", text, perl = TRUE)
      # "\\[" begins a formula in R Markdown
      gsub("]", "&#93;", gsub("[", "&#91;", text, fixed = TRUE), fixed = TRUE)
    },
    # a note may begin like a list item
    notes = function(notes) {
      list_of(notes, function(note) {
        sub("^([0-9]*)([-+.)])", "\\1\\\\\\2", text_marks$markdown$text(note))
      }, "- ", "")
    }
  ),
  html = list(
    text = function(text) {
      text <- gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE)
      gsub(">", "&gt;", text, fixed = TRUE)
    },
    notes = function(notes) list_of(notes, text_marks$html$text, "<li>", "</li>", "<ul>", "</ul>")
  ),
  latex = list(
    text = function(text) {
      text <- gsub("([#$%&_{}])", "\\\\\\1", gsub("\\", "\\textbackslash ", text, fixed = TRUE))
      text <- gsub("\\^", "\\\\textasciicircum{}", gsub("~", "\\\\textasciitilde{}", text))
      gsub(">", "\\textgreater{}", gsub("<", "\\textless{}", text, fixed = TRUE), fixed = TRUE)
    },
    notes = function(notes) {
      list_of(notes, text_marks$latex$text, "\\item ", "", "\\begin{itemize}", "\\end{itemize}")
    }
  )
)

list_of <- function(notes, text, before, after, first = NULL, last = NULL) {
  if (length(notes) == 0L) return("")
  paste(c(first, paste0(before, text(notes), after), last), collapse = "\n")
}
