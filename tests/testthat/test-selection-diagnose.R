# Worlds of which is known what there is to gain.
world <- function(kind, seed = 1, domains = 12, rows = if (kind == "flip") 30 else 20) {
  if (kind == "recoverable") return(simulate_ellipses(domains, rows, seed = seed))
  with_seed(seed, {
    g <- rep(seq_len(domains), each = rows)
    n <- length(g)
    shift <- if (kind == "plain") 0 else 2 * stats::rnorm(domains)[g]
    x1 <- stats::rnorm(n) + if (kind == "shift") shift else 0
    x2 <- stats::rnorm(n)
    slope <- if (kind == "flip") sample(c(-1, 1), domains, replace = TRUE)[g] else 1
    data.frame(domain = factor(g), y = slope * x1 + stats::rnorm(n) / 3, x1, x2)
  })
}
diagnosis <- function(kind, ...) {
  dg_diagnose(y ~ . | domain, data = world(kind), permutations = 60, ...)
}

advises <- function(found) grepl("use domain_distribution", found$verdict[3L])

test_that("a world without any difference is found to have none", {
  found <- diagnosis("plain")
  expect_gt(found$shift$p, 0.05)
  expect_lt(abs(found$shift$ratio - 1), 0.5)
  expect_gt(found$headroom$p, 0.05)
  expect_gt(found$gain$p, 0.05)
  expect_match(found$verdict[1L], "No shift")
  expect_match(found$verdict[3L], "Pooling is enough|Inconclusive")
})

test_that("shift of the predictors alone leaves no headroom", {
  found <- diagnosis("shift")
  expect_lt(found$shift$p, 0.05)
  expect_gt(found$shift$ratio, 5)
  expect_gt(found$headroom$p, 0.05)
  expect_gt(found$gain$p, 0.05)
  expect_match(found$verdict[1L], "Predictors differ between domains")
  expect_match(found$verdict[2L], "Inconclusive|matters little")
  expect_match(found$verdict[3L], "Pooling is enough|Inconclusive")
})

test_that("a relation that moves with the shape of the domain can be recovered", {
  found <- diagnosis("recoverable")
  expect_lt(found$shift$p, 0.05)
  expect_lte(found$headroom$p, 0.05)
  expect_gt(found$headroom$lower, 0)
  expect_lte(found$gain$p, 0.05)
  expect_gt(found$gain$lower, 0)
  expect_match(found$verdict[3L], "^Unlabelled rows help: use domain_distribution")
})

test_that("a relation that flips at random is headroom that unlabelled rows do not recover", {
  found <- diagnosis("flip")
  expect_gt(found$shift$p, 0.05)
  expect_gt(found$headroom$lower, 0)
  expect_gt(found$headroom$difference, 0.3)
  expect_gt(found$gain$p, 0.05)
  expect_match(found$verdict[3L], "(do not help|Inconclusive).*dg_adapt\\(\\)")
})

test_that("false alarms are as rare as they should be", {
  wrong <- vapply(seq_len(if (long_form()) 10 else 4), function(seed) {
    data <- world("plain", seed = 100 + seed, domains = 8, rows = 12)
    found <- dg_diagnose(y ~ . | domain, data = data, permutations = 40)
    c(found$shift$p, found$headroom$p, found$gain$p) <= 0.05
  }, logical(3))
  # of ten: 4 or more have probability 0.001 at 5 %; of four: 2 or more 0.014
  expect_true(all(rowSums(wrong) <= if (long_form()) 3 else 1))
})

test_that("slopes that flip at random are seldom taken for something that embeddings tell", {
  # the short form sees a share of a half and more
  wrong <- vapply(seq_len(if (long_form()) 8 else 3), function(seed) {
    found <- dg_diagnose(y ~ . | domain, data = world("flip", seed = 100 + seed), permutations = 20)
    found$gain$p <= 0.05
  }, NA)
  expect_lte(sum(wrong), if (long_form()) 2 else 1)
})

test_that("where rows are thinned nothing is found that is not there", {
  wrong <- vapply(seq_len(if (long_form()) 4 else 2), function(seed) {
    data <- world("plain", seed = 200 + seed, domains = 60, rows = 20)
    found <- dg_diagnose(y ~ . | domain, data = data, permutations = 40, max_rows = 300)
    expect_identical(c(found$rows, found$available), c(300L, 1200L))
    # nor is anything excluded that all rows might show
    expect_false(grepl("Pooling is enough", found$verdict[3L]))
    c(found$headroom$p <= 0.05, found$gain$p <= 0.05, advises(found))
  }, logical(3))
  expect_lte(max(rowSums(wrong)), 1)
})

