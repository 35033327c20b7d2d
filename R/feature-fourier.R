#' @rdname features_nystrom
#' @order 4
#' @export
features_rff <- function(n_features = 250, orthogonal = TRUE) {
  new_features("rff", n_features = check_count(n_features, "n_features"),
               orthogonal = check_flag(orthogonal, "orthogonal"))
}

#' @exportS3Method
represent.features_rff <- function(feature_map, kernel, domain_kernel, rows, threads) {
  if (uses_domain(domain_kernel)) {
    abort("argument", "`features_rff()` does not work with the domain kernel ",
          format(domain_kernel), "; use `features_product()` or `features_nystrom()`.")
  }
  kernel <- kernel_fit(kernel, rows$X)
  # the centre changes no product of features, but saves digits far from 0
  map <- structure(list(frequencies = draw_frequencies(feature_map, kernel, ncol(rows$X)),
                        centre = colMeans(rows$X)), class = "fourier_map")
  new_feature_space(feature_map, kernel, domain_kernel, map, 2 * feature_map$n_features,
                    rows_of(rows, threads))
}

# [p x D]: D draws from the spectral density of the kernel. More features than there
# is memory for a block of rows are refused before anything is drawn.
draw_frequencies <- function(feature_map, kernel, p) {
  if (!is.null(kernel$columns)) {
    W <- draw_frequencies(feature_map, kernel$parts[[1L]], length(kernel$columns))
    return(replace(matrix(0, p, ncol(W)), cbind(c(kernel$columns[row(W)]), c(col(W))), W))
  }
  spectral <- kernel_spectral(kernel)
  if (is.null(spectral)) {
    abort("argument", "`features_rff()` needs a kernel whose spectral density is known, such as ",
          "kernel_rbf(), not ", format(kernel), "; use `features_nystrom()`.")
  }
  D <- feature_map$n_features
  check_feature_memory(max(p, 2000L), 2 * D)
  W <- if (feature_map$orthogonal) orthogonal_normal(p, D) else matrix(stats::rnorm(p * D), p, D)
  sweep(W, 2L, spectral(D), "*") / kernel$bandwidth
}

# D columns, each standard normal, orthogonal in blocks of p: uniformly
# distributed directions times independent lengths of chi distribution.
orthogonal_normal <- function(p, D) {
  sizes <- c(rep(p, D %/% p), if (D %% p > 0L) D %% p)
  directions <- lapply(sizes, function(k) {
    # a random rotation: the signs make the decomposition unique, and so uniform
    decomposition <- qr(matrix(stats::rnorm(p * k), p), LAPACK = TRUE)
    signs <- ifelse(diag(qr.R(decomposition)) < 0, -1, 1)
    sweep(qr.Q(decomposition), 2L, signs, "*")
  })
  sweep(do.call(cbind, directions), 2L, sqrt(stats::rchisq(D, p)), "*")
}

#' @exportS3Method
feature_program.fourier_map <- function(map, X, table = NULL) {
  list(type = "fourier", frequencies = map$frequencies, offset = table, centre = map$centre)
}

#' @export
format.features_rff <- function(x, ...) {
  paste0("random Fourier, ", format(x$n_features, big.mark = big_mark()),
         if (x$orthogonal) " orthogonal", if (x$n_features == 1L) " frequency" else " frequencies")
}
