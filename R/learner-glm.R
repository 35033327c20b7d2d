#' Generalised linear models on kernels and labelled domains
#'
#' @description
#' Kernel regression for responses that are no plain numbers: classes, proportions, counts, positive
#' amounts, censored times. With the mean \eqn{\mu = h(f + b)}{mu = h(f + b)}, h the inverse of the
#' family's link, f minimises
#' \deqn{\sum_i c_i\, d(y_i, \mu_i) + \lambda\lVert f\rVert^2,}{
#'   sum_i c_i d(y_i, mu_i) + lambda ||f||^2,}
#' where d is the unit deviance of the family (McCullagh and Nelder, 1989, section 2.3), twice what
#' the row lacks of the largest log likelihood, and \eqn{c_i}, \eqn{\lambda}{lambda} and the norm of
#' the kernel \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')} are those of [dg_ridge()]: with
#' `family = gaussian()` it is that regression, with its `lambda`. The constant b has no penalty.
#'
#' @details
#' **Families.** `gaussian()`, `binomial()`, `poisson()`, `Gamma()`, `inverse.gaussian()` and the
#' three of `quasi()` of base R ([stats::family]) with their links, `"multinomial"` and `"ordinal"`.
#' What is fitted is the mean, so that a dispersion makes no difference: `quasipoisson()` is
#' `poisson()`. `NULL` takes `gaussian()` for a number, `binomial()` for two classes,
#' `"multinomial"` for more, `"cox"` for censored times.
#'
#' * `binomial()`: two classes (the second is predicted by \eqn{\mu}{mu}), or a number from 0 to 1,
#'   such as the share of ill animals of a herd, with its size as `weights`.
#' * `"multinomial"`: probabilities \eqn{p_c = e^{f_c + b_c} / \sum_j e^{f_j + b_j}}{
#'   p_c = exp(f_c + b_c) / sum_j exp(f_j + b_j)} with a function for each class,
#'   \eqn{d = -2\log p_y}{d = -2 log p_y}, the norms add up, and the functions and constants sum
#'   to 0 (Zhu and Hastie, 2004; Friedman, Hastie and Tibshirani, 2010, section 4).
#' * `"ordinal"`: classes in the order of their levels, \eqn{P(y \le k) = 1/(1 + e^{f -
#'   \theta_k})}{P(y <= k) = 1 / (1 + exp(f - theta_k))} with increasing thresholds
#'   \eqn{\theta}{theta}, without a penalty, in the place of b, \eqn{d = -2\log p_y}{d = -2 log
#'   p_y} (the cumulative logit or proportional odds model, McCullagh, 1980). One function for all
#'   classes; decision values are the logarithms of their probabilities.
#'
#' * `"cox"`: times until an event, of which some are only known to be longer, as
#'   `survival::Surv(time, status)`, right-censored. The hazard of a row is \eqn{h_0(t)\,e^f}{h0(t)
#'   exp(f)}, and twice the negative logarithm of the partial likelihood (Cox, 1972) is the
#'   deviance,
#'   \deqn{2 \sum_{i:\ \mathrm{event}} c_i \left[\log \sum_{j:\ t_j \ge t_i} c_j e^{f_j} -
#'     f_i\right].}{2 sum_(i: event) c_i [log sum_(j: t_j >= t_i) c_j exp(f_j) - f_i].}
#'   Events at the same time count as Breslow (1974) has it, by which weight k is k copies of a row
#'   (`ties = "breslow"` of [survival::coxph()]; on predictors that are not scaled, with
#'   [kernel_linear()] and [domain_pooled()], `lambda` is the `theta` of [survival::ridge()]). The
#'   baseline \eqn{h_0}{h0} is that of all domains together, as no row of a new domain tells its
#'   own, so that domains differ by f alone; a constant makes no difference, and b is 0. Decision
#'   values are f, the logarithm of the hazard beside that of f = 0, and responses
#'   \eqn{e^f}{exp(f)}. With the cumulative baseline hazard H of Breslow (1974), `family$baseline`,
#'   the probability to be without the event until t is \eqn{\exp(-H(t)\,e^f)}{exp(-H(t) exp(f))}.
#'   Left-out domains are scored by the concordance within each, see [dg_cv()].
#'
#' **Offset and exposure.** What is known of the link is an `offset()` of the formula, as in
#' [stats::glm()]: \eqn{\mu = h(f + b + o)}{mu = h(f + b + o)}. No kernel sees it, new rows must
#' have its columns, predictions contain it, and [lodo()], [adapt()] and [dg_cv()] know it. Where a
#' count grows with an exposure e (time at risk, inhabitants), `offset(log(e))` makes f the
#' logarithm of the rate. The rate y/e with `weights = e` gives the same f, \eqn{e\, d(y/e, \mu) =
#' d(y, e \mu)}{e d(y/e, mu) = d(y, e mu)} for `poisson()`, but is scored and predicted as a rate;
#' for `Gamma()`, \eqn{d(y/e, \mu) = d(y, e \mu)}{d(y/e, mu) = d(y, e mu)}, so that one divides
#' without weights. Not with `"multinomial"`, and neither in a [chain()] nor an ensemble;
#' [dg_null()] takes no notice of it. In place of `cbind(success, failure)` give the share, with the
#' sizes as weights.
#'
#' **Solver.** Newton's method with the expected curvature (Fisher scoring, iteratively reweighted
#' least squares; of `"cox"` the observed one), a step along which the objective does not go down is
#' shortened; on the Gram matrix a Cholesky factorisation a step, n^3/3 operations, on a feature map
#' with r coordinates n r^2. `"cox"` has the second steps on the Gram matrix too, in the r columns
#' of its root, r its rank. For more than two classes steps go round the classes, each with the
#' others as known, or from f to the thresholds and back. It stops where a step gains less than
#' 1e-14 of the objective.
#'
#' **The penalty.** Where `lambda` is not given, it is the one of a path by which groups of domains
#' (at most 10) that are left out have the least deviance, by fits without them (to at most 500
#' rows, so that it takes some seconds). How wide the kernel between domains is they say as in
#' [dg_ridge()], in closed form: in the quadratic approximation of the deviance at the model that
#' has the constant alone.
#'
#' **Probabilities** are those of the likelihood and need no calibration map. Like those of
#' [dg_svm()] with `loss = "logistic"` they are shrunk towards the class frequencies and have not
#' seen a left-out domain; `dg_cv(metric = "log_loss")` says what they are worth there.
#'
#' **Intervals** of `predict(interval = )` rest on the errors at left-out domains
#' ([fix_intervals()]), and end where the response does: shares at 0 and 1, counts and amounts at 0.
#' At most ten fits without domains give these errors, each of which chooses `lambda` anew where it
#' is open: seconds become a minute for some hundred rows of several classes. With `lambda` given,
#' or [features_nystrom()], they are quick; [fix_intervals()] finds them once.
#'
#' @inheritParams dica
#' @inheritParams dg_ridge
#' @param family One of base R's families, as an object, a function or a name (`poisson()`,
#'   `poisson`, `"poisson"`), `"multinomial"`, `"ordinal"` or `"cox"`. `NULL`: by the response, see
#'   Details.
#' @param offset Add the constant b, without a penalty? Without it f shrinks to the link 0: a
#'   probability of 1/2, a mean of 1 with a log link.
#' @return With data, an object of class `dg_glm`, a list with
#'   \item{coefficients}{n x m matrix, or r x m with features, as in [dg_ridge()]; m is 1, or the
#'     number of classes if there are more than two}
#'   \item{offset}{m constants b}
#'   \item{decision}{n x m values of f + b at the training rows, on the scale of the link}
#'   \item{family}{its name, link and (of `quasi()`) variance, of `"ordinal"` the `thresholds`, of
#'     `"cox"` the `baseline`, a data frame with `time` of events and cumulative `hazard`}
#'   \item{deviance, null_deviance}{sum of c_i d_i, and of the model that has b alone}
#'   \item{converged, iterations}{of the solver}
#'   \item{costs, lambda}{c_i; as given, or as chosen}
#'   and what `predict()` needs (`known`: the columns of an offset): `type = "response"` gives the
#'   mean of a number and, as of all classifiers here but not as of [glm()], the most probable class
#'   of classes; `"prob"` their probabilities, of every family of classes, `"decision"` f + b, and
#'   the offset.
#'   Without data, a specification. `deviance()` gives the deviance, `residuals(type = )`
#'   `"response"`, `"deviance"` or `"pearson"` residuals of a number.
#' @section Errors:
#' A response that the family does not have (negative counts, three classes of `binomial()`, times
#' that are not right-censored, or without an event), intervals, sets and probabilities of `"cox"`,
#' a link that has no value at 0 with `offset = FALSE`, an `offset()` that is no finite number,
#' families that are not of base R, non-positive `lambda`, unknown arguments, and Gram matrices over
#' the memory limit ([domgen-package]) are errors; a solver that stops early gives a warning of
#' class `domgen_warning_convergence`.
#' @references
#' Breslow, N. (1974). Covariance analysis of censored survival data. *Biometrics* 30(1), 89-99.
#'
#' Cox, D. R. (1972). Regression models and life-tables. *Journal of the Royal Statistical Society
#' B* 34(2), 187-220.
#'
#' Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear
#' models via coordinate descent. *Journal of Statistical Software* 33(1).
#'
#' McCullagh, P. (1980). Regression models for ordinal data. *Journal of the Royal Statistical
#' Society B* 42(2), 109-142.
#'
#' McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, 2nd edition. Chapman and
#' Hall.
#'
#' Zhu, J. and Hastie, T. (2004). Classification of gene microarrays by penalized logistic
#' regression. *Biostatistics* 5(3), 427-443.
#' @seealso [dg_ridge()], [predict.dg_learner()], [lodo()], [metric_deviance()]
#' @examples
#' # breaks of wool by loom: kinds of wool and tension that were not in training
#' looms <- transform(warpbreaks, kind = interaction(wool, tension))
#' model <- dg_glm(breaks ~ wool + tension | kind, data = looms, family = poisson())
#' model
#' head(predict(model, looms))
#'
#' # the share of ill animals, herds of 1 to 35 as domains
#' if (requireNamespace("lme4", quietly = TRUE)) {
#'   cbpp <- lme4::cbpp
#'   herds <- dg_glm(incidence / size ~ period | herd, data = cbpp, weights = size,
#'                   family = binomial())
#'   print(herds)
#'   lodo(herds)
#' }
#'
#' # survival of patients whose hospital was not in training
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   lung <- na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog", "inst")])
#'   cox <- dg_glm(survival::Surv(time, status) ~ age + sex + ph.ecog | inst, data = lung)
#'   print(cox)
#'   lodo(cox)
#' }
#' @export
dg_glm <- function(x, y = NULL, domain = NULL, data = NULL, family = NULL, lambda = NULL,
                   kernel = NULL, domain_kernel = domain_distribution(),
                   features = features_exact(), offset = TRUE, weights = NULL,
                   domain_weights = c("size", "equal"),
                   scale = c("pooled", "domain", "both", "rank", "none"), domain_means = FALSE,
                   na.action = stats::na.omit, threads = NULL, ...) {
  parts <- learner_parts("Generalised kernel regression", parameters = glm_parameters,
                         offset = TRUE)
  fit_or_specify(method_spec("dg_glm", "dg_glm_spec", parts, environment()), match.call(),
                 parent.frame())
}

