# Cross-validation by domain of rows that come in blocks, see row_source(): fits without each fold
# of domains (score-source-fits.R), then scores by domain, from the same sums where they have them,
# else from a pass that predicts each row by the fit without its fold.

# The most folds where the user does not say.
most_source_folds <- 30L

# spec: learner or chain; input: see source_input(). An object of class dg_cv without predictions.
cv_source <- function(spec, input, folds, metric, refits = FALSE, progress = NULL,
                      hold_out = "all") {
  check_source_factors(input, hold_out)
  check_source_cv(spec, folds, refits)
  if (!takes_weights(spec)) input["weights"] <- list(NULL)
  named <- if (inherits(metric, "dg_metric")) "own" else metric
  what <- list("dg_cv", spec, format_formula(input$x), input$weights, input$na.action, folds, named)
  over_source(input$source, what, function(source) {
    input$source <- source
    start <- proc.time()[["elapsed"]]
    rows <- cv_stage(spec, input)
    task <- domain_task(rows)
    metrics <- source_metrics(metric, rows$sample$y)
    check_metrics_fit(metrics, spec)
    folds <- source_folds(folds, task)
    splits <- fold_splits(folds, task)
    fits <- left_out_fits(spec, rows, splits)
    scores <- scores_of_fits(fits, rows, metrics)[[1L]]
    seconds <- proc.time()[["elapsed"]] - start
    warn_no_score(new_source_cv(spec, task, folds, metrics, splits, fits, scores, seconds))
  }, progress)
}

# Sums without the levels of a factor are not kept, and scores are by domain.
check_source_factors <- function(input, hold_out) {
  structure <- input$parts$structure
  if (is.null(structure)) return(hold_out_task(list(), NULL, hold_out))
  abort("argument", "`formula` must have one factor behind the bar where domains of a source are ",
        "held out, not ", structure$text, ": with ", enumerate(names(structure$factors)), " name ",
        "the one that is to be new.")
}

check_source_cv <- function(spec, folds, refits) {
  if (check_flag(refits, "refits")) {
    abort("argument", "`refits` must be FALSE with a source.")
  }
  if (inherits(folds, c("domgen_row_folds", "rset"))) {
    abort("argument", "`folds` must be NULL, a number of folds, or made by domain_folds() with a ",
          "source: whole domains are left out, not rows.")
  }
  if (spec$method %in% c("dg_tune", "dg_auto", "dg_ensemble")) {
    abort("argument", "`object` must be a learner or a chain with a source, not ", spec$method,
          "(): it would go over all rows again in each fold.")
  }
  check_source_spec(spec)
}

cv_stage <- function(spec, input) {
  needs <- spec_needs(spec)
  needs$domain <- TRUE
  survey <- survey_source(input$source, block_reader(input, needs))
  survey$formula <- input$x
  rows <- rows_source(survey, spec)
  check_several_classes(rows$sample$y)
  rows
}

domain_task <- function(rows) {
  new_domain_task(rows$survey$domains, rows$survey$sizes, rows$sample$blueprint)
}

# As cv_task(), with a domain in the place of its rows.
new_domain_task <- function(domains, sizes, blueprint) {
  list(domain = factor(domains, domains), row = seq_along(domains), n = length(domains),
       sizes = sizes, labels = variable_names(blueprint))
}

source_folds <- function(folds, task) {
  if (is.null(folds) && task$n > most_source_folds) folds <- most_source_folds
  read_folds(folds, task)
}

# Those that are means over rows.
source_metrics <- function(metric, y) {
  found <- read_metrics(metric, y)
  summed <- names(Filter(function(m) response_kind(y) %in% m$kind && !is.null(m$rows) &&
                           is.null(m$needs), metrics))
  wrong <- !vapply(found, function(m) !is.null(m$rows), NA)
  if (any(wrong)) {
    abort("argument", "`metric` must be a mean over rows with a source, ",
          enumerate(summed, length(summed), "\""), ", not \"", names(found)[wrong][1L],
          "\", which needs all rows of a domain at once.")
  }
  if (any(vapply(found, function(m) identical(m$needs, "se"), NA))) {
    abort("argument", "`metric` must not need a predictive density with a source; `lodo()` of a ",
          "fitted dg_gp() has that of each domain.")
  }
  if ("interval" %in% metrics_need(found)) {
    abort("argument", "`metric` must not need intervals with a source: take rows in memory.")
  }
  found
}

