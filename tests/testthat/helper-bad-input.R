# A call is run and its outcome put in one word; a battery of calls is a named
# list of functions without arguments. Fine outcomes are
#   "error"     a condition of class domgen_error
#   "finite"    a result without a missing or infinite number
#   "warned"    the same, with a condition of class domgen_warning
#   "missing"   missing values, with such a warning
# anything else is a fault: an error or a warning of R itself, a silent NaN, or
# more seconds of the processor than given, which are many: builds without optimisation and under
# sanitizers are a hundred times slower.
outcome <- function(call, seconds = 60) {
  conditions <- list()
  setTimeLimit(cpu = seconds, elapsed = 10 * seconds, transient = TRUE)
  on.exit(setTimeLimit())
  value <- withCallingHandlers(
    tryCatch(call(), error = identity),
    warning = function(w) {
      conditions <<- c(conditions, list(w))
      invokeRestart("muffleWarning")
    }
  )
  foreign <- Filter(function(w) !inherits(w, "domgen_warning"), conditions)
  if (inherits(value, "error") && !inherits(value, "domgen_error")) {
    return(paste("R error:", conditionMessage(value)))
  }
  if (length(foreign)) return(paste("R warning:", conditionMessage(foreign[[1L]])))
  if (inherits(value, "error")) return("error")
  warned <- length(conditions) > 0L
  if (all_finite(value)) return(if (warned) "warned" else "finite")
  if (warned) "missing" else "silently not finite"
}

all_finite <- function(value) {
  if (is.function(value) || is.environment(value) || is.language(value)) return(TRUE)
  if (is.list(value)) return(all(vapply(unclass(value), all_finite, logical(1))))
  if (is.factor(value)) return(!anyNA(value))
  !is.numeric(value) || all(is.finite(value))
}

# Every call of the battery must have one of the allowed outcomes.
expect_outcomes <- function(calls, allowed) {
  found <- vapply(calls, outcome, "")
  wrong <- !found %in% allowed
  testthat::expect(
    !any(wrong),
    paste0(c("Unexpected outcomes:", paste0("  ", names(calls)[wrong], ": ", found[wrong])),
           collapse = "\n")
  )
  invisible(found)
}

answered <- c("finite", "warned", "missing")
fine <- c("error", answered)

# f(value) for each value, named "label(value's name)".
each <- function(label, values, f) {
  calls <- lapply(names(values), function(name) {
    force(name)
    function() f(values[[name]])
  })
  stats::setNames(calls, paste0(label, "(", names(values), ")", recycle0 = TRUE))
}

# The values that one of several methods meets: every fifth, beginning elsewhere for the next, so
# that each method meets a fifth of the values and each value a fifth of the methods. The long form
# has all pairs.
turn <- function(values, method, methods) {
  if (long_form()) return(values)
  values[(seq_along(values) + match(method, methods)) %% 5L == 0L]
}

# The message names the argument in backticks and says what it must be.
expect_names_argument <- function(calls, arg) {
  message <- vapply(calls, function(call) {
    tryCatch({
      call()
      "no error"
    }, domgen_error = conditionMessage, error = function(e) paste("R error:", conditionMessage(e)))
  }, "")
  wrong <- !(grepl(paste0("`", arg, "`"), message, fixed = TRUE) & grepl("must", message))
  testthat::expect(
    !any(wrong),
    paste0(c(paste0("`", arg, "` is not named:"),
             paste0("  ", names(calls)[wrong], ": ", message[wrong])), collapse = "\n")
  )
}

# What nobody should give for an argument.
not_numbers <- list(
  "NULL" = NULL, "NA" = NA, "NA number" = NA_real_, "NaN" = NaN, "Inf" = Inf, "-Inf" = -Inf,
  "two" = c(1, 2), "none" = numeric(0), "text" = "a", "number as text" = "1",
  "no text" = character(0), "TRUE" = TRUE, "factor" = factor("a"), "list" = list(1),
  "complex" = 1i, "date" = as.Date("2020-01-01"), "function" = function(x) x,
  "matrix" = diag(2), "symbol" = quote(a), "environment" = globalenv(),
  "data frame" = data.frame(a = 1), "raw" = as.raw(1)
)

