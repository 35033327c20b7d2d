hospitals <- function(domains = 4, n = 60, seed = 1) {
  set.seed(seed)
  data <- do.call(rbind, lapply(seq_len(domains), function(g) {
    x <- rnorm(n)
    data.frame(hospital = paste("hospital", g), x = x, z = rnorm(n),
               death = factor(rbinom(n, 1, plogis(rnorm(1, -0.5, 0.4) + x)), 0:1, c("no", "yes")))
  }))
  data$stay <- 5 + 2 * data$x + rnorm(nrow(data))
  data$visits <- rpois(nrow(data), exp(0.3 * data$x))
  data
}

# Made once, by the first test that uses them.
delayedAssign("deaths", dg_cv(dg_glm(lambda = 1), death ~ x + z | hospital, data = hospitals(),
                              metric = "log_loss"))
delayedAssign("validated_deaths", dg_validate(deaths))
delayedAssign("penalties", dg_compare(list(a = dg_glm(lambda = 1), b = dg_glm(lambda = 100)),
                                      data = hospitals(), death ~ x | hospital,
                                      metric = "log_loss", refits = FALSE))
delayedAssign("validated_penalties", dg_validate(penalties, target = list(auc = 0.7)))
delayedAssign("penalty_plots", sapply(c("forest", "ranking", "calibration", "difference"),
                                      function(type) plot(validated_penalties, type),
                                      simplify = FALSE))

test_that("each value is that of the held-out rows of its domain", {
  cv <- deaths
  found <- dg_validate(cv, threshold = 0.4)
  rows <- cv$predictions[cv$predictions$domain == "hospital 3", ]
  y <- rows$truth == "yes"
  p <- rows$prob[, 2L]
  of <- function(name) {
    found$domains$estimate[found$domains$measure == name & found$domains$domain == "hospital 3"]
  }
  expect_equal(of("oe"), sum(y) / sum(p))
  expect_equal(of("brier"), mean((y - p)^2))
  expect_equal(of("scaled_brier"), 1 - mean((y - p)^2) / (mean(y) * (1 - mean(y))))
  expect_equal(of("log_loss"), -mean(log(ifelse(y, p, 1 - p))))
  expect_equal(of("sensitivity"), mean(p[y] >= 0.4))
  expect_equal(of("specificity"), mean(p[!y] < 0.4))
  expect_equal(unique(found$domains$events[found$domains$domain == "hospital 3"]), sum(y))
})

test_that("a domain's interval is on the scale of the measure, and so is the summary", {
  found <- dg_validate(fitted(lm(weight ~ Time, ChickWeight)), y = ChickWeight$weight,
                       domain = ChickWeight$Diet)
  rmse <- found$domains[found$domains$measure == "rmse", ]
  expect_equal(rmse$upper / rmse$estimate, rmse$estimate / rmse$lower)
  of_sites <- stats::t.test(log(rmse$estimate))
  expect_equal(found$summary$mean[1L], exp(of_sites$estimate[[1L]]), tolerance = 1e-8)
  expect_equal(found$summary$lower[1L], exp(of_sites$conf.int[1L]), tolerance = 1e-8)
  expect_true(all(found$summary$weighted_p > 0.05))
})

test_that("folds widen the interval of the mean, new data do not", {
  cv <- deaths
  rows <- cv$predictions
  again <- dg_validate(rows$prob[, 2L], y = rows$truth, domain = rows$domain)
  of <- function(found) {
    row <- found$summary[found$summary$measure == "brier", ]
    log(row$upper / row$lower)
  }
  expect_equal(of(validated_deaths) / of(again), sqrt(1 + 1 / cv$share), tolerance = 1e-6)
})

test_that("a fitted model is validated on new rows, and domains of training are reported", {
  data <- hospitals(6)
  new <- data$hospital %in% c("hospital 5", "hospital 6")
  model <- dg_lm(stay ~ x + z | hospital, data = data[!new, ])
  found <- dg_validate(model, data[new, ])
  expect_setequal(found$domains$domain, c("hospital 5", "hospital 6"))
  off <- predict(model, data[new, ]) - data$stay[new]
  expect_equal(found$domains$estimate[found$domains$measure == "bias"],
               unname(c(tapply(off, data$hospital[new], mean))))
  expect_warning(dg_validate(model, data), class = "domgen_warning_training_domains")
})

