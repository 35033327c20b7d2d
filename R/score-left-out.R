# The one scorer of held-out domains. Their rows are predicted by fits without them: refits
# (evaluate_split()), which learn everything from the other domains, or closed forms
# (left_out_predictions(), without_groups()), which keep scaling and kernels.

# predictions: data frame, a line per row (and repeat), of evaluate_split(). [domains x metrics],
# means over the repeats.
score_left_out <- function(predictions, metrics) {
  domain <- droplevels(as.factor(predictions$domain))
  repeats <- split(seq_along(domain), predictions$rep)
  scores <- vapply(metrics, function(metric) {
    sum <- count <- numeric(nlevels(domain))
    for (i in repeats) {
      held <- droplevels(domain[i])
      at <- match(levels(held), levels(domain))
      sum[at] <- sum[at] + score_groups(as.list(predictions[i, ]), held, metric)
      count[at] <- count[at] + 1
    }
    sum / count
  }, numeric(nlevels(domain)))
  matrix(scores, nlevels(domain), dimnames = list(levels(domain), names(metrics)))
}

# Scores by domain of decision values [n x m]. scoring: list(y, domain, response, metric, weights:
# of rows, for a metric that uses them; lacking: see mark_lacking()).
score_values <- function(values, scoring) {
  # a list: parts of many data frames take longer than the rest
  d <- add_responses(list(truth = scoring$y), scoring$response, values, levels(scoring$y))
  d <- mark_lacking(d, scoring$lacking)
  d$weights <- scoring$weights
  if ("prob" %in% scoring$metric$needs) {
    shares <- common_values(scoring$response, values)
    d$prob <- probabilities(c(scoring$response, list(means = "common")), shares)
  }
  score_groups(d, scoring$domain, scoring$metric)
}

# NA for a domain with a row that has no value.
known_scores <- function(values, scoring) {
  lacking <- is.na(rowSums(values))
  scores <- score_values(replace(values, is.na(values), 0), scoring)
  unname(replace(scores, unique(as.integer(scoring$domain)[lacking]), NA_real_))
}

# score_values() of several, [domains x choices]; values(l): those of a choice. All of them at once,
# each with domains of its own.
score_choices <- function(n, values, scoring) {
  at <- rep(seq_along(scoring$y), n)
  domains <- nlevels(scoring$domain)
  choice <- rep(seq_len(n) - 1L, each = length(scoring$y))
  by_row <- c("y", "weights", "lacking")
  scoring[by_row] <- lapply(scoring[by_row], take, at)
  # as factor() does, which takes as long as the rest
  scoring$domain <- structure(as.integer(as.integer(scoring$domain)[at] + domains * choice),
                              levels = as.character(seq_len(domains * n)), class = "factor")
  scores <- score_values(do.call(rbind, lapply(seq_len(n), values)), scoring)
  matrix(scores, domains, n)
}

add_responses <- function(predictions, targets, values, levels) {
  prediction <- respond(targets, values, targets$kind)
  predictions$prediction <- if (is.null(levels)) prediction
                            else factor(as.character(prediction), levels = levels)
  decision <- respond(targets, values, "decision")
  predictions$decision <- if (length(levels) <= 2L) decision else {
    if (!is.matrix(decision)) {
      # of two of them
      decision <- matrix(c(-decision, decision), ncol = 2L,
                         dimnames = list(NULL, targets$levels))
    }
    all_classes(decision, levels, -Inf)
  }
  predictions
}

# Decision values of classes that training lacks are the lowest, in whatever way the model was made:
# methods that know a class by name have scores in the same domains as others. lacking: TRUE for
# these classes, the same for all rows or [rows x classes]; NULL where there are none.
mark_lacking <- function(predictions, lacking) {
  if (!any(lacking)) return(predictions)
  if (!is.matrix(lacking)) {
    lacking <- matrix(lacking, NROW(predictions$decision), length(lacking), byrow = TRUE)
  }
  if (is.matrix(predictions$decision)) predictions$decision[lacking] <- -Inf
  else {
    predictions$decision[lacking[, 1L]] <- Inf
    predictions$decision[lacking[, 2L]] <- -Inf
  }
  predictions
}

# Which classes training lacks. trained: its response.
lacking_classes <- function(trained) !levels(trained) %in% trained

# The same [rows x classes], where groups of rows are held out in turn; NULL where no class lacks.
lacking_elsewhere <- function(y, groups) {
  if (!is.factor(y)) return(NULL)
  there <- table(groups, y) > 0
  lacking <- rep(colSums(there), each = nrow(there)) == there
  if (any(lacking)) unname(lacking[match(groups, rownames(there)), , drop = FALSE])
}

# Rows whose own class is marked so.
is_lacking <- function(decision, truth) {
  code <- as.integer(truth)
  lacking <- if (is.matrix(decision)) decision[cbind(seq_along(code), code)] == -Inf
             else decision == ifelse(code == 2L, -Inf, Inf)
  lacking %in% TRUE
}

# Standard deviation of the response of new rows.
predictive_sd <- function(object, newdata, domain) {
  UseMethod("predictive_sd", if (is.null(object$learner)) object else object$learner)
}

#' @exportS3Method
predictive_sd.dg_gp <- function(object, newdata, domain) {
  predicted <- predict(seal(object), newdata, domain = domain, se.fit = TRUE)
  sqrt(predicted$se.fit^2 + predicted$residual.scale^2)
}

# The standard deviation of the response in training.
#' @exportS3Method
predictive_sd.dg_null <- function(object, newdata, domain) {
  rep(weighted_sd(object$y - weighted_mean(object$y, object$weights), object$weights),
      NROW(newdata))
}
