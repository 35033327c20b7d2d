#' Diagnose shift, headroom and gain
#'
#' @description
#' Answers three questions before a model is chosen:
#' 1. *Shift*: do the distributions of the predictors differ between domains? The estimate is the
#'    distributional variance \eqn{V = \frac1G\sum_g \lVert\mu_g - \bar\mu\rVert^2}{V = (1/G) sum_g
#'    |mu_g - mu|^2} of the mean embeddings (DICA paper, equation 1) over its mean under permutation
#'    of the rows.
#' 2. *Headroom*: does the relation of response and predictors vary by domain? The estimate is the
#'    gain over pooling of a model with known domains ([domain_multitask()]), on held-out rows of
#'    known domains.
#' 3. *Gain*: do unlabelled rows help in a new domain? The estimate is the gain over pooling of a
#'    model with [domain_distribution()], on held-out domains.
#'
#' Each answer is yes, no (a gain that matters is excluded) or inconclusive:
#'
#' | shift | headroom | gain | advice |
#' |---|---|---|---|
#' | yes | no | no | pool, or project with [dg_udica()] |
#' | | yes | no | label some rows of the new domain ([dg_adapt()]) |
#' | | | yes | use [domain_distribution()] |
#'
#' @details
#' **Repeated rows.** Domains are assumed exchangeable. Without `unit`, rows of a domain are assumed
#' independent; if several rows belong to one subject (visits of a patient), the p values of shift
#' and headroom are far too small. With `unit`, subjects are assumed independent: permutations move
#' all rows of a subject together or, if a subject has rows in several domains, exchange the domains
#' among its rows; random signs are drawn by subject; and a row is predicted without the other rows
#' of its subject.
#'
#' **Verdict.** A gain is reported if p is at most 0.05 and the interval lies above 0, and as
#' uncertain in size if p is at most 0.05 and the interval includes 0. It is excluded if all rows
#' were used and the interval lies below 1 % of the pooled score. Otherwise the verdict is
#' inconclusive and gives `detectable`, the mean gain that would have been found with about 80 %
#' probability. [diagnosis] has the models and tests.
#'
#' @param x,y,domain,data,weights,na.action,progress,threads,... As in [all methods][dg_arguments].
#' @param metric Score of gains, as in [dg_auto()].
#' @param max_rows Maximum number of rows, sampled equally by domain, from some of the domains if
#'   there are many. Default 8,000, which takes 3-8 seconds and 0.3 GB.
#' @param scale Scaling of the predictors: `"pooled"`, `"rank"` or `"none"`, as in [dg_dica()].
#'   Scaling by domain would hide a shift.
#' @param permutations Number of permutations in the test of shift. Default 200.
#' @param unit Vector or column of `data`: the subject of each row, if subjects have several rows.
#'   Default `NULL`: each row is a subject.
#' @param seed Seed of sampled rows, landmarks, permutations and signs.
#' @return An object of class `dg_diagnose`, a list with
#'   \item{shift}{list: `variance`, `level` (mean of the permutations) and `lower`, `upper` (their
#'     95 % range), `ratio` (`variance` over `level`), `p`}
#'   \item{headroom, gain}{data frames of one row: `difference`, its standard error `se`, 95 %
#'     interval `lower` to `upper`, `p`, `detectable`; `NA` if no domain has two rows (`headroom`)
#'     or all have the same predictors (`gain`)}
#'   \item{domains}{data frame, one row per domain: `domain`, `rows`, and the scores `pooled_known`
#'     and `known` (on held-out rows of known domains; `NA` for domains that were not used for
#'     headroom), `pooled_new` and `distributional` (on held-out domains)}
#'   \item{verdict}{three sentences, one per question}
#'   \item{metric, rows, available}{the metric, numbers of rows used and in the data}
#'   \item{weighted}{`TRUE` if these rows differ in weight; scores have no weights}
#'   \item{columns}{data frame: `column`, `kind`, `remark`, see [diagnosis]}
#'   \item{units}{with `unit`, the number of units in the rows used}
#' @section Errors:
#' Fewer than three domains, a [row_source()] as `data`, a `unit` that is the same in all rows, and
#' those of [dg_ridge()]. Without `unit` there is a warning (class `domgen_warning_repeated`) if
#' more rows are equal to others of their domain than discrete predictors explain.
#' @seealso [diagnosis], [dg_mmd()], [distributional_variance()], [dg_auto()]
#' @examples
#' # carbon dioxide uptake of plants
#' dg_diagnose(uptake ~ conc + Type + Treatment | Plant, data = CO2, permutations = 50)
#'
#' toy <- simulate_ellipses(domains = 8, n = 25, seed = 1)
#' result <- dg_diagnose(y ~ . | domain, data = toy, permutations = 50)
#' result
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(result)
#' @order 1
#' @export
dg_diagnose <- function(x, y = NULL, domain = NULL, data = NULL, metric = NULL, max_rows = 8000,
                        permutations = 200, unit = NULL, weights = NULL,
                        scale = c("pooled", "rank", "none"), na.action = stats::na.omit, seed = 1,
                        progress = NULL, threads = NULL, ...) {
  spec <- method_spec("dg_diagnose", "dg_diagnose_spec", environment())
  result <- fit_or_specify(spec, match.call(), parent.frame())
  if (inherits(result, "dg_spec")) {
    abort("argument", "`x` must be a formula with `data`, or a matrix with `y` and `domain`.")
  }
  result
}

