every_variable <- y ~ x + z + size + grade + colour + flag + count

test_that("imputed predictors are those that were imputed by hand", {
  expect_as_by_hand(function(...) dg_ridge(..., lambda = 0.1), every_variable)
  expect_as_by_hand(function(...) dg_lm(...), every_variable, tolerance = 1e-10)
  for (scale in c("domain", "both", "rank", "none")) {
    expect_as_by_hand(function(...) {
      dg_ridge(..., lambda = 0.1, scale = scale, domain_kernel = domain_pooled())
    }, every_variable)
  }
})

test_that("a kernel on categories sees imputed ones", {
  for (scale in c("pooled", "both")) {
    expect_as_by_hand(function(...) {
      dg_ridge(..., lambda = 0.1, kernel = kernel_mixed(), scale = scale)
    }, every_variable)
  }
})

test_that("variables are imputed before terms are evaluated, which learn what they learn", {
  ridge <- function(...) dg_ridge(..., lambda = 0.1)
  expect_as_by_hand(ridge, y ~ poly(x, 2) + log(z) * size + colour:x + grade + flag)
})

test_that("a number of which the formula makes categories has its most frequent value", {
  d <- mixed_data()
  d$count <- c(NA, NA, rep(c(1, 1, 2, 3, 4, 5), length.out = 58))
  hand <- transform(d, count.missing = as.numeric(is.na(count)))
  hand$count[is.na(d$count)] <- as.numeric(names(which.max(table(d$count))))
  expect_false(median(d$count, na.rm = TRUE) == hand$count[1L])
  model <- dg_lm(y ~ factor(count) + x | site, data = d, na.action = na.impute)
  expect_equal(fitted(model),
               fitted(dg_lm(y ~ factor(count) + x + count.missing | site, data = hand)))
  new <- transform(d[5:8, ], count = c(9, 1, NA, 9))
  expect_warning(found <- predict(model, new), "`newdata$count` has a level", fixed = TRUE,
                 class = "domgen_warning_new_level")
  expect_equal(found, predict(model, transform(new, count = c(NA, 1, NA, NA))))
  expect_error(predict(model, new, new_levels = "error"), "levels of training",
               class = "domgen_error_data")
})

test_that("a matrix and a data frame without a formula are imputed alike", {
  d <- gappy_data()
  names <- c("x", "z", "count")
  hand <- by_hand(d$train, d$new, names)
  fit_to <- function(rows, ...) {
    dg_ridge(rows, y = d$train$y, domain = d$train$site, lambda = 0.1, ...)
  }
  expected <- fit_to(hand$train[c(names, "x.missing")])
  for (as in list(as.matrix, identity, function(rows) unname(as.matrix(rows)))) {
    model <- fit_to(as(d$train[names]), na.action = "na.impute")
    expect_equal(fitted(model), fitted(expected), tolerance = 1e-12)
    expect_warning(found <- predict(model, as(d$new[names]), domain = d$new$site),
                   class = "domgen_warning_imputed")
    expect_equal(found, predict(expected, hand$new, domain = d$new$site), tolerance = 1e-12)
  }
})

test_that("dates, times and matrices in a data frame have medians too", {
  d <- mixed_data(40)
  d$time <- as.POSIXct("2020-01-01", tz = "UTC") + d$id
  d$lag <- as.difftime(d$x, units = "days")
  d$M <- cbind(a = d$x, b = d$z)
  hand <- gaps <- d
  gaps$day[3] <- gaps$time[4] <- gaps$lag[5] <- gaps$M[6, "b"] <- NA
  hand$day[3] <- median(gaps$day, na.rm = TRUE)
  hand$time[4] <- median(gaps$time, na.rm = TRUE)
  hand$lag[5] <- median(gaps$lag, na.rm = TRUE)
  hand$M[6, "b"] <- median(gaps$M[, "b"], na.rm = TRUE)
  formula <- y ~ day + time + lag + M | site
  model <- dg_ridge(formula, data = gaps, lambda = 0.1, na.action = na.impute(indicators = FALSE))
  expect_equal(fitted(model), fitted(dg_ridge(formula, data = hand, lambda = 0.1)),
               tolerance = 1e-12)
  with_indicators <- update(model, na.action = na.impute)
  expect_identical(setdiff(with_indicators$blueprint$columns, model$blueprint$columns),
                   paste0(c("day", "time", "lag", "Mb"), ".missing"))
  expect_equal(predict(with_indicators, gaps), fitted(with_indicators))
})

