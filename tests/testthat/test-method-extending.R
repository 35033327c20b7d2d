# Constructors for parts made outside the package, R/method-extending.R. That such parts obey what
# all parts obey is test-laws.R; the examples are those of vignette("extending").

contrast_terms <- function(args) {
  list(numerator = c(variance = 1), denominator = c(domains = 1, norm = 1, ridge = args$lambda))
}

# dg_udica() by another name, with an argument of its own that changes nothing
own_udica <- function(x, y = NULL, domain = NULL, data = NULL, ncomp = 2, lambda = 0.1, mine = 1,
                      kernel = kernel_rbf(), domain_kernel = domain_pooled(),
                      feature_map = features_exact(),
                      normalise = c("constraint", "whiten", "published_code"),
                      scale = c("pooled", "domain", "both", "rank", "none"),
                      na.action = stats::na.omit, threads = NULL, ...) {
  projection_method("own_udica", "UDICA of our own", contrast_terms, parameters = list(
    dg_parameter("mine", lower = 0, grid = 1:3, shown = TRUE)
  ))
}

own_constant <- function(x, y = NULL, domain = NULL, data = NULL, kernel = kernel_rbf(),
                         domain_kernel = domain_pooled(), feature_map = features_exact(),
                         weights = NULL, scale = c("pooled", "domain", "both", "rank", "none"),
                         na.action = stats::na.omit, threads = NULL, ...) {
  learner_method("own_constant", "A constant", response = "number",
                 solve = function(problem, shared) {
                   list(coefficients = matrix(0, nrow(problem$rows$sample$X), 1L), intercept = 0)
                 })
}

# specifications are made again by the name of the function, which must be seen from anywhere
assign("own_udica", own_udica, envir = globalenv())
assign("own_constant", own_constant, envir = globalenv())

test_that("a projection of one's own is the package's with the same terms", {
  toy <- simulate_dica(domains = 4, n = 20, p = 3, seed = 1)
  ours <- dg_udica(~ x1 + x2 + x3 | domain, data = toy, ncomp = 2)
  own <- own_udica(~ x1 + x2 + x3 | domain, data = toy, ncomp = 2)
  expect_identical(own$values, ours$values)
  expect_identical(predict(own, toy), predict(ours, toy))
  expect_s3_class(own_udica(), c("own_udica", "dg_projection_spec"), exact = FALSE)
  expect_output(print(own), "UDICA of our own.*mine = 1")
  expect_domgen_error(own_udica(mine = -1), "`mine` must be one non-negative number")
  expect_identical(update(own_udica(), mine = 2)$args$mine, 2)
  # the call is that of the user, with arguments that are handed on
  hand_on <- function(...) own_udica(~ x1 + x2 + x3 | domain, data = toy, ...)
  expect_identical(hand_on(ncomp = 1)$values, own_udica(~ x1 + x2 + x3 | domain, data = toy,
                                                       ncomp = 1)$values)
  expect_identical(update(own, ncomp = 1)$values, hand_on(ncomp = 1)$values)
})

test_that("a learner of one's own takes the response that it says", {
  toy <- simulate_dica(domains = 3, n = 10, p = 3, seed = 1)
  model <- own_constant(y ~ x1 + x2 | domain, data = toy)
  expect_s3_class(model, c("own_constant", "dg_learner", "dg_fit"), exact = TRUE)
  expect_equal(unname(predict(model, toy)), rep(mean(toy$y), nrow(toy)))
  classes <- transform(toy, y = y > 0)
  expect_domgen_error(own_constant(y ~ x1 | domain, data = classes), "needs a numeric response")
})

