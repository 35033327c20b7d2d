# Scores by domain as measures of mlr3: the mean over domains of the score of each, as in dg_cv().

# The metrics of dg_cv() that can be computed from mlr3's predictions: these have no intervals, and
# standard errors without the noise of a response. F1 would be of the wrong class, because mlr3's
# positive class is the other one.
measure_metrics <- function(type) {
  kind <- if (type == "regr") "number" else "class"
  fit <- Filter(function(metric) {
    kind %in% metric$kind && !any(metric$needs %in% c("se", "interval"))
  }, metrics)
  fit[setdiff(names(fit), "f1")]
}

measure_key <- function(type, name) paste0(type, ".domain_", name)

measure_class <- function() {
  R6::R6Class(
    "MeasureDomain", inherit = mlr3::Measure, parent_env = topenv(),
    public = list(initialize = function(type, name) {
      private$.name <- name
      do.call(super$initialize, measure_description(type, name))
    }),
    private = list(
      .name = NULL,
      .score = function(prediction, task, ...) {
        known_mean(measure_by_domain(prediction, task, private$.name))
      }
    )
  )
}

measure_description <- function(type, name) {
  metric <- metrics[[name]]
  id <- measure_key(type, name)
  prob <- identical(metric$needs, "prob") || "decision" %in% metric$uses
  list(id = id, task_type = type, minimize = metric$better == "low", average = "custom",
       aggregator = measure_aggregator(id, name), properties = "requires_task",
       predict_type = if (prob) "prob" else "response", packages = "domgen",
       label = paste0(metric$title, ", mean over domains"), man = "domgen::mlr3")
}

# Domains that are held out several times are averaged first.
measure_aggregator <- function(id, name) {
  force(id)
  force(name)
  function(rr) {
    values <- unlist(lapply(rr$predictions(), measure_by_domain, rr$task, name))
    stats::setNames(known_mean(tapply(values, names(values), known_mean)), id)
  }
}

# The score of each domain of the rows, by name.
measure_by_domain <- function(prediction, task, name) {
  columns <- mlr_domain_columns(task)
  if (!length(columns)) abort_no_role(task, "each domain is scored separately")
  domain <- combined_domain(task$data(rows = prediction$row_ids, cols = columns))
  check_measured(is.na(domain), "a domain", prediction, task)
  check_measured(is.na(prediction$response), "a prediction", prediction, task)
  predictions <- list(truth = prediction$truth, prediction = prediction$response)
  if ("prob" %in% prediction$predict_types) {
    predictions$prob <- prediction$prob
    predictions$decision <- if (ncol(prediction$prob) == 2L) prediction$prob[, 2L]
                            else prediction$prob
  }
  domain <- as_groups(domain)
  stats::setNames(score_groups(predictions, domain, metrics[[name]]), levels(domain))
}

# Missing rows or domains would change the score.
check_measured <- function(missing, what, prediction, task) {
  if (!any(missing)) return(invisible())
  abort("data", "For a score by domain, each row of the task \"", task$id, "\" must have ", what,
        "; ", plural(sum(missing), "row"), " without: ",
        enumerate(prediction$row_ids[missing], quote = ""), ".")
}
