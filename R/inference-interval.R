#' Prediction intervals and sets for new domains
#'
#' @description
#' Distribution-free intervals (numeric response) and sets of classes for rows of a domain that was
#' not in training, by conformal prediction for hierarchical data:
#'
#' | argument of `predict()` | covered with probability `level` (default 0.9) |
#' |---|---|
#' | `interval = "prediction"` | the response of a random row of a new domain |
#' | `type = "set"` | the class of a random row of a new domain |
#' | `interval = "domain_share"` | at least a proportion `level` of the rows of a new domain |
#' | `interval = "domain_mean"` | the mean response of the rows of a new domain |
#'
#' All learners, [dg_pipeline()]s and ensembles have them. They are computed from the model's errors
#' on held-out training domains. `predict()` computes these errors at the first such call and keeps
#' them for the last eight models of the session. `set_intervals()` stores them in the model: to
#' save it, to predict without the training data, or to take the errors on other labelled domains.
#'
#' @section Assumptions: **Exchangeable domains.** New and training domains must be exchangeable:
#' each of them could as well have been the new one. With a drift over time or with shifted
#' predictors they are not, and intervals cover less than `level`. [dg_novelty()] compares the
#' predictors.
#'
#' **Marginal.** Coverage is an average over new domains: it is lower in some and higher in others.
#' In data sets and simulations (`vignette("evidence")`), 90 % intervals covered 89 to 92 % of the
#' rows of new domains; on a single data set 78 to 100 % (sets of classes 79 to 97 %).
#'
#' **Few domains.** If `level` (G + 1) > G with G domains (fewer than 9 for `level = 0.9`), no
#' distribution-free interval is finite. Intervals are then infinite and sets have all classes, with
#' a message.
#'
#' @section Details:
#' **Empty sets.** If more than a proportion `level` of held-out rows is predicted correctly, q is
#' negative. A row whose largest decision value exceeds the others by less than -q then has an empty
#' set; `type = "class"` gives its most probable class.
#'
#' **Weights.** Intervals and sets weight domains equally. Class probabilities
#' (`calibration = "platt"` or `"isotonic"`) weight rows, so the two can disagree where domains
#' differ in size.
#'
#' **Range of the response.** Intervals end at 0 if no response of training is negative, with a
#' message where that cuts one off; those of [dg_glm()] end where the response of its family does.
#'
#' **Several domain factors**, `y ~ x | school / class`: G counts the levels of the outer factor
#' (of crossed factors, the one with the most levels), which are held out as a whole. Intervals are
#' for rows of a new level: `"domain_share"` is about a new school, not about a new class of a known
#' school. If a level of another crossed factor is new too, a message says that intervals do not
#' allow for it.
#'
#' @param object A fitted learner, pipeline or ensemble. After [dg_adapt()], use the original model.
#' @param newdata `NULL` (default) for the errors on held-out training domains; or labelled rows of
#'   domains that were not in training, for the errors of the model itself on these.
#' @param y Response of each row of `newdata`, if it is not a column of it.
#' @param domain Domain of each row of `newdata`, if it is not a column of it.
#' @param ... Must be empty.
#' @return The model with the element `intervals`, a list of class `dg_intervals` for n rows:
#'   \item{error}{n numbers \eqn{y_i - f_{-g}(x_i)}{y_i - f_-g(x_i)}, in units of the response; for
#'     classes the scores \eqn{s_i}{s_i}, in units of the decision values}
#'   \item{domain}{factor, the domain of each row (with several factors the level of the outer one)}
#'   \item{weights}{case weights of the rows}
#'   \item{shares}{n numbers \eqn{w_i}{w_i}, which sum to 1}
#'   \item{size}{n numbers \eqn{\sigma_{-g}(x_i)}{sigma_-g(x_i)}; absent for classes and if
#'     \eqn{\sigma}{sigma} cannot be fitted}
#'   \item{own}{`TRUE` if \eqn{\sigma}{sigma} is the model's own standard deviation}
#'   \item{sizer}{the regression that predicts \eqn{\sigma}{sigma}, if there is one}
#'   \item{from}{`"held-out domains"` or `"new domains"`}
#'   \item{lowest}{0 if no response is negative, else `-Inf`: the lowest end of intervals}
#'   `predict()` returns a data frame with `fit`, `lower` and `upper`, a row per row of `newdata`
#'   (for `"domain_mean"` a row per domain, with `domain` and `rows` first); with `type = "set"` a
#'   logical matrix with a column per class. Rows with a missing predictor are `NA`.
#' @section Errors and messages:
#' Errors: fewer than two domains; a censored response; an adapted model, whose domain is not new;
#' rows of training domains in `newdata`; a model that does not keep its rows (one with a feature
#' map, or one without a kernel and with more than 5,000 rows) if its data are gone and no `newdata`
#' is given. Too few domains for `level`: a message of class `domgen_message_interval`.
#' @seealso [conformal_intervals], [predict.dg_learner()]; `metric = c("coverage", "width",
#'   "interval_score")` of [dg_cv()]
#' @examples
#' # heights of boys that were not in training
#' known <- subset(nlme::Oxboys, as.integer(Subject) <= 20)
#' new <- subset(nlme::Oxboys, as.integer(Subject) > 20)
#' model <- set_intervals(dg_ridge(height ~ age | Subject, data = known))
#' head(predict(model, new, interval = "prediction"))
#' found <- predict(model, new, interval = "prediction", level = 0.8)
#' mean(found$lower <= new$height & new$height <= found$upper)
#' predict(model, new, interval = "domain_mean", level = 0.8)
#'
#' toy <- simulate_dcm(domains = 14, n = 20, seed = 1)
#' sets <- predict(dg_lm(y ~ . | domain, data = toy), toy[1:5, ], type = "set")
#' sets
#' @export
set_intervals <- function(object, newdata = NULL, y = NULL, domain = NULL, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(set_intervals)))
  check_given(object, "object")
  if (!inherits(object, "dg_learner")) {
    abort("argument", "`object` must be a fitted learner, pipeline or ensemble, not ",
          describe(object), ".")
  }
  check_sealed(object)
  check_new_domains(object)
  check_interval_kind(object)
  if (is.null(newdata)) return(keep_intervals(object, parent.frame()))
  object$intervals <- intervals_at(object, newdata, y, domain)
  seal(object)
}