test_that("missing responses, domains and weights leave a row out, and its values do not count", {
  d <- with_missing(mixed_data(), x = 1:3, y = 11:20, site = 21:25, w = 26)
  d$x[11:26] <- 1e6
  expect_warning(model <- dg_lm(y ~ x + z | site, data = d, weights = w, na.action = na.impute),
                 "16 rows of 60 left out")
  expect_identical(nobs(model), 44L)
  expect_length(residuals(model), 44L)
  rest <- d[-(11:26), ]
  expect_equal(coef(model), coef(dg_lm(y ~ x + z | site, data = rest, weights = w,
                                       na.action = na.impute)))
  expect_lt(max(abs(coef(model))), 1e3)
  # nor in a matrix, in which the only gap of z is, nor by domain
  d$z[12] <- NA
  quiet <- function(rows, action) {
    suppressWarnings(dg_lm(as.matrix(rows[c("x", "z")]), y = rows$y, domain = rows$site,
                           weights = rows$w, na.action = action))
  }
  for (action in list(na.impute(), na.impute(by = "domain"))) {
    expect_identical(columns_of(quiet(d, action)), c("x", "z", "x.missing"))
    expect_equal(coef(quiet(d, action)), coef(quiet(rest, action)))
    framed <- suppressWarnings(dg_lm(y ~ x + z | site, data = d, weights = w, na.action = action))
    expect_equal(coef(framed), coef(quiet(rest, action)))
  }
  # a response that is missing only once it is evaluated
  d <- with_missing(mixed_data(), x = 1:3)
  d$z[31:40] <- -1
  d$x[31:40] <- 1e6
  suppressWarnings(logged <- dg_lm(log(z) ~ x | site, data = d, na.action = na.impute))
  expect_equal(coef(logged), coef(dg_lm(log(z) ~ x | site, data = d[-(31:40), ],
                                        na.action = na.impute)))
})

test_that("what a term makes missing is not imputed", {
  d <- mixed_data()
  d$z[5] <- -1
  expect_warning(model <- dg_lm(y ~ log(z) + x | site, data = d, na.action = na.impute),
                 "1 row of 60 left out")
  expect_identical(nobs(model), 59L)
  expect_warning(found <- predict(model, d[4:6, ]), "missing")
  expect_identical(is.na(found), c(FALSE, TRUE, FALSE))
})

test_that("a warning names what training knew everywhere and counts its rows", {
  d <- mixed_data()
  model <- dg_lm(y ~ x + z + size | site, data = with_missing(d, x = 1), na.action = na.impute)
  expect_warning(found <- predict(model, with_missing(d, z = 3:4, size = 7)),
                 "training had none, in `z` (2 rows), `size` (1 row);", fixed = TRUE)
  expect_false(anyNA(found))
  expect_silent(predict(model, with_missing(d, x = 1:5)))
})

test_that("a level that training did not have is missing, and imputed", {
  d <- mixed_data()
  new <- transform(d[1:4, ], size = c("huge", "small", "large", NA))
  model <- dg_lm(y ~ x + size | site, data = with_missing(d, size = 9), na.action = na.impute)
  expect_warning(found <- predict(model, new), "taken as missing and imputed",
                 class = "domgen_warning_new_level")
  expect_equal(found, predict(model, transform(new, size = c(NA, "small", "large", NA))))
  expect_error(predict(model, new, new_levels = "error"), "size", class = "domgen_error_data")
})

test_that("of equally frequent categories the first level stands for a gap", {
  d <- data.frame(size = factor(c("b", "a", "b", "a", NA), levels = c("b", "a")),
                  text = c("b", "a", NA, "a", "b"), flag = c(NA, TRUE, FALSE, TRUE, FALSE))
  found <- na.impute(d, indicators = FALSE)
  expect_identical(found$size, factor(c("b", "a", "b", "a", "b"), levels = c("b", "a")))
  expect_identical(found$text[3], "a")
  expect_identical(found$flag[1], FALSE)
})

