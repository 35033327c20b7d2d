#' Intervals and sets that hold on new domains
#'
#' @description
#' `predict(model, newdata, interval = "prediction", level = 0.9)` gives intervals, and
#' `predict(model, newdata, type = "set", level = 0.9)` sets of classes, that contain the response
#' of a row of a *new* domain with probability `level`, whatever the distribution of the data, by
#' conformal prediction for hierarchical data (Dunn, Wasserman and Ramdas, 2023; Lee, Barber and
#' Willett, 2024). All learners, [dg_pipeline()]s and ensembles have them. They rest on the errors
#' at left-out domains, which `predict()` finds when it is asked for an interval, and remembers for
#' the last few models of the session. `set_intervals()` gives a model that carries them: to save
#' it, to predict without the training data, or to take the errors at other domains.
#'
#' **Assumption.** New domains must be exchangeable with those of training (any of them could have
#' been the new one): later domains of a drift in time, or domains with shifted predictors, are not,
#' and intervals then cover less than their level.
#'
#' @details
#' **Errors.** The score of row i is \eqn{s_i = |y_i - f_{-g(i)}(x_i)| / \sigma_{-g(i)}(x_i)}{
#' s_i = |y_i - f_-g(x_i)| / sigma_-g(x_i)} with \eqn{f_{-g}}{f_-g} fitted without the row's domain
#' (in closed form where there is one, see [dg_lodo()]; else in at most 10 folds of domains;
#' parameters that a fit chooses are chosen anew, but for those of a [dg_gp()] of more than 1,000
#' rows), and the interval is
#' \eqn{f(x) \pm q\,\sigma(x)}{f(x) +- q sigma(x)}. The size \eqn{\sigma}{sigma} of the
#' error is that of a Gaussian process itself, or a kernel ridge regression of \eqn{\log(|y -
#' f_{-g}| + c)}{log(|y - f_-g| + c)} on the predictors, with c a twentieth of the median; or 1, if
#' the interval score of left-out rows is not better with it. For classes \eqn{s_i}{s_i} is how far
#' the decision value of the row's class is behind the largest of the others, and a set has all
#' classes whose \eqn{s}{s} is at most q. **A set can be empty**: no class looks as the classes of
#' left-out rows did; `type = "class"` gives the most probable one.
#'
#' **Weights.** Intervals and sets give each domain the same weight, whatever its number of rows;
#' class probabilities (`calibration = "platt"` or `"isotonic"`) give each row its weight, by
#' default the same, so that the two can disagree where domains differ in size.
#'
#' **A random row of a new domain** (`"prediction"` and sets): with G domains whose rows share
#' \eqn{w_i = 1/(G n_g)}{w_i = 1/(G n_g)}, or the row's share of the domain's weights,
#' \deqn{q = \min\{s: \textstyle\sum_i w_i 1[s_i \le s] \ge (1 - \alpha)(1 + 1/m)\}}{
#'   q = min{s: sum_i w_i 1[s_i <= s] >= (1 - alpha)(1 + 1/m)}}
#' With m = G that is the hierarchical conformal prediction of Lee, Barber and Willett, which puts
#' the mass 1/(G + 1) of the new domain at infinity, and with models that have seen none of the
#' domains covers with probability at least \eqn{1 - \alpha}{1 - alpha}, at few domains much more.
#' Here m is the number of independent rows that the domains are worth, at least G:
#' \eqn{m = G p(1 - p)/v}{m = G p (1 - p)/v} with v the variance over domains of the share p of
#' their rows below q. So coverage is near `level` instead of above it, where domains resemble each
#' other; that is an approximation, as is the use of all other domains for f. Coverage is an average
#' over new domains: in some it is less, in others more. Where \eqn{(1 - \alpha)(G + 1) > G}{
#' (1 - alpha)(G + 1) > G}, with fewer than 9 domains for `level = 0.9`, no distribution-free
#' interval is finite, and none is given.
#'
#' **Domains of several factors**, `y ~ x | school / class`: G counts the levels of the outer factor
#' (of crossed ones that with most levels), which are left out as a whole, and intervals hold where
#' such a level is new: `"domain_share"` is then about a new school, not about a new class of a
#' known one. Where one of another crossed factor is new, too, a message says that they do
#' not allow for that.
#'
#' **A whole domain** (`"domain_share"`): with probability `level` a new domain has at least the
#' share `level` of its rows in the intervals: q is the k-th smallest of the G domains' own
#' quantiles of \eqn{s}{s}, \eqn{k = \lceil(G + 1)(1 - \alpha)\rceil}{k = ceiling((G + 1)(1 -
#' alpha))}.
#'
#' **The mean of a domain** (`"domain_mean"`), such as a school's average: a line for each domain of
#' `newdata`, \eqn{\bar f \pm q \sqrt{b + v/n}}{mean f +- q sqrt(b + v/n)}, for the mean response of
#' its n rows. Scores are the G domains' mean errors over \eqn{\sqrt{b + v/n_g}}{sqrt(b + v/n_g)},
#' with v the mean variance of the errors within domains and b that between them (by moments), and q
#' is the k-th smallest.
#'
#' **Measured** (`inst/experiments/domgen-conformal.R`): over the left-out domains of fifteen data
#' sets that come with R packages, and fresh domains of six simulated worlds at 12 and 40 domains,
#' 90 % intervals of five learners cover between 89.5 and 91.5 % of a domain's rows on average, by
#' learner and either kind; a single set of few domains is between 78 and 97 %, as its domains
#' happen to be. Stretched to the same 90 % they are about as wide as those of lme4 and of a
#' Gaussian process, and narrower than those of a quantile forest, which does not allow for domains
#' (83 and 87 % covered). On fresh domains of thirteen worlds (`domgen-coverage.R`: domains alike
#' and with nine tenths of the variance between them, slopes of their own, heavy tails, skewed or
#' unequal noise, one huge domain among tiny ones, the three simulators, three classes, a rare
#' class), with 12 domains to learn from, intervals and sets of nine methods, a pipeline and an
#' ensemble among them, cover 89.0 to 91.7 % by world and method (60 draws each, Monte Carlo error
#' 0.3 to 1.3). Sets of six classifiers cover 90.5 to 91.0 % over the left-out domains of seventeen
#' real sets of two and three classes (`domgen-sets.R`), 79 to 97 % on a single one.
#'
#' Intervals end where the response does, if the model knows where: those of [dg_glm()].
#'
#' @param model A fitted learner, pipeline or ensemble; of [dg_adapt()] the model before it was
#'   adapted.
#' @param newdata `NULL`: left-out domains of the training rows. Or labelled rows of domains that
#'   were not in training, with the response: the errors are then those of the model
#'   itself, and not of fits without a domain.
#' @param y Response of each row of `newdata`, when it is not a column of it.
#' @param domain Domain of each row of `newdata`, when it is not a column of it.
#' @return The model with the part `intervals`, a list of class `dg_intervals` for n rows:
#'   \item{error}{n numbers \eqn{y_i - f_{-g}(x_i)}{y_i - f_-g(x_i)}, in units of the response; for
#'     classes how far the class of the row is behind}
#'   \item{domain, weights, shares}{of the rows: factor; as in the fit; \eqn{w_i}{w_i}, which sum to
#'     1}
#'   \item{size}{n numbers \eqn{\sigma_{-g}(x_i)}{sigma_-g(x_i)}, `NULL` where all are alike}
#'   \item{own, sizer}{is the size the model's own? Else what finds it for new rows}
#'   \item{from}{of which domains the errors are, in words}
#'   `predict()` gives a data frame with `fit`, `lower` and `upper` (for `"domain_mean"` with
#'   `domain` and `rows` before them), one line for each row of `newdata`, `NA` where a predictor is
#'   missing, or with `type = "set"` a logical matrix with a column for each class.
#' @section Errors and messages:
#' Fewer than two domains; a model that keeps no rows (one with a feature map, or of more than 5,000
#' rows without a kernel) and whose data are gone (give `newdata`); an
#' adapted model, whose domain is not new; rows of training domains in `newdata`. Too few domains
#' for `level` give infinite intervals, or all classes, and a message of class
#' `domgen_message_interval`.
#' @references
#' Dunn, R., Wasserman, L. and Ramdas, A. (2023). Distribution-free prediction sets for two-layer
#' hierarchical models. *Journal of the American Statistical Association* 118(544), 2491-2502.
#'
#' Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and
#' estimation. *Journal of the American Statistical Association* 102(477), 359-378.
#'
#' Lee, Y., Barber, R. F. and Willett, R. (2024). Distribution-free inference with hierarchical
#' data. arXiv 2306.06342.
#' @seealso [predict.dg_learner()]; `metric = c("coverage", "width", "interval_score")` of [dg_cv()]
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
set_intervals <- function(model, newdata = NULL, y = NULL, domain = NULL) {
  check_given(model, "model")
  if (!inherits(model, "dg_learner")) {
    abort("argument", "`model` must be a fitted learner, pipeline or ensemble, not ",
          describe(model),
          ".")
  }
  check_sealed(model, "model")
  check_new_domains(model)
  check_interval_kind(model)
  if (is.null(newdata)) return(keep_intervals(model, parent.frame()))
  model$intervals <- intervals_at(model, newdata, y, domain)
  seal(model)
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
    abort("argument", "Intervals and sets are for numbers and classes, not for censored times.")
  }
}

