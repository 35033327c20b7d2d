# The last call of a function of a learner, ours or from outside the package.

# A learner's function ends in this call. name: of the function; env, call and from: where it was
# called, how, and from where. A row from outside the package travels with the specification.
learner_call <- function(name, env, call, from, row = NULL) {
  spec <- method_spec(name, c(paste0(name, "_spec"), "dg_learner_spec"), env, row)
  fit_or_specify(spec, call, from)
}

#' @rdname extending
#' @export
learner_method <- function(name, title, solve, response = c("any", "number"),
                           parameters = list()) {
  frame <- method_frame()
  row <- learner_row(title, solve, response = check_choice(response, "response",
                                                           c("any", "number")),
                     parameters = listed_parameters(parameters))
  learner_call(method_name(name), frame$env, frame$call, frame$from, row)
}
