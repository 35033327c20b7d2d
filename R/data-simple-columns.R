# Formulas of nothing but names of columns, as `y ~ .` is. terms(), model.frame() and
# model.matrix() read them too, but in time and memory that grow with the square of the number of
# columns: numeric columns are taken as they are, and only the others go through terms().

# list(all: the predictors in order; numeric: those that are taken as they are; terms: response and
# the others), or NULL where terms() must read the formula: it has more than names, `.`, `+` and
# `-`, or a name is no column.
simple_columns <- function(parts, data) {
  steps <- additive_steps(parts$bare[[length(parts$bare)]])
  if (is.null(steps) || length(data) == 0L) return(NULL)
  dot <- setdiff(names(data), variables_of(parts$response, parts$domain))
  named <- lapply(steps$names, function(name) if (name == ".") dot else name)
  all <- if (all(steps$add)) unique(unlist(named)) else {
    Reduce(function(so_far, k) {
      if (steps$add[k]) union(so_far, named[[k]]) else setdiff(so_far, named[[k]])
    }, seq_along(named), character())
  }
  if (is.name(parts$response)) all <- setdiff(all, as.character(parts$response))
  if (length(all) == 0L || !all(all %in% names(data))) return(NULL)
  numeric <- all[vapply(data[all], is_bare_number, NA)]
  if (length(numeric) == 0L) return(NULL)
  others <- lapply(setdiff(all, numeric), as.name)
  others <- if (length(others)) Reduce(function(a, b) call("+", a, b), others) else 1
  bare <- if (is.null(parts$response)) call("~", others) else call("~", parts$response, others)
  terms <- terms_of(with_environment(bare, parts$bare))
  list(all = all, numeric = numeric, terms = terms)
}

# `a + . - b` as list(names = c("a", ".", "b"), add = c(TRUE, TRUE, FALSE)). By a loop: a formula of
# thousands of terms is as deep as it is long.
additive_steps <- function(expr) {
  names <- list()
  add <- list()
  keep <- function(part, sign) {
    if (is.name(part)) {
      names[[length(names) + 1L]] <<- as.character(part)
      add[[length(add) + 1L]] <<- sign
      return(TRUE)
    }
    # without the intercept, or what is no formula, is told by who reads the others
    is.numeric(part) && length(part) == 1L && part == sign
  }
  while (is_call_to(expr, "+") || is_call_to(expr, "-")) {
    if (!keep(expr[[length(expr)]], is_call_to(expr, "+"))) return(NULL)
    # of `-a` there is nothing before the sign
    expr <- if (length(expr) == 3L) expr[[2L]] else 1
  }
  if (keep(expr, TRUE)) list(names = rev(unlist(names)), add = rev(unlist(add)))
}

# The design of both kinds of columns in the order of the formula: list(X, contrasts, assign: the
# term of each column, 0 for one that is taken as it is).
# frame: of the terms, for the rows of `data`.
simple_design <- function(columns, data, frame, contrasts = NULL) {
  X <- matrix(as.double(unlist(data[columns$numeric], use.names = FALSE)), nrow(data),
              length(columns$numeric), dimnames = list(NULL, columns$numeric))
  place <- match(columns$numeric, columns$all)
  labels <- attr(columns$terms, "term.labels")
  if (length(labels) == 0L) return(list(X = X, assign = integer(ncol(X))))
  others <- model_matrix(columns$terms, frame, contrasts)
  # in the order of the formula, without the quotes that labels have
  of <- setdiff(columns$all, columns$numeric)[others$assign]
  order <- order(c(place, match(of, columns$all)))
  list(X = cbind(X, others$X)[, order, drop = FALSE], contrasts = others$contrasts,
       assign = c(integer(length(place)), others$assign)[order])
}

# What terms() would have given, without the response.
simple_terms <- function(columns) {
  stats::terms(stats::as.formula(call("~", simple_sum(columns)), env = environment(columns$terms)))
}

# The same as the right side of a formula, of which terms() of thousands would take seconds.
simple_sum <- function(columns) {
  Reduce(function(a, b) call("+", a, b), lapply(columns$all, as.name))
}
