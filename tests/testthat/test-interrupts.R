# Long calls, each of which is at work in C++ when it is stopped. More of them, at more moments:
# `make check-interrupts`.
long_calls <- list(
  kpca = quote(dg_kpca(X[1:2000, ], ncomp = 500)),
  kernel_matrix = quote(repeat kernel_matrix(kernel_laplace(2), X)),
  dg_svm = quote(repeat dg_svm(X[1:2000, ], factor(X[1:2000, 1] > 0), rep(1:4, 500), cost = 1000))
)
rows <- function() with_seed(1, matrix(rnorm(24000), 6000))

test_that("a time limit is an error that a script can catch, in whatever the core is at", {
  skip_on_cran()
  said <- in_new_session({
    X <- input$X
    lapply(input$calls, function(call) {
      setTimeLimit(elapsed = 0.3, transient = TRUE)
      on.exit(setTimeLimit())
      tryCatch(eval(call), error = conditionMessage)
    })
  }, list(X = rows(), calls = long_calls))
  for (name in names(long_calls)) expect_identical(said[[name]], "reached elapsed time limit")
})

test_that("a time limit ends a search instead of spoiling one of its candidates", {
  skip_on_cran()
  said <- in_new_session({
    X <- input[1:3000, ]
    d <- rep(1:6, 500)
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    tryCatch(dg_tune(dg_svm(), X, X[, 1] + sin(9 * X[, 2]), d, grid = list(cost = 10^(1:4)),
                     progress = FALSE), error = conditionMessage)
  }, rows())
  expect_identical(said, "reached elapsed time limit")
})

test_that("a time limit that ends the user's own code is passed on as it is", {
  late <- function(x) stop("reached elapsed time limit")
  data <- data.frame(y = sin(1:40), x = cos(1:40), d = gl(4, 10))
  fit <- dg_ridge(y ~ x | d, data)
  gone <- dg_ridge(y ~ x | d, data, feature_map = features_nystrom(10))
  fit$call$data <- gone$call$data <- quote(late(data))
  calls <- list(
    formula = quote(dg_ridge(y ~ late(x) | d, data)),
    update = quote(update(fit, lambda = 2)),
    cv = quote(dg_cv(fit, refit = TRUE, progress = FALSE)),
    feature_map = quote(dg_cv(gone))
  )
  for (name in names(calls)) {
    said <- tryCatch(eval(calls[[name]]), error = identity)
    expect_identical(conditionMessage(said), "reached elapsed time limit", label = name)
    expect_false(inherits(said, "domgen_error"), label = name)
  }
})

# That of a machine's memory runs nothing that takes time.
test_that("no function takes a time limit for an error of its code", {
  catches_all <- function(e) {
    if (!is.call(e)) return(FALSE)
    own <- identical(e[[1L]], as.name("try")) ||
      (identical(e[[1L]], as.name("tryCatch")) &&
         any(names(e) %in% c("error", "condition", "simpleError")))
    own || any(vapply(as.list(e), function(part) {
      !identical(part, quote(expr = )) && catches_all(part)
    }, NA))
  }
  core <- asNamespace("domgen")
  functions <- Filter(is.function, mget(ls(core, all.names = TRUE), core))
  found <- names(Filter(function(f) {
    any(c("try", "tryCatch") %in% all.names(body(f))) && catches_all(body(f))
  }, functions))
  expect_setequal(found, "on_error")
})

test_that("an interrupt is an interrupt, and answered within half a second", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not(file.exists("/proc/self/stat"), "the process's own time cannot be read")
  answers <- in_new_session({
    X <- input$X
    own_time <- function() sum(proc.time()[1:2])
    lapply(input$calls, function(call) {
      file <- tempfile()
      system(sprintf(paste(
        "(sleep 0.3; set -- $(cut -d')' -f2 /proc/%1$d/stat);",
        "echo $((${12} + ${13})) >%2$s; kill -INT %1$d) >/dev/null 2>&1 &"
      ), Sys.getpid(), file))
      class <- tryCatch(eval(call), condition = class)
      list(class = class, late = own_time() - scan(file, quiet = TRUE) / 100)
    })
  }, list(X = rows(), calls = long_calls))
  for (name in names(long_calls)) {
    expect_true("interrupt" %in% answers[[name]]$class, label = name)
    expect_lt(answers[[name]]$late, 0.5, label = name)
  }
})