check_new_domains <- function(model) {
  if (inherits(model, "dg_adapted")) {
    abort("argument", "Intervals and sets are for new domains, and the model was adapted to its ",
          "domain: ask the model that it was made of.")
  }
}

# Errors of the last few models of the session: a model is asked more than once.
remembered <- new.env(parent = emptyenv())

most_remembered <- 8L

intervals_of <- function(object, env) {
  if (!is.null(object$intervals)) return(object$intervals)
  key <- object[c("spec", "y", "domain", "weights", "decision")]
  for (old in remembered$models) if (identical(old$key, key)) return(old$known)
  known <- score_intervals(object, rows_of_fit(object, env))
  remembered$models <- utils::head(c(list(list(key = key, known = known)), remembered$models),
                                   most_remembered)
  known
}

# At labelled rows of domains that the model has not seen.
intervals_at <- function(object, newdata, y, domain) {
  new <- read_new(object, newdata, domain, NULL, NULL)
  truth <- read_truth(object, newdata, y, length(new$ok))
  groups <- given_domain(object$blueprint, newdata, domain)
  known <- intersect(unique(as.character(groups)), levels(object$domain))
  if (length(known)) {
    abort("data", "`newdata` must have rows of domains that were not in training, and has ",
          enumerate(known, quote = "\""), ".")
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
    abort("data", "`newdata` must have the response ", enumerate(name), ", or `y` give it.")
  }
  arg <- if (is.null(y)) paste0("newdata$", name) else "y"
  truth <- check_known_response(read_vector(truth, n, arg), object$response, arg)
  if (all(is.na(truth))) abort("data", "`", arg, "` must have at least one value that is known.")
  truth
}

