#' domgen: domain generalization with kernels
#'
#' Learn from several labelled *domains* (patients, schools, instruments,
#' fields) and predict on domains never seen before, without retraining.
#'
#' @section One path:
#' A formula `y ~ x1 + x2 | domain` (or a matrix `x`, a response `y` and a
#' vector `domain`) is read into a sample. A [kernel][kernel_rbf] on the
#' predictors times a [domain kernel][domain_distribution] gives a Gram matrix or,
#' for many rows, a [feature map][features_nystrom]. A projection ([dg_dica()],
#' [dg_udica()], [dg_coir()], [dg_kpca()], [dg_dcm()], [dg_tca()], [dg_sca()], [dg_mda()],
#' [dg_cidg()], [dg_kfd()]) finds a few components in it, a learner ([dg_svm()], [dg_ridge()],
#' [dg_gp()], for counts, shares and other responses [dg_glm()]) a function of it, and a
#' [dg_pipeline()] does one after the other. Learners of other packages ([dg_forest()],
#' [dg_boost()], [dg_net()], [dg_mixed()], [dg_gam()]) and your own ([learner_custom()]) stand
#' beside them. `predict()` applies the result to new domains, and [dg_adapt()] learns from a few of
#' their labels.
#'
#' @section Which call?:
#' | question | call |
#' |---|---|
#' | Is there anything to gain from domains? | [dg_diagnose()] |
#' | A good model, with little time | [dg_auto()], with the score to expect in `choice$expected` |
#' | Which parameters? | [dg_tune()]; `lambda` and `cost` choose themselves |
#' | How well on a new domain? | [dg_cv()], with [dg_tune()] or [dg_auto()] inside |
#' | Is it really better? | [dg_compare()], with intervals from `refits` without two folds |
#' | Is my own method better? | [learner_custom()], in [dg_compare()] |
#' | Do domains differ by their means? | `domain_means = TRUE` in [dg_lm()], [dg_mixed()], ... |
#' | Several good methods? | [dg_ensemble()], with weights by left-out domains |
#' | Is this domain like those of training? | [dg_novelty()] |
#' | Is this row like those of training? | [`predict(type = "similarity")`][predict.dg_learner()] |
#' | Categories, or things with a kernel of their own | [kernel_mixed()], [kernel_precomputed()] |
#' | Some predictors are missing in some rows | [`na.action = na.impute`][na.impute()] |
#' | How sure is it on a new domain? | `predict(interval = )`, `type = "set"`: [set_intervals()] |
#' | It has a level that training lacks | [`predict(new_levels = )`][predict.dg_learner()] |
#' | Which predictors matter, in rows or between domains? | [dg_importance()] |
#' | What does a predictor do? And its mean in the domain? | [dg_effect()] |
#' | Counts, shares, amounts, ordered classes | [dg_glm()] |
#' | Nested or crossed domains: to what is it new? | [domain_factors()], `hold_out` of [dg_cv()] |
#' | What would a few labels add? | `shots` of [dg_cv()], then [dg_adapt()] |
#' | A service, other packages | [set_reference()], [model_tools] |
#'
#' `vignette("intervals-and-novelty")` is on the uncertainty of predictions in a new domain,
#' `vignette("which-method")` on the choice of a method.
#'
#' @section Which projection?:
#' | you have | and want | use |
#' |---|---|---|
#' | domains only | variance, domains close | [dg_udica()], or [dg_tca()] with a target |
#' | a response | what it depends on | [dg_coir()] |
#' | a response and domains | the same, domains close together | [dg_dica()] |
#' | | the same, larger domains weighing more | [dg_dcm()] |
#' | classes | classes apart and compact | [dg_kfd()] |
#' | classes and domains | the same, domains close | [dg_sca()] |
#' | | each class the same in all domains | [dg_mda()], [dg_cidg()] |
#'
#' All of them are exact up to the memory of the machine (the Gram matrix takes
#' 8 n^2 bytes), and fast for any n with `feature_map = features_nystrom()` or
#' `features_rff()`: what the DCM paper calls FastDCM is
#' `dg_dcm(feature_map = features_nystrom())`. Rows that do not fit in memory are read
#' in pieces by [feature_sums()]. Rows in files or a database: [row_source()].
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
#' | kappa | kernel between domains | G x G |
#' | Z, r | features of the rows, K is about ZZ'; their number | n x r |
#'
#' *Domain*: a group of rows with a distribution of its own. *Bandwidth*: the
#' sigma of `exp(-||x - z||^2 / (2 sigma^2))`. *Mean embedding*: the average of
#' a domain's rows in the feature space of the kernel. *Distributional
#' variance*: the variance of the domains' mean embeddings. *Central subspace*:
#' the directions of x that carry all the information about y. *Landmarks*: rows
#' or points to which Nystrom features compare a row.
#'
#' @section Options:
#' * `domgen.threads`: threads for kernel work, 2 unless set. Results do not
#'   depend on it. It does not bind the BLAS that R uses, which solves and multiplies matrices on
#'   as many threads as it was told: set `OPENBLAS_NUM_THREADS` (`MKL_NUM_THREADS`,
#'   `OMP_NUM_THREADS`) before R starts, or call `RhpcBLASctl::blas_set_num_threads()`.
#' * `domgen.memory_limit`: bytes that one matrix (n x n, or of features) may take;
#'   half of the machine's memory, or 4 GiB where that is unknown. Larger problems
#'   are refused before anything is allocated.
#' * `domgen.progress`: show progress bars; `interactive()` unless set.
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
}
