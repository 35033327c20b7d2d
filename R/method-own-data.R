# The data of a function that takes a model first: those that are given, else those of the model's
# own call, which must be the rows that it was fitted to. A data frame is read by the model's
# formula, where it has one.

# given: data arguments, expressions by name; needed: what to do without the model's own.
model_input <- function(object, given, env, needed = what_to_give(object)) {
  if (!any(c("x", "formula", "data") %in% names(given))) {
    return(training_input(object, env, given, needed))
  }
  completed <- with_formula(given, env, own_formula(object, env))
  input <- evaluate_given(completed, env)
  if (!identical(completed, given)) {
    input <- carry_columns(input, setdiff_by_name(own_data(object, env), given), env)
  }
  read_input(input)
}

# Adds the formula of a model to a data frame or a source given as `x`, or to `data` alone. A data
# frame with `y` beside it has predictors only, and gets none.
with_formula <- function(given, env, formula) {
  if (!is.null(given[["formula"]]) || !is.null(given[["y"]])) return(given)
  data <- given[["data"]]
  if (is.null(data)) {
    x <- eval(given[["x"]], env)
    if (inherits(x, c("data.frame", "dg_source"))) data <- x
  } else if (!is.null(given[["x"]])) return(given)
  # lazily: several models may have several
  if (is.null(data) || is.null(formula)) return(given)
  given$data <- data
  given$x <- formula
  given
}

setdiff_by_name <- function(args, given) args[setdiff(names(args), names(given))]

# Weights in a model's call, say, belong to its own rows, unless they name a column of the data.
carry_columns <- function(input, args, env) {
  for (name in intersect(c("domain", "weights", "unit"), names(args))) {
    if (!is.null(input$source)) {
      input[name] <- args[name]
      next
    }
    columns <- variables_of(args[[name]])
    if (length(columns) == 0L || !all(columns %in% names(input$data))) {
      abort("argument", "`", name, "` must be given with other data: the model has it for its own ",
            "rows only.")
    }
    input[[name]] <- evaluate(args[[name]], input$data, env, name)
  }
  if (is.null(input$na.action)) input$na.action <- eval(args[["na.action"]], env)
  input
}

# given: arguments that take the place of the model's own.
training_input <- function(object, env, given = list(), needed = what_to_give(object)) {
  args <- own_data(object, env)
  if (length(args) == 0L) {
    abort("data", "The model was not fitted by a call that has its data: ", needed, ".")
  }
  args[names(given)] <- given
  input <- on_error(evaluate_input(args, env), function(e) {
    abort("data", "The data of the model are gone (", sub("[.]$", "", conditionMessage(e)), "): ",
          needed, ".")
  })
  check_origin(object, input, names(given), needed)
}

# The names in the call must stand for what they stood for when the model was fitted. Sources check
# themselves, and sums have no rows.
check_origin <- function(object, input, given, needed) {
  origin <- object$rows$origin
  # a model of a source that was taken into memory
  if (!is.null(origin)) input <- collect_input(list(object$spec), input)
  rowless <- !is.null(input$source) || inherits(input$x, "dg_feature_sums")
  if (is.null(origin) && rowless) return(input)
  how <- if (!is.null(input$source)) "they come from a source, and did not"
         else if (is.null(origin)) "they came in another form"
         else origin_difference(origin, row_origin(input, object$blueprint),
                                setdiff(names(origin$sums), given))
  if (is.null(how)) return(input)
  abort("data", "The data named in the model's call are not those that it was fitted to, or they ",
        "have changed (", how, "): ", needed, ".")
}

what_to_give <- function(object) {
  if (is.null(object$formula)) "give `x`, and what belongs to it" else "give `data`"
}

# The data arguments of a model's call, as expressions; the formula and `na.action` come from the
# fit. `x` is the formula, where there is one, and `data` its data.
own_data <- function(object, env) {
  args <- as.list(object$call)[-1L]
  args <- args[names(args) %in% data_arguments]
  if (!any(c("x", "formula", "data") %in% names(args))) return(list())
  origin <- object$rows$origin
  # sums that the user made
  if (is.null(origin) && is.null(object$rows$sizes)) return(args)
  formula <- own_formula(object, env)
  if (!is.null(formula)) {
    behind <- if (is.null(args[["formula"]])) "y" else "x"
    if (is.null(args[["data"]])) args$data <- args[[behind]]
    args[c("formula", "y")] <- NULL
    args$x <- formula
  }
  if (is.null(origin)) return(args)
  # NULL, or a column that the formula has by now
  args[setdiff(c("y", "domain", "weights", "unit"), names(origin$sums))] <- NULL
  args$na.action <- object$rows$action
  args
}

# A call that took its data from a model, with these arguments added.
with_own_data <- function(call, object, given, env) {
  args <- own_data(object, env)
  if (any(c("x", "formula", "data") %in% names(given))) {
    if (identical(with_formula(given, env, object$formula), given)) return(call)
    args$data <- if (is.null(given[["data"]])) given[["x"]] else given[["data"]]
    given[c("x", "data")] <- NULL
  }
  if (!is.null(object$formula)) args$x <- object$formula
  args <- setdiff_by_name(args, given)
  call[names(args)] <- args
  call
}

# The formula. Its variables are those that the model keeps, then those of the caller.
own_formula <- function(object, env) {
  formula <- object$formula
  if (is.null(formula)) return(NULL)
  formula <- add_bar(own_bare(object), split_formula(formula)$domain)
  values <- as.list(environment(object$blueprint$terms), all.names = TRUE)
  environment(formula) <- list2env(values, parent = env)
  formula
}

# The formula without its domain. The predictors of the fit replace `.`: the data may have got
# another column since.
own_bare <- function(object) {
  bare <- split_formula(object$formula)$bare
  last <- length(bare)
  if ("." %in% variables_of(bare)) {
    plain <- object$blueprint$simple
    shared <- object$blueprint$shared
    bare[[last]] <- if (!is.null(shared)) shared
                    else if (is.null(plain)) stats::formula(stats::terms(object))[[2L]]
                    else simple_sum(plain)
  }
  bare
}

# One formula for all of several models.
shared_formula <- function(models, env) {
  models <- Filter(function(model) inherits(model, "dg_fit") && !is.null(model$formula), models)
  if (length(models) == 0L) return(NULL)
  texts <- unique(vapply(models, function(model) format_formula(own_formula(model, env)), ""))
  if (length(texts) > 1L) {
    abort("argument", "`x` must be a formula: the models have several, ", enumerate(texts), "; or ",
          "compare specifications that have `terms` each, as in `dg_lm(terms = ~ x1)`.")
  }
  own_formula(models[[1L]], env)
}
