# dg_auto() on rows that come in blocks: what the model is like is chosen on whole domains in
# memory, as of other data; then all rows, in one pass for all members, give the sums from which
# members, their lambdas and the fits without each group of domains follow; a last pass scores the
# mean of the members by the fits that have not seen a row's domain.

# Landmarks of a member.
source_features <- 400L

#' @exportS3Method
fit_call.dg_auto_spec <- function(spec, input, call) {
  if (is.null(input$source)) return(NextMethod())
  with_progress(spec$args$progress, with_seed(spec$args$seed, fit_from_source(spec, input, call)))
}

#' @exportS3Method
fit_source.dg_auto_spec <- function(spec, stage) {
  start <- proc.time()[["elapsed"]]
  check_auto_source(spec, stage)
  metrics <- source_metrics(spec$args$metric, stage$sample$y)
  splits <- auto_splits(spec$args$folds, stage)
  found <- search_source(spec$args, stage)
  members <- fit_source_members(found, stage, splits$splits)
  scored <- score_source_members(members, found$weights, stage, metrics, splits$splits)
  found <- doubt_source(found, scored)
  if (found$null) members <- list(null_member(dg_null(), stage, splits$splits))
  cv <- new_source_cv(spec, domain_task(stage), splits$folds, metrics, splits$splits, list(),
                      scored[[if (found$null) "null" else "mean"]],
                      proc.time()[["elapsed"]] - start)
  expected <- source_expected(found, cv)
  choice <- c(list(expected = expected, seconds = proc.time()[["elapsed"]] - start), found$choice,
              list(scored = cv))
  finish_source(auto_of_source(members, found$weights, choice, stage), spec, stage)
}

check_auto_source <- function(spec, stage) {
  survey <- stage$survey
  check_survey_classes(survey)
  weighty <- sum(survey$weights > 0)
  if (weighty < 2L) {
    abort("data", "dg_auto() of a source needs at least 2 domains with a positive weight, not ",
          weighty, ".")
  }
  if (!is.null(spec$args$metric)) read_plain_metrics(spec$args$metric, stage$sample$y)
}

# As left_out_groups(): list(folds, splits).
auto_splits <- function(folds, stage) {
  if (inherits(folds, c("domgen_row_folds", "rset"))) check_source_cv(dg_null(), folds, FALSE)
  task <- domain_task(stage)
  folds <- read_folds(if (is.null(folds) && task$n > most_left_out) most_left_out else folds, task)
  folds <- structure(as.matrix(unclass(folds))[, 1L], class = "domgen_folds")
  list(folds = folds, splits = fold_splits(folds, task))
}

search_source <- function(args, stage) {
  # members must follow from sums
  args$sums <- TRUE
  args["folds"] <- list(NULL)
  sample <- domain_sample(stage, args$max_rows)
  if (nlevels(sample$domain) < 2L) {
    abort("data", "dg_auto() needs rows of at least 2 domains in its search; only ",
          enumerate(levels(sample$domain), quote = "\""), " was drawn.")
  }
  check_several_classes(sample$y)
  seed <- draw_seeds(1L)
  kept("search", with_seed(seed, searched(args, sample, stage)))
}

# list(choice: as choose_by_domain() gives it, specs, weights, null: only the null model?, metric,
# seen: rows of each domain that the search had, too_good: what choosing made its scores better)
searched <- function(args, sample, stage) {
  found <- choose_by_domain(args, sample)
  search <- found$search
  keys <- found$chosen$keys
  seen <- table(search$sample$domain)
  list(choice = found$choice, weights = found$chosen$weights, metric = search$metric,
       specs = lapply(keys, function(key) source_member_spec(search, key, stage)),
       null = identical(search$found[[keys[1L]]]$candidate$kernel, "null"),
       seen = stats::setNames(c(seen), names(seen)),
       too_good = stats::setNames(found$chosen$scores - found$chosen$fair, levels(search$judged)))
}

source_member_spec <- function(search, key, stage) {
  c <- search$found[[key]]$candidate
  if (c$kernel == "null") return(dg_null())
  p <- ncol(search_sample(search, c$scale)$X)
  dg_ridge(kernel = candidate_kernel(c, p), domain_kernel = candidate_domain_kernel(c),
           features = features_nystrom(min(source_features, nrow(stage$sample$X))), offset = TRUE,
           scale = candidate_scale(c)[1L], domain_means = c$scale == "means",
           threads = search$args$threads)
}