glm_parameters <- function() parameters(
  parameter("family", or_null(check_family), tuned = FALSE),
  with_entries(shared_parameters$lambda, check = or_null(a_number()),
               grid = function(n, args) n * 10^(-5:-1)),
  open_kernel()
)

#' @exportS3Method
fit_sample.dg_glm_spec <- function(spec, sample) {
  args <- spec$args
  check_representation(args$features, nrow(sample$X), copies = 2)
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (args$offset) args$kernel <- free_origin(args, sample$X)
  task <- glm_task(family_for(args$family, sample$y), sample, args, spec$known)
  if (is.null(args$lambda)) args <- choose_glm_penalty(args, sample, task)
  product <- sample_space(args, sample)
  solved <- train_glm(newton_data(product, sample), task, args)
  warn_glm(solved)
  if (ncol(task$Y) > 1L) colnames(solved$coefficients) <- task$response$levels
  family <- if (is.null(solved$family)) task$family else solved$family
  deviances <- c(glm_deviance(task, constant_values(task)),
                 glm_deviance(fitted_task(task, family), solved$decision))
  solved$family <- NULL
  fitted <- structure(c(solved, list(
    family = family, deviance = deviances[2L], null_deviance = deviances[1L], costs = task$costs,
    lambda = args$lambda, weights = sample$weights, response = task$response, y = sample$y,
    product = product, known = spec$known
  )), class = c("dg_glm", "dg_learner", "dg_fit"))
  fitted$decision <- as_decision(fitted, fitted$decision)
  fitted
}

