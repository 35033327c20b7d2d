# How often do 95 % intervals of cross-validation hold the mean over draws, where scores of domains
# go together? The error by number of labels, dg_cv(shots =), and its paired change from none, by
# the factor for overlapping training sets and by fits without two domains (refits = TRUE); the
# error of an inner factor, dg_cv(hold_out = "class"), by the levels of the outer one and as if
# independent.
#   Rscript tests/bench/errors.R [draws]      (5 minutes with 400)

suppressMessages(library(domgen))
options(domgen.threads = 1L, domgen.progress = FALSE)
arguments <- as.integer(commandArgs(TRUE))
draws <- if (length(arguments)) arguments[1L] else 400L

# ---- labels: ridge regressions and corrections written out, in a hundredth of the time -----------

worlds <- list(
  skewed = function(g) {
    n <- sample(10:18, 1L)
    x1 <- stats::runif(n, -1, 1) + stats::rnorm(1, 0, 0.7)
    x2 <- stats::rnorm(n)
    own <- 1.2 * (stats::rgamma(1, 2) - 2) / sqrt(2) + stats::rnorm(1, 0, 0.5) * x1
    data.frame(x1, x2, y = 2 * pmax(x1, 0) - x2 + own + stats::rnorm(n, 0, 0.8), g)
  },
  heavy = function(g) {
    n <- sample(8:20, 1L)
    x1 <- stats::rnorm(n)
    x2 <- stats::rbinom(n, 1, stats::runif(1, 0.2, 0.8))
    data.frame(x1, x2, y = x1 + x2 + stats::rt(1, 3) + stats::rnorm(n), g)
  },
  alike = function(g) {
    n <- sample(10:15, 1L)
    x1 <- stats::rnorm(n, stats::rnorm(1))
    x2 <- stats::rexp(n)
    data.frame(x1, x2, y = 2 * exp(-x1^2) + x2 + stats::rnorm(n), g)
  }
)
shots <- c(0L, 1L, 4L)

# Of the rows `of` one domain, by a fit to the rows `rest`, with an unpenalised constant; lambda 1.
adapted <- function(K, y, rest, of, orders) {
  n <- length(rest)
  solved <- solve(rbind(cbind(K[rest, rest] + diag(n), 1), c(rep(1, n), 0)), c(y[rest], 0))
  f <- drop(K[of, rest] %*% solved[seq_len(n)]) + solved[n + 1L]
  rowMeans(vapply(orders, function(order) {
    test <- order[-seq_len(max(shots))]
    vapply(shots, function(k) {
      known <- order[seq_len(k)]
      values <- f[test]
      if (k > 0L) {
        alpha <- solve(K[of[known], of[known]] + diag(k), y[of[known]] - f[known])
        values <- values + drop(K[of[test], of[known], drop = FALSE] %*% alpha)
      }
      sqrt(mean((y[of[test]] - values)^2))
    }, 0)
  }, numeric(length(shots))))
}

one_curve <- function(world, G) {
  d <- do.call(rbind, lapply(seq_len(G), worlds[[world]]))
  K <- exp(-as.matrix(stats::dist(d[c("x1", "x2")]))^2 / 2)
  rows <- split(seq_along(d$y), d$g)
  orders <- lapply(rows, function(i) replicate(5L, sample.int(length(i)), simplify = FALSE))
  scores <- function(g, h) adapted(K, d$y, which(!d$g %in% c(g, h)), rows[[g]], orders[[g]])
  single <- t(vapply(seq_len(G), function(g) scores(g, g), numeric(length(shots))))
  pairs <- array(NA_real_, c(G, G, length(shots)))
  for (g in seq_len(G)) for (h in seq_len(G)[-g]) pairs[g, h, ] <- scores(g, h)
  share <- 1 - 1 / G
  lines <- function(of, pair) {
    rbind(factor = unlist(domgen:::mean_error(of, NULL, share)[c("se", "df")]),
          refits = unlist(domgen:::mean_error(of, list(scores = pair, group = seq_len(G)),
                                              share)[c("se", "df")]))
  }
  found <- lapply(seq_along(shots), function(j) {
    list(mean = mean(single[, j]), error = lines(single[, j], pairs[, , j]))
  })
  changes <- lapply(2:3, function(j) {
    of <- single[, j] - single[, 1L]
    list(mean = mean(of), error = lines(of, pairs[, , j] - pairs[, , 1L]))
  })
  c(found, changes)
}

curves <- function(world, G, draws) {
  set.seed(77)
  found <- replicate(draws, one_curve(world, G), simplify = FALSE)
  table <- vapply(seq_along(found[[1L]]), function(j) {
    means <- vapply(found, function(f) f[[j]]$mean, 0)
    vapply(c("factor", "refits"), function(how) {
      error <- vapply(found, function(f) f[[j]]$error[how, ], numeric(2))
      held <- abs(means - mean(means)) <= stats::qt(0.975, error[2L, ]) * error[1L, ]
      100 * mean(held)
    }, 0)
  }, numeric(2))
  colnames(table) <- c(paste(shots, "labels"), "change 1", "change 4")
  cat("\n", world, ", ", G, " domains, ", draws, " draws\n", sep = "")
  print(round(table, 1))
}

for (world in names(worlds)) {
  curves(world, 8L, draws)
  curves(world, 12L, draws %/% 2L)
}

# ---- classes in schools --------------------------------------------------------------------------

nested_world <- function(schools) {
  do.call(rbind, lapply(seq_len(schools), function(s) {
    own <- stats::rnorm(1)
    at <- stats::rnorm(1)
    do.call(rbind, lapply(1:4, function(class) {
      x <- stats::rnorm(6, at)
      data.frame(x, y = x + own + stats::rnorm(1, 0, 0.3) + stats::rnorm(6),
                 school = sprintf("s%02d", s), class = letters[class])
    }))
  }))
}

for (schools in c(6L, 12L)) {
  set.seed(3)
  found <- replicate(draws %/% 2L, {
    cv <- dg_cv(dg_lm(), y ~ x | school / class, data = nested_world(schools), hold_out = "class",
                folds = 8)
    alone <- domgen:::mean_error(cv$domains$score, NULL, cv$share)
    c(cv$mean, cv$se, cv$errors[[1L]]$df, alone$se, alone$df)
  })
  hits <- function(se, df) {
    100 * mean(abs(found[1L, ] - mean(found[1L, ])) <= stats::qt(0.975, df) * se)
  }
  cat("\n", schools, " schools of 4 classes, ", ncol(found), " draws\n", sep = "")
  print(round(c(`by school` = hits(found[2L, ], found[3L, ]),
                `as if independent` = hits(found[4L, ], found[5L, ])), 1))
}
