# The score of the mean of dg_auto()'s members on all rows of a source, each predicted by the fits
# that have not seen its domain; and that of the null model.

# list(mean, null: see mean_scores(); mean is that of null where there are no members).
score_source_members <- function(members, weights, stage, metrics, splits) {
  survey <- stage$survey
  unit <- source_response(stage, TRUE)$scale
  null <- left_out_fits(dg_null(), stage, splits)$scorers[[1L]]
  work <- mean_scoring_work(null, lapply(members, `[[`, "scorer"), weights,
                            ensemble_response(stage), metrics, survey$classes, unit,
                            length(survey$domains))
  sums <- stages_pass(c(list(stage), lapply(members, `[[`, "stage")), work, "scores")
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

# Values of a member on the common scale, each row by the fit without its domain.
left_out_common <- function(scorer, rows) {
  domain <- as.integer(rows$domain)
  by_fit <- split(seq_along(domain), scorer$at[domain])
  values <- NULL
  for (k in as.integer(names(by_fit))) {
    i <- by_fit[[as.character(k)]]
    model <- scorer$models[[if (length(scorer$models) == 1L) 1L else k]]
    if (inherits(model, "dg_null")) model$spec <- dg_null()
    else class(model) <- c("dg_ridge", "dg_learner")
    own <- common_values(model, fit_values(scorer, k, rows_at(rows[c("X", "domain")], i)))
    if (is.null(values)) values <- matrix(NA_real_, length(domain), ncol(own))
    values[i, ] <- own
  }
  values
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
