# From the columns of the data to the numbers of the design matrix.

# The data with, as further columns, the variables of the formula that are found
# in the environment and have one entry per row. Without data all are.
gather_columns <- function(terms, parts, data, env) {
  check_variables(terms, parts, data, env)
  names <- setdiff(variables_of(terms, parts$domain), names(data))
  values <- stats::setNames(lapply(names, get0, envir = env), names)
  n <- if (is.null(data)) NROW(evaluate(attr(terms, "variables")[[2L]], NULL, env, "formula"))
       else nrow(data)
  by_row <- vapply(values, function(v) is_column(v) && NROW(v) == n, logical(1))
  if (is.null(data)) data <- as.data.frame(matrix(0, n, 0L))
  for (name in names[by_row]) data[[name]] <- clean_column(values[[name]])
  data <- base_variables(parts, data)
  check_used_classes(terms, parts, data)
  data
}

# A list is one too, as broken-down times are.
is_column <- function(value) {
  is.atomic(value) && !is.null(value) || is.list(value) && !is.data.frame(value)
}

# The data with the columns that are variables of their own as such; an argument of a function is
# left as the user's function knows it.
base_variables <- function(parts, data) {
  odd <- names(data)[vapply(data, is.object, NA)]
  if (length(odd) == 0L) return(data)
  inside <- names(called_with(parts))
  for (name in setdiff(odd, inside)) data[[name]] <- base_column(data[[name]])
  data
}

# The functions that a variable is an argument of, by its name.
called_with <- function(parts) {
  calls <- list()
  note <- function(expr, operator, bound) {
    if (operator && call_name(expr) %in% formula_operators) return(invisible())
    names <- as.character(Filter(is.name, as.list(expr)[-1L]))
    # x[, 1] has an empty one
    for (name in names[nzchar(names)]) calls[[name]] <<- c(calls[[name]], expr[[1L]])
  }
  each_call(parts$bare[[length(parts$bare)]], note, TRUE)
  each_call(parts$response, note, FALSE)
  leaves <- if (is.null(parts$structure)) list(parts$domain) else parts$structure$leaves
  for (leaf in leaves) each_call(leaf, note, FALSE)
  calls
}

# What is not understood may be the argument of a function that makes something else of it, not of
# one that would take its numbers as they are stored.
check_used_classes <- function(terms, parts, data) {
  used <- variables_of(terms, parts$domain)
  alone <- named_alone(terms, parts)
  # a data frame is found where it is
  elsewhere <- mget(setdiff(alone, names(data)), envir = environment(parts$bare), inherits = TRUE,
                    ifnotfound = list(NULL))
  data <- c(as.list(data), Filter(is.data.frame, elsewhere))
  odd <- Filter(function(name) {
    column <- data[[name]]
    !is.null(column) && (!is_understood(column) || inherits(column, "integer64"))
  }, intersect(used, names(data)))
  if (length(odd) == 0L) return(invisible())
  calls <- called_with(parts)
  response <- variables_of(parts$response)
  for (name in odd) {
    domain <- name %in% variables_of(parts$domain)
    converted <- vapply(calls[[name]], is_conversion, NA, environment(parts$bare))
    if (length(converted) && all(converted) && !name %in% alone) next
    role <- if (name %in% response) "response" else if (domain) "group" else "predictor"
    check_understood(data[[name]], role, class_label(name, role))
  }
}

class_label <- function(name, role) {
  paste0(switch(role, response = "The response", group = "Domain", "Predictor"), " `", name, "`")
}

# Variables that are terms, the response or a domain by themselves.
named_alone <- function(terms, parts) {
  leaves <- c(as.list(attr(terms, "variables"))[-1L],
              if (is.null(parts$structure)) list(parts$domain) else parts$structure$leaves)
  as.character(Filter(is.name, leaves))
}

# Functions of R that ask a class what it is.
conversions <- c("factor", "ordered", "format", "unclass", "nchar", "lengths", "length", "sapply",
                 "vapply", "mapply", "unlist", "weekdays", "months", "quarters", "julian",
                 "strftime", "paste", "paste0", "is.na", "inherits", "toupper", "tolower")

is_conversion <- function(called, env) {
  name <- call_name(as.call(list(called)))
  if (name %in% conversions || grepl("^as[._]", name)) return(TRUE)
  f <- on_error(eval(called, env), function(e) NULL)
  home <- if (is.function(f) && !is.primitive(f)) environmentName(topenv(environment(f)))
  !is.primitive(f) && !isTRUE(home %in% computing_packages)
}

# Others of these compute with numbers as they are stored.
computing_packages <- c("base", "stats", "splines", "utils", "methods", "survival", "mgcv", "MASS",
                        "splines2", "rms", "Hmisc")

