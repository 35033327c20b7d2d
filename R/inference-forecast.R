#' Which score to expect in a new domain
#'
#' @description
#' `dg_forecast()` forecasts the score of a model in new domains from their unlabelled rows: from
#' what the model expects of its own errors there, and from the distance of the domain. The skill of
#' these forecasts is estimated by leaving domains out. Often there is none; the result then says
#' so, and the forecast is the mean over domains with the interval of any new domain. If `newdata`
#' has labels, the difference from held-out training rows is split into a part of the predictors and
#' a part of their relation to the response.
#'
#' @details
#' [score_forecasts] has the model of the forecast, its skill, and the two parts of a difference.
#' Scores *can be forecast* if the skill is at least 0.05 and p at most 0.05, with at least 5
#' domains that have a score. With fewer than about 15 domains the skill is itself uncertain; where
#' the signal is weak, scores that can be forecast are those whose skill was overestimated by chance
#' (`vignette("before-labels")`).
#'
#' @inheritParams dg_novelty
#' @param object A fitted learner, [dg_pipeline()] or ensemble, also one from [dg_auto()] or
#'   [dg_tune()], with one factor of domains. Its data must still be there.
#' @param newdata Data frame (or matrix, if the model was fitted to one) with the predictors of rows
#'   of new domains. A response is used only for `found` and `parts`.
#' @param y Response of each row of `newdata`, if it is not a column of it. Default `NULL`: none.
#' @param metric Score to forecast: of a numeric response `"rmse"` (default) or `"mae"`; of classes
#'   `"accuracy"` (default), `"auc"` (two classes), `"log_loss"` or `"brier"` (probabilities).
#' @param cv The result of [dg_cv()] for the model and its data, with whole domains held out.
#'   Default `NULL`: it is computed, one domain at a time. For [dg_auto()] and [dg_tune()] that
#'   repeats the search in each fold; with many domains `dg_cv(..., folds = 10)` is faster.
#' @param level Level of intervals. Default 0.95.
#' @param permutations Number of permutations for the p value. Default 499.
#' @param progress,threads As in [all methods][dg_arguments].
#' @return An object of class `dg_forecast`, a list with
#'   \item{sites}{data frame, a row for each new domain with a complete row: `domain`, `rows`
#'     (complete ones), `forecast` with its interval `lower` to `upper` (`NA` if too far),
#'     `expected`, `distance`; with labels the score `found` and its standard error `found_se` (`NA`
#'     if it would be 0)}
#'   \item{can}{can scores be forecast?}
#'   \item{farthest}{largest distance of a training domain from the others}
#'   \item{skill}{data frame of one row: `skill`, `p`, number of `domains`, `mse` and `mse_mean`
#'     (mean squared errors of held-out forecasts and means on the scale, without sampling error),
#'     number of `descriptions` that vary (of 2), `of_rows` (the proportion of the sampling variance
#'     that is due to which rows were drawn)}
#'   \item{mean}{data frame of one row: `mean` over domains, its interval `lower` to `upper`,
#'     `tau` on the scale, the interval of a new domain `new_lower` to `new_upper`, and the mean by
#'     precision, as in [dg_validate()]}
#'   \item{left_out}{data frame, a row for each training domain with a score: `domain`, `rows`,
#'     `score`, its `se`, the `forecast` of the regression without it with `lower` and `upper`,
#'     `expected`, `distance`}
#'   \item{regression}{data frame: `domain`, `forecast`, `lower`, `upper` of new domains by the
#'     regression, even where scores cannot be forecast; `NULL` without one}
#'   \item{parts}{with labels, data frame, a row for each new domain with at least 10 labelled
#'     rows: `domain`, `rows`, mean losses `training` and `site`, their `difference`, the parts
#'     `covariates` and `relation`, each with its standard error (`_se`), the two terms of the
#'     first, `from_training` and `to_site`, and `overlap`}
#'   \item{metric, kind, title, better, scale, level, permutations}{as given, or for printing}
#'   \item{held_out, model, labels, loss}{text for printing}
#' @section Errors:
#' A model without its data, of censored times, of several factors of domains, or with a [fixed
#' reference][set_reference()]; a `cv` of another learner, of other rows, of rows of known domains,
#' of a [row_source()], or without the standard deviations of a model that has them; a `metric` that
#' does not fit the response or needs probabilities that the model lacks. Domains of `newdata` that
#' were in training give a warning of class `domgen_warning_training_domains`. Seeds are fixed, but
#' for those of a cross-validation that is computed.
#' @seealso [score_forecasts], [plot()][plot.dg_forecast], [dg_validate()], [dg_novelty()],
#'   [dg_plan()]
#' @examples
#' pupils <- as.data.frame(nlme::MathAchieve)
#' schools <- levels(pupils$School)
#' train <- subset(pupils, School %in% schools[seq(1, 160, 8)])
#' new <- subset(pupils, School %in% schools[c(2, 50)])
#' model <- dg_lm(MathAch ~ SES + Sex + Minority | School, data = train)
#' forecast <- dg_forecast(model, new[c("School", "SES", "Sex", "Minority")], permutations = 99)
#' forecast
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(forecast)
#'
#' # with labels: is it the predictors, or the relation?
#' dg_forecast(model, new, permutations = 19)$parts
#' @export
dg_forecast <- function(object, newdata, domain = NULL, y = NULL, metric = NULL, cv = NULL,
                        level = 0.95, permutations = 499, threads = NULL, progress = NULL) {
  enter_session()
  check_given(object, "object")
  check_given(newdata, "newdata")
  check_fixable(object)
  level <- check_between(level, "level", 0.5, 0.999)
  permutations <- check_count(permutations, "permutations", at_least = 19L)
  threads <- check_threads(threads)
  classes <- forecast_classes(object)
  metric <- read_forecast_metric(metric, object, classes)
  measure <- forecast_scores[[if (is.null(classes)) "number" else "class"]][[metric]]
  new <- replay(object$blueprint, newdata, domain, needs_domain = TRUE)
  if (nrow(new$X) == 0L) abort("data", "`newdata` must have at least one complete row.")
  warn_training_domains(new$domain, object$domain, "forecasts are for new domains")
  spec <- read_evaluated(object)
  input <- collect_input(list(spec), model_input(object, list(), parent.frame()))
  task <- forecast_rows(spec, input)
  if (is.null(cv)) cv <- forecast_cv(spec, input, task, progress)
  held <- read_forecast_cv(cv, spec, task, classes, measure)
  if (is.null(held$sd) && gives_row_errors(spec, task)) {
    abort("argument", "`cv` must have the standard deviations of this model's predictions: use ",
          "`metric = c(\"rmse\", \"log_density\")` in dg_cv(), or leave `cv` NULL.")
  }
  X <- forecast_predictors(object, task, new)
  scored <- c(new_scored(object, newdata, domain, new$ok, classes, !is.null(held$sd)),
              list(domain = new$domain))
  standing <- forecast_distances(object, new, threads, parent.frame())
  expected <- expected_scores(held, scored, measure, classes, X)
  scores <- site_scores(held, measure)
  ahead <- forecast_from(scores, expected, standing, levels(new$domain), measure, 1 + 1 / cv$share,
                         level, permutations)
  truth <- forecast_truth(object, newdata, y, new$ok, classes)
  result <- c(ahead, list(metric = metric, kind = if (is.null(classes)) "number" else "class",
                          title = measure$title, better = measure$better,
                          scale = scales[[measure$scale]]$title, level = level,
                          permutations = permutations, held_out = cv$held_out,
                          model = method_of(object$spec)$title,
                          labels = variable_names(object$blueprint), loss = measure$loss_title))
  result$sites <- cbind(domain = levels(new$domain),
                        rows = tabulate(new$domain, nlevels(new$domain)), ahead$sites)
  if (!is.null(truth)) {
    scored$y <- truth
    result$sites <- cbind(result$sites, new_site_scores(scored, measure))
    if (!is.null(measure$loss)) result$parts <- parts_of_loss(held, scored, measure, X)
  }
  structure(result, class = c("dg_forecast", "dg_result"))
}

