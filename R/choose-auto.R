#' Let the training domains choose the model
#'
#' @description
#' The function to call first. An ensemble ([dg_ensemble()]) of kernel ridge regressions
#' ([dg_ridge()]; for classes too), a random forest ([dg_forest()], where the ranger package is
#' installed) and, for numbers with outliers, a support vector regression ([dg_svm()]). The training
#' domains choose how predictors are scaled, the kernel on x, its bandwidths, the kernel between
#' domains, the penalties and the weights: each is what predicts domains best that were left out one
#' at a time (more than 10 domains: in 10 groups). In closed form ([dg_lodo()]) all values of a
#' ridge regression's lambda cost a few fits.
#'
#' @details
#' **Search.** First every scaling (pooled, by domain, both, pooled with the domains' means, ranks)
#' with a Gaussian, a Laplace and a linear + Gaussian kernel at the median bandwidth, and a linear
#' kernel. A kind is a scaling with one of these kernels. For the `members` best kinds follow other
#' bandwidths and, with five domains or more, instead of pooling [domain_distribution()] with two
#' bandwidths between embeddings and [domain_multitask()] with `tau` 0.5 and 0.9, which gives
#' training domains deviations of their own, as the random effects of mixed models; last,
#' where there are at most `max_predictors` of them, one bandwidth per predictor for the best
#' Gaussian kernel, fitted by the gradient of the squared error of left-out domains. Those have seen
#' the labels of all domains, so that they are compared with the others on thirds of the domains on
#' which they were not fitted. In every step lambda is the best of 13 values. The forest (with five
#' domains or more on the predictors beside the same standardised by domain) and the support vector
#' regression (cost the best of three; only where the kurtosis of what the best ridge regression
#' leaves of the response is above 5) come last, and are fitted again without each of at most five
#' groups of domains.
#'
#' **Members.** Which kind is best is uncertain, and their errors differ: the decision values of the
#' best candidates of the `members` best kinds of ridge regression are averaged (with five domains
#' or more of fewer, where that is better on left-out domains by more than the standard error of the
#' difference). A kind that standardises each domain by itself loses the domain's level, and does to
#' a new domain what nobody has seen: with fewer than five domains it is taken only where it is
#' better than the best that does not by more than the standard error. This mean, the forest and the
#' support vector regression are weighted as in [dg_ensemble()] with `member_weights = "stacked"`,
#' members with a weight below 0.05 are left out; but the mean alone is kept where so weighted they
#' are not better by more than the standard error of the difference. The null model ([dg_null()]) is
#' a candidate too, and chosen unless the members are better: with 5 domains or more by their
#' cross-fitted scores (next paragraph) and by more than the standard error of the difference, with
#' fewer, which leave too few to choose by, by their own mean scores.
#'
#' **What to expect.** Scores of the best of many are too good. `print()` and `choice$expected` tell
#' what to expect on a new domain instead. It is cross-fitted: each domain that is left out (of
#' more than 10: each of 10 groups) is scored by the lambdas, members and weights that the scores of
#' the other domains choose, as in nested cross-validation (Varma and Simon, 2006), but with the
#' values of the one search. Where the search had some of the rows only, the chosen ridge
#' regressions are scored anew with all rows, each domain left out in closed form (of more than
#' 2,000 rows with about 2,000, but 50 a domain or all that it has); what they gain is added, and
#' cross-fitting's correction is taken in the share of the rows that the choice has seen.
#' Cross-fitting takes off too little, because the values of the other domains have learned from the
#' one that is left out: of G domains, three or more, \eqn{1 + 4/G}{1 + 4/G} times as much is taken
#' off, which simulations asked for. Where nothing can be learned, and the null model is chosen,
#' nothing is. The standard error is that of [dg_cv()] without `refits`, which allows for
#' overlapping training sets, and `lower` to `upper` its 95 % interval, Student's, on the log scale
#' for scores that are above zero, within the range of the score. In simulated worlds with 5 domains
#' the figure is 2 % too good to 3 % too bad on average (before: 5 to 9 % too good) and the interval
#' covered in 82 to 95 % of the draws; where some domains are of another kind, it is 15 % too good
#' (`inst/experiments/domgen-figures.R`). New domains must be exchangeable with those of training:
#' where domains drift in time or predictors shift, the true score is worse than the figure says.
#' `dg_cv(dg_auto(), ...)` searches anew in every fold.
#'
#' `print()` sets the mean of the members beside the best of what was not chosen. Clearly worse (an
#' asterisk) is what loses against their cross-fitted scores by a one-sided t test of the paired
#' differences over domains at the level 5 % divided by the number of rows, with the standard error
#' of [dg_compare()] without `refits`, which allows for overlapping training sets: where all are
#' equally good, no row should be called so in 95 % of the cases. `difference_se` knows of neither.
#'
#' **Few domains.** Two domains choose by leaving out each once; how far the expected score is off
#' nobody can tell from two, and its standard error is `NA`. With one domain nothing can be learned
#' about new ones, and a warning says so: linear kernels, the other kernels of the first step (each
#' with every scaling) and the forest weigh the same, with lambdas that predict left-out rows.
#'
#' **Objects in several domains.** Where rows of one object (a patient who was measured by several
#' devices) are in several domains, a model that has seen the object elsewhere knows its response:
#' with `unit` a row is predicted without its domain and without the rows of its unit, in three
#' folds of units. The score to expect is then of new objects in new domains, and its standard error
#' has a second part, the jackknife over units (of more than 20 over 20 groups), because the objects
#' of all domains are the same few. What is taken off for choosing knows of domains only, so that of
#' few objects the score is still too good.
#'
#' **Many rows.** The search uses 600 rows, then at most `max_rows` for the best candidates of the
#' best kinds (lambda is multiplied by the ratio of the rows). Each domain gives as many, chosen at
#' random without a look at the response (classes in proportion; one too rare to be drawn keeps a
#' row in two domains); where that would be less than 20 of a domain, some of the domains are chosen
#' at random, with 20 rows or all that they have.
#' The fit uses all rows: exactly up to 5,000, with `features_nystrom(1000)` beyond.
#'
#' **Rows in blocks.** With a [row_source()] as `data` the search is the same on rows of whole
#' domains: 200 domains drawn at random (all, where there are fewer), 50 rows of each, or as many as
#' `max_rows` asks of fewer domains. It has ridge regressions and the null model only, whose fits
#' follow from sums: no forest, no support vector regression, and no [domain_multitask()], because
#' with landmarks a domain that is left out would not be new. The members then have
#' `features_nystrom(400)` and all rows: one pass describes the domains for each member that
#' compares them, one makes the sums of all members, and one scores: every row is predicted by the
#' mean of the members, each fitted without the row's group of domains (10 groups, or `folds`), with
#' a lambda that is chosen without it. That score of all rows is what `print()` says is to be
#' expected; what choosing kernels and scalings made too good is taken off in the share of the rows
#' that the search has seen. Scaling, landmarks and embeddings are those of all rows, which uses no
#' response. The null model is fitted where the members are not better than it on all rows either.
#' `metric` must be a mean over rows (`"rmse"`, `"mae"`, `"accuracy"`); `unit` and `calibration`
#' need the rows themselves.
#'
#' @inheritParams dg_cv
#' @inheritParams dg_ridge
#' @param metric What decides, one of the scores of [dg_cv()] that need no probabilities:
#'   `"rmse"` or `"accuracy"` if `NULL`. With rare classes `"auc"` or `"balanced_accuracy"`.
#' @param n_members Maximum number of ridge regressions in the average; each uses a different
#'   scaling or kernel.
#' @param folds Which domains are left out together: `NULL` (each by itself, of more than 10 in 10
#'   groups), a number of groups, or as made by [domain_folds()].
#' @param unit Vector or column of `data`: what each row is a measurement of, where objects are
#'   measured in several domains.
#' @param max_seconds Seconds after which no further candidate is begun (the null model always is);
#'   `NULL`: no limit. The forest and the support vector regression come last, so that a small
#'   budget has neither; `print()` says whether it was spent. The final fits come on top. What is
#'   found then depends on the machine.
#' @param max_rows Most rows in the search.
#' @param seed For the choice of rows (and of domains, where there are many) in the search, and for
#'   random forests; the generator's state is left as it was.
#' @param max_ard Maximum number of columns (after scaling) for which one bandwidth per column is
#'   fitted. Default 30; 0 disables.
#' @return With data, an object of class `dg_auto`, an ensemble as of [dg_ensemble()] (without
#'   `held_out`) and with
#'   \item{members}{named list of models, [dg_ridge()] the best first; [dg_adapt()] takes one of
#'     these}
#'   \item{coefficients}{their weights}
#'   \item{decision}{n x k values of the weighted mean at the training rows, in units of the
#'     response}
#'   \item{choice}{list of `table`, a data frame with a line for the mean and one per candidate:
#'     `member`, `weight`, `scale`, `kernel` (or what else it is), `domain_kernel`, `lambda` (of the
#'     support vector regression the number of its cost), `rows` of the search, `mean` of the
#'     score over left-out domains (with one domain, left-out rows; of the mean of the members
#'     cross-fitted, of candidates at their best lambda) and its standard error `se` (see Details;
#'     `NA` with two domains), `difference` from the mean of the members (of a candidate on fewer
#'     rows: from the best one on these) and its standard error `difference_se`, `seconds`;
#'     `scores`, a matrix, domains x lines of the table (`NA` where a candidate's rows had none of
#'     the domain); `expected`, a list of `mean`, `se`, `lower` and `upper`, the score to expect
#'     on a new domain, its standard error and 95 % interval, `raw`, the same before it is corrected
#'     for choosing, and `domains`, how many they come from (`NA` and 0 with one domain);
#'     `metric`, `rows`, `seed`, `seconds`: what decided, rows of the search, what they were drawn
#'     by, its time; `few`: one domain only?; `max_seconds`: list of `seconds` (or `NULL`) and
#'     `spent`: did it end the search?; of a source `scored`, the [dg_cv()] result of all rows,
#'     which [dg_lodo()] gives}
#'   \item{calibration}{with probabilities a list, see [dg_svm()]}
#'   and what `predict()` needs. Without data, a specification for [dg_cv()] and [dg_compare()].
#' @section Errors:
#' Those of [dg_ridge()]; a metric that needs probabilities. A candidate that fails, or a member
#' that cannot be fitted to all rows, is left out with one warning of class
#' `domgen_warning_left_out`.
#' @references Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation
#'   for model selection. *BMC Bioinformatics* 7, 91.
#' @seealso [dg_ensemble()] of your own members, [dg_tune()] for other methods, [dg_diagnose()]
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
#' @export
dg_auto <- function(x, y = NULL, domain = NULL, data = NULL, metric = NULL, n_members = 5,
                    folds = NULL, unit = NULL, max_seconds = NULL, max_rows = 1200,
                    max_ard = 30, calibration = c("none", "platt", "isotonic"),
                    weights = NULL, na.action = stats::na.omit, seed = 1, progress = NULL,
                    threads = NULL, ...) {
  parts <- c(learner_parts("Ensemble chosen by the training domains", domain = TRUE,
                           parameters = auto_parameters), list(units = TRUE))
  fit_or_specify(method_spec("dg_auto", "dg_auto_spec", parts, environment()), match.call(),
                 parent.frame())
}

