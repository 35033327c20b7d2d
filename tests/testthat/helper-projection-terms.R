# What the tests of projections share: rows in uneven cells, the methods with their
# oracles in feature space, and how far a fit is from its oracle.

# Domains of unequal size, one of them without the last class; `new` rows of another.
uneven_rows <- function(classes = c("a", "b", "c"), seed = 1) {
  with_seed(seed, {
    domain <- sample(rep(c("p", "q", "r", "s"), c(18, 9, 15, 12)))
    n <- length(domain)
    y <- sample(classes, n, TRUE, prob = rev(seq_along(classes)))
    y[domain == "q" & y == classes[length(classes)]] <- classes[1]
    code <- match(y, classes)
    columns <- function(X) structure(X, dimnames = list(NULL, c("x1", "x2", "x3")))
    X <- matrix(stats::rnorm(3 * n), n) + cbind(code, match(domain, letters) / 8, code^2 / 4)
    list(X = columns(X), y = factor(y), number = X[, 1] + stats::rnorm(n) / 3,
         domain = factor(domain), labelled = rep(TRUE, n), n = n,
         new = columns(matrix(stats::rnorm(3 * 7), 7) + 1))
  })
}

uneven_sigma <- 1.5

# method(X, y, domain, ...) as a user calls it, at a fixed kernel and fixed random draws.
fit_uneven <- function(case, d, features = features_exact(), ...) {
  args <- utils::modifyList(c(case$args, list(ncomp = components_of(case, d))), list(...))
  with_seed(1, do.call(paste0("dg_", case$method), c(list(
    d$X, response_of(case, d), d$domain, feature_map = features, kernel = kernel_rbf(uneven_sigma),
    scale = "none"
  ), args)))
}

response_of <- function(case, d) switch(case$response, class = d$y, number = d$number, none = NULL)

# P of the response, over all rows.
uneven_p <- function(case, d, epsilon) {
  l <- d$labelled
  L <- matrix(0, d$n, d$n)
  L[l, l] <- if (case$response == "class") tcrossprod(one_hot(d$y[l])) else rbf(d$number[l], 1)
  naive_p(L, epsilon, l)
}

# response: "class", "number" or "none"; oracle(Z, d, case): the problem solved in
# the features Z [n x r] of full column rank, centred unless the method does not.
projection_case <- function(method, response, args, oracle, centred = TRUE) {
  if (response == "number") args$kernel_y <- kernel_rbf(1)
  # components of classes only are one fewer than classes
  of_classes <- response == "class" && (method != "sca" || args$beta == 1)
  list(method = method, response = response, args = args, oracle = oracle, centred = centred,
       of_classes = of_classes)
}

components_of <- function(case, d) if (case$of_classes) nlevels(d$y) - 1 else 2

dica_case <- function(response, form) {
  projection_case("dica", response, list(lambda = 0.2, epsilon = 1e-3, form = form),
                  function(Z, d, case) naive_dica(Z, uneven_p(case, d, 1e-3), d$domain, 0.2,
                                                  published = form == "published"))
}

coir_case <- function(response, form) {
  projection_case("coir", response, list(lambda = 0.2, epsilon = 1e-3, form = form),
                  function(Z, d, case) naive_dica(Z, uneven_p(case, d, 1e-3), rep(1, d$n), 0.2,
                                                  published = form == "published"))
}

dcm_case <- function(response) {
  projection_case("dcm", response, list(lambda = 0.3, epsilon = 1e-3), function(Z, d, case) {
    Pd <- naive_p(tcrossprod(one_hot(d$domain)), 1e-3)
    naive_dcm(Z, uneven_p(case, d, 1e-3), Pd, 0.3)
  })
}

sca_case <- function(beta, delta, lambda = 0, average = FALSE) {
  projection_case("sca", "class", list(beta = beta, delta = delta, lambda = lambda,
                                       average = average), function(Z, d, case) {
    naive_sca(Z, d$y, d$domain, beta, delta, lambda, average)
  })
}

mda_case <- function(beta, alpha, gamma, lambda = 0) {
  args <- list(beta = beta, alpha = alpha, gamma = gamma, lambda = lambda)
  projection_case("mda", "class", args, function(Z, d, case) {
    naive_mda(Z, d$y, d$domain, beta, alpha, gamma, lambda)
  })
}

cidg_case <- function(gamma, alpha, lambda = 0) {
  projection_case("cidg", "class", list(gamma = gamma, alpha = alpha, lambda = lambda),
                  function(Z, d, case) naive_cidg(Z, d$y, d$domain, gamma, alpha, lambda))
}

