# Adapting ordinal and Cox regressions: the objectives written out, and worlds where labels help.
adapted_world <- function(seed, domains, rows) {
  with_seed(seed, do.call(rbind, lapply(seq_len(domains), function(g) {
    x <- rnorm(rows)
    z <- rnorm(rows)
    lp <- (0.8 + rnorm(1)) * x + rnorm(1)
    time <- rexp(rows, exp(lp))
    ends <- rexp(rows, 0.3)
    data.frame(g = paste0("d", g), x, z, time = pmin(time, ends), status = +(time <= ends),
               o = cut(lp + rlogis(rows), c(-Inf, -1, 1, Inf), c("low", "mid", "high")))
  })))
}
world <- adapted_world(1, 6, 25)
new <- transform(adapted_world(2, 1, 24), g = "new")
known <- seq_len(12)
Surv <- function(...) survival::Surv(...)

# The least of `deviance` of f0 + K alpha and the penalty, and alpha's function there.
naive_correction <- function(adapted, f0, lambda, deviance) {
  K <- domgen:::space_gram(adapted$correction$space)
  objective <- function(alpha) {
    change <- drop(K %*% alpha)
    deviance(f0 + change) + lambda * sum(alpha * change)
  }
  found <- stats::optim(numeric(nrow(K)), objective, method = "BFGS",
                        control = list(reltol = 1e-15, maxit = 2000))
  drop(K %*% found$par)
}
change_of <- function(adapted) {
  drop(domgen:::space_gram(adapted$correction$space) %*% adapted$correction$coefficients)
}

adapted_rows <- function(model, rows) {
  scaling <- model$blueprint$scaling
  unname(scale(as.matrix(rows[c("x", "z")]), scaling$centre, scaling$scale))
}
log_loss <- function(model) {
  P <- predict(model, new, type = "prob")
  -mean(log(P[cbind(seq_len(nrow(new)), as.integer(new$o))]))
}

test_that("an ordinal regression keeps its thresholds and minimises the deviance and |f - f0|^2", {
  model <- dg_glm(o ~ x + z | g, data = world, family = "ordinal", lambda = 2)
  adapted <- dg_adapt(model, new, replace(new$o, -known, NA))
  f0 <- adapted$start[known]
  ends <- c(-Inf, model$family$thresholds, Inf)
  y <- as.integer(new$o[known])
  expected <- naive_correction(adapted, f0, 2, function(f) {
    -2 * sum(log(plogis(ends[y + 1] - f) - plogis(ends[y] - f)))
  })
  expect_equal(change_of(adapted), expected, tolerance = 1e-5)
  P <- predict(adapted, new, type = "prob")
  f <- f0 + change_of(adapted)
  expect_equal(P[known, "low"], plogis(ends[2] - f), tolerance = 1e-10)
  expect_equal(unname(rowSums(P)), rep(1, 24), tolerance = 1e-12)
  expect_equal(predict(dg_adapt(model, new, new$o, lambda = 1e9), new, type = "prob"),
               predict(model, new, type = "prob"), tolerance = 1e-6)
  one <- dg_adapt(model, new, replace(new$o, new$o != "high", NA))
  expect_true(all(predict(one, new, type = "prob")[, "high"] >=
                    predict(model, new, type = "prob")[, "high"]))
})

test_that("a Cox regression minimises the partial likelihood of its labelled rows and |f - f0|^2", {
  skip_if_not_installed("survival")
  model <- dg_glm(survival::Surv(time, status) ~ x + z | g, data = world, lambda = 2)
  labels <- replace(Surv(new$time, new$status), setdiff(seq_len(24), known), NA)
  adapted <- dg_adapt(model, new, labels)
  f0 <- drop(adapted$start)[known]
  time <- new$time[known]
  expected <- naive_correction(adapted, f0, 2, function(f) {
    2 * sum(vapply(which(new$status[known] == 1), function(i) {
      log(sum(exp(f[time >= time[i]]))) - f[i]
    }, 0))
  })
  expect_equal(change_of(adapted), expected, tolerance = 1e-5)
  expect_equal(predict(adapted, new), exp(drop(adapted$start + domgen:::correction_values(
    adapted, list(X = adapted_rows(model, new), domain = factor(rep("new", 24)))
  ))), tolerance = 1e-10)
  unseen <- dg_adapt(model, new, Surv(new$time, 0 * new$status))
  expect_equal(predict(unseen, new), predict(model, new), tolerance = 1e-12)
  expect_error(dg_adapt(model, new, new$time), "must be censored times")
  expect_output(print(adapted), "12 labelled rows of 24")
})
test_that("labels help where domains differ, with features too, and chains pass them on", {
  skip_if_not_installed("survival")
  rows <- adapted_world(4, 14, 24)
  cases <- list(list(o ~ x + z | g, "ordinal", "log_loss", -1),
                list(survival::Surv(time, status) ~ x + z | g, "cox", "concordance", 1))
  maps <- list(features_exact(), features_nystrom(25))
  for (i in 1:2) for (j in if (long_form()) 1:2 else i) {
    case <- cases[[i]]
    features <- maps[[j]]
    spec <- dg_glm(family = case[[2L]], lambda = 1, feature_map = features)
    cv <- dg_cv(spec, case[[1L]], data = rows, folds = 4, shots = 14, metric = case[[3L]])
    expect_gt(case[[4L]] * cv$shots$difference[2L], 0)
  }
  chained <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_glm(family = "ordinal", lambda = 1)), o ~ x + z | g,
                 data = rows)
  adapted <- dg_adapt(chained, new, new$o)
  expect_lt(log_loss(adapted), log_loss(chained))
})
