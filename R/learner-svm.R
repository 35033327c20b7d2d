#' Support vector machine on labelled domains
#'
#' @description
#' Pooled, multi-task or distributional support vector machine: a C-SVC for two
#' or more classes, an \eqn{\varepsilon}{epsilon}-SVR for numbers, on the kernel
#' \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')}. It minimises
#' \deqn{\sum_i c_i\, \ell(y_i, f(P_i, x_i)) + \tfrac12\lVert f\rVert^2}{
#'   sum_i c_i l(y_i, f(P_i, x_i)) + ||f||^2 / 2}
#' with the hinge loss max(0, 1 - y f) for classes and max(0, |y - f| - epsilon) for
#' numbers (MTL paper, equation 7 and section 7.1), their squares, or the logistic loss
#' log(1 + exp(-y f)). With `domain_weights = "equal"` every domain weighs the same,
#' \eqn{c_i = \mathrm{cost}\cdot n/(G n_g)}{c_i = cost n / (G n_g)}: the paper's
#' \eqn{1/(\lambda G n_g)}{1/(lambda G n_g)} with cost = \eqn{1/(\lambda n)}{1/(lambda n)}.
#'
#' @details
#' With `feature_map = features_exact()` the dual problem is solved by sequential
#' minimal optimisation on the stored Gram matrix, with second-order working sets
#' and shrinking, and without the equality constraint for `intercept = FALSE`.
#'
#' With any other feature map z ([features_nystrom()], [features_rff()],
#' [features_product()]; MTL paper, section 7.2) f(P, x) = z(P, x)'w + offset, and
#' \deqn{\sum_i c_i\, \ell(y_i, z_i'w + b) + \tfrac12\lVert w\rVert^2}{
#'   sum_i c_i l(y_i, z_i'w + b) + |w|^2 / 2}
#' is minimised over w: by some sweeps of dual coordinate descent (Hsieh et al., 2008;
#' Ho and Lin, 2012, for numbers), then, to `tolerance`, by the proximal point
#' method on the dual with Newton steps (Rockafellar, 1976; Yan and Li, 2020), which large
#' costs hardly slow down. Time and memory grow with n times the number of
#' coordinates. The model keeps neither the training rows nor their features:
#' `predict(reference = "training")` is then an error. The sweeps go through the
#' rows in a random order, from R's generator.
#'
#' The duality gap is reported in either case.
#'
#' With `loss = "logistic"` (kernel logistic regression: Jaakkola and Haussler, 1999; Zhu and
#' Hastie, 2005) the objective is smooth, and Newton's method is applied to it. On the Gram matrix
#' that is iteratively reweighted least squares: with \eqn{p_i = c_i \ell'(f_i)}{p_i = c_i l'(f_i)}
#' and \eqn{W = \mathrm{diag}(c_i \ell''(f_i))}{W = diag(c_i l''(f_i))} a step solves
#' \eqn{(K + W^{-1})\alpha + 1b = f - W^{-1}p}{(K + W^-1) alpha + 1 b = f - W^-1 p}. With a feature
#' map a step is a pass over the rows that adds up \eqn{Z'p} and \eqn{Z'WZ}, in memory that does
#' not grow with the rows. A step that is too long is shortened. The last step is one that, by the
#' quadratic model, gains no more than `tolerance`^2 / 10,000 of the objective. All rows that have a
#' cost have coefficients other than 0.
#'
#' A numeric response is standardised by its (weighted) training mean and
#' standard deviation, unless `scale = "none"`: `epsilon` is then in standard
#' deviations, and without an offset the function shrinks to the mean rather than
#' to zero. Predictions are in the units of the response.
#'
#' **Rounded kinks.** Where rows come in blocks and only sums over them can be had, Newton's method
#' with a feature map serves all losses. Squared ones and the logistic one stay what they are. Each
#' kink max(0, t) of the others (one of the hinge, two of the tubes) is
#' \eqn{(t + h)^2/(4h)}{(t + h)^2 / (4 h)} for |t| < h, as in Huber's loss, with h = 0.05
#' (standard deviations of a response that is a number): for a row and a kink the loss is larger by
#' h/4 at most, and nowhere smaller.
#'
#' **More than two classes** are decided by machines for two, which share one Gram
#' matrix or set of features: one for each pair of classes (`"one_vs_one"`), on the
#' rows of the two, or one for each class against all others (`"one_vs_rest"`).
#' Pairs vote, and the sum of decision values decides between classes with as many
#' votes; against the rest, the largest decision value wins. A class may be missing
#' from a domain.
#'
#' **The cost.** Where `cost` is not given, domains that are left out choose it, and how wide the
#' kernel between domains is, by the ridge regression on the same kernels, see the penalty in
#' [dg_ridge()]. From its \eqn{\lambda}{lambda}, and the mean size \eqn{\bar r}{r} of the residuals
#' of the left-out domains (classes are 2 apart; rounded to a quarter of a power of ten),
#' \eqn{\mathrm{cost} = \max(\bar r, \epsilon)/\lambda}{cost = max(r, epsilon) / lambda}: the loss
#' then pulls at a row as \eqn{r^2/(2\lambda)}{r^2 / (2 lambda)} does at a residual of that size.
#' For squared losses \eqn{\mathrm{cost} = 1/(2\lambda)}{cost = 1 / (2 lambda)}, for the logistic
#' one \eqn{4/\lambda}{4 / lambda}, with the curvature of the ridge regression at f = 0. With fewer
#' than two domains, or with [domain_multitask()], lambda and r are 1. With a given `cost` nothing
#' is chosen, and the bandwidth between domains is the median distance.
#'
#' **Probabilities.** On the training domains' own decision values probabilities come out too
#' sure: the machine has seen these labels and these domains. With `calibration = "platt"` or
#' `"isotonic"` they are calibrated on held-out domains: one at a time, or with more than
#' 10 domains in 10 folds of whole domains of about the same size, the learner (a [dg_pipeline()]
#' with its projection) is fitted to the other domains, and the held-out rows get their decision
#' values f from it, judged by the unlabelled rows of their own domain. Scaling of the predictors,
#' which is learned without labels, stays. That takes as many more fits as there are folds. From
#' these values, for each machine:
#' * `"platt"` (Platt, 1999): \eqn{p(f) = 1/(1 + e^{-(af + b)})}{p(f) = 1 / (1 + exp(-(a f + b)))},
#'   where b and a >= 0 minimise the weighted cross-entropy against the targets
#'   \eqn{(N_+ + 1)/(N_+ + 2)}{(N+ + 1) / (N+ + 2)} and \eqn{1/(N_- + 2)}{1 / (N- + 2)}, by Newton's
#'   method (Lin, Lin and Weng, 2007). \eqn{N_+, N_-}{N+, N-} are sums of weights.
#' * `"isotonic"` (Zadrozny and Elkan, 2002): the weighted isotonic regression of the labels on f,
#'   linear between the ends of its blocks, constant outside. A lowest block of W rows (sum of
#'   weights) without a positive one has \eqn{1/(W + 2)}{1 / (W + 2)} instead of 0, but no more than
#'   the next block; the highest likewise. It needs some hundreds of rows.
#'
#' A larger f never lowers p. Where f does not tell the classes of held-out domains apart, p is
#' the class frequency, with a warning. Three or four domains that differ much in their class
#' frequencies say little of the next one, whatever the method.
#'
#' With more than two classes, pairs are coupled by the second method of Wu, Lin and Weng (2004):
#' the p that minimises
#' \eqn{\sum_i\sum_{j\ne i}(r_{ji}p_i - r_{ij}p_j)^2}{sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2}
#' with \eqn{\sum_i p_i = 1}{sum_i p_i = 1}, where \eqn{r_{ij}}{r_ij} is the probability of i among
#' i and j. Probabilities of each class against the rest are divided by their sum (Zadrozny and
#' Elkan, 2002). The \eqn{r_{ij}}{r_ij} and p(f) stay between 1e-7 and 1 - 1e-7.
#'
#' With `loss = "logistic"` f is the logarithm of the odds, and there are probabilities
#' \eqn{1/(1 + e^{-f})}{1 / (1 + exp(-f))} without calibration, coupled as above for more classes.
#' They are what the machine learned from the training domains, shrunk towards 1/2 by the norm, and
#' have seen no held-out domain: `calibration = "platt"` calibrates them there.
#'
#' `predict(type = "prob")` gives the probabilities, and the predicted class is then the most
#' probable one, which need not be the class of the decision values. Weights count rows here as
#' everywhere; `domain_weights` has no influence on the maps. `print()` shows the log loss of each
#' held-out fold under the maps of the other folds, beside that of the class frequencies.
#'
#' `weights` multiply costs: a row with weight 2 counts as two rows, one with
#' weight 0 as none. They do not change a domain's mean embedding, which
#' describes the unlabelled rows.
#'
#' @inheritParams dg_dica
#' @param x A formula `y ~ x1 + x2 | domain` with `data`; or a numeric matrix
#'   n x p or a data frame of predictors. Without `x` the result is a
#'   specification.
#' @param cost Positive number: cost of a unit of loss. `NULL`: chosen by left-out domains, see
#'   Details.
#' @param loss `r losses_help()` `NULL` is `"hinge"` or `"epsilon_insensitive"`. The authors of the
#'   MTL paper used the squared ones in their programs. Where only sums over rows are had, kinks
#'   are rounded, see Details.
#' @param epsilon Non-negative half-width of the tube of the
#'   \eqn{\varepsilon}{epsilon}-insensitive loss.
#' @param kernel [Kernel][kernel_rbf] on the predictors. `NULL` is [kernel_rbf()]
#'   with the median bandwidth; in a [dg_pipeline()] it is [kernel_linear()] on the
#'   projected scores, the DICA paper's rule.
#' @param feature_map [Feature map][features_nystrom] that represents the kernel:
#'   [features_exact()] (the Gram matrix), [features_nystrom()], [features_rff()] or
#'   [features_product()].
#' @param intercept Add an unpenalised constant to f? The papers do without. With it, where domains
#'   are pooled, a linear kernel (`kernel_linear()`, `kernel_poly(1)`, also in sums) is
#'   \eqn{\langle x - m, z - m\rangle}{<x - m, z - m>} with m the mean of the training rows: f is
#'   the same, and no digits are lost where predictors are far from 0.
#' @param multiclass How more than two classes are decided; see Details.
#' @param calibration `"platt"` or `"isotonic"`: fit class probabilities on held-out domains, for
#'   `predict(type = "prob")`; see Details.
#' @param weights Non-negative numbers, one per row, that multiply the row's cost.
#'   May be a column of `data`.
#' @param domain_weights `"equal"`: each domain weighs the same; `"size"`: each
#'   row does.
#' @param tolerance Positive number: the largest violation of the optimality
#'   conditions at which the solver stops. Up to that, decision values depend on where the
#'   solver started, and so on the order of the rows; where the order of few rows matters
#'   (`"auc"`), take a smaller one. With probabilities it is divided by 100, because a calibration
#'   map can be steep: in another order of the training rows they then differ by some 1e-6
#'   (`"platt"`) to 1e-4 (`"isotonic"`).
#' @param max_iterations Whole number: the most iterations of the solver; with
#'   features, sweeps and Newton steps together. 0 for a limit of its own.
#' @return With data, an object of class `dg_svm`, a list with
#'   \item{coefficients}{n numbers: f(P, x) = sum_i coefficients_i k((P_i, x_i), (P, x)) + offset;
#'     with features as many as the map has coordinates: f(P, x) = z(P, x)'coefficients + offset}
#'   \item{offset}{the constant, 0 without one}
#'   \item{decision}{n x 1 values of f at the training rows (of the standardised
#'     response)}
#'   \item{converged, iterations}{of the solver}
#'   \item{gap, relative_gap}{duality gap, absolute and relative to the objective; with
#'     `"logistic"` what the last quadratic model says could still be gained, half the square of the
#'     Newton decrement}
#'   \item{objective}{dual objective, the value minimised (minus the primal one)}
#'   \item{costs}{n costs c_i}
#'   \item{cost}{as given, or as chosen}
#'   \item{loss}{its name}
#'   \item{calibration}{with probabilities a list: `method`, `maps` (a map for each machine),
#'     `folds` (of the domains, 0 for one without weight), `log_loss` (held-out: `calibrated` and
#'     of the class `frequencies`), `warnings` (given while domains were held out)}
#'   and what `predict()` needs. With more than two classes `coefficients`, `decision`
#'   and `costs` have a column, and the numbers an entry, for each machine.
#'   Without data, a specification.
#' @section Errors:
#' A single class, a loss that does not fit the response, negative or missing weights,
#' non-positive `cost`, unknown arguments, Gram matrices or features over the memory
#' limit ([domgen-package]), and what the feature map refuses ([features_nystrom()]) are
#' errors. A solver that stops early gives a warning. Probabilities for a number, from fewer than
#' two domains (with a positive weight), or when no two classes are in two domains each are errors;
#' one class that is in a single domain, and decision values that do not tell classes of held-out
#' domains apart, give a warning of class `domgen_warning_calibration`.
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
#' Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for
#' support vector machines. *Machine Learning* 68(3), 267-276.
#'
#' Platt, J. C. (1999). Probabilistic outputs for support vector machines and comparisons to
#' regularized likelihood methods. *Advances in Large Margin Classifiers*, 61-74.
#'
#' Rockafellar, R. T. (1976). Augmented Lagrangians and applications of the proximal point
#' algorithm in convex programming. *Mathematics of Operations Research* 1(2), 97-116.
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class
#' classification by pairwise coupling. *Journal of Machine Learning Research* 5, 975-1005.
#'
#' Yan, Y. and Li, Q. (2020). An efficient augmented Lagrangian method for support vector
#' machine. *Optimization Methods and Software* 35(4), 855-883.
#'
#' Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass
#' probability estimates. *Proceedings of the 8th ACM SIGKDD International Conference on Knowledge
#' Discovery and Data Mining*, 694-699.
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
#' sure <- update(model, calibration = "platt")
#' head(predict(sure, test, type = "prob"))
#'
#' # where do plants come from whose carbon dioxide uptake is known? Each plant is a domain
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
                   scale = c("pooled", "domain", "both", "rank", "none"),
                   tolerance = 1e-3, max_iterations = 0, na.action = stats::na.omit,
                   threads = NULL, ...) {
  learner_call("dg_svm", environment(), match.call(), parent.frame())
}

