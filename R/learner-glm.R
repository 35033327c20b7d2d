#' Generalised linear models on kernels and labelled domains
#'
#' @description
#' Kernel regression for classes, proportions, counts, positive amounts and censored times. With the
#' mean \eqn{\mu = h(f + b)}{mu = h(f + b)}, h the inverse link, f minimises
#' \deqn{\sum_i c_i\, d(y_i, \mu_i) + \lambda\lVert f\rVert^2,}{
#'   sum_i c_i d(y_i, mu_i) + lambda ||f||^2,}
#' where d is the unit deviance of the family (McCullagh and Nelder, 1989, section 2.3): twice the
#' difference between the row's largest log likelihood and its log likelihood at the fit. The costs
#' \eqn{c_i}, \eqn{\lambda}{lambda} and the norm of the kernel
#' \eqn{\kappa(P, P')\,k(x, x')}{kappa(P, P') k(x, x')} are those of [dg_ridge()]. The constant b
#' has no penalty. With `family = gaussian()`, the model is that ridge regression with the same
#' `lambda`.
#'
#' @details
#' ## Families
#'
#' | `family` | response | default for |
#' |---|---|---|
#' | `gaussian()` | number | numeric response |
#' | `binomial()` | two classes, or proportion (size as `weights`) | two classes |
#' | `poisson()` | count, 0 or more | |
#' | `Gamma()`, `inverse.gaussian()` | positive amount | |
#' | `quasibinomial()`, `quasipoisson()` | as `binomial()`, `poisson()` | |
#' | `quasi()` | numbers in the range of its variance function | |
#' | `"nbinom2"` | count, see below | |
#' | `"multinomial"` | two or more classes | more than two classes |
#' | `"ordinal"` | classes in the order of their levels | |
#' | `"cox"` | `survival::Surv(time, status)` or `Surv(start, stop, status)` | censored times |
#'
#' Families of base R ([stats::family]) have all their links. Only the mean is fitted, so that
#' dispersion makes no difference: `quasipoisson()` is `poisson()`. With `binomial()`, \eqn{\mu}{mu}
#' is the probability of the second class.
#'
#' [families] explains `"nbinom2"`, `"multinomial"` and `"ordinal"`, and `offset()` in the
#' formula; [cox_regression] the model of censored times.
#'
#' ## Probabilities and intervals
#' Probabilities are those of the likelihood and need no calibration map. As with [dg_svm()] and
#' `loss = "logistic"`, they are shrunk towards the class frequencies and have not been checked on a
#' held-out domain; `dg_cv(metric = "log_loss")` does that.
#'
#' Intervals of `predict(interval = )` come from the errors on held-out domains ([set_intervals()])
#' and stay within the range of the response. If `lambda` is not given, they choose it again in at
#' most ten fits: about a minute for some hundred rows of several classes.
#'
#' @param x,domain,data,domain_weights,na.action As in [all methods][dg_arguments].
#' @param kernel,domain_kernel,feature_map As in [all methods][dg_arguments].
#' @param scale,domain_means,terms,threads,... As in [all methods][dg_arguments].
#' @param y Response when `x` is not a formula: numbers; class labels as factor, character or
#'   logical; or censored times, `survival::Surv()`. The order of an ordered factor is used by
#'   `family = "ordinal"` only.
#' @param family A family of base R as object, function or name (`poisson()`, `poisson`,
#'   `"poisson"`), or `"nbinom2"`, `"multinomial"`, `"ordinal"` or `"cox"`. `NULL`: by the response,
#'   see Details.
#' @param lambda Positive number: factor on the squared norm. `NULL`: chosen on held-out domains,
#'   see [penalty].
#' @param intercept If `TRUE` (default), the unpenalised constant b is added. If `FALSE`, f shrinks
#'   to the link 0: a probability of 1/2, or a mean of 1 with a log link.
#' @param baseline Of `family = "cox"`: whether the domains share a baseline hazard (`"shared"`,
#'   default) or each has its own (`"domain"`), see [cox_regression].
#' @param weights Non-negative numbers, one per row, that multiply the row's deviance; for
#'   proportions, their sizes. May be a column of `data`.
#' @return With data, an object of class `dg_glm`, a list with
#'   \item{coefficients}{n x m matrix, or r x m with features, as in [dg_ridge()]; m is 1, or the
#'     number of classes with `"multinomial"`}
#'   \item{intercept}{m constants b}
#'   \item{decision}{decision values at the training rows: f + b plus the offset, n x m, on the
#'     scale of the link; with `"ordinal"` one column per class}
#'   \item{family}{its name, link and (of `quasi()`) variance; of `"nbinom2"` `theta`; of
#'     `"ordinal"` the `thresholds`; of `"cox"` the `baseline`, a data frame with the `time` of
#'     events and the cumulative `hazard`}
#'   \item{deviance, null_deviance}{sum of c_i d_i, of the fit and of the model with only b}
#'   \item{converged, iterations}{of the solver}
#'   \item{costs, lambda}{c_i; as given or chosen}
#'   \item{known}{columns of the offset, or `NULL`}
#'   and what `predict()` needs. Without data, a specification.
#'
#'   `predict(type = "response")` returns the mean of a numeric response. For classes it returns the
#'   most probable class, as all classifiers of this package do (unlike [stats::glm()]). `type =
#'   "prob"` is available for all families of classes. `deviance()` returns the deviance,
#'   `residuals(type = )` the `"response"`, `"deviance"` or `"pearson"` residuals of a numeric
#'   response.
#' @section Errors:
#' A response that the family does not have (negative counts, three classes with `binomial()`, times
#' without an event or censored in other ways than from the right); `baseline = "domain"` of other
#' families than `"cox"`; intervals, sets and class probabilities of `"cox"`; a link without a value
#' at 0 with `intercept = FALSE`; an `offset()` that is not a finite number; a family that is not
#' listed; non-positive `lambda`; unknown arguments; and Gram matrices over the memory limit
#' ([domgen_options]) are errors. A solver that stops early gives a warning of class
#' `domgen_warning_convergence`.
#' @references
#' McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, 2nd edition. Chapman and
#' Hall.
#' @seealso [families], [cox_regression], [solvers], [dg_ridge()], [predict.dg_learner()],
#'   [closed_form], [metric_deviance()]
#' @examples
#' # breaks of wool by loom, for combinations of wool and tension that were not in training
#' looms <- transform(warpbreaks, kind = interaction(wool, tension))
#' model <- dg_glm(breaks ~ wool + tension | kind, data = looms, family = poisson())
#' model
#' head(predict(model, looms))
#'
#' # proportion of ill animals; herds are domains
#' if (requireNamespace("lme4", quietly = TRUE)) {
#'   cbpp <- lme4::cbpp
#'   herds <- dg_glm(incidence / size ~ period | herd, data = cbpp, weights = size,
#'                   family = binomial())
#'   print(herds)
#'   dg_cv(herds)
#' }
#'
#' # survival of patients whose hospital was not in training
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   lung <- na.omit(survival::lung[c("time", "status", "age", "sex", "ph.ecog", "inst")])
#'   cox <- dg_glm(survival::Surv(time, status) ~ age + sex + ph.ecog | inst, data = lung)
#'   print(cox)
#'   dg_cv(cox)
#' }
#' @export
dg_glm <- function(x, y = NULL, domain = NULL, data = NULL, family = NULL, lambda = NULL,
                   kernel = NULL, domain_kernel = domain_distribution(),
                   feature_map = features_exact(), intercept = TRUE,
                   baseline = c("shared", "domain"), weights = NULL,
                   domain_weights = c("size", "equal"),
                   scale = c("pooled", "domain", "both", "rank", "none"), domain_means = FALSE,
                   terms = NULL, na.action = stats::na.omit, threads = NULL, ...) {
  learner_call("dg_glm", environment(), match.call(), parent.frame())
}