test_that("an interrupt while ranger is at work is one, whatever asked for the forest", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("ranger")
  found <- in_new_session({
    options(domgen.threads = 1L)
    # ranger is at work on a forest, or on its predictions, when the signal comes
    arm <- function(name) {
      armed <- TRUE
      send <- function() {
        if (armed) system(sprintf("(sleep 0.1; kill -INT %d) >/dev/null 2>&1 &", Sys.getpid()))
        armed <<- FALSE
      }
      fun <- get(name, asNamespace("domgen"))
      body(fun) <- as.call(list(as.name("{"), as.call(list(send)), body(fun)))
      utils::assignInNamespace(name, fun, "domgen")
    }
    d <- data.frame(input$X[1:600, ], g = rep(1:4, 150))
    d$y <- d$X1 + sin(d$X2)
    wide <- d[rep(1:600, 30), ]
    forest <- dg_forest(trees = 600, min_n = 1)
    model <- fit(forest, y ~ . | g, data = d)
    calls <- list(
      fit = list("forest_fit", quote(fit(forest, y ~ . | g, data = d))),
      predict = list("forest_predict", quote(predict(model, wide))),
      auto = list("forest_fit", quote(dg_auto(y ~ . | g, data = d, max_ard = 0))),
      cv = list("forest_fit", quote(dg_cv(forest, y ~ . | g, data = d, folds = 2)))
    )
    classes <- lapply(calls, function(call) {
      arm(call[[1L]])
      set.seed(3)
      tryCatch(class(eval(call[[2L]])), interrupt = class, error = class)
    })
    resumed <- tryCatch(dg_resume(), error = identity)
    set.seed(3)
    whole <- dg_cv(forest, y ~ . | g, data = d, folds = 2)
    list(classes = classes, same = identical(resumed$predictions, whole$predictions))
  }, list(X = rows()))
  for (name in c("fit", "predict", "auto")) {
    expect_true("interrupt" %in% found$classes[[name]], label = name)
  }
  expect_true("domgen_error_interrupt" %in% found$classes$cv)
  expect_true(found$same)
})

test_that("a time limit while ranger is at work neither ends R nor is a failed fold", {
  skip_on_cran()
  skip_if_not_installed("ranger")
  said <- in_new_session({
    d <- data.frame(input$X[1:1000, ], g = rep(1:4, 250))
    d$y <- d$X1 + sin(d$X2)
    setTimeLimit(elapsed = 0.2, transient = TRUE)
    tryCatch(dg_cv(dg_forest(trees = 400), y ~ . | g, data = d), error = conditionMessage)
  }, list(X = rows()))
  expect_identical(said, "reached elapsed time limit")
})

test_that("an interrupt waits for predictions that a user's own function makes by ranger", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("ranger")
  found <- in_new_session({
    d <- data.frame(input$X[1:100, ], g = rep(1:4, 25))
    state <- new.env()
    # in the midst of them, where R asks whether there was one
    guess <- function(object, x) {
      tools::pskill(Sys.getpid(), tools::SIGINT)
      for (i in 1:1e6) i + 1
      state$predicted <- TRUE
      rep(0, nrow(x))
    }
    ends <- function(wrap) {
      state$predicted <- FALSE
      forest <- learner_custom(function(x, y) wrap(ranger::ranger(x = x, y = y, num.trees = 2)),
                               guess)
      class <- tryCatch(class(fit(forest, X1 ~ X2 | g, data = d)), interrupt = class)
      c(predicted = state$predicted, interrupt = "interrupt" %in% class)
    }
    list(bare = ends(identity), within = ends(function(model) list(1, model)),
         other = ends(function(model) NULL))
  }, list(X = rows()))
  expect_identical(found$bare, c(predicted = TRUE, interrupt = TRUE))
  expect_identical(found$within, found$bare)
  expect_identical(found$other, c(predicted = FALSE, interrupt = TRUE))
})

test_that("a user's own function with ranger in it does not make an interrupt a failed fold", {
  late <- learner_custom(function(x, y) stop("User interrupt or internal error."),
                         function(object, x) numeric(nrow(x)))
  data <- data.frame(y = sin(1:40), x = cos(1:40), d = gl(4, 10))
  said <- tryCatch(dg_cv(late, y ~ x | d, data = data), error = conditionMessage)
  expect_identical(said, "User interrupt or internal error.")
})

test_that("nothing is printed when the number of threads changes within a session", {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  writeLines(c(
    "library(domgen)",
    "X <- matrix(sin(1:3000), 500)",
    "K <- lapply(c(1, 2, 3, 1, 2, parallel::detectCores() + 1L),",
    "            function(threads) kernel_matrix(kernel_rbf(1), X, threads = threads))",
    "stopifnot(length(unique(K)) == 1L)"
  ), script)
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old), add = TRUE)
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
                                   c("--no-environ", shQuote(script)), stdout = TRUE, stderr = TRUE))
  skip_if(any(grepl("there is no package", said)), "a new R session does not find the package")
  expect_identical(as.character(said), character())
  expect_null(attr(said, "status"))
})

test_that("a time limit within a user's own terms, columns or data is a time limit", {
  # as R says it, whatever the speed of the machine
  late <- function(...) stop("reached elapsed time limit")
  data <- data.frame(y = 1:8, a = c(3, 1, 2, 5, 4, 7, 6, 8), g = gl(2, 4))
  model <- dg_lm(y ~ a | g, data = data)
  said <- function(code) tryCatch(code, error = identity)
  for (found in list(said(dg_lm(y ~ late(a) | g, data = data)),
                     said(dg_lm(y ~ a | late(g), data = data)),
                     said(update(model, data = late())),
                     said(dg_cv(dg_lm(), y ~ a | g, data = late(), progress = FALSE)),
                     said(predict(model, data, zzz = late())))) {
    expect_identical(conditionMessage(found), "reached elapsed time limit")
    expect_false(inherits(found, "domgen_error"))
  }
})
