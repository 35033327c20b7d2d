# A domain that is described by one row, or by far fewer than in training, is reported once in a call
# by whatever describes domains: scaling, domain means, embeddings, imputation.

few_rows_data <- simulate_dica(domains = 6, n = 30, p = 2, seed = 1)

# Models that describe domains, and some that do not.
few_rows_models <- function() {
  f <- y ~ x1 + x2 | domain
  gaps <- few_rows_data
  gaps$x1[c(3, 40)] <- NA
  pooled <- domain_pooled()
  list(
    describe = list(
      scale = dg_lm(f, few_rows_data, scale = "domain"),
      means = dg_lm(f, few_rows_data, domain_means = TRUE),
      both = dg_ridge(f, few_rows_data, scale = "both", domain_kernel = pooled, lambda = 1),
      imputed = dg_lm(f, gaps, na.action = na.impute(by = "domain")),
      embedded = dg_ridge(f, few_rows_data, lambda = 1),
      quantiles = dg_ridge(f, few_rows_data, lambda = 1, domain_kernel = domain_wasserstein()),
      map = dg_svm(f, few_rows_data, cost = 1, feature_map = features_nystrom(20)),
      sum = dg_gp(f, few_rows_data, optimise = FALSE, domain_kernel = 1 + domain_distribution()),
      projection = dg_dica(f, data = few_rows_data, ncomp = 1, scale = "domain"),
      pipeline = fit(dg_pipeline(dg_kpca(ncomp = 1, scale = "both"), dg_ridge(lambda = 1)), f,
                     data = few_rows_data),
      ensemble = fit(dg_ensemble(list(dg_lm(scale = "domain"), dg_null())), f,
                     data = few_rows_data)
    ),
    ignore = list(
      pooled = dg_ridge(f, few_rows_data, lambda = 1, domain_kernel = pooled),
      names = dg_ridge(f, few_rows_data, lambda = 1, domain_kernel = domain_multitask(0.5)),
      lm = dg_lm(f, few_rows_data)
    )
  )
}

small_domains <- function(code) {
  said <- character()
  withCallingHandlers(code, domgen_warning = function(w) {
    if (inherits(w, "domgen_warning_small_domain")) said <<- c(said, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  said
}

new_rows_of <- function(n, name = "new") transform(few_rows_data[seq_len(n), ], domain = name)

test_that("every method that describes domains reports few rows, once, and predict() says what helps", {
  models <- few_rows_models()
  for (name in names(models$describe)) {
    model <- models$describe[[name]]
    for (n in c(1, 3)) {
      rows <- new_rows_of(n)
      found <- small_domains(predict(model, rows))
      expect_length(found, 1L)
      said <- paste0(if (n == 1) "single row" else "few rows", " \\(in training most have [0-9]+ or ",
                     "more\\): \"new\".*`reference =` of predict\\(\\) or once by set_reference")
      expect_match(found, said, label = name)
      if (name != "imputed") {
        blocks <- small_domains(predict(model, row_source(rows, block_size = 1)))
        expect_identical(blocks, found, label = name)
      }
      expect_length(small_domains(fixed <- set_reference(model, rows)), 1L)
      expect_length(small_domains(predict(fixed, rows[1, ])), 0L)
    }
    enough <- new_rows_of(20)
    expect_length(small_domains(predict(model, enough)), 0L)
    expect_length(small_domains(predict(model, enough[1, ], reference = enough)), 0L)
    expect_length(small_domains(predict(model, rbind(enough, new_rows_of(2, "other")))), 1L)
    if (name != "map") {
      known <- few_rows_data[1, ]
      expect_length(small_domains(predict(model, known, reference = "training")), 0L)
    }
  }
  for (model in models$ignore) {
    expect_length(small_domains(predict(model, new_rows_of(1))), 0L)
    expect_length(small_domains(set_reference(model, new_rows_of(1))), 0L)
  }
})

test_that("domains as small as in training are no news", {
  pairs <- few_rows_data[unlist(lapply(split(seq_len(nrow(few_rows_data)), few_rows_data$domain),
                                       utils::head, 2)), ]
  for (spec in list(dg_lm(scale = "domain"), dg_ridge(lambda = 1))) {
    model <- fit(spec, y ~ x1 + x2 | domain, data = pairs)
    expect_length(small_domains(predict(model, new_rows_of(2))), 0L)
    cv <- dg_cv(spec, y ~ x1 + x2 | domain, data = pairs)
    expect_false(any(grepl("small_domain|described by", names(cv$warnings))))
    alone <- pairs[!duplicated(pairs$domain), ]
    expect_length(small_domains(predict(fit(spec, y ~ x1 + x2 | domain, data = alone),
                                        new_rows_of(1))), 0L)
  }
})

test_that("calls without that argument do not advise it", {
  model <- dg_lm(y ~ x1 + x2 | domain, few_rows_data, scale = "domain")
  two <- rbind(new_rows_of(2), new_rows_of(25, "large"))
  calls <- list(function() dg_effect(model, "x1", newdata = new_rows_of(2), grid = 3),
                function() set_reference(model, new_rows_of(2)),
                function() dg_validate(model, newdata = two))
  for (call in calls) {
    found <- small_domains(call())
    expect_length(found, 1L)
    expect_match(found, "few rows")
    expect_no_match(found, "reference")
  }
  # in a function of the user's, and by one of R
  expect_match(small_domains(lapply(list(model), predict, two)), "`reference =`")
  expect_match(small_domains((function(m) predict(m, two))(model)), "`reference =`")
})
