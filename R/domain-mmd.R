#' Maximum mean discrepancy between domains
#'
#' The distance between mean embeddings, for each pair of domains:
#' \deqn{\mathrm{MMD}^2(i, j) = \lVert\mu_i - \mu_j\rVert^2 = G_{ii} + G_{jj} - 2G_{ij}.}{
#'   MMD^2(i, j) = ||mu_i - mu_j||^2 = G_ii + G_jj - 2 G_ij.}
#' The biased estimate includes the pairs of a row with itself, as in the
#' papers, and is never negative; the unbiased one leaves them out and can be.
#' Two domains' distributional variance is a quarter of their squared biased
#' MMD. The permutation test exchanges rows between the two domains of a pair
#' and counts how often the statistic is at least as large as observed. It takes rows for
#' independent of each other; where several rows are of one object (visits of a patient) give
#' `unit`: then it takes the units, with all their rows, for independent, and exchanges these. A
#' unit with rows in both domains exchanges them between the two.
#'
#' @inheritParams domain_gram
#' @param unit Vector of length n, or a column of `data`: the object that each row is a measurement
#'   of. `NULL`: each row is of its own. Missing values are errors, with a formula as in
#'   predictors.
#' @param unbiased Leave out the pairs of a row with itself?
#' @param permutations Number of permutations for the p-values; 0 for none.
#'   The permutations are drawn from R's generator: use [set.seed()].
#' @return An object of class `domgen_mmd`: a list with
#'   \item{squared}{matrix, G x G, of squared distances}
#'   \item{p_value}{matrix, G x G, `NA` on the diagonal; `NULL` without permutations; not adjusted
#'     for the number of pairs (see [stats::p.adjust()])}
#'   \item{kernel, unbiased, permutations}{as used}
#'   \item{units}{with `unit`, the number of units}
#'   \item{labels}{of a formula, the names of its response and domain, for plots}
#' @section Errors:
#' An unbiased estimate for a domain of one row is `NA`, with a warning. A test without `unit` warns
#' (class `domgen_warning_repeated`) where more rows are equal to others of their domain than
#' discrete predictors explain.
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' set.seed(1)
#' dg_mmd(x, iris$Species, kernel_rbf(bandwidth = 1), permutations = 99)
#' # the same of a formula; other units need scale = "pooled"
#' dg_mmd(~ . | Species, data = iris, kernel = kernel_rbf(bandwidth = 1))
#' dg_mmd(~ conc + uptake | Type, data = as.data.frame(CO2), scale = "pooled", permutations = 99)
#' @export
dg_mmd <- function(x, domain, kernel = kernel_rbf(), unbiased = FALSE, permutations = 0,
                threads = NULL, data = NULL, scale = "none", na.action = stats::na.omit,
                unit = NULL) {
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
    warn("small_domain", "The unbiased distance needs two rows a domain; NA for ",
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
  rows <- which(codes %in% pair)
  X <- input$X[rows, , drop = FALSE]
  first <- codes[rows] == pair[1L]
  labels <- permuted_domains(first, input$unit[rows], permutations)
  program <- kernel_program(input$kernel, X, X)
  apply_kernel <- function(A) {
    kernel_apply_(program, X, X, A, NULL, NULL, NULL, input$threads)
  }
  in_first <- labels + 0
  in_second <- 1 - in_first
  # of units the rows of a domain are not as many in each permutation
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
