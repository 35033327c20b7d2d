# MTL paper, Theorems 25 and 27: how far the two-stage random Fourier features of appendix A.6.1 are
# from their kernel, by the numbers of frequencies L (of embeddings) and Q (of the product kernel),
# beside the bounds.
#
# Two rotated ellipses of n = 32 rows are the domains. x and x' are points of a grid of 7 x 7 on the
# square M = [-1, 1]^2, d = 2, of diameter r. Kernels are Gaussian: k_X and k'_X of width 0.5, k_P
# of width s_P. Features are drawn 100 times for each pair of domains.
#
#   pair      0.95 quantile over features of |kernel - features|, of the pair (x, x') with the
#             largest one: what Theorem 25 bounds for any pair
#   sup       the same of the largest difference over all pairs (x, x'): Theorem 27
#   inner     0.95 quantile of the difference between k_P and the same of embeddings' features (31):
#             what L alone is about, without Q
#   bound_25  smallest e_l + e_q for which (34) has a probability of at most 0.05
#   bound_27  the same of (39)
#   lemma_27  the same of (39) with the constants of Lemma 26
#
# independent: frequencies as in the theorems. orthogonal: the package's default, with its numbers
# and those of the authors' program.
#
# Readings of the printed text:
#   - (34) and (39) print e_l in the terms of L and define e = s_P^2 / 2 log(1 + e_l) beside it,
#     which the proof has there, by (38): so do we.
#   - Lemma 26 has the second moment of the spectral density, (39) widths: that of k'_X in the term
#     of Q and those of k_P and k_X in the term of L. bound_27 has them as printed. lemma_27 has the
#     root mean square frequency of what each term is about, sqrt(d) over the width: of k_X for Q,
#     as x alone moves, and of k'_X for L.

defaults <- c(100, 250)
widths <- list(x = 0.5, embedding = 0.5)
delta <- 0.05
rows_per_domain <- 32
square <- as.matrix(expand.grid(x1 = seq(-1, 1, length.out = 7), x2 = seq(-1, 1, length.out = 7)))
diameter <- 2 * sqrt(2)

# e_q and e that have a probability of p, by (37) and (38) in all three terms of the proof
hoeffding <- list(
  q = function(p, Q) sqrt(2 * log(2 / p) / Q),
  l = function(p, L) sqrt(2 * log(6 * rows_per_domain^2 / p) / L)
)
# by (40) and (41): factor (scale r / e)^2 exp(-D e^2 / (2 (d + 2)))
uniform_error <- function(factor, scale, d = 2) {
  function(p, D) {
    off <- function(e) log(factor / p) + 2 * log(scale * diameter / e) - D * e^2 / (2 * (d + 2))
    stats::uniroot(off, c(1e-6, 1e3), tol = 1e-10)$root
  }
}
covering <- function(scale_q, scale_l) {
  list(q = uniform_error(2^8, scale_q), l = uniform_error(3 * 2^9 * rows_per_domain^2, scale_l))
}

# e_l + e_q by the best division of delta between the two terms
smallest_error <- function(errors, L, Q, s_P) {
  total <- function(share) {
    e_l <- exp(2 / s_P^2 * errors$l((1 - share) * delta, L)) - 1
    e_l + errors$q(share * delta, Q)
  }
  stats::optimize(total, c(1e-6, 1 - 1e-6))$objective
}

bounds_of <- function(L, Q, s_P) {
  moment <- function(width) sqrt(2) / width
  c(bound_25 = smallest_error(hoeffding, L, Q, s_P),
    bound_27 = smallest_error(covering(widths$embedding, s_P * widths$x), L, Q, s_P),
    lemma_27 = smallest_error(covering(moment(widths$x), moment(widths$embedding)), L, Q, s_P))
}

# k_P of the two domains, with inner products by (30).
exact_between <- function(domains, s_P) {
  rows <- kernel_rbf(widths$embedding)
  inner <- function(a, b) mean(kernel_matrix(rows, domains[[a]], domains[[b]]))
  exp(-(inner(1, 1) + inner(2, 2) - 2 * inner(1, 2)) / (2 * s_P^2))
}

# By features that are drawn anew: k_P, and the kernel of (first domain, x) and (second domain, x')
# for all x, x' of the square.
by_features <- function(rows, cell, orthogonal) {
  map <- features_product("fourier", n_features = cell$Q, orthogonal = orthogonal,
                          embedding = features_rff(cell$L, orthogonal))
  between <- domain_distribution(kernel_rbf(widths$embedding), kernel_rbf(cell$s_P))
  space <- represent(map, kernel_rbf(widths$x), between, rows, 1L)
  at <- list(X = rbind(square, square), threads = 1L,
             domain = factor(rep(levels(rows$domain), each = nrow(square))))
  Z <- domgen:::features_at(space, at, domgen:::new_table(space, rows))
  first <- seq_len(nrow(square))
  embeddings <- domgen:::domain_coordinates(space$domain_kernel, rows)
  list(between = exp(-sum((embeddings[1L, ] - embeddings[2L, ])^2) / (2 * cell$s_P^2)),
       product = tcrossprod(Z[first, ], Z[-first, ]))
}

errors_of_features <- function(d, cell, orthogonal, repeats = 100) {
  rows <- list(X = as.matrix(d[c("x1", "x2")]), domain = d$domain, threads = 1L)
  between <- exact_between(lapply(split(d[c("x1", "x2")], d$domain), as.matrix), cell$s_P)
  exact <- between * kernel_matrix(kernel_rbf(widths$x), square, square)
  drawn <- replicate(repeats, by_features(rows, cell, orthogonal), simplify = FALSE)
  off <- vapply(drawn, function(k) abs(k$product - exact), exact)
  upper <- function(x) stats::quantile(x, 1 - delta, names = FALSE)
  c(pair = max(apply(off, 1:2, upper)), sup = upper(apply(off, 3L, max)),
    inner = upper(abs(vapply(drawn, `[[`, 0, "between") - between)))
}

experiment(
  paper = "MTL", item = "theorems 25, 27",
  title = "Error of the two-stage Fourier features against their bounds, by numbers of frequencies",
  draws = c(quick = 1, normal = 3, full = 20), minutes = c(quick = 0.1, normal = 5, full = 35),
  tolerance = c(pair = 1e-3, sup = 1e-3, inner = 1e-3, bound_25 = 1e-5),
  cells = function(size) {
    if (size == "quick") return(data.frame(s_P = c(0.3, 1), L = 100, Q = 32))
    few <- 2^(4:8)
    sizes <- rbind(data.frame(L = few, Q = 512), data.frame(L = 512, Q = c(few, 512)),
                   data.frame(L = defaults, Q = defaults))
    merge(data.frame(s_P = c(0.3, 1)), sizes)
  },
  run = function(cell, draw, data) {
    d <- simulate_ellipses(2, rows_per_domain, seed = draw)
    off <- c(errors_of_features(d, cell, orthogonal = FALSE), bounds_of(cell$L, cell$Q, cell$s_P))
    independent <- result_lines("independent", off)
    if (!cell$L %in% defaults) return(independent)
    rbind(independent, result_lines("orthogonal", errors_of_features(d, cell, orthogonal = TRUE)))
  }
)
