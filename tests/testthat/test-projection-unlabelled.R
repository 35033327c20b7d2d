# Rows without a response: the target of TCA and SCA, and DICA's unlabelled rows and
# graph, against their problems written out with NA for labels.

d <- uneven_rows()
columns <- c("x1", "x2", "x3")
data_of <- function(d) data.frame(domain = d$domain, y = d$y, number = d$number, d$X)

# One row of a known domain, and two domains of their own; or without the column
# all are of one domain.
extra <- with_seed(8, data.frame(
  domain = c("q", rep(c("t", "u"), c(6, 4))),
  structure(matrix(rnorm(33), 11) + 1.5, dimnames = list(NULL, columns))
))

with_extra <- function(d, extra) {
  own <- if (is.null(extra$domain)) "target" else extra$domain
  list(X = rbind(d$X, as.matrix(extra[columns])), n = d$n + nrow(extra), new = d$new,
       domain = factor(c(as.character(d$domain), rep_len(own, nrow(extra)))),
       y = factor(c(as.character(d$y), rep(NA, nrow(extra)))),
       number = c(d$number, rep(NA, nrow(extra))), labelled = c(d$labelled, logical(nrow(extra))))
}

fit_extra <- function(case, d, features = features_exact(), ...) {
  formula <- switch(case$response, class = y ~ x1 + x2 + x3 | domain,
                    number = number ~ x1 + x2 + x3 | domain, none = ~ x1 + x2 + x3 | domain)
  args <- c(case$args, list(...), ncomp = components_of(case, d))
  with_seed(1, do.call(paste0("dg_", case$method), c(list(
    formula, data = data_of(d), feature_map = features, kernel = kernel_rbf(uneven_sigma),
    scale = "none"
  ), args)))
}

smooth_case <- function(response, form, smooth) {
  args <- list(lambda = 0.2, epsilon = 1e-3, form = form, smooth = smooth, neighbours = 4)
  projection_case("dica", response, args, function(Z, d, case) {
    naive_dica(Z, uneven_p(case, d, 1e-3), d$domain, 0.2, smooth, naive_laplacian(d$X, 4),
               form == "published", sum(d$labelled))
  })
}

tca_case <- function(response) {
  projection_case("tca", response, list(mu = 0.4), projection_cases$tca$oracle, centred = FALSE)
}

target_cases <- list("tca" = tca_case("none"), "tca, labels not looked at" = tca_case("class"),
                     "sca, beta 0" = sca_case(0, 3, lambda = 0.1),
                     "sca, beta 1/2" = sca_case(0.5, 30, lambda = 0.1),
                     "sca, beta 1" = sca_case(1, 30),
                     "sca, average" = sca_case(0.3, 2, lambda = 0.05, average = TRUE))
dica_cases <- list()
for (response in c("class", "number")) for (form in c("published", "symmetric")) {
  for (smooth in c(0, 0.3)) {
    name <- paste("dica,", response, form, "smooth", smooth)
    dica_cases[[name]] <- smooth_case(response, form, smooth)
  }
}

expect_extra_solved <- function(case, arg, extra, name, which = 1:4) {
  all <- with_extra(d, extra)
  maps <- list(features_exact(), features_nystrom(all$n, "uniform"),
               features_nystrom(14, "uniform"), features_rff(9))
  for (i in which) {
    given <- stats::setNames(list(extra), arg)
    model <- do.call(fit_extra, c(list(case, d, maps[[i]]), given))
    oracle <- ask_oracle(case, all, uneven_features(model, all, i <= 2), i <= 2)
    expect_solved(projection_gap(model, oracle, all, directions = i != 2),
                  paste(name, format(maps[[i]])))
    expect_equal(nrow(fitted(model)), d$n)
    expect_equal(predict(model, data_of(d)), fitted(model), tolerance = 1e-10)
    expect_equal(nobs(model), d$n)
    expect_identical(levels(model$domain), levels(d$domain))
  }
}

for (name in names(target_cases)) {
  test_that(paste(name, "with a target, its domains known or not, solves its problem"), {
    expect_extra_solved(target_cases[[name]], "target", extra, name)
    # what differs are the domains, which every map has from the same place
    expect_extra_solved(target_cases[[name]], "target", extra[columns], name, c(1, 4))
  })
}

for (name in names(dica_cases)) {
  test_that(paste(name, "with unlabelled rows solves its problem"), {
    expect_extra_solved(dica_cases[[name]], "unlabelled", extra, name)
  })
}

test_that("DICA's graph without unlabelled rows is in the denominator too", {
  for (case in Filter(function(case) case$args$smooth > 0, dica_cases)) {
    for (exact in c(TRUE, FALSE)) {
      model <- fit_extra(case, d, if (exact) features_exact() else features_rff(9))
      oracle <- ask_oracle(case, d, uneven_features(model, d, exact), exact)
      expect_solved(projection_gap(model, oracle, d), paste(case$response, case$args$form, exact))
    }
  }
})

