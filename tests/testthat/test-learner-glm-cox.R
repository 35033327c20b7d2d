skip_on_cran() # long

skip_if_not_installed("survival")

lung <- function() {
  columns <- c("inst", "time", "status", "age", "sex", "ph.ecog")
  rows <- stats::na.omit(survival::lung[columns])
  rows$inst <- factor(rows$inst)
  rows$w <- rep_len(1:3, nrow(rows))
  rows
}

lung_formula <- survival::Surv(time, status) ~ age + sex + ph.ecog | inst

linear_cox <- function(lambda = 1e-8, data = lung(), weights = NULL, ...) {
  dg_glm(lung_formula, data = data, family = "cox", lambda = lambda, kernel = kernel_linear(),
         domain_kernel = domain_pooled(), scale = "none", weights = weights, ...)
}

strata <- survival::strata # which coxph() knows by this name only

reference_cox <- function(formula, data, weights = rep(1, nrow(data))) {
  control <- suppressWarnings(survival::coxph.control(eps = 1e-12, iter.max = 50))
  data$costs <- weights
  survival::coxph(formula, data, weights = costs, ties = "breslow", control = control,
                  x = TRUE, model = TRUE)
}

log_hazard <- function(model, data) {
  f <- predict(model, data, type = "decision")
  f - mean(f)
}

of_reference <- function(fit, data) {
  f <- drop(as.matrix(data[c("age", "sex", "ph.ecog")]) %*% stats::coef(fit))
  unname(f - mean(f))
}

# Domains of one baseline hazard, t^2, with some of the times censored.
cox_world <- function(seed, domains = 25, rows = 30) {
  set.seed(seed)
  n <- domains * rows
  world <- data.frame(domain = factor(rep(seq_len(domains), each = rows)), x1 = rnorm(n),
                      x2 = rnorm(n), x3 = rnorm(n))
  world$x1 <- world$x1 + rep(rnorm(domains), each = rows)
  world$f <- 2 * sin(world$x1) + world$x2^2 / 2
  time <- sqrt(rexp(n) / exp(world$f))
  end <- rexp(n, 0.4)
  world$time <- pmin(time, end)
  world$status <- as.integer(time <= end)
  world
}

# The definition, by two loops.
naive_cox <- function(time, event, costs, f, lambda, norm) {
  value <- lambda * norm / 2
  for (i in which(event)) {
    risk <- sum((costs * exp(f))[time >= time[i]])
    value <- value + costs[i] * (log(risk) - f[i])
  }
  value
}

test_that("a linear kernel is survival's coxph(), without and with a penalty and weights", {
  rows <- lung()
  plain <- survival::Surv(time, status) ~ age + sex + ph.ecog
  model <- linear_cox()
  fit <- reference_cox(plain, rows)
  expect_equal(log_hazard(model, rows), of_reference(fit, rows), tolerance = 1e-6)
  expect_equal(c(model$null_deviance, model$deviance), -2 * fit$loglik, tolerance = 1e-8)
  penalised <- survival::Surv(time, status) ~
    survival::ridge(age, sex, ph.ecog, theta = 5, scale = FALSE)
  expect_equal(log_hazard(linear_cox(5), rows), of_reference(reference_cox(penalised, rows), rows),
               tolerance = 1e-6)
  expect_equal(log_hazard(linear_cox(weights = rows$w), rows),
               of_reference(reference_cox(plain, rows, rows$w), rows), tolerance = 1e-6)
})

