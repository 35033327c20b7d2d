#' Adapt a model to a new domain with a few labels
#'
#' @description
#' A model predicts in a new domain from its unlabelled rows. If some of these rows have labels,
#' `dg_adapt()` learns from them without the training data (MTL paper, section 9). With
#' \eqn{f_0(P_T, x)}{f0(P_T, x)} the model's function for the new domain, it minimises
#' \deqn{\sum_i c_i\, \ell(y_i, f(x_i)) + \tfrac12\lVert f - f_0(P_T, \cdot)\rVert^2}{
#'   sum_i c_i l(y_i, f(x_i)) + ||f - f0(P_T, .)||^2 / 2}
#' over the labelled rows, with the model's loss and the norm of the kernel
#' \eqn{\kappa(P_T, P_T)\,k(x, x')}{kappa(P_T, P_T) k(x, x')}. With no labels, the prediction is f0;
#' with many, it approaches a model fitted to the new domain alone.
#'
#' @details
#' All rows of `newdata` (or those of `reference`), labelled or not, describe the domain. The
#' adapted model keeps this description: its predictions for a row do not depend on the other rows
#' given to `predict()`.
#'
#' @param object A [dg_svm()], [dg_ridge()], [dg_glm()] or [dg_gp()], or a fitted [dg_pipeline()]
#'   that ends in one.
#' @param newdata Rows of one new domain, labelled or not, as for [predict()][predict.dg_learner()].
#' @param labels Response with one entry per row of `newdata`, `NA` where it is unknown: a vector,
#'   an expression in the columns of `newdata`, or the name of a column.
#' @param domain Domain of the rows, if it is not a column of `newdata`.
#' @param cost,lambda Positive numbers as in [dg_svm()] and [dg_ridge()]: factor on the loss of the
#'   labelled rows, factor on the squared distance from f0. `NULL`: as in the model; a `lambda` that
#'   the model chose itself is chosen again, with `constant`, see [few_labels].
#' @param constant Non-negative number c that is added to the kernel k of f - f0, so that a shift of
#'   the whole domain has a smaller penalty. `NULL`: chosen with `lambda` if that is chosen, else 0.
#'   Not available with a feature map.
#' @param weights Non-negative numbers, one per row of `newdata`, that multiply the loss of labelled
#'   rows. May be an expression in its columns.
#' @param reference,reference_domain Further unlabelled rows that describe the domain instead of
#'   `newdata`, and their domain, as in [predict()][predict.dg_learner()].
#' @param ... Not used; an argument that is not known is an error.
#' @return An object of class `dg_adapted`, which has [predictions][predict.dg_learner()] for rows
#'   of that domain: a list with
#'   \item{base}{the model at the domain, f0}
#'   \item{correction}{list with the `coefficients` of f - f0, one per labelled row (with a feature
#'     map: per feature) and binary submodel, and what the solver reports}
#'   \item{labelled}{indices of the rows of `newdata` with labels}
#'   \item{decision}{decision values of f at the complete rows of `newdata` (of the standardised
#'     response)}
#'   \item{start, change}{values of f0 there; root mean square of f - f0} `fitted()` and `predict()`
#'   without `newdata` return predictions for the rows it was adapted with, `nobs()` the number of
#'   labelled rows.
#' @section Errors:
#' Rows of several domains, labels of another type than the response, no label, an argument that the
#' model does not have (`lambda` for [dg_svm()]), and other models are errors. In `predict()`, so
#' are rows of another domain and a `reference`.
#' @references
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain
#' generalization by marginal transfer learning. *Journal of Machine Learning
#' Research* 22(2), 1-55.
#' @seealso [few_labels], [predict.dg_learner()]
#' @examples
#' # the growth of a new child, of which the first distance is known
#' new <- subset(nlme::Orthodont, Subject == "M10")
#' model <- dg_ridge(distance ~ age | Subject, data = subset(nlme::Orthodont, Subject != "M10"))
#' adapted <- dg_adapt(model, new, replace(new$distance, 2:4, NA))
#' cbind(new, before = predict(model, new), after = predict(adapted))
#' @export
dg_adapt <- function(object, newdata, labels, ...) {
  enter_session()
  UseMethod("dg_adapt")
}

#' @exportS3Method
dg_adapt.default <- function(object, newdata, labels, ...) {
  check_given(object, "object")
  abort_adapt(describe(object))
}

# Learners that can be adapted.
adaptable <- c("dg_svm", "dg_ridge", "dg_glm", "dg_gp")

abort_adapt <- function(what) {
  abort("argument", "`object` must be a fitted ",
        enumerate(paste0(adaptable, "()")), ", or a pipeline that ends in ",
        "one, not ", what, ".")
}

