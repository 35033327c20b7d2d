#' Baselines: the null model and least squares
#'
#' @description
#' What any method has to beat. `dg_null()` predicts the (weighted) mean of a
#' number, the most frequent class, or of censored times the same hazard for all. `dg_lm()` is
#' least squares for numbers and logistic regression for two classes, by [stats::lm.wfit()] and
#' [stats::glm.fit()], on all domains pooled.
#'
#' @inheritParams dg_svm
#' @param domain_weights `"size"`: each row weighs the same, as in [stats::lm()];
#'   `"equal"`: each domain does.
#' @param scale As in [dg_svm()], but by default `"none"`: least squares on the predictors as they
#'   are and on `"pooled"` ones predict the same. `"both"` puts the predictors beside those
#'   standardised within domains.
#' @inheritParams learner_custom
#' @return With data, a model; without, a specification. `coef()` gives the
#'   coefficients, one for each column that `scale` and `domain_means` make: of `"none"` in the
#'   units of the data.
#' @section Errors:
#' `dg_lm()`: more than two classes. Coefficients that the data cannot tell apart
#' are set to zero, with a warning.
#' @seealso [predict.dg_learner()], [dg_compare()]
#' @examples
#' dg_lm(Sepal.Length ~ . | Species, data = iris)
#' dg_null(Sepal.Length ~ . | Species, data = iris)
#' @export
dg_lm <- function(x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                  domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                  na.action = stats::na.omit, ...) {
  spec <- method_spec("dg_lm", "dg_lm_spec", learner_parts("Linear model"), environment())
  fit_or_specify(spec, match.call(), parent.frame())
}

#' @exportS3Method
fit_sample.dg_lm_spec <- function(spec, sample) {
  check_two_classes(sample$y, "dg_lm")
  response <- new_targets(rows_frame(sample), standardise = FALSE)
  target <- drop(code_rows(response, sample$y))
  # a predictor of 1e10 +- 1 is hardly to be told from the constant
  scaling <- suppressWarnings(learn_scaling(sample$X, "pooled"), "domgen_warning_constant")
  design <- cbind(`(Intercept)` = 1, apply_scaling(sample$X, scaling))
  costs <- row_costs(1, sample$weights / max(sample$weights), sample$domain,
                     spec$args$domain_weights)
  coefficients <- if (response$kind == "class") logistic(design, target, costs)
                  else stats::lm.wfit(design, target, costs)$coefficients
  coefficients <- zero_lost(coefficients, design)
  structure(list(
    coefficients = unscaled(coefficients, scaling), decision = design %*% coefficients,
    weights = sample$weights, y = sample$y,
    response = c(response, if (response$kind == "class") list(means = "odds"))
  ), class = c("dg_lm", "dg_learner", "dg_fit"))
}

# design: predictors by name, scaled.
zero_lost <- function(coefficients, design) {
  lost <- is.na(coefficients)
  if (any(lost)) {
    names <- names(coefficients)[lost]
    own <- all(vapply(names, is_own_mean, NA, design))
    warn("collinear", "The data cannot tell apart the effect of ", enumerate(names),
         "; set to zero", if (own) ", as a predictor that does not vary in domains is its own mean",
         ".")
  }
  replace(coefficients, lost, 0)
}

# Is it what `domain_means = TRUE` makes of a predictor that is constant in each domain?
is_own_mean <- function(name, design) {
  of <- sub("\\.mean$", "", name)
  of != name && of %in% colnames(design) && max(abs(design[, of] - design[, name])) < 1e-8
}

# Back to the units of the data.
unscaled <- function(coefficients, scaling) {
  slopes <- coefficients[-1L] / scaling$scale
  if (any(!is.finite(slopes))) {
    abort("data", "The coefficient of ", enumerate(names(slopes)[!is.finite(slopes)]),
          " overflows; scale the predictor first.")
  }
  c(coefficients[1L] - sum(slopes * scaling$centre), slopes)
}

# glm.fit() warns of non-integer counts when weights are fractions, which
# quasibinomial() does not mind; the estimates are the same.
logistic <- function(design, target, costs) {
  labels <- (target + 1) / 2
  fitted <- withCallingHandlers(
    on_error(
      stats::glm.fit(design, labels, weights = costs, family = stats::quasibinomial()),
      function(e) abort("data", "Logistic regression fails on these data: ",
                                conditionMessage(e), ".")
    ),
    warning = function(w) {
      warn("separation", "Logistic regression: ", sub("^glm.fit: ", "", conditionMessage(w)), ".")
      invokeRestart("muffleWarning")
    }
  )
  fitted$coefficients
}

#' @exportS3Method
decision.dg_lm <- function(object, rows) {
  cbind(rep(1, nrow(rows$X)), rows$X) %*% object$coefficients
}

#' @exportS3Method
training_rows.dg_lm <- training_rows.learner_custom

#' @exportS3Method
print_details.dg_lm <- function(x) {
  describe_response(x$response)
  cat_line("\nCoefficients:")
  cat_numbers(rounded(x$coefficients, 4))
}

#' @exportS3Method
spec_gives.dg_lm_spec <- function(spec) "prob"
