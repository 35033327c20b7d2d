# What is remembered of the training data's form, and its replay on new data.

# input: see read_input(); frame: the model frame that was evaluated; simple: see simple_columns().
blueprint_formula <- function(input, frame, design, simple) {
  parts <- input$parts
  data <- input$data
  terms <- attr(frame, "terms")
  environment(terms) <- input$home
  predictors <- stats::delete.response(terms)
  if (!is.null(simple)) simple$terms <- predictors
  raw <- data[intersect(c(simple$all, variables_of(predictors)), names(data))]
  blueprint <- list(
    kind = "formula", columns = colnames(design$X), terms = predictors, simple = simple,
    xlevels = stats::.getXlevels(predictors, frame), contrasts = design$contrasts,
    prototype = raw[0L, , drop = FALSE],
    domain = parts$domain, domain_columns = intersect(variables_of(parts$domain), names(data)),
    structure = parts$structure,
    response_name = if (is.null(parts$response)) "y" else code_text(parts$response)
  )
  # what the formula has, where a method has terms of its own
  blueprint$shared <- input$shared
  if (!is.null(design$coding)) {
    environment(design$coding$terms) <- input$home
    blueprint$coding <- design$coding
  }
  blueprint
}

# New rows: list(X, complete rows only, not yet scaled; domain; ok: which rows of newdata those
# are; own: see impute_new()). A model that does not judge rows by their domain looks at it only
# where it reads_domain: NA where newdata do not say it. new_levels: "na" or "error"; described: see
# impute_new().
replay <- function(blueprint, newdata, domain = NULL, needs_domain = FALSE, arg = "newdata",
                   new_levels = "na", described = NULL, reads_domain = FALSE) {
  newdata <- preprocess(blueprint$before, newdata)
  domain_of <- function(n) {
    if (needs_domain || reads_domain || !is.null(domain)) {
      new_domain(blueprint, newdata, domain, n, needs_domain, arg,
                 unknown = if (reads_domain) NA else "new")
    }
  }
  read <- replay_predictors(blueprint, newdata, arg, new_levels, domain_of, described)
  X <- read$X
  domain <- domain_of(nrow(X))
  if (!needs_domain && !reads_domain) domain <- rep("new", nrow(X))
  ok <- rowSums(is.na(X)) == 0 & (!needs_domain | !is.na(domain))
  if (any(!ok)) warn_incomplete(ok, if (needs_domain) domain, arg)
  X <- X[ok, , drop = FALSE]
  check_finite(X, paste0("`", arg, "`: predictor"))
  list(X = X, domain = factor(domain[ok]), ok = ok, own = read$own)
}

# What another package does with rows before the fit gets them, see inner_fit(); before: NULL where
# there is nothing, or list(columns: predictors among the rows' own columns, domain: the name of the
# domain's, levels: of factors among them, moving: steps by which rows change with others).
preprocess <- function(before, newdata) UseMethod("preprocess")

#' @exportS3Method
preprocess.default <- function(before, newdata) newdata

# list(X, rows with missing values are NA; own). domain_of: the number of rows to their domains.
replay_predictors <- function(blueprint, newdata, arg, new_levels = "na",
                              domain_of = function(n) NULL, described = NULL) {
  by_name <- blueprint$kind == "formula"
  read <- if (by_name) replay_columns(blueprint, newdata, arg, new_levels)
          else replay_matrix(blueprint, newdata, arg)
  filled <- impute_new(blueprint$impute, read$columns, read$given,
                       function() domain_of(NROW(read$columns[[1L]])), described, arg, new_levels)
  X <- if (by_name) replay_complete(blueprint, filled$columns, arg, new_levels)
       else recode_matrix(blueprint$coding, filled$columns$x, arg)
  X <- insert_indicators(blueprint, X, filled$indicators)
  list(X = see_columns(X, blueprint), own = filled$own)
}

# domain: where its rows describe it.
warn_incomplete <- function(ok, domain, arg) {
  n <- sum(!ok)
  warn("missing", plural(n, "row"), " of `", arg, "`", if (n == 1) " has" else " have",
       " missing values: ", if (arg == "newdata") "the prediction is NA" else "left out",
       if (arg %in% c("newdata", "reference", "data")) describe_lost(ok, domain), ".")
}

