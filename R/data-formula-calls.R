# What a formula must not say: calls that other packages understand as more than a function of a
# column, columns that are looked up elsewhere, and values that depend on the rows around.

# What they mean elsewhere, and what says it here. A user's own function of that name is one.
foreign_calls <- c(
  strata = "strata are domains, behind the bar, or a predictor, `factor(...)`",
  cluster = "rows that belong together are a domain, behind the bar, or a `unit`",
  frailty = "what the rows of a group share is a domain, behind the bar",
  frailty.gamma = "what the rows of a group share is a domain, behind the bar",
  frailty.gaussian = "what the rows of a group share is a domain, behind the bar",
  frailty.t = "what the rows of a group share is a domain, behind the bar",
  tt = "effects that change with time are not fitted",
  pspline = "a kernel bends, as `kernel_rbf()` does, or take `splines::ns()`",
  ridge = "all effects have a penalty, `lambda`; name the predictors",
  s = "`dg_gam()` smooths each number, and a kernel bends; name the predictors",
  te = "a kernel has interactions; name the predictors",
  ti = "a kernel has interactions; name the predictors",
  t2 = "a kernel has interactions; name the predictors",
  lo = "a kernel bends, as `kernel_rbf()` does; name the predictors",
  Error = "what the rows of a group share is a domain, behind the bar"
)

# Ways to values that are not the columns of the row.
lookups <- c("[[", "@", "get", "get0", "mget", "with", "within", "eval", "evalq", "local")

check_formula_calls <- function(parts, env) {
  check_calls <- function(expr, operator) {
    name <- call_name(expr)
    if (name %in% names(foreign_calls) && is_foreign(expr[[1L]], env)) {
      abort("argument", "`formula` must not have `", deparse1(expr), "`: ", foreign_calls[[name]],
            ".")
    }
    if (name %in% lookups) {
      abort("argument", "`formula` must name columns of `data`, as in `y ~ x`, not ",
            deparse1(expr), ".")
    }
    if (operator) check_operator(expr, name)
  }
  each_call(parts$bare[[length(parts$bare)]], check_calls, TRUE)
  each_call(parts$domain, check_calls, FALSE)
  each_call(parts$response, check_calls, FALSE)
}

# x^2 is x to a formula, and `x %in% c(1, 2)` an interaction.
check_operator <- function(expr, name) {
  meant <- if (name == "^" && !is_call_to(expr[[2L]], "(") && !identical(expr[[2L]], quote(.))) {
    deparse1(expr[[2L]])
  } else if (name == "%in%" && is.call(expr[[3L]])) "an interaction"
  if (is.null(meant)) return(invisible())
  abort("argument", "`formula` must not have `", deparse1(expr), "`, which means ", meant,
        "; as arithmetic it is `I(", deparse1(expr), ")`.")
}

# f(call, operator: is it one of the formula, not in a function?) of each call. By a loop: a formula
# of thousands of terms is as deep as it is long.
each_call <- function(expr, f, operator) {
  waiting <- list(list(expr, operator))
  while (length(waiting)) {
    last <- waiting[[length(waiting)]]
    waiting <- waiting[-length(waiting)]
    if (!is.call(last[[1L]])) next
    f(last[[1L]], last[[2L]])
    inside <- last[[2L]] && call_name(last[[1L]]) %in% formula_operators
    parts <- as.list(last[[1L]])[-1L]
    waiting <- c(waiting, lapply(parts[vapply(parts, is.call, NA)], list, inside))
  }
}

# Of survival::strata(z) "strata".
call_name <- function(expr) {
  called <- expr[[1L]]
  if (is_call_to(called, "::") || is_call_to(called, ":::")) called <- called[[3L]]
  if (is.name(called)) as.character(called) else ""
}

is_foreign <- function(called, env) {
  found <- if (is.name(called)) get0(as.character(called), envir = env, mode = "function")
  is.null(found) || isNamespace(environment(found))
}

# Terms and domains are functions of the row: x - mean(x) is another number where a row comes alone.
# What poly() or scale() learn from the rows is in the terms. frame: of the rows `data`.
check_rows_alone <- function(frame, data) {
  terms <- attr(frame, "terms")
  calls <- as.list(attr(terms, "predvars"))[-1L]
  kept <- setdiff(which(!vapply(calls, is.name, NA)), attr(terms, "response"))
  env <- environment(terms)
  for (j in kept) check_value_alone(calls[[j]], frame[[j]], data, env, names(frame)[j])
}

check_domain_alone <- function(parts, data, env) {
  leaves <- if (is.null(parts$structure)) list(parts$domain) else parts$structure$leaves
  for (leaf in Filter(is.call, leaves)) {
    value <- evaluate(leaf, data, env, "domain")
    check_value_alone(leaf, value, data, env, deparse1(leaf))
  }
}

check_value_alone <- function(expr, value, data, env, label) {
  if (is_value_alone(expr, value, data, env, label)) return(invisible())
  abort("argument", "`formula` must not have `", label, "`, whose value in a row depends on ",
        "other rows: for new rows it would be another. Make it a column of `data`, or write ",
        "what it learns from the rows as numbers, as in `x - 1.5` or `cut(x, c(0, 1, 2))`.")
}

# A response may depend on the rows around, as y > median(y) or scale(y) do: it is then known of the
# training rows, and not of others. frame: of the rows `data`.
is_response_alone <- function(response, frame, data, env) {
  !is.call(response) ||
    is_value_alone(response, stats::model.response(frame), data, env, deparse1(response))
}

# expr: a call whose value for all rows is `value`.
is_value_alone <- function(expr, value, data, env, label) {
  rows <- telling_rows(value, nrow(data))
  data <- data[intersect(names(data), all.vars(expr))]
  # of censored times their columns
  numbers <- if (is.numeric(value)) as.double(unclass(value)) else 0
  largest <- max(abs(numbers[is.finite(numbers)]), .Machine$double.xmin)
  for (i in rows) {
    own <- value_of_row(value, i)
    alone <- tryCatch(suppressWarnings(value_of_row(evaluate(expr, data[i, , drop = FALSE], env,
                                                             label))),
                      domgen_error = function(e) NULL)
    same <- if (is.numeric(own) && is.numeric(alone) && length(own) == length(alone)) {
      isTRUE(all.equal(alone, own, tolerance = 1e-8, scale = largest))
    } else identical(alone, own)
    if (!same) return(FALSE)
  }
  TRUE
}

# Text of what is no number: levels are numbered by the rows that are there.
value_of_row <- function(value, i = seq_len(NROW(value))) {
  row <- if (length(dim(value)) == 2L) value[i, , drop = FALSE] else value[i]
  plain <- !is.object(value) || is.matrix(value) || inherits(value, "AsIs")
  if (is.numeric(value) && plain) as.double(unclass(row)) else value_labels(row)
}

# A few rows, and of a few values one each: x > mean(x) is FALSE wherever a row comes alone.
telling_rows <- function(value, n) {
  if (NROW(value) != n) return(1L)
  if (length(dim(value)) == 2L) value <- value[, 1L]
  ends <- if (is.numeric(value)) c(which.max(value), which.min(value))
  unique(c(1L, n, utils::head(which(!duplicated(value)), 4L), ends))
}
