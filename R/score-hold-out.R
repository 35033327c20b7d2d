# What is held out together if domains have several factors (data-structure.R), and in which factors
# it is new.

# The task with the units that are held out and scored as its `domain`, the domains themselves, from
# which rows are predicted, as `scored_by`; and
#   unit       what a unit is called
#   structure  of the domains, with the names of the factors that are `held` out
#   crossed    of several factors that are to be new together: their levels by row, a data frame
#   around     the same of the outer factors that the one held out is inside of
# hold_out: a factor, or "all".
hold_out_task <- function(task, structure, hold_out) {
  choices <- c("all", names(structure$factors))
  if (!is.character(hold_out) || length(hold_out) != 1L || !hold_out %in% choices) {
    abort("argument", "`hold_out` must be ", if (length(choices) > 1L) "one of ",
          enumerate(choices, length(choices), "\""),
          if (is.null(structure)) ", as the formula has one factor of domains", ", not ",
          describe(hold_out), ".")
  }
  if (is.null(structure)) return(task)
  held <- if (hold_out == "all") outer_factors(structure) else hold_out
  levels <- levels_by_row(structure, task$domain)[held]
  task$around <- shared_levels(structure, task$domain, factors_around(structure, held))
  task$unit <- if (length(held) == 1L) paste0("level of `", held, "`")
               else paste("combination of", enumerate(held, length(held)))
  task$domain <- if (length(held) == 1L) levels[[1L]] else {
    # in the order of the levels that they are made of
    name <- do.call(paste, c(unname(lapply(levels, as.character)), sep = " + "))
    factor(name, unique(name[do.call(order, unname(lapply(levels, as.integer)))]))
  }
  task$structure <- c(structure, list(held = held))
  if (length(held) > 1L) task$crossed <- as.data.frame(levels, optional = TRUE)
  task
}

# The outer ones that each of these is inside of, none for an outer one.
factors_around <- function(structure, held) {
  at <- structure$factors[held]
  Filter(function(outer) {
    parts <- structure$factors[[outer]]
    all(vapply(at, function(inner) length(parts) < length(inner) && all(parts %in% inner), NA))
  }, outer_factors(structure))
}

# A data frame by row, NULL where none of the factors has several levels.
shared_levels <- function(structure, domain, factors) {
  shared <- Filter(function(levels) nlevels(levels) > 1L, levels_by_row(structure, domain)[factors])
  if (length(shared)) as.data.frame(shared, optional = TRUE)
}

# Factors by row, whose levels are in the order of the domains.
levels_by_row <- function(structure, domain) {
  lapply(domain_levels(structure, levels(domain)), function(names) {
    factor(names, unique(names))[as.integer(domain)]
  })
}

# ---- several factors at once ------------------------------------------------------------------

# Folds in which the rows held out are new in each of several factors: levels of each are assigned
# to groups, a fold holds out a group of each of them, and rows that share any of these levels are
# not trained on. A named assignment for each factor.
crossed_folds <- function(crossed, folds) {
  if (!is.null(folds)) {
    if (!is_number(folds) || !is.null(names(folds))) {
      abort("argument", "`folds` must be NULL or the number of groups of each factor if several ",
            "factors are held out, not ", describe(folds), ". For other folds name one factor as ",
            "`hold_out`.")
    }
    folds <- check_count(folds, "folds", at_least = 2L)
  }
  parts <- lapply(crossed, function(levels) {
    names <- levels(droplevels(levels))
    assign_folds(names, if (!is.null(folds)) min(folds, length(names)))
  })
  structure(parts, class = "domgen_crossed_folds")
}

#' @exportS3Method
fold_splits.domgen_crossed_folds <- function(folds, task) {
  groups <- Map(function(fold, levels) at_labels(unclass(fold), as.character(levels)),
                folds, task$crossed)
  groups <- do.call(cbind, unname(groups))
  cells <- unique(groups)
  cells <- cells[do.call(order, as.data.frame(cells)), , drop = FALSE]
  splits <- lapply(seq_len(nrow(cells)), function(k) {
    same <- groups == rep(cells[k, ], each = nrow(groups))
    list(train = which(rowSums(same) == 0), held = which(rowSums(same) == ncol(groups)), fold = k,
         rep = 1L)
  })
  if (any(vapply(splits, function(split) length(split$train) == 0L, NA))) {
    abort("data", "No row remains for training without the held-out levels of ",
          enumerate(names(folds), length(folds)), ". Name one of them as `hold_out`.")
  }
  splits
}

#' @export
print.domgen_crossed_folds <- function(x, ...) {
  sizes <- vapply(x, function(fold) length(unique(fold)), 0L)
  cat_line("Folds that are new in ", enumerate(names(x), length(x)), " (",
           paste(sizes, collapse = " x "), " groups of levels)")
  invisible(x)
}

# The levels that units share, so that their scores go together: of crossed factors, or of those
# around the one that is held out; NULL where that is an outer one.
crossed_by <- function(task, units) {
  shared <- if (is.null(task$crossed)) task$around else task$crossed
  if (!is.null(shared)) shared[match(units, task$domain), , drop = FALSE]
}

# ---- words ------------------------------------------------------------------------------------

# The factors in which held-out rows are new, as text; NULL with one factor.
novelty <- function(splits, task) {
  if (is.null(task$structure)) return(NULL)
  levels <- levels_by_row(task$structure, task$scored_by)
  seen <- vapply(levels, function(level) {
    mean(vapply(splits, function(split) mean(level[split$held] %in% level[split$train]), 0))
  }, 0)
  named <- function(which) enumerate(names(levels)[which], length(levels))
  new <- seen == 0
  old <- seen == 1
  paste(c(if (any(new)) paste("new to the fits:", named(new))
          else "new to the fits: no factor",
          if (any(old)) paste("known:", named(old)),
          if (any(!new & !old)) paste("new in some rows:", named(!new & !old))),
        collapse = "; ")
}
