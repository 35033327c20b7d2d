# Learners for mlr3: one class per type of task, whose objects differ by the method.

mlr_methods <- c("svm", "ridge", "glm", "gp", "auto")

mlr_feature_types <- c("logical", "integer", "numeric", "character", "factor", "ordered")

# R6 defines these in methods.
utils::globalVariables(c("self", "private", "super"))

# Methods are short, because each saved learner contains them; what they call is in the package.
mlr_learner_class <- function(type) {
  public <- list(initialize = function(method) {
    private$.method <- method
    do.call(super$initialize, mlr_description(self, method))
  })
  private <- list(
    .method = NULL,
    .train = function(task) mlr_train(self, private, task),
    .predict = function(task) mlr_predict(self, task)
  )
  if (type == "classif") {
    R6::R6Class("LearnerClassifDomgen", inherit = mlr3::LearnerClassif, public = public,
                private = private, parent_env = topenv())
  } else {
    R6::R6Class("LearnerRegrDomgen", inherit = mlr3::LearnerRegr, public = public,
                private = private, parent_env = topenv())
  }
}

# method: of mlr_methods, or "" for a learner whose parameter is a specification.
mlr_key <- function(type, method) paste0(type, ".domgen", if (nzchar(method)) "_", method)

# Arguments of mlr3's constructor.
mlr_description <- function(learner, method) {
  type <- if (inherits(learner, "LearnerClassif")) "classif" else "regr"
  open <- !nzchar(method)
  spec <- if (!open) get(paste0("dg_", method), mode = "function")()
  standard_error <- open || "se" %in% spec_gives(spec)
  properties <- c(if (open || takes_weights(spec)) "weights", "missings", "new_levels")
  params <- if (open) {
    do.call(paradox::ps, c(list(
      spec = paradox::p_uty(custom_check = mlr_spec_check, tags = c("train", "required"))
    ), mlr_data_parameters()))
  } else {
    mlr_parameters(spec, if (type == "regr") c("calibration", "multiclass"), mlr_data_parameters())
  }
  list(
    id = mlr_key(type, method), packages = "domgen", feature_types = mlr_feature_types,
    predict_types = c("response", if (type == "classif") "prob"
                                  else if (standard_error) c("se", "quantiles")),
    properties = intersect(c(properties, if (type == "classif") c("twoclass", "multiclass")),
                           mlr3::mlr_reflections$learner_properties[[type]]),
    param_set = params,
    label = if (open) "Any specification of domgen" else method_of(spec)$title, man = "domgen::mlr3"
  )
}

mlr_spec_check <- function(x) {
  said <- complaint(read_specification(x))
  if (isTRUE(said)) TRUE else sub("`object`", "`spec`", said, fixed = TRUE)
}

# The method without data, with the learner's parameters.
mlr_spec <- function(method, values, predict_type, classes) {
  args <- values[setdiff(names(values), c("na.action", "spec"))]
  spec <- if (nzchar(method)) do.call(paste0("dg_", method), args, quote = TRUE)
          else read_specification(values$spec)
  lacks <- predict_type == "prob" && !"prob" %in% spec_gives(innermost(spec), classes)
  if (lacks && !is.null(spec_calibration(spec))) spec <- update(spec, calibration = "platt")
  spec
}

mlr_train <- function(learner, private, task) {
  values <- learner$param_set$get_values(tags = "train")
  spec <- mlr_spec(private$.method, values, learner$predict_type, nlevels(task$truth()))
  weights <- if ("weights" %in% learner$properties) private$.get_weights(task)
  mlr_fit(spec, task, list(y = task$truth(), weights = weights, na.action = values$na.action))
}

mlr_predict <- function(learner, task) {
  model <- learner$model
  warn_split(model, held_out_by_mlr3(task), "rsmp(\"domain_cv\")")
  arguments <- mlr_new_rows(model, task, learner$param_set$get_values(tags = "predict"))
  given <- function(...) do.call(predict, c(list(model), arguments, list(...)))
  if (learner$predict_type == "prob") {
    prob <- given(type = "prob")
    return(list(response = largest_class(prob, colnames(prob)), prob = prob))
  }
  if (learner$predict_type == "response") return(list(response = given()))
  if (!has_posterior(model)) {
    abort("argument", "`predict_type` must not be \"", learner$predict_type, "\": `",
          model$spec$method, "()` has no standard errors. Use `dg_gp()`.")
  }
  predicted <- given(se.fit = TRUE)
  if (learner$predict_type == "quantiles") return(mlr_quantiles(learner, predicted))
  list(response = predicted$fit, se = predicted$se.fit)
}

# The domains of rows that a resampling holds out, or NULL. Who makes its splits by hand means them.
held_out_by_mlr3 <- function(task) {
  for (frame in rev(frames_of("mlr3"))) {
    resampling <- frame$resampling
    if (!inherits(resampling, "Resampling") || is.null(frame$iteration)) next
    by_hand <- inherits(resampling, c("ResamplingCustom", "ResamplingCustomCV"))
    trained <- all(task$row_ids %in% resampling$train_set(frame$iteration))
    return(if (!by_hand && !trained) mlr_domain(task))
  }
}

# Quantiles of the predictive distribution of a response. predicted: by predict(se.fit = TRUE).
mlr_quantiles <- function(learner, predicted) {
  probs <- learner$quantiles
  if (is.null(probs)) {
    abort("argument", "`predict_type = \"quantiles\"` needs `learner$quantiles`, such as ",
          "c(0.05, 0.5, 0.95).")
  }
  spread <- sqrt(predicted$se.fit^2 + predicted$residual.scale^2)
  quantiles <- predicted$fit + outer(spread, stats::qnorm(probs))
  attr(quantiles, "probs") <- probs
  attr(quantiles, "response") <- learner$quantile_response
  # mlr3 takes the response from the quantiles, if one of them is set as response
  c(list(quantiles = quantiles),
    if (is.null(learner$quantile_response)) list(response = predicted$fit))
}
