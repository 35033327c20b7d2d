# A block of rows that were read from a source, as numbers. The first block decides how all are
# read; what needs more than a block to be known comes from the survey.

# input: see source_input(), and its formula's `parts`; needs: see read_sample(). What a worker
# needs to read a block: list(prototype, blueprint, response: its call, domain, weights, kind of the
# response, na.action, unit: of the columns).
block_reader <- function(input, needs) {
  parts <- input$parts
  if (isTRUE(needs$several)) check_added_response(parts$response)
  else check_response_call(parts$response)
  # no method that takes blocks reads censored times
  if (needs$response == "open") needs$response <- "any"
  if (!needs$response %in% c("none", "optional") && is.null(parts$response)) {
    abort("data", "A response is needed: give `y ~ x1 + x2 | domain`.")
  }
  if (needs$domain && is.null(parts$domain)) {
    abort("data", "A domain is needed: give `y ~ x1 + x2 | domain`.")
  }
  prototype <- prototype_of(input, parts)
  data <- first_block(input$source, prototype)
  # the first block stands for all: its levels are those that were declared
  raw <- read_raw(read_input(list(x = input$x, parts = parts, data = data, declared = TRUE)),
                  needs)
  blueprint <- raw$blueprint
  check_terms(blueprint)
  if (!is.null(raw$y)) {
    raw$y <- quietly(read_response(raw$y[!is.na(raw$y)], needs$response,
                                   name = blueprint$response_name))
  }
  # id: of its numbers in the spool
  list(id = basename(tempfile("")), prototype = prototype, blueprint = blueprint,
       kind = response_kind(raw$y), response = parts$response,
       levels = if (is.name(parts$response)) levels(prototype[[as.character(parts$response)]]),
       domain = parts$domain, weights = input$weights, home = reader_home(input, parts, data),
       na.action = source_na_action(input$na.action),
       # near the largest entries: squares of 1e200 leave the range of a double
       unit = power_near(apply(abs(raw$X[rowSums(is.na(raw$X)) == 0, , drop = FALSE]), 2L, max)))
}

# The input with its rows in a spool, of the columns that the formula reads.
spool_input <- function(input) {
  input$source$names <- source_names(input$source)
  parts <- split_formula(input$x)
  free <- domain_texts(input, parts)
  text <- c(free, names(input$source$levels))
  names(text) <- rep(c("label", ""), lengths(list(free, input$source$levels)))
  input$source <- spooled(input$source, source_columns(input, parts), text)
  input
}

# Columns that name domains and nothing else: one that is a predictor too has the type of one.
domain_texts <- function(input, parts) {
  setdiff(names_of_domain(parts), variables_of(parts$bare, input$weights))
}

# Types of the columns that a formula with these parts reads.
prototype_of <- function(input, parts) {
  free <- domain_texts(input, parts)
  prototype <- source_prototype(input$source, source_columns(input, parts), free,
                                name_of(parts$response))
  label_columns(prototype, intersect(free, names(prototype)))
}

# What the expressions of response, domain and weights need beside the columns.
reader_home <- function(input, parts, data) {
  home <- formula_home(input$x, names(data), environment(parts$bare))
  of_weights <- small_environment(input$weights, names(data), input$env)
  for (name in setdiff(ls(of_weights, all.names = TRUE), ls(home, all.names = TRUE))) {
    assign(name, get(name, envir = of_weights), envir = home)
  }
  home
}

# The columns that are read; NULL stands for all, which `.` may mean.
source_columns <- function(input, parts) {
  names <- variables_of(parts$bare, parts$domain, input$weights)
  if ("." %in% names) return(NULL)
  present <- source_names(input$source)
  absent <- setdiff(names, present)
  absent <- Filter(function(name) {
    !exists(name, envir = environment(parts$bare)) && !exists(name, envir = input$env)
  }, absent)
  if (length(absent)) {
    abort("data", "`", input$source$tables[[1L]]$label, "` has no column ", enumerate(absent),
          columns_there(absent, present))
  }
  intersect(names, present)
}

# Names of domains and classes may be new at any row.
name_of <- function(call) if (is.name(call)) as.character(call) else character()

# parts: of a formula, or a blueprint.
names_of_domain <- function(parts) {
  if (is.null(parts$structure)) return(name_of(parts$domain))
  as.character(unlist(lapply(parts$structure$leaves, name_of)))
}

# The first block with a row that is complete.
first_block <- function(source, prototype) {
  for (block in source$blocks) {
    data <- walk_block(block, prototype, function(data, first) data)
    if (any(stats::complete.cases(data))) return(data)
  }
  abort("data", "No row of the source is complete: nothing can be learned.")
}

