# Are the figures that the package prints true, in worlds that nobody had in mind? Reported 95 %
# intervals against the truth, by the rule of before and that of now, on the same draws.
#   coverage         percent of draws whose interval has the mean over draws of what it is for
#   coverage_model   of the score (or difference) of the models trained on all domains, on fresh
#                    domains: where training and new domains differ ("drift": the next 20 of an
#                    autoregressive series; "shifted": predictors moved by 1.5), only that
#   error            Monte Carlo standard error of the last of these
#   bias             of the mean reported over that truth, percent of the truth (scores)
#   width            mean width over the absolute mean
# Figures: score: RMSE (prevalence: Brier score) of least squares, as dg_cv() has it; difference:
# from it to a ridge regression that sees the domains' means, and from it to the null model, as
# dg_compare(); importance: of one predictor, within and between domains, as dg_importance();
# expected: dg_auto()'s. "refits" are fits without two folds. Nominal is 95 throughout; before,
# intervals were Student's, those with refits had the jackknife's error alone, and the expected
# score had two standard errors over domains times sqrt(1 + 4/G).
# Stored: 200 draws at 5 domains, 100 at 12 and, in six worlds, at 25; 40 of dg_auto().
#
# Figures of single new domains and of tests, with Monte Carlo standard errors:
#   interval   percent of a fresh domain's rows (`coverage`) in 90 % prediction intervals of
#              dg_lm() and dg_ridge(), and their mean width over the response's standard deviation
#              (`size`); of drift and shifted, which are not exchangeable, less than 90
#   novelty    percent of fresh domains (`rejected`) to which dg_novelty() gives p <= 0.05, as they
#              come and with a first predictor that moved by two of its standard deviations
#   unit       percent of draws (`rejected`) with p <= 0.05 of dg_mmd() between two domains that are
#              alike, and with a first predictor that moved by two, by rows and by `unit`: each row
#              its own (ordinary), five persons (persons) or four rows that repeat (repeated)
#
# Least squares from sums of squares by domain, so that a draw costs milliseconds; folds, pairs of
# folds, errors and intervals are the package's own functions.

inside <- asNamespace("domgen")
fresh_domains <- c(scores = 1000L, expected = 300L)
figure_rows <- 15L
P <- 7L # 1, three predictors, their means by domain

# means [domains x 3], level: by domain; shift: of test domains' predictors
figure_domain <- function(world, m, level, shift = 0) {
  n <- switch(world, rows = min(max(round(figure_rows * exp(0.7 * m[1L])), 3), 150), figure_rows)
  X <- matrix(stats::rnorm(3L * n), n) + rep(m + shift, each = n)
  slope <- c(1, 0.7, 0.4) + stats::rnorm(3, sd = 0.3)
  noise <- stats::rnorm(n)
  if (world == "slopes") slope <- slope + stats::rnorm(3)
  if (world == "mixture" && stats::runif(1) < 0.3) {
    slope <- -slope
    X <- X + 2
  }
  if (world == "variance") noise <- noise * exp(0.7 * m[1L])
  if (world == "repeated") X <- X[rep(1:4, length.out = n), ]
  if (world == "category") X[, 1L] <- 3 * (stats::runif(n) < 0.05)
  if (world == "ties") X <- round(X)
  if (world == "persons") {
    person <- rep(1:5, length.out = n)
    X <- X + matrix(stats::rnorm(15), 5)[person, ]
    noise <- noise / 2 + stats::rnorm(5)[person]
  }
  if (world == "repeated") noise <- noise[rep(1:4, length.out = n)]
  y <- drop(X %*% slope) + level + noise
  y <- switch(world, ties = round(y), rows = y + 0.5 * m[1L]^2,
              shifted = sin(1.5 * X[, 1L]) + X[, 2L] + level + noise,
              zero = (stats::runif(n) < stats::plogis(level)) * exp(0.5 + X[, 1L] / 2 + noise / 3),
              prevalence = as.numeric(stats::runif(n) < stats::plogis(level + X[, 1L])), y)
  list(X = X, y = y)
}

