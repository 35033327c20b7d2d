#' What a predictor does in the rows, and what it does between domains
#'
#' @description
#' How much worse domains are predicted that were left out, when a predictor is permuted. A
#' predictor is two things at once: a property of the row (where it stands in its domain) and one
#' of the domain (which values the domain has). `dg_importance()` permutes the one, the other, and
#' both:
#' \describe{
#'   \item{`"within"`}{each row gets the value of another row of its domain. The domain stays as it
#'     was: it is described by its rows as they are.}
#'   \item{`"between"`}{the domain gets the values of another domain, at the same ranks, and is
#'     described by them. Each row keeps its rank in its domain.}
#'   \item{`"both"`}{the domain gets the values of another domain, and its rows change them.}
#'   \item{`"context"`}{rows keep their values, and only what describes their domain (kernel mean,
#'     mean and standard deviation for scaling, `domain_means`) is that of `"between"`. 0 for a
#'     model that makes no difference between domains.}
#' }
#'
#' @details
#' Let f be fitted without the domains of a fold, \eqn{P_g} describe the left-out domain g,
#' \eqn{T_{gh}} give its rows the predictor's values of domain h at the same ranks, and \eqn{\pi}
#' change places within a domain. With the loss \eqn{L_g(\cdot)} of domain g,
#' \deqn{I_{gh} = L_g\{f(T_{gh} x, P_{T_{gh}x})\} - L_g\{f(x, P_x)\}}{
#'   I_gh = L_g(f(T_gh x, P_{T_gh x})) - L_g(f(x, P_x))}
#' for `"between"`, with \eqn{f(\pi x, P_x)} in the first term for `"within"`,
#' \eqn{f(\pi T_{gh}x, P_{T_{gh}x})} for `"both"`, \eqn{f(x, P_{T_{gh}x})} for `"context"`. The
#' increase of a domain is the mean over `permutations`, that of the predictor the mean over
#' domains, each of which weighs the same. \eqn{\pi} gives each row that of each other row with the
#' same probability and never its own, domains are drawn in the same way: the mean over draws is the
#' model reliance \eqn{e_{switch} - e_{orig}}{e_switch - e_orig} of Fisher, Rudin and Dominici
#' (2019, equation 2.4; section 3), which has no bias, and in place of trees that of Breiman (2001,
#' section 10).
#'
#' **What it is in a linear world.** Of \eqn{y = a (x - m_g) + b\, m_g + \ldots}{y = a (x - m_g) +
#' b m_g + ...} with the domain's mean m_g, a model that is right about a and b, and squared error,
#' \deqn{I_{within} = 2 a^2 \sigma_W^2, \quad I_{between} = 2 b^2 \sigma_B^2, \quad
#'   I_{both} = I_{within} + I_{between}, \quad I_{context} = 2 (b - a)^2 \sigma_B^2}{
#'   I_within = 2 a^2 s_W^2,  I_between = 2 b^2 s_B^2,  I_both = I_within + I_between,
#'   I_context = 2 (b - a)^2 s_B^2}
#' with the variances of rows in their domains and of the domains' means (where domains differ by
#' their means). So it is for predictors that are not correlated; of others, as with each
#' permutation importance, rows are predicted that do not exist, and correlated predictors share
#' what they say: permute them together, `predictors = list(size = c("height", "weight"))`.
#'
#' **Ranks.** Numbers, logical values and ordered factors keep their ranks (ties at random).
#' Categories without an order have none: as many rows keep their category as the other domain has
#' of it, the others are dealt out. What is permuted is the column of the data: `poly(x, 2)` and
#' `x:z` follow.
#'
#' **Intervals** are for the mean over new domains of the same kind, of models trained on as many
#' domains: because increases are skewed, from the lower to the upper end of two, Student's and that
#' on the scale of \eqn{\mathrm{asinh}(I/\mathrm{se})}{asinh(I / se)}, which far from zero is
#' that of the logarithm. Increases by domain share training domains: their variance is multiplied
#' by \eqn{1 + n/n_1}{1 + n/n_1} for n_1 of n rows that are trained on (about 2; Nadeau and Bengio,
#' 2003, see [dg_compare()]). Where domains take values of each other, the mean is that of pairs, in
#' which each domain stands twice: with means \eqn{r_g} of domain g and \eqn{c_g} of those that have
#' its values, the jackknife's pseudovalues \eqn{\bar I + \frac{G-1}{G-2}(r_g + c_g - 2 \bar I)}{I +
#' (G - 1)/(G - 2) (r_g + c_g - 2 I)} (Sen, 1960) stand in the place of the increases. Domains that
#' share a level of crossed factors are not independent either: what they share is counted as in
#' [dg_cv()]. With 5 and 12 domains, in simulated worlds
#' (`inst/experiments/domgen-figures.R`), 95 % intervals covered in 90 to 100 % of the draws
#' (`"between"`) and 78 to 99 % (`"within"`: fewest where slopes vary much between domains,
#' responses are mostly zero or a category is rare), Student's alone in 76 to 97 and 70 to 94 %. In
#' the linear world above Student's alone, with 8 and 12 domains, cover in 96-97 % of the draws
#' (`"within"`), 93-94 % (`"between"`, `"both"`) and 92 % (`"context"`), with 4 and 6 in 97, 86-87
#' and 83-84 %; see `tests/bench/results/explain.txt`. Where a predictor says little, what the
#' models have learned of it is itself uncertain, and that factor is too small: of one with half the
#' slope of the other, `"within"` intervals covered in 84 to 90 % at 4 to 12 domains (the other's in
#' 94 to 96 %), and with `refits`, which adds what fits without two folds change (the jackknife of
#' [dg_cv()]), in 95 to 97 % (97 to 99 %), in about five times the time. Where a few domains have
#' predictors very far from all others, intervals of `"between"` and `"both"` are too short with any
#' number of domains, because the mean hangs on domains that training may not have.
#'
#' @inheritParams dg_cv
#' @param folds As in [dg_cv()]; whole domains.
#' @param metric `NULL`: the mean squared error of a number, whose increases add up, or the
#'   accuracy; or one score of [dg_cv()]. Increases are those of the loss: how much a score falls
#'   where higher is better.
#' @param kind One or more of `"within"`, `"between"`, `"both"`, `"context"`.
#' @param predictors Names of columns, or a list of them, of which each is permuted as a whole; all,
#'   one by one, if `NULL`.
#' @param permutations How often each predictor is permuted in each domain.
#' @param level Of the intervals.
#' @param refits Fit the model again without each pair of folds, for the intervals? That is up to 45
#'   fits more.
#' @return An object of class `dg_importance`, a list with
#'   \item{table}{data frame, a line per predictor and kind: `predictor`, `kind`, `increase` (mean
#'     over domains), `se`, `lower`, `upper`, `domains` (how many have one); predictors by their
#'     largest increase}
#'   \item{domains}{data frame, a line per domain, predictor and kind: `domain`, `predictor`,
#'     `kind`, `increase`; within a domain of one row there is none, `NA`}
#'   \item{scores}{data frame: `domain`, `rows`, `score` of the rows as they are}
#'   \item{failed}{data frame of `fold`, `rep` and the `error` message of folds that failed, whose
#'     domains have no increase, or `NULL`; [dg_resume()] tries them again}
#'   \item{metric, kinds, predictors, permutations, level, refits}{as they were read}
#'   \item{fits, seconds, held, labels, warnings, spec}{how many fits, how long it took, and what
#'     [dg_cv()] has of these names}
#' @section Errors:
#' Those of [dg_cv()]; rows that come in blocks; folds of rows; a column that is not there or is a
#' matrix; a metric that needs a predictive density.
#' @references
#' Breiman, L. (2001). Random forests. *Machine Learning* 45(1), 5-32.
#'
#' Fisher, A., Rudin, C. and Dominici, F. (2019). All models are wrong, but many are useful:
#' learning a variable's importance by studying an entire class of prediction models
#' simultaneously. *Journal of Machine Learning Research* 20(177), 1-81.
#'
#' Sen, P. K. (1960). On some convergence properties of U-statistics. *Calcutta Statistical
#' Association Bulletin* 10, 1-18.
#' @seealso [dg_effect()] for the direction and form, [set_reference()] for what describes a domain
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
  call <- match.call()
  check_no_dots(list(...)[setdiff(names(list(...)), "formula")], names(formals(dg_importance)))
  check_given(object, "object")
  if (length(kind) == 0L) check_choice(kind, "kind", importance_kinds)
  for (one in as.list(kind)) check_choice(one, "kind", importance_kinds)
  wanted <- list(kinds = intersect(importance_kinds, unlist(kind)), level = check_level(level),
                 permutations = check_count(permutations, "permutations", at_most = 10000L))
  spec <- read_evaluated(object)
  input <- cv_input(call, object, parent.frame())
  if (!is.null(input$source)) {
    abort("argument", "`data` must be rows in memory: a source is read once, in order.")
  }
  plan <- read_plan(list(spec), input, folds, NULL, refits, progress)
  plan$metric <- importance_metric(metric, plan$task$y, spec)
  plan$splits <- fold_splits(plan$folds, plan$task)
  if (!holds_domains(plan$splits, plan$task$domain)) {
    abort("argument", "`folds` must hold out whole domains, of which no row is trained on.")
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
           label = spec$parts$title)
    })
    new_importance(plan, run_pieces(pieces, importance_worker(plan), ctx))
  }, plan$progress)
}

