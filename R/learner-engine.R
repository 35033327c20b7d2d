# Learners that are two functions: those of users, learner_custom(), and those of other packages
# that are made of the same parts. A method of the package has a class in front of
# "learner_custom_spec", and engine_of() gives its functions
#   fit(x, y, ...)       x: data frame, y: numbers or a factor; of further arguments it is handed
#                        those that it has: `domain`, `weights` and the method's own
#   predict(object, x, ...)  the same, without weights; see read_prediction() for what it gives
#   survival(object, x, times, ...)  of censored times, see survival_at(); NULL if it has none
# Censored times come as a survival::Surv object, and are predicted as logarithms of hazards.
# Decision values are numbers as they are; of two classes 2 p - 1, with p the probability of the
# second; of more a column of probabilities each. A class without probability has 0 or 1.

# list(fit, predict, survival)
engine_of <- function(spec) UseMethod("engine_of")

#' @exportS3Method
engine_of.learner_custom_spec <- function(spec) spec$args[c("fit", "predict", "survival")]

# As learner_call(), for such a learner.
engine_call <- function(name, package, env, call, from) {
  need_package(package, paste0(name, "()"))
  spec <- method_spec(name, c(paste0(name, "_spec"), "learner_custom_spec"), env)
  fit_or_specify(spec, call, from)
}

#' @exportS3Method
fit_sample.learner_custom_spec <- function(spec, sample) {
  response <- new_targets(rows_frame(sample), standardise = FALSE)
  costs <- row_costs(1, sample$weights, sample$domain, spec$args$domain_weights)
  classes <- setdiff(sub("_spec$", "", class(spec)), "dg")
  object <- structure(list(
    engine = foreign(train_engine(spec, sample, costs)), coded = spec$coded, spec = spec,
    weights = sample$weights, response = response, y = sample$y
  ), class = unique(c(classes, "dg_learner", "dg_fit")))
  if (response$kind == "censored") object$response$family <- new_family("cox")
  predicted <- engine_prediction(object, sample)
  if (predicted$probabilities) object$response$means <- "common"
  object$decision <- predicted$values
  object
}

# A row without weight takes no part, whatever the function makes of weights.
train_engine <- function(spec, sample, costs) {
  part <- if (all(costs > 0)) sample else sample_part(sample, costs > 0)
  # classes stay those of the response
  y <- if (is.factor(sample$y)) factor(part$y, levels(sample$y)) else part$y
  if (is_censored(y)) y <- as_surv(y)
  further <- list(domain = part$domain, weights = costs[costs > 0])
  hand_over_to(spec, "fit", uncoded(part$X, spec$coded), y, further)
}

# The value of one of the functions, called with those of the further arguments that it has.
hand_over_to <- function(spec, which, first, second, further) {
  fun <- engine_of(spec)[[which]]
  args <- spec$args[setdiff(names(spec$args), c("fit", "predict", "survival"))]
  wanted <- names(formals(args(fun)))[-(1:2)]
  open <- if ("..." %in% wanted && which == "fit") method_of(spec)$own
  # domains have no order: a model would make polynomials of it
  if (is.ordered(further$domain)) class(further$domain) <- "factor"
  further <- c(further, Filter(Negate(is.null), args))
  further <- further[names(further) %in% c(wanted, open)]
  whole <- if (which != "fit" && holds_ranger(first)) uninterrupted else identity
  on_error(whole(call_by_name(fun, which, first, second, further)), function(e) {
    # one of the package's own functions
    if (inherits(e, "domgen_error") && is.null(spec$args$fit)) stop(e)
    abort("learner", method_of(spec)$title, ": `", which, "` failed: ", conditionMessage(e),
          pointer_hint(if (which != "fit") first))
  })
}

# An interrupt within ranger's predictions ends R, so that those of users' functions wait. (Within
# its fit it is an error, see ends_call().)
holds_ranger <- function(object) {
  inherits(object, "ranger") ||
    typeof(object) == "list" && any(vapply(unclass(object), inherits, NA, "ranger"))
}

