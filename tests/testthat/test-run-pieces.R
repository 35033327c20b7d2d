skip_on_cran() # long

toy <- toy_domains(5, 10)
drawn <- dg_ridge(feature_map = features_nystrom(6))
tuned <- dg_tune(drawn, grid = list(lambda = 10^(0:1), feature_map.n_landmarks = c(4, 6)), folds = 2,
                 extend = FALSE)

timeless <- function(value) {
  if (is.function(value) || is.environment(value) || is.language(value)) return(NULL)
  if (is.list(value)) {
    value <- value[!names(value) %in% "seconds"]
    return(lapply(unclass(value), timeless))
  }
  value
}

runs <- list(
  cv = function() {
    set.seed(11)
    dg_cv(drawn, y ~ . | domain, data = toy, folds = 3)[c("predictions", "domains", "mean", "folds",
                                                          "fits")]
  },
  nested = function() {
    set.seed(12)
    dg_cv(tuned, y ~ . | domain, data = toy, folds = 2)[c("predictions", "domains", "fits")]
  },
  tune = function() {
    set.seed(13)
    model <- dg_tune(drawn, y ~ . | domain, data = toy, folds = 3, search = "random", size = 4,
                     grid = list(lambda = 10^(0:2), feature_map.n_landmarks = c(4, 6)))
    c(model$tuning[c("table", "best", "chosen", "scores")], list(predict(model, toy), model$call))
  },
  extended = function() {
    set.seed(14)
    model <- dg_tune(drawn, y ~ . | domain, data = toy, folds = 2,
                     grid = list(lambda = 10^(-4:-2)))
    c(model$tuning[c("table", "best")], list(predict(model, toy), coef(model)))
  },
  coordinate = function() {
    set.seed(15)
    model <- dg_tune(drawn, y ~ . | domain, data = toy, folds = 2, search = "coordinate",
                     grid = list(lambda = 10^(0:2), bandwidth_factor = c(0.5, 1, 2)))
    c(model$tuning[c("table", "best")], list(predict(model, toy)))
  },
  compare = function() {
    set.seed(16)
    result <- dg_compare(list(drawn = drawn, tuned = tuned, lm = dg_lm()), y ~ . | domain,
                         data = toy, folds = 2)
    c(result[c("table", "scores", "friedman")], lapply(result$runs, `[[`, "predictions"))
  },
  bagged = function() {
    set.seed(17)
    chained <- dg_pipeline(dg_kpca(feature_map = features_nystrom(8), ncomp = 2), dg_lm())
    dg_cv(chained, y ~ . | domain, data = toy, folds = row_folds(toy$domain, folds = 2))$predictions
  }
)

# What each of them gives, made once.
made <- new.env()
result_of <- function(name) {
  if (is.null(made[[name]])) assign(name, timeless(runs[[name]]()), made)
  made[[name]]
}

test_that("the same seed gives the same result, another seed another", {
  # of all others on workers, below
  for (name in c("cv", "tune", "compare")) {
    expect_identical(timeless(runs[[name]]()), result_of(name), label = name)
  }
  set.seed(1)
  one <- dg_cv(drawn, y ~ . | domain, data = toy)
  two <- dg_cv(drawn, y ~ . | domain, data = toy)
  expect_false(identical(one$predictions, two$predictions))
})

test_that("a fit in a fold does not depend on how many were made before", {
  set.seed(2)
  folds <- dg_cv(drawn, y ~ . | domain, data = toy)
  set.seed(2)
  compared <- dg_compare(list(lm = dg_lm(), other = tuned, drawn = drawn), y ~ . | domain,
                         data = toy, refits = FALSE)
  expect_identical(compared$runs$drawn$predictions, folds$predictions)
})

test_that("the generator's kind does not matter, and is kept", {
  old <- RNGkind()
  on.exit(RNGkind(old[1L], old[2L], old[3L]))
  run <- function() with_seed(3L, c(rnorm(2), sample(10)))
  usual <- run()
  RNGkind("L'Ecuyer-CMRG", "Box-Muller", "Rounding") |> suppressWarnings()
  expect_identical(run(), usual)
  expect_identical(RNGkind()[1:2], c("L'Ecuyer-CMRG", "Box-Muller"))
})

without_workers <- function() {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not_installed("parallel")
}

# Runs code under a plan on processes that find the installed package.
under_plan <- function(plan, code) {
  old_plan <- future::plan()
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit({
    future::plan(old_plan)
    if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old)
  })
  cluster <- plan()
  if (!is.null(cluster)) on.exit(parallel::stopCluster(cluster), add = TRUE)
  skip_if_not(workers_at_once() > 1L, "this plan has one worker here")
  found <- future::value(future::future(requireNamespace("domgen", quietly = TRUE)))
  skip_if_not(found, "the workers do not find the package")
  force(code)
}

