#' Distances between domains
#'
#' @description
#' Squared maximum mean discrepancy (MMD) of each pair of domains, the squared distance of their
#' mean embeddings, with a permutation test. With k the kernel and \eqn{x^{(i)}_a}{x_a^(i)} row a of
#' domain i,
#' \deqn{M_{ij} = \langle\mu_i, \mu_j\rangle = \frac{1}{n_i n_j} \sum_{a=1}^{n_i} \sum_{b=1}^{n_j}
#'   k(x^{(i)}_a, x^{(j)}_b),}{
#'   M_ij = <mu_i, mu_j> = 1/(n_i n_j) sum_a sum_b k(x_a^(i), x_b^(j)),}
#' \deqn{\mathrm{MMD}^2(i, j) = \lVert\mu_i - \mu_j\rVert^2 = M_{ii} + M_{jj} - 2M_{ij}.}{
#'   MMD^2(i, j) = ||mu_i - mu_j||^2 = M_ii + M_jj - 2 M_ij.}
#'
#' @details
#' M is of equation 2 and theorem 2 of the DICA paper and section 7.1 of the MTL paper. The biased
#' estimate (default) includes the pairs of a row with itself, as in the papers, and is never
#' negative. The unbiased one leaves them out and can be negative. Memory is O(n).
#'
#' @section Permutation test:
#' For each pair of domains, rows are permuted between the two; p is the proportion of permutations,
#' the data included, with a statistic at least as large as the observed one. This assumes
#' independent rows. If several rows are measurements of one object (visits of a patient), give
#' `unit`: units are then permuted with all their rows. A unit with rows in both domains exchanges
#' them between the two.
#'
#' @param x Formula `~ x1 + x2 | domain` with `data`; or a numeric matrix, n x p, or what else the
#'   kernel takes, see [kernel_matrix()].
#' @param domain Vector of length n: the domain of each row. With a formula, the domain can be given
#'   after the bar instead.
#' @param kernel A [kernel][kernel_rbf]. Its default bandwidth is the [median_bandwidth()] of `x`.
#' @param unbiased If `TRUE`, the pairs of a row with itself are left out. Default `FALSE`.
#' @param permutations Number of permutations for the p-values. Default 0: no test. They are drawn
#'   from R's generator: use [set.seed()].
#' @inheritParams kernel_matrix
#' @param data Data frame for the formula. A response before the `~` is ignored.
#' @param scale With a formula, scaling of the predictors: `"none"` (default), as for a matrix;
#'   `"pooled"`, mean 0 and variance 1 over all rows; `"rank"`, normal scores. If predictors have
#'   different units, use one of the last two; otherwise the largest determines the distances.
#' @param na.action With a formula, treatment of missing values: `na.omit` (default) leaves rows
#'   out, with a warning; `na.fail` is an error; [na.impute] imputes predictors.
#' @param unit Vector of length n, or a column of `data`: the object that each row is a measurement
#'   of. If `NULL` (default), rows are independent. Missing values are an error for a matrix; with a
#'   formula they are treated by `na.action`.
#' @return An object of class `domgen_mmd`, a list with
#'   \item{squared}{matrix, G x G, of squared distances}
#'   \item{p_value}{matrix, G x G, `NA` on the diagonal; `NULL` without permutations; not adjusted
#'     for the number of pairs (see [stats::p.adjust()])}
#'   \item{kernel}{the kernel, with its bandwidth}
#'   \item{unbiased}{the argument}
#'   \item{permutations}{the argument}
#'   \item{units}{with `unit`, the number of units}
#'   \item{labels}{with a formula, the names of its response and domain, for plots}
#' @section Errors:
#' `data` or `scale` without a formula, and missing values in `domain`, are errors. The unbiased
#' estimate for a domain with one row is `NA`, with a warning. A test without `unit` gives a warning
#' (class `domgen_warning_repeated`) if more rows are equal to others of their domain than discrete
#' predictors explain.
#' @seealso [plot()][plot.domgen_mmd], [distributional_variance()], [domain_distribution()] for the
#'   domain kernel on mean embeddings, [domain_map()] for the domains of a model
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' set.seed(1)
#' dg_mmd(x, iris$Species, kernel_rbf(bandwidth = 1), permutations = 99)
#' # with a formula; predictors in different units need scale = "pooled"
#' dg_mmd(~ conc + uptake | Type, data = as.data.frame(CO2), scale = "pooled", permutations = 99)
#' @export
dg_mmd <- function(x, domain, kernel = kernel_rbf(), unbiased = FALSE, permutations = 0,
                threads = NULL, data = NULL, scale = "none", na.action = stats::na.omit,
                unit = NULL) {
  enter_session()
  check_given(x, "x")
  input <- if (inherits(x, "formula")) {
    read_formula_domains(match.call(), parent.frame(), kernel, threads, scale)
  } else read_domains(x, domain, kernel, threads, data, scale, unit)
  unbiased <- check_flag(unbiased, "unbiased")
  permutations <- check_count(permutations, "permutations", at_least = 0L, at_most = 1e6)
  gram <- embedding_gram(input$kernel, input)
  squared <- squared_distances(gram, diag(gram), diag(gram))
  diag(squared) <- 0
  dimnames(squared) <- dimnames(gram)
  if (unbiased) squared <- unbias(squared, gram, input)
  p_value <- if (permutations > 0L) {
    once(permutation_p(squared, input, unbiased, permutations), "domgen_warning_units")
  }
  result <- list(squared = squared, p_value = p_value, kernel = input$kernel,
                 unbiased = unbiased, permutations = permutations)
  result$labels <- input$labels
  result$units <- if (!is.null(input$unit)) length(unique(input$unit))
  structure(result, class = c("domgen_mmd", "dg_result"))
}

