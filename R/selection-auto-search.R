# The search of dg_auto(): candidates, each a specification, are scored on held-out domains. The
# first round scores all candidates on some of the rows, the second the best of each configuration
# on more rows. With a family both choose kernels only, by least squares on working responses: the
# candidates are then generalised regressions with these.

# Which the first of two rounds tries, and the last.
auto_lambdas <- list(first = 10^(-6:0), last = 10^seq(-6, 0, by = 0.5))

first_rows <- 600L

most_left_out <- 10L

# With fewer domains, domain kernels are not tried.
domains_for_kernel <- 5L

# list(search: its last round, chosen: see choose_members(), choice: what the model keeps of it)
choose_by_domain <- function(args, sample) {
  args$progress <- read_progress(args$progress, sample$inside)
  check_units(sample$unit)
  args["family"] <- list(auto_family(args, sample))
  metric <- read_auto_metric(args$metric, sample$y, args$family)
  few <- nlevels(droplevels(sample$domain)) < 2L
  n <- length(sample$y)
  if (!few) sample <- scored_sample(sample, args$folds)
  rounds <- search_rounds(args, sample, metric, few, thinned = length(sample$y) < n)
  if (!is.null(args$family)) rounds$glm <- glm_search(rounds$final, sample, metric)
  failed <- do.call(c, lapply(unname(rounds), `[[`, "failed"))
  warn_candidates(failed[!duplicated(names(failed))])
  # what selected the kernels of other regressions is no candidate beside them
  shown <- if (is.null(rounds$glm)) rounds else list(first = rounds$glm, final = rounds$glm)
  final <- shown$final
  chosen <- if (few) choose_all(final)
            else doubt_members(final, choose_members(final, args$n_members))
  chosen <- in_metric(final, chosen)
  list(search = final, chosen = chosen,
       choice = c(list(rows = length(final$sample$y), few = few, metric = metric,
                       selected_by = if (!identical(final$metric, metric)) final$metric$title,
                       rule = args$rule, seed = args$seed, family = args$family,
                       kernels = if (!is.null(rounds$glm)) {
                         length(union(kernel_keys(rounds$first), kernel_keys(rounds$final)))
                       },
                       time_limit = list(seconds = args$max_seconds,
                                         reached = any(vapply(rounds, `[[`, NA, "spent")))),
                  summarise_search(shown$first, final, chosen)))
}

# list(first, final). thinned: are there fewer rows than were given?
search_rounds <- function(args, sample, metric, few, thinned) {
  first <- new_search(args, sample, metric, few,
                      if (few) args$max_rows else min(args$max_rows, first_rows),
                      working = !is.null(args$family))
  if (!is_last_round(first, sample)) first$lambdas <- auto_lambdas$first
  if (few) {
    warn("few_domains", "Only 1 domain: models cannot be compared on held-out domains. The mean ",
         "of models with different scalings and kernels is fitted, without selection.")
    try_scalings(first)
    try_others(first)
    return(list(first = first, final = first))
  }
  # without some rows the column of a level may be constant: no warning
  if (thinned) quietly(run_stages(first), "domgen_warning_constant") else run_stages(first)
  list(first = first, final = second_round(first, sample))
}

# Without rows with a level that no other domain has: they cannot be predicted, and so not scored.
scored_sample <- function(sample, folds) {
  unknown <- unknown_elsewhere(sample$levels, left_out_groups(sample, folds))
  if (!any(unknown)) return(sample)
  part <- sample_part(sample, !unknown)
  if (nlevels(part$domain) >= 2L) return(part)
  abort("data", "No candidate can be scored on held-out domains: nearly all rows have a level of ",
        enumerate(colnames(sample$levels)), " that no other domain has. Leave it out of the ",
        "formula, or join its levels.")
}

