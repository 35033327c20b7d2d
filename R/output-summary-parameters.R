# How the parameters of a fitted learner were found.

# Data frame: parameter, value (in words), how.
parameters_found <- function(object) {
  learner <- learner_of(object)
  tuned <- object$tuning$best
  rows <- rbind(parameter_lines(names(tuned), vapply(tuned, format_value, ""),
                                "tuned on held-out domains"),
                fitted_lines(learner$parameters), searched_lines(learner), kernel_lines(learner),
                projection_lines(object$projection))
  if (!is.null(rows)) data.frame(rows[!duplicated(rows$parameter), ], row.names = NULL)
}

parameter_lines <- function(parameter, value, how) {
  if (length(parameter) == 0L) return(NULL)
  data.frame(parameter = parameter, value = value, how = how)
}

# Of a Gaussian process.
fitted_lines <- function(table) {
  if (is.null(table)) return(NULL)
  parameter_lines(table$name, four_digits(table$value),
                  paste0(table$meaning, "; ", ifelse(table$fitted, "fitted", "not fitted"),
                         ifelse(table$at_bound, ", at its bound", "")))
}

# Penalties, given or chosen with the fit.
searched_lines <- function(learner) {
  args <- learner$spec$args
  names <- intersect(c("cost", "lambda"), names(args))
  values <- lapply(names, function(name) {
    if (is.null(args[[name]])) found_penalty(learner, name) else args[[name]]
  })
  known <- lengths(values) > 0L
  parameter_lines(names[known], vapply(values[known], function(v) format_value(rounded(v, 4)), ""),
                  ifelse(vapply(args[names[known]], is.null, NA),
                         sub("^, ", "", chosen_by(learner)), "given"))
}

found_penalty <- function(learner, name) {
  if (is.null(learner[[name]])) learner$engine$object[[name]] else learner[[name]]
}

kernel_lines <- function(learner) {
  space <- learner$space
  if (is.null(space)) return(NULL)
  args <- learner$spec$args
  table <- learner$parameters
  fitted <- if (identical(args$bandwidths, "fitted")) "on held-out domains"
            else if (any(table$fitted & startsWith(as.character(table$meaning), "bandwidth"))) {
              "by the likelihood"
            }
  how <- function(...) {
    open <- any(vapply(list(...), function(kernel) {
      # the default of a method has one
      is.null(kernel) || length(bandwidth_paths(kernel, function(l) is.null(l$bandwidth))) > 0L
    }, NA))
    if (!open) "given" else if (is.null(fitted)) "bandwidth: the median distance or a multiple"
    else paste("bandwidth fitted", fitted)
  }
  between <- args$domain_kernel
  rbind(
    parameter_lines("kernel", format_bandwidth(space$kernel), how(args$kernel)),
    if (uses_domain(space$domain_kernel)) {
      parameter_lines("domain kernel", format(space$domain_kernel),
                      how(if (is.null(between$kernel)) kernel_linear() else between$kernel,
                          if (is.null(between$embedding_kernel)) kernel_linear()
                           else between$embedding_kernel))
    },
    if (!is.null(space$feature_map)) {
      parameter_lines("feature_map", paste0(format(space$feature_map), ", ",
                                         plural(space$dim, "coordinate")), "given")
    }
  )
}

projection_lines <- function(projection) {
  if (is.null(projection)) return(NULL)
  parameter_lines("projection", paste0(method_of(projection$spec)$title, ", ",
                                       plural(length(projection$values), "component"), ", ",
                                       shown_parameters(projection$spec)), "given or tuned")
}
