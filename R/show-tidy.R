#' Results as data frames
#'
#' @description
#' Methods for `tidy()`, `glance()` and `augment()` of the generics package, which are those of
#' broom and of tidymodels. All return plain data frames.
#'
#' `tidy()` takes a result apart: of a projection a line per component; of a [dg_gp()] its
#' parameters, of a [dg_lm()], [dg_net()] or [dg_mixed()] its coefficients, of other learners the
#' parameters they were fitted with; of a [dg_cv()] a line per domain; of a [dg_compare()] a line
#' per method; of a [dg_tune()] a line per choice; of [mmd()] a line per pair of domains; of
#' [dg_calibration()] its table; of a [dg_diagnose()] a line each for shift, room and gain.
#'
#' `glance()` sums it up in one line.
#'
#' `augment()` gives the rows back with what the model says of them: of a projection the scores
#' `.comp1`, `.comp2`, ..., of a learner `.fitted`, for classes with probabilities `.prob_<class>`,
#' for numbers `.resid` where the response is known; of a [dg_cv()] its predictions.
#'
#' @param x A result.
#' @param newdata Rows to predict; `NULL` for those in training, of which the response, the
#'   domain and the predictions are given.
#' @param domain Domain of each row of `newdata`, when it is not a column of it.
#' @param ... Must be empty.
#' @return A data frame.
#' @name tidy.domgen
#' @aliases tidy glance augment
#' @examples
#' toy <- simulate_dcm(domains = 5, rows = 30, seed = 1)
#' cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
#' tidy(cv)
#' glance(cv)
#' @importFrom generics tidy glance augment
#' @export tidy
#' @export glance
#' @export augment
NULL

# A method that takes nothing but the object.
alone <- function(take) {
  function(x, ...) {
    check_no_dots(list(...), character())
    take(x)
  }
}

#' @rdname tidy.domgen
#' @export
tidy.dg_projection <- alone(function(x) cbind(values_frame(x), residual = x$residual))

#' @rdname tidy.domgen
#' @export
glance.dg_projection <- alone(function(x) {
  part <- x$variance[c("before", "after"), "distributional"]
  share <- part / x$variance[c("before", "after"), "total"]
  data.frame(method = x$spec$method, rows = nobs.dg_fit(x), domains = nlevels(x$domain),
             predictors = length(x$blueprint$columns), components = length(x$values),
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
  cbind(augmented_rows(x, newdata), as.data.frame(scores))
}

# The columns of newdata, or what is known of the rows in training: response and domain.
augmented_rows <- function(x, newdata) {
  if (is.list(newdata)) return(as.data.frame(newdata, optional = TRUE))
  if (!is.null(newdata)) return(as.data.frame(as_numeric_matrix(newdata, "newdata")))
  labels <- variable_names(x$blueprint)
  values <- list(if (!is.null(x$y)) pad_rows(x$y, x), if (!is.null(x$domain)) pad_rows(x$domain, x))
  names(values) <- make.unique(c(labels$response, labels$domain))
  as.data.frame(Filter(Negate(is.null), values), optional = TRUE)
}

#' @rdname tidy.domgen
#' @export
tidy.dg_learner <- alone(function(x) model_terms(learner_of(x), x$spec))

# A line a parameter; of a learner without any of its own, those it was fitted with.
model_terms <- function(learner, spec) UseMethod("model_terms")

#' @exportS3Method
model_terms.default <- function(learner, spec) parameter_frame(spec)

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
                      predictors = length(x$blueprint$columns), response = x$response$kind)
  learner <- learner_of(x)
  if (!is.null(learner[["log_likelihood"]])) {
    found <- logLik(learner)
    frame <- cbind(frame, logLik = as.numeric(found), df = attr(found, "df"),
                   AIC = stats::AIC(learner), BIC = stats::BIC(learner))
  }
  frame
})

