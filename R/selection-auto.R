#' Let the training domains choose the model
#'
#' @description
#' The function to call first, for numbers, counts, classes, ordered classes and censored times. It
#' fits an ensemble ([dg_ensemble()]) of kernel ridge regressions ([dg_ridge()]; with a family of
#' generalised kernel regressions, [dg_glm()]), a random forest ([dg_forest()], if ranger is
#' installed) and, for a numeric response with outliers, a support vector regression ([dg_svm()]).
#' Scaling, kernel, bandwidths, domain kernel, penalties and weights are those with the best score
#' on held-out training domains.
#'
#' @details
#' By default, candidates are scored on held-out training domains. Up to 10 domains are held out one
#' at a time, more than 10 in 10 groups. The held-out predictions of ridge regressions need no
#' further fits: a formula gives them ([closed_form]), at 13 values of `lambda` (at seven while only
#' some of the rows are used). Forest, mixed model and support vector regression are fitted again,
#' each time without one of at most five groups.
#'
#' ## Candidates
#' * Kernel ridge regressions: five scalings (pooled, by domain, both, pooled with domain means,
#'   ranks), each with Gaussian, Laplace and linear + Gaussian kernels at the median bandwidth and
#'   a linear kernel (not with "both"; with domain means only if there are more domains than
#'   predictors + 2). A *configuration* is a scaling with one of these kernels.
#'   The `n_members` best configurations are refined: bandwidths of 1/2, 2 and, if 2 is best, 4
#'   times the median; from five domains, [domain_distribution()] with embedding bandwidths of 1 and
#'   2 times the median and [domain_multitask()] with `tau` 0.5 and 0.9. The
#'   best configuration with a Gaussian kernel also gets one bandwidth per column, up to `max_ard`
#'   columns and from four domains; these bandwidths are scored on thirds of the domains to which
#'   they were not fitted, and given up if they are no better than one bandwidth on the first third.
#' * With a family: generalised kernel regressions in the place of the ridge regressions, see the
#'   next section.
#' * A random forest, if ranger is installed and there is neither offset nor late entry. From five
#'   domains it uses the predictors both pooled and standardised by domain. Two forests of 25 trees
#'   show first whether it can improve on the ridge regressions by more than half a standard error;
#'   if not, their mean stands in the table. In the search, censored times are rounded up to one of
#'   50 quantiles for the forest. The member has 100 trees; of classes and censored times 500 times
#'   its squared weight, if that is more.
#' * A mixed model ([dg_mixed()]) of a response that it has, if its package is installed, there are
#'   at least ten domains, three rows per domain and ten rows per predictor (of classes, without
#'   those of the most frequent one). It has domain means if there are at least 2 (p + 2) domains
#'   for p predictors. Classes, proportions and counts of `poisson()` are fitted by lme4 with its
#'   faster approximation (`nAGQ = 0`), others without standard errors. Ordered classes are first
#'   fitted without random effects, which shows whether a mixed model can improve on the kernel
#'   regressions by more than half a standard error; if not, these fits stand in the table.
#' * Support vector regression with three costs, if residuals of the best ridge regression on
#'   held-out domains are heavy-tailed (kurtosis above 5; a normal distribution has 3).
#' * The null model ([dg_null()]).
#'
#' ## Families
#' Two classes have the family binomial (logistic regression), censored times Cox's model, and more
#' than two classes the multinomial one if `metric` is `"brier"` or `"log_loss"`. Counts, positive
#' numbers, proportions and ordered classes have the `family` that is given, as in [dg_glm()]. Then
#'
#' 1. least squares selects kernels: the candidates above are ridge regressions of the working
#'    responses z with working weights w (McCullagh and Nelder, 1989, section 2.5), which
#'    approximate the deviance near the best constant. Their score is
#'    \eqn{\sum_i w_i (z_i - f_i)^2 / \sum_i w_i}{sum w (z - f)^2 / sum w} minus its value at
#'    f = 0 (with several classes the Brier score of least squares on indicators);
#' 2. generalised regressions ([dg_glm()]) with the kernels of the ridge regressions that would be
#'    members, and plain ones with a linear and a linear + Gaussian kernel of pooled predictors, are
#'    the candidates beside forest, mixed model and null model. Their `lambda` is that of
#'    `dg_glm()`, and they are fitted again without each of at most five groups, with the scaling
#'    and the kernels of all rows.
#'
#' The ensemble averages means of numbers, probabilities of classes, and logarithms of hazards. The
#' baseline hazard of the averaged logarithm is Breslow's estimate. `formula` may contain an
#' `offset()`, such as the logarithm of an exposure; a number then needs a `family` (`"gaussian"`
#' for least squares).
#'
#' ## Ensemble
#' The ridge regressions (with a family, the generalised ones) of the best configurations are
#' averaged. Their number is the largest, up to `n_members`, at which the loss of the average is
#' within one standard error of the lowest. Forest, mixed model and support vector regression join
#' with stacked weights ([dg_ensemble()]) if that improves the score by more than one standard error
#' of the difference; so does the null model, which draws the average towards a constant. Members
#' with a weight below 0.05 are dropped.
#'
#' The ensemble must beat the null model by more than one standard error of the difference.
#' Otherwise the null model is returned. With fewer than five domains, any improvement of the score
#' before correction is enough. With a family the two plain regressions come before the null model;
#' they must be better than it, but not by a standard error.
#'
#' Some scores vary too much between few rows to select by. For classes with a family and
#' `metric = "accuracy"`, `"auc"` or `"log_loss"`, candidates are selected by the Brier score; for
#' `"concordance"` and `"uno"` by the partial deviance, which is minus twice the logarithm of Cox's
#' partial likelihood of a domain's rows per event, minus its value at f = 0. For two classes,
#' candidates that were selected by accuracy or AUC were worse by these very scores
#' (`tests/bench/auto-classes.R`). Any other score is used itself.
#'
#' ## Rule
#' `rule` is how scores by domain become the one number by which `lambda`, candidates, the number of
#' members and members beside the ridge regressions are selected. Where more than a standard error
#' is asked, it is that of the mean difference. Weights minimise the mean squared error, and the
#' expected score is of the mean, under each rule. [dg_tune()] says how little the
#' worst of few domains is worth.
#'
#' ## Expected score
#' `choice$expected` estimates the score on a new domain. As in [dg_cv()], `weights` are used in
#' fits and not in scores. The selected candidates' own score (`raw`) is optimistic, because they
#' were selected for it. The estimate is therefore cross-fitted: each group of domains is scored
#' with `lambda`, members and weights that were selected on the other groups (as in Varma and Simon,
#' 2006, but with one search for all groups). The difference from `raw` is the correction. With
#' three or more domains it is too small, because the models that score the other groups were
#' trained on this group. It is therefore multiplied by \eqn{1 + 4/G}{1 + 4/G}, where G is the
#' number of domains. This factor was found by simulation (`inst/experiments/auto-score.R`). There
#' is no correction if the null model is returned.
#'
#' If the search used only some of the rows, the selected ridge regressions (not generalised ones,
#' which have no closed form) are scored again on all rows, or on a sample of 2,000. If 2,000 rows
#' are fewer than 50 per domain, they come from fewer domains. The correction is then multiplied by
#' the proportion of these rows that the search used.
#' The standard error allows for overlapping training sets, see [dg_compare()]. The 95 % interval
#' uses Student's t distribution. It is computed on the log scale for losses above zero. It never
#' leaves the range of the score.
#'
#' The estimate is for new domains that are exchangeable with those of training: it is optimistic
#' if domains drift in time or predictors shift. With crossed factors (`| g + b`) it is for new
#' levels of the one with most levels, at known levels of the others; the print says so.
#' `dg_cv(dg_auto(), hold_out = "all")` leaves out levels of each. The kernel search is not nested,
#' so with few domains and little to learn the estimate remains optimistic. `dg_cv(dg_auto(), ...)`
#' nests everything. In simulations with 5 domains, the average estimate was between 2 % optimistic
#' and 3 % pessimistic, of counts 4 % and of ordered classes 5 % optimistic. The 95 % intervals
#' contained the true score in 80 to 97 % of the simulations.
#' With some domains of another kind, the estimate was 15 % optimistic
#' (`inst/experiments/domgen-figures.R`).
#'
#' `print()` compares the ensemble with the best candidates that were not selected. An asterisk
#' marks a candidate that is significantly worse. The test is a one-sided paired t test over
#' domains, on the cross-fitted scores. Its level is 5 % divided by the number of candidates shown.
#' Its standard error is that of [dg_compare()] without `refits`. The column `difference_se` of the
#' table is simpler: it allows neither for several candidates nor for overlapping training sets.
#'
#' ## Few domains
#' * Two to four: no domain kernels are tried. A scaling that depends on the domain (by domain,
#'   both, domain means) is used only if it is better by more than one standard error. The number of
#'   members is not selected: the average leaves out configurations whose root mean squared error is
#'   more than 25 % above the lowest. With two domains, the estimate has no standard error.
#' * One: nothing can be selected, with a warning. Linear kernels, other kernels (each with every
#'   scaling) and the forest have equal total weight; `lambda` is the best on held-out rows (ten
#'   groups).
#'
#' ## Intervals and sets
#' They rest on errors of the members in held-out domains ([set_intervals()]), which `predict()`
#' computes at the first such call from all rows, also if the search used some of them. Ridge
#' regressions are held out in closed form. The forest is fitted again without each of at most five
#' groups of domains, with half of its trees (at most 100). Generalised regressions are held out in
#' one Newton step ([closed_form]) if no domain has a tenth of the information, otherwise fitted
#' again without each of at most ten groups. Members and weights stay. The errors of numbers are
#' enlarged by the ratio of the expected score to the score before correction.
#'
#' ## Repeated subjects
#' If subjects occur in several domains (patients on several devices), give `unit`. Rows are then
#' predicted without their domain and without their subject, in three folds of subjects. The
#' estimated score is for new subjects in new domains; its standard error adds a jackknife over
#' subjects (at most 20 groups). The correction for optimism accounts for domains but not for
#' subjects, so with few subjects the estimate remains optimistic.
#'
#' ## Many rows
#' The search uses 600 rows, then at most `max_rows` for the best candidates. Their `lambda` is then
#' multiplied by the ratio of the numbers of rows. The sample has equally many rows of each domain.
#' It does not depend on a numeric response. Classes are sampled in proportion; a class that is too
#' rare to be drawn keeps a row in two domains. If there would be fewer than 20 rows per domain,
#' domains are sampled too. The final fit uses all rows. It is exact up to 10,000 rows (censored
#' times: 5,000) and uses `features_nystrom(1000)` beyond.
#'
#' ## Rows out of memory
#' `data` may be a [row_source()], see its section "Score".
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param weights,na.action As in [all methods][dg_arguments].
#' @param calibration,terms,progress,threads,... As in [all methods][dg_arguments].
#' @param family Distribution of the response, see "Families": as in [dg_glm()], such as
#'   `"poisson"`, `Gamma("log")` or `"ordinal"`. Default `NULL`: numbers and several classes have
#'   none (least squares), two classes `"binomial"`, censored times `"cox"`. Rows out of memory have
#'   none.
#' @param metric Score for the selection and the estimate, see "Ensemble": one score of [dg_cv()]
#'   that needs no intervals and no survival probabilities. Default `NULL`: `"rmse"`, `"accuracy"`
#'   or `"concordance"`; with `family` for numbers its deviance ([metric_deviance()]; with
#'   `"nbinom2"` that of `poisson()`, which has no parameter and is least for the true means), for
#'   more than two classes `"log_loss"`. With rare classes, `"auc"`, `"log_loss"` or
#'   `"balanced_accuracy"`.
#' @param rule What is best over held-out domains: `"best"` (the default), the mean score;
#'   `"worst"`, the score of the worst domain; or a number between 0.5 and 1, the score that this
#'   proportion of the domains reaches. See "Rule" in [dg_tune()].
#' @param n_members Maximum number of kernel regressions in the average; each uses a different
#'   scaling or kernel. Default 5.
#' @param folds Groups of domains that are held out together: a number of groups, or the result of
#'   [domain_folds()]. Default `NULL`: each domain separately, in 10 groups if there are more than
#'   10 domains.
#' @param unit Vector or column of `data`: the subject of each row, if subjects occur in several
#'   domains. Default `NULL`: rows of different domains are of different subjects.
#' @param max_seconds Seconds after which no further candidate is started, except the null model.
#'   The final fits are not counted. The forest and the support vector regression come last, so a
#'   short limit leaves them out; `print()` reports a limit that was reached. With a limit, the
#'   result depends on the speed of the computer. Default `NULL`: no limit.
#' @param max_rows Maximum number of rows in the search. Default 1,200.
#' @param max_ard Maximum number of columns (after scaling) for which one bandwidth per column is
#'   fitted. Default 30; 0 disables.
#' @param seed Number: seed for the sample of rows and domains in the search and for random forests.
#'   The state of the random number generator is unchanged. Default 1.
#' @return With data, an object of class `dg_auto`: an ensemble as from [dg_ensemble()], without
#'   `held_out` and with
#'   \item{members}{named list of models, [dg_ridge()] or [dg_glm()] the best first; [dg_adapt()]
#'     accepts any of these}
#'   \item{coefficients}{their weights, which sum to 1}
#'   \item{decision}{n x k values of the weighted mean at the training rows, in units of the
#'     response (of times, logarithms of hazards)}
#'   \item{choice}{list of the elements in the next section}
#'   \item{calibration}{with `calibration`, a list, see [dg_svm()]}
#'   and what `predict()` needs. Without data, a specification for [dg_cv()] and [dg_compare()].
#' @section Elements of `choice`:
#' \describe{
#'   \item{`table`}{data frame: the ensemble in row 1, then one row per candidate, see below}
#'   \item{`scores`}{matrix, domains x rows of `table`; `NA` if the candidate's rows have none of
#'     the domain}
#'   \item{`expected`}{list: `mean`, the estimated score on a new domain, its standard error `se`
#'     and 95 % interval `lower` to `upper`, `raw` (before correction), `domains`, the number of
#'     domains with a score (with one training domain `NA` and 0), and `rows`, the number of rows
#'     that are scored: those of the search or, of ridge regressions, at most 2,000 of all rows}
#'   \item{`metric`, `rule`, `rows`, `seed`}{metric; rule; number of rows in the search; seed for
#'     sampling them}
#'   \item{`family`, `kernels`}{family of the members (`NULL` for ridge regressions), and number of
#'     ridge regressions that selected their kernels}
#'   \item{`selected_by`}{title of the score that selected, if it is not `metric`}
#'   \item{`seconds`}{time of the search and the fits}
#'   \item{`few`}{`TRUE` with one domain}
#'   \item{`time_limit`}{list: `seconds` (or `NULL`) and `reached`, `TRUE` if the limit ended the
#'     search}
#'   \item{`scored`}{with a source, the [dg_cv()] result of all rows, which `dg_cv(model)` returns}
#' }
#' Columns of `table`:
#' \describe{
#'   \item{`member`, `weight`}{`TRUE` for members of the ensemble; weight}
#'   \item{`scale`, `kernel`, `domain_kernel`}{description of the candidate; `kernel` names the
#'     method if it is no ridge regression}
#'   \item{`lambda`}{penalty; for the support vector regression the position of its cost among
#'     0.1, 1 and 10}
#'   \item{`rows`}{number of rows on which the candidate was scored}
#'   \item{`mean`, `se`}{mean score over held-out domains (with one domain: over ten groups of
#'     held-out rows) and its standard error, `NA` with two domains; cross-fitted for the ensemble,
#'     at the best `lambda` for candidates}
#'   \item{`worst` or `quantile`}{with such a `rule`, that score}
#'   \item{`difference`, `difference_se`}{difference from the ensemble (for a candidate on fewer
#'     rows: from the best candidate on these rows) and its standard error}
#'   \item{`seconds`}{time of the candidate}
#' }
#' @section Errors:
#' Those of [dg_ridge()] and [dg_glm()], and a metric that needs intervals, or probabilities that
#' members do not have. A candidate that fails, or a member that cannot be fitted to all rows, is
#' left out with one warning of class `domgen_warning_left_out`.
#' @references McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, 2nd edition.
#'   Chapman and Hall.
#'
#'   Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for model
#'   selection. *BMC Bioinformatics* 7, 91.
#' @seealso [dg_ensemble()] of your own members, [dg_tune()] for other methods, [dg_diagnose()];
#'   `vignette("evidence")` for its estimates against the truth and its rank among other methods
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 30, seed = 1)
#' train <- subset(toy, !domain %in% c("d1", "d2"))
#' model <- dg_auto(y ~ . | domain, data = train)
#' model
#' new <- subset(toy, domain %in% c("d1", "d2"))
#' mean(predict(model, new) == new$y)
#'
#' # carbon dioxide uptake of plants, predicted for one that was not in training
#' plants <- dg_auto(uptake ~ conc + Type + Treatment | Plant, data = subset(CO2, Plant != "Mc3"),
#'                   max_seconds = 1)
#' plants
#' cbind(subset(CO2, Plant == "Mc3"), predicted = predict(plants, subset(CO2, Plant == "Mc3")))
#'
#' # counts: breaks of two kinds of wool, predicted for a tension of the loom that was not in
#' # training
#' breaks <- dg_auto(breaks ~ wool | tension, data = warpbreaks, family = "poisson",
#'                   max_seconds = 1)
#' predict(breaks, data.frame(wool = c("A", "B"), tension = "new"))
#' @export
dg_auto <- function(x, y = NULL, domain = NULL, data = NULL, family = NULL, metric = NULL,
                    rule = c("best", "worst"), n_members = 5, folds = NULL, unit = NULL,
                    max_seconds = NULL, max_rows = 1200, max_ard = 30,
                    calibration = c("none", "platt", "isotonic"),
                    weights = NULL, terms = NULL, na.action = stats::na.omit, seed = 1,
                    progress = NULL, threads = NULL, ...) {
  spec <- method_spec("dg_auto", "dg_auto_spec", environment())
  fit_or_specify(spec, match.call(), parent.frame())
}

