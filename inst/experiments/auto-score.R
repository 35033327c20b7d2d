# Is what dg_auto() expects of a new domain true? In worlds that are drawn anew, the score that it
# reports and its standard error against the score of the fitted model on fresh domains of the same
# world and size. Three predictors with means of the domain's own, and in each domain an offset of
# standard deviation 0.5:
#   regression  y = 2 x1 + sin(2 x2) + offset + noise      (RMSE)
#   classes     P(a) = plogis(1.5 x1 + offset)             (accuracy)
#   noise       y = offset + noise                         (RMSE)
# and `no_effect`, the world of many rows: y = 2 x1 + noise, no domain differs, rows are thinned;
# `coin`: two classes by the toss of a coin, so that all that can be chosen is equally good;
# `steps`: y = 3 (x1 > 0)(x2 > 0) + offset + noise / 4, for which a random forest is made. Members
# with a family, of f = x1 + sin(2 x2) / 2 + offset:
#   counts      y of a Poisson distribution with mean exp((1 + f) / 2)    (Poisson deviance)
#   ordered     f + logistic noise, cut at -1 and 1                       (log loss)
#   times       hazard exp(f), half of the times censored                 (concordance)
# At 2, 5, 10, 30 and 160 domains, with all rows in the search and with some (`max_rows`).
#
# A line per world with
#   world, domains, rows (of a domain), max_rows, thinned, draw: the cell and its draw
#   reported, se, true: what is compared; true_se, because fresh domains are finite in number
#   chosen: the score as it was chosen, before it is corrected
#   null: was the null model chosen? others: the weight of what is no ridge regression
# Stored: results/auto-score.csv; domgen-figures.R has its 95 % intervals.

families <- c(counts = "poisson", ordered = "ordinal", times = "cox")

cells <- rbind(
  expand.grid(world = c("regression", "classes", "noise"), domains = c(2, 5, 10, 30, 160),
              thinned = c(FALSE, TRUE), stringsAsFactors = FALSE),
  data.frame(world = c("no_effect", "coin"), domains = c(40, 10), thinned = c(TRUE, FALSE)),
  data.frame(world = "steps", domains = c(5, 10, 30), thinned = FALSE),
  expand.grid(world = names(families), domains = c(5, 10, 30), thinned = FALSE,
              stringsAsFactors = FALSE)
)
cells <- cells[!(cells$domains == 2 & cells$thinned), ]
sizes <- data.frame(
  domains = c(2, 5, 10, 30, 160, 5, 10, 30, 160, 40), thinned = rep(c(FALSE, TRUE), c(5, 5)),
  rows = c(40, 20, 12, 8, 5, 40, 30, 20, 8, 30),
  max_rows = c(1200, 1200, 1200, 1200, 1200, 100, 150, 200, 400, 300)
)
cells <- merge(cells, sizes)
# what is cheap first
cells <- cells[order(cells$domains > 30, cells$domains), ]
row.names(cells) <- NULL

draw_world <- function(world, domains, rows) {
  domain <- factor(rep(seq_len(domains), each = rows))
  n <- length(domain)
  shift <- if (world == "no_effect") 0 else 1
  X <- vapply(1:3, function(j) rnorm(n) + shift * rnorm(domains)[domain], numeric(n))
  colnames(X) <- paste0("x", 1:3)
  offset <- shift * rnorm(domains, sd = 0.5)[domain]
  f <- switch(world, regression = 2 * X[, 1] + sin(2 * X[, 2]), classes = 1.5 * X[, 1], noise = 0,
              no_effect = 2 * X[, 1], coin = 0, steps = 3 * (X[, 1] > 0) * (X[, 2] > 0),
              X[, 1] + sin(2 * X[, 2]) / 2)
  if (world == "coin") offset <- 0
  y <- if (world %in% c("classes", "coin")) factor(ifelse(runif(n) < plogis(f + offset), "a", "b"))
       else if (world %in% names(families)) draw_response(world, f + offset)
       else f + offset + rnorm(n) / if (world == "steps") 4 else 1
  list(X = X, y = y, domain = domain)
}

