#' Results in reports
#'
#' @description
#' In a document of knitr (R Markdown, Quarto, Sweave) a comparison, cross-validation, tuning,
#' automatic choice, diagnosis, calibration, [dg_mmd()], [dg_resources()], [dg_novelty()],
#' [dg_importance()] or [dg_effect()] that stands at the end of a chunk becomes a table, with what
#' it says in words as notes below: `knitr::kable()` for HTML, LaTeX, Word and markdown.
#' `flextable::as_flextable()` makes the same table for Word, PowerPoint and HTML. `print()` in a
#' chunk gives the text of the console.
#'
#' Numbers are rounded as they are printed: [options(digits)][options] moves them. For a table of
#' one's own take [as.data.frame()][as.data.frame.domgen], whose numbers are not rounded:
#' `knitr::kable(as.data.frame(x), digits = 3)`, `gt::gt(as.data.frame(x))`.
#'
#' @param x A result.
#' @param options Options of the chunk: `tab.cap` (or `tbl-cap`, in Quarto) replaces the caption.
#' @param ... Not used.
#' @return `knit_print()`: text for the document, of class `knit_asis`; `as_flextable()`: a
#'   `flextable`.
#' @name knit_print.domgen
#' @examplesIf requireNamespace("knitr", quietly = TRUE)
#' comparison <- dg_compare(list(linear = dg_lm()), weight ~ Time | Diet, data = ChickWeight)
#' cat(knitr::knit_print(comparison))
#' knitr::kable(as.data.frame(comparison), digits = 1)
NULL

#' @rdname knit_print.domgen
#' @exportS3Method knitr::knit_print
knit_print.dg_result <- function(x, options = list(), ...) {
  report <- report_table(x)
  markup <- knitr_markup()
  mark <- text_marks[[markup]]
  caption <- options$tab.cap
  # quarto writes its own
  if (is.null(caption) && is.null(options$`tbl-cap`)) caption <- mark$text(report$caption)
  table <- report$table
  table[] <- lapply(table, function(column) mark$text(as.character(column)))
  shown <- knitr::kable(table, format = if (markup == "markdown") "pipe" else markup,
                        row.names = FALSE, align = report$align, caption = caption,
                        col.names = mark$text(report$headers), escape = FALSE)
  # where lines are long pandoc gives columns the shares of their dashes
  if (markup == "markdown") shown[grep("^[|]:?-", shown)[1L]] <- dashes_line(report)
  knitr::asis_output(paste0("\n\n", paste(shown, collapse = "\n"), "\n\n", mark$notes(report$notes),
                            "\n\n"))
}

# Characters that the columns of a report need, at most those of a page: the column of the longest
# cells is broken into lines, and so are headers.
column_widths <- function(report) {
  words <- lapply(strsplit(report$headers, " ", fixed = TRUE), widest)
  wide <- mapply(function(cells, header) max(widest(as.character(cells)), header),
                 report$table, words) + 5
  longest <- which.max(wide)
  wide[longest] <- max(wide[longest] - max(sum(wide) - 84, 0), min(20, wide[longest]))
  unname(wide)
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

# How each markup writes text and a list of notes; of "|" in markdown kable() takes care.
text_marks <- list(
  markdown = list(
    text = function(text) gsub("([\\\\`*_{}<>#~$^@&]|\\[|\\])", "\\\\\\1", text, perl = TRUE),
    # a note that begins like an item of a list is none
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
