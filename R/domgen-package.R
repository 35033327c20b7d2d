#' domgen: predict in new hospitals, schools or devices
#'
#' Learns from several labelled *domains* (hospitals, schools, devices) and predicts in new ones,
#' without their labels. Every method takes a formula `y ~ x1 + x2 | domain` (`.`: all other
#' columns), or a matrix `x`, a response `y` and a vector `domain`. Hospitals stand for domains.
#'
#' | question | function |
#' |---|---|
#' | **Predict** | |
#' | Do hospitals matter in these data? | [dg_diagnose()] |
#' | Which model predicts best in a new hospital? | [dg_auto()] |
#' | Which models use its unlabelled patients? | [dg_ridge()], [dg_svm()], [dg_gp()], [dg_glm()] |
#' | Linear, mixed, additive models; glmnet? | [dg_lm()], [dg_mixed()], [dg_gam()], [dg_net()] |
#' | Forests, boosting? | [dg_forest()], [dg_boost()] |
#' | Predictions, probabilities, intervals? | [predict()][predict.dg_learner], [set_intervals()] |
#' | Is the new hospital like those of training? | [dg_novelty()] |
#' | A few labels from it? | [dg_adapt()] |
#' | One row at a time, a service, other packages? | [set_reference()], [model_tools] |
#' | **Compare** | |
#' | What score is to be expected in a new hospital? | [dg_cv()] |
#' | Is one method better than another? | [dg_compare()] |
#' | Is my own method better? | [learner_custom()], [own_terms] |
#' | Which parameters? Several models? | [dg_tune()], [dg_ensemble()] |
#' | **Validate** | |
#' | How good is it at each hospital, and at a new one? | [dg_validate()] |
#' | Are its probabilities right? | [dg_calibration()] |
#' | Does it help to decide? | [dg_net_benefit()] |
#' | What score, before labels come? | [dg_forecast()] |
#' | How many hospitals, or labels, are enough? | [dg_plan()] |
#' | Is it as good later? | `time` of [domain_folds()] |
#' | **Publish** | |
#' | What do I write? | [dg_report()] |
#' | Coefficients, with hospitals as independent units? | [dg_coefficients()] |
#' | Which predictors matter, and how? | [dg_importance()], [dg_effect()] |
#' | Tables of results? | [tidy()][tidy.domgen] |
#' | **Data** | |
#' | Counts, times, proportions, ordered classes? | [dg_glm()]; [dg_incidence()] |
#' | Missing predictors? | [`na.action = na.impute`][na.impute()] |
#' | Nested or crossed domains? | [domain_factors()] |
#' | More than 10,000 rows; files, databases? | [features_nystrom()]; [row_source()] |
#' | Few components instead of predictors? | [dg_dica()], [dg_pipeline()] |
#' | What a column may be; options, threads, symbols? | [domgen_options] |
#' | Which arguments do all models share? | [dg_arguments] |
#' | A part of my own? | [extending] |
#'
#' Guides: `vignette("domgen")` to begin, then `vignette("which-method")`,
#' `vignette("validation")`; `vignette(package = "domgen")` lists all. If it lists none, they were
#' not installed: run `make guides` in the sources of the package.
#'
#' @keywords internal
#' @importFrom Rcpp evalCpp
#' @importFrom RcppParallel RcppParallelLibs
#' @importFrom stats coef fitted formula nobs predict residuals terms update weights
#' @useDynLib domgen, .registration = TRUE
"_PACKAGE"

#' Columns, options, symbols and terms
#'
#' What columns may be, options of the package, and the symbols and terms of the help pages.
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
#' @seealso [domgen-package] for functions by question
#' @name domgen_options
NULL

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
  attached <- as.environment(paste0("package:", pkgname))
  for (name in names(renamed_functions)) assign(name, renamed_function(name), attached)
  old <- old_blas_kernels_()
  if (nzchar(old)) packageStartupMessage("OpenBLAS uses its kernels for an older processor, ", old,
    ": set OPENBLAS_CORETYPE=Haswell before R starts; products are then two to four times as fast.")
}