test_that("domains with their own baseline hazards are the strata of survival's coxph()", {
  rows <- lung()
  model <- linear_cox(baseline = "domain")
  formula <- survival::Surv(time, status) ~ age + sex + ph.ecog + strata(inst)
  fit <- reference_cox(formula, rows)
  expect_equal(log_hazard(model, rows), of_reference(fit, rows), tolerance = 1e-6)
  expect_equal(c(model$null_deviance, model$deviance), -2 * fit$loglik, tolerance = 1e-8)
  weighted <- linear_cox(weights = rows$w, baseline = "domain")
  expect_equal(log_hazard(weighted, rows), of_reference(reference_cox(formula, rows, rows$w), rows),
               tolerance = 1e-6)
  # for probabilities one of all rows, with this f
  shared <- domgen:::cox_baseline(domgen:::time_targets(model$y), drop(model$decision), model$costs)
  expect_equal(model$family$baseline, shared, tolerance = 1e-12)
  # without a domain: one step from the fit of all
  without <- linear_cox(data = rows[rows$inst != "3", ], baseline = "domain")
  held <- rows$inst == "3"
  sample <- list(X = model$space$X, y = model$y, domain = model$space$domain,
                 weights = rep(1, nrow(rows)))
  task <- domgen:::glm_task(model$family, sample, model$spec$args)
  step <- drop(domgen:::cox_without(model, sample, task))[held]
  full <- drop(model$decision)[held]
  exact <- drop(predict(without, rows[held, ], type = "decision"))
  expect_lt(max(abs(step - mean(step) - exact + mean(exact))),
            0.2 * max(abs(full - mean(full) - exact + mean(exact))))
  expect_error(dg_glm(age ~ sex | inst, data = rows, baseline = "domain"), "`baseline` must be",
               class = "domgen_error_argument")
})

test_that("baselines of their own keep effects apart from what differs between domains", {
  set.seed(4)
  level <- rnorm(30)
  world <- data.frame(g = factor(rep(1:30, each = 30)))
  world$x <- rnorm(900) + level[world$g]
  # the larger x is in a domain, the later its events
  world$time <- rexp(900, exp(world$x - 2 * level[world$g]))
  effect <- function(...) {
    model <- dg_glm(survival::Surv(time, rep(1, 900)) ~ x | g, data = world, lambda = 1e-6,
                    kernel = kernel_linear(), domain_kernel = domain_pooled(), scale = "none", ...)
    diff(predict(model, data.frame(x = 0:1), type = "decision"))
  }
  expect_equal(effect(baseline = "domain"), 1, tolerance = 0.1)
  expect_lt(effect(), 0.5)
})

test_that("lambda is chosen from rows that can be compared, also with many small domains", {
  set.seed(9)
  world <- data.frame(x = rnorm(1200), g = factor(rep(1:600, 2)))
  world$time <- rexp(1200, exp(world$x))
  model <- dg_glm(survival::Surv(time, rep(1, 1200)) ~ x | g, data = world, baseline = "domain",
                  kernel = kernel_linear(), domain_kernel = domain_pooled(), scale = "none")
  expect_equal(diff(predict(model, data.frame(x = 0:1), type = "decision")), 1, tolerance = 0.2)
})

test_that("times that differ by rounding are the same", {
  rows <- data.frame(time = c(0.1 + 0.2, 0.3, 0.5, 0.4, 0.6, 0.7), status = 1, x = c(1, 3, 2, 6, 4, 5),
                     g = rep(c("a", "b"), each = 3))
  exact <- transform(rows, time = round(10 * time))
  fit <- function(data) dg_glm(survival::Surv(time, status) ~ x | g, data = data, lambda = 1)
  expect_equal(fit(rows)$decision, fit(exact)$decision, tolerance = 1e-10)
  expect_equal(nrow(fit(rows)$family$baseline), 5L)
})

# Each patient in two rows with a change of ph.ecog between them, some of whom enter late.
late_lung <- function() {
  rows <- lung()
  rows$start <- ifelse(seq_len(nrow(rows)) %% 3 == 0, pmin(40, rows$time / 2), 0)
  middle <- floor((rows$start + rows$time) / 2)
  second <- transform(rows, start = middle, ph.ecog = pmin(ph.ecog + 1, 3))
  first <- transform(rows, time = middle, status = 1)
  rbind(first, second)
}