# Which domains are described by fewer rows than they came with.
describe_lost <- function(ok, domain) {
  if (is.null(domain)) return("")
  domain <- factor(domain)
  lost <- tabulate(domain[!ok], nlevels(domain))
  all <- tabulate(domain, nlevels(domain))
  some <- lost > 0L & lost < all
  if (!any(some)) return("")
  each <- paste0("\"", levels(domain), "\" (without ", lost, " of its ", all, " rows)")[some]
  paste0(", and ", if (sum(some) == 1L) "the domain is" else "these domains are", " described by ",
         if (sum(some) == 1L) "its" else "their", " other rows: ", enumerate(each, quote = ""))
}

# The columns that the terms need, with the types and levels of training: list(columns, given: the
# same where levels that are new are still there).
replay_columns <- function(blueprint, newdata, arg, new_levels) {
  newdata <- check_data(newdata, arg)
  names <- names(blueprint$prototype)
  # a group that is not said is a new one
  for (name in setdiff(intersect(names, blueprint$coding$open), names(newdata))) {
    if (is_category(blueprint$prototype[[name]])) newdata[[name]] <- rep(new_level, nrow(newdata))
  }
  check_columns(newdata, names, arg)
  same <- vapply(newdata[names], is_bare_number, NA) & names %in% blueprint$simple$numeric
  for (name in names[!same]) newdata[[name]] <- replay_column(newdata[[name]], name, blueprint, arg)

  # a level that is new is missing
  levels <- c(Filter(Negate(is.null), lapply(blueprint$prototype, levels)), blueprint$xlevels)
  levels <- levels[setdiff(intersect(names(levels), names), open_levels(blueprint$coding))]
  list(columns = trained_levels(newdata, levels, blueprint$used, arg, new_levels,
                                taken_as(blueprint$impute)),
       given = newdata)
}

# The design without indicators; a row that is not complete is NA.
replay_complete <- function(blueprint, columns, arg, new_levels) {
  blueprint$columns <- design_columns(blueprint)
  labels <- list(NULL, blueprint$columns)
  complete <- !missing_rows(columns, names(blueprint$prototype))
  # copies of the rows take longer than all else
  if (all(complete) && length(complete)) {
    return(matrix(replay_design(blueprint, columns, arg, new_levels), length(complete),
                  dimnames = labels))
  }
  X <- matrix(NA_real_, nrow(columns), length(blueprint$columns), dimnames = labels)
  if (any(complete)) X[complete, ] <- replay_design(blueprint, columns[complete, , drop = FALSE],
                                                    arg, new_levels)
  X
}

# The variables that may have a level that training did not have.
open_levels <- function(coding) if (!isTRUE(coding$strict)) c(coding$dropped, coding$open)

# The columns of the design, for complete rows.
replay_design <- function(blueprint, newdata, arg, new_levels) {
  frame <- model_frame(blueprint$terms, newdata)
  coding <- blueprint$coding
  levels <- blueprint$xlevels
  levels <- levels[setdiff(names(levels), open_levels(coding))]
  frame <- trained_levels(frame, levels, blueprint$used, arg, new_levels)
  if (!is.null(coding)) {
    design <- model_matrix(coding$terms, frame, blueprint$contrasts)$X
    return(cbind(design, code_columns(coding, frame, arg, new_levels)))
  }
  if (!is.null(blueprint$simple)) {
    return(simple_design(blueprint$simple, newdata, frame, blueprint$contrasts)$X)
  }
  new <- model_matrix(blueprint$terms, frame, blueprint$contrasts)$X
  columns <- blueprint$columns
  # the columns of a matrix may come in another order
  if (!anyDuplicated(columns) && setequal(colnames(new), columns)) new[, columns] else new
}

# Categorical columns with the levels that they had in training; NA, with a warning that names
# column and level, where there is one that no training row had. used: see used_levels().
trained_levels <- function(columns, levels, used, arg, new_levels, taken = taken_as(NULL)) {
  for (name in names(levels)) {
    values <- as.character(columns[[name]])
    seen <- if (is.null(used[[name]])) levels[[name]] else used[[name]]
    new <- !values %in% c(seen, NA)
    if (any(new)) report_new_level(name, seen, values[new], arg, new_levels, taken)
    values[new] <- NA
    columns[[name]] <- factor(values, levels[[name]], ordered = is.ordered(columns[[name]]))
  }
  columns
}

