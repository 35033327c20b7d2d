# A model whose domains are described once and for all. What it asks of the rows that describe them
# are the questions of method-known-domains.R, answered here by one data frame; what is left for
# predict() is to know that they are answered: blueprint$described has the names of the domains.

#' Fix the rows that describe the domains
#'
#' @description
#' With a kernel between domains, scaling or imputation by domain, or `domain_means = TRUE`, a
#' prediction depends on the other unlabelled rows of its domain. `set_reference()` gives the model
#' with these descriptions taken from `rows`, once and for all: it predicts each row of `newdata`
#' alone, as `predict(model, newdata, reference = rows)` does. Whatever hands `predict()` rows that
#' nobody observed (partial dependence, permutation importance, counterfactual contrasts, Shapley
#' values, a service that is asked for one row at a time) needs such a model, see [model_tools].
#'
#' @details
#' A partial dependence curve sets one predictor of all rows to the same value. To a model that
#' judges a row by its domain that is not a question about the predictor alone: the domain has moved
#' as a whole, its kernel mean, its standard deviation (which is 0 now) and with them every
#' prediction. With the reference fixed the domain stays where it was.
#'
#' Everything that depends on the domain is fixed: kappa between the domains of `rows` and those of
#' training, means and standard deviations, the values for imputation. [dg_pipeline()]s, ensembles,
#' models of [dg_auto()] and [dg_tune()] are fixed in all their parts. [dg_mixed()] is told the
#' domain of its rows. A model that makes no difference between domains predicts as before.
#'
#' * Where `rows` are of one domain, `newdata` need not say the domain. Where they are of several,
#'   the domain column (or `domain`) says which description each row uses.
#' * `fitted()`, `residuals()`, and `predict()` without `newdata` are those of the model: training
#'   rows as training described them. `update()` fits anew, without a reference.
#' * The model can be saved with [saveRDS()], and the rows are not kept with it: of a domain there
#'   remain its kappa with each training domain (or the coordinates of its mean embedding), and its
#'   moments. With an exact kernel it is smaller than the model, which keeps the training rows
#'   twice, for their kernel and for their embeddings.
#'
#' @param model A fitted model: a learner, projection, [dg_pipeline()], ensemble, of [dg_auto()] or
#'   [dg_tune()]; or a fit of [domain_learner()], alone or in a workflow.
#' @param data Unlabelled rows of one or several domains, like `newdata` of
#'   [predict()][predict.dg_learner()] (of a workflow as they come, before its recipe); or
#'   `"training"`: the training domains as they were, which a model with a feature map cannot give
#'   (give it the training data).
#' @param domain Domain of each row of `rows`, when it is not a column of it; one value if all rows
#'   are from one domain.
#' @param ... Not used; an argument that is not known is an error.
#' @return The model (in a fit of parsnip or a workflow the engine's), with the class `dg_fixed` in
#'   front of its own, and
#'   \item{reference}{list with the `domains` that are described (`NULL` where the model makes no
#'     difference between domains), the number of complete `rows`, and `training`, whether they are
#'     those of training}
#' @section Errors:
#' In `set_reference()`: a model that is fixed already, or was [adapted][dg_adapt()] to a domain,
#' which fixes it too; `rows` without a complete row, without the domain where it is needed, or with
#' other columns than `newdata` may have; a `domain` beside `"training"`. In `predict()`: a domain
#' that `rows` did not have, which is named; `reference`. [simulate()][predict.dg_gp()] draws rows
#' of one domain at a time.
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
set_reference <- function(model, data, domain = NULL, ...) {
  check_no_dots(list(...), names(formals(set_reference)))
  check_given(model, "model")
  check_given(data, "data")
  UseMethod("set_reference")
}

