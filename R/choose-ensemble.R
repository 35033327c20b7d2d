#' An ensemble of learners
#'
#' @description
#' The weighted mean of learners of any kind: machines of this package, [dg_pipeline()]s, searches
#' ([dg_tune()], [dg_auto()]), other ensembles, [learner_custom()] and the ready learners
#' ([dg_forest()], [dg_boost()], [dg_net()], [dg_mixed()], [dg_gam()]),
#' \deqn{f(P, x) = \sum_m w_m f_m(P, x), \quad w_m \ge 0, \quad \sum_m w_m = 1.}{
#'   f(P, x) = sum_m w_m f_m(P, x), w_m >= 0, sum_m w_m = 1.}
#' The weights are equal, or those with which the predictions of *left-out domains* have the
#' smallest squared error ("stacking", Wolpert, 1992; Breiman, 1996), each domain one vote,
#' \deqn{\min_w \sum_g \frac{1}{n_g} \sum_{i \in g} \Big(t_i - \sum_m w_m f_m^{-g}(P_i,
#'   x_i)\Big)^2,}{ min_w sum_g (1/n_g) sum_{i in g} (t_i - sum_m w_m f_m^-g(P_i, x_i))^2,}
#' with \eqn{f_m^{-g}}{f_m^-g} fitted without domain g (of more than 10 domains: without its group,
#' of 10): a quadratic programme, solved by the quadprog package.
#'
#' @details
#' **On one scale.** Of a number \eqn{f_m} is the prediction and t the response. Of two classes
#' \eqn{f_m = 2p - 1} where the member has probabilities p of the second level, else its decision
#' value, cut at -1 and 1, and t is -1 or 1: the sign decides. Of more classes it is a column of
#' probabilities for each; a member without probabilities votes with its class (1 for that, 0 for
#' the others), and t is 1 in the column of the class. Decision values of [dg_ridge()] and
#' [dg_lm()]'s probabilities are of this scale already and not cut.
#'
#' **Left-out predictions.** Of [dg_ridge()] with a given `lambda` they come in closed form, as in
#' [dg_lodo()], each domain by itself however many there are; other members are fitted again, a
#' search with its search, an inner ensemble with its weights. Where a member's probabilities are
#' calibrated, the map of a domain is learned from the left-out values of the others. Scaling is
#' that of all training rows, which uses no labels.
#'
#' **Scores.** `scores` are by domain. Those of the ensemble are cross-fitted: each domain (or
#' group) is predicted with the weights that the *other* domains ask for, so that choosing weights
#' makes them no better than they are; [dg_lodo()] gives the same as a [dg_cv()] result. The
#' standard error that `print()` gives is that of [dg_lodo()], which allows for overlapping training
#' sets, and unknown of two domains. [dg_cv()] of the ensemble learns everything anew in each fold,
#' and is what to report.
#'
#' Members that a fit cannot make (say, [dg_mixed()] of three classes) are errors.
#'
#' @param members List of learners or pipelines without data, two or more, named or not.
#' @param member_weights `"equal"`, `"stacked"`, or numbers, one per member, not negative and not
#'   all zero; with names those of the members, in any order.
#' @param calibration `"none"`: probabilities are the weighted means of the members', if all have
#'   them. `"platt"`, `"isotonic"`: the ensemble's values are calibrated on held-out domains, see
#'   [dg_svm()].
#' @param ... Must be empty: [fit()] gives it data.
#' @return A specification for [fit()], [dg_cv()], [dg_compare()] and [dg_tune()] (a parameter of a
#'   member is `"name.parameter"`, as in `svm.cost`). Fitted, an object of class `dg_ensemble`, a
#'   list with
#'   \item{members}{named list of fitted models}
#'   \item{coefficients}{the weights \eqn{w_m}, which `coef()` gives}
#'   \item{decision}{n x k values of f at the training rows}
#'   \item{held_out}{with `"stacked"` a list: `values` (n x k, of the ensemble, cross-fitted; `NA`
#'     where there are none, as in the only domain with a class), `scores` (domains x (ensemble,
#'     members), the `metric`), `folds` (of domains)}
#'   \item{calibration}{with probabilities that are calibrated a list, see [dg_svm()]}
#'   and what `predict()` needs.
#' @section Errors:
#' A member that is no learner, less than two of them, names that occur twice, weights that are
#' negative or have other names than the members, data, and `"stacked"` with fewer than two domains.
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
#' dg_lodo(model)
#' @export
dg_ensemble <- function(members, member_weights = c("equal", "stacked"),
                        calibration = c("none", "platt", "isotonic"), ...) {
  check_given(members, "members")
  dots <- list(...)
  # as it is with other learners: dg_ensemble(list(...), y ~ x | domain, data = rows)
  data <- c(if (inherits(member_weights, "formula")) "formula",
            intersect(names(dots), data_arguments))
  if (length(data)) {
    abort("argument", "`", data[1L], "` must not be given: dg_ensemble() makes a specification, ",
          "which fit() gives data.")
  }
  check_no_dots(dots, names(formals(dg_ensemble)))
  members <- read_members(members)
  args <- list(members = members, member_weights = read_member_weights(member_weights, members),
               calibration = shared_parameters$calibration$check(calibration, "calibration"))
  parts <- list(title = paste0("Ensemble of ", enumerate(names(members), length(members), "")),
                response = "any", domain = TRUE, parameters = ensemble_parameters,
                weights = all(vapply(members, takes_weights, NA)))
  new_spec("dg_ensemble", c("dg_ensemble_spec", "dg_spec"), parts, args)
}

ensemble_parameters <- function() parameters(
  parameter("members", as_it_is, tuned = FALSE),
  parameter("member_weights", as_it_is)
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
  given <- names(members)
  if (is.null(given)) given <- rep("", length(members))
  open <- is.na(given) | given == ""
  given[open] <- vapply(members[open], function(m) sub("^dg_", "", m$method), "")
  if (anyDuplicated(given[!open])) {
    abort("argument", "`members` must have names that differ, not twice ",
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
  list(response = "any", domain = TRUE,
       columns = if (!all(plain)) {
         unique(do.call(c, c(wishes, if (any(plain)) list(list(plain_wish)))))
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
    found <- find_parameter(members[[front]], substring(name, nchar(front) + 2L), all)
    if (!is.null(found)) return(in_member(found, front))
  }
  if (name %in% c("member_weights", "members", "calibration")) return(NextMethod())
  found <- Filter(Negate(is.null), lapply(members, find_parameter, name, all))
  if (length(found) > 1L) {
    abort("argument", "`", name, "` is a parameter of several members: say `",
          paste0(names(found), ".", name, collapse = "`, `"), "`.")
  }
  if (length(found)) in_member(found[[1L]], names(found))
}

in_member <- function(found, member) {
  list(part = c("args", "members", member, found$part), path = found$path)
}

#' @exportS3Method
known_parameters.dg_ensemble_spec <- function(spec) {
  members <- spec$args$members
  c("member_weights", unlist(lapply(names(members), function(name) {
    paste0(name, ".", known_parameters(members[[name]]))
  })))
}

#' @exportS3Method
spec_gives.dg_ensemble_spec <- function(spec) {
  own <- vapply(spec$args$members, function(m) "prob" %in% spec_gives(innermost(m)), NA)
  if (all(own) || wants_probabilities(spec)) "prob"
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