test_that("what is there is found with few of many domains", {
  data <- world("recoverable", domains = 300, rows = 10)
  found <- dg_diagnose(y ~ . | domain, data = data, permutations = 40, max_rows = 400)
  expect_lte(found$rows, 400L)
  expect_true(advises(found))
})

test_that("domains with the same predictors get an answer in words", {
  d <- data.frame(id = gl(8, 5), t = rep(1:5, 8))
  d$y <- with_seed(1, 10 * stats::rnorm(8)[d$id] + d$t + stats::rnorm(40))
  found <- dg_diagnose(y ~ t | id, data = d, permutations = 20)
  expect_identical(found$shift$p, 1)
  expect_lte(found$headroom$p, 0.05)
  expect_true(is.na(found$gain$p))
  expect_true(all(is.finite(found$domains$pooled_new)))
  expect_match(found$verdict[1L], "All domains have the same predictors")
  expect_match(found$verdict[3L], "unlabelled rows do not distinguish the domains.*dg_adapt\\(\\)")
  expect_output(print(found), "shift of predictors +0 x +1.000\n.*All domains have the same predictors")
  expect_plots(found)
  # nor is what landmarks lack of the kernel a difference
  d <- data.frame(id = gl(18, 10), t = rep(0:9, 18))
  d$y <- with_seed(1, d$t + stats::rnorm(180))
  expect_true(is.na(dg_diagnose(y ~ t | id, data = d, permutations = 20)$gain$p))
})

test_that("with one row per domain there is no test of headroom", {
  found <- dg_diagnose(y ~ . | domain, data = world("shift", domains = 40, rows = 1),
                       permutations = 20)
  expect_true(all(is.na(found$domains$known)))
  expect_match(found$verdict[2L], "no domain has two rows")
  expect_true(is.finite(found$gain$p))
})

test_that("left-out predictions on all landmarks are those of the exact machine", {
  data <- world("recoverable", domains = 6, rows = 20)
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = data)),
                        list(response = "any", domain = TRUE), "pooled")
  sample$weights <- with_seed(1, stats::runif(120, 0.5, 2))
  study <- new_study(sample, metrics$accuracy, list(threads = 1L), step = NULL)
  args <- ridge_args(list(threads = 1L))
  task <- ridge_task(sample, args)
  between <- domain_distribution()
  machine <- landmark_model(study, between, kernel_rbf())
  product <- gram_space(kernel_rbf(), between, sample, 1L)
  rows <- factor(row_folds(sample$domain, folds = 2))
  # of a large group the other rows' sums are used
  study$landmarks <- 10L
  few <- landmark_model(study, between, kernel_rbf())
  Z <- t(few$F)
  values_without <- function(model, groups, lambdas) {
    without_groups(model, study$Y, groups, study$share)(lambdas)$values
  }
  for (groups in list(sample$domain, rows)) {
    sample$left_out <- groups
    lambdas <- c(0.01, 1)
    # in units of costs whose mean is 1
    exact <- left_out_predictions(product, sample, task, args, lambdas * mean(task$costs))
    # ridge_path() is exact to 1e-3 standard deviations of the response
    expect_lt(max(abs(values_without(machine, groups, lambdas) - exact)), 5e-3)
    values <- values_without(few, groups, 1)[, , 1L]
    for (g in levels(groups)) {
      rest <- groups != g
      CZ <- few$costs[rest] * Z[rest, ]
      ridge <- diag(c(few$added[1:10] + 1, 0))
      w <- solve(crossprod(CZ, Z[rest, ]) + ridge, crossprod(CZ, study$Y[rest, ]))
      expect_equal(values[!rest], drop(Z[!rest, ] %*% w), tolerance = 1e-8)
    }
  }
})

