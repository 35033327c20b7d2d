# Equal warnings and messages of many fits are given once.

# The value of an expression, with the first of warnings and messages of ours that are alike but for
# measured values.
reported_once <- function(code) {
  reported <- character()
  first <- function(restart) function(condition) {
    text <- gsub(measured_value, "", conditionMessage(condition), perl = TRUE)
    if (text %in% reported) invokeRestart(restart)
    reported <<- c(reported, text)
  }
  withCallingHandlers(code, domgen_warning = first("muffleWarning"),
                      domgen_message = first("muffleMessage"))
}

# Counts by note; of notes that only differ in names that they quote, or in measured values, the
# first stands for all.
alike_together <- function(counts) {
  notes <- names(counts)
  alike <- gsub(paste0(quoted_names, "|", measured_value), "", notes, perl = TRUE)
  together <- split(seq_along(notes), factor(alike, unique(alike)))
  summed <- vapply(together, function(i) sum(counts[i]), 0)
  names(summed) <- vapply(together, function(i) paste0(notes[i[1L]], if (length(i) > 1L) {
    paste0(" (and ", length(i) - 1L, " with other names or values)")
  }), "")
  summed
}

quoted_names <- "\"[^\"]*\"(, \"[^\"]*\")*( and [0-9]+ more)?"

# A number with a decimal point. Whole numbers may identify columns or domains.
measured_value <- "(?<![[:alnum:]_.])-?[0-9]+\\.[0-9]+(e[-+]?[0-9]+)?(?![[:alnum:]_])"
