# dg_novelty(): how often p is small for a domain of the same kind (false alarms), and for one whose
# means, spread or correlation moved (power), of domains and of their rows; how often predict()
# warns. Behind it the false alarms for small and large domains, where sizes differ. Results:
# results/novelty.txt.
#   Rscript tests/bench/novelty.R [replications] [training domains]

suppressMessages(library(domgen))
options(domgen.threads = 1L)
arguments <- as.integer(commandArgs(TRUE))
replications <- if (length(arguments)) arguments[1L] else 200L
G <- if (length(arguments) > 1L) arguments[2L] else 20L

# Rows in three predictors; the means of domains differ about one centre, or two.
own_world <- function(sizes, centres = 0) {
  m <- length(sizes)
  domain <- rep(seq_len(m), sizes)
  at <- matrix(stats::rnorm(3 * m, 0, 0.5), m)
  at[, 1] <- at[, 1] + sample(centres, m, TRUE)
  spread <- exp(matrix(stats::rnorm(3 * m, 0, 0.2), m))
  X <- at[domain, ] + spread[domain, ] * matrix(stats::rnorm(3 * length(domain)), ncol = 3)
  data.frame(x1 = X[, 1], x2 = X[, 2], x3 = X[, 3], y = stats::rnorm(length(domain)),
             domain = factor(domain))
}

unequal <- function(m) round(exp(stats::runif(m, log(4), log(150))))

worlds <- list(
  `one centre, 40 rows` = function(m) own_world(rep(40, m)),
  `one centre, 4 to 150 rows` = function(m) own_world(unequal(m)),
  `two centres, 40 rows` = function(m) own_world(rep(40, m), c(-2, 2)),
  `two centres, 4 to 150 rows` = function(m) own_world(unequal(m), c(-2, 2)),
  `simulate_dica()` = function(m) simulate_dica(m, 40, seed = sample.int(1e6, 1)),
  `simulate_dcm()` = function(m) simulate_dcm(m, 40, seed = sample.int(1e6, 1)),
  `simulate_ellipses()` = function(m) simulate_ellipses(m, 40, seed = sample.int(1e6, 1))
)

# Of one of the domains, x1 and x2 moved.
moved <- function(rows, how, spread) {
  mean <- mean(rows$x1)
  if (how == "mean") rows$x1 <- rows$x1 + 2 * spread[["x1"]]
  if (how == "spread") rows$x1 <- mean + 3 * (rows$x1 - mean)
  if (how == "correlation") {
    z <- function(v) (v - mean(v)) / stats::sd(v)
    rows$x2 <- mean(rows$x2) + stats::sd(rows$x2) * z(0.95 * z(rows$x1) + 0.31 * z(rows$x2))
  }
  rows
}

one <- function(world, how) {
  data <- world(G + 1L)
  last <- sample(levels(data$domain), 1L)
  train <- droplevels(data[data$domain != last, ])
  new <- droplevels(data[data$domain == last, ])
  new <- moved(new, how, vapply(train[c("x1", "x2")], stats::sd, 0))
  model <- dg_ridge(y ~ . | domain, data = train, lambda = 1)
  found <- dg_novelty(model, new)
  warned <- FALSE
  withCallingHandlers(predict(model, new), domgen_warning = function(w) {
    warned <<- warned || inherits(w, "domgen_warning_far_domain")
    invokeRestart("muffleWarning")
  })
  c(p = found$domains$p, row = mean(found$rows$p <= 0.1), warned = warned, size = nrow(new))
}

for (name in names(worlds)) {
  for (how in c("none", "mean", "spread", "correlation")) {
    set.seed(1)
    found <- t(replicate(replications, one(worlds[[name]], how)))
    cat(sprintf("%-26s %-11s p <= 0.05: %.3f, 0.1: %.3f, 0.5: %.3f; rows' p <= 0.1: %.3f; %s",
                name, how, mean(found[, "p"] <= 0.05), mean(found[, "p"] <= 0.1),
                mean(found[, "p"] <= 0.5), mean(found[, "row"]),
                sprintf("warned %.3f", mean(found[, "warned"]))))
    if (how == "none" && grepl("150", name)) {
      small <- found[, "size"] < 13
      large <- found[, "size"] > 60
      cat(sprintf("; p <= 0.1 of small %.3f, large %.3f", mean(found[small, "p"] <= 0.1),
                  mean(found[large, "p"] <= 0.1)))
    }
    cat("\n")
  }
}

# New domains of few or many rows among training domains of other sizes.
sized <- function(new, others, shift) {
  data <- own_world(c(others, new))
  held <- as.integer(data$domain) == G + 1L
  if (shift) data$x1[held] <- data$x1[held] + 2 * stats::sd(data$x1[!held])
  model <- dg_ridge(y ~ . | domain, data = droplevels(data[!held, ]), lambda = 1)
  suppressWarnings(dg_novelty(model, droplevels(data[held, ]))$domains$p)
}
cases <- list(list(1, 20), list(3, 20), list(100, 20), list(3, NA), list(150, NA))
for (case in cases) for (shift in c(FALSE, TRUE)) {
  set.seed(2)
  p <- replicate(2 * replications, {
    sized(case[[1L]], if (is.na(case[[2L]])) unequal(G) else rep(case[[2L]], G), shift)
  })
  cat(sprintf("%3d rows among domains of %-9s %-7s p <= 0.05: %.3f, 0.1: %.3f, 0.5: %.3f\n",
              case[[1L]], if (is.na(case[[2L]])) "4 to 150:" else "20:",
              if (shift) "mean" else "none", mean(p <= 0.05), mean(p <= 0.1), mean(p <= 0.5)))
}
