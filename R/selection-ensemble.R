#' Ensemble of learners
#'
#' @description
#' The weighted mean of learners of any type: learners of this package, [dg_pipeline()]s, searches
#' ([dg_tune()], [dg_auto()]), other ensembles, and [learner_custom()],
#' \deqn{f(P, x) = \sum_m w_m f_m(P, x), \quad w_m \ge 0, \quad \sum_m w_m = 1.}{
#'   f(P, x) = sum_m w_m f_m(P, x), w_m >= 0, sum_m w_m = 1.}
#' Weights are equal, given, or stacked (Wolpert, 1992; Breiman, 1996): those with the smallest
#' squared error of predictions for *held-out domains*, one vote per domain,
#' \deqn{\min_w \sum_g \frac{1}{n_g} \sum_{i \in g} \Big(t_i - \sum_m w_m f_m^{-g}(P_i,
#'   x_i)\Big)^2,}{ min_w sum_g (1/n_g) sum_{i in g} (t_i - sum_m w_m f_m^-g(P_i, x_i))^2,}
#' with \eqn{f_m^{-g}}{f_m^-g} fitted without domain g (with more than 10 domains: without its
#' group, one of 10). This is a quadratic programme, solved by the quadprog package.
#'
#' @details
#' ## Common scale
#'
#' | response | member's value \eqn{f_m} | target t |
#' |---|---|---|
#' | numeric | prediction | response |
#' | two classes | 2p - 1, or the decision value cut at -1 and 1 | -1 or 1; the sign decides |
#' | more classes | per class: probability, or 1 for the predicted class | 1 for own class |
#' | censored times | logarithm of the hazard; the mean has a baseline of its own | none |
#'
#' Here p is the member's probability of the second level; the second form applies to members
#' without probabilities. Values of [dg_ridge()] are used as they are, without a cut.
#'
#' ## Held-out predictions
#' With a given `lambda`, [dg_ridge()] computes held-out predictions in closed form ([closed_form]),
#' one domain at a time. Other members are fitted again for each fold: a search repeats its search,
#' an inner ensemble its weights. If a member's probabilities are calibrated, the map for a domain
#' is learned from the held-out values of the other domains. Scaling, which uses no labels, is that
#' of all training rows.
#'
#' ## Scores
#' `held_out$scores` has a score per domain. Those of the ensemble are cross-fitted: each domain (or
#' group) is predicted with the weights chosen on the *other* domains, so that the choice of weights
#' does not make them optimistic. `dg_cv(model)` returns the same scores.
#' `print()` gives their [standard error][standard_errors], which is unknown for two domains. Report
#' [dg_cv()] of the ensemble, which learns everything again in each fold.
#'
#' @param members List of two or more learners or pipelines without data, named or not.
#' @param member_weights `"equal"` (default), `"stacked"`, or one non-negative number per member,
#'   not all zero; named numbers may be in any order.
#' @param calibration `"none"`: probabilities are the weighted means of the members' probabilities,
#'   if all members have them. `"platt"` or `"isotonic"`: the ensemble's values are calibrated on
#'   held-out domains, see [calibration].
#' @param terms Predictors of the ensemble alone, see [own_terms].
#' @param ... Must be empty: data are given to [fit()].
#' @return A specification for [fit()], [dg_cv()], [dg_compare()] and [dg_tune()] (a member's
#'   parameter is `"name.parameter"`, as in `svm.cost`). Fitted, an object of class `dg_ensemble`, a
#'   list with
#'   \item{members}{named list of fitted models}
#'   \item{coefficients}{the weights \eqn{w_m}, returned by `coef()`}
#'   \item{decision}{n x k values of f at the training rows}
#'   \item{held_out}{with `"stacked"`, a list: `values` (n x k, of the ensemble, cross-fitted; `NA`
#'     where a class occurs in no other domain), `scores` (domains x (ensemble, members)), the
#'     `metric`, and `folds` (of domains)}
#'   \item{calibration}{with `calibration`, a list, see [calibration]}
#'   and what `predict()` needs.
#' @section Errors:
#' Members that are not learners, fewer than two members, duplicated names, negative weights,
#' weights with other names than the members, data, `"stacked"` with fewer than two domains or with
#' censored times, and members that cannot be fitted to the response (such as [dg_mixed()] with
#' three classes) are errors.
#' @references
#' Breiman, L. (1996). Stacked regressions. *Machine Learning* 24, 49-64.
#'
#' Wolpert, D. H. (1992). Stacked generalization. *Neural Networks* 5(2), 241-259.
#' @seealso [dg_auto()], which chooses its members; [dg_compare()]
#' @examples
#' toy <- simulate_dica(domains = 6, n = 30, seed = 1)
#' spec <- dg_ensemble(list(ridge = dg_ridge(lambda = 1), linear = dg_lm(), mean = dg_null()),
#'                     member_weights = "stacked")
#' model <- fit(spec, y ~ . | domain, data = toy)
#' model
#' coef(model)
#' dg_cv(model)
#' @export
dg_ensemble <- function(members, member_weights = c("equal", "stacked"),
                        calibration = c("none", "platt", "isotonic"), terms = NULL, ...) {
  check_given(members, "members")
  dots <- list(...)
  # as it is with other learners: dg_ensemble(list(...), y ~ x | domain, data = rows)
  # `weights` was the name of `member_weights`
  data <- c(if (inherits(member_weights, "formula")) "formula",
            intersect(names(dots), setdiff(data_arguments, "weights")))
  if (length(data)) {
    abort("argument", "`", data[1L], "` must not be given: dg_ensemble() makes a specification. ",
          "Give the data to fit().")
  }
  check_no_dots(dots, names(formals(dg_ensemble)))
  members <- read_members(members)
  args <- list(members = members, member_weights = read_member_weights(member_weights, members),
               calibration = check_parameter(shared_parameters$calibration, calibration),
               terms = check_own_terms(terms, "terms"))
  row <- list(title = paste0("Ensemble of ", enumerate(names(members), length(members), "")),
              response = "open", domain = TRUE, parameters = ensemble_parameters,
              weights = all(vapply(members, takes_weights, NA)))
  new_spec("dg_ensemble", "dg_ensemble_spec", args, row)
}

