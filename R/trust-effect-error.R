# The standard error of an average over domains, by the jackknife that leaves out what is
# independent: domains, levels of the outer factor of nested ones, or of crossed factors the levels
# of each.

# list(groups: by factor the number of each domain's level, levels: their names, words)
effect_units <- function(structure, domains) {
  # rows of which nothing says the domain are one
  found <- if (!is.null(structure)) on_error({
    domain_levels(structure, domains)[outer_factors(structure)]
  }, function(e) NULL)
  words <- if (is.null(found)) "domain"
           else paste("level of", paste0("`", names(found), "`", collapse = " or "))
  if (is.null(found)) found <- list(domain = domains)
  levels <- lapply(found, unique)
  list(groups = Map(match, found, levels), levels = levels, words = words)
}

plural_units <- function(words) sub("^(domain|level)", "\\1s", words)

fewest <- function(units) min(vapply(units, max, 0L))

# At each value of a curve. units: by factor the group of each domain; without: by factor and group
# averages by fits without the group, or NULL for those of the model as it is. Of crossed factors
# variances add up, less what was counted twice (Cameron, Gelbach and Miller, 2011, equation 2.13,
# see crossed_error()).
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
  # of equals but for rounding
  ifelse(error < 1e-10 * max(abs(average), abs(of_factor)), 0, error)
}

# By value, see jackknife_variance(); without: curves.
jackknife_variances <- function(without, sizes) {
  apply(do.call(cbind, without), 1L, jackknife_variance, sizes)
}

# Averages over the other domains by a model that has not seen a unit, by factor, unit, predictor
# and class.
refitted_averages <- function(model, asked, progress) {
  spec <- read_evaluated(model)
  task <- cv_task(spec, asked$rows$input)
  units <- asked$units
  if (fewest(units$groups) < 3L) {
    abort("data", "`refits` needs at least 3 ", plural_units(units$words), ", not ",
          fewest(units$groups), ".")
  }
  resumable(function() {
    left_out <- unlist(Map(function(groups, levels) {
      Map(list, group = split(levels(asked$rows$domain), groups), name = levels)
    }, units$groups, units$levels), recursive = FALSE)
    seeds <- stored("seeds", draw_seeds(length(left_out)))
    pieces <- lapply(seq_along(left_out), function(j) {
      list(key = paste("domain", j), domains = left_out[[j]]$group, name = left_out[[j]]$name,
           seed = seeds[j], label = spec$parts$title)
    })
    found <- run_pieces(pieces, refit_worker(spec, task, asked), progress)
    split(found, rep(seq_along(units$levels), lengths(units$levels)))
  })
}

refit_worker <- function(spec, task, asked) {
  list(spec, task, asked)
  function(piece) {
    domain <- if (is.null(task$judged)) task$domain else task$judged
    split <- list(train = which(!domain %in% piece$domains))
    holding_out(piece$name, {
      model <- seal(split_fits(list(spec), task, split)[[1L]]())
      asked <- rows_without(asked, piece$domains)
      lapply(parts_of(model, asked), function(parts) lapply(parts, average_curve))
    })
  }
}

rows_without <- function(asked, domains) {
  keep <- !asked$rows$domain %in% domains
  asked$chosen <- match(intersect(asked$chosen, which(keep)), which(keep))
  asked$rows$data <- chosen_rows(asked$rows$data, keep)
  asked$rows$domain <- droplevels(asked$rows$domain[keep])
  asked
}
