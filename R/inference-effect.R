#' Effects of predictors on predictions
#'
#' @description
#' How predictions change with a predictor, in each domain and on average over domains:
#' \describe{
#'   \item{`"pdp"`}{Partial dependence: the mean prediction of a domain's rows if the predictor has
#'     a given value in all of them. The description of the domain is unchanged.}
#'   \item{`"ale"`}{Accumulated local effects: the change of a row's prediction between the ends of
#'     the interval that contains its value, averaged over rows and summed over intervals. Rows stay
#'     near their values, so this is also valid for correlated predictors, for which partial
#'     dependence extrapolates.}
#'   \item{`"context"`}{Contextual effect: the change of predictions if the predictor is shifted in
#'     the rows that *describe* the domain, and not in the rows that are predicted.}
#' }
#'
#' @details
#' `lower` and `upper` are for the average over domains: with `refits = FALSE` the average effect of
#' the same model over other domains, with `refits = TRUE` that of the method fitted to as many
#' domains. [effect_curves] has formulas and coverage.
#'
#' @param object A fitted learner, [dg_pipeline()] or ensemble, also from [dg_auto()] or
#'   [dg_tune()], a model with a fixed reference ([set_reference()]), or a fit of
#'   [domain_learner()], alone or in a workflow. A workflow's predictors are the columns of
#'   `newdata`, before its recipe, and `newdata` must be given.
#' @param predictors Names of columns of the data. Default `NULL`: all predictors.
#' @param newdata Data frame (or matrix) with rows of one or more domains, which also describe these
#'   domains; no response is needed. Default `NULL`: the training rows, if the data of the model's
#'   call still exist. Not a [row_source()].
#' @param domain Domain of each row of `newdata`, if it is not a column of it.
#' @param type `"pdp"`, `"ale"` or `"context"`.
#' @param grid Number of values (for `"ale"` of intervals), at quantiles of all rows; or a list of
#'   values by predictor (ends of intervals; for `"context"` shifts). Default 20. Default shifts: at
#'   most 9, from minus one to one standard deviation of the domain means.
#' @param class With more than two classes, names of the classes. Default `NULL`: all.
#' @param refits If `TRUE`, the model is fitted again without each domain, for the interval; only
#'   with the model's own data. Default `FALSE`.
#' @param max_rows Maximum number of rows whose predictions are averaged: a random sample of equal
#'   size from each domain, at least one row each. All rows describe the domains, their ranges and
#'   the mean of a curve. Default 2000.
#' @param level Nominal coverage of the intervals. Default 0.95.
#' @param seed Seed of the sample of rows.
#' @param progress,... As in [all methods][dg_arguments].
#' @return An object of class `dg_effect`, a list with
#'   \item{average}{data frame, a row per predictor, class and value: `predictor`, `class` (`NA`
#'     with at most two classes), `at` (value, shift, or number of the category), `category` (`NA`
#'     for numbers), `value`, `se`, `lower`, `upper` (`NA` where all domains have the same value),
#'     `domains` (number of domains with values on
#'     both sides, or in the category)}
#'   \item{domains}{data frame, a row per predictor, class, domain and value: `predictor`, `class`,
#'     `domain`, `at`, `category`, `value`, and `inside`: `TRUE` if the domain has values on both
#'     sides, or in the category}
#'   \item{type, level, refits}{the arguments}
#'   \item{rows, averaged}{number of rows that describe the domains, and of rows averaged}
#'   \item{trained}{`TRUE` if domains are those to which the model was fitted}
#'   \item{uses_others}{`TRUE` if the model uses a domain's other rows to predict a row}
#'   \item{held_out}{number of domains (or levels of a factor) that the jackknife holds out}
#'   \item{units, values, labels, title}{texts for printing}
#'   Values are predicted numbers; probabilities of the second of two classes, or of each `class`;
#'   decision values for a model without probabilities; relative hazards for censored times.
#' @section Errors:
#' A model without a response; data that are gone or do not fit the model; a column that does not
#' exist, or is neither numeric nor categorical; `"context"` for a model with a fixed reference;
#' `refits` with `newdata`, or with fewer than three domains.
#' @seealso [effect_curves], [plot()][plot.dg_effect], [dg_importance()] for how much a predictor
#'   matters, [model_tools] for other packages
#' @examples
#' # effects of a pupil's status, and of the school's mean status
#' pupils <- as.data.frame(nlme::MathAchieve)
#' pupils <- subset(pupils, School %in% levels(School)[seq(1, 160, 8)])
#' model <- dg_lm(MathAch ~ SES + Sex + Minority | School, data = pupils, domain_means = TRUE)
#' dg_effect(model, "SES", grid = 5)
#' context <- dg_effect(model, "SES", type = "context", grid = 5, refits = TRUE)
#' context
#' plot(context)
#' @export
dg_effect <- function(object, predictors = NULL, newdata = NULL, domain = NULL,
                      type = c("pdp", "ale", "context"), grid = 20, class = NULL, refits = FALSE,
                      max_rows = 2000, level = 0.95, seed = 1, progress = NULL, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(dg_effect)))
  check_given(object, "object")
  type <- check_choice(type, "type", effect_types)
  # as in other functions, a data frame after the model is the data
  if (is.data.frame(predictors) && is.null(newdata)) {
    newdata <- predictors
    predictors <- NULL
  }
  progress <- read_progress(progress)
  object <- inner_fit(object)
  if (!inherits(object, "dg_learner")) {
    abort("argument", "`object` must be a fitted learner or pipeline, not ",
          if (inherits(object, "dg_spec")) "a specification: fit it with fit() first"
          else describe(object), ".")
  }
  check_sealed(object)
  check_row_by_row(object)
  if (type == "context" && is_fixed(object)) {
    abort("argument", "`type = \"context\"` changes the description of domains, which is fixed in ",
          "`object`: use the original model, without set_reference().")
  }
  # columns of the values to use; none for a numeric response
  levels <- object$response$levels
  if (length(levels)) class <- read_class(class, levels)
  else if (!is.null(class)) {
    abort("argument", "`class` must not be given with a numeric response.")
  }
  sample <- effect_rows(object, newdata, domain, parent.frame())
  asked <- list(
    type = type, class = class,
    level = check_level(level), refits = check_flag(refits, "refits"), sample = sample,
    max_rows = check_count(max_rows, "max_rows"), seed = check_seed(seed)
  )
  asked$units <- effect_units(object$blueprint$structure, levels(sample$domain))
  if (asked$refits && is.null(sample$input)) {
    abort("argument", "`refits` must be FALSE with `newdata`: refits need the model's own ",
          "training data.")
  }
  asked$grids <- read_grids(grid, predictors, sample, type)
  asked$chosen <- search_rows(list(y = numeric(length(sample$domain)), domain = sample$domain),
                              max(asked$max_rows, nlevels(sample$domain)), asked$seed, 1L)
  new_effect(object, asked, progress)
}

