# Help on the families of dg_glm().

#' Families of generalised linear models on kernels
#'
#' What [dg_glm()] assumes with families that base R has not, and how an offset enters.
#'
#' @section Families:
#' `"nbinom2"`: negative binomial counts with the link log and variance
#' \eqn{\mu + \mu^2/\theta}{mu + mu^2/theta}, named as in [dg_mixed()] and glmmTMB. f
#' and the maximum likelihood estimate of \eqn{\theta}{theta} at f alternate, as in
#' `MASS::glm.nb()`. While `lambda` is chosen, and for a [row_source()], \eqn{\theta}{theta} is that
#' of the model with only the constant. Means that are large count less than with `poisson()`.
#' Score held-out domains by a score of means, such as [metric_deviance()] of `poisson()`, which is
#' least for the true means under any distribution.
#'
#' `"multinomial"`: \eqn{p_c = e^{f_c + b_c} / \sum_j e^{f_j + b_j}}{
#' p_c = exp(f_c + b_c) / sum_j exp(f_j + b_j)} with one function per class and
#' \eqn{d = -2\log p_y}{d = -2 log p_y}. Norms are added; functions and constants sum to 0 (Zhu and
#' Hastie, 2004; Friedman, Hastie and Tibshirani, 2010, section 4).
#'
#' `"ordinal"`: the cumulative logit or proportional odds model (McCullagh, 1980),
#' \eqn{P(y \le k) = 1/(1 + e^{f - \theta_k})}{P(y <= k) = 1 / (1 + exp(f - theta_k))} with
#' increasing thresholds \eqn{\theta}{theta}, without a penalty, in place of b, and
#' \eqn{d = -2\log p_y}{d = -2 log p_y}. There is one function for all classes; decision values are
#' the log probabilities of the classes.
#' @section Offset and exposure:
#' A known part o of the link is an `offset()` in the formula, as in [stats::glm()]:
#' \eqn{\mu = h(f + b + o)}{mu = h(f + b + o)}. It is not part of any kernel; new rows need its
#' columns; predictions include it, and [dg_adapt()] and [dg_cv()] use it. It is not
#' available with `"multinomial"`, in a [dg_pipeline()] or in an ensemble; [dg_null()] ignores it.
#'
#' For counts that grow with an exposure e (time at risk, inhabitants), `offset(log(e))` makes f the
#' log rate. The rate y/e with `weights = e` gives the same f,
#' \eqn{e\, d(y/e, \mu) = d(y, e \mu)}{e d(y/e, mu) = d(y, e mu)} for `poisson()`, but is scored and
#' predicted as a rate. For `Gamma()`, \eqn{d(y/e, \mu) = d(y, e \mu)}{d(y/e, mu) = d(y, e mu)}:
#' divide without weights. In place of `cbind(success, failure)`, give the proportion, with the
#' sizes as `weights`.
#' @name families
#' @references
#' Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear
#' models via coordinate descent. *Journal of Statistical Software* 33(1).
#'
#' McCullagh, P. (1980). Regression models for ordinal data. *Journal of the Royal Statistical
#' Society B* 42(2), 109-142.
#'
#' Zhu, J. and Hastie, T. (2004). Classification of gene microarrays by penalized logistic
#' regression. *Biostatistics* 5(3), 427-443.
#' @seealso [dg_glm()], [cox_regression]
NULL

#' Cox regression on kernels
#'
#' The model of [dg_glm()] for censored times, `family = "cox"`: default where the response is
#' `survival::Surv()`.
#'
#' @section Model:
#' `"cox"`: the hazard of a row is \eqn{h_0(t)\,e^f}{h0(t) exp(f)}, and the deviance is twice the
#' negative log partial likelihood (Cox, 1972),
#' \deqn{2 \sum_{i:\ \mathrm{event}} c_i \left[\log \sum_{j:\ s_j < t_i \le t_j} c_j e^{f_j} -
#'   f_i\right],}{2 sum_(i: event) c_i [log sum_(j: s_j < t_i <= t_j) c_j exp(f_j) - f_i],}
#' where t is the time (or stop) and s the start, before all times if there is none. With starts,
#' rows enter late (left truncation), or several rows of a subject have predictors that change over
#' time; its rows should be in one domain. Such times are scored by the concordance, in which an
#' event is compared with the rows at risk then; [dg_forest()] does not take them.
#'
#' Tied events count as in Breslow (1974), so that weight k equals k copies of a row (`ties =
#' "breslow"` of [survival::coxph()]; with unscaled predictors, [kernel_linear()] and
#' [domain_pooled()], `lambda` is the `theta` of [survival::ridge()]). b is 0. Decision values are
#' f, the log hazard relative to f = 0; responses are \eqn{e^f}{exp(f)}. `predict(type = "survival",
#' times = )` returns the probabilities \eqn{\exp(-H(t)\,e^f)}{exp(-H(t) exp(f))} of no event until
#' t, with the cumulative baseline hazard H of Breslow (1974), `family$baseline`. Held-out domains
#' are scored by the concordance within each domain, by Uno's concordance or by Brier scores
#' ([metric_brier()]).
#' @section Baseline hazards:
#' With `baseline = "shared"` (default), all domains have the baseline hazard \eqn{h_0}{h0}: the
#' inner sum is over the rows of all domains, and domains differ by f alone. With `baseline =
#' "domain"` each domain has its own: the inner sum is over the rows of the same domain (the
#' stratified model, `strata(domain)` of [survival::coxph()]), so that f is learned from comparisons
#' within domains only. Choose it if the level of risk differs between domains in ways that the
#' predictors do not show. In simulations of such domains, a linear effect of 1 was estimated as
#' 1.00 by domain and as 0.22 to 0.58 with a shared baseline, and the concordance in new domains was
#' higher (0.729 and 0.679) where the mean of the predictor was related to the level; on five data
#' sets no difference was shown (`tests/bench/cox-baseline.R`). The baseline hazard of a new
#' domain cannot be known without its events. For its probabilities, H is that of all training rows
#' together with this f.
#' @section Several kinds of events:
#' With several kinds of events (competing risks), the model is for one of them at a time,
#' `survival::Surv(time, status == "relapse")`: events of other kinds are censored, and f is the log
#' of the cause-specific hazard. The probabilities are then those of a population without the other
#' kinds of events. 1 - S(t) is above the proportion that will have the event, and Brier scores and
#' observed/expected compare with such a population too. [dg_incidence()] combines the models of all
#' kinds to the proportion that will have each event.
#' @name cox_regression
#' @references
#' Breslow, N. (1974). Covariance analysis of censored survival data. *Biometrics* 30(1), 89-99.
#'
#' Cox, D. R. (1972). Regression models and life-tables. *Journal of the Royal Statistical Society
#' B* 34(2), 187-220.
#' @seealso [dg_glm()], [dg_incidence()], [metric_brier()]
NULL
