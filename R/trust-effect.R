#' What a prediction does when a predictor changes
#'
#' @description
#' How predictions change with a predictor while each domain stays described as it was, domain by
#' domain and on average, and how they change when the domain changes and its rows do not:
#' \describe{
#'   \item{`"pdp"`}{partial dependence: the mean prediction of a domain's rows with the predictor
#'     set to a value in all of them.}
#'   \item{`"ale"`}{accumulated local effects: what a row's prediction changes when its predictor
#'     moves to the ends of the interval that it is in, summed over intervals. Rows stay near where
#'     they were, so that it is right where predictors are correlated and partial dependence asks
#'     about rows that there are not.}
#'   \item{`"context"`}{the contextual effect: what predictions change when the predictor of the
#'     rows that *describe* the domain is shifted, and the rows that are predicted are not.}
#' }
#'
#' @details
#' With the rows \eqn{x_i}{x_i} of domain g, its description \eqn{P_g} (see [set_reference()]), and
#' all but predictor j in \eqn{x_{i,-j}}{x_i,-j}, partial dependence (Friedman, 2001, equation 53)
#' of a domain is
#' \deqn{PD_g(v) = \frac1{n_g} \sum_{i \in g} f\{(v, x_{i,-j}), P_g\}}{
#'   PD_g(v) = mean_i f((v, x_i,-j), P_g)}
#' and that on average the mean over domains, each of which weighs the same. The local effect of
#' domain g in the interval \eqn{(z_{k-1}, z_k]} between quantiles of all rows (Apley and Zhu, 2020,
#' equation 9) is the mean of \eqn{f\{(z_k, x_{i,-j}), P_g\} - f\{(z_{k-1}, x_{i,-j}), P_g\}}{
#' f((z_k, x_i,-j), P_g) - f((z_k-1, x_i,-j), P_g)} over its rows there; on average it is the mean
#' over the domains that have some. Curves are the sums of local effects from the left. The average
#' has mean 0 over rows (each domain weighing the same). A domain's curve goes from its smallest to
#' its largest value, takes the average's step where it has no row between, and has the average's
#' mean over its own rows. Categories that are ordered are steps from one to the next; others have
#' no intervals, and get their partial dependence less its mean. The contextual effect is
#' \deqn{C_g(\delta) = \frac1{n_g} \sum_{i \in g} \left[f(x_i, P_g^{j+\delta}) - f(x_i, P_g)
#'   \right]}{C_g(delta) = mean_i f(x_i, P_g shifted by delta) - f(x_i, P_g)}
#' where \eqn{P_g^{j+\delta}} is described by the same rows with delta added to predictor j; of a
#' category, by rows that all have it. With
#' \eqn{y = a (x - m_g) + b\, m_g}{y = a (x - m_g) + b m_g} it is \eqn{(b - a) \delta}{(b - a)
#' delta}: what multilevel analysis calls the contextual effect (Raudenbush and Bryk, 2002, chapter
#' 5), while partial dependence has the slope a. It is 0 where a model makes no difference between
#' domains.
#'
#' **Interval.** `lower` and `upper` are Student's interval of the average over domains, by the
#' jackknife that leaves out each domain. Without `refits` the model is taken as it is: the interval
#' is for the same model's average over other domains of the same kind, and says nothing about
#' whether the model is right. With `refits` each domain is left out of the training too: it is then
#' for the effect as the method finds it from so many domains. How much single domains differ is
#' seen in their own curves. Of nested domains the levels of the outer factor are left out as a
#' whole, of crossed ones those of each factor, whose variances add up less what they share, see
#' [dg_cv()]. Of `"ale"` the interval is that of the form, not of the level: 0 is the mean over all
#' rows, whichever domain is left out. In a linear world with 8
#' and 12 domains intervals with `refits` cover the slope, and the contextual effect, in 94-96 % of
#' the draws. No interval knows of the bias of a method that shrinks.
#'
#' @param model A fitted learner of any kind ([dg_pipeline()]s, ensembles, models of [dg_auto()] and
#'   [dg_tune()] too), or one with a fixed reference.
#' @param predictors Names of columns of the data; all, if `NULL`.
#' @param data Rows of one or several domains, which describe these; labels are not needed. `NULL`:
#'   those that the model was fitted to, if the data of its call are still there.
#' @param domain Domain of each row of `data`, when it is not a column of it.
#' @param type `"pdp"`, `"ale"` or `"context"`.
#' @param grid Number of values (intervals, of `"ale"`), at quantiles of all rows; or a list by
#'   predictor of the values (ends of intervals; shifts) themselves. Shifts go from minus one to one
#'   standard deviation of the domains' means if they are not given.
#' @param class With more than two classes, which of them; all, if `NULL`.
#' @param refits Fit the model again without each domain, for the interval? Only with the model's
#'   own data.
#' @param max_rows Most rows to average over: chosen at random, an equal share of each domain, of
#'   which there is one at least. All rows describe the domains.
#' @param level Of the interval.
#' @param seed For the choice of rows.
#' @param progress Show how far it is? `NULL`: in interactive sessions.
#' @param ... Must be empty.
#' @return An object of class `dg_effect`, a list with
#'   \item{average}{data frame, a line per predictor, class and value: `predictor`, `class` (`NA`
#'     but for more than two), `at` (value, shift, or number of the category), `category` (`NA` of
#'     numbers), `value`, `se`, `lower`, `upper`, `domains` (how many reach there)}
#'   \item{domains}{data frame, a line per predictor, class, domain and value: `predictor`, `class`,
#'     `domain`, `at`, `category`, `value`, and `inside`: does the domain have values on both sides
#'     (of a category: any rows in it)?}
#'   \item{type, level, refits, units, labels, title}{what was asked for, over what intervals are,
#'     in words, and of what}
#'   \item{rows, averaged}{number of rows that describe the domains, and that were averaged over}
#'   \item{judges}{does the model judge a row by the others of its domain?}
#'   \item{values}{what the values are, in words, `""` of a number}
#'   Values are predicted numbers; of two classes probabilities of the second, of more those of each
#'   `class`, and decision values where the model has no probabilities.
#' @section Errors:
#' A model without a response; data that are gone or do not fit; a column that is not there, or
#' neither numbers nor categories; `"context"` of a model whose reference is fixed; `refits` with
#' `data`, or of a model that cannot be fitted without a domain.
#' @references
#' Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black box
#' supervised learning models. *Journal of the Royal Statistical Society B* 82(4), 1059-1086.
#'
#' Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. *Annals of
#' Statistics* 29(5), 1189-1232.
#'
#' Raudenbush, S. W. and Bryk, A. S. (2002). *Hierarchical Linear Models*, second edition. Sage.
#' @seealso [dg_importance()] for how much a predictor matters, [model_tools] for other packages
#' @examples
#' # the status of a pupil, and that of the school
#' pupils <- as.data.frame(nlme::MathAchieve)
#' pupils <- subset(pupils, School %in% levels(School)[seq(1, 160, 8)])
#' model <- dg_lm(MathAch ~ SES + Sex + Minority | School, data = pupils, domain_means = TRUE)
#' dg_effect(model, "SES", grid = 5)
#' context <- dg_effect(model, "SES", type = "context", grid = 5, refits = TRUE)
#' context
#' plot(context)
#' @export
dg_effect <- function(model, predictors = NULL, data = NULL, domain = NULL,
                      type = c("pdp", "ale", "context"), grid = 20, class = NULL, refits = FALSE,
                      max_rows = 2000, level = 0.95, seed = 1, progress = NULL, ...) {
  check_given(model, "model")
  check_no_dots(list(...), names(formals(dg_effect)))
  type <- check_choice(type, "type", effect_types)
  # as everywhere, a data frame behind a model is the data
  if (is.data.frame(predictors) && is.null(data)) {
    data <- predictors
    predictors <- NULL
  }
  progress <- read_progress(progress)
  if (!inherits(model, "dg_learner")) {
    abort("argument", "`model` must be a fitted learner or pipeline, not ",
          if (inherits(model, "dg_spec")) "a specification: give it data with fit() first"
          else describe(model), ".")
  }
  check_sealed(model, "model")
  if (type == "context" && is_fixed(model)) {
    abort("argument", "`model` must not have a fixed reference with `type = \"context\"`, which ",
          "changes what describes the domains: give the model that it was made of.")
  }
  # columns of the values that are looked at; of a number none
  levels <- model$response$levels
  if (length(levels)) class <- read_class(class, levels)
  else if (!is.null(class)) {
    abort("argument", "`class` must not be given with a number as response.")
  }
  rows <- effect_rows(model, data, domain, parent.frame())
  asked <- list(
    type = type, class = class,
    level = check_level(level), refits = check_flag(refits, "refits"), rows = rows,
    max_rows = check_count(max_rows, "max_rows"), seed = check_seed(seed)
  )
  asked$units <- effect_units(model$blueprint$structure, levels(rows$domain))
  if (asked$refits && is.null(rows$input)) {
    abort("argument", "`refits` must be FALSE with `data`: only rows that the model was fitted to ",
          "can be left out of it.")
  }
  asked$grids <- read_grids(grid, predictors, rows, type)
  asked$chosen <- search_rows(list(y = numeric(length(rows$domain)), domain = rows$domain),
                              max(asked$max_rows, nlevels(rows$domain)), asked$seed, 1L)
  new_effect(model, asked, progress)
}

