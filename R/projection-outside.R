# Projections made outside the package.

#' @rdname extending
#' @export
projection_method <- function(name, title, terms, response = c("optional", "any", "class"),
                              needs_domain = TRUE, parameters = list()) {
  frame <- method_frame()
  row <- projection_row(title, terms, check_choice(response, "response", c("optional", "any",
                                                                           "class")),
                        check_flag(needs_domain, "needs_domain"),
                        parameters = listed_parameters(parameters))
  projection_call(method_name(name), frame$env, frame$call, frame$from, row)
}
