# Calls every function of the C++ core at odd sizes: for valgrind and the sanitizers. A function
# that is not called is an error.
library(domgen)
core <- asNamespace("domgen")
exports <- grep("^[a-z0-9_]+_$", ls(core), value = TRUE)
exports <- Filter(function(name) is.function(core[[name]]) &&
                    any(grepl(".Call", deparse(body(core[[name]])), fixed = TRUE)), exports)
called <- character()
for (name in exports) local({
  name <- name
  f <- core[[name]]
  assign(name, function(...) {
    called <<- union(called, name)
    # for .ci/core-arguments.R, of each function some calls
    if (exists("recorded") && length(recorded[[name]]) < 7L) {
      args <- list(...)
      names(args) <- names(formals(f))[seq_along(args)]
      recorded[[name]] <<- c(recorded[[name]], list(args))
    }
    invisible(f(...))
  }, globalenv())
})

numbers <- function(n, p, seed) matrix(sin(seed + seq_len(n * p)^1.3), n)
n <- 67L
X <- numbers(n, 3L, 1)
Z <- numbers(5L, 3L, 2)
codes <- rep_len(1:3, n)
kappa <- matrix(0.4, 3, 3) + diag(0.6, 3)
rbf <- list(type = "rbf", inv = 0.7)
mixed <- list(type = "normalise", part = list(type = "sum", parts = list(
  list(type = "product", parts = list(rbf, list(type = "laplace", inv = c(1, 2, 0.5)))),
  list(type = "linear"), list(type = "poly", degree = 3, gamma = 1, coef0 = 1)
)))
kernels <- c(
  list(mixed, list(type = "delta"), list(type = "exponential", inv = 0.3),
       list(type = "anova", inv = c(1, 2, 0.5), degree = 2)),
  lapply(outer(c("rbf", "laplace", "matern3", "matern5", "cauchy"), c("", "_rate", "_slope"),
               paste0), function(type) list(type = type, inv = 1))
)
for (threads in 1:3) for (kernel in kernels) kernel_gram_(kernel, X, kappa, codes, threads)
one <- X[1L, , drop = FALSE]
kernel_gram_(rbf, one, NULL, NULL, 2L)
kernel_gram_(list(type = "given", values = diag(n), diag_x = rep(1, n), diag_z = rep(1, n)), X,
             NULL, NULL, 2L)
kernel_cross_(mixed, X, Z, kappa, codes, rep_len(1:3, 5L), 2L)
kernel_apply_(mixed, X, Z, numbers(5L, 3L, 4), NULL, NULL, NULL, 2L)
kernel_diag_(mixed, X)
group_squares_(X, c(1, 2, 0.5), rep_len(c(0, 1, 2), n), codes, 4L)
for (threads in 1:3) variance_of_means_(t(X), cbind(codes, rev(codes)), 4L, threads)
kernel_means_(mixed, X, codes, 3L, NULL, NULL, 0L, 2L)
kernel_means_(rbf, X, codes, 3L, Z, c(1L, 2L, 1L, 2L, 2L), 2L, 2L)
kernel_pivoted_cholesky_(rbf, X, 1e-12, n)
median_distance_(X, 0)
old_blas_kernels_()
old_blas_kernels_("Prescott")
neighbour_graph_(X, 4L, 2L)

