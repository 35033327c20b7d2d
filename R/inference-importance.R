#' Importance of predictors within and between domains
#'
#' @description
#' The increase of the loss on held-out domains when a predictor is permuted. A predictor is a
#' property of the row (its position within the domain) and one of the domain (which values the
#' domain has). `dg_importance()` permutes the one, the other, or both:
#'
#' | `kind` | values of a row | description of its domain |
#' |---|---|---|
#' | `"within"` | those of another row of its domain | unchanged |
#' | `"between"` | those of another domain, at the same rank | by the other domain's values |
#' | `"both"` | those of a random row of another domain | by the other domain's values |
#' | `"context"` | unchanged | by the other domain's values |
#'
#' The description of a domain is what the model computes from the domain's rows: kernel mean, mean
#' and standard deviation for scaling, `domain_means`. `"context"` is 0 for a model without one.
#'
#' @details
#' Intervals are for the mean increase over new domains exchangeable with those of the data, of
#' models trained on as many domains. [permutation_importance] has formulas, the relation to the
#' coefficients of a linear model, and what happens with correlated predictors: importance is
#' divided among them unless they are permuted together, `predictors = list(size = c("height",
#' "weight"))`.
#'
#' @param y,domain,weights,na.action,progress,... As in [all methods][dg_arguments].
#' @param object A specification (a method without data, such as `dg_ridge()`), or a fitted model,
#'   whose specification is fitted again without each fold; or a workflow with [domain_learner()],
#'   fitted as a whole without each fold. Its predictors are permuted before its recipe.
#' @param x Formula `y ~ x1 + x2 | domain` with `data`, or a numeric matrix n x p or data frame of
#'   predictors with `y` and `domain`. If missing, the data of the fitted model `object`.
#' @param data Data frame with the variables of the formula. Rows must be in memory: not a
#'   [row_source()].
#' @param folds Folds of whole domains, as in [dg_cv()].
#' @param metric One score of [dg_cv()]. Default `NULL`: the mean squared error, whose increases add
#'   up, or for classes the accuracy. If higher is better, the increase is the fall of the score.
#' @param kind One or more of `"within"`, `"between"`, `"both"`, `"context"`.
#' @param predictors Names of columns, or a list of such names, each element permuted as a whole.
#'   Default `NULL`: all columns, one at a time.
#' @param permutations Number of permutations of each predictor in each domain. Default 10.
#' @param level Nominal coverage of the intervals. Default 0.95.
#' @param refits If `TRUE`, the model is also fitted without each pair of folds, for the intervals:
#'   up to 45 more fits. Default `FALSE`.
#' @return An object of class `dg_importance`, a list with
#'   \item{table}{data frame, a row per predictor and kind, largest increase first: `predictor`,
#'     `kind`, `increase` (mean over domains), `se`, `lower`, `upper`, `domains` (number of domains
#'     with an increase)}
#'   \item{domains}{data frame, a row per domain, predictor and kind: `domain`, `predictor`, `kind`,
#'     `increase` (`NA` for `"within"` in a domain of one row)}
#'   \item{scores}{data frame, a row per domain: `domain`, `rows`, `score` without permutation}
#'   \item{failed}{data frame of `fold`, `rep` and the `error` message of folds that failed, whose
#'     domains have no increase, or `NULL`; [dg_resume()] tries them again}
#'   \item{metric, kinds, predictors, permutations, level, refits}{the arguments as interpreted}
#'   \item{fits, seconds}{number of fits, and the time they took}
#'   \item{held_out, labels, warnings, spec}{as in the result of [dg_cv()]}
#' @section Errors:
#' Those of [dg_cv()]; a [row_source()]; folds that split domains; a column that does not exist or
#' is a matrix; a metric that needs a predictive density or intervals.
#' @seealso [permutation_importance], [plot()][plot.dg_importance], [dg_effect()] for direction and
#'   form, [set_reference()] for the description of a domain
#' @examples
#' # status, sex and minority of pupils, and of their schools
#' pupils <- as.data.frame(nlme::MathAchieve)
#' pupils <- subset(pupils, School %in% levels(School)[seq(1, 160, 8)])
#' importance <- dg_importance(dg_lm(domain_means = TRUE), MathAch ~ SES + Sex + Minority | School,
#'                             data = pupils, folds = 5, permutations = 5)
#' importance
#' plot(importance)
#' @export
dg_importance <- function(object, x, y = NULL, domain = NULL, data = NULL, weights = NULL,
                          folds = NULL, metric = NULL, kind = c("within", "between", "both"),
                          predictors = NULL, permutations = 10, level = 0.95, refits = FALSE,
                          na.action = stats::na.omit, progress = NULL, ...) {
  enter_session()
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_importance)))
  check_given(object, "object")
  if (length(kind) == 0L) check_choice(kind, "kind", importance_kinds)
  object <- inner_spec(object)
  kinds <- if (is.vector(kind)) as.list(kind) else list(kind)
  for (one in kinds) check_choice(one, "kind", importance_kinds)
  wanted <- list(kinds = intersect(importance_kinds, unlist(kind)), level = check_level(level),
                 permutations = check_count(permutations, "permutations", at_most = 10000L))
  spec <- read_evaluated(object)
  input <- cv_input(call, object, parent.frame())
  if (!is.null(input$source)) {
    abort("argument", "`data` must be rows in memory, not a row_source().")
  }
  plan <- read_plan(list(spec), input, folds, NULL, refits, progress)
  plan$metric <- importance_metric(metric, plan$task$y, spec)
  if (inherits(plan$folds, "domgen_time_folds")) {
    abort("argument", "`folds` must not have time: values of a domain are permuted over all of ",
          "its rows.")
  }
  plan$splits <- fold_splits(plan$folds, plan$task)
  if (!holds_domains(plan$splits, plan$task$domain)) {
    abort("argument", "`folds` must hold out whole domains, but a domain has rows in training and ",
          "held out.")
  }
  plan$pairs <- if (plan$refits) pairs_of_folds(plan$splits, plan$task$domain)
  plan$groups <- read_predictors(predictors, plan$task$predictors, as_newdata(plan$task$input))
  plan <- c(plan, wanted)
  resumable(function(ctx) {
    domains <- levels(droplevels(plan$task$domain))
    plan$donors <- stored(ctx, "donors", draw_donors(domains, plan$permutations))
    splits <- c(plan$splits, plan$pairs$splits)
    seeds <- stored(ctx, "seeds", draw_seeds(length(splits)))
    pieces <- lapply(seq_along(splits), function(k) {
      list(key = paste("fold", k), split = splits[[k]], seed = seeds[k],
           label = method_of(spec)$title)
    })
    new_importance(plan, run_pieces(pieces, importance_worker(plan), ctx))
  }, plan$progress)
}

