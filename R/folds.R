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
  check_given(domain, "domain")
  domain <- read_vector(domain, NROW(domain), "domain")
  if (anyNA(domain)) {
    abort("data", "`domain` must not have missing values; found ", sum(is.na(domain)), ".")
  }
  assign_folds(levels(factor(domain)), v, "v")
}

assign_folds <- function(levels, v, arg) {
  if (length(levels) < 2L) {
    abort("data", "Holding out domains needs at least 2 domains, not ", length(levels), ".")
  }
  fold <- if (is.null(v)) seq_along(levels) else {
    v <- check_count(v, arg, at_least = 2L)
    if (v > length(levels)) {
      abort("argument", "`", arg, "` must be at most the number of domains (", length(levels),
            "), not ", v, ".")
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
    return(assign_folds(levels(factor(domain)), folds, "folds"))
  }
  absent <- setdiff(levels(domain), names(folds))
  if (!is.numeric(folds) || anyDuplicated(names(folds)) || length(absent)) {
    abort("argument", "`folds` must be NULL, a number of folds, or made by domain_folds() with ",
          "every ",
          "domain", if (length(absent)) paste0("; missing: ", enumerate(absent, quote = "\"")), ".")
  }
  folds <- unclass(folds)[match(levels(domain), names(folds))]
  if (any(!is.finite(folds) | folds != round(folds)) || length(unique(folds)) < 2L) {
    abort("argument", "`folds` must assign the domains to at least 2 folds, by whole numbers.")
  }
  structure(folds, class = "domgen_folds")
}
