# The search for the best choice of parameters. A choice is a row of indices into the grid; all that
# were tried are kept. Each round evaluates some choices and goes on in its `finish`, so that an
# interrupted search can be resumed.

most_extensions <- 5L
most_cycles <- 5L

search_parameters <- function(spec, task, input) {
  args <- spec$args
  if (is.null(args$grid)) args$grid <- default_grid(spec$object, length(task$y))
  state <- new.env(parent = emptyenv())
  state$spec <- spec
  state$task <- task
  state$input <- input
  state$grid <- args$grid
  folds <- args$folds
  # fewer domains than there will be for the model
  if (interrupted$working && is_number(folds)) folds <- min(folds, nlevels(droplevels(task$domain)))
  folds <- read_folds(folds, task)
  state$folds <- folds
  state$splits <- fold_splits(folds, task)
  state$metrics <- read_metrics(args$metric, task$y)
  check_metrics_fit(state$metrics, spec)
  state$seeds <- draw_seeds(length(state$splits) + 1L)
  state$tried <- matrix(0L, 0L, length(args$grid), dimnames = list(NULL, names(args$grid)))
  state$results <- list()
  state$extensions <- stats::setNames(integer(length(args$grid)), names(args$grid))
  state$progress <- read_progress(args$progress)
  state$deadline <- seconds_now() + if (is.null(args$budget)) Inf else args$budget
  state$spent <- FALSE
  if (args$search == "coordinate") return(start_coordinates(state))
  choices <- all_choices(args$grid)
  if (args$search == "random" && nrow(choices) > args$size) {
    choices <- choices[sort(sample.int(nrow(choices), args$size)), , drop = FALSE]
  }
  evaluate_choices(state, choices, function() extend_grid(state))
}

all_choices <- function(grid) {
  as.matrix(expand.grid(lapply(grid, seq_along), KEEP.OUT.ATTRS = FALSE))
}

choice_values <- function(state, choice) {
  stats::setNames(lapply(names(state$grid), function(name) state$grid[[name]][[choice[[name]]]]),
                  names(state$grid))
}

# Of the clock, which the workers of a plan share.
seconds_now <- function() as.numeric(Sys.time())

# Where the best value of a parameter is the largest or smallest, one more.
extend_grid <- function(state) {
  args <- state$spec$args
  if (!args$extend || args$search != "grid" || state$spent) return(finish_search(state))
  best <- state$tried[which_best(state), ]
  new <- list()
  for (name in names(state$grid)) {
    if (extend_parameter(state, name, best)) {
      others <- lapply(state$grid, seq_along)
      others[[name]] <- length(state$grid[[name]])
      new <- c(new, list(as.matrix(expand.grid(others, KEEP.OUT.ATTRS = FALSE))))
    }
  }
  if (length(new) == 0L) return(finish_search(state))
  evaluate_choices(state, unique(do.call(rbind, new)), function() extend_grid(state))
}

# Adds a value to the grid if there is a next one and the way there is worth while. best: the best
# choice.
extend_parameter <- function(state, name, best) {
  if (state$extensions[[name]] >= most_extensions) return(FALSE)
  value <- next_value(state$grid[[name]], best[[name]])
  if (is.null(value) || !clear_gain(state, name, best)) return(FALSE)
  fits <- tryCatch({
    set_parameters(state$spec$object, stats::setNames(list(value), name))
    TRUE
  }, domgen_error = function(e) FALSE)
  if (!fits) return(FALSE)
  state$grid[[name]] <- c(state$grid[[name]], list(value))
  state$extensions[[name]] <- state$extensions[[name]] + 1L
  TRUE
}

# Is the best choice, at the border of a parameter, better than with the value before it by more
# than the standard error of the difference over domains? Yes where nothing is known.
clear_gain <- function(state, name, best) {
  numbers <- unlist(state$grid[[name]])
  before <- best
  before[[name]] <- order(abs(numbers - numbers[best[[name]]]))[2L]
  scores <- lapply(list(best, before), function(choice) {
    at <- match(paste(choice, collapse = " "), choice_keys(state$tried))
    if (!is.na(at)) state$results[[at]]$scores
  })
  if (is.null(scores[[1L]]) || is.null(scores[[2L]])) return(TRUE)
  gain <- scores[[1L]] - scores[[2L]]
  if (state$metrics[[1L]]$better == "low") gain <- -gain
  gain <- gain[!is.na(gain)]
  noise <- if (length(gain) > 1L) standard_error(gain) else 0
  length(gain) == 0L || mean(gain) > noise
}

# One parameter after the other, the others at their best.
start_coordinates <- function(state) {
  state$at <- vapply(state$grid, function(values) (length(values) + 1L) %/% 2L, integer(1))
  state$turn <- 0L
  state$unchanged <- 0L
  next_coordinate(state)
}

next_coordinate <- function(state) {
  n <- length(state$grid)
  if (state$unchanged >= n || state$turn >= n * most_cycles) return(finish_search(state))
  name <- names(state$grid)[state$turn %% n + 1L]
  choices <- matrix(rep(state$at, each = length(state$grid[[name]])), ncol = n,
                    dimnames = list(NULL, names(state$grid)))
  choices[, name] <- seq_along(state$grid[[name]])
  evaluate_choices(state, choices, function() {
    keys <- choice_keys(state$tried)
    among <- stats::na.omit(match(choice_keys(choices), keys))
    best <- if (any(has_score(state, among))) state$tried[among[which_best(state, among)], ]
            else state$at
    if (state$spent) {
      state$at <- best
      return(finish_search(state))
    }
    if (state$spec$args$extend && extend_parameter(state, name, best)) {
      return(next_coordinate(state))
    }
    state$unchanged <- if (identical(best[[name]], state$at[[name]])) state$unchanged + 1L else 1L
    state$at <- best
    state$turn <- state$turn + 1L
    next_coordinate(state)
  })
}