test_that("results are identical on the workers of any plan", {
  without_workers()
  expected <- lapply(stats::setNames(nm = names(runs)), result_of)
  plans <- list(
    multisession = function() {
      future::plan(future::multisession, workers = 2)
      NULL
    },
    cluster = function() {
      cluster <- parallel::makePSOCKcluster(2)
      future::plan(future::cluster, workers = cluster)
      cluster
    }
  )
  # two ways to the same kind of worker: on the second, what differs between them
  named <- list(multisession = names(runs), cluster = c("cv", "compare"))
  for (plan in names(plans)) {
    under_plan(plans[[plan]], {
      for (name in named[[plan]]) {
        expect_identical(timeless(runs[[name]]()), expected[[name]], label = paste(plan, name))
      }
    })
  }
})

test_that("what a lost worker was at is done again, and beyond that dg_resume() goes on", {
  without_workers()
  marks <- tempfile("marks")
  dir.create(marks)
  session <- Sys.getpid()
  # dies in the fold without d3, as often as `deaths` says
  deadly <- function(deaths) learner_custom(function(x, y, domain) {
    # kept by the session that waits
    file.create(tempfile("fit", marks))
    if (!"d3" %in% domain && Sys.getpid() != session &&
          length(list.files(marks, "dead")) < deaths) {
      file.create(tempfile("dead", marks))
      tools::pskill(Sys.getpid(), tools::SIGKILL)
      Sys.sleep(5)
    }
    mean(y)
  }, function(object, x) rep(object, nrow(x)))
  numbers <- transform(simulate_dica(domains = 8, n = 5, seed = 2), y = x1)
  levels(numbers$domain) <- paste0("d", 1:8)
  call <- function(deaths) dg_cv(deadly(deaths), y ~ x2 | domain, data = numbers)
  whole <- call(0)
  under_plan(function() {
    future::plan(future::multisession, workers = 2)
    NULL
  }, {
    expect_identical(call(1)$predictions, whole$predictions)
    expect_length(list.files(marks, "dead"), 1L)
    expect_domgen_error(call(5), "was lost four times; .* `dg_resume\\(\\)` does the rest",
                        "domgen_error_worker")
    unlink(list.files(marks, "fit", full.names = TRUE))
    expect_identical(dg_resume()$predictions, whole$predictions)
    # half of the folds were done by the other worker
    expect_lte(length(list.files(marks, "fit")), 4L)
  })
})

test_that("workers are sent the data and the specifications, and little else", {
  task <- list(y = 1:10)
  specs <- list(dg_lm())
  size <- function(f) length(serialize(f, NULL))
  workers <- local({
    ballast <- stats::rnorm(1e6)
    list(one_by_one(seeded(piece_worker(specs, task, NULL))),
         one_by_one(seeded(split_worker(specs, task, NULL))))
  })
  for (worker in workers) expect_lt(size(worker), size(specs) + size(task) + 2e4)
})

