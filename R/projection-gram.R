# Projections from the Gram matrix of the training rows.

#' @exportS3Method
solve_projection.gram_space <- function(space, spec, rows, shared, ridges = NULL) {
  args <- spec$args
  sample <- rows$sample
  n <- nrow(sample$X)
  cells <- projection_cells(spec, sample)
  response <- if (uses_response(spec)) {
    check_several_classes(sample$y)
    response_factor(sample, args$kernel_y)
  }
  terms <- engine_terms(spec, cells$table, n)
  graph <- if (terms$smooth > 0) neighbour_laplacian(sample$X, args$neighbours, args$threads)
  # reflectors, and what is solved for each ridge
  if (!is.null(ridges)) {
    check_memory(n, copies = 2 + 4 * NCOL(response$factor$image) * length(ridges) / n)
  }
  K <- space_gram(space)
  check_overflow(n * diag(K)^2, space$kernel)  # the solver squares K
  domain <- if (method_of(spec)$covariance) centred_factor(one_hot(as.integer(sample$domain)))
  data <- c(response_parts(spec, response$factor, domain), list(
    graph = graph, labelled = if (!is.null(sample$labelled)) as.numeric(sample$labelled)
  ))
  solved <- core_result(projection_gram_(hand_over(K), terms, cells$code, nrow(cells$table),
                                         data, args$threads, ridges))
  for_each_ridge(solved, ridges, function(solved) {
    scores <- if (terms$centred) solved$scores else sweep(solved$scores, 2L, solved$centre)
    solved$scores <- scores[labelled_rows(sample), , drop = FALSE]
    solved$kernel_y <- response$kernel
    solved
  })
}

# Classes matter to the cells where a scatter asks for them.
projection_cells <- function(spec, sample) {
  if (method_of(spec)$response == "class") check_classes(sample$y, spec$method)
  labelled <- labelled_rows(sample)
  class <- rep(NA_integer_, length(labelled))
  class[labelled] <- if (method_of(spec)$response == "class") as.integer(sample$y) else 1L
  row_cells(sample$domain, class)
}