figure_levels <- function(world, G, m) {
  switch(world, context = sin(m[, 1L]) + 0.5 * m[, 2L] + stats::rnorm(G, sd = 0.5),
         skew = 0.8 * (stats::rexp(G) - 1), lognormal = exp(stats::rnorm(G)),
         zero = stats::rnorm(G), prevalence = stats::qlogis(stats::runif(G, 0.02, 0.6)),
         stats::rnorm(G, sd = 0.7))
}

# list(train, fresh): domains. Of the drifting world the fresh ones are the next twenty, in each
# draw anew; of others those of a bank.
figure_draw <- function(world, G, bank) {
  if (world != "drift") return(list(train = figure_world(world, G), fresh = bank))
  all <- figure_world(world, G + 20L)
  list(train = all[seq_len(G)], fresh = all[-seq_len(G)])
}

figure_world <- function(world, G, shift = 0) {
  drift <- world == "drift"
  all <- G
  m <- matrix(stats::rnorm(3L * all), all)
  level <- figure_levels(world, all, m)
  if (drift) {
    series <- function() {
      steps <- stats::rnorm(all + 50L, sd = sqrt(1 - 0.81))
      as.numeric(stats::filter(steps, 0.9, "recursive"))[-(1:50)]
    }
    m[] <- replicate(3L, series())
    level <- series()
  }
  lapply(seq_len(all), function(g) figure_domain(world, m[g, ], level[g], shift))
}

figure_sums <- function(domains) {
  t(vapply(domains, function(d) {
    n <- length(d$y)
    Z <- cbind(1, d$X, matrix(colMeans(d$X), n, 3L, byrow = TRUE))
    c(crossprod(Z), -2 * crossprod(Z, d$y), sum(d$y^2), n)
  }, numeric(P^2 + P + 2L)))
}

figure_learners <- list(
  null = function(S, r) figure_ridge(S, r, 1L), lm = function(S, r) figure_ridge(S, r, 1:4),
  context = function(S, r) figure_ridge(S, r, 1:7, 3)
)
figure_ridge <- function(S, r, own, lambda = 1e-8) {
  A <- S[own, own, drop = FALSE]
  diag(A)[-1L] <- diag(A)[-1L] + lambda
  replace(numeric(P), own, solve(A, r[own]))
}
figure_fit <- function(sums, learner, train) {
  total <- colSums(sums[train, , drop = FALSE])
  learner(matrix(total[seq_len(P^2)], P), -total[P^2 + seq_len(P)] / 2)
}
figure_scores <- function(sums, w, root = TRUE) {
  n <- sums[, P^2 + P + 2L]
  total <- drop(sums[, seq_len(P^2 + P + 1L), drop = FALSE] %*% c(tcrossprod(w), w, 1))
  square <- pmax(total, 0) / n
  if (root) sqrt(square) else square
}

# list(scores by domain, without: see mean_error())
figure_validated <- function(sums, learner, splits, plan, root) {
  domain <- factor(seq_len(nrow(sums)))
  of <- function(split) {
    figure_scores(sums[split$held, , drop = FALSE], figure_fit(sums, learner, split$train), root)
  }
  found <- lapply(plan$splits, function(split) {
    matrix(of(split), dimnames = list(domain[split$held], "score"))
  })
  list(scores = vapply(splits, of, 0),
       without = inside$scores_without(plan, found, domain)$score)
}

# Lines: one a figure and rule, c(theta, lower, upper, model).
figure_lines <- function(name, theta, model, before, now) {
  values <- rbind(c(theta, before, model), c(theta, now, model))
  dimnames(values) <- list(paste0(name, c(", before", ", now")),
                           c("theta", "lower", "upper", "model"))
  values
}