auto_row <- function() learner_row("Ensemble selected on the training domains", domain = TRUE,
                                   offset = TRUE, units = TRUE, parameters = auto_parameters)

auto_parameters <- function() parameters(
  parameter("family", null = TRUE, check = check_family, tuned = FALSE),
  parameter("metric"),
  parameter("rule", check = function(value, arg) check_rule(value, arg, c("best", "worst")),
            tuned = FALSE),
  parameter("n_members", "count"),
  parameter("folds", tuned = FALSE),
  parameter("max_seconds", "number", 0, open = TRUE, null = TRUE, tuned = FALSE),
  parameter("max_rows", "count", 10),
  parameter("max_ard", "count", 0)
)

#' @exportS3Method
spec_needs.dg_auto_spec <- function(spec) {
  needs <- NextMethod()
  family <- spec$args$family
  needs$response <- if (is.null(family)) "open" else family_loss(family)$reads
  needs
}

#' @exportS3Method
fit_rows.dg_auto_spec <- function(spec, rows, shared = NULL) {
  check_several_classes(rows$sample$y)
  start <- proc.time()[["elapsed"]]
  once({
    auto <- if (only_sums(rows)) auto_of_source(spec, rows)
            else with_seed(spec$args$seed, auto_in_memory(spec, rows$sample))
    members <- lapply(unname(auto$members), slim)
    methods <- vapply(members, function(member) sub("^dg_", "", member$spec$method), "")
    names(members) <- make.unique(methods, "_")
    seconds <- proc.time()[["elapsed"]] - start
    new_ensemble(members, auto$weights, rows, class = c("dg_auto", "dg_result"),
                 choice = c(list(expected = auto$expected, seconds = seconds), auto$choice))
  }, "domgen_warning_two_values")
}

