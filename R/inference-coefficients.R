#' Coefficients to publish, with errors that allow for domains
#'
#' @description
#' Coefficients of a linear model in the units of the predictors, with standard errors, intervals
#' and tests that treat domains, not rows, as the independent observations.
#'
#' @details
#' The model is fitted again without each of the G domains. With \eqn{b}{b} the coefficients of all
#' rows and \eqn{b_{(g)}}{b_(g)} those without domain g, the covariance matrix is that of the
#' jackknife over domains (CV3 of MacKinnon, Nielsen and Webb, 2023),
#' \deqn{V = \frac{G - 1}{G} \sum_{g = 1}^G (b_{(g)} - b)(b_{(g)} - b)'.}{
#'   V = (G - 1) / G sum_g (b_(g) - b)(b_(g) - b)'.}
#' Rows of a domain may depend on each other in any way, and their variances may differ. If domains
#' are nested, whole levels of the outer factor are left out; if they are crossed, those of the
#' factor with most levels, which the print names: errors of predictors that differ between the
#' levels of another factor are then too small. Intervals and tests use Student's t distribution
#' with G - 1 degrees of freedom. In simulations with 6 to 40 domains of different levels and
#' slopes, 95 % intervals covered the coefficients in 92 to 98 % of the draws where slopes were
#' normal, and in 93 to 98 % where they were lognormal (logarithms with standard deviation 0.8),
#' also if the standard deviation of a predictor was lognormal over domains (0.7); intervals that
#' treat rows as independent covered them in 40 to 86 % (`tests/bench/coefficients.R`).
#'
#' The estimates are those of the model. Where it has a penalty, they are shrunk, and errors are
#' those of the shrunk estimates: the intervals do not cover the unpenalised ones. For `dg_lm()` and
#' `lambda` near 0 (1e-7 of [dg_ridge()]; below that rounding counts) there is nothing to shrink. A
#' penalty that held-out domains chose is kept in all fits.
#'
#' [dg_mixed()] has a model of the domains, and standard errors that follow from it: its fixed
#' effects have those of its engine (`summary()` of lme4, glmmTMB or ordinal), with intervals and
#' tests by the normal distribution (`df` is `Inf`). Nothing is fitted again. Thresholds of ordered
#' classes are left out.
#'
#' @param object A fitted model of one linear function: [dg_lm()]; [dg_ridge()], [dg_svm()] or
#'   [dg_glm()] with `kernel = kernel_linear()`, `domain_kernel = domain_pooled()`, no feature map
#'   or [features_linear()], and `scale` `"pooled"` or `"none"`; or [dg_mixed()]. Numbers, counts,
#'   two classes, ordered classes (`family = "ordinal"`) and censored times have one function; of
#'   more classes [dg_lm()] has one for each but the first (`"b: age"`).
#' @param data The data of the fit. Default `NULL`: those of its call, read again.
#' @param level Level of the intervals. Default 0.95.
#' @param exponentiate If `TRUE`, `exp()` of the coefficients and their intervals: odds, rate or
#'   hazard ratios. The standard errors remain those of the coefficients. Default `FALSE`.
#' @return An object of class `dg_coefficients`, a list with
#'   \item{table}{data frame, a row per coefficient: `term`, `estimate`, `se`, `statistic`, `p`,
#'     `lower`, `upper`}
#'   \item{coefficients, covariance}{the coefficients, and V; also by `coef()` and `vcov()`,
#'     whatever `exponentiate` is. `confint()` gives intervals at another level, of ratios if these
#'     were asked for; [marginaleffects][model_tools] gives contrasts}
#'   \item{domains}{G x p matrix of the coefficients without each domain; `NULL` of [dg_mixed()]}
#'   \item{count}{number of domains, G}
#'   \item{df, level, exponentiate}{degrees of freedom G - 1 ([dg_mixed()]: `Inf`), and the
#'     arguments}
#'   \item{crossed, separated}{names of factors that are crossed with the one left out, and of
#'     domains without which an effect is infinite}
#'   `print()` shows the table, [tidy()][tidy.domgen] returns it as a tibble, and knitr prints it in
#'   reports.
#' @section Errors:
#' A model that is not linear in its predictors, or has a penalty and a function per class; fewer
#' than three domains; data that are gone or are not those of the fit. A coefficient that cannot be
#' estimated without one of the domains, as that of a level which no other domain has, has no
#' standard error (`NA`), and the print says so. It also names domains without which an odds, rate
#' or hazard ratio is 0 or infinite (separation), as where all rows of a level have one class. A
#' domain is named if, without it, the ratio between the largest and the smallest value of a
#' predictor differs by a factor of more than exp(10) from that with all domains; its estimate is
#' then where the fit ended.
#' @references
#' MacKinnon, J. G., Nielsen, M. O. and Webb, M. D. (2023). Fast and reliable jackknife and
#' bootstrap methods for cluster-robust inference. *Journal of Applied Econometrics* 38, 671-694.
#' @seealso [dg_mixed()], whose engine has errors of its own, by a model of the domains
#' @examples
#' model <- dg_lm(uptake ~ log(conc) + Type + Treatment | Plant, data = CO2)
#' found <- dg_coefficients(model)
#' found
#' vcov(found)
#' @export
dg_coefficients <- function(object, data = NULL, level = 0.95, exponentiate = FALSE) {
  enter_session()
  check_given(object, "object")
  check_linear(object)
  level <- check_between(level, "level", 0.5, 0.999)
  check_flag(exponentiate, "exponentiate")
  if (!is.null(own_covariance(object))) {
    return(engine_coefficients(object, level, exponentiate))
  }
  given <- if (!is.null(data)) list(data = substitute(data)) else list()
  input <- model_input(object, given, parent.frame(), needed = "give `data`")
  sample <- quietly(read_sample(input, spec_needs(object$spec), "none"))
  if (length(sample$y) != length(object$y)) {
    abort("data", "`data` must be the rows of the fit (", length(object$y), "), not ",
          plural(length(sample$y), "row"), ".")
  }
  if (!isTRUE(all.equal(as.vector(sample$y), as.vector(object$y)))) {
    abort("data", "`data` must be the rows of the fit: its response is another.")
  }
  change <- to_reference(sample)
  estimate <- with_reference(linear_coefficients(object, sample), change)
  left_out <- without_each(object, sample, change)
  G <- nrow(left_out)
  ratio <- ratio_words(object)
  result <- structure(list(
    coefficients = estimate, covariance = jackknife(left_out, estimate), domains = left_out,
    df = G - 1L, level = level, exponentiate = exponentiate, ratio = ratio,
    penalty = fixed_penalty(object), rows = length(sample$y),
    labels = left_out_labels(object$blueprint, levels(sample$domain)), count = G,
    crossed = other_factors(object$blueprint$structure, levels(sample$domain)),
    separated = separated_without(left_out, estimate, sample, ratio, colnames(object$coefficients)),
    title = method_of(object$spec)$title, formula = object$formula,
    against = if (is.matrix(object$coefficients)) object$response$levels[1L]
  ), class = c("dg_coefficients", "dg_result"))
  result$table <- shown_coefficients(result)
  result
}

