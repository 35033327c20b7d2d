#' Summary of a fitted learner
#'
#' @description
#' What was fitted to what, how its parameters were found, and where it errs. Of an ensemble and of
#' [dg_auto()] also its members, of a linear model its coefficients, of a tuning also the best
#' combinations. Coefficients of the rows of kernel machines are left to [coef()].
#'
#' Errors on left-out domains are those that are known without fitting again: of [dg_ridge()],
#' [dg_gp()] and ensembles of them from [dg_lodo()], of a [dg_tune()] or [dg_auto()] from its
#' search. Those of [dg_lodo()] are somewhat too small: scaling, bandwidths and a `lambda` that was
#' chosen have seen all domains. [dg_cv()] learns these anew from the other domains, and finds the
#' errors of other learners.
#'
#' @param object A fitted learner, ensemble or pipeline.
#' @param left_out Ask [dg_lodo()] for the errors on left-out domains? `NULL`: for at most 5,000
#'   rows, which takes it a few seconds.
#' @param ... Must be empty.
#' @return An object of class `summary.dg_learner`, a list with
#'   \item{size}{data frame of one line: `rows` that were fitted to, rows `dropped` by `na.action`,
#'     `predictors` (columns), `domains`, rows of the `smallest`, `median` and `largest` domain}
#'   \item{response}{named numbers: `mean`, `sd`, `min`, `max`, or rows of each class}
#'   \item{predictors}{data frame: `predictor`, `min`, `mean`, `max` over the training rows, in
#'     units of the data; `NULL` where no rows are kept or they are scaled by domain or rank}
#'   \item{parameters}{data frame: `parameter`, `value` in words, and `how` it was found}
#'   \item{relevance}{data frame, where the kernel has a bandwidth per predictor: `predictor`, its
#'     bandwidth `bandwidth` after scaling, and `relevance`, 1 / sigma as a share of the largest:
#'     how fast the function can change along it. `NULL` elsewhere}
#'   \item{kappa}{named numbers, where the kernel between domains is known as a matrix: `mean`,
#'     `min` and `max` of kappa(P, P') / sqrt(kappa(P, P) kappa(P', P')) over pairs of training
#'     domains, what a row of another domain counts beside one of the own; and `effective`, the
#'     number of domains over the mean of that matrix's rows' sums: G where all are separate, 1
#'     where they are pooled}
#'   \item{support}{named numbers, of a machine with sparse coefficients: support `vectors` and
#'     their `share` of the rows}
#'   \item{errors}{data frame of the metric's mean over domains, its standard error `se` and the
#'     value over all rows (`overall`), in left-out domains where known and on the training rows; of
#'     a [dg_auto()] the score to expect on a new domain, its `choice$expected`}
#'   \item{domains}{data frame: `domain`, `rows`, the metric `left_out` and on its `training` rows;
#'     the worst domain first}
#'   \item{likelihood}{of a Gaussian process, named numbers: `log_likelihood`, `df` (parameters that
#'     were fitted), `aic`, `bic`; else `NULL`}
#'   \item{terms}{data frame of members or coefficients, see [tidy()][tidy.domgen], or `NULL`}
#'   and `fit`, `metric` (its title), `unknown` (why errors on left-out domains are not known, or
#'   `NULL`) and `by` (`"lodo"` or `"tuning"` where it found them, or `NULL`).
#' @examples
#' # weights of chicks on four diets, each a domain
#' summary(dg_ridge(weight ~ Time | Diet, data = ChickWeight))
#' @export
summary.dg_learner <- function(object, left_out = NULL, ...) {
  check_no_dots(list(...), "left_out")
  if (!is.null(left_out)) left_out <- check_flag(left_out, "left_out")
  env <- parent.frame()
  from_whole(object, summarise_learner(object, left_out, env))
}

summarise_learner <- function(object, left_out, env) {
  metric <- summary_metric(object)
  known <- known_left_out(object, left_out, env)
  within <- training_scores(object, metric)
  learner <- learner_of(object)
  structure(list(
    fit = object, metric = metric$title, unknown = known$unknown, by = known$by,
    size = size_of(object),
    response = response_numbers(object$y), predictors = predictor_ranges(object),
    parameters = parameters_found(object), relevance = relevance_of(learner$space$kernel, object),
    kappa = kappa_numbers(learner$space$domain_kernel), support = support_vectors(learner),
    errors = error_lines(known, within),
    domains = domain_lines(known, within, metric, rows_of_domains(object)),
    terms = summary_terms(object), likelihood = likelihood_of(learner)
  ), class = "summary.dg_learner")
}

