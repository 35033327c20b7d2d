#' Is a new domain like the training domains?
#'
#' @description
#' `dg_novelty()` measures from unlabelled rows how far new domains lie from the training domains.
#' Each new domain gets a distance and a p value, the rank of this distance among those of the
#' training domains. Each row gets the same two numbers. Weights show which training domains a new
#' one resembles most. If the new domain is exchangeable with the training domains, p is at most
#' \eqn{\alpha}{alpha} with a probability of at most about \eqn{\alpha}{alpha}, see
#' [domain_novelty]. Rows of a domain may depend on each other.
#'
#' @details
#' p is never below 1/(G + 1) with G training domains, so 0.05 needs 19 of them. Several new domains
#' are tested separately: p values are not adjusted. Large shifts are detected, changed correlations
#' rarely.
#'
#' @section Predictors and rows used:
#' Predictors are scaled as in the model: with `scale = "domain"`, a domain whose mean is shifted is
#' not far. If the kernel then sees means only ([kernel_linear()]), all distances are 0 and all p 1,
#' and the print says so. For a model without a kernel predictors are standardised, with
#' [kernel_rbf()] of the median bandwidth.
#'
#' With a domain kernel that uses rows, the distance of a domain uses all its rows. Otherwise, and
#' for distances of rows, at most `max_rows` rows of each domain are used. This sample is the same
#' in every call and leaves the random number generator unchanged.
#'
#' @param object A fitted learner, projection, [dg_pipeline()] or ensemble, also one from
#'   [dg_auto()] or [dg_tune()]; or a fit of [domain_learner()], alone or in a workflow.
#' @param newdata Data frame (or matrix, if the model was fitted to one) with the predictors of rows
#'   of new domains (for a workflow, before its recipe); no response is needed. Not a
#'   [row_source()].
#' @param domain Domain of each row of `newdata`, if it is not a column of it; one value if all rows
#'   are from one domain.
#' @param max_rows Maximum number of rows per domain that are compared. Default `NULL`: 10,000
#'   divided by G + 1, at least 10.
#' @param threads Number of threads. If `NULL` (default), `getOption("domgen.threads", 2)`. The BLAS
#'   has its own number of threads, see [domgen_options].
#' @param ... Must be empty.
#' @return An object of class `dg_novelty`, a list with
#'   \item{domains}{data frame, a row per new domain: `domain`, `rows` (complete ones), `distance`,
#'     `farthest` (the largest distance of a training domain, held out with the new one among the
#'     others; with as many rows, if numbers of rows differ), `p`}
#'   \item{rows}{data frame, a row per row of `newdata`: `row`, `domain`, `distance`, `p`; `NA` for
#'     rows with missing values. `NULL` if the training rows are not available}
#'   \item{resembles}{data frame, a row per new and training domain, largest weights first:
#'     `domain`, `training`, `weight`}
#'   \item{training}{number of training domains}
#'   \item{left_out}{matrix, new x training domains: distance of each training domain when it is
#'     held out, with the new domain among the others}
#'   \item{labels}{names of the response and domain variables, for plots}
#'   `summary()` prints all domains; [tidy()][tidy.domgen] gives `domains`, with `distance` as
#'   `statistic` and `p` as `p.value`.
#' @section Errors:
#' Fewer than two training domains; a model with a [fixed reference][set_reference()] or that was
#' [adapted][dg_adapt()]; `newdata` without domain or without a complete row; a model that keeps
#' neither its training rows nor the mean embeddings of their domains, or scales by domain, if the
#' data of its call are gone.
#' @seealso [domain_novelty], [plot()][plot.dg_novelty], [predict.dg_learner()], which warns of
#'   domains that are far, and its `type = "similarity"`; [domain_map()]
#' @examples
#' # in one of the new schools the status of all pupils is raised by 1.5
#' pupils <- as.data.frame(nlme::MathAchieve)
#' schools <- levels(pupils$School)
#' train <- subset(pupils, School %in% schools[seq(1, 160, 8)])
#' model <- dg_ridge(MathAch ~ SES + Sex + Minority | School, data = train, lambda = 1)
#' new <- subset(pupils, School %in% schools[c(2, 50, 100)])
#' new <- transform(new, SES = SES + 1.5 * (School == schools[100]))
#' novelty <- dg_novelty(model, new)
#' novelty
#' plot(novelty)
#' @export
dg_novelty <- function(object, newdata, domain = NULL, max_rows = NULL, threads = NULL, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(dg_novelty)))
  check_given(object, "object")
  check_given(newdata, "newdata")
  object <- inner_fit(object)
  check_fixable(object)
  if (!is.null(max_rows)) max_rows <- check_count(max_rows, "max_rows", at_least = 2L)
  threads <- check_threads(threads)
  if (nlevels(object$domain) < 2L) {
    abort("data", "`object` needs at least 2 training domains, not ", nlevels(object$domain), ".")
  }
  new <- replay(object$blueprint, newdata, domain, needs_domain = TRUE)
  if (nrow(new$X) == 0L) abort("data", "`newdata` must have at least one complete row.")
  view <- novelty_view(object, new, max_rows, threads, parent.frame())
  standing <- like_sized(domain_standing(view$kernel, view$described), view)
  domains <- data.frame(domain = levels(new$domain), rows = tabulate(new$domain), standing)
  left_out <- attr(standing, "left_out")
  dimnames(left_out) <- list(levels(new$domain), levels(object$domain))
  structure(list(domains = domains, rows = novelty_rows(view, new$ok),
                 resembles = resembled(view, levels(object$domain)),
                 training = nlevels(object$domain), left_out = left_out,
                 labels = variable_names(object$blueprint)),
            class = c("dg_novelty", "dg_result"))
}

