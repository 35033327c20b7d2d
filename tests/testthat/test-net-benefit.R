# Decision curves by site and over sites.

benefit_rows <- function(G = 6, n = 40, seed = 1) {
  with_seed(seed, {
    domain <- rep(paste0("s", seq_len(G)), n + 5L * seq_len(G))
    p <- stats::plogis(stats::rnorm(length(domain)) - 1)
    shift <- stats::rnorm(G, 0, 0.5)[match(domain, unique(domain))]
    data.frame(domain = domain, p = p,
               y = stats::rbinom(length(p), 1, stats::plogis(stats::qlogis(p) + shift)))
  })
}

# dcurves 0.5.1: net_benefit of dca(y ~ p, rows of s1, thresholds = c(0.05, 0.15, 0.3, 0.5))
stored_dca <- list(
  p = c(0.043274853801169598, -0.048366013071895433, -0.082539682539682538, -0.066666666666666666),
  all = c(0.040935672514619881, -0.071895424836601315, -0.30158730158730157, -0.82222222222222219)
)

of_rows <- function(rows, ...) dg_net_benefit(rows$p, y = rows$y, domain = rows$domain, ...)

test_that("net benefit by site and its error are those of the formula, row by row", {
  rows <- benefit_rows()
  found <- of_rows(rows, thresholds = c(0.1, 0.35))$domains
  for (k in seq_len(nrow(found))) {
    t <- found$threshold[k]
    own <- rows[rows$domain == found$domain[k], ]
    n <- nrow(own)
    treated <- own$p >= t
    price <- t / (1 - t)
    expect_equal(found$net_benefit[k],
                 sum(treated & own$y == 1) / n - sum(treated & own$y == 0) / n * price)
    expect_equal(found$all[k], mean(own$y) - (1 - mean(own$y)) * price)
    values <- ifelse(treated, ifelse(own$y == 1, 1, -price), 0)
    expect_equal(found$se[k], site_mean(values)$se)
    expect_equal(found$se[k], stats::sd(values) / sqrt(n))
  }
})

test_that("the difference at a site is that to the better of treating all and none", {
  rows <- benefit_rows()
  domain <- factor(rows$domain)
  at <- c(0.05, 0.2, 0.3, 0.6)
  prevalence <- tapply(rows$y, domain, mean)
  found <- count_benefits(rows$y, rows$p, domain, at, prevalence)
  all <- outer(prevalence, at, function(p, t) p - (1 - p) * t / (1 - t))
  expect_equal(unname(found$difference$value), unname(found$net_benefit$value - pmax(all, 0)))
  # one variance within sites, by their own means
  price <- rep(at[4L] / (1 - at[4L]), nrow(rows))
  values <- ifelse(rows$p >= at[4L], ifelse(rows$y == 1, 1, -price), 0)
  within <- sum((values - stats::ave(values, domain))^2) / (nrow(rows) - nlevels(domain))
  expect_equal(found$net_benefit$common_se[, 4L], unname(sqrt(within / c(table(domain)))))
})

test_that("over sites it is the summary of values, with the proportion of sites above 0", {
  value <- c(0.1, 0.14, 0.02, 0.2, 0.09)
  se <- c(0.02, 0.03, 0.02, 0.05, 0.03)
  found <- pool_benefit(value, se, 1, 0.9)
  expect_equal(found[1:3], c(mean(value), t.test(value, conf.level = 0.9)$conf.int),
               tolerance = 1e-6)
  with_seed(1, {
    tau <- abs(stats::rnorm(4e5, 0, tau_scale(value, se)))
    V <- outer(tau^2, se^2, "+")
    mean <- drop((1 / V) %*% value) / rowSums(1 / V)
    # given tau: the density of the values with the mean integrated out
    weights <- exp(-rowSums(log(V)) / 2 - log(rowSums(1 / V)) / 2 -
                     rowSums(outer(mean, value, "-")^2 / V) / 2)
    kept <- sample.int(length(tau), 2e5, TRUE, weights)
    mu <- stats::rnorm(2e5, base::mean(value), (sqrt(rowSums(V)) / 5)[kept])
    new <- stats::rnorm(2e5, mu, tau[kept])
  })
  expect_equal(found[4:6], unname(c(stats::quantile(new, c(0.05, 0.95)), mean(new > 0))),
               tolerance = 0.02)
  useful <- stats::quantile(stats::pnorm(mu / tau[kept]), c(0.05, 0.95))
  expect_equal(found[7:8], unname(useful), tolerance = 0.01)
})

