# Kernels as objects. A kernel is one file with a constructor and some of these
# methods: kernel_fit (fill in what depends on data), kernel_program (what the
# C++ core evaluates), kernel_profile (the formula in inner products and squared
# norms, used between mean embeddings), kernel_factor (a factor of its Gram
# matrix that is cheaper than the general one), kernel_columns (what it acts on
# where that is not numbers, see kernel-columns.R), kernel_points (the same of a response) and
# format. A kernel of the distance has a smaller contract: see kernel-stationary.R.
#
# The derivative of the value is kernel_rate (kernels of the distance) or
# kernel_profile_slope (of the inner product). Without it nothing is differentiated:
# bandwidths that would need it stay at the median, and the fit says so.

new_kernel <- function(name, ...) {
  structure(list(...), class = c(paste0("kernel_", name), "domgen_kernel"))
}

# Fills in a missing bandwidth from X, the scaled training rows: a multiple of `middle`.
kernel_fit <- function(kernel, X, middle = median_bandwidth(X)) UseMethod("kernel_fit")

#' @exportS3Method
kernel_fit.domgen_kernel <- function(kernel, X, middle = median_bandwidth(X)) kernel

# Values as the rows that a kernel compares [n x q]: numbers, a row of several of them, or the codes
# of classes.
kernel_points <- function(kernel, values) UseMethod("kernel_points")

#' @exportS3Method
kernel_points.domgen_kernel <- function(kernel, values) {
  if (is.matrix(values)) unname(values) else matrix(as.numeric(values), ncol = 1L)
}

# The nested list of plain numbers that the core understands. x [n x p],
# z [m x p]: needed only by kernels that are evaluated in R.
kernel_program <- function(kernel, x, z) UseMethod("kernel_program")

# What a search tries of it by default.
kernel_grid <- function(kernel) UseMethod("kernel_grid")

#' @exportS3Method
kernel_grid.domgen_kernel <- function(kernel) NULL

# k(x, x) of each row; a kernel that is evaluated in R has the whole matrix made for its diagonal.
kernel_own <- function(kernel, X) {
  unlist(lapply(kernel_blocks(kernel, nrow(X), 2^14), function(i) {
    block <- take(X, i)
    kernel_diag_(kernel_program(kernel, block, block), block)
  }))
}

# k as a function of inner products <x, z> [a x b] and squared norms, for
# kernels between mean embeddings, which have no coordinates.
kernel_profile <- function(kernel, inner, norm_x, norm_z) UseMethod("kernel_profile")

#' @exportS3Method
kernel_profile.domgen_kernel <- function(kernel, inner, norm_x, norm_z) {
  abort("argument", "`embedding_kernel` must be a function of inner products or distances, ",
        "such as ",
        "kernel_rbf(), kernel_laplace() or kernel_poly(), or a sum or product of them, not ",
        format(kernel), ".")
}

# A landmark is left out if at most this share s of the kernel's largest diagonal entry remains on
# it. Its direction multiplies rounding errors, eps in a kernel's value, by 1 / sqrt(s); without it
# the kernel loses at most s. At s = eps^(2/3) both are equally small. Predictions of a ridge from n
# rows change by about the share n s / lambda.
negligible <- .Machine$double.eps^(2 / 3)

# -2 dk/dd of a stationary kernel at d, the squared distance in bandwidths.
kernel_rate <- function(kernel, d) UseMethod("kernel_rate")

#' @exportS3Method
kernel_rate.domgen_kernel <- function(kernel, d) NULL

# The derivative of kernel_profile(kernel, inner, diag(inner), diag(inner)) when the inner
# products [G x G] change by `change`.
kernel_profile_slope <- function(kernel, inner, change) UseMethod("kernel_profile_slope")

#' @exportS3Method
kernel_profile_slope.domgen_kernel <- function(kernel, inner, change) NULL

# F with K = F F' for the rows of Y [n x 1], of as few columns as the kernel
# allows: a pivoted Cholesky factor, which for a smooth kernel has few.
kernel_factor <- function(kernel, Y) UseMethod("kernel_factor")

#' @exportS3Method
kernel_factor.domgen_kernel <- function(kernel, Y) {
  program <- kernel_program(kernel, Y, Y)
  check_overflow(kernel_diag_(program, Y), kernel)
  kernel_pivoted_cholesky_(program, Y, negligible, nrow(Y))$factor
}

# Between mean embeddings; clamped, because rounding makes small ones negative.
squared_distances <- function(inner, norm_x, norm_z) {
  pmax(outer(norm_x, norm_z, "+") - 2 * inner, 0)
}

#' @export
print.domgen_kernel <- function(x, ...) {
  cat_line("k(x, z) = ", format(x))
  bandwidths <- without_exponents(unlist(list_bandwidths(x)))
  if (length(bandwidths)) cat_line("  ", paste(bandwidths, collapse = "; "))
  invisible(x)
}

