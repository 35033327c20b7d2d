#' @rdname dg_compare
#' @usage NULL
#' @section Plot:
#' `plot()` (and `ggplot2::autoplot()`) returns a ggplot2 object, see [plot.dg_projection()].
#'
#' Two panels: the score of each held-out domain under each method (pale points) with its mean, and
#' the paired difference of each method from the baseline, in each domain (up to 40) and on average,
#' with its 95 % interval. A null model far from the others is an arrow at the edge, and the caption
#' has its values.
#' @export
plot.dg_compare <- function(x, ...) {
  check_no_dots(list(...), character())
  whole <- compare_frame(x)
  frame <- cut_at_null(whole, null_methods(x))
  measure <- x$metrics[[1L]]
  titles <- c("Score", paste("Difference from", shorten(x$baseline, 24)))
  frame$panel <- factor(frame$panel, labels = titles[match(levels(droplevels(frame$panel)),
                                                           levels(frame$panel))])
  single <- frame$kind == "domain"
  mean <- frame$kind == "mean" & frame$beyond == 0
  far <- frame[frame$beyond != 0, ]
  new_plot(
    frame, c(x = "value", y = "method"),
    paste("Comparison of", plural(nlevels(frame$method), "method")), x$runs[[1L]]$held_out,
    x = capital(score_label(measure)), caption = compare_caption(x, frame, whole)
  ) +
    panels(frame$panel, "free_x", width_beside(frame$method)) +
    reference_line(0, data = data.frame(panel = factor(titles[2L], levels(frame$panel)))) +
    domain_points(frame[single, ]) +
    mean_points(frame[mean, ]) +
    ggplot2::geom_point(data = frame[frame$kind == "baseline", ], shape = 5, size = 2,
                        colour = mean_colour) +
    ggplot2::geom_point(data = far, shape = ifelse(far$beyond > 0, 62, 60), size = 4,
                        colour = accent) +
    few_numbers(frame$panel) +
    names_on("y", lines = 3L)
}

#' @exportS3Method
describe_result.dg_compare <- function(x) {
  table <- x$table
  measure <- x$metrics[[1L]]
  run <- x$runs[[1L]]
  other <- table$method != x$baseline
  differs <- other & !same_as_reference(x)
  number <- comparison_format(table)
  missing <- unique(unlist(lapply(x$runs, unscored)))
  further <- lapply(names(x$metrics)[-1L], function(name) {
    column(name, x$metrics[[name]]$title,
           values = vapply(x$runs, function(run) known_mean(run$domains[[name]]), 0))
  })
  test <- x$friedman
  if (is.null(test)) test <- list(statistic = NA_real_, df = NA_real_, p = NA_real_)
  new_result(
    paste0("Comparison of ", plural(nrow(table), "method"), ": ", score_label(measure)),
    table,
    c(list(column("method"), column("mean", measure$title, number),
           column("difference", format = number, tidy = "estimate", at = other,
                  report = paste("Difference from", x$baseline)),
           interval(format = number, at = differs),
           column("p", format = as_p(), at = differs, report = "p")),
      further),
    facts = c(paste0(run$held_out, "; baseline: ", x$baseline), run$novelty,
              if (length(missing)) without_score(missing, run$predictions, measure),
              dropped_words(run)),
    notes = c(inference_words(x), verdict_words(x), comparison_notes(x)),
    shown = order(losses(table$mean, measure$better)),
    hint = "summary() adds ranks, signed-rank and Friedman tests, timings.",
    glance = data.frame(metric = measure$title, baseline = x$baseline, methods = nrow(table),
                        domains = nrow(x$scores), statistic = test$statistic, df = test$df,
                        p = test$p)
  )
}

# Where methods have terms of their own, each row must be complete for all.
dropped_words <- function(run) {
  if (is.null(run$dropped) || run$dropped == 0L) return(NULL)
  paste0(run$dropped, " of ", plural(run$given, "row"), " left out: incomplete for at least one ",
         "method")
}

# Three decimals, or as many more as the smallest standard error needs.
comparison_format <- function(table) {
  digits <- enough_digits(table$se, max(getOption("digits") - 4L, 0L))
  size <- max(abs(unlist(table[c("mean", "difference", "lower", "upper")])), 0, na.rm = TRUE)
  if (digits <= 6 && size < 1e6) return(as_decimals(digits))
  function(values, lines) formatC(values, digits = 4L, format = "g")
}