test_that("rules of arguments are those asked for, and wrong ones are errors", {
  value <- function(value, ...) check_parameter(dg_parameter("a", ...), value)
  expect_identical(value(3, "count"), 3L)
  expect_true(value(TRUE, "flag"))
  expect_identical(value(-2), -2)
  expect_null(value(NULL, null = TRUE))
  expect_identical(value(c("p", "q"), "choice", levels = c("p", "q")), "p")
  expect_identical(value(1, "any", check = function(value, arg) paste(arg, value)), "a 1")
  expect_domgen_error(value(0, lower = 0, open = TRUE), "`a` must be one positive number, not 0")
  expect_domgen_error(value(0, "count"), "`a` must be one whole number of at least 1, not 0")
  expect_domgen_error(value(9, "count", upper = 7), "`a` must be one whole number of at least 1 and at most 7, not 9")
  expect_domgen_error(value(1, "part", levels = "lm"), "`a` must be an object of class \"lm\", not 1")
  expect_domgen_error(dg_parameter("a", "small"), "`type` must be one of")
  expect_domgen_error(dg_parameter("a", "choice"), "`levels` must be texts for the type \"choice\"")
  expect_domgen_error(dg_parameter("a", "flag", levels = "b"), "`levels` must be NULL")
  expect_domgen_error(dg_parameter("a", lower = 2, upper = 1), "`lower` and `upper` must be two")
  expect_domgen_error(dg_parameter("a", check = identity), "`check` must be a function, and the type")
  expect_domgen_error(dg_parameter("a", lower = 0, grid = -1:1), "`grid` must be one non-negative")
  expect_domgen_error(dg_parameter(c("a", "b")), "`name` must be one name")
  expect_domgen_error(new_stationary_kernel("two words"), "`name` must be one name")
  expect_domgen_error(new_feature_map(1), "`name` must be one name")
  expect_identical(class(new_stationary_kernel("mine")),
                   c("kernel_mine", "kernel_stationary", "domgen_kernel"))
  expect_domgen_error(new_stationary_kernel("mine", -1), "`bandwidth` must be one positive number")
  expect_identical(class(new_feature_map("mine", size = 3)), c("features_mine", "dg_features"))
  wrong <- function(x, parameters) projection_method("wrong", "Wrong", identity,
                                                     parameters = parameters)
  expect_domgen_error(wrong(parameters = 1), "`parameters` must be a list of `dg_parameter\\(\\)`")
})

# ---- a domain kernel of names

domain_lookup <- function(kappa) new_domain_kernel("lookup", given = kappa)
.S3method("domain_knows", "domain_lookup", function(kernel) "names")
.S3method("domain_kernel_fit", "domain_lookup", function(kernel, rows, feature_map = NULL) {
  kernel$sites <- levels(rows$domain)
  kernel$kappa <- lookup(kernel$given, kernel$sites, kernel$sites)
  kernel
})
.S3method("domain_kappa", "domain_lookup", function(kernel, rows, among = FALSE) {
  new <- levels(rows$domain)
  lookup(kernel$given, new, if (among) new else kernel$sites)
})
.S3method("format", "domain_lookup", function(x, ...) "by name")
lookup <- function(kappa, a, b) {
  at <- function(names) match(names, rownames(kappa))
  unname(kappa[at(a), at(b), drop = FALSE])
}

test_that("a kernel of names is the Gram matrix written out: in memory, over sources, in folds", {
  for (i in 1:4) {
    d <- with_seed(i, {
      sites <- sample(letters, 7L)
      root <- matrix(stats::rnorm(7 * sample(3:9, 1L)), 7L)
      kappa <- structure(tcrossprod(root) / ncol(root), dimnames = list(sites, sites))
      n <- sample(4:12, 7L, TRUE)
      rows <- data.frame(site = rep(sites, n), x1 = stats::rnorm(sum(n)), x2 = stats::rnorm(sum(n)))
      rows$y <- rows$x1^2 + rows$x2 * diag(kappa)[rows$site] + stats::rnorm(sum(n))
      # two sites are new
      list(kappa = kappa, train = rows[rows$site %in% sites[1:5], ],
           new = rows[!rows$site %in% sites[1:5], ])
    })
    gram <- function(a, b) {
      square <- outer(a$x1, b$x1, "-")^2 + outer(a$x2, b$x2, "-")^2
      exp(-square / 2) * d$kappa[a$site, b$site]
    }
    predicted <- function(train, new) {
      K <- gram(train, train)
      drop(unname(gram(new, train) %*% solve(K + 0.3 * diag(nrow(K)), train$y)))
    }
    spec <- function(map) dg_ridge(lambda = 0.3, kernel = kernel_rbf(1), scale = "none",
                                   domain_kernel = domain_lookup(d$kappa), feature_map = map)
    formula <- y ~ x1 + x2 | site
    source <- row_source(write_files(d$train, 2), block_size = 6)
    new <- row_source(write_files(d$new, 2), block_size = 3)
    oracle <- predicted(d$train, d$new)
    folds <- vapply(split(d$train, d$train$site), function(held) {
      sqrt(mean((predicted(d$train[d$train$site != held$site[1L], ], held) - held$y)^2))
    }, 0)
    every <- features_nystrom(nrow(d$train))
    fits <- list(list(features_exact(), d$train), list(every, d$train), list(every, source),
                 list(features_product(x = every, rank = 5), source))
    for (case in fits) {
      expect_no_warning(model <- with_seed(1, fit(spec(case[[1L]]), formula, data = case[[2L]])))
      expect_no_warning(values <- predict(model, d$new))
      expect_equal(unname(values), oracle, tolerance = 1e-6)
      expect_no_warning(alone <- predict(model, d$new[1L, ]))
      expect_equal(unname(alone), oracle[1L], tolerance = 1e-6)
      expect_equal(unname(predict(model, new)), oracle, tolerance = 1e-6)
      scores <- with_seed(1, dg_cv(spec(case[[1L]]), formula, data = case[[2L]]))$domains
      expect_equal(scores$score[match(names(folds), scores$domain)], unname(folds),
                   tolerance = 1e-5)
    }
  }
})