check_variables <- function(terms, parts, data, env) {
  # a function of that name will do only as the argument of another, as in sapply(x, f)
  alone <- Filter(is.name, c(as.list(attr(terms, "variables"))[-1L], parts$domain))
  alone <- vapply(alone, as.character, "")
  is_there <- function(name) {
    name %in% names(data) || (exists(name, envir = env) &&
      !(name %in% alone && is.function(get(name, envir = env))))
  }
  names <- variables_of(terms, parts$domain)
  absent <- names[!vapply(names, is_there, logical(1))]
  if (length(absent) == 0L) {
    return(if (!is.null(data)) check_entries(setdiff(alone, names(data)), env, nrow(data)))
  }
  if (is.null(data)) abort("data", "There is no variable ", enumerate(absent), "; give `data`.")
  abort("data", "`data` has no column ", enumerate(absent),
        columns_there(absent, names(data)))
}

# A variable that is no column, as `letters` is none, and is found elsewhere, has an entry per row.
check_entries <- function(names, env, n) {
  for (name in names) {
    value <- get(name, envir = env)
    if (is.atomic(value) && NROW(value) == n) next
    abort("data", "`data` has no column `", name, "`; what has that name elsewhere must have one ",
          "entry per row (", n, "), and is ", describe(value), ".")
  }
}

missing_rows <- function(data, names) {
  !complete_rows(data[intersect(names(data), names)], nrow(data))
}

# poly() and its like refuse missing values and learn from every row they see: a
# row that turns out to be missing only here (the logarithm of a negative number)
# is taken out, and the terms are evaluated again. further: columns that are used, too.
evaluate_terms <- function(terms, data, usable, further = NULL) {
  repeat {
    if (!any(usable)) {
      if (nrow(data) == 0L) abort("data", "0 rows of data: nothing can be learned.")
      used <- data[intersect(c(further, variables_of(terms)), names(data))]
      abort_all_missing(nrow(data), names(used)[vapply(used, all_missing, NA)])
    }
    read <- data[setdiff(names(data), setdiff(further, variables_of(terms)))]
    frame <- model_frame(terms, read[usable, , drop = FALSE])
    complete <- complete_rows(frame, sum(usable))
    if (all(complete)) return(list(frame = frame, usable = usable))
    usable[usable] <- complete
  }
}

model_frame <- function(terms, data) {
  # model.frame() would have no rows
  if (length(attr(terms, "variables")) == 1L) return(structure(data[0L], terms = terms))
  frame <- on_error(
    suppressWarnings(stats::model.frame(terms, integers_as_doubles(data),
                                        na.action = stats::na.pass)),
    function(e) {
      elsewhere <- Filter(function(name) {
        !is.function(get0(name, envir = environment(terms)))
      }, setdiff(variables_of(terms), names(data)))
      abort("data", "The formula cannot be evaluated: ", conditionMessage(e),
            if ("Surv" %in% all.names(terms)) "; `survival::Surv()` is found anywhere",
            if (length(elsewhere)) paste0("; ", enumerate(elsewhere), " is no column of `data`"),
            ".")
    }
  )
  if (nrow(frame) != nrow(data)) {
    abort("data", "The terms of the formula must have one value per row (", nrow(data), "), not ",
          nrow(frame), ".")
  }
  for (j in which(vapply(frame, is.object, NA))) frame[[j]] <- base_column(frame[[j]])
  text <- vapply(frame, is.character, NA) & vapply(frame, function(v) is.null(dim(v)), NA)
  text[attr(terms, "response")] <- FALSE
  frame[text] <- lapply(frame[text], text_factor)
  frame
}

# A level that no training row has gets no column: its rows would be predicted as if they were of
# the baseline. One that is alone keeps another, without which it has no coding.
without_unused_levels <- function(frame) {
  used <- used_levels(frame)
  for (name in names(used)) {
    column <- frame[[name]]
    kept <- used[[name]]
    if (length(kept) == 1L) kept <- c(kept, setdiff(levels(column), kept)[1L])
    coding <- attr(column, "contrasts")
    # contrasts that were given as a matrix have a row for each level
    if (setequal(kept, levels(column)) || is.matrix(coding) || anyNA(kept)) next
    frame[[name]] <- factor(column, intersect(levels(column), kept))
    attr(frame[[name]], "contrasts") <- coding
  }
  frame
}

# The levels that occur, of each factor among the predictors.
used_levels <- function(frame) {
  lapply(Filter(is.factor, predictor_frame(frame)), function(column) {
    levels(column)[tabulate(column, nlevels(column)) > 0L]
  })
}

predictor_frame <- function(frame) {
  frame[setdiff(seq_along(frame), attr(attr(frame, "terms"), "response"))]
}

# coded: names of those that have no dummy variables.
check_predictor_types <- function(frame, coded = NULL) {
  variables <- predictor_frame(frame)
  for (name in names(variables)) {
    column <- variables[[name]]
    check_understood(column, "predictor", class_label(name, "predictor"))
    if (name %in% coded) next
    if ((is.factor(column) || is.character(column)) && length(column_levels(column)) < 2L) {
      abort("data", "Predictor `", name, "` is categorical and must have at least two levels, not ",
            plural(length(column_levels(column)), "level"), ".")
    }
  }
}