importance_kinds <- c("within", "between", "both", "context")

# Of squares increases add up.
squared_error <- list(kind = "number", better = "low", title = "mean squared error",
                      rows = function(d) (d$truth - d$prediction)^2)

# A named list of one.
importance_metric <- function(metric, y, spec) {
  if (is.null(metric) && is.numeric(y)) return(list(mse = squared_error))
  metrics <- read_metrics(metric, y)
  if (length(metrics) > 1L) {
    abort("argument", "`metric` must be one score, not ", length(metrics), ".")
  }
  if (any(c("se", "interval") %in% metrics_need(metrics))) {
    abort("argument", "`metric` must be a score of predictions, decision values or probabilities, ",
          "not \"", names(metrics), "\".")
  }
  check_metrics_fit(metrics, spec)
  metrics
}

# known: columns that predictors are made of, in `data`; a named list of columns that go together.
read_predictors <- function(predictors, known, data) {
  groups <- if (is.null(predictors)) known else predictors
  if (!is.list(groups)) groups <- as.list(groups)
  if (length(groups) == 0L || !all(vapply(groups, is.character, NA)) || !all(lengths(groups))) {
    abort("argument", "`predictors` must be names of columns or a list of them, not ",
          describe(predictors), ".")
  }
  other <- setdiff(unlist(groups), known)
  if (length(other)) {
    abort("argument", "`predictors` must be among ", enumerate(known, 12L), ", not ",
          enumerate(other), ".")
  }
  if (is.data.frame(data)) for (name in unlist(groups)) check_plain_column(data[[name]], name)
  groups <- lapply(groups, unique)
  given <- if (is.null(names(groups))) rep("", length(groups)) else names(groups)
  own <- vapply(groups, paste, "", collapse = " + ")
  names(groups) <- ifelse(given %in% c("", NA), own, given)
  groups[!duplicated(names(groups))]
}

