# From the parts of domains to curves, their average and its interval.

new_effect <- function(model, asked, progress) {
  names <- names(asked$grids)
  parts <- parts_of(model, asked)
  without <- if (asked$refits) refitted_averages(model, asked, progress)
  domains <- levels(asked$rows$domain)
  classes <- if (length(asked$class) && length(model$response$levels) > 2L) asked$class
             else NA_character_
  tables <- lapply(names, function(name) lapply(seq_along(classes), function(k) {
    own <- lapply(without, lapply, function(of) of[[name]][[k]])
    lines <- effect_lines(parts[[name]][[k]], asked$grids[[name]], own, asked, domains)
    lapply(lines, function(frame) {
      if (nrow(frame)) data.frame(predictor = name, class = classes[k], frame)
    })
  }))
  tables <- unlist(tables, recursive = FALSE)
  structure(list(
    average = do.call(rbind, lapply(tables, `[[`, "average")),
    domains = do.call(rbind, lapply(tables, `[[`, "domains")),
    type = asked$type, level = asked$level, refits = asked$refits, units = asked$units$words,
    rows = length(asked$rows$domain), averaged = length(asked$chosen),
    judges = judges_other_rows(model), labels = variable_names(model$blueprint),
    values = value_words(model), title = model$spec$parts$title
  ), class = c("dg_effect", "dg_result"))
}

value_words <- function(model) {
  if (model$response$kind == "number") return("")
  if (model$response$kind == "censored") return("relative hazard")
  probability <- gives_probabilities(model)
  levels <- model$response$levels
  if (length(levels) > 2L) return(if (probability) "probabilities" else "decision values")
  paste0(if (probability) "probability of \"" else "decision value for \"", levels[2L], "\"")
}

# By predictor and class. The model's domains are described by all rows.
parts_of <- function(model, asked) {
  # of its own domains a model knows how many rows they have
  if (!is.null(asked$rows$input)) return(quietly(made_parts(model, asked), small_domain_warning))
  made_parts(model, asked)
}

small_domain_warning <- "domgen_warning_small_domain"

made_parts <- function(model, asked) {
  rows <- asked$rows
  fix <- asked$type != "context" && !is_fixed(model) &&
    (judges_other_rows(model) || reads_domain(model))
  if (fix) model <- fix_reference(model, rows$data, domain = as.character(rows$domain))
  lapply(stats::setNames(nm = names(asked$grids)), function(name) {
    effect_parts(model, asked, name)
  })
}

# list(average, domains): data frames. without: averages of fits without each unit, see
# effect_error().
effect_lines <- function(part, grid, without, asked, domains) {
  average <- centred_curve(average_curve(part), part)
  G <- length(domains)
  units <- asked$units$groups
  error <- effect_error(part, average, units, without)
  half <- stats::qt((1 + asked$level) / 2, max(fewest(units) - 1L, 1L)) * error
  curves <- domain_curves(part, average)
  category <- if (is.null(grid$categories)) NA_character_ else grid$categories
  cells <- expand.grid(k = seq_along(grid$at), g = seq_len(G))
  single <- data.frame(domain = domains[cells$g], at = grid$at[cells$k],
                       category = rep_len(category, length(grid$at))[cells$k],
                       value = curves$values[cbind(cells$g, cells$k)],
                       inside = curves$inside[cbind(cells$g, cells$k)])
  list(average = data.frame(at = grid$at, category = category, value = average, se = error,
                            lower = average - half, upper = average + half,
                            domains = colSums(curves$inside)),
       domains = single[!is.na(single$value), ])
}

# Over some of the domains; fallback: a curve with the steps that none of these has.
average_curve <- function(part, some = TRUE, fallback = NULL) {
  if (!is.null(part$curves)) return(colMeans(part$curves[some, , drop = FALSE]))
  steps <- colMeans(part$steps[some, , drop = FALSE], na.rm = TRUE)
  none <- is.na(steps)
  steps[none] <- if (is.null(fallback)) 0 else diff(fallback)[none]
  c(0, cumsum(steps))
}

# Local effects say nothing of the level: 0 is the mean over all rows, of whichever domains a curve
# is made.
centred_curve <- function(curve, part) {
  if (is.null(part$weights)) curve else curve - mean(part$weights %*% curve)
}

# list(values, inside) [domains x values]; of local effects nothing is known outside.
domain_curves <- function(part, average) {
  if (!is.null(part$curves)) return(list(values = part$curves, inside = part$inside))
  steps <- part$steps
  G <- nrow(steps)
  inside <- matrix(FALSE, G, length(average))
  values <- matrix(NA_real_, G, length(average))
  for (g in seq_len(G)) {
    # of which its rows are
    reached <- range(which(part$weights[g, ] > 0))
    inside[g, reached[1L]:reached[2L]] <- TRUE
    own <- ifelse(is.na(steps[g, ]), diff(average), steps[g, ])
    curve <- c(0, cumsum(own))
    curve <- curve - sum(part$weights[g, ] * (curve - average))
    values[g, inside[g, ]] <- curve[inside[g, ]]
  }
  list(values = values, inside = inside)
}
