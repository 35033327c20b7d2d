# The score of the mean of dg_auto()'s members on all rows of a source, each predicted by the fits
# that have not seen its domain; and that of the null model.

# list(mean, null: see mean_scores(); mean is that of null where there are no members).
score_source_members <- function(members, weights, rows, metrics, splits) {
  survey <- rows$survey
  unit <- new_targets(rows, TRUE)$scale
  null <- left_out_fits(dg_null(), rows, splits)$scorers[[1L]]
  work <- mean_scoring_work(null, lapply(members, `[[`, "scorer"), weights,
                            ensemble_response(rows), metrics, survey$classes, unit,
                            length(survey$domains))
  sums <- pass_views(c(list(rows), lapply(members, `[[`, "rows")), work, "scores")
  finish <- function(total) {
    mean_scores(array(total, c(nrow(total), 1L, ncol(total))), unit, metrics, survey$sizes)
  }
  list(null = finish(sums$null), mean = finish(if (length(members)) sums$mean else sums$null))
}

# Sums over rows by domain [G x metrics], see scoring_work(). The first of the blocks is of rows as
# they are, the others are the members'.
mean_scoring_work <- function(null, scorers, weights, response, metrics, classes, unit, G) {
  force(null); force(scorers); force(weights); force(metrics); force(classes); force(unit); force(G)
  model <- structure(list(response = response), class = "dg_learner")
  nothing <- matrix(0, G, length(metrics))
  add_to <- function(total, scores) {
    place <- as.integer(rownames(scores))
    total[place, ] <- total[place, ] + scores
    total
  }
  list(start = function() list(null = nothing, mean = nothing),
       add = function(a, b) Map(`+`, a, b),
       block = function(sums, blocks) {
         rows <- blocks[[1L]]
         sums$null <- add_to(sums$null, block_scores(null, rows, metrics, classes, unit, 0))
         if (length(scorers) == 0L) return(sums)
         values <- weighted_values(Map(left_out_common, scorers, blocks[-1L]), weights)
         scores <- row_scores(model, values, rows$y, metrics, classes, unit)
         sums$mean <- add_to(sums$mean, rowsum(scores, as.integer(rows$domain)))
         sums
       })
}

# Values of a member on the common scale, each row by the fit without its domain: [n x columns].
left_out_common <- function(scorer, rows) {
  domain <- as.integer(rows$domain)
  by_fit <- split(seq_along(domain), scorer$at[domain])
  parts <- lapply(names(by_fit), function(k) {
    k <- as.integer(k)
    values <- fit_values(scorer, k, rows_at(rows[c("X", "domain")], by_fit[[as.character(k)]]))
    common_values(left_out_model(scorer, k), values)
  })
  values <- do.call(rbind, parts)
  values[order(unlist(by_fit)), , drop = FALSE]
}

left_out_model <- function(scorer, k) {
  if (is.null(scorer$product)) return(scorer$models[[k]])
  structure(scorer$models[[1L]], class = c("dg_ridge", "dg_learner"))
}

# What lodo() of such a model gives.
scored_source <- function(object, metric) {
  scored <- object$choice$scored
  if (!is.null(metric) && !identical(metric, names(scored$metrics))) {
    abort("argument", "`metric` must be \"", names(scored$metrics), "\", by which all rows of the ",
          "source were scored.")
  }
  scored
}
