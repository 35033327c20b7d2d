# Fitting a specification to rows (rows.R). Every learner of our own is a row of parts, made by
# learner_row() in a function <name>_row() of its file, and is fitted in the same way whatever its
# rows are.

# title       in words
# solve       function(problem, shared): list(coefficients, intercept, ...), a solver of solve-*.R,
#             and whatever else the fit is to have; problem: list(rows, args, targets, spec, space),
#             and what choose() added
# choose      function(problem, shared): the problem, which has no space yet, with what the user has
#             left open, as a penalty
# fit         function(problem, shared): a fit of its own, in the place of these two
# columns     function(args): what classes become, see new_targets(); "own": it has no targets
# copies      function(args, n): Gram matrices of n rows that the solver takes, for check_memory()
# details     function(problem, solved): what the fit has beside the solution
# response    what it takes: "any", "number" (classes are an error), "open" (censored times, too)
# domain      does it need domains, whatever its kernels are?
# weights, offset, units   does it take weights, a formula's offset(), and `unit`?
# reference   are factors coded with a reference level, as a model without a penalty needs?
# parameters  function(): the records of its arguments, see method-parameter.R
learner_row <- function(title, solve = NULL, choose = function(problem, shared) problem, fit = NULL,
                        columns = function(args) "each", copies = function(args, n) 1,
                        details = function(problem, solved) NULL, response = "any",
                        domain = FALSE, weights = TRUE, offset = FALSE, units = FALSE,
                        reference = FALSE, parameters = NULL) {
  as.list(environment())
}

# shared: see new_shared().
fit_rows <- function(spec, rows, shared = new_shared()) UseMethod("fit_rows")

#' @exportS3Method
fit_rows.dg_learner_spec <- function(spec, rows, shared = new_shared()) {
  row <- method_of(spec)
  if (is.null(row$fit)) {
    problem <- open_problem(spec, rows, shared)
    solved <- row$solve(problem, shared)
  } else {
    problem <- new_problem(spec, rows)
    solved <- row$fit(problem, shared)
  }
  new_fit(spec, problem, solved)
}

# A fit to which no data of a call belong: a part of a model, or of a score.
fit_part <- function(spec, rows, shared = new_shared()) {
  fitted <- fit_rows(spec, rows, shared)
  finish_fit(fitted, spec, rows)
}

new_problem <- function(spec, rows) {
  row <- method_of(spec)
  args <- spec$args
  if ("kernel" %in% names(args)) args <- open_arguments(row, args, rows)
  targets <- if (!identical(row$columns, "own")) {
    new_targets(rows, !identical(args$scale, "none"), row$columns(args))
  }
  if (row$response == "number" && identical(targets$kind, "class")) {
    abort("data", "`", spec$method, "()` needs a numeric response, not classes (",
          enumerate(targets$levels, quote = "\""), "); `dg_svm()` predicts classes.")
  }
  list(rows = rows, args = args, targets = targets, spec = spec)
}

# The problem, ready for the solver.
open_problem <- function(spec, rows, shared = new_shared()) {
  problem <- new_problem(spec, rows)
  problem <- method_of(spec)$choose(problem, shared)
  problem$space <- space_of(problem$args, rows, shared)
  problem
}

new_fit <- function(spec, problem, solved) {
  solved <- c(solved, method_of(spec)$details(problem, solved))
  if (is.null(solved$space)) solved$space <- problem$space
  if (is.null(solved$response)) solved$response <- problem$targets
  rows <- problem$rows
  solved["y"] <- list(kept_values(rows, rows$sample$y))
  solved$weights <- kept_values(rows, rows$sample$weights, numeric())
  fitted <- structure(solved, class = c(spec$method, "dg_learner", "dg_fit"))
  if (is.null(fitted$decision)) {
    seen <- kept_values(rows, TRUE, 0L)
    fitted$decision <- decision(fitted, lapply(rows$sample[c("X", "domain")], take, seen))
  }
  fitted
}

# <z(P, x), W> + b, or the same of the kernel at the training rows.
#' @exportS3Method
decision.dg_learner <- function(object, new) {
  values <- space_expansion(object$space, new, as.matrix(object$coefficients))
  if (!is.null(object$intercept)) values <- add_intercept(values, object$intercept)
  colnames(values) <- colnames(object$coefficients)
  values
}

# Arguments that solvers read and the learner's function lacks get values that change nothing. A
# kernel that is not given is kernel_rbf(); with a constant it need not be centred.
open_arguments <- function(row, args, rows) {
  absent <- list(feature_map = features_exact(), domain_weights = "size", intercept = FALSE,
                 scale = "none", threads = check_threads(NULL))
  args <- c(args, absent[setdiff(names(absent), names(args))])
  if (is_exact(args$feature_map) && !is.null(row$copies)) {
    n <- nrow(rows$sample$X)
    check_memory(n, copies = row$copies(args, n))
  }
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (isTRUE(args$intercept) && is.null(rows$space)) {
    args$kernel <- free_origin(args, rows$sample$X)
  }
  args
}

# ---- learners from outside --------------------------------------------------------------------

# A learner that sees the sample as a whole, see read_sample().
fit_sample <- function(spec, sample) UseMethod("fit_sample")

#' @exportS3Method
fit_rows.dg_spec <- function(spec, rows, shared = new_shared()) {
  fit_sample(spec, rows$sample)
}
