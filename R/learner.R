# The common part of all learners: description, prediction, decision values.

# A kernel that is not given is kernel_rbf(), behind a projection kernel_linear().
open_kernel <- function() with_entries(shared_parameters$kernel, null = TRUE)

# Which class is the positive one; whether 0 and 1 were taken for numbers.
response_words <- function(response) {
  if (!is.null(response$words)) return(response$words)
  if (response$kind == "number") return("numeric")
  classes <- dQuote(response$levels, FALSE)
  paste0("classes, ", enumerate(classes, quote = ""),
         if (length(classes) == 2L) paste0(" (decision > 0: ", classes[2L], ")"))
}

# Moments of a number, rows of classes; a model that was slimmed does not know them.
response_numbers_words <- function(y) {
  numbers <- response_numbers(y)
  if (is.null(numbers)) return(NULL)
  if (!is.integer(numbers)) numbers <- rounded(numbers, 4L)
  said <- paste(names(numbers), vapply(numbers, format, "", big.mark = big_mark()))
  paste0(if (is.integer(numbers)) "rows: ", enumerate(said, quote = ""))
}

response_numbers <- function(y) {
  if (is.null(y) || is_censored(y)) return(NULL)
  y <- y[!is.na(y)]
  if (is.factor(y)) return(vapply(split(y, y), length, 0L))
  c(mean = mean(y), sd = stats::sd(y), min = min(y), max = max(y))
}

# NULL without a likelihood.
likelihood_of <- function(learner) {
  if (is.null(learner[["log_likelihood"]])) return(NULL)
  value <- logLik(learner)
  c(log_likelihood = as.numeric(value), df = attr(value, "df"), aic = stats::AIC(value),
    bic = stats::BIC(value))
}

likelihood_fact <- function(x) {
  numbers <- likelihood_of(x)
  said <- vapply(rounded(numbers, 6L), format, "")
  names(numbers) <- c("logLik", "df", "AIC", "BIC")
  fact("log likelihood", said[[1L]], " (df ", said[[2L]], "), AIC ", said[[3L]], ", BIC ",
       said[[4L]], columns = as.list(numbers))
}

check_two_classes <- function(y, method) {
  if (is.factor(y) && nlevels(y) != 2L) {
    abort("data", "`", method, "()` needs a numeric response or two classes, not ",
          plural(nlevels(y), "class", "classes"), " (", enumerate(levels(y), quote = "\""), ").")
  }
}

domain_weightings <- c("equal", "size")