# Those of a model whose engine has errors of its own. Thresholds of ordered classes take the place
# of a constant.
engine_coefficients <- function(object, level, exponentiate) {
  coefficients <- own_coefficients(object)
  kept <- names(coefficients)
  result <- structure(list(
    coefficients = coefficients, covariance = own_covariance(object)[kept, kept, drop = FALSE],
    domains = NULL, count = length(object$domains), df = Inf, level = level,
    exponentiate = exponentiate, ratio = ratio_words(object), penalty = NULL,
    rows = length(object$y), labels = variable_names(object$blueprint), crossed = NULL,
    separated = character(), title = method_of(object$spec)$title, formula = object$formula
  ), class = c("dg_coefficients", "dg_result"))
  result$table <- shown_coefficients(result)
  result
}

# The covariance of its coefficients that a model has itself, or NULL.
own_covariance <- function(object) UseMethod("own_covariance")

#' @exportS3Method
own_covariance.default <- function(object) NULL

check_linear <- function(object) {
  refuse <- function(...) {
    abort("argument", "`object` must be a fitted model that is linear in its predictors, ",
          "such as `dg_lm()` or `dg_glm(kernel = kernel_linear(), domain_kernel = ",
          "domain_pooled())`, not ", ..., ".")
  }
  if (!inherits(object, "dg_learner") || !is.null(object$learner)) refuse(describe(object))
  check_sealed(object)
  space <- object$space
  if (!is_affine(object)) refuse("one of `", object$spec$method, "()` with ", if (is.null(space)) {
    "other functions"
  } else paste("kernel", format(space$kernel), "and domain kernel", format(space$domain_kernel)))
  kinds <- object$blueprint$scaling$kind
  if (!is.null(own_covariance(object)) && is.null(own_coefficients(object))) {
    refuse("a mixed model with `scale = \"pooled\"`")
  }
  # some models have a coefficient for a domain's mean
  if (!is.null(own_coefficients(object))) kinds <- setdiff(kinds, "means")
  if (!all(kinds %in% c("none", "pooled"))) {
    refuse("one with `scale = \"", setdiff(kinds, "means")[1L], "\"`",
           if ("means" %in% kinds) " and domain means")
  }
  several <- NCOL(object$decision) > 1L && !has_thresholds(object)
  if (several && is.null(own_coefficients(object))) {
    refuse("one with a function for each of ", plural(ncol(object$decision), "class", "classes"))
  }
}

