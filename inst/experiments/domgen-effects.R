# Do the 95 % intervals of dg_effect() cover? Rows have x = N(0, 1) + N(0, 1), the first of the
# domain, with the mean m_g in domain g, and z = x / 2 + N(0, 1).
#   lines        y = (x - m_g) + 2 m_g + z / 2 + N(0, 0.5): the slope of x is 1, the contextual
#                effect of a shift d is d, in each domain
#   interaction  y = sin(1.5 x) + x m_g / 2 + z / 2 + N(0, 0.5): domains differ in their slopes, the
#                average curve is sin(1.5 x), the average contextual effect 0
# `sample`: predictions of all rows are averaged, or of a sample of four rows of each domain.
# `rows`: of the domains to which the model was fitted ("refits": with refits = TRUE), or of as many
# that it has not seen. A line is a value of a curve, the effect of x at -1, 0.5 or 1: sums over
# `replications` draws.
#   interval      draws with an interval
#   width_0       with one of width 0
#   target        with one that has what it is for: the average of the same model over 100 other
#                 domains; with refits the average that the method finds from as many domains, the
#                 mean over draws
#   world_curve   with one that has the curve of the world
#   width         mean width
# Values of "ale" have mean 0 over rows. So the curve that is compared is moved to have mean 0 over
# the rows of the draw. `code`: the version that made the lines. Those of "478831f9" were made with
# that commit installed and DOMGEN_CODE=478831f9 in the environment, on the same draws.

effect_world <- function(domains, rows, name) {
  g <- rep(seq_len(domains), each = rows)
  x <- stats::rnorm(domains)[g] + stats::rnorm(length(g))
  m <- stats::ave(x, g)
  z <- x / 2 + stats::rnorm(length(g))
  f <- if (name == "lines") x + m else sin(1.5 * x) + x * m / 2
  data.frame(g = factor(g), x, z, y = f + z / 2 + stats::rnorm(length(g), sd = 0.5))
}

effect_at <- c(-1, 0.5, 1)

# Effects of x at the values, true up to a constant for "ale".
true_effect <- function(world, type) {
  if (type == "context") return(if (world == "lines") effect_at else 0 * effect_at)
  if (world == "lines") effect_at else sin(1.5 * effect_at)
}

# A curve through the values less its mean over the rows, each domain weighing the same.
less_mean <- function(curve, data) {
  at_rows <- stats::approx(effect_at, curve, data$x, rule = 2)$y
  curve - mean(tapply(at_rows, data$g, mean))
}

effect_learners <- function() list(
  lm = dg_lm(domain_means = TRUE), ridge = dg_ridge(lambda = 0.1),
  forest = dg_forest(domain_means = TRUE, trees = 50)
)

# Forests, and many domains, take long.
effect_kinds <- function(domains) {
  kinds <- expand.grid(rows = c("training", "unseen", "refits"), type = c("pdp", "ale", "context"),
                       learner = names(effect_learners()), stringsAsFactors = FALSE)
  kinds[kinds$rows != "refits" | kinds$learner != "forest" & domains < 10, ]
}

# Of one draw [values x kinds x (value, lower, upper, the average of the same model, the curve of
# the world, the curve less its first value if it is centred, the weights of the values in its mean
# over the rows)].
effect_draw <- function(cell) {
  data <- list(training = effect_world(cell$domains, 25, cell$world),
               unseen = effect_world(cell$domains, 25, cell$world))
  data$refits <- data$training
  further <- effect_world(100, 25, cell$world)
  further$g <- factor(paste("further", further$g))
  data$unseen$g <- factor(paste("unseen", data$unseen$g))
  max_rows <- if (cell$sample == "all") 1e6 else 4 * cell$domains
  kinds <- effect_kinds(cell$domains)
  training <- data$training
  models <- lapply(effect_learners(), function(spec) fit(spec, y ~ x + z | g, data = training))
  of <- function(learner, type, ...) {
    dg_effect(models[[learner]], "x", type = type, grid = list(x = effect_at), ...)$average
  }
  same <- lapply(split(kinds, paste(kinds$learner, kinds$type)), function(kind) {
    of(kind$learner[1L], kind$type[1L], newdata = further, max_rows = 1e6)$value
  })
  lines <- lapply(seq_len(nrow(kinds)), function(k) {
    kind <- kinds[k, ]
    rows <- data[[kind$rows]]
    found <- of(kind$learner, kind$type, max_rows = max_rows, refits = kind$rows == "refits",
                newdata = if (kind$rows == "unseen") rows)
    curve <- same[[paste(kind$learner, kind$type)]]
    ale <- kind$type == "ale"
    centred <- function(curve) if (ale) less_mean(curve, rows) else curve
    # a curve less its first value is the same whatever it is centred by
    method <- if (ale) found$value - found$value[1L] else found$value
    weights <- vapply(seq_along(effect_at), function(j) {
      unit <- replace(numeric(length(effect_at)), j, 1)
      (unit - centred(unit))[j]
    }, 0)
    cbind(found$value, found$lower, found$upper, centred(curve),
          centred(true_effect(cell$world, kind$type)), method, weights)
  })
  aperm(simplify2array(lines), c(1, 3, 2))
}

