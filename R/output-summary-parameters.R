# What is said of a fit: its data, and how its parameters were found.

#' @exportS3Method
describe_result.dg_fit <- function(x) from_whole(x, fit_result(x), "x")

#' @export
print.dg_fit <- print.dg_result

# whole: for summary()?
fit_result <- function(x, whole = FALSE) {
  new_result(paste0(method_of(x$spec)$title, describe_formula(x)), data.frame(), list(),
             facts = c(data_facts(x), outcome_facts(x), with_tuned(describe_fit(x), x, whole)))
}

data_facts <- function(x) {
  size <- size_of(x)
  list(
    fact("data", plural(size$rows, "row"), if (size$dropped > 0L) {
      paste0(" (", in_full(size$dropped), " left out, with missing values)")
    }, " in ", plural(size$domains, "domain"), if (!is.na(size$median) && size$domains > 1L) {
      if (size$smallest == size$largest) paste0(" of ", plural(size$smallest, "row"))
      else paste0(" of ", in_full(size$smallest), " to ", in_full(size$largest), " rows, median ",
                  in_full(size$median))
    }, describe_imputed(x$blueprint)),
    fact("predictors", in_full(size$predictors), if (is.null(x$members)) {
      paste0(", scale: ", describe_scale(spec_scale(x$spec)))
    })
  )
}

outcome_facts <- function(x) {
  c(list(if (!is.null(x$response)) {
      fact("response", response_words(x$response), how = response_numbers_words(x$y))
    }),
    calibration_facts(x$calibration),
    list(if (!is.null(x$intervals)) fact("intervals", format(x$intervals)),
         reference_fact(x$reference)))
}

# What was tuned in the place of what was given.
with_tuned <- function(facts, x, whole = TRUE) {
  best <- if (whole) x$tuning$best
  facts <- Filter(function(fact) !fact$name %in% names(best), Filter(length, facts))
  c(lapply(names(best), function(name) {
    fact(name, format_value(best[[name]]), how = "tuned on held-out domains")
  }), facts)
}

# Data frame: parameter, value (in words), how.
parameters_found <- function(object) {
  facts <- c(with_tuned(describe_fit(learner_of(object)), object),
             projection_fact(object$projection))
  facts <- Filter(function(fact) !is.null(fact$how), facts)
  if (length(facts) == 0L) return(NULL)
  of <- function(what) vapply(facts, what, "")
  table <- data.frame(parameter = of(function(fact) fact$name), value = of(fact_words),
                      how = of(function(fact) fact$how))
  data.frame(table[!duplicated(table$parameter), ], row.names = NULL)
}

projection_fact <- function(projection) {
  if (is.null(projection)) return(NULL)
  list(fact("projection", method_of(projection$spec)$title, ", ",
            plural(length(projection$values), "component"), ", ",
            shown_parameters(projection$spec), how = "given or tuned"))
}

# The penalty that was given or chosen.
found_penalty <- function(learner, name) {
  if (is.null(learner[[name]])) learner$engine$object[[name]] else learner[[name]]
}