importance_kinds <- c("within", "between", "both", "context")

# Increases of squared errors add up.
squared_error <- list(kind = "number", better = "low", title = "mean squared error",
                      rows = function(d) (d$truth - d$prediction)^2)

# A named list of one.
importance_metric <- function(metric, y, spec) {
  if (is.null(metric) && is.numeric(y)) return(list(mse = squared_error))
  metrics <- read_metrics(metric, y)
  if (length(metrics) > 1L) {
    abort("argument", "`metric` must be one score, not ", length(metrics), ".")
  }
  if (any(c("se", "interval", "survival") %in% metrics_need(metrics))) {
    abort("argument", "`metric` must be a score of predictions, decision values or probabilities, ",
          "not \"", names(metrics), "\".")
  }
  check_metrics_fit(metrics, spec, nlevels(y))
  metrics
}

# columns: of `data`, those that are predictors. A named list of columns that are permuted together.
read_predictors <- function(predictors, columns, data) {
  groups <- if (is.null(predictors)) columns else predictors
  if (is.character(groups)) groups <- as.list(groups)
  if (!is.list(groups) || !length(groups) || !all(vapply(groups, is.character, NA)) ||
        !all(lengths(groups))) {
    abort("argument", "`predictors` must be names of columns or a list of them, not ",
          describe(predictors), ".")
  }
  other <- setdiff(unlist(groups), columns)
  if (length(other)) {
    abort("argument", "`predictors` must be among ", enumerate(columns, 12L), ", not ",
          enumerate(other), ".")
  }
  if (is.data.frame(data)) for (name in unlist(groups)) check_single_column(data[[name]], name)
  groups <- lapply(groups, unique)
  given <- if (is.null(names(groups))) rep("", length(groups)) else names(groups)
  joined <- vapply(groups, paste, "", collapse = " + ")
  names(groups) <- ifelse(given %in% c("", NA), joined, given)
  groups[!duplicated(names(groups))]
}

