#' Plan a study: how many sites, how many labels
#'
#' @description
#' Estimates how the score on a new site (hospital, school, instrument: a domain) depends on the
#' number of training sites, and what labelled rows of the new site are worth: for the model as it
#' is, for an updated one, and for a model of that site alone.
#'
#' @details
#' A power law a + b m^-c describes the mean score by the number m of training sites. Bands are for
#' the mean score over new sites of the same kind, of a model fitted to one set of m sites. A power
#' law cannot foresee another course of the curve beyond the data, not even at twice the sites:
#' numbers of sites up to ten times those at hand are considered for `target`. [learning_curves] has
#' the model.
#'
#' @param x,y,domain,weights,na.action,progress,... As in [all methods][dg_arguments].
#' @param object A learner or [dg_pipeline()] without data, or a fitted or tuned model, as in
#'   [dg_cv()].
#' @param data Data frame in which the formula is evaluated. A [row_source()] that fits in memory is
#'   read.
#' @param sites Numbers of training sites: those that the folds allow are measured, larger ones are
#'   extrapolated. Default `NULL`: six from a tenth of the largest that can be measured (but at
#'   least 3; 2 with 5 sites), and all sites, twice and four times as many. `FALSE`: no curve.
#' @param labels Numbers of labelled rows, as `shots` of [dg_cv()]. Default `NULL`: those of 1, 2,
#'   5, 10, 20, 50 for which three quarters of the sites have two rows left (with none of them, a
#'   message says so). `FALSE`: none of this.
#' @param target Scores to reach: for each, the number of sites that are needed. Default `NULL`:
#'   none.
#' @param updates Ways to use labels, as in [dg_cv()]. Default `NULL`: all that the model and the
#'   response allow.
#' @param metric One score, see [scores]. Default `NULL`: as there.
#' @param folds Number of folds of sites. Default `NULL`: one site at a time up to 10 sites, 5
#'   folds of more.
#' @param draws Number of times that folds and training sites are drawn, at least 2. Default 5.
#' @param new_sites Number of new sites over which the score is averaged, for the bands. Default
#'   `Inf`: the mean over all new sites.
#' @param level Level of bands and intervals. Default 0.8.
#' @return An object of class `dg_plan`, a list with
#'   \item{sites}{data frame, a row for each number of `sites`: `measured` (`TRUE` or `FALSE`), the
#'     mean `score` over sites (`NA` if not measured), the curve's `mean` (median of the posterior
#'     distribution) with its band `lower` to `upper`; or `NULL`}
#'   \item{targets}{data frame, a row for each `target`: the number of `sites` that are needed
#'     (median of the posterior distribution, `Inf` if more than `far`), `lower`, `upper`, the
#'     probabilities that it is reached with the sites at hand (`now`) and with `far` sites
#'     (`ever`); or `NULL`}
#'   \item{curve}{posterior draws of `a`, `b`, `c`}
#'   \item{labels}{as `shots` of [dg_cv()], intervals at `level`; or `NULL`}
#'   \item{crossings}{data frame, a row for each pair of ways: `update` is better than `other` from
#'     `labels` on (median; 0: at all numbers of `labels`, `Inf`: not at the largest), `lower`,
#'     `upper`, `better` (probability at the largest number)}
#'   \item{gains}{data frame of two rows: the median `change` of the mean score `from` one number of
#'     sites `to` another (over the measured numbers, and from n to 2 n), `lower` to `upper`}
#'   \item{gain_probability}{probability that more sites improve the score}
#'   \item{fits, failed}{numbers of fits for the curve, and of failed ones}
#'   \item{left_out}{numbers of `sites` and of `sizes` left out of the curve}
#'   \item{scores}{scores behind the curve, sites x numbers of `sites` x draws}
#'   \item{cv}{the result of [dg_cv()] with `shots`, or `NULL`}
#'   \item{n, far, level, new_sites, metric, title, variables}{number of sites, ten times that, as
#'     given, the name of the learner, and those of response and domain}
#'   \item{weighted}{`TRUE` if rows differ in weight; scores have no weights}
#' @section Errors:
#' Fewer than 5 sites; a [row_source()] that does not fit in memory; scores of intervals; crossed
#' factors of domains; numbers of sites of which fewer than 3 can be measured. Numbers of training
#' sites at which more than a tenth of the sites have no score (a class or a level is missing) are
#' left out of the curve, and then sites without a score at one of the others.
#' @seealso [learning_curves], [plot()][plot.dg_plan], [dg_cv()], [dg_adapt()], [dg_validate()]
#' @examples
#' set.seed(1)
#' plan <- dg_plan(dg_lm(), weight ~ Time | Chick, data = ChickWeight, labels = c(1, 3), draws = 2,
#'                 updates = "intercept", target = 35)
#' plan
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(plan)
#' @export
dg_plan <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL, sites = NULL,
                    labels = NULL, target = NULL, updates = NULL, metric = NULL, folds = NULL,
                    draws = 5, new_sites = Inf, level = 0.8, na.action = stats::na.omit,
                    progress = NULL, ...) {
  enter_session()
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_plan)))
  check_given(object, "object")
  spec <- read_evaluated(object)
  input <- collect_input(list(spec), cv_input(call, object, parent.frame()))
  if (!is.null(input$source)) abort("argument", "`data` must not be a source.")
  level <- check_between(level, "level", 0.5, 0.999)
  draws <- check_count(draws, "draws", at_least = 2L, at_most = 1000L)
  if (!identical(new_sites, Inf)) new_sites <- check_count(new_sites, "new_sites")
  if (isFALSE(sites) && isFALSE(labels)) {
    abort("argument", "`sites` and `labels` must not both be FALSE.")
  }
  # what it warns of, read_plan() does again
  task <- quietly(cv_task(spec, input))
  if (!is.null(task$crossed)) {
    abort("argument", "`x` must have one factor of domains, or nested ones, not crossed ones.")
  }
  n <- nlevels(droplevels(task$domain))
  if (n < 5L) abort("data", "Planning needs at least 5 sites, not ", n, ".")
  folds <- if (is.null(folds)) (if (n <= 10L) n else 5L) else {
    check_count(folds, "folds", at_least = 2L, at_most = n)
  }
  plan <- read_plan(list(spec), input, folds, metric, FALSE, progress)
  if (length(plan$metrics) > 1L) abort("argument", "`metric` must be one score.")
  if ("interval" %in% metrics_need(plan$metrics)) {
    abort("argument", "`metric` must be a score of predictions, not of intervals, which are ",
          "infinitely wide with few sites.")
  }
  if (isFALSE(labels) && !is.null(updates)) {
    abort("argument", "`updates` must be NULL without `labels`.")
  }
  if (isFALSE(sites) && !is.null(target)) {
    abort("argument", "`target` must be NULL without a curve of `sites`.")
  }
  sizes <- if (!isFALSE(sites)) read_sizes(sites, n, n - ceiling(n / folds))
  target <- read_targets(target)
  if (!isFALSE(labels)) {
    plan$task$arms <- plan_arms(labels, updates, plan, spec)
    plan$task$shot_metric <- plan$metrics
  }
  if (is.null(sizes) && is.null(plan$task$arms)) {
    abort("data", "Sites have too few rows for a table of labels, and `sites` is FALSE: nothing ",
          "is left to plan.")
  }
  evaluated(plan, function(plan, ctx) {
    curve <- if (!is.null(sizes)) measure_sizes(plan, sizes$measured, folds, draws, ctx)
    cv <- if (!is.null(plan$task$arms)) cross_validate(plan, ctx)[[1L]]
    seed <- stored(ctx, "posterior", draw_seeds(1L))
    with_seed(seed, new_plan(plan, curve, cv, sizes, target, n, level, new_sites))
  })
}

