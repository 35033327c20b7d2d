# A model whose domains are described once and for all. One data frame answers the questions of
# method-known-domains.R; blueprint$described, the names of these domains, tells predict() that they
# are answered.

#' Fix the rows that describe the domains
#'
#' @description
#' With a domain kernel, scaling or imputation by domain, or `domain_means = TRUE`, a prediction
#' depends on the other unlabelled rows of its domain. `set_reference()` takes these descriptions
#' from `newdata`, once: the returned model then predicts each row alone, as
#' `predict(model, rows, reference = newdata)` does. Tools that call `predict()` with rows that
#' nobody observed need such a model: partial dependence, permutation importance, counterfactuals,
#' Shapley values, and services that receive one row at a time. See [model_tools].
#'
#' @details
#' **Why.** A partial dependence curve sets one predictor to the same value in all rows. If the
#' model uses the domain's other rows, this changes the domain as a whole: its mean embedding, its
#' standard deviation (now 0), and with them every prediction. With a fixed reference the
#' description of the domain stays.
#'
#' **What is fixed.** Kappa between the domains of `newdata` and those of training, means and
#' standard deviations, and values for imputation; in [dg_pipeline()]s, ensembles and models of
#' [dg_auto()] and [dg_tune()], in all parts. In [dg_mixed()], the domain of the rows is fixed. A
#' model that does not use domains predicts as before.
#'
#' * If `newdata` are from one domain, rows to predict need no domain. Otherwise their domain column
#'   (or `domain`) selects the description for each row.
#' * `fitted()`, `residuals()`, and `predict()` without rows still use training rows as
#'   training described them. `update()` fits again, without a reference.
#' * The model can be saved with [saveRDS()]. It does not contain `newdata`, only kappa of each
#'   domain with the training domains (or the features of its mean embedding) and its moments. With
#'   an exact kernel it is smaller than the original, which keeps the training rows twice, for their
#'   kernel and for their embeddings.
#'
#' ## Rows that describe a domain They are the rows of `newdata` here, else in `predict()` those of
#' `reference` with the same domain, else the domain's rows in `newdata`. They matter only with a
#' domain kernel, scaling or imputation by domain, or `domain_means = TRUE`; their order does not. A
#' domain that is described by a single row, or by fewer than 20 and less than a fifth of what most
#' training domains have, gives a warning of class `domgen_warning_small_domain`. A training domain
#' is described only by its rows in `newdata`, so that predictions differ from `fitted()`, unless
#' `reference = "training"`: then by the rows (or their moments) that the model has stored. A model
#' with a feature map stores none.
#'
#' @param object A fitted model: a learner, projection, [dg_pipeline()] or ensemble, also of
#'   [dg_auto()] or [dg_tune()]; or a fit of [domain_learner()], alone or in a workflow.
#' @param newdata Unlabelled rows of one or several domains, as for
#'   [predict()][predict.dg_learner()] (for a workflow, before its recipe); or `"training"`, the
#'   training domains as they were. A model with a feature map keeps no training rows: give it the
#'   training data.
#' @param domain Domain of each row of `newdata`, if it is not a column; one value if all rows are
#'   from one domain.
#' @param ... Empty: an unknown argument is an error.
#' @return The model (in a fit of parsnip or a workflow, the engine's model) with the additional
#' first class `dg_fixed`, and
#'   \item{reference}{list with `domains`, the described domains (`NULL` if the model does not use
#'     domains); `rows`, the number of complete rows; and `training`, `TRUE` for training rows}
#' @section Errors:
#' In `set_reference()`: a model whose reference is fixed already, or that was [adapted][dg_adapt()]
#' to a domain, which fixes it too; `newdata` without a complete row, without a needed domain, or
#' with other columns than [predict()][predict.dg_learner] takes; `domain` with `"training"`; a
#' workflow whose recipe has a step that uses the domain's other rows. In `predict()`: a domain that
#' `newdata` did not have; the argument `reference`.
#' [simulate()][simulate.dg_gp()] draws rows of one domain at a time.
#' @seealso [model_tools] for the tools that need it; [predict.dg_learner()]
#' @examples
#' toy <- simulate_dcm(domains = 6, n = 40, seed = 1)
#' new <- subset(toy, domain == levels(domain)[6])
#' model <- dg_svm(y ~ . | domain, data = subset(toy, domain != levels(domain)[6]))
#' fixed <- set_reference(model, new)
#' fixed
#' # one row alone, without its domain, is predicted as it is among the others
#' predict(fixed, subset(new, select = -domain)[1, ], type = "decision")
#' predict(model, new, type = "decision")[1]
#'
#' # the mean prediction where one predictor is set to the same value in all rows: scaled by
#' # domain it is constant, and its value makes no difference, unless the reference is fixed
#' ridge <- dg_ridge(y ~ . | domain, data = simulate_dica(5, 30, seed = 1), lambda = 1,
#'                   scale = "domain")
#' rows <- simulate_dica(1, 30, seed = 2)
#' for (model in list(ridge, set_reference(ridge, rows))) {
#'   print(sapply(c(-2, 0, 2), function(at) mean(predict(model, replace(rows, "x1", at)))))
#' }
#' @export
set_reference <- function(object, newdata, domain = NULL, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(set_reference)))
  check_given(object, "object")
  check_given(newdata, "newdata")
  UseMethod("set_reference")
}

