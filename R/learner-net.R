#' Elastic net
#'
#' @description
#' Linear, logistic, multinomial and Cox regression with the elastic net penalty, by the package
#' glmnet (`glmnet::glmnet()`). The penalty is chosen on held-out domains.
#'
#' @details
#' The coefficients minimise
#' \deqn{\frac{1}{\sum_i c_i} \sum_i c_i \ell(y_i, \beta_0 + x_i'\beta) + \lambda \sum_j
#'   \left(\alpha |\beta_j| + \frac{1 - \alpha}{2} \beta_j^2\right)}{
#'   sum_i c_i l(y_i, beta_0 + x_i'beta) / sum_i c_i +
#'   lambda sum_j (alpha |beta_j| + (1 - alpha) / 2 beta_j^2)}
#' for columns that glmnet standardises itself (Friedman, Hastie and Tibshirani, 2010). The c are
#' the costs of the rows; l is half the squared error or the negative log likelihood (for censored
#' times the partial one, with ties as by Breslow and no constant).
#'
#' If `lambda` is not given, each domain is held out in turn, or ten folds of domains with more than
#' ten domains. A path is fitted to the other domains, and the value of the path of all rows with
#' the smallest mean loss on held-out rows is used: the choice of `glmnet::cv.glmnet()` with these
#' folds as `foldid` (which needs three folds). Folds whose removal leaves a class with fewer than
#' two rows are not used. With a single domain, or if no fold remains, ten random folds of rows are
#' used.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param domain_weights,na.action As in [all methods][dg_arguments].
#' @param calibration,scale,domain_means,terms,... As in [all methods][dg_arguments].
#' @param alpha Mixing proportion, from 0 (ridge) to 1 (lasso). Default 1.
#' @param lambda Non-negative number: the penalty, on the scale of glmnet. `NULL`: chosen on
#'   held-out domains.
#' @param weights Non-negative numbers, one per row: factors on the loss of the row.
#' @return With data, a model of class `dg_net`, see [learner_custom()]. Its `engine$object` is a
#'   list with
#'   \item{coefficients}{in the units of the columns, returned by `coef()`; with more than two
#'     classes a matrix with one column per class}
#'   \item{lambda}{as given or chosen}
#'   \item{search}{data frame, if `lambda` was chosen: `lambda` and the mean `loss` of held-out rows
#'     (squared error or deviance; of censored times the deviance of all rows less that of the
#'     training rows, van Houwelingen and others, 2006)}
#'   \item{baseline}{of censored times, a data frame with the `time` of events and the cumulative
#'     `hazard`}
#'   Without data, a specification. By default, [dg_tune()] tries `alpha` 0, 0.5 and 1.
#' @section Errors:
#' Without the package glmnet, an error of class `domgen_error_package`. Errors of glmnet have class
#' `domgen_error_learner`, its warnings class `domgen_warning_engine`.
#' @references
#' Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear
#' models via coordinate descent. *Journal of Statistical Software* 33(1).
#'
#' van Houwelingen, H. C. and others (2006). Cross-validated Cox regression on microarray gene
#' expression data. *Statistics in Medicine* 25, 3201-3216.
#' @seealso [learner_custom()], [dg_lm()]
#' @examplesIf requireNamespace("glmnet", quietly = TRUE)
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' model <- dg_net(y ~ . | domain, data = toy)
#' model
#' coef(model)
#' @export
dg_net <- function(x, y = NULL, domain = NULL, data = NULL, alpha = 1, lambda = NULL,
                   calibration = c("none", "platt", "isotonic"), weights = NULL,
                   domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                   terms = NULL, na.action = stats::na.omit, ...) {
  engine_call("dg_net", "glmnet", environment(), match.call(), parent.frame())
}

net_row <- function() learner_row("Elastic net", response = "open", parameters = net_parameters)

net_parameters <- function() parameters(
  parameter("alpha", "number", 0, 1, grid = c(0, 0.5, 1)),
  parameter("lambda", "number", 0, null = TRUE, simpler = 1)
)

#' @exportS3Method
engine_of.dg_net_spec <- function(spec) {
  list(fit = net_fit, predict = net_predict, survival = net_survival)
}

# In units of powers of two, in which glmnet gives the same numbers: squares of others overflow, or
# are taken for a constant column.
net_fit <- function(x, y, domain, weights, alpha, lambda = NULL) {
  X <- as.matrix(x)
  # far from 0, about a number near their means
  centre <- engine_scaling(X)$centre
  X <- X - rep(centre, each = nrow(X))
  units <- power_of_two(apply(abs(X), 2L, max))
  numbers <- !is.factor(y) && !inherits(y, "Surv")
  unit <- if (numbers) power_of_two(max(abs(y))) else 1
  X <- X / rep(units, each = nrow(X))
  if (numbers) y <- y / unit
  fitted <- net_scaled(X, y, domain, weights, alpha, if (!is.null(lambda)) lambda / unit)
  fitted$coefficients <- fitted$coefficients * unit / c(1, units)
  fitted$coefficients <- moved_back(fitted$coefficients, centre)
  fitted$lambda <- fitted$lambda * unit
  if (!is.null(fitted$search)) {
    fitted$search$lambda <- fitted$search$lambda * unit
    fitted$search$loss <- fitted$search$loss * unit^(2 * numbers)
  }
  if (inherits(y, "Surv")) {
    f <- net_predict(fitted, x)
    # as glmnet's own survfit()
    fitted$baseline <- cox_baseline(time_targets(read_surv(y, "y")), f, weights, "efron")
  }
  fitted
}

