# What is remembered of the training data's form, and its replay on new data.

blueprint_formula <- function(terms, frame, design, parts, data) {
  predictors <- stats::delete.response(terms)
  raw <- data[intersect(all.vars(predictors), names(data))]
  list(
    kind = "formula", columns = colnames(design$X), terms = predictors,
    xlevels = stats::.getXlevels(predictors, frame), contrasts = design$contrasts,
    prototype = raw[0L, , drop = FALSE],
    domain = parts$domain, domain_columns = intersect(all.vars(parts$domain), names(data)),
    response_name = if (is.null(parts$response)) "y" else deparse1(parts$response)
  )
}

# named: did the user name the columns? Then new data are matched by name.
blueprint_matrix <- function(X, named) {
  list(kind = "matrix", columns = colnames(X), named = named && !anyDuplicated(colnames(X)),
       response_name = "y")
}

# New rows: list(X, complete rows only, not yet scaled; domain; ok: which rows of newdata those
# are). A model that does not judge rows by their domain does not look at it.
replay <- function(blueprint, newdata, domain = NULL, needs_domain = FALSE, arg = "newdata") {
  X <- if (blueprint$kind == "formula") replay_formula(blueprint, newdata, arg)
       else replay_matrix(blueprint, newdata, arg)
  domain <- if (needs_domain || !is.null(domain)) {
    new_domain(blueprint, newdata, domain, nrow(X), needs_domain, arg)
  }
  if (!needs_domain) domain <- rep("new", nrow(X))
  ok <- rowSums(is.na(X)) == 0 & !is.na(domain)
  if (any(!ok)) warn_incomplete(sum(!ok), needs_domain, arg)
  X <- X[ok, , drop = FALSE]
  check_finite(X, paste0("`", arg, "`: predictor"))
  list(X = X, domain = factor(domain[ok]), ok = ok)
}

warn_incomplete <- function(n, needs_domain, arg) {
  warn("missing", plural(n, "row"), " of `", arg, "`", if (n == 1) " has" else " have",
       " missing values: ", if (arg == "newdata") "the prediction is NA" else "left out",
       if (needs_domain && arg %in% c("newdata", "reference")) {
         ", and the domain is judged by its other rows"
       }, ".")
}

replay_formula <- function(blueprint, newdata, arg) {
  newdata <- check_data(newdata, arg)
  names <- names(blueprint$prototype)
  check_columns(newdata, names, arg)
  for (name in names) newdata[[name]] <- replay_column(newdata[[name]], name, blueprint, arg)

  X <- matrix(NA_real_, nrow(newdata), length(blueprint$columns),
              dimnames = list(NULL, blueprint$columns))
  complete <- !missing_rows(newdata, names)
  if (any(complete)) {
    frame <- model_frame(blueprint$terms, newdata[complete, , drop = FALSE], blueprint$xlevels)
    new <- model_matrix(blueprint$terms, frame, blueprint$contrasts)$X
    X[complete, ] <- if (setequal(colnames(new), colnames(X))) new[, colnames(X)] else new
  }
  X
}

# x - mean(x) is another number when a row comes alone. What cannot be replayed at
# all will be an error at prediction.
warn_dependent <- function(blueprint, data, X) {
  last <- nrow(X)
  alone <- tryCatch(replay_formula(blueprint, data[last, , drop = FALSE], "data"),
                    domgen_error = function(e) NULL)
  if (is.null(alone)) return(invisible())
  differs <- which(!(alone[1L, ] == X[last, ]) %in% TRUE)
  rounding <- vapply(differs, function(j) {
    isTRUE(abs(alone[1L, j] - X[last, j]) <= 1e-8 * max(abs(X[, j])))
  }, logical(1))
  differs <- differs[!rounding]
  if (length(differs)) {
    warn("dependent", "The value of ", enumerate(colnames(X)[differs]), " in a row depends on the",
         " other rows: predictions will depend on which rows of `newdata` come together.")
  }
}

