#' @rdname dg_net_benefit
#' @param x The result of `dg_net_benefit()`.
#' @param type Kind of plot. `"curve"`, the default: mean net benefit against the threshold with its
#'   interval, single sites, treating all (dashed) and none (0); of several methods their means in
#'   one panel. `"useful"`: the probability that the model is useful at a new site.
#' @param method Names of methods, of the result of a [dg_compare()]. Default `NULL`: all.
#' @param ... Must be empty.
#' @export
plot.dg_net_benefit <- function(x, type = c("curve", "useful"), method = NULL, ...) {
  check_no_dots(list(...), c("type", "method"))
  type <- check_choice(type, "type", c("curve", "useful"))
  known <- unique(x$pooled$method)
  method <- if (is.null(method)) known else {
    vapply(method, check_choice, "", arg = "method", choices = known, USE.NAMES = FALSE)
  }
  own <- function(table) {
    table <- table[table$method %in% method, ]
    table$method <- factor(table$method, method)
    table
  }
  pooled <- own(x$pooled)
  if (all(is.na(pooled$net_benefit))) abort_nothing_to_plot()
  if (type == "useful") return(plot_useful(x, pooled))
  plot_decision_curves(x, pooled, own(x$domains))
}

plot_decision_curves <- function(x, pooled, domains) {
  one <- nlevels(pooled$method) == 1L
  band <- pooled[!is.na(pooled$lower), ]
  # nobody is treated beyond the largest prediction
  last <- max(c(domains$threshold[domains$net_benefit != 0], min(pooled$threshold)), na.rm = TRUE)
  top <- max(pooled$net_benefit, pooled$all, if (one) band$upper, na.rm = TRUE)
  sites <- length(unique(domains$domain))
  baseline <- pooled[pooled$method == levels(pooled$method)[1L], ]
  new_plot(
    pooled, c(x = "threshold", y = "net_benefit"),
    paste0(if (one) benefit_whose(x, pooled), "net benefit by threshold"), benefit_subtitle(x),
    x = "Threshold probability", y = "Net benefit",
    caption = c(
      if (one) paste0("Thick: mean over domains, with its ", 100 * x$level, " % interval. Thin: ",
                      "each of ", plural(sites, "domain"), ".")
      else paste0("Means over ", plural(sites, "domain"), "."),
      "Dashed: treating all. Grey line at 0: treating none."
    )
  ) +
    ggplot2::geom_hline(yintercept = 0, colour = pale) +
    (if (one) list(
      ggplot2::geom_line(columns(group = "domain"), domains[!is.na(domains$net_benefit), ],
                         colour = pale, linewidth = 0.2, alpha = if (sites > 20) 0.5 else 0.9),
      ggplot2::geom_ribbon(columns(ymin = "lower", ymax = "upper"), band, fill = mean_colour,
                           alpha = 0.25)
    )) +
    ggplot2::geom_line(columns(y = "all"), baseline, linetype = 2) +
    method_lines(pooled) +
    ggplot2::coord_cartesian(xlim = c(min(pooled$threshold), last), ylim = c(-0.12, 1.05) * top)
}

plot_useful <- function(x, pooled) {
  known <- pooled[!is.na(pooled$useful), ]
  if (nrow(known) == 0L) abort_nothing_to_plot()
  new_plot(
    known, c(x = "threshold", y = "useful"),
    paste0(if (nlevels(pooled$method) == 1L) benefit_whose(x, pooled),
           "useful in a new ", x$labels$domain, "?"),
    benefit_subtitle(x), x = "Threshold probability", y = "Probability",
    caption = c("Probability that in a new domain of the same kind the net benefit is higher than",
                "both that of treating all and that of treating none.")
  ) +
    method_lines(known) +
    ggplot2::scale_y_continuous(limits = c(0, 1))
}

# A thick line, or one of its own colour for each method.
method_lines <- function(pooled) {
  levels <- levels(pooled$method)
  if (length(levels) == 1L) return(ggplot2::geom_line(colour = mean_colour, linewidth = 1))
  list(ggplot2::geom_line(columns(colour = "method"), linewidth = 0.8),
       key_of_classes("method", levels)[-2L])
}

benefit_whose <- function(x, pooled) {
  several <- length(unique(x$pooled$method)) > 1L
  paste0(if (several) levels(pooled$method) else x$title, ": ")
}

benefit_subtitle <- function(x) {
  paste0(x$labels$response, " = ", shorten(x$class, 16), "; ", x$held_out)
}

#' @exportS3Method
describe_result.dg_net_benefit <- function(x) {
  table <- x$pooled
  several <- length(unique(table$method)) > 1L
  sites <- length(unique(x$domains$domain))
  percent <- paste0(100 * x$level, " %")
  number <- as_decimals(3)
  new_result(
    paste0("Net benefit by ", x$labels$domain, ": ",
           if (several) plural(length(unique(table$method)), "method") else x$title, ", ",
           x$labels$response, " = ", x$class),
    table,
    c(if (several) list(column("method", once = TRUE)),
      list(column("threshold", format = as_each(3)),
           column("net_benefit", "net benefit", number, tidy = "estimate"),
           interval(paste(percent, "CI"), known_decimals(3)),
           column("all", "treat all", number, report = "Treat all"),
           interval("new domain", known_decimals(3), lower = "new_lower", upper = "new_upper",
                    print = !several),
           column("useful", format = known_decimals(2)))),
    facts = c(x$held_out, paste0(plural(x$rows, "row"), " of ", plural(sites, "domain"), ", ",
                                 plural(x$events, "event"))),
    shown = few_thresholds(x), unit = "threshold", where = "`$pooled`",
    notes = c(
      paste0("Net benefit: true positives less false positives times t / (1 - t), per row, at ",
             "threshold t; treating none has 0. Means over domains."),
      paste0("new domain: where its net benefit lies with ", percent, " probability. useful: ",
             "probability that it is above that of treating all and treating none in a new domain.",
             if (x$inflation > 1) " Intervals allow for overlapping training sets."), x$notes
    ),
    glance = data.frame(rows = x$rows, domains = sites, events = x$events,
                        methods = length(unique(table$method)),
                        thresholds = length(unique(table$threshold)))
  )
}

# With one site there are no intervals.
known_decimals <- function(digits) {
  function(values, rows) replace(as_decimals(digits)(values, rows), is.na(values), "")
}

# Rows of the table at about six thresholds of those at which some rows are treated, not all.
few_thresholds <- function(x) {
  table <- x$pooled
  thresholds <- unique(table$threshold)
  if (length(thresholds) <= 8L) return(seq_len(nrow(table)))
  differs <- abs(table$net_benefit) > 0 & abs(table$net_benefit - table$all) > 1e-9
  inner <- range(table$threshold[differs %in% TRUE], if (!any(differs, na.rm = TRUE)) thresholds)
  at <- pretty(inner, 6L)
  at <- at[at >= inner[1L] & at <= inner[2L]]
  near <- vapply(at, function(t) which.min(abs(thresholds - t)), 0L)
  which(table$threshold %in% thresholds[near])
}
