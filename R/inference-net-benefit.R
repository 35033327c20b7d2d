#' Net benefit by site: decision curves
#'
#' @description
#' Net benefit of acting on a model's predicted probability, compared with acting for everybody and
#' for nobody: at each site (a held-out or new domain), over sites, and the probability that the
#' model is useful at a further site.
#'
#' @details
#' **Net benefit.** At threshold t a row is treated if its predicted probability is t or more. With
#' TP true and FP false positives among the n rows of a site,
#'
#' \deqn{\mathrm{NB}(t) = \frac{TP}{n} - \frac{FP}{n}\,\frac{t}{1-t}}{NB(t) = TP/n - FP/n t/(1-t)}
#'
#' (Vickers and Elkin, 2006): true positives per row minus false positives weighted by the odds
#' t/(1 - t). Treating all has \eqn{\pi - (1 - \pi)\,t/(1-t)}{pi - (1 - pi) t/(1-t)} with proportion
#' \eqn{\pi}{pi} of events, treating none has 0. Choose t by what a false positive costs: t = 0.1
#' means that missing an event is as bad as 9 needless treatments.
#'
#' **Over sites.** Mean, interval and the interval of a new site are those of [dg_validate()], see
#' [site_means]: each site counts once. The standard error of a site is that of a mean of rows, 1,
#' -t/(1-t) or 0 each, with their variance within all sites: by its own, a site without a rare false
#' negative would have a high value and a small error, which is a bias. The intervals hold for each
#' threshold alone, not for the whole curve.
#'
#' **Useful at a new site** (Wynants and others, 2018): the probability that the model has a higher
#' net benefit there than both treating all and treating none. It is computed from each site's
#' difference between the model and the better of treating all and none, NB - max(NB of all, 0); the
#' difference has a smaller error than its parts, which share rows. Treating all is the better one
#' at sites whose proportion of events is above t; that proportion is the posterior mean of the site
#' (random effects on the logit scale), since the larger of two noisy values is too large on
#' average. The probability is about the many rows of a new site and assumes one of the kind of
#' these. It is 0 also at thresholds at which the model treats all, or none, at each site and that
#' is the better of the two: the model is the same as treating all or none there, not worse.
#' Where few rows have predictions near t, it jumps from one threshold to the
#' next.
#'
#' A model with useful near 1 over the thresholds that one would act on can be used as it is; where
#' it is near 0, act for all or for none. A miscalibrated model has a lower net benefit:
#' [dg_adapt()] and `calibration` of the learners are remedies.
#'
#' @param newdata,domain,y,class,level As in [dg_validate()].
#' @param object As in [dg_validate()], with probabilities of classes, or the result of
#'   `dg_validate()`. With predicted probabilities `y` may be 0 and 1.
#' @param thresholds Numbers between 0 and 1: probabilities at or above which a row is treated.
#'   Default: 0.01 to 0.99 in steps of 0.01.
#' @return `plot()` returns a ggplot2 object. `dg_net_benefit()` returns an object of class
#'   `dg_net_benefit`, a list with
#'   \item{pooled}{data frame, a row for each method and threshold: `method`, `threshold`, mean
#'     `net_benefit` with its interval `lower` to `upper`, net benefit of treating `all` and `none`,
#'     mean `difference` from the better of these at each site with `difference_lower` to
#'     `difference_upper`, interval of the net benefit of a new site `new_lower` to `new_upper`, and
#'     the probability `useful` with the interval `useful_lower` to `useful_upper` of the
#'     proportion of such sites}
#'   \item{domains}{data frame, a row for each method, domain and threshold: `method`, `domain`,
#'     `threshold`, `net_benefit` with its standard error `se`, `all`}
#'   \item{rows, events}{numbers of rows and of events, without repeats}
#'   \item{class, level, inflation, labels, held_out}{as given or found}
#' @section Errors:
#' A response of numbers or counts; predictions without probabilities; thresholds that are not
#' between 0 and 1; and those of [dg_validate()] on rows, classes and probabilities.
#' @references
#' Vickers, A. J. and Elkin, E. B. (2006). Decision curve analysis: a novel method for evaluating
#' prediction models. *Medical Decision Making* 26, 565-574.
#'
#' Wynants, L., Riley, R. D., Timmerman, D. and Van Calster, B. (2018). Random-effects meta-analysis
#' of the clinical utility of tests and prediction models. *Statistics in Medicine* 37, 2034-2052.
#' @seealso [dg_validate()], [dg_calibration()], `vignette("validation")`
#' @examples
#' # probabilities of any model, at two thresholds
#' infert$group <- infert$stratum %% 6
#' abortions <- glm(case ~ spontaneous + induced, binomial, data = infert)
#' dg_net_benefit(fitted(abortions), y = infert$case, domain = infert$group,
#'                thresholds = c(0.2, 0.4))
#'
#' toy <- simulate_dcm(domains = 8, n = 60, seed = 1)
#' benefit <- dg_net_benefit(dg_cv(dg_glm(lambda = 1), y ~ . | domain, data = toy))
#' benefit
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(benefit)
#' @export
dg_net_benefit <- function(object, newdata = NULL, domain = NULL, y = NULL, class = NULL,
                           thresholds = seq(0.01, 0.99, by = 0.01), level = 0.95) {
  enter_session()
  check_given(object, "object")
  level <- check_between(level, "level", 0.5, 0.999)
  thresholds <- read_thresholds(thresholds)
  if (inherits(object, "dg_validate")) check_events(object$kind)
  tested <- with_given_names(validation_rows(object, newdata, domain, y), substitute(y),
                             substitute(domain))
  lacking <- vapply(tested$methods, function(method) is.null(method$prob), NA)
  if (any(lacking)) abort_no_events(tested)
  sites <- lapply(tested$methods, site_rows, "class", class)
  values <- lapply(sites, benefit_by_site, thresholds)
  once <- distinct_rows(sites)
  left_out <- nrow(distinct_rows(lapply(tested$methods, all_rows))) - nrow(once)
  structure(list(
    pooled = by_method(lapply(values, pool_benefits, thresholds, tested$inflation, level)),
    domains = by_method(lapply(values, benefit_table, thresholds)),
    rows = nrow(once), events = sum(once$y), class = sites[[1L]]$class, level = level,
    inflation = tested$inflation, labels = tested$labels, held_out = tested$held_out,
    title = tested$title, notes = c(tested$notes, left_out_words(left_out))
  ), class = c("dg_net_benefit", "dg_result"))
}

