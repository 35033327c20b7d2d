# dg_tune() on rows that come in blocks: one survey for all choices; those that differ in the lambda
# of a ridge regression share sums and the pass that scores; others have passes of their own.

#' @exportS3Method
takes_passes.dg_tune_spec <- function(spec) takes_passes(spec$object)

#' @exportS3Method
fit_rows.dg_tune_spec <- function(spec, rows, shared = NULL) {
  check_source_cv(spec$object, spec$args$folds, FALSE)
  state <- new_source_tuning(spec, rows)
  switch(spec$args$search, coordinate = search_coordinates(state), search_choices(state))
  finish_search(state)
}

new_source_tuning <- function(spec, rows) {
  survey <- rows$survey
  check_several_classes(rows$sample$y)
  task <- domain_task(rows)
  task$y <- rows$sample$y
  metrics <- source_metrics(spec$args$metric, task$y)
  searched <- spec
  searched$args$folds <- source_folds(spec$args$folds, task)
  state <- new_tuning(searched, task, NULL, survey$source$ctx, survey$n)
  state$spec <- spec
  state$metrics <- metrics
  state$survey <- survey
  state
}

# Outcomes of the specifications `fits`, NULL for those that were not begun in time.
source_outcomes <- function(state, specs, fits) {
  outcomes <- vector("list", length(specs))
  first <- length(state$results) == 0L
  for (group in lambda_groups(specs, fits)) {
    if (!first && seconds_now() > state$deadline) break
    outcomes[group] <- group_outcomes(state, specs[group])
    first <- FALSE
  }
  outcomes[fits]
}

group_outcomes <- function(state, specs) {
  start <- proc.time()[["elapsed"]]
  # the same landmarks for all choices
  found <- on_error(with_seed(state$seeds[1L], score_group(state, specs)), function(e) {
    if (!inherits(e, "domgen_error")) stop(e)
    list(error = e)
  })
  seconds <- (proc.time()[["elapsed"]] - start) / length(specs)
  lapply(seq_along(specs), function(i) {
    if (!is.null(found$error)) {
      return(failed_choice(list(error = found$error, seconds = seconds)))
    }
    scores <- stats::setNames(found[[i]]$domains[, 1L], levels(state$task$domain))
    list(scores = scores, mean = known_mean(scores),
         se = mean_error(scores, share = train_share(state$splits, state$task$sizes))$se,
         seconds = seconds, error = NA_character_)
  })
}

# Scores of choices that differ in lambda, see scores_of_fits().
score_group <- function(state, specs) {
  rows <- rows_source(state$survey, specs[[1L]])
  fits <- if (length(specs) == 1L) left_out_fits(specs[[1L]], rows, state$splits)
          else left_out_path(specs[[1L]], rows, state$splits,
                             vapply(specs, function(spec) spec$args$lambda, 0))
  scores_of_fits(fits, rows, state$metrics)
}

# Numbers of specifications that differ in nothing but a given lambda.
lambda_groups <- function(specs, fits) {
  key <- vapply(fits, function(i) {
    spec <- specs[[i]]
    if (!shares_lambda(spec)) return(as.character(i))
    spec$args$lambda <- NULL
    fingerprint(spec)
  }, "")
  unname(split(fits, factor(key, unique(key))))
}

shares_lambda <- function(spec) UseMethod("shares_lambda")

#' @exportS3Method
shares_lambda.default <- function(spec) FALSE

#' @exportS3Method
shares_lambda.dg_ridge_spec <- function(spec) {
  !is.null(spec$args$lambda) && domain_knows(spec$args$domain_kernel) != "names"
}

# The model with the chosen values, from all rows.
fit_chosen_source <- function(state, spec) {
  rows <- rows_source(state$survey, spec)
  finish_fit(fit_rows(place_spec(spec, layout_of(rows$sample$blueprint)), rows), spec, rows)
}