test_that("the kind of response is found, or given", {
  data <- hospitals()
  counts <- dg_cv(dg_glm(family = poisson(), lambda = 1), visits ~ x | hospital, data = data)
  expect_identical(dg_validate(counts)$summary$measure, names(measures$count))
  expect_identical(dg_validate(counts, response = "number")$kind, "number")
  ordered <- data
  ordered$death <- factor(data$death, ordered = TRUE)
  ordinal <- dg_cv(dg_glm(family = "ordinal", lambda = 1), death ~ x | hospital, data = ordered,
                   metric = "log_loss")
  found <- dg_validate(ordinal)
  expect_identical(found$kind, "ordinal")
  # with two classes concordance is the AUC
  auc <- dg_validate(ordinal, response = "class")
  expect_equal(found$summary$mean[2L], auc$summary$mean[1L], tolerance = 1e-6)
})

test_that("0 and 1 with probabilities are events, a matrix has the classes as names", {
  data <- hospitals()
  y <- as.integer(data$death == "yes")
  p <- plogis(data$x)
  events <- dg_validate(p, y = y, domain = data$hospital)
  expect_equal(events$summary$mean,
               dg_validate(p, y = data$death, domain = data$hospital)$summary$mean)
  expect_identical(dg_validate(p, y = y, domain = data$hospital, response = "number")$kind,
                   "number")
  expect_error(dg_validate(cbind(1 - p, p), y = data$death, domain = data$hospital), "names")
})

test_that("an event may be any class", {
  yes <- validated_deaths
  no <- dg_validate(deaths, class = "no")
  expect_equal(no$summary$mean[no$summary$measure == "auc"],
               yes$summary$mean[yes$summary$measure == "auc"], tolerance = 1e-8)
  expect_equal(no$rows$p, 1 - yes$rows$p)
  irises <- dg_cv(dg_glm(lambda = 1), Species ~ . | site, metric = "log_loss",
                  data = cbind(iris, site = rep(1:3, 50)))
  expect_error(dg_validate(irises), "name the event", class = "domgen_error_argument")
  expect_identical(dg_validate(irises, class = "virginica")$class, "virginica")
})

test_that("which class is the event does not change the AUC, its errors and its summary", {
  for (seed in 1:6) {
    d <- with_seed(seed, {
      domain <- rep(seq_len(sample(4:12, 1L)), length.out = sample(c(80L, 240L, 600L), 1L))
      x <- round(rnorm(length(domain)), sample(1:3, 1L))
      share <- runif(1L, 0.05, 0.95)
      list(domain = domain, x = x, y = factor(ifelse(
        x + rnorm(length(x)) > quantile(x, share) * sqrt(2), "yes", "no"
      )))
    })
    p <- cbind(no = plogis(-d$x), yes = plogis(d$x))
    of_event <- function(class) {
      found <- dg_validate(p, y = d$y, domain = d$domain, class = class)
      lapply(found[c("domains", "summary")], function(table) table[table$measure == "auc", ])
    }
    both <- lapply(c("no", "yes"), of_event)
    own <- setdiff(names(both[[1L]]$domains), "events")
    expect_equal(both[[1L]]$domains[own], both[[2L]]$domains[own], tolerance = 1e-8)
    expect_equal(both[[1L]]$summary, both[[2L]]$summary, tolerance = 1e-8)
  }
})

