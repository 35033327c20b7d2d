# Fits to rows that come in blocks, see row_source(): the survey, then the representation, whose
# maps are made from the sampled rows and whose domains are described by all of theirs, then sums of
# features over all rows. What a method does with the sums is its own, see fit_source().

#' Fits to any number of rows
#'
#' @description
#' `fit(spec, formula, data = source)`, and every method function that is given `data = source`,
#' fits to the rows of a [row_source()]: files, tables and queries of a database, pieces that a
#' function makes. The rows come in blocks and none is kept, so that memory does not grow with
#' their number; partitions (files, queries) are dealt to the workers of the user's
#' `future::plan()`, which return sums and no rows.
#'
#' [dg_ridge()], [dg_gp()], [dg_svm()], the projections ([dica()], [kpca()], ...) and their
#' [chain()]s can be fitted so, with a feature map ([features_nystrom()], [features_rff()],
#' [features_product()], [features_linear()]); what needs the Gram matrix says so.
#'
#' @details
#' The rows are read a fixed number of times:
#' \enumerate{
#'   \item *counts*: rows of each partition, without reading values where that is possible;
#'   \item *survey*: rows, weights and moments of predictors and response by domain (Chan, Golub and
#'     LeVeque's update), classes, and a random sample of 20,000 rows (all, where there are no
#'   more);
#'   \item *embeddings*, only with a domain kernel that describes domains by their rows
#'     ([domain_distribution()]): means of features by domain, over all rows;
#'   \item *features*: the sums \eqn{\sum_i c_i z_i z_i'}{sum c z z'},
#'     \eqn{\sum_i c_i z_i y_i}{sum c z y} and \eqn{\sum_i c_i y_i^2}{sum c y^2} by domain or, where
#'     these would take more than 64 MB, by groups of domains (of which there are at least 10); of
#'     [features_product()] they are those of its map of x, by domain. `dg_svm()` passes once for
#'     each Newton step, a chain once more for its learner.
#' }
#' Where predictors are text whose levels are not declared, the first partition is read once before.
#'
#' **What is exact and what is sampled.** Scalings by mean and standard deviation, embeddings,
#' coefficients, likelihoods and errors of left-out domains are sums over all rows. Bandwidths,
#' landmarks, normal scores (`scale = "rank"`) and the width between domains that is chosen where
#' `lambda` or `cost` is open come from the sample. A source of at most 20,000 rows gives the
#' numbers of a fit in memory that draws the same random numbers, to rounding.
#'
#' **Random numbers.** A call draws one seed from R's generator, from which all its random numbers
#' come: `set.seed()` makes it reproducible, whatever the partitions, the size of the blocks and the
#' plan, to rounding (1e-10), provided that the rows come in the same order: the sample is of row
#' numbers. A fit in memory after the same `set.seed()` draws others; `data = row_source(data)` of a
#' data frame draws the same.
#'
#' **lambda.** `NULL` is the value that predicts groups of domains best that are left out, by
#' subtraction of their sums, over all rows.
#'
#' **Workers.** With a plan of several workers, `future::plan(multisession, workers = 4)`, a
#' cluster, or a scheduler through future.batchtools, each gets runs of partitions, opens them
#' itself and returns sums, which are added in the order of the partitions. A run whose worker is
#' lost is done again, three times at most. A progress line says rows read and time left where R is
#' interactive or `options(domgen.progress = TRUE)`.
#'
#' **Interrupts and crashes.** After Ctrl-C, [dg_resume()] goes on. With `row_source(store =
#' "folder")` what is finished (each pass, and each round of partitions) is kept there, and the same
#' call in a new session goes on with the same seed, and gives the numbers of an uninterrupted one;
#' then the files are removed.
#'
#' `weights` is an expression of columns. Rows with missing values are left out with a warning
#' (`na.omit`) or refused (`na.fail`). A model that was fitted so keeps nothing of its rows: give
#' `predict()` new ones.
#' @section Errors:
#' Terms that learn from rows (`poly(x, 2)`, `scale(x)`), a response or weight that is not finite,
#' rows that differ between passes, a store that cannot be written or is damaged, and a worker that
#' is lost four times are errors; those of rows name partition and row.
#' @references
#' Chan, T. F., Golub, G. H. and LeVeque, R. J. (1979). Updating formulae and a pairwise algorithm
#' for computing sample variances. Technical report STAN-CS-79-773, Stanford University.
#' @seealso [row_source()], [feature_sums()] for sums of pieces by hand.
#' @examples
#' toy <- simulate_dica(domains = 6, rows = 60, seed = 1)
#' folder <- tempfile("rows")
#' dir.create(folder)
#' pieces <- split(toy, rep_len(1:3, nrow(toy)))
#' for (k in 1:3) {
#'   write.csv(pieces[[k]], file.path(folder, paste0("part-", k, ".csv")), row.names = FALSE)
#' }
#' model <- dg_ridge(y ~ . | domain, data = row_source(folder), features = features_product())
#' model
#' head(predict(model, toy))
#' @name fit_source
NULL