choice_keys <- function(choices) apply(choices, 1L, paste, collapse = " ")

# Evaluates what was not tried before, then goes on.
evaluate_choices <- function(state, choices, go_on) {
  choices <- choices[!choice_keys(choices) %in% choice_keys(state$tried), , drop = FALSE]
  if (nrow(choices) == 0L) return(go_on())
  choices <- choices[work_order(state, choices), , drop = FALSE]
  values <- lapply(seq_len(nrow(choices)), function(i) choice_values(state, choices[i, ]))
  # values that are fine by themselves need not go together
  specs <- lapply(values, function(value) {
    tryCatch(set_parameters(state$spec$object, value), domgen_error = identity)
  })
  groups <- split(seq_along(specs), shared_key(state, choices))
  # one choice in all folds before the next: those that are done when the time is spent count
  pieces <- unlist(lapply(groups, function(group) {
    lapply(seq_along(state$splits), function(k) {
      list(group = group, split = k, seed = state$seeds[k], label = state$spec$parts$title)
    })
  }), recursive = FALSE)
  before <- length(state$results)
  work <- piece_worker(specs, state$task, state$splits, metrics_need(state$metrics),
                       state$deadline, always = if (before == 0L) groups[[1L]][1L])
  run_pieces(unname(pieces), work, function(results) {
    outcomes <- lapply(seq_along(specs), function(i) {
      lapply(which(vapply(pieces, function(p) i %in% p$group, NA)), function(at) {
        results[[at]][[match(i, pieces[[at]]$group)]]
      })
    })
    done <- !vapply(outcomes, function(of_choice) any(vapply(of_choice, is.null, NA)), NA)
    # once, also where what follows is interrupted and done again
    if (length(state$results) == before) {
      state$results <- c(state$results, lapply(outcomes[done], summarise_choice, state = state))
      state$tried <- rbind(state$tried, choices[done, , drop = FALSE])
    }
    if (!all(done)) state$spent <- TRUE
    go_on()
  }, state$progress)
}

# In a function of its own, so that workers are sent no more than this. What is not begun before the
# deadline is NULL, but for the choice `always`.
piece_worker <- function(specs, task, splits, needs, deadline = Inf, always = NULL) {
  # a promise would take its frame along
  list(specs, task, splits, needs, deadline, always)
  function(piece) {
    late <- function() seconds_now() > deadline
    if (late() && !any(piece$group %in% always)) return(vector("list", length(piece$group)))
    split <- splits[[piece$split]]
    group <- specs[piece$group]
    memo <- new_memo(group)
    start <- proc.time()[["elapsed"]]
    # a specification alone says what is wrong
    shared <- if (!late() && !any(vapply(group, inherits, NA, "error"))) on_error(
      quietly(share_decisions(group, task, split)), function(e) NULL
    )
    seconds <- (proc.time()[["elapsed"]] - start) / length(group)
    lapply(seq_along(group), function(i) {
      if (is.null(shared) && late() && !piece$group[i] %in% always) return(NULL)
      memo$known <- if (!is.null(shared)) list(model = shared$model, values = shared$values[[i]])
      result <- on_error({
        if (inherits(group[[i]], "error")) stop(group[[i]])
        evaluate_split(group[[i]], task, split, needs, memo)
      }, function(e) list(error = conditionMessage(e), seconds = 0))
      result$seconds <- result$seconds + seconds
      result
    })
  }
}

# Choices with the same kernels and features share Gram matrices.
shared_key <- function(state, choices) {
  shared <- vapply(names(state$grid), function(name) {
    found <- find_parameter(state$spec$object, name)
    found$path[1L] %in% c("kernel", "kernel_y", "domain_kernel", "features")
  }, NA)
  if (!any(shared)) return(rep(1L, nrow(choices)))
  choice_keys(choices[, shared, drop = FALSE])
}

# Parameters of the projection change slowest, but its ridges are solved together; numbers grow:
# costs for warm starts.
work_order <- function(state, choices) {
  names <- names(state$grid)
  part <- vapply(names, function(name) {
    found <- find_parameter(state$spec$object, name)
    if (identical(found$part, "learner")) 2L
    else if (isTRUE(found_row(state$spec$object, found)$ridge)) 1L else 0L
  }, integer(1))
  place <- lapply(names[order(part)], function(name) {
    values <- state$grid[[name]]
    if (all(vapply(values, is_number, NA))) unlist(values)[choices[, name]] else choices[, name]
  })
  do.call(order, place)
}

# list(scores by domain, mean, se, seconds, error)
summarise_choice <- function(state, outcomes) {
  errors <- unlist(lapply(outcomes, `[[`, "error"))
  seconds <- sum(vapply(outcomes, `[[`, numeric(1), "seconds"), na.rm = TRUE)
  if (length(errors)) {
    return(list(scores = NULL, mean = NA_real_, se = NA_real_, seconds = seconds,
                error = errors[1L]))
  }
  predictions <- do.call(rbind, lapply(outcomes, `[[`, "predictions"))
  domains <- score_domains(predictions, state$metrics)
  scores <- stats::setNames(domains$score, domains$domain)
  known <- scores[!is.na(scores)]
  list(scores = scores, mean = if (length(known)) mean(known) else NA_real_,
       se = mean_error(scores, share = train_share(state$splits, state$task))$se,
       seconds = seconds, error = NA_character_,
       warnings = unique(unlist(lapply(outcomes, `[[`, "warnings"))))
}