glm_parameters <- function() parameters(
  parameter("family", null = TRUE, check = check_family, tuned = FALSE),
  parameter("baseline", "choice", levels = c("shared", "domain")),
  with_entries(shared_parameters$lambda, null = TRUE,
               grid = function(n, args) n * 10^(-5:-1)),
  open_kernel()
)

# The family of a response for which none was asked.
family_for <- function(family, y) {
  if (!is.null(family)) return(family)
  check_family(if (is_censored(y)) "cox" else if (!is.factor(y)) "gaussian"
               else if (nlevels(y) <= 2L) "binomial"
               else "multinomial", "family")
}

# How the submodels of a loss are trained, and what a step without each domain in turn gives.
glm_solver <- function(loss) {
  switch(loss$coupled,
    nothing = list(solve = solve_newton, without = newton_without),
    classes = list(solve = solve_classes, without = classes_without),
    thresholds = list(solve = solve_thresholds, without = thresholds_without),
    rows = list(solve = solve_cox, without = cox_without))
}

glm_row <- function() learner_row(
  "Generalised kernel regression", fit = fit_glm, columns = "own",
  copies = function(args, n) if (n > gram_rows) 0 else 2, offset = TRUE, parameters = glm_parameters
)

# A loss that couples classes or rows is no sum over rows.
#' @exportS3Method
takes_passes.dg_glm_spec <- function(spec) {
  family <- spec$args$family
  NextMethod() && (if (is.null(family)) NA else family_loss(family)$coupled == "nothing")
}

