skip_if_not_installed("survival")

# Sites of one baseline hazard; model: its log hazard and the truth.
survival_sites <- function(seed, sites = 8, rows = 80, slope = 1, tau = 0) {
  set.seed(seed)
  n <- sites * rows
  d <- data.frame(site = factor(rep(seq_len(sites), each = rows)), f = rnorm(n))
  level <- rnorm(sites, 0, tau)[as.integer(d$site)]
  time <- rexp(n) / exp(slope * d$f + level)
  end <- rexp(n, 0.5)
  d$time <- pmin(time, end)
  d$status <- as.integer(time <= end)
  d$y <- survival::Surv(d$time, d$status)
  d
}

curve_of <- function(d, times) exp(-outer(exp(d$f), times))

test_that("each measure at a site is survival's", {
  d <- survival_sites(1)
  times <- c(0.4, 1)
  S <- curve_of(d, times)
  found <- dg_validate(S, y = d$y, domain = d$site, times = times)
  expect_identical(unique(found$domains$measure),
                   c("concordance", "uno", "slope", "oe_0.4", "oe_1", "brier_0.4", "brier_1"))
  value <- function(measure, site, what = "estimate") {
    row <- found$domains[found$domains$measure == measure & found$domains$domain == site, ]
    row[[what]]
  }
  for (site in c("1", "5")) {
    own <- d[d$site == site, ]
    y <- survival::Surv(own$time, own$status)
    harrell <- survival::concordance(y ~ own$f, reverse = TRUE)
    n <- nrow(own)
    expect_equal(value("concordance", site), harrell$concordance, tolerance = 1e-10)
    expect_equal(value("concordance", site, "se"), sqrt(harrell$var * n / (n - 1)),
                 tolerance = 1e-6)
    uno <- survival::concordance(y ~ own$f, reverse = TRUE, timewt = "n/G2")
    expect_equal(value("uno", site), uno$concordance, tolerance = 1e-10)
    expect_equal(value("uno", site, "se"), sqrt(uno$var * n / (n - 1)), tolerance = 1e-6)
    fit <- survival::coxph(y ~ own$f, ties = "breslow")
    expect_equal(value("slope", site), unname(coef(fit)), tolerance = 1e-6)
    expect_equal(value("slope", site, "se"), sqrt(fit$var[1]), tolerance = 1e-6)
    km <- summary(survival::survfit(y ~ 1), times = 1)$surv
    expect_equal(value("oe_1", site), (1 - km) / mean(1 - S[d$site == site, 2]), tolerance = 1e-10)
    expect_equal(value("brier_1", site),
                 domgen:::brier_at(domgen:::censored_times(own$time, own$status),
                                   S[d$site == site, 2], 1)$mean, tolerance = 1e-10)
    expect_identical(value("uno", site, "events"), sum(own$status))
  }
  expect_output(print(found), "640 rows of 8 sites?, [0-9]+ events")
})

test_that("effects of rows on the slope are the score residuals of survival", {
  d <- survival_sites(2, sites = 1)
  d$time <- ceiling(10 * d$time) / 10
  d$y <- domgen:::censored_times(d$time, d$status)
  found <- domgen:::hazard_slope(list(y = d$y, score = d$f))
  fit <- survival::coxph(survival::Surv(time, status) ~ f, d, ties = "breslow",
                         control = survival::coxph.control(iter.max = 50))
  expect_equal(found$estimate, unname(coef(fit)), tolerance = 1e-7)
  expect_equal(found$effect, unname(residuals(fit, "dfbeta")), tolerance = 1e-6)
})

test_that("a cross-validation, a comparison and a fitted model are validated alike", {
  d <- survival_sites(3, sites = 4, rows = 50)
  d$x <- d$f + rnorm(nrow(d)) / 2
  formula <- survival::Surv(time, status) ~ x | site
  cv <- dg_cv(dg_lm(), formula, data = d, metric = list("concordance", metric_brier(c(0, 0.5, 1))))
  found <- dg_validate(cv)
  expect_identical(found$times, c(0.5, 1))
  harrell <- found$domains[found$domains$measure == "concordance", ]
  expect_equal(harrell$estimate, cv$domains$concordance)
  model <- dg_lm(formula, data = d[d$site != "4", ])
  new <- droplevels(d[d$site == "4", ])
  own <- dg_validate(model, newdata = new, times = c(0.5, 1))
  expect_equal(own$domains$estimate, found$domains$estimate[found$domains$domain == "4"],
               tolerance = 1e-8)
  expect_identical(dg_validate(cv, times = 1)$times, 1)
  none <- dg_validate(dg_cv(dg_lm(), formula, data = d))
  expect_identical(names(none$measures), c("concordance", "uno", "slope"))
  expect_output(print(none), "metric_brier")
  compared <- dg_compare(list(lm = dg_lm(), glm = dg_glm(lambda = 1)), formula, data = d, folds = 3,
                         metric = metric_brier(1), refits = FALSE)
  both <- dg_validate(compared, target = list(uno = 0.6, oe_1 = c(0.8, 1.25)))
  expect_true(all(is.finite(both$differences$difference)))
  expect_true(all(c("pass") %in% names(both$summary)))
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    expect_s3_class(plot(both, measure = c("uno", "oe_1")), "ggplot")
    expect_error(plot(both, type = "calibration"), class = "domgen_error_argument")
  }
  for (call in list(dg_net_benefit, dg_report)) {
    expect_error(call(found), "censored times", class = "domgen_error_argument")
  }
})