# ---- training and new rows in the model's predictors, and the domain kernel -------------------

# list(kernel: domain kernel, fitted, with a spread; new: list(X, domain, threads) of all new rows,
# described: those that describe their domains; known: of training, NULL if only embeddings are
# left; rows: list(known, new) of those whose subsets can describe domains, as scaled() takes them:
# a function of X and domain; weighing: the domain kernel by which the model predicts, and its rows)
novelty_view <- function(model, new, max_rows, threads, env) {
  space <- described_part(model)$space
  scaling <- model$blueprint$scaling
  describes <- !is.null(space$domain_kernel$spread)
  # sums do not have the rows that would be scaled again
  seen <- novelty_training(model, describes && !by_domain(scaling$kind), env)
  unit <- if (is.null(space$kernel) && scaling$kind[1L] == "none") {
    quietly(learn_scaling(seen$X, "pooled"))
  }
  in_unit <- function(X) if (is.null(unit)) X else apply_scaling(X, unit)
  to_model <- function(X, domain) in_unit(scale_new(scaling, X, domain, NULL)$X)
  # what is scaled by domain is scaled by the rows at hand
  again <- by_domain(scaling$kind)
  scaled <- if (again) to_model else function(X, domain) X
  if (!is.null(seen)) {
    seen$X <- if (again) before_scaling(seen$X, scaling, seen$domain) else in_unit(seen$X)
    seen$threads <- threads
  }
  new <- list(X = if (again) new$X else to_model(new$X, new$domain), domain = new$domain,
              threads = threads)
  most <- if (is.null(max_rows)) max(10L, 10000L %/% (nlevels(model$domain) + 1L)) else max_rows
  in_model <- function(part) {
    if (!is.null(part)) part$X <- scaled(part$X, part$domain)
    part
  }
  thin <- list(known = thin_domains(seen, most), new = thin_domains(new, most))
  view <- list(rows = if (describes) list(known = seen, new = new) else thin, scaled = scaled,
               new = in_model(new), some = in_model(thin$new), known = in_model(thin$known),
               kernel = space$domain_kernel)
  if (!describes) {
    # the default domain kernel, on a kernel of rows that may be unfitted
    of_rows <- if (is.null(space$kernel)) kernel_rbf() else space$kernel
    view$kernel <- domain_kernel_fit(domain_distribution(of_rows), view$known)
  }
  view$described <- if (describes) view$new else view$some
  view$weighing <- if (needs_domain_rows(space$domain_kernel)) list(space$domain_kernel, view$new)
                   else view[c("kernel", "described")]
  view
}

