#' Baselines: the null model and regression without a penalty
#'
#' @description
#' Baselines that every method should beat. `dg_null()` predicts the (weighted) mean of a numeric
#' response, the most frequent class, or the same hazard for all rows (censored times). `dg_lm()` is
#' regression on the predictors of all domains pooled, without a penalty: least squares for a
#' numeric response, logistic regression for two classes, multinomial logistic regression for more,
#' Cox regression for censored times, and with `family` any other generalised linear model. Prints,
#' plots and reports name the regression.
#'
#' @details
#' `dg_lm()` gives the maximum likelihood estimates of [stats::glm()], `nnet::multinom()` and
#' [survival::coxph()] (ties as by Efron), by Newton's method on the losses of [dg_glm()], and with
#' the names of the field: coefficients of several classes are log odds against the first class.
#' `family` is `gaussian()`, `binomial()`, `poisson()`, `Gamma()`, `inverse.gaussian()`, `quasi()`,
#' `quasibinomial()` or `quasipoisson()` with any link, `"nbinom2"` (negative binomial),
#' `"multinomial"` or `"cox"`. Numbers may be proportions, with `binomial()` and their sizes as
#' `weights`. An `offset()` in the formula is a known part of the linear predictor, as in
#' [dg_glm()]. Standard errors that allow for domains are those of [dg_coefficients()].
#'
#' @param x,domain,domain_means,terms,na.action,... As in [all methods][dg_arguments].
#' @param y Response when `x` is not a formula: numbers, or class labels as factor, character or
#'   logical; or censored times, `survival::Surv()`, also with late entry, see [dg_glm()].
#' @param data Data frame in which the formula is evaluated; for `dg_null()` also a [row_source()],
#'   see [fit_source].
#' @param family A family of base R as object, function or name (`poisson()`, `poisson`,
#'   `"poisson"`), or `"nbinom2"`, `"multinomial"` or `"cox"`, see Details. Default `NULL`: by the
#'   response.
#' @param weights Non-negative numbers, one per row: factors on the squared error or log likelihood
#'   of the row. May be a column of `data`.
#' @param domain_weights `"size"` (default): each row has the same weight, as in [stats::lm()];
#'   `"equal"`: each domain has.
#' @param scale As in [dg_svm()], but `"none"` by default; `"pooled"` gives the same predictions.
#'   `"both"` uses the pooled and the within-domain standardised predictors.
#' @return With data, a model. Without data, a specification. `coef()` returns the intercept (not of
#'   Cox regression) and one coefficient per column that `scale` and `domain_means` make, of several
#'   classes a matrix with a column for each class but the first; with `scale = "none"` in the units
#'   of the data.
#' @section Options and locale:
#' All calls of the package run under the default options of R and in the order of text of the C
#' locale; both are restored when the call ends. Columns therefore have the names and the coding
#' that [stats::lm()] gives them in a new R session. `options(contrasts = )` has no effect;
#' contrasts of a factor, as `C(g, contr.sum)` or `contrasts(data$g) <- "contr.sum"`, do.
#' @section Errors:
#' `dg_lm()`: a response that the family does not have; `family = "ordinal"`; an `offset()` with
#' several classes; censored times without an event, or without the package survival. Collinear
#' coefficients are set to zero, with a warning of class `domgen_warning_collinear`. Fitted
#' probabilities of 0 or 1, or rates of 0, give a warning of class `domgen_warning_separation`.
#' @seealso [predict.dg_learner()], [dg_coefficients()], [dg_compare()]
#' @examples
#' dg_lm(Sepal.Length ~ . | Species, data = iris)
#' dg_null(Sepal.Length ~ . | Species, data = iris)
#' dg_lm(breaks ~ wool | tension, data = warpbreaks, family = poisson())
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   lung <- na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog", "inst")])
#'   cox <- dg_lm(survival::Surv(time, status) ~ age + sex + ph.ecog | inst, data = lung)
#'   predict(cox, lung[1:3, ], type = "survival", times = c(180, 365))
#' }
#' @export
dg_lm <- function(x, y = NULL, domain = NULL, data = NULL, family = NULL, weights = NULL,
                  domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                  terms = NULL, na.action = stats::na.omit, ...) {
  spec <- method_spec("dg_lm", "dg_lm_spec", environment())
  if (!is.null(spec$args$family)) spec$title <- regression_name(spec$args$family)
  fit_or_specify(spec, match.call(), parent.frame())
}

lm_row <- function() learner_row("Linear model", response = "open", offset = TRUE, reference = TRUE,
                                 parameters = lm_parameters)

lm_parameters <- function() parameters(
  parameter("family", null = TRUE, check = check_lm_family, tuned = FALSE)
)

check_lm_family <- function(value, arg) {
  family <- check_family(value, arg)
  if (family$name == "ordinal") {
    abort("argument", "`", arg, "` must not be \"ordinal\" for `dg_lm()`; `dg_mixed(family = ",
          "\"ordinal\")` fits ordered classes without a penalty, `dg_glm()` with one.")
  }
  family
}