test_that("a model that predicts 1 for all is treating all, one that predicts 0 treating none", {
  rows <- benefit_rows()
  all <- of_rows(transform(rows, p = 1))
  expect_equal(all$pooled$net_benefit, all$pooled$all, tolerance = 1e-6)
  expect_equal(all$domains$net_benefit, all$domains$all)
  expect_false(any(all$pooled$useful > 0.5))
  none <- of_rows(transform(rows, p = 0))$pooled
  expect_true(all(none[c("net_benefit", "lower", "upper", "new_lower", "new_upper")] == 0))
  expect_true(all(none$useful < 0.5))
})

test_that("predictions without regard to y are not useful, perfect ones are", {
  rows <- benefit_rows(10, 200)
  useless <- of_rows(transform(rows, p = with_seed(2, stats::runif(length(p)))),
                     thresholds = 0.3)$pooled
  expect_lt(useless$useful, 0.25)
  perfect <- of_rows(transform(rows, p = 0.98 * y + 0.01), thresholds = 0.3)$pooled
  expect_gt(perfect$useful, 0.95)
  expect_gt(perfect$difference_lower, 0)
})

test_that("nothing depends on the order of rows, names of sites or form of y", {
  rows <- benefit_rows()
  found <- of_rows(rows, thresholds = c(0.1, 0.3))
  mixed <- rows[with_seed(3, sample.int(nrow(rows))), ]
  expect_equal(of_rows(mixed, thresholds = c(0.3, 0.1))$pooled, found$pooled)
  expect_equal(of_rows(transform(rows, domain = chartr("123456", "654321", domain)),
                       thresholds = c(0.1, 0.3))$pooled, found$pooled)
  expect_equal(of_rows(transform(rows, y = factor(y, 0:1)), thresholds = c(0.1, 0.3)), found)
  expect_equal(of_rows(transform(rows, y = y == 1), thresholds = c(0.1, 0.3))$pooled, found$pooled)
  # the other class is the event: its probability is 1 - p
  other <- dg_net_benefit(1 - rows$p, y = factor(1 - rows$y), domain = rows$domain,
                          thresholds = c(0.1, 0.3), class = "1")
  same <- dg_net_benefit(cbind(`0` = 1 - rows$p, `1` = rows$p), y = factor(rows$y),
                         domain = rows$domain, thresholds = c(0.1, 0.3), class = "0")
  expect_equal(other$domains, same$domains)
})

test_that("by site it is what dcurves gives", {
  rows <- benefit_rows()
  at <- c(0.05, 0.15, 0.3, 0.5)
  found <- of_rows(rows, thresholds = at)$domains
  own <- found[found$domain == "s1", ]
  expect_equal(own$net_benefit, stored_dca$p, tolerance = 1e-8)
  expect_equal(own$all, stored_dca$all, tolerance = 1e-8)
})

