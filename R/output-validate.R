#' @rdname dg_validate
#' @param x The result of `dg_validate()`.
#' @param type Kind of plot. `"forest"`, the default: estimates of all sites with intervals, their
#'   mean, and the interval of a new site. `"ranking"`: sites in order of their shrunken values.
#'   `"calibration"`: a curve for each site, their mean with its band, and that of a new site.
#'   `"difference"`: a forest of differences of a method from the baseline by site.
#' @param measure Names of measures, in panels. Default `NULL`: the first.
#' @param method Name of a method, of the result of a [dg_compare()]. Default `NULL`: the first that
#'   is not the baseline for `"difference"`, else the first.
#' @param max_labels Maximum number of sites that are named, evenly spaced.
#' @param ... Must be empty.
#' @export
plot.dg_validate <- function(x, type = c("forest", "ranking", "calibration", "difference"),
                             measure = NULL, method = NULL, max_labels = 40, ...) {
  check_no_dots(list(...), c("type", "measure", "method", "max_labels"))
  type <- check_choice(type, "type", c("forest", "ranking", "calibration", "difference"))
  method <- read_plotted_method(x, method, type)
  if (type == "calibration") return(plot_calibration_lines(x, method))
  known <- unique(x$summary$measure)
  measure <- if (is.null(measure)) known[1L] else {
    vapply(measure, check_choice, "", arg = "measure", choices = known, USE.NAMES = FALSE)
  }
  frame <- forest_frame(x, type, measure, method)
  if (nrow(frame$domains) == 0L) abort_nothing_to_plot()
  plot_forest(x, frame, type, measure, method, check_count(max_labels, "max_labels"))
}

read_plotted_method <- function(x, method, type) {
  methods <- x$methods
  if (type == "difference") {
    if (is.null(x$differences)) {
      abort("argument", "`type` \"difference\" needs the result of dg_compare() with two methods.")
    }
    methods <- setdiff(methods, x$baseline)
  }
  if (is.null(method)) methods[1L] else check_choice(method, "method", methods)
}

measure_titles <- function(x, names) {
  vapply(names, function(name) x$measures[[name]]$title, "", USE.NAMES = FALSE)
}

# list(domains, means, new: data frames with panel, domain, value, lower, upper; rows: the names of
# the last two; order: of domains, by the first measure).
forest_frame <- function(x, type, measure, method) {
  own <- function(table) table[table$method == method & table$measure %in% measure, ]
  difference <- type == "difference"
  domains <- own(if (difference) x$paired else x$domains)
  summary <- own(if (difference) x$differences else x$summary)
  value <- switch(type, forest = "estimate", ranking = "shrunk", difference = "difference")
  ends <- paste0(if (type == "ranking") "shrunk_", c("lower", "upper"))
  panel <- function(table) factor(measure_titles(x, table$measure), measure_titles(x, measure))
  domains <- data.frame(panel = panel(domains), measure = domains$measure, domain = domains$domain,
                        value = domains[[value]], lower = domains[[ends[1L]]],
                        upper = domains[[ends[2L]]])
  domains <- domains[is.finite(domains$value), ]
  by <- domains[domains$measure == domains$measure[1L], ]
  order <- c(unique(by$domain[order(by$value)]), setdiff(domains$domain, by$domain))
  rows <- c(paste("new", x$labels$domain), "mean")
  # empty lines, of many domains more, so that the names of both have room
  lines <- length(order) %/% 30L
  gaps <- strrep(" ", seq_len(2L * lines + 1L))
  place <- function(names) {
    factor(names, c(rows[1L], gaps[seq_len(lines)], rows[2L], gaps[-seq_len(lines)], order))
  }
  domains$domain <- place(domains$domain)
  line <- function(name, mean, lower, upper) {
    data.frame(panel = panel(summary), domain = place(rep(name, nrow(summary))),
               value = mean, lower = lower, upper = upper)
  }
  mean <- summary[[if (difference) "difference" else "mean"]]
  list(domains = domains, means = line("mean", mean, summary$lower, summary$upper),
       new = line(rows[1L], mean, summary$new_lower, summary$new_upper), rows = rows,
       order = order)
}