test_that("rows that enter late are survival's (start, stop], with strata and without", {
  rows <- late_lung()
  for (by in c("shared", "domain")) {
    model <- dg_glm(survival::Surv(start, time, status) ~ age + sex + ph.ecog | inst, data = rows,
                    lambda = 1e-8, kernel = kernel_linear(), domain_kernel = domain_pooled(),
                    scale = "none", weights = w, baseline = by)
    formula <- survival::Surv(start, time, status) ~ age + sex + ph.ecog
    if (by == "domain") formula <- stats::update(formula, . ~ . + strata(inst))
    fit <- reference_cox(formula, rows, rows$w)
    expect_equal(log_hazard(model, rows), of_reference(fit, rows), tolerance = 1e-6)
    expect_equal(c(model$null_deviance, model$deviance), -2 * fit$loglik, tolerance = 1e-8)
    if (by == "shared") {
      hazard <- survival::basehaz(fit, centered = FALSE)
      hazard <- hazard[hazard$time %in% model$family$baseline$time, ]
      zero <- predict(model, data.frame(age = 0, sex = 0, ph.ecog = 0))
      expect_equal(model$family$baseline$hazard * zero, hazard$hazard, tolerance = 1e-6)
    }
  }
  linear <- dg_lm(survival::Surv(start, time, status) ~ age + sex + ph.ecog | inst, data = rows)
  reference <- survival::coxph(survival::Surv(start, time, status) ~ age + sex + ph.ecog, rows)
  expect_equal(unname(coef(linear)[c("age", "sex", "ph.ecog")]), unname(coef(reference)),
               tolerance = 1e-6)
})

test_that("an event is compared with rows that are at risk then", {
  rows <- late_lung()
  f <- rows$age / 50 + rows$ph.ecog
  truth <- domgen:::censored_times(rows$time, rows$status == 2, rows$start)
  reference <- survival::concordance(survival::Surv(rows$start, rows$time, rows$status) ~ f,
                                     reverse = TRUE)
  expect_equal(domgen:::concordance(truth, f), unname(reference$concordance), tolerance = 1e-10)
  scores <- dg_cv(dg_glm(lambda = 1), survival::Surv(start, time, status) ~ age + ph.ecog | inst,
                  data = rows, folds = 4)
  expect_true(all(is.finite(scores$overall)))
  # and what needs the follow-up from the start is left out
  validated <- suppressWarnings(dg_validate(scores))
  expect_setequal(validated$summary$measure, c("concordance", "slope"))
  expect_error(dg_cv(dg_glm(lambda = 1), survival::Surv(start, time, status) ~ age | inst,
                     data = rows, folds = 4, metric = metric_brier(200)), "late entry",
               class = "domgen_error_data")
})

test_that("the baseline hazard is that of survival::basehaz()", {
  rows <- lung()
  model <- linear_cox()
  fit <- reference_cox(survival::Surv(time, status) ~ age + sex + ph.ecog, rows)
  # at predictors that are 0
  hazard <- survival::basehaz(fit, centered = FALSE)
  hazard <- hazard[hazard$time %in% model$family$baseline$time, ]
  zero <- predict(model, data.frame(age = 0, sex = 0, ph.ecog = 0))
  own <- model$family$baseline$hazard * zero
  expect_equal(model$family$baseline$time, hazard$time)
  expect_equal(own, hazard$hazard, tolerance = 1e-6)
})

test_that("glmnet's ridge path has the same minimum", {
  skip_if_not_installed("glmnet")
  rows <- lung()
  # glmnet starts anew at each of equal times; without ties the two are one
  rows$time <- rows$time + seq_len(nrow(rows)) / 1000
  X <- as.matrix(rows[c("age", "sex", "ph.ecog")])
  lambda <- 8
  fit <- glmnet::glmnet(X, survival::Surv(rows$time, rows$status), family = "cox", alpha = 0,
                        lambda = lambda / nrow(rows), standardize = FALSE, thresh = 1e-14)
  f <- drop(X %*% as.matrix(fit$beta))
  expect_equal(log_hazard(linear_cox(lambda, data = rows), rows), unname(f - mean(f)),
               tolerance = 1e-6)
})

