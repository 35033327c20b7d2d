#' Mixed models: random effects for known domains
#'
#' @description
#' Regression with random effects of the domains, for numbers, classes, proportions, counts and
#' ordered classes. The packages lme4, glmmTMB and ordinal fit; coefficients, standard errors and
#' random effects are theirs. Rows of a training domain are predicted with that domain's effects.
#' Rows of any other domain, or of none, are predicted by the mean over the random effects.
#'
#' @details
#' The model is
#' \deqn{g(E[y \mid u]) = x'\beta + \sum_r z_r'u_{r,d_r}, \qquad u_{r,d} \sim N(0, \Sigma_r),}{
#'   g(E[y | u]) = x'beta + sum_r z_r'u_(r, d_r), u_(r, d) ~ N(0, Sigma_r),}
#' with one sum for each random term r of `random`, \eqn{d_r} the row's group and \eqn{z_r} the
#' numbers of the term.
#'
#' ## Families
#'
#' | `family` | response | engine |
#' |---|---|---|
#' | `gaussian()` (default) | number | `lme4::lmer()`, by REML |
#' | `binomial()` (default) | two classes, or proportion (size as `weights`) | `lme4::glmer()` |
#' | `poisson()` | count | `glmmTMB::glmmTMB()` |
#' | `"nbinom2"` | count, variance \eqn{\mu + \mu^2/\theta}{mu + mu^2/theta} | the same |
#' | `"nbinom1"` | count, variance \eqn{\mu(1 + \theta)}{mu (1 + theta)} | the same |
#' | `Gamma("log")` | positive amount | the same |
#' | `"ordinal"` | classes in the order of their levels | `ordinal::clmm()` |
#'
#' All but `gaussian()` use the Laplace approximation. Links: the identity for `gaussian()`;
#' `"logit"`, `"probit"` or `"cloglog"` for `binomial()`; the logarithm for counts and amounts; the
#' logit of cumulative probabilities for `"ordinal"`. A known part of the link, such as the log of
#' an exposure, is an `offset()` in the formula (not with `"ordinal"`).
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param calibration,domain_weights,scale,domain_means,terms,na.action,... As in [all
#'   methods][dg_arguments].
#' @param random One-sided formula: random effects as in lme4, see [random_effects]. `NULL`
#'   (default): the intercept varies with each factor of the domain.
#' @param family A family of the table in Details, as in [dg_glm()]: an object, a function or a
#'   name. `NULL`: `gaussian()` for a numeric response, `binomial()` for two classes.
#' @param marginal If `TRUE` (default), predictions in new domains are averaged over the random
#'   effects; if `FALSE`, these are set to zero. Without effect on `gaussian()`.
#' @param weights Non-negative numbers, one per row. `gaussian()`: inverse variances up to a factor.
#'   Proportions: their sizes. Others: numbers of rows.
#' @return With data, a model of class `dg_mixed`, a list with
#'   \item{coefficients, covariance}{returned by `coef()` and `vcov()`; `NA` in the covariance: a
#'     collinear column}
#'   \item{random}{list of random terms, each a list with the `title` of its group, `columns`,
#'     `effects` (groups x columns) and `covariance`}
#'   \item{sigma}{residual standard deviation, the dispersion parameter of counts, or for amounts
#'     their standard deviation divided by their mean}
#'   \item{family}{its name and link; of `"ordinal"` also the `thresholds`}
#'   and what `predict()` needs. Decision values are on the scale of the link; with `"ordinal"`, log
#'   probabilities of the classes. Without data, a specification.
#' @section Errors:
#' A response that the family does not have, more than two classes without `family = "ordinal"`, a
#' `random` that is not a one-sided formula or names columns that are not there, a family or link
#' that is not listed, an error of the engine (class `domgen_error_learner`), and a missing package
#' (class `domgen_error_package`; lme4 is always needed) are errors. Warnings of the engine have
#' class `domgen_warning_engine`. The same warning says that a group with one level was left out of
#' the random effects; with a single domain, the model has none. Collinear coefficients are set to
#' zero, with a warning of class `domgen_warning_collinear`.
#' @references
#' Brooks, M. E., Kristensen, K., van Benthem, K. J., et al. (2017). glmmTMB balances speed and
#' flexibility among packages for zero-inflated generalized linear mixed modeling. *The R Journal*
#' 9(2), 378-400.
#'
#' Christensen, R. H. B. (2022). ordinal: Regression models for ordinal data. R package.
#' @seealso [random_effects], [dg_glm()], [dg_lm()], [own_terms]
#' @examplesIf requireNamespace("lme4", quietly = TRUE)
#' # a slope for each subject
#' sleep <- dg_mixed(Reaction ~ Days | Subject, data = lme4::sleepstudy, random = ~ Days)
#' sleep
#' tidy(sleep)
#' predict(sleep, data.frame(Days = 0:2, Subject = "new"))
#'
#' # proportions of ill animals: the mean over herds, and the typical herd
#' cbpp <- lme4::cbpp
#' herds <- dg_mixed(incidence / size ~ period | herd, data = cbpp, weights = size,
#'                   family = binomial())
#' new <- data.frame(period = factor(1:4), herd = "new")
#' predict(herds, new)
#' predict(update(herds, marginal = FALSE), new)
#' @export
dg_mixed <- function(x, y = NULL, domain = NULL, data = NULL, random = NULL, family = NULL,
                     marginal = TRUE, calibration = c("none", "platt", "isotonic"), weights = NULL,
                     domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                     terms = NULL, na.action = stats::na.omit, ...) {
  need_package("lme4", "dg_mixed()")
  spec <- method_spec("dg_mixed", "dg_mixed_spec", environment())
  fit_or_specify(spec, match.call(), parent.frame())
}

mixed_row <- function() learner_row("Mixed model", domain = TRUE, offset = TRUE, reference = TRUE,
                                    parameters = mixed_parameters)

mixed_parameters <- function() parameters(
  parameter("random", check = check_random),
  parameter("family", null = TRUE, check = check_mixed_family, tuned = FALSE),
  parameter("marginal", "flag", tuned = FALSE)
)

#' @exportS3Method
spec_needs.dg_mixed_spec <- function(spec) {
  needs <- NextMethod()
  # without a family, ordered classes are an error that names "ordinal"
  if (is.null(spec$args$family)) needs$response <- "ordered"
  else if (spec$args$family$name == "ordinal") needs$response <- "ordinal"
  needs$carried <- random_columns(spec$args$random)
  needs
}

# Where the columns of the design, the offsets and the columns of random effects are.
#' @exportS3Method
place_spec.dg_mixed_spec <- function(spec, columns) {
  spec <- NextMethod()
  if (is.null(columns)) {
    spec["places"] <- list(NULL)
    return(spec)
  }
  coded <- columns$coded
  at <- length(columns$kind) - length(coded) + seq_along(coded)
  kinds <- vapply(coded, `[[`, "", "kind")
  carried <- which(kinds == "carried")
  spec$places <- list(
    offset = at[kinds == "offset"], design = setdiff(seq_along(columns$kind), at),
    carried = stats::setNames(lapply(carried, function(i) {
      list(at = at[i], levels = coded[[i]]$levels)
    }), vapply(coded[carried], function(one) carried_name(one$name), ""))
  )
  spec
}

#' @exportS3Method
fit_sample.dg_mixed_spec <- function(spec, sample) {
  args <- spec$args
  family <- mixed_family(args$family, sample$y)
  family_loss(family)$check(sample$y)
  places <- spec$places
  if (is.null(places)) places <- list(design = seq_len(ncol(sample$X)))
  places$structure <- sample$blueprint$structure
  places$domain <- domain_name(sample$blueprint)
  costs <- row_costs(1, sample$weights, sample$domain, args$domain_weights)
  # a row without weight takes no part
  part <- if (all(costs > 0)) sample else sample_part(sample, costs > 0)
  y <- if (is.factor(sample$y)) factor(part$y, levels(sample$y)) else part$y
  fitted <- mixed_fit(family, args$random, part, y, costs[costs > 0], places,
                      mixed_effort(spec))
  object <- structure(c(fitted, list(
    family = family, places = places, domains = levels(part$domain), marginal = args$marginal,
    weights = sample$weights, y = sample$y
  )), class = c("dg_mixed", "dg_learner", "dg_fit"))
  if (!is.null(fitted$thresholds)) {
    object$family$thresholds <- unname(fitted$coefficients[seq_len(fitted$thresholds)])
  }
  object$response <- mixed_response(object$family, sample)
  object$decision <- decision(object, sample)
  object
}

# As those of dg_glm().
mixed_response <- function(family, sample) {
  y <- sample$y
  if (family$name == "gaussian") return(new_targets(rows_frame(sample), standardise = FALSE))
  kind <- if (!is.factor(y)) list(kind = "number") else {
    check_several_classes(y)
    list(kind = "class", levels = levels(y), pairs = if (nlevels(y) > 2L) each_class(levels(y)))
  }
  c(kind, list(centre = 0, scale = 1, family = family))
}

# dg_auto() asks for less, see mixed_package(); "fixed": quickly, without random effects.
mixed_effort <- function(spec) if (is.null(spec$effort)) "full" else spec$effort

# list(coefficients, covariance of these, sigma, random: the terms with effects and covariance)
mixed_fit <- function(family, random, part, y, costs, places, effort) {
  offset <- offset_values(part$X, places$offset)
  if (!is.null(offset) && family$name == "ordinal") {
    abort("argument", "`formula` must not contain `offset()` with `family = \"ordinal\"`, which ",
          "the package ordinal does not fit.")
  }
  data <- random_rows(places, part)
  factors <- factors_of_domain(part$blueprint)
  terms <- read_random(random, factors)
  check_random_names(terms, data)
  terms <- several_groups(lapply(terms, learn_term, data), data)
  if (effort == "fixed") terms <- list()
  X <- part$X[, places$design, drop = FALSE]
  used <- independent_columns(X)
  scaling <- engine_scaling(X[, used, drop = FALSE])
  fitted <- fit_engine(family, list(
    y = if (!is.factor(y)) y else if (family$name == "ordinal") y else as.integer(y) - 1,
    X = scale_columns(X[, used, drop = FALSE], scaling),
    offset = if (!is.null(offset)) offset[, 1L], costs = costs, terms = terms,
    labels = lapply(terms, group_labels, data)
  ), effort)
  m <- max(fitted$thresholds, 0L)
  fitted[c("beta", "vcov")] <- in_units(fitted, scaling, max(m, 1L), m > 0L)
  names <- c(if (m) names(fitted$beta)[seq_len(m)] else "(Intercept)", colnames(X))
  at <- c(seq_len(max(m, 1L)), max(m, 1L) + which(used))
  beta <- stats::setNames(rep(NA_real_, length(names)), names)
  beta[at] <- fitted$beta
  V <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  V[at, at] <- fitted$vcov
  slopes <- -seq_len(max(m, 1L))
  beta[slopes] <- zero_lost(beta[slopes], X)
  random <- Map(function(term, effects) {
    # of no row
    term$Z <- NULL
    environment(term$terms) <- small_environment(term$terms, colnames(data$columns),
                                                 environment(term$terms))
    c(term, effects)
  }, terms, if (length(terms)) fitted$terms else list())
  list(coefficients = beta, covariance = V, sigma = fitted$sigma, random = random,
       thresholds = fitted$thresholds, log_likelihood = fitted$log_likelihood)
}

# Coefficients and their covariance in the units of the columns. The first `m` are constants, of
# ordered classes thresholds.
in_units <- function(fitted, scaling, m, thresholds) {
  p <- length(scaling$scale)
  A <- diag(c(rep(1, m), 1 / scaling$scale), m + p)
  moved <- scaling$centre / scaling$scale
  A[seq_len(m), m + seq_len(p)] <- rep(if (thresholds) moved else -moved, each = m)
  names <- names(fitted$beta)
  list(beta = stats::setNames(drop(A %*% fitted$beta), names), vcov = A %*% fitted$vcov %*% t(A))
}

# Without terms whose group has one level.
several_groups <- function(terms, data) {
  levels <- vapply(terms, function(term) {
    nlevels(group_labels(term, data))
  }, 1L)
  single <- unique(vapply(terms[levels < 2L], `[[`, "", "title"))
  if (length(single)) {
    is_domain <- length(data$parts) == 1L && identical(single, names(data$parts))
    warn("engine", "Mixed model: with one ",
         if (is_domain) "domain" else paste("level of", enumerate(single)),
         ", its effect cannot be separated from the intercept; fitted without ",
         if (any(levels > 1L)) "it" else "random effects", ".")
  }
  terms[levels > 1L]
}

#' @exportS3Method
decision.dg_mixed <- function(object, new) {
  data <- random_rows(object$places, new)
  m <- length(object$family$thresholds)
  beta <- object$coefficients
  X <- new$X[, object$places$design, drop = FALSE]
  value <- drop(X %*% beta[-seq_len(max(m, 1L))])
  if (m == 0L) value <- value + beta[[1L]]
  value <- add_offset(value, offset_values(new$X, object$places$offset))
  variance <- numeric(length(value))
  warn_other_labels(as.character(new$domain), object$domains)
  for (term in object$random) {
    Z <- term_numbers(term, data)
    at <- match(as.character(group_labels(term, data)), rownames(term$effects))
    is_new <- is.na(at)
    value[!is_new] <- value[!is_new] + rowSums(Z[!is_new, , drop = FALSE] *
                                               term$effects[at[!is_new], , drop = FALSE])
    z <- Z[is_new, , drop = FALSE]
    variance[is_new] <- variance[is_new] + pmax(rowSums(z %*% term$covariance * z), 0)
  }
  sd <- if (object$marginal) sqrt(variance) else 0 * variance
  mixed_values(object$family, unname(value), sd)
}

# On the link; of ordered classes the logarithms of probabilities, as dg_glm() has them.
mixed_values <- function(family, value, sd) {
  if (family$name != "ordinal") return(matrix(link_over_effects(family, value, sd)))
  if (all(sd == 0)) return(ordinal_scores(family$thresholds, value))
  below <- vapply(family$thresholds, function(t) mean_logistic(t - value, sd), value)
  below <- cbind(0, matrix(below, length(value)), 1)
  scores <- log(pmax(below[, -1L, drop = FALSE] - below[, -ncol(below), drop = FALSE], 1e-300))
  if (ncol(scores) == 2L) scores[, 2L, drop = FALSE] - scores[, 1L, drop = FALSE] else scores
}

#' @exportS3Method
training_rows.dg_mixed <- training_rows.learner_custom

#' @exportS3Method
reads_domain.dg_mixed <- function(object) TRUE

#' @exportS3Method
response_range.dg_mixed <- function(object) family_loss(object$family)$range

#' @exportS3Method
spec_gives.dg_mixed_spec <- function(spec, classes = NULL) "prob"

#' @export
coef.dg_mixed <- function(object, ...) check_sealed(object)$coefficients

#' @exportS3Method
is_affine.dg_mixed <- function(object) TRUE

# NULL if the predictors were scaled.
#' @exportS3Method
own_coefficients.dg_mixed <- function(object) {
  if ("pooled" %in% object$blueprint$scaling$kind) return(NULL)
  object$coefficients[setdiff(seq_along(object$coefficients),
                              seq_along(object$family$thresholds))]
}

#' @exportS3Method
own_covariance.dg_mixed <- function(object) object$covariance

#' @export
vcov.dg_mixed <- function(object, ...) check_sealed(object)$covariance

#' @export
logLik.dg_mixed <- function(object, ...) {
  enter_session()
  value <- check_sealed(object)$log_likelihood
  # ordinal says nothing of it
  if (is.null(attr(value, "nobs"))) attr(value, "nobs") <- nobs(object)
  value
}

#' @exportS3Method
describe_fit.dg_mixed <- function(x) {
  table <- coefficient_table(x)
  family <- x$family$name
  c(list(fact("family", format(x$family), ", fitted by ",
              mixed_package(x$family, mixed_effort(x$spec)),
              if (family != "gaussian" && !x$marginal) "; marginal = FALSE")),
    lapply(x$random, function(term) {
      spread <- sqrt(diag(term$covariance))
      fact("sd", paste0(term$title, ": ", paste(names(spread), rounded(spread, 4L),
                                                collapse = ", ")))
    }),
    list(fact(switch(family, gaussian = "residual sd", Gamma = "variation", "dispersion"),
              x$sigma, if (family == "Gamma") " (standard deviation / mean)"),
         likelihood_fact(x),
         fact("Coefficients", data.frame(table[c("term", "estimate", "se")],
                                         z = round(table$statistic, 2L)))))
}

#' Random effects of domains
#'
#' How are random effects of [dg_mixed()] written, what do they predict in new domains, and which
#' functions return them?
#'
#' @section Random effects:
#' `random` is written as in lme4 (Bates, Maechler, Bolker and Walker, 2015).
#'
#' \preformatted{y ~ x | site                                 (1 | site)
#' y ~ x | site, random = ~ x                   (1 + x | site)
#' y ~ x | district/site                        (1 | district/site)
#' y ~ x | patient + device                     (1 | patient) + (1 | device)
#' y ~ x | site, random = ~ (x || site) + (1 | doctor)
#'                                              (x || site) + (1 | doctor)}
#'
#' Without a bar, the terms of `random` vary with each factor of the domain. Columns of `random`
#' need not be predictors, and are taken as they are in the data: `scale`, `domain_means` and
#' `terms` are about fixed effects.
#' @section Prediction in new domains:
#' The effects of a new group are unknown, and the mean of the response over them is
#' \deqn{\int g^{-1}(x'\beta + o + s)\, N(s; 0, v)\, ds, \qquad v = \sum_r z_r'\Sigma_r z_r,}{
#'   int g^-1(x'beta + o + s) dnorm(s, 0, sqrt(v)) ds, v = sum_r z_r' Sigma_r z_r,}
#' with o the effects of the row's known groups and v summed over its new groups. It differs from
#' the prediction at \eqn{u = 0}: a probability is closer to one half, a count is larger by the
#' factor \eqn{e^{v/2}}{exp(v / 2)}. The integral has a closed form for the identity, the logarithm
#' and the probit; for the logit (also of ordered classes) and the cloglog it is computed by the
#' trapezoidal rule, with an error below 1e-9. `marginal = FALSE` predicts at \eqn{u = 0}.
#'
#' A column that `random` alone has as a group may be missing in new data if it is categorical: its
#' rows are then of a new group. The unlabelled rows of a new domain are used only with
#' `domain_means = TRUE` or a `scale` by domain.
#' @section Estimates:
#' `coef()` (or `nlme::fixef()`) gives the coefficients, with `"ordinal"` the thresholds first,
#' `vcov()` their covariance, `nlme::ranef()` the effects of the training groups,
#' `nlme::VarCorr()` the covariances \eqn{\Sigma_r}{Sigma_r}, and `logLik()` the log likelihood.
#' `tidy()` has all of them in the form of the broom.mixed package, with normal (Wald) tests and
#' intervals. A column whose standard deviation is outside 0.001 to 1000, or whose mean is more than
#' 1000 of them from 0, is standardised during the fit; its coefficient is in its own unit. If an
#' optimiser warns, `scale = "pooled"` often helps.
#' @name random_effects
#' @references
#' Bates, D., Maechler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models
#' using lme4. *Journal of Statistical Software* 67(1).
#'
#' Trefethen, L. N. and Weideman, J. A. C. (2014). The exponentially convergent trapezoidal rule.
#' *SIAM Review* 56(3), 385-458.
#' @seealso [dg_mixed()]
#' @examplesIf requireNamespace("lme4", quietly = TRUE)
#' # counts, with broods within locations
#' if (requireNamespace("glmmTMB", quietly = TRUE)) {
#'   print(dg_mixed(TICKS ~ YEAR | LOCATION / BROOD, data = lme4::grouseticks,
#'                  family = poisson()))
#' }
#'
#' # ordered classes
#' if (requireNamespace("ordinal", quietly = TRUE)) {
#'   wine <- dg_mixed(rating ~ temp + contact | judge, data = ordinal::wine, family = "ordinal")
#'   print(wine)
#'   predict(wine, data.frame(temp = "warm", contact = "no", judge = "new"), type = "prob")
#' }
NULL
