# The print of dg_coefficients().

#' @exportS3Method
describe_result.dg_coefficients <- function(x) {
  percent <- paste0(format(100 * x$level), " % CI")
  G <- nrow(x$domains)
  # each row has a unit of its own; of exp(b) the error is exp(b) times that of b
  as_exact <- function(values, lines) {
    error_cells(values, lines$se * if (x$exponentiate) lines$estimate else 1)
  }
  lost <- x$table$term[is.na(x$table$se)]
  new_result(
    paste0(x$title, if (!is.null(x$formula)) paste0(": ", code_text(x$formula))), x$table,
    list(column("term", "coefficient"),
         column("estimate", if (x$exponentiate) x$ratio else "estimate", as_exact),
         interval(percent, as_exact), column("se", "s.e.", as_exact_as()),
         column("p", format = as_p())),
    facts = paste0(plural(x$rows, "row"), ", ", count_domains(G, x$labels)),
    notes = c(
      paste0("Standard errors by leaving out each ", domain_words(x$labels)$one,
             " in turn (jackknife); intervals and tests by t with ", x$df, " degrees of freedom."),
      if (length(x$crossed)) {
        paste0(x$labels$domain, " is crossed with ", enumerate(x$crossed, quote = ""),
               ", whose levels stay in all fits: errors of predictors that differ between them ",
               "are too small.")
      },
      if (length(x$separated)) {
        paste0("Without ", enumerate(x$separated, quote = "\""), " an effect is infinite (as ",
               "where all rows of a level have one class): a large error is that of where the fit ",
               "ended.")
      },
      if (x$exponentiate) "Standard errors are those of the logarithms.",
      if (length(x$penalty) && x$penalty > 0) {
        paste0("Estimates are shrunk (", names(x$penalty), " = ",
               format(rounded(x$penalty[[1L]], 4)), "), and so are their intervals.")
      },
      if (length(lost)) {
        paste0("No standard error of ", enumerate(lost), ": constant or collinear, at least ",
               "without one of the ", domain_words(x$labels)$many, ".")
      }
    ), unit = "coefficient"
  )
}
