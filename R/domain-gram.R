# Mean embeddings of domains: their Gram matrix, distances between them, and the
# distributional variance. All in O(n) memory: the kernel values are reduced as
# they are made.

#' @rdname distributional_variance
#' @order 2
#' @export
domain_gram <- function(x, domain, kernel = kernel_rbf(), threads = NULL, data = NULL,
                        scale = "none", na.action = stats::na.omit) {
  enter_session()
  check_given(x, "x")
  input <- if (inherits(x, "formula")) {
    read_formula_domains(match.call(), parent.frame(), kernel, threads, scale)
  } else read_domains(x, domain, kernel, threads, data, scale)
  embedding_gram(input$kernel, input)
}

# The rows of a formula. call: of the function that was given it.
read_formula_domains <- function(call, env, kernel, threads, scale) {
  check_kernel(kernel, "kernel")
  scale <- check_choice(scale, "scale", c("none", "pooled", "rank"))
  given <- as.list(call)[-1L]
  given <- given[names(given) %in% data_arguments]
  # dg_mmd(~ x | d, data)
  if (is.null(given[["data"]]) && is.data.frame(eval(given[["domain"]], env))) {
    names(given)[names(given) == "domain"] <- "data"
  }
  input <- check_in_memory(evaluate_input(given, env))
  needs <- list(response = "none", domain = TRUE, columns = wished_columns(list(kernel = kernel)))
  sample <- read_sample(input, needs, scale)
  kernel <- place_kernel(kernel, layout_of(sample$blueprint))
  check_units(sample$unit)
  list(X = sample$X, domain = sample$domain, unit = sample$unit,
       kernel = kernel_fit(kernel, sample$X), threads = check_threads(threads),
       labels = variable_names(sample$blueprint))
}

read_domains <- function(x, domain, kernel, threads, data = NULL, scale = "none", unit = NULL) {
  if (!is.null(data)) {
    abort("argument", "`data` needs a formula, as in `~ x1 + x2 | domain`.")
  }
  if (!identical(scale, "none")) {
    abort("argument", "`scale` needs a formula, as in `~ x1 + x2 | domain`; scale a matrix ",
          "beforehand.")
  }
  check_kernel(kernel, "kernel")
  input <- read_rows(kernel, x)
  X <- input$x
  if (missing(domain) || is.null(domain)) {
    abort("argument", "`domain` must have one entry per row of `x` (", nrow(X), "), not NULL.")
  }
  groups <- list(domain = read_groups(domain, nrow(X), "domain"),
                 unit = read_groups(unit, nrow(X), "unit"))
  for (name in names(groups)) if (anyNA(groups[[name]])) {
    abort("data", "`", name, "` must not have missing values; found ",
          sum(is.na(groups[[name]])), ".")
  }
  check_units(groups$unit)
  list(X = X, domain = groups$domain, unit = groups$unit, kernel = kernel_fit(input$kernel, X),
       threads = check_threads(threads))
}

# Inner products of the mean embeddings of the domains of `points` with those of `other` ones.
embedding_gram <- function(kernel, points, other = NULL) {
  to <- if (is.null(other)) points else other
  if (is_custom(kernel) && nrow(points$X) * as.numeric(nrow(to$X)) > 2^22) {
    means <- blocked_means(kernel, points, to)
  } else {
    means <- kernel_means_(kernel_program(kernel, points$X, to$X), points$X,
                           as.integer(points$domain), nlevels(points$domain), other$X,
                           if (!is.null(other)) as.integer(other$domain), nlevels(to$domain),
                           points$threads)
  }
  check_overflow(means, kernel)
  dimnames(means) <- list(levels(points$domain), levels(to$domain))
  means
}

# The same for a kernel that is evaluated in R, without a matrix of all pairs.
blocked_means <- function(kernel, points, to) {
  sums <- matrix(0, nlevels(points$domain), nlevels(to$domain))
  indicator <- function(domain, i) outer(as.integer(domain)[i], seq_len(nlevels(domain)), "==") + 0
  blocks <- function(points) blocks_of_rows(nrow(points$X), 8192)
  for (i in blocks(points)) for (j in blocks(to)) {
    x <- points$X[i, , drop = FALSE]
    z <- to$X[j, , drop = FALSE]
    summed <- kernel_apply_(kernel_program(kernel, x, z), x, z, indicator(to$domain, j), NULL,
                            NULL, NULL, points$threads)
    sums <- sums + crossprod(indicator(points$domain, i), summed)
  }
  sums / outer(tabulate(points$domain, nlevels(points$domain)),
               tabulate(to$domain, nlevels(to$domain)))
}

# <mu_g, mu_g> of each domain.
embedding_norms <- function(kernel, points) {
  vapply(split(seq_len(nrow(points$X)), points$domain), function(i) {
    members <- rows_at(points, i)
    members$domain <- factor(rep(1L, length(i)))
    c(embedding_gram(kernel, members))
  }, numeric(1))
}

#' Variance of the mean embeddings of domains
#'
#' @order 1
#' @description
#' `domain_gram()` has the inner products M of the mean embeddings of domains,
#' `distributional_variance()` their variance: with k the kernel, \eqn{x^{(i)}_a}{x_a^(i)} row a of
#' domain i and G domains,
#' \deqn{M_{ij} = \langle\mu_i, \mu_j\rangle = \frac{1}{n_i n_j} \sum_{a=1}^{n_i} \sum_{b=1}^{n_j}
#'   k(x^{(i)}_a, x^{(j)}_b),}{
#'   M_ij = <mu_i, mu_j> = 1/(n_i n_j) sum_a sum_b k(x_a^(i), x_b^(j)),}
#' \deqn{V = \frac1G \mathrm{tr}(M) - \frac1{G^2}\sum_{ij} M_{ij} = \mathrm{tr}(KQ).}{
#'   V = tr(M)/G - sum_ij M_ij / G^2 = tr(KQ).}
#'
#' @details
#' V is of definition 1 and equation 4 of the DICA paper, with Q as in the glossary of
#' [domgen_options]. With a characteristic kernel, the variance of the true distributions is zero if
#' and only if all domains have the same distribution of x (theorem 1). Its estimate is positive
#' even if all distributions are equal, because rows are finite in number: it is no test. [dg_mmd()]
#' has a permutation test. The distributional variance of two domains is a quarter of their squared
#' biased MMD. Memory is O(n).
#'
#' @inheritParams dg_mmd
#' @return `domain_gram()`: a symmetric matrix, G x G, named by the domains.
#'
#'   `distributional_variance()`: one non-negative number; 0 for a single domain.
#' @section Errors:
#' `data` or `scale` without a formula, and missing values in `domain`.
#' @seealso [dg_mmd()], [dg_diagnose()]
#' @examples
#' # do chicks differ in weight between diets at the same ages?
#' distributional_variance(~ weight + Time | Diet, data = ChickWeight, scale = "pooled")
#' domain_gram(~ . | Species, data = iris, kernel = kernel_rbf(bandwidth = 1))
#' @export
distributional_variance <- function(x, domain, kernel = kernel_rbf(), threads = NULL, data = NULL,
                                    scale = "none", na.action = stats::na.omit) {
  enter_session()
  check_given(x, "x")
  call <- match.call()
  call[[1L]] <- domain_gram
  gram <- eval(call, parent.frame())
  # Definition 1; rounding can make a zero negative
  max(mean(diag(gram)) - mean(gram), 0)
}
