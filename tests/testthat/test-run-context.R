# What a call keeps, and what it leaves of the session.

toy <- simulate_dica(domains = 3, n = 10, p = 2, seed = 1)

# ---- nothing of a call is in the session ------------------------------------------------------

# Of the session, which a call may look at but not change: the package's environments and options.
# May change: what of the machine was asked, and intervals of models, which save time; the call that was interrupted, after it; whether a call is under way, which
# has options of its own; code that was found harmless.
session_state <- function() {
  space <- as.list(asNamespace("domgen"), all.names = TRUE, sorted = TRUE)
  own <- Filter(is.environment, space[!startsWith(names(space), ".__")])
  known <- c("computer", "remembered", "session", "code_search")
  expect_true(all(known %in% names(own)))
  state <- own[setdiff(names(own), known)]
  list(lapply(state, as.list, all.names = TRUE, sorted = TRUE),
       options()[grep("^domgen", names(options()))])
}

# For row_source(): rows(), anew whenever they are read.
read_anew <- function(rows) {
  force(rows)
  left <- NULL
  function(reset) {
    if (reset) {
      left <<- rows()
      return(NULL)
    }
    now <- left
    left <<- NULL
    now
  }
}

# Each reading notes whether the session is as it was.
watched <- function(seen) {
  before <- session_state()
  read_anew(function() {
    seen$same <- c(seen$same, identical(session_state(), before))
    toy
  })
}

test_that("while a call goes over a source nothing of the session is changed", {
  seen <- new.env()
  source <- row_source(watched(seen))
  map <- features_nystrom(5)
  model <- dg_ridge(y ~ x1 | domain, data = source, lambda = 1, feature_map = map)
  calls <- list(
    function() dg_svm(y ~ x1 | domain, data = source, cost = 1, feature_map = map),
    function() dg_cv(dg_ridge(lambda = 1, feature_map = map), y ~ x1 | domain, data = source,
                     progress = FALSE),
    function() dg_compare(list(dg_ridge(lambda = 1, feature_map = map)), y ~ x1 | domain,
                          data = source, progress = FALSE),
    function() dg_tune(dg_ridge(feature_map = map), y ~ x1 | domain, data = source, progress = FALSE,
                       grid = list(lambda = 1:2)),
    function() predict(model, source)
  )
  for (call in calls) {
    seen$same <- logical()
    call()
    expect_gt(length(seen$same), 1L)
    expect_true(all(seen$same), label = deparse1(body(call)))
  }
})

# Of a learner whose every fit says so.
watching_fits <- function(fit = function() NULL) {
  learner_custom(function(x, y) {
    fit()
    mean(y)
  }, function(model, x) rep(model, nrow(x)))
}

test_that("while folds, searches and their fits are at work nothing of the session is changed", {
  before <- session_state()
  seen <- new.env()
  watched <- watching_fits(function() {
    seen$same <- c(seen$same, identical(session_state(), before))
  })
  calls <- list(
    function() fit(watched, y ~ x1 | domain, data = toy),
    function() dg_cv(watched, y ~ x1 | domain, data = toy, progress = FALSE),
    function() dg_tune(dg_pipeline(dg_kpca(), watched), y ~ x1 | domain, data = toy, progress = FALSE,
                       grid = list(ncomp = 1:2)),
    function() dg_cv(dg_tune(dg_pipeline(dg_kpca(), watched), grid = list(ncomp = 1:2)), y ~ x1 | domain,
                     data = toy, progress = FALSE)
  )
  for (call in calls) {
    seen$same <- logical()
    call()
    expect_gt(length(seen$same), 0L)
    expect_true(all(seen$same), label = deparse1(body(call)))
    expect_identical(session_state(), before)
  }
})

test_that("a call within a user's function is one of its own, whatever it is in", {
  map <- features_nystrom(5)
  spec <- dg_ridge(lambda = 1, feature_map = map)
  shifted <- function() {
    other <- with_seed(1L, fit(spec, y ~ x1 | domain, data = row_source(toy, block_size = 40)))
    transform(toy, y = y - predict(other, row_source(toy, block_size = 7)))
  }
  fit_to <- function(source) in_source(2, fit(spec, y ~ x1 | domain, data = source))
  expect_equal(fit_to(row_source(read_anew(shifted)))$coefficients,
               fit_to(row_source(shifted()))$coefficients, tolerance = 1e-10)
})

test_that("an interrupt of a call within a call is one of the outer call, which goes on", {
  stopped <- FALSE
  inner <- watching_fits(function() {
    if (stopped) return()
    stopped <<- TRUE
    signalCondition(structure(list(message = ""), class = c("interrupt", "condition")))
  })
  outer <- watching_fits(function() dg_cv(inner, y ~ x1 | domain, data = toy, progress = FALSE))
  call <- function() dg_cv(outer, y ~ x1 | domain, data = toy, progress = FALSE)
  expect_error(call(), "Interrupted after 0 of 3 pieces", class = "domgen_error_interrupt")
  expect_identical(dg_resume()$predictions, call()$predictions)
  expect_error(dg_resume(), "nothing to resume", class = "domgen_error_argument")
})

test_that("a search inside a fold takes the domains that are there and leaves the line to it", {
  search <- dg_tune(dg_ridge(), grid = list(lambda = 1:2), folds = 3, progress = TRUE)
  # the line is ours, also where another test has loaded progressr, and that of a terminal
  said <- function(code) {
    capture.output(type = "message", with_replaced("progressr_line", own_line, {
      with_replaced("can_redraw", function() TRUE, invisible(code))
    }))
  }
  shown <- said(fit(search, y ~ x1 | domain, data = toy))
  expect_match(shown, "ridge", ignore.case = TRUE, all = FALSE)
  expect_identical(said(dg_cv(search, y ~ x1 | domain, data = toy, progress = FALSE)), character())
  ensemble <- dg_ensemble(list(search, dg_lm()))
  expect_identical(said(dg_cv(ensemble, y ~ x1 | domain, data = toy, progress = FALSE)),
                   character())
})

test_that("a message of many fits or blocks is told once a call", {
  wide <- simulate_dica(domains = 8, n = 4, p = 1, seed = 1)
  model <- dg_lm(y ~ x1 | domain, data = wide)
  source <- row_source(transform(wide, domain = "new"), block_size = 5)
  said <- capture_messages(predict(model, source, interval = "prediction", level = 0.95))
  expect_length(said, 1L)
})
