# dg_auto() with a family: counts, ordered and several classes, censored times.

family_rows <- function(domains = 8L, n = 30L, seed = 1, signal = 1) with_seed(seed, {
  d <- data.frame(domain = gl(domains, n), matrix(rnorm(domains * n * 3), domains * n))
  rows <- nrow(d)
  f <- signal * (d$X1 - d$X2^2 / 2) + signal * rnorm(domains)[d$domain] / 2
  d$exposure <- exp(rnorm(rows) / 2)
  d$count <- rpois(rows, d$exposure * exp(f / 2 + 1))
  d$grade <- cut(f + rlogis(rows), c(-Inf, -1, 1, Inf), labels = c("low", "middle", "high"),
                 ordered_result = TRUE)
  time <- rexp(rows) * exp(-f)
  end <- 1.5 * rexp(rows)
  transform(d, time = pmin(time, end), event = as.integer(time <= end))
})

auto_of <- function(formula, data, ..., n_members = 2, max_ard = 0) {
  dg_auto(formula, data = data, ..., n_members = n_members, max_ard = max_ard, progress = FALSE)
}

test_that("of counts it averages means, which grow with the exposure", {
  rows <- family_rows()
  model <- auto_of(count ~ X1 + X2 + X3 + offset(log(exposure)) | domain, rows, family = "poisson",
                   folds = 3)
  expect_true(all(grepl("poisson", model$choice$table$kernel[model$choice$table$member %in% TRUE])))
  new <- family_rows(20L, seed = 2)
  expect_equal(predict(model, new), drop(sapply(model$members, predict, new) %*%
                                           model$coefficients), tolerance = 1e-12)
  expect_equal(predict(model, transform(new, exposure = 3 * exposure)), 3 * predict(model, new),
               tolerance = 1e-10)
  deviance <- function(mu) mean(poisson()$dev.resids(new$count, mu, 1))
  expect_lt(deviance(predict(model, new)), 0.9 * deviance(mean(rows$count / rows$exposure) *
                                                            new$exposure))
  expect_identical(model$choice$metric$title, "poisson deviance")
  expect_output(print(model), "least squares selected their kernels from")
  expect_domgen_error(residuals(model, type = "deviance"), "`type` must be \"response\"",
                      "domgen_error_argument")
})

test_that("a candidate's scores are those of fits without each group of domains", {
  rows <- family_rows(5L)
  scaled <- rows
  scaled[c("X1", "X2", "X3")] <- scale(rows[c("X1", "X2", "X3")]) * sqrt(149 / 150)
  model <- auto_of(count ~ X1 + X2 + X3 + offset(log(exposure)) | domain, rows, family = "poisson",
                   n_members = 1)
  table <- model$choice$table
  line <- which(table$kernel == "poisson, linear kernel")
  spec <- dg_glm(family = "poisson", lambda = table$lambda[line], kernel = kernel_linear(),
                 domain_kernel = domain_pooled(), scale = "none")
  null <- which(table$kernel == "null model")
  by_hand <- vapply(levels(rows$domain), function(d) {
    own <- scaled$domain == d
    rest <- droplevels(scaled[!own, ])
    fitted <- fit(spec, count ~ X1 + X2 + X3 + offset(log(exposure)) | domain, data = rest)
    constant <- glm(count ~ offset(log(exposure)), poisson, rest)
    deviance <- function(mu) mean(poisson()$dev.resids(scaled$count[own], mu, 1))
    c(deviance(predict(fitted, scaled[own, ])),
      deviance(predict(constant, scaled[own, ], type = "response")))
  }, numeric(2))
  expect_equal(model$choice$scores[, line], by_hand[1L, ], tolerance = 1e-4)
  expect_equal(unname(model$choice$scores[, null]), unname(by_hand[2L, ]), tolerance = 1e-6)
})