#' @export
format.dg_intervals <- function(x, ...) {
  paste0("by the errors at ", plural(length(x$error), "row"), " of ",
         plural(nlevels(x$domain), sub("s$", "", x$from)))
}

#' @export
print.dg_intervals <- function(x, ...) {
  cat_line("Intervals ", format(x))
  cat_line("  the largest level that is finite: ", format(largest_level(nlevels(x$domain))))
  invisible(x)
}

# ---- intervals and sets at new rows -----------------------------------------------------------

#' @exportS3Method
prediction_interval.dg_learner <- function(object, new, asked) {
  known <- intervals_for(object, new, asked)
  fit <- as.numeric(respond(object$response, decide_rows(object, new), "number"))
  if (asked$interval == "domain_mean") {
    return(cut_to_response(mean_intervals(known, fit, new$groups(), asked$level), object))
  }
  half <- half_widths(object, known, new, asked)
  cut_to_response(data.frame(fit = fit, lower = fit - half, upper = fit + half), object)
}

# Nothing that could be observed is cut off: intervals hold as often as before.
cut_to_response <- function(found, object) {
  range <- response_range(learner_of(object))
  found$lower <- pmax(found$lower, range[1L])
  found$upper <- pmin(found$upper, range[2L])
  found
}

# What is known of errors, with what there is to say of it.
intervals_for <- function(object, new, asked) {
  check_new_domains(object)
  if (is.null(new)) {
    abort("argument", "`newdata` must be given: intervals and sets are for rows of new domains.")
  }
  known <- intervals_of(object, asked$env)
  G <- nlevels(known$domain)
  if (is_beyond(asked$level, G)) {
    inform("interval", plural(G, "domain"), " cannot promise anything of a new one with ",
           "probability ", format(asked$level, digits = 15L), ": intervals are infinite, and sets ",
           "have all classes. The largest `level` for which they are finite is ",
           format(largest_level(G)), ".")
  }
  report_other_factors(object, known, new)
  known
}

