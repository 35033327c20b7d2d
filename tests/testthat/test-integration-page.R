# The page that shows one analysis in three worlds: where their packages are not, it shows output
# that is stored beside it.

page <- function() readLines(checkout_file("vignettes", "integrations.Rmd"), encoding = "UTF-8")

# The parts of integrations.txt by name.
parts_of <- function(lines) {
  starts <- startsWith(lines, "## ")
  split(lines[!starts], factor(cumsum(starts)[!starts], labels = sub("^## ", "", lines[starts])))
}

stored_parts <- function() {
  parts_of(readLines(checkout_file("vignettes", "integrations.txt"), encoding = "UTF-8"))
}

numbers_in <- function(lines) {
  as.numeric(unlist(regmatches(lines, gregexpr("-?[0-9]+([.][0-9]+)?(e[-+][0-9]+)?", lines))))
}

test_that("each part of the page that needs other packages has its output stored", {
  heads <- grep("^```\\{r [^}]*needs = ", page(), value = TRUE)
  expect_gt(length(heads), 4)
  expect_identical(names(stored_parts()), sub("^```\\{r ([a-zA-Z0-9-]+),.*", "\\1", heads))
})

test_that("the stored output is what the packages give, and the three analyses agree", {
  skip_on_cran()
  needed <- c("knitr", "nlme", "lme4", "parsnip", "workflows", "tune", "recipes", "rsample", "dials",
              "yardstick", "mlr3", "pdp", "marginaleffects", "DALEX")
  # not loaded here, but in the session that makes the page
  skip_if_not(all(nzchar(vapply(needed, function(name) system.file(package = name), ""))),
              "not all of the packages are installed")
  folder <- tempfile("page")
  dir.create(folder)
  for (file in c("integrations.Rmd", "integrations.txt")) file.copy(checkout_file("vignettes", file), folder)
  in_new_session({
    Sys.setenv(DOMGEN_STORE = "TRUE")
    setwd(input)
    knitr::knit("integrations.Rmd", quiet = TRUE)
  }, folder)
  made <- parts_of(readLines(file.path(folder, "integrations.txt"), encoding = "UTF-8"))
  stored <- stored_parts()
  expect_identical(names(made), names(stored))
  for (part in setdiff(names(stored), "same")) {
    expect_equal(numbers_in(made[[part]]), numbers_in(stored[[part]]), tolerance = 1e-3,
                 info = part)
  }
  # differences between the three worlds
  differences <- numbers_in(sub("^#> (tidymodels|mlr3)", "", made$same[-1]))
  expect_length(differences, 4)
  expect_lt(max(abs(differences)), 1e-8)
})
