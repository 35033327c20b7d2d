#' Results as data frames
#'
#' @description
#' Methods for `tidy()`, `glance()` and `augment()` of the generics package, which are those of
#' broom and of tidymodels. All return tibbles: data frames, which print and are subset as those
#' of the tibble package where that is loaded, and have no list columns.
#' [as.data.frame()][as.data.frame.domgen] gives the tables of `tidy()` as plain data frames.
#'
#' `tidy()` takes a result apart: of a projection a row per component; of a [dg_gp()] its
#' parameters, of a [dg_lm()], [dg_net()] or [dg_mixed()] its coefficients, of a [dg_ensemble()] the
#' weights of its members, of other learners the parameters they were fitted with; of other results
#' the table that [as.data.frame()][as.data.frame.domgen] lists. Columns have broom's names:
#' `estimate`, `std.error`, `conf.low`, `conf.high`, `statistic`, `p.value`.
#'
#' `glance()` sums it up in one line.
#'
#' `augment()` gives the rows back with what the model says of them: of a projection the scores
#' `.comp1`, `.comp2`, ..., of a learner `.fitted`, for classes with probabilities `.prob_<class>`,
#' for numbers `.resid` where the response is known, and of a learner with [domain_distribution()],
#' for `newdata`, `.novelty`: the rank p of the row's domain, see [dg_novelty()]; of a [dg_cv()] its
#' predictions, with `.prob_<class>` where they have probabilities. Names of
#' the rows of `newdata`, if it has any, come as a column `.rownames`.
#'
#' @param x A result.
#' @param newdata Rows to predict; `NULL` for those in training, of which the response, the
#'   domain and the predictions are given.
#' @param domain Domain of each row of `newdata`, when it is not a column of it.
#' @param interval,level `"prediction"`: columns `.lower` and `.upper`, or for classes `.set` (text,
#'   a comma between classes), that hold on new domains with probability `level`, see
#'   [set_intervals()].
#' @param ... Must be empty.
#' @return A tibble, of class `c("tbl_df", "tbl", "data.frame")`.
#' @name tidy.domgen
#' @aliases tidy glance augment
#' @examples
#' toy <- simulate_dcm(domains = 5, n = 30, seed = 1)
#' cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
#' tidy(cv)
#' glance(cv)
#' @importFrom generics tidy glance augment
#' @export tidy
#' @export glance
#' @export augment
NULL

#' @rdname tidy.domgen
#' @export
tidy.dg_projection <- alone(function(x) cbind(values_frame(x), residual = x$residual))

#' @rdname tidy.domgen
#' @export
glance.dg_projection <- alone(function(x) {
  part <- x$variance[c("before", "after"), "distributional"]
  share <- part / x$variance[c("before", "after"), "total"]
  data.frame(method = x$spec$method, rows = nobs.dg_fit(x), domains = nlevels(x$domain),
             predictors = count_predictors(x$blueprint), components = length(x$values),
             rank = x$rank, distributional_before = part[[1L]], distributional_after = part[[2L]],
             share_before = share[[1L]], share_after = share[[2L]])
})

#' @rdname tidy.domgen
#' @export
augment.dg_projection <- function(x, newdata = NULL, domain = NULL, ...) {
  check_no_dots(list(...), c("newdata", "domain"))
  scores <- if (is.null(newdata)) fitted(x) else predict(x, newdata, domain = domain)
  colnames(scores) <- paste0(".comp", seq_len(ncol(scores)))
  # after predict(), which knows what newdata must be
  as_tbl(cbind(augmented_rows(x, newdata), as.data.frame(scores)))
}

# The columns of newdata, or what is known of the rows in training: response and domain.
augmented_rows <- function(x, newdata) {
  if (is.list(newdata)) {
    frame <- as.data.frame(newdata, optional = TRUE)
    named <- is.character(attr(frame, "row.names"))
    return(if (named) cbind(.rownames = row.names(frame), frame) else frame)
  }
  if (!is.null(newdata)) return(as.data.frame(as_numeric_matrix(newdata, "newdata")))
  labels <- variable_names(x$blueprint)
  values <- list(if (!is.null(x$y)) pad_rows(x$y, x), if (!is.null(x$domain)) pad_rows(x$domain, x))
  names(values) <- make.unique(c(labels$response, labels$domain))
  as.data.frame(Filter(Negate(is.null), values), optional = TRUE)
}

#' @rdname tidy.domgen
#' @export
tidy.dg_learner <- alone(function(x) {
  terms <- model_terms(learner_of(x), x$spec)
  # numbers that were fitted
  if (is.numeric(terms$value)) as_broom(terms, c(name = "term", value = "estimate")) else terms
})

