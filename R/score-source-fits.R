# Fits without each of several sets of domains, of rows that come in blocks. From sums by groups of
# domains they follow by subtraction; methods that need more go over the rows again for each set.

# list(scorers: list of list(
#   rep, fits: how many, at [G]: which of them judges a domain, NA: none, m: columns of a fit,
#   product, table, coefficients [r x m choices fits], offset: <z, W> + b; product NULL: b alone,
#   through: see scores_of(), models: one or as many as fits, which know the response,
#   errors [G x choices]: mean squared errors by domain, where the sums have them),
# repeats, choices: values of lambda, unit: of the errors, lambda: by split, where it was chosen,
# warnings)
left_out_fits <- function(spec, stage, splits) UseMethod("left_out_fits")

#' @exportS3Method
left_out_fits.dg_ridge_spec <- function(spec, stage, splits) {
  # with landmarks of its own a domain that is left out would not be new
  if (domain_knows(spec$args$domain_kernel) == "names") return(NextMethod())
  left_out_path(spec, stage, splits, spec$args$lambda)
}

# lambdas: a choice each; NULL: one is chosen.
left_out_path <- function(spec, stage, splits, lambdas) {
  spec$args["lambda"] <- list(lambdas[1L])
  args <- source_args(spec$args, stage)
  response <- source_response(stage, args$scale != "none")
  costs <- domain_costs(stage$survey, args$domain_weights)
  widths <- fold_widths(args, stage, response, splits)
  sets <- lapply(unique(widths$times), function(times) which(widths$times == times))
  parts <- lapply(sets, function(set) {
    if (!is.null(widths$fitted)) {
      args$domain_kernel <- widen_described(widths$fitted, widths$times[set[1L]])
    }
    product <- source_space(args, stage)
    sums <- stage_groups(product, stage, response, costs, fold_groups(splits))
    total <- sum_groups(sums)
    check_overflow(diag(total$second), product$kernel)
    fits_of_sums(splits[set], sums, product, stage, response, function(held) {
      ridge_without(sums, total, held, stage, args, lambdas)
    })
  })
  lambda <- unlist(lapply(parts, `[[`, "lambda"))[order(unlist(sets))]
  new_fits(parts, splits, response$scale, max(length(lambdas), 1L), if (is.null(lambdas)) lambda)
}

# list(times: by split, fitted: the kernel between domains, or NULL where its width is given). A
# width is chosen without the labels of the domains that are left out.
fold_widths <- function(args, stage, response, splits) {
  if (!chooses_width(args)) return(list(times = rep(1, length(splits))))
  fitted <- described_kernel(args, stage)
  times <- vapply(splits, function(split) {
    chosen_width(args, stage_without(stage, split$held), response, fitted)
  }, numeric(1))
  list(times = times, fitted = fitted)
}

# For stage_groups(): each domain by itself where that fits, else parts of the folds, twenty at
# least, so that lambda can be chosen without a fold.
fold_groups <- function(splits) {
  force(splits)
  function(product, G) {
    if (G <= group_numbers %/% product$dim^2) return(seq_len(G))
    repeats <- unique(vapply(splits, `[[`, 0, "rep"))
    fold <- lapply(repeats, function(r) {
      of <- integer(G)
      for (split in Filter(function(s) s$rep == r, splits)) of[split$held] <- split$fold
      of
    })
    group <- as.integer(interaction(fold, drop = TRUE))
    most <- domain_numbers %/% product$dim^2
    if (max(group) > most) {
      abort("memory", "`folds` must be at most ", most, " with ", plural(product$dim, "coordinate"),
            ", not ", max(group), ": sums of features by fold would take more than 256 MB.")
    }
    parts <- min(ceiling(2 * lambda_folds / max(group)), most %/% max(group))
    as.integer(factor(group * parts + sample(rep_len(seq_len(parts) - 1L, G))))
  }
}

# list(coefficients, offset, lambda)
ridge_without <- function(sums, total, held, stage, args, lambdas) {
  check_classes_without(stage, held)
  lambda <- if (is.null(lambdas)) {
    choose_lambda(sums, Map(`-`, total, sum_groups(sums, held)), stage, args, held)
  } else lambdas / cost_share(stage$survey$weights, held, args$domain_weights)
  c(left_out_errors(sums, total, held, stage, args, lambda)[c("coefficients", "offset")],
    list(lambda = lambda))
}

# Costs of the other domains alone over what they are among all.
cost_share <- function(weights, held, domain_weights) {
  if (domain_weights == "size") return(1)
  rest <- weights[-held]
  (sum(rest) / sum(rest > 0)) / (sum(weights) / sum(weights > 0))
}

check_classes_without <- function(stage, held) {
  table <- stage$survey$response$classes
  if (is.null(table)) return(invisible())
  left <- colSums(table[-held, , drop = FALSE])
  if (sum(left > 0) < 2L) abort_one_class(factor(names(left)[left > 0]))
}

#' @exportS3Method
left_out_fits.dg_gp_spec <- function(spec, stage, splits) {
  task <- gp_source_task(spec, stage)
  response <- task$response
  sums <- stage_groups(task$product, stage, response, task$costs, fold_groups(splits))
  total <- sum_groups(sums)
  fits <- fits_of_sums(splits, sums, task$product, stage, response, function(held) {
    gp_without(sums, total, held, stage, task$args, task$product, response)
  })
  new_fits(list(fits), splits, response$scale)
}

