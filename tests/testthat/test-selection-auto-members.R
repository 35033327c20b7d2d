with_signal <- function(d) transform(d, y = y + 2 * x1)
toy <- with_signal(with_seed(1, toy_domains(6, 20)))
rows <- with_signal(with_seed(2, toy_domains(2, 12)))
model <- fit(dg_auto(progress = FALSE), y ~ . | domain, data = toy)

test_that("dg_auto() predicts by the mean of its members' decision values", {
  expect_gt(length(model$members), 1L)
  values <- rowMeans(sapply(model$members, predict, newdata = rows))
  expect_equal(predict(model, rows), values, tolerance = 1e-10)
  expect_equal(predict(model, toy), fitted(model), tolerance = 1e-10)
})

test_that("a member of dg_auto() is the dg_ridge() that its line of the table describes", {
  table <- model$choice$table
  member <- which(table$member %in% TRUE)
  expect_length(member, length(model$members))
  for (i in seq_along(member)) {
    spec <- model$members[[i]]$spec
    expect_identical(spec$args$scale, sub("means", "pooled", table$scale[member[i]]))
    expect_identical(spec$args$domain_means, table$scale[member[i]] == "means")
    expect_equal(spec$args$lambda, table$lambda[member[i]])
    alone <- fit(spec, y ~ . | domain, data = toy)
    expect_equal(predict(alone, rows), predict(model$members[[i]], rows), tolerance = 1e-10)
    # bandwidths per predictor are judged by others that were fitted without the domain
    if (grepl("per predictor", table$kernel[member[i]])) next
    expect_equal(unname(dg_cv(alone)$mean), table$mean[member[i]], tolerance = 5e-3)
  }
})

test_that("with one member dg_auto() fits the best candidate of its table", {
  one <- fit(dg_auto(n_members = 1, progress = FALSE), y ~ . | domain, data = toy)
  expect_length(one$members, 1L)
  expect_identical(which(one$choice$table$member), 2L)
  expect_equal(one$choice$table$mean[2L], min(one$choice$table$mean), tolerance = 1e-12)
})

test_that("members of dg_auto() are of different kinds", {
  table <- model$choice$table
  kinds <- paste(table$scale, sub(" \\(.*", "", table$kernel))[which(table$member)]
  expect_false(anyDuplicated(kinds) > 0L)
})

test_that("dg_auto() uses no domain kernel where there are fewer than five domains", {
  four <- toy[toy$domain %in% levels(toy$domain)[1:4], ]
  few <- fit(dg_auto(n_members = 2, progress = FALSE), y ~ . | domain, data = four)
  expect_true(all(few$choice$table$domain_kernel[-1L] == "pooled"))
  expect_false(all(model$choice$table$domain_kernel[-1L] == "pooled"))
})

test_that("reference = \"training\" says of a training domain what its rows say", {
  expect_equal(predict(model, toy, reference = "training"), fitted(model), tolerance = 1e-10)
  some <- which(toy$domain == levels(toy$domain)[1L])[1:3]
  expect_equal(predict(model, toy[some, ], reference = "training"), fitted(model)[some],
               tolerance = 1e-10)
})

test_that("the second round of dg_auto() has more rows and all its members", {
  # as its help says; here on fewer
  expect_identical(first_rows, 600L)
  large <- with_signal(with_seed(3, toy_domains(6, 40)))
  spec <- dg_auto(max_rows = 200, n_members = 2, max_ard = 0, progress = FALSE)
  found <- with_replaced("first_rows", 120L, fit(spec, y ~ . | domain, data = large))
  table <- found$choice$table
  expect_setequal(unique(table$rows), c(120L, 200L))
  expect_true(all(table$rows[which(table$member)] == 200L))
})

test_that("dg_cv() takes the ensemble of dg_auto() and each member, dg_adapt() a member", {
  expect_s3_class(dg_cv(model$members[[1L]]), "dg_cv")
  values <- sapply(model$members, function(m) dg_cv(m)$predictions$prediction)
  by_hand <- sqrt(tapply((toy$y - values %*% coef(model))^2, toy$domain, mean))
  expect_equal(dg_cv(model)$domains$score, as.vector(by_hand), tolerance = 1e-8)
})

