# What dg_auto() fits: the best candidates of several kinds, and the mean of their decision
# values.

# The best of the best kinds; all that are asked for, unless fewer are better by more than the
# standard error: as the domains `used` say. The null model is weighed against them later
# (doubt_members()): of a few domains it is easily the best, by the shares of their classes.
# list(keys, scores by domain of the mean)
choose_members <- function(search, most, used = TRUE) {
  settled <- lapply(search$found, function(f) settle(search, f$parts, used))
  scores <- settled_scores(search, settled)
  fitted <- setdiff(colnames(scores), candidate_key(candidate(kernel = "null")))
  if (length(fitted) == 0L) fitted <- colnames(scores)
  keys <- utils::head(best_of_kinds(search, scores[used, fitted, drop = FALSE]), most)
  sums <- Reduce(`+`, lapply(keys, function(key) {
    values_at(search, search$found[[key]]$parts, settled[[key]])
  }), accumulate = TRUE)
  # of the mean of the first, of the first two, ...
  means <- score_choices(length(keys), function(k) sums[[k]] / k, search$judge)
  worse <- search_losses(search, means[used, , drop = FALSE])
  worse <- worse - worse[, which.min(colMeans(worse, na.rm = TRUE))]
  error <- apply(worse, 2L, known_error)
  error[is.na(error)] <- 0
  count <- max(which(colMeans(worse, na.rm = TRUE) <= error))
  list(keys = keys[seq_len(count)], scores = means[, count])
}

# The specification of a candidate for n rows.
member_spec <- function(search, key, n, sigma = search$found[[key]]$candidate$sigma) {
  found <- search$found[[key]]
  c <- found$candidate
  c$sigma <- sigma
  p <- ncol(search_sample(search, c$scale)$X)
  dg_ridge(lambda = found$lambda * n / length(search$sample$y), kernel = candidate_kernel(c, p),
           domain_kernel = candidate_domain_kernel(c),
           features = if (n <= exact_rows) features_exact() else features_nystrom(1000),
           offset = TRUE, scale = c$scale, threads = search$args$threads)
}

# A fitted dg_ridge() like any other; what scaling warns of was told by the search.
fit_member <- function(spec, sample) {
  sample <- quietly(scale_sample(sample, spec$args$scale))
  finish_fit(fit_sample(spec, sample), spec, sample)
}

mean_of_members <- function(members, values) {
  Reduce(`+`, lapply(members, values)) / length(members)
}

# Each member scales the rows itself.
#' @exportS3Method
decision.dg_auto <- function(object, rows) of_members(object, rows, decision)

#' @exportS3Method
support.dg_auto <- function(object, rows) of_members(object, rows, support)

of_members <- function(object, rows, of) {
  mean_of_members(object$members, function(member) {
    new <- scale_new(member$blueprint$scaling, rows$X, rows$domain, rows$reference)
    of(member, list(X = new$X, domain = rows$domain, reference = new$reference))
  })
}

#' @exportS3Method
judges_domain.dg_auto <- function(object) any(vapply(object$members, judges_domain, NA))

# As they were given.
#' @exportS3Method
training_rows.dg_auto <- function(object) {
  if (is.null(object$X)) {
    abort("argument", "`reference` cannot be \"training\": a model of more than ", exact_rows,
          " rows keeps none of them; give them as `reference`.")
  }
  list(X = object$X, domain = object$domain)
}

#' @exportS3Method
held_out_decisions.dg_auto_spec <- function(spec, sample, fitted) {
  held_out <- lapply(fitted$members, function(member) {
    scaled <- quietly(scale_sample(sample, member$spec$args$scale))
    held_out_decisions(member$spec, scaled, member)
  })
  list(values = mean_of_members(held_out, function(h) h$values), folds = held_out[[1L]]$folds)
}

# table: the mean, its members, then the others, those of the second round first.
summarise_search <- function(first, final, chosen) {
  keys <- names(final$found)[order(found_losses(final))]
  keys <- c(chosen$keys, setdiff(keys, chosen$keys))
  rest <- if (!identical(first, final)) setdiff(names(first$found), keys)
  rest <- rest[order(found_losses(first)[rest])]
  found <- c(final$found[keys], first$found[rest])
  # the first round may have seen some of the domains only
  of_first <- match(levels(final$judged), levels(first$judged))
  scores <- cbind(average = chosen$fair, found_scores(final)[, keys, drop = FALSE],
                  found_scores(first)[of_first, rest, drop = FALSE])
  rownames(scores) <- levels(final$judged)
  # in the first round from the best of it
  base <- matrix(chosen$fair, nrow(scores), ncol(scores))
  if (length(rest)) {
    best <- best_of_kinds(first)[1L]
    base[, match(rest, colnames(scores))] <- first$found[[best]]$scores[of_first]
  }
  differences <- scores - base
  of <- function(value) unname(c(NA, vapply(found, value, value(found[[1L]]))))
  table <- data.frame(
    member = c(NA, names(found) %in% chosen$keys),
    scale = of(function(f) f$candidate$scale), kernel = of(function(f) kernel_words(f$candidate)),
    domain_kernel = of(function(f) domain_kernel_words(f$candidate)),
    lambda = of(function(f) f$lambda),
    rows = rep(c(length(final$judged), length(first$judged)), c(1L + length(keys), length(rest))),
    mean = colMeans(scores, na.rm = TRUE), se = apply(scores, 2L, known_error),
    difference = colMeans(differences, na.rm = TRUE),
    difference_se = apply(differences, 2L, known_error), seconds = of(function(f) f$seconds),
    row.names = NULL
  )
  list(table = table, scores = scores)
}
