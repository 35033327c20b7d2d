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

rm(list = c("own_udica", "own_constant"), envir = globalenv())
