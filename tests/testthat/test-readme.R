# Figures of the README and of the site's front page are those that the README's code prints here,
# but for what another BLAS rounds.

test_that("figures in README.md and pkgdown/index.md are those of its code and of stored results", {
  skip_on_cran()
  skip_if_not_installed("nlme")
  script <- checkout_file("inst", "scripts", "readme.R")
  skip_if_not(file.exists(script), "the script that writes the figures is not there")
  env <- new.env()
  sys.source(script, env)
  code <- unlist(env$readme_code(readLines(checkout_file("README.md"))))
  asked <- Filter(function(expr) {
    is.call(expr) && (identical(expr[[1L]], quote(set.seed)) || identical(expr[[1L]], quote(`<-`)) &&
                        as.character(expr[[2L]]) %in% c("pupils", "school", "result"))
  }, as.list(parse(text = code)))
  run <- new.env()
  with_seed(1, for (expr in asked) eval(expr, run))
  figures <- env$readme_figures(run$result, checkout_file())
  seen <- logical(length(figures))
  for (file in env$texts_with_figures) {
    whole <- paste(readLines(checkout_file(file)), collapse = "\n")
    for (k in seq_along(figures)) {
      printed <- env$printed_figures(whole, figures[[k]])
      if (is.null(printed)) next
      seen[k] <- TRUE
      expect_equal(printed, unname(figures[[k]]$values), tolerance = 0.004, scale = 1,
                   info = paste(file, figures[[k]]$text))
      # a figure that is off is noticed
      expect_match(env$with_figures(whole, replace(figures[[k]], "values",
                                                   list(figures[[k]]$values + 7))),
                   format(round(figures[[k]]$values[1L] + 7, figures[[k]]$digits)), fixed = TRUE)
    }
  }
  expect_true(all(seen))
})