# Sums over draws, a line for each kind and value.
effect_sums <- function(draws, cell) {
  kinds <- effect_kinds(cell$domains)
  of_method <- apply(draws[, , 6L, , drop = FALSE], 1:3, mean)[, , 1L]
  bind(lapply(seq_len(nrow(kinds)), function(k) {
    own <- draws[, k, , , drop = FALSE]
    part <- function(j) matrix(own[, , j, ], length(effect_at))
    lower <- part(2L)
    upper <- part(3L)
    target <- if (kinds$rows[k] != "refits") part(4L)
              else outer(of_method[, k], drop(of_method[, k] %*% part(7L)), "-")
    sums <- function(said) rowSums(said, na.rm = TRUE)
    data.frame(kinds[k, c("learner", "type", "rows")], at = effect_at,
               interval = rowSums(!is.na(lower)), width_0 = sums(upper - lower == 0),
               target = sums(lower <= target & target <= upper),
               world_curve = sums(lower <= part(5L) & part(5L) <= upper),
               width = signif(rowMeans(upper - lower, na.rm = TRUE), 6), row.names = NULL)
  }))
}

# Percent of draws with an interval, and of these that cover: the mean over the values of a curve,
# and the lowest.
show_coverage <- function(table) {
  by <- c("code", "world", "domains", "sample", "learner", "type", "rows")
  share <- 100 * table[c("width_0", "target", "world_curve")] / table$interval
  share$interval <- 100 * table$interval / table$replications
  groups <- table[rev(by)]
  shown <- stats::aggregate(share[c("interval", "width_0", "target", "world_curve")], groups,
                            mean, na.rm = TRUE)
  lowest <- stats::aggregate(share["target"], groups, min)
  old <- options(width = 120)
  on.exit(options(old))
  print(data.frame(shown[by], round(shown[c("interval", "width_0", "target")], 1),
                   lowest = round(lowest$target, 1), world_curve = round(shown$world_curve, 1)),
        row.names = FALSE)
}

experiment(
  paper = "domgen", item = "?dg_effect",
  title = "Do the intervals of average effects cover, of the same model and of the method?",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 40, full = 200),
  packages = "ranger", outcomes = c("interval", "width_0", "target", "world_curve", "width"),
  tolerance = c(width = 0.02),
  cells = function(size) {
    code <- Sys.getenv("DOMGEN_CODE", "now")
    if (size == "quick") {
      return(data.frame(code, world = "interaction", domains = 6, sample = "some",
                        replications = 2))
    }
    replications <- c(normal = 200, full = 1000)[[size]]
    both <- data.frame(code, world = "lines", domains = 8, sample = "some", replications)
    if (code != "now") return(both)
    rbind(both, data.frame(code, world = c("interaction", "lines"), domains = c(8, 20),
                           sample = "all", replications))
  },
  summary = show_coverage,
  run = function(cell, draw, data) {
    draws <- lapply(seq_len(cell$replications), function(r) {
      set.seed(1000 * draw + r)
      suppressWarnings(effect_draw(cell))
    })
    effect_sums(simplify2array(draws), cell)
  }
)