test_that("the objective is that of the definition, and nothing near the solution is lower", {
  rows <- lung()
  model <- dg_glm(lung_formula, data = rows, lambda = 2, weights = w, domain_weights = "equal")
  K <- domgen:::space_gram(model$space)
  time <- rows$time
  event <- rows$status == 2
  at <- function(a) {
    f <- drop(K %*% a)
    naive_cox(time, event, model$costs, f, 2, sum(a * f))
  }
  a <- drop(model$coefficients)
  expect_equal(drop(K %*% a), drop(model$decision), tolerance = 1e-7)
  expect_equal(2 * naive_cox(time, event, model$costs, drop(model$decision), 0, 0), model$deviance,
               tolerance = 1e-10)
  least <- at(a)
  set.seed(1)
  for (size in c(1e-3, 0.1)) for (k in 1:5) {
    expect_gt(at(a + size * rnorm(length(a))), least)
  }
  slope <- vapply(c(1, 50, 200), function(j) {
    h <- replace(0 * a, j, 1e-4)
    (at(a + h) - at(a - h)) / 2e-4
  }, 0)
  expect_lt(max(abs(slope)), 1e-5)
})

test_that("weights are copies of rows, no weight no row, and order makes no difference", {
  rows <- lung()
  fit <- function(data, weights = NULL) {
    dg_glm(lung_formula, data = data, lambda = 3, kernel = kernel_rbf(20), scale = "none",
           domain_kernel = domain_pooled(), weights = weights)
  }
  weighted <- predict(fit(rows, rows$w), rows)
  expect_equal(weighted, predict(fit(rows[rep(seq_len(nrow(rows)), rows$w), ]), rows),
               tolerance = 1e-7)
  none <- as.numeric(rows$w != 2)
  expect_equal(predict(fit(rows, none), rows), predict(fit(rows[none > 0, ]), rows),
               tolerance = 1e-7)
  turned <- rows[order(rows$age, rows$time), ]
  expect_equal(predict(fit(turned), rows), predict(fit(rows), rows), tolerance = 1e-7)
  # only the order of times counts
  expect_equal(predict(fit(transform(rows, time = log(time)^3)), rows), predict(fit(rows), rows),
               tolerance = 1e-9)
})

test_that("features are the exact kernel where they are exact, and near it where not", {
  rows <- lung()
  exact <- linear_cox(2)
  expect_equal(log_hazard(linear_cox(2, feature_map = features_linear()), rows),
               log_hazard(exact, rows), tolerance = 1e-8)
  model <- dg_glm(lung_formula, data = rows, lambda = 2)
  near <- update(model, feature_map = features_nystrom(150))
  expect_gt(cor(predict(near, rows, type = "decision"), predict(model, rows, type = "decision")),
            0.999)
})

test_that("domains that were left out are predicted nearly as well as by the truth", {
  world <- cox_world(1)
  train <- world[as.integer(world$domain) <= 15, ]
  new <- droplevels(world[as.integer(world$domain) > 15, ])
  model <- dg_glm(survival::Surv(time, status) ~ x1 + x2 + x3 | domain, data = train)
  f <- predict(model, new, type = "decision")
  truth <- domgen:::censored_times(new$time, new$status)
  by_domain <- function(f) {
    mean(vapply(split(seq_along(f), new$domain), function(i) concordance(truth[i], f[i]), 0))
  }
  best <- by_domain(new$f)
  expect_gt(best, 0.7)
  expect_gt(by_domain(f), best - 0.03)
  # a straight line cannot say as much
  line <- update(model, kernel = kernel_linear(), lambda = 1)
  expect_gt(by_domain(f), by_domain(predict(line, new, type = "decision")) + 0.03)
  # the probability to be without the event, held against the simulated truth
  base <- model$family$baseline
  H <- stats::approx(base$time, base$hazard, 0.7, method = "constant", f = 0)$y
  survival <- exp(-H * predict(model, new))
  expect_lt(mean(abs(survival - exp(-0.49 * exp(new$f)))), 0.06)
  expect_lt(abs(mean(survival) - mean(exp(-0.49 * exp(new$f)))), 0.03)
})