#' Predict with a learner
#'
#' @description
#' Predictions for rows of new or training domains. A model with a domain kernel other than
#' [domain_pooled()], with scaling or imputation by domain, or with `domain_means = TRUE` also uses
#' the *unlabelled* rows of each domain: those in `reference` if given, otherwise those in
#' `newdata`. Without `newdata`, the training rows are predicted, as by `fitted()`.
#'
#' @details
#' ## Types of prediction
#'
#' | `type` | value | for |
#' |---|---|---|
#' | `"response"` | the number, the class, or the relative hazard (censored times) | all models |
#' | `"class"` | the class | classes |
#' | `"prob"` | class probabilities | models with probabilities, see [prediction_types] |
#' | `"decision"` | decision value, see [prediction_types] | all models |
#' | `"link"` | the linear predictor: another name of `"decision"` | models with a link |
#' | `"similarity"` | similarity to the training rows, 0 to 1 | kernels, see [far_rows] |
#' | `"set"` | a set that contains the class with probability `level` | classes: [set_intervals()] |
#' | `"survival"` | probability of no event until each of `times` | [prediction_types] |
#'
#' ## Intervals
#'
#' | `interval` | contains | assumes |
#' |---|---|---|
#' | `"prediction"` | the response of a row of a new domain | exchangeability |
#' | `"domain_share"` | at least the proportion `level` of a new domain's rows | exchangeability |
#' | `"domain_mean"` | the mean response of each domain of `newdata` | exchangeability |
#' | `"confidence"` | f at a row | the model is true |
#' | `"posterior"` | the response of a row of weight 1 | the model is true |
#'
#' Each does so with probability `level`. The first three come from the errors on held-out domains,
#' see [set_intervals()], and need new domains that are exchangeable with the training domains: no
#' drift in time, no shifted predictors. The last two need a model with a [posterior].
#'
#' @inheritParams predict.dg_projection
#' @param object A fitted learner, such as [dg_ridge()] and [dg_auto()], or a [dg_pipeline()].
#' @param newdata Data frame with the predictors, and the domain column where the model uses it; a
#'   matrix if the model was fitted to one; or a [row_source()], whose rows are predicted in chunks,
#'   see [predict_source].
#' @param type Type of prediction, see Details. Default `"response"`.
#' @param domain Domain of each row of `newdata` if it is not a column; a single value if all rows
#'   are from one domain. Required with a domain kernel, scaling or imputation by domain, or
#'   `domain_means = TRUE`. [dg_mixed()] recognises the training domains by it.
#' @param reference Further unlabelled rows of the new domains, with the columns of `newdata`. A
#'   domain that occurs in it is described by these rows instead of its rows in `newdata`.
#'   `"training"`: training domains are described as in training. See [set_reference()].
#' @param se.fit If `TRUE`, the standard deviation of f is returned too (models with a [posterior]).
#' @param interval Type of interval, see Details. Default `"none"`; only for a numeric response.
#' @param level Probability of intervals and sets, between 0 and 1.
#' @param times Non-negative numbers in the response's unit, for `type = "survival"`.
#' @return A vector with one entry per row of `newdata`: numbers, or a factor of classes.
#'   Exceptions:
#'
#'   | argument | value |
#'   |---|---|
#'   | `type = "prob"`, `"decision"` of more than two classes | matrix, one column per class |
#'   | `type = "set"`; `"survival"` | logical matrix, the same; matrix, one column per time |
#'   | `interval` | data frame `fit`, `lower`, `upper`, one row per row of `newdata` |
#'   | `interval = "domain_mean"` | the same per domain, after columns `domain` and `rows` |
#'   | `se.fit = TRUE` | list of `fit` (as above), `se.fit` and `residual.scale` |
#'
#'   `se.fit` has the standard deviations of f, `residual.scale` is that of the noise, both in units
#'   of the response. A row with missing values is `NA`, with a warning, unless the model was fitted
#'   with `na.action = na.impute` ([na.impute()]).
#' @section Errors:
#' A type or interval that the response or the model does not have, `se.fit = TRUE` without a
#' posterior, a `level` outside (0, 1), a missing domain where the model needs it, and columns that
#' are missing or of another type than in training are errors.
#' @seealso [saved_models], [posterior], [far_rows], [prediction_types], [set_intervals()]
#' @examples
#' # carbon dioxide uptake of a new plant; a model with a posterior
#' new <- subset(CO2, Plant == "Mc3")
#' model <- dg_gp(uptake ~ conc + Type + Treatment | Plant, data = subset(CO2, Plant != "Mc3"),
#'                restarts = 1)
#' predict(model, new, interval = "posterior")
#' predict(model, new, type = "similarity")
#' predict(model, new[1:3, ], se.fit = TRUE, reference = new)$se.fit
#'
#' # bacteria in new children
#' new <- subset(MASS::bacteria, ID %in% c("Z21", "Z24"))
#' model <- dg_glm(y ~ trt + week | ID, data = subset(MASS::bacteria, !ID %in% new$ID))
#' predict(model, new, type = "prob")
#' @aliases predict.dg_gp
#' @export
predict.dg_learner <- function(object, newdata, domain = NULL,
                               type = c("response", "class", "prob", "decision", "similarity",
                                        "set", "survival", "link"),
                               reference = NULL, reference_domain = NULL, se.fit = FALSE,
                               interval = c("none", "confidence", "posterior", "prediction",
                                            "domain_share", "domain_mean"), level = 0.9,
                               new_levels = c("na", "error"), times = NULL, ...) {
  enter_session()
  check_sealed(object)
  posterior <- has_posterior(object)
  allowed <- setdiff(names(formals(predict.dg_learner)), c("object", if (!posterior) "se.fit"))
  se <- check_flag(se.fit, "se.fit")
  if (se && !posterior) {
    abort("argument", "`se.fit` must be FALSE for `", innermost(object$spec)$method, "()`, which ",
          "has no posterior; `dg_gp()` has one. Intervals of all models are ",
          "`interval = \"prediction\"`.")
  }
  if (missing(interval)) interval <- "none"
  interval <- check_choice(interval, "interval", if (posterior) posterior_kinds
                                                 else prediction_kinds)
  kind <- object$response$kind
  if (interval != "none" && kind != "number") {
    abort("argument", "`interval` must be \"none\" when the response is ",
          if (kind == "class") "a class: `type = \"set\"` gives sets of classes."
          else paste0(kind_words(kind), "."))
  }
  type <- check_choice(type, "type", prediction_types)
  if (type == "link") type <- check_link(object)
  if (type %in% c("class", "prob", "set") && kind != "class" ||
        type == "survival" && kind != "censored") {
    abort("argument", "`type` must be \"response\"", if (kind == "class") ", \"prob\"",
          if (kind == "censored") ", \"survival\"", " or \"decision\" when the response is ",
          kind_words(kind), ", not \"", type, "\".")
  }
  if (type == "survival") {
    times <- check_horizons(times)
    warn_late_times(object, times)
  } else if (!is.null(times)) {
    abort("argument", "`times` must be NULL unless `type` is \"survival\".")
  }
  of <- list(domain = domain, reference = reference, reference_domain = reference_domain,
             new_levels = new_levels)
  asked <- list(type = if (type == "response") kind else type, interval = interval,
                level = check_level(level), se = se, times = times,
                sd = se || interval %in% c("confidence", "posterior"), env = parent.frame())
  predict_rows(object, newdata, of, asked, list(...), allowed)
}

