# dg_auto() on rows that come in blocks.
skip_on_cran() # long

# A shift of the level and a slope that depend on the domain's mean of x1: what a domain is like
# matters.
auto_rows <- function(domains, rows, seed) {
  set.seed(seed)
  centre <- stats::rnorm(domains)
  domain <- rep(seq_len(domains), each = rows)
  x1 <- centre[domain] + stats::rnorm(domains * rows)
  x2 <- stats::rnorm(domains * rows)
  y <- sin(x1) + centre[domain] * x2 + stats::rnorm(domains * rows, sd = 0.5)
  data.frame(y = y, x1 = x1, x2 = x2, domain = sprintf("%d-%03d", seed, domain))
}

auto_train <- auto_rows(60, 10, 1)
auto_fresh <- auto_rows(100, 20, 2)
auto_formula <- y ~ x1 + x2 | domain

auto_model <- dg_auto(auto_formula, data = row_source(auto_train, block_size = 170),
                      n_members = 2, max_rows = 150, max_ard = 0)

by_domain_rmse <- function(model, data) {
  sqrt(tapply((predict(model, data) - data$y)^2, data$domain, mean))
}

# What a member, fitted to the other domains' rows with its own lambda, says of these domains.
refitted_without <- function(member, held) {
  spec <- member$spec
  spec$args$lambda <- member$lambda
  model <- suppressWarnings(fit(spec, auto_formula,
                                data = auto_train[!auto_train$domain %in% held, ]))
  predict(model, auto_train[auto_train$domain %in% held, ])
}

test_that("the score of all rows holds on fresh domains, and beats pooling where domains differ", {
  fresh <- by_domain_rmse(auto_model, auto_fresh)
  expected <- auto_model$choice$expected
  error <- sqrt(expected$se^2 + stats::var(fresh) / length(fresh))
  expect_lt(abs(expected$mean - mean(fresh)), 2.5 * error)
  pooled <- fit(dg_ridge(feature_map = features_nystrom(100), domain_kernel = domain_pooled()),
                auto_formula, data = row_source(auto_train))
  expect_lt(mean(fresh), 0.9 * mean(by_domain_rmse(pooled, auto_fresh)))
})

test_that("its score is the mean of the members by fits that have not seen the domain", {
  # members refitted without a fold, on the same maps
  cv <- auto_model$choice$scored
  expect_identical(cv, dg_cv(auto_model))
  expect_identical(nrow(cv$domains), 60L)
  expect_identical(cv$domains$rows, rep(10L, 60))
  held <- cv$domains$domain[cv$domains$fold == 1L]
  value <- 0
  for (member in auto_model$members) {
    value <- value + coef(auto_model)[[1L]] * refitted_without(member, held)
  }
  rows <- auto_train[auto_train$domain %in% held, ]
  expect_equal(c(unname(sqrt(tapply((value - rows$y)^2, rows$domain, mean)))),
               cv$domains$score[cv$domains$fold == 1L], tolerance = 0.05)
})

test_that("the same seed gives the same model, however the rows are cut, and keeps the generator", {
  set.seed(3)
  before <- .Random.seed
  again <- dg_auto(auto_formula, data = row_source(auto_train, block_size = 170),
                   n_members = 2, max_rows = 150, max_ard = 0)
  expect_identical(.Random.seed, before)
  expect_equal(predict(again, auto_fresh), predict(auto_model, auto_fresh))
})