diagnose_row <- function() {
  learner_row("Domain diagnosis", domain = TRUE, units = TRUE, parameters = diagnose_parameters)
}

diagnose_parameters <- function() parameters(
  parameter("metric"),
  parameter("max_rows", "count", 10),
  parameter("permutations", "count", 20),
  with_entries(shared_parameters$scale, levels = c("pooled", "rank", "none"))
)

#' @exportS3Method
fit_input.dg_diagnose_spec <- function(spec, input, shared = NULL) {
  args <- with_entries(spec$args, progress = read_progress(spec$args$progress))
  task <- cv_task(spec, input)
  if (nlevels(droplevels(task$domain)) < 3L) {
    abort("data", "`dg_diagnose()` needs at least 3 domains, not ",
          nlevels(droplevels(task$domain)), ".")
  }
  metric <- read_single_metric(args$metric, task$y)[[1L]]
  at <- search_rows(task, args$max_rows, args$seed)
  sample <- read_sample(take_rows(task$input, at), list(response = "any", domain = TRUE),
                        args$scale)
  sample$available <- length(task$y)
  check_units(sample$unit)
  warn_repeated(sample$X, sample$domain, sample$unit)
  with_seed(args$seed, diagnose(without_weightless(sample), metric, args,
                                column_remarks(columns_alone(input))))
}

# Without rows of weight 0.
without_weightless <- function(sample) {
  keep <- sample$weights > 0
  if (all(keep)) return(sample)
  sample <- keep_rows(sample, keep)
  sample$available <- sample$available - sum(!keep)
  if (nlevels(sample$domain) < 3L) {
    abort("data", "`dg_diagnose()` needs at least 3 domains with a positive weight, not ",
          nlevels(sample$domain), ".")
  }
  sample
}

diagnose <- function(sample, metric, args, columns) {
  bar <- progress_steps(length(given_taus) + length(distribution_times) + 2L, args$progress)
  on.exit(bar$done())
  step <- bar$step
  shift <- step("shift", diagnose_shift(sample, args))
  study <- new_study(sample, metric, args, step)
  pooled <- step("pooled", best_pooled(study))
  study$kernel <- pooled$kernel
  headroom <- compare_known(study, pooled, args)
  gain <- compare_models(study, pooled, "distributional", distributions(study, shift),
                           sample$domain, signs = sample$domain)
  if (all(is.na(gain$pooled))) abort_no_score()
  domains <- data.frame(
    domain = levels(sample$domain), rows = tabulate(sample$domain),
    headroom$scores[match(levels(sample$domain), headroom$scores$domain), -1L],
    pooled_new = gain$pooled, distributional = gain$other, row.names = NULL
  )
  result <- list(shift = shift, headroom = headroom$row, gain = gain$row, domains = domains,
                 metric = metric, rows = nrow(sample$X), available = sample$available,
                 labels = variable_names(sample$blueprint), columns = columns,
                 weighted = have_weights(sample$weights))
  result$units <- if (!is.null(sample$unit)) length(unique(sample$unit))
  result$verdict <- diagnose_verdict(result)
  structure(result, class = c("dg_diagnose", "dg_result"))
}

# Keeps the levels of all classes.
keep_rows <- function(sample, keep) {
  utils::modifyList(sample_part(sample, keep), list(y = sample$y[keep]))
}

# With what they lack added to lambda, errors are near those of twice as many.
diagnose_landmarks <- 200L

# Rounding leaves so much of domains with the same predictors.
no_variance <- 1e-12

# The mean of |mu_g|^2 over domains less |mu|^2, mu the mean of mu_g, for the domains as they are
# and as they are permuted. Of landmarks K ~ ZZ' + d I, with d what they lack of the diagonal.
diagnose_shift <- function(sample, args) {
  space <- gram_space(kernel_rbf(), domain_pooled(), sample, args$threads)
  n <- nrow(sample$X)
  pivots <- draw_pivots(space$kernel, NULL, space, min(diagnose_landmarks, n), features = TRUE)
  domain <- as.integer(sample$domain)
  codes <- cbind(domain, permuted_domains(domain, sample$unit, args$permutations))
  G <- nlevels(sample$domain)
  variances <- core_result(variance_of_means_(pivots$features, codes, G, args$threads))
  # what landmarks lack has no part in domains that have the same predictors
  if (variances[1L] > no_variance) {
    lacking <- pivots$left * (1 - 1 / G)
    variances <- variances + lacking * apply(codes, 2L, function(g) mean(1 / tabulate(g, G)))
  }
  variance <- unname(variances[1L])
  by_chance <- variances[-1L]
  range <- stats::quantile(by_chance, c(0.025, 0.975), names = FALSE)
  list(variance = variance, level = mean(by_chance), lower = range[1L], upper = range[2L],
       ratio = variance / mean(by_chance),
       # equal up to rounding counts as equal
       p = (1 + sum(by_chance >= variance * (1 - 1e-10))) / (1 + args$permutations))
}

