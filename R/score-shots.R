# Partly known domains: the error on a held-out domain by the number of its labelled rows.

# Random choices of the labelled rows, over which the scores of a domain are averaged: at most, and
# in all.
shot_draws <- 5L
shot_draws_in_all <- 150L

# Fewer with many domains, whose mean they hardly make more certain.
draws_each <- function(domains) {
  min(shot_draws, max(shot_draws_in_all %/% domains, 1L))
}

# shots: numbers of labelled rows, NULL for none of this. With 0, to compare with.
check_shots <- function(shots, task, metric, name = "shots") {
  if (is.null(shots)) return(NULL)
  if ("interval" %in% metrics_need(metric)) {
    abort("argument", "`metric` must start with a score of predictions if `", name, "` are given, ",
          "not of intervals, which are for new domains.")
  }
  fine <- is.numeric(shots) && length(shots) > 0L && all(is.finite(shots)) &&
    all(shots >= 0 & shots < .Machine$integer.max & shots == round(shots)) && any(shots > 0)
  if (!fine) {
    abort("argument", "`", name, "` must be NULL or whole numbers of labelled rows, such as ",
          "`c(0, 1, 2, 5, 10)`, not ", describe(shots), ".")
  }
  if (nlevels(task$scored_by) != nlevels(task$domain)) {
    crossed <- setequal(outer_factors(task$structure), names(task$structure$factors))
    abort("argument", "`", name, "` must not be given if a held-out ", task$unit, " has several ",
          "domains: a model is adapted to one domain. ", if (crossed) "Use `hold_out = \"all\"`."
          else "Name the innermost factor as `hold_out`.")
  }
  shots <- sort(unique(c(0L, as.integer(shots))))
  sizes <- tabulate(task$domain, nlevels(task$domain))
  if (sum(sizes >= max(shots) + 2L) < 2L) {
    second <- sort(sizes, decreasing = TRUE)[min(2L, length(sizes))]
    abort("argument", "`", name, "` must leave two rows to score in at least two domains: the ",
          "second largest has ", second, ", `", name, "` goes to ", max(shots), ".")
  }
  shots
}

# Orders of the rows of each domain, in each repeat the same for all fits, so that all have the same
# labelled rows.
draw_orders <- function(domain, repeats) {
  at <- split(seq_along(domain), domain)
  replicate(repeats, lapply(at, function(i) {
    replicate(draws_each(length(at)), sample.int(length(i)), simplify = FALSE)
  }), simplify = FALSE)
}

# What k labels are used for, a row for each column of scores: the model as it is, then each update
# with each number of labels.
shot_arms <- function(shots, updates) {
  shots <- setdiff(shots, 0L)
  data.frame(update = c("external", rep(updates, each = length(shots))),
             shots = c(0L, rep(shots, length(updates))))
}

# Scores [domains x arms] of the domains that a split holds out, by of(i), a function of an order of
# the held rows i of a domain; means over orders. NA for a domain with too few rows, or with a
# class that training lacks where its score is infinite or a model is to be adapted to it.
score_orders <- function(task, split, of) {
  arms <- task$arms
  held <- split(seq_along(split$held), droplevels(task$domain[split$held]))
  lacking <- !task$y[split$held] %in% task$y[split$train] & is.factor(task$y) &
    ("adapt" %in% arms$update | !is.null(task$shot_metric[[1L]]$infinite))
  orders <- task$shot_orders[[split$rep]]
  # by places, as no list knows an element called ""
  scores <- vapply(seq_along(held), function(g) {
    i <- held[[g]]
    if (length(i) < max(arms$shots) + 2L || any(lacking[i])) return(rep(NA_real_, nrow(arms)))
    of_order <- of(i)
    # a split may hold out a part of them
    draws <- vapply(orders[[match(names(held)[g], names(orders))]],
                    function(order) of_order(order[order <= length(i)]), numeric(nrow(arms)))
    rowMeans(matrix(draws, nrow(arms)))
  }, numeric(nrow(arms)))
  t(matrix(scores, nrow(arms), dimnames = list(NULL, names(held))))
}

# The scores of a fit and its updates on the held-out rows, whose predictions are those of
# predict_fold(). Recalibrated ones are NA until recalibrate_shots().
score_shots <- function(model, task, split, predictions) {
  # as dg_adapt() would choose anew for each
  penalties <- lapply(seq_len(nrow(task$arms)), function(j) {
    if (task$arms$update[j] == "adapt") adapt_penalty(learner_of(model), task$arms$shots[j])
  })
  specs <- if ("local" %in% task$arms$update) local_specs(model$spec)
  score_orders(task, split, function(i) shots_of_domain(model, task, split$held[i],
                                                        predictions[i, ], penalties, specs))
}

