# Support vector machines on rows that come in blocks: Newton's method, of which each step is a pass
# that adds, see learner-svm-newton.R. It starts from the machine of the sampled rows.

#' @exportS3Method
fit_source.dg_svm_spec <- function(spec, stage) {
  args <- source_args(spec$args, stage)
  response <- machine_response(stage, args)
  loss <- read_loss(args$loss, response$kind)
  args <- source_cost(args, stage, loss, response)
  product <- source_space(args, stage)
  costs <- machine_costs(stage, response, args)
  table <- source_table(product, stage)
  state <- start_at_sample(product, stage, table, response, costs, loss, args)
  while (!state$done) {
    work <- newton_work(state, product, table, response, costs, loss, args)
    state <- newton_next(state, stage_pass(stage, work, "machine"))
  }
  solved <- newton_result(state)
  # what users wait for
  solved$iterations <- rep(state$passes, ncol(solved$coefficients))
  fitted <- c(source_machines(solved), list(
    cost = args$cost, loss = loss$name, weights = numeric(), response = response,
    product = product
  ))
  finish_source(structure(fitted, class = c("dg_svm", "dg_learner", "dg_fit")), spec, stage)
}

# The response with the pairs of classes of each machine; `multiclass` for its targets.
machine_response <- function(stage, args) {
  response <- source_response(stage, args$scale != "none")
  if (response$kind == "number") return(response)
  levels <- factor(response$levels, response$levels)
  response$pairs <- class_machines(levels, args$multiclass)$pairs
  response$multiclass <- args$multiclass
  response
}

# [n x machines]: -1, 0, 1, or numbers.
machine_targets <- function(response, y) {
  if (response$kind == "number") return(block_targets(response, y))
  class_machines(y, response$multiclass)$target
}

# What a row's weight is multiplied by, [G x machines]: a row that is in neither class takes no
# part, and the domains of the others weigh the same, see row_costs().
machine_costs <- function(stage, response, args) {
  survey <- stage$survey
  if (response$kind == "number") {
    return(matrix(args$cost * domain_costs(survey, args$domain_weights)))
  }
  table <- survey$response$classes
  # by place: no column is found by the name ""
  table <- table[, match(response$levels, colnames(table)), drop = FALSE]
  classes <- seq_along(response$levels)
  vapply(seq_len(nrow(response$pairs)), function(m) {
    pair <- response$pairs[m, ]
    part <- if (pair[1L] == 0L) classes else pair
    own <- list(weights = rowSums(table[, part, drop = FALSE]))
    args$cost * domain_costs(own, args$domain_weights)
  }, numeric(nrow(table)))
}

# The costs of rows of these domains and targets, [n x machines].
costs_of_rows <- function(costs, Y, weights, domain, response) {
  own <- weights * matrix(costs, ncol = ncol(Y))[as.integer(domain), , drop = FALSE]
  if (response$kind == "class") own[Y == 0] <- 0
  own
}

# `cost` and the width between domains where they are open: chosen on the sample, as choose_cost()
# does; a penalty of so many rows is that of all by their weights.
source_cost <- function(args, stage, loss, response) {
  if (!is.null(args$cost)) return(args)
  sample <- described_sample(stage)
  kernel <- args$domain_kernel
  fitted <- if (judges_rows(kernel)) {
    domain_kernel_fit(kernel, rows_of(sample, args$threads), args$features)
  }
  if (!is.null(fitted)) check_described(fitted)
  times <- 1
  chosen <- choose_cost(args, sample, loss, function(key, args, sample) {
    found <- choose_penalty(args, sample, quietly(ridge_task(sample, args)), between = fitted)
    if (!is.null(found$times)) times <<- found$times
    found
  })
  args$cost <- chosen$cost * sum(sample$weights) / sum(stage$survey$weights)
  if (!is.null(fitted)) {
    args$domain_kernel <- if (times == 1) fitted else widen_described(fitted, times)
  }
  args
}

# The state from which the passes go on: that of the sampled rows, which stand for all.
start_at_sample <- function(product, stage, table, response, costs, loss, args) {
  sample <- stage$sample
  Y <- machine_targets(response, sample$y)
  more <- sum(stage$survey$weights) / sum(sample$weights)
  own <- more * costs_of_rows(costs, Y, sample$weights, sample$domain, response)
  state <- newton_start(product$dim, ncol(Y), args$offset, loss, args$tolerance)
  rows <- sample[c("X", "domain")]
  whole <- nrow(sample$X) == stage$survey$n
  # a start need not be the last digit, unless there are no other rows
  while (!state$done && (whole || state$passes < 15L)) {
    state <- newton_next(state, newton_features(state, product, rows, table, Y, own, loss, args))
  }
  newton_start(product$dim, ncol(Y), args$offset, loss, args$tolerance, args$max_iterations,
               at = if (all(is.finite(state$theta))) state$theta)
}

# For run_pass(). Losses are functions, and found by their name on the worker.
newton_work <- function(state, product, table, response, costs, loss, args) {
  force(state); force(product); force(table); force(response); force(costs)
  name <- loss$name
  args <- args["epsilon"]
  list(start = function() NULL, add = add_or_start, block = function(sums, rows) {
    Y <- machine_targets(response, rows$y)
    own <- costs_of_rows(costs, Y, rows$weights, rows$domain, response)
    add_or_start(sums, newton_features(state, product, rows[c("X", "domain")], table, Y, own,
                                       read_loss(name, response$kind), args))
  })
}

# As join_machines() gives them, of no rows.
source_machines <- function(result) {
  m <- ncol(result$coefficients)
  result$converged <- result$converged & is.finite(result$objective)
  for (k in seq_len(m)) warn_unsolved(lapply(result[-1L], `[`, k))
  if (any(!is.finite(result$objective))) {
    abort("numeric", "The objective overflows; scale the predictors or lower `cost`.")
  }
  if (m == 1L) result$coefficients <- drop(result$coefficients)
  if (length(result$offset) == 0L) result$offset <- rep(0, m)
  result$converged <- all(result$converged)
  c(result, list(decision = matrix(0, 0L, m), costs = numeric()))
}
