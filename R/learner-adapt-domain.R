# One domain as a model sees it, once and for all: the rows that describe it, their
# labels, and a model whose kernel between domains is fixed there.

# list(X: complete rows, scaled; ok: which of newdata; described: the rows that describe the
# domain; name: of the domain, NULL if nothing says it; one(X): its domain codes; blueprint: the
# model's, with the scaling of this domain where each domain has its own).
domain_rows <- function(object, newdata, domain, reference, reference_domain) {
  new <- read_new(object, newdata, domain, reference, reference_domain)
  if (nrow(new$X) == 0L) abort("data", "`newdata` must have at least one complete row.")
  names <- text_levels(as.character(given_domain(object$blueprint, newdata, domain)[new$ok]))
  if (length(names) > 1L) {
    abort("data", "`newdata` must have rows of one domain, not of ", length(names), " (",
          enumerate(names, quote = "\""), "); adapt to one domain at a time.")
  }
  name <- if (length(names)) names
  extra <- new$reference$domain %in% name
  blueprint <- object$blueprint
  blueprint$scaling$fixed <- new$moments[[1L]]
  blueprint$impute <- fix_imputation(blueprint$impute, new$own, if (is.null(name)) "new" else name)
  list(X = new$X, ok = new$ok, name = name, one = function(X) one_domain(X, name),
       described = if (any(extra)) new$reference$X[extra, , drop = FALSE] else new$X,
       blueprint = blueprint)
}

one_domain <- function(X, name) {
  if (is.null(name)) name <- "new"
  factor(rep(name, nrow(X)), levels = name)
}

# The domains that newdata or the argument names; NULL where neither does.
given_domain <- function(blueprint, newdata, domain) {
  columns <- blueprint$domain_columns
  named <- is.data.frame(newdata) && length(columns) && all(columns %in% names(newdata))
  if (is.null(domain) && !named) return(NULL)
  n <- if (is.null(dim(newdata))) max(length(domain), 1L) else nrow(newdata)
  new_domain(blueprint, newdata, domain, n, FALSE, "newdata")
}

# An expression that names columns, or the value of an argument, which may come through
# another function's `...` and so cannot be evaluated here.
in_columns <- function(expr, value, data, env, arg) {
  if (any(variables_of(expr) %in% names(data))) return(evaluate(expr, data, env, arg))
  on_error(value, function(e) {
    abort("data", "`", arg, "` cannot be evaluated: ", conditionMessage(e), ".")
  })
}

# "score" for the column of that name.
named_column <- function(labels, data) {
  is_name <- is.character(labels) && length(labels) == 1L && !is.na(labels) &&
    labels %in% names(data) && NROW(data) != 1L
  if (is_name) data[[labels]] else labels
}

# list(y, weights) of the complete rows, y as in training and NA where it is not known.
read_labels <- function(given, ok, response) {
  y <- read_vector(given$labels, length(ok), "labels")
  if (is.null(y) || all(is.na(y))) {
    abort("data", "`labels` must have at least one label; without labels, use predict() of ",
          "the model.")
  }
  y <- check_known_response(y, response, "labels")[ok]
  if (all(is.na(y))) abort("data", "No labelled row of `newdata` is complete.")
  weights <- read_vector(given$weights, length(ok), "weights")
  if (is.null(weights)) weights <- rep(1, length(ok))
  weights <- replace(weights[ok], is.na(y), 0)
  list(y = y, weights = read_weights(weights, length(y)))
}

# Responses of new rows, as they were in training; NA where they are not known. arg: which argument
# has them.
check_known_response <- function(y, response, arg) {
  switch(response$kind, number = check_number_labels(y, arg),
         censored = check_time_labels(y, arg), check_class_labels(y, response, arg))
}

check_time_labels <- function(y, arg) {
  if (!is_censored(y) && !all(is.na(y))) {
    abort("data", "`", arg, "` must be censored times, `survival::Surv(time, status)`, as the ",
          "response in training, not ", describe(y), ".")
  }
  y <- as_times(as.complex(y), entries(y))
  if (any(is.infinite(Re(y)))) abort("data", "`", arg, "` must be finite times.")
  y
}

check_number_labels <- function(y, arg) {
  if (!is.numeric(y) && !all(is.na(y))) {
    abort("data", "`", arg, "` must be numbers, as the response in training, not ", describe(y),
          ".")
  }
  if (any(is.infinite(y))) {
    abort("data", "`", arg, "` must be finite; found ",
          plural(sum(is.infinite(y)), "infinite value"), ".")
  }
  as.numeric(y)
}

check_class_labels <- function(y, response, arg) {
  y <- value_labels(y)
  unknown <- setdiff(y, c(response$levels, NA))
  if (length(unknown)) {
    abort("data", "`", arg, "` must be classes of the training data (",
          enumerate(response$levels, quote = "\""), "), not ", enumerate(unknown, quote = "\""),
          ".")
  }
  factor(y, levels = response$levels)
}

# The model for one domain, which rows X describe: whatever rows come, they are of it.
fix_domain <- function(object, X, domain) UseMethod("fix_domain")

#' @exportS3Method
fix_domain.dg_fit <- function(object, X, domain) {
  space <- object$space
  if (!uses_domain(space$domain_kernel)) return(object)
  members <- domain_members(space, list(X = X, domain = domain))
  object$space$domain_kernel <- domain_known(space$domain_kernel, members, NULL)
  object
}

#' @exportS3Method
fix_domain.dg_pipeline <- function(object, X, domain) {
  object$projection <- fix_domain(object$projection, X, domain)
  X <- learner_rows(object, list(X = X, domain = domain))$X
  object$learner <- fix_domain(object$learner, X, domain)
  object
}

# Without what a fit carries of its training rows beside the expansion itself.
forget_rows <- function(object) {
  lost <- c("decision", "scores", "y", "weights", "costs", "domain", "rows", "call", "seal")
  object[lost] <- NULL
  for (part in c("projection", "learner")) {
    if (!is.null(object[[part]])) object[[part]] <- forget_rows(object[[part]])
  }
  object
}
