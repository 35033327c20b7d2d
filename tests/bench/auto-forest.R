# Forests of several kinds on the folds of the sets of auto.R and auto-states.R: alone, and in a
# mean with kernel ridge regressions, as in dg_auto(), at weight .4. Errors by domain against those
# of 500 ordinary trees of the same fold, and processor seconds of growing; one thread.
#   Rscript tests/bench/auto-forest.R results.csv [sets] [splits] [rows]
#   Rscript tests/bench/auto-forest.R report results.csv ...
#   Rscript tests/bench/auto-forest.R times
# Sets: names separated by commas; splits: 1:2, say; rows: at most so many for training, where the
# set has more. What results.csv has is not computed again. `times`: ordinary forests of censored
# times alone, five folds of the domains of sets of the package survival and of simulated ones.

library(domgen)
for (part in c("data", "sets-shared", "sets-packages", "sets-sensors", "peers", "forms", "run",
               "tables")) {
  source(paste0("tests/bench/auto-", part, ".R"))
}
options(domgen.threads = 1L, domgen.progress = FALSE, width = 150L)

# One name for each set.
forest_sets <- c(shared_sets, package_sets, sensor_sets)
forest_sets <- forest_sets[setdiff(names(forest_sets), c("Vowel", "har66", "cytof_multicenter16",
                                                         variants))]

# Numbers of ten predictors that shift by domain: smooth, and in steps.
simulated_rows <- function(domains, each, f) {
  set.seed(1L)
  domain <- rep(seq_len(domains), each = each)
  X <- as.data.frame(noise(domains * each, 10L) + .5 * stats::rnorm(domains)[domain])
  new_set(f(X) + .3 * stats::rnorm(domains)[domain] + .7 * stats::rnorm(nrow(X)), domain, X, "rmse",
          folds = 5L)
}
forest_sets$smooth <- function() simulated_rows(40L, 400L, function(X) {
  sin(X[[1L]]) + X[[2L]] * X[[3L]] / 2
})
forest_sets$steps <- function() simulated_rows(40L, 400L, function(X) {
  2 * (X[[1L]] > .3 & X[[2L]] > -.4) + (X[[3L]] > .5) - 1.5 * (X[[4L]] > 0 & X[[5L]] < .2)
})

# Arguments of ranger and how many trees are grown; scores are of all of them, and the mean over
# parts of 100 and of 200. Of `most` rows a tree gets at most so many, where there are many more.
kinds <- list(
  ordinary = list(num.trees = 500L),
  subsample = list(num.trees = 200L, replace = FALSE),
  extra = list(num.trees = 200L, splitrule = "extratrees", num.random.splits = 3L),
  rows_4000 = list(num.trees = 300L, most = 4000L),
  rows_2000 = list(num.trees = 500L, most = 2000L)
)

kinds_for <- function(task) {
  many <- vapply(kinds, function(kind) isTRUE(kind$most < nrow(task$X) / 1.5), NA)
  small <- vapply(kinds, function(kind) is.null(kind$most), NA)
  names(kinds)[many | small & (nrow(task$X) <= train_rows | names(kinds) == "ordinary")]
}

# list(values: a function of numbers of trees, on the common scale, at the new rows, seconds)
grow <- function(kind, task) {
  args <- kinds[[kind]]
  classes <- is.factor(task$y)
  if (!is.null(args$most)) {
    args <- c(args, list(replace = FALSE, sample.fraction = args$most / nrow(task$X)))
    args$most <- NULL
  }
  time <- system.time(model <- do.call(ranger::ranger, c(list(
    x = task$X, y = task$y, probability = classes, num.threads = 1L, verbose = FALSE,
    oob.error = FALSE), args)))
  all <- predict(model, task$new, predict.all = TRUE, num.threads = 1L)$predictions
  list(seconds = sum(time[1:2]), values = function(trees) {
    if (!classes) return(matrix(rowMeans(all[, trees])))
    P <- rowMeans(all[, , trees, drop = FALSE], dims = 2L)
    P <- P[, levels(task$y), drop = FALSE]
    if (ncol(P) == 2L) matrix(2 * P[, 2L] - 1) else P
  })
}

# The mean of two kernel regressions at the new rows, on the common scale.
kernels_of <- function(task) {
  values <- lapply(c("pooled", "both"), function(scale) {
    model <- suppressWarnings(dg_ridge(task$X, task$y, task$domain, scale = scale,
                                       domain_kernel = domain_pooled(), intercept = TRUE))
    value <- predict(model, task$new, domain = task$new_domain, type = "decision")
    as.matrix(value)
  })
  (values[[1L]] + values[[2L]]) / 2
}