# At most n_rows rows of the sample, not scaled. deadline: after it no candidate is started; NULL:
# by max_seconds. working: does least squares choose kernels for a family?
new_search <- function(args, sample, metric, few, n_rows, deadline = NULL, working = FALSE) {
  if (is.null(deadline)) {
    deadline <- seconds_now() + if (is.null(args$max_seconds)) Inf else args$max_seconds
  }
  sample <- sample_part(sample, search_rows(sample, n_rows, args$seed))
  scored_by <- sample$domain
  if (few) {
    # too few domains: ten groups of rows, those of a unit together
    unit <- if (is.null(sample$unit)) seq_along(scored_by) else as.integer(factor(sample$unit))
    scored_by <- factor(unit %% 10L)
  }
  selects <- choice_metric(metric, sample$y, args$family)
  if (working) {
    sample <- working_sample(sample, args$family)
    selects <- working_metric(sample$y)
  }
  task <- search_task(sample, args)
  left_out <- if (few) scored_by else left_out_groups(sample, args$folds)
  scoring <- list(y = sample$y, domain = scored_by, metric = selects, response = task$response,
                  weights = sample$weights, lacking = lacking_elsewhere(sample$y, left_out))
  shown <- scoring
  shown$metric <- metric
  list2env(list(
    args = args, metric = selects, few = few, working = working, sample = sample,
    scored_by = scored_by, known = known_columns(sample),
    lambdas = auto_lambdas$last,
    left_out = left_out, scoring = scoring, shown = shown, costs = task$costs,
    stack = list(target = task$Y, share = row_costs(1, task$costs / max(task$costs), scored_by,
                                                    "equal")),
    scaled = list(), found = list(), failed = list(), deadline = deadline, spent = FALSE
  ), parent = emptyenv())
}

# The family of the members, or NULL for ridge regressions, as where fits must follow from sums.
auto_family <- function(args, sample) {
  y <- sample$y
  family <- args$family
  offset <- known_columns(sample)
  if (isTRUE(args$sums)) return(NULL)
  if (is.null(family)) {
    several <- nlevels(y) > 2L
    asked <- several && needs_probabilities(args$metric)
    family <- if (is_censored(y) || nlevels(y) == 2L || asked) family_for(NULL, y)
  } else family_loss(family)$check(y)
  if (is.null(family) && length(offset)) {
    abort("argument", "`formula` must not contain `offset()` without a `family`, such as ",
          "\"poisson\" or \"gaussian\".")
  }
  # squares are those of ridge regressions, which take no offset
  if (length(offset) || !is.null(family) && !family_loss(family)$quadratic) family
}

# Is it a score of probabilities?
needs_probabilities <- function(metric) {
  if (is.character(metric) && length(metric) == 1L) metric <- metrics[[metric]]
  is.list(metric) && identical(metric$needs, "prob")
}

# With a family the default is its deviance; of classes a score of probabilities too, which all
# members then give.
read_auto_metric <- function(metric, y, family) {
  if (is.null(metric) && !is.null(family)) metric <- family_metric(family, y)
  read <- if (is.factor(y) && !is.null(family) && needs_probabilities(metric)) read_metrics
          else read_single_metric
  read(metric, y)[[1L]]
}

# NULL: the usual one.
family_metric <- function(family, y) {
  if (is.factor(y)) return(if (nlevels(y) > 2L) "log_loss")
  if (is_censored(y)) return()
  # of counts whose own deviance has a parameter, Poisson's: least for the true means too
  metric_deviance(if (family$name %in% base_families) family else "poisson")
}

# By which candidates are chosen. Which class is predicted says little of a model, and in what order
# the few rows of a domain are even less: choice is by chance. The squared error of the
# probabilities, and the likelihood of the order of events, say more with the same rows, also of
# what these scores will be. (The log loss has no bound, and ridge regressions predict 0.)
choice_metric <- function(metric, y, family) {
  if (!isTRUE(metric$coarse)) metric
  else if (is_censored(y)) partial_deviance
  else if (nlevels(y) == 2L || !is.null(family)) metrics$brier
  else metric
}

# A response whose least squares are the quadratic approximation of the family's deviance at its
# constants, see null_task(); the classes themselves where it has a column for each.
working_sample <- function(sample, family) {
  offset <- known_columns(sample)
  task <- glm_task(family, sample, dg_glm(family = family)$args, offset)
  if (length(task$constant) > 1L) return(sample)
  task <- null_task(task)
  sample$y <- drop(task$Y)
  sample$weights <- task$costs
  without_known(sample, offset)
}