test_that("cross-validations, comparisons, validations and models have decision curves", {
  toy <- toy_classes(6, 20)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "log_loss")
  at <- c(0.3, 0.5)
  found <- dg_net_benefit(cv, thresholds = at)
  held <- cv$predictions
  given <- dg_net_benefit(held$prob[, 2L], y = held$truth, domain = held$domain, thresholds = at)
  expect_equal(found$domains[-1L], given$domains[-1L])
  # overlapping training sets widen the intervals, and move no mean
  expect_equal(found$pooled$net_benefit, given$pooled$net_benefit)
  expect_true(all(found$pooled$upper > given$pooled$upper))
  expect_equal(found$inflation, 1 + 1 / cv$share)
  validated <- structure(list(
    rows = data.frame(method = "m", domain = held$domain, y = as.integer(held$truth) - 1L,
                      p = held$prob[, 2L]), kind = "class", class = levels(held$truth)[2L],
    inflation = found$inflation, labels = cv$labels, held_out = cv$held_out, title = "m"
  ), class = c("dg_validate", "dg_result"))
  expect_equal(dg_net_benefit(validated, thresholds = at)$pooled[-1L], found$pooled[-1L])
  compared <- dg_compare(list(a = dg_lm(), b = dg_ridge(lambda = 1, calibration = "platt"),
                              null = dg_null()), y ~ . | domain, data = toy, metric = "log_loss",
                         refits = FALSE)
  both <- dg_net_benefit(compared, thresholds = at)
  expect_identical(unique(both$pooled$method), c("a", "b"))
  expect_equal(both$pooled[both$pooled$method == "a", -1L], found$pooled[-1L])
  expect_plots(both)
  expect_plots(both, type = "useful")
  expect_plots(both, method = "b")
  expect_output(print(both), "2 methods")
  model <- dg_lm(y ~ . | domain, data = toy[toy$domain %in% unique(toy$domain)[1:3], ])
  new <- droplevels(toy[!toy$domain %in% unique(toy$domain)[1:3], ])
  expect_identical(dg_net_benefit(model, new, thresholds = at)$rows, nrow(new))
})

test_that("repeats count as the rows that they repeat", {
  toy <- toy_classes(6, 20)
  set.seed(1)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "log_loss",
              folds = domain_folds(toy$domain, 3, repeats = 2))
  found <- dg_net_benefit(cv, thresholds = c(0.3, 0.5))
  expect_identical(found$rows, nrow(toy))
  one <- lapply(1:2, function(rep) {
    part <- cv
    part$predictions <- cv$predictions[cv$predictions$rep == rep, ]
    dg_net_benefit(part, thresholds = c(0.3, 0.5))$domains
  })
  expect_equal(found$domains$se, (one[[1L]]$se + one[[2L]]$se) / 2)
  expect_equal(found$domains$net_benefit, (one[[1L]]$net_benefit + one[[2L]]$net_benefit) / 2)
  expect_equal(dg_net_benefit(dg_validate(cv), thresholds = c(0.3, 0.5))$pooled, found$pooled)
})

test_that("one site has no intervals, and errors name the remedy", {
  rows <- benefit_rows()
  one <- of_rows(rows[rows$domain == "s1", ], thresholds = c(0.2, 0.4))
  expect_true(all(is.na(one$pooled$lower) & is.na(one$pooled$useful)))
  expect_equal(one$pooled$net_benefit, one$domains$net_benefit)
  expect_output(print(one), "0.2")
  expect_domgen_error(plot(one, type = "useful"), "Nothing to plot")
  expect_domgen_error(of_rows(rows, thresholds = c(0.2, 1)), "`thresholds` must be numbers between")
  expect_domgen_error(of_rows(rows, thresholds = "a"), "`thresholds` must be numbers between")
  expect_domgen_error(dg_net_benefit(rows$p, y = 2 * rows$y, domain = rows$domain),
                      "must have a response of classes, not numbers")
  without <- dg_cv(dg_svm(cost = 1), y ~ . | domain, data = toy_classes(4, 10))
  expect_domgen_error(dg_net_benefit(without), "has no probabilities")
  expect_domgen_error(dg_net_benefit("a"), "must be the result of dg_cv")
})

test_that("thresholds that round to 0 or 1 are refused", {
  rows <- benefit_rows()
  expect_domgen_error(of_rows(rows, thresholds = 1 - 1e-13), "not 0.9999999999999")
  expect_domgen_error(of_rows(rows, thresholds = 1e-14), "between 0 and 1")
})