check_single_column <- function(column, name) {
  if (length(dim(column)) < 2L && !is.list(column)) return(invisible())
  abort("argument", "`predictors` must be columns of single values; `", name, "` is ",
        describe(column), ". Give each of its columns its own name in `data`.")
}

# ---- increases by domain to their means over domains, with intervals --------------------------

# results: by fold, then by pair of folds, list(scores, moved, seconds, warnings).
new_importance <- function(plan, results) {
  failed <- failed_importance(plan, results)
  if (failed$pairs) plan["pairs"] <- list(NULL)
  pairs <- if (!is.null(plan$pairs)) results[-seq_along(plan$splits)]
  results <- results[seq_along(plan$splits)]
  scores <- do.call(rbind, lapply(results, `[[`, "scores"))
  moved <- do.call(rbind, lapply(results, `[[`, "moved"))
  if (any(is.infinite(c(scores$score, moved$score)))) {
    warn("score", "The ", plan$metric[[1L]]$title, " of some domains is infinite, so increases ",
         "are infinite or NA: scale the response, or use a `metric` that does not overflow.")
  }
  # a single row cannot be permuted within its domain
  alone <- scores$rows[match(moved$domain, scores$domain)] < 2L
  moved$increase[moved$kind == "within" & alone] <- NA_real_
  task <- plan$task
  share <- train_share(plan$splits, rep(1, length(task$y)))
  domains <- levels(droplevels(task$domain))
  crossed <- crossed_by(task, domains)
  names <- names(plan$groups)
  cells <- expand.grid(kind = plan$kinds, predictor = names, stringsAsFactors = FALSE)
  parts <- lapply(seq_len(nrow(cells)), function(i) {
    of_cell <- function(moved) {
      moved[moved$predictor == cells$predictor[i] & moved$kind == cells$kind[i], ]
    }
    mean_increase(of_cell(moved), domains, share, plan$level, crossed,
                  increases_without(plan$pairs, lapply(pairs, function(p) of_cell(p$moved)),
                                    factor(task$domain, domains)))
  })
  table <- data.frame(cells[c("predictor", "kind")], do.call(rbind, lapply(parts, `[[`, "line")))
  by_domain <- data.frame(domain = domains, cells[rep(seq_along(parts), each = length(domains)),
                                                  c("predictor", "kind")],
                          increase = unlist(lapply(parts, `[[`, "increase")), row.names = NULL)
  # the mean over repeats
  before <- data.frame(domain = domains, rows = tabulate(factor(task$domain, domains)),
                       score = c(tapply(scores$score, factor(scores$domain, domains), mean)),
                       row.names = NULL)
  structure(list(
    table = by_size(table), domains = by_domain, scores = before, failed = failed$folds,
    metric = plan$metric, kinds = plan$kinds,
    predictors = plan$groups, permutations = plan$permutations, level = plan$level,
    fits = length(results) + length(pairs), refits = !is.null(plan$pairs),
    seconds = sum(vapply(c(results, pairs), `[[`, 0, "seconds")),
    held_out = held_out(plan$splits, task), labels = task$labels,
    warnings = table(unlist(lapply(results, `[[`, "warnings"))), spec = plan$specs[[1L]]
  ), class = c("dg_importance", "dg_result"))
}

# From fits without a domain's own group and another, see scores_without(); NULL without such fits.
# lines: of a predictor and kind, by pair of groups; domain: of each row.
increases_without <- function(pairs, lines, domain) {
  if (is.null(pairs)) return(NULL)
  scores_without(pairs, lapply(lines, function(line) {
    cbind(increase = tapply(line$increase, line$domain, known_mean))
  }), domain)$increase
}

