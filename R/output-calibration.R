#' Calibration of predicted probabilities
#'
#' @description
#' Compares predicted probabilities with observed classes, first in each domain, then over all
#' domains: a model can be calibrated over all domains and wrong in each. Use rows that were not in
#' training: held-out domains of a [dg_cv()], or new domains.
#'
#' @details
#' **By domain** (`by_domain`).
#' * Ratio: the observed number of rows of a class over the expected number, the sum of the
#'   predicted probabilities p. Above 1, predictions are too low.
#' * p value of the ratio, exact for independent rows: with few rows the ratio is far from 1 even if
#'   predictions are right.
#' * Intercept a and slope b of the logistic regression \eqn{\mathrm{logit} P(y = 1) = a + b\,
#'   \mathrm{logit}\, p}{logit P(y = 1) = a + b logit p}, where a is estimated with b = 1 (Cox,
#'   1958; Van Calster et al., 2019). Calibrated predictions have a = 0 and b = 1; with b below 1
#'   they are too extreme. b is `NA` in domains with fewer than five rows of the class or of the
#'   others; with fewer than ten, a and b have Firth's penalty ([site_measures]).
#'
#' **Over all domains** (`table`). Rows are grouped into bins of predicted probability, with the
#' mean prediction and the observed proportion of each. The 95 % interval of the proportion is
#' Wilson's (1927, equation 4) with the number of rows divided by the design effect of domains (at
#' least 1; Cochran, 1977, equation 2.39), and the quantile of Student's t for the domains in the
#' bin. It is `NA` if a bin has rows of one domain only. If all rows of a bin are of the class, or
#' none is, the design effect uses the intraclass correlation of the other bins.
#'
#' **Censored times.** The predicted probability is that of an event until `time`, 1 - S(`time`).
#' The observed number of rows is the number of rows times 1 - Kaplan and Meier's estimate, of a
#' domain or a bin, and the p value of the ratio is a normal approximation on its logarithm. The
#' slope is that of Cox regression on log(-log S), and there is no intercept ([dg_validate()]). A
#' domain that is not followed until `time` has no ratio.
#'
#' `plot()` (and `autoplot()`) draws the reliability diagram: a point per bin with its interval, the
#' diagonal on which predicted equals observed, and the number of rows as columns at the bottom.
#' With more than two classes each has a panel.
#'
#' @param object A [dg_cv()] of a model with probabilities, a
#'   fitted model with probabilities (as `type = "prob"` of [predict.dg_learner()] lists them),
#'   predictions as in [dg_validate()], or a `dg_validate()` of classes.
#' @param newdata For a model: data frame of rows with the response, or without it and `y`.
#' @param domain,y Domain and response of each row of `newdata`, if they are not columns of it.
#' @param bins Number of bins of equal width. Default 10.
#' @param class Names of classes. Default `NULL`: the second of two, else all.
#' @param time Positive number: the time of survival probabilities; for a cross-validation, one of
#'   the times of its [metric_brier()].
#' @return `plot()` returns a ggplot2 object, `dg_calibration()` an object of class
#'   `dg_calibration`, a list with
#'   \item{by_domain}{data frame, a row per class and domain: `class`, `domain`, `rows`, `observed`
#'     and `expected` (numbers of rows of the class), their `ratio` with `p`, `intercept`, `slope`}
#'   \item{table}{data frame, a row per class and bin with rows: `class`, `low`, `high` (bounds of
#'     the bin), `rows`, `predicted` (mean), `observed` (proportion), `lower` and `upper` (95 %
#'     interval)}
#'   \item{error}{expected calibration error of each class over all domains, \eqn{\sum_b (n_b/n)
#'     |\mathrm{observed}_b - \mathrm{predicted}_b|}{sum_b (n_b/n) |observed_b - predicted_b|}; it
#'     can be small although every domain is miscalibrated}
#'   \item{rows, domains}{numbers of rows and domains}
#'   \item{labels, held_out}{texts for printing}
#' @section Errors:
#' A model or cross-validation without probabilities (of censored times: at `time`); `newdata`,
#' `domain` or `y` with a cross-validation; a response that is missing or has other classes; those
#' of [predict.dg_learner()].
#' @references
#' Cochran, W. G. (1977). *Sampling Techniques*, third edition. Wiley.
#'
#' Cox, D. R. (1958). Two further applications of a model for binary regression. *Biometrika* 45,
#' 562-565.
#'
#' Van Calster, B. and others (2019). Calibration: the Achilles heel of predictive analytics. *BMC
#' Medicine* 17, 230.
#'
#' Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
#' *Journal of the American Statistical Association* 22(158), 209-212.
#' @seealso [dg_validate()], whose plot of calibration has a line for each site
#' @examples
#' # second and third pregnancies, held out by group
#' births <- transform(infert, group = stratum %% 6, case = factor(case))
#' cv <- dg_cv(dg_lm(), case ~ spontaneous + induced | group, data = births)
#' calibration <- dg_calibration(cv, bins = 5)
#' calibration
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(calibration)
#' @export
dg_calibration <- function(object, newdata = NULL, domain = NULL, y = NULL, bins = 10,
                           class = NULL, time = NULL) {
  enter_session()
  check_given(object, "object")
  bins <- check_count(bins, "bins", at_least = 2L)
  if (!is.null(time)) time <- check_number(time, "time", "positive")
  if (inherits(object, "dg_validate")) check_events(object$kind)
  tested <- with_given_names(validation_rows(object, newdata, domain, y, time), substitute(y),
                             substitute(domain))
  if (length(tested$methods) > 1L) {
    abort("argument", "`object` must be of one method, not of ", length(tested$methods),
          ": give one of its `$runs`.")
  }
  held <- tested$methods[[1L]]
  if (is_censored(held$truth)) return(calibrate_times(tested, time, bins))
  if (!is.null(time)) abort("argument", "`time` must be NULL without censored times.")
  if (is.null(held$prob)) abort_no_events(tested)
  levels <- class_levels(held)
  class <- read_class(class, levels)
  truth <- value_labels(held$truth)
  check_known_classes(truth, levels)
  check_probabilities(held$prob)
  # repeats predict the same rows
  place <- if (is.null(held$row)) seq_along(truth) else held$row
  at <- !is.na(truth) & !is.na(rowSums(held$prob)) & !is.na(held$domain)
  at[at] <- !duplicated(data.frame(place, held$domain)[at, ])
  if (!any(at)) abort("data", "No row has both a class and a probability.")
  domain <- factor(held$domain[at])
  each_class <- function(describe) {
    lapply(stats::setNames(class, class), function(name) {
      describe(name, held$prob[at, match(name, levels)], truth[at] == name, domain)
    })
  }
  by_domain <- do.call(rbind, unname(each_class(calibrate_domains)))
  tables <- each_class(function(...) bin_probabilities(..., bins))
  table <- do.call(rbind, unname(tables))
  table$class <- factor(table$class, class)
  error <- vapply(tables, function(t) sum(t$rows * abs(t$observed - t$predicted)), 0) / sum(at)
  structure(c(list(by_domain = by_domain, table = table, error = error, rows = sum(at),
                   domains = nlevels(domain)), tested[c("labels", "held_out")]),
            class = c("dg_calibration", "dg_result"))
}