test_that("sites that differ though their rows are alike have an interval", {
  site <- rep(1:6, each = 20)
  found <- dg_net_benefit(rep(0.4, 120), y = as.integer(site <= 2), domain = site,
                          thresholds = c(0.1, 0.2))$pooled
  expect_equal(found$net_benefit, c(2 - 4 / 9, 1) / 6, tolerance = 1e-3)
  # about that of the t test of six values
  value <- c(1, 1, -0.25, -0.25, -0.25, -0.25)
  half <- stats::qt(0.975, 5) * stats::sd(value) / sqrt(6)
  expect_equal((found$upper - found$lower)[2L] / 2, half, tolerance = 0.2)
  expect_true(all(found$new_upper - found$new_lower > found$upper - found$lower))
  # alike: no interval
  expect_identical(pool_benefit(c(0.2, 0.2, 0.2), c(0, 0, 0), 1, 0.95),
                   c(rep(0.2, 5), 1, 1, 1))
})

test_that("dropped rows are told, and rows of failed folds and repeats counted once", {
  rows <- benefit_rows()
  rows$p[1:7] <- NA
  found <- of_rows(rows, thresholds = 0.3)
  expect_identical(found$rows, nrow(rows) - 7L)
  expect_identical(found$events, sum(rows$y[-(1:7)]))
  expect_output(print(found), "Left out, without response, domain or prediction: 7 rows")
  toy <- toy_classes(6, 20)
  set.seed(1)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "log_loss",
              folds = domain_folds(toy$domain, 3, repeats = 2))
  # a fold of the first repeat failed
  held <- cv$predictions
  cv$predictions <- held[!(held$rep == 1 & held$domain == held$domain[1L]), ]
  found <- dg_net_benefit(cv, thresholds = 0.3)
  expect_identical(found$rows, nrow(toy))
  once <- held[!duplicated(held$row), ]
  expect_identical(found$events, sum(once$truth == levels(once$truth)[2L]))
  expect_false(any(grepl("Left out", found$notes)))
})

test_that("numbers and counts are not classes", {
  toy <- transform(toy_classes(4, 20), y = seq_along(y) / 10)
  cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy)
  expect_domgen_error(dg_net_benefit(cv), "response of classes, not numbers")
  toy$y <- as.integer(toy$y)
  counts <- dg_cv(dg_glm(family = poisson(), lambda = 1), y ~ . | domain, data = toy)
  expect_domgen_error(dg_net_benefit(counts), "response of classes, not counts")
  expect_domgen_error(dg_net_benefit(dg_validate(cv)), "response of classes, not numbers")
})

test_that("one threshold has points, and useful a gap where the model treats all or none", {
  skip_if_not_installed("ggplot2")
  rows <- benefit_rows()
  alone <- expect_plots(of_rows(rows, thresholds = 0.3))
  points <- drawn_by(alone, "Point")
  expect_identical(vapply(points, nrow, 0L), c(6L, 1L))
  expect_match(said(alone), "Diamond: mean over domains")
  expect_plots(of_rows(rows, thresholds = 0.3), type = "useful")
  found <- of_rows(transform(rows, p = 0.2 + 0.4 * p), thresholds = c(0.05, 0.3, 0.4, 0.9))
  useful <- expect_plots(found, type = "useful")
  expect_identical(is.na(useful$data$useful), c(TRUE, FALSE, FALSE, TRUE))
  expect_match(said(useful), "No line where the model is the same")
  expect_plots(of_rows(transform(rows, p = 0)))
})

test_that("prints and plots have the word of the domain variable alone", {
  toy <- toy_classes(6, 20)
  names(toy)[names(toy) == "domain"] <- "hospital"
  found <- dg_net_benefit(dg_cv(dg_lm(), y ~ . | hospital, data = toy, metric = "log_loss"),
                          thresholds = c(0.3, 0.5))
  printed <- paste(utils::capture.output(print(found)), collapse = " ")
  expect_match(printed, "6 hospitals")
  expect_match(printed, "new hospital")
  expect_no_match(printed, "domain")
  skip_if_not_installed("ggplot2")
  for (type in c("curve", "useful")) {
    p <- plot(found, type)
    expect_no_match(paste(unlist(p$labels[c("title", "subtitle", "caption")]), collapse = " "),
                    "domain")
  }
})
