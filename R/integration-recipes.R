# The step of the recipes package that replaces predictors by the components of a projection.

#' Integration with tidymodels: a projection as a step of a recipe
#'
#' @description
#' A step for the recipes package that replaces predictors by the components of a projection. The
#' components equal those of `predict()` for the projection fitted directly. This holds for training
#' rows and new rows, in training domains and in new ones.
#'
#' @param recipe A recipe.
#' @param ... Selectors of the predictors, such as `all_predictors()`. Categorical predictors become
#'   indicators. The columns of domain and outcome are never predictors, even if they are selected.
#' @param domain Selector of the domain column, such as `school`, `"school"` or
#'   `has_role("domain")`. Default `NULL`: the column with the role `"domain"`, if there is one.
#' @param outcome Selector of the response. Default `NULL`: the outcome of the recipe. Only used if
#'   the projection uses a response.
#' @param role Role of the components. Default `"predictor"`.
#' @param trained,res,columns Set by `prep()`: `TRUE` if the step is trained, the fitted projection,
#'   names of the predictors.
#' @param num_comp Number of components. Default 2; with 0 the predictors are unchanged.
#' @param method The [projection][dg_dica()]. Default `"dica"`, see [dg_dica()]: keeps what the
#'   response depends on and brings domains together; `"udica"` does so without a response, `"dcm"`
#'   with more weight for larger domains, `"tca"` keeps variance. Others: `"coir"`, `"kpca"`,
#'   `"sca"`, `"mda"`, `"cidg"`, `"kfd"`.
#' @param lambda,epsilon,mu Arguments of the projection, where it has them; `NULL`: its default.
#' @param bandwidth Bandwidth of [kernel_rbf()], in units of the scaled predictors. Default `NULL`:
#'   the median bandwidth.
#' @param scale Scaling of the predictors, see [dg_dica()].
#' @param options Named list of further arguments of the projection, such as
#'   `list(kernel = kernel_laplace(), feature_map = features_nystrom(100))`.
#' @param prefix Start of the components' names, followed by their number. Default: the name of the
#'   method in capitals.
#' @param keep_original_cols If `TRUE`, the predictors are kept alongside the components.
#' @param skip If `TRUE`, the step is skipped when data other than the training data are baked.
#' @param id Unique name of the step.
#' @details **Domains in a recipe.** Give the column a role, `update_role(school, new_role =
#' "domain")`: it is then not a predictor, stays in the data, and is found by the step.
#'
#' With `scale = "domain"` or `"both"`, or a domain kernel in `options`, a new row is projected
#' using the unlabelled rows of its domain that are baked together. Otherwise each row is projected
#' separately, and new data need no domain column (`update_role_requirements("domain", bake =
#' FALSE)`).
#'
#' In recipes before 1.2, `bake()` turns a domain column of text into a factor with the training
#' domains as levels. New domains are then `NA` in this column; their components are right.
#'
#' In a workflow, hardhat replaces new levels of a factor, and so new domains, by missing values:
#' use `add_recipe(blueprint = hardhat::default_recipe_blueprint(allow_novel_levels = TRUE))`, or
#' keep the column as text. [domain_blueprint()] is only for [domain_learner()].
#'
#' **Missing values.** The projection is fitted without rows that have missing values. `bake()`
#' keeps these rows, with `NA` as components. Both give a warning.
#'
#' **Case weights.** A row with frequency weight k counts as k rows. Importance weights are an
#' error: projections have no weights.
#'
#' **Tuning.** `num_comp`, `bandwidth`, `scale`, and of `lambda`, `epsilon` and `mu` those that the
#' projection has, can be `tune()`, with `num_comp()`, `penalty()` and `rbf_sigma()` of dials
#' (ranges for this step) and [domain_scaling_type()].
#'
#' **`tidy()`** returns a tibble with the columns `terms` (names of the predictors) and `id`; with
#' `type = "components"`, `component`, `eigenvalue`, `residual` and `id`.
#' @return The recipe with the step added.
#' @section Errors:
#' No domain or outcome, if the projection needs it; more than one column for either; unknown
#' arguments; `options` that the step itself has.
#' @seealso [dg_dica()], [dg_dcm()], [dg_tca()], [domain_learner()], [domain_blueprint()]
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' library(recipes)
#' pupils <- subset(nlme::MathAchieve, School %in% levels(School)[1:12])
#' new <- subset(nlme::MathAchieve, School %in% levels(School)[13:14])
#'
#' steps <- recipe(MathAch ~ SES + Sex + Minority + School, data = pupils) |>
#'   update_role(School, new_role = "domain") |>
#'   step_domain(all_predictors(), method = "dica", num_comp = 3) |>
#'   prep()
#' steps
#' bake(steps, new)
#' tidy(steps, number = 1, type = "components")
#' @export
step_domain <- function(recipe, ..., domain = NULL, outcome = NULL, role = "predictor",
                        trained = FALSE, num_comp = 2, method = "dica", lambda = NULL,
                        epsilon = NULL, mu = NULL, bandwidth = NULL, scale = "pooled",
                        options = list(), res = NULL, columns = NULL, prefix = toupper(method),
                        keep_original_cols = FALSE, skip = FALSE, id = recipes::rand_id("domain")) {
  # recipes is not needed before a step is made
  need_package("recipes", "step_domain()")
  check_given(recipe, "recipe")
  if (!inherits(recipe, "recipe")) {
    abort("argument", "`recipe` must be a recipe, not ", describe(recipe), ".")
  }
  selectors <- list(terms = rlang::enquos(...), domain = rlang::enquos(domain),
                    outcome = rlang::enquos(outcome))
  names <- setdiff(names(formals(step_domain)), c("recipe", "...", "domain", "outcome"))
  if (missing(prefix)) prefix <- upper_case(method)
  values <- mget(names, environment())
  # named selectors are misspelt arguments
  named <- selectors$terms[nzchar(names(selectors$terms))]
  check_no_dots(named, setdiff(c(names(selectors), names(values)),
                               c("terms", "trained", "res", "columns")))
  # recipes::step() takes one class only
  recipes::add_step(recipe, structure(c(selectors, values),
                                      class = c("step_domain", "projectionstep", "step")))
}

