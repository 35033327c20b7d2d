#' Kernel ridge regression and classification on labelled domains
#'
#' @description
#' Pooled, multi-task or distributional least squares on the kernel
#' \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')}: f minimises
#' \deqn{\sum_i c_i\, (y_i - f(P_i, x_i))^2 + \lambda \lVert f\rVert^2}{
#'   sum_i c_i (y_i - f(P_i, x_i))^2 + lambda ||f||^2}
#' with \eqn{c_i} the row's weight, times \eqn{n/(G n_g)}{n/(G n_g)} for `domain_weights =
#' "equal"` (n, n_g: sums of weights). With
#' \eqn{C = \mathrm{diag}(c)}{C = diag(c)}, \eqn{f = \sum_i \alpha_i \bar k(\cdot, (P_i, x_i))}{
#' f = sum_i alpha_i k(., (P_i, x_i))} and
#' \deqn{\alpha = (K + \lambda C^{-1})^{-1} y,}{alpha = (K + lambda C^-1)^-1 y,}
#' that is \eqn{(K + \lambda I)^{-1} y}{(K + lambda I)^-1 y} when all rows weigh 1: `lambda` is not
#' multiplied by n. [dg_lodo()] gives the predictions of each domain by the model that is fitted
#' without it, in the time of about two fits.
#'
#' @details
#' **Response.** A number is standardised by its (weighted) training mean and standard deviation,
#' unless `scale = "none"`; without an offset the function shrinks to the mean. Two
#' classes are -1 and 1 (the second level), and the sign decides. More classes have an indicator
#' each, 0 or 1, all from the same factorisation, and the largest value decides, which for two
#' classes is the same rule.
#'
#' **The penalty.** Where `lambda` is not given, domains that are left out choose it: in folds of
#' whole domains (one each, at most 10 folds) they are predicted by the others in closed form (see
#' [dg_lodo()]), from the Gram matrix of all rows; of more than 1,000, from 1,000 that are evenly
#' spaced within domains in the order of x. Candidates are the \eqn{\lambda/\sum_i c_i}{
#' lambda / sum_i c_i} from 1e-5 to 10 in steps of half a power of ten, the last of which leaves
#' little but the constant; the one with the smallest mean of \eqn{c_i r_i^2}{c_i r_i^2}, with
#' \eqn{r_i} the residual of a left-out row, is taken. The bandwidth of [domain_distribution()] or
#' [domain_wasserstein()] is chosen along with it where `embedding_kernel` is [kernel_rbf()] without
#' `bandwidth` or `bandwidth_factor`: 1, 2, 4 or 8 times the median distance, the last nearly
#' pooling, a narrower one only where its error is smaller by more than half a standard error of the
#' difference over domains. So the default should seldom lose to pooling or to the mean by more than
#' chance. With fewer than two domains, with [domain_multitask()], which is made for known domains,
#' and with sums of features, `lambda` is 1. With a given `lambda` nothing is chosen, and the
#' bandwidth is the median distance.
#'
#' **Weights.** A row with weight k counts as k rows, one with weight 0 as none, but weights do not
#' change a domain's mean embedding, which describes the unlabelled rows.
#'
#' **Features.** With `feature_map = features_exact()` a Cholesky factorisation in the memory of the
#' Gram matrix, n^3/3 operations. With any other feature map z, f = z'w and
#' \deqn{w = (Z'CZ + \lambda I)^{-1} Z'Cy,}{w = (Z'CZ + lambda I)^-1 Z'C y,}
#' from sums that are taken in one pass over the rows, in blocks: n r^2 operations for r
#' coordinates. The model keeps neither the training rows nor their features. `fit(dg_ridge(),
#' sums)` takes such sums from [feature_sums()]; kernel, domain kernel and features are then those
#' of the sums. The domain kernel of sums is [domain_pooled()] unless another was given there, and a
#' message says so: the default here is another. One that was asked for here must be that of the
#' sums.
#'
#' **Bandwidths.** With `bandwidths = "fitted"` the bandwidths that the kernels leave open (a
#' `bandwidth` that is `NULL`) minimise the squared error of the left-out domains, the mean of
#' \eqn{c_i r_i^2}{c_i r_i^2} with \eqn{r_i} the residual of a row when its domain is left out (in
#' closed form, see [dg_lodo()]): for the kernel on x one per predictor, and a predictor that
#' does not help in other domains gets a large one; with [domain_distribution()] also those of the
#' embeddings' kernel and of `embedding_kernel`, one each. `lambda` is not fitted. The search starts
#' at the best multiple, among 1/4, 1/2, 1, 2 and 4, of the median distance, and follows the exact
#' gradient ([stats::nlminb()] on the logarithms), at most a factor of 1,000 away from the median.
#' A search takes some tens of steps of a few fits each. It needs `features_exact()` and at least
#' two domains; with few of them, the error that it minimises says little.
#'
#' **Probabilities.** With `calibration = "platt"` or `"isotonic"` classes get probabilities that
#' are calibrated on held-out domains, by the formulas in [dg_svm()]: one map for two classes,
#' \eqn{p(f) = 1/(1 + e^{-(af + b)})}{p(f) = 1 / (1 + exp(-(a f + b)))} with `"platt"`; for more one
#' for each class against the rest, and the probabilities are divided by their sum (Zadrozny and
#' Elkan, 2002). The decision values of each domain without its labels come from the closed form of
#' [dg_lodo()], so that no fit is repeated, and scaling, bandwidths and features stay those of all
#' rows; only a penalty that is not given and fitted bandwidths are fitted again, and in a
#' [dg_pipeline()] everything is, in at most 10 folds of domains. The predicted class is then the
#' most probable one, which need not be that of the decision values.
#'
#' @inheritParams dg_dica
#' @inheritParams dg_svm
#' @param lambda Positive number: weight of the squared norm. `NULL`: chosen by left-out domains,
#'   see Details.
#' @param domain_weights `"size"`: each row weighs the same; `"equal"`: each domain does.
#' @param domain_means Are the means of the scaled predictors over the row's domain predictors too
#'   (contextual effects)? See [learner_custom()].
#' @param bandwidths `"given"`: those of the kernels, and medians where they have none; `"fitted"`:
#'   those that they do not have are fitted, see Details.
#' @return With data, an object of class `dg_ridge`, a list with
#'   \item{coefficients}{n x m matrix alpha, or r x m matrix w with features; m is 1, or the number
#'     of classes if there are more than two}
#'   \item{offset}{m constants, 0 without an offset}
#'   \item{decision}{n x m values of f at the training rows (of the standardised response)}
#'   \item{costs}{n costs c_i}
#'   \item{lambda}{as given, or as chosen}
#'   \item{search}{with fitted bandwidths a list: `error`, the mean squared error of the
#'     left-out domains (standardised response), `start`, that of the medians, `converged`,
#'     `evaluations` and `message`}
#'   \item{calibration}{with probabilities a list, see [dg_svm()]}
#'   and what `predict()` needs. `predict(type = "decision")` gives a matrix with a column per class
#'   if there are more than two. Without data, a specification.
#' @section Errors:
#' A single class, negative or missing weights, non-positive `lambda`, unknown arguments, what
#' [dg_svm()] refuses of probabilities, and Gram matrices over the memory limit ([domgen-package])
#' are errors. A `lambda` so small that it is lost in the rounding of the Gram matrix is raised,
#' with a warning of class `domgen_warning_ridge`; one that rounding leaves fewer than four digits
#' beside gives such a warning too. A search for bandwidths that has not converged
#' gives a warning of class `domgen_warning_convergence`, an open bandwidth that stays at the median
#' because the derivative of its kernel is not known one of class `domgen_warning_derivative`.
#' @references
#' Platt, J. C. (1999). Probabilistic outputs for support vector machines and comparisons to
#' regularized likelihood methods. *Advances in Large Margin Classifiers*, 61-74.
#'
#' Saunders, C., Gammerman, A. and Vovk, V. (1998). Ridge regression learning algorithm in dual
#' variables. *Proceedings of the 15th International Conference on Machine Learning*.
#'
#' Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass
#' probability estimates. *Proceedings of the 8th ACM SIGKDD International Conference on Knowledge
#' Discovery and Data Mining*, 694-699.
#' @seealso [dg_lodo()], [predict.dg_learner()], [domain_distribution()], [dg_cv()]
#' @examples
#' toy <- simulate_dica(domains = 8, n = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:6])
#' test <- subset(toy, !domain %in% levels(domain)[1:6])
#' model <- dg_ridge(y ~ . | domain, data = train)
#' model
#' sqrt(mean((predict(model, test) - test$y)^2))
#'
#' # each domain predicted by the others
#' dg_lodo(model)
#'
#' # one bandwidth per predictor
#' fitted <- update(model, bandwidths = "fitted")
#' fitted
#' sqrt(mean((predict(fitted, test) - test$y)^2))
#'
#' # pupils of schools that were not in training
#' if (requireNamespace("nlme", quietly = TRUE)) {
#'   schools <- subset(nlme::MathAchieve, School %in% levels(School)[1:20])
#'   known <- subset(schools, !School %in% levels(School)[1:5])
#'   new <- subset(schools, School %in% levels(School)[1:5])
#'   pupils <- dg_ridge(MathAch ~ SES + Sex + Minority | School, data = known)
#'   print(summary(pupils))
#'   sqrt(mean((predict(pupils, new) - new$MathAch)^2))
#' }
#' @export
dg_ridge <- function(x, y = NULL, domain = NULL, data = NULL, lambda = NULL, kernel = NULL,
                     domain_kernel = domain_distribution(), feature_map = features_exact(),
                     intercept = FALSE, bandwidths = c("given", "fitted"),
                     calibration = c("none", "platt", "isotonic"), weights = NULL,
                     domain_weights = c("size", "equal"),
                     scale = c("pooled", "domain", "both", "rank", "none"), domain_means = FALSE,
                     na.action = stats::na.omit, threads = NULL, ...) {
  learner_call("dg_ridge", environment(), match.call(), parent.frame())
}

