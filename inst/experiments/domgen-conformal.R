# Do 90 % intervals hold on domains that were left out? Data sets that come with R packages, and
# worlds that are simulated, whose new domains are fresh ones. No set or method was taken out.
#   lm, ridge, forest, mixed, gp     `predict(interval = "prediction")` of dg_lm() and so on
#   gp posterior     the Gaussian process's own
#   lmer             of lme4: normal, with the variance of a new domain and of a row
#   quantile forest  of ranger: the quantiles 0.05 and 0.95
# Five folds of whole domains; of a simulated world 60 fresh domains.
#   coverage   percent of a domain's rows in their intervals, mean over domains
#   width      mean width over the standard deviation of the response
#   equal      the width if all intervals of the method were stretched so that they cover 90 %
#   infinite   percent of the rows with an infinite interval (fewer than 9 domains)

from_nlme <- function(name, formula, rows = function(d) d) {
  list(data = function() rows(as.data.frame(getExportedValue("nlme", name))), formula = formula)
}
interval_sets <- list(
  Oxboys = from_nlme("Oxboys", height ~ age | Subject),
  Orthodont = from_nlme("Orthodont", distance ~ age + Sex | Subject),
  Soybean = from_nlme("Soybean", weight ~ Time + Year + Variety | Plot),
  Glucose2 = from_nlme("Glucose2", glucose ~ Time | Subject),
  Milk = from_nlme("Milk", protein ~ Time + Diet | Cow),
  BodyWeight = from_nlme("BodyWeight", weight ~ Time + Diet | Rat),
  Earthquake = from_nlme("Earthquake", accel ~ distance + Richter | Quake),
  MathAchieve = from_nlme("MathAchieve", MathAch ~ SES + Sex + Minority | School, function(d) {
    d[d$School %in% sort(unique(as.character(d$School)))[1:60], ]
  }),
  Spruce = from_nlme("Spruce", logSize ~ days | Tree),
  Phenobarb = from_nlme("Phenobarb", conc ~ time + Wt | Subject, function(d) d[!is.na(d$conc), ]),
  Quinidine = from_nlme("Quinidine", conc ~ time + Age + Weight | Subject,
                        function(d) d[!is.na(d$conc), ]),
  ChickWeight = list(data = function() as.data.frame(datasets::ChickWeight),
                     formula = weight ~ Time + Diet | Chick),
  Theoph = list(data = function() as.data.frame(datasets::Theoph),
                formula = conc ~ Time + Dose + Wt | Subject),
  Loblolly = list(data = function() as.data.frame(datasets::Loblolly),
                  formula = height ~ age | Seed),
  CO2 = list(data = function() as.data.frame(datasets::CO2),
             formula = uptake ~ conc + Type + Treatment | Plant),
  sleepstudy = list(data = function() lme4::sleepstudy, formula = Reaction ~ Days | Subject)
)

# A world: domains with a place, an intercept and a slope of their own; the size of the noise by x2,
# and by domain.
interval_world <- function(domains, intercept = 0, slope = 0, by_row = 0, by_domain = 0,
                           sizes = 30) {
  bind(lapply(seq_len(domains), function(g) {
    n <- sizes[sample.int(length(sizes), 1L)]
    x1 <- stats::rnorm(n, stats::rnorm(1))
    x2 <- stats::rnorm(n)
    noise <- exp(by_row * x2 + by_domain * stats::rnorm(1)) * stats::rnorm(n)
    own <- intercept * stats::rnorm(1) + slope * stats::rnorm(1) * x2
    data.frame(y = sin(x1) + x2 + own + noise, x1, x2, domain = sprintf("d%03d", g))
  }))
}
interval_worlds <- list(
  alike = function(G) interval_world(G),
  intercepts = function(G) interval_world(G, intercept = 1),
  slopes = function(G) interval_world(G, intercept = 0.5, slope = 1),
  rows = function(G) interval_world(G, intercept = 0.3, by_row = 0.8),
  sizes = function(G) {
    interval_world(G, intercept = 0.5, by_domain = 0.7, sizes = c(5, 10, 20, 60, 120))
  },
  simulate_dica = function(G) simulate_dica(domains = G, n = 30, p = 3)
)

interval_methods <- function() list(
  lm = dg_lm(), ridge = dg_ridge(), forest = dg_forest(trees = 200), mixed = dg_mixed(),
  gp = dg_gp(restarts = 1)
)

