# The parts of a predictor's curves, for one model: for each domain either its curve [domains x
# values], or local effects `steps` [domains x intervals] with `weights` [domains x values] for the
# mean of a curve over a domain's rows. From these parts: curves, and the standard error of their
# average.
#
# Only predictions are averaged over a sample of the rows. All else that is said of a domain, its
# description, range and weights, is of all its rows, so that nothing changes its meaning where
# sampling begins.

# model: with its descriptions of domains fixed, except for "context". A list of parts by class.
effect_parts <- function(model, asked, name) {
  sample <- asked$sample
  codes <- column_codes(column_of(sample$data, name))
  look <- list(model = model, data = sample$data[asked$chosen, , drop = FALSE], name = name,
               domain = droplevels(sample$domain[asked$chosen]), class = asked$class,
               codes = codes[asked$chosen], all = list(codes = codes, domain = sample$domain))
  grid <- asked$grids[[name]]
  if (asked$type == "context") return(context_parts(look, grid, sample))
  if (asked$type == "ale" && grid$ordered) {
    return(if (is.null(grid$categories)) interval_parts(look, grid$at)
           else category_parts(look, grid$at))
  }
  dependence_parts(look, grid, centred = asked$type == "ale")
}

# Values [rows x sets x classes] with the predictor at codes [rows x sets].
grid_values <- function(look, codes) {
  n <- nrow(codes)
  sets <- seq_len(ncol(codes))
  size <- max(1L, rows_together %/% n)
  blocks <- lapply(split(sets, (sets - 1L) %/% size), function(some) {
    data <- look$data[rep(seq_len(n), length(some)), , drop = FALSE]
    column <- column_from(as.vector(codes[, some]), column_of(look$data, look$name))
    data <- set_column(data, look$name, column)
    values <- effect_values(look, data, rep(look$domain, length(some)))
    array(values, c(n, length(some), ncol(values)))
  })
  classes <- dim(blocks[[1L]])[3L]
  array(unlist(lapply(seq_len(classes), function(k) lapply(blocks, function(a) a[, , k]))),
        c(n, ncol(codes), classes))
}

# [rows x classes asked for]
effect_values <- function(look, data, domain, ...) {
  values <- tool_values(look$model, data, domain = as.character(domain), ...)
  if (is.matrix(values)) at_labels(values, look$class) else matrix(values)
}

# Means by domain of values [rows x sets], [domains x sets].
domain_averages <- function(values, domain) {
  unname(rowsum(as.matrix(values) + 0, as.integer(domain), reorder = TRUE)) / tabulate(domain)
}

by_class <- function(values, part) {
  lapply(seq_len(dim(values)[3L]), function(k) part(matrix(values[, , k], dim(values)[1L])))
}

# Means by domain of all rows without a missing value, NA for a domain that has none.
known_averages <- function(look, values_of) {
  at <- !is.na(look$all$codes)
  domain <- droplevels(look$all$domain[at])
  means <- domain_averages(values_of(look$all$codes[at]), domain)
  means[match(levels(look$all$domain), levels(domain)), , drop = FALSE]
}

# centred: less the mean over all rows, domains weighted equally.
dependence_parts <- function(look, grid, centred) {
  values <- grid_values(look, matrix(grid$at, length(look$codes), length(grid$at), byrow = TRUE))
  shares <- known_averages(look, function(codes) outer(codes, grid$at, "=="))
  inside <- shares > 0
  if (is.null(grid$categories)) {
    # a value lies in the range of a domain where some of its rows are at most, some at least it
    inside <- known_averages(look, function(codes) outer(codes, grid$at, "<=")) > 0 &
      known_averages(look, function(codes) outer(codes, grid$at, ">=")) > 0
  }
  inside[is.na(inside)] <- FALSE
  by_class(values, function(v) {
    curves <- domain_averages(v, look$domain)
    if (!centred) return(list(curves = curves, inside = inside))
    list(curves = curves - drop(curves %*% colMeans(shares, na.rm = TRUE)), inside = inside,
         weights = shares)
  })
}

# Local effects of a numeric predictor in the intervals between `at`.
interval_parts <- function(look, at) {
  x <- look$codes
  if (length(at) < 2L) return(flat_parts(look, at))
  k <- piece_of(x, at)
  # including the ends
  counted <- !is.na(x) & x >= at[1L] & x <= at[length(at)]
  values <- grid_values(look, cbind(at[k], at[k + 1L]))
  weights <- known_averages(look, function(x) piece_weights(x, at))
  by_class(values, function(v) {
    list(steps = cell_means(v[, 2L] - v[, 1L], k, look$domain, length(at) - 1L, counted),
         weights = weights)
  })
}

