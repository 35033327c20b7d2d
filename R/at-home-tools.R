# What tools for any model share: that a domain does not move with the rows that they make up. Which
# values they are given is said by tool_values(). Methods for the generics of a package are in
# at-home-<package>.R, registered when it is loaded.

# what: which rows come, as in "DALEX makes up rows".
warn_moving <- function(model, what) {
  if (!uses_other_rows(model) || is_fixed(model)) return(invisible())
  warn("moving", what, ", and this model describes a domain by the rows that come together: give ",
       "it set_reference(model, rows), which judges each row alone; see ?model_tools.")
}

#' Tools for any model
#'
#' @description
#' How models of domgen go into packages that explain, slim, describe or serve models of any kind.
#' None of these packages is needed by domgen, and their methods are registered when they are
#' loaded.
#'
#' | tool | what to call | fixed reference? |
#' |---|---|---|
#' | marginaleffects | `avg_predictions(fixed)`, `avg_slopes(fixed)`, ... | yes, else a warning |
#' | DALEX | `explain(fixed, data = x, y = y)`, then all of it | yes, else a warning |
#' | iml | `Predictor$new(fixed, data = x, y = y)`, then all of it | yes, else a warning |
#' | pdp | `partial(fixed, "x1", train = x)` | yes, else a warning |
#' | vip | `vi_permute(fixed, pred_wrapper = , ...)` | yes |
#' | insight | `find_predictors(model)`, `get_predicted(model)`, ... | no |
#' | butcher | `butcher(model)` | no |
#' | vetiver | `vetiver_model(fixed, "name")` | yes, else a warning |
#' | targets | `tar_target(model, dg_ridge(formula, data = rows))` | no |
#'
#' Here `fixed` is `set_reference(model, rows)`, and `x` has the predictors and, where `rows` are of
#' several domains, the domain column. With rows of one domain it needs no domain column, and no
#' tool can permute it.
#'
#' @details
#' **Why a fixed reference.** Where a model judges a row by the rows of its domain (a kernel between
#' domains, scaling or imputation by domain, `domain_means = TRUE`), rows that a tool makes up move
#' the domain, and the tool reports the effect of another domain under the name of a predictor. See
#' [set_reference()]. All but vip ask domgen about the model that they are given, and with one that
#' is not fixed there is a warning of class `domgen_warning_moving`. Models that make no difference
#' between domains need nothing.
#'
#' [dg_importance()] and [dg_effect()] fix the reference themselves, and say what a predictor does
#' as a property of the domain too.
#'
#' **marginaleffects** has a list of classes that it takes:
#' `options(marginaleffects_model_classes = "dg_fit")` adds those of domgen.
#' Models have no covariance matrix of coefficients, so that estimates come without standard errors.
#' How much they vary with the domains is seen by fitting without each of them.
#'
#' **DALEX.** `explain(label = )` names the model, else all are called "dg_fit".
#'
#' **The domain as a predictor.** A fixed reference of several domains answers what a row would be
#' predicted if it were in another of them: the domain's column is then a predictor like others in
#' DALEX and iml, and `avg_comparisons(fixed, variables = "domain")` in marginaleffects. insight
#' takes it for a random effect, so that marginaleffects leaves it out unless it is named.
#'
#' **Classes.** DALEX and marginaleffects get probabilities, of two classes those of the second
#' level, where the model has some (`calibration = "platt"`), else decision values. DALEX wants y
#' as 0 and 1 then. iml gets probabilities, or 1 for the class and 0 for others. pdp needs
#' probabilities: `partial(prob = TRUE, which.class = )`.
#'
#' **insight** finds formula, predictors, response, data and what kind of model it is; the domain is
#' `random`, all else `conditional`. `get_predicted()`
#' gives numbers, or probabilities; with `predict = "classification"` classes; of a [dg_gp()] with
#' `ci = 0.95` confidence intervals. Models do not carry their data: insight and marginaleffects
#' find them where the name in the call has a value in the global environment, else they want them
#' as `data` or `newdata`. Of a model that was fitted to a matrix there are names of the predictors.
#'
#' **butcher.** `butcher()` leaves `predict(model, newdata)` as it was. It takes the call (with it
#' `update()`), and what the model keeps of its training rows beside its kernels: `fitted()`,
#' `residuals()`, `dg_lodo()`, `predict()` without `newdata`. The rows that kernels compare new rows
#' with must stay: 8 n p bytes of n rows and p predictors in the kernel, and 8 n p once more in the
#' embeddings of [domain_distribution()]. [set_reference()] takes the second away, `butcher()` some
#' 28 bytes of each row; `features_nystrom()` keeps landmarks only.
#'
#' **vetiver.** The prototype of the input has the predictors and, where it is needed, the domain.
#' The answer is `.pred`, a number or class, or with `vetiver_api(v, type = "prob")` probabilities.
#' A model that is not fixed judges each request by the rows that come in it. The model is slimmed
#' as by butcher, and stays sealed: one that was damaged in the store is an error.
#'
#' **targets** (and any other store). A model is data: saved by [saveRDS()] or a target and loaded
#' in another session it predicts the same. A target that makes `set_reference(model, rows)` gives
#' one to serve.
#'
#' **vip** is no longer on CRAN, and not tested here. Its permutations need nothing but a function
#' that predicts: `vi_permute(fixed, train = x, target = y, metric = "rmse", pred_wrapper =
#' function(object, newdata) predict(object, newdata))`. `DALEX::model_parts()` computes the same
#' importance.
#' @examples
#' toy <- simulate_dica(domains = 6, n = 30, p = 3, seed = 1)
#' model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, lambda = 1, scale = "both")
#' fixed <- set_reference(model, toy)
#' # what a tool does: the mean prediction with a predictor at some values, all else as it is
#' effect <- function(model, at) mean(predict(model, replace(toy, "x1", at)))
#' sapply(c(-1, 0, 1), effect, model = fixed)
#' if (requireNamespace("pdp", quietly = TRUE)) {
#'   pdp::partial(fixed, "x1", train = toy, pred.grid = data.frame(x1 = c(-1, 0, 1)))
#' }
#' @name model_tools
NULL
