# Held-out domains of rows out of memory, see row_source(): fits without each fold of domains
# (score-passes-fits.R), then scores by domain, from the same sums if possible, else from a pass
# that predicts each row by the fit without its fold.

# As evaluate_rows(), with passes of its own for each specification, on the folds of the first one
# that does not fail.
evaluate_source <- function(plan, ctx) {
  evaluation <- NULL
  outcomes <- vector("list", length(plan$specs))
  for (i in seq_along(plan$specs)) {
    if (length(plan$specs) > 1L) ctx$part <- paste0("method ", i, ", ")
    outcomes[[i]] <- outcome <- on_error(pass_over_folds(plan$specs[[i]], plan), function(e) {
      if (inherits(e, "domgen_error_worker")) stop(e)
      list(error = drop_call(as_memory_error(e)))
    })
    if (is.null(evaluation) && is.null(outcome$error)) {
      evaluation <- outcome[c("task", "folds", "metrics", "splits")]
      plan$folds <- outcome$folds
    }
  }
  if (is.null(evaluation)) stop(outcomes[[1L]]$error)
  evaluation$outcomes <- lapply(outcomes, function(outcome) {
    if (is.null(outcome$error)) return(outcome[c("results", "scores", "seconds")])
    # in all folds
    failed <- list(error = outcome$error, seconds = NA_real_)
    list(results = rep(list(failed), length(evaluation$splits)))
  })
  evaluation
}

# What evaluate_rows() gives, with scores by domain in the place of predictions; seconds of all.
pass_over_folds <- function(spec, plan) {
  start <- proc.time()[["elapsed"]]
  input <- plan$input
  if (!takes_weights(spec)) input["weights"] <- list(NULL)
  rows <- rows_to_score(spec, input)
  task <- domain_task(rows)
  metrics <- source_metrics(plan$metric, rows$sample$y)
  check_metrics_fit(metrics, spec, NULL)
  folds <- read_folds(plan$folds, task)
  splits <- fold_splits(folds, task)
  fits <- left_out_fits(spec, rows, splits)
  scores <- scores_of_fits(fits, rows, metrics)[[1L]]
  list(task = task, folds = folds, metrics = metrics, splits = splits, scores = scores,
       results = fits$notes, seconds = proc.time()[["elapsed"]] - start)
}

# Sums without the levels of a factor are not kept, and scores are by domain.
check_source_factors <- function(input, hold_out) {
  structure <- input$parts$structure
  if (is.null(structure)) return(hold_out_task(list(), NULL, hold_out))
  abort("argument", "`formula` must have one factor after the bar if domains of a source are held ",
        "out, not ", structure$text, ". Name the factor that is to be new, one of ",
        enumerate(names(structure$factors)), ".")
}

check_source_cv <- function(spec, folds, refits) {
  if (check_flag(refits, "refits")) {
    abort("argument", "`refits` must be FALSE with a source.")
  }
  if (are_of_rows(folds)) {
    abort("argument", "`folds` must be NULL, a number of folds, or made by domain_folds() without ",
          "time with a source: whole domains are held out, not rows.")
  }
  if (spec$method %in% c("dg_tune", "dg_auto", "dg_ensemble")) {
    abort("argument", "`object` must be a learner or a pipeline with a source, not ", spec$method,
          "(), which would read all rows again in each fold.")
  }
}

rows_to_score <- function(spec, input, shared = new_shared()) {
  needs <- spec_needs(spec)
  needs$domain <- TRUE
  rows <- shared_rows(spec, input, shared, needs)
  check_several_classes(rows$sample$y)
  rows
}

# As cv_task(), with a domain in the place of its rows and the response of the sample.
domain_task <- function(rows) {
  domains <- rows$survey$domains
  list(domain = factor(domains, domains), row = seq_along(domains), n = length(domains),
       y = rows$sample$y, sizes = rows$survey$sizes, labels = variable_names(rows$sample$blueprint),
       weighted = rows$survey$weighted)
}

