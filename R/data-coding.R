# Predictors that a kernel takes as they are stand after the scaled columns, one column each:
#   nominal   the number of the level
#   ordered   the rank of the level, from 0 to 1
#   id        the place of the id among those that its kernel knows
#   offset    the number itself
#   carried   the number itself or the number of the level, see data-terms.R
# A level that training did not have has a number below 0, at least 1 from all that are known; where
# "factor" was wished for, a row with such a level is incomplete (`strict`).

# What all methods wish for, see kernel_columns().
default_wish <- c("number", "dummy")

# What is remembered of them: list(kind: of the design's columns; coded: a list of list(name, kind,
# levels, wish); categorical: variables; strict; dropped: those that are not in the design; terms:
# of the design). wishes: see kernel_columns(). variables: the predictors as they are; offsets: the
# names of those that are one.
new_coding <- function(wishes, variables, offsets = character()) {
  ids <- lapply(Filter(is.list, wishes), id_column, variables)
  named <- vapply(ids, `[[`, "", "name")
  carried <- names(variables)[is_carried(names(variables))]
  categorical <- setdiff(names(variables)[vapply(variables, is_category, NA)], c(named, carried))
  kinds <- unlist(Filter(is.character, wishes))
  coded <- if (any(c("category", "factor") %in% kinds)) lapply(categorical, function(name) {
    column <- variables[[name]]
    list(name = name, kind = if (is.ordered(column)) "ordered" else "nominal",
         levels = categories_of(column),
         wish = intersect(c("factor", "category"), kinds)[1L])
  })
  offsets <- lapply(offsets, function(name) {
    list(name = name, kind = "offset", levels = NULL, wish = "offset")
  })
  along <- lapply(carried, function(name) {
    list(name = name, kind = "carried", levels = categories_of(variables[[name]]), wish = "carried")
  })
  list(coded = c(coded, ids, offsets, along), categorical = categorical,
       strict = "factor" %in% kinds,
       dropped = c(named, carried, if (!"dummy" %in% kinds) categorical),
       # columns of the data that are used in no other way
       open = setdiff(vapply(carried, carried_name, ""), unlist(lapply(
         setdiff(names(variables), carried), function(name) variables_of(frame_code(name))))))
}

# How many columns tell rows apart: of a design what is known is no predictor.
count_predictors <- function(blueprint) {
  length(blueprint$columns) - sum(vapply(blueprint$coding$coded, function(one) {
    one$kind %in% c("offset", "carried")
  }, NA))
}

is_category <- function(column) is.factor(column) || is.character(column) || is.logical(column)

id_column <- function(wish, variables) {
  names <- names(variables)
  name <- wish$column
  if (is.null(name)) {
    name <- names
    if (length(name) > 1L) name <- names[vapply(variables, is_category, NA)]
    if (length(name) != 1L) {
      abort("argument", "`column` of kernel_precomputed() must name the predictor that holds the ",
            "ids; the predictors are ", enumerate(names), ".")
    }
  } else if (!name %in% names) {
    abort("data", "`column` of kernel_precomputed() must be a predictor; `", name, "` is none of ",
          enumerate(names), ".")
  }
  list(name = name, kind = "id", levels = wish$ids, wish = wish)
}

# [rows x codes]; open: may a category have another level than in training?
code_columns <- function(coding, variables, arg = "data", new_levels = "na") {
  columns <- lapply(coding$coded, function(one) {
    if (one$kind == "offset" || one$kind == "carried" && is.null(one$levels)) {
      return(variables[[one$name]])
    }
    text <- value_labels(variables[[one$name]])
    code <- as.numeric(match(text, one$levels))
    new <- is.na(code) & !is.na(text)
    if (any(new)) {
      # a new group is nothing to warn of
      code[new] <- if (one$kind == "carried") -1
                   else -new_level_codes(one, text[new], arg, new_levels)
    }
    if (one$kind == "ordered") code[!new] <- (code[!new] - 1) / max(length(one$levels) - 1, 1)
    code
  })
  matrix(as.numeric(unlist(columns)), NROW(variables[[1L]]), length(columns),
         dimnames = list(NULL, vapply(coding$coded, `[[`, "", "name")))
}

# The data frame that codes stand for: the numbers, then a factor for each coded column. coded: see
# new_coding().
uncoded <- function(X, coded) {
  p <- ncol(X) - length(coded)
  columns <- lapply(seq_len(p), function(j) as.vector(X[, j]))
  factors <- Map(function(one, code) {
    ordered <- one$kind == "ordered"
    if (ordered) code <- round(code * max(length(one$levels) - 1, 1)) + 1
    # a level that training did not have
    new <- code < (if (ordered) 1 else 0)
    levels <- c(one$levels, if (any(new, na.rm = TRUE)) new_level)
    code[which(new)] <- length(levels)
    factor(levels[code], levels, ordered = ordered)
  }, coded, lapply(seq_along(coded), function(k) as.vector(X[, p + k])))
  # by hand: data.frame() would take its time, and change names
  structure(c(columns, unname(factors)), names = make.unique(colnames(X)), class = "data.frame",
            row.names = .set_row_names(nrow(X)))
}

new_level <- "a level that training did not have"

