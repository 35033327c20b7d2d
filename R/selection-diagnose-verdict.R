# The sentences of dg_diagnose().

# Relative to the mean score of pooling: a smaller gain does not matter.
gain_that_matters <- 0.01

# The result of a comparison: "gain"; "some", a gain of uncertain size; "none", if a gain that
# matters is excluded and all rows were used; "unknown".
gain_state <- function(x, name, pooled) {
  row <- x[[name]]
  matters <- gain_that_matters * abs(mean(pooled, na.rm = TRUE))
  if (isTRUE(row$p <= 0.05)) {
    return(if (isTRUE(row$lower > 0)) "gain" else if (isTRUE(row$difference > 0)) "some"
           else "unknown")
  }
  # scores that are equal in every domain, as can be with few classes, exclude nothing
  excluded <- isTRUE(row$upper < matters && row$lower < row$upper)
  if (excluded && x$rows == x$available) "none" else "unknown"
}

diagnose_verdict <- function(x) {
  headroom <- gain_state(x, "headroom", x$domains$pooled_known)
  c(shift_words(x), headroom_words(x, headroom), gain_words(x, headroom))
}

same_predictors <- function(x) x$shift$variance <= no_variance

shift_words <- function(x) {
  if (same_predictors(x)) return("All domains have the same predictors.")
  if (x$shift$p >= 0.05) return("No shift of the predictors between domains is detected.")
  "Predictors differ between domains."
}

headroom_words <- function(x, headroom) {
  if (all(is.na(x$domains$known))) {
    return(paste0("Not tested: no domain has two ", if (is.null(x$units)) "rows." else "units."))
  }
  score <- x$metric$title
  switch(headroom,
    gain = paste0("The relation to the response varies by domain: if the domain is known, ", score,
                  " improves by ", signif(x$headroom$difference, 2), "."),
    some = paste0("The relation to the response varies by domain, but how much that matters is ",
                  "uncertain: the interval includes 0."),
    none = paste0("If the relation to the response varies by domain, it matters little: if the ",
                  "domain is known, ", score, " improves by ", bound_words(x$headroom), "."),
    unknown = inconclusive_words(x, x$headroom))
}

gain_words <- function(x, headroom) {
  varies <- headroom %in% c("gain", "some")
  labels <- if (varies) " A few labels of a new domain would help: dg_adapt()."
  if (same_predictors(x)) {
    return(paste0("Not tested: unlabelled rows do not distinguish the domains.", labels))
  }
  switch(gain_state(x, "gain", x$domains$pooled_new),
    gain = "Unlabelled rows help: use domain_distribution().",
    some = paste0("Unlabelled rows help, but how much is uncertain: the interval includes 0. ",
                  "dg_compare() or more domains will show."),
    none = paste0(if (varies) "Unlabelled rows do not help" else "Pooling is enough",
                  ": with them ", x$metric$title, " improves by ", bound_words(x$gain), ".",
                  labels),
    unknown = paste0(inconclusive_words(x, x$gain), labels))
}

bound_words <- function(row) {
  if (row$upper <= 0) "nothing" else paste("at most", signif(row$upper, 2))
}

inconclusive_words <- function(x, row) {
  why <- if (isTRUE(row$lower == 0 && row$upper == 0)) {
    paste0("both models have the same ", x$metric$title, " in every domain")
  } else if (isTRUE(row$detectable > 0)) {
    paste("80 % power only for gains above", signif(row$detectable, 2))
  }
  some <- if (x$rows < x$available) paste(x$rows, "of", x$available, "rows used")
  paste0("Inconclusive", if (length(c(why, some))) ": ", paste(c(why, some), collapse = "; "), ".")
}