fit_glm <- function(problem, shared) {
  args <- problem$args
  rows <- problem$rows
  sample <- rows$sample
  columns <- problem$spec$known
  task <- glm_task(family_for(args$family, sample$y), sample, args, columns)
  # which family it is may be known by the response alone
  if (only_sums(rows) && task$loss$coupled != "nothing") {
    problem$spec$args$family <- new_family(task$par$name)
    abort_whole(problem$spec)
  }
  if (is.null(args$lambda)) args <- choose_glm_penalty(args, rows, task)
  space <- space_of(args, rows, shared)
  per_root <- if (task$loss$coupled == "classes") few_landmarks else usual_landmarks
  products <- task$loss$coupled %in% c("nothing", "classes")
  solved <- if (only_sums(rows)) train_by_passes(rows, space, task, args, columns)
            else train_whole(newton_data(space, sample, per_root, products), task, args)
  warn_glm(solved)
  if (length(task$constant) > 1L) colnames(solved$coefficients) <- task$response$levels
  fitted <- c(solved[names(solved) != "par"], list(
    family = solved$par, lambda = args$lambda, response = task$response, space = space,
    known = columns
  ))
  # with the baseline hazard
  if (task$loss$coupled == "rows") fitted$response$family <- solved$par
  fitted$decision <- as_decision(structure(fitted, class = c("dg_glm", "dg_learner", "dg_fit")),
                                 fitted$decision)
  fitted
}