# For a pipeline its projection, which takes the predictors.
described_part <- function(object) {
  for (part in c("base", "projection")) if (!is.null(object[[part]])) object <- object[[part]]
  object
}

# Training rows, scaled as in the model: those that it keeps, or from the data of its call.
novelty_training <- function(model, optional, env) {
  kept <- on_error(training_rows(model), function(e) NULL)
  if (NCOL(kept$X) > 0L && !is.null(kept)) return(kept[c("X", "domain")])
  on_error({
    X <- read_again(model, env)
    if (nrow(X) != length(model$domain)) abort("argument", "Some rows have no response.")
    list(X = X, domain = model$domain)
  }, function(e) {
    if (!optional) {
      abort("argument", "The training rows are not available: the model does not keep them, and ",
            "the data of its call cannot be read. ", conditionMessage(e))
    }
  })
}

# A sample of at most `most` rows of each domain, the same in each call.
thin_domains <- function(data, most) {
  if (is.null(data) || max(tabulate(data$domain)) <= most) return(data)
  parts <- split(seq_along(data$domain), data$domain)
  kept <- with_seed(1L, lapply(parts, sample_most, most))
  rows_at(data, sort(unlist(kept, use.names = FALSE)))
}

# ---- distances of rows ------------------------------------------------------------------------

novelty_rows <- function(view, ok) {
  if (is.null(view$known)) return(NULL)
  kernel <- view$kernel$kernel
  means <- known_means(kernel, view$known)
  new <- view$new
  distance <- kernel_own(kernel, new$X) + mean(means$gram) -
    2 * kernel_mean(kernel, new, view$known, means$share)
  p <- numeric(length(distance))
  all <- split(seq_along(new$domain), new$domain)
  some <- split(seq_along(view$some$domain), view$some$domain)
  # by position, because a domain may be called ""
  for (j in seq_along(all)) {
    at <- all[[j]]
    joined <- rows_at(view$some, some[[match(names(all)[j], names(some))]])
    against <- left_out_distances(kernel, view$known, means, joined)
    p[at] <- shares_beyond(distance[at], against, means$share, nrow(means$gram))
  }
  place <- match(seq_along(ok), which(ok))
  data.frame(row = seq_along(ok), domain = as.character(new$domain)[place],
             distance = distance[place], p = p[place])
}

# For the scores of training rows, before a new domain joins: list(gram of embeddings; for each row
# its weight 1 / (G n_g), k(x, x), and its mean kernel with all rows and with those of its domain).
known_means <- function(kernel, training) {
  G <- nlevels(training$domain)
  sizes <- tabulate(training$domain, G)
  share <- 1 / (G * sizes[as.integer(training$domain)])
  within <- numeric(length(share))
  for (at in split(seq_along(share), training$domain)) {
    part <- rows_at(training, at)
    within[at] <- kernel_mean(kernel, part, part, rep(1 / length(at), length(at)))
  }
  list(gram = unname(embedding_gram(kernel, training)), share = share, within = within,
       own = kernel_own(kernel, training$X), all = kernel_mean(kernel, training, training, share))
}

# |phi(x) - mu_-g|^2 of each training row x, g its domain, with mu_-g the mean of the embeddings of
# the other training domains and of the one that joins.
left_out_distances <- function(kernel, training, means, joined) {
  n <- nrow(joined$X)
  G <- nrow(means$gram)
  code <- as.integer(training$domain)
  to_new <- kernel_mean(kernel, training, joined, rep(1 / n, n))
  inner <- c(rowsum(to_new * means$share * G, code, reorder = TRUE))
  norm <- mean(kernel_mean(kernel, joined, joined, rep(1 / n, n)))
  sums <- rowSums(means$gram)
  norms <- sum(sums) - 2 * sums + diag(means$gram) + 2 * (sum(inner) - inner) + norm
  means$own - 2 * (means$all - means$within / G + to_new / G) + norms[code] / G^2
}

