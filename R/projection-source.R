# Projections of rows that come in blocks: from sums of features, see representation-sums.R.

#' @exportS3Method
fit_source.dg_projection_spec <- function(spec, stage) {
  projection_of(spec, stage, projection_sums(spec, stage))
}

projection_of <- function(spec, stage, sums) {
  solved <- check_solution(project_sums(spec, sums$sums), spec)
  warn_projection(solved, spec, factor(stage$survey$classes))
  finish_source(new_projection(solved, sums$product, list(y = NULL)), spec, stage)
}

# list(product, sums)
projection_sums <- function(spec, stage) {
  args <- place_kernels(spec$args, layout_of(stage$sample$blueprint))
  sample <- stage$sample
  if (spec$parts$response == "class") check_classes(sample$y, spec$method)
  if (uses_response(spec) && nlevels(sample$y) == 1L) abort_one_class(sample$y)
  check_domains(spec, sample)
  if (spec$parts$centred) args$kernel <- free_origin(args, sample$X)
  product <- source_space(args, stage)
  map <- if (uses_response(spec)) response_map(sample$y, args$kernel_y)
  sums <- stage_pass(stage, sums_work(product, map, source_table(product, stage)), "features")
  list(product = product, sums = sums)
}

sums_work <- function(product, map, table) {
  force(product); force(map); force(table)
  add <- adding(add_sums)
  list(start = function() NULL, add = add, block = function(sums, rows) {
    add(sums, accumulate(product, rows, map, table = table))
  })
}

# ---- a projection, and a learner on its scores -------------------------------------------------

#' @exportS3Method
fit_source.dg_chain_spec <- function(spec, stage) {
  sums <- projection_sums(spec$projection, stage)
  projection <- seal(projection_of(spec$projection, stage, sums))
  unit <- score_unit(projection, sums$sums)
  after <- projected_stage(stage, projection, unit)
  learner <- seal(fit_source(spec$learner, after))
  chained <- list(projection = projection, unit = unit, learner = learner,
                  decision = learner$decision, response = learner$response, weights = numeric())
  finish_source(structure(chained, class = c("dg_chain", "dg_learner", "dg_fit")), spec, stage)
}

# The root of the mean squared norm of the scores, from Z'Z and Z'1.
score_unit <- function(projection, sums) {
  W <- projection$directions
  centre <- projection$centre
  mean <- drop(crossprod(W, rowSums(sums$sums))) / sums$n
  squares <- colSums(W * (sums$second %*% W)) / sums$n
  sqrt(sum(squares - 2 * centre * mean + centre^2))
}

# The rows as the learner sees them: scores in the place of predictors.
projected_stage <- function(stage, projection, unit) {
  through <- list(product = projection$product, directions = projection$directions,
                  centre = projection$centre, unit = unit,
                  table = source_table(projection$product, stage))
  stage$rows$through <- through
  stage$sample$X <- scores_of(through, stage$sample)
  stage
}

# rows: list(X, domain), of the domains of the source.
scores_of <- function(through, rows) {
  values <- expand_rows(through$product, rows[c("X", "domain")], through$table, through$directions)
  values <- sweep(values, 2L, through$centre) / through$unit
  colnames(values) <- colnames(through$directions)
  values
}
