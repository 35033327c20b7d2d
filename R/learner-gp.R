#' Gaussian process regression on labelled domains
#'
#' @description
#' A Gaussian process on pairs of a domain and a row. On the standardised response,
#' \deqn{y_i = f(P_i, x_i) + e_i, \quad \mathrm{Cov}(f(P, x), f(P', x')) =
#'   s^2\, \kappa(P, P')\, k(x, x'), \quad \mathrm{Var}(e_i) = \nu^2 / w_i,}{
#'   y_i = f(P_i, x_i) + e_i, Cov(f(P, x), f(P', x')) = s^2 kappa(P, P') k(x, x'),
#'   Var(e_i) = nu^2 / w_i,}
#' with s the `signal_sd`, \eqn{\nu}{nu} the `noise_sd` and \eqn{w_i}{w_i} the weights: the
#' regression of the DICA paper's section 3.3 with a [domain kernel][domain_distribution].
#' `signal_sd`, `noise_sd` and the bandwidths that are not given maximise the marginal likelihood
#' \deqn{\log p(y) = -\tfrac12 y'A^{-1}y - \tfrac12 \log|A| - \tfrac n2 \log 2\pi, \quad
#'   A = s^2 K \circ \kappa + \nu^2 \mathrm{diag}(1/w_i)}{
#'   log p(y) = -(y'A^-1 y + log|A| + n log(2 pi)) / 2,  A = s^2 K o kappa + nu^2 diag(1/w_i)}
#' (Rasmussen and Williams, 2006, equation 2.30). [predict()][predict.dg_learner()] returns means,
#' standard errors and intervals, see [posterior].
#'
#' @param x,data,na.action As in [all methods][dg_arguments].
#' @param domain_kernel,feature_map,scale,terms,threads,... As in [all methods][dg_arguments].
#' @param y Response when `x` is not a formula: numbers.
#' @param domain Vector: the domain of each row. May be a column of `data`.
#' @param kernel [Kernel][kernel_rbf] on the predictors. `NULL`: [kernel_rbf()] with a fitted
#'   bandwidth; in a [dg_pipeline()], [kernel_linear()] on the projected scores.
#' @param signal_sd,noise_sd Positive numbers: standard deviations of f and of the noise of a row of
#'   weight 1, see [marginal_likelihood]. `NULL`: fitted.
#' @param optimise If `TRUE` (default), parameters that are not given are fitted; if `FALSE`, they
#'   are those of the first start, see [marginal_likelihood].
#' @param ard If `TRUE`, `kernel` has one bandwidth per predictor. Default `FALSE`.
#' @param restarts Number of starts of the optimisation, 1 to 1,000. Default 3.
#' @param weights Non-negative numbers, one per row: precisions of the response. May be a column of
#'   `data`.
#' @return With data, an object of class `dg_gp`, a list with
#'   \item{coefficients}{n numbers alpha: f(P, x) = sum_i alpha_i kappa(P_i, P) k(x_i, x); with a
#'     feature map the r numbers beta}
#'   \item{decision}{n x 1 values of f at the training rows, of the standardised response}
#'   \item{signal_sd, noise_sd}{as given or fitted}
#'   \item{parameters}{data frame: `name`, `value`, `fitted` (`FALSE`: given), `at_bound`,
#'     `meaning`}
#'   \item{log_likelihood}{of the response, in its units; see [stats::logLik()]}
#'   \item{gradient}{derivatives of the log likelihood in the logarithms (of `tau`: the logit) of
#'     the fitted parameters, at the result}
#'   \item{evaluations}{evaluations of the likelihood in the last maximisation}
#'   \item{log_density}{with a feature map, by domain, see [closed_form]} and what `predict()`
#'   needs. Without data, a specification. `logLik()` has the attribute `df`, the number of fitted
#'   parameters, so that [stats::AIC()] and [stats::BIC()] work; the mean of the response and
#'   bandwidths that are medians are not counted.
#' @section Errors:
#' Classes as response, non-positive `signal_sd` or `noise_sd`, `ard` with a kernel that leaves no
#' bandwidth open, covariances that are not numerically positive definite (`noise_sd` too small),
#' unknown arguments, and Gram matrices over the memory limit ([domgen_options])
#' are errors. Warnings: `domgen_warning_convergence` if the
#' likelihood is not maximised, `domgen_warning_derivative` for an open bandwidth of a kernel
#' without a known derivative.
#' @references
#' Muandet, K., Balduzzi, D. and Scholkopf, B. (2013). Domain generalization via invariant
#' feature representation. *Proceedings of the 30th International Conference on Machine
#' Learning*, PMLR 28(1), 10-18.
#'
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*. MIT
#' Press.
#' @seealso [marginal_likelihood], [posterior], [simulate.dg_gp()], [dg_cv()]
#' @examples
#' # the growth of an orange tree, from other trees
#' trees <- dg_gp(circumference ~ age | Tree, data = subset(Orange, Tree != "4"))
#' new <- subset(Orange, Tree == "4")
#' cbind(new, predict(trees, new, interval = "posterior"))
#' dg_cv(trees)
#' # compare with pooled domains
#' BIC(trees, update(trees, domain_kernel = domain_pooled()))
#' @order 1
#' @export
dg_gp <- function(x, y = NULL, domain = NULL, data = NULL, kernel = NULL,
                  domain_kernel = domain_distribution(), feature_map = features_exact(),
                  signal_sd = NULL, noise_sd = NULL, optimise = TRUE, ard = FALSE, restarts = 3,
                  weights = NULL, scale = c("pooled", "domain", "both", "rank", "none"),
                  terms = NULL, na.action = stats::na.omit, threads = NULL, ...) {
  learner_call("dg_gp", environment(), match.call(), parent.frame())
}