# Fits a specification to the rows of a source: list(survey, reader with the scaling, domains,
# sample scaled).
fit_source <- function(spec, stage) UseMethod("fit_source")

fit_from_source <- function(spec, input, call) {
  what <- list(spec, format_formula(input$x), input$weights, input$na.action)
  fitted <- over_source(input$source, what, function() {
    check_source_spec(spec)
    survey <- survey_source(input$source, block_reader(input, spec_needs(spec)))
    survey$formula <- input$x
    fit_source(spec, source_stage(survey, spec))
  })
  fitted$call <- call
  seal(fitted)
}

# Before the rows are read.
check_source_spec <- function(spec) {
  parts <- if (is.null(spec$projection)) list(spec) else spec[c("projection", "learner")]
  for (part in parts) {
    check_fits_source(part)
    args <- part$args
    if (!is.null(args$features) && is_exact(args$features)) {
      abort("argument", "`features` must be a feature map with a source, such as ",
            "`features_nystrom(200)`: `features_exact()` needs the Gram matrix of all rows.")
    }
    by_rows <- c(bandwidths = identical(args$bandwidths, "fitted"),
                 probability = !is.null(args$probability) && args$probability != "none",
                 target = !is.null(args$target), unlabelled = !is.null(args$unlabelled),
                 smooth = isTRUE(args$smooth > 0))
    if (any(by_rows)) {
      name <- names(which(by_rows))[1L]
      abort("argument", "`", name, "` needs the rows themselves, and must be left out with a ",
            "source.")
    }
  }
}

check_fits_source <- function(spec) {
  methods <- lapply(class(spec), function(name) {
    utils::getS3method("fit_source", name, optional = TRUE, envir = topenv())
  })
  if (!all(vapply(methods, is.null, NA))) return(invisible())
  abort("argument", "`", spec$method, "()` cannot be fitted to a source: it needs all rows at ",
        "once. Those that can are `dg_ridge()`, `dg_gp()`, `dg_svm()` and the projections, with a ",
        "feature map.")
}

# The rows as a specification sees them.
source_stage <- function(survey, spec) {
  scale <- spec_scale(spec)
  if (by_domain(scale) && is.null(survey$reader$domain)) {
    abort("data", "A domain is needed: give `y ~ x1 + x2 | domain`.")
  }
  sample <- survey$sample
  scaling <- survey_scaling(survey, scale)
  sample$blueprint$scaling <- scaling
  sample$X <- apply_scaling(sample$X, scaling, sample$domain)
  list(survey = survey, sample = sample,
       rows = list(reader = survey$reader, scaling = scaling, domains = survey$domains,
                   classes = survey$classes))
}

# What a worker makes of a block: list(X scaled, y, domain, weights). rows: of the stage.
stage_block <- function(rows, data, at) {
  staged_rows(rows, c(numbers_of(rows$reader, data, at), list(at = at)))
}

