#' Support vector machine on labelled domains
#'
#' @description
#' Pooled, multi-task or distributional support vector machine: a C-SVC for two or more classes, an
#' \eqn{\varepsilon}{epsilon}-SVR for a numeric response, on the kernel
#' \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')}. It minimises
#' \deqn{\sum_i c_i\, \ell(y_i, f(P_i, x_i)) + \tfrac12\lVert f\rVert^2}{
#'   sum_i c_i l(y_i, f(P_i, x_i)) + ||f||^2 / 2}
#' with the hinge loss max(0, 1 - y f) for classes and max(0, |y - f| - epsilon) for a numeric
#' response (MTL paper, equation 7 and section 7.1), their squares, or the logistic loss log(1 +
#' exp(-y f)).
#'
#' @details
#' ## Domain weights
#' The default is `domain_weights = "equal"`; other learners with this argument have `"size"`.
#'
#' With `"equal"`, \eqn{c_i = \mathrm{cost}\cdot n/(G n_g)}{c_i = cost n / (G n_g)}, with G domains
#' and \eqn{n_g}{n_g} rows in the domain of row i. The objective is then the MTL paper's (equation
#' 7), the mean over domains of their mean losses: the paper's
#' \eqn{1/(\lambda G n_g)}{1/(lambda G n_g)} is c_i for cost = \eqn{1/(\lambda n)}{1/(lambda n)}.
#' The default follows this equation, not a measured advantage.
#'
#' With `"size"`, \eqn{c_i = \mathrm{cost}}{c_i = cost}. The two agree for domains of equal size.
#'
#' `weights` multiply c_i, and n and n_g are then sums of weights.
#'
#' ## Response
#' A numeric response is standardised by its (weighted) training mean and standard deviation, unless
#' `scale = "none"`. `epsilon` is then in standard deviations and, without an intercept, f shrinks
#' to the mean instead of zero. Predictions are in the units of the response.
#'
#' More than two classes are decided by binary submodels, which share one Gram matrix or one set of
#' features: one per pair of classes on the rows of the two (`"one_vs_one"`), or one per class
#' against all others (`"one_vs_rest"`). Pairs vote; the sum of decision values decides between
#' classes with equal votes. With `"one_vs_rest"`, the largest decision value decides. A class may
#' be missing from a domain.
#'
#' ## Probabilities
#' With `loss = "logistic"`, f is the log odds: `predict(type = "prob")` gives
#' \eqn{1/(1 + e^{-f})}{1 / (1 + exp(-f))}, coupled for more classes, see [calibration]. The penalty
#' shrinks these towards 1/2; `calibration = "platt"` corrects that on held-out domains, and gives
#' probabilities of the other losses.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map,intercept,calibration As in [all methods][dg_arguments].
#' @param scale,terms,threads,... As in [all methods][dg_arguments].
#' @param cost Positive number: factor on the loss. `NULL`: chosen on held-out domains, see
#'   [penalty].
#' @param loss `r losses_help()` `NULL`: `"hinge"` or `"epsilon_insensitive"`. The authors of the
#'   MTL paper used the squared losses in their programs. With a [row_source()], kinks are rounded,
#'   see [solvers]. A loss of your own is made by [new_svm_loss()].
#' @param epsilon Non-negative half-width of the tube of the \eqn{\varepsilon}{epsilon}-insensitive
#'   loss, in standard deviations of the response (with `scale = "none"`: in its units). Default
#'   0.1.
#' @param multiclass How more than two classes are decided: `"one_vs_one"` (default) or
#'   `"one_vs_rest"`, see Details.
#' @param domain_weights `"equal"` (default): each domain has the same weight, as in the MTL paper;
#'   `"size"`: each row has. See Details.
#' @param tolerance Positive number: largest violation of the optimality conditions at which the
#'   solver stops. Default 0.001. Up to it, decision values depend on the order of the rows; use a
#'   smaller value if the order of a few rows matters (`"auc"`). With `calibration`, whose map can
#'   be steep, it is divided by 100.
#' @param max_iterations Maximum number of iterations of the solver (with features: sweeps and
#'   Newton steps together). Default 0: a limit set by the solver.
#' @return With data, an object of class `dg_svm`, a list with
#'   \item{coefficients}{n numbers: f(P, x) = sum_i coefficients_i k((P_i, x_i), (P, x)) +
#'     intercept; with a feature map one per feature: f(P, x) = z(P, x)'coefficients + intercept}
#'   \item{intercept}{the constant, 0 without one}
#'   \item{decision}{n x 1 values of f at the training rows (of the standardised response)}
#'   \item{converged, iterations}{of the solver}
#'   \item{gap, relative_gap}{duality gap, absolute and relative to the objective; with
#'     `"logistic"`, the possible gain by the last quadratic model, half the squared Newton
#'     decrement}
#'   \item{objective}{dual objective in the form that is minimised (minus the primal objective)}
#'   \item{costs}{n costs c_i}
#'   \item{cost}{as given or chosen}
#'   \item{loss}{name of the loss}
#'   \item{calibration}{with `calibration`, a list, see [calibration]} and what `predict()` needs.
#'   With more than two classes, `coefficients`, `decision` and `costs` have one column, and the
#'   other numbers one entry, per binary submodel. Without data, a specification.
#' @section Errors:
#' A single class, a loss that does not fit the response, negative or missing weights, non-positive
#' `cost`, unknown arguments, Gram matrices or features over the memory limit ([domgen_options]),
#' and what the feature map refuses ([features_nystrom()]) are errors; for errors of probabilities
#' see [calibration]. A solver that stops early gives a warning of class
#' `domgen_warning_convergence`.
#' @references
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain
#' generalization by marginal transfer learning. *Journal of Machine Learning
#' Research* 22(2), 1-55.
#' @seealso [solvers], [predict.dg_learner()], [domain_distribution()], [features_nystrom()],
#'   [dg_cv()]
#' @examples
#' # origin of plants from their carbon dioxide uptake; each plant is a domain
#' new <- subset(CO2, Plant %in% c("Qn1", "Qc2", "Mn3", "Mc1"))
#' known <- subset(CO2, !Plant %in% new$Plant)
#' plants <- dg_svm(Type ~ uptake + conc | Plant, data = known)
#' plants
#' table(predicted = predict(plants, new), new$Type)
#'
#' # all domains pooled, as an ordinary support vector machine; by features, for many rows
#' update(plants, domain_kernel = domain_pooled())
#' update(plants, feature_map = features_nystrom(20))
#'
#' # probabilities, calibrated on held-out domains
#' calibrated <- update(plants, calibration = "platt")
#' head(predict(calibrated, new, type = "prob"))
#' @export
dg_svm <- function(x, y = NULL, domain = NULL, data = NULL, cost = NULL, loss = NULL, epsilon = 0.1,
                   kernel = NULL, domain_kernel = domain_distribution(),
                   feature_map = features_exact(), intercept = FALSE,
                   multiclass = c("one_vs_one", "one_vs_rest"),
                   calibration = c("none", "platt", "isotonic"), weights = NULL,
                   domain_weights = c("equal", "size"),
                   scale = c("pooled", "domain", "both", "rank", "none"), tolerance = 1e-3,
                   max_iterations = 0, terms = NULL, na.action = stats::na.omit, threads = NULL,
                   ...) {
  learner_call("dg_svm", environment(), match.call(), parent.frame())
}

