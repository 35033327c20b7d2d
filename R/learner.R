# What all learners share: their description, prediction and what becomes of decision values.

learner_parts <- function(title, response = "any", domain = FALSE, parameters = NULL,
                          offset = FALSE) {
  list(title = title, response = response, domain = domain, weights = TRUE, offset = offset,
       parameters = parameters)
}

# A kernel that is not given is kernel_rbf(), behind a projection kernel_linear().
open_kernel <- function() with_entries(shared_parameters$kernel, check = or_null(check_kernel))

# Shares, because sums of weights or numbers near 1e308 overflow.
weighted_mean <- function(y, weights) {
  share <- weights / max(weights)
  sum(share / sum(share) * y)
}

weighted_sd <- function(centred, weights) {
  centred <- centred[weights > 0]
  largest <- max(abs(centred))
  if (largest == 0) return(0)
  largest * sqrt(weighted_mean((centred / largest)^2, weights[weights > 0]))
}

# Which class is the positive one; whether 0 and 1 were taken for numbers.
describe_response <- function(response) {
  levels <- response$levels
  cat_line("  response       ", if (!is.null(response$words)) response$words else
           if (response$kind == "number") "a number" else {
         paste0("classes, ", enumerate(levels, quote = "\""),
                if (length(levels) == 2L) {
                  paste0(" (decision > 0: ", dQuote(levels[2L], FALSE), ")")
                })
       })
}

check_two_classes <- function(y, method) {
  if (is.factor(y) && nlevels(y) != 2L) {
    abort("data", "`", method, "()` needs a number or two classes as response, not ",
          plural(nlevels(y), "class", "classes"), " (", enumerate(levels(y), quote = "\""), ").")
  }
}

domain_weightings <- c("equal", "size")