#' @rdname dg_adapt
#' @export
dg_adapt.dg_learner <- function(object, newdata, labels, domain = NULL, cost = NULL, lambda = NULL,
                             constant = NULL, weights = NULL, reference = NULL,
                             reference_domain = NULL, ...) {
  call <- match.call()
  call[[1L]] <- quote(dg_adapt)
  check_no_dots(list(...), names(formals(dg_adapt.dg_learner))[-1L])
  check_sealed(object)
  args <- adapt_arguments(learner_of(object), cost, lambda)
  args$constant <- if (!is.null(constant)) check_number(constant, "constant", "non-negative")
  check_given(newdata, "newdata")
  check_given(labels, "labels")
  new <- at_domain(object, newdata, domain, reference, reference_domain)
  data <- if (is.data.frame(newdata)) newdata
  env <- parent.frame()
  given <- list(
    labels = named_column(in_columns(substitute(labels), labels, data, env, "labels"), data),
    weights = in_columns(substitute(weights), weights, data, env, "weights")
  )
  given <- read_labels(given, new$ok, learner_of(object)$response)

  if (is.null(lambda)) {
    # a weight of 3 counts as three rows
    labels <- max(1L, as.integer(min(round(sum(given$weights)), 1e6)))
    chosen <- adapt_penalty(learner_of(object), labels, args$constant)
    args[names(chosen)] <- chosen
  }
  seal(corrected(object, new, given, args, call))
}

# What no label changes: domain_rows() with base: the model at the domain, all: the domain's rows,
# seen: these as the learner sees them, start: f0 there.
at_domain <- function(object, newdata, domain, reference = NULL, reference_domain = NULL) {
  new <- domain_rows(object, newdata, domain, reference, reference_domain)
  base <- fix_domain(forget_rows(object), new$described, new$one(new$described))
  all <- list(X = new$X, domain = new$one(new$X))
  seen <- learner_rows(base, all)
  c(new, list(base = base, all = all, seen = seen,
              start = function_values(learner_of(base), seen)))
}

# The model with f - f0 learned from the labelled rows; new: see at_domain().
corrected <- function(object, new, given, args, call) {
  base <- new$base
  learner <- learner_of(base)
  labelled <- which(!is.na(given$y))
  sample <- c(rows_at(new$seen, labelled)[c("X", "domain")],
              list(y = given$y[labelled], weights = given$weights[labelled]))
  start <- new$start
  space <- correction_product(learner$space, sample, args$constant)
  correction <- train_correction(learner, space, sample, start[labelled, , drop = FALSE], args)
  if (!all(is.finite(correction$coefficients))) {
    abort("numeric", "The coefficients overflow with ", format(space$kernel),
          "; scale the labels.")
  }
  adapted <- structure(list(
    base = base, correction = correction, start = start,
    labelled = which(new$ok)[labelled], args = args, name = new$name, response = learner$response,
    calibration = object$calibration,
    weights = given$weights, y = given$y, spec = object$spec, blueprint = new$blueprint,
    formula = object$formula, rows = list(kept = which(new$ok), padded = length(new$ok)),
    domain = new$all$domain, call = call
  ), class = c("dg_adapted", "dg_learner", "dg_fit"))
  # a feature map serves f0 as well
  if (is.null(space$feature_map)) adapted$correction$space <- space
  change <- correction_values(adapted, new$all)
  adapted$change <- sqrt(mean(change^2))
  adapted$decision <- as_decision(learner, start + change)
  if (has_posterior(base)) adapted$moments <- posterior(adapted, new$all)
  adapted
}

#' @exportS3Method
dg_adapt.dg_adapted <- function(object, newdata, labels, ...) {
  abort("argument", "`object` has already been adapted; adapt the original model to all labels.")
}

# f0 + g.
#' @exportS3Method
decision.dg_adapted <- function(object, new) {
  new <- list(X = new$X, domain = one_domain(new$X, object$name))
  learner <- learner_of(object$base)
  start <- function_values(learner, learner_rows(object$base, new))
  as_decision(learner, start + correction_values(object, new))
}

correction_values <- function(object, new) {
  space_expansion(correction_space(object), learner_rows(object$base, new),
                  object$correction$coefficients)
}

# Values of the functions that are expansions in kernels, and decision values made of them, where
# these are more.
function_values <- function(object, new) UseMethod("function_values")

#' @exportS3Method
function_values.default <- function(object, new) decision(object, new)

as_decision <- function(object, values) UseMethod("as_decision")

#' @exportS3Method
as_decision.default <- function(object, values) values

correction_space <- function(object) {
  space <- object$correction$space
  if (is.null(space)) learner_of(object)$space else space
}

# The domain was described when the model was adapted.
#' @exportS3Method
describes_domain.dg_adapted <- function(object) FALSE

#' @exportS3Method
check_new.dg_adapted <- function(object, newdata, domain, reference, reference_domain) {
  if (!is.null(reference) || !is.null(reference_domain)) {
    abort("argument", "`reference` cannot be given: the domain was described when the model was ",
          "adapted. Use the original model.")
  }
  domains <- given_domain(object$blueprint, newdata, domain)
  other <- setdiff(unique(as.character(domains)), c(object$name, NA))
  if (length(other) && !is.null(object$name)) {
    abort("data", "`newdata` must have rows of the domain \"", object$name, "\" that the model ",
          "was adapted to, not of ", enumerate(other, quote = "\""), ".")
  }
}

#' @export
nobs.dg_adapted <- function(object, ...) length(object$labelled)