check_columns <- function(newdata, names, arg) {
  absent <- setdiff(names, names(newdata))
  if (length(absent)) {
    abort("data", "`", arg, "` has no column ", enumerate(absent), "; it has ",
          if (length(newdata)) enumerate(names(newdata)) else "no columns", ".")
  }
}

# A column of newdata with the type and the levels it had in training.
replay_column <- function(column, name, blueprint, arg) {
  prototype <- blueprint$prototype[[name]]
  if (all(is.na(column))) {
    return(blueprint$prototype[rep(NA_integer_, NROW(column)), name])
  }
  types <- vapply(list(prototype, column), function(v) {
    type <- column_type(v)
    if (is.na(type)) class(v)[1L] else type
  }, "")
  if (types[1L] != types[2L]) {
    abort("data", "`", arg, "$", name, "` must be ", types[1L], " as in training, not ",
          types[2L], ".")
  }
  if (types[1L] != "categorical") return(column)
  column <- as.character(column)
  known <- if (is.factor(prototype)) levels(prototype) else blueprint$xlevels[[name]]
  unseen <- if (!is.null(known)) setdiff(column, c(known, NA))
  if (length(unseen)) {
    abort("data", "`", arg, "$", name, "` must have levels seen in training (",
          enumerate(known, quote = "\""), "), not ", enumerate(unseen, quote = "\""), ".")
  }
  if (is.factor(prototype)) factor(column, known, ordered = is.ordered(prototype)) else column
}

replay_matrix <- function(blueprint, newdata, arg) {
  columns <- blueprint$columns
  if (is.data.frame(newdata)) newdata <- numeric_frame(newdata, blueprint, arg)
  one_row <- is.null(dim(newdata)) && length(columns) > 1L && length(newdata) == length(columns)
  if (one_row) newdata <- matrix(newdata, 1L, dimnames = list(NULL, names(newdata)))
  X <- as_numeric_matrix(newdata, arg)
  if (blueprint$named && !is.null(colnames(newdata))) {
    check_columns(as.list(as.data.frame(X, optional = TRUE)), columns, arg)
    X <- X[, columns, drop = FALSE]
  }
  if (ncol(X) != length(columns)) {
    abort("data", "`", arg, "` must have the ", plural(length(columns), "column"),
          " of the training data, not ", ncol(X), ".")
  }
  colnames(X) <- columns
  X
}

numeric_frame <- function(newdata, blueprint, arg) {
  newdata <- check_data(newdata, arg)
  if (blueprint$named) {
    check_columns(newdata, blueprint$columns, arg)
    newdata <- newdata[blueprint$columns]
  }
  numeric <- vapply(newdata, function(v) is.numeric(v) || is.logical(v), logical(1))
  if (!all(numeric)) {
    abort("data", "`", arg, "` must have numeric columns, as the matrix in training, not ",
          enumerate(names(newdata)[!numeric]), ".")
  }
  data.matrix(newdata)
}

# One entry per row of newdata; without any: an error where it is needed, else
# one domain.
new_domain <- function(blueprint, newdata, domain, n, needed, arg) {
  columns <- blueprint$domain_columns
  if (is.null(domain) && length(columns) && all(columns %in% names(newdata))) {
    domain <- evaluate(blueprint$domain, check_data(newdata, arg), environment(blueprint$terms),
                       "domain")
  }
  if (is.null(domain)) {
    if (needed) abort_domain(columns, arg)
    return(rep("new", n))
  }
  if (length(domain) == 1L && is.atomic(domain)) domain <- rep(domain, n)
  read_vector(domain, n, if (arg == "reference") "reference_domain" else "domain")
}

abort_domain <- function(columns, arg) {
  given <- if (arg == "reference") "`reference_domain`" else "`domain`"
  abort("data", "This model judges a row by the other rows of its domain: ",
        if (length(columns)) paste0("`", arg, "` must have the domain column ", enumerate(columns),
                                    ", or "),
        given, " must be given.")
}