# As read_metrics(), for metrics that are means over rows.
source_metrics <- function(metric, y) {
  chosen <- read_metrics(metric, y)
  summed <- names(Filter(function(m) response_kind(y) %in% m$kind && !is.null(m$rows) &&
                           is.null(m$needs), metrics))
  wrong <- !vapply(chosen, function(m) !is.null(m$rows), NA)
  if (any(wrong)) {
    abort("argument", "`metric` must be a mean over rows with a source, ",
          enumerate(summed, length(summed), "\""), ", not \"", names(chosen)[wrong][1L],
          "\", which needs all rows of a domain at once.")
  }
  if (any(vapply(chosen, function(m) identical(m$needs, "se"), NA))) {
    abort("argument", "`metric` must not need a predictive density with a source. `dg_cv(model)` ",
          "of a fitted dg_gp() gives that of each domain.")
  }
  if ("interval" %in% metrics_need(chosen)) {
    abort("argument", "`metric` must not need intervals with a source. Use rows in memory.")
  }
  chosen
}

# ---- scores -----------------------------------------------------------------------------------

# For each choice of left_out_fits() list(domains: scores by domain, [G x metrics], means over
# repeats; overall: of all rows by the first metric).
scores_of_fits <- function(fits, rows, metrics) {
  # squares are summed with the rows' weights
  plain <- !rows$survey$weighted && identical(names(metrics), "rmse")
  sums <- if (plain) squares_of_fits(fits, rows$survey$sizes)
  if (is.null(sums)) sums <- score_sums(fits, rows, metrics)
  lapply(seq_len(fits$choices), function(l) {
    mean_scores(sums$total[, , l, ], sums$unit, metrics, rows$survey)
  })
}

# By a pass over the rows: list(total: sums of metric_rows(), [G x repeats x choices x metrics], NA
# where no fit scores the domain; unit). views: the rows as they are and as members take them.
score_sums <- function(fits, rows, metrics, views = list(rows)) {
  unit <- new_targets(rows, TRUE)$scale
  G <- length(rows$survey$domains)
  fits$scorers <- lapply(fits$scorers, know_lacking, rows$survey$response$classes,
                         rows$survey$classes)
  work <- scoring_work(fits, metrics, rows$survey$classes, unit, G)
  total <- pass_views(views, work, "scores")$total
  total[!scored_cells(fits, G), ] <- NA
  list(total = array(total, c(G, fits$repeats, fits$choices, length(metrics))), unit = unit)
}

# The scorer with the classes that each fit's domains lack, [fits x classes]. table: weights
# [G x classes].
know_lacking <- function(scorer, table, classes) {
  if (is.null(classes)) return(scorer)
  there <- table[, match(classes, colnames(table)), drop = FALSE] > 0
  scorer$lacking <- t(vapply(seq_len(max(scorer$at, na.rm = TRUE)), function(k) {
    colSums(there[!scorer$at %in% k, , drop = FALSE]) == 0
  }, logical(length(classes))))
  scorer
}

# TRUE for domains that a fit scores, [G repeats choices].
scored_cells <- function(fits, G) {
  scored_by <- matrix(FALSE, G, fits$repeats)
  for (scorer in fits$scorers) {
    scored_by[!is.na(scorer$at), scorer$rep] <- TRUE
  }
  rep(scored_by, fits$choices)
}

# total: sums over rows [G x repeats x metrics], see score_sums(); survey: of all rows.
mean_scores <- function(total, unit, metrics, survey) {
  sizes <- survey$sizes
  dim(total) <- c(length(sizes), length(total) / length(sizes) / length(metrics), length(metrics))
  part <- function(m) matrix(total[, , m], length(sizes))
  domains <- vapply(seq_along(metrics), function(m) {
    rowMeans(score_of_mean(part(m) / sizes, metrics[[m]], unit))
  }, numeric(length(sizes)))
  first <- part(1L)
  if (!is.null(metrics[[1L]]$infinite)) first[is.infinite(first)] <- NA
  finite <- !is.na(first)
  list(domains = matrix(domains, length(sizes), dimnames = list(survey$domains, names(metrics))),
       overall = score_of_mean(sum(first[finite]) / sum(sizes[row(first)[finite]]), metrics[[1L]],
                               unit))
}

