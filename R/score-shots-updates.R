# What labels of a held-out domain are used for besides dg_adapt(): recalibration of its
# predictions, and a model of its labelled rows alone. Both are for learners of any kind.

shot_updates <- c("adapt", "intercept", "slope", "local")

recalibrations <- c("intercept", "slope")

check_updates <- function(updates, task, spec) {
  if (!is.character(updates) || length(updates) == 0L || !all(updates %in% shot_updates)) {
    abort("argument", "`updates` must be one or more of ",
          enumerate(shot_updates, quote = "\""), ", not ", describe(updates), ".")
  }
  updates <- intersect(shot_updates, updates)
  learner <- innermost(spec)$method
  if ("adapt" %in% updates && !learner %in% adaptable) {
    abort("argument", "`updates` \"adapt\" is for ", enumerate(paste0(adaptable, "()")), ", not `",
          learner, "()`. Use \"intercept\", \"slope\" or \"local\".")
  }
  relearned <- intersect(updates, recalibrations)
  if (length(relearned) && is.null(recalibration_kind(task$y, spec))) {
    abort("argument", "`updates` ", enumerate(relearned, quote = "\""), " are for numbers and two ",
          "classes; use \"local\" or, for models that dg_adapt() accepts, \"adapt\".")
  }
  updates
}

# ---- recalibration ----------------------------------------------------------------------------

# A name of calibration_families, or NULL.
recalibration_kind <- function(y, spec) {
  if (is.factor(y)) return(if (nlevels(y) == 2L && !is.ordered(y)) "class")
  if (!is.numeric(y)) return(NULL)
  family <- innermost(spec)$args$family
  name <- if (is.character(family)) family else c(family$family, family$name)[1L]
  if (isTRUE(name %in% c("poisson", "quasipoisson"))) "count" else "number"
}

# What recalibration of a domain learns from the held-out predictions of all others: a function of
# its name, which gives list(kind, family, factor, centre, sd: of the link of predictions,
# precision: of the prior of each update's coefficients, in units of the dispersion).
recalibration_rule <- function(results, task, spec) {
  kind <- recalibration_kind(task$y, spec)
  predictions <- join_folds(results)
  # repeats predict the same rows
  predictions <- predictions[predictions$rep == predictions$rep[1L], ]
  domain <- droplevels(as.factor(predictions$domain))
  at <- split(seq_along(domain), domain)
  family <- calibration_families[[kind]]$family
  y <- if (kind == "class") as.integer(predictions$truth) - 1 else predictions$truth
  link <- link_values(predictions, kind)
  usable <- is.finite(link) & !is.na(y)
  unit_of <- function(use) {
    x <- link[use]
    # decision values are made logits
    factor <- if (kind == "class" && is.null(predictions$prob)) logit_factor(x, y[use]) else 1
    list(factor = factor, centre = factor * mean(x),
         sd = max(stats::sd(factor * x), 1e-8 * max(abs(factor * x)), 1e-300))
  }
  all <- unit_of(usable)
  lines <- lapply(at, function(i) {
    i <- i[usable[i]]
    offset <- all$factor * link[i]
    list(intercept = recalibration_line(y[i], offset, NULL, family),
         slope = recalibration_line(y[i], offset, (offset - all$centre) / all$sd, family))
  })
  rules <- lapply(seq_along(at), function(g) {
    unit <- unit_of(usable & domain != names(at)[g])
    others <- lines[-g]
    # with another factor the offset is another one
    intercept <- prior_precision(if (unit$factor == all$factor) lapply(others, `[[`, "intercept")
                                 else lapply(at[-g], function(i) {
                                   i <- i[usable[i]]
                                   recalibration_line(y[i], unit$factor * link[i], NULL, family)
                                 }), kind)
    slope <- prior_precision(lapply(others, function(of) {
      if (!is.null(of$slope)) in_unit(of$slope, all, unit)
    }), kind)
    c(list(kind = kind, family = family), unit, list(precision = list(
      intercept = intercept,
      # no slope can be told where predictions do not vary within domains
      slope = if (is.null(slope) && !is.null(intercept)) c(intercept, fixed_precision) else slope
    )))
  })
  function(name) rules[[match(name, names(at))]]
}

# Predictions on the scale of the link; of classes without probabilities the decision values.
link_values <- function(d, kind) {
  if (kind == "class") {
    return(if (is.null(d$prob)) d$decision else logits(unname(d$prob[, 2L])))
  }
  calibration_families[[kind]]$link(d$prediction)
}

logit_factor <- function(x, y) {
  fit <- if (length(unique(y)) == 2L) canonical_fit(cbind(1, x), y, stats::binomial())
  if (is.null(fit) || !is.finite(fit$beta[2L]) || fit$beta[2L] <= 0) 1 else fit$beta[2L]
}

# Intercept (and slope) of a domain: list(beta, vcov: in units of the dispersion, pearson, free);
# NULL with too few rows, or where z does not vary.
recalibration_line <- function(y, offset, z, family) {
  if (length(y) < (if (is.null(z)) 2L else calibration_rows)) return(NULL)
  if (!is.null(z) && stats::sd(z) < 1e-6) return(NULL)
  fit <- canonical_fit(cbind(rep(1, length(y)), z), y, family, offset)
  if (is.null(fit) || !all(is.finite(fit$inverse))) return(NULL)
  list(beta = fit$beta, vcov = fit$inverse, pearson = fit$pearson,
       free = length(y) - length(fit$beta))
}

