# Each validation is made once.
validated <- local({
  made <- list()
  cv <- NULL
  function(...) {
    if (is.null(cv)) {
      toy <- simulate_dcm(domains = 4, n = 30, seed = 1)
      cv <<- dg_cv(dg_glm(lambda = 1), y ~ x1 + x2 | domain, data = toy, metric = "log_loss")
    }
    key <- paste(deparse(list(...)), collapse = "")
    if (is.null(made[[key]])) made[[key]] <<- dg_validate(cv, ...)
    made[[key]]
  }
})

test_that("sentences have the numbers of the validation", {
  x <- validated(target = list(auc = 0.7), threshold = 0.4)
  report <- dg_report(x, site = "hospital", row = "patient")
  auc <- x$summary[1, ]
  say <- function(value) formatC(value, digits = 2, format = "f")
  expect_match(report$text$performance, paste("ean AUC was", say(auc$mean)), fixed = TRUE)
  expect_match(report$text$performance, paste(say(auc$lower), "to", say(auc$upper)), fixed = TRUE)
  expect_match(report$text$performance, paste(say(auc$new_lower), "to", say(auc$new_upper)),
               fixed = TRUE)
  expect_match(report$text$data, paste(nrow(x$rows), "patients of 4 hospitals"))
  expect_match(report$text$data, paste0("occurred in ", sum(x$rows$y), " ("), fixed = TRUE)
  expect_match(report$text$target, paste(round(100 * auc$pass), "%"))
  expect_match(report$text$methods, "DeLong")
  expect_false(any(grepl("domain", unlist(report$text[c("validation", "performance")]))))
  expect_null(report$text$missing)
  expect_output(print(report), "4 hospitals")
  report <- dg_report(x, site = "city", row = c("child", "children"))
  expect_match(report$text$data, "children of 4 cities")
  expect_output(print(report$sites), "children")
})

test_that("calibration is read by the interval of the mean", {
  x <- validated()
  oe <- x$summary$measure == "oe"
  x$summary[oe, c("mean", "lower", "upper")] <- c(1.4, 1.2, 1.6)
  expect_match(dg_report(x)$text$calibration, "more events occurred than predicted")
  x$summary[oe, c("mean", "lower", "upper", "new_lower", "new_upper")] <- c(0.8, 0.7, 0.9, 0.5, 1.3)
  expect_match(dg_report(x)$text$calibration, "fewer events occurred than predicted")
  expect_match(dg_report(x)$text$calibration, "new site 0.50 to 1.30", fixed = TRUE)
  x$summary[oe, c("lower", "upper")] <- c(0.7, 1.1)
  expect_match(dg_report(x)$text$calibration, "CI included 1 (perfect", fixed = TRUE)
})

test_that("missing values are counted by site, in the variables of the formula", {
  data <- ChickWeight
  data$Diet <- as.character(data$Diet)
  data$other <- NA
  data$Time[c(1, 2, 400)] <- NA
  known <- stats::complete.cases(data[c("weight", "Time", "Diet")])
  fitted <- stats::fitted(stats::lm(weight ~ Time, data))
  x <- dg_validate(fitted, y = data$weight[known], domain = data$Diet[known])
  x$labels$domain <- "Diet"
  report <- dg_report(x, data = data, formula = weight ~ Time | Diet)
  expect_match(report$text$missing, "Of 578 rows, 3 (1 %; by site 0 % to 1 %) had a missing value",
               fixed = TRUE)
  sites <- tidy(report$sites)
  expect_identical(sum(sites$incomplete), 3L)
  expect_identical(sites$incomplete + sites$rows, as.vector(table(data$Diet)))
  expect_equal(sites$rmse, x$domains$estimate[x$domains$measure == "rmse"])
  all <- dg_report(x, data = data)
  expect_match(all$text$missing, "578 (100 %; by site 100 %)", fixed = TRUE)
})

