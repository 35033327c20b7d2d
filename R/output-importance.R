#' @rdname plot.dg_effect
#' @param max_predictors Maximum number of predictors that are shown, those with the largest
#'   increase. Default 20.
#' @export
plot.dg_importance <- function(x, max_predictors = 20, ...) {
  check_no_dots(list(...), "max_predictors")
  frame <- importance_frame(x, check_count(max_predictors, "max_predictors"))
  shown <- nlevels(frame$predictor)
  all <- length(x$predictors)
  single <- frame[frame$kind == "domain", ]
  new_plot(
    frame, c(x = "value", y = "predictor"),
    paste0(method_of(x$spec)$title, ": importance of predictors"),
    paste0(x$held_out, if (shown < all) paste0("; ", shown, " of ", plural(all, "predictor"))),
    x = paste(capital(importance_label(x)), "(larger: more important)"),
    caption = c(
      if (nrow(single)) "Pale points are held-out domains, diamonds their mean"
      else "Diamonds are means over held-out domains",
      paste0("with its ", 100 * x$level, " % interval."),
      if ("within" %in% x$kinds) "Within domains: values are permuted among rows of a domain.",
      if ("between" %in% x$kinds) "Between domains: domains exchange their values.",
      if ("both" %in% x$kinds) "Both: values of rows of other domains.",
      if ("context" %in% x$kinds) "Domain description: only the rows that describe it change."
    )
  ) +
    panels(frame$panel, beside = width_beside(frame$predictor), columns = length(x$kinds)) +
    few_numbers(frame$panel) +
    reference_line(0) +
    domain_points(single) +
    mean_points(frame[frame$kind == "mean", ]) +
    names_on("y")
}

#' @exportS3Method
describe_result.dg_importance <- function(x) {
  measure <- x$metric[[1L]]
  before <- known_mean(x$scores$score)
  new_result(
    paste0(importance_title(x), ": ", method_of(x$spec)$title, ", ", x$held_out), x$table,
    list(column("predictor", once = TRUE),
         column("kind", "permuted"),
         column("increase", format = as_exact_as(), tidy = "estimate",
                report = capital(importance_label(x))),
         column("se", "standard error", as_exact_as(), print = "std. error"),
         interval(paste(100 * x$level, "% CI"), as_exact_as())),
    # the score without permutation, and the estimand of the intervals
    facts = paste0(measure$title, " without permutation ", rounded(before, 4), "; ",
                   plural(x$permutations, "permutation"), "; ", 100 * x$level, " % intervals for ",
                   "the mean over new domains", if (!x$refits) " (`refits = FALSE`)"),
    notes = importance_notes(x),
    most = most_lines, where = "`$table`",
    glance = data.frame(metric = measure$title, mean = before, predictors = length(x$predictors),
                        permutations = x$permutations, domains = nrow(x$scores), fits = x$fits,
                        seconds = x$seconds)
  )
}

# Maximum number of rows that print shows.
most_lines <- 24L

importance_notes <- function(x) {
  # rows without an interval
  few <- x$table[is.na(x$table$se) & is.finite(x$table$increase), ]
  pairs <- few$kind != "within"
  c(fold_warnings(x$warnings, x$fits), if (!is.null(x$failed)) {
    paste0("note: ", plural(nrow(x$failed), "fold"), " failed: ", x$failed$error[1L])
  }, if ("within" %in% x$kinds && all(x$scores$rows < 2L)) {
    "note: \"within\" is missing, because no domain has two rows"
  }, if (any(pairs & few$domains < 3L)) {
    paste0("note: no interval for ", enumerate(unique(few$kind[pairs & few$domains < 3L]),
                                               quote = "\""),
           ", a mean over pairs of domains, which needs 3 domains")
  }, if (any(!pairs & few$domains < 2L)) "note: no interval for \"within\", which needs 2 domains",
  if (any(x$table$se %in% 0)) "note: no interval where the increase is the same in all domains")
}

importance_title <- function(x) {
  paste(capital(importance_label(x)), "when a predictor is permuted")
}

kind_titles <- c(within = "Within domains", between = "Between domains", both = "Both",
                 context = "Domain description")

importance_label <- function(x) {
  measure <- x$metric[[1L]]
  # the name of the column in the table
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
  frame$panel <- factor(kind_titles[frame$panel], kind_titles[x$kinds])
  frame$predictor <- factor(frame$predictor, rev(predictors))
  data.frame(frame[!is.na(frame$value) & !is.na(frame$predictor), ], row.names = NULL)
}
