# The packages that fit mixed models: lme4 (numbers, classes and proportions), glmmTMB (counts and
# amounts), ordinal (ordered classes). Each gets the same frame, made here, so that a model is that
# of the package, to the last digit that its optimiser gives.

# A row for each family. package: what fits; links: of those the mean over normal effects is known,
# NULL: those of the package; quick: what fits for predictions alone; probe: an effort that takes so
# much less time than "quick" that dg_auto() tries it first, NULL: none does. See mixed_effort().
engine_row <- function(package, links = NULL, quick = package, probe = NULL) {
  list(package = package, links = links, quick = quick, probe = probe)
}

mixed_engines <- list(
  gaussian = engine_row("lme4", "identity"),
  binomial = engine_row("lme4", c("logit", "probit", "cloglog")),
  poisson = engine_row("glmmTMB", "log", quick = "lme4"),
  Gamma = engine_row("glmmTMB", "log"),
  nbinom1 = engine_row("glmmTMB", "log"),
  nbinom2 = engine_row("glmmTMB", "log"),
  ordinal = engine_row("ordinal", probe = "fixed")
)

# Numbers, if there is no family.
engine_of_family <- function(family) {
  mixed_engines[[if (is.null(family)) "gaussian" else family$name]]
}

check_mixed_family <- function(value, arg) {
  if (inherits(value, "dg_family")) return(value)
  given <- if (is.function(value)) on_error(value(), function(e) value) else value
  name <- if (inherits(given, "family")) given$family else given
  named <- is.character(name) && length(name) == 1L
  if (named && name %in% c("nbinom1", "nbinom2")) {
    link <- if (inherits(given, "family")) given$link else "log"
    family <- new_family(name, link)
  } else if (named && name %in% names(mixed_engines)) {
    family <- check_family(if (identical(name, "Gamma") && !inherits(given, "family")) {
      stats::Gamma("log")
    } else value, arg)
  } else {
    hint <- if (named && grepl("^neg|^nb", lower_case(name))) {
      "; negative binomial counts are \"nbinom2\" (variance mu + mu^2 / theta) or \"nbinom1\""
    }
    abort("argument", "`", arg, "` must be one of ",
          enumerate(names(mixed_engines), 10L, "\""), ", not ",
          if (inherits(given, "family")) dQuote(given$family, FALSE) else describe(value),
          hint, ".")
  }
  links <- engine_of_family(family)$links
  if (!is.null(links) && !family$link %in% links) {
    abort("argument", "`", arg, "` must have the link ", paste0("\"", links, "\"",
          collapse = " or "), " for ", family$name, ", not \"", family$link, "\".")
  }
  family
}

# The family of a response for which none was asked.
mixed_family <- function(family, y) {
  classes <- if (is.factor(y)) nlevels(y) else 0L
  if (is.null(family)) {
    if (classes > 2L) {
      abort("data", "`dg_mixed()` needs a numeric response or two classes, not ",
            plural(classes, "class", "classes"), " (", enumerate(levels(y), quote = "\""),
            "); classes in the order of their levels are `family = \"ordinal\"`.")
    }
    family <- check_family(if (classes) "binomial" else "gaussian", "family")
  }
  if (family$name == "binomial" && classes > 2L) {
    abort("data", "The response of `family = binomial()` must be two classes or a proportion, not ",
          plural(classes, "class", "classes"), " (", enumerate(levels(y), quote = "\""),
          "); classes in the order of their levels are `family = \"ordinal\"`.")
  }
  need_package(engine_of_family(family)$package,
               paste0("dg_mixed(family = \"", family$name, "\")"))
  family
}

# Does dg_mixed() have such a response, with its package installed? family: NULL for numbers.
has_engine <- function(family, y, offset) {
  if (is.null(family)) {
    if (is.factor(y) || is_censored(y)) return(FALSE)
    family <- new_family("gaussian", "identity")
  }
  engine <- engine_of_family(family)
  !is.null(engine) && (is.null(engine$links) || family$link %in% engine$links) &&
    !(offset && family$name == "ordinal") &&
    all(vapply(c("lme4", engine$package), requireNamespace, NA, quietly = TRUE))
}

# effort: "full"; or "quick", for predictions, by lme4 with nAGQ = 0, by others without standard
# errors.
mixed_package <- function(family, effort) {
  engine_of_family(family)[[if (effort == "full") "package" else "quick"]]
}

