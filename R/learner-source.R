# What learners know of a response whose rows come in blocks.

check_survey_classes <- function(survey) {
  if (length(survey$classes) == 1L) abort_one_class(factor(survey$classes))
}

# The response, as encode_response() makes it of rows, from the survey.
source_response <- function(stage, standardise) {
  survey <- stage$survey
  if (survey$reader$kind == "class") {
    check_survey_classes(survey)
    response <- list(kind = "class", levels = survey$classes, centre = 0, scale = 1)
    if (length(response$levels) > 2L) response$pairs <- each_class(response$levels)
    return(response)
  }
  if (survey$n > 2 && length(survey$values) == 2L) warn_two_values(survey$values)
  moments <- pool_moments(survey$response)
  spread <- if (standardise) sqrt(moments$square / moments$count) else 1
  list(kind = "number", centre = if (standardise) moments$mean else 0,
       scale = if (spread > 0) spread else 1)
}

# Targets of a block, [n x m]: see ridge_targets().
block_targets <- function(response, y) {
  if (response$kind == "number") return(matrix((y - response$centre) / response$scale))
  response$target <- 2 * (as.integer(y) == 2L) - 1
  ridge_targets(response, y)
}

# What the weights of a domain's rows are multiplied by, see row_costs().
domain_costs <- function(survey, domain_weights) {
  weights <- survey$weights
  if (domain_weights == "size") return(rep(1, length(weights)))
  ifelse(weights > 0, sum(weights) / (sum(weights > 0) * weights), 0)
}

target_count <- function(response) max(NROW(response$pairs), 1L)

targets_of <- function(response) {
  force(response)
  function(y) block_targets(response, y)
}
