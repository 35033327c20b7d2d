#' Project new rows
#'
#' Scores of new rows on the components of a projection, centred with the
#' training means: \eqn{k(x, X)}{k(x, X)} `directions` - `centre`. Rows may be
#' projected one at a time or all at once, with the same result, as long as the
#' model does not judge a row by its domain (a `domain_kernel` other than
#' [domain_pooled()]).
#'
#' @param object A projection made by [dg_dica()] or its relatives ([dg_dcm()], [dg_tca()],
#'   [dg_sca()], [dg_mda()], [dg_cidg()], [dg_kfd()]).
#' @param newdata Data frame with the predictors (and the domain column, where the
#'   domain kernel needs it), or a matrix if the model was fitted to one; or any number of rows in
#'   blocks, a [row_source()], see [predict_source].
#' @param domain Domain of each row of `newdata`, when it is not a column of it;
#'   one value if all rows are from one domain. Only needed with a domain kernel.
#' @param reference More unlabelled rows of the new domains, like `newdata`; a
#'   domain that appears in it is judged by these rows instead of by its rows in
#'   `newdata`. `"training"` takes the stored rows of the training domains; a
#'   model with a feature map keeps none. Only used with a domain kernel, or with scaling or
#'   imputation by domain.
#' @param reference_domain Domain of each row of `reference`, when it is not a
#'   column of it.
#' @param new_levels What a level of a categorical predictor means that training did not have:
#'   `"na"`: it counts as a missing value (which [na.impute] imputes), and a warning of class
#'   `domgen_warning_new_level` names predictor and level; `"error"`: an error that names them.
#'   [kernel_mixed()] knows what to do with such a level: with `"na"` it is unlike all others.
#' @param ... With a [row_source()] as `newdata` the arguments `to`, `keep` and `overwrite` of
#'   [predict_source]; else empty.
#' @return A matrix of scores, nrow(newdata) x m; rows with missing values give
#'   `NA` (unless the model was fitted with [na.impute]), with a warning that says, where a domain
#'   is judged by its rows, by how many of them.
#' @examples
#' model <- dg_kpca(~ . | Species, data = iris, ncomp = 2)
#' predict(model, iris[1:3, ])
#' @export
predict.dg_projection <- function(object, newdata, domain = NULL, reference = NULL,
                                  reference_domain = NULL, new_levels = c("na", "error"), ...) {
  check_sealed(object)
  of <- list(domain = domain, reference = reference, reference_domain = reference_domain,
             new_levels = new_levels)
  predict_rows(object, newdata, of, list(type = "scores"), list(...),
               setdiff(names(formals(predict.dg_projection)), "object"))
}

#' @export
fitted.dg_projection <- function(object, ...) {
  check_sealed(object)
  if (is.null(object$scores)) {
    abort("argument", "The model was fitted to sums over rows: it has no rows to give scores of; ",
          "use predict() with `newdata`.")
  }
  pad_rows(object$scores, object)
}

#' @export
coef.dg_projection <- function(object, ...) object$directions

#' @exportS3Method
print_details.dg_projection <- function(x) {
  describe_kernels(x$space)
  if (!is.null(x$kernel_y)) cat_line("  kernel on y    ", format(x$kernel_y))
  cat_line("  ", shown_parameters(x$spec), "\n\nEigenvalues:")
  cat_numbers(rounded(x$values, 4))
}

#' Summary of a projection
#'
#' @param object A projection.
#' @param ... Must be empty.
#' @return An object of class `summary.dg_projection`, a list with
#'   \item{components}{data frame: eigenvalue and residual of each component}
#'   \item{theorem5}{tr(B'KQKB) and tr(B'KB), the quantities in the bound on
#'     the generalisation error (DICA paper, theorem 5): the smaller, the tighter}
#'   \item{variance}{matrix: total variance, distributional variance and the
#'     share of the second in the first, in the feature space before and on the
#'     components after projection}
#'   and `projection`, the model.
#' @examples
#' summary(dg_udica(~ . | Species, data = iris))
#' @export
summary.dg_projection <- function(object, ...) {
  check_no_dots(list(...), character())
  from_whole(object, {
    variance <- object$variance
    shares <- cbind(variance, share = variance[, "distributional"] / variance[, "total"])
    structure(list(
      components = data.frame(eigenvalue = object$values, residual = object$residual),
      theorem5 = object$theorem5, variance = shares, projection = object
    ), class = "summary.dg_projection")
  })
}

# The methods of the DICA paper, whose bound this is.
theorem5_methods <- c("dg_dica", "dg_udica", "dg_coir", "dg_kpca")

# All projections, by the names of their functions, for what other packages are told.
projection_methods <- c("dica", "udica", "coir", "kpca", "dcm", "tca", "sca", "mda", "cidg", "kfd")

#' @export
print.summary.dg_projection <- function(x, digits = NULL, ...) {
  at_digits(digits, {
    describe_fit(x$projection)
    cat_line("\nResidual of each eigenpair (units of n * machine epsilon):")
    cat_numbers(rounded(stats::setNames(x$components$residual, rownames(x$components)), 2))
    cat_line("\nVariance between domains (share: of the total variance):")
    cat_numbers(rounded(x$variance, 3))
    if (x$projection$spec$method %in% theorem5_methods) {
      cat_line("\nTheorem 5:  tr(B'KQKB) = ", rounded(x$theorem5[["distributional"]], 4),
               ",  tr(B'KB) = ", rounded(x$theorem5[["norm"]], 4))
    }
  })
  invisible(x)
}