test_that("dg_auto() has calibrated probabilities from held-out domains", {
  labels <- with_seed(1, toy_classes(6, 20))
  labels$y <- factor(ifelse(labels$x1 + labels$x2 > 0, "a", "b"))
  found <- fit(dg_auto(n_members = 2, max_ard = 0, folds = 3, calibration = "platt",
                       progress = FALSE), y ~ . | domain, data = labels)
  prob <- predict(found, labels, type = "prob")
  expect_equal(rowSums(prob), rep(1, nrow(labels)), tolerance = 1e-12)
  expect_identical(predict(found, labels), factor(colnames(prob)[max.col(prob, "first")],
                                                  levels(labels$y)))
})

test_that("cross-validation keeps what was chosen in each fold", {
  result <- dg_cv(dg_auto(max_ard = 0, n_members = 2, progress = FALSE), y ~ . | domain, data = toy,
                  folds = 2)
  expect_match(result$fits$chosen, "^scale (pooled|domain|both|means|rank), ")
})

test_that("many domains are left out in groups, and scored one by one", {
  many <- factor(rep(sprintf("d%02d", 1:45), 3))
  groups <- in_groups(many)
  expect_identical(nlevels(groups), most_left_out)
  expect_true(all(tapply(as.integer(groups), many, function(g) length(unique(g))) == 1L))
  expect_lte(diff(range(table(groups))), 3L)
  expect_identical(in_groups(toy$domain), toy$domain)
})

test_that("where nothing can be learned the null model is chosen", {
  noise <- with_seed(2, {
    d <- toy_domains(8, 30)
    d$y <- rnorm(nlevels(d$domain))[d$domain] + rnorm(nrow(d))
    d$class <- factor(sample(c("a", "b", "b"), nrow(d), replace = TRUE))
    d
  })
  search <- dg_auto(max_ard = 0, n_members = 2, progress = FALSE)
  found <- fit(search, y ~ x1 + x2 + x3 | domain, data = noise)
  expect_output(print(found), "selected on other domains is better than\\s+the\\s+null\\s+model")
  expect_equal(predict(found, noise), rep(mean(noise$y), nrow(noise)), tolerance = 1e-6)
  expect_equal(found$choice$table$mean[1L],
               dg_cv(dg_null(), y ~ x1 + x2 + x3 | domain, data = noise)$mean)
  classes <- fit(search, class ~ x1 + x2 + x3 | domain, data = noise)
  expect_true(all(predict(classes, noise) == "b"))
  expect_false("null model" %in% describe_candidates(model$choice$table)[model$choice$table$member])
})

test_that("with few domains a signal in some of them is enough", {
  few <- with_seed(4, simulate_dcm(domains = 4, n = 40, p = 3))
  part <- few$domain == levels(few$domain)[1L]
  few$y[!part] <- factor(ifelse(few$x1[!part] > 0, levels(few$y)[2L], levels(few$y)[1L]),
                         levels(few$y))
  found <- fit(dg_auto(n_members = 2, progress = FALSE), y ~ . | domain, data = few)
  expect_false(any(describe_candidates(found$choice$table)[which(found$choice$table$member)] ==
                     "null model"))
})

test_that("of three domains the null model is no better than what all three say", {
  # with one left out, the other two prefer their common class
  set.seed(5)
  share <- rep(c(0.1, 0.75, 0.9), each = 60)
  x <- rnorm(180)
  y <- factor(rbinom(180, 1, plogis(2 * x + qlogis(share))))
  d <- data.frame(x, z = rnorm(180), y, g = gl(3, 60))
  model <- dg_auto(y ~ x + z | g, data = d, metric = "accuracy", n_members = 2, progress = FALSE)
  null <- model$choice$table$kernel == "null model"
  expect_gt(max(model$choice$table$mean[-1L]), model$choice$table$mean[null %in% TRUE])
  expect_false(any(model$choice$table$member & null, na.rm = TRUE))
})

