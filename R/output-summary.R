#' Summaries of fits and evaluations
#'
#' @description
#' `summary()` of a fitted learner shows what `print()` shows of it, how its parameters were found,
#' and its errors by domain; for an ensemble or [dg_auto()] also the members, for a linear model the
#' coefficients. Coefficients of kernel models are returned by [coef()].
#'
#' `summary()` of a projection shows its components and the variance between domains before and
#' after. Summaries of results: [summary.dg_cv()].
#'
#' @details
#' Errors on held-out domains are shown if they are available without fitting again: from [dg_cv()]
#' in closed form for [dg_ridge()], [dg_glm()], [dg_gp()] and ensembles of them, and from the search
#' for [dg_tune()] and [dg_auto()]. Those in closed form are slightly optimistic, because scaling,
#' bandwidths and a chosen `lambda` come from all domains. [dg_cv()] learns these again from the
#' other domains, and evaluates all learners. Standard errors: see [standard_errors].
#'
#' @param object A fitted learner, ensemble, pipeline or projection.
#' @param left_out If `TRUE`, errors on held-out domains are computed in [closed_form]. `NULL`
#'   (default): for at most 5,000 rows, which takes a few seconds.
#' @param ... Empty.
#' @return `summary()` of a **fitted learner**: an object of class `summary.dg_learner`, a list with
#'   \item{size}{data frame of one row: fitted `rows`, rows `dropped` by `na.action`, `predictors`
#'     (columns), `domains`, and rows of the `smallest`, `median` and `largest` domain}
#'   \item{response}{named numbers: `mean`, `sd`, `min`, `max`, or rows of each class}
#'   \item{predictors}{data frame: `predictor`, `min`, `mean`, `max` over the training rows, in
#'     units of the data; `NULL` if no rows are kept, or if they are scaled by domain or rank}
#'   \item{parameters}{data frame: `parameter`, `value` (as text), and `how` it was found}
#'   \item{relevance}{data frame, if the kernel has one bandwidth per predictor: `predictor`,
#'     `bandwidth` after scaling, and `relevance`, 1 / bandwidth relative to the largest: how fast
#'     the function can change along the predictor. Else `NULL`}
#'   \item{kappa}{named numbers, if the domain kernel is known as a matrix: `mean`, `min` and `max`
#'     of kappa(P, P') / sqrt(kappa(P, P) kappa(P', P')) over pairs of training domains, the weight
#'     of a row of another domain relative to a row of the same domain; and `effective`, the
#'     effective number of domains, G^2 over the sum of that matrix: G if domains are unrelated, 1
#'     if they are pooled}
#'   \item{support}{named numbers, for sparse coefficients: number of support `vectors` and their
#'     `share` (proportion) of the rows}
#'   \item{errors}{data frame, one row for held-out domains (if known) and one for the training
#'     rows: `mean` of the metric over domains, its standard error `se`, and its value over all rows
#'     (`overall`); for [dg_auto()] the estimated score on new domains, its `choice$expected`}
#'   \item{domains}{data frame: `domain`, `rows`, the metric when held out (`left_out`) and on its
#'     `training` rows; the worst domain first}
#'   \item{likelihood}{for [dg_gp()], named numbers: `log_likelihood`, `df` (number of fitted
#'     parameters), `aic`, `bic`; else `NULL`}
#'   \item{terms}{data frame of members or coefficients, see [tidy()][tidy.domgen], or `NULL`} and
#'   `fit`, `metric` (its title), `unknown` (why errors on held-out domains are not known, or
#'   `NULL`) and `by` (their source, `"closed form"` or `"tuning"`, or `NULL`).
#'
#'   For a **projection**: class `summary.dg_projection`, a list with
#'   \item{components}{data frame: `eigenvalue` and `residual` of each component}
#'   \item{theorem5}{tr(B'KQKB) and tr(B'KB), the quantities in the bound on the generalisation
#'     error (DICA paper, theorem 5): the smaller, the tighter}
#'   \item{variance}{matrix: total variance, distributional variance and their ratio, in the feature
#'     space before the projection and on the components} and `projection`, the model.
#' @seealso [summary.dg_cv()] for results
#' @examples
#' # weights of chicks on four diets; each diet is a domain
#' summary(dg_ridge(weight ~ Time | Diet, data = ChickWeight))
#'
#' summary(dg_udica(~ . | Species, data = iris))
#' @order 1
#' @export
summary.dg_learner <- function(object, left_out = NULL, ...) {
  enter_session()
  check_no_dots(list(...), "left_out")
  if (!is.null(left_out)) left_out <- check_flag(left_out, "left_out")
  env <- parent.frame()
  from_whole(object, summarise_learner(object, left_out, env))
}