test_that("methods are compared on the same rows", {
  data <- hospitals()
  compared <- dg_compare(list(both = dg_lm(), one = dg_lm()), stay ~ x + z | hospital, data = data,
                         refits = FALSE)
  same <- dg_validate(compared)$paired
  expect_equal(same$se, rep(0, nrow(same)))
  compared <- dg_compare(list(ridge = dg_ridge(lambda = 1), line = dg_lm()), data = data,
                         stay ~ x + z | hospital, baseline = "line", refits = FALSE)
  found <- dg_validate(compared)
  row <- found$paired[found$paired$measure == "bias" & found$paired$domain == "hospital 2", ]
  runs <- lapply(compared$runs, function(run) run$predictions[run$predictions$domain ==
                                                                "hospital 2", ])
  off <- runs$ridge$prediction - runs$line$prediction
  expect_equal(row$difference, mean(off))
  expect_equal(row$se, sd(off) / sqrt(length(off)))
  expect_identical(unique(found$differences$method), "ridge")
})

test_that("a target's probability is that of the predictive distribution", {
  found <- dg_validate(fitted(lm(weight ~ Time, ChickWeight)), y = ChickWeight$weight,
                       domain = ChickWeight$Diet, target = list(rmse = 40, slope = c(0.8, 1.2)))
  of <- function(name, column) found$summary[[column]][found$summary$measure == name]
  # at the ends of the interval it is 2.5 %
  at_end <- dg_validate(fitted(lm(weight ~ Time, ChickWeight)), y = ChickWeight$weight,
                        domain = ChickWeight$Diet, target = list(rmse = of("rmse", "new_lower")))
  expect_equal(at_end$summary$pass[1L], 0.025, tolerance = 1e-5)
  expect_true(of("slope", "pass") > 0 && of("slope", "pass") < 1)
  expect_true(of("slope", "pass_lower") < of("slope", "pass"))
  expect_true(of("slope", "pass_upper") > of("slope", "pass"))
  expect_output(print(found), "pass CI: for the proportion of such Diets")
  expect_identical(of("bias", "pass"), NA_real_)
})

test_that("covariates of domains are in a meta-regression", {
  data <- hospitals(8)
  cv <- dg_cv(dg_lm(), stay ~ x + z | hospital, data = data)
  beds <- data.frame(hospital = paste("hospital", 8:1), beds = c(1, 5, 2, 8, 3, 9, 4, 7))
  found <- dg_validate(cv, covariates = beds)
  rmse <- found$domains[found$domains$measure == "rmse", ]
  X <- beds$beds[match(rmse$domain, beds$hospital)]
  fit <- regress_sites(log(rmse$estimate), rmse$se / rmse$estimate, cbind(1, X))
  expect_equal(fit$beta, unname(coef(lm(log(rmse$estimate) ~ X))), ignore_attr = TRUE)
  row <- found$regression[found$regression$measure == "rmse" & found$regression$term == "beds", ]
  expect_equal(row$estimate, fit$beta[[2L]], tolerance = 1e-8)
  se <- sqrt(diag(fit$covariance))
  expect_equal(row$se, se[[2L]] * sqrt(1 + 1 / cv$share), tolerance = 1e-8)
  again <- dg_validate(cv$predictions$prediction, y = cv$predictions$truth,
                       domain = cv$predictions$domain, covariates = stats::setNames(beds, c(
                         "domain", "beds")))$regression
  expect_equal(again$p[again$measure == "rmse"], unname(2 * pt(-abs(fit$beta / se), 6)),
               tolerance = 1e-8)
  twice <- rbind(beds, data.frame(hospital = "hospital 8", beds = 3))
  expect_error(dg_validate(cv, covariates = twice), "must not vary within a domain")
  expect_error(dg_validate(cv, covariates = beds[-1L, ]), "must have a row for \"hospital 8\"")
})

