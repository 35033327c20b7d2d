# Integration with emmeans: linear functions of the coefficients of dg_coefficients(), with their
# errors. emmeans finds the data by the call of a fit.

# What is wrong is a text, which emmeans makes an error of.
#' @exportS3Method emmeans::recover_data
recover_data.dg_learner <- function(object, data = NULL, ...) {
  enter_session()
  parts <- split_formula(if (is.null(object$formula)) ~1 else object$formula)
  if (is.null(object$formula) || "." %in% variables_of(parts$bare)) {
    return("the formula of the model must name its predictors.")
  }
  if (is.null(object$call) && is.null(data)) return("`data` must be given.")
  call <- if (is.null(object$call)) quote(data()) else object$call
  trms <- stats::delete.response(stats::terms(parts$bare))
  emmeans::recover_data(call, trms, NULL, data = data, ...)
}

#' @exportS3Method emmeans::recover_data
recover_data.dg_coefficients <- recover_data.dg_learner

#' @exportS3Method emmeans::emm_basis
emm_basis.dg_coefficients <- function(object, trms, xlev, grid, ...) {
  # the coding of factors is that of a new session
  enter_session()
  coefficients <- stats::coef(object)
  X <- stats::model.matrix(trms, stats::model.frame(trms, grid, xlev = xlev))
  links <- list(`odds ratio` = list(tran = "logit", inv.lbl = "prob"),
                ratio = list(tran = "log", inv.lbl = "rate"),
                `hazard ratio` = list(tran = "log", inv.lbl = "hazard"))
  list(X = X[, names(coefficients), drop = FALSE], bhat = unname(coefficients), nbasis = matrix(NA),
       V = stats::vcov(object), dfargs = list(df = object$df),
       dffun = function(k, dfargs) dfargs$df, misc = as.list(links[[object$ratio]]))
}

#' @exportS3Method emmeans::emm_basis
emm_basis.dg_learner <- function(object, trms, xlev, grid, ...) {
  # where emmeans has found the data of the call
  emm_basis.dg_coefficients(do.call(dg_coefficients, list(object), envir = globalenv()),
                            trms, xlev, grid, ...)
}
