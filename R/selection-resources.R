#' Predict the cost of a fit to many rows
#'
#' @description
#' Predicts passes over the rows, operations, bytes that are read and sent, memory and time of
#' `fit(spec, formula, data = source)`, see [row_source()], without reading any row. The formulas
#' below are for n rows, p predictors, G domains, W workers and a feature map of r dimensions.
#'
#' @details
#' An addition or a multiplication is one operation, an exponential or a cosine is
#' `r transcendental`. **Operations** per row, with m targets (1 for a numeric response or two
#' classes, else the number of classes):
#' \itemize{
#'   \item *count*: none; files are scanned for ends of rows, and other sources know their number of
#'     rows.
#'   \item *survey*: 8 p, for means and squares by domain; draws a random sample of
#'     `r format(sample_rows, big.mark = ",")` rows.
#'   \item *embeddings*, for [domain_distribution()]: \eqn{v_e + r_e}{v_e + r_e}, to evaluate and
#'     add
#'     \eqn{z_e}{z_e}.
#'   \item *features*: \eqn{v + r(r + 1) + 2r(m + 1)}{v + r(r + 1) + 2 r (m + 1)}, to evaluate z and
#'     add its products. With `features_product()` and \eqn{r_x}{r_x} dimensions of x it is
#'     \eqn{v_x + r_x(r_x + 1) + 2r_x(m + 1)}{v_x + r_x (r_x + 1) + 2 r_x (m + 1)} if sums for each
#'     domain fit in memory (\eqn{G r_x^2}{G r_x^2} of at most
#'     `r format(domain_numbers, big.mark = ",")` numbers).
#'   \item *newton*, a Newton step of [dg_svm()] and [dg_glm()], `iterations` times:
#'     \eqn{v + m(r(r + 1) + 10r)}{v + m (r (r + 1) + 10 r)}. Steps start at the fit to the sample,
#'     so few are needed.
#'   \item *deviance*, in [dg_glm()]: \eqn{v + 2r}{v + 2r}; two or three times with an `offset()`.
#'   \item The learner of a [dg_pipeline()] has its own passes, in which each row is projected
#'     first.
#' }
#' Evaluation of z takes \eqn{v = q(2p + `r transcendental`) + q^2}{v = q (2 p +
#' `r transcendental`) + q^2} operations with q landmarks, \eqn{v = D(2p +
#' `r 2 * transcendental`)}{v = D (2 p + `r 2 * transcendental`)} with D frequencies, and
#' \eqn{v_x + s r_x}{v_x + s r_x} with the product map of rank s.
#'
#' **Solving** is done in the session of the call: \eqn{r^3/3}{r^3 / 3} for each ridge regression
#' (the fit, one without each of at most `r left_out_sets` sets of domains, and `r lambda_folds`
#' times
#' \eqn{4r^3/3}{4 r^3 / 3} if `lambda` is not given), \eqn{25r^3}{25 r^3} for a projection,
#' m \eqn{r^3/3}{r^3 / 3} for each Newton step.
#'
#' **Sent** numbers per worker after each pass (rows are not sent): 2p + 8 for each domain and its
#' part of the sample after the survey; \eqn{G r_e}{G r_e} after the embeddings;
#' \eqn{S(r^2 + r(m + 1) + (m + 1)^2)}{S (r^2 + r (m + 1) + (m + 1)^2)} after the features, for S
#' groups of domains with separate sums (as many as 64 MB take, at least ten). A worker sends once
#' with at most two partitions, else two to four times.
#'
#' **Memory** of a worker is that of R (200 MB), ten copies of a block of rows, features of 2,048
#' rows, the fitted maps with \eqn{G^2}{G^2} numbers of a domain kernel, and the sums, once for each
#' doubling of the number of its partitions. The session of the call also has the sample and the
#' sums of all workers that arrive at the same time.
#'
#' **Seconds** are operations / (W `flops`) + bytes / (W `bytes`) per pass, plus W times the bytes
#' that a worker sends / `network`, since one session receives all. Scanning a file is four times
#' faster than reading it. Not included are some seconds to start workers, to select landmarks and
#' to hold out domains. The defaults are those of one ordinary core; for others, time a fit to a
#' million rows.
#'
#' @param spec A specification that can be fitted to a source: [dg_ridge()], [dg_gp()], [dg_svm()],
#'   [dg_glm()], a projection or a [dg_pipeline()], with a feature map, or [dg_null()].
#' @param n Number of rows.
#' @param predictors Number of (numeric) predictors.
#' @param workers Number of workers. Default 1.
#' @param domains Number of domains. Default 100.
#' @param targets 1 (the default) for a numeric response or two classes, else the number of classes,
#'   or of pairs of classes.
#' @param partitions Number of partitions. Default: `workers`.
#' @param iterations Number of Newton steps of [dg_svm()] or [dg_glm()]. Default 5.
#' @param block_size Number of rows of a block, as in [row_source()]. Default 50,000.
#' @param bytes_per_value Bytes of a value in the source: 8 (the default) for numbers in a database
#'   or Parquet; for CSV the mean number of characters with the separator.
#' @param counted If `TRUE` (the default), the source is scanned to count rows, as CSV files are.
#' @param flops Operations per second of a worker. Default 2e10.
#' @param bytes Bytes per second that a worker reads into a matrix. Default 5e7.
#' @param network Bytes per second that the session of the call receives. Default 1e8.
#' @param ... Must be empty.
#' @return An object of class `dg_resources`, a list with
#'   \item{title}{name of the method}
#'   \item{passes}{data frame, one row per pass: `pass`, `reads` (how often it reads all rows),
#'     `operations` and `read` (bytes) of all workers, `sent` (bytes) by each worker, `seconds`}
#'   \item{readings}{number of times that all rows are read}
#'   \item{coordinates}{number of dimensions of the feature map}
#'   \item{worker_memory, master_memory}{bytes, for a worker and for the session of the call}
#'   \item{seconds}{total}
#'   \item{arguments}{list of the numbers in the call}
#' @section Errors:
#' Other specifications (the passes of [dg_auto()] depend on the data), and numbers that are not
#' positive.
#' @seealso [row_source()], `vignette("large-data")`
#' @examples
#' spec <- dg_ridge(feature_map = features_product(x = features_nystrom(50), rank = 10))
#' dg_resources(spec, n = 2e7, predictors = 20, domains = 2000)
#'
#' # 10^11 rows on a thousand workers
#' dg_resources(spec, n = 1e11, predictors = 20, workers = 1000, domains = 2000)
#' @export
dg_resources <- function(spec, n, predictors, workers = 1, domains = 100, targets = 1,
                    partitions = workers, iterations = 5, block_size = 50000, bytes_per_value = 8,
                    counted = TRUE, flops = 2e10, bytes = 5e7, network = 1e8, ...) {
  fixed_session()
  check_no_dots(list(...), names(formals(dg_resources)))
  check_given(spec, "spec")
  check_given(n, "n")
  check_given(predictors, "predictors")
  if (!inherits(spec, "dg_spec")) {
    abort("argument", "`spec` must be a specification, such as `dg_ridge()`, not ",
          describe(spec), ".")
  }
  check_source_spec(spec)
  if (isFALSE(takes_passes(spec))) abort_whole(spec)
  size <- Map(check_number, mget(cost_numbers), cost_numbers)
  size$counted <- check_flag(counted, "counted")
  plan <- cost_plan(spec, size)
  columns <- size$predictors + 2
  read <- size$n * columns * size$bytes_per_value
  surveyed <- min(size$n, sample_rows) / size$workers
  survey <- cost_pass("survey", 8 * size$predictors, size$domains * (2 * size$predictors + 8) +
                        surveyed * (size$predictors + 4))
  passes <- rbind(cost_pass("count", 0, 0, reads = size$counted), survey, plan$passes)
  passes$operations <- passes$operations * size$n
  passes$read <- read * passes$reads
  passes$sent <- if (size$workers > 1) 8 * passes$numbers * cost_rounds(size) else 0
  seconds <- passes$operations / (size$workers * size$flops) +
    # ends of rows are found four times as fast as values
    passes$read / (size$workers * size$bytes * ifelse(passes$pass == "count", 4, 1)) +
    size$workers * passes$sent / size$network
  passes$seconds <- seconds
  solving <- cost_pass("solving", plan$solve, 0, reads = 0)
  solving[c("read", "sent", "seconds")] <- c(0, 0, plan$solve / size$flops)
  passes <- rbind(passes, solving)[c("pass", "reads", "operations", "read", "sent", "seconds")]
  largest <- 8 * max(0, plan$passes$numbers)
  master <- master_memory(size, plan, largest)
  structure(class = c("dg_resources", "dg_result"), list(
    title = spec$parts$title, passes = passes[passes$reads > 0 | passes$operations > 0, ],
    readings = sum(passes$reads[passes$pass != "count"]), coordinates = plan$dim,
    worker_memory = if (size$workers > 1) worker_memory(size, plan, largest) else master,
    master_memory = master, seconds = sum(passes$seconds), arguments = size
  ))
}

