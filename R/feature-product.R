#' Feature maps for domain kernels
#'
#' @description
#' Features of the kernel \eqn{\kappa(P, P')\, k(x, x')}{kappa(P, P') k(x, x')} on pairs of a domain
#' and a row.
#'
#' | `type` | kernel k | domain kernel | number of features |
#' |---|---|---|---|
#' | `"product"` | any | any | (`rank`) x (features of `x`) |
#' | `"fourier"` | [kernel_rbf()] | Gaussian kernel of embeddings or quantiles | 2 D |
#'
#' The product usually needs fewer features; the Fourier map needs no landmarks. The Fourier map is
#' only for [domain_distribution()] and [domain_wasserstein()], both with
#' `embedding_kernel = kernel_rbf()`.
#'
#' @section Product:
#' \eqn{z(P, x) = z_P(P) \otimes z_x(x)}{z(P, x) = z_P(P) (x) z_x(x)}, all products of one feature
#' of the domain and one of x. \eqn{z_x}{z_x} is the feature map `x` of k. For \eqn{z_P}{z_P}, a
#' pivoted Cholesky factorisation of kappa of the training domains (G x G) selects landmark domains
#' \eqn{P_1, \dots, P_s}{P_1, ..., P_s}, and
#' \deqn{z_P(P) = L^{-1} (\kappa(P_1, P), \dots, \kappa(P_s, P))',}{
#'   z_P(P) = L^-1 (kappa(P_1, P), ..., kappa(P_s, P))',}
#' with \eqn{LL'}{LL'} the matrix of kappa at the landmarks. For a new domain, kappa is computed
#' from its unlabelled rows.
#'
#' The default `rank` is the smallest that leaves at most 0.1 % of the trace of kappa of the
#' training domains. It is limited to the larger of 10 and 1,000 / (features of `x`): 20 with the
#' default `x`. If this limit leaves more than 10 % of the trace, there is a warning.
#' A larger rank with fewer landmarks on x can be better for the
#' same number of features: on the synthetic domains of the MTL paper, for example, a rank of 12
#' with 21 landmarks. With [domain_multitask()] every domain needs its own landmark: set `rank`
#' to the number of training domains.
#'
#' @section Fourier:
#' Random Fourier features in two stages (MTL paper, appendix A.6.1). A domain's mean embedding
#' becomes \eqn{Z_P}{Z_P}, the mean of the Fourier features of its rows (equation 31), so that kappa
#' k is close to a Gaussian kernel of
#' \eqn{u = (Z_P/\sigma_P, x/\sigma_X)}{u = (Z_P/sigma_P, x/sigma_X)} (equation 32). Its Fourier
#' features are (equation 33)
#' \deqn{z(P, x) = D^{-1/2} (\cos v_1'u, \dots, \cos v_D'u, \sin v_1'u, \dots, \sin v_D'u),
#'   \quad v_d \sim N(0, I).}{
#'   z(P, x) = (cos v_1'u, ..., cos v_D'u, sin v_1'u, ..., sin v_D'u) / sqrt(D), v_d from N(0, I).}
#' With [domain_wasserstein()], \eqn{Z_P}{Z_P} is the vector of quantiles.
#'
#' @details
#' With [domain_distribution()], mean embeddings are represented by features of their own
#' (`embedding`). A fit then keeps no training rows other than landmarks of [features_nystrom()].
#'
#' @param type `"product"` (default) or `"fourier"`.
#' @param x Feature map of the kernel on x: [features_nystrom()] or [features_rff()]. Default
#'   `features_nystrom(50)`. Only for `type = "product"`.
#' @param rank Maximum number of landmark domains s. If `NULL` (default), as in section Product.
#'   Only for `type = "product"`.
#' @param embedding Feature map for the mean embeddings of [domain_distribution()]. If `NULL`
#'   (default), `features_nystrom(200)` for the product and `features_rff(250, orthogonal)` for the
#'   Fourier map.
#' @param n_features Number of frequencies D of the second stage, default 250. Only for
#'   `type = "fourier"`.
#' @param orthogonal If `TRUE` (default), frequencies are orthogonal in blocks, as in
#'   [features_rff()]. Only for `type = "fourier"`.
#' @return An object of class `dg_features`, for the argument `feature_map` of the methods. It holds
#'   the arguments; random numbers are drawn when the method is fitted.
#' @section Errors:
#' Arguments of the other type are errors at once. When the method is fitted, errors of class
#' `domgen_error` are: for `type = "fourier"`, another kernel than [kernel_rbf()] on x or a domain
#' kernel that is not a Gaussian kernel of mean embeddings or quantiles; for `type = "product"`, a
#' domain kernel that is zero. A default rank that leaves more than 10 % of the trace of kappa is a
#' warning of class `domgen_warning_rank`.
#' @references
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain
#' generalization by marginal transfer learning. *Journal of Machine Learning
#' Research* 22(2), 1-55.
#' @seealso [features_nystrom()], [domain_distribution()]
#' @examples
#' features_product(x = features_nystrom(40), rank = 6)
#' features_product("fourier", n_features = 250)
#' @export
features_product <- function(type = c("product", "fourier"), x = features_nystrom(50), rank = NULL,
                             embedding = NULL, n_features = 250, orthogonal = TRUE) {
  type <- check_choice(type, "type", c("product", "fourier"))
  given <- c(x = !missing(x), rank = !missing(rank), n_features = !missing(n_features),
             orthogonal = !missing(orthogonal))
  wrong <- if (type == "product") c("n_features", "orthogonal") else c("x", "rank")
  if (any(given[wrong])) {
    abort("argument", "`", wrong[given[wrong]][1L], "` is not an argument of `type = \"", type,
          "\"`.")
  }
  if (!is.null(embedding)) check_part(embedding, "embedding")
  if (type == "product") {
    if (!given[["x"]]) x$default <- TRUE
    return(new_features("product", type = type, x = check_part(x, "x"),
                        rank = if (!is.null(rank)) check_count(rank, "rank"),
                        embedding = if (is.null(embedding)) features_nystrom() else embedding))
  }
  second <- features_rff(n_features, orthogonal)
  new_features("product", type = type, n_features = second$n_features,
               orthogonal = second$orthogonal,
               embedding = if (is.null(embedding)) features_rff(250, orthogonal) else embedding)
}

