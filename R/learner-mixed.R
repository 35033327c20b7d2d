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
dg_mixed <- function(x, y = NULL, domain = NULL, data = NULL, random = NULL, family = NULL,
                     marginal = TRUE, calibration = c("none", "platt", "isotonic"), weights = NULL,
                     domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                     terms = NULL, na.action = stats::na.omit, ...) {
  need_package("lme4", "dg_mixed()")
  parts <- learner_parts("Mixed model", domain = TRUE, parameters = mixed_parameters, offset = TRUE)
  fit_or_specify(method_spec("dg_mixed", "dg_mixed_spec", parts, environment()), match.call(),
                 parent.frame())
}

mixed_parameters <- function() parameters(
  parameter("random", check_random),
  parameter("family", or_null(check_mixed_family), tuned = FALSE),
  parameter("marginal", check_flag, tuned = FALSE)
)

#' @exportS3Method
spec_needs.dg_mixed_spec <- function(spec) {
  needs <- NextMethod()
  if (identical(spec$args$family$name, "ordinal")) needs$response <- "ordered"
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
    known = at[kinds == "offset"], design = setdiff(seq_along(columns$kind), at),
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
  found <- mixed_fit(family, args$random, part, y, costs[costs > 0], places)
  object <- structure(c(found, list(
    family = family, places = places, domains = levels(part$domain), marginal = args$marginal, weights = sample$weights,
    y = sample$y
  )), class = c("dg_mixed", "dg_learner", "dg_fit"))
  if (!is.null(found$thresholds)) {
    object$family$thresholds <- unname(found$coefficients[seq_len(found$thresholds)])
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

# list(coefficients, covariance of these, sigma, random: the terms with effects and covariance)
mixed_fit <- function(family, random, part, y, costs, places) {
  known <- known_values(part$X, places$known)
  if (!is.null(known) && family$name == "ordinal") {
    abort("argument", "`formula` must not contain `offset()` with `family = \"ordinal\"`, which ",
          "the package ordinal does not fit.")
  }
  rows <- random_rows(places, part)
  factors <- factors_of_domain(part$blueprint)
  terms <- read_random(random, factors)
  check_random_names(terms, rows)
  terms <- several_groups(lapply(terms, learn_term, rows), rows)
  X <- part$X[, places$design, drop = FALSE]
  used <- independent_columns(X)
  found <- fit_engine(family, list(
    y = if (!is.factor(y)) y else if (family$name == "ordinal") y else as.integer(y) - 1,
    X = X[, used, drop = FALSE], known = if (!is.null(known)) known[, 1L], costs = costs,
    terms = terms, labels = lapply(terms, group_labels, rows)
  ))
  m <- max(found$thresholds, 0L)
  names <- c(if (m) names(found$beta)[seq_len(m)] else "(Intercept)", colnames(X))
  at <- c(seq_len(max(m, 1L)), max(m, 1L) + which(used))
  beta <- stats::setNames(rep(NA_real_, length(names)), names)
  beta[at] <- found$beta
  V <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  V[at, at] <- found$vcov
  slopes <- -seq_len(max(m, 1L))
  beta[slopes] <- zero_lost(beta[slopes], X)
  random <- Map(function(term, own) {
    # of no row
    term$Z <- NULL
    environment(term$terms) <- small_environment(term$terms, colnames(rows$columns),
                                                 environment(term$terms))
    c(term, own)
  }, terms, if (length(terms)) found$terms else list())
  list(coefficients = beta, covariance = V, sigma = found$sigma, random = random,
       thresholds = found$thresholds, log_likelihood = found$log_likelihood)
}

# What is no combination of those before, as lm() has it.
independent_columns <- function(X) {
  found <- qr(cbind(1, X))
  (seq_len(ncol(X)) + 1L) %in% found$pivot[seq_len(found$rank)]
}

# Without terms whose group has one level.
several_groups <- function(terms, rows) {
  levels <- vapply(terms, function(term) {
    length(unique(stats::na.omit(group_labels(term, rows))))
  }, 1L)
  single <- unique(vapply(terms[levels < 2L], `[[`, "", "title"))
  if (length(single)) {
    own <- length(rows$parts) == 1L && identical(single, names(rows$parts))
    warn("engine", "Mixed model: with one ", if (own) "domain" else paste("level of", enumerate(single)),
         ", its effect cannot be separated from the intercept; fitted without ",
         if (any(levels > 1L)) "it" else "random effects", ".")
  }
  terms[levels > 1L]
}

#' @exportS3Method
decision.dg_mixed <- function(object, rows) {
  found <- random_rows(object$places, rows)
  m <- length(object$family$thresholds)
  beta <- object$coefficients
  X <- rows$X[, object$places$design, drop = FALSE]
  value <- drop(X %*% beta[-seq_len(max(m, 1L))])
  if (m == 0L) value <- value + beta[[1L]]
  value <- add_known(value, known_values(rows$X, object$places$known))
  variance <- numeric(length(value))
  warn_other_labels(as.character(rows$domain), object$domains)
  for (term in object$random) {
    Z <- term_numbers(term, found)
    at <- match(group_labels(term, found), rownames(term$effects))
    new <- is.na(at)
    value[!new] <- value[!new] + rowSums(Z[!new, , drop = FALSE] *
                                           term$effects[at[!new], , drop = FALSE])
    z <- Z[new, , drop = FALSE]
    variance[new] <- variance[new] + pmax(rowSums(z %*% term$covariance * z), 0)
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
spec_gives.dg_mixed_spec <- function(spec) "prob"

#' @export
coef.dg_mixed <- function(object, ...) check_sealed(object)$coefficients

#' @export
vcov.dg_mixed <- function(object, ...) check_sealed(object)$covariance

#' @export
logLik.dg_mixed <- function(object, ...) check_sealed(object)$log_likelihood

#' @exportS3Method
print_details.dg_mixed <- function(x) {
  describe_response(x$response)
  cat_field("family", format(x$family), ", fitted by ", mixed_packages[[x$family$name]],
            if (x$family$name != "gaussian" && !x$marginal) "; marginal = FALSE")
  spreads <- lapply(x$random, function(term) sqrt(diag(term$covariance)))
  for (i in seq_along(spreads)) {
    cat_field(paste("sd of", x$random[[i]]$title),
              paste(names(spreads[[i]]), rounded(spreads[[i]], 4), collapse = ", "))
  }
  if (!is.null(x$sigma)) cat_field(if (x$family$name == "gaussian") "residual sd"
                                   else "dispersion", rounded(x$sigma, 4))
  cat_line("\nCoefficients:")
  table <- coefficient_table(x)
  cat_numbers(as.matrix(data.frame(estimate = rounded(table$estimate, 4),
                                   `std. error` = rounded(table$se, 4),
                                   z = rounded(table$statistic, 3), row.names = table$term,
                                   check.names = FALSE)))
}

# Wald's tests, normal.
coefficient_table <- function(x, level = 0.95) {
  se <- sqrt(diag(x$covariance))
  z <- x$coefficients / se
  half <- stats::qnorm((1 + level) / 2) * se
  data.frame(term = names(x$coefficients), estimate = x$coefficients, se = se, statistic = z,
             p = 2 * stats::pnorm(-abs(z)), lower = x$coefficients - half,
             upper = x$coefficients + half, row.names = NULL)
}