# ---- at the door ------------------------------------------------------------------------------

# Fewest left-out sites with a score for a forecast by site.
forecast_least <- 5L

# Least skill that is worth a forecast by site.
forecast_worth <- 0.05

# Largest distance of a forecast site, in those of training sites from the others.
forecast_farthest <- 2

# Names of classes; NULL for numbers.
forecast_classes <- function(model) {
  if (is_censored(model$y)) abort("argument", "`object` must not be one of censored times.")
  if (model$response$kind == "class") model$response$levels
}

read_forecast_metric <- function(metric, model, classes) {
  if (is.null(metric)) return(if (is.null(classes)) "rmse" else "accuracy")
  if (length(metric) != 1L) {
    abort("argument", "`metric` must be one score, not ", describe(metric), ".")
  }
  allowed <- names(forecast_scores[[if (is.null(classes)) "number" else "class"]])
  metric <- check_choice(metric, "metric", allowed)
  if (metric == "auc" && length(classes) > 2L) {
    abort("argument", "`metric` \"auc\" needs a response of two classes, not ", length(classes),
          ".")
  }
  if (identical(forecast_scores$class[[metric]]$needs, "prob") && !gives_probabilities(model)) {
    abort("argument", "`metric` \"", metric, "\" needs a model with probabilities, such as one ",
          "with `calibration = \"platt\"`.")
  }
  metric
}

