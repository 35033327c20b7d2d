# What a task of mlr3 says of its rows, and fits to it. The domain of a row is in the column with
# the role `domain`, which is ours, or else in that with the role `group`, which is mlr3's.

mlr_domain_columns <- function(task) {
  roles <- task$col_roles
  if (length(roles$domain)) roles$domain else roles$group
}

# NULL where no column has the role.
mlr_domain <- function(task) {
  columns <- mlr_domain_columns(task)
  if (length(columns)) combined_domain(task$data(cols = columns))
}

# Several columns with the role mean their combinations; "a.b" and "c" are not "a" and "b.c".
combined_domain <- function(columns) {
  columns <- as.data.frame(columns)
  if (length(columns) == 1L) return(columns[[1L]])
  interaction(lapply(columns, function(column) {
    column <- as_groups(column)
    levels(column) <- gsub("([\\\\.])", "\\\\\\1", levels(column))
    column
  }), drop = TRUE)
}

mlr_features <- function(task) {
  as.data.frame(task$data(cols = task$feature_names), optional = TRUE)
}

# A fit to the features of a task. further: list(y, weights, na.action), of which what is NULL is
# not given.
mlr_fit <- function(spec, task, further) {
  domain <- mlr_domain(task)
  needed <- spec_needs(spec)$domain || by_domain(spec_scale(spec)) ||
    identical(as_imputation(further$na.action)$by, "domain")
  if (needed && is.null(domain)) abort_no_role(task, "the model learns from domains")
  given <- Filter(Negate(is.null), c(list(x = mlr_features(task), domain = domain), further))
  # by names, as the fit keeps its call
  call <- as.call(c(list(quote(fit), quote(spec)), lapply(stats::setNames(nm = names(given)),
                                                          as.name)))
  eval(call, list2env(c(given, list(spec = spec)), parent = topenv()))
}

# What predict() of a fit needs beside the model: list(newdata, domain, reference, ...).
mlr_new_rows <- function(model, task, values) {
  domain <- mlr_domain(task)
  judges <- judges_other_rows(model) && !is_fixed(model)
  if (judges && is.null(domain)) abort_no_role(task, "the model judges rows by their domain")
  rows <- list(newdata = mlr_features(task), domain = domain, reference = values$reference,
               new_levels = values$new_levels)
  if (is.data.frame(values$reference)) {
    rows$reference_domain <- reference_domain(values$reference, mlr_domain_columns(task))
  }
  Filter(Negate(is.null), rows)
}

reference_domain <- function(reference, columns) {
  if (!length(columns)) return(NULL)
  reference <- check_data(reference, "reference")
  check_columns(reference, columns, "reference")
  combined_domain(reference[columns])
}

abort_no_role <- function(task, why) {
  if (is.null(task$col_roles)) {
    abort("role", "`$predict_newdata_fast()` hands on no domain, which is needed because ", why,
          ": use `$predict_newdata()`.")
  }
  abort("role", "The task \"", task$id, "\" must have a column with the role \"domain\" or ",
        "\"group\", because ", why, ": `task$set_col_roles(\"<column>\", roles = \"domain\")`.")
}

mlr_reference_check <- function(x) {
  if (is.null(x) || is.data.frame(x) || identical(x, "training")) return(TRUE)
  paste0("`reference` must be \"training\" or a data frame of rows, not ", describe(x))
}

mlr_na_action_check <- function(x) {
  if (is.null(x) || is.function(x) || is.character(x) || is_imputation(x)) return(TRUE)
  paste0("`na.action` must be na.impute, na.omit or another such function, not ", describe(x))
}

# Arguments that are given with data or with new rows. na.action: where nothing else is said.
mlr_data_parameters <- function(na.action = na.impute()) {
  list(
    na.action = paradox::p_uty(custom_check = mlr_na_action_check, default = stats::na.omit,
                               init = na.action, tags = "train"),
    reference = paradox::p_uty(custom_check = mlr_reference_check, default = NULL,
                               tags = "predict"),
    new_levels = paradox::p_fct(new_level_choices, default = "na", tags = "predict")
  )
}