# sum_j w_j k(x_i, z_j) of each row x_i of points, z of others.
kernel_mean <- function(kernel, points, others, weights) {
  parts <- lapply(blocks_of_rows(nrow(points$X), nrow(others$X)), function(i) {
    X <- points$X[i, , drop = FALSE]
    kernel_apply_(kernel_program(kernel, X, others$X), X, others$X, matrix(weights), NULL, NULL,
                  NULL, points$threads)
  })
  unlist(parts)
}

# (1 + sum over domains of the proportion of rows that are as far) / (G + 1).
# training, share: of training rows.
shares_beyond <- function(distance, training, share, G) {
  order <- order(training)
  # equal rows stay equal despite rounding
  below <- findInterval(distance - 1e-9 * max(abs(training)), training[order])
  nearer <- c(0, cumsum(share[order]))[below + 1L]
  (1 + G * pmax(1 - nearer, 0)) / (1 + G)
}

# ---- resemblance ------------------------------------------------------------------------------

# Weights of training domains, which sum to 1, or are all 0 if kappa is.
resembled <- function(view, names) {
  kappa <- pmax(quietly(domain_kappa(view$weighing[[1L]], view$weighing[[2L]])), 0)
  sums <- rowSums(kappa)
  weights <- kappa / ifelse(sums > 0, sums, 1)
  order <- order(row(weights), -weights)
  data.frame(domain = rep(levels(view$new$domain), each = length(names)),
             training = names[col(weights)[order]], weight = weights[order])
}

# p of the domain of each row of newdata; NULL if the model does not predict from mean embeddings,
# or the training rows that this takes are gone.
novelty_of_rows <- function(model, newdata, domain, env) {
  space <- described_part(model)$space
  if (is.null(space$domain_kernel$spread)) return(NULL)
  p <- rep(NA_real_, NROW(newdata))
  new <- replay(model$blueprint, newdata, domain, needs_domain = TRUE)
  if (nrow(new$X) == 0L) return(p)
  view <- on_error(novelty_view(model, new, NULL, space$threads, env), function(e) NULL)
  if (is.null(view)) return(NULL)
  standing <- like_sized(domain_standing(view$kernel, view$described), view)
  p[new$ok] <- standing$p[as.integer(new$domain)]
  p
}