#' Predict with a learner
#'
#' @description
#' Predictions for new rows, from domains seen in training or not. With a domain
#' kernel other than [domain_pooled()] the prediction for a row depends on the
#' *unlabelled* rows of its domain: `newdata` must say which domain a row
#' belongs to, and all of a domain's rows in `newdata` describe it, or, if given,
#' its rows in `reference`. The result depends neither on the order of the rows
#' nor on the threads; a domain described by a single row gives a warning.
#'
#' @inheritParams predict.dg_projection
#' @param object A learner ([dg_svm()], [dg_ridge()], [dg_auto()], [dg_ensemble()], [dg_lm()],
#'   [dg_null()], [dg_forest()], [learner_custom()] and others) or a [dg_pipeline()] that was
#'   fitted.
#' @param type `"response"`: the number, or the class. `"class"`: the class.
#'   `"prob"`: a matrix of class probabilities ([dg_lm()], [dg_null()], [dg_forest()],
#'   [dg_boost()], [dg_net()], [dg_mixed()], [dg_gam()], a [learner_custom()] whose functions give
#'   some, a [dg_ensemble()] all of whose members do, [dg_svm()] with `loss = "logistic"`, and
#'   [dg_svm()], [dg_ridge()], [dg_auto()] and others that were fitted with
#'   `calibration = "platt"` or `"isotonic"`). A model with probabilities gives the most probable
#'   class, the first of several, so that class and probabilities never contradict each other; they
#'   can differ from the class that the sign or the largest of the decision values would give.
#'   `"decision"`: the value whose sign decides between the two classes
#'   (positive: the second level); with more classes a matrix of scores with one column
#'   per class, the largest of which decides; for a number the same as `"response"`.
#'   `"similarity"`: how near a row is to those of training, see Details. `"set"`: a set of classes
#'   that has that of the row with probability `level`, see [set_intervals()].
#' @param domain Domain of each row of `newdata`, when it is not a column of it; one value if all
#'   rows are from one domain. Needed where a row is judged by the rows of its domain: with a kernel
#'   between domains, scaling or imputation by domain, or `domain_means = TRUE`. [dg_mixed()] knows
#'   the training domains by it.
#' @param reference More unlabelled rows of the new domains, like `newdata`; a domain that appears
#'   in it is judged by these rows instead of by its rows in `newdata`. Without it a few rows of a
#'   training domain are judged by these few alone, and predicted otherwise than by `fitted()`;
#'   `"training"` takes the stored rows (or their moments) of the training domains; a model with a
#'   feature map keeps none. Only used with a kernel between domains, scaling or imputation by
#'   domain, or `domain_means = TRUE`. [set_reference()] gives a model that has it for good.
#' @param se.fit If `TRUE`, standard errors are returned as well. Only models with a posterior have
#'   them: [dg_gp()], and pipelines that end in one, see [predict.dg_gp()].
#' @param interval `"prediction"`: an interval that has the number of a row of a new domain with
#'   probability `level`; `"domain_share"`: intervals that have, with probability `level`, at least
#'   the share `level` of a new domain's rows; `"domain_mean"`: an interval for the mean of each
#'   domain of `newdata`. Distribution-free, from the errors at left-out domains, and true of new
#'   domains that are exchangeable with these (no drift in time, no shifted predictors): see
#'   [set_intervals()]. `"confidence"` and `"posterior"` are for models with a posterior, see
#'   [predict.dg_gp()].
#' @param level Probability of intervals and sets.
#' @details
#' **Far from training.** Where a kernel such as the Gaussian is near 0 at all training rows, a
#' prediction is the constant to which f shrinks. `type = "similarity"` says how far each row is
#' from that,
#' \deqn{\max_i \frac{|\bar k((P, x), (P_i, x_i))|}{
#'   \sqrt{\bar k((P, x), (P, x))\, \bar k((P_i, x_i), (P_i, x_i))}},}{
#'   max_i |k((P, x), (P_i, x_i))| / sqrt(k((P, x), (P, x)) k((P_i, x_i), (P_i, x_i))),}
#' the largest over the training rows (the landmarks, for [features_nystrom()]) of the normalised
#' kernel \eqn{\bar k = \kappa k}{kappa k}: 1 at a training row of its own domain, 0 far from all.
#' It takes about as long as a prediction. A model of [dg_auto()] gives the mean of its members.
#'
#' With [domain_distribution()] a domain is far when
#' \deqn{\max_g \frac{\kappa(P, P_g)}{\sqrt{\kappa(P, P)\,\kappa(P_g, P_g)}}
#'   \frac{|\langle\mu_P, \mu_g\rangle|}{\lVert\mu_P\rVert\lVert\mu_g\rVert} < 0.01,}{
#'   max_g kappa(P, P_g) / sqrt(kappa(P, P) kappa(P_g, P_g)) |<mu_P, mu_g>| / (|mu_P| |mu_g|)
#'   < 0.01,}
#' which gives a warning of class `domgen_warning_far_domain`, one for each call, with the domains'
#' names. So does a domain that is nearer than that, and more than twice as far as any training
#' domain when it is left out, of at least 19: [dg_novelty()] has the distances. A domain of much
#' fewer rows than those in training can seem far for that reason alone: give more of its unlabelled
#' rows as `reference`.
#' @return A vector with one entry per row of `newdata` (a factor for classes), or
#'   for `type = "prob"` a matrix with one column per class, named by the levels, whose rows sum
#'   to 1; for `type = "similarity"` numbers from 0 to 1; for `"set"` a logical matrix with a column
#'   per class. With `interval` a data frame with `fit`, `lower` and `upper`, a line per row of
#'   `newdata`, or for `"domain_mean"` per domain, with `domain` and `rows` before them. With
#'   `se.fit` a list, see [predict.dg_gp()]. Rows with missing values, and with levels that are new
#'   under `new_levels = "na"`, give `NA`, with a warning, unless the model was fitted with
#'   `na.action = na.impute` ([na.impute()]).
#' @section Saved models:
#' A fit carries all that predictions need and can be saved, say with [saveRDS()]. It also has a
#' record of its parts: their kinds, shapes, missing and infinite values, and the range of whole
#' numbers. `predict()` and whatever else uses the numbers of a model compare them with the record
#' first. A model that was cut or changed, one whose number of `threads` no machine has, and one
#' that an earlier version of the package fitted without such a record, is an error of class
#' `domgen_error_model` that names the part. A finite number in the place of another is not
#' noticed. What users add beside the parts does no harm, and `model$spec$args$threads` may be
#' changed to a number from 1 to 1024.
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:5])
#' model <- dg_svm(y ~ . | domain, data = train)
#' new <- subset(toy, !domain %in% levels(domain)[1:5])
#' head(predict(model, new))
#' head(predict(model, new, type = "decision"))
#' head(predict(model, new, type = "similarity"))
#'
#' model <- update(model, calibration = "platt")
#' head(predict(model, new, type = "prob"))
#' @export
predict.dg_learner <- function(object, newdata, domain = NULL,
                               type = c("response", "class", "prob", "decision", "similarity",
                                        "set"),
                               reference = NULL, reference_domain = NULL, se.fit = FALSE,
                               interval = c("none", "confidence", "posterior", "prediction",
                                            "domain_share", "domain_mean"), level = 0.9,
                               new_levels = c("na", "error"), ...) {
  check_sealed(object)
  posterior <- has_posterior(object)
  known <- setdiff(names(formals(predict.dg_learner)), c("object", if (!posterior) "se.fit"))
  se <- check_flag(se.fit, "se.fit")
  if (se && !posterior) {
    abort("argument", "`se.fit` must be FALSE for `", innermost(object$spec)$method, "()`, which ",
          "has no posterior; `dg_gp()` has one.")
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
  if (type %in% c("class", "prob", "set") && kind != "class") {
    abort("argument", "`type` must be \"response\" or \"decision\" when the response is ",
          kind_words(kind), ", not \"", type, "\".")
  }
  of <- list(domain = domain, reference = reference, reference_domain = reference_domain,
             new_levels = new_levels)
  asked <- list(type = if (type == "response") kind else type, interval = interval,
                level = check_level(level), se = se,
                sd = se || interval %in% c("confidence", "posterior"), env = parent.frame())
  predict_rows(object, newdata, of, asked, list(...), known)
}

prediction_types <- c("response", "class", "prob", "decision", "similarity", "set")

#' @export
fitted.dg_learner <- function(object, ...) {
  check_sealed(object)
  respond(targets_of(object), pad_rows(object$decision, object), object$response$kind)
}

#' @export
residuals.dg_learner <- function(object, ...) {
  check_sealed(object)
  if (object$response$kind != "number") abort_no_residuals(object)
  pad_rows(object$y, object) - fitted(object)
}

abort_no_residuals <- function(object) {
  found <- kind_words(object$response$kind)
  abort("argument", "Residuals need a numeric response, not ", found, ".")
}

#' @export
weights.dg_learner <- function(object, ...) pad_rows(check_sealed(object)$weights, object)
