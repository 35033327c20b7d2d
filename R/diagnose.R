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
#' Shift without room: pool, or project with [udica()]. Room without gain: unlabelled
#' rows do not say how a new domain behaves; collect a few labels. Gain: use the distributional
#' kernel.
#'
#' @details
#' All machines are ridge regressions ([dg_ridge()], with offset) with a Gaussian kernel at the
#' median bandwidth; rows and domains are left out in closed form ([lodo()]). Pooling is among the
#' candidates of the other two, so that either can come to nothing. lambda and, where there are
#' some, `tau` (0, 0.25, 0.5, 0.75, 0.9, 0.97) and the bandwidth between embeddings (1/2, 1, 2, 4
#' times the median) are, for each domain, those that do best in the *other* domains, so that a gain
#' is not that of the best of many. Gains are differences of the score in each domain, positive
#' where the machine is better, with the intervals of [dg_compare()]. The gain on unseen domains has
#' to pass one test more: domains exchange their mean embeddings at random, so that these tell nothing,
#' and 19 such worlds must all gain less (p = 0.05).
#'
#' @inheritParams dg_auto
#' @param metric Score, as in [dg_auto()].
#' @param max_rows Most rows that are used, spread evenly over domains.
#' @param scale As in [dica()], without the scalings by domain, which would hide a shift.
#' @param permutations Number of permutations of the test of shift.
#' @param seed For rows and permutations.
#' @return An object of class `dg_diagnose`, a list with
#'   \item{shift}{`variance`, `level` (mean of the permutations) and `lower`, `upper` (their 95 %
#'     range), `ratio`, `p`}
#'   \item{room, gain}{data frames of one line: `difference`, `se`, `lower`, `upper`, `p`; the
#'     gain has `p_embedding` too, of the exchanged embeddings (`NA` where the interval has no
#'     gain)}
#'   \item{domains}{data frame, one line per domain: `domain`, `rows`, and the scores
#'     `pooled_known`, `told`, `pooled_unseen`, `distributional`}
#'   \item{verdict}{sentences}
#'   \item{metric, rows}{as used}
#' @section Errors:
#' Fewer than three domains, and those of [dg_ridge()].
#' @seealso [mmd()], [distributional_variance()], [dg_auto()]
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 25, seed = 1)
#' result <- dg_diagnose(y ~ . | domain, data = toy, permutations = 50)
#' result
#' plot(result)
#' @export
dg_diagnose <- function(x, y = NULL, domain = NULL, data = NULL, metric = NULL, max_rows = 1000,
                        permutations = 200, weights = NULL, scale = c("pooled", "rank", "none"),
                        na.action = stats::na.omit, seed = 1, threads = NULL, ...) {
  args <- list(
    metric = metric, max_rows = check_count(max_rows, "max_rows", at_least = 10L),
    permutations = check_count(permutations, "permutations", at_least = 20L),
    scale = check_choice(scale, "scale", c("pooled", "rank", "none")), seed = check_seed(seed),
    threads = check_threads(threads)
  )
  parts <- learner_parts("What is there to gain from domains?")
  parts$domain <- TRUE
  spec <- new_spec("dg_diagnose", "dg_diagnose_spec", parts, args)
  result <- fit_or_specify(spec, match.call(), parent.frame())
  if (inherits(result, "dg_spec")) {
    abort("argument", "`x` must be a formula with `data`, or a matrix with `y` and `domain`.")
  }
  result
}

#' @exportS3Method
fit_input.dg_diagnose_spec <- function(spec, input, memo = NULL) {
  args <- spec$args
  task <- cv_task(spec, input)
  if (nlevels(droplevels(task$domain)) < 3L) {
    abort("data", "`dg_diagnose()` needs at least 3 domains, not ",
          nlevels(droplevels(task$domain)), ".")
  }
  metric <- read_plain_metrics(args$metric, task$y)[[1L]]
  rows <- search_rows(task, args$max_rows, args$seed)
  sample <- read_sample(take_rows(task$input, rows), list(response = "any", domain = TRUE),
                        args$scale)
  with_seed(args$seed, diagnose(sample, metric, args))
}