#' @exportS3Method
spec_needs.dg_lm_spec <- spec_needs.dg_glm_spec

#' @exportS3Method
place_spec.dg_lm_spec <- place_spec.dg_glm_spec

# The field's name of the regression, which follows from the response.
#' @exportS3Method
with_title.dg_lm_spec <- function(spec, y) {
  spec$title <- regression_name(family_for(spec$args$family, y))
  spec
}

regression_name <- function(family) {
  canonical <- identical(family$link, switch(family$name, gaussian = "identity", poisson = ,
    quasipoisson = "log", binomial = , quasibinomial = "logit", family$link))
  name <- switch(family$name,
    gaussian = if (canonical) return("Linear model") else "Gaussian",
    binomial = , quasibinomial = switch(family$link, logit = "Logistic", probit = "Probit",
                                        "Binomial"),
    poisson = "Poisson", quasipoisson = "Quasi-Poisson", inverse.gaussian = "Inverse Gaussian",
    quasi = "Quasi-likelihood", nbinom2 = "Negative binomial",
    multinomial = "Multinomial logistic", cox = "Cox", family$name)
  paste(name, "regression")
}

#' @exportS3Method
fit_sample.dg_lm_spec <- function(spec, sample) {
  scaled <- with_entries(sample, weights = sample$weights / max(sample$weights))
  task <- glm_task(family_for(spec$args$family, sample$y), scaled,
                   list(intercept = TRUE, domain_weights = spec$args$domain_weights), spec$known)
  X <- regressors(sample$X, spec$known)
  # a predictor of 1e10 +- 1 is hardly to be told from the constant
  scaling <- suppressWarnings(learn_scaling(X, "pooled"), "domgen_warning_constant")
  design <- cbind(`(Intercept)` = 1, apply_scaling(X, scaling))
  used <- c(TRUE, independent_columns(X[task$costs > 0, , drop = FALSE]))
  name <- regression_name(task$par)
  independent <- design[, used, drop = FALSE]
  solved <- if (task$loss$coupled == "rows") linear_cox(independent, sample$y, task, name)
            else linear_newton(independent, task, name)
  coefficients <- matrix(NA_real_, ncol(design), ncol(solved$coefficients),
                         dimnames = list(colnames(design), colnames(solved$coefficients)))
  coefficients[used, ] <- solved$coefficients
  coefficients <- zero_lost(coefficients, design)
  values <- add_offset(design %*% coefficients, task$offset)
  if (task$loss$coupled == "rows") {
    solved$par <- cox_family(sample$y, values[, 1L], task$costs, "efron")
  }
  # numbers as they are need no family
  task$response$family <- if (!task$loss$quadratic) solved$par
  coefficients <- unscaled(coefficients, scaling)
  structure(list(
    coefficients = if (length(task$constant) > 1L) coefficients else coefficients[, 1L],
    decision = as_decision_columns(values, task$response), weights = sample$weights, y = sample$y,
    title = name, response = task$response, family = if (!task$loss$quadratic) solved$par,
    known = spec$known
  ), class = c("dg_lm", "dg_learner", "dg_fit"))
}

# Without the offsets.
regressors <- function(X, offsets) if (length(offsets)) X[, -offsets, drop = FALSE] else X

# Of several classes the first, beside which the others stand, has the value 0.
as_decision_columns <- function(values, response) {
  if (length(response$levels) <= 2L) return(values)
  values <- cbind(numeric(nrow(values)), values)
  colnames(values) <- response$levels
  values
}

