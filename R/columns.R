# From the columns of the data to the numbers of the design matrix.

# The data with, as further columns, the variables of the formula that are found
# in the environment and have one entry per row. Without data all are.
gather_columns <- function(terms, parts, data, env) {
  check_variables(terms, parts, data, env)
  names <- setdiff(c(all.vars(terms), all.vars(parts$domain)), names(data))
  values <- stats::setNames(lapply(names, get0, envir = env), names)
  n <- if (is.null(data)) NROW(evaluate(attr(terms, "variables")[[2L]], NULL, env, "formula"))
       else nrow(data)
  by_row <- vapply(values, function(v) is.atomic(v) && !is.null(v) && NROW(v) == n, logical(1))
  if (is.null(data)) data <- as.data.frame(matrix(0, n, 0L))
  data[names[by_row]] <- values[by_row]
  used <- intersect(names(data), c(all.vars(terms), all.vars(parts$domain)))
  check_integer64(data[used])
  data
}

# Their numbers are kept in the bits of doubles that mean something else.
check_integer64 <- function(columns) {
  large <- vapply(columns, inherits, logical(1), "integer64")
  if (any(large)) {
    abort("data", "`data` must not have 64-bit integers; convert ",
          enumerate(names(columns)[large]), " by as.numeric().")
  }
}

check_variables <- function(terms, parts, data, env) {
  # a function of that name will do only as the argument of another, as in sapply(x, f)
  plain <- Filter(is.name, c(as.list(attr(terms, "variables"))[-1L], parts$domain))
  plain <- vapply(plain, as.character, "")
  found <- function(name) {
    name %in% names(data) || (exists(name, envir = env) &&
      !(name %in% plain && is.function(get(name, envir = env))))
  }
  names <- unique(c(all.vars(terms), all.vars(parts$domain)))
  absent <- names[!vapply(names, found, logical(1))]
  if (length(absent) == 0L) return(invisible())
  if (is.null(data)) abort("data", "There is no variable ", enumerate(absent), "; give `data`.")
  abort("data", "`data` has no column ", enumerate(absent), "; it has ",
        if (length(data)) enumerate(names(data)) else "no columns", ".")
}

missing_rows <- function(data, names) {
  columns <- Filter(is.atomic, data[intersect(names(data), names)])
  if (length(columns)) !stats::complete.cases(columns) else rep(FALSE, nrow(data))
}

# poly() and its like refuse missing values and learn from every row they see: a
# row that turns out to be missing only here (the logarithm of a negative number)
# is taken out, and the terms are evaluated again.
evaluate_terms <- function(terms, data, usable) {
  repeat {
    if (!any(usable)) {
      if (nrow(data) == 0L) abort("data", "0 rows of data: nothing can be learned.")
      used <- data[intersect(all.vars(terms), names(data))]
      abort_all_missing(nrow(data), names(used)[vapply(used, all_missing, NA)])
    }
    frame <- model_frame(terms, data[usable, , drop = FALSE])
    complete <- stats::complete.cases(frame)
    if (all(complete)) return(list(frame = frame, usable = usable))
    usable[usable] <- complete
  }
}

model_frame <- function(terms, data, xlevels = NULL) {
  tryCatch(
    suppressWarnings(stats::model.frame(terms, data, na.action = stats::na.pass, xlev = xlevels)),
    error = function(e) abort("data", "The formula cannot be evaluated: ", conditionMessage(e), ".")
  )
}

check_predictor_types <- function(frame, terms) {
  variables <- frame[setdiff(seq_along(frame), attr(terms, "response"))]
  for (name in names(variables)) {
    column <- variables[[name]]
    if (is.na(column_type(column))) {
      abort("data", "Predictor `", name, "` must be numeric, logical, categorical or a date, not ",
            describe(column), ".")
    }
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
  if (NCOL(column) == 1L) return("numeric")
  paste("a numeric matrix of", plural(ncol(column), "column"))
}

column_levels <- function(column) {
  if (is.factor(column)) levels(column)
  else if (is.character(column)) sort(unique(column))
}

# X [rows x p], without the intercept, and the contrasts it was made with.
model_matrix <- function(terms, frame, contrasts = NULL) {
  design <- stats::model.matrix(stats::delete.response(terms), frame, contrasts.arg = contrasts)
  X <- design[, attr(design, "assign") != 0L, drop = FALSE]
  rownames(X) <- NULL
  list(X = X, contrasts = attr(design, "contrasts"))
}

evaluate <- function(expr, data, env, arg) {
  on_error(eval(expr, data, env), function(e) {
    abort("data", "`", arg, "` cannot be evaluated: ", conditionMessage(e), ".")
  })
}

# Values for the usable rows, back at their place among all rows; NA elsewhere.
spread_rows <- function(value, usable) {
  if (all(usable)) return(value)
  place <- rep(NA_integer_, length(usable))
  place[usable] <- seq_len(sum(usable))
  if (is.matrix(value)) value[place, , drop = FALSE] else value[place]
}