test_that("what cannot be validated is an error that names the remedy", {
  data <- hospitals()
  cv <- dg_cv(dg_svm(cost = 1), death ~ x | hospital, data = data)
  expect_identical(dg_validate(cv)$summary$measure, "auc")
  expect_error(dg_calibration(cv), "no probabilities")
  expect_error(dg_validate(cv, threshold = 0.5), "`threshold` must be NULL")
  expect_error(dg_validate(cv, target = list(rmse = 1)), "not of `rmse`")
  expect_error(dg_validate(cv, target = list(auc = "a")), "`target` must be a list")
  expect_error(dg_validate(cv, newdata = data), "must not be given")
  expect_error(dg_validate(data), "`object` must be")
  expect_error(dg_validate(1:3), "`y` and `domain` must be given")
  expect_error(dg_validate(c(0.2, 1.3), y = c("a", "b"), domain = 1:2), "from 0 to 1")
  expect_error(dg_validate(c(0, 1), y = c(0, 3), domain = 1:2, response = "count"), "above 0")
  expect_error(dg_validate(dg_glm(death ~ x | hospital, data = data)), "`newdata` must be given")
})

test_that("a site where all rows are events has a value", {
  data <- hospitals()
  y <- as.integer(data$death == "yes")
  for (rows in c(2, 30)) {
    keep <- data$hospital != "hospital 1" | cumsum(data$hospital == "hospital 1") <= rows
    all <- replace(y, data$hospital == "hospital 1", 1L)[keep]
    found <- dg_validate(plogis(data$x)[keep], y = all, domain = data$hospital[keep])
    expect_true(all(is.finite(unlist(found$summary[found$summary$measure == "oe", -(1:2)]))))
  }
})

test_that("repeats count alike", {
  data <- hospitals()
  set.seed(1)
  cv <- dg_cv(dg_glm(lambda = 1), death ~ x + z | hospital, data = data,
              folds = domain_folds(data$hospital, folds = 3, repeats = 2))
  of <- function(rows) {
    cv$predictions <- cv$predictions[cv$predictions$rep %in% rows, ]
    found <- dg_validate(cv)$summary
    log(found$mean[found$measure == "oe"])
  }
  both <- of(1:2)
  expect_lt(abs(both - (of(1) + of(2)) / 2), 0.03)
  expect_equal(of(2:1), both)
})

test_that("rows without a prediction and sites without events are left out and reported", {
  data <- hospitals(6)
  data$death[data$hospital == "hospital 2"] <- "no"
  p <- plogis(data$x - 0.5)
  p[data$hospital == "hospital 4"] <- NA
  found <- dg_validate(p, y = data$death, domain = data$hospital)
  expect_false("hospital 4" %in% found$domains$domain)
  expect_output(print(found), "No value: AUC in 1 hospital")
  expect_identical(found$summary$domains[found$summary$measure == "auc"], 4L)
})

test_that("the band of calibration is that of the lines' values, widened for folds", {
  skip_if_not_installed("ggplot2")
  data <- hospitals()
  cv <- dg_cv(dg_lm(), stay ~ x + z | hospital, data = data)
  found <- dg_validate(cv)
  lines <- lapply(split(found$rows, found$rows$domain), calibration_line, "number")
  direct <- lm(y ~ p, found$rows, subset = domain == "hospital 2")
  line <- lines[["hospital 2"]]
  expect_equal(line$beta[[1L]] - line$beta[[2L]] * line$centre, coef(direct)[[1L]])
  band <- function(inflation) calibration_band(lines, 5, "number", inflation, 0.95)
  width <- function(band) band$upper - band$lower
  expect_equal(width(band(2)), sqrt(2) * width(band(1)))
  at <- predict(direct, data.frame(p = 5), se.fit = TRUE)
  x <- c(1, 5 - line$centre)
  expect_equal(c(sum(line$beta * x), sqrt(drop(x %*% line$vcov %*% x))), c(at$fit, at$se.fit),
               ignore_attr = TRUE)
})

test_that("plots are objects of ggplot2", {
  skip_if_not_installed("ggplot2")
  found <- validated_penalties
  for (p in penalty_plots) {
    expect_s3_class(p, "ggplot")
    expect_silent(ggplot2::ggplot_build(p))
  }
  expect_silent(ggplot2::ggplot_build(plot(found, measure = c("auc", "slope"))))
  expect_error(plot(found, measure = "rmse"), "`measure` must be one of")
})

