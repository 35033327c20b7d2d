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

test_that("the generator notices a call that runs in the user's session", {
  draws <- draws_of(1:12, workers = FALSE)
  with_replaced("fixed_session", function(frame) NULL, {
    expect_gte(sum(session_faults(draws) != "", na.rm = TRUE), 1)
  })
})
