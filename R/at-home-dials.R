#' Parameters for dials
#'
#' Parameter objects of the dials package for what can be `tune()` in [step_domain()] and
#' [domain_learner()] and has none in dials.
#'
#' @param values Character vector: the values to choose from.
#' @param range Two numbers from 0 to 1.
#' @return A parameter of dials.
#' @examplesIf requireNamespace("dials", quietly = TRUE)
#' domain_scaling_type()
#' dials::value_seq(domain_kernel_type(), 2)
#' @name domain_scaling_type
NULL

#' @rdname domain_scaling_type
#' @export
domain_scaling_type <- function(values = c("pooled", "domain", "both", "rank", "none")) {
  choice_parameter(values, scalings, c(domain_scale = "Scaling of predictors"))
}

#' @rdname domain_scaling_type
#' @export
domain_kernel_type <- function(values = c("distribution", "pooled")) {
  choice_parameter(values, domain_kernel_types, c(domain_kernel_type = "Kernel between domains"))
}

#' @rdname domain_scaling_type
#' @export
domain_multitask_tau <- function(range = c(0, 1)) {
  need_package("dials", "domain_multitask_tau()")
  if (!is.numeric(range) || length(range) != 2L || !all(range >= 0 & range <= 1, !is.na(range))) {
    abort("argument", "`range` must be two numbers from 0 to 1, not ", describe(range), ".")
  }
  dials::new_quant_param("double", range, c(TRUE, TRUE),
                         label = c(domain_tau = "Likeness of domains (tau)"))
}

choice_parameter <- function(values, known, label) {
  need_package("dials", paste0(names(label), "()"))
  if (!is.character(values) || length(values) == 0L || !all(values %in% known)) {
    abort("argument", "`values` must be some of ", enumerate(known, length(known), "\""), ", not ",
          describe(values), ".")
  }
  dials::new_qual_param("character", values, label = label)
}

# By name, as a grid can give them: what follows "domain_" in the name of the function.
domain_kernel_types <- c("distribution", "pooled", "multitask", "wasserstein")
