# Rows in: what a call gave, see read_input(), or some of its rows, become one sample
#   list(X [n x p] scaled, y, domain (factor), weights, unit, levels: see partial_levels(), kept,
#     padded, blueprint)
# and the blueprint that replays the same steps on new data.

# needs: what the method asks for, list(response = "none"|"optional"|"any"|"class",
# domain = TRUE/FALSE, columns: see wished_columns(), offset: may there be one? several: may there
# be several responses?, reference: has each factor a level without a column?).
read_sample <- function(input, needs, scale) {
  if (!isTRUE(needs$several)) check_response_call(input$parts$response)
  raw <- read_raw(input, needs)
  if (!isTRUE(needs$several)) check_one_response(raw$y)
  raw <- drop_missing(raw, input$na.action)
  check_finite(raw$X, "Predictor")
  domain <- read_domain(raw$domain, nrow(raw$X), needs$domain || by_domain(scale))
  read <- c(raw[c("X", "kept", "padded", "blueprint")], list(domain = domain))
  sample <- scale_sample(read, scale)
  # a call may have made factors of it
  text <- is.character(raw$y) || any(name_of(input$parts$response) %in% input$text)
  sample$y <- read_response(raw$y, needs$response, text, raw$blueprint$response_name)
  if (text) sample$blueprint$text_response <- TRUE
  sample$weights <- read_weights(raw$weights, nrow(raw$X))
  sample$unit <- raw$unit
  sample$inside <- input$inside
  sample$levels <- partial_levels(raw$levels, domain)
  sample
}

# The scaling is learned from the rows.
scale_sample <- function(sample, scale) {
  scaling <- learn_scaling(sample$X, scale, sample$domain,
                           length(seen_coding(sample$blueprint)$coded),
                           seen_weights(sample$blueprint))
  sample$X <- apply_scaling(sample$X, scaling, sample$domain)
  sample$blueprint$scaling <- scaling
  sample
}

# The numbers of all rows, NA where a predictor is missing: a sample that is not scaled, as it is.
read_raw <- function(input, needs) {
  wishes <- needs$columns
  input <- with_own_terms(input, needs[c("terms", "carried")])
  if (!is.null(attr(input$terms, "offset"))) {
    if (!isTRUE(needs$offset)) {
      abort("argument", "`formula` must not contain `offset()`, which only `dg_glm()`, ",
            "`dg_lm()`, `dg_mixed()` and `dg_auto()` take", exposure_hint(input$terms), ".")
    }
    # a column that no kernel sees
    wishes <- c(if (is.null(wishes)) list(default_wish) else wishes, "offset")
  }
  if (!is.null(needs$carried)) {
    wishes <- c(if (is.null(wishes)) list(default_wish) else wishes, "carried")
  }
  if (!is.null(input$parts)) return(raw_from_formula(with_terms(input, wishes), wishes, needs))
  # what is no matrix is an error
  raw_from_matrix(if (is.null(input$named)) read_matrix(input) else input, wishes)
}

