# Fits without each of several sets of domains, out of memory. They follow from sums by groups of
# domains by subtraction; other methods read the rows again for each set.

# list(scorers: list of list(
#   rep, fits: number of fits, at [G]: the fit that scores a domain, NA: none, m: columns of a fit,
#   space, table, coefficients [r x m choices fits], intercept: <z, W> + b; space NULL: b alone;
#   no intercept: decision values are those of the model,
#   through: see scores_of(), models: one or as many as fits, with the response,
#   errors [G x choices]: mean squared errors by domain, where the sums have them),
# repeats, choices: values of lambda, unit: of the errors, notes: by split list(warnings,
# parameters: those that were chosen))
left_out_fits <- function(spec, rows, splits) UseMethod("left_out_fits")

#' @exportS3Method
left_out_fits.dg_ridge_spec <- function(spec, rows, splits) {
  # landmarks include the held-out domains, which then would not be new
  if (known_of_domains(spec$args$domain_kernel) == "names") return(NextMethod())
  left_out_path(spec, rows, splits, spec$args$lambda)
}

# lambdas: a choice each; NULL: one is chosen.
left_out_path <- function(spec, rows, splits, lambdas) {
  spec$args["lambda"] <- list(lambdas[1L])
  problem <- new_problem(place_spec(spec, layout_of(rows$sample$blueprint)), rows)
  widths <- fold_widths(problem, splits)
  factors <- widths$bandwidth_factor
  sets <- lapply(unique(factors), function(factor) which(factors == factor))
  parts <- lapply(sets, function(set) {
    if (!is.null(widths$fitted)) {
      problem$args$domain_kernel <- widen_described(widths$fitted, widths$bandwidth_factor[set[1L]])
    }
    problem$space <- space_of(problem$args, rows)
    sums <- squared_sums(problem, fold_groups(splits))
    total <- sum_groups(sums)
    check_overflow(diag(total$second), problem$space$kernel)
    fits_of_sums(splits[set], sums, problem, function(held) {
      ridge_without(sums, total, held, rows, problem$args, lambdas)
    })
  })
  fits <- new_fits(parts, splits, problem$targets$scale, max(length(lambdas), 1L))
  fits$notes <- fits$notes[order(unlist(sets))]
  fits
}

# list(bandwidth_factor: by split, fitted: the domain kernel, or NULL if its bandwidth is given). A
# bandwidth is selected without the labels of the held-out domains.
fold_widths <- function(problem, splits) {
  args <- problem$args
  if (!chooses_width(args)) return(list(bandwidth_factor = rep(1, length(splits))))
  fitted <- described_kernel(args, problem$rows)
  bandwidth_factor <- vapply(splits, function(split) {
    rows <- leave_domains(problem$rows, split$held)
    if (nlevels(rows$sample$domain) < 2L) return(1)
    task <- squared_task(rows, problem$targets, args)
    factor <- choose_penalty(args, rows$sample, task, between = fitted)$bandwidth_factor
    if (is.null(factor)) 1 else factor
  }, numeric(1))
  list(bandwidth_factor = bandwidth_factor, fitted = fitted)
}

# For group_sums(): each domain by itself where that fits, else parts of the folds, twenty at
# least, so that lambda can be chosen without a fold.
fold_groups <- function(splits) {
  force(splits)
  function(space, G) {
    if (G <= group_numbers %/% space$dim^2) return(seq_len(G))
    repeats <- unique(vapply(splits, `[[`, 0, "rep"))
    fold <- lapply(repeats, function(r) {
      of <- integer(G)
      for (split in Filter(function(s) s$rep == r, splits)) of[split$held] <- split$fold
      of
    })
    group <- as.integer(interaction(fold, drop = TRUE))
    most <- domain_numbers %/% space$dim^2
    if (max(group) > most) {
      abort("memory", "`folds` must be at most ", most, " with ", plural(space$dim, "coordinate"),
            ", not ", max(group), ": sums of features by fold would take more than 256 MB.")
    }
    parts <- min(ceiling(2 * lambda_folds / max(group)), most %/% max(group))
    as.integer(factor(group * parts + sample(rep_len(seq_len(parts) - 1L, G))))
  }
}

