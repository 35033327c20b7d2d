# Families: those of base R, whose name and link are kept and not their functions, and those that
# have a file of their own, learner-glm-<family>.R.

own_families <- c("multinomial", "ordinal", "cox")

base_families <- c("gaussian", "binomial", "poisson", "Gamma", "inverse.gaussian", "quasi",
                   "quasibinomial", "quasipoisson")

check_family <- function(value, arg) {
  if (inherits(value, "dg_family")) return(value)
  if (is.character(value) && length(value) == 1L && value %in% own_families) {
    return(new_family(value))
  }
  made <- value
  if (is.character(value) && length(value) == 1L && value %in% base_families) {
    made <- get(value, asNamespace("stats"))
  }
  if (is.function(made)) made <- on_error(made(), function(e) NULL)
  if (!inherits(made, "family") || !made$family %in% base_families) {
    found <- if (inherits(made, "family")) dQuote(made$family, FALSE)
             else if (is.character(value) && length(value) == 1L) dQuote(value, FALSE)
             else describe(value)
    abort("argument", "`", arg, "` must be one of ", enumerate(c(base_families, own_families),
          most = 20L, quote = "\""), ", or a family of base R such as poisson(), not ", found, ".")
  }
  family <- new_family(made$family, made$link, made$varfun)
  kept <- on_error(family_object(family), function(e) NULL)
  if (!identical(kept$link, made$link)) {
    abort("argument", "`", arg, "` must have a link with a name, such as \"log\", not ",
          dQuote(made$link, FALSE), ".")
  }
  family
}

new_family <- function(name, link = NULL, variance = NULL) {
  class <- if (name %in% base_families) "base" else name
  structure(list(name = name, link = link, variance = variance),
            class = c(paste0("family_", class), "dg_family"))
}

#' @export
format.dg_family <- function(x, ...) {
  paste0(x$name, if (!is.null(x$link)) {
    paste0("(", x$link, if (!is.null(x$variance)) paste0(", variance ", x$variance), ")")
  })
}

#' @exportS3Method
short_object.dg_family <- function(value) format(value)

# The family of a response for which none was asked.
family_for <- function(family, y) {
  if (!is.null(family)) return(family)
  check_family(if (is_censored(y)) "cox" else if (!is.factor(y)) "gaussian"
               else if (nlevels(y) <= 2L) "binomial"
               else "multinomial", "family")
}

family_object <- function(family) {
  args <- list(link = family$link)
  if (family$name == "quasi") args$variance <- family$variance
  do.call(get(family$name, asNamespace("stats")), args)
}

# Which responses it reads, see read_response().
family_needs <- function(family) UseMethod("family_needs")

#' @exportS3Method
family_needs.default <- function(family) "any"

# None was asked for.
#' @exportS3Method
family_needs.NULL <- function(family) "open"

family_response <- function(family, y) UseMethod("family_response")

family_targets <- function(family, y) UseMethod("family_targets")

family_constants <- function(family, Y, costs, known = NULL) UseMethod("family_constants")

zero_constants <- function(family, machines) UseMethod("zero_constants")

family_loss <- function(family) UseMethod("family_loss")

family_means <- function(family, values) UseMethod("family_means")

family_begin <- function(family, Y, costs, known = NULL) UseMethod("family_begin")

family_scores <- function(family, values) UseMethod("family_scores")

#' @exportS3Method
family_begin.dg_family <- function(family, Y, costs, known = NULL) family

#' @exportS3Method
family_scores.dg_family <- function(family, values) values

# Which numbers a response can be: list(low, high, open: is low left out?, words).
family_range <- function(family) {
  any <- list(low = -Inf, high = Inf, open = FALSE, words = "")
  share <- list(low = 0, high = 1, open = FALSE, words = "from 0 to 1")
  count <- list(low = 0, high = Inf, open = FALSE, words = "0 or more")
  amount <- list(low = 0, high = Inf, open = TRUE, words = "positive")
  switch(if (family$name == "quasi") family$variance else family$name,
    binomial = , quasibinomial = , "mu(1-mu)" = share, poisson = , quasipoisson = , mu = count,
    Gamma = , inverse.gaussian = , "mu^2" = , "mu^3" = amount, any)
}

#' @exportS3Method
family_response.family_base <- function(family, y) {
  range <- family_range(family)
  needs <- function(...) abort("data", "The response of `family = ", family$name, "()` must be ",
                               ...)
  if (is.factor(y)) {
    if (range$high != 1) needs("a number, not ", plural(nlevels(y), "class", "classes"), " (",
                               enumerate(levels(y), quote = "\""), ").")
    if (nlevels(y) != 2L) {
      needs("two classes or a share, not ", plural(nlevels(y), "class", "classes"), " (",
            enumerate(levels(y), quote = "\""), ")",
            if (nlevels(y) > 2L) ": `family = \"multinomial\"` takes more", ".")
    }
    return(list(kind = "class", levels = levels(y)))
  }
  bad <- y < range$low | y > range$high | range$open & y == range$low
  if (any(bad)) {
    needs(range$words, "; found ", format(y[bad][1L]),
          if (sum(bad) > 1L) paste(" and", plural(sum(bad) - 1L, "other")), ".")
  }
  list(kind = "number")
}

#' @exportS3Method
family_targets.family_base <- function(family, y) {
  matrix(if (is.factor(y)) as.integer(y) - 1 else y, ncol = 1L)
}

