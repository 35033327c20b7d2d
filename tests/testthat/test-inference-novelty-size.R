# Domains on x1, x2 with other means; as rows of list(X, domain, threads).
sized_rows <- function(sizes, shift = 0) {
  G <- length(sizes)
  domain <- factor(rep(seq_len(G), sizes))
  centre <- matrix(rnorm(2 * G, 0, 0.5), G)
  centre[G, 1] <- centre[G, 1] + shift
  list(X = matrix(rnorm(2 * sum(sizes)), ncol = 2) + centre[as.integer(domain), ],
       domain = domain, threads = 1L)
}

# Of all but the last domain, and of the last.
sized_sides <- function(rows) {
  last <- as.integer(rows$domain) == nlevels(rows$domain)
  lapply(list(known = which(!last), new = which(last)), function(i) {
    part <- rows_at(rows, i)
    part$domain <- droplevels(part$domain)
    part
  })
}

view_of <- function(kernel, sides) {
  list(kernel = kernel, rows = sides, scaled = function(X, domain) X)
}

sized_standing <- function(rows) {
  sides <- sized_sides(rows)
  kernel <- domain_kernel_fit(domain_distribution(kernel_rbf(1)), sides$known)
  like_sized(domain_standing(kernel, sides$new), view_of(kernel, sides))
}

# With another seed in the place of 1.
with_other_draws <- function(seed, code) {
  with_replaced("with_seed", function(ignored, code) {
    set.seed(seed)
    code
  }, code)
}

test_that("a single new row is ranked by the formula among all rows' chances of being drawn", {
  set.seed(1)
  # one row a domain is drawn; of domains whose rows are equal it is known which
  at <- matrix(rnorm(14), 7)
  sizes <- c(2, 3, 4, 2, 5, 3, 1)
  domain <- factor(rep(1:7, sizes))
  X <- at[as.integer(domain), ] + c(1e-7, -1e-7)
  found <- sized_standing(list(X = X, domain = domain, threads = 1L))
  K <- exp(-as.matrix(dist(at))^2 / 2)
  far <- function(j, others) 2 - 2 * K[j, others]
  # the noise within domains is none: distances are over b, which ranks do not see
  nearest <- function(d) mean(sort(d)[1:3])
  apart <- sapply(1:7, function(i) mean(sapply(setdiff(1:7, i), function(j) {
    others <- setdiff(1:6, c(i, j))
    nearest(far(i, others)) - nearest(far(j, others))
  })))
  expect_equal(found$p, mean(apart >= apart[7]))
  # drawn beside the distance of all rows, as far from it as they are from each other
  shown <- c(attr(found, "left_out")) - found$distance
  expected <- apart[-7] - apart[7]
  at <- shown > -found$distance
  expect_equal((shown / expected)[at], rep((shown / expected)[at][1], sum(at)), tolerance = 1e-4)
})

test_that("scores are the weighted mean differences of distances from the other domains", {
  set.seed(9)
  steps <- c(3L, 8L, 20L)
  sizes <- c(3, 9, 30, 8, 25, 20, 12, 21)
  near <- lapply(steps, function(m) {
    d <- matrix(rexp(8 * 7), 8)
    diag(d) <- Inf
    d[sizes < m, ] <- NA
    d
  })
  k <- 2L
  nearest <- function(d) mean(sort(d[is.finite(d)])[1:k])
  of <- function(i, s, without) nearest(near[[s]][i, setdiff(1:7, without)])
  spread <- sapply(1:3, function(s) sd(apply(near[[s]][sizes >= steps[s], ], 1, nearest)))
  # only four domains have 20 rows
  spread[3] <- spread[2]
  expected <- sapply(1:8, function(i) {
    others <- setdiff(1:8, i)
    s <- sapply(others, function(j) sum(steps <= min(sizes[i], sizes[j])))
    d <- mapply(function(j, s) (of(i, s, j) - of(j, s, i)) / spread[s], others, s)
    weighted.mean(d, steps[s]^2) * spread[3]
  })
  expect_equal(scores_by_rows(near, steps, sizes, k), expected)
})