summarise_learner <- function(object, left_out, env) {
  metric <- summary_metric(object)
  held_out <- known_left_out(object, left_out, env)
  within <- training_scores(object, metric)
  learner <- learner_of(object)
  structure(list(
    fit = object, metric = metric$title, unknown = held_out$unknown, by = held_out$by,
    size = size_of(object),
    response = response_numbers(object$y), predictors = predictor_ranges(object),
    parameters = parameters_found(object), relevance = relevance_of(learner$space$kernel, object),
    kappa = kappa_numbers(learner$space$domain_kernel), support = support_vectors(learner),
    errors = error_lines(held_out, within),
    domains = domain_lines(held_out, within, metric, rows_of_domains(object)),
    terms = summary_terms(object), likelihood = likelihood_of(learner)
  ), class = "summary.dg_learner")
}

size_of <- function(object) {
  sizes <- rows_of_domains(object)
  if (is.null(sizes)) sizes <- NA_real_
  # an adapted model has not lost its rows without a label
  padded <- if (is.null(object$labelled)) object$rows$padded
  data.frame(rows = nobs(object), dropped = if (is.null(padded)) 0L else padded - nobs(object),
             predictors = count_predictors(object$blueprint), domains = nlevels(object$domain),
             smallest = min(sizes), median = stats::median(sizes), largest = max(sizes))
}

# By name, or NULL: of a source the rows are not kept.
rows_of_domains <- function(object) {
  if (is.null(object$domain)) return(NULL)
  sizes <- if (is.null(object$rows$sizes)) tabulate(object$domain) else object$rows$sizes
  stats::setNames(sizes, levels(object$domain))
}

# Back in the units of the data, where one line scales them all.
predictor_ranges <- function(object) {
  scaling <- object$blueprint$scaling
  X <- learner_of(object)$space$X
  if (is.null(X) || !is.null(object$projection) || length(scaling$kind) > 1L ||
        !isTRUE(scaling$kind %in% c("pooled", "none"))) return(NULL)
  # what stands behind them, codes and offsets, is not scaled
  scaled <- seq_along(scaling$scale)
  range <- apply(X[, scaled, drop = FALSE], 2L, function(x) c(min(x), mean(x), max(x)))
  if (scaling$kind == "pooled") {
    unit <- if (is.null(scaling$weights)) scaling$scale else scaling$scale / scaling$weights
    range <- sweep(sweep(range, 2L, unit, "*"), 2L, scaling$centre, "+")
  }
  data.frame(predictor = object$blueprint$columns[scaled], min = range[1L, ],
             mean = range[2L, ], max = range[3L, ], row.names = NULL)
}

relevance_of <- function(kernel, object) {
  bandwidth <- if (is.list(kernel)) unclass(kernel)$bandwidth
  names <- object$blueprint$columns
  if (length(bandwidth) < 2L || length(bandwidth) != length(names)) return(NULL)
  frame <- data.frame(predictor = names, bandwidth = bandwidth,
                      relevance = min(bandwidth) / bandwidth)
  data.frame(frame[order(-frame$relevance), ], row.names = NULL)
}

# The matrix of kappa, scaled to one on its diagonal.
kappa_numbers <- function(domain_kernel) {
  kappa <- if (is.list(domain_kernel)) unclass(domain_kernel)$kappa
  if (!is.matrix(kappa) || nrow(kappa) < 2L || nrow(kappa) != ncol(kappa)) return(NULL)
  kappa <- kappa / sqrt(outer(diag(kappa), diag(kappa)))
  between <- kappa[upper.tri(kappa)]
  c(mean = mean(between), min = min(between), max = max(between),
    effective = nrow(kappa)^2 / sum(kappa))
}

# Members or coefficients, which are few.
summary_terms <- function(object) terms_table(describe_fit(learner_of(object)))