# moved: lines of a predictor and kind; crossed: levels that domains share; without: increases by
# fits without two groups, see mean_error(). list(line, increase: by domain)
mean_increase <- function(moved, domains, share, level, crossed = NULL, without = NULL) {
  by <- function(of) {
    c(tapply(moved$increase, factor(moved[[of]], domains), known_mean))
  }
  increase <- by("domain")
  values <- if (moved$kind[1L] == "within") increase else pseudovalues(increase, by("donor"))
  # infinite scores, from a model that overflows, have no interval
  error <- mean_error(values, without, share, crossed = crossed, scores = increase)
  interval <- skewed_interval(known_mean(increase), error, level)
  list(line = data.frame(increase = known_mean(increase), se = error$se, lower = interval[1L],
                         upper = interval[2L], domains = sum(!is.na(increase))),
       increase = unname(increase))
}

# Jackknife pseudovalues of a mean over pairs of domains. taken: means of pairs in which a domain
# takes the values; given: in which it gives them. Two domains are only one pair.
pseudovalues <- function(taken, given) {
  G <- sum(!is.na(taken))
  if (G < 3L) return(rep(NA_real_, length(taken)))
  mean <- known_mean(taken)
  given[is.na(given)] <- mean
  mean + (G - 1) / (G - 2) * (taken + given - 2 * mean)
}

# Predictors by their largest increase, kinds in their order.
by_size <- function(table) {
  largest <- tapply(table$increase, table$predictor, function(v) {
    if (all(is.na(v))) -Inf else max(v, na.rm = TRUE)
  })
  place <- match(table$predictor, unique(table$predictor))
  data.frame(table[order(-largest[table$predictor], place), ], row.names = NULL)
}

# list(folds: as in failed_folds(), pairs: did a fit without two folds fail?), with a warning; an
# error if all folds failed.
failed_importance <- function(plan, results) {
  folds <- seq_along(plan$splits)
  failed <- vapply(results, has_failed, NA)
  if (all(failed[folds])) stop(results[[1L]]$error)
  run <- list(failed = failed_folds(plan$splits, results[folds]), fits = data.frame(fold = folds))
  warn_failed(list(run))
  lost <- results[-folds][failed[-folds]]
  if (length(lost)) {
    warn("failed", "Intervals are as with `refits = FALSE`, because ", plural(length(lost), "fit"),
         " without two folds failed: ", sub("[.]*$", ".", conditionMessage(lost[[1L]]$error)))
  }
  list(folds = run$failed, pairs = length(lost) > 0L)
}