# ---- methods for recipes ----------------------------------------------------------------------
#
# Methods are of the class projectionstep: tidy() takes each class with an underscore for a separate
# step. A step is a list of its arguments, whose selectors are evaluated when it is trained.

#' @exportS3Method recipes::prep
prep.projectionstep <- function(x, training, info = NULL, ...) {
  enter_session()
  projection <- step_projection(x)
  domain <- step_column(x, "domain", training, info, spec_needs(projection)$domain)
  outcome <- step_column(x, "outcome", training, info,
                         method_of(projection)$response %in% c("any", "class"))
  x$columns <- setdiff(recipes::recipes_eval_select(x$terms, training, info), c(domain, outcome))
  weights <- recipes::get_case_weights(info, training)
  at <- seq_len(nrow(training))
  if (!is.null(weights)) {
    if (!inherits(weights, "hardhat_frequency_weights")) {
      abort("argument", step_name(x), " only takes frequency weights, because projections weight ",
            "rows equally. Give the weights to the model only, or make them whole numbers with ",
            "hardhat::frequency_weights().")
    }
    # a row of frequency weight k is k rows
    at <- rep(at, as.integer(weights))
  }
  if (length(x$columns) && x$num_comp > 0) {
    data <- training[at, c(outcome, domain, x$columns)]
    # outcome ~ . | domain
    right <- if (is.null(domain)) quote(.) else call("|", quote(.), as.name(domain))
    formula <- if (is.null(outcome)) call("~", right) else call("~", as.name(outcome), right)
    na.action <- if (is.null(x$options$na.action)) stats::na.omit else x$options$na.action
    x$res <- fit(projection, stats::as.formula(formula, env = globalenv()), data = data,
                 na.action = na.action)
  }
  x$case_weights <- if (!is.null(weights)) TRUE
  x$trained <- TRUE
  x
}

