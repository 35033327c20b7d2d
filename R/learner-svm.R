#' Support vector machine on labelled domains
#'
#' @description
#' Pooled, multi-task or distributional support vector machine: a C-SVC for two
#' classes, an \eqn{\varepsilon}{epsilon}-SVR for numbers, on the kernel
#' \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')}. It minimises
#' \deqn{\sum_i c_i\, \ell(y_i, f(P_i, x_i)) + \tfrac12\lVert f\rVert^2}{
#'   sum_i c_i l(y_i, f(P_i, x_i)) + ||f||^2 / 2}
#' with the hinge loss max(0, 1 - y f) for classes and max(0, |y - f| - epsilon) for
#' numbers (MTL paper, equation 7 and section 7.1). With `domain_weights =
#' "equal"` every domain weighs the same, \eqn{c_i = \mathrm{cost}\cdot n/(G n_g)}{
#' c_i = cost n / (G n_g)}: the paper's \eqn{1/(\lambda G n_g)}{1/(lambda G n_g)} with
#' cost = \eqn{1/(\lambda n)}{1/(lambda n)}.
#'
#' @details
#' The dual problem is solved by sequential minimal optimisation on the stored
#' Gram matrix, with second-order working sets and shrinking, and without the
#' equality constraint for `offset = FALSE`. The duality gap is reported.
#'
#' A numeric response is standardised by its (weighted) training mean and
#' standard deviation, unless `scale = "none"`: `epsilon` is then in standard
#' deviations, and without an offset the function shrinks to the mean rather than
#' to zero. Predictions are in the units of the response.
#'
#' `weights` multiply costs: a row with weight 2 counts as two rows, one with
#' weight 0 as none. They do not change a domain's mean embedding, which
#' describes the unlabelled rows.
#'
#' @inheritParams dica
#' @param x A formula `y ~ x1 + x2 | domain` with `data`; or a numeric matrix
#'   n x p or a data frame of predictors. Without `x` the result is a
#'   specification.
#' @param cost Positive number: cost of a unit of loss.
#' @param epsilon Non-negative half-width of the tube of the
#'   \eqn{\varepsilon}{epsilon}-insensitive loss.
#' @param kernel [Kernel][kernel_rbf] on the predictors. `NULL` is [kernel_rbf()]
#'   with the median bandwidth; in a [chain()] it is [kernel_linear()] on the
#'   projected scores, the DICA paper's rule.
#' @param offset Add an unpenalised constant to f? The papers do without.
#' @param weights Non-negative numbers, one per row, that multiply the row's cost.
#'   May be a column of `data`.
#' @param domain_weights `"equal"`: each domain weighs the same; `"size"`: each
#'   row does.
#' @param tolerance Positive number: the largest violation of the optimality
#'   conditions at which the solver stops.
#' @param max_iterations Whole number; 0 for a limit that grows with the number
#'   of rows.
#' @return With data, an object of class `dg_svm`, a list with
#'   \item{coefficients}{n numbers: f(P, x) = sum_i coefficients_i k((P_i, x_i), (P, x)) + offset}
#'   \item{offset}{the constant, 0 without one}
#'   \item{decision}{n x 1 values of f at the training rows (of the standardised
#'     response)}
#'   \item{converged, iterations}{of the solver}
#'   \item{gap, relative_gap}{duality gap, absolute and relative to the objective}
#'   \item{objective}{dual objective, the value minimised}
#'   \item{costs}{n costs c_i}
#'   and what `predict()` needs. Without data, a specification.
#' @section Errors:
#' More than two classes, a single class, negative or missing weights,
#' non-positive `cost`, unknown arguments, and Gram matrices over the memory limit
#' ([domgen-package]) are errors. A solver that stops early gives a warning.
#' @references
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain
#' generalization by marginal transfer learning. *Journal of Machine Learning
#' Research* 22(2), 1-55.
#' @seealso [predict.dg_learner()], [domain_distribution()], [dg_cv()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:6])
#' test <- subset(toy, !domain %in% levels(domain)[1:6])
#' model <- dg_svm(y ~ x1 + x2 | domain, data = train, cost = 10)
#' model
#' mean(predict(model, test) == test$y)
#'
#' # all domains pooled, as an ordinary support vector machine
#' pooled <- update(model, domain_kernel = domain_pooled())
#' mean(predict(pooled, test) == test$y)
#' @export
dg_svm <- function(x, y = NULL, domain = NULL, data = NULL, cost = 1, epsilon = 0.1,
                   kernel = NULL, domain_kernel = domain_distribution(), offset = FALSE,
                   weights = NULL, domain_weights = c("equal", "size"),
                   scale = c("pooled", "none"), tolerance = 1e-3, max_iterations = 0,
                   na.action = stats::na.omit, threads = NULL, ...) {
  args <- list(
    cost = check_number(cost, "cost"), epsilon = check_number(epsilon, "epsilon", "non-negative"),
    kernel = if (!is.null(kernel)) check_kernel(kernel, "kernel"),
    domain_kernel = check_domain_kernel(domain_kernel, "domain_kernel"),
    offset = check_flag(offset, "offset"),
    domain_weights = check_choice(domain_weights, "domain_weights", domain_weightings),
    scale = check_choice(scale, "scale", scalings),
    tolerance = check_number(tolerance, "tolerance"),
    max_iterations = check_count(max_iterations, "max_iterations", at_least = 0L),
    threads = check_threads(threads)
  )
  spec <- new_spec("dg_svm", "dg_svm_spec", learner_parts("Support vector machine"), args)
  fit_or_specify(spec, match.call(), parent.frame())
}

