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
#' `weights` multiply c_i, and n and n_g are then sums of weights: a row of weight 2 counts as two
#' rows, a row of weight 0 as none. Scaling, bandwidths
#' and mean embeddings take each row once, whatever its weight.
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
#' ## Cost
#' If `cost` is not given, it is derived from the `lambda` that a ridge regression on the same
#' kernels chooses on held-out domains, together with the bandwidth of the domain kernel; see the
#' penalty in [dg_ridge()]. Let \eqn{\bar r}{r} be the mean absolute residual of that ridge
#' regression on the held-out domains, with two classes coded -1 and 1. For classes as for numbers,
#' max(r, epsilon) is rounded to the nearest power of \eqn{10^{1/4}}{10^(1/4)}.
#'
#' | loss | cost | reason |
#' |---|---|---|
#' | hinge, tube | max(r, epsilon) / lambda | slope of the ridge regression's loss at r |
#' | squared | 1 / (2 lambda) | curvature of the ridge regression at f = 0 |
#' | logistic | 4 / lambda | curvature of the ridge regression at f = 0 |
#'
#' With fewer than two domains, or with [domain_multitask()], lambda and r are 1. If `cost` is
#' given, nothing is chosen, and the bandwidth of the domain kernel is the median distance.
#'
#' ## Solvers
#' With `feature_map = features_exact()`, the dual problem is solved by sequential minimal
#' optimisation on the stored Gram matrix, with second-order working sets and shrinking, and without
#' the equality constraint if `intercept = FALSE`.
#'
#' With any other feature map z ([features_nystrom()], [features_rff()], [features_product()]; MTL
#' paper, section 7.2), f(P, x) = z(P, x)'w + b, and
#' \deqn{\sum_i c_i\, \ell(y_i, z_i'w + b) + \tfrac12\lVert w\rVert^2}{
#'   sum_i c_i l(y_i, z_i'w + b) + |w|^2 / 2}
#' is minimised over w and b, in two stages. First come some sweeps of dual coordinate descent
#' (Hsieh et al., 2008; Ho and Lin, 2012, for a numeric response). The proximal point method on the
#' dual, with Newton steps, then reaches `tolerance` (Rockafellar, 1976; Yan and Li, 2020). It is
#' hardly slower at large costs. Time and memory are proportional to n times the number of features.
#' The sweeps take
#' the rows in a random order from R's generator. The model does not keep the features of the
#' training rows, and of the rows themselves at most the landmarks. Therefore
#' `predict(reference = "training")` is an error.
#'
#' The duality gap is reported in both cases.
#'
#' With `loss = "logistic"` (kernel logistic regression: Jaakkola and Haussler, 1999; Zhu and
#' Hastie, 2005) the objective is smooth and is minimised by Newton's method. On the Gram matrix
#' this is iteratively reweighted least squares: with \eqn{p_i = c_i \ell'(f_i)}{p_i = c_i l'(f_i)}
#' and \eqn{W = \mathrm{diag}(c_i \ell''(f_i))}{W = diag(c_i l''(f_i))}, a step solves
#' \eqn{(K + W^{-1})\alpha + 1b = f - W^{-1}p}{(K + W^-1) alpha + 1 b = f - W^-1 p}. With a feature
#' map, a step is one pass over the rows that sums \eqn{Z'p} and \eqn{Z'WZ}; memory does not grow
#' with the rows. Steps that are too long are shortened. The last step gains, by the quadratic
#' model, at most `tolerance`^2 / 10,000 of the objective. All rows with a positive cost have
#' non-zero coefficients.
#'
#' A [row_source()] is fitted by Newton's method with a feature map for all losses, because only
#' sums over rows are available. Squared losses and the logistic loss are unchanged. In the others,
#' each kink max(0, t) (one in the hinge, two in a tube) is replaced by
#' \eqn{(t + h)^2/(4h)}{(t + h)^2 / (4 h)} for |t| < h, as in Huber's loss, with h = 0.05 (for a
#' numeric response, standard deviations). This raises the loss of a row by at most h/4 per kink and
#' never lowers it.
#'
#' ## Probabilities
#' With `calibration`, probabilities are calibrated on held-out domains, see [calibration]. With
#' `loss = "logistic"`, f is the log odds, and probabilities \eqn{1/(1 + e^{-f})}{1 / (1 + exp(-f))}
#' are available without calibration (more classes are coupled as described there). The penalty
#' shrinks these probabilities towards 1/2, and no held-out domain corrects them. With
#' `calibration = "platt"`, they are corrected on held-out domains.
#'
#' @inheritParams dg_dica
#' @param x A formula `y ~ x1 + x2 | domain` with `data`; or a numeric matrix n x p or a data frame
#'   of predictors. Without `x` the result is a specification.
#' @param cost Positive number: factor on the loss. `NULL`: chosen on held-out domains, see Details.
#' @param loss `r losses_help()` `NULL`: `"hinge"` or `"epsilon_insensitive"`. The authors of the
#'   MTL paper used the squared losses in their programs. With a [row_source()], kinks are rounded,
#'   see Details. A loss of your own is made by [new_svm_loss()].
#' @param epsilon Non-negative half-width of the tube of the \eqn{\varepsilon}{epsilon}-insensitive
#'   loss, in standard deviations of the response (with `scale = "none"`: in its units). Default
#'   0.1.
#' @param kernel [Kernel][kernel_rbf] on the predictors. `NULL`: [kernel_rbf()] with the median
#'   bandwidth; in a [dg_pipeline()], [kernel_linear()] on the projected scores (the DICA paper's
#'   rule).
#' @param domain_kernel [Domain kernel][domain_distribution], multiplied with `kernel`. Default
#'   [domain_distribution()].
#' @param feature_map [Feature map][features_nystrom] that represents the kernel: [features_exact()]
#'   (default, the Gram matrix), [features_nystrom()], [features_rff()] or [features_product()].
#' @param intercept If `TRUE`, an unpenalised constant is added to f. Default `FALSE`, as in the
#'   papers. With pooled domains, a linear kernel (`kernel_linear()`, `kernel_poly(1)`, also in
#'   sums) is then \eqn{\langle x - m, z - m\rangle}{<x - m, z - m>} with m the mean of the training
#'   rows: f is the same, and no digits are lost if predictors are far from 0.
#' @param multiclass How more than two classes are decided: `"one_vs_one"` (default) or
#'   `"one_vs_rest"`, see Details.
#' @param calibration `"none"` (default), `"platt"` or `"isotonic"`: class probabilities for
#'   `predict(type = "prob")`, calibrated on held-out domains, see [calibration].
#' @param weights Non-negative numbers, one per row, that multiply the row's cost. May be a column
#'   of `data`.
#' @param terms One-sided formula: predictors of this method alone, see [own_terms]. Default `NULL`:
#'   those of the formula.
#' @param domain_weights `"equal"` (default): each domain has the same weight, as in the MTL paper;
#'   `"size"`: each row has. See Details.
#' @param tolerance Positive number: largest violation of the optimality conditions at which the
#'   solver stops. Default 0.001. Up to it, decision values depend on the solver's start and hence
#'   on the order of the rows; use a smaller value if the order of a few rows matters (`"auc"`).
#'   With `calibration`, it is divided by 100, because a calibration map can be steep: another order
#'   of the training rows then changes probabilities by about 1e-6 (`"platt"`) to 1e-4
#'   (`"isotonic"`).
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
#' `cost`, unknown arguments, Gram matrices or features over the memory limit ([domgen-package]),
#' and what the feature map refuses ([features_nystrom()]) are errors; for errors of probabilities
#' see [calibration]. A solver that stops early gives a warning of class
#' `domgen_warning_convergence`.
#' @references
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain
#' generalization by marginal transfer learning. *Journal of Machine Learning
#' Research* 22(2), 1-55.
#'
#' Ho, C.-H. and Lin, C.-J. (2012). Large-scale linear support vector regression. *Journal of
#' Machine Learning Research* 13, 3323-3348.
#'
#' Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. and Sundararajan, S. (2008). A dual
#' coordinate descent method for large-scale linear SVM. *Proceedings of the 25th International
#' Conference on Machine Learning*, 408-415.
#'
#' Jaakkola, T. S. and Haussler, D. (1999). Probabilistic kernel regression models. *Proceedings of
#' the Seventh International Workshop on Artificial Intelligence and Statistics*.
#'
#' Rockafellar, R. T. (1976). Augmented Lagrangians and applications of the proximal point
#' algorithm in convex programming. *Mathematics of Operations Research* 1(2), 97-116.
#'
#' Yan, Y. and Li, Q. (2020). An efficient augmented Lagrangian method for support vector
#' machine. *Optimization Methods and Software* 35(4), 855-883.
#'
#' Zhu, J. and Hastie, T. (2005). Kernel logistic regression and the import vector machine. *Journal
#' of Computational and Graphical Statistics* 14(1), 185-205.
#' @seealso [predict.dg_learner()], [domain_distribution()], [features_nystrom()], [dg_cv()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:6])
#' test <- subset(toy, !domain %in% levels(domain)[1:6])
#' model <- dg_svm(y ~ x1 + x2 | domain, data = train)
#' model
#' mean(predict(model, test) == test$y)
#'
#' # all domains pooled, as an ordinary support vector machine
#' pooled <- update(model, domain_kernel = domain_pooled())
#' mean(predict(pooled, test) == test$y)
#'
#' # by features: for many rows
#' fast <- update(model, feature_map = features_nystrom(100))
#' mean(predict(fast, test) == test$y)
#'
#' # probabilities, calibrated on held-out domains
#' calibrated <- update(model, calibration = "platt")
#' head(predict(calibrated, test, type = "prob"))
#'
#' # origin of plants from their carbon dioxide uptake; each plant is a domain
#' new <- subset(CO2, Plant %in% c("Qn1", "Qc2", "Mn3", "Mc1"))
#' plants <- dg_svm(Type ~ uptake + conc | Plant, data = subset(CO2, !Plant %in% new$Plant))
#' table(predicted = predict(plants, new), new$Type)
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