# poly(x, 2) or scale(x) learn from the rows that they see, which would be the first block's.
check_terms <- function(blueprint) {
  if (isTRUE(blueprint$relative_response)) {
    abort("argument", "`formula` must not have the response `", blueprint$response_name, "` with ",
          "a source: its value in a row depends on other rows, which are read in chunks. Make ",
          "it a column of the source.")
  }
  terms <- blueprint$terms
  learned <- attr(terms, "predvars")
  if (is.null(learned) || identical(learned, attr(terms, "variables"))) return(invisible())
  given <- as.list(attr(terms, "variables"))[-1L]
  differ <- !mapply(identical, as.list(learned)[-1L], given)
  abort("argument", "`formula` must not have ", enumerate(vapply(given[differ], code_text, "")),
        " with a source: it learns from rows, which are read in chunks. `scale` ",
        "and kernels learn from all of them.")
}

source_na_action <- function(na.action) {
  action <- read_na_action(na.action)
  if (is.character(action) && action != "na.exclude") return(action)
  abort("argument", "`na.action` must be na.omit or na.fail with a source, not ",
        if (is.character(action)) action else "na.impute", ".")
}

# The power of two near a size; 1 where that says nothing.
power_near <- function(size) ifelse(is.finite(size) & size > 0, 2^round(log2(size)), 1)

# A block as the reader's: list(X [rows x p] not scaled, y: numbers or a factor of the classes that
# occur, domain: such a factor, weights, kept: their place in the block, lost: how many are
# incomplete). at: list(label, first) of the block.
numbers_of <- function(reader, data, at) {
  # columns have the levels of all rows; a factor that the formula makes, those of the first chunk
  read <- withCallingHandlers(
    replay_predictors(reader$blueprint, data, "data"),
    domgen_warning_new_level = function(w) {
      abort("data", "Factors that `formula` makes take their levels from the first chunk of a ",
            "source, and ", conditionMessage(w), " Name all levels, as in ",
            "`factor(x, levels = 1:4)`.")
    }
  )
  block <- list(X = read$X)
  block$y <- block_value(reader, "response", data)
  block$domain <- block_value(reader, "domain", data)
  block$weights <- block_value(reader, "weights", data)
  present <- Filter(Negate(is.null), block[c("y", "domain", "weights")])
  # one look at the predictors for what is missing and what is not finite
  size <- rowSums(abs(block$X))
  missing <- Reduce(`|`, lapply(present, is.na), is.na(size))
  if (any(missing)) {
    if (reader$na.action == "na.fail") abort_row(at, missing, "has missing values")
    block$X <- block$X[!missing, , drop = FALSE]
    for (name in names(present)) block[[name]] <- block[[name]][!missing]
  }
  # in full it takes no memory
  block$kept <- if (any(missing)) which(!missing) else seq_along(missing)
  block$lost <- sum(missing)
  check_block(reader, block, size[!missing], at)
}

block_value <- function(reader, name, data) {
  if (is.null(reader[[name]])) return(NULL)
  if (name == "domain") {
    domain <- evaluate_domain(reader$domain, reader$blueprint$structure, data, reader$home)
    # names alone: the order of the domains is that of all rows
    return(value_labels(read_vector(domain, nrow(data), name)))
  }
  arg <- if (name == "response") "y" else name
  read_vector(evaluate(reader[[name]], data, reader$home, arg), nrow(data), arg)
}

# size: sums of the absolute predictors.
check_block <- function(reader, block, size, at) {
  wrong <- function(bad, what) if (any(bad)) abort_row(at, block$kept[bad][1L], what)
  wrong(!is.finite(size), "has a predictor that is not finite")
  if (reader$kind == "number") {
    if (!is.numeric(block$y)) {
      abort_row(at, 1L, paste("has a response that is no number, as it was in the first chunk:",
                              describe(block$y[1L])))
    }
    wrong(!is.finite(block$y), "has a response that is not finite")
    block$y <- as.numeric(block$y)
  } else if (reader$kind == "class") {
    block$y <- as_found(as.character(block$y))
  }
  domain <- if (is.null(block$domain)) rep("all", nrow(block$X)) else as.character(block$domain)
  block$domain <- as_found(domain)
  block$weights <- if (is.null(block$weights)) rep(1, nrow(block$X)) else as.numeric(block$weights)
  wrong(!(is.finite(block$weights) & block$weights >= 0),
        "has a weight that is negative or not finite")
  block
}

# A factor whose levels are in the order of the rows.
as_found <- function(text) {
  levels <- unique(text)
  structure(match(text, levels), levels = levels, class = "factor")
}

# which: rows of the block, by number or as a mask.
abort_row <- function(at, which, what) {
  if (is.logical(which)) which <- which(which)[1L]
  abort("data", "`", at$label, "`, row ", in_full(at$first + which - 1), " ", what,
        ".")
}