plot_forest <- function(x, frame, type, measure, method, max_labels) {
  domains <- frame$domains
  many <- nlevels(domains$domain) > 40L
  named <- c(frame$rows, frame$order[thin(length(frame$order), max_labels)])
  percent <- paste0(100 * x$level, " %")
  perfect <- lapply(measure, function(name) x$measures[[name]]$better)
  lines <- data.frame(panel = factor(measure_titles(x, measure), levels(domains$panel)),
                      at = if (type == "difference") 0 else vapply(perfect, function(value) {
                        if (is.numeric(value)) value else NA_real_
                      }, 0))
  lines <- lines[!is.na(lines$at), ]
  title <- if (length(measure) == 1L) measure_titles(x, measure) else "performance"
  several <- length(x$methods) > 1L
  whose <- if (several) method else x$title
  new_plot(
    domains, c(x = "value", y = "domain"),
    switch(type, forest = paste0(whose, ": ", title, " by ", x$labels$domain),
           ranking = paste0(whose, ": ", title, ", ranking"),
           difference = paste0(method, " less ", x$baseline, ": ", title)),
    x$held_out, x = if (length(measure) == 1L) {
      if (type == "difference") paste("Difference of", title) else capital(title)
    }, y = x$labels$domain,
    caption = c(switch(type,
      forest = paste("Points: estimates with", percent, "intervals."),
      ranking = paste("Points: posterior means with", percent, "intervals; domains with few rows",
                      "are drawn to the mean."),
      difference = paste("Points: differences on the same rows with", percent, "intervals.")
    ), paste("Diamond: mean over domains with its", percent, "interval. Bar: where a new one is",
             "expected, with", percent, "probability."),
    if (nrow(lines) && type != "difference") "Dashed: perfect calibration.",
    if (length(named) < length(frame$order) + 2L) "Not all domains are named.")
  ) +
    (if (nrow(lines)) {
      ggplot2::geom_vline(columns(xintercept = "at"), lines, linetype = 2, colour = pale)
    }) +
    ggplot2::geom_linerange(columns(xmin = "lower", xmax = "upper"), domains, colour = pale,
                            linewidth = if (many) 0.2 else 0.5) +
    ggplot2::geom_point(size = if (many) 0.8 else 1.6) +
    ggplot2::geom_linerange(columns(xmin = "lower", xmax = "upper"), frame$new, colour = accent,
                            linewidth = 1) +
    mean_points(frame$means) +
    panels(domains$panel, "free_x") +
    (if (length(measure) > 1L) few_numbers(domains$panel)) +
    names_on("y", named, lines = 1L, drop = FALSE)
}

# ---- calibration ------------------------------------------------------------------------------

plot_calibration_lines <- function(x, method) {
  if (x$kind == "ordinal" || is.null(x$rows$p)) {
    abort("argument", "`type` \"calibration\" needs probabilities of a class, numbers or counts.")
  }
  link <- calibration_families[[x$kind]]$link
  back <- calibration_families[[x$kind]]$family$linkinv
  rows <- x$rows[x$rows$method == method, ]
  # repeats predict the same rows
  if (!is.null(rows$rep)) rows <- rows[rows$rep == rows$rep[1L], ]
  lines <- Filter(Negate(is.null), lapply(split(rows, rows$domain, drop = TRUE), calibration_line,
                                          x$kind))
  if (length(lines) == 0L) abort_nothing_to_plot()
  at <- seq_within(link(rows$p))
  sites <- do.call(rbind, lapply(names(lines), function(name) {
    line <- lines[[name]]
    inside <- at[at >= line$range[1L] & at <= line$range[2L]]
    if (length(inside) == 0L) return(NULL)
    data.frame(domain = name, p = back(inside),
               y = back(line$beta[1L] + line$beta[2L] * (inside - line$centre)))
  }))
  band <- calibration_band(lines, at, x$kind, x$inflation, x$level)
  square <- x$kind == "class"
  new_plot(
    sites, c(x = "p", y = "y"), paste0("Calibration by ", x$labels$domain),
    paste0(x$labels$response, if (square) paste(" =", x$class), "; ", x$held_out),
    x = if (square) "Predicted probability" else paste("Predicted", x$labels$response),
    y = if (square) "Observed proportion" else paste("Observed", x$labels$response),
    caption = c(paste0("Thin: a line for each of ", plural(length(lines), "domain"), ", on the ",
                       switch(x$kind, class = "logit scale", count = "log scale",
                              number = "scale of the response"), "."),
                paste0("Thick: mean over domains with its ", 100 * x$level, " % band; pale band: ",
                       "a new domain. Dashed: perfect calibration."))
  ) +
    ggplot2::geom_ribbon(columns(x = "p", ymin = "new_lower", ymax = "new_upper"), band,
                         inherit.aes = FALSE, fill = accent, alpha = 0.12) +
    ggplot2::geom_ribbon(columns(x = "p", ymin = "lower", ymax = "upper"), band,
                         inherit.aes = FALSE, fill = mean_colour, alpha = 0.3) +
    ggplot2::geom_line(columns(group = "domain"), colour = pale, linewidth = 0.3) +
    ggplot2::geom_line(data = band, colour = mean_colour, linewidth = 1) +
    ggplot2::geom_abline(slope = 1, intercept = 0, linetype = 2) +
    (if (square) ggplot2::coord_cartesian(xlim = c(0, 1), ylim = c(0, 1))
     else ggplot2::coord_cartesian(ylim = range(sites$y, band$y)))
}

seq_within <- function(values) {
  ends <- stats::quantile(values, c(0.01, 0.99), names = FALSE)
  seq(ends[1L], ends[2L], length.out = 41L)
}

