# Increases by domain to their means over domains, with intervals.

# results: by fold, then by pair of folds, list(scores, moved, seconds, warnings).
new_importance <- function(plan, results) {
  failed <- failed_importance(plan, results)
  if (failed$pairs) plan["pairs"] <- list(NULL)
  pairs <- if (!is.null(plan$pairs)) results[-seq_along(plan$splits)]
  results <- results[seq_along(plan$splits)]
  scores <- do.call(rbind, lapply(results, `[[`, "scores"))
  moved <- do.call(rbind, lapply(results, `[[`, "moved"))
  warn_infinite_scores(c(scores$score, moved$score), plan$metric[[1L]])
  # a row alone has none to change with
  alone <- scores$rows[match(moved$domain, scores$domain)] < 2L
  moved$increase[moved$kind == "within" & alone] <- NA_real_
  task <- plan$task
  share <- train_share(plan$splits, task)
  domains <- levels(droplevels(task$domain))
  crossed <- crossed_by(task, domains)
  names <- names(plan$groups)
  cells <- expand.grid(kind = plan$kinds, predictor = names, stringsAsFactors = FALSE)
  parts <- lapply(seq_len(nrow(cells)), function(i) {
    own <- function(moved) {
      moved[moved$predictor == cells$predictor[i] & moved$kind == cells$kind[i], ]
    }
    mean_increase(own(moved), domains, share, plan$level, crossed,
                  increases_without(plan$pairs, lapply(pairs, function(p) own(p$moved)),
                                    factor(task$domain, domains)))
  })
  table <- data.frame(cells[c("predictor", "kind")], do.call(rbind, lapply(parts, `[[`, "line")))
  by_domain <- data.frame(domain = domains, cells[rep(seq_along(parts), each = length(domains)),
                                                  c("predictor", "kind")],
                          increase = unlist(lapply(parts, `[[`, "increase")), row.names = NULL)
  structure(list(
    table = by_size(table), domains = by_domain,
    scores = scores_before(scores, factor(task$domain, domains)), failed = failed$folds,
    metric = plan$metric, kinds = plan$kinds,
    predictors = plan$groups, permutations = plan$permutations, level = plan$level,
    fits = length(results) + length(pairs), refits = !is.null(plan$pairs),
    seconds = sum(vapply(c(results, pairs), `[[`, 0, "seconds")),
    held = held_out(plan$splits, task), labels = task$labels,
    warnings = table(unlist(lapply(results, `[[`, "warnings"))), spec = plan$specs[[1L]]
  ), class = c("dg_importance", "dg_result"))
}

warn_infinite_scores <- function(scores, measure) {
  if (!any(is.infinite(scores))) return(invisible())
  warn("score", "The ", measure$title, " of some domains is infinite, and increases of it are ",
       "infinite or not known; scale the response, or take a `metric` that does not overflow.")
}

# By fits without a domain's own group and another, see scores_without(); NULL without such fits.
# lines: of a predictor and kind, by pair of groups; domain: of each row.
increases_without <- function(pairs, lines, domain) {
  if (is.null(pairs)) return(NULL)
  by_domain <- lapply(lines, function(own) {
    increase <- tapply(own$increase, own$domain, known_mean)
    data.frame(domain = names(increase), increase = c(increase))
  })
  scores_without(pairs, by_domain, domain, "increase")$increase
}

# own: lines of a predictor and kind; crossed: levels that domains share, without: of fits without
# two groups, see mean_error(). list(line, increase: by domain)
mean_increase <- function(own, domains, share, level, crossed = NULL, without = NULL) {
  by <- function(of) {
    c(tapply(own$increase, factor(own[[of]], domains), known_mean))
  }
  increase <- by("domain")
  values <- if (own$kind[1L] == "within") increase else pseudovalues(increase, by("donor"))
  # infinite scores, as of a model that overflows, have no interval
  error <- mean_error(values, without, share, crossed = crossed, scores = increase)
  interval <- skewed_interval(known_mean(increase), error, level)
  list(line = data.frame(increase = known_mean(increase), se = error$se, lower = interval[1L],
                         upper = interval[2L], domains = sum(!is.na(increase))),
       increase = unname(increase))
}

# The jackknife's, of a mean over pairs of domains: own, means of those in which a domain takes the
# values; given, of those in which it gives them. Two domains are one pair.
pseudovalues <- function(own, given) {
  G <- sum(!is.na(own))
  if (G < 3L) return(rep(NA_real_, length(own)))
  mean <- known_mean(own)
  given[is.na(given)] <- mean
  mean + (G - 1) / (G - 2) * (own + given - 2 * mean)
}

# Predictors by their largest increase, kinds in their order.
by_size <- function(table) {
  largest <- tapply(table$increase, table$predictor, function(v) {
    if (all(is.na(v))) -Inf else max(v, na.rm = TRUE)
  })
  place <- match(table$predictor, unique(table$predictor))
  table <- table[order(-largest[table$predictor], place), ]
  rownames(table) <- NULL
  table
}

# list(folds: as failed_folds() has them, pairs: did a fit without two folds fail?), with a warning;
# an error where no fold is done.
failed_importance <- function(plan, results) {
  own <- seq_along(plan$splits)
  failed <- vapply(results, has_failed, NA)
  if (all(failed[own])) stop(results[[1L]]$error)
  run <- list(failed = failed_folds(plan$splits, results[own]), fits = data.frame(fold = own))
  warn_failed(list(run))
  lost <- results[-own][failed[-own]]
  if (length(lost)) {
    warn("failed", "Intervals are those of `refits = FALSE`: ", plural(length(lost), "fit"),
         " without two folds failed: ", sub("[.]*$", ".", conditionMessage(lost[[1L]]$error)))
  }
  list(folds = run$failed, pairs = length(lost) > 0L)
}

# Of repeats the mean. domain: of each row.
scores_before <- function(scores, domain) {
  domains <- levels(domain)
  data.frame(domain = domains, rows = tabulate(domain, length(domains)),
             score = c(tapply(scores$score, factor(scores$domain, domains), mean)),
             row.names = NULL)
}
