# Reads the value of a user's `predict` as decision values, see learner-engine.R.

# list(values [n x m], probabilities: TRUE or FALSE), or an error that names the expected value.
read_prediction <- function(value, n, response, title) {
  expected <- expected_prediction(n, response)
  refuse <- function(...) {
    abort("learner", title, ": `predict` must return ", expected, ", not ", ..., ".")
  }
  if (is_other_class(value, response$levels)) refuse("1 column called ", enumerate(colnames(value)))
  value <- single_column(value)
  if (length(dim(value)) == 1L) value <- as.vector(value)
  if (response$kind != "class") {
    return(list(values = read_number_values(value, n, refuse), probabilities = FALSE))
  }
  levels <- response$levels
  if (length(dim(value)) == 2L) {
    P <- read_class_columns(value, n, levels, refuse)
    values <- if (length(levels) == 2L) matrix(2 * P[, 2L] - 1) else P
    return(list(values = values, probabilities = TRUE))
  }
  if (is.numeric(value) && !is.factor(value) && length(levels) == 2L) {
    p <- read_number_values(value, n, refuse)
    if (any(p < 0 | p > 1)) refuse("numbers from ", format(min(p)), " to ", format(max(p)))
    return(list(values = 2 * p - 1, probabilities = TRUE))
  }
  code <- read_class_codes(value, n, levels, refuse)
  values <- if (length(levels) == 2L) matrix(2 * code - 3) else {
    outer(code, stats::setNames(seq_along(levels), levels), "==") + 0
  }
  list(values = values, probabilities = FALSE)
}

# The column of one class, which is not that of the second: what knows one class alone gives it.
is_other_class <- function(value, levels) {
  length(dim(value)) == 2L && ncol(value) == 1L &&
    isTRUE(colnames(value) %in% setdiff(levels, levels[2L]))
}

expected_prediction <- function(n, response) {
  if (response$kind != "class") return(paste("a vector of", plural(n, "finite number")))
  levels <- response$levels
  paste0("for each of ", plural(n, "row"), " a class (", enumerate(levels, quote = "\""), "), ",
         if (length(levels) == 2L) paste0("the probability of \"", levels[2L], "\", "),
         "or a matrix of probabilities with a column for each class")
}

read_number_values <- function(value, n, refuse) {
  if (!is.numeric(value) || is.factor(value) || !is.null(dim(value)) || length(value) != n) {
    refuse(if (is.numeric(value) && length(value) == 1L) "one value: ", describe(value))
  }
  bad <- !is.finite(value)
  if (any(bad)) refuse(format(value[bad][1L]), " in ", plural(sum(bad), "row"))
  matrix(as.numeric(value), n)
}

read_class_codes <- function(value, n, levels, refuse) {
  plain <- is.factor(value) || is.character(value) || is.logical(value)
  if (!plain || length(value) != n) refuse(describe(value))
  code <- match(as.character(value), levels)
  if (anyNA(code)) {
    other <- unique(as.character(value)[is.na(code)])
    refuse(if (anyNA(other)) paste("NA in", plural(sum(is.na(value)), "row"))
           else enumerate(other, quote = "\""))
  }
  code
}

# [n x classes], in the order of the levels; rows sum to 1.
read_class_columns <- function(value, n, levels, refuse) {
  P <- as.matrix(value)
  if (!is.numeric(P) || nrow(P) != n) refuse(describe(value))
  if (!setequal(colnames(P), levels) || ncol(P) != length(levels)) {
    refuse(plural(ncol(P), "column"),
           if (is.null(colnames(P))) " without names" else paste(" called", enumerate(colnames(P))))
  }
  P <- matrix(as.numeric(at_labels(P, levels)), n, dimnames = list(NULL, levels))
  sums <- rowSums(P)
  if (any(!is.finite(sums))) refuse(format(P[!is.finite(P)][1L]), " in ",
                                    plural(sum(!is.finite(sums)), "row"))
  # what is printed in single precision sums to 1 in single precision
  if (min(P) < -1e-6 || max(P) > 1 + 1e-6) {
    refuse("numbers from ", format(min(P)), " to ", format(max(P)))
  }
  off <- abs(sums - 1)
  if (max(off) > 1e-4) refuse("rows that sum to ", format(sums[which.max(off)]))
  P <- pmin(pmax(P, 0), 1)
  if (max(off) > 1e-9) P / rowSums(P) else P
}

# [n x times], of the probability of no event.
read_survival <- function(value, n, times, title) {
  refuse <- function(...) {
    abort("learner", title, ": `survival` must return a matrix of probabilities with ",
          plural(n, "row"), " and a column for each of ", plural(length(times), "time"), ", not ",
          ..., ".")
  }
  if (is.numeric(value) && length(times) == 1L && is.null(dim(value))) value <- matrix(value)
  if (!is.numeric(value) || !identical(dim(value), c(n, length(times)))) refuse(describe(value))
  bad <- is.na(value) | value < -1e-9 | value > 1 + 1e-9
  if (any(bad)) refuse("with ", format(value[bad][1L]))
  pmin(pmax(unname(value), 0), 1)
}
