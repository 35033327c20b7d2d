#' Plots of a validation by site
#'
#' A forest of sites, their ranking, their calibration, or differences of methods by site, from the
#' result of [dg_validate()].
#'
#' @param x The result of `dg_validate()`.
#' @param type Kind of plot. `"forest"`, the default: estimates of all sites with intervals, their
#'   mean, and the interval of a new site. `"ranking"`: sites in order of their shrunken values.
#'   `"calibration"`: a line for each site over the range of its predictions, their mean with its
#'   band, and that of a new site, where at least half of the sites (and two) have predictions.
#'   `"difference"`: a forest of differences of a method from the baseline by site.
#' @param measure Names of measures, in panels. Default `NULL`: the first.
#' @param method Name of a method, of the result of a [dg_compare()]. Default `NULL`: the first that
#'   is not the baseline for `"difference"`, else the first.
#' @param ... Must be empty.
#' @section Height of plots:
#' A forest or ranking of one measure has text at the right: each site's value with its
#' interval. An interval many times as wide as most is cut at the axis, with an arrow; the text has
#' its ends. The height at which each site is named is `attr(p, "height")` inches, for a plot `p`:
#' `ggplot2::ggsave("forest.png", p, width = 7, height = attr(p, "height"))`. Where it is lower,
#' names that would overlap are left out.
#' @return A ggplot2 object.
#' @seealso [dg_validate()], [dg_calibration()]
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' cv <- dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight)
#' plot(dg_validate(cv), measure = "rmse")
#'
#' toy <- simulate_dcm(domains = 8, n = 60, seed = 1)
#' validation <- dg_validate(dg_cv(dg_glm(lambda = 1), y ~ . | domain, data = toy))
#' plot(validation, type = "calibration")
#' @export
plot.dg_validate <- function(x, type = c("forest", "ranking", "calibration", "difference"),
                             measure = NULL, method = NULL, ...) {
  check_no_dots(list(...), c("type", "measure", "method"))
  type <- check_choice(type, "type", c("forest", "ranking", "calibration", "difference"))
  method <- read_plotted_method(x, method, type)
  if (type == "calibration") return(plot_calibration_lines(x, method))
  names <- unique(x$summary$measure)
  measure <- if (is.null(measure)) names[1L] else {
    unique(vapply(measure, check_choice, "", arg = "measure", choices = names, USE.NAMES = FALSE))
  }
  frame <- forest_frame(x, type, measure, method)
  if (nrow(frame$domains) == 0L) abort_nothing_to_plot()
  plot_forest(x, frame, type, measure, method)
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

# list(domains, means, new: data frames with panel, measure, place, value, lower, upper; shown: what
# stands at each place, the lowest first, domains by the first measure).
forest_frame <- function(x, type, measure, method) {
  chosen <- function(table) table[table$method == method & table$measure %in% measure, ]
  difference <- type == "difference"
  domains <- chosen(if (difference) x$paired else x$domains)
  summary <- chosen(if (difference) exact_differences(x) else x$summary)
  value <- switch(type, forest = "estimate", ranking = "shrunk", difference = "difference")
  ends <- paste0(if (type == "ranking") "shrunk_", c("lower", "upper"))
  domains <- domains[is.finite(domains[[value]]), ]
  by <- domains[domains$measure == domains$measure[1L], ]
  order <- c(unique(by$domain[order(by[[value]])]), setdiff(domains$domain, by$domain))
  shown <- c(paste("new", domain_words(x$labels)$one), "mean", "",
             ifelse(grepl("^\\s*$", order), dQuote(order, FALSE), order))
  # places have numbers: domains may be called as the other rows are
  table <- function(data, place, value, lower, upper) {
    data.frame(panel = factor(measure_titles(x, data$measure), measure_titles(x, measure)),
               measure = data$measure, place = rep_len(place, nrow(data)),
               value = value, lower = lower, upper = upper)
  }
  mean <- summary[[if (difference) "difference" else "mean"]]
  single <- table(domains, 3L + match(domains$domain, order), domains[[value]],
                  domains[[ends[1L]]], domains[[ends[2L]]])
  # differences have none
  single$rows <- domains$rows
  list(
    domains = cbind(single, domain = domains$domain),
    means = table(summary, 2L, mean, summary$lower, summary$upper),
    new = table(summary, 1L, mean, summary$new_lower, summary$new_upper),
    shown = shown
  )
}

# Differences that are 0 at every domain have no error, so no summary: their mean is 0.
exact_differences <- function(x) {
  key <- function(table) paste(table$method, table$measure, sep = "\r")
  paired <- x$paired[!is.na(x$paired$difference), ]
  zero <- tapply(paired$difference == 0, key(paired), all)
  same <- is.na(x$differences$lower) & zero[key(x$differences)] %in% TRUE
  x$differences$difference[same] <- 0
  cbind(x$differences, same = same)
}

# Ratios whose perfect value is 1 are drawn on a logarithmic axis.
are_ratios <- function(x, measure) {
  vapply(measure, function(name) {
    of <- x$measures[[name]]
    of$scale == "log" && is.numeric(of$better)
  }, NA)
}

plot_forest <- function(x, frame, type, measure, method) {
  words <- domain_words(x$labels)
  alone <- length(measure) == 1L
  percent <- level_words(x$level)
  difference <- type == "difference"
  perfect <- vapply(measure, function(name) {
    value <- x$measures[[name]]$better
    if (difference) 0 else if (is.numeric(value)) value else NA_real_
  }, 0)
  titles <- measure_titles(x, measure)
  lines <- data.frame(panel = factor(titles, titles), measure = measure, value = perfect)
  lines <- lines[!is.na(lines$value), ]
  title <- if (length(measure) == 1L) titles else "performance"
  whose <- if (length(x$methods) > 1L) method else x$title
  ratios <- if (!difference) measure[are_ratios(x, measure)]
  # a ratio of 0 is at the end of its axis
  none <- any(frame$domains$value <= 0 & frame$domains$measure %in% ratios)
  tables <- ratio_tables(c(frame[c("domains", "means", "new")], list(lines = lines)), ratios,
                         length(measure) > 1L)
  domains <- tables$domains
  text <- if (alone) forest_text(frame, x$measures[[measure]])
  edge <- if (alone) near_ends(domains, tables[c("means", "new", "lines")], length(ratios) > 0L)
  p <- new_plot(
    domains, c(x = "value", y = "place"),
    # a method's name keeps its capitals after other words
    switch(type, forest = paste0(title, " by ", x$labels$domain, ": ", whose),
           ranking = paste0(title, ", ranking by ", x$labels$domain, ": ", whose),
           difference = paste0("Difference of ", title, ": ", method, " minus ", x$baseline)),
    in_domain_words(x$held_out, words), x = if (length(measure) == 1L) {
      if (difference) paste("Difference of", title) else capital(title)
    }, y = x$labels$domain, beside = min(widest(frame$shown), name_width),
    caption = c(switch(type,
      forest = paste("Points: estimates with", percent, "intervals."),
      ranking = paste("Points: posterior means with", percent, "intervals;", words$many, "with few",
                      "rows are shrunk towards the mean."),
      difference = paste("Points: differences on the same rows with", percent, "intervals.")
    ), paste0("Diamond: mean over ", words$many, " with its ", percent, " interval. Bar: where a ",
              "new ", words$one, " is expected, with ", percent, " probability."),
    if (difference) "Dashed: no difference."
    else if (nrow(lines)) {
      paste0("Dashed: perfect calibration", if (nrow(lines) < length(measure)) {
        paste0(" (", enumerate(lines$panel, quote = ""), ")")
      }, ".")
    },
    if (length(ratios)) paste0("Logarithmic axis of ", measure_titles(x, ratios),
                               if (none) ", 0 is at its left end", "."),
    if (!is.null(domains$rows)) paste("Larger points:", words$many, "with more rows."))
  ) +
    (if (nrow(lines)) {
      ggplot2::geom_vline(columns(xintercept = "value"), tables$lines, linetype = 2, colour = pale)
    }) +
    ggplot2::geom_linerange(columns(xmin = "lower", xmax = "upper"), domains, colour = pale) +
    sized_points(domains) +
    ggplot2::geom_linerange(columns(xmin = "lower", xmax = "upper"),
                            tables$new[!is.na(tables$new$lower), ], colour = accent,
                            linewidth = 1) +
    mean_points(tables$means[!is.na(tables$means$value), ]) +
    panels(domains$panel, "free_x") +
    tables$axis +
    rows_on_y(frame$shown, text) +
    beyond_axis(domains, edge)
  structure(p, height = rows_height(length(frame$shown)))
}

# "0.75 (0.69 to 0.81)" at the right of each place.
forest_text <- function(frame, measure) {
  at <- do.call(rbind, lapply(frame[c("domains", "means", "new")], `[`,
                              c("place", "value", "lower", "upper")))
  say <- function(values) vapply(values, measured, "", measure, 2L)
  value <- ifelse(at$place == 1L, "", say(at$value))
  ends <- paste0(" (", say(at$lower), " to ", say(at$upper), ")")
  all <- rep("", length(frame$shown))
  all[at$place] <- trimws(paste0(value, ifelse(is.na(at$lower), "", ends)))
  all
}

# The tables with values to be drawn, and the axis. Panels share the kind of their axis: if one is
# of ratios and others are not, it has logarithms, moved beyond all values of the others.
ratio_tables <- function(tables, ratios, several) {
  columns <- c("value", "lower", "upper")
  all <- do.call(rbind, lapply(tables[c("domains", "means", "new")], `[`, c("measure", columns)))
  of_ratio <- all$measure %in% ratios
  values <- unlist(all[of_ratio, columns])
  least <- min(values[values > 0 & is.finite(values)], 1)
  far <- 100 + 4 * max(0, abs(unlist(all[!of_ratio, columns])), na.rm = TRUE)
  to_axis <- function(value) {
    value <- pmax(value, least)
    if (several) log(value) + far else value
  }
  moved <- lapply(tables, function(table) {
    is_ratio <- table$measure %in% ratios
    at <- intersect(columns, names(table))
    table[is_ratio, at] <- lapply(table[is_ratio, at, drop = FALSE], to_axis)
    table
  })
  moved$axis <- if (length(ratios) == 0L) {
    if (several) few_numbers(tables$domains$panel)
    else ggplot2::scale_x_continuous(breaks = four_numbers,
                                     guide = ggplot2::guide_axis(check.overlap = TRUE))
  } else if (several) {
    ggplot2::scale_x_continuous(
      breaks = function(ends) {
        if (ends[1L] > far / 2) to_axis(inner_ratios(exp(ends - far))) else inner_numbers(ends)
      },
      labels = function(at) {
        if (isTRUE(at[!is.na(at)][1L] > far / 2)) ratio_labels(exp(at - far)) else format(at)
      },
      guide = ggplot2::guide_axis(check.overlap = TRUE)
    )
  } else {
    ggplot2::scale_x_continuous(trans = "log", breaks = ratio_numbers, labels = ratio_labels)
  }
  moved
}

ratio_labels <- function(at) vapply(signif(at, 3L), format, "")

# Numbers on a logarithmic axis, 1 among them.
ratio_numbers <- function(ends) {
  inside <- function(at) at[at >= ends[1L] & at <= ends[2L]]
  for (first in list(1, c(1, 3), c(1, 2, 5), c(1, 1.5, 2, 3, 5, 7))) {
    at <- inside(c(outer(first, 10^(-9:9))))
    if (length(at) > 3L) return(at)
  }
  at <- inside(pretty(ends, 4L))
  sort(c(at[abs(at - 1) > 1e-9], inside(1)))
}

# In panels few, and none at the ends.
inner_ratios <- function(ends) {
  margin <- 0.1 * diff(log(ends))
  inner <- exp(log(ends) + c(1, -1) * margin)
  at <- ratio_numbers(inner)
  if (length(at) > 4L) at <- at[(seq_along(at) - which.min(abs(log(at)))) %% 2L == 0L]
  at
}

# ---- calibration ------------------------------------------------------------------------------

plot_calibration_lines <- function(x, method) {
  if (x$kind %in% c("ordinal", "censored") || is.null(x$rows$p)) {
    abort("argument", "`type` \"calibration\" needs probabilities of a class, numbers or counts.")
  }
  link <- calibration_families[[x$kind]]$link
  back <- calibration_families[[x$kind]]$family$linkinv
  drawn <- x$rows[x$rows$method == method, ]
  # repeats predict the same rows
  if (!is.null(drawn$rep)) drawn <- drawn[drawn$rep == drawn$rep[1L], ]
  lines <- Filter(Negate(is.null), lapply(split(drawn, drawn$domain, drop = TRUE), calibration_line,
                                          x$kind))
  if (length(lines) == 0L) abort_nothing_to_plot()
  at <- seq_within(link(drawn$p))
  sites <- do.call(rbind, Map(function(line, name) {
    ends <- pmin(pmax(line$range, min(at)), max(at))
    inside <- sort(unique(c(ends, at[reaches(line, at)])))
    data.frame(domain = name, p = back(inside),
               y = back(line$beta[1L] + line$beta[2L] * (inside - line$centre)))
  }, lines, names(lines)))
  band <- calibration_band(lines, at, x$kind, x$inflation, x$level)
  square <- x$kind == "class"
  words <- domain_words(x$labels)
  several <- any(!is.na(band$lower))
  new_plot(
    sites, c(x = "p", y = "y"), paste0("Calibration by ", x$labels$domain,
                                       if (length(x$methods) > 1L) paste0(": ", method)),
    paste0(x$labels$response, if (square) paste(" =", x$class), "; ",
           in_domain_words(x$held_out, words)),
    x = if (square) "Predicted probability" else paste("Predicted", x$labels$response),
    y = if (square) "Observed proportion" else paste("Observed", x$labels$response),
    caption = c(paste0("Thin: a line for each of ", count_domains(length(lines), x$labels),
                       ", on the ", switch(x$kind, class = "logit scale", count = "log scale",
                                           number = "scale of the response"),
                       ", over the range of its predictions."),
                if (several) {
                  paste0("Thick: mean over ", words$many, " with its ", 100 * x$level, " % band; ",
                         "pale band: a new ", words$one, ". At each prediction they are of the ",
                         words$many, " that have such predictions, at least half of them.")
                }, "Dashed: perfect calibration.")
  ) +
    (if (several) list(
      ggplot2::geom_ribbon(columns(x = "p", ymin = "new_lower", ymax = "new_upper"), band,
                           inherit.aes = FALSE, fill = accent, alpha = 0.12, na.rm = TRUE),
      ggplot2::geom_ribbon(columns(x = "p", ymin = "lower", ymax = "upper"), band,
                           inherit.aes = FALSE, fill = mean_colour, alpha = 0.3, na.rm = TRUE)
    )) +
    ggplot2::geom_line(columns(group = "domain"), colour = pale, linewidth = 0.3) +
    (if (several) ggplot2::geom_line(data = band, colour = mean_colour, linewidth = 1,
                                     na.rm = TRUE)) +
    ggplot2::geom_abline(slope = 1, intercept = 0, linetype = 2) +
    (if (square) ggplot2::coord_cartesian(xlim = c(0, 1), ylim = c(0, 1))
     else ggplot2::coord_cartesian(ylim = range(sites$y, band$y, na.rm = TRUE)))
}

seq_within <- function(values) {
  ends <- stats::quantile(values, c(0.01, 0.99), names = FALSE)
  seq(ends[1L], ends[2L], length.out = 41L)
}

# Has the domain predictions on both sides of each place?
reaches <- function(line, at) at >= line$range[1L] & at <= line$range[2L]

# Random effects at each place of the lines that reach it; NA with fewer than two, or than half.
calibration_band <- function(lines, at, kind, inflation, level) {
  back <- calibration_families[[kind]]$family$linkinv
  least <- max(2, length(lines) / 2)
  ends <- vapply(at, function(place) {
    lines <- Filter(function(line) reaches(line, place), lines)
    if (length(lines) < least) return(rep(NA_real_, 5L))
    values <- lapply(lines, function(line) fitted_value(line, c(1, place - line$centre)))
    of <- function(name) unname(vapply(values, `[[`, 0, name))
    band <- random_effects(of("estimate"), of("se"), if (kind != "number") 1, inflation, level)
    c(band$mean, band$lower, band$upper, band$new$interval)
  }, numeric(5L))
  rownames(ends) <- c("y", "lower", "upper", "new_lower", "new_upper")
  data.frame(p = back(at), apply(ends, 1L, back))
}

# ---- table ------------------------------------------------------------------------------------

#' @exportS3Method
describe_result.dg_validate <- function(x) {
  table <- x$summary
  several <- length(x$methods) > 1L
  titles <- measure_titles(x, table$measure)
  percent <- level_words(x$level)
  words <- domain_words(x$labels)
  number <- as_measured(x)
  once <- distinct_rows(list(list(place = x$rows$row, domain = x$rows$domain, y = x$rows$y)))
  domains <- length(unique(once$domain))
  events <- switch(x$kind, class = sum(once$y), censored = sum(has_event(once$y)), NA_integer_)
  new_result(
    paste0("Validation by ", x$labels$domain, ": ",
           if (several) plural(length(x$methods), "method") else x$title, ", ", x$labels$response,
           if (!is.null(x$class)) paste0(" = ", x$class)),
    table,
    c(if (several) list(column("method", once = TRUE)),
      list(column("measure", values = titles),
           column("mean", format = number, tidy = "estimate"),
           interval(paste(percent, "CI"), number),
           interval(paste("new", words$one), number, lower = "new_lower", upper = "new_upper"),
           column("tau", format = as_measured(x, function(of) !isTRUE(of$response))),
           column("domains", print = FALSE, report = FALSE)),
      if (!is.null(x$target)) {
        list(column("pass", format = known_decimals(2)),
             interval("pass CI", known_decimals(2), lower = "pass_lower", upper = "pass_upper"))
      }),
    facts = c(in_domain_words(x$held_out, words), paste0(
      in_row_words(plural(nrow(once), "row"), x$labels), " of ", count_domains(domains, x$labels),
      if (!is.na(events)) paste0(", ", plural(events, "event")))),
    notes = c(
      if (domains > 1L) middle_words(x),
      if (domains > 1L) paste0(
        "new ", words$one, ": where its value lies with ", percent, " probability, if it is ",
        "of the same kind. tau: standard deviation over ", words$many, " on the scale of the ",
        "measure. ", independence_words(words),
        if (x$inflation > 1) " Intervals allow for overlapping training sets."
      ),
      weighted_words(x, table),
      if (!is.null(x$target)) {
        paste0("pass: probability that a new ", words$one, " reaches ",
               enumerate(target_words(x), 20L, ""), "; pass CI: for the proportion of such ",
               words$many, ".")
      },
      small_site_words(x),
      if (domains == 1L) {
        paste0("One ", words$one, " does not show how ", words$many, " differ: no intervals of a ",
               "mean or a new one. Those of its own values are in `$domains`.")
      },
      noted_words(x), x$hint
    ),
    further = c(if (!is.null(x$differences)) list(describe_differences(x)),
                if (!is.null(x$regression)) list(describe_regression(x))),
    glance = data.frame(rows = nrow(once), domains = domains, events = events,
                        methods = length(x$methods), measure = table$measure[1L],
                        mean = table$mean[1L], lower = table$lower[1L], upper = table$upper[1L],
                        new_lower = table$new_lower[1L], new_upper = table$new_upper[1L]),
    augmented = x$rows
  )
}

# Values of proportions, ratios, slopes and the like can be compared between data sets and have
# decimals; others have digits, in the unit of the response.
on_common_scale <- function(measure) {
  measure$scale %in% c("logit", "unexplained") ||
    (is.numeric(measure$better) && !isTRUE(measure$response))
}

# like: a value whose decimals this one has, where both stand together.
measured <- function(value, measure, decimals, common = on_common_scale, like = value) {
  if (is.na(value)) return("")
  size <- if (common(measure)) max(abs(like), 1) else if (like == 0) return("0")
          else signif(abs(like), 3L) * 10^(decimals - 2)
  as_decimals(max(decimals + getOption("digits") - 7L - floor(log10(size)), 0))(value)
}

# The format of a column with values of several measures, which lines have by title.
as_measured <- function(x, common = on_common_scale) {
  titles <- measure_titles(x, names(x$measures))
  function(values, lines) {
    of <- x$measures[match(lines$measure, titles)]
    # what rounding leaves of 0
    tiny <- abs(values) < 1e-9 * (lines$upper - lines$lower)
    values[tiny %in% TRUE] <- 0
    unlist(Map(measured, values, of, 3L, list(common)), use.names = FALSE)
  }
}

# On which scales values have a mean, and which arithmetic means of sites are outside its interval.
middle_words <- function(x) {
  words <- domain_words(x$labels)
  table <- x$summary
  bent <- vapply(x$measures[table$measure], `[[`, "", "scale") != "identity"
  average <- unlist(Map(function(method, measure) {
    mean(x$domains$estimate[x$domains$method == method & x$domains$measure == measure],
         na.rm = TRUE)
  }, table$method, table$measure))
  other <- which(bent & is.finite(average) & (average < table$lower | average > table$upper))
  paste0(
    "mean: each ", words$one, " counts once",
    if (any(bent)) {
      paste0(", on the scale of the measure (see ?site_measures) and back: about the value of the ",
             "middle ", words$one)
    }, ".",
    if (length(other)) {
      paste0(" Arithmetic means of ", words$many, ": ",
             enumerate(paste(measures_of_rows(x, table[other, ]),
                             unlist(Map(measured, average[other],
                                        x$measures[table$measure[other]], 3L))), 20L, ""), ".")
    }
  )
}

# Titles of the measures, with methods where there are several.
measures_of_rows <- function(x, table) {
  titles <- measure_titles(x, table$measure)
  if (length(unique(x$summary$method)) > 1L) paste(titles, "of", table$method) else titles
}

independence_words <- function(words) {
  paste0("Both take ", words$many, " as independent: neighbours that are alike make them too ",
         "narrow.")
}

# Notes of the validation with the words of a report for a domain and a row. Quoted names, and
# messages of errors, stay.
noted_words <- function(x) {
  notes <- as.character(x$notes)
  if (is.null(x$labels$row)) return(notes)
  failed <- grepl("failed: ", notes, fixed = TRUE)
  notes[!failed] <- vapply(strsplit(notes[!failed], "\"", fixed = TRUE), function(parts) {
    outside <- seq(1L, length(parts), by = 2L)
    plain <- in_domain_words(in_row_words(parts[outside], x$labels), domain_words(x$labels))
    parts[outside] <- gsub("\\b([Aa]) (?=[aeiou])", "\\1n ", plain, perl = TRUE)
    paste(parts, collapse = "\"")
  }, "")
  closed <- endsWith(as.character(x$notes), "\"") & !failed
  notes[closed] <- paste0(notes[closed], "\"")
  notes
}

# A sentence on means that differ by more than chance where sites are weighted by precision.
weighted_words <- function(x, table) {
  differing <- table[which(table$weighted_p < 0.05), ]
  if (nrow(differing) == 0L) return(NULL)
  words <- domain_words(x$labels)
  of <- x$measures[differing$measure]
  cell <- function(name) unlist(Map(measured, differing[[name]], of, 3L), use.names = FALSE)
  paste0(
    "As ", words$many, " of high precision have other values, the mean weighted by precision ",
    "differs: ",
    enumerate(paste0(measures_of_rows(x, differing), " ", cell("weighted"), " (",
                     cell("weighted_lower"), " to ", cell("weighted_upper"), ", ",
                     vapply(differing$weighted_p, p_words, ""), ")"), 20L, ""), "."
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
    sites <- tapply(x$domains$domain[which], factor(x$domains$measure[which], names(x$measures)),
                    function(domains) length(unique(domains)))
    sites <- sites[!is.na(sites)]
    if (length(sites) == 0L) return(NULL)
    counts <- vapply(sites, count_domains, "", x$labels)
    paste0(what, enumerate(paste0(measure_titles(x, names(sites)), " in ", counts), 20L, ""), why)
  }
  few <- in_row_words(if (x$kind == "number") "rows" else "rows or events", x$labels)
  c(words("No value: ", none, paste0(" (too few ", few, ").")),
    words("Not in the mean, as there is no error: ",
          !none & !(is.finite(spread) & spread > 0), "."))
}

describe_differences <- function(x) {
  table <- exact_differences(x)
  number <- as_measured(x)
  words <- domain_words(x$labels)
  new_result(
    paste0("Difference (method minus ", x$baseline, ") on the same rows"), table,
    list(column("method", once = TRUE),
         column("measure", values = measure_titles(x, table$measure)),
         column("difference", format = number, tidy = "estimate"),
         interval(paste0(100 * x$level, " % CI"), number),
         interval(paste("new", words$one), number, lower = "new_lower", upper = "new_upper"),
         column("domains", print = FALSE)),
    notes = c(weighted_words(x, table), if (any(table$same)) {
      paste0("A difference without an interval is exactly 0 in each ", words$one, ".")
    })
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
