# What dg_auto() says of its choice.

#' @export
print.dg_auto <- function(x, ...) {
  choice <- x$choice
  table <- choice$table
  cat(x$spec$parts$title, describe_formula(x), "\n", sep = "")
  cat("  ", plural(nobs(x), "row"), ", ", plural(length(x$blueprint$columns), "predictor"), ", ",
      plural(nlevels(x$domain), "domain"), "\n", sep = "")
  describe_response(x$response)
  if (choice$few) describe_unchosen(choice) else describe_choice(choice)
  describe_calibration(x$calibration)
  invisible(x)
}

describe_unchosen <- function(choice) {
  members <- which(choice$table$member %in% TRUE)
  cat("  1 domain cannot choose: the mean of ", length(members), " machines\n", sep = "")
  describe_budget(choice$budget)
  cat(paste0("  ", describe_candidates(choice$table[members, ]), "\n"), sep = "")
}

describe_choice <- function(choice) {
  table <- choice$table
  title <- choice$metric$title
  members <- which(table$member %in% TRUE)
  cat("  ", plural(nrow(table) - 1L, "candidate"), " tried in ", signif(choice$seconds, 2),
      " s\n", sep = "")
  describe_budget(choice$budget)
  describe_expected(choice$expected, title)
  if (!is.null(choice$scored)) {
    cat("  scored on all rows, ", choice$scored$held, "\n", sep = "")
  }
  cat("\n", title, " on left-out domains (", plural(choice$rows, "row"),
      "), each at its best lambda", if (length(members) > 1L) ", and its weight", "\n", sep = "")
  scores <- format(signif(table$mean, 4))
  lines <- paste0(scores, "  ", describe_candidates(table))
  if (length(members) > 1L) {
    cat("  ", scores[1L], "        the weighted mean of these, as other domains choose it\n",
        sep = "")
    cat(paste0("  ", scores[members], "  ", format(round(table$weight[members], 2), nsmall = 2L),
               "  ", describe_candidates(table[members, ]), "\n"), sep = "")
  } else {
    cat(paste0("  ", lines[members], "\n"), sep = "")
  }
  others <- best_others(table)
  unlike <- ifelse(clearly_worse(choice, others), "clearly worse: ", "")
  if (length(others)) cat("not chosen\n")
  cat(paste0("  ", unlike, lines[others], rep("\n", length(others))), sep = "")
  if (identical(describe_candidates(table[members, ]), "null model")) {
    cat("None is better than the null model", if (nrow(choice$scores) >= domains_for_null) {
      " by more than the standard error of the difference"
    }, ", as other domains choose them\n", sep = "")
  }
}

describe_budget <- function(budget) {
  if (!isTRUE(budget$spent)) return(invisible())
  cat("  the time budget of ", format(budget$seconds), " s was spent before all were tried\n",
      sep = "")
}

describe_expected <- function(expected, title) {
  if (is.na(expected$mean)) return(invisible())
  cat("  ", title, " expected on a new domain: ", signif(expected$mean, 4), sep = "")
  cat(" (standard error ", if (is.na(expected$se)) "unknown" else signif(expected$se, 2), ")",
      sep = "")
  cat("; ", signif(expected$raw, 4), " as chosen\n", sep = "")
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
