#' @rdname dg_tune
#' @usage NULL
#' @section Plot:
#' `plot()` (and `ggplot2::autoplot()`) returns a ggplot2 object, see [plot.dg_projection()].
#'
#' `type = "curves"`: for each parameter (or those named by `parameters`) the best mean score that
#' each of its values reaches, with its standard error; a ring marks the selected value. `type =
#' "surface"`: the same for pairs of values of two parameters; a frame marks the selected pair, a
#' cross one that failed or was not tried. Default: the surface if exactly two parameters have
#' several values and most pairs were tried. Other `parameters` are errors.
#' @export
plot.dg_tuned <- function(x, type = NULL, parameters = NULL, ...) {
  check_no_dots(list(...), c("type", "parameters"))
  shown <- read_tuning_plot(x, type, parameters)
  tuning <- x$tuning
  if (shown$type == "curves") return(plot_tuning_curves(curves_frame(x, shown$parameters), tuning))
  titles <- parameter_titles(shown$parameters)
  tile_plot(
    surface_frame(x, shown$parameters), tuning_title(tuning), capital(titles[1L]),
    capital(titles[2L]), tuning$metric$title, subtitle = tuning_subtitle(tuning), caption = paste0(
      "Each square has the best ", rule_words(tuning$rule), " with that pair of values",
      if (length(tuning$best) > 2L) ", over all other parameters", ". The frame marks the chosen ",
      "pair. Darker is ", if (tuning$metric$better == "low") "worse" else "better", "."
    )
  ) + names_on("x", width = 10) + names_on("y")
}

#' @exportS3Method
describe_result.dg_tuned <- function(x) from_whole(x, describe_tuning(x), "x")

describe_tuning <- function(x) {
  tuning <- x$tuning
  names <- names(tuning$best)
  table <- cbind(tuning$table, chosen = seq_len(nrow(tuning$table)) == tuning$chosen)
  best <- table[tuning$chosen, ]
  score <- tuning$metric$title
  errors <- stats::na.omit(table$error)
  order <- order(losses(table[[rule_column(tuning$rule)]], tuning$metric$better))
  new_result(
    paste0("Best of ", plural(nrow(table), "combination"), ": ", score_label(tuning$metric)),
    table,
    c(lapply(names, function(name) column(name, report = name)),
      list(column("mean", score, tidy = "estimate", report = paste("Mean", score)),
           column("se", "standard error", as_number(3), print = "std. error")),
      show_rule(tuning$rule)),
    facts = tuning$held_out, shown = order[is.na(table$error[order])], most = 10L,
    unit = "combination",
    where = "`$tuning$table`",
    notes = c(paste0("Chosen: ", paste(names, "=", vapply(tuning$best, format_value, ""),
                                       collapse = ", "),
                     if (identical(tuning$rule, "one_se")) {
                       ", the simplest within one standard error"
                     } else if (rule_column(tuning$rule) != "mean") {
                       paste(", by the", rule_words(tuning$rule))
                     }, "; ", score, " ", rounded(best$mean, 4), error_words(best$se),
                     ". This score is optimistic for ", scope_title(tuning$scope),
                     ", see ?dg_tune."),
              if (isTRUE(tuning$time_limit$reached)) {
                paste0("Time limit of ", format(tuning$time_limit$seconds), " s reached before ",
                       "the search was complete: the best so far.")
              }, if (length(errors)) {
                paste0(plural(length(errors), "combination"), " failed: ", errors[1L])
              }),
    glance = data.frame(best[names], metric = score, mean = best$mean, se = best$se,
                        choices = nrow(table), failed = sum(!is.na(table$error)),
                        seconds = sum(table$seconds), row.names = NULL, check.names = FALSE),
    # the model alone
    after = function() print(structure(x, class = class(x)[-(1:2)]))
  )
}

# What an argument says in a plot, with its name as in a grid. Paths such as
# "domain_kernel.embedding_kernel.bandwidth_factor" end in the argument, and begin with whose it is.
parameter_titles <- function(names) {
  words <- c(bandwidth_factor = "relative bandwidth", bandwidth = "bandwidth",
             lambda = "ridge", cost = "cost of an error", epsilon = "epsilon",
             ncomp = "components", tau = "likeness of domains", n_landmarks = "landmarks",
             n_features = "Fourier features", nu = "smoothness")
  vapply(names, function(name) {
    path <- strsplit(name, ".", fixed = TRUE)[[1L]]
    said <- words[path[length(path)]]
    if (is.na(said) || said == name) name else paste0(said, " (", name, ")")
  }, "", USE.NAMES = FALSE)
}

tuning_title <- function(tuning) {
  paste(score_label(tuning$metric), "by parameter")
}

tuning_subtitle <- function(tuning) {
  paste0(plural(nrow(tuning$table), "combination"), ", ", tuning$held_out)
}

# list(type, parameters)
read_tuning_plot <- function(x, type, parameters) {
  table <- x$tuning$table
  tuned <- names(x$tuning$best)
  if (!is.null(parameters) && length(parameters) == 0L) {
    check_choice(parameters, "parameters", tuned)
  }
  for (name in parameters) check_choice(name, "parameters", tuned)
  several <- tuned[vapply(tuned, function(name) length(unique(table[[name]])) > 1L, NA)]
  if (is.null(type)) {
    candidates <- if (is.null(parameters)) several else parameters
    pairs <- if (length(candidates) == 2L) nrow(unique(table[candidates]))
    full <- !is.null(pairs) && pairs > 0.5 * prod(lengths(lapply(table[candidates], unique)))
    type <- if (full) "surface" else "curves"
  }
  type <- check_choice(type, "type", c("curves", "surface"))
  if (is.null(parameters)) parameters <- if (type == "surface") utils::head(several, 2L) else tuned
  if (type == "surface" && length(unique(parameters)) != 2L) {
    abort("argument", "`parameters` must be two names for a surface, not ",
          length(unique(parameters)), ".")
  }
  list(type = type, parameters = parameters)
}

