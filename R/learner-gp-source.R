# Gaussian process on features of rows that come in blocks, see learner-gp-features.R.

#' @exportS3Method
fit_source.dg_gp_spec <- function(spec, stage) {
  task <- gp_source_task(spec, stage)
  response <- task$response
  sums <- stage_groups(task$product, stage, response, task$costs)
  size <- target_size_of(stage$survey, response)
  fitted <- solve_feature_gp(task$args, task$product, gp_group_sums(sums, stage), response, size,
                             colnames(stage$sample$X))
  fitted$decision <- matrix(0, 0L, 1L)
  fitted[c("weights", "response")] <- list(numeric(), response)
  finish_source(structure(fitted, class = c("dg_gp", "dg_learner", "dg_fit")), spec, stage)
}

# list(args, response, product, costs): u = w / max(w), nu = noise / sqrt(max(w)).
gp_source_task <- function(spec, stage) {
  survey <- stage$survey
  if (survey$reader$kind == "class") abort_gp_classes(survey$classes)
  args <- source_args(spec$args, stage)
  check_open_bandwidth(args)
  args$unit <- sqrt(survey$heaviest)
  list(args = args, response = source_response(stage, args$scale != "none"),
       product = source_space(args, stage),
       costs = rep(1 / survey$heaviest, length(survey$domains)))
}

# The root mean square of the targets around their mean.
target_size_of <- function(survey, response) {
  moments <- pool_moments(survey$response)
  size <- sqrt(moments$square / moments$count) / response$scale
  if (size > 0) size else 1
}

# As gp_sums(): list(total, domains), where many domains stand together.
gp_group_sums <- function(sums, stage) {
  survey <- stage$survey
  of_domains <- function(domains) {
    own <- sum_groups(sums, domains)
    n <- sum(survey$positive[domains])
    list(second = own$second, cross = drop(own$cross), square = drop(own$response_second), n = n,
         log_weights = sum(survey$logs[domains]) - n * log(survey$heaviest), weight = own$total)
  }
  sets <- split_groups(sums, stage, k = left_out_sets)
  list(total = of_domains(seq_along(survey$domains)),
       domains = if (length(sets) > 1L) {
         stats::setNames(lapply(sets, of_domains), set_names(sets, survey$domains))
       })
}

# Of one domain its own.
set_names <- function(sets, names) {
  vapply(sets, function(domains) {
    more <- length(domains) - 1L
    paste0(names[domains[1L]], if (more > 0L) sprintf(" and %d more", more))
  }, "")
}
