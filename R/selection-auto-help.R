# Help on the search of dg_auto(), see R/selection-auto.R.

#' How dg_auto() selects
#'
#' What [dg_auto()] tries, which of it becomes a member of the ensemble, and by which score.
#'
#' @section Candidates:
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
#' * A mixed model ([dg_mixed()]), if its package is installed, from ten domains, three rows per
#'   domain and ten rows per predictor (of classes, without those of the most frequent one). It has
#'   domain means if there are at least 2 (p + 2) domains for p predictors. Classes, proportions and
#'   counts of `poisson()` are fitted by lme4 with `nAGQ = 0`, others without standard errors.
#'   Ordered classes are first fitted without random effects; if that is no better than the kernel
#'   regressions by more than half a standard error, these fits stand in the table.
#' * Support vector regression with three costs, if residuals of the best ridge regression on
#'   held-out domains are heavy-tailed (kurtosis above 5; a normal distribution has 3).
#' * The null model ([dg_null()]).
#' @section Families:
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
#' `offset()`; a number then needs a `family` (`"gaussian"`
#' for least squares).
#' @section Ensemble:
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
#' Some scores vary too much between few rows to select by (`tests/bench/auto-classes.R`). For
#' classes with a family and `metric = "accuracy"`, `"auc"` or `"log_loss"`, candidates are selected
#' by the Brier score; for `"concordance"` and `"uno"` by the partial deviance, minus twice the
#' logarithm of Cox's partial likelihood of a domain's rows per event, minus its value at f = 0.
#'
#' `rule` is how scores by domain become the one number by which `lambda`, candidates, the number of
#' members and members beside the ridge regressions are selected. Where more than a standard error
#' is asked, it is that of the mean difference. Weights minimise the mean squared error, and the
#' expected score is of the mean, under each rule.
#' @section Few domains:
#' * Two to four: no domain kernels are tried. A scaling that depends on the domain (by domain,
#'   both, domain means) is used only if it is better by more than one standard error. The number of
#'   members is not selected: the average leaves out configurations whose root mean squared error is
#'   more than 25 % above the lowest. With two domains, the estimate has no standard error.
#' * One: nothing can be selected, with a warning. Linear kernels, other kernels (each with every
#'   scaling) and the forest have equal total weight; `lambda` is the best on held-out rows (ten
#'   groups).
#' @section Many rows:
#' The search uses 600 rows, then at most `max_rows` for the best candidates. Their `lambda` is then
#' multiplied by the ratio of the numbers of rows. The sample has equally many rows of each domain.
#' It does not depend on a numeric response. Classes are sampled in proportion; a class that is too
#' rare to be drawn keeps a row in two domains. If there would be fewer than 20 rows per domain,
#' domains are sampled too. The final fit uses all rows. It is exact up to 10,000 rows (censored
#' times: 5,000) and uses `features_nystrom(1000)` beyond.
#' @name auto_search
#' @references McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, 2nd edition.
#'   Chapman and Hall.
#' @seealso [dg_auto()], [auto_choice] for its expected score
NULL

#' What dg_auto() found
#'
#' The score that [dg_auto()] expects on new domains, the table of its candidates, and the errors on
#' which intervals rest.
#'
#' @section Expected score:
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
#' @section Repeated subjects:
#' If subjects occur in several domains (patients on several devices), give `unit`. Rows are then
#' predicted without their domain and without their subject, in three folds of subjects. The
#' estimated score is for new subjects in new domains; its standard error adds a jackknife over
#' subjects (at most 20 groups). The correction for optimism accounts for domains but not for
#' subjects, so with few subjects the estimate remains optimistic.
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
#' @section Intervals and sets:
#' They rest on errors of the members in held-out domains ([set_intervals()]), which `predict()`
#' computes at the first such call from all rows, also if the search used some of them. Ridge
#' regressions are held out in closed form. The forest is fitted again without each of at most five
#' groups of domains, with half of its trees (at most 100). Generalised regressions are held out in
#' one Newton step ([closed_form]) if no domain has a tenth of the information, otherwise fitted
#' again without each of at most ten groups. Members and weights stay. The errors of numbers are
#' enlarged
#' by the ratio of the expected score to the score before correction.
#' @name auto_choice
#' @references Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation
#'   for model selection. *BMC Bioinformatics* 7, 91.
#' @seealso [dg_auto()], [auto_search] for the candidates
NULL