#' @rdname tidy.domgen
#' @export
augment.dg_learner <- function(x, newdata = NULL, domain = NULL, ...) {
  check_no_dots(list(...), c("newdata", "domain"))
  predicted <- function(type) {
    if (is.null(newdata)) predict(x, type = type)
    else predict(x, newdata, domain = domain, type = type)
  }
  fitted <- predicted("response")
  frame <- augmented_rows(x, newdata)
  frame$.fitted <- fitted
  if (x$response$kind == "class") {
    # what it warns of has been said of the classes
    prob <- tryCatch(quietly(predicted("prob")),
                     domgen_error_argument = function(e) NULL)
    for (class in colnames(prob)) frame[[paste0(".prob_", class)]] <- prob[, class]
    return(frame)
  }
  truth <- if (is.null(newdata)) pad_rows(x$y, x) else response_of(x, newdata)
  if (is.numeric(truth)) frame$.resid <- truth - frame$.fitted
  frame
}

#' @rdname tidy.domgen
#' @export
tidy.dg_tuned <- alone(function(x) {
  cbind(x$tuning$table, chosen = seq_len(nrow(x$tuning$table)) == x$tuning$chosen)
})

#' @rdname tidy.domgen
#' @export
glance.dg_tuned <- alone(function(x) {
  tuning <- x$tuning
  chosen <- tuning$table[tuning$chosen, ]
  data.frame(chosen[names(tuning$best)], metric = tuning$metric$title, mean = chosen$mean,
             se = chosen$se, choices = nrow(tuning$table), failed = sum(!is.na(tuning$table$error)),
             seconds = sum(tuning$table$seconds), row.names = NULL, check.names = FALSE)
})

#' @rdname tidy.domgen
#' @export
tidy.dg_cv <- alone(function(x) x$domains)

#' @rdname tidy.domgen
#' @export
glance.dg_cv <- alone(function(x) {
  interval <- mean_interval(x$mean, x$errors[[1L]])
  data.frame(metric = x$metrics[[1L]]$title, mean = x$mean, se = x$se, lower = interval[1L],
             upper = interval[2L], overall = x$overall, domains = nrow(x$domains),
             fits = nrow(x$fits), seconds = sum(x$fits$seconds))
})

#' @rdname tidy.domgen
#' @export
augment.dg_cv <- alone(function(x) {
  if (is.null(x$predictions)) {
    abort("argument", "`x` must be made from rows in memory: of a source no row is kept.")
  }
  x$predictions
})

#' @rdname tidy.domgen
#' @export
tidy.dg_compare <- alone(function(x) x$table)

#' @rdname tidy.domgen
#' @export
glance.dg_compare <- alone(function(x) {
  test <- x$friedman
  if (is.null(test)) test <- list(statistic = NA_real_, df = NA_real_, p = NA_real_)
  data.frame(metric = x$metrics[[1L]]$title, against = x$against, methods = nrow(x$table),
             domains = nrow(x$scores), statistic = test$statistic, df = test$df,
             p.value = test$p)
})

#' @rdname tidy.domgen
#' @export
tidy.domgen_mmd <- alone(function(x) {
  names <- rownames(x$squared)
  pairs <- which(upper.tri(x$squared), arr.ind = TRUE)
  frame <- data.frame(first = names[pairs[, 1L]], second = names[pairs[, 2L]],
                      squared = x$squared[pairs])
  if (!is.null(x$p_value)) frame$p.value <- x$p_value[pairs]
  frame
})

#' @rdname tidy.domgen
#' @export
tidy.dg_calibration <- alone(function(x) x$table)

#' @rdname tidy.domgen
#' @export
tidy.dg_diagnose <- alone(function(x) {
  columns <- c("difference", "lower", "upper", "p")
  rows <- rbind(c(x$shift$variance - x$shift$level, NA, NA, x$shift$p),
                as.matrix(x$room[columns]), as.matrix(x$gain[columns]))
  data.frame(what = c("shift", "room", "gain"), estimate = rows[, 1L], lower = rows[, 2L],
             upper = rows[, 3L], p.value = rows[, 4L], row.names = NULL)
})
