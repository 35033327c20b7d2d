# Partly known domains: the error on a held-out domain by the number of its labelled rows.

# Random choices of the labelled rows, over which the scores of a domain are averaged.
shot_draws <- 5L

# shots: numbers of labelled rows, NULL for none of this. With 0, to compare with.
check_shots <- function(shots, task, metric) {
  if (is.null(shots)) return(NULL)
  if ("interval" %in% metrics_need(metric)) {
    abort("argument", "`metric` must start with a score of predictions if `shots` are given, not ",
          "of intervals, which are for new domains.")
  }
  fine <- is.numeric(shots) && length(shots) > 0L && all(is.finite(shots)) &&
    all(shots >= 0 & shots < .Machine$integer.max & shots == round(shots)) && any(shots > 0)
  if (!fine) {
    abort("argument", "`shots` must be NULL or whole numbers of labelled rows, such as ",
          "`c(0, 1, 2, 5, 10)`, not ", describe(shots), ".")
  }
  if (nlevels(task$scored_by) != nlevels(task$domain)) {
    crossed <- setequal(outer_factors(task$structure), names(task$structure$factors))
    abort("argument", "`shots` must not be given if a held-out ", task$unit, " has several ",
          "domains: a model is adapted to one domain. ", if (crossed) "Use `hold_out = \"all\"`."
          else "Name the innermost factor as `hold_out`.")
  }
  shots <- sort(unique(c(0L, as.integer(shots))))
  sizes <- tabulate(task$domain, nlevels(task$domain))
  if (sum(sizes >= max(shots) + 2L) < 2L) {
    abort("argument", "`shots` must leave two rows to score in at least two domains: the second ",
          "largest has ", sort(sizes, decreasing = TRUE)[min(2L, length(sizes))], ", `shots` goes ",
          "to ", max(shots), ".")
  }
  shots
}

# Orders of the rows of each domain, in each repeat the same for all fits, so that all have the same
# labelled rows.
draw_orders <- function(domain, repeats) {
  rows <- split(seq_along(domain), domain)
  replicate(repeats, lapply(rows, function(i) {
    replicate(shot_draws, sample.int(length(i)), simplify = FALSE)
  }), simplify = FALSE)
}

# Scores of each held-out domain with k labelled rows, [domains x shots], NA for a domain with too
# few rows; of a fit and its predictions of the held-out rows, see predict_split().
score_shots <- function(model, task, split, predictions) {
  # as dg_adapt() would choose anew for each
  penalties <- lapply(task$shots, function(k) {
    if (k > 0L) adapt_penalty(learner_of(model), k)
  })
  held <- split(seq_along(split$held), droplevels(task$domain[split$held]))
  orders <- task$shot_orders[[split$rep]]
  # by places, as no list knows an element called ""
  scores <- vapply(seq_along(held), function(g) {
    i <- held[[g]]
    if (length(i) < max(task$shots) + 2L) return(rep(NA_real_, length(task$shots)))
    draws <- vapply(orders[[match(names(held)[g], names(orders))]], function(order) {
      # a split may hold out a part of them
      order <- order[order <= length(i)]
      shots_of_domain(model, task, split$held[i], predictions[i, ], order, penalties)
    }, numeric(length(task$shots)))
    rowMeans(matrix(draws, length(task$shots)))
  }, numeric(length(task$shots)))
  t(matrix(scores, length(task$shots), dimnames = list(task$shots, names(held))))
}

# The first k of the rows in this order have labels; all are scored on the same rows.
shots_of_domain <- function(model, task, rows, before, order, penalties = NULL) {
  # a domain with rows that cannot be predicted has no score
  if (anyNA(before$prediction)) return(rep(NA_real_, length(task$shots)))
  most <- max(task$shots)
  test <- order[-seq_len(most)]
  newdata <- as_newdata(take_rows(task$input, rows))
  domain <- task$scored_by[rows]
  y <- task$y[rows]
  vapply(seq_along(task$shots), function(j) {
    k <- task$shots[j]
    found <- before
    if (k > 0L) {
      labels <- replace(y, order[-seq_len(k)], NA)
      # by value: a name might be a column of newdata
      adapted <- do.call(dg_adapt, c(list(model, newdata, labels = labels,
                                       domain = as.character(domain)), penalties[[j]]))
      # NA where a row is incomplete
      values <- adapted$decision[match(seq_along(rows), adapted$rows$kept), , drop = FALSE]
      found <- predicted_rows(before, adapted, values, newdata, domain, levels(y),
                              metrics_need(task$shot_metric))
    }
    score(as.list(found[test, ]), task$shot_metric[[1L]])
  }, 0)
}

# The curve: a row for each number of labels, with the paired difference from none. Changes are
# skewed as single scores are: nothing is subtracted from the jackknife, see jackknife_excess().
# scores: [domains x shots]; without: see shots_without().
shots_table <- function(scores, metric, share, crossed, without = NULL) {
  shots <- as.integer(colnames(scores))
  lines <- lapply(seq_along(shots), function(j) {
    change <- scores[, j] - scores[, 1L]
    error <- score_error(metric, scores[, j], without$score[[j]], share, crossed = crossed)
    interval <- mean_interval(known_mean(scores[, j]), error)
    of_change <- metric_error(metric, change, without$change[[j]], share, crossed = crossed)
    data.frame(shots = shots[j], mean = known_mean(scores[, j]), se = error$se, df = error$df,
               lower = interval[1L], upper = interval[2L],
               difference = known_mean(change), se_difference = of_change$se,
               df_difference = of_change$df, domains = sum(!is.na(scores[, j])))
  })
  do.call(rbind, lines)
}

# The same by fits without two folds, see scores_without(): list(score, change), of each number of
# labels; NULL without them, or where one failed. domain: of rows; scores: [domains x shots].
shots_without <- function(plan, pairs, domain, scores) {
  if (is.null(plan) || any(vapply(pairs, function(pair) is.null(pair$shots), NA))) return(NULL)
  domain <- factor(domain, rownames(scores))
  each <- function(values) {
    scores_without(plan, lapply(pairs, function(pair) values(pair$shots)), domain)
  }
  list(score = each(identity), change = each(function(s) s - s[, 1L]))
}

# What dg_cv has of it: list(shots, shot_scores), or nothing.
collect_shots <- function(results, task, share, plan = NULL, pairs = list()) {
  if (is.null(task$shots)) return(NULL)
  of_fits <- do.call(rbind, lapply(results, `[[`, "shots"))
  # means over repeats
  names <- factor(rownames(of_fits), intersect(levels(task$domain), rownames(of_fits)))
  scores <- rowsum(of_fits, as.integer(names)) / tabulate(names)
  rownames(scores) <- levels(names)
  crossed <- crossed_by(task, rownames(scores))
  list(shots = shots_table(scores, task$shot_metric[[1L]], share, crossed,
                           shots_without(plan, pairs, task$domain, scores)),
       shot_scores = scores)
}
