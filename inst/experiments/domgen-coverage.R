# What do 90 % intervals and sets cover on fresh domains, by world and method? Each of many draws
# has 12 domains of 10 to 20 rows to learn from and 30 fresh ones to be held against. No world or
# method was taken out.
#   coverage   percent of a domain's rows in their intervals or sets, mean over fresh domains and
#              draws
#   error      its Monte Carlo standard error
#   width      mean width of an interval over the standard deviation of the response, or mean number
#              of classes in a set
# Methods by their functions; chain is dg_kpca() and ridge, ensemble lm and ridge; glm of classes
# has lambda = 1.

sizes_of <- function(G, sizes = 10:20) sizes[sample.int(length(sizes), G, replace = TRUE)]
centred_noise <- list(
  normal = function(n) stats::rnorm(n),
  heavy = function(n) stats::rt(n, 2.5) / sqrt(5),
  skew = function(n) stats::rexp(n) - 1
)

# Domains with a place, an intercept and a slope of their own.
number_world <- function(G, intercept = 0, slope = 0, noise = centred_noise$normal,
                         by_row = 0, sizes = sizes_of(G)) {
  bind(lapply(seq_len(G), function(g) {
    n <- sizes[g]
    x1 <- stats::rnorm(n, stats::rnorm(1))
    x2 <- stats::rnorm(n)
    own <- intercept * noise(1) + slope * stats::rnorm(1) * x2
    data.frame(y = sin(x1) + x2 + own + exp(by_row * x2) * noise(n), x1, x2,
               domain = sprintf("d%03d", g))
  }))
}
class_world <- function(G, centres, shift = 0.5) {
  bind(lapply(seq_len(G), function(g) {
    n <- sizes_of(1L)
    d <- data.frame(x1 = stats::rnorm(n, stats::rnorm(1)), x2 = stats::rnorm(n))
    scores <- outer(d$x1 + shift * stats::rnorm(1), c(0, 1, -1)[seq_along(centres)]) +
      rep(centres, each = n) - log(-log(stats::runif(n * length(centres))))
    d$y <- factor(letters[max.col(scores)], letters[seq_along(centres)])
    d$domain <- sprintf("d%03d", g)
    d
  }))
}
coverage_worlds <- list(
  alike = function(G) number_world(G),
  middle = function(G) number_world(G, intercept = 1),
  between = function(G) number_world(G, intercept = 3),
  slopes = function(G) number_world(G, intercept = 0.5, slope = 1),
  heavy = function(G) number_world(G, intercept = 0.7, noise = centred_noise$heavy),
  skew = function(G) number_world(G, intercept = 0.7, noise = centred_noise$skew),
  rows = function(G) number_world(G, intercept = 0.3, by_row = 0.8),
  huge = function(G) number_world(G, intercept = 0.7, sizes = c(200, rep(5, G - 1L))),
  simulate_dica = function(G) simulate_dica(domains = G, n = 15, p = 3),
  simulate_dcm = function(G) simulate_dcm(domains = G, n = 15),
  simulate_ellipses = function(G) simulate_ellipses(domains = G, n = 15),
  `three classes` = function(G) class_world(G, c(0, 0, 0)),
  `a rare class` = function(G) class_world(G, c(2, 0))
)

coverage_methods <- function(y) {
  number <- is.numeric(y)
  two <- number || nlevels(y) == 2L
  c(if (two) list(lm = dg_lm()),
    list(ridge = dg_ridge(), svm = dg_svm(), forest = dg_forest(trees = 100),
         glm = if (number) dg_glm() else dg_glm(lambda = 1),
         chain = dg_pipeline(dg_kpca(ncomp = 3), dg_ridge()),
         ensemble = dg_ensemble(list(if (two) dg_lm() else dg_svm(), dg_ridge()))),
    if (number) list(mixed = dg_mixed(), gp = dg_gp(restarts = 1)))
}

# One draw: coverage and width by method, [2 x methods].
covered_once <- function(world) {
  d <- coverage_worlds[[world]](42L)
  d$domain <- as.character(d$domain)
  known <- d$domain %in% unique(d$domain)[1:12]
  train <- droplevels(d[known, ])
  new <- d[!known, ]
  vapply(coverage_methods(train$y), function(spec) {
    model <- fit(spec, y ~ . | domain, data = train)
    inside <- if (is.numeric(new$y)) {
      found <- predict(model, new, interval = "prediction")
      width <- (found$upper - found$lower) / stats::sd(new$y)
      found$lower <= new$y & new$y <= found$upper
    } else {
      found <- predict(model, new, type = "set")
      width <- rowSums(found)
      found[cbind(seq_along(new$y), match(new$y, colnames(found)))]
    }
    # a class that training did not have is in no set
    inside <- inside %in% TRUE
    c(100 * mean(tapply(inside, new$domain, mean)), mean(width))
  }, numeric(2))
}

experiment(
  paper = "domgen", item = "?fix_intervals",
  title = "What do 90 % intervals and sets cover on fresh domains, by world and method?",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 30, full = 100),
  packages = c("ranger", "lme4"), tolerance = c(coverage = 0.2, width = 0.002),
  cells = function(size) {
    worlds <- if (size == "quick") "slopes" else names(coverage_worlds)
    data.frame(world = worlds, repeats = c(quick = 2L, normal = 60L, full = 200L)[[size]])
  },
  run = function(cell, draw, data) {
    started <- proc.time()[["elapsed"]]
    found <- replicate(cell$repeats, suppressMessages(suppressWarnings(covered_once(cell$world))))
    seconds <- (proc.time()[["elapsed"]] - started) / dim(found)[2L]
    bind(lapply(dimnames(found)[[2L]], function(method) {
      coverage <- found[1L, method, ]
      result_lines(method, c(coverage = mean(coverage),
                             error = stats::sd(coverage) / sqrt(length(coverage)),
                             width = mean(found[2L, method, ])), seconds = seconds)
    }))
  }
)
