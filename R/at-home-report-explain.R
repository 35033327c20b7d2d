# What predictors do, as a table for a report.

#' @exportS3Method
report_table.dg_importance <- function(x) {
  lines <- utils::head(x$table, most_lines)
  cells <- error_cells(lines[c("increase", "se", "lower", "upper")])
  table <- data.frame(predictor = lines$predictor, kind = lines$kind, increase = cells$increase,
                      se = cells$se, interval = interval_cells(cells$lower, cells$upper))
  hidden <- nrow(x$table) - nrow(lines)
  new_report(table, c("Predictor", "Permuted", capital(importance_label(x)), "Standard error",
                      interval_header(x)),
             paste0(importance_title(x), ": ", x$spec$parts$title, ", ", x$held),
             c(capital(importance_basis(x)), importance_notes(x),
               if (hidden) paste(plural(hidden, "further line"), "not shown.")), text = 1:2)
}

#' @exportS3Method
report_table.dg_effect <- function(x) {
  shown <- utils::head(shown_values(x$average), most_lines)
  cells <- effect_cells(shown)
  classes <- !is.null(cells$class)
  table <- data.frame(cells[c("predictor", if (classes) "class", "at")], value = cells$value,
                      interval = interval_cells(cells$lower, cells$upper))
  table$predictor <- shown$predictor
  hidden <- nrow(x$average) - nrow(shown)
  new_report(table, c("Predictor", if (classes) "Class",
                      if (x$type == "context") "Shift" else "Value", capital(effect_axis(x)),
                      interval_header(x)),
             effect_title(x),
             c(paste0(capital(effect_interval(x)), "."), if (x$type == "context") context_words(x),
               if (hidden) paste(plural(hidden, "further value"), "not shown.")),
             text = seq_len(1L + classes))
}

interval_header <- function(x) paste(100 * x$level, "% interval")

capital <- function(text) paste0(toupper(substr(text, 1L, 1L)), substring(text, 2L))
