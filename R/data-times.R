# Times until an event of which some are only known to be longer. One complex number a row: the
# time, and as its imaginary part 1 where the event was seen, 0 where the time is censored. So rows
# are taken, compared, put together and saved like those of any vector, and no code can take them
# for numbers. The class is there to print them, and for rows that are at risk only after an entry:
# the attribute `entry`, NULL if there are none. A matrix of targets is without it.

censored_times <- function(time, event, entry = NULL) {
  as_times(complex(real = time, imaginary = event), entry)
}

is_censored <- function(y) is.complex(y)

as_times <- function(values, entry = NULL) {
  structure(as.vector(unclass(values)), entry = entry, class = "dg_times")
}

entries <- function(y) attr(y, "entry")

# survival::Surv() objects in the place where they came in; of anything else what it is.
read_surv <- function(value, arg) {
  if (!inherits(value, "Surv")) return(value)
  type <- attr(value, "type")
  if (!type %in% c("right", "counting")) {
    abort("data", "`", arg, "` must be right-censored times, `Surv(time, status)` or `Surv(start, ",
          "stop, status)`, not those of type \"", type, "\"",
          if (startsWith(type, "m")) {
            paste0(" (several kinds of events). Give one of them, `Surv(time, status == \"",
                   attr(value, "states")[1L], "\")`: events of other kinds are then censored")
          }, ".")
  }
  # times that differ by rounding are the same, as in survival's own functions
  if (requireNamespace("survival", quietly = TRUE)) {
    value <- on_error(equal_times(value), function(e) {
      abort("data", "`", arg, "` has times that are equal to their starts but for rounding: ",
            conditionMessage(e), ".")
    })
  }
  value <- unclass(value)
  if (type == "right") return(censored_times(value[, "time"], value[, "status"]))
  # without its entry a row is missing
  stop <- replace(value[, "stop"], is.na(value[, "start"]), NA)
  censored_times(stop, value[, "status"], unname(value[, "start"]))
}

# needs: see read_response().
check_times <- function(y, needs) {
  if (needs != "open") {
    abort("data", "The response is censored times (a `Surv` object), which this call does not ",
          "take. Use `dg_auto()` (of rows in memory), `dg_glm(family = \"cox\")`, `dg_lm()`, ",
          "`dg_net()`, `dg_forest()` or `dg_null()`.")
  }
  if (any(!is.finite(Re(y)))) abort("data", "Times of the response must be finite.")
  as_times(y, entries(y))
}

has_event <- function(y) Im(y) == 1

# Times as solvers see them, [n x 1], or with a second column: the stratum, and as its imaginary
# part the entry.
time_targets <- function(y) {
  times <- matrix(as.vector(unclass(y)))
  if (is.null(entries(y))) times else in_strata(times, 1, entries(y))
}

# Targets Y with these strata; by default with the entries that they have.
in_strata <- function(Y, stratum = 1, entry = if (ncol(Y) > 1L) Im(Y[, 2L]) else -Inf) {
  cbind(Y[, 1L], complex(nrow(Y), rep_len(as.integer(stratum), nrow(Y)), entry))
}

# What a fit says of them. last: the largest time.
censored_response <- function(y) {
  list(kind = "censored", words = times_words(y), last = max(Re(y)))
}

# aeqSurv() takes those for one that are nearer than 1e-8, or 1e-8 of their mean. By a power of two,
# which changes no digit, the mean is between 1 and 2, so that the unit of time decides nothing.
equal_times <- function(value) {
  times <- setdiff(colnames(value), "status")
  given <- abs(value[, times])
  given <- given[is.finite(given)]
  if (!any(given > 0)) return(survival::aeqSurv(value))
  unit <- 2^floor(log2(max(given)) + log2(mean(given / max(given))))
  value[, times] <- unclass(value)[, times] / unit
  value <- survival::aeqSurv(value)
  value[, times] <- unclass(value)[, times] * unit
  value
}

# Times as other packages take them.
as_surv <- function(y) {
  need_package("survival", "Surv()")
  time <- as.vector(Re(unclass(y)))
  event <- as.vector(has_event(y)) + 0
  if (is.null(entries(y))) survival::Surv(time, event)
  else survival::Surv(entries(y), time, event)
}

# In the words of print().
times_words <- function(y) {
  paste0("times: ", plural(length(y), "row"), ", ", plural(sum(has_event(y)), "event"))
}

#' @export
`[.dg_times` <- function(x, ...) as_times(unclass(x)[...], entries(x)[...])

#' @export
`[<-.dg_times` <- function(x, i, value) {
  values <- unclass(x)
  values[i] <- value
  entry <- entries(x)
  if (is.null(entry) && is.null(entries(value))) return(as_times(values))
  if (is.null(entry)) entry <- rep(-Inf, length(x))
  entry[i] <- if (is.null(entries(value))) -Inf else entries(value)
  as_times(values, entry)
}

#' @export
c.dg_times <- function(...) {
  parts <- list(...)
  late <- any(!vapply(parts, function(y) is.null(entries(y)), NA))
  as_times(unlist(lapply(parts, unclass)), if (late) unlist(lapply(parts, function(y) {
    if (is.null(entries(y))) rep(-Inf, length(y)) else entries(y)
  })))
}

#' @export
rep.dg_times <- function(x, ...) {
  as_times(rep(as.vector(unclass(x)), ...), if (!is.null(entries(x))) rep(entries(x), ...))
}

#' @exportS3Method
as.data.frame.dg_times <- function(x, ...) as.data.frame.vector(x, ...)

# As survival does: "310", "455+" where it is censored, "(10,310]" and "(10,455+]" after an entry.
#' @export
format.dg_times <- function(x, ...) {
  entry <- entries(x)
  x <- as.vector(unclass(x))
  text <- paste0(format(Re(x), ...), ifelse(Im(x) == 1, if (is.null(entry)) " " else "", "+"))
  if (!is.null(entry)) text <- paste0("(", format(entry, ...), ",", text, "]")
  ifelse(is.na(x), "NA", text)
}

#' @export
as.character.dg_times <- function(x, ...) trimws(format(x, ...))

#' @export
print.dg_times <- function(x, ...) {
  print(format(x), quote = FALSE)
  invisible(x)
}