# Is the function affine in the scaled predictors?
is_affine <- function(object) UseMethod("is_affine")

#' @exportS3Method
is_affine.default <- function(object) is_linear_space(object$space)

# The coefficients that a model has itself, in the units of its predictors, or NULL.
own_coefficients <- function(object) UseMethod("own_coefficients")

#' @exportS3Method
own_coefficients.default <- function(object) NULL

# `lambda` or `cost`, where there is one.
fixed_penalty <- function(object) {
  name <- intersect(c("lambda", "cost"), names(object$spec$args))
  if (length(name)) stats::setNames(penalty_of(object, name), name)
}

# In the units of the rows of this sample, which is not scaled.
linear_coefficients <- function(object, sample) {
  coefficients <- own_coefficients(object)
  if (!is.null(coefficients)) return(coefficients)
  affine_coefficients(object, colMeans(sample$X), apply(sample$X, 2L, stats::sd))[, 1L]
}

# [columns x functions]. An affine function follows from its values at a centre and one step away
# from it in each predictor (named as in the data).
affine_coefficients <- function(object, centre, step) {
  step <- ifelse(step > 0, step, 1)
  p <- length(centre)
  X <- rbind(centre, matrix(centre, p, p, byrow = TRUE) + diag(step, p))
  dimnames(X) <- list(NULL, names(centre))
  new <- list(X = X, domain = factor(rep(levels(object$domain)[1L], p + 1L)))
  values <- member_values(object, new, function_values)
  if (!has_thresholds(object)) values <- respond(targets_of(object), values, "decision")
  values <- as.matrix(values)
  slopes <- (values[-1L, , drop = FALSE] - rep(values[1L, ], each = p)) / step
  coefficients <- rbind(values[1L, ] - colSums(slopes * centre), slopes)
  dimnames(coefficients) <- list(c("(Intercept)", names(centre)), colnames(values))
  # a baseline or thresholds take the place of a constant
  constant <- object$response$kind != "censored" && !has_thresholds(object)
  coefficients[setdiff(seq_len(p + 1L), c(object$known + 1L, if (!constant) 1L)), , drop = FALSE]
}