diagnose <- function(sample, metric, args) {
  shift <- diagnose_shift(sample, args)
  groups <- factor(row_folds(sample$domain, v = min(10L, max(tabulate(sample$domain)))))
  kernel <- kernel_fit(kernel_rbf(), sample$X)
  products <- function(kernels) {
    lapply(kernels, function(between) product_kernel(kernel, between, sample, args$threads))
  }
  pooled <- products(list(domain_pooled()))
  told <- products(lapply(c(0, 0.25, 0.5, 0.75, 0.9, 0.97), domain_multitask))
  distributional <- products(lapply(c(0.5, 1, 2, 4), function(times) {
    domain_distribution(kernel, outer = kernel_rbf(times = times))
  }))
  score <- function(products, left_out, ...) {
    diagnose_scores(sample, metric, products, left_out, args, ...)
  }
  domains <- data.frame(
    domain = levels(sample$domain), rows = tabulate(sample$domain),
    pooled_known = score(pooled, groups), told = score(c(told, pooled), groups),
    pooled_unseen = score(pooled, sample$domain),
    distributional = score(c(distributional, pooled), sample$domain)
  )
  if (all(is.na(domains$pooled_unseen))) abort_no_score()
  sign <- if (metric$better == "low") -1 else 1
  gain_of <- function(scores) sign * (scores - domains$pooled_unseen)
  gain <- paired_difference(gain_of(domains$distributional))
  gain$p_embedding <- embedding_p(gain, function() {
    order <- sample.int(nrow(domains))
    mean(gain_of(score(c(distributional, pooled), sample$domain, order)), na.rm = TRUE)
  })
  result <- list(
    shift = shift, room = paired_difference(sign * (domains$told - domains$pooled_known)),
    gain = gain,
    domains = domains, metric = metric, rows = nrow(sample$X),
    labels = variable_names(sample$blueprint)
  )
  result$verdict <- diagnose_verdict(result)
  structure(result, class = "dg_diagnose")
}

# The p value of a gain when domains exchange their mean embeddings, which then tell nothing: draw()
# gives such a gain. Neighbours share what is not theirs to tell, so that differences of
# domains are no independent sample, and an interval alone is too sure. After the first draw that
# gains as much nothing is left to decide (Besag and Clifford, Biometrika 1991).
embedding_p <- function(gain, draw) {
  if (!is_certain(gain)) return(NA_real_)
  for (i in seq_len(gain_draws)) if (draw() >= gain$difference) return(1 / i)
  1 / (gain_draws + 1)
}

gain_draws <- 19L

is_certain <- function(row) !is.na(row$lower) && row$lower > 0

# V = tr(K Q) from sums of K over pairs of domains.
diagnose_shift <- function(sample, args) {
  product <- product_kernel(kernel_rbf(), domain_pooled(), sample, args$threads)
  K <- product_gram(product, args$threads)
  G <- nlevels(sample$domain)
  variance <- function(domain) {
    E <- outer(domain, seq_len(G), "==") / tabulate(domain)[domain]
    means <- crossprod(E, K %*% E)
    sum(diag(means)) / G - sum(means) / G^2
  }
  codes <- as.integer(sample$domain)
  found <- variance(codes)
  by_chance <- vapply(seq_len(args$permutations), function(i) variance(sample(codes)), numeric(1))
  range <- stats::quantile(by_chance, c(0.025, 0.975), names = FALSE)
  list(variance = found, level = mean(by_chance), lower = range[1L], upper = range[2L],
       ratio = found / mean(by_chance),
       p = (1 + sum(by_chance >= found)) / (1 + args$permutations))
}

# Scores by domain of the kernel and lambda that do best in the other domains. order: of
# which domain each has the place among domains.
diagnose_scores <- function(sample, metric, products, left_out, args, order = NULL) {
  ridge <- ridge_args(args)
  task <- ridge_task(sample, ridge)
  sample$left_out <- left_out
  lambdas <- nrow(sample$X) * 10^seq(-5, 0, length.out = 11)
  scores <- lapply(products, function(product) {
    if (!is.null(order) && !is.null(product$domain_kernel$kappa)) {
      product$domain_kernel$kappa <- product$domain_kernel$kappa[order, order]
    }
    values <- left_out_predictions(product, sample, task, ridge, lambdas)
    vapply(seq_along(lambdas), function(l) {
      scores_by_group(lambda_values(values, l), sample$y, sample$domain, task$response, metric)
    }, numeric(nlevels(sample$domain)))
  })
  choose_elsewhere(do.call(cbind, scores), metric)
}

