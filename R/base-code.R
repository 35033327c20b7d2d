# Code as it stands in formulas: its text, what it calls, and the names that it reads.

# The text of an expression, by which terms() and model frames call their columns; the only place
# that makes one.
code_text <- function(expr) {
  enter_session()
  deparse1(expr)
}

# The name in the head of a call: of f, pkg::f, l$f and l[["f"]] "f". NULL: another call that gives
# a function; NA: the name is not there.
called_name <- function(head) {
  if (is.name(head) || is.character(head)) return(as.character(head)[1L])
  if (!is.call(head)) return(NULL)
  outer <- if (is.name(head[[1L]])) as.character(head[[1L]]) else ""
  if (!outer %in% c("::", ":::", "$", "@", "[[")) return(NULL)
  field <- head[[3L]]
  if (is.name(field) && outer != "[[" || is.character(field)) as.character(field)[1L]
  else NA_character_
}

# The name of the function that a call calls, "" where there is none.
call_name <- function(expr) {
  name <- called_name(expr[[1L]])
  if (is.null(name) || is.na(name)) "" else name
}

is_call_to <- function(expr, name) is.call(expr) && call_name(expr) == name

is_qualified <- function(expr) {
  is.call(expr) && (identical(expr[[1L]], quote(`::`)) || identical(expr[[1L]], quote(`:::`)))
}

# Code as the package reads it: `stats::offset()` is `offset()`, the only one that terms() knows,
# and functions are without their source text, which would bring the file they were read from.
package_code <- function(expr) {
  if (!any(c("::", ":::", "function") %in% all.names(expr))) return(expr)
  # along the left side by a loop: a sum of thousands of terms is as deep as it is long
  outside <- list()
  while (is.call(expr)) {
    if (is_qualified(expr[[1L]]) && is_call_to(expr, "offset") &&
          identical(expr[[1L]][[2L]], quote(stats))) expr[[1L]] <- quote(offset)
    if (is_call_to(expr, "function")) expr <- expr[1:3]
    for (i in setdiff(seq_along(expr), 2L)) {
      if (is.call(expr[[i]])) expr[[i]] <- package_code(expr[[i]])
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

# visit(part, bound, context) of each call, name and constant of code, for which a call gives the
# context of its parts. bound: names that are values there, arguments of functions in the code
# (`function(u) u^2`, and `.x` in `~ .x^2`, which purrr makes a function of) and what it assigned
# before. Not visited: these names where they are bound, packages and functions around `::`.
walk_code <- function(expr, visit, context = NULL, bound = character()) {
  # gives the names that are bound after the expression
  walk <- function(expr, bound, context) {
    before <- bound
    first <- TRUE
    # along the left side by a loop: a formula of thousands of terms is as deep as it is long
    repeat {
      # formulas and terms have methods of their own
      if (is.call(expr)) expr <- unclass(expr)
      context <- visit(expr, bound, context)
      parts <- if (is.call(expr)) as.list(expr)[-1L]
               else if (typeof(expr) %in% c("pairlist", "expression")) as.list(expr)
      parts <- unname(given_parts(parts))
      head <- if (is.call(expr)) expr[[1L]]
      if (is.call(head)) walk(head, bound, context)
      if (length(parts) == 0L || is.call(expr) && is_qualified(expr)) return(before)
      name <- if (is.name(head)) as.character(head) else ""
      n <- length(parts)
      if (name == "(" && n == 1L) {
        expr <- parts[[1L]]
        next
      }
      if (name == "function" && n > 1L) {
        inside <- c(bound, names(parts[[1L]]))
        for (part in parts[1:2]) walk(part, inside, context)
        return(before)
      }
      after <- if (name %in% c("<-", "=", "<<-") && n == 2L) {
        set_names(parts[[1L]], walk(parts[[2L]], bound, context), context)
      } else if (name == "for" && n == 3L) {
        walk(parts[[3L]], c(walk(parts[[2L]], bound, context), as.character(parts[[1L]])), context)
        bound
      } else if (name == "if") {
        bound <- walk(parts[[1L]], bound, context)
        ways <- lapply(parts[-1L], walk, bound, context)
        if (length(ways) == 2L) intersect(ways[[1L]], ways[[2L]]) else bound
      } else if (name == "{") {
        for (part in parts) bound <- walk(part, bound, context)
        bound
      }
      if (!is.null(after)) return(if (first) after else before)
      if (name == "~") bound <- c(bound, ".", ".x", ".y", paste0("..", 1:9))
      for (part in parts[-1L]) walk(part, bound, context)
      expr <- parts[[1L]]
      first <- FALSE
    }
  }
  # names(x) <- v calls `names<-`, too
  set_names <- function(to, bound, context) {
    force(bound)
    if (is.name(to)) return(c(bound, as.character(to)))
    inner <- to
    while (is.call(inner) && length(inner) > 1L) {
      visit(call(paste0(call_name(inner), "<-")), bound, context)
      inner <- inner[[2L]]
    }
    walk(to, bound, context)
  }
  walk(expr, bound, context)
  invisible()
}

# The names that an expression takes from around it, as all.vars() gives them; functions: those of
# the functions that it calls, too. A formula is no function where it is the whole expression.
names_read <- function(expr, functions = FALSE) {
  called <- all.names(expr)
  whole <- is.call(expr) && identical(expr[[1L]], quote(`~`))
  binding <- c("function", "::", ":::", "<-", "=", "<<-", "for")
  if (!any(binding %in% called) && sum(called == "~") <= whole) {
    return(if (functions) unique(called) else all.vars(expr))
  }
  names <- character()
  for (part in if (whole) as.list(unclass(expr))[-1L] else list(expr)) {
    walk_code(part, function(part, bound, context) {
      if (functions && is.call(part) && !is_qualified(part)) part <- part[[1L]]
      if (is.name(part)) names <<- c(names, setdiff(as.character(part), bound))
    })
  }
  unique(names)
}

# All names in code that may be of functions: text as well, by which lapply(x, "f") finds one.
names_in <- function(expr) {
  names <- character()
  walk_code(expr, function(part, bound, context) {
    if (is.call(part)) part <- part[[1L]]
    if (is.name(part)) names <<- c(names, setdiff(as.character(part), bound))
    if (is.character(part)) names <<- c(names, part)
  })
  setdiff(names, "")
}

# Drops empty arguments, as in x[, 1].
given_parts <- function(parts) parts[!vapply(parts, identical, NA, quote(expr = ))]

# The names of the variables of several expressions.
variables_of <- function(...) as.character(unique(unlist(lapply(list(...), names_read))))
