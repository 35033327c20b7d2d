# Parameters of the dials package for arguments of step_domain() and domain_learner() that dials has
# no parameter for.
#' Parameters of a parsnip model for tuning
#'
#' @description
#' `domain_scaling_type()`, `domain_kernel_type()` and `domain_multitask_tau()` return parameter
#' objects for tuning, as the functions of the dials package do for other arguments.
#'
#' @param values Character vector: values of the parameter that are tried.
#' @param range Two numbers from 0 to 1: range of `tau`.
#' @details
#' All main arguments but `domain` can be `tune()`:
#'
#' | argument | default range | parameter |
#' |---|---|---|
#' | `cost` | 2^-5 to 2^10 | `dials::cost()` |
#' | `penalty` | 1e-3 to 1e3 | `dials::penalty()` |
#' | `bandwidth` | 0.3 to 10 | `dials::rbf_sigma()` |
#' | `domain_kernel` | `"distribution"`, `"pooled"` | `domain_kernel_type()` |
#' | `scale` | all scalings | `domain_scaling_type()` |
#' | `tau` | 0 to 1 | `domain_multitask_tau()` |
#' | engine argument `epsilon` | 0 to 0.5 | `dials::svm_margin()` |
#' | engine argument `lambda`, `cost` | as `penalty`, `cost` | the same |
#'
#' If `tau` is tuned too, the default values of `domain_kernel` include `"multitask"`.
#' @return A parameter of dials.
#' @keywords internal
#' @seealso [domain_learner()]
#' @examplesIf requireNamespace("dials", quietly = TRUE)
#' domain_scaling_type()
#' domain_kernel_type(c("pooled", "multitask"))
#' domain_multitask_tau()
#' @export
domain_scaling_type <- function(values = c("pooled", "domain", "both", "rank", "none")) {
  choice_parameter(values, scalings, c(domain_scaling_type = "Scaling of predictors"))
}

#' @rdname domain_scaling_type
#' @export
domain_kernel_type <- function(values = c("distribution", "pooled")) {
  choice_parameter(values, domain_kernel_types, c(domain_kernel_type = "Domain kernel"))
}

#' @rdname domain_scaling_type
#' @export
domain_multitask_tau <- function(range = c(0, 1)) {
  need_package("dials", "domain_multitask_tau()")
  if (!is.numeric(range) || length(range) != 2L || !all(range >= 0 & range <= 1, !is.na(range))) {
    abort("argument", "`range` must be two numbers from 0 to 1, not ", describe(range), ".")
  }
  dials::new_quant_param("double", range, c(TRUE, TRUE),
                         label = c(domain_multitask_tau = "Similarity of domains (tau)"))
}

choice_parameter <- function(values, allowed, label) {
  need_package("dials", paste0(names(label), "()"))
  if (!is.character(values) || length(values) == 0L || !all(values %in% allowed)) {
    abort("argument", "`values` must be some of ", enumerate(allowed, length(allowed), "\""),
          ", not ", describe(values), ".")
  }
  dials::new_qual_param("character", values, label = label)
}

# Names for grids: what follows "domain_" in the name of the function.
domain_kernel_types <- c("distribution", "pooled", "multitask", "wasserstein")