check_plain_column <- function(column, name) {
  if (length(dim(column)) < 2L && !is.list(column)) return(invisible())
  abort("argument", "`predictors` must be columns of single values; `", name, "` is ",
        describe(column), ": give its columns names of their own.")
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
    warn("score", "The ", plan$metric[[1L]]$title, " of some domains is infinite, and increases ",
         "of it are infinite or not known; scale the response, or take a `metric` that does not ",
         "overflow.")
  }
  # a row alone has none to change with
  alone <- scores$rows[match(moved$domain, scores$domain)] < 2L
  moved$increase[moved$kind == "within" & alone] <- NA_real_
  task <- plan$task
  share <- train_share(plan$splits, rep(1, length(task$y)))
  domains <- levels(droplevels(task$domain))
  crossed <- crossed_by(task, domains)
  names <- names(plan$groups)
  cells <- expand.grid(kind = plan$kinds, predictor = names, stringsAsFactors = FALSE)
  parts <- lapply(seq_len(nrow(cells)), function(i) {
    own <- function(moved) {
      moved[moved$predictor == cells$predictor[i] & moved$kind == cells$kind[i], ]
    }
    mean_increase(own(moved), domains, share, plan$level, crossed,
                  increases_without(plan$pairs, lapply(pairs, function(p) own(p$moved)),
                                    factor(task$domain, domains)))
  })
  table <- data.frame(cells[c("predictor", "kind")], do.call(rbind, lapply(parts, `[[`, "line")))
  by_domain <- data.frame(domain = domains, cells[rep(seq_along(parts), each = length(domains)),
                                                  c("predictor", "kind")],
                          increase = unlist(lapply(parts, `[[`, "increase")), row.names = NULL)
  # of repeats the mean
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

