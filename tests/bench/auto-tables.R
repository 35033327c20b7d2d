# The tables of auto.R from lines of its results: scores, ranks, times, and differences between
# dg_auto() and others in standard errors over test domains.

by_method <- function(rows, column, sets, methods) {
  table <- tapply(rows[[column]], list(factor(rows$set, sets), factor(rows$method, methods)), mean)
  table[rowSums(!is.na(table)) > 0, , drop = FALSE]
}

# 1 for scores of which less is better.
sign_of <- function(metric) ifelse(metric == "rmse", 1, -1)

# Ranks of columns in each row; what is missing has none.
ranks_of <- function(losses) {
  ranks <- t(apply(losses, 1L, rank, na.last = "keep"))
  dimnames(ranks) <- dimnames(losses)
  ranks
}

# Each peer in the form, x alone or beside something, that its own folds prefer.
choose_forms <- function(rows) {
  family <- sub("_(both|means)$", "", rows$method)
  loss <- rows$inner * sign_of(rows$metric)
  groups <- split(seq_len(nrow(rows)), list(rows$set, rows$split, family), drop = TRUE)
  best <- vapply(groups, function(i) {
    if (length(i) == 1L || all(is.na(loss[i]))) i[1L] else i[which.min(loss[i])]
  }, 1L)
  rows <- rows[best, ]
  rows$method <- family[best]
  rows
}

# Scores of the domains, in the mean over the splits that have tested them.
domain_scores <- function(rows) {
  parts <- strsplit(unlist(strsplit(rows$domains, " ", fixed = TRUE)), "=", fixed = TRUE)
  scores <- suppressWarnings(as.numeric(vapply(parts, `[`, "", 2L)))
  tapply(scores, vapply(parts, `[`, "", 1L), mean, na.rm = TRUE)
}

# How much worse the first method is than the second in this set: list(mean, se over domains).
worse_by <- function(rows, first, second) {
  both <- intersect(rows$split[rows$method == first], rows$split[rows$method == second])
  if (length(both) == 0L) return(c(mean = NA, se = NA))
  rows <- rows[rows$split %in% both, ]
  difference <- domain_scores(rows[rows$method == first, ]) -
    domain_scores(rows[rows$method == second, ])
  difference <- difference[!is.na(difference)] * sign_of(rows$metric[1L])
  c(mean = mean(difference), se = stats::sd(difference) / sqrt(length(difference)))
}

# In units of what the null model gets wrong.
against <- function(rows, ours, other) {
  worse <- worse_by(rows, ours, other)
  null <- mean(rows$score[rows$method == "null"])
  unit <- if (rows$metric[1L] == "rmse") null else 1 - null
  data.frame(difference = worse[["mean"]] / unit, errors = worse[["mean"]] / worse[["se"]])
}

# dg_auto() beside the null model and the peer that is best on the same test domains.
print_differences <- function(rows, sets, ours = "dg_auto") {
  table <- do.call(rbind, lapply(intersect(sets, rows$set[rows$method == ours]), function(set) {
    part <- rows[rows$set == set, ]
    part <- part[part$split %in% part$split[part$method == ours], ]
    peers <- part[!part$method %in% c(ours, "null"), ]
    if (nrow(peers) == 0L) return(NULL)
    means <- tapply(peers$score * sign_of(peers$metric), peers$method, mean)
    best <- names(which.min(means))
    data.frame(set = set, null = against(part, ours, "null"), best = best,
               peer = against(part, ours, best))
  }))
  cat("\n", ours, " less another, in units of the null model's error (less than 0: ", ours,
      " is better)\nand in standard errors over test domains\n", sep = "")
  print(table, digits = 2, row.names = FALSE)
}

print_ranks <- function(rows, sets, title) {
  methods <- unique(rows$method)
  metric <- rows$metric[match(sets, rows$set)]
  for (null in c(TRUE, FALSE)) {
    shown <- if (null) methods else setdiff(methods, "null")
    scores <- by_method(rows, "score", sets, shown)
    ranks <- ranks_of(scores * sign_of(metric[match(rownames(scores), sets)]))
    cat("\n", title, if (!null) ", without the null model", "\n", sep = "")
    means <- colMeans(ranks, na.rm = TRUE)
    print(round(rbind(if (null) ranks, mean = means)[, order(means), drop = FALSE], 2))
  }
}

# Lines of the sets and splits that all methods have, lme4 where the response is a number.
shared_lines <- function(rows) {
  methods <- unique(rows$method)
  number <- rows$metric == "rmse"
  wanted <- ifelse(number, length(methods), sum(!startsWith(methods, "lme4")))
  rows[stats::ave(wanted, rows$set, rows$split, FUN = length) == wanted, ]
}

of_one_task <- function(rows) {
  tasks <- tapply(rows$task, paste(rows$set, rows$split), function(x) length(unique(x)))
  if (any(tasks > 1L)) stop("results of different tasks: ", names(tasks)[tasks > 1L][1L])
}

print_tables <- function(rows, sets, variants) {
  of_one_task(rows)
  options(width = 150L)
  rows <- shared_lines(rows)
  if (nrow(rows) == 0L) return(cat("\nNo split has all methods\n"))
  sets <- intersect(sets, rows$set)
  methods <- unique(rows$method)
  metric <- rows$metric[match(sets, rows$set)]
  cat("\nScore on unseen domains (RMSE: less is better)\n")
  print(data.frame(metric, signif(by_method(rows, "score", sets, methods), 4),
                   check.names = FALSE))
  print_ranks(rows, setdiff(sets, variants), "Rank among all rows")
  print_ranks(choose_forms(rows), setdiff(sets, variants),
              "Rank where each peer chooses its form by its own folds")
  for (column in c("elapsed", "processor")) {
    seconds <- by_method(rows, column, sets, methods)
    cat("\nSeconds a split,", column, "\n")
    print(round(rbind(seconds, sum = colSums(seconds, na.rm = TRUE)), 1))
  }
  if ("dg_auto" %in% methods) print_differences(rows, sets)
}
