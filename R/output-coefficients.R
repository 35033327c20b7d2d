# The print of dg_coefficients().

#' @exportS3Method
describe_result.dg_coefficients <- function(x) {
  percent <- paste0(format(100 * x$level), " % CI")
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
    facts = paste0(plural(x$rows, "row"), ", ", count_domains(x$count, x$labels)),
    notes = c(
      if (is.null(x$domains)) {
        paste("Standard errors of the mixed model, whose random effects describe the",
              paste0(domain_words(x$labels)$many, ";"),
              "intervals and tests by the normal distribution.")
      } else paste0("Standard errors by leaving out each ", domain_words(x$labels)$one,
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
      if (!is.null(x$against)) {
        paste0("Each class is compared with ", dQuote(x$against, FALSE), ": ",
               if (x$exponentiate) "odds against it." else "log odds against it.")
      },
      if (is_shrunk(x$penalty)) {
        paste0("Estimates are shrunk (", names(x$penalty), " = ",
               format(rounded(x$penalty[[1L]], 4)), "), and so are their intervals.")
      },
      if (length(lost)) {
        paste0("No standard error of ", enumerate(lost), ": constant or collinear",
               if (!is.null(x$against)) ", or a class has no rows", ", at least ",
               "without one of the ", domain_words(x$labels)$many, ".")
      }
    ), unit = "coefficient"
  )
}

# Is there a penalty that changes a digit?
is_shrunk <- function(penalty) {
  length(penalty) > 0L && (names(penalty) != "lambda" || penalty > 1e-7)
}
