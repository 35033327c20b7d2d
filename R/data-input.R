# What a call gives is read once: its formula is taken apart, its columns are found, and what can be
# said of all rows is checked. The fits of a call share it; what is learned from rows is learned by
# read_sample(), from those that each fit has.

data_arguments <- c("x", "formula", "y", "domain", "data", "weights", "unit", "na.action")

# The data arguments of a call, evaluated and read.
evaluate_input <- function(given, env) read_input(evaluate_given(given, env))

# The data arguments of a call, evaluated: weights, units and domain may be columns of data.
evaluate_given <- function(given, env) {
  input <- lapply(given[intersect(names(given), c("x", "formula", "y", "data", "na.action"))],
                  eval, envir = env)
  if (!is.null(input$formula)) {
    if (inherits(input$x, c("data.frame", "dg_source")) && is.null(input$data)) {
      input$data <- input$x
    }
    input$x <- input$formula
  }
  # `dg_ridge(formula, data)`: the second argument is `y`
  if (inherits(input$x, "formula") && inherits(input$y, c("data.frame", "dg_source")) &&
        is.null(input$data)) {
    input$data <- input$y
    input["y"] <- list(NULL)
  }
  if (inherits(input$x, "dg_source") || inherits(input$data, "dg_source")) {
    return(source_input(input, given, env))
  }
  dot <- inherits(input$x, "formula") && "." %in% variables_of(input$x)
  input$data <- check_data(input$data, report = dot)
  if (is.data.frame(input$x)) input$x <- check_data(input$x, "x", report = TRUE)
  # `y ~ x, domain = school` means `y ~ x | school`, so that `.` leaves the column out and new data
  # are searched for it; `$` would take domain_kernel for it
  names <- variables_of(given[["domain"]])
  if (inherits(input$x, "formula") && !is_call_to(input$x[[length(input$x)]], "|") &&
        length(names) && all(names %in% names(input$data))) {
    input$x <- add_bar(input$x, given[["domain"]])
    given[["domain"]] <- NULL
  }
  for (name in c("domain", "weights", "unit")) {
    if (is.null(given[[name]])) next
    input[[name]] <- evaluate(given[[name]], input$data, env, name)
    check_vector_class(input[[name]], vector_role(name), given_label(name, given[[name]]))
  }
  if (is.null(input$x)) {
    abort("argument", if (is.null(input$data)) {
      "`x` must be a formula, a matrix or a data frame, not NULL."
    } else "`data` needs a formula, as in `y ~ x1 + x2 | domain`.")
  }
  input
}

# An argument, and the column that was given for it.
given_label <- function(arg, expr) {
  name <- if (is.name(expr)) as.character(expr)
  paste0("`", arg, "`", if (!is.null(name) && name != arg) paste0(" (`", name, "`)"))
}

# Refuses a source in a call that reads no chunks.
check_in_memory <- function(input) {
  if (is.null(input$source)) return(input)
  abort("argument", "`data` must be rows in memory, such as a data frame, not a source.")
}

# The input of a call whose data are read in chunks, see row_source(): list(x: formula, source,
# weights: expression or NULL, na.action, env: where the user called).
source_input <- function(input, given, env) {
  if (!inherits(input$x, "formula")) {
    abort("argument", "`x` must be a formula with a source, such as `y ~ x1 + x2 | domain`.")
  }
  for (name in c("y", "unit")) {
    if (!is.null(if (name == "y") input$y else given[["unit"]])) {
      abort("argument", "`", name, "` must not be given with a source, which is read in chunks",
            if (name == "y") ": the formula names the response", ".")
    }
  }
  # `$` would take domain_kernel for it
  formula <- add_bar(input$x, given[["domain"]])
  list(x = formula, source = input$data, weights = given[["weights"]],
       na.action = input$na.action, env = env)
}

# input: list(x, y, domain, weights, unit, data, na.action), evaluated. The same with
#   x            the formula, or the matrix [n x p] of numbers; NULL where it was a data frame
#   parts        the formula taken apart, see split_formula()
#   data         a data frame of the columns, with those that the formula finds elsewhere
#   plain, terms of the predictors, see simple_columns(), predictor_terms()
#   home         what the formula needs beside the columns
#   named        has the matrix names of the user's?
#   y, domain, weights, unit   a vector with one entry per row, or NULL; domains and units are
#                factors, several responses a matrix
read_input <- function(input) {
  # rows that are read in chunks, or came before
  if (!is.null(input$source)) return(c(input, list(parts = split_formula(input$x))))
  if (inherits(input$x, "dg_feature_sums")) return(input)
  if (is.data.frame(input$x)) {
    if (length(input$x) == 0L) abort("data", "`x` must have at least one column.")
    input[c("x", "data")] <- list(NULL, input$x)
    input <- read_formula(input, stats::as.formula("~ .", env = globalenv()))
  } else {
    input <- if (inherits(input$x, "formula")) read_formula(input, input$x) else read_matrix(input)
  }
  n <- input_rows(input)
  readers <- list(y = read_y, domain = read_groups, weights = read_vector, unit = read_groups)
  for (name in names(readers)) input[[name]] <- readers[[name]](input[[name]], n, name)
  input
}

