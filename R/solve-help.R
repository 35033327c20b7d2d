# Help on the solvers of kernel models.

#' How kernel models are computed
#'
#' Solvers of [dg_ridge()], [dg_svm()] and [dg_glm()], their time and memory, by number of rows and
#' feature map.
#'
#' @section Ridge regression:
#' With `features_exact()` and up to 10,000 rows, the Gram matrix is in memory, 8 n^2 bytes. The
#' system is solved by preconditioned conjugate gradients, or by a Cholesky factor with many classes
#' or a tiny `lambda`. With more rows no such matrix is made: conjugate gradients begin at the fit
#' on `6 sqrt(n)` landmarks (see [features_nystrom()], always the same ones), and each of their
#' steps, mostly five to twenty, evaluates the kernel of all pairs of rows. The landmarks decide how
#' many steps are taken, and not the result, which is that of the Gram matrix, with predictions to
#' about 1e-8 standard deviations of the response. Only a `lambda` for which 100 steps are not
#' enough, and [kernel_custom()], need the matrix. [features_nystrom()] alone is faster, but loses
#' accuracy where its landmarks leave much of the kernel, as with many predictors and little noise.
#'
#' With any other feature map z, f = z'w and
#' \deqn{w = (Z'CZ + \lambda I)^{-1} Z'Cy,}{w = (Z'CZ + lambda I)^-1 Z'C y,}
#' from sums taken in one pass over the rows, in chunks: n r^2 operations for r features. The model
#' keeps neither the training rows nor their features. `fit(dg_ridge(), sums)` uses sums from
#' [feature_sums()], with the kernel, domain kernel and features of the sums. The default domain
#' kernel of `feature_sums()` is [domain_pooled()], not [domain_distribution()] as here. A message
#' says so. If you give a domain kernel to `dg_ridge()`, it must be the one of the sums.
#' @section SVM:
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
#' @section Generalised linear models:
#' Newton's method with the expected curvature (Fisher scoring, iteratively reweighted least
#' squares; the observed curvature for `"cox"` and `"nbinom2"`). Steps that raise the objective are
#' shortened. On the Gram matrix, a step takes a Cholesky factorisation (n^3/3 operations). From 200
#' rows on it takes preconditioned conjugate gradients instead, with 2 n^2 operations for each of
#' their steps and, for `"multinomial"`, for each class. With more than 10,000 rows these steps
#' evaluate the kernel again and no Gram matrix is made, except for `"cox"` and `"ordinal"`. With a
#' feature map of r features a step takes n r^2 operations. `"cox"` on the Gram matrix works in the
#' r columns of its root, with r its rank. For `"multinomial"` all classes take a step together;
#' with a feature map or below 200 rows they take turns. For `"ordinal"` steps alternate between f
#' and the thresholds. The solver stops when a step gains less than 1e-14 of the objective.
#'
#' With a feature map, families of base R and `"nbinom2"` are fitted to a [row_source()] of any
#' number of rows: each Newton step is one pass over the rows, and one more pass gives the
#' deviances. If `lambda` is not given, it is chosen on the sample. `"multinomial"`, `"ordinal"` and
#' `"cox"` take a source of at most 20,000 rows, which is read into memory; so is such a source if
#' `family` is not given.
#' @name solvers
#' @references
#' Ho, C.-H. and Lin, C.-J. (2012). Large-scale linear support vector regression. *Journal of
#' Machine Learning Research* 13, 3323-3348.
#'
#' Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. and Sundararajan, S. (2008). A dual
#' coordinate descent method for large-scale linear SVM. *Proceedings of the 25th International
#' Conference on Machine Learning*, 408-415.
#'
#' Rockafellar, R. T. (1976). Augmented Lagrangians and applications of the proximal point
#' algorithm in convex programming. *Mathematics of Operations Research* 1(2), 97-116.
#'
#' Yan, Y. and Li, Q. (2020). An efficient augmented Lagrangian method for support vector
#' machine. *Optimization Methods and Software* 35(4), 855-883.
#'
#' Jaakkola, T. S. and Haussler, D. (1999). Probabilistic kernel regression models. *Proceedings of
#' the Seventh International Workshop on Artificial Intelligence and Statistics*.
#'
#' Zhu, J. and Hastie, T. (2005). Kernel logistic regression and the import vector machine. *Journal
#' of Computational and Graphical Statistics* 14(1), 185-205.
#' @seealso [features_nystrom()], [row_source()], [penalty]
NULL
