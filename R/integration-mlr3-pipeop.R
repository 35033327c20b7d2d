# Projections as PipeOps of mlr3pipelines: components replace the features.

pipeop_key <- function(method) paste0("domain_", method)

# One class per projection, as the dictionary of mlr3pipelines requires.
pipeop_class <- function(method) {
  initialize <- function(id, param_vals = list()) {
    private$.label <- method_of(get(private$.method, mode = "function")())$title
    do.call(super$initialize, pipeop_description(private$.method, id, param_vals))
  }
  formals(initialize)$id <- pipeop_key(method)
  R6::R6Class(
    paste0("PipeOpDomain", upper_case(method)), inherit = mlr3pipelines::PipeOpTaskPreproc,
    public = list(initialize = initialize),
    private = list(
      .method = paste0("dg_", method),
      .train_task = function(task) pipeop_train(self, private, task),
      .predict_task = function(task) pipeop_predict(self, private, task)
    ),
    parent_env = topenv()
  )
}

pipeop_description <- function(method, id, param_vals) {
  spec <- get(method, mode = "function")()
  params <- mlr_parameters(spec, c("target", "unlabelled"), mlr_data_parameters(stats::na.exclude))
  # mlr3pipelines checks the type of task itself
  kind <- if (method_of(spec)$response == "optional") "Task" else "TaskSupervised"
  list(id = id, task_type = kind, param_set = params, param_vals = param_vals,
       packages = "domgen", feature_types = mlr_feature_types)
}

pipeop_train <- function(op, private, task) {
  # the columns that the PipeOp transforms
  seen <- task$clone()
  seen <- seen$select(private$.select_cols(seen))
  if (!length(seen$feature_names)) {
    op$state <- list(columns = character())
    return(task)
  }
  values <- op$param_set$get_values(tags = "train")
  values <- values[setdiff(names(values), "affect_columns")]
  spec <- do.call(private$.method, values[setdiff(names(values), "na.action")], quote = TRUE)
  needs_y <- method_of(spec)$response != "optional"
  model <- mlr_fit(spec, seen, list(y = if (needs_y) task$truth(), na.action = values$na.action))
  op$state <- list(model = model, columns = seen$feature_names)
  # na.omit drops rows, but a task keeps them
  place <- if (nobs(model) < seen$nrow) match(seq_len(seen$nrow), model$rows$kept)
           else seq_len(seen$nrow)
  with_components(task, op, model$scores[place, , drop = FALSE])
}

pipeop_predict <- function(op, private, task) {
  if (!length(op$state$columns)) return(task)
  model <- op$state$model
  seen <- task$clone()$select(op$state$columns)
  arguments <- mlr_new_rows(model, seen, op$param_set$get_values(tags = "predict"))
  with_components(task, op, do.call(predict, c(list(model), arguments)))
}

# Names of components start with the PipeOp's id, so that those of two PipeOps differ.
with_components <- function(task, op, scores) {
  scores <- as.data.frame(scores)
  names(scores) <- paste0(op$id, ".", seq_along(scores))
  task$select(setdiff(task$feature_names, op$state$columns))$cbind(scores)
}

# As in mlr3pipelines, whose folds keep the rows of a group together; here also those of a domain.
learner_cv_class <- function() {
  R6::R6Class(
    "PipeOpDomainLearnerCV", inherit = mlr3pipelines::PipeOpLearnerCV, parent_env = topenv(),
    private = list(.train_task = function(task) grouped_training(task, super$.train_task))
  )
}

grouped_training <- function(task, train) {
  column <- task$col_roles$domain
  if (!length(column) || length(task$col_roles$group)) return(train(task))
  domain <- mlr_domain(task)
  task <- task$clone()
  if (length(column) > 1L) {
    column <- handed_domain
    task$cbind(stats::setNames(data.frame(domain), column))
    task$set_col_roles(column, roles = "group")
  } else task$set_col_roles(column, add_to = "group")
  train(task)$set_col_roles(column, remove_from = "group")
}
