# Summaries of cross-validations, comparisons and tunings.

#' Summaries of results
#'
#' `summary()` adds to `print()`: for [dg_cv()] the distribution of each metric over domains and the
#' worst domains; for [dg_compare()] how often each method is best, its worst domain, ranks with
#' their tests, and timings; for [dg_tune()] the best combinations and the summary of the model. For
#' other results it prints all rows of the table.
#'
#' @param object A result of [dg_cv()], [dg_compare()] or [dg_tune()], or another result.
#' @param ... For a result of [dg_tune()], `left_out`; else empty.
#' @return For a **cross-validation**: class `summary.dg_cv`, a list with
#'   \item{metrics}{data frame: `metric`, `mean` over domains, its standard error `se` and 95 %
#'     interval `lower`, `upper` for new domains, and the value of the `worst`, `median` and `best`
#'     domain}
#'   \item{domains}{the table of domains, the worst by the first metric first}
#'   \item{fits, seconds}{number of fits and their total time}
#'   and `title`, `held_out` (text) and `columns` of the printout.
#'
#'   For a **comparison**: class `summary.dg_compare`, a list with
#'   \item{methods}{data frame: `method`, `mean` over domains, `best_in` and `better_in`, the
#'     numbers of domains in which no method is better and in which it is better than the baseline,
#'     and the score (`worst`) and name (`worst_domain`) of its worst domain}
#'   \item{ranks}{data frame: `method`, `overall`, mean `rank`, `se` of the difference, `p`,
#'     `p_rank`, `least` (the smallest possible `p_rank` with so many domains) and `seconds`, see
#'     [dg_compare()]}
#'   \item{friedman}{as in [dg_compare()]; `NULL` with fewer than 3 methods besides the null model}
#'   \item{metric, baseline, domains}{title of the metric, the baseline, number of domains}
#'
#'   For a **tuning**: class `summary.dg_tuned`, a list with
#'   \item{best}{data frame: the five best combinations, with `mean` and `se` of the score}
#'   \item{metric, choices}{title of the metric, number of combinations}
#'   \item{model}{the summary of the model}
#' @seealso [summary()][summary.dg_learner()] of fits
#' @examples
#' comparison <- dg_compare(list(linear = dg_lm(), ridge = dg_ridge(lambda = 1)),
#'                          weight ~ Time | Diet, data = ChickWeight)
#' summary(comparison)
#' @export
summary.dg_cv <- function(object, ...) {
  enter_session()
  check_no_dots(list(...), character())
  metrics <- object$metrics
  columns <- c("score", names(metrics)[-1L])
  lines <- Map(function(metric, column, error) {
    values <- object$domains[[column]]
    values <- values[!is.na(values)]
    losses <- losses(values, metric$better)
    interval <- mean_interval(mean(values), error)
    data.frame(metric = metric$title, mean = mean(values), se = error$se, lower = interval[1L],
               upper = interval[2L], worst = values[which.max(losses)][1L],
               nine_tenths = losses(rule_loss(losses, 0.9), metric$better),
               median = stats::median(values), best = values[which.min(losses)][1L])
  }, metrics, columns, object$errors)
  worst <- order(-losses(object$domains$score, metrics[[1L]]$better))
  domains <- data.frame(object$domains[worst, ], row.names = NULL, check.names = FALSE)
  structure(list(metrics = data.frame(do.call(rbind, lines), row.names = NULL), domains = domains,
                 fits = nrow(object$fits), seconds = sum(object$fits$seconds),
                 title = method_of(object$spec)$title, held_out = object$held_out,
                 columns = score_columns(columns, metrics)),
            class = c("summary.dg_cv", "dg_result"))
}

nine_tenths_words <- "90 %: the score that nine of ten domains reach."

#' @exportS3Method
describe_result.summary.dg_cv <- function(x) {
  worst <- new_result(
    paste("Worst domains, by", x$metrics$metric[1L]), x$domains,
    c(list(column("domain"), column("fold"), column("rows")), x$columns),
    most = 5L, unit = "domain", where = "`$domains`"
  )
  # a share beside the width of an interval: each number has its own digits
  number <- function(name, ...) column(name, ..., format = as_each(4))
  new_result(
    paste0(x$title, ", ", x$held_out), x$metrics,
    list(column("metric"), number("mean", tidy = "estimate"),
         number("se", "std. error"), interval(format = as_each(4)), number("worst"),
         number("nine_tenths", "90 %"), number("median"), number("best")),
    facts = paste0(plural(x$fits, "fit"), " in ", rounded(x$seconds, 2), " s"),
    further = list(worst), notes = nine_tenths_words
  )
}