# Of censored times at one of these: events until then are the class.
calibrate_times <- function(tested, time, bins) {
  if (is.null(time)) {
    abort("argument", "`time` must be given with censored times: the time until which events are ",
          "predicted.")
  }
  held <- with_times(tested, time)$methods[[1L]]
  place <- if (is.null(held$row)) seq_along(held$truth) else held$row
  at <- !is.na(held$truth) & !is.na(held$survival[, 1L]) & !is.na(held$domain)
  at[at] <- !duplicated(data.frame(place, held$domain)[at, ])
  if (!any(at)) abort("data", "No row has both a time and a probability.")
  y <- held$truth[at]
  S <- held$survival[at, 1L]
  domain <- factor(held$domain[at])
  class <- paste("event until", format(time))
  by_domain <- lapply(split(seq_along(S), domain), function(i) {
    ratio <- events_ratio(y[i], S[i], time)
    expected <- sum(1 - S[i])
    z <- log(ratio$estimate) / (ratio$se / ratio$estimate)
    if (isTRUE(ratio$estimate == 0)) z <- ratio$value / ratio$value_se
    slope <- hazard_slope(list(y = y[i], score = log(-log(pmin(pmax(S[i], 1e-10), 1 - 1e-10)))))
    data.frame(rows = length(i), observed = ratio$estimate * expected, expected = expected,
               ratio = ratio$estimate, p = 2 * stats::pnorm(-abs(z)), intercept = NA_real_,
               slope = slope$estimate)
  })
  groups <- split(seq_along(S), pmin(floor((1 - S) * bins), bins - 1))
  events <- lapply(groups, function(i) {
    values <- list(event = rep(1, length(i)), later = numeric(length(i)))
    ipcw_mean(y[i], time, values)
  })
  ends <- mapply(censored_interval, events, lapply(groups, function(i) domain[i]))
  low <- as.numeric(names(groups)) / bins
  table <- data.frame(
    class = factor(class), low = low, high = low + 1 / bins, rows = lengths(groups),
    predicted = vapply(groups, function(i) mean(1 - S[i]), 0),
    observed = vapply(events, `[[`, 0, "mean"), lower = ends[1L, ], upper = ends[2L, ],
    row.names = NULL
  )
  observed <- table[!is.na(table$observed), ]
  error <- stats::weighted.mean(abs(observed$observed - observed$predicted), observed$rows)
  structure(c(list(
    by_domain = data.frame(class = class, domain = levels(domain), do.call(rbind, by_domain),
                           row.names = NULL),
    table = table, error = stats::setNames(error, class), rows = length(S),
    domains = nlevels(domain), times = TRUE
  ), tested[c("labels", "held_out")]), class = c("dg_calibration", "dg_result"))
}

