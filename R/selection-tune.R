#' Select parameters by domain
#'
#' @description
#' Scores combinations of parameters on held-out domains ([dg_cv()]) and fits the best to all data.
#' Without data it is a specification: `dg_cv(dg_tune(spec), ...)` repeats the search in each fold,
#' so its score is that of the whole procedure on domains that are in neither search nor fit.
#'
#' @details
#' **Searches.** `"grid"` scores all combinations, `"random"` a random sample of `size` of them.
#' `"coordinate"` starts in the middle and varies one parameter after the other, with the others at
#' their best, until nothing changes (as in the experiments of the MTL paper). With `extend`,
#' numbers with a constant step or ratio are continued by up to five values if the best is at the
#' border (MTL paper, section 8.1) and is better than the value before it by more than one standard
#' error of the difference over domains. `"random"` searches are not extended.
#'
#' **Rule.** `"best"` selects the best mean over domains; `"one_se"` the simplest combination whose
#' mean is within one standard error of it. `"worst"` selects the best score of the worst domain. A
#' number q between 0.5 and 1 selects the best score that a proportion q of the domains reaches:
#' with 0.9 nine of ten (the q quantile, type 7, of the losses by domain). With few domains these
#' two are noisy and need not help the worst of new domains; for this, and which combinations are
#' simpler, see [selection_rule].
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,na.action,progress,... As in [all methods][dg_arguments].
#' @param folds,hold_out As in [dg_cv()].
#' @param object A learner or [dg_pipeline()] without data; or a fitted model, whose specification
#'   is tuned (on its own data, if none are given).
#' @param grid Named list: the values of each parameter, by names of arguments (`lambda`) or paths
#'   (`feature_map.n_landmarks`), see [tuning_grid]; `NULL`: the default grid there.
#' @param search Search: `"grid"` (the default), `"random"` or `"coordinate"`.
#' @param size Number of combinations of a `"random"` search.
#' @param extend If `TRUE` (the default), the values of a parameter are continued if the best is at
#'   the border.
#' @param rule Selection rule: `"best"` (the default), `"one_se"`, `"worst"`, or a number between
#'   0.5 and 1, see Details.
#' @param metric As in [dg_cv()]; the first selects.
#' @param max_seconds Seconds after which no further combination is started (in each fold of
#'   [dg_cv()]); `NULL`: no limit. The selection is among those that were scored in all folds, at
#'   least one, and `print()` says so. The final fit is not counted. The result then depends on the
#'   speed of the computer.
#' @return With data, the model with the selected parameters, fitted to all rows, with class
#'   `dg_tuned` in front and the element `tuning`, a list with
#'   \item{table}{data frame, one row per combination: the parameters, `mean` and `se` of the score
#'     over domains (as in [dg_cv()]), `seconds`, the `error` message, if it failed, and with such
#'     a `rule` the score `worst` or `quantile`}
#'   \item{best, scores}{list of the selected parameters; matrix, domains x combinations}
#'   \item{metric, rule, search, held_out}{as used; what was held out, as text}
#'   \item{spec}{the search without data, which [dg_cv()] of the model evaluates}
#'   \item{time_limit}{list: `seconds` (or `NULL`) and `reached`, `TRUE` if the limit ended the
#'     search}
#'   \item{chosen, grid, tried}{row of the table that was selected; the values of each parameter;
#'     matrix, combinations x parameters, of positions in `grid`}
#'   The score of the best combination is optimistic for new domains: use `dg_cv(dg_tune(...),
#'   ...)`, or [dg_cv()] of the model. Without data, a specification.
#' @section Errors:
#' A name that is no parameter, or one of both parts of a pipeline; missing values in `grid`;
#' nothing to tune; data for which every combination fails; and the errors of [dg_cv()].
#' @seealso [tuning_grid], [selection_rule], [dg_cv()]
#' @examples
#' # carbon dioxide uptake of new plants
#' tuned <- dg_tune(dg_ridge(), uptake ~ conc + Type + Treatment | Plant, data = CO2, folds = 4,
#'                  grid = list(lambda = 10^(-2:0), bandwidth_factor = c(0.5, 1)), extend = FALSE)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(tuned)
#' # the score of the whole procedure
#' dg_cv(tuned, folds = 4)
#' @order 1
#' @export
dg_tune <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL, grid = NULL,
                    search = c("grid", "random", "coordinate"), size = 30, extend = TRUE,
                    rule = c("best", "one_se", "worst"), folds = NULL, metric = NULL,
                    max_seconds = NULL,
                    na.action = stats::na.omit, progress = NULL, hold_out = "all", ...) {
  enter_session()
  call <- match.call()
  check_given(object, "object")
  inner <- read_specification(object)
  args <- list(
    grid = read_grid(grid, inner),
    search = check_choice(search, "search", c("grid", "random", "coordinate")),
    size = check_count(size, "size"), extend = check_flag(extend, "extend"),
    rule = check_rule(rule, "rule", c("best", "one_se", "worst")), folds = folds,
    metric = check_metric_names(metric),
    max_seconds = if (!is.null(max_seconds)) check_number(max_seconds, "max_seconds"),
    progress = if (!is.null(progress)) check_flag(progress, "progress"), hold_out = hold_out
  )
  spec <- new_spec("dg_tune", "dg_tune_spec", args,
                   list(title = paste0(method_of(inner)$title, ", tuned")))
  spec$object <- inner
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
    abort("argument", "`grid` must be a list whose elements are named by parameters, not ",
          if (is.list(grid) && length(grid)) "one without names" else describe(grid), ".")
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
fit_input.dg_tune_spec <- function(spec, input, shared = new_shared()) {
  ctx <- shared$ctx
  if (is.null(ctx)) ctx <- new_context(read_progress(spec$args$progress, input$inside))
  whole <- is.null(input$source)
  if (!whole) check_source_cv(spec$object, spec$args$folds, FALSE)
  shared <- new_shared()
  task <- if (whole) rows_to_tune(spec, input)
          else domain_task(rows_to_score(spec$object, input, shared))
  search_parameters(spec, task, ctx, function(spec) fit_input(spec, input, shared),
                    if (whole) row_outcomes else pass_outcomes(input, shared))
}

rows_to_tune <- function(spec, input) {
  # all combinations have the same rows
  others <- lapply(spec$args$grid$terms, function(terms) {
    set_parameters(spec$object, list(terms = terms))
  })
  task <- quietly(cv_task(spec$object, input, spec$args$hold_out, others))
  task$inside <- input$inside
  task
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

#' Names and default values of tuned parameters
#'
#' How is a parameter named in the `grid` of [dg_tune()], which values are tried if none are given,
#' and what does a combination cost?
#'
#' @section Names:
#' A name in `grid` is an argument of the method (`lambda`, `cost`) or a path into a kernel or
#' feature map: `domain_kernel.embedding_kernel.bandwidth`, `feature_map.n_landmarks`. `bandwidth`,
#' `bandwidth_factor` (multiples of the median distance) and `smoothing` alone are those of
#' `kernel`. Values may be a list of kernels: `kernel = list(kernel_rbf(), kernel_laplace())`. In a
#' [dg_pipeline()] the name of the part may come first, `dica.epsilon` or `svm.cost`, and must if
#' both parts have a parameter of that name.
#' @section Default grid:
#' For parameters that the specification leaves open:
#'
#' | parameter | values |
#' |---|---|
#' | `cost` ([dg_svm()]) | 0.1, 1, 10, 100 |
#' | `lambda` ([dg_ridge()]) | n times 1e-5, ..., 0.1 |
#' | `lambda` ([dg_dcm()]) | n times 1e-4, ..., 1 |
#' | `lambda` ([dg_dica()], [dg_udica()], [dg_coir()]) | 1e-3, ..., 10 |
#' | `mu` ([dg_tca()]) | 0.01, ..., 100 |
#' | `ncomp` ([dg_kpca()], [dg_udica()], [dg_tca()]) | 2, 4, 8, 16 |
#' | `delta` ([dg_sca()]), `gamma` ([dg_cidg()]) | n times 0.01, ..., 100 (`average`: without n) |
#' | `gamma` ([dg_mda()]) | 0.01, ..., 100 |
#' | bandwidth of the kernel on x, if open | 1/4, 1/2, 1, 2 times the median distance |
#'
#' and those in the help of [dg_forest()], [dg_boost()], [dg_net()] and [dg_gam()].
#' @section Cost:
#' Combinations that differ only in `cost`, `lambda` and the like share one Gram matrix or feature
#' map per fold. Fits start at the solution for the previous cost, a pipeline's projection is fitted
#' once for all learners, and all values of `lambda` of a ridge regression or of a projection such
#' as [dg_dica()] cost about as much as three to five fits (one reduction of the Gram matrix to band
#' form). A combination that fails is recorded with its message and does not stop the search.
#' @name tuning_grid
#' @seealso [dg_tune()], [selection_rule]
NULL

#' Rules that select a combination of parameters
#'
#' What does the `rule` of [dg_tune()] select, which combinations are simpler, and does a rule for
#' the worst domain help in new domains?
#'
#' @section Simplest within one standard error:
#' Simpler are smaller values of `cost`, `ncomp`, `mu`,
#' `n_landmarks`, `n_features`, `trees`, `tree_depth`, `learn_rate` and `k`, and larger values of
#' `lambda`, `epsilon`, `bandwidth`, `bandwidth_factor`, `smoothing`, `tau`, `smooth` and `min_n`.
#' Other parameters do not count. The values of each parameter are ranked from 0 (least simple) to 1
#' (simplest); the combination with the largest sum of these ranks is the simplest.
#' The standard error of this rule is that of a mean of G independent scores,
#' \eqn{s/\sqrt{G}}{s/sqrt(G)} (Breiman and others, 1984, section 3.4.3). That of the table is the
#' `se` of [dg_cv()], which allows for overlapping training sets.
#' @section Worst domain:
#' The worst of few domains is one noisy number, so that a choice by it varies from sample to sample
#' and need not help the worst of other domains. In a simulation of ridge regressions, a fifth of
#' whose domains differed much (`tests/bench/rule-worst.R`, 40 data sets, 200 fresh domains),
#' `"worst"` in place of `"best"` made the mean error on fresh domains 8 % larger with 5 domains and
#' 10 % with 10 (standard errors 1 and 2 %), and that of the worst of them 4 and 3 % larger (1 %
#' each). With 0.9 the mean error was 3 and 6 % larger, that of the worst 1 and 2 %. Take such a
#' rule where the worst domain is what counts and there are many, and compare it with `"best"` by
#' [dg_cv()] of both searches.
#' @name selection_rule
#' @references
#' Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). *Classification and
#' Regression Trees*. Wadsworth.
#' @seealso [dg_tune()], [tuning_grid]
NULL