# Random effects of the lines at each place.
calibration_band <- function(lines, at, kind, inflation, level) {
  back <- calibration_families[[kind]]$family$linkinv
  found <- lapply(at, function(place) {
    values <- lapply(lines, function(line) fitted_value(line, c(1, place - line$centre)))
    value <- vapply(values, `[[`, 0, "estimate")
    se <- vapply(values, `[[`, 0, "se")
    large <- if (kind == "number") 2 * max(stats::sd(value), se) else 1
    random_effects(unname(value), unname(se), large, inflation, level)
  })
  of <- function(name) vapply(found, function(f) back(f[[name]]), 0)
  new <- vapply(found, function(f) if (is.null(f$new)) c(NA, NA) else back(f$new$interval),
                numeric(2))
  data.frame(p = back(at), y = of("mean"), lower = of("lower"), upper = of("upper"),
             new_lower = new[1L, ], new_upper = new[2L, ])
}

# ---- table ------------------------------------------------------------------------------------

#' @exportS3Method
describe_result.dg_validate <- function(x) {
  table <- x$summary
  several <- length(x$methods) > 1L
  titles <- measure_titles(x, table$measure)
  percent <- paste0(100 * x$level, " %")
  by_row <- as_each(3)
  once <- x$rows[!duplicated(x$rows[c("row", "domain")]), ]
  sites <- unique(x$domains$domain)
  events <- if (is.null(x$class)) NA_integer_ else sum(once$y)
  new_result(
    paste0("Validation by ", x$labels$domain, ": ",
           if (several) plural(length(x$methods), "method") else x$title, ", ", x$labels$response,
           if (!is.null(x$class)) paste0(" = ", x$class)),
    table,
    c(if (several) list(column("method", once = TRUE)),
      list(column("measure", values = titles),
           column("mean", format = by_row, tidy = "estimate"),
           interval(paste(percent, "CI"), by_row),
           interval("new domain", by_row, lower = "new_lower", upper = "new_upper"),
           column("tau", format = by_row), column("domains", print = FALSE)),
      if (!is.null(x$target)) list(column("pass", format = by_row))),
    facts = c(x$held_out, paste0(
      plural(nrow(once), "row"), " of ", plural(length(sites), "domain"),
      if (!is.na(events)) paste0(", ", plural(events, "event")))),
    notes = c(
      paste0("new domain: where its value lies with ", percent, " probability, if it is of the ",
             "same kind. tau: standard deviation over domains on the scale of the measure.",
             if (x$inflation > 1) " Intervals allow for overlapping training sets."),
      if (!is.null(x$target)) {
        paste0("pass: probability that a new domain reaches ", enumerate(target_words(x), 20L, ""),
               ".")
      },
      small_site_words(x), x$notes
    ),
    further = c(if (!is.null(x$differences)) list(describe_differences(x)),
                if (!is.null(x$regression)) list(describe_regression(x))),
    glance = data.frame(rows = nrow(once), domains = length(sites), events = events,
                        methods = length(x$methods), measure = table$measure[1L],
                        mean = table$mean[1L], lower = table$lower[1L], upper = table$upper[1L],
                        new_lower = table$new_lower[1L], new_upper = table$new_upper[1L]),
    rows = x$rows
  )
}

target_words <- function(x) {
  vapply(names(x$target), function(name) {
    limits <- x$target[[name]]
    title <- x$measures[[name]]$title
    if (is.infinite(limits[2L])) paste(title, limits[1L], "or more")
    else if (is.infinite(limits[1L])) paste(title, limits[2L], "or less")
    else paste(title, limits[1L], "to", limits[2L])
  }, "")
}

# Domains without a value, or without an error of it, by measure.
small_site_words <- function(x) {
  none <- is.na(x$domains$estimate)
  spread <- x$domains$upper - x$domains$lower
  words <- function(what, which, why) {
    counts <- tapply(x$domains$domain[which], factor(x$domains$measure[which], names(x$measures)),
                     function(domains) length(unique(domains)))
    counts <- counts[!is.na(counts)]
    if (length(counts) == 0L) return(NULL)
    paste0(what, enumerate(paste0(measure_titles(x, names(counts)), " in ",
                                  vapply(counts, plural, "", "domain")), 20L, ""), why)
  }
  c(words("No value: ", none, " (too few rows or events)."),
    words("Not in the mean, as there is no error: ",
          !none & !(is.finite(spread) & spread > 0), "."))
}

describe_differences <- function(x) {
  new_result(
    paste0("Difference from ", x$baseline, " on the same rows"), x$differences,
    list(column("method", once = TRUE),
         column("measure", values = measure_titles(x, x$differences$measure)),
         column("difference", format = as_each(3), tidy = "estimate"),
         interval(paste0(100 * x$level, " % CI"), as_each(3)),
         interval("new domain", as_each(3), lower = "new_lower", upper = "new_upper"),
         column("domains", print = FALSE))
  )
}

describe_regression <- function(x) {
  new_result(
    "Meta-regression, on the scale of the measure", x$regression,
    c(if (length(unique(x$regression$method)) > 1L) list(column("method", once = TRUE)),
      list(column("measure", values = measure_titles(x, x$regression$measure), once = TRUE),
           column("term"), column("estimate", format = as_each(3)),
           interval(paste0(100 * x$level, " % CI"), as_each(3)), column("p", format = as_p())))
  )
}