cost_numbers <- c("n", "predictors", "workers", "domains", "targets", "partitions", "iterations",
                  "block_size", "bytes_per_value", "flops", "bytes", "network")

# operations: of a row; numbers: that a worker has when it is done; reads: of all rows.
cost_pass <- function(pass, operations, numbers, reads = 1) {
  data.frame(pass = pass, reads = as.numeric(reads), operations = operations, numbers = numbers)
}

# How often a worker sends in a pass, see next_runs().
cost_rounds <- function(size) {
  run <- 2^max(ceiling(log2(size$partitions / (2 * size$workers))), 0)
  ceiling(size$partitions / (run * size$workers))
}

# Sums that are in memory at a time before they are added in pairs.
cost_stack <- function(partitions) floor(log2(max(partitions, 1))) + 2

# R and the package.
base_memory <- 2e8

worker_memory <- function(size, plan, largest) {
  # text, data frame, matrix and what is made of them on the way
  block <- 10 * min(size$block_size, size$n) * (size$predictors + 2)
  # of a block of 2,048 rows, with those that have their weights
  features <- 2 * 2048 * plan$dim
  base_memory + 8 * (block + features + plan$kept) +
    largest * cost_stack(size$partitions / size$workers)
}

# The session of the call has the sample, from which landmarks are selected, and G x G numbers of a
# fitted domain kernel.
master_memory <- function(size, plan, largest) {
  sample <- 4 * min(size$n, sample_rows) * (size$predictors + 4) +
    min(size$n, max(1e4, 5 * plan$dim)) * plan$dim
  own <- 8 * (sample + 3 * plan$between + 4 * plan$dim^2)
  if (size$workers == 1) return(worker_memory(size, plan, largest) + own)
  base_memory + 8 * plan$kept + own + largest * (size$workers + cost_stack(size$partitions))
}

