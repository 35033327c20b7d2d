# Ridge regressions that differ in lambda only: one band form serves all, and new rows are predicted
# for all values at once.

path_rows <- 500L
path_values <- 4L

#' @exportS3Method
fit_path.dg_ridge_spec <- function(specs, sample) {
  fits <- fit_path.dg_spec(specs, sample)
  if (nrow(sample$X) < path_rows || !differ_in_lambda(specs)) return(fits)
  # where one of them fails, each says so itself
  path <- remembering(function(key) on_error(quietly(fit_lambdas(specs, sample)), function(e) NULL))
  lapply(seq_along(specs), function(l) function() {
    models <- path("all")
    if (is.null(models)) fits[[l]]() else models[[l]]
  })
}

differ_in_lambda <- function(specs) {
  if (length(specs) < path_values) return(FALSE)
  args <- specs[[1L]]$args
  if (!is_exact(args$features) || args$bandwidths != "given" || args$probability != "none") {
    return(FALSE)
  }
  alike <- lapply(specs, fixed_args)
  all(vapply(alike, identical, NA, alike[[1L]]))
}

# Models without decision values of their rows.
fit_lambdas <- function(specs, sample) {
  args <- specs[[1L]]$args
  lambdas <- vapply(specs, function(spec) spec$args$lambda, numeric(1))
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (args$offset) args$kernel <- free_origin(args, sample$X)
  task <- ridge_task(sample, args)
  product <- represent(args$features, args$kernel, args$domain_kernel, sample, args$threads)
  check_memory(nrow(product$X), copies = 2)
  path <- core_result(ridge_many_(space_gram(product), task$Y, sqrt(task$costs), lambdas,
                                  args$offset, args$threads))
  expand <- remembering(function(rows) {
    sweep(space_expansion(product, rows, path$coefficients), 2L, path$offset, "+")
  })
  lapply(seq_along(lambdas), function(l) {
    own <- path_columns(l, ncol(task$Y))
    structure(list(coefficients = path$coefficients[, own, drop = FALSE],
                   offset = path$offset[own], lambda = lambdas[l], product = product,
                   response = task$response, y = sample$y, weights = sample$weights,
                   expand = function(rows) expand(rows)[, own, drop = FALSE]),
              class = c("dg_ridge_of_path", "dg_ridge", "dg_learner", "dg_fit"))
  })
}

#' @exportS3Method
decision.dg_ridge_of_path <- function(object, rows) {
  values <- object$expand(rows)
  colnames(values) <- if (ncol(values) > 1L) object$response$levels
  values
}
