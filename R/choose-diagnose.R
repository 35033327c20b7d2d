#' What is there to gain from domains?
#'
#' @description
#' Three questions before any model, with answers in words and one picture:
#' \enumerate{
#'   \item *Shift*: do the predictors' distributions differ between domains? The distributional
#'     variance \eqn{V = \frac1G\sum_g \lVert\mu_g - \bar\mu\rVert^2}{V = (1/G) sum_g |mu_g - mu|^2}
#'     of the mean embeddings (DICA paper, equation 1) over its mean when rows are dealt out to the
#'     domains at random, and the p value of that permutation test.
#'   \item *Room*: does the response's relation to x move with the domain? What a machine that is
#'     told the domain ([domain_multitask()]) gains over pooling, on left-out rows of known
#'     domains.
#'   \item *Gain*: can unlabelled rows tell how? What a machine with [domain_distribution()] gains
#'     over pooling on left-out domains.
#' }
#' Each is answered by yes, by no where something that matters is excluded, or by "cannot tell".
#' Shift without room: pool, or project with [dg_udica()]. Room without gain: unlabelled
#' rows do not say how a new domain behaves; collect a few labels. Gain: use the distributional
#' kernel.
#'
#' @details
#' All machines are ridge regressions (as [dg_ridge()] with offset) on at most 400 landmarks
#' ([features_nystrom()]) of a Gaussian kernel with 1/2, 1, 2 or 4 times the median bandwidth,
#' whichever is best for pooling; rows and domains are left out in closed form ([dg_lodo()]). lambda
#' and, where there are some, `tau` (0, 0.25, 0.5, 0.75, 0.9) and the bandwidth between embeddings
#' (1/2, 1, 2, 4 times the median) are, for each domain, those that do best in the *other* domains,
#' so that a gain is not that of the best of many. Gains are differences of the score in each
#' domain, positive where the machine is better, with the intervals of [dg_compare()]. Room is
#' looked for in at most 100 domains, chosen at random.
#'
#' **Repeated rows.** Domains are taken to be exchangeable. Without `unit`, the rows of a domain are
#' taken to be independent. If several rows belong to one object (visits of a patient), the p values
#' of the shift and of the gain in known domains are then far too small. With `unit`, objects are
#' taken to be independent: permutations move all rows of an object together or, if an object has
#' rows in several domains, exchange the domains among its rows; random signs are drawn by object;
#' and a row is predicted without the other rows of its object.
#'
#' **p values.** Of the shift by permutation: rows are dealt out to domains anew. Those of room and
#' gain compare the share of the squared error that the other machine saves,
#' \eqn{1 - \min E_{other} / \min E_{pooled}}{1 - min E_other / min E_pooled} (means over domains,
#' at the best choice, with a parabola between values of lambda), with what it saves in 99 worlds
#' where there is nothing to find: the fit of the pooled machine, plus its left-out residuals with
#' signs drawn at random. Drawn for each row, no domain differs from others (room); drawn for each
#' domain, domains differ as much as they do, but nothing tells how (gain): the wild cluster
#' bootstrap (Cameron, Gelbach and Miller, 2008). Such p values need domains: with five or six there
#' are few signs to draw. With classes, the squared errors are those of their indicators, whatever
#' the `metric`.
#'
#' **Verdict.** A gain is *certain*, and domain_distribution() recommended, where p is at most 0.05
#' and the interval lies above 0. It is *excluded* where all rows were used and the interval lies
#' below 1 % of the pooled score. In between the verdict says that it cannot tell, and which gain
#' would have been seen: `detectable` is \eqn{(t_{0.975} + t_{0.8})\,se}{(t_0.975 + t_0.8) se},
#' with the quantiles of Student's t with one degree of freedom less than domains, the mean
#' difference of which the interval would lie above 0 with a probability of 80 %, if the differences
#' spread as they do here. The p value alone is often below 0.05 for smaller gains. On some of the
#' rows a machine may not show what it does on all: with fewer than all nothing is excluded. Nor
#' where the score is the same in every domain, as accuracy can be: that says nothing about other
#' domains.
#'
#' @inheritParams dg_auto
#' @param metric Score, as in [dg_auto()].
#' @param max_rows Most rows that are used: chosen at random, an equal share of each domain, or of
#'   some domains where there are many. 8,000 rows take 10-30 seconds and 0.5 GB.
#' @param scale As in [dg_dica()], without the scalings by domain, which would hide a shift.
#' @param permutations Number of permutations of the test of shift.
#' @param unit Vector or column of `data`: the object that each row is a measurement of, where an
#'   object has several rows. `NULL`: each row is of its own.
#' @param seed For rows, landmarks, permutations and signs.
#' @param progress Show how far it is? `NULL`: in interactive sessions.
#' @return An object of class `dg_diagnose`, a list with
#'   \item{shift}{`variance`, `level` (mean of the permutations) and `lower`, `upper` (their 95 %
#'     range), `ratio`, `p`}
#'   \item{room, gain}{data frames of one line: `difference`, `se`, `lower`, `upper`, `p`,
#'     `detectable`; `NA` where no domain has two rows (room) or all have the same predictors
#'     (gain)}
#'   \item{domains}{data frame, one line per domain: `domain`, `rows`, and the scores
#'     `pooled_known`, `told` (`NA` for domains in which no room was looked for), `pooled_unseen`,
#'     `distributional`}
#'   \item{verdict}{sentences}
#'   \item{metric, rows, available}{the metric, rows used, and rows that there were}
#'   \item{units}{with `unit`, the number of units in the rows used}
#' @references
#' Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2008). Bootstrap-based improvements for
#' inference with clustered errors. *Review of Economics and Statistics*, 90, 414-427.
#' @section Errors:
#' Fewer than three domains, a `unit` that is the same in all rows, and those of [dg_ridge()].
#' Without `unit` there is a warning (class `domgen_warning_repeated`) where more rows are equal to
#' others of their domain than discrete predictors explain.
#' @seealso [dg_mmd()], [distributional_variance()], [dg_auto()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 25, seed = 1)
#' result <- dg_diagnose(y ~ . | domain, data = toy, permutations = 50)
#' result
#' plot(result)
#'
#' # carbon dioxide uptake: does it help to know the plant?
#' dg_diagnose(uptake ~ conc + Type + Treatment | Plant, data = CO2, permutations = 50)
#' @export
dg_diagnose <- function(x, y = NULL, domain = NULL, data = NULL, metric = NULL, max_rows = 8000,
                        permutations = 200, unit = NULL, weights = NULL,
                        scale = c("pooled", "rank", "none"), na.action = stats::na.omit, seed = 1,
                        progress = NULL, threads = NULL, ...) {
  parts <- c(learner_parts("What is there to gain from domains?", domain = TRUE,
                           parameters = diagnose_parameters), list(units = TRUE))
  spec <- method_spec("dg_diagnose", "dg_diagnose_spec", parts, environment())
  result <- fit_or_specify(spec, match.call(), parent.frame())
  if (inherits(result, "dg_spec")) {
    abort("argument", "`x` must be a formula with `data`, or a matrix with `y` and `domain`.")
  }
  result
}