# Columns of an offset, which no kernel sees.
known_columns <- function(sample) which(layout_of(sample$blueprint)$kind == "offset")

without_known <- function(sample, offset) {
  if (length(offset) == 0L) return(sample)
  sample$blueprint$seen <- setdiff(seq_len(ncol(sample$X)), offset)
  sample$X <- sample$X[, sample$blueprint$seen, drop = FALSE]
  sample
}

# sum_i w_i (z_i - f_i)^2 / sum_i w_i less its value at f = 0: w_i z_i^2 of rows with hardly any
# weight is large, whatever f is.
working_metric <- function(y) {
  if (is.factor(y)) return(metrics$brier)
  list(kind = "number", better = "low", title = "quadratic deviance", groups = function(d, groups) {
    losses <- d$weights * (d$prediction - 2 * d$truth) * d$prediction
    level_sums(losses, groups) / level_sums(d$weights, groups)
  })
}

# The fits give the warnings on the response.
search_task <- function(sample, args) {
  quietly(if (is_censored(sample$y)) hazard_task(sample) else ridge_task(sample, ridge_args(args)))
}

# What a logarithm of hazards is compared with, within domains: levels are no part of the order of
# events.
hazard_task <- function(sample) {
  task <- null_task(glm_task(family_for(NULL, sample$y), sample, dg_glm()$args))
  task$Y <- within_domains(task$Y, task$costs, sample$domain)
  task
}

# values [n x 1] less the weighted mean of each domain.
within_domains <- function(values, weights, domain) {
  total <- function(x) stats::ave(x, domain, FUN = sum)
  values - total(weights * drop(values)) / pmax(total(weights), .Machine$double.xmin)
}

# Many domains are held out in groups: one at a time takes much longer and selects the same.
in_groups <- function(domain) {
  G <- nlevels(domain)
  if (G <= most_left_out) return(domain)
  factor(rep_len(seq_len(most_left_out), G)[as.integer(domain)])
}

# The groups of domains that are held out together: `folds` of the user, or in_groups(); with
# several factors whole levels of one, see left_out_whole().
left_out_groups <- function(sample, folds) {
  domain <- sample$domain
  whole <- left_out_whole(sample$blueprint$structure, levels(domain))
  if (!is.null(whole)) levels(domain) <- whole
  if (is.null(folds)) return(in_groups(domain))
  if (are_of_rows(folds)) {
    abort("argument", "`folds` must be NULL, a number of folds, or made by domain_folds(): whole ",
          "domains are held out, not rows.")
  }
  folds <- as.matrix(unclass(read_folds(folds, list(domain = domain))))
  factor(folds[match(domain, rownames(folds)), 1L])
}

run_stages <- function(search) {
  bar <- progress_steps(4L, search$args$progress)
  on.exit(bar$done())
  stage <- bar$step
  stage("scaling and kernel", {
    try_scalings(search)
    try_candidate(search, null_candidate(search))
  })
  stage("bandwidths", {
    vary(search, with_factors(c(0.5, 2)))
    vary(search, function(spec) {
      if (identical(median_factor(spec$args$kernel), 2)) with_factors(4)(spec)
    })
  })
  if (nlevels(search$scored_by) >= domains_for_kernel) {
    stage("domain kernel", {
      vary(search, with_domain_kernels(lapply(c(1, 2), function(factor) {
        domain_distribution(embedding_kernel = kernel_rbf(bandwidth_factor = factor))
      })))
      # landmarks include the held-out domains, which then would not be new
      if (!isTRUE(search$args$sums)) {
        vary(search, with_domain_kernels(lapply(c(0.5, 0.9), domain_multitask)))
      }
    })
  }
  stage("bandwidths of predictors", try_predictors(search))
}

try_scalings <- function(search) {
  # a linear function of so many means fits any means of the response and does not generalise
  saturated <- nlevels(search$scored_by) <= ncol(search$sample$X) + 2L
  # the means of one domain are constants
  for (scale in c("pooled", "domain", "both", if (!search$few) "means", "rank")) {
    kernels <- auto_kernels(search, scale)
    if (scale == "both" || scale == "means" && saturated) kernels$linear <- NULL
    for (kernel in kernels) try_candidate(search, candidate(auto_ridge(search, scale, kernel)))
  }
}

