#' Folds of whole domains
#'
#' Assigns domains, never rows, to folds: what is held out are domains that the
#' model has not seen.
#'
#' @param domain Vector: the domain of each row.
#' @param v Number of folds, at most the number of domains; `NULL` leaves out one
#'   domain at a time. Domains are assigned at random: use [set.seed()].
#' @return An object of class `domgen_folds`: an integer vector, the fold of each
#'   domain, named by the domains.
#' @examples
#' domain_folds(c("a", "a", "b", "c"))
#' set.seed(1)
#' domain_folds(nlme::MathAchieve$School, v = 5)
#' @export
domain_folds <- function(domain, v = NULL) {
  levels <- levels(factor(domain))
  if (length(levels) < 2L) {
    abort("data", "Holding out domains needs at least 2 domains, not ", length(levels), ".")
  }
  fold <- if (is.null(v)) seq_along(levels) else {
    v <- check_count(v, "v", at_least = 2L)
    if (v > length(levels)) {
      abort("argument", "`v` must be at most the number of domains (", length(levels), "), not ", v,
            ".")
    }
    sample(rep_len(seq_len(v), length(levels)))
  }
  structure(stats::setNames(as.integer(fold), levels), class = "domgen_folds")
}

#' @export
print.domgen_folds <- function(x, ...) {
  cat(plural(length(x), "domain"), " in ", plural(length(unique(x)), "fold"), "\n", sep = "")
  print(unclass(x))
  invisible(x)
}

# folds: NULL, a number of folds, or a named assignment of every domain.
read_folds <- function(folds, domain) {
  if (is.null(folds) || (is.numeric(folds) && length(folds) == 1L && is.null(names(folds)))) {
    return(domain_folds(domain, folds))
  }
  absent <- setdiff(levels(domain), names(folds))
  if (!is.numeric(folds) || length(absent)) {
    abort("argument", "`folds` must be NULL, a number of folds, or made by domain_folds() with every ",
          "domain", if (length(absent)) paste0("; missing: ", enumerate(absent, quote = "\"")), ".")
  }
  folds[levels(domain)]
}
