#' @rdname dg_diagnose
#' @usage NULL
#' @section Plot:
#' `plot()` (and `ggplot2::autoplot()`) returns a ggplot2 object, see [plot.dg_projection()].
#' Two panels. Shift: the distributional variance that was found, and the one under permutation
#' (mean and 95 % range of the permutations). Possible gain and gain achieved: what each domain
#' gains over pooling (pale), with the mean over domains and its approximate 95 % interval, on one
#' axis; above zero is better.
#' @export
plot.dg_diagnose <- function(x, ...) {
  check_no_dots(list(...), character())
  frame <- diagnose_frame(x)
  shift <- frame[frame$kind == "variance", ]
  gain <- levels(frame$panel)[2L]
  new_plot(
    frame, c(x = "what", y = "value"), "Gain from domains",
    paste0(plural(nrow(x$domains), "domain"), ", ", plural(x$rows, "row")),
    caption = c(
      "Left: bars are variances, the line spans 95 % of the permutations. Right: pale points are",
      "domains, diamonds their mean with an approximate 95 % interval. In known domains the model",
      "knows the domain, in new ones it uses unlabelled rows."
    )
  ) +
    panels(frame$panel, "free") +
    ggplot2::geom_col(columns(fill = "what"), shift, width = 0.6, show.legend = FALSE) +
    ggplot2::scale_fill_manual(values = c(pale, mean_colour)) +
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper"), shift[!is.na(shift$lower), ]) +
    reference_line(y = 0, data = data.frame(panel = factor(gain, levels(frame$panel)))) +
    domain_points(frame[frame$kind == "domain", ], height = 0, width = 0.2) +
    mean_points(frame[frame$kind == "mean", ], across = FALSE) +
    names_on("x", width = 9)
}

#' @exportS3Method
describe_result.dg_diagnose <- function(x) {
  gains <- rbind(x$headroom, x$gain)
  table <- data.frame(what = c("shift", "headroom", "gain"),
                      estimate = c(x$shift$variance - x$shift$level, gains$difference),
                      lower = c(NA, gains$lower), upper = c(NA, gains$upper),
                      p = c(x$shift$p, gains$p))
  # the shift as a ratio, which has no scale
  ratio <- if (same_predictors(x)) 0 else x$shift$ratio
  estimates <- c(paste(rounded(ratio, 2), "x"), as_each()(gains$difference))
  new_result(
    with_weights_said(paste0(
      "Domain diagnosis: ", score_label(x$metric), ", ", plural(nrow(x$domains), "domain"), ", ",
      plural(x$rows, "row"), if (!is.null(x$units)) paste(" of", plural(x$units, "unit")),
      if (x$rows < x$available) paste(" of", in_full(x$available), "used")
    ), x$weighted),
    table,
    list(column("question", values = c("1 shift of predictors", "2 headroom, known domains",
                                       "3 gain, new domains")),
         column("estimate", format = function(values, lines) values, values = estimates),
         interval("95 % CI", as_each(2), report = "Approximate 95 % CI"),
         column("p", format = as_p(), report = "p")),
    notes = c(diagnose_words(x), paste(seq_along(x$verdict), x$verdict), remark_lines(x$columns)),
    glance = data.frame(metric = x$metric$title, domains = nrow(x$domains), rows = x$rows,
                        available = x$available, ratio = x$shift$ratio)
  )
}

# Explains the numbers of the table, and that p decides: interval and p are of two procedures.
diagnose_words <- function(x) {
  apart <- vapply(x[c("headroom", "gain")], function(row) {
    isTRUE((row$p <= 0.05) == (row$lower <= 0 && row$upper >= 0))
  }, NA)
  pooled <- colMeans(x$domains[c("pooled_known", "pooled_new")], na.rm = TRUE)
  pooled <- paste(as_each()(pooled), c("in known", "in new"))[!is.na(pooled)]
  paste0(
    "estimate: 1 variance between domains, relative to permuted rows; 2, 3 gain in ",
    x$metric$title, " over pooling (", paste(pooled, collapse = ", "), " domains); above 0 ",
    "is better.",
    if (!all(is.na(c(x$headroom$p, x$gain$p)))) {
      paste0(" p decides: 1 by permutation; 2, 3 by ", null_worlds, " simulated responses without ",
             "a gain, 2 with independent ", if (is.null(x$units)) "rows" else "units",
             ". CI: mean gain over domains, approximate",
             if (any(apart)) paste0("; that of ", paste(names(apart)[apart], collapse = " and "),
                                    if (sum(apart) > 1L) " disagree with their p"
                                    else " disagrees with its p"),
             ".")
    }
  )
}

# panel, what (factors), domain (NA for what sums up), kind ("variance", "domain", "mean"), value,
# lower, upper.
diagnose_frame <- function(x) {
  sign <- if (x$metric$better == "low") -1 else 1
  line <- function(what, kind, value, lower = NA_real_, upper = NA_real_,
                   domain = NA_character_) {
    data.frame(panel = if (kind == "variance") 1L else 2L, what = what, kind = kind,
               domain = domain, value = value, lower = lower, upper = upper)
  }
  gain <- function(what, better, pooled, mean) {
    rbind(line(what, "domain", sign * (better - pooled), domain = x$domains$domain),
          line(what, "mean", mean$difference, mean$lower, mean$upper))
  }
  d <- x$domains
  frame <- rbind(
    line("permuted", "variance", x$shift$level, c(x$shift$lower, NA_real_)[1L],
         c(x$shift$upper, NA_real_)[1L]),
    line("found", "variance", x$shift$variance),
    gain("known domains", d$known, d$pooled_known, x$headroom),
    gain("new domains", d$distributional, d$pooled_new, x$gain)
  )
  frame$what <- factor(frame$what, unique(frame$what))
  frame$panel <- factor(frame$panel, 1:2, c(
    if (same_predictors(x)) "Variance between domains: none, they have the same predictors" else {
      paste0("Variance between domains: ", signif(x$shift$ratio, 2), " times that of permuted ",
             "rows, p = ", format_p(x$shift$p))
    },
    paste0("Gain over pooling: ", x$metric$title, " (above 0 is better)")
  ))
  frame[!is.na(frame$value), ]
}