#' @exportS3Method
fit_sample.dg_svm_spec <- function(spec, sample) {
  args <- spec$args
  check_two_classes(sample$y, "dg_svm")
  # the solver keeps the columns of active rows in single precision beside K
  check_memory(nrow(sample$X), copies = 1.5)
  if (is.null(args$kernel)) args$kernel <- kernel_rbf()
  response <- encode_response(sample$y, sample$weights, args$scale != "none")
  costs <- row_costs(args$cost, sample$weights, sample$domain, args$domain_weights)
  product <- product_kernel(args$kernel, args$domain_kernel, sample, args$threads)
  dual <- dual_problem(response, costs, args$epsilon)
  solved <- core_result(smo_(
    product_gram(product, args$threads), dual$row, dual$sign, dual$p, dual$upper,
    rep(0, length(dual$row)), args$offset, args$tolerance, args$max_iterations, NULL
  ))
  solved$converged <- solved$converged || isTRUE(solved$relative_gap <= 1e-8)
  if (!solved$converged) {
    warn("convergence", "The solver stopped after ", plural(solved$iterations, "iteration"),
         " with a relative duality gap of ", signif(solved$relative_gap, 2),
         "; raise `max_iterations` or scale the data.")
  } else if (!isTRUE(solved$relative_gap <= 0.01)) {
    warn("convergence", "The solver met `tolerance`, but the relative duality gap is ",
         signif(solved$relative_gap, 2), ": `cost` is very large for it; lower either.")
  }
  structure(list(
    coefficients = solved$beta, offset = solved$b,
    decision = matrix(solved$decision + solved$b, ncol = 1L),
    converged = solved$converged, iterations = solved$iterations, gap = solved$gap,
    relative_gap = solved$relative_gap, objective = solved$objective, costs = costs,
    weights = sample$weights, response = response, y = sample$y, product = product
  ), class = c("dg_svm", "dg_learner", "dg_fit"))
}

# A loss fills in the box problem min a'Qa/2 + p'a, 0 <= a <= u, with
# Q_ij = s_i s_j K[r_i, r_j]. Hinge (MTL paper, section 7.1): one variable a row.
# Epsilon-insensitive: two variables a row, one for each side of the tube.
dual_problem <- function(response, costs, epsilon) {
  n <- length(costs)
  y <- response$target
  if (response$kind == "class") {
    return(list(row = seq_len(n), sign = y, p = rep(-1, n), upper = costs))
  }
  list(row = rep(seq_len(n), 2L), sign = rep(c(1, -1), each = n),
       p = c(epsilon - y, epsilon + y), upper = c(costs, costs))
}

#' @exportS3Method
decision.dg_svm <- function(object, X, domain, reference = NULL) {
  object$offset + product_expansion(object$product, X, domain, matrix(object$coefficients),
                                    object$spec$args$threads, reference)
}

#' @exportS3Method
print_details.dg_svm <- function(x) {
  describe_response(x$response)
  describe_kernels(x$product)
  args <- x$spec$args
  cat("  cost = ", format(args$cost), " (domain weights: ", args$domain_weights, ")",
      if (x$response$kind == "number") paste0(", epsilon = ", format(args$epsilon)),
      ", offset: ", if (args$offset) format(signif(x$offset, 4)) else "none", "\n", sep = "")
  cat("  ", plural(sum(x$coefficients != 0), "support vector"), "; ",
      if (x$converged) "converged" else "NOT converged", " after ",
      plural(x$iterations, "iteration"), ", relative duality gap ",
      signif(x$relative_gap, 2), "\n", sep = "")
}
