# Families of dg_glm(): those of base R, whose rows of the table of losses are made here of their
# functions, and those that are a row of their own. What models keep is the name, the link and the
# parameters that were fitted, and no function.

base_families <- c("gaussian", "binomial", "poisson", "Gamma", "inverse.gaussian", "quasi",
                   "quasibinomial", "quasipoisson")

check_family <- function(value, arg) {
  if (inherits(value, "dg_family")) return(value)
  is_name <- is.character(value) && length(value) == 1L
  is_base <- is_name && value %in% base_families
  # all losses are looked through for a name that base R does not know
  own_families <- if (is_base) character() else names(losses_of("dg_glm"))
  if (is_name && value %in% own_families) return(own_family(value))
  made <- if (is_base) get(value, asNamespace("stats")) else value
  if (is.function(made)) made <- on_error(made(), function(e) NULL)
  # of other packages, with the one link that there is
  if (inherits(made, "family") && made$family %in% own_families &&
      identical(made$link, named_loss(made$family)$link)) return(own_family(made$family))
  if (!inherits(made, "family") || !made$family %in% base_families) {
    name <- if (inherits(made, "family")) dQuote(made$family, FALSE)
            else if (is_name) dQuote(value, FALSE)
            else describe(value)
    families <- c(base_families, own_families)
    meant <- if (is_name) {
      c(unname(families_called[tolower(value)]), nearest_choice(value, families))
    }
    abort("argument", "`", arg, "` must be one of ", enumerate(families, most = 20L, quote = "\""),
          ", or a family of base R such as poisson(), not ", name,
          did_you_mean(utils::head(intersect(meant, families), 1L), "\""))
  }
  family <- new_family(made$family, made$link, made$varfun)
  kept <- on_error(family_object(family), function(e) NULL)
  if (!identical(kept$link, made$link)) {
    abort("argument", "`", arg, "` must have a link with a name, such as \"log\", not ",
          dQuote(made$link, FALSE), ".")
  }
  family
}

# What models of these families are called elsewhere.
families_called <- c(
  logistic = "binomial", logit = "binomial", bernoulli = "binomial", normal = "gaussian",
  linear = "gaussian", multinom = "multinomial", softmax = "multinomial", negbin = "nbinom2",
  coxph = "cox", polr = "ordinal"
)

own_family <- function(name) new_family(name, named_loss(name)$link)

new_family <- function(name, link = NULL, variance = NULL) {
  structure(list(name = name, link = link, variance = variance), class = "dg_family")
}

#' @export
format.dg_family <- function(x, ...) {
  paste0(x$name, if (!is.null(x$link)) {
    paste0("(", x$link, if (!is.null(x$variance)) paste0(", variance ", x$variance), ")")
  })
}

#' @exportS3Method
short_object.dg_family <- function(value) format(value)

# The row of the table.
family_loss <- function(family) {
  if (family$name %in% base_families) base_loss(family) else named_loss(family$name)
}

family_object <- function(family) {
  args <- list(link = family$link)
  if (family$name == "quasi") args$variance <- family$variance
  do.call(get(family$name, asNamespace("stats")), args)
}

base_loss <- function(family) {
  base <- family_object(family)
  range <- family_range(family)
  new_loss(
    learner = "dg_glm", kinds = c("number", "class"), smooth = base_smooth(base),
    check = function(y) check_family_response(y, family$name, range),
    targets = function(y) matrix(if (is.factor(y)) as.integer(y) - 1 else y, ncol = 1L),
    constant = function(Y, costs, offset) base_constant(base, range, Y[, 1L], costs, offset),
    no_zero = if (!base$valideta(0) || !base$validmu(base$linkinv(0))) {
      paste0(format(family), ", which has no mean where the link is 0")
    },
    mean = function(values, par) base_means(base, values), range = c(range$low, range$high),
    deviance = function(y, mu, par) unit_deviances(base, y, mu),
    variance = function(mu, par) base$variance(mu),
    quadratic = family$name == "gaussian" && identical(family$link, "identity")
  )
}

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

check_family_response <- function(y, name, range) {
  needs <- function(...) abort("data", "The response of `family = ", name, "()` must be ", ...)
  if (is.factor(y)) {
    classes <- paste0(plural(nlevels(y), "class", "classes"), " (",
                      enumerate(levels(y), quote = "\""), ")")
    if (range$high != 1) needs("numeric, not ", classes, ".")
    if (nlevels(y) != 2L) {
      needs("two classes or a proportion, not ", classes,
            if (nlevels(y) > 2L) ": `family = \"multinomial\"` takes more", ".")
    }
    return(invisible())
  }
  bad <- y < range$low | y > range$high | range$open & y == range$low
  if (any(bad)) {
    needs(range$words, "; found ", format(y[bad][1L]),
          if (sum(bad) > 1L) paste(", and", sum(bad), "such rows in all"), ".")
  }
}

