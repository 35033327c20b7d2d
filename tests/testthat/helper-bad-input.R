# A call is run and its outcome put in one word; a battery of calls is a named
# list of functions without arguments. Fine outcomes are
#   "error"     a condition of class domgen_error
#   "finite"    a result without a missing or infinite number
#   "warned"    the same, with a condition of class domgen_warning
#   "missing"   missing values, with such a warning
# anything else is a fault: an error or a warning of R itself, a silent NaN, or
# more seconds than given.
outcome <- function(call, seconds = 10) {
  conditions <- list()
  setTimeLimit(elapsed = seconds, transient = TRUE)
  on.exit(setTimeLimit(elapsed = Inf))
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
  stats::setNames(calls, paste0(label, "(", names(values), ")"))
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
    dica = method(dica), `dica linear` = method(dica, kernel = kernel_linear(), scale = "none"),
    udica = method(udica), coir = method(coir, form = "symmetric"),
    kpca = method(kpca, ncomp = 50, normalise = "whiten"),
    `kpca distribution` = method(kpca, domain_kernel = domain_distribution()),
    svm = method(dg_svm, max_iterations = 1e4),
    `svm pooled` = method(dg_svm, domain_kernel = pooled, domain_weights = "size"),
    `svm multitask` = method(dg_svm, domain_kernel = domain_multitask(0.5), offset = TRUE),
    `svm linear` = method(dg_svm, domain_kernel = pooled, kernel = kernel_linear(), scale = "none",
                          max_iterations = 1e4),
    lm = method(dg_lm), `lm equal` = method(dg_lm, domain_weights = "equal"),
      null = method(dg_null),
    chain = function(x, y, domain, weights = NULL) {
      model <- fit(chain(dica(ncomp = 1), dg_svm(max_iterations = 1e4)), x, y, domain,
                   weights = weights)
      list(fitted(model), predict(model, x, domain = domain))
    },
    cv = function(x, y, domain, weights = NULL) {
      unclass(dg_cv(dg_lm(), x, y, domain, weights = weights, progress = FALSE))[
        c("domains", "predictions", "mean", "se", "overall")]
    }
  )
}

weighted_fits <- function() {
  fits()[c("svm", "svm pooled", "svm multitask", "svm linear", "lm", "lm equal", "null", "chain",
    "cv")]
}