effect_types <- c("pdp", "ale", "context")

# list(data, domain: factor, row: of the input, input: that of the model's own fit, or NULL); rows
# that the model can predict.
effect_rows <- function(model, data, domain, env) {
  own <- is.null(data)
  if (own && !is.null(domain)) {
    abort("argument", "`domain` must not be given without `data`.")
  }
  if (own) {
    input <- training_input(model, env)
    if (!is.null(input$source)) {
      abort("argument", "`data` must be given: the model was fitted to a source.")
    }
    data <- as_newdata(input)
    domain <- input$domain
  }
  uses_others <- uses_other_rows(model)
  blueprint <- model$blueprint
  if (is.data.frame(data)) data <- check_data(data)
  domain <- new_domain(blueprint, data, domain, NROW(data), uses_others, "data", unknown = "all")
  ok <- replay(blueprint, data, domain, TRUE, "data")$ok
  if (!any(ok)) abort("data", "`data` must have at least one complete row.")
  data <- take(if (is.data.frame(data)) data else as.matrix(data), ok)
  names <- predictor_columns(blueprint)
  if (!is.data.frame(data)) colnames(data) <- names
  else for (name in intersect(names(data)[vapply(data, is.factor, NA)], names(blueprint$used))) {
    # without the levels that no training row had, see used_levels()
    known <- intersect(levels(data[[name]]), blueprint$used[[name]])
    data[[name]] <- factor(data[[name]], known)
  }
  list(data = data, domain = droplevels(factor(domain[ok])), row = which(ok),
       input = if (own) input, names = setdiff(names, blueprint$domain_columns))
}