read_formula <- function(input, formula) {
  parts <- if (is.null(input$parts)) split_formula(formula) else input$parts
  for (name in c("y", "domain")) {
    inside <- parts[[if (name == "y") "response" else "domain"]]
    if (!is.null(inside) && !is.null(input[[name]])) {
      abort("argument", "`", name, "` must not be given when the formula has it (`",
            code_text(inside), "`).")
    }
  }
  env <- environment(parts$bare)
  check_formula_calls(parts, env)
  input$parts <- parts
  check_no_dot(parts, input$data)
  if (!is.null(input$data)) input$data <- base_variables(parts, input$data)
  input$simple <- simple_columns(parts, input$data)
  if (is.null(input$simple)) input$terms <- predictor_terms(parts, input$data)
  terms <- if (is.null(input$simple)) input$terms else input$simple$terms
  data <- gather_columns(terms, parts, input$data, env)
  used <- c(input$simple$all, variables_of(terms, parts$domain))
  check_columns(data, intersect(used, names(data)), "data")
  if (!is.null(parts$domain)) {
    input$domain <- evaluate_domain(parts$domain, parts$structure, data, env)
    check_domain_alone(parts, data, env)
  }
  input$data <- data
  input$home <- formula_home(formula, names(data), env)
  input
}

read_matrix <- function(input) {
  X <- as_numeric_matrix(input$x, "x", "a formula, a numeric matrix or a data frame")
  if (nrow(X) == 0L) abort("data", "`x` must have at least one row.")
  input$named <- has_names(input$x, "x")
  if (input$named) check_columns(input$x, colnames(X), "x")
  input$x <- X
  input
}

# terms() of thousands of plain columns takes seconds: they are asked for where some of the columns
# are wished for as they are. wishes: see kernel_columns().
with_terms <- function(input, wishes) {
  if (!is.null(wishes) && !is.null(input$simple) && is.null(input$terms)) {
    input$terms <- predictor_terms(input$parts, input$data)
  }
  input
}

input_rows <- function(input) NROW(as_newdata(input))

# The rows of an input as predict() takes them.
as_newdata <- function(input) if (is.null(input$data)) input$x else input$data

given_vectors <- function(input) {
  Filter(Negate(is.null), input[c("y", "domain", "weights", "unit")])
}

# Some rows of an input, of which all were read before: see read_sample().
take_rows <- function(input, at) {
  parts <- c(if (is.null(input$parts)) "x", "y", "domain", "weights", "unit")
  for (part in parts) input[[part]] <- take(input[[part]], at)
  if (!is.null(input$data) && !isTRUE(at)) input$data <- frame_rows(input$data, at)
  input$is_part <- TRUE
  input
}

# A plain data frame: `[` of a data.table or a tibble has rules of its own. A column without a name,
# the index that write.csv() and pandas add, is nothing that a formula could mean.
check_data <- function(data, arg = "data", report = FALSE) {
  if (is.null(data)) return(NULL)
  plain <- if (is.list(data) || (is.matrix(data) && !is.null(colnames(data)))) {
    on_error(as.data.frame(data, optional = TRUE), function(e) NULL)
  }
  if (is.null(plain)) {
    abort("data", "`", arg, "` must be a data frame, not ", describe(data),
          if (is.character(data) && length(data) == 1L) {
            paste0("; rows in files are `row_source(", dQuote(data, FALSE), ")`")
          }, ".")
  }
  unnamed <- is_unnamed(names(plain))
  if (report && any(unnamed)) {
    warn("unnamed", plural(sum(unnamed), "column"), " of `", arg, "` without a name (an index?) ",
         "left out.")
  }
  # not by `[`, which gives columns of one name new names
  plain[unnamed] <- NULL
  plain <- clean_columns(plain)
  # without the methods of their package rows of 64-bit integers are other numbers
  if (any(vapply(plain, inherits, NA, "integer64"))) need_package("bit64", "A 64-bit integer")
  plain
}

is_unnamed <- function(names) is.na(names) | names == ""

# Does a matrix say which column is which? Where only some have a name, no other order of the
# columns could be told.
has_names <- function(x, arg) {
  unnamed <- is_unnamed(colnames(x))
  if (all(unnamed)) return(FALSE)
  if (any(unnamed)) {
    abort("data", "`", arg, "` must have a name for every column or for none; column ",
          which(unnamed)[1L], " has none.")
  }
  TRUE
}

as_numeric_matrix <- function(x, arg, accepted = "a numeric matrix or a data frame") {
  x <- base_column(x)
  if (is.object(x)) abort("data", "`", arg, "` must be ", accepted, ", not ", describe(x), ".")
  if (is.atomic(x) && is.null(dim(x)) && (is.numeric(x) || is.logical(x)) && length(x)) {
    x <- matrix(x, ncol = 1L)
  }
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    abort("data", "`", arg, "` must be ", accepted, ", not ", describe(x), ".")
  }
  if (ncol(x) == 0L) abort("data", "`", arg, "` must have at least one column.")
  names <- colnames(x)
  if (is.null(names)) names <- rep("", ncol(x))
  unnamed <- is_unnamed(names)
  names[unnamed] <- paste0("x", seq_len(ncol(x)))[unnamed]
  matrix(as.double(x), nrow(x), ncol(x), dimnames = list(NULL, names))
}