# The link of the mean, which is where the deviance of a constant is least; of nothing but zeros (or
# ones) that of a mean a little inside.
base_constant <- function(base, range, y, costs, offset = NULL) {
  mu <- weighted_mean(y, costs)
  if (range$low == 0) mu <- max(mu, 1e-3)
  if (range$high == 1) mu <- min(mu, 1 - 1e-3)
  constant <- base$linkfun(mu)
  if (!base$valideta(constant) || !base$validmu(base$linkinv(constant))) {
    abort("data", "The mean of the response (", format(mu), ") has no value under the link \"",
          base$link, "\".")
  }
  if (is.null(offset)) constant else constant_beside(base, y, costs, offset[, 1L], constant)
}

# With an offset the best constant has no closed form; where it has no end, that without an offset.
constant_beside <- function(base, y, costs, offset, alone) {
  # what glm.fit() says of shares that are no counts is not meant for these
  fitted <- on_error(suppressWarnings(stats::glm.fit(
    rep(1, length(y)), y, costs, offset = offset, family = base, start = alone - mean(offset)
  )), function(e) NULL)
  ended <- isTRUE(fitted$converged) && !fitted$boundary && is.finite(fitted$coefficients)
  unname(if (ended) fitted$coefficients else alone - mean(offset))
}

base_means <- function(base, values) {
  link <- values
  present <- !is.na(values)
  # base R's logit refuses no values at all, and 1/mu^2 warns of what is below 0
  if (any(present)) values[present] <- suppressWarnings(base$linkinv(values[present]))
  lost <- sum(is.nan(values) & present)
  if (lost) {
    warn("no_mean", plural(lost, "row"), " ha", if (lost == 1L) "s" else "ve", " no mean under ",
         "the link \"", base$link, "\": NaN. The link \"log\" has a mean for every row.")
  }
  report_infinite_means(values, link)
}

# As exp() of a large offset is.
report_infinite_means <- function(means, values) {
  infinite <- sum(is.infinite(means) & is.finite(values))
  if (infinite) {
    warn("no_mean", plural(infinite, "row"), " ha", if (infinite == 1L) "s" else "ve", " a mean ",
         "that is too large for a number: Inf. `type = \"decision\"` returns its link.")
  }
  means
}

# Half the unit deviance, its slope in the link, and the curvature that is expected. Where there is
# no mean the value is infinite.
base_smooth <- function(base) {
  if (identical(base$link, "logit")) return(logit_smooth)
  # base R keeps a mean away from 0, and so a step from its end
  if (identical(base$link, "log")) base$linkinv <- base$mu.eta <- exp
  function(y, f, par, width) {
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
logit_smooth <- function(y, f, par, width) {
  e <- exp(-abs(f))
  total <- 1 + e
  p <- e / total
  above <- which(f > 0)
  p[above] <- 1 / total[above]
  # least at f where p = y, 0 of classes
  least <- 0 * y
  inside <- which(y > 0 & y < 1)
  share <- y[inside]
  least[inside] <- share * log(share) + (1 - share) * log1p(-share)
  list(value = least - y * f + pmax(f, 0) + log1p(e), slope = p - y, curvature = e / total^2)
}

# d(y, mu), infinite where mu is no mean; where it is the response itself there is nothing to lose.
unit_deviances <- function(base, y, mu) {
  fine <- is.finite(mu)
  fine[fine] <- each_valid(base$validmu, mu[fine])
  d <- ifelse(!is.na(mu) & y == mu, 0, Inf)
  d[fine] <- base$dev.resids(y[fine], mu[fine], rep(1, sum(fine)))
  d
}

# Applies to each value a rule of base R, which is about all values at once: it is the same for all
# values below, at, between and above 0 and 1.
each_valid <- function(rule, values) {
  if (isTRUE(rule(values))) return(rep(TRUE, length(values)))
  valid <- is.finite(values)
  place <- 3 * sign(values) + sign(values - 1)
  for (one in unique(place[valid])) {
    there <- valid & place == one
    valid[there] <- isTRUE(rule(values[there]))
  }
  valid
}
