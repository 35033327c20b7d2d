# dg_auto() on rows out of memory. The search uses whole domains in memory. Then each member has a
# pass over all rows for the sums from which it, its lambda and the fits without each group of
# domains follow; a last pass scores the mean of the members, each row by the fits without its
# domain.

# Landmarks of a member.
source_features <- 400L

#' @exportS3Method
takes_passes.dg_auto_spec <- function(spec) TRUE

# As auto_in_memory().
auto_of_source <- function(spec, rows) {
  start <- proc.time()[["elapsed"]]
  check_auto_source(spec, rows)
  metrics <- source_metrics(spec$args$metric, rows$sample$y)
  splits <- auto_splits(spec$args$folds, rows)
  picked <- search_source(spec$args, rows)
  members <- if (!picked$null) source_members(picked$specs, rows, splits$splits)
  scored <- score_source_members(members, picked$weights, rows, metrics, splits$splits)
  picked <- doubt_source(picked, scored)
  if (picked$null) members <- list(null_member(dg_null(), rows, splits$splits))
  seconds <- (proc.time()[["elapsed"]] - start) / length(splits$splits)
  cv <- new_cv(spec, list(scores = scored[[if (picked$null) "null" else "mean"]],
                          results = lapply(splits$splits, function(s) list(seconds = seconds))),
               c(splits, list(task = domain_task(rows), metrics = metrics)))
  list(members = lapply(members, `[[`, "fitted"), weights = picked$weights,
       expected = source_expected(picked, cv), choice = c(picked$choice, list(scored = cv)))
}

check_auto_source <- function(spec, rows) {
  survey <- rows$survey
  weighty <- sum(survey$weights > 0)
  if (weighty < 2L) {
    abort("data", "dg_auto() of a source needs at least 2 domains with a positive weight, not ",
          weighty, ".")
  }
  if (!is.null(spec$args$family)) {
    abort("argument", "`family` must be NULL for a source, whose members are ridge regressions; ",
          "dg_glm() takes sources with a family.")
  }
  if (length(known_columns(rows$sample))) {
    abort("argument", "`formula` must not contain `offset()` for a source; dg_glm() takes one.")
  }
  if (!is.null(spec$args$metric)) read_single_metric(spec$args$metric, rows$sample$y)
}

# As left_out_groups(): list(folds, splits).
auto_splits <- function(folds, rows) {
  if (are_of_rows(folds)) check_source_cv(dg_null(), folds, FALSE)
  task <- domain_task(rows)
  folds <- read_folds(if (is.null(folds) && task$n > most_left_out) most_left_out else folds, task)
  folds <- structure(as.matrix(unclass(folds))[, 1L], class = "domgen_folds")
  list(folds = folds, splits = fold_splits(folds, task))
}

search_source <- function(args, rows) {
  # members must follow from sums
  args$sums <- TRUE
  args["folds"] <- list(NULL)
  sample <- domain_sample(rows, args$max_rows)
  if (nlevels(sample$domain) < 2L) {
    abort("data", "dg_auto() needs rows of at least 2 domains in its search; only ",
          enumerate(levels(sample$domain), quote = "\""), " was drawn.")
  }
  check_several_classes(sample$y)
  seed <- draw_seeds(1L)
  kept(rows$survey$source$ctx, "search", with_seed(seed, searched(args, sample, rows)))
}

# list(choice: as choose_by_domain() gives it, specs, weights, null: only the null model?, metric,
# seen: number of rows of each domain in the search, too_good: optimism of its scores by selection)
searched <- function(args, sample, rows) {
  selection <- choose_by_domain(args, sample)
  search <- selection$search
  keys <- selection$chosen$keys
  seen <- table(search$sample$domain)
  landmarks <- min(source_features, nrow(rows$sample$X))
  list(choice = selection$choice, weights = selection$chosen$weights, metric = search$shown$metric,
       specs = lapply(keys, function(key) {
         spec <- search$found[[key]]$candidate$spec
         if (spec$method == "dg_null") return(spec)
         set_parameters(spec, list(feature_map = features_nystrom(landmarks)))
       }),
       null = keys[1L] == null_title,
       seen = stats::setNames(c(seen), names(seen)),
       too_good = stats::setNames(selection$chosen$scores - selection$chosen$fair,
                                  levels(search$scored_by)))
}

# Of each list(fitted, rows, scorer: see left_out_fits()). Landmarks and groups of all are drawn
# before the first pass.
source_members <- function(specs, rows, splits) {
  problems <- lapply(specs, function(spec) {
    if (spec$method == "dg_null") return(list(spec = spec))
    rows <- rows_source(rows$survey, spec)
    # few landmarks are independent where the kernel is linear
    problem <- open_problem(place_spec(spec, layout_of(rows$sample$blueprint)), rows)
    problem$spec <- spec
    groups <- fold_groups(splits)(problem$space, length(rows$survey$domains))
    problem$groups <- function(space, G) groups
    problem
  })
  lapply(problems, function(problem) {
    if (problem$spec$method == "dg_null") null_member(problem$spec, rows, splits)
    else source_member(problem, splits)
  })
}

null_member <- function(spec, rows, splits) {
  list(fitted = seal(fit_part(spec, rows)), rows = rows,
       scorer = left_out_fits(spec, rows, splits)$scorers[[1L]])
}