gp_parameters <- function() parameters(
  open_kernel(),
  parameter("signal_sd", "number", 0, open = TRUE, null = TRUE),
  parameter("noise_sd", "number", 0, open = TRUE, null = TRUE),
  parameter("optimise", "flag"),
  parameter("ard", "flag"),
  parameter("restarts", "count", upper = 1000)
)

gp_row <- function() learner_row("Gaussian process", fit = fit_gp, copies = NULL,
                                 response = "number", parameters = gp_parameters)

fit_gp <- function(problem, shared) {
  check_open_bandwidth(problem$args)
  if (is_exact(problem$args$feature_map)) fit_exact_gp(problem) else fit_feature_gp(problem, shared)
}

check_open_bandwidth <- function(args) {
  if (!args$ard) return(invisible())
  if (!is_exact(args$feature_map)) {
    abort("argument", "`ard` must be FALSE with a feature map, whose bandwidths are not ",
          "fitted.")
  }
  if (length(free_bandwidths(args$kernel)) == 0L) {
    abort("argument", "`ard` must be FALSE with a `kernel` that leaves no bandwidth ",
          "to be fitted; ", format_bandwidth(args$kernel), " does not.")
  }
}

# The size of the targets, around 0, by which the starts go.
target_size <- function(rows, targets) UseMethod("target_size")

#' @exportS3Method
target_size.rows_frame <- function(rows, targets) {
  size <- weighted_sd(drop(code_rows(targets, rows$sample$y)), rows$sample$weights)
  if (size > 0) size else 1
}

#' @exportS3Method
target_size.rows_source <- function(rows, targets) {
  moments <- pool_moments(rows$survey$response)
  size <- sqrt(moments$square / moments$count + (moments$mean - targets$centre)^2) / targets$scale
  if (size > 0) size else 1
}

# Same for the likelihood: a response divided by its scale.
in_response_units <- function(value, response, n) value - n * log(response$scale)

fit_exact_gp <- function(problem) {
  args <- problem$args
  response <- problem$targets
  sample <- problem$rows$sample
  check_memory(sum(sample$weights > 0))
  size <- target_size(problem$rows, response)
  problem <- gp_problem(args, sample, drop(code_rows(response, sample$y)))
  restarts <- if (args$optimise) args$restarts else 1L
  if (args$optimise) {
    warn_no_derivative(args$kernel, if (nlevels(sample$domain) > 1L) args$domain_kernel)
  }
  points <- lapply(seq_len(restarts), function(start) {
    start_point(args, problem$rows, size, start_factors(start))
  })
  best <- gp_optimise(args, problem, points)
  warn_optimum(best)
  point <- absolute_point(best$point, problem$rows)
  space <- gram_space(point$kernel, point$domain_kernel, sample, args$threads)
  check_varies(space, sample)
  evaluated <- gp_evaluate(problem, point)
  if (evaluated$value == -Inf) abort_indefinite(point)
  used <- sample$weights > 0
  alpha <- replace(numeric(length(used)), used, evaluated$alpha)
  # f = K alpha = y - ridge alpha where the row was used
  decision <- replace(numeric(length(used)), used,
                      problem$target - evaluated$ridge * evaluated$alpha)
  if (any(!used)) decision[!used] <- gp_expansion(space, alpha, !used)
  list(
    coefficients = alpha, decision = matrix(decision), signal_sd = point$signal_sd,
    noise_sd = point$noise_sd,
    parameters = describe_parameters(point, best, response, colnames(sample$X)),
    log_likelihood = in_response_units(evaluated$value, response, sum(used)),
    gradient = best$gradient, evaluations = best$evaluations, space = space
  )
}