# [rows x values]: of a curve of straight lines between `at` the value at x is the sum of these
# times those at `at`.
piece_weights <- function(x, at) {
  k <- piece_of(x, at)
  share <- pmin(pmax((x - at[k]) / (at[k + 1L] - at[k]), 0), 1)
  outer(k, seq_along(at), "==") * (1 - share) + outer(k + 1L, seq_along(at), "==") * share
}

piece_of <- function(x, at) {
  findInterval(x, at, rightmost.closed = TRUE, all.inside = TRUE, left.open = TRUE)
}

# A predictor with one value.
flat_parts <- function(look, at) {
  values <- grid_values(look, cbind(look$codes))
  by_class(values, function(v) {
    G <- nlevels(look$domain)
    list(steps = matrix(0, G, 0L),
         weights = known_averages(look, function(codes) matrix(1, length(codes), length(at))))
  })
}

# For ordered categories: rows on both sides of a step take it.
category_parts <- function(look, at) {
  code <- look$codes
  L <- length(at)
  if (L < 2L) return(flat_parts(look, at))
  values <- grid_values(look, cbind(pmax(code - 1L, 1L), code, pmin(code + 1L, L)))
  weights <- known_averages(look, function(codes) outer(codes, at, "=="))
  by_class(values, function(v) {
    steps <- c(v[, 2L] - v[, 1L], v[, 3L] - v[, 2L])
    place <- c(code - 1L, code)
    list(steps = cell_means(steps, place, rep(look$domain, 2L), L - 1L,
                            !is.na(place) & place >= 1L & place < L),
         weights = weights)
  })
}

# Means [domains x cells], NA if a cell has no row.
cell_means <- function(values, cell, domain, cells, counted) {
  cell <- factor(cell[counted], seq_len(cells))
  unname(tapply(values[counted], list(domain[counted], cell), mean))
}

# Shifts the rows that describe the domains, not those that are predicted.
context_parts <- function(look, grid, sample) {
  described_by <- function(data) {
    effect_values(look, look$data, look$domain, reference = data,
                  reference_domain = as.character(sample$domain))
  }
  before <- described_by(sample$data)
  column <- column_of(sample$data, look$name)
  codes <- look$all$codes
  changes <- lapply(grid$at, function(at) {
    shifted <- if (is.null(grid$categories)) codes + at else rep(at, length(codes))
    described_by(set_column(sample$data, look$name, column_from(shifted, column))) - before
  })
  inside <- matrix(TRUE, nlevels(look$domain), length(grid$at))
  lapply(seq_len(ncol(before)), function(k) {
    change <- vapply(changes, function(v) v[, k], numeric(nrow(before)))
    list(curves = domain_averages(matrix(change, nrow(before)), look$domain), inside = inside)
  })
}

# Over some of the domains; fallback: a curve whose steps are used where none of these has one.
average_curve <- function(part, some = TRUE, fallback = NULL) {
  if (!is.null(part$curves)) return(colMeans(part$curves[some, , drop = FALSE]))
  steps <- colMeans(part$steps[some, , drop = FALSE], na.rm = TRUE)
  none <- is.na(steps)
  steps[none] <- if (is.null(fallback)) 0 else diff(fallback)[none]
  c(0, cumsum(steps))
}

# Local effects do not determine the mean: it is 0 over all rows, for any subset of domains.
centred_curve <- function(curve, part) {
  if (is.null(part$weights)) curve else curve - mean(part$weights %*% curve, na.rm = TRUE)
}

# list(values, inside) [domains x values]; with local effects, NA outside the range of a domain.
domain_curves <- function(part, average) {
  if (!is.null(part$curves)) return(list(values = part$curves, inside = part$inside))
  steps <- part$steps
  G <- nrow(steps)
  inside <- matrix(FALSE, G, length(average))
  values <- matrix(NA_real_, G, length(average))
  for (g in seq_len(G)) {
    # the range of its rows; of a domain without a known value nothing is said
    if (anyNA(part$weights[g, ])) next
    reached <- range(which(part$weights[g, ] > 0))
    inside[g, reached[1L]:reached[2L]] <- TRUE
    step <- ifelse(is.na(steps[g, ]), diff(average), steps[g, ])
    curve <- c(0, cumsum(step))
    curve <- curve - sum(part$weights[g, ] * (curve - average))
    values[g, inside[g, ]] <- curve[inside[g, ]]
  }
  list(values = values, inside = inside)
}

# ---- the standard error of an average over domains --------------------------------------------
#
# By the jackknife over independent units: domains, with nested factors levels of the outer one,
# with crossed factors levels of each.

