#' Choose parameters by domain
#'
#' @description
#' Tries values of parameters, scores each choice on held-out domains ([dg_cv()]), and fits the best
#' to all the data. Without data it is a specification like any other: `dg_cv(dg_tune(spec), ...)`
#' chooses anew inside each outer fold, so that its score is that of the whole procedure on
#' domains which neither fit nor choice has seen.
#'
#' @details
#' **Names.** A name in `grid` is an argument of the method (`lambda`, `cost`), or a path into a
#' kernel or feature map that is given there: `domain_kernel.embedding_kernel.bandwidth`,
#' `feature_map.n_landmarks`. `bandwidth`, `bandwidth_factor` (multiples of the median distance) and
#' `smoothing` are those of `kernel`. Values may be a list of kernels:
#' `kernel = list(kernel_rbf(), kernel_laplace())`. In a [dg_pipeline()] the name of the part may
#' come first, as in `dica.epsilon` or `svm.cost`, and must where both parts know it.
#'
#' **Searches.** `"grid"` tries all combinations; `"random"` as many as `size` says, drawn from
#' them; `"coordinate"` starts in the middle and goes through one parameter after the other, with
#' the others at their best, until nothing changes (as in the MTL paper's experiments). With
#' `extend`, numbers with a constant step or ratio go on by up to five values where the best lies on
#' the border (MTL paper, section 8.1), as long as the border is better than the value before it by
#' more than the standard error of the difference over domains.
#'
#' **Time.** With a `max_seconds` no further choice is begun when so many seconds have passed since
#' the search began, and what has been scored in all folds is what is chosen from: the best so far,
#' which `print()` says. At least one choice is always scored, and the last fit, to all rows, comes
#' on top. Inside [dg_cv()] each fold has the whole budget. What is found then depends on the
#' machine.
#'
#' **Rule.** `"best"` takes the best mean over domains; `"one_se"` the simplest choice whose mean is
#' within one standard error of it: small `cost` and `ncomp`, large `lambda`, `epsilon`,
#' `bandwidth`, `bandwidth_factor`, `tau` and `smooth`, small `mu`, `n_landmarks` and `n_features`;
#' of several parameters the largest sum of ranks among their values, each from 0 to 1. The rule's
#' standard error is the plain one of a mean over G domains, \eqn{s/\sqrt{G}}{s/sqrt(G)} (Breiman
#' and others, 1984, section 3.4.3), a rule of thumb. That of the table, which is printed, is the
#' `se` of [dg_cv()], which allows for training sets that overlap.
#'
#' **The default grid** has, for what the specification leaves open, `cost` 0.1, 1, 10, 100 (SVM),
#' `lambda` n times 1e-5, ..., 0.1 (ridge regression), n times 1e-4, ..., 1 (DCM), 1e-3, ..., 10
#' (DICA, UDICA, COIR), `mu` 0.01, ..., 100 (TCA), `ncomp` 2, 4, 8, 16 (KPCA, UDICA, TCA), `delta`
#' (SCA) and `gamma` (CIDG) n times 0.01, ..., 100, or without n where they `average`, `gamma` 0.01,
#' ..., 100 (MDA), what the help of [dg_forest()], [dg_boost()], [dg_net()] and [dg_gam()] says, and
#' 1/4, 1/2, 1, 2 times the median distance for the kernel on x if it has an
#' open bandwidth.
#'
#' Work is shared: choices that differ only in `cost`, `lambda` and the like use one Gram matrix or
#' feature map per fold, machines start from the solution for the cost before, a pipeline's
#' projection is fitted once for all learners, and all values of `lambda` of a ridge regression or
#' of a projection such as [dg_dica()] cost about as much as three to five fits (one reduction of
#' the Gram matrix to band form). A choice that fails is recorded with its message and does not end
#' the search.
#'
#' **Rows in blocks.** With a [row_source()] as `data`, choices are scored as [dg_cv()] scores them
#' there. Values of `lambda` of [dg_ridge()] cost no pass more than one, whatever their number: the
#' fits come from the same sums. Every other choice has passes of its own, two or three; those of a
#' [dg_pipeline()] for each fold. Folds are 30 at random where there are more than 30 domains,
#' unless `folds` says otherwise. Where `lambda` is all that is open, `dg_ridge(lambda = NULL)`
#' chooses it without a grid.
#'
#' @inheritParams dg_cv
#' @param object A learner or [dg_pipeline()] without data; or a fitted model, whose specification
#'   is then tuned (on its own data, if none are given).
#' @param grid Named list: the values of each parameter, see Details. `NULL`: a default.
#' @param search,size How the grid is searched, and how many choices `"random"` draws.
#' @param extend Go on where the best value lies on the border of the grid?
#' @param rule `"best"` or `"one_se"`, see Details.
#' @param metric As in [dg_cv()]; the first decides.
#' @param max_seconds Seconds that the search may take, see Details; `NULL`: as many as it needs.
#' @return With data, the model with the chosen parameters, fitted to all rows, with class
#'   `dg_tuned` in front and the element `tuning`, a list with
#'   \item{table}{data frame, one line per choice: the parameters, `mean` and `se` of the score over
#'     domains (as in [dg_cv()]), `seconds`, and the `error` message of those that failed}
#'   \item{best}{the chosen parameters, a list}
#'   \item{scores}{matrix, domains x choices}
#'   \item{metric, rule, search, held}{as used; what was held out, in words}
#'   \item{spec}{the search without data, which is what [dg_cv()] of the model evaluates}
#'   \item{budget}{list: `seconds`, or `NULL`; `spent`: did it end the search?}
#'   \item{chosen, grid, tried}{row of the table that was chosen; the values of each parameter;
#'     which of them each row has}
#'   The score of the best choice is too good for what it will reach on new domains: use
#'   `dg_cv(dg_tune(...), ...)` for that, or [dg_cv()] of the model. Without data, a specification.
#' @section Errors:
#' A name that is no parameter or one of both parts of a pipeline, missing values in `grid`, nothing
#' to tune, and data for which every choice fails are errors; and those of [dg_cv()].
#' @references
#' Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). *Classification and
#' Regression Trees*. Wadsworth.
#' @seealso [dg_cv()], [plot.dg_tuned()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 30, seed = 1)
#' tuned <- dg_tune(dg_svm(), y ~ . | domain, data = toy, folds = 4,
#'                  grid = list(cost = 10^(0:2), bandwidth_factor = c(0.5, 1)))
#' tuned
#' predict(tuned, toy)[1:5]
#'
#' # the honest score
#' spec <- dg_tune(dg_svm(), grid = list(cost = 10^(0:2)), folds = 3)
#' dg_cv(spec, y ~ . | domain, data = toy, folds = 4)
#'
#' # carbon dioxide uptake of plants that were not in training
#' plants <- dg_tune(dg_ridge(), uptake ~ conc + Type + Treatment | Plant, data = CO2,
#'                   grid = list(lambda = 10^(-3:1)), extend = FALSE)
#' summary(plants)
#' @export
dg_tune <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL, grid = NULL,
                    search = c("grid", "random", "coordinate"), size = 30, extend = TRUE,
                    rule = c("best", "one_se"), folds = NULL, metric = NULL, max_seconds = NULL,
                    na.action = stats::na.omit, progress = NULL, hold_out = "all", ...) {
  call <- match.call()
  check_given(object, "object")
  inner <- read_specification(object)
  args <- list(
    grid = read_grid(grid, inner),
    search = check_choice(search, "search", c("grid", "random", "coordinate")),
    size = check_count(size, "size"), extend = check_flag(extend, "extend"),
    rule = check_choice(rule, "rule", c("best", "one_se")), folds = folds,
    metric = check_metric_names(metric),
    max_seconds = if (!is.null(max_seconds)) check_number(max_seconds, "max_seconds"),
    progress = if (!is.null(progress)) check_flag(progress, "progress"), hold_out = hold_out
  )
  parts <- list(title = paste0(inner$parts$title, ", tuned"), weights = takes_weights(inner))
  spec <- structure(list(method = "dg_tune", object = inner, parts = parts, args = args),
                    class = c("dg_tune_spec", "dg_spec"))
  given <- as.list(call)[-1L]
  given <- given[names(given) != "object"]
  if (!inherits(object, "dg_fit")) return(fit_or_specify(spec, call, parent.frame(), given))
  given <- check_arguments(given, spec, parent.frame(), names(args))
  given <- given[names(given) %in% data_arguments]
  input <- model_input(object, given, parent.frame())
  fit_call(spec, input, with_own_data(call, object, given, parent.frame()))
}