# By domain: the error of the metric, and the mean squared error of values or of indicators.
domain_errors_of <- function(values, task) {
  levels <- levels(task$y)
  if (is.null(levels)) {
    square <- (values[, 1L] - task$truth)^2
    error <- score_domains(task$truth, values[, 1L], task$number, "rmse")
  } else {
    truth <- as.character(task$truth)
    if (ncol(values) == 1L) {
      square <- (values[, 1L] - ifelse(truth == levels[2L], 1, -1))^2
      guess <- levels[1L + (values[, 1L] > 0)]
    } else {
      square <- rowSums((values - outer(truth, levels, "=="))^2)
      guess <- levels[max.col(values, "first")]
    }
    error <- 1 - if (task$metric == "auc") {
      score_domains(task$truth, values[, 1L], task$number, "auc")
    } else tapply(guess == truth, task$number, mean)
  }
  square <- tapply(square, task$number, mean)
  data.frame(domain = names(square), error = as.vector(error[names(square)]),
             square = as.vector(square))
}

run_forests <- function(name, set, i) {
  task <- make_task(set, i)
  set.seed(i)
  kernels <- kernels_of(task)
  form <- if (nlevels(task$domain) < 5L) task else beside(task, standardised_by_domain)
  score <- function(values, kind, trees, weight, seconds) {
    cbind(set = name, split = i, rows = nrow(task$X), columns = ncol(form$X), kind = kind,
          trees = trees, weight = weight, seconds = seconds,
          domain_errors_of(values, task))
  }
  out <- list(score(kernels, "kernels", 0L, 0, NA))
  for (kind in kinds_for(task)) {
    set.seed(i)
    forest <- grow(kind, form)
    most <- kinds[[kind]]$num.trees
    of_size <- function(size) {
      split(seq_len(most %/% size * size), rep(seq_len(most %/% size), each = size))
    }
    parts <- unname(c(list(seq_len(most)), of_size(100L), if (most > 200L) of_size(200L)))
    for (trees in parts) for (weight in c(1, .4)) {
      values <- weight * forest$values(trees) + (1 - weight) * kernels
      out <- c(out, list(score(values, kind, length(trees), weight,
                               forest$seconds * length(trees) / most)))
    }
  }
  out <- do.call(rbind, out)
  stats::aggregate(cbind(error, square, seconds) ~ ., out, mean, na.action = stats::na.pass)
}

# ---- censored times ---------------------------------------------------------------------------

simulated_times <- function(seed, domains, each, f) {
  set.seed(seed)
  domain <- rep(seq_len(domains), each = each)
  X <- as.data.frame(noise(length(domain), 6L))
  time <- stats::rexp(length(domain), exp(f(X) + .3 * stats::rnorm(domains)[domain]))
  end <- stats::rexp(length(domain), .5)
  data.frame(time = round(pmin(time, end), 2L) + .01, status = as.numeric(time <= end), X,
             domain = domain)
}

time_sets <- list(
  lung = function() with(survival::lung, data.frame(time, status = status - 1, age, sex, ph.ecog,
    ph.karno, wt.loss, domain = inst)),
  rotterdam = function() with(survival::rotterdam, data.frame(time = rtime, status = recur, age,
    meno, size = as.numeric(size), grade, nodes, pgr, er, hormon, chemo, domain = year)),
  flchain = function() with(survival::flchain[survival::flchain$futime > 0, ], data.frame(
    time = futime, status = death, age, sex = as.numeric(sex), kappa, lambda, creatinine, mgus,
    domain = chapter)),
  colon = function() with(survival::colon[survival::colon$etype == 2, ], data.frame(time, status,
    sex, age, obstruct, perfor, adhere, nodes, differ, extent, surg, node4,
    domain = paste(rx, age %/% 15))),
  line = function() simulated_times(1L, 20L, 40L, function(X) X[[1L]] + X[[2L]] / 2),
  steps = function() simulated_times(2L, 20L, 40L, function(X) {
    2 * (X[[1L]] > 0 & X[[2L]] > 0) - (X[[3L]] > .5)
  })
)

# 1 - concordance by domain, the mean over parts of the 500 trees.
run_times <- function(name) {
  d <- time_sets[[name]]()
  d <- d[stats::complete.cases(d), ]
  d <- droplevels(d[d$domain %in% names(which(tapply(d$status, d$domain, sum) >= 5)), ])
  set.seed(first_seed)
  names <- sample(unique(d$domain))
  lines <- lapply(1:5, function(i) {
    held <- d$domain %in% names[seq_along(names) %% 5L == i - 1L]
    train <- which(!held)
    train <- train[sample.int(length(train), min(1000L, length(train)))]
    x <- setdiff(names(d), c("time", "status", "domain"))
    # as in the search
    y <- domgen:::as_surv(domgen:::coarse_times(domgen:::censored_times(
      d$time[train], d$status[train]), 50L))
    model <- ranger::ranger(x = d[train, x], y = y, num.trees = 500L,
                            num.threads = 1L, oob.error = FALSE)
    new <- d[held, ]
    new <- new[sort(sample.int(nrow(new), min(600L, nrow(new)))), ]
    # [rows x trees]
    events <- apply(predict(model, new[x], predict.all = TRUE, num.threads = 1L)$chf, c(1L, 3L),
                    sum)
    of_size <- function(size) {
      errors <- vapply(seq_len(500L %/% size), function(k) {
        risk <- rowMeans(events[, size * (k - 1L) + seq_len(size)])
        vapply(split(seq_len(nrow(new)), new$domain, drop = TRUE), function(at) {
          survival::concordance(survival::Surv(time, status) ~ I(risk[at]),
                                data = new[at, ])$concordance
        }, 0)
      }, numeric(length(unique(new$domain))))
      rowMeans(matrix(errors, ncol = 500L %/% size))
    }
    data.frame(t500 = of_size(500L), t200 = of_size(200L), t100 = of_size(100L))
  })
  lines <- do.call(rbind, lines)
  cat(sprintf("%-10s %3d domains, error %.3f, change with 200 trees %+.2f (%.2f) %%, with 100 %s\n",
              name, nrow(lines), mean(lines$t500), change_of(lines$t500, lines$t200)[1L],
              change_of(lines$t500, lines$t200)[2L],
              sprintf("%+.2f (%.2f)", change_of(lines$t500, lines$t100)[1L],
                      change_of(lines$t500, lines$t100)[2L])))
}

