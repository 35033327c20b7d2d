# Do the 95 % intervals of dg_effect() cover? Rows have x = N(0, 1) + N(0, 1), the first of the domain,
# with the mean m_g in domain g, and z = x / 2 + N(0, 1).
#   lines        y = (x - m_g) + 2 m_g + z / 2 + N(0, 0.5): the slope of x is 1, the contextual effect
#                of a shift d is d, in each domain
#   interaction  y = sin(1.5 x) + x m_g / 2 + z / 2 + N(0, 0.5): domains differ in their slopes, the
#                average curve is sin(1.5 x), the average contextual effect 0
# `sample`: predictions of all rows are averaged, or of a sample of four rows of each domain. A line
# is a value of a curve: the effect of x at -1, 0.5 and 1.
#   value, lower, upper   from dg_effect(), NA where there is no interval
#   same                  what the interval with refits = FALSE is for: the average of the same model
#                         over 100 other domains (of "ale" with the mean of the training rows)
#   true                  the curve of the world
# With refits = TRUE the interval is for the average that the method finds from as many domains: the
# mean of `value` over draws. `code`: the version that made the lines. Those of "478831f9" were made
# with that commit installed and DOMGEN_CODE=478831f9 in the environment, in the same draws.

effect_world <- function(domains, rows, name) {
  g <- rep(seq_len(domains), each = rows)
  x <- stats::rnorm(domains)[g] + stats::rnorm(length(g))
  m <- stats::ave(x, g)
  z <- x / 2 + stats::rnorm(length(g))
  f <- if (name == "lines") x + m else sin(1.5 * x) + x * m / 2
  data.frame(g = factor(g), x, z, y = f + z / 2 + stats::rnorm(length(g), sd = 0.5))
}

effect_values <- c(-1, 0.5, 1)

# Effects of x at the values, true up to a constant for "ale".
true_effect <- function(world, type) {
  if (type == "context") return(if (world == "lines") effect_values else 0 * effect_values)
  if (world == "lines") effect_values else sin(1.5 * effect_values)
}

# A curve through the values less its mean over the rows, each domain weighing the same.
less_mean <- function(curve, data) {
  at_rows <- stats::approx(effect_values, curve, data$x, rule = 2)$y
  curve - mean(tapply(at_rows, data$g, mean))
}

effect_learners <- function() list(
  lm = dg_lm(domain_means = TRUE), ridge = dg_ridge(lambda = 0.1),
  forest = dg_forest(domain_means = TRUE, trees = 50)
)

effect_lines <- function(learner, type, data, further, cell) {
  model <- fit(effect_learners()[[learner]], y ~ x + z | g, data = data)
  of <- function(...) {
    dg_effect(model, "x", type = type, grid = list(x = effect_values), ...)$average
  }
  max_rows <- if (cell$sample == "all") 1e6 else 4 * cell$domains
  centred <- if (type == "ale") function(curve) less_mean(curve, data) else identity
  same <- centred(of(data = further, max_rows = 1e6)$value)
  true <- centred(true_effect(cell$world, type))
  # many forests take long
  bind(lapply(c(FALSE, if (learner != "forest" || cell$domains < 10) TRUE), function(refits) {
    found <- of(refits = refits, max_rows = max_rows)
    data.frame(learner, type, refits, at = effect_values, found[c("value", "lower", "upper")], same,
               true)
  }))
}

# Percent of draws with an interval, mean over the values of a curve, and of those that cover: what
# the interval is for, and the true curve.
show_coverage <- function(table) {
  by <- c("code", "world", "domains", "sample", "learner", "type", "refits")
  mean_of_method <- stats::ave(table$value, key(table, c(by, "at")))
  target <- ifelse(table$refits, mean_of_method, table$same)
  covers <- function(target) table$lower <= target & target <= table$upper
  # of an interval of width 0, rounding decides
  table$target <- 100 * covers(target)
  table$world_curve <- 100 * covers(table$true)
  table$interval <- 100 * !is.na(table$lower)
  table$width_0 <- 100 * (table$upper - table$lower) %in% 0
  shown <- stats::aggregate(table[c("interval", "width_0", "target", "world_curve")], table[rev(by)],
                            mean, na.rm = TRUE, na.action = stats::na.pass)
  figures <- c("interval", "width_0", "target", "world_curve")
  old <- options(width = 120)
  on.exit(options(old))
  print(data.frame(shown[by], round(shown[figures], 1)), row.names = FALSE)
}

experiment(
  paper = "domgen", item = "?dg_effect",
  title = "Do the intervals of average effects cover, of the same model and of the method?",
  draws = c(quick = 1, normal = 200, full = 1000), minutes = c(quick = 0.1, normal = 40, full = 200),
  packages = "ranger", outcomes = c("value", "lower", "upper", "same", "true"),
  tolerance = c(value = 0.01, lower = 0.02, upper = 0.02),
  cells = function(size) {
    code <- Sys.getenv("DOMGEN_CODE", "now")
    if (size == "quick") {
      return(data.frame(code, world = "interaction", domains = 6, sample = "some"))
    }
    changed <- data.frame(code, world = c("lines", "interaction"), domains = 8,
                          sample = c("all", "some"))
    if (code != "now") return(changed)
    rbind(changed, data.frame(code, world = c("lines", "interaction", "interaction"),
                              domains = c(20, 8, 20), sample = "all"))
  },
  summary = show_coverage,
  run = function(cell, draw, data) {
    rows <- effect_world(cell$domains, 25, cell$world)
    further <- effect_world(100, 20, cell$world)
    bind(lapply(names(effect_learners()), function(learner) {
      bind(lapply(c("pdp", "ale", "context"), effect_lines, learner = learner, data = rows,
                  further = further, cell = cell))
    }))
  }
)
