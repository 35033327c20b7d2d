# Data in: a formula with data, or x, y and domain, become one sample
#   list(X [n x p] scaled, y, domain (factor), weights, unit, levels: see partial_levels(), kept,
#     padded, blueprint)
# and the blueprint that replays the same steps on new data.

# input: list(x, y, domain, weights, data, na.action) as the user gave them.
# needs: what the method asks for, list(response = "none"|"optional"|"any"|"class",
# domain = TRUE/FALSE, columns: see wished_columns(), offset: may there be one?).
read_sample <- function(input, needs, scale) {
  wishes <- sample_wishes(needs, input$x)
  raw <- if (inherits(input$x, "formula")) raw_from_formula(input, wishes)
         else raw_from_matrix(input, wishes)
  raw <- drop_missing(raw, input$na.action)
  check_finite(raw$X, "Predictor")
  domain <- read_domain(raw$domain, nrow(raw$X), needs$domain || by_domain(scale))
  read <- c(raw[c("X", "kept", "padded", "blueprint")], list(domain = domain))
  sample <- scale_sample(read, scale)
  sample$y <- read_response(raw$y, needs$response)
  sample$weights <- read_weights(raw$weights, nrow(raw$X))
  sample$unit <- raw$unit
  sample$levels <- partial_levels(raw$levels, domain)
  sample
}

# An offset() is a column that no kernel sees.
sample_wishes <- function(needs, formula) {
  if (!isTRUE(needs$offset) || !has_offset(formula)) return(needs$columns)
  c(if (is.null(needs$columns)) list(plain_wish) else needs$columns, "offset")
}

# The scaling is learned from the rows.
scale_sample <- function(sample, scale) {
  coded <- length(seen_coding(sample$blueprint)$coded)
  scaling <- learn_scaling(sample$X, scale, sample$domain, coded)
  sample$X <- apply_scaling(sample$X, scaling, sample$domain)
  sample$blueprint$scaling <- scaling
  sample
}

raw_from_formula <- function(input, wishes = NULL) {
  parts <- split_formula(input$x)
  check_given_once(parts, input)
  env <- environment(parts$bare)
  check_formula_calls(parts, env)
  data <- check_data(input$data)
  columns <- if (is.null(wishes)) plain_columns(parts, data)
  terms <- if (is.null(columns)) predictor_terms(parts, data, "offset" %in% wishes)
           else columns$terms
  data <- gather_columns(terms, parts, data, env)
  names <- c(columns$all, all.vars(terms))
  check_columns(data, intersect(c(names, all.vars(parts$domain)), names(data)), "data")
  if (!is.null(parts$domain)) {
    input$domain <- evaluate_domain(parts$domain, data, env)
    check_domain_alone(parts$domain, data, env)
  }

  given <- read_given(input, nrow(data))
  gaps <- impute_frame(input$na.action, data, parts, given, names, terms, wishes)
  data <- gaps$columns
  missing <- Reduce(`|`, lapply(given, is_missing, nrow(data)), missing_rows(data, names))
  read <- evaluate_terms(terms, data, !missing, columns$all)
  usable <- read$usable
  check_rows_alone(read$frame, data[usable, , drop = FALSE])
  if (!isTRUE(input$declared)) read$frame <- without_unused_levels(read$frame)
  design <- new_design(columns, wishes, read$frame, data[usable, columns$numeric, drop = FALSE])
  if (!is.null(parts$response)) {
    y <- read_vector(stats::model.response(read$frame), nrow(read$frame), "y")
    given$y <- spread_rows(y, usable)
  }
  blueprint <- blueprint_formula(read$frame, design, parts, data, columns,
                                 small_environment(input$x, names(data), env))
  if (!isTRUE(input$declared)) blueprint$used <- used_levels(read$frame)
  if (!is_response_alone(parts$response, read$frame, data[usable, , drop = FALSE], env)) {
    blueprint$relative_response <- TRUE
  }
  blueprint <- add_indicators(blueprint, gaps$impute)
  X <- insert_indicators(blueprint, design$X, gaps$indicators[usable, , drop = FALSE])
  levels <- level_codes(read$frame, design$coding, input$declared)
  c(list(X = spread_rows(X, usable), blueprint = blueprint,
         levels = if (!is.null(levels)) spread_rows(levels, usable)), given)
}