# NA where a row had missing values.
half_widths <- function(object, known, new, asked) {
  # the size of errors where intervals are better with it
  sized <- !is.null(known$size) &&
    is_sized_better(known$error, known$size, known$domain, known$shares, asked$level)
  scores <- abs(known$error) / if (sized) known$size else 1
  threshold <- if (asked$interval == "prediction") {
    row_threshold(scores, known$domain, known$shares, asked$level)
  } else {
    # of each domain the quantile of its own rows; of these the k-th
    own <- vapply(split(seq_along(scores), known$domain), function(i) {
      share_quantile(scores[i], known$weights[i] / sum(known$weights[i]), asked$level)
    }, numeric(1))
    domain_threshold(own, asked$level)
  }
  half <- rep(NA_real_, length(new$ok))
  half[new$ok] <- if (!is.finite(threshold)) Inf
                  else if (!sized) threshold
                  else if (known$own) threshold * own_size(object, new)[new$ok]
                  else threshold * error_size(known$sizer, new$X)
  half
}

# The standard deviation of a row's response that the model itself gives.
own_size <- function(object, new) {
  variance <- decide_rows(object, new, mean_and_variance)[, 2L]
  learner <- learner_of(object)
  sqrt(variance + learner$noise_sd^2) * learner$response$scale
}

# A line for each domain of the new rows, in the order in which they come.
mean_intervals <- function(known, fit, groups, level) {
  groups <- as.character(groups)
  groups <- factor(groups, unique(groups))
  rows <- tabulate(groups[!is.na(fit)], nlevels(groups))
  means <- vapply(split(fit, groups), mean, numeric(1), na.rm = TRUE, USE.NAMES = FALSE)
  # none of its rows is complete
  means[rows == 0L] <- NA
  # squares of very large errors would overflow
  unit <- max(abs(known$error))
  if (unit > 0) known$error <- known$error / unit
  errors <- domain_errors(known)
  threshold <- domain_threshold(abs(errors$mean) / mean_size(errors, errors$rows), level)
  half <- if (is.finite(threshold)) unit * threshold * mean_size(errors, pmax(rows, 1)) else Inf
  data.frame(domain = levels(groups), rows = rows, fit = means, lower = means - half,
             upper = means + half)
}

mean_size <- function(errors, rows) sqrt(errors$between + errors$within / rows)

# Mean errors of domains, and their variance by moments: E mean^2 = between + within / n_g.
domain_errors <- function(known) {
  parts <- split(seq_along(known$error), known$domain)
  share <- lapply(parts, function(i) known$weights[i] / sum(known$weights[i]))
  mean <- unlist(Map(function(i, w) sum(w * known$error[i]), parts, share))
  # of n rows that weigh the same n
  rows <- vapply(share, function(w) 1 / sum(w^2), numeric(1))
  squares <- unlist(Map(function(i, w, m) sum(w * (known$error[i] - m)^2), parts, share, mean))
  several <- rows > 1 + 1e-9
  within <- if (any(several)) mean(squares[several] / (1 - 1 / rows[several])) else 0
  between <- max(mean(mean^2 - within / rows), 0)
  if (within == 0 && between == 0) within <- 1
  list(mean = mean, rows = rows, within = within, between = between)
}

#' @exportS3Method
prediction_set.dg_learner <- function(object, new, asked) {
  known <- intervals_for(object, new, asked)
  threshold <- row_threshold(known$error, known$domain, known$shares, asked$level)
  levels <- object$response$levels
  sets <- matrix(NA, length(new$ok), length(levels), dimnames = list(NULL, levels))
  values <- decide_rows(object, new)[new$ok, , drop = FALSE]
  sets[new$ok, ] <- if (is.finite(threshold)) class_distances(object, values) <= threshold else TRUE
  sets
}

# Errors at left-out levels of one of several crossed factors say nothing of new levels of another.
report_other_factors <- function(object, known, new) {
  structure <- object$blueprint$structure
  # a cross-validation has said what it holds out
  if (is.null(structure) || !is.null(structure$held) || known$from == "new domains") return()
  groups <- new$groups()
  crossed <- outer_factors(structure)
  if (is.null(groups) || length(crossed) < 2L) return()
  old <- domain_levels(structure, levels(object$domain))[crossed]
  held <- which.max(vapply(old, function(names) length(unique(names)), 0L))
  new <- domain_levels(structure, unique(groups[!is.na(groups)]))[crossed]
  unknown <- Filter(length, Map(setdiff, new, old)[-held])
  if (length(unknown) == 0L) return()
  inform("interval", "Intervals and sets rest on the errors at left-out levels of ",
         enumerate(crossed[held]), ", which does not allow for new ones of ",
         enumerate(names(unknown)), ": give labelled rows of such levels to `set_intervals()`.")
}