# Beyond this multiple of the sites nothing is said.
plan_far <- 10

# list(measured, extrapolated). most: sites outside the largest fold.
read_sizes <- function(sites, n, most) {
  if (is.null(sites)) {
    least <- min(max(3, most / 10), max(most - 2, 2))
    measured <- unique(round(exp(seq(log(least), log(most), length.out = 6L))))
    return(list(measured = measured, extrapolated = unique(c(n, 2 * n, 4 * n))))
  }
  fine <- is.numeric(sites) && length(sites) > 0L &&
    all(is.finite(sites) & sites >= 2 & sites == round(sites))
  if (!fine) {
    abort("argument", "`sites` must be NULL, FALSE or whole numbers of at least 2, not ",
          describe(sites), ".")
  }
  sites <- sort(unique(sites))
  measured <- sites[sites <= most]
  if (length(measured) < 3L) {
    abort("argument", "`sites` must have at least 3 numbers that can be measured, up to ", most,
          ".")
  }
  list(measured = measured, extrapolated = sites[sites > most])
}

read_targets <- function(target) {
  if (is.null(target)) return(NULL)
  if (!is.numeric(target) || length(target) == 0L || !all(is.finite(target))) {
    abort("argument", "`target` must be NULL or finite numbers, not ", describe(target), ".")
  }
  target
}

