#' Boosted trees
#'
#' @description
#' Gradient boosting of trees by the package xgboost (`xgboost::xgb.train()`). The loss is the
#' squared error for a numeric response, the logistic loss for two classes and the multinomial loss
#' for more; classes have probabilities.
#'
#' @details
#' A tree uses one row at a time. `scale = "both"` adds each predictor standardised within its
#' domain; `domain_means = TRUE` adds the means of the domain. Categorical predictors become dummy
#' variables. If `subsample` is below 1, the random numbers come from R's generator.
#'
#' @param x,y,domain,data Formula `y ~ x1 + x2 | domain` with `data`, or predictors with `y` and
#'   `domain`, as in [all methods][dg_arguments].
#' @param domain_weights,na.action As in [all methods][dg_arguments].
#' @param calibration,scale,domain_means,terms,threads,... As in [all methods][dg_arguments].
#' @param trees Number of boosting rounds. With more than two classes, each round grows one tree per
#'   class. Default 150.
#' @param tree_depth Maximum depth of a tree. Default 4.
#' @param learn_rate Factor on the contribution of each tree (`eta` of xgboost), at most 1. Default
#'   0.1.
#' @param subsample Proportion of the rows drawn for each tree, at most 1. Default 1.
#' @param weights Non-negative numbers, one per row: factors on the loss of the row.
#' @return With data, a model of class `dg_boost`, see [learner_custom()]. Its `engine$object` is a
#'   list with `booster`, the trees as returned by `xgboost::xgb.save.raw()` (so that the model can
#'   be saved), and `levels`. Without data, a specification. By default, [dg_tune()] tries `trees`
#'   50, 150 and 450 and `tree_depth` 2, 4 and 6.
#' @section Errors:
#' Without the package xgboost, an error of class `domgen_error_package`. Errors of xgboost have
#' class `domgen_error_learner`.
#' @references
#' Chen, T. and Guestrin, C. (2016). XGBoost: A scalable tree boosting system. *Proceedings of the
#' 22nd ACM SIGKDD International Conference on Knowledge Discovery and Data Mining*, 785-794.
#' @seealso [learner_custom()], [dg_forest()]
#' @examplesIf requireNamespace("xgboost", quietly = TRUE)
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' model <- dg_boost(y ~ . | domain, data = toy, trees = 20, scale = "both")
#' model
#' head(predict(model, toy, type = "prob"))
#' @export
dg_boost <- function(x, y = NULL, domain = NULL, data = NULL, trees = 150, tree_depth = 4,
                     learn_rate = 0.1, subsample = 1, calibration = c("none", "platt", "isotonic"),
                     weights = NULL, domain_weights = c("size", "equal"), scale = "none",
                     domain_means = FALSE, terms = NULL, na.action = stats::na.omit, threads = NULL,
                     ...) {
  engine_call("dg_boost", "xgboost", environment(), match.call(), parent.frame())
}

boost_row <- function() learner_row("Boosted trees", parameters = boost_parameters)

boost_parameters <- function() parameters(
  parameter("trees", "count", grid = c(50, 150, 450), simpler = -1),
  parameter("tree_depth", "count", grid = c(2, 4, 6), simpler = -1),
  parameter("learn_rate", "number", 0, 1, open = TRUE, simpler = -1),
  parameter("subsample", "number", 0, 1, open = TRUE)
)

#' @exportS3Method
engine_of.dg_boost_spec <- function(spec) list(fit = boost_fit, predict = boost_predict)

boost_fit <- function(x, y, weights, trees, tree_depth, learn_rate, subsample, threads) {
  classes <- nlevels(y)
  params <- list(
    objective = if (classes > 2L) "multi:softprob" else if (classes) "binary:logistic"
                else "reg:squarederror",
    max_depth = tree_depth, eta = learn_rate, subsample = subsample, nthread = threads
  )
  if (classes > 2L) params$num_class <- classes
  # numbers are fitted from their mean on, which versions of xgboost do or do not
  centre <- if (classes == 0L) weighted_mean(y, weights) else 0
  if (classes == 0L) params$base_score <- 0
  target <- if (classes) as.integer(y) - 1 else y - centre
  scaling <- engine_scaling(as.matrix(x))
  data <- xgboost::xgb.DMatrix(boost_matrix(x, scaling), label = target, weight = weights,
                               nthread = threads)
  booster <- xgboost::xgb.train(params, data, nrounds = trees, verbose = 0)
  list(booster = xgboost::xgb.save.raw(booster, raw_format = "ubj"), levels = levels(y),
       centre = centre, scaling = scaling)
}

# Versions of xgboost differ in what names of columns may be. It has 24 bits for a number, too few
# for a few days of a time stamp.
boost_matrix <- function(x, scaling) unname(scale_columns(as.matrix(x), scaling))

boost_predict <- function(object, x, threads) {
  need_package("xgboost", "predict()` of `dg_boost()")
  load <- xgboost::xgb.load.raw
  # an argument of old versions
  booster <- if ("as_booster" %in% names(formals(load))) load(object$booster, as_booster = TRUE)
             else load(object$booster)
  data <- xgboost::xgb.DMatrix(boost_matrix(x, object$scaling), nthread = threads)
  values <- stats::predict(booster, data)
  classes <- length(object$levels)
  if (classes < 3L) return(as.vector(values) + object$centre)
  # a row after the other in old versions
  if (is.null(dim(values))) values <- matrix(values, nrow(x), classes, byrow = TRUE)
  colnames(values) <- object$levels
  values
}
