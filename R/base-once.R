# Equal warnings and messages of many fits are given once.

# The value of an expression. Our warnings are given at its end, each once with its count; of equal
# messages only the first.
reported_once <- function(code) {
  heard <- list()
  reported <- character()
  on.exit(warn_again(heard))
  withCallingHandlers(code, domgen_warning = function(w) {
    heard[[length(heard) + 1L]] <<- w
    invokeRestart("muffleWarning")
  }, domgen_message = function(m) {
    if (conditionMessage(m) %in% reported) invokeRestart("muffleMessage")
    reported <<- c(reported, conditionMessage(m))
  })
}

warn_again <- function(heard) {
  kinds <- vapply(heard, function(w) class(w)[1L], "")
  for (kind in unique(kinds)) {
    alike <- heard[kinds == kind]
    counts <- alike_together(table(vapply(alike, conditionMessage, "")))
    for (note in names(counts)) {
      warning(structure(class = class(alike[[1L]]), list(
        message = paste0(note, if (counts[[note]] > 1L) paste0(" (", counts[[note]], " times)")),
        call = NULL)))
    }
  }
}

# Notes that only differ in the one name, or list of names, that they quote, or in measured values
# (numbers with a decimal point), become one note with all names and the range of each value; counts
# by note. Whole numbers may identify columns or domains, so notes with different ones stay
# separate.
alike_together <- function(warnings) {
  notes <- names(warnings)
  quoted <- regmatches(notes, gregexpr(quoted_names, notes))
  bare <- ifelse(lengths(quoted) == 1L, sub(quoted_names, "\"\"", notes), notes)
  alike <- ifelse(lengths(quoted) < 2L, gsub(measured_value, "<value>", bare, perl = TRUE), notes)
  together <- split(seq_along(notes), factor(alike, unique(alike)))
  counts <- vapply(together, function(i) sum(warnings[i]), 0)
  names(counts) <- vapply(together, function(i) {
    if (length(i) == 1L) return(notes[i])
    lists <- unlist(quoted[i])
    names <- unique(unlist(regmatches(lists, gregexpr("\"[^\"]*\"", lists))))
    names <- enumerate(names, quote = "")
    # of lists that were cut off it is not known how many
    if (any(endsWith(lists, "more"))) {
      names <- paste(sub(" and [0-9]+ more$", "", names), "and more")
    }
    sub("\"\"", names, with_ranges(bare[i]), fixed = TRUE)
  }, "")
  counts
}

quoted_names <- "\"[^\"]*\"(, \"[^\"]*\")*( and [0-9]+ more)?"

measured_value <- "(?<![[:alnum:]_.])-?[0-9]+\\.[0-9]+(e[-+]?[0-9]+)?(?![[:alnum:]_])"

# The first of the similar notes, with the range of each value that differs.
with_ranges <- function(notes) {
  at <- gregexpr(measured_value, notes, perl = TRUE)
  if (at[[1L]][1L] < 0L) return(notes[1L])
  values <- do.call(cbind, regmatches(notes, at))
  regmatches(notes[1L], at[1L]) <- list(apply(values, 1L, function(v) {
    v <- unique(v[order(as.numeric(v))])
    paste(unique(v[c(1L, length(v))]), collapse = " to ")
  }))
  notes[1L]
}