few_sites <- function() {
  set.seed(1)
  domain <- rep(paste0("h", 1:8), each = 60)
  x <- rnorm(480)
  list(domain = domain, p = plogis(x - 0.5), y = rbinom(480, 1, plogis(x - 0.5)))
}

test_that("a covariate that the sites with a value cannot tell from others is NA", {
  d <- few_sites()
  y <- replace(d$y, d$domain %in% c("h7", "h8"), 0L)
  covariates <- data.frame(domain = paste0("h", 1:8), region = rep(c("north", "south"), c(6, 2)),
                           size = 1:8, double = 2 * (1:8))
  found <- dg_validate(d$p, y = y, domain = d$domain,
                       covariates = covariates[c("domain", "region", "size")])$regression
  auc <- found[found$measure == "auc", ]
  expect_identical(is.na(auc$estimate), c(FALSE, TRUE, FALSE))
  brier <- found[found$measure == "brier", ]
  expect_false(anyNA(brier$estimate))
  numbers <- d$p + rnorm(length(d$p))
  both <- dg_validate(d$p, y = numbers, domain = d$domain,
                      covariates = covariates[c("domain", "size", "double")])$regression
  one <- dg_validate(d$p, y = numbers, domain = d$domain,
                     covariates = covariates[c("domain", "size")])$regression
  expect_equal(both$estimate[both$term != "double"], one$estimate)
  expect_true(all(is.na(both$estimate[both$term == "double"])))
  for (bad in list(list(constant = 1), list(infinite = c(Inf, 1:7)))) {
    expect_domgen_error(dg_validate(d$p, y = numbers, domain = d$domain,
                                    covariates = data.frame(covariates["domain"], bad)),
                        "`covariates` must", "domgen_error_data")
  }
})

test_that("columns of ordered classes may be in any order, and have the names of the classes", {
  set.seed(2)
  score <- rnorm(400)
  y <- cut(score + rnorm(400), c(-Inf, -0.7, 0.7, Inf), c("low", "mid", "high"),
           ordered_result = TRUE)
  P <- cbind(low = pnorm(-0.7 - score), mid = pnorm(0.7 - score) - pnorm(-0.7 - score),
             high = 1 - pnorm(0.7 - score))
  of <- function(P) dg_validate(P, y = y, domain = rep(1:5, 80))$summary
  expect_equal(of(P[, 3:1]), of(P))
  colnames(P)[1L] <- "Low"
  expect_error(of(P), "must have the classes of the predictions")
  expect_error(of(P * 0.9), "must sum to 1")
})

test_that("rows that are alike have an error, perfect sites are named", {
  s <- rep(1:6, each = 20)
  set.seed(1)
  y <- rnorm(120)
  p <- y + rnorm(120)
  p[s == 1] <- y[s == 1]
  found <- dg_validate(p, y = y, domain = s)
  expect_output(print(found), "Not in the mean, as there is no error: RMSE in 1 s")
  # a bias that is the same everywhere, a site whose response is constant
  same <- dg_validate(y, y = y + 1, domain = s)
  expect_equal(same$summary$mean[same$summary$measure == "bias"], -1)
  for (seed in 1:3) {
    set.seed(seed)
    p <- exp(rnorm(120))
    constant <- dg_validate(p, y = replace(p + rnorm(120), s == 1, 3.2), domain = s)
    slope <- constant$domains[constant$domains$measure == "slope", ]
    expect_gt(slope$se[1L], 0.1 * slope$se[2L])
  }
})

test_that("what cannot be is refused: probabilities, infinite values, targets", {
  d <- few_sites()
  validate <- function(p = d$p, y = d$y, ...) dg_validate(p, y = y, domain = d$domain, ...)
  expect_error(validate(replace(d$p, 1, -0.01)), "from 0 to 1")
  expect_identical(validate(replace(d$p, 1, -0.01), response = "number")$kind, "number")
  expect_error(validate(replace(d$p, 1, Inf), y = d$p), "must be finite")
  expect_error(validate(target = list(auc = 70)), "`target` of auc must be from 0 to 1")
  expect_error(validate(target = list(auc = 0.7, auc = 0.8)), "one element of auc")
  expect_error(validate(target = list(brier = Inf)), "`target` of brier")
})