plan_arms <- function(labels, updates, plan, spec) {
  if (is.null(labels)) {
    sizes <- tabulate(plan$task$domain, nlevels(plan$task$domain))
    # at a quarter of the sites fewer
    labels <- c(1, 2, 5, 10, 20, 50)
    labels <- labels[labels <= stats::quantile(sizes, 0.25, type = 1L) - 2L]
    if (length(labels) == 0L) {
      inform("labels", "Sites have too few rows for a table of labels: besides a label, two more ",
             "rows must be left in three quarters of the sites.")
      return(NULL)
    }
  }
  if (is.null(updates)) {
    learner <- innermost(spec)$method
    updates <- c(if (learner %in% adaptable) "adapt",
                 if (!is.null(recalibration_kind(plan$task$y, spec))) recalibrations, "local")
  }
  shot_arms(check_shots(labels, plan$task, plan$metrics, "labels"),
            check_updates(updates, plan$task, spec))
}

# ---- the curve of sites -----------------------------------------------------------------------

# list(scores [sites x sizes x draws], fold [sites x draws], failed: number of fits).
measure_sizes <- function(plan, sizes, folds, draws, ctx) {
  task <- plan$task
  task$arms <- NULL
  splits <- stored(ctx, "sizes", draw_splits(task$domain, sizes, folds, draws))
  seeds <- stored(ctx, "sizes seeds", draw_seeds(length(splits$splits)))
  work <- split_worker(plan$specs, task, plan$metrics)
  results <- evaluate_splits(list(1L), splits$splits, seeds, work, ctx,
                             method_of(plan$specs[[1L]])$title, "sizes")[[1L]]
  failed <- vapply(results, has_failed, NA)
  if (all(failed)) stop(results[[1L]]$error)
  scores <- array(NA_real_, c(nrow(splits$fold), length(sizes), draws),
                  list(rownames(splits$fold), sizes, NULL))
  for (k in which(!failed)) {
    split <- splits$splits[[k]]
    by_site <- score_left_out(results[[k]]$predictions, plan$metrics)
    # by place, as no row can be asked for by the name ""
    scores[match(rownames(by_site), rownames(scores)), split$size, split$draw] <- by_site[, 1L]
  }
  list(scores = scores, fold = splits$fold, failed = sum(failed), fits = length(failed))
}

# Whole sites are held out, random ones of the others are trained on. Draws of a size are made
# separately: nested sets would err together.
draw_splits <- function(domain, sizes, folds, draws) {
  levels <- levels(droplevels(domain))
  of_site <- split(seq_along(domain), factor(domain, levels))
  fold <- vapply(seq_len(draws), function(r) c(unclass(assign_folds(levels, folds))),
                 integer(length(levels)))
  rownames(fold) <- levels
  splits <- list()
  for (r in seq_len(draws)) for (l in seq_along(sizes)) for (k in seq_len(max(fold[, r]))) {
    others <- which(fold[, r] != k)
    train <- others[sample.int(length(others), min(sizes[l], length(others)))]
    splits[[length(splits) + 1L]] <- list(
      train = sort(unlist(of_site[train], use.names = FALSE)),
      held = sort(unlist(of_site[fold[, r] == k], use.names = FALSE)),
      fold = k, rep = 1L, size = l, draw = r
    )
  }
  list(splits = splits, fold = fold)
}

# ---- the result -------------------------------------------------------------------------------