# f at those training rows, each judged as in training.
gp_expansion <- function(space, alpha, at) {
  X <- space$X[at, , drop = FALSE]
  kappa <- space$domain_kernel$kappa
  codes <- if (!is.null(kappa)) as.integer(space$domain)
  kernel_apply_(kernel_program(space$kernel, X, space$X), X, space$X, matrix(alpha), kappa,
                codes[at], codes, space$threads)
}

abort_indefinite <- function(point) {
  abort("numeric", "The covariance of the training rows is not numerically positive definite with ",
        "`signal_sd` ", signif(point$signal_sd, 3), " and `noise_sd` ", signif(point$noise_sd, 3),
        "; raise `noise_sd`.")
}

#' @exportS3Method
spec_gives.dg_gp_spec <- function(spec, classes = NULL) "se"

#' How a Gaussian process is fitted
#'
#' Which parameters of [dg_gp()] are fitted, how is the likelihood maximised, and what do units,
#' weights and feature maps change?
#'
#' @section Fitted parameters:
#'
#' | parameter | fitted if |
#' |---|---|
#' | `signal_sd`, `noise_sd` | `NULL` |
#' | `bandwidth` of stationary kernels, see below | `NULL` |
#' | `tau` of [domain_multitask()] | `NULL` |
#'
#' Bandwidths are fitted for [kernel_rbf()], [kernel_laplace()], [kernel_matern()] and
#' [kernel_cauchy()]. They can be those of `kernel`, of the kernel of the mean embeddings and of the
#' kernel on embeddings in [domain_distribution()], also inside sums and products of kernels. With
#' `ard = TRUE`, `kernel` has one bandwidth per predictor: predictors with a large one have little
#' influence. Given parameters are kept. So are the bandwidth in [kernel_normalise()] (the median
#' distance if it is not given), and, with a warning, a bandwidth whose derivative is not known.
#' With a single domain, no parameter of the domain kernel is fitted.
#' @section Optimisation:
#' Each evaluation is one Cholesky factorisation. The derivatives (Rasmussen and Williams, 2006,
#' equation 5.9) need its inverse and kernel values that are computed again tile by tile, so that no
#' further matrix is stored. [stats::nlminb()] maximises over the logarithms of the parameters from
#' `restarts` starts: the median bandwidths with noise half as large as the response; a third of
#' them with less noise; three times them with more noise; and, for more than three, random starts
#' (use [set.seed()]). Starts use 500 rows, evenly spaced in the order of domain and x; the
#' maximisation on all rows begins where the likelihood of all rows is largest, and ends with a step
#' of Newton's method where that makes the derivatives smaller. Bandwidths stay within 1/100 and
#' 1,000 times the median (of the domain kernel: in units of the distance between embeddings), the
#' noise within 1e-4 and 10 times the standard deviation of the response.
#' @section Units:
#' A numeric response is standardised by its (weighted) training mean and standard deviation, unless
#' `scale = "none"`: `signal_sd` and `noise_sd` are then in standard deviations of the response, and
#' far from all training rows the prediction is the mean. `bandwidth` is in units of the scaled
#' predictors. Predictions, standard errors and the log likelihood are in units of the response.
#' @section Weights:
#' Weights are precisions, as in [stats::lm()]: the noise of a row of weight 4 has half the standard
#' deviation. At given parameters, the predictions are those with 4 copies of the row. The
#' likelihood is not, because 4 equal copies would be evidence of little noise. Rows of weight 0
#' only describe their domain.
#' @section Feature maps:
#' With a `feature_map` other than [features_exact()] the process is
#' \eqn{f = \langle z(P, x), \beta\rangle}{f = <z(P, x), beta>} with
#' \eqn{\beta \sim N(0, s^2 I)}{beta ~ N(0, s^2 I)}. The likelihood needs only sums over rows, r x r
#' numbers for r features, and no training rows are kept. `signal_sd` and `noise_sd` are fitted; the
#' map is made before, with bandwidths that are given or medians. The part of a new row's prior
#' variance that the features miss, \eqn{s^2(\kappa k - \lVert z\rVert^2)}{s^2 (kappa k - |z|^2)},
#' is added to its predictive variance, so that rows far from all landmarks have large standard
#' errors (Quinonero-Candela and Rasmussen, 2005, "DTC").
#' @name marginal_likelihood
#' @references
#' Quinonero-Candela, J. and Rasmussen, C. E. (2005). A unifying view of sparse approximate
#' Gaussian process regression. *Journal of Machine Learning Research* 6, 1939-1959.
#'
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*. MIT
#' Press.
#' @seealso [dg_gp()], [posterior]
NULL