test_that("a call that was broken off gives the numbers of one that was not", {
  # what a function captures is part of it: readings are counted outside
  old <- options(domgen_reads = 0, domgen_most = Inf)
  on.exit(options(old))
  few <- auto_train[auto_train$domain %in% unique(auto_train$domain)[1:20], ]
  part <- function(own) {
    done <- TRUE
    function(reset) {
      if (reset) {
        done <<- FALSE
        return(NULL)
      }
      options(domgen_reads = getOption("domgen_reads") + 1)
      if (getOption("domgen_reads") > getOption("domgen_most")) stop("the connection is lost")
      if (!done) {
        done <<- TRUE
        few[own, ]
      }
    }
  }
  odd <- seq_len(nrow(few)) %% 2 == 1
  first <- part(odd)
  second <- part(!odd)
  call <- function(most, store = NULL) {
    options(domgen_reads = 0, domgen_most = most)
    source <- row_source(list(function(reset) first(reset), function(reset) second(reset)),
                         store = store)
    dg_auto(auto_formula, data = source, n_members = 1, max_rows = 100, max_ard = 0)
  }
  whole <- call(Inf)
  passes <- getOption("domgen_reads")
  store <- tempfile("store")
  on.exit(unlink(store, recursive = TRUE), add = TRUE)
  # the names of columns, and of each part a piece and none at its end
  expect_identical(passes, 5)
  real <- domgen:::read_value
  reads <- 0
  expect_error(with_replaced("read_value", function(file) {
    reads <<- reads + 1
    if (reads == 7) stop("the disk is lost")
    real(file)
  }, call(Inf, store)), "the disk is lost")
  # the rows are in the store
  again <- call(1, store)
  expect_identical(again$choice$expected, whole$choice$expected)
  expect_identical(predict(again, auto_fresh), predict(whole, auto_fresh))
})

test_that("rows of the search are whole domains, drawn without a look at the response", {
  many <- auto_rows(300, 100, 4)
  input <- read_input(list(x = auto_formula, source = row_source(many, block_size = 40)))
  found <- over_spool(input, function(source) {
    input$source <- source
    stage <- rows_to_score(dg_null(), input)
    # as it would be of other responses
    shuffled <- stage
    shuffled$sample$y <- rev(stage$sample$y)
    list(with_seed(1, domain_sample(stage, 1200)), with_seed(1, domain_sample(shuffled, 1200)))
  })
  sample <- found[[1L]]
  expect_identical(sample$X, found[[2L]]$X)
  expect_identical(nlevels(sample$domain), searched_domains)
  expect_true(all(table(sample$domain) == searched_rows))
  # they are rows of the data, each once
  key <- paste(sample$X[, 1L], sample$X[, 2L], sample$y, sample$domain)
  expect_false(anyDuplicated(key) > 0L)
  expect_true(all(key %in% paste(many$x1, many$x2, many$y, many$domain)))
})

test_that("rows of the search are the same however many rows are cut, and even within domains", {
  many <- auto_rows(250, 100, 4)
  drawn <- function(source) {
    input <- read_input(list(x = auto_formula, source = source))
    over_spool(input, function(source) {
      input$source <- source
      stage <- rows_to_score(dg_null(), input)
      with_seed(1, domain_sample(stage, 1200))
    })
  }
  whole <- drawn(row_source(many))
  expect_gt(nrow(many), sample_rows)
  expect_identical(drawn(row_source(many, block_size = 777)), whole)
  # no part of a domain, whose rows stand together, is drawn more often
  at <- (match(paste(whole$X[, 1L], whole$y), paste(many$x1, many$y)) - 1L) %% 100L
  expect_gt(stats::chisq.test(tabulate(at %/% 10L + 1L, 10L))$p.value, 0.01)
})

test_that("the smallest keys of two sets of rows are those of both together", {
  rows <- function(i) {
    keys <- c(0.5, 0.1, 0.9, 0.3, 0.2, 0.7, 0.4, 0.8)
    list(X = matrix(i), domain = factor(c("a", "b")[i %% 2 + 1], c("a", "b")), key = keys[i])
  }
  one <- smallest_keys(rows(1:8), 2)
  add <- domain_rows_work(1:2, 2, 1, 0)$add
  two <- add(add(NULL, smallest_keys(rows(1:4), 2)), smallest_keys(rows(5:8), 2))
  expect_identical(one, two)
  expect_identical(as.vector(one$X), c(2L, 4L, 5L, 7L))
})

