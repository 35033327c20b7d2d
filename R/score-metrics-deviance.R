# The deviance of a family as a score of predicted means.

#' @rdname metric_custom
#' @order 2
#' @param family Family of base R, as in [dg_glm()].
#' @examples
#'
#' # counts
#' looms <- transform(warpbreaks, kind = interaction(wool, tension))
#' dg_compare(list(glm = dg_glm(family = poisson()), null = dg_null()),
#'            breaks ~ wool + tension | kind, data = looms, metric = metric_deviance(poisson))
#' @export
metric_deviance <- function(family) {
  check_given(family, "family")
  family <- check_family(family, "family")
  # means alone have no dispersion
  if (!family$name %in% base_families) {
    abort("argument", "`family` must be one of base R's for a deviance of numbers, not ",
          format(family), "; of classes it is twice the \"log_loss\".")
  }
  metric <- metric_custom(function(truth, prediction) {
    loss <- family_loss(family)
    loss$check(truth)
    mean(loss$deviance(truth, prediction, family))
  }, "low", paste(family$name, "deviance"))
  metric$kind <- "number"
  metric$squares <- TRUE
  metric
}
