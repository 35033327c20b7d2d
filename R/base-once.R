# What many fits warn of alike is said once.

# The value of an expression. Its warnings of the package come when it ends, each once, with the
# number of times behind it.
warned_once <- function(code) {
  heard <- list()
  on.exit(warn_again(heard))
  withCallingHandlers(code, domgen_warning = function(w) {
    heard[[length(heard) + 1L]] <<- w
    invokeRestart("muffleWarning")
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

# Notes that differ by the one name that they quote become one note with all of the names; counts
# by note.
alike_together <- function(warnings) {
  notes <- names(warnings)
  quoted <- regmatches(notes, gregexpr("\"[^\"]*\"", notes))
  alike <- ifelse(lengths(quoted) == 1L, gsub("\"[^\"]*\"", "\"\"", notes), notes)
  together <- split(seq_along(notes), factor(alike, unique(alike)))
  counts <- vapply(together, function(i) sum(warnings[i]), 0)
  names(counts) <- vapply(together, function(i) {
    if (length(i) == 1L) return(notes[i])
    parts <- strsplit(notes[i[1L]], quoted[[i[1L]]], fixed = TRUE)[[1L]]
    paste0(parts[1L], enumerate(unlist(quoted[i]), quote = ""), paste(parts[-1L], collapse = ""))
  }, "")
  counts
}
