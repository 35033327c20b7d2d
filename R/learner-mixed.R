#' Mixed models: random effects for known domains
#'
#' @description
#' Linear and logistic regression with random effects of the domains, by the package lme4
#' (`lme4::lmer()`, `lme4::glmer()`). Rows of a training domain are predicted with that domain's
#' effects. Rows of any other domain, or of none, are predicted by the mean over domains.
#'
#' @details
#' The model is
#' \deqn{g(E[y \mid u_d]) = \beta_0 + u_{0d} + \sum_j (\beta_j + u_{jd}) x_j, \qquad
#'   u_d \sim N(0, \Sigma),}{
#'   g(E[y | u_d]) = beta_0 + u_0d + sum_j (beta_j + u_jd) x_j, u_d ~ N(0, Sigma),}
#' with \eqn{u_{jd}}{u_jd} for the columns named in `slopes` only. A numeric response is fitted by
#' restricted maximum likelihood (g the identity), two classes by the Laplace approximation (g the
#' logit); see Bates, Maechler, Bolker and Walker (2015). Columns are standardised during the fit,
#' because the optimiser needs it; estimates are in the units of the columns.
#'
#' The effect of a new domain is unknown. A numeric response is predicted at \eqn{u = 0}, its mean
#' over new domains. A probability is averaged over them,
#' \deqn{P(y = 1) = \int \mathrm{logit}^{-1}(x'\beta + s)\, N(s; 0, z'\Sigma z)\, ds, \qquad
#'   z = (1, x_j \ldots),}{P(y = 1) = int plogis(x'beta + s) dnorm(s, 0, sqrt(z' Sigma z)) ds,}
#' because the probability at \eqn{u = 0} is farther from one half than the proportion over domains.
#' `marginal = FALSE` gives the probability at \eqn{u = 0}. The unlabelled rows of a new domain are
#' used only with `domain_means = TRUE` or a `scale` by domain. With a single training domain, its
#' effect cannot be separated from the intercept: the model is then that of [dg_lm()], with a
#' warning.
#'
#' @inheritParams dg_forest
#' @param data Data frame in which the formula is evaluated.
#' @param slopes Names of the columns whose slopes vary by domain, as in `coef()`. `NULL`: only the
#'   intercept varies.
#' @param marginal If `TRUE`, probabilities in new domains are averaged over the random effects; if
#'   `FALSE`, the random effects are set to zero. Numeric responses do not depend on it.
#' @param calibration `"none"`: the model's own probabilities. `"platt"` or `"isotonic"`: calibrated
#'   on held-out domains, see [calibration].
#' @param weights Non-negative numbers, one per row. Numeric response: inverse variances up to a
#'   factor. Classes: numbers of rows.
#' @return With data, a model of class `dg_mixed`, see [learner_custom()]. Its `engine$object` is a
#'   list with
#'   \item{coefficients}{beta, returned by `coef()`}
#'   \item{effects}{domains x (1 + slopes) matrix of the random effects}
#'   \item{covariance}{their covariance Sigma}
#'   \item{sigma}{residual standard deviation of a numeric response}
#'   Without data, a specification.
#' @section Errors:
#' More than two classes, `slopes` that are not columns, and a missing package lme4 (class
#' `domgen_error_package`) are errors. Warnings of lme4 have class `domgen_warning_engine`.
#' Collinear coefficients are set to zero, with a warning of class `domgen_warning_collinear`.
#' @references
#' Bates, D., Maechler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models
#' using lme4. *Journal of Statistical Software* 67(1).
#' @seealso [learner_custom()], [dg_lm()]
#' @examplesIf requireNamespace("lme4", quietly = TRUE) && requireNamespace("nlme", quietly = TRUE)
#' schools <- subset(as.data.frame(nlme::MathAchieve), as.integer(School) <= 40)
#' schools$School <- factor(schools$School, ordered = FALSE)
#' model <- dg_mixed(MathAch ~ SES + Minority | School, data = schools, domain_means = TRUE)
#' model
#' predict(model, schools[1:3, ])
#' # at the population level
#' predict(model, transform(schools[1:3, ], School = "new"))
#' @export
dg_mixed <- function(x, y = NULL, domain = NULL, data = NULL, slopes = NULL, marginal = TRUE,
                     calibration = c("none", "platt", "isotonic"), weights = NULL,
                     domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                     terms = NULL, na.action = stats::na.omit, ...) {
  spec <- engine_spec("dg_mixed", "Mixed model", "lme4", environment(), mixed_parameters,
                      domain = TRUE)
  fit_or_specify(spec, match.call(), parent.frame())
}

mixed_parameters <- function() parameters(
  parameter("slopes", function(value, arg) {
    if (!is.null(value) && (!is.character(value) || anyNA(value))) {
      abort("argument", "`", arg, "` must be names of columns, not ", describe(value), ".")
    }
    value
  }),
  parameter("marginal", check_flag, tuned = FALSE)
)

#' @exportS3Method
engine_of.dg_mixed_spec <- function(spec) list(fit = mixed_fit, predict = mixed_predict)

