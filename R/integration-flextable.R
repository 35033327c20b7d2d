# Integration with flextable: results as tables, see integration-knitr.R.

#' @rdname tidy.domgen
#' @usage \method{as_flextable}{dg_result}(x, ...)
#' @exportS3Method flextable::as_flextable
as_flextable.dg_result <- function(x, ...) {
  report <- report_table(x)
  table <- flextable::flextable(report$table)
  table <- flextable::set_header_labels(table, values = stats::setNames(as.list(report$headers),
                                                                        names(report$table)))
  for (side in unique(report$align)) {
    table <- flextable::align(table, j = which(report$align == side), part = "all",
                              align = c(l = "left", r = "right")[[side]])
  }
  table <- flextable::set_caption(table, report$caption)
  if (length(report$notes)) table <- flextable::add_footer_lines(table, report$notes)
  # as wide as the text of a page of Word, so that notes have room
  table <- flextable::fontsize(table, size = 9, part = "all")
  table <- flextable::padding(table, padding.top = 2, padding.bottom = 2, part = "all")
  # of which a line of 9 points has more
  wide <- column_widths(report, 105)
  flextable::width(table, width = 6.5 * wide / sum(wide))
}
