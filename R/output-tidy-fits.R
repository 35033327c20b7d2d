#' Results as data frames and report tables
#'
#' @description
#' | call | returns |
#' |---|---|
#' | `tidy(x)` | the table of a result, a row per domain, method, predictor, ...: a tibble |
#' | `glance(x)` | a summary in one row: a tibble |
#' | `augment(x)` | the rows of the data with predictions: a tibble |
#' | `as.data.frame(x)` | as `tidy()`, a plain data frame for base R, `write.csv()`, `gt::gt()` |
#' | `tibble::as_tibble(x)` | as `tidy()` |
#' | `x` at the end of a knitr chunk | a report table: `knitr::kable()` with notes below |
#' | `flextable::as_flextable(x)` | the same table for Word, PowerPoint and HTML |
#'
#' `tidy()`, `glance()` and `augment()` are the generics of broom and tidymodels. Fits have these
#' three; other results, [dg_auto()] and [dg_tune()] have all. Tibbles need no further package. Only
#' report tables round numbers, and there are no list columns. Columns: see [tidy_columns].
#'
#' @section Report tables:
#' In documents of knitr (R Markdown, Quarto, Sweave) tables are made for HTML, LaTeX, Word and
#' markdown; the sentences of the printout become notes. `print(x)` in a chunk gives the text of the
#' console instead. Numbers are rounded as in prints: [options(digits)][options] changes that. For
#' your own table start from unrounded numbers: `knitr::kable(as.data.frame(x), digits = 3)`.
#'
#' @param x A result or a fit.
#' @param newdata Data frame (or matrix, if the model was fitted to one) of rows to predict. Default
#'   `NULL`: the training rows.
#' @param data The data of the fit, whose columns are kept, as in broom: predictions as with
#'   `newdata`, without `.novelty`.
#' @param domain Domain of each row of `newdata`, if it is not a column of it.
#' @param interval If `"prediction"`, prediction intervals or sets for new domains are added, see
#'   [set_intervals()]. Default `"none"`.
#' @param level Nominal coverage of intervals and sets. Default 0.9.
#' @param row.names,optional,stringsAsFactors As in [as.data.frame()]; names are never changed.
#' @param options Of a knitr chunk: `tab.cap` or `tbl-cap`, the caption.
#' @param ... Must be empty; ignored by `knit_print()` and `as_flextable()`.
#' @return `tidy()`, `glance()`, `augment()` and `as_tibble()`: a tibble, of class `c("tbl_df",
#'   "tbl", "data.frame")`. `as.data.frame()`: a data frame. `knit_print()`: text of class
#'   `knit_asis`. `as_flextable()`: a `flextable`.
#' @name tidy.domgen
#' @aliases tidy glance augment as.data.frame.domgen knit_print.domgen
#' @examples
#' cv <- dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight)
#' tidy(cv)
#' glance(cv)
#' as.data.frame(cv)
#' if (requireNamespace("knitr", quietly = TRUE)) cat(knitr::knit_print(cv))
#' @importFrom generics tidy glance augment
#' @export tidy
#' @export glance
#' @export augment
NULL

#' @rdname tidy.domgen
#' @order 1
#' @export
tidy.dg_projection <- alone(function(x) cbind(values_frame(x), residual = x$residual))

#' @rdname tidy.domgen
#' @order 1
#' @export
glance.dg_projection <- alone(function(x) {
  shares <- variance_shares(x)
  part <- shares[c("before", "after"), "distributional"]
  share <- shares[c("before", "after"), "share"]
  data.frame(method = x$spec$method, nobs = nobs.dg_fit(x), domains = nlevels(x$domain),
             predictors = count_predictors(x$blueprint), components = length(x$values),
             rank = x$rank, distributional_before = part[[1L]], distributional_after = part[[2L]],
             share_before = share[[1L]], share_after = share[[2L]])
})