# The formula with its bandwidths, once they are known.
format_bandwidth <- function(kernel) {
  paste(c(format(kernel), unlist(list_bandwidths(kernel))), collapse = ", ")
}

list_bandwidths <- function(kernel) {
  if (!is.null(kernel$parts)) return(lapply(kernel$parts, list_bandwidths))
  if (!has_bandwidth(kernel)) return(NULL)
  bandwidth <- kernel$bandwidth
  if (is.null(bandwidth)) {
    factor <- kernel$bandwidth_factor
    paste0("bandwidth = ", if (!is.null(factor)) paste(format(factor), "times "),
           median_words(kernel))
  }
  else paste0("bandwidth = ", paste(rounded(bandwidth, 4), collapse = ", "))
}

# What an open bandwidth is a multiple of.
median_words <- function(kernel) UseMethod("median_words")

#' @exportS3Method
median_words.domgen_kernel <- function(kernel) "the median distance"

has_bandwidth <- function(kernel) "bandwidth" %in% names(unclass(kernel))

#' Gram matrix of a kernel, and median distance
#'
#' @description
#' `kernel_matrix()` evaluates a kernel on all pairs of rows.
#'
#' `median_bandwidth()` is the median Euclidean distance between pairs of rows, the default
#' bandwidth of [kernel_rbf()] and of the other kernels of the distance.
#'
#' @details
#' The Gram matrix is computed in C++, in chunks, on several threads. The result does not depend on
#' the number of threads.
#'
#' `median_bandwidth()` uses up to 1,000 rows: all of them, or rows evenly spaced in lexicographic
#' order. It depends neither on random numbers nor on the order of rows and columns. If half of the
#' pairs coincide, it is the median of the positive distances; if all do, 1. Rows coincide if they
#' are equal up to rounding: a column with a range of at most 8 * `.Machine$double.eps` times its
#' largest absolute value \eqn{a_j}{a_j} counts as constant, and a distance of at most
#' \eqn{8\epsilon\,(\sum_j a_j^2)^{1/2}}{8 eps sqrt(sum_j a_j^2)} over the other columns as 0.
#'
#' The default bandwidth between domains has a lower bound, see [domain_distribution()].
#'
#' @param kernel A kernel such as [kernel_rbf()], or a sum or product of kernels.
#' @param x Numeric matrix, n x p. A numeric data frame is converted; a vector is one column. For
#'   [kernel_mixed()] a data frame with any columns, for [kernel_precomputed()] also the vector of
#'   ids.
#' @param z Rows with the same columns as `x`, m x p. Default `x`.
#' @param threads Number of threads. If `NULL` (default), `getOption("domgen.threads", 2)`. The BLAS
#'   has its own number of threads, see [domgen_options].
#' @return `kernel_matrix()`: numeric matrix, n x m, with the kernel of row i of `x` and row j of
#'   `z` in cell (i, j); exactly symmetric without `z`. A kernel without a bandwidth uses the
#'   median distance of the rows of `z`, which stand for the training rows.
#'
#'   `median_bandwidth()`: one positive number, in the units of `x`.
#' @section Errors:
#' Non-numeric or non-finite input, different numbers of columns, bandwidths that do not match the
#' columns, and a matrix over the memory limit (see [domgen_options]) are errors.
#' @examples
#' K <- kernel_matrix(kernel_rbf(bandwidth = 2), as.matrix(iris[1:5, 1:4]))
#' K
#' kernel_matrix(kernel_rbf() + kernel_linear(), as.matrix(iris[1:3, 1:4]))
#' median_bandwidth(as.matrix(iris[, 1:4]))
#' @export
kernel_matrix <- function(kernel, x, z = NULL, threads = NULL) {
  enter_session()
  check_kernel(kernel, "kernel")
  threads <- check_threads(threads)
  input <- read_rows(kernel, x, z)
  kernel <- kernel_fit(input$kernel, if (is.null(z)) input$x else input$z)
  if (is.null(z)) gram_matrix(kernel, list(X = input$x, threads = threads))
  else cross_matrix(kernel, input$x, input$z, threads)
}