# list(groups: by factor the number of each domain's level, levels: their names, words: as text)
effect_units <- function(structure, domains) {
  # rows without a domain are one domain
  by_factor <- if (!is.null(structure)) on_error({
    domain_levels(structure, domains)[outer_factors(structure)]
  }, function(e) NULL)
  words <- if (is.null(by_factor)) "domain"
           else paste("level of", paste0("`", names(by_factor), "`", collapse = " or "))
  if (is.null(by_factor)) by_factor <- list(domain = domains)
  levels <- lapply(by_factor, unique)
  list(groups = Map(match, by_factor, levels), levels = levels, words = words)
}

plural_units <- function(words) sub("^(domain|level)", "\\1s", words)

fewest <- function(units) min(vapply(units, max, 0L))

# At each value of a curve, NA where all units have the same. units: by factor the group of each
# domain; without: by factor and group averages by fits without the group, or NULL for those of the
# model itself. With crossed factors, variances add up, less what was counted twice (Cameron,
# Gelbach and Miller, 2011, equation 2.13, see crossed_error()).
effect_error <- function(part, average, units, without) {
  if (fewest(units) < 2L) return(rep(NA_real_, length(average)))
  # squares of very large values would overflow, those of very small ones vanish
  values <- list(part$curves, part$steps, average, without)
  unit <- max(abs(unlist(values)), na.rm = TRUE)
  if (unit == 0 || !is.finite(unit)) unit <- 1
  over <- function(values) if (is.list(values)) lapply(values, over) else values / unit
  scaled <- intersect(c("curves", "steps"), names(part))
  part[scaled] <- over(part[scaled])
  unit * scaled_error(part, average / unit, units, over(without))
}

scaled_error <- function(part, average, units, without) {
  as_it_is <- function(groups) lapply(seq_len(max(groups)), function(j) {
    average_curve(part, groups != j, average)
  })
  factors <- seq_along(units)
  of_factor <- vapply(factors, function(k) {
    curves <- if (length(without)) without[[k]] else as_it_is(units[[k]])
    jackknife_variances(lapply(curves, centred_curve, part), tabulate(units[[k]]))
  }, average)
  variance <- matrix(of_factor, length(average))
  sets <- unlist(lapply(factors[-1L], function(size) {
    utils::combn(factors, size, simplify = FALSE)
  }), recursive = FALSE)
  both <- lapply(sets, function(set) {
    groups <- do.call(paste, unname(units[set]))
    groups <- match(groups, unique(groups))
    (-1)^(length(set) + 1) *
      jackknife_variances(lapply(as_it_is(groups), centred_curve, part), tabulate(groups))
  })
  total <- Reduce(`+`, both, rowSums(variance))
  error <- sqrt(pmax(total, apply(variance, 1L, max)))
  # values that are equal except for rounding do not say how far others are
  ifelse(error <= 1e-10 * max(abs(average), abs(of_factor)), NA_real_, error)
}

# By value, see jackknife_variance(); without: curves.
jackknife_variances <- function(without, sizes) {
  apply(do.call(cbind, without), 1L, jackknife_variance, sizes)
}

# Averages over the other domains by a model fitted without a unit, by factor, unit, predictor and
# class.
refitted_averages <- function(model, asked, progress) {
  spec <- read_evaluated(model)
  task <- cv_task(spec, asked$sample$input)
  units <- asked$units
  if (fewest(units$groups) < 3L) {
    abort("data", "`refits` needs at least 3 ", plural_units(units$words), ", not ",
          fewest(units$groups), ".")
  }
  resumable(function(ctx) {
    left_out <- unlist(Map(function(groups, levels) {
      Map(list, group = split(levels(asked$sample$domain), groups), name = levels)
    }, units$groups, units$levels), recursive = FALSE)
    seeds <- stored(ctx, "seeds", draw_seeds(length(left_out)))
    pieces <- lapply(seq_along(left_out), function(j) {
      list(key = paste("domain", j), domains = left_out[[j]]$group, name = left_out[[j]]$name,
           seed = seeds[j], label = method_of(spec)$title)
    })
    averages <- run_pieces(pieces, refit_worker(spec, task, asked), ctx)
    split(averages, rep(seq_along(units$levels), lengths(units$levels)))
  }, progress)
}

refit_worker <- function(spec, task, asked) {
  list(spec, task, asked)
  function(piece) {
    split <- list(train = which(!task$scored_by %in% piece$domains))
    holding_out(piece$name, {
      model <- seal(fit_split(spec, task, split))
      keep <- !asked$sample$domain %in% piece$domains
      asked$chosen <- match(intersect(asked$chosen, which(keep)), which(keep))
      asked$sample$data <- asked$sample$data[keep, , drop = FALSE]
      asked$sample$domain <- droplevels(asked$sample$domain[keep])
      lapply(parts_of(model, asked), function(parts) lapply(parts, average_curve))
    })
  }
}
