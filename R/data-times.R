# Times until an event of which some are only known to be longer. One complex number a row: the
# time, and as its imaginary part 1 where the event was seen, 0 where the time is censored. So rows
# are taken, compared, put together and saved like those of any vector, and no code can take them
# for numbers. The class is there to print them; a matrix of targets is without it.

censored_times <- function(time, event) {
  as_times(complex(real = time, imaginary = event))
}

is_censored <- function(y) is.complex(y)

as_times <- function(values) structure(values, class = "dg_times")

# survival::Surv() objects in the place where they came in; of anything else what it is.
read_surv <- function(value, arg) {
  if (!inherits(value, "Surv")) return(value)
  type <- attr(value, "type")
  if (!identical(type, "right")) {
    abort("data", "`", arg, "` must be right-censored times, `Surv(time, status)`, not those of ",
          "type \"", type, "\"", switch(
            type, mright = paste0(" (several kinds of events). Give one of them, `Surv(time, ",
                                  "status == \"", attr(value, "states")[1L], "\")`: events of ",
                                  "other kinds are then censored"),
            counting = " (start and stop): late entry and changing predictors are not supported"
          ), ".")
  }
  value <- unclass(value)
  censored_times(value[, "time"], value[, "status"])
}

# needs: see read_response().
check_times <- function(y, needs) {
  if (needs != "open") {
    abort("data", "The response is censored times (a `Surv` object). Use ",
          "`dg_auto()` (of rows in memory), `dg_glm(family = \"cox\")`, `dg_lm()`, `dg_net()`, ",
          "`dg_forest()` or `dg_null()`.")
  }
  if (any(!is.finite(Re(y)))) abort("data", "Times of the response must be finite.")
  as_times(as.vector(y))
}

has_event <- function(y) Im(y) == 1

# As solvers see them, [n x 1].
time_targets <- function(y) matrix(as.vector(unclass(y)), ncol = 1L)

# What a fit says of them. last: the largest time.
censored_response <- function(y) {
  list(kind = "censored", words = times_words(y), last = max(Re(y)))
}

# As other packages take them.
as_surv <- function(y) {
  need_package("survival", "Surv()")
  survival::Surv(Re(unclass(y)), has_event(y) + 0)
}

# In words, of print().
times_words <- function(y) {
  paste0("times: ", plural(length(y), "row"), ", ", plural(sum(has_event(y)), "event"))
}

#' @export
`[.dg_times` <- function(x, ...) as_times(unclass(x)[...])

#' @export
c.dg_times <- function(...) as_times(unlist(lapply(list(...), unclass)))

#' @export
rep.dg_times <- function(x, ...) as_times(rep(unclass(x), ...))

#' @exportS3Method
as.data.frame.dg_times <- function(x, ...) as.data.frame.vector(x, ...)

# As survival does: "310", "455+" where it is censored.
#' @export
format.dg_times <- function(x, ...) {
  x <- unclass(x)
  text <- paste0(format(Re(x), ...), ifelse(Im(x) == 1, " ", "+"))
  ifelse(is.na(x), "NA", text)
}

#' @export
as.character.dg_times <- function(x, ...) trimws(format(x, ...))

#' @export
print.dg_times <- function(x, ...) {
  print(format(x), quote = FALSE)
  invisible(x)
}