# data: list(y, X [n x p] without collinear columns, offset [n] or NULL, costs, terms: of
# learn_term(), labels: of their groups, a list). list(beta, vcov, sigma, effects and covariance: of
# each term, thresholds: how many of beta are).
fit_engine <- function(family, data, effort) {
  quick <- effort != "full"
  frame <- data.frame(.y = data$y)
  names <- sprintf(".x%d", seq_len(ncol(data$X)))
  frame[names] <- lapply(seq_len(ncol(data$X)), function(j) data$X[, j])
  if (!is.null(data$offset)) frame$.offset <- data$offset
  groups <- unique(vapply(data$terms, `[[`, "", "title"))
  parts <- character()
  for (i in seq_along(data$terms)) {
    term <- data$terms[[i]]
    group <- paste0(".r", match(term$title, groups))
    frame[[group]] <- data$labels[[i]]
    columns <- sprintf(".z%d.%d", i, seq_along(term$columns))
    constant <- term$columns == "(Intercept)"
    frame[columns] <- lapply(seq_along(columns), function(j) term$Z[, j])
    data$terms[[i]]$own <- ifelse(constant, "(Intercept)", columns)
    data$terms[[i]]$key <- group
    parts <- c(parts, paste0("(", paste(c(if (any(constant)) "1" else "0", columns[!constant]),
                                        collapse = " + "), " | ", group, ")"))
  }
  fixed <- c("1", names, if (!is.null(data$offset)) "offset(.offset)")
  formula <- stats::as.formula(paste(".y ~", paste(c(fixed, parts), collapse = " + ")),
                               env = environment())
  costs <- data$costs
  engine <- mixed_package(family, effort)
  # the columns of the frame by the names that users gave
  words <- function(text) {
    for (i in rev(seq_along(groups))) text <- gsub(paste0(".r", i), groups[i], text, fixed = TRUE)
    for (j in rev(seq_along(names))) text <- gsub(names[j], colnames(data$X)[j], text, fixed = TRUE)
    text
  }
  fitted <- on_error(own_warnings("Mixed model", switch(engine,
    lme4 = fit_lme4(family, formula, frame, costs, length(parts) > 0L, quick),
    glmmTMB = fit_glmmtmb(family, formula, frame, costs, quick),
    ordinal = fit_clmm(formula, frame, costs, length(parts) > 0L, quick)
  ), words), function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("learner", "Mixed model: the package ", engine, " failed: ", words(conditionMessage(e)),
          ".")
  })
  for (i in seq_along(data$terms)) {
    term <- data$terms[[i]]
    effects <- as.matrix(fitted$effects[[term$key]][term$own])
    effect_names <- lapply(fitted$covariances, rownames)
    of <- which(sub("[.][0-9]+$", "", names(fitted$covariances)) == term$key &
                  vapply(effect_names, identical, NA, term$own))[1L]
    # in the units of the columns
    fitted$terms[[i]] <- list(
      effects = sweep(`colnames<-`(effects, term$columns), 2L, term$scale, "/"),
      covariance = matrix(fitted$covariances[[of]] / outer(term$scale, term$scale),
                          length(term$columns), dimnames = list(term$columns, term$columns)))
  }
  fitted
}

fit_lme4 <- function(family, formula, frame, costs, effects, quick) {
  environment(formula) <- environment()
  gaussian <- family$name == "gaussian"
  if (!effects) {
    fitted <- if (gaussian) stats::lm(formula, frame, weights = costs)
              else stats::glm(formula, family_object(family), frame, weights = costs)
    return(list(beta = stats::coef(fitted), vcov = stats::vcov(fitted),
                sigma = if (gaussian) stats::sigma(fitted),
                log_likelihood = stats::logLik(fitted)))
  }
  control <- if (gaussian) lme4::lmerControl else lme4::glmerControl
  control <- if (gaussian || !quick) control(check.conv.singular = "ignore") else {
    control("nloptwrap", check.conv.singular = "ignore", calc.derivs = FALSE)
  }
  fitted <- if (gaussian) lme4::lmer(formula, frame, control = control, weights = costs)
            else lme4::glmer(formula, frame, family_object(family), control, weights = costs,
                             nAGQ = if (quick) 0L else 1L)
  list(beta = lme4::fixef(fitted), vcov = as.matrix(stats::vcov(fitted)),
       sigma = if (gaussian) stats::sigma(fitted), log_likelihood = stats::logLik(fitted),
       effects = lme4::ranef(fitted, condVar = FALSE), covariances = unclass(lme4::VarCorr(fitted)))
}

