#' Arguments that methods share
#'
#' Methods with data ([dg_ridge()], [dg_svm()], [dg_glm()], [dg_dica()], ...) and functions that
#' fit them in turn ([dg_cv()], [dg_tune()], [dg_auto()], ...) have these arguments in common. A
#' page says where its function differs. Defaults stand under "Usage" of each page.
#'
#' @section Data:
#' \describe{
#'   \item{`x`}{Formula `y ~ x1 + x2 | domain` with `data` (`~ x1 + x2 | domain` if no response is
#'     needed); or predictors, a numeric matrix n x p or a data frame. Without `x` the value is a
#'     specification for [fit()], [dg_pipeline()] and [dg_cv()]. Several factors after the bar are
#'     nested, `| school / class`, or crossed, `| patient + device`, see [dg_cv()]; a domain is then
#'     a combination of their levels. A term or domain must depend on its row alone (`log(x1)`,
#'     `factor(z)`) or be learned in training (`poly(x1, 2)`). Terms that depend on the other rows,
#'     such as `rank(x1)` and `cut(z, 3)`, are errors.}
#'   \item{`y`}{Response if `x` is not a formula: numeric, or class labels (factor, character,
#'     logical); for [dg_dica()], [dg_coir()] and [dg_dcm()] also a numeric matrix of several. Only
#'     `dg_glm(family = "ordinal")` uses the order of an ordered factor; other methods ignore it,
#'     with one message per session. [dg_tca()] does not use it.}
#'   \item{`domain`}{Domain of each row, a vector or a column of `data`. Domains that are numbers
#'     are labelled in full decimals ("100000", not "1e+05"), whether integer or double; times in
#'     UTC.}
#'   \item{`data`}{Data frame in which the formula is evaluated; where a method needs only sums over
#'     rows also a [row_source()], whose rows are read in chunks.}
#'   \item{`weights`}{Non-negative numbers, one per row, that multiply the row's cost. May be a
#'     column of `data`. A row of weight k counts as k rows in the loss, a row of weight 0 as none.
#'     Scaling, bandwidths and the mean embedding of a domain, which describes its unlabelled rows,
#'     take each row once, so that weight k is k rows in all with `scale = "none"` and given
#'     bandwidths.}
#'   \item{`domain_weights`}{`"size"`: each row has the same weight; `"equal"`: each domain has.}
#'   \item{`na.action`}{Rows with missing values: `na.omit` drops them, with a warning; `na.exclude`
#'     also fills [fitted()] with `NA`; `na.fail` is an error; [na.impute] keeps rows with missing
#'     predictors and imputes medians and most frequent levels.}
#' }
#'
#' @section Predictors:
#' \describe{
#'   \item{`terms`}{One-sided formula: predictors of this method alone, see [own_terms]. `NULL`:
#'     those of the formula.}
#'   \item{`domain_means`}{If `TRUE`, domain means of the scaled predictors are added as predictors
#'     (contextual effects), see [learner_custom()].}
#'   \item{`scale`}{Scaling of predictors, see below.}
#' }
#'
#' @section Scaling:
#' | `scale` | predictors are |
#' |---|---|
#' | `"pooled"` | standardised by mean and standard deviation of the training rows |
#' | `"domain"` | standardised within each domain |
#' | `"both"` | both of these side by side: twice as many columns |
#' | `"rank"` | normal scores of training ranks, (rank - 1/2)/n |
#' | `"none"` | not scaled |
#'
#' For `"domain"` and `"both"`, a new domain is standardised by its unlabelled rows in `newdata` or
#' `reference`. `"domain"` removes differences in mean and standard deviation between instruments or
#' persons, including what they predict. `"rank"` ignores units and outliers.
#'
#' A factor of k > 2 levels has k columns, one for each level, so that nothing depends on which
#' level is the first; scaled, they are multiplied by sqrt((k - 1)/k), which gives the factor the
#' weight of k - 1 columns. A factor of two levels has one column, in products with other predictors
#' two. Ordered factors have polynomials. Contrasts that a factor comes with are kept. Models
#' without a penalty ([dg_lm()], [dg_mixed()], [dg_gam()]) have treatment contrasts.
#'
#' @section Kernels and their models:
#' \describe{
#'   \item{`kernel`}{[Kernel][kernel_rbf] on the predictors. `NULL`: [kernel_rbf()] with the median
#'     bandwidth; in a [dg_pipeline()], [kernel_linear()] on the projected scores (the DICA paper's
#'     rule).}
#'   \item{`domain_kernel`}{[Domain kernel][domain_distribution], multiplied with `kernel`.}
#'   \item{`feature_map`}{[Feature map][features_nystrom] that represents the kernel:
#'     `features_exact()`, the n x n Gram matrix; or [features_nystrom()], [features_rff()] or
#'     [features_product()], which need only sums over rows, for any number of rows.}
#'   \item{`intercept`}{If `TRUE`, an unpenalised constant is added to f; the papers have none. With
#'     pooled domains, a linear kernel (`kernel_linear()`, `kernel_poly(1)`, also in sums) is then
#'     \eqn{\langle x - m, z - m\rangle}{<x - m, z - m>} with m the mean of the training rows: f is
#'     the same, and no digits are lost if predictors are far from 0.}
#'   \item{`calibration`}{Of classes: `"none"`, for the model's own probabilities, if it has any;
#'     `"platt"` or `"isotonic"`, for probabilities that are calibrated on held-out domains, see
#'     [calibration].}
#' }
#'
#' @section Computation:
#' \describe{
#'   \item{`threads`}{Number of threads. `NULL`: `getOption("domgen.threads", 2)`. Results do not
#'     depend on it. The BLAS has its own, see [domgen_options].}
#'   \item{`progress`}{If `TRUE`, a progress bar with the remaining time is shown, in a log (where
#'     lines cannot be written over) a line each half minute. `NULL`:
#'     `getOption("domgen.progress")`, or in interactive sessions. If the progressr package is
#'     loaded, progress is reported to its handlers instead (`progressr::handlers(global = TRUE)`).}
#'   \item{`...`}{Empty: an unknown argument is an error.}
#' }
#'
#' @name dg_arguments
#' @seealso [own_terms], [na.impute()], [row_source()], [calibration]
NULL
