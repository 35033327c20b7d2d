# The hook that looks at what is staged, in a repository of its own.
run_hook <- function(files) {
  hook <- checkout_file(".ci", "hooks", "pre-commit")
  skip_on_os("windows")
  skip_if(Sys.which("git") == "" || !file.exists(hook), "git or the hook is not there")
  folder <- tempfile("staged")
  dir.create(folder)
  old <- setwd(folder)
  on.exit({
    setwd(old)
    unlink(folder, recursive = TRUE)
  })
  git <- function(...) system2("git", c(...), stdout = TRUE, stderr = TRUE)
  git("init", "-q")
  for (name in names(files)) writeLines(files[[name]], name)
  git("add", ".")
  suppressWarnings(system2("sh", shQuote(hook), stdout = TRUE, stderr = TRUE))
}

test_that("a commit of short lines passes, long lines, large files and local paths do not", {
  expect_length(run_hook(list(a.R = "x <- 1", b.md = strrep("long words ", 20))), 0L)
  wide <- run_hook(list(a.R = c("x <- 1", paste("#", strrep("w", 99))), b.cpp = strrep("w", 101)))
  expect_identical(attr(wide, "status"), 1L)
  expect_match(wide, "over 100 characters", all = FALSE)
  expect_match(wide, "^a.R: # w", all = FALSE)
  expect_match(wide, "^b.cpp: w", all = FALSE)
  expect_match(run_hook(list(data.csv = rep(strrep("1", 99), 4000))), "data.csv: 400000 bytes",
               all = FALSE)
  path <- paste0("read.csv(\"", file.path("", "home", "somebody", "x.csv"), "\")")
  expect_match(run_hook(list(a.R = path)), "paths of one machine", all = FALSE)
})
