# What predict() asks of intervals and sets for new domains; the answers are in trust-interval*.R.

prediction_kinds <- c("none", "prediction", "domain", "mean")

# of a model with a posterior
posterior_kinds <- c("none", "confidence", "posterior", "prediction", "domain", "mean")

# A data frame of `fit`, `lower`, `upper`. asked: list(newdata, domain, reference, reference_domain,
# new_levels) of the user's call; wanted: list(interval, level, env: where the user is, in which the
# data of the model's call are looked for).
prediction_interval <- function(object, asked, wanted) UseMethod("prediction_interval")

# A logical matrix [rows x classes].
prediction_set <- function(object, asked, wanted) UseMethod("prediction_set")

# c(low, high): intervals do not go beyond what a response can be.
response_range <- function(object) UseMethod("response_range")

#' @exportS3Method
response_range.default <- function(object) c(-Inf, Inf)

# kinds: those that the method has.
read_interval <- function(interval, level, object, env, kinds = prediction_kinds) {
  interval <- check_choice(interval, "interval", kinds)
  if (interval != "none" && object$response$kind != "number") {
    abort("argument", "`interval` must be \"none\" when the response is ",
          if (object$response$kind == "class") {
            "a class: `type = \"set\"` gives sets of classes."
          } else paste0(kind_words(object$response$kind), "."))
  }
  list(interval = interval, level = check_level(level), env = env)
}

# The model with the errors that intervals rest on. sample: its rows, where they are at hand.
keep_intervals <- function(object, env, sample = NULL) UseMethod("keep_intervals")

# For rows that come in blocks; a domain's may not come together.
with_intervals <- function(object, type, wanted) {
  if (!identical(type, "set") && wanted$interval %in% c("none", "confidence", "posterior")) {
    return(object)
  }
  if (wanted$interval == "mean") {
    abort("argument", "`interval` must not be \"mean\" with a source as `newdata`: its blocks do ",
          "not have a domain's rows together.")
  }
  keep_intervals(object, wanted$env)
}

check_level <- function(level) {
  if (!is_number(level) || level <= 0 || level >= 1) {
    abort("argument", "`level` must be one number between 0 and 1, not ", describe(level), ".")
  }
  level
}