raw_from_formula <- function(input, wishes, needs) {
  parts <- input$parts
  simple <- if (is.null(wishes)) input$simple
  terms <- if (is.null(simple)) input$terms else simple$terms
  names <- c(simple$all, variables_of(terms))
  given <- given_vectors(input)
  gaps <- impute_frame(input, given, names, terms, wishes)
  data <- gaps$columns
  missing <- Reduce(`|`, lapply(given, is_missing), missing_rows(data, names))
  read <- evaluate_terms(terms, data, !missing, simple$all)
  usable <- read$usable
  # a response may depend on the rows around, as y > median(y) or scale(y) do: it is then known of
  # the training rows, and not of others
  alone <- TRUE
  if (!isTRUE(input$is_part)) {
    complete <- data[usable, , drop = FALSE]
    check_rows_alone(read$frame, complete)
    alone <- !is.call(parts$response) ||
      is_value_alone(parts$response, stats::model.response(read$frame), complete,
                     environment(parts$bare), code_text(parts$response))
  }
  if (!isTRUE(input$declared)) read$frame <- without_unused_levels(read$frame)
  contrasts <- if (!isTRUE(needs$reference)) all_levels(read$frame)
  design <- new_design(simple, wishes, read$frame, data[usable, simple$numeric, drop = FALSE],
                       contrasts)
  if (!is.null(parts$response)) {
    y <- read_y(stats::model.response(read$frame), nrow(read$frame), "y",
                class_label(code_text(parts$response), "response"))
    given$y <- spread_rows(y, usable)
  }
  blueprint <- blueprint_formula(input, read$frame, design, simple)
  blueprint$whole <- design$whole
  if (!isTRUE(input$declared)) blueprint$used <- used_levels(read$frame)
  if (!alone) blueprint$relative_response <- TRUE
  blueprint <- add_indicators(blueprint, gaps$impute)
  X <- insert_indicators(blueprint, design$X, gaps$indicators[usable, , drop = FALSE])
  levels <- level_codes(read$frame, design$coding, input$declared)
  c(list(X = spread_rows(X, usable), blueprint = blueprint,
         levels = if (!is.null(levels)) spread_rows(levels, usable)), given)
}

# frame, data: of the rows that can be used. list(X, contrasts, assign, coding, whole: see
# level_columns())
new_design <- function(simple, wishes, frame, data, contrasts) {
  terms <- attr(frame, "terms")
  offsets <- offset_names(terms)
  for (name in offsets) {
    check_understood(frame[[name]], "offset", paste0("`", name, "`"))
    if (NCOL(frame[[name]]) != 1L) {
      abort("data", "`", name, "` must be a number for each row, not ", describe(frame[[name]]),
            ".")
    }
  }
  coding <- if (!is.null(wishes)) new_coding(wishes, predictor_frame(frame), offsets)
  check_predictor_types(frame, coding$dropped)
  if (!is.null(coding)) {
    design <- coded_design(coding, frame, contrasts)
    terms <- design$coding$terms
  } else if (is.null(simple)) {
    design <- model_matrix(terms, frame, contrasts)
  } else {
    simple$terms <- terms
    design <- simple_design(simple, data, frame, contrasts)
  }
  design$whole <- level_columns(design, terms, frame, contrasts)
  if (ncol(design$X) == 0L) {
    abort("argument", "`formula` must name at least one predictor besides the response.")
  }
  design
}

raw_from_matrix <- function(input, wishes) {
  given <- given_vectors(input)
  gaps <- impute_matrix(input, given, wishes)
  X <- gaps$columns$x
  # new data are matched by names that the user gave
  blueprint <- list(kind = "matrix", columns = colnames(X), response_name = "y",
                    named = input$named && !anyDuplicated(colnames(X)))
  # of columns that an ensemble made of factors
  if (!is.null(input$column_weights)) blueprint$whole <- list(weights = input$column_weights)
  if (!is.null(wishes)) {
    coded <- coded_matrix(wishes, X)
    X <- coded$X
    blueprint[c("columns", "coding")] <- list(colnames(X), coded$coding)
  }
  blueprint <- add_indicators(blueprint, gaps$impute)
  c(list(X = insert_indicators(blueprint, X, gaps$indicators), blueprint = blueprint), given)
}

# Penalties are relative to costs, so weights may be in any unit.
mean_weight <- function(sample) {
  largest <- max(sample$weights)
  largest * mean(sample$weights / largest)
}

# The input of kernels from a sample. described: if the sample is a part of the rows, descriptions
# of its domains from all rows, list(sizes, means: function(map) means of features [G x r]);
# structure: of domains with several factors.
rows_of <- function(sample, threads) {
  structure <- if (is.null(sample$structure)) sample$blueprint$structure else sample$structure
  c(list(X = sample$X, domain = sample$domain, threads = threads),
    if (!is.null(sample$described)) sample["described"],
    if (!is.null(structure)) list(structure = structure))
}

# The rule for an argument that is further rows.
rows_like_training <- value_rule("part", levels = c("data.frame", "matrix"), null = TRUE,
                                 words = "a data frame or matrix of rows like the training rows")