# Warnings of the folds; the same warning of several methods is given once.
comparison_notes <- function(x) {
  notes <- lapply(names(x$runs), function(name) {
    counts <- alike_together(x$runs[[name]]$warnings)
    data.frame(note = as.character(names(counts)), where = paste0(
      counts, " of ", plural(nrow(x$runs[[name]]$fits), "fold"), " of ", name, recycle0 = TRUE))
  })
  notes <- do.call(rbind, notes)
  where <- split(notes$where, factor(notes$note, unique(notes$note)))
  paste0("note, ", vapply(where, paste, "", collapse = ", "), ": ", names(where), recycle0 = TRUE)
}

same_as_reference <- function(x) {
  vapply(x$table$method, function(name) {
    name != x$baseline && same_scores(x$scores[, name], x$scores[, x$baseline])
  }, NA)
}

# Two digits of the smallest standard error show where an interval ends.
enough_digits <- function(se, digits) {
  se <- se[is.finite(se) & se > 0]
  if (length(se) == 0L) return(digits)
  max(digits, 1 - floor(log10(min(se))))
}

# Explains difference, interval and p, and further columns.
inference_words <- function(x) {
  how <- x$inference$how[x$table$method != x$baseline]
  refits <- x$runs[[1L]]$refits
  failed <- unlist(lapply(x$runs, function(run) run$refits$error))
  failed <- failed[!is.na(failed)]
  by_fits <- !is.null(refits) && is.null(x$runs[[1L]]$crossed) && !length(failed)
  titles <- vapply(x$metrics, `[[`, "", "title")
  unit <- if (is.null(x$runs[[1L]]$novelty)) "domain" else sub("^level of ", "", x$runs[[1L]]$unit)
  c(paste0("difference: method - baseline, paired by ", unit, ".", if (any(how != "none")) {
    paste0(" CI and p: mean difference over ", scope_words(x$runs[[1L]]$scope),
           ", corrected for overlapping training sets (Nadeau-Bengio", if (by_fits) {
             paste0(" or, if larger, jackknife over ", plural(refits$fits, "refit"), " per method")
           }, ").")
  }), if (length(titles) > 1L) {
    paste0("Differences are of ", titles[[1L]], "; ", enumerate(titles[-1L], quote = ""),
           ": means over domains, not compared.")
  }, if (length(failed)) paste0("note, refits without two folds failed: ", failed[1L]))
}

# A sentence for each verdict with its methods, the best first, and one for each method that failed.
verdict_words <- function(x) {
  lost <- vapply(x$runs, all_failed, NA)
  equal <- same_as_reference(x)
  verdicts <- vapply(seq_along(x$runs), function(i) {
    row <- x$table[i, ]
    # nothing to compare
    if (row$method == x$baseline || lost[i]) ""
    else if (lost[[x$baseline]]) "Not compared, because the baseline failed"
    else if (equal[i]) "Equal in every domain"
    else verdict(row, x$metrics[[1L]])
  }, "")
  order <- order(losses(x$table$mean, x$metrics[[1L]]$better))
  groups <- split(x$table$method[order],
                  factor(verdicts, intersect(verdict_order, verdicts))[order])
  failed <- lapply(x$runs, failed_words)
  said <- paste0(names(groups), ": ", vapply(groups, paste, "", collapse = ", "), recycle0 = TRUE)
  c(if (length(said)) paste0(paste(said, collapse = ". "), "."),
    paste0(names(failed)[lengths(failed) > 0L], ": ", unlist(failed), recycle0 = TRUE))
}

verdict_order <- c("Better", "Worse", "Not distinguishable", "Equal in every domain",
                   "Not compared, because the baseline failed", "No domain has a score",
                   "Too few domains for an interval", "Scores are not finite")

# By the 95 % interval.
verdict <- function(row, measure) {
  if (is.na(row$difference)) return("No domain has a score")
  if (!is.finite(row$difference)) return("Scores are not finite")
  if (is.na(row$lower)) return("Too few domains for an interval")
  if (row$lower <= 0 && row$upper >= 0) return("Not distinguishable")
  if (losses(row$difference, measure$better) < 0) "Better" else "Worse"
}

# Whatever they are called.
null_methods <- function(x) names(x$runs)[are_null(x$runs)]

