# Bandwidths of a ridge regression that minimise the squared error of left-out
# domains, by its exact gradient: those that the kernels leave open. Parameters are
# logarithms of factors on medians, one per predictor for each open bandwidth of the
# kernel on x, one for each of the embeddings' kernel and of the kernel on embeddings.

bandwidth_factors <- c(0.25, 0.5, 1, 2, 4)

most_factor <- 1000

# precision: of the error, relative. list(kernel, domain_kernel, error, start, converged,
# evaluations, message)
fit_bandwidths <- function(task, sample, args, precision = 1e-6) {
  problem <- bandwidth_problem(task, sample, args)
  at <- new.env(parent = emptyenv())
  at$count <- 0L
  evaluate <- function(theta) {
    if (!identical(theta, at$theta)) {
      at$value <- lodo_slopes(problem, theta)
      if (!all(is.finite(unlist(at$value)))) {
        abort("numeric", "The error of held-out domains overflows; scale the response.")
      }
      at$theta <- theta
      at$count <- at$count + 1L
    }
    at$value
  }
  on_x <- problem$of == "kernel"
  starts <- lapply(log(bandwidth_factors), function(factor) ifelse(on_x, factor, 0))
  errors <- vapply(starts, function(theta) left_out_at(problem, theta)$error, numeric(1))
  optimum <- stats::nlminb(
    starts[[which.min(errors)]], function(theta) evaluate(theta)$error,
    function(theta) evaluate(theta)$slopes,
    lower = -log(most_factor), upper = log(most_factor),
    control = list(iter.max = 100L, eval.max = 150L, rel.tol = precision, x.tol = 1e-5)
  )
  # false and singular convergence mean a flat minimum
  limited <- grepl("limit", optimum$message)
  if (limited) {
    warn("convergence", "The search for bandwidths stopped after ",
         plural(at$count, "evaluation"), " before it had converged.")
  }
  c(kernels_at(problem, optimum$par),
    list(error = optimum$objective, start = errors[bandwidth_factors == 1], converged = !limited,
         evaluations = length(starts) + at$count, message = optimum$message))
}

# Everything that does not depend on the bandwidths; rows sorted by domain. paths: the open
# bandwidths of the kernel on x, columns: those of X that each is of; between: the open parameters
# of the domain kernel; of: which of the two an element of theta belongs to.
bandwidth_problem <- function(task, sample, args) {
  check_open(args)
  check_left_out(sample)
  check_memory(nrow(sample$X), copies = 2)
  order <- order(sample$domain)
  sorted <- rows_at(rows_of(sample, args$threads), order)
  unknown <- unknown_elsewhere(sample$levels, sample$domain)
  share <- (task$costs * !(unknown & !all(unknown)))[order] / max(task$costs)
  paths <- free_bandwidths(args$kernel)
  columns <- lapply(paths, function(path) path_columns_of(args$kernel, path, ncol(sorted$X)))
  between <- free_parameters(args$domain_kernel)
  c(sorted, list(
    Y = task$Y[order, , drop = FALSE], costs = task$costs[order], share = share / sum(share),
    centre = left_out_centre(sample, task, args), lambda = args$lambda, intercept = args$intercept,
    kernel = kernel_fit(args$kernel, sorted$X), given = args$domain_kernel,
    domain_kernel = domain_kernel_fit(args$domain_kernel, sorted), paths = paths, columns = columns,
    between = between, of = rep(c("kernel", "domain"), c(sum(lengths(columns)), length(between)))
  ))
}

check_open <- function(args) {
  if (!is_exact(args$feature_map)) {
    abort("argument", "`bandwidths` must be \"given\" with `", class(args$feature_map)[1L],
          "()`: they are fitted with `features_exact()` only, for example to some of the rows.")
  }
  if (length(free_bandwidths(args$kernel)) + length(free_parameters(args$domain_kernel)) == 0L) {
    abort("argument", "`bandwidths` must be \"given\" with kernels that leave none open",
          if (length(stuck_bandwidths(args$kernel))) " of which a derivative is known",
          ", such as ", format(args$kernel), "; `kernel_rbf()` without `bandwidth` does.")
  }
  warn_no_derivative(args$kernel, args$domain_kernel)
}

# list(kernel, domain_kernel) with the bandwidths of theta.
kernels_at <- function(problem, theta) {
  kernel <- problem$kernel
  factors <- split(exp(theta), factor(problem$of, c("kernel", "domain")))
  of_path <- split(factors$kernel, rep(seq_along(problem$columns), lengths(problem$columns)))
  for (i in seq_along(problem$paths)) {
    path <- problem$paths[[i]]
    kernel <- set_bandwidth(kernel, path, get_bandwidth(kernel, path) * of_path[[i]])
  }
  given <- problem$given
  # medians that are not fitted are those of the start
  if (length(problem$between)) given[] <- problem$domain_kernel[names(given)]
  for (i in seq_along(problem$between)) {
    parameter <- problem$between[[i]]
    value <- factors$domain[i] * get_domain_parameter(given, parameter)
    given <- set_domain_parameter(given, parameter, value)
  }
  list(kernel = kernel, domain_kernel = given)
}

# list(error, slopes): the mean of c_i r_i^2 and its gradient. With W the weights of
# core/ridge/lodo.h, d error = -2 sum_ij W_ij d(kappa k)_ij.
lodo_slopes <- function(problem, theta) {
  left_out <- left_out_at(problem, theta, problem$share)
  kappa <- left_out$at$kappa
  slopes <- c(predictor_slopes(problem, left_out$kernels$kernel, kappa, left_out$left),
              kappa_slopes(problem, left_out$kernels, left_out$at, left_out$left))
  list(error = left_out$error, slopes = -2 * slopes)
}

# list(error, kernels, at: the domain kernel there, left: of leave_rows_out()).
left_out_at <- function(problem, theta, squares = NULL) {
  kernels <- kernels_at(problem, theta)
  at <- if (length(problem$between)) domain_at(kernels$domain_kernel, problem)
        else list(kappa = problem$domain_kernel$kappa)
  gram <- function() gram_matrix(kernels$kernel, problem, at$kappa)
  left <- quietly(
    leave_rows_out(gram, problem$Y, problem$domain, problem$costs, problem$lambda, problem$centre,
                   problem$intercept, squares), "domgen_warning_ridge"
  )
  list(error = sum(problem$share * left$residual^2), kernels = kernels, at = at, left = left)
}

# sum_ij W_ij kappa_ij dk_ij / d log sigma for the bandwidths of the kernel on x.
predictor_slopes <- function(problem, kernel, kappa, left) {
  X <- problem$X
  unlist(Map(function(path, columns) {
    rate <- slope_program(kernel, kernel_program(kernel, X, X), path, X, by_predictor = TRUE)
    inv <- spread_columns(1 / get_bandwidth(kernel, path), columns, ncol(X))
    pair_slopes_(left$left, left$right, rate, inv, X, kappa, as.integer(problem$domain),
                 problem$threads)[columns]
  }, problem$paths, problem$columns))
}

# sum_ij W_ij k_ij dkappa_ij for the parameters of the domain kernel.
kappa_slopes <- function(problem, kernels, at, left) {
  if (length(problem$between) == 0L) return(NULL)
  X <- problem$X
  cells <- pair_cells_(left$left, left$right, kernel_program(kernels$kernel, X, X), X,
                       as.integer(problem$domain), nlevels(problem$domain), problem$threads)
  vapply(problem$between, function(parameter) {
    sum(cells * domain_slope(kernels$domain_kernel, parameter, at, problem))
  }, numeric(1))
}
