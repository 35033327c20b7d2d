# What the engines of domain_learner() call to fit, and what parsnip makes of predictions.

#' What the engines of domain_learner() call
#'
#' Fits a learner to what parsnip hands over. To be called by parsnip; users call
#' [domain_learner()], or the learner itself.
#'
#' @param formula,data,weights What parsnip hands over: formula, with or without a bar, data frame,
#'   numbers or `NULL`.
#' @param method Name of the learner, such as `"dg_svm"`.
#' @param domain Name of the column with the domain, or `NULL`.
#' @param domain_kernel,tau,sigma See [domain_learner()].
#' @param ... Further arguments of the learner, and `na.action`.
#' @return The fitted learner.
#' @keywords internal
#' @export
fit_domain_learner <- function(formula, data, weights = NULL, method = "dg_svm", domain = NULL,
                               domain_kernel = NULL, tau = NULL, sigma = NULL, ...) {
  check_given(formula, "formula")
  if (!inherits(formula, "formula")) {
    abort("argument", "`formula` must be a formula, not ", describe(formula), ".")
  }
  check_given(data, "data")
  data <- check_data(data)
  method <- check_choice(method, "method", vapply(parsnip_engines(), `[[`, "", "method"))
  args <- list(...)
  check_no_dots(args[intersect(names(args), setdiff(data_arguments, "na.action"))],
                setdiff(names(formals(method)), c(data_arguments, "...")))
  args$domain_kernel <- kernel_of_name(domain_kernel, tau, method)
  if (!is.null(sigma)) {
    if (!is.null(args$kernel)) abort("argument", "`sigma` must not be given with `kernel`.")
    args$kernel <- kernel_rbf(sigma = sigma)
  }
  na.action <- if (is.null(args$na.action)) stats::na.omit else args$na.action
  spec <- do.call(method, args[names(args) != "na.action"])
  formula <- barred_formula(formula, read_domain_name(domain, formula, data, spec))
  # a method without weights takes NULL for none
  fit(spec, formula, data = data, weights = weights, na.action = na.action)
}

kernel_of_name <- function(kernel, tau, method) {
  named <- is.character(kernel)
  if (named) kernel <- check_choice(kernel, "domain_kernel", domain_kernel_types)
  if (!is.null(tau) && !identical(kernel, "multitask")) {
    abort("argument", "`tau` needs `domain_kernel = \"multitask\"`.")
  }
  if (!named) return(kernel)
  if (kernel != "multitask") return(do.call(paste0("domain_", kernel), list()))
  domain_multitask(if (is.null(tau) && method != "dg_gp") 0.5 else tau)
}

# The column that holds the domain: named, or made by domain_blueprint(); NULL where the formula
# says it, or none is needed.
read_domain_name <- function(domain, formula, data, spec) {
  barred <- !is.null(split_formula(formula)$domain)
  if (!is.null(domain)) {
    if (barred) abort("argument", "`domain` must not be given when the formula has it.")
    if (!is.character(domain) || length(domain) != 1L || !domain %in% names(data)) {
      abort("argument", "`domain` must be a column of the data, not ", describe(domain),
            "; it has ", enumerate(names(data)), ". A recipe in a workflow hands over its ",
            "predictors only, and the role \"domain\" with `domain_blueprint()`, which needs no ",
            "`domain`.")
    }
    return(domain)
  }
  if (barred) return(NULL)
  if (handed_domain %in% names(data)) return(handed_domain)
  if (spec_needs(spec)$domain || by_domain(spec_scale(spec)) || wants_probabilities(spec)) {
    abort("argument", "`domain_learner()` needs the domain of each row: `domain = \"school\"`, a ",
          "formula `y ~ x | school`, or in a workflow the role \"domain\" and ",
          "`add_recipe(blueprint = domain_blueprint())`.", if (wants_probabilities(spec)) {
            " Probabilities are learned on left-out domains too (`probability = \"none\"`: none)."
          })
  }
}

# `y ~ x + school` is `y ~ x | school`. By a loop: a formula is as deep as it is long.
barred_formula <- function(formula, domain) {
  if (is.null(domain)) return(formula)
  domain <- as.name(domain)
  rest <- formula[[length(formula)]]
  terms <- list()
  while (is_call_to(rest, "+") && length(rest) == 3L) {
    terms <- c(list(rest[[3L]]), terms)
    rest <- rest[[2L]]
  }
  terms <- Filter(function(term) !identical(term, domain), c(list(rest), terms))
  right <- if (length(terms)) Reduce(function(a, b) call("+", a, b), terms) else 1
  formula[[length(formula)]] <- call("|", right, domain)
  formula
}

# ---- predictions ------------------------------------------------------------------------------

# A matrix with a column for each class.
as_parsnip_prob <- function(result, object) {
  tibble::as_tibble(as.data.frame(result, optional = TRUE))
}

# A data frame of intervals, or with standard errors of f list(fit, se.fit).
as_parsnip_interval <- function(result, object) {
  found <- if (is.data.frame(result)) result else result$fit
  table <- tibble::tibble(.pred_lower = found$lower, .pred_upper = found$upper)
  if (isTRUE(object$spec$method$pred$conf_int$extras$std_error) && !is.null(result$se.fit)) {
    table$.std_error <- result$se.fit
  }
  table
}