test_that("fits without groups of domains that share a Gram matrix are those of dg_glm()", {
  rows <- family_rows(7L, 12L)
  rows$binary <- factor(rows$grade == "low")
  rows$grades <- factor(rows$grade, ordered = FALSE)
  responses <- c(poisson = "count", nbinom2 = "count", binomial = "binary",
                 multinomial = "grades", ordinal = "grade", cox = "time")
  for (family in names(responses)) {
    response <- responses[[family]]
    left <- if (response == "time") "survival::Surv(time, event)" else response
    formula <- as.formula(paste(left, "~ X1 + X2 + X3 | domain"))
    sample <- read_sample(read_input(list(x = formula, data = rows)),
                          list(response = "open", domain = TRUE), "none")
    args <- dg_auto(family = family, progress = FALSE)$args
    search <- new_search(args, sample, read_auto_metric(NULL, sample$y, args$family), FALSE, 1000L)
    own <- as_glm(auto_ridge(search), args$family, 2)
    scaled <- search_sample(search, own)
    spec <- dg_glm(family = family, lambda = 2, kernel = kernel_rbf(scaled$median),
                   domain_kernel = domain_pooled(), scale = "none")
    by_hand <- array(NA_real_, dim(search$stack$target))
    groups <- refit_groups(search)
    expect_identical(nlevels(groups), most_refits)
    for (g in levels(groups)) {
      by_hand[groups == g, ] <- values_without(spec, scaled, groups != g, which(groups == g))
    }
    expect_equal(glm_without(search, own), by_hand, tolerance = 1e-4, label = family)
  }
})

test_that("a mixed model of counts is scored by fits without each group of domains", {
  skip_if_not_installed("glmmTMB")
  rows <- family_rows(12L, 8L)
  folds <- with_seed(1, domain_folds(rows$domain, folds = 3))
  groups <- as.matrix(unclass(folds))[, 1L]
  model <- auto_of(count ~ X1 + X2 + offset(log(exposure)) | domain, rows, family = "poisson",
                   n_members = 1, folds = folds)
  table <- model$choice$table
  line <- which(table$kernel == "mixed model")
  rows[c("m1", "m2")] <- lapply(rows[c("X1", "X2")], ave, rows$domain)
  deviances <- lapply(unique(groups), function(g) {
    held <- groups[as.character(rows$domain)] == g
    fitted <- suppressMessages(lme4::glmer(
      count ~ X1 + X2 + m1 + m2 + offset(log(exposure)) + (1 | domain), rows[!held, ], poisson,
      nAGQ = 0))
    own <- rows[held, ]
    mu <- predict(fitted, own, type = "response", re.form = NA) *
      exp(lme4::VarCorr(fitted)$domain[1L] / 2)
    tapply(poisson()$dev.resids(own$count, mu, 1), droplevels(own$domain), mean)
  })
  expect_equal(model$choice$scores[, line], unlist(deviances)[rownames(model$choice$scores)],
               tolerance = 1e-3)
})

test_that("mixed models are tried where an engine has the response and rows suffice", {
  skip_if_not_installed("glmmTMB")
  skip_if_not_installed("ordinal")
  has <- function(family, known = FALSE) has_engine(check_family(family, "family"), 1, known)
  families <- list("binomial", binomial("probit"), "poisson", Gamma("log"), "ordinal", "gaussian")
  expect_true(all(vapply(families, has, NA)))
  expect_false(any(vapply(list("Gamma", binomial("log"), "quasipoisson", "multinomial", "cox"),
                          has, NA)))
  expect_true(has("poisson", TRUE))
  expect_false(has("ordinal", TRUE))
  expect_true(has_engine(NULL, 1, FALSE))
  expect_false(has_engine(NULL, factor(1:3), FALSE))
  tried <- function(yes, domains = 10) {
    sample <- list(y = factor(seq_len(60) <= yes), X = matrix(0, 60, 3))
    search <- list2env(list(sample = sample, scored_by = gl(domains, 60 / domains), known = 3L,
                            few = FALSE, args = list(family = check_family("binomial", "family"))))
    !is.null(mixed_specs(search))
  }
  expect_true(tried(20))
  # 19 of the rarer class for two predictors, and six domains, are too few
  expect_false(tried(19))
  expect_false(tried(20, 6))
})

test_that("an engine's probe comes first, and alone where it cannot gain", {
  tried <- function(family, gains) {
    efforts <- character()
    family <- if (!is.null(family)) check_mixed_family(family, "family")
    search <- list(args = list(family = family))
    with_replaced("refit_values", function(search, specs) {
      efforts <<- c(efforts, specs[[1L]]$effort)
      specs[[1L]]$effort
    }, with_replaced("can_gain", function(search, probes) gains, {
      chosen <- held_out_path(dg_mixed(), search)
    }))
    expect_identical(chosen$values, efforts[length(efforts)])
    efforts
  }
  for (family in names(mixed_engines)) {
    probe <- mixed_engines[[family]]$probe
    expect_identical(tried(family, TRUE), c(probe, "quick"), label = family)
    expect_identical(tried(family, FALSE), c(probe, "quick")[1L], label = family)
  }
  expect_identical(mixed_engines$ordinal$probe, "fixed")
  expect_identical(tried(NULL, FALSE), "quick")
})