#' @exportS3Method
set_reference.default <- function(model, data, domain = NULL, ...) {
  check_fixable(model)
  check_describing(data, domain)
  known <- read_reference(model, data, domain, "na", "data")
  training <- identical(known, "training")
  if (!training && nrow(known$X) == 0L) {
    abort("data", "`data` must have at least one complete row.")
  }
  named <- uses_other_rows(model) || reads_domain(model)
  domains <- if (named) if (training) levels(model$domain) else levels(known$domain)
  model <- describe_domains(model, known, function(model, questions, rows) {
    lapply(questions, function(question) question$ask(rows))
  })
  if (length(domains)) model$blueprint$described <- domains
  model$reference <- list(domains = domains, training = training,
                          rows = if (training) length(model$domain) else nrow(known$X))
  class(model) <- c("dg_fixed", class(model))
  seal(model)
}

check_describing <- function(data, domain) {
  training <- identical(data, "training")
  if (is.null(data) || is.character(data) && is.null(dim(data)) && !training) {
    abort("argument", "`data` must be a data frame, a matrix or \"training\", not ",
          describe(data), ".")
  }
  if (training && !is.null(domain)) {
    abort("argument", "`domain` must not be given with `data = \"training\"`: training rows have ",
          "their domains.")
  }
}

check_fixable <- function(model) {
  if (!inherits(model, "dg_fit")) {
    abort("argument", "`model` must be a fitted model, not ",
          if (inherits(model, "dg_spec")) "a specification: give it data with fit() first"
          else describe(model), ".")
  }
  check_sealed(model, "model")
  if (is_fixed(model)) {
    abort("argument", "`model` has a fixed reference already: give the model that it was made of.")
  }
  # dg_adapt() fixes its domain
  if (inherits(model, "dg_adapted")) {
    abort("argument", "`model` was adapted to its domain, which is described since then: it ",
          "predicts each row alone as it is.")
  }
}

is_fixed <- function(object) !is.null(object$reference)

# known: what read_reference() gives; ask(model, questions, rows): the answers, rows being those of
# the reference; NULL: there is nothing to ask of.
describe_domains <- function(model, known, ask) {
  if (!uses_other_rows(model)) return(model)
  if (imputes_by_domain(model$blueprint)) {
    own <- if (is.list(known)) known$own else if (!is.null(known)) model$blueprint$impute$own
    # needs all of a domain's rows together
    if (is.null(own)) {
      abort("argument", "`newdata` must be a data frame, or `reference` be given: the model ",
            "imputes the median of a row's domain, for which the domain's rows must be together.")
    }
    model$blueprint$impute$known <- own
  }
  rows <- if (is.list(known)) list(X = known$X, domain = known$domain, scaled = FALSE)
          else if (!is.null(known) && describes_domain(model)) {
            # those of training as they are stored: scaled, but for ensembles
            c(training_rows(model)[c("X", "domain")], list(scaled = is.null(model$members)))
          }
  warned_of_domains({
    while (length(questions <- scaled_questions(model))) {
      answers <- ask(model, questions, rows)
      if (is.null(answers)) break
      model <- scaled_answered(model, answers)
    }
  })
  model
}

# Is the model for such rows, and its reference open?
check_new <- function(object, newdata, domain, reference, reference_domain) UseMethod("check_new")

#' @exportS3Method
check_new.default <- function(object, newdata, domain, reference, reference_domain) {
  if (is_fixed(object) && !(is.null(reference) && is.null(reference_domain))) {
    abort("argument", "`reference` must not be given: that of the model is fixed, by ",
          "set_reference(); the model that it was made of takes another.")
  }
}

#' @export
print.dg_fixed <- function(x, ...) {
  NextMethod()
  from_whole(x, describe_reference(x$reference), "x")
  invisible(x)
}

describe_reference <- function(known) {
  cat_field("reference", "fixed: ", if (is.null(known$domains)) {
    "domains make no difference; each row is predicted alone"
  } else {
    paste0(plural(length(known$domains), "domain"), " (", enumerate(known$domains, quote = "\""),
           ") as described by ", plural(known$rows, "row"), if (known$training) " of training",
           "; each row is predicted alone")
  })
}