# design: predictors by name, scaled.
zero_lost <- function(coefficients, design) {
  lost <- is.na(coefficients)
  if (any(lost)) {
    names <- if (is.matrix(lost)) rownames(lost)[lost[, 1L]] else names(coefficients)[lost]
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

# Back to the units of the data. coefficients: [columns x functions].
unscaled <- function(coefficients, scaling) {
  slopes <- coefficients[-1L, , drop = FALSE] / scaling$scale
  lost <- rowSums(!is.finite(slopes)) > 0
  if (any(lost)) {
    abort("data", "The coefficient of ", enumerate(rownames(slopes)[lost]),
          " overflows; scale the predictor first.")
  }
  rbind(coefficients[1L, , drop = FALSE] - colSums(slopes * scaling$centre), slopes)
}

# list(coefficients [columns x functions], par)
linear_newton <- function(design, task, name) {
  solved <- on_error(solve_glm(list(
    data = list(design = design), Y = task$Y, start = constant_values(task), loss = task$loss,
    par = task$par, costs = task$costs, args = list(tolerance = 1e-8)
  ), TRUE), function(e) abort("data", name, " fails on these data: ", conditionMessage(e), "."))
  B <- solved$coefficients
  B[1L, ] <- B[1L, ] + task$constant
  warn_separation(solved, task, name)
  several <- ncol(B) > 1L
  if (several) {
    B <- B[, -1L, drop = FALSE] - B[, 1L]
    colnames(B) <- task$response$levels[-1L]
  }
  list(coefficients = B, par = solved$par)
}

# As glm.fit() does.
warn_separation <- function(solved, task, name) {
  values <- (constant_values(task) + solved$decision)[task$costs > 0, , drop = FALSE]
  least <- 10 * .Machine$double.eps
  range <- task$loss$range
  mu <- if (task$loss$coupled == "classes") task$loss$mean(values, solved$par)
        else if (is.finite(range[1L])) link_means(list(family = solved$par), values)
  shares <- task$loss$coupled == "classes" || range[2L] == 1
  said <- if (!is.null(mu) && any(mu < least | shares & mu > 1 - least, na.rm = TRUE)) {
    if (shares) "fitted probabilities numerically 0 or 1 occurred"
    else if (grepl("oisson|nbinom", task$par$name)) "fitted rates numerically 0 occurred"
  } else if (!solved$converged) {
    paste("the solver stopped after", plural(solved$iterations, "iteration"))
  }
  if (!is.null(said)) warn("separation", name, ": ", said, ".")
}

# The constant is 0: the baseline hazard has it.
linear_cox <- function(design, y, task, name) {
  need_package("survival", "dg_lm()` of censored times; `dg_lm()")
  used <- task$costs > 0
  y <- as_surv(y[used])
  X <- design[used, -1L, drop = FALSE]
  slopes <- if (ncol(X)) {
    weights <- task$costs[used]
    offset <- if (is.null(task$offset)) numeric(length(weights)) else task$offset[used, 1L]
    fitted <- withCallingHandlers(
      on_error(survival::coxph(y ~ X + offset(offset), weights = weights, ties = "efron",
                               model = FALSE, x = FALSE, y = FALSE,
                               # they are made equal when they are read, in any unit
                               control = survival::coxph.control(timefix = FALSE)),
               function(e) abort("data", name, " fails on these data: ", conditionMessage(e), ".")),
      warning = function(w) {
        warn("separation", name, ": ", conditionMessage(w), ".")
        invokeRestart("muffleWarning")
      }
    )
    stats::coef(fitted)
  }
  list(coefficients = matrix(c(0, slopes)), par = task$par)
}

#' @exportS3Method
decision.dg_lm <- function(object, new) {
  X <- cbind(rep(1, nrow(new$X)), regressors(new$X, object$known))
  values <- add_offset(X %*% as.matrix(object$coefficients), offset_values(new$X, object$known))
  as_decision_columns(values, object$response)
}

#' @exportS3Method
response_range.dg_lm <- function(object) {
  if (is.null(object$family)) NextMethod() else family_loss(object$family)$range
}

#' @exportS3Method
is_affine.dg_lm <- function(object) TRUE

# Without the constant of censored times, which a baseline hazard has.
#' @export
coef.dg_lm <- function(object, ...) {
  check_sealed(object)
  if (object$response$kind == "censored") object$coefficients[-1L] else object$coefficients
}

# NULL if the predictors were scaled.
#' @exportS3Method
own_coefficients.dg_lm <- function(object) {
  if ("pooled" %in% object$blueprint$scaling$kind) return(NULL)
  B <- coef(object)
  if (!is.matrix(B)) return(B)
  stats::setNames(c(B), class_terms(rownames(B), colnames(B)))
}

# Names of the coefficients of several classes, "b: age"; those of one function as they are.
class_terms <- function(terms, classes) {
  if (is.null(classes) || !length(terms)) return(terms)
  c(outer(terms, classes, function(term, class) paste0(class, ": ", term)))
}

# The coefficients of `fitted` by the names of those of `object`, to which it is fitted without some
# rows: of a class that has no others they are infinite, NA here, and so are all without the class
# that the others are compared with.
of_classes <- function(values, fitted, object) {
  classes <- object$response$levels
  rest <- fitted$response$levels
  if (!is.matrix(object$coefficients) || length(rest) == length(classes)) return(values)
  if (!is.matrix(fitted$coefficients)) names(values) <- class_terms(names(values), rest[-1L])
  terms <- class_terms(rownames(object$coefficients), classes[-1L])
  stats::setNames(if (rest[1L] == classes[1L]) values[terms] else rep(NA_real_, length(terms)),
                  terms)
}

#' @exportS3Method
training_rows.dg_lm <- training_rows.learner_custom

#' @exportS3Method
describe_fit.dg_lm <- function(x) {
  offset <- x$blueprint$columns[x$known]
  list(if (!is.null(x$family) && x$response$kind == "number") {
    fact("family", format(x$family), if (!is.null(x$family$theta)) {
      paste0(", theta = ", format(rounded(x$family$theta, 4L)))
    })
  }, if (length(offset)) fact("offset", paste(offset, collapse = ", ")),
  fact("Coefficients", coefficient_frame(coef(x))))
}

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