effect_types <- c("pdp", "ale", "context")

# Rows that the model can predict: list(data, domain: factor, input: that of the model's own fit, or
# NULL, names: of predictors).
effect_rows <- function(model, newdata, domain, env) {
  of_fit <- is.null(newdata)
  if (of_fit && !is.null(domain)) {
    abort("argument", "`domain` must not be given without `newdata`.")
  }
  if (of_fit) {
    input <- training_input(model, env)
    if (!is.null(input$source)) {
      abort("argument", "`newdata` must be given: the model was fitted to a row_source().")
    }
    newdata <- as_newdata(input)
    domain <- input$domain
  }
  uses_others <- uses_other_rows(model)
  blueprint <- model$blueprint
  data <- if (is.data.frame(newdata)) check_data(newdata) else newdata
  domain <- new_domain(blueprint, preprocess(blueprint$before, data), domain, NROW(data),
                       uses_others, "newdata", unknown = "all")
  # the fit has said which of its own rows it left out
  ok <- suppressWarnings(replay(blueprint, data, domain, TRUE)$ok, "domgen_warning_missing"[of_fit])
  if (!any(ok)) abort("data", "`newdata` must have at least one complete row.")
  data <- take(if (is.data.frame(data)) data else as.matrix(data), ok)
  names <- predictor_columns(blueprint)
  used <- c(blueprint$used, blueprint$before$levels)
  if (!is.data.frame(data)) colnames(data) <- names
  else for (name in intersect(names(data)[vapply(data, is.factor, NA)], names(used))) {
    # without the levels that no training row had, see used_levels()
    seen <- intersect(levels(data[[name]]), used[[name]])
    data[[name]] <- factor(data[[name]], seen)
  }
  list(data = data, domain = droplevels(factor(domain[ok])),
       input = if (of_fit) input, names = setdiff(names, blueprint$domain_columns))
}

