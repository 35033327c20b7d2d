#' Let the training domains choose the model
#'
#' @description
#' The function to call first. A ridge regression ([dg_ridge()]; for classes too) for which the
#' training domains have chosen how predictors are scaled, the kernel on x, its bandwidths, the
#' kernel between domains and lambda: each is what predicts domains best that were left
#' out one at a time. In closed form ([lodo()]) that costs about two fits for all values of lambda.
#'
#' @details
#' **Search.** First every scaling (pooled, by domain, both, ranks) with a Gaussian and a Laplace
#' kernel at the median bandwidth, and a linear kernel; then, for the two best, other bandwidths;
#' then, for the two best, [domain_distribution()] with several bandwidths between embeddings
#' instead of pooling; last, where there are at most `max_predictors` of them, one bandwidth per
#' predictor, fitted by the gradient of the squared error of left-out domains. Those have
#' seen the labels of all domains, so that they are compared with the others on thirds of the
#' domains on which they were not fitted. In every step lambda is the best of 25 values.
#'
#' **Honesty.** The score of the winner is the best of many and thus too good; `dg_cv(dg_auto(),
#' ...)`
#' chooses anew in every fold and tells how good the procedure is. `print()` sets the winner beside
#' the best of each other kind with the standard error of the paired difference over domains: a
#' choice within two standard errors hardly matters.
#'
#' **Few domains.** With fewer than three domains nothing can be learned about new ones from
#' these: the default model is fitted, with a lambda that predicts left-out rows, and a warning.
#'
#' **Many rows.** The search uses at most `max_rows` rows, spread evenly over domains (and
#' lambda is then multiplied by the ratio of the rows). The fit uses all: exactly up to 5,000
#' rows, with `features_nystrom(1000)` beyond.
#'
#' @inheritParams dg_cv
#' @inheritParams dg_ridge
#' @param metric What decides, one of the scores of [dg_cv()] that need no probabilities:
#'   `"rmse"` or `"accuracy"` if `NULL`. With rare classes `"auc"` or `"balanced_accuracy"`.
#' @param max_rows Most rows in the search.
#' @param max_predictors Most predictors (columns after scaling) for a bandwidth each; 0: never.
#' @return With data, an object of class `dg_auto`, the winner as [dg_ridge()] gives it with the
#'   element `choice`, a list with
#'   \item{table}{data frame, one line per candidate: `scale`, `kernel`, `domain_kernel`,
#'     `lambda`, `mean` and `se` of the score over left-out domains, `difference` from the winner
#'     and its standard error `difference_se`, `seconds`}
#'   \item{scores}{matrix, domains x candidates}
#'   \item{metric, rows, seconds}{what decided, rows of the search, its time}
#'   Without data, a specification for [dg_cv()] and [dg_compare()].
#' @section Errors:
#' Those of [dg_ridge()]; a metric that needs probabilities.
#' @seealso [dg_ridge()], [dg_tune()] for other methods, [dg_diagnose()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 30, seed = 1)
#' train <- subset(toy, !domain %in% c("d1", "d2"))
#' model <- dg_auto(y ~ . | domain, data = train)
#' model
#' new <- subset(toy, domain %in% c("d1", "d2"))
#' mean(predict(model, new) == new$y)
#' @export
dg_auto <- function(x, y = NULL, domain = NULL, data = NULL, metric = NULL, max_rows = 2000,
                    max_predictors = 30, probability = c("none", "platt", "isotonic"),
                    weights = NULL, na.action = stats::na.omit,
                    progress = NULL, threads = NULL, ...) {
  args <- list(
    metric = metric, max_rows = check_count(max_rows, "max_rows", at_least = 10L),
    max_predictors = check_count(max_predictors, "max_predictors", at_least = 0L),
    probability = check_choice(probability, "probability", probability_methods),
    progress = progress, threads = check_threads(threads)
  )
  parts <- learner_parts("Ridge regression chosen by the training domains")
  parts$domain <- TRUE
  spec <- new_spec("dg_auto", "dg_auto_spec", parts, args)
  fit_or_specify(spec, match.call(), parent.frame())
}

#' @exportS3Method
fit_input.dg_auto_spec <- function(spec, input, memo = NULL) {
  task <- quietly(cv_task(spec, input))
  choice <- choose_by_domain(spec$args, task)
  model <- fit_input(choice$spec, input)
  model$choice <- choice[c("table", "scores", "metric", "rows", "seconds", "few")]
  model$auto <- spec
  class(model) <- c("dg_auto", class(model))
  model
}

#' @export
print.dg_auto <- function(x, ...) {
  choice <- x$choice
  table <- choice$table
  if (choice$few) {
    cat("Too few domains to choose by: the default model\n\n")
    return(NextMethod())
  }
  best <- table[1L, ]
  cat("Chosen among ", plural(nrow(table), "candidate"), " by ", choice$metric$title,
      " on left-out domains (", plural(choice$rows, "row"), ", ", signif(choice$seconds, 2),
      " s):\n", sep = "")
  cat("  ", describe_candidate(best), "\n", sep = "")
  cat("  ", choice$metric$title, " ", signif(best$mean, 4), " (standard error ",
      signif(best$se, 2), "), the best of many: dg_cv(dg_auto(), ...) for an honest score\n\n",
      sep = "")
  cat("Best of the others\n")
  others <- best_others(table)
  for (i in seq_len(nrow(others))) {
    row <- others[i, ]
    cat("  ", format(signif(row$mean, 4), width = 8), "  ", describe_candidate(row), ": ",
        sureness(row), "\n", sep = "")
  }
  cat("\n")
  NextMethod()
}

# The best candidate of each other scaling, family of kernels and kind of domain kernel.
best_others <- function(table) {
  kinds <- list(scale = table$scale, kernel = sub(" \\(.*", "", table$kernel),
                domain_kernel = sub(" \\(.*", "", table$domain_kernel))
  rows <- unlist(lapply(kinds, function(kind) which(kind != kind[1L] & !duplicated(kind))))
  table[sort(unique(rows)), ]
}

describe_candidate <- function(row) {
  paste0("scale ", row$scale, ", ", row$kernel, ", ", row$domain_kernel)
}

sureness <- function(row) {
  if (is.na(row$difference_se)) return("no standard error")
  if (abs(row$difference) > 2 * row$difference_se) return("clearly worse")
  paste0("hardly worse (", signif(abs(row$difference), 2), ", standard error ",
         signif(row$difference_se, 2), ")")
}
