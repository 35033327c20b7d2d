# Common to tools for any model: the description of a domain must not change with rows that a tool
# makes up. tool_values() gives the values that tools get. Methods for the generics of a package are
# in integration-<package>.R, registered when it is loaded.

# what: which rows are new, as in "DALEX makes up rows".
warn_moving <- function(model, what) {
  if (!uses_other_rows(model) || is_fixed(model)) return(invisible())
  warn("moving", what, ", and this model describes a domain by the rows that are predicted ",
       "together: use set_reference(model, rows), which predicts each row alone; see ?model_tools.")
}

#' Integration with tools that explain, shrink and deploy models
#'
#' @description
#' Fitted models work with packages that explain, shrink, describe or deploy any model. domgen needs
#' none of these packages; its methods are registered when they are loaded.
#'
#' | tool | call | fixed reference |
#' |---|---|---|
#' | marginaleffects | `avg_predictions(fixed)`, `avg_slopes(fixed)`, ... | needed, else a warning |
#' | DALEX | `explain(fixed, data = x, y = y)`, then all its functions | needed, else a warning |
#' | iml | `Predictor$new(fixed, data = x, y = y)`, then all functions | needed, else a warning |
#' | pdp | `partial(fixed, "x1", train = x)` | needed, else a warning |
#' | vip | `vi_permute(fixed, pred_wrapper = , ...)` | needed, not checked |
#' | insight | `find_predictors(model)`, `get_predicted(model)`, ... | not needed |
#' | emmeans | `emmeans(model, ~ x1)`, `emmeans(dg_coefficients(model), ~ x1, data = rows)` | none |
#' | butcher | `butcher(model)` | not needed |
#' | vetiver | `vetiver_model(fixed, "name")` | needed, else a warning |
#' | targets | `tar_target(model, dg_ridge(formula, data = rows))` | not needed |
#'
#' `fixed` is `set_reference(model, rows)`. `x` has the predictors and, if `rows` are from several
#' domains, the domain column. With rows of one domain, `x` needs no domain column, and no tool can
#' permute it.
#'
#' @details
#' **Why a fixed reference.** Some models use the other rows of a domain to predict a row (a domain
#' kernel, scaling or imputation by domain, `domain_means = TRUE`). If a tool makes up rows, these
#' then change the description of the domain, and the tool attributes the effect of another domain
#' to a predictor. [set_reference()] fixes the description. Without it there is a warning of class
#' `domgen_warning_moving`. Models that do not use other rows need no reference.
#'
#' [dg_importance()] and [dg_effect()] fix the reference themselves, and separate a predictor's
#' effects within and between domains.
#'
#' **marginaleffects.** `options(marginaleffects_model_classes = "dg_fit")` adds the models of
#' domgen to the supported classes. Models have no covariance matrix of coefficients, so estimates
#' have no standard errors; `dg_effect(refits = TRUE)` has intervals. Contrasts of coefficients with
#' standard errors are `hypotheses(dg_coefficients(model), "x1 = x2")`, with `"dg_coefficients"` as
#' supported class and `df = ` the element `df` for Student's t.
#'
#' **DALEX.** `explain(label = )` names the model; the default is "dg_fit".
#'
#' **The domain as a predictor.** With a fixed reference of several domains, the domain column is a
#' predictor like others in DALEX and iml: what would be predicted for the row in another of these
#' domains. In marginaleffects use `avg_comparisons(fixed, variables = "domain")`; insight reports
#' the domain as a random effect, so marginaleffects only includes it if it is named.
#'
#' **Classes.** DALEX and marginaleffects use probabilities (for two classes, of the second level)
#' if the model has them (`calibration = "platt"`), otherwise decision values. DALEX then needs `y`
#' as 0 and 1. iml uses probabilities, or 1 for the predicted class and 0 for others. pdp needs
#' probabilities: `partial(prob = TRUE, which.class = )`.
#'
#' **insight** finds formula, predictors, response, data and type of the model; the domain is
#' `random`, all else `conditional`. `get_predicted()` returns numbers or probabilities, with
#' `predict = "classification"` classes, and for a [dg_gp()] with `ci = 0.95` confidence intervals.
#' Models do not store their data: insight and marginaleffects find data by the name in the call, in
#' the global environment; otherwise give `data` or `newdata`. For a model fitted to a matrix,
#' insight only finds the names of predictors.
#'
#' **emmeans** takes linear fits (see [dg_coefficients()]) whose formula names the predictors, with
#' the covariance and the degrees of freedom of [dg_coefficients()]. It finds the data by the name
#' in the call, in the global environment; otherwise ask `dg_coefficients(model)` and give `data`.
#'
#' **butcher.** `butcher()` keeps `predict(model, newdata)`. It removes the call (and thereby
#' [update()]), and training rows that kernels do not need (and thereby `fitted()`, `residuals()`,
#' [dg_cv()] in closed form and `predict()` without `newdata`). The rows of the kernel must stay: 8
#' n p bytes for n rows and p predictors, and 8 n p again for the embeddings of
#' [domain_distribution()]. [set_reference()] removes the second, `butcher()` about 28 bytes per
#' row; [features_nystrom()] keeps only landmarks.
#'
#' **vetiver.** The input prototype has the predictors and, if needed, the domain. The answer is
#' `.pred`: numbers or classes, or with `vetiver_api(v, type = "prob")` probabilities. A model
#' without a fixed reference predicts each request from the rows in it. The model is shrunk as by
#' butcher, and its integrity is checked before each prediction.
#'
#' **targets** and other stores: a model that is saved (by [saveRDS()] or a target) predicts the
#' same in another session. For deployment, make a target of `set_reference(model, rows)`.
#'
#' **vip** is no longer on CRAN and not tested here. `vi_permute(fixed, train = x, target = y,
#' metric = "rmse", pred_wrapper = function(object, newdata) predict(object, newdata))` needs
#' nothing else; `DALEX::model_parts()` computes the same importance.
#' @examples
#' toy <- simulate_dica(domains = 6, n = 30, p = 3, seed = 1)
#' model <- dg_ridge(y ~ x1 + x2 + x3 | domain, data = toy, lambda = 1, scale = "both")
#' fixed <- set_reference(model, toy)
#' # what a tool does: the mean prediction with a predictor at some values, all else unchanged
#' effect <- function(model, at) mean(predict(model, replace(toy, "x1", at)))
#' sapply(c(-1, 0, 1), effect, model = fixed)
#' if (requireNamespace("pdp", quietly = TRUE)) {
#'   pdp::partial(fixed, "x1", train = toy, pred.grid = data.frame(x1 = c(-1, 0, 1)))
#' }
#' @name model_tools
NULL
