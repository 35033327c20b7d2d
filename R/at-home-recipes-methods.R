# What recipes calls of the steps in at-home-recipes.R, which all have the class projectionstep:
# each class with an underscore is a step of its own to tidy(). A step is a list of its arguments,
# whose selectors are evaluated when it is trained.

#' @exportS3Method recipes::prep
prep.projectionstep <- function(x, training, info = NULL, ...) {
  projection <- step_projection(x)
  domain <- step_column(x, "domain", training, info, spec_needs(projection)$domain)
  outcome <- step_column(x, "outcome", training, info,
                         projection$parts$response %in% c("any", "class"))
  x$columns <- setdiff(recipes::recipes_eval_select(x$terms, training, info), c(domain, outcome))
  weights <- recipes::get_case_weights(info, training)
  rows <- step_rows(weights, nrow(training), x)
  if (length(x$columns) && x$num_comp > 0) {
    data <- training[rows, c(outcome, domain, x$columns)]
    x$res <- fit(projection, step_formula(outcome, domain), data = data,
                 na.action = step_na_action(x))
  }
  x$case_weights <- if (!is.null(weights)) TRUE
  x$trained <- TRUE
  x
}

#' @exportS3Method recipes::bake
bake.projectionstep <- function(object, new_data, ...) {
  fitted <- object$res
  if (is.null(fitted)) return(new_data)
  judge <- if (judges_domain(fitted)) fitted$blueprint$domain_columns
  recipes::check_new_data(c(object$columns, judge), object, new_data)
  scores <- predict(fitted, new_data)
  scores <- recipes::check_name(scores, new_data, object)
  if (!object$keep_original_cols) new_data <- new_data[setdiff(names(new_data), object$columns)]
  new_data[colnames(scores)] <- as.data.frame(scores)
  new_data
}

# Those of recipes are for steps of one class.
#' @export
update.projectionstep <- function(object, ...) {
  changes <- list(...)
  check_no_dots(changes[setdiff(names(changes), names(object))], names(object))
  if (object$trained) {
    abort("argument", "`object` must be a step that is not trained yet, not one after prep().")
  }
  object[names(changes)] <- changes
  object
}

# ---- training ---------------------------------------------------------------------------------

step_name <- function(x) paste0("`", class(x)[1L], "()`")

# The projection without data.
step_projection <- function(x) {
  method <- check_choice(x$method, "method", projection_methods)
  check_count(x$num_comp, "num_comp", at_least = 0L)
  check_flag(x$keep_original_cols, "keep_original_cols")
  if (!is.character(x$prefix) || length(x$prefix) != 1L || is.na(x$prefix)) {
    abort("argument", "`prefix` must be one text, not ", describe(x$prefix), ".")
  }
  named <- Filter(Negate(is.null), unclass(x)[c("lambda", "epsilon", "mu", "scale")])
  named$ncomp <- max(x$num_comp, 1)
  if (!is.null(x$sigma)) named$kernel <- kernel_rbf(sigma = x$sigma)
  options <- step_options(x, c(lambda = "lambda", epsilon = "epsilon", mu = "mu", scale = "scale",
                               ncomp = "num_comp", kernel = "sigma")[names(named)])
  do.call(method, c(named, options[names(options) != "na.action"]))
}

# Further arguments of the projection. taken: those that arguments of the step give, by name.
step_options <- function(x, taken) {
  options <- x$options
  names <- names(options)
  if (!is.list(options) || length(options) && (is.null(names) || any(is_unnamed(names)))) {
    abort("argument", "`options` must be a named list, not ", describe(options), ".")
  }
  data <- intersect(names, setdiff(data_arguments, "na.action"))
  if (length(data)) {
    abort("argument", "`options` must be arguments of ", x$method, "(), not data: `", data[1L],
          "`.")
  }
  twice <- intersect(names, names(taken))
  if (length(twice)) {
    abort("argument", "`options` must not have `", twice[1L], "`: ", step_name(x),
          " has an argument `", taken[[twice[1L]]], "` for it.")
  }
  options
}

step_na_action <- function(x) {
  if (is.null(x$options$na.action)) stats::na.omit else x$options$na.action
}

# The name of the column that a selector or else a role gives; NULL where there is none and none is
# needed.
step_column <- function(x, role, training, info, needed) {
  found <- unname(recipes::recipes_eval_select(x[[role]], training, info))
  if (length(found) == 0L && (needed || role == "domain")) {
    found <- unique(info$variable[info$role %in% role & info$variable %in% names(training)])
  }
  if (length(found) > 1L) {
    abort("argument", "`", role, "` must select one column, not ", enumerate(found), ".")
  }
  if (length(found) == 0L && needed) {
    abort("argument", step_name(x), " needs the ", role, " of each row: ", if (role == "domain") {
      "`domain = school`, or the role by `update_role(school, new_role = \"domain\")`."
    } else "`outcome = y`, or a recipe with an outcome.")
  }
  if (length(found)) found
}

# `y ~ . | domain`
step_formula <- function(outcome, domain) {
  right <- if (is.null(domain)) quote(.) else call("|", quote(.), as.name(domain))
  formula <- if (is.null(outcome)) call("~", right) else call("~", as.name(outcome), right)
  stats::as.formula(formula, env = globalenv())
}

# A row of frequency weight k is k rows.
step_rows <- function(weights, n, x) {
  if (is.null(weights)) return(seq_len(n))
  if (!inherits(weights, "hardhat_frequency_weights")) {
    abort("argument", step_name(x), " takes frequency weights only: projections give all rows the ",
          "same weight. Give the weights to the model alone, or make them whole numbers by ",
          "hardhat::frequency_weights().")
  }
  rep(seq_len(n), as.integer(weights))
}

# ---- what it says -----------------------------------------------------------------------------

#' @export
print.projectionstep <- function(x, width = max(20, options()$width - 30), ...) {
  # a step is there only where recipes is
  recipes::print_step(x$columns, x$terms, x$trained, paste(toupper(x$method), "components of "),
                      width, case_weights = x$case_weights)
  invisible(x)
}

#' @export
tidy.projectionstep <- function(x, type = c("terms", "components"), ...) {
  type <- check_choice(type, "type", c("terms", "components"))
  frame <- if (type == "terms") {
    data.frame(terms = if (x$trained) x$columns else recipes::sel2char(x$terms))
  } else if (is.null(x$res)) {
    data.frame(component = character(), eigenvalue = numeric(), residual = numeric())
  } else {
    data.frame(component = recipes::names0(length(x$res$values), x$prefix),
               eigenvalue = unname(x$res$values), residual = unname(x$res$residual))
  }
  frame$id <- rep(x$id, nrow(frame))
  tibble::as_tibble(frame)
}

#' @exportS3Method generics::required_pkgs
required_pkgs.projectionstep <- function(x, ...) "domgen"

#' @exportS3Method generics::tunable
tunable.projectionstep <- function(x, ...) {
  known <- list(
    num_comp = list(pkg = "dials", fun = "num_comp", range = c(1L, 4L)),
    lambda = list(pkg = "dials", fun = "penalty", range = c(-3, 1)),
    epsilon = list(pkg = "dials", fun = "penalty", range = c(-6, -1)),
    mu = list(pkg = "dials", fun = "penalty", range = c(-2, 2)),
    sigma = list(pkg = "dials", fun = "rbf_sigma", range = c(-0.5, 1)),
    scale = list(pkg = "domgen", fun = "domain_scale")
  )
  own <- known[intersect(names(known), names(x))]
  tibble::tibble(name = names(own), call_info = unname(own), source = "recipe",
                 component = class(x)[1L], component_id = x$id)
}