test_that("errors from sums are those of the rows, whatever rows count", {
  data <- world("recoverable", domains = 6, rows = 20)[-(1:5), ]
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = data)),
                        list(response = "any", domain = TRUE), "pooled")
  rows <- with_seed(1, factor(row_folds(sample$domain, folds = 2)))
  # persons in several domains
  units <- list(NULL, rep_len(1:9, 115))
  for (weights in list(rep(1, 115), with_seed(1, stats::runif(115, 0.5, 2)))) for (unit in units) {
    sample$weights <- weights
    sample$unit <- unit
    study <- new_study(sample, metrics$accuracy, list(threads = 1L), step = NULL)
    model <- landmark_model(replace(study, "landmarks", 4L), domain_distribution(), kernel_rbf())
    Y <- cbind(study$Y, with_seed(2, matrix(stats::rnorm(115 * 4), 115)))
    own <- ncol(study$Y)
    for (share in list(study$share, 2 * study$costs)) for (groups in list(sample$domain, rows)) {
      lambdas <- c(0.1, 10)
      all <- without_groups(model, Y, groups, share)(lambdas)$values
      # two columns a response
      found <- without_groups(model, Y, groups, share, own, targets = 2L)(lambdas)
      expect_equal(found$values, all[, seq_len(own), , drop = FALSE], tolerance = 1e-10)
      errors <- apply(all, 3L, function(fit) colSums(share * (Y - fit)^2)[-seq_len(own)])
      expect_equal(found$errors, rbind(errors[1L, ] + errors[2L, ], errors[3L, ] + errors[4L, ]),
                   tolerance = 1e-10)
    }
  }
})

test_that("worlds without an effect keep the size of what differs and lose its sign", {
  data <- world("flip", domains = 5, rows = 6)
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = data)),
                        list(response = "any", domain = TRUE), "pooled")
  study <- new_study(sample, metrics$rmse, list(threads = 1L), step = NULL)
  pooled <- landmark_model(study, domain_pooled(), kernel_rbf())
  for (by_row in c(FALSE, TRUE)) {
    signs <- if (by_row) seq_len(30) else sample$domain
    worlds <- with_seed(1, worlds_without(study, pooled, sample$domain, signs))
    Y <- worlds$basis %*% worlds$combine
    # by the columns that worlds are sums of they have the errors that they have themselves
    sums <- score_model(study, pooled, worlds, sample$domain)
    own <- score_model(study, pooled, list(basis = Y), sample$domain)
    expect_equal(sums, own, tolerance = 1e-10)
    expect_identical(dim(Y), c(30L, 100L))
    expect_identical(Y[, 1L, drop = FALSE], study$targets)
    # two worlds are mirrored in the fit, by domain or by row
    fitted <- (apply(Y[, -1L], 1L, min) + apply(Y[, -1L], 1L, max)) / 2
    signs <- sign(Y[, -1L] - fitted)
    expect_equal(abs(Y[, -1L] - fitted), matrix(abs(Y[, 2L] - fitted), 30L, 99L))
    own <- abs(rowsum(signs[, 1L] * signs[, 2L], as.integer(sample$domain)))
    expect_identical(all(own == 6), !by_row)
  }
})

test_that("a kernel that cannot be solved is no candidate", {
  data <- world("recoverable", domains = 5, rows = 8)
  sample <- read_sample(read_input(list(x = y ~ . | domain, data = data)),
                        list(response = "any", domain = TRUE), "pooled")
  study <- new_study(sample, metrics$accuracy, list(threads = 1L), function(label, code) code)
  pooled <- landmark_model(study, domain_pooled(), kernel_rbf())
  study$kernel <- kernel_rbf()
  lost <- domain_multitask(kappa = matrix(c(1, 0, 0, 1), 2, dimnames = rep(list(c("a", "b")), 2)))
  compare <- function(others) {
    with_seed(1, compare_models(study, pooled, "known", others, sample$domain, sample$domain))
  }
  expect_identical(compare(list(lost, domain_distribution()))[1:2],
                   compare(list(domain_distribution()))[1:2])
  expect_true(all(is.na(compare(list(lost))$other)))
})

test_that("the lowest error along a path may lie between two values of lambda", {
  x <- 1:6
  errors <- unname(cbind((x - 3.3)^2 + 1, x, -x, c(Inf, 2, 1, Inf, NaN, 5), rep(Inf, 6)))
  expect_equal(lowest_error(errors), c(1, 1, -6, 1, Inf))
})