figures_of_scores <- function(sums, fresh, root) {
  G <- nrow(sums)
  domain <- factor(seq_len(G))
  splits <- inside$fold_splits(domain_folds(domain), list(domain = domain, row = seq_len(G), n = G))
  plan <- inside$pairs_of_folds(splits, domain)
  runs <- lapply(figure_learners, figure_validated, sums = sums, splits = splits, plan = plan,
                 root = root)
  true <- vapply(figure_learners, function(learner) {
    mean(figure_scores(fresh, figure_fit(sums, learner, seq_len(G)), root))
  }, 0)
  share <- 1 - 1 / G
  student <- function(d, error) inside$mean_interval(mean(d), error)
  lm <- runs$lm
  score <- function(name, without) {
    metric <- inside$metrics[[if (root) "rmse" else "brier"]]
    figure_lines(name, mean(lm$scores), true[["lm"]],
                 student(lm$scores, inside$mean_error(lm$scores, without, share, least = FALSE)),
                 student(lm$scores, inside$score_error(metric, lm$scores, without, share)))
  }
  difference <- function(name, first, second) {
    d <- first$scores - second$scores
    without <- list(scores = first$without$scores - second$without$scores,
                    group = first$without$group)
    labels <- names(runs)[c(which(vapply(runs, identical, NA, first)),
                            which(vapply(runs, identical, NA, second)))]
    figure_lines(name, mean(d), true[[labels[1L]]] - true[[labels[2L]]],
                 student(d, inside$mean_error(d, without, share, off = 0.5, least = FALSE)),
                 student(d, inside$mean_error(d, without, share, off = 0.5)))
  }
  rbind(score("score", NULL), score("score with refits", lm$without),
        difference("difference context - lm with refits", runs$context, lm),
        difference("difference lm - null with refits", lm, runs$null))
}

# Increases of squared error when the first predictor is permuted, as expected over permutations.
figures_of_importance <- function(domains, sums) {
  G <- length(domains)
  w <- lapply(seq_len(G), function(g) figure_fit(sums, figure_learners$lm, -g))
  rest <- Map(function(d, w) d$y - drop(cbind(1, d$X) %*% w[1:4]), domains, w)
  x <- lapply(domains, function(d) d$X[, 1L])
  within <- vapply(seq_len(G), function(g) {
    2 * w[[g]][2L]^2 * stats::var(x[[g]]) + 2 * w[[g]][2L] * stats::cov(rest[[g]], x[[g]])
  }, 0)
  between <- outer(seq_len(G), seq_len(G), Vectorize(function(g, h) {
    if (g == h) return(NA)
    moved <- w[[g]][2L] * (x[[g]] - sort(x[[h]])[rank(x[[g]], ties.method = "first")])
    mean((rest[[g]] + moved)^2 - rest[[g]]^2)
  }))
  own <- rowMeans(between, na.rm = TRUE)
  lines <- function(name, increase, values) {
    error <- inside$mean_error(values, NULL, 1 - 1 / G)
    figure_lines(name, mean(increase), NA, inside$mean_interval(mean(increase), error),
                 inside$skewed_interval(mean(increase), error))
  }
  rbind(lines("importance within", within, within),
        lines("importance between", own,
              inside$pseudovalues(own, colMeans(between, na.rm = TRUE))))
}

figure_sample <- function(domains, prefix = "") {
  X <- do.call(rbind, lapply(domains, `[[`, "X"))
  colnames(X) <- c("x1", "x2", "x3")
  list(X = X, y = unlist(lapply(domains, `[[`, "y")),
       domain = factor(rep(paste0(prefix, seq_along(domains)),
                           lengths(lapply(domains, `[[`, "y")))))
}

# dg_auto() itself; before: two of the errors that it gave.
figures_of_auto <- function(domains, fresh, seed) {
  G <- length(domains)
  train <- figure_sample(domains)
  test <- figure_sample(fresh, "new")
  model <- dg_auto(train$X, train$y, train$domain, seed = seed, progress = FALSE, threads = 1)
  expected <- model$choice$expected
  squares <- (predict(model, test$X, domain = test$domain) - test$y)^2
  true <- mean(sqrt(tapply(squares, test$domain, mean)))
  old <- expected$se * sqrt((1 + 4 / G) / (1 + 1 / (1 - 1 / min(10, G))))
  # cross-fitting's correction as it was
  fair <- if (expected$mean > expected$raw) {
    expected$raw + (expected$mean - expected$raw) / (1 + inside$left_over / G)
  } else expected$mean
  lines <- figure_lines("expected", expected$mean, true, fair + c(-2, 2) * old,
                        c(expected$lower, expected$upper))
  lines["expected, before", "theta"] <- fair
  lines
}