# ---- the values of predictors at which effects are computed -----------------------------------

# By predictor a list(at: numbers, in order, or codes of categories; categories: NULL of numbers;
# ordered: are these steps?).
read_grids <- function(grid, predictors, sample, type) {
  names <- if (is.null(predictors)) sample$names else predictors
  if (!is.character(names) || length(names) == 0L || anyNA(names)) {
    abort("argument", "`predictors` must be names of columns, not ", describe(predictors), ".")
  }
  names <- unique(names)
  other <- setdiff(names, sample$names)
  if (length(other)) {
    abort("argument", "`predictors` must be among ", enumerate(sample$names, 12L), ", not ",
          enumerate(other), ".")
  }
  given <- check_grid(grid, names)
  lapply(stats::setNames(nm = names), function(name) {
    column <- column_of(sample$data, name)
    check_single_column(column, name)
    if (!is_category(column)) {
      return(number_grid(column, given[[name]], given$size, name, sample, type))
    }
    if (!is.null(given[[name]])) {
      abort("argument", "`grid` must not have values for `", name, "`: effects of all its ",
            "categories are computed.")
    }
    list(at = seq_along(categories_of(column)), categories = categories_of(column),
         ordered = is.ordered(column) || is.logical(column))
  })
}

# list(size), and the given values by predictor.
check_grid <- function(grid, names) {
  if (!is.list(grid)) return(list(size = check_count(grid, "grid", 2L, 10000L)))
  other <- setdiff(names(grid), names)
  if (length(grid) == 0L || is.null(names(grid)) || length(other) || anyDuplicated(names(grid))) {
    abort("argument", "`grid` must be a number or a list of values by predictor",
          if (length(other)) paste0(", not for ", enumerate(other)), ".")
  }
  for (name in names(grid)) {
    values <- grid[[name]]
    if (!is.numeric(values) || length(values) == 0L || !all(is.finite(values))) {
      abort("argument", "`grid$", name, "` must be finite numbers, not ", describe(values), ".")
    }
    grid[[name]] <- sort(unique(as.numeric(values)))
  }
  c(list(size = 20L), grid)
}

number_grid <- function(column, given, size, name, sample, type) {
  if (!is.numeric(column)) {
    abort("argument", "`predictors` must be numeric or categorical; `", name, "` is ",
          describe(column), ".")
  }
  if (is.null(given)) {
    if (all(is.na(column))) {
      abort("data", "`", name, "` must have known values; all ", length(column), " are missing.")
    }
    given <- if (type == "context") shift_grid(column, sample$domain, size) else {
      shares <- seq(0, 1, length.out = size + (type == "ale"))
      unique(stats::quantile(column, shares, type = 1L, names = FALSE, na.rm = TRUE))
    }
  }
  list(at = given, categories = NULL, ordered = TRUE)
}

# An odd number of shifts, so that 0 is one of them; if domains have the same mean, from the
# standard deviation of rows.
shift_grid <- function(column, domain, size) {
  at <- !is.na(column)
  column <- column[at]
  means <- tapply(column, droplevels(domain[at]), mean)
  # squares of large numbers overflow
  spread_of <- function(values) stable_sd(values - mean(values))
  spread <- if (length(means) > 1L) spread_of(means) else 0
  if (!isTRUE(spread > 0)) spread <- spread_of(column)
  if (!isTRUE(spread > 0)) spread <- 1
  seq(-1, 1, length.out = min(2L * (size %/% 2L) + 1L, 9L)) * spread
}