K <- kernel_gram_(rbf, X, kappa, codes, 1L)
products <- list(program = mixed, X = X, kappa = kappa, domain = codes, threads = 2L)
gram_product_(structure(products, class = "gram_products"), numbers(n, 2L, 3))
factor <- t(chol(kernel_gram_(rbf, Z, NULL, NULL, 1L) + diag(1e-6, 5)))
maps <- list(
  list(type = "landmarks", kernel = rbf, landmarks = Z, factor = factor),
  list(type = "fourier", frequencies = numbers(3L, 7L, 5), offset = numbers(7L, 3L, 6)),
  list(type = "product", x = list(type = "fourier", frequencies = numbers(3L, 7L, 5)),
       table = numbers(2L, 3L, 7)),
  list(type = "given", values = numbers(4L, n, 8))
)
F <- numbers(n, 2L, 8)
for (map in maps) for (block in c(0L, 16L)) {
  Zx <- feature_rows_(map, X, codes, 2L, block)
  Zt <- feature_columns_(map, X, codes, 2L, block)
  feature_apply_(map, X, codes, numbers(ncol(Zx), 3L, 9), 2L, block)
  moments <- feature_moments_(map, X, codes, codes, 3L, F, rep_len(c(0, 1, 2), n), 2L, TRUE, block)
  r <- ncol(Zx)
  sums <- list2env(list(second = matrix(0, r^2, 3L), cross = matrix(0, r * ncol(F), 3L),
                        response = matrix(0, ncol(F)^2, 3L)))
  feature_group_moments_(map, X, codes, sort(codes), rep_len(c(0, 1, 2), n), F, 3L, sums, 2L, block)
  feature_group_sum_(sums$second, r, c(3L, 1L))
}
set.seed(1)
feature_pivots_(rbf, X, kappa, codes, 20L, 1e-10, 1e-6, TRUE, 1L, 2L)

none <- matrix(0, 0, 3)
terms <- list(covariance = FALSE, norm = 1, ridge = 0.1, total = 0, numerator_plus = none,
              denominator_plus = diag(3), denominator_minus = none, spread = diag(3) - 1 / 3,
              within = 0.1, smooth = 0, centred = TRUE, ncomp = 2, normalise = "constraint")
change <- function(...) utils::modifyList(terms, list(...))
graph <- list(from = 1:5, to = 2:6, weight = rep(1, 5))
cases <- list(change(), change(normalise = "whiten"),
              change(total = 1 / n, ncomp = 40), change(covariance = TRUE, within = 0),
              change(total = 1 / n, denominator_plus = none, within = 0, ridge = 0),
              change(total = 1 / n, numerator_plus = diag(3), smooth = 1))
for (case in cases) {
  published <- case$normalise == "constraint"
  data <- list(response = if (case$total == 0 && published) F, domain = if (case$covariance) F,
               numerator = if (!published) F, denominator = if (!case$covariance) F,
               labelled = rep(1, n), graph = if (case$smooth > 0) graph)
  projection_gram_(K + 0, case, codes, 3L, data, 2L)
}
projection_gram_(K + 0, terms, codes, 3L, list(response = F, labelled = rep(1, n)), 2L,
                 c(0.1, 1, 10))
sums <- c(moments[c("n", "second", "sums", "counts")], list(
  labelled = as.numeric(table(codes)), response = moments$cross,
  response_second = moments$response_second, denominator = moments$cross,
  labelled_second = moments$labelled_second
))
projection_features_(terms, sums)
projection_features_(terms, sums, c(0.1, 1))

big <- function(K, copies) kronecker(diag(copies), K) + 0.01
wide <- big(K, 3L)  # more than a panel of the inverse, of the band form, of a strip
Y <- numbers(nrow(wide), 2L, 10)
ridge <- rep(0.5, nrow(wide))
sizes <- c(1L, 60L, 100L, nrow(wide) - 161L)
ridge_solve_(wide + 0, Y, ridge)
ridge_solve_(wide, Y, ridge)  # a copy, as the matrix has a name
ridge_conjugate_(wide, ridge_landmarks_(wide, 5L), cbind(ridge, ridge), Y, matrix(0, 1L, 2L), TRUE,
                 1e-10, 1, 50L)