test_that("a candidate that fails is left out with one warning that says why", {
  skip_if_not_installed("ranger")
  toy <- transform(simulate_dica(domains = 5, n = 12, seed = 4), y = x1 + x2^2)
  auto <- function() dg_auto(y ~ x1 + x2 | domain, data = toy, max_ard = 0, folds = 3)
  usual <- auto()
  said <- character()
  tell <- function(w) {
    said <<- c(said, conditionMessage(w))
    invokeRestart("muffleWarning")
  }
  with_replaced("forest_fit", function(x, y, weights, trees, ...) stop("no trees"), {
    without <- withCallingHandlers(auto(), warning = tell)
  })
  expect_length(said, 1L)
  expect_match(said, "^A candidate failed and is left out: random forest, scale both: .*no trees[.]$")
  expect_false("random forest" %in% without$choice$table$kernel)

  # one that fails on all rows only
  said <- character()
  own <- domgen:::fit_members
  with_replaced("fit_members", function(...) {
    members <- own(...)
    members[[1L]] <- simpleError("No solution.")
    members
  }, part <- withCallingHandlers(auto(), warning = tell))
  expect_length(said, 1L)
  expect_match(said, "^A candidate failed and is left out: .*No solution[.]$")
  expect_length(part$members, length(usual$members) - 1L)
  expect_equal(sum(part$coefficients), 1)
  expect_identical(part$choice$table$member[2], FALSE)
  expect_equal(sum(part$choice$table$weight, na.rm = TRUE), 1)
  expect_true(all(is.finite(predict(part, toy))))
  expect_output(print(part))
  with_replaced("fit_member", function(...) domgen:::abort("numeric", "No solution."), {
    expect_error(suppressWarnings(auto()), "No solution", class = "domgen_error_numeric")
  })
})

test_that("a plain call says nothing of landmarks that nobody asked for", {
  set.seed(1)
  n <- 5100
  d <- data.frame(x = sample(30, n, TRUE) / 10, g = rep(1:4, length.out = n))
  d$y <- sin(d$x) + rnorm(n) / 4
  expect_no_warning(dg_auto(y ~ x | g, data = d, max_ard = 0, max_seconds = 0.5),
                    class = "domgen_warning_rank")
})

test_that("a forest has as many trees as its weight asks for, and half of them held out", {
  y <- list(number = 1:3 / 2, class = factor(1:3), censored = censored_times(1:3, c(0, 1, 1)))
  search <- list(found = list(forest = list(candidate = candidate(dg_forest(), "random forest"))))
  for (weight in c(0.1, 0.46, 0.7, 1)) for (kind in names(y)) {
    spec <- member_spec(search, "forest", list(y = y[[kind]]), weight)
    trees <- if (kind == "number") 100 else max(100, floor(500 * weight^2))
    expect_equal(spec$args$trees, trees)
    asked <- with_replaced("refitted_values", function(spec, sample, fitted, most) {
      c(spec$args$trees, most)
    }, member_held_out(spec, NULL, NULL))
    expect_equal(asked, c(min(trees %/% 2, 100), 5))
  }
})

test_that("errors that intervals rest on are those of fits without each group of domains", {
  skip_if_not_installed("ranger")
  d <- with_seed(1, data.frame(domain = gl(8, 30), matrix(runif(8 * 30 * 4), ncol = 4)))
  d$y <- 3 * (d$X1 > 0.5) * (d$X2 > 0.5) + with_seed(2, rnorm(240)) / 10
  found <- dg_auto(y ~ . | domain, data = d, max_ard = 0, n_members = 1, progress = FALSE)
  weight <- found$coefficients[["forest"]]
  expect_gt(weight, 0.5)
  sample <- rows_of_fit(found, environment())
  values <- with_seed(3, held_out_decisions(found$spec, sample, found)$values)
  # forests of its own, by the definition
  fold <- calibration_folds(sample, 5L)[as.integer(d$domain)]
  expect_identical(max(fold), 5L)
  again <- with_seed(3, {
    mean <- 0 * values
    for (name in names(found$members)) {
      part <- found$members[[name]]
      one <- if (name != "forest") held_out_values(part$spec, sample, part) else {
        value <- 0 * values
        for (k in 1:5) {
          model <- dg_forest(y ~ . | domain, data = d[fold != k, ], trees = 50, scale = "both")
          value[fold == k, ] <- predict(model, d[fold == k, ])
        }
        value
      }
      mean <- mean + found$coefficients[[name]] * one
    }
    mean
  })
  expect_equal(values, again, tolerance = 1e-8)
})