#' @rdname tidy.domgen
#' @order 1
#' @export
augment.dg_projection <- function(x, newdata = data, domain = NULL, data = NULL, ...) {
  enter_session()
  check_no_dots(list(...), c("newdata", "domain", "data"))
  scores <- if (is.null(newdata)) fitted(x) else predict(x, newdata, domain = domain)
  colnames(scores) <- paste0(".comp", seq_len(ncol(scores)))
  # after predict(), which checks newdata
  as_tbl(cbind(augmented_rows(x, newdata), as.data.frame(scores)))
}

# The columns of newdata, or response and domain of the training rows.
augmented_rows <- function(x, newdata) {
  if (inherits(newdata, "dg_source")) {
    abort("argument", "`newdata` must be rows in memory, such as a data frame, not a source; use ",
          "predict() with `to` and `keep`.")
  }
  if (is.list(newdata)) {
    frame <- as.data.frame(newdata, optional = TRUE)
    named <- is.character(attr(frame, "row.names"))
    return(if (named) cbind(.rownames = row.names(frame), frame) else frame)
  }
  if (!is.null(newdata)) return(as.data.frame(as_numeric_matrix(newdata, "newdata")))
  labels <- variable_names(x$blueprint)
  values <- lapply(list(x$rows$labels, x$y, x$domain), function(value) {
    if (!is.null(value)) pad_rows(value, x)
  })
  names(values) <- make.unique(c(".rownames", labels$response, labels$domain))
  as.data.frame(Filter(Negate(is.null), values), optional = TRUE)
}

#' @rdname tidy.domgen
#' @order 1
#' @export
tidy.dg_learner <- function(x, conf.int = FALSE, conf.level = 0.95, ...) {
  enter_session()
  if (check_flag(conf.int, "conf.int")) {
    check_no_dots(list(...), c("conf.int", "conf.level"))
    return(tidy(do.call(dg_coefficients, list(x, level = conf.level), envir = parent.frame())))
  }
  alone(function(x) {
    terms <- model_terms(learner_of(x), x$spec)
    # fitted numbers
    if (is.numeric(terms$value)) as_broom(terms, c(name = "term", value = "estimate")) else terms
  })(x, ...)
}

#' @rdname tidy.domgen
#' @order 1
#' @param effects Of [dg_mixed()]: `"fixed"`, `"ran_pars"` (standard deviations and correlations of
#'   the random effects) or `"ran_vals"` (the effects of the training domains), one or several.
#'   Default: the first two.
#' @param conf.int If `TRUE`, coefficients of a fit of one linear function have the standard errors
#'   and intervals of [dg_coefficients()], in units of the predictors; of [dg_mixed()], intervals of
#'   its engine.
#' @param conf.level Confidence level of `conf.low` and `conf.high`.
#' @export
tidy.dg_mixed <- function(x, effects = c("ran_pars", "fixed"), conf.level = 0.95, conf.int = TRUE,
                          ...) {
  enter_session()
  check_no_dots(list(...), c("effects", "conf.int", "conf.level"))
  check_sealed(x)
  kinds <- c("fixed", "ran_pars", "ran_vals")
  for (name in effects) check_choice(name, "effects", kinds)
  tables <- list(
    fixed = cbind(effect = "fixed", group = NA_character_,
                  coefficient_table(x, check_between(conf.level, "conf.level", 0, 1))),
    ran_pars = random_parameters(x), ran_vals = random_values(x)
  )[intersect(kinds, effects)]
  names <- unique(unlist(lapply(tables, names)))
  if (!check_flag(conf.int, "conf.int")) names <- setdiff(names, c("lower", "upper"))
  as_broom(do.call(rbind, lapply(unname(tables), function(frame) {
    frame[setdiff(names, names(frame))] <- NA_real_
    frame[names]
  })), c(estimate = "estimate"))
}

