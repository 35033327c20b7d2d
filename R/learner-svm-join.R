# The machines of several fits, and of one fit, together: where they start, and what they give.

#' @exportS3Method
fit_sample.dg_svm_spec <- function(spec, sample) fit_alone(spec, sample)

# One Gram matrix for each kernel; machines start from the solution for the cost before.
#' @exportS3Method
fit_path.dg_svm_spec <- function(specs, sample) {
  sample$represent <- remembering(represent_rows)
  path <- list(penalty = remembering(cost_penalty), data = remembering(data_of),
               along_costs = along_costs())
  lapply(specs, function(spec) function() fit_machines(spec, sample, path))
}

# path: what the fits of a search share.
fit_machines <- function(spec, sample, path) {
  args <- spec$args
  check_several_classes(sample$y)
  # the solver keeps the columns of active rows in single precision beside K, Newton's method a
  # factor
  check_representation(args$features, nrow(sample$X), if (takes_newton(args$loss)) 2 else 1.5)
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (args$offset) args$kernel <- free_origin(args, sample$X)
  # steps of a calibration map make more of what the solver leaves
  if (args$probability != "none") args$tolerance <- args$tolerance / 100
  response <- encode_machines(sample$y, sample$weights, args)
  loss <- read_loss(args$loss, response$kind)
  if (is.null(args$cost)) args <- choose_cost(args, sample, loss, path$penalty)
  product <- sample_space(args, sample)
  data <- path$data(list(product = product, newton = takes_newton(loss$name)), sample, args)
  # a row that is in neither class takes no part
  costs <- vapply(seq_len(ncol(response$target)), function(m) {
    weights <- sample$weights * (response$kind == "number" | response$target[, m] != 0)
    row_costs(args$cost, weights, sample$domain, args$domain_weights)
  }, numeric(nrow(response$target)))
  dim(costs) <- dim(response$target)
  machines <- path$along_costs(args, function(alpha) {
    trained <- train_machines(data, response$target, costs, loss, args, alpha = alpha)
    lapply(seq_along(trained), function(m) c(trained[[m]], list(costs = costs[, m])))
  })
  response$target <- if (length(machines) == 1L) drop(response$target)
  structure(c(join_machines(machines), list(
    cost = args$cost, loss = loss$name, weights = sample$weights, response = response, y = sample$y,
    product = product
  )), class = c("dg_svm", "dg_learner", "dg_fit"))
}

# key: list(product, newton), see machine_data().
data_of <- function(key, sample, args) machine_data(key$product, sample, args)

# Solves machines at one cost after the other: each starts from the dual variables of the same
# machines at the cost before, in proportion to it: inside the bounds, and nearer to the solution
# than 0. solve: a function of these, NULL at first.
along_costs <- function() {
  last <- NULL
  function(args, solve) {
    fixed <- args[names(args) != "cost"]
    machines <- solve(if (identical(last$fixed, fixed)) {
      lapply(last$alpha, function(alpha) alpha * (args$cost / last$cost))
    })
    if (!is.null(machines[[1L]]$alpha)) {
      last <<- list(fixed = fixed, cost = args$cost, alpha = lapply(machines, `[[`, "alpha"))
    }
    machines
  }
}

# One machine: vectors and numbers; several: a column each.
join_machines <- function(machines) {
  for (machine in machines) warn_unsolved(machine)
  names <- setdiff(names(machines[[1L]]), "alpha")
  joined <- lapply(names, function(name) {
    parts <- lapply(machines, `[[`, name)
    if (length(parts) == 1L) parts[[1L]] else do.call(if (length(parts[[1L]]) > 1L) cbind else c,
                                                      parts)
  })
  names(joined) <- names
  joined$decision <- as.matrix(joined$decision)
  joined$converged <- all(joined$converged)
  joined
}

warn_unsolved <- function(solved) {
  if (!solved$converged) {
    warn("convergence", "The solver stopped after ", plural(solved$iterations, "iteration"),
         " with a relative duality gap of ", signif(solved$relative_gap, 2),
         "; raise `max_iterations` or scale the data.")
  } else if (!isTRUE(solved$relative_gap <= 0.01)) {
    warn("convergence", "The solver met `tolerance`, but the relative duality gap is ",
         signif(solved$relative_gap, 2), ": `cost` is very large for it; lower either.")
  }
}
