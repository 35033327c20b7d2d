factor_data <- function(seed = 2, rows = 7) {
  with_seed(seed, {
    d <- expand.grid(row = seq_len(rows), device = c("A", "B", "C"), patient = 1:4)
    d$x <- stats::rnorm(nrow(d), d$patient / 3)
    d$z <- stats::rnorm(nrow(d), as.integer(d$device) / 2)
    d$y <- d$x * d$z + stats::rnorm(nrow(d))
    d
  })
}

# kappa_f between two levels by their rows, from the formula of an embedding.
naive_kappa <- function(X, Z, inner, outer) {
  k <- function(a, b) mean(exp(-outer(rowSums(a^2), rowSums(b^2), "+") / (2 * inner^2) +
                                 tcrossprod(a, b) / inner^2))
  exp(-(k(X, X) + k(Z, Z) - 2 * k(X, Z)) / (2 * outer^2))
}

rows_at_levels <- function(d, at, structure) {
  names <- paste(d$patient, d$device, sep = if (structure$marks == " + ") " + " else " / ")
  list(X = unname(as.matrix(d[at, c("x", "z")])), domain = factor(names[at]), threads = 1L,
       structure = structure)
}

test_that("kappa is the sum or product over factors, of all rows of a level, known by training", {
  d <- factor_data()
  part <- domain_distribution(kernel_rbf(1.5), kernel_rbf(0.3))
  X <- as.matrix(d[c("x", "z")])
  train <- d$patient <= 3 & d$device != "C"
  # a new patient on a known and on a new device, and a known patient on the new one
  new <- (d$patient == 4 & d$device != "A") | (d$patient == 2 & d$device == "C")
  for (nested in c(FALSE, TRUE)) {
    structure <- domain_structure(if (nested) quote(patient / device) else quote(patient + device))
    level <- list(patient = as.character(d$patient),
                  device = if (nested) paste(d$patient, d$device) else as.character(d$device))
    rows_of_level <- function(f, value) {
      X[level[[f]] == value & (if (value %in% level[[f]][train]) train else new), , drop = FALSE]
    }
    naive <- function(i, j, combine) {
      values <- vapply(names(level), function(f) {
        naive_kappa(rows_of_level(f, level[[f]][i]), rows_of_level(f, level[[f]][j]), 1.5, 0.3)
      }, 0)
      if (combine == "sum") mean(values) else prod(values)
    }
    known <- rows_at_levels(d, train, structure)
    fresh <- rows_at_levels(d, new, structure)
    first <- function(rows, at) which(at)[match(levels(rows$domain), rows$domain)]
    table <- function(a, b, combine) {
      outer(a, b, Vectorize(function(i, j) naive(i, j, combine)))
    }
    i <- first(known, train)
    j <- first(fresh, new)
    for (combine in c("sum", "product")) {
      kernel <- domain_factors(kernel = part, combine = combine)
      fitted <- domain_kernel_fit(kernel, known)
      expect_equal(unname(fitted$kappa), table(i, i, combine))
      expect_equal(unname(domain_kappa(fitted, fresh)), table(j, i, combine))
      expect_equal(unname(domain_kappa(fitted, fresh, among = TRUE)), table(j, j, combine))
      expect_equal(domain_own(fitted, fresh), diag(table(j, j, combine)))
    }
    # sums and products of single factors
    one <- function(name) domain_factors(name, part)
    fit_of <- function(kernel) domain_kernel_fit(kernel, known)
    expect_equal(fit_of(0.5 * one("patient") + 0.5 * one("device"))$kappa, table(i, i, "sum"))
    expect_equal(fit_of(one("patient") * one("device"))$kappa, table(i, i, "product"))
    both <- fit_of(2 + domain_pooled() + (one("patient") + 0.5) * one("device"))
    expected <- outer(i, i, Vectorize(function(a, b) {
      of <- function(f) naive_kappa(rows_of_level(f, level[[f]][a]), rows_of_level(f, level[[f]][b]),
                                    1.5, 0.3)
      3 + (of("patient") + 0.5) * of("device")
    }))
    expect_equal(both$kappa, expected)
    expect_equal(domain_own(both, fresh),
                 unname(diag(domain_kappa(both, fresh, among = TRUE))))
  }
})

