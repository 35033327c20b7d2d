#' @rdname dg_net_benefit
#' @param x The result of `dg_net_benefit()`.
#' @param type Kind of plot. `"curve"`, the default: mean net benefit against the threshold with its
#'   interval, single sites, treating all (dashed) and none (0); of several methods their means in
#'   one panel. `"useful"`: the probability that the model is useful at a new site, with a gap where
#'   the model is the same as treating all or none.
#' @param method Names of methods, of the result of a [dg_compare()]. Default `NULL`: all.
#' @param ... Must be empty.
#' @export
plot.dg_net_benefit <- function(x, type = c("curve", "useful"), method = NULL, ...) {
  check_no_dots(list(...), c("type", "method"))
  type <- check_choice(type, "type", c("curve", "useful"))
  methods <- unique(x$pooled$method)
  method <- if (is.null(method)) methods else {
    vapply(method, check_choice, "", arg = "method", choices = methods, USE.NAMES = FALSE)
  }
  chosen <- function(table) {
    table <- table[table$method %in% method, ]
    table$method <- factor(table$method, method)
    table
  }
  pooled <- chosen(x$pooled)
  if (all(is.na(pooled$net_benefit))) abort_nothing_to_plot()
  if (type == "useful") return(plot_useful(x, pooled))
  plot_decision_curves(x, pooled, chosen(x$domains))
}

plot_decision_curves <- function(x, pooled, domains) {
  one <- nlevels(pooled$method) == 1L
  band <- pooled[!is.na(pooled$lower), ]
  # nobody is treated beyond the largest prediction
  first <- min(pooled$threshold)
  last <- max(c(domains$threshold[domains$net_benefit != 0], first), na.rm = TRUE)
  if (last == first) last <- max(pooled$threshold)
  top <- max(pooled$net_benefit, pooled$all, if (one) band$upper, na.rm = TRUE)
  if (top <= 0) top <- max(abs(c(pooled$net_benefit, pooled$all)), 0.01, na.rm = TRUE)
  words <- domain_words(x$labels)
  sites <- length(unique(domains$domain))
  baseline <- pooled[pooled$method == levels(pooled$method)[1L], ]
  new_plot(
    pooled, c(x = "threshold", y = "net_benefit"),
    paste0("Net benefit by threshold", if (one) benefit_whose(x, pooled)), benefit_subtitle(x),
    x = "Threshold probability", y = "Net benefit",
    caption = c(
      if (one) paste0(if (first < last) "Thick" else "Diamond", ": mean over ", words$many,
                      ", with its ", 100 * x$level, " % interval. ",
                      if (first < last) "Thin" else "Points", ": each of ",
                      count_domains(sites, x$labels), ".")
      else paste0("Means over ", count_domains(sites, x$labels), "."),
      "Dashed: treating all. Grey line at 0: treating none."
    )
  ) +
    ggplot2::geom_hline(yintercept = 0, colour = pale) +
    ggplot2::scale_y_continuous(breaks = four_numbers) +
    (if (first == last) one_threshold(pooled, baseline, if (one) domains)
     else threshold_lines(pooled, baseline, if (one) domains, band)) +
    ggplot2::coord_cartesian(
      xlim = if (first == last) first + c(-0.1, 0.1) else c(first, last),
      ylim = if (first == last) NULL else c(-0.12, 1.05) * top
    )
}

# domains: NULL of several methods.
threshold_lines <- function(pooled, baseline, domains, band) {
  c(if (!is.null(domains)) {
    many <- length(unique(domains$domain)) > 20L
    list(
      ggplot2::geom_line(columns(group = "domain"), domains[!is.na(domains$net_benefit), ],
                         colour = pale, linewidth = 0.2, alpha = if (many) 0.5 else 0.9),
      ggplot2::geom_ribbon(columns(ymin = "lower", ymax = "upper"), band, fill = mean_colour,
                           alpha = 0.25)
    )
  }, list(method_lines(pooled, pooled$net_benefit),
          ggplot2::geom_line(columns(y = "all"), baseline, linetype = 2)))
}

# A line needs two thresholds.
one_threshold <- function(pooled, baseline, domains) {
  c(list(ggplot2::geom_hline(columns(yintercept = "all"), baseline, linetype = 2)),
    if (is.null(domains)) method_lines(pooled, pooled$net_benefit) else {
      list(domain_points(domains[!is.na(domains$net_benefit), ], 0, 0.02),
           mean_points(pooled, FALSE))
    })
}

