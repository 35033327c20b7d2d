# Help on choices and solvers that several methods share.

#' How penalties and bandwidths are chosen
#'
#' What [dg_ridge()], [dg_svm()] and [dg_glm()] do where `lambda`, `cost` or a bandwidth is not
#' given.
#'
#' @section Ridge regression:
#' If `lambda` is not given, it is chosen on held-out domains, together with the bandwidth of the
#' domain kernel:
#'
#' * Folds are whole domains, one each or at most 10 folds. They are predicted in closed form (see
#'   [closed_form]) from the Gram matrix of all rows. With more than 1,000 rows, 1,000 are used,
#'   evenly spaced within domains in the order of x.
#' * Candidates are \eqn{\lambda/\sum_i c_i}{lambda / sum_i c_i} from 1e-5 to 10 in steps of half a
#'   power of ten; the largest leaves little but the constant. The smallest mean of
#'   \eqn{c_i r_i^2}{c_i r_i^2} is chosen, with \eqn{r_i} the residual of a held-out row.
#' * The bandwidth of [domain_distribution()] or [domain_wasserstein()] is chosen together with
#'   `lambda`, if `embedding_kernel` is [kernel_rbf()] without `bandwidth` or `bandwidth_factor`. It
#'   is 8, 4, 2 or 1 times the median distance; at 8 times, the model is nearly pooled. The search
#'   begins with the widest and tries narrower ones as long as the error falls. A narrower
#'   bandwidth must have an error that is smaller by more than half a standard error of the
#'   difference over domains. The default should therefore seldom lose to pooling or to the mean by
#'   more than chance.
#'
#' `lambda` is 1 with fewer than two domains, with [domain_multitask()] (made for known domains),
#' and for sums of features. If `lambda` is given, nothing is chosen, and the bandwidth is the
#' median distance.
#' @section SVM:
#' If `cost` is not given, it is derived from the `lambda` that a
#' ridge regression on the same kernels chooses on held-out domains, together with the bandwidth of
#' the domain kernel, see above. Let \eqn{\bar r}{r} be the mean absolute residual of that ridge
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
#' @section Generalised linear models:
#' If `lambda` is not given, a path of values is scored by the deviance of held-out groups of
#' domains (at most 10), each predicted by a fit without it (with at most 500 rows, so that it takes
#' some seconds). The bandwidth of the domain kernel is chosen first, with these rows, as in
#' [dg_ridge()], by the quadratic approximation of the deviance at the model with only the constant.
#' It has a closed form, in which landmarks represent the kernel, as in the search of [dg_auto()].
#' @section Fitted bandwidths of ridge regression:
#' With `bandwidths = "fitted"`, the bandwidths that the kernels leave open (`bandwidth = NULL`)
#' minimise the mean squared error of held-out domains, the mean of \eqn{c_i r_i^2}{c_i r_i^2} with
#' \eqn{r_i} the residual of a row when its domain is held out (in closed form, see [closed_form]).
#'
#' * The kernel on x has one bandwidth per predictor; a predictor that does not help in other
#'   domains gets a large one. With [domain_distribution()], those of the embeddings' kernel and of
#'   `embedding_kernel` are fitted too, one each. `lambda` is not fitted.
#' * The search starts at the best of 1/4, 1/2, 1, 2 and 4 times the median distance and follows the
#'   exact gradient ([stats::nlminb()] on the logarithms), within a factor of 1,000 of the median.
#'   It takes some tens of steps, each as long as a few fits.
#' * It needs `features_exact()` and at least two domains. With few domains, the error that it
#'   minimises is unreliable.
#' @name penalty
#' @seealso [dg_tune()] for a search over all parameters, [dg_auto()]
NULL