bad_numbers <- function(...) {
  extra <- list(...)
  c(not_numbers, stats::setNames(extra, vapply(extra, format, "")))
}

without <- function(values, ...) values[setdiff(names(values), c(...))]

# Two predictors, three domains, a response of each kind.
bad_input_base <- function(rows = 24) {
  with_seed(3, {
    X <- matrix(stats::rnorm(2 * rows), rows, dimnames = list(NULL, c("a", "b")))
    list(
      X = X, domain = rep(c("u", "v", "w"), each = rows / 3), number = X[,
        1] + stats::rnorm(rows) / 5,
      class = factor(ifelse(X[, 1] + stats::rnorm(rows) / 3 > 0, "p", "q"))
    )
  })
}

replace_at <- function(values, place, value) {
  values[place] <- value
  values
}

# Rows, responses and domains of every kind, made of the base: list(matrices,
# not_matrices, responses, not_responses, domains, not_domains).
bad_data <- function(base = bad_input_base()) {
  n <- nrow(base$X)
  matrices <- with(base, list(
    "one NA" = replace_at(X, 3, NA), "one NaN" = replace_at(X, 3, NaN),
    "one Inf" = replace_at(X, 3, Inf), "one -Inf" = replace_at(X, 30, -Inf),
    "column of NA" = cbind(a = X[, 1], b = NA), "all NaN" = X * NaN,
    "zero variance" = cbind(a = X[, 1], b = 7), "all constant" = X * 0 + 3, "all zero" = X * 0,
    "one row n times" = X[rep(1, n), ], "two rows" = X[rep(1:2, n / 2), ],
    "rows in pairs" = X[rep(seq_len(n / 2), 2), ], collinear = cbind(a = X[, 1], b = 2 * X[, 1]),
    "1e150" = X * 1e150, "1e-150" = X * 1e-150, "1e307" = X * 1e307, "1e-307" = X * 1e-307,
    denormal = X * 1e-315, "1e150 and 1e-150" = cbind(a = X[, 1] * 1e150, b = X[, 2] * 1e-150),
    "one 1e200" = replace_at(X, 1, 1e200), "offset 1e10" = X + 1e10, "offset 1e16" = X + 1e16,
    integer = matrix(as.integer(round(3 * X)), n), logical = X > 0, "more columns than rows" =
      matrix(seq_len(40 * n) %% 37 + seq_len(n)^2 %% 11, n), vector = X[, 1], unnamed = unname(X),
    "one name twice" = `colnames<-`(X, c("a", "a")), "name NA" = `colnames<-`(X, c("a", NA)),
    "data frame" = as.data.frame(X), "factor column" = data.frame(a = X[, 1], f = factor(domain)),
    "text column" = data.frame(a = X[, 1], f = domain), "time series" = stats::ts(X),
    "date column" = data.frame(a = X[, 1], t = as.Date("2020-01-01") + (seq_len(n) * 7) %% 24)
  ))
  not_matrices <- with(base, list(
    text = matrix("a", n, 2), factor = factor(domain), list = list(1, 2), complex = X + 1i,
    array = array(X, c(n / 2, 2, 2)), Date = as.Date("2020-01-01") + seq_len(n), raw =
      matrix(as.raw(1), n, 2), environment = globalenv(), "function" = mean, "no column" = X[, 0],
    "list column" = data.frame(a = X[, 1], l = I(as.list(X[, 2]))),
    "complex column" = data.frame(a = X[, 1], t = 1i),
      "no columns" = data.frame(row.names = seq_len(n))
  ))

  responses <- with(base, list(
    integer = as.integer(round(3 * number)), logical = number > 0, text = as.character(class),
    "three classes" = factor(rep(c("a", "b", "c"), n / 3)), "one class" = factor(rep("a", n)),
    constant = rep(2, n), zero = rep(0, n),
    "empty class" = factor(class, levels = c("p", "r", "q")),
    "class missing from a domain" = factor(c(rep("p", n / 3), rep(c("p", "q"), n / 3))),
    "one NA" = replace_at(number, 1, NA), "one class NA" = replace_at(class, 1, NA),
    "all NA" = rep(NA_real_, n), "1e150" = number * 1e150, "1e160" = number * 1e160,
    "1e307" = number * 1e307, "1e-307" = number * 1e-307,
    "one 1e200" = replace_at(number, 1, 1e200),
    "offset 1e12" = number + 1e12, ordered = factor(class, ordered = TRUE), matrix = matrix(number),
    "data frame" = data.frame(y = number), "one of a class" = factor(c("q", rep("p", n - 1))),
    "level NA" = addNA(replace_at(class, 1, NA))
  ))
  not_responses <- with(base, list(
    Inf. = replace_at(number, 1, Inf), Date = as.Date("2020-01-01") + seq_len(n),
      raw = as.raw(seq_len(n)),
    complex = number + 1i, list = as.list(number), short = number[-1], "two columns" = cbind(number,
      number),
    none = numeric(0), "function" = mean, difftime = as.difftime(seq_len(n), units = "days"),
    POSIXlt = as.POSIXlt(as.Date("2020-01-01") + seq_len(n))
  ))

  domains <- with(base, list(
    one = rep("u", n), "one row" = c("z", domain[-1]),
    "each row its own" = as.character(seq_len(n)),
    "one NA" = replace_at(domain, 2, NA), "empty level" = factor(domain, levels = c("zz", "u", "v",
      "w")),
    "level NA" = addNA(replace_at(domain, 2, NA)), number = as.integer(factor(domain)) / 3,
    Inf. = replace_at(as.numeric(factor(domain)), 2, Inf), logical = domain == "u",
    Date = as.Date("2020-01-01") + as.integer(factor(domain)), blank = replace_at(domain, 1:8, ""),
    "called NA" = replace_at(domain, 1:8, "NA"), matrix = matrix(domain),
      "data frame" = data.frame(domain)
  ))
  not_domains <- with(base, list(
    list = as.list(domain), short = domain[-1], long = c(domain, "u"), single = "u",
      none = character(0),
    "two columns" = cbind(domain, domain), raw = as.raw(as.integer(factor(domain))),
      "function" = mean,
    "all NA" = rep(NA, n)
  ))
  list(matrices = matrices, not_matrices = not_matrices, responses = responses,
       not_responses = not_responses, domains = domains, not_domains = not_domains)
}