# ---- scores -----------------------------------------------------------------------------------

# For each choice of left_out_fits() list(domains: scores by domain, [G x metrics], means over
# repeats; overall: of all rows by the first metric).
scores_of_fits <- function(fits, rows, metrics) {
  # squares are summed with the rows' weights
  plain <- is.null(rows$survey$reader$weights) && identical(names(metrics), "rmse")
  sums <- if (plain) squares_of_fits(fits, rows$survey$sizes)
  if (is.null(sums)) {
    unit <- new_targets(rows, TRUE)$scale
    work <- scoring_work(fits, metrics, rows$survey$classes, unit, length(rows$survey$domains))
    sums <- c(pass(rows, work, "scores"), unit = unit)
    sums$total[!judged_cells(fits, length(rows$survey$domains)), ] <- NA
  }
  size <- c(length(rows$survey$sizes), fits$repeats, fits$choices, length(metrics))
  sums$total <- array(sums$total, size)
  lapply(seq_len(fits$choices), function(l) {
    mean_scores(array(sums$total[, , l, ], size[-3L]), sums$unit, metrics, rows$survey$sizes)
  })
}

# Does a fit judge the domain? [G repeats choices]
judged_cells <- function(fits, G) {
  judged <- matrix(FALSE, G, fits$repeats)
  for (scorer in fits$scorers) {
    judged[!is.na(scorer$at), scorer$rep] <- TRUE
  }
  rep(judged, fits$choices)
}

# total: sums over rows [G x repeats x metrics], those of a root in squares of `unit`.
mean_scores <- function(total, unit, metrics, sizes) {
  root <- vapply(metrics, function(m) isTRUE(m$root), NA)
  rooted <- function(means, m) if (root[m]) unit * sqrt(means) else means
  part <- function(m) matrix(total[, , m], length(sizes))
  domains <- vapply(seq_along(metrics), function(m) rowMeans(rooted(part(m) / sizes, m)),
                    numeric(length(sizes)))
  first <- part(1L)
  known <- !is.na(first)
  list(domains = matrix(domains, length(sizes), dimnames = list(NULL, names(metrics))),
       overall = rooted(sum(first[known]) / sum(sizes[row(first)[known]]), 1L))
}

# Sums of squared errors by domain, [G x repeats choices], where the sums of features have them.
squares_of_fits <- function(fits, sizes) {
  total <- array(NA_real_, c(length(sizes), fits$repeats, fits$choices))
  for (scorer in fits$scorers) {
    if (is.null(scorer$errors)) return(NULL)
    own <- which(!is.na(scorer$at))
    total[own, scorer$rep, ] <- scorer$errors[own, ] * sizes[own]
  }
  list(total = total, unit = fits$unit)
}

# Sums over rows of each domain of what the metrics are means of, [G repeats choices x metrics],
# those of a root in squares of `unit`.
scoring_work <- function(fits, metrics, classes, unit, G) {
  scorers <- fits$scorers
  slots <- fits$repeats * fits$choices
  repeats <- fits$repeats
  force(metrics); force(classes); force(unit); force(G)
  fits <- NULL
  list(start = function() list(total = matrix(0, G * slots, length(metrics))),
       add = function(a, b) list(total = a$total + b$total),
       block = function(sums, rows) {
         for (scorer in scorers) {
           scores <- block_scores(scorer, rows, metrics, classes, unit, G * repeats)
           if (is.null(scores)) next
           place <- as.integer(rownames(scores)) + G * (scorer$rep - 1L)
           sums$total[place, ] <- sums$total[place, ] + scores
         }
         sums
       })
}

