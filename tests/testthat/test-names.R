test_that("no two functions of the package have one name, of which the later would hide the other", {
  folder <- checkout_file("R")
  named <- unlist(lapply(list.files(folder, "[.]R$", full.names = TRUE), function(file) {
    code <- parse(file, keep.source = FALSE)
    assigned <- vapply(code, function(line) is.call(line) && identical(line[[1L]], as.name("<-")), NA)
    vapply(code[assigned], function(line) paste(deparse(line[[2L]]), collapse = ""), "")
  }))
  expect_gt(length(named), 500L)
  expect_identical(named[duplicated(named)], character())
})
