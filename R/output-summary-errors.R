#' Standard errors and intervals
#'
#' @description
#' Which uncertainty each function reports, and where its formula is.
#'
#' @details
#' ## Scores on new domains
#' [dg_cv()], [dg_ensemble()], [dg_auto()] and `summary()` report the mean m of G
#' domains' scores and its standard error as an estimate of the mean over *new* domains. Scores of
#' held-out domains are not independent, because their training sets overlap. With s the standard
#' deviation of the scores and \eqn{n_1}{n_1} of n rows in a training set, the standard error is
#' \deqn{\mathrm{se}^2 = (1 + n/n_1)\, s^2/G}{se^2 = (1 + n/n_1) s^2/G}
#' (Nadeau and Bengio, 2003, section 3), about twice \eqn{s^2/G}{s^2/G}. With `refits = TRUE`, it is
#' the jackknife over pairs of folds, if that is larger; formulas and measured coverage are in
#' [paired_differences]. Intervals are Student's; for scores that are positive and better when
#' lower, they are on the log scale ([dg_cv()]). They assume new domains that are exchangeable with
#' the training domains.
#'
#' ## All functions
#'
#' | function | reports uncertainty of | method |
#' |---|---|---|
#' | [dg_cv()] | mean score on new domains | above |
#' | [dg_compare()] | difference of two methods | above, on paired differences |
#' | [dg_auto()], [dg_ensemble()] | mean score on new domains | above, on cross-fitted scores |
#' | [dg_tune()], `rule = "one_se"` | mean score of a candidate | a rule of thumb, see there |
#' | [dg_importance()], [dg_effect()] | mean importance, effect | see there |
#' | [dg_coefficients()] | coefficients of linear models | jackknife over domains, see there |
#' | [dg_validate()] | mean over sites, value at a new site | see [site_means] |
#' | [dg_calibration()] | observed proportions | allows for domains, see there |
#' | [predict()][predict.dg_learner()], `se.fit` | f at a row, [dg_gp()] only | posterior |
#' | [predict()][predict.dg_learner()], `interval` | response in a new domain | [set_intervals()] |
#'
#' `coef()` and `summary()` of a fit show no standard errors of coefficients. [dg_coefficients()]
#' has them for models that are linear in their predictors.
#' @references
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning*
#' 52(3), 239-281.
#' @seealso [dg_cv()], [dg_compare()], [set_intervals()]
#' @examples
#' cv <- dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight)
#' c(mean = cv$mean, se = cv$se)
#' # without the factor for overlapping training sets
#' sd(cv$domains$score) / sqrt(nrow(cv$domains))
#' @name standard_errors
NULL