prediction_types <- c("response", "class", "prob", "decision", "similarity", "set",
                      "survival", "link")

# The type of prediction that "link" is, where there is a link.
check_link <- function(object) {
  targets <- targets_of(object)
  has_link <- targets$kind != "class" || identical(targets$means, "odds") ||
    length(targets$levels) == 2L && identical(learner_of(object)$loss, "logistic") ||
    !is.null(targets$family) && !has_thresholds(learner_of(object))
  if (!has_link) {
    abort("argument", "`type = \"link\"` needs a model with a link; the values by which `",
          learner_of(object)$spec$method, "()` decides between classes are `type = \"decision\"`.")
  }
  "decision"
}

#' @export
fitted.dg_learner <- function(object, ...) {
  enter_session()
  check_sealed(object)
  respond(targets_of(object), pad_rows(object$decision, object), object$response$kind)
}

#' @export
residuals.dg_learner <- function(object, type = "response", ...) {
  enter_session()
  check_sealed(object)
  if (!identical(type, "response")) {
    abort("argument", "`type` must be \"response\" for `", object$spec$method, "()`, not ",
          describe(type), ".")
  }
  if (object$response$kind != "number") abort_no_residuals(object)
  pad_rows(object$y, object) - fitted(object)
}

abort_no_residuals <- function(object) {
  kind <- kind_words(object$response$kind)
  abort("argument", "Residuals need a numeric response, not ", kind, ".")
}

# Errors that take rows as independent would be too small; confint() asks here.
#' @exportS3Method
vcov.dg_learner <- function(object, ...) {
  abort("argument", "`object` must be dg_coefficients() of a linear model, whose errors allow for ",
        "domains, as in `confint(dg_coefficients(model))` or `vcov(dg_coefficients(model))`.")
}

#' @export
weights.dg_learner <- function(object, ...) pad_rows(check_sealed(object)$weights, object)

