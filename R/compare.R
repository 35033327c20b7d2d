#' Compare methods on the same held-out domains
#'
#' Cross-validates several methods on the same folds and compares them domain by
#' domain: differences between methods are paired, because some domains are harder
#' than others for all. The null model is always included.
#'
#' @inheritParams dg_cv
#' @param objects A named list of learners, [chain()]s and [dg_tune()]s without data.
#' @param against Name of the method that the others are compared with;
#'   `"pooled"` if there is one of that name, else the first.
#' @details
#' **Intervals** of the mean difference are by the bootstrap over domains (10,000 draws, always the
#' same): percentiles of the means, taken farther out as Student's t and the factor
#' \eqn{\sqrt{G/(G - 1)}}{sqrt(G/(G - 1))} ask for G domains (Hesterberg, 2015, section 5.3),
#' without which they are too narrow for few; with fewer than 8 domains, Student's t-intervals. They
#' treat domains as independent; domains that were held out together share a fit, so that they are
#' somewhat too narrow with few folds. With several
#' methods each interval is for itself: with twenty of them one will miss.
#'
#' **Tests.** `p` is that of Wilcoxon's signed-rank test of the differences (exact for up to
#' 25 domains without ties, and two-sided). `friedman` asks whether any method differs from the
#' others: methods are ranked within each domain (1 is best), and `rank` is the mean rank.
#' @return An object of class `dg_compare`, a list with
#'   \item{table}{data frame, one line per method: `mean` over domains, `overall`
#'     (all rows together, see [dg_cv()]), mean `rank`, the paired `difference` from the method
#'     compared with, its standard error `se`, 95 % interval `lower`, `upper` and `p`, and
#'     `seconds`}
#'   \item{friedman}{`statistic`, `df`, `p` of Friedman's test, `NULL` with fewer than 3 methods}
#'   \item{scores}{matrix, domains x methods}
#'   \item{runs}{the [dg_cv()] result of each method}
#'   \item{against, metrics}{as used; the first metric is compared}
#' @references
#' Hesterberg, T. C. (2015). What teachers should know about the bootstrap. *The American
#' Statistician* 69(4), 371-386.
#' @seealso [dg_cv()], [plot.dg_compare()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 30, seed = 1)
#' dg_compare(list(pooled = dg_svm(domain_kernel = domain_pooled()), distributional = dg_svm()),
#'            y ~ . | domain, data = toy, folds = 4)
#' @export
dg_compare <- function(objects, x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                       folds = NULL, metric = NULL, against = NULL, refits = TRUE,
                       na.action = stats::na.omit, progress = NULL, ...) {
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_compare)))
  check_given(objects, "objects")
  if (!missing(x) && inherits(x, c("dg_spec", "dg_fit"))) {
    abort("argument", "`objects` must be one list of all methods, as in `list(dg_lm(), dg_svm())`.")
  }
  specs <- read_specifications(objects)
  against <- read_against(against, names(specs))
  given <- as.list(call)[-1L]
  input <- evaluate_input(given[names(given) %in% data_arguments], parent.frame())
  task <- cv_task(specs[[1L]], input)
  folds <- read_folds(folds, task)
  metrics <- read_metrics(metric, task$y)
  for (spec in specs) check_metrics_fit(metrics, spec)
  cross_validate(specs, task, folds, metrics, check_flag(refits, "refits"),
                 read_progress(progress), new_comparison, names(specs), against)
}

read_specifications <- function(objects) {
  if (inherits(objects, c("dg_spec", "dg_fit"))) objects <- list(objects)
  if (!is.list(objects) || length(objects) == 0L) {
    abort("argument", "`objects` must be a named list of learners or chains, not ",
          describe(objects), ".")
  }
  specs <- Map(read_element, objects, seq_along(objects))
  if (is.null(names(specs))) names(specs) <- rep("", length(specs))
  unnamed <- is.na(names(specs)) | names(specs) == ""
  names(specs)[unnamed] <- vapply(specs[unnamed], function(s) s$parts$title, character(1))
  if (!any(vapply(specs, function(s) s$method == "dg_null", NA))) {
    if ("null" %in% names(specs)) {
      abort("argument", "`objects` must not call a method \"null\": the null model is added under ",
            "that name.")
    }
    specs <- c(list(null = dg_null()), specs)
  }
  if (anyDuplicated(names(specs))) {
    abort("argument", "`objects` must have different names, not twice ",
          enumerate(unique(names(specs)[duplicated(names(specs))]), quote = "\""), ".")
  }
  specs
}

# An error says which element is wrong.
read_element <- function(object, i) {
  tryCatch(read_evaluated(object), domgen_error = function(e) {
    abort("argument", sub("^`object`", paste0("Element ", i, " of `objects`"), conditionMessage(e)))
  })
}

read_against <- function(against, names) {
  if (!is.null(against)) return(check_choice(against, "against", names))
  if ("pooled" %in% names) return("pooled")
  if (names[1L] == "null" && length(names) > 1L) names[2L] else names[1L]
}