test_that("an indicator never takes the name of a predictor", {
  d <- with_missing(mixed_data(60), x = 1:9, z = 4:6)
  d$x.missing <- d$count
  model <- dg_lm(y ~ x + x.missing + z | site, data = d, na.action = na.impute)
  expect_identical(columns_of(model), c("x", "x.missing", "z", "x.missing.1", "z.missing"))
  expect_equal(predict(model, d[9:1, ]), fitted(model)[9:1])
})

test_that("ids are not imputed", {
  d <- data.frame(id = letters[1:8], x = as.numeric(1:8), y = sin(1:8), g = rep(1:2, 4))
  K <- kernel_matrix(kernel_rbf(2), d["x"])
  dimnames(K) <- list(d$id, d$id)
  kernel <- kernel_precomputed(K, column = "id") + kernel_rbf(1)
  d$id[3] <- NA
  d$x[4] <- NA
  expect_warning(model <- dg_ridge(y ~ id + x | g, data = d, kernel = kernel, lambda = 0.1,
                                   domain_kernel = domain_pooled(), na.action = na.impute),
                 "1 row of 8 left out")
  expect_identical(nobs(model), 7L)
  expect_equal(predict(model, d[-3, ]), fitted(model))
})

test_that("data are imputed as by a model", {
  d <- gappy_data()$train
  hand <- by_hand(d, d, filled_variables)$train
  found <- na.impute(d[filled_variables])
  expect_equal(found, hand[names(found)])
  M <- as.matrix(d[c("x", "z")])
  expect_equal(na.impute(M)[, "x"], unname(hand$x), ignore_attr = TRUE)
  expect_identical(colnames(na.impute(M)), c("x", "z", "x.missing"))
  expect_identical(colnames(na.impute(M, indicators = FALSE)), c("x", "z"))
  by_site <- na.impute(d["x"], by = "domain", domain = d$site)$x
  for (site in c("s1", "s2", "s3")) {
    gap <- is.na(d$x) & d$site == site
    expect_equal(by_site[gap], rep(median(d$x[d$site == site], na.rm = TRUE), sum(gap)))
  }
})

test_that("what cannot be imputed is an error that names it", {
  d <- mixed_data()
  d$x[1] <- NA
  model <- dg_lm(y ~ x + z | site, data = d, na.action = na.impute)
  expect_refusals({
    dg_lm(y ~ x + z | site, data = transform(d, z = NA), na.action = na.impute)
    dg_lm(y ~ x + z | site, data = transform(d, z = NA_real_, x = NA), na.action = na.impute)
    dg_lm(y ~ x + z | site, data = transform(d, z = replace(z, 2, Inf)), na.action = na.impute)
    dg_lm(y ~ x + z | site, data = transform(d, y = NA), na.action = na.impute)
    predict(model, d["x"])
    predict(model, transform(d, x = "1"))
    dg_lm(y ~ x | site, data = d, na.action = na.impute(by = "group"))
    dg_lm(y ~ x | site, data = d, na.action = na.impute(indicators = 1))
    dg_lm(y ~ x | site, data = d, na.action = function(x) na.impute(x))
    na.impute(domain = d$site)
    na.impute(model.frame(y ~ x, d))
    na.impute(d["x"], by = "domain")
    na.impute(sum)
  })
})

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
  chained <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_lm()), formula, data = d, na.action = na.impute)
  expect_equal(predict(chained, d), fitted(chained))
  scores <- dg_kpca(~ x + size + z | site, data = d, ncomp = 2, na.action = na.impute)
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
    adapted <- dg_adapt(model, new, replace(new$y, 10:30, NA))
    expected <- dg_adapt(other, hand[!train, ], replace(new$y, 10:30, NA))
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
  expect_equal(dg_cv(model)$mean, dg_cv(update(model, feature_map = features_nystrom(60)))$mean,
               tolerance = 1e-6)
})

test_that("sums of features replay the first piece's medians", {
  d <- with_missing(mixed_data(60), x = c(1, 9, 40), size = c(2, 30))
  sums <- function(data, ...) {
    feature_sums(y ~ x + size | site, data = data, feature_map = features_rff(20), ...)
  }
  expect_equal(nobs(update(sums(d[1:30, ], na.action = na.impute), d[31:60, ])), 30)
  # with the map of the first piece
  hand <- by_hand(d[1:30, ], d[31:60, ], c("x", "size"))
  of_hand <- with_seed(1, feature_sums(y ~ x + size + x.missing + size.missing | site,
                                       data = hand$train, feature_map = features_rff(20)))
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
