# Code in formulas. Terms are drawn from a small grammar, together with the columns that they read:
# a model of the formula is one of columns that R computes, new rows need the columns that are read
# and no others.

names_of_columns <- c("x", "z", "w")

# One thing of a list, evaluated where it is taken.
one_of <- function(...) {
  choices <- as.list(substitute(list(...)))[-1L]
  eval(choices[[sample.int(length(choices), 1L)]], parent.frame())
}

# list(code, reads); free: names that stand for numbers here, columns or arguments.
drawn_code <- function(depth, free = names_of_columns) {
  leaf <- function() {
    name <- as.name(sample(free, 1L))
    if (stats::runif(1L) < 0.2) bquote(.(name) * .(sample(c(1e-4, 0.5, 2, 1e5), 1L))) else name
  }
  if (depth == 0L) return(leaf())
  inner <- function(free_inside = free) drawn_code(depth - 1L, free_inside)
  # an argument may be called as a column is
  argument <- sample(c("u", "x", "z", ".x"), 1L)
  bound <- as.name(argument)
  # what a function finds besides its argument is the whole column, so that it must read only that
  own <- function() drawn_code(depth - 1L, argument)
  made <- function(body, ...) {
    arguments <- as.pairlist(c(stats::setNames(alist(a = ), argument), ...))
    as.call(list(as.name("function"), arguments, body))
  }
  one_of(
    bquote(base::log(abs(.(inner())) + 1)), bquote(stats::plogis(.(inner()))),
    bquote(base::pmin(.(inner()), .(inner()))), bquote(.(inner()) + .(inner())),
    bquote((.(inner()))^2), bquote(base::ifelse(.(inner()) > 0, .(inner()), 1)),
    bquote(sapply(.(inner()), .(made(own())))), bquote(base::vapply(.(inner()), .(made(own())), 1)),
    bquote(.(made(own()))(.(inner()))), bquote((.(made(own())))(.(inner()))),
    # with a constant of its own
    bquote((.(made(bquote(.(own()) * factor), list(factor = 3))))(.(inner()))),
    bquote(unlist(lapply(.(inner()), .(made(bquote({
      kept <- .(own())
      kept / 2
    })))))),
    # as purrr's functions take it
    if (requireNamespace("rlang", quietly = TRUE)) {
      bquote(rlang::as_function(.(call("~", drawn_code(depth - 1L, ".x"))))(.(inner())))
    } else leaf(),
    bquote(base::Reduce(`+`, list(.(inner()), .(inner())))),
    bquote(mapply(function(x, w) x + w, .(inner()), .(inner())))
  )
}

world <- function(n = 40L) with_seed(8, {
  d <- data.frame(x = stats::rnorm(n), z = stats::rnorm(n), w = stats::runif(n, 0.5, 2),
                  site = rep(c("a", "b", "c", "d"), each = n / 4))
  d$y <- d$x + d$z + stats::rnorm(n)
  d$count <- stats::rpois(n, 3)
  d
})

# Columns that the code reads: those whose absence makes R fail.
columns_read <- function(code, d) {
  Filter(function(name) {
    tryCatch({
      eval(code, d[setdiff(names(d), name)], globalenv())
      FALSE
    }, error = function(e) TRUE)
  }, names_of_columns)
}

test_that("a term of code is the column that R computes, and reads the columns that R reads", {
  d <- world()
  tried <- 0L
  for (i in seq_len(if (long_form()) 1000L else 60L)) {
    code <- with_seed(i, drawn_code(sample(1:3, 1L)))
    about <- paste0(i, ": ", deparse1(code))
    d$by_hand <- suppressWarnings(as.numeric(eval(code, d, globalenv())))
    # a column for R, too
    if (!all(is.finite(d$by_hand)) || stats::sd(d$by_hand) < 1e-6 || max(abs(d$by_hand)) > 1e6) next
    tried <- tried + 1L
    formula <- stats::as.formula(call("~", quote(y), call("|", call("I", code), quote(site))),
                                 globalenv())
    spec <- if (i %% 2L) dg_lm() else dg_ridge(lambda = 0.3, domain_kernel = domain_pooled())
    model <- fit(spec, formula, data = d)
    expected <- fit(spec, y ~ by_hand | site, data = d)
    expect_equal(fitted(model), fitted(expected), tolerance = 1e-8, info = about)
    # new rows with no other columns
    reads <- columns_read(code, d)
    new <- d[5:9, ]
    expect_equal(predict(model, new[reads]), predict(expected, new), tolerance = 1e-8, info = about)
    for (name in reads) {
      expect_error(predict(model, new[setdiff(reads, name)]), paste0("`", name, "`"),
                   class = "domgen_error", info = about)
    }
  }
  expect_gt(tried, 0.6 * i)
})

test_that("an offset of code is the column that R computes, with its namespace or without", {
  d <- world()
  for (i in seq_len(if (long_form()) 200L else 12L)) {
    code <- with_seed(100 + i, drawn_code(2L))
    code <- bquote(stats::plogis(.(code)))
    d$by_hand <- suppressWarnings(as.numeric(eval(code, d, globalenv())))
    about <- deparse1(code)
    if (!all(is.finite(d$by_hand))) next
    called <- if (i %% 2L) quote(stats::offset) else quote(offset)
    term <- as.call(list(called, code))
    formula <- stats::as.formula(bquote(count ~ x + .(term) | site), globalenv())
    spec <- dg_glm(family = "poisson", lambda = 1, kernel = kernel_linear())
    model <- fit(spec, formula, data = d)
    expected <- fit(spec, count ~ x + offset(by_hand) | site, data = d)
    expect_equal(predict(model, d, type = "decision"), predict(expected, d, type = "decision"),
                 tolerance = 1e-8, info = about)
  }
})

test_that("what is no number in arithmetic is our error, wherever it stands", {
  d <- world()
  for (i in 1:24) {
    bad <- with_seed(i, {
      what <- one_of(quote(letters), quote(month.name), quote(LETTERS), quote(base::letters),
                     quote(site), quote("2"))
      bad <- bquote(.(as.name(sample(c("+", "*", "-", "/"), 1L)))(.(what), x))
      one_of(bad, bquote(log(.(bad))), bquote(.(bad) + z))
    })
    formula <- stats::as.formula(bquote(y ~ I(.(bad)) + z | site), globalenv())
    expect_error(fit(dg_lm(), formula, data = d), class = "domgen_error", info = deparse1(bad))
  }
})