#' @export
coef.dg_adapted <- function(object, ...) object$correction$coefficients

#' @exportS3Method
describe_fit.dg_adapted <- function(x) {
  learner <- learner_of(x)
  shown <- x$args[intersect(names(x$args), c("cost", "lambda", "constant"))]
  if (has_posterior(x)) shown <- learner[c("signal_sd", "noise_sd")]
  c(list(fact("adapted", paste0(if (!is.null(x$name)) paste0("to domain \"", x$name, "\", "), "by ",
                                plural(length(x$labelled), "labelled row"), " of ",
                                format(x$rows$padded, big.mark = big_mark())))),
    kernel_facts(learner), unname(Map(fact, names(shown), shown)),
    list(fact("change", x$change * x$response$scale, ", root mean square of f - f0 at its rows",
              digits = 3L)))
}

#' @exportS3Method
learner_of.dg_adapted <- function(object) learner_of(object$base)

#' How a few labels correct a model
#'
#' What does [dg_adapt()] minimise for each model, and how is the penalty of the correction chosen?
#'
#' @section By model:
#'
#' * [dg_svm()]: \eqn{c_i = \mathrm{cost}\cdot w_i}{c_i = cost w_i}; f0 enters the linear term of
#'   the dual problem.
#' * [dg_ridge()]: \eqn{\sum_i w_i (y_i - f(x_i))^2 + \lambda\lVert f - f_0\rVert^2}{
#'   sum_i w_i (y_i - f(x_i))^2 + lambda ||f - f0||^2}, that is, \eqn{f = f_0 + g} with
#'   \eqn{g = \sum_i \alpha_i \kappa k(x_i, \cdot)}{g = sum_i alpha_i kappa k(x_i, .)},
#'   \eqn{(K + \lambda\,\mathrm{diag}(1/w))\alpha = y - f_0}{(K + lambda diag(1/w)) alpha = y - f0}.
#' * [dg_glm()]: \eqn{\sum_i w_i d(y_i, \mu_i) + \lambda\lVert f - f_0\rVert^2}{ sum_i w_i d(y_i,
#'   mu_i) + lambda ||f - f0||^2}, with \eqn{\mu}{mu} the mean at f. The thresholds of `"ordinal"`
#'   and the baseline hazard of `"cox"` are those of the model. For `"cox"`, labels are
#'   `survival::Surv(time, status)`, the first sum is the partial likelihood with the labelled rows
#'   at risk, and f is f0 unless an event occurs while another row is at risk.
#' * [dg_gp()]: f0 is the prior mean, \eqn{s^2\kappa(P_T, P_T)k}{s^2 kappa(P_T, P_T) k} the prior
#'   covariance and \eqn{\nu^2/w_i}{nu^2 / w_i} the noise. `predict(se.fit = TRUE)` returns the
#'   standard deviations of that posterior. They treat f - f0 as uncertain as f before training, and
#'   are therefore too large with few labels.
#' * [dg_pipeline()]: the projection is kept; its learner is adapted on the projected scores.
#'
#' With a feature map z, \eqn{\kappa k} is
#' \eqn{\langle z(P_T, x), z(P_T, x')\rangle}{<z(P_T, x), z(P_T, x')>}, which is small for a domain
#' that resembles no training domain. Probabilities keep the model's calibration. An unpenalised
#' constant (`intercept = TRUE`) stays as in f0. A numeric response is standardised as in training.
#' @section Penalty of the correction:
#' The `lambda` of a [dg_ridge()] suits prediction without labels of the new domain, not the
#' correction by a few labels. `lambda` and `constant` of the correction are therefore chosen on the
#' training domains, if three conditions hold: `lambda` was not given to [dg_ridge()] or here, the
#' model keeps its rows (no feature map), and at least 3 training domains have enough rows.
#' Otherwise `lambda` is the model's and `constant` is 0, unless they are given.
#'
#' Each training domain is predicted by the others (see [closed_form]). The prediction is corrected
#' by as many labels as are given now (at most 200; fewer if domains are small), in 3 random draws,
#' and scored on the domain's remaining rows. Candidates for `lambda` are 0.001 to 1000, the model's
#' `lambda` and no correction; candidates for `constant` are 0, 1 and 10. The pair with the smallest
#' mean squared error, averaged over domains, is chosen. At most 2,000 rows of whole domains are
#' used (more if 3 domains have more), always the same ones.
#'
#' In simulations without differences between domains, the model's own `lambda` raised the error by
#' 6 to 7 % with 2 or 8 labels, the chosen one by 0 %. Errors on real data:
#'
#' | data | labels | without labels | model's `lambda` | chosen |
#' |---|---|---|---|---|
#' | Oxide | 5 | 13.2 | 11.9 | 6.1 |
#' | sleepstudy | 2 | 42.3 | 33.2 | 29.2 |
#' | Orthodont | 1 | 2.11 | 1.68 | 1.60 |
#' | MathAchieve | 8 | 6.47 | 6.34 | 6.33 |
#' @name few_labels
#' @seealso [dg_adapt()]; `vignette("deployment")`
NULL