# columns: of X, those that are an offset. list(loss: a row of the table, par: the family, response,
# Y [n x m], costs [n], constant [m], offset: of the link [n x 1], or NULL, compared: are rows
# compared within domains only?). Where a submodel starts, f = 0, is the best constant.
glm_task <- function(family, sample, args, columns = NULL) {
  loss <- family_loss(family)
  y <- sample$y
  loss$check(y)
  response <- c(if (is.factor(y)) list(kind = "class", levels = levels(y),
                                       pairs = if (nlevels(y) > 2L) each_class(levels(y)))
                else if (is_censored(y)) censored_response(y)
                else list(kind = "number"), list(centre = 0, scale = 1, family = family))
  Y <- loss$targets(y)
  by_domain <- identical(args$baseline, "domain")
  if (by_domain) {
    if (loss$coupled != "rows") {
      abort("argument", "`baseline` must be \"shared\" for `family = ",
            dQuote(family$name, FALSE), "`; \"domain\" is for \"cox\".")
    }
    Y <- in_strata(Y, sample$domain)
  }
  costs <- row_costs(1, sample$weights, sample$domain, args$domain_weights)
  offset <- offset_values(sample$X, columns)
  # where rows are coupled, the second column says more of them
  m <- if (loss$coupled == "rows") 1L else ncol(Y)
  if (!is.null(offset) && m > 1L) {
    abort("argument", "`formula` must not contain `offset()` with `family = ",
          dQuote(family$name, FALSE), "`, which has one function per class.")
  }
  if (!args$intercept && !is.null(loss$no_zero)) {
    abort("argument", "`intercept` must be TRUE with ", loss$no_zero, ".")
  }
  constant <- if (args$intercept) loss$constant(Y, costs / max(costs), offset) else rep(0, m)
  list(loss = loss, par = loss$begin(family, Y, costs / max(costs), offset), response = response,
       Y = Y, costs = costs, constant = constant, offset = offset, compared = by_domain)
}

# The offsets of rows, added up.
offset_values <- function(X, columns) {
  if (length(columns)) matrix(rowSums(X[, columns, drop = FALSE]))
}

add_offset <- function(values, offset) if (is.null(offset)) values else values + c(offset)

constant_values <- function(task) {
  add_offset(matrix(task$constant, nrow(task$Y), length(task$constant), byrow = TRUE), task$offset)
}

# Sum of c_i d_i at values of the link.
glm_deviance <- function(task, values) {
  2 * sum_losses(task$loss, task$par, task$Y, values, task$costs)
}

# start: known values of f [n x m] in the place of the constants; task$alpha: coefficients to begin
# at, a list, where submodels know nothing of each other. Gives what solve_newton() does.
train_glm <- function(data, task, args, start = NULL, tolerance = 1e-8) {
  initial <- if (is.null(start)) constant_values(task) else start
  problem <- list(
    data = data, Y = task$Y, start = initial, loss = task$loss, par = task$par, alpha = task$alpha,
    # largest weights beside the smallest penalty
    costs = task$costs / args$lambda,
    args = list(intercept = args$intercept, tolerance = tolerance, max_iterations = 0)
  )
  if (any(!is.finite(problem$costs))) {
    abort("numeric", "The weights over `lambda` overflow; raise `lambda` or divide the weights.")
  }
  solved <- solve_glm(problem, is.null(start))
  if (!all(is.finite(solved$coefficients)) || !all(is.finite(solved$decision))) {
    abort("numeric", "The coefficients overflow; scale the predictors or raise `lambda`.")
  }
  if (is.null(start)) solved$intercept <- solved$intercept + task$constant
  solved$decision <- solved$decision + initial
  solved
}

# Has an uncoupled submodel a dispersion?
has_dispersion <- function(loss) loss$coupled == "nothing" && !is.null(loss$update)

# The maximum of a dispersion for given f is known: f and it in turns.
solve_glm <- function(problem, updates) {
  solve <- if (is.null(problem$data$design)) glm_solver(problem$loss)$solve else solve_design
  solved <- solve(problem)
  if (!updates || !has_dispersion(problem$loss)) return(solved)
  for (round in seq_len(20L)) {
    before <- unlist(problem$par["theta"])
    problem$par <- problem$loss$update(problem$par, problem$Y, problem$start + solved$decision,
                                       problem$costs)
    if (abs(log(problem$par$theta / before)) < 1e-4) break
    problem$alpha <- list(solved$coefficients[, 1L])
    solved <- solve(problem)
  }
  solved
}

# With the costs of rows and the deviances.
train_whole <- function(data, task, args) {
  solved <- train_glm(data, task, args)
  # a dispersion is the same for both, thresholds are the constants
  if (task$loss$coupled == "nothing") task$par <- solved$par
  null_deviance <- glm_deviance(task, constant_values(task))
  task$par <- solved$par
  c(solved, list(deviance = glm_deviance(task, solved$decision), null_deviance = null_deviance,
                 costs = task$costs))
}