# One pass makes the sums of all fits.
source_member <- function(problem, splits) {
  rows <- problem$rows
  spec <- problem$spec
  sums <- squared_sums(problem, problem$groups)
  total <- sum_groups(sums)
  fitted <- new_fit(spec, problem, solve_groups(problem, sums, left_out = FALSE))
  fits <- fits_of_sums(splits, sums, problem, function(held) {
    ridge_without(sums, total, held, rows, problem$args, NULL)
  })
  list(fitted = seal(finish_fit(fitted, spec, rows)), rows = rows, scorer = fits$scorers[[1L]])
}

# The null model alone where the mean of the members is not better than it on all rows.
doubt_source <- function(picked, scored) {
  gains <- is_gain(list(metric = picked$metric, args = list(rule = picked$choice$rule)),
                   scored$null$domains[, 1L], scored$mean$domains[, 1L])
  if (picked$null || gains) return(picked)
  null <- picked$choice$table$kernel %in% null_title
  picked$choice$table$member[-1L] <- null[-1L]
  picked$choice$table$weight <- ifelse(null, 1, NA)
  picked$weights <- 1
  picked$null <- TRUE
  picked
}

# As expected_score(): cross-fitting's correction in the share of the rows that the choice has seen.
source_expected <- function(picked, cv) {
  raw <- cv$domains$score
  at <- match(cv$domains$domain, names(picked$seen))
  seen <- ifelse(is.na(at), 0, pmin(1, picked$seen[at] / cv$domains$rows))
  too_good <- picked$too_good[cv$domains$domain]
  correction <- ifelse(is.na(too_good) | picked$null, 0, seen * too_good)
  expected_of(raw, correction, cv$metrics[[1L]], cv$share)
}

# ---- rows for the search ----------------------------------------------------------------------
#
# One pass draws whole domains at random, without regard to the response, with enough rows of each
# to describe it.

searched_domains <- 200L

searched_rows <- 50L

# Rows not scaled, as read_sample() gives them.
domain_sample <- function(rows, max_rows) {
  survey <- rows$survey
  sample <- rows$sample
  weighty <- which(survey$weights > 0)
  if (survey$n == length(sample$domain)) {
    drawn <- sample[c("X", "y", "domain", "weights")]
  } else {
    chosen <- sort(weighty[sample.int(length(weighty), min(length(weighty), searched_domains))])
    each <- max(searched_rows, ceiling(max_rows / length(chosen)))
    starts <- row_starts(survey$source)
    work <- domain_rows_work(chosen, each, draw_seeds(1L), starts)
    drawn <- pass(rows, work, "sample")
    drawn <- lapply(drawn[c("X", "y", "domain", "weights")], take, order(drawn$place))
  }
  drawn$domain <- droplevels(drawn$domain)
  if (is.factor(drawn$y)) drawn$y <- droplevels(drawn$y)
  c(drawn, list(blueprint = sample$blueprint))
}

# Of each chosen domain the rows with the smallest of random keys. starts: see
# row_starts().
domain_rows_work <- function(chosen, each, seed, starts) {
  force(chosen); force(each); force(seed); force(starts)
  add <- adding(function(a, b) {
    both <- Map(function(x, y) if (is.matrix(x)) rbind(x, y) else c(x, y), a, b)
    smallest_keys(both, each)
  })
  pass_work(add = add, block = function(sums, block) {
    at <- as.integer(block$domain) %in% chosen
    place <- starts[block$at$number] + block$at$first - 1 + block$kept
    values <- c(block[c("X", "y", "domain", "weights")],
                list(key = row_keys(place, seed), place = place))
    add(sums, smallest_keys(lapply(values, take, at), each))
  })
}

# Runs of so many rows have a stream of random numbers each, so that a row has the same key wherever
# blocks end.
keys_run <- 4096

# place: numbers of rows in the source.
row_keys <- function(place, seed) {
  run <- (place - 1) %/% keys_run
  keys <- numeric(length(place))
  for (r in unique(run)) {
    at <- which(run == r)
    stream <- with_seed((seed + r) %% .Machine$integer.max, stats::runif(keys_run))
    keys[at] <- stream[place[at] - r * keys_run]
  }
  keys
}

smallest_keys <- function(keyed, each) {
  code <- as.integer(keyed$domain)
  order <- order(code, keyed$key)
  place <- sequence(rle(code[order])$lengths)
  lapply(keyed, take, sort(order[place <= each]))
}

# ---- the score on all rows --------------------------------------------------------------------
#
# That of the mean of members, each row predicted by the fits that have not seen its domain; and
# that of the null model.

# list(mean, null: see mean_scores(); mean is that of null where there are no members).
score_source_members <- function(members, weights, rows, metrics, splits) {
  fits <- left_out_fits(dg_null(), rows, splits)
  if (length(members)) {
    fits$scorers[[2L]] <- list(rep = 2L, at = fits$scorers[[1L]]$at, weights = weights,
                               members = lapply(members, `[[`, "scorer"),
                               models = list(list(response = new_targets(rows_frame(rows$sample),
                                                                         standardise = FALSE))))
  }
  fits$repeats <- length(fits$scorers)
  sums <- score_sums(fits, rows, metrics, c(list(rows), lapply(members, `[[`, "rows")))
  scored <- lapply(seq_len(fits$repeats), function(r) {
    mean_scores(sums$total[, r, 1L, ], sums$unit, metrics, rows$survey)
  })
  list(null = scored[[1L]], mean = scored[[fits$repeats]])
}
