# What authors of parts outside the package build on: constructors and generics that are exported,
# with what each takes and gives. Inside, the same parts are made by what these call.

#' Extending domgen: parts of your own
#'
#' @description
#' Constructors and generics for kernels, domain kernels, feature maps, projections and learners
#' made outside the package. Such a part works in all functions of domgen: prediction on new
#' domains, [dg_cv()], [dg_tune()], [dg_compare()], [dg_pipeline()].
#' `vignette("extending")` makes one of each kind and runs the package's conformance tests on it.
#'
#' Functions alone are enough for many parts: see [kernel_custom()], [learner_custom()] and
#' [metric_custom()].
#'
#' @details
#' A part is a constructor and S3 methods for its class. In a script, `.S3method()` registers a
#' method, as in the example; in a package, `S3method()` in `NAMESPACE` does. Every kernel, domain
#' kernel and feature map also has a method for [format()] that gives one line of text.
#'
#' | constructor | class | methods |
#' |---|---|---|
#' | `new_stationary_kernel()` | `kernel_<name>` | `kernel_value()`; see `kernel_rate()` |
#' | `new_domain_kernel()` | `domain_<name>` | `domain_kernel_fit()`, `domain_kappa()` |
#' | `new_feature_map()` | `features_<name>` | `represent()` |
#' | `projection_method()` | `<name>` | none |
#' | `learner_method()` | `<name>` | `decision()`, `response_range()`, both optional |
#' | `new_svm_loss()` | `<name>` | none |
#'
#' The constructor of a kernel, domain kernel, feature map or loss is called like its class, so that
#' `update()` and [dg_tune()] find its arguments. The function of a projection or learner is called
#' `name` and must be visible from the global environment (a script, or an attached package).
#'
#' **Rows** are a list with `X`, the numeric matrix n x p of scaled predictors, and `domain`, a
#' factor of length n. They have no labels.
#'
#' ## Generics
#'
#' \describe{
#'   \item{`kernel_value(kernel, d)`}{Value of the kernel where the squared distance of
#'     x / bandwidth and z / bandwidth is `d`; in the shape of `d`.}
#'   \item{`kernel_rate(kernel, d)`}{Optional: -2 dk/dd, in the shape of `d`. [dg_gp()] and
#'     [dg_ridge()] fit bandwidths by it; without it they stay at the median.}
#'   \item{`kernel_spectral(kernel)`}{Optional: a function of D that draws D positive factors. A
#'     frequency of [features_rff()] is a standard normal vector times such a factor, divided by the
#'     bandwidth. Without it there are no Fourier features.}
#'   \item{`kernel_fit(kernel, X, middle)`}{The kernel with what it takes from the training rows,
#'     such as `kernel$bandwidth`. Stationary kernels have this method; methods of `represent()`
#'     call it.}
#'   \item{`domain_kernel_fit(kernel, rows, feature_map)`}{The domain kernel with what it remembers
#'     of the training domains, and `kernel$kappa`, the G x G matrix of kappa between them.}
#'   \item{`domain_kappa(kernel, rows, among)`}{Matrix of kappa between the domains of `rows` and
#'     the G training domains, new x G; with `among = TRUE` between the domains of `rows`.}
#'   \item{`domain_knows(kernel)`}{Optional: what kappa depends on. `"rows"` (default): the
#'     unlabelled rows of the two domains; `"names"`: their names, `levels(rows$domain)`, and what
#'     is looked up by them, such as the distance between two hospitals; `"nothing"`: kappa is 1. A
#'     kernel of names takes a [row_source()], and single rows of a domain without a warning,
#'     because `rows$X` is not used. As with `domain_multitask()`, learners do not choose `lambda`
#'     by held-out domains: give it, or use [dg_tune()].}
#'   \item{`represent(feature_map, kernel, domain_kernel, rows, threads)`}{The map fitted to the
#'     training rows: the value of `new_feature_space()`.}
#'   \item{`decision(object, new)`}{n x m matrix of the model's values at the rows `new`: one column
#'     for a numeric response or two classes, one per class for more classes. The default is
#'     `space_expansion()` with `object$coefficients`, plus `object$intercept`.}
#'   \item{`response_range(object)`}{`c(low, high)`, the ends of the response, at which intervals
#'     are cut. The default is `c(-Inf, Inf)`.}
#'   \item{`space_expansion(space, rows, A)`}{n x m matrix: values at `rows` of the functions with
#'     coefficients A, \eqn{\sum_i A_i \bar k((P_i, x_i), \cdot)}{sum_i A_i k((P_i, x_i), .)} over
#'     training rows, or \eqn{A'z} with a feature map z. To be called, not to be extended.}
#' }
#'
#' ## Projections
#'
#' A projection maximises the ratio of two sums of terms, each a quadratic form in the scores f of
#' the rows. `terms` is a function of the list of arguments, with `n`, the number of rows, and gives
#' `list(numerator = , denominator = )`, named vectors (or lists) of non-negative coefficients. The
#' numerator cannot have terms marked *; the denominator can have all:
#'
#' | term | meaning |
#' |---|---|
#' | `response` | f'Pf/n, P of the central subspace, see [dg_dica()]; or a function, see below |
#' | `total`, `variance` | squared norm of the centred scores; the same divided by n |
#' | `domains` | variance of the domain means of f, each domain with weight 1/G |
#' | `norm` * | squared norm of the function f in the space of the kernel |
#' | `ridge` * | squared norm of the coefficients |
#' | `domain_pairs` | squared MMD, mean over pairs of domains, see [dg_tca()] |
#' | `between`, `within` * | scatter of classes, sums over rows, see [dg_sca()] |
#' | `average_between`, `average_within` * | the same divided by n, see [dg_kfd()] |
#' | `conditional`, `prior` | see [dg_cidg()] |
#' | `class_pairs`, `class_spread` | separation of classes, see [dg_mda()] |
#' | `class_domain_pairs`, `balanced_within` * | differences within classes, see [dg_mda()] |
#'
#' **Terms of the response's kernel.** `response` can be a function instead of a number. The term is
#' then \eqn{f'g(L)f}{f'g(L)f} with L the centred Gram matrix of the kernel on the response:
#' `function(s, n)` gives g at the eigenvalues s > 0 of L, non-negative numbers; n is the number of
#' rows with a response. `function(s, n) s` gives \eqn{f'Lf}{f'Lf}, which is HSIC of scores and
#' response but for a constant factor; with `norm = 1` as denominator this is the supervised PCA of
#' Barshan et al. (2011). The number w is short for `function(s, n) w * s / (s + n * epsilon) / n`,
#' with the argument `epsilon` of the method. Such a method says `response = "any"`, and can have
#' the argument `kernel_y`. Terms of classes need `response = "class"`.
#'
#' ## Learners on kernels
#'
#' The learner's function has arguments `kernel`, `domain_kernel` and `feature_map`.
#' `solve` is a function of `problem` and `shared` (which it may ignore) and gives a list with
#' `coefficients`, the matrix of coefficients in the space of the kernel, and if it has one
#' `intercept`. Further elements become elements of the model. `problem` is a list: `args`, the
#' arguments of the function; `targets`, the coded response; `space`, the space of the kernel;
#' `rows`, the training rows in memory or in chunks, of which `rows$sample` has `X`, `y`, `domain`
#' and `weights`: of all in memory, else of a random sample. `space_sums(problem)` gives the
#' coefficients of \eqn{\sum_i w_i F_i \bar k((P_i, x_i), \cdot)}{sum_i w_i F_i k((P_i, x_i), .)}
#' with F the columns of the coded response and then a column of ones.
#'
#' ## Losses
#'
#' A loss l(y, f) of [dg_svm()] says how a row's response and value count. y is a number
#' (standardised, unless `scale = "none"`), or -1 and 1 for `response = "class"`. The further
#' arguments of `new_svm_loss()` are the parameters of the loss, by name, and its functions get a
#' list of exactly these as `par`.
#'
#' * `smooth(y, f, par, width)` gives `list(value = , slope = , curvature = )`, derivatives by f, in
#'   the shape of f. Kinks of the slope are rounded within `width`, by a parabola: max(0, t) becomes
#'   (t + width)^2 / (4 width) where |t| < width. `kinks` is their number. This is enough.
#' * `tube(y, costs, par)`, for a faster solver without rounding, gives `list(low = , high = ,
#'   epsilon = )`: the loss times the costs is 0 within `epsilon` of y; below it the slope is -high,
#'   above it -low. If `squared` is `TRUE`, it grows with the square.
#' * `log_odds` is `TRUE` if f is the logarithm of the odds of two classes.
#'
#' ```r
#' # the quantile tau of the response
#' quantile_loss <- function(tau = 0.5) {
#'   new_svm_loss("quantile_loss", "number", pinball, kinks = 1, tube = pinball_tube, tau = tau)
#' }
#' pinball <- function(y, f, par, width) {
#'   t <- y - f
#'   bent <- abs(t) < width
#'   share <- pmin(pmax((t + width) / (2 * width), 0), 1)
#'   list(value = (par$tau - 1) * t + ifelse(bent, share^2 * width, pmax(t, 0)),
#'        slope = 1 - par$tau - share, curvature = bent / (2 * width))
#' }
#' pinball_tube <- function(y, costs, par) {
#'   list(low = (par$tau - 1) * costs, high = par$tau * costs, epsilon = 0)
#' }
#' dg_svm(y ~ . | domain, data = toy, loss = quantile_loss(0.9), intercept = TRUE)
#' ```
#'
#' Functions `terms`, `solve` and those of a loss that are defined inside another function keep its
#' variables, and a saved model has them too: define them at top level.
#'
#' @param name Name of the part. For kernels, domain kernels and feature maps the end of the class;
#'   for projections and learners the name of the function, which is the class of its fits; for
#'   `dg_parameter()` the name of the argument.
#' @param bandwidth Positive number, or one per predictor; `NULL` (default) is the median distance
#'   of training rows, see [median_bandwidth()].
#' @param bandwidth_factor Positive multiple of the median bandwidth. Default 1.
#' @param ... Elements of the kernel, domain kernel or feature map by name: the arguments of its
#'   constructor.
#' @param map Fitted map, an object of the feature map. For random Fourier features it is
#'   `structure(list(frequencies = , centre = ), class = "fourier_map")`, with a matrix p x D of
#'   frequencies and a vector of length p that is subtracted from the rows.
#' @param dim Number of features; 2 D for a Fourier map.
#' @param features Matrix dim x n of the features of the training rows, if the map found them on its
#'   way: they are not evaluated again during the fit, and not kept. `NULL` (default) if not.
#' @param title Title of the method, for printing.
#' @param terms Function that gives the terms of the ratio, see "Projections".
#' @param solve Function that fits, see "Learners on kernels".
#' @param response Response that the method takes. For projections `"optional"` (not used, default),
#'   `"any"` or `"class"`. For learners `"any"` (default) or `"number"` (classes are an error). For
#'   losses `"number"` (default) or `"class"`.
#' @param needs_domain If `TRUE` (default), the training rows must have domains.
#' @param parameters List of `dg_parameter()`, one for each argument of the function that no method
#'   of the package has. Arguments such as `ncomp`, `lambda`, `kernel` and `scale` have their rules
#'   already.
#' @param type What the argument's value is: one `"number"` (default), a `"count"` (whole number),
#'   a `"flag"` (`TRUE` or `FALSE`), a `"choice"` of `levels`, a `"part"` (an object of one of the
#'   classes `levels`), or `"any"` value. [mlr3] takes ranges from it.
#' @param lower,upper Bounds of a number or count. Default: none for numbers, at least 1 for counts.
#' @param open If `TRUE`, `lower` itself is no value: `lower = 0, open = TRUE` are positive numbers.
#'   Default `FALSE`.
#' @param levels Values of a choice (an argument that has all of them means the first one); classes
#'   of a part.
#' @param null If `TRUE`, the value may be `NULL`. Default `FALSE`.
#' @param check With the type `"any"`, a function of the value and the argument's name that returns
#'   the value or signals an error, for rules that cannot be said otherwise. Default `NULL`.
#' @param grid Values that [dg_tune()] tries by default, or a function of the number of rows and the
#'   list of arguments that gives them; `NULL` (default) for none.
#' @param simpler 1 if large values make the simpler model, -1 if small values do, 0 (default) if
#'   neither.
#' @param shown If `TRUE`, a fitted projection prints the argument. Default `FALSE`.
#' @param smooth,kinks,tube,squared,log_odds See "Losses". Defaults: no kink, no tube, `FALSE`.
#' @param kernel,domain_kernel,feature_map Kernel, domain kernel and feature map.
#' @param d Numeric vector or matrix of squared distances.
#' @param X Numeric matrix of scaled training rows.
#' @param middle Median distance of the rows of `X`, which is multiplied by the bandwidth factor.
#' @param rows,new List of rows, see Details; `new`: the rows to predict.
#' @param among If `TRUE`, kappa between the domains of `rows`. Default `FALSE`.
#' @param threads Number of threads.
#' @param space Space of the kernel: the element `space` of a fitted model or of `problem`.
#' @param A Numeric matrix of coefficients: a row per training row, or per feature.
#' @param problem Problem that `solve` gets.
#' @param object Fitted model.
#' @return Constructors give an object of the class in the table; `projection_method()` and
#'   `learner_method()`, the last call in the body of the method's function, give its value: with
#'   data a fitted model, without data a specification. `dg_parameter()` gives a list for
#'   `parameters`. For the values of the generics see section Generics.
#' @section Errors:
#' An argument of a method's function that has no rule, a `type` or `response` that is not in the
#' list, a `grid` with values that the argument does not take, bandwidths that are not positive, a
#' method's function that is not visible by its name, and terms that are not in the table or not
#' non-negative are errors.
#' @references
#' Barshan, E., Ghodsi, A., Azimifar, Z. and Jahromi, M. Z. (2011). Supervised principal component
#' analysis: visualization, classification and regression on subspaces and submanifolds. *Pattern
#' Recognition* 44(7), 1357-1371.
#' @seealso `vignette("extending")`; [kernel_custom()], [learner_custom()], [metric_custom()]
#' @examples
#' # a kernel of the distance: the inverse multiquadric
#' kernel_multiquadric <- function(bandwidth = NULL, bandwidth_factor = 1) {
#'   new_stationary_kernel("multiquadric", bandwidth, bandwidth_factor)
#' }
#' .S3method("kernel_value", "kernel_multiquadric", function(kernel, d) (1 + d)^-0.5)
#' .S3method("format", "kernel_multiquadric", function(x, ...) "1 / sqrt(1 + r^2)")
#'
#' toy <- simulate_dcm(domains = 6, n = 30, seed = 1)
#' dg_svm(y ~ . | domain, data = toy, kernel = kernel_multiquadric())
#'
#' # a domain kernel of names: domains are sites on a line
#' domain_line <- function(place) new_domain_kernel("line", place = place)
#' line <- function(a, b) exp(-abs(outer(unname(a), unname(b), "-")))
#' .S3method("domain_knows", "domain_line", function(kernel) "names")
#' .S3method("domain_kernel_fit", "domain_line", function(kernel, rows, feature_map = NULL) {
#'   kernel$at <- kernel$place[levels(rows$domain)]
#'   kernel$kappa <- line(kernel$at, kernel$at)
#'   kernel
#' })
#' .S3method("domain_kappa", "domain_line", function(kernel, rows, among = FALSE) {
#'   at <- kernel$place[levels(rows$domain)]
#'   line(at, if (among) at else kernel$at)
#' })
#' .S3method("format", "domain_line", function(x, ...) "exp(-|place - place'|)")
#' sites <- stats::setNames(seq(0, 1, length.out = 6), levels(toy$domain))
#' dg_ridge(y ~ . | domain, data = toy, lambda = 1, domain_kernel = domain_line(sites))
#'
#' # supervised PCA: the numerator is HSIC of scores and response
#' supervised_terms <- function(args) {
#'   list(numerator = list(response = function(s, n) s), denominator = c(norm = 1))
#' }
#' supervised <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2,
#'                        kernel = kernel_rbf(),
#'                        kernel_y = NULL, domain_kernel = domain_pooled(),
#'                        feature_map = features_exact(),
#'                        normalise = c("constraint", "whiten", "published_code"),
#'                        scale = c("pooled", "domain", "both", "rank", "none"),
#'                        na.action = stats::na.omit, threads = NULL, ...) {
#'   projection_method("supervised", "Supervised PCA", supervised_terms, response = "any",
#'                     needs_domain = FALSE)
#' }
#' \dontshow{assign("supervised", supervised, globalenv())}
#' supervised(y ~ ., data = toy[names(toy) != "domain"], ncomp = 1)
#' \dontshow{rm("supervised", envir = globalenv())}
#' @keywords internal
#' @name extending
#' @order 1
#' @aliases kernel_fit kernel_value kernel_rate kernel_spectral new_domain_kernel domain_kernel_fit
#'   domain_kappa domain_knows new_feature_space represent space_expansion space_sums decision
#'   response_range
#' @usage
#' kernel_value(kernel, d)
#' kernel_rate(kernel, d)
#' kernel_spectral(kernel)
#' kernel_fit(kernel, X, middle = median_bandwidth(X))
#'
#' new_domain_kernel(name, ...)
#' domain_kernel_fit(kernel, rows, feature_map = NULL)
#' domain_kappa(kernel, rows, among = FALSE)
#' domain_knows(kernel)
#'
#' represent(feature_map, kernel, domain_kernel, rows, threads)
#' new_feature_space(feature_map, kernel, domain_kernel, map, dim, rows, features = NULL)
#' space_expansion(space, rows, A)
#'
#' space_sums(problem)
#' decision(object, new)
#' response_range(object)
#' @export kernel_fit
#' @export kernel_value
#' @export kernel_rate
#' @export kernel_spectral
#' @export new_domain_kernel
#' @export domain_kernel_fit
#' @export domain_kappa
#' @export domain_knows
#' @export new_feature_space
#' @export represent
#' @export space_expansion
#' @export space_sums
#' @export decision
#' @export response_range
NULL