check_part <- function(value, arg) {
  if (!inherits(value, "dg_features") || inherits(value, c("features_exact", "features_product"))) {
    abort("argument", "`", arg, "` must be made by `features_nystrom()` or `features_rff()`, not ",
          if (inherits(value, "dg_features")) paste0("`", class(value)[1L], "()`")
          else describe(value), ".")
  }
  value
}

#' @exportS3Method
represent.features_product <- function(feature_map, kernel, domain_kernel, rows, threads) {
  rows <- rows_of(rows, threads)
  if (feature_map$type == "fourier") {
    return(two_stage_fourier(feature_map, kernel, domain_kernel, rows))
  }
  on_x <- represent(feature_map$x, kernel, domain_pooled(), rows, threads)
  domain_kernel <- domain_kernel_fit(domain_kernel, rows, feature_map)
  map <- if (is.null(domain_kernel$kappa)) on_x$map
         else product_map(domain_kernel$kappa, feature_map$rank, on_x, format(domain_kernel))
  dim <- on_x$dim * if (is.null(domain_kernel$kappa)) 1L else length(map$domains)
  new_feature_space(feature_map, on_x$kernel, domain_kernel, map, dim, rows)
}

# domains: the landmarks among the training domains; L L' = kappa at them; left:
# the proportion of kappa's trace that the landmarks leave.
product_map <- function(kappa, rank, on_x, name) {
  trace <- sum(diag(kappa))
  # chol() warns of a deficient rank, which is no surprise here
  R <- suppressWarnings(chol(unname(kappa), pivot = TRUE, tol = 1e-8 * max(diag(kappa), 0)))
  possible <- attr(R, "rank")
  if (possible == 0L) abort("data", "The domain kernel ", name, " is 0 at all training domains.")
  left <- pmax(1 - cumsum(rowSums(R[seq_len(possible), , drop = FALSE]^2)) / trace, 0)
  s <- if (is.null(rank)) default_rank(left, on_x$dim) else min(rank, possible)
  used <- seq_len(s)
  structure(list(x = on_x$map, dim_x = on_x$dim, domains = attr(R, "pivot")[used],
                 factor = t(R[used, used, drop = FALSE]), left = left[s]), class = "product_map")
}