test_that("where nothing can be learned the null model is fitted", {
  nothing <- auto_train
  set.seed(5)
  nothing$y <- stats::rnorm(nrow(nothing))
  model <- dg_auto(auto_formula, data = row_source(nothing), n_members = 1, max_rows = 200,
                   max_ard = 0)
  expect_s3_class(model$members[[1L]], "dg_null")
  expect_equal(predict(model, auto_fresh[1:2, ]), rep(mean(nothing$y), 2))
  expect_equal(model$choice$expected$mean, 1, tolerance = 0.05)
  expect_output(print(model), "selected on other domains is better than\\s+the\\s+null\\s+model")
  alone <- fit(dg_null(), auto_formula, data = row_source(nothing))
  expect_equal(predict(alone, auto_fresh[1:2, ]), rep(mean(nothing$y), 2))
  expect_output(print(alone), "predicts")
})

test_that("the null model may stand beside the others", {
  data <- auto_train[auto_train$domain %in% unique(auto_train$domain)[1:20], ]
  data$class <- factor(ifelse(data$y > 0, "high", "low"))
  data$third <- cut(data$y, c(-Inf, -0.5, 0.5, Inf), labels = c("p", "q", "r"))
  for (formula in list(y ~ x1 + x2 | domain, class ~ x1 + x2 | domain, third ~ x1 + x2 | domain)) {
    input <- read_input(list(x = formula, source = row_source(data)))
    scored <- over_spool(input, function(source) {
      input$source <- source
      stage <- rows_to_score(dg_null(), input)
      splits <- auto_splits(NULL, stage)$splits
      specs <- list(dg_null(), dg_ridge(feature_map = features_nystrom(20), intercept = TRUE))
      members <- source_members(specs, stage, splits)
      metrics <- source_metrics(NULL, stage$sample$y)
      c(score_source_members(members, c(1, 0), stage, metrics, splits),
        list(ridge = score_source_members(members, c(0, 1), stage, metrics, splits)$mean))
    })
    expect_equal(scored$mean, scored$null)
    expect_false(isTRUE(all.equal(scored$ridge, scored$null)))
  }
})

test_that("classes are chosen and predicted", {
  data <- auto_train
  data$y <- factor(ifelse(data$y > 0, "high", "low"))
  model <- dg_auto(auto_formula, data = row_source(data), n_members = 1, max_rows = 200,
                   max_ard = 0)
  truth <- ifelse(auto_fresh$y > 0, "high", "low")
  correct <- tapply(predict(model, auto_fresh) == truth, auto_fresh$domain, mean)
  error <- sqrt(model$choice$expected$se^2 + stats::var(correct) / length(correct))
  expect_lt(abs(mean(correct) - model$choice$expected$mean), 3.5 * error)
})

test_that("it prints how all rows were scored, and refuses what sums cannot give", {
  expect_output(print(auto_model), "scored on all rows, 60 domains held out in 10 folds")
  expect_s3_class(generics::tidy(auto_model), "data.frame")
  expect_error(dg_cv(auto_model, metric = "mae"), "`metric` must be \"rmse\"",
               class = "domgen_error_argument")
  source <- row_source(auto_train)
  expect_error(dg_auto(auto_formula, data = source, metric = "r2"), "mean over rows",
               class = "domgen_error_argument")
  expect_error(dg_auto(auto_formula, data = source, unit = x1), "`unit` must not be given",
               class = "domgen_error_argument")
  expect_error(dg_auto(auto_formula, data = source, calibration = "platt"), "`calibration`",
               class = "domgen_error_argument")
  one <- row_source(auto_train[auto_train$domain == auto_train$domain[1L], ])
  expect_error(dg_auto(auto_formula, data = one), "at least 2 domains", class = "domgen_error_data")
})