test_that("a comparison counts each row once, and tells what failed", {
  toy <- simulate_dcm(domains = 4, n = 30, seed = 1)
  logistic <- function(x, y, domain) {
    glm(y ~ ., data = cbind(x, y = y), family = binomial)
  }
  probability <- function(object, x) predict(object, x, type = "response")
  failing <- function(x, y, domain) {
    if (!any(domain == levels(toy$domain)[1L])) stop("no fit")
    logistic(x, y, domain)
  }
  compared <- suppressWarnings(dg_compare(
    list(all = learner_custom(logistic, probability), some = learner_custom(failing, probability)),
    y ~ x1 + x2 | domain, data = toy, refits = FALSE, folds = domain_folds(toy$domain)
  ))
  found <- dg_validate(compared)
  expect_output(print(found), paste(nrow(toy), "rows of 4 domains"))
  expect_match(found$notes, "some: .*1 of 4 folds failed", all = FALSE)
})

test_that("ratios have a logarithmic axis with 1 on it, alone and beside other measures", {
  skip_if_not_installed("ggplot2")
  data <- hospitals()
  found <- validated_deaths
  oe <- sort(found$domains$estimate[found$domains$measure == "oe"])
  alone <- plot(found, measure = "oe")
  expect_equal(sort(drawn_by(alone, "Point")[[1L]]$x), log(oe))
  axis <- function(p, panel) ggplot2::ggplot_build(p)$layout$panel_params[[panel]]$x
  expect_true("1" %in% axis(alone, 1L)$get_labels())
  expect_match(said(alone), "Logarithmic axis of observed/expected")
  both <- plot(found, measure = c("auc", "oe", "oe"))
  expect_identical(nlevels(both$data$panel), 2L)
  expect_true("1" %in% axis(both, 2L)$get_labels())
  shown <- drawn_by(both, "Point")[[1L]]
  expect_equal(diff(sort(shown$x[shown$PANEL == 2])), diff(log(oe)))
  expect_match(said(both), "Dashed: perfect calibration (observed/expected).", fixed = TRUE)
  expect_no_match(said(plot(found, measure = "auc")), "Dashed|Logarithmic")
  # a site without an event
  none <- dg_validate(plogis(data$x), y = replace(data$death == "yes", 1:60, FALSE) + 0,
                      domain = data$hospital)
  expect_plots(none, measure = "oe")
  expect_plots(none, measure = c("auc", "oe"))
  expect_equal(ratio_numbers(c(0.4, 3)), c(0.5, 0.7, 1, 1.5, 2, 3))
  expect_true(1 %in% ratio_numbers(c(0.9, 1.05)))
})

test_that("sites may have any name", {
  skip_if_not_installed("ggplot2")
  data <- hospitals(6)
  data$hospital <- factor(data$hospital)
  levels(data$hospital) <- c("mean", "new hospital", "", " ", "new domain", "NA")
  cv <- dg_cv(dg_lm(), stay ~ x + z | hospital, data = data)
  found <- dg_validate(cv)
  for (type in c("forest", "ranking", "calibration")) expect_plots(found, type = type)
  expect_identical(length(unique(plot(found)$data$place)), 6L)
})

test_that("lines and band of calibration end where predictions do, with one site without a band", {
  skip_if_not_installed("ggplot2")
  data <- hospitals()
  p <- plogis(data$x)
  one <- data$hospital == "hospital 1"
  # the first site has all of the high predictions
  p[!one] <- p[!one] / 2
  found <- dg_validate(p, y = data$death, domain = data$hospital)
  drawn <- expect_plots(found, type = "calibration")
  lines <- drawn$data
  ends <- tapply(lines$p, lines$domain, max)
  expect_lte(max(ends[names(ends) != "hospital 1"]), 0.5)
  band <- Filter(function(layer) "lower" %in% names(layer$data), drawn$layers)[[1L]]$data
  expect_true(all(is.na(band$y[band$p > 0.5])))
  expect_false(anyNA(band$y[band$p > 0.2 & band$p < 0.3]))
  expect_match(said(drawn), "at least half of them")
  alone <- dg_validate(p[one], y = data$death[one], domain = data$hospital[one])
  expect_no_match(said(expect_plots(alone, type = "calibration")), "Thick")
})

