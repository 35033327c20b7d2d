validated <- function(...) {
  skip_if_not_installed("metafor")
  toy <- simulate_dcm(domains = 6, n = 30, seed = 1)
  cv <- dg_cv(dg_glm(lambda = 1), y ~ x1 + x2 | domain, data = toy, metric = "log_loss")
  dg_validate(cv, ...)
}

test_that("sentences have the numbers of the validation", {
  x <- validated(target = list(auc = 0.7))
  report <- dg_report(x, site = "hospital", row = "patient")
  auc <- x$summary[1, ]
  say <- function(value) format(signif(value, 3))
  expect_match(report$text$performance, paste("AUC is", say(auc$mean)), fixed = TRUE)
  expect_match(report$text$performance, paste(say(auc$lower), "to", say(auc$upper)), fixed = TRUE)
  expect_match(report$text$performance, paste(say(auc$new_lower), "to", say(auc$new_upper)),
               fixed = TRUE)
  expect_match(report$text$data, paste(nrow(x$rows), "patients of 6 hospitals"))
  expect_match(report$text$data, paste0("occurred in ", sum(x$rows$y)))
  expect_match(report$text$target, paste(round(100 * auc$pass), "%"))
  expect_match(report$text$methods, "DeLong")
  expect_false(any(grepl("domain", unlist(report$text[c("validation", "performance")]))))
  expect_null(report$text$missing)
  expect_output(print(report), "6 hospitals")
  report <- dg_report(x, site = "city", row = c("child", "children"))
  expect_match(report$text$data, "children of 6 cities")
  expect_output(print(report$sites), "children")
})

test_that("calibration is read by the interval of the mean", {
  x <- validated()
  oe <- x$summary$measure == "oe"
  x$summary[oe, c("mean", "lower", "upper")] <- c(1.4, 1.2, 1.6)
  expect_match(dg_report(x)$text$calibration, "more events than predicted")
  x$summary[oe, c("mean", "lower", "upper", "new_lower", "new_upper")] <- c(0.8, 0.7, 0.9, 0.5, 1.3)
  expect_match(dg_report(x)$text$calibration, "fewer events than predicted")
  expect_match(dg_report(x)$text$calibration, "50 % fewer to 30 % more events")
  x$summary[oe, c("lower", "upper")] <- c(0.7, 1.1)
  expect_match(dg_report(x)$text$calibration, "includes 1")
})

test_that("missing values are counted by site, in the variables of the formula", {
  skip_if_not_installed("metafor")
  data <- ChickWeight
  data$Diet <- as.character(data$Diet)
  data$other <- NA
  data$Time[c(1, 2, 400)] <- NA
  known <- stats::complete.cases(data[c("weight", "Time", "Diet")])
  fitted <- stats::fitted(stats::lm(weight ~ Time, data))
  x <- dg_validate(fitted, y = data$weight[known], domain = data$Diet[known])
  x$labels$domain <- "Diet"
  report <- dg_report(x, data = data, formula = weight ~ Time | Diet)
  expect_match(report$text$missing, "Of 578 rows, 3 (1 %) lack a value", fixed = TRUE)
  sites <- tidy(report$sites)
  expect_identical(sum(sites$incomplete), 3L)
  expect_identical(sites$incomplete + sites$rows, as.vector(table(data$Diet)))
  expect_equal(sites$rmse, x$domains$estimate[x$domains$measure == "rmse"])
  all <- dg_report(x, data = data)
  expect_match(all$text$missing, "578 (100 %)", fixed = TRUE)
})

test_that("the checklist has 19 items and what the data say", {
  report <- dg_report(validated(), formula = y ~ x1 + x2 | domain)
  items <- tidy(report$checklist)
  expect_setequal(as.integer(sub("[a-g]$", "", items$item)), 1:19)
  expect_identical(anyDuplicated(items$item), 0L)
  said <- function(item) items$reported[items$item == item]
  expect_match(said("6b"), "x1, x2")
  expect_match(said("10a"), "6 sites")
  expect_match(said("13a"), "AUC is")
  expect_match(said("13b"), "AUC [0-9.]+")
  expect_identical(said("19"), "[author]")
})

test_that("numbers, counts and ordered classes have their own measures", {
  skip_if_not_installed("metafor")
  set.seed(1)
  domain <- rep(1:5, each = 30)
  p <- stats::rexp(150) + 1
  text <- dg_report(dg_validate(p, y = p + stats::rnorm(150), domain = domain))$text
  expect_match(text$performance, "RMSE")
  expect_match(text$calibration, "Bias")
  counts <- dg_validate(p, y = stats::rpois(150, p), domain = domain, response = "count")
  text <- dg_report(counts)$text
  expect_match(text$performance, "Poisson deviance")
  expect_match(text$calibration, "Observed/expected")
  expect_no_match(text$calibration, "events")
  P <- cbind(low = 1 / (1 + p), high = 1 - 1 / (1 + p))
  grade <- factor(ifelse(stats::runif(150) < P[, 1], "low", "high"), c("low", "high"),
                  ordered = TRUE)
  text <- dg_report(dg_validate(P, y = grade, domain = domain))$text
  expect_match(text$performance, "Concordance")
  expect_null(text$calibration)
})

test_that("differences and meta-regressions are told", {
  skip_if_not_installed("metafor")
  toy <- simulate_dcm(domains = 6, n = 30, seed = 1)
  two <- dg_compare(list(a = dg_glm(lambda = 1), b = dg_glm(lambda = 10)), y ~ x1 + x2 | domain,
                    data = toy, metric = "log_loss", baseline = "a")
  x <- dg_validate(two, covariates = data.frame(domain = levels(toy$domain), size = c(1:5, 3)))
  report <- dg_report(x, method = "b")
  expect_match(report$text$comparison, "AUC less that of a, on the same rows: b")
  expect_match(report$text$regression, "size")
  expect_false(grepl("intercept", report$text$regression))
  expect_match(report$text$validation, "(b)", fixed = TRUE)
})

test_that("what is no validation, no data and no word is refused", {
  expect_error(dg_report(1), "result of dg_validate", class = "domgen_error_argument")
  x <- validated()
  expect_error(dg_report(x, data = 1), "`data` must be", class = "domgen_error_argument")
  expect_error(dg_report(x, site = 1), "`site` must be", class = "domgen_error_argument")
  expect_error(dg_report(x, method = "z"), "`method`", class = "domgen_error_argument")
})

test_that("the template knits as it is, with the numbers in its text", {
  skip_on_cran()
  for (package in c("rmarkdown", "metafor", "ggplot2")) skip_if_not_installed(package)
  skip_if_not(rmarkdown::pandoc_available())
  folder <- tempfile("report")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE, expand = FALSE))
  file <- file.path(folder, "report.Rmd")
  rmarkdown::draft(file, "validation-by-site", package = "domgen", edit = FALSE)
  env <- new.env()
  out <- rmarkdown::render(file, "html_document", envir = env, quiet = TRUE,
                           output_options = list(self_contained = FALSE))
  html <- paste(readLines(out, encoding = "UTF-8"), collapse = " ")
  expect_match(html, paste("AUC is", format(signif(env$validation$summary$mean[1], 3))),
               fixed = TRUE)
  expect_match(html, paste(nrow(env$validation$rows), "rows of 10 sites"))
  expect_match(html, "TRIPOD-Cluster")
  expect_no_match(html, "math display")
})