ridge_parameters <- function() parameters(
  with_entries(shared_parameters$lambda, check = or_null(a_number()),
               grid = function(n, args) n * 10^(-5:-1)),
  open_kernel(),
  parameter("bandwidths", one_of(c("given", "fitted")))
)

ridge_row <- function() learner_row(
  "Kernel ridge regression", solve_squared, choose_ridge, details = ridge_details,
  parameters = ridge_parameters
)

# lambda of rows in memory, bandwidths and the width between domains; lambda of other rows comes
# from their sums.
choose_ridge <- function(problem, shared) {
  args <- problem$args
  rows <- problem$rows
  open <- is.null(args$lambda) && (rows$keeps || chooses_width(args))
  if (rows$keeps || open) problem$task <- squared_task(rows, problem$targets, args)
  if (open) {
    args <- choose_on_sample(args, rows, problem$task)
    if (!rows$keeps) args["lambda"] <- list(NULL)
  }
  if (args$bandwidths == "fitted") {
    problem$search <- fit_bandwidths(problem$task, rows$sample, args)
    args[c("kernel", "domain_kernel")] <- problem$search[c("kernel", "domain_kernel")]
  }
  problem$args <- args
  problem
}

ridge_details <- function(problem, solved) {
  if (!all(is.finite(solved$coefficients)) || !all(is.finite(solved$decision))) {
    abort("numeric", "The coefficients overflow with ", format(problem$space$kernel),
          "; scale the predictors or raise `lambda`.")
  }
  list(costs = if (problem$rows$keeps) problem$task$costs else numeric(),
       search = problem$search[c("error", "start", "converged", "evaluations", "message")])
}