# ---- at which values of its predictors a model is looked at -----------------------------------

# By predictor a list(at: numbers, in order, or codes of categories; categories: NULL of numbers;
# ordered: are these steps?).
read_grids <- function(grid, predictors, rows, type) {
  names <- if (is.null(predictors)) rows$names else predictors
  if (!is.character(names) || length(names) == 0L || anyNA(names)) {
    abort("argument", "`predictors` must be names of columns, not ", describe(predictors), ".")
  }
  names <- unique(names)
  other <- setdiff(names, rows$names)
  if (length(other)) {
    abort("argument", "`predictors` must be among ", enumerate(rows$names, 12L), ", not ",
          enumerate(other), ".")
  }
  own <- check_grid(grid, names)
  lapply(stats::setNames(nm = names), function(name) {
    column <- column_of(rows$data, name)
    check_plain_column(column, name)
    if (!has_categories(column)) {
      return(number_grid(column, own[[name]], own$size, name, rows, type))
    }
    if (!is.null(own[[name]])) {
      abort("argument", "`grid` must not have values for `", name, "`: all its categories are ",
            "looked at.")
    }
    list(at = seq_along(categories_of(column)), categories = categories_of(column),
         ordered = is.ordered(column) || is.logical(column))
  })
}

# list(size), and the values that are given, by predictor.
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

number_grid <- function(column, given, size, name, rows, type) {
  if (!is.numeric(column)) {
    abort("argument", "`predictors` must be numbers or categories; `", name, "` is ",
          describe(column), ".")
  }
  if (is.null(given)) {
    given <- if (type == "context") shift_grid(column, rows$domain, size) else {
      shares <- seq(0, 1, length.out = size + (type == "ale"))
      unique(stats::quantile(column, shares, type = 1L, names = FALSE, na.rm = TRUE))
    }
  }
  list(at = given, categories = NULL, ordered = TRUE)
}

# An odd number of shifts, so that none is among them; where domains have the same mean, by the
# spread of rows.
shift_grid <- function(column, domain, size) {
  means <- tapply(column, domain, mean, na.rm = TRUE)
  # squares of large numbers overflow
  spread_of <- function(values) robust_sd(values - mean(values))
  spread <- if (length(means) > 1L) spread_of(means) else 0
  if (!isTRUE(spread > 0)) spread <- spread_of(column[!is.na(column)])
  if (!isTRUE(spread > 0)) spread <- 1
  seq(-1, 1, length.out = min(2L * (size %/% 2L) + 1L, 9L)) * spread
}

has_categories <- function(column) {
  is.factor(column) || is.character(column) || is.logical(column)
}

categories_of <- function(column) {
  if (is.logical(column)) c("FALSE", "TRUE") else column_levels(column)
}

# Of a data frame or a matrix with names.
column_of <- function(data, name) if (is.data.frame(data)) data[[name]] else data[, name]

set_column <- function(data, name, values) {
  if (is.data.frame(data)) data[[name]] <- values else data[, name] <- values
  data
}

# Numbers of a column: codes of categories.
column_codes <- function(column) {
  if (has_categories(column)) match(as.character(column), categories_of(column))
  else as.numeric(column)
}

# And back.
column_from <- function(codes, like) {
  if (!has_categories(like)) return(codes)
  if (is.logical(like)) return(codes == 2L)
  values <- categories_of(like)[codes]
  if (is.factor(like)) factor(values, levels(like), ordered = is.ordered(like)) else values
}

# ---- from the parts of domains to curves, their average and its interval ----------------------

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
    uses_others = uses_other_rows(model), labels = variable_names(model$blueprint),
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
  rows <- asked$rows
  fix <- asked$type != "context" && !is_fixed(model) &&
    (uses_other_rows(model) || reads_domain(model))
  made <- function() {
    if (fix) model <- set_reference(model, rows$data, domain = as.character(rows$domain))
    lapply(stats::setNames(nm = names(asked$grids)), function(name) {
      effect_parts(model, asked, name)
    })
  }
  # of its own domains a model knows how many rows they have
  if (is.null(rows$input)) made() else quietly(made(), "domgen_warning_small_domain")
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
