# `y ~ x1 + x2 | domain` is taken apart here, before model.frame() can mistake
# the bar for a logical operator.

# response: call or NULL; domain: call or NULL; structure: of several factors, see
# domain_structure(); bare: formula without the bar.
split_formula <- function(formula) {
  formula <- package_code(formula)
  if ("$" %in% all.names(formula)) {
    abort("argument", "`formula` must name columns of `data`, as in `y ~ x`, not ",
          format_formula(formula), ".")
  }
  rhs <- formula[[length(formula)]]
  response <- if (length(formula) == 3L) formula[[2L]]
  domain <- NULL
  if (is_call_to(rhs, "|")) {
    domain <- rhs[[3L]]
    rhs <- rhs[[2L]]
  }
  if (has_bar(response) || has_bar(rhs) || has_bar(domain)) {
    abort("argument", "`formula` must have one bar, as in `y ~ x1 + x2 | domain`, not ",
          format_formula(formula), if (has_bar(rhs) && !is_call_to(rhs, "|")) {
            "; for `(1 | school)` write `| school`"
          }, ".")
  }
  structure <- domain_structure(domain)
  bare <- if (is.null(response)) call("~", rhs) else call("~", response, rhs)
  list(response = response, domain = domain, structure = structure,
       bare = with_environment(bare, formula))
}

# Counts of two kinds, as glm() takes them, are a share with a size.
check_response_call <- function(response) {
  if (!is_call_to(response, "cbind")) return(invisible())
  parts <- vapply(as.list(response)[-1L], code_text, "")
  if (length(parts) != 2L) {
    abort("argument", "`formula` must have one response, not ", code_text(response), ".")
  }
  total <- paste(parts, collapse = " + ")
  abort("argument", "`formula` must have one response, not ", code_text(response),
        "; of successes and failures use the proportion, `", parts[1L], " / (", total,
        ")`, with `weights = ", total, "`.")
}

# Refuses several responses where a method adds up rows that it does not keep.
check_added_response <- function(response) {
  if (!is_call_to(response, "cbind")) return(invisible())
  abort("argument", "`formula` must have one response with a source or sums, not ",
        code_text(response), ": several at once need all rows in a data frame.")
}

with_environment <- function(bare, formula) {
  env <- environment(formula)
  stats::as.formula(bare, env = if (is.null(env)) globalenv() else env)
}

formula_operators <- c("+", "-", "*", "/", ":", "^", "%in%", "(")

# A bar among the operators of a formula; in a function, as in I(a | b), it is a
# logical operator.
has_bar <- function(expr) {
  bar <- FALSE
  each_call(expr, function(part, operator, bound) {
    if (operator && call_name(part) %in% c("|", "||")) bar <<- TRUE
  }, TRUE)
  bar
}

format_formula <- function(formula) {
  environment(formula) <- NULL
  code_text(formula)
}

# Terms of the predictors. `.` stands for every column that is neither in the
# response nor named after the bar.
predictor_terms <- function(parts, data) {
  columns <- data[setdiff(names(data), variables_of(parts$domain))]
  terms <- terms_of(parts$bare, if (length(data)) columns)
  if (attr(terms, "intercept") == 0L) {
    abort("argument", "`formula` must not take the constant out (`0 +` or `- 1`): it is the ",
          "method's. `intercept = FALSE` of `dg_ridge()`, `dg_svm()` and `dg_glm()` fits ",
          "without one.")
  }
  if (length(predictor_labels(terms)) == 0L) {
    abort("argument", "`formula` must name at least one predictor.")
  }
  terms <- without_unused(terms, parts)
  # The intercept makes every factor lose one level, whatever its place.
  attr(terms, "intercept") <- 1L
  terms
}

# The known parts of a linear predictor, as terms() and model frames call them.
offset_names <- function(terms) vapply(known_parts(terms), code_text, "")

# What says the same of offset(log(time)), where it is one.
exposure_hint <- function(terms) {
  offset <- known_parts(terms)[[1L]]
  inside <- if (length(offset) > 1L) offset[[2L]]
  response <- attr(terms, "response")
  if (response == 0L || !is_call_to(inside, "log")) return("")
  y <- code_text(as.list(attr(terms, "variables"))[[response + 1L]])
  e <- code_text(inside[[2L]])
  paste0("; of counts the rate says the same, `", y, " / ", e,
         " ~ ...` with `weights = ", e, "`")
}