# Of each list(fitted, stage, scorer: see left_out_fits()). One pass makes the sums of all.
fit_source_members <- function(found, stage, splits) {
  if (found$null) return(list())
  ridge <- vapply(found$specs, function(spec) spec$method == "dg_ridge", NA)
  members <- vector("list", length(ridge))
  # the null model may have a weight beside the others
  members[!ridge] <- lapply(found$specs[!ridge], null_member, stage, splits)
  tasks <- lapply(found$specs[ridge], function(spec) {
    own <- source_stage(stage$survey, spec)
    # few landmarks are independent where the kernel is linear
    task <- quietly(ridge_source_task(spec, own), "domgen_warning_rank")
    groups <- groups_task(task$product, own, task$response, task$costs, fold_groups(splits))
    list(spec = spec, stage = own, task = task, groups = groups)
  })
  sums <- stages_pass(lapply(tasks, `[[`, "stage"),
                      members_work(lapply(tasks, function(t) t$groups$work)), "features")
  members[ridge] <- Map(function(one, sums) source_member(one, one$groups$join(sums), splits),
                        tasks, sums)
  members
}

null_member <- function(spec, stage, splits) {
  list(fitted = seal(fit_source(spec, stage)), stage = stage,
       scorer = left_out_fits(spec, stage, splits)$scorers[[1L]])
}

members_work <- function(works) {
  force(works)
  list(start = function() lapply(works, function(work) work$start()),
       add = function(a, b) Map(function(work, x, y) work$add(x, y), works, a, b),
       block = function(sums, blocks) {
         Map(function(work, own, rows) work$block(own, rows), works, sums, blocks)
       })
}

source_member <- function(one, sums, splits) {
  task <- one$task
  total <- sum_groups(sums)
  fitted <- seal(ridge_of_groups(one$spec, one$stage, task, sums, left_out = FALSE))
  fits <- fits_of_sums(splits, sums, task$product, one$stage, task$response, function(held) {
    ridge_without(sums, total, held, one$stage, task$args, NULL)
  })
  list(fitted = fitted, stage = one$stage, scorer = fits$scorers[[1L]])
}

# The null model alone where the mean of the members is not better than it on all rows.
doubt_source <- function(found, scored) {
  if (!found$null) {
    search <- list(metric = found$metric)
    found$null <- !is_gain(search, scored$null$domains[, 1L] - scored$mean$domains[, 1L])
    if (!found$null) return(found)
    null <- found$choice$table$kernel %in% kernel_words(candidate(kernel = "null"))
    found$choice$table$member[-1L] <- null[-1L]
    found$choice$table$weight <- ifelse(null, 1, NA)
    found$weights <- 1
  }
  found
}

# As expected_score(): cross-fitting's correction in the share of the rows that the choice has seen.
source_expected <- function(found, cv) {
  raw <- cv$domains$score
  at <- match(cv$domains$domain, names(found$seen))
  seen <- ifelse(is.na(at), 0, pmin(1, found$seen[at] / cv$domains$rows))
  too_good <- found$too_good[cv$domains$domain]
  correction <- ifelse(is.na(too_good) | found$null, 0, seen * too_good)
  expected_of(raw, correction, cv$metrics[[1L]], cv$share)
}

auto_of_source <- function(members, weights, choice, stage) {
  fitted <- lapply(members, function(member) slim(member$fitted))
  methods <- vapply(fitted, function(member) sub("^dg_", "", member$spec$method), "")
  names(fitted) <- names(weights) <- make.unique(methods, "_")
  response <- ensemble_response(stage)
  columns <- if (length(response$levels) > 2L) length(response$levels) else 1L
  structure(list(members = fitted, coefficients = weights, decision = matrix(0, 0L, columns),
                 choice = choice, y = NULL, weights = numeric(), response = response),
            class = c("dg_auto", "dg_result", "dg_ensemble", "dg_learner", "dg_fit"))
}

ensemble_response <- function(stage) plain_response(stage$sample$y, stage$sample$weights)