# list(members: fitted, weights, expected: the score, choice)
auto_in_memory <- function(spec, sample) {
  selection <- choose_by_domain(spec$args, sample)
  members <- fit_members(selection$search, selection$chosen, sample)
  selection <- without_failed(selection, members)
  chosen <- selection$chosen
  list(members = members[chosen$keys], weights = chosen$weights,
       expected = expected_score(selection$search, chosen, sample), choice = selection$choice)
}

# A member that fails is its error.
fit_members <- function(search, chosen, sample) {
  Map(function(key, weight) {
    tryCatch(fit_member(member_spec(search, key, sample, weight), sample), domgen_error = identity)
  }, stats::setNames(chosen$keys, chosen$keys), chosen$weights)
}

# The selection without members that could not be fitted to all rows, with weights that sum to 1.
without_failed <- function(selection, members) {
  chosen <- selection$chosen
  failed <- vapply(members, inherits, NA, "error")
  if (all(failed)) stop(members[[1L]])
  if (!any(failed)) return(selection)
  warn_candidates(lapply(members[failed], conditionMessage))
  chosen$keys <- chosen$keys[!failed]
  chosen$weights <- chosen$weights[!failed] / sum(chosen$weights[!failed])
  chosen$kernels$keys <- intersect(chosen$kernels$keys, chosen$keys)
  # rows of the table after that of the mean, in this order
  lines <- 1L + seq_along(members)
  selection$choice$table$member[lines] <- !failed
  selection$choice$table$weight[lines] <- replace(rep(NA_real_, length(members)), !failed,
                                                  chosen$weights)
  selection$chosen <- chosen
  selection
}

# Without what follows from its other parts.
slim <- function(object) UseMethod("slim")

#' @exportS3Method
slim.default <- function(object) object

#' @exportS3Method
slim.dg_ridge <- function(object) {
  map <- object$space$map
  if (!is.null(map$landmarks) && !is_custom(object$space$kernel)) {
    object$space$map <- without_factor(map, object$space$domain_kernel$kappa)
  }
  seal(object)
}

#' @exportS3Method
chosen_parameters.dg_auto <- function(model) {
  table <- model$choice$table
  members <- describe_candidates(table[table$member %in% TRUE, ])
  c(model$tuning$best, list(chosen = paste(members, collapse = "; ")))
}
