# The kernel between tasks: kappa is 1 for the same domain and tau for two, or a given matrix of
# similarities between domains that are known by their names.

#' @rdname domain_distribution
#' @export
domain_multitask <- function(tau, kappa = NULL, new = NULL) {
  if (!is.null(kappa)) {
    if (!missing(tau)) {
      abort("argument", "`tau` must not be given with `kappa`, which replaces it.")
    }
    return(domain_given(kappa, new))
  }
  if (!is.null(new)) {
    abort("argument", "`new` must not be given without `kappa`: a new domain gets `tau`.")
  }
  check_given(tau, "tau")
  kernel <- new_domain_kernel("multitask")
  # a tau that is NULL is an element too
  kernel["tau"] <- list(if (!is.null(tau)) check_between(tau, "tau", 0, 1))
  kernel
}

#' @exportS3Method
domain_knows.domain_multitask <- function(kernel) "names"

#' @exportS3Method
domain_kernel_fit.domain_multitask <- function(kernel, rows, feature_map = NULL) {
  if (is.null(kernel$tau)) {
    abort("argument", "`tau` must be one number from 0 to 1; only `dg_gp()` with ",
          "`features_exact()` and two or more domains fits it.")
  }
  kernel$levels <- levels(rows$domain)
  kernel$kappa <- domain_kappa(kernel, rows)
  kernel
}

#' @exportS3Method
domain_kappa.domain_multitask <- function(kernel, rows, among = FALSE) {
  new <- levels(rows$domain)
  if (!among) warn_other_labels(new, kernel$levels)
  ifelse(outer(new, if (among) new else kernel$levels, "=="), 1, kernel$tau)
}

#' @exportS3Method
domain_parameters.domain_multitask <- function(kernel) {
  list(domain_parameter("tau", "tau", "correlation of f between domains", link = "logit",
                        open = is.null(kernel$tau)))
}

#' @exportS3Method
domain_start.domain_multitask <- function(kernel, rows, factors) {
  if (is.null(kernel$tau)) kernel$tau <- 0.5
  kernel
}

#' @exportS3Method
domain_slope.domain_multitask <- function(kernel, parameter, at, rows) 1 - diag(nrow(at$kappa))

#' @export
format.domain_multitask <- function(x, ...) {
  paste0("1 if P = P', else ", if (is.null(x$tau)) "tau" else format(x$tau), " (multi-task)")
}

# ---- a matrix of similarities, domain_multitask(kappa = ) -------------------------------------

# kappa: the matrix of all known domains; new: kappa of any other domain with these, or NULL.
domain_given <- function(kappa, new) {
  kappa <- check_kappa(kappa)
  if (!is.null(new)) {
    new <- check_number(new, "new", "finite")
    # with one more domain kappa is still to be a kernel
    bordered <- rbind(cbind(kappa, new), c(rep(new, nrow(kappa)), mean(diag(kappa))))
    check_semi_definite(bordered, function(least) {
      abort("argument", "`new` must leave `kappa` positive semi-definite when a domain is added ",
            "that is as similar to every other, and to itself as they are on average; with ",
            format(new), " its smallest eigenvalue is ", signif(least, 2), ".")
    })
  }
  kernel <- new_domain_kernel("given", given = kappa)
  kernel["new"] <- list(new)
  kernel
}

check_kappa <- function(kappa) {
  rule <- "`kappa` must be a symmetric positive semi-definite matrix with the names of the domains"
  if (!is.matrix(kappa) || !is.numeric(kappa) || nrow(kappa) != ncol(kappa) || nrow(kappa) == 0L) {
    abort("argument", rule, ", not ", describe(kappa), ".")
  }
  names <- rownames(kappa)
  if (is.null(names)) names <- colnames(kappa)
  if (is.null(names) || anyNA(names)) {
    abort("argument", rule, "; some have no name.")
  }
  if (anyDuplicated(names)) {
    abort("argument", rule, "; ", enumerate(unique(names[duplicated(names)]), quote = "\""),
          " occurs more than once.")
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

#' @exportS3Method
domain_knows.domain_given <- function(kernel) "names"

#' @exportS3Method
domain_kernel_fit.domain_given <- function(kernel, rows, feature_map = NULL) {
  names <- levels(rows$domain)
  absent <- setdiff(names, rownames(kernel$given))
  if (length(absent)) {
    abort("data", "`kappa` must have a row for every training domain; it has none for ",
          enumerate(absent, quote = "\""), ".")
  }
  kernel$levels <- names
  at <- match(names, rownames(kernel$given))
  kernel$kappa <- unname(kernel$given[at, at, drop = FALSE])
  kernel
}

# kappa of two new domains is new^2 1'K^-1 1, the least that keeps the matrix positive
# semi-definite with any number of them. With itself a new domain has the mean of the diagonal.
#' @exportS3Method
domain_kappa.domain_given <- function(kernel, rows, among = FALSE) {
  at <- known_levels(kernel, rows$domain)
  new <- is.na(at)
  others <- if (among) at else match(kernel$levels, rownames(kernel$given))
  kappa <- matrix(if (is.null(kernel$new)) NA_real_ else kernel$new, length(at), length(others))
  kappa[!new, !is.na(others)] <- kernel$given[at[!new], others[!is.na(others)]]
  if (among && any(new)) {
    # K^-1 1 by the eigenvectors that are not of rounding
    decomposition <- eigen(kernel$given, symmetric = TRUE)
    kept <- decomposition$values > 1e-10 * max(decomposition$values)
    vectors <- decomposition$vectors[, kept, drop = FALSE]
    shared <- vectors %*% (crossprod(vectors, rep(1, nrow(kernel$given))) /
                             decomposition$values[kept])
    kappa[new, new] <- kernel$new^2 * sum(shared)
    diag(kappa)[new] <- mean(diag(kernel$given))
  }
  kappa
}

# The places of the domains in kappa, NA for those that `new` stands for.
known_levels <- function(kernel, domain) {
  unseen <- setdiff(levels(domain), rownames(kernel$given))
  if (length(unseen) && is.null(kernel$new)) {
    abort("data", "`kappa` of the domain kernel has no row for ",
          enumerate(unseen, quote = "\""), "; add one, or give `domain_multitask(new = )`, the ",
          "similarity of any other domain.")
  }
  if (length(unseen)) warn_other_labels(unseen, rownames(kernel$given))
  match(levels(domain), rownames(kernel$given))
}

#' @export
format.domain_given <- function(x, ...) {
  paste0("a given matrix of ", plural(nrow(x$given), "domain"),
         if (is.null(x$new)) "" else paste0(", ", format(x$new), " for any other"),
         " (multi-task)")
}
