# A blueprint of the hardhat package that passes the domain, a role in a recipe, on to the model of
# a workflow, which otherwise only gets predictors.

# The name of the column that is passed on.
handed_domain <- ".domain"

#' Integration with tidymodels: the domain of a recipe in a workflow
#'
#' @description
#' In a workflow with a recipe, the model only gets the predictors. With this blueprint of the
#' hardhat package [domain_learner()] also gets the column with the role `"domain"`, under the name
#' `.domain`, and uses it as the domain. Models of other packages do not get it:
#'
#' ```r
#' workflow() |>
#'   add_recipe(recipe(score ~ ., data) |> update_role(school, new_role = "domain"),
#'              blueprint = domain_blueprint()) |>
#'   add_model(domain_learner("regression"))
#' ```
#'
#' New data need the column too. If it is a factor, its levels may differ from training. (Other
#' blueprints replace new levels, and so new domains, by missing values.)
#'
#' `workflowsets::workflow_set()` takes recipes without a blueprint. Make the workflows yourself,
#' here with the recipe `steps` and a list `models` of [domain_learner()]s and models of others:
#' ```r
#' flows <- lapply(models, function(model) workflow(steps, model) |>
#'   update_recipe(steps, blueprint = domain_blueprint()))
#' do.call(workflowsets::as_workflow_set, flows)
#' ```
#'
#' @param role Role of the domain column in the recipe. Default `"domain"`.
#' @param ... Arguments of `hardhat::default_recipe_blueprint()`, such as `intercept`.
#' @return A blueprint for `workflows::add_recipe()` and `hardhat::mold()`.
#' @section Errors:
#' A recipe in which no column, or more than one, has the role; `composition` other than `"tibble"`;
#' a predictor called `.domain`; new data without the column.
#' @seealso [domain_learner()], [step_domain()]
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' pupils <- subset(nlme::MathAchieve, School %in% levels(School)[1:3])
#' steps <- recipes::recipe(MathAch ~ SES + Sex + School, data = pupils) |>
#'   recipes::update_role(School, new_role = "domain")
#' molded <- hardhat::mold(steps, pupils, blueprint = domain_blueprint())
#' molded$predictors
#' @export
domain_blueprint <- function(role = "domain", ...) {
  need_package("hardhat", "domain_blueprint()")
  if (!is.character(role) || length(role) != 1L || is.na(role)) {
    abort("argument", "`role` must be the name of a role, not ", describe(role), ".")
  }
  allowed <- names(formals(hardhat::default_recipe_blueprint))
  check_no_dots(list(...), allowed, fine = allowed)
  hardhat::new_default_recipe_blueprint(..., domain_role = role,
                                        subclass = "domgen_domain_blueprint")
}

#' @exportS3Method hardhat::run_mold
run_mold.domgen_domain_blueprint <- function(blueprint, ..., data) {
  enter_session()
  info <- summary(blueprint$recipe)
  role <- blueprint$domain_role
  columns <- info$variable[info$role %in% role]
  if (length(columns) != 1L) {
    abort("argument", "One column of the recipe must have the role \"", role, "\", not ",
          if (length(columns)) enumerate(columns) else "none",
          ": `update_role(school, new_role = \"", role, "\")`.")
  }
  if (blueprint$composition != "tibble") {
    abort("argument", "`composition` must be \"tibble\", which keeps the type of the domain, not ",
          describe(blueprint$composition), ".")
  }
  blueprint$domain_column <- columns
  # to the model of another package it would be a predictor
  workflow <- workflow_being_fitted()
  blueprint$passed_on <- is.null(workflow) || has_domain_learner(workflow)
  parts <- hardhat::run_mold(as_default(blueprint), ..., data = data)
  class(parts$blueprint) <- class(blueprint)
  with_domain(parts, blueprint)
}

#' @exportS3Method hardhat::run_forge
run_forge.domgen_domain_blueprint <- function(blueprint, new_data, ...) {
  enter_session()
  column <- blueprint$domain_column
  role <- blueprint$domain_role
  if (!column %in% colnames(new_data)) {
    abort("data", "New data must have the column `", column, "`, whose role is \"", role, "\".")
  }
  # hardhat does not store columns of roles that the recipe does not need in new data
  prototype <- blueprint$extra_role_ptypes[[role]]
  if (is.null(prototype)) prototype <- tibble::as_tibble(new_data)[0L, column]
  domain <- new_data[[column]]
  # new data keep their own levels
  if (is.factor(domain) || is.character(domain)) {
    if (is.factor(prototype[[column]])) {
      new_data[[column]] <- factor(domain, ordered = is.ordered(prototype[[column]]))
    }
    prototype[[column]] <- new_data[[column]][0L]
    # recipes before 1.2 would restore the levels of training
    blueprint$recipe$levels[[column]] <- NULL
  }
  blueprint$extra_role_ptypes[[role]] <- prototype
  with_domain(hardhat::run_forge(as_default(blueprint), new_data, ...), blueprint)
}

# The blueprint without our class: NextMethod() would pass on the original arguments.
as_default <- function(blueprint) {
  class(blueprint) <- setdiff(class(blueprint), "domgen_domain_blueprint")
  blueprint
}

# hardhat's method returns a blueprint of its own class.
#' @exportS3Method hardhat::refresh_blueprint
refresh_blueprint.domgen_domain_blueprint <- function(blueprint) {
  structure(NextMethod(), class = class(blueprint))
}

# parts: from mold() or forge(). Adds the domain column to the predictors.
with_domain <- function(parts, blueprint) {
  if (!blueprint$passed_on) return(parts)
  if (handed_domain %in% colnames(parts$predictors)) {
    abort("argument", "No predictor must be called `", handed_domain, "`: the domain is passed on ",
          "under this name.")
  }
  parts$predictors[[handed_domain]] <- parts$extras$roles[[blueprint$domain_role]][[1L]]
  parts
}