#' @exportS3Method
set_reference.default <- function(object, newdata, domain = NULL, ...) {
  check_fixable(object)
  check_describing(newdata, domain)
  reference <- read_reference(object, newdata, domain, "na", "newdata")
  training <- identical(reference, "training")
  if (!training && nrow(reference$X) == 0L) {
    abort("data", "`newdata` must have at least one complete row.")
  }
  named <- uses_other_rows(object) || reads_domain(object)
  domains <- if (named) if (training) levels(object$domain) else levels(reference$domain)
  object <- describe_domains(object, reference, function(object, questions, describing) {
    lapply(questions, function(question) question$ask(describing))
  })
  if (length(domains)) object$blueprint$described <- domains
  object$reference <- list(domains = domains, training = training,
                           rows = if (training) length(object$domain) else nrow(reference$X))
  class(object) <- c("dg_fixed", class(object))
  seal(object)
}

check_describing <- function(newdata, domain) {
  training <- identical(newdata, "training")
  if (is.null(newdata) || is.character(newdata) && is.null(dim(newdata)) && !training) {
    abort("argument", "`newdata` must be a data frame, a matrix or \"training\", not ",
          describe(newdata), ".")
  }
  if (training && !is.null(domain)) {
    abort("argument", "`domain` must not be given with `newdata = \"training\"`: training rows ",
          "have their domains.")
  }
}

check_fixable <- function(model) {
  if (!inherits(model, "dg_fit")) {
    abort("argument", "`object` must be a fitted model, not ",
          if (inherits(model, "dg_spec")) "a specification: give it data with fit() first"
          else describe(model), ".")
  }
  check_sealed(model)
  if (is_fixed(model)) {
    abort("argument", "`object` has a fixed reference already. Use the original model.")
  }
  # dg_adapt() fixes its domain
  if (inherits(model, "dg_adapted")) {
    abort("argument", "`object` was adapted to its domain, which fixed its reference: it already ",
          "predicts each row alone.")
  }
}

is_fixed <- function(object) !is.null(object$reference)

# reference: what read_reference() gives; ask(model, questions, describing): the answers, where the
# reference has rows with them; NULL: there is nothing to ask of.
describe_domains <- function(model, reference, ask) {
  if (!uses_other_rows(model)) return(model)
  by_rows <- is.list(reference)
  if (imputes_by_domain(model$blueprint)) {
    imputed <- if (by_rows) reference$own
               else if (!is.null(reference)) model$blueprint$impute$own
    # needs all of a domain's rows together
    if (is.null(imputed)) {
      abort("argument", "`newdata` must be a data frame, or `reference` be given: the model ",
            "imputes by domain, which needs all rows of a domain together.")
    }
    model$blueprint$impute$known <- imputed
  }
  describing <- if (by_rows) list(X = reference$X, domain = reference$domain, scaled = FALSE)
                else if (!is.null(reference) && describes_domain(model)) {
                  # those of training as they are stored: scaled, but for ensembles
                  c(training_rows(model)[c("X", "domain")], list(scaled = is.null(model$members)))
                }
  # where values are imputed and nothing is asked
  sizes <- if (by_rows && imputes_by_domain(model$blueprint)) sizes_by_domain(reference$domain)
  warned_of_domains({
    while (length(questions <- scaled_questions(model))) {
      answers <- ask(model, questions, describing)
      if (is.null(answers)) break
      sizes <- answered_sizes(answers[[1L]])
      model <- scaled_answered(model, answers)
    }
  })
  if (identical(reference, "training")) sizes <- sizes[!names(sizes) %in% levels(model$domain)]
  warn_few_rows(model, sizes)
  model
}

# Is the model for such rows, and its reference open?
check_new <- function(object, newdata, domain, reference, reference_domain) UseMethod("check_new")

#' @exportS3Method
check_new.default <- function(object, newdata, domain, reference, reference_domain) {
  if (is_fixed(object) && !(is.null(reference) && is.null(reference_domain))) {
    abort("argument", "`reference` cannot be given: it has been fixed, by set_reference(). ",
          "Use the original model.")
  }
}

reference_fact <- function(fixed) {
  if (is.null(fixed)) return(NULL)
  fact("reference", "fixed: ", if (is.null(fixed$domains)) {
    "domains make no difference; each row is predicted alone"
  } else {
    paste0(plural(length(fixed$domains), "domain"), " (", enumerate(fixed$domains, quote = "\""),
           ") as described by ", plural(fixed$rows, "row"), if (fixed$training) " of training",
           "; each row is predicted alone")
  })
}