test_that("an effect is certain, excluded or not to be told", {
  state <- function(p, difference, lower, upper, rows = 10L) {
    gain_state(list(rows = rows, available = 10L,
                    gain = data.frame(difference, lower, upper, p)), "gain", c(2, 2))
  }
  expect_identical(state(0.01, 1, 0.5, 2), "gain")
  expect_identical(state(0.01, 1, -0.5, 2), "some")
  expect_identical(state(0.01, -1, -2, -0.5), "unknown")
  expect_identical(state(0.3, 1, 0.5, 2), "unknown")
  expect_identical(state(0.3, 0, -0.1, 0.019), "none")
  expect_identical(state(0.3, 0, -0.1, 0.021), "unknown")
  expect_identical(state(0.3, 0, -0.1, 0.019, rows = 9L), "unknown")
  expect_identical(state(NA, NA, NA, NA), "unknown")
  expect_identical(state(0.4, 0, 0, 0), "unknown")
  row <- gain_row(c(1, 2, 4, NA), 0.5)
  expect_equal(row$detectable, (qt(0.975, 2) + qt(0.8, 2)) * row$se)
})

test_that("scores that are the same in every domain exclude no gain", {
  d <- transform(droplevels(iris[1:100, ]), bed = factor(rep(1:4, 25)))
  found <- dg_diagnose(Species ~ . | bed, data = d, permutations = 20, threads = 1)
  expect_equal(found$domains$distributional, found$domains$pooled_new)
  expect_match(found$verdict[3L], "Inconclusive: both models have the same accuracy in every")
})

test_that("a diagnosis tells how far it is where that is asked for", {
  said <- character()
  line <- function(total, wanted) {
    list(tick = function(label) said <<- c(said, paste(total, wanted, label)),
         advance = function(...) NULL, done = function() NULL)
  }
  with_replaced("progress_line", line, {
    dg_diagnose(y ~ . | domain, data = world("plain", domains = 4, rows = 8), permutations = 20,
                progress = TRUE)
  })
  expect_match(paste(said, collapse = "; "), "11 TRUE .*known domain.*distributional")
})

test_that("the distributional variance and its test are the formulas", {
  data <- world("shift", domains = 4, rows = 8)
  found <- dg_diagnose(y ~ . | domain, data = data, permutations = 50, seed = 3)
  X <- scale(as.matrix(data[c("x1", "x2")]))
  sigma <- median_bandwidth(X)
  K <- exp(-as.matrix(dist(X))^2 / (2 * sigma^2))
  naive <- function(g) {
    means <- sapply(levels(g), function(a) sapply(levels(g), function(b) mean(K[g == a, g == b])))
    mean(diag(means)) - mean(means)
  }
  # landmarks leave next to nothing of so few rows
  expect_equal(found$shift$variance, naive(data$domain), tolerance = 1e-5)
  expect_equal(found$shift$ratio, found$shift$variance / found$shift$level)
  expect_true(found$shift$p %in% (seq_len(51) / 51))
  by_chance <- with_seed(8, replicate(300, naive(sample(data$domain))))
  expect_equal(found$shift$level, mean(by_chance), tolerance = 0.1)
})

test_that("scores are those of machines that know the other domains' labels alone", {
  data <- world("recoverable", domains = 6, rows = 20)
  found <- dg_diagnose(y ~ . | domain, data = data, permutations = 20)
  expect_identical(found$domains$domain, levels(data$domain))
  expect_identical(found$domains$rows, rep(20L, 6))
  columns <- c("difference", "se", "lower", "upper")
  expect_equal(found$headroom[columns],
               paired_difference(found$domains$known - found$domains$pooled_known)[columns])
  expect_equal(found$gain[columns],
               paired_difference(found$domains$distributional -
                                   found$domains$pooled_new)[columns])
  # the choice of a domain is what is best in the others
  scores <- with_seed(1, matrix(runif(28), 7))
  scores[3, ] <- NA
  scores[5, 2] <- NA
  for (metric in metrics[c("accuracy", "rmse")]) {
    sign <- if (metric$better == "low") -1 else 1
    naive <- vapply(1:7, function(g) {
      scores[g, which.max(sign * colMeans(scores[-g, ], na.rm = TRUE))]
    }, 0)
    expect_equal(choose_elsewhere(scores, metric), naive)
  }
})

test_that("a diagnosis is the same for a seed and leaves the generator alone", {
  data <- world("recoverable", domains = 5, rows = 12)
  set.seed(1)
  before <- .Random.seed
  one <- dg_diagnose(y ~ . | domain, data = data, permutations = 30)
  expect_identical(.Random.seed, before)
  expect_identical(dg_diagnose(y ~ . | domain, data = data, permutations = 30), one)
  few <- dg_diagnose(y ~ . | domain, data = data, permutations = 30, max_rows = 40, seed = 2)
  expect_lte(few$rows, 40L)
  by_matrix <- dg_diagnose(data[c("x1", "x2")], data$y, data$domain, permutations = 30)
  expect_equal(by_matrix$domains, one$domains)
})

