#' Plots of effects and importance
#'
#' The curves of a [dg_effect()], and the increases of a [dg_importance()].
#'
#' @param x The result of [dg_effect()] or [dg_importance()].
#' @param predictors Names of predictors. Default `NULL`: the numeric ones, or the categories where
#'   there are no numeric ones, those with the widest range first.
#' @param max_panels Maximum number of panels. Default 9.
#' @param max_domains Maximum number of domains that have a line, evenly chosen. Default 60.
#' @param ... Must be empty.
#' @return A ggplot2 object, see [plot.dg_projection()]; also by `ggplot2::autoplot()`.
#' @section Effects: A panel for each predictor (and class): the average over domains with the
#' interval of [dg_effect()] as a band, drawn where at least two domains have rows, and a thin line
#' for each domain, as far as its own rows reach (a point where they have one value). Categories are
#' plotted separately: points are domains, diamonds the average with its interval.
#' @section Importance:
#' A panel for each kind of permutation: how much the loss of each held-out domain increases (pale
#' points, where there are at most 60 domains) and the mean over domains with its interval.
#' Predictors stand in the order of the table, the largest increase at the top.
#' @section Errors:
#' A name that is not there; numbers and categories together.
#' @seealso [dg_effect()], [dg_importance()]
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' model <- dg_lm(uptake ~ conc * Type | Plant, data = transform(CO2, Plant = paste(Plant)))
#' plot(dg_effect(model, "conc", grid = 8))
#'
#' importance <- dg_importance(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight, folds = 5,
#'                             permutations = 3)
#' plot(importance)
#' @export
plot.dg_effect <- function(x, predictors = NULL, max_panels = 9, max_domains = 60, ...) {
  check_no_dots(list(...), c("predictors", "max_panels", "max_domains"))
  shown <- effect_panels(x, predictors, check_count(max_panels, "max_panels"))
  average <- in_panels(x$average, shown)
  single <- in_panels(x$domains, shown)
  domains <- unique(single$domain)
  drawn <- domains[thin(length(domains), check_count(max_domains, "max_domains"))]
  single <- single[single$domain %in% drawn & single$inside, ]
  draw <- if (anyNA(average$category)) plot_curves else plot_categories
  draw(x, average, single, subtitle = paste(c(
    x$title, undrawn_words(x, shown, predictors), if (length(drawn) < length(domains)) {
      paste(length(drawn), "of", plural(length(domains), "domain"), "drawn")
    }), collapse = "; "))
}

#' @exportS3Method
describe_result.dg_effect <- function(x) {
  average <- x$average
  context <- x$type == "context"
  at <- ifelse(is.na(average$category),
               vapply(average$at, function(v) format(rounded(v, 3)), ""), average$category)
  right <- function(values, lines) one_line(values)
  new_result(
    effect_title(x), average,
    c(list(column("predictor", once = TRUE)),
      if (!all(is.na(average$class))) list(column("class")),
      list(column("value_at", "at", right, values = at, report = if (context) "Shift" else "Value"),
           column("value", effect_axis(x), as_exact_as(), tidy = "estimate", print = "value"),
           column("se", "std. error", as_exact_as(), report = FALSE),
           interval(paste(100 * x$level, "% CI"), as_exact_as()))),
    facts = paste0(plural(x$averaged, "row"),
                   if (x$averaged < x$rows) paste(" of", in_full(x$rows)), ", ",
                   plural(length(unique(x$domains$domain)), "domain"),
                   ", equally weighted"),
    notes = c(paste0(capital(effect_interval(x)), "."),
              if (context) paste0(capital(context_words(x)), ".")),
    shown = utils::head(shown_values(average), most_lines), unit = "value", where = "`$average`",
    glance = data.frame(type = x$type, predictors = length(unique(average$predictor)),
                        rows = x$rows, averaged = x$averaged,
                        domains = length(unique(x$domains$domain)), refits = x$refits)
  )
}

effect_title <- function(x) paste0(effect_quantity(x), ": ", x$title)