test_that("a domain kernel that gives no kappa, or none for a name, is an error that says so", {
  toy <- simulate_dica(domains = 3, n = 10, p = 2, seed = 1)
  fit_with <- function(kernel, data = toy, map = features_exact()) {
    dg_ridge(y ~ x1 + x2 | domain, data = data, lambda = 1, domain_kernel = kernel,
             feature_map = map)
  }
  some <- diag(3)
  dimnames(some) <- list(levels(toy$domain), levels(toy$domain))
  expect_domgen_error(fit_with(domain_lookup(some[-1, -1])), "by name has no value for \"d1\"")
  new <- transform(toy, domain = "elsewhere")
  for (map in list(features_exact(), features_nystrom(10))) {
    model <- fit_with(domain_lookup(some), map = map)
    expect_domgen_error(predict(model, new), "has no value for \"elsewhere\"")
  }
  .S3method("format", "domain_wrong", function(x, ...) "wrong")
  wrong <- function(kappa, knows) {
    .S3method("domain_knows", "domain_wrong", function(kernel) knows)
    .S3method("domain_kernel_fit", "domain_wrong", function(kernel, rows, feature_map = NULL) {
      kernel$kappa <- kappa
      kernel
    })
    fit_with(new_domain_kernel("wrong"))
  }
  expect_domgen_error(wrong(NULL, "names"), "must have a matrix of 3 x 3 as kappa")
  expect_domgen_error(wrong(diag(2), "rows"), "must have a matrix of 3 x 3 as kappa")
  expect_domgen_error(wrong(diag(3), "covariates"), "must give \"rows\", \"names\" or \"nothing\"")
})

test_that("a method's function that cannot be found by its name is an error", {
  hidden <- function(x, lambda = 1) projection_method("nowhere_to_be_seen", "Hidden", contrast_terms)
  expect_domgen_error(hidden(), "there is no function `nowhere_to_be_seen\\(\\)`")
})

rm(list = c("own_udica", "own_constant"), envir = globalenv())

test_that("a learner's function needs no arguments but those of its kernel", {
  toy <- simulate_dica(domains = 4, n = 20, p = 3, seed = 1)
  solve_own <- function(problem, shared) {
    total <- sum_groups(squared_sums(problem))
    list(coefficients = solve(total$second + diag(2, nrow(total$second)), total$cross))
  }
  own_squares <- function(x, y = NULL, domain = NULL, data = NULL, kernel = kernel_linear(),
                          domain_kernel = domain_pooled(), feature_map = features_exact(),
                          na.action = stats::na.omit, ...) {
    learner_method("own_squares", "Squares", solve_own)
  }
  assign("own_squares", own_squares, envir = globalenv())
  on.exit(rm("own_squares", envir = globalenv()))
  map <- features_nystrom(3)
  ridge <- dg_ridge(lambda = 2, kernel = kernel_linear(), domain_kernel = domain_pooled(),
                    feature_map = map, scale = "none")
  for (data in list(toy, row_source(toy, block_size = 7))) {
    fits <- lapply(list(own_squares(feature_map = map), ridge), function(spec) {
      set.seed(1)
      predict(fit(spec, y ~ x1 + x2 + x3 | domain, data = data), toy)
    })
    expect_equal(fits[[1L]], fits[[2L]], tolerance = 1e-8)
  }
})

test_that("a row of parts that is no end of a method's function is an error that says so", {
  expect_domgen_error(evalq(learner_method("a", "A", solve = function(problem, shared) 1), globalenv()),
                      "must be called by it")
})
