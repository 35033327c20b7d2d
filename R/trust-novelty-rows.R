# What dg_novelty() compares: the rows of both sides in the model's predictors, and the kernel that
# describes their domains.

# list(kernel: between domains, fitted, with a spread; new: list(X, domain, threads) of all new
# rows, described: those by which it judges their domains; known: of training, NULL where only
# embeddings are left; weighing: the kernel by which the model predicts, and the rows it takes)
novelty_view <- function(model, new, max_rows, threads, env) {
  product <- described_part(model)$product
  describes <- !is.null(product$domain_kernel$spread)
  both <- list(known = novelty_training(model, describes, env),
               new = list(X = scale_new(model$blueprint$scaling, new$X, new$domain, NULL)$X,
                          domain = new$domain))
  if (is.null(product$kernel) && model$blueprint$scaling$kind[1L] == "none") {
    both <- standardised(both)
  }
  both <- lapply(both, function(rows) if (!is.null(rows)) c(rows, list(threads = threads)))
  most <- if (is.null(max_rows)) max(10L, 10000L %/% (nlevels(model$domain) + 1L)) else max_rows
  known <- thin_domains(both$known, most)
  some <- thin_domains(both$new, most)
  kernel <- if (describes) product$domain_kernel else described_by(product$kernel, known)
  view <- list(kernel = kernel, new = both$new, some = some, known = known,
               described = if (describes) both$new else some)
  view$weighing <- if (judges_rows(product$domain_kernel)) list(product$domain_kernel, both$new)
                   else view[c("kernel", "described")]
  view
}

# The default kernel between domains, of one on rows that may be open.
described_by <- function(kernel, known) {
  domain_kernel_fit(domain_distribution(if (is.null(kernel)) kernel_rbf() else kernel), known)
}

standardised <- function(both) {
  unit <- quietly(learn_scaling(both$known$X, "pooled"))
  lapply(both, function(rows) {
    rows$X <- apply_scaling(rows$X, unit)
    rows
  })
}

# Of a chain the projection, which sees the predictors.
described_part <- function(object) {
  for (part in c("base", "projection")) if (!is.null(object[[part]])) object <- object[[part]]
  object
}

# As the model scales them: those that it keeps, or of the data of its call.
novelty_training <- function(model, optional, env) {
  kept <- on_error(training_rows(model), function(e) NULL)
  if (NCOL(kept$X) > 0L && !is.null(kept)) return(kept[c("X", "domain")])
  on_error(list(X = read_again(model, env), domain = model$domain), function(e) {
    if (!optional) {
      abort("argument", "`model` must keep its training rows, or be fitted by a call whose data ",
            "are still there: ", conditionMessage(e))
    }
  })
}

# At most so many rows of each domain, drawn the same way in each call.
thin_domains <- function(rows, most) {
  if (is.null(rows) || max(tabulate(rows$domain)) <= most) return(rows)
  parts <- split(seq_along(rows$domain), rows$domain)
  kept <- with_seed(1L, lapply(parts, function(i) {
    if (length(i) > most) sort(i[sample.int(length(i), most)]) else i
  }))
  rows_at(rows, sort(unlist(kept, use.names = FALSE)))
}

# ---- distances of rows ------------------------------------------------------------------------

novelty_rows <- function(view, ok) {
  if (is.null(view$known)) return(NULL)
  kernel <- view$kernel$kernel
  known <- known_means(kernel, view$known)
  new <- view$new
  distance <- kernel_own(kernel, new$X) + mean(known$gram) -
    2 * kernel_mean(kernel, new, view$known, known$share)
  p <- numeric(length(distance))
  all <- split(seq_along(new$domain), new$domain)
  some <- split(seq_along(view$some$domain), view$some$domain)
  # by places, as no list knows an element called ""
  for (j in seq_along(all)) {
    rows <- all[[j]]
    joined <- rows_at(view$some, some[[match(names(all)[j], names(some))]])
    against <- left_out_distances(kernel, view$known, known, joined)
    p[rows] <- shares_beyond(distance[rows], against, known$share, nrow(known$gram))
  }
  place <- match(seq_along(ok), which(ok))
  data.frame(row = seq_along(ok), domain = as.character(new$domain)[place],
             distance = distance[place], p = p[place])
}