test_that("negative binomial counts are scored by the Poisson deviance", {
  rows <- family_rows(4L, 20L)
  model <- auto_of(count ~ X1 + offset(log(exposure)) | domain, rows, family = "nbinom2",
                   n_members = 1)
  expect_identical(model$choice$metric$title, "poisson deviance")
  expect_match(model$choice$table$kernel[2L], "^nbinom2")
  expect_gt(model$members[[1L]]$family$theta, 0)
  expect_true(all(predict(model, rows) > 0))
})

test_that("ordered classes have an order, several classes probabilities", {
  rows <- family_rows(6L, 20L, signal = 2)
  new <- family_rows(4L, seed = 2, signal = 2)
  log_loss <- function(P) -mean(log(P[cbind(seq_len(nrow(new)), as.integer(new$grade))]))
  shares <- matrix(prop.table(table(rows$grade)), nrow(new), 3L, byrow = TRUE)
  ordered <- auto_of(grade ~ X1 + X2 + X3 | domain, rows, family = "ordinal", folds = 3)
  expect_message(several <- auto_of(grade ~ X1 + X2 + X3 | domain, rows, metric = "log_loss",
                                    folds = 3, n_members = 1),
                 "without an order")
  expect_match(ordered$choice$table$kernel[2L], "ordinal")
  expect_match(several$choice$table$kernel[2L], "multinomial")
  for (model in list(ordered, several)) {
    P <- predict(model, new, type = "prob")
    expect_equal(rowSums(P), rep(1, nrow(new)), tolerance = 1e-12)
    expect_lt(log_loss(P), log_loss(shares))
    expect_identical(model$choice$metric$title, "log loss")
    expect_identical(model$choice$selected_by, "Brier score")
  }
})

test_that("of times it averages logarithms of hazards, with a baseline of their own", {
  skip_if_not_installed("survival")
  rows <- family_rows(6L, 20L)
  model <- auto_of(survival::Surv(time, event) ~ X1 + X2 + X3 | domain, rows, folds = 3)
  new <- family_rows(2L, seed = 2)
  f <- function(rows) drop(predict(model, rows, type = "decision"))
  parts <- vapply(model$members, function(m) drop(predict(m, new, type = "decision")), f(new))
  expect_equal(f(new), drop(parts %*% model$coefficients), tolerance = 1e-12, ignore_attr = TRUE)
  # Breslow's estimate by its definition
  hazard <- vapply(rows$time, function(t) 1 / sum(exp(f(rows))[rows$time >= t]), 0) * rows$event
  at <- c(0.2, 0.7)
  H <- vapply(at, function(t) sum(hazard[rows$time <= t]), 0)
  expect_equal(predict(model, new, type = "survival", times = at), exp(-exp(f(new)) %o% H),
               tolerance = 1e-10, ignore_attr = TRUE)
  expect_identical(model$choice$selected_by, "partial deviance")
  expect_gt(concordance(censored_times(new$time, new$event), f(new)), 0.6)
})

test_that("the partial deviance is that of coxph(), per event and beside a constant", {
  skip_if_not_installed("survival")
  rows <- family_rows(4L)
  rows$time <- ceiling(4 * rows$time)
  rows$start <- rows$time - with_seed(2, rexp(nrow(rows)))
  rows$event[rows$domain == 2] <- 0
  f <- rows$X1 / 2 + 400 * (rows$domain == 3)
  by_hand <- function(domain, late) {
    own <- rows[rows$domain == domain, ]
    own$f <- f[rows$domain == domain]
    times <- if (late) survival::Surv(own$start, own$time, own$event)
             else survival::Surv(own$time, own$event)
    fitted <- function(f) survival::coxph(times ~ offset(f), ties = "breslow")$loglik[1L]
    -2 * (fitted(own$f) - fitted(0 * own$f)) / sum(own$event)
  }
  # a level without rows, and one without events
  groups <- factor(rows$domain, 0:4)
  for (late in c(FALSE, TRUE)) {
    y <- censored_times(rows$time, rows$event, if (late) rows$start)
    expect_equal(partial_deviance$groups(list(truth = y, decision = f), groups),
                 c(NA, by_hand(1, late), NA, by_hand(3, late), by_hand(4, late)), tolerance = 1e-10)
  }
  none <- list(truth = censored_times(1:3, c(0, 0, 0)), decision = 1:3)
  expect_identical(partial_deviance$groups(none, factor(1:3)), rep(NA_real_, 3))
})