# Values of each parameter, as lists.
read_grid <- function(grid, spec) {
  if (is.null(grid)) return(NULL)
  if (!is.list(grid) || length(grid) == 0L || is.null(names(grid)) || any(names(grid) == "")) {
    abort("argument", "`grid` must be a list with the name of a parameter for each of its ",
          "elements, not ", if (is.list(grid) && length(grid)) "one without" else describe(grid),
          ".")
  }
  if (anyDuplicated(names(grid))) {
    abort("argument", "`grid` must name each parameter once, not twice ",
          enumerate(unique(names(grid)[duplicated(names(grid))])), ".")
  }
  for (name in names(grid)) {
    if (is.null(find_parameter(spec, name))) abort_parameter(spec, name)
    values <- grid[[name]]
    if (is.factor(values)) values <- as.character(values)
    # one kernel is a list too
    if (is.object(values) || is.function(values)) values <- list(values)
    if (length(values) == 0L || is.atomic(values) && anyNA(values)) {
      abort("argument", "`grid` must have values without NA for `", name, "`, not ",
            if (anyNA(values)) paste0(sum(is.na(values)), " NA among ", length(values))
            else describe(values), ".")
    }
    grid[[name]] <- unique(as.list(values))
    # the rules of the methods, before hours of work
    for (value in grid[[name]]) set_parameters(spec, stats::setNames(list(value), name))
  }
  grid
}

