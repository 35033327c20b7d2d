# Forms of the predictors that peers of auto.R get as rows of their own: x alone; x beside x
# standardised by the rows of its domain (_both; test domains by their own, which have no labels);
# x beside the means of its domain, multilevel models' contextual effects (_means).

standardised_by_domain <- function(X, domain) {
  for (rows in split(seq_len(nrow(X)), domain, drop = TRUE)) {
    part <- X[rows, , drop = FALSE]
    spread <- apply(part, 2L, stats::sd)
    spread[is.na(spread) | spread < 1e-12] <- 1
    X[rows, ] <- sweep(sweep(part, 2L, colMeans(part)), 2L, spread, "/")
  }
  X
}

means_of_domain <- function(X, domain) {
  apply(X, 2L, function(x) stats::ave(x, domain))
}

# Columns that are constant on the training rows (standardised ones of predictors that domains
# share, say) or copies of others go.
beside <- function(task, columns) {
  more <- columns(task$X, task$domain)
  X <- cbind(task$X, more)
  keep <- apply(X, 2L, function(x) max(x) - min(x) > 1e-9)
  keep <- keep & !duplicated(signif(scale(X), 8), MARGIN = 2L)
  names <- paste0("x", seq_len(ncol(X)))
  task$new <- cbind(task$new, columns(task$new, task$new_domain))
  dimnames(X) <- list(NULL, names)
  dimnames(task$new) <- list(NULL, names)
  task$X <- X[, keep, drop = FALSE]
  task$new <- task$new[, keep, drop = FALSE]
  task
}

with_forms <- function(peers, columns, suffix) {
  forms <- lapply(peers, function(peer) function(task) peer(beside(task, columns)))
  stats::setNames(forms, paste0(names(peers), suffix))
}
