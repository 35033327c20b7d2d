# Intervals and sets of dg_auto() on new domains: coverage and length (of sets their size), and
# processor seconds of the fit and of the first prediction with intervals. Two states of the
# package, each an installed library, on the same data, each in a process of its own.
#   Rscript tests/bench/auto-intervals.R old=LIBRARY,new=LIBRARY results.csv [worlds] [repetitions]
#   Rscript tests/bench/auto-intervals.R report results.csv
# What results.csv has is not computed again.

# list(f: of rows [n x 10], effect: standard deviation of domains, noise: a function of n, domains
# for training, each: rows of a domain, classes: are numbers above their median a class?)
normal <- function(sd) function(n) stats::rnorm(n, sd = sd)
smooth <- function(X) sin(X[, 1L]) + X[, 2L] * X[, 3L] / 2
steps <- function(X) {
  2 * (X[, 1L] > .3 & X[, 2L] > -.4) + (X[, 3L] > .5) - 1.5 * (X[, 4L] > 0 & X[, 5L] < .2)
}
worlds <- list(
  smooth = list(f = smooth, effect = 0, noise = normal(.7), domains = 30L, each = 30L),
  shifts = list(f = smooth, effect = .8, noise = normal(.7), domains = 30L, each = 30L),
  tails = list(f = steps, effect = .3, noise = function(n) stats::rt(n, 3) / 2, domains = 30L,
               each = 30L),
  few = list(f = steps, effect = .3, noise = normal(.5), domains = 12L, each = 60L),
  steps = list(f = steps, effect = .3, noise = normal(.5), domains = 30L, each = 100L),
  classes = list(f = steps, effect = .3, noise = normal(1), domains = 30L, each = 30L,
                 classes = TRUE),
  curves = list(f = smooth, effect = .3, noise = normal(1), domains = 30L, each = 60L,
                classes = TRUE)
)

draw <- function(world, seed) {
  set.seed(seed)
  # twenty new domains
  G <- world$domains + 20L
  domain <- rep(seq_len(G), each = world$each)
  n <- length(domain)
  X <- matrix(stats::rnorm(10L * n), n, dimnames = list(NULL, paste0("x", 1:10)))
  X <- X + .5 * stats::rnorm(G)[domain]
  y <- world$f(X) + world$effect * stats::rnorm(G)[domain] + world$noise(n)
  if (isTRUE(world$classes)) y <- factor(ifelse(y > stats::median(y), "high", "low"))
  data.frame(y = y, X, domain = sprintf("d%02d", domain))
}

run_one <- function(name, seed) {
  world <- worlds[[name]]
  d <- draw(world, seed)
  train <- d$domain <= sprintf("d%02d", world$domains)
  new <- d[!train, ]
  seconds <- function(code) sum(system.time(code)[c(1L, 2L)])
  fit <- seconds(model <- domgen::dg_auto(y ~ . | domain, data = d[train, ], progress = FALSE))
  if (isTRUE(world$classes)) {
    first <- seconds(sets <- predict(model, new, type = "set"))
    covered <- sets[cbind(seq_len(nrow(sets)), match(new$y, colnames(sets)))]
    length <- rowSums(sets)
  } else {
    first <- seconds(found <- predict(model, new, interval = "prediction"))
    covered <- found$lower <= new$y & new$y <= found$upper
    length <- found$upper - found$lower
  }
  weight <- sum(model$coefficients[grepl("forest", names(model$coefficients))])
  data.frame(world = name, seed = seed, coverage = mean(covered), length = mean(length), fit = fit,
             first = first, forest = weight, size = as.numeric(utils::object.size(model)) / 1e6)
}

report <- function(rows) {
  states <- unique(rows$state)
  base <- rows[rows$state == states[1L], ]
  other <- rows[rows$state == states[2L], ]
  both <- merge(base, other, by = c("world", "seed"), suffixes = c("", ".new"))
  error <- function(x) stats::sd(x) / sqrt(length(x))
  table <- do.call(rbind, lapply(split(both, both$world), function(b) {
    ratio <- 100 * (b$length.new / b$length - 1)
    change <- 100 * (b$coverage.new - b$coverage)
    data.frame(world = b$world[1L], n = nrow(b), forest = mean(b$forest),
               coverage = 100 * mean(b$coverage), new = 100 * mean(b$coverage.new),
               se = 100 * error(b$coverage.new), change = mean(change), change_se = error(change),
               length = mean(b$length), longer = mean(ratio), longer_se = error(ratio),
               fit = stats::median(b$fit), fit.new = stats::median(b$fit.new),
               first = stats::median(b$first), first.new = stats::median(b$first.new),
               MB = mean(b$size), MB.new = mean(b$size.new))
  }))
  table[-(1:2)] <- lapply(table[-(1:2)], signif, 3L)
  cat("90 % intervals and sets: coverage in per cent, length (or classes), its change in per cent,",
      "median processor seconds of the fit and of the first prediction,", states, "\n")
  print(table, row.names = FALSE)
}

args <- commandArgs(TRUE)
options(width = 190L, domgen.threads = 1L)
if (args[1L] == "one") {
  saveRDS(run_one(args[2L], as.integer(args[3L])), args[4L])
} else if (args[1L] == "report") {
  report(utils::read.csv(args[2L]))
} else {
  parts <- strsplit(strsplit(args[1L], ",")[[1L]], "=")
  libraries <- stats::setNames(vapply(parts, `[`, "", 2L), vapply(parts, `[`, "", 1L))
  file <- args[2L]
  chosen <- if (length(args) < 3L) names(worlds) else strsplit(args[3L], ",")[[1L]]
  count <- if (length(args) < 4L) 20L else as.integer(args[4L])
  for (seed in seq_len(count)) for (name in chosen) for (state in names(libraries)) {
    done <- if (file.exists(file)) utils::read.csv(file)
    if (any(done$world == name & done$seed == seed & done$state == state)) next
    place <- tempfile(fileext = ".rds")
    system2("Rscript", c("tests/bench/auto-intervals.R", "one", name, seed, place), stdout = FALSE,
            env = c(paste0("R_LIBS=", libraries[[state]]), "DOMGEN_THREADS=1",
                    "OPENBLAS_NUM_THREADS=1"))
    row <- cbind(state = state, readRDS(place))
    utils::write.table(row, file, append = !is.null(done), col.names = is.null(done), sep = ",",
                       row.names = FALSE)
  }
  report(utils::read.csv(file))
}
