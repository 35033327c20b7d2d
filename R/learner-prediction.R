# What a function that predicts may give, and what it is as decision values (see learner-engine.R).

# list(values [n x m], probabilities: TRUE or FALSE), or an error that says what was expected.
read_prediction <- function(found, n, response, title) {
  expected <- expected_prediction(n, response)
  refuse <- function(...) {
    abort("learner", title, ": `predict` must return ", expected, ", not ", ..., ".")
  }
  if (is_other_class(found, response$levels)) refuse("1 column called ", enumerate(colnames(found)))
  found <- single_column(found)
  if (length(dim(found)) == 1L) found <- as.vector(found)
  if (response$kind != "class") {
    return(list(values = read_number_values(found, n, refuse), probabilities = FALSE))
  }
  levels <- response$levels
  if (length(dim(found)) == 2L) {
    P <- read_class_columns(found, n, levels, refuse)
    values <- if (length(levels) == 2L) matrix(2 * P[, 2L] - 1) else P
    return(list(values = values, probabilities = TRUE))
  }
  if (is.numeric(found) && !is.factor(found) && length(levels) == 2L) {
    p <- read_number_values(found, n, refuse)
    if (any(p < 0 | p > 1)) refuse("numbers from ", format(min(p)), " to ", format(max(p)))
    return(list(values = 2 * p - 1, probabilities = TRUE))
  }
  code <- read_class_codes(found, n, levels, refuse)
  values <- if (length(levels) == 2L) matrix(2 * code - 3) else {
    outer(code, stats::setNames(seq_along(levels), levels), "==") + 0
  }
  list(values = values, probabilities = FALSE)
}

# The column of one class, which is not that of the second: what knows one class alone gives it.
is_other_class <- function(found, levels) {
  length(dim(found)) == 2L && ncol(found) == 1L &&
    isTRUE(colnames(found) %in% setdiff(levels, levels[2L]))
}

expected_prediction <- function(n, response) {
  if (response$kind != "class") return(paste("a vector of", plural(n, "finite number")))
  levels <- response$levels
  paste0("for each of ", plural(n, "row"), " a class (", enumerate(levels, quote = "\""), "), ",
         if (length(levels) == 2L) paste0("the probability of \"", levels[2L], "\", "),
         "or a matrix of probabilities with a column for each class")
}

read_number_values <- function(found, n, refuse) {
  if (!is.numeric(found) || is.factor(found) || !is.null(dim(found)) || length(found) != n) {
    refuse(if (is.numeric(found) && length(found) == 1L) "one value: ", describe(found))
  }
  bad <- !is.finite(found)
  if (any(bad)) refuse(format(found[bad][1L]), " in ", plural(sum(bad), "row"))
  matrix(as.numeric(found), n)
}

read_class_codes <- function(found, n, levels, refuse) {
  plain <- is.factor(found) || is.character(found) || is.logical(found)
  if (!plain || length(found) != n) refuse(describe(found))
  code <- match(as.character(found), levels)
  if (anyNA(code)) {
    other <- unique(as.character(found)[is.na(code)])
    refuse(if (anyNA(other)) paste("NA in", plural(sum(is.na(found)), "row"))
           else enumerate(other, quote = "\""))
  }
  code
}

# [n x classes], in the order of the levels; rows sum to 1.
read_class_columns <- function(found, n, levels, refuse) {
  P <- as.matrix(found)
  if (!is.numeric(P) || nrow(P) != n) refuse(describe(found))
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
read_survival <- function(found, n, times, title) {
  refuse <- function(...) {
    abort("learner", title, ": `survival` must return a matrix of probabilities with ",
          plural(n, "row"), " and a column for each of ", plural(length(times), "time"), ", not ",
          ..., ".")
  }
  if (is.numeric(found) && length(times) == 1L && is.null(dim(found))) found <- matrix(found)
  if (!is.numeric(found) || !identical(dim(found), c(n, length(times)))) refuse(describe(found))
  bad <- is.na(found) | found < -1e-9 | found > 1 + 1e-9
  if (any(bad)) refuse("with ", format(found[bad][1L]))
  pmin(pmax(unname(found), 0), 1)
}
