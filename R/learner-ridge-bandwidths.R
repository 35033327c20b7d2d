# Bandwidths of a ridge regression that minimise the squared error of left-out
# domains, by its exact gradient: those that the kernels leave open. Parameters are
# logarithms of factors on medians, one per predictor for each open bandwidth of the
# kernel on x, one for each of the embeddings' kernel and of the kernel on embeddings.

bandwidth_factors <- c(0.25, 0.5, 1, 2, 4)
most_factor <- 1000

# list(kernel, domain_kernel, error, start, converged, evaluations, message)
fit_bandwidths <- function(task, sample, args) {
  problem <- bandwidth_problem(task, sample, args)
  at <- new.env(parent = emptyenv())
  at$count <- 0L
  evaluate <- function(theta) {
    if (!identical(theta, at$theta)) {
      at$found <- lodo_slopes(problem, theta)
      if (!all(is.finite(unlist(at$found)))) {
        abort("numeric", "The error of left-out domains overflows; scale the response.")
      }
      at$theta <- theta
      at$count <- at$count + 1L
    }
    at$found
  }
  on_x <- problem$of == "kernel"
  starts <- lapply(log(bandwidth_factors), function(factor) ifelse(on_x, factor, 0))
  errors <- vapply(starts, function(theta) evaluate(theta)$error, numeric(1))
  found <- stats::nlminb(
    starts[[which.min(errors)]], function(theta) evaluate(theta)$error,
    function(theta) evaluate(theta)$slopes,
    lower = -log(most_factor), upper = log(most_factor),
    control = list(iter.max = 100L, eval.max = 150L, rel.tol = 1e-6, x.tol = 1e-5)
  )
  # false and singular convergence mean a flat minimum
  limited <- grepl("limit", found$message)
  if (limited) {
    warn("convergence", "The search for bandwidths stopped after ",
         plural(at$count, "evaluation"), " before it had converged.")
  }
  c(kernels_at(problem, found$par),
    list(error = found$objective, start = errors[bandwidth_factors == 1], converged = !limited,
         evaluations = at$count, message = found$message))
}

# Everything that does not depend on the bandwidths; rows sorted by domain. paths: the open
# bandwidths of the kernel on x, of the embeddings' and of the outer kernel; of: which of
# the three a parameter belongs to.
bandwidth_problem <- function(task, sample, args) {
  paths <- open_bandwidths(args)
  check_left_out(sample)
  check_memory(nrow(sample$X), copies = 2)
  order <- order(sample$domain)
  X <- sample$X[order, , drop = FALSE]
  domain <- sample$domain[order]
  share <- task$costs[order] / max(task$costs)
  list(X = X, domain = domain, Y = task$Y[order, , drop = FALSE], costs = task$costs[order],
       share = share / sum(share), centre = left_out_centre(sample, task, args),
       lambda = args$lambda, offset = args$offset,
       kernel = kernel_fit(args$kernel, X), given = args$domain_kernel,
       domain_kernel = domain_kernel_fit(args$domain_kernel, X, domain, args$threads),
       paths = paths, of = rep(names(paths), lengths(paths) * c(ncol(X), 1L, 1L)),
       threads = args$threads)
}

open_bandwidths <- function(args) {
  if (!inherits(args$features, "features_exact")) {
    abort("argument", "`bandwidths` must be \"given\" with `", class(args$features)[1L],
          "()`: they are fitted with `features_exact()` only, for example to some of the rows.")
  }
  of_domains <- inherits(args$domain_kernel, "domain_embedding")
  paths <- list(
    kernel = free_bandwidths(args$kernel),
    embedding = if (of_domains) free_embedding(args$domain_kernel),
    outer = if (of_domains) free_bandwidths(args$domain_kernel$outer)
  )
  if (sum(lengths(paths)) == 0L) {
    abort("argument", "`bandwidths` must be \"given\" with kernels that leave none open",
          if (length(stuck_bandwidths(args$kernel))) " of which a derivative is known",
          ", such as ", format(args$kernel), "; `kernel_rbf()` without `sigma` does.")
  }
  warn_no_derivative(args$kernel, args$domain_kernel)
  paths
}