diagnose_parameters <- function() parameters(
  parameter("metric", as_it_is),
  parameter("max_rows", function(value, arg) check_count(value, arg, at_least = 10L)),
  parameter("permutations", function(value, arg) check_count(value, arg, at_least = 20L)),
  with_entries(shared_parameters$scale, check = one_of(c("pooled", "rank", "none")))
)

#' @exportS3Method
fit_input.dg_diagnose_spec <- function(spec, input) {
  args <- spec$args
  args$progress <- read_progress(args$progress)
  task <- cv_task(spec, input)
  if (nlevels(droplevels(task$domain)) < 3L) {
    abort("data", "`dg_diagnose()` needs at least 3 domains, not ",
          nlevels(droplevels(task$domain)), ".")
  }
  metric <- read_plain_metrics(args$metric, task$y)[[1L]]
  rows <- search_rows(task, args$max_rows, args$seed)
  sample <- read_sample(take_rows(task$input, rows), list(response = "any", domain = TRUE),
                        args$scale)
  sample$available <- length(task$y)
  check_units(sample$unit)
  warn_repeated(sample$X, sample$domain, sample$unit)
  with_seed(args$seed, diagnose(without_weightless(sample), metric, args))
}

# Rows of weight 0 count as none.
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

diagnose <- function(sample, metric, args) {
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
    pooled_unseen = gain$pooled, distributional = gain$other, row.names = NULL
  )
  result <- list(shift = shift, headroom = headroom$row, gain = gain$row, domains = domains,
                 metric = metric, rows = nrow(sample$X), available = sample$available,
                 labels = variable_names(sample$blueprint))
  result$units <- if (!is.null(sample$unit)) length(unique(sample$unit))
  result$verdict <- diagnose_verdict(result)
  structure(result, class = c("dg_diagnose", "dg_result"))
}

# With all classes.
keep_rows <- function(sample, keep) {
  utils::modifyList(sample_part(sample, keep), list(y = sample$y[keep]))
}

# V = sum_g w_g'K w_g / G - w'K w / G^2, where w_g is 1/n_g on domain g and 0 elsewhere, and w
# their sum, for the domains as they are and as they are permuted; one K serves all.
diagnose_shift <- function(sample, args) {
  K <- space_gram(gram_space(kernel_rbf(), domain_pooled(), sample, args$threads))
  G <- nlevels(sample$domain)
  domain <- as.integer(sample$domain)
  codes <- cbind(domain, permuted_domains(domain, sample$unit, args$permutations))
  w <- apply(codes, 2L, function(g) 1 / tabulate(g)[g])
  means <- colSums(w * (K %*% w)) / G^2
  own <- apply(codes, 2L, function(g) {
    sum(vapply(split(seq_along(g), g), function(i) sum(K[i, i]) / length(i)^2, 0)) / G
  })
  found <- unname(own - means)[1L]
  by_chance <- (own - means)[-1L]
  range <- stats::quantile(by_chance, c(0.025, 0.975), names = FALSE)
  list(variance = found, level = mean(by_chance), lower = range[1L], upper = range[2L],
       ratio = found / mean(by_chance),
       # of equals but for rounding
       p = (1 + sum(by_chance >= found * (1 - 1e-10))) / (1 + args$permutations))
}

# scores [domains x choices]: of each domain the choice that is best on average in the others.
choose_elsewhere <- function(scores, metric) {
  known <- ifelse(is.na(scores), 0, scores)
  counts <- !is.na(scores)
  others <- sweep(-known, 2L, colSums(known), "+") / sweep(-counts, 2L, colSums(counts), "+")
  best <- apply(losses(others, metric$better), 1L, function(s) {
    if (all(is.na(s))) NA_integer_ else which.min(s)
  })
  scores[cbind(seq_len(nrow(scores)), best)]
}
