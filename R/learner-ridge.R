#' Kernel ridge regression and classification on labelled domains
#'
#' @description
#' Pooled, multi-task or distributional least squares on the kernel
#' \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')} (kernel ridge regression: Saunders,
#' Gammerman and Vovk, 1998): f minimises
#' \deqn{\sum_i c_i\, (y_i - f(P_i, x_i))^2 + \lambda \lVert f\rVert^2}{
#'   sum_i c_i (y_i - f(P_i, x_i))^2 + lambda ||f||^2}
#' Here \eqn{c_i} is the weight of row i. For `domain_weights = "equal"` it is multiplied by
#' \eqn{n/(G n_g)}{n/(G n_g)}, where n is the sum of all weights, \eqn{n_g} that of the row's domain
#' and G the number of domains. With \eqn{C = \mathrm{diag}(c)}{C = diag(c)},
#' \eqn{f = \sum_i \alpha_i
#' \bar k(\cdot, (P_i, x_i))}{f = sum_i alpha_i k(., (P_i, x_i))} and
#' \deqn{\alpha = (K + \lambda C^{-1})^{-1} y,}{alpha = (K + lambda C^-1)^-1 y,}
#' that is \eqn{(K + \lambda I)^{-1} y}{(K + lambda I)^-1 y} if all rows have weight 1: `lambda` is
#' not multiplied by n. `dg_cv(model)` predicts each domain by the model without it, in the time
#' of about two fits. [solvers] says how the system is solved and what it takes, also with feature
#' maps.
#'
#' @details
#' ## Response
#' A numeric response is standardised by its (weighted) training mean and standard deviation, unless
#' `scale = "none"`. Without an intercept, the penalty shrinks predictions to this mean. Two
#' classes are coded -1 (first level) and 1 (second level); the sign of f decides. With more
#' classes, each class has its own 0/1 indicator as a response; the class with the largest value
#' wins. All indicators share one factorisation. For two classes both rules are the same.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,domain_weights,na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,intercept,calibration As in [all methods][dg_arguments].
#' @param scale,terms,domain_means,threads,... As in [all methods][dg_arguments].
#' @param lambda Positive number: factor on the squared norm. `NULL`: chosen on held-out domains,
#'   see [penalty].
#' @param bandwidths `"given"` (default): bandwidths of the kernels, and medians where they have
#'   none; `"fitted"`: open bandwidths are fitted, see [penalty].
#' @return With data, an object of class `dg_ridge`, a list with
#'   \item{coefficients}{n x m matrix alpha, or r x m matrix w with features; m is 1, or the number
#'     of classes if there are more than two}
#'   \item{intercept}{m constants, 0 without an intercept}
#'   \item{decision}{n x m values of f at the training rows (of the standardised response)}
#'   \item{costs}{n costs c_i}
#'   \item{lambda}{as given or chosen}
#'   \item{search}{with fitted bandwidths, a list: `error`, the mean squared error of held-out
#'     domains (standardised response), `start`, that of the medians, `converged`, `evaluations` and
#'     `message`}
#'   \item{calibration}{with `calibration`, a list, see [calibration]}
#'   and what `predict()` needs. Without data, a specification.
#' @section Errors:
#' A single class, negative or missing weights, non-positive `lambda`, unknown arguments, and Gram
#' matrices over the memory limit ([domgen_options]) are errors; for errors of probabilities see
#' [calibration]. Warnings:
#'
#' | class | reason |
#' |---|---|
#' | `domgen_warning_ridge` | `lambda` is lost in the rounding of the Gram matrix, and is raised |
#' | `domgen_warning_ridge` | rounding leaves fewer than four correct digits at this `lambda` |
#' | `domgen_warning_convergence` | the search for bandwidths has not converged |
#' | `domgen_warning_derivative` | an open bandwidth stays at the median: no known derivative |
#' @references
#' Saunders, C., Gammerman, A. and Vovk, V. (1998). Ridge regression learning algorithm in dual
#' variables. *Proceedings of the 15th International Conference on Machine Learning*.
#' @seealso [predict.dg_learner()], [domain_distribution()], [dg_cv()]
#' @examples
#' # pupils of schools that were not in training
#' if (requireNamespace("nlme", quietly = TRUE)) {
#'   schools <- subset(nlme::MathAchieve, School %in% levels(School)[1:20])
#'   known <- subset(schools, !School %in% levels(School)[1:5])
#'   new <- subset(schools, School %in% levels(School)[1:5])
#'   pupils <- dg_ridge(MathAch ~ SES + Sex + Minority | School, data = known)
#'   print(summary(pupils))
#'   print(sqrt(mean((predict(pupils, new) - new$MathAch)^2)))
#'   # each school predicted by the others
#'   dg_cv(pupils)
#' }
#'
#' # one bandwidth per predictor
#' toy <- simulate_dica(domains = 6, n = 40, seed = 1)
#' dg_ridge(y ~ . | domain, data = toy, bandwidths = "fitted")
#' @export
dg_ridge <- function(x, y = NULL, domain = NULL, data = NULL, lambda = NULL, kernel = NULL,
                     domain_kernel = domain_distribution(), feature_map = features_exact(),
                     intercept = FALSE, bandwidths = c("given", "fitted"),
                     calibration = c("none", "platt", "isotonic"), weights = NULL,
                     domain_weights = c("size", "equal"),
                     scale = c("pooled", "domain", "both", "rank", "none"), domain_means = FALSE,
                     terms = NULL, na.action = stats::na.omit, threads = NULL, ...) {
  learner_call("dg_ridge", environment(), match.call(), parent.frame())
}