test_that("small sites, sites without events and short follow-up", {
  d <- survival_sites(4, sites = 6, rows = 30)
  d$status[d$site == "1"] <- 0
  d$time[d$site == "2"] <- pmin(d$time[d$site == "2"], 0.3)
  d$status[d$site == "3"] <- replace(numeric(30), order(d$time[d$site == "3"])[2:4], 1)
  d$y <- survival::Surv(d$time, d$status)
  found <- dg_validate(curve_of(d, c(0.2, 0.8)), y = d$y, domain = d$site, times = c(0.2, 0.8))
  of <- function(measure) found$domains[found$domains$measure == measure, ]
  expect_identical(is.na(of("concordance")$estimate), c(TRUE, rep(FALSE, 5)))
  expect_identical(is.na(of("slope")$estimate), c(TRUE, FALSE, TRUE, rep(FALSE, 3)))
  expect_identical(is.na(of("oe_0.8")$estimate), c(FALSE, TRUE, rep(FALSE, 4)))
  expect_identical(of("oe_0.2")$estimate[1], 0)
  expect_true(all(is.finite(found$summary$mean)))
  expect_true(all(is.finite(found$summary$new_upper)))
})

test_that("what cannot be validated is refused in words", {
  d <- survival_sites(5, sites = 3, rows = 20)
  refused <- function(call, words, kind = "argument") {
    expect_error(call, words, class = paste0("domgen_error_", kind))
  }
  S <- curve_of(d, c(0.5, 1))
  refused(dg_validate(S, y = d$y, domain = d$site), "`times` must be the times of the columns")
  refused(dg_validate(S, y = d$y, domain = d$site, times = 1), "2 different numbers")
  refused(dg_validate(S + 1, y = d$y, domain = d$site, times = 1:2), "from 0 to 1", "data")
  refused(dg_validate(d$f, y = d$time, domain = d$site, response = "censored"),
          "needs censored times", "data")
  refused(dg_validate(d$f, y = d$y, domain = d$site, response = "number"), "needs numbers", "data")
  refused(dg_validate(d$f, y = d$time, domain = d$site, times = 1), "must be NULL")
  refused(dg_validate(d$f, y = d$y, domain = d$site, threshold = 0.5), "threshold")
  cv <- dg_cv(dg_lm(), survival::Surv(time, status) ~ f | site, data = d)
  refused(dg_validate(cv, times = 1), "metric_brier\\(1\\)")
  expect_identical(names(dg_validate(d$f, y = d$y, domain = d$site)$measures),
                   c("concordance", "uno", "slope"))
})

test_that("calibration at a time is Kaplan and Meier's in bins and by domain", {
  d <- survival_sites(6, sites = 6, rows = 60)
  S <- curve_of(d, c(0.5, 1))
  expect_error(dg_calibration(d$f, y = d$y, domain = d$site), "`time` must be given",
               class = "domgen_error_argument")
  found <- dg_calibration(S[, 2], y = d$y, domain = d$site, bins = 4, time = 1)
  validated <- dg_validate(S[, 2], y = d$y, domain = d$site, times = 1)
  oe <- validated$domains[validated$domains$measure == "oe_1", ]
  expect_equal(found$by_domain$ratio, oe$estimate)
  expect_equal(found$by_domain$slope,
               validated$domains$estimate[validated$domains$measure == "slope"])
  bin <- pmin(floor(4 * (1 - S[, 2])), 3)
  own <- d[bin == 2, ]
  km <- summary(survival::survfit(survival::Surv(time, status) ~ 1, own), times = 1)$surv
  expect_equal(found$table$observed[3], 1 - km, tolerance = 1e-10)
  expect_true(all(found$table$lower <= found$table$observed &
                    found$table$observed <= found$table$upper))
  expect_output(print(found), "event until 1: observed/expected by domain")
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(plot(found), "ggplot")
  cv <- dg_cv(dg_lm(), survival::Surv(time, status) ~ f | site, data = d,
              metric = metric_brier(c(0.5, 1)))
  expect_s3_class(dg_calibration(cv, time = 0.5), "dg_calibration")
  expect_error(dg_calibration(cv, time = 0.7), "0.5, 1", class = "domgen_error_argument")
  expect_error(dg_calibration(c(0.2, 0.3), y = c(0, 1), domain = 1:2, time = 1), "must be NULL",
               class = "domgen_error_argument")
})

test_that("times of given probabilities may have any order, and are checked", {
  d <- survival_sites(2, sites = 5)
  S <- curve_of(d, c(0.4, 1))
  found <- dg_validate(S, y = d$y, domain = d$site, times = c(0.4, 1))
  turned <- dg_validate(S[, 2:1], y = d$y, domain = d$site, times = c(1, 0.4))
  expect_equal(turned$summary, found$summary, tolerance = 1e-12)
  expect_domgen_error(dg_validate(S, y = d$y, domain = d$site, times = c(1, 0.4)), "rise with time")
  named <- S
  colnames(named) <- c("0.4", "1")
  expect_domgen_error(dg_validate(named, y = d$y, domain = d$site, times = c(0.4, 2)),
                      "names of the columns")
  expect_domgen_error(dg_validate(S, y = d$y, domain = d$site, times = c(0, 1)), "positive")
  expect_domgen_error(metric_brier(0), "positive")
})