# scores [domains x settings]: for each domain, its score at the setting with the best mean in the
# other domains.
choose_elsewhere <- function(scores, metric) {
  scores[cbind(seq_len(nrow(scores)), best_elsewhere(scores, metric))]
}

# Which setting that is; NA settings are none.
best_elsewhere <- function(scores, metric) {
  filled <- ifelse(is.na(scores), 0, scores)
  counts <- !is.na(scores)
  others <- sweep(-filled, 2L, colSums(filled), "+") / sweep(-counts, 2L, colSums(counts), "+")
  apply(losses(others, metric$better), 1L, function(s) {
    if (all(is.na(s))) NA_integer_ else which.min(s)
  })
}

#' How domains are diagnosed
#'
#' The models, tests and power behind the answers of [dg_diagnose()].
#'
#' @section Models:
#' All models are ridge regressions (as [dg_ridge()] with `intercept = TRUE`) on at most
#' 200 landmarks ([features_nystrom()]; 4 per domain for headroom, if that is more) of a Gaussian
#' kernel with 1/2, 1, 2 or 4 times the median bandwidth, whichever is best for pooling. The part of
#' the kernel's diagonal that landmarks lack is added to `lambda`. Rows and domains are held out in
#' closed form ([closed_form]), at the values of `lambda` from the best of the model before to a
#' minimum. Estimates vary with `seed` by landmarks and held-out rows: on 6,400 simulated rows of 32
#' domains, by a quarter (gain) to 0.4 (headroom) of their standard error. For each domain,
#' `lambda`, `tau` (0, 0.25, 0.5, 0.75, 0.9) and the bandwidth between embeddings (1/2, 1, 2, 4
#' times the median) are those that are best in the *other* domains, so that gains are not
#' optimistic. A gain is the difference of the score in a domain, positive if the model is better
#' than pooling; its interval is that of [dg_compare()] without `refits`. Headroom is estimated in
#' at most 100 domains, chosen at random.
#' @section Shift:
#' Variances are those of the embeddings on at most 200 landmarks, to about 1 % of
#' [distributional_variance()].
#' @section p values:
#' The p value of the shift is from permutations of rows among domains. Those of
#' headroom and gain are from a wild bootstrap, by row (or unit) for headroom and by domain for gain
#' (wild cluster bootstrap; Cameron, Gelbach and Miller, 2008). The statistic is the
#' relative reduction of the squared error, \eqn{1 - \min E_{other} / \min E_{pooled}}{1 - min
#' E_other / min E_pooled} (means over domains, at the best setting, with a parabola between values
#' of `lambda`). It is compared with its values for 99 simulated responses without a gain. Each is
#' the fit of the pooled model plus its held-out residuals with random signs. For headroom, signs
#' are by row: simulated domains do not differ. For gain, signs are by domain: simulated domains
#' differ as much as the observed ones, but independently of their predictors. G domains have only
#' \eqn{2^G}{2^G} combinations of signs, so p of the gain is coarse with five or six domains. With
#' classes, the squared errors are those of their indicators, whatever the `metric`.
#'
#' **Detectable gain.** If the verdict is inconclusive, `detectable` is the true mean gain whose
#' interval would lie above 0 with about 80 % probability (power) if `se` is as estimated here. It
#' is \eqn{(t_{0.975} + t_{0.8})\,se}{(t_0.975 + t_0.8) se} with quantiles of Student's t with G - 1
#' degrees of freedom. p alone is often below 0.05 for smaller gains. Nothing is excluded if only a
#' sample of the rows was used, since models may gain from all rows, or if the score is equal in
#' every domain, as accuracy can be.
#' @references
#' Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2008). Bootstrap-based improvements for
#' inference with clustered errors. *Review of Economics and Statistics*, 90, 414-427.
#' @seealso [dg_diagnose()]
#' @section Columns:
#' The last lines of `print()`, and `$columns`, name columns that may be meant otherwise, what they
#' are taken for, and how to change that. Nothing is changed.
#'
#' | kind | column |
#' |---|---|
#' | `identifier` | text that differs in every row; whole numbers that do, and have hardly a gap |
#' | | or a name such as `id` or `case_no` |
#' | `code` | 9, 98, 999, -99 and their like, far from all other values; nearer if they come twice |
#' | `categories` | two or three numbers that follow each other from 0 or 1, but for 0 and 1 alone |
#' | `levels` | text of more than 50 values, with a hint if most are numbers or dates |
#' | `constant` | one value, or none |
#' | `date` | dates are numbers of days, times of seconds |
#'
#' The first three kinds need at least 20 rows. Among 14,400 usual columns drawn at random (script
#' `tests/bench/column-remarks.R`), none was called an identifier, 4 were said to have a code, and
#' 172 to be categories: counts or periods of two or three values. A code 999 in 5 % of rows beside
#' values up to 100 was found in all columns, 99 in 78 %.
#' @name diagnosis
NULL