# The same of a block that was read.
staged_rows <- function(rows, block) {
  check_seen(block, "domain", rows$domains)
  block$domain <- factor(block$domain, rows$domains)
  if (!is.null(rows$leave)) block <- without_domains(block, rows$leave)
  block$X <- apply_scaling(block$X, rows$scaling, block$domain)
  if (!is.null(rows$classes)) {
    check_seen(block, "class", rows$classes)
    block$y <- factor(block$y, rows$classes)
  }
  if (!is.null(rows$through) && nrow(block$X)) block$X <- scores_of(rows$through, block)
  block
}

# What the survey did not see was not there then.
check_seen <- function(block, what, known) {
  values <- block[[c(domain = "domain", class = "y")[[what]]]]
  new <- !values %in% known
  if (!any(new)) return(invisible())
  abort_row(block$at, block$kept[new][1L],
            paste0("has another ", what, " than in the pass before, \"", values[new][1L],
                   "\": the rows must be the same in every pass"))
}

# Rows of a block but for those of some domains.
without_domains <- function(block, leave) {
  kept <- !as.integer(block$domain) %in% leave
  block[c("X", "y", "domain", "weights", "kept")] <-
    lapply(block[c("X", "y", "domain", "weights", "kept")], take, kept)
  block
}

# The stage of a fit without some domains, by number: no label of theirs is seen; what their rows
# say without one, as scaling and embeddings, stays.
stage_without <- function(stage, domains) {
  survey <- stage$survey
  survey$n <- survey$n - sum(survey$sizes[domains])
  for (name in c("weights", "positive", "logs")) survey[[name]][domains] <- 0
  survey$response <- lapply(survey$response, function(values) {
    if (is.matrix(values)) values[domains, ] <- 0 else values[domains] <- 0
    values
  })
  stage$survey <- survey
  kept <- !as.integer(stage$sample$domain) %in% domains
  stage$sample[c("X", "y", "domain", "weights")] <-
    lapply(stage$sample[c("X", "y", "domain", "weights")], take, kept)
  stage$rows$leave <- domains
  with_left_classes(stage)
}

# A class that only domains have that are left out is none.
with_left_classes <- function(stage) {
  if (is.null(stage$survey$classes)) return(stage)
  table <- stage$survey$response$classes
  classes <- intersect(stage$survey$classes, colnames(table)[colSums(table) > 0])
  stage$survey$classes <- stage$rows$classes <- classes
  stage$sample$y <- factor(stage$sample$y, classes)
  stage
}

# A pass over the stage's rows. work: as in run_pass(), with block(sums, rows) of scaled rows.
stage_pass <- function(stage, work, label) {
  source <- stage$survey$source
  run_pass(source, stage$rows$reader$prototype, staged_work(stage$rows, work), label)
}

# Of its own, so that what goes to workers holds nothing else.
staged_work <- function(rows, work) {
  force(rows)
  force(work)
  list(start = work$start, add = work$add, block = function(sums, data, at) {
    block <- stage_block(rows, data, at)
    if (nrow(block$X) == 0L) sums else work$block(sums, block)
  })
}

# A pass for several stages of one survey, which reads a block once. work$block(sums, blocks) gets
# the rows as each stage sees them.
stages_pass <- function(stages, work, label) {
  rows <- lapply(stages, `[[`, "rows")
  run_pass(stages[[1L]]$survey$source, rows[[1L]]$reader$prototype, shared_work(rows, work), label)
}

shared_work <- function(rows, work) {
  force(rows)
  force(work)
  list(start = work$start, add = work$add, block = function(sums, data, at) {
    block <- c(numbers_of(rows[[1L]]$reader, data, at), list(at = at))
    if (nrow(block$X) == 0L) sums else work$block(sums, lapply(rows, staged_rows, block))
  })
}

# What every fit carries, without rows.
finish_source <- function(fitted, spec, stage) {
  survey <- stage$survey
  fitted$spec <- spec
  fitted$blueprint <- stage$sample$blueprint
  fitted$formula <- plain_formula(stage$survey$formula)
  fitted$rows <- list(kept = seq_len(0), padded = NULL, n = survey$n, sizes = survey$sizes,
                      weighted = !is.null(survey$reader$weights))
  fitted$domain <- factor(survey$domains, survey$domains)
  fitted
}