# Sums of the scores of a block's rows that this scorer judges, by domain, and of further choices by
# domain + `step`, domain + 2 step ...; NULL where there are no such rows.
block_scores <- function(scorer, rows, metrics, classes, unit, step) {
  domain <- as.integer(rows$domain)
  by_fit <- split(seq_along(domain), scorer$at[domain])
  parts <- lapply(names(by_fit), function(k) {
    i <- by_fit[[k]]
    values <- fit_values(scorer, as.integer(k), rows_at(rows[c("X", "domain")], i))
    model <- scorer$models[[if (length(scorer$models) == 1L) 1L else as.integer(k)]]
    choices <- seq_len(ncol(values) / scorer$m)
    do.call(rbind, lapply(choices, function(l) {
      own <- values[, (l - 1L) * scorer$m + seq_len(scorer$m), drop = FALSE]
      scores <- row_scores(model, own, take(rows$y, i), metrics, classes, unit)
      rowsum(scores, domain[i] + (l - 1L) * step)
    }))
  })
  parts <- do.call(rbind, parts)
  if (!is.null(parts)) rowsum(parts, rownames(parts))
}

# What the metrics are means of, [rows x metrics].
row_scores <- function(model, values, y, metrics, classes, unit) {
  if (ncol(values) == length(classes)) colnames(values) <- classes
  d <- judged_rows(list(truth = y), model, values, classes, metrics_need(metrics))
  scores <- vapply(metrics, function(metric) {
    own <- metric$rows(d) + 0
    if (isTRUE(metric$root)) (own / unit)^2 else own
  }, numeric(length(y)))
  matrix(scores, length(y))
}

# Decision values by the k-th fit, [rows x m choices].
fit_values <- function(scorer, k, rows) {
  if (is.null(scorer$offset)) {
    if (!is.null(scorer$through)) rows$X <- scores_of(scorer$through, rows)
    return(decision(scorer$models[[1L]], c(rows, list(table = scorer$table))))
  }
  each <- length(scorer$offset) / scorer$fits
  columns <- (k - 1L) * each + seq_len(each)
  offset <- scorer$offset[columns]
  if (is.null(scorer$product)) return(matrix(offset, nrow(rows$X), each, byrow = TRUE))
  if (!is.null(scorer$through)) rows$X <- scores_of(scorer$through, rows)
  add_offset(expand_rows(scorer$product, rows, scorer$table,
                         scorer$coefficients[, columns, drop = FALSE]), offset)
}

# ---- the result -------------------------------------------------------------------------------

# As new_cv() makes it of predictions.
new_source_cv <- function(spec, task, folds, metrics, splits, fits, scores, seconds) {
  sizes <- task$sizes
  repeats <- max(vapply(splits, `[[`, 0, "rep"))
  fold <- rep(NA_integer_, task$n)
  for (split in Filter(function(split) split$rep == 1, splits)) fold[split$held] <- split$fold
  domains <- data.frame(domain = levels(task$domain), fold = fold,
                        rows = as.integer(repeats * sizes), score = scores$domains[, 1L])
  if (length(metrics) > 1L) domains[names(metrics)] <- as.data.frame(scores$domains)
  share <- train_share(splits, sizes)
  errors <- lapply(stats::setNames(names(metrics), names(metrics)), function(name) {
    score_error(metrics[[name]], scores$domains[, name], NULL, share)
  })
  table <- data.frame(fold = vapply(splits, `[[`, 0L, "fold"), rep = vapply(splits, `[[`, 0, "rep"),
                      seconds = seconds / length(splits))
  table$lambda <- fits$lambda
  structure(list(
    domains = domains, predictions = NULL, mean = known_mean(domains$score), se = errors[[1L]]$se,
    errors = errors, overall = scores$overall, fits = table, refits = NULL, share = share,
    folds = folds, metrics = metrics, held = held_out(splits, task),
    warnings = table(fits$warnings), spec = spec, labels = task$labels
  ), class = c("dg_cv", "dg_result"))
}