# list(coefficients, intercept, parameters)
ridge_without <- function(sums, total, held, rows, args, lambdas) {
  check_classes_without(rows, held)
  lambda <- if (is.null(lambdas)) {
    choose_lambda(sums, Map(`-`, total, sum_groups(sums, held)), rows, args, held)
  } else lambdas / cost_share(rows$survey$weights, held, args$domain_weights)
  c(left_out_errors(sums, total, held, rows, args, lambda)[c("coefficients", "intercept")],
    if (is.null(lambdas)) list(parameters = list(lambda = lambda)))
}

# Costs of the other domains alone over what they are among all.
cost_share <- function(weights, held, domain_weights) {
  if (domain_weights == "size") return(1)
  rest <- weights[-held]
  (sum(rest) / sum(rest > 0)) / (sum(weights) / sum(weights > 0))
}

check_classes_without <- function(rows, held) {
  table <- rows$survey$response$classes
  if (is.null(table)) return(invisible())
  left <- colSums(table[-held, , drop = FALSE])
  if (sum(left > 0) < 2L) abort_one_class(factor(names(left)[left > 0]))
}

#' @exportS3Method
left_out_fits.dg_gp_spec <- function(spec, rows, splits) {
  problem <- new_problem(place_spec(spec, layout_of(rows$sample$blueprint)), rows)
  check_open_bandwidth(problem$args)
  problem$args$unit <- sqrt(domain_sums(rows)$heaviest)
  problem$space <- space_of(problem$args, rows)
  sums <- gp_group_sums(rows, problem$space, problem$targets, fold_groups(splits))
  total <- sum_groups(sums)
  fits <- fits_of_sums(splits, sums, problem, function(held) gp_without(problem, sums, total, held))
  new_fits(list(fits), splits, problem$targets$scale)
}

# Signal, noise, and the scale of the response are learned without the domains: the sums are of
# (t - shift) / factor of the targets t of all rows.
gp_without <- function(problem, sums, total, held) {
  rest <- Map(`-`, total, sum_groups(sums, held))
  rows <- leave_domains(problem$rows, held)
  response <- problem$targets
  targets <- new_targets(rows, problem$args$scale != "none")
  shift <- (targets$centre - response$centre) / response$scale
  factor <- targets$scale / response$scale
  domains <- domain_sums(rows)
  n <- sum(domains$positive)
  square <- drop(rest$response_second) - 2 * shift * rest$response_sums + shift^2 * rest$total
  moments <- list(second = rest$second, cross = drop(rest$cross - shift * rest$sums) / factor,
                  square = max(square, 0) / factor^2, n = n, weight = rest$total,
                  log_weights = sum(domains$logs) - n * log(domains$heaviest))
  fitted <- solve_feature_gp(problem$args, problem$space, list(total = moments), targets,
                             target_size(rows, targets), colnames(rows$sample$X))
  list(coefficients = factor * matrix(fitted$coefficients), intercept = shift)
}

# By the mean response, or the commonest class, of the other domains.
#' @exportS3Method
left_out_fits.dg_null_spec <- function(spec, rows, splits) {
  models <- lapply(splits, function(split) {
    fitted <- fit_rows(spec, leave_domains(rows, split$held))
    fitted$spec <- spec
    fitted
  })
  scorers <- by_repeat(splits, function(some) {
    list(models = models[some], m = 1L,
         intercept = unname(vapply(models[some], `[[`, 0, "coefficients")))
  }, length(rows$survey$domains))
  new_fits(list(list(scorers = scorers, notes = lapply(splits, function(split) list()))), splits)
}