figures_once <- function(cell, bank, seed) {
  drawn <- figure_draw(cell$world, cell$domains, bank)
  if (cell$figure == "expected") return(figures_of_auto(drawn$train, drawn$fresh, seed))
  sums <- figure_sums(drawn$train)
  fresh <- if (is.list(drawn$fresh)) figure_sums(drawn$fresh) else drawn$fresh
  rbind(figures_of_scores(sums, fresh, cell$world != "prevalence"),
        if (cell$domains <= 12 && !cell$world %in% c("rows", "drift", "shifted")) {
          figures_of_importance(drawn$train, sums)
        })
}

# One draw of what is asked of new domains: values by method.
figures_of_new <- list(
  interval = function(cell) {
    drawn <- figure_draw(cell$world, cell$domains, figure_fresh(cell$world, 30L))
    train <- figure_sample(drawn$train)
    new <- figure_sample(drawn$fresh, "new")
    unlist(lapply(list(lm = dg_lm(), ridge = dg_ridge()), function(spec) {
      model <- fit(spec, train$X, train$y, train$domain)
      found <- predict(model, new$X, domain = new$domain, interval = "prediction", level = 0.9)
      inside <- found$lower <= new$y & new$y <= found$upper
      c(coverage = 100 * mean(tapply(inside, new$domain, mean)),
        size = mean(found$upper - found$lower) / stats::sd(new$y))
    }))
  },
  novelty = function(cell) {
    drawn <- figure_draw(cell$world, cell$domains, figure_fresh(cell$world, 10L))
    train <- figure_sample(drawn$train)
    model <- dg_lm(train$X, train$y, train$domain)
    new <- figure_sample(drawn$fresh, "new")
    share <- function(X) {
      p <- dg_novelty(model, X, domain = new$domain, threads = 1)$domains$p
      c(rejected = 100 * mean(p <= 0.05 + 1e-9))
    }
    moved <- new$X
    moved[, 1L] <- moved[, 1L] + 2 * stats::sd(train$X[, 1L])
    c(`as they come` = share(new$X), moved = share(moved))
  },
  unit = function(cell) {
    pair <- lapply(1:2, function(g) figure_domain(cell$world, numeric(3), 0))
    sample <- figure_sample(pair)
    object <- switch(cell$world, persons = 1:5, repeated = 1:4, seq_len(figure_rows))
    unit <- interaction(rep_len(object, figure_rows), sample$domain)
    far <- sample$X
    far[, 1L] <- far[, 1L] + 2 * (sample$domain == "2")
    rejects <- function(X, unit) {
      found <- suppressWarnings(dg_mmd(X, sample$domain, permutations = 99, unit = unit),
                                "domgen_warning_repeated")
      c(rejected = 100 * (found$p_value[1L, 2L] <= 0.05))
    }
    c(`alike, rows` = rejects(sample$X, NULL), `alike, unit` = rejects(sample$X, unit),
      `moved, rows` = rejects(far, NULL), `moved, unit` = rejects(far, unit))
  }
)

# Beside figure_draw(): those of a draw alone, whose error is then that over draws.
figure_fresh <- function(world, G) {
  if (world != "drift") figure_world(world, G, if (world == "shifted") 1.5 else 0)
}

# runs [values x draws], named method.measure
new_table <- function(runs) {
  part <- function(pattern) sub(pattern, "", rownames(runs))
  method <- part("[.][a-z]+$")
  measure <- part("^.*[.]")
  lapply(split(seq_along(method), factor(method, unique(method))), function(rows) {
    values <- stats::setNames(rowMeans(runs[rows, , drop = FALSE]), measure[rows])
    c(values, error = stats::sd(runs[rows[1L], ]) / sqrt(ncol(runs)))
  })
}

