# A matrix of similarities between domains, known by their names: the multi-task kernel
# of domain_multitask(kappa = ).

# given: the matrix of all domains that it knows; new: of any other with them, or NULL.
domain_given <- function(kappa, new) {
  kappa <- check_kappa(kappa)
  if (!is.null(new)) check_new(check_number(new, "new", "finite"), kappa)
  kernel <- new_domain_kernel("given", given = kappa, new = new)
  if (is.null(new)) kernel["new"] <- list(NULL)
  kernel
}

check_kappa <- function(kappa) {
  rule <- "`kappa` must be a symmetric positive semi-definite matrix with the names of the domains"
  if (!is.matrix(kappa) || !is.numeric(kappa) || nrow(kappa) != ncol(kappa) || nrow(kappa) == 0L) {
    abort("argument", rule, ", not ", describe(kappa), ".")
  }
  names <- rownames(kappa)
  if (is.null(names)) names <- colnames(kappa)
  if (is.null(names) || anyNA(names) || any(names == "")) {
    abort("argument", rule, "; some have no name.")
  }
  if (anyDuplicated(names)) {
    abort("argument", rule, "; ", enumerate(unique(names[duplicated(names)]), quote = "\""),
          " is there more than once.")
  }
  if (!is.null(colnames(kappa)) && !identical(colnames(kappa), names)) {
    abort("argument", rule, "; its rows and columns have different names.")
  }
  if (any(!is.finite(kappa))) abort("argument", rule, "; it has values that are not finite.")
  largest <- max(abs(kappa))
  apart <- max(abs(kappa - t(kappa)))
  if (apart > 1e-8 * largest) {
    abort("argument", rule, "; it differs from its transpose by up to ", signif(apart, 2), ".")
  }
  kappa <- matrix((as.double(kappa) + as.double(t(kappa))) / 2, nrow(kappa),
                  dimnames = list(names, names))
  check_semi_definite(kappa, function(least) {
    abort("argument", rule, "; its smallest eigenvalue is ", signif(least, 2), ".")
  })
}

# A Cholesky decomposition is a tenth of the work of eigenvalues, which are for the message.
check_semi_definite <- function(kappa, refuse) {
  lifted <- kappa
  diag(lifted) <- diag(lifted) + 1e-8 * max(diag(kappa), 0)
  if (!inherits(try(chol(lifted), silent = TRUE), "try-error")) return(kappa)
  values <- eigen(kappa, symmetric = TRUE, only.values = TRUE)$values
  if (min(values) < -1e-8 * max(abs(values), .Machine$double.xmin)) refuse(min(values))
  kappa
}

# With one more domain kappa is still to be a kernel.
check_new <- function(new, kappa) {
  bordered <- rbind(cbind(kappa, new), c(rep(new, nrow(kappa)), mean(diag(kappa))))
  check_semi_definite(bordered, function(least) {
    abort("argument", "`new` must leave `kappa` positive semi-definite when a domain is added ",
          "that is as similar to every other, and to itself as they are on average; with ",
          format(new), " its smallest eigenvalue is ", signif(least, 2), ".")
  })
  new
}

#' @exportS3Method
domain_kernel_fit.domain_given <- function(kernel, X, domain, threads, features = NULL) {
  absent <- setdiff(levels(domain), rownames(kernel$given))
  if (length(absent)) {
    abort("data", "`kappa` must have a row for every training domain; it has none for ",
          enumerate(absent, quote = "\""), ".")
  }
  kernel$levels <- levels(domain)
  kernel$kappa <- unname(kernel$given[levels(domain), levels(domain), drop = FALSE])
  kernel
}

#' @exportS3Method
domain_kernel_new.domain_given <- function(kernel, X, domain, threads) {
  known <- known_levels(kernel, domain)
  kappa <- matrix(if (is.null(kernel$new)) NA_real_ else kernel$new, nlevels(domain),
                  length(kernel$levels))
  kappa[!is.na(known), ] <- kernel$given[known[!is.na(known)], kernel$levels]
  kappa
}

# The names of the domains in kappa, NA for those that `new` stands for.
known_levels <- function(kernel, domain) {
  unseen <- setdiff(levels(domain), rownames(kernel$given))
  if (length(unseen) && is.null(kernel$new)) {
    abort("data", "`kappa` of the domain kernel says nothing of ",
          enumerate(unseen, quote = "\""), "; give it a row for every domain, or ",
          "`domain_multitask(new = )`, the similarity of any other domain.")
  }
  ifelse(levels(domain) %in% unseen, NA, levels(domain))
}

# An unseen domain is as similar to itself as those in kappa are on average.
#' @exportS3Method
kappa_own.domain_given <- function(kernel, X, domain, threads) {
  known <- known_levels(kernel, domain)
  own <- rep(mean(diag(kernel$given)), length(known))
  own[!is.na(known)] <- diag(kernel$given)[known[!is.na(known)]]
  unname(own)
}

# Two unseen domains are alike as far as what they share with those in kappa makes them:
# new^2 1'K^-1 1, the least that keeps any number of them positive semi-definite.
#' @exportS3Method
kappa_among.domain_given <- function(kernel, X, domain, threads) {
  known <- known_levels(kernel, domain)
  names <- rownames(kernel$given)
  kappa <- matrix(0, length(known), length(known))
  new <- is.na(known)
  kappa[!new, !new] <- kernel$given[known[!new], known[!new]]
  if (any(new)) {
    shared <- kernel$new^2 * sum(pseudo_solve(kernel$given, rep(1, length(names))))
    kappa[new, ] <- kappa[, new] <- kernel$new
    kappa[new, new] <- shared
    diag(kappa)[new] <- kappa_own(kernel, X, domain, threads)[new]
  }
  kappa
}

pseudo_solve <- function(A, b) {
  decomposition <- eigen(A, symmetric = TRUE)
  kept <- decomposition$values > 1e-10 * max(decomposition$values)
  vectors <- decomposition$vectors[, kept, drop = FALSE]
  vectors %*% (crossprod(vectors, b) / decomposition$values[kept])
}

#' @exportS3Method
judges_rows.domain_given <- function(kernel) FALSE

#' @export
format.domain_given <- function(x, ...) {
  paste0("a given matrix of ", plural(nrow(x$given), "domain"),
         if (is.null(x$new)) "" else paste0(", ", format(x$new), " for any other"),
         " (multi-task)")
}