# By fits without a domain's own group and another, see scores_without(); NULL without such fits.
# lines: of a predictor and kind, by pair of groups; domain: of each row.
increases_without <- function(pairs, lines, domain) {
  if (is.null(pairs)) return(NULL)
  scores_without(pairs, lapply(lines, function(own) {
    cbind(increase = tapply(own$increase, own$domain, known_mean))
  }), domain)$increase
}

# own: lines of a predictor and kind; crossed: levels that domains share, without: of fits without
# two groups, see mean_error(). list(line, increase: by domain)
mean_increase <- function(own, domains, share, level, crossed = NULL, without = NULL) {
  by <- function(of) {
    c(tapply(own$increase, factor(own[[of]], domains), known_mean))
  }
  increase <- by("domain")
  values <- if (own$kind[1L] == "within") increase else pseudovalues(increase, by("donor"))
  # infinite scores, as of a model that overflows, have no interval
  error <- mean_error(values, without, share, crossed = crossed, scores = increase)
  interval <- skewed_interval(known_mean(increase), error, level)
  list(line = data.frame(increase = known_mean(increase), se = error$se, lower = interval[1L],
                         upper = interval[2L], domains = sum(!is.na(increase))),
       increase = unname(increase))
}

# The jackknife's, of a mean over pairs of domains: own, means of those in which a domain takes the
# values; given, of those in which it gives them. Two domains are one pair.
pseudovalues <- function(own, given) {
  G <- sum(!is.na(own))
  if (G < 3L) return(rep(NA_real_, length(own)))
  mean <- known_mean(own)
  given[is.na(given)] <- mean
  mean + (G - 1) / (G - 2) * (own + given - 2 * mean)
}

# Predictors by their largest increase, kinds in their order.
by_size <- function(table) {
  largest <- tapply(table$increase, table$predictor, function(v) {
    if (all(is.na(v))) -Inf else max(v, na.rm = TRUE)
  })
  place <- match(table$predictor, unique(table$predictor))
  data.frame(table[order(-largest[table$predictor], place), ], row.names = NULL)
}

# list(folds: as failed_folds() has them, pairs: did a fit without two folds fail?), with a warning;
# an error where no fold is done.
failed_importance <- function(plan, results) {
  own <- seq_along(plan$splits)
  failed <- vapply(results, has_failed, NA)
  if (all(failed[own])) stop(results[[1L]]$error)
  run <- list(failed = failed_folds(plan$splits, results[own]), fits = data.frame(fold = own))
  warn_failed(list(run))
  lost <- results[-own][failed[-own]]
  if (length(lost)) {
    warn("failed", "Intervals are those of `refits = FALSE`: ", plural(length(lost), "fit"),
         " without two folds failed: ", sub("[.]*$", ".", conditionMessage(lost[[1L]]$error)))
  }
  list(folds = run$failed, pairs = length(lost) > 0L)
}