new_plan <- function(plan, curve, cv, sizes, target, n, level, new_sites) {
  metric <- plan$metrics[[1L]]
  result <- list(
    n = n, far = plan_far * n, level = level, new_sites = new_sites, metric = metric,
    title = method_of(plan$specs[[1L]])$title, variables = plan$task$labels,
    weighted = plan$task$weighted
  )
  if (!is.null(curve)) {
    result <- c(result, site_results(curve, sizes, target, n, level, new_sites, metric))
  }
  if (!is.null(cv)) result <- c(result, label_results(cv, level, metric))
  structure(result, class = c("dg_plan", "dg_result"))
}

site_results <- function(curve, sizes, target, n, level, new_sites, metric) {
  scored <- apply(is.finite(curve$scores), 1:2, any)
  # few sites may lack a class or a level at few training sites: then that number is left out, else
  # the site
  fine <- colMeans(scored) >= 0.9
  if (sum(fine) < 3L) fine[] <- TRUE
  complete <- apply(scored[, fine, drop = FALSE], 1L, all)
  if (sum(complete) < 5L) {
    abort("data", "Fewer than 5 sites have a score at each number of training sites; use a larger ",
          "least number in `sites`", if (curve$failed) {
            paste0(" (", curve$failed, " of ", curve$fits, " fits failed)")
          }, ".")
  }
  sizes$measured <- sizes$measured[fine]
  curve$scores <- curve$scores[complete, fine, , drop = FALSE]
  sign <- losses(1, metric$better)
  values <- sign * curve$scores
  fitted <- curve_posterior(values, curve$fold[complete, , drop = FALSE], sizes$measured, n)
  all <- c(sizes$measured, sizes$extrapolated)
  ends <- central_ends(level)
  within <- function(scores) {
    if (is.null(metric$range)) scores else pmin(pmax(scores, metric$range[1L]), metric$range[2L])
  }
  limits <- function(losses) {
    bounds <- t(apply(sign * losses, 2L, stats::quantile, ends, names = FALSE))
    if (metric$better == "low" && min(values, na.rm = TRUE) >= 0) bounds <- pmax(bounds, 0)
    within(bounds)
  }
  band <- limits(curve_predictive(fitted, all, new_sites))
  middle <- within(sign * apply(curve_values(fitted, all), 2L, stats::median))
  d <- fitted$draws
  scale <- min(fitted$sizes)^-d$exponent - max(fitted$sizes)^-d$exponent
  b <- d$gain / scale
  saved <- function(from, to) {
    change <- sign * (curve_values(fitted, to) - curve_values(fitted, from))
    data.frame(from, to, change = stats::median(change),
               lower = stats::quantile(change, ends[1L], names = FALSE),
               upper = stats::quantile(change, ends[2L], names = FALSE))
  }
  list(
    sites = data.frame(
      sites = all, measured = all <= max(sizes$measured),
      score = c(sign * fitted$parts$mean,
                rep(NA_real_, length(sizes$extrapolated))),
      mean = middle, lower = band[, 1L], upper = band[, 2L], row.names = NULL
    ),
    gains = rbind(saved(min(sizes$measured), max(sizes$measured)), saved(n, 2 * n)),
    curve = data.frame(a = sign * (d$last - b * max(fitted$sizes)^-d$exponent), b = sign * b,
                       c = d$exponent),
    targets = if (!is.null(target)) needed_sites(fitted, target, sign, n, ends),
    gain_probability = fitted$gain_probability, scores = curve$scores, failed = curve$failed,
    fits = curve$fits, left_out = c(sites = sum(!complete), sizes = sum(!fine))
  )
}

needed_sites <- function(fitted, target, sign, n, ends) {
  far <- plan_far * n
  lines <- lapply(target, function(goal) {
    needed <- curve_needed(fitted, sign * goal)
    now <- mean(needed <= n)
    ever <- mean(needed <= far)
    needed[needed > far] <- Inf
    q <- stats::quantile(needed, c(0.5, ends), type = 1L, names = FALSE)
    data.frame(target = goal, sites = q[1L], lower = q[2L], upper = q[3L], now = now, ever = ever)
  })
  do.call(rbind, lines)
}