#' @rdname extending
#' @export
new_stationary_kernel <- function(name, bandwidth = NULL, bandwidth_factor = 1, ...) {
  stationary(part_name(name), bandwidth, bandwidth_factor, ...)
}

#' @rdname extending
#' @export
new_feature_map <- function(name, ...) new_features(part_name(name), ...)

#' @rdname extending
#' @export
dg_parameter <- function(name, type = c("number", "count", "flag", "choice", "part", "any"),
                         lower = if (type == "count") 1 else -Inf, upper = Inf, open = FALSE,
                         levels = NULL, null = FALSE, check = NULL, grid = NULL, simpler = 0,
                         shown = FALSE) {
  type <- check_choice(type, "type", c("number", "count", "flag", "choice", "part", "any"))
  bounds <- list(lower, upper)
  if (!all(vapply(bounds, is_bare_number, NA)) || !isTRUE(lower <= upper)) {
    abort("argument", "`lower` and `upper` must be two numbers, the first at most the second, not ",
          describe(lower), " and ", describe(upper), ".")
  }
  named <- type %in% c("choice", "part")
  if (if (named) !is.character(levels) || !length(levels) || anyNA(levels) else !is.null(levels)) {
    abort("argument", "`levels` must be ", if (named) "texts" else "NULL", " for the type ",
          quoted(type), ", not ", describe(levels), ".")
  }
  if (!is.null(check) && (!is.function(check) || type != "any")) {
    abort("argument", "`check` must be a function, and the type \"any\", not ", describe(check),
          " with ", quoted(type), ".")
  }
  words <- if (type == "part") paste("an object of class", enumerate(levels, quote = "\""))
  row <- parameter(part_name(name), type, lower, upper, check_flag(open, "open"), levels, words,
                   check_flag(null, "null"), check, grid = grid,
                   simpler = check_between(simpler, "simpler", -1, 1),
                   shown = check_flag(shown, "shown"))
  if (!is.null(grid) && !is.function(grid) && !is.vector(grid)) {
    abort("argument", "`grid` must be a vector of values, a function or NULL, not ",
          describe(grid), ".")
  }
  if (!is.function(grid)) for (value in grid) check_value(value, "grid", row)
  row
}

# Specifications are made again by it.
method_name <- function(name) {
  if (is.null(get0(part_name(name), globalenv(), mode = "function"))) {
    abort("argument", "`name` must be that of the method's function, which must be visible from ",
          "the global environment; there is no function `", name, "()`.")
  }
  name
}

# The frame of the method's function that calls the caller of this: list(env, call, from), as
# fit_or_specify() needs them.
method_frame <- function() {
  at <- sys.parents()[sys.parent()]
  if (at == 0L) {
    abort("argument", "`learner_method()` and `projection_method()` stand at the end of a ",
          "method's function, and must be called by it.")
  }
  list(env = sys.frame(at), from = sys.frame(sys.parents()[at]),
       call = match.call(sys.function(at), sys.call(at), envir = sys.frame(sys.parents()[at])))
}

# A function, as parts have it; of its own, so that it holds nothing else.
listed_parameters <- function(parameters) {
  fine <- is.list(parameters) && all(vapply(parameters, function(row) {
    is.list(row) && identical(names(row), names(shared_parameters$terms))
  }, NA))
  if (!fine) {
    abort("argument", "`parameters` must be a list of `dg_parameter()`, not ",
          describe(parameters), ".")
  }
  records <- do.call("parameters", unname(parameters))
  function() records
}
