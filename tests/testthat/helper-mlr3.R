# What the tests in mlr3 need.

skip_without_mlr3 <- function(...) {
  for (package in c("mlr3", "paradox", "R6", ...)) testthat::skip_if_not_installed(package)
  testthat::skip_if_not_installed("mlr3", "1.0.0")
  mlr3_logger()$set_threshold("warn")
}

mlr3_logger <- function() getExportedValue("lgr", "get_logger")("mlr3")

# Pupils of some schools: categories, a number, unequal domains.
some_pupils <- function(schools = 8) {
  testthat::skip_if_not_installed("nlme")
  pupils <- as.data.frame(nlme::MathAchieve)
  chosen <- levels(pupils$School)[seq_len(schools)]
  pupils <- pupils[pupils$School %in% chosen, c("School", "Minority", "SES", "Sex", "MathAch")]
  pupils$School <- factor(as.character(pupils$School))
  # mlr3 sorts features by name
  row.names(pupils) <- NULL
  pupils
}

pupil_formula <- MathAch ~ Minority + SES + Sex | School

pupil_task <- function(pupils, roles = "domain") {
  task <- mlr3::as_task_regr(pupils, target = "MathAch", id = "pupils")
  task$set_col_roles("School", roles = roles)
}

toy_task <- function(toy, id = "toy") {
  mlr3::as_task_classif(toy, target = "y", id = id)$set_col_roles("domain", roles = "domain")
}