# runs [figures x columns x draws]
figure_table <- function(runs, exchangeable) {
  of <- function(name) matrix(runs[, name, ], nrow(runs))
  within <- function(truth) 100 * rowMeans(of("lower") <= truth & truth <= of("upper"))
  theta <- rowMeans(of("theta"))
  model <- within(of("model"))
  of_scores <- grepl("^(score|expected)", rownames(runs))
  last <- ifelse(is.na(model), within(theta), model)
  lapply(stats::setNames(seq_len(nrow(runs)), rownames(runs)), function(i) {
    values <- c(coverage = if (exchangeable && !startsWith(rownames(runs)[i], "expected")) {
      within(theta)[i]
    }, coverage_model = model[i], error = sqrt(last[i] * (100 - last[i]) / dim(runs)[3L]),
    bias = if (of_scores[i]) 100 * (theta[i] / mean(of("model")[i, ]) - 1),
    width = mean(of("upper")[i, ] - of("lower")[i, ]) / abs(theta[i]))
    values[!is.na(values)]
  })
}

figure_worlds <- c("ordinary", "context", "skew", "slopes", "rows", "variance", "mixture", "zero",
                   "lognormal", "repeated", "category", "ties", "drift", "shifted", "prevalence",
                   "persons")
figure_many <- c("ordinary", "slopes", "rows", "mixture", "zero", "lognormal")
figure_new_worlds <- list(
  interval = c("ordinary", "slopes", "rows", "variance", "mixture", "repeated", "persons", "drift",
               "shifted"),
  novelty = c("ordinary", "rows", "mixture", "repeated", "ties", "persons", "drift", "shifted"),
  unit = c("ordinary", "repeated", "persons")
)
figure_auto_worlds <- c("ordinary", "context", "variance", "mixture", "drift", "shifted")

experiment(
  paper = "domgen",
  item = "?dg_compare, ?dg_cv, ?dg_auto, ?dg_importance, ?fix_intervals, ?dg_novelty, ?mmd",
  title = "Do reported intervals have the truth, before and now, in ordinary worlds and others?",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.2, normal = 20, full = 100),
  tolerance = c(coverage = 12, coverage_model = 12, rejected = 12, size = 0.01),
  cells = function(size) {
    draws <- c(quick = 4L, normal = 200L, full = 1000L)[[size]]
    cells <- expand.grid(figure = "scores", world = figure_worlds, domains = c(5L, 12L, 25L),
                         repeats = draws, stringsAsFactors = FALSE)
    # where a draw costs more
    cells$repeats[cells$domains > 5L] <- draws %/% 2L
    if (size != "full") cells <- cells[cells$domains < 25L | cells$world %in% figure_many, ]
    auto <- expand.grid(figure = "expected", world = figure_auto_worlds, domains = c(5L, 10L),
                        repeats = max(2L, draws %/% 5L), stringsAsFactors = FALSE)
    new <- bind(lapply(names(figure_new_worlds), function(figure) {
      data.frame(figure, world = figure_new_worlds[[figure]],
                 domains = c(interval = 12L, novelty = 20L, unit = 2L)[[figure]],
                 repeats = c(interval = draws, novelty = draws, unit = 5L * draws)[[figure]])
    }))
    if (size == "quick") rbind(cells[cells$domains == 5L, ], auto[1L, ], new)
    else rbind(cells, auto, new)
  },
  run = function(cell, draw, data) {
    started <- proc.time()[["elapsed"]]
    if (cell$figure %in% names(figures_of_new)) {
      runs <- simplify2array(lapply(sample.int(1e6L, cell$repeats), function(seed) {
        set.seed(seed)
        suppressMessages(figures_of_new[[cell$figure]](cell))
      }))
      found <- new_table(runs)
      seconds <- (proc.time()[["elapsed"]] - started) / cell$repeats
      return(bind(lapply(names(found), function(name) {
        result_lines(name, found[[name]], seconds = seconds)
      })))
    }
    bank <- figure_world(cell$world, fresh_domains[[cell$figure]],
                         if (cell$world == "shifted") 1.5 else 0)
    if (cell$figure == "scores") bank <- figure_sums(bank)
    seeds <- sample.int(1e6L, cell$repeats)
    runs <- simplify2array(lapply(seeds, function(seed) {
      set.seed(seed)
      suppressMessages(figures_once(cell, bank, seed))
    }))
    found <- figure_table(runs, !cell$world %in% c("drift", "shifted"))
    seconds <- (proc.time()[["elapsed"]] - started) / cell$repeats
    bind(lapply(names(found), function(name) result_lines(name, found[[name]], seconds = seconds)))
  }
)