# Other methods: a fit for each split, by passes of its own.
#' @exportS3Method
left_out_fits.dg_spec <- function(spec, rows, splits) {
  results <- lapply(splits, function(split) {
    names <- rows$survey$domains[split$held]
    with_warnings(holding_out(names, refitted_scorer(spec, rows, split)))
  })
  new_fits(list(list(scorers = lapply(results, `[[`, "value"),
                     notes = lapply(results, function(one) list(warnings = unique(one$warnings))))),
           splits)
}

refitted_scorer <- function(spec, rows, split) {
  rows <- leave_domains(rows, split$held)
  fitted <- fit_rows(place_spec(spec, layout_of(rows$sample$blueprint)), rows)
  learner <- fitted
  if (!is.null(fitted$projection)) {
    rows <- rows_through(rows, fitted$projection)
    learner <- fitted$learner
  }
  rows$reading$leave <- NULL
  list(rep = split$rep, fits = 1L, at = fold_places(list(split), length(rows$survey$domains)),
       table = rows_table(rows, learner$space), m = ncol(learner$decision),
       through = rows$reading$through, models = list(learner))
}

# ---- what they share --------------------------------------------------------------------------

new_fits <- function(parts, splits, unit = 1, choices = 1L) {
  list(scorers = do.call(c, lapply(parts, `[[`, "scorers")), choices = choices,
       repeats = max(vapply(splits, `[[`, 0, "rep")), unit = unit,
       notes = do.call(c, lapply(parts, `[[`, "notes")))
}

# solve: a function of the domains that are left out, list(coefficients, intercept, parameters).
fits_of_sums <- function(splits, sums, problem, solve) {
  domains <- problem$rows$survey$domains
  response <- problem$targets
  results <- lapply(splits, function(split) {
    with_warnings(holding_out(domains[split$held], solve(split$held)))
  })
  solved <- lapply(results, `[[`, "value")
  table <- rows_table(problem$rows, problem$space)
  m <- sqrt(nrow(sums$response)) - 1
  alone <- !anyDuplicated(sums$group) && response$kind == "number"
  scorers <- by_repeat(splits, function(some) {
    errors <- if (alone) squared_errors(sums, splits[some], solved[some])
    list(space = problem$space, table = table, errors = errors, m = m,
         coefficients = do.call(cbind, lapply(solved[some], `[[`, "coefficients")),
         intercept = unlist(lapply(solved[some], `[[`, "intercept")),
         models = list(list(response = response)))
  }, length(domains))
  list(scorers = scorers, notes = lapply(results, function(one) {
    c(list(warnings = unique(one$warnings)), one$value["parameters"])
  }))
}

by_repeat <- function(splits, scorer, G) {
  rep <- vapply(splits, `[[`, 0, "rep")
  lapply(unique(rep), function(r) {
    some <- which(rep == r)
    c(list(rep = r, fits = length(some), at = fold_places(splits[some], G)), scorer(some))
  })
}

# Which of the splits holds a domain out.
fold_places <- function(splits, G) {
  at <- rep(NA_integer_, G)
  for (k in seq_along(splits)) at[splits[[k]]$held] <- k
  at
}

# Mean squared errors by domain and choice, in squares of the targets' unit.
squared_errors <- function(sums, splits, solved) {
  errors <- matrix(NA_real_, length(sums$group), length(solved[[1L]]$intercept))
  plain <- sums[names(sums) != "table"]
  for (k in seq_along(splits)) {
    for (g in splits[[k]]$held) {
      fit <- solved[[k]]
      # of the product map in the coordinates of x: those of the domain are constant
      if (!is.null(sums$table)) {
        fit$coefficients <- apply(fit$coefficients, 2L, function(w) {
          drop(matrix(w, sums$dim) %*% sums$table[, g])
        })
      }
      of_domain <- sum_groups(plain, g)
      errors[g, ] <- column_errors(of_domain, fit) / of_domain$total
    }
  }
  errors
}