fitted_task <- function(task, family) {
  utils::modifyList(task, list(family = family, loss = family_loss(family)))
}

warn_glm <- function(solved) {
  if (all(solved$converged)) return(invisible())
  warn("convergence", "The solver stopped after ", plural(max(solved$iterations), "iteration"),
       "; raise `lambda` or scale the data.")
}

#' @exportS3Method
decision.dg_glm <- function(object, rows) as_decision(object, function_values(object, rows))

# Of the link.
#' @exportS3Method
function_values.dg_glm <- function(object, rows) {
  values <- add_offset(space_expansion(object$product, rows, object$coefficients), object$offset)
  add_known(values, known_values(rows$X, object$known))
}

#' @exportS3Method
as_decision.dg_glm <- function(object, values) {
  values <- family_scores(object$family, values)
  if (ncol(values) > 1L) colnames(values) <- object$response$levels
  values
}

#' @exportS3Method
respond.dg_glm <- function(object, values, type) {
  response <- object$response
  if (type == "decision") return(if (ncol(values) > 1L) values else unname(drop(values)))
  means <- family_means(object$family, values)
  if (!type %in% c("class", "prob")) return(unname(drop(means)))
  if (ncol(means) == 1L) means <- cbind(1 - means, means)
  dimnames(means) <- list(NULL, response$levels)
  if (type == "prob") means else largest_class(means, response$levels)
}