#' @rdname summary.dg_cv
#' @export
summary.dg_compare <- function(object, ...) {
  enter_session()
  check_no_dots(list(...), character())
  better <- object$metrics[[1L]]$better
  scores <- object$scores
  losses <- losses(without_rounded_scores(scores), better)
  least <- suppressWarnings(apply(losses, 1L, min, na.rm = TRUE))
  worst <- apply(losses, 2L, function(v) if (all(is.na(v))) NA_integer_ else which.max(v))
  at <- cbind(worst, seq_len(ncol(scores)))
  names <- object$table$method
  structure(list(
    methods = data.frame(
      method = names, mean = object$table$mean,
      best_in = unname(colSums(losses == least, na.rm = TRUE)),
      better_in = unname(colSums(losses < losses[, object$baseline], na.rm = TRUE)),
      nine_tenths = losses(unname(rule_losses(scores, better, 0.9)), better),
      worst = scores[at], worst_domain = rownames(scores)[worst]),
    ranks = data.frame(object$table[c("method", "overall", "rank", "se", "p", "p_rank")],
                       least = least_rank_p(object), seconds = object$table$seconds),
    friedman = object$friedman, metric = object$metrics[[1L]]$title, baseline = object$baseline,
    domains = nrow(scores)
  ), class = c("summary.dg_compare", "dg_result"))
}

#' @exportS3Method
describe_result.summary.dg_compare <- function(x) {
  other <- x$ranks$method != x$baseline
  p <- function(name) column(name, format = as_p(), at = !is.na(x$ranks[[name]]))
  ranks <- new_result(
    "Ranks, tests and timings", x$ranks,
    list(column("method"), column("overall"),
         column("rank", format = as_decimals(2)),
         column("se", "se of difference", at = other), p("p"), p("p_rank"), p("least"),
         column("seconds", format = as_decimals(1)))
  )
  new_result(
    paste0("Comparison of ", plural(nrow(x$methods), "method"), ": ", x$metric, ", ",
           plural(x$domains, "domain"), " held out"),
    x$methods,
    list(column("method"), column("mean"), column("best_in", report = "Best in"),
         column("better_in", report = "Better in"),
         column("nine_tenths", "90 %"), column("worst"),
         column("worst_domain", report = "Worst domain")),
    facts = paste("baseline:", x$baseline), further = list(ranks),
    notes = c(
      "better_in: domains with a better score than the baseline.", nine_tenths_words,
      paste("overall: of all rows together; rank: mean rank by domain, 1 is best; std. error and",
            "p: of the mean difference from the baseline."),
      paste("p_rank: Wilcoxon's signed-rank test (symmetry about zero), allowing for overlapping",
            "training sets; least: the smallest possible p_rank with so many domains."),
      if (!is.null(x$friedman)) {
        paste0("Friedman's test on ranks by domain, without the null model: ",
               p_words(x$friedman$p), ".")
      }
    )
  )
}

# p_rank if all domains that differ did so alike.
least_rank_p <- function(object) {
  compared <- without_rounded_scores(object$scores)
  vapply(seq_len(ncol(compared)), function(i) {
    differing <- sum(compared[, i] != compared[, object$baseline], na.rm = TRUE)
    signed_rank(seq_len(differing), object$inference[i, ])
  }, 0)
}

#' @rdname summary.dg_cv
#' @export
summary.dg_tuned <- function(object, ...) {
  enter_session()
  said <- from_whole(object, {
    tuning <- object$tuning
    by <- rule_column(tuning$rule)
    table <- tuning$table[is.na(tuning$table$error),
                          c(names(tuning$best), unique(c("mean", "se", by)))]
    order <- order(losses(table[[by]], tuning$metric$better))
    best <- data.frame(table[utils::head(order, 5L), ], row.names = NULL, check.names = FALSE)
    list(best = best, metric = tuning$metric$title, choices = nrow(tuning$table),
         rule = tuning$rule)
  })
  structure(c(said, list(model = NextMethod())), class = c("summary.dg_tuned", "dg_result"))
}

#' @exportS3Method
describe_result.summary.dg_tuned <- function(x) {
  new_result(
    paste0("Best of ", plural(x$choices, "combination"), ", by ",
           if (rule_column(x$rule) == "mean") paste("mean", x$metric)
           else paste0("the ", rule_words(x$rule), ", ", x$metric)), x$best,
    c(lapply(setdiff(names(x$best), c("mean", "se", rule_column(x$rule))),
             function(name) column(name, report = name)),
      list(column("mean", x$metric, tidy = "estimate"), column("se", "std. error", as_number(3))),
      show_rule(x$rule)),
    after = function() describe_learner(x$model)
  )
}
