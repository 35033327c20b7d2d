#' Is a new domain like those of training?
#'
#' @description
#' A model learns from domains what domains are like. `dg_novelty()` says of new ones, by their
#' unlabelled rows, how far they lie from those of training, as a rank among these, each left out in
#' turn; the same of each row; and which training domains a new one resembles most. Its p takes the
#' domains of training for exchangeable with each other; rows of a domain may depend on each other,
#' if they do in all domains alike.
#'
#' @details
#' **Distance of a domain.** With \eqn{\mu_j} the mean embedding of domain j ([domain_gram()]), in
#' the kernel of the model's [domain_distribution()] or else of the model, the distance of j is the
#' mean over the \eqn{k = \lceil\sqrt{G + 1}\rceil}{k = ceiling(sqrt(G + 1))} other domains g that
#' are nearest by
#' \deqn{d_{jg} = \frac{\lVert\mu_j - \mu_g\rVert^2}{b + s^2/n_j + s^2/n_g},}{
#'   d_jg = |mu_j - mu_g|^2 / (b + s^2/n_j + s^2/n_g),}
#' where \eqn{s^2/n}{s^2/n} is what sampling n rows adds to a squared distance (see
#' [domain_distribution()]), and b the median over training domains of the mean squared distance
#' from the k nearest, without that noise; `print()` has the median and range of the left-out
#' training domains. Without the division a domain of few rows would seem far for that reason alone.
#' Less than a tenth of the noise counts as 0: domains that have the same predictors by design do
#' not differ.
#'
#' **The rank p.** A new domain joins the G of training, and each of the G + 1 is scored against all
#' others:
#' \deqn{p = \frac{1 + \#\{g: d_g \ge d_{\mathrm{new}}\}}{G + 1}.}{
#'   p = (1 + #{g: d_g >= d_new}) / (G + 1).}
#' If the new domain is one more of the same kind (exchangeable with those of training), p is at
#' most \eqn{\alpha}{alpha} with probability at most \eqn{\alpha}{alpha}: full conformal prediction
#' (Vovk, Gammerman and Shafer, 2005, section 2.2). That is exact where scaling, bandwidths and b
#' are given; learned on the training rows they move it by little (see Accuracy). p is never below
#' 1/(G + 1): 19 training domains are the fewest that can give 0.05. Each new domain is judged
#' alone; of many, some have a small p by chance.
#'
#' **Domains of other sizes.** A domain seen in one visit lies farther out than those seen in four.
#' Where numbers of rows differ, and the kernel keeps its rows (no feature map), the new domain is
#' compared with training domain g by n rows of either, at most those that there are, where n is its
#' own number or, if that is less, the median of training; more than 200 count as 200. Rows are
#' drawn at random 3 to 20 times (the more often, the fewer are drawn), and the draw whose rank is
#' the median counts; seeds are fixed, and the order of rows and columns does not matter.
#' \eqn{d_g}{d_g} and \eqn{d_{\mathrm{new}}}{d_new} of this pair are both to the other G - 1
#' training domains, so that if the two are of the same kind either
#' is as likely the farther one; p is counted as above (and at most \eqn{\alpha}{alpha} with
#' probability at most \eqn{2 \alpha}{2 alpha} in the worst case: Barber et al., 2021, theorem 1;
#' about \eqn{\alpha}{alpha} in simulations). `distance` uses
#' all rows; `left_out` and the plot show each training domain as far beyond it, or before it, as in
#' the draw that counts.
#'
#' **Rows.** The distance of a row x of domain j is that of its features from the mean embedding
#' \eqn{\bar\mu_{-j}}{mu_-j} of all other domains,
#' \eqn{k(x, x) - 2\langle\phi(x), \bar\mu_{-j}\rangle + \lVert\bar\mu_{-j}\rVert^2}{
#' k(x, x) - 2 <phi(x), mu_-j> + |mu_-j|^2}. Its p is the share of rows of left-out training domains
#' that are at least as far, each domain weighing the same:
#' \eqn{p = (1 + \sum_g \mathrm{share}_g)/(G + 1)}{p = (1 + sum_g share_g) / (G + 1)} (hierarchical
#' conformal prediction; Lee, Barber and Willett, 2024). Rows of one domain share its fate: their p
#' are not independent.
#'
#' **What is resembled.** The weights of the training domains g are
#' \eqn{\kappa(P, P_g) / \sum_h \kappa(P, P_h)}{kappa(P, P_g) / sum_h kappa(P, P_h)} by the kernel
#' between domains by which the model predicts (negative values count as 0); of a model without one
#' that looks at rows, by [domain_distribution()] with its defaults.
#'
#' **What a model sees.** Predictors are as the model scales them: with `scale = "domain"` a domain
#' that moved is not far. A model without a kernel is described by [kernel_rbf()] of the median
#' bandwidth on predictors that are standardised.
#'
#' **Rows that are looked at.** With a domain kernel that looks at rows, the distance of a domain is
#' from all of its rows; else from at most `max_rows` rows of each domain, as are the distances of
#' rows (each row of `newdata` has one). A sample is the same in every call, and leaves R's random
#' numbers as they were.
#'
#' @section Accuracy:
#' With 20 training domains in seven simulated worlds (`tests/bench/results/novelty.txt`, 200
#' replications each) p was at most 0.05 for 2 to 6 of 100 domains of the same kind by world, for 51
#' to 100 whose first predictor had moved by two standard deviations, and for 38 to 86 where it
#' varied three times as much, but only 6 to 10 where domains lie about two centres far apart. A
#' correlation that alone has changed is hardly seen (4 to 9). No exchangeable domain of these 1,400
#' was warned of by `predict()`. Of new domains of 1, 3 and 100 rows among training domains of 20,
#' and of 3 and 150 among those of 4 to 150, p was at most 0.05 for 6, 3, 6, 2 and 8 of 100 of the
#' same kind (400 replications each), and for 28, 52, 87, 55 and 88 that had moved by two standard
#' deviations.
#' @param model A fitted model: a learner, projection, [dg_pipeline()], ensemble, of [dg_auto()] or
#'   [dg_tune()].
#' @param newdata Rows of new domains, without labels, like those of [predict.dg_learner()].
#' @param domain Domain of each row of `newdata`, when it is not a column of it; one value if all
#'   rows are from one domain.
#' @param max_rows At most so many rows of a domain are compared with each other; `NULL`: as many as
#'   make 10,000 in all, at least 10.
#' @inheritParams kernel_matrix
#' @return An object of class `dg_novelty`, a list with
#'   \item{domains}{data frame, one line per new domain: `domain`, `rows` (complete ones),
#'     `distance`, `farthest` (the largest distance of a training domain, with the new one among the
#'     others, or where sizes differ by as many rows), `p`}
#'   \item{rows}{data frame, one line per row of `newdata`: `row`, `domain`, `distance`, `p`; `NA`
#'     where a row has missing values; `NULL` of a model whose training rows cannot be had again}
#'   \item{resembles}{data frame, one line per new and training domain, those with large weights
#'     first: `domain`, `training`, `weight`}
#'   \item{training}{number of training domains}
#'   \item{left_out}{their distances, each left out in turn with a new domain among the others:
#'     matrix, new x training domains}
#'   \item{labels}{the names of the variables, for pictures}
#' @section Errors:
#' Fewer than two training domains; a model with a [fixed reference][set_reference()] or that was
#' [adapted][dg_adapt()]; `newdata` without domain; a model that has kept neither its training rows
#' nor the mean embeddings of their domains, and was not fitted by a call whose data are still
#' there.
#' @references
#' Barber, R. F., Candes, E. J., Ramdas, A. and Tibshirani, R. J. (2021). Predictive inference with
#' the jackknife+. *Annals of Statistics* 49(1), 486-507.
#'
#' Lee, Y., Barber, R. F. and Willett, R. (2024). Distribution-free inference with hierarchical
#' data. *arXiv* 2306.06342.
#'
#' Vovk, V., Gammerman, A. and Shafer, G. (2005). *Algorithmic Learning in a Random World*.
#' Springer.
#' @seealso [plot.dg_novelty()], [predict.dg_learner()], which warns of domains that are far, and
#' its `type = "similarity"`; [domain_map()]
#' @examples
#' # schools; in one of the new ones the status of all pupils is 1.5 higher than it was
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
dg_novelty <- function(model, newdata, domain = NULL, max_rows = NULL, threads = NULL) {
  check_given(model, "model")
  check_given(newdata, "newdata")
  check_fixable(model)
  if (!is.null(max_rows)) max_rows <- check_count(max_rows, "max_rows", at_least = 2L)
  threads <- check_threads(threads)
  if (nlevels(model$domain) < 2L) {
    abort("data", "`model` must have at least 2 training domains, not ", nlevels(model$domain), ".")
  }
  new <- replay(model$blueprint, newdata, domain, needs_domain = TRUE)
  if (nrow(new$X) == 0L) abort("data", "`newdata` must have at least one complete row.")
  view <- novelty_view(model, new, max_rows, threads, parent.frame())
  standing <- like_sized(domain_standing(view$kernel, view$described), view$kernel, view$described)
  domains <- data.frame(domain = levels(new$domain), rows = tabulate(new$domain), standing)
  left_out <- attr(standing, "left_out")
  dimnames(left_out) <- list(levels(new$domain), levels(model$domain))
  structure(list(domains = domains, rows = novelty_rows(view, new$ok),
                 resembles = resembled(view, levels(model$domain)),
                 training = nlevels(model$domain), left_out = left_out,
                 labels = variable_names(model$blueprint)),
            class = c("dg_novelty", "dg_result"))
}

