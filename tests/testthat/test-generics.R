# A package with a specification of its own for the generic that all of tidymodels share.
stub_package <- function() {
  folder <- tempfile("stub")
  dir.create(file.path(folder, "othermodels", "R"), recursive = TRUE)
  write <- function(file, ...) writeLines(c(...), file.path(folder, "othermodels", file))
  write("DESCRIPTION", "Package: othermodels", "Version: 1.0", "Title: Stub", "License: GPL-3",
        "Description: Stub.", "Author: A", "Maintainer: A <a@example.org>", "Imports: generics")
  write("NAMESPACE", "importFrom(generics,fit)", "importFrom(generics,tidy)", "export(fit)",
        "export(tidy)", "export(linear_reg)", "S3method(fit,model_spec)",
        "S3method(tidy,model_spec)")
  write("R/all.R", "linear_reg <- function() structure(list(), class = 'model_spec')",
        "fit.model_spec <- function(object, ...) 'fitted by another package'",
        "tidy.model_spec <- function(x, ...) 'tidied by another package'")
  library <- file.path(folder, "library")
  dir.create(library)
  output <- suppressWarnings(system2(
    file.path(R.home("bin"), "R"), c("CMD", "INSTALL", "--no-docs", "--no-byte-compile", "-l",
                                     shQuote(library), shQuote(file.path(folder, "othermodels"))),
    stdout = TRUE, stderr = TRUE
  ))
  if (!is.null(attr(output, "status"))) stop(paste(output, collapse = "\n"))
  library
}

test_that("our generics are those of generics", {
  for (name in c("fit", "tidy", "glance", "augment")) {
    expect_identical(getExportedValue("domgen", name), getExportedValue("generics", name))
  }
  model <- generics::fit(dg_lm(), y ~ . | domain, data = toy_domains(3, 10))
  expect_s3_class(model, "dg_lm")
  expect_identical(nrow(generics::glance(model)), 1L)
})

test_that("packages that use the same generics work before and after this one", {
  skip_on_cran()
  input <- list(library = stub_package(), toy = toy_domains(3, 10))
  on.exit(unlink(dirname(input$library), recursive = TRUE))
  found <- in_new_session({
    both <- function() {
      model <- fit(dg_lm(), y ~ . | domain, data = input$toy)
      list(fit(linear_reg()), tidy(linear_reg()), class(model), dim(tidy(model)))
    }
    # by a variable: R CMD check takes a name for a dependency
    stub <- "othermodels"
    library(stub, character.only = TRUE, lib.loc = input$library)
    after <- both()
    detach("package:domgen")
    library(domgen)
    list(after, both(), environmentName(environment(fit)))
  }, input)
  expected <- list("fitted by another package", "tidied by another package",
                   c("dg_lm", "dg_learner", "dg_fit"), c(4L, 2L))
  expect_identical(found, list(expected, expected, "generics"))
})

test_that("where another package has a default for fit(), that one stays", {
  skip_on_cran()
  found <- in_new_session({
    unloadNamespace("domgen")
    registerS3method("fit", "default", function(object, ...) "not ours", asNamespace("generics"))
    library(domgen)
    fit(3)
  }, list())
  expect_identical(found, "not ours")
  expect_domgen_error(fit(3), "`object` must be a specification")
})

test_that("a fitted call finds our fit() behind one of another name", {
  toy <- toy_domains(3, 10)
  model <- fit(dg_ridge(), y ~ . | domain, data = toy)
  fit <- function(...) "another"
  expect_equal(update(model, lambda = 3)$spec$args$lambda, 3)
})