# list(weightings, not_weights) of the rows of the base.
bad_weights <- function(base = bad_input_base()) {
  n <- nrow(base$X)
  list(weightings = list(
    "zero in a domain" = rep(0:1, c(8, 16)), "zero for a class" = as.numeric(base$class == "p"),
    "zero but one" = rep(0:1, c(n - 1, 1)), "1e150" = rep(1e150, n), "1e307" = rep(1e307, n),
    "1e-307" = rep(1e-307, n), mixed = 10^seq(-150, 150, length.out = n), matrix = matrix(1, n, 1),
    "one NA" = replace_at(rep(1, n), 1, NA)
  ), not_weights = list(
    Inf. = replace_at(rep(1, n), 1, Inf), negative = replace_at(rep(1, n), 1, -1), zero = rep(0, n),
    text = rep("a", n), logical = rep(TRUE, n), factor = factor(rep(1, n)), short = rep(1, n - 1),
    single = 1, complex = rep(1i, n), list = as.list(rep(1, n)),
    Date = as.Date("2020-01-01") + seq_len(n)
  ))
}

# All that a fitted model can say; predictions for the rows it was fitted to.
everything <- function(model, x, domain) {
  utils::capture.output(print(model), if (inherits(model, "dg_projection")) print(summary(model)))
  parts <- unclass(model)[setdiff(names(model), c("call", "spec", "blueprint"))]
  list(parts, fitted(model), coef(model), predict(model, x, domain = domain))
}

