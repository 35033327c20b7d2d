# Default grids, and the continuation of a grid beyond its border.

default_grid <- function(spec, n) {
  grid <- part_grid(spec, n)
  if (length(grid) == 0L) {
    abort("argument", "`grid` must be given: `", spec$method, "()` has no default grid.")
  }
  lapply(grid, as.list)
}

part_grid <- function(spec, n) UseMethod("part_grid")

#' @exportS3Method
part_grid.dg_spec <- function(spec, n) {
  records <- parameter_rows(method_of(spec), names(spec$args))
  records <- Filter(function(row) !is.null(row$grid), records)
  grid <- lapply(records, function(row) {
    if (is.function(row$grid)) row$grid(n, spec$args) else row$grid
  })
  if (length(grid) == 0L || !"kernel" %in% names(spec$args)) return(grid)
  c(grid, kernel_grid(inner_object(spec$args$kernel, "kernel")))
}

#' @exportS3Method
part_grid.dg_pipeline_spec <- function(spec, n) {
  grids <- lapply(c("projection", "learner"), function(part) part_grid(spec[[part]], n))
  grid <- unlist(Map(function(grid, part) {
    if (is.null(grid)) return(NULL)
    # the full name where both parts know it
    names(grid) <- vapply(names(grid), function(name) {
      clear <- tryCatch(!is.null(find_parameter(spec, name)), domgen_error = function(e) FALSE)
      if (clear) name else paste0(short_names(spec[[part]])[1L], ".", name)
    }, "")
    grid
  }, grids, c("projection", "learner")), recursive = FALSE)
  grid
}

# The value that comes after the border value `at` (an index of values), or NULL: only numbers
# with a constant ratio or step are continued.
next_value <- function(values, at) {
  number <- vapply(values, is_number, NA)
  if (!all(number) || length(values) < 3L) return(NULL)
  x <- sort(unlist(values))
  here <- values[[at]]
  high <- here == x[length(x)]
  if (!high && here != x[1L]) return(NULL)
  alike <- function(d) max(d) - min(d) <= 1e-6 * abs(d[1L])
  if (x[1L] > 0 && alike(diff(log(x)))) {
    ratio <- x[2L] / x[1L]
    value <- if (high) here * ratio else here / ratio
  } else if (alike(diff(x))) {
    step <- x[2L] - x[1L]
    value <- if (high) here + step else here - step
  } else return(NULL)
  # small numbers of components, neighbours, ... stay whole
  if (all(x == round(x)) && value != round(value)) return(NULL)
  value
}

# For each combination [rows of an index matrix], the sum of the simplicity of its values, from 0 to
# 1 each.
simplicity <- function(choices, grid, spec) {
  total <- numeric(nrow(choices))
  for (name in names(grid)) {
    way <- found_row(spec, find_parameter(spec, name))$simpler
    values <- grid[[name]]
    numbers <- all(vapply(values, is_number, NA))
    if (is.null(way) || way == 0 || !numbers || length(values) == 1L) next
    place <- rank(way * unlist(values))
    total <- total + (place[choices[, name]] - 1) / (length(values) - 1)
  }
  total
}
