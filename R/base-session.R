# One session for all calls: whatever options and locale the user has, a call is evaluated under
# those that R has when it starts, so that its value depends on the data and the seed alone: names
# of columns, which are made of code and numbers, text that formulas make of numbers and dates, the
# coding of factors, the order of levels. Messages keep their language, prints their digits.

session <- new.env(parent = emptyenv())
session$fixed <- FALSE

# The options that values depend on. What only changes how something is shown, or when a warning
# becomes an error, stays the user's; stringsAsFactors is without effect since R 4.0.0.
fixed_options <- list(
  scipen = 0, digits = 7, OutDec = ".", digits.secs = NULL,
  contrasts = c(unordered = "contr.treatment", ordered = "contr.poly"), na.action = "na.omit",
  ts.eps = 1e-5, ts.S.compat = FALSE, matprod = "default", encoding = "native.enc",
  warnPartialMatchArgs = FALSE, warnPartialMatchAttr = FALSE, warnPartialMatchDollar = FALSE,
  # of lme4, which reads them where it is given no control
  lmerControl = NULL, glmerControl = NULL
)

# The order of text, the decimal mark of C, and the names of days and months.
fixed_categories <- c("LC_COLLATE", "LC_NUMERIC", "LC_TIME")

# From here until the function that calls this ends, however it does. Each function that users call
# and that evaluates anything begins with it (tests/testthat/test-base-session.R has the others); a
# call within such a call is in the session already. on.exit() of that function has `add = TRUE`.
fixed_session <- function(frame = parent.frame()) {
  if (session$fixed) return(invisible())
  before <- NULL
  leave <- function() suspendInterrupts({
    options(before$options)
    set_locale(before$locale)
    session$fixed <- FALSE
  })
  suspendInterrupts({
    do.call(on.exit, list(as.call(list(leave)), TRUE), envir = frame)
    session$fixed <- TRUE
    before$options <- options(fixed_options)
    before$locale <- set_locale(stats::setNames(nm = fixed_categories, rep("C", 3L)))
  })
  invisible()
}

# Those that differ are set; what they were, by category.
set_locale <- function(locale) {
  before <- vapply(names(locale), Sys.getlocale, "")
  for (name in names(locale)[before != locale]) {
    # R warns of another decimal mark than that of C
    suppressWarnings(Sys.setlocale(name, locale[[name]]))
  }
  before
}