draw_response <- function(world, f) {
  n <- length(f)
  if (world == "counts") return(rpois(n, exp((1 + f) / 2)))
  if (world == "ordered") return(cut(f + rlogis(n), c(-Inf, -1, 1, Inf), labels = c("a", "b", "c")))
  times <- rexp(n) * exp(-f)
  ends <- rexp(n)
  survival::Surv(pmin(times, ends), times <= ends)
}

# By domain; NA for one whose times cannot be compared.
fresh_scores <- function(model, test, world) {
  of <- function(rows) tapply(rows, test$domain, mean)
  X <- test$X
  if (world == "times") {
    f <- predict(model, X, domain = test$domain, type = "decision")
    return(vapply(split(seq_along(f), test$domain), function(i) {
      survival::concordance(test$y[i] ~ f[i], reverse = TRUE)$concordance
    }, 0))
  }
  if (world == "ordered") {
    P <- predict(model, X, domain = test$domain, type = "prob")
    return(of(-log(P[cbind(seq_along(test$y), as.integer(test$y))])))
  }
  prediction <- predict(model, X, domain = test$domain)
  if (is.factor(test$y)) of(prediction == test$y)
  else if (world == "counts") of(poisson()$dev.resids(test$y, prediction, rep(1, nrow(X))))
  else sqrt(of((prediction - test$y)^2))
}

run_world <- function(cell, seed) {
  set.seed(seed)
  train <- draw_world(cell$world, cell$domains, cell$rows)
  test <- draw_world(cell$world, max(400, 4 * cell$domains), cell$rows)
  family <- if (cell$world %in% names(families)) families[[cell$world]]
  model <- suppressWarnings(dg_auto(train$X, train$y, train$domain, family = family, n_members = 3,
                                    max_rows = cell$max_rows, seed = seed, progress = FALSE,
                                    threads = 1))
  scores <- fresh_scores(model, test, cell$world)
  scores <- scores[!is.na(scores)]
  expected <- model$choice$expected
  table <- model$choice$table
  data.frame(seed = seed, reported = expected$mean, se = expected$se, true = mean(scores),
             true_se = sd(scores) / sqrt(length(scores)), chosen = expected$raw,
             null = any(table$kernel[table$member %in% TRUE] == "null model"),
             others = sum(table$weight[grepl("forest|support", table$kernel)], na.rm = TRUE))
}

# bias: mean of reported - true, and its error over worlds; spread: the standard deviation of
# reported - true less what is due to finitely many fresh domains, to be held against se.
summarise <- function(done) {
  parts <- split(done, list(done$world, done$domains, done$thinned), drop = TRUE)
  table <- do.call(rbind, lapply(parts, function(d) {
    gap <- d$reported - d$true
    data.frame(d[1L, c("world", "domains", "thinned")], worlds = nrow(d), true = mean(d$true),
               as_chosen = mean(d$chosen - d$true), bias = mean(gap),
               bias_se = sd(gap) / sqrt(nrow(d)),
               spread = sqrt(max(0, var(gap) - mean(d$true_se^2))), se = sqrt(mean(d$se^2)),
               within_2_se = mean(abs(gap) <= 2 * sqrt(d$se^2 + d$true_se^2)), null = mean(d$null))
  }))
  table[order(table$world, table$domains, table$thinned), ]
}

experiment(
  paper = "domgen", item = "?dg_auto",
  title = "Is what dg_auto() expects of a new domain true, in worlds that are drawn anew?",
  draws = c(quick = 1, normal = 30, full = 200), minutes = c(quick = 0.1, normal = 60, full = 400),
  packages = c("ranger", "survival"),
  tolerance = c(reported = 0.015, se = 0.015, true = 0.015, chosen = 0.015),
  outcomes = c("reported", "se", "true", "true_se", "chosen", "null", "others"),
  cells = function(size) {
    if (size != "quick") return(cells)
    cells[cells$domains == 5 & !cells$thinned & cells$world %in% c("regression", "classes"), ]
  },
  run = function(cell, draw, data) run_world(cell, draw),
  summary = function(table) print(format(summarise(table), digits = 2), row.names = FALSE)
)