# Signal, noise, and the scale of the response are learned without the domains: the sums are of
# (t - shift) / factor of the targets t of all rows.
gp_without <- function(sums, total, held, stage, args, product, response) {
  rest <- Map(`-`, total, sum_groups(sums, held))
  stage <- stage_without(stage, held)
  own <- source_response(stage, args$scale != "none")
  shift <- (own$centre - response$centre) / response$scale
  factor <- own$scale / response$scale
  survey <- stage$survey
  n <- sum(survey$positive)
  square <- drop(rest$response_second) - 2 * shift * rest$response_sums + shift^2 * rest$total
  moments <- list(second = rest$second, cross = drop(rest$cross - shift * rest$sums) / factor,
                  square = max(square, 0) / factor^2, n = n, weight = rest$total,
                  log_weights = sum(survey$logs) - n * log(survey$heaviest))
  fitted <- solve_feature_gp(args, product, list(total = moments), own,
                             target_size_of(survey, own), colnames(stage$sample$X))
  list(coefficients = factor * matrix(fitted$coefficients), offset = shift)
}

# By the mean response, or the commonest class, of the other domains.
#' @exportS3Method
left_out_fits.dg_null_spec <- function(spec, stage, splits) {
  survey <- stage$survey
  found <- lapply(splits, function(split) null_without(spec, stage, split$held))
  scorers <- by_repeat(splits, function(own) {
    list(models = lapply(found[own], `[[`, "model"), m = 1L,
         offset = vapply(found[own], `[[`, 0, "value"))
  }, length(survey$domains))
  new_fits(list(list(scorers = scorers)), splits)
}

null_without <- function(spec, stage, held) {
  found <- constant_of(stage_without(stage, held)$survey, spec$args)
  model <- c(found["response"], list(spec = spec))
  list(value = unname(found$value),
       model = structure(model, class = c("dg_null", "dg_learner", "dg_fit")))
}

# Other methods: a fit for each split, by passes of its own.
#' @exportS3Method
left_out_fits.dg_spec <- function(spec, stage, splits) {
  # what cannot be fitted at all has nothing to do with folds
  if (is.null(utils::getS3method("fit_source", class(spec)[1L], optional = TRUE))) {
    fit_source(spec, stage)
  }
  warnings <- character()
  scorers <- lapply(splits, function(split) {
    names <- stage$survey$domains[split$held]
    found <- with_warnings(holding_out(names, refitted_scorer(spec, stage, split)))
    warnings <<- c(warnings, unique(found$warnings))
    found$value
  })
  new_fits(list(list(scorers = scorers, warnings = warnings)), splits)
}

refitted_scorer <- function(spec, stage, split) {
  stage <- stage_without(stage, split$held)
  fitted <- fit_source(spec, stage)
  learner <- fitted
  if (!is.null(fitted$projection)) {
    stage <- projected_stage(stage, fitted$projection, fitted$unit)
    learner <- fitted$learner
  }
  stage$rows$leave <- NULL
  list(rep = split$rep, fits = 1L, at = fold_places(list(split), length(stage$survey$domains)),
       product = learner$product, table = source_table(learner$product, stage),
       coefficients = as.matrix(learner$coefficients), m = NCOL(learner$coefficients),
       offset = if (is.null(learner$offset)) 0 else learner$offset,
       through = stage$rows$through,
       models = list(structure(learner[intersect(c("response", "loss", "offset"), names(learner))],
                               class = class(learner))))
}

# ---- what they share --------------------------------------------------------------------------

new_fits <- function(parts, splits, unit = 1, choices = 1L, lambda = NULL) {
  list(scorers = do.call(c, lapply(parts, `[[`, "scorers")), choices = choices,
       repeats = max(vapply(splits, `[[`, 0, "rep")), unit = unit, lambda = lambda,
       warnings = unlist(lapply(parts, `[[`, "warnings")))
}

# solve: a function of the domains that are left out, list(coefficients, offset, lambda).
fits_of_sums <- function(splits, sums, product, stage, response, solve) {
  found <- lapply(splits, function(split) {
    with_warnings(holding_out(stage$survey$domains[split$held], solve(split$held)))
  })
  solved <- lapply(found, `[[`, "value")
  table <- source_table(product, stage)
  m <- sqrt(nrow(sums$response)) - 1
  alone <- !anyDuplicated(sums$group) && response$kind == "number"
  scorers <- by_repeat(splits, function(own) {
    errors <- if (alone) squared_errors(sums, splits[own], solved[own])
    list(product = product, table = table, errors = errors, m = m,
         coefficients = do.call(cbind, lapply(solved[own], `[[`, "coefficients")),
         offset = unlist(lapply(solved[own], `[[`, "offset")),
         models = list(structure(list(response = response), class = "dg_learner")))
  }, length(stage$survey$domains))
  list(scorers = scorers, lambda = unlist(lapply(solved, `[[`, "lambda")),
       warnings = unlist(lapply(found, function(one) unique(one$warnings))))
}

by_repeat <- function(splits, scorer, G) {
  rep <- vapply(splits, `[[`, 0, "rep")
  lapply(unique(rep), function(r) {
    own <- which(rep == r)
    c(list(rep = r, fits = length(own), at = fold_places(splits[own], G)), scorer(own))
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
  errors <- matrix(NA_real_, length(sums$group), length(solved[[1L]]$offset))
  for (k in seq_along(splits)) {
    for (g in splits[[k]]$held) errors[g, ] <- domain_squares(sums, g, solved[[k]])
  }
  errors
}

# Of the product map in the coordinates of x: those of the domain are constant.
domain_squares <- function(sums, g, solved) {
  if (is.null(sums$table)) {
    own <- sum_groups(sums, g)
  } else {
    W <- solved$coefficients
    solved$coefficients <- vapply(seq_len(ncol(W)), function(l) {
      drop(matrix(W[, l], sums$dim) %*% sums$table[, g])
    }, numeric(sums$dim))
    sums["table"] <- list(NULL)
    own <- sum_groups(sums, g)
  }
  column_errors(own, solved) / own$total
}
