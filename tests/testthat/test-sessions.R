# What a call gives depends on its data and its seed: the same draws in plain sessions and in odd
# ones, helper-sessions.R. DOMGEN_LONG makes 2,000 of them.
methods <- session_methods()
locales <- odd_locales()

draws_of <- function(numbers, ...) lapply(numbers, session_draw, methods = methods,
                                          locales = locales, ...)

test_that("options, locale and storage change no fit, no prediction and no order of classes", {
  # each method once, and some at random
  each <- Map(function(i, method) session_draw(i, method, FALSE, methods, locales),
              seq_along(methods), names(methods))
  some <- draws_of(101:(if (long_form()) 2000 else 115), workers = FALSE)
  expect_same_sessions(c(each, some))
})

test_that("workers fold as the session does that they work for, whatever its options are", {
  skip_if_not_installed("future")
  expect_same_sessions(draws_of(2001:(if (long_form()) 2100 else 2006), workers = TRUE))
})

test_that("the generator notices whatever of the session is left to the user", {
  draws <- draws_of(1:15, workers = FALSE)
  plain <- plain_values(draws)
  share <- function() mean(session_faults(draws, plain) != "", na.rm = TRUE)
  expect_gt(with_replaced("enter_session", function(frame) NULL, share()), 2 / 3)
  expect_gt(with_replaced("fixed_options", list(), share()), 2 / 3)
  # one of the options alone
  for (name in c("scipen", "digits", "OutDec", "contrasts")) {
    others <- domgen:::fixed_options[setdiff(names(domgen:::fixed_options), name)]
    expect_gt(with_replaced("fixed_options", others, share()), 0.1, label = name)
  }
  sorting <- setdiff(locales, c("C", "C.UTF-8"))
  skip_if(length(sorting) == 0L, "no locale that sorts otherwise")
  draws <- lapply(1:15, session_draw, workers = FALSE, methods = methods, locales = sorting)
  plain <- plain_values(draws)
  unfixed <- function(code) {
    none <- function() NULL
    with_replaced("fix_locale", none, with_replaced("unfix_locale", none, code))
  }
  expect_gt(unfixed(share()), 2 / 3)
})