svm_parameters <- function() parameters(
  parameter("cost", "number", 0, open = TRUE, null = TRUE, grid = 10^(-1:2), simpler = -1),
  parameter("loss", null = TRUE, check = check_loss),
  with_entries(shared_parameters$epsilon, open = FALSE),
  open_kernel(),
  parameter("multiclass", "choice", levels = multiclass_schemes),
  with_entries(shared_parameters$domain_weights, levels = domain_weightings),
  parameter("tolerance", "number", 0, open = TRUE, tuned = FALSE),
  parameter("max_iterations", "count", 0, tuned = FALSE)
)

svm_row <- function() learner_row(
  "Support vector machine", solve_submodels, choose_svm, columns = function(args) args$multiclass,
  # the solver keeps the columns of active rows in single precision beside K, Newton's method a
  # factor
  copies = function(args, n) if (takes_newton(args$loss)) 2 else 1.5,
  details = function(problem, solved) {
    odds <- structure(list(slope = 1, intercept = 0), class = "platt_map")
    list(cost = problem$args$cost, loss = problem$loss$asked,
         response = c(problem$targets, if (problem$loss$log_odds) {
           list(maps = rep(list(odds), length(solved$intercept)))
         }))
  },
  parameters = svm_parameters
)

choose_svm <- function(problem, shared) {
  args <- problem$args
  rows <- problem$rows
  # steps of a calibration map make more of what the solver leaves
  if (args$calibration != "none") args$tolerance <- args$tolerance / 100
  problem$loss <- read_loss(args$loss, problem$targets$kind, args)
  if (is.null(args$cost)) {
    key <- args[c("kernel", "domain_kernel", "feature_map", "domain_weights", "intercept")]
    chosen <- shared_value(shared, "penalty", list(key, rows), function() {
      choose_on_sample(args, rows, quietly(ridge_task(rows$sample, args)))
    })
    args <- choose_cost(args, problem$loss, chosen)
    # a penalty of so many rows is that of all by their weights
    args$cost <- args$cost / stands_for(rows)
  }
  problem$args <- args
  problem
}

#' @exportS3Method
describe_fit.dg_svm <- function(x) {
  args <- x$spec$args
  support <- support_vectors(x)
  several <- length(x$intercept) > 1L
  newton <- takes_newton(x$loss)
  par <- own_par(as_loss(x$loss), args)
  c(NextMethod(), penalty_facts(x, "cost"), unname(Map(fact, names(par), par)), list(
    intercept_fact(x),
    fact("submodels", if (several) length(x$intercept), ", ", gsub("_", " ", args$multiclass)),
    fact("support vectors", if (!newton) support[["vectors"]], " (",
         rounded(100 * support[["share"]], 2L), " % of the rows)"),
    fact("iterations", sum(x$iterations), if (!x$converged) ", NOT converged"),
    fact(if (newton) "gap" else "duality gap", max(x$relative_gap), ", relative", digits = 2L)
  ))
}

# NULL where the coefficients are those of features.
support_vectors <- function(learner) {
  if (is.null(learner$gap) || !is.null(learner$space$feature_map)) return(NULL)
  in_use <- rowSums(as.matrix(learner$coefficients) != 0) > 0
  c(vectors = sum(in_use), share = mean(in_use))
}
