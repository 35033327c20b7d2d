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
  factored <- on_error(!is.null(chol(lifted)), function(e) FALSE)
  if (factored) return(kappa)
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
domain_knows.domain_given <- function(kernel) "names"

#' @exportS3Method
domain_kernel_fit.domain_given <- function(kernel, rows, features = NULL) {
  names <- levels(rows$domain)
  absent <- setdiff(names, rownames(kernel$given))
  if (length(absent)) {
    abort("data", "`kappa` must have a row for every training domain; it has none for ",
          enumerate(absent, quote = "\""), ".")
  }
  kernel$levels <- names
  kernel$kappa <- unname(kernel$given[names, names, drop = FALSE])
  kernel
}

# Two unseen domains are alike as far as what they share with those in kappa makes them:
# new^2 1'K^-1 1, the least that keeps any number of them positive semi-definite. An unseen domain
# is as similar to itself as those in kappa are on average.
#' @exportS3Method
domain_kappa.domain_given <- function(kernel, rows, among = FALSE) {
  known <- known_levels(kernel, rows$domain)
  new <- is.na(known)
  others <- if (among) known else kernel$levels
  kappa <- matrix(if (is.null(kernel$new)) NA_real_ else kernel$new, length(known), length(others))
  kappa[!new, !is.na(others)] <- kernel$given[known[!new], others[!is.na(others)]]
  if (among && any(new)) {
    kappa[new, new] <- kernel$new^2 * sum(pseudo_solve(kernel$given, rep(1, nrow(kernel$given))))
    diag(kappa)[new] <- mean(diag(kernel$given))
  }
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
  if (length(unseen)) warn_other_labels(unseen, rownames(kernel$given))
  ifelse(levels(domain) %in% unseen, NA, levels(domain))
}

pseudo_solve <- function(A, b) {
  decomposition <- eigen(A, symmetric = TRUE)
  kept <- decomposition$values > 1e-10 * max(decomposition$values)
  vectors <- decomposition$vectors[, kept, drop = FALSE]
  vectors %*% (crossprod(vectors, b) / decomposition$values[kept])
}

#' @export
format.domain_given <- function(x, ...) {
  paste0("a given matrix of ", plural(nrow(x$given), "domain"),
         if (is.null(x$new)) "" else paste0(", ", format(x$new), " for any other"),
         " (multi-task)")
}