# "Partial dependence of income"
effect_quantity <- function(x) {
  paste(c(pdp = "Partial dependence of", ale = "Accumulated local effects on",
          context = "Contextual effects on")[[x$type]],
        if (nzchar(x$values)) paste("the", x$values) else x$labels$response)
}

# The meaning of `at`.
context_words <- function(x) {
  if (!x$uses_others) return("0: the model does not use a domain's other rows")
  category <- !is.na(x$average$category)
  paste0("`at`: ", paste(c(if (!all(category)) "shift of the rows that describe a domain",
                           if (any(category)) "category of all rows that describe a domain"),
                         collapse = ", or "))
}

effect_interval <- function(x) {
  if (x$held_out < 2L) return(paste("no interval from one", x$units))
  none <- without_spread(x)
  paste(c(
    if (!all(is.na(x$average$se))) {
      paste0(100 * x$level, " % intervals ",
             if (x$refits) paste0("by fits without each ", x$units, " (`refits = TRUE`)")
             else paste0("over ", plural_units(x$units), ", for the same model (`refits = FALSE`)",
                         if (x$trained) {
                           ", which was fitted to these: in others effects can differ by more"
                         }))
    },
    if (any(none)) no_spread_words(x)
  ), collapse = "; ")
}

# Values that lack an interval. Without a shift the effect is 0 by definition and needs none.
without_spread <- function(x) {
  is.na(x$average$se) & !(x$type == "context" & is.na(x$average$category) & x$average$at == 0)
}

# Why they lack one.
no_spread_words <- function(x) {
  if (x$refits) paste0("no interval where fits without each ", x$units, " give the same value")
  else paste0("no interval where all ", plural_units(x$units), " have the same value",
              if (any(x$average$value[without_spread(x)] != 0)) {
                " (`refits = TRUE` gives one that is for the method)"
              })
}

# At most six values of each curve, with its ends.
shown_values <- function(average) {
  curve <- paste(average$predictor, average$class)
  keep <- unlist(lapply(split(seq_along(curve), factor(curve, unique(curve))), function(i) {
    if (!is.na(average$category[i[1L]])) i
    else i[unique(round(seq(1, length(i), length.out = min(6, length(i)))))]
  }))
  sort(keep)
}

# Curves that have no panel, and categories, which are not drawn beside numbers.
undrawn_words <- function(x, shown, predictors) {
  curves <- unique(x$average[c("predictor", "class")])
  category <- unique(x$average$predictor[!is.na(x$average$category)])
  apart <- if (is.null(predictors)) setdiff(category, shown$predictor)
  all <- sum(curves$predictor %in% (if (is.null(predictors)) setdiff(curves$predictor, apart)
                                    else predictors))
  c(if (nrow(shown) < all) paste(nrow(shown), "of", plural(all, "curve")),
    if (length(apart)) paste("without categories:", enumerate(shorten(apart, 16), 3L, "")))
}

# Data frame of predictor, class, panel (its title): what is drawn.
effect_panels <- function(x, predictors, most) {
  curves <- unique(x$average[c("predictor", "class")])
  number <- unique(x$average$predictor[is.na(x$average$category)])
  if (is.null(predictors)) {
    predictors <- if (length(number)) number else unique(curves$predictor)
  } else {
    if (length(predictors) == 0L) check_choice(predictors, "predictors", unique(curves$predictor))
    for (name in predictors) check_choice(name, "predictors", unique(curves$predictor))
    if (length(unique(predictors %in% number)) > 1L) {
      abort("argument", "`predictors` must be all numbers or all categories in one plot; ",
            enumerate(intersect(predictors, number)), " are numbers.")
    }
  }
  range <- vapply(predictors, function(name) {
    diff(range(x$average$value[x$average$predictor == name]))
  }, 0)
  order <- predictors[order(-range)]
  curves <- curves[curves$predictor %in% order, ]
  curves <- utils::head(curves[order(match(curves$predictor, order)), ], most)
  of <- if (x$type != "context") "" else ifelse(curves$predictor %in% number, "Shift of ",
                                                "The whole domain's ")
  curves$panel <- paste0(of, shorten(curves$predictor, 24),
                         ifelse(is.na(curves$class), "",
                                paste0(", class \"", shorten(curves$class, 16), "\"")))
  curves
}