# The first component of the symmetric form maximises f'Pf / (... + smooth R), so
# that R / f'Pf cannot grow with `smooth`.
test_that("a graph brings the scores of joined rows together", {
  W <- naive_neighbours(d$X, 4)
  for (case in dica_cases[grep("symmetric smooth 0.3", names(dica_cases))]) {
    P <- uneven_p(case, d, 1e-3)
    roughness <- vapply(c(0, 0.1, 1, 10), function(smooth) {
      f <- fit_uneven(case, d, smooth = smooth, ncomp = 1)$scores[, 1]
      sum(W * outer(f, f, "-")^2) / drop(t(f) %*% P %*% f)
    }, 0)
    expect_true(all(diff(roughness) < 0))
    expect_lt(roughness[4], 0.8 * roughness[1])
  }
})

test_that("the graph's form in features is summed over all edges, however many", {
  data <- simulate_dica(3, 150, p = 3, seed = 1)
  X <- as.matrix(data[columns])
  case <- list(X = X, domain = data$domain)
  model <- with_seed(1, dg_udica(X, domain = data$domain, feature_map = features_rff(5), scale = "none"))
  graph <- domgen:::neighbour_laplacian(X, 10, 2L)
  expect_gt(length(graph$from), domgen:::chunk_rows)
  form <- domgen:::feature_laplacian(model$space, case, list(neighbours = 10, threads = 2L))
  Z <- domgen:::space_rows(model$space, list(X = X, domain = data$domain))
  expect_equal(form, t(Z) %*% naive_laplacian(X, 10) %*% Z, tolerance = 1e-10)
})

test_that("unlabelled rows change the components, and where there are none all is as before", {
  case <- dica_cases[["dica, class published smooth 0"]]
  without <- fit_extra(case, d)
  expect_equal(fit_extra(case, d, unlabelled = NULL)$scores, without$scores)
  with <- fit_extra(case, d, unlabelled = extra)
  expect_gt(subspace_distance(with$scores, without$scores), 1e-3)
})

test_that("whitened scores have variance 1 over all rows, the target's too", {
  for (case in target_cases[c("tca", "sca, beta 1/2")]) {
    model <- fit_extra(case, d, target = extra, normalise = "whiten")
    expect_equal(unname(colMeans(rbind(fitted(model), predict(model, extra))^2)), c(1, 1),
                 tolerance = 1e-8)
  }
})

test_that("a target without the domain column is a domain of its own, whatever the others' names", {
  case <- target_cases$tca
  named <- d
  levels(named$domain)[2] <- "target"
  expect_equal(fit_extra(case, named, target = extra[columns])$values,
               fit_extra(case, d, target = extra[columns])$values, tolerance = 1e-10)
})

test_that("rows of the target with missing values are left out, with a warning", {
  holes <- extra
  holes$x2[3] <- NA
  holes$domain[7] <- NA
  case <- target_cases$tca
  expect_warning(model <- fit_extra(case, d, target = holes), "2 rows of `target`",
                 class = "domgen_warning_missing")
  expect_equal(model$values, fit_extra(case, d, target = extra[-c(3, 7), ])$values)
})

test_that("a target as matrix belongs to training rows as matrix, and one source domain serves", {
  target <- as.matrix(extra[columns])
  args <- list(d$X, domain = rep("source", d$n), kernel = kernel_rbf(uneven_sigma),
               scale = "none", mu = 0.4)
  model <- do.call(dg_tca, c(args, list(target = target)))
  dual <- naive_tca_dual(rbf(rbind(d$X, target), uneven_sigma),
                         rep(c("source", "target"), c(d$n, 11)), 0.4)
  expect_equal(unname(model$values), dual$values[1:2], tolerance = 1e-8)
  expect_lt(subspace_distance(model$directions, dual$B[, 1:2]), 1e-6)
})

test_that("a target is judged by its own rows where the kernel looks at domains", {
  case <- target_cases$tca
  for (kernel in list(domain_multitask(0.5), domain_distribution())) {
    args <- list(case, d, target = extra[-1, ], domain_kernel = kernel)
    exact <- do.call(fit_extra, args)
    all <- do.call(fit_extra, c(args, list(features = features_nystrom(d$n + 10, "uniform"))))
    expect_equal(all$values, exact$values, tolerance = 1e-8)
    expect_lt(score_gap(all$scores, exact$scores), 1e-6)
    expect_equal(predict(exact, data_of(d)), fitted(exact), tolerance = 1e-10)
    pooled <- fit_extra(case, d, target = extra[-1, ])
    expect_gt(max(abs(pooled$values / exact$values - 1)), 1e-2)
  }
})

test_that("factors and functions as predictors are made for the target as for the rows", {
  data <- mixed_data()
  target <- data[1:20, c("x", "z", "colour")]
  model <- dg_tca(~ x + log(z) + colour | site, data = data, target = target)
  X <- model.matrix(~ x + log(z) + colour, data)[, -1]
  by_matrix <- dg_tca(X, domain = data$site, target = X[1:20, ])
  expect_equal(model$values, by_matrix$values, tolerance = 1e-10)
  expect_equal(model$scores, by_matrix$scores, tolerance = 1e-8)
})
