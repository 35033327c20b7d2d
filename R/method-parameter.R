# A record of plain facts about each argument of a method. From it follow the check of its value,
# the values of a search, which of two values makes the simpler model, the print, and the ranges for
# other packages.
#
#   name, and what value_rule() says of its values
#   grid     what dg_tune() tries by default: values, or function(n, args) with n rows
#   simpler  1: large values are the simpler model, -1: small ones, 0: neither
#   shown    where a fitted projection is printed: FALSE, TRUE, or a function of the value
#   tuned    may a grid name it?
#   ridge    is it the ridge of a projection or ridge regression, whose values share work?
#
# The records of arguments that several methods have are here; a method with an argument of its own,
# or another rule for one of these, has its records in its file (`parameters`, a function).

# type: as in value_rule(), or a rule that others have, too.
parameter <- function(name, type = "any", ..., grid = NULL, simpler = 0, shown = FALSE,
                      tuned = TRUE, ridge = FALSE) {
  rule <- if (is.list(type)) type else value_rule(type, ...)
  c(list(name = name), rule, list(grid = grid, simpler = simpler, shown = shown, tuned = tuned,
                                  ridge = ridge))
}

check_parameter <- function(row, value) check_value(value, row$name, row)

parameters <- function(...) {
  records <- list(...)
  stats::setNames(records, vapply(records, `[[`, "", "name"))
}

# A record with other entries: with_entries(shared_parameters$ncomp, grid = 2^(1:4)).
with_entries <- function(row, ...) utils::modifyList(row, list(...), keep.null = TRUE)

shared_parameters <- parameters(
  parameter("ncomp", "count", simpler = -1),
  parameter("lambda", "number", 0, open = TRUE, grid = 10^(-3:1), simpler = 1, shown = TRUE,
            ridge = TRUE),
  parameter("epsilon", "number", 0, open = TRUE, simpler = 1, shown = TRUE),
  parameter("kernel", kernel_rule), parameter("kernel_y", with_entries(kernel_rule, null = TRUE)),
  parameter("domain_kernel", domain_kernel_rule), parameter("feature_map", feature_map_rule),
  parameter("form", "choice", levels = c("published", "symmetric"), shown = TRUE),
  parameter("normalise", "choice", levels = c("constraint", "whiten", "published_code"),
            shown = TRUE),
  parameter("average", "flag", shown = TRUE),
  parameter("target", rows_like_training, tuned = FALSE),
  parameter("scale", "choice", levels = scalings),
  parameter("domain_means", "flag"), parameter("intercept", "flag"),
  parameter("domain_weights", "choice", levels = c("size", "equal")),
  parameter("calibration", "choice", levels = c("none", "platt", "isotonic"), tuned = FALSE),
  parameter("seed", seed_rule, tuned = FALSE), parameter("threads", threads_rule, tuned = FALSE),
  parameter("terms", check = check_own_terms), parameter("progress", tuned = FALSE),
  # of kernels, domain kernels and feature maps, whose constructors check them
  parameter("bandwidth", simpler = 1), parameter("bandwidth_factor", simpler = 1),
  parameter("smoothing", simpler = 1), parameter("tau", simpler = 1),
  parameter("degree", simpler = -1), parameter("n_landmarks", simpler = -1),
  parameter("n_features", simpler = -1)
)

# What a method is, a record of its own: of learners learner_row(), of projections projection_row(),
# made by the function <name>_row() of its file. A specification says it by the method's name; one
# from outside the package, or made of others as a pipeline is, has it with it.
method_of <- function(spec) {
  if (!is.null(spec$row)) return(spec$row)
  row <- get0(paste0(sub("^dg_", "", spec$method), "_row"), topenv(), mode = "function")
  if (is.null(row)) {
    abort("model", "A specification of `", spec$method, "()` is damaged, or was made by another ",
          "version of domgen: it does not say what the method is. Make it again.")
  }
  row <- row()
  if (!is.null(spec$title)) row$title <- spec$title
  row
}

# The specification with what its results are called, once the response is known.
with_title <- function(spec, y) UseMethod("with_title")

#' @exportS3Method
with_title.default <- function(spec, y) spec

own_rows <- function(method) if (!is.null(method$parameters)) method$parameters()

# The records of a method's arguments by name: those of its own first. method: see method_of().
parameter_rows <- function(method, names) {
  of_method <- own_rows(method)
  names <- c(intersect(names(of_method), names), setdiff(names, names(of_method)))
  records <- c(of_method, shared_parameters[setdiff(names(shared_parameters), names(of_method))])
  unknown <- setdiff(names, names(records))
  if (length(unknown)) {
    stop("no parameter() says what `", unknown[1L], "` must be", call. = FALSE)
  }
  records[names]
}

# The record of a parameter of a specification, by its path; NULL where there is none.
argument_row <- function(spec, path) {
  name <- utils::tail(path, 1L)
  record <- if (length(path) == 1L) own_rows(method_of(spec))[[name]]
  if (is.null(record)) shared_parameters[[name]] else record
}

is_tuned <- function(spec, name) !isFALSE(argument_row(spec, name)$tuned)

# A method without data. env: the frame of the call of its function, where its arguments are.
method_spec <- function(method, class, env, row = NULL) {
  names <- setdiff(names(formals(get(method, mode = "function"))), c(data_arguments, "..."))
  checked_spec(method, class, mget(names, env), row)
}

# args: checked hyper-parameters; row: see method_of().
new_spec <- function(method, class, args, row = NULL) {
  spec <- structure(list(method = method, args = args), class = c(class, "dg_spec"))
  spec$row <- row
  spec
}

checked_spec <- function(method, class, args, row = NULL) {
  spec <- new_spec(method, class, args, row)
  records <- parameter_rows(method_of(spec), names(args))
  for (name in names(args)) spec$args[name] <- list(check_parameter(records[[name]], args[[name]]))
  spec
}

# "lambda = 0.1, form = published": what a fitted projection shows of its arguments.
shown_parameters <- function(spec) {
  records <- parameter_rows(method_of(spec), names(spec$args))[names(spec$args)]
  records <- Filter(function(row) !isFALSE(row$shown), records)
  paste0(names(records), " = ", vapply(records, shown_value, "", args = spec$args), collapse = ", ")
}

shown_value <- function(row, args) {
  value <- args[[row$name]]
  if (is.function(row$shown)) row$shown(value) else format(value)
}

ridge_rows <- function(spec) {
  Filter(function(row) row$ridge, parameter_rows(method_of(spec), names(spec$args)))
}
