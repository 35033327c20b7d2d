#' @rdname dg_cv
#' @usage NULL
#' @section Plot:
#' `plot()` (and `ggplot2::autoplot()`) returns a ggplot2 object, see [plot.dg_projection()].
#'
#' The score of each held-out domain, sorted, with an interval for what other rows of the same
#' domain would have given (bootstrap of its rows, 200 draws, always the same); and the mean over
#' domains with its interval, Student's with the standard error of [dg_cv()] (95 % each). Domains
#' without a score are left out; names that do not fit are shortened or left out. See
#' [dg_calibration()] for the plot of predicted probabilities.
#'
#' Arguments of `plot()`: `max_labels`, the maximum number of domains that are named; `interval`,
#' are intervals of domains drawn? `shots`, is the error drawn against the number of labelled rows
#' of a new domain, as by default where `dg_cv(shots = )` has it? `periods`, is the score drawn
#' against time, as by default where the folds have time? It is an error if no domain has a score.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' plot(dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight, folds = 10))
#' @export
plot.dg_cv <- function(x, max_labels = 40, interval = TRUE, shots = !is.null(x$shots),
                       periods = !is.null(x$periods), ...) {
  check_no_dots(list(...), c("max_labels", "interval", "shots", "periods"))
  if (check_flag(periods, "periods")) {
    if (is.null(x$periods)) {
      abort("argument", "`periods` must be FALSE: `x` was made by dg_cv() with folds without time.")
    }
    return(plot_periods(x))
  }
  if (!check_flag(shots, "shots")) return(plot_cv(x, max_labels, interval))
  if (is.null(x$shots)) {
    abort("argument", "`shots` must be FALSE: `x` was made by dg_cv() without `shots`.")
  }
  plot_shots(x)
}

#' @rdname tidy.domgen
#' @order 1
#' @param table Of [dg_cv()]: `"domains"`, or of folds with time `"periods"` or `"trend"`.
#' @export
tidy.dg_cv <- function(x, table = c("domains", "periods", "trend"), ...) {
  enter_session()
  check_no_dots(list(...), "table")
  table <- check_choice(table, "table", c("domains", "periods", "trend"))
  if (table == "domains") return(tidy.dg_result(x))
  if (is.null(x[[table]])) {
    abort("argument", "`table` must be \"domains\": `x` has no ", table, ", which dg_cv() has of ",
          "folds with time.")
  }
  as_broom(x[[table]], c(mean = "estimate", change = "estimate"))
}

#' @exportS3Method
describe_result.dg_cv <- function(x) {
  titles <- vapply(x$metrics, `[[`, "", "title")
  columns <- c("score", names(x$metrics)[-1L])
  means <- vapply(columns, function(name) known_mean(x$domains[[name]]), 0)
  intervals <- Map(mean_interval, means, x$errors)
  said <- vapply(intervals, mean_words, "")
  # further metrics, such as the width of intervals, may have none
  said[-1L][vapply(intervals[-1L], anyNA, NA)] <- ""
  new_result(
    paste0(method_of(x$spec)$title, ": ", score_label(x$metrics[[1L]])), x$domains,
    # with time a domain is in several folds
    c(list(column("domain")), if (is.null(x$periods)) list(column("fold", report = FALSE)),
      list(column("rows")),
      score_columns(columns, x$metrics),
      # of all responses of a domain, see closed_form; a metric of this name is that of a row
      if (!is.null(x$domains$log_density) && !"log_density" %in% names(x$metrics)) {
        list(column("log_density", "log density"))
      }),
    facts = c(x$held_out, x$novelty, paste0(
      titles, ": mean over domains ", vapply(rounded(means, 4), format, ""),
      said,
      c(paste(", all rows", format(rounded(x$overall, 4))), rep("", length(titles) - 1L))
    )),
    notes = c(if (!is.na(x$se)) paste0("Intervals are for ", scope_words(x$scope), "."),
              cv_notes(x)),
    most = 10L, unit = "domain", where = "`$domains`",
    further = c(if (!is.null(x$periods)) list(describe_periods(x)),
                if (!is.null(x$shots)) list(describe_shots(x)), if (!is.null(x$one_step)) {
      list(new_result(
        paste("Deviation from the fit without the domain, in decision values: of the Newton step",
              "(difference) and of the fit to all rows (change)"), x$one_step,
        list(column("domain"), column("rows"), column("difference", format = as_each()),
             column("change", format = as_each()))
      ))
    }),
    glance = data.frame(
      metric = titles[1L], mean = x$mean, se = x$se, lower = intervals[[1L]][1L],
      upper = intervals[[1L]][2L], overall = x$overall, domains = nrow(x$domains),
      fits = nrow(x$fits), seconds = sum(x$fits$seconds), row.names = NULL
    ),
    augmented = prediction_rows(x$predictions)
  )
}

# On the console, metrics with long titles have their short names.
score_columns <- function(columns, metrics) {
  unname(Map(function(score, metric, name) {
    column(score, metric$title, print = if (nchar(metric$title) > 16L) name else TRUE)
  }, columns, metrics, names(metrics)))
}

