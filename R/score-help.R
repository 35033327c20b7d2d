# Help on what cross-validation scores and holds out, see R/score-cv.R.

#' Scores of held-out domains
#'
#' What [dg_cv()], [dg_compare()], [dg_tune()] and [dg_auto()] can score, in which unit, and what
#' the intervals of a mean score say.
#'
#' @section Scores:
#' Each score is computed in every domain separately and summarised by its mean over domains.
#'
#' `r metrics_help()`
#'
#' * The recall of a class is the proportion of its rows that are predicted right.
#' * `"auc"` uses decision values. With more than two classes it is the mean over pairs of classes
#'   i, j of the mean area by which i's and j's decision values separate rows of i and j (Hand and
#'   Till, 2001, equation 7).
#' * `"f1"` of more than two classes is the mean over the classes that a domain has or is predicted
#'   to have (0 for those that are only predicted).
#' * `"mcc"` is the correlation of true and predicted classes, of two or more (Gorodkin, 2004).
#' * `"log_loss"` and `"brier"` need probabilities, see `calibration` of [dg_svm()]. In `"log_loss"`
#'   p is at least 1e-15. A domain with a class that its training domains lack has an infinite log
#'   loss, whatever the model says of that class: it has no score (`NA`) and is left out of the mean
#'   and of `overall`, as `print()` says; nor has it a curve of `shots` (with `updates = "adapt"` by
#'   no score). `"brier"`, which is finite, keeps it; of more than two classes it is summed over
#'   classes.
#' * `"log_density"` needs a predictive density, as of [dg_gp()].
#' * `"coverage"` and `"width"` are of the intervals of `predict(interval = "prediction", level =
#'   0.9)`, or of the sets of `type = "set"`, fitted to the training domains of the fold. The
#'   nominal coverage is 0.9; the width of a set is its number of classes.
#' * `"interval_score"` is the width of the same intervals plus 20 times the distance of the truth
#'   from the interval (Gneiting and Raftery, 2007, equation 43).
#' * `"concordance"` is the proportion of pairs of rows, of those with a known order of events, in
#'   which the earlier one has the larger decision value; ties count 1/2 (Harrell and others, 1982).
#'   `"uno"` weighs pairs by the inverse probability of censoring, see [metric_concordance()].
#'   `overall` is that of all pairs within domains: domains are weighted by their pairs. For Brier
#'   scores of survival probabilities see [metric_brier()].
#' * A deviance is [metric_deviance()].
#'
#' Rows of a domain have equal weight: `weights` are for fits only, which `print()` says. If they
#' are numbers of equal rows, give these rows: `data[rep(seq_len(nrow(data)), weights), ]`.
#'
#' A domain with a single class has no `"auc"`, `"balanced_accuracy"`, `"gmean"`, `"f1"` and
#' `"mcc"`: they are `NA` and left out of the mean. A domain that lacks some of more than two
#' classes has these scores for the classes that it has. A domain without a pair of rows with a
#' known order of events has no `"concordance"`; if all rows of a domain have the same predictors,
#' all its pairs are ties and it is 1/2.
#'
#' **Intervals** of a mean are Student's, for new domains that are exchangeable with these; for when
#' they do not cover see [dg_compare()]. For losses that are above zero in all domains, such as
#' `"rmse"`, `"log_loss"` or a deviance, they are on the log scale, because these are skewed:
#' \eqn{m e^{\pm t\,\mathrm{se}/m}}{m exp(+-t se/m)} with the mean m. Intervals end at the limits of
#' the score (0 and 1 for accuracy). Scores that are equal in all domains have no interval: they do
#' not show how far other domains differ.
#'
#' The standard error of `"coverage"` is too large: the intervals in a domain are computed from the
#' errors in the others, so coverages of domains are negatively dependent. Widths vary with the
#' training domains only, which folds nearly share; so `"width"` has a standard error with `refits`
#' only. `"interval_score"` depends on few large values: with heavy or skewed tails, its 95 %
#' intervals cover too little.
#' @section New levels:
#' Levels and coding of categorical predictors are learned from the training rows of each fold. A
#' row with another level is not predicted, as by [predict()][predict.dg_learner]: its prediction is
#' `NA`, its domain has no score and is left out of the mean, and a warning of class
#' `domgen_warning_new_level` names column, level and domain. Combine rare levels, or impute them
#' ([na.impute()]).
#' @name scores
#' @references
#' Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation
#' coefficient. *Computational Biology and Chemistry* 28(5-6), 367-374.
#'
#' Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and
#' estimation. *Journal of the American Statistical Association* 102(477), 359-378.
#'
#' Harrell, F. E., Califf, R. M., Pryor, D. B., Lee, K. L. and Rosati, R. A. (1982). Evaluating the
#' yield of medical tests. *JAMA* 247(18), 2543-2546.
#'
#' Hand, D. J. and Till, R. J. (2001). A simple generalisation of the area under the ROC curve for
#' multiple class classification problems. *Machine Learning* 45(2), 171-186.
#' @seealso [metric_custom()], [metric_deviance()], [metric_brier()], [metric_concordance()]
NULL

