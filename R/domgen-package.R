#' domgen: domain generalization with kernels
#'
#' Learns from several labelled *domains* (patients, schools, instruments, fields) and predicts in
#' new ones, without their labels and without retraining. Every method takes a formula
#' `y ~ x1 + x2 | domain`, or a matrix `x`, a response `y` and a vector `domain`;
#' [predict()][predict.dg_learner] applies the fit to new domains.
#'
#' @section Which function?:
#' | question | function |
#' |---|---|
#' | Do domains matter in these data? | [dg_diagnose()] |
#' | A good model without tuning by hand? | [dg_auto()] |
#' | Which parameters? | [dg_tune()]; `lambda` and `cost` are selected by default |
#' | What score on new domains? | [dg_cv()], also with [dg_tune()] or [dg_auto()] inside |
#' | Is one method better than another? | [dg_compare()], with intervals from `refits` |
#' | Other predictors for each method? | `terms = ~ ...` of the method, see [own_terms] |
#' | Is my own method better? | [learner_custom()], in [dg_compare()] |
#' | Do domains differ by their means? | `domain_means = TRUE` in [dg_lm()], [dg_mixed()], ... |
#' | Several good methods? | [dg_ensemble()] |
#' | Is a new domain like the training domains? | [dg_novelty()] |
#' | Which score is to be expected in a new domain? | [dg_forecast()] |
#' | Is a new row like the training rows? | [`predict(type = "similarity")`][predict.dg_learner()] |
#' | Intervals or prediction sets? | [set_intervals()], `predict(interval = )`, `type = "set"` |
#' | Which predictors matter, within or between domains? | [dg_importance()] |
#' | What is the effect of a predictor, or of its mean in the domain? | [dg_effect()] |
#' | Counts, proportions, amounts, ordered classes? | [dg_glm()]; [dg_mixed()] |
#' | Random intercepts and slopes? | [dg_mixed()] |
#' | A smooth curve for each predictor, or interactions of two? | [kernel_anova()] |
#' | Categories, or a kernel computed elsewhere? | [kernel_mixed()], [kernel_precomputed()] |
#' | Missing predictors? | [`na.action = na.impute`][na.impute()] |
#' | Factor levels that training lacks? | [`predict(new_levels = )`][predict.dg_learner()] |
#' | Nested or crossed domains? | [domain_factors()], `hold_out` of [dg_cv()] |
#' | What score later, or in new domains later? | `time` of [domain_folds()] in [dg_cv()] |
#' | A few labels from the new domain? | [dg_adapt()]; `shots` of [dg_cv()] estimates the gain |
#' | How many sites, or labels, are enough? | [dg_plan()] |
#' | Rows that do not fit in memory? | [row_source()]; [feature_sums()] |
#' | Deployment, other packages? | [set_reference()], [model_tools] |
#'
#' `vignette("which-method")` compares the methods; `vignette("intervals-and-novelty")` is about
#' intervals, novelty and calibration on new domains.
#'
#' @section Which model?:
#' *Learners* predict the response: [dg_ridge()], [dg_svm()], [dg_gp()], [dg_glm()]; from base R
#' and other packages [dg_forest()], [dg_boost()], [dg_net()], [dg_mixed()], [dg_gam()], [dg_lm()].
#'
#' *Projections* reduce the predictors to a few components. [dg_pipeline()] fits a learner to them.
#'
#' | you have | you want | projection |
#' |---|---|---|
#' | domains | variance, domains close | [dg_udica()]; with a target domain, [dg_tca()] |
#' | a response | what it depends on | [dg_coir()] |
#' | a response and domains | the same, domains close | [dg_dica()] |
#' | | the same, larger domains with more weight | [dg_dcm()] |
#' | classes | classes apart and compact | [dg_kfd()] |
#' | classes and domains | the same, domains close | [dg_sca()] |
#' | | each class the same in all domains | [dg_mda()], [dg_cidg()] |
#' | predictors only | variance | [dg_kpca()] |
#'
#' Kernel methods combine a [kernel][kernel_rbf] on the predictors with a [domain
#' kernel][domain_distribution]. Their Gram matrix takes 8 n^2 bytes. With more than 10,000 rows
#' [dg_ridge()], and [dg_glm()] with most families, do without it. For others, use a [feature
#' map][features_nystrom], as in `dg_dcm(feature_map = features_nystrom())`, the FastDCM of the DCM
#' paper.
#'
#' @section Glossary:
#' | symbol | meaning | shape |
#' |---|---|---|
#' | n, p, G, m | rows, predictors, domains, components | |
#' | X, y, d | predictors, response, domain of each row | n x p, n, n |
#' | n_g | rows of domain g | |
#' | K | Gram matrix of the kernel on x | n x n |
#' | E | averaging matrix, 1/n_g where row i is in domain g, else 0 | n x G |
#' | Q | coefficients of the distributional variance, E (I/G - 11'/G^2) E' | n x n |
#' | L, P | Gram matrix of the kernel on the response; P = L (L + n epsilon I)^-1 | n x n |
#' | kappa | domain kernel | G x G |
#' | Z, r | features of the rows, K is about ZZ'; their number | n x r |
#'
#' | term | meaning |
#' |---|---|
#' | domain | group of rows with a distribution of its own |
#' | bandwidth | sigma of `exp(-r^2 / (2 sigma^2))`, r the distance between two rows |
#' | mean embedding | mean of a domain's rows in the feature space of the kernel |
#' | distributional variance | variance of the mean embeddings of the domains |
#' | central subspace | directions of x that carry all the information about y |
#' | landmarks | rows or points that Nystrom features compare a row with |
#'
#' @section Columns:
#' A column is used as far as its class is understood.
#'
#' | class | is |
#' |---|---|
#' | numbers, also with a label, `I()`, `ts`, `table`, `hexmode`; matrices of numbers | numbers |
#' | `integer64` | numbers, if all are below 2^53; beyond that only names of domains |
#' | `haven_labelled`, also of SPSS | numbers or text; `na_values` and `na_range` are missing |
#' | `logical`, text, `factor`, `ordered` | categories; the level `NA` is missing |
#' | `Date`, `POSIXct`, `POSIXlt`, `difftime`, `hms`, `units` | numbers in the unit of training |
#' | `survival::Surv()` | response |
#'
#' Any other class is an error of class `domgen_error_data` that names the column and its class:
#' what `lubridate::hours()`, `zoo::as.yearmon()` or lists contain is not in their numbers. Convert
#' such columns, also in the formula: `y ~ as.numeric(month) | site`.
#'
#' @section Options:
#' | option | meaning | default |
#' |---|---|---|
#' | `domgen.threads` | threads for kernels; results do not depend on it | 2 |
#' | `domgen.memory_limit` | maximum bytes of one matrix; more is an error | half of the memory |
#' | `domgen.spool` | folder for the rows of a call, see [row_source()] | `tempdir()` |
#' | `domgen.progress` | if `TRUE`, show progress bars | `interactive()` |
#' | `domgen.trust` | if `TRUE`, code in models is not [checked][saved_models] | `FALSE` |
#'
#' If the size of the memory is unknown, the limit is 4 GiB. A limit on the address space of the
#' process (`ulimit -v`) counts too. The BLAS of R, which solves and
#' multiplies matrices, has its own number of threads: set `OPENBLAS_NUM_THREADS`
#' (`MKL_NUM_THREADS`, `OMP_NUM_THREADS`) before R starts, or call
#' `RhpcBLASctl::blas_set_num_threads()`.
#'
#' @keywords internal
#' @importFrom Rcpp evalCpp
#' @importFrom RcppParallel RcppParallelLibs
#' @importFrom stats coef fitted formula nobs predict residuals terms update weights
#' @useDynLib domgen, .registration = TRUE
"_PACKAGE"

# The default of a generic that others use too is ours only where nobody else has one.
.onLoad <- function(libname, pkgname) {
  generic <- asNamespace("generics")
  if (is.null(utils::getS3method("fit", "default", optional = TRUE, envir = generic))) {
    registerS3method("fit", "default", fit_unknown, generic)
  }
  settle_in_parsnip()
  settle_in_mlr3()
  if (address_space_left() > 2 * blas_buffer) prepare_blas()
}

# Not in .onLoad(): workers load the package without attaching it.
.onAttach <- function(libname, pkgname) {
  old <- old_blas_kernels_()
  if (nzchar(old)) packageStartupMessage("OpenBLAS uses its kernels for an older processor, ", old,
    ": set OPENBLAS_CORETYPE=Haswell before R starts; products are then two to four times as fast.")
}