test_that("p is uniform for domains of few or many rows among others, and sees one move", {
  set.seed(2)
  expect_ranked <- function(p) {
    beyond <- ecdf(p)((1:10) / 10 + 1e-9) - (1:10) / 10
    expect_lt(max(abs(beyond)), 4 * sqrt(0.25 / length(p)))
  }
  p_of <- function(new, sizes = 12, shift = 0) {
    sized_standing(sized_rows(c(sample(rep(sizes, 9), 9), new), shift))$p
  }
  draws <- if (long_form()) 250 else 80
  for (new in c(1, 60)) {
    expect_ranked(replicate(draws, p_of(new)))
    expect_gt(mean(replicate(if (long_form()) 30 else 15, p_of(new, shift = 4)) <= 0.1), 0.7)
  }
  expect_ranked(replicate(draws, p_of(40, 3:50)))
})

test_that("one visit of a design that all domains share is not novel", {
  skip_if_not_installed("nlme")
  children <- as.data.frame(nlme::Orthodont)
  one <- children$Subject == "M01"
  model <- dg_ridge(distance ~ age + Sex | Subject, data = children[!one, ], lambda = 1)
  for (visit in 1:4) {
    found <- dg_novelty(model, children[one, ][visit, ])$domains
    expect_gt(found$p, 0.3)
    expect_identical(suppressWarnings(augment(model, children[one, ][visit, ]))$.novelty, found$p)
  }
  grown <- transform(children[one, ][4, ], age = 30)
  expect_equal(dg_novelty(model, grown)$domains$p, 1 / 27)
})

test_that("equal sizes are compared as they are, and the order of rows does not matter", {
  set.seed(3)
  rows <- sized_rows(rep(6, 8))
  sides <- sized_sides(rows)
  kernel <- domain_kernel_fit(domain_distribution(kernel_rbf(1)), sides$known)
  standing <- domain_standing(kernel, sides$new)
  expect_identical(like_sized(standing, view_of(kernel, sides)), standing)
  rows <- sized_rows(c(3, 7, 5, 9, 4, 8))
  before <- .Random.seed
  found <- sized_standing(rows)
  expect_identical(.Random.seed, before)
  expect_equal(sized_standing(rows_at(rows, sample(36))), found)
})

test_that("the order of columns does not matter, also where rows are equal", {
  set.seed(4)
  rows <- sized_rows(c(30, 70, 50, 90, 40, 80, 12))
  rows$X <- cbind(round(rows$X), rows$X[, 1] > 0.5, round(rnorm(nrow(rows$X))))
  p_of <- function(columns) sized_standing(replace(rows, 1L, list(rows$X[, columns])))$p
  expect_equal(vapply(list(c(2, 1, 3, 4), c(4, 3, 2, 1), c(3, 1, 4, 2)), p_of, 0), rep(p_of(1:4), 3))
})

test_that("p hangs on the draw within bounds, and the plot counts what p counts", {
  set.seed(5)
  rows <- sized_rows(c(rep(60, 20), 10))
  found <- sized_standing(rows)
  others <- vapply(11:16, function(seed) with_other_draws(seed, sized_standing(rows))$p, 0)
  expect_lt(max(abs(others - found$p)), 0.3)
  expect_gt(length(unique(others)), 1L)
  expect_equal((1 + sum(attr(found, "left_out") >= found$distance * (1 - 1e-9))) / 21, found$p)
})

test_that("a new domain is the farthest from domains that are all alike", {
  set.seed(10)
  train <- data.frame(x = 1, y = rnorm(135), domain = rep(1:4, c(10, 40, 25, 60)))
  new <- data.frame(x = rnorm(50), domain = rep(c("a", "b"), c(20, 30)))
  model <- dg_ridge(y ~ x | domain, data = train, lambda = 1, scale = "none")
  expect_equal(dg_novelty(model, new)$domains$p, c(0.2, 0.2))
  expect_equal(dg_novelty(model, transform(new, x = 1))$domains$p, c(1, 1))
})

test_that("values that are too large to have digits give no warning of them", {
  rows <- sized_rows(c(3, 7, 5, 9, 4, 8))
  rows$X[1, ] <- 1e18
  expect_no_warning(sized_standing(rows))
})

