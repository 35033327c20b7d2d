# Folds of whole domains as resamplings of mlr3.

#' @rdname mlr3
#' @usage \method{as_resampling}{domgen_folds}(x, task, ...)
#' @param x Folds made by [domain_folds()] or [row_folds()].
#' @param task A task of mlr3.
#' @param ... Must be empty.
#' @exportS3Method mlr3::as_resampling
as_resampling.domgen_folds <- function(x, task, ...) {
  enter_session()
  check_no_dots(list(...), "task")
  check_given(task, "task")
  check_value(task, "task", value_rule("part", levels = "Task",
                                       words = "made by mlr3, such as `as_task_regr()`"))
  sets <- task_splits(x, task)
  mlr3::ResamplingCustom$new()$instantiate(task, sets$train, sets$test)
}

#' @exportS3Method mlr3::as_resampling
as_resampling.domgen_row_folds <- as_resampling.domgen_folds

#' @exportS3Method mlr3::as_resampling
as_resampling.domgen_time_folds <- as_resampling.domgen_folds

# list(train, test: lists of row ids).
task_splits <- function(folds, task) {
  ids <- task$row_ids
  domain <- if (inherits(folds, "domgen_row_folds")) rep("all", length(ids)) else mlr_domain(task)
  if (is.null(domain)) abort_no_role(task, "whole domains are held out")
  described <- list(domain = as_groups(domain), row = seq_along(ids), n = length(ids))
  splits <- fold_splits(read_folds(folds, described), described)
  list(train = lapply(splits, function(split) ids[split$train]),
       test = lapply(splits, function(split) ids[split$held]))
}

resampling_class <- function() {
  R6::R6Class(
    "ResamplingDomainCV", inherit = mlr3::Resampling, parent_env = topenv(),
    public = list(
      initialize = function() {
        super$initialize(id = "domain_cv", param_set = resampling_parameters(),
                         label = "Cross-validation by domain", man = "domgen::mlr3")
      },
      # mlr3's own method would draw rows, or groups
      instantiate = function(task) {
        task <- mlr3::as_task(task)
        self$instance <- task_splits(new_task_folds(task, self$param_set$values), task)
        private$.hash <- NULL
        self$task_hash <- task$hash
        self$task_nrow <- task$nrow
        self$task_row_hash <- task$row_hash
        invisible(self)
      }
    ),
    active = list(iters = function(rhs) {
      if (is.null(self$instance)) NA_integer_ else length(self$instance$train)
    }),
    private = list(.get_train = function(i) self$instance$train[[i]],
                   .get_test = function(i) self$instance$test[[i]])
  )
}

resampling_parameters <- function() {
  balances <- eval(formals(domain_folds)$balance)
  paradox::ps(
    folds = paradox::p_int(2L, default = NULL, special_vals = list(NULL)),
    repeats = paradox::p_int(1L, most_repeats, default = 1L),
    balance = paradox::p_fct(balances, default = balances[1L])
  )
}

new_task_folds <- function(task, values) {
  domain <- mlr_domain(task)
  if (is.null(domain)) abort_no_role(task, "whole domains are held out")
  y <- if (identical(values$balance, "class")) task$truth()
  do.call(domain_folds, c(list(domain = domain, y = y), values))
}
