# The length of directions, and what a fit keeps.

d <- uneven_rows()
maps <- list(exact = features_exact(), few = features_nystrom(12, "uniform"), rff = features_rff(9))

for (name in names(projection_cases)) {
  case <- projection_cases[[name]]

  test_that(paste(name, "has directions of the length that `normalise` says"), {
    for (map in names(maps)) {
      fits <- lapply(c(constraint = "constraint", whiten = "whiten", code = "published_code"),
                     function(normalise) fit_uneven(case, d, maps[[map]], normalise = normalise))
      m <- length(fits$whiten$values)
      expect_equal(unname(colMeans(fits$whiten$scores^2)), rep(1, m), tolerance = 1e-8)
      by_value <- function(A) sweep(A, 2, sqrt(fits$constraint$values), "/")
      for (part in c("scores", "directions")) {
        expect_equal(fits$code[[part]], by_value(fits$constraint[[part]]), tolerance = 1e-8)
      }
      expect_equal(fits$code$centre, fits$constraint$centre / sqrt(fits$constraint$values),
                   tolerance = 1e-8)
      for (model in fits) {
        expect_equal(model$values, fits$constraint$values, tolerance = 1e-10)
        expect_equal(predict(model, d$X), model$scores, tolerance = 1e-8)
      }
    }
  })

  # the published numerators of features have directions outside their span, too
  test_that(paste(name, "has w'Dw = 1 by constraint"), {
    published <- identical(case$args$form, "published")
    for (map in names(maps)[c(TRUE, !published, !published)]) {
      model <- fit_uneven(case, d, maps[[map]])
      exact <- map == "exact"
      oracle <- ask_oracle(case, d, uneven_features(model, d, exact), exact)
      m <- seq_along(model$values)
      expect_lt(score_gap(model$scores, oracle$training[, m, drop = FALSE]), 1e-6)
      expect_lt(score_gap(predict(model, d$new), oracle$new[, m, drop = FALSE]), 1e-6)
    }
  })
}

test_that("published directions on features have b'Db = 1 in the coefficients of the rows", {
  for (name in grep("published", names(projection_cases), value = TRUE)) {
    case <- projection_cases[[name]]
    for (map in names(maps)[-1]) {
      model <- fit_uneven(case, d, maps[[map]])
      K <- tcrossprod(naive_centred(uneven_features(model, d, FALSE)$Z))
      Q <- if (case$method == "dica") naive_q(as.integer(d$domain)) else 0 * K
      D <- K %*% Q %*% K + K + 0.2 * diag(d$n)
      N <- uneven_p(case, d, 1e-3) %*% K %*% K / d$n
      B <- naive_projection(list(N = N, D = D), 2)$vectors
      B <- B %*% diag(1 / sqrt(diag(t(B) %*% D %*% B)))
      expect_lt(score_gap(model$scores, K %*% B), 1e-6)
    }
  }
})

# Bytes of a fit as it would be saved. Rows as such are in scores, y and domain.
saved_size <- function(object) length(serialize(object, NULL))

test_that("a fit on features keeps nothing of the size of the rows but their scores", {
  few <- simulate_dcm(4, 25, p = 3, seed = 1)
  many <- simulate_dcm(4, 250, p = 3, seed = 1)
  methods <- list(dica = dg_dica, udica = dg_udica, coir = dg_coir, kpca = dg_kpca, dcm = dg_dcm, tca = dg_tca,
                  sca = dg_sca, mda = dg_mda, cidg = dg_cidg)
  for (map in list(features_nystrom(12), features_rff(10))) for (name in names(methods)) {
    method <- methods[[name]]
    sizes <- vapply(list(few, many), function(data) {
      X <- as.matrix(data[c("x1", "x2", "x3")])
      model <- with_seed(1, method(X, data$y, data$domain, ncomp = 1, feature_map = map))
      expect_null(model$space$X)
      rows <- c("scores", "y", "domain", "rows", "call")
      c(product = saved_size(model$space), rest = saved_size(model[setdiff(names(model), rows)]),
        object = as.numeric(object.size(model$space)))
    }, numeric(3))
    expect_lt(max(abs(sizes[, 2] / sizes[, 1] - 1)), 0.01, label = paste(name, format(map)))
  }
})

test_that("a target leaves no rows in a fit on features either", {
  few <- simulate_dcm(4, 25, p = 3, seed = 1)
  many <- simulate_dcm(2, 1000, p = 3, seed = 2)
  fit_with <- function(target) {
    with_seed(1, dg_tca(~ x1 + x2 + x3 | domain, data = few, target = target,
                     feature_map = features_nystrom(12)))
  }
  kept <- function(model) saved_size(model[setdiff(names(model), c("call", "spec", "formula"))])
  expect_lt(abs(kept(fit_with(many)) / kept(fit_with(many[1:50, ])) - 1), 0.01)
})