projection_cases <- list(
  "dica, published, classes" = dica_case("class", "published"),
  "dica, symmetric, classes" = dica_case("class", "symmetric"),
  "dica, published, numbers" = dica_case("number", "published"),
  "dica, symmetric, numbers" = dica_case("number", "symmetric"),
  "udica" = projection_case("udica", "none", list(lambda = 0.2), function(Z, d, case) {
    naive_dica(Z, diag(d$n), d$domain, 0.2)
  }),
  "coir, published, classes" = coir_case("class", "published"),
  "coir, symmetric, numbers" = coir_case("number", "symmetric"),
  "kpca" = projection_case("kpca", "none", list(), function(Z, d, case) {
    naive_dica(Z, diag(d$n), rep(1, d$n), 0)
  }),
  "dcm, classes" = dcm_case("class"),
  "dcm, numbers" = dcm_case("number"),
  "tca" = projection_case("tca", "none", list(mu = 0.4), function(Z, d, case) {
    naive_tca(Z, d$domain, 0.4)
  }, centred = FALSE),
  "sca, beta 0" = sca_case(0, 1),
  "sca, beta 1/2" = sca_case(0.5, 3),
  "sca, beta 1/2, ridge" = sca_case(0.5, 40, lambda = 0.1),
  "sca, beta 1" = sca_case(1, 60),
  "sca, beta 1, ridge" = sca_case(1, 0, lambda = 0.2),
  "sca, average" = sca_case(0.3, 2, lambda = 0.05, average = TRUE),
  "mda, beta 0" = mda_case(0, 0, 3),
  "mda, beta 1/2" = mda_case(0.5, 2, 5),
  "mda, beta 1, ridge" = mda_case(1, 1, 0, lambda = 0.1),
  "cidg" = cidg_case(30, 20),
  "cidg, ridge" = cidg_case(0, 50, lambda = 0.1),
  # its sums over rows of sqrt(n) z are n times those of z
  "cidg, average" = projection_case("cidg", "class", list(gamma = 2, alpha = 3, average = TRUE),
                                    function(Z, d, case) {
    naive_cidg(Z / sqrt(d$n), d$y, d$domain, 2 * d$n, 3 * d$n)
  })
)

# Features Z [n x r] of the training rows and of the new ones, with which the oracle
# is asked: those of the exact kernel or of the model's own map.
uneven_features <- function(model, d, exact) {
  if (exact) {
    K <- rbf(rbind(d$X, d$new), uneven_sigma)
    train <- seq_len(d$n)
    Z <- naive_factor(K[train, train])
    return(list(Z = Z, new = K[-train, train] %*% Z %*% solve(crossprod(Z))))
  }
  # the maps of these tests do not look at the domain
  rows <- function(X) domgen:::space_rows(model$space,
                                            list(X = X, domain = factor(rep("any", nrow(X)))))
  list(Z = rows(d$X), new = rows(d$new))
}

# The oracle's values, scores and directions: the coefficients of the rows (exact)
# or of the features. Asked in coordinates where Z has full column rank.
ask_oracle <- function(case, d, features, exact) {
  Z <- if (case$centred) naive_centred(features$Z) else features$Z
  s <- svd(Z)
  kept <- which(s$d > 1e-7 * s$d[1])
  V <- s$v[, kept]
  found <- case$oracle(Z %*% V, d, case)
  W <- V %*% found$W
  list(values = found$values, training = naive_centred(features$Z) %*% W,
       new = sweep(features$new, 2, colMeans(features$Z)) %*% W,
       directions = if (exact) s$u[, kept] %*% (t(V) %*% W / s$d[kept]) else W)
}

# Relative difference of the values; sines of the angles between the spans of the
# training rows' scores and of the directions; and the relative difference of the
# new rows' scores, when both sets are multiplied so that the training rows' agree.
projection_gap <- function(model, oracle, d, directions = TRUE) {
  m <- seq_along(model$values)
  training <- oracle$training[d$labelled, m, drop = FALSE]
  new <- oracle$new[, m, drop = FALSE] %*% qr.solve(training, fitted(model))
  c(values = max(abs(model$values / oracle$values[m] - 1)),
    training = subspace_distance(fitted(model), training),
    new = max(abs(predict(model, as.data.frame(d$new)) - new)) / max(abs(new)),
    directions = if (directions) {
      subspace_distance(model$directions, oracle$directions[, m, drop = FALSE])
    } else 0)
}

expect_solved <- function(gap, label) {
  limits <- c(values = 1e-8, training = 1e-6, new = 1e-6, directions = 1e-6)
  small <- vapply(names(limits), function(name) isTRUE(gap[[name]] < limits[[name]]), NA)
  # one expectation, for it takes as long as a fit
  testthat::expect_true(all(small), label = paste(paste(names(limits)[!small], collapse = ", "),
                                                  "of", label, "being near"))
}

# The largest difference of two sets of scores whose columns may differ in sign,
# relative to the largest score.
score_gap <- function(A, B) {
  A <- unname(A)
  B <- unname(B)
  signs <- sign(colSums(A * B))
  max(abs(A - sweep(B, 2, signs, "*"))) / max(abs(B))
}