#' @exportS3Method
keep_intervals.dg_learner <- function(object, env, sample = NULL) {
  check_interval_kind(object)
  object$intervals <- if (is.null(sample)) intervals_of(object, env)
                      else score_intervals(object, sample)
  seal(object)
}

check_interval_kind <- function(model) {
  if (model$response$kind == "censored") {
    abort("argument", "Intervals and sets need a numeric response or classes, not censored times.")
  }
}

check_new_domains <- function(model) {
  if (inherits(model, "dg_adapted")) {
    abort("argument", "Intervals and sets are for new domains, and this model was adapted to its ",
          "domain. Use the original model.")
  }
}

# Errors of the last few models of the session, as predict() is often called more than once.
remembered <- new.env(parent = emptyenv())

most_remembered <- 8L

intervals_of <- function(object, env) {
  if (!is.null(object$intervals)) return(object$intervals)
  key <- object[c("spec", "y", "domain", "weights", "decision")]
  for (old in remembered$models) if (identical(old$key, key)) return(old$held_out)
  held_out <- score_intervals(object, rows_of_fit(object, env))
  remembered$models <- utils::head(c(list(list(key = key, held_out = held_out)), remembered$models),
                                   most_remembered)
  held_out
}

# From labelled rows of domains that were not in training.
intervals_at <- function(object, newdata, y, domain) {
  new <- read_new(object, newdata, domain, NULL, NULL)
  truth <- read_truth(object, newdata, y, length(new$ok))
  groups <- given_domain(object$blueprint, newdata, domain)
  seen <- intersect(unique(as.character(groups)), levels(object$domain))
  if (length(seen)) {
    abort("data", "`newdata` must only have domains that were not in training, but has ",
          enumerate(seen, quote = "\""), ".")
  }
  used <- new$ok & !is.na(truth) & !is.na(groups)
  values <- decide_rows(object, new)
  sample <- list(X = new$X[used[new$ok], , drop = FALSE], y = truth[used],
                 domain = droplevels(factor(groups[used])), weights = rep(1, sum(used)))
  check_held_out(sample, "newdata")
  sd <- if (has_posterior(object)) own_size(object, new)[used]
  settle_intervals(object, sample, list(values = values[used, , drop = FALSE], sd = sd),
                   "new domains")
}

