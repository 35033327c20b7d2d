#' Gaussian process regression on labelled domains
#'
#' @description
#' A Gaussian process on pairs of a domain and a row. On the standardised response,
#' \deqn{y_i = f(P_i, x_i) + e_i, \quad \mathrm{Cov}(f(P, x), f(P', x')) =
#'   s^2\, \kappa(P, P')\, k(x, x'), \quad \mathrm{Var}(e_i) = \nu^2 / w_i,}{
#'   y_i = f(P_i, x_i) + e_i, Cov(f(P, x), f(P', x')) = s^2 kappa(P, P') k(x, x'),
#'   Var(e_i) = nu^2 / w_i,}
#' with s the `signal_sd`, \eqn{\nu}{nu} the `noise_sd` and \eqn{w_i}{w_i} the weights: the
#' regression of the DICA paper's section 3.3 with a
#' [kernel between domains][domain_distribution]. Signal, noise and the bandwidths that are
#' not given are those of the largest marginal likelihood
#' \deqn{\log p(y) = -\tfrac12 y'A^{-1}y - \tfrac12 \log|A| - \tfrac n2 \log 2\pi, \quad
#'   A = s^2 K \circ \kappa + \nu^2 \mathrm{diag}(1/w_i)}{
#'   log p(y) = -(y'A^-1 y + log|A| + n log(2 pi)) / 2,  A = s^2 K o kappa + nu^2 diag(1/w_i)}
#' (Rasmussen and Williams, 2006, equation 2.30).
#'
#' @details
#' *What is fitted.* `signal_sd` and `noise_sd` if they are `NULL`; the bandwidth of
#' [kernel_rbf()], [kernel_laplace()], [kernel_matern()] or [kernel_cauchy()] without a `bandwidth`,
#' as `kernel`, inside sums and products of kernels, as the kernel of the mean embeddings and as the
#' outer kernel of [domain_distribution()]; and `tau` of `domain_multitask(NULL)`. With
#' `ard = TRUE` the bandwidths of `kernel` are one per predictor: a large one says that
#' its predictor counts little. Numbers that are given are kept, also a bandwidth in
#' [kernel_normalise()], which is the median distance if not given. So is one whose derivative is
#' not known, with a warning. Between domains nothing is fitted when there is only one.
#'
#' *How.* Each evaluation is one Cholesky factorisation; the derivatives (equation 5.9) need
#' its inverse, and kernel values that are made again tile by tile: no further matrix is
#' stored. [stats::nlminb()] climbs on the logarithms of the parameters, from `restarts` points:
#' the median bandwidths with noise half as large as the response, a third of them with less
#' noise, three times them with more, and, for more than three, random ones (`set.seed()`). The
#' starts are climbed on 500 rows, evenly spaced in the order of domain and x; the climb on
#' all rows begins where the likelihood of all rows is largest. With `optimise = FALSE` the first
#' start is used as it is. Bandwidths stay within 1/100 and 1,000 times the median (that of kappa
#' in units of the distance between embeddings), the noise within 1e-4 and 10 times the size
#' of the response.
#'
#' *Units.* A numeric response is standardised by its (weighted) training mean and
#' standard deviation unless `scale = "none"`: `signal_sd` and `noise_sd` are then in standard
#' deviations of the response, and far from all training rows the prediction is the mean.
#' `bandwidth` is in the units of the scaled predictors. Predictions, their standard errors and
#' the log likelihood are in the units of the response.
#'
#' *Weights* are precisions, as in [stats::lm()]: a row of weight 4 has half the noise. At given
#' parameters, predictions are those with 4 copies of the row; the likelihood is not, because 4
#' equal copies would say that there is little noise. Rows of weight 0 only describe their
#' domain.
#'
#' *Feature maps.* With `feature_map` other than [features_exact()] the process is
#' \eqn{f = \langle z(P, x), \beta\rangle}{f = <z(P, x), beta>} with
#' \eqn{\beta \sim N(0, s^2 I)}{beta ~ N(0, s^2 I)}. The likelihood then needs only sums over
#' rows, of r x r numbers for r features, and no training rows are kept. `signal_sd` and `noise_sd`
#' are fitted; the map is made before, so bandwidths keep the value given or the median. What the
#' features leave of a new row's prior variance, \eqn{s^2(\kappa k - \lVert z\rVert^2)}{
#' s^2 (kappa k - |z|^2)}, is added to its predictive variance, so that rows far from all
#' landmarks are not taken to be certain (Quinonero-Candela and Rasmussen, 2005, "DTC").
#'
#' @inheritParams dg_dica
#' @inheritParams dg_svm
#' @param x A formula `y ~ x1 + x2 | domain` with `data`; or a numeric matrix
#'   n x p or a data frame of predictors. Without `x` the result is a
#'   specification.
#' @param domain_kernel [Kernel between domains][domain_distribution].
#' @param feature_map [Feature map][features_nystrom]: [features_exact()] uses the Gram matrix.
#' @param signal_sd,noise_sd Positive numbers: standard deviations of f and of the noise of a row of
#'   weight 1. `NULL`: fitted.
#' @param optimise Fit the parameters that are not given? If `FALSE` they are those of the first
#'   start, see Details.
#' @param ard One bandwidth per predictor in `kernel`?
#' @param restarts Number of points from which the likelihood is climbed, at most 1,000.
#' @param weights Non-negative numbers, one per row: precisions of the response. May be a
#'   column of `data`.
#' @return With data, an object of class `dg_gp`, a list with
#'   \item{coefficients}{n numbers alpha: f(P, x) = sum_i alpha_i kappa(P_i, P) k(x_i, x); with a
#'     feature map the r numbers beta}
#'   \item{decision}{n x 1 values of f at the training rows, of the standardised response}
#'   \item{signal, noise}{as above}
#'   \item{parameters}{data frame: `name`, `value`, `fitted` (or fixed), `at_bound`, `meaning`}
#'   \item{log_likelihood}{of the response, in its units; see [stats::logLik()]}
#'   \item{gradient}{derivatives of the log likelihood in the logarithms (logit of tau) of the
#'     fitted parameters, at the result}
#'   \item{evaluations}{evaluations of the likelihood in the last climb}
#'   \item{log_density}{with a feature map, by domain, see [dg_lodo()]}
#'   and what `predict()` needs. Without data, a specification. `logLik()` has the
#'   attribute `df`, the number of fitted parameters, so that [stats::AIC()] and
#'   [stats::BIC()] work. The mean of the response and bandwidths that are medians are not
#'   counted.
#' @section Errors:
#' Classes as response, `signal_sd` or `noise_sd` that are not positive, `ard` with a
#' kernel that leaves no bandwidth open, covariances that are not numerically positive
#' definite (the noise is too small), unknown arguments, and Gram matrices over the memory
#' limit ([domgen-package]) are errors. A likelihood that is not maximised gives a warning of
#' class `domgen_warning_convergence`, an open bandwidth of a kernel without a derivative one of
#' class `domgen_warning_derivative`.
#' @references
#' Muandet, K., Balduzzi, D. and Scholkopf, B. (2013). Domain generalization via invariant
#' feature representation. *Proceedings of the 30th International Conference on Machine
#' Learning*, PMLR 28(1), 10-18.
#'
#' Quinonero-Candela, J. and Rasmussen, C. E. (2005). A unifying view of sparse approximate
#' Gaussian process regression. *Journal of Machine Learning Research* 6, 1939-1959.
#'
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*. MIT
#' Press.
#' @seealso [predict.dg_gp()] for standard errors and draws, [dg_lodo()], [dg_cv()]
#' @examples
#' toy <- simulate_dica(domains = 6, n = 30, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:5])
#' new <- subset(toy, !domain %in% levels(domain)[1:5])
#' model <- dg_gp(y ~ . | domain, data = train)
#' summary(model)
#' head(predict(model, new, interval = "prediction"))
#' dg_lodo(model)
#'
#' # compare with pooled domains
#' BIC(model, update(model, domain_kernel = domain_pooled()))
#'
#' # the growth of an orange tree, from other trees
#' trees <- dg_gp(circumference ~ age | Tree, data = subset(Orange, Tree != "4"))
#' new <- subset(Orange, Tree == "4")
#' cbind(new, predict(trees, new, interval = "prediction"))
#' @export
dg_gp <- function(x, y = NULL, domain = NULL, data = NULL, kernel = NULL,
                  domain_kernel = domain_distribution(), feature_map = features_exact(),
                  signal_sd = NULL, noise_sd = NULL, optimise = TRUE, ard = FALSE, restarts = 3,
                  weights = NULL,
                  scale = c("pooled", "domain", "both", "rank", "none"), na.action = stats::na.omit,
                  threads = NULL, ...) {
  learner_call("dg_gp", environment(), match.call(), parent.frame())
}