#' @exportS3Method recipes::bake
bake.projectionstep <- function(object, new_data, ...) {
  enter_session()
  fitted <- object$res
  if (is.null(fitted)) return(new_data)
  columns <- if (describes_domain(fitted)) fitted$blueprint$domain_columns
  recipes::check_new_data(c(object$columns, columns), object, new_data)
  scores <- predict(fitted, new_data)
  scores <- recipes::check_name(scores, new_data, object)
  if (!object$keep_original_cols) new_data <- new_data[setdiff(names(new_data), object$columns)]
  new_data[colnames(scores)] <- as.data.frame(scores)
  new_data
}

# The methods of recipes are for steps with one class.
#' @export
update.projectionstep <- function(object, ...) {
  changes <- list(...)
  check_no_dots(changes[setdiff(names(changes), names(object))], names(object))
  if (object$trained) {
    abort("argument", "`object` must be an untrained step, not one after prep().")
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
  if (!is.null(x$bandwidth)) named$kernel <- kernel_rbf(bandwidth = x$bandwidth)
  options <- step_options(x, c(lambda = "lambda", epsilon = "epsilon", mu = "mu", scale = "scale",
                               ncomp = "num_comp", kernel = "bandwidth")[names(named)])
  do.call(paste0("dg_", method), c(named, options[names(options) != "na.action"]))
}

# Further arguments of the projection. taken: those given by arguments of the step, by name.
step_options <- function(x, taken) {
  options <- x$options
  names <- names(options)
  if (!is.list(options) || length(options) && (is.null(names) || any(is_unnamed(names)))) {
    abort("argument", "`options` must be a named list, not ", describe(options), ".")
  }
  data <- intersect(names, setdiff(data_arguments, "na.action"))
  if (length(data)) {
    abort("argument", "`options` must be arguments of dg_", x$method, "(), not data: `", data[1L],
          "`.")
  }
  twice <- intersect(names, names(taken))
  if (length(twice)) {
    abort("argument", "`options` must not have `", twice[1L], "`: use the argument `",
          taken[[twice[1L]]], "` of ", step_name(x), ".")
  }
  options
}

# The name of the column given by a selector or else a role; NULL if there is none and none is
# needed.
step_column <- function(x, role, training, info, needed) {
  column <- unname(recipes::recipes_eval_select(x[[role]], training, info))
  if (length(column) == 0L && (needed || role == "domain")) {
    column <- unique(info$variable[info$role %in% role & info$variable %in% names(training)])
  }
  if (length(column) > 1L) {
    abort("argument", "`", role, "` must select one column, not ", enumerate(column), ".")
  }
  if (length(column) == 0L && needed) {
    abort("argument", step_name(x), " needs the ", role, " of each row: ", if (role == "domain") {
      "`domain = school`, or the role by `update_role(school, new_role = \"domain\")`."
    } else "`outcome = y`, or a recipe with an outcome.")
  }
  if (length(column)) column
}

# ---- prints and tables ------------------------------------------------------------------------

#' @export
print.projectionstep <- function(x, width = max(20, options()$width - 30), ...) {
  # steps exist only if recipes is installed
  recipes::print_step(x$columns, x$terms, x$trained, paste(upper_case(x$method), "components of "),
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
  parameters <- list(
    num_comp = list(pkg = "dials", fun = "num_comp", range = c(1L, 4L)),
    lambda = list(pkg = "dials", fun = "penalty", range = c(-3, 1)),
    epsilon = list(pkg = "dials", fun = "penalty", range = c(-6, -1)),
    mu = list(pkg = "dials", fun = "penalty", range = c(-2, 2)),
    bandwidth = list(pkg = "dials", fun = "rbf_sigma", range = c(-0.5, 1)),
    scale = list(pkg = "domgen", fun = "domain_scaling_type")
  )
  # lambda, epsilon and mu of methods that have them
  absent <- if (x$method %in% projection_methods) {
    setdiff(c("lambda", "epsilon", "mu"), names(formals(paste0("dg_", x$method))))
  }
  tuned <- parameters[setdiff(names(parameters), absent)]
  tibble::tibble(name = names(tuned), call_info = unname(tuned), source = "recipe",
                 component = class(x)[1L], component_id = x$id)
}