read_truth <- function(object, newdata, y, n) {
  name <- variable_names(object$blueprint)$response
  truth <- if (is.null(y)) response_of(object, newdata) else y
  if (is.null(truth)) {
    abort("data", "The response is missing: give ", enumerate(name), " in `newdata`, or the ",
          "argument `y`.")
  }
  arg <- if (is.null(y)) paste0("newdata$", name) else "y"
  truth <- check_known_response(read_vector(truth, n, arg), object$response, arg)
  if (all(is.na(truth))) abort("data", "All values of `", arg, "` are missing.")
  truth
}

#' @export
format.dg_intervals <- function(x, ...) {
  paste0("from the errors on ", plural(length(x$error), "row"), " of ",
         plural(nlevels(x$domain), sub("s$", "", x$from)))
}

#' @export
print.dg_intervals <- function(x, ...) {
  cat_line("Intervals ", format(x))
  cat_line("  largest `level` with finite intervals: ", format(largest_level(nlevels(x$domain))))
  invisible(x)
}

# ---- intervals and sets at new rows -----------------------------------------------------------

#' @exportS3Method
prediction_interval.dg_learner <- function(object, new, asked) {
  held_out <- intervals_for(object, new, asked)
  fit <- as.numeric(respond(object$response, decide_rows(object, new), "number"))
  natural <- response_range(learner_of(object))
  range <- c(max(natural[1L], held_out$lowest), natural[2L])
  if (asked$interval == "domain_mean") {
    return(cut_to_range(mean_intervals(held_out, fit, new$groups(), asked$level), range,
                        natural))
  }
  half <- half_widths(object, held_out, new, asked)
  cut_to_range(data.frame(fit = fit, lower = fit - half, upper = fit + half), range, natural)
}

# The errors on held-out domains, with messages where they do not suffice.
intervals_for <- function(object, new, asked) {
  check_new_domains(object)
  if (is.null(new)) {
    abort("argument", "`newdata` must be given: intervals and sets are for rows of new domains.")
  }
  held_out <- intervals_of(object, asked$env)
  G <- nlevels(held_out$domain)
  if (is_beyond(asked$level, G)) {
    inform("interval", plural(G, "domain"), " are too few for `level = ",
           format(asked$level, digits = 15L), "`: intervals are infinite, and sets have all ",
           "classes. Use a `level` of at most ", format(largest_level(G)), ".")
  }
  report_other_factors(object, held_out, new)
  held_out
}

# NA where a row had missing values.
half_widths <- function(object, held_out, new, asked) {
  # the size of errors where intervals are better with it
  sized <- !is.null(held_out$size) &&
    is_sized_better(held_out$error, held_out$size, held_out$domain, held_out$shares, asked$level)
  scores <- abs(held_out$error) / if (sized) held_out$size else 1
  threshold <- if (asked$interval == "prediction") {
    row_threshold(scores, held_out$domain, held_out$shares, asked$level)
  } else {
    # the quantile of each domain's own rows, then the k-th smallest of these
    quantiles <- vapply(split(seq_along(scores), held_out$domain), function(i) {
      share_quantile(scores[i], held_out$weights[i] / sum(held_out$weights[i]), asked$level)
    }, numeric(1))
    domain_threshold(quantiles, asked$level)
  }
  half <- rep(NA_real_, length(new$ok))
  half[new$ok] <- if (!is.finite(threshold)) Inf
                  else if (!sized) threshold
                  else if (held_out$own) threshold * own_size(object, new)[new$ok]
                  else threshold * error_size(held_out$sizer, new$X)
  half
}

# The standard deviation of a row's response by the model's own posterior.
own_size <- function(object, new) {
  variance <- decide_rows(object, new, mean_and_variance)[, 2L]
  learner <- learner_of(object)
  sqrt(variance + learner$noise_sd^2) * learner$response$scale
}