# The link of the mean, which is where the deviance of a constant is least; of nothing but zeros (or
# ones) that of a mean a little inside.
#' @exportS3Method
family_constants.family_base <- function(family, Y, costs, known = NULL) {
  base <- family_object(family)
  if (!is.null(known)) return(constant_beside(base, Y[, 1L], costs, known[, 1L],
                                              family_constants(family, Y, costs)))
  mu <- weighted_mean(Y[, 1L], costs)
  range <- family_range(family)
  if (range$low == 0) mu <- max(mu, 1e-3)
  if (range$high == 1) mu <- min(mu, 1 - 1e-3)
  constant <- base$linkfun(mu)
  if (!base$valideta(constant) || !base$validmu(base$linkinv(constant))) {
    abort("data", "The mean of the response (", format(mu), ") has no value under the link \"",
          family$link, "\".")
  }
  constant
}

# Beside what is known the best constant has no closed form; where it has no end, that without it.
constant_beside <- function(base, y, costs, known, alone) {
  # what glm.fit() says of shares that are no counts is not meant for these
  fitted <- on_error(suppressWarnings(stats::glm.fit(
    rep(1, length(y)), y, costs, offset = known, family = base, start = alone - mean(known)
  )), function(e) NULL)
  ended <- isTRUE(fitted$converged) && !fitted$boundary && is.finite(fitted$coefficients)
  unname(if (ended) fitted$coefficients else alone - mean(known))
}

#' @exportS3Method
zero_constants.family_base <- function(family, machines) {
  base <- family_object(family)
  if (!base$valideta(0) || !base$validmu(base$linkinv(0))) {
    abort("argument", "`offset` must be TRUE with ", format(family), ", which has no mean where ",
          "the link is 0.")
  }
  rep(0, machines)
}

#' @exportS3Method
family_means.family_base <- function(family, values) {
  base <- family_object(family)
  link <- values
  known <- !is.na(values)
  # base R's logit refuses no values at all, and 1/mu^2 warns of what is below 0
  if (any(known)) values[known] <- suppressWarnings(base$linkinv(values[known]))
  lost <- sum(is.nan(values) & known)
  if (lost) {
    warn("no_mean", plural(lost, "row"), " ha", if (lost == 1L) "s" else "ve", " no mean, as the ",
         "link \"", family$link, "\" has none there: NaN. A family with the link \"log\" has ",
         "one for each row.")
  }
  tell_infinite_means(values, link)
}

# As exp() of a large offset is.
tell_infinite_means <- function(means, values) {
  infinite <- sum(is.infinite(means) & is.finite(values))
  if (infinite) {
    warn("no_mean", plural(infinite, "row"), " ha", if (infinite == 1L) "s" else "ve", " a mean ",
         "that is too large for a number: Inf. `type = \"decision\"` gives its link.")
  }
  means
}

#' @exportS3Method
family_loss.family_base <- function(family) {
  list(smooth = base_smooth(family_object(family)), kinks = 0L, name = family$name)
}

# Half the unit deviance, its slope in the link, and the curvature that is expected. Where there is
# no mean the value is infinite.
base_smooth <- function(base) {
  if (identical(base$link, "logit")) return(logit_smooth)
  # base R keeps a mean away from 0, and so a step from its end
  if (identical(base$link, "log")) base$linkinv <- base$mu.eta <- exp
  function(y, f, args, width) {
    eta <- as.vector(f)
    truth <- as.vector(y)
    middle <- if (base$validmu(2)) 1 else 0.5
    bad <- !is.finite(eta) | !each_valid(base$valideta, eta)
    eta[bad] <- base$linkfun(middle)
    mu <- base$linkinv(eta)
    bad <- bad | !is.finite(mu) | !each_valid(base$validmu, mu)
    mu[bad] <- middle
    bend <- base$mu.eta(eta)
    variance <- base$variance(mu)
    value <- base$dev.resids(truth, mu, rep(1, length(mu))) / 2
    slope <- -(truth - mu) * bend / variance
    value[bad] <- slope[bad] <- Inf
    shaped <- function(v) {
      dim(v) <- dim(f)
      v
    }
    list(value = shaped(value), slope = shaped(slope), curvature = shaped(bend^2 / variance))
  }
}

# The same of shares y by the logarithm of the odds, of which no digit is lost near 0 and 1.
logit_smooth <- function(y, f, args, width) {
  e <- exp(-abs(f))
  p <- ifelse(f > 0, 1, e) / (1 + e)
  own <- ifelse(y > 0, y * log(y), 0) + ifelse(y < 1, (1 - y) * log1p(-y), 0)
  list(value = own - y * f + pmax(f, 0) + log1p(e), slope = p - y, curvature = e / (1 + e)^2)
}

# d(y, mu), infinite where mu is no mean; where it is the response itself there is nothing to lose.
unit_deviances <- function(base, y, mu) {
  fine <- is.finite(mu)
  fine[fine] <- each_valid(base$validmu, mu[fine])
  d <- ifelse(!is.na(mu) & y == mu, 0, Inf)
  d[fine] <- base$dev.resids(y[fine], mu[fine], rep(1, sum(fine)))
  d
}

# Of the rules of base R, which are about all values at once; of values that over- or underflow,
# which may be many, at once too.
each_valid <- function(rule, values) {
  if (isTRUE(rule(values))) return(rep(TRUE, length(values)))
  valid <- is.finite(values)
  zero <- valid & values == 0
  rest <- valid & values != 0
  valid[zero] <- isTRUE(rule(0))
  if (any(rest) && !isTRUE(rule(values[rest]))) {
    valid[rest] <- vapply(values[rest], function(value) isTRUE(rule(value)), NA)
  }
  valid
}