# The best candidates of the best configurations, changed. changed: a function of a specification:
# list of specifications
vary <- function(search, changed) {
  kinds <- lapply(best_of_kinds(search), function(key) search$found[[key]]$candidate)
  for (best in utils::head(Filter(is_kernel, kinds), search$args$n_members)) {
    for (spec in changed(best$spec)) try_candidate(search, candidate(spec))
  }
}

with_factors <- function(factors) {
  function(spec) {
    lapply(factors, function(factor) {
      set_parameters(spec, list(kernel = times_median(spec$args$kernel, factor)))
    })
  }
}

with_domain_kernels <- function(kernels) {
  function(spec) {
    lapply(kernels, function(kernel) set_parameters(spec, list(domain_kernel = kernel)))
  }
}

# The best candidate of each configuration (scaling and kernel), the best first.
best_of_kinds <- function(search, scores = found_scores(search)) {
  keys <- colnames(scores)[order(search_losses(search, scores))]
  keys[!duplicated(vapply(keys, function(key) search$found[[key]]$candidate$kind, ""))]
}

# There are no more rows.
is_last_round <- function(search, sample) {
  search$few || length(search$sample$y) == min(length(sample$y), search$args$max_rows)
}

# Candidates: the best of the best configurations, the best with and without a domain kernel, the
# plain Gaussian kernel, which shows the gain of the selection, and those without a kernel.
second_round <- function(first, sample) {
  if (is_last_round(first, sample)) {
    try_others(first)
    return(first)
  }
  keys <- names(first$found)[order(found_losses(first))]
  pooled <- vapply(keys, function(key) {
    !uses_domain(first$found[[key]]$candidate$spec$args$domain_kernel)
  }, NA)
  keys <- unique(c(utils::head(best_of_kinds(first), first$args$n_members), keys[pooled][1L],
                   keys[!pooled][1L], candidate(auto_ridge(first))$key, null_title))
  final <- new_search(first$args, sample, first$shown$metric, first$few, first$args$max_rows,
                      first$deadline, first$working)
  # the first round gave the warnings of scaling
  for (key in keys[keys %in% names(first$found)]) {
    quietly(try_candidate(final, first$found[[key]]$candidate))
  }
  if (length(final$found) == 0L) return(first)
  try_others(final)
  final
}

# Scores a candidate at the best lambda, once; one that fails is left out, see warn_candidates().
try_candidate <- function(search, c) {
  key <- c$key
  if (!is.null(search$found[[key]])) return(invisible())
  # after the deadline; one kernel regression, and the null model, which is cheap, are always scored
  first <- length(search$found) == 0L || is_kernel(c) && length(kernel_keys(search)) == 0L
  if (!first && key != null_title && is_late(search)) return(invisible())
  start <- proc.time()[["elapsed"]]
  entry <- tryCatch(find_candidate(search, c), domgen_error = function(e) {
    # what fails at once, as a metric may, is no fault of the candidate
    if (length(search$found) == 0L && length(search$failed) == 0L) stop(e)
    search$failed[[key]] <- conditionMessage(e)
    NULL
  })
  if (is.null(entry)) return(invisible())
  search$found[[key]] <- c(entry, list(seconds = proc.time()[["elapsed"]] - start))
}

# After the deadline, which is then on record.
is_late <- function(search) {
  late <- seconds_now() > search$deadline
  if (late) search$spent <- TRUE
  late
}

# failed: messages by candidate.
warn_candidates <- function(failed) {
  if (length(failed) == 0L) return(invisible())
  first <- paste0(names(failed)[1L], ": ", failed[[1L]])
  warn("left_out", if (length(failed) == 1L) "A candidate failed and is left out: "
       else paste0(plural(length(failed), "candidate"), " failed and are left out; the first: "),
       sub("[.]*$", ".", first))
}

# Of scores [domains x choices], by the rule.
search_losses <- function(search, scores) {
  rule_losses(scores, search$metric$better, search$args$rule)
}

found_scores <- function(search) by_candidate(search, lapply(search$found, `[[`, "scores"))

found_losses <- function(search) unname(search_losses(search, found_scores(search)))
