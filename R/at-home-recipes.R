# Steps of the recipes package that replace predictors by the components of a projection. All are
# made by step_of(), a line each: the projection, and those of its arguments that a grid can name,
# with their defaults. The methods that recipes calls are in at-home-recipes-methods.R. Nothing of
# recipes is needed before a step is made.

# own: arguments that are named in the step itself; NULL is the default of the projection.
step_of <- function(suffix, own = list(), projection = suffix) {
  step <- function(recipe, ..., domain = NULL, outcome = NULL, role = "predictor",
                   trained = FALSE, num_comp = 2, sigma = NULL, scale = "pooled",
                   options = list(), res = NULL, columns = NULL, prefix = toupper(suffix),
                   keep_original_cols = FALSE, skip = FALSE, id = recipes::rand_id(suffix)) {
    need_package("recipes", paste0("step_", suffix, "()"))
    check_given(recipe, "recipe")
    if (!inherits(recipe, "recipe")) {
      abort("argument", "`recipe` must be a recipe, not ", describe(recipe), ".")
    }
    selectors <- list(terms = rlang::enquos(...), domain = rlang::enquos(domain),
                      outcome = rlang::enquos(outcome))
    names <- setdiff(names(formals(sys.function())), c("recipe", "...", "domain", "outcome"))
    values <- mget(names, environment())
    if (is.null(values$method)) values$method <- projection
    recipes::add_step(recipe, new_step(suffix, c(selectors, values)))
  }
  arguments <- formals(step)
  arguments$id[[2L]] <- suffix
  arguments$prefix <- if (is.null(own$method)) toupper(projection) else quote(toupper(method))
  formals(step) <- append(arguments, own, match("num_comp", names(arguments)))
  step
}

# What recipes keeps of a step, by the suffix of its function. recipes::step() takes one class only.
new_step <- function(suffix, values) {
  named <- values$terms[nzchar(names(values$terms))]
  hidden <- c("terms", "trained", "res", "columns", if (suffix != "domain") "method")
  check_no_dots(named, setdiff(names(values), hidden))
  structure(values, class = c(paste0("step_", suffix), "projectionstep", "step"))
}

#' Projections as steps of a recipe
#'
#' @description
#' Steps for the recipes package, which replace predictors by their components:
#'
#' | step | projection |
#' |---|---|
#' | `step_dica()` | [dica()], what the response depends on, domains close together |
#' | `step_udica()` | [udica()], the same without a response |
#' | `step_dcm()` | [dcm()], larger domains weighing more |
#' | `step_tca()` | [tca()], variance, domains close together |
#' | `step_kpca_domain()` | [kpca()], of which the others are relatives |
#' | `step_domain()` | that of `method`, also [coir()], [sca()], [mda()], [cidg()], [kfd()] |
#'
#' The components are those of the functions themselves, and so are those of new rows, of domains
#' seen in training or not.
#'
#' @param recipe A recipe.
#' @param ... Selectors of the predictors, such as `all_predictors()`; categorical ones become
#'   indicators. The domain and the outcome are left out where they are selected too.
#' @param domain Selector of the column that says which domain a row belongs to, such as `school`,
#'   `"school"` or `has_role("domain")`; `NULL`: the column with the role `"domain"`, if there is
#'   one.
#' @param outcome Selector of the response; `NULL`: the outcome of the recipe. Only used where the
#'   projection looks at it.
#' @param role Role of the components.
#' @param trained,res,columns Set by `prep()`: whether the step is trained, the fitted projection,
#'   the names of the predictors.
#' @param num_comp Number of components; 0 leaves the predictors as they are.
#' @param method Name of a projection: `"dica"`, `"udica"`, `"coir"`, `"kpca"`, `"dcm"`, `"tca"`,
#'   `"sca"`, `"mda"`, `"cidg"` or `"kfd"`.
#' @param lambda,epsilon,mu Arguments of the projection; `NULL` is its default.
#' @param sigma Bandwidth of [kernel_rbf()], in units of the scaled predictors; `NULL`: the median.
#' @param scale How predictors are scaled, see [dica()].
#' @param options Named list of further arguments of the projection, such as
#'   `list(kernel = kernel_laplace(), features = features_nystrom(100))`.
#' @param prefix Name of the components, which is followed by their number.
#' @param keep_original_cols Keep the predictors beside the components?
#' @param skip Leave the step out when other data than those of training are baked?
#' @param id A name of the step.
#' @details
#' **Domains in a recipe.** Give the column a role of its own, `update_role(school, new_role =
#' "domain")`: it is then no predictor, stays in the data, and is found by all steps. With
#' `scale = "domain"` or `"both"` and with a domain kernel in `options`, new rows are judged by the
#' unlabelled rows of their domain that are baked with them; otherwise each row is projected by
#' itself, and the domain column of new rows is not looked at
#' (`update_role_requirements("domain", bake = FALSE)` lets them come without). In recipes before
#' 1.2 a domain column of text comes out of `bake()` as a factor with the levels of training, in
#' which new domains are missing; the components are right.
#'
#' In a workflow, new domains are new levels, which hardhat makes missing where the column is a
#' factor: give `add_recipe(blueprint = hardhat::default_recipe_blueprint(allow_novel_levels =
#' TRUE))`, or keep the column as text. [domain_blueprint()] is for [domain_learner()] alone.
#'
#' **Missing values.** Rows with missing values are left out of training, and are `NA` in `bake()`,
#' each with a warning.
#'
#' **Case weights.** A row with frequency weight k counts as k rows. Importance weights are an
#' error: projections have no weights.
#'
#' **Tuning.** `num_comp`, `lambda`, `epsilon`, `mu`, `sigma` and `scale` can be `tune()`; the
#' parameter objects are those of dials (`num_comp()`, `penalty()`, `rbf_sigma()`, with ranges for
#' these steps) and [domain_scale()].
#'
#' **`tidy()`** gives a tibble with the names of the predictors, `terms`; with
#' `type = "components"` the eigenvalue of each `component` and its residual.
#' @return The recipe with the step.
#' @seealso [dica()], [dcm()], [tca()], [domain_learner()], [domain_blueprint()]
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' library(recipes)
#' pupils <- subset(nlme::MathAchieve, School %in% levels(School)[1:12])
#' new <- subset(nlme::MathAchieve, School %in% levels(School)[13:14])
#'
#' steps <- recipe(MathAch ~ SES + Sex + Minority + School, data = pupils) |>
#'   update_role(School, new_role = "domain") |>
#'   step_dica(all_predictors(), num_comp = 3) |>
#'   prep()
#' steps
#' bake(steps, new)
#' tidy(steps, number = 1, type = "components")
#' @name step_domain
NULL

#' @rdname step_domain
#' @export
step_dica <- step_of("dica", list(lambda = 0.1, epsilon = 1e-4))

#' @rdname step_domain
#' @export
step_udica <- step_of("udica", list(lambda = 0.1))

#' @rdname step_domain
#' @export
step_dcm <- step_of("dcm", list(lambda = NULL, epsilon = 1e-4))

#' @rdname step_domain
#' @export
step_tca <- step_of("tca", list(mu = 1))

#' @rdname step_domain
#' @export
step_kpca_domain <- step_of("kpca_domain", projection = "kpca")

#' @rdname step_domain
#' @export
step_domain <- step_of("domain", list(method = "dica", lambda = NULL, epsilon = NULL, mu = NULL))