test_that("what the data lack is said once", {
  lacking <- replace(toy, "x1", list(replace(toy$x1, 2, NA)))
  flat <- transform(toy, x1 = 1)
  warnings <- function(code) {
    found <- character()
    withCallingHandlers(code, warning = function(w) {
      found <<- c(found, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    found
  }
  calls <- list(
    auto = function(data) {
      dg_auto(y ~ . | domain, data = data, max_ard = 0, folds = 2, n_members = 1)
    },
    tune = function(data) dg_tune(drawn, y ~ . | domain, data = data, grid = list(lambda = 1:2),
                                  folds = 2),
    diagnose = function(data) dg_diagnose(y ~ . | domain, data = data, permutations = 20),
    cv = function(data) dg_cv(tuned, y ~ . | domain, data = data, folds = 2),
    compare = function(data) {
      dg_compare(list(dg_lm(), drawn), y ~ . | domain, data = data, folds = 2)
    }
  )
  for (name in names(calls)) {
    said <- warnings(calls[[name]](lacking))
    expect_length(said, 1L)
    expect_match(said, "1 row of [0-9]+ left out", label = name)
  }
  for (name in c("auto", "tune", "diagnose")) expect_length(warnings(calls[[name]](flat)), 1L)
  expect_output(print(dg_cv(drawn, y ~ . | domain, data = flat)), "note, 5 of 5 folds: 1 predictor")
})

signal_interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
}

# Interrupts the n-th fit that predicts a split once.
interrupting <- function(n, code) {
  count <- new.env()
  count$calls <- 0L
  own <- domgen:::decide_rows
  with_replaced("decide_rows", function(...) {
    count$calls <- count$calls + 1L
    if (count$calls == n) {
      signal_interrupt()
    }
    own(...)
  }, code)
}

test_that("an interrupted call goes on where it was, to the result of the whole", {
  for (name in names(runs)) {
    expected <- result_of(name)
    # within the first piece of work, and after some
    for (n in if (name %in% c("cv", "bagged")) 1:2 else 4L) {
      set.seed(99)
      interrupting(n, {
        expect_domgen_error(runs[[name]](),
                            "Interrupted after [0-9]+ of [0-9]+ pieces of work; `dg_resume",
                            "domgen_error_interrupt")
        # what happens in between does not matter
        stats::rnorm(3)
        resumed <- dg_resume()
      })
      expect_domgen_error(dg_resume(), "nothing to resume", "domgen_error_argument")
      whole <- if (inherits(resumed, "dg_tuned")) {
        model <- resumed
        list(model$tuning[c("table", "best")], predict(model, toy))
      } else if (inherits(resumed, "dg_compare")) resumed$scores else resumed$predictions
      shown <- if (inherits(resumed, "dg_tuned")) {
        list(expected[c("table", "best")], Filter(is.numeric, expected)[[1L]])
      } else if (inherits(resumed, "dg_compare")) expected$scores
      else if (is.null(expected$predictions)) expected else expected$predictions
      expect_identical(timeless(whole), timeless(shown), label = paste(name, n))
    }
  }
})

test_that("what is done is not done again", {
  count <- new.env()
  count$calls <- 0L
  own <- domgen:::evaluate_split
  with_replaced("evaluate_split", function(spec, task, split, ...) {
    count$calls <- count$calls + 1L
    if (count$calls == 4L) {
      signal_interrupt()
    }
    own(spec, task, split, ...)
  }, {
    expect_domgen_error(dg_cv(dg_lm(), y ~ . | domain, data = toy),
                        "Interrupted after 3 of 5 pieces")
    result <- dg_resume()
  })
  # five folds, one of which was begun twice
  expect_identical(count$calls, 6L)
  expect_identical(result$predictions, dg_cv(dg_lm(), y ~ . | domain, data = toy)$predictions)
})

test_that("a tuned model that was resumed is the model of the call", {
  call <- function() {
    set.seed(21)
    dg_tune(drawn, y ~ . | domain, data = toy, folds = 2, grid = list(lambda = 10^(0:2)))
  }
  whole <- call()
  interrupting(3L, {
    expect_domgen_error(call(), "dg_resume", "domgen_error_interrupt")
    resumed <- dg_resume()
  })
  expect_identical(names(resumed), names(whole))
  expect_identical(resumed$call, whole$call)
  expect_identical(predict(resumed, toy), predict(whole, toy))
  expect_identical(class(resumed), class(whole))
})

test_that("an interrupt of the fit that follows a search loses nothing", {
  call <- function() {
    set.seed(22)
    fit(dg_tune(drawn, folds = 2, grid = list(lambda = 10^(0:2))), y ~ . | domain, data = toy)
  }
  whole <- call()
  count <- new.env()
  count$left <- 1L
  own <- domgen:::finish_search
  with_replaced("finish_search", function(state) {
    if (count$left > 0L) {
      count$left <- count$left - 1L
      signal_interrupt()
    }
    own(state)
  }, {
    expect_domgen_error(call(), "dg_resume", "domgen_error_interrupt")
    interrupting(1L, resumed <- dg_resume())
  })
  expect_identical(timeless(resumed$tuning$table), timeless(whole$tuning$table))
  expect_identical(predict(resumed, toy), predict(whole, toy))
  expect_identical(resumed$call, whole$call)
})

test_that("a call can be interrupted again and again", {
  set.seed(31)
  whole <- dg_cv(drawn, y ~ . | domain, data = toy)
  count <- new.env()
  count$calls <- 0L
  own <- domgen:::evaluate_split
  with_replaced("evaluate_split", function(...) {
    count$calls <- count$calls + 1L
    if (count$calls %% 2L == 0L) {
      signal_interrupt()
    }
    own(...)
  }, {
    set.seed(31)
    expect_domgen_error(dg_cv(drawn, y ~ . | domain, data = toy), "after 1 of 5")
    for (k in 2:4) expect_domgen_error(dg_resume(), paste("after", k, "of 5"))
    result <- dg_resume()
  })
  expect_identical(result$predictions, whole$predictions)
})

test_that("an error is no interrupt: there is nothing to resume after it", {
  expect_domgen_error(dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "auc"), "`metric`")
  expect_domgen_error(dg_resume(), "There is nothing to resume", "domgen_error_argument")
})