test_that("squares of working responses are the deviance near its constants", {
  rows <- family_rows(3L)
  sample <- list(X = as.matrix(rows[c("X1", "X2", "X3")]), domain = rows$domain,
                 weights = rep(1, nrow(rows)), blueprint = list())
  responses <- list(poisson = rows$count, ordinal = factor(rows$grade, ordered = FALSE))
  for (name in names(responses)) {
    sample$y <- responses[[name]]
    family <- check_family(name, "family")
    task <- glm_task(family, sample, dg_glm(family = family)$args)
    working <- working_sample(sample, family)
    deviance <- function(f) glm_deviance(task, constant_values(task) + f)
    f <- matrix(1e-3 * rows$X1)
    squares <- sum(working$weights * ((working$y - task$constant - f)^2 -
                                        (working$y - task$constant)^2))
    expect_equal(squares, deviance(f) - deviance(0 * f), tolerance = 1e-2)
  }
})

test_that("numbers and classes take offsets, and counts have intervals of counts", {
  rows <- family_rows(6L)
  rows$amount <- rows$X1 + rows$exposure + with_seed(2, rnorm(nrow(rows))) / 3
  model <- auto_of(amount ~ X1 + offset(exposure) | domain, rows, family = "gaussian", folds = 3)
  new <- rows[1:5, ]
  expect_equal(predict(model, transform(new, exposure = exposure + 2)), predict(model, new) + 2,
               tolerance = 1e-10)
  rows$yes <- factor(rows$count > 2)
  odds <- auto_of(yes ~ X1 + offset(log(exposure)) | domain, rows, n_members = 1, folds = 3)
  expect_true(all(predict(odds, transform(new, exposure = 2 * exposure), type = "prob")[, 2L] >
                    predict(odds, new, type = "prob")[, 2L]))
  counts <- auto_of(count ~ X1 | domain, rows, family = "poisson", folds = 3)
  expect_true(all(predict(counts, new, interval = "prediction", level = 0.8)[, "lower"] >= 0))
  # errors of a search whose expected deviance is four times the selected one are twice as large
  sample <- lodo_sample(counts, environment(), counts$X)
  sample$blueprint <- counts$blueprint
  counts$choice$expected[c("mean", "raw")] <- list(1, 1)
  same <- left_out_decisions(counts, sample)$values
  counts$choice$expected$mean <- 4
  expect_equal(left_out_decisions(counts, sample)$values - sample$y, 2 * (same - sample$y))
})

test_that("where nothing is to be learned little is lost against a constant", {
  rows <- family_rows(20L, 20L, signal = 0)
  new <- family_rows(50L, 20L, seed = 3, signal = 0)
  counts <- auto_of(count ~ X1 + X2 + X3 + offset(log(exposure)) | domain, rows,
                    family = "poisson")
  deviance <- function(mu) mean(poisson()$dev.resids(new$count, mu, 1))
  expect_lt(deviance(predict(counts, new)) - deviance(exp(1) * new$exposure), 0.05)
  grades <- auto_of(grade ~ X1 + X2 + X3 | domain, rows, family = "ordinal")
  P <- predict(grades, new, type = "prob")
  log_loss <- function(P) -mean(log(P[cbind(seq_len(nrow(new)), as.integer(new$grade))]))
  shares <- matrix(prop.table(table(rows$grade)), nrow(new), 3L, byrow = TRUE)
  expect_lt(log_loss(P) - log_loss(shares), 0.03)
})

test_that("times that are made coarse keep their order and their events", {
  y <- with_seed(1, censored_times(rexp(200), rbinom(200, 1, 0.6)))
  coarse <- coarse_times(y, 20L)
  expect_identical(has_event(coarse), has_event(y))
  expect_false(is.unsorted(Re(coarse)[order(Re(y))]))
  expect_lte(length(unique(Re(coarse)[has_event(y)])), 20L)
  expect_true(all(Re(coarse) >= Re(y)))
})

test_that("one domain has members of the family too", {
  rows <- subset(family_rows(2L), domain == 1)
  expect_warning(model <- auto_of(count ~ X1 + X2 | domain, rows, family = "poisson"),
                 "Only 1 domain")
  expect_true(all(predict(model, family_rows(2L, seed = 2)) > 0))
})

