# One session for all calls: whatever options and locale the user has, a call is evaluated under
# those that R has when it starts, so that its value depends on the data and the seed alone: names
# of columns, which are made of code and numbers, text that formulas make of numbers and dates, the
# coding of factors, the order of levels. Messages keep their language, prints their digits.

# fixed: is a call under way in it? before: the options to go back to; locale: that of the session,
# whole, and other: its categories that differ from the fixed ones.
session <- list2env(list(fixed = FALSE, locale = ""), parent = emptyenv())

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
# call within such a call is in the session already. Where that function has an on.exit() of its
# own, it says `add = TRUE`.
enter_session <- function(frame = parent.frame()) {
  if (session$fixed) return(invisible())
  suspendInterrupts({
    do.call(on.exit, list(as.call(list(leave_session)), TRUE), envir = frame)
    session$fixed <- TRUE
    session$before <- options(fixed_options)
    fix_locale()
  })
  invisible()
}

leave_session <- function() {
  suspendInterrupts({
    options(session$before)
    unfix_locale()
    session$fixed <- FALSE
  })
}

fix_locale <- function() {
  whole <- Sys.getlocale()
  if (whole != session$locale) {
    locales <- vapply(fixed_categories, Sys.getlocale, "")
    session$other <- locales[locales != "C"]
    session$locale <- whole
  }
  for (name in names(session$other)) Sys.setlocale(name, "C")
}

unfix_locale <- function() {
  for (name in names(session$other)) {
    # R warns of another decimal mark than that of C
    if (name == "LC_NUMERIC") suppressWarnings(Sys.setlocale(name, session$other[[name]]))
    else Sys.setlocale(name, session$other[[name]])
  }
}
