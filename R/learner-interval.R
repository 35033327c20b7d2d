# What predict() asks of intervals and sets for new domains; the answers are in
# inference-interval*.R.

prediction_kinds <- c("none", "prediction", "domain_share", "domain_mean")

# of a model with a posterior
posterior_kinds <- c("none", "confidence", "posterior", "prediction", "domain_share", "domain_mean")

# A data frame of `fit`, `lower`, `upper`; new, asked: see predict_block().
prediction_interval <- function(object, new, asked) UseMethod("prediction_interval")

# A logical matrix [rows x classes].
prediction_set <- function(object, new, asked) UseMethod("prediction_set")

# c(low, high): intervals do not go beyond what a response can be.
response_range <- function(object) UseMethod("response_range")

#' @exportS3Method
response_range.default <- function(object) c(-Inf, Inf)

# The lowest end of intervals by the training responses: 0 where none is negative.
lowest_response <- function(y) if (is.numeric(y) && isTRUE(all(y >= 0))) 0 else -Inf

# Values that cannot be observed are cut off, so coverage stays the same. natural: the range of the
# model, of which nothing is said.
cut_to_range <- function(interval, range, natural = c(-Inf, Inf)) {
  if (range[1L] > natural[1L] && any(interval$lower < 0, na.rm = TRUE)) {
    inform("interval", "Intervals end at 0, as the responses of training do.")
  }
  interval[c("lower", "upper")] <- lapply(interval[c("lower", "upper")], function(end) {
    pmin(pmax(end, range[1L]), range[2L])
  })
  interval
}

# The model with the errors that intervals rest on. sample: its rows, where they are at hand.
keep_intervals <- function(object, env, sample = NULL) UseMethod("keep_intervals")

# For rows that come in blocks; a domain's may not come together.
with_intervals <- function(object, asked) {
  if (asked$type != "set" && !isTRUE(asked$interval %in% prediction_kinds[-1L])) return(object)
  if (asked$interval == "domain_mean") {
    abort("argument", "`interval` must not be \"domain_mean\" with a source as `newdata`, in ",
          "which a domain's rows can be in several chunks.")
  }
  keep_intervals(object, asked$env)
}

check_level <- function(level) {
  if (!is_number(level) || level <= 0 || level >= 1) {
    abort("argument", "`level` must be one number between 0 and 1, not ", describe(level), ".")
  }
  level
}