# scores [domains x choices]: of each domain the choice that is best on average in the others.
choose_elsewhere <- function(scores, metric) {
  known <- ifelse(is.na(scores), 0, scores)
  counts <- !is.na(scores)
  others <- sweep(-known, 2L, colSums(known), "+") / sweep(-counts, 2L, colSums(counts), "+")
  sign <- if (metric$better == "low") -1 else 1
  best <- apply(sign * others, 1L, function(s) if (all(is.na(s))) NA_integer_ else which.max(s))
  scores[cbind(seq_len(nrow(scores)), best)]
}

diagnose_verdict <- function(x) {
  room <- is_certain(x$room)
  gain <- is_certain(x$gain) && x$gain$p_embedding <= 0.05
  c(
    if (x$shift$p < 0.05) {
      paste0("The predictors' distributions differ between domains (", signif(x$shift$ratio, 2),
             " times what chance gives, ", p_words(x$shift$p), ").")
    } else "No shift of the predictors between domains can be seen.",
    if (room) {
      paste0("Their relation to the response moves too: told the domain, a machine gains ",
             signif(x$room$difference, 2), " of ", x$metric$title, " in known domains.")
    } else {
      paste0("That their relation to the response moves cannot be seen: in known domains, being ",
             "told the domain gains nothing certain.")
    },
    if (gain) {
      paste0(if (room) "Unlabelled rows tell how" else "Still unlabelled rows help",
             ": on unseen domains the distributional machine gains ", signif(x$gain$difference, 2),
             ". Use domain_distribution().")
    } else if (isTRUE(x$gain$upper < 0)) {
      paste0("On unseen domains the distributional machine does worse than pooling, by ",
             signif(-x$gain$difference, 2), ".",
             if (room) " A few labels of a new domain would help more (adapt())." else " Pool.")
    } else if (room) {
      paste0("Unlabelled rows do not tell how: on unseen domains the distributional machine gains ",
             "nothing certain. A few labels of a new domain would help more (adapt()).")
    } else if (x$shift$p < 0.05) {
      paste0("The distributional machine gains nothing certain. Pooling, or a projection that ",
             "removes the shift, is enough; compare scalings with dg_auto().")
    } else "Pooling is enough."
  )
}

#' @export
print.dg_diagnose <- function(x, ...) {
  cat("What is there to gain from domains? (", plural(nrow(x$domains), "domain"), ", ",
      plural(x$rows, "row"), " used)\n\n", sep = "")
  line <- function(label, text) cat("  ", formatC(label, width = -6), text, "\n", sep = "")
  line("shift", paste0("variance between domains ", signif(x$shift$variance, 3), ", by chance ",
                       signif(x$shift$level, 3), ": ", signif(x$shift$ratio, 2), " times, ",
                       p_words(x$shift$p)))
  of <- function(row) {
    if (row$difference == 0 && row$se %in% 0) return("none: pooling was chosen in every domain")
    paste0("gain ", signif(row$difference, 2), " (95 % interval ", signif(row$lower, 2), " to ",
           signif(row$upper, 2), ")")
  }
  means <- colMeans(x$domains[-(1:2)], na.rm = TRUE)
  line("room", paste0(x$metric$title, " in known domains: pooled ", signif(means[[1L]], 3),
                      ", told the domain ", signif(means[[2L]], 3), "; ", of(x$room)))
  line("gain", paste0(x$metric$title, " in unseen domains: pooled ", signif(means[[3L]], 3),
                      ", distributional ", signif(means[[4L]], 3), "; ", of(x$gain),
                      if (!is.na(x$gain$p_embedding)) {
                        paste0(", with exchanged embeddings ", p_words(x$gain$p_embedding))
                      }))
  cat("\n", paste0(strwrap(x$verdict, 80, indent = 2, exdent = 2), "\n"), sep = "")
  invisible(x)
}