# Leaves k(x_i, x_i) out of the averages within domains.
unbias <- function(squared, gram, input) {
  n <- tabulate(input$domain)
  if (any(n < 2L)) {
    warn("small_domain", "The unbiased distance needs two rows per domain; it is NA for ",
         enumerate(levels(input$domain)[n < 2L], quote = "\""), ".")
  }
  self <- kernel_diag_(kernel_program(input$kernel, input$X, input$X), input$X)
  self_sum <- vapply(split(self, input$domain), sum, numeric(1))
  within <- ifelse(n < 2L, NA, (diag(gram) * n^2 - self_sum) / (n * (n - 1)))
  squared <- outer(within, within, "+") - 2 * gram
  diag(squared) <- 0
  squared
}

permutation_p <- function(squared, input, unbiased, permutations) {
  warn_repeated(input$X, input$domain, input$unit)
  p <- squared
  p[] <- NA_real_
  pairs <- which(upper.tri(p), arr.ind = TRUE)
  for (pair in split(unname(pairs), row(pairs)[, 1L])) {
    observed <- squared[pair[1L], pair[2L]]
    null <- permuted_mmd(pair, input, unbiased, permutations)
    # the tiny slack keeps a permutation that equals the data from counting as less
    exceeding <- sum(null >= observed - 1e-12 * abs(observed))
    p[pair[1L], pair[2L]] <- p[pair[2L], pair[1L]] <- (1 + exceeding) / (1 + permutations)
  }
  p
}

# u'Ku for every permutation at once, u the signed weights of the rows, without
# storing K.
permuted_mmd <- function(pair, input, unbiased, permutations) {
  codes <- as.integer(input$domain)
  at <- which(codes %in% pair)
  X <- input$X[at, , drop = FALSE]
  first <- codes[at] == pair[1L]
  labels <- permuted_domains(first, input$unit[at], permutations)
  program <- kernel_program(input$kernel, X, X)
  apply_kernel <- function(A) {
    kernel_apply_(program, X, X, A, NULL, NULL, NULL, input$threads)
  }
  in_first <- labels + 0
  in_second <- 1 - in_first
  # with units, a domain's number of rows differs between permutations
  n <- rbind(colSums(in_first), colSums(in_second))
  K_first <- apply_kernel(in_first)
  K_second <- apply_kernel(in_second)
  within <- rbind(colSums(in_first * K_first), colSums(in_second * K_second))
  between <- colSums(in_first * K_second)
  if (unbiased) {
    self <- kernel_diag_(program, X)
    within <- within - rbind(colSums(in_first * self), colSums(in_second * self))
    within <- within / pmax(1, n * (n - 1))
  } else within <- within / n^2
  colSums(within) - 2 * between / (n[1L, ] * n[2L, ])
}
