#' @rdname dg_lm
#' @export
dg_null <- function(x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                    domain_weights = c("size", "equal"), na.action = stats::na.omit, ...) {
  learner_call("dg_null", environment(), match.call(), parent.frame())
}

null_row <- function() {
  learner_row("Null model", fit = fit_null, columns = "own", response = "open", offset = TRUE)
}

# The mean response, the commonest class, or the same hazard for all.
fit_null <- function(problem, shared) {
  rows <- problem$rows
  means <- response_means(rows, problem$args$domain_weights)
  value <- switch(means$kind, class = which.max(means$shares), censored = 0, number = means$mean)
  n <- kept_values(rows, row_count(rows), 0L)
  response <- switch(means$kind, class = means[c("kind", "levels", "shares")],
                     censored = null_hazard(rows$sample, problem$args$domain_weights),
                     number = list(kind = "number", centre = 0, scale = 1))
  list(coefficients = value, decision = matrix(unname(value), n, 1L), response = response)
}

# The response of rows that all have the same hazard.
null_hazard <- function(sample, domain_weights) {
  costs <- row_costs(1, sample$weights / max(sample$weights), sample$domain, domain_weights)
  c(censored_response(sample$y),
    list(family = cox_family(sample$y, numeric(length(costs)), costs)))
}

# list(kind, mean of numbers, or levels and shares of classes); domains weigh as they are to.
response_means <- function(rows, domain_weights) UseMethod("response_means")

#' @exportS3Method
response_means.rows_frame <- function(rows, domain_weights) {
  sample <- rows$sample
  y <- sample$y
  if (is_censored(y)) return(list(kind = "censored"))
  costs <- row_costs(1, sample$weights / max(sample$weights), sample$domain, domain_weights)
  if (!is.factor(y)) return(list(kind = "number", mean = weighted_mean(y, costs)))
  list(kind = "class", levels = levels(y), shares = c(tapply(costs, y, sum) / sum(costs)))
}

#' @exportS3Method
response_means.rows_source <- function(rows, domain_weights) {
  survey <- rows$survey
  costs <- domain_costs(survey$weights, domain_weights)
  if (survey$reader$kind == "class") {
    table <- survey$response$classes
    shares <- colSums(costs * table)[match(survey$classes, colnames(table))]
    return(list(kind = "class", levels = survey$classes, shares = shares / sum(shares)))
  }
  moments <- survey$response
  moments$count <- costs * moments$count
  list(kind = "number", mean = pool_moments(moments)$mean)
}

#' @exportS3Method
decision.dg_null <- function(object, new) {
  matrix(unname(object$coefficients), nrow(new$X), 1L)
}

#' @exportS3Method
describe_fit.dg_null <- function(x) {
  list(fact("predicts", switch(x$response$kind, number = unname(x$coefficients),
                               censored = "the same hazard for all rows",
                               class = dQuote(names(x$response$shares)[x$coefficients], FALSE))))
}

#' @exportS3Method
spec_gives.dg_null_spec <- function(spec, classes = NULL) c("prob", "se", "survival")