auto_parameters <- function() parameters(
  parameter("metric", as_it_is),
  parameter("n_members", check_count),
  parameter("folds", as_it_is, tuned = FALSE),
  parameter("max_seconds", or_null(a_number()), tuned = FALSE),
  parameter("max_rows", function(value, arg) check_count(value, arg, at_least = 10L)),
  parameter("max_ard", function(value, arg) check_count(value, arg, at_least = 0L))
)

#' @exportS3Method
fit_sample.dg_auto_spec <- function(spec, sample) {
  check_several_classes(sample$y)
  once(with_seed(spec$args$seed, {
    start <- proc.time()[["elapsed"]]
    found <- choose_by_domain(spec$args, sample)
    members <- fit_members(found$search, found$chosen$keys, sample)
    found <- without_failed(found, members)
    chosen <- found$chosen
    members <- members[chosen$keys]
    expected <- expected_score(found$search, chosen, sample, members)
    members <- lapply(unname(members), slim)
    methods <- vapply(members, function(member) sub("^dg_", "", member$spec$method), "")
    names(members) <- make.unique(methods, "_")
    choice <- c(list(expected = expected, seconds = proc.time()[["elapsed"]] - start),
                found$choice)
    new_ensemble(members, chosen$weights, sample, class = c("dg_auto", "dg_result"),
                 choice = choice)
  }), "domgen_warning_two_values")
}

