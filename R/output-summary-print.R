# What summary() of a learner prints.

#' @export
print.summary.dg_learner <- function(x, digits = NULL, ...) {
  at_digits(digits, describe_learner(x))
  invisible(x)
}

describe_learner <- function(x) {
  fit <- x$fit
  cat_line(method_of(fit$spec)$title, describe_formula(fit))
  describe_size(x)
  if (!is.null(x$predictors)) {
    cat_line("")
    shown <- utils::head(x$predictors, 10L)
    shown[-1L] <- lapply(shown[-1L], four_digits)
    cat_table(shown, text = "predictor")
    more_lines(nrow(x$predictors) - 10L, "predictor", "$predictors")
  }
  if (!is.null(x$parameters)) {
    cat_line("\nParameters")
    # a value of its own line, how it was found behind it
    width <- max(17L, widest(x$parameters$parameter) + 4L)
    for (line in split(x$parameters, seq_len(nrow(x$parameters)))) {
      cat_field(line$parameter, line$value, " (", line$how, ")", column = width)
    }
  }
  if (!is.null(x$likelihood)) {
    found <- vapply(rounded(x$likelihood, 6), format, "")
    cat_line("\nLog likelihood ", found[["log_likelihood"]], " (df ", found[["df"]], "), AIC ",
             found[["aic"]], ", BIC ", found[["bic"]])
  }
  describe_weights(x)
  describe_terms(x$terms, x$metric, isTRUE(x$fit$choice$few))
  describe_errors(x)
}

describe_size <- function(x) {
  size <- x$size
  cat_field("rows", in_full(size$rows), if (size$dropped > 0L) {
    paste0(" (", in_full(size$dropped), " left out, with missing values)")
  }, ", in ", plural(size$domains, "domain"), if (!is.na(size$median) && size$domains > 1L) {
    if (size$smallest == size$largest) paste0(" of ", plural(size$smallest, "row"))
    else paste0(" of ", in_full(size$smallest), " to ", in_full(size$largest), " rows, median ",
                in_full(size$median))
  }, describe_imputed(x$fit$blueprint))
  cat_field("predictors", in_full(size$predictors), if (!"member" %in% names(x$terms)) {
    paste0(", scale: ", describe_scale(spec_scale(x$fit$spec)))
  })
  if (is.null(x$response)) return(describe_response(x$fit$response))
  values <- if (is.integer(x$response)) x$response else rounded(x$response, 4)
  cat_field("response", if (is.integer(x$response)) "classes, rows: " else "numeric: ",
            paste(names(values), vapply(values, format, "", big.mark = big_mark()),
                  collapse = ", "))
}

# Each number has its own digits.
four_digits <- function(values) vapply(values, function(v) format(rounded(v, 4)), "")

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
             rounded(kappa[["effective"]], 2), " of ", in_full(x$size$domains),
             if (kappa[["effective"]] < 1.05) ", nearly pooled")
  }
  if (!is.null(x$support)) {
    cat_line("\nSupport vectors: ", in_full(x$support[["vectors"]]), " of ",
             plural(x$size$rows, "row"), " (", rounded(100 * x$support[["share"]], 2), " %)")
  }
}

# by_rows: scores of one domain's left-out rows.
describe_terms <- function(terms, metric, by_rows = FALSE) {
  if (is.null(terms)) return(invisible())
  members <- "member" %in% names(terms)
  size <- abs(terms[[if (members) "weight" else "estimate"]])
  if (nrow(terms) > 15L) terms <- terms[order(-size), ]
  cat_line(if (members) paste0("\nMembers, and ", metric, " on held-out ",
                               if (by_rows) "rows" else "domains")
           else "\nCoefficients", if (nrow(terms) > 15L) ", the 15 largest")
  shown <- utils::head(terms, 15L)
  numeric <- vapply(shown, is.numeric, NA)
  shown[numeric] <- lapply(shown[numeric], four_digits)
  cat_table(shown, text = names(shown)[!numeric])
  more_lines(nrow(terms) - 15L, if (members) "member" else "coefficient", "$terms")
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
  if (identical(x$by, "dg_lodo")) {
    cat_line("  from dg_lodo(), with scaling, bandwidths and chosen parameters of all domains; ",
             "dg_cv() learns these again")
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