#' Nested, crossed and later domains
#'
#' What [dg_cv()] holds out if domains have several factors, and how it scores periods if folds have
#' time.
#'
#' @section Domains of several factors:
#' Factors after the bar are nested, `y ~ x | school / class`, or crossed, `y ~ x | patient +
#' device`, or both, `y ~ x | (school / class) + year`. A domain is then a combination, such as a
#' class or a pair of patient and device, named `"7 / 2"` or `"Anna + B"`; a [domain
#' kernel][domain_distribution] describes each combination by its own rows. `hold_out` selects what
#' is held out, and `print()` gives the factors in which it is new:
#' * A named factor, `hold_out = "school"`: all rows of a school together. With `"class"`, the other
#'   classes of its school stay in training; with `"device"`, so do rows of its patients on other
#'   devices.
#' * `"all"`: domains that are new in every factor. For nested factors that is the outer one. For
#'   crossed factors, a level of each is held out (`folds = NULL`: as many folds as pairs) or a
#'   group of levels of each (`folds = v`: v times v folds); rows that share a level with the
#'   held-out rows are not in training, so training sets are smaller than with one factor.
#'
#' Scores are per level of the held-out factor, or per pair for crossed factors. Scores of pairs
#' with a common level are dependent, so the variance of the mean uses sums of squares over patients
#' plus those over devices minus those over pairs (Cameron, Gelbach and Miller, 2011, equation 2.13,
#' each times L/(L - 1) for its L levels), with degrees of freedom one less than the smaller number
#' of levels. If an inner factor is held out, `hold_out = "class"`, sums of squares are over the
#' schools. `refits` are not used for either. In simulations with 8 x 4 and 6 x 6 levels 95 %
#' intervals covered in 97-100 % of draws (70-87 % if scores were treated as independent); with 6
#' and 12 schools of 4 classes in 94 and 96 % (86 and 92 %) (`tests/bench/results/errors.txt`).
#' @section Folds with time:
#' With folds of [domain_folds()] with `time`, training rows are from earlier periods (`new =
#' "domain"`: or the same one). `print()`, `plot()` and `tidy(table = "periods")` also give scores
#' by period: means over domains of the score of a domain's rows in the period.
#'
#' `trend` is the mean change of the first metric from a period to the next. If at least two domains
#' have scores in several periods, it is paired within domains: with the score
#' \eqn{s_{gp}}{s_gp} of domain g in period p, and the mean \eqn{\bar p_g}{pbar_g} of the periods
#' in which it has one,
#' \deqn{b = \frac{\sum_{gp} (p - \bar p_g) s_{gp}}{\sum_g S_g}, \quad
#'   \mathrm{se}^2 = c\, \frac{G}{G - 1} \frac{\sum_g S_g^2 (b_g - b)^2}{(\sum_g S_g)^2}, \quad
#'   S_g = \sum_p (p - \bar p_g)^2}{
#'   b = sum_gp (p - pbar_g) s_gp / sum_g S_g,
#'   se^2 = c G/(G - 1) sum_g S_g^2 (b_g - b)^2 / (sum_g S_g)^2,  S_g = sum_p (p - pbar_g)^2}
#' the slope of a linear model with an intercept for each domain, and its standard error with
#' domains as clusters (Cameron, Gelbach and Miller, 2011), where b_g is the slope of domain g alone
#' and G the number of domains. If domains have one period each, it is the slope of the line through
#' their scores, with its heteroscedasticity-consistent variance times G/(G - 2). The interval is
#' Student's with G - 1 (G - 2) degrees of freedom.
#'
#' As elsewhere ([standard_errors]), variances are multiplied by \eqn{1 + n/n_1}{1 + n/n_1}: for
#' `se` with the n rows held out in all and n_1 in training, on average; for a period with its own n
#' and n_1; and c is the mean of these factors of the periods. `refits` are not used.
#'
#' Intervals are over domains and take the periods as they are: what is common to all domains in a
#' period, as a shock of that year, is part of its score and of the trend. Training sets grow, so a
#' score that gets worse shows drift, or rows that are harder to predict; one that gets better may
#' only show more rows. In simulations with 8 and 20 domains, without drift and with shocks that all
#' domains share, 95 % intervals of the mean covered in 88-100 % of draws, of a period in 90-97 %,
#' and of the trend in 91-99 % (`inst/experiments/domgen-time.R`); they covered least with a model
#' that fits nearly every row.
#' @section Elements:
#' The result of [dg_cv()] has in addition
#' \describe{
#'   \item{`novelty`, `unit`, `crossed`}{with several factors: the factors in which held-out rows
#'     are new, and the unit of a score, as text; the levels of crossed factors by domain}
#'   \item{`periods`, `trend`, `period_scores`}{with time: data frame with a row per held-out
#'     period: `period`, `from`, `to`, `train` (mean number of training rows), `rows`, `domains`
#'     with a score, their `mean`, `se`, and `lower` to `upper` (95 % interval); data frame with one
#'     row, `change` per period, `se`, `df`, `lower`, `upper`, `p`, the number of `domains`, and
#'     `how` (`"within domains"` or `"between domains"`), `NULL` with one period; matrix of scores,
#'     domains x periods} }
#' @name nested_domains
#' @references
#' Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2011). Robust inference with multiway
#' clustering. *Journal of Business & Economic Statistics* 29(2), 238-249.
#' @seealso [dg_cv()], [domain_folds()]
#' @examples
#' # chicks of a diet: a new diet with its chicks, or a new chick of a known diet
#' dg_cv(dg_lm(), weight ~ Time | Diet / Chick, data = ChickWeight)
#' dg_cv(dg_lm(), weight ~ Time | Diet / Chick, data = ChickWeight, hold_out = "Chick", folds = 5)
#'
#' # new chicks at a later age than those of training
#' dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight,
#'       folds = domain_folds(ChickWeight$Chick, folds = 5, time = ChickWeight$Time))
NULL