# By the kind of the response, see `measures`.
check_events <- function(kind) {
  if (kind != "class") {
    abort("argument", "`object` must have a response of classes, not ",
          switch(kind, number = "numbers", count = "counts", ordinal = "ordered classes",
                 censored = "censored times"), ".")
  }
}

abort_no_events <- function(tested) {
  kind <- read_response_kind(NULL, tested)
  if (kind != "ordinal") check_events(kind)
  abort_no_validated()
}

# The rows of all methods, those of repeats once: data frame of place, domain and y.
distinct_rows <- function(sites) {
  all <- do.call(rbind, lapply(sites, function(site) {
    data.frame(place = site$place, domain = value_labels(site$domain), y = site$y)
  }))
  all[!duplicated(all[c("place", "domain")]), ]
}

# The rows of a method, with a prediction or without.
all_rows <- function(method) {
  n <- length(method$domain)
  list(place = if (is.null(method$row)) seq_len(n) else method$row, domain = method$domain, y = NA)
}

read_thresholds <- function(thresholds) {
  # one that rounds to 0 or 1 is not between them
  rounded <- if (is.numeric(thresholds)) round(thresholds, threshold_digits)
  fine <- length(rounded) > 0L && !anyNA(rounded) && all(rounded > 0 & rounded < 1)
  if (!fine) {
    abort("argument", "`thresholds` must be numbers between 0 and 1, not ",
          if (is.numeric(thresholds) && length(thresholds)) {
            enumerate(format(thresholds[is.na(rounded) | rounded <= 0 | rounded >= 1],
                             digits = 15), quote = "")
          } else describe(thresholds), ".")
  }
  sort(unique(rounded))
}

# ---- by site ----------------------------------------------------------------------------------

# list(net_benefit, difference, prevalence: see mean_benefit()). Of repeats the means.
benefit_by_site <- function(scored, thresholds) {
  repeats <- split(seq_along(scored$y), scored$rep)
  shrunk <- shrunk_prevalence(scored$y[repeats[[1L]]], scored$domain[repeats[[1L]]])
  counts <- lapply(repeats, function(i) {
    count_benefits(scored$y[i], scored$p[i], scored$domain[i], thresholds, shrunk)
  })
  lapply(list(net_benefit = "net_benefit", difference = "difference", prevalence = "prevalence"),
         function(name) {
    of_all <- names(counts[[1L]][[name]])
    lapply(stats::setNames(of_all, of_all), function(of) {
      all <- lapply(counts, function(one) one[[name]][[of]])
      n <- Reduce(`+`, lapply(all, function(values) !is.na(values)))
      # NaN: no value
      total <- Reduce(`+`, lapply(all, function(values) replace(values, is.na(values), 0)))
      `rownames<-`(total / n, levels(scored$domain))
    })
  })
}

