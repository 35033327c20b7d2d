# A comparison in words.

#' @export
print.dg_compare <- function(x, digits = NULL, ...) {
  at_digits(if (!is.null(digits)) check_digits(digits) + 1L, describe_comparison(x))
  invisible(x)
}

describe_comparison <- function(x) {
  measure <- x$metrics[[1L]]
  run <- x$runs[[1L]]
  cat_line(measure$title, ", ", run$held, " (",
           if (measure$better == "low") "lower" else "higher", " is better); differences from ",
           dQuote(x$against, FALSE), ", paired by ",
           if (is.null(run$novelty)) "domain" else sub("^level of ", "", run$unit),
           if (!is.null(run$novelty)) paste0("\n  ", run$novelty), "\n")
  cat_table(comparison_cells(x), text = "method")
  missing <- length(unique(unlist(lapply(x$runs, unscored))))
  if (missing) cat_line("  ", without_score(missing, run$predictions))
  cat_line("")
  cat_line(inference_words(x))
  cat_line(paste0("  ", comparison_verdicts(x), recycle0 = TRUE))
  for (name in names(x$runs)) {
    if (length(x$runs[[name]]$warnings)) {
      cat_line("  ", name, ":")
      print_fold_warnings(x$runs[[name]]$warnings, nrow(x$runs[[name]]$fits))
    }
  }
}

# A sentence for each method but the reference, one where folds failed, and one for all.
comparison_verdicts <- function(x) {
  single <- lapply(seq_along(x$runs), function(i) {
    failed <- failed_words(x$runs[[i]])
    c(method_verdict(x, i), if (!is.null(failed)) paste0(x$table$method[i], ": ", failed))
  })
  c(unlist(single), if (!is.null(x$friedman)) {
    paste0(if (x$friedman$p < 0.05) "Some methods differ" else "No method stands out",
           " (Friedman's test on ranks in a domain: ", p_words(x$friedman$p), ")")
  })
}

# NULL where there is nothing to compare.
method_verdict <- function(x, i) {
  method <- x$table$method[i]
  if (method == x$against || all_failed(x$runs[[i]])) return(NULL)
  if (all_failed(x$runs[[x$against]])) {
    return(paste0(method, ": not compared, because ", x$against, " failed"))
  }
  differences <- x$scores[, i] - x$scores[, x$against]
  able <- ranks_can_tell(sum(differences != 0, na.rm = TRUE), x$inference[i, ])
  verdict(x$table[i, ], x$metrics[[1L]], x$against, able)
}

# Text: the mean with three decimals, or as many more as the smallest standard error needs.
comparison_cells <- function(x) {
  empty <- c("difference", "se", "lower", "upper", "p", "p_rank")
  shown <- x$table[c("method", "mean", "overall", "rank", empty, "seconds")]
  digits <- enough_digits(x$table$se, max(getOption("digits") - 4L, 0L))
  numbers <- c("mean", "overall", "difference", "se", "lower", "upper")
  size <- max(abs(unlist(shown[numbers])), 0, na.rm = TRUE)
  shown[numbers] <- lapply(shown[numbers], function(v) {
    if (digits > 6 || size >= 1e6) return(formatC(v, digits = 4L, format = "g"))
    # + 0 turns -0 into 0
    formatC(round(v, digits) + 0, digits = digits, format = "f")
  })
  shown$rank <- formatC(x$table$rank, digits = 2L, format = "f")
  for (p in c("p", "p_rank")) shown[[p]] <- vapply(x$table[[p]], format_p, character(1))
  shown$seconds <- formatC(x$table$seconds, digits = 1L, format = "f")
  shown[x$table$method == x$against, empty] <- ""
  shown
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

# What the intervals know of the overlap of training sets, and what the p values are of.
inference_words <- function(x) {
  how <- x$inference$how[x$table$method != x$against]
  refits <- x$runs[[1L]]$refits
  failed <- unlist(lapply(x$runs, function(run) run$refits$error))
  failed <- failed[!is.na(failed)]
  by_factor <- "a factor on the variance (Nadeau and Bengio)"
  by_fits <- !is.null(refits) && is.null(x$runs[[1L]]$crossed) && !length(failed)
  known <- if (by_fits) {
    paste0("the larger of ", by_factor, " and what ", plural(refits$fits, "further fit"),
           " a method show")
  } else by_factor
  c(if (any(how != "none")) {
    paste0("  intervals and p (mean difference) allow for overlapping training sets, by ", known,
           ";\n  p_rank: Wilcoxon's signed ranks (do the ",
           "differences lie evenly about zero?), which allow for it too;\n  both are ",
           same_domains)
  }, if (length(failed)) paste0("  note, fits without two folds failed: ", failed[1L]))
}

# Would the signed ranks have p < 0.05 if all domains that differ did so alike?
ranks_can_tell <- function(differing, error) {
  differing >= 6L && signed_rank(seq_len(differing), error) < 0.05
}

# In words, from the 95 % interval; where the signed ranks, in which a few domains with large
# differences count less, do not agree although they could (able), that too.
verdict <- function(row, measure, against, able) {
  if (is.na(row$difference)) return(paste0(row$method, ": no domain has a score"))
  if (is.na(row$lower)) {
    return(paste0(row$method, ": ", if (is.finite(row$difference)) "too few domains for an interval"
                              else "scores are not finite"))
  }
  if (row$lower <= 0 && row$upper >= 0) {
    disagree <- if (isTRUE(row$p_rank < 0.05)) {
      paste0(" on average, but most domains differ alike (signed ranks, ", p_words(row$p_rank), ")")
    }
    return(paste0(row$method, ": not distinguishable from ", against, disagree))
  }
  better <- losses(row$difference, measure$better) < 0
  paste0(row$method, ": ", if (better) "better" else "worse", " than ", against, " by ",
         rounded(abs(row$difference), 2), error_words(row$se),
         if (able && isTRUE(row$p_rank >= 0.05)) {
           paste0(" on average, but not in most domains alike (signed ranks, ",
                  p_words(row$p_rank), ")")
         })
}
