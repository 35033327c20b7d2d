#' Boosted trees
#'
#' @description
#' Gradient boosting of trees by the package xgboost (`xgboost::xgb.train()`): of numbers by squared
#' error, of two classes by the logistic, of more by the multinomial likelihood, with probabilities.
#'
#' @details
#' `scale = "both"` gives the trees each predictor beside its value standardised within the domain,
#' `domain_means = TRUE` the domain's means. Categorical predictors are dummy variables. Random
#' numbers, of which there are some where `subsample` is below 1, are those of R's generator.
#'
#' @inheritParams dg_forest
#' @param trees How many rounds; with more than two classes each has a tree for each class.
#' @param tree_depth The largest depth of a tree.
#' @param learn_rate By which each tree is multiplied, at most 1 (`eta` of xgboost).
#' @param subsample The share of rows that are drawn for each tree, at most 1.
#' @param calibration `"none"`: the probabilities of the model; `"platt"` or `"isotonic"`:
#'   calibrated on held-out domains, see [dg_svm()].
#' @param weights Non-negative numbers, one per row, that multiply its cost.
#' @return With data, a model of class `dg_boost`, see [learner_custom()], whose `engine$object` is
#'   a list with `booster`, the trees as `xgboost::xgb.save.raw()` gives them, so that a model can
#'   be saved, and `levels`; without, a specification. [dg_tune()] tries `trees` 50, 150 and 450 and
#'   `tree_depth` 2, 4 and 6 by default.
#' @section Errors:
#' Without the package xgboost there is an error of class `domgen_error_package`; what xgboost
#' refuses is one of class `domgen_error_learner`.
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
                     domain_means = FALSE, na.action = stats::na.omit, threads = NULL, ...) {
  spec <- engine_spec("dg_boost", "Boosted trees", "xgboost", environment(), boost_parameters)
  fit_or_specify(spec, match.call(), parent.frame())
}

boost_parameters <- function() parameters(
  parameter("trees", check_count, grid = c(50, 150, 450), simpler = -1),
  parameter("tree_depth", check_count, grid = c(2, 4, 6), simpler = -1),
  parameter("learn_rate", positive_share, simpler = -1),
  parameter("subsample", positive_share)
)

positive_share <- function(value, arg) {
  value <- check_number(value, arg)
  if (value > 1) abort("argument", "`", arg, "` must be at most 1, not ", format(value), ".")
  value
}

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
  rows <- xgboost::xgb.DMatrix(boost_matrix(x), label = target, weight = weights,
                               nthread = threads)
  booster <- xgboost::xgb.train(params, rows, nrounds = trees, verbose = 0)
  list(booster = xgboost::xgb.save.raw(booster, raw_format = "ubj"), levels = levels(y),
       centre = centre)
}

# Versions of xgboost differ in what names of columns may be.
boost_matrix <- function(x) unname(as.matrix(x))

boost_predict <- function(object, x, threads) {
  need_package("xgboost", "predict()` of `dg_boost()")
  load <- xgboost::xgb.load.raw
  # an argument of old versions
  booster <- if ("as_booster" %in% names(formals(load))) load(object$booster, as_booster = TRUE)
             else load(object$booster)
  rows <- xgboost::xgb.DMatrix(boost_matrix(x), nthread = threads)
  values <- stats::predict(booster, rows)
  classes <- length(object$levels)
  if (classes < 3L) return(as.vector(values) + object$centre)
  # a row after the other in old versions
  if (is.null(dim(values))) values <- matrix(values, nrow(x), classes, byrow = TRUE)
  colnames(values) <- object$levels
  values
}
