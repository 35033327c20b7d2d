# A blueprint of the hardhat package that hands the domain of a row, which has a role of its own in
# a recipe, to the model of a workflow, which gets no more than predictors.

# The name of the column that it is handed over in.
handed_domain <- ".domain"

#' A recipe with domains in a workflow
#'
#' @description
#' In a workflow the model gets the predictors and nothing else. With this blueprint of the hardhat
#' package it also gets the column that has the role `"domain"` in the recipe, under the name
#' `.domain`, which [domain_learner()] takes for the domain.
#'
#' ```r
#' workflow() |>
#'   add_recipe(recipe(score ~ ., data) |> update_role(school, new_role = "domain"),
#'              blueprint = domain_blueprint()) |>
#'   add_model(domain_learner("regression"))
#' ```
#'
#' New data need the column too. Where it is a factor, its levels may be others than those of
#' training: other blueprints make such levels missing, which is what new domains are.
#'
#' @param role The role of the column.
#' @param ... Arguments of `hardhat::default_recipe_blueprint()`, such as `intercept`.
#' @return A blueprint, for `workflows::add_recipe()` and `hardhat::mold()`.
#' @seealso [domain_learner()], [step_dica()]
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
  known <- names(formals(hardhat::default_recipe_blueprint))
  check_no_dots(list(...), known, fine = known)
  hardhat::new_default_recipe_blueprint(..., domain_role = role,
                                        subclass = "domgen_domain_blueprint")
}

#' @exportS3Method hardhat::run_mold
run_mold.domgen_domain_blueprint <- function(blueprint, ..., data) {
  info <- summary(blueprint$recipe)
  role <- blueprint$domain_role
  columns <- info$variable[info$role %in% role]
  if (length(columns) != 1L) {
    abort("argument", "The recipe must give one column the role \"", role, "\", by ",
          "`update_role(school, new_role = \"", role, "\")`, not ",
          if (length(columns)) enumerate(columns) else "none", ".")
  }
  if (blueprint$composition != "tibble") {
    abort("argument", "`composition` must be \"tibble\", in which the domain keeps its type, not ",
          describe(blueprint$composition), ".")
  }
  blueprint$domain_column <- columns
  parts <- hardhat::run_mold(as_default(blueprint), ..., data = data)
  class(parts$blueprint) <- class(blueprint)
  with_domain(parts, blueprint)
}

#' @exportS3Method hardhat::run_forge
run_forge.domgen_domain_blueprint <- function(blueprint, new_data, ...) {
  column <- blueprint$domain_column
  role <- blueprint$domain_role
  if (!column %in% colnames(new_data)) {
    abort("data", "New data must have the column `", column, "`, which has the role \"", role,
          "\" and is handed over to the model.")
  }
  # hardhat does not know the columns of a role that new data need not have for the recipe
  known <- blueprint$extra_role_ptypes[[role]]
  if (is.null(known)) known <- tibble::as_tibble(new_data)[0L, column]
  domain <- new_data[[column]]
  # the levels of new domains are those that they have
  if (is.factor(domain) || is.character(domain)) {
    if (is.factor(known[[column]])) {
      new_data[[column]] <- factor(domain, ordered = is.ordered(known[[column]]))
    }
    known[[column]] <- new_data[[column]][0L]
    # those that recipes before 1.2 gives all columns at last
    blueprint$recipe$levels[[column]] <- NULL
  }
  blueprint$extra_role_ptypes[[role]] <- known
  with_domain(hardhat::run_forge(as_default(blueprint), new_data, ...), blueprint)
}

# The blueprint without what is our own: NextMethod() would pass the arguments on as they came.
as_default <- function(blueprint) {
  class(blueprint) <- setdiff(class(blueprint), "domgen_domain_blueprint")
  blueprint
}

# That of hardhat makes one of its own class.
#' @exportS3Method hardhat::refresh_blueprint
refresh_blueprint.domgen_domain_blueprint <- function(blueprint) {
  structure(NextMethod(), class = class(blueprint))
}

# parts: of mold() or forge(): the column with the domain among the predictors too.
with_domain <- function(parts, blueprint) {
  if (handed_domain %in% colnames(parts$predictors)) {
    abort("argument", "No predictor must be called `", handed_domain, "`, which is the name that ",
          "the domain is handed over by.")
  }
  parts$predictors[[handed_domain]] <- parts$extras$roles[[blueprint$domain_role]][[1L]]
  parts
}
