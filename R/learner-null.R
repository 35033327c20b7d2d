#' @rdname dg_lm
#' @export
dg_null <- function(x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                    domain_weights = c("size", "equal"), na.action = stats::na.omit, ...) {
  parts <- learner_parts("Null model", response = "open", offset = TRUE)
  spec <- method_spec("dg_null", "dg_null_spec", parts, environment())
  fit_or_specify(spec, match.call(), parent.frame())
}

#' @exportS3Method
fit_sample.dg_null_spec <- function(spec, sample) {
  costs <- row_costs(1, sample$weights / max(sample$weights), sample$domain,
                     spec$args$domain_weights)
  y <- sample$y
  response <- null_response(y, costs)
  value <- switch(response$kind, class = which.max(response$shares), censored = 0,
                  number = weighted_mean(y, costs))
  structure(list(
    coefficients = value, decision = matrix(unname(value), nrow(sample$X), 1L),
    weights = sample$weights, response = response, y = y
  ), class = c("dg_null", "dg_learner", "dg_fit"))
}

null_response <- function(y, costs) {
  if (is_censored(y)) return(list(kind = "censored", words = times_words(y)))
  if (!is.factor(y)) return(list(kind = "number", centre = 0, scale = 1))
  shares <- tapply(costs, y, sum) / sum(costs)
  list(kind = "class", levels = levels(y), shares = c(shares))
}

#' @exportS3Method
decision.dg_null <- function(object, rows) {
  matrix(unname(object$coefficients), nrow(rows$X), 1L)
}

#' @exportS3Method
respond.dg_null <- function(object, values, type) {
  levels <- object$response$levels
  if (type == "censored") return(exp(unname(drop(values))))
  if (type == "class") return(factor(levels[drop(values)], levels = levels))
  scores <- type == "decision" && length(levels) > 2L
  if (type != "prob" && !scores) return(unname(drop(values)))
  shares <- object$response$shares
  probabilities <- matrix(rep(shares, each = nrow(values)), nrow(values), length(levels),
                          dimnames = list(NULL, levels))
  probabilities[is.na(values), ] <- NA_real_
  probabilities
}

#' @exportS3Method
judges_domain.dg_null <- function(object) FALSE

#' @exportS3Method
print_details.dg_null <- function(x) {
  value <- switch(x$response$kind, number = format(rounded(x$coefficients, 4)),
                  censored = "the same hazard for all rows",
                  class = dQuote(names(x$response$shares)[x$coefficients], FALSE))
  cat_line("  predicts ", value)
}

#' @exportS3Method
spec_gives.dg_null_spec <- function(spec) c("prob", "se")