# As score_sums(), for squared errors, where the sums of features give these; else NULL.
squares_of_fits <- function(fits, sizes) {
  total <- array(NA_real_, c(length(sizes), fits$repeats, fits$choices, 1L))
  for (scorer in fits$scorers) {
    if (is.null(scorer$errors)) return(NULL)
    at <- which(!is.na(scorer$at))
    total[at, scorer$rep, , 1L] <- scorer$errors[at, ] * sizes[at]
  }
  list(total = total, unit = fits$unit)
}

# Sums of metric_rows() over rows of each domain, [G repeats choices x metrics].
scoring_work <- function(fits, metrics, classes, unit, G) {
  scorers <- fits$scorers
  repeats <- fits$repeats
  slots <- repeats * fits$choices
  force(metrics); force(classes); force(unit); force(G)
  fits <- NULL
  pass_work(start = function() list(total = matrix(0, G * slots, length(metrics))),
            add = function(a, b) list(total = a$total + b$total),
            block = function(sums, views) {
              for (scorer in scorers) {
                scores <- block_scores(scorer, views, metrics, classes, unit, G * repeats)
                if (is.null(scores)) next
                place <- as.integer(rownames(scores)) + G * (scorer$rep - 1L)
                sums$total[place, ] <- sums$total[place, ] + scores
              }
              sums
            })
}

# Sums of the scores of a block's rows by this scorer, by domain, and of further choices by
# domain + `step`, domain + 2 step ...; NULL where there are no such rows.
block_scores <- function(scorer, views, metrics, classes, unit, step) {
  domain <- as.integer(views[[1L]]$domain)
  by_fit <- split(seq_along(domain), scorer$at[domain])
  parts <- lapply(names(by_fit), function(k) {
    i <- by_fit[[k]]
    values <- fit_values(scorer, as.integer(k), views, i)
    model <- scorer_model(scorer, as.integer(k))
    m <- if (is.null(scorer$m)) ncol(values) else scorer$m
    do.call(rbind, lapply(seq_len(ncol(values) / m), function(l) {
      of_choice <- values[, (l - 1L) * m + seq_len(m), drop = FALSE]
      if (m == length(classes)) colnames(of_choice) <- classes
      d <- score_data(list(truth = take(views[[1L]]$y, i)), model, of_choice, classes,
                      metrics_need(metrics))
      d <- mark_lacking(d, scorer$lacking[as.integer(k), ])
      scores <- vapply(metrics, function(metric) metric_rows(metric$rows(d), metric, unit),
                       numeric(length(i)))
      rowsum(matrix(scores, length(i)), domain[i] + (l - 1L) * step)
    }))
  })
  parts <- do.call(rbind, parts)
  if (!is.null(parts)) rowsum(parts, rownames(parts))
}

scorer_model <- function(scorer, k) scorer$models[[if (length(scorer$models) == 1L) 1L else k]]

# Decision values of the rows i by the k-th fit, [rows x m choices]; of several members the mean on
# the common scale.
fit_values <- function(scorer, k, views, i) {
  if (!is.null(scorer$members)) {
    return(weighted_values(Map(function(member, view) {
      common_values(targets_of(scorer_model(member, k)), fit_values(member, k, list(view), i))
    }, scorer$members, views[-1L]), scorer$weights))
  }
  block <- rows_at(views[[1L]][c("X", "domain")], i)
  if (!is.null(scorer$through)) block$X <- scores_of(scorer$through, block)
  if (is.null(scorer$intercept)) {
    return(decision(scorer$models[[1L]], c(block, list(table = scorer$table))))
  }
  each <- length(scorer$intercept) / scorer$fits
  columns <- (k - 1L) * each + seq_len(each)
  intercept <- scorer$intercept[columns]
  if (is.null(scorer$space)) return(matrix(intercept, length(i), each, byrow = TRUE))
  add_intercept(expand_rows(scorer$space, block, scorer$table,
                         scorer$coefficients[, columns, drop = FALSE]), intercept)
}