# Wilson's interval for the number of rows with which the proportion has this standard error: that
# of independent rows or that of domains, whichever is larger. average: of ipcw_mean().
censored_interval <- function(average, domain, level = 0.95) {
  share <- min(max(average$mean, 0), 1)
  n <- length(domain)
  G <- length(unique(domain))
  if (G < 2L || is.na(share)) return(c(NA_real_, NA_real_))
  by_domain <- rowsum(average$effect, as.integer(domain))
  variance <- max(sum(average$effect^2), G / (G - 1) * sum(by_domain^2))
  size <- if (share > 0 && share < 1 && variance > 0) min(share * (1 - share) / variance, n) else n
  wilson_interval(share, size, stats::qt((1 + level) / 2, G - 1))
}

# Ratio, intercept and slope are those of dg_validate().
calibrate_domains <- function(class, prob, positive, domain) {
  lines <- lapply(split(seq_along(prob), domain), function(i) {
    site <- list(y = as.integer(positive[i]), p = prob[i])
    data.frame(rows = length(i), observed = sum(positive[i]), expected = sum(prob[i]),
               ratio = sum(positive[i]) / sum(prob[i]), p = number_p(prob[i], sum(positive[i])),
               intercept = logistic_intercept(site)$estimate,
               slope = line_slope(site, "class")$estimate)
  })
  data.frame(class = class, domain = levels(domain), do.call(rbind, lines), row.names = NULL)
}