#' Permutation importance with domains
#'
#' What the increases of [dg_importance()] estimate, and how their intervals allow for domains.
#'
#' @section Definition:
#' Let f be fitted without the domains of a fold, \eqn{P_x}{P_x} describe
#' held-out domain g by its rows x, \eqn{T_{gh}}{T_gh} replace the predictor's values by those of
#' domain h at the same ranks, and \eqn{\pi} permute rows within the domain. With the loss \eqn{L_g}
#' of domain g,
#' \deqn{I_{gh} = L_g\{f(T_{gh} x, P_{T_{gh}x})\} - L_g\{f(x, P_x)\}}{ I_gh = L_g(f(T_gh x, P_{T_gh
#'   x})) - L_g(f(x, P_x))} for `"between"`. The first term is \eqn{f(\pi x, P_x)} for `"within"`,
#'   \eqn{f(\pi T_{gh}x, P_{T_{gh}x})}{f(pi T_gh x, P_{T_gh x})} for `"both"` and \eqn{f(x,
#'   P_{T_{gh}x})}{f(x, P_{T_gh x})} for `"context"`. The increase of a domain is the mean over
#'   `permutations`, that of a predictor the mean over domains, equally weighted.
#'
#' \eqn{\pi} gives each row the value of every other row with the same probability and never its
#' own; h is drawn from the other domains in the same way. So the expectation over draws is the
#' unbiased estimate \eqn{e_{switch} - e_{orig}}{e_switch - e_orig} of the model reliance of Fisher,
#' Rudin and Dominici (2019, equation 2.4 and section 3). Model reliance generalises the permutation
#' importance of Breiman (2001, section 10) from trees to all models.
#'
#' **In a linear model.** If \eqn{y = a (x - m_g) + b\, m_g + \ldots}{y = a (x - m_g) + b m_g + ...}
#' with the domain's mean \eqn{m_g}{m_g}, the model has the right a and b, the loss is the squared
#' error and predictors are uncorrelated,
#' \deqn{I_{within} = 2 a^2 \sigma_W^2, \quad I_{between} = 2 b^2 \sigma_B^2, \quad
#'   I_{both} = I_{within} + I_{between}, \quad I_{context} = 2 (b - a)^2 \sigma_B^2}{
#'   I_within = 2 a^2 s_W^2,  I_between = 2 b^2 s_B^2,  I_both = I_within + I_between,
#'   I_context = 2 (b - a)^2 s_B^2}
#' with the variance \eqn{\sigma_W^2}{s_W^2} of rows within domains and \eqn{\sigma_B^2}{s_B^2} of
#' domain means.
#'
#' **Correlated predictors.** As with every permutation importance, rows are predicted that do not
#' exist, and importance is divided among correlated predictors. Permute them together:
#' `predictors = list(size = c("height", "weight"))`.
#'
#' **Ranks.** Numbers, logical values and ordered factors keep their ranks (ties at random). For
#' categories without an order, as many rows keep their category as the other domain has of it, and
#' the rest are permuted. Columns of the data are permuted, so terms such as `poly(x, 2)` and `x:z`
#' follow.
#' @section Intervals:
#' Intervals are for the mean increase over new domains exchangeable with those of the data, of
#' models trained on as many domains.
#'
#' * **Skewness.** The interval is the union of Student's and of Student's on the scale of
#'   \eqn{\mathrm{asinh}(I/\mathrm{se})}{asinh(I / se)}, which far from 0 is the logarithm.
#' * **Overlapping training sets.** The variance over domains is multiplied by \eqn{1 + n/n_1}{1 +
#'   n/n_1} with \eqn{n_1}{n_1} of n rows in training (about 2; Nadeau and Bengio, 2003, see
#'   [dg_compare()]).
#' * **Pairs of domains** (all kinds except `"within"`). Each domain takes values and gives them.
#'   With the means \eqn{r_g} of increases in which g takes and \eqn{c_g} in which it gives, the
#'   variance is that of the jackknife pseudovalues \eqn{\bar I + \frac{G-1}{G-2}(r_g + c_g - 2 \bar
#'   I)}{I + (G - 1)/(G - 2) (r_g + c_g - 2 I)} (Sen, 1960).
#' * **Crossed factors.** Dependence of domains that share a level is included as in [dg_cv()].
#' * **`refits = TRUE`** adds the variance of the fitted models, by the jackknife of [dg_cv()] over
#'   pairs of folds, in about five times the time.
#'
#' Intervals of `"within"` cover too little (78 to 99 % for 95 %) if slopes vary much between
#' domains, responses are mostly zero or a category is rare; those of `"between"` and `"both"` if a
#' few domains have predictors very far from all others. `refits` matters for predictors with a
#' small effect, because the uncertainty of the fitted model then dominates
#' (`vignette("importance-and-effects")`).
#' @references
#' Breiman, L. (2001). Random forests. *Machine Learning* 45(1), 5-32.
#'
#' Fisher, A., Rudin, C. and Dominici, F. (2019). All models are wrong, but many are useful:
#' learning a variable's importance by studying an entire class of prediction models
#' simultaneously. *Journal of Machine Learning Research* 20(177), 1-81.
#'
#' Sen, P. K. (1960). On some convergence properties of U-statistics. *Calcutta Statistical
#' Association Bulletin* 10, 1-18.
#' @seealso [dg_importance()], `vignette("importance-and-effects")`
#' @name permutation_importance
NULL