# The training rows of the model, as dg_cv() reads them.
forecast_rows <- function(spec, input) {
  if (!is.null(input$source)) abort("argument", "`object` must be fitted to rows in memory.")
  task <- cv_task(spec, input)
  if (!is.null(task$structure)) {
    abort("argument", "`object` must have one factor of domains: forecasts are not for nested or ",
          "crossed ones.")
  }
  task
}

# Does it give numbers a standard deviation by row?
gives_row_errors <- function(spec, task) {
  is.numeric(task$y) && "se" %in% spec_gives(innermost(spec))
}

# Left-out predictions; with standard deviations of rows from models that have them.
forecast_cv <- function(spec, input, task, progress) {
  metric <- if (gives_row_errors(spec, task)) c("rmse", "log_density")
  plan <- read_plan(list(spec), input, NULL, metric, FALSE, progress)
  evaluated(plan, function(plan, ctx) cross_validate(plan, ctx)[[1L]])
}

read_forecast_cv <- function(cv, spec, task, classes, measure) {
  if (!inherits(cv, "dg_cv")) {
    abort("argument", "`cv` must be the result of dg_cv() of the model, not ", describe(cv), ".")
  }
  if (is.null(cv$predictions)) {
    abort("argument", "`cv` has no predictions: those of a source are not kept.")
  }
  # the closed form has none
  if (!is.null(cv$scope) && cv$scope != "new") {
    abort("argument", "`cv` must hold out whole domains.")
  }
  if (!identical(method_of(cv$spec)$title, method_of(spec)$title)) {
    abort("argument", "`cv` must be a cross-validation of the model (", method_of(spec)$title,
          "), not of another one (", method_of(cv$spec)$title, ").")
  }
  held <- cv$predictions
  at <- match(held$row, task$row)
  same <- !anyNA(at) && identical(value_labels(held$domain), value_labels(task$domain[at])) &&
    identical(value_labels(held$truth), value_labels(task$y[at]))
  if (!same) {
    abort("argument", "`cv` must be a cross-validation of the rows of the model: rows, domains ",
          "or responses differ.")
  }
  held_out_scored(cv, classes, measure)
}

# Predictors as in the model: list(training, new, place: numbers of the training rows in the data).
forecast_predictors <- function(model, task, new) {
  training <- quietly(replay(model$blueprint, as_newdata(task$input), task$domain,
                             needs_domain = TRUE))
  scaled <- function(data) scale_new(model$blueprint$scaling, data$X, data$domain, NULL)$X
  list(training = scaled(training), new = scaled(new), place = task$row[training$ok])
}

# Labels of the complete new rows, NULL where there are none; classes as codes.
forecast_truth <- function(model, newdata, y, ok, classes) {
  truth <- if (is.null(y)) response_of(model, newdata) else read_vector(y, length(ok), "y")
  if (is.null(truth) || all(is.na(truth[ok]))) return(NULL)
  truth <- truth[ok]
  if (is.null(classes)) {
    if (!is.numeric(truth)) abort("data", "`y` must be numeric, not ", describe(truth), ".")
    if (any(is.infinite(truth))) abort("data", "`y` must not have infinite values.")
    return(as.numeric(truth))
  }
  check_known_classes(value_labels(truth), classes)
  match(value_labels(truth), classes)
}

# ---- descriptions and scores ------------------------------------------------------------------

