# The terms of which numerators and denominators of projections are sums: each a
# quadratic form in the scores f of the training rows. Most are scatters of means:
# of domains, of classes, of classes within domains. With m the means of f over
# cells (a cell is the rows of one class in one domain), such a term is
# |plus m|^2 - |minus m|^2 + within * (sum of f_i^2 over labelled rows).

# domain: factor; class: factor or NULL, NA where a row has no label. Rows without
# a label form cells of their own.
row_cells <- function(domain, class = NULL) {
  class <- if (is.null(class)) rep(1L, length(domain)) else as.integer(class)
  domain <- as.integer(domain)
  class_code <- ifelse(is.na(class), 0L, class)
  key <- domain + (max(domain) + 1) * class_code
  first <- which(!duplicated(key))
  first <- first[order(key[first])]
  code <- match(key, key[first])
  list(code = code, table = data.frame(domain = domain[first], class = class[first],
                                       count = tabulate(code, length(first))))
}

# Weights [groups x cells] that turn means of cells into means of their groups.
group_weights <- function(table, by) {
  groups <- sort(unique(by[!is.na(by)]))
  belongs <- outer(groups, by, function(g, b) !is.na(b) & g == b)
  weighted <- sweep(belongs, 2L, table$count, "*")
  weighted / rowSums(weighted)
}

group_counts <- function(table, by) as.vector(tapply(table$count, by, sum))

# Rows minus their mean.
deviations <- function(M, weights = rep(1 / nrow(M), nrow(M))) {
  sweep(M, 2L, colSums(weights * M))
}

# m_sj - (mean over the domains that have class j), as rows, with the class and domain of each.
conditional_deviations <- function(table) {
  labelled <- which(!is.na(table$class))
  m <- diag(nrow(table))[labelled, , drop = FALSE]
  class <- table$class[labelled]
  for (j in unique(class)) m[class == j, ] <- deviations(m[class == j, , drop = FALSE])
  list(rows = m, class = class, domain = table$domain[labelled])
}

# MDA's class means u_j, in which domains weigh the same (paper, equation 9), and
# their mean [C x cells], [1 x cells].
balanced_class_means <- function(table) {
  labelled <- !is.na(table$class)
  classes <- sort(unique(table$class[labelled]))
  size <- tapply(ifelse(labelled, table$count, 0), table$domain, sum)
  share <- ifelse(labelled, table$count / as.vector(size[as.character(table$domain)]), 0)
  weights <- sweep(outer(classes, table$class, function(j, c) !is.na(c) & j == c), 2L, share, "*")
  list(means = weights / rowSums(weights), overall = colSums(weights) / sum(weights))
}