# A linear function in the units of the data, with names; else as the model keeps it. Pipelines ask
# for those of scores.
#' @export
coef.dg_learner <- function(object, ...) {
  enter_session()
  check_sealed(object)
  blueprint <- object$blueprint
  kinds <- blueprint$scaling$kind
  if (is.null(blueprint) || !is_affine(object) || !all(kinds %in% c("none", "pooled"))) {
    return(object$coefficients)
  }
  # where the rows are digits are kept
  X <- object$space$X
  at <- if ("pooled" %in% kinds) blueprint$scaling
        else if (!is.null(X)) list(centre = colMeans(X), scale = apply(X, 2L, stats::sd))
  filled <- function(values, else_value) {
    p <- length(blueprint$columns)
    stats::setNames(if (length(values) == p) c(values) else rep(else_value, p), blueprint$columns)
  }
  coefficients <- affine_coefficients(object, filled(at$centre, 0), filled(at$scale, 1))
  if (ncol(coefficients) > 1L) coefficients else coefficients[, 1L]
}

# The change from coefficients of all levels of each factor to those that a reference level is
# subtracted from: the columns of the references are combinations A of the constant and the others.
to_reference <- function(sample) {
  at <- sample$blueprint$whole$reference
  if (length(at) == 0L) return(NULL)
  others <- cbind(`(Intercept)` = 1, sample$X[, -at, drop = FALSE])
  A <- qr.coef(qr(others), sample$X[, at, drop = FALSE])
  A[is.na(A)] <- 0
  round(A, 8)
}

with_reference <- function(coefficients, change) {
  if (is.null(change)) return(coefficients)
  others <- coefficients[setdiff(names(coefficients), colnames(change))]
  # where a baseline or thresholds take the place of a constant they take what is added to it
  others + drop(change[names(others), , drop = FALSE] %*% coefficients[colnames(change)])
}

# What exp() of a coefficient is.
ratio_words <- function(object) {
  link <- object$family$link
  odds <- identical(targets_of(object)$means, "odds") || identical(object$loss, "logistic") ||
    identical(link, "logit") || identical(object$family$name, "multinomial") ||
    has_thresholds(object)
  if (odds) "odds ratio"
  else if (object$response$kind == "censored") "hazard ratio"
  else if (identical(link, "log")) "ratio"
  else "exp(estimate)"
}

# Names of variables, with what is left out in the place of the domain.
left_out_labels <- function(blueprint, names) {
  labels <- variable_names(blueprint)
  structure <- blueprint$structure
  if (!is.null(structure)) labels$domain <- left_out_factor(structure, names)
  labels
}

# Factors that are crossed with it.
other_factors <- function(structure, names) {
  if (!is.null(structure)) setdiff(outer_factors(structure), left_out_factor(structure, names))
}

# [domains x coefficients]; NA where a column, or that of its reference level, is constant or
# collinear without a domain. change: see to_reference().
without_each <- function(object, sample, change) {
  spec <- object$spec
  penalty <- fixed_penalty(object)
  spec$args[names(penalty)] <- as.list(penalty)
  domain <- sample$domain
  # of nested factors whole levels of the outer one
  whole <- left_out_whole(sample$blueprint$structure, levels(domain))
  if (!is.null(whole)) levels(domain) <- whole
  domains <- levels(droplevels(domain[sample$weights > 0]))
  if (length(domains) < 3L) {
    abort("data", "Standard errors need at least 3 domains with a positive weight, not ",
          length(domains), ".")
  }
  constant <- function(X) apply(X, 2L, function(x) all(x == x[1L]))
  varies <- !constant(sample$X)
  refitted <- lapply(domains, function(g) {
    rest <- sample_part(sample, domain != g)
    fitted <- on_error(quietly(fit_member(spec, rest)), function(e) {
      abort("data", "The model cannot be fitted without domain \"", g, "\": ",
            sub("[.]*$", "", conditionMessage(e)), ".")
    })
    values <- of_classes(with_reference(linear_coefficients(fitted, rest), change), fitted, object)
    lost <- colnames(sample$X)[varies & constant(rest$X)]
    classes <- colnames(object$coefficients)
    lost <- c(lost, unlist(lapply(intersect(lost, colnames(change)), function(reference) {
      rownames(change)[change[, reference] != 0]
    })))
    # what is collinear was set to zero, and others then have another meaning
    zero <- values %in% 0
    if (any(zero)) {
      columns <- setdiff(colnames(rest$X), colnames(change))
      lost <- c(lost, moving_together(rest$X[, columns, drop = FALSE]))
    }
    replace(values, zero | names(values) %in% class_terms(lost, classes), NA_real_)
  })
  matrix(unlist(refitted), length(domains), byrow = TRUE,
         dimnames = list(domains, names(refitted[[1L]])))
}