ridge_parameters <- function() parameters(
  with_entries(shared_parameters$lambda, null = TRUE,
               grid = function(n, args) n * 10^(-5:-1)),
  open_kernel(),
  parameter("bandwidths", "choice", levels = c("given", "fitted"))
)

ridge_row <- function() learner_row(
  "Kernel ridge regression", solve_squared, choose_ridge, details = ridge_details,
  copies = function(args, n) if (n > gram_rows) 0 else 1, parameters = ridge_parameters
)

# lambda of rows in memory, bandwidths and the width between domains; lambda of other rows comes
# from their sums.
choose_ridge <- function(problem, shared) {
  args <- problem$args
  rows <- problem$rows
  by_sums <- only_sums(rows)
  open <- is.null(args$lambda) && (!by_sums || chooses_width(args))
  if (!by_sums || open) problem$task <- squared_task(rows, problem$targets, args)
  if (open) {
    args <- choose_on_sample(args, rows, problem$task)
    if (by_sums) args["lambda"] <- list(NULL)
  }
  if (args$bandwidths == "fitted") {
    problem$search <- fit_bandwidths(problem$task, rows$sample, args)
    args[c("kernel", "domain_kernel")] <- problem$search[c("kernel", "domain_kernel")]
  }
  problem$args <- args
  problem
}

ridge_details <- function(problem, solved) {
  if (!all(is.finite(solved$coefficients)) || !all(is.finite(solved$decision))) {
    abort("numeric", "The coefficients overflow with ", format(problem$space$kernel),
          "; scale the predictors or raise `lambda`.")
  }
  list(costs = kept_values(problem$rows, problem$task$costs, numeric()),
       search = problem$search[c("error", "start", "converged", "evaluations", "message")])
}

#' @exportS3Method
describe_fit.dg_ridge <- function(x) {
  c(NextMethod(), penalty_facts(x, "lambda"), list(intercept_fact(x), if (!is.null(x$search)) {
    fact("bandwidths", "fitted: mean squared error of held-out domains ",
         rounded(x$search$error, 4L), ", from ", rounded(x$search$start, 4L),
         " (standardised response)")
  }))
}

#' @exportS3Method
check_sums.dg_ridge_spec <- function(spec, sums) {
  check_fixed(spec, sums)
  by_rows <- list(domain_weights = "equal", bandwidths = "fitted",
                  calibration = c("platt", "isotonic"))
  for (name in names(by_rows)) {
    value <- spec$args[[name]]
    if (value %in% by_rows[[name]]) {
      abort("argument", "`", name, "` must not be \"", value, "\" with sums: that needs the rows ",
            "themselves.")
    }
  }
}

# ---- values of lambda -------------------------------------------------------------------------

# Ridge regressions that differ in lambda only: one band form serves all, and new rows are predicted
# for all values at once.
path_rows <- 500L

path_values <- 4L

#' @exportS3Method
fit_rows.dg_ridge_spec <- function(spec, rows, shared = new_shared()) {
  path <- lambda_path(spec, rows, shared)
  if (is.null(path)) return(NextMethod())
  path$fits[[match(spec$args$lambda, path$lambdas)]]
}

# list(lambdas, fits) of the specifications that differ from this one in lambda only. NULL where a
# path saves nothing, or fails: then each fit reports its own error.
lambda_path <- function(spec, rows, shared) {
  args <- spec$args
  if (length(shared$specs) < path_values || row_count(rows) < path_rows ||
        is.null(args$lambda) || !is_exact(args$feature_map) || args$bandwidths != "given" ||
        args$calibration != "none") {
    return(NULL)
  }
  same <- same_but_ridge(spec, shared)
  lambdas <- unlist(lapply(same, function(one) one$args$lambda))
  if (length(lambdas) < path_values) return(NULL)
  shared_value(shared, "path", list(same, rows), function() {
    on_error(list(lambdas = lambdas, fits = quietly(fit_lambdas(spec, lambdas, rows, shared))),
             function(e) NULL)
  })
}

# Models without decision values of their rows.
fit_lambdas <- function(spec, lambdas, rows, shared) {
  problem <- open_problem(spec, rows, shared)
  args <- problem$args
  task <- problem$task
  check_memory(row_count(rows), copies = 2)
  solved <- core_result(ridge_many_(space_gram(problem$space), task$Y, sqrt(task$costs), lambdas,
                                    args$intercept, args$threads))
  # one for all, with the values that they share
  path <- list2env(solved[c("coefficients", "intercept")], new_shared())
  lapply(seq_along(lambdas), function(l) {
    at <- path_columns(l, ncol(task$Y))
    structure(list(coefficients = solved$coefficients[, at, drop = FALSE],
                   intercept = solved$intercept[at], lambda = lambdas[l], space = problem$space,
                   response = task$response, costs = task$costs, y = rows$sample$y,
                   weights = rows$sample$weights, path = path, columns = at),
              class = c("dg_ridge_of_path", "dg_ridge", "dg_learner", "dg_fit"))
  })
}

# Values for all lambdas are computed once.
#' @exportS3Method
decision.dg_ridge_of_path <- function(object, new) {
  path <- object$path
  values <- shared_value(path, "decision", new, function() {
    sweep(space_expansion(object$space, new, path$coefficients), 2L, path$intercept, "+")
  })[, object$columns, drop = FALSE]
  colnames(values) <- if (ncol(values) > 1L) object$response$levels
  values
}
