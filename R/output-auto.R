# The print of dg_auto().

#' @exportS3Method
describe_result.dg_auto <- function(x) from_whole(x, describe_auto(x), "x")

describe_auto <- function(x) {
  choice <- x$choice
  table <- choice$table
  title <- choice$metric$title
  members <- which(table$member %in% TRUE)
  others <- if (!choice$few) best_others(table)
  structure <- x$blueprint$structure
  new <- if (is.null(structure)) "domain" else left_out_factor(structure, levels(x$domain))
  crossed <- other_factors(structure, levels(x$domain))
  # of several members the first row is their weighted mean
  whole <- if (length(members) > 1L && !choice$few) 1L
  words <- replace(describe_candidates(table), 1L,
                   "the ensemble: weighted mean of its members, selected on other domains")
  chosen <- replace(ifelse(table$member %in% TRUE, "yes", "no"), 1L, "")
  chosen[others] <- ifelse(clearly_worse(choice, others), "no *", "no")
  new_result(
    paste0(method_of(x$spec)$title, describe_formula(x)), table,
    c(list(column("mean", title, tidy = "estimate",
                  report = paste(title, "on held-out", if (choice$few) "rows" else "domains"))),
      show_rule(choice$rule),
      list(column("weight", format = as_decimals(2), at = table$member %in% TRUE),
           column("chosen", values = chosen),
           column("candidate", values = words))),
    facts = c(
      paste0(plural(nobs(x), "row"), ", ", plural(count_predictors(x$blueprint), "predictor"), ", ",
             plural(nlevels(x$domain), "domain")), auto_facts(choice, new)
    ),
    shown = c(whole, members, others), unit = "candidate",
    where = if (!choice$few) "`$choice$table`", of = nrow(table) - is.null(whole),
    notes = c(auto_notes(choice, members, have_weights(x$weights)), if (any(chosen == "no *")) {
      "* worse than the ensemble: one-sided paired t test, 5 % for all rows together (Bonferroni)."
    }, if (length(crossed)) {
      paste0("Held-out domains have new levels of ", new, ", which is crossed with ",
             enumerate(crossed, quote = ""), ": scores are likely to be worse where these are new ",
             "too.")
    }),
    after = function() cat_facts(outcome_facts(x))
  )
}

# new: what is new in a new domain.
auto_facts <- function(choice, new) {
  if (choice$few) return(time_limit_words(choice$time_limit))
  expected <- choice$expected
  c(paste0(plural(nrow(choice$table) - 1L, "candidate"), " tried in ", rounded(choice$seconds, 2),
           " s", if (length(choice$kernels)) {
             paste0("; least squares selected their kernels from ", choice$kernels)
           }),
    time_limit_words(choice$time_limit), if (!is.na(expected$mean)) {
      paste0(choice$metric$title, " expected on a new ", new, ": ", rounded(expected$mean, 4),
             mean_words(c(expected$lower, expected$upper)), "; ", rounded(expected$raw, 4),
             " before correction for the selection")
    }, if (isTRUE(expected$rows > choice$rows)) {
      # which may make it better than every line of the table
      paste0("scored on ", plural(expected$rows, "row"), ", the candidates below on ",
             plural(choice$rows, "row"))
    }, if (!is.null(choice$scored)) paste("scored on all rows,", choice$scored$held_out))
}

# weighted: do rows differ in weight?
auto_notes <- function(choice, members, weighted = FALSE) {
  table <- choice$table
  if (choice$few) {
    return(paste0("Not selected, as there is 1 domain: the mean of ",
                  plural(length(members), "model"), "."))
  }
  c(paste0(score_label(choice$metric), " on held-out domains, ", plural(choice$rows, "row"),
           if (weighted) " without their weights", ", each candidate at its best lambda.",
           if (!is.null(choice$selected_by)) {
             paste0(" Selected by the ", choice$selected_by, ".")
           }, if (rule_column(choice$rule) != "mean") {
             paste0(" Selected by the ", rule_words(choice$rule), ".")
           }),
    if (!is.na(choice$expected$se)) paste0("The interval is for ", scope_words("new"), "."),
    if (length(null_words(choice))) paste0(capital(null_words(choice)), "."),
    if (length(best_others(table))) {
      paste("Candidates that were not chosen share scaling and kernel with a member or are not",
            "better by more than one standard error.")
    },
    if (identical(describe_candidates(table[members, ]), null_title)) {
      if (is.na(choice$expected$mean)) {
        "Too few domains have a score to compare candidates: the null model stands."
      } else {
        paste0("No ensemble that was selected on other domains is better than the null model",
               if (nrow(choice$scores) >= domains_for_null) {
                 " by more than one standard error of the difference"
               }, ".")
      }
    })
}

# With few domains the choice is by scores before the correction. These may be better than the null
# model's where the expected score is not; so may the score that selects.
null_words <- function(choice) {
  null <- which(choice$table$kernel == null_title)
  if (length(null) == 0L || isTRUE(choice$table$member[null])) return(character())
  gain <- losses(choice$table$mean[null] - choice$expected$mean, choice$metric$better)
  if (!isTRUE(gain <= 0)) return(character())
  paste0("expected to be no better than the null model",
         if (!is.null(choice$selected_by)) paste0(" by the ", choice$metric$title)
         else ": it is better only before correction",
         if (nrow(choice$scores) < domains_for_null) {
           ", and there are too few domains to decide"
         })
}

time_limit_words <- function(limit) {
  if (isTRUE(limit$reached)) {
    paste0("time limit of ", format(limit$seconds), " s reached before all candidates were tried")
  }
}

# The best candidate of another scaling, kernel, or kind of domain kernel than the members', and the
# plain Gaussian kernel, all on the same rows.
best_others <- function(table) {
  at <- which(table$member %in% FALSE & table$rows == table$rows[1L])
  members <- which(table$member %in% TRUE)
  family <- function(words) sub(" \\(.*", "", words)
  kinds <- list(table$scale, family(table$kernel), family(table$domain_kernel))
  new <- lapply(kinds, function(kind) {
    other <- at[!kind[at] %in% kind[members]]
    other[!duplicated(kind[other])]
  })
  is_plain <- describe_candidates(table) == candidate(dg_ridge(domain_kernel = domain_pooled(),
                                                               kernel = kernel_rbf()))$key
  sort(unique(c(unlist(new), at[is_plain[at]])))
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