# From a data frame or a matrix with names.
column_of <- function(data, name) {
  if (is.data.frame(data)) base_column(data[[name]]) else data[, name]
}

set_column <- function(data, name, values) {
  if (is.data.frame(data)) data[[name]] <- values else data[, name] <- values
  data
}

# A column as numbers: for categories their codes.
column_codes <- function(column) {
  if (is_category(column)) match(as.character(column), categories_of(column))
  else as.numeric(column)
}

# The reverse.
column_from <- function(codes, like) {
  if (!is_category(like)) return(codes)
  if (is.logical(like)) return(codes == 2L)
  values <- categories_of(like)[codes]
  if (is.factor(like)) factor(values, levels(like), ordered = is.ordered(like)) else values
}

# ---- from the parts of domains to curves, their average and its interval ----------------------

new_effect <- function(model, asked, progress) {
  names <- names(asked$grids)
  parts <- parts_of(model, asked)
  without <- if (asked$refits) refitted_averages(model, asked, progress)
  domains <- levels(asked$sample$domain)
  classes <- if (length(asked$class) && length(model$response$levels) > 2L) asked$class
             else NA_character_
  tables <- lapply(names, function(name) lapply(seq_along(classes), function(k) {
    refitted <- lapply(without, lapply, function(of) of[[name]][[k]])
    lines <- effect_lines(parts[[name]][[k]], asked$grids[[name]], refitted, asked, domains)
    lapply(lines, function(frame) {
      if (nrow(frame)) data.frame(predictor = name, class = classes[k], frame)
    })
  }))
  tables <- unlist(tables, recursive = FALSE)
  structure(list(
    average = do.call(rbind, lapply(tables, `[[`, "average")),
    domains = do.call(rbind, lapply(tables, `[[`, "domains")),
    type = asked$type, level = asked$level, refits = asked$refits, units = asked$units$words,
    held_out = fewest(asked$units$groups),
    rows = length(asked$sample$domain), averaged = length(asked$chosen),
    trained = !is.null(asked$sample$input) || any(domains %in% levels(model$domain)),
    uses_others = uses_other_rows(model), labels = variable_names(model$blueprint),
    values = value_words(model), title = method_of(model$spec)$title
  ), class = c("dg_effect", "dg_result"))
}

value_words <- function(model) {
  if (model$response$kind == "number") return("")
  if (model$response$kind == "censored") {
    return(if (is.null(model$response$family$baseline)) "risk" else "relative hazard")
  }
  probability <- gives_probabilities(model)
  levels <- model$response$levels
  if (length(levels) > 2L) return(if (probability) "probabilities" else "decision values")
  paste0(if (probability) "probability of \"" else "decision value for \"", levels[2L], "\"")
}