new_level_codes <- function(coded, values, arg, new_levels) {
  if (coded$kind == "id") {
    abort("data", "`", arg, "$", coded$name, "` must be ids that the matrix of ",
          "kernel_precomputed() has, not ", enumerate(unique(values), quote = "\""), ".")
  }
  report_new_level(coded$name, coded$levels, values, arg, new_levels,
                 "taken as unlike any other")
  match(values, unique(values))
}

# The design's columns, then the codes: list(X, contrasts, coding). frame: of all predictors.
coded_design <- function(coding, frame, contrasts = NULL) {
  coding$terms <- terms_without(attr(frame, "terms"), coding)
  design <- model_matrix(coding$terms, frame, contrasts)
  coding$kind <- design_kinds(design$assign, coding)
  list(X = cbind(design$X, code_columns(coding, frame)), contrasts = design$contrasts,
       assign = c(design$assign, integer(length(coding$coded))), coding = coding)
}

# number or dummy, for each column of the design
design_kinds <- function(assign, coding) {
  if (length(assign) == 0L) return(character())
  uses <- term_table(coding$terms)
  has <- colSums(uses[intersect(rownames(uses), coding$categorical), , drop = FALSE]) > 0
  unname(ifelse(has[assign], "dummy", "number"))
}

# Which variable, by its name in a model frame, is in which term?
term_table <- function(terms) {
  labels <- variable_labels(terms)
  # without a term there is no table
  uses <- attr(terms, "factors") > 0
  if (length(uses) == 0L) uses <- matrix(NA, length(labels), 0L)
  rownames(uses) <- labels
  uses
}

# The names of the variables in a model frame.
variable_labels <- function(terms) vapply(as.list(attr(terms, "variables"))[-1L], code_text, "")

terms_without <- function(terms, coding) {
  places <- predictor_places(terms)
  uses <- term_table(terms)[, places, drop = FALSE]
  as_they_are <- vapply(coding$coded, `[[`, "", "name")
  together <- colSums(uses) > 1 & colSums(uses[as_they_are, , drop = FALSE]) > 0
  if (any(together)) {
    abort("argument", "`formula` must not have interactions of predictors that ",
          if (coding$strict) "a learner takes as factors" else "a kernel takes as they are",
          "; leave out ", enumerate(predictor_labels(terms)[together]), ".",
          if (!coding$strict) " A kernel that is a product over predictors has all interactions.")
  }
  kept <- places[colSums(uses[coding$dropped, , drop = FALSE]) == 0]
  stats::terms(formula_at(terms, kept))
}

# As coded_design(), for a matrix of numbers, whose columns may be ids: list(X, coding).
coded_matrix <- function(wishes, X) {
  coding <- new_coding(wishes, as.data.frame(X, optional = TRUE))
  coding$raw <- colnames(X)
  coding$kind <- rep("number", sum(!colnames(X) %in% coding$dropped))
  list(X = recode_matrix(coding, X, "x"), coding = coding)
}

recode_matrix <- function(coding, X, arg) {
  if (is.null(coding)) return(X)
  kept <- X[, !colnames(X) %in% coding$dropped, drop = FALSE]
  cbind(kept, code_columns(coding, as.data.frame(X, optional = TRUE), arg))
}

# What methods get to know of the columns of X, list(kind, wish, coded: of those at the end); NULL:
# they are as always.
layout_of <- function(blueprint) {
  if (!is.null(blueprint$within)) blueprint <- with_scaling(blueprint$within, blueprint$scaling)
  coding <- seen_coding(blueprint)
  if (is.null(coding)) return(NULL)
  # in how many columns a scaled column comes
  numbers <- rep(coding$kind, 1L + sum(c("both", "means") %in% blueprint$scaling$kind))
  wishes <- lapply(coding$coded, `[[`, "wish")
  codes <- vapply(wishes, function(wish) if (is.list(wish)) "id" else wish, "")
  list(kind = c(numbers, codes), wish = c(rep(list(NULL), length(numbers)), wishes),
       coded = coding$coded)
}

with_scaling <- function(blueprint, scaling) {
  blueprint$scaling <- scaling
  blueprint
}

# The coding of the columns that a member of an ensemble sees.
seen_coding <- function(blueprint) {
  coding <- blueprint$coding
  seen <- blueprint$seen
  if (is.null(seen) || is.null(coding)) return(coding)
  last <- length(coding$kind)
  coding$coded <- coding$coded[(last + seq_along(coding$coded)) %in% seen]
  coding$kind <- coding$kind[seen[seen <= last]]
  coding
}

# Weights of the columns of the design that it sees, see level_columns().
seen_weights <- function(blueprint) {
  weights <- blueprint$whole$weights
  seen <- blueprint$seen
  if (is.null(weights) || is.null(seen)) weights else c(weights, rep(1, max(seen)))[seen]
}

# What a model sees of the columns that were made for a whole ensemble, which are not scaled yet; a
# search reads them as data of its own (`within`).
see_columns <- function(X, blueprint) {
  if (!is.null(blueprint$seen)) X <- X[, blueprint$seen, drop = FALSE]
  if (is.null(blueprint$within)) return(X)
  data <- seen_data(X, blueprint)
  quietly(replay_predictors(blueprint$within, data, "newdata")$X)
}

# A matrix, or where some columns are codes a data frame.
seen_data <- function(X, blueprint) {
  coded <- seen_coding(blueprint)$coded
  if (length(coded)) uncoded(X, coded) else X
}