svm_parameters <- function() parameters(
  parameter("cost", or_null(a_number()), grid = 10^(-1:2), simpler = -1),
  parameter("loss", or_null(function(value, arg) check_choice(value, arg, names(svm_losses())))),
  with_entries(shared_parameters$epsilon, check = a_number("non-negative")),
  open_kernel(),
  parameter("multiclass", one_of(multiclass_schemes)),
  with_entries(shared_parameters$domain_weights, check = one_of(domain_weightings)),
  parameter("tolerance", a_number(), tuned = FALSE),
  parameter("max_iterations", function(value, arg) check_count(value, arg, at_least = 0L),
            tuned = FALSE)
)

svm_row <- function() learner_row(
  "Support vector machine", solve_submodels, choose_svm, columns = function(args) args$multiclass,
  # the solver keeps the columns of active rows in single precision beside K, Newton's method a
  # factor
  copies = function(args) if (takes_newton(args$loss)) 2 else 1.5,
  details = function(problem, solved) {
    odds <- structure(list(slope = 1, intercept = 0), class = "platt_map")
    list(cost = problem$args$cost, loss = problem$loss$name,
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
  problem$loss <- read_loss(args$loss, problem$targets$kind)
  if (is.null(args$cost)) {
    choose <- if (rows$keeps) shared$penalty else function(key, args, sample) {
      choose_on_sample(args, rows, quietly(ridge_task(sample, args)))
    }
    args <- choose_cost(args, rows$sample, problem$loss, choose)
    # a penalty of so many rows is that of all by their weights
    args$cost <- args$cost / stands_for(rows)
  }
  problem$args <- args
  problem
}

#' @exportS3Method
print_details.dg_svm <- function(x) {
  describe_response(x$response)
  describe_kernels(x$space)
  args <- x$spec$args
  cat_line("  cost = ", format(rounded(penalty_of(x, "cost"), 4)),
           if (is.null(args$cost)) chosen_by(x),
           " (domain weights: ", args$domain_weights, ")",
           if (has_tube(x$loss)) paste0(", epsilon = ", format(args$epsilon)),
           ", offset: ",
           intercept_words(x$intercept, args$intercept))
  several <- length(x$intercept) > 1L
  if (several) {
    cat_line("  ", plural(length(x$intercept), "machine"), ", ", gsub("_", " ", args$multiclass))
  }
  cat_line("  ", if (is.null(x$space$feature_map) && !takes_newton(x$loss)) {
         paste0(plural(sum(rowSums(as.matrix(x$coefficients) != 0) > 0), "support vector"), "; ")
       }, if (x$converged) "converged" else "NOT converged", " after ",
           plural(sum(x$iterations), "iteration"), ", ", if (several) "largest ",
           "relative ", if (!takes_newton(x$loss)) "duality ", "gap ",
           rounded(max(x$relative_gap), 2))
}