# The constant of columns less `centre`, of the columns themselves.
moved_back <- function(coefficients, centre) {
  if (is.matrix(coefficients)) {
    coefficients[1L, ] <- coefficients[1L, ] - colSums(coefficients[-1L, , drop = FALSE] * centre)
  } else coefficients[1L] <- coefficients[1L] - sum(coefficients[-1L] * centre)
  coefficients
}

power_of_two <- function(size) ifelse(size > 0, 2^floor(log2(size)), 1)

net_scaled <- function(X, y, domain, weights, alpha, lambda) {
  columns <- seq_len(ncol(X))
  # glmnet wants two columns
  if (ncol(X) == 1L) X <- cbind(X, 0)
  family <- if (inherits(y, "Surv")) "cox" else if (!is.factor(y)) "gaussian"
            else if (nlevels(y) == 2L) "binomial" else "multinomial"
  fit_to <- function(at, path = NULL) own_warnings("Elastic net", {
    glmnet::glmnet(X[at, , drop = FALSE], y[at], family, weights[at], alpha = alpha,
                   lambda = path)
  })
  whole <- fit_to(seq_along(y))
  search <- if (is.null(lambda)) net_search(whole, fit_to, X, y, domain, weights)
  if (is.null(lambda)) {
    lambda <- search$lambda[which.min(search$loss)]
  } else {
    # a path that ends there
    whole <- fit_to(seq_along(y), c(whole$lambda[whole$lambda > lambda], lambda))
  }
  coefficients <- stats::coef(whole, s = lambda)
  keep <- c(1L, columns + 1L)
  # the baseline hazard has the constant
  if (family == "cox") coefficients <- rbind(`(Intercept)` = 0, coefficients)
  coefficients <- if (family != "multinomial") coefficients[keep, ] else {
    vapply(coefficients, function(b) b[keep, ], numeric(length(keep)))
  }
  list(coefficients = coefficients, lambda = lambda, search = search, classes = is.factor(y))
}

# The mean loss of left-out rows along the path of all rows: data frame of lambda, loss.
net_search <- function(whole, fit_to, X, y, domain, weights) {
  fold <- calibration_folds(list(weights = weights, domain = domain))[as.integer(domain)]
  if (is.factor(y)) {
    # those that leave each class at least two rows
    left <- vapply(split(y, fold), function(held) min(table(y) - table(held)), numeric(1))
    fold[!fold %in% names(left)[left > 1L]] <- NA
  }
  if (all(is.na(fold)) || nlevels(domain) < 2L) {
    fold <- sample(rep_len(seq_len(min(most_folds, length(y))), length(y)))
  }
  if (inherits(y, "Surv")) return(net_search_times(whole, fit_to, X, y, fold, weights))
  losses <- matrix(NA_real_, length(y), length(whole$lambda))
  for (held in split(seq_along(y), fold)) {
    part <- fit_to(setdiff(seq_along(y), held))
    fitted <- stats::predict(part, X[held, , drop = FALSE], s = whole$lambda, type = "response")
    losses[held, ] <- net_losses(fitted, y[held])
  }
  scored <- !is.na(fold)
  data.frame(lambda = whole$lambda,
             loss = colSums(losses[scored, , drop = FALSE] * weights[scored]) /
               sum(weights[scored]))
}

# The loss of censored times is the deviance of all rows less that of the training rows, both by the
# fit to the training rows (van Houwelingen and others, 2006).
net_search_times <- function(whole, fit_to, X, y, fold, weights) {
  Y <- time_targets(read_surv(y, "y"))
  deviances <- function(f, costs) {
    plan <- cox_plan(Y, costs)
    2 * apply(f, 2L, function(values) cox_state_(plan, values)$value)
  }
  losses <- lapply(split(seq_len(nrow(Y)), fold), function(held) {
    f <- stats::predict(fit_to(setdiff(seq_len(nrow(Y)), held)), X, s = whole$lambda)
    deviances(f, weights) - deviances(f, replace(weights, held, 0))
  })
  data.frame(lambda = whole$lambda, loss = Reduce(`+`, losses) / sum(weights[!is.na(fold)]))
}

# Squared errors or deviances [rows x lambdas], probabilities at least 1e-5 as in glmnet.
net_losses <- function(fitted, y) {
  if (!is.factor(y)) return((y - fitted)^2)
  if (length(dim(fitted)) == 2L) {
    p <- fitted
    p[as.integer(y) == 1L, ] <- 1 - p[as.integer(y) == 1L, ]
  } else {
    p <- fitted[, 1L, ]
    for (i in seq_along(y)) p[i, ] <- fitted[i, as.integer(y)[i], ]
  }
  -2 * log(pmin(pmax(matrix(p, length(y)), 1e-5), 1 - 1e-5))
}

net_predict <- function(object, x) {
  values <- cbind(1, as.matrix(x)) %*% object$coefficients
  if (!object$classes) return(drop(values))
  if (ncol(values) == 1L) return(stats::plogis(drop(values)))
  P <- exp(values - apply(values, 1L, max))
  P / rowSums(P)
}

net_survival <- function(object, x, times) {
  baseline_survival(object$baseline, net_predict(object, x), times)
}

#' @exportS3Method
describe_fit.dg_net <- function(x) {
  engine <- x$engine$object
  used <- rowSums(as.matrix(engine$coefficients)[-1L, , drop = FALSE] != 0) > 0
  c(Filter(function(fact) !identical(fact$name, "lambda"), NextMethod()), list(
    fact("lambda", engine$lambda,
         how = if (is.null(engine$search)) "given" else "chosen on held-out domains"),
    fact("in use", paste0(sum(used), " of ", plural(length(used), "column"))),
    fact("Coefficients", coefficient_frame(coef(x)), only = "summary")
  ))
}