# The rows that a user gives, in the columns that the kernel uses: list(kernel, x, z).
read_rows <- function(kernel, x, z = NULL) {
  check_given(x, "x")
  wishes <- wished_columns(list(kernel = kernel))
  ids <- any(vapply(wishes, is.list, NA))
  if (is_placed(kernel) || is.null(wishes) || !is.data.frame(x) && !ids) {
    x <- check_rows(x, "x")
    if (!is.null(z)) z <- check_rows(z, "z")
    if (!is.null(z) && ncol(z) != ncol(x)) {
      abort("data", "`z` must have as many columns as `x` (", ncol(x), "), not ", ncol(z), ".")
    }
    return(list(kernel = kernel, x = x, z = z))
  }
  raw <- read_raw(read_input(list(x = complete_frame(x, "x"))), list(columns = wishes))
  if (!is.null(z)) {
    z <- quietly(replay_predictors(raw$blueprint, complete_frame(z, "z"), "z")$X,
                 "domgen_warning_new_level")
  }
  list(kernel = place_kernel(kernel, layout_of(raw$blueprint)), x = check_rows(raw$X, "x"),
       z = if (!is.null(z)) check_rows(z, "z"))
}

complete_frame <- function(x, arg) {
  frame <- if (is.null(dim(x))) data.frame(id = x) else as.data.frame(x)
  missing <- vapply(frame, function(column) sum(is.na(column)), numeric(1))
  if (any(missing > 0)) {
    abort("data", "`", arg, "`: column ", enumerate(names(frame)[missing > 0]),
          " must be finite; found ", plural(sum(missing), "missing value"), ".")
  }
  frame
}

check_rows <- function(x, arg) {
  check_given(x, arg)
  if (is.data.frame(x)) {
    x[] <- lapply(x, base_column)
    numeric <- vapply(x, function(column) {
      is_understood(column, "weights") || is.logical(column)
    }, logical(1))
    if (!all(numeric)) {
      abort("data", "`", arg, "` must have numeric columns only; ", enumerate(names(x)[!numeric]),
            if (sum(!numeric) == 1L) " is" else " are", " not.")
    }
    x <- as.matrix(x)
  }
  x <- as_numeric_matrix(x, arg, "a numeric matrix or a data frame of numbers")
  if (nrow(x) == 0L) abort("data", "`", arg, "` must have at least one row.")
  check_finite(x, paste0("`", arg, "`: column"))
  x
}

# points: see rows_of().
gram_matrix <- function(kernel, points, kappa = NULL) {
  X <- points$X
  check_memory(nrow(X))
  K <- kernel_gram_(kernel_program(kernel, X, X), X, kappa,
                    if (!is.null(kappa)) as.integer(points$domain), points$threads)
  # no value is larger than the largest of the diagonal
  check_overflow(diag(K), kernel)
  K
}

cross_matrix <- function(kernel, X, Z, threads) {
  check_memory(nrow(X), nrow(Z))
  K <- kernel_cross_(kernel_program(kernel, X, Z), X, Z, NULL, NULL, NULL, threads)
  # range() would copy the matrix
  check_overflow(c(min(K), max(K)), kernel)
  K
}

check_overflow <- function(values, kernel) {
  if (!all(is.finite(values))) {
    abort("data", "The kernel ", format(kernel), " overflows on these data; scale them first ",
          "(`scale = \"pooled\"`).")
  }
}

#' @rdname kernel_matrix
#' @export
median_bandwidth <- function(x) {
  x <- spaced_rows(check_rows(x, "x"))
  rounding <- 8 * .Machine$double.eps * column_sizes(x)
  x <- x - rep(colMeans(x), each = nrow(x))
  sizes <- column_sizes(x)
  varies <- sizes > rounding
  if (nrow(x) < 2L || !any(varies)) return(1)
  largest <- max(sizes[varies])
  middle <- median_distance_(x[, varies, drop = FALSE] / largest,
                             sqrt(sum((rounding[varies] / largest)^2)))
  # the smallest number whose reciprocal is finite
  max(middle * largest, .Machine$double.xmin)
}

# The largest absolute value of each column.
column_sizes <- function(x) vapply(seq_len(ncol(x)), function(k) max(abs(x[, k])), numeric(1))

# At most 1,000 rows, the same in whatever order rows and columns come.
spaced_rows <- function(x, most = 1000L) {
  if (nrow(x) <= most) return(x)
  ordered <- do.call(order, unname(as.data.frame(columns_by_value(x))))
  x[ordered[round(seq(1, nrow(x), length.out = most))], , drop = FALSE]
}

# The median, or if that is 0 the median of the positive distances; 0 if none is positive.
positive_median <- function(distances) {
  middle <- stats::median(distances)
  if (middle == 0 && any(distances > 0)) middle <- stats::median(distances[distances > 0])
  middle
}

# TRUE, all rows, where the core evaluates the kernel. A function in R makes several
# matrices on its way to one.
kernel_blocks <- function(kernel, n, columns) {
  if (is_custom(kernel)) blocks_of_rows(n, 4 * columns) else list(TRUE)
}

kernel_rule <- value_rule("part", levels = "domgen_kernel",
                          words = "made by a kernel function such as `kernel_rbf()`")

check_kernel <- function(value, arg) check_value(value, arg, kernel_rule)