# The same of rows that come in blocks. task: of the sampled rows.
train_by_passes <- function(rows, space, task, args, columns) {
  if (args$intercept && is.null(task$offset)) {
    # the best constant of all rows is decided by the mean of the response
    means <- response_means(rows, args$domain_weights)
    mean <- if (means$kind == "class") means$shares[[2L]] else means$mean
    task$constant <- task$loss$constant(matrix(mean), 1, NULL)
  }
  costs <- matrix(domain_costs(domain_sums(rows)$weights, args$domain_weights))
  coded <- coded_family(task, costs / args$lambda, columns)
  args[c("tolerance", "max_iterations")] <- list(1e-8, 0)
  solved <- newton_by_passes(rows, space, coded, task$loss, 1L, args)
  check_objective(solved$objective, paste(" on features of", format(space$kernel)))
  # D = 2 sum_i c_i l(y_i, f_i), and the costs that coded() gives are c_i / lambda
  moves <- args$intercept && length(columns) > 0L
  deviances <- 2 * args$lambda * pass_values(rows, space, coded, solved, moves)
  solved$intercept <- solved$intercept + task$constant
  c(solved[c("coefficients", "intercept", "converged", "iterations")],
    list(decision = matrix(0, 0L, 1L), par = task$par, deviance = deviances[1L],
         null_deviance = deviances[2L], costs = numeric()))
}

# As coded_submodels(), for a family. costs: of domains, over lambda; columns: of X, those that are
# an offset.
coded_family <- function(task, costs, columns) {
  family <- task$par
  constant <- task$constant
  force(costs); force(columns)
  task <- NULL
  function(block) {
    loss <- family_loss(family)
    loss$check(block$y)
    Y <- loss$targets(block$y)
    list(Y = Y, costs = code_costs(costs, 1, block$weights, block$domain),
         start = add_offset(matrix(constant, nrow(Y), 1L), offset_values(block$X, columns)),
         loss = loss, args = family)
  }
}

# Sums over all rows of c_i l(y_i, f_i), [2]: of the fit, and of the best constant. With an offset
# (moves) the best constant has no closed form: Newton's steps lead there from that of the sampled
# rows. A step of -slope / curvature lowers the sum by about half its slope times the step.
pass_values <- function(rows, space, coded, solved, moves) {
  table <- rows_table(rows, space)
  further <- 0
  for (round in seq_len(5L)) {
    work <- values_work(space, table, coded, solved[c("coefficients", "intercept")], further)
    sums <- pass(rows, work, "deviance")
    if (!moves) return(sums[1L, ])
    step <- -sums[2L, 2L] / sums[3L, 2L]
    gain <- -step * sums[2L, 2L] / 2
    # what is left is known but for the cube of so short a step
    if (!isTRUE(gain > 1e-7 * sums[1L, 2L])) break
    further <- further + step
  }
  sums[1L, ] - c(0, if (is.finite(gain)) gain else 0)
}

# Sums of values, slopes and curvatures [3 x 2], of the fit and of a constant that is `further` from
# the start.
values_work <- function(space, table, coded, solved, further) {
  force(space); force(table); force(coded); force(solved); force(further)
  pass_work(start = function() 0, add = `+`, block = function(sums, block) {
    problem <- coded(block)
    f <- add_intercept(expand_rows(space, block[c("X", "domain")], table, solved$coefficients),
                       solved$intercept)
    values <- problem$start[, 1L] + unname(cbind(f, further))
    used <- problem$costs > 0
    at <- problem$loss$smooth(problem$Y[used, c(1L, 1L), drop = FALSE],
                              values[used, , drop = FALSE], problem$args, 0)
    sums + do.call(rbind, lapply(unname(at), function(part) colSums(problem$costs[used] * part)))
  })
}