terms_of <- function(formula, data = NULL) {
  on_error(
    # `. - school | school` leaves out what `.` no longer has, of which R warns
    suppressWarnings(stats::terms(formula, data = data)),
    function(e) {
      abort("argument", "`formula` cannot be read: ", conditionMessage(e), ".")
    }
  )
}

predictor_labels <- function(terms) attr(terms, "term.labels")[predictor_places(terms)]

# The response is not its own predictor.
predictor_places <- function(terms) {
  at <- attr(terms, "response")
  places <- seq_along(attr(terms, "term.labels"))
  if (at == 0L || length(places) == 0L) return(places)
  uses <- attr(terms, "factors") > 0
  places[!(uses[at, ] & colSums(uses) == 1L)]
}

# A formula of the terms at these places, made of their code: their text has no more than 15 digits
# of a number. more: further parts of its sum.
formula_at <- function(terms, places, more = list(), response = NULL) {
  variables <- as.list(attr(terms, "variables"))[-1L]
  uses <- attr(terms, "factors") > 0
  parts <- c(lapply(places, function(j) {
    Reduce(function(a, b) call(":", a, b), variables[uses[, j]])
  }), more)
  right <- if (length(parts)) Reduce(function(a, b) call("+", a, b), parts) else 1
  stats::as.formula(as.call(c(quote(`~`), response, right)), env = environment(terms))
}

known_parts <- function(terms) as.list(attr(terms, "variables"))[-1L][attr(terms, "offset")]

# The variable id of `y ~ . - id` is in no term, and yet terms() lists it: rows
# where it is missing would be dropped, and new data would have to have it.
without_unused <- function(terms, parts) {
  unused <- rowSums(attr(terms, "factors")) == 0
  unused[c(attr(terms, "response"), attr(terms, "offset"))] <- FALSE
  places <- predictor_places(terms)
  if (!any(unused) && length(places) == length(attr(terms, "term.labels"))) return(terms)
  stats::terms(formula_at(terms, places, known_parts(terms), parts$response))
}

# A copy of `env` with no more than what `expr` mentions beyond the data (a
# user's function, a constant): terms that carried the calling environment would
# be saved, and sent to other processes, with all that happens to lie in it.
# The functions get such small environments in their turn.
small_environment <- function(expr, columns, env) {
  copies <- list()
  copy_of <- function(from) {
    for (copy in copies) if (identical(copy$from, from)) return(copy$to)
    to <- new.env(parent = globalenv())
    copies[[length(copies) + 1L]] <<- list(from = from, to = to)
    to
  }
  carry <- function(names, from) {
    to <- copy_of(from)
    for (name in setdiff(names, ls(to, all.names = TRUE))) {
      holder <- holder_of(name, from)
      if (is.null(holder)) next
      # an argument of the caller that was not given is nothing to carry
      value <- on_error(get(name, envir = holder), function(e) NULL)
      if (is.null(value)) next
      if (!is.function(value) && name %in% columns) next
      assign(name, value, envir = to)
      if (is_local(value)) {
        # the kept source text would bring the file it was read from
        value <- utils::removeSource(value)
        environment(value) <- carry(free_names(value), environment(value))
        assign(name, value, envir = to)
      }
    }
    to
  }
  read <- setdiff(names_read(expr, functions = TRUE), ".")
  data <- intersect(read, columns)
  carry(setdiff(read, setdiff(data, if (length(data)) names_called(expr, env))), env)
}

# The names that an expression calls, or that stand in a call of what may look for a function of
# that name, as lapply(x, f) does where f is a column: match.fun() goes on to a function.
names_called <- function(expr, env) {
  called <- character()
  each_call(expr, function(part, operator, bound) {
    name <- called_name(part[[1L]])
    called <<- c(called, if (!looks_for_functions(part[[1L]], name, env)) name
                         else names_in(without_values(part, name, env)))
  }, FALSE)
  unique(called)
}

# lapply(x, f) without x, and Map(f, x, z) without x and z, which are values before they are
# functions, unless they are code.
without_values <- function(part, name, env) {
  if (!isTRUE(name %in% names(calls_by_name)) || !is_of_r(name, env)) return(part)
  f <- get(name, asNamespace("stats"), mode = "function")
  matched <- on_error(match.call(f, as.call(c(as.name(name), as.list(part)[-1L]))),
                      function(e) part)
  functions <- calls_by_name[[name]]
  given <- names(matched)
  values <- if (name %in% c("Map", "mapply")) !given %in% c(functions, "MoreArgs")
            else given %in% setdiff(c("X", "x", "Y", "INDEX"), functions)
  as_code <- c("quote", "bquote", "alist", "as.name", "as.symbol", "~", "function")
  plain <- vapply(as.list(matched), function(one) !any(as_code %in% all.names(one)), NA)
  # the first is the function's own name
  matched[c(TRUE, !(values & plain)[-1L])]
}