# Columns, and the constant, that a combination of others replaces.
moving_together <- function(X) {
  moments <- column_moments(X)
  constant <- !is.finite(moments$scale)
  Z <- scale_columns(X, moments)
  parts <- svd(sweep(Z, 2L, pmax(sqrt(colSums(Z^2)), .Machine$double.xmin), "/"), nu = 0L,
               nv = ncol(X))
  # digits that columns far from 0 do not have
  origin <- ifelse(constant, sign(moments$centre), moments$centre / moments$scale)
  least <- max(1e-8, 8 * .Machine$double.eps * abs(origin))
  free <- c(parts$d, numeric(ncol(X) - length(parts$d))) <= least * parts$d[1L]
  V <- parts$v[, free, drop = FALSE]
  # the constant makes up for the means of what is combined
  moved <- abs(colSums(V * origin)) > 1e-6 * pmax(colSums(abs(V * origin)), 1)
  c(if (any(moved)) "(Intercept)", colnames(X)[rowSums(abs(V)) > 1e-6])
}

# Names of the domains without which an effect is infinite, as where all of a level have one class:
# a fit ends somewhere on the way, where the ratio between the ends of a predictor differs from that
# with all domains by a factor of more than exp(10). ratio: see ratio_words(); classes: with a
# function each, or NULL.
separated_without <- function(left_out, estimate, sample, ratio, classes) {
  if (ratio == "exp(estimate)") return(character())
  range <- apply(sample$X, 2L, function(x) diff(range(x)))
  range <- stats::setNames(rep(range, max(length(classes), 1L)), class_terms(names(range), classes))
  names <- intersect(names(range), names(estimate))
  change <- abs(sweep(left_out[, names, drop = FALSE], 2L, estimate[names]))
  far <- sweep(change, 2L, range[names], "*") > 10
  rownames(left_out)[rowSums(far, na.rm = TRUE) > 0]
}

# left_out: [domains x coefficients].
jackknife <- function(left_out, estimate) {
  G <- nrow(left_out)
  (G - 1) / G * crossprod(sweep(left_out, 2L, estimate))
}

# The table, of ratios where they are asked for.
shown_coefficients <- function(object, level = object$level) {
  table <- coefficient_table(object, level, object$df)
  values <- c("estimate", "lower", "upper")
  if (object$exponentiate) table[values] <- exp(table[values])
  table
}

#' @exportS3Method
coef.dg_coefficients <- function(object, ...) object$coefficients

#' @exportS3Method
vcov.dg_coefficients <- function(object, ...) object$covariance

#' @exportS3Method
confint.dg_coefficients <- function(object, parm, level = object$level, ...) {
  enter_session()
  level <- check_between(level, "level", 0.5, 0.999)
  table <- shown_coefficients(object, level)
  limits <- as.matrix(table[c("lower", "upper")])
  ends <- c(1 - level, 1 + level) / 2
  dimnames(limits) <- list(table$term, paste(format(100 * ends, trim = TRUE, digits = 3), "%"))
  if (missing(parm)) limits else limits[parm, , drop = FALSE]
}
