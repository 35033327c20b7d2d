# From the columns of the data to the numbers of the design matrix.

# The data with, as further columns, the variables of the formula that are found
# in the environment and have one entry per row. Without data all are.
gather_columns <- function(terms, parts, data, env) {
  check_variables(terms, parts, data, env)
  names <- setdiff(variables_of(terms, parts$domain), names(data))
  values <- stats::setNames(lapply(names, get0, envir = env), names)
  n <- if (is.null(data)) NROW(evaluate(attr(terms, "variables")[[2L]], NULL, env, "formula"))
       else nrow(data)
  by_row <- vapply(values, function(v) is.atomic(v) && !is.null(v) && NROW(v) == n, logical(1))
  if (is.null(data)) data <- as.data.frame(matrix(0, n, 0L))
  data[names[by_row]] <- values[by_row]
  # a domain is only named
  used <- setdiff(variables_of(terms, parts$domain),
                  setdiff(names_of_domain(parts), variables_of(terms)))
  large <- Filter(function(name) inherits(data[[name]], "integer64"), intersect(names(data), used))
  # their numbers are kept in the bits of doubles that mean something else
  if (length(large)) {
    abort("data", "`data` must not have 64-bit integers; convert ", enumerate(large),
          " by as.numeric().")
  }
  data
}

check_variables <- function(terms, parts, data, env) {
  # a function of that name will do only as the argument of another, as in sapply(x, f)
  plain <- Filter(is.name, c(as.list(attr(terms, "variables"))[-1L], parts$domain))
  plain <- vapply(plain, as.character, "")
  found <- function(name) {
    name %in% names(data) || (exists(name, envir = env) &&
      !(name %in% plain && is.function(get(name, envir = env))))
  }
  names <- variables_of(terms, parts$domain)
  absent <- names[!vapply(names, found, logical(1))]
  if (length(absent) == 0L) {
    return(if (!is.null(data)) check_entries(setdiff(plain, names(data)), env, nrow(data)))
  }
  if (is.null(data)) abort("data", "There is no variable ", enumerate(absent), "; give `data`.")
  abort("data", "`data` has no column ", enumerate(absent), "; it has ",
        if (length(data)) enumerate(names(data)) else "no columns", ".")
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
  columns <- Filter(is.atomic, data[intersect(names(data), names)])
  !complete_rows(columns, nrow(data))
}

# Raw values are never missing, and complete.cases() does not know them.
complete_rows <- function(columns, n) {
  columns <- columns[!vapply(columns, is.raw, NA)]
  if (length(columns)) stats::complete.cases(columns) else rep(TRUE, n)
}

# poly() and its like refuse missing values and learn from every row they see: a
# row that turns out to be missing only here (the logarithm of a negative number)
# is taken out, and the terms are evaluated again. plain: further columns that are used.
evaluate_terms <- function(terms, data, usable, plain = NULL) {
  repeat {
    if (!any(usable)) {
      if (nrow(data) == 0L) abort("data", "0 rows of data: nothing can be learned.")
      used <- data[intersect(c(plain, variables_of(terms)), names(data))]
      abort_all_missing(nrow(data), names(used)[vapply(used, all_missing, NA)])
    }
    read <- data[setdiff(names(data), setdiff(plain, variables_of(terms)))]
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
    suppressWarnings(stats::model.frame(terms, plain_integers(data), na.action = stats::na.pass)),
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

# Of the factors among the predictors, by name.
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
    if (is.na(column_type(column))) {
      abort("data", "Predictor `", name, "` must be numeric, logical, categorical or a date, not ",
            describe(column), ".")
    }
    if (name %in% coded) next
    if ((is.factor(column) || is.character(column)) && length(column_levels(column)) < 2L) {
      abort("data", "Predictor `", name, "` is categorical and must have at least two levels, not ",
            plural(length(column_levels(column)), "level"), ".")
    }
  }
}

# NA for what cannot be a predictor.
column_type <- function(column) {
  if (is.factor(column) || is.character(column)) return("categorical")
  if (is.logical(column)) return("logical")
  if (inherits(column, "difftime")) return(paste("a time in", units(column)))
  if (inherits(column, c("Date", "POSIXct"))) return(class(column)[1L])
  if (!is.numeric(column) || inherits(column, "integer64")) return(NA_character_)
  if (inherits(column, "units")) return(paste("a number in", unit_words(column)))
  if (NCOL(column) == 1L) return("numeric")
  paste("a numeric matrix of", plural(ncol(column), "column"))
}

column_levels <- function(column) {
  if (is.factor(column)) levels(column)
  else if (is.character(column)) text_levels(column)
}

# X [rows x p], without the intercept, the contrasts it was made with, and the term of each column.
model_matrix <- function(terms, frame, contrasts = NULL) {
  design <- on_error(
    stats::model.matrix(stats::delete.response(terms), frame, contrasts.arg = contrasts),
    function(e) abort_coding(frame, conditionMessage(e))
  )
  term <- attr(design, "assign")
  X <- design[, term != 0L, drop = FALSE]
  rownames(X) <- NULL
  list(X = X, contrasts = attr(design, "contrasts"), assign = term[term != 0L])
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
  if (is.data.frame(data) && !is.name(expr)) data <- plain_integers(data)
  on_error(eval(expr, data, env), function(e) {
    abort("data", "`", arg, "` cannot be evaluated: ", conditionMessage(e), ".")
  })
}

# factor(z) and paste(z) in a formula make text of numbers by how they are stored: 1e5 is "1e+05",
# and "100000" as an integer.
plain_integers <- function(data) {
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