test_that("a diagnosis is printed in sentences and drawn", {
  found <- dg_diagnose(y ~ . | domain, data = world("flip", domains = 6, rows = 12),
                       permutations = 30, metric = "mae")
  expect_output(print(found), "^Domain diagnosis: mean absolute error \\(lower is better\\), 6 domains, 72 rows\n")
  expect_output(print(found), paste0("3 gain, new domains +", signif(found$gain$difference, 3)))
  expect_output(print(found), paste0(signif(mean(found$domains$pooled_new), 3), "\\s+in\\s+new\\s+domains"))
  printed <- gsub("\\s+", " ", paste(capture.output(print(found)), collapse = " "))
  expect_match(printed, paste("2", found$verdict[2L]), fixed = TRUE)
  expect_plots(found)
})

test_that("rows without weight count as none", {
  data <- world("recoverable", domains = 5, rows = 10)
  run <- function(weights) {
    dg_diagnose(data[c("x1", "x2")], data$y, data$domain, weights = weights, permutations = 20)
  }
  found <- run(rep(c(1, 0, 2, 1, 1), 10))
  expect_identical(c(found$rows, found$available), c(40L, 40L))
  expect_true(all(is.finite(found$domains$pooled_new)))
  expect_error(run(as.numeric(data$domain %in% levels(data$domain)[1:2])),
               "at least 3 domains with a positive weight, not 2", class = "domgen_error_data")
})

test_that("data that cannot be diagnosed are refused", {
  toy <- toy_domains(4, 10)
  run <- function(...) dg_diagnose(y ~ . | domain, data = toy, ...)
  expect_refusals({
    dg_diagnose()
    dg_diagnose(y ~ ., data = toy)
    dg_diagnose(y ~ . | domain, data = domains_of(toy, 1:2))
    run(metric = "log_density")
    run(metric = "auc")
    run(permutations = 5)
    run(max_rows = 1)
    run(scale = "domain")
    run(seed = "a")
    run(kernel = kernel_rbf())
  })
})

# A diagnosis with these numbers; headroom and gain: c(lower, upper, p).
diagnosed <- function(headroom, gain) {
  row <- function(v) {
    data.frame(difference = mean(v[1:2]), se = 0.005, lower = v[1L], upper = v[2L], p = v[3L],
               detectable = 0.02)
  }
  x <- list(shift = list(variance = 0.1, level = 0.01, ratio = 10, p = 0.02), headroom = row(headroom),
            gain = row(gain), metric = metrics$accuracy, rows = 50L, available = 50L,
            domains = data.frame(domain = letters[1:5], rows = 10L, pooled_known = 0.7, known = 0.71,
                                 pooled_new = 0.7, distributional = 0.7))
  x$verdict <- diagnose_verdict(x)
  structure(x, class = c("dg_diagnose", "dg_result"))
}

test_that("where interval and p disagree the print says which decides", {
  text <- function(...) gsub("\\s+", " ", paste(capture.output(print(diagnosed(...))), collapse = " "))
  apart <- text(c(-0.003, 0.014, 0.010), c(-0.01, 0.02, 0.4))
  expect_match(apart, "2 headroom, known domains 0.0055 -0.003 to 0.014 0.010", fixed = TRUE)
  expect_match(apart, "p decides: 1 by permutation; 2, 3 by 99 simulated responses without a gain")
  expect_match(apart, "approximate; that of headroom disagrees with its p.", fixed = TRUE)
  expect_match(text(c(-0.003, 0.014, 0.010), c(0.01, 0.02, 0.4)), "that of headroom and gain disagree")
  expect_no_match(text(c(0.003, 0.014, 0.010), c(-0.01, 0.02, 0.4)), "disagree")
  skip_if_not_installed("knitr")
  expect_match(knitr::knit_print(diagnosed(c(-0.003, 0.014, 0.010), c(-0.01, 0.02, 0.4))),
               "that of headroom disagrees with its p")
})

test_that("weights that are in proportion are found, also where the first ones are 0", {
  proportion <- domgen:::proportion
  expect_equal(proportion(c(0, 2, 4), c(0, 1, 2)), 2)
  expect_null(proportion(c(0, 2, 4), c(1, 1, 2)))
  expect_null(proportion(c(1, 2, 0), c(1, 2, 3)))
})