# Warnings of another package as ours, so that searches and comparisons count them. words: what is
# said instead, where it names things that users did not.
own_warnings <- function(title, code, words = identity) {
  withCallingHandlers(code, warning = function(w) {
    if (inherits(w, "domgen_warning")) return()
    said <- conditionMessage(w)
    # weights are no counts
    if (!grepl("non-integer", said, fixed = TRUE)) warn("engine", title, ": ", words(said))
    invokeRestart("muffleWarning")
  })
}

# A hint if an object has a pointer in one of its outermost parts: files do not keep pointers.
pointer_hint <- function(object) {
  parts <- if (typeof(object) == "list") unclass(object) else list(object)
  if (!any(vapply(parts, typeof, "") == "externalptr")) return("")
  paste("; the fitted object has an external pointer, which is lost when saved: `fit` must return",
        "an object that can be saved")
}

# By names in an environment: a function that keeps its call would keep all rows in it.
call_by_name <- function(fun, name, first, second, further) {
  roles <- if (name == "fit") c("x", "y") else c("object", "x")
  names <- make.unique(c(name, roles, names(further)))
  values <- stats::setNames(c(list(fun, first, second), further), names)
  env <- list2env(values, parent = globalenv())
  symbols <- lapply(names, as.name)
  names(symbols) <- c("", "", "", names(further))
  eval(as.call(symbols), env)
}

# list(values: of decision [rows x m], probabilities: are they made of such?)
engine_prediction <- function(object, new) {
  x <- uncoded(new$X, object$coded)
  domain <- list(domain = if (!all(is.na(new$domain))) new$domain)
  value <- hand_over_to(object$spec, "predict", object$engine$object, x, domain)
  read_prediction(value, nrow(x), object$response, method_of(object$spec)$title)
}

#' @exportS3Method
decision.learner_custom <- function(object, new) {
  if (nrow(new$X) == 0L) return(object$decision[0L, , drop = FALSE])
  prediction <- engine_prediction(object, new)
  if (prediction$probabilities == is.null(object$response$means)) {
    kinds <- c("classes", "probabilities")
    if (!prediction$probabilities) kinds <- rev(kinds)
    abort("learner", method_of(object$spec)$title, ": `predict` must return the same type for all ",
          "rows; it returned ", kinds[1L], " for the training rows, and ", kinds[2L], " now.")
  }
  prediction$values
}

#' @exportS3Method
survival_at.learner_custom <- function(object, new, times) {
  if (is.null(engine_of(object$spec)$survival)) return(NextMethod())
  if (nrow(new$X) == 0L) return(matrix(0, 0L, length(times)))
  x <- uncoded(new$X, object$coded)
  further <- list(times = times, domain = if (!all(is.na(new$domain))) new$domain)
  value <- hand_over_to(object$spec, "survival", object$engine$object, x, further)
  read_survival(value, nrow(x), times, method_of(object$spec)$title)
}

# No row is kept, and the moments of its training domains are known.
#' @exportS3Method
training_rows.learner_custom <- function(object) {
  list(X = matrix(0, length(object$domain), 0L), domain = object$domain)
}

#' @exportS3Method
reads_domain.learner_custom <- function(object) {
  "domain" %in% names(formals(args(engine_of(object$spec)$predict)))
}

#' @export
coef.learner_custom <- function(object, ...) {
  check_sealed(object)
  value <- on_error(stats::coef(object$engine$object, ...), function(e) NULL)
  if (is.null(value)) abort("argument", method_of(object$spec)$title, " has no coefficients.")
  value
}

#' @exportS3Method
describe_fit.learner_custom <- function(x) {
  method <- method_of(x$spec)
  args <- if (is.null(method$own)) names(own_rows(method)) else method$own
  args <- Filter(Negate(is.null), x$spec$args[args])
  engine <- x$engine$object
  c(unname(Map(function(name, value) {
    fact(name, if (is.numeric(value) && length(value) == 1L) value else format_value(value),
         how = if (name %in% c("cost", "lambda")) "given")
  }, names(args), args)), list(if (is.object(engine)) fact("fitted", describe(engine))))
}

# Whether a user's function gives probabilities is known once it has predicted.
#' @exportS3Method
spec_gives.learner_custom_spec <- function(spec, classes = NULL) {
  c("prob", if (!is.null(engine_of(spec)$survival)) "survival")
}