# Two-sided p of the number of hits of independent rows: exact, for many rows by the normal
# approximation.
number_p <- function(prob, hits) {
  n <- length(prob)
  if (n > 1000L) {
    off <- max(abs(hits - sum(prob)) - 0.5, 0)
    return(2 * stats::pnorm(-off / sqrt(sum(prob * (1 - prob)) + 1e-12)))
  }
  mass <- Reduce(function(mass, q) c(mass * (1 - q), 0) + c(0, mass * q), prob, 1)
  min(1, 2 * sum(mass[seq_len(hits + 1L)]), 2 * sum(mass[(hits + 1L):(n + 1L)]))
}

bin_probabilities <- function(class, prob, positive, domain, bins) {
  bin <- pmin(floor(prob * bins), bins - 1)
  groups <- split(seq_along(prob), bin)
  n <- lengths(groups)
  hits <- vapply(groups, function(i) sum(positive[i]), numeric(1))
  effects <- vapply(groups, function(i) design_effect(positive[i], domain[i]), c(0, 0))
  weight <- n * !is.na(effects[1L, ])
  more <- sum(weight * effects[2L, ])
  correlation <- if (more > 0) sum(weight * (effects[1L, ] - 1), na.rm = TRUE) / more else 0
  ends <- vapply(groups, function(i) {
    clustered_interval(positive[i], domain[i], correlation)
  }, c(0, 0))
  low <- as.numeric(names(groups)) / bins
  data.frame(class = class, low = low, high = low + 1 / bins, rows = n,
             predicted = vapply(groups, function(i) mean(prob[i]), 0),
             observed = hits / n, lower = ends[1L, ], upper = ends[2L, ], row.names = NULL)
}

# effect: the variance of the proportion as a ratio of sums over domains (Cochran, 1977, equation
# 2.39) over that of independent rows; NA for rows that are all alike, or of one domain. It is 1 +
# correlation * more: the intraclass correlation, and the mean number of other rows in a row's
# domain.
design_effect <- function(positive, domain) {
  sizes <- as.numeric(table(factor(domain)))
  G <- length(sizes)
  share <- mean(positive)
  off <- rowsum(positive - share, as.integer(domain))
  mixed <- G > 1L && share > 0 && share < 1
  c(effect = if (mixed) G / (G - 1) * sum(off^2) / (sum(sizes) * share * (1 - share)) else NA_real_,
    more = sum(sizes^2) / sum(sizes) - 1)
}

# Wilson's interval for n over the design effect. correlation: the intraclass correlation in other
# bins, for rows that are all alike.
clustered_interval <- function(positive, domain, correlation = 0, level = 0.95) {
  G <- length(unique(domain))
  if (G < 2L) return(c(NA_real_, NA_real_))
  design <- design_effect(positive, domain)
  if (is.na(design[["effect"]])) design["effect"] <- 1 + correlation * design[["more"]]
  wilson_interval(mean(positive), length(positive) / max(design[["effect"]], 1),
                  stats::qt((1 + level) / 2, G - 1))
}

# Wilson (1927), equation 4.
wilson_interval <- function(share, n, z) {
  centre <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
  c(max(centre - half, 0), min(centre + half, 1))
}

#' @exportS3Method
describe_result.dg_calibration <- function(x) {
  share <- as_decimals(max(getOption("digits") - 4L, 1L))
  new_result(
    paste0("Calibration of ", x$labels$response, ", ", plural(x$rows, "row"), " of ",
           plural(x$domains, "domain")),
    x$table,
    list(column("class"),
         interval("bin", as_each(), lower = "low", upper = "high"),
         column("rows"), column("predicted", format = share, report = "Mean prediction"),
         column("observed", format = share, tidy = "estimate", report = "Observed proportion"),
         interval(format = share)),
    facts = c(in_domain_words(x$held_out, domain_words(x$labels)), calibration_words(x)),
    notes = paste("Table: all domains together, by bins of predicted probability. Its error can be",
                  "small although each domain is miscalibrated."),
    glance = data.frame(rows = x$rows, domains = x$domains, classes = length(x$error),
                        error = mean(x$error))
  )
}