default_rank <- function(left, dim) {
  enough <- which(left <= 0.001)[1L]
  if (is.na(enough)) enough <- length(left)
  most <- max(10, 1000 %/% dim)
  if (enough > most && left[most] > 0.1) {
    warn("rank", most, " landmark domains leave ", signif(100 * left[most], 2), " % of the trace ",
         "of the domain kernel; `features_product(rank = ", enough, ")` leaves at most 0.1 %.")
  }
  min(enough, most)
}

# z_P of each domain, [s x G]
#' @exportS3Method
feature_table.product_map <- function(map, domain_kernel, points) {
  kappa <- training_kappa(domain_kernel, points)
  forwardsolve(map$factor, t(kappa[, map$domains, drop = FALSE]))
}

#' @exportS3Method
map_on_x.product_map <- function(map) list(map = map$x, dim = map$dim_x)

#' @exportS3Method
feature_program.product_map <- function(map, X, table = NULL) {
  list(type = "product", x = feature_program(map$x, X), table = table)
}

# Frequencies v = (a, b) on u: v'u = a'Z_P / sigma_P + b'x / sigma_X, where the
# first term is the offset of a domain.
two_stage_fourier <- function(feature_map, kernel, domain_kernel, points) {
  if (!is_gaussian(kernel)) {
    abort("argument", "`features_product(type = \"fourier\")` needs `kernel_rbf()` on x, not ",
          format(kernel), "; `type = \"product\"` takes any kernel.")
  }
  if (!is_gaussian(domain_kernel$embedding_kernel)) abort_not_gaussian(domain_kernel)
  kernel <- kernel_fit(kernel, points$X)
  domain_kernel <- domain_kernel_fit(domain_kernel, points, feature_map)
  embeddings <- domain_kernel$coordinates
  if (is.null(embeddings)) abort_not_gaussian(domain_kernel)
  p <- ncol(points$X)
  v <- draw_frequencies(feature_map, kernel_rbf(1), ncol(embeddings) + p)
  on_x <- seq_len(p)
  map <- structure(list(
    frequencies = v[on_x, , drop = FALSE] / kernel$bandwidth,
    domain_frequencies = v[-on_x, , drop = FALSE] / domain_kernel$embedding_kernel$bandwidth,
    centre = colMeans(points$X), domain_centre = colMeans(embeddings)
  ), class = c("two_stage_map", "fourier_map"))
  new_feature_space(feature_map, kernel, domain_kernel, map, 2L * feature_map$n_features, points)
}

abort_not_gaussian <- function(domain_kernel) {
  abort("argument", "`features_product(type = \"fourier\")` needs a Gaussian domain kernel ",
        "on embeddings or quantiles, such as `domain_distribution()` or ",
        "`domain_wasserstein()` with `embedding_kernel = kernel_rbf()`, not ",
        format(domain_kernel),
        "; `type = \"product\"` takes any domain kernel.")
}

# The offsets a'Z_P / sigma_P, [D x G].
#' @exportS3Method
feature_table.two_stage_map <- function(map, domain_kernel, points) {
  embeddings <- unname(domain_coordinates(domain_kernel, points))
  crossprod(map$domain_frequencies, t(embeddings) - map$domain_centre)
}

#' @export
format.features_product <- function(x, ...) {
  if (x$type == "fourier") {
    second <- features_rff(x$n_features, x$orthogonal)
    return(paste0(format(second), " of x and the domain kernel (embeddings: ", format(x$embedding),
                  ")"))
  }
  paste0("product of x (", format(x$x), ") and the domain kernel (",
         if (!is.null(x$rank)) paste0("rank ", x$rank, ", "),
         "embeddings: ", format(x$embedding), ")")
}