# What the scores of training rows need, whichever domain joins: list(gram of embeddings; of each
# row its share, 1 / (G n_g), k(x, x), and its mean kernel with all rows and with those of its
# domain).
known_means <- function(kernel, known) {
  G <- nlevels(known$domain)
  sizes <- tabulate(known$domain, G)
  share <- 1 / (G * sizes[as.integer(known$domain)])
  within <- numeric(length(share))
  for (rows in split(seq_along(share), known$domain)) {
    own <- rows_at(known, rows)
    within[rows] <- kernel_mean(kernel, own, own, rep(1 / length(rows), length(rows)))
  }
  list(gram = unname(embedding_gram(kernel, known)), share = share, within = within,
       own = kernel_own(kernel, known$X), all = kernel_mean(kernel, known, known, share))
}

# |phi(x) - mu_-g|^2 of each training row x, g its domain, with mu_-g the mean of the embeddings of
# the other training domains and of the one that joins.
left_out_distances <- function(kernel, known, means, joined) {
  n <- nrow(joined$X)
  G <- nrow(means$gram)
  code <- as.integer(known$domain)
  to_new <- kernel_mean(kernel, known, joined, rep(1 / n, n))
  inner <- c(rowsum(to_new * means$share * G, code, reorder = TRUE))
  norm <- mean(kernel_mean(kernel, joined, joined, rep(1 / n, n)))
  sums <- rowSums(means$gram)
  norms <- sum(sums) - 2 * sums + diag(means$gram) + 2 * (sum(inner) - inner) + norm
  means$own - 2 * (means$all - means$within / G + to_new / G) + norms[code] / G^2
}

# sum_j w_j k(x_i, z_j) of each row x_i of rows, z of others.
kernel_mean <- function(kernel, rows, others, weights) {
  parts <- lapply(blocks_of_rows(nrow(rows$X), nrow(others$X)), function(i) {
    X <- rows$X[i, , drop = FALSE]
    kernel_apply_(kernel_program(kernel, X, others$X), X, others$X, matrix(weights), NULL, NULL,
                  NULL, rows$threads)
  })
  unlist(parts)
}

# (1 + sum over domains of the share of rows that are as far) / (G + 1).
# known, share: of training rows.
shares_beyond <- function(distance, known, share, G) {
  order <- order(known)
  # rounding does not part a row from its double
  below <- findInterval(distance - 1e-9 * max(abs(known)), known[order])
  nearer <- c(0, cumsum(share[order]))[below + 1L]
  (1 + G * pmax(1 - nearer, 0)) / (1 + G)
}

# ---- which domains it resembles ---------------------------------------------------------------

# Weights of training domains that make 1, or are all 0 where kappa is.
resembled <- function(view, names) {
  kappa <- pmax(quietly(domain_kappa(view$weighing[[1L]], view$weighing[[2L]])), 0)
  sums <- rowSums(kappa)
  weights <- kappa / ifelse(sums > 0, sums, 1)
  order <- order(row(weights), -weights)
  data.frame(domain = rep(levels(view$new$domain), each = length(names)),
             training = names[col(weights)[order]], weight = weights[order])
}

# p of the domain of each row of newdata, NULL where the model does not predict by mean embeddings:
# then it is not at hand.
novelty_of_rows <- function(model, newdata, domain) {
  kernel <- described_part(model)$product$domain_kernel
  if (is.null(kernel$spread)) return(NULL)
  p <- rep(NA_real_, NROW(newdata))
  new <- replay(model$blueprint, newdata, domain, needs_domain = TRUE)
  if (nrow(new$X) == 0L) return(p)
  new$X <- scale_new(model$blueprint$scaling, new$X, new$domain, NULL)$X
  new$threads <- described_part(model)$product$threads
  standing <- like_sized(domain_standing(kernel, new), kernel, new)
  p[new$ok] <- standing$p[as.integer(new$domain)]
  p
}
