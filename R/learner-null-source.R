# The null model of rows that come in blocks: the survey knows all of it.

#' @exportS3Method
fit_source.dg_null_spec <- function(spec, stage) {
  found <- constant_of(stage$survey, spec$args)
  fitted <- list(coefficients = found$value, decision = matrix(0, 0L, 1L), weights = numeric(),
                 response = found$response, y = NULL)
  finish_source(structure(fitted, class = c("dg_null", "dg_learner", "dg_fit")), spec, stage)
}

# The mean response, or the commonest class: list(value, response).
constant_of <- function(survey, args) {
  costs <- domain_costs(survey, args$domain_weights)
  if (survey$reader$kind == "class") {
    check_survey_classes(survey)
    table <- survey$response$classes
    shares <- colSums(costs * table)[match(survey$classes, colnames(table))]
    return(list(value = which.max(shares),
                response = list(kind = "class", levels = survey$classes,
                                shares = shares / sum(shares))))
  }
  moments <- survey$response
  moments$count <- costs * moments$count
  list(value = pool_moments(moments)$mean, response = list(kind = "number", centre = 0, scale = 1))
}