#' Distance and p value of a new domain
#'
#' How [dg_novelty()] measures distances of domains and rows and ranks them, and what that
#' guarantees.
#'
#' @section Definition:
#' **Distance.** Let \eqn{\mu_j} be the mean embedding of domain j of \eqn{n_j}{n_j} rows
#' ([domain_gram()]), in the kernel of the model's [domain_distribution()] or else of the model. The
#' distance of domain j is the mean over the \eqn{k = \lceil\sqrt{G + 1}\rceil}{k = ceiling(sqrt(G +
#' 1))} other domains g with the smallest
#' \deqn{d_{jg} = \frac{\lVert\mu_j - \mu_g\rVert^2}{b + s^2/n_j + s^2/n_g}}{
#'   d_jg = |mu_j - mu_g|^2 / (b + s^2/n_j + s^2/n_g)}
#' * \eqn{s^2/n}{s^2/n}: the sampling noise of n rows in a squared distance (see
#'   [domain_distribution()]). Without this division, domains with few rows would seem far.
#' * b: the median over training domains of the mean squared distance from their k nearest, less
#'   that noise.
#' * Beside a training domain with distance 0 (the same predictors by design), a distance below a
#'   tenth of the noise counts as 0.
#'
#' **p value.** The new domain joins the G training domains, and each of the G + 1 is scored against
#' all others:
#' \deqn{p = \frac{1 + \#\{g: d_g \ge d_{\mathrm{new}}\}}{G + 1}}{
#'   p = (1 + #{g: d_g >= d_new}) / (G + 1)}
#' This is full conformal prediction (Vovk, Gammerman and Shafer, 2005, section 2.2).
#'
#' **Rows.** The distance of a row x of domain j is that of its features from the mean embedding
#' \eqn{\bar\mu_{-j}}{mu_-j} of all other domains,
#' \deqn{k(x, x) - 2\langle\phi(x), \bar\mu_{-j}\rangle + \lVert\bar\mu_{-j}\rVert^2}{
#'   k(x, x) - 2 <phi(x), mu_-j> + |mu_-j|^2}
#' Its p value is \eqn{(1 + \sum_g a_g)/(G + 1)}{(1 + sum_g a_g) / (G + 1)} with the proportion
#' \eqn{a_g}{a_g} of the rows of held-out training domain g that are at least as far (hierarchical
#' conformal prediction; Lee, Barber and Willett, 2024). p values of rows of one domain are
#' dependent.
#'
#' **Resemblance.** Training domain g has the weight
#' \eqn{\kappa(P, P_g) / \sum_h \kappa(P, P_h)}{kappa(P, P_g) / sum_h kappa(P, P_h)}, with the
#' domain kernel by which the model predicts (negative values count as 0), or
#' [domain_distribution()] with its defaults if that kernel does not use rows.
#'
#' @section Guarantee and assumptions:
#' **Exchangeable domains.** If the new domain is exchangeable with the training domains, p is at
#' most \eqn{\alpha}{alpha} with probability at most \eqn{\alpha}{alpha}. This is exact if scaling,
#' bandwidths and b are given; they are estimated from the training rows, with little effect
#' (`vignette("intervals-and-novelty")`).
#'
#' **Smallest p.** p is never below 1/(G + 1), so 0.05 needs 19 training domains.
#'
#' **Several new domains** are tested separately: p values are not adjusted.
#'
#' **Unequal numbers of rows.** A domain with few rows seems farther, also because its rows may show
#' only a part of the domain (one visit of four). So if numbers of rows differ, any two domains i
#' and j of the G + 1 are compared by \eqn{m_{ij}}{m_ij} rows of each. The new domain is ranked by
#' \deqn{z_i = \frac{\sum_{j \ne i} m_{ij}^2 \, (d_{i,-j} - d_{j,-i}) / s_{ij}}{
#'   \sum_{j \ne i} m_{ij}^2},\qquad
#'   p = \frac{1 + \#\{g: z_g \ge z_{\mathrm{new}}\}}{G + 1}}{
#'   z_i = sum_j m_ij^2 (d_i,-j - d_j,-i) / s_ij / sum_j m_ij^2, p = (1 + #{g: z_g >= z_new}) / (G +
#'   1)}
#' * \eqn{d_{i,-j}}{d_i,-j}: the distance of domain i, described by \eqn{m_{ij}}{m_ij} rows, from
#'   the training domains other than i and j, described by all their rows. Where the model scales by
#'   domain, the \eqn{m_{ij}}{m_ij} rows are scaled by their own means and standard deviations.
#' * \eqn{m_{ij}}{m_ij}: the largest quantile of the numbers of training rows (in eighths, at most
#'   200 or the smallest domain) that neither domain falls short of, nor the new one; if the new
#'   domain is the smallest, all its rows.
#' * \eqn{s_{ij}}{s_ij}: standard deviation over domains of the distances by as many rows (at least
#'   five domains).
#' * Rows are drawn once. Seeds are fixed; the order of rows and columns does not matter. With other
#'   draws p would differ somewhat. The median of several draws would be small too rarely.
#'
#' Both domains of a comparison are treated alike, so that a new domain of the fewest rows is ranked
#' exactly. In general p is close to uniform. `distance` still uses all rows;
#' `left_out` and the plot show each training domain relative to it by the difference of z, in units
#' of s.
#'
#' **Models that keep no training rows** (fitted to a [row_source()], or with a feature map if the
#' data of the call are gone) are compared by the embeddings of all rows: p is then exact only for
#' equal numbers of rows, or if rows of a domain are independent, and the print says so. With
#' `scale = "domain"`, `"both"` or domain means there is an error, because rows would have to be
#' scaled again.
#'
#' @references
#' Lee, Y., Barber, R. F. and Willett, R. (2024). Distribution-free inference with hierarchical
#' data. *arXiv* 2306.06342.
#'
#' Vovk, V., Gammerman, A. and Shafer, G. (2005). *Algorithmic Learning in a Random World*.
#' Springer.
#' @seealso [dg_novelty()], `vignette("intervals-and-novelty")` with the accuracy in simulations
#' @name domain_novelty
NULL