# A line a parameter; of a learner without any of its own, those it was fitted with.
model_terms <- function(learner, spec) UseMethod("model_terms")

#' @exportS3Method
model_terms.default <- function(learner, spec) {
  chained <- !is.null(spec[["projection"]])
  args <- if (chained) spec$learner$args else spec$args
  # with the penalties that the fit has chosen
  for (name in intersect(c("cost", "lambda"), names(args))) {
    if (is.null(args[[name]])) args[[name]] <- found_penalty(learner, name)
  }
  if (chained) spec$learner$args <- args else spec$args <- args
  parameter_frame(spec)
}

#' @exportS3Method
model_terms.dg_gp <- function(learner, spec) learner$parameters

#' @exportS3Method
model_terms.dg_lm <- function(learner, spec) {
  coefficients <- coef(learner)
  if (!is.matrix(coefficients)) {
    return(data.frame(term = names(coefficients), estimate = unname(coefficients)))
  }
  data.frame(class = rep(colnames(coefficients), each = nrow(coefficients)),
             term = rep(rownames(coefficients), ncol(coefficients)),
             estimate = c(coefficients))
}

#' @exportS3Method
model_terms.dg_net <- model_terms.dg_lm

#' @exportS3Method
model_terms.dg_mixed <- model_terms.dg_lm

#' @exportS3Method
model_terms.dg_ensemble <- function(learner, spec) {
  frame <- data.frame(member = names(learner$coefficients), weight = unname(learner$coefficients))
  scores <- learner$held_out$scores
  if (is.null(scores)) frame else cbind(frame, mean = unname(colMeans(scores, na.rm = TRUE))[-1L])
}

# part, parameter, value (in words).
parameter_frame <- function(spec) {
  parts <- if (is.null(spec[["projection"]])) stats::setNames(list(spec), spec$method)
           else spec[c("projection", "learner")]
  do.call(rbind, lapply(names(parts), function(part) {
    args <- Filter(function(arg) !is.null(arg) && !is.function(arg), parts[[part]]$args)
    args <- args[setdiff(names(args), c("threads", "unlabelled", "target"))]
    data.frame(part = rep(part, length(args)), parameter = names(args),
               value = vapply(args, format_value, ""), row.names = NULL)
  }))
}

#' @rdname tidy.domgen
#' @export
glance.dg_learner <- alone(function(x) {
  frame <- data.frame(method = x$spec$method, rows = nobs(x), domains = nlevels(x$domain),
                      predictors = count_predictors(x$blueprint), response = x$response$kind)
  found <- likelihood_of(learner_of(x))
  if (is.null(found)) return(frame)
  names(found) <- c("logLik", "df", "AIC", "BIC")
  cbind(frame, as.list(found))
})

#' @rdname tidy.domgen
#' @export
augment.dg_learner <- function(x, newdata = NULL, domain = NULL, interval = c("none", "prediction"),
                               level = 0.9, ...) {
  check_no_dots(list(...), names(formals(augment.dg_learner))[-1L])
  interval <- check_choice(interval, "interval", c("none", "prediction"))
  env <- parent.frame()
  predicted <- function(...) {
    if (is.null(newdata)) predict(x, ...) else predict(x, newdata, domain = domain, ...)
  }
  fitted <- predicted(type = "response")
  frame <- augmented_rows(x, newdata)
  frame$.fitted <- fitted
  # what it warns of has been said of the predictions
  novelty <- if (!is.null(newdata)) quietly(novelty_of_rows(x, newdata, domain))
  if (interval != "none") x <- keep_intervals(x, env)
  if (x$response$kind == "class") {
    prob <- tryCatch(quietly(predicted(type = "prob")),
                     domgen_error_argument = function(e) NULL)
    for (class in colnames(prob)) frame[[paste0(".prob_", class)]] <- prob[, class]
    if (interval != "none") {
      sets <- quietly(predicted(type = "set", level = level))
      frame$.set <- apply(sets, 1L, function(set) {
        if (anyNA(set)) NA else paste(colnames(sets)[set], collapse = ", ")
      })
    }
  } else {
    truth <- if (is.null(newdata)) pad_rows(x$y, x) else response_of(x, newdata)
    if (is.numeric(truth)) frame$.resid <- truth - frame$.fitted
    if (interval != "none") {
      found <- quietly(predicted(interval = interval, level = level))
      frame[c(".lower", ".upper")] <- found[c("lower", "upper")]
    }
  }
  frame$.novelty <- novelty
  as_tbl(frame)
}
