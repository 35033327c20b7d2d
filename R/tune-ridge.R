# Ridge regressions that differ in lambda only, on one split: one band form serves all, and the
# held-out rows are predicted for all values at once.

path_rows <- 500L
path_values <- 4L

# Decision values of the held-out rows for each specification, and a model without
# coefficients that turns them into responses: list(model, values (a list)), or NULL where there
# is nothing to share.
share_decisions <- function(specs, task, split) {
  if (length(split$train) < path_rows || !differ_in_lambda(specs)) return(NULL)
  spec <- specs[[1L]]
  args <- spec$args
  train <- take_rows(task$input, split$train)
  test <- take_rows(task$input, split$held)
  sample <- read_sample(train, spec_needs(spec), args$scale)
  args <- place_kernels(args, layout_of(sample$blueprint))
  ridge <- ridge_task(sample, args)
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  if (args$offset) args$kernel <- free_origin(args, sample$X)
  product <- product_kernel(args$kernel, args$domain_kernel, sample, args$threads)
  model <- structure(list(product = product, response = ridge$response, y = sample$y,
                          weights = sample$weights),
                     class = c("dg_ridge", "dg_learner", "dg_fit"))
  model <- finish_fit(model, spec, sample, train$x)
  new <- read_new(model, as_newdata(test), task$domain[split$held], NULL, NULL)
  lambdas <- vapply(specs, function(spec) spec$args$lambda, numeric(1))
  predicted <- path_predictions(product, ridge, args, new, lambdas)
  m <- ncol(ridge$Y)
  values <- lapply(seq_along(specs), function(l) {
    full <- matrix(NA_real_, length(new$ok), m, dimnames = list(NULL, colnames(ridge$Y)))
    full[new$ok, ] <- predicted[, path_columns(l, m)]
    full
  })
  list(model = model, values = values)
}

differ_in_lambda <- function(specs) {
  if (length(specs) < path_values) return(FALSE)
  first <- specs[[1L]]
  if (first$method != "dg_ridge" || !is_exact(first$args$features) ||
        first$args$bandwidths != "given" || first$args$probability != "none") return(FALSE)
  all(vapply(specs, function(spec) identical(fixed_args(spec), fixed_args(first)), NA))
}

# [new rows x m lambdas]
path_predictions <- function(product, ridge, args, new, lambdas) {
  check_memory(nrow(product$X), copies = 2)
  path <- core_result(ridge_many_(product_gram(product), ridge$Y, sqrt(ridge$costs),
                                  lambdas, args$offset, args$threads))
  values <- product_expansion(product, new, path$coefficients)
  sweep(values, 2L, path$offset, "+")
}