# Values by domain come first, because many models with a small pooled error are miscalibrated in
# each domain. The number of significant ratios is added, because with few rows every model has
# ratios far from 1.
calibration_words <- function(x) {
  range_of <- function(values) {
    words <- rounded(range(values), 3)
    paste0(words[1L], " to ", words[2L], " (median ", rounded(stats::median(values), 3), ")")
  }
  unlist(lapply(seq_along(x$error), function(k) {
    class <- names(x$error)[k]
    domains <- x$by_domain[x$by_domain$class == class, ]
    slopes <- domains$slope[is.finite(domains$slope)]
    enough <- paste(calibration_rows, if (isTRUE(x$times)) "events"
                                      else "rows of the class and of others")
    with_ratio <- domains[!is.na(domains$ratio), ]
    c(paste0(class, ": observed/expected by domain ",
             if (nrow(with_ratio)) range_of(with_ratio$ratio) else "not known", "; differs from 1 ",
             "(p < 0.05, for independent rows) in ", sum(with_ratio$p < 0.05), " of ",
             plural(nrow(with_ratio), "domain")),
      paste0("  slope by domain ", if (length(slopes)) {
        paste0(range_of(slopes), if (length(slopes) < nrow(domains)) {
          paste0(", of the ", plural(length(slopes), "domain"), " with ", enough)
        })
      } else paste("not known: no domain has", enough)),
      paste0("  calibration error over all domains ", rounded(x$error[[k]], 2)))
  }))
}

#' @rdname dg_calibration
#' @param x The result of `dg_calibration()`.
#' @param ... Must be empty.
#' @export
plot.dg_calibration <- function(x, ...) {
  check_no_dots(list(...), character())
  table <- x$table
  response <- shorten(x$labels$response, 16)
  table$panel <- table$class
  one <- nlevels(table$panel) == 1L
  # bars of counts reach 0.2 of the height
  table$height <- 0.2 * table$rows / stats::ave(table$rows, table$panel, FUN = max)
  table$middle <- (table$low + table$high) / 2
  # the proportion of one row is 0 or 1
  drawn <- table[table$rows > 1L, ]
  alone <- nrow(table) - nrow(drawn)
  # few enough to be read
  counted <- one && nrow(table) <= 12L
  new_plot(
    drawn, c(x = "predicted", y = "observed"), "Calibration of predicted probabilities",
    paste0(plural(x$rows, "row"), " of ", plural(x$domains, "domain"),
           "; ", if (one) paste(response, "=", shorten(levels(table$panel), 16))
                 else paste("classes of", response)),
    x = "Predicted probability", y = "Observed proportion", caption = c(
      "Points are bins of predicted probability over all domains, bars their 95 % intervals. On",
      "the dashed line, predicted equals observed.",
      if (counted) "Grey columns and numbers count the rows." else "Grey columns count the rows.",
      "Single domains can be off where all together are not.",
      if (alone) paste0("Without a point: ", plural(alone, "bin"), " of a single row.")
    )
  ) +
    panels(table$panel) +
    ggplot2::geom_col(columns(x = "middle", y = "height"), table, fill = "grey85", colour = "white",
                      width = table$high[1L] - table$low[1L]) +
    ggplot2::geom_abline(linetype = 2, colour = pale) +
    ggplot2::geom_line(colour = mean_colour, alpha = 0.5) +
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper"), drawn[!is.na(drawn$lower), ],
                            colour = mean_colour, linewidth = 0.8) +
    ggplot2::geom_point(colour = mean_colour, size = 2) +
    (if (counted) {
      ggplot2::geom_text(columns(x = "middle", label = "rows"), table, y = -0.05, size = 2.5,
                         colour = "grey40")
    }) +
    ggplot2::scale_x_continuous(breaks = c(0, 0.5, 1), labels = c("0", "0.5", "1")) +
    ggplot2::scale_y_continuous(breaks = c(0, 0.5, 1), labels = c("0", "0.5", "1")) +
    ggplot2::coord_cartesian(xlim = c(0, 1), ylim = c(-0.06, 1))
}
