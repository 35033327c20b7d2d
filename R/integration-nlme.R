# Integration with nlme and lme4: their generics of mixed models.

#' @exportS3Method nlme::fixef
fixef.dg_mixed <- function(object, ...) coef(object)

# As lme4 has them: a data frame for each group.
#' @exportS3Method nlme::ranef
ranef.dg_mixed <- function(object, ...) {
  enter_session()
  check_sealed(object)
  by_group(object, function(terms) {
    as.data.frame(do.call(cbind, lapply(terms, `[[`, "effects")), optional = TRUE)
  })
}

# A covariance matrix for each term.
#' @exportS3Method nlme::VarCorr
VarCorr.dg_mixed <- function(x, sigma = 1, ...) {
  enter_session()
  check_sealed(x)
  covariances <- lapply(x$random, `[[`, "covariance")
  stats::setNames(covariances, make.unique(vapply(x$random, `[[`, "", "title")))
}

by_group <- function(object, of) {
  titles <- vapply(object$random, `[[`, "", "title")
  lapply(split(object$random, factor(titles, unique(titles))), of)
}
