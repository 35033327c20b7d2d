# Mean embeddings of domains: their Gram matrix, distances between them, and the
# distributional variance. All in O(n) memory: the kernel values are reduced as
# they are made.

#' Gram matrix of the domains' mean embeddings
#'
#' \deqn{G_{ij} = \frac{1}{n_i n_j} \sum_{k=1}^{n_i} \sum_{l=1}^{n_j}
#'   k(x^{(i)}_k, x^{(j)}_l)}{G_ij = 1/(n_i n_j) sum_k sum_l k(x_k^(i), x_l^(j))}
#' the inner products of the empirical mean embeddings (DICA paper, equation 2
#' and theorem 2; MTL paper, section 7.1). The pairs of a row with itself are
#' included, as in the papers. Needs O(n) memory.
#'
#' @param x A formula `~ x1 + x2 | domain` with `data`; or a numeric matrix, n x p, or what else the
#'   kernel takes, see [kernel_matrix()].
#' @param domain Vector of length n: the domain of each row. With a formula it may stand behind the
#'   bar.
#' @param kernel A [kernel][kernel_rbf]; without a bandwidth it takes the
#'   [median_bandwidth()] of `x`.
#' @inheritParams kernel_matrix
#' @param data Data frame for the formula. A response before the `~` is ignored.
#' @param scale Of a formula: `"none"`, the predictors as they are, as of a matrix; `"pooled"`, each
#'   with mean 0 and variance 1 over all rows; `"rank"`, to normal scores. Predictors in different
#'   units need one of the last two, else the median distance is that of the largest.
#' @param na.action Of a formula: what to do with missing values, as in the other methods.
#' @return `domain_gram()`: a symmetric matrix, G x G, named by the domains.
#' @seealso [dg_mmd()], [distributional_variance()], [domain_distribution()]
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' domain_gram(x, iris$Species, kernel_rbf(bandwidth = 1))
#' domain_gram(~ . | Species, data = iris, kernel = kernel_rbf(bandwidth = 1))
#' @export
domain_gram <- function(x, domain, kernel = kernel_rbf(), threads = NULL, data = NULL,
                        scale = "none", na.action = stats::na.omit) {
  check_given(x, "x")
  input <- if (inherits(x, "formula")) {
    read_formula_domains(match.call(), parent.frame(), kernel, threads, scale)
  } else read_domains(x, domain, kernel, threads, data, scale)
  embedding_gram(input$kernel, input)
}

# The rows of a formula, of the call of the function that was given it.
read_formula_domains <- function(call, env, kernel, threads, scale) {
  check_kernel(kernel, "kernel")
  scale <- check_choice(scale, "scale", c("none", "pooled", "rank"))
  given <- as.list(call)[-1L]
  given <- given[names(given) %in% data_arguments]
  # dg_mmd(~ x | d, data)
  if (is.null(given[["data"]]) && is.data.frame(eval(given[["domain"]], env))) {
    names(given)[names(given) == "domain"] <- "data"
  }
  input <- evaluate_input(given, env)
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
    abort("argument", "`scale` needs a formula, as in `~ x1 + x2 | domain`; a matrix is taken as ",
          "it is.")
  }
  check_kernel(kernel, "kernel")
  rows <- read_rows(kernel, x)
  X <- rows$x
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
  list(X = X, domain = groups$domain, unit = groups$unit, kernel = kernel_fit(rows$kernel, X),
       threads = check_threads(threads))
}

# Inner products of the mean embeddings of the domains of `rows` with those of `other` ones.
embedding_gram <- function(kernel, rows, other = NULL) {
  to <- if (is.null(other)) rows else other
  if (is_custom(kernel) && nrow(rows$X) * as.numeric(nrow(to$X)) > 2^22) {
    means <- blocked_means(kernel, rows, to)
  } else {
    means <- kernel_means_(kernel_program(kernel, rows$X, to$X), rows$X, as.integer(rows$domain),
                           nlevels(rows$domain), other$X,
                           if (!is.null(other)) as.integer(other$domain), nlevels(to$domain),
                           rows$threads)
  }
  check_overflow(means, kernel)
  dimnames(means) <- list(levels(rows$domain), levels(to$domain))
  means
}

# The same for a kernel that is evaluated in R, of which no matrix of all pairs is made.
blocked_means <- function(kernel, rows, to) {
  sums <- matrix(0, nlevels(rows$domain), nlevels(to$domain))
  indicator <- function(domain, i) outer(as.integer(domain)[i], seq_len(nlevels(domain)), "==") + 0
  blocks <- function(rows) blocks_of_rows(nrow(rows$X), 8192)
  for (i in blocks(rows)) for (j in blocks(to)) {
    x <- rows$X[i, , drop = FALSE]
    z <- to$X[j, , drop = FALSE]
    summed <- kernel_apply_(kernel_program(kernel, x, z), x, z, indicator(to$domain, j), NULL,
                            NULL, NULL, rows$threads)
    sums <- sums + crossprod(indicator(rows$domain, i), summed)
  }
  sums / outer(tabulate(rows$domain, nlevels(rows$domain)),
               tabulate(to$domain, nlevels(to$domain)))
}

# <mu_g, mu_g> of each domain.
embedding_norms <- function(kernel, rows) {
  vapply(split(seq_len(nrow(rows$X)), rows$domain), function(i) {
    own <- rows_at(rows, i)
    own$domain <- factor(rep(1L, length(i)))
    c(embedding_gram(kernel, own))
  }, numeric(1))
}

#' Distributional variance of a set of domains
#'
#' The variance of the domains' mean embeddings in the feature space of the
#' kernel,
#' \deqn{V = \frac1G \mathrm{tr}(G) - \frac1{G^2}\sum_{ij} G_{ij} = \mathrm{tr}(KQ)}{
#'   V = tr(G)/G - sum_ij G_ij / G^2 = tr(KQ)}
#' (DICA paper, definition 1 and equation 4), from [domain_gram()] in O(n)
#' memory. With a characteristic kernel it is zero only if all domains have the
#' same distribution of x (theorem 1). With a finite number of rows it is
#' positive even then; [dg_mmd()] tests for a difference.
#'
#' @inheritParams domain_gram
#' @return One non-negative number; 0 for a single domain.
#' @examples
#' distributional_variance(as.matrix(iris[, 1:4]), iris$Species, kernel_rbf(bandwidth = 1))
#' # do chicks differ in weight between diets at the same ages?
#' distributional_variance(~ weight + Time | Diet, data = ChickWeight, scale = "pooled")
#' @export
distributional_variance <- function(x, domain, kernel = kernel_rbf(), threads = NULL, data = NULL,
                                    scale = "none", na.action = stats::na.omit) {
  check_given(x, "x")
  call <- match.call()
  call[[1L]] <- domain_gram
  gram <- eval(call, parent.frame())
  # Definition 1; rounding can make a zero negative
  max(mean(diag(gram)) - mean(gram), 0)
}