# ---- the passes of a method -------------------------------------------------------------------

# The passes of a method over the rows of a source, see dg_resources() and fit_rows():
# list(passes: rows of cost_pass(), solve: operations, dim: feature dimensions, kept: numbers that a
# worker needs of earlier fits, between: those of the domain kernel among them).
cost_plan <- function(spec, size) UseMethod("cost_plan")

#' @exportS3Method
cost_plan.dg_spec <- function(spec, size) {
  abort("argument", "`spec` must be `dg_ridge()`, `dg_gp()`, `dg_svm()`, `dg_glm()`, `dg_null()`, ",
        "a projection or a pipeline of them, not `", spec$method, "()`.")
}

# The survey has all that it needs.
#' @exportS3Method
cost_plan.dg_null_spec <- function(spec, size) {
  list(passes = NULL, dim = 0, kept = 0, between = 0, solve = 0)
}

#' @exportS3Method
cost_plan.dg_ridge_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  sums <- groups_cost(space, size)
  r3 <- space$dim^3
  fits <- 1 + min(left_out_sets, sums$groups)
  # each set of domains is summed up by itself: twice in all, or three times
  open <- is.null(spec$args$lambda)
  summed <- (2 + open) * sums$to_sum
  plan_in(space, sums$pass, fits * r3 / 3 + open * min(lambda_folds, sums$groups) * 4 * r3 / 3 +
            summed)
}