# A row for each domain of the new rows, in the order in which they come.
mean_intervals <- function(held_out, fit, groups, level) {
  groups <- as.character(groups)
  groups <- factor(groups, unique(groups))
  n <- tabulate(groups[!is.na(fit)], nlevels(groups))
  means <- vapply(split(fit, groups), mean, numeric(1), na.rm = TRUE, USE.NAMES = FALSE)
  # none of its rows is complete
  means[n == 0L] <- NA
  # squares of very large errors would overflow
  unit <- max(abs(held_out$error))
  if (unit > 0) held_out$error <- held_out$error / unit
  errors <- domain_errors(held_out)
  threshold <- domain_threshold(abs(errors$mean) / mean_size(errors, errors$n), level)
  half <- if (is.finite(threshold)) unit * threshold * mean_size(errors, pmax(n, 1)) else Inf
  data.frame(domain = levels(groups), rows = n, fit = means, lower = means - half,
             upper = means + half)
}

mean_size <- function(errors, n) sqrt(errors$between + errors$within / n)

# Mean errors of domains, and their variance by moments: E mean^2 = between + within / n_g.
domain_errors <- function(held_out) {
  parts <- split(seq_along(held_out$error), held_out$domain)
  share <- lapply(parts, function(i) held_out$weights[i] / sum(held_out$weights[i]))
  mean <- unlist(Map(function(i, w) sum(w * held_out$error[i]), parts, share))
  # effective number of rows: n for n equal weights
  n <- vapply(share, function(w) 1 / sum(w^2), numeric(1))
  squares <- unlist(Map(function(i, w, m) sum(w * (held_out$error[i] - m)^2), parts, share, mean))
  several <- n > 1 + 1e-9
  within <- if (any(several)) mean(squares[several] / (1 - 1 / n[several])) else 0
  between <- max(mean(mean^2 - within / n), 0)
  if (within == 0 && between == 0) within <- 1
  list(mean = mean, n = n, within = within, between = between)
}

#' @exportS3Method
prediction_set.dg_learner <- function(object, new, asked) {
  held_out <- intervals_for(object, new, asked)
  threshold <- row_threshold(held_out$error, held_out$domain, held_out$shares, asked$level)
  levels <- object$response$levels
  sets <- matrix(NA, length(new$ok), length(levels), dimnames = list(NULL, levels))
  values <- decide_rows(object, new)[new$ok, , drop = FALSE]
  sets[new$ok, ] <- if (is.finite(threshold)) class_distances(object, values) <= threshold else TRUE
  sets
}

# Errors on held-out levels of one crossed factor do not cover new levels of another.
report_other_factors <- function(object, held_out, new) {
  structure <- object$blueprint$structure
  # a cross-validation has reported what it holds out
  if (is.null(structure) || !is.null(structure$held) || held_out$from == "new domains") return()
  groups <- new$groups()
  crossed <- outer_factors(structure)
  if (is.null(groups) || length(crossed) < 2L) return()
  old <- domain_levels(structure, levels(object$domain))[crossed]
  held <- which.max(vapply(old, function(names) length(unique(names)), 0L))
  new <- domain_levels(structure, unique(groups[!is.na(groups)]))[crossed]
  unknown <- Filter(length, Map(setdiff, new, old)[-held])
  if (length(unknown) == 0L) return()
  inform("interval", "Intervals and sets come from errors on held-out levels of ",
         enumerate(crossed[held]), " and do not allow for new levels of ",
         enumerate(names(unknown)), ": give labelled rows of such levels to `set_intervals()`.")
}

