test_that("numbers, counts, flags and choices are checked", {
  expect_identical(check_number(2L, "cost"), 2)
  expect_identical(check_count(3, "ncomp"), 3L)
  expect_identical(check_between(0.5, "tau", 0, 1), 0.5)
  expect_identical(check_choice(c("a", "b"), "form", c("a", "b")), "a")
  expect_identical(check_flag(TRUE, "offset"), TRUE)
  expect_refusals({
    check_number(-1, "lambda")
    check_number(c(1, 2), "lambda")
    check_number(NA, "lambda", "non-negative")
    check_number("1", "lambda", "finite")
    check_count(2.5, "ncomp")
    check_count(NULL, "ncomp", at_least = 0L)
    check_between(2, "tau", 0, 1)
    check_flag(NA, "offset")
    check_choice("c", "form", c("a", "b"))
    check_kernel("rbf", "kernel")
    check_domain_kernel(mean, "domain_kernel")
  })
})

test_that("what falls into the dots is an error with a proposal", {
  expect_silent(check_no_dots(list(), "cost"))
  expect_refusals({
    check_no_dots(list(lamda = 1), c("lambda", "ncomp"))
    check_no_dots(list(gamma = 1), c("lambda", "ncomp"))
    check_no_dots(list(1), c("lambda", "ncomp"))
    dg_dica(y ~ x | d, data = data.frame(), lamda = 1)
    dg_dica(weights = 1:3)
    dg_svm(domain = 1:3)
  })
})

test_that("values are described in words", {
  values <- list(NULL, 1.5, "a", NA, 1:3, letters, c(TRUE, FALSE), mean, diag(2), iris,
                 factor("a"), list(1))
  expect_snapshot(cat(vapply(values, describe, ""), sep = "\n"))
  expect_equal(enumerate(letters[1:7], 3), "`a`, `b`, `c` and 4 more")
  expect_equal(plural(1, "row"), "1 row")
  expect_equal(plural(1234567, "row"), "1,234,567 rows")
})

test_that("matrices that would not fit are refused before they are made", {
  old <- options(domgen.memory_limit = 8 * 50^2)
  on.exit(options(old))
  expect_silent(check_memory(50))
  expect_domgen_error(check_memory(51), "51 rows would take", kind = "domgen_error_memory")
  expect_domgen_error(dg_kpca(~ ., data = iris[1:4]), "features_nystrom", kind = "domgen_error_memory")
  options(domgen.memory_limit = -1)
  expect_domgen_error(check_memory(5), "`domgen.memory_limit` must be one positive number")
  options(domgen.memory_limit = NULL)
  expect_gt(memory_limit(), 2^20)
})

test_that("conditions are classed and carry no call", {
  error <- tryCatch(abort("data", "a", 1), error = identity)
  expect_s3_class(error, c("domgen_error_data", "domgen_error", "error", "condition"), exact = TRUE)
  expect_equal(conditionMessage(error), "a1")
  expect_null(conditionCall(error))
  warning <- tryCatch(warn("rank", "b"), warning = identity)
  expect_s3_class(warning, c("domgen_warning_rank", "domgen_warning", "warning"))
})

test_that("plurals of words follow their ends", {
  words <- c("bus", "box", "church", "dish", "city", "day", "site")
  expect_identical(vapply(words, plural_of, "", USE.NAMES = FALSE),
                   c("buses", "boxes", "churches", "dishes", "cities", "days", "sites"))
  expect_identical(plural(1, "bus"), "1 bus")
})

test_that("a choice that is written longer, shorter or with a slip is answered with ours", {
  choices <- c("response", "class", "prob", "decision", "similarity", "link")
  set.seed(1)
  for (choice in choices) {
    slip <- paste0(substr(choice, 1, 1), substring(choice, 3))
    said <- c(paste0(choice, paste(sample(letters, 3), collapse = "")), toupper(choice),
              substr(choice, 1, max(3, nchar(choice) - 2)), if (nchar(choice) > 3) slip)
    for (given in said) {
      expect_domgen_error(check_choice(given, "type", choices),
                          paste0("not \"", given, "\"; did you mean \"", choice, "\"\\?"))
    }
  }
  expect_domgen_error(check_choice("zzzzzz", "type", choices), "not \"zzzzzz\"\\.$")
  expect_domgen_error(check_choice(NA_character_, "type", choices), "not \"?NA\"?\\.$")
})