test_that("the closed form says how far its step is from the fits, and is near them", {
  world <- cox_world(2, domains = 8, rows = 25)
  formula <- survival::Surv(time, status) ~ x1 + x2 + x3 | domain
  for (features in list(features_exact(), features_nystrom(40))) {
    set.seed(1)
    model <- dg_glm(formula, data = world, lambda = 3, kernel = kernel_rbf(2), scale = "none",
                    domain_kernel = domain_pooled(), feature_map = features)
    left <- with_replaced("compared_domains", 8L, dg_cv(model))
    expect_lt(max(left$one_step$difference / left$one_step$change), 0.1)
    if (inherits(features, "features_exact")) {
      cv <- dg_cv(model, refit = TRUE)
      expect_equal(left$domains$score, cv$domains$score, tolerance = 0.01)
    }
  }
})

test_that("a domain with all events is a fold that fails, one without events has no score", {
  world <- cox_world(2, domains = 4, rows = 20)
  formula <- survival::Surv(time, status) ~ x1 + x2 + x3 | domain
  names <- levels(world$domain)
  failed <- paste0("1 of 4 folds failed: With domain \"", names[2L], "\" held out: .* event; all times are censored")
  # events at home in one domain, and in two
  for (home in list(names[2L], names[2:3])) {
    rows <- transform(world, status = status * (domain %in% home))
    for (lambda in list(1, NULL)) {
      model <- dg_glm(formula, data = rows, lambda = lambda, domain_kernel = domain_pooled())
      for (refit in c(FALSE, TRUE)) {
        said <- character()
        cv <- withCallingHandlers(dg_cv(model, refit = refit), warning = function(w) {
          said <<- c(said, conditionMessage(w))
          invokeRestart("muffleWarning")
        })
        expect_identical(cv$domains$domain, names)
        if (length(home) == 2L) {
          expect_identical(said, character())
          expect_null(cv$failed)
          expect_identical(is.na(cv$domains$score), !names %in% home)
          expect_output(print(cv), "2 domains without a score \\(too few events")
        } else {
          expect_true(any(grepl(failed, said)))
          expect_true(any(grepl("no value in any domain: each has too few events", said)))
          expect_identical(cv$failed$fold, 2L)
          expect_true(all(is.na(cv$domains$score)))
          expect_setequal(as.character(cv$predictions$domain), names[-2L])
          expect_false(anyNA(cv$predictions$decision))
          expect_output(print(cv), "1 of 4 folds failed")
        }
      }
    }
  }
})

test_that("a penalty that is not given is nearly as good as the best, and better than a large one", {
  skip_on_cran()
  formula <- survival::Surv(time, status) ~ x1 + x2 + x3 | domain
  scores <- vapply(if (long_form()) 3:5 else 4, function(seed) {
    world <- cox_world(seed, domains = 8, rows = 25)
    vapply(list(NULL, 0.1, 1000), function(lambda) {
      dg_cv(dg_glm(lambda = lambda, domain_kernel = domain_pooled()), formula, data = world,
            folds = if (!long_form()) 3)$mean
    }, 0)
  }, numeric(3))
  means <- rowMeans(scores)
  expect_gt(means[1], means[2] - 0.03)
  expect_gt(means[1], means[3] + 0.02)
})