# One eigendecomposition for all values of the signal and noise standard deviations.
#' @exportS3Method
cost_plan.dg_gp_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  sums <- groups_cost(space, size)
  plan_in(space, sums$pass, 10 * space$dim^3 + 2 * sums$to_sum)
}

#' @exportS3Method
cost_plan.dg_svm_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  r <- space$dim
  m <- size$targets
  pass <- cost_pass("newton", space$map$values + m * (r * (r + 1) + 10 * r),
                    m * (r^2 + r + 2 * length(step_lengths) + 1), size$iterations)
  pass$operations <- pass$operations * size$iterations
  plan_in(space, pass, size$iterations * m * r^3 / 3)
}

# One function, whose deviance takes a pass more.
#' @exportS3Method
cost_plan.dg_glm_spec <- function(spec, size) {
  size$targets <- 1
  plan <- cost_plan.dg_svm_spec(spec, size)
  after <- cost_pass("deviance", space_cost(spec$args, size)$map$values + 2 * plan$dim, 6)
  plan$passes <- rbind(plan$passes, after)
  plan
}

#' @exportS3Method
cost_plan.dg_projection_spec <- function(spec, size) {
  space <- space_cost(spec$args, size)
  r <- space$dim
  # features of the response: as many as it may have
  s <- if (size$targets == 1) response_landmarks + 1 else 0
  operations <- space$map$values + r * (r + 1) + r + 2 * r * s
  pass <- cost_pass("features", operations,
                    r^2 + r * size$domains * size$targets + r * s + s^2)
  plan_in(space, pass, 25 * r^3)
}

# The predictors of the learner are scores, for which each row is projected again.
#' @exportS3Method
cost_plan.dg_pipeline_spec <- function(spec, size) {
  before <- cost_plan(spec$projection, size)
  ncomp <- spec$projection$args$ncomp
  after <- size
  after$predictors <- ncomp
  learner <- cost_plan(spec$learner, after)
  values <- space_cost(spec$projection$args, size)$map$values + 2 * before$dim * ncomp
  learner$passes$operations <- learner$passes$operations + values * learner$passes$reads
  list(passes = rbind(before$passes, learner$passes), dim = learner$dim,
       kept = before$kept + learner$kept, between = before$between + learner$between,
       solve = before$solve + learner$solve)
}

# A plan of one pass, in addition to those of the space.
plan_in <- function(space, pass, solve) {
  list(passes = rbind(space$passes, pass), dim = space$dim, kept = space$kept,
       between = space$between, solve = solve)
}

# What is fitted before the sums of a method are taken: list(passes, map, dim, kept, between).
space_cost <- function(args, size) {
  kernel <- args$domain_kernel
  p <- size$predictors
  G <- size$domains
  map <- map_cost(args$feature_map, p, if (uses_domain(kernel)) G else 0)
  if (!needs_domain_rows(kernel)) {
    return(list(passes = NULL, map = map, dim = map$dim, kept = map$kept, between = 0))
  }
  embedding <- map_cost(embedding_map(args$feature_map), p)
  list(passes = cost_pass("embeddings", embedding$values + embedding$dim, G * (embedding$dim + 1)),
       map = map, dim = map$dim, kept = map$kept + embedding$kept + G * embedding$dim + G^2,
       between = G^2)
}

# The pass of sums by groups of domains, see rows-groups.R: list(pass, groups, to_sum:
# operations to add them all).
groups_cost <- function(space, size) {
  G <- size$domains
  map <- space$map
  by_domain <- !is.null(map$on_x) && G * map$on_x$dim^2 <= domain_numbers
  groups <- if (by_domain) G else min(G, max(10, group_numbers %/% map$dim^2))
  if (by_domain) map <- map$on_x
  m <- size$targets + 1
  r <- map$dim
  list(pass = cost_pass("features", map$values + r * (r + 1) + 2 * r * m,
                        groups * (r^2 + r * m + m^2)),
       groups = groups, to_sum = if (by_domain) 2 * G * space$dim^2 else groups * r^2)
}
