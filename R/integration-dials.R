# Parameters of the dials package for arguments of step_domain() and domain_learner() that dials has
# no parameter for.
#' @rdname fit_domain_learner
#' @export
domain_scaling_type <- function(values = c("pooled", "domain", "both", "rank", "none")) {
  choice_parameter(values, scalings, c(domain_scaling_type = "Scaling of predictors"))
}

#' @rdname fit_domain_learner
#' @export
domain_kernel_type <- function(values = c("distribution", "pooled")) {
  choice_parameter(values, domain_kernel_types, c(domain_kernel_type = "Domain kernel"))
}

#' @rdname fit_domain_learner
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