#' How much a few labels of a new domain help
#'
#' `dg_cv(shots = )` scores each held-out domain also after a few of its labelled rows were used.
#'
#' @section Partly known domains:
#' With `shots`, rows of each held-out domain are put in random order. For each k in `shots` the
#' first k rows with their labels are used in the ways of `updates`; the scored rows, those after
#' the largest k, are the same for all k and updates. Scores by the first metric are means over 5
#' random orders (150 divided by the number of domains, but at least 1, with more than 30 domains).
#' Domains with fewer than two rows more than the largest k are left out. All rows of
#' a domain describe it, labelled or not. `print()` and `plot()` show the mean score by k.
#'
#' * `"adapt"`: [dg_adapt()].
#' * `"intercept"`: the prediction p without labels is moved on the scale of its link (logit of
#'   classes, logarithm of the means of a Poisson [dg_glm()], identity of other numbers),
#'   \eqn{g(\mu) = a + g(p)}{g(mu) = a + g(p)}. a is the posterior mode with the prior
#'   \eqn{N(0, \tau_a^2)}{N(0, tau_a^2)}, so that few labels move it little.
#' * `"slope"`: \eqn{g(\mu) = g(p) + a + d\,z}{g(mu) = g(p) + a + d z} with z the standardised g(p),
#'   and \eqn{d \sim N(0, \tau_d^2)}{d ~ N(0, tau_d^2)}.
#' * `"local"`: the same specification fitted to the k rows alone. [dg_lm()], [dg_mixed()] and
#'   [dg_gam()], which have no penalty, are replaced by `dg_glm(kernel = kernel_linear())`; so is a
#'   model that cannot be fitted to one domain. With fewer than 3 rows, if that fails too (labels of
#'   one class), and for rows with a level that the k rows lack, the prediction is the mean of the
#'   labels, or (r + 1/2) / (k + c/2) for r labels of a class of c classes.
#'
#' \eqn{\tau_a}{tau_a}, \eqn{\tau_d}{tau_d} and the residual variance of numbers are estimated from
#' the held-out predictions of the other domains (Paule and Mandel, 1982, with mean 0). The fits of
#' these predictions include the domain that is updated, which touches these three numbers only.
#' Decision values of two classes without probabilities are multiplied by a common factor first, the
#' slope of a logistic regression on them in the other domains.
#'
#' Standard errors, of scores and of the paired changes from no labels, are for the mean over new
#' domains. They are those of `se` in Value: the factor for overlapping training sets or, with
#' `refits`, the jackknife if it is larger. If domains differ strongly, scores and changes are
#' skewed and intervals cover too little: in simulations with such domains 95 % intervals of changes
#' covered in 91-93 % of draws at 8 domains and in 86-96 % at 12. With similar domains they covered
#' in 98-100 % (`tests/bench/results/errors.txt`).
#' @section Elements:
#' The result of [dg_cv()] has in addition
#' \describe{
#'   \item{`shots`, `shot_scores`}{with `shots`: data frame of `update` (`"external"` first, the
#'     model without labels), `shots`, `mean`, `se`, `df`, `lower` to `upper` (95 % interval), the
#'     paired `difference` from no labels, `se_difference`, `df_difference` (at most G - 1), and the
#'     number of `domains`; matrix of scores, domains x rows of `shots`}
#'   \item{`refit`}{for a fitted model, `TRUE` if it was fitted again and `FALSE` in closed form;
#'     then see [closed_form] for `one_step` and `log_density`} }
#' @name shots
#' @references
#' Paule, R. C. and Mandel, J. (1982). Consensus values and weighting factors. *Journal of Research
#' of the National Bureau of Standards* 87(5), 377-385.
#' @seealso [dg_cv()], [dg_adapt()], [dg_plan()]
#' @examples
#' toy <- simulate_dcm(domains = 5, n = 30, seed = 1)
#' # with a few labelled rows of the new domain
#' dg_cv(dg_ridge(lambda = 1), y ~ . | domain, data = toy, shots = c(1, 5, 10))
#' dg_cv(dg_lm(), weight ~ Time | Chick, data = ChickWeight, folds = 5, shots = c(1, 5),
#'       updates = c("intercept", "slope"))
NULL
