# Levels of predictors that only some domains have. Where these are left out a level is new, and its
# rows have no prediction, as predict() has it; closed forms and fits that share one design have
# coded it, and would take it for the baseline.

# Numbers of the levels of each row [rows x predictors]; NULL where there are no categories, or
# where a level may be new. declared: are levels known that no row has?
level_codes <- function(frame, coding, declared) {
  if (isTRUE(declared)) return(NULL)
  variables <- predictor_frame(frame)
  variables <- variables[setdiff(names(variables), open_levels(coding))]
  codes <- lapply(variables, function(column) {
    levels <- column_levels(column)
    if (!is.null(levels)) match(as.character(column), levels)
  })
  do.call(cbind, Filter(Negate(is.null), codes))
}

# The codes of predictors with a level that some domain lacks; the others need not be kept.
partial_levels <- function(codes, domain) {
  if (is.null(codes) || is.null(domain)) return(NULL)
  domain <- droplevels(domain)
  everywhere <- apply(codes, 2L, function(code) all(table(code, domain) > 0L))
  if (!all(everywhere)) codes[, !everywhere, drop = FALSE]
}

# Has a row a level that no row of another group has? levels: partial_levels(), or NULL.
unknown_elsewhere <- function(levels, group) {
  unknown <- logical(length(group))
  if (is.null(levels)) return(unknown)
  group <- as.integer(group)
  for (j in seq_len(ncol(levels))) {
    code <- levels[, j]
    first <- group[match(code, code)]
    unknown <- unknown | !code %in% code[group != first]
  }
  unknown
}

# A note for each predictor with such a level, in the words of report_new_level().
report_unknown_levels <- function(levels, unknown, group) {
  lone <- Filter(function(name) {
    any(unknown_elsewhere(levels[, name, drop = FALSE], group) & unknown)
  }, colnames(levels))
  paste0("`", lone, "` has a level that training did not have, that of no other domain")
}

# notes: those of report_unknown_levels().
warn_unpredicted <- function(n, domains, notes) {
  one <- length(domains) == 1L
  warn("new_level", plural(n, "row"), " of the ",
       if (one) "domain " else "domains ", enumerate(domains, quote = "\""), " cannot be ",
       "predicted, so that ", if (one) "it has" else "they have", " no score",
       if (length(notes)) paste0(": ", paste(sub("[.]$", "", notes), collapse = "; ")), ".")
}
