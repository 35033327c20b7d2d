# What dg_diagnose() says in words.

# Of the mean score of pooling: a smaller gain matters to nobody.
gain_that_matters <- 0.01

# What a comparison has found: "gain"; "some", a gain of uncertain size; "none", where a gain that
# matters is excluded and no more rows could tell; "unknown".
gain_state <- function(x, name, pooled) {
  row <- x[[name]]
  matters <- gain_that_matters * abs(mean(pooled, na.rm = TRUE))
  if (isTRUE(row$p <= 0.05)) {
    return(if (isTRUE(row$lower > 0)) "gain" else if (isTRUE(row$difference > 0)) "some"
           else "unknown")
  }
  # scores that are the same in every domain, as of few classes, exclude nothing
  excluded <- isTRUE(row$upper < matters && row$lower < row$upper)
  if (excluded && x$rows == x$available) "none" else "unknown"
}

diagnose_verdict <- function(x) {
  headroom <- gain_state(x, "headroom", x$domains$pooled_known)
  c(shift_words(x), headroom_words(x, headroom), gain_words(x, headroom))
}

same_predictors <- function(x) x$shift$variance <= 1e-12

shift_words <- function(x) {
  if (same_predictors(x)) return("All domains have the same predictors.")
  if (x$shift$p >= 0.05) return("No shift of the predictors between domains can be seen.")
  paste0("The predictors' distributions differ between domains (", signif(x$shift$ratio, 2),
         " times what chance gives, ", p_words(x$shift$p), ").")
}

headroom_words <- function(x, headroom) {
  if (all(is.na(x$domains$known))) {
    return(paste0("Whether their relation to the response moves cannot be asked: no domain has ",
                  "two ", if (is.null(x$units)) "rows." else "units."))
  }
  gains <- paste0(signif(x$headroom$difference, 2), " of ", x$metric$title, " in known domains")
  switch(headroom,
    gain = paste0("Their relation to the response moves: told the domain, a machine gains ", gains,
                  "."),
    some = paste0("Their relation to the response moves (", p_words(x$headroom$p),
                  "), but how much ",
                  "that matters cannot be told: a machine that knows the domain gains ", gains,
                  " (", interval_words(x$headroom), ")."),
    none = paste0("Whether or not their relation to the response moves, it matters little: told ",
                  "the domain, a machine gains ", bound_words(x$headroom), " in known domains."),
    unknown = paste0("Whether their relation to the response moves cannot be told",
                     seen_words(x, x$headroom), "."))
}

gain_words <- function(x, headroom) {
  moves <- headroom %in% c("gain", "some")
  labels <- if (moves) " A few labels of a new domain would help (dg_adapt())."
  if (same_predictors(x)) {
    return(paste0("Nothing unlabelled can tell them apart.", labels))
  }
  gains <- paste0("on unseen domains the distributional machine gains ",
                  signif(x$gain$difference, 2))
  switch(gain_state(x, "gain", x$domains$pooled_unseen),
    gain = paste0(if (moves) "Unlabelled rows tell how" else "Unlabelled rows help", ": ", gains,
                  ". Use domain_distribution()."),
    some = paste0("Unlabelled rows tell something of it (", p_words(x$gain$p), "), but how much ",
                  "that helps cannot be told: ", gains, " (", interval_words(x$gain),
                  "). dg_compare() or more domains will show."),
    none = paste0(if (moves) "What unlabelled rows tell of it cannot be learned from these domains"
                  else "Pooling is enough",
                  ": on unseen domains the distributional machine gains ",
                  bound_words(x$gain), ".", labels),
    unknown = paste0("Cannot tell whether unlabelled rows help", seen_words(x, x$gain), ".",
                     labels))
}

interval_words <- function(row) {
  paste0("approximate 95 % interval ", signif(row$lower, 2), " to ", signif(row$upper, 2))
}

bound_words <- function(row) {
  if (row$upper <= 0) "nothing" else paste("at most", signif(row$upper, 2))
}

seen_words <- function(x, row) {
  paste0(
    if (isTRUE(row$lower == 0 && row$upper == 0)) {
      paste0(": both machines have the same ", x$metric$title, " in every domain")
    },
    if (isTRUE(row$detectable > 0)) {
      paste0(": of gains in ", x$metric$title, " only those above ", signif(row$detectable, 2),
             " would be seen four times out of five")
    },
    if (x$rows < x$available) paste0(", on ", x$rows, " of ", x$available, " rows"))
}
