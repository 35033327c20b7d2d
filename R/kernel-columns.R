# Which columns a kernel acts on. Rows are a matrix of numbers, whose columns are of five kinds:
#   number    a numeric predictor, scaled
#   dummy     a column of a categorical one, scaled
#   category  a categorical predictor as it is, by codes (see data-coding.R)
#   id        what names the row in a matrix that the user gave, by its place there
#   offset    what is known of a linear predictor, for the learner and no kernel
# kernel_columns() says which kinds a kernel uses. Columns that no kernel uses are not made; where
# there are more than a kernel uses, kernel_on() passes it its own.

# A list of wishes: each the names of kinds, or a list(column, ids), the predictor `column` (the
# only one if NULL) as places among `ids`.
kernel_columns <- function(kernel) UseMethod("kernel_columns")

#' @exportS3Method
kernel_columns.domgen_kernel <- function(kernel) {
  if (is.null(kernel$parts)) list(default_wish)
  else unique(do.call(c, lapply(kernel$parts, kernel_columns)))
}

# The kernel on the columns of some kinds, where there are others too. columns: their numbers, once
# the data are known.
kernel_on <- function(kernel, wish, columns = NULL, asked = FALSE) {
  structure(list(parts = list(kernel), wish = wish, asked = asked, columns = columns),
            class = c("kernel_on", "kernel_composite", "domgen_kernel"))
}

#' @exportS3Method
kernel_columns.kernel_on <- function(kernel) list(kernel$wish)

# In a matrix without a layout all columns are numbers.
seen_columns <- function(kernel, X) {
  if (!is.null(kernel$columns)) return(kernel$columns)
  if ("number" %in% kernel$wish) seq_len(ncol(X)) else integer()
}

#' @exportS3Method
kernel_fit.kernel_on <- function(kernel, X, middle = median_bandwidth(X)) {
  columns <- seen_columns(kernel, X)
  # nothing is learned about ids
  if (length(columns) == 0L || is.list(kernel$wish)) return(kernel)
  part <- kernel$parts[[1L]]
  kernel$parts[[1L]] <- if (length(columns) == ncol(X)) kernel_fit(part, X, middle)
                        else kernel_fit(part, X[, columns, drop = FALSE])
  kernel
}

# Without columns all rows are alike.
#' @exportS3Method
kernel_program.kernel_on <- function(kernel, x, z) {
  columns <- seen_columns(kernel, x)
  if (length(columns) == 0L) return(kernel_program(as_kernel(1), x, z))
  part <- kernel_program(kernel$parts[[1L]], x[, columns, drop = FALSE], z[, columns, drop = FALSE])
  list(type = "columns", columns = columns - 1L, parts = list(part))
}

#' @exportS3Method
kernel_origin.kernel_on <- function(kernel, m) {
  kernel$parts[[1L]] <- kernel_origin(kernel$parts[[1L]], m[kernel$columns])
  kernel
}

#' @export
format.kernel_on <- function(x, ...) format(x$parts[[1L]])

# The columns of X that the kernel at the end of a path sees.
path_columns_of <- function(kernel, path, p) {
  columns <- seq_len(p)
  for (i in path) {
    if (!is.null(kernel$columns)) columns <- columns[kernel$columns]
    kernel <- kernel$parts[[i]]
  }
  columns
}

# The path in the kernel as the user wrote it, without kernel_on().
shown_path <- function(kernel, path) {
  shown <- logical(length(path))
  for (k in seq_along(path)) {
    shown[k] <- !inherits(kernel, c("kernel_on", "kernel_mixed"))
    kernel <- kernel$parts[[path[k]]]
  }
  path[shown]
}

# One number for each column of X, 0 where the kernel does not use it.
spread_columns <- function(value, columns, p) replace(numeric(p), columns, value)

is_placed <- function(kernel) {
  !is.null(kernel$columns) || any(vapply(kernel$parts, is_placed, NA))
}

# columns: of the data, see layout_of(); NULL undoes it.
place_kernel <- function(kernel, columns) UseMethod("place_kernel")

#' @exportS3Method
place_kernel.domgen_kernel <- function(kernel, columns) {
  if (!is.null(kernel$parts)) {
    kernel$parts <- lapply(kernel$parts, place_kernel, columns)
    return(kernel)
  }
  if (is.null(columns)) return(kernel)
  wish <- kernel_columns(kernel)[[1L]]
  seen <- granted(wish, columns)
  if (length(seen) == 0L) {
    abort("argument", "The kernel ", format(kernel), " has no predictor to act on: there are only ",
          "the ids of kernel_precomputed(). Use that kernel here too, as in ",
          "`domain_distribution(kernel_precomputed(K))`, or `domain_pooled()`.")
  }
  # a column of places among ids is not one of numbers, even where it is the only column
  whole <- length(seen) == length(columns$kind) && !is.list(wish)
  if (whole) kernel else kernel_on(kernel, wish, seen)
}

#' @exportS3Method
place_kernel.kernel_on <- function(kernel, columns) {
  if (!kernel$asked) return(place_kernel(kernel$parts[[1L]], columns))
  kernel["columns"] <- list(if (!is.null(columns)) granted(kernel$wish, columns))
  kernel
}

granted <- function(wish, columns) {
  if (!is.list(wish)) return(which(columns$kind %in% wish))
  which(vapply(columns$wish, identical, NA, wish))
}

# The wishes of the kernels of a method beyond the usual ones; NULL: none.
wished_columns <- function(args) {
  kernels <- c(list(if ("kernel" %in% names(args)) inner_object(args$kernel, "kernel")),
               describing_kernels(args$domain_kernel))
  kernels <- Filter(function(kernel) inherits(kernel, "domgen_kernel"), kernels)
  wishes <- unique(do.call(c, lapply(kernels, kernel_columns)))
  if (all(vapply(wishes, identical, NA, default_wish))) NULL else wishes
}

place_kernels <- function(args, columns) {
  if (!is.null(columns) && "kernel" %in% names(args)) {
    args$kernel <- inner_object(args$kernel, "kernel")
  }
  if (!is.null(args$kernel)) args$kernel <- place_kernel(args$kernel, columns)
  args$domain_kernel <- place_describing(args$domain_kernel, columns)
  args
}

# The kernels on x by which a domain kernel compares domains, those of its parts too.
describing_kernels <- function(between) {
  c(list(between$kernel), do.call(c, lapply(between$parts, describing_kernels)))
}

place_describing <- function(between, columns) {
  if (inherits(between$kernel, "domgen_kernel")) {
    between$kernel <- place_kernel(between$kernel, columns)
  }
  if (!is.null(between$parts)) between$parts <- lapply(between$parts, place_describing, columns)
  between
}

# The specification with its kernels at their columns, for fit_sample(); as it was with NULL.
place_spec <- function(spec, columns) UseMethod("place_spec")

#' @exportS3Method
place_spec.dg_spec <- function(spec, columns) {
  spec$args <- place_kernels(spec$args, columns)
  spec
}

#' @exportS3Method
place_spec.dg_pipeline_spec <- function(spec, columns) {
  spec$projection <- place_spec(spec$projection, columns)
  spec
}

# A kernel that was not given is the standard one.
inner_object <- function(value, arg) {
  if (is.null(value) && arg %in% c("kernel", "kernel_y")) kernel_rbf() else value
}
