#' Pipeline: a projection, then a learner
#'
#' A projection replaces the predictors by a few components. The learner is then fitted to the
#' values of the training rows on these components, their *scores*. The learner's domain kernel, for
#' example [domain_distribution()], also compares the *projected* domains.
#'
#' The learner's default kernel is [kernel_linear()] on the scores. This is the kernel
#' \eqn{\tilde K = K B B' K}{K B B' K} of the projection itself (DICA paper, equation 5 and section
#' 3.2), divided by its mean diagonal. The division is needed because directions of length
#' \eqn{b'Db = 1} have tiny scores. Without it, any usual `cost` would shrink the learner to a
#' constant.
#'
#' @param projection Projection without data, such as `dg_dica(ncomp = 2)`.
#' @param learner Learner without data, such as `dg_svm(cost = 10)`.
#' @param terms Predictors of the pipeline alone, see [own_terms].
#' @return A specification for [fit()], [dg_cv()] and [dg_compare()]. Fitted, it is a `dg_pipeline`,
#'   a list with the fitted models `projection` and `learner`, and `unit`, the number by which
#'   scores are divided. It predicts as [the learner][predict.dg_learner()] does.
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' spec <- dg_pipeline(dg_dica(ncomp = 1, lambda = 0.1), dg_svm(domain_kernel = domain_pooled()))
#' model <- fit(spec, y ~ . | domain, data = toy)
#' model
#' table(predict(model, toy), toy$y)
#' @export
dg_pipeline <- function(projection, learner, terms = NULL) {
  check_given(projection, "projection")
  check_given(learner, "learner")
  if (!inherits(projection, "dg_projection_spec")) {
    abort("argument", "`projection` must be a projection without data, such as ",
          "`dg_dica(ncomp = 2)`, not ", describe(projection), ".")
  }
  if (!inherits(learner, "dg_spec") ||
        inherits(learner, c("dg_projection_spec", "dg_pipeline_spec"))) {
    abort("argument", "`learner` must be a learner without data, such as `dg_svm(cost = 1)`, not ",
          describe(learner), ".")
  }
  if (isTRUE(learner$args$domain_means)) {
    abort("argument", "`domain_means` must be FALSE after a projection, which takes the ",
          "predictors.")
  }
  check_no_own_terms(learner, "learner", "dg_pipeline")
  kernel <- "kernel" %in% setdiff(names(learner$args), method_of(learner)$own)
  if (kernel && is.null(learner$args$kernel)) {
    learner$args$kernel <- kernel_linear()
  }
  title <- paste0(method_of(projection)$title, ", then ", learner$method, "()")
  structure(list(method = "dg_pipeline", projection = projection, learner = learner,
                 row = list(title = title), terms = check_own_terms(terms, "terms")),
            class = c("dg_pipeline_spec", "dg_spec"))
}

#' @exportS3Method
spec_needs.dg_pipeline_spec <- function(spec) {
  needs <- spec_needs(spec$projection)
  response <- spec_needs(spec$learner)$response
  needs$response <- if (response %in% c("open", "ordinal")) response else "any"
  needs$domain <- needs$domain || spec_needs(spec$learner)$domain
  needs$terms <- spec$terms
  needs$several <- NULL
  needs
}

#' @exportS3Method
fit_rows.dg_pipeline_spec <- function(spec, rows, shared = new_shared()) {
  first <- shared_value(shared, "projected", list(spec$projection, rows), project_rows,
                      spec$projection, rows, shared)
  learner <- fit_part(spec$learner, first$rows, first$shared)
  learner <- seal(learner)
  chained <- list(projection = first$projection, unit = first$projection$size, learner = learner,
                  decision = learner$decision, response = learner$response,
                  weights = kept_values(rows, rows$sample$weights, numeric()),
                  y = kept_values(rows, rows$sample$y))
  structure(chained, class = c("dg_pipeline", "dg_learner", "dg_fit"))
}

# list(projection: fitted, rows: see rows_through(), shared: of the learners' fits).
project_rows <- function(spec, rows, shared) {
  if (is.null(shared$before)) {
    shared$before <- new_shared(lapply(shared$specs, `[[`, "projection"))
  }
  projection <- fit_part(spec, rows, shared$before)
  projection <- seal(projection)
  plain <- place_spec(spec, NULL)
  same <- Filter(function(other) identical(other$projection, plain), shared$specs)
  list(projection = projection, rows = rows_through(rows, projection),
       shared = new_shared(lapply(same, `[[`, "learner")))
}

#' @exportS3Method
takes_passes.dg_pipeline_spec <- function(spec) {
  takes_passes(spec$projection) && takes_passes(spec$learner)
}

# The rows as the learner after a projection gets them: scores in the place of predictors.
rows_through <- function(rows, projection) {
  if (!only_sums(rows)) {
    rows$sample$X <- projection$scores / projection$size
    return(rows)
  }
  through <- list(space = projection$space, directions = projection$directions,
                  centre = projection$centre, unit = projection$size,
                  table = rows_table(rows, projection$space))
  rows$reading$through <- through
  rows$sample$X <- scores_of(through, rows$sample)
  rows
}

# block: as scale_block() gives it.
scores_of <- function(through, block) {
  values <- expand_rows(through$space, block[c("X", "domain")], through$table, through$directions)
  values <- sweep(values, 2L, through$centre) / through$unit
  colnames(values) <- colnames(through$directions)
  values
}

#' @exportS3Method
decision.dg_pipeline <- function(object, new) decision(object$learner, learner_rows(object, new))

#' @exportS3Method
similarity.dg_pipeline <- function(object, new) {
  similarity(object$learner, learner_rows(object, new))
}

#' @exportS3Method
posterior.dg_pipeline <- function(object, new = NULL, draws = 0L) {
  posterior(object$learner, if (!is.null(new)) learner_rows(object, new), draws)
}

# The scores of new rows, and of the rows that describe their domains.
#' @exportS3Method
learner_rows.dg_pipeline <- function(object, new) {
  project <- function(X, domain) {
    scores <- decision(object$projection,
                       list(X = X, domain = domain, reference = new$reference))
    scores / object$unit
  }
  reference <- new$reference
  list(X = project(new$X, new$domain), domain = new$domain,
       reference = if (!is.null(reference)) list(X = project(reference$X, reference$domain),
                                                 domain = reference$domain))
}

#' @exportS3Method
learner_of.dg_pipeline <- function(object) object$learner

#' @exportS3Method
describes_domain.dg_pipeline <- function(object) {
  describes_domain(object$projection) || describes_domain(object$learner)
}

#' @exportS3Method
reads_domain.dg_pipeline <- function(object) reads_domain(object$learner)

#' @exportS3Method
training_rows.dg_pipeline <- function(object) training_rows(object$projection)

#' @exportS3Method
describe_fit.dg_pipeline <- function(x) {
  heading <- function(...) list(fact(paste0(...), character()))
  c(heading("Projection"), describe_fit(x$projection),
    heading("Learner on ", plural(length(x$projection$values), "component")),
    describe_fit(x$learner))
}

#' @export
coef.dg_pipeline <- function(object, ...) coef(object$learner)

#' @export
print.dg_pipeline_spec <- function(x, ...) {
  cat_line("A pipeline (specification: give it data with fit())\n")
  print(x$projection)
  cat_line("")
  print(x$learner)
  invisible(x)
}