fit_glmmtmb <- function(family, formula, frame, costs, quick) {
  environment(formula) <- environment()
  made <- switch(family$name, nbinom1 = glmmTMB::nbinom1(), nbinom2 = glmmTMB::nbinom2(),
                 family_object(family))
  fitted <- glmmTMB::glmmTMB(formula, frame, made, weights = costs, se = !quick)
  beta <- glmmTMB::fixef(fitted)$cond
  list(beta = beta, vcov = if (quick) no_vcov(beta) else as.matrix(stats::vcov(fitted)$cond),
       sigma = if (family$name != "poisson") stats::sigma(fitted),
       log_likelihood = stats::logLik(fitted),
       effects = glmmTMB::ranef(fitted, condVar = FALSE)$cond,
       covariances = unclass(glmmTMB::VarCorr(fitted)$cond))
}

no_vcov <- function(beta) matrix(NA_real_, length(beta), length(beta))

fit_clmm <- function(formula, frame, costs, effects, quick) {
  environment(formula) <- environment()
  fitted <- if (effects) ordinal::clmm(formula, frame, weights = costs, Hess = !quick)
            else ordinal::clm(formula, data = frame, weights = costs)
  # those of the random effects stand at the end
  fixed <- seq_along(stats::coef(fitted))
  V <- if (quick && effects) no_vcov(fixed) else {
    on_error(as.matrix(stats::vcov(fitted)), function(e) {
      warn("engine", "Mixed model: there are no standard errors: ", conditionMessage(e))
      no_vcov(fixed)
    })
  }
  list(beta = stats::coef(fitted), thresholds = length(fitted$alpha),
       vcov = V[fixed, fixed, drop = FALSE], log_likelihood = stats::logLik(fitted),
       effects = if (effects) ordinal::ranef(fitted),
       covariances = if (effects) unclass(ordinal::VarCorr(fitted)))
}

# ---- means over random effects ------------------------------------------------------------------

# The mean of the inverse link at value + sd Z, Z normal, back on the link. Of log and probit there
# is a closed form; the others are a distribution function, whose mean is P(L < value + sd Z).
link_over_effects <- function(family, value, sd) {
  if (family$name == "gaussian") return(value)
  if (identical(family$link, "log")) return(value + sd^2 / 2)
  if (identical(family$link, "probit")) return(value / sqrt(1 + sd^2))
  moved <- which(sd > 0)
  if (length(moved)) {
    mean <- if (family$link == "logit") mean_logistic(value[moved], sd[moved])
            else mean_gumbel(value[moved], sd[moved])
    value[moved] <- family_object(family)$linkfun(pmin(pmax(mean, 1e-300), 1 - 2^-53))
  }
  value
}

# By the trapezoidal rule over Z or over L, whichever leaves the smoother function; it converges
# exponentially for smooth functions that vanish at the ends (Trefethen and Weideman, 2014).
mean_over_effects <- function(value, sd, cdf, density, ends) {
  mean <- cdf(value)
  average <- function(at, nodes, weights, smooth) {
    weights <- weights / sum(weights)
    mean[at] <<- 0
    for (k in seq_along(nodes)) mean[at] <<- mean[at] + weights[k] * smooth(at, nodes[k])
  }
  z <- seq(-8, 8, length.out = 201L)
  average(which(sd > 0 & sd <= 5), z, stats::dnorm(z),
          function(i, z) cdf(value[i] + sd[i] * z))
  l <- seq(ends[1L], ends[2L], length.out = 201L)
  average(which(sd > 5), l, density(l),
          function(i, l) stats::pnorm((value[i] - l) / sd[i]))
  mean
}

mean_logistic <- function(value, sd) {
  mean_over_effects(value, sd, stats::plogis, stats::dlogis, c(-40, 40))
}

mean_gumbel <- function(value, sd) {
  mean_over_effects(value, sd, function(v) -expm1(-exp(v)), function(l) exp(l - exp(l)), c(-40, 5))
}