label_results <- function(cv, level, metric) {
  table <- cv$shots
  for (j in seq_len(nrow(table))) {
    error <- list(se = table$se[j], df = table$df[j], range = metric$range,
                  positive = metric$better == "low" && all(cv$shot_scores[, j] > 0, na.rm = TRUE))
    table[j, c("lower", "upper")] <- mean_interval(table$mean[j], error, level)
  }
  list(labels = table, crossings = all_crossings(cv, level, metric), cv = cv)
}

all_crossings <- function(cv, level, metric) {
  arms <- cv$shots[c("update", "shots")]
  scores <- losses(cv$shot_scores, metric$better)
  scores <- scores[stats::complete.cases(scores), , drop = FALSE]
  if (nrow(scores) < 3L) return(NULL)
  draws <- bootstrap_means(scores, 1 + 1 / cv$share)
  labels <- setdiff(unique(arms$shots), 0L)
  curve <- function(update) {
    columns <- if (update == "external") rep(1L, length(labels)) else which(arms$update == update)
    draws[, columns, drop = FALSE]
  }
  updates <- setdiff(unique(arms$update), "external")
  others <- setdiff(updates, "local")
  pairs <- rbind(data.frame(update = updates, other = "external"),
                 if ("local" %in% updates && length(others)) {
                   data.frame(update = "local", other = others)
                 })
  ends <- central_ends(level)
  crossings <- lapply(seq_len(nrow(pairs)), function(i) {
    difference <- curve(pairs$update[i]) - curve(pairs$other[i])
    at <- labels_needed(difference, labels)
    q <- stats::quantile(at, c(0.5, ends), type = 1L, names = FALSE)
    data.frame(pairs[i, ], labels = q[1L], lower = q[2L], upper = q[3L],
               better = mean(is.finite(at)))
  })
  `rownames<-`(do.call(rbind, crossings), NULL)
}

#' Learning curves over sites and labels
#'
#' How [dg_plan()] extrapolates the score to more training sites, and compares ways to use labels of
#' a new site.
#'
#' @section Number of sites:
#' Sites are assigned to `folds`. For each number m of training sites, m of the
#' sites outside a fold are drawn at random, the model is fitted to them, and the sites of the fold
#' are scored; all of it `draws` times with other folds. The mean score is then described by a power
#' law (Viering and Loog, 2023),
#' \deqn{s(m) = a + b\,m^{-c}, \quad c > 0}{s(m) = a + b m^-c, c > 0}
#' with the sign of b such that more sites are better. c has a log-normal prior around 1, the rate
#' of a regression with independent sites, with standard deviation 0.5; a and b have flat ones. The
#' posterior distribution of a, b and c contains
#' * which sites are scored: each has a curve of its own, whose coefficients vary over sites;
#' * which sites are trained on: random sets of m of the n sites vary by a proportion 1 - q^2, with
#'   q = m / n, of what sets of new sites would, if a loss is quadratic near its minimum (Hoeffding,
#'   1948); the rest is added;
#' * the random draws.
#'
#' With `new_sites`, bands are for the mean score over that many new sites.
#' @section Number of labels: [dg_cv()] with `shots` scores the model without labels of the new site
#' (external), its updates by k labels, and a local model, on the same rows; see [shots]. The
#' crossing of two ways is the smallest number of labels from which one stays better at all larger
#' numbers in `labels` (between two of these by interpolation in log k). Intervals are from a
#' Bayesian bootstrap over sites (Rubin, 1981), whose variance is multiplied by 1 + 1 / p for
#' training sets with a proportion p of the rows, as in [dg_compare()].
#' @references
#' Hoeffding, W. (1948). A class of statistics with asymptotically normal distribution. *Annals of
#' Mathematical Statistics* 19(3), 293-325.
#'
#' Rubin, D. B. (1981). The Bayesian bootstrap. *Annals of Statistics* 9(1), 130-134.
#'
#' Viering, T. and Loog, M. (2023). The shape of learning curves: a review. *IEEE Transactions on
#' Pattern Analysis and Machine Intelligence* 45(6), 7799-7819.
#' @seealso [dg_plan()], `vignette("before-labels")` with the coverage of bands in simulations
#' @name learning_curves
NULL
