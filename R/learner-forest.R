#' Random forests
#'
#' @description
#' The random forest of the package ranger (`ranger::ranger()`) as a learner on labelled domains,
#' for a numeric response, for two or more classes (with probabilities), and for censored times
#' (with survival probabilities).
#'
#' @details
#' A tree uses one row at a time, so a forest learns about domains only from columns that describe
#' them. `scale = "both"` adds each predictor standardised within its domain; `domain_means = TRUE`
#' adds the means of the domain. Categorical predictors are factors whose levels ranger uses in
#' their order. Random numbers come from R's generator: after [set.seed()] the forest is the same
#' for any number of threads, and the same as that of `ranger::ranger(x, y)` on the same columns. An
#' interrupt (Ctrl-C, Esc) or a time limit takes effect once the current forest is grown;
#' `predict()` responds within about one second.
#'
#' For censored times (`survival::Surv(time, status)`), trees are split by the log-rank statistic
#' (Ishwaran and others, 2008). The response is the mortality, the sum over the times of events of
#' the predicted cumulative hazard: the number of events expected in the training rows if all were
#' like this one. Decision values are its logarithm.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param domain_weights,na.action As in [all methods][dg_arguments].
#' @param calibration,scale,domain_means,terms,threads,... As in [all methods][dg_arguments].
#' @param trees Number of trees. Default 500.
#' @param mtry Number of predictors tried at each split, at most the number of columns. `NULL`:
#'   ranger's default, the square root of the number of columns.
#' @param min_n Minimum number of rows in a node that is split. `NULL`: ranger's default, 5 for a
#'   numeric response, 10 for probabilities and 3 for censored times.
#' @param weights Non-negative numbers, one per row: the probability of drawing the row for a tree,
#'   up to a factor.
#' @return With data, a model of class `dg_forest`, see [learner_custom()], whose `engine$object` is
#'   the ranger forest. Without data, a specification. By default, [dg_tune()] tries `min_n` 1, 5,
#'   20 and 80.
#' @section Errors:
#' Without the package ranger, an error of class `domgen_error_package`. Errors of ranger have class
#' `domgen_error_learner`.
#' @references
#' Breiman, L. (2001). Random forests. *Machine Learning* 45, 5-32.
#'
#' Ishwaran, H., Kogalur, U. B., Blackstone, E. H. and Lauer, M. S. (2008). Random survival forests.
#' *Annals of Applied Statistics* 2, 841-860.
#'
#' Wright, M. N. and Ziegler, A. (2017). ranger: A fast implementation of random forests for high
#' dimensional data in C++ and R. *Journal of Statistical Software* 77(1).
#' @seealso [learner_custom()], [predict.dg_learner()], [dg_tune()]
#' @examplesIf requireNamespace("ranger", quietly = TRUE)
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:5])
#' new <- subset(toy, !domain %in% levels(domain)[1:5])
#' set.seed(1)
#' model <- dg_forest(y ~ . | domain, data = train, trees = 100, scale = "both")
#' model
#' head(predict(model, new, type = "prob"))
#' @export
dg_forest <- function(x, y = NULL, domain = NULL, data = NULL, trees = 500, mtry = NULL,
                      min_n = NULL, calibration = c("none", "platt", "isotonic"), weights = NULL,
                      domain_weights = c("size", "equal"), scale = "none", domain_means = FALSE,
                      terms = NULL, na.action = stats::na.omit, threads = NULL, ...) {
  engine_call("dg_forest", "ranger", environment(), match.call(), parent.frame())
}

forest_row <- function() learner_row("Random forest", response = "open",
                                     parameters = forest_parameters)

forest_parameters <- function() parameters(
  parameter("trees", "count", simpler = -1),
  parameter("mtry", "count", null = TRUE),
  parameter("min_n", "count", null = TRUE, grid = c(1, 5, 20, 80), simpler = 1)
)

#' @exportS3Method
spec_needs.dg_forest_spec <- function(spec) {
  needs <- NextMethod()
  needs$columns <- list(c("number", "factor"))
  needs
}

#' @exportS3Method
engine_of.dg_forest_spec <- function(spec) {
  list(fit = forest_fit, predict = forest_predict, survival = forest_survival)
}

# Weights are the chances of a row to be drawn for a tree.
forest_fit <- function(x, y, weights, trees, mtry = NULL, min_n = NULL, threads) {
  if (identical(attr(y, "type"), "counting")) {
    abort("data", "`dg_forest()` takes times without late entry only, `Surv(time, status)`.")
  }
  if (!is.null(mtry)) mtry <- min(mtry, ncol(x))
  same <- diff(range(weights)) == 0
  # ranger compares splits by squares of sums of y, in which a spread of 1 at 1e8 is lost; nearer to
  # 0 the numbers are those of ranger itself
  numbers <- is.numeric(y) && !inherits(y, "Surv")
  middle <- if (numbers) mean(y) else 0
  origin <- if (numbers && all(abs(y - middle) < abs(middle) / 1000)) middle else 0
  # without a class of which all rows have weight 0
  target <- if (is.factor(y)) numbered_classes(y) else if (numbers) y - origin else y
  fitted <- own_warnings("Random forest", uninterrupted(ranger::ranger(
    x = x, y = target, num.trees = trees, mtry = mtry,
    min.node.size = min_n, case.weights = if (!same) weights, probability = is.factor(y),
    num.threads = threads, verbose = FALSE
  )))
  # of the rows that a tree has not seen: nothing that predictions need
  fitted[c("predictions", "chf", "survival")] <- NULL
  fitted$classes <- levels(y)
  fitted$origin <- origin
  fitted
}

forest_predict <- function(object, x, threads) {
  if (identical(object$treetype, "Survival")) {
    # Ishwaran and others' (2008) mortality: the number of events that rows like this one would have
    events <- forest_pieces(object, x, threads, function(piece) rowSums(piece$chf))
    return(log(pmax(unlist(events), 1e-10)))
  }
  values <- forest_pieces(object, x, threads, function(piece) piece$predictions)
  if (is.null(object$classes)) return(unlist(values) + object$origin)
  P <- do.call(rbind, values)
  colnames(P) <- object$classes[as.integer(colnames(P))]
  all_classes(P, object$classes, 0)
}

# Called by their numbers: ranger cannot have a class "".
numbered_classes <- function(y) factor(as.integer(y))

# In pieces, a list.
forest_pieces <- function(object, x, threads, part) {
  need_package("ranger", "predict()` of `dg_forest()")
  in_growing_pieces(nrow(x), function(i) {
    # without a seed ranger draws one, for ties that means of trees do not have
    part(uninterrupted(stats::predict(object, x[i, , drop = FALSE], num.threads = threads,
                                      verbose = FALSE, seed = 1L)))
  })
}

# exp(-H), with H the mean cumulative hazard of the trees.
forest_survival <- function(object, x, times, threads) {
  do.call(rbind, forest_pieces(object, x, threads, function(piece) {
    steps_at(piece$survival, object$unique.death.times, times, 1)
  }))
}

# Values of f(at) for pieces of n rows that grow until one takes a quarter of a second, or twice
# the first, most of which is what a call takes for no rows.
in_growing_pieces <- function(n, f, size = 1000L) {
  values <- list()
  first <- NULL
  done <- 0L
  while (done < n) {
    start <- proc.time()[["elapsed"]]
    at <- done + seq_len(min(size, n - done))
    values[[length(values) + 1L]] <- f(at)
    taken <- proc.time()[["elapsed"]] - start
    if (is.null(first)) first <- taken
    if (taken < max(0.25, 2 * first)) size <- 2L * size
    done <- done + length(at)
  }
  values
}