#' @exportS3Method
print_details.dg_ridge <- function(x) {
  describe_response(x$response)
  describe_kernels(x$space)
  args <- x$spec$args
  cat_line("  lambda = ", format(rounded(penalty_of(x, "lambda"), 4)),
           if (is.null(args$lambda)) chosen_by(x), " (domain weights: ",
           args$domain_weights, "), offset: ",
           intercept_words(x$intercept, args$intercept))
  if (!is.null(x$search)) {
    cat_line("  bandwidths fitted: mean squared error of left-out domains ",
             rounded(x$search$error, 4), ", from ", rounded(x$search$start, 4),
             " (standardised response)")
  }
}

#' @exportS3Method
check_sums.dg_ridge_spec <- function(spec, sums) {
  check_fixed(spec, sums)
  by_rows <- list(domain_weights = "equal", bandwidths = "fitted",
                  calibration = c("platt", "isotonic"))
  for (name in names(by_rows)) {
    value <- spec$args[[name]]
    if (value %in% by_rows[[name]]) {
      abort("argument", "`", name, "` must not be \"", value, "\" with sums: that needs the rows ",
            "themselves.")
    }
  }
}

# ---- values of lambda -------------------------------------------------------------------------

# Ridge regressions that differ in lambda only: one band form serves all, and new rows are predicted
# for all values at once.
path_rows <- 500L

path_values <- 4L

#' @exportS3Method
fit_many.dg_ridge_spec <- function(specs, rows) {
  fits <- fit_many.dg_spec(specs, rows)
  few <- !rows$keeps || nrow(rows$sample$X) < path_rows
  if (few || !differ_in_lambda(specs)) return(fits)
  # where one of them fails, each says so itself
  path <- remembering(function(key) {
    on_error(quietly(fit_lambdas(specs, rows$sample)), function(e) NULL)
  })
  lapply(seq_along(specs), function(l) function() {
    models <- path("all")
    if (is.null(models)) fits[[l]]() else models[[l]]
  })
}

differ_in_lambda <- function(specs) {
  if (length(specs) < path_values) return(FALSE)
  args <- specs[[1L]]$args
  if (!is_exact(args$feature_map) || args$bandwidths != "given" || args$calibration != "none") {
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
  if (args$intercept) args$kernel <- free_origin(args, sample$X)
  task <- ridge_task(sample, args)
  space <- represent(args$feature_map, args$kernel, args$domain_kernel, sample, args$threads)
  check_memory(nrow(space$X), copies = 2)
  path <- core_result(ridge_many_(space_gram(space), task$Y, sqrt(task$costs), lambdas,
                                  args$intercept, args$threads))
  expand <- remembering(function(rows) {
    sweep(space_expansion(space, rows, path$coefficients), 2L, path$offset, "+")
  })
  lapply(seq_along(lambdas), function(l) {
    own <- path_columns(l, ncol(task$Y))
    structure(list(coefficients = path$coefficients[, own, drop = FALSE],
                   intercept = path$offset[own], lambda = lambdas[l], space = space,
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