# Distance of each training site from the other ones, and of each new site from all, as in
# dg_novelty(): list(left_out, new).
forecast_distances <- function(model, new, threads, env) {
  if (nlevels(model$domain) < 3L) return(NULL)
  view <- novelty_view(model, new, NULL, threads, env)
  spread <- view$kernel$spread
  names <- levels(model$domain)
  list(left_out = stats::setNames((spread$first + spread$last) / spread$k, names),
       new = stats::setNames(domain_standing(view$kernel, view$described)$distance,
                             levels(new$domain)))
}

# Of each site the score and its error: data frame of domain, rows, estimate, se, value, value_se,
# and lists of likelihoods and information, see random_effects().
site_scores <- function(d, measure) {
  auc <- is.null(measure$loss)
  y <- if (auc) as.integer(d$y == 2L) else measure$loss(d)
  sites <- measure_sites(list(y = y, p = NULL, score = d$score, rep = d$rep,
                              domain = d$domain, place = d$place), list(measure), NULL,
                         FALSE)[[1L]]
  once <- d$rep == d$rep[1L]
  data.frame(domain = levels(d$domain),
             rows = tabulate(d$domain[once], nlevels(d$domain)), estimate = sites$estimate,
             se = sites$se, value = sites$value, value_se = sites$value_se,
             likelihood = I(unname(sites$likelihoods)), information = I(unname(sites$information)),
             row.names = NULL)
}

new_site_scores <- function(scored, measure) {
  labelled <- which(!is.na(scored$y))
  some <- lapply(scored[c("y", "p", "class", "score", "domain")], take, labelled)
  scores <- site_scores(c(some, list(rep = rep(1L, length(labelled)), place = labelled)), measure)
  at <- match(levels(scored$domain), scores$domain)
  # rows that are all right do not show how many others are
  data.frame(found = scores$estimate[at], found_se = replace(scores$se, scores$se == 0, NA)[at])
}

# ---- forecast ---------------------------------------------------------------------------------

# scores: site_scores(); expected, distances: expected_scores(), forecast_distances(); sites: names
# of the new ones. The regression is always fitted; new sites get its forecasts if `can`.
forecast_from <- function(scores, expected, distances, sites, measure, inflation, level,
                          permutations) {
  scale <- scales[[measure$scale]]
  at <- which(has_error(scores$value, scores$value_se))
  used <- scores[at, ]
  enough <- nrow(used) >= forecast_least
  described <- describe_sites(expected, distances, used$domain, sites, scale)
  # see row_share()
  of_rows <- if (is.null(described$e)) 0 else with_seed(1L, row_share(expected, measure))
  se <- used$value_se * sqrt(1 - of_rows)
  prior <- if (enough) tau_scale(used$value, se, measure$prior_sd)
  even <- if (enough) even_errors(used$value, se)
  skill <- if (enough) {
    with_seed(1L, forecast_skill(used$value, se, even, described, prior, permutations))
  } else list(skill = NA_real_, p = NA_real_, mse = NA_real_, mse_mean = NA_real_)
  can <- isTRUE(skill$skill >= forecast_worth) && skill$p <= 0.05
  ahead <- if (enough && length(described)) {
    forecast_sites(used$value, even, described, prior, inflation, level)
  }
  overall <- random_effects(used$value, used$value_se, measure$prior_sd, inflation, level,
                            likelihoods = used$likelihood, information = used$information)
  c(list(can = can, skill = data.frame(
    skill = skill$skill, p = skill$p, domains = nrow(used), mse = skill$mse,
    mse_mean = skill$mse_mean, descriptions = length(described) / 2L, of_rows = of_rows
  )), forecast_tables(used, ahead, overall, can, expected, distances, sites, scale))
}

# The tables of the result, on the scale of the score.
forecast_tables <- function(used, ahead, overall, can, expected, distances, sites, scale) {
  back <- function(table) {
    cbind(forecast = scale$from(table$mean), from_scale(table$lower, table$upper, scale))
  }
  of <- function(side, names) {
    data.frame(expected = numbers_at(expected[[side]], names),
               distance = numbers_at(distances[[side]], names))
  }
  new <- if (can) ahead$new else {
    ends <- overall$new$interval
    data.frame(mean = rep(overall$mean, length(sites)), lower = ends[1L], upper = ends[2L])
  }
  new <- cbind(back(new), of("new", sites))
  # no training site shows what to expect there
  farthest <- max(distances$left_out, -Inf)
  far <- which(new$distance > forecast_farthest * farthest)
  new[far, c("forecast", "lower", "upper")] <- NA_real_
  none <- rep(NA_real_, nrow(used))
  left_out <- if (!is.null(ahead)) back(ahead$left_out)
              else data.frame(forecast = none, lower = none, upper = none)
  list(
    sites = data.frame(new, row.names = NULL), farthest = farthest,
    mean = data.frame(mean_columns(overall, scale, "mean"), row.names = NULL),
    regression = if (!is.null(ahead)) data.frame(domain = sites, back(ahead$new),
                                                 row.names = NULL),
    left_out = data.frame(used[c("domain", "rows")], score = used$estimate, se = used$se,
                          left_out, of("left_out", used$domain), row.names = NULL)
  )
}

