# Parameter sets of the paradox package, which mlr3 uses. What a parameter may be is not written
# down again: it follows from the argument's default and from what the check at the door takes.

# The arguments of a method as a ParamSet. spec: the method without data; without: arguments that
# are no parameters there; further: named domains of paradox.
mlr_parameters <- function(spec, without = character(), further = list()) {
  names <- setdiff(names(spec$args), without)
  defaults <- lapply(formals(get(spec$method, mode = "function"))[names], eval, topenv())
  rows <- parameter_rows(spec$parts, names)[names]
  own <- Map(mlr_parameter, rows, defaults)
  do.call(paradox::ps, c(own, further))
}

# One argument as a domain of paradox.
mlr_parameter <- function(row, default) {
  tags <- c("train", if (row$name == "threads") "threads")
  special <- if (door_takes(row, NULL)) list(NULL) else list()
  if (is.character(default) && length(default) > 1L) {
    return(paradox::p_fct(default, default = default[1L], tags = tags, special_vals = special))
  }
  range <- door_range(row)
  if (range$kind == "other") {
    checked <- function(x) door_complaint(row, x)
    return(paradox::p_uty(custom_check = checked, default = default, tags = tags))
  }
  if (range$kind == "flag") return(paradox::p_lgl(default = default, tags = tags))
  make <- if (range$kind == "whole") paradox::p_int else paradox::p_dbl
  make(lower = range$lower, upper = range$upper, default = default, tags = tags,
       special_vals = special)
}

# TRUE, or why the door of a method refuses the value.
door_complaint <- function(row, value) complaint(row$check(value, row$name))

# TRUE, or what an error says, without the full stop that paradox adds.
complaint <- function(code) {
  on_error({
    force(code)
    TRUE
  }, function(e) sub("[.]$", "", conditionMessage(e)))
}

door_takes <- function(row, value) isTRUE(door_complaint(row, value))

# list(kind: "flag", "whole", "number" or "other", lower, upper). The bounds of paradox are closed,
# so that the check still has the last word on 0.
door_range <- function(row) {
  takes <- function(value) door_takes(row, value)
  # what takes a word that means nothing is not checked here
  if (takes("no such value")) return(list(kind = "other"))
  if (takes(TRUE)) return(list(kind = "flag"))
  if (!takes(12) && !takes(0.5)) return(list(kind = "other"))
  whole <- !takes(0.5)
  small <- if (whole) Filter(takes, c(0:2, 10)) else 0
  list(kind = if (whole) "whole" else "number", lower = if (takes(-1)) -Inf else small[1L],
       upper = if (takes(12)) Inf else 1)
}