test_that("prints and plots have the word of the domain variable, and method names as they are", {
  found <- validated_penalties
  printed <- paste(utils::capture.output(print(found)), collapse = " ")
  expect_match(printed, "4 hospitals")
  expect_no_match(printed, "domain")
  expect_match(printed, "Difference (method minus a)", fixed = TRUE)
  skip_if_not_installed("ggplot2")
  for (type in names(penalty_plots)) {
    p <- penalty_plots[[type]]
    expect_no_match(paste(unlist(p$labels[c("title", "subtitle", "caption", "y")]),
                          collapse = " "), "domain")
    expect_match(p$labels$title, if (type == "difference") "b minus a" else ": a$")
  }
})

test_that("what rounding leaves of 0 is printed as 0", {
  found <- dg_validate(dg_cv(dg_lm(), uptake ~ log(conc) + Type | Plant, data = CO2))
  expect_output(print(found), "bias +0 +-")
})

test_that("a validation in training domains does not call them new", {
  model <- dg_lm(uptake ~ conc | Plant, data = CO2)
  expect_warning(found <- dg_validate(model, CO2), class = "domgen_warning_training_domains")
  expect_output(print(found), "rows that include Plants of training")
})

test_that("the print says what a mean is, and where another one differs from it", {
  rows <- data.frame(site = factor(rep(1:10, each = 12)), x = 1:120, y = rep(c(0, 1, 4, 2), 30))
  model <- dg_glm(y ~ x | site, rows, family = "poisson", lambda = 1)
  found <- suppressWarnings(dg_validate(model, rows))
  expect_output(print(found), "the value of the middle")
  expect_output(print(found), "each site counts once, on the scale of the measure")
  expect_output(print(found), "take\\s+sites as\\s+independent")
  # one site is far below the mean rate: the arithmetic mean of 1 - ratio is not on its scale
  set.seed(1)
  domain <- rep(1:8, each = 30)
  y <- rnorm(240)
  p <- y + rnorm(240, 0, 0.5) * ifelse(domain == 8, 30, 1)
  skewed <- dg_validate(p, y = y, domain = domain)
  r2 <- skewed$domains[skewed$domains$measure == "r2", ]
  expect_output(print(skewed), paste0("Arithmetic means of domains:[^:]*R squared ",
                                      format(round(mean(r2$estimate), 1))))
  # precise sites have other slopes
  n <- rep(c(20, 1000), c(20, 20))
  domain <- rep(1:40, n)
  x <- rnorm(sum(n))
  other <- dg_validate(x, y = x * rep(c(0.5, 1), c(20, 20))[domain] + rnorm(sum(n)),
                       domain = domain)
  slope <- other$summary[other$summary$measure == "slope", ]
  expect_true(slope$lower < 0.75 && 0.75 < slope$upper)
  expect_gt(slope$weighted, 0.77)
  expect_lt(slope$weighted_p, 0.05)
  expect_output(print(other), "weighted by\\s+precision\\s+differs:[^:]*calibration slope")
})

