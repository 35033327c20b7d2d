#' Baselines: the null model and least squares
#'
#' @description
#' Baselines that every method should beat. `dg_null()` predicts the (weighted) mean of a numeric
#' response, the most frequent class, or the same hazard for all rows (censored times). `dg_lm()` is
#' least squares for a numeric response, logistic regression for two classes, and Cox regression for
#' censored times, by [stats::lm.wfit()], [stats::glm.fit()] and [survival::coxph()] (ties as by
#' Efron), on all domains pooled.
#'
#' @param x,domain,domain_means,terms,na.action,... As in [all methods][dg_arguments].
#' @param y Response when `x` is not a formula: numbers, or class labels as factor, character or
#'   logical; or censored times, `survival::Surv()`, also with late entry, see [dg_glm()].
#' @param data Data frame in which the formula is evaluated; for `dg_null()` also a [row_source()],
#'   see [fit_source].
#' @param weights Non-negative numbers, one per row: factors on the squared error or log likelihood
#'   of the row. May be a column of `data`.
#' @param domain_weights `"size"` (default): each row has the same weight, as in [stats::lm()];
#'   `"equal"`: each domain has.
#' @param scale As in [dg_svm()], but `"none"` by default; `"pooled"` gives the same predictions.
#'   `"both"` uses the pooled and the within-domain standardised predictors.
#' @return With data, a model. Without data, a specification. `coef()` returns one coefficient per
#'   column that `scale` and `domain_means` make; with `scale = "none"` in the units of the data.
#' @section Options and locale:
#' All calls of the package run under the default options of R and in the order of text of the C
#' locale; both are restored when the call ends. Columns therefore have the names and the coding
#' that [stats::lm()] gives them in a new R session. `options(contrasts = )` has no effect;
#' contrasts of a factor, as `C(g, contr.sum)` or `contrasts(data$g) <- "contr.sum"`, do.
#' @section Errors:
#' `dg_lm()`: more than two classes; censored times without an event, or without the package
#' survival. Collinear coefficients are set to zero, with a warning of class
#' `domgen_warning_collinear`.
#' @seealso [predict.dg_learner()], [dg_compare()]
#' @examples
#' dg_lm(Sepal.Length ~ . | Species, data = iris)
#' dg_null(Sepal.Length ~ . | Species, data = iris)
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   lung <- na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog", "inst")])
#'   cox <- dg_lm(survival::Surv(time, status) ~ age + sex + ph.ecog | inst, data = lung)
#'   predict(cox, lung[1:3, ], type = "survival", times = c(180, 365))
#' }
#' @export
dg_lm <- function(x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                  domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                  terms = NULL, na.action = stats::na.omit, ...) {
  fit_or_specify(method_spec("dg_lm", "dg_lm_spec", environment()), match.call(), parent.frame())
}

lm_row <- function() learner_row("Linear model", response = "open", reference = TRUE)

#' @exportS3Method
fit_sample.dg_lm_spec <- function(spec, sample) {
  check_two_classes(sample$y, "dg_lm")
  response <- new_targets(rows_frame(sample), standardise = FALSE)
  # a predictor of 1e10 +- 1 is hardly to be told from the constant
  scaling <- suppressWarnings(learn_scaling(sample$X, "pooled"), "domgen_warning_constant")
  design <- cbind(`(Intercept)` = 1, apply_scaling(sample$X, scaling))
  costs <- row_costs(1, sample$weights / max(sample$weights), sample$domain,
                     spec$args$domain_weights)
  used <- c(TRUE, independent_columns(sample$X[costs > 0, , drop = FALSE]))
  coefficients <- stats::setNames(rep(NA_real_, ncol(design)), colnames(design))
  independent <- design[, used, drop = FALSE]
  coefficients[used] <- switch(response$kind,
    class = logistic(independent, drop(code_rows(response, sample$y)), costs),
    number = stats::lm.wfit(independent, drop(code_rows(response, sample$y)), costs)$coefficients,
    censored = linear_cox(independent, sample$y, costs))
  coefficients <- zero_lost(coefficients, design)
  if (response$kind == "censored") {
    response$family <- cox_family(sample$y, drop(design %*% coefficients), costs, "efron")
  }
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
    all_means <- all(vapply(names, is_own_mean, NA, design))
    warn("collinear", "The effects of collinear columns cannot be separated; set to zero: ",
         enumerate(names),
         if (all_means) " (a predictor that is constant in each domain is its own mean)",
         ".")
  }
  replace(coefficients, lost, 0)
}

# Is this column the domain mean (`domain_means = TRUE`) of a predictor that is constant in each
# domain?
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

# The constant is 0: the baseline hazard has it.
linear_cox <- function(design, y, costs) {
  loss_cox()$check(y)
  need_package("survival", "dg_lm()` of censored times; `dg_lm()")
  used <- costs > 0
  y <- as_surv(y[used])
  X <- design[used, -1L, drop = FALSE]
  if (ncol(X) == 0L) return(c(`(Intercept)` = 0))
  weights <- costs[used]
  fitted <- withCallingHandlers(
    on_error(survival::coxph(y ~ X, weights = weights, ties = "efron", model = FALSE, x = FALSE,
                             y = FALSE),
             function(e) abort("data", "Cox regression fails on these data: ",
                               conditionMessage(e), ".")),
    warning = function(w) {
      warn("separation", "Cox regression: ", conditionMessage(w), ".")
      invokeRestart("muffleWarning")
    }
  )
  stats::setNames(c(0, stats::coef(fitted)), colnames(design))
}

#' @exportS3Method
decision.dg_lm <- function(object, new) {
  cbind(rep(1, nrow(new$X)), new$X) %*% object$coefficients
}

#' @exportS3Method
is_affine.dg_lm <- function(object) TRUE

# NULL if the predictors were scaled.
#' @exportS3Method
own_coefficients.dg_lm <- function(object) {
  coefficients <- object$coefficients
  if ("pooled" %in% object$blueprint$scaling$kind) NULL
  else if (object$response$kind == "censored") coefficients[-1L]
  else coefficients
}

#' @exportS3Method
training_rows.dg_lm <- training_rows.learner_custom

#' @exportS3Method
describe_fit.dg_lm <- function(x) list(fact("Coefficients", coefficient_frame(x$coefficients)))

# A row per term, and class.
coefficient_frame <- function(coefficients) {
  if (!is.matrix(coefficients)) {
    return(data.frame(term = names(coefficients), estimate = unname(coefficients)))
  }
  data.frame(class = rep(colnames(coefficients), each = nrow(coefficients)),
             term = rep(rownames(coefficients), ncol(coefficients)), estimate = c(coefficients))
}

#' @exportS3Method
spec_gives.dg_lm_spec <- function(spec, classes = NULL) c("prob", "survival")