numbers_at <- function(x, labels) {
  if (is.null(x)) rep(NA_real_, length(labels)) else unname(at_labels(x, labels))
}

# list(e, new_e: expected scores; d, new_d: distances), those that are known and vary.
describe_sites <- function(expected, distances, domains, sites, scale) {
  e <- site_descriptions(expected, domains, sites, function(x) scale$to(inside(x, scale)))
  d <- site_descriptions(distances, domains, sites, log1p)
  c(if (!is.null(e)) list(e = e$left_out, new_e = e$new),
    if (!is.null(d)) list(d = d$left_out / d$spread, new_d = d$new / d$spread))
}

# A description of sites, on its scale and less its mean: list(left_out, new, spread: standard
# deviation); NULL if it does not vary. Sites beyond 2.5 (normal) median absolute deviations are
# moved there: forecasts do not extrapolate, and one odd site does not decide the line.
site_descriptions <- function(values, domains, sites, to) {
  if (is.null(values)) return(NULL)
  x <- to(numbers_at(values$left_out, domains))
  if (length(x) < 2L || anyNA(x)) return(NULL)
  middle <- stats::median(x)
  new <- to(numbers_at(values$new, sites))
  # such as the AUC of a single row: taken for a middling site
  new[is.na(new)] <- middle
  far <- 2.5 * stats::mad(x)
  if (far == 0) far <- 2.5 * stats::sd(x)
  cut <- function(x) pmin(pmax(x - middle, -far), far)
  centre <- mean(cut(x))
  left_out <- cut(x) - centre
  spread <- sqrt(mean(left_out^2))
  if (spread < 1e-6 * max(1, abs(middle))) return(NULL)
  list(left_out = left_out, new = cut(new) - centre, spread = spread)
}