ensemble_parameters <- function() parameters(
  parameter("members", tuned = FALSE),
  parameter("member_weights")
)

# Named by their methods where they have no names.
read_members <- function(members) {
  if (inherits(members, "dg_spec") || !is.list(members) || is.object(members)) {
    abort("argument", "`members` must be a list of learners, such as `list(dg_svm(), ",
          "dg_ridge())`, not ", describe(members), ".")
  }
  if (length(members) < 2L) {
    abort("argument", "`members` must be at least two learners, not ", length(members), ".")
  }
  members <- lapply(members, read_specification, "members")
  for (member in members) check_no_own_terms(member, "members", "dg_ensemble")
  given <- names(members)
  if (is.null(given)) given <- rep("", length(members))
  open <- is.na(given) | given == ""
  given[open] <- vapply(members[open], function(m) sub("^dg_", "", m$method), "")
  if (anyDuplicated(given[!open])) {
    abort("argument", "`members` must have different names; given twice: ",
          enumerate(unique(given[duplicated(given)]), quote = "\""), ".")
  }
  stats::setNames(members, make.unique(given, "_"))
}

read_member_weights <- function(weights, members) {
  if (!is.numeric(weights)) return(check_choice(weights, "member_weights", c("equal", "stacked")))
  if (!is.null(names(weights)) && length(weights) == length(members)) {
    if (!setequal(names(weights), names(members))) {
      abort("argument", "`member_weights` must have the names of the members, ",
            enumerate(names(members), length(members), "\""), ", or none, not ",
            enumerate(names(weights), length(weights), "\""), ".")
    }
    weights <- weights[names(members)]
  }
  fine <- length(weights) == length(members) && all(is.finite(weights)) && all(weights >= 0) &&
    sum(weights) > 0
  if (!fine) {
    abort("argument", "`member_weights` must be \"equal\", \"stacked\", or ", length(members),
          " numbers that are not negative and not all 0, not ",
          if (length(weights) %in% 2:5) paste(format(weights, trim = TRUE), collapse = ", ")
          else describe(weights), ".")
  }
  # their sum may leave the range of a double
  as.double(weights / max(weights))
}

#' @exportS3Method
spec_needs.dg_ensemble_spec <- function(spec) {
  needs <- lapply(spec$args$members, spec_needs)
  wishes <- lapply(needs, `[[`, "columns")
  plain <- vapply(wishes, is.null, NA)
  ordinal <- any(vapply(needs, `[[`, "", "response") == "ordinal")
  list(response = if (ordinal) "ordinal" else "open", domain = TRUE, terms = spec$args$terms,
       reference = all(vapply(needs, function(need) isTRUE(need$reference), NA)),
       columns = if (!all(plain)) {
         unique(do.call(c, c(wishes, if (any(plain)) list(list(default_wish)))))
       })
}

# Members are placed when their scaling is known.
#' @exportS3Method
place_spec.dg_ensemble_spec <- function(spec, columns) spec

# Of a member by its name in front, or alone where one member knows it.
#' @exportS3Method
find_parameter.dg_ensemble_spec <- function(spec, name, all = FALSE) {
  members <- spec$args$members
  front <- names(members)[startsWith(name, paste0(names(members), "."))]
  if (length(front)) {
    front <- front[which.max(nchar(front))]
    place <- find_parameter(members[[front]], substring(name, nchar(front) + 2L), all)
    if (!is.null(place)) return(in_member(place, front))
  }
  if (name %in% c("member_weights", "members", "calibration", "terms")) return(NextMethod())
  places <- Filter(Negate(is.null), lapply(members, find_parameter, name, all))
  if (length(places) > 1L) {
    abort("argument", "`", name, "` is a parameter of several members; use `",
          paste0(names(places), ".", name, collapse = "`, `"), "`.")
  }
  if (length(places)) in_member(places[[1L]], names(places))
}

in_member <- function(place, member) {
  list(part = c("args", "members", member, place$part), path = place$path)
}

#' @exportS3Method
known_parameters.dg_ensemble_spec <- function(spec) {
  members <- spec$args$members
  c("member_weights", unlist(lapply(names(members), function(name) {
    paste0(name, ".", setdiff(known_parameters(members[[name]]), "terms"))
  })))
}

#' @exportS3Method
spec_gives.dg_ensemble_spec <- function(spec, classes = NULL) {
  gives <- function(member) "prob" %in% spec_gives(innermost(member), classes)
  if (all(vapply(spec$args$members, gives, NA)) || wants_probabilities(spec)) "prob"
}

#' @export
print.dg_ensemble_spec <- function(x, ...) {
  cat_line("An ensemble (specification: give it data with fit()), weights: ",
           paste(format(x$args$member_weights), collapse = ", "))
  for (name in names(x$args$members)) {
    cat_line("\n", name, ":")
    print(x$args$members[[name]])
  }
  invisible(x)
}