in_panels <- function(lines, shown) {
  key <- function(frame) paste(frame$predictor, frame$class, sep = "\r")
  lines$panel <- factor(shown$panel[match(key(lines), key(shown))], shown$panel)
  lines[!is.na(lines$panel), ]
}

effect_axis <- function(x) {
  what <- if (nzchar(x$values)) x$values else x$labels$response
  switch(x$type, pdp = if (nzchar(x$values)) what else paste("predicted", what),
         ale = paste("effect on", what), context = paste("change of", what))
}

# A sentence on the interval of the average: over what it is. One domain has no interval.
average_interval_words <- function(x, mark) {
  if (x$held_out < 2L) return(NULL)
  if (all(is.na(x$average$se))) {
    return(if (any(without_spread(x))) paste0(capital(no_spread_words(x)), "."))
  }
  paste0("The ", mark, " is its ", 100 * x$level, " % interval ",
         if (x$refits) "by fits without each domain."
         else "over domains, without fitting the model again.")
}

plot_curves <- function(x, average, single, subtitle) {
  # a line of one point is none
  line <- as.integer(interaction(single$panel, single$domain))
  one_point <- tabulate(line)[line] == 1L
  alone <- single[one_point, ]
  single <- single[!one_point, ]
  # what one domain says is no average
  reached <- average$domains >= min(2L, max(average$domains))
  average[!reached, c("value", "lower", "upper")] <- NA
  # the effect of no shift is 0 by definition: the band goes through it
  unshifted <- x$type == "context" & average$at == 0
  average[unshifted, c("lower", "upper")] <- average$value[unshifted]
  one <- nlevels(average$panel) == 1L
  context <- x$type == "context"
  new_plot(
    average, c(x = "at", y = "value"), effect_quantity(x), subtitle,
    x = if (one) levels(average$panel) else if (context) "Shift of the predictor"
        else "Value of the predictor",
    y = capital(effect_axis(x)), caption = c(
      "The thick line is the average over domains.", average_interval_words(x, "band"),
      if (!all(reached)) "It is drawn where at least two domains have rows.",
      paste0("Thin lines", if (nrow(alone)) " and points", " are domains",
             if (!context) ", as far as their rows reach", ".")
    )
  ) +
    panels(average$panel, "free_x") +
    few_numbers(average$panel) +
    (if (x$type != "pdp") reference_line(y = 0)) +
    ggplot2::geom_line(columns(group = "domain"), single, colour = pale, alpha = 0.6,
                       linewidth = 0.3) +
    ggplot2::geom_point(data = alone, colour = pale, size = 0.8) +
    (if (!all(is.na(average$se))) {
      ggplot2::geom_ribbon(columns(ymin = "lower", ymax = "upper"), fill = mean_colour,
                           alpha = 0.25, na.rm = TRUE)
    }) +
    ggplot2::geom_line(colour = mean_colour, linewidth = 1, na.rm = TRUE)
}

plot_categories <- function(x, average, single, subtitle) {
  categories <- rev(unique(average$category))
  average$category <- factor(average$category, categories)
  single$category <- factor(single$category, categories)
  one <- nlevels(average$panel) == 1L
  new_plot(
    average, c(x = "value", y = "category"), effect_quantity(x), subtitle,
    x = capital(effect_axis(x)), y = if (one) levels(average$panel), caption = c(
      paste0("Pale points are domains", if (x$type != "context") " that have the category", "."),
      "Diamonds are averages over domains.", average_interval_words(x, "bar")
    )
  ) +
    panels(average$panel, "free_y", columns = 1L) +
    (if (x$type != "pdp") reference_line(0)) +
    domain_points(single) +
    mean_points(average) +
    names_on("y")
}
