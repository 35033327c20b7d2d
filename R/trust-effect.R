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
#' With the rows \eqn{x_i}{x_i} of domain g, its description \eqn{P_g} (see [fix_reference()]), and
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
#' @param model A fitted learner of any kind ([chain()]s, ensembles, models of [dg_auto()] and
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
  check_explained(model, type)
  rows <- effect_rows(model, data, domain, parent.frame())
  asked <- list(
    type = type, class = read_effect_class(class, model$response$levels),
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

check_explained <- function(model, type) {
  if (!inherits(model, "dg_learner")) {
    abort("argument", "`model` must be a fitted learner or chain, not ",
          if (inherits(model, "dg_spec")) "a specification: give it data with fit() first"
          else describe(model), ".")
  }
  check_sealed(model, "model")
  if (type == "context" && is_fixed(model)) {
    abort("argument", "`model` must not have a fixed reference with `type = \"context\"`, which ",
          "changes what describes the domains: give the model that it was made of.")
  }
}

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
  judges <- judges_other_rows(model)
  blueprint <- model$blueprint
  if (is.data.frame(data)) data <- check_data(data)
  domain <- new_domain(blueprint, data, domain, NROW(data), judges, "data", unknown = "all")
  ok <- replay(blueprint, data, domain, TRUE, "data")$ok
  if (!any(ok)) abort("data", "`data` must have at least one complete row.")
  data <- if (is.data.frame(data)) data[ok, , drop = FALSE] else as.matrix(data)[ok, , drop = FALSE]
  names <- predictor_columns(blueprint)
  if (is.data.frame(data)) data <- with_known_levels(data, blueprint$used)
  else colnames(data) <- names
  list(data = data, domain = droplevels(factor(domain[ok])), row = which(ok),
       input = if (own) input, names = setdiff(names, blueprint$domain_columns))
}

# Factors without the levels that no training row had. used: see used_levels().
with_known_levels <- function(data, used) {
  for (name in intersect(names(data)[vapply(data, is.factor, NA)], names(used))) {
    data[[name]] <- factor(data[[name]], intersect(levels(data[[name]]), used[[name]]))
  }
  data
}

# Columns of the values that are looked at; of a number none.
read_effect_class <- function(class, levels) {
  if (length(levels)) return(read_class(class, levels))
  if (!is.null(class)) abort("argument", "`class` must not be given with a number as response.")
}