#' Decision values and probabilities
#'
#' What do `type = "decision"`, `"prob"` and `"survival"` of [predict()][predict.dg_learner()] give,
#' and which models have them?
#'
#' @section Decision values:
#' With two classes, the sign decides (positive: the second level). With more
#' classes, there is one score per class, and the largest decides. For a numeric response they equal
#' the prediction. For generalised linear models ([dg_glm()], [dg_lm()], [dg_mixed()], [dg_svm()]
#' with `loss = "logistic"`) they are values of the link, as `type = "link"` of
#' [stats::predict.glm()]: log odds, log rates or log hazards, with the offset. `family = "ordinal"`
#' has log probabilities instead and, as other classifiers, no `"link"`.
#' @section Class probabilities:
#' The columns of `type = "prob"` are named by the levels, and rows sum to 1. Probabilities are
#' available from [dg_lm()], [dg_null()], [dg_glm()], [dg_forest()], [dg_boost()], [dg_net()],
#' [dg_mixed()] and [dg_gam()]; from [dg_svm()] with `loss = "logistic"`; from a [learner_custom()]
#' whose function returns them; from a [dg_ensemble()] all of whose members have them; and from any
#' classifier fitted with `calibration = "platt"` or `"isotonic"` ([calibration]). Such a model
#' predicts the most probable class (the first in case of ties). This class can differ from the one
#' that the decision values would give.
#' @section Survival probabilities:
#' For censored times, `type = "survival"` returns the probability of no event until each time t of
#' `times`. Models of proportional hazards ([dg_glm()], [dg_lm()], [dg_net()], [dg_null()]) have
#' \deqn{S(t \mid x) = \exp(-H(t)\, e^{f(x)}),}{S(t | x) = exp(-H(t) exp(f(x))),}
#' with f the decision value and H the cumulative baseline hazard of the training rows: that of
#' Breslow (1974), or for [dg_lm()] and [dg_net()] that of Efron (1977). [dg_forest()] averages the
#' cumulative hazards of its trees. H is that of the training domains: the mean risk in a new domain
#' may differ, which the observed over expected events of [dg_validate()] measure. After the last
#' time of training nothing is known: the probability stays at its last value, with a warning of
#' class `domgen_warning_late_times`.
#' @name prediction_types
#' @references
#' Breslow, N. (1974). Covariance analysis of censored survival data. *Biometrics* 30(1), 89-99.
#'
#' Efron, B. (1977). The efficiency of Cox's likelihood function for censored data. *Journal of the
#' American Statistical Association* 72, 557-565.
#' @seealso [predict.dg_learner()], [calibration], [metric_brier()], [dg_incidence()]
NULL

#' Standard errors and intervals from a posterior
#'
#' Which models have [`predict(se.fit = TRUE)`][predict.dg_learner()] and `interval = "posterior"`,
#' what is computed, and how far are the standard errors to be trusted?
#'
#' @details
#' A model with a posterior gives a distribution for each prediction, not only a number. Such models
#' are [dg_gp()], a [dg_pipeline()] that ends in it, and either of them after [dg_adapt()]. The
#' distribution of f (the response without noise) at a new row is normal with
#' \deqn{\mathrm{E} f_* = k_*'A^{-1}y, \qquad
#'   \mathrm{Var} f_* = s^2\kappa(P_*, P_*)k(x_*, x_*) - k_*'A^{-1}k_*}{
#'   E f_* = k_*'A^-1 y,  Var f_* = s^2 kappa(P_*, P_*) k(x_*, x_*) - k_*'A^-1 k_*}
#' with A the covariance of the training responses and \eqn{k_* = s^2\kappa k}{k_* = s^2 kappa k}
#' between the training rows and the new row (Rasmussen and Williams, 2006, equations 2.25-2.26).
#' The response also has the variance of the noise. The farther a domain is from the training
#' domains, the closer its predictions are to the mean and the larger their standard errors.
#'
#' These standard errors and intervals treat the parameters and the description of a domain by its
#' rows as known. If the model is true, 95 % intervals cover about 95 %
#' (`vignette("which-method")`). The model was not true in further simulations. They had 8 to 40
#' domains of 15 rows. The mean response of a domain was unrelated to the predictors, or followed
#' the domain mean of one predictor. Intervals for responses covered 89 to 95 %. Intervals for f
#' covered 84 to 95 %, with one exception: where [domain_distribution()] estimates the mean response
#' of a domain from 15 rows, they covered only 54 to 69 %. This estimate has an error that the
#' intervals ignore.
#'
#' Each call computes the Cholesky factor of A again, because a fit does not keep it. Rows are
#' predicted in chunks, so that memory does not grow with their number.
#' [simulate()][simulate.dg_gp()] draws from the joint predictive distribution.
#' @name posterior
#' @references
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*. MIT
#' Press.
#' @seealso [predict.dg_learner()], [dg_gp()], [set_intervals()] for intervals of any model
NULL