warn_glm <- function(solved) {
  if (all(solved$converged)) return(invisible())
  warn("convergence", "The solver stopped after ", plural(max(solved$iterations), "iteration"),
       "; raise `lambda` or scale the data.")
}

# ---- predictions ------------------------------------------------------------------------------

#' @exportS3Method
decision.dg_glm <- function(object, new) as_decision(object, function_values(object, new))

# In the place of a constant, where classes are ordered: they have one function.
has_thresholds <- function(object) !is.null(object$family$thresholds)

# Values of the link.
#' @exportS3Method
function_values.dg_glm <- function(object, new) {
  values <- add_intercept(space_expansion(object$space, new, object$coefficients),
                          object$intercept)
  add_offset(values, offset_values(new$X, object$known))
}

#' @exportS3Method
as_decision.dg_glm <- function(object, values) {
  values <- family_loss(object$family)$scores(values, object$family)
  if (ncol(values) > 1L) colnames(values) <- object$response$levels
  values
}

#' @exportS3Method
response_range.dg_glm <- function(object) family_loss(object$family)$range

#' @exportS3Method
spec_needs.dg_glm_spec <- function(spec) {
  needs <- NextMethod()
  family <- spec$args$family
  needs$response <- if (is.null(family)) "open" else family_loss(family)$reads
  needs
}

# Which columns are an offset, once the data are known.
#' @exportS3Method
place_spec.dg_glm_spec <- function(spec, columns) {
  spec <- NextMethod()
  spec["known"] <- list(if ("offset" %in% columns$kind) which(columns$kind == "offset"))
  spec
}

#' @exportS3Method
spec_gives.dg_glm_spec <- function(spec, classes = NULL) c("prob", "survival")

#' @exportS3Method
describe_fit.dg_glm <- function(x) {
  offset <- x$blueprint$columns[x$known]
  c(list(fact("family", format(x$family), if (!is.null(x$family$theta)) {
    paste0(", theta = ", format(rounded(x$family$theta, 4L)))
  })), NextMethod(), penalty_facts(x, "lambda"), list(
    if (has_thresholds(x)) {
      fact("thresholds", paste(format(rounded(x$family$thresholds, 4L), trim = TRUE),
                               collapse = ", "))
    } else intercept_fact(x),
    if (x$spec$args$baseline == "domain") fact("baseline", "a hazard for each domain"),
    if (length(offset)) fact("offset", paste(offset, collapse = ", ")),
    fact("deviance", x$deviance, " (constant only: ", rounded(x$null_deviance, 4L), ")"),
    fact("iterations", max(x$iterations), if (!all(x$converged)) ", NOT converged")
  ))
}

#' @importFrom stats deviance
#' @export
deviance.dg_glm <- function(object, ...) check_sealed(object)$deviance

#' @export
residuals.dg_glm <- function(object, type = c("response", "deviance", "pearson"), ...) {
  enter_session()
  type <- check_choice(type, "type", c("response", "deviance", "pearson"))
  if (type == "response") return(NextMethod())
  check_sealed(object)
  if (object$response$kind != "number") abort_no_residuals(object)
  loss <- family_loss(object$family)
  mu <- drop(loss$mean(object$decision, object$family))
  root <- if (type == "pearson") (object$y - mu) / sqrt(loss$variance(mu, object$family)) else {
    sign(object$y - mu) * sqrt(pmax(loss$deviance(object$y, mu, object$family), 0))
  }
  pad_rows(sqrt(object$weights) * root, object)
}

# ---- the penalty ------------------------------------------------------------------------------
# Where the user does not say: how wide the kernel between
# domains is, the quadratic approximation of the deviance at the constants says, of which every fit
# is in closed form; lambda the deviance of groups of domains by the very fits without them. (At the
# constants the working weights of a large mean are far from those of the fit, and the step from a
# fit that has seen a domain says too little of what is lost without it.)

# The most rows of which models are fitted again.
refit_rows <- 500L