# By predictor and class. The model's domains are described by all rows.
parts_of <- function(model, asked) {
  sample <- asked$sample
  fix <- asked$type != "context" && !is_fixed(model) &&
    (uses_other_rows(model) || reads_domain(model))
  made <- function() {
    if (fix) model <- set_reference(model, sample$data, domain = as.character(sample$domain))
    lapply(stats::setNames(nm = names(asked$grids)), function(name) {
      effect_parts(model, asked, name)
    })
  }
  # of training domains the model has learned from as few rows
  if (is.null(sample$input)) made() else quietly(made(), "domgen_warning_small_domain")
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

#' Curves of effects and their intervals
#'
#' How the partial dependence, accumulated local effects and contextual effects of [dg_effect()] are
#' defined with domains, and what their intervals cover.
#'
#' @section Definition:
#' Let \eqn{x_i}{x_i} be the rows of domain g, \eqn{P_g} its description (see [set_reference()]),
#' and \eqn{x_{i,-j}}{x_i,-j} all predictors but j.
#'
#' **Partial dependence** (Friedman, 2001, equation 53) of a domain is
#' \deqn{PD_g(v) = \frac1{n_g} \sum_{i \in g} f\{(v, x_{i,-j}), P_g\}}{
#'   PD_g(v) = mean_i f((v, x_i,-j), P_g)}
#' The average is the mean over domains, equally weighted.
#'
#' **Local effects** (Apley and Zhu, 2020, equation 9). In the interval \eqn{(z_{k-1}, z_k]} between
#' quantiles of all rows, the local effect of domain g is the mean over its rows there of
#' \eqn{f\{(z_k, x_{i,-j}), P_g\} - f\{(z_{k-1}, x_{i,-j}), P_g\}}{ f((z_k, x_i,-j), P_g) -
#' f((z_k-1, x_i,-j), P_g)}; the average effect is the mean over the domains with rows there. A
#' curve is the cumulative sum of local effects. The average curve has mean 0 over rows (domains
#' equally weighted). The curve of a domain covers the range of its values, uses the average effect
#' in intervals without rows, and has the mean of the average curve over its own rows. Ordered
#' categories are steps from one to the next. Other categories have no intervals: they get partial
#' dependence less its mean.
#'
#' **Contextual effect**:
#' \deqn{C_g(\delta) = \frac1{n_g} \sum_{i \in g} \left[f(x_i, P_g^{j+\delta}) - f(x_i, P_g)
#'   \right]}{C_g(delta) = mean_i f(x_i, P_g shifted by delta) - f(x_i, P_g)}
#' where \eqn{P_g^{j+\delta}} is described by the same rows with \eqn{\delta}{delta} added to
#' predictor j, or for a category by rows that all have it. If \eqn{y = a (x - m_g) + b\, m_g}{y = a
#' (x - m_g) + b m_g} with the domain's mean \eqn{m_g}{m_g}, it is \eqn{(b - a) \delta}{(b - a)
#' delta}, the contextual effect of multilevel analysis (Raudenbush and Bryk, 2002, chapter 5), and
#' partial dependence has the slope a. It is 0 for a model without a description of domains.
#' @section Intervals:
#' `lower` and `upper` are Student's interval for the average over domains, from the jackknife over
#' domains. The effect that they are for depends on `refits`:
#'
#' | `refits` | interval for |
#' |---|---|
#' | `FALSE` | the average effect of the *same model* over other domains, exchangeable with these |
#' | `TRUE` | the average effect that the *method* finds from as many domains |
#'
#' Where all domains have the same value there is no interval (`NA`): a linear model without
#' interactions has the same contextual effect in each domain, which does not show how far it is
#' off. `refits = TRUE` does.
#'
#' Neither allows for the bias of a method that shrinks. Differences between domains show in the
#' curves of single domains, not in this interval. For `"ale"` the interval is for the shape of the
#' curve, since its mean is fixed at 0. With nested factors, levels of the outer factor are held out
#' as a whole; with crossed factors, levels of each factor, with variances combined as in [dg_cv()].
#'
#' To a model that learns from domains those of training are not exchangeable with others: it knows
#' how steep curves are there, and effects in other domains are smaller, or differ by more. With
#' `refits = FALSE` and training domains, intervals can then be too narrow, as `print()` says. With
#' `data` of other domains, or `refits = TRUE`, they do not have this fault.
#'
#' In simulations (`vignette("importance-and-effects")`), 95 % intervals contain what they are for
#' in 84-100 %, with two exceptions: `"ale"` of [dg_ridge()] with training domains and `refits =
#' FALSE` (75-96 %), and the contextual effect itself, which [dg_ridge()] shrinks (54 to 72 %;
#' [dg_lm()] 95 %).
#' @references
#' Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black box
#' supervised learning models. *Journal of the Royal Statistical Society B* 82(4), 1059-1086.
#'
#' Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. *Annals of
#' Statistics* 29(5), 1189-1232.
#'
#' Raudenbush, S. W. and Bryk, A. S. (2002). *Hierarchical Linear Models*, second edition. Sage.
#' @seealso [dg_effect()], `vignette("importance-and-effects")`
#' @name effect_curves
NULL
