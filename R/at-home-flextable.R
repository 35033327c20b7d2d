# Results as tables of flextable, see at-home-knitr.R.

flex_report <- function(x, ...) {
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
  flextable::autofit(table)
}

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_cv <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_compare <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_tuned <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_auto <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_diagnose <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_calibration <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_novelty <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.domgen_mmd <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_cost <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_importance <- flex_report

#' @rdname knit_print.domgen
#' @exportS3Method flextable::as_flextable
as_flextable.dg_effect <- flex_report