prediction_rows <- function(predictions) {
  if (is.null(predictions)) return("rows of a source are not kept")
  names(predictions) <- sub("^prob\\.", ".pred_", names(predictions))
  as.data.frame(predictions)
}

describe_shots <- function(x) {
  table <- x$shots
  left <- nrow(x$shot_scores) - max(table$domains)
  change <- function(name, header) column(name, header, as_number(3), at = table$shots > 0L)
  new_result(
    paste0(capital(x$metrics[[1L]]$title), " with labelled rows of each held-out domain, on its ",
           "other rows (", plural(draws_each(nrow(x$shot_scores)), "draw"), " each", if (left) {
             paste0("; without ", plural(left, "domain"), " of fewer than ", max(table$shots) + 2L,
                    " rows")
           }, ")"),
    table, c(if (length(unique(table$update)) > 2L) list(column("update", once = TRUE)),
             list(column("shots", "labels"), column("mean", format = as_number(3)), interval(),
                  change("difference", "change"), change("se_difference", "se of change")))
  )
}

plot_cv <- function(x, max_labels, interval) {
  frame <- cv_frame(x, interval)
  named <- levels(frame$domain)[thin(nrow(frame), check_count(max_labels, "max_labels"))]
  mean <- attr(frame, "mean")
  measure <- x$metrics[[1L]]
  bars <- frame[!is.na(frame$lower), ]
  many <- nrow(frame) > 60L
  new_plot(
    frame, c(x = "score", y = "domain"),
    paste0(method_of(x$spec)$title, ": ", measure$title, " by domain"),
    paste0(x$held_out, ": mean ", signif(mean[1L], 3), if (!is.na(mean[2L])) {
      paste0(" (95 % interval ", signif(mean[2L], 3), " to ", signif(mean[3L], 3), ")")
    }),
    x = capital(score_label(measure)), y = x$labels$domain,
    caption = c(
      if (is_known(x$scope)) "Each point is a domain."
      else "Each point is a held-out domain.", if (nrow(bars)) {
        "Its bar is the 95 % interval of the score over other rows of the same domain."
      }, "The dashed line is the mean over domains",
      if (is.na(mean[2L])) "."
      else paste0("and the band its 95 % interval for ", scope_title(x$scope), "."),
      if (length(named) < nrow(frame)) {
        paste0("Of ", plural(nrow(frame), "domain"), " not all are named.")
      }
    )
  ) +
    (if (!is.na(mean[2L])) {
      ggplot2::annotate("rect", xmin = mean[2L], xmax = mean[3L], ymin = -Inf, ymax = Inf,
                        fill = mean_colour, alpha = 0.15)
    }) +
    ggplot2::geom_linerange(columns(xmin = "lower", xmax = "upper"), bars, colour = pale,
                            linewidth = if (many) 0.2 else 0.5) +
    ggplot2::geom_vline(xintercept = mean[1L], linetype = 2, colour = mean_colour) +
    ggplot2::geom_point(size = if (many) 0.8 else 1.6) +
    names_on("y", named)
}

# domain (factor, sorted by score), rows, score, lower, upper. Attribute: mean (c(mean, lower,
# upper)).
cv_frame <- function(x, interval) {
  interval <- check_flag(interval, "interval")
  domains <- x$domains[order(x$domains$score, na.last = NA), c("domain", "rows", "score")]
  if (nrow(domains) == 0L) abort_nothing_to_plot()
  # of a source there are no rows
  interval <- interval && !is.null(x$predictions)
  bounds <- if (interval) domain_intervals(x$predictions, domains$domain, x$metrics[[1L]])
  domains$lower <- if (interval) bounds[1L, ] else NA_real_
  domains$upper <- if (interval) bounds[2L, ] else NA_real_
  domains$domain <- factor(domains$domain, domains$domain)
  structure(domains, mean = c(x$mean, mean_interval(x$mean, x$errors[[1L]])))
}

# Percentiles of the score of resampled rows, [2 x domains]; NA where most draws lack a class.
domain_intervals <- function(predictions, domains, metric, draws = 200L) {
  columns <- with_matrices(predictions)
  groups <- split(seq_len(nrow(predictions)), factor(predictions$domain, as.character(domains)))
  with_seed(1L, vapply(groups, function(at) {
    repeats <- split(at, predictions$rep[at])
    values <- vapply(seq_len(draws), function(draw) {
      # repeats predict the same rows
      again <- sample.int(length(repeats[[1L]]), replace = TRUE)
      mean(vapply(repeats, function(i) {
        score(lapply(columns, take, i[again[again <= length(i)]]), metric)
      }, 0))
    }, numeric(1))
    if (mean(is.finite(values)) < 0.5) return(c(NA_real_, NA_real_))
    unname(stats::quantile(values[is.finite(values)], c(0.025, 0.975)))
  }, numeric(2)))
}