# The null model is often so far from the others that these could not be told apart: what lies
# beyond the others' values by more than half of their range is put at the edge, and what single
# domains have there is left out. Adds `beyond`: -1, 0 or 1, and `true`, the value.
cut_at_null <- function(frame, nulls) {
  frame$beyond <- 0
  frame[c("true", "true_lower", "true_upper")] <- frame[c("value", "lower", "upper")]
  for (panel in levels(frame$panel)) {
    at <- which(frame$panel == panel)
    null <- at[frame$method[at] %in% nulls]
    others <- setdiff(at, null)
    if (length(unique(frame$method[others])) < 2L) next
    range <- range(frame[others, c("value", "lower", "upper")], na.rm = TRUE)
    edge <- range + c(-0.5, 0.5) * max(diff(range), .Machine$double.eps)
    frame$beyond[null] <- (frame$value[null] > edge[2L]) - (frame$value[null] < edge[1L])
    out <- null[frame$beyond[null] != 0]
    # near the others, so that the room is theirs, and beyond all that is drawn
    drawn <- range(range, frame$value[setdiff(null, out)])
    frame$value[out] <- ifelse(frame$beyond[out] > 0, drawn[2L] + 0.1 * diff(range),
                               drawn[1L] - 0.1 * diff(range))
    frame[out, c("lower", "upper")] <- NA
    for (bound in c("lower", "upper")) {
      frame[null, bound] <- pmin(pmax(frame[null, bound], edge[1L]), edge[2L])
    }
  }
  frame[frame$beyond == 0 | frame$kind != "domain", ]
}

# whole: the frame before what is far was left out.
compare_caption <- function(x, frame, whole) {
  far <- frame[frame$beyond != 0, ]
  what <- ifelse(far$panel == levels(frame$panel)[1L], "score", "difference")
  hidden <- hidden_points(frame, whole)
  c("Pale points are held-out domains, filled diamonds their means.",
    if (any(frame$kind == "baseline")) {
      paste0("Differences are method minus ", x$baseline, " (open diamond), with the 95 % ",
             "interval of their mean: where it excludes 0, the methods differ.")
    },
    if (nrow(far)) {
      number <- lapply(far[c("true", "true_lower", "true_upper")], signif, 3)
      ends <- paste0(", 95 % interval ", number$true_lower, " to ", number$true_upper)
      said <- tapply(paste0(what, " ", number$true, ifelse(is.na(far$true_lower), "", ends)),
                     factor(far$method, unique(far$method)), paste, collapse = ", ")
      paste0("Arrows point to what lies beyond the axis: ", paste0(names(said), " (", said, ")",
                                                       collapse = ", "), ".")
    },
    if (length(hidden)) paste0("Not drawn, too far: ", paste(hidden, collapse = ", "), "."))
}

# "12 of 15 scores of null", for each panel and method of which points are left out.
hidden_points <- function(frame, whole) {
  panels <- levels(droplevels(whole$panel))
  count <- function(frame) {
    panel <- factor(as.integer(droplevels(frame$panel)), seq_along(panels), panels)
    single <- frame$kind == "domain"
    table(frame$method[single], panel[single])
  }
  of <- count(whole)
  left_out <- of - count(frame)
  at <- which(left_out > 0, arr.ind = TRUE)
  paste(left_out[at], "of", of[at], colnames(of)[at[, 2L]], "of", rownames(of)[at[, 1L]],
        recycle0 = TRUE)
}

# One line a domain and method (domain) and one a method (mean; domain NA), for each panel: panel
# ("scores", "differences"), method (factor, the last first), domain, value, lower, upper, kind
# ("domain", "mean", "against": the mean of the method compared with).
compare_frame <- function(x) {
  if (all(is.na(x$scores))) abort_nothing_to_plot()
  methods <- x$table$method
  differences <- x$scores - x$scores[, x$baseline]
  # of many domains the spread would hide the interval of the mean
  differences[, nrow(x$scores) > 40L | methods == x$baseline] <- NA
  single <- function(panel, values) {
    data.frame(panel = panel, method = methods[col(values)], domain = rownames(values)[row(values)],
               value = c(values), lower = NA_real_, upper = NA_real_, kind = "domain")
  }
  means <- function(panel, value, lower, upper, kind) {
    data.frame(panel = panel, method = methods, domain = NA_character_, value = value,
               lower = lower, upper = upper, kind = kind)
  }
  frame <- rbind(
    single("scores", x$scores), single("differences", differences),
    means("scores", colMeans(x$scores, na.rm = TRUE), NA_real_, NA_real_, "mean"),
    means("differences", x$table$difference, x$table$lower, x$table$upper,
          ifelse(methods == x$baseline, "baseline", "mean"))
  )
  frame$panel <- factor(frame$panel, c("scores", "differences"))
  frame$method <- factor(frame$method, rev(methods))
  data.frame(frame[!is.na(frame$value), ], row.names = NULL)
}
