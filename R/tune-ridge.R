# Ridge regressions that differ in lambda only, on one split: the held-out rows are predicted for
# all values at once, see ridge_path(). A split that holds out rows is the same as leaving
# out one domain, and the response of the held-out rows does not enter.

path_rows <- 500L
path_values <- 4L

# Decision values of the held-out rows for each specification, and a model without
# coefficients that turns them into responses: list(model, values (a list)), or NULL where there
# is nothing to share.
share_decisions <- function(specs, task, split) {
  if (length(split$train) < path_rows || !differ_in_lambda(specs)) return(NULL)
  args <- specs[[1L]]$args
  train <- take_rows(task$input, split$train)
  test <- take_rows(task$input, split$held)
  sample <- read_sample(train, spec_needs(specs[[1L]]), args$scale)
  ridge <- ridge_task(sample, args)
  kernel <- if (is.null(args$kernel)) kernel_rbf() else args$kernel
  product <- product_kernel(kernel, args$domain_kernel, sample, args$threads)
  model <- structure(list(product = product, response = ridge$response, y = sample$y,
                          weights = sample$weights),
                     class = c("dg_ridge", "dg_learner", "dg_fit"))
  model <- finish_fit(model, specs[[1L]], sample, train$x)
  new <- read_new(model, as_newdata(test), task$domain[split$held],
                  NULL, NULL)
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
  if (first$method != "dg_ridge" || !inherits(first$args$features, "features_exact") ||
        first$args$bandwidths != "given" || first$args$probability != "none") return(FALSE)
  rest <- function(spec) spec$args[names(spec$args) != "lambda"]
  all(vapply(specs, function(spec) identical(rest(spec), rest(first)), NA))
}

# [new rows x m lambdas]
path_predictions <- function(product, ridge, args, new, lambdas) {
  n <- nrow(product$X)
  held <- nrow(new$X)
  if (held == 0L) return(matrix(0, 0L, ncol(ridge$Y) * length(lambdas)))
  check_memory(n + held, copies = 2)
  K <- joint_gram(product, new, args$threads)
  left_out <- factor(rep(c("train", "held"), c(n, held)), c("train", "held"))
  path <- ridge_path(K, rbind(ridge$Y, matrix(0, held, ncol(ridge$Y))), left_out,
                     c(ridge$costs, rep(mean(ridge$costs), held)), lambdas, offset = args$offset,
                     threads = args$threads)
  path$prediction[n + seq_len(held), , drop = FALSE]
}

# The Gram matrix of the training rows and, after them, new ones.
joint_gram <- function(product, new, threads) {
  kernel <- product$domain_kernel
  X <- rbind(product$X, new$X)
  if (!uses_domain(kernel)) return(gram_matrix(product$kernel, X, threads = threads))
  rows <- judging_rows(new$X, new$domain, new$reference, kernel)
  across <- unname(domain_kernel_new(kernel, rows$X, rows$domain, threads))
  kappa <- rbind(cbind(unname(kernel$kappa), t(across)),
                 cbind(across, unname(kappa_among(kernel, rows$X, rows$domain, threads))))
  codes <- c(as.integer(product$domain), nlevels(product$domain) + as.integer(new$domain))
  gram_matrix(product$kernel, X, kappa, codes, threads)
}