# The data frame among facts, or NULL.
terms_table <- function(facts) {
  tables <- Filter(is.data.frame, lapply(facts, `[[`, "value"))
  if (length(tables)) tables[[1L]]
}

# ---- errors -----------------------------------------------------------------------------------

# The metric by which the model was chosen, or the first for its response.
summary_metric <- function(object) {
  for (part in c("tuning", "choice", "held_out")) {
    if (!is.null(object[[part]]$metric)) return(object[[part]]$metric)
  }
  y <- if (is.null(object$y)) kind_of_response(object$response) else object$y
  read_single_metric(NULL, y)[[1L]]
}

# list(scores: by domain, mean where it is not theirs, overall, se, by), or list(unknown: why).
known_left_out <- function(object, left_out, env) {
  if (isTRUE(object$choice$few)) return(list(unknown = "a single domain says nothing about others"))
  searched <- searched_errors(object)
  if (!is.null(searched)) return(searched)
  if (is.null(left_out)) left_out <- nobs(object) <= 5000
  if (!left_out) return(list(unknown = "not computed: use summary(left_out = TRUE) or dg_cv()"))
  # the data of the call are sought where the user is
  further <- list(unknown = "they need further fits, see dg_cv()")
  if (read_refit(NULL, object, NULL, NULL)) return(further)
  cv <- on_error(closed_cv(object, NULL, env), function(e) {
    if (inherits(e, "domgen_error")) further else stop(e)
  })
  if (!is.null(cv$unknown)) return(cv)
  list(scores = stats::setNames(cv$domains$score, cv$domains$domain), se = cv$se,
       overall = cv$overall, by = "closed form")
}

# Scores that a search keeps of its choice; NULL without a search. Those of a tuning are optimistic.
# dg_auto() has the expected score, and scores by domain of the rows of its search.
searched_errors <- function(object) {
  tuning <- object$tuning
  scores <- if (!is.null(tuning)) tuning$scores[, tuning$chosen]
            else if (!is.null(object$choice)) object$choice$scores[, 1L]
            else object$held_out$scores[, 1L]
  if (is.null(scores)) return(NULL)
  expected <- object$choice$expected
  c(list(scores = scores, overall = NA_real_),
    if (!is.null(tuning)) list(se = tuning$table$se[tuning$chosen], by = "tuning")
    else if (!is.null(expected)) list(mean = expected$mean, se = expected$se)
    else list(se = mean_error(scores)$se))
}

# The scores on the rows of training, or NULL.
training_scores <- function(object, metric) {
  values <- object$decision
  if (is.null(object$y) || is.null(object$domain) || NROW(values) != length(object$y) ||
        length(metrics_need(list(metric)))) return(NULL)
  predictions <- data.frame(row = seq_along(object$y), domain = object$domain, fold = 1L, rep = 1L,
                            truth = object$y, stringsAsFactors = FALSE)
  object$calibration <- NULL
  predictions <- add_responses(predictions, targets_of(object), values, levels(object$y))
  scores <- score_left_out(predictions, list(score = metric))
  list(scores = stats::setNames(scores[, 1L], rownames(scores)),
       overall = score(as.list(predictions), metric))
}

error_lines <- function(held_out, within) {
  line <- function(label, of, se) {
    if (is.null(of$scores)) return(NULL)
    mean <- if (is.null(of$mean)) mean(of$scores, na.rm = TRUE) else of$mean
    data.frame(rows = label, mean = mean, se = se, overall = of$overall)
  }
  rbind(line("held-out domains", held_out, held_out$se), line("training", within, NA_real_))
}

domain_lines <- function(held_out, within, metric, sizes) {
  if (is.null(held_out$scores) && is.null(within)) return(NULL)
  names <- names(if (is.null(within)) held_out$scores else within$scores)
  of <- function(scores) if (is.null(scores)) NA_real_ else unname(at_labels(scores, names))
  frame <- data.frame(domain = names, rows = of(sizes), left_out = of(held_out$scores),
                      training = of(within$scores))
  ranked <- losses(if (is.null(held_out$scores)) frame$training else frame$left_out, metric$better)
  data.frame(frame[order(-ranked), ], row.names = NULL)
}