# A function of an order of the rows of a domain, of which the first k have labels; all are scored
# on the same rows. What does not depend on the labels is done once.
shots_of_domain <- function(model, task, at, before, penalties = NULL, specs = NULL) {
  arms <- task$arms
  # a domain with rows that cannot be predicted has no score
  if (anyNA(before$prediction)) return(function(order) rep(NA_real_, nrow(arms)))
  newdata <- as_newdata(take_rows(task$input, at))
  domain <- task$scored_by[at]
  y <- task$y[at]
  needs <- metrics_need(task$shot_metric)
  here <- if ("adapt" %in% arms$update) at_domain(model, newdata, as.character(domain))
  adapted_rows <- function(labelled, penalty) {
    learner <- learner_of(model)
    args <- replace(adapt_arguments(learner, NULL, NULL), names(penalty), penalty)
    given <- read_labels(list(labels = replace(y, -labelled, NA)), here$ok, learner$response)
    adapted <- corrected(model, here, given, args, NULL)
    # NA where a row is incomplete
    values <- adapted$decision[match(seq_along(at), adapted$rows$kept), , drop = FALSE]
    predicted_rows(before, adapted, values, newdata, domain, levels(y), needs)
  }
  function(order) {
    tested <- order[-seq_len(max(arms$shots))]
    vapply(seq_len(nrow(arms)), function(j) {
      labelled <- order[seq_len(arms$shots[j])]
      d <- switch(arms$update[j], external = before, adapt = adapted_rows(labelled, penalties[[j]]),
                  local = local_rows(before, specs, task, at, labelled, newdata, domain, needs))
      if (is.null(d)) NA_real_ else score(as.list(d[tested, ]), task$shot_metric[[1L]])
    }, 0)
  }
}

# The curve: a row for each update and number of labels, with the paired difference from none.
# Changes are skewed as single scores are: nothing is subtracted from the jackknife, see
# jackknife_excess(). scores: [domains x arms]; without: see shots_without().
shots_table <- function(scores, arms, metric, share, crossed, without = NULL) {
  lines <- lapply(seq_len(nrow(arms)), function(j) {
    change <- scores[, j] - scores[, 1L]
    error <- score_error(metric, scores[, j], without$score[[j]], share, crossed = crossed)
    interval <- mean_interval(known_mean(scores[, j]), error)
    of_change <- metric_error(metric, change, without$change[[j]], share, crossed = crossed)
    data.frame(arms[j, ], mean = known_mean(scores[, j]), se = error$se, df = error$df,
               lower = interval[1L], upper = interval[2L],
               difference = known_mean(change), se_difference = of_change$se,
               df_difference = of_change$df, domains = sum(!is.na(scores[, j])))
  })
  `rownames<-`(do.call(rbind, lines), NULL)
}

# The same by fits without two folds, see scores_without(): list(score, change), of each arm;
# NULL without them, or where one failed. domain: of rows; scores: [domains x arms].
shots_without <- function(plan, pairs, domain, scores) {
  if (is.null(plan) || any(vapply(pairs, function(pair) is.null(pair$shots), NA))) return(NULL)
  domain <- factor(domain, rownames(scores))
  each <- function(values) {
    scores_without(plan, lapply(pairs, function(pair) values(pair$shots)), domain)
  }
  list(score = each(identity), change = each(function(s) s - s[, 1L]))
}

# What dg_cv has of it: list(shots, shot_scores), or nothing. splits: of results.
collect_shots <- function(results, splits, task, share, plan = NULL, pairs = list(), spec = NULL) {
  if (is.null(task$arms)) return(NULL)
  shots <- lapply(results, `[[`, "shots")
  if (any(task$arms$update %in% recalibrations)) {
    rule <- recalibration_rule(results, task, spec)
    fill <- function(shots, split, result) {
      if (is.null(shots)) NULL else recalibrate_shots(shots, task, split, result$predictions, rule)
    }
    shots <- Map(fill, shots, splits, results)
    for (k in seq_along(pairs)) {
      pairs[[k]]$shots <- fill(pairs[[k]]$shots, plan$splits[[k]], pairs[[k]])
    }
  }
  columns <- arm_names(task$arms)
  of_fits <- do.call(rbind, shots)
  # means over repeats
  names <- factor(rownames(of_fits), intersect(levels(task$domain), rownames(of_fits)))
  scores <- rowsum(of_fits, as.integer(names)) / tabulate(names)
  dimnames(scores) <- list(levels(names), columns)
  pairs <- lapply(pairs, function(pair) {
    if (!is.null(pair$shots)) colnames(pair$shots) <- columns
    pair
  })
  crossed <- crossed_by(task, rownames(scores))
  list(shots = shots_table(scores, task$arms, task$shot_metric[[1L]], share, crossed,
                           shots_without(plan, pairs, task$domain, scores)),
       shot_scores = scores)
}

# The names of the columns of scores; with one update the number of labels is enough.
arm_names <- function(arms) {
  if (length(unique(arms$update)) <= 2L) return(as.character(arms$shots))
  ifelse(arms$shots == 0L, "external", paste(arms$update, arms$shots))
}