# One function (x, y, domain, weights) a method.
fits <- function() {
  pooled <- domain_pooled()
  method <- function(fun, ...) {
    extra <- list(...)
    function(x, y, domain, weights = NULL) {
      given <- c(list(x = x, y = y, domain = domain), extra)
      if (!is.null(weights)) given$weights <- weights
      everything(do.call(fun, given), x, domain)
    }
  }
  list(
    dica = method(dg_dica), `dica linear` = method(dg_dica, kernel = kernel_linear(), scale = "none"),
    udica = method(dg_udica), coir = method(dg_coir, form = "symmetric"),
    kpca = method(dg_kpca, ncomp = 50, normalise = "whiten"),
    `kpca distribution` = method(dg_kpca, domain_kernel = domain_distribution()),
    svm = method(dg_svm, max_iterations = 1e4),
    `svm pooled` = method(dg_svm, domain_kernel = pooled, domain_weights = "size"),
    `svm multitask` = method(dg_svm, domain_kernel = domain_multitask(0.5), intercept = TRUE),
    `svm linear` = method(dg_svm, domain_kernel = pooled, kernel = kernel_linear(), scale = "none",
                          max_iterations = 1e4),
    ridge = method(dg_ridge),
    `ridge fitted` = method(dg_ridge, bandwidths = "fitted", intercept = TRUE,
                            domain_weights = "equal"),
    `svm platt` = method(dg_svm, max_iterations = 1e4, calibration = "platt"),
    `ridge isotonic` = method(dg_ridge, domain_kernel = pooled, calibration = "isotonic"),
    lodo = function(x, y, domain, weights = NULL) {
      model <- dg_ridge(x, y, domain, weights = weights, domain_kernel = domain_pooled())
      unclass(dg_cv(model))[c("domains", "mean", "se", "overall")]
    },
    gp = method(dg_gp, optimise = FALSE),
    lm = method(dg_lm), `lm equal` = method(dg_lm, domain_weights = "equal"),
    null = method(dg_null),
    chain = function(x, y, domain, weights = NULL) {
      model <- fit(dg_pipeline(dg_dica(ncomp = 1), dg_svm(max_iterations = 1e4)), x, y, domain,
                   weights = weights)
      list(fitted(model), predict(model, x, domain = domain))
    },
    tune = method(dg_tune, object = dg_ridge(), grid = list(lambda = c(0.1, 10)), folds = 2,
                  progress = FALSE),
    cv = function(x, y, domain, weights = NULL) {
      unclass(dg_cv(dg_lm(), x, y, domain, weights = weights, progress = FALSE))[
        c("domains", "predictions", "mean", "se", "overall")]
    }
  )
}

# Those that are compared by their predictions alone.
whole_fits <- function() {
  whole <- function(spec, ...) {
    force(spec)
    function(x, y, domain, weights = NULL) {
      model <- fit(spec, x, y, domain, weights = weights, ...)
      utils::capture.output(print(model))
      list(fitted(model), predict(model, x, domain = domain))
    }
  }
  own <- learner_custom(function(x, y, weights) y, function(object, x) rep(object[1L], nrow(x)))
  members <- list(ridge = dg_ridge(lambda = 1), null = dg_null(), chain = dg_pipeline(dg_kpca(), dg_lm()))
  there <- function(package, spec) if (requireNamespace(package, quietly = TRUE)) whole(spec)
  Filter(Negate(is.null), list(
    custom = whole(own), `lm means` = whole(dg_lm(domain_means = TRUE, scale = "rank")),
    imputed = whole(dg_lm(), na.action = na.impute(by = "domain")),
    forest = there("ranger", dg_forest(trees = 5, scale = "both")),
    boost = there("xgboost", dg_boost(trees = 3)), net = there("glmnet", dg_net(lambda = 0.1)),
    mixed = there("lme4", dg_mixed()), gam = there("mgcv", dg_gam(k = 4)),
    stacked = whole(dg_ensemble(members, member_weights = "stacked")),
    auto = whole(dg_auto(n_members = 2))
  ))
}

weighted_fits <- function() {
  fits()[c("svm", "svm pooled", "svm multitask", "svm linear", "ridge", "ridge fitted",
           "svm platt", "ridge isotonic", "lodo", "gp", "lm", "lm equal", "null", "chain", "tune",
           "cv")]
}