#' Rows and domains far from training
#'
#' Is a row, or a domain, unlike all that a model was trained on? [`predict(type =
#' "similarity")`][predict.dg_learner()] answers for rows; `predict()` warns of domains.
#'
#' @section Rows far from training:
#' Where a kernel such as the Gaussian is near 0 at all training rows, the prediction is the
#' constant to which f shrinks. `type = "similarity"` measures how far each row is from that case:
#' \deqn{\max_i \frac{|\bar k((P, x), (P_i, x_i))|}{
#'   \sqrt{\bar k((P, x), (P, x))\, \bar k((P_i, x_i), (P_i, x_i))}},}{
#'   max_i |k((P, x), (P_i, x_i))| / sqrt(k((P, x), (P, x)) k((P_i, x_i), (P_i, x_i))),}
#' the largest value of the normalised kernel \eqn{\bar k = \kappa k}{kappa k} over the training
#' rows (with [features_nystrom()]: the landmarks). It is 1 at a training row of the same domain and
#' 0 far from all of them. It takes about as long as a prediction. A [dg_ensemble()] or [dg_auto()]
#' returns the mean over its members that have a kernel.
#' @section Domains far from training:
#' With [domain_distribution()], a domain is far from training if
#' \deqn{\max_g \frac{\kappa(P, P_g)}{\sqrt{\kappa(P, P)\,\kappa(P_g, P_g)}}
#'   \frac{|\langle\mu_P, \mu_g\rangle|}{\lVert\mu_P\rVert\lVert\mu_g\rVert} < 0.01.}{
#'   max_g kappa(P, P_g) / sqrt(kappa(P, P) kappa(P_g, P_g)) |<mu_P, mu_g>| / (|mu_P| |mu_g|)
#'   < 0.01.}
#' Such domains give a warning of class `domgen_warning_far_domain`, one per call, that names them.
#' With at least 19 training domains there is a second rule. Each training domain is held out, and
#' its distance from the others is measured. A new domain more than twice as far as the farthest of
#' them gives the same warning. [dg_novelty()] returns the distances. A domain with far fewer rows
#' than the training domains can seem far for this reason alone: give more of its unlabelled rows as
#' `reference`.
#' @name far_rows
#' @seealso [predict.dg_learner()], [dg_novelty()]
NULL

#' Saved models and models from elsewhere
#'
#' What is checked when a model that was saved, or that others made, is used?
#'
#' @details
#' A fit contains all that predictions need and can be saved, for example with [saveRDS()]. An
#' integrity check records the types, shapes, missing and infinite values, and the range of integers
#' of its parts; `predict()` and all other functions that use the numbers of a model verify it
#' first. Three kinds of models give an error of class `domgen_error_model`, which names the part:
#' a model with a part that was removed or changed, one with a number of `threads` that no computer
#' has, and one fitted by a version without the check. The check does not detect that a finite
#' number was replaced by another. Parts added by users are
#' ignored, and `model$spec$args$threads` may be changed to a number from 1 to 1024.
#'
#' **Models from elsewhere.** A model file can run code when it is loaded or used, as every file of
#' [readRDS()] and [load()] can: use files of people and places that you trust. Before a model is
#' used, the expressions of its formula (terms, response, domain) and the functions of yours that
#' they call are searched for calls that a formula has no use for: of other processes, files and
#' connections, of code made of text ([eval()], [parse()], `get()` of a computed name), and
#' assignments outside ([assign()], `<<-`). Such a call is an error of class `domgen_error_model`,
#' and nothing is evaluated; a formula with one is refused when a model is fitted. Calls are found
#' by the name of the function, so that code which hides it is not found. Not searched are functions
#' of packages other than those of R; functions among the parts of a model, as of [kernel_custom()]
#' and [learner_custom()]; models of other packages inside it; and the call of the fit, which
#' [update()] and functions that look for the training data evaluate. `options(domgen.trust = TRUE)`
#' turns the search off.
#' @name saved_models
#' @seealso [predict.dg_learner()], [saveRDS()]; `vignette("deployment")`
NULL