# frame, data: of the rows that can be used. list(X, contrasts, coding)
new_design <- function(columns, wishes, frame, data) {
  terms <- attr(frame, "terms")
  offsets <- offset_names(terms)
  check_offsets(frame[offsets])
  coding <- if (!is.null(wishes)) new_coding(wishes, predictor_frame(frame), offsets)
  check_predictor_types(frame, coding$dropped)
  if (!is.null(coding)) {
    design <- coded_design(coding, frame)
  } else if (is.null(columns)) {
    design <- model_matrix(terms, frame)
  } else {
    columns$terms <- terms
    design <- plain_design(columns, data, frame)
  }
  if (ncol(design$X) == 0L) {
    abort("argument", "`formula` must name at least one predictor beside the response.")
  }
  design
}

raw_from_matrix <- function(input, wishes = NULL) {
  if (is.data.frame(input$x)) {
    if (length(input$x) == 0L) abort("data", "`x` must have at least one column.")
    input$data <- input$x
    input$x <- stats::as.formula("~ .", env = globalenv())
    return(raw_from_formula(input, wishes))
  }
  X <- as_numeric_matrix(input$x, "x", "a formula, a numeric matrix or a data frame")
  if (nrow(X) == 0L) abort("data", "`x` must have at least one row.")
  given <- read_given(input, nrow(X))
  gaps <- impute_matrix(input$na.action, X, given, wishes)
  X <- gaps$columns$x
  blueprint <- blueprint_matrix(X, named = !is.null(colnames(input$x)))
  if (!is.null(wishes)) {
    coded <- coded_matrix(wishes, X)
    X <- coded$X
    blueprint[c("columns", "coding")] <- list(colnames(X), coded$coding)
  }
  blueprint <- add_indicators(blueprint, gaps$impute)
  c(list(X = insert_indicators(blueprint, X, gaps$indicators), blueprint = blueprint), given)
}

# y, domain and weights as vectors with one entry per row; an absent one is not
# in the list.
read_given <- function(input, n) {
  readers <- list(y = read_vector, domain = read_groups, weights = read_vector, unit = read_groups)
  given <- Map(function(read, name) read(input[[name]], n, name), readers, names(readers))
  given[!vapply(given, is.null, logical(1))]
}

check_given_once <- function(parts, input) {
  for (name in c("y", "domain")) {
    inside <- parts[[if (name == "y") "response" else "domain"]]
    if (!is.null(inside) && !is.null(input[[name]])) {
      abort("argument", "`", name, "` must not be given when the formula has it (`",
            deparse1(inside), "`).")
    }
  }
}

as_numeric_matrix <- function(x, arg, accepted = "a numeric matrix or a data frame") {
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

# A plain data frame: `[` of a data.table or a tibble has rules of its own. A column without a name,
# the index that write.csv() and pandas add, is nothing that a formula could mean.
check_data <- function(data, arg = "data", tell = FALSE) {
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
  if (tell && any(unnamed)) {
    warn("unnamed", plural(sum(unnamed), "column"), " of `", arg, "` without a name (an index?) ",
         "left out.")
  }
  # not by `[`, which gives columns of one name new names
  plain[unnamed] <- NULL
  # without the methods of their package rows of 64-bit integers are other numbers
  package <- "bit64"
  if (any(vapply(plain, inherits, NA, "integer64"))) need_package(package, "A 64-bit integer")
  factors <- vapply(plain, is.factor, NA)
  plain[factors] <- lapply(plain[factors], without_missing_level)
  plain
}

is_unnamed <- function(names) is.na(names) | names == ""

# A level that is NA hides missing values from is.na().
without_missing_level <- function(value) {
  if (is.factor(value) && anyNA(levels(value))) droplevels(value, exclude = NA) else value
}