# list(method = data frame of lower, upper) at the new rows, and the seconds.
intervals_of_all <- function(train, new) {
  timed <- function(code) {
    seconds <- elapsed(found <- suppressMessages(suppressWarnings(code)))
    list(found = found[c("lower", "upper")], seconds = seconds)
  }
  all <- lapply(interval_methods(), function(spec) {
    timed(predict(fit(spec, y ~ . | domain, data = train), new, interval = "prediction"))
  })
  process <- interval_methods()$gp
  all$`gp posterior` <- timed({
    predict(fit(process, y ~ . | domain, data = train), new, interval = "posterior")
  })
  all$lmer <- timed({
    model <- lme4::lmer(y ~ . - domain + (1 | domain), train)
    sd <- sqrt(sum(as.data.frame(lme4::VarCorr(model))$vcov))
    centre <- predict(model, new, re.form = NA)
    data.frame(lower = centre - stats::qnorm(0.95) * sd, upper = centre + stats::qnorm(0.95) * sd)
  })
  columns <- setdiff(names(train), "domain")
  all$`quantile forest` <- timed({
    model <- ranger::ranger(y ~ ., train[columns], quantreg = TRUE, num.trees = 200,
                            num.threads = 1)
    found <- predict(model, new, type = "quantiles", quantiles = c(0.05, 0.95), num.threads = 1)
    data.frame(lower = found$predictions[, 1L], upper = found$predictions[, 2L])
  })
  all
}

interval_measures <- function(found, y, domain) {
  mean_over <- function(v) mean(tapply(v, droplevels(factor(domain)), mean))
  half <- (found$upper - found$lower) / 2
  infinite <- is.infinite(half)
  # |y - centre| over half the width: its quantile, each domain weighing the same
  ratio <- abs(y - (found$upper + found$lower) / 2) / half
  share <- 1 / table(droplevels(factor(domain)))[as.character(domain)]
  order <- order(ratio)
  stretch <- ratio[order][which(cumsum(share[order]) >= 0.9 * sum(share))[1L]]
  c(coverage = 100 * mean_over(found$lower <= y & y <= found$upper),
    width = if (any(infinite)) NA else mean_over(2 * half) / stats::sd(y),
    equal = if (any(infinite)) NA else stretch * mean_over(2 * half) / stats::sd(y),
    infinite = 100 * mean(infinite))
}

# The set in folds, the world in one: lists of train and new rows.
interval_splits <- function(cell) {
  set <- interval_sets[[cell$data]]
  if (is.null(set)) {
    d <- interval_worlds[[cell$data]](cell$domains + 60)
    d$domain <- as.character(d$domain)
    known <- d$domain %in% unique(d$domain)[seq_len(cell$domains)]
    return(list(list(train = d[known, ], new = d[!known, ])))
  }
  d <- set$data()
  parts <- set$formula[[3L]]
  d <- d[c(as.character(set$formula[[2L]]), all.vars(parts[[2L]]), as.character(parts[[3L]]))]
  names(d)[c(1L, ncol(d))] <- c("y", "domain")
  d$domain <- as.character(d$domain)
  d[] <- lapply(d, function(v) if (is.ordered(v)) factor(v, ordered = FALSE) else v)
  domains <- unique(d$domain)
  fold <- sample(rep_len(1:5, length(domains)))[match(d$domain, domains)]
  lapply(1:5, function(k) list(train = d[fold != k, ], new = d[fold == k, ]))
}

experiment(
  paper = "domgen", item = "?fix_intervals",
  title = "Do 90 % intervals hold on domains that were left out, and how wide are they?",
  draws = c(quick = 1, normal = 1, full = 10), minutes = c(quick = 0.2, normal = 20, full = 200),
  packages = c("ranger", "lme4", "nlme"),
  tolerance = c(coverage = 0.5, width = 0.012, equal = 0.003),
  cells = function(size) {
    if (size == "quick") return(data.frame(data = "intercepts", domains = 12))
    rbind(data.frame(data = names(interval_sets), domains = NA),
          expand.grid(data = names(interval_worlds), domains = c(12, 40), stringsAsFactors = FALSE))
  },
  run = function(cell, draw, data) {
    splits <- interval_splits(cell)
    all <- lapply(splits, function(s) intervals_of_all(s$train, s$new))
    y <- unlist(lapply(splits, function(s) s$new$y))
    domain <- unlist(lapply(splits, function(s) s$new$domain))
    bind(lapply(names(all[[1L]]), function(method) {
      found <- bind(lapply(all, function(a) a[[method]]$found))
      result_lines(method, interval_measures(found, y, domain),
                   seconds = sum(vapply(all, function(a) a[[method]]$seconds, 0)))
    }))
  }
)
