# Fitting a specification to rows (rows.R): one way for every learner of our own, which says what is
# special to it as a row of parts,
#   columns(args)              what classes become, see new_targets(); "own": it has none of these
#   choose(problem, shared)    the problem with penalty, bandwidths and kernels that were left open
#   copies(args)               Gram matrices that the solver takes, for check_memory()
#   solve(problem, shared)     list(coefficients, offset, decision, ...): a solver, solve-*.R
#   details(problem, solved)   what the fit has beside these
#   fit(problem, shared)       a fit of its own, in the place of these
# in a function <method>_row() of its file. problem: list(rows, args, targets, space).

fit_rows <- function(spec, rows, shared = new_shared()) UseMethod("fit_rows")

#' @exportS3Method
fit_rows.dg_learner_spec <- function(spec, rows, shared = new_shared()) {
  row <- learner_row(spec)
  if (!is.null(row$fit)) {
    problem <- new_problem(spec, rows)
    return(new_fit(spec, problem, row$fit(problem, shared)))
  }
  problem <- open_problem(spec, rows, shared)
  new_fit(spec, problem, row$solve(problem, shared))
}

new_problem <- function(spec, rows) {
  row <- learner_row(spec)
  args <- spec$args
  if (!is.null(args$features)) args <- open_arguments(row, args, rows)
  targets <- if (!identical(row$columns, "own")) {
    new_targets(rows, !identical(args$scale, "none"), row$columns(args))
  }
  list(rows = rows, args = args, targets = targets)
}

# All but the solution.
open_problem <- function(spec, rows, shared = new_shared()) {
  problem <- learner_row(spec)$choose(new_problem(spec, rows), shared)
  problem$space <- space_of(problem$args, rows, shared)
  problem
}

new_fit <- function(spec, problem, solved) {
  row <- learner_row(spec)
  if (!is.null(row$details)) solved <- c(solved, row$details(problem, solved))
  if (is.null(solved$product)) solved$product <- problem$space
  if (is.null(solved$response)) solved$response <- problem$targets
  rows <- problem$rows
  solved["y"] <- list(if (rows$keeps) rows$sample$y)
  solved$weights <- if (rows$keeps) rows$sample$weights else numeric()
  structure(solved, class = c(spec$method, "dg_learner", "dg_fit"))
}

learner_row <- function(spec) {
  get(paste0(sub("^dg_", "", spec$method), "_row"), topenv(), mode = "function")()
}

# A kernel that is not given is kernel_rbf(); with a constant it need not be centred.
open_arguments <- function(row, args, rows) {
  if (is_exact(args$features) && !is.null(row$copies)) {
    check_memory(nrow(rows$sample$X), copies = row$copies(args))
  }
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (isTRUE(args$offset) && is.null(rows$space)) {
    args$kernel <- free_origin(args, rows$sample$X)
  }
  args
}

# What fits of several specifications to the same rows share: each remembers what it gave last.
new_shared <- function() {
  list(space = remembering(represent_rows), data = remembering(solver_data),
       penalty = remembering(cost_penalty), along = along_costs())
}

# Functions that fit specifications of one method to the same rows, to be called in their order. A
# method whose fits share more than the representation has a method here.
fit_many <- function(specs, rows) UseMethod("fit_many", specs[[1L]])

#' @exportS3Method
fit_many.dg_spec <- function(specs, rows) {
  shared <- new_shared()
  lapply(specs, function(spec) function() fit_rows(spec, rows, shared))
}

# f, which remembers what it gave last: for the same key it gives it again. What else it is told
# must follow from the key.
remembering <- function(f) {
  last <- NULL
  function(key, ...) {
    if (is.null(last) || !identical(last$key, key)) {
      # before there are two
      last <<- NULL
      last <<- list(key = key, value = f(key, ...))
    }
    last$value
  }
}

# Functions of no arguments, one for each key: fit(i, shared, k), where `shared` is what
# prepare(those with the same key) gives and i is the k-th of those. Equal keys stand together.
sharing <- function(keys, prepare, fit) {
  shared <- remembering(function(key) {
    same <- which(vapply(keys, identical, NA, key))
    list(same = same, value = prepare(same))
  })
  lapply(seq_along(keys), function(i) function() {
    found <- shared(keys[[i]])
    fit(i, found$value, match(i, found$same))
  })
}

# ---- learners from outside --------------------------------------------------------------------

# A learner that sees a sample as a whole: list(X, y, domain, weights, ...), see read_sample().
fit_sample <- function(spec, sample) UseMethod("fit_sample")

#' @exportS3Method
fit_rows.dg_spec <- function(spec, rows, shared = new_shared()) {
  sample <- rows$sample
  sample$represent <- shared$space
  fit_sample(spec, sample)
}