# p of a new domain like the others, in a combination drawn at random. Domains do not differ, so
# that what is left is what numbers of rows do.
p_of_combination <- function(scales, more) {
  scale <- sample(scales, 1)
  sizes <- if (runif(1) < 0.5) rep(20, 9) else sample(8:40, 9, TRUE)
  new <- if (more) sample(80:100, 1) else sample(5:8, 1)
  data <- data.frame(x1 = rnorm(sum(sizes) + new), x2 = rexp(sum(sizes) + new),
                     domain = factor(rep(1:10, c(sizes, new))))
  of <- list(list(domain_kernel = domain_distribution()), list(domain_kernel = domain_pooled()),
             list(domain_kernel = domain_wasserstein()), list(feature_map = features_nystrom(20)),
             list(feature_map = features_rff(20), domain_kernel = domain_pooled()),
             list(domain_kernel = domain_distribution(kernel_laplace())),
             list(kernel = kernel_linear(), domain_kernel = domain_distribution()))
  means <- runif(1) < 0.3 && !scale %in% c("none", "rank")
  arguments <- c(list(lambda = 1, scale = scale), sample(of, 1)[[1L]])
  data$y <- rnorm(nrow(data))
  known <- droplevels(data[data$domain != "10", ])
  spec <- if (means) dg_lm(scale = scale, domain_means = TRUE) else do.call(dg_ridge, arguments)
  model <- fit(spec, y ~ x1 + x2 | domain, data = known)
  dg_novelty(model, droplevels(data[data$domain == "10", ]))$domains$p
}

test_that("p is uniform in any combination of scaling, kernel, map and numbers of rows", {
  set.seed(6)
  draws <- if (long_form()) 400 else 40
  each <- list("domain", c("both", "pooled", "none", "rank"))
  for (scales in each) for (more in c(TRUE, FALSE)) {
    p <- quietly(replicate(draws, p_of_combination(scales, more)))
    expect_lt(max(abs(ecdf(p)((1:10) / 10 + 1e-9) - (1:10) / 10)), 4 * sqrt(0.25 / draws))
    expect_lt(mean(p == 1), 0.4)
  }
})

test_that("scaled by domain, units and origins of domains do not count", {
  set.seed(7)
  data <- data.frame(x1 = rnorm(160), x2 = rnorm(160), y = rnorm(160),
                     domain = rep(1:8, c(15, 20, 25, 15, 30, 20, 25, 10)))
  moved <- transform(data, x1 = x1 * domain + 100 * domain, x2 = x2 / domain - domain)
  p_of <- function(data, spec) {
    known <- data[data$domain < 8, ]
    model <- fit(spec, y ~ x1 + x2 | domain, data = known)
    dg_novelty(model, data[data$domain == 8, ])$domains[c("distance", "farthest", "p")]
  }
  for (spec in list(dg_ridge(lambda = 1, scale = "domain"), dg_lm(scale = "domain"),
                    dg_ridge(lambda = 1, scale = "domain", feature_map = features_nystrom(30)))) {
    set.seed(1)
    found <- p_of(data, spec)
    set.seed(1)
    expect_equal(p_of(moved, spec), found)
  }
})

test_that("where nothing is seen of the domains, or their rows are gone, it is said", {
  set.seed(8)
  data <- data.frame(x = rnorm(90), y = rnorm(90), domain = rep(1:6, c(10, 15, 20, 10, 15, 20)))
  new <- data[data$domain == 6, ]
  linear <- dg_ridge(y ~ x | domain, data = data[data$domain < 6, ], lambda = 1, scale = "domain",
                     domain_kernel = domain_distribution(kernel_linear()))
  found <- dg_novelty(linear, new)
  expect_identical(unlist(found$domains[c("distance", "farthest", "p")], use.names = FALSE),
                   c(0, 0, 1))
  expect_output(print(found), "All distances are 0")
  mapped <- local({
    gone <- data[data$domain < 6, ]
    dg_ridge(y ~ x | domain, data = gone, lambda = 1, scale = "domain",
             feature_map = features_nystrom(10))
  })
  expect_domgen_error(dg_novelty(mapped, new), "The training rows are not available")
  expect_false(".novelty" %in% names(augment(mapped, new)))
})