# The row that is best by the rule in each group of rows (NA where all failed).
best_rows <- function(tuning, group) {
  loss <- losses(tuning$table[[rule_column(tuning$rule)]], tuning$metric$better)
  vapply(split(seq_along(group), group), function(at) at[which.min(loss[at])][1L], 0L)
}

# Values in order, as labels.
parameter_factor <- function(values) {
  if (!is.numeric(values)) return(factor(values, unique(values)))
  levels <- sort(unique(values))
  factor(values, levels, make.unique(vapply(signif(levels, 3), format, "")))
}

# One line a value of a parameter: parameter (factor), label, place (1, 2, ... in order), numeric,
# mean, lower, upper (one standard error), chosen.
curves_frame <- function(x, parameters) {
  tuning <- x$tuning
  curves <- lapply(parameters, function(name) {
    values <- parameter_factor(tuning$table[[name]])
    best <- best_rows(tuning, values)
    mean <- tuning$table[[rule_column(tuning$rule)]][best]
    # of a mean
    se <- if (rule_column(tuning$rule) == "mean") tuning$table$se[best] else 0
    se[is.na(se)] <- 0
    data.frame(parameter = name, label = levels(values), place = seq_along(best),
               numeric = is.numeric(tuning$table[[name]]), mean = mean, lower = mean - se,
               upper = mean + se,
               chosen = levels(values) == as.character(values[tuning$chosen]))[!is.na(mean), ]
  })
  frame <- data.frame(do.call(rbind, curves), row.names = NULL)
  frame$parameter <- factor(frame$parameter, parameters)
  frame
}

# As tile_plot() takes it.
surface_frame <- function(x, parameters) {
  tuning <- x$tuning
  sides <- lapply(tuning$table[parameters], parameter_factor)
  frame <- expand.grid(column = levels(sides[[1L]]), row = levels(sides[[2L]]),
                       KEEP.OUT.ATTRS = FALSE)
  pair <- as.integer(sides[[1L]]) + nlevels(sides[[1L]]) * (as.integer(sides[[2L]]) - 1L)
  best <- best_rows(tuning, factor(pair, seq_len(nrow(frame))))
  frame$value <- tuning$table[[rule_column(tuning$rule)]][best]
  written <- max(vapply(sides, nlevels, 0L)) <= 12L
  frame$text <- if (written) ifelse(is.na(frame$value), "", same_digits(frame$value)) else ""
  frame$mark <- seq_len(nrow(frame)) == pair[tuning$chosen]
  frame
}

# Digits enough to tell values apart.
same_digits <- function(values) {
  spread <- diff(range(values, na.rm = TRUE))
  size <- max(abs(values), na.rm = TRUE)
  digits <- if (spread == 0) 3L else ceiling(log10(size / spread)) + 2L
  sub("[.]$", "", formatC(values, digits = min(max(digits, 3L), 5L), format = "fg", flag = "#"))
}

# Values of a grid stand at equal distances.
plot_tuning_curves <- function(frame, tuning) {
  frame$panel <- frame$parameter
  # paths can be broken after their points
  titles <- capital(parameter_titles(levels(frame$panel)))
  levels(frame$panel) <- gsub(".", ". ", titles, fixed = TRUE)
  one <- nlevels(frame$panel) == 1L
  # values of parameters that have the same name are different ones
  frame$value <- paste(as.integer(frame$panel), frame$label, sep = "\r")
  frame$value <- factor(frame$value, unique(frame$value))
  new_plot(
    frame, c(x = "value", y = "mean"), tuning_title(tuning), tuning_subtitle(tuning),
    x = if (one) levels(frame$panel) else "Value of the parameter",
    y = capital(score_label(tuning$metric)),
    caption = paste0("Points are the best ", rule_words(tuning$rule), " that each value reaches",
                     if (rule_column(tuning$rule) == "mean") ", bars one standard error",
                     ". The ring marks the chosen value.")
  ) +
    panels(frame$panel, "free_x") +
    ggplot2::geom_linerange(columns(ymin = "lower", ymax = "upper"), colour = pale) +
    ggplot2::geom_line(columns(group = "panel"), frame[frame$numeric, ], colour = mean_colour) +
    ggplot2::geom_point(colour = mean_colour, size = 1.6) +
    ggplot2::geom_point(data = frame[frame$chosen, ], shape = 1, size = 4, stroke = 1,
                        colour = accent) +
    ggplot2::scale_x_discrete(
      labels = function(names) paste0(" ", shorten(sub(".*\r", "", names), 12), " "),
      guide = ggplot2::guide_axis(check.overlap = TRUE), expand = ggplot2::expansion(0.05, 0.6)
    )
}

# The column of scores by the rule, if they are no means.
show_rule <- function(rule) {
  if (rule_column(rule) == "mean") return(NULL)
  list(column(rule_column(rule),
              if (is.numeric(rule)) paste0(format(100 * rule), " % reach") else "worst"))
}