mixed_fit <- function(x, y, domain, weights, slopes = NULL, marginal = TRUE) {
  check_two_classes(y, "dg_mixed")
  other <- setdiff(slopes, names(x))
  if (length(other)) {
    abort("argument", "`slopes` must be columns of the predictors (", enumerate(names(x)), "), ",
          "not ", enumerate(other), ".")
  }
  X <- as.matrix(x)
  scaling <- suppressWarnings(learn_scaling(X, "pooled"), "domgen_warning_constant")
  frame <- stats::setNames(as.data.frame(apply_scaling(X, scaling)), paste0("V", seq_along(x)))
  places <- match(slopes, names(x))
  found <- if (nlevels(domain) > 1L) mixed_estimates(frame, y, domain, weights, places)
           else one_domain_estimates(frame, y, weights)
  beta <- stats::setNames(found$beta[c("(Intercept)", names(frame))], c("(Intercept)", names(x)))
  beta <- zero_lost(beta, `colnames<-`(as.matrix(frame), names(x)))
  own <- lapply(scaling[c("centre", "scale")], function(v) v[places])
  effects <- found$effects
  if (!is.null(effects)) {
    effects[] <- t(apply(as.matrix(effects), 1L, unscaled, own))
    colnames(effects) <- c("(Intercept)", slopes)
  }
  list(coefficients = unscaled(beta, scaling), effects = effects, slopes = slopes,
       covariance = if (!is.null(effects)) {
         # of effects as unscaled() makes them
         A <- apply(diag(nrow(found$covariance)), 2L, unscaled, own)
         A %*% found$covariance %*% t(A)
       }, sigma = found$sigma, classes = is.factor(y), marginal = marginal)
}

# Of columns as they come: list(beta: without what was dropped, effects, covariance, sigma).
mixed_estimates <- function(frame, y, domain, costs, places) {
  own <- paste(c("1", names(frame)[places]), collapse = " + ")
  formula <- stats::reformulate(c(names(frame), paste0("(", own, " | group)")), "response")
  frame$response <- y
  frame$group <- domain
  control <- if (is.factor(y)) lme4::glmerControl else lme4::lmerControl
  control <- control(check.conv.singular = "ignore", check.rankX = "silent.drop.cols",
                     check.scaleX = "ignore")
  # of classes they count rows
  if (!is.factor(y)) costs <- costs / mean(costs)
  fitted <- own_warnings("Mixed model", {
    if (is.factor(y)) lme4::glmer(formula, frame, stats::binomial(), control, weights = costs)
    else lme4::lmer(formula, frame, control = control, weights = costs)
  })
  list(beta = lme4::fixef(fitted),
       effects = as.matrix(lme4::ranef(fitted, condVar = FALSE)$group),
       covariance = matrix(lme4::VarCorr(fitted)$group, length(places) + 1L),
       sigma = if (!is.factor(y)) stats::sigma(fitted))
}

one_domain_estimates <- function(frame, y, costs) {
  warn("engine", "Mixed model: with one domain, its effect cannot be separated from the ",
       "intercept; fitted without random effects.")
  design <- cbind(`(Intercept)` = 1, as.matrix(frame))
  list(beta = if (is.factor(y)) logistic(design, code_rows(list(kind = "class"), y), costs)
              else stats::lm.wfit(design, y, costs)$coefficients)
}

mixed_predict <- function(object, x, domain) {
  design <- cbind(1, as.matrix(x))
  values <- drop(design %*% object$coefficients)
  known <- match(as.character(domain), rownames(object$effects))
  warn_other_labels(as.character(domain), rownames(object$effects))
  own <- cbind(1, as.matrix(x[object$slopes]))
  rows <- which(!is.na(known))
  if (length(rows)) {
    values[rows] <- values[rows] + rowSums(own[rows, , drop = FALSE] *
                                             object$effects[known[rows], , drop = FALSE])
  }
  if (!object$classes) return(values)
  if (is.null(object$covariance) || !object$marginal) return(stats::plogis(values))
  sd <- sqrt(pmax(rowSums(own %*% object$covariance * own), 0))
  mean_logistic(values, ifelse(is.na(known), sd, 0))
}

# P(L < value + sd Z), L logistic and Z normal: the mean of plogis(value + sd Z) or of
# pnorm((value + L) / sd), whichever is the smoother, by the trapezoidal rule, which converges
# exponentially for smooth functions that vanish at the ends (Trefethen and Weideman, 2014).
mean_logistic <- function(value, sd) {
  mean <- stats::plogis(value)
  average <- function(rows, nodes, density, smooth) {
    weights <- density(nodes) / sum(density(nodes))
    mean[rows] <<- 0
    for (k in seq_along(nodes)) mean[rows] <<- mean[rows] + weights[k] * smooth(rows, nodes[k])
  }
  average(which(sd > 0 & sd <= 5), seq(-8, 8, length.out = 201L), stats::dnorm,
          function(i, z) stats::plogis(value[i] + sd[i] * z))
  average(which(sd > 5), seq(-40, 40, length.out = 201L), stats::dlogis,
          function(i, l) stats::pnorm((value[i] + l) / sd[i]))
  mean
}

#' @exportS3Method
print_details.dg_mixed <- function(x) {
  # of a number it changes nothing
  if (x$response$kind == "number") x$spec$args["marginal"] <- list(NULL)
  print_details.learner_custom(x)
  found <- x$engine$object
  if (!is.null(found$covariance)) {
    spread <- c(sqrt(diag(found$covariance)), if (!is.null(found$sigma)) found$sigma)
    names <- c("intercept", found$slopes, if (!is.null(found$sigma)) "residual")
    cat_line("  sd             ", paste(names, rounded(spread, 4), collapse = ", "))
  }
  cat_line("\nCoefficients:")
  cat_numbers(rounded(found$coefficients, 4))
}
