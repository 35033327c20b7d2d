# What dg_auto() says of its choice.

#' @export
print.dg_auto <- function(x, digits = NULL, ...) {
  at_digits(digits, from_whole(x, describe_auto(x), "x"))
  invisible(x)
}

describe_auto <- function(x) {
  choice <- x$choice
  cat_line(x$spec$parts$title, describe_formula(x))
  cat_line("  ", plural(nobs(x), "row"), ", ", plural(count_predictors(x$blueprint), "predictor"),
           ", ", plural(nlevels(x$domain), "domain"))
  describe_response(x$response)
  if (choice$few) describe_unchosen(choice) else describe_choice(choice)
  describe_calibration(x$calibration)
}

describe_unchosen <- function(choice) {
  members <- which(choice$table$member %in% TRUE)
  cat_line("  1 domain cannot choose: the mean of ", length(members), " machines")
  describe_budget(choice$budget)
  cat_line("  ", describe_candidates(choice$table[members, ]))
}

describe_choice <- function(choice) {
  table <- choice$table
  title <- choice$metric$title
  members <- which(table$member %in% TRUE)
  cat_line("  ", plural(nrow(table) - 1L, "candidate"), " tried in ", rounded(choice$seconds, 2),
           " s")
  describe_budget(choice$budget)
  describe_expected(choice$expected, title)
  cat_line(paste0("  ", null_words(choice), recycle0 = TRUE))
  if (!is.null(choice$scored)) {
    cat_line("  scored on all rows, ", choice$scored$held)
  }
  cat_line("\n", title, " on left-out domains (", plural(choice$rows, "row"),
           "), each at its best lambda", if (length(members) > 1L) ", and its weight")
  scores <- format(rounded(table$mean, 4))
  lines <- paste0(scores, "  ", describe_candidates(table))
  hang <- nchar(scores[1L]) + 4L
  if (length(members) > 1L) {
    cat_line("  ", scores[1L], "        the weighted mean of these, as other domains choose it")
    cat_line("  ", scores[members], "  ", format(round(table$weight[members], 2), nsmall = 2L),
             "  ", describe_candidates(table[members, ]), hang = hang + 6L)
  } else {
    cat_line("  ", lines[members], hang = hang)
  }
  others <- best_others(table)
  unlike <- ifelse(clearly_worse(choice, others), "clearly worse: ", "")
  if (length(others)) cat_line("not chosen (of a member's kind, or not clearly better)")
  if (length(others)) cat_line("  ", unlike, lines[others], hang = hang)
  if (identical(describe_candidates(table[members, ]), "null model")) {
    cat_line("None is better than the null model", if (nrow(choice$scores) >= domains_for_null) {
      " by more than the standard error of the difference"
    }, ", as other domains choose them")
  }
}

describe_budget <- function(budget) cat_line(paste0("  ", budget_words(budget), recycle0 = TRUE))

budget_words <- function(budget) {
  if (isTRUE(budget$spent)) {
    paste0("the time budget of ", format(budget$seconds), " s was spent before all were tried")
  }
}

describe_expected <- function(expected, title) {
  if (is.na(expected$mean)) return(invisible())
  cat_line("  ", title, " expected on a new domain: ", rounded(expected$mean, 4),
           mean_words(c(expected$lower, expected$upper)), "; ", rounded(expected$raw, 4),
           " before correction for the choice")
  if (!is.na(expected$se)) cat_line("  the interval is ", same_domains)
}

# Few domains choose by scores before the correction, which may be better than the null model's
# where the score to expect is not.
null_words <- function(choice) {
  null <- which(choice$table$kernel == "null model")
  if (length(null) == 0L || isTRUE(choice$table$member[null])) return(character())
  gain <- losses(choice$table$mean[null] - choice$expected$mean, choice$metric$better)
  if (isTRUE(gain <= 0)) {
    paste("expected to be no better than the null model: before the correction it is, and domains",
          "are too few to say")
  }
}

# The best candidate of another scaling, kernel, or kind of domain kernel than the members', and the
# plain Gaussian kernel, all on the same rows.
best_others <- function(table) {
  rows <- which(table$member %in% FALSE & table$rows == table$rows[1L])
  members <- which(table$member %in% TRUE)
  family <- function(words) sub(" \\(.*", "", words)
  kinds <- list(table$scale, family(table$kernel), family(table$domain_kernel))
  new <- lapply(kinds, function(kind) {
    other <- rows[!kind[rows] %in% kind[members]]
    other[!duplicated(kind[other])]
  })
  plain <- rows[lines_of_plain(table[rows, ])]
  sort(unique(c(unlist(new), plain)))
}

lines_of_plain <- function(table) {
  plain <- candidate()
  table$scale == plain$scale & table$kernel == kernel_words(plain) & table$domain_kernel == "pooled"
}

describe_candidates <- function(table) {
  pooled <- table$domain_kernel == "pooled"
  ifelse(!grepl("kernel", table$kernel), ifelse(table$kernel == "null model", table$kernel,
                                                paste0(table$kernel, ", scale ", table$scale)),
         paste0("scale ", table$scale, ", ", table$kernel, ifelse(pooled, "", ", "),
                ifelse(pooled, "", table$domain_kernel)))
}

# Which of these lines of the table, at 5 % for all of them together (Bonferroni), by the standard
# error of dg_compare(refits = FALSE).
clearly_worse <- function(choice, lines) {
  share <- 1 - 1 / min(most_left_out, nrow(choice$scores))
  vapply(lines, function(line) {
    loss <- losses(choice$scores[, line] - choice$scores[, 1L], choice$metric$better)
    error <- mean_error(loss, share = share)
    !is.na(error$se) &&
      mean(loss, na.rm = TRUE) > stats::qt(1 - 0.05 / length(lines), error$df) * error$se
  }, NA)
}