# ---- the rows of both sides in the model's predictors, and the kernel that describes domains --

# list(kernel: between domains, fitted, with a spread; new: list(X, domain, threads) of all new
# rows, described: those by which it judges their domains; known: of training, NULL where only
# embeddings are left; weighing: the kernel by which the model predicts, and the rows it takes)
novelty_view <- function(model, new, max_rows, threads, env) {
  space <- described_part(model)$space
  describes <- !is.null(space$domain_kernel$spread)
  both <- list(known = novelty_training(model, describes, env),
               new = list(X = scale_new(model$blueprint$scaling, new$X, new$domain, NULL)$X,
                          domain = new$domain))
  if (is.null(space$kernel) && model$blueprint$scaling$kind[1L] == "none") {
    unit <- quietly(learn_scaling(both$known$X, "pooled"))
    both <- lapply(both, function(rows) {
      rows$X <- apply_scaling(rows$X, unit)
      rows
    })
  }
  both <- lapply(both, function(rows) if (!is.null(rows)) c(rows, list(threads = threads)))
  most <- if (is.null(max_rows)) max(10L, 10000L %/% (nlevels(model$domain) + 1L)) else max_rows
  known <- thin_domains(both$known, most)
  some <- thin_domains(both$new, most)
  kernel <- space$domain_kernel
  if (!describes) {
    # the default kernel between domains, of one on rows that may be open
    of_rows <- if (is.null(space$kernel)) kernel_rbf() else space$kernel
    kernel <- domain_kernel_fit(domain_distribution(of_rows), known)
  }
  view <- list(kernel = kernel, new = both$new, some = some, known = known,
               described = if (describes) both$new else some)
  view$weighing <- if (needs_domain_rows(space$domain_kernel)) list(space$domain_kernel, both$new)
                   else view[c("kernel", "described")]
  view
}

# Of a pipeline the projection, which sees the predictors.
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
  kernel <- described_part(model)$space$domain_kernel
  if (is.null(kernel$spread)) return(NULL)
  p <- rep(NA_real_, NROW(newdata))
  new <- replay(model$blueprint, newdata, domain, needs_domain = TRUE)
  if (nrow(new$X) == 0L) return(p)
  new$X <- scale_new(model$blueprint$scaling, new$X, new$domain, NULL)$X
  new$threads <- described_part(model)$space$threads
  standing <- like_sized(domain_standing(kernel, new), kernel, new)
  p[new$ok] <- standing$p[as.integer(new$domain)]
  p
}