test_that("numbers, counts and ordered classes have their own measures", {
  set.seed(1)
  domain <- rep(1:5, each = 30)
  p <- stats::rexp(150) + 1
  text <- dg_report(dg_validate(p, y = p + stats::rnorm(150), domain = domain))$text
  expect_match(text$performance, "RMSE")
  expect_match(text$calibration, "Mean bias")
  counts <- dg_validate(p, y = stats::rpois(150, p), domain = domain, response = "count")
  text <- dg_report(counts)$text
  expect_match(text$performance, "Poisson deviance")
  expect_match(text$calibration, "observed/expected ratio")
  expect_no_match(text$calibration, "events")
  P <- cbind(low = 1 / (1 + p), high = 1 - 1 / (1 + p))
  grade <- factor(ifelse(stats::runif(150) < P[, 1], "low", "high"), c("low", "high"),
                  ordered = TRUE)
  text <- dg_report(dg_validate(P, y = grade, domain = domain))$text
  expect_match(text$performance, "concordance")
  expect_null(text$calibration)
})

test_that("differences and meta-regressions are told", {
  toy <- simulate_dcm(domains = 6, n = 30, seed = 1)
  two <- dg_compare(list(a = dg_glm(lambda = 1), b = dg_glm(lambda = 10)), y ~ x1 + x2 | domain,
                    data = toy, metric = "log_loss", baseline = "a", refits = FALSE)
  x <- dg_validate(two, covariates = data.frame(domain = levels(toy$domain), size = c(1:5, 3)))
  report <- dg_report(x, method = "b")
  expect_match(report$text$comparison, "AUC minus that of a, on the same rows: b")
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

test_that("each measure is in the report by its row of the table alone", {
  x <- validated(target = list(auc = 0.7), threshold = 0.4)
  report <- dg_report(x)
  expect_match(report$text$methods, "sensitivity at 0.4 and specificity at 0.4 (Stijnen",
               fixed = TRUE)
  expect_match(report$text$methods, "likelihood for calibration slope (Davison", fixed = TRUE)
  expect_true(any(grepl("^Davison, A. C.", report$text$references)))
  # rows and their measures, citations and their uses
  for (kind in names(report_measures)) {
    expect_true(all(names(report_measures[[kind]]) %in% names(measures[[kind]])))
    uses <- unlist(lapply(report_measures[[kind]], `[[`, "uses"))
    expect_true(all(uses %in% names(citations)))
  }
  expect_false(is.unsorted(tolower(citations)))
  # without probabilities there is the AUC alone
  toy <- simulate_dcm(domains = 4, n = 30, seed = 1)
  svm <- dg_report(dg_validate(dg_cv(dg_svm(cost = 1), y ~ x1 | domain, data = toy)))
  expect_no_match(svm$text$methods, "Firth|Stijnen|Cox")
  expect_false(any(grepl("Firth|Stijnen|Cox", svm$text$references)))
})

test_that("dropped rows, failed folds and small sites are told", {
  set.seed(1)
  data <- data.frame(ward = rep(paste0("w", 1:5), each = 30), risk = stats::runif(150))
  data$died <- stats::rbinom(150, 1, data$risk)
  data$risk[1:4] <- NA
  x <- dg_validate(data$risk, y = data$died, domain = data$ward)
  report <- dg_report(x, data = data, formula = died ~ 1 | ward, site = "ward", row = "patient")
  expect_match(report$text$missing, paste("No value of the variables was missing, but 4 patients",
                                          "could not be validated"))
  expect_match(report$text$small, "without response, ward or prediction: 4 patients.", fixed = TRUE)
  all <- dg_report(x, data = data, site = "ward", row = "patient")
  expect_match(all$text$missing, "4 (3 %; by ward 0 % to 13 %) had a missing value", fixed = TRUE)
  x$notes <- c("1 of 5 folds failed: no way", "1 domain without a score")
  expect_identical(as.vector(dg_report(x, site = "ward")$text$small),
                   "1 of 5 folds failed: no way. 1 ward without a score.")
})

test_that("the formula gives the predictors and must fit the data", {
  x <- validated()
  toy <- simulate_dcm(domains = 4, n = 30, seed = 1)
  predictors <- function(...) as.vector(dg_report(...)$text$predictors)
  expect_identical(predictors(x, toy, y ~ . - x2 | domain),
                   paste0("Predicted from ", toString(paste0("x", c(1, 3:9))), " and x10."))
  expect_identical(predictors(x, toy, y ~ log(x1 + 9) * x2 | domain), "Predicted from x1 and x2.")
  expect_null(predictors(x, toy))
  # predictions given by hand do not know the name of the domain
  by_hand <- dg_validate(x$rows$p, y = x$rows$y, domain = x$rows$domain)
  names(toy)[names(toy) == "domain"] <- "site"
  expect_no_match(predictors(by_hand, toy, y ~ . | site), "site")
  expect_identical(nrow(tidy(dg_report(by_hand, toy, y ~ . | site)$sites)), 4L)
  expect_error(dg_report(x, toy, "y ~ x1"), "must be a formula", class = "domgen_error_argument")
  expect_error(dg_report(x, toy, y ~ age | site), "variables of `data`, not `age`",
               class = "domgen_error_argument")
  expect_error(dg_report(x, toy[1:9, ]), "has 9 rows, fewer than the", class = "domgen_error_data")
})

test_that("names are plain on the console and escaped in documents", {
  skip_if_not_installed("knitr")
  odd <- c("<script>alert(1)</script>", "a_b_c", "*x*", "$y$", "p|q", "r\\s")
  site <- rep(odd, each = 30)
  set.seed(1)
  risk <- stats::runif(180) / 2 + rep(1:6, each = 30) / 20
  x <- dg_validate(risk, y = stats::rbinom(180, 1, risk), domain = site)
  for (name in odd) {
    x$domains$shrunk[x$domains$measure == "auc"] <- 0.6
    x$domains$shrunk[x$domains$measure == "auc" & x$domains$domain == name] <- 0.7
    text <- dg_report(x)$text$ranking
    expect_match(text, name, fixed = TRUE)
    expect_output(print(text), name, fixed = TRUE)
    shown <- with_replaced("knitr_markup", function() "markdown", knitr::knit_print(text))
    expect_no_match(shown, name, fixed = TRUE)
  }
  skip_if_not(requireNamespace("rmarkdown", quietly = TRUE) && rmarkdown::pandoc_available())
  file <- tempfile(fileext = ".Rmd")
  writeLines(c("---", "title: t", "---", "", "`r text$ranking`"), file)
  x$domains$shrunk[x$domains$measure == "auc"] <- c(1, 0.5, 0.5, 0.5, 0.5, 0)[match(
    x$domains$domain[x$domains$measure == "auc"], odd)]
  env <- list2env(list(text = dg_report(x)$text))
  out <- rmarkdown::render(file, "html_document", envir = env, quiet = TRUE,
                           output_options = list(self_contained = FALSE))
  html <- paste(readLines(out, encoding = "UTF-8"), collapse = " ")
  expect_match(html, "&lt;script&gt;alert(1)&lt;/script&gt;", fixed = TRUE)
  expect_match(html, "r\\s", fixed = TRUE)
  expect_no_match(html, "<script>alert(1)", fixed = TRUE)
})

test_that("plurals, equal sizes and differences of 0 are phrased", {
  x <- validated()
  expect_match(dg_report(x, site = "bus")$text$data, "4 buses")
  same <- x
  same$domains$rows <- 28L
  expect_match(dg_report(same)$text$data, "(28 per site)", fixed = TRUE)
  expect_match(dg_report(x)$text$methods, "untransformed")
  toy <- simulate_dcm(domains = 3, n = 20, seed = 1)
  two <- dg_compare(list(a = dg_lm(), b = dg_lm()), y ~ x1 + x2 | domain, data = toy,
                    metric = "log_loss", baseline = "a", refits = FALSE)
  equal <- dg_validate(two)
  expect_match(dg_report(equal, method = "b")$text$comparison, "b 0 in each site")
  expect_output(print(equal), "is exactly 0 in each domain")
  skip_if_not_installed("ggplot2")
  mean <- drawn_by(plot(equal, "difference"), "Point")[[2L]]
  expect_identical(mean$x, 0)
})

test_that("the template knits one site, comparisons and predictions made elsewhere", {
  skip_on_cran()
  for (package in c("rmarkdown", "ggplot2")) skip_if_not_installed(package)
  skip_if_not(rmarkdown::pandoc_available())
  knit <- function(...) {
    folder <- tempfile("report")
    dir.create(folder)
    file <- file.path(folder, "report.Rmd")
    rmarkdown::draft(file, "validation-by-site", package = "domgen", edit = FALSE)
    lines <- readLines(file)
    # the last line of the author's chunk; small figures are soon drawn
    at <- grep("^covariates <- ", lines)
    writeLines(append(lines, c(..., "knitr::opts_chunk$set(dpi = 30)"), at), file)
    out <- rmarkdown::render(file, "html_document", envir = new.env(), quiet = TRUE,
                             output_options = list(self_contained = FALSE))
    paste(readLines(out, encoding = "UTF-8"), collapse = " ")
  }
  one <- knit("data <- data[data$domain == data$domain[1], ]; data$risk <- 0.5 + data$x1 / 99",
              "made_elsewhere <- c(prediction = 'risk', y = 'y', domain = 'domain')",
              "site <- 'ward'")
  expect_match(one, "Validation by ward")
  expect_match(one, "Without a figure")
  expect_match(one, "[author: origin of the predictions]", fixed = TRUE)
  two <- knit("model <- list(a = dg_glm(lambda = 1), b = dg_glm(lambda = 10))",
              "threshold <- 0.4; site <- c('ward', 'wards')",
              "data <- droplevels(data[data$domain %in% levels(data$domain)[1:4], ])",
              "covariates <- data.frame(domain = levels(data$domain), size = 1:4)")
  expect_match(two, "AUC minus that of")
  expect_match(two, "on covariates of wards")
  expect_match(two, "ensitivity at 0.4")
})

test_that("the template knits as it is, with the numbers in its text", {
  skip_on_cran()
  for (package in c("rmarkdown", "ggplot2")) skip_if_not_installed(package)
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
  expect_match(html, paste("AUC was", formatC(env$validation$summary$mean[1], digits = 2,
                                           format = "f")), fixed = TRUE)
  expect_match(html, paste(nrow(env$validation$rows), "rows of 10 sites"))
  # of the checklist all 19 items, with the sentences that answer some of them
  checklist <- strsplit(html, "The items of TRIPOD-Cluster", fixed = TRUE)[[1L]][2L]
  cells <- regmatches(checklist, gregexpr("<td[^>]*>[0-9]+[a-g]?</td>", checklist))[[1L]]
  items <- gsub("<[^>]*>", "", cells)
  expect_setequal(as.integer(sub("[a-g]$", "", items)), 1:19)
  expect_identical(anyDuplicated(items), 0L)
  for (name in c("predictors", "validation", "data", "missing")) {
    expect_match(checklist, paste0("<td[^>]*>", substr(env$text[[name]], 1, 20)))
  }
  expect_match(html, "<title>Validation of a prediction model by site</title>", fixed = TRUE)
  expect_no_match(html, "math display")
})

test_that("sentences are in the past tense, with equal decimals, and cite the references", {
  draws <- list(class = function(p) stats::rbinom(length(p), 1, p),
                number = function(p) p * 40 + stats::rnorm(length(p)),
                count = function(p) stats::rpois(length(p), p * 4))
  for (kind in names(draws)) for (seed in 1:4) {
    set.seed(seed)
    sites <- if (seed == 1) 1 else sample(3:6, 1)
    p <- stats::runif(40 * sites)
    scale <- c(class = 1, number = 40, count = 4)[[kind]]
    x <- suppressWarnings(dg_validate(
      p * scale, y = draws[[kind]](p), domain = rep(seq_len(sites), 40),
      response = if (kind == "count") "count"
    ))
    text <- dg_report(x, site = "item", row = c("woman", "women"))$text
    told <- unlist(text[setdiff(names(text), c("methods", "validation", "references"))])
    expect_no_match(told, "\\b(is|are|has no|lies|have)\\b|row|domain|  ", info = paste(kind, seed))
    # ends of an interval have the decimals of each other
    ends <- regmatches(told, gregexpr("CI [-0-9.]+ to [-0-9.]+", told))
    for (range in unlist(ends)) {
      decimals <- nchar(sub("^[-0-9]*[.]?", "", strsplit(sub("CI ", "", range), " to ")[[1L]]))
      expect_identical(decimals[1L], decimals[2L], info = paste(range, seed))
    }
    years <- regmatches(text$methods, gregexpr("(1|2)[0-9]{3}(?=[)])", text$methods, perl = TRUE))
    listed <- regmatches(text$references, regexpr("[(][0-9]{4}[)]", text$references))
    expect_true(all(sprintf("(%s)", unlist(years)) %in% listed), info = paste(kind, seed))
    # all are cited but the checklist
    cited <- c("(2023)", sprintf("(%s)", unlist(years)))
    expect_true(all(listed %in% cited), info = paste(kind, seed))
    if (sites == 1) expect_no_match(text$methods, "random effects")
  }
})