# With the names of broom.mixed.
random_parameters <- function(x) {
  row <- function(group, term, estimate) {
    data.frame(effect = rep("ran_pars", length(term)), group = rep(group, length(term)),
               term = term, estimate = estimate)
  }
  parts <- lapply(x$random, function(part) {
    sd <- sqrt(diag(part$covariance))
    pairs <- which(lower.tri(part$covariance), arr.ind = TRUE)
    cor <- part$covariance[pairs] / (sd[pairs[, 1L]] * sd[pairs[, 2L]])
    rbind(row(part$title, paste0("sd__", part$columns), unname(sd)),
          row(part$title, paste0("cor__", part$columns[pairs[, 2L]], ".", part$columns[pairs[, 1L]],
                                 recycle0 = TRUE), unname(cor)))
  })
  if (x$family$name == "gaussian") {
    parts <- c(parts, list(row("Residual", "sd__Observation", x$sigma)))
  }
  do.call(rbind, c(list(row("", character(), numeric())), parts))
}

random_values <- function(x) {
  do.call(rbind, c(list(data.frame(effect = character(), group = character(), level = character(),
                                   term = character(), estimate = numeric())),
                   lapply(x$random, function(part) {
    data.frame(effect = "ran_vals", group = part$title,
               level = rep(rownames(part$effects), ncol(part$effects)),
               term = rep(colnames(part$effects), each = nrow(part$effects)),
               estimate = c(part$effects))
  })))
}

# A row per parameter, coefficient or member; else the arguments of the fit.
model_terms <- function(learner, spec) {
  if (!is.null(learner$parameters)) return(learner$parameters)
  terms <- terms_table(describe_fit(learner))
  if (!is.null(terms)) return(terms[order(names(terms) != "member")])
  chained <- !is.null(spec[["projection"]])
  args <- if (chained) spec$learner$args else spec$args
  # with the penalties that the fit selected
  for (name in intersect(c("cost", "lambda"), names(args))) {
    if (is.null(args[[name]])) args[[name]] <- found_penalty(learner, name)
  }
  if (chained) spec$learner$args <- args else spec$args <- args
  parameter_frame(spec)
}

# part, parameter, value (as text).
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
#' @order 1
#' @export
glance.dg_learner <- alone(function(x) {
  frame <- data.frame(method = x$spec$method, nobs = nobs(x), domains = nlevels(x$domain),
                      predictors = count_predictors(x$blueprint), response = x$response$kind)
  facts <- Filter(function(fact) "print" %in% fact$only, describe_fit(x))
  found <- unlist(lapply(facts, `[[`, "columns"), recursive = FALSE)
  as.data.frame(c(frame, found[setdiff(unique(names(found)), names(frame))]), optional = TRUE)
})

#' @rdname tidy.domgen
#' @order 1
#' @export
augment.dg_learner <- function(x, newdata = data, domain = NULL,
                               interval = c("none", "prediction"), level = 0.9, data = NULL, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(augment.dg_learner))[-1L])
  interval <- check_choice(interval, "interval", c("none", "prediction"))
  env <- parent.frame()
  predicted <- function(...) {
    if (is.null(newdata)) predict(x, ...) else predict(x, newdata, domain = domain, ...)
  }
  fitted <- predicted(type = "response")
  frame <- augmented_rows(x, newdata)
  frame$.fitted <- fitted
  # predict() has given the same warnings
  new <- !is.null(newdata) && is.null(data)
  novelty <- if (new) quietly(novelty_of_rows(x, newdata, domain, env))
  if (interval != "none") x <- keep_intervals(x, env)
  if (x$response$kind == "class") {
    prob <- tryCatch(quietly(predicted(type = "prob")),
                     domgen_error_argument = function(e) NULL)
    for (k in seq_along(colnames(prob))) frame[[paste0(".pred_", colnames(prob)[k])]] <- prob[, k]
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
      ends <- quietly(predicted(interval = interval, level = level))
      frame[c(".lower", ".upper")] <- ends[c("lower", "upper")]
    }
  }
  frame$.novelty <- novelty
  as_tbl(frame)
}