test_that("a forest names every site, with value and interval at the right", {
  skip_if_not_installed("ggplot2")
  set.seed(4)
  for (domains in c(3, 60)) {
    data <- hospitals(domains, 25, seed = domains)
    found <- dg_validate(data$x, y = data$stay - 8, domain = data$hospital)
    rows <- found$domains[found$domains$measure == "bias", ]
    for (type in c("forest", "ranking")) {
      p <- expect_plots(found, type = type, measure = "bias")
      axis <- ggplot2::ggplot_build(p)$layout$panel_params[[1L]]
      expect_setequal(setdiff(axis$y$get_labels(), c("mean", "new hospital")), rows$domain)
      value <- if (type == "forest") rows[c("estimate", "lower", "upper")]
               else rows[c("shrunk", "shrunk_lower", "shrunk_upper")]
      say <- function(v) vapply(v, measured, "", found$measures$bias, 2L)
      text <- paste0(say(value[[1L]]), " (", say(value[[2L]]), " to ", say(value[[3L]]), ")")
      expect_true(all(text %in% axis$y.sec$get_labels()))
      # a line of names is no higher than its share of the panel
      expect_gt((attr(p, "height") - 2) / (domains + 3), if (domains > 40) 6 / 72 else 8.8 / 72)
      expect_gte(sum(!is.na(axis$x$get_labels())), 4L)
    }
  }
})

test_that("an axis ends near most sites, and what is beyond has an arrow and its numbers", {
  usual <- function(n) {
    value <- stats::rnorm(n)
    data.frame(value = value, lower = value - 0.5, upper = value + 0.5)
  }
  set.seed(6)
  for (draw in 1:20) {
    data <- usual(sample(3:60, 1L))
    inside <- list(data.frame(value = 0, lower = -4, upper = 4))
    all <- range(data, inside[[1L]])
    expect_equal(near_ends(data, inside), all)
    wide <- rbind(data, c(value = 0, lower = -stats::runif(1, 50, 1e6), upper = 1))
    ends <- near_ends(wide, inside)
    expect_equal(ends[2L], all[2L])
    expect_true(ends[1L] < all[1L] && ends[1L] > all[1L] - diff(all) / 2)
    # the same on a logarithmic axis
    expect_equal(near_ends(exp(wide / 1e5), lapply(inside, function(d) exp(d / 1e5)), TRUE),
                 exp(near_ends(wide / 1e5, lapply(inside, `/`, 1e5))))
    expect_gte(length(four_numbers(sort(stats::rnorm(2) * 10^sample(-3:3, 1L)))), 4L)
  }
  skip_if_not_installed("ggplot2")
  data <- hospitals(8, 25)
  huge <- data$hospital == "hospital 2"
  data$stay[huge] <- data$stay[huge] + 400 * rep_len(c(-1, 1), sum(huge))
  found <- dg_validate(data$x, y = data$stay, domain = data$hospital)
  p <- expect_plots(found, measure = "bias")
  arrows <- vapply(drawn_by(p, "Point"), function(d) d$shape[1L] %in% c(60, 62), NA)
  expect_identical(sum(arrows), 2L)
  ends <- ggplot2::ggplot_build(p)$layout$panel_params[[1L]]$x.range
  expect_lt(diff(ends), 40)
})

test_that("the mean calibration line ends where fewer than half of the sites have predictions", {
  data <- hospitals(6, 30)
  p <- stats::plogis(data$x + 3 * (data$hospital %in% c("hospital 1", "hospital 2")))
  found <- dg_validate(p, y = data$death, domain = data$hospital, class = "yes")
  skip_if_not_installed("ggplot2")
  band <- drawn_by(plot(found, "calibration"), "Ribbon")[[1L]]
  band <- band[!is.na(band$ymin), ]
  reach <- tapply(p, data$hospital, range)
  for (at in band$x) {
    expect_gte(sum(vapply(reach, function(r) r[1] <= at + 1e-9 && at - 1e-9 <= r[2], NA)), 3L)
  }
  expect_lt(max(band$x), max(p) - 0.005)
})

test_that("the validation of one site says why it has no intervals, and of several does not", {
  new <- hospitals(seed = 2)
  model <- dg_lm(stay ~ x + z | hospital, data = hospitals())
  print_of <- function(domains) {
    rows <- new[new$hospital %in% paste("hospital", seq_len(domains)), ]
    rows$hospital <- paste("new", rows$hospital)
    paste(capture.output(print(dg_validate(model, newdata = rows))), collapse = " ")
  }
  expect_match(print_of(1), "One hospital does not show how hospitals differ")
  expect_no_match(print_of(1), "counts once")
  expect_no_match(print_of(3), "One hospital")
})
