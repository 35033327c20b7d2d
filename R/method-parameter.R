# What a method says about each of its arguments, as a row: the check at its door, what a search
# tries, which of two values is the simpler model, and what is printed all follow from it.
#
#   check    function(value, arg): the value as the method wants it, or an error of ours
#   grid     function(n, args): what dg_tune() tries by default with n rows; NULL: nothing
#   simpler  1: large values are the simpler model, -1: small ones, 0: neither
#   shown    where a fitted projection is printed: FALSE, TRUE, or a function of the value
#   tuned    may a grid name it?
#   ridge    is it the ridge of a projection or ridge regression, whose values share work?
#
# Arguments that several methods have are rows here; one with an argument of its own, or another
# rule for one of these, says so in its own file (`parameters`, a function).

parameter <- function(name, check, grid = NULL, simpler = 0, shown = FALSE, tuned = TRUE,
                      ridge = FALSE) {
  if (is.numeric(grid)) {
    values <- grid
    grid <- function(n, args) values
  }
  list(name = name, check = check, grid = grid, simpler = simpler, shown = shown, tuned = tuned,
       ridge = ridge)
}

parameters <- function(...) {
  rows <- list(...)
  stats::setNames(rows, vapply(rows, `[[`, "", "name"))
}

# A row with other entries: with_entries(shared_parameters$ncomp, grid = 2^(1:4)).
with_entries <- function(row, ...) do.call(parameter, utils::modifyList(row, list(...)))

or_null <- function(rule) function(value, arg) if (is.null(value)) NULL else rule(value, arg)

a_number <- function(rule = "positive") function(value, arg) check_number(value, arg, rule)

a_share <- function(value, arg) check_between(value, arg, 0, 1)

# What others check.
as_it_is <- function(value, arg) value

one_of <- function(choices) function(value, arg) check_choice(value, arg, choices)

rows_like_training <- function(value, arg) {
  if (!is.data.frame(value) && !is.matrix(value)) {
    abort("argument", "`", arg, "` must be a data frame or matrix of rows like the training rows, ",
          "not ", describe(value), ".")
  }
  value
}

shared_parameters <- parameters(
  parameter("ncomp", check_count, simpler = -1),
  parameter("lambda", a_number(), grid = 10^(-3:1), simpler = 1, shown = TRUE, ridge = TRUE),
  parameter("epsilon", a_number(), simpler = 1, shown = TRUE),
  parameter("kernel", check_kernel),
  parameter("kernel_y", or_null(check_kernel)),
  parameter("domain_kernel", check_domain_kernel),
  parameter("feature_map", function(value, arg) check_feature_map(value, arg)),
  parameter("form", one_of(c("published", "symmetric")), shown = TRUE),
  parameter("normalise", one_of(c("constraint", "whiten", "published_code")), shown = TRUE),
  parameter("average", check_flag, shown = TRUE),
  parameter("target", or_null(rows_like_training), tuned = FALSE),
  parameter("scale", function(value, arg) check_choice(value, arg, scalings)),
  parameter("domain_means", check_flag),
  parameter("intercept", check_flag),
  parameter("domain_weights", one_of(c("size", "equal"))),
  parameter("calibration", one_of(c("none", "platt", "isotonic")), tuned = FALSE),
  parameter("seed", function(value, arg) check_seed(value), tuned = FALSE),
  parameter("terms", check_own_terms),
  parameter("progress", as_it_is, tuned = FALSE),
  parameter("threads", function(value, arg) check_threads(value), tuned = FALSE),
  # of kernels, domain kernels and feature maps, whose constructors check them
  parameter("bandwidth", as_it_is, simpler = 1),
  parameter("bandwidth_factor", as_it_is, simpler = 1),
  parameter("smoothing", as_it_is, simpler = 1),
  parameter("degree", as_it_is, simpler = -1),
  parameter("tau", as_it_is, simpler = 1),
  parameter("n_landmarks", as_it_is, simpler = -1),
  parameter("n_features", as_it_is, simpler = -1)
)

# A function, as the rows themselves would make each model large.
own_rows <- function(parts) if (!is.null(parts$parameters)) parts$parameters()

# The rows of a method's arguments by name: its own first. parts: what the method is.
parameter_rows <- function(parts, names) {
  own <- own_rows(parts)
  names <- c(intersect(names(own), names), setdiff(names, names(own)))
  rows <- c(own, shared_parameters[setdiff(names(shared_parameters), names(own))])
  unknown <- setdiff(names, names(rows))
  if (length(unknown)) {
    stop("no parameter() says what `", unknown[1L], "` must be", call. = FALSE)
  }
  rows[names]
}

# The row of a parameter of a specification, by its path; what nobody speaks of has none.
argument_row <- function(parts, path) {
  name <- utils::tail(path, 1L)
  own <- if (length(path) == 1L) own_rows(parts)[[name]]
  if (is.null(own)) shared_parameters[[name]] else own
}

is_tuned <- function(parts, name) !isFALSE(argument_row(parts, name)$tuned)

# A method without data. env: the frame of the call of its function, where its arguments are.
method_spec <- function(method, class, parts, env) {
  names <- setdiff(names(formals(get(method, mode = "function"))), c(data_arguments, "..."))
  checked_spec(method, class, parts, mget(names, env))
}

# parts: the row that says what the method is; args: checked hyper-parameters.
new_spec <- function(method, class, parts, args) {
  structure(list(method = method, parts = parts, args = args),
            class = c(class, "dg_spec"))
}

checked_spec <- function(method, class, parts, args) {
  rows <- parameter_rows(parts, names(args))
  for (name in names(args)) args[name] <- list(rows[[name]]$check(args[[name]], name))
  new_spec(method, class, parts, args)
}

# "lambda = 0.1, form = published": what a fitted projection shows of its arguments.
shown_parameters <- function(spec) {
  rows <- parameter_rows(spec$parts, names(spec$args))[names(spec$args)]
  rows <- Filter(function(row) !isFALSE(row$shown), rows)
  paste0(names(rows), " = ", vapply(rows, shown_value, "", args = spec$args), collapse = ", ")
}

shown_value <- function(row, args) {
  value <- args[[row$name]]
  if (is.function(row$shown)) row$shown(value) else format(value)
}

ridge_rows <- function(spec) {
  Filter(function(row) row$ridge, parameter_rows(spec$parts, names(spec$args)))
}
