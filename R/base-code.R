# Code as it stands in formulas: its text, what it calls, and the names that it reads.

# The text of an expression, by which terms() and model frames call their columns; the only place
# that makes one.
code_text <- function(expr) {
  fixed_session()
  deparse1(expr)
}

# Of survival::strata(z) "strata".
call_name <- function(expr) {
  called <- expr[[1L]]
  if (is_qualified(called)) called <- called[[3L]]
  if (is.name(called)) as.character(called) else ""
}

is_call_to <- function(expr, name) is.call(expr) && call_name(expr) == name

is_qualified <- function(expr) {
  is.call(expr) && (identical(expr[[1L]], quote(`::`)) || identical(expr[[1L]], quote(`:::`)))
}

# Code as the package reads it: `stats::offset()` is `offset()`, the only one that terms() knows,
# and functions are without their source text, which would bring the file they were read from.
plain_code <- function(expr) {
  if (!any(c("::", ":::", "function") %in% all.names(expr))) return(expr)
  # along the left side by a loop: a sum of thousands of terms is as deep as it is long
  outside <- list()
  while (is.call(expr)) {
    if (is_qualified(expr[[1L]]) && is_call_to(expr, "offset") &&
          identical(expr[[1L]][[2L]], quote(stats))) expr[[1L]] <- quote(offset)
    if (is_call_to(expr, "function")) expr <- expr[1:3]
    for (i in setdiff(seq_along(expr), 2L)) {
      if (is.call(expr[[i]])) expr[[i]] <- plain_code(expr[[i]])
    }
    if (length(expr) < 2L || !is.call(expr[[2L]])) break
    outside[[length(outside) + 1L]] <- expr
    expr <- expr[[2L]]
  }
  for (around in rev(outside)) {
    around[[2L]] <- expr
    expr <- around
  }
  expr
}

# The names that an expression takes from around it, as all.vars() gives them; functions: those of
# the functions that it calls, too. Not: arguments of functions in it (`function(u) u^2`, and `.x`
# in `~ .x^2`, which purrr makes a function of), what it assigns itself, packages before `::`. A
# formula is no function where it is the whole expression.
names_read <- function(expr, functions = FALSE) {
  called <- all.names(expr)
  whole <- is.call(expr) && identical(expr[[1L]], quote(`~`))
  own <- c("function", "::", ":::", "<-", "=", "<<-", "for")
  if (!any(own %in% called) && sum(called == "~") <= whole) {
    return(if (functions) unique(called) else all.vars(expr))
  }
  # of a formula its code
  attributes(expr) <- NULL
  found <- character()
  note <- function(name, bound) {
    name <- as.character(name)
    if (!name %in% c(bound, "")) found <<- c(found, name)
  }
  # gives the names that are bound after the expression
  walk <- function(expr, bound) {
    if (is.name(expr)) note(expr, bound)
    if (!is.call(expr) || is_qualified(expr)) return(bound)
    name <- if (is.name(expr[[1L]])) as.character(expr[[1L]]) else ""
    parts <- given_parts(as.list(expr)[-1L])
    if (functions && name != "") note(name, bound)
    switch(
      name,
      "function" = {
        inside <- c(bound, names(parts[[1L]]))
        for (part in c(given_parts(as.list(parts[[1L]])), parts[2L])) walk(part, inside)
        bound
      },
      "~" = {
        for (part in parts) walk(part, c(bound, ".", ".x", ".y", paste0("..", 1:9)))
        bound
      },
      "<-" = , "=" = , "<<-" = {
        bound <- walk(parts[[2L]], bound)
        if (is.name(parts[[1L]])) c(bound, as.character(parts[[1L]])) else walk(parts[[1L]], bound)
      },
      "for" = {
        walk(parts[[3L]], c(walk(parts[[2L]], bound), as.character(parts[[1L]])))
        bound
      },
      "if" = {
        bound <- walk(parts[[1L]], bound)
        ways <- lapply(parts[-1L], walk, bound)
        if (length(ways) == 2L) intersect(ways[[1L]], ways[[2L]]) else bound
      },
      "{" = , "(" = {
        for (part in parts) bound <- walk(part, bound)
        bound
      },
      {
        if (name == "") walk(expr[[1L]], bound)
        for (part in if (name %in% c("+", "-")) summands(expr) else parts) walk(part, bound)
        bound
      }
    )
  }
  for (part in if (whole) as.list(expr)[-1L] else list(expr)) walk(part, character())
  unique(found)
}

# By a loop, as above.
summands <- function(expr) {
  right <- list()
  while (is.call(expr) && any(vapply(c("+", "-"), function(name) is_call_to(expr, name), NA))) {
    right <- c(as.list(expr)[-(1:2)], right)
    expr <- expr[[2L]]
  }
  c(list(expr), right)
}

# Without what is empty, as in x[, 1].
given_parts <- function(parts) parts[!vapply(parts, identical, NA, quote(expr = ))]

# Those of variables, of several expressions.
variables_of <- function(...) as.character(unique(unlist(lapply(list(...), names_read))))