# A line in z = (x - centre) / sd of one unit as one in that of another: f x + a + b z is the same
# function of the link, where the offset f x of the link x changes with the factor f.
in_unit <- function(line, from, to) {
  r <- from$factor / to$factor
  change <- rbind(c(1, (r * to$centre - from$centre) / from$sd), c(0, r * to$sd / from$sd))
  line$beta <- drop(change %*% line$beta) + (r - 1) * c(to$centre, to$sd)
  line$vcov <- change %*% line$vcov %*% t(change)
  line
}

# The precision of a coefficient that does not differ between domains.
fixed_precision <- 1e12

# NULL without lines.
prior_precision <- function(lines, kind) {
  lines <- Filter(Negate(is.null), lines)
  if (length(lines) == 0L) return(NULL)
  dispersion <- if (kind == "class") 1 else {
    sum(vapply(lines, `[[`, 0, "pearson")) / sum(vapply(lines, `[[`, 0, "free"))
  }
  if (kind == "count") dispersion <- max(dispersion, 1)
  tau2 <- vapply(seq_along(lines[[1L]]$beta), function(j) {
    paule_mandel(vapply(lines, function(line) line$beta[j], 0),
                 dispersion * vapply(lines, function(line) line$vcov[j, j], 0),
                 matrix(0, length(lines), 0L))
  }, 0)
  ifelse(tau2 > 0, pmin(dispersion / tau2, fixed_precision), fixed_precision)
}

# Fills the columns of recalibrated arms in the scores of a split, [domains x arms].
recalibrate_shots <- function(shots, task, split, predictions, rule) {
  columns <- which(task$arms$update %in% recalibrations)
  scores <- score_orders(task, split, function(i) {
    d <- predictions[match(task$row[split$held[i]], predictions$row), ]
    function(order) recalibrated_scores(d, task, order, rule(as.character(d$domain[1L])))
  })
  shots[, columns] <- scores[match(rownames(shots), rownames(scores)), columns]
  shots
}

recalibrated_scores <- function(d, task, order, rule) {
  arms <- task$arms
  test <- order[-seq_len(max(arms$shots))]
  scores <- rep(NA_real_, nrow(arms))
  link <- rule$factor * link_values(d, rule$kind)
  if (!all(is.finite(link))) return(scores)
  z <- (link - rule$centre) / rule$sd
  y <- if (rule$kind == "class") as.integer(d$truth) - 1 else d$truth
  for (j in which(arms$update %in% recalibrations)) {
    labelled <- order[seq_len(arms$shots[j])]
    X <- cbind(rep(1, length(z)), if (arms$update[j] == "slope") z)
    precision <- rule$precision[[arms$update[j]]]
    # no other domain tells how far domains lie from their predictions
    if (is.null(precision)) next
    fit <- canonical_fit(X[labelled, , drop = FALSE], y[labelled], rule$family, link[labelled],
                         FALSE, precision)
    updated <- if (is.null(fit)) link else link + drop(X %*% fit$beta)
    scores[j] <- score(as.list(with_link(d, updated, rule$kind)[test, ]), task$shot_metric[[1L]])
  }
  scores
}

# Rows with predictions that have this link.
with_link <- function(d, link, kind) {
  mean <- calibration_families[[kind]]$family$linkinv(link)
  if (kind != "class") {
    d$prediction <- mean
    d$decision <- link
    return(d)
  }
  levels <- levels(d$truth)
  d$decision <- link
  if (!is.null(d$prob)) d$prob[] <- c(1 - mean, mean)
  d$prediction <- factor(levels[1L + (link > 0)], levels)
  d
}

# ---- a local model ----------------------------------------------------------------------------

# Learners without a penalty, which few rows do not determine.
unpenalised <- c("dg_lm", "dg_mixed", "dg_gam")

# What is fitted to the labelled rows of a domain, in this order of preference.
local_specs <- function(spec) {
  c(if (!innermost(spec)$method %in% unpenalised) list(spec),
    list(dg_glm(kernel = kernel_linear())))
}

# Predictions of the rows `at` by a model of the labelled ones, the first of `specs` that has any;
# before: those of the model of the other domains.
local_rows <- function(before, specs, task, at, labelled, newdata, domain, needs) {
  y <- task$y[at]
  if (is_censored(y)) return(NULL)
  d <- label_means(before, y[labelled])
  if (length(labelled) < 3L) return(d)
  for (spec in specs) {
    values <- on_error(local_fit(spec, task, at[labelled], before, newdata, domain, levels(y),
                                 needs), function(e) NULL)
    if (is.null(values)) next
    fine <- !is.na(values$prediction)
    d[fine, ] <- values[fine, names(d)]
    break
  }
  d
}

local_fit <- function(spec, task, at, before, newdata, domain, levels, needs) {
  suppressWarnings(suppressMessages({
    fit <- fit_split(spec, task, list(train = at))
    values <- decide_rows(fit, read_new(fit, newdata, domain, NULL, NULL))
    values <- predicted_rows(before, fit, values, newdata, domain, levels, needs)
  }))
  # without any prediction the next one is tried
  if (all(is.na(values$prediction)) || !all(names(before) %in% names(values))) NULL else values
}

# The mean of the labels, or the proportions of their classes, for every row.
label_means <- function(d, y) {
  if (is.numeric(y)) {
    d$prediction <- d$decision <- mean(y)
    if (!is.null(d$se)) d$se <- max(if (length(y) > 1L) stats::sd(y) else NA, d$se, na.rm = TRUE)
    return(d)
  }
  shares <- (tabulate(y, nlevels(y)) + 0.5) / (length(y) + nlevels(y) / 2)
  d$prediction[] <- levels(y)[which.max(shares)]
  if (is.matrix(d$decision)) d$decision[] <- rep(log(shares), each = nrow(d))
  else d$decision <- stats::qlogis(shares[2L])
  if (!is.null(d$prob)) d$prob[] <- rep(shares, each = nrow(d))
  d
}