test_that("what a family cannot be is refused", {
  rows <- family_rows(4L)
  expect_domgen_error(auto_of(count ~ X1 + offset(log(exposure)) | domain, rows),
                      "without a `family`", "domgen_error_argument")
  expect_domgen_error(auto_of(grade ~ X1 | domain, rows, family = "gaussian"), "must be numeric",
                      "domgen_error_data")
  fails <- metric_custom(function(truth, prediction) stop("it fails"))
  expect_domgen_error(auto_of(count ~ X1 | domain, rows, family = "poisson", metric = fails),
                      "it fails", "domgen_error_argument")
  expect_domgen_error(auto_of(X1 ~ X2 | domain, rows, family = "poisson"), "must be 0 or more",
                      "domgen_error_data")
  expect_domgen_error(auto_of(count ~ X1 | domain, rows, family = "poison"), "`family` must be",
                      "domgen_error_argument")
  expect_domgen_error(dg_auto(count ~ X1 | domain, data = row_source(rows), family = "poisson"),
                      "must be NULL for a source", "domgen_error_argument")
})

test_that("after the time limit no lambda is chosen for a further regression", {
  own <- domgen:::choose_glm_penalty
  chosen <- 0
  with_replaced("choose_glm_penalty", function(...) {
    chosen <<- chosen + 1
    own(...)
  }, model <- dg_auto(count ~ X1 + X2 | domain, data = family_rows(), family = "poisson",
                      max_seconds = 1e-9, progress = FALSE))
  expect_identical(chosen, 1)
  # with the time that it took
  expect_true(all(model$choice$table$seconds[-1L] > 0))
})

test_that("a multi-task kernel has a lambda of its own, chosen by left-out domains", {
  rows <- family_rows(10L, 12L, signal = 2)
  sample <- read_sample(read_input(list(x = count ~ X1 + X2 + X3 | domain, data = rows)),
                        list(response = "open", domain = TRUE), "none")
  args <- dg_auto(family = "poisson", progress = FALSE)$args
  search <- new_search(args, sample, read_auto_metric(NULL, sample$y, args$family), FALSE, 1000L)
  spec <- as_glm(set_parameters(auto_ridge(search), list(domain_kernel = domain_multitask(0.5))),
                 args$family)
  at <- function(lambda) {
    c <- candidate(set_parameters(spec, list(lambda = lambda)))
    mean(score_candidate(search, c)[[1L]]$scores)
  }
  chosen <- with_lambda(search, spec)
  # among the best of a grid
  grid <- vapply(10^(-2:4), at, 0)
  expect_lt(at(chosen$args$lambda), min(grid) + 0.05 * diff(range(grid)))
})

test_that("the print of crossed factors says in what a new domain is new", {
  rows <- with_seed(1, data.frame(g = gl(6, 24), b = factor(rep(1:4, 36)), x = rnorm(144)))
  rows$y <- with_seed(2, rows$x + rnorm(4)[rows$b] + rnorm(144) / 2)
  crossed <- auto_of(y ~ x | g + b, rows, n_members = 1)
  expect_output(print(crossed), "RMSE expected on a new g: ")
  expect_output(print(crossed), "new levels of g, which is crossed with b: scores are\n  likely")
  nested <- auto_of(y ~ x | g / b, rows, n_members = 1)
  expect_no_match(capture.output(print(nested)), "crossed")
})

test_that("where one domain has all events nothing is compared, and the print says so", {
  skip_if_not_installed("survival")
  rows <- with_seed(1, data.frame(g = gl(4, 25), x = rnorm(100), time = rexp(100)))
  rows$event <- as.integer(rows$g == 1)
  expect_warning(model <- auto_of(survival::Surv(time, event) ~ x | g, rows, n_members = 1),
                 "have no event", class = "domgen_warning_left_out")
  expect_output(print(model), "Too few domains have a score to compare candidates")
})

test_that("a constant beside an offset is not scored without it on more rows", {
  rows <- with_seed(3, {
    d <- data.frame(g = gl(8, 40), x = rnorm(320), e = runif(320, 1, 50))
    transform(d, y = rpois(320, e))
  })
  found <- auto_of(y ~ x + offset(log(e)) | g, rows, family = "poisson", max_rows = 160,
                   n_members = 1)
  expect_identical(found$choice$table$kernel[2L], null_title)
  expect_equal(found$choice$expected$raw, found$choice$table$mean[2L])
  expect_lt(found$choice$expected$mean, 2)
})
