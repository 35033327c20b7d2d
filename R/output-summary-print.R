# What summary() of a learner prints.

#' @export
print.summary.dg_learner <- function(x, digits = NULL, ...) {
  at_digits(digits, describe_learner(x))
  invisible(x)
}

describe_learner <- function(x) {
  write_result(fit_result(x$fit, TRUE), TRUE)
  if (!is.null(x$predictors)) {
    cat_line("")
    shown <- utils::head(x$predictors, 10L)
    shown[] <- lapply(shown, four_digits)
    cat_table(shown, text = "predictor")
    more_lines(nrow(x$predictors) - 10L, "predictor", "$predictors")
  }
  describe_weights(x)
  describe_errors(x)
}

#' @export
print.summary.dg_projection <- function(x, digits = NULL, ...) {
  at_digits(digits, write_result(fit_result(x$projection, TRUE), TRUE))
  invisible(x)
}

more_lines <- function(n, what, where) {
  if (n > 0L) cat_line("  and ", plural(n, paste("more", what)), " in `", where, "`")
}

describe_weights <- function(x) {
  if (!is.null(x$relevance)) {
    cat_line("\nRelevance of the predictors (1 / bandwidth, relative to the largest)")
    shown <- utils::head(x$relevance, 10L)
    shown[-1L] <- Map(rounded, shown[-1L], c(3, 2))
    cat_table(shown)
    more_lines(nrow(x$relevance) - 10L, "predictor", "$relevance")
  }
  kappa <- x$kappa
  if (!is.null(kappa)) {
    cat_line("\nWeight of a row of another domain, relative to one of the same domain: ",
             rounded(kappa[["mean"]], 2), " (", rounded(kappa[["min"]], 2), " to ",
             rounded(kappa[["max"]], 2), ")\nEffective number of domains: ",
             rounded(kappa[["effective"]], 2), " of ", in_full(nlevels(learner_of(x$fit)$domain)),
             if (kappa[["effective"]] < 1.05) ", nearly pooled")
  }
}

describe_errors <- function(x) {
  if (is.null(x$errors)) return(invisible())
  errors <- x$errors
  cat_line("")
  for (i in seq_len(nrow(errors))) {
    cat_line(x$metric, " on ", if (errors$rows[i] == "training") "the training rows"
                               else errors$rows[i], ": mean over domains ",
             rounded(errors$mean[i], 4),
             if (!is.na(errors$se[i])) error_words(errors$se[i]),
             if (!is.na(errors$overall[i])) paste0(", all rows ", rounded(errors$overall[i], 4)))
  }
  if (!is.null(x$unknown)) cat_line("On held-out domains: ", x$unknown)
  if (identical(x$by, "closed form")) {
    cat_line("  in closed form, with scaling, bandwidths and chosen parameters of all domains; ",
             "dg_cv(model, refit = TRUE) learns these again")
  }
  if (identical(x$by, "tuning")) {
    cat_line("  optimistic, because the candidate was selected by them, see ?dg_tune")
  }
  if (is.null(x$domains)) return(invisible())
  cat_line("\nWorst domains")
  shown <- utils::head(x$domains, 5L)
  shown <- shown[, vapply(shown, function(v) !all(is.na(v)), NA), drop = FALSE]
  cat_table(shown, digits = max(getOption("digits") - 3L, 1L))
  more_lines(nrow(x$domains) - 5L, "domain", "$domains")
}