# head: of a call; name: see called_name().
looks_for_functions <- function(head, name, env) {
  if (is.null(name) || is.na(name) || name %in% c("function", names(calls_by_name))) return(TRUE)
  # of a generic function the default method, too
  functions <- lapply(c(name, paste0(name, ".default")), get0, envir = env, mode = "function")
  # a name out of a package or a list; a computed one is not evaluated before it is searched
  if (is.call(head) && is.name(head[[2L]])) {
    functions <- c(functions, on_error(list(eval(head, env)), function(e) NULL))
  }
  any(vapply(functions, function(f) {
    typeof(f) == "closure" && any(all.names(body(f)) %in% c(
      "match.fun", if (!isNamespace(environment(f))) c("substitute", "match.call", "sys.call")
    ))
  }, NA))
}

# terms() takes such a column for all others, or does not find it.
check_no_dot <- function(parts, data) {
  if (!"." %in% names(data)) return(invisible())
  if (!"." %in% variables_of(parts$bare, parts$domain)) return(invisible())
  abort("data", "`data` must not have a column called `.`, which means all other columns in a ",
        "formula. Give it another name.")
}

# The small environment of a formula, which must have no call that a fit would be refused for.
formula_home <- function(formula, columns, env) {
  home <- small_environment(formula, columns, env)
  attr(formula, ".Environment") <- NULL
  refused <- refused_code(formula, home, columns)
  if (!is.null(refused)) {
    abort("argument", "`formula` must not have ", refused, ": a formula may only make values of ",
          "the columns of a row. Make the column in `data`.")
  }
  home
}

# The function with no more of its environment than it names.
portable_function <- function(fun) {
  if (!is_local(fun)) return(fun)
  holder <- new.env(parent = emptyenv())
  holder$fun <- fun
  small_environment(quote(fun), character(), holder)$fun
}

# For checksums: with the code of functions go the values that it needs.
with_carried <- function(value) {
  if (is_local(value)) {
    return(list(function_code(value), environment_words(environment(portable_function(value)))))
  }
  if (!is.list(value) || length(value) == 0L) return(value)
  `attributes<-`(lapply(unclass(value), with_carried), attributes(value))
}

# The values in a small environment and in those of its functions, in the order of their names.
environment_words <- function(env) {
  seen <- list()
  words <- list()
  read <- function(env) {
    if (any(vapply(seen, identical, NA, env))) return()
    seen <<- c(seen, env)
    for (name in sort(ls(env, all.names = TRUE), method = "radix")) {
      value <- get(name, envir = env)
      local <- is_local(value)
      words <<- c(words, list(name, if (local) function_code(value) else with_carried(value)))
      if (local) read(environment(value))
    }
  }
  read(env)
  words
}

# The environment that `name` is found in, unless every R session has it.
holder_of <- function(name, env) {
  while (!identical(env, emptyenv())) {
    if (exists(name, envir = env, inherits = FALSE)) {
      return(if (!environmentName(env) %in% always_there) env)
    }
    env <- parent.env(env)
  }
  NULL
}

always_there <- c("base", "Autoloads", paste0(
  "package:", c("stats", "graphics", "grDevices", "utils", "datasets", "methods")
))

# Functions of packages are found by their namespace.
is_local <- function(value) {
  typeof(value) == "closure" && !isNamespace(environment(value))
}

free_names <- function(f) {
  names_read(function_code(f), functions = TRUE)
}

add_bar <- function(formula, domain) {
  if (is.null(domain)) return(formula)
  formula[[length(formula)]] <- call("|", formula[[length(formula)]], domain)
  formula
}

# ---- what a formula must not say --------------------------------------------------------------
#
# Calls that other packages understand as more than a function of a column, columns that are looked
# up elsewhere, and values that depend on the rows around.

# What they mean elsewhere, and what says it here. A user's own function of that name is one.
foreign_calls <- c(
  strata = "strata are domains, after the bar, or a predictor, `factor(...)`",
  cluster = "rows that belong together are a domain, after the bar, or a `unit`",
  frailty = "what the rows of a group share is a domain, after the bar",
  frailty.gamma = "what the rows of a group share is a domain, after the bar",
  frailty.gaussian = "what the rows of a group share is a domain, after the bar",
  frailty.t = "what the rows of a group share is a domain, after the bar",
  tt = "effects that change with time are not fitted",
  pspline = "a kernel bends, as `kernel_rbf()` does, or take `splines::ns()`",
  ridge = "all effects have a penalty, `lambda`; name the predictors",
  s = "`dg_gam()` smooths each number, and a kernel bends; name the predictors",
  te = "a kernel has interactions; name the predictors",
  ti = "a kernel has interactions; name the predictors",
  t2 = "a kernel has interactions; name the predictors",
  lo = "a kernel bends, as `kernel_rbf()` does; name the predictors",
  Error = "what the rows of a group share is a domain, after the bar"
)

