# Do the intervals of dg_validate() cover? Sites of known truth: a model predicts logit p = m + x for
# classes and x for numbers, with x standard normal. At site g
#   class    logit P(y = 1) = m + a_g + b_g x
#   number   y = a_g + b_g x + s_g e, e standard normal
# with a_g ~ N(0, t), b_g ~ N(1, t/2), log s_g ~ N(0, t/2), where t is 0.1 (sites differ little) or 0.5
# (much). The value of a measure at a site is an integral over x. Sites have 150 rows each, or 20 to
# 1,000; an event has a probability of 0.27 (m = -1.2) or 0.03 (m = -3.9) where a = 0 and b = 1.
# `new`: the proportion of 1,000 further sites whose value lies in the interval of a new site (95 %);
# `mean`: whether the interval of the mean covers the mean of the values on their scale; `width` of
# the interval of a new site.

nodes <- seq(-5, 5, length.out = 801)
density <- stats::dnorm(nodes) / sum(stats::dnorm(nodes))

draw_sites <- function(sites, t) {
  data.frame(a = stats::rnorm(sites, 0, t), b = stats::rnorm(sites, 1, t / 2),
             s = exp(stats::rnorm(sites, 0, t / 2)))
}

class_values <- function(site, m) {
  p <- stats::plogis(m + nodes)
  truth <- stats::plogis(m + site$a + site$b * nodes)
  events <- density * truth
  others <- density * (1 - truth)
  before <- cumsum(others) - others / 2
  share <- sum(events)
  c(auc = sum(events * before) / (share * (1 - share)),
    oe = share / sum(density * p),
    intercept = stats::uniroot(function(a) sum(density * stats::plogis(a + m + nodes)) - share,
                               c(-8, 8), tol = 1e-8)$root,
    slope = site$b,
    brier = sum(events * (1 - p)^2 + others * p^2),
    scaled_brier = 1 - sum(events * (1 - p)^2 + others * p^2) / (share * (1 - share)))
}

number_values <- function(site) {
  square <- site$a^2 + (site$b - 1)^2 + site$s^2
  c(rmse = sqrt(square), r2 = 1 - square / (site$b^2 + site$s^2), bias = -site$a,
    intercept = site$a, slope = site$b)
}

true_values <- function(sites, m) {
  t(vapply(seq_len(nrow(sites)), function(g) {
    if (is.na(m)) number_values(sites[g, ]) else class_values(sites[g, ], m)
  }, numeric(if (is.na(m)) 5L else 6L)))
}

draw_rows <- function(sites, sizes, m) {
  site <- rep(seq_len(nrow(sites)), sizes)
  x <- stats::rnorm(length(site))
  value <- sites$a[site] + sites$b[site] * x
  if (is.na(m)) {
    return(data.frame(site, p = x, y = value + sites$s[site] * stats::rnorm(length(site))))
  }
  data.frame(site, p = stats::plogis(m + x),
             y = factor(stats::rbinom(length(site), 1L, stats::plogis(m + value)), 0:1))
}

to_scale <- list(auc = stats::qlogis, oe = log, rmse = log, brier = log,
                 r2 = function(v) log(1 - v), scaled_brier = function(v) log(1 - v))

# One lot of sites: for each measure the coverages and the width.
replicate_cell <- function(cell) {
  m <- c(class = -1.2, `rare class` = -3.9, number = NA)[[cell$response]]
  t <- if (cell$differ == "much") 0.5 else 0.1
  sizes <- if (cell$size == "equal") rep(150, cell$sites)
           else round(exp(stats::runif(cell$sites, log(20), log(1000))))
  further <- true_values(draw_sites(1000, t), m)
  rows <- draw_rows(draw_sites(cell$sites, t), sizes, m)
  found <- dg_validate(rows$p, y = rows$y, domain = rows$site)$summary
  measures <- intersect(found$measure, colnames(further))
  vapply(stats::setNames(measures, measures), function(name) {
    row <- found[found$measure == name, ]
    values <- further[, name]
    scale <- if (is.null(to_scale[[name]])) identity else to_scale[[name]]
    ends <- sort(scale(c(row$lower, row$upper)))
    centre <- mean(scale(values))
    c(new = mean(values >= row$new_lower & values <= row$new_upper),
      mean = as.numeric(ends[1L] <= centre && centre <= ends[2L]),
      width = row$new_upper - row$new_lower)
  }, numeric(3))
}

experiment(
  paper = "domgen", item = "?dg_validate",
  title = "Do intervals of a new site's performance cover?",
  draws = c(quick = 1, normal = 1, full = 10), minutes = c(quick = 0.1, normal = 15, full = 150),
  tolerance = c(new = 0.02, width = 0.02),
  cells = function(size) {
    if (size == "quick") {
      return(data.frame(response = c("class", "number"), sites = 8, differ = "much",
                        size = "unequal", replications = 2))
    }
    expand.grid(response = c("class", "rare class", "number"), sites = c(5, 10, 15, 30),
                differ = c("little", "much"), size = c("equal", "unequal"), replications = 20,
                stringsAsFactors = FALSE)
  },
  run = function(cell, draw, data) {
    found <- lapply(seq_len(cell$replications), function(r) {
      set.seed(1000 * draw + r)
      replicate_cell(cell)
    })
    all <- simplify2array(found)
    means <- apply(all, 1:2, mean, na.rm = TRUE)
    bind(lapply(colnames(means), function(name) result_lines(name, means[, name])))
  }
)
