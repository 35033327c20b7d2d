# What the choice of dg_auto() is worth on a new domain.

# Scores by domain of the members that the other domains choose: each group of domains that is left
# out is scored by a choice without its scores. The fitted values are those of the search.
cross_fitted <- function(search, most) {
  scores <- rep(NA_real_, nlevels(search$judged))
  group <- as.integer(search$left_out)[match(levels(search$judged), search$judged)]
  for (b in unique(group)) {
    chosen <- tryCatch(choose_members(search, most, group != b), domgen_error = function(e) NULL)
    if (!is.null(chosen)) scores[group == b] <- chosen$scores[group == b]
  }
  scores
}
