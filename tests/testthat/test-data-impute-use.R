test_that("folds impute by the values of their own training rows", {
  d <- with_missing(mixed_data(90), x = seq(2, 90, 4), size = c(1, 2, 30), z = 7)
  # domains whose medians differ
  d$x <- d$x + 10 * as.integer(d$site)
  spec <- dg_ridge(lambda = 0.1, domain_kernel = domain_pooled())
  suppressWarnings(cv <- dg_cv(spec, y ~ x + size + z + flag | site, data = d,
                               na.action = na.impute))
  expect_identical(nrow(cv$predictions), 90L)
  for (held in levels(droplevels(d$site))) {
    hand <- by_hand(d[d$site != held, ], d[d$site == held, ], c("x", "size", "z"))
    gaps <- setdiff(names(hand$train), names(d))
    formula <- reformulate(c("x", "size", "z", "flag", gaps), "y")
    model <- dg_ridge(formula, data = hand$train, lambda = 0.1, domain_kernel = domain_pooled())
    found <- cv$predictions[cv$predictions$domain == held, ]
    expect_equal(found$prediction, predict(model, hand$new[match(found$row, hand$new$id), ]),
                 tolerance = 1e-12)
  }
})

test_that("rows that are left out in spite of imputation are said to lack what is not imputed", {
  d <- with_missing(mixed_data(60), x = c(3, 9), y = c(3, 5))
  expect_warning(dg_lm(y ~ x + size | site, data = d, na.action = na.impute),
                 "2 rows of 60 left out because of missing values of the response, domain or")
  expect_warning(dg_lm(y ~ x + size | site, data = d), "3 rows .* missing values\\.$")
})

test_that("a search scores its candidates on folds that were imputed by their own rows", {
  d <- with_missing(mixed_data(90), x = seq(2, 90, 4))
  d$x <- d$x + 10 * as.integer(d$site)
  spec <- dg_ridge(lambda = 0.1, domain_kernel = domain_pooled())
  tuned <- dg_tune(spec, y ~ x + z | site, data = d, grid = list(lambda = c(0.1, 1)),
                   extend = FALSE, na.action = na.impute)
  for (lambda in c(0.1, 1)) {
    cv <- dg_cv(update(spec, lambda = lambda), y ~ x + z | site, data = d, na.action = na.impute)
    table <- tuned$tuning$table
    expect_equal(table$mean[table$lambda == lambda], cv$mean, tolerance = 1e-10)
  }
})

test_that("search, comparison, chains and projections take it", {
  d <- with_missing(mixed_data(60), x = seq(2, 60, 4), size = c(1, 2, 30))
  formula <- y ~ x + size + z | site
  pooled <- dg_ridge(domain_kernel = domain_pooled())
  tuned <- dg_tune(pooled, formula, data = d, grid = list(lambda = c(0.1, 1)),
                   na.action = na.impute)
  expect_identical(nobs(tuned), 60L)
  compared <- dg_compare(list(ridge = pooled, null = dg_null()), formula, data = d,
                         na.action = na.impute)
  expect_identical(nrow(tidy(compared)), 2L)
  chained <- fit(chain(kpca(ncomp = 2), dg_lm()), formula, data = d, na.action = na.impute)
  expect_equal(predict(chained, d), fitted(chained))
  scores <- kpca(~ x + size + z | site, data = d, ncomp = 2, na.action = na.impute)
  expect_equal(predict(scores, d), fitted(scores))
  auto <- dg_auto(formula, data = d, na.action = na.impute)
  expect_equal(predict(auto, d), fitted(auto))
  expect_false(anyNA(predict(auto, d)))
})

test_that("by domain, a gap has the median of its own domain, of a new one too", {
  d <- with_missing(mixed_data(90), x = seq(2, 90, 4), colour = seq(1, 90, 7))
  d$x <- d$x + 10 * as.integer(d$site)
  d$colour[d$site == "s3"] <- ifelse(is.na(d$colour[d$site == "s3"]), NA, "blue")
  fill <- function(rows) {
    known <- subset(d, site != "s2")
    for (name in c("x", "colour")) {
      gap <- is.na(rows[[name]])
      for (site in unique(as.character(rows$site))) {
        own <- rows[[name]][rows$site == site & !gap]
        if (length(own) == 0L) own <- known[[name]][!is.na(known[[name]])]
        rows[[name]][gap & rows$site == site] <-
          if (is.numeric(own)) median(own) else names(which.max(table(own)))
      }
      rows[[paste0(name, ".missing")]] <- as.numeric(gap)
    }
    rows
  }
  train <- subset(d, site != "s2")
  new <- subset(d, site == "s2")
  new$colour <- NA
  fit_with <- function(...) {
    dg_ridge(..., lambda = 0.1, domain_kernel = domain_pooled())
  }
  model <- fit_with(y ~ x + colour + z | site, data = train, na.action = na.impute(by = "domain"))
  expected <- fit_with(y ~ x + colour + z + x.missing + colour.missing | site, data = fill(train))
  expect_equal(fitted(model), fitted(expected), tolerance = 1e-12)
  whole <- predict(model, new)
  expect_equal(whole, predict(expected, fill(new)), tolerance = 1e-12)
  # blocks with the domain's rows as reference are the whole
  parts <- lapply(split(new, rep(1:3, 10)), function(rows) predict(model, rows, reference = new))
  expect_equal(unlist(split(whole, rep(1:3, 10)), use.names = FALSE),
               unlist(parts, use.names = FALSE), tolerance = 1e-12)
  # a reference that knows no value leaves the pooled one
  gaps <- new[is.na(new$x), ]
  filled <- transform(gaps, x = median(train$x, na.rm = TRUE))
  filled <- transform(fill(rbind(train, filled))[-seq_len(nrow(train)), ], x.missing = 1)
  expect_equal(predict(model, gaps, reference = gaps), predict(expected, filled),
               tolerance = 1e-12)
  # a training domain is that of training where this is asked for
  one <- train[which(is.na(train$x))[1L], ]
  expect_equal(predict(model, one, reference = "training"), fitted(model)[is.na(train$x)][1L])
  expect_error(predict(model, new[setdiff(names(new), "site")]), "domain column `site`",
               class = "domgen_error_data")
  expect_error(fit_with(y ~ x, data = train, na.action = na.impute(by = "domain")),
               "domain is needed", class = "domgen_error_data")
})