size_of <- function(object) {
  sizes <- rows_of_domains(object)
  if (is.null(sizes)) sizes <- NA_real_
  padded <- object$rows$padded
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

response_numbers <- function(y) {
  if (is.null(y) || is_censored(y)) return(NULL)
  if (is.factor(y)) return(vapply(split(y, y), length, 0L))
  c(mean = mean(y), sd = stats::sd(y), min = min(y), max = max(y))
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
  if (scaling$kind == "pooled") range <- sweep(sweep(range, 2L, scaling$scale, "*"), 2L,
                                               scaling$centre, "+")
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

support_vectors <- function(learner) {
  if (is.null(learner$gap) || !is.null(learner$space$feature_map)) return(NULL)
  in_use <- rowSums(as.matrix(learner$coefficients) != 0) > 0
  c(vectors = sum(in_use), share = mean(in_use))
}

likelihood_of <- function(learner) {
  if (is.null(learner[["log_likelihood"]])) return(NULL)
  found <- logLik(learner)
  c(log_likelihood = as.numeric(found), df = attr(found, "df"), aic = stats::AIC(found),
    bic = stats::BIC(found))
}

# Members or coefficients, which are few.
summary_terms <- function(object) {
  table <- object$choice$table
  if (!is.null(table)) {
    table <- table[table$member %in% TRUE, ]
    return(data.frame(weight = table$weight, mean = table$mean,
                      member = describe_candidates(table), row.names = NULL))
  }
  terms <- model_terms(learner_of(object), object$spec)
  if (any(c("member", "estimate") %in% names(terms))) terms
}

# ---- errors -----------------------------------------------------------------------------------

# That by which the model was chosen, or the first of those for its response.
summary_metric <- function(object) {
  for (part in c("tuning", "choice", "held_out")) {
    if (!is.null(object[[part]]$metric)) return(object[[part]]$metric)
  }
  y <- if (is.null(object$y)) kind_of_response(object$response) else object$y
  read_plain_metrics(NULL, y)[[1L]]
}

# list(scores: by domain, mean where it is not theirs, overall, se, by), or list(unknown: why).
known_left_out <- function(object, left_out, env) {
  if (isTRUE(object$choice$few)) return(list(unknown = "one domain says nothing of others"))
  searched <- searched_errors(object)
  if (!is.null(searched)) return(searched)
  if (is.null(left_out)) left_out <- nobs(object) <= 5000
  if (!left_out) return(list(unknown = "not asked for: summary(left_out = TRUE), or dg_cv()"))
  # the data of the call are sought where the user is
  found <- on_error(eval(quote(dg_lodo(.fit)), list(.fit = object), env), function(e) {
    if (!inherits(e, "domgen_error")) stop(e)
    list(unknown = "not known without fitting again, see dg_cv()")
  })
  if (!is.null(found$unknown)) return(found)
  list(scores = stats::setNames(found$domains$score, found$domains$domain), se = found$se,
       overall = found$overall, by = "dg_lodo")
}

# What a search left behind of its choice, NULL without one. A tuning has the score of its choice,
# which is too good; dg_auto() the score to expect, of which the scores by domain, those of the
# search's rows, are a part.
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

# The same on the rows of training, or NULL.
training_scores <- function(object, metric) {
  values <- object$decision
  if (is.null(object$y) || is.null(object$domain) || NROW(values) != length(object$y) ||
        length(metrics_need(list(metric)))) return(NULL)
  rows <- data.frame(row = seq_along(object$y), domain = object$domain, fold = 1L, rep = 1L,
                     truth = object$y, stringsAsFactors = FALSE)
  object$calibration <- NULL
  rows <- add_responses(rows, targets_of(object), values, levels(object$y))
  found <- score_left_out(rows, list(score = metric))
  list(scores = stats::setNames(found[, 1L], rownames(found)),
       overall = score(as.list(rows), metric))
}

error_lines <- function(known, within) {
  line <- function(rows, found, se) {
    if (is.null(found$scores)) return(NULL)
    mean <- if (is.null(found$mean)) mean(found$scores, na.rm = TRUE) else found$mean
    data.frame(rows = rows, mean = mean, se = se, overall = found$overall)
  }
  rbind(line("left-out domains", known, known$se), line("training", within, NA_real_))
}

domain_lines <- function(known, within, metric, sizes) {
  if (is.null(known$scores) && is.null(within)) return(NULL)
  names <- names(if (is.null(within)) known$scores else within$scores)
  of <- function(scores) if (is.null(scores)) NA_real_ else unname(scores[names])
  frame <- data.frame(domain = names, rows = of(sizes), left_out = of(known$scores),
                      training = of(within$scores))
  ranked <- losses(if (is.null(known$scores)) frame$training else frame$left_out, metric$better)
  data.frame(frame[order(-ranked), ], row.names = NULL)
}
