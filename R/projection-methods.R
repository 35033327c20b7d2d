#' Project new rows
#'
#' Scores of new rows on the components of a projection, centred by the training means:
#' \eqn{k(x, X)}{k(x, X)} `directions` - `centre`. Rows can be projected one at a time or together,
#' with the same result, unless the model uses the domain's other rows (scaling or imputation by
#' domain, or a `domain_kernel` other than [domain_pooled()]).
#'
#' @param object Projection made by [dg_dica()], [dg_udica()], [dg_coir()], [dg_kpca()], [dg_dcm()],
#'   [dg_tca()], [dg_sca()], [dg_mda()], [dg_cidg()] or [dg_kfd()].
#' @param newdata Data frame with the predictors (and the domain column, if the model uses it);
#'   a matrix if the model was fitted to one; or a [row_source()], which is read in chunks.
#' @param domain Domain of each row of `newdata`, if it is not a column; one value if all rows are
#'   from one domain. Needed only if the model uses the domain.
#' @param reference Further unlabelled rows of the new domains, like `newdata`: a domain that occurs
#'   here is described by these rows instead of by its rows in `newdata`. `"training"` takes the
#'   stored training rows, which a model with a feature map does not have. Used only with a domain
#'   kernel, or scaling or imputation by domain.
#' @param reference_domain Domain of each row of `reference`, if it is not a column.
#' @param new_levels Treatment of a level of a categorical predictor that training did not have.
#'   `"na"` (default): a missing value (imputed with [na.impute()]), with a warning of class
#'   `domgen_warning_new_level` that names predictor and level. `"error"`: an error that names them.
#'   In [kernel_mixed()], `"na"` makes such a level different from all others.
#' @param ... With a [row_source()] as `newdata`, `to`, `keep` and `overwrite`, see there; otherwise
#'   empty.
#' @return Matrix of scores, nrow(newdata) x m. Rows with missing values have `NA` (unless the model
#'   was fitted with [na.impute]), with a warning; if the model uses the domain's other rows, the
#'   warning says how many remain.
#' @examples
#' model <- dg_kpca(~ . | Species, data = iris, ncomp = 2)
#' predict(model, iris[1:3, ])
#' @export
predict.dg_projection <- function(object, newdata, domain = NULL, reference = NULL,
                                  reference_domain = NULL, new_levels = c("na", "error"), ...) {
  enter_session()
  check_sealed(object)
  of <- list(domain = domain, reference = reference, reference_domain = reference_domain,
             new_levels = new_levels)
  predict_rows(object, newdata, of, list(type = "scores", env = parent.frame()), list(...),
               setdiff(names(formals(predict.dg_projection)), "object"))
}

#' @export
fitted.dg_projection <- function(object, ...) {
  enter_session()
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
describe_fit.dg_projection <- function(x) {
  below <- function(...) fact(..., only = "summary")
  c(NextMethod(), list(
    if (!is.null(x$kernel_y)) fact("kernel on y", format(x$kernel_y)),
    fact("parameters", shown_parameters(x$spec)),
    fact("Eigenvalues", x$values),
    below("Residual of each eigenpair (units of n * .Machine$double.eps)",
          stats::setNames(x$residual, names(x$values)), digits = 2L),
    below("Variance between domains (share: proportion of the total variance)",
          variance_shares(x), digits = 3L),
    if (x$spec$method %in% theorem5_methods) {
      below("Theorem 5", c(`tr(B'KQKB)` = x$theorem5[["distributional"]],
                           `tr(B'KB)` = x$theorem5[["norm"]]))
    }
  ))
}

variance_shares <- function(x) {
  cbind(x$variance, share = x$variance[, "distributional"] / x$variance[, "total"])
}

#' @rdname summary.dg_learner
#' @export
summary.dg_projection <- function(object, ...) {
  enter_session()
  check_no_dots(list(...), character())
  from_whole(object, structure(list(
    components = data.frame(eigenvalue = object$values, residual = object$residual),
    theorem5 = object$theorem5, variance = variance_shares(object), projection = object
  ), class = "summary.dg_projection"))
}

# The methods of the DICA paper, whose bound this is.
theorem5_methods <- c("dg_dica", "dg_udica", "dg_coir", "dg_kpca")

# All projections, by the names of their functions, for the methods of other packages.
projection_methods <- c("dica", "udica", "coir", "kpca", "dcm", "tca", "sca", "mda", "cidg", "kfd")