report_new_level <- function(name, seen, values, arg, new_levels, taken) {
  unseen <- enumerate(unique(values), quote = "\"")
  if (new_levels == "error") {
    abort("data", "`", arg, "$", name, "` must have levels of training (",
          enumerate(seen, quote = "\""), "), not ", unseen, ".")
  }
  warn("new_level", "`", arg, "$", name, "` has ",
       if (length(unique(values)) == 1L) "a level" else "levels", " that training did not have, ",
       unseen, ", in ", plural(length(values), "row"), ", ", taken, ".")
}

# newdata: a list of columns, or a matrix with names.
check_columns <- function(newdata, names, arg) {
  has <- if (is.matrix(newdata)) colnames(newdata) else names(newdata)
  absent <- setdiff(names, has)
  if (length(absent)) {
    abort("data", "`", arg, "` has no column ", enumerate(absent),
          columns_there(absent, has))
  }
  twice <- intersect(names, has[duplicated(has)])
  if (length(twice)) {
    abort("data", "`", arg, "` must have one column of each name, not several called ",
          enumerate(twice), ".")
  }
}

# A column of newdata with the type that it had in training.
replay_column <- function(column, name, blueprint, arg) {
  prototype <- blueprint$prototype[[name]]
  if (all(is_absent(column))) {
    return(blueprint$prototype[rep(NA_integer_, NROW(column)), name])
  }
  # what training had as it is, is so in new data: an argument of a function
  if (!identical(class(column), class(prototype))) column <- base_column(column)
  types <- vapply(list(prototype, column), function(v) {
    type <- column_type(v)
    if (is.na(type)) class(v)[1L] else type
  }, "")
  if (types[1L] != types[2L]) {
    abort("data", "`", arg, "$", name, "` must be ", types[1L], " as in training, not ",
          types[2L], ".")
  }
  if (is.matrix(prototype)) return(named_as(column, colnames(prototype), name, arg))
  if (types[1L] != "categorical" || is.object(prototype) && !is.factor(prototype)) return(column)
  if (is.ordered(prototype)) factor(as.character(column), ordered = TRUE) else as.character(column)
}

# A column that is a matrix, in the order of training: M[, 1] goes by place. Without names it is
# taken as it is.
named_as <- function(column, names, name, arg) {
  given <- colnames(column)
  if (is.null(names) || is.null(given) || identical(given, names)) return(column)
  if (anyDuplicated(names) || !setequal(given, names)) {
    abort("data", "`", arg, "$", name, "` must have the columns of training, ", enumerate(names),
          ", not ", enumerate(given), ".")
  }
  column[, names, drop = FALSE]
}

# The columns of the data that the predictors are made of.
predictor_columns <- function(blueprint) {
  if (!is.null(blueprint$before)) blueprint$before$columns
  else if (blueprint$kind == "formula") names(blueprint$prototype)
  else if (is.null(blueprint$coding)) design_columns(blueprint)
  else blueprint$coding$raw
}

replay_matrix <- function(blueprint, newdata, arg) {
  columns <- predictor_columns(blueprint)
  blueprint$columns <- columns
  if (is.data.frame(newdata)) newdata <- numeric_frame(newdata, blueprint, arg)
  one_row <- is.null(dim(newdata)) && length(columns) > 1L && length(newdata) == length(columns)
  if (one_row) newdata <- matrix(newdata, 1L, dimnames = list(NULL, names(newdata)))
  X <- as_numeric_matrix(newdata, arg)
  if (blueprint$named && has_names(newdata, arg)) {
    check_columns(X, columns, arg)
    X <- X[, columns, drop = FALSE]
  }
  if (ncol(X) != length(columns)) {
    abort("data", "`", arg, "` must have the ", plural(length(columns), "column"),
          " of the training data, not ", ncol(X), ".")
  }
  colnames(X) <- columns
  list(columns = list(x = X), given = list(x = X))
}

