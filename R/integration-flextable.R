# Integration with flextable: results as tables, see integration-knitr.R.

#' @rdname tidy.domgen
#' @usage \method{as_flextable}{dg_result}(x, ...)
#' @exportS3Method flextable::as_flextable
as_flextable.dg_result <- function(x, ...) {
  report <- report_table(x)
  numbers <- report$align == "r"
  # of which no line breaks
  report$table[numbers] <- lapply(with_signs(report$table[numbers]), gsub, pattern = " ",
                                  replacement = "\u00a0", fixed = TRUE)
  report$notes <- with_signs(report$notes)
  table <- flextable::flextable(report$table)
  table <- flextable::set_header_labels(table, values = stats::setNames(as.list(report$headers),
                                                                        names(report$table)))
  for (side in unique(report$align)) {
    table <- flextable::align(table, j = which(report$align == side), part = "all",
                              align = c(l = "left", r = "right")[[side]])
  }
  table <- flextable::set_caption(table, report$caption)
  if (length(report$notes)) table <- flextable::add_footer_lines(table, report$notes)
  # as wide as the text of a page of Word, so that notes have room, in a smaller size if numbers
  # have no room in 9 points
  cells <- vapply(report$table, widest, 0L)
  wide <- column_widths(report, 100)
  small <- sum(wide) > 100 || any((cells + 3 > wide)[numbers])
  if (small) wide <- column_widths(report, 112)
  table <- flextable::fontsize(table, size = if (small) 8 else 9, part = "all")
  # the font of Linux is wide, and few readers have it
  if (identical(flextable::get_flextable_defaults()$font.family, "DejaVu Sans")) {
    table <- flextable::font(table, fontname = "Arial", part = "all")
  }
  table <- flextable::padding(table, padding.top = 2, padding.bottom = 2, padding.left = 3,
                              padding.right = 3, part = "all")
  # a row stays on a page
  table <- flextable::set_table_properties(table, layout = "fixed",
                                           opts_word = list(split = FALSE, keep_with_next = FALSE))
  flextable::width(table, width = 6.25 * wide / sum(wide))
}