#' Forecasts of scores in new domains
#'
#' How [dg_forecast()] forecasts the score of a domain from its unlabelled rows, how it measures
#' whether that can be done, and how it divides a difference between predictors and relation.
#'
#' @section Forecast:
#' **Scores by domain.** Each training domain g has the score of its held-out rows (from `cv`), with
#' its standard error, on the scale of [site_measures]:
#'
#' | `metric` | response | definition | scale |
#' |---|---|---|---|
#' | `"rmse"` (default) | numeric | root mean squared error | log |
#' | `"mae"` | numeric | mean absolute error | log |
#' | `"accuracy"` (default) | classes | proportion of rows predicted right | logit |
#' | `"auc"` | two classes | area under the ROC curve | logit |
#' | `"log_loss"` | probabilities | mean of -log(probability of the true class) | log |
#' | `"brier"` | probabilities | mean squared error of probabilities, see [dg_cv()] | log |
#'
#' **Expected score** `expected`, from unlabelled rows. For classes, with q the probabilities of the
#' classes of each row: the mean of the expected loss, or for `"auc"` the expected number of
#' concordant pairs divided by that of all pairs,
#' \deqn{\frac{\sum_{i \ne j} q_i (1 - q_j) [s_i > s_j]}{\sum_{i \ne j} q_i (1 - q_j)}}{
#'   sum_(i != j) q_i (1 - q_j) [s_i > s_j] / sum_(i != j) q_i (1 - q_j)}
#' with decision values s. For two classes q is recalibrated, logit q = a + b logit p (or a + b s
#' without probabilities) with a and b from held-out rows; for more, q = p. For a numeric response
#' it is computed from a standard deviation for each row: that of [dg_gp()], or a kernel ridge
#' regression of the absolute errors of held-out rows on the predictors (about 600 rows), with a
#' free intercept for each domain, so that only differences within domains are learned from.
#'
#' **Distance** `distance` of [dg_novelty()], from the nearest of the other training domains.
#'
#' **Regression.** The value of domain g on its scale is
#' \deqn{\mu + c e_g + b d_g + u_g + \varepsilon_g, \quad u_g \sim N(0, \tau^2)}{
#'   mu + c e_g + b d_g + u_g + eps_g,  u_g ~ N(0, tau^2)}
#' with e the expected score on the same scale, d = log(1 + distance), both moved to 2.5 median
#' absolute deviations from their median if they are beyond, d then divided by its standard
#' deviation, and the sampling error \eqn{\varepsilon}{eps} of known variance. \eqn{\mu}{mu} has a
#' flat prior, b a normal one of standard deviation s; \eqn{\tau}{tau} and s have half-normal ones,
#' of standard deviation 0.5 (log) or 1 (logit), or twice what domains differ by if that is more,
#' and a third of that; c is one of 0, 0.25, ..., 2.
#' Forecasts and intervals are those of the posterior distribution, summed over a grid. c is not
#' negative: held-out predictions of a domain are learned from the others, whose mean is lower if
#' that of the domain is higher, so that negative slopes are found where nothing can be forecast.
#' The forecast is of the expected score in rows with these predictors; the part of the sampling
#' variance that is due to which rows were drawn is estimated from random halves of domains and
#' subtracted. In forecasts each domain counts once, as in the mean of [dg_validate()]: the variance
#' of \eqn{\varepsilon}{eps} is then the mean of those of the domains. By precision, forecasts would
#' be of domains that are like the precise ones.
#'
#' A domain more than twice as far from the training domains as any of these from the others has no
#' forecast.
#'
#' **Skill.** With v the value of a domain on the scale, f its forecast and m the mean, both without
#' it, \eqn{\sigma^2}{sigma^2} its sampling variance without that part, and w =
#' \eqn{1 / (\tau^2 + \sigma^2)}{1 / (tau^2 + sigma^2)}:
#' \deqn{1 - \frac{\max\{0, \sum_g w_g [(v_g - f_g)^2 - \sigma_g^2]\}}{
#'   \sum_g w_g [(v_g - m_g)^2 - \sigma_g^2]}}{
#'   1 - max{0, sum_g w_g [(v_g - f_g)^2 - sigma_g^2]} / sum_g w_g [(v_g - m_g)^2 - sigma_g^2]}
#' the proportion of the variance between domains that is explained, without sampling error. It is
#' `NA` if domains do not differ beyond sampling error. p is from permutations of (e, d) among
#' domains; the statistic is the marginal likelihood of the regression by precision (descriptions
#' that depend on the number of rows make it inexact). Scores **can be forecast** if the skill is at
#' least 0.05 and p at most 0.05, with at least 5 domains that have a score.
#' @section Covariates and relation:
#' With \eqn{l_P, l_Q}{l_P, l_Q} the mean loss given x in training (held-out rows, domains have
#' equal weight) and in the new domain, P and Q their distributions of x and S the shared
#' distribution, of a density proportional to p q / (p + q) (Cai, Namkoong and Yadlowsky, 2023):
#' \deqn{E_Q l_Q - E_P l_P = [E_S l_P - E_P l_P] + [E_S l_Q - E_S l_P] + [E_Q l_Q - E_S l_Q]}{
#'   E_Q l_Q - E_P l_P = [E_S l_P - E_P l_P] + [E_S l_Q - E_S l_P] + [E_Q l_Q - E_S l_Q]}
#' The middle term is the part of the relation, the sum of the others that of the predictors. q/p is
#' from a [dg_glm()] that separates rows of the domain from those of training, cross-fitted in 5
#' folds. `overlap` is the integral of 2 p q / (p + q), 1 for equal distributions. Standard errors
#' treat training domains as clusters, and q/p as known; those of `covariates` are too small,
#' because q/p is estimated. Differences of predictors that the [dg_glm()] does not find count as
#' relation. Losses are the squared error for `"rmse"` and the error rate for `"accuracy"`; `"auc"`
#' has no losses of rows.
#' @references
#' Cai, T. T., Namkoong, H. and Yadlowsky, S. (2023). Diagnosing model performance under
#' distribution shift. *arXiv* 2303.02011.
#' @seealso [dg_forecast()], [site_means] for the mean over domains and the interval of a new one,
#'   `vignette("before-labels")` with the accuracy in simulations
#' @name score_forecasts
NULL