local({
  n <- nrow(Y)
  time <- rep_len(as.numeric(4:1), n)
  for (entry in list(NULL, time - rep_len(c(1, 3), n))) {
    plan <- cox_plan_(time, rep_len(c(1L, 1L, 0L), n), entry, rep_len(1:2, n), ridge)
    plan <- plan[setdiff(names(plan), c("ends", "part"))]
    cox_state_(plan, Y[, 1L])
    cox_at_risk_(plan, ridge)
    cox_while_at_risk_(plan, plan$deaths)
    cox_fit_(t(Y), FALSE, plan, ridge, c(1, 2), 1e-10, 1e-20, 50L, 20L)
  }
})
ridge_inverse_(wide + 0, ridge)
ridge_lodo_(wide + 0, Y, ridge, sizes, numbers(4L, 2L, 11), TRUE, rep(1, nrow(wide)))
ridge_path_(wide, 0, Y, sqrt(ridge), c(0.1, 1), sizes, matrix(0, 4, 2), TRUE, 1e-8, 100, 2L)
# few rows and many, with costs and without
ridge_without_(t(X), X[, 1:2], rep_len(c(1, 0, 2), n), c(2L, n - 2L), crossprod(X, X[, 1:2]),
               matrix(9 * n, 3L, 2L), 2L)
local({
  Y <- X[, c(1:2, 1:2)]
  root <- rep_len(c(1, 0, 2), n)
  sizes <- c(2L, n - 2L)
  sums <- ridge_group_sums_(t(X), Y, root, sizes, 2L)
  groups <- sums[c("second", "cross")]
  known <- list(second = sums$all_second, groups = groups)
  errors <- function(known, combine) {
    ridge_without_errors_(t(X), Y, root, sizes, sums$all_cross, matrix(9 * n, 3L, 2L), 2L, 1L,
                          root^2, combine, known, 2L)
  }
  for (parts in list(NULL, known)) errors(parts, matrix(1, 2L, 3L))
  errors(c(known, list(squares = groups)), NULL)
})
ridge_shifted_(wide + 0, Y, c(0.1, 1), 2L)
ridge_many_(wide + 0, Y, sqrt(ridge), c(0.1, 1), TRUE, 2L)
pair_slopes_(F, F, list(type = "matern5_rate", inv = 1), c(1, 2, 3), X, kappa, codes, 2L)
pair_cells_(F, F, mixed, X, codes, 3L, 2L)

memory <- new.env()
for (call in 1:2) fitted <- gp_factor_(memory, rbf, X, kappa, codes, rep(0.1, n), F[, 1], 2L)
gp_inverse_(memory, n)
gp_slopes_(memory$A, fitted$alpha, 1.3, X, kappa, codes,
           list(list(program = list(type = "rbf_slope", inv = 1), inv = NULL),
                list(program = rbf, inv = c(1, 2, 3))), rbf, 2L)

s <- sign(F[, 1])
smo_(K, seq_len(n), s, rep(-1, n), rep(1, n), rep(0, n), TRUE, 1e-3, 1e5, NULL)
smo_(K, rep(seq_len(n), 2L), rep(c(1, -1), each = n), c(0.1 - F[, 1], 0.1 + F[, 1]), rep(5, 2L * n),
     rep(0, 2L * n), FALSE, 1e-3, 1e5, rep(0, 2L * n))
linear_svm_(Zt, s, rep(0, n), pmin(s, 0), pmax(s, 0), rep(0, n), TRUE, 1e-3, 1e4, 7, 2L)
linear_svm_(Zt, F[, 1], rep(0.1, n), rep(-2, n), rep(2, n), rep(0.1, n), FALSE, 1e-3, 1e4, 7, 2L)

md5_numbers_(c(1, NA, -0))
md5_texts_(c("a", NA, "", "longer than eight"))
part_shapes_(list(a = 1:2, b = list(c(NA, Inf), "c", threads = 2L), c = factor("d"),
                  d = matrix(NA, 2)), function(value, path) path)
odd_code_(quote(f(x, function(u = 1) u[2, ])))
odd_code_(as.call(list(sum, 1)))
ready_blas_()
bytes <- charToRaw("1,a\n2,\"b\"\"\n,c\"\n\n3")
for (last in c(TRUE, FALSE)) for (fields in 0:2) cut_rows_(bytes, ",", fields, last, Inf)
cut_rows_(raw(), ",", 2L, TRUE, 1)
cut_rows_(as.raw(c(49, 0, 10)), ",", 1L, TRUE, Inf)

if (length(setdiff(exports, called))) stop("never called: ", toString(setdiff(exports, called)))
cat(length(called), "functions were called\n")
