# The deviance of a family as a score of predicted means.

#' The deviance as a score
#'
#' The mean unit deviance of a family (McCullagh and Nelder, 1989, section 2.3) of the predicted
#' means, for `metric` of [dg_cv()], [dg_tune()] and [dg_compare()]: for counts
#' \eqn{2(y\log(y/\mu) - y + \mu)}{2 (y log(y / mu) - y + mu)} with `poisson()`.
#'
#' @param family One of base R's families, as in [dg_glm()].
#' @return A metric, see [metric_custom()]; lower is better. A mean that the family does not have (a
#'   count below 0) has an infinite deviance, unless it is the response itself; the response must
#'   be a number that it has.
#' @references
#' McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, 2nd edition. Chapman and
#' Hall.
#' @seealso [dg_glm()], [dg_cv()]
#' @examples
#' looms <- transform(warpbreaks, kind = interaction(wool, tension))
#' dg_compare(list(glm = dg_glm(family = poisson()), null = dg_null()),
#'            breaks ~ wool + tension | kind, data = looms, metric = metric_deviance(poisson))
#' @export
metric_deviance <- function(family) {
  check_given(family, "family")
  family <- check_family(family, "family")
  if (is.null(family_loss(family)$deviance)) {
    abort("argument", "`family` must be one of base R's for a deviance of numbers, not ",
          format(family), "; of classes it is twice the \"log_loss\".")
  }
  metric <- metric_custom(function(truth, prediction) {
    loss <- family_loss(family)
    loss$check(truth)
    mean(loss$deviance(truth, prediction))
  }, "low", paste(family$name, "deviance"))
  metric$kind <- "number"
  metric
}