test_that("without several factors it is its kernel", {
  toy <- toy_domains(4, 15)
  new <- toy_domains(2, 10, seed = 8)
  for (part in list(domain_distribution(), domain_wasserstein(), domain_multitask(0.4))) {
    plain <- dg_ridge(y ~ . | domain, data = toy, domain_kernel = part)
    same <- dg_ridge(y ~ . | domain, data = toy, domain_kernel = domain_factors(kernel = part))
    expect_equal(same$lambda, plain$lambda)
    expect_equal(predict(same, new), predict(plain, new))
    expect_identical(format(same$space$domain_kernel), format(plain$space$domain_kernel))
  }
})

test_that("it serves learners, feature maps, chains, and adapts; rows in any order", {
  d <- factor_data()
  new <- transform(d, patient = patient + 3, x = x + 0.1)
  shuffled <- with_seed(1, sample(nrow(d)))
  features <- features_product(x = features_nystrom(40), rank = 9)
  specs <- list(
    dg_ridge(domain_kernel = domain_factors()),
    dg_svm(cost = 1, domain_kernel = domain_factors(combine = "sum")),
    dg_gp(domain_kernel = domain_pooled() + domain_factors("patient"), restarts = 1),
    dg_ridge(lambda = 1, domain_kernel = domain_factors(), feature_map = features),
    dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(domain_kernel = domain_factors()))
  )
  for (spec in specs) {
    set.seed(1)
    model <- fit(spec, y ~ x + z | patient + device, data = d)
    values <- predict(model, new)
    expect_true(all(is.finite(values)))
    expect_equal(predict(model, new[shuffled, ]), values[shuffled])
    one <- new[new$patient == 6 & new$device == "B", ]
    adapted <- dg_adapt(model, one, replace(one$y, -(1:3), NA))
    expect_true(all(is.finite(predict(adapted, one))))
  }
  set.seed(1)
  exact <- fit(dg_ridge(lambda = 1, domain_kernel = domain_factors()), y ~ x + z | patient + device,
               data = d)
  maps <- features_product(x = features_nystrom(60), rank = 12, embedding = features_nystrom(60))
  close <- quietly(update(exact, domain_kernel = domain_factors(), feature_map = maps))
  expect_equal(predict(close, new), predict(exact, new), tolerance = 1e-4)
})

test_that("multi-task levels are known by name, a new one of a factor is new in it alone", {
  d <- factor_data()
  kernel <- domain_factors(kernel = domain_multitask(0.2), combine = "sum")
  model <- dg_ridge(y ~ x + z | patient + device, data = d, lambda = 1, domain_kernel = kernel)
  rows <- rows_at_levels(transform(d, patient = patient + 3), TRUE,
                         domain_structure(quote(patient + device)))
  kappa <- domain_kappa(model$space$domain_kernel, rows)
  dimnames(kappa) <- list(levels(rows$domain), levels(model$domain))
  expect_equal(kappa["4 + A", c("4 + A", "4 + B", "1 + A", "1 + B")],
               c("4 + A" = 1, "4 + B" = 0.6, "1 + A" = 0.6, "1 + B" = 0.2))
  expect_equal(kappa["7 + A", c("4 + A", "4 + B")], c("4 + A" = 0.6, "4 + B" = 0.2))
})

test_that("what it is of is printed, and what is wrong an error", {
  d <- factor_data()
  expect_identical(format(domain_factors("device", domain_multitask(0.5))),
                   "`device` of 1 if P = P', else 0.5 (multi-task)")
  expect_identical(
    format(2 * domain_factors(combine = "product", kernel = domain_multitask(0.5)) + 1),
    "2 * the product over each factor of 1 if P = P', else 0.5 (multi-task) + 1"
  )
  model <- dg_ridge(y ~ x + z | patient + device, data = d, lambda = 1,
                    domain_kernel = domain_factors())
  expect_output(print(model), "the product of (patient: exp", fixed = TRUE)
  expect_domgen_error(domain_factors(3), "`factors`", "domgen_error_argument")
  expect_domgen_error(domain_factors(kernel = domain_pooled()), "`kernel`", "domgen_error_argument")
  expect_domgen_error(domain_factors() - 1, "added and multiplied", "domgen_error_argument")
  expect_domgen_error(domain_factors() * -1, "non-negative", "domgen_error_argument")
  expect_error(dg_ridge(y ~ x | patient + device, data = d,
                        domain_kernel = domain_factors("school")), "\"school\"")
  expect_error(dg_ridge(y ~ x | patient, data = d, domain_kernel = domain_factors("patient")),
               "one factor there")
})