test_that("hospitals of lung cancer are told as well as by coxph(), and better than by nothing", {
  skip_on_cran()
  rows <- lung()
  expect_identical(dg_cv(dg_null(), lung_formula, data = rows)$mean, 0.5)
  folds <- domain_folds(rows$inst, if (long_form()) nlevels(rows$inst) else 3)
  own <- dg_cv(dg_glm(family = "cox"), lung_formula, data = rows, folds = folds)$mean
  scores <- vapply(levels(rows$inst), function(name) {
    held <- rows$inst == name
    others <- folds[as.character(rows$inst)] != folds[[name]]
    fit <- survival::coxph(survival::Surv(time, status) ~ age + sex + ph.ecog, rows[others, ])
    truth <- domgen:::censored_times(rows$time[held], rows$status[held] == 2)
    concordance(truth, predict(fit, rows[held, ]))
  }, 0)
  expect_gt(own, mean(scores) - 0.02)
  expect_gt(own, 0.6)
})

test_that("what a model of censored times cannot do is refused in words", {
  rows <- lung()
  rows$s <- survival::Surv(rows$time, rows$status)
  model <- dg_glm(s ~ age + sex | inst, data = rows, lambda = 3)
  refused <- function(call, words, kind = "argument") {
    expect_error(call, words, class = paste0("domgen_error_", kind))
  }
  expect_output(print(model), "times: 226 rows, 163 events")
  refused(predict(model, rows, type = "prob"), "censored times")
  refused(predict(model, rows, interval = "prediction"), "censored times")
  refused(set_intervals(model), "censored times")
  refused(augment(model, rows, interval = "prediction"), "censored times")
  refused(residuals(model), "censored times")
  refused(plot(model), "censored times")
  refused(dg_adapt(model, rows[rows$inst == "1", ], labels = 1:36), "must be censored times", "data")
  refused(dg_cv(model, metric = "rmse"), "concordance")
  refused(dg_cv(dg_lm(), age ~ sex | inst, data = rows, metric = "concordance"), "rmse")
  refused(dg_glm(age ~ sex | inst, data = rows, family = "cox"), "not numbers", "data")
  refused(dg_glm(factor(sex) ~ age | inst, data = rows, family = "cox"), "not classes", "data")
  refused(dg_glm(s ~ age | inst, data = transform(rows, s = survival::Surv(time, 0 * age))),
          "all times are censored", "data")
  refused(dg_glm(s ~ age | inst, data = rows, family = "poisson"), "cox", "data")
  refused(fit(dg_pipeline(dg_dica(), dg_glm(family = "cox")), s ~ age | inst, data = rows), "udica", "data")
})

test_that("what it can do is done", {
  rows <- lung()
  model <- dg_glm(lung_formula, data = rows, lambda = 3)
  bare <- rows[c("age", "sex", "ph.ecog", "inst")]
  expect_identical(predict(model, bare), predict(model, rows))
  expect_equal(predict(model, bare), exp(predict(model, bare, type = "decision")))
  expect_output(print(summary(model)), "226 rows, 163 events")
  expect_identical(glance(model)$response, "censored")
  expect_equal(augment(model, rows)$.fitted, predict(model, rows))
  expect_s3_class(dg_effect(model, "age", grid = 3), "dg_effect")
  importance <- dg_importance(model, permutations = 2, folds = 3, kind = "both")
  expect_s3_class(importance, "dg_importance")
  path <- tempfile()
  saveRDS(model, path)
  expect_identical(predict(readRDS(path), rows), predict(model, rows))
  both <- fit(dg_pipeline(dg_udica(ncomp = 2), dg_glm(family = "cox", lambda = 1)), lung_formula,
              data = rows)
  expect_length(predict(both, rows), nrow(rows))
  tuned <- dg_tune(dg_glm(family = "cox"), lung_formula, data = rows,
                   grid = list(lambda = c(1, 100)), folds = 3)
  expect_s3_class(tuned, "dg_glm")
})