new_comparison <- function(runs, names, against) {
  names(runs) <- names
  scores <- vapply(runs, function(run) run$domains$score, numeric(nrow(runs[[1L]]$domains)))
  scores <- matrix(scores, ncol = length(runs),
                   dimnames = list(runs[[1L]]$domains$domain, names))
  metrics <- runs[[1L]]$metrics
  ranks <- rank_methods(scores, metrics[[1L]]$better)
  differences <- lapply(names, function(name) compare_pair(runs[[name]], runs[[against]]))
  table <- data.frame(
    method = names, mean = vapply(runs, `[[`, numeric(1), "mean"),
    overall = vapply(runs, `[[`, numeric(1), "overall"), rank = colMeans(ranks),
    do.call(rbind, differences),
    seconds = vapply(runs, function(run) sum(run$fits$seconds), numeric(1)), row.names = NULL
  )
  inflation <- vapply(differences, attr, numeric(1), "inflation")[names != against]
  if (length(inflation) == 0L || anyNA(inflation)) inflation <- 1
  structure(list(table = table, friedman = friedman(ranks, mean(inflation)), scores = scores,
                 runs = runs, against = against, metrics = metrics), class = "dg_compare")
}

# As paired_difference() gives it, with the inflation of its variance as an attribute.
compare_pair <- function(run, against) {
  difference <- run$domains$score - against$domains$score
  without <- run$refits$without[[1L]]
  theirs <- against$refits$without[[1L]]
  without <- if (!is.null(without) && !is.null(theirs)) {
    list(scores = without$scores - theirs$scores, group = without$group)
  }
  paired_difference(difference, without, run$share)
}

#' @export
print.dg_compare <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  measure <- x$metrics[[1L]]
  run <- x$runs[[1L]]
  cat(measure$title, ", ", run$held, " (",
      if (measure$better == "low") "lower" else "higher", " is better); differences from ",
      dQuote(x$against, FALSE), ", paired by domain\n\n", sep = "")
  print_comparison(x, digits)
  missing <- sum(is.na(rowSums(x$scores)))
  if (missing) cat("  ", without_score(missing, run$predictions$truth), "\n", sep = "")
  cat("\n")
  for (i in which(x$table$method != x$against)) {
    differences <- x$scores[, i] - x$scores[, x$against]
    cat("  ", verdict(x$table[i, ], measure, x$against, sum(differences != 0, na.rm = TRUE)), "\n",
        sep = "")
  }
  if (!is.null(x$friedman)) {
    cat("  ", if (x$friedman$p < 0.05) "Some methods differ" else "No method stands out",
        " (Friedman's test on ranks: ", p_words(x$friedman$p), ")\n", sep = "")
  }
  for (name in names(x$runs)) {
    if (length(x$runs[[name]]$warnings)) {
      cat("  ", name, ":\n", sep = "")
      print_fold_warnings(x$runs[[name]]$warnings, nrow(x$runs[[name]]$fits))
    }
  }
  invisible(x)
}

print_comparison <- function(x, digits) {
  shown <- x$table[c("method", "mean", "overall", "rank", "difference", "se", "lower", "upper", "p",
                     "seconds")]
  digits <- enough_digits(x$table$se, digits)
  numbers <- c("mean", "overall", "difference", "se", "lower", "upper")
  size <- max(abs(unlist(shown[numbers])), 0, na.rm = TRUE)
  shown[numbers] <- lapply(shown[numbers], function(v) {
    if (digits > 6 || size >= 1e6) return(formatC(v, digits = 4L, format = "g"))
    # + 0 turns -0 into 0
    formatC(round(v, digits) + 0, digits = digits, format = "f")
  })
  shown$rank <- formatC(x$table$rank, digits = 2L, format = "f")
  shown$p <- vapply(x$table$p, format_p, character(1))
  shown$seconds <- formatC(x$table$seconds, digits = 1L, format = "f")
  shown[x$table$method == x$against, c("difference", "se", "lower", "upper", "p")] <- ""
  # a table in two pieces is hard to read
  old <- options(width = max(getOption("width"), 110L))
  on.exit(options(old))
  print(shown, row.names = FALSE, right = TRUE)
}

format_p <- function(p) {
  if (is.na(p)) "NA" else if (p < 0.001) "<0.001" else formatC(p, digits = 3L, format = "f")
}

p_words <- function(p) {
  if (!is.na(p) && p < 0.001) "p < 0.001" else paste("p =", format_p(p))
}

# Two digits of the smallest standard error show where an interval ends.
enough_digits <- function(se, digits) {
  se <- se[is.finite(se) & se > 0]
  if (length(se) == 0L) return(digits)
  max(digits, 1 - floor(log10(min(se))))
}

# In words, from the 95 % interval; with a grain of salt where the signed ranks, in which a few
# domains with large differences count less, do not agree. differing: domains with a difference;
# of fewer than 6 no ranks have p < 0.05.
verdict <- function(row, measure, against, differing) {
  if (is.na(row$difference)) return(paste0(row$method, ": no domain has a score"))
  if (is.na(row$lower)) {
    return(paste0(row$method, ": ", if (is.finite(row$difference)) "too few domains for an interval"
                              else "scores are not finite"))
  }
  if (row$lower <= 0 && row$upper >= 0) {
    return(paste0(row$method, ": not distinguishable from ", against))
  }
  better <- (row$difference < 0) == (measure$better == "low")
  paste0(row$method, ": ", if (better) "better" else "worse", " than ", against, " by ",
         signif(abs(row$difference), 2), " (standard error ", signif(row$se, 2), ")",
         if (differing >= 6L && !is.na(row$p) && row$p >= 0.05) {
           paste0(", but not in most domains alike (Wilcoxon ", p_words(row$p), ")")
         })
}