# list(kernel, domain_kernel) with the bandwidths of theta.
kernels_at <- function(problem, theta) {
  p <- ncol(problem$X)
  kernel <- problem$kernel
  given <- problem$given
  factors <- split(exp(theta), factor(problem$of, names(problem$paths)))
  for (i in seq_along(problem$paths$kernel)) {
    path <- problem$paths$kernel[[i]]
    kernel <- set_bandwidth(kernel, path, get_bandwidth(problem$kernel, path) *
                              factors$kernel[seq_len(p) + (i - 1L) * p])
  }
  for (of in c("embedding", "outer")) {
    part <- if (of == "outer") "outer" else "kernel"
    # medians that are not fitted are those of the start
    if (any(problem$of != "kernel")) given[[part]] <- problem$domain_kernel[[part]]
    for (i in seq_along(problem$paths[[of]])) {
      path <- problem$paths[[of]][[i]]
      median <- get_bandwidth(problem$domain_kernel[[part]], path)
      given[[part]] <- set_bandwidth(given[[part]], path, median * factors[[of]][i])
    }
  }
  list(kernel = kernel, domain_kernel = given)
}

# list(error, slopes): the mean of c_i r_i^2 and its gradient. With W the weights of
# core/lodo.h, d error = -2 sum_ij W_ij d(kappa k)_ij.
lodo_slopes <- function(problem, theta) {
  kernels <- kernels_at(problem, theta)
  kappa <- embedding_kappa(problem, kernels$domain_kernel)
  codes <- as.integer(problem$domain)
  gram <- function() gram_matrix(kernels$kernel, problem$X, kappa$kappa, codes, problem$threads)
  left <- quietly(
    left_out_core(gram, problem$Y, problem$domain, problem$costs, problem$lambda, problem$centre,
                  problem$offset, problem$share), "domgen_warning_ridge"
  )
  slopes <- c(predictor_slopes(problem, kernels$kernel, kappa$kappa, left),
              kappa_slopes(problem, kernels, kappa, left))
  list(error = sum(problem$share * left$residual^2), slopes = -2 * slopes)
}

# sum_ij W_ij kappa_ij dk_ij / d log sigma for the bandwidths of the kernel on x.
predictor_slopes <- function(problem, kernel, kappa, left) {
  X <- problem$X
  unlist(lapply(problem$paths$kernel, function(path) {
    rate <- slope_program(kernel, kernel_program(kernel, X, X), path, X, by_predictor = TRUE)
    pair_slopes_(left$left, left$right, rate, 1 / get_bandwidth(kernel, path), X, kappa,
                 as.integer(problem$domain), problem$threads)
  }))
}

# kappa [G x G] or NULL; inner products of the mean embeddings where kappa has open
# bandwidths.
embedding_kappa <- function(problem, kernel) {
  if (all(problem$of == "kernel")) return(list(kappa = problem$domain_kernel$kappa))
  kernel$kernel <- kernel_fit(kernel$kernel, problem$X)
  inner <- unname(embedding_gram(kernel$kernel, problem$X, problem$domain, problem$threads))
  list(kernel = kernel, inner = inner,
       kappa = kernel_profile(kernel$outer, inner, diag(inner), diag(inner)))
}

# sum_ij W_ij k_ij dkappa_ij for the bandwidths of the embeddings' and the outer kernel.
kappa_slopes <- function(problem, kernels, kappa, left) {
  if (all(problem$of == "kernel")) return(NULL)
  X <- problem$X
  codes <- as.integer(problem$domain)
  G <- nlevels(problem$domain)
  cells <- pair_cells_(left$left, left$right, kernel_program(kernels$kernel, X, X), X, codes, G,
                       problem$threads)
  embedding <- lapply(problem$paths$embedding, function(path) {
    inner <- kappa$kernel$kernel
    program <- slope_program(inner, kernel_program(inner, X, X), path, X)
    change <- kernel_means_(program, X, codes, G, NULL, NULL, G, problem$threads)
    kernel_profile_slope(kappa$kernel$outer, kappa$inner, change)
  })
  outer <- lapply(problem$paths$outer, function(path) {
    bandwidth_profile_slope(kappa$kernel$outer, path, kappa$inner)
  })
  vapply(c(embedding, outer), function(slope) sum(cells * slope), numeric(1))
}