test_that("by domain, folds, adapted models and every scaling follow", {
  d <- with_missing(mixed_data(90), x = seq(2, 90, 4))
  d$x <- d$x + 10 * as.integer(d$site)
  hand <- d
  for (site in levels(d$site)) {
    own <- which(d$site == site)
    hand$x[own[is.na(d$x[own])]] <- median(d$x[own], na.rm = TRUE)
  }
  hand$x.missing <- as.numeric(is.na(d$x))
  for (scale in c("pooled", "domain")) {
    spec <- dg_ridge(lambda = 0.1, scale = scale)
    cv <- dg_cv(spec, y ~ x + z | site, data = d, na.action = na.impute(by = "domain"))
    expect_equal(cv$predictions$prediction,
                 dg_cv(spec, y ~ x + z + x.missing | site, data = hand)$predictions$prediction,
                 tolerance = 1e-12)
    train <- d$site != "s2"
    model <- fit(spec, y ~ x + z | site, data = d[train, ], na.action = na.impute(by = "domain"))
    other <- fit(spec, y ~ x + z + x.missing | site, data = hand[train, ])
    new <- d[!train, ]
    adapted <- adapt(model, new, replace(new$y, 10:30, NA))
    expected <- adapt(other, hand[!train, ], replace(new$y, 10:30, NA))
    # one row, of the domain that was described
    expect_equal(predict(adapted, new[1:3, ]), predict(expected, hand[!train, ][1:3, ]),
                 tolerance = 1e-10)
  }
  lone <- fit(dg_lm(), y ~ x + z | site, data = d, na.action = na.impute(by = "domain"))
  expect_equal(predict(lone, d), fitted(lone))
})

test_that("saved, updated and augmented models impute as they did", {
  d <- with_missing(mixed_data(60), x = c(1, 9), size = c(2, 30))
  model <- dg_ridge(y ~ . - id - w | site, data = d, lambda = 0.1, na.action = na.impute)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), d), predict(model, d))
  expect_output(print(model), "imputed: x, size")
  smaller <- update(model, . ~ . - z)
  expect_equal(predict(smaller, d), fitted(smaller))
  expect_identical(nrow(augment(model)), 60L)
  expect_equal(augment(model, d)$.fitted, fitted(model))
  expect_equal(lodo(model)$mean, lodo(update(model, features = features_nystrom(60)))$mean,
               tolerance = 1e-6)
})

test_that("sums of features replay the first piece's medians", {
  d <- with_missing(mixed_data(60), x = c(1, 9, 40), size = c(2, 30))
  sums <- function(data, ...) {
    feature_sums(y ~ x + size | site, data = data, features = features_rff(20), ...)
  }
  expect_equal(nobs(update(sums(d[1:30, ], na.action = na.impute), d[31:60, ])), 30)
  # with the map of the first piece
  hand <- by_hand(d[1:30, ], d[31:60, ], c("x", "size"))
  of_hand <- with_seed(1, feature_sums(y ~ x + size + x.missing + size.missing | site,
                                       data = hand$train, features = features_rff(20)))
  first <- with_seed(1, sums(d[1:30, ], na.action = na.impute))
  expect_equal(update(first, d[31:60, ])$sums, update(of_hand, hand$new)$sums)
  expect_error(sums(d, na.action = na.impute(by = "domain")), "pooled imputation",
               class = "domgen_error_argument")
})

test_that("heart disease: rows with a gap are predicted", {
  d <- external_data("heart_disease")
  d$y <- factor(d$y)
  train <- subset(d, domain != "va", -y2)
  new <- subset(d, domain == "va")
  hand <- by_hand(train, new, setdiff(names(train), c("domain", "y")))
  gaps <- setdiff(names(hand$train), names(train))
  model <- dg_ridge(y ~ . | domain, data = train, lambda = 1, domain_kernel = domain_pooled(),
                    na.action = na.impute)
  expected <- dg_ridge(y ~ . | domain, data = hand$train, lambda = 1,
                       domain_kernel = domain_pooled())
  expect_identical(nobs(model), nrow(train))
  expect_equal(predict(model, new), predict(expected, hand$new), tolerance = 1e-12)
  expect_false(anyNA(predict(model, new)))
  expect_length(gaps, 10L)
})