column_levels <- function(column) {
  if (is.factor(column)) levels(column)
  else if (is.character(column)) text_levels(column)
}

# Of logical values both, whatever rows are at hand.
categories_of <- function(column) {
  if (is.logical(column)) c("FALSE", "TRUE") else column_levels(column)
}

# X [rows x p], without the intercept, the contrasts it was made with, and the term of each column.
# contrasts: those of a design made before; of a new one all_levels(), or NULL: a level of each
# factor is the reference.
model_matrix <- function(terms, frame, contrasts = NULL) {
  contrasts <- contrasts[intersect(names(contrasts), variable_labels(terms))]
  whole <- names(Filter(function(coding) identical(coding, every_level), contrasts))
  given <- contrasts
  for (name in whole) {
    given[[name]] <- stats::contr.treatment(categories_of(frame[[name]]), contrasts = FALSE)
  }
  design <- on_error(
    stats::model.matrix(stats::delete.response(terms), frame, contrasts.arg = given),
    function(e) abort_coding(frame, conditionMessage(e))
  )
  term <- attr(design, "assign")
  X <- design[, term != 0L, drop = FALSE]
  rownames(X) <- NULL
  contrasts <- attr(design, "contrasts")
  for (name in whole) contrasts[[name]] <- every_level
  list(X = X, contrasts = contrasts, assign = term[term != 0L])
}

every_level <- "a column for each level"

# A kernel and a penalty depend on which level of a factor has no column, so that each level has
# one. Of two levels one column says the same as both, but for products with other predictors.
# Contrasts that a factor comes with stay, and so do the polynomials of an ordered one.
all_levels <- function(frame) {
  open <- Filter(function(column) {
    (is.factor(column) && !is.ordered(column) || is.logical(column)) &&
      is.null(attr(column, "contrasts"))
  }, predictor_frame(frame))
  if (length(open) == 0L) return(NULL)
  uses <- term_table(attr(frame, "terms"))
  multiplied <- rownames(uses)[rowSums(uses[, colSums(uses) > 1, drop = FALSE]) > 0]
  several <- names(open)[vapply(open, nlevels, 1L) > 2L | names(open) %in% multiplied]
  sapply(several, function(name) every_level, simplify = FALSE)
}

# What a design with all_levels() is, beside one with reference levels: list(weights, reference:
# numbers of the columns that the other does not have). The k columns of a factor, each of variance
# 1, are to count as k - 1, and are multiplied by sqrt((k - 1) / k): two columns of two levels then
# say as much as one. Of a product's columns each of its factors is so. design: see model_matrix();
# of its columns those that are of no term of `terms` have 0 in `assign`.
level_columns <- function(design, terms, frame, contrasts) {
  if (length(contrasts) == 0L) return(NULL)
  levels <- lengths(lapply(frame[names(contrasts)], categories_of))
  uses <- term_table(terms)
  used <- intersect(names(contrasts), rownames(uses))
  of_term <- exp(colSums(uses[used, , drop = FALSE] * log(1 - 1 / levels[used])) / 2)
  named <- function(design) {
    counted <- design$assign > 0L
    replace(character(length(counted)), counted, paste(design$assign, colnames(design$X))[counted])
  }
  # names do not depend on the rows
  other <- model_matrix(terms, frame[1L, , drop = FALSE])
  list(weights = c(1, of_term)[design$assign + 1L],
       reference = which(!named(design) %in% c("", named(other))))
}

# The polynomials of an ordered factor with many levels cannot be computed.
abort_coding <- function(frame, problem) {
  ordered <- frame[vapply(frame, is.ordered, NA)]
  if (length(ordered) == 0L) abort("data", "The predictors cannot be coded: ", problem, ".")
  levels <- vapply(ordered, nlevels, 0L)
  most <- which.max(levels)
  abort("data", "Predictor `", names(levels)[most], "` is ordered and has too many levels, ",
        levels[most], ", for R's polynomials of them: take its number, `as.integer(",
        names(levels)[most], ")`, or a factor without order; if it is the domain, write it ",
        "after the bar.")
}

evaluate <- function(expr, data, env, arg) {
  if (is.data.frame(data) && !is.name(expr)) data <- integers_as_doubles(data)
  on_error(eval(expr, data, env), function(e) {
    abort("data", "`", arg, "` cannot be evaluated: ", conditionMessage(e), ".")
  })
}

# factor(z) and paste(z) in a formula make text of numbers by how they are stored: 1e5 is "1e+05",
# and "100000" as an integer.
integers_as_doubles <- function(data) {
  whole <- vapply(data, function(v) is.integer(v) && !is.object(v), NA)
  data[whole] <- lapply(data[whole], function(v) {
    storage.mode(v) <- "double"
    v
  })
  data
}

# Values for the usable rows, back at their place among all rows; NA elsewhere.
spread_rows <- function(value, usable) {
  if (all(usable)) return(value)
  place <- rep(NA_integer_, length(usable))
  place[usable] <- seq_len(sum(usable))
  if (is.matrix(value)) value[place, , drop = FALSE] else value[place]
}