numeric_frame <- function(newdata, blueprint, arg) {
  # by place
  if (!blueprint$named) names(newdata) <- seq_along(newdata)
  newdata <- check_data(newdata, arg)
  if (blueprint$named) {
    check_columns(newdata, blueprint$columns, arg)
    newdata <- newdata[blueprint$columns]
  }
  newdata[] <- lapply(newdata, base_column)
  numeric <- vapply(newdata, function(v) {
    (is.numeric(v) || is.logical(v)) && is.null(dim(v)) && !is.object(v)
  }, logical(1))
  if (!all(numeric)) {
    abort("data", "`", arg, "` must have numeric columns, as the matrix in training, not ",
          enumerate(names(newdata)[!numeric]),
          if (is.object(newdata[[which(!numeric)[1L]]])) {
            paste0(", ", describe(newdata[[which(!numeric)[1L]]]))
          }, ".")
  }
  data.matrix(newdata)
}

# One entry per row of newdata; without any: an error where it is needed, else
# one domain, `unknown`.
new_domain <- function(blueprint, newdata, domain, n, needed, arg, unknown = "new") {
  columns <- blueprint$domain_columns
  if (is.null(domain) && length(columns) && all(columns %in% names(newdata))) {
    newdata <- check_data(newdata, arg)
    check_columns(newdata, columns, arg)
    domain <- evaluate_domain(blueprint$domain, blueprint$structure, newdata,
                              environment(blueprint$terms))
  }
  described <- blueprint$described
  if (is.null(domain)) {
    if (length(described) == 1L) return(rep(described, n))
    if (needed) abort_domain(columns, arg)
    return(rep(unknown, n))
  }
  if (length(domain) == 1L && is.atomic(domain)) domain <- rep(domain, n)
  domain <- read_groups(domain, n, if (arg == "reference") "reference_domain" else "domain")
  check_known_domain(domain, described, arg)
  domain
}

# described: names of the domains that are described once and for all, NULL where none are.
check_known_domain <- function(domain, described, arg) {
  other <- setdiff(unique(as.character(domain)), c(described, NA))
  if (is.null(described) || length(other) == 0L) return(invisible())
  abort("data", "`", arg, "` must have rows of the ", if (length(described) == 1L) "domain "
        else "domains ", enumerate(described, quote = "\""), ", which the fixed reference ",
        "describes, not of ", enumerate(other, quote = "\""), ".")
}

abort_domain <- function(columns, arg) {
  given <- if (arg == "reference") "`reference_domain`" else "`domain`"
  abort("data", "This model uses the other rows of a row's domain: ",
        if (length(columns)) paste0("`", arg, "` must have the domain column ", enumerate(columns),
                                    ", or "),
        given, " must be given.")
}

# The user's names of the response and of the domain.
variable_names <- function(blueprint) {
  domain <- if (is.null(blueprint$before)) blueprint$domain_columns else blueprint$before$domain
  structure <- blueprint$structure
  list(response = if (is.null(blueprint$response_name)) "y" else blueprint$response_name,
       domain = if (!is.null(structure)) structure$text
                else if (length(domain)) paste(domain, collapse = ", ") else "domain")
}

# The name of the domain variable as the word for a domain, and its plural: of several variables
# "domain".
domain_words <- function(labels) {
  if (!is.null(labels$domains)) return(list(one = labels$domain, many = labels$domains))
  one <- if (grepl("[^[:alnum:]._ ]", labels$domain)) "domain" else labels$domain
  list(one = one, many = plural_of(one))
}

# A text on domains in these words.
in_domain_words <- function(text, words) {
  escaped <- lapply(words, gsub, pattern = "\\", replacement = "\\\\", fixed = TRUE)
  gsub("\\bdomain\\b", escaped$one, gsub("\\bdomains\\b", escaped$many, text))
}

# Reports also have words for a row.
in_row_words <- function(text, labels) {
  if (is.null(labels$row)) return(text)
  escaped <- lapply(labels[c("row", "rows")], gsub, pattern = "\\", replacement = "\\\\",
                    fixed = TRUE)
  gsub("\\brow\\b", escaped$row, gsub("\\brows\\b", escaped$rows, text))
}

# "8 hospitals"
count_domains <- function(n, labels) {
  words <- domain_words(labels)
  plural(n, words$one, words$many)
}