# Ratio of sums over domains less 1 in per cent, with a standard error from the domains.
change_of <- function(old, new) {
  ok <- is.finite(old) & is.finite(new)
  old <- old[ok]
  new <- new[ok]
  ratio <- sum(new) / sum(old)
  n <- length(old)
  c(change = 100 * (ratio - 1),
    se = 100 * sqrt(n / (n - 1) * sum((new - ratio * old)^2)) / sum(old))
}

report_forests <- function(rows) {
  base <- rows[rows$kind == "ordinary" & rows$trees == 500L, ]
  for (weight in c(.4, 1)) for (what in c("error", "square")) {
    cat("\n", if (weight == 1) "Forest alone" else "Mean with kernels, weight .4", ", ",
        if (what == "error") "error of the metric" else "squared error", "\n", sep = "")
    old <- base[base$weight == weight, ]
    old$old <- old[[what]]
    old$old_seconds <- old$seconds
    cases <- unique(rows[rows$kind != "kernels", c("kind", "trees")])
    if (weight < 1) cases <- rbind(cases, unique(rows[rows$kind == "kernels", c("kind", "trees")]))
    table <- do.call(rbind, lapply(seq_len(nrow(cases)), function(k) {
      new <- rows[rows$kind == cases$kind[k] & rows$trees == cases$trees[k], ]
      if (cases$kind[k] != "kernels") new <- new[new$weight == weight, ]
      keys <- c("set", "split", "domain")
      both <- merge(new, old[c(keys, "old", "old_seconds")], by = keys)
      by_set <- vapply(split(both, both$set), function(d) change_of(d$old, d[[what]]), c(0, 0))
      by_set <- by_set[, colSums(is.finite(by_set)) == 2L, drop = FALSE]
      S <- ncol(by_set)
      first <- both[!duplicated(both[c("set", "split")]), ]
      data.frame(cases[k, ], sets = S, change = mean(by_set[1L, ]),
                 within = sqrt(sum(by_set[2L, ]^2)) / S,
                 between = stats::sd(by_set[1L, ]) / sqrt(S), worse = sum(by_set[1L, ] > 0),
                 time = exp(mean(log((first$seconds + .001) / (first$old_seconds + .001)))))
    }))
    table[4:6] <- round(table[4:6], 2L)
    table$time <- round(table$time, 2L)
    print(table, row.names = FALSE)
  }
}

if (!interactive()) {
  args <- commandArgs(TRUE)
  if (args[1L] == "report") {
    rows <- do.call(rbind, lapply(args[-1L], utils::read.csv))
    rows <- rows[rows$kind %in% c("kernels", names(kinds)), ]
    type <- vapply(unique(rows$set), function(name) {
      y <- forest_sets[[name]]()$data$y
      if (is.numeric(y)) "numbers" else if (nlevels(y) == 2L) "two classes" else "more classes"
    }, "")
    report_forests(rows)
    for (one in c("numbers", "more classes")) {
      cat("\n==== ", one, " alone ====\n", sep = "")
      report_forests(rows[type[rows$set] == one, ])
    }
  } else if (args[1L] == "times") {
    for (name in names(time_sets)) run_times(name)
  } else {
    file <- args[1L]
    names <- if (length(args) < 2L) names(forest_sets) else pick(args[2L], names(forest_sets))
    splits <- if (length(args) < 3L) 1L else eval(str2lang(args[3L]))
    done <- if (file.exists(file)) utils::read.csv(file)
    for (i in splits) for (name in names) {
      if (any(done$set == name & done$split == i)) next
      set <- read_or_leave_out(forest_sets[[name]], name)
      if (is.null(set) || i > set$splits && !is_drawn(set)) next
      if (length(args) > 3L) set$rows <- as.integer(args[4L])
      rows <- tryCatch(run_forests(name, set, i), error = function(e) {
        cat(name, i, "failed:", conditionMessage(e), "\n")
        NULL
      })
      if (is.null(rows)) next
      one <- rows$seconds[rows$kind == "ordinary" & rows$trees == 500L][1L]
      cat(sprintf("%-20s %d %5d x %4d  %6.1f s\n", name, i, rows$rows[1L], rows$columns[1L], one))
      utils::write.table(rows, file, append = file.exists(file), sep = ",", row.names = FALSE,
                         col.names = !file.exists(file))
    }
  }
}