# Ways to values that are not the columns of the row.
lookups <- c("[[", "@", "get", "get0", "mget", "with", "within", "eval", "evalq", "local")

check_formula_calls <- function(parts, env) {
  check_calls <- function(expr, operator, bound) {
    name <- call_name(expr)
    if (name %in% names(foreign_calls)) {
      called <- expr[[1L]]
      fun <- if (is.name(called)) get0(as.character(called), envir = env, mode = "function")
      if (is.null(fun) || isNamespace(environment(fun))) {
        abort("argument", "`formula` must not have `", code_text(expr), "`: ",
              foreign_calls[[name]], ".")
      }
    }
    # an element of what a function is given, or has made of it
    of <- if (name == "[[") names_read(expr[[2L]])
    if (name %in% lookups && !(length(of) && all(of %in% bound))) {
      abort("argument", "`formula` must name columns of `data`, as in `y ~ x`, not ",
            code_text(expr), ".")
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
    code_text(expr[[2L]])
  } else if (name == "%in%" && is.call(expr[[3L]])) "an interaction"
  if (is.null(meant)) return(invisible())
  abort("argument", "`formula` must not have `", code_text(expr), "`, which means ", meant,
        "; as arithmetic it is `I(", code_text(expr), ")`.")
}

# f(call, operator: is it one of the formula, not in a function?, bound: see walk_code()) of each.
each_call <- function(expr, f, operator) {
  walk_code(expr, function(part, bound, operator) {
    if (!is.call(part) || is_qualified(part)) return(FALSE)
    f(part, operator, bound)
    operator && call_name(part) %in% formula_operators
  }, operator)
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
    check_value_alone(leaf, value, data, env, code_text(leaf))
  }
}

check_value_alone <- function(expr, value, data, env, label) {
  if (is_value_alone(expr, value, data, env, label)) return(invisible())
  abort("argument", "`formula` must not have `", label, "`, whose value in a row depends on ",
        "other rows and so would change for new ones. Make it a column of `data`, or write the ",
        "numbers that it takes from the rows, as in `x - 1.5` or `cut(x, c(0, 1, 2))`.")
}

# expr: a call whose value for all rows is `value`.
is_value_alone <- function(expr, value, data, env, label) {
  data <- data[intersect(names(data), variables_of(expr))]
  # of censored times their columns
  numbers <- if (is.numeric(value)) as.double(unclass(value)) else 0
  largest <- max(abs(numbers[is.finite(numbers)]), .Machine$double.xmin)
  for (i in example_rows(value, nrow(data))) {
    together <- value_of_row(value, i)
    alone <- tryCatch(suppressWarnings(value_of_row(evaluate(expr, data[i, , drop = FALSE], env,
                                                             label))),
                      domgen_error = function(e) NULL)
    same <- if (is.numeric(together) && is.numeric(alone) && length(together) == length(alone)) {
      isTRUE(all.equal(alone, together, tolerance = 1e-8, scale = largest))
    } else identical(alone, together)
    if (!same) return(FALSE)
  }
  TRUE
}

# Text of what is no number: levels are numbered by the rows that are there.
value_of_row <- function(value, i = seq_len(NROW(value))) {
  value <- base_column(value)
  row <- if (length(dim(value)) == 2L) value[i, , drop = FALSE] else value[i]
  plain <- !is.object(value) || is.matrix(value) || inherits(value, "AsIs")
  if (is.numeric(value) && plain) as.double(unclass(row)) else value_labels(row)
}

# A few rows, and of a few values one each: x > mean(x) is FALSE wherever a row comes alone.
example_rows <- function(value, n) {
  if (NROW(value) != n) return(1L)
  if (length(dim(value)) == 2L) value <- value[, 1L]
  ends <- if (is.numeric(value)) c(which.max(value), which.min(value))
  unique(c(1L, n, utils::head(which(!duplicated(value)), 4L), ends))
}

free_formula <- function(formula) {
  environment(formula) <- globalenv()
  package_code(formula)
}