#' @exportS3Method
response_range.dg_glm <- function(object) {
  range <- family_range(object$family)
  c(range$low, range$high)
}

#' @exportS3Method
spec_needs.dg_glm_spec <- function(spec) {
  needs <- NextMethod()
  needs$response <- family_needs(spec$args$family)
  needs
}

# Which columns are an offset, once the data are known.
#' @exportS3Method
place_spec.dg_glm_spec <- function(spec, columns) {
  spec <- NextMethod()
  spec["known"] <- list(if ("offset" %in% columns$kind) which(columns$kind == "offset"))
  spec
}

#' @exportS3Method
spec_gives.dg_glm_spec <- function(spec) "prob"

#' @exportS3Method
print_details.dg_glm <- function(x) {
  cat_line("  family         ", format(x$family))
  describe_response(x$response)
  describe_kernels(x$product)
  args <- x$spec$args
  cat_line("  lambda = ", format(rounded(penalty_of(x, "lambda"), 4)),
           if (is.null(args$lambda)) chosen_by(x), " (domain weights: ", args$domain_weights,
           "), offset: ",
           offset_words(x$offset, args$offset))
  known <- x$blueprint$columns[x$known]
  if (length(known)) cat_line("  known: ", paste(known, collapse = ", "))
  cat_line("  deviance ", rounded(x$deviance, 4), ", of the constant alone ",
           rounded(x$null_deviance, 4), "; ", if (!all(x$converged)) "NOT ", "converged after ",
           plural(max(x$iterations), "iteration"))
}

#' @importFrom stats deviance
#' @export
deviance.dg_glm <- function(object, ...) check_sealed(object)$deviance

#' @export
residuals.dg_glm <- function(object, type = c("response", "deviance", "pearson"), ...) {
  type <- check_choice(type, "type", c("response", "deviance", "pearson"))
  if (type == "response") return(NextMethod())
  check_sealed(object)
  if (object$response$kind != "number") abort_no_residuals(object)
  base <- family_object(object$family)
  mu <- drop(family_means(object$family, object$decision))
  root <- if (type == "pearson") (object$y - mu) / sqrt(base$variance(mu)) else {
    sign(object$y - mu) * sqrt(pmax(base$dev.resids(object$y, mu, rep(1, length(mu))), 0))
  }
  pad_rows(sqrt(object$weights) * root, object)
}