#' Columns of tidy(), glance() and augment()
#'
#' Which rows and columns do [tidy(), glance() and augment()][tidy.domgen] give of each result and
#' fit?
#'
#' @section `tidy()` of results:
#' `estimate` is the main number. Where they are known, `std.error` is its standard error,
#' `conf.low` and `conf.high` are its interval, and `p.value` is its p value.
#'
#' | result | a row per | `estimate` |
#' |---|---|---|
#' | [dg_cv()] | domain | none; the score is `score` |
#' | [dg_compare()] | method | difference from the baseline |
#' | [dg_tune()] | combination | mean score |
#' | [dg_auto()] | candidate, the whole first | mean score |
#' | [dg_diagnose()] | question (`what`) | shift, headroom or gain |
#' | [dg_calibration()] | class and bin | observed proportion |
#' | [dg_mmd()], [domain_map()] | pair of domains | squared distance |
#' | [dg_novelty()] | new domain | none; the distance is `statistic` |
#' | [dg_importance()] | predictor and kind | increase |
#' | [dg_effect()] | predictor, class and value | value of the average curve |
#'
#' Further columns:
#' * [dg_cv()]: `domain`, `fold`, `rows`, `score`, further metrics.
#' * [dg_compare()]: `method`, `mean` over domains, `overall` (score of all rows together), mean
#'   `rank`, `p_rank`, `seconds`, `error` (message, if the method failed).
#' * [dg_tune()]: the parameters, `seconds`, `error`, `chosen`.
#' * [dg_auto()]: `member` (`TRUE` if selected), `weight`, `scale`, `kernel`, `domain_kernel`,
#'   `lambda`, `rows` scored, `difference` from the whole and its standard error `difference_se`,
#'   `seconds`.
#' * [dg_calibration()]: `class`, the bounds `low` and `high` of the bin, `rows`, mean `predicted`
#'   probability.
#' * [dg_mmd()], [domain_map()]: `first`, `second`.
#' * [dg_novelty()]: `domain`, `rows`, `farthest` (largest distance of a training domain).
#' * [dg_importance()]: `predictor`, `kind`, `domains`.
#' * [dg_effect()]: `predictor`, `class`, `at`, `category`, `domains`. Curves of single domains are
#'   in `x$domains`.
#'
#' @section `tidy()` of fits:
#' | fit | rows |
#' |---|---|
#' | projection | components: eigenvalue `value` and `residual` |
#' | [dg_gp()] | parameters |
#' | [dg_lm()], [dg_net()] | coefficients (by class, with more than two) |
#' | [dg_mixed()] | coefficients and parameters of random effects, as in broom.mixed |
#' | [dg_ensemble()] | weights of members |
#' | other learners, [dg_pipeline()] | arguments of the fit, as text, with selected penalties |
#'
#' @section `glance()` of fits: `method`, `nobs` (rows), `domains`, `predictors`, and of a learner
#' `response` (its kind) and the numbers that `print()` shows by the same names, with `_` for a
#' space: penalty, support vectors, iterations, deviance, ...; `logLik`, `df`, `AIC`, `BIC` where
#' there is a likelihood.
#'
#' @section `augment()`: The columns of `newdata` or `data`, or of the training rows the response
#' and the domain; row names, if any, as `.rownames`; and:
#'
#' | column | of |
#' |---|---|
#' | `.comp1`, `.comp2`, ... | a projection: components |
#' | `.fitted` | a learner: predictions |
#' | `.resid` | a numeric response, if it is known: response less prediction |
#' | `.pred_<class>` | classes, if the model has probabilities |
#' | `.lower`, `.upper` | `interval = "prediction"`, numeric response: see [set_intervals()] |
#' | `.set` | `interval = "prediction"`, classes: the set as text, separated by commas |
#' | `.novelty` | `newdata` and [domain_distribution()]: p of the domain, see [dg_novelty()] |
#'
#' For a [dg_cv()], `augment()` gives the held-out predictions, with `.pred_<class>` if they have
#' probabilities. Other results have no rows of the data, which is an error.
#' @name tidy_columns
#' @seealso [tidy()][tidy.domgen]
NULL