#' @exportS3Method
spec_needs.dg_tune_spec <- function(spec) {
  needs <- spec_needs(spec$object)
  needs$domain <- TRUE
  needs
}

#' @exportS3Method
fit_input.dg_tune_spec <- function(spec, input) {
  tuned_model(spec, input, new_context(read_progress(spec$args$progress, input$inside)))
}

tuned_model <- function(spec, input, ctx) {
  task <- quietly(cv_task(spec$object, input, spec$args$hold_out))
  task$inside <- input$inside
  search_parameters(spec, task, ctx, function(spec) fit_input(spec, input), row_outcomes)
}

#' @exportS3Method
fit_call.dg_tune_spec <- function(spec, input, call) {
  input <- collect_input(list(spec), input)
  if (!is.null(input$source)) return(fit_from_source(spec, input, call))
  resumable(function(ctx) {
    fitted <- tuned_model(spec, input, ctx)
    fitted$call <- call
    fitted
  }, read_progress(spec$args$progress))
}

#' @exportS3Method
fit_inputs.dg_tune_spec <- function(specs, input) {
  lapply(specs, function(spec) function() fit_input(spec, input))
}

#' @exportS3Method
change_spec.dg_tune_spec <- function(spec, name, value) {
  if (name %in% names(spec$args)) spec$args[name] <- list(value)
  else spec$object <- change_spec(spec$object, name, value)
  do.call(dg_tune, c(list(spec$object), spec$args), quote = TRUE)
}

#' @export
print.dg_tune_spec <- function(x, ...) {
  cat_line("Tuning by domain (specification: give it data with fit())")
  for (name in names(x$args$grid)) {
    cat_line("  ", name, ": ",
             paste(vapply(x$args$grid[[name]], format_value, ""), collapse = ", "))
  }
  if (is.null(x$args$grid)) cat_line("  the default grid")
  cat_line("")
  print(x$object)
  invisible(x)
}