# Where the score to expect is of these rows too, the same Gram matrix gives the values of domains
# that are left out. One that fails is its error. That fewer landmarks are used than there could be
# is no news to who asked for none.
fit_members <- function(search, keys, sample) {
  n <- length(sample$y)
  if (!search$few && is.null(sample$unit) && n <= min(most_scored, exact_rows)) {
    sample$left_out <- left_out_groups(sample, search$args$folds)
  }
  specs <- lapply(stats::setNames(keys, keys), function(key) member_spec(search, key, sample))
  lapply(specs, function(spec) {
    tryCatch(quietly(fit_member(spec, sample), "domgen_warning_rank"), domgen_error = identity)
  })
}

# What was chosen without the members that could not be fitted to all rows; the others have their
# weight.
without_failed <- function(found, members) {
  chosen <- found$chosen
  failed <- vapply(members, inherits, NA, "error")
  if (all(failed)) stop(members[[1L]])
  if (!any(failed)) return(found)
  candidates <- lapply(found$search$found[names(members)[failed]], `[[`, "candidate")
  warn_candidates(stats::setNames(lapply(members[failed], conditionMessage),
                                vapply(candidates, candidate_words, "")))
  chosen$keys <- chosen$keys[!failed]
  chosen$weights <- chosen$weights[!failed] / sum(chosen$weights[!failed])
  chosen$ridge$keys <- intersect(chosen$ridge$keys, chosen$keys)
  # below the line of the mean, in this order
  lines <- 1L + seq_along(members)
  found$choice$table$member[lines] <- !failed
  found$choice$table$weight[lines] <- replace(rep(NA_real_, length(members)), !failed,
                                              chosen$weights)
  found$chosen <- chosen
  found
}

# Without what follows from its other parts.
slim <- function(object) UseMethod("slim")

#' @exportS3Method
slim.default <- function(object) object

#' @exportS3Method
slim.dg_ridge <- function(object) {
  object$left_out <- NULL
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
