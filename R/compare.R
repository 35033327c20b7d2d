#' Compare methods on the same held-out domains
#'
#' Cross-validates several methods on the same folds and compares them domain by
#' domain: differences between methods are paired, because some domains are harder
#' than others for all. The null model is always included.
#'
#' @inheritParams dg_cv
#' @param objects A named list of learners and [chain()]s without data.
#' @param against Name of the method that the others are compared with;
#'   `"pooled"` if there is one of that name, else the first.
#' @return An object of class `dg_compare`, a list with
#'   \item{table}{data frame, one line per method: `mean` over domains, `overall`
#'     (all rows together, see [dg_cv()]), the paired `difference` from the method compared with,
#'     its standard error `se` and 95 % t-interval `lower`, `upper`, and `seconds`}
#'   \item{scores}{matrix, domains x methods}
#'   \item{runs}{the [dg_cv()] result of each method}
#'   \item{against, metric}{as used}
#'   The standard error treats domains as independent; those that were held out
#'   together share a fit, so that it is somewhat too small with few folds.
#' @seealso [dg_cv()], [plot.dg_compare()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 30, seed = 1)
#' dg_compare(list(pooled = dg_svm(domain_kernel = domain_pooled()), distributional = dg_svm()),
#'            y ~ . | domain, data = toy, folds = 4)
#' @export
dg_compare <- function(objects, x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                       folds = NULL, metric = NULL, against = NULL, na.action = stats::na.omit,
                       progress = NULL, ...) {
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
  folds <- read_folds(folds, task$domain)
  bar <- progress_line(length(specs) * length(unique(folds)), read_progress(progress))
  on.exit(bar$done())
  runs <- lapply(names(specs), function(name) {
    if (!takes_weights(specs[[name]])) task$input$weights <- NULL
    cross_validate(specs[[name]], task, folds, metric, bar, name)
  })
  new_comparison(stats::setNames(runs, names(specs)), against)
}

read_specifications <- function(objects) {
  if (inherits(objects, c("dg_spec", "dg_fit"))) objects <- list(objects)
  if (!is.list(objects) || length(objects) == 0L) {
    abort("argument", "`objects` must be a named list of learners or chains, not ",
          describe(objects), ".")
  }
  specs <- lapply(objects, read_specification)
  if (is.null(names(specs))) names(specs) <- rep("", length(specs))
  unnamed <- is.na(names(specs)) | names(specs) == ""
  names(specs)[unnamed] <- vapply(specs[unnamed], function(s) s$parts$title, character(1))
  if (anyDuplicated(names(specs))) {
    abort("argument", "`objects` must have different names, not twice ",
          enumerate(unique(names(specs)[duplicated(names(specs))]), quote = "\""), ".")
  }
  null <- vapply(specs, function(s) s$method == "dg_null", logical(1))
  if (any(null)) specs else c(list(null = dg_null()), specs)
}

read_against <- function(against, names) {
  if (!is.null(against)) return(check_choice(against, "against", names))
  if ("pooled" %in% names) return("pooled")
  if (names[1L] == "null" && length(names) > 1L) names[2L] else names[1L]
}

new_comparison <- function(runs, against) {
  scores <- vapply(runs, function(run) run$domains$score, numeric(nrow(runs[[1L]]$domains)))
  scores <- matrix(scores, ncol = length(runs),
                   dimnames = list(runs[[1L]]$domains$domain, names(runs)))
  differences <- lapply(names(runs), function(name) {
    paired_difference(scores[, name] - scores[, against])
  })
  table <- data.frame(
    method = names(runs), mean = vapply(runs, `[[`, numeric(1), "mean"),
    overall = vapply(runs, `[[`, numeric(1), "overall"), do.call(rbind, differences),
    seconds = vapply(runs, function(run) sum(run$seconds), numeric(1)), row.names = NULL
  )
  structure(list(table = table, scores = scores, runs = runs, against = against,
                 metric = runs[[1L]]$metric), class = "dg_compare")
}

# Mean of the paired differences over domains, standard error, 95 % t-interval.
paired_difference <- function(difference) {
  d <- difference[!is.na(difference)]
  se <- standard_error(d)
  half <- if (length(d) > 1L) stats::qt(0.975, length(d) - 1L) * se else NA_real_
  data.frame(difference = mean(d), se = se, lower = mean(d) - half, upper = mean(d) + half)
}

#' @export
print.dg_compare <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  measure <- metrics[[x$metric]]
  run <- x$runs[[1L]]
  cat(measure$title, " on ", plural(nrow(run$domains), "unseen domain"), " (",
      if (measure$better == "low") "lower" else "higher", " is better); differences from ",
      dQuote(x$against, FALSE), ", paired by domain\n\n", sep = "")
  shown <- x$table
  digits <- enough_digits(x$table$se, digits)
  shown[-1L] <- lapply(shown[-1L], function(v) {
    # + 0 turns -0 into 0
    formatC(round(v, digits) + 0, digits = digits, format = "f")
  })
  shown$seconds <- formatC(x$table$seconds, digits = 1L, format = "f")
  shown[x$table$method == x$against, c("difference", "se", "lower", "upper")] <- ""
  # a table in two pieces is hard to read
  old <- options(width = max(getOption("width"), 100L))
  print(shown, row.names = FALSE, right = TRUE)
  options(old)
  cat("\n")
  for (i in which(x$table$method != x$against)) {
    cat("  ", verdict(x$table[i, ], measure, x$against), "\n", sep = "")
  }
  for (name in names(x$runs)) {
    if (length(x$runs[[name]]$warnings)) {
      cat("  ", name, ":\n", sep = "")
      print_fold_warnings(x$runs[[name]]$warnings, length(unique(run$folds)))
    }
  }
  invisible(x)
}

# Two digits of the smallest standard error show where an interval ends.
enough_digits <- function(se, digits) {
  se <- se[is.finite(se) & se > 0]
  if (length(se) == 0L) return(digits)
  max(digits, min(1 - floor(log10(min(se))), 6))
}

# In words, from the 95 % interval.
verdict <- function(row, measure, against) {
  if (is.na(row$lower)) return(paste0(row$method, ": too few domains for an interval"))
  if (row$lower <= 0 && row$upper >= 0) {
    return(paste0(row$method, ": not distinguishable from ", against))
  }
  better <- (row$difference < 0) == (measure$better == "low")
  paste0(row$method, ": ", if (better) "better" else "worse", " than ", against, " by ",
         signif(abs(row$difference), 2), " (standard error ", signif(row$se, 2), ")")
}
