# Equal warnings and messages of many fits are given once.

# The value of an expression, with the first of warnings and messages of ours that have one key.
# key: function of a condition; NA: each is given.
first_of_each <- function(code, key) {
  reported <- character()
  first <- function(restart) function(condition) {
    this <- key(condition)
    if (this %in% reported) invokeRestart(restart)
    if (!is.na(this)) reported <<- c(reported, this)
  }
  withCallingHandlers(code, domgen_warning = first("muffleWarning"),
                      domgen_message = first("muffleMessage"))
}

# Warnings and messages that differ in measured values only are given once.
reported_once <- function(code) {
  first_of_each(code, function(w) gsub(measured_value, "", conditionMessage(w), perl = TRUE))
}

# Warnings and messages of one of these classes are given once for each class.
once <- function(code, classes) {
  first_of_each(code, function(w) intersect(class(w), classes)[1L])
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