# The same of one repeat.
count_benefits <- function(y, p, domain, thresholds, shrunk) {
  G <- nlevels(domain)
  treated <- function(event) {
    at <- y == event
    counts <- vapply(split(round(p[at], threshold_digits), domain[at]), function(p) {
      length(p) - findInterval(thresholds, sort(p), left.open = TRUE)
    }, thresholds)
    matrix(counts, G, byrow = TRUE)
  }
  events <- tabulate(domain[y == 1], G)
  n <- tabulate(domain, G)
  hits <- treated(1)
  false <- treated(0)
  price <- rep(thresholds / (1 - thresholds), each = G)
  net <- mean_benefit(hits, false, n, price)
  # treating all gains more by the net benefit of the rows below the threshold
  lost <- mean_benefit(events - hits, n - events - false, n, price)
  all_better <- outer(shrunk, thresholds, ">")
  list(net_benefit = net, prevalence = mean_benefit(cbind(events), 0 * cbind(events), n, 0),
       difference = list(value = ifelse(all_better, -lost$value, net$value),
                         common_se = ifelse(all_better, lost$common_se, net$common_se)))
}

# TP / n - FP / n t / (1 - t) (Vickers and Elkin, 2006), the mean over rows of 1, -t / (1 - t) or 0;
# its standard error se, as site_mean() of these; and that by the variance within all sites,
# common_se. All [domains x thresholds].
mean_benefit <- function(hits, false, n, price) {
  share <- list(hits / n, false / n, (n - hits - false) / n)
  # of three values by their differences: exactly 0 where all are the same
  squares <- n * (share[[1L]] * share[[2L]] * (1 + price)^2 + share[[1L]] * share[[3L]] +
                    share[[2L]] * share[[3L]] * price^2)
  within <- colSums(squares, na.rm = TRUE) / sum(pmax(n - 1, 0))
  list(value = share[[1L]] - price * share[[2L]], se = sqrt(squares / (n * (n - 1))),
       common_se = sqrt(outer(1 / n, within)))
}

# The prevalence of each site, drawn to the others' on the logit scale.
shrunk_prevalence <- function(y, domain) {
  sites <- lapply(split(y, domain), function(y) {
    if (length(y)) on_scale(site_proportion(y == 1, rep(TRUE, length(y))), scales$logit)
    else on_scale(no_value(0L), scales$logit)
  })
  value <- vapply(sites, `[[`, 0, "value")
  se <- vapply(sites, `[[`, 0, "value_se")
  finite <- is.finite(value)
  if (sum(finite) > 1L) {
    posterior <- site_posterior(value[finite], se[finite], tau_scale(value[finite], se[finite], 1))
    value[finite] <- colSums(posterior$weights * posterior$site_mean)
  }
  stats::plogis(unname(value))
}

# ---- over sites -------------------------------------------------------------------------------

pool_benefits <- function(values, thresholds, inflation, level) {
  over <- function(of, inflation) {
    t(vapply(seq_len(ncol(of$value)), function(k) {
      pool_benefit(of$value[, k], of$common_se[, k], inflation, level)
    }, numeric(8L)))
  }
  net <- over(values$net_benefit, inflation)
  difference <- over(values$difference, inflation)
  prevalence <- over(values$prevalence, 1)[1L]
  data.frame(threshold = thresholds, net_benefit = net[, 1L], lower = net[, 2L],
             upper = net[, 3L],
             all = prevalence - (1 - prevalence) * thresholds / (1 - thresholds), none = 0,
             difference = difference[, 1L], difference_lower = difference[, 2L],
             difference_upper = difference[, 3L], new_lower = net[, 4L], new_upper = net[, 5L],
             useful = difference[, 6L], useful_lower = difference[, 7L],
             useful_upper = difference[, 8L])
}

# c(mean, its interval, the interval of a new site, probability that this is above 0 and its
# interval).
pool_benefit <- function(value, se, inflation, level) {
  finite <- is.finite(value) & is.finite(se)
  value <- value[finite]
  se <- se[finite]
  if (length(value) < 2L) return(c(if (length(value)) value else NA_real_, rep(NA_real_, 7L)))
  # no row differs from others of its site, and no site from others
  alike <- diff(range(value)) <= 1e-9 * max(abs(value))
  if (all(se == 0) && alike) return(c(rep(mean(value), 5L), rep(mean(value) > 0, 3L)))
  # as at sites where the model treats all and that is best
  se <- pmax(se, if (any(se > 0)) max(se) / 100 else stats::sd(value) / 100)
  pooled <- random_effects(value, se, inflation = inflation, level = level)
  c(pooled$mean, pooled$lower, pooled$upper, pooled$new$interval,
    unname(share_between(c(0, Inf), pooled$new, level)))
}

benefit_table <- function(values, thresholds) {
  net <- values$net_benefit
  G <- nrow(net$value)
  price <- rep(thresholds / (1 - thresholds), each = G)
  prevalence <- c(values$prevalence$value)
  table <- data.frame(
    domain = rownames(net$value), threshold = rep(thresholds, each = G),
    net_benefit = c(net$value), se = c(net$se), all = prevalence - (1 - prevalence) * price
  )
  table[order(rep(seq_len(G), length(thresholds))), ]
}