# The deviance may rise before it falls to its least, so that a search from one end would stop too
# early: every so many values are tried first, then those near the best until it gets worse.
penalty_stride <- 3L

# After a fall, what follows a rise of so much of the deviance of the largest lambda is not tried:
# small lambdas take longest.
penalty_rise <- 0.02

# task: of the sampled rows.
choose_glm_penalty <- function(args, rows, task, for_new = is_for_new(args)) {
  # lambda of squares is chosen here, in closed form; of others the width alone, of some rows, and
  # lambda where no fit has a deviance
  closed <- function(...) choose_on_sample(args, rows, null_task(task), for_new = for_new, ...)
  of_some <- function(...) closed(most = refit_rows, ...)
  chosen <- if (task$loss$quadratic) closed() else of_some(width_alone = TRUE)
  # without domains that can be left out nothing is known
  if (is.null(chosen$bandwidth_factor)) return(chosen)
  if (!task$loss$quadratic) {
    best <- refit_penalty(chosen, described_rows(rows), task)
    if (is.null(best)) chosen <- of_some() else chosen$lambda <- best
  }
  chosen$lambda <- chosen$lambda * stands_for(rows)
  chosen
}

# NULL where no fit has a deviance.
refit_penalty <- function(args, sample, task) {
  total <- min(sum(null_task(task)$costs), .Machine$double.xmax / max(penalty_shares))
  part <- penalty_part(args, sample, task, NULL, refit_rows)
  part$task$costs <- part$task$costs / max(part$task$costs)
  K <- space_gram(list(kernel = part$kernel, domain_kernel = part$between, X = part$rows$X,
                       domain = part$rows$domain, threads = args$threads))
  best <- refit_path(K, part, args)
  if (!is.null(best)) penalty_shares[best] * total
}

# The quadratic approximation of the deviance at the constants: a ridge regression of working
# responses with working weights.
null_task <- function(task) working_task(task, constant_values(task))

# Task of the ridge regression, as made by ridge_task(), at these values of the link [n x m], less
# their offset.
working_task <- function(task, values) {
  joint <- !is.null(task$loss$together)
  at <- if (joint) task$loss$together(task$Y, values, task$costs)
        else task$loss$smooth(task$Y, values, task$par, 0)
  bent <- as.matrix(pmax(at$curvature, 1e-10 * max(at$curvature, if (!joint) 1e-10)))
  # submodels share the weights of rows
  shared <- rowMeans(bent)
  Y <- values - at$slope / shared
  list(response = task$response, Y = if (is.null(task$offset)) Y else Y - task$offset,
       costs = if (joint) shared else task$costs * shared)
}

# In one Newton step, see closed_cv(), if no domain has a tenth of the information: fits without
# each of ten folds leave out more, and take as long as ten fits.
#' @exportS3Method
held_out_decisions.dg_glm_spec <- function(spec, sample, fitted) {
  task <- glm_task(fitted$family, sample, fitted$spec$args, fitted$known)
  task$costs <- fitted$costs
  task$par <- fitted$family
  # of classes curvatures hardly differ
  single <- task$loss$coupled == "nothing"
  costs <- if (single) working_task(task, fitted$decision)$costs else task$costs
  small <- max(rowsum(costs, as.integer(sample$domain))) < sum(costs) / most_folds
  if (!small || is.null(spec$args$lambda) || !is.null(sample$blueprint$structure) ||
        task$loss$coupled == "rows") return(NextMethod())
  each_held_out(glm_solver(task$loss)$without(fitted, sample, task), sample, fitted$response)
}

# The ridge regression of a working task, without each row's domain: values of the link.
step_without <- function(object, sample, working, offset) {
  values <- left_out_predictions(object$space, sample, working, penalised_args(object),
                                 penalty_of(object, "lambda"))
  add_offset(matrix(values, nrow(working$Y)), offset)
}