# One function per term, from the table of cells to list(plus, minus, within), of which a term may
# lack some.
scatter_terms <- list(
  # f'Qf, the distributional variance (DICA paper, definition 1)
  domains = function(table) {
    means <- group_weights(table, table$domain)
    list(plus = deviations(means) / sqrt(nrow(means)))
  },
  # the squared MMD, averaged over pairs of domains: L of TCA's equation for two
  domain_pairs = function(table) {
    means <- group_weights(table, table$domain)
    G <- nrow(means)
    list(plus = if (G > 1L) deviations(means) * sqrt(2 / (G - 1)) else means[0L, , drop = FALSE])
  },
  # sum_j n_j (m_j - m)^2
  between = function(table) {
    n_j <- group_counts(table, table$class)
    means <- group_weights(table, table$class)
    list(plus = sqrt(n_j) * deviations(means, n_j / sum(n_j)))
  },
  # sum_j sum_{i in j} (f_i - m_j)^2 = sum_i f_i^2 - sum_j n_j m_j^2
  within = function(table) {
    n_j <- group_counts(table, table$class)
    list(within = 1, minus = sqrt(n_j) * group_weights(table, table$class))
  },
  # sum_j (1/G) sum_s (m_sj - m_j)^2, over the domains that have class j (CIDG)
  conditional = function(table) {
    deviation <- conditional_deviations(table)
    domains <- tapply(deviation$domain, deviation$class, length)
    list(plus = deviation$rows / sqrt(as.vector(domains[as.character(deviation$class)])))
  },
  # (1/G) sum_s (p_s - p)^2, p_s = (1/C) sum_j m_sj (CIDG); where domain s lacks
  # class j, m_sj is the mean over the other domains
  prior = function(table) {
    deviation <- conditional_deviations(table)
    classes <- length(unique(deviation$class))
    p <- rowsum(deviation$rows, deviation$domain) / classes
    list(plus = p / sqrt(length(unique(table$domain))))
  },
  # the mean of (m_sj - m_s'j)^2 over pairs of domains with class j (MDA, equation 6)
  class_domain_pairs = function(table) {
    deviation <- conditional_deviations(table)
    domains <- tapply(deviation$domain, deviation$class, length)
    pairs <- sum(domains * (domains - 1) / 2)
    weight <- as.vector(domains[as.character(deviation$class)]) / max(pairs, 1)
    list(plus = sqrt(weight) * deviation$rows)
  },
  # the mean of (u_j - u_j')^2 over pairs of classes (MDA, equation 11)
  class_pairs = function(table) {
    u <- balanced_class_means(table)$means
    list(plus = deviations(u) * sqrt(2 / (nrow(u) - 1)))
  },
  # (1/n) sum_j n_j (u_j - u)^2 (MDA, equation 15)
  class_spread = function(table) {
    u <- balanced_class_means(table)
    share <- group_counts(table, table$class)
    list(plus = sqrt(share / sum(share)) * sweep(u$means, 2L, u$overall))
  },
  # (1/n) sum_j sum_{i in j} (f_i - u_j)^2 = (1/n) (sum_i f_i^2 - sum_j n_j m_j^2 +
  # sum_j n_j (m_j - u_j)^2) (MDA, equation 18)
  balanced_within = function(table) {
    share <- group_counts(table, table$class)
    n <- sum(share)
    means <- group_weights(table, table$class)
    list(within = 1 / n, minus = sqrt(share / n) * means,
         plus = sqrt(share / n) * (means - balanced_class_means(table)$means))
  }
)

# The same divided by the number of labelled rows.
averaged <- function(term) function(table) {
  scatter <- term(table)
  n <- sum(table$count[!is.na(table$class)])
  sides <- intersect(c("plus", "minus"), names(scatter))
  scatter[sides] <- lapply(scatter[sides], function(M) M / sqrt(n))
  if (!is.null(scatter$within)) scatter$within <- scatter$within / n
  scatter
}

scatter_terms$average_between <- averaged(scatter_terms$between)

scatter_terms$average_within <- averaged(scatter_terms$within)

# They do not look at classes.
domain_terms <- c("domains", "domain_pairs")

# They are differences, and cannot be what a projection maximises.
minus_terms <- c("within", "average_within", "balanced_within")

# The names of the terms: sums, as in the papers, or averages.
class_scatters <- function(average) {
  c(between = if (average) "average_between" else "between",
    within = if (average) "average_within" else "within")
}

# A weight beside class terms that are sums over rows matters from about n upwards.
beside_class_scatters <- function(n, args) (if (isTRUE(args$average)) 1 else n) * 10^(-2:2)

# terms: named coefficients; those without a scatter are the engine's own.
sum_scatters <- function(terms, table) {
  total <- list(plus = matrix(0, 0L, nrow(table)), minus = matrix(0, 0L, nrow(table)), within = 0)
  for (name in intersect(names(terms), names(scatter_terms))) {
    weight <- terms[[name]]
    if (weight == 0) next
    term <- scatter_terms[[name]](table)
    for (side in intersect(c("plus", "minus"), names(term))) {
      total[[side]] <- rbind(total[[side]], sqrt(weight) * term[[side]])
    }
    total$within <- total$within + weight * sum(term$within)
  }
  # a single domain has no deviations: the term is not there
  for (side in c("plus", "minus")) {
    total[[side]] <- total[[side]][rowSums(total[[side]] != 0) > 0, , drop = FALSE]
  }
  total
}