plot_useful <- function(x, pooled) {
  if (all(is.na(pooled$useful))) abort_nothing_to_plot()
  # the model is the better of treating all and none
  same <- rowSums(abs(pooled[c("difference", "difference_lower", "difference_upper")])) == 0
  pooled[same, c("useful", "useful_lower", "useful_upper")] <- NA
  gaps <- any(same, na.rm = TRUE)
  one <- domain_words(x$labels)$one
  alone <- nlevels(pooled$method) == 1L
  new_plot(
    pooled, c(x = "threshold", y = "useful"),
    paste0("Useful in a new ", one, if (nlevels(pooled$method) == 1L) benefit_whose(x, pooled)),
    benefit_subtitle(x), x = "Threshold probability", y = "Probability",
    caption = c(paste("Probability that in a new", one, "of the same kind the net benefit is",
                      "higher than both that of treating all and that of treating none."),
                if (alone) paste0("Band: ", level_words(x$level),
                                  " interval for the proportion of such ",
                                  domain_words(x$labels)$many, "."),
                if (gaps) paste("No line where the model is the same as the better of these: it",
                                "treats all or none."))
  ) +
    (if (alone) band_of_useful(pooled)) +
    method_lines(pooled, pooled$useful) +
    ggplot2::scale_y_continuous(limits = c(0, 1)) +
    (if (length(unique(pooled$threshold)) == 1L) {
      ggplot2::coord_cartesian(xlim = pooled$threshold[1L] + c(-0.1, 0.1))
    })
}

# A bar where a threshold has no neighbour.
band_of_useful <- function(pooled) {
  finite <- !is.na(pooled$useful)
  run <- cumsum(c(1L, diff(finite) != 0))[finite]
  pooled <- cbind(pooled[finite, ], run = run)
  single <- tabulate(run)[run] == 1L
  c(if (!all(single)) list(ggplot2::geom_ribbon(
    columns(ymin = "useful_lower", ymax = "useful_upper", group = "run"), pooled[!single, ],
    fill = mean_colour, alpha = 0.25
  )), if (any(single)) list(ggplot2::geom_linerange(
    columns(ymin = "useful_lower", ymax = "useful_upper"), pooled[single, ], colour = mean_colour,
    alpha = 0.5
  )))
}

# A thick line, or one of its own colour for each method; a point where a line needs a neighbour.
method_lines <- function(pooled, values) {
  by_method <- split(!is.na(values), pooled$method)
  alone <- unsplit(lapply(by_method, function(drawn) {
    drawn & !c(FALSE, drawn[-length(drawn)]) & !c(drawn[-1L], FALSE)
  }), pooled$method)
  levels <- levels(pooled$method)
  one <- length(levels) == 1L
  draw <- function(geom, data) {
    if (nrow(data) == 0L) return(NULL)
    if (one) geom(data = data, colour = mean_colour, na.rm = TRUE)
    else geom(columns(colour = "method"), data, na.rm = TRUE)
  }
  line <- function(...) ggplot2::geom_line(..., linewidth = if (one) 1 else 0.8)
  list(draw(line, pooled[!all(alone | is.na(values)), ]),
       draw(ggplot2::geom_point, pooled[alone, ]),
       if (!one) key_of_classes("method", levels)[-2L])
}

# A method's name keeps its capitals after other words.
benefit_whose <- function(x, pooled) {
  several <- length(unique(x$pooled$method)) > 1L
  paste0(": ", if (several) levels(pooled$method) else x$title)
}

benefit_subtitle <- function(x) {
  paste0(x$labels$response, " = ", shorten(x$class, 16), "; ",
         in_domain_words(x$held_out, domain_words(x$labels)))
}

#' @exportS3Method
describe_result.dg_net_benefit <- function(x) {
  table <- x$pooled
  several <- length(unique(table$method)) > 1L
  sites <- length(unique(x$domains$domain))
  percent <- level_words(x$level)
  number <- as_decimals(3)
  words <- domain_words(x$labels)
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
           interval(paste("new", words$one), known_decimals(3), lower = "new_lower",
                    upper = "new_upper", print = !several),
           column("useful", format = known_decimals(2)),
           interval("useful CI", known_decimals(2), lower = "useful_lower",
                    upper = "useful_upper"))),
    facts = c(in_domain_words(x$held_out, words),
              paste0(plural(x$rows, "row"), " of ", count_domains(sites, x$labels), ", ",
                     plural(x$events, "event"))),
    shown = few_thresholds(x), unit = "threshold", where = "`$pooled`",
    notes = c(
      paste0("Net benefit: true positives minus false positives times t / (1 - t), per row, at ",
             "threshold t; treating none has 0. In means each ", words$one, " counts once."),
      paste0("new ", words$one, ": where its net benefit lies with ", percent, " probability. ",
             "useful: probability that it is above that of treating all and treating none in a ",
             "new ", words$one, "; 0 also where the model treats all or none itself; useful CI: ",
             "for the proportion of such ", words$many, ". ", independence_words(words),
             if (x$inflation > 1) " Intervals allow for overlapping training sets."), x$notes
    ),
    glance = data.frame(rows = x$rows, domains = sites, events = x$events,
                        methods = length(unique(table$method)),
                        thresholds = length(unique(table$threshold)))
  )
}

# With one site there are no intervals.
known_decimals <- function(digits) {
  function(values, lines) replace(as_decimals(digits)(values, lines), is.na(values), "")
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