penalised_args <- function(object) {
  utils::modifyList(object$spec$args, list(lambda = penalty_of(object, "lambda")))
}

# The number of the best of `penalty_shares`; NULL where no fit has a deviance.
refit_path <- function(K, part, args) {
  lambdas <- sum(null_task(part$task)$costs) * penalty_shares
  count <- length(lambdas)
  deviances <- rep(Inf, count)
  # each begins at the fits to the next larger lambda that was tried
  held <- outer(part$rows$left_out, levels(part$rows$left_out), "==")
  first <- lapply(refit_starts(K, part$task, !held), function(fit) {
    fit$scored <- c(part$task$costs * (held & !part$unknown)[, fit$fits])
    fit
  })
  fits <- c(vector("list", count), list(first))
  fit_at <- function(place) {
    if (place < 1L || place > count || !is.null(fits[[place]])) return(invisible())
    larger <- which(!vapply(fits, is.null, NA) & seq_along(fits) > place)[1L]
    args$lambda <- lambdas[place]
    fits[[place]] <<- lapply(fits[[larger]], refit_held, args = args)
    deviance <- sum(vapply(fits[[place]], `[[`, numeric(1), "deviance"))
    if (is.finite(deviance)) deviances[place] <<- deviance
  }
  for (place in seq(count, 1L, by = -penalty_stride)) {
    fit_at(place)
    largest <- deviances[count]
    least <- min(deviances)
    if (is.finite(largest) && least < largest &&
        deviances[place] - least > penalty_rise * largest) break
  }
  if (!any(is.finite(deviances))) return(NULL)
  best <- simplest_best(deviances)
  for (way in c(1L, -1L)) for (place in best + way * seq_len(penalty_stride - 1L)) {
    fit_at(place)
    # further away it only gets worse
    if (place < 1L || place > count || deviances[place] > deviances[place - way]) break
  }
  simplest_best(deviances)
}

# Newton's steps end early: deviances of left-out domains are then near enough to choose lambda by.
refit_tolerance <- 1

# In place of usual_landmarks, for several classes and for refits: the former take more steps since
# their classes are coupled, the latter few steps, so that more landmarks cost more than they save.
few_landmarks <- 1.2

# Fits of `task` to the rows that each column of `train` [rows x fits] has: list of list(data, task,
# in which other rows have no cost, start: values of the constants, fits: which columns). Without
# parameters that each fit has by itself all are one task, whose rows are below each other.
refit_starts <- function(K, task, train) {
  data <- gram_data(K, few_landmarks)
  if (task$loss$coupled == "rows") data$space_of_rows <- cox_space(data, refit_tolerance)
  together <- task$loss$coupled %in% c("nothing", "classes") && !has_dispersion(task$loss)
  fits <- seq_len(ncol(train))
  lapply(if (together) list(fits) else as.list(fits), function(columns) {
    fitted <- task_of_rows(task, rep(seq_len(nrow(train)), length(columns)))
    fitted$costs <- fitted$costs * c(train[, columns])
    list(data = data, task = fitted, start = constant_values(fitted), fits = columns)
  })
}

# The deviance of the held rows by the fits to the others, which begin where those of fit ended.
# A fit that fails has an infinite deviance.
refit_held <- function(fit, args) {
  solved <- on_error(train_glm(fit$data, fit$task, args, fit$start, refit_tolerance),
                     function(e) NULL)
  if (is.null(solved)) {
    fit$task["alpha"] <- list(NULL)
    fit$deviance <- Inf
    return(fit)
  }
  fit$task$par <- solved$par
  scored <- fit$task
  scored$costs <- fit$scored
  fit$deviance <- if (any(scored$costs > 0)) glm_deviance(scored, solved$decision) else 0
  m <- ncol(fit$start)
  fit$task$alpha <- lapply(seq_len(m), function(k) solved$coefficients[, k])
  fit$start <- with_constants(fit$start, matrix(solved$intercept, ncol = m), nrow(fit$data$K))
  fit
}
