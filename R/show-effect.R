#' Plot effects of predictors
#'
#' A panel for each predictor (and class): the average over domains with the interval of
#' [dg_effect()] as a band, and a thin line for each domain, as far as its own rows reach (a point
#' where they have one value).
#' Categories have a picture of their own: points are domains, diamonds the average with its
#' interval. See [plot.dg_projection()] on colours.
#'
#' @usage
#' # plot(x, predictors = NULL, max_panels = 9, max_domains = 60, ...)
#' # autoplot(object, predictors = NULL, max_panels = 9, max_domains = 60, ...)
#' @param x,object The result of [dg_effect()].
#' @param predictors Which predictors; if `NULL` the numbers, or the categories where there are no
#'   numbers, those with the widest range first.
#' @param max_panels At most so many panels.
#' @param max_domains At most so many domains have a line, evenly chosen.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A name that is not there; numbers and categories together.
#' @examples
#' toy <- simulate_dica(domains = 6, n = 25, p = 3, seed = 1)
#' plot(dg_effect(dg_ridge(y ~ . | domain, data = toy, lambda = 1), type = "ale", grid = 8))
#' @name plot.dg_effect
NULL

#' @exportS3Method
describe_result.dg_effect <- function(x) {
  average <- x$average
  context <- x$type == "context"
  at <- ifelse(is.na(average$category),
               vapply(average$at, function(v) format(rounded(v, 3)), ""), average$category)
  right <- function(values, rows) one_line(values)
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
                   ", each of which weighs the same"),
    notes = c(paste0(capital(effect_interval(x)), "."),
              if (context) paste0(capital(context_words(x)), ".")),
    shown = utils::head(shown_values(average), most_lines), unit = "value", where = "`$average`",
    glance = data.frame(type = x$type, predictors = length(unique(average$predictor)),
                        rows = x$rows, averaged = x$averaged,
                        domains = length(unique(x$domains$domain)), refits = x$refits)
  )
}

effect_titles <- c(pdp = "Partial dependence", ale = "Accumulated local effects",
                   context = "Contextual effects")

effect_title <- function(x) {
  paste0(effect_titles[[x$type]], " on ", if (nzchar(x$values)) paste("the", x$values)
         else x$labels$response, ": ", x$title)
}

# What is shifted.
context_words <- function(x) {
  if (!x$uses_others) return("the model makes no difference between domains")
  category <- !is.na(x$average$category)
  paste0("`at`: ", paste(c(if (!all(category)) "shift of the rows that describe a domain",
                           if (any(category)) "category of all rows that describe a domain"),
                         collapse = ", or "))
}

effect_interval <- function(x) {
  if (all(is.na(x$average$se))) return(paste("one", x$units, "has no interval"))
  paste0(100 * x$level, " % intervals ",
         if (x$refits) paste0("by fits without each ", x$units, " (`refits`)")
         else paste0("over ", plural_units(x$units), ", of the model as it is (`refits = FALSE`)"))
}

# Of each curve six values at most, its ends among them.
shown_values <- function(average) {
  curve <- paste(average$predictor, average$class)
  keep <- unlist(lapply(split(seq_along(curve), factor(curve, unique(curve))), function(i) {
    if (!is.na(average$category[i[1L]])) i
    else i[unique(round(seq(1, length(i), length.out = min(6, length(i)))))]
  }))
  sort(keep)
}

