#' Plot the importance of predictors
#'
#' A panel for each kind of permutation: how much the loss of each left-out domain increases (pale
#' points, where there are at most 60 domains) and the mean over domains with its interval.
#' Predictors stand in the order of the table, the largest increase on top. See
#' [plot.dg_projection()] on colours.
#'
#' @usage
#' # plot(x, max_predictors = 20, ...)
#' # autoplot(object, max_predictors = 20, ...)
#' @param x,object The result of [dg_importance()].
#' @param max_predictors At most so many predictors are shown, those with the largest increase.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' toy <- simulate_dica(domains = 8, n = 25, p = 3, seed = 1)
#' plot(dg_importance(dg_lm(), y ~ . | domain, data = toy, permutations = 3))
#' @name plot.dg_importance
NULL

#' @exportS3Method
describe_result.dg_importance <- function(x) {
  measure <- x$metric[[1L]]
  before <- known_mean(x$scores$score)
  new_result(
    paste0(importance_title(x), ": ", x$spec$parts$title, ", ", x$held_out), x$table,
    list(column("predictor", once = TRUE),
         column("kind", "permuted"),
         column("increase", format = as_exact_as(), tidy = "estimate",
                report = capital(importance_label(x))),
         column("se", "standard error", as_exact_as(), print = "std. error"),
         interval(paste(100 * x$level, "% CI"), as_exact_as())),
    # what the increases are added to, and what their intervals are of
    facts = paste0(measure$title, " as it is ", rounded(before, 4), "; ",
                   plural(x$permutations, "permutation"), "; ", 100 * x$level, " % intervals of ",
                   "the mean over new domains", if (!x$refits) " (`refits = FALSE`)"),
    notes = importance_notes(x),
    most = most_lines, where = "`$table`",
    glance = data.frame(metric = measure$title, mean = before, predictors = length(x$predictors),
                        permutations = x$permutations, domains = nrow(x$scores), fits = x$fits,
                        seconds = x$seconds)
  )
}

# Of a table that print shows.
most_lines <- 24L

importance_notes <- function(x) {
  # some lines have no interval
  few <- x$table[is.na(x$table$se) & is.finite(x$table$increase), ]
  pairs <- few$kind != "within"
  c(fold_warnings(x$warnings, x$fits), if (!is.null(x$failed)) {
    paste0("note: ", plural(nrow(x$failed), "fold"), " failed: ", x$failed$error[1L])
  }, if ("within" %in% x$kinds && all(x$scores$rows < 2L)) {
    "note: nothing \"within\": no domain has two rows"
  }, if (any(pairs & few$domains < 3L)) {
    paste0("note: no interval of ", enumerate(unique(few$kind[pairs & few$domains < 3L]),
                                              quote = "\""),
           ", which is a mean over pairs of domains: it needs 3 domains")
  }, if (any(!pairs & few$domains < 2L)) "note: no interval of \"within\": it needs 2 domains")
}

importance_title <- function(x) {
  paste(capital(importance_label(x)), "when a predictor is permuted")
}

kind_titles <- c(within = "within domains", between = "between domains", both = "both",
                 context = "what describes\nthe domain")

#' @exportS3Method
picture.dg_importance <- function(x, max_predictors = 20, ...) {
  check_no_dots(list(...), "max_predictors")
  frame <- importance_frame(x, check_count(max_predictors, "max_predictors"))
  single <- frame[frame$kind == "domain", ]
  mean <- frame[frame$kind == "mean", ]
  at <- function(rows) as.integer(rows$predictor)
  panel <- function(rows) as.integer(rows$panel)
  # beside the interval
  spread <- at(single) + 0.2 + 0.25 * spread_out(nrow(single))
  shown <- nlevels(frame$predictor)
  all <- length(x$predictors)
  new_picture(
    frame, x = picture_axis(importance_label(x)), rows = 1L,
    y = picture_axis(NULL, seq_len(shown), levels(frame$predictor), pad = 0.5),
    panels = unname(kind_titles[x$kinds]), title = paste0(x$spec$parts$title, ", ", x$held_out),
    note = if (shown < all) paste0(shown, " of ", plural(all, "predictor")),
    layers = list(
      layer("segment", 0, -Inf, yend = Inf, dash = 2, panel = seq_along(x$kinds)),
      layer("point", single$value, spread, panel = panel(single), ink = 0.35, size = 0.5),
      layer("segment", mean$lower, at(mean), xend = mean$upper, panel = panel(mean), width = 3),
      layer("point", mean$value, at(mean), panel = panel(mean), shape = 23, size = 1.2)
    ), caption = paste0(
      if (nrow(single)) "Pale points: left-out domains. Diamonds: their mean",
      if (!nrow(single)) "Diamonds: mean over left-out domains", ", with its ", 100 * x$level,
      " % interval. Where domains take values of each other, the interval counts both."
    ))
}

importance_label <- function(x) {
  measure <- x$metric[[1L]]
  # as the column of the table is called
  if (measure$better == "low") paste("increase of", measure$title)
  else paste0("increase (fall of ", measure$title, ")")
}

# One line a domain and one a mean: panel, predictor (factors, the first on top), value, lower,
# upper, kind.
importance_frame <- function(x, most) {
  table <- x$table
  if (all(is.na(table$increase))) abort_nothing_to_plot()
  predictors <- utils::head(unique(table$predictor), most)
  single <- x$domains
  # of many domains the spread would hide the mean
  if (length(unique(single$domain)) > 60L) single <- single[0L, ]
  frame <- rbind(
    data.frame(panel = single$kind, predictor = single$predictor, value = single$increase,
               lower = rep(NA_real_, nrow(single)), upper = rep(NA_real_, nrow(single)),
               kind = rep("domain", nrow(single))),
    data.frame(panel = table$kind, predictor = table$predictor, value = table$increase,
               lower = table$lower, upper = table$upper, kind = "mean")
  )
  frame$panel <- factor(frame$panel, x$kinds)
  frame$predictor <- factor(frame$predictor, rev(predictors))
  data.frame(frame[!is.na(frame$value) & !is.na(frame$predictor), ], row.names = NULL)
}