gp_parameters <- function() parameters(
  open_kernel(),
  parameter("signal_sd", or_null(a_number())),
  parameter("noise_sd", or_null(a_number())),
  parameter("optimise", check_flag),
  parameter("ard", check_flag),
  parameter("restarts", function(value, arg) check_count(value, arg, at_most = 1000L))
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
  evaluated <- gp_evaluate(problem, point)
  if (evaluated$value == -Inf) abort_indefinite(point)
  used <- sample$weights > 0
  alpha <- replace(numeric(length(used)), used, evaluated$alpha)
  space <- gram_space(point$kernel, point$domain_kernel, sample, args$threads)
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
gp_expansion <- function(space, alpha, rows) {
  X <- space$X[rows, , drop = FALSE]
  kappa <- space$domain_kernel$kappa
  codes <- if (!is.null(kappa)) as.integer(space$domain)
  kernel_apply_(kernel_program(space$kernel, X, space$X), X, space$X, matrix(alpha), kappa,
                codes[rows], codes, space$threads)
}

abort_indefinite <- function(point) {
  abort("numeric", "The covariance of the training rows is not numerically positive definite with ",
        "`signal_sd` ", signif(point$signal_sd, 3), " and `noise_sd` ", signif(point$noise_sd, 3),
        "; raise `noise_sd`.")
}

#' @exportS3Method
spec_gives.dg_gp_spec <- function(spec) "se"