#' @exportS3Method
picture.dg_effect <- function(x, predictors = NULL, max_panels = 9, max_domains = 60, ...) {
  check_no_dots(list(...), c("predictors", "max_panels", "max_domains"))
  shown <- effect_panels(x, predictors, check_count(max_panels, "max_panels"))
  average <- in_panels(x$average, shown)
  single <- in_panels(x$domains, shown)
  domains <- unique(single$domain)
  drawn <- domains[thin(length(domains), check_count(max_domains, "max_domains"))]
  single <- single[single$domain %in% drawn & single$inside, ]
  draw <- if (anyNA(average$category)) curve_picture else category_picture
  draw(x, average, single, panels = shown$title, title = shorten(effect_title(x), 80),
       note = c(undrawn_words(x, shown, predictors), if (length(drawn) < length(domains)) {
         paste(length(drawn), "of", plural(length(domains), "domain"), "drawn")
       }))
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

# Data frame of predictor, class, title: what is drawn.
effect_panels <- function(x, predictors, most) {
  curves <- unique(x$average[c("predictor", "class")])
  number <- unique(x$average$predictor[is.na(x$average$category)])
  if (is.null(predictors)) {
    predictors <- if (length(number)) number else unique(curves$predictor)
  } else {
    if (length(predictors) == 0L) check_choice(predictors, "predictors", unique(curves$predictor))
    for (name in predictors) check_choice(name, "predictors", unique(curves$predictor))
    if (length(unique(predictors %in% number)) > 1L) {
      abort("argument", "`predictors` must be all numbers or all categories in one picture; ",
            enumerate(intersect(predictors, number)), " are numbers.")
    }
  }
  range <- vapply(predictors, function(name) {
    diff(range(x$average$value[x$average$predictor == name]))
  }, 0)
  order <- predictors[order(-range)]
  curves <- curves[curves$predictor %in% order, ]
  curves <- utils::head(curves[order(match(curves$predictor, order)), ], most)
  of <- if (x$type != "context") "" else ifelse(curves$predictor %in% number, "shift of ",
                                                "the whole domain's ")
  curves$title <- paste0(of, shorten(curves$predictor, 24),
                         ifelse(is.na(curves$class), "",
                                paste0(", class \"", shorten(curves$class, 16), "\"")))
  curves
}

in_panels <- function(lines, shown) {
  key <- function(frame) paste(frame$predictor, frame$class, sep = "\r")
  lines$panel <- match(key(lines), key(shown))
  lines[!is.na(lines$panel), ]
}

effect_axis <- function(x) {
  what <- if (nzchar(x$values)) x$values else x$labels$response
  switch(x$type, pdp = if (nzchar(x$values)) what else paste("predicted", what),
         ale = paste("effect on", what), context = paste("change of", what))
}

curve_picture <- function(x, average, single, ...) {
  lines <- lapply(split(single, factor(single$domain, unique(single$domain))), function(own) {
    layer("line", own$at, own$value, panel = own$panel, ink = 0.35)
  })
  # a line of one point is none
  times <- table(single$panel, single$domain)
  alone <- single[times[cbind(as.character(single$panel), single$domain)] == 1L, ]
  known <- average[!is.na(average$se), ]
  zero <- if (x$type != "pdp") {
    layer("segment", -Inf, 0, xend = Inf, dash = 2, panel = unique(average$panel), ink = 0.5)
  }
  new_picture(
    average, x = picture_axis(free = TRUE), y = picture_axis(effect_axis(x)), rows = NA,
    strip = "bottom", layers = c(list(
      layer("band", known$at, known$lower, yend = known$upper, panel = known$panel, fill = 0.15,
            ink = NA_real_), zero
    ), unname(lines), list(
      layer("point", alone$at, alone$value, panel = alone$panel, ink = 0.35, size = 0.5),
      layer("line", average$at, average$value, panel = average$panel, width = 2)
    )), caption = paste0(
      "Thick line: average over domains, band: its ", 100 * x$level, " % interval",
      if (x$refits) " by fits without each domain" else " over domains, the model as it is",
      ". Thin lines", if (nrow(alone)) " and points", ": domains",
      if (x$type != "context") ", as far as their rows reach", "."
    ), ...)
}

category_picture <- function(x, average, single, ...) {
  # each predictor has a range of its own, of which a panel shows no more
  size <- tapply(average$at, average$panel, max)
  before <- cumsum(c(0, size))[seq_along(size)]
  place <- function(lines) before[lines$panel] + lines$at
  named <- unique(data.frame(at = place(average), label = average$category))
  new_picture(
    average, x = picture_axis(effect_axis(x)), rows = NA,
    y = picture_axis(NULL, named$at, named$label, pad = 0.5, free = TRUE),
    layers = list(
      layer("point", single$value, place(single) + 0.2 + 0.25 * spread_out(nrow(single)),
            panel = single$panel, ink = 0.35, size = 0.5),
      layer("segment", average$lower, place(average), xend = average$upper, panel = average$panel,
            width = 3),
      layer("point", average$value, place(average), panel = average$panel, shape = 23, size = 1.2)
    ), caption = paste0(
      "Pale points: domains", if (x$type != "context") " that have the category",
      ". Diamonds: average over domains with its ",
      100 * x$level, " % interval", if (x$refits) " by fits without each domain."
      else " over domains, the model as it is."
    ), ...)
}
