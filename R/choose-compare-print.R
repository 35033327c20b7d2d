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
  cat_line(paste0("  ", missing_words(x), recycle0 = TRUE))
  cat_line("")
  cat_line(paste0("  ", c(inference_words(x), comparison_verdicts(x), comparison_notes(x))))
  cat_line("  summary() has ranks, signed ranks, Friedman's test and timings")
}

missing_words <- function(x) {
  missing <- length(unique(unlist(lapply(x$runs, unscored))))
  if (missing) without_score(missing, x$runs[[1L]]$predictions)
}

# What folds warned of; of several methods the same once.
comparison_notes <- function(x) {
  notes <- lapply(names(x$runs), function(name) {
    counts <- alike_together(x$runs[[name]]$warnings)
    data.frame(note = as.character(names(counts)), where = paste0(
      counts, " of ", plural(nrow(x$runs[[name]]$fits), "fold"), " of ", name, recycle0 = TRUE))
  })
  notes <- do.call(rbind, notes)
  where <- split(notes$where, factor(notes$note, unique(notes$note)))
  paste0("note, ", vapply(where, paste, "", collapse = ", "), ": ", names(where), recycle0 = TRUE)
}

# A sentence for each method but the reference, and one where folds failed.
comparison_verdicts <- function(x) {
  unlist(lapply(seq_along(x$runs), function(i) {
    failed <- failed_words(x$runs[[i]])
    c(method_verdict(x, i), if (!is.null(failed)) paste0(x$table$method[i], ": ", failed))
  }))
}

# NULL where there is nothing to compare.
method_verdict <- function(x, i) {
  method <- x$table$method[i]
  if (method == x$against || all_failed(x$runs[[i]])) return(NULL)
  if (all_failed(x$runs[[x$against]])) {
    return(paste0(method, ": not compared, because ", x$against, " failed"))
  }
  if (same_as_reference(x)[i]) {
    return(paste0(method, ": equal to ", x$against, " in every domain"))
  }
  verdict(x$table[i, ], x$metrics[[1L]], x$against)
}

same_as_reference <- function(x) {
  vapply(x$table$method, function(name) {
    name != x$against && same_scores(x$scores[, name], x$scores[, x$against])
  }, NA)
}

# Text: method, the mean of the metric compared, difference, interval and p, the means of further
# metrics. Three decimals, or as many more as the smallest standard error needs.
comparison_cells <- function(x) {
  digits <- enough_digits(x$table$se, max(getOption("digits") - 4L, 0L))
  numbers <- x$table[c("mean", "difference", "lower", "upper")]
  size <- max(abs(unlist(numbers)), 0, na.rm = TRUE)
  numbers[] <- lapply(numbers, function(v) {
    if (digits > 6 || size >= 1e6) return(formatC(v, digits = 4L, format = "g"))
    # + 0 turns -0 into 0
    formatC(round(v, digits) + 0, digits = digits, format = "f")
  })
  cells <- data.frame(method = x$table$method, mean = numbers$mean, difference = numbers$difference,
                      interval = interval_cells(numbers$lower, numbers$upper),
                      p = vapply(x$table$p, format_p, ""))
  cells[x$table$method == x$against, c("difference", "interval", "p")] <- ""
  cells[same_as_reference(x), c("interval", "p")] <- ""
  titles <- vapply(x$metrics, `[[`, "", "title")
  further <- lapply(names(x$metrics)[-1L], function(name) {
    vapply(x$runs, function(run) known_mean(run$domains[[name]]), 0)
  })
  cells[titles[-1L]] <- in_words(as.data.frame(further), 4)
  names(cells)[c(2L, 4L)] <- c(titles[[1L]], "95 % CI")
  cells
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

# What the intervals know of the overlap of training sets, and what further columns are.
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
  titles <- vapply(x$metrics, `[[`, "", "title")
  c(if (any(how != "none")) {
    paste0("95 % CI and p: the mean difference on new domains, allowing for overlapping training ",
           "sets by ", known, "; ", same_domains)
  }, if (length(titles) > 1L) {
    paste0("differences are of ", titles[[1L]], "; ", enumerate(titles[-1L], quote = ""),
           ": means over domains, not compared")
  }, if (length(failed)) paste0("note, fits without two folds failed: ", failed[1L]))
}

# In words, from the 95 % interval.
verdict <- function(row, measure, against) {
  if (is.na(row$difference)) return(paste0(row$method, ": no domain has a score"))
  if (is.na(row$lower)) {
    return(paste0(row$method, ": ", if (is.finite(row$difference)) "too few domains for an interval"
                              else "scores are not finite"))
  }
  if (row$lower <= 0 && row$upper >= 0) {
    return(paste0(row$method, ": not distinguishable from ", against))
  }
  better <- losses(row$difference, measure$better) < 0
  paste0(row$method, ": ", if (better) "better" else "worse", " than ", against, " by ",
         rounded(abs(row$difference), 2), error_words(row$se))
}