#' Conformal intervals with domains
#'
#' How [set_intervals()] and `predict()` compute prediction intervals and sets of classes for new
#' domains, and what is guaranteed. Assumptions and what a user meets: [set_intervals()].
#'
#' @section Definition:
#' Let \eqn{f_{-g}}{f_-g} and \eqn{\sigma_{-g}}{sigma_-g} be fitted without domain g, and G the
#' number of domains. Row i of domain g(i) has the score
#' \deqn{s_i = |y_i - f_{-g(i)}(x_i)| / \sigma_{-g(i)}(x_i)}{
#'   s_i = |y_i - f_-g(x_i)| / sigma_-g(x_i)}
#' For classes, \eqn{s_i}{s_i} is the largest decision value of the other classes less that of the
#' row's own class. A row x gets the interval \eqn{f(x) \pm q\,\sigma(x)}{f(x) +- q sigma(x)}, or
#' the set of all classes whose score is at most q. With \eqn{\alpha = 1 - }{alpha = 1 - }`level`:
#'
#' * **Random row** (`"prediction"`, `type = "set"`). Each domain has the same total weight, so that
#'   row i of \eqn{n_g}{n_g} has the weight \eqn{w_i = 1/(G n_g)}{w_i = 1/(G n_g)} (case weights
#'   divide the weight within the domain), and
#'   \deqn{q = \min\{s: \textstyle\sum_i w_i 1[s_i \le s] \ge (1 - \alpha)(1 + 1/m)\}}{
#'     q = min{s: sum_i w_i 1[s_i <= s] >= (1 - alpha)(1 + 1/m)}}
#'   With m = G this is hierarchical conformal prediction (Lee, Barber and Willett, 2024; with
#'   pooled distribution functions, Dunn, Wasserman and Ramdas, 2023). With few domains m = G covers
#'   much more than `level`. Here m is the effective number of independent rows, at least G:
#'   \eqn{m = G p(1 - p)/v}{m = G p (1 - p)/v}. Each domain has a proportion of rows with scores up
#'   to q; p is the mean of these proportions over domains and v their variance.
#' * **Proportion of a domain** (`"domain_share"`). q is the k-th smallest of the G domains' own
#'   `level`-quantiles of \eqn{s}{s}, \eqn{k = \lceil(G + 1)(1 - \alpha)\rceil}{k = ceiling((G + 1)
#'   (1 - alpha))}.
#' * **Mean of a domain** (`"domain_mean"`). A domain with n rows in `newdata` gets the interval
#'   \eqn{\bar f \pm q \sqrt{b + v/n}}{mean f +- q sqrt(b + v/n)} for their mean response. v is the
#'   mean variance of the errors within domains and b the variance between domains (method of
#'   moments). q is the k-th smallest of the G domains' absolute mean errors over
#'   \eqn{\sqrt{b + v/n_g}}{sqrt(b + v/n_g)}, k as above.
#'
#' @section Guarantee:
#' **Exact.** Suppose that f and \eqn{\sigma}{sigma} (for `"domain_mean"` f, b and v) are from other
#' domains than the scores. Then coverage is at least `level` in finite samples, for any
#' distribution. For random rows this needs m = G (Lee, Barber and Willett, 2024). For
#' `"domain_share"` and `"domain_mean"` it holds because each rank of the new domain among the G + 1
#' has the same probability.
#'
#' **Approximate.** By default f is fitted to all domains and each score to all but the row's own
#' (or its fold), for which there is no finite-sample guarantee. With
#' `set_intervals(model, newdata)`, scores are of f itself in other labelled domains. Then only
#' \eqn{\sigma}{sigma} (unless it is the model's own), b and v are estimated from the same domains
#' as the scores. m > G is an approximation in both cases. It brings coverage down to about `level`
#' where domains resemble each other.
#'
#' @section Computation: **Held-out errors** use a closed form where there is one (see
#' [closed_form]), otherwise at most 10 folds of domains (five for the forest of a [dg_auto()]). A
#' [dg_glm()] with a given `lambda` uses the Newton step of [closed_form] if no domain has a tenth
#' of the information. Parameters that a fit selects are selected again without the domain, except
#' those of a [dg_gp()] of more than 1,000 rows.
#'
#' **\eqn{\sigma}{sigma}** is the model's own standard deviation for a Gaussian process. Otherwise
#' it is a kernel ridge regression of \eqn{\log(|y - f_{-g}| + c)}{log(|y - f_-g| + c)} on the
#' predictors, with c one twentieth of the median absolute error. \eqn{\sigma}{sigma} is 1 unless
#' this improves the interval score (Gneiting and Raftery, 2007, equation 43) on held-out rows.
#' @references
#' Dunn, R., Wasserman, L. and Ramdas, A. (2023). Distribution-free prediction sets for two-layer
#' hierarchical models. *Journal of the American Statistical Association* 118(544), 2491-2502.
#'
#' Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and
#' estimation. *Journal of the American Statistical Association* 102(477), 359-378.
#'
#' Lee, Y., Barber, R. F. and Willett, R. (2024). Distribution-free inference with hierarchical
#' data. arXiv 2306.06342.
#' @seealso [set_intervals()], `vignette("intervals-and-novelty")`, and `vignette("evidence")` with
#'   measured coverage
#' @name conformal_intervals
NULL
